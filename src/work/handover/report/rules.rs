//! The rules of a crawl in words: what each accepts or refuses.

use super::tables::messages;
use crate::campaign::{Campaign, ReportLanguage};
use crate::scope::Decision;
use crate::scope::rules::{Rule, RuleKind};
use crate::uri::ScopePrefix;
use serde_json::Value;

/// Entries of a list that are named; further ones are counted.
const MOST_ENTRIES: usize = 8;

messages! {
    all() { en "everything" pt "tudo" es "todo" fr "tout" de "alles" }
    within_seeds() {
        en "what is within the scope of the seeds above" pt "o que está no âmbito das sementes acima"
        es "lo que está dentro del ámbito de las semillas de arriba" fr "ce qui est dans le périmètre des URL de départ ci-dessus"
        de "was im Umfang der Startadressen oben liegt"
    }
    below(list) {
        en "addresses that begin with {list}" pt "endereços que começam por {list}" es "direcciones que empiezan por {list}"
        fr "adresses qui commencent par {list}" de "Adressen, die mit {list} beginnen"
    }
    or_linked_from_there(what) {
        en "{what}, and what their pages link to" pt "{what}, e aquilo para que as suas páginas têm ligações"
        es "{what}, y lo que enlazan sus páginas" fr "{what}, et ce vers quoi leurs pages renvoient"
        de "{what}, und was ihre Seiten verlinken"
    }
    matching_any(list) {
        en "addresses that match the pattern {list}" pt "endereços que correspondem ao padrão {list}"
        es "direcciones que coinciden con el patrón {list}" fr "adresses qui correspondent au motif {list}"
        de "Adressen, auf die das Muster {list} passt"
    }
    matching_all(list) {
        en "addresses that match all of the patterns {list}" pt "endereços que correspondem a todos os padrões {list}"
        es "direcciones que coinciden con todos los patrones {list}" fr "adresses qui correspondent à tous les motifs {list}"
        de "Adressen, auf die alle Muster passen: {list}"
    }
    on_hosts(list) {
        en "the hosts {list}" pt "os sítios {list}" es "los sitios {list}" fr "les sites {list}" de "die Websites {list}"
    }
    on_domains(list) {
        en "the domains {list} with their subdomains" pt "os domínios {list} com os seus subdomínios"
        es "los dominios {list} con sus subdominios" fr "les domaines {list} avec leurs sous-domaines"
        de "die Domains {list} mit ihren Subdomains"
    }
    farther_than(limit) {
        en "what is more than {limit} steps away from its seed" pt "o que está a mais de {limit} passos da sua semente"
        es "lo que está a más de {limit} pasos de su semilla" fr "ce qui est à plus de {limit} pas de son URL de départ"
        de "was mehr als {limit} Schritte von seiner Startadresse entfernt ist"
    }
    deeper_than(limit) {
        en "addresses with more than {limit} folders in their path" pt "endereços com mais de {limit} pastas no caminho"
        es "direcciones con más de {limit} carpetas en la ruta" fr "adresses de plus de {limit} dossiers de profondeur"
        de "Adressen mit mehr als {limit} Ordnern im Pfad"
    }
    repeating(times) {
        en "addresses in which the same folder stands {times} times in a row" pt "endereços em que a mesma pasta se repete {times} vezes seguidas"
        es "direcciones en las que la misma carpeta se repite {times} veces seguidas" fr "adresses où le même dossier se répète {times} fois de suite"
        de "Adressen, in denen derselbe Ordner {times}-mal hintereinander steht"
    }
    needed_by_pages(limit) {
        en "images, styles and other things that an accepted page needs to be shown, also from other hosts, up to {limit} steps from it"
        pt "imagens, estilos e o mais de que uma página aceite precisa para ser mostrada, também de outros sítios, até {limit} passos dela"
        es "imágenes, estilos y lo demás que una página aceptada necesita para mostrarse, también de otros sitios, hasta {limit} pasos de ella"
        fr "images, styles et tout ce qu’il faut pour afficher une page acceptée, même venant d’autres sites, jusqu’à {limit} pas d’elle"
        de "Bilder, Stile und anderes, was eine aufgenommene Seite zur Anzeige braucht, auch von anderen Websites, bis {limit} Schritte von ihr"
    }
    other_schemes(list) {
        en "addresses that do not begin with {list}" pt "endereços que não começam por {list}" es "direcciones que no empiezan por {list}"
        fr "adresses qui ne commencent pas par {list}" de "Adressen, die nicht mit {list} beginnen"
    }
    more_parameters(limit) {
        en "addresses with more than {limit} parameters" pt "endereços com mais de {limit} parâmetros" es "direcciones con más de {limit} parámetros"
        fr "adresses de plus de {limit} paramètres" de "Adressen mit mehr als {limit} Parametern"
    }
    path_matches(pattern) {
        en "what is reached from its seed by steps like {pattern}" pt "o que se alcança a partir da semente por passos como {pattern}"
        es "lo que se alcanza desde su semilla por pasos como {pattern}" fr "ce qui est atteint depuis l’URL de départ par des pas comme {pattern}"
        de "was von der Startadresse durch Schritte wie {pattern} erreicht wird"
    }
    seeds_tagged(list) {
        en "what comes from seeds with the tag {list}" pt "o que vem de sementes com a etiqueta {list}" es "lo que viene de semillas con la etiqueta {list}"
        fr "ce qui vient d’URL de départ avec l’étiquette {list}" de "was von Startadressen mit der Marke {list} kommt"
    }
    without_tag() { en "(no tag)" pt "(sem etiqueta)" es "(sin etiqueta)" fr "(sans étiquette)" de "(ohne Marke)" }
    marked_nofollow() {
        en "links that their page asks not to follow (nofollow)" pt "ligações que a sua página pede para não seguir (nofollow)"
        es "enlaces que su página pide no seguir (nofollow)" fr "liens que leur page demande de ne pas suivre (nofollow)"
        de "Links, denen laut ihrer Seite nicht gefolgt werden soll (nofollow)"
    }
    denied_by_robots() {
        en "what a site does not allow in its robots.txt" pt "o que um sítio não permite no seu robots.txt"
        es "lo que un sitio no permite en su robots.txt" fr "ce qu’un site n’autorise pas dans son robots.txt"
        de "was eine Website in ihrer robots.txt nicht erlaubt"
    }
    servers_in(list) {
        en "hosts whose server is in {list}" pt "sítios cujo servidor está em: {list}" es "sitios cuyo servidor está en: {list}"
        fr "sites dont le serveur se trouve dans ce pays : {list}" de "Websites, deren Server in diesem Land steht: {list}"
    }
    under_domains(list) {
        en "hosts under the top-level domain {list}" pt "sítios sob o domínio de topo {list}" es "sitios bajo el dominio de nivel superior {list}"
        fr "sites sous le domaine de premier niveau {list}" de "Websites unter der Top-Level-Domain {list}"
    }
    found_as(list) {
        en "what was found as {list}" pt "o que foi encontrado como {list}" es "lo que se encontró como {list}"
        fr "ce qui a été trouvé comme {list}" de "was so gefunden wurde: {list}"
    }
    hop_link() { en "link" pt "ligação" es "enlace" fr "lien" de "Link" }
    hop_embed() { en "embedded resource" pt "recurso incorporado" es "recurso incrustado" fr "ressource intégrée" de "eingebettete Ressource" }
    hop_redirect() { en "redirect" pt "redirecionamento" es "redirección" fr "redirection" de "Weiterleitung" }
    hop_prerequisite() { en "prerequisite" pt "pré-requisito" es "requisito previo" fr "prérequis" de "Voraussetzung" }
    hop_guess() { en "guess out of a script" pt "suposição a partir de um script" es "suposición a partir de un script" fr "supposition tirée d’un script" de "Vermutung aus einem Skript" }
    hop_inferred() { en "inferred address" pt "endereço deduzido" es "dirección deducida" fr "adresse déduite" de "erschlossene Adresse" }
    hop_sitemap() { en "entry of a sitemap" pt "entrada de um mapa do sítio" es "entrada de un mapa del sitio" fr "entrée d’un plan de site" de "Eintrag einer Sitemap" }
    hop_form() { en "form" pt "formulário" es "formulario" fr "formulaire" de "Formular" }
    permission_is(list) {
        en "addresses whose permission is: {list}" pt "endereços cuja autorização está: {list}" es "direcciones cuya autorización está: {list}"
        fr "adresses dont l’autorisation est : {list}" de "Adressen, deren Genehmigung so steht: {list}"
    }
    without_record() { en "without a record" pt "sem registo" es "sin registro" fr "sans fiche" de "ohne Eintrag" }
    outside_time(list) {
        en "what is not decided in this time: {list}" pt "o que não é decidido neste período: {list}" es "lo que no se decide en este tiempo: {list}"
        fr "ce qui n’est pas décidé durant cette période : {list}" de "was nicht in dieser Zeit entschieden wird: {list}"
    }
    begins_on(day) { en "from {day}" pt "a partir de {day}" es "desde el {day}" fr "à partir du {day}" de "ab {day}" }
    until_day(day) { en "until {day}" pt "até {day}" es "hasta el {day}" fr "jusqu’au {day}" de "bis {day}" }
    hours(first, end) {
        en "{first}:00 to {end}:00 UTC" pt "das {first}h00 às {end}h00 UTC" es "de {first}:00 a {end}:00 UTC" fr "de {first} h à {end} h UTC"
        de "{first}:00 bis {end}:00 UTC"
    }
    marked_as(list) {
        en "addresses whose earlier captures are {list}" pt "endereços cujas capturas anteriores estão {list}"
        es "direcciones cuyas capturas anteriores están {list}" fr "adresses dont les captures antérieures sont {list}"
        de "Adressen, deren frühere Aufnahmen so stehen: {list}"
    }
    noted_with(list) {
        en "addresses whose captures have a note with {list}" pt "endereços cujas capturas têm uma nota com {list}"
        es "direcciones cuyas capturas tienen una nota con {list}" fr "adresses dont les captures ont une note avec {list}"
        de "Adressen, deren Aufnahmen eine Notiz mit {list} haben"
    }
    larger_than(size) { en "content larger than {size}" pt "conteúdo maior do que {size}" es "contenido de más de {size}" fr "contenu de plus de {size}" de "Inhalte über {size}" }
    smaller_than(size) { en "content smaller than {size}" pt "conteúdo menor do que {size}" es "contenido de menos de {size}" fr "contenu de moins de {size}" de "Inhalte unter {size}" }
    of_types(list) { en "content of the type {list}" pt "conteúdo do tipo {list}" es "contenido del tipo {list}" fr "contenu du type {list}" de "Inhalte des Typs {list}" }
    unreadable_rule(why) {
        en "cannot be read: {why}" pt "não é possível ler esta regra: {why}" es "no se puede leer: {why}" fr "ne peut pas être lue : {why}"
        de "ist nicht lesbar: {why}"
    }
}

/// A rule as the report lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedRule {
    /// Its place in the campaign, from 1, as people count.
    pub number: usize,
    /// Whether it accepts; none where it cannot be read.
    pub accepts: Option<bool>,
    /// The URLs that it accepts or refuses.
    pub about: String,
    /// Why it is there, in the words of whoever made it.
    pub note: String,
}

/// The rules of a campaign that do something, and how many do nothing.
pub(super) fn listed_rules(campaign: &Campaign, language: ReportLanguage) -> (Vec<ListedRule>, u64) {
    let mut listed = Vec::new();
    let mut idle = 0;
    for (number, saved) in (1..).zip(&campaign.rules) {
        let rule = match Rule::read(saved) {
            Ok(rule) => rule,
            Err(error) => {
                let about = language.unreadable_rule(&error.to_string());
                listed.push(ListedRule { number, accepts: None, about, note: note_of(saved) });
                continue;
            }
        };
        match language.meaning(&rule.kind).filter(|_| rule.enabled) {
            Some((decision, about)) => {
                let accepts = Some(decision == Decision::Accept);
                listed.push(ListedRule { number, accepts, about, note: rule.comment });
            }
            None => idle += 1,
        }
    }
    (listed, idle)
}

/// A pattern as people write one, `*` for anything: `*.(gif|jpg)` for `.*\.(?:gif|jpg)$`. Anything
/// beyond that stays the regular expression that it is.
fn with_stars(pattern: &str) -> String {
    let inner = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let inner = inner.strip_prefix('^').unwrap_or(inner);
    let mut rest = inner.strip_suffix('$').filter(|inner| !inner.ends_with('\\')).unwrap_or(inner);
    let (mut out, mut groups) = (String::new(), 0_u32);
    if let Some(behind) = rest.strip_prefix("https?://") {
        out.push_str("*://");
        rest = behind;
    }
    while let Some(next) = rest.chars().next() {
        if let Some(behind) = [".*", ".+", "[^/]*", "[^/]+"].iter().find_map(|any| rest.strip_prefix(any)) {
            if !out.ends_with('*') {
                out.push('*');
            }
            // `.*?` takes as little as it can, which matches the same URLs.
            rest = behind.strip_prefix('?').unwrap_or(behind);
            continue;
        }
        let literal = match next {
            '\\' => rest.chars().nth(1).filter(char::is_ascii_punctuation),
            '(' => {
                groups += 1;
                rest = rest.strip_prefix("(?:").map_or(rest, |_| &rest[2..]);
                (!rest.starts_with("(?")).then_some('(')
            }
            ')' if groups > 0 => {
                groups -= 1;
                Some(')')
            }
            '|' if groups > 0 => Some('|'),
            '.' | '[' | ']' | ')' | '{' | '}' | '|' | '^' | '$' | '*' | '+' | '?' => None,
            _ => Some(next),
        };
        let Some(literal) = literal else { return pattern.to_owned() };
        let length = if next == '\\' { 2 } else { next.len_utf8() };
        rest = &rest[length..];
        // What is optional or repeats is more than a star means.
        if rest.starts_with(['?', '*', '+', '{']) {
            return pattern.to_owned();
        }
        out.push(literal);
    }
    out
}

fn note_of(saved: &Value) -> String {
    saved["comment"].as_str().unwrap_or_default().to_owned()
}

impl ReportLanguage {
    /// The decision of a rule, and its subject; none where it has nothing to test.
    fn meaning(self, kind: &RuleKind) -> Option<(Decision, String)> {
        let reject = |about: String| Some((Decision::Reject, about));
        match kind {
            RuleKind::RejectAll(_) => reject(self.all()),
            RuleKind::AcceptAll(_) => Some((Decision::Accept, self.all())),
            RuleKind::SeedScope(_) => Some((Decision::Accept, self.within_seeds())),
            RuleKind::SurtPrefix(rule) => {
                let prefixes: Vec<String> = rule.prefixes.iter().map(|prefix| prefix_as_address(prefix)).collect();
                let below = self.below(&self.entries(&prefixes)?);
                Some((rule.decision, if rule.also_check_via { self.or_linked_from_there(&below) } else { below }))
            }
            RuleKind::Regex(rule) => {
                let list =
                    self.entries(&rule.patterns.iter().map(|pattern| with_stars(pattern)).collect::<Vec<_>>())?;
                Some((rule.decision, if rule.any { self.matching_any(&list) } else { self.matching_all(&list) }))
            }
            RuleKind::HostList(rule) => {
                let list = self.entries(&rule.hosts)?;
                Some((rule.decision, if rule.subdomains { self.on_domains(&list) } else { self.on_hosts(&list) }))
            }
            RuleKind::TooManyHops(rule) => reject(self.farther_than(&self.number(rule.max_hops as u64))),
            RuleKind::TooManyPathSegments(rule) => reject(self.deeper_than(&self.number(rule.max_segments as u64))),
            RuleKind::PathologicalPath(rule) if rule.max_repetitions == 0 => None,
            RuleKind::PathologicalPath(rule) => reject(self.repeating(&self.number(rule.max_repetitions as u64 + 1))),
            RuleKind::Transclusion(rule) => {
                Some((Decision::Accept, self.needed_by_pages(&self.number(rule.max_trans_hops as u64))))
            }
            RuleKind::SchemeNotInSet(rule) => reject(self.other_schemes(&self.any_of(&rule.schemes))),
            RuleKind::QueryParameters(rule) => reject(self.more_parameters(&self.number(rule.max_parameters as u64))),
            RuleKind::HopPath(rule) => Some((rule.decision, self.path_matches(&rule.pattern))),
            RuleKind::SourceTag(rule) => {
                let tag = |tag: &String| if tag.is_empty() { self.without_tag() } else { tag.clone() };
                let tags: Vec<String> = rule.tags.iter().map(tag).collect();
                Some((rule.decision, self.seeds_tagged(&self.entries(&tags)?)))
            }
            RuleKind::Nofollow(_) => reject(self.marked_nofollow()),
            RuleKind::Robots(_) => reject(self.denied_by_robots()),
            RuleKind::Geolocation(rule) => {
                let names: Vec<String> = rule.countries.iter().map(|code| self.name_of(code)).collect();
                Some((rule.decision, self.servers_in(&self.entries(&names)?)))
            }
            RuleKind::TopLevelDomain(rule) => Some((rule.decision, self.under_domains(&self.entries(&rule.domains)?))),
            RuleKind::HopType(rule) => {
                let kinds: Vec<String> = rule.hops.chars().filter_map(|letter| self.hop(letter)).collect();
                Some((rule.decision, self.found_as(&self.entries(&kinds)?)))
            }
            RuleKind::Permission(rule) => {
                let mut states: Vec<String> = rule.states.iter().map(|state| self.permission_state(*state)).collect();
                states.extend(rule.uncovered.then(|| self.without_record()));
                Some((rule.decision, self.permission_is(&self.entries(&states)?)))
            }
            RuleKind::ScheduleWindow(rule) => {
                let [first, end] = rule.hours;
                let mut parts = Vec::new();
                parts.extend((!rule.from.trim().is_empty()).then(|| self.begins_on(&self.day(&rule.from))));
                parts.extend((!rule.until.trim().is_empty()).then(|| self.until_day(&self.day(&rule.until))));
                parts.extend(rule.days.iter().map(|day| self.weekday(day)));
                parts.extend((first != end).then(|| self.hours(&first.to_string(), &end.to_string())));
                (!parts.is_empty()).then(|| (rule.decision, self.outside_time(&parts.join(", "))))
            }
            RuleKind::Annotation(rule) => {
                let mark = |mark: &String| match mark.as_str() {
                    "approve" => self.approved().to_lowercase(),
                    "reject" => self.rejected().to_lowercase(),
                    "flag" => self.flagged().to_lowercase(),
                    "later" => self.after_new_crawl().to_lowercase(),
                    other => other.to_owned(),
                };
                let marks: Vec<String> = rule.marks.iter().map(mark).collect();
                let notes: Vec<String> = rule.notes.iter().map(|note| self.quoted(note)).collect();
                let parts = [
                    self.entries(&marks).map(|list| self.marked_as(&list)),
                    self.entries(&notes).map(|list| self.noted_with(&list)),
                ];
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                (!parts.is_empty()).then(|| (rule.decision, self.any_of(&parts)))
            }
            RuleKind::ContentSize(rule) => {
                let sizes = [
                    (rule.min_bytes > 0).then(|| self.smaller_than(&self.bytes(rule.min_bytes))),
                    (rule.max_bytes > 0).then(|| self.larger_than(&self.bytes(rule.max_bytes))),
                ];
                let sizes: Vec<String> = sizes.into_iter().flatten().collect();
                if sizes.is_empty() { None } else { reject(self.any_of(&sizes)) }
            }
            RuleKind::ContentType(rule) => Some((rule.decision, self.of_types(&self.entries(&rule.types)?))),
        }
    }

    /// `a, b or c`, with a count of those that are not named; none where there is none.
    fn entries(self, entries: &[String]) -> Option<String> {
        let rest = entries.len().saturating_sub(MOST_ENTRIES);
        match entries {
            [] => None,
            _ if rest == 0 => Some(self.any_of(entries)),
            _ => Some(format!("{} {}", entries.get(..MOST_ENTRIES)?.join(", "), self.more_rows(rest as u64))),
        }
    }

    /// The kind of a hop by Heritrix's letter.
    fn hop(self, letter: char) -> Option<String> {
        Some(match letter {
            'L' => self.hop_link(),
            'E' => self.hop_embed(),
            'R' => self.hop_redirect(),
            'P' => self.hop_prerequisite(),
            'X' => self.hop_guess(),
            'I' => self.hop_inferred(),
            'M' => self.hop_sitemap(),
            'S' => self.hop_form(),
            _ => return None,
        })
    }

    /// A day of the week by the name that rules have (`mon`); other texts stay.
    fn weekday(self, day: &str) -> String {
        const DAYS: [(&str, [&str; 5]); 7] = [
            ("mon", ["Monday", "segunda-feira", "lunes", "lundi", "Montag"]),
            ("tue", ["Tuesday", "terça-feira", "martes", "mardi", "Dienstag"]),
            ("wed", ["Wednesday", "quarta-feira", "miércoles", "mercredi", "Mittwoch"]),
            ("thu", ["Thursday", "quinta-feira", "jueves", "jeudi", "Donnerstag"]),
            ("fri", ["Friday", "sexta-feira", "viernes", "vendredi", "Freitag"]),
            ("sat", ["Saturday", "sábado", "sábado", "samedi", "Samstag"]),
            ("sun", ["Sunday", "domingo", "domingo", "dimanche", "Sonntag"]),
        ];
        let known = DAYS.iter().find(|(short, _)| day.trim().to_lowercase().starts_with(short));
        known.map_or_else(|| day.to_owned(), |(_, names)| names[self.position()].to_owned())
    }
}

/// A SURT prefix as people write addresses: `http://(pt,fct,)/sobre/` is
/// `fct.pt/sobre/`, and `http://(pt,fct,`, which opens subdomains, `*.fct.pt`.
pub(super) fn prefix_as_address(text: &str) -> String {
    let Some(prefix) = ScopePrefix::parse(text) else { return text.to_owned() };
    let Some((_, rest)) = prefix.as_str().split_once("://(") else { return text.to_owned() };
    let (labels, path) = match rest.split_once(')') {
        Some((labels, path)) => (labels, Some(path)),
        None => (rest, None),
    };
    let host = match labels.split_once(':') {
        // An address of IPv6 has colons, and is written as it is.
        _ if labels.starts_with('[') => labels.trim_end_matches(',').to_owned(),
        Some((labels, port)) => format!("{}:{}", turned(labels), port.trim_end_matches(',')),
        None => turned(labels),
    };
    match path {
        Some(path) => format!("{host}{path}"),
        None => format!("*.{host}"),
    }
}

/// `pt,fct,` as `fct.pt`; an address of IPv4 stays.
fn turned(labels: &str) -> String {
    let mut labels: Vec<&str> = labels.split(',').filter(|label| !label.is_empty()).collect();
    labels.reverse();
    labels.join(".")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::scope::rule_templates;
    use serde_json::json;

    #[test]
    fn prefixes_are_written_as_addresses() {
        for (prefix, expected) in [
            ("http://(pt,fct,)/sobre/", "fct.pt/sobre/"),
            ("http://(pt,fct,", "*.fct.pt"),
            ("+http://www.fct.pt/a/b", "fct.pt/a/"),
            ("(pt,", "*.pt"),
            ("http://(pt,fct,:8080)/", "fct.pt:8080/"),
            ("http://(127.0.0.1:29000)/", "127.0.0.1:29000/"),
            ("no prefix <b>", "no prefix <b>"),
        ] {
            assert_eq!(prefix_as_address(prefix).replace("www.", ""), expected, "{prefix}");
        }
    }

    #[test]
    fn patterns_that_stars_can_express_are_written_with_stars() {
        for (pattern, expected) in [
            (r".*\.(?:gif|jpe?g)$", r".*\.(?:gif|jpe?g)$"),
            (r".*\.(?:gif|jpg)$", "*.(gif|jpg)"),
            (r"^https?://[^/]+/calendar\?month=.*$", "*://*/calendar?month=*"),
            (r".*replytocom=.*", "*replytocom=*"),
            (r"http://a\.example/.*?/\d+", r"http://a\.example/.*?/\d+"),
            (r"http://a.example/", r"http://a.example/"),
            (r"a|b", "a|b"),
            (r"(", "("),
            (r"preço\$", r"preço$"),
        ] {
            assert_eq!(with_stars(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn every_rule_that_can_be_added_is_described_in_each_language() {
        let filled = json!({
            "prefixes": ["http://(pt,fct,)/"], "patterns": [".*/a"], "hosts": ["fct.pt"], "countries": ["PT"], "domains": ["pt"],
            "types": ["text/*"], "tags": [""], "marks": ["reject"], "hops": "LERPXIMS", "states": ["granted"], "max_bytes": 10,
            "from": "2026-01-01", "days": ["mon"], "hours": [8, 18], "pattern": "L*",
        });
        for (label, template) in rule_templates() {
            let mut rule = template.clone();
            for (name, value) in filled.as_object().unwrap() {
                if template.get(name).is_some() {
                    rule[name] = value.clone();
                }
            }
            rule["enabled"] = true.into();
            let campaign = Campaign { rules: vec![rule], ..Campaign::default() };
            let texts = ReportLanguage::ALL.map(|(language, ..)| {
                let (listed, idle) = listed_rules(&campaign, language);
                assert_eq!((listed.len(), idle), (1, 0), "{label}");
                assert!(!listed[0].about.contains('{') && !listed[0].about.is_empty(), "{:?}", listed[0]);
                listed[0].about.clone()
            });
            assert!(texts[1..].iter().all(|text| *text != texts[0]), "{label}: {texts:?}");
        }
        // What does nothing is counted.
        let nothing = [
            json!({"rule": "regex", "patterns": [], "decision": "REJECT"}),
            json!({"rule": "robots", "enabled": false}),
        ];
        let campaign = Campaign { rules: nothing.to_vec(), ..Campaign::default() };
        assert_eq!(listed_rules(&campaign, ReportLanguage::En), (Vec::new(), 2));
    }
}
