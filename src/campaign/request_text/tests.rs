#![allow(clippy::unwrap_used)]

use super::*;
use crate::campaign::{Request, Term, TermKind};
use proptest::prelude::*;

fn term(kind: TermKind, value: &str) -> Term {
    Term { kind, value: value.to_owned(), weight: 1.0, aliases: vec![], uri: None, from: None, to: None }
}

fn keyword(value: &str) -> Request {
    Request::Term(term(TermKind::Keyword, value))
}

/// The text gives the tree, and the tree gives `normal`.
#[track_caller]
fn check(text: &str, tree: Request, normal: &str) {
    let read: Request = text.parse().unwrap();
    assert_eq!(read, tree, "{text}");
    assert_eq!(read.to_string(), normal, "{text}");
    assert_eq!(normal.parse::<Request>().unwrap(), tree, "{normal}");
}

/// The text is its own normal form.
#[track_caller]
fn check_normal(text: &str) {
    assert_eq!(text.parse::<Request>().unwrap().to_string(), text);
}

#[track_caller]
fn check_error(text: &str, column: usize, expected: &str) {
    let error = text.parse::<Request>().unwrap_err();
    let shown = text.get(..80).unwrap_or(text);
    assert_eq!(error.column, column, "{shown}: {error}");
    assert!(error.expected.contains(expected), "{shown}: {error}");
}

#[test]
fn reads_a_whole_request() {
    let text = "ria AND (\"estaleiro naval\" OR person:\"Amélia Vaz\"|\"A. Vaz\"<https://www.wikidata.org/entity/Q1>^0.8) \
                AND NOT futebol AND lang:pt AND event:\"Festival da Ria 2024\"[2024-07-01..2024-07-07] \
                AND place:\"São Jacinto\" AND org:Porto AND period:[2024-01-01..2024-12-31]";
    check_normal(text);
    let Request::And(parts) = text.parse().unwrap() else { panic!("no AND") };
    assert_eq!(parts.len(), 8);
    let mut amelia = term(TermKind::Person, "Amélia Vaz");
    amelia.aliases = vec!["A. Vaz".into()];
    amelia.uri = Some("https://www.wikidata.org/entity/Q1".into());
    amelia.weight = 0.8;
    let naval = Request::Term(term(TermKind::Phrase, "estaleiro naval"));
    assert_eq!(parts[1], Request::Or(vec![naval, Request::Term(amelia)]));
    assert_eq!(parts[2], Request::Not(Box::new(keyword("futebol"))));
}

#[test]
fn neighbours_are_joined_by_and_which_binds_tighter_than_or() {
    let and = |a, b| Request::And(vec![keyword(a), keyword(b)]);
    check("", Request::And(vec![]), "");
    check("  ", Request::And(vec![]), "");
    check("a", keyword("a"), "a");
    check("a b", and("a", "b"), "a AND b");
    check("a b OR c", Request::Or(vec![and("a", "b"), keyword("c")]), "(a AND b) OR c");
    check("a OR b AND c", Request::Or(vec![keyword("a"), and("b", "c")]), "a OR (b AND c)");
    check("NOT a b", Request::And(vec![Request::Not(Box::new(keyword("a"))), keyword("b")]), "NOT a AND b");
    check("NOT (a b)", Request::Not(Box::new(and("a", "b"))), "NOT (a AND b)");
    check("a -b", Request::And(vec![keyword("a"), Request::Not(Box::new(keyword("b")))]), "a AND NOT b");
    check("a and b", Request::And(vec![keyword("a"), keyword("and"), keyword("b")]), "a AND and AND b");
    check("((a))", keyword("a"), "a");
    check("(a AND b) AND c", Request::And(vec![and("a", "b"), keyword("c")]), "(a AND b) AND c");
}

#[test]
fn groups_of_one_or_none_keep_their_shape() {
    check("ALL()", Request::And(vec![]), "");
    check("ANY()", Request::Or(vec![]), "ANY()");
    check("ALL(a)", Request::And(vec![keyword("a")]), "ALL(a)");
    check("ANY( a , b,c )", Request::Or(vec![keyword("a"), keyword("b"), keyword("c")]), "a OR b OR c");
    check("NOT ALL()", Request::Not(Box::new(Request::And(vec![]))), "NOT ALL()");
    let inner = Request::And(vec![keyword("a"), keyword("b")]);
    check("ALL(a AND b)", Request::And(vec![inner]), "ALL(a AND b)");
}

#[test]
fn suffixes_come_in_any_order() {
    let mut festival = term(TermKind::Event, "Festa");
    festival.from = Some("2024-07".into());
    festival.weight = -0.25;
    festival.aliases = vec!["Feira".into(), "a b".into()];
    check(
        "EVENT:Festa ^-0.25 [2024-07..] | Feira|\"a b\"",
        Request::Term(festival),
        "event:Festa|Feira|\"a b\"[2024-07..]^-0.25",
    );
    let mut year = term(TermKind::Period, "");
    year.from = Some("2024".into());
    year.to = Some("2024".into());
    check("period:[2024]", Request::Term(year), "period:[2024..2024]");
    check("“estaleiro naval”", Request::Term(term(TermKind::Phrase, "estaleiro naval")), "\"estaleiro naval\"");
    check("«a b»", Request::Term(term(TermKind::Phrase, "a b")), "\"a b\"");
    check("keyword:\"AND\"", keyword("AND"), "keyword:\"AND\"");
    check("keyword:\"-a\"", keyword("-a"), "keyword:\"-a\"");
    check(
        r#""say \"no\" \\ \u{2028}\n""#,
        Request::Term(term(TermKind::Phrase, "say \"no\" \\ \u{2028}\n")),
        r#""say \"no\" \\ \u{2028}\n""#,
    );
}

#[test]
fn errors_name_place_and_cause() {
    check_error("a AND", 6, "a word");
    check_error("(a", 3, "closing bracket");
    check_error("a)", 2, "no open bracket");
    check_error("()", 2, "ALL()");
    check_error("\"abc", 5, "closing quotation mark");
    check_error("é é foo:bar", 5, "person:");
    check_error("https://ria.example", 1, "in quotes");
    check_error("a^2", 3, "from -1 to 1");
    check_error("a^", 3, "from -1 to 1");
    check_error("a^0.5^0.5", 6, "second weight");
    check_error("event:x[yesterday]", 9, "a day such as");
    check_error("event:x[2024-02-30..]", 9, "a day such as");
    check_error("event:x[2024..2023]", 15, "not before 2024");
    check_error("event:x[..]", 11, "a first or a last day");
    check_error("event:x[2024", 13, "“..”");
    check_error("a AND OR b", 7, "keyword:\"OR\"");
    check_error("OR", 1, "a word");
    check_error("ALL b", 5, "“(” behind ALL");
    check_error("person:", 8, "right behind the colon");
    check_error("person: Ana", 8, "right behind the colon");
    check_error("\"a\"\"b\"", 4, "a blank");
    check_error(r#""\x""#, 3, "behind the backslash");
    check_error(&"(".repeat(100_000), 51, "50 deep");
    check_error(&"NOT ".repeat(100_000), 205, "50 deep");
    check_error("a, b", 2, "the end");
    check_error("festival NEAR/3 ria", 10, "only searches have NEAR");
    check_error("a NEAR b", 3, "keyword:\"NEAR\"");
    check_error("x OR *fest", 6, "letters before *");
    check_error("person:f*", 8, "at least two letters");
    check_error("a|~x", 3, "at least three letters");
    check_error("guarda-*", 1, "in one word of letters");
    check_normal("keyword:\"NEAR\" AND keyword:\"*fest\" AND fest*|~lisboa AND v?z AND NEARLY");
}

#[test]
fn what_is_no_valid_day_or_weight_still_shows() {
    let mut odd = term(TermKind::Event, "x");
    odd.from = Some("soon]".into());
    odd.weight = 3.0;
    assert_eq!(odd.to_string(), "event:x[\"soon]\"..]^3");
    check_error("event:x[\"soon]\"..]^3", 9, "a day such as");
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé]{1,8}",
        "\\PC{0,12}",
        ".{0,6}",
        "[-()\\[\\]<>^|,:\\\\\"“”«» \\n\\u{202e}]{0,6}",
        "[-~a*?é.]{1,6}",
        prop::sample::select(vec![
            "NEAR", "NEAR/3", "fest*", "~casa", "AND", "OR", "NOT", "ALL", "ANY", "-", "person:", "[2024]", ""
        ])
        .prop_map(str::to_owned),
    ]
}

fn any_kind() -> impl Strategy<Value = TermKind> {
    prop::sample::select(PREFIXES.map(|(_, kind)| kind).to_vec())
}

fn any_days() -> impl Strategy<Value = (Option<String>, Option<String>)> {
    let day = prop_oneof!["20[0-4][0-9]", "20[0-4][0-9]-0[1-9]", "20[0-4][0-9]-1[0-2]-[0-2][1-8]"];
    (prop::option::of(day.clone()), prop::option::of(day)).prop_map(|(from, to)| match (from, to) {
        (Some(a), Some(b)) if b < a && !a.starts_with(&b) => (Some(b), Some(a)),
        both => both,
    })
}

fn any_term() -> impl Strategy<Value = Term> {
    (
        any_kind(),
        any_text(),
        prop_oneof![Just(1.0), -1.0..=1.0f64, Just(-0.0), Just(0.1), Just(5e-324)],
        prop::collection::vec(any_text(), 0..3),
        prop::option::of(any_text()),
        any_days(),
    )
        .prop_map(|(kind, value, weight, aliases, uri, (from, to))| Term {
            kind,
            value,
            weight,
            aliases,
            uri,
            from,
            to,
        })
}

fn any_request() -> impl Strategy<Value = Request> {
    any_term().prop_map(Request::Term).prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Request::And),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Request::Or),
            inner.prop_map(|part| Request::Not(Box::new(part))),
        ]
    })
}

fn round_weights(request: &mut Request) {
    match request {
        Request::And(parts) | Request::Or(parts) => parts.iter_mut().for_each(round_weights),
        Request::Not(part) => round_weights(part),
        Request::Term(term) => term.weight = (term.weight * 1e6).round() / 1e6,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tree_comes_back(tree in any_request()) {
        let text = tree.to_string();
        prop_assert_eq!(text.lines().count() <= 1, true);
        let back: Request = text.parse().map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(&back, &tree, "{}", text);
        prop_assert_eq!(back.to_string(), text);
    }

    #[test]
    fn every_tree_goes_through_a_file(mut tree in any_request()) {
        // The JSON reader is exact to 15 digits, text to the last bit.
        round_weights(&mut tree);
        let campaign = crate::campaign::Campaign { request: tree, ..Default::default() };
        let back = crate::campaign::Campaign::from_json(&campaign.to_json()).unwrap();
        prop_assert_eq!(back, campaign);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[abAé ():\\[\\]^|<>\",0-9.ANDORTL-]{0,30}|.{0,30}") {
        if let Ok(tree) = text.parse::<Request>() {
            let normal = tree.to_string();
            prop_assert_eq!(normal.parse::<Request>().unwrap(), tree);
        }
    }
}
