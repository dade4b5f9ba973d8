//! Language: none of those of the campaign.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static LANGUAGE: Check = Check {
    id: "language",
    label: "Another language",
    level: CheckLevel::Page,
    weight: 0.4,
    rule: "The main text of at least 200 letters is, with a confidence of 90 of 100 or more, in another language than the campaign's \
           request names. Never a problem by itself. What the markup declares does not count: it is often wrong.",
    inputs: &["language of the main text", "request"],
    thresholds: &[
        threshold("letters", 200.0, "letters of main text from which a language is known"),
        threshold("percent", 90.0, "confidence in percent"),
    ],
    sources: &["whatlang, whichlang: measured on 99 of 100 texts of five sentences"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    let is_known = page.is_page
        && !page.language.is_empty()
        && page.letters >= limits.count("letters")
        && page.language_percent >= limits.count("percent");
    if of.of.languages.is_empty() || !is_known || of.of.languages.contains(&page.language) {
        return None;
    }
    let text = format!("in {}, where {} was requested", page.language, of.of.languages.join(", "));
    Some(Signal::problem(1.0, evidence(text, json!({ "language": page.language, "percent": page.language_percent }))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};

    #[test]
    fn a_short_text_has_no_language() {
        let check = |letters, language: &str, requested: &[&str]| {
            let (mut page, mut of) = page("http://a.pt/x", 100);
            (page.letters, page.language, page.language_percent) = (letters, language.to_owned(), 100);
            of.languages = requested.iter().map(|code| (*code).to_owned()).collect();
            found(&LANGUAGE, &page, &of)
        };
        assert_eq!(check(900, "de", &["pt"]), Some(FindingState::Odd));
        assert_eq!(check(900, "pt", &["pt", "en"]), None);
        assert_eq!(check(90, "de", &["pt"]), None);
        assert_eq!(check(900, "de", &[]), None);
    }
}
