//! Soft 404: the page is not there, and the server says 200.

use crate::analysis::checks::address::{is_front, path_depth, path_has};
use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

/// Parts of paths of pages about errors.
const ERROR_PATHS: [&str; 5] = ["404", "notfound", "not-found", "not_found", "error"];

pub static SOFT_404: Check = Check {
    id: "soft-404",
    label: "Not there, with status 200",
    level: CheckLevel::Host,
    weight: 0.9,
    rule: "Two of these, one of them (b) or (d): (a) words of not found, in twelve languages, in title or first heading; (b) little main \
           text; (c) a text nearly the same as that of three URLs of other paths of the host, of pages with at most 200 words; (d) a text that \
           the host gave with status 404; (e) an address with 404, notfound or error; (f) a page that names the front page or an \
           error page as its own address. (b) with (c) is odd where the titles differ, (b) with (f) alone is odd, and so is (a) alone \
           on a page of at most 200 words.",
    inputs: &["status", "title", "first heading", "main text", "near-duplicates of the host", "URL", "canonical URL"],
    thresholds: &[
        threshold("main_words", 60.0, "words of main text up to which a page is short (b)"),
        threshold("near_words", 200.0, "words of main text up to which near-duplicates count (c)"),
        threshold("near_urls", 3.0, "URLs of other paths with nearly the same text (c)"),
    ],
    sources: &[
        "Meneses, Furuta, Shipman 2012: soft 404s by Naive Bayes, precision 0.99",
        "Prieto, Álvarez, Cacheda 2014: soft 404s by content, precision 0.992",
        "Bar-Yossef et al. 2004",
    ],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_page || !(200..300).contains(&of.of.status) || path_depth(&of.of.url) == 0 && !of.of.url.contains('?') {
        return None;
    }
    let phrase = page.phrases.iter().find(|of| of.kind == PhraseKind::NotFound && of.place != "text");
    let is_short = page.words <= limits.count("main_words");
    let repeats = of.of.repeats.clone().unwrap_or_default();
    let is_repeated = repeats.near >= limits.count("near_urls")
        && page.words <= limits.count("near_words")
        && page.refresh_to.is_empty();
    let is_one_title = is_repeated && repeats.same_title >= limits.count("near_urls");
    let is_error_path = ERROR_PATHS.iter().any(|part| path_has(&of.of.url, part));
    let own = page.own_url.as_str();
    let is_of_another = !own.is_empty() && (is_front(own) || ERROR_PATHS.iter().any(|part| path_has(own, part)));
    let mut reasons = Vec::new();
    if let Some(phrase) = phrase {
        reasons.push(format!("“{}” in the {}", phrase.phrase, phrase.place));
    }
    if is_short {
        reasons.push(counted(page.words, "word"));
    }
    if is_repeated {
        let title = if is_one_title { "text and title" } else { "text" };
        let others = if is_one_title { repeats.same_title } else { repeats.near };
        reasons.push(format!("the {title} of {} of the host", counted(others, "other URL")));
    }
    if repeats.is_of_error {
        reasons.push("a text that the host gives with status 404".to_owned());
    }
    if is_error_path {
        reasons.push("an address of errors".to_owned());
    }
    if is_of_another {
        reasons.push(format!("it names {own} as its address"));
    }
    let more = json!({
        "title": page.title, "words": page.words, "phrase": phrase.map(|of| of.phrase.clone()),
        "near": repeats.near, "example": Some(&repeats.example).filter(|url| !url.is_empty()),
    });
    let evidence = evidence(reasons.join(", "), more);
    let speaks_of_errors = phrase.is_some() || repeats.is_of_error || is_error_path || is_one_title;
    match reasons.len() {
        2.. if (is_short || repeats.is_of_error) && (speaks_of_errors || reasons.len() > 2) => {
            let strength = if reasons.len() > 2 { 1.0 } else { 0.8 };
            Some(Signal::problem(strength, evidence))
        }
        2.. if is_short => Some(Signal::odd(0.5, evidence)),
        _ if phrase.is_some() && page.words <= limits.count("near_words") => Some(Signal::odd(0.4, evidence)),
        _ if repeats.is_of_error => Some(Signal::odd(0.4, evidence)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page, with_phrase};
    use crate::analysis::checks::{FindingState, RepeatSigns};

    #[test]
    fn two_signals_are_needed_and_an_article_about_404_has_one() {
        let check = |url: &str, words, phrase: bool, near, is_of_error| {
            let (mut page, mut of) = page(url, words);
            if phrase {
                page = with_phrase(page, PhraseKind::NotFound, "title");
            }
            of.repeats = Some(RepeatSigns { near, is_of_error, ..RepeatSigns::default() });
            found(&SOFT_404, &page, &of)
        };
        assert_eq!(check("http://a.pt/x/1", 20, true, 0, false), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/x/1", 900, true, 0, false), None);
        assert_eq!(check("http://a.pt/x/1", 150, true, 0, false), Some(FindingState::Odd));
        assert_eq!(check("http://a.pt/x/1", 20, false, 5, false), Some(FindingState::Odd));
        assert_eq!(check("http://a.pt/x/1", 100, false, 5, true), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/error/1", 20, false, 0, false), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/x/1", 20, false, 0, false), None);
        assert_eq!(check("http://a.pt/", 20, true, 0, false), None);
        let of_one_title = |refresh_to: &str| {
            let (mut page, mut of) = page("http://a.pt/x/1", 48);
            refresh_to.clone_into(&mut page.refresh_to);
            of.repeats = Some(RepeatSigns { near: 9, same: 9, same_title: 9, ..RepeatSigns::default() });
            found(&SOFT_404, &page, &of)
        };
        assert_eq!(of_one_title(""), Some(FindingState::Problem), "the text and the title of nine others");
        assert_eq!(of_one_title("http://a.pt/y"), None, "pages that lead elsewhere");
    }
}
