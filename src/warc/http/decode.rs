//! Decodes content encodings within a limit.

use super::super::Headers;
use super::super::ProblemKind;
use super::head::is_chunked;
use super::{Flaw, HttpHead, dechunk};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::borrow::Cow;
use std::io::{self, Read};

/// Encodings stacked deeper than this are left alone.
const MAX_LAYERS: usize = 5;

/// Words that change nothing: those of the standards, charsets that servers
/// put in the wrong field, and `aws-chunked`, which storage has undone already.
const IDENTITY: [&str; 19] = [
    "",
    "identity",
    "none",
    "chunked",
    "binary",
    "8bit",
    "7bit",
    "plain",
    "text",
    "uncompressed",
    "off",
    "no",
    "null",
    "utf-8",
    "utf8",
    "us-ascii",
    "iso-8859-1",
    "windows-1252",
    "aws-chunked",
];

/// RFC 9659: a web payload needs no zstd window above 8 MiB.
const MAX_ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

/// A body is unpacked to at most so many times its length: pages come out some
/// ten times as long, and what comes out at more is made to fill memories.
pub const MAX_UNPACKED_RATIO: usize = 250;

/// A body is unpacked to this much, however short it is.
const ALWAYS_UNPACKED: usize = 1 << 20;

/// The most bytes that a body of this length is unpacked to.
pub fn unpacked_limit(body_len: usize) -> usize {
    body_len.saturating_mul(MAX_UNPACKED_RATIO).max(ALWAYS_UNPACKED)
}

/// A decoded payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The bytes, as far as they could be decoded and up to the limit; those
    /// of the body where nothing had to be decoded.
    pub bytes: Cow<'a, [u8]>,
    /// Whether there is more than the limit let through.
    pub cut: bool,
    /// Whether it would come out longer than [`unpacked_limit`]: then `bytes`
    /// are those of the body, which nobody takes for a text.
    pub bomb: bool,
    /// What was malformed.
    pub flaws: Vec<Flaw>,
}

impl Payload<'_> {
    /// Whether nothing of it is missing. What is only not encoded as it is
    /// declared is whole.
    pub fn is_whole(&self) -> bool {
        !self.cut && !self.flaws.iter().any(|flaw| flaw.lossy)
    }

    /// Copies borrowed bytes.
    pub fn into_owned(self) -> Payload<'static> {
        Payload { bytes: Cow::Owned(self.bytes.into_owned()), ..self }
    }
}

impl From<Vec<u8>> for Payload<'static> {
    /// Makes a payload of bytes without codings.
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: Cow::Owned(bytes), cut: false, bomb: false, flaws: Vec::new() }
    }
}

/// The body without transfer encoding: what payload digests are made of
/// (WARC/1.1, 6.3.2: the entity body, “with any transfer-encoding removed”).
pub fn entity_body<'a>(head: &HttpHead, raw_body: &'a [u8]) -> (Cow<'a, [u8]>, Vec<Flaw>) {
    entity(&head.headers, raw_body)
}

fn entity<'a>(headers: &Headers, raw_body: &'a [u8]) -> (Cow<'a, [u8]>, Vec<Flaw>) {
    match is_chunked(headers) {
        true => {
            let (body, flaws) = dechunk(raw_body);
            (Cow::Owned(body), flaws)
        }
        false => (Cow::Borrowed(raw_body), Vec::new()),
    }
}

/// Undoes transfer and content encodings; what comes out is at most
/// `max_bytes` long, whatever went in.
///
/// A body that is not encoded as declared is given as it is, with a flaw, and
/// so is one that comes out longer than [`unpacked_limit`].
pub fn decode_payload<'a>(head: &HttpHead, raw_body: &'a [u8], max_bytes: usize) -> Payload<'a> {
    decode_body(&head.headers, raw_body, max_bytes)
}

/// As [`decode_payload`], for the body of any message, such as a request.
pub fn decode_body<'a>(headers: &Headers, raw_body: &'a [u8], max_bytes: usize) -> Payload<'a> {
    let (body, mut flaws) = entity(headers, raw_body);
    let mut codings: Vec<String> = Vec::new();
    for field in ["Content-Encoding", "Transfer-Encoding"] {
        for value in headers.all(field) {
            let value = String::from_utf8_lossy(value).to_ascii_lowercase();
            codings.extend(value.split([',', ';']).map(|coding| coding.trim().trim_matches(['"', '\'']).to_owned()));
        }
    }
    codings.retain(|coding| !IDENTITY.contains(&coding.as_str()));
    if codings.len() > MAX_LAYERS {
        let detail = format!("{} encodings are stacked: taken as it is", codings.len());
        flaws.push(Flaw::lossy(ProblemKind::BadHttp, detail));
        codings.clear();
    }
    let compressed = body;
    let mut body = Cow::Borrowed(&compressed[..]);
    let unpacked_limit = unpacked_limit(compressed.len());
    let (mut cut, mut bomb) = (false, false);
    // Listed in the order they were applied: the last is undone first.
    for coding in codings.iter().rev() {
        match undo(coding, &body, max_bytes.min(unpacked_limit)) {
            Undone::Plain => {
                flaws.push(Flaw::http(format!("declared as {coding}, but is not")));
            }
            Undone::Refused(why) => {
                flaws.push(Flaw::lossy(ProblemKind::BadHttp, format!("{coding}: {why}: taken as it is")));
                break;
            }
            Undone::Unknown => {
                let detail = format!("encoding “{coding}” is not known: taken as it is");
                flaws.push(Flaw::lossy(ProblemKind::BadHttp, detail));
                break;
            }
            Undone::Bytes { whole: false, .. } if unpacked_limit < max_bytes => {
                let detail = format!("unpacks to more than {MAX_UNPACKED_RATIO} times its size: taken as it is");
                flaws.push(Flaw::lossy(ProblemKind::Limit, detail));
                (bomb, body) = (true, Cow::Borrowed(&compressed[..]));
                break;
            }
            Undone::Bytes { bytes, whole, why } => {
                cut |= !whole;
                flaws.extend(why.map(|why| Flaw::lossy(ProblemKind::BadHttp, format!("{coding}: {why}"))));
                body = Cow::Owned(bytes);
            }
        }
    }
    if body.len() > max_bytes {
        cut = true;
    }
    let unpacked = match body {
        Cow::Owned(bytes) => Some(bytes),
        Cow::Borrowed(_) => None,
    };
    let bytes = match unpacked.map_or(compressed, Cow::Owned) {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..max_bytes).unwrap_or(bytes)),
        Cow::Owned(mut bytes) => {
            bytes.truncate(max_bytes);
            Cow::Owned(bytes)
        }
    };
    if cut {
        flaws.push(Flaw::lossy(ProblemKind::Limit, format!("the payload was cut at {max_bytes} bytes")));
    }
    Payload { bytes, cut, bomb, flaws }
}

enum Undone {
    /// The body does not begin as this encoding does.
    Plain,
    Unknown,
    /// It is of this encoding and is not decoded.
    Refused(String),
    Bytes {
        bytes: Vec<u8>,
        /// Nothing was left out because of the limit.
        whole: bool,
        /// Why decoding ended early.
        why: Option<String>,
    },
}

fn undo(coding: &str, body: &[u8], max_bytes: usize) -> Undone {
    if body.is_empty() {
        return Undone::Bytes { bytes: Vec::new(), whole: true, why: None };
    }
    match coding {
        "gzip" | "x-gzip" => match body.starts_with(&[0x1f, 0x8b]) {
            true => read_all(flate2::bufread::MultiGzDecoder::new(body), max_bytes),
            false => Undone::Plain,
        },
        // The name means zlib; half of the servers send bare deflate.
        "deflate" | "x-deflate" => match read_all(flate2::bufread::ZlibDecoder::new(body), max_bytes) {
            Undone::Plain => read_all(flate2::bufread::DeflateDecoder::new(body), max_bytes),
            undone => undone,
        },
        "br" | "brotli" | "x-br" => read_all(brotli_decompressor::Decompressor::new(body, 16 * 1024), max_bytes),
        "zstd" | "x-zstd" => unzstd(body, max_bytes),
        _ => Undone::Unknown,
    }
}

/// Frames, one after the other (RFC 8878 allows several, and skippable ones between).
fn unzstd(body: &[u8], max_bytes: usize) -> Undone {
    let mut left = body;
    let mut all = Vec::new();
    while !left.is_empty() {
        if let Some(rest) = after_skippable(left) {
            left = rest;
            continue;
        }
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_ZSTD_WINDOW);
        let first = all.is_empty();
        let frame = match StreamingDecoder::new_with_decoder(&mut left, decoder) {
            Ok(reader) => read_all(reader, max_bytes - all.len()),
            Err(_) if !body.starts_with(&ZSTD_MAGIC) => return Undone::Plain,
            Err(error) if first => return Undone::Refused(error.to_string()),
            Err(error) => Undone::Bytes { bytes: Vec::new(), whole: true, why: Some(error.to_string()) },
        };
        match frame {
            Undone::Bytes { bytes, whole, why } => {
                all.extend_from_slice(&bytes);
                if !whole || why.is_some() {
                    return Undone::Bytes { bytes: all, whole, why };
                }
            }
            _ if first => return Undone::Refused("the body is damaged".to_owned()),
            _ => return Undone::Bytes { bytes: all, whole: true, why: Some("the body is damaged".to_owned()) },
        }
    }
    Undone::Bytes { bytes: all, whole: true, why: None }
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Bytes behind the skippable frame at the beginning of `bytes`, if there is one.
fn after_skippable(bytes: &[u8]) -> Option<&[u8]> {
    let (magic, rest) = bytes.split_first_chunk()?;
    let (len, rest) = rest.split_first_chunk()?;
    (u32::from_le_bytes(*magic) & 0xFFFF_FFF0 == 0x184D_2A50)
        .then(|| rest.get(u32::from_le_bytes(*len) as usize..).unwrap_or_default())
}

/// Reads up to the limit. An error before the first byte means that the body
/// is not of this kind.
fn read_all(reader: impl Read, max_bytes: usize) -> Undone {
    let mut bytes = Vec::new();
    let result = reader.take(max_bytes as u64 + 1).read_to_end(&mut bytes);
    let whole = bytes.len() <= max_bytes;
    bytes.truncate(max_bytes);
    match result {
        Ok(_) => Undone::Bytes { bytes, whole, why: None },
        Err(_) if bytes.is_empty() => Undone::Plain,
        Err(error) => Undone::Bytes { bytes, whole, why: Some(describe(&error)) },
    }
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the body ends too early".to_owned(),
        _ => format!("the body is damaged ({error})"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::parse_response_head;
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;

    const TEXT: &[u8] = b"O arquivo da web portuguesa, o arquivo da web portuguesa";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[track_caller]
    fn check(fields: &str, body: &[u8], expected: &[u8], flaws: &[&str]) {
        let head = parse_response_head(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes()).unwrap();
        let payload = decode_payload(&head, body, 1000);
        assert_eq!(String::from_utf8_lossy(&payload.bytes), String::from_utf8_lossy(expected));
        assert_eq!(payload.flaws.iter().map(|flaw| flaw.detail.as_str()).collect::<Vec<_>>(), flaws);
    }

    #[test]
    fn encodings_are_undone() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(TEXT).unwrap();
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
        deflate.write_all(TEXT).unwrap();
        let zstd = ruzstd::encoding::compress_to_vec(TEXT, ruzstd::encoding::CompressionLevel::Fastest);
        check("", TEXT, TEXT, &[]);
        check("Content-Encoding: gzip\r\n", &gzip(TEXT), TEXT, &[]);
        check("Content-Encoding: deflate\r\n", &zlib.finish().unwrap(), TEXT, &[]);
        check("Content-Encoding: deflate\r\n", &deflate.finish().unwrap(), TEXT, &[]);
        check("Content-Encoding: zstd\r\n", &zstd, TEXT, &[]);
        check("Content-Encoding: zstd, GZIP\r\n", &gzip(&zstd), TEXT, &[]);
        check("Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", &gzip(&gzip(TEXT)), TEXT, &[]);
        let gz = gzip(TEXT);
        let mut chunked = format!("{:x}\r\n", gz.len()).into_bytes();
        chunked.extend_from_slice(&gz);
        chunked.extend_from_slice(b"\r\n0\r\n\r\n");
        check("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", &chunked, TEXT, &[]);
        check("Transfer-Encoding: gzip, chunked\r\n", &chunked, TEXT, &[]);
    }

    #[test]
    fn what_is_not_as_declared_is_taken_as_it_is() {
        check("Content-Encoding: gzip\r\n", TEXT, TEXT, &["declared as gzip, but is not"]);
        check("Content-Encoding: br\r\n", TEXT, TEXT, &["declared as br, but is not"]);
        check("Content-Encoding: zstd\r\n", TEXT, TEXT, &["declared as zstd, but is not"]);
        check("Content-Encoding: rot13\r\n", TEXT, TEXT, &["encoding “rot13” is not known: taken as it is"]);
        check("Content-Encoding: gzip\r\n", b"", b"", &[]);
    }

    #[test]
    fn stacked_and_odd_codings_are_undone() {
        // “O arquivo”, by the reference encoder, whole in one meta-block.
        const BROTLI: &[u8] = b"\x0b\x04\x80O arquivo\x03";
        const SHORT: &[u8] = b"O arquivo";
        check("Content-Encoding: br\r\n", BROTLI, SHORT, &[]);
        check("Content-Encoding: br, gzip\r\n", &gzip(BROTLI), SHORT, &[]);
        check("Content-Encoding: br\r\nContent-Encoding: gzip\r\n", &gzip(BROTLI), SHORT, &[]);
        check("Content-Encoding: identity, gzip, UTF-8\r\n", &gzip(TEXT), TEXT, &[]);
        check("Content-Encoding: \"gzip\"\r\n", &gzip(TEXT), TEXT, &[]);
        check("Content-Encoding: none\r\n", TEXT, TEXT, &[]);
        check("Content-Encoding: ,,\r\n", TEXT, TEXT, &[]);
        let zstd = |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        let frames = [zstd(&TEXT[..20]), skippable.to_vec(), zstd(&TEXT[20..])].concat();
        check("Content-Encoding: zstd\r\n", &frames, TEXT, &[]);
        let many = format!("Content-Encoding: {}\r\n", ["gzip"; 6].join(","));
        check(&many, TEXT, TEXT, &["6 encodings are stacked: taken as it is"]);
        check(
            "Content-Encoding: gzip, rot13\r\n",
            &gzip(TEXT),
            &gzip(TEXT),
            &["encoding “rot13” is not known: taken as it is"],
        );
    }

    #[test]
    fn a_zstd_window_beyond_the_limit_is_refused() {
        // Magic, a header without size, a window of 16 MiB, one raw block of one byte.
        let wide = [&ZSTD_MAGIC[..], &[0x00, 14 << 3, 0x09, 0, 0, b'x']].concat();
        let head = parse_response_head(b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n").unwrap();
        let payload = decode_payload(&head, &wide, 1000);
        assert_eq!(*payload.bytes, wide);
        assert!(payload.flaws[0].detail.contains("taken as it is"), "{:?}", payload.flaws);
        let narrow = [&ZSTD_MAGIC[..], &[0x00, 13 << 3, 0x09, 0, 0, b'x']].concat();
        assert_eq!(*decode_payload(&head, &narrow, 1000).bytes, *b"x");
    }

    #[test]
    fn what_unpacks_to_far_more_than_it_is_stays_as_it_is() {
        let zeros = vec![b' '; 1 << 20];
        let ordinary = b"<li><a href=/one/page/of/many>One page of many</a>\n".repeat(100_000);
        let thrice = |bytes: &[u8]| gzip(&gzip(&gzip(bytes)));
        let decode = |coding: &str, body: &[u8], max_bytes| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n");
            decode_payload(&parse_response_head(head.as_bytes()).unwrap(), body, max_bytes).into_owned()
        };
        // A mebibyte always; what is repeated as in no page as long as one layer is all there is.
        assert_eq!(*decode("gzip, gzip, gzip", &thrice(&zeros), 64 << 20).bytes, *zeros);
        assert_eq!(*decode("gzip", &gzip(&ordinary), 64 << 20).bytes, *ordinary);
        let far = thrice(&zeros.repeat(16));
        let payload = decode("gzip, gzip, gzip", &far, 64 << 20);
        assert_eq!((payload.bytes.len(), payload.bomb, payload.cut), (far.len(), true, false));
        assert_eq!(payload.flaws[0].detail, "unpacks to more than 250 times its size: taken as it is");
        assert!(!payload.is_whole());
        // A smaller limit is met before.
        let payload = decode("gzip, gzip, gzip", &far, 1000);
        assert_eq!((payload.bytes.len(), payload.bomb, payload.cut), (1000, false, true));
    }

    #[test]
    fn every_coding_is_cut_at_the_limit() {
        let bomb = vec![0; 20_000_000];
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(&bomb).unwrap();
        let zstd = ruzstd::encoding::compress_to_vec(&bomb[..], ruzstd::encoding::CompressionLevel::Fastest);
        let twice = gzip(&gzip(&bomb));
        for (coding, body) in [("deflate", zlib.finish().unwrap()), ("zstd", zstd), ("gzip, gzip", twice)] {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n");
            let payload = decode_payload(&parse_response_head(head.as_bytes()).unwrap(), &body, 100_000);
            assert_eq!((payload.bytes.len(), payload.cut), (100_000, true), "{coding}: {:?}", payload.flaws);
        }
    }

    #[test]
    fn a_bomb_stays_small() {
        let bomb = gzip(&vec![0; 50_000_000]);
        let head = parse_response_head(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n").unwrap();
        let payload = decode_payload(&head, &bomb, 1000);
        assert_eq!(payload.bytes.len(), 1000);
        assert!(payload.cut);
        assert_eq!(payload.flaws[0].kind, ProblemKind::Limit);
    }

    #[test]
    fn a_torn_body_gives_what_is_there() {
        let gz = gzip(TEXT);
        let head = parse_response_head(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n").unwrap();
        let payload = decode_payload(&head, &gz[..gz.len() - 8], 1000);
        assert_eq!(*payload.bytes, *TEXT);
        assert_eq!((payload.flaws.len(), payload.is_whole()), (1, false));
        // All that was sent is there where it is only not as declared.
        assert!(decode_payload(&head, TEXT, 1000).is_whole() && !decode_payload(&head, TEXT, 10).is_whole());
    }
}
