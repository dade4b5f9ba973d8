//! Page facts are what checks and scores need of one record, beside its text.
//!
//! Read once, when the text is indexed, and kept with it in `pages.bin` (`search/page_file`); `work/find/stored_pages`
//! gives it out. Links, digests, verdicts and everything that other captures
//! have a part in is in the catalogue, and looked up there.

use super::media::Media;
use super::page::Body;
use super::page_markers::{garbled_letters, is_not_free, needs_scripts, page_markers};
use super::picture_end::{gif_has_end, jpeg_has_end};
use crate::links::{CharsetSource, LinkKind, Page, PageElements};
use crate::text::{PageText, text_language, words};
use crate::warc::Record;
use crate::warc::http::HttpHead;
use serde::{Deserialize, Serialize};

/// Bytes of names and values of HTTP fields that are kept of a page; of a longer head the first fields.
const MAX_FIELD_BYTES: usize = 16 << 10;

/// Reasons why a page is not what it should be that are kept.
const MAX_PROBLEMS: usize = 32;

/// Bytes at the end of a PDF file that contain its end mark (ISO 32000-1, annex H).
const PDF_END_BYTES: usize = 1024;

/// Bytes at the end of an archive in which its last record begins: the longest comment, and the record.
const ZIP_END_BYTES: usize = (64 << 10) + 22;

/// Bytes at the end of a page in which its last tag is looked for.
const END_BYTES: usize = 64 << 10;

/// Bytes of an address that a page names which are kept.
const MAX_ADDRESS_BYTES: usize = 2048;

/// The end of the bytes of a page or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageEnd {
    /// There is what such files end with near the end: `</html>`, `%%EOF` …
    pub is_closed: bool,
    /// The last bytes are inside a tag or a script.
    pub is_inside: bool,
}

/// The facts of a page by itself. Hostile text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageFacts {
    /// HTTP status that the record has; 0 for what has no HTTP head.
    pub status: u16,
    /// Fields of its HTTP head, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, String)>,
    /// It is read as a page of HTML or XHTML.
    pub is_page: bool,
    /// The medium of its first bytes ([`Media::sniffed`]), by its name; empty where they show none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sniffed: String,
    /// Bytes of the body in the record, and of those that were read of it decoded.
    pub body_bytes: [u64; 2],
    /// Why the crawler cut it (`WARC-Truncated`); empty where it did not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub truncated: String,
    /// The charset that its text was read in, and its source; none where it is no page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<(String, CharsetSource)>,
    /// The charset that its HTTP head declares; empty without.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub declared_charset: String,
    /// The language that its markup declares, and the one that its main text is in; empty where it is not known, and
    /// none where it has no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub languages: Option<[String; 2]>,
    /// The confidence of the second one, in percent ([`TextLanguage::percent`](crate::text::TextLanguage)).
    #[serde(skip_serializing_if = "is_zero")]
    pub language_percent: u64,
    /// Its first heading; empty without.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Words of its main text.
    pub main_words: u64,
    /// Images with their sizes, forms and the like.
    pub elements: PageElements,
    /// Names of services in its bytes, each as `kind name` ([`MarkerKind`](super::MarkerKind)).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// Kinds of site that it is of ([`SiteKinds`](super::SiteKinds)), by name, each with its signs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub site_kinds: Vec<(String, Vec<String>)>,
    /// It shows, where no scripts run, that it needs them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_scripts: bool,
    /// It declares for machines that it is not to be read for free.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_not_free: bool,
    /// The address that it gives as its own: `<link rel=canonical>`, and `og:url`.
    #[serde(skip_serializing_if = "is_bare")]
    pub own_urls: [String; 2],
    /// The target of its markup's refresh (`<meta http-equiv=refresh>`); empty without.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refresh_to: String,
    /// Letters of its text in the place of bytes of no letter, and pairs that UTF-8 in the wrong charset makes.
    #[serde(skip_serializing_if = "is_none_garbled")]
    pub garbled: [u64; 2],
    /// The end of a page, a PDF file, a picture or an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<PageEnd>,
    /// There is more text than was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_text_cut: bool,
    /// Problems of its record and body, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_bare(urls: &[String; 2]) -> bool {
    urls.iter().all(String::is_empty)
}

fn is_none_garbled(counts: &[u64; 2]) -> bool {
    counts == &[0, 0]
}

impl PageFacts {
    /// The facts of a record before its text is read.
    pub fn of_record(record: &Record, head: Option<&HttpHead>, body: &Body<'_>) -> Self {
        let mut left = MAX_FIELD_BYTES;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let fields = head.into_iter().flat_map(|head| head.headers.iter());
        let fields = fields.map_while(|(name, value)| {
            left = left.checked_sub(name.len() + value.len())?;
            Some((name.to_owned(), text(value)))
        });
        let head_len = head.map_or(0, |head| head.head_len);
        let stored = record.block.len().saturating_sub(head_len) as u64;
        Self {
            status: head.map_or(0, |head| head.status),
            fields: fields.collect(),
            sniffed: Media::sniffed(&body.payload.bytes).map_or("", Media::as_str).to_owned(),
            body_bytes: [stored.saturating_add(record.omitted), body.payload.bytes.len() as u64],
            truncated: record.head.headers.get("WARC-Truncated").unwrap_or_default(),
            end: match record.omitted == 0 && !body.payload.cut {
                true => PageEnd::of_file(&body.payload.bytes),
                false => None,
            },
            ..Self::default()
        }
    }

    /// The bytes that are kept beside the text.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Adds facts of its text: words of the main text, letters that are none, and of what is no page
    /// the language.
    pub fn add_text(&mut self, text: &PageText) {
        if let (false, Some(judged)) = (self.is_page, text.judged) {
            self.languages = Some([String::new(), judged.language.to_owned()]);
            self.language_percent = u64::from(judged.percent);
        }
        self.main_words = words(&text.main).len() as u64;
        let parts = [text.title.as_deref().unwrap_or_default(), &text.main, &text.rest];
        for [replaced, pairs] in parts.map(garbled_letters) {
            self.garbled[0] += replaced;
            self.garbled[1] += pairs;
        }
    }

    /// Adds what a page of HTML has beside its text. `declared_charset` is that of its HTTP head.
    pub fn add_page(&mut self, page: Page, text: &PageText, declared_charset: Option<&str>, body: &[u8]) {
        // Where none is declared, the text has given it already.
        let judged = if page.language.is_some() { text_language(&text.main) } else { text.judged };
        let shortened = |url: &str| url.get(..url.floor_char_boundary(MAX_ADDRESS_BYTES)).unwrap_or(url).to_owned();
        let refresh = page.links.iter().find(|link| link.kind == LinkKind::MetaRefresh);
        let og_url = page.statements.metas.iter().find(|(name, _)| name == "og:url");
        self.is_page = true;
        self.language_percent = judged.map_or(0, |judged| u64::from(judged.percent));
        self.languages =
            Some([page.language.unwrap_or_default(), judged.map_or("", |judged| judged.language).to_owned()]);
        self.charset = Some((page.charset.to_owned(), page.charset_from));
        self.declared_charset = declared_charset.unwrap_or_default().to_owned();
        self.heading = text.heading.clone();
        self.elements = page.elements;
        self.markers = page_markers(body);
        self.needs_scripts = needs_scripts(body);
        self.is_not_free = is_not_free(&page.statements.json_ld);
        let canonical = page.canonical.as_ref().map_or("", |url| url.as_str());
        self.own_urls = [shortened(canonical), og_url.map(|(_, url)| shortened(url)).unwrap_or_default()];
        self.refresh_to = refresh.map(|link| shortened(link.url.as_str())).unwrap_or_default();
        self.end = Some(PageEnd::of(body));
    }

    /// The facts that were kept; none for other bytes.
    pub fn decode(kept: &[u8]) -> Option<Self> {
        serde_json::from_slice(kept).ok()
    }

    /// Adds what is wrong, as long as there is not too much of it.
    pub fn add_problems(&mut self, problems: impl IntoIterator<Item = String>) {
        let room = MAX_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(problems.into_iter().take(room));
    }
}

impl PageEnd {
    /// The end of a file of a form that has an end mark: PDF, JPEG, PNG, GIF, ZIP; none for others.
    /// Bytes behind the mark are no fault.
    pub fn of_file(body: &[u8]) -> Option<Self> {
        let near = |bytes: usize| body.get(body.len().saturating_sub(bytes)..).unwrap_or_default();
        let has = |bytes: usize, mark: &[u8]| memchr::memmem::rfind(near(bytes), mark).is_some();
        let is_closed = match body {
            [b'%', b'P', b'D', b'F', ..] => has(PDF_END_BYTES, b"%%EOF"),
            [0xff, 0xd8, 0xff, ..] => jpeg_has_end(body),
            [0x89, b'P', b'N', b'G', ..] => has(END_BYTES, b"IEND"),
            [b'G', b'I', b'F', b'8', ..] => gif_has_end(body),
            [b'P', b'K', 3, 4, ..] => has(ZIP_END_BYTES, b"PK\x05\x06"),
            _ => return None,
        };
        Some(Self { is_closed, is_inside: false })
    }

    /// The end of the bytes of a page of HTML.
    pub fn of(body: &[u8]) -> Self {
        let end = body.get(body.len().saturating_sub(END_BYTES)..).unwrap_or_default().to_ascii_lowercase();
        let last = |needle: &[u8]| memchr::memmem::rfind(&end, needle);
        let opens = |open: &[u8], close: &[u8]| last(open).is_some_and(|at| last(close).is_none_or(|end| end < at));
        Self { is_closed: last(b"</html").is_some(), is_inside: opens(b"<", b">") || opens(b"<script", b"</script") }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back_and_other_bytes_are_refused() {
        let facts = PageFacts {
            status: 200,
            fields: vec![("Server".to_owned(), "x".to_owned())],
            charset: Some(("UTF-8".to_owned(), CharsetSource::Meta)),
            end: Some(PageEnd { is_closed: true, is_inside: false }),
            problems: vec!["odd".to_owned()],
            ..PageFacts::default()
        };
        assert_eq!(PageFacts::decode(&facts.encode()), Some(facts.clone()));
        for other in [&b""[..], b"[", b"{\"status\":-1}", &[b'['; 100_000], &facts.encode()[1..]] {
            assert_eq!(PageFacts::decode(other), None);
        }
        // What a later version adds is passed over.
        assert!(PageFacts::decode(b"{\"status\":404,\"more\":[1]}").unwrap().status == 404);
    }

    #[test]
    fn files_that_are_cut_have_no_end_mark() {
        let closed = |body: &[u8]| PageEnd::of_file(body).map(|end| end.is_closed);
        let pdf = [b"%PDF-1.7 ".as_slice(), &[b'x'; 3000], b"%%EOF\n"].concat();
        assert_eq!((closed(&pdf), closed(&pdf[..3000])), (Some(true), Some(false)));
        assert_eq!(closed(b"\xff\xd8\xff\xe0\x00\x03x\xff\xd9 more"), Some(true));
        assert_eq!(closed(b"\xff\xd8\xff"), Some(false));
        assert_eq!(closed(b"\x89PNG\r\n IDAT"), Some(false));
        assert_eq!(closed(b"PK\x03\x04 file PK\x05\x06 end"), Some(true));
        let gif = b"GIF89a\x01\x00\x01\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02;x\x00;";
        assert_eq!((closed(gif), closed(&gif[..gif.len() - 1])), (Some(true), Some(false)));
        assert_eq!((closed(b"GIF89a"), closed(b"<html>"), closed(b"")), (Some(false), None, None));
    }

    #[test]
    fn an_end_inside_a_tag_or_a_script_is_seen() {
        let check = |body: &str, is_closed, is_inside| {
            assert_eq!(PageEnd::of(body.as_bytes()), PageEnd { is_closed, is_inside }, "{body}");
        };
        check("<html><p>x</p></HTML>\n", true, false);
        check("<p>legal without an end", false, false);
        check("<p>x</p><a href='ht", false, true);
        check("<script>1 > 2</script><script>let x = 3 > 1", false, true);
        check("", false, false);
    }
}
