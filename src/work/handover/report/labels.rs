//! Heads of columns and names of values of the report in every language.

use super::tables::messages;
use crate::analysis::ScoreWeights;
use crate::campaign::{Criterion, PermissionState, ReportLanguage, SeedScope, TermKind};
use crate::work::models::{LaunchRow, LaunchState};

messages! {
    seed() { en "Seed" pt "Semente" es "Semilla" fr "URL de départ" de "Startadresse" }
    scope() { en "Scope" pt "Âmbito" es "Ámbito" fr "Périmètre" de "Umfang" }
    rule_number() { en "No." pt "N.º" es "N.º" fr "N°" de "Nr." }
    rule_decision() { en "Decision" pt "Decisão" es "Decisión" fr "Décision" de "Entscheidung" }
    rule_about() { en "What it is about" pt "A que se aplica" es "A qué se aplica" fr "À quoi elle s’applique" de "Worauf sie sich bezieht" }
    note() { en "Note" pt "Nota" es "Nota" fr "Remarque" de "Anmerkung" }
    accepted() { en "Accepted" pt "Aceite" es "Aceptado" fr "Accepté" de "Aufgenommen" }
    refused() { en "Refused" pt "Recusado" es "Rechazado" fr "Refusé" de "Abgelehnt" }
    part_of_score() { en "Part of the score" pt "Parte da pontuação" es "Parte de la puntuación" fr "Part de la note" de "Teil der Bewertung" }
    weight() { en "Weight" pt "Peso" es "Peso" fr "Poids" de "Gewicht" }
    captures_head() { en "Captures" pt "Capturas" es "Capturas" fr "Captures" de "Aufnahmen" }
    records() { en "Records" pt "Registos WARC" es "Registros WARC" fr "Enregistrements WARC" de "WARC-Records" }
    size() { en "Size" pt "Tamanho" es "Tamaño" fr "Taille" de "Größe" }
    month() { en "Month" pt "Mês" es "Mes" fr "Mois" de "Monat" }
    answer() { en "Answer of the server" pt "Resposta do servidor" es "Respuesta del servidor" fr "Réponse du serveur" de "Antwort des Servers" }
    kind_of_site() { en "Kind of site" pt "Tipo de sítio" es "Tipo de sitio" fr "Type de site" de "Art der Website" }
    kind_of_content() { en "Kind of content" pt "Tipo de conteúdo" es "Tipo de contenido" fr "Type de contenu" de "Art des Inhalts" }
    language() { en "Language" pt "Língua" es "Idioma" fr "Langue" de "Sprache" }
    kind() { en "Kind" pt "Tipo" es "Tipo" fr "Type" de "Art" }
    term() { en "Term" pt "Termo" es "Término" fr "Terme" de "Begriff" }
    other_names() { en "Other names" pt "Outros nomes" es "Otros nombres" fr "Autres noms" de "Andere Namen" }
    counts_head() { en "Counts" pt "Conta" es "Cuenta" fr "Compte" de "Zählt" }
    counts_for() { en "for" pt "a favor" es "a favor" fr "pour" de "dafür" }
    counts_against() { en "against" pt "contra" es "en contra" fr "contre" de "dagegen" }
    of_all() { en "Of all" pt "De todas" es "De todas" fr "De toutes" de "Von allen" }
    none() { en "none" pt "nenhuma" es "ninguna" fr "aucune" de "keine" }
    began() { en "Began (UTC)" pt "Início (UTC)" es "Inicio (UTC)" fr "Début (UTC)" de "Beginn (UTC)" }
    ended() { en "Ended (UTC)" pt "Fim (UTC)" es "Fin (UTC)" fr "Fin (UTC)" de "Ende (UTC)" }
    state() { en "State" pt "Estado" es "Estado" fr "État" de "Zustand" }
    fetched() { en "Fetched" pt "Obtidos" es "Obtenidas" fr "Obtenues" de "Abgerufen" }
    failed() { en "Failed" pt "Falhados" es "Fallidas" fr "En échec" de "Fehlgeschlagen" }
    refused_head() { en "Refused" pt "Recusados" es "Rechazadas" fr "Refusées" de "Abgelehnt" }
    running() { en "Running" pt "Em curso" es "En curso" fr "En cours" de "Läuft" }
    paused() { en "Paused" pt "Em pausa" es "En pausa" fr "En pause" de "Angehalten" }
    stopped() { en "Stopped before its end" pt "Interrompida" es "Interrumpida" fr "Interrompue" de "Vorzeitig beendet" }
    finished() { en "Finished" pt "Terminada" es "Terminada" fr "Terminée" de "Beendet" }
    nothing_fetched() { en "Ended, nothing fetched" pt "Terminada sem nada obter" es "Terminada sin obtener nada" fr "Terminée sans rien obtenir" de "Beendet, nichts abgerufen" }
    collection() { en "Collection" pt "Coleção" es "Colección" fr "Collection de captures" de "Sammlung" }
    purpose() { en "What it is for" pt "Finalidade" es "Finalidad" fr "Objet" de "Zweck" }
    made_by() { en "Made by" pt "Criada por" es "Creada por" fr "Créée par" de "Angelegt von" }
    host() { en "Host" pt "Sítio" es "Sitio" fr "Site" de "Website" }
    country() { en "Country" pt "País" es "País" fr "Pays" de "Land" }
    address_and_network() { en "Address and network" pt "Endereço e rede" es "Dirección y red" fr "Adresse et réseau" de "Adresse und Netz" }
    database() { en "Database" pt "Base de dados" es "Base de datos" fr "Base de données" de "Datenbank" }
    built() { en "Built" pt "Versão de" es "Versión del" fr "Version du" de "Stand" }
    no_country() { en "no country" pt "sem país" es "sin país" fr "aucun pays" de "kein Land" }
    not_known() { en "not known" pt "desconhecida" es "desconocido" fr "inconnue" de "unbekannt" }
    country_not_known() { en "not known" pt "desconhecido" es "desconocido" fr "inconnu" de "unbekannt" }
    record() { en "Record" pt "Registo" es "Registro" fr "Fiche" de "Eintrag" }
    covers() { en "Covers" pt "Abrange" es "Abarca" fr "Couvre" de "Umfasst" }
    criterion() { en "Criterion" pt "Critério" es "Criterio" fr "Critère" de "Kriterium" }
    licence() { en "Licence" pt "Licença" es "Licencia" fr "Licence ou accord" de "Lizenz" }
    evidence() { en "Evidence" pt "Comprovativo" es "Prueba" fr "Justificatif" de "Nachweis" }
    date_head() { en "Date" pt "Data" es "Fecha" fr "Date du document" de "Datum" }
    file() { en "File" pt "Ficheiro" es "Archivo" fr "Fichier" de "Datei" }
    path_in_folder() { en "Path in this folder" pt "Caminho nesta pasta" es "Ruta en esta carpeta" fr "Chemin dans ce dossier" de "Pfad in diesem Ordner" }
    person() { en "Person" pt "Pessoa" es "Persona" fr "Personne" de "Person (Name)" }
    after_new_crawl() { en "Later, after a new crawl" pt "Mais tarde, depois de nova recolha" es "Más tarde, tras una nueva captura" fr "Plus tard, après une nouvelle collecte" de "Später, nach neuem Crawl" }
    approved() { en "Approved" pt "Aprovadas" es "Aprobadas" fr "Approuvées" de "Angenommen" }
    rejected() { en "Rejected" pt "Rejeitadas" es "Rechazadas" fr "Rejetées" de "Abgelehnt" }
    flagged() { en "Flagged" pt "Assinaladas" es "Señaladas" fr "Signalées" de "Markiert" }
    first_day() { en "First" pt "Primeira" es "Primera" fr "Première" de "Erste" }
    last_day() { en "Last" pt "Última" es "Última" fr "Dernière" de "Letzte" }
    decision() { en "Decision" pt "Decisão" es "Decisión" fr "Décision" de "Entscheidung" }
    reason() { en "Reason" pt "Motivo" es "Motivo" fr "Motif" de "Grund" }
    origin_head() { en "From" pt "De" es "De" fr "Provenance" de "Von" }
    other_targets() { en "Other targets" pt "Outros alvos" es "Otros objetos" fr "Autres cibles" de "Andere Ziele" }
    query() { en "Query" pt "Pesquisa" es "Consulta" fr "Requête" de "Suche" }
    sample() { en "Sample" pt "Amostra" es "Muestra" fr "Échantillon" de "Stichprobe" }
    drawn_by() { en "Drawn by" pt "Tirada por" es "Extraída por" fr "Tiré par" de "Gezogen von" }
    drawn_on() { en "Drawn on" pt "Tirada em" es "Extraída el" fr "Tiré le" de "Gezogen am" }
    drawn_from() { en "Drawn from" pt "Tirada de" es "Extraída de" fr "Tiré de" de "Gezogen aus" }
    pages_head() { en "Pages" pt "Páginas" es "Páginas" fr "Pages" de "Seiten" }
    judged() { en "Judged" pt "Avaliadas" es "Evaluadas" fr "Jugées" de "Beurteilt" }
    faulty() { en "Faulty" pt "Com falhas" es "Con fallos" fr "Défectueuses" de "Fehlerhaft" }
    faulty_in_content() { en "Faulty content" pt "Conteúdo com falhas" es "Contenido con fallos" fr "Contenu défectueux" de "Fehlerhafter Inhalt" }
    faulty_technically() { en "Technical faults" pt "Falhas técnicas" es "Fallos técnicos" fr "Défauts techniques" de "Technische Fehler" }
    assessed_by() { en "Assessed by" pt "Avaliado por" es "Evaluado por" fr "Évalué par" de "Beurteilt von" }
    right() { en "Right" pt "Certos" es "Correctos" fr "Justes" de "Richtig" }
    wrong() { en "Wrong" pt "Errados" es "Erróneos" fr "Faux" de "Falsch" }
    unsure() { en "Unsure" pt "Incertos" es "Dudosos" fr "Incertains" de "Unsicher" }
    right_of_ten() { en "Right of the first ten" pt "Certos nos dez primeiros" es "Correctos entre los diez primeros" fr "Justes parmi les dix premiers" de "Richtige der ersten zehn" }
    captured() { en "Captured" pt "Capturado em" es "Capturado el" fr "Capturé le" de "Aufgenommen am" }
    rule() { en "Rule" pt "Regra" es "Regla" fr "Règle" de "Regel" }
    page_head() { en "Page" pt "Página" es "Página" fr "Page web" de "Seite" }
    lacks() { en "Lacks" pt "Falta-lhe" es "Le falta" fr "Ce qui lui manque" de "Es fehlt" }
    rejected_by_head() { en "Rejected by" pt "Rejeitado por" es "Rechazado por" fr "Rejeté par" de "Abgelehnt von" }
    captures_that_need() { en "Captures that need it" pt "Capturas que precisam dele" es "Capturas que la necesitan" fr "Captures qui en ont besoin" de "Aufnahmen, die sie brauchen" }

    address() { en "Address" pt "Endereço" es "Dirección" fr "Adresse" de "Adresse" }
    problem() { en "Problem" pt "Problema" es "Problema" fr "Problème" de "Problem" }

    keyword() { en "word" pt "palavra" es "palabra" fr "mot" de "Wort" }
    phrase() { en "phrase" pt "expressão" es "expresión" fr "expression" de "Wortfolge" }
    a_person() { en "person" pt "pessoa" es "persona" fr "personne" de "Person" }
    place() { en "place" pt "lugar" es "lugar" fr "lieu" de "Ort" }
    organisation() { en "organisation" pt "organização" es "organización" fr "organisme" de "Organisation" }
    event() { en "event" pt "acontecimento" es "acontecimiento" fr "événement" de "Ereignis" }
    language_of() { en "language" pt "língua" es "idioma" fr "langue" de "Sprache" }
    period() { en "period" pt "período" es "período" fr "période" de "Zeitraum" }

    reach_resource() { en "this page and what it needs to be shown" pt "esta página e o que precisa para ser mostrada" es "esta página y lo que necesita para mostrarse" fr "cette page et ce qu’il faut pour l’afficher" de "diese Seite und was sie zur Anzeige braucht" }
    reach_plus1() { en "this page and all that it links to" pt "esta página e tudo para que ela tem ligações" es "esta página y todo lo que enlaza" fr "cette page et tout ce vers quoi elle renvoie" de "diese Seite und alles, worauf sie verlinkt" }
    reach_root() { en "everything below this address" pt "tudo abaixo deste endereço" es "todo lo que hay bajo esta dirección" fr "tout ce qui est sous cette adresse" de "alles unterhalb dieser Adresse" }
    reach_subdomains() { en "the whole site with its subdomains" pt "todo o sítio com os seus subdomínios" es "todo el sitio con sus subdominios" fr "tout le site avec ses sous-domaines" de "die ganze Website mit ihren Subdomains" }

    granted() { en "granted" pt "concedida" es "concedida" fr "accordée" de "erteilt" }
    permission_refused() { en "refused" pt "recusada" es "denegada" fr "refusée" de "verweigert" }
    pending() { en "requested, no answer yet" pt "pedida, ainda sem resposta" es "solicitada, aún sin respuesta" fr "demandée, sans réponse à ce jour" de "angefragt, noch ohne Antwort" }
    unasked() { en "not requested" pt "não pedida" es "no solicitada" fr "non demandée" de "nicht angefragt" }
    queued() { en "to be requested" pt "a pedir" es "por solicitar" fr "à demander" de "noch anzufragen" }
    undeliverable() { en "request could not be delivered" pt "não foi possível entregar o pedido" es "no se pudo entregar la solicitud" fr "la demande n’a pas pu être remise" de "Anfrage war nicht zustellbar" }
    superseded() { en "replaced by another record" pt "substituída por outro registo" es "sustituida por otro registro" fr "remplacée par une autre fiche" de "durch anderen Eintrag ersetzt" }

    by_licence() { en "licence" pt "licença" es "licencia" fr "licence" de "Lizenz" }
    by_domain() { en "domain name" pt "nome de domínio" es "nombre de dominio" fr "nom de domaine" de "Domainname" }
    by_hosting() { en "place of the server" pt "local do servidor" es "ubicación del servidor" fr "lieu du serveur" de "Standort des Servers" }
    by_registration() { en "registration" pt "registo do domínio" es "registro del dominio" fr "enregistrement du domaine" de "Registrierung" }
    by_address() { en "postal address" pt "morada postal" es "dirección postal" fr "adresse postale" de "Postanschrift" }
    by_correspondence() { en "correspondence" pt "correspondência" es "correspondencia" fr "correspondance" de "Schriftwechsel" }
    by_judgement() { en "professional judgement" pt "parecer profissional" es "criterio profesional" fr "avis professionnel" de "fachliches Urteil" }

    part_request() { en "match of the request" pt "correspondência com o pedido" es "correspondencia con la consulta" fr "correspondance avec la requête" de "Übereinstimmung mit der Anfrage" }
    part_external_hosts() { en "other hosts that link to it" pt "outros sítios com ligações para ela" es "otros sitios que la enlazan" fr "autres sites qui y renvoient" de "andere Websites, die darauf verlinken" }
    part_anchors() { en "link texts that match the request" pt "textos de ligações que correspondem ao pedido" es "textos de enlaces que coinciden con la consulta" fr "textes de liens qui correspondent à la requête" de "Linktexte, die zur Anfrage passen" }
    part_depth() { en "nearness to the seed" pt "proximidade da semente" es "cercanía a la semilla" fr "proximité de l’URL de départ" de "Nähe zur Startadresse" }
    part_review() { en "approval by a person" pt "aprovação por uma pessoa" es "aprobación por una persona" fr "approbation par une personne" de "Annahme durch eine Person" }
    part_freshness() { en "first capture of its content" pt "primeira captura do seu conteúdo" es "primera captura de su contenido" fr "première capture de son contenu" de "erste Aufnahme ihres Inhalts" }
    part_entities() { en "entities of the request that it names" pt "entidades do pedido que nomeia" es "entidades de la consulta que nombra" fr "entités de la requête qu’elle nomme" de "Entitäten der Anfrage, die sie nennt" }

    delivered() { en "delivered" pt "entregue" es "entregada" fr "livrée" de "ausgeliefert" }
    redirected() { en "redirected" pt "redirecionada" es "redirigida" fr "redirigée" de "weitergeleitet" }
    not_changed() { en "not changed" pt "sem alteração" es "sin cambios" fr "non modifiée" de "unverändert" }
    forbidden() { en "access refused" pt "acesso recusado" es "acceso denegado" fr "accès refusé" de "Zugriff verweigert" }
    not_found() { en "not found" pt "não encontrada" es "no encontrada" fr "introuvable" de "nicht gefunden" }
    gone() { en "removed" pt "removida" es "retirada" fr "supprimée" de "entfernt" }
    client_error() { en "request not accepted" pt "pedido não aceite" es "solicitud no aceptada" fr "demande non acceptée" de "Anfrage nicht angenommen" }
    server_error() { en "error of the server" pt "erro do servidor" es "error del servidor" fr "erreur du serveur" de "Fehler des Servers" }
    without_status() { en "no web answer (other record)" pt "sem resposta web (outro registo)" es "sin respuesta web (otro registro)" fr "sans réponse web (autre enregistrement)" de "keine Web-Antwort (anderer Record)" }

    web_pages() { en "web pages" pt "páginas web" es "páginas web" fr "pages web" de "Webseiten" }
    pdf_documents() { en "PDF documents" pt "documentos PDF" es "documentos PDF" fr "documents PDF" de "PDF-Dokumente" }
    office_documents() { en "office documents" pt "documentos de escritório" es "documentos ofimáticos" fr "documents bureautiques" de "Office-Dokumente" }
    images() { en "images" pt "imagens" es "imágenes" fr "illustrations" de "Bilder" }
    styles() { en "style sheets" pt "folhas de estilo" es "hojas de estilo" fr "feuilles de style" de "Stylesheets" }
    scripts() { en "scripts" pt "programas (scripts)" es "programas (scripts)" fr "programmes (scripts)" de "Skripte" }
    audio() { en "sound" pt "som" es "sonido" fr "son" de "Ton" }
    video() { en "video" pt "vídeo" es "vídeo" fr "vidéo" de "Videos" }
    fonts() { en "fonts" pt "tipos de letra" es "tipos de letra" fr "polices" de "Schriften" }
    feeds_and_data() { en "feeds and data" pt "feeds e dados" es "canales y datos" fr "flux et données" de "Feeds und Daten" }
    plain_text() { en "plain text" pt "texto simples" es "texto sin formato" fr "texte brut" de "reiner Text" }
    other_content() { en "other" pt "outros" es "otros" fr "autres" de "sonstige" }
}

impl ReportLanguage {
    /// The kind of a term of a request.
    pub(super) fn kind_of(self, kind: TermKind) -> String {
        match kind {
            TermKind::Keyword => self.keyword(),
            TermKind::Phrase => self.phrase(),
            TermKind::Person => self.a_person(),
            TermKind::Place => self.place(),
            TermKind::Organisation => self.organisation(),
            TermKind::Event => self.event(),
            TermKind::Language => self.language_of(),
            TermKind::Period => self.period(),
        }
    }

    pub(super) fn reach(self, scope: SeedScope) -> String {
        match scope {
            SeedScope::Resource => self.reach_resource(),
            SeedScope::Plus1 => self.reach_plus1(),
            SeedScope::Root => self.reach_root(),
            SeedScope::Subdomains => self.reach_subdomains(),
        }
    }

    pub(super) fn permission_state(self, state: PermissionState) -> String {
        match state {
            PermissionState::Granted => self.granted(),
            PermissionState::Refused => self.permission_refused(),
            PermissionState::Pending => self.pending(),
            PermissionState::Unasked => self.unasked(),
            PermissionState::Queued => self.queued(),
            PermissionState::Undeliverable => self.undeliverable(),
            PermissionState::Superseded => self.superseded(),
        }
    }

    pub(super) fn criterion_of(self, criterion: Criterion) -> String {
        match criterion {
            Criterion::Licence => self.by_licence(),
            Criterion::Domain => self.by_domain(),
            Criterion::Hosting => self.by_hosting(),
            Criterion::Registration => self.by_registration(),
            Criterion::Address => self.by_address(),
            Criterion::Correspondence => self.by_correspondence(),
            Criterion::Judgement => self.by_judgement(),
        }
    }

    /// Parts of the score with their weights.
    pub(super) fn weights(self, weights: &ScoreWeights) -> impl Iterator<Item = (String, f64)> {
        // In the order of the parts of a score.
        let labels = [
            self.part_request(),
            self.part_external_hosts(),
            self.part_anchors(),
            self.part_depth(),
            self.part_review(),
            self.part_freshness(),
            self.part_entities(),
        ];
        labels.into_iter().zip(weights.iter().map(|(_, weight)| weight))
    }

    /// The state of a crawl.
    pub(super) fn launch_state(self, launch: &LaunchRow) -> String {
        match launch.state {
            _ if launch.nothing_fetched => self.nothing_fetched(),
            LaunchState::Finished if launch.failed > 0 => self.failed_fetches(launch.failed),
            LaunchState::Finished => self.finished(),
            LaunchState::Running => self.running(),
            LaunchState::Paused => self.paused(),
            LaunchState::Stopped => self.stopped(),
        }
    }

    /// A status of HTTP; 0 where the record has none.
    pub(super) fn status(self, status: i64) -> String {
        let text = match status {
            304 => self.not_changed(),
            401 | 403 => self.forbidden(),
            404 => self.not_found(),
            410 => self.gone(),
            200..=299 => self.delivered(),
            300..=399 => self.redirected(),
            400..=499 => self.client_error(),
            500..=599 => self.server_error(),
            _ => return self.without_status(),
        };
        format!("{status} – {text}")
    }

    /// The kind of a media type, for people.
    pub(super) fn content_kind(self, mime: &str) -> String {
        let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match mime.split_once('/').unwrap_or((mime.as_str(), "")) {
            ("text", "html") | ("application", "xhtml+xml") => self.web_pages(),
            ("application", "pdf") => self.pdf_documents(),
            ("image", _) => self.images(),
            ("audio", _) => self.audio(),
            ("video", _) => self.video(),
            ("font", _) => self.fonts(),
            ("text", "css") => self.styles(),
            ("application" | "text", "javascript" | "x-javascript" | "ecmascript") => self.scripts(),
            ("text", "xml" | "csv" | "calendar") => self.feeds_and_data(),
            ("application", kind) if kind.ends_with("xml") && !kind.contains("officedocument") => self.feeds_and_data(),
            ("application", kind) if kind.ends_with("json") => self.feeds_and_data(),
            ("application", kind) if kind.contains("font") => self.fonts(),
            ("application", "msword" | "rtf") => self.office_documents(),
            ("application", kind) if kind.starts_with("vnd.") => self.office_documents(),
            ("text", _) => self.plain_text(),
            _ => self.other_content(),
        }
    }
}
