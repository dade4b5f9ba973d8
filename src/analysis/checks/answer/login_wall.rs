//! Login wall: a page for signing in is in the place of the page.

use crate::analysis::checks::address::path_has;
use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

/// Parts of paths of pages for signing in.
pub(in crate::analysis::checks) const LOGIN_PATHS: [&str; 10] =
    ["login", "signin", "sign-in", "logon", "auth", "sso", "checkpoint", "iniciar-sessao", "entrar", "anmelden"];

pub static LOGIN_WALL: Check = Check {
    id: "login-wall",
    label: "Login wall",
    level: CheckLevel::Page,
    weight: 0.7,
    rule: "The server answered 401, 403 or 407; or a page has a field for a password and little text, or hardly any text and words such as \
           “you must be logged in”; or the redirect leads to a page for signing in, with a way back. A page whose own address is one for \
           signing in is what it should be; one with 400 words in all or large images has a box for signing in: both are odd. Pages \
           with such a box beside their text say nothing.",
    inputs: &["status", "password fields", "text", "large images", "redirect"],
    thresholds: &[
        threshold("main_words", 120.0, "words of main text below which a password field is a wall"),
        threshold("words", 400.0, "words of the whole text from which it is a box on a page"),
        threshold("phrase_words", 40.0, "words of main text below which words for signing in are a wall"),
    ],
    sources: &["RFC 9110, sections 15.5.2, 15.5.4 and 15.5.8"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let (status, words) = (of.of.status, of.page.words);
    let more = json!({ "status": status, "words": words });
    if let Some(redirect) = of.of.redirect.as_ref().filter(|redirect| redirect.is_to_login) {
        let text = format!("leads to a page for signing in, {}", redirect.to);
        return Some(Signal::problem(1.0, evidence(text, json!({ "to": redirect.to }))));
    }
    if matches!(status, 401 | 407) {
        return Some(Signal::problem(1.0, evidence(format!("status {status}: a password is required"), more)));
    }
    let phrase = of.page.phrases.iter().find(|of| of.kind == PhraseKind::LogIn);
    if let Some(phrase) = phrase.filter(|_| of.page.is_page && status == 200 && words < limits.count("phrase_words")) {
        let text = format!("“{}” and {}", phrase.phrase, super::super::evidence::counted(words, "word"));
        return Some(Signal::problem(0.8, evidence(text, more)));
    }
    let has_box = of.page.is_page && of.page.password_fields > 0 && words < limits.count("main_words");
    if has_box && (status == 200 || status == 403) {
        let is_of_login = LOGIN_PATHS.iter().any(|part| path_has(&of.of.url, part));
        let text = format!("a field for a password and {}", super::super::evidence::counted(words, "word"));
        let is_beside = of.page.all_words >= limits.count("words") || of.page.large_images > 0;
        return Some(match status {
            200 if is_of_login => Signal::odd(0.3, evidence(format!("{text}, at an address for signing in"), more)),
            200 if is_beside => Signal::odd(0.3, evidence(format!("{text}, beside other text or pictures"), more)),
            _ => Signal::problem(1.0, evidence(text, more)),
        });
    }
    (status == 403).then(|| Signal::problem(0.8, evidence("status 403: the server refuses", more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page, with_phrase};

    #[test]
    fn a_password_field_counts_on_a_short_page() {
        let check = |url: &str, status, words, password_fields| {
            let (mut page, mut of) = page(url, words);
            page.password_fields = password_fields;
            of.status = status;
            found(&LOGIN_WALL, &page, &of)
        };
        assert_eq!(check("http://a.pt/report", 200, 30, 1), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/report", 200, 400, 1), None);
        let of_phrase = |words, large_images, password_fields| {
            let (page, of) = page("http://a.pt/report", words);
            let mut page = with_phrase(page, PhraseKind::LogIn, "text");
            (page.password_fields, page.large_images) = (password_fields, large_images);
            found(&LOGIN_WALL, &page, &of)
        };
        assert_eq!(of_phrase(15, 0, 0), Some(FindingState::Problem));
        assert_eq!(of_phrase(90, 0, 0), None, "one may comment after signing in");
        assert_eq!(of_phrase(90, 20, 1), Some(FindingState::Odd), "a box beside pictures");
        assert_eq!(check("http://a.pt/report", 200, 30, 0), None);
        assert_eq!(check("http://a.pt/login", 200, 30, 1), Some(FindingState::Odd));
        assert_eq!(check("http://a.pt/report", 401, 0, 0), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/report", 403, 5, 0), Some(FindingState::Problem));
    }
}
