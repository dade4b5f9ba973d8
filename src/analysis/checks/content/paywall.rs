//! Paywall: the beginning of a text for subscribers.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

pub static PAYWALL: Check = Check {
    id: "paywall",
    label: "Paywall",
    level: CheckLevel::Host,
    weight: 0.5,
    rule: "A short text, and one of these: the page declares that it is not free (isAccessibleForFree: false), or a phrase such as \
           “subscribe to continue” is in the last 60 words of its main text. A page that declares it and says anywhere that its text \
           goes on for subscribers need not be short. Short is a main text of fewer than 150 words, or, for what \
           declares it, of less than two fifths of the median of the host's pages with addresses of its form.",
    inputs: &["JSON-LD", "main text", "pages of the host"],
    thresholds: &[
        threshold("main_words", 150.0, "words of main text below which it is short"),
        threshold("share", 0.4, "share of the median of its neighbours below which it is short"),
    ],
    sources: &["schema.org: isAccessibleForFree"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_page || !(200..300).contains(&of.of.status) {
        return None;
    }
    let host = of.of.host.clone().unwrap_or_default();
    let is_short = page.words < limits.count("main_words");
    let is_below = host.of_form >= 5 && (page.words as f64) < limits.of("share") * host.median_words as f64;
    let phrase_of = |kind| page.phrases.iter().find(|of| of.kind == kind);
    let (phrase, cut) = (phrase_of(PhraseKind::Paywall), phrase_of(PhraseKind::CutText));
    let length = counted(page.words, "word");
    let more =
        json!({ "words": page.words, "median": host.median_words, "phrase": phrase.map(|of| of.phrase.clone()) });
    match (page.is_not_free, phrase) {
        (true, Some(phrase)) if is_short || is_below => {
            let text = format!("it declares that it is not free, and says “{}” at the end of {length}", phrase.phrase);
            Some(Signal::problem(1.0, evidence(text, more)))
        }
        (true, _) if is_short || is_below => {
            Some(Signal::problem(1.0, evidence(format!("it declares that it is not free, and has {length}"), more)))
        }
        (true, _) if cut.is_some() => {
            let phrase = cut.map(|of| of.phrase.as_str()).unwrap_or_default();
            let text = format!("it declares that it is not free, and says “{phrase}” beside {length}");
            Some(Signal::problem(1.0, evidence(text, more)))
        }
        (false, Some(phrase)) if is_short => {
            Some(Signal::problem(1.0, evidence(format!("“{}” at the end of {length}", phrase.phrase), more)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page, with_phrase};
    use crate::analysis::checks::{FindingState, PageSigns};

    #[test]
    fn a_whole_text_behind_a_meter_is_no_finding() {
        let check = |words, is_not_free, phrase: bool| {
            let (mut page, of) = page("http://a.pt/x", words);
            if phrase {
                page = with_phrase(page, PhraseKind::Paywall, "text");
            }
            page.is_not_free = is_not_free;
            found(&PAYWALL, &page, &of)
        };
        assert_eq!(check(80, true, false), Some(FindingState::Problem));
        assert_eq!(check(80, false, true), Some(FindingState::Problem));
        assert_eq!(check(900, true, true), None);
        let cut = |is_not_free| {
            let (page, of) = page("http://a.pt/x", 311);
            let page = with_phrase(page, PhraseKind::CutText, "text");
            found(&PAYWALL, &PageSigns { is_not_free, ..page }, &of)
        };
        assert_eq!((cut(true), cut(false)), (Some(FindingState::Problem), None), "a long beginning");
        assert_eq!(check(80, false, false), None);
    }
}
