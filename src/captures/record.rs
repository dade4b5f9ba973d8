//! One record is read without regard to those around it: threads can share the work.

use super::CaptureEntry;
use super::entry::plain_mime;
use super::large::LargePagePermit;
use super::limits::{MAX_HTTP_HEAD_BYTES, MAX_NOTES_BYTES, MAX_PAGE_BYTES};
use super::media::{SNIFFED_BYTES, is_sniffed, is_unspecific};
use super::original::RefersTo;
use super::page::STATUS_BY_CONVENTION;
use super::page::{Body, PageLinks, links_bytes, may_lead};
use super::part::{CapturePart, LeftOut, PayloadHead, fields_of_record};
use crate::captures::crawl_metadata::CaptureNotes;
use crate::jobs::JobCx;
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::warc::http::{
    HttpHead, MediaType, decode_payload, entity_body, parse_response_head, response_head_is_whole,
};
use crate::warc::{BlockDigester, PlaceReader, Record, RecordHead, RecordType, Span, WarcError};
use std::convert::Infallible;
use std::io::{self, BufRead};
use std::path::Path;

/// The moment at which the links of a page are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkReading {
    /// With the record.
    Now,
    /// When it is known that no notes have them.
    Later,
}

/// A record that was read.
pub(super) struct SeenRecord {
    pub record_type: RecordType,
    /// Without angle brackets; empty where there is none.
    pub record_id: String,
    pub role: RecordRole,
}

/// The role of a record for a capture.
pub(super) enum RecordRole {
    /// No part of one, and why what looks like one is left out.
    Other(Option<LeftOut>),
    /// Of this URL, and used for nothing: it has no date that can be read.
    Undated(Url),
    /// Its response, revisit or resource.
    Capture(Box<SeenCapture>),
    /// A request or metadata.
    Auxiliary(Box<AuxiliaryRecord>),
    /// There was no room for it yet: the record has to be read again.
    Deferred,
}

/// A capture as read from its own record.
pub(super) struct SeenCapture {
    /// Without places of records.
    pub entry: CaptureEntry,
    /// Its links; none of a revisit without an HTTP head.
    pub links: Option<LinksSoFar>,
}

/// The notes of a request or metadata record.
pub(super) struct AuxiliaryRecord {
    pub url: Url,
    pub date: CaptureDate,
    /// Ids of the records it belongs to.
    pub points_to: Vec<String>,
    pub notes: Option<CaptureNotes>,
    /// The part that is not read of notes longer than [`MAX_NOTES_BYTES`], in words.
    pub left_out: Option<&'static str>,
}

/// Links of a page, read or not.
pub(super) enum LinksSoFar {
    Read(PageLinks),
    Unread(Body<'static>),
}

impl LinksSoFar {
    /// The links.
    pub fn read(self, url: &Url, permit: &mut LargePagePermit) -> PageLinks {
        match self {
            Self::Read(links) => links,
            Self::Unread(body) => body.links(url, permit),
        }
    }

    fn weight(&self) -> usize {
        match self {
            Self::Read(links) => links_bytes(&links.outlinks),
            Self::Unread(body) => body.payload.bytes.len(),
        }
    }
}

impl SeenRecord {
    /// Reads a record's block.
    pub fn of<B: BufRead + ?Sized>(head: &RecordHead, block: &mut B, links: LinkReading) -> io::Result<Self> {
        let role = match CapturePart::of(head) {
            None => RecordRole::Other(LeftOut::of(head)),
            Some(CapturePart { url, date: None, .. }) => RecordRole::Undated(url),
            Some(part @ CapturePart { date: Some(date), .. }) => RecordRole::of(part, date, block, links)?,
        };
        Ok(Self { record_type: head.record_type.clone(), record_id: head.record_id().unwrap_or_default(), role })
    }

    /// Reads a record again at its place.
    pub fn again(from: &mut PlaceReader, path: &Path, span: Span, cx: &JobCx) -> Result<Self, WarcError> {
        let (head, mut block) = from.enter(path, span, cx)?;
        Self::of(&head, &mut block, LinkReading::Later)
            .map_err(|source| WarcError::Io { path: path.to_owned(), source })
    }

    /// Whether it has everything about a capture, links included.
    pub fn has_notes_of_ours(&self) -> bool {
        let RecordRole::Auxiliary(side) = &self.role else { return false };
        side.notes.as_ref().is_some_and(|notes| notes.verdict.is_some())
    }

    /// Bytes of links, or of what they are read from.
    pub fn weight(&self) -> usize {
        match &self.role {
            RecordRole::Capture(capture) => capture.links.as_ref().map_or(0, LinksSoFar::weight),
            RecordRole::Auxiliary(side) => side.notes.as_ref().map_or(0, |notes| links_bytes(&notes.outlinks)),
            RecordRole::Other(_) | RecordRole::Undated(_) | RecordRole::Deferred => 0,
        }
    }
}

impl RecordRole {
    fn of<B: BufRead + ?Sized>(
        part: CapturePart,
        date: CaptureDate,
        block: &mut B,
        links: LinkReading,
    ) -> io::Result<Self> {
        let mut permit = LargePagePermit::default();
        let block = match part.head.record_type {
            RecordType::Request => Block::default(),
            _ => read_block(block, &part, &mut permit)?,
        };
        Ok(match part.head.record_type.is_capture() {
            true => Self::Capture(Box::new(SeenCapture::of(part, date, block, links, &mut permit))),
            false => Self::Auxiliary(Box::new(AuxiliaryRecord::of(part, date, &block))),
        })
    }
}

impl SeenCapture {
    fn of(part: CapturePart, date: CaptureDate, block: Block, when: LinkReading, permit: &mut LargePagePermit) -> Self {
        let (entry, body) = entry_of(part, date, block, permit);
        let links = body.map(|body| match when {
            LinkReading::Now => LinksSoFar::Read(body.links(&entry.url, permit)),
            LinkReading::Later => LinksSoFar::Unread(body),
        });
        Self { entry, links }
    }
}

impl AuxiliaryRecord {
    fn of(part: CapturePart, date: CaptureDate, block: &Block) -> Self {
        let CapturePart { head, url, .. } = part;
        let points_to = ["WARC-Refers-To", "WARC-Concurrent-To"]
            .iter()
            .flat_map(|name| head.headers.all(name))
            .map(|value| String::from_utf8_lossy(value).trim().trim_matches(['<', '>']).to_owned())
            .collect();
        if head.record_type != RecordType::Metadata {
            return Self { url, date, points_to, notes: None, left_out: None };
        }
        let (notes, left_out) = match MediaType::of(&head.headers).mime.as_str() {
            "application/json" if block.is_cut() => {
                (None, Some("what it notes of the capture is not read, its links are read from the page itself"))
            }
            "application/json" => (CaptureNotes::from_json(&block.bytes), None),
            // Heritrix before 3 called it ANVL.
            "application/warc-fields" | "text/anvl" => {
                (Some(notes_of_fields(&block.bytes)), block.is_cut().then_some("only its beginning is read"))
            }
            _ => (None, None),
        };
        Self { url, date, points_to, notes, left_out }
    }
}

/// The entry without links and places, and what links are read from.
fn entry_of(
    part: CapturePart,
    date: CaptureDate,
    block: Block,
    permit: &mut LargePagePermit,
) -> (CaptureEntry, Option<Body<'static>>) {
    let (head, declared) = (part.head, part.declared_digest());
    let PayloadHead { http, status, mime } = part.payload_head(&block.bytes);
    let is_revisit = head.record_type == RecordType::Revisit;
    let mut entry = CaptureEntry {
        payload_digest: declared.clone().unwrap_or_default(),
        truncated: head.headers.get("WARC-Truncated").filter(|_| !is_revisit),
        ip: head.headers.get("WARC-IP-Address").and_then(|ip| ip.trim().parse().ok()),
        ..CaptureEntry::bare(part.url, date)
    };
    (entry.notes.status, entry.notes.mime) = (status.into(), plain_mime(&mime));
    if is_revisit {
        // A revisit of an unknown date repeats itself, at the least.
        let RefersTo { url, date: of, record_id } = RefersTo::of(head);
        entry.revisit_of = of.or(Some(date));
        entry.repeats = url.filter(|named| *named != entry.url);
        entry.refers_to = record_id;
        let body = http.map(|http| Body::of_revisit(&http));
        return (entry, body);
    }
    let is_cut = block.is_cut();
    let (status, headers, mut payload) = match http {
        Some(http) => {
            let raw = block.bytes.get(http.head_len..).unwrap_or_default();
            entry.payload_len = match (&block.digests, http.is_chunked()) {
                (Some(digests), _) => digests.payload_len,
                (None, true) => entity_body(&http, raw).0.len() as u64,
                (None, false) => block.len.saturating_sub(http.head_len as u64),
            };
            let Ok(payload) = permit.decode(|limit| Ok::<_, Infallible>(decode_payload(&http, raw, limit)));
            let payload = payload.into_owned();
            (http.status, http.headers, payload)
        }
        None => {
            entry.payload_len = block.digests.as_ref().map_or(block.len, |digests| digests.payload_len);
            (STATUS_BY_CONVENTION, fields_of_record(head), block.bytes.into())
        }
    };
    payload.cut |= is_cut;
    let body = Body::new(status, &headers, payload);
    entry.sniffed = is_sniffed(&entry.notes.mime).then(|| body.media(&entry.url));
    if let Some(digests) = block.digests {
        entry.declared_digest = declared.filter(|declared| *declared != digests.payload);
        entry.payload_digest = digests.payload;
    }
    (entry, Some(body))
}

/// The HTTP head of a response or resource that was read, and its body, of at
/// most so many bytes.
pub fn body_of(record: &Record, limit: usize) -> (Option<HttpHead>, Body<'_>) {
    match record.head.http_response(&record.block) {
        Some(http) => {
            let raw = record.block.get(http.head_len..).unwrap_or_default();
            let body = Body::decode(&http, raw, limit);
            (Some(http), body)
        }
        None => {
            let mut body = Body::of_payload(&fields_of_record(&record.head), &record.block);
            body.payload.cut = record.omitted > 0;
            (None, body)
        }
    }
}

/// Notes of Heritrix.
fn notes_of_fields(block: &[u8]) -> CaptureNotes {
    let mut notes = CaptureNotes::default();
    for line in String::from_utf8_lossy(block).lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match name.trim() {
            "via" => notes.via = parse_web_url(value),
            "hopsFromSeed" => notes.hops = value.to_owned(),
            "sourceTag" => notes.source_tag = value.to_owned(),
            "fetchTimeMs" => notes.fetch_ms = value.parse().ok(),
            _ => {}
        }
    }
    notes
}

/// The needed beginning of a block, and its digests where none were declared.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// All bytes that there are: what is declared may be any number.
    len: u64,
    digests: Option<crate::warc::Digests>,
}

impl Block {
    /// Whether there is more of it than is kept.
    fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < self.len
    }
}

/// The number of bytes of a block that are needed, as soon as its beginning shows it: pages are
/// read whole, of what leads nowhere the head is enough.
fn bytes_to_read(part: &CapturePart, start: &[u8]) -> Option<usize> {
    let may_go_on = || start.len() <= MAX_HTTP_HEAD_BYTES && !response_head_is_whole(start);
    match part.head.record_type {
        RecordType::Response if part.head.is_http() && may_go_on() => None,
        RecordType::Response | RecordType::Resource => {
            let PayloadHead { http, mime, .. } = part.payload_head(start);
            let head_len = http.map_or(0, |http| http.head_len);
            let begin = if is_unspecific(&mime) { SNIFFED_BYTES } else { 0 };
            Some(if may_lead(&part.url, &mime) { MAX_PAGE_BYTES } else { head_len + begin })
        }
        RecordType::Revisit => Some(MAX_HTTP_HEAD_BYTES),
        // It is read whole only where it may be one of ours.
        _ => Some(MAX_NOTES_BYTES),
    }
}

fn read_block<B: BufRead + ?Sized>(
    reader: &mut B,
    part: &CapturePart,
    permit: &mut LargePagePermit,
) -> io::Result<Block> {
    let kind = &part.head.record_type;
    let is_declared = part.declared_digest().is_some();
    let mut digester = (kind.holds_payload() && !is_declared).then(|| part.digester());
    // Chunked bodies are always hashed again: writers differ in what they hash.
    let of_chunked = |start: &[u8]| {
        let may_be = is_declared && *kind == RecordType::Response;
        (may_be && parse_response_head(start).is_some_and(|head| head.is_chunked())).then(|| {
            let mut digester = part.digester();
            digester.update(start);
            digester
        })
    };
    let (mut bytes, mut block_len, mut limit) = (Vec::new(), 0, None);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        if let Some(digester) = &mut digester {
            digester.update(chunk);
        }
        let len = chunk.len();
        block_len += len as u64;
        if let Some(limit) = limit {
            bytes.extend_from_slice(&chunk[..len.min(limit - bytes.len())]);
        } else {
            bytes.extend_from_slice(chunk);
            limit = bytes_to_read(part, &bytes);
            if let Some(limit) = limit {
                digester = digester.or_else(|| of_chunked(&bytes));
                bytes.truncate(limit);
            }
        }
        permit.wait_for(bytes.len());
        reader.consume(len);
    }
    if limit.is_none() {
        digester = digester.or_else(|| of_chunked(&bytes));
    }
    Ok(Block { bytes, len: block_len, digests: digester.map(BlockDigester::finish) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_is_hashed_again_however_its_head_is_read() {
        let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        let text = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: http://a.pt/\r\n\
             WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
             WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(block);
        bytes.extend_from_slice(b"\r\n\r\n");
        let mut reader = crate::warc::ArchiveReader::new(bytes.as_slice(), std::path::Path::new("a.warc")).unwrap();
        let head = reader.next_head().unwrap().unwrap();
        for at_once in 1..=block.len() {
            let mut reader = io::BufReader::with_capacity(at_once, &block[..]);
            let part = CapturePart::of(&head).unwrap();
            let read = read_block(&mut reader, &part, &mut LargePagePermit::default()).unwrap();
            let payload = read.digests.map(|digests| digests.payload);
            assert_eq!(payload, Some(crate::warc::sha1_base32(b"abc")), "{at_once} bytes at once");
        }
    }
}
