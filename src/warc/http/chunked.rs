//! Decodes chunked transfer encoding (RFC 9112, 7.1) as a stream.

use super::Flaw;
use crate::warc::ProblemKind;

/// A line with a chunk size longer than this is none.
const MAX_SIZE_LINE: usize = 4096;

/// Trailer fields longer than this in all are not waited for.
const MAX_TRAILER: usize = 64 * 1024;

/// Takes a body piece by piece and gives its entity body.
///
/// A body that is declared chunked and is not comes out unchanged; where the encoding breaks off later, the
/// rest comes out unchanged.
#[derive(Debug, Clone, Default)]
pub struct Dechunker {
    state: ChunkState,
    line: Vec<u8>,
    /// Bytes taken so far.
    taken: u64,
    any_chunk: bool,
    flaws: Vec<Flaw>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ChunkState {
    #[default]
    Size,
    Data(u64),
    DataEnd,
    Trailer,
    Done,
    Raw,
}

impl Dechunker {
    /// At the beginning of a body.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the last chunk and the trailer were seen.
    pub fn is_done(&self) -> bool {
        self.state == ChunkState::Done
    }

    /// Takes the next piece; `out` gets bytes of the entity body.
    pub fn feed(&mut self, mut piece: &[u8], out: &mut impl FnMut(&[u8])) {
        while !piece.is_empty() {
            let used = match self.state {
                ChunkState::Raw => {
                    out(piece);
                    piece.len()
                }
                ChunkState::Data(left) => {
                    let len = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
                    out(&piece[..len]);
                    let left = left - len as u64;
                    self.state = if left == 0 { ChunkState::DataEnd } else { ChunkState::Data(left) };
                    len
                }
                ChunkState::Done => {
                    if !self.flaws.iter().any(|flaw| flaw.detail.starts_with("bytes after")) {
                        self.flaws.push(Flaw::http("bytes after the last chunk"));
                    }
                    piece.len()
                }
                ChunkState::Size | ChunkState::DataEnd | ChunkState::Trailer => self.take_line(piece, out),
            };
            self.taken += used as u64;
            piece = &piece[used..];
        }
    }

    /// Ends the body; returns what was malformed.
    pub fn finish(mut self, out: &mut impl FnMut(&[u8])) -> Vec<Flaw> {
        match self.state {
            ChunkState::Size if !self.any_chunk => {
                // Nothing, or a short body that is no chunk.
                if !self.line.is_empty() {
                    self.flaws.push(Flaw::http("declared chunked, but is not"));
                    out(&self.line);
                }
            }
            ChunkState::Size | ChunkState::Data(_) | ChunkState::DataEnd => {
                let rest = self.line.trim_ascii();
                let is_size = self.state == ChunkState::Size && rest.iter().all(u8::is_ascii_hexdigit);
                if !rest.is_empty() && !is_size {
                    out(&self.line);
                }
                self.flaws.push(Flaw::lossy(ProblemKind::BadHttp, "the chunked body ends before its last chunk"));
            }
            ChunkState::Trailer | ChunkState::Done | ChunkState::Raw => {}
        }
        self.flaws
    }

    /// Collects a line; acts on it when it is whole. Returns the bytes used.
    fn take_line(&mut self, piece: &[u8], out: &mut impl FnMut(&[u8])) -> usize {
        let limit = if self.state == ChunkState::Trailer { MAX_TRAILER } else { MAX_SIZE_LINE };
        // Never beyond the limit: what is too long must not depend on the pieces.
        let piece = &piece[..piece.len().min(limit + 1 - self.line.len())];
        let end = memchr::memchr(b'\n', piece);
        let used = end.map_or(piece.len(), |end| end + 1);
        self.line.extend_from_slice(&piece[..used]);
        if end.is_none() && self.line.len() <= limit {
            return used;
        }
        let line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        let is_whole = line.ends_with(b"\n");
        match self.state {
            ChunkState::Size | ChunkState::DataEnd if !is_whole => self.give_up(&line, used, out),
            ChunkState::DataEnd if text.is_empty() => self.state = ChunkState::Size,
            ChunkState::Size => match chunk_size(text) {
                Some(0) => {
                    self.any_chunk = true;
                    self.state = ChunkState::Trailer;
                }
                Some(size) => {
                    self.any_chunk = true;
                    self.state = ChunkState::Data(size);
                }
                None => self.give_up(&line, used, out),
            },
            ChunkState::Trailer => {
                if text.is_empty() || !is_whole {
                    self.state = ChunkState::Done;
                }
            }
            _ => self.give_up(&line, used, out),
        }
        used
    }

    /// The encoding does not hold: from here on bytes are taken as they are.
    fn give_up(&mut self, line: &[u8], used: usize, out: &mut impl FnMut(&[u8])) {
        let sound = self.taken + used as u64 - line.len() as u64;
        self.flaws.push(match self.any_chunk {
            true => {
                let detail = format!("the chunked encoding breaks off after {sound} bytes");
                Flaw::lossy(ProblemKind::BadHttp, detail)
            }
            false => Flaw::http("declared chunked, but is not"),
        });
        self.state = ChunkState::Raw;
        out(line);
    }
}

/// Hexadecimal size before extensions.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|&byte| byte == b';').next()?.trim_ascii();
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The entity body of a chunked body in memory.
pub fn dechunk(body: &[u8]) -> (Vec<u8>, Vec<Flaw>) {
    let mut out = Vec::with_capacity(body.len());
    let mut dechunker = Dechunker::new();
    let mut take = |bytes: &[u8]| out.extend_from_slice(bytes);
    dechunker.feed(body, &mut take);
    let flaws = dechunker.finish(&mut take);
    (out, flaws)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(body: &str, expected: &str, flaws: &[&str]) {
        let (whole, found) = dechunk(body.as_bytes());
        assert_eq!(String::from_utf8_lossy(&whole), expected);
        assert_eq!(found.iter().map(|flaw| flaw.detail.as_str()).collect::<Vec<_>>(), flaws);
        // The same byte by byte.
        let mut out = Vec::new();
        let mut dechunker = Dechunker::new();
        for byte in body.as_bytes() {
            dechunker.feed(&[*byte], &mut |bytes: &[u8]| out.extend_from_slice(bytes));
        }
        assert_eq!(dechunker.finish(&mut |bytes: &[u8]| out.extend_from_slice(bytes)), found);
        assert_eq!(out, whole);
    }

    #[test]
    fn chunks_are_joined() {
        check("4\r\nWiki\r\n6;x=y\r\npedia \r\nB\r\nin chunks.\n\r\n0\r\n\r\n", "Wikipedia in chunks.\n", &[]);
        check("4\nWiki\n0\n\n", "Wiki", &[]);
        check("0\r\nTrailer: x\r\n\r\n", "", &[]);
        check("", "", &[]);
    }

    #[test]
    fn sizes_extensions_and_trailers_of_all_kinds_are_read() {
        check("  4 ;a=\"b\"\r\nWiki\r\n0;end\r\n\r\n", "Wiki", &[]);
        check("0004\r\nWiki\r\n000\r\nDigest: x\r\nA: b\r\n\r\n", "Wiki", &[]);
        check("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", &[]);
        // Without the last line, everything is there all the same.
        check("4\r\nWiki\r\n0\r\n", "Wiki", &[]);
        check("4\r\nWiki\r\n0\r\nTrailer: x", "Wiki", &[]);
    }

    #[test]
    fn a_line_that_is_too_long_is_none_in_any_pieces() {
        let extension = |len| format!("4;{}\r\nWiki\r\n0\r\n\r\n", "x".repeat(len));
        check(&extension(MAX_SIZE_LINE - 4), "Wiki", &[]);
        let long = extension(MAX_SIZE_LINE);
        check(&long, &long, &["declared chunked, but is not"]);
        let blanks = format!("1\r\na{}", " ".repeat(MAX_SIZE_LINE + 1));
        check(&blanks, &blanks[3..], &["the chunked encoding breaks off after 4 bytes"]);
        let trailer = format!("0\r\nA: {}\r\n\r\n", "x".repeat(MAX_TRAILER));
        check(&trailer, "", &["bytes after the last chunk"]);
    }

    #[test]
    fn lies_do_no_harm() {
        check("-4\r\nWiki", "-4\r\nWiki", &["declared chunked, but is not"]);
        check("0x4\r\nWiki", "0x4\r\nWiki", &["declared chunked, but is not"]);
        check("10000000000000004\r\nWiki", "10000000000000004\r\nWiki", &["declared chunked, but is not"]);
        check("4\r\nWiki", "Wiki", &["the chunked body ends before its last chunk"]);
        check("4\r\nWiki\r\n", "Wiki", &["the chunked body ends before its last chunk"]);
        check("2\r\nWiki\r\n0\r\n\r\n", "Wiki\r\n0\r\n\r\n", &["the chunked encoding breaks off after 5 bytes"]);
        check("<html>\r\n</html>", "<html>\r\n</html>", &["declared chunked, but is not"]);
        check("hello", "hello", &["declared chunked, but is not"]);
        check("4\r\nWi", "Wi", &["the chunked body ends before its last chunk"]);
        check("4\r\nWikipedia", "Wikipedia", &["the chunked body ends before its last chunk"]);
        check("4\r\nWiki\r\nzz\r\nmore", "Wikizz\r\nmore", &["the chunked encoding breaks off after 9 bytes"]);
        check("0\r\n\r\nmore", "", &["bytes after the last chunk"]);
        check("FFFFFFFFFFFFFFFF\r\nab", "ab", &["the chunked body ends before its last chunk"]);
    }

    proptest! {
        #[test]
        fn what_is_put_into_chunks_comes_out(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..200), 0..8),
            extension in "(;[a-z]{1,5}(=[a-z0-9]{1,5})?)?",
            line_end in prop::sample::select(&["\r\n", "\n"]),
            sizes in prop::collection::vec(1usize..100, 1..5),
        ) {
            let mut body = Vec::new();
            for piece in &pieces {
                body.extend_from_slice(format!("{:x}{extension}{line_end}", piece.len()).as_bytes());
                body.extend_from_slice(piece);
                body.extend_from_slice(line_end.as_bytes());
            }
            body.extend_from_slice(format!("0{extension}{line_end}A: b{line_end}{line_end}").as_bytes());
            prop_assert_eq!(dechunk(&body), (pieces.concat(), Vec::new()));
            let (mut out, mut rest, mut index) = (Vec::new(), &body[..], 0);
            let mut dechunker = Dechunker::new();
            while !rest.is_empty() {
                let (piece, left) = rest.split_at(sizes[index % sizes.len()].min(rest.len()));
                dechunker.feed(piece, &mut |bytes: &[u8]| out.extend_from_slice(bytes));
                (rest, index) = (left, index + 1);
            }
            prop_assert!(dechunker.is_done());
            prop_assert_eq!(out, pieces.concat());
        }

        #[test]
        fn any_body_comes_out_the_same_in_any_pieces(
            body in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..300),
                "[0-9a-f]{1,3}(;x)?\r?\n[a-c]{0,20}(\r\n)?[0-3]?\r?\n?.{0,20}".prop_map(String::into_bytes),
            ],
            size in 1usize..50,
        ) {
            let (whole, flaws) = dechunk(&body);
            let mut out = Vec::new();
            let mut dechunker = Dechunker::new();
            body.chunks(size).for_each(|piece| dechunker.feed(piece, &mut |bytes: &[u8]| out.extend_from_slice(bytes)));
            prop_assert_eq!(dechunker.finish(&mut |bytes: &[u8]| out.extend_from_slice(bytes)), flaws);
            prop_assert_eq!(out, whole);
        }
    }
}
