//! The title of a page.

use crate::analysis::checks::{FindingEvidence, FindingLevel, PageInput, ReviewCheck};

/// Finds pages without a title. Other types of content have none and are left out.
pub struct HasTitle;

impl ReviewCheck for HasTitle {
    fn id(&self) -> &'static str {
        "title"
    }

    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)> {
        if !page.is_page() {
            return None;
        }
        Some(match page.title {
            "" => (FindingLevel::Odd, FindingEvidence::Text("has no title".to_owned())),
            _ => (FindingLevel::Passed, FindingEvidence::Text("has a title".to_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captures::PageFacts;

    #[test]
    fn only_pages_need_a_title() {
        let found = |mime, title| HasTitle.check(&PageInput { mime, title, ..PageInput::default() });
        let text = |text: &str| FindingEvidence::Text(text.to_owned());
        assert_eq!(found("text/html", "Vila Nova"), Some((FindingLevel::Passed, text("has a title"))));
        assert_eq!(found("application/xhtml+xml", ""), Some((FindingLevel::Odd, text("has no title"))));
        assert_eq!(found("image/png", ""), None);
        assert_eq!(found("", ""), None);
        // What it was read as counts more than the type that it was served with.
        let found = |mime, is_page| {
            let facts = PageFacts { is_page, ..PageFacts::default() };
            HasTitle.check(&PageInput { mime, facts: Some(&facts), ..PageInput::default() })
        };
        assert_eq!(found("", true), Some((FindingLevel::Odd, text("has no title"))));
        assert_eq!(found("text/html", false), None);
    }
}
