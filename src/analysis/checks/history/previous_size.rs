//! Size against the capture before.

use crate::analysis::checks::{FindingEvidence, FindingLevel, PageInput, ReviewCheck};

/// A share of the previous size at or below which a page is odd.
const LEAST_SHARE: f64 = 0.5;

/// Finds pages that lost half of their bytes or more since the capture before.
/// Why: error pages and pages cut short are smaller than what they replace.
pub struct PreviousSize;

impl ReviewCheck for PreviousSize {
    fn id(&self) -> &'static str {
        "previous-size"
    }

    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)> {
        let before = page.previous_size_bytes.filter(|bytes| *bytes > 0)?;
        let share = page.size_bytes as f64 / before as f64;
        let level = if share > LEAST_SHARE { FindingLevel::Passed } else { FindingLevel::Odd };
        Some((level, FindingEvidence::Text(format!("{:.0} % of the previous size", share * 100.0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_previous_size_or_less_is_odd() {
        let found = |size_bytes, previous_size_bytes| {
            PreviousSize.check(&PageInput { size_bytes, previous_size_bytes, ..PageInput::default() })
        };
        let of = |percent: u64| FindingEvidence::Text(format!("{percent} % of the previous size"));
        assert_eq!(found(100, Some(200)), Some((FindingLevel::Odd, of(50))));
        assert_eq!(found(102, Some(200)), Some((FindingLevel::Passed, of(51))));
        assert_eq!(found(0, Some(200)), Some((FindingLevel::Odd, of(0))));
        assert_eq!(found(600, Some(200)), Some((FindingLevel::Passed, of(300))));
        assert_eq!(found(100, None), None);
        assert_eq!(found(100, Some(0)), None, "a share of nothing");
    }
}
