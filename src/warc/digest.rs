//! Computes and checks block and payload digests.
//!
//! # Which bytes a payload digest is made of
//!
//! WARC/1.1 (6.3.2) defines the payload of an HTTP response as its entity
//! body “with any transfer-encoding removed”. The checkers and replay tools
//! built on warcio hash the body as it crossed the wire instead, chunk sizes
//! included, and call the standard's digest wrong. Both cannot be had in one
//! field, but neither has to be broken:
//!
//! * a body without transfer encoding has one digest by both readings: it is
//!   written;
//! * a chunked response gets no `WARC-Payload-Digest` (the field is optional)
//!   and keeps its block digest; [`Digests::payload`] still gives the
//!   standard's value to the catalogue and the CDXJ index;
//! * such a response should not be the original of a revisit record, since
//!   tools that index the file themselves would not find it by the digest
//!   that the revisit names: see [`Digests::can_be_repeated`];
//! * checking, either reading counts as right.

use super::RecordHead;
use super::RecordType;
use super::http::{Dechunker, parse_request_head, parse_response_head, response_head_is_whole};
use super::interleaved_sha1::TwinSha1;
use data_encoding::{BASE32, BASE64, BASE64URL, HEXLOWER};
use md5::Md5;
use sha1::Digest as _;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

/// An HTTP head longer than this is not waited for: the block has no payload digest.
const MAX_HEAD: usize = 1024 * 1024;

/// `sha1:` and the digest in base 32, as WARC files have it.
pub fn sha1_base32(bytes: &[u8]) -> String {
    sha1_text(&Sha1::digest(bytes))
}

/// A SHA-1 as WARC files have it.
pub fn sha1_text(digest: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(digest))
}

/// Digests of a block and its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    /// Of the whole block.
    pub block: String,
    /// Of the payload without transfer encoding; of the whole block where
    /// there is no HTTP head.
    pub payload: String,
    /// Of the body as it crossed the wire, where that is something else.
    pub raw_body: Option<String>,
    /// Bytes of the block.
    pub block_len: u64,
    /// Bytes of the payload.
    pub payload_len: u64,
}

impl Digests {
    /// Computes the digests of a block in memory.
    pub fn of_block(block: &[u8], is_http_response: bool) -> Self {
        let mut digester = BlockDigester::new(is_http_response);
        digester.update(block);
        digester.finish()
    }

    /// The value for `WARC-Payload-Digest`, when both readings of it agree.
    pub fn payload_field(&self) -> Option<&str> {
        self.raw_body.is_none().then_some(self.payload.as_str())
    }

    /// Whether revisit records may name this capture as their original.
    pub fn can_be_repeated(&self) -> bool {
        self.raw_body.is_none()
    }
}

/// Hashes a block that comes piece by piece, of any size.
pub struct BlockDigester {
    /// Of the block and of the payload.
    hashes: TwinSha1,
    raw_body: Sha1,
    splitter: Splitter,
}

impl BlockDigester {
    /// `is_http`: the block begins with an HTTP head.
    pub fn new(is_http: bool) -> Self {
        Self { hashes: TwinSha1::default(), raw_body: Sha1::new(), splitter: Splitter::new(is_http) }
    }

    /// Takes the next bytes of the block.
    pub fn update(&mut self, bytes: &[u8]) {
        let plain = self.step(Some(bytes));
        self.hashes.first.update(&bytes[..plain]);
        self.hashes.update(&bytes[plain..]);
    }

    /// The digests of everything that was taken.
    pub fn finish(mut self) -> Digests {
        self.step(None);
        let (block, payload) = (self.hashes.first, self.hashes.second);
        let (block_len, payload_len) = (block.len(), payload.len());
        let payload = sha1_text(&payload.finish());
        let raw_body = self.splitter.is_chunked().then(|| sha1_text(&self.raw_body.finalize()));
        let raw_body = raw_body.filter(|raw| *raw != payload);
        Digests { block: sha1_text(&block.finish()), raw_body, payload, block_len, payload_len }
    }

    fn step(&mut self, bytes: Option<&[u8]>) -> usize {
        let (raw_body, payload) = (&mut self.raw_body, &mut self.hashes.second);
        self.splitter.step(bytes, &mut |raw| raw_body.update(raw), &mut |entity| payload.update(entity))
    }
}

/// Finds the body in a block that comes piece by piece.
struct Splitter(BlockPart);

enum BlockPart {
    Head {
        /// The HTTP head, so far.
        head: Vec<u8>,
        /// An empty line was seen; after a head such as 100 “continue” another one follows.
        ended: bool,
    },
    Plain,
    Chunked(Box<Dechunker>),
}

impl Splitter {
    fn new(is_http: bool) -> Self {
        Self(if is_http { BlockPart::Head { head: Vec::new(), ended: false } } else { BlockPart::Plain })
    }

    fn is_chunked(&self) -> bool {
        matches!(self.0, BlockPart::Chunked(_))
    }

    /// Takes the next bytes, `None` at the end; returns the index from which on they are payload, unchanged.
    /// `entity` gets what is payload before that; `raw` the body as it crossed the wire, where that is
    /// something else.
    fn step(&mut self, bytes: Option<&[u8]>, raw: &mut impl FnMut(&[u8]), entity: &mut impl FnMut(&[u8])) -> usize {
        let BlockPart::Head { head, ended } = &mut self.0 else { return self.body(bytes, raw, entity) };
        let (is_last, bytes) = (bytes.is_none(), bytes.unwrap_or_default());
        let earlier = head.len();
        // A head that comes in one piece is read where it lies.
        if earlier > 0 {
            head.extend_from_slice(bytes);
        }
        let so_far: &[u8] = if earlier > 0 { head } else { bytes };
        // The empty line may straddle the edge.
        *ended = *ended || head_ends(&so_far[earlier.saturating_sub(3)..]);
        if !(is_last || (*ended && response_head_is_whole(so_far)) || so_far.len() > MAX_HEAD) {
            if earlier == 0 {
                head.extend_from_slice(bytes);
            }
            return bytes.len();
        }
        let (body, chunked) = match parse_response_head(so_far) {
            Some(head) => (head.head_len, head.is_chunked()),
            None => (parse_request_head(so_far).map_or(0, |head| head.head_len), false),
        };
        let before = std::mem::take(head);
        self.0 = if chunked { BlockPart::Chunked(Box::default()) } else { BlockPart::Plain };
        let earlier_body = before.get(body..earlier).unwrap_or_default();
        if !earlier_body.is_empty() {
            let plain = self.body(Some(earlier_body), raw, entity);
            entity(&earlier_body[plain..]);
        }
        let from = body.saturating_sub(earlier);
        let plain = from + self.body(Some(&bytes[from..]), raw, entity);
        if is_last {
            self.body(None, raw, entity);
        }
        plain
    }

    fn body(&mut self, bytes: Option<&[u8]>, raw: &mut impl FnMut(&[u8]), entity: &mut impl FnMut(&[u8])) -> usize {
        let BlockPart::Chunked(dechunker) = &mut self.0 else { return 0 };
        match bytes {
            Some(bytes) => {
                raw(bytes);
                dechunker.feed(bytes, entity);
            }
            None => {
                std::mem::take(dechunker).finish(entity);
            }
        }
        bytes.map_or(0, <[u8]>::len)
    }
}

fn head_ends(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\r\n\r\n").is_some() || memchr::memmem::find(bytes, b"\n\n").is_some() || {
        memchr::memmem::find(bytes, b"\n\r\n").is_some()
    }
}

/// The value of a digest field, taken apart.
#[derive(Clone)]
enum ExpectedDigest {
    Bytes(Vec<u8>),
    Unreadable,
}

/// Hashes with the algorithm that a digest field names, to compare with it.
#[derive(Clone)]
pub struct DigestCheck {
    hash: Hash,
    expected: ExpectedDigest,
}

#[derive(Clone)]
enum Hash {
    Md5(Md5),
    Sha1(Sha1),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl DigestCheck {
    /// Makes a check for a field such as `sha1:3KRQ…` in base 32, 16 or 64; `None` when the algorithm is not
    /// one that Fonds has.
    pub fn new(field: &str) -> Option<Self> {
        let (algorithm, value) = field.trim().split_once(':')?;
        let (hash, len) = match algorithm.trim().to_ascii_lowercase().replace('-', "").as_str() {
            "md5" => (Hash::Md5(Md5::new()), 16),
            "sha1" => (Hash::Sha1(Sha1::new()), 20),
            "sha256" => (Hash::Sha256(Sha256::new()), 32),
            "sha384" => (Hash::Sha384(Sha384::new()), 48),
            "sha512" => (Hash::Sha512(Sha512::new()), 64),
            _ => return None,
        };
        let expected = decode(value.trim(), len).map_or(ExpectedDigest::Unreadable, ExpectedDigest::Bytes);
        Some(Self { hash, expected })
    }

    /// Whether other bytes can be made that have the same digest (MD5, SHA-1):
    /// it finds accidents, but proves nothing against somebody who means it.
    pub fn is_weak(&self) -> bool {
        matches!(self.hash, Hash::Md5(_) | Hash::Sha1(_))
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.hash {
            Hash::Md5(hash) => hash.update(bytes),
            Hash::Sha1(hash) => hash.update(bytes),
            Hash::Sha256(hash) => hash.update(bytes),
            Hash::Sha384(hash) => hash.update(bytes),
            Hash::Sha512(hash) => hash.update(bytes),
        }
    }

    /// Whether the field is right.
    pub fn holds(self) -> bool {
        self.finish().0
    }

    /// Whether the field is right, and the right one where it is a SHA-1.
    fn finish(self) -> (bool, Option<String>) {
        let is_sha1 = matches!(self.hash, Hash::Sha1(_));
        let found = match self.hash {
            Hash::Md5(hash) => hash.finalize().to_vec(),
            Hash::Sha1(hash) => hash.finalize().to_vec(),
            Hash::Sha256(hash) => hash.finalize().to_vec(),
            Hash::Sha384(hash) => hash.finalize().to_vec(),
            Hash::Sha512(hash) => hash.finalize().to_vec(),
        };
        let right = is_sha1.then(|| sha1_text(&found));
        (matches!(self.expected, ExpectedDigest::Bytes(expected) if expected == found), right)
    }
}

/// A digest of `len` bytes in any of the alphabets in use.
fn decode(value: &str, len: usize) -> Option<Vec<u8>> {
    let bare = value.trim_end_matches('=');
    let upper = bare.to_ascii_uppercase();
    let hex = || HEXLOWER.decode(bare.to_ascii_lowercase().as_bytes()).ok();
    let base32 = || data_encoding::BASE32_NOPAD.decode(upper.as_bytes()).ok();
    let base64 = || {
        let padded = format!("{bare}{}", "=".repeat((4 - bare.len() % 4) % 4));
        BASE64.decode(padded.as_bytes()).or_else(|_| BASE64URL.decode(padded.as_bytes())).ok()
    };
    [hex(), base32(), base64()].into_iter().flatten().find(|bytes| bytes.len() == len)
}

/// A SHA-1 of any alphabet (`sha1:` with base 32, hexadecimal or base 64, in
/// any case) as `sha1:` in upper-case base 32, so that equal ones are equal
/// text; none where it is of another algorithm or no digest.
pub fn sha1_field(field: &str) -> Option<String> {
    sha1_bytes(field).map(|bytes| sha1_text(&bytes))
}

/// The bytes of a SHA-1 in any alphabet, as [`sha1_field`] takes it.
pub fn sha1_bytes(field: &str) -> Option<[u8; 20]> {
    let (algorithm, value) = field.trim().split_once(':')?;
    let is_sha1 = algorithm.eq_ignore_ascii_case("sha1") || algorithm.eq_ignore_ascii_case("sha-1");
    if is_sha1 { decode(value, 20)?.try_into().ok() } else { None }
}

/// Field of the digest of a block.
pub const BLOCK_DIGEST: &str = "WARC-Block-Digest";
/// Field of the digest of a payload.
pub const PAYLOAD_DIGEST: &str = "WARC-Payload-Digest";

/// Holds the digest fields of a record against its block.
pub struct RecordProof {
    block: Option<DigestCheck>,
    /// The payload by the standard, and as it crossed the wire.
    payload: Option<(DigestCheck, DigestCheck)>,
    splitter: Splitter,
    /// Fields of an unknown algorithm, or of none, with their values.
    unknown: Vec<(&'static str, String)>,
}

impl RecordProof {
    /// Makes the checks for the record with this head. The payload digest of a revisit or of a segment is
    /// about bytes that are elsewhere and is not checked.
    pub fn new(head: &RecordHead) -> Self {
        let mut unknown = Vec::new();
        let mut check = |name: &'static str| {
            let field = head.headers.get(name).filter(|field| !field.trim().is_empty())?;
            let check = DigestCheck::new(&field);
            if check.is_none() {
                unknown.push((name, field));
            }
            check
        };
        let block = check(BLOCK_DIGEST);
        let elsewhere = head.record_type == RecordType::Revisit || head.headers.get("WARC-Segment-Number").is_some();
        let payload = if elsewhere { None } else { check(PAYLOAD_DIGEST).map(|check| (check.clone(), check)) };
        Self { block, payload, splitter: Splitter::new(head.is_http()), unknown }
    }

    /// Makes the check for the joined block of a segmented record: the payload digest in its first segment is
    /// that of the whole.
    pub fn of_joined(payload_digest: &str, is_http: bool) -> Self {
        let payload = DigestCheck::new(payload_digest).zip(DigestCheck::new(payload_digest));
        Self { block: None, payload, splitter: Splitter::new(is_http), unknown: Vec::new() }
    }

    /// Whether there is anything to hold against the block.
    pub fn has_digests(&self) -> bool {
        self.block.is_some() || self.payload.is_some()
    }

    /// Descriptions of digests that cannot be checked.
    pub fn unknown(&self) -> impl Iterator<Item = String> {
        self.unknown
            .iter()
            .map(|(name, field)| format!("{name} “{field}” is of an unknown algorithm and was not checked"))
    }

    /// The fields of these.
    pub fn unknown_fields(&self) -> impl Iterator<Item = &'static str> {
        self.unknown.iter().map(|(name, _)| *name)
    }

    /// Takes the next bytes of the block.
    pub fn update(&mut self, bytes: &[u8]) {
        if let Some(block) = &mut self.block {
            block.update(bytes);
        }
        self.step(Some(bytes));
    }

    fn step(&mut self, bytes: Option<&[u8]>) {
        if let Some((payload, raw_body)) = &mut self.payload {
            let plain =
                self.splitter.step(bytes, &mut |raw| raw_body.update(raw), &mut |entity| payload.update(entity));
            payload.update(&bytes.unwrap_or_default()[plain..]);
        }
    }

    /// Descriptions of the digests that are wrong.
    pub fn finish(self) -> Vec<String> {
        let describe = |name| match name {
            BLOCK_DIGEST => format!("{name} does not fit the block"),
            _ => format!("{name} does not fit the payload"),
        };
        self.wrong_fields().into_iter().map(describe).collect()
    }

    /// The fields whose digests are wrong.
    pub fn wrong_fields(self) -> Vec<&'static str> {
        self.wrong_digests().into_iter().map(|(name, _)| name).collect()
    }

    /// Names of the fields that are wrong, each with its right value where that is known: SHA-1 of what has
    /// one digest by both readings.
    pub fn wrong_digests(mut self) -> Vec<(&'static str, Option<String>)> {
        self.step(None);
        let mut wrong = Vec::new();
        if let Some((false, right)) = self.block.map(DigestCheck::finish) {
            wrong.push((BLOCK_DIGEST, right));
        }
        let chunked = self.splitter.is_chunked();
        if let Some((payload, raw_body)) = self.payload
            && let (false, right) = payload.finish()
            && !(chunked && raw_body.holds())
        {
            wrong.push((PAYLOAD_DIGEST, right.filter(|_| !chunked)));
        }
        wrong
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(block: &str, payload: &str, chunked: bool) {
        let whole = Digests::of_block(block.as_bytes(), true);
        assert_eq!(whole.block, sha1_base32(block.as_bytes()));
        assert_eq!(whole.payload, sha1_base32(payload.as_bytes()));
        assert_eq!(whole.payload_len, payload.len() as u64);
        assert_eq!(whole.raw_body.is_some(), chunked);
        assert_eq!(whole.payload_field().is_some(), !chunked);
        for size in [1, 2, 3, 7] {
            let mut digester = BlockDigester::new(true);
            block.as_bytes().chunks(size).for_each(|piece| digester.update(piece));
            assert_eq!(digester.finish(), whole, "pieces of {size}");
        }
    }

    #[test]
    fn payloads_are_what_follows_the_head() {
        check("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", "body", false);
        check("HTTP/1.1 200 OK\nA: b\n\nbody", "body", false);
        check("HTTP/1.1 304 Not Modified\r\n\r\n", "", false);
        check("<html>", "<html>", false);
        check("HT", "HT", false);
        check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", "body", false);
        check("HTTP/1.1 100 Continue\r\n\r\n", "", false);
        check("HTTP/1.1 200 OK\r\nno end", "", false);
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "body", true);
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk", "no chunk", false);
    }

    #[test]
    fn a_sha1_of_any_alphabet_is_one_text() {
        let base32 = sha1_base32(b"abc");
        let lower = format!("SHA-1:{}", base32.trim_start_matches("sha1:").to_lowercase());
        for field in [base32.as_str(), &lower, "sha1:A9993E364706816ABA3E25717850C26C9CD0D89D"] {
            assert_eq!(sha1_field(field).as_deref(), Some(base32.as_str()), "{field}");
        }
        for field in ["sha256:abc", "sha1:", "sha1:abc", "", "A9993E364706816ABA3E25717850C26C9CD0D89D"] {
            assert_eq!(sha1_field(field), None, "{field}");
        }
    }

    #[test]
    fn digest_fields_of_all_alphabets_are_checked() {
        let holds = |field: &str| {
            let mut check = DigestCheck::new(field)?;
            check.update(b"abc");
            Some(check.holds())
        };
        assert_eq!(holds("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"), Some(true));
        assert_eq!(holds("SHA1:vgmt4nsha2awvor6evyxqugcnsonbwe5"), Some(true));
        assert_eq!(holds("sha-1:a9993e364706816aba3e25717850c26c9cd0d89d"), Some(true));
        assert_eq!(holds("sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), Some(true));
        assert_eq!(holds("sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0"), Some(true));
        assert_eq!(holds("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), Some(true));
        assert_eq!(holds("sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), Some(false));
        assert_eq!(holds("sha1:?"), Some(false));
        assert_eq!(holds("md5:900150983cd24fb0d6963f7d28e17f72"), Some(true));
        assert_eq!(holds("MD5:kAFQmDzST7DWlj99KOF/cg=="), Some(true));
        assert_eq!(holds("md5:SAAVBGB42JH3BVUWH56SRYL7OI======"), Some(true));
        assert_eq!(holds("sha512:3a8ZPRNKIEFKrvpJ4SDmf64YZMF4mgxJ5RZ5ExJxdQUZ8"), Some(false));
        assert_eq!(holds("crc32:352441c2"), None);
    }
}
