//! The shape of an HTTP/1 answer: its head, and where its body ends.

use crate::warc::Headers;

/// Bytes of a head (interim heads too) before the answer is given up.
pub const MAX_HEAD_BYTES: usize = 256 << 10;
/// Header fields of one head.
const MAX_HEADER_FIELDS: usize = 2000;
/// Bytes of one chunk-size line, or of all trailers.
const MAX_CHUNK_LINE_BYTES: usize = 64 << 10;

/// A parsed head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// 100 to 999.
    pub status: u16,
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    pub minor_version: u8,
    /// Fields as they came.
    pub headers: Headers,
}

impl Head {
    /// Reads a whole head, the empty line included. Odd lines are passed
    /// over; `Err` is the reason why it is no HTTP answer at all.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut config = httparse::ParserConfig::default();
        config
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .allow_space_before_first_header_name(true)
            .ignore_invalid_headers_in_responses(true);
        // Some servers write the version in small letters.
        let begin = bytes.len() - bytes.trim_ascii_start().len();
        let name = begin..(begin + 4).min(bytes.len());
        let mut upper = Vec::new();
        let bytes = match &bytes[name.clone()] {
            b"HTTP" => bytes,
            other if other.eq_ignore_ascii_case(b"HTTP") => {
                upper.extend_from_slice(bytes);
                upper[name].make_ascii_uppercase();
                &upper
            }
            _ => bytes,
        };
        let mut room = 64;
        loop {
            let mut fields = vec![httparse::EMPTY_HEADER; room];
            let mut response = httparse::Response::new(&mut fields);
            match config.parse_response(&mut response, bytes) {
                Ok(httparse::Status::Complete(_)) => {
                    let mut headers = Headers::new();
                    for field in response.headers.iter() {
                        headers.push(field.name, field.value);
                    }
                    return Ok(Self {
                        status: response.code.unwrap_or(0),
                        minor_version: response.version.unwrap_or(1),
                        headers,
                    });
                }
                Ok(httparse::Status::Partial) => return Err("the head is cut off".to_owned()),
                Err(httparse::Error::TooManyHeaders) if room < MAX_HEADER_FIELDS => room *= 4,
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    /// Whether this head comes before the final one. 101 ends the exchange.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }

    /// The framing of the body (RFC 9112, 6.3, for an answer to GET).
    pub fn framing(&self) -> Framing {
        if matches!(self.status, 101 | 204 | 304) {
            return Framing::Empty;
        }
        let codings: Vec<String> =
            self.headers.all("Transfer-Encoding").map(|value| String::from_utf8_lossy(value).to_lowercase()).collect();
        if let Some(last) = codings.last() {
            let last = last.rsplit(',').next().unwrap_or_default().trim();
            return if last == "chunked" { Framing::Chunked } else { Framing::UntilClose };
        }
        let mut lengths = Vec::new();
        for value in self.headers.all("Content-Length") {
            for part in String::from_utf8_lossy(value).split(',') {
                match part.trim().parse::<u64>() {
                    Ok(length) if part.trim().bytes().all(|byte| byte.is_ascii_digit()) => lengths.push(length),
                    _ => return Framing::UntilClose,
                }
            }
        }
        match (lengths.iter().min(), lengths.iter().max()) {
            (Some(&low), Some(&high)) if low == high => Framing::Length(low),
            (Some(&low), Some(&high)) => Framing::Conflicting { low, high },
            _ => Framing::UntilClose,
        }
    }

    /// Whether the server lets the connection be used again.
    pub fn keeps_alive(&self) -> bool {
        let has_token = |token: &str| {
            self.headers.all("Connection").any(|value| {
                String::from_utf8_lossy(value).split(',').any(|part| part.trim().eq_ignore_ascii_case(token))
            })
        };
        if self.minor_version == 0 { has_token("keep-alive") } else { !has_token("close") }
    }
}

/// The way in which the end of a body is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is none.
    Empty,
    /// This many bytes.
    Length(u64),
    /// Lengths that differ: the largest counts, a shorter body is no damage.
    Conflicting {
        /// Smallest length in the head.
        low: u64,
        /// Largest length in the head.
        high: u64,
    },
    /// In chunks.
    Chunked,
    /// Until the server closes.
    UntilClose,
}

/// Length of the head at the start of `bytes`, its empty line included; lines
/// may end in LF alone. `from` is where an earlier look ended.
pub fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    // A head may begin with empty lines that belong to no head.
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let mut at = from.saturating_sub(3).max(start);
    while let Some(found) = memchr::memchr(b'\n', &bytes[at..]) {
        let line_end = at + found + 1;
        match bytes.get(line_end..) {
            Some([b'\n', ..]) => return Some(line_end + 1),
            Some([b'\r', b'\n', ..]) => return Some(line_end + 2),
            _ => at = line_end,
        }
    }
    None
}

/// Walks over a chunked body as it comes and finds its end. What is inside is
/// the business of [`crate::warc::http::Dechunker`].
///
/// Some servers declare chunked and are not: such a body ends with its connection.
#[derive(Debug, Clone, Default)]
pub struct ChunkScanner {
    state: ChunkState,
    line: Vec<u8>,
    trailer_bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ChunkState {
    #[default]
    SizeLine,
    Data(u64),
    DataEnd,
    Trailer,
    Done,
    Broken,
}

impl ChunkScanner {
    /// Goes over `input`. Returns how many bytes belong to the body: less
    /// than given only when it ended.
    pub fn feed(&mut self, input: &[u8]) -> usize {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            match self.state {
                ChunkState::Done => break,
                ChunkState::Broken => at = input.len(),
                ChunkState::Data(left) => {
                    let take = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                    at += take;
                    let left = left - take as u64;
                    self.state = if left == 0 { ChunkState::DataEnd } else { ChunkState::Data(left) };
                }
                ChunkState::DataEnd | ChunkState::SizeLine | ChunkState::Trailer => {
                    let end = memchr::memchr(b'\n', rest).map(|found| found + 1);
                    let take = end.unwrap_or(rest.len());
                    self.line.extend_from_slice(&rest[..take]);
                    at += take;
                    if end.is_some() {
                        self.end_line();
                    } else if self.line.len() > MAX_CHUNK_LINE_BYTES
                        || (self.state == ChunkState::DataEnd && self.line != b"\r")
                        || (self.state == ChunkState::SizeLine && !may_be_size(&self.line))
                    {
                        self.give_up();
                    }
                }
            }
        }
        at
    }

    fn end_line(&mut self) {
        let text = self.line.trim_ascii();
        match self.state {
            ChunkState::DataEnd if text.is_empty() => self.state = ChunkState::SizeLine,
            ChunkState::SizeLine => match chunk_size(text) {
                Some(0) => self.state = ChunkState::Trailer,
                Some(size) => self.state = ChunkState::Data(size),
                None => return self.give_up(),
            },
            ChunkState::Trailer => {
                self.trailer_bytes += self.line.len();
                if text.is_empty() {
                    self.state = ChunkState::Done;
                } else if self.trailer_bytes > MAX_CHUNK_LINE_BYTES {
                    return self.give_up();
                }
            }
            _ => return self.give_up(),
        }
        self.line.clear();
    }

    fn give_up(&mut self) {
        self.line = Vec::new();
        self.state = ChunkState::Broken;
    }

    /// The last chunk and its trailers were seen.
    pub fn is_done(&self) -> bool {
        self.state == ChunkState::Done
    }

    /// Something that is no chunk was seen.
    pub fn is_broken(&self) -> bool {
        self.state == ChunkState::Broken
    }
}

fn may_be_size(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_none_or(u8::is_ascii_hexdigit)
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn head(text: &str) -> Head {
        Head::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn odd_heads_are_read() {
        let odd = head(
            "HTTP/1.1 200\r\nX-A : 1\r\nx-a: 2\r\nBroken line\r\nFolded: one\r\n two\r\nContent-Length: 3\r\n\r\n",
        );
        assert_eq!((odd.status, odd.minor_version), (200, 1));
        assert_eq!(odd.headers.all("X-A").count(), 2);
        assert_eq!(odd.framing(), Framing::Length(3));
        assert_eq!(head("HTTP/1.0 999 Request denied\n\n").status, 999);
        assert_eq!(
            Head::parse(b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\n\r\n").unwrap().headers.get("x").unwrap(),
            "caf\u{e9}"
        );
        assert!(Head::parse(b"SSH-2.0-OpenSSH_9.2\r\n\r\n").is_err());
        let many: String = (0..500).map(|number| format!("X-{number}: y\r\n")).collect();
        assert_eq!(head(&format!("HTTP/1.1 200 OK\r\n{many}\r\n")).headers.len(), 500);
    }

    #[test]
    fn the_end_of_a_body_is_found_by_the_standard() {
        let check = |fields: &str, expected: Framing| {
            assert_eq!(head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).framing(), expected, "{fields}");
        };
        check("", Framing::UntilClose);
        check("Content-Length: 5\r\n", Framing::Length(5));
        check("Content-Length: 5\r\nContent-Length: 5\r\n", Framing::Length(5));
        check("Content-Length: 5, 5\r\n", Framing::Length(5));
        check("Content-Length: 5\r\nContent-Length: 9\r\n", Framing::Conflicting { low: 5, high: 9 });
        check("Content-Length: +5\r\n", Framing::UntilClose);
        check("Content-Length: 5\r\nTransfer-Encoding: gzip, Chunked\r\n", Framing::Chunked);
        check("Transfer-Encoding: gzip\r\n", Framing::UntilClose);
        assert_eq!(head("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").framing(), Framing::Empty);
        assert!(head("HTTP/1.1 103 Early Hints\r\n\r\n").is_interim());
    }

    #[test]
    fn heads_end_at_the_empty_line() {
        for (bytes, end) in [
            (&b"A\r\n\r\nbody"[..], Some(5)),
            (b"A\n\nbody", Some(3)),
            (b"\r\n\r\nA\r\nB\r\n\r\n", Some(12)),
            (b"A\r\nB", None),
            (b"\r\n", None),
        ] {
            assert_eq!(head_end(bytes, 0), end);
            for from in 0..bytes.len() {
                assert!(end.is_none_or(|end| from > end - 1 || head_end(bytes, from) == Some(end)), "{from}");
            }
        }
    }

    #[track_caller]
    fn check_chunks(body: &[u8], left_over: usize, broken: bool) {
        for step in [1, 2, 3, 7, body.len()] {
            let mut scanner = ChunkScanner::default();
            let used: usize = body.chunks(step).map(|part| scanner.feed(part)).sum();
            assert_eq!(body.len() - used, left_over, "step {step}");
            assert_eq!(scanner.is_broken(), broken, "step {step}");
            assert_eq!(scanner.is_done(), !broken, "step {step}");
        }
    }

    #[test]
    fn chunks_are_followed_to_their_end() {
        check_chunks(b"3\r\nabc\r\n0\r\n\r\n", 0, false);
        check_chunks(b"3;name=\"v\"\r\nabc\r\n 2 \r\nde\r\n000\r\nTrailer: x\r\n\r\nHTTP/1.1", 8, false);
        check_chunks(b"A\n0123456789\n0\n\n", 0, false);
    }

    #[test]
    fn what_is_no_chunk_is_seen_at_once() {
        check_chunks(b"<html>not chunked", 0, true);
        check_chunks(b"3\r\nabcXX\r\n", 0, true);
        check_chunks(b"FFFFFFFFFFFFFFFFF\r\nabc", 0, true);
    }
}
