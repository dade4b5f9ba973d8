//! Parked or for sale: the domain has another owner, or none.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, PhraseKind, Signal};
use serde_json::json;

pub static PARKED: Check = Check {
    id: "parked",
    label: "Parked or for sale",
    level: CheckLevel::Pair,
    weight: 0.9,
    rule: "Two of these, on a page with at most 200 words: words of a domain for sale in title or first 50 words; four of five links lead to \
           other sites, with parameters that track or to at most two sites, on fewer than 80 words; scripts or frames of a parking service; \
           an earlier capture with five times the words and no terms in common. One alone is odd.",
    inputs: &["title", "text", "links", "names of services in the source", "earlier captures"],
    thresholds: &[
        threshold("words", 200.0, "words of main text up to which the signals count"),
        threshold("link_words", 80.0, "words of main text below which links to few sites count"),
        threshold("external", 0.8, "share of links to other sites"),
        threshold("shrunk", 5.0, "times the words that an earlier capture had"),
        threshold("cosine", 0.1, "likeness to that one below which it is another page, 0 to 1"),
    ],
    sources: &["Vissers, Joosen, Nikiforakis 2015: Parking Sensors"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_page || !(200..300).contains(&of.of.status) || page.words > limits.count("words") {
        return None;
    }
    let mut reasons = Vec::new();
    if let Some(phrase) = page.phrases.iter().find(|of| of.kind == PhraseKind::ForSale) {
        reasons.push(format!("“{}” in the {}", phrase.phrase, phrase.place));
    }
    let [links, external, tracked, sites] = page.links;
    let is_external = links >= 5 && f64::from(external) >= limits.of("external") * f64::from(links);
    let leads_to_few = f64::from(tracked) >= limits.of("external") * f64::from(external) || sites <= 2;
    if is_external && leads_to_few && page.words < limits.count("link_words") {
        reasons.push(format!("{external} of {links} links lead to other sites"));
    }
    if let Some(service) = page.markers.iter().find_map(|marker| marker.strip_prefix("parking ")) {
        reasons.push(format!("the source names {service}"));
    }
    let last = of.of.history.as_ref().and_then(|history| history.last.as_ref());
    let was_another = last.filter(|last| {
        last.words as f64 >= limits.of("shrunk") * page.words.max(1) as f64 && last.cosine < limits.of("cosine")
    });
    if let (Some(last), false) = (was_another, reasons.is_empty()) {
        reasons.push(format!("it had {} words on {}", last.words, last.date));
    }
    if reasons.is_empty() {
        return None;
    }
    let is_pair = reasons.len() > 1;
    let more = json!({ "title": page.title, "words": page.words, "links": page.links, "markers": page.markers });
    Some(Signal::paired(is_pair, 1.0, evidence(reasons.join(", "), more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page, with_phrase};

    #[test]
    fn an_article_about_domains_is_not_parked() {
        let check = |words, phrase: bool, marker: bool| {
            let (mut page, of) = page("http://a.pt/", words);
            if phrase {
                page = with_phrase(page, PhraseKind::ForSale, "title");
            }
            if marker {
                page.markers = vec!["parking sedoparking.com".to_owned()];
            }
            found(&PARKED, &page, &of)
        };
        assert_eq!(check(20, true, true), Some(FindingState::Problem));
        assert_eq!(check(20, true, false), Some(FindingState::Odd));
        assert_eq!(check(700, true, true), None);
        assert_eq!(check(20, false, false), None);
    }
}
