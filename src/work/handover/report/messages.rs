//! Every sentence of the report in every language: a message without one of its
//! translations does not compile.
//!
//! Values go into the sentences as texts that are written for the language already
//! (`format.rs`). What counts things has two forms, of one and of several.

use super::tables::{counts, messages};
use crate::campaign::ReportLanguage;

counts! {
    captures(n) {
        en "{n} capture" "{n} captures"
        pt "{n} captura" "{n} capturas"
        es "{n} captura" "{n} capturas"
        fr "{n} capture" "{n} captures"
        de "{n} Aufnahme" "{n} Aufnahmen"
    }
    selected_captures(n) {
        en "{n} selected capture" "{n} selected captures"
        pt "{n} captura selecionada" "{n} capturas selecionadas"
        es "{n} captura seleccionada" "{n} capturas seleccionadas"
        fr "{n} capture sélectionnée" "{n} captures sélectionnées"
        de "{n} ausgewählte Aufnahme" "{n} ausgewählte Aufnahmen"
    }
    embedded_resources(n) {
        en "{n} embedded resource" "{n} embedded resources"
        pt "{n} recurso incorporado" "{n} recursos incorporados"
        es "{n} recurso incrustado" "{n} recursos incrustados"
        fr "{n} ressource intégrée" "{n} ressources intégrées"
        de "{n} eingebettete Ressource" "{n} eingebettete Ressourcen"
    }
    hosts(n) {
        en "{n} host" "{n} hosts"
        pt "{n} sítio" "{n} sítios"
        es "{n} sitio" "{n} sitios"
        fr "{n} site" "{n} sites"
        de "{n} Website" "{n} Websites"
    }
    refused_urls(n) {
        en "{n} URL refused by the rules of the crawl" "{n} URLs refused by the rules of the crawl"
        pt "{n} URL recusado pelas regras da recolha" "{n} URL recusados pelas regras da recolha"
        es "{n} URL rechazada por las reglas de la recolección" "{n} URL rechazadas por las reglas de la recolección"
        fr "{n} URL refusée par les règles de la collecte" "{n} URL refusées par les règles de la collecte"
        de "{n} URL, die die Regeln des Crawls ablehnten" "{n} URLs, die die Regeln des Crawls ablehnten"
    }
    rejected_captures(n) {
        en "{n} capture rejected by a person" "{n} captures rejected by a person"
        pt "{n} captura rejeitada por uma pessoa" "{n} capturas rejeitadas por uma pessoa"
        es "{n} captura rechazada por una persona" "{n} capturas rechazadas por una persona"
        fr "{n} capture rejetée par une personne" "{n} captures rejetées par une personne"
        de "{n} von einer Person abgelehnte Aufnahme" "{n} von einer Person abgelehnte Aufnahmen"
    }
    unselected_captures(n) {
        en "{n} capture not selected" "{n} captures not selected"
        pt "{n} captura não selecionada" "{n} capturas não selecionadas"
        es "{n} captura no seleccionada" "{n} capturas no seleccionadas"
        fr "{n} capture non sélectionnée" "{n} captures non sélectionnées"
        de "{n} nicht ausgewählte Aufnahme" "{n} nicht ausgewählte Aufnahmen"
    }
    decisions_of(n) {
        en "{n} decision" "{n} decisions"
        pt "{n} decisão" "{n} decisões"
        es "{n} decisión" "{n} decisiones"
        fr "{n} décision" "{n} décisions"
        de "{n} Entscheidung" "{n} Entscheidungen"
    }
    problems_listed(n) {
        en "{n} problem, listed below" "{n} problems, listed below"
        pt "{n} problema, indicado abaixo" "{n} problemas, indicados abaixo"
        es "{n} problema, indicado más abajo" "{n} problemas, indicados más abajo"
        fr "{n} problème, indiqué plus bas" "{n} problèmes, indiqués plus bas"
        de "{n} Problem, unten aufgeführt" "{n} Probleme, unten aufgeführt"
    }
    days_around(n) {
        en "{n} day before and after a capture" "{n} days before and after a capture"
        pt "{n} dia antes e depois de uma captura" "{n} dias antes e depois de uma captura"
        es "{n} día antes y después de una captura" "{n} días antes y después de una captura"
        fr "{n} jour avant et après une capture" "{n} jours avant et après une capture"
        de "{n} Tag vor und nach einer Aufnahme" "{n} Tage vor und nach einer Aufnahme"
    }
    links_from_seed(n) {
        en "at most {n} link from it" "at most {n} links from it"
        pt "no máximo a {n} ligação de distância" "no máximo a {n} ligações de distância"
        es "como máximo a {n} enlace de distancia" "como máximo a {n} enlaces de distancia"
        fr "à {n} lien de distance au plus" "à {n} liens de distance au plus"
        de "höchstens {n} Link entfernt" "höchstens {n} Links entfernt"
    }
    rules_not_listed(n) {
        en "{n} rule that is switched off or has nothing to test is not listed."
            "{n} rules that are switched off or have nothing to test are not listed."
        pt "{n} regra desligada ou sem nada a verificar não figura na lista."
            "{n} regras desligadas ou sem nada a verificar não figuram na lista."
        es "No se incluye {n} regla que está desactivada o no tiene nada que comprobar."
            "No se incluyen {n} reglas que están desactivadas o no tienen nada que comprobar."
        fr "{n} règle désactivée ou sans objet ne figure pas dans la liste."
            "{n} règles désactivées ou sans objet ne figurent pas dans la liste."
        de "{n} Regel, die ausgeschaltet ist oder nichts zu prüfen hat, ist nicht aufgeführt."
            "{n} Regeln, die ausgeschaltet sind oder nichts zu prüfen haben, sind nicht aufgeführt."
    }
    more_rows(n) {
        en "… and {n} more" "… and {n} more"
        pt "… e mais {n}" "… e mais {n}"
        es "… y {n} más" "… y {n} más"
        fr "… et {n} autre" "… et {n} autres"
        de "… und {n} weitere" "… und {n} weitere"
    }
    missing_urls(n) {
        en "{n} URL that pages of this export need to be shown has no capture here, or none but errors:"
            "{n} URLs that pages of this export need to be shown have no capture here, or none but errors. Most needed are:"
        pt "{n} URL de que páginas desta exportação precisam para serem mostradas não tem captura aqui, ou só tem erros:"
            "{n} URL de que páginas desta exportação precisam para serem mostradas não têm captura aqui, ou só têm erros. Os mais necessários são:"
        es "{n} URL que necesitan páginas de esta exportación para mostrarse no tiene captura aquí, o solo tiene errores:"
            "{n} URL que necesitan páginas de esta exportación para mostrarse no tienen captura aquí, o solo tienen errores. Las más necesarias son:"
        fr "{n} URL nécessaire à l’affichage de pages de cet export n’a pas de capture ici, ou seulement des erreurs :"
            "{n} URL nécessaires à l’affichage de pages de cet export n’ont pas de capture ici, ou seulement des erreurs. Les plus demandées sont :"
        de "{n} URL, die Seiten dieses Exports zur Anzeige brauchen, hat hier keine Aufnahme oder nur Fehler:"
            "{n} URLs, die Seiten dieses Exports zur Anzeige brauchen, haben hier keine Aufnahme oder nur Fehler. Am häufigsten gebraucht werden:"
    }
    judges_together(n) {
        en "all {n}" "all {n}"
        pt "todas as {n}" "todas as {n}"
        es "todas ({n})" "todas ({n})"
        fr "toutes les {n}" "toutes les {n}"
        de "alle {n}" "alle {n}"
    }
    failed_fetches(n) {
        en "Finished, {n} URL failed" "Finished, {n} URLs failed"
        pt "Terminada, {n} URL falhou" "Terminada, {n} URL falharam"
        es "Terminada, falló {n} URL" "Terminada, fallaron {n} URL"
        fr "Terminée, {n} URL en échec" "Terminée, {n} URL en échec"
        de "Beendet, {n} URL fehlgeschlagen" "Beendet, {n} URLs fehlgeschlagen"
    }
}

messages! {
    untitled() { en "Export" pt "Exportação" es "Exportación" fr "Export de la collection" de "Export der Sammlung" }
    lead_of_days(captures, hosts, first, last, bytes) {
        en "This export holds {captures} from {hosts}, dated {first} to {last}, with {bytes} of content."
        pt "Esta exportação contém {captures} de {hosts}, com datas entre {first} e {last}, e {bytes} de conteúdo."
        es "Esta exportación contiene {captures} de {hosts}, con fechas entre el {first} y el {last}, y {bytes} de contenido."
        fr "Cet export contient {captures} de {hosts}, du {first} au {last}, soit {bytes} de contenu."
        de "Dieser Export enthält {captures} von {hosts} vom {first} bis zum {last} mit {bytes} Inhalt."
    }
    lead_of_one_day(captures, hosts, day, bytes) {
        en "This export holds {captures} from {hosts}, dated {day}, with {bytes} of content."
        pt "Esta exportação contém {captures} de {hosts}, com data de {day}, e {bytes} de conteúdo."
        es "Esta exportación contiene {captures} de {hosts}, con fecha del {day}, y {bytes} de contenido."
        fr "Cet export contient {captures} de {hosts}, du {day}, soit {bytes} de contenu."
        de "Dieser Export enthält {captures} von {hosts} vom {day} mit {bytes} Inhalt."
    }
    of_lead(captures, parts) {
        en "{captures}: {parts}" pt "{captures}: {parts}" es "{captures}: {parts}" fr "{captures} : {parts}" de "{captures}: {parts}"
    }
    what_it_is_for() { en "What it is for" pt "Finalidade" es "Finalidad" fr "Objet" de "Zweck" }
    who_answers() { en "Who answers for it" pt "Responsável" es "Responsable" fr "Qui en répond" de "Verantwortlich" }
    contents() { en "Contents" pt "Conteúdo" es "Contenido" fr "Contenu" de "Inhalt" }
    selected_how() { en "Selected by" pt "Critério de seleção" es "Criterio de selección" fr "Critère de sélection" de "Auswahl nach" }
    who_decided() { en "Who decided" pt "Quem decidiu" es "Quién decidió" fr "Qui a décidé" de "Wer entschieden hat" }
    nobody_decided() {
        en "No person decided about single captures."
        pt "Nenhuma pessoa decidiu sobre capturas individuais."
        es "Ninguna persona decidió sobre capturas concretas."
        fr "Aucune décision n’a été prise sur des captures particulières."
        de "Über einzelne Aufnahmen hat niemand entschieden."
    }
    legal_basis() { en "Permission" pt "Autorização" es "Autorización" fr "Autorisation" de "Genehmigung" }
    no_basis_recorded() {
        en "No permission and no legal basis is recorded in the campaign."
        pt "A campanha não regista nenhuma autorização nem fundamento legal."
        es "La campaña no registra ninguna autorización ni fundamento legal."
        fr "La campagne n’enregistre ni autorisation ni fondement juridique."
        de "In der Kampagne ist weder eine Genehmigung noch eine Rechtsgrundlage verzeichnet."
    }
    left_out() { en "Left out" pt "Excluído" es "Excluido" fr "Non retenu" de "Nicht enthalten" }
    nothing() { en "Nothing" pt "Nada" es "Nada" fr "Rien" de "Nichts" }
    problems() { en "Problems" pt "Problemas" es "Problemas" fr "Problèmes" de "Probleme" }
    no_problems() { en "None" pt "Nenhum" es "Ninguno" fr "Aucun" de "Keine" }
    campaign() { en "Campaign" pt "Campanha" es "Campaña" fr "Campagne" de "Kampagne" }
    campaign_version(name, version) {
        en "{name}, version {version}" pt "{name}, versão {version}" es "{name}, versión {version}" fr "{name}, version {version}"
        de "{name}, Version {version}"
    }
    written() { en "Written" pt "Elaborado em" es "Elaborado el" fr "Rédigé le" de "Erstellt am" }
    written_with(date, program) {
        en "{date} (UTC) by {program}" pt "{date} (UTC), por {program}" es "{date} (UTC), por {program}"
        fr "{date} (UTC), par {program}" de "{date} (UTC), von {program}"
    }

    request_heading() {
        en "What was looked for" pt "O que se procurou" es "Qué se buscaba" fr "Ce qui était recherché" de "Wonach gesucht wurde"
    }
    no_request() {
        en "The campaign has no request: every page in scope counts."
        pt "A campanha não tem pedido: contam todas as páginas no âmbito da recolha."
        es "La campaña no tiene consulta: cuentan todas las páginas del ámbito de la recolección."
        fr "La campagne n’a pas de requête : toutes les pages du périmètre comptent."
        de "Die Kampagne hat keine Anfrage: Jede Seite im Umfang des Crawls zählt."
    }
    pages_that_have() {
        en "Pages were looked for that have:"
        pt "Procuraram-se páginas que têm:"
        es "Se buscaban páginas que tienen:"
        fr "Étaient recherchées les pages qui ont :"
        de "Gesucht wurden Seiten mit:"
    }
    all_of_these() {
        en "all of these:" pt "tudo o que segue:" es "todo lo siguiente:" fr "tout ce qui suit :" de "allen folgenden Merkmalen:"
    }
    one_of_these() {
        en "at least one of these:" pt "pelo menos um dos seguintes:" es "al menos uno de los siguientes:"
        fr "au moins un élément de cette liste :" de "mindestens einem der folgenden Merkmale:"
    }
    not_this() { en "but not:" pt "mas não:" es "pero no:" fr "mais pas :" de "aber ohne:" }
    term_also(term, aliases) {
        en "{term}, also written {aliases}"
        pt "{term}, também escrito {aliases}"
        es "{term}, escrito también {aliases}"
        fr "{term}, écrit aussi {aliases}"
        de "{term}, auch {aliases} geschrieben"
    }
    term_between(term, from, to) {
        en "{term}, from {from} to {to}"
        pt "{term}, de {from} a {to}"
        es "{term}, de {from} a {to}"
        fr "{term}, de {from} à {to}"
        de "{term}, von {from} bis {to}"
    }
    term_speaks_against(term) {
        en "{term} (counts against a page)" pt "{term} (conta contra a página)" es "{term} (cuenta en contra de la página)"
        fr "{term} (compte contre la page)" de "{term} (zählt gegen die Seite)"
    }
    found_of_it() {
        en "What was found of it" pt "O que se encontrou" es "Qué se encontró" fr "Ce qui a été trouvé" de "Was davon gefunden wurde"
    }
    term_counts(selected, all) {
        en "How many of {selected} selected captures with a text hold each term, and how many of all {all} scored captures with a text."
        pt "Quantas das {selected} capturas selecionadas com texto contêm cada termo, e quantas de todas as {all} capturas pontuadas com texto."
        es "Cuántas de las {selected} capturas seleccionadas con texto contienen cada término, y cuántas de las {all} capturas puntuadas con texto."
        fr "Combien des {selected} captures sélectionnées avec un texte contiennent chaque terme, et combien des {all} captures notées avec un texte."
        de "Wie viele der {selected} ausgewählten Aufnahmen mit Text jeden Begriff enthalten, und wie viele aller {all} bewerteten Aufnahmen mit Text."
    }
    scored_with_version(version) {
        en "They were scored with version {version} of the campaign, whose terms these are."
        pt "Foram pontuadas com a versão {version} da campanha, cujos termos são estes."
        es "Se puntuaron con la versión {version} de la campaña, de la que son estos términos."
        fr "Elles ont été notées avec la version {version} de la campagne, dont voici les termes."
        de "Bewertet wurden sie mit Version {version} der Kampagne, deren Begriffe dies sind."
    }
    scored_with_others(count) {
        en "{count} were scored with other terms and are not counted."
        pt "{count} foram pontuadas com outros termos e não estão contadas."
        es "{count} se puntuaron con otros términos y no se cuentan."
        fr "{count} ont été notées avec d’autres termes et ne sont pas comptées."
        de "{count} wurden mit anderen Begriffen bewertet und sind nicht gezählt."
    }

    where_it_went() {
        en "Where the crawl went" pt "Onde se fez a recolha" es "Dónde se recolectó" fr "Où la collecte est allée"
        de "Wohin der Crawl ging"
    }
    rules_in_order() {
        en "Rules apply in order; the last match decides:"
        pt "As regras aplicam-se por ordem; decide a última que se aplica:"
        es "Las reglas se aplican en orden; decide la última que coincide:"
        fr "Les règles s’appliquent dans l’ordre ; la dernière qui correspond décide :"
        de "Die Regeln gelten der Reihe nach; die letzte zutreffende entscheidet:"
    }
    how_selected() {
        en "How captures were selected" pt "Como foram selecionadas as capturas" es "Cómo se seleccionaron las capturas"
        fr "Comment les captures ont été sélectionnées" de "Wie die Aufnahmen ausgewählt wurden"
    }
    by_score(threshold) {
        en "score at least {threshold}" pt "pontuação de pelo menos {threshold}" es "puntuación de al menos {threshold}"
        fr "note d’au moins {threshold}" de "Bewertung von mindestens {threshold}"
    }
    by_every_capture() {
        en "every capture" pt "todas as capturas" es "todas las capturas" fr "toutes les captures" de "alle Aufnahmen"
    }
    by_filter(filter) {
        en "filter {filter}" pt "filtro {filter}" es "el filtro {filter}" fr "filtre {filter}" de "Filter {filter}"
    }
    or_in_collection(criterion, name) {
        en "{criterion}, or in collection {name}" pt "{criterion}, ou na coleção {name}" es "{criterion}, o en la colección {name}"
        fr "{criterion}, ou dans la collection {name}" de "{criterion} oder in der Sammlung {name}"
    }
    selected() { en "Selected" pt "Selecionado" es "Seleccionado" fr "Sélectionné" de "Ausgewählt" }
    captures_of_hosts(captures, hosts) {
        en "{captures} of {hosts}" pt "{captures} de {hosts}" es "{captures} de {hosts}" fr "{captures} de {hosts}"
        de "{captures} von {hosts}"
    }
    included_manually() {
        en "Included by hand" pt "Incluído manualmente" es "Incluido a mano" fr "Inclus à la main" de "Von Hand aufgenommen"
    }
    excluded_manually() {
        en "Excluded by hand" pt "Excluído manualmente" es "Excluido a mano" fr "Exclu à la main" de "Von Hand ausgeschlossen"
    }
    against_score() {
        en "Against score or filter" pt "Contra a pontuação ou o filtro" es "Contra la puntuación o el filtro"
        fr "Contre la note ou le filtre" de "Gegen Bewertung oder Filter"
    }
    window_of_inlinks() {
        en "Window of inlinks" pt "Janela das ligações recebidas" es "Ventana de los enlaces entrantes" fr "Fenêtre des liens entrants"
        de "Zeitraum der eingehenden Links"
    }
    resources_of_pages() {
        en "Embedded resources of selected pages" pt "Recursos incorporados das páginas selecionadas"
        es "Recursos incrustados de las páginas seleccionadas" fr "Ressources intégrées des pages sélectionnées"
        de "Eingebettete Ressourcen ausgewählter Seiten"
    }
    resources_included(included, rejected) {
        en "{included} included, {rejected} rejected" pt "{included} incluídos, {rejected} rejeitados"
        es "{included} incluidos, {rejected} rechazados" fr "{included} incluses, {rejected} rejetées"
        de "{included} enthalten, {rejected} abgelehnt"
    }
    resources_left_out() {
        en "not included" pt "não incluídos" es "no incluidos" fr "non incluses" de "nicht enthalten"
    }
    score_of_parts() {
        en "The score adds up these parts, each from 0 to 1, by their weights:"
        pt "A pontuação soma estas partes, cada uma de 0 a 1, segundo os seus pesos:"
        es "La puntuación suma estas partes, cada una de 0 a 1, según su peso:"
        fr "La note additionne ces parts, chacune de 0 à 1, selon leur poids :"
        de "Die Bewertung zählt diese Teile, je von 0 bis 1, nach ihrem Gewicht zusammen:"
    }

    what_it_holds() {
        en "What this export holds" pt "O que esta exportação contém" es "Qué contiene esta exportación"
        fr "Ce que contient cet export" de "Was dieser Export enthält"
    }
    originals_along() {
        en "Originals of revisits that came along" pt "Originais de revisitas que vieram junto" es "Originales de revisitas incluidos"
        fr "Originaux de revisites joints" de "Mitgenommene Originale von Revisits"
    }
    revisits_without() {
        en "Revisits without their original" pt "Revisitas sem o seu original" es "Revisitas sin su original"
        fr "Revisites sans leur original" de "Revisits ohne ihr Original"
    }
    pages_with_inlinks() {
        en "Pages with inlinks" pt "Páginas com ligações recebidas" es "Páginas con enlaces entrantes" fr "Pages avec liens entrants"
        de "Seiten mit eingehenden Links"
    }
    captures_by(of) {
        en "Captures by {of}, as bars" pt "Capturas por {of}, em barras" es "Capturas por {of}, en barras"
        fr "Captures par {of}, en barres" de "Aufnahmen nach {of}, als Balken"
    }
    picture_of_first(shown, all) {
        en "The picture has the first {shown} of {all}." pt "A imagem mostra os primeiros {shown} de {all}."
        es "La imagen muestra los primeros {shown} de {all}." fr "L’image montre les {shown} premiers sur {all}."
        de "Das Bild zeigt die ersten {shown} von {all}."
    }
    crawls() {
        en "Crawls of the campaign" pt "Recolhas da campanha" es "Recolecciones de la campaña" fr "Collectes de la campagne"
        de "Crawls der Kampagne"
    }
    collections() { en "Collections" pt "Coleções" es "Colecciones" fr "Collections de captures" de "Sammlungen" }
    hosts_heading() { en "Hosts" pt "Sítios" es "Sitios" fr "Sites" de "Websites" }

    permissions() {
        en "Permissions and licences" pt "Autorizações e licenças" es "Autorizaciones y licencias" fr "Autorisations et licences"
        de "Genehmigungen und Lizenzen"
    }
    count_by_basis(count, basis) {
        en "{count} by {basis}" pt "{count} por {basis}" es "{count} por {basis}" fr "{count} par {basis}" de "{count} durch {basis}"
    }
    count_by_records(count) {
        en "{count} by the records above" pt "{count} pelos registos acima" es "{count} por los registros de arriba"
        fr "{count} par les fiches ci-dessus" de "{count} durch die Einträge oben"
    }
    count_by_permission(count) {
        en "{count} by a recorded permission" pt "{count} por uma autorização registada" es "{count} por una autorización registrada"
        fr "{count} par une autorisation enregistrée" de "{count} durch eine verzeichnete Genehmigung"
    }
    count_without_basis(count) {
        en "{count} by nothing that holds: no legal basis is recorded" pt "{count} sem fundamento legal registado"
        es "{count} sin fundamento legal registrado" fr "{count} sans fondement juridique enregistré"
        de "{count} ohne verzeichnete Rechtsgrundlage"
    }
    captures_rest_on(list) {
        en "Captures rest on: {list}." pt "As capturas assentam em: {list}." es "Las capturas se basan en: {list}."
        fr "Les captures reposent sur : {list}." de "Die Aufnahmen stützen sich so: {list}."
    }
    files_prove_them() {
        en "These files prove them:" pt "Estes ficheiros comprovam-nas:" es "Estos archivos las prueban:"
        fr "Ces fichiers les attestent :" de "Diese Dateien belegen sie:"
    }
    no_files_prove_them() {
        en "No file is attached that proves them."
        pt "Não há nenhum ficheiro anexo que as comprove."
        es "No se adjunta ningún archivo que las pruebe."
        fr "Aucun fichier joint ne les atteste."
        de "Es liegt keine Datei bei, die sie belegt."
    }
    file_not_here() {
        en "not in this folder, see Problems" pt "não está nesta pasta, ver Problemas" es "no está en esta carpeta, véase Problemas"
        fr "absent de ce dossier, voir Problèmes" de "nicht in diesem Ordner, siehe Probleme"
    }

    decisions() {
        en "Decisions of reviewers" pt "Decisões dos revisores" es "Decisiones de los revisores" fr "Décisions des relecteurs"
        de "Entscheidungen der Prüfenden"
    }
    decisions_by_reason() {
        en "By reason, and where they came from:" pt "Por motivo, e de onde vieram:" es "Por motivo y procedencia:"
        fr "Par motif et provenance :" de "Nach Grund und Herkunft:"
    }
    samples() {
        en "Samples that were reviewed" pt "Amostras revistas" es "Muestras revisadas" fr "Échantillons vérifiés"
        de "Geprüfte Stichproben"
    }
    samples_explained() {
        en "Pages that were drawn at random from what was to review and judged one by one. The last columns are the shares of faulty pages among all pages that were drawn from, with their intervals of 95 %."
        pt "Páginas tiradas ao acaso do que havia para rever e avaliadas uma a uma. As últimas colunas são as partes de páginas com falhas entre todas as páginas de que se tirou, com os seus intervalos de 95 %."
        es "Páginas extraídas al azar de lo que había que revisar y evaluadas una a una. Las últimas columnas son las proporciones de páginas con fallos entre todas las páginas de las que se extrajo, con sus intervalos del 95 %."
        fr "Pages tirées au hasard de ce qui était à vérifier et jugées une à une. Les dernières colonnes sont les parts de pages défectueuses parmi toutes les pages dont on a tiré, avec leurs intervalles à 95 %."
        de "Seiten, die zufällig aus dem zu Prüfenden gezogen und einzeln beurteilt wurden. Die letzten Spalten sind die Anteile fehlerhafter Seiten unter allen, aus denen gezogen wurde, mit ihren Intervallen von 95 %."
    }
    searches() {
        en "How good searches were" pt "Qualidade das pesquisas" es "Calidad de las búsquedas" fr "Qualité des recherches"
        de "Wie gut Suchen waren"
    }
    searches_explained() {
        en "Results that persons assessed one by one. The last column is the share of right ones among the first ten results that are right or wrong, with its interval of 95 % (Wilson). Of several persons, what most of them say of a result counts; where they balance it is unsure."
        pt "Resultados que pessoas avaliaram um a um. A última coluna é a parte de certos entre os dez primeiros resultados que estão certos ou errados, com o seu intervalo de 95 % (Wilson). De várias pessoas conta o que a maioria diz de um resultado; em caso de empate é incerto."
        es "Resultados que varias personas evaluaron uno a uno. La última columna es la proporción de correctos entre los diez primeros resultados que son correctos o erróneos, con su intervalo del 95 % (Wilson). Entre varias personas cuenta lo que dice la mayoría; si hay empate es dudoso."
        fr "Résultats que des personnes ont évalués un à un. La dernière colonne est la part de justes parmi les dix premiers résultats justes ou faux, avec son intervalle à 95 % (Wilson). Entre plusieurs personnes, l’avis de la majorité compte ; en cas d’égalité le résultat est incertain."
        de "Ergebnisse, die Personen einzeln beurteilt haben. Die letzte Spalte ist der Anteil richtiger unter den ersten zehn Ergebnissen, die richtig oder falsch sind, mit seinem 95-%-Intervall (Wilson). Bei mehreren Personen zählt, was die meisten sagen; bei Gleichstand gilt das Ergebnis als unsicher."
    }

    what_was_left_out() {
        en "What was left out" pt "O que ficou de fora" es "Qué quedó fuera" fr "Ce qui n’a pas été retenu" de "Was nicht enthalten ist"
    }
    left_out_all() {
        en "All of them, those that persons rejected before the others:"
        pt "Todas, primeiro as que pessoas rejeitaram:" es "Todas, primero las que rechazaron personas:"
        fr "Toutes, d’abord celles que des personnes ont rejetées :" de "Alle, zuerst die von Personen abgelehnten:"
    }
    left_out_first(shown, all) {
        en "The first {shown} of {all}, those that persons rejected before the others:"
        pt "As primeiras {shown} de {all}, começando pelas que pessoas rejeitaram:"
        es "Las primeras {shown} de {all}, empezando por las que rechazaron personas:"
        fr "Les {shown} premières sur {all}, celles que des personnes ont rejetées d’abord :"
        de "Die ersten {shown} von {all}, zuerst die von Personen abgelehnten:"
    }
    left_out_full_list(command) {
        en "The full list is in the workspace of this export: {command}"
        pt "A lista completa está no espaço de trabalho desta exportação: {command}"
        es "La lista completa está en el espacio de trabajo de esta exportación: {command}"
        fr "La liste complète est dans l’espace de travail de cet export : {command}"
        de "Die vollständige Liste gibt der Arbeitsbereich dieses Exports: {command}"
    }
    decisions_full_list() {
        en "data/decisions.jsonl has every decision with who gave it, when and why."
        pt "data/decisions.jsonl contém cada decisão, com quem a tomou, quando e porquê."
        es "data/decisions.jsonl contiene cada decisión, con quién la tomó, cuándo y por qué."
        fr "data/decisions.jsonl contient chaque décision, avec son auteur, sa date et son motif."
        de "data/decisions.jsonl enthält jede Entscheidung: von wem, wann und warum."
    }
    rejected_by(who, reason) {
        en "rejected by {who}: {reason}" pt "rejeitada por {who}: {reason}" es "rechazada por {who}: {reason}"
        fr "rejetée par {who} : {reason}" de "abgelehnt von {who}: {reason}"
    }
    rejected_without_reason(who) {
        en "rejected by {who}, no reason noted" pt "rejeitada por {who}, sem motivo indicado" es "rechazada por {who}, sin motivo indicado"
        fr "rejetée par {who}, sans motif indiqué" de "abgelehnt von {who}, ohne Angabe eines Grundes"
    }
    score_below(score, threshold) {
        en "score {score}, below {threshold}" pt "pontuação {score}, abaixo de {threshold}" es "puntuación {score}, inferior a {threshold}"
        fr "note {score}, inférieure à {threshold}" de "Bewertung {score}, unter {threshold}"
    }
    filter_not_met() {
        en "does not match the filter" pt "não corresponde ao filtro" es "no coincide con el filtro" fr "ne correspond pas au filtre"
        de "entspricht nicht dem Filter"
    }
    not_scored() {
        en "came after the selection was made" pt "chegou depois de feita a seleção" es "llegó después de hacer la selección"
        fr "arrivée après la sélection" de "kam nach der Auswahl hinzu"
    }
    crawl_refused() {
        en "What the crawl refused" pt "O que a recolha recusou" es "Qué rechazó la recolección" fr "Ce que la collecte a refusé"
        de "Was der Crawl abgelehnt hat"
    }
    seen_full_list() {
        en "data/seen.jsonl.gz lists each of them." pt "data/seen.jsonl.gz enumera cada um deles."
        es "data/seen.jsonl.gz enumera cada una de ellas." fr "data/seen.jsonl.gz les énumère toutes."
        de "data/seen.jsonl.gz führt jede einzelne auf."
    }
    what_pages_lack() {
        en "What pages lack" pt "O que falta às páginas" es "Qué les falta a las páginas" fr "Ce qui manque aux pages"
        de "Was Seiten fehlt"
    }
    what_is_missing() { en "What is missing" pt "O que falta" es "Qué falta" fr "Ce qui manque" de "Was fehlt" }
    problems_explained() {
        en "What could not be carried along as it was:"
        pt "O que não pôde ser levado tal como estava:"
        es "Lo que no se pudo llevar tal como estaba:"
        fr "Ce qui n’a pas pu être emporté tel quel :"
        de "Was nicht unverändert mitgenommen werden konnte:"
    }
    how_to_check() {
        en "How to check it" pt "Como verificar" es "Cómo comprobarlo" fr "Comment le vérifier" de "Wie man ihn prüft"
    }
    check_explained(command) {
        en "{command} reads everything back and names what does not fit. Without Fonds: the folder is a bag (BagIt 1.0), so any BagIt tool checks its files; README.txt says what each file is."
        pt "{command} relê tudo e indica o que não bate certo. Sem o Fonds: a pasta é um «bag» (BagIt 1.0), pelo que qualquer ferramenta BagIt verifica os seus ficheiros; README.txt diz o que é cada ficheiro."
        es "{command} vuelve a leerlo todo e indica lo que no cuadra. Sin Fonds: la carpeta es un «bag» (BagIt 1.0), de modo que cualquier herramienta BagIt comprueba sus archivos; README.txt dice qué es cada archivo."
        fr "{command} relit tout et indique ce qui ne concorde pas. Sans Fonds : le dossier est un « bag » (BagIt 1.0), dont tout outil BagIt vérifie les fichiers ; README.txt dit ce qu’est chaque fichier."
        de "{command} liest alles zurück und nennt, was nicht stimmt. Ohne Fonds: Der Ordner ist ein „Bag“ (BagIt 1.0), dessen Dateien jedes BagIt-Werkzeug prüft; README.txt sagt, was jede Datei ist."
    }
}
