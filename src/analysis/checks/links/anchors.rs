//! Anchors against content: others call the page by words that it does not have.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static ANCHORS: Check = Check {
    id: "anchors",
    label: "Not what others call it",
    level: CheckLevel::Page,
    weight: 0.4,
    rule: "Two or more other hosts link to it, and none of the words of their anchors is in its title or text. Words that describe nothing \
           (here, read more) do not count. Never a problem by itself. Where an earlier capture had the words, the page has drifted.",
    inputs: &["anchors of external inlinks in the window", "title", "text", "earlier captures"],
    thresholds: &[threshold("hosts", 2.0, "other hosts that link to it")],
    sources: &["Klein, Nelson 2010: anchors as signatures of lost pages"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let anchors = of.of.anchors.as_ref()?;
    let is_meant = of.page.is_page && (200..300).contains(&of.of.status) && anchors.shares_nothing;
    if !is_meant || anchors.hosts < limits.count("hosts") {
        return None;
    }
    let drift = match anchors.was_true_before {
        Some(true) => "; an earlier capture had them",
        _ => "",
    };
    let named: Vec<String> = anchors.texts.iter().take(4).map(|text| format!("“{text}”")).collect();
    let text =
        format!("{} hosts call it {}, and no word of these is on the page{drift}", anchors.hosts, named.join(", "));
    let more = json!({
        "hosts": anchors.hosts, "anchors": anchors.texts, "anchor_words": anchors.anchor_words,
        "was_true_before": anchors.was_true_before,
    });
    Some(Signal::problem(1.0, evidence(text, more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{AnchorSigns, FindingState};

    #[test]
    fn one_host_is_not_enough() {
        let check = |hosts, shares_nothing| {
            let (page, mut of) = page("http://a.pt/x", 100);
            of.anchors = Some(AnchorSigns { hosts, shares_nothing, ..AnchorSigns::default() });
            found(&ANCHORS, &page, &of)
        };
        assert_eq!(check(2, true), Some(FindingState::Odd));
        assert_eq!(check(1, true), None);
        assert_eq!(check(5, false), None);
    }
}
