//! Builds the bytes of one record.

use super::super::digest::{Digests, sha1_base32};
use super::super::read::parse_head;
use super::super::{Headers, RecordHead, RecordType, Span, metadata_target};
use super::pack;
use crate::uri::CaptureDate;
use std::io::{self, Read, Write};

/// `WARC-Profile` of a revisit whose payload is already held (WARC/1.1, 6.7.2).
pub const REVISIT_IDENTICAL_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// `WARC-Profile` of a revisit after the answer “not modified” (WARC/1.1, 6.7.3).
pub const REVISIT_NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// Bytes between the block of a record and the next record.
const RECORD_END: &[u8] = b"\r\n\r\n";

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
/// `WARC-Type`, `WARC-Record-ID` and `WARC-Date` come first, the block digest and `Content-Length` last.
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

    /// A `metadata` record of JSON about a capture of `url`; `kind` names its content (see
    /// [`metadata_target`]).
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

    /// The fields of a record that was read, some of them changed, for writing it again; with its new length.
    pub fn with_fields<'f>(fields: impl IntoIterator<Item = (String, std::borrow::Cow<'f, [u8]>)>) -> Self {
        let mut headers = Headers::new();
        for (name, value) in fields {
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

    /// Appends the digest of the block alone, computed before.
    pub fn block_digest(mut self, digest: &str) -> Self {
        self.headers.push("WARC-Block-Digest", digest);
        self.has_block_digest = true;
        self
    }

    /// The head for a block of this length; `block_digest` where none was given.
    fn head(&self, block_len: u64, block_digest: Option<&str>) -> Vec<u8> {
        let mut head = Vec::with_capacity(1024);
        head.extend_from_slice(b"WARC/1.1\r\n");
        for (name, value) in self.headers.iter() {
            push_line(&mut head, name.as_bytes(), value);
        }
        if let Some(digest) = block_digest {
            push_line(&mut head, b"WARC-Block-Digest", digest.as_bytes());
        }
        push_line(&mut head, b"Content-Length", block_len.to_string().as_bytes());
        head.extend_from_slice(b"\r\n");
        head
    }

    /// The head for this block, with its digest.
    fn head_of(&self, block: &[u8]) -> Vec<u8> {
        let digest = (!self.has_block_digest).then(|| sha1_base32(block));
        self.head(block.len() as u64, digest.as_deref())
    }

    /// The record as bytes of a plain file.
    pub fn plain(&self, block: &[u8]) -> Vec<u8> {
        [&self.head_of(block), block, RECORD_END].concat()
    }

    /// The record as one gzip member.
    pub fn compress(&self, block: &[u8]) -> Vec<u8> {
        pack::pack(&[&self.head_of(block), block, RECORD_END], pack::LEVEL)
    }

    /// As [`Self::compress`], for a short block that repeats itself, such as a list of links: packed in two
    /// thirds of the time.
    pub fn compress_fast(&self, block: &[u8]) -> Vec<u8> {
        pack::pack(&[&self.head_of(block), block, RECORD_END], pack::FAST_LEVEL)
    }

    /// The record as one gzip member, the block read from a stream of
    /// `block_len` bytes. Its digests must have been given before.
    ///
    /// # Errors
    ///
    /// Also when `block` holds fewer bytes; more are left unread.
    pub fn compress_from(&self, block: impl Read, block_len: u64, out: impl Write) -> io::Result<()> {
        pack::pack_from(&self.head(block_len, None), (block, block_len), RECORD_END, None, out)
    }

    /// As [`Self::compress_from`] where `member` is a record with this block under another head: where that
    /// can be, the block stays as it is packed there.
    ///
    /// # Errors
    ///
    /// As [`Self::compress_from`].
    pub fn compress_as(&self, member: &[u8], block: impl Read, block_len: u64, out: impl Write) -> io::Result<()> {
        pack::pack_from(&self.head(block_len, None), (block, block_len), RECORD_END, Some(member), out)
    }

    /// The head as it is read back from a record with such a block. The digest of the block is in it where it
    /// was given before.
    pub fn as_read(&self, block_len: u64) -> RecordHead {
        parse_head(&self.head(block_len, None))
    }
}

fn push_line(head: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    head.extend_from_slice(name);
    head.extend_from_slice(b": ");
    head.extend(value.iter().map(|&byte| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { byte }));
    head.extend_from_slice(b"\r\n");
}

/// Appends records to a stream and returns their spans.
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
    /// After one, part of the record may be at the end of the stream.
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

    /// Offset of the next record.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes on at another offset, after the stream was set back.
    pub(super) fn set_offset(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// The stream that it writes to.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Gives back what it writes to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_123);

    #[track_caller]
    fn check(record: &RecordBuilder, block: &[u8], expected: &str) {
        assert_eq!(String::from_utf8(record.plain(block)).unwrap(), expected);
    }

    #[test]
    fn fields_keep_the_order_they_were_given_in() {
        check(
            &RecordBuilder::request("urn:test:1", DATE, "http://a.pt/").reference("WARC-Concurrent-To", "urn:test:0"),
            b"GET / HTTP/1.1\r\n\r\n",
            "WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:test:1>\r\nWARC-Date: 2024-03-01T09:00:00.123Z\r\n\
             WARC-Target-URI: http://a.pt/\r\nContent-Type: application/http; msgtype=request\r\n\
             WARC-Concurrent-To: <urn:test:0>\r\nWARC-Block-Digest: sha1:HZXZT4LLCPHWK5TQRRYZ7H7BIVEI4ETY\r\n\
             Content-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\n\r\n\r\n",
        );
    }

    #[test]
    fn a_value_cannot_make_a_field() {
        let record = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/\r\nWARC-Type: warcinfo\r\n\r\n");
        let text = String::from_utf8(record.plain(b"")).unwrap();
        assert_eq!(text.matches("\r\n\r\n").count(), 1 + 1);
        assert!(text.contains("WARC-Target-URI: http://a.pt/  WARC-Type: warcinfo"));
    }

    #[test]
    fn json_metadata_has_another_url_than_its_page() {
        let target = |mime| {
            let text = RecordBuilder::metadata("urn:test:1", DATE, "http://a.pt/", mime).plain(b"");
            String::from_utf8(text).unwrap().lines().nth(4).unwrap().to_owned()
        };
        assert_eq!(target("application/json"), "WARC-Target-URI: urn:fonds:metadata:http://a.pt/");
        assert_eq!(target("application/warc-fields"), "WARC-Target-URI: http://a.pt/");
    }

    #[test]
    fn a_short_stream_is_an_error() {
        let record = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/");
        assert!(record.compress_from(&b"abc"[..], 4, Vec::new()).is_err());
        let mut streamed = Vec::new();
        let digested = record.digests(&Digests::of_block(b"abc", false));
        digested.compress_from(&b"abc"[..], 3, &mut streamed).unwrap();
        assert_eq!(streamed, digested.compress(b"abc"));
    }

    #[test]
    fn an_independent_reader_agrees() {
        let block = b"HTTP/1.1 200 OK\r\n\r\nbody";
        let digests = Digests::of_block(block, true);
        let records = [
            RecordBuilder::warcinfo("urn:test:0", DATE, "a.warc").plain(&warc_fields([("software", "Fonds")])),
            RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").digests(&digests).plain(block),
            RecordBuilder::revisit("urn:test:2", DATE, "http://a.pt/", &digests.payload, ("", "http://a.pt/", DATE))
                .plain(&block[..19]),
        ];
        let bytes = records.concat();
        let found: Vec<_> = ::warc::WarcReader::new(&bytes[..]).iter_records().map(Result::unwrap).collect();
        let summary: Vec<_> = found.iter().map(|r| (r.warc_type().to_string(), r.warc_id(), r.body().len())).collect();
        assert_eq!(
            summary,
            [
                ("warcinfo".to_owned(), "<urn:test:0>", 17),
                ("response".to_owned(), "<urn:test:1>", 23),
                ("revisit".to_owned(), "<urn:test:2>", 19)
            ]
        );
    }
}
