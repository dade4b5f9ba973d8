//! Challenge: a guard before the server answered, to see whether a person reads.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

/// Marks of guards that ordinary pages behind them have, too.
const ON_ORDINARY_PAGES: [&str; 2] = ["/cdn-cgi/challenge-platform/", "ddos-guard"];

pub static CHALLENGE: Check = Check {
    id: "challenge",
    label: "Challenge of a guard",
    level: CheckLevel::Page,
    weight: 1.0,
    rule: "The head says so (cf-mitigated: challenge); or two of these: a title such as “Just a moment…”, marks of a guard in the \
           source, a status 403, 429 or 503, each with little text. A test for robots in a form of a short page is odd.",
    inputs: &["HTTP fields", "title", "names of services in the source", "status", "main text"],
    thresholds: &[threshold("main_words", 80.0, "words of main text below which titles and marks count")],
    sources: &["Cloudflare: Detect a challenge page response (cf-mitigated)"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    if of.page.is_challenge {
        let text = "the head says that a guard answered (cf-mitigated: challenge)";
        return Some(Signal::problem(1.0, evidence(text, json!({ "status": of.of.status }))));
    }
    if !of.page.is_page || of.page.words >= limits.count("main_words") {
        return None;
    }
    let named = |kind: &str| {
        of.page.markers.iter().filter_map(move |of| of.strip_prefix(kind)).map(str::trim).collect::<Vec<_>>()
    };
    let (guards, captchas) = (named("challenge "), named("captcha "));
    let title = of.page.phrases.iter().find(|of| of.kind == PhraseKind::Challenge && of.place == "title");
    let is_refused = matches!(of.of.status, 403 | 429 | 503);
    let is_sure_guard = guards.iter().any(|guard| !ON_ORDINARY_PAGES.contains(guard));
    let signs = [title.is_some(), !guards.is_empty(), !captchas.is_empty(), is_refused];
    let number = signs.into_iter().filter(|sign| *sign).count();
    if number == 0 || (number == 1 && is_refused) {
        return None;
    }
    let mut parts: Vec<String> = title.iter().map(|title| format!("the title says “{}”", title.phrase)).collect();
    parts.extend(guards.iter().chain(&captchas).map(|name| format!("the source has {name}")));
    parts.push(counted(of.page.words, "word"));
    let more = json!({ "status": of.of.status, "markers": of.page.markers, "words": of.page.words });
    // A form with a test for robots has no more than that test.
    let is_pair = number >= 2 || is_sure_guard;
    Some(Signal::paired(is_pair, 1.0, evidence(parts.join(", "), more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page, with_phrase};

    #[test]
    fn a_contact_form_with_a_test_is_no_challenge() {
        let check = |words, title: bool, marker: &str, status| {
            let (mut page, mut of) = page("http://a.pt/x", words);
            if title {
                page = with_phrase(page, PhraseKind::Challenge, "title");
            }
            page.markers = vec![marker.to_owned()];
            of.status = status;
            found(&CHALLENGE, &page, &of)
        };
        assert_eq!(check(20, true, "challenge _cf_chl_opt", 403), Some(FindingState::Problem));
        assert_eq!(check(20, false, "challenge _cf_chl_opt", 200), Some(FindingState::Problem));
        assert_eq!(check(30, false, "captcha g-recaptcha", 200), Some(FindingState::Odd));
        assert_eq!(check(300, true, "captcha g-recaptcha", 200), None);
        assert_eq!(check(30, false, "challenge /cdn-cgi/challenge-platform/", 200), Some(FindingState::Odd));
        assert_eq!(check(30, false, "consent didomi", 403), None);
    }
}
