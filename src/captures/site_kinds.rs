//! The kind of site that a page is of, such as a wiki or a shop, by signs in the page.
//!
//! Kinds, signs and proposed exclusions are data: those of the program (`assets/site-kinds.json`), and those that a
//! person adds or puts in their place in a workspace. A sign counts in a tag or script only: a page that explains how a wiki is
//! made is none of a wiki.

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Bytes of a page that are read for signs.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Points with which a page is of a kind.
const ENOUGH: u32 = 100;
/// Bytes before a text in which its tag begins.
const MAX_TAG_BYTES: usize = 4_000;
/// Kinds of one file, and signs or exclusions of one kind.
const MAX_ENTRIES: usize = 200;
/// Letters of a name, a sign or an exclusion.
const MAX_CHARS: usize = 300;

/// Where a sign is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SignPlace {
    Generator,
    Tag,
    Script,
    Header,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteSign {
    #[serde(rename = "in")]
    place: SignPlace,
    text: String,
    points: u32,
}

/// A kind of site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteKind {
    /// Its name in data and in queries: small letters and digits.
    pub name: String,
    /// Its name on the screen.
    pub label: String,
    /// Signs of its pages; without any no page is of this kind.
    #[serde(default)]
    signs: Vec<SiteSign>,
    /// Parts of URLs that repeat what other URLs have, as regular expressions.
    #[serde(default)]
    pub skip: Vec<String>,
    /// The pages that have to be followed, in words.
    #[serde(default)]
    pub follow: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteKindFile {
    #[serde(default, rename = "about")]
    _about: String,
    kinds: Vec<SiteKind>,
}

/// A file of kinds of sites cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SiteKindsError {
    /// The text is no such file.
    #[error("line {line}, column {column}: {why}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The fault.
        why: String,
    },
    /// A kind makes no sense.
    #[error("kind {nth} (“{name}”), {field}: {why}")]
    Kind {
        /// Its place in the file, from 1.
        nth: usize,
        /// Its name.
        name: String,
        /// The field.
        field: String,
        /// The fault, and what to write.
        why: String,
    },
}

/// The kinds of sites that pages are compared with.
#[derive(Debug, Clone)]
pub struct SiteKinds {
    kinds: Vec<SiteKind>,
    finder: Option<AhoCorasick>,
    digest: String,
}

static BUILT_IN: LazyLock<Vec<SiteKind>> = LazyLock::new(|| {
    let file: Result<SiteKindFile, _> = serde_json::from_str(include_str!("../../assets/site-kinds.json"));
    file.map(|file| file.kinds).unwrap_or_default()
});

impl Default for SiteKinds {
    fn default() -> Self {
        Self::of(BUILT_IN.clone())
    }
}

impl SiteKinds {
    /// The kinds of the program with those of a file, which take the place of the ones of their names. A text without
    /// anything in it adds none.
    ///
    /// # Errors
    ///
    /// [`SiteKindsError`].
    pub fn with_file(text: &str) -> Result<Self, SiteKindsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let file: SiteKindFile = serde_json::from_str(text).map_err(|error| {
            let why = error.to_string();
            let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why).to_owned();
            SiteKindsError::Json { line: error.line(), column: error.column(), why }
        })?;
        check_kinds(&file.kinds)?;
        let mut kinds = BUILT_IN.clone();
        for own in file.kinds {
            match kinds.iter_mut().find(|kind| kind.name == own.name) {
                Some(kind) => *kind = own,
                None => kinds.push(own),
            }
        }
        Ok(Self::of(kinds))
    }

    fn of(kinds: Vec<SiteKind>) -> Self {
        let finder = AhoCorasick::new(body_signs(&kinds).map(|(_, sign)| &sign.text)).ok();
        // The exclusions are no part of what pages are compared with.
        let signs: Vec<(&str, &[SiteSign])> = kinds.iter().map(|kind| (&*kind.name, &*kind.signs)).collect();
        let signs = serde_json::to_vec(&signs).unwrap_or_default();
        Self { digest: data_encoding::HEXLOWER.encode(&Sha256::digest(signs)), kinds, finder }
    }

    /// The kinds, in the order of the files.
    pub fn kinds(&self) -> &[SiteKind] {
        &self.kinds
    }

    /// The kind of a name.
    pub fn kind(&self, name: &str) -> Option<&SiteKind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }

    /// SHA-256 of all names and signs, in hex: equal where pages are recognised by the same.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The file that has these kinds.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&serde_json::json!({ "kinds": self.kinds })).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The kinds of site that a page is of, each with the signs that it has.
    pub fn of_page(&self, fields: &[(String, String)], body: &[u8]) -> Vec<(String, Vec<String>)> {
        let body = &body[..body.len().min(MAX_BODY_BYTES)];
        let generator = generator_of(body);
        let mut found: Vec<(u32, Vec<String>)> = vec![(0, Vec::new()); self.kinds.len()];
        let signs: Vec<(usize, &SiteSign)> = body_signs(&self.kinds).collect();
        let mut is_met = vec![false; signs.len()];
        for hit in self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(body)) {
            let at = hit.pattern().as_usize();
            let before = &body[hit.start().saturating_sub(MAX_TAG_BYTES)..hit.start()];
            let is_there = match signs[at].1.place {
                SignPlace::Script => is_in_script(before),
                _ => memchr::memrchr2(b'<', b'>', before).is_some_and(|at| before[at] == b'<'),
            };
            if is_there && !std::mem::replace(&mut is_met[at], true) {
                let (kind, sign) = signs[at];
                found[kind].0 = found[kind].0.saturating_add(sign.points);
                found[kind].1.push(sign.text.clone());
            }
        }
        for (kind, (points, evidence)) in self.kinds.iter().zip(&mut found) {
            for sign in &kind.signs {
                let has = match sign.place {
                    SignPlace::Tag | SignPlace::Script => None,
                    SignPlace::Generator => {
                        generator.starts_with(&sign.text).then(|| format!("generator {}", sign.text))
                    }
                    SignPlace::Header => fields
                        .iter()
                        .any(|(name, value)| format!("{name}: {value}").to_ascii_lowercase().contains(&sign.text))
                        .then(|| format!("header {}", sign.text)),
                };
                if let Some(has) = has {
                    *points = points.saturating_add(sign.points);
                    evidence.push(has);
                }
            }
        }
        let kinds = self.kinds.iter().zip(found).filter(|(_, (points, _))| *points >= ENOUGH);
        kinds.map(|(kind, (_, evidence))| (kind.name.clone(), evidence)).collect()
    }
}

/// The signs that are found in the body of a page.
fn body_signs(kinds: &[SiteKind]) -> impl Iterator<Item = (usize, &SiteSign)> {
    kinds
        .iter()
        .enumerate()
        .flat_map(|(kind, of)| of.signs.iter().map(move |sign| (kind, sign)))
        .filter(|(_, sign)| matches!(sign.place, SignPlace::Tag | SignPlace::Script))
}

/// Whether the bytes behind these are in the text of a script.
fn is_in_script(before: &[u8]) -> bool {
    let last = |tag: &[u8]| memchr::memmem::rfind(before, tag);
    last(b"<script").is_some_and(|open| last(b"</script").is_none_or(|close| close < open))
}

/// The first fault of the kinds of a file.
fn check_kinds(kinds: &[SiteKind]) -> Result<(), SiteKindsError> {
    let mut names = HashSet::new();
    for (nth, kind) in (1..).zip(kinds) {
        let wrong = |field: &str, why: String| {
            let name = kind.name.chars().take(MAX_CHARS).collect();
            Err(SiteKindsError::Kind { nth, name, field: field.to_owned(), why })
        };
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if kind.name.is_empty() || kind.name.len() > 40 || !kind.name.chars().all(is_name) || kind.name == "none" {
            return wrong("name", "a name is 1 to 40 small letters and digits, such as joomla".to_owned());
        }
        if !names.insert(&kind.name) {
            return wrong("name", "another kind of the file has this name; write each once".to_owned());
        }
        if kind.label.trim().is_empty() || kind.label.chars().count() > MAX_CHARS {
            return wrong("label", "write the name that people read, such as Joomla".to_owned());
        }
        for (field, count) in [("kinds", kinds.len()), ("signs", kind.signs.len()), ("skip", kind.skip.len())] {
            if count > MAX_ENTRIES {
                return wrong(field, format!("there are {count}; write at most {MAX_ENTRIES}"));
            }
        }
        for (at, sign) in kind.signs.iter().enumerate() {
            let field = format!("signs[{at}]");
            if sign.text.trim().is_empty() || sign.text.chars().count() > MAX_CHARS {
                return wrong(&field, format!("its text is empty or has more than {MAX_CHARS} letters"));
            }
            if sign.points == 0 || sign.points > ENOUGH {
                return wrong(&field, format!("{} points; write 1 to {ENOUGH}", sign.points));
            }
            if sign.place == SignPlace::Header && sign.text != sign.text.to_ascii_lowercase() {
                return wrong(&field, "header fields are compared in small letters; write them so".to_owned());
            }
        }
        for (at, skip) in kind.skip.iter().enumerate() {
            let field = format!("skip[{at}]");
            if skip.chars().count() > MAX_CHARS {
                return wrong(&field, format!("it has more than {MAX_CHARS} letters"));
            }
            if let Err(error) = regex::Regex::new(skip) {
                let why = error.to_string();
                return wrong(&field, format!("no regular expression: {}", why.lines().last().unwrap_or_default()));
            }
        }
    }
    Ok(())
}

/// What a page has in `<meta name=generator>`; empty without.
fn generator_of(body: &[u8]) -> String {
    for at in memchr::memmem::find_iter(body, "<meta") {
        let tag = &body[at..body.len().min(at + MAX_TAG_BYTES)];
        let tag = &tag[..memchr::memchr(b'>', tag).unwrap_or(tag.len())];
        let tag = String::from_utf8_lossy(tag);
        let Some((_, behind)) = tag.split_once("content=").filter(|_| {
            ["name=\"generator\"", "name='generator'", "name=generator"]
                .iter()
                .any(|name| tag.to_ascii_lowercase().contains(name))
        }) else {
            continue;
        };
        return behind.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default().to_owned();
    }
    String::new()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_known_by_their_tags_and_not_by_their_texts() {
        let built_in = SiteKinds::default();
        assert_eq!(built_in.kinds().len(), 9);
        check_kinds(built_in.kinds()).unwrap();
        for kind in built_in.kinds() {
            assert!(kind.skip.iter().all(|pattern| regex::Regex::new(pattern).is_ok()), "{}", kind.name);
        }
        let kinds = |generator: &str, body: &str| {
            let page = format!("<meta name='generator' content='{generator}'>{body}");
            let found = built_in.of_page(&[], page.as_bytes());
            found.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds("MediaWiki 1.43.0", ""), ["mediawiki"]);
        let themes = "<link href=\"/wp-content/themes/a.css\"><script src='/wp-includes/a.js'></script>";
        assert_eq!(kinds("", themes), ["wordpress"]);
        assert!(kinds("", "<p>Copy /wp-content/themes/ and /wp-includes/ and /wp-content/plugins/").is_empty());
        assert!(kinds("Hugo", "<p>id=\"phpbb\"").is_empty());
        let settings = "jQuery.extend(Drupal.settings, {})";
        assert_eq!(kinds("", &format!("<script>{settings}</script>")), ["drupal"]);
        assert!(kinds("", &format!("<script></script><pre>{settings}</pre>")).is_empty());
        let drupal = built_in.of_page(&[("X-Generator".to_owned(), "Drupal 10".to_owned())], b"");
        assert_eq!(drupal, [("drupal".to_owned(), vec!["header x-generator: drupal".to_owned()])]);
    }

    #[test]
    fn a_file_adds_kinds_and_takes_the_place_of_those_of_its_names() {
        let joomla = r#"{ "name": "joomla", "label": "Joomla", "skip": ["[?&]tmpl="],
            "signs": [{ "in": "generator", "text": "Joomla", "points": 100 }] }"#;
        let own =
            SiteKinds::with_file(&format!(r#"{{ "kinds": [{joomla}, {{ "name": "drupal", "label": "None" }}] }}"#));
        let own = own.unwrap();
        assert_eq!(own.kinds().len(), 10);
        let of =
            |generator: &str| own.of_page(&[], format!("<meta name=generator content=\"{generator}\">").as_bytes());
        assert_eq!(of("Joomla! 5"), [("joomla".to_owned(), vec!["generator Joomla".to_owned()])]);
        assert_eq!(of("Drupal 10"), []);
        assert_ne!(own.digest(), SiteKinds::default().digest());
        assert_eq!(SiteKinds::with_file(&own.to_json()).unwrap().digest(), own.digest());
        assert_eq!(SiteKinds::with_file(" \n").unwrap().digest(), SiteKinds::default().digest());
    }

    #[test]
    fn a_file_that_cannot_be_used_is_refused_with_its_place() {
        let refused = |text: &str| SiteKinds::with_file(text).unwrap_err().to_string();
        assert_eq!(refused("{\n  \"kinds\": [}"), "line 2, column 13: expected value");
        assert!(
            refused(r#"{ "kinds": [{ "name": "x", "label": "X", "sings": [] }] }"#).contains("unknown field `sings`")
        );
        let kind = |rest: &str| refused(&format!(r#"{{ "kinds": [{{ "label": "X", {rest} }}] }}"#));
        assert!(kind(r#""name": "My wiki""#).starts_with("kind 1 (“My wiki”), name: a name is 1 to 40 small letters"));
        assert!(kind(r#""name": "x", "skip": ["a", "("]"#).starts_with("kind 1 (“x”), skip[1]: no regular expression"));
        let sign = |sign: &str| kind(&format!(r#""name": "x", "signs": [{sign}]"#));
        assert!(sign(r#"{ "in": "body", "text": "x", "points": 1 }"#).contains("unknown variant `body`"));
        assert!(
            sign(r#"{ "in": "tag", "text": "x", "points": 101 }"#).ends_with("signs[0]: 101 points; write 1 to 100")
        );
        assert!(sign(r#"{ "in": "tag", "text": " ", "points": 1 }"#).contains("its text is empty"));
        assert!(sign(r#"{ "in": "header", "text": "X-Powered-By", "points": 1 }"#).contains("small letters"));
        let twice = r#"{ "kinds": [{ "name": "x", "label": "X" }, { "name": "x", "label": "X" }] }"#;
        assert!(refused(twice).starts_with("kind 2 (“x”), name: another kind"));
    }

    /// Pages of two labelled sets, by name.
    fn real_pages() -> Option<Vec<(String, Vec<u8>)>> {
        let mut pages = Vec::new();
        for set in ["trafilatura", "article-extraction"] {
            let archive = crate::testing::data(&format!("labelled/{set}/html.zip"))?;
            let mut archive = zip::ZipArchive::new(std::fs::File::open(archive).unwrap()).unwrap();
            for at in 0..archive.len() {
                let (mut file, mut bytes) = (archive.by_index(at).unwrap(), Vec::new());
                std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
                if bytes.starts_with(&[0x1f, 0x8b]) {
                    let packed = std::mem::take(&mut bytes);
                    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&packed[..]), &mut bytes)
                        .unwrap();
                }
                pages.push((file.name().unwrap().into_owned(), bytes));
            }
        }
        Some(pages)
    }

    #[test]
    fn real_pages_are_recognised_with_and_without_the_name_of_their_generator() {
        let Some(pages) = real_pages() else { return };
        let known = SiteKinds::default();
        let mut of_kind: std::collections::BTreeMap<&str, [usize; 3]> = Default::default();
        for (name, page) in &pages {
            let generator = generator_of(&page[..page.len().min(MAX_BODY_BYTES)]);
            let found = known.of_page(&[], page);
            let without = String::from_utf8_lossy(page).replace("generator", "maker").replace("Generator", "maker");
            let without = known.of_page(&[], without.as_bytes());
            let makes = |kind: &SiteKind| {
                let of_generator = kind.signs.iter().filter(|sign| sign.place == SignPlace::Generator);
                of_generator.into_iter().any(|sign| generator.starts_with(&sign.text))
            };
            for kind in known.kinds().iter().filter(|kind| makes(kind)) {
                let counts = of_kind.entry(&kind.name).or_default();
                counts[0] += 1;
                counts[1] += usize::from(found.iter().any(|(found, _)| *found == kind.name));
                counts[2] += usize::from(without.iter().any(|(found, _)| *found == kind.name));
            }
            // What other programs name as their own work is none of a kind that has a name of its own.
            if ["TYPO3", "Contao", "Hugo", "blogger", "HubSpot", "Koken", "fCMS", "redFACT"]
                .iter()
                .any(|other| generator.starts_with(other))
            {
                assert_eq!(found, [], "{name}: {generator}");
            }
        }
        println!("pages, recognised, recognised without the name of their generator: {of_kind:?}");
        assert!(of_kind["wordpress"][0] >= 60 && of_kind["drupal"][0] >= 5, "{of_kind:?}");
        for (kind, [pages, found, without]) in of_kind {
            assert_eq!(pages, found, "{kind}");
            assert!(without * 10 >= pages * 9, "{kind}: {without} of {pages}");
        }
    }

    #[test]
    fn pages_of_documentation_are_of_no_kind() {
        let Some(folder) = crate::testing::data("sites/httpd-manual-part") else { return };
        let known = SiteKinds::default();
        let files = crate::testing::files_under(&folder);
        let pages: Vec<_> = files.iter().filter(|path| path.to_string_lossy().contains(".html")).collect();
        assert!(pages.len() > 20, "{}", pages.len());
        for path in pages {
            assert_eq!(known.of_page(&[], &std::fs::read(path).unwrap()), [], "{}", path.display());
        }
    }
}
