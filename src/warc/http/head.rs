//! Parses heads of responses and requests.

use super::super::Headers;
use super::super::record::text_of;
use super::Flaw;

/// A head longer than this is read as far as it goes.
const MAX_HEAD_BYTES: usize = 1024 * 1024;

/// Fields beyond this number are left out.
const MAX_FIELDS: usize = 10_000;

/// More heads before the final one than this are not passed over.
const MAX_INTERIM_HEADS: usize = 8;

/// Status line and fields of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpHead {
    /// `HTTP/1.1`, as it stands.
    pub version: String,
    /// Status code; 0 where none can be read.
    pub status: u16,
    /// Reason phrase, often empty.
    pub reason: String,
    /// Fields in order.
    pub headers: Headers,
    /// Bytes of the head with its empty line: the body begins here.
    pub head_len: usize,
    /// What is malformed.
    pub flaws: Vec<Flaw>,
}

/// Request line and fields of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequestHead {
    /// `GET`, `POST` …
    pub method: String,
    /// Path and query, or a whole URL.
    pub target: String,
    /// `HTTP/1.1`, as it stands.
    pub version: String,
    /// Fields in order.
    pub headers: Headers,
    /// Bytes of the head with its empty line: the body begins here.
    pub head_len: usize,
    /// What is malformed.
    pub flaws: Vec<Flaw>,
}

/// A `Content-Type`, split.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaType {
    /// MIME type in lower case without parameters; empty where none is declared.
    pub mime: String,
    /// The charset parameter, without quotes.
    pub charset: Option<String>,
}

impl MediaType {
    /// Splits a field value: `text/html; charset="utf-8"`.
    pub fn parse(value: &str) -> Self {
        let mut parts = value.split(';');
        let mime = parts.next().unwrap_or_default();
        // Some servers send two types joined by a comma.
        let mime = mime.split([',', ' ', '\t']).find(|part| !part.is_empty()).unwrap_or_default();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']).trim();
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
        });
        Self { mime: mime.to_ascii_lowercase(), charset }
    }

    /// The `Content-Type` of these fields; the default where there is none.
    pub fn of(headers: &Headers) -> Self {
        headers.get_text("Content-Type").map(|value| Self::parse(&value)).unwrap_or_default()
    }
}

impl HttpHead {
    /// `Content-Type`; the default where there is none.
    pub fn content_type(&self) -> MediaType {
        MediaType::of(&self.headers)
    }

    /// Whether the body is declared to be chunked.
    pub fn is_chunked(&self) -> bool {
        is_chunked(&self.headers)
    }

    /// Whether this is a head before the final one (100 “continue”, 103
    /// “early hints”); 101 switches protocols and is final.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }
}

/// Whether fields declare the body to be chunked.
pub(super) fn is_chunked(headers: &Headers) -> bool {
    headers.all("Transfer-Encoding").any(|value| {
        value.to_ascii_lowercase().split(|&byte| byte == b',').any(|coding| coding.trim_ascii() == b"chunked")
    })
}

/// Reads the head of a response; `None` when `block` begins with none: such
/// a block is all payload (HTTP/0.9, or a body without its head).
///
/// Heads that the server sent before the final one are passed over; their
/// bytes count in [`HttpHead::head_len`].
pub fn parse_response_head(block: &[u8]) -> Option<HttpHead> {
    let mut head = parse_one_response_head(block)?;
    for _ in 0..MAX_INTERIM_HEADS {
        let passed = head.head_len;
        match parse_one_response_head(&block[passed..]) {
            Some(next) if head.is_interim() => {
                head = next;
                head.head_len += passed;
            }
            _ => break,
        }
    }
    Some(head)
}

/// Whether the head at the beginning of `block` is there to its end, and the
/// final one.
pub(crate) fn response_head_is_whole(block: &[u8]) -> bool {
    let mut rest = block;
    for _ in 0..=MAX_INTERIM_HEADS {
        if !ends(rest) {
            return false;
        }
        match parse_one_response_head(rest) {
            Some(head) if head.is_interim() => rest = &rest[head.head_len..],
            _ => return true,
        }
        // What follows may be the body of a broken server: its first bytes decide.
        if rest.len() >= 5 && !rest[..5].eq_ignore_ascii_case(b"HTTP/") {
            return true;
        }
    }
    true
}

/// Whether an empty line is in it.
fn ends(bytes: &[u8]) -> bool {
    ["\n\r\n", "\n\n"].iter().any(|end| memchr::memmem::find(bytes, end.as_bytes()).is_some())
}

fn parse_one_response_head(block: &[u8]) -> Option<HttpHead> {
    if !block.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/")) {
        return None;
    }
    let mut flaws = Vec::new();
    let (line, headers, head_len) = parse(block, &mut flaws);
    let (version, rest) = line.split_once([' ', '\t']).unwrap_or((&line, ""));
    let rest = rest.trim_start();
    let (status, reason) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let status = status.trim_end().parse().ok().filter(|status| (100..1000).contains(status)).unwrap_or_else(|| {
        flaws.push(Flaw::http("the status line has no status of three digits"));
        0
    });
    let (version, reason) = (version.to_owned(), reason.trim().to_owned());
    Some(HttpHead { version, status, reason, headers, head_len, flaws })
}

/// Reads the head of a request; `None` when `block` begins with none.
pub fn parse_request_head(block: &[u8]) -> Option<HttpRequestHead> {
    let end = memchr::memchr(b'\n', &block[..block.len().min(MAX_HEAD_BYTES)]).unwrap_or(block.len());
    let method = block[..end].split(|&byte| byte == b' ').next()?;
    let is_method = !method.is_empty() && method.len() <= 32 && method.iter().all(|byte| byte.is_ascii_uppercase());
    if !is_method || method.len() == end {
        return None;
    }
    let mut flaws = Vec::new();
    let (line, headers, head_len) = parse(block, &mut flaws);
    let (method, rest) = line.split_once(' ')?;
    let (target, version) = match rest.rsplit_once(' ') {
        Some((target, version)) if version.starts_with("HTTP/") => (target, version),
        _ => (rest, ""),
    };
    Some(HttpRequestHead {
        method: method.to_owned(),
        target: target.trim().to_owned(),
        version: version.to_owned(),
        headers,
        head_len,
        flaws,
    })
}

/// First line, fields, and length of the head.
fn parse(block: &[u8], flaws: &mut Vec<Flaw>) -> (String, Headers, usize) {
    let mut lines = HeadLines::with_room(block.len());
    let mut at = 0;
    let mut bare_lf = false;
    let head = &block[..block.len().min(MAX_HEAD_BYTES)];
    loop {
        let Some(len) = memchr::memchr(b'\n', &head[at..]) else {
            flaws.push(Flaw::http("the head does not end with an empty line"));
            // Without an end, the last line counts as a line of the head.
            lines.take(&head[at..]);
            at = head.len();
            break;
        };
        let line = &head[at..at + len];
        at += len + 1;
        let line = line.strip_suffix(b"\r").unwrap_or_else(|| {
            bare_lf = true;
            line
        });
        if line.is_empty() {
            break;
        }
        lines.take(line);
    }
    // Told in numbers: a hostile head has such lines by the hundred thousand.
    match lines.without_colon {
        0 => {}
        1 => flaws.push(Flaw::http("a line of the head has no colon")),
        count => flaws.push(Flaw::http(format!("{count} lines of the head have no colon"))),
    }
    if lines.left_out > 0 {
        let detail = format!("more than {MAX_FIELDS} fields: {} further ones are left out", lines.left_out);
        flaws.push(Flaw::http(detail));
    }
    if bare_lf {
        flaws.push(Flaw::http("lines of the head end in LF alone"));
    }
    (lines.first.unwrap_or_default(), lines.headers, at)
}

/// The lines of a head, as far as they have been taken.
#[derive(Default)]
struct HeadLines {
    first: Option<String>,
    headers: Headers,
    without_colon: usize,
    left_out: usize,
}

impl HeadLines {
    /// Room for the fields of a block of so many bytes; most heads are short.
    fn with_room(block_len: usize) -> Self {
        Self { headers: Headers::with_room(block_len.min(1024)), ..Self::default() }
    }

    fn take(&mut self, line: &[u8]) {
        if line.is_empty() {
        } else if self.first.is_none() {
            self.first = Some(text_of(line).into_owned());
        } else if line.starts_with(b" ") || line.starts_with(b"\t") {
            // What goes on with a field that was left out is left out too.
            if self.left_out == 0 {
                self.headers.extend_last(line.trim_ascii());
            }
        } else if self.headers.len() >= MAX_FIELDS {
            self.left_out += 1;
        } else {
            match memchr::memchr(b':', line) {
                Some(colon) => self.headers.push(text_of(line[..colon].trim_ascii()), line[colon + 1..].trim_ascii()),
                None => self.without_colon += 1,
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(block: &str, status: u16, reason: &str, fields: &[(&str, &str)], body: &str, flaws: usize) {
        let head = parse_response_head(block.as_bytes()).unwrap();
        assert_eq!((head.status, head.reason.as_str()), (status, reason));
        let found: Vec<_> =
            head.headers.iter().map(|(name, value)| (name, std::str::from_utf8(value).unwrap())).collect();
        assert_eq!(found, fields);
        assert_eq!(&block[head.head_len..], body);
        assert_eq!(head.flaws.len(), flaws, "{:?}", head.flaws);
    }

    #[test]
    fn heads_of_all_kinds_are_read() {
        check("HTTP/1.1 200 OK\r\nA: 1\r\nA: 2\r\n\r\nbody", 200, "OK", &[("A", "1"), ("A", "2")], "body", 0);
        check("HTTP/1.1 200\r\n\r\n", 200, "", &[], "", 0);
        check("HTTP/1.1 200 \r\nA: b\r\n  c\r\n\r\n\r\nx", 200, "", &[("A", "b c")], "\r\nx", 0);
        check("HTTP/1.0 404 Not Found\nA:1\n\nbody", 404, "Not Found", &[("A", "1")], "body", 1);
        check("HTTP/1.1 abc\r\nno colon\r\n\r\n", 0, "", &[], "", 2);
        check("HTTP/1.1 200 OK\r\nA: 1", 200, "OK", &[("A", "1")], "", 1);
        check("http/1.1 200 OK\r\n\r\n", 200, "OK", &[], "", 0);
    }

    #[test]
    fn browser_tools_write_lines_of_their_own() {
        check("HTTP/2 200\r\na: 1\r\n\r\nbody", 200, "", &[("a", "1")], "body", 0);
        check("HTTP/2.0 200 \r\n\r\n", 200, "", &[], "", 0);
        check("HTTP/3 404 Not Found\r\n\r\n", 404, "Not Found", &[], "", 0);
        check("HTTP/1.1  200  OK then\r\n\r\n", 200, "OK then", &[], "", 0);
        check("HTTP/1.1\t200\tOK\r\n\r\n", 200, "OK", &[], "", 0);
        check("HTTP/1.1 2000 OK\r\n\r\n", 0, "OK", &[], "", 1);
        check("HTTP/1.1\r\n\r\n", 0, "", &[], "", 1);
    }

    #[test]
    fn heads_before_the_final_one_are_passed_over() {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        check(
            &format!("HTTP/1.1 100 Continue\r\n\r\n{hints}HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody"),
            200,
            "OK",
            &[("A", "1")],
            "body",
            0,
        );
        check("HTTP/1.1 100 Continue\r\n\r\n", 100, "Continue", &[], "", 0);
        check("HTTP/1.1 100 Continue\r\n\r\nbody", 100, "Continue", &[], "body", 0);
        check(
            "HTTP/1.1 101 Switching\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            101,
            "Switching",
            &[],
            "HTTP/1.1 200 OK\r\n\r\n",
            0,
        );
        check("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 200, "OK", &[], "HTTP/1.1 200 OK\r\n\r\n", 0);
        for (block, whole) in [
            ("HTTP/1.1 200 OK\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\n", false),
            ("HTTP/1.1 100 Continue\r\n\r\n", false),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n", false),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\n\n", true),
            ("HTTP/1.1 100 Continue\r\n\r\n<html>", true),
            ("<html>\n\n", true),
        ] {
            assert_eq!(response_head_is_whole(block.as_bytes()), whole, "{block}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_latin1() {
        let head = parse_response_head(b"HTTP/1.1 200 N\xe3o\r\nX-T\xedtulo: caf\xe9\r\n\r\n").unwrap();
        assert_eq!(head.reason, "Não");
        assert_eq!(head.headers.get("X-Título").unwrap(), "café");
        assert_eq!(head.headers.get_bytes("X-Título").unwrap(), b"caf\xe9");
    }

    #[test]
    fn what_a_hostile_head_has_too_much_of_is_counted() {
        let block =
            format!("HTTP/1.1 200 OK\r\n{}{}  folded\r\n\r\nbody", "x\r\n".repeat(100_000), "a:\r\n".repeat(100_000));
        let head = parse_response_head(block.as_bytes()).unwrap();
        assert_eq!((head.headers.len(), &block[head.head_len..]), (MAX_FIELDS, "body"));
        assert!(head.headers.iter().all(|(_, value)| value.is_empty()));
        let flaws: Vec<_> = head.flaws.iter().map(|flaw| flaw.detail.as_str()).collect();
        assert_eq!(
            flaws,
            ["100000 lines of the head have no colon", "more than 10000 fields: 90000 further ones are left out"]
        );
    }

    #[test]
    fn a_block_without_head_is_reported() {
        assert_eq!(parse_response_head(b"<html></html>"), None);
        assert_eq!(parse_response_head(b""), None);
        assert_eq!(parse_request_head(b"<html></html>"), None);
    }

    #[test]
    fn requests_are_read() {
        let head = parse_request_head(b"POST /a b HTTP/1.1\r\nHost: a.pt\r\n\r\nx=1").unwrap();
        assert_eq!((head.method.as_str(), head.target.as_str(), head.version.as_str()), ("POST", "/a b", "HTTP/1.1"));
        assert_eq!(head.headers.get("host").unwrap(), "a.pt");
        assert_eq!(head.head_len, 34);
    }

    #[test]
    fn content_types_are_split() {
        let split = |value| {
            let split = MediaType::parse(value);
            (split.mime, split.charset)
        };
        assert_eq!(split("Text/HTML; charset=\"UTF-8\""), ("text/html".into(), Some("UTF-8".into())));
        assert_eq!(split("text/html;x=1;Charset = latin1 "), ("text/html".into(), Some("latin1".into())));
        assert_eq!(split("text/html charset=x"), ("text/html".into(), None));
        assert_eq!(split(""), (String::new(), None));
    }
}
