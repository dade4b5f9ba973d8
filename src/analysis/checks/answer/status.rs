//! HTTP status.

use crate::analysis::checks::{FindingEvidence, FindingLevel, PageInput, ReviewCheck};

/// Finds answers that are no success: anything outside 200 to 299.
pub struct Status;

impl ReviewCheck for Status {
    fn id(&self) -> &'static str {
        "status"
    }

    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)> {
        // The record of a payload alone has none.
        let is_by_convention =
            page.status == 200 && page.facts.is_some_and(|facts| facts.status == 0 && facts.body_bytes[0] > 0);
        if is_by_convention {
            let evidence = "status 200 by convention: its record has no HTTP head";
            return Some((FindingLevel::Neutral, FindingEvidence::Text(evidence.to_owned())));
        }
        let level = if (200..300).contains(&page.status) { FindingLevel::Passed } else { FindingLevel::Odd };
        Some((level, FindingEvidence::Text(format!("status {}", page.status))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_passes_and_all_else_is_odd() {
        for (status, expected) in [
            (200, FindingLevel::Passed),
            (299, FindingLevel::Passed),
            (199, FindingLevel::Odd),
            (301, FindingLevel::Odd),
            (404, FindingLevel::Odd),
            (0, FindingLevel::Odd),
            (-2, FindingLevel::Odd),
        ] {
            let page = PageInput { status, ..PageInput::default() };
            assert_eq!(Status.check(&page), Some((expected, FindingEvidence::Text(format!("status {status}")))));
        }
    }
}
