//! Request not met: let in by the words of a link, the page itself has none of them.

use crate::analysis::checks::check::Reads;
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static REQUEST: Check = Check {
    id: "request",
    label: "Request not met",
    level: CheckLevel::Page,
    weight: 0.3,
    rule: "The link that led to the page has a term of the campaign's request, and the page has none. Never a problem by itself.",
    inputs: &["anchor of the link that led to it", "request", "score"],
    thresholds: &[],
    sources: &["the request of the campaign"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, _: CheckLimits<'_>) -> Option<Signal> {
    let is_meant = of.of.is_off_request && of.page.is_page && of.of.status == 200;
    is_meant.then(|| {
        let text = "its link has a term of the request, the page has none";
        Signal::problem(1.0, evidence(text, json!({ "words": of.page.words })))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};

    #[test]
    fn a_page_that_the_request_let_in_by_its_link_alone_is_odd() {
        let (page, mut of) = page("http://a.pt/x", 100);
        assert_eq!(found(&REQUEST, &page, &of), None);
        of.is_off_request = true;
        assert_eq!(found(&REQUEST, &page, &of), Some(FindingState::Odd));
    }
}
