//! Reads the URL line of an ARC record into WARC fields.
//!
//! Version 1: `URL IP-address Archive-date Content-type Archive-length`.
//! Version 2 has `Result-code Checksum Location Offset Filename` between type
//! and length. URLs and types may hold blanks, so the line is read around its
//! date.

use super::super::findings::Findings;
use super::super::{Headers, ProblemKind, RecordHead, RecordType};
use super::head::{clip, text};
use crate::uri::CaptureDate;

/// The fields of a URL line, unchanged.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlLine {
    url: String,
    ip: String,
    date: String,
    mime: String,
    /// Version 2: name of the field here, and value.
    more: Vec<(&'static str, String)>,
    length: String,
}

/// What URL lines begin with as a rule.
const KNOWN_BEGINS: [&[u8]; 5] = [b"http://", b"https://", b"ftp://", b"dns:", b"filedesc:"];

/// Whether a block of an ARC file may end before these bytes; none where more are needed to tell. A line break is due
/// there and then a URL line; some writers leave the break out.
pub(super) fn may_follow_block(bytes: &[u8]) -> Option<bool> {
    let breaks = bytes.iter().take_while(|&&byte| byte == b'\r' || byte == b'\n').count();
    let line = &bytes[breaks..];
    if line.is_empty() {
        return Some(true);
    }
    let may_begin =
        if breaks > 0 { may_begin_line(line) } else { KNOWN_BEGINS.iter().any(|begin| line.starts_with(begin)) };
    match memchr::memchr(b'\n', line) {
        _ if !may_begin => Some(false),
        Some(end) => Some(UrlLine::parse(&line[..end]).is_some()),
        None => None,
    }
}

/// Whether `bytes` can be the beginning of a URL line: a scheme, as far as is
/// seen. Cheap, for the search after damage.
pub(super) fn may_begin_line(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(32)];
    let scheme = start.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')).count();
    scheme > 0 && start[0].is_ascii_alphabetic() && start.get(scheme).is_none_or(|&byte| byte == b':')
}

impl UrlLine {
    /// Reads a line without its end; `None` when it is no URL line.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !may_begin_line(line) || !line.contains(&b':') {
            return None;
        }
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let count = fields.len();
        // An empty address stands between two blanks; a type may be missing with its blank.
        let is_known = || KNOWN_BEGINS.iter().any(|begin| line.starts_with(begin));
        let is_unaddressed = |at: usize| fields[at - 1].is_empty() && fields[at].len() == 14 && is_known();
        let is_it = |at: &usize| is_date(fields[*at]) && (is_ip(fields[*at - 1]) || is_unaddressed(*at));
        let date = (2..count.checked_sub(1)?).rev().find(is_it)?;
        let join = |from: usize, to: usize| text(&fields[from..to].join(&b' '));
        let length = fields[count - 1];
        let is_length = |text: &[u8]| text.iter().all(u8::is_ascii_alphanumeric);
        if length.is_empty() || !is_length(length.strip_prefix(b"-").unwrap_or(length)) {
            return None;
        }
        // Version 2: a result code of three digits (or a dash) follows the type.
        let is_code = |text: &[u8]| text == b"-" || (text.len() == 3 && text.iter().all(u8::is_ascii_digit));
        let code = count.checked_sub(6).filter(|&at| at > date + 1 && is_code(fields[at]));
        let names = ["ARC-Result-Code", "ARC-Checksum", "ARC-Location", "ARC-Offset", "ARC-Filename"];
        let more =
            code.map(|at| names.into_iter().zip(fields[at..count - 1].iter().map(|field| text(field))).collect());
        Some(Self {
            url: join(0, date - 1),
            ip: text(fields[date - 1]),
            date: text(fields[date]),
            mime: join(date + 1, code.unwrap_or(count - 1)),
            more: more.unwrap_or_default(),
            length: text(length),
        })
    }

    /// How long it says that the block is; none where that is no length.
    pub(super) fn declared_len(&self) -> Option<u64> {
        self.length.parse().ok()
    }

    /// Whether this is the record that describes the file.
    pub(super) fn is_file_head(&self) -> bool {
        self.url.starts_with("filedesc:")
    }

    /// The line as a WARC head; `version` as `ARC/1.1`.
    pub(super) fn into_head(self, version: &str, odd: &mut Findings) -> RecordHead {
        let content_length = self.length.parse().unwrap_or_else(|_| {
            let detail = format!("length “{}” is no length: the block is taken as empty", clip(&self.length));
            odd.push((ProblemKind::BadField, detail));
            0
        });
        let date = match CaptureDate::parse(&self.date) {
            Ok(date) => date.to_warc(),
            Err(_) => {
                odd.push((ProblemKind::BadField, format!("date “{}” is no date", clip(&self.date))));
                self.date.clone()
            }
        };
        let mut headers = Headers::new();
        let scheme = self.url.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let record_type = match scheme.as_str() {
            "filedesc" => RecordType::Warcinfo,
            "http" | "https" | "dns" => RecordType::Response,
            _ => RecordType::Resource,
        };
        headers.push("WARC-Type", record_type.as_str());
        match self.url.strip_prefix("filedesc:") {
            Some(name) => headers.push("WARC-Filename", name.trim_start_matches('/')),
            None => headers.push("WARC-Target-URI", self.url.as_str()),
        }
        headers.push("WARC-Date", date);
        if !self.ip.is_empty() {
            headers.push("WARC-IP-Address", self.ip);
        }
        if matches!(scheme.as_str(), "http" | "https") {
            headers.push("Content-Type", "application/http; msgtype=response");
            headers.push("ARC-Content-Type", self.mime);
        } else {
            headers.push("Content-Type", self.mime);
        }
        for (name, value) in self.more {
            headers.push(name, value);
        }
        headers.push("Content-Length", self.length);
        RecordHead { version: version.to_owned(), record_type, headers, content_length }
    }
}

/// `ARC/1.1` from the line after a `filedesc` line: `1 1 InternetArchive`. The format calls itself version 1
/// whatever follows; the second number is 0 for 1.0 and 1 for 1.1.
pub(super) fn version(block: &[u8]) -> Option<String> {
    let line = &block[..memchr::memchr(b'\n', block)?];
    let mut fields = line.split(|&byte| byte == b' ').map(text);
    let (major, minor) = (fields.next()?, fields.next()?);
    let is_number = |text: &str| !text.is_empty() && text.len() < 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(&major) && is_number(&minor)).then(|| format!("ARC/{major}.{minor}"))
}

fn is_date(field: &[u8]) -> bool {
    (8..=20).contains(&field.len()) && field.iter().all(u8::is_ascii_digit)
}

fn is_ip(field: &[u8]) -> bool {
    let ip = std::str::from_utf8(field).ok();
    field == b"-" || ip.is_some_and(|ip| ip.parse::<std::net::IpAddr>().is_ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, url: &str, mime: &str, length: &str, more: usize) {
        let read = UrlLine::parse(line.as_bytes()).unwrap();
        assert_eq!((read.url.as_str(), read.mime.as_str(), read.length.as_str()), (url, mime, length));
        assert_eq!(read.more.len(), more);
    }

    #[test]
    fn blanks_in_urls_and_types_do_no_harm() {
        check("http://a.pt/ 1.2.3.4 20240301090000 text/html 12", "http://a.pt/", "text/html", "12", 0);
        check("http://a.pt/a b 1.2.3.4 20240301090000 text/html 12", "http://a.pt/a b", "text/html", "12", 0);
        let line = "http://a.pt/ 1.2.3.4 20240301090000 text/html; charset=utf-8 12\r";
        check(line, "http://a.pt/", "text/html; charset=utf-8", "12", 0);
        check("http://a.pt/ 1.2.3.4 20240301090000 text/html -1", "http://a.pt/", "text/html", "-1", 0);
        check("http://a.pt/  20240301090000 text/html 12", "http://a.pt/", "text/html", "12", 0);
        check("http://a.pt/ 1.2.3.4 20240301090000  12", "http://a.pt/", "", "12", 0);
        check("http://a.pt/ 1.2.3.4 20240301090000 12", "http://a.pt/", "", "12", 0);
        let line = "http://a.pt/ 1.2.3.4 20240301090000 text/html 200 fac069150613fe55599cc7fa88aa089d - 209 x.arc 112";
        check(line, "http://a.pt/", "text/html", "112", 5);
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "",
            "hello",
            "Note: see  20240301090000 for 5",
            "http://a.pt/",
            "http://a.pt/ 1.2.3.4 20240301090000",
            "a b c 20240301090000 e 1",
        ] {
            assert_eq!(UrlLine::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_line_is_given_as_warc_headers() {
        let mut odd = Findings::default();
        let line = UrlLine::parse(b"http://a.pt/ 1.2.3.4 20240301090000 text/html 12").unwrap();
        let head = line.into_head("ARC/1.0", &mut odd);
        assert_eq!(head.record_type, RecordType::Response);
        assert_eq!(head.date().unwrap().to_warc(), "2024-03-01T09:00:00Z");
        assert!(head.is_http() && head.is_arc() && odd.into_problems(0).next().is_none());
        assert_eq!(head.content_length, 12);
    }
}
