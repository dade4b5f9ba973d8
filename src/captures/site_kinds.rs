//! The kind of site that a page is of, such as a wiki or a shop, by signs in the page.
//!
//! Kinds, signs and proposed exclusions are data (`assets/site-kinds.json`). A sign counts in a tag only: a page that
//! explains how a wiki is made is none of a wiki.

use aho_corasick::AhoCorasick;
use serde::Deserialize;
use std::sync::LazyLock;

/// Bytes of a page that are read for signs.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Points with which a page is of a kind.
const ENOUGH: u32 = 100;
/// Bytes before a text in which its tag begins.
const MAX_TAG_BYTES: usize = 4_000;

/// Where a sign is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SignPlace {
    Generator,
    Tag,
    Header,
}

#[derive(Debug, Clone, Deserialize)]
struct SiteSign {
    #[serde(rename = "in")]
    place: SignPlace,
    text: String,
    points: u32,
}

/// A kind of site.
#[derive(Debug, Clone, Deserialize)]
pub struct SiteKind {
    /// Its name in data.
    pub name: String,
    /// Its name on the screen.
    pub label: String,
    signs: Vec<SiteSign>,
    /// Parts of URLs that repeat what other URLs have, as regular expressions.
    pub skip: Vec<String>,
    /// The pages that have to be followed, in words.
    pub follow: String,
}

#[derive(Debug, Clone, Deserialize)]
struct SiteKindFile {
    kinds: Vec<SiteKind>,
}

/// The kinds of sites that are known.
pub static SITE_KINDS: LazyLock<Vec<SiteKind>> = LazyLock::new(|| {
    let file: Result<SiteKindFile, _> = serde_json::from_str(include_str!("../../assets/site-kinds.json"));
    file.map(|file| file.kinds).unwrap_or_default()
});

static FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(tag_signs().map(|(_, sign)| &sign.text)).ok());

fn tag_signs() -> impl Iterator<Item = (usize, &'static SiteSign)> {
    let all = SITE_KINDS.iter().enumerate();
    all.flat_map(|(kind, of)| of.signs.iter().map(move |sign| (kind, sign)))
        .filter(|(_, sign)| sign.place == SignPlace::Tag)
}

/// The kinds of site that a page is of, each with the signs that it has.
pub(super) fn site_kinds(fields: &[(String, String)], body: &[u8]) -> Vec<(String, Vec<String>)> {
    let body = &body[..body.len().min(MAX_BODY_BYTES)];
    let generator = generator_of(body);
    let mut found: Vec<(u32, Vec<String>)> = vec![(0, Vec::new()); SITE_KINDS.len()];
    let signs: Vec<(usize, &SiteSign)> = tag_signs().collect();
    let mut is_met = vec![false; signs.len()];
    for hit in FINDER.iter().flat_map(|finder| finder.find_overlapping_iter(body)) {
        let at = hit.pattern().as_usize();
        let before = &body[hit.start().saturating_sub(MAX_TAG_BYTES)..hit.start()];
        let is_in_tag = memchr::memrchr2(b'<', b'>', before).is_some_and(|at| before[at] == b'<');
        if is_in_tag && !std::mem::replace(&mut is_met[at], true) {
            let (kind, sign) = signs[at];
            found[kind].0 += sign.points;
            found[kind].1.push(sign.text.clone());
        }
    }
    for (kind, (points, evidence)) in SITE_KINDS.iter().zip(&mut found) {
        for sign in &kind.signs {
            let has = match sign.place {
                SignPlace::Tag => None,
                SignPlace::Generator => generator.starts_with(&sign.text).then(|| format!("generator {}", sign.text)),
                SignPlace::Header => fields
                    .iter()
                    .any(|(name, value)| format!("{name}: {value}").to_ascii_lowercase().contains(&sign.text))
                    .then(|| format!("header {}", sign.text)),
            };
            if let Some(has) = has {
                *points += sign.points;
                evidence.push(has);
            }
        }
    }
    let kinds = SITE_KINDS.iter().zip(found).filter(|(_, (points, _))| *points >= ENOUGH);
    kinds.map(|(kind, (_, evidence))| (kind.name.clone(), evidence)).collect()
}

/// What a page has in `<meta name=generator>`; empty without.
fn generator_of(body: &[u8]) -> String {
    for at in memchr::memmem::find_iter(body, "<meta") {
        let tag = &body[at..body.len().min(at + MAX_TAG_BYTES)];
        let tag = &tag[..memchr::memchr(b'>', tag).unwrap_or(tag.len())];
        let tag = String::from_utf8_lossy(tag);
        let Some((_, behind)) = tag.split_once("content=").filter(|_| {
            ["name=\"generator\"", "name='generator'", "name=generator"].iter().any(|name| tag.contains(name))
        }) else {
            continue;
        };
        return behind.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default().to_owned();
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_known_by_their_tags_and_not_by_their_texts() {
        assert_eq!(SITE_KINDS.len(), 9);
        for kind in &*SITE_KINDS {
            assert!(kind.skip.iter().all(|pattern| regex::Regex::new(pattern).is_ok()), "{}", kind.name);
        }
        let kinds = |generator: &str, body: &str| {
            let page = format!("<meta name='generator' content='{generator}'>{body}");
            let found = site_kinds(&[], page.as_bytes());
            found.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds("MediaWiki 1.43.0", ""), ["mediawiki"]);
        let themes = "<link href=\"/wp-content/themes/a.css\"><script src='/wp-includes/a.js'></script>";
        assert_eq!(kinds("", themes), ["wordpress"]);
        assert!(kinds("", "<p>Copy /wp-content/themes/ and /wp-includes/ and /wp-content/plugins/").is_empty());
        assert!(kinds("Hugo", "<p>id=\"phpbb\"").is_empty());
        let drupal = site_kinds(&[("X-Generator".to_owned(), "Drupal 10".to_owned())], b"");
        assert_eq!(drupal, [("drupal".to_owned(), vec!["header x-generator: drupal".to_owned()])]);
    }
}
