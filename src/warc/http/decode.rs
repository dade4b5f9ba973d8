//! Content encodings undone, within a limit.

use super::super::ProblemKind;
use super::{Flaw, HttpHead, dechunk};
use std::borrow::Cow;
use std::io::{self, Read};

/// Encodings stacked deeper than this are left alone.
const MAX_LAYERS: usize = 5;

/// A decoded payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The bytes, as far as they could be decoded and up to the limit.
    pub bytes: Vec<u8>,
    /// Whether there is more than the limit let through.
    pub cut: bool,
    /// What was malformed.
    pub flaws: Vec<Flaw>,
}

/// The body without transfer encoding: what payload digests are made of
/// (WARC/1.1, 6.3.2: the entity body, “with any transfer-encoding removed”).
pub fn entity_body<'a>(head: &HttpHead, raw_body: &'a [u8]) -> (Cow<'a, [u8]>, Vec<Flaw>) {
    match head.is_chunked() {
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
/// A body that is not encoded as declared is given as it is, with a flaw.
pub fn decode_payload(head: &HttpHead, raw_body: &[u8], max_bytes: usize) -> Payload {
    let (body, mut flaws) = entity_body(head, raw_body);
    let mut codings: Vec<String> = Vec::new();
    for field in ["Content-Encoding", "Transfer-Encoding"] {
        for value in head.headers.all(field) {
            let value = String::from_utf8_lossy(value).to_ascii_lowercase();
            codings.extend(value.split(',').map(|word| word.trim().to_owned()));
        }
    }
    codings.retain(|coding| !matches!(coding.as_str(), "" | "identity" | "none" | "chunked" | "binary" | "8bit"));
    if codings.len() > MAX_LAYERS {
        flaws.push(Flaw::http(format!("{} encodings are stacked: taken as it is", codings.len())));
        codings.clear();
    }
    let mut body = body;
    let mut cut = false;
    // Listed in the order they were applied: the last is undone first.
    for coding in codings.iter().rev() {
        match undo(coding, &body, max_bytes) {
            Undone::Plain => {
                flaws.push(Flaw::http(format!("declared as {coding}, but is not")));
            }
            Undone::Unknown => {
                flaws.push(Flaw::http(format!("encoding “{coding}” is not known: taken as it is")));
                break;
            }
            Undone::Bytes { bytes, whole, why } => {
                cut |= !whole;
                flaws.extend(why.map(|why| Flaw::http(format!("{coding}: {why}"))));
                body = Cow::Owned(bytes);
            }
        }
    }
    if body.len() > max_bytes {
        cut = true;
    }
    let mut bytes = body.into_owned();
    bytes.truncate(max_bytes);
    if cut {
        flaws.push(Flaw { kind: ProblemKind::Limit, detail: format!("the payload was cut at {max_bytes} bytes") });
    }
    Payload { bytes, cut, flaws }
}

enum Undone {
    /// The body does not begin as this encoding does.
    Plain,
    Unknown,
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
        "deflate" => match read_all(flate2::bufread::ZlibDecoder::new(body), max_bytes) {
            Undone::Plain => read_all(flate2::bufread::DeflateDecoder::new(body), max_bytes),
            undone => undone,
        },
        "br" | "brotli" => read_all(brotli_decompressor::Decompressor::new(body, 16 * 1024), max_bytes),
        "zstd" => {
            let mut decoder = ruzstd::decoding::FrameDecoder::new();
            // RFC 9659: a web payload needs no window above 8 MiB.
            decoder.set_max_window_size(8 * 1024 * 1024);
            match ruzstd::decoding::StreamingDecoder::new_with_decoder(body, decoder) {
                Ok(reader) => read_all(reader, max_bytes),
                Err(_) => Undone::Plain,
            }
        }
        _ => Undone::Unknown,
    }
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
        Err(error) => Undone::Bytes { bytes, whole, why: Some(words(&error)) },
    }
}

fn words(error: &io::Error) -> String {
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
        assert_eq!(payload.bytes, TEXT);
        assert_eq!(payload.flaws.len(), 1);
    }
}
