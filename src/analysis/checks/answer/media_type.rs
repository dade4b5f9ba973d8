//! Type: what the server declares is not what came.

use crate::analysis::checks::check::Reads;
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use crate::captures::Media;
use serde_json::json;

/// Ends of paths of documents and images.
const ENDS: [&str; 14] = [
    ".pdf", ".doc", ".docx", ".odt", ".xls", ".xlsx", ".ppt", ".pptx", ".epub", ".jpg", ".jpeg", ".png", ".gif",
    ".webp",
];

pub static MEDIA_TYPE: Check = Check {
    id: "type",
    label: "Another type than declared",
    level: CheckLevel::Page,
    weight: 0.5,
    rule: "The first bytes are of another medium than the declared type: a page of HTML instead of an image or a document, or a file \
           instead of a page. Odd only is a page at an address that ends as that of a document or image, and HTML as plain text.",
    inputs: &["declared type", "first bytes", "URL"],
    thresholds: &[],
    sources: &["WHATWG MIME Sniffing"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, _: CheckLimits<'_>) -> Option<Signal> {
    if !(200..300).contains(&of.of.status) {
        return None;
    }
    let sniffed = Media::ALL.into_iter().find(|media| media.as_str() == of.page.sniffed)?;
    let is_file = |media| matches!(media, Media::Document | Media::Image | Media::Audio | Media::Video);
    let mime = of.of.mime.as_str();
    let more = json!({ "declared": mime, "found": of.page.sniffed });
    match (Media::of_type(mime), sniffed) {
        (declared, Media::Page) if is_file(declared) => {
            Some(Signal::problem(1.0, evidence(format!("declared as {mime}, and a page of HTML came"), more)))
        }
        (Media::Page, sniffed) if is_file(sniffed) => {
            let text = format!("declared as {mime}, and a file came: {}", sniffed.as_str());
            Some(Signal::problem(1.0, evidence(text, more)))
        }
        (_, Media::Page) if mime.eq_ignore_ascii_case("text/plain") => {
            Some(Signal::odd(0.5, evidence("declared as plain text, and HTML came", more)))
        }
        (_, Media::Page) => {
            let path = of.of.url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
            let end = ENDS.into_iter().find(|end| path.ends_with(end))?;
            Some(Signal::odd(0.8, evidence(format!("the address ends in {end}, and a page of HTML came"), more)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};

    #[test]
    fn what_is_something_else_than_declared_is_found() {
        let check = |url: &str, mime: &str, sniffed: &str| {
            let (mut page, mut of) = page(url, 10);
            (page.sniffed, of.mime) = (sniffed.to_owned(), mime.to_owned());
            found(&MEDIA_TYPE, &page, &of)
        };
        assert_eq!(check("http://a.pt/a.png", "image/png", "page"), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/a", "text/html", "document"), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/a.pdf", "text/html", "page"), Some(FindingState::Odd));
        assert_eq!(check("http://a.pt/a.txt", "text/plain", "page"), Some(FindingState::Odd));
        for (mime, sniffed) in [("image/png", "image"), ("image/png", ""), ("text/html", "page")] {
            assert_eq!(check("http://a.pt/a", mime, sniffed), None, "{mime} {sniffed}");
        }
    }
}
