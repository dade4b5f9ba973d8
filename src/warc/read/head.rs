//! Parses the head of a WARC record: version line and named fields.

use super::super::findings::Findings;
use super::super::record::text_of;
use super::super::{Headers, ProblemKind, RecordHead, RecordType};
use super::arc;
use crate::uri::CaptureDate;
use std::collections::HashSet;

/// A head longer than this is damage.
pub const MAX_HEAD_BYTES: usize = 1024 * 1024;

/// A line longer than this is cut.
pub const MAX_LINE_BYTES: usize = 256 * 1024;

/// Versions of the format whose fields are known.
const VERSIONS: [&str; 4] = ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"];

/// Fields that may be repeated (WARC/1.1, 5; `WARC-Protocol` and `WARC-Cipher-Suite` as the community's
/// extension has it).
const REPEATABLE: [&str; 3] = ["WARC-Concurrent-To", "WARC-Protocol", "WARC-Cipher-Suite"];

/// Kind of record that bytes begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// A WARC version line.
    Warc,
    /// An ARC URL line.
    Arc,
    /// Neither.
    No,
    /// More bytes are needed to decide.
    Unclear,
}

/// Decides whether `bytes` begin a record. Some writers write `warc/1.0`.
pub(super) fn record_start(bytes: &[u8]) -> Start {
    const MAGIC: &[u8] = b"WARC/";
    let seen = bytes.len().min(MAGIC.len());
    if bytes[..seen].eq_ignore_ascii_case(&MAGIC[..seen]) {
        return match bytes.get(MAGIC.len()) {
            Some(digit) if digit.is_ascii_digit() => Start::Warc,
            Some(_) => Start::No,
            None => Start::Unclear,
        };
    }
    if !arc::may_begin_line(bytes) {
        return Start::No;
    }
    match memchr::memchr(b'\n', &bytes[..bytes.len().min(MAX_LINE_BYTES)]) {
        Some(end) if arc::UrlLine::parse(&bytes[..end]).is_some() => Start::Arc,
        None if bytes.len() < MAX_LINE_BYTES => Start::Unclear,
        _ => Start::No,
    }
}

/// Length of the head up to and with its empty line, looking from `from`
/// (where an earlier look ended) on.
pub(super) fn head_len(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from.min(bytes.len());
    while let Some(newline) = memchr::memchr(b'\n', &bytes[at..]) {
        at += newline + 1;
        match bytes.get(at..) {
            Some([b'\n', ..]) => return Some(at + 1),
            Some([b'\r', b'\n', ..]) => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// Reads a head, `bytes` being exactly one with its empty line.
pub(super) fn parse(bytes: &[u8], odd: &mut Findings) -> RecordHead {
    let mut lines = SplitLines { rest: bytes, bare_lf: false, cut: false };
    let version = lines.next().map(text).unwrap_or_default();
    if !VERSIONS.iter().any(|known| known.eq_ignore_ascii_case(&version)) {
        odd.push((ProblemKind::BadHead, format!("version “{}” is not known", clip(&version))));
    }
    let headers = fields(&mut lines, bytes.len(), odd);
    if lines.bare_lf {
        odd.push((ProblemKind::BadHead, "lines end in LF alone".to_owned()));
    }
    if lines.cut {
        odd.push((ProblemKind::Limit, format!("a line is longer than {MAX_LINE_BYTES} bytes and was cut")));
    }
    let content_length = check_fields(&headers, odd);
    let record_type = RecordType::parse(headers.get_text("WARC-Type").unwrap_or_default().trim());
    RecordHead { version, record_type, headers, content_length }
}

/// Reads a head that was written here: nothing about it is odd.
pub(in crate::warc) fn parse_head(bytes: &[u8]) -> RecordHead {
    parse(bytes, &mut Findings::default())
}

/// The named fields of the remaining lines, up to an empty one.
fn fields<'a>(lines: &mut impl Iterator<Item = &'a [u8]>, len: usize, odd: &mut Findings) -> Headers {
    let mut headers = Headers::with_room(len);
    for line in lines {
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            if headers.is_empty() {
                odd.push((ProblemKind::BadField, "the first line is a folded one".to_owned()));
            }
            headers.extend_last(line.trim_ascii());
            continue;
        }
        match memchr::memchr(b':', line) {
            Some(colon) => headers.push(text_of(line[..colon].trim_ascii()), line[colon + 1..].trim_ascii()),
            None => odd.push((ProblemKind::BadField, format!("line without colon: “{}”", clip(&text_of(line))))),
        }
    }
    headers
}

/// Checks what every record must have and returns the length of its block.
fn check_fields(headers: &Headers, odd: &mut Findings) -> u64 {
    let mut bad = |detail: String| odd.push((ProblemKind::BadField, detail));
    for name in ["WARC-Type", "WARC-Record-ID", "WARC-Date"] {
        match headers.get_bytes(name) {
            None => bad(format!("{name} is missing")),
            Some([]) => bad(format!("{name} is empty")),
            Some(_) => {}
        }
    }
    if let Some(date) = headers.get_text("WARC-Date").filter(|date| !date.is_empty())
        && CaptureDate::parse(&date).is_err()
    {
        bad(format!("WARC-Date “{}” is no date", clip(&date)));
    }
    if headers.get_text("WARC-Target-URI").is_some_and(|uri| uri.trim().contains(char::is_whitespace)) {
        bad("WARC-Target-URI holds a blank".to_owned());
    }
    for name in repeated(headers) {
        bad(format!("duplicate {}", clip(name)));
    }
    match headers.get_text("Content-Length") {
        None => bad("Content-Length is missing: the block is taken as empty".to_owned()),
        Some(text) => match text.trim().parse() {
            Ok(length) => return length,
            Err(_) => bad(format!("Content-Length “{}” is no length: the block is taken as empty", clip(&text))),
        },
    }
    0
}

/// Names of fields that occur twice and may not.
fn repeated(headers: &Headers) -> Vec<&str> {
    /// Up to so many fields, looking through them all is the quickest way.
    const FEW: usize = 40;
    let names: Vec<&str> = headers.iter().map(|(name, _)| name).collect();
    let mut repeated: Vec<&str> = match names.len() <= FEW {
        true => (1..names.len())
            .filter(|&at| names[..at].iter().any(|before| before.eq_ignore_ascii_case(names[at])))
            .map(|at| names[at])
            .collect(),
        false => {
            let mut seen = HashSet::with_capacity(names.len());
            names.into_iter().filter(|name| !seen.insert(name.to_ascii_lowercase())).collect()
        }
    };
    repeated.retain(|name| !REPEATABLE.iter().any(|other| other.eq_ignore_ascii_case(name)));
    repeated
}

/// Lines without their ends.
struct SplitLines<'a> {
    rest: &'a [u8],
    bare_lf: bool,
    cut: bool,
}

impl<'a> Iterator for SplitLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        let line = match line.strip_suffix(b"\r") {
            Some(line) => line,
            None => {
                self.bare_lf = true;
                line
            }
        };
        self.cut |= line.len() > MAX_LINE_BYTES;
        Some(&line[..line.len().min(MAX_LINE_BYTES)])
    }
}

/// A copy of [`text_of`] bytes.
pub(super) fn text(bytes: &[u8]) -> String {
    text_of(bytes).into_owned()
}

/// At most the first 80 characters, for a message.
pub(in crate::warc) fn clip(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, fields: &[(&str, &str)], length: u64, oddities: &[&str]) {
        let mut odd = Findings::default();
        assert_eq!(head_len(head.as_bytes(), 0), Some(head.len()));
        let read = parse(head.as_bytes(), &mut odd);
        let found: Vec<_> = read.headers.iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
        let expected: Vec<_> = fields.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        assert_eq!(found, expected);
        assert_eq!(read.content_length, length);
        assert_eq!(odd.into_problems(0).map(|problem| problem.detail).collect::<Vec<_>>(), oddities);
    }

    const MUST: &str = "WARC-Type: response\r\nWARC-Record-ID: <urn:a>\r\nWARC-Date: 2024-03-01T09:00:00Z\r\n";
    const MUST_FIELDS: [(&str, &str); 3] =
        [("WARC-Type", "response"), ("WARC-Record-ID", "<urn:a>"), ("WARC-Date", "2024-03-01T09:00:00Z")];

    fn with(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
        MUST_FIELDS.iter().chain(more).copied().collect()
    }

    #[test]
    fn order_repeats_and_folding_are_kept() {
        check(
            &format!(
                "WARC/1.1\r\n{MUST}WARC-Concurrent-To: <a>\r\nContent-Length: 5\r\nWARC-Concurrent-To: <b>\r\nX: one\r\n\t two\r\n\r\n"
            ),
            &with(&[
                ("WARC-Concurrent-To", "<a>"),
                ("Content-Length", "5"),
                ("WARC-Concurrent-To", "<b>"),
                ("X", "one two"),
            ]),
            5,
            &[],
        );
    }

    #[test]
    fn what_is_odd_is_reported_and_read_all_the_same() {
        check(
            &format!("WARC/1.0\r\n{MUST}no colon\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"),
            &with(&[("Content-Length", "5"), ("Content-Length", "6")]),
            5,
            &["line without colon: “no colon”", "duplicate Content-Length"],
        );
        check(
            &format!("WARC/2.7\r\n{MUST}Content-Length: -3\r\n\r\n"),
            &with(&[("Content-Length", "-3")]),
            0,
            &["version “WARC/2.7” is not known", "Content-Length “-3” is no length: the block is taken as empty"],
        );
        check(
            "WARC/1.0\nWARC-Type: x\nContent-Length: 99999999999999999999999\n\n",
            &[("WARC-Type", "x"), ("Content-Length", "99999999999999999999999")],
            0,
            &[
                "lines end in LF alone",
                "WARC-Record-ID is missing",
                "WARC-Date is missing",
                "Content-Length “99999999999999999999999” is no length: the block is taken as empty",
            ],
        );
    }

    #[test]
    fn a_head_of_very_many_fields_is_read_in_one_go() {
        let names: String = (0..120_000).map(|n| format!("{n:x}:\r\n")).collect();
        let head = format!("WARC/1.1\r\n{MUST}Content-Length: 3\r\n{names}1f:\r\nwarc-type: x\r\n\r\n");
        let mut odd = Findings::default();
        let read = parse(head.as_bytes(), &mut odd);
        assert_eq!((read.headers.len(), read.content_length), (120_006, 3));
        let reported: Vec<_> = odd.into_problems(0).map(|problem| problem.detail).collect();
        assert_eq!(reported, ["duplicate 1f", "duplicate warc-type"]);
    }

    #[test]
    fn starts_are_recognised() {
        for (bytes, expected) in [
            (&b"WARC/1.0\r\n"[..], Start::Warc),
            (b"warc/1.0\r\n", Start::Warc),
            (b"WAR", Start::Unclear),
            (b"WARC/x", Start::No),
            (b"<html>", Start::No),
            (b"http://a.pt/ 1.2.3.4 20240301090000 text/html 12\n", Start::Arc),
            (b"http://a.pt/ 1.2.3.4 20240301", Start::Unclear),
            (b"http://a.pt/ is a page\n", Start::No),
        ] {
            assert_eq!(record_start(bytes), expected, "{}", text(bytes));
        }
    }
}
