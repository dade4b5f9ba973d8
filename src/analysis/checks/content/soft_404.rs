//! Soft 404: the page is not there, and the server says 200.

use crate::analysis::checks::address::{is_front, is_of_errors, path_depth};
use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

pub static SOFT_404: Check = Check {
    id: "soft-404",
    label: "Not there, with status 200",
    level: CheckLevel::Host,
    weight: 0.9,
    rule: "Two of these, one of them (b) or (d): (a) words of not found, in twelve languages, in title or first heading; (b) little main \
           text; (c) a text nearly the same as that of three URLs of other paths of the host, of pages with at most 200 words; (d) a text that \
           the host gave with status 404; (e) an address with 404, notfound or error; (f) a page that names the front page or an \
           error page as its own address. (b) with (c) is odd unless the titles are one and the text has words of not found; (b) with \
           (e) or (f) alone is odd, and so is (a) alone on a page of at most 200 words. A page with a field for a password, or that asks \
           for signing in, is odd at most.",
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
    // What leads elsewhere says so at any address.
    let is_error_path = is_of_errors(&of.of.url) && page.refresh_to.is_empty();
    let own = page.own_url.as_str();
    let is_of_another = !own.is_empty() && (is_front(own) || is_of_errors(own));
    let has = |kind: PhraseKind| page.phrases.iter().any(|of| of.kind == kind);
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
    // Many addresses lead to one page for signing in, to a search, or to one text that was not translated.
    let speaks_of_errors = phrase.is_some() || repeats.is_of_error || is_one_title && has(PhraseKind::NotFound);
    let is_of_login = page.password_fields > 0 || has(PhraseKind::LogIn);
    match reasons.len() {
        2.. if (is_short || repeats.is_of_error) && (speaks_of_errors || reasons.len() > 2) && !is_of_login => {
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
        assert_eq!(check("http://a.pt/x/error.html", 20, false, 0, false), Some(FindingState::Odd));
        assert_eq!(check("http://a.pt/x/404.html", 20, false, 5, false), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/error/ParseError.html", 20, false, 0, false), None);
        assert_eq!(check("http://a.pt/x/1", 20, false, 0, false), None);
        assert_eq!(check("http://a.pt/", 20, true, 0, false), None);
        let of_one_title = |refresh_to: &str, kinds: &[PhraseKind]| {
            let (mut page, mut of) = page("http://a.pt/x/1", 48);
            refresh_to.clone_into(&mut page.refresh_to);
            page = kinds.iter().fold(page, |page, kind| with_phrase(page, *kind, "text"));
            of.repeats = Some(RepeatSigns { near: 9, same: 9, same_title: 9, ..RepeatSigns::default() });
            found(&SOFT_404, &page, &of)
        };
        let kinds = [PhraseKind::NotFound, PhraseKind::LogIn];
        assert_eq!(of_one_title("", &kinds[..1]), Some(FindingState::Problem), "the text and the title of nine others");
        assert_eq!(of_one_title("", &[]), Some(FindingState::Odd), "a text that was not translated");
        assert_eq!(of_one_title("", &kinds), Some(FindingState::Odd), "a page for signing in");
        assert_eq!(of_one_title("http://a.pt/y", &kinds[..1]), None, "pages that lead elsewhere");
    }
}
