//! Links out of sitemaps and feeds.

use super::LargePagePermit;
use crate::links::{LinkKind, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, Outlink};
use crate::uri::{Url, resolve};
use crate::warc::Headers;
use crate::warc::http::{Payload, decode_body};
use memchr::memmem;
use std::borrow::Cow;
use std::convert::Infallible;

/// The first bytes of a gzip file.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Whether a URL is of a sitemap that may be compressed.
pub fn is_packed_sitemap(url: &Url) -> bool {
    url.path().ends_with(".xml.gz")
}

/// Sitemaps may be gzip files. A damaged end still leaves the entries before it.
pub(super) fn unpacked<'a>(payload: &'a [u8], permit: &mut LargePagePermit) -> Payload<'a> {
    let mut headers = Headers::new();
    if payload.starts_with(&GZIP) {
        headers.push("Content-Encoding", "gzip");
    }
    let Ok(unpacked) = permit.decode(|limit| Ok::<_, Infallible>(decode_body(&headers, payload, limit)));
    unpacked
}

/// URLs of a sitemap (`loc`), an RSS or RDF feed (`link` text) or an Atom feed
/// (`link href`); nothing where the document is none of these. Says how many
/// were left out.
pub(super) fn read_listing(bytes: &[u8], base: &Url) -> (Vec<Outlink>, u64) {
    let text = String::from_utf8_lossy(bytes);
    let mut texts = Texts { of: &text, cdata_end: 0 };
    let (mut found, mut left_out, mut bytes) = (Vec::new(), 0, 0);
    let mut root = None;
    let mut rest = text.as_ref();
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else { break };
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default();
        if tag.starts_with(['?', '!', '/']) || name.is_empty() {
            continue;
        }
        let root = *root.get_or_insert(name);
        let target = match (root, name) {
            ("urlset" | "sitemapindex", "loc") | ("rss" | "RDF", "link") => texts.next_of(after),
            ("feed", "link") => attribute(tag, "href").map(|target| (target.trim(), false)),
            ("urlset" | "sitemapindex" | "rss" | "RDF" | "feed", _) => None,
            _ => return (found, left_out),
        };
        let Some((target, is_meant)) = target.filter(|(target, _)| !target.is_empty()) else { continue };
        // A long base makes much out of little.
        if target.len() > MAX_URL_BYTES || found.len() >= MAX_LINKS_PER_PAGE || bytes >= MAX_LINK_BYTES_PER_PAGE {
            left_out += 1;
            continue;
        }
        if let Some(url) = resolve(base, &if is_meant { Cow::Borrowed(target) } else { unescape(target) }) {
            bytes += url.as_str().len();
            match url.as_str().len() > MAX_URL_BYTES || bytes > MAX_LINK_BYTES_PER_PAGE {
                true => left_out += 1,
                false => found.push(Outlink::bare(url, LinkKind::Manifest)),
            }
        }
    }
    (found, left_out)
}

/// Texts of elements of a document.
struct Texts<'t> {
    of: &'t str,
    /// The place of the last `]]>` found: no byte is searched twice for it.
    cdata_end: usize,
}

impl<'t> Texts<'t> {
    /// The text at the beginning of `after`, the rest of the document, up to the next tag, and whether
    /// it is literal; none without an end. Of what is too long for a URL as much as shows it.
    fn next_of(&mut self, after: &'t str) -> Option<(&'t str, bool)> {
        let text = after.trim_start();
        let Some(cdata) = text.strip_prefix(CDATA) else {
            let near = &text[..text.floor_char_boundary(MAX_URL_BYTES + 4)];
            return match near.find('<') {
                Some(end) => Some((near[..end].trim_end(), false)),
                None => (near.len() < text.len()).then_some((near, false)),
            };
        };
        let begin = self.of.len() - cdata.len();
        if self.cdata_end < begin {
            let end = memmem::find(cdata.as_bytes(), b"]]>");
            self.cdata_end = end.map_or(self.of.len(), |end| begin + end);
        }
        if self.cdata_end == self.of.len() {
            return None;
        }
        let text = &self.of[begin..self.cdata_end];
        Some((if text.len() > MAX_URL_BYTES { text } else { text.trim() }, true))
    }
}

const CDATA: &str = "<![CDATA[";

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    for (at, _) in tag.match_indices(name) {
        let before = tag[..at].chars().next_back();
        let value = tag[at + name.len()..].trim_start().strip_prefix('=').map(str::trim_start);
        if let (Some(' ' | '\t' | '\r' | '\n'), Some(value)) = (before, value)
            && let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))
        {
            return value[1..].split(quote).next();
        }
    }
    None
}

fn unescape(text: &str) -> Cow<'_, str> {
    let pairs = ["&lt;<", "&gt;>", "&quot;\"", "&apos;'", "&#38;&", "&amp;&"];
    pairs.iter().fold(Cow::Borrowed(text), |text, pair| {
        let (entity, character) = pair.split_at(pair.len() - 1);
        if text.contains(entity) { Cow::Owned(text.replace(entity, character)) } else { text }
    })
}
