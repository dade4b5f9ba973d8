//! Much smaller or larger than before.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static SIZE_CHANGE: Check = Check {
    id: "size-change",
    label: "Much smaller or larger than before",
    level: CheckLevel::Pair,
    weight: 0.5,
    rule: "The words of the main text are fewer than half, or more than three times, the median of up to five good captures before, where both \
           are 100 or more; the same of bytes, for what is no page. A problem only beyond twice these limits, odd within.",
    inputs: &["main text", "bytes", "up to five good captures before"],
    thresholds: &[
        threshold("smaller", 0.5, "share of the median below which it is much smaller"),
        threshold("larger", 3.0, "times the median above which it is much larger"),
        threshold("words", 100.0, "words from which texts are compared"),
    ],
    sources: &["Web Curator Tool compares sums by a tenth: too narrow for pages"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let history = of.of.history.as_ref()?;
    if !(200..300).contains(&of.of.status) {
        return None;
    }
    let fewest = limits.count("words");
    let (now, median, unit) = match of.page.is_page {
        true if of.page.words >= fewest && history.median_words >= fewest => {
            (of.page.words, history.median_words, "words")
        }
        false if history.median_bytes > 0 => (of.of.size, history.median_bytes, "bytes"),
        _ => return None,
    };
    let ratio = now as f64 / median as f64;
    let (smaller, larger) = (limits.of("smaller"), limits.of("larger"));
    if (smaller..=larger).contains(&ratio) {
        return None;
    }
    let is_far = ratio < smaller / 2.0 || ratio > larger * 2.0;
    let text = format!("{now} {unit}, where {median} were usual");
    Some(Signal::problem(
        if is_far { 1.0 } else { 0.8 },
        evidence(text, json!({ "now": now, "median": median, "unit": unit })),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, HistorySigns};

    #[test]
    fn texts_are_compared_with_their_median() {
        let check = |words, median_words| {
            let (page, mut of) = page("http://a.pt/x", words);
            of.history = Some(HistorySigns { median_words, ..HistorySigns::default() });
            found(&SIZE_CHANGE, &page, &of)
        };
        assert_eq!(check(400, 1000), Some(FindingState::Odd));
        assert_eq!(check(200, 1000), Some(FindingState::Problem));
        assert_eq!(check(900, 1000), None);
        assert_eq!(check(4000, 1000), Some(FindingState::Odd));
        assert_eq!(check(30, 1000), None);
    }
}
