//! Rows as five parts whose order is that of the result.
//!
//! Target, `when` (kind and date as one number), source, anchor, and the tail:
//! `source_id position flags target_url 0 source_url`, numbers big-endian.
//! Comparing them one after the other compares (target, kind, date, source,
//! anchor, …); rows equal in the first four are duplicates.

use crate::links::LinkKind;
use crate::uri::CaptureDate;
use std::borrow::Cow;

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
    /// The link has `nofollow`.
    pub nofollow: bool,
    /// Kind of its element.
    pub kind: LinkKind,
    /// Its number in the linking page.
    pub position: u32,
}

/// A capture of a page that may be a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetCapture<'a> {
    /// Key of the page.
    pub target: &'a str,
    /// When.
    pub date: CaptureDate,
    /// A number of the caller's for the capture; 0 if unused.
    pub id: u64,
}

/// Row of the result of a shuffle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row<'a> {
    /// A capture of the target; these come before its links.
    Capture(TargetCapture<'a>),
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

/// Set in `when` of links, so that captures come first.
pub(super) const LINK: u64 = 1 << 63;

/// Dates that fit `when`, in milliseconds; beyond lie a hundred million years.
const MOST_MILLIS: i64 = (1 << 62) - 1;

const INTERNAL: u8 = 1;
const NOFOLLOW: u8 = 2;

/// `when` of a link.
pub(super) fn when_of_link(date: CaptureDate) -> u64 {
    LINK | when_of_capture(date)
}

/// `when` of a capture.
pub(super) fn when_of_capture(date: CaptureDate) -> u64 {
    // Shifted so that years before 1970 come first.
    (date.millis().clamp(-MOST_MILLIS, MOST_MILLIS) + MOST_MILLIS).unsigned_abs()
}

/// The date in `when`, and whether it is a link's.
pub(super) fn read_when(when: u64) -> (CaptureDate, bool) {
    let date = CaptureDate::from_millis((when & !LINK) as i64 - MOST_MILLIS);
    (date, when & LINK != 0)
}

/// Whether the tail is that of an internal link.
pub(super) fn is_internal(tail: &[u8]) -> bool {
    tail.get(12).is_some_and(|flags| flags & INTERNAL != 0)
}

/// No number, no position, the flags, two empty URLs.
pub(super) const PLAIN_TAIL_BYTES: usize = 8 + 4 + 1 + 1;

/// Values that [`flags_of`] can have.
pub(super) const FLAGS: usize = LinkKind::ALL.len() << 2;

/// Kind and marks of a link in one number.
fn flags_of(row: &LinkRow<'_>) -> u8 {
    let kind = LinkKind::ALL.iter().position(|kind| *kind == row.kind).unwrap_or(0);
    let kind = u8::try_from(kind).unwrap_or(0) << 2;
    kind | if row.internal { INTERNAL } else { 0 } | if row.nofollow { NOFOLLOW } else { 0 }
}

/// Flags of the tail of a link, where it holds nothing but kind and marks.
pub(super) fn plain_tail(row: &LinkRow<'_>) -> Option<u8> {
    let plain = row.source_id == 0 && row.position == 0 && row.target_url.is_empty() && row.source_url.is_empty();
    plain.then(|| flags_of(row))
}

/// Result of [`encode_tail`] for a link that has a [`plain_tail`].
pub(super) fn plain_tail_of(flags: u8) -> [u8; PLAIN_TAIL_BYTES] {
    let mut tail = [0; PLAIN_TAIL_BYTES];
    tail[PLAIN_TAIL_BYTES - 2] = flags;
    tail
}

/// Appends the tail of a link.
pub(super) fn encode_tail(row: &LinkRow<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(&row.source_id.to_be_bytes());
    out.extend_from_slice(&row.position.to_be_bytes());
    out.push(flags_of(row));
    out.extend_from_slice(&without_nul(row.target_url));
    out.push(0);
    out.extend_from_slice(&without_nul(row.source_url));
}

/// Texts hold no NUL; one inside (which no URL and no folded anchor has) is left out.
pub(super) fn without_nul(text: &str) -> Cow<'_, [u8]> {
    match memchr::memchr(0, text.as_bytes()) {
        None => Cow::Borrowed(text.as_bytes()),
        Some(_) => Cow::Owned(text.bytes().filter(|&byte| byte != 0).collect()),
    }
}

/// A row as it lies in memory or in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Parts<'a> {
    pub(super) target: &'a [u8],
    pub(super) when: u64,
    pub(super) source: &'a [u8],
    pub(super) anchor: &'a [u8],
    pub(super) tail: &'a [u8],
}

impl<'a> Parts<'a> {
    /// The row; `None` if these bytes are none.
    pub(super) fn decode(&self) -> Option<Row<'a>> {
        let text = |bytes: &'a [u8]| std::str::from_utf8(bytes).ok();
        let target = text(self.target)?;
        let (date, is_link) = read_when(self.when);
        let (id, rest) = self.tail.split_first_chunk::<8>()?;
        let id = u64::from_be_bytes(*id);
        if !is_link {
            return Some(Row::Capture(TargetCapture { target, date, id }));
        }
        let (position, rest) = rest.split_first_chunk::<4>()?;
        let (flags, urls) = rest.split_first()?;
        let (target_url, source_url) = urls.split_at_checked(memchr::memchr(0, urls)?)?;
        Some(Row::Link(LinkRow {
            target,
            target_url: text(target_url)?,
            source: text(self.source)?,
            source_url: text(source_url.get(1..)?)?,
            source_id: id,
            date,
            anchor: text(self.anchor)?,
            internal: flags & INTERNAL != 0,
            nofollow: flags & NOFOLLOW != 0,
            kind: *LinkKind::ALL.get(usize::from(flags >> 2))?,
            position: u32::from_be_bytes(*position),
        }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_the_way_into_parts_and_back() {
        let row = LinkRow {
            target: "(pt,fct,",
            target_url: "http://t/",
            source: "(pt,fccn,",
            source_url: "",
            source_id: 7,
            date: CaptureDate::from_millis(-1),
            anchor: "Fundação",
            internal: true,
            nofollow: false,
            kind: LinkKind::Manifest,
            position: 3,
        };
        let mut tail = Vec::new();
        encode_tail(&row, &mut tail);
        assert!(is_internal(&tail));
        let parts = Parts {
            target: row.target.as_bytes(),
            when: when_of_link(row.date),
            source: row.source.as_bytes(),
            anchor: row.anchor.as_bytes(),
            tail: &tail,
        };
        assert_eq!(parts.decode(), Some(Row::Link(row)));
        assert_eq!(Parts { tail: &tail[..tail.len() - 1], ..parts }.decode(), None);
        assert_eq!(Parts { tail: b"short", ..parts }.decode(), None);
        let capture = TargetCapture { target: "t", date: CaptureDate::from_millis(1), id: u64::MAX };
        let parts = Parts {
            target: b"t",
            when: when_of_capture(capture.date),
            source: b"",
            anchor: b"",
            tail: &capture.id.to_be_bytes(),
        };
        assert_eq!(parts.decode(), Some(Row::Capture(capture)));
    }

    #[test]
    fn captures_come_first_and_dates_ascend() {
        let millis = [i64::MIN, -MOST_MILLIS, -5, 0, 5, MOST_MILLIS, i64::MAX];
        let whens = |of: fn(CaptureDate) -> u64| millis.map(|millis| of(CaptureDate::from_millis(millis)));
        let (captures, links) = (whens(when_of_capture), whens(when_of_link));
        assert!(captures.is_sorted() && links.is_sorted() && captures.last() < links.first());
        assert_eq!(captures.map(|when| read_when(when).0.millis())[1..6], millis[1..6]);
        assert!(!read_when(captures[6]).1 && read_when(links[0]).1);
    }

    #[test]
    fn a_nul_is_left_out() {
        assert_eq!(&*without_nul("a\0b"), b"ab");
    }
}
