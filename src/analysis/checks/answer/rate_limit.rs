//! Rate limit or maintenance: the server answered, but not with the page.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

pub static RATE_LIMIT: Check = Check {
    id: "rate-limit",
    label: "Rate limit or maintenance",
    level: CheckLevel::Page,
    weight: 0.8,
    rule: "The server answered 429 or 503; or a page that came with 200 has little text, and that speaks of too many requests, of \
           maintenance or construction. How many such answers the host gave in the same minute is shown with it.",
    inputs: &["status", "text", "other answers of the host in that minute"],
    thresholds: &[threshold("words", 60.0, "words of the whole text below which phrases count")],
    sources: &["RFC 6585, section 4", "RFC 9110, section 15.6.4"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let burst = of.of.host.as_ref().map_or(0, |host| host.burst);
    if matches!(of.of.status, 429 | 503) {
        let beside = if burst > 1 {
            format!(", as {} of the host in that minute", counted(burst, "answer"))
        } else {
            String::new()
        };
        let more = json!({ "status": of.of.status, "burst": burst, "tries": of.of.tries });
        return Some(Signal::problem(1.0, evidence(format!("status {}{beside}", of.of.status), more)));
    }
    if of.of.status != 200 || !of.page.is_page || of.page.all_words >= limits.count("words") {
        return None;
    }
    let phrase = of.page.phrases.iter().find(|of| of.kind == PhraseKind::Busy)?;
    let text = format!("“{}” in {}", phrase.phrase, counted(of.page.all_words, "word"));
    Some(Signal::problem(1.0, evidence(text, json!({ "phrase": phrase.phrase, "words": of.page.all_words }))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page, with_phrase};

    #[test]
    fn phrases_count_on_short_pages_alone() {
        let check = |status, words, phrase: bool| {
            let (mut page, mut of) = page("http://a.pt/x", words);
            if phrase {
                page = with_phrase(page, PhraseKind::Busy, "text");
            }
            of.status = status;
            found(&RATE_LIMIT, &page, &of)
        };
        assert_eq!(check(429, 0, false), Some(FindingState::Problem));
        assert_eq!(check(503, 900, false), Some(FindingState::Problem));
        assert_eq!(check(200, 20, true), Some(FindingState::Problem));
        assert_eq!(check(200, 300, true), None);
        assert_eq!(check(200, 20, false), None);
    }
}
