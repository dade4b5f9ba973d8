//! Inlinks from other hosts.

use crate::analysis::checks::{FindingEvidence, FindingLevel, PageInput, ReviewCheck};

/// Counts the inlinks from other hosts. A page that others cite counts for it; none at
/// all counts neither for it nor against it.
pub struct ExternalInlinks;

impl ReviewCheck for ExternalInlinks {
    fn id(&self) -> &'static str {
        "external-inlinks"
    }

    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)> {
        let number = page.external_inlinks?;
        let level = if number > 0 { FindingLevel::Passed } else { FindingLevel::Neutral };
        Some((level, FindingEvidence::Count { number, one: "external inlink", many: "external inlinks" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inlinks_count_for_a_page_and_none_is_neutral() {
        let found = |external_inlinks| {
            let page = PageInput { external_inlinks, ..PageInput::default() };
            ExternalInlinks.check(&page).map(|(level, _)| level)
        };
        assert_eq!(found(Some(2)), Some(FindingLevel::Passed));
        assert_eq!(found(Some(0)), Some(FindingLevel::Neutral));
        assert_eq!(found(None), None, "inlinks are not built");
    }
}
