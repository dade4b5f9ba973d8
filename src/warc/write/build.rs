//! The bytes of one record.

use super::super::digest::{Digests, sha1_base32};
use super::super::{Headers, RecordHead, RecordType, Span, metadata_target};
use crate::uri::CaptureDate;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Read, Write};

/// `WARC-Profile` of a revisit whose payload is already held (WARC/1.1, 6.7.2).
pub const REVISIT_IDENTICAL_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// Level of gzip: beyond it, files shrink little and time grows.
const LEVEL: u32 = 6;

/// A fresh `urn:uuid:…`, without angle brackets.
pub fn new_record_id() -> String {
    format!("urn:uuid:{}", uuid::Uuid::new_v4())
}

/// A block of `application/warc-fields`; line breaks in values become blanks.
pub fn warc_fields<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        push_line(&mut block, name.as_bytes(), value.as_bytes());
    }
    block
}

/// A record to be written: its fields in the order they were given.
///
/// `WARC-Type`, `WARC-Record-ID` and `WARC-Date` stand first, the block digest
/// and `Content-Length` last.
#[derive(Debug, Clone)]
pub struct RecordBuilder {
    headers: Headers,
    has_block_digest: bool,
}

impl RecordBuilder {
    /// `record_id` without angle brackets.
    pub fn new(record_type: &RecordType, record_id: &str, date: CaptureDate) -> Self {
        let mut headers = Headers::new();
        headers.push("WARC-Type", record_type.as_str());
        headers.push("WARC-Record-ID", format!("<{record_id}>"));
        headers.push("WARC-Date", date.to_warc());
        Self { headers, has_block_digest: false }
    }

    /// A `warcinfo` record for the file of this name.
    pub fn warcinfo(record_id: &str, date: CaptureDate, file_name: &str) -> Self {
        Self::new(&RecordType::Warcinfo, record_id, date)
            .field("WARC-Filename", file_name)
            .field("Content-Type", "application/warc-fields")
    }

    /// A `response` with the bytes of an HTTP response.
    pub fn response(record_id: &str, date: CaptureDate, target: &str) -> Self {
        Self::new(&RecordType::Response, record_id, date)
            .field("WARC-Target-URI", target)
            .field("Content-Type", "application/http; msgtype=response")
    }

    /// A `request` with the bytes of an HTTP request.
    pub fn request(record_id: &str, date: CaptureDate, target: &str) -> Self {
        Self::new(&RecordType::Request, record_id, date)
            .field("WARC-Target-URI", target)
            .field("Content-Type", "application/http; msgtype=request")
    }

    /// A `revisit` of a capture with the same payload: its block is the HTTP
    /// head alone. `payload_digest` is that of both, `original_id` without
    /// angle brackets or empty.
    pub fn revisit(
        record_id: &str,
        date: CaptureDate,
        target: &str,
        payload_digest: &str,
        original: (&str, &str, CaptureDate),
    ) -> Self {
        let (original_id, original_uri, original_date) = original;
        let builder = Self::new(&RecordType::Revisit, record_id, date)
            .field("WARC-Target-URI", target)
            .field("WARC-Profile", REVISIT_IDENTICAL_PAYLOAD)
            .field("WARC-Refers-To-Target-URI", original_uri)
            .field("WARC-Refers-To-Date", &original_date.to_warc())
            .field("WARC-Payload-Digest", payload_digest)
            .field("WARC-Truncated", "length")
            .field("Content-Type", "application/http; msgtype=response");
        if original_id.is_empty() { builder } else { builder.reference("WARC-Refers-To", original_id) }
    }

    /// A `metadata` record of JSON about a capture of `url`; `kind` is a word
    /// for what it tells (see [`metadata_target`]).
    pub fn json_metadata(record_id: &str, date: CaptureDate, kind: &str, url: &str) -> Self {
        Self::metadata(record_id, date, &metadata_target(kind, url), "application/json")
    }

    /// A `metadata` record. Under the URL of a page its type must be
    /// `application/warc-fields`, or replay shows it in place of the page:
    /// any other type gets a target of its own.
    pub fn metadata(record_id: &str, date: CaptureDate, target: &str, mime: &str) -> Self {
        let target = match mime == "application/warc-fields" || target.starts_with("urn:") {
            true => target.to_owned(),
            false => metadata_target("metadata", target),
        };
        Self::new(&RecordType::Metadata, record_id, date).field("WARC-Target-URI", &target).field("Content-Type", mime)
    }

    /// The fields of a record that was read, for writing it anew: their order,
    /// repeats and digests stay; its length is told anew.
    pub fn with_headers(head: &RecordHead) -> Self {
        let mut headers = Headers::new();
        for (name, value) in head.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Content-Length")) {
            headers.push(name, value);
        }
        Self { headers, has_block_digest: true }
    }

    /// Appends a field. Line breaks in `value` become blanks: a hostile URL
    /// cannot make a field of its own.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.headers.push(name, value);
        self
    }

    /// Appends a field that names a record: `id` gets its angle brackets.
    pub fn reference(self, name: &str, id: &str) -> Self {
        self.field(name, &format!("<{id}>"))
    }

    /// Appends the digests of the block, computed before (while it was
    /// received). See [`digest`](crate::warc::digest) for what is left out.
    pub fn digests(mut self, digests: &Digests) -> Self {
        if let Some(payload) = digests.payload_field() {
            self.headers.push("WARC-Payload-Digest", payload);
        }
        self.headers.push("WARC-Block-Digest", digests.block.as_str());
        self.has_block_digest = true;
        self
    }

    /// The head for a block of this length.
    fn head(&self, block_len: u64) -> Vec<u8> {
        let mut head = b"WARC/1.1\r\n".to_vec();
        for (name, value) in self.headers.iter() {
            push_line(&mut head, name.as_bytes(), value);
        }
        push_line(&mut head, b"Content-Length", block_len.to_string().as_bytes());
        head.extend_from_slice(b"\r\n");
        head
    }

    /// The record as it stands in a plain file.
    pub fn plain(&self, block: &[u8]) -> Vec<u8> {
        let mut builder = self.clone();
        if !self.has_block_digest {
            builder.headers.push("WARC-Block-Digest", sha1_base32(block));
        }
        let mut bytes = builder.head(block.len() as u64);
        bytes.extend_from_slice(block);
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes
    }

    /// The record as one gzip member.
    pub fn compress(&self, block: &[u8]) -> Vec<u8> {
        let plain = self.plain(block);
        let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 2), Compression::new(LEVEL));
        // Writing into memory does not fail.
        let _ = encoder.write_all(&plain);
        encoder.finish().unwrap_or_default()
    }

    /// The record as one gzip member, the block read from a stream of
    /// `block_len` bytes. Its digests must have been given before.
    ///
    /// # Errors
    ///
    /// Also when `block` holds fewer bytes; more are left unread.
    pub fn compress_from(&self, block: impl Read, block_len: u64, out: impl Write) -> io::Result<()> {
        let mut encoder = GzEncoder::new(out, Compression::new(LEVEL));
        encoder.write_all(&self.head(block_len))?;
        let copied = io::copy(&mut block.take(block_len), &mut encoder)?;
        if copied < block_len {
            let why = format!("the block has {copied} bytes instead of {block_len}");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        encoder.write_all(b"\r\n\r\n")?;
        encoder.finish()?.flush()
    }
}

fn push_line(head: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    head.extend_from_slice(name);
    head.extend_from_slice(b": ");
    head.extend(value.iter().map(|&byte| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { byte }));
    head.extend_from_slice(b"\r\n");
}

/// Appends records to a stream and tells their places.
pub struct WarcWriter<W> {
    out: W,
    offset: u64,
}

impl<W: Write> WarcWriter<W> {
    /// Goes on at `offset` of the file that `out` appends to.
    pub fn new(out: W, offset: u64) -> Self {
        Self { out, offset }
    }

    /// Appends the bytes of one record, as [`RecordBuilder::compress`] makes them.
    ///
    /// # Errors
    ///
    /// After one, part of the record may stand at the end of the stream.
    pub fn append(&mut self, member: &[u8]) -> io::Result<Span> {
        self.out.write_all(member)?;
        let span = Span { offset: self.offset, length: member.len() as u64 };
        self.offset += span.length;
        Ok(span)
    }

    /// Appends the bytes of one record from a stream.
    pub fn append_from(&mut self, mut member: impl Read) -> io::Result<Span> {
        let length = io::copy(&mut member, &mut self.out)?;
        let span = Span { offset: self.offset, length };
        self.offset += length;
        Ok(span)
    }

    /// Offset at which the next record will stand.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes on at another offset, after the stream was set back.
    pub(super) fn set_offset(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// What it writes to.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Gives back what it writes to.
    pub fn into_inner(self) -> W {
        self.out
    }
}
