//! The title of a page.

use crate::analysis::checks::{FindingEvidence, FindingLevel, PageInput, ReviewCheck};
use crate::captures::is_page_type;

/// Finds pages without a title. Other types of content have none and are left out.
pub struct HasTitle;

impl ReviewCheck for HasTitle {
    fn id(&self) -> &'static str {
        "title"
    }

    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)> {
        if !is_page_type(page.mime) {
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

    #[test]
    fn only_pages_need_a_title() {
        let found = |mime, title| HasTitle.check(&PageInput { mime, title, ..PageInput::default() });
        let text = |text: &str| FindingEvidence::Text(text.to_owned());
        assert_eq!(found("text/html", "Vila Nova"), Some((FindingLevel::Passed, text("has a title"))));
        assert_eq!(found("application/xhtml+xml", ""), Some((FindingLevel::Odd, text("has no title"))));
        assert_eq!(found("image/png", ""), None);
        assert_eq!(found("", ""), None);
    }
}
