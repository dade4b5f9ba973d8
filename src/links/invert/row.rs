//! Rows as bytes whose order is the order that is wanted.
//!
//! `target 0 kind date source 0 anchor 0 source_id position flags target_url 0
//! source_url`, numbers big-endian, so that comparing bytes compares
//! (target, kind, date, source, anchor, …) and equal links share a prefix.

use crate::links::LinkKind;
use crate::uri::CaptureDate;

/// An outlink on its way to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRow<'a> {
    /// Key of the page that is linked to. No NUL, as in all texts here.
    pub target: &'a str,
    /// Its URL as the link has it; may be empty where nobody needs it.
    pub target_url: &'a str,
    /// Key of the page that links.
    pub source: &'a str,
    /// Its URL; may be empty.
    pub source_url: &'a str,
    /// A number of the caller's for the capture that links; 0 if unused.
    pub source_id: u64,
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Anchor text, folded.
    pub anchor: &'a str,
    /// Both pages are of one site, by the policy in use.
    pub internal: bool,
    /// The link says `nofollow`.
    pub nofollow: bool,
    /// What kind of element it stands in.
    pub kind: LinkKind,
    /// Its number in the linking page.
    pub position: u32,
}

/// A capture of a page that may be a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureRow<'a> {
    /// Key of the page.
    pub target: &'a str,
    /// When.
    pub date: CaptureDate,
    /// A number of the caller's for the capture; 0 if unused.
    pub id: u64,
}

/// What comes out of the shuffle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row<'a> {
    /// A capture of the target; these come before its links.
    Capture(CaptureRow<'a>),
    /// A link to the target.
    Link(LinkRow<'a>),
}

impl<'a> Row<'a> {
    /// The key of the target.
    pub fn target(&self) -> &'a str {
        match self {
            Self::Capture(row) => row.target,
            Self::Link(row) => row.target,
        }
    }
}

const CAPTURE: u8 = 0;
const LINK: u8 = 1;
const INTERNAL: u8 = 1;
const NOFOLLOW: u8 = 2;

const KINDS: [LinkKind; 13] = [
    LinkKind::Anchor,
    LinkKind::Area,
    LinkKind::Frame,
    LinkKind::MetaRefresh,
    LinkKind::Stylesheet,
    LinkKind::LinkElement,
    LinkKind::Image,
    LinkKind::Script,
    LinkKind::Media,
    LinkKind::Form,
    LinkKind::Css,
    LinkKind::Redirect,
    LinkKind::Manifest,
];

/// Appends the bytes of a link.
pub(super) fn encode_link(row: &LinkRow<'_>, out: &mut Vec<u8>) {
    push_text(out, row.target);
    out.push(LINK);
    push_date(out, row.date);
    push_text(out, row.source);
    push_text(out, row.anchor);
    out.extend_from_slice(&row.source_id.to_be_bytes());
    out.extend_from_slice(&row.position.to_be_bytes());
    let kind = KINDS.iter().position(|kind| *kind == row.kind).unwrap_or(0);
    let kind = u8::try_from(kind).unwrap_or(0) << 2;
    out.push(kind | if row.internal { INTERNAL } else { 0 } | if row.nofollow { NOFOLLOW } else { 0 });
    push_text(out, row.target_url);
    push_text(out, row.source_url);
}

/// Appends the bytes of a capture.
pub(super) fn encode_capture(row: &CaptureRow<'_>, out: &mut Vec<u8>) {
    push_text(out, row.target);
    out.push(CAPTURE);
    push_date(out, row.date);
    out.extend_from_slice(&row.id.to_be_bytes());
}

/// NUL ends a text; one inside (which no URL and no folded anchor has) is left out.
fn push_text(out: &mut Vec<u8>, text: &str) {
    if memchr::memchr(0, text.as_bytes()).is_none() {
        out.extend_from_slice(text.as_bytes());
    } else {
        out.extend(text.bytes().filter(|&byte| byte != 0));
    }
    out.push(0);
}

fn push_date(out: &mut Vec<u8>, date: CaptureDate) {
    // The sign is turned round so that years before 1970 come first.
    out.extend_from_slice(&(date.millis() ^ i64::MIN).to_be_bytes());
}

/// How many bytes at the front say which row it is: equal there means equal
/// (target, date) of a capture, equal (target, date, source, anchor) of a link.
pub(super) fn identity_len(bytes: &[u8]) -> Option<usize> {
    let mut reader = Reader(bytes);
    reader.text_bytes()?;
    let kind = reader.byte()?;
    reader.take(8)?;
    if kind == LINK {
        reader.text_bytes()?;
        reader.text_bytes()?;
    }
    Some(bytes.len() - reader.0.len())
}

/// The row of some bytes; `None` if they are none.
pub(super) fn decode(bytes: &[u8]) -> Option<Row<'_>> {
    let mut reader = Reader(bytes);
    let target = reader.text()?;
    let kind = reader.byte()?;
    let date = CaptureDate::from_millis(i64::from_be_bytes(reader.array()?) ^ i64::MIN);
    if kind == CAPTURE {
        return Some(Row::Capture(CaptureRow { target, date, id: u64::from_be_bytes(reader.array()?) }));
    }
    let source = reader.text()?;
    let anchor = reader.text()?;
    let source_id = u64::from_be_bytes(reader.array()?);
    let position = u32::from_be_bytes(reader.array()?);
    let flags = reader.byte()?;
    let target_url = reader.text()?;
    let source_url = reader.text()?;
    Some(Row::Link(LinkRow {
        target,
        target_url,
        source,
        source_url,
        source_id,
        date,
        anchor,
        internal: flags & INTERNAL != 0,
        nofollow: flags & NOFOLLOW != 0,
        kind: *KINDS.get(usize::from(flags >> 2))?,
        position,
    }))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn text_bytes(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.text_bytes()?).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn link(target: &'static str, source: &'static str, millis: i64, anchor: &'static str) -> LinkRow<'static> {
        LinkRow {
            target,
            target_url: "http://t/",
            source,
            source_url: "",
            source_id: 7,
            date: CaptureDate::from_millis(millis),
            anchor,
            internal: true,
            nofollow: false,
            kind: LinkKind::Manifest,
            position: 3,
        }
    }

    fn bytes(row: &LinkRow<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        encode_link(row, &mut out);
        out
    }

    #[test]
    fn rows_survive_the_way_into_bytes_and_back() {
        let row = link("(pt,fct,", "(pt,fccn,", -1, "Fundação");
        assert_eq!(decode(&bytes(&row)), Some(Row::Link(row)));
        let capture = CaptureRow { target: "t", date: CaptureDate::from_millis(i64::MAX), id: u64::MAX };
        let mut out = Vec::new();
        encode_capture(&capture, &mut out);
        assert_eq!(decode(&out), Some(Row::Capture(capture)));
        assert_eq!(decode(&out[..out.len() - 1]), None);
        assert_eq!(decode(b"no row"), None);
    }

    #[test]
    fn bytes_are_in_the_order_of_target_date_source_anchor() {
        let rows = [
            link("a", "z", 5, "z"),
            link("ab", "z", -5, "z"),
            link("ab", "z", 5, ""),
            link("ab", "z", 5, "a"),
            link("ab", "za", 5, "a"),
            link("ab", "a", 6, "a"),
            link("b", "a", 0, "a"),
        ];
        assert!(rows.windows(2).all(|pair| bytes(&pair[0]) < bytes(&pair[1])));
        let mut capture = Vec::new();
        encode_capture(&CaptureRow { target: "ab", date: CaptureDate::from_millis(i64::MAX), id: 0 }, &mut capture);
        assert!(bytes(&rows[0]) < capture && capture < bytes(&rows[1]));
    }

    #[test]
    fn identity_ends_after_the_anchor() {
        let one = link("t", "s", 1, "a");
        let two = LinkRow { position: 9, source_id: 1, target_url: "http://other/", ..one };
        let (one, two) = (bytes(&one), bytes(&two));
        let len = identity_len(&one).unwrap();
        assert_eq!(one[..len], two[..len]);
        assert_ne!(one, two);
    }
}
