use super::*;
use crate::query::{FieldTerm, Query, parse_fields};
use proptest::prelude::*;

fn test_of(line: &str) -> TextTest {
    let Query::Term(FieldTerm { test, .. }) = parse_fields(line).unwrap() else { panic!("{line}") };
    test
}

/// Finds with a test in a text, as the text spells them.
fn found(line: &str, text: &str) -> Vec<String> {
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    let tokens = text_tokens(text);
    let stems: Vec<String> = tokens.iter().map(|token| stem(&token.text)).collect();
    let spans = TextMatcher::new(&test_of(line), &stem).spans(&tokens, &stems);
    spans.iter().map(|span| text[tokens[span.start].range.start..tokens[span.end - 1].range.end].to_owned()).collect()
}

#[track_caller]
fn check(line: &str, text: &str, expected: &[&str]) {
    assert_eq!(found(line, text), expected, "{line} in {text}");
}

#[test]
fn every_form_is_found() {
    check("casa", "As CASAS da casa, casaco", &["CASAS", "casa"]);
    check("=casa", "As CASAS da casa", &["casa"]);
    check("\"casa\"", "As CASAS da casa", &["casa"]);
    check("acao", "a Ação do a\u{301}c\u{327}a\u{303}o", &["Ação", "a\u{301}c\u{327}a\u{303}o"]);
    check("strasse", "die Straße", &["Straße"]);
    check("ex-ministro", "O ex ministro e o ex-ministros", &["ex ministro"]);
    check("東京都", "x 東京都庁", &["東京都"]);
    check("\"½\"", "a ½ b", &["½"]);
    check("++", "a ++ b", &[]);
}

/// What Lucene's analyzers of these languages find, and the mark is no longer than what was looked for.
#[test]
fn parts_of_scripts_without_blanks_are_found() {
    let japanese = "2011年3月11日に地震がありました。ガス";
    for part in ["2011", "2011年", "3月11日", "2011年3月11日", "年", "地震", "地", "た", "ガ", "\"2011年 3月\"", "震*"]
    {
        let shown = part.trim_matches(['"', '*']).replace(' ', "");
        check(part, japanese, &[&shown]);
    }
    for other in ["2011311", "年月", "カ", "地が", "1", "201"] {
        check(other, japanese, &[]);
    }
    let korean = "대한민국 서울에서 2024년에 Galaxy폰을 출시했다.";
    for part in ["서울", "민국", "2024년", "galaxy", "Galaxy폰", "서울*", "년", "\"서울에서 2024\""] {
        let found = found(part, korean);
        assert_eq!(found.len(), 1, "{part}");
        assert_eq!(found[0].to_lowercase(), part.trim_matches(['"', '*']).to_lowercase());
    }
    check("설", korean, &[]);
    check("水", "发布了供水公告，节约用水。", &["水", "水"]);
    check("=水", "用水。", &["水"]);
    check("~水水水", "用水水水。", &["水水水"]);
    check("水 NEAR/1 告", "供水公告", &["水", "告"]);
    check("水 NEAR/0 告", "供水公告", &[]);
    check("\"供水\" NEAR/0 公告", "供水公告", &["供水", "公告"]);
    check("ไทย", "ภาษาไทย๒๕๖๗", &["ไทย"]);
    check("2567", "ภาษาไทย๒๕๖๗", &["๒๕๖๗"]);
    check("1402", "سال ۱۴۰۲ منتشر", &["۱۴۰۲"]);
    check("hawai'i", "Hawaiʻi County", &["Hawaiʻi"]);
    check("\"בית ספר\"", "בית־ספר", &["בית־ספר"]);
    check("ביתספר", "בית־ספר", &[]);
    check("=__name__", "a name, __name__ or names", &["name", "name"]);
}

#[test]
fn patterns_and_edits() {
    check("cas*", "casa caso acaso CÁS ca", &["casa", "caso", "CÁS"]);
    check("c*o", "casa caso carro co", &["caso", "carro", "co"]);
    check("c?sa", "casa cesa cessa", &["casa", "cesa"]);
    check("~casa", "casa cas casal caso acsa csaa cosi sa", &["casa", "cas", "casal", "caso", "acsa", "csaa"]);
}

#[test]
fn places_count_in_phrases_and_near() {
    let text = "a ria x formosa y z ria";
    check("\"ria formosa\"", text, &[]);
    check("\"ria formosa\"~1", text, &["ria x formosa"]);
    check("\"formosa ria\"~2", text, &["formosa y z ria"]);
    check("\"formosa ria\"~1", text, &[]);
    check("\"formosa x\"~2", text, &["x formosa"]);
    check("\"formosa x\"~1", text, &[]);
    check("\"ria ria\"~9", "a ria b", &[]);
    check("\"ria ria\"~9", "a ria b ria", &["ria b ria"]);
    check("x NEAR/0 ria", text, &["ria", "x"]);
    check("formosa NEAR/2 ria", text, &["ria", "formosa", "ria"]);
    check("formosa NEAR/0 ria", text, &[]);
    check("\"y z\" NEAR/0 formosa", text, &["formosa", "y z"]);
    check("ria NEAR/9 ria", "uma ria", &[]);
}

#[test]
fn urls_are_found_without_scheme_and_www() {
    check("https://www.a.pt/Ci%C3%AAncia/", "ver a.pt/ciência/x e b.pt", &["a.pt/ciência"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The definition, by trying all places.
    #[test]
    fn a_loose_phrase_matches_its_definition(
        text in proptest::collection::vec("[abc]", 0..9),
        phrase in proptest::collection::vec("[abc]", 2..4),
        slop in 1_usize..5,
    ) {
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for word in &phrase {
            choices = choices.into_iter().flat_map(|chosen| {
                let free = text.iter().enumerate().filter(|(_, found)| *found == word).map(|(at, _)| at);
                free.filter(|at| !chosen.contains(at)).map(|at| [chosen.clone(), vec![at]].concat()).collect::<Vec<_>>()
            }).collect();
        }
        let is_met = choices.iter().any(|chosen| {
            let begins = || chosen.iter().enumerate().map(|(nth, at)| *at as i64 - nth as i64);
            begins().max().unwrap() - begins().min().unwrap() <= slop as i64
        });
        let line = format!("\"{}\"~{slop}", phrase.join(" "));
        prop_assert_eq!(!found(&line, &text.join(" ")).is_empty(), is_met, "{} in {:?}", line, text);
    }
}
