//! The signs of a content version by itself, read once of its text and facts.

use super::repaired::{pairs_in, repaired_line};
use crate::analysis::checks::{
    CheckedLink, FoundPhrase, PageSigns, PhraseKind, Requisite, RequisiteKind, begins_with_error_number, phrases_in,
    requisites_of,
};
use crate::captures::PageFacts;
use crate::links::LinkKind;
use crate::search::StoredPage;
use crate::store::KeptPage;
use crate::text::near::{MinHash, shingles};
use crate::text::{is_stop_term, words};
use crate::uri::{Fqdn, Url};
use crate::work::models::CaptureId;
use std::collections::{BTreeMap, BTreeSet};

/// The form of the signs: counts up where they are read in another way, and all are read again.
pub(super) const FORM: u32 = 3;

/// Letters of titles and addresses that are kept.
const SHORTENED: usize = 300;
/// Words at the beginning of a text that name a domain for sale.
const BEGIN_LENGTH: usize = 50;
/// Words at the end of a text that ask for a subscription.
const END_LENGTH: usize = 60;
/// Words up to which a text is searched for notices.
const NOTICE_LENGTH: u64 = 300;
/// Terms that are kept of a text.
const TERMS: usize = 64;
/// Segments that are kept of a playlist.
const MOST_SEGMENTS: usize = 120;
/// Declared side of an image in pixels from which it is large.
const LARGE_SIDE: u32 = 200;
/// Names of parameters that follow people, or the beginning of such names.
const TRACKERS: [&str; 9] = ["utm_", "gclid", "fbclid", "clickid", "subid", "affid", "aff_", "tracking", "domain="];

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(SHORTENED).collect()
}

/// The signs of a version. `links` are those of its capture, by position.
pub(super) fn page_signs(
    version: CaptureId,
    page: &StoredPage,
    facts: &PageFacts,
    links: &[CheckedLink],
    url: &str,
) -> KeptPage {
    let mut signs = PageSigns {
        is_read: page.is_read(),
        is_page: facts.is_page,
        sniffed: facts.sniffed.clone(),
        body_bytes: facts.body_bytes[0],
        declared_bytes: field(facts, "content-length").and_then(|length| length.trim().parse().ok()),
        truncated: facts.truncated.clone(),
        end: facts.end,
        range: field(facts, "content-range").and_then(range_of),
        problems: facts.problems.iter().take(8).map(|problem| shortened(problem)).collect(),
        is_challenge: field(facts, "cf-mitigated").is_some_and(|value| value.trim().eq_ignore_ascii_case("challenge")),
        ..PageSigns::default()
    };
    let mut kept = KeptPage { version, signs: PageSigns::default(), sketch: Vec::new(), terms: Vec::new() };
    if facts.is_page {
        let main = words(&page.main);
        add_text(&mut signs, page, facts, main.len());
        add_elements(&mut signs, facts, links, url);
        kept.sketch = MinHash::of(&shingles(&page.main)).map(|sketch| sketch.to_bytes().to_vec()).unwrap_or_default();
        kept.terms = terms_of(&main, &page.language);
    } else if is_playlist(facts, url) {
        let segments = links.iter().filter(|link| link.kind == LinkKind::Media).take(MOST_SEGMENTS);
        let requisite =
            |link: &CheckedLink| Requisite { kind: RequisiteKind::Segment, urls: vec![link.url.clone()], weight: 10 };
        signs.requisites = segments.map(requisite).collect();
    }
    kept.signs = signs;
    kept
}

fn field<'f>(facts: &'f PageFacts, name: &str) -> Option<&'f str> {
    facts.fields.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// First byte, last byte and length of `bytes 0-99/1000`.
fn range_of(value: &str) -> Option<[u64; 3]> {
    let (range, whole) = value.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let (first, last) = range.trim().split_once('-')?;
    Some([first.trim().parse().ok()?, last.trim().parse().ok()?, whole.trim().parse().ok()?])
}

fn is_playlist(facts: &PageFacts, url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let mime = field(facts, "content-type").unwrap_or_default().to_ascii_lowercase();
    path.ends_with(".m3u8") || path.ends_with(".mpd") || mime.contains("mpegurl") || mime.contains("dash+xml")
}

fn add_text(signs: &mut PageSigns, page: &StoredPage, facts: &PageFacts, main_words: usize) {
    signs.words = main_words as u64;
    signs.all_words = signs.words + words(&page.rest).len() as u64;
    signs.letters = page.main.chars().filter(|c| c.is_alphabetic()).count() as u64;
    let texts = [page.title.as_str(), page.main.as_str(), page.rest.as_str()];
    signs.chars = texts.iter().map(|text| text.chars().count() as u64).sum();
    signs.title = shortened(&page.title);
    signs.heading = shortened(&facts.heading);
    signs.replaced = facts.garbled[0];
    let above = [signs.title.as_str(), signs.heading.as_str()];
    signs.replaced_above = above.iter().map(|text| text.matches('\u{fffd}').count() as u64).sum();
    signs.pairs = texts.iter().map(|text| pairs_in(text)).sum();
    if signs.pairs > 0 {
        signs.repaired = texts.iter().find_map(|text| repaired_line(text));
    }
    signs.charsets = facts.charset.as_ref().map(|(charset, _)| [facts.declared_charset.clone(), charset.clone()]);
    if let Some([_, language]) = &facts.languages {
        (signs.language, signs.language_percent) = (language.clone(), facts.language_percent);
    }
    let mut add = |text: &str, place: &str, kinds: &[PhraseKind]| {
        for (kind, phrase) in phrases_in(text).into_iter().filter(|(kind, _)| kinds.contains(kind)) {
            signs.phrases.push(FoundPhrase { kind, place: place.to_owned(), phrase: phrase.to_owned() });
        }
    };
    use PhraseKind::{Busy, Challenge, CutText, ForSale, LogIn, NotFound, Paywall};
    add(&page.title, "title", &[NotFound, ForSale, Busy, Challenge]);
    add(&facts.heading, "heading", &[NotFound, ForSale, Busy]);
    let text = page.text();
    let part = |range: std::ops::Range<usize>| {
        let all: Vec<&str> = text.split_whitespace().collect();
        all.get(range.start.min(all.len())..range.end.min(all.len())).unwrap_or_default().join(" ")
    };
    add(&part(0..BEGIN_LENGTH), "text", &[ForSale]);
    let whole = text.split_whitespace().count();
    if whole as u64 <= NOTICE_LENGTH {
        add(&text, "text", &[Busy, LogIn, NotFound]);
    }
    if facts.is_not_free {
        add(&text, "text", &[CutText]);
    }
    let end: Vec<&str> = page.main.split_whitespace().collect();
    add(&end.get(end.len().saturating_sub(END_LENGTH)..).unwrap_or_default().join(" "), "text", &[Paywall]);
    if begins_with_error_number(&page.title) {
        let (place, phrase) = ("title".to_owned(), "404".to_owned());
        signs.phrases.push(FoundPhrase { kind: NotFound, place, phrase });
    }
}

fn add_elements(signs: &mut PageSigns, facts: &PageFacts, links: &[CheckedLink], url: &str) {
    let elements = &facts.elements;
    signs.markers = facts.markers.clone();
    (signs.needs_scripts, signs.is_not_free) = (facts.needs_scripts, facts.is_not_free);
    (signs.forms, signs.password_fields) = (elements.forms, elements.password_fields);
    (signs.frames, signs.media) = (elements.frames, elements.media);
    signs.scripts = elements.script_files.saturating_add(elements.inline_scripts);
    (signs.modules, signs.script_roots) = (elements.modules, elements.script_roots);
    signs.images = (elements.images.len() as u32).saturating_add(elements.further_images);
    let is_large = |side: Option<u32>| side.is_some_and(|side| side >= LARGE_SIDE);
    signs.large_images = elements.images.iter().filter(|of| is_large(of.width) || is_large(of.height)).count() as u32;
    signs.media_links = links.iter().filter(|link| link.kind == LinkKind::Media).count() as u32;
    signs.own_url = facts.own_urls.iter().find(|own| !own.is_empty() && *own != url).cloned().unwrap_or_default();
    signs.refresh_to = facts.refresh_to.clone();
    signs.links = link_sums(links, url);
    signs.requisites = requisites_of(links, Some(&elements.images), elements.modules > 0);
}

/// Links to pages: all, to other sites, of these with parameters that follow people, and sites.
fn link_sums(links: &[CheckedLink], url: &str) -> [u32; 4] {
    let site_of = |url: &str| Url::parse(url).ok().map(|url| Fqdn::of(&url).registrable().to_owned());
    let own = site_of(url);
    let (mut sums, mut sites) = ([0_u32; 4], BTreeSet::new());
    for link in links.iter().filter(|link| matches!(link.kind, LinkKind::Anchor | LinkKind::Area)) {
        let Some(site) = site_of(&link.url) else { continue };
        sums[0] += 1;
        if Some(&site) != own.as_ref() {
            sums[1] += 1;
            let query = link.url.split_once('?').map_or("", |(_, query)| query);
            sums[2] += u32::from(TRACKERS.iter().any(|name| query.contains(name)));
            sites.insert(site);
        }
    }
    sums[3] = sites.len() as u32;
    sums
}

/// Hashes of the commonest terms with their counts, 6 bytes each, by hash.
fn terms_of(main: &[String], language: &str) -> Vec<u8> {
    let mut counts: BTreeMap<u32, u16> = BTreeMap::new();
    for word in main {
        if word.chars().count() > 2 && !is_stop_term(language, word) {
            let count = counts.entry(hash_of(word)).or_default();
            *count = count.saturating_add(1);
        }
    }
    let mut all: Vec<(u32, u16)> = counts.into_iter().collect();
    all.sort_unstable_by_key(|(hash, count)| (std::cmp::Reverse(*count), *hash));
    all.truncate(TERMS);
    all.sort_unstable();
    all.iter().flat_map(|(hash, count)| hash.to_le_bytes().into_iter().chain(count.to_le_bytes())).collect()
}

/// FNV-1a, which is the same for ever.
fn hash_of(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Cosine of the terms of two texts, by the logarithm of their counts, 0 to 1; 0 for a text without terms.
pub(super) fn cosine(one: &[u8], other: &[u8]) -> f64 {
    let read = |terms: &[u8]| -> Vec<(u32, f64)> {
        let term = |of: &[u8]| match of {
            [a, b, c, d, e, f] => (u32::from_le_bytes([*a, *b, *c, *d]), f64::from(u16::from_le_bytes([*e, *f]))),
            _ => (0, 0.0),
        };
        terms.chunks_exact(6).map(term).map(|(hash, count)| (hash, 1.0 + count.max(1.0).ln())).collect()
    };
    let (one, other) = (read(one), read(other));
    let length = |terms: &[(u32, f64)]| terms.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    let product: f64 = one
        .iter()
        .filter_map(|(hash, weight)| {
            let at = other.binary_search_by_key(hash, |(hash, _)| *hash).ok()?;
            Some(weight * other.get(at)?.1)
        })
        .sum();
    let lengths = length(&one) * length(&other);
    // A sum of nothing is −0.
    if lengths > 0.0 { (product / lengths).min(1.0) + 0.0 } else { 0.0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_topic_share_terms_and_others_do_not() {
        let terms = |main: &str| terms_of(&words(main), "en");
        let boats = terms("The museum of boats shows boats of the lagoon and tools of the yard");
        let again = terms("Tools of the yard and boats of the lagoon, the museum says");
        let casino = terms("Play slots online, win jackpots, bonus spins today");
        assert!(cosine(&boats, &again) > 0.7 && cosine(&boats, &casino) < 0.1);
        assert!((cosine(&boats, &boats) - 1.0).abs() < 1e-9 && cosine(&boats, &[]).abs() < 1e-9);
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(range_of("bytes 0-99/1000"), Some([0, 99, 1000]));
        assert_eq!(range_of("bytes */1000"), None);
    }
}
