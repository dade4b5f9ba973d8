//! A term of a request as a query that finds the pages holding it.

use crate::campaign::{Term, TermKind, parse_fields, quoted_value};
use crate::text::fold;

/// The query that finds what holds a term of a request, its aliases too, by
/// the forms that are written there; none where it has nothing to look for.
///
/// A request asks for no other forms of a word, so that neither does the query.
pub fn term_query(term: &Term) -> Option<String> {
    let names = std::iter::once(&term.value).chain(&term.aliases).filter(|name| !name.trim().is_empty());
    let parts: Vec<String> = match term.kind {
        TermKind::Period => {
            let end = |day: &Option<String>| day.clone().unwrap_or_default();
            let (from, to) = (end(&term.from), end(&term.to));
            if from.is_empty() && to.is_empty() { Vec::new() } else { vec![format!("date:{from}..{to}")] }
        }
        TermKind::Language => names.map(|name| format!("lang={}", quoted_value(name.trim()))).collect(),
        _ => names.filter(|name| !fold(name).trim().is_empty()).map(|name| exact(name.trim())).collect(),
    };
    let query = match parts.as_slice() {
        [] => return None,
        [only] => only.clone(),
        several => format!("({})", several.join(" OR ")),
    };
    parse_fields(&query).is_ok().then_some(query)
}

/// A name in the form in which it is written.
fn exact(name: &str) -> String {
    match name.chars().all(char::is_alphanumeric) {
        true => format!("={name}"),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::term_query;
    use crate::analysis::Matcher;

    #[track_caller]
    fn check(request: &str, expected: &[&str]) {
        let matcher = Matcher::compile(&request.parse().unwrap_or_default());
        let queries: Vec<String> = matcher.terms().iter().filter_map(term_query).collect();
        assert_eq!(queries, expected, "{request}");
    }

    #[test]
    fn terms_are_written_as_queries() {
        check("ria AND \"estaleiro naval\"", &["=ria", "\"estaleiro naval\""]);
        check("person:\"Amélia Vaz\"|\"A. Vaz\"|Vaz^0.8", &["(\"Amélia Vaz\" OR \"A. Vaz\" OR =Vaz)"]);
        check("keyword:guarda-chuva keyword:\"OR\"", &["\"guarda-chuva\"", "=OR"]);
        check("lang:pt period:[2024-01..2024-03-02]", &["lang=pt", "date:2024-01..2024-03-02"]);
        check("keyword:\"++\" period:[2024..]", &["date:2024.."]);
    }
}
