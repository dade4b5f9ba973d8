#![allow(clippy::unwrap_used)]

use super::*;

fn matcher(request: &str) -> Matcher {
    Matcher::compile(&request.parse().unwrap())
}

/// Hits as `term place count`, one a word.
fn hits(matches: &Matches) -> String {
    let all: Vec<String> =
        matches.hits.iter().map(|hit| format!("{}:{}:{}", hit.term, hit.place.label(), hit.count)).collect();
    all.join(" ")
}

#[track_caller]
fn check_text(request: &str, text: &str, expected_hits: &str, holds: bool) {
    let read = matcher(request).read(&TextFields { main: text, ..TextFields::default() });
    assert_eq!(hits(&read), expected_hits, "{request} in {text}");
    assert_eq!(read.holds, holds, "{request} in {text}");
    assert!((0.0..=1.0).contains(&read.score));
}

#[track_caller]
fn check_score(request: &str, text: &str, expected: f64) {
    let read = matcher(request).read(&TextFields { main: text, ..TextFields::default() });
    assert!((read.score - expected).abs() < 1e-9, "{request} in {text}: {}", read.score);
}

#[test]
fn terms_are_found_whole_in_any_spelling() {
    check_text("ria", "A Ria, a RIA e a ría.", "0:text:3", true);
    check_text("ria", "Maria viu a rias", "", false);
    check_text("\"estaleiro naval\"", "o Estaleiro\n\t Naval fechou", "0:text:1", true);
    check_text("\"estaleiro naval\"", "naval estaleiro", "", false);
    check_text("\"estaleiro naval\"", "estaleiro navalha", "", false);
    check_text("person:\"Amélia Vaz\"|\"A. Vaz\"", "amelia vaz (A.Vaz)", "0:text:2", true);
    check_text("keyword:guarda-chuva", "um guarda chuva", "0:text:1", true);
    check_text("\"a a\"", "a a a", "0:text:2", true);
    check_text("água", "copo d'água", "0:text:1", true);
    check_text("東京", "私は東京都に住む", "0:text:1", true);
    check_text("ria OR ria", "ria", "0:text:1 1:text:1", true);
    check_text("keyword:\"++\"", "c++ ++", "", false);
    // By its form, as searches have it; a phrase is as it is written.
    check_text("fest* OR ~lisbao", "Festivais, festa e Lisboa", "0:text:2 1:text:1", true);
    check_text("person:v?z|ama*", "Vaz e Amália Voz", "0:text:3", true);
    check_text("\"fest*\"", "festa", "", false);
    check_text("\"fest*\"", "fest", "0:text:1", true);
}

#[test]
fn the_tree_decides() {
    check_text("", "anything", "", true);
    check_text("ANY()", "anything", "", false);
    check_text("a AND b", "a", "0:text:1", false);
    check_text("a OR b", "b", "1:text:1", true);
    check_text("a AND NOT b", "a b", "0:text:1 1:text:1", false);
    check_text("a AND NOT (b OR c)", "a", "0:text:1", true);
    check_text("NOT NOT a", "a", "0:text:1", true);
    // A weight of 0 or less does not count.
    check_text("a AND b^-0.5", "a", "0:text:1", true);
    check_text("a AND b^-0.5", "a b", "0:text:1 1:text:1", true);
    check_text("a OR b^-0.5", "b", "1:text:1", false);
    check_text("b^-0.5", "x", "", true);
}

#[test]
fn language_period_title_and_url_are_read() {
    let matcher = matcher("ria lang:pt|gl period:[2024-07..2024-08-15] \"amélia vaz\"");
    #[track_caller]
    fn check(matcher: &Matcher, language: Option<&str>, date: &str, expected: &str) {
        let date = CaptureDate::parse(date).ok();
        let page =
            TextFields { title: "Ria", url: "blog.example/Amélia-Vaz?ria=1", main: "", rest: "", language, date };
        assert_eq!(hits(&matcher.read(&page)), expected, "{language:?} {date:?}");
    }
    let term_hits = "0:title:1 0:URL:1";
    check(&matcher, Some("pt"), "2024-07-01", &format!("{term_hits} 1:language:1 2:date:1 3:URL:1"));
    check(&matcher, Some("pt_BR"), "2024-08-15T23:59:59Z", &format!("{term_hits} 1:language:1 2:date:1 3:URL:1"));
    check(&matcher, Some("GL"), "2024-08-16", &format!("{term_hits} 1:language:1 3:URL:1"));
    check(&matcher, Some("ptx"), "2024-06-30T23:59:59Z", &format!("{term_hits} 3:URL:1"));
    check(&matcher, None, "no date", &format!("{term_hits} 3:URL:1"));
}

#[test]
fn scores_follow_the_formula() {
    check_score("", "x", 1.0);
    check_score("a", "x", 0.0);
    check_score("a", "a", 0.5);
    check_score("a", "a a a", 0.75);
    check_score("a^0.1", "a", 0.5);
    // Sums: (0.5 + 0) / 2, halved since it does not hold.
    check_score("a AND b", "a", 0.125);
    check_score("a AND b", "a b", 0.5);
    // The better for two alternatives than for one: 1 - 0.5 × 0.5.
    check_score("a OR b", "a", 0.5);
    check_score("a OR b", "a b", 0.75);
    // Weights: (1 × 0.5 + 0.5 × 0.5) / 1.5.
    check_score("a b^0.5", "a b", 0.5);
    check_score("a b^0.5", "a b b b", (0.5 + 0.375) / 1.5);
    // Against: 0.5 × (1 - 0.5), and halved where NOT fails.
    check_score("a b^-1", "a b", 0.25);
    check_score("a NOT b", "a b", 0.125);
    check_score("a NOT b", "a", 0.5);
    check_score("NOT b", "x", 1.0);
    check_score("NOT b", "b", 0.0);
    check_score("NOT NOT a", "a", 0.5);
    check_score("NOT (NOT a OR NOT b)", "a b", 0.5);
    check_score("lang:pt", "x", 0.0);
}

#[test]
fn more_never_scores_less() {
    let matcher = matcher("ria \"estaleiro naval\"^0.5 (festa OR feira)");
    let mut last = -1.0;
    for text in [
        "",
        "feira",
        "feira festa",
        "feira festa naval",
        "feira festa estaleiro naval",
        "ria ria feira festa estaleiro naval",
    ] {
        let score = matcher.read(&TextFields { main: text, ..TextFields::default() }).score;
        assert!(score >= last, "{text}: {score} < {last}");
        last = score;
    }
}

#[test]
fn anchors_speak_of_what_speaks_for() {
    let matcher = matcher("ria NOT futebol praia^-1 lang:pt");
    for (anchor, expected) in [("A Ria", true), ("futebol", false), ("praia", false), ("pt", false), ("", false)] {
        assert_eq!(matcher.speaks_of(anchor), expected, "{anchor}");
    }
}

#[test]
fn hits_are_described() {
    let matcher = matcher("ria lang:pt futebol");
    let page = TextFields { title: "Ria", main: "ria ria", language: Some("pt"), ..TextFields::default() };
    assert_eq!(matcher.describe(&matcher.read(&page)), "“ria” 1 × in title, 2 × in text; lang:pt");
    assert_eq!(matcher.describe(&matcher.read(&TextFields::default())), "no term of the request found");
}

#[test]
fn a_megabyte_is_read_quickly() {
    let text = "A Câmara Municipal aprovou o estaleiro naval da Ria de Aveiro. Порт. ".repeat(16_000);
    let terms: Vec<String> = (0..200).map(|i| format!("termo{i}")).collect();
    let matcher = matcher(&format!("ria OR \"estaleiro naval\" OR {}", terms.join(" OR ")));
    let start = std::time::Instant::now();
    let read = matcher.read(&TextFields { main: &text, ..TextFields::default() });
    let took = start.elapsed();
    assert_eq!(hits(&read), "0:text:16000 1:text:16000");
    println!("{} bytes in {took:?}", text.len());
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn folding_twice_is_folding_once(text in ".{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        /// Found are exactly the places that a slow search finds.
        #[test]
        fn counts_agree_with_a_slow_search(needle in "[abÁ]{1,2}( [abÁ]{1,2})?", text in "[abÁ .-]{0,60}") {
            let request = Request::Term(Term {
                kind: TermKind::Phrase, value: needle.clone(), weight: 1.0, aliases: vec![], uri: None, from: None, to: None,
            });
            let found = Matcher::compile(&request).read(&TextFields { main: &text, ..TextFields::default() });
            let (hay, needle) = (format!(" {} ", fold(&text)), format!(" {} ", fold(&needle)));
            let slow = (0..hay.len()).filter(|at| hay.get(*at..).is_some_and(|rest| rest.starts_with(&needle))).count();
            prop_assert_eq!(found.hits.first().map_or(0, |hit| hit.count as usize), slow);
        }

        #[test]
        fn every_page_gets_a_score(request in "[ab ()NOTRD^.0-9-]{0,20}", text in ".{0,30}") {
            if let Ok(request) = request.parse::<Request>() {
                let score = Matcher::compile(&request).read(&TextFields { main: &text, title: &text, url: &text, ..TextFields::default() }).score;
                prop_assert!((0.0..=1.0).contains(&score));
            }
        }
    }
}
