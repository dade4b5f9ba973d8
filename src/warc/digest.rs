//! Block and payload digests.
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

use super::http::{Dechunker, parse_response_head};
use data_encoding::{BASE32, BASE64, BASE64URL, HEXLOWER};
use sha1::Digest as _;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

/// An HTTP head longer than this is not waited for: the block has no payload digest.
const MAX_HEAD: usize = 1024 * 1024;

/// `sha1:` and the digest in base 32, as WARC files have it.
pub fn sha1_base32(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(bytes)))
}

/// What a block and its payload hash to.
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
    /// Of a block in memory.
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
    block: Sha1,
    block_len: u64,
    raw_body: Sha1,
    payload: Sha1,
    payload_len: u64,
    part: Part,
}

enum Part {
    /// The HTTP head, so far.
    Head(Vec<u8>),
    Plain,
    Chunked(Box<Dechunker>),
}

impl BlockDigester {
    /// `is_http_response`: the block begins with an HTTP head.
    pub fn new(is_http_response: bool) -> Self {
        Self {
            block: Sha1::new(),
            block_len: 0,
            raw_body: Sha1::new(),
            payload: Sha1::new(),
            payload_len: 0,
            part: if is_http_response { Part::Head(Vec::new()) } else { Part::Plain },
        }
    }

    /// Takes the next bytes of the block.
    pub fn update(&mut self, bytes: &[u8]) {
        self.block.update(bytes);
        self.block_len += bytes.len() as u64;
        match &mut self.part {
            Part::Head(head) => {
                let from = head.len().saturating_sub(3);
                head.extend_from_slice(bytes);
                let is_http = head.len() < 5 || head[..5].eq_ignore_ascii_case(b"HTTP/");
                if !is_http || head_ends(&head[from..]) || head.len() > MAX_HEAD {
                    let head = std::mem::take(head);
                    self.begin_body(&head);
                }
            }
            _ => self.body(bytes),
        }
    }

    /// Begins the body: `bytes` hold the head and what follows of the block so far.
    fn begin_body(&mut self, bytes: &[u8]) {
        let head = parse_response_head(bytes);
        self.part = match head.as_ref().is_some_and(|head| head.is_chunked()) {
            true => Part::Chunked(Box::new(Dechunker::new())),
            false => Part::Plain,
        };
        self.body(&bytes[head.map_or(0, |head| head.head_len)..]);
    }

    fn body(&mut self, bytes: &[u8]) {
        let (payload, len) = (&mut self.payload, &mut self.payload_len);
        let mut take = |bytes: &[u8]| {
            payload.update(bytes);
            *len += bytes.len() as u64;
        };
        match &mut self.part {
            Part::Chunked(dechunker) => {
                self.raw_body.update(bytes);
                dechunker.feed(bytes, &mut take);
            }
            _ => take(bytes),
        }
    }

    /// The digests of everything that was taken.
    pub fn finish(mut self) -> Digests {
        if let Part::Head(head) = &mut self.part {
            let head = std::mem::take(head);
            self.begin_body(&head);
        }
        let text = |hash: Sha1| format!("sha1:{}", BASE32.encode(&hash.finalize()));
        let mut raw_body = None;
        if let Part::Chunked(dechunker) = self.part {
            let (payload, len) = (&mut self.payload, &mut self.payload_len);
            dechunker.finish(&mut |bytes: &[u8]| {
                payload.update(bytes);
                *len += bytes.len() as u64;
            });
            raw_body = Some(text(self.raw_body));
        }
        let payload = text(self.payload);
        Digests {
            block: text(self.block),
            raw_body: raw_body.filter(|raw| *raw != payload),
            payload,
            block_len: self.block_len,
            payload_len: self.payload_len,
        }
    }
}

fn head_ends(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\r\n\r\n").is_some() || memchr::memmem::find(bytes, b"\n\n").is_some() || {
        memchr::memmem::find(bytes, b"\n\r\n").is_some()
    }
}

/// The value of a digest field, taken apart.
enum Wanted {
    Bytes(Vec<u8>),
    Unreadable,
}

/// Hashes with the algorithm that a digest field names, to compare with it.
pub struct DigestCheck {
    hash: Hash,
    wanted: Wanted,
}

enum Hash {
    Sha1(Sha1),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl DigestCheck {
    /// For a field such as `sha1:3KRQ…` in base 32, 16 or 64; `None` when the
    /// algorithm is not one that Fonds has.
    pub fn new(field: &str) -> Option<Self> {
        let (algorithm, value) = field.trim().split_once(':')?;
        let (hash, len) = match algorithm.trim().to_ascii_lowercase().replace('-', "").as_str() {
            "sha1" => (Hash::Sha1(Sha1::new()), 20),
            "sha256" => (Hash::Sha256(Sha256::new()), 32),
            "sha384" => (Hash::Sha384(Sha384::new()), 48),
            "sha512" => (Hash::Sha512(Sha512::new()), 64),
            _ => return None,
        };
        let wanted = decode(value.trim(), len).map_or(Wanted::Unreadable, Wanted::Bytes);
        Some(Self { hash, wanted })
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.hash {
            Hash::Sha1(hash) => hash.update(bytes),
            Hash::Sha256(hash) => hash.update(bytes),
            Hash::Sha384(hash) => hash.update(bytes),
            Hash::Sha512(hash) => hash.update(bytes),
        }
    }

    /// Whether the field is right.
    pub fn holds(self) -> bool {
        let found = match self.hash {
            Hash::Sha1(hash) => hash.finalize().to_vec(),
            Hash::Sha256(hash) => hash.finalize().to_vec(),
            Hash::Sha384(hash) => hash.finalize().to_vec(),
            Hash::Sha512(hash) => hash.finalize().to_vec(),
        };
        matches!(self.wanted, Wanted::Bytes(wanted) if wanted == found)
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
        check("HTTP/1.1 200 OK\r\nno end", "", false);
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "body", true);
        check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk", "no chunk", false);
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
        assert_eq!(holds("md5:900150983cd24fb0d6963f7d28e17f72"), None);
    }
}
