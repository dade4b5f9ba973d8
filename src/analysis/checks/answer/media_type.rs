//! The type that the server declared, against what the first bytes are.

use crate::analysis::checks::{FindingEvidence, FindingLevel, PageInput, ReviewCheck};
use crate::captures::Media;

/// Finds images, documents and the like that are pages, such as the error page or the login in the place of a picture,
/// and pages that are none.
pub struct DeclaredType;

impl ReviewCheck for DeclaredType {
    fn id(&self) -> &'static str {
        "type"
    }

    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)> {
        let sniffed =
            Media::ALL.into_iter().find(|media| media.as_str() == page.facts.map_or("", |facts| &facts.sniffed))?;
        let is_file = |media| matches!(media, Media::Document | Media::Image | Media::Audio | Media::Video);
        let what = match (Media::of_type(page.mime), sniffed) {
            (declared, Media::Page) if is_file(declared) => "a page of HTML".to_owned(),
            (Media::Page, sniffed) if is_file(sniffed) => format!("no page: {}", sniffed.as_str()),
            _ => return None,
        };
        let evidence = format!("is declared as {} and its first bytes are those of {what}", page.mime);
        Some((FindingLevel::Odd, FindingEvidence::Text(evidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captures::PageFacts;

    #[test]
    fn what_is_something_else_than_declared_is_odd() {
        let found = |mime: &str, sniffed: &str| {
            let facts = PageFacts { sniffed: sniffed.to_owned(), ..PageFacts::default() };
            let found = DeclaredType.check(&PageInput { mime, facts: Some(&facts), ..PageInput::default() });
            found.map(|(level, evidence)| (level, format!("{evidence:?}")))
        };
        for (mime, sniffed, expected) in [
            ("image/png", "page", "image/png and its first bytes are those of a page of HTML"),
            ("application/pdf", "page", "application/pdf and its first bytes are those of a page of HTML"),
            ("text/html", "document", "text/html and its first bytes are those of no page: document"),
        ] {
            let (level, evidence) = found(mime, sniffed).unwrap_or((FindingLevel::Passed, String::new()));
            assert!(level == FindingLevel::Odd && evidence.contains(expected), "{mime} {sniffed}: {evidence}");
        }
        for (mime, sniffed) in
            [("image/png", "image"), ("image/png", ""), ("text/plain", "page"), ("text/html", "page")]
        {
            assert_eq!(found(mime, sniffed), None, "{mime} {sniffed}");
        }
    }
}
