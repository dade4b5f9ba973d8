//! What was requested against what was captured, by host, and the gaps.

use super::page::{Block, ReportCell, text_row};
use super::tables::{counts, messages};
use super::{ReportLanguage, Reporter};
use crate::campaign::TermKind;
use crate::jobs::JobCx;
use crate::work::analysis::{AggregateCell, LEAST_CELL, matrix_aggregate};
use crate::work::overview::{Gap, GapKind, Matrix, MatrixRow, RowOrigin, targeted_and_crawled};

/// Hosts with a column of their own, and all others.
const COLUMNS: usize = 7;
/// Things of a gap that are named.
const EXAMPLES: usize = 3;

counts! {
    gap_seeds(n) {
        en "{n} seed without a good capture" "{n} seeds without a good capture"
        pt "{n} semente sem captura válida" "{n} sementes sem captura válida"
        es "{n} semilla sin captura válida" "{n} semillas sin captura válida"
        fr "{n} graine sans capture valable" "{n} graines sans capture valable"
        de "{n} Startadresse ohne brauchbare Aufnahme" "{n} Startadressen ohne brauchbare Aufnahme"
    }
    gap_terms(n) {
        en "{n} term that no capture holds" "{n} terms that no capture holds"
        pt "{n} termo que nenhuma captura contém" "{n} termos que nenhuma captura contém"
        es "{n} término que ninguna captura contiene" "{n} términos que ninguna captura contiene"
        fr "{n} terme qu’aucune capture ne contient" "{n} termes qu’aucune capture ne contient"
        de "{n} Begriff, den keine Aufnahme enthält" "{n} Begriffe, die keine Aufnahme enthält"
    }
    gap_gone(n) {
        en "{n} URL captured before, not in the last crawl" "{n} URLs captured before, not in the last crawl"
        pt "{n} URL capturado antes, não na última recolha" "{n} URL capturados antes, não na última recolha"
        es "{n} URL capturada antes, no en la última recolección" "{n} URL capturadas antes, no en la última recolección"
        fr "{n} URL capturée auparavant, pas lors de la dernière collecte" "{n} URL capturées auparavant, pas lors de la dernière collecte"
        de "{n} URL, früher aufgenommen, im letzten Crawl nicht" "{n} URLs, früher aufgenommen, im letzten Crawl nicht"
    }
    gap_queue(n) {
        en "{n} URL left in the queue" "{n} URLs left in the queue"
        pt "{n} URL que ficou na fila" "{n} URL que ficaram na fila"
        es "{n} URL que quedó en la cola" "{n} URL que quedaron en la cola"
        fr "{n} URL restée dans la file" "{n} URL restées dans la file"
        de "{n} URL, die in der Warteschlange blieb" "{n} URLs, die in der Warteschlange blieben"
    }
    gap_hosts(n) {
        en "{n} host accepted, nothing fetched" "{n} hosts accepted, nothing fetched"
        pt "{n} sítio aceite, nada obtido" "{n} sítios aceites, nada obtido"
        es "{n} sitio aceptado, nada obtenido" "{n} sitios aceptados, nada obtenido"
        fr "{n} site accepté, rien d’obtenu" "{n} sites acceptés, rien d’obtenu"
        de "{n} zugelassene Website, von der nichts kam" "{n} zugelassene Websites, von denen nichts kam"
    }
    gap_refused(n) {
        en "{n} refused URL that many hosts cite" "{n} refused URLs that many hosts cite"
        pt "{n} URL recusado que muitos sítios citam" "{n} URL recusados que muitos sítios citam"
        es "{n} URL rechazada que muchos sitios citan" "{n} URL rechazadas que muchos sitios citan"
        fr "{n} URL refusée que citent de nombreux sites" "{n} URL refusées que citent de nombreux sites"
        de "{n} abgelehnte URL, auf die viele Websites verweisen" "{n} abgelehnte URLs, auf die viele Websites verweisen"
    }
    gap_cited(n) {
        en "{n} page cited by words of the request, never captured" "{n} pages cited by words of the request, never captured"
        pt "{n} página citada com palavras do pedido, nunca capturada" "{n} páginas citadas com palavras do pedido, nunca capturadas"
        es "{n} página citada con palabras de la petición, nunca capturada" "{n} páginas citadas con palabras de la petición, nunca capturadas"
        fr "{n} page citée avec des mots de la demande, jamais capturée" "{n} pages citées avec des mots de la demande, jamais capturées"
        de "{n} mit gesuchten Wörtern verlinkte Seite, nie aufgenommen" "{n} mit gesuchten Wörtern verlinkte Seiten, nie aufgenommen"
    }
    gap_resources(n) {
        en "{n} embedded resource not fetched" "{n} embedded resources not fetched"
        pt "{n} recurso incorporado por obter" "{n} recursos incorporados por obter"
        es "{n} recurso incrustado sin obtener" "{n} recursos incrustados sin obtener"
        fr "{n} ressource intégrée non obtenue" "{n} ressources intégrées non obtenues"
        de "{n} nicht geholte eingebettete Ressource" "{n} nicht geholte eingebettete Ressourcen"
    }
    gap_languages(n) {
        en "{n} requested language on almost no page" "{n} requested languages on almost no page"
        pt "{n} língua pedida em quase nenhuma página" "{n} línguas pedidas em quase nenhuma página"
        es "{n} lengua pedida en casi ninguna página" "{n} lenguas pedidas en casi ninguna página"
        fr "{n} langue demandée sur presque aucune page" "{n} langues demandées sur presque aucune page"
        de "{n} gesuchte Sprache auf fast keiner Seite" "{n} gesuchte Sprachen auf fast keiner Seite"
    }
    gap_periods(n) {
        en "{n} requested period without a page published in it" "{n} requested periods without a page published in them"
        pt "{n} período pedido sem página publicada nele" "{n} períodos pedidos sem página publicada neles"
        es "{n} período pedido sin página publicada en él" "{n} períodos pedidos sin página publicada en ellos"
        fr "{n} période demandée sans page publiée" "{n} périodes demandées sans page publiée"
        de "{n} gesuchter Zeitraum, in dem keine Seite erschien" "{n} gesuchte Zeiträume, in denen keine Seite erschien"
    }
    other_hosts(n) {
        en "{n} other" "{n} others"
        pt "{n} outro" "{n} outros"
        es "{n} otro" "{n} otros"
        fr "{n} autre" "{n} autres"
        de "{n} andere" "{n} weitere"
    }
}

messages! {
    terms_by_host() {
        en "Terms by host" pt "Termos por sítio" es "Términos por sitio" fr "Termes par site" de "Begriffe nach Websites"
    }
    terms_by_host_explained() {
        en "Captures of the whole campaign with a text, selected or not, that hold each term, by the hosts with the most of them."
        pt "Capturas de toda a campanha com texto, selecionadas ou não, que contêm cada termo, pelos sítios com mais capturas dessas."
        es "Capturas de toda la campaña con texto, seleccionadas o no, que contienen cada término, por los sitios con más de ellas."
        fr "Captures de toute la campagne ayant un texte, sélectionnées ou non, qui contiennent chaque terme, par les sites qui en ont le plus."
        de "Aufnahmen der ganzen Kampagne mit Text, ausgewählt oder nicht, die jeden Begriff enthalten, nach den Websites mit den meisten davon."
    }
    small_counts_left_out(least) {
        en "Counts of fewer than {least} captures are not given: they can point to a person."
        pt "Contagens de menos de {least} capturas não são indicadas: podem apontar para uma pessoa."
        es "No se indican recuentos de menos de {least} capturas: pueden señalar a una persona."
        fr "Les nombres de moins de {least} captures ne sont pas donnés : ils peuvent désigner une personne."
        de "Anzahlen von weniger als {least} Aufnahmen stehen hier nicht: Sie können auf eine Person hinweisen."
    }
    persons_left_out() {
        en "Persons are left out of this table and of what this handover says of entities; the specification and the archived pages are as they were."
        pt "As pessoas foram deixadas de fora desta tabela e do que esta entrega diz de entidades; a especificação e as páginas arquivadas estão como estavam."
        es "Las personas se han dejado fuera de esta tabla y de lo que esta entrega dice de entidades; la especificación y las páginas archivadas están como estaban."
        fr "Les personnes sont laissées hors de ce tableau et de ce que cette remise dit des entités ; la spécification et les pages archivées sont telles quelles."
        de "Personen fehlen in dieser Tabelle und in dem, was diese Übergabe über Entitäten sagt; die Spezifikation und die archivierten Seiten sind, wie sie waren."
    }
    gaps_heading() { en "Gaps" pt "Lacunas" es "Carencias" fr "Lacunes" de "Lücken" }
    gap_head() { en "Gap" pt "Lacuna" es "Carencia" fr "Lacune" de "Lücke" }
    examples_head() { en "Examples" pt "Exemplos" es "Ejemplos" fr "Exemples" de "Beispiele" }
}

impl Reporter<'_> {
    /// Writes the terms of the request by host, and what the campaign lacks.
    pub(super) fn targeted(&self, out: &mut Vec<Block>, cx: &JobCx) -> anyhow::Result<()> {
        let (gaps, matrix) = targeted_and_crawled(self.workspace, self.facts.id, cx)?;
        self.matrix(out, &matrix.folded(COLUMNS + 1));
        self.gaps(out, &gaps);
        Ok(())
    }

    fn matrix(&self, out: &mut Vec<Block>, matrix: &Matrix) {
        let language = self.language;
        if matrix.rows.is_empty() {
            return;
        }
        out.push(Block::Heading(language.terms_by_host()));
        out.push(Block::Text(language.terms_by_host_explained()));
        let hosts = matrix.columns.iter().map(|column| match column.others {
            Some(others) => language.other_hosts(others),
            None => column.label.clone(),
        });
        let head: Vec<String> = [language.term(), language.of_all()].into_iter().chain(hosts).collect();
        let without_persons = self.facts.without_persons;
        let leaves = |row: &&MatrixRow| {
            // Names that only capitals tell are for the archivist to look at.
            row.origin != RowOrigin::Found && !(without_persons && row.term.kind == TermKind::Person)
        };
        let rows: Vec<MatrixRow> = matrix.rows.iter().filter(leaves).cloned().collect();
        let matrix = &Matrix { rows, ..matrix.clone() };
        let table = matrix_aggregate(matrix, LEAST_CELL, without_persons);
        let cell = |cell: &AggregateCell| match cell {
            AggregateCell::Count(count) => ReportCell::from(language.number(*count)),
            other => ReportCell::from(other.to_string()),
        };
        let rows = matrix.rows.iter().zip(&table.rows).map(|(row, cells)| {
            let mut counts = cells.iter().skip(1).map(cell);
            let all = counts.next().filter(|_| !row.is_never_found()).unwrap_or(ReportCell::Lack(language.none()));
            let name = ReportCell::from(language.term_name(&row.term));
            [name, all].into_iter().chain(counts).collect()
        });
        out.push(Block::Table { numbers: (1..head.len()).collect(), rows: rows.collect(), head });
        if table.dropped > 0 {
            out.push(Block::Text(language.small_counts_left_out(&language.number(LEAST_CELL))));
        }
        if without_persons {
            out.push(Block::Text(language.persons_left_out()));
        }
    }

    fn gaps(&self, out: &mut Vec<Block>, gaps: &[Gap]) {
        if gaps.is_empty() {
            return;
        }
        let language = self.language;
        let name = |gap: &Gap| {
            let count = match gap.kind {
                GapKind::Seeds => ReportLanguage::gap_seeds,
                GapKind::Terms => ReportLanguage::gap_terms,
                GapKind::Gone => ReportLanguage::gap_gone,
                GapKind::Queue => ReportLanguage::gap_queue,
                GapKind::Hosts => ReportLanguage::gap_hosts,
                GapKind::Refused => ReportLanguage::gap_refused,
                GapKind::Cited => ReportLanguage::gap_cited,
                GapKind::Resources => ReportLanguage::gap_resources,
                GapKind::Languages => ReportLanguage::gap_languages,
                GapKind::Periods => ReportLanguage::gap_periods,
            };
            count(language, gap.count)
        };
        let row = |gap: &Gap| {
            let examples: Vec<&str> = gap.items.iter().take(EXAMPLES).map(|item| item.label.as_str()).collect();
            text_row([name(gap), examples.join(", ")])
        };
        out.push(Block::Heading(language.gaps_heading()));
        let head = vec![language.gap_head(), language.examples_head()];
        out.push(Block::Table { head, numbers: Vec::new(), rows: gaps.iter().map(row).collect() });
    }
}
