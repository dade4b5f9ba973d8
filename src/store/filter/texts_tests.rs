//! Words of URLs and titles, any number of them, mean together what each of them means.

use super::super::tests::{rows, titled};
use super::super::{CAPTURES, Filter, FilterContext};
use crate::analysis::{SearchDocument, query_holds};
use crate::query::parse_fields;
use proptest::prelude::*;
use std::collections::BTreeSet;

const PAGES: [(&str, &str); 6] = [
    ("http://a.pt/0?id=1", "Casas da Ria"),
    ("http://www.a.pt/Ci%C3%AAncia/2024", "Ria Formosa, ría formosa"),
    ("http://pt.example/2/casa_velha", "A formosa e bela ria"),
    ("http://b.gov.pt/3*a", "東京タワー Straße"),
    ("http://b.gov.pt/caza-nova", "x"),
    ("http://b.gov.pt/%FF", "casas e mais casas de Lisboa"),
];

fn term() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "ria",
        "RÍA",
        "casa",
        "cas*",
        "c?sa",
        "~caza",
        "formosa",
        "\"ria formosa\"",
        "\"formosa ria\"~2",
        "ciência",
        "ciencia",
        "2024",
        "*",
        "\"*\"",
        "asa",
        "\"casas da\"",
        "formosa NEAR/2 ria",
        "strasse",
        "東京",
        "id=1",
        "\"casas casas\"~3",
        "lisb*",
        "\"\"",
    ]);
    (text, prop::sample::select(vec!["title:", "url:"]), any::<bool>())
        .prop_map(|(text, field, not)| format!("{}{field}{text}", if not { "-" } else { "" }))
}

fn line() -> impl Strategy<Value = String> {
    term().prop_recursive(3, 12, 4, |inner| {
        (prop::collection::vec(inner, 1..4), any::<bool>(), any::<bool>()).prop_map(|(parts, all, not)| {
            format!("{}({})", if not { "NOT " } else { "" }, parts.join(if all { " AND " } else { " OR " }))
        })
    })
}

#[test]
fn patterns_compiled_together_match_as_each_by_itself() {
    let made = titled(&PAGES.map(|(url, title)| (url, 1, title)));
    let documents = PAGES.map(|(url, title)| SearchDocument::of_json(&serde_json::json!({"url": url, "title": title})));
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(&line(), |line| {
            let Ok(query) = parse_fields(&line) else { return Ok(()) };
            if Filter::of(&CAPTURES, &query, FilterContext::default()).is_err() {
                return Ok(());
            }
            let holding = PAGES.iter().zip(&documents).filter(|(_, document)| query_holds(&query, document));
            let expected: BTreeSet<String> =
                holding.map(|((url, _), _)| url.trim_start_matches("http://").to_owned()).collect();
            prop_assert_eq!(rows(&made, &line), expected, "{}", line);
            Ok(())
        })
        .unwrap();
}

#[test]
fn hundreds_of_terms_are_one_question_to_a_row() {
    let words = |joint: &str| (0..190).map(|nth| format!("word{nth}")).collect::<Vec<_>>().join(joint);
    let patterns: Vec<String> = (0..190).map(|nth| format!("pre{nth}*")).collect();
    for (line, questions) in [
        (words(" OR "), 1),
        (words(" "), 1),
        (format!("status:200 {} -(a OR \"b c\"~3)", words(" ")), 1),
        (format!("host:a.pt ({} OR status:404 OR {})", words(" OR "), patterns.join(" OR ")), 1),
        (format!("({} OR status:404) NOT ({} status:200)", words(" OR "), patterns.join(" ")), 2),
    ] {
        let filter = Filter::parse(&CAPTURES, &line, FilterContext::default()).unwrap();
        assert_eq!(filter.sql.matches("texts_meet").count(), questions, "{}", &filter.sql);
        let [begin, end] = [&line[..20], &line[line.len() - 20..]];
        assert_eq!(filter.sql.matches('?').count(), filter.values.len(), "{begin} … {end}");
    }
    let made = titled(&PAGES.map(|(url, title)| (url, 1, title)));
    assert_eq!(rows(&made, &format!("{} OR lisboa", words(" OR "))).len(), 1);
    assert_eq!(rows(&made, &format!("status:404 OR {} OR lis*", patterns.join(" OR "))).len(), 1);
    // A long text is looked for, too.
    assert_eq!(rows(&made, &format!("\"{}\" OR casa_velha", "casas e ".repeat(45))).len(), 1);
}
