//! Off topic: the page speaks of something else than before.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, EarlierSigns, Signal};
use serde_json::json;

pub static OFF_TOPIC: Check = Check {
    id: "off-topic",
    label: "Another topic than before",
    level: CheckLevel::Pair,
    weight: 0.7,
    rule: "Beside the first good capture of the page and beside the last: the cosine of their terms is below 0.10, or there are no more \
           than 15 of 100 words left. Not applicable where captures of the page differ as much as a rule, as front pages of \
           newspapers do, and where the language changed.",
    inputs: &["main text", "first and last good capture before"],
    thresholds: &[
        threshold("cosine", 0.1, "cosine of terms below which it is another topic, 0 to 1"),
        threshold("words", 0.15, "share of words up to which the text is gone"),
        threshold("usual", 0.3, "median cosine of captures that follow each other, below which nothing is compared"),
        threshold("earlier_words", 40.0, "words from which texts are compared"),
    ],
    sources: &["AlNoamany, Weigle, Nelson 2016: accuracy 0.987, F1 0.906", "Off-Topic Memento Toolkit"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_page || !(200..300).contains(&of.of.status) {
        return None;
    }
    let history = of.of.history.as_ref()?;
    let is_long = |of: &&EarlierSigns| of.words >= limits.count("earlier_words");
    let first = history.first.as_ref().filter(is_long);
    let last = history.last.as_ref().filter(is_long);
    let is_off = |of: &EarlierSigns| {
        let is_gone = page.words as f64 <= limits.of("words") * of.words as f64;
        is_gone || of.cosine < limits.of("cosine") && page.words >= limits.count("earlier_words")
    };
    let (Some(first), Some(last)) = (first.or(last), last) else { return None };
    if !is_off(first) || !is_off(last) {
        return None;
    }
    if history.usual_cosine.is_some_and(|usual| usual < limits.of("usual")) {
        return Some(Signal::not_applicable("its captures differ as much as a rule"));
    }
    let is_gone = page.words as f64 <= limits.of("words") * last.words as f64;
    if last.is_other_language && !is_gone {
        return Some(Signal::not_applicable("the language changed"));
    }
    let text = match is_gone {
        true => format!("{} words are left of {} on {}", page.words, last.words, last.date),
        false => format!("terms in common with {}: {:.2}", last.date, last.cosine),
    };
    let of =
        |of: &EarlierSigns| json!({ "capture": of.capture, "date": of.date, "words": of.words, "cosine": of.cosine });
    let more = json!({ "words": page.words, "first": of(first), "last": of(last) });
    Some(Signal::problem(1.0, evidence(text, more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, HistorySigns};

    #[test]
    fn newspapers_and_other_languages_are_not_compared() {
        let check = |words, cosine, usual_cosine, is_other_language| {
            let (page, mut of) = page("http://a.pt/x", words);
            let last = EarlierSigns { words: 300, cosine, is_other_language, ..EarlierSigns::default() };
            let first = Some(last.clone());
            of.history = Some(HistorySigns { first, last: Some(last), usual_cosine, ..HistorySigns::default() });
            found(&OFF_TOPIC, &page, &of)
        };
        assert_eq!(check(300, 0.02, None, false), Some(FindingState::Problem));
        assert_eq!(check(30, 0.5, None, false), Some(FindingState::Problem));
        assert_eq!(check(300, 0.5, None, false), None);
        assert_eq!(check(300, 0.02, Some(0.1), false), Some(FindingState::NotApplicable));
        assert_eq!(check(300, 0.02, None, true), Some(FindingState::NotApplicable));
    }
}
