//! What a page has by itself: what of one record checks and scores are made of, beside its text.
//!
//! Read once, when the text is indexed, and kept with it. Links, digests, verdicts and everything that other captures
//! have a part in is in the catalogue, and looked up there.

use super::media::Media;
use super::page::Body;
use crate::links::{CharsetSource, PageElements};
use crate::warc::Record;
use crate::warc::http::HttpHead;
use serde::{Deserialize, Serialize};

/// Bytes of names and values of HTTP fields that are kept of a page; of a longer head the first fields.
const MAX_FIELD_BYTES: usize = 16 << 10;

/// Reasons why a page is not what it should be that are kept.
const MAX_PROBLEMS: usize = 32;

/// Bytes at the end of a page in which its last tag is looked for.
const END_BYTES: usize = 64 << 10;

/// How the bytes of a page end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageEnd {
    /// There is a `</html>` near the end.
    pub is_closed: bool,
    /// The last bytes stand inside a tag or a script.
    pub is_inside: bool,
}

/// What a page has by itself. Hostile text.
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
    /// What its first bytes are ([`Media::sniffed`]), by its word; empty where they say nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sniffed: String,
    /// Bytes of the body in the record, and of those that were read of it decoded.
    pub body_bytes: [u64; 2],
    /// Why the crawler cut it (`WARC-Truncated`); empty where it did not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub truncated: String,
    /// The charset that its text was read in, and what told it; none where it is no page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<(String, CharsetSource)>,
    /// The charset that its HTTP head declares; empty without.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub declared_charset: String,
    /// The language that its markup declares, and the one that its main text is in; empty where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub languages: Option<[String; 2]>,
    /// Its first heading; empty without.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Words of its main text.
    pub main_words: u64,
    /// Images with their sizes, forms and the like.
    pub elements: PageElements,
    /// How a page ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<PageEnd>,
    /// There is more text than was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_text_cut: bool,
    /// What is wrong with its record and body, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl PageFacts {
    /// What a record tells before its text is read.
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
            ..Self::default()
        }
    }

    /// As it is kept beside the text.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What was kept; none for other bytes.
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
    /// How the bytes of a page of HTML end.
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
