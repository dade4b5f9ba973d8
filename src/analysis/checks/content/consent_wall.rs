//! Consent wall: a question about cookies is in the place of the page.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static CONSENT_WALL: Check = Check {
    id: "consent-wall",
    label: "Consent wall",
    level: CheckLevel::Page,
    weight: 0.4,
    rule: "The source names a manager of consents and the page has fewer than 60 words of main text, or the redirect leads to a host that \
           asks for consent. Never a problem by itself. A banner over a whole text says nothing: a third of sound articles have one.",
    inputs: &["names of services in the source", "main text", "redirect"],
    thresholds: &[threshold("main_words", 60.0, "words of main text below which a manager of consents counts")],
    sources: &["Consent-O-Matic (names of managers)", "measured on 286 articles: no false alarm of the pair"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    if let Some(redirect) = of.of.redirect.as_ref().filter(|redirect| redirect.is_to_consent) {
        let text = format!("leads to a page that asks for consent, {}", redirect.to);
        return Some(Signal::problem(1.0, evidence(text, json!({ "to": redirect.to }))));
    }
    let page = of.page;
    if !page.is_page || of.of.status != 200 || page.words >= limits.count("main_words") {
        return None;
    }
    let manager = page.markers.iter().find_map(|marker| marker.strip_prefix("consent "))?;
    let text = format!("{} and a manager of consents, {manager}", counted(page.words, "word"));
    Some(Signal::problem(1.0, evidence(text, json!({ "words": page.words, "manager": manager }))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};

    #[test]
    fn a_banner_over_a_text_is_no_finding() {
        let check = |words| {
            let (mut page, of) = page("http://a.pt/", words);
            page.markers = vec!["consent didomi".to_owned()];
            found(&CONSENT_WALL, &page, &of)
        };
        assert_eq!((check(20), check(500)), (Some(FindingState::Odd), None));
    }
}
