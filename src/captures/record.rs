//! What one record tells, without regard to those around it: threads can
//! share the work.

use super::CaptureEntry;
use super::entry::plain_mime;
use super::large::LargePagePermit;
use super::limits::{MAX_HTTP_HEAD_BYTES, MAX_NOTES_BYTES, MAX_PAGE_BYTES};
use super::metadata::CaptureNotes;
use super::original::RefersTo;
use super::page::{Body, PageLinks, links_bytes, may_have_links};
use crate::jobs::JobCx;
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::warc::http::{
    HttpHead, MediaType, Payload, decode_payload, entity_body, parse_response_head, response_head_is_whole,
};
use crate::warc::{BlockDigester, Headers, PlaceReader, Record, RecordHead, RecordType, Span, WarcError, sha1_field};
use std::convert::Infallible;
use std::io::{self, BufRead};
use std::path::Path;

/// Whether the links of a page are read with its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// With the record.
    Now,
    /// When it is known that nobody else tells them.
    Later,
}

/// A record that was read.
pub(super) struct SeenRecord {
    pub record_type: RecordType,
    /// Without angle brackets; empty where there is none.
    pub record_id: String,
    /// What it is about; none for what is no part of a capture.
    pub url: Option<Url>,
    /// Why a response, revisit or resource is none that can be taken.
    pub left_out: Option<LeftOut>,
    pub date: Option<CaptureDate>,
    pub role: RecordRole,
}

/// Why a record that looks like a capture is none of the web.
pub(super) enum LeftOut {
    /// It is about something else, by the scheme of its URI: `dns`, `urn`.
    Scheme(String),
    /// What it is about cannot be told, in words.
    Unclear(String),
}

impl LeftOut {
    /// Letters of a wrong URI that are shown.
    const SHOWN: usize = 200;
    /// No scheme that is known is longer, in bytes.
    const MAX_SCHEME: usize = 32;

    fn of(head: &RecordHead) -> Self {
        let Some(uri) = head.target_uri() else {
            return Self::Unclear(format!(
                "the {} record says of no URI that it is about; it is left out",
                head.record_type
            ));
        };
        let is_scheme = |text: &&str| {
            text.len() <= Self::MAX_SCHEME
                && text.starts_with(|first: char| first.is_ascii_alphabetic())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        };
        let scheme = uri.split_once(':').map(|(scheme, _)| scheme).filter(is_scheme).map(str::to_ascii_lowercase);
        match scheme.filter(|scheme| !matches!(scheme.as_str(), "http" | "https")) {
            Some(scheme) => Self::Scheme(scheme),
            None => {
                let uri: String = uri.chars().take(Self::SHOWN).collect();
                Self::Unclear(format!("“{uri}” is no URL of the web; the {} record is left out", head.record_type))
            }
        }
    }
}

/// What a record is to a capture.
pub(super) enum RecordRole {
    /// No part of one.
    Other,
    /// Its response, revisit or resource.
    Capture(Box<SeenCapture>),
    /// A request or metadata.
    Auxiliary(Box<AuxiliaryRecord>),
    /// There was no room for it yet: the record has to be read again.
    Deferred,
}

/// A capture as its own record tells it.
pub(super) struct SeenCapture {
    /// Without places of records.
    pub entry: CaptureEntry,
    /// Whether the record has an HTTP head.
    pub has_status: bool,
    /// Its links; none where there can be none.
    pub links: Option<LinksSoFar>,
}

/// What a request or metadata record tells.
#[derive(Default)]
pub(super) struct AuxiliaryRecord {
    /// Ids of the records it belongs to.
    pub points_to: Vec<String>,
    pub notes: Option<CaptureNotes>,
    /// What is not read of notes that are longer than [`MAX_NOTES_BYTES`], in words.
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
    pub fn of<B: BufRead + ?Sized>(head: &RecordHead, block: &mut B, links: Links) -> io::Result<Self> {
        let is_main = head.record_type.is_capture();
        let is_side = matches!(head.record_type, RecordType::Request | RecordType::Metadata);
        let mut seen = Self {
            record_type: head.record_type.clone(),
            record_id: head.record_id().unwrap_or_default(),
            url: head.target_url().filter(|_| is_main || is_side),
            left_out: None,
            date: head.date(),
            role: RecordRole::Other,
        };
        let Some(url) = &seen.url else {
            seen.left_out = is_main.then(|| LeftOut::of(head));
            return Ok(seen);
        };
        let Some(date) = seen.date else {
            // It is told as a problem and used for nothing.
            seen.role = RecordRole::Auxiliary(Box::default());
            return Ok(seen);
        };
        let mut permit = LargePagePermit::default();
        let block = match head.record_type {
            RecordType::Request => Block::default(),
            _ => read_block(block, head, url, &mut permit)?,
        };
        seen.role = match is_main {
            true => RecordRole::Capture(Box::new(SeenCapture::of(head, url, date, block, links, &mut permit))),
            false => RecordRole::Auxiliary(Box::new(AuxiliaryRecord::of(head, &block))),
        };
        Ok(seen)
    }

    /// Reads a record again that stands at this place.
    pub fn again(from: &mut PlaceReader, path: &Path, span: Span, cx: &JobCx) -> Result<Self, WarcError> {
        let (head, mut block) = from.enter(path, span, cx)?;
        Self::of(&head, &mut block, Links::Later).map_err(|source| WarcError::Io { path: path.to_owned(), source })
    }

    /// Whether it tells everything about a capture, links included.
    pub fn has_notes_of_ours(&self) -> bool {
        let RecordRole::Auxiliary(side) = &self.role else { return false };
        side.notes.as_ref().is_some_and(|notes| notes.verdict.is_some())
    }

    /// Bytes of links, or of what they are read from.
    pub fn weight(&self) -> usize {
        match &self.role {
            RecordRole::Capture(capture) => capture.links.as_ref().map_or(0, LinksSoFar::weight),
            RecordRole::Auxiliary(side) => side.notes.as_ref().map_or(0, |notes| links_bytes(&notes.outlinks)),
            RecordRole::Other | RecordRole::Deferred => 0,
        }
    }
}

impl SeenCapture {
    fn of(
        head: &RecordHead,
        url: &Url,
        date: CaptureDate,
        block: Block,
        when: Links,
        permit: &mut LargePagePermit,
    ) -> Self {
        let http = if head.record_type == RecordType::Resource { None } else { parse_response_head(&block.bytes) };
        let http = http.filter(|_| head.is_http());
        let has_status = http.is_some();
        let (entry, body) = entry_of(head, http, url.clone(), date, block, permit);
        let links = body.map(|body| match when {
            Links::Now => LinksSoFar::Read(LinksSoFar::Unread(body).read(url, permit)),
            Links::Later => LinksSoFar::Unread(body),
        });
        Self { entry, has_status, links }
    }
}

impl AuxiliaryRecord {
    fn of(head: &RecordHead, block: &Block) -> Self {
        let points_to = ["WARC-Refers-To", "WARC-Concurrent-To"]
            .iter()
            .flat_map(|name| head.headers.all(name))
            .map(|value| String::from_utf8_lossy(value).trim().trim_matches(['<', '>']).to_owned())
            .collect();
        if head.record_type != RecordType::Metadata {
            return Self { points_to, ..Self::default() };
        }
        let kind = head.headers.get("Content-Type").map(|kind| MediaType::parse(&kind).mime).unwrap_or_default();
        let (notes, left_out) = match kind.as_str() {
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
        Self { points_to, notes, left_out }
    }
}

/// The entry without links and places, and what links are read from.
fn entry_of(
    head: &RecordHead,
    http: Option<HttpHead>,
    url: Url,
    date: CaptureDate,
    block: Block,
    permit: &mut LargePagePermit,
) -> (CaptureEntry, Option<Body<'static>>) {
    let is_revisit = head.record_type == RecordType::Revisit;
    let told = head.headers.get("WARC-Payload-Digest").and_then(|digest| sha1_field(&digest));
    let mut entry = CaptureEntry {
        payload_digest: told.clone().unwrap_or_default(),
        truncated: head.headers.get("WARC-Truncated").filter(|_| !is_revisit),
        ip: head.headers.get("WARC-IP-Address").and_then(|ip| ip.trim().parse().ok()),
        ..CaptureEntry::bare(url, date)
    };
    if let Some(http) = &http {
        entry.notes.status = i32::from(http.status);
        entry.notes.mime = plain_mime(&http.content_type().mime);
    }
    if is_revisit {
        // A revisit of an unknown date repeats itself, at the least.
        let RefersTo { url, date: of, record_id } = RefersTo::of(head);
        entry.revisit_of = of.or(Some(date));
        entry.repeats = url.filter(|named| *named != entry.url);
        entry.refers_to = record_id;
        let body = http.map(|http| Body::new(http.status, &http.headers, Vec::new().into()));
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
            let headers = fields_of_record(head);
            if let Some(kind) = headers.get("Content-Type") {
                entry.notes.mime = plain_mime(&MediaType::parse(&kind).mime);
            }
            (200, headers, block.bytes.into())
        }
    };
    payload.cut |= is_cut;
    if let Some(digests) = block.digests {
        entry.declared_digest = told.filter(|declared| *declared != digests.payload);
        entry.payload_digest = digests.payload;
    }
    (entry, Some(Body::new(status, &headers, payload)))
}

/// The fields of a payload without an HTTP head, as its record tells them.
fn fields_of_record(head: &RecordHead) -> Headers {
    let mut headers = Headers::new();
    if let Some(kind) = head.headers.get("Content-Type").filter(|_| !head.is_http()) {
        headers.push("Content-Type", kind);
    }
    headers
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
            let payload =
                Payload { bytes: (&record.block[..]).into(), cut: record.omitted > 0, bomb: false, flaws: Vec::new() };
            (None, Body::new(200, &fields_of_record(&record.head), payload))
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

/// As much of a block as is wanted, and its digests where nobody told them.
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

/// How many bytes of a block are wanted, as soon as its beginning tells: pages
/// are read whole, of what leads nowhere the head is enough.
fn bytes_to_read(head: &RecordHead, url: &Url, start: &[u8]) -> Option<usize> {
    let of_payload = |leads: bool, head_len: usize| if leads { MAX_PAGE_BYTES } else { head_len };
    match head.record_type {
        RecordType::Response if head.is_http() => {
            let is_there = response_head_is_whole(start) || start.len() > MAX_HTTP_HEAD_BYTES;
            is_there.then(|| match parse_response_head(start) {
                Some(http) => of_payload(may_have_links(url, &http.headers), http.head_len),
                None => of_payload(may_have_links(url, &fields_of_record(head)), 0),
            })
        }
        RecordType::Response | RecordType::Resource => {
            Some(of_payload(may_have_links(url, &fields_of_record(head)), 0))
        }
        RecordType::Revisit => Some(MAX_HTTP_HEAD_BYTES),
        // It is read whole only where it may be one of ours.
        _ => Some(MAX_NOTES_BYTES),
    }
}

fn read_block<B: BufRead + ?Sized>(
    reader: &mut B,
    head: &RecordHead,
    url: &Url,
    permit: &mut LargePagePermit,
) -> io::Result<Block> {
    let is_main = head.record_type.holds_payload();
    let told = head.headers.get("WARC-Payload-Digest").is_some_and(|digest| sha1_field(&digest).is_some());
    let is_http = head.record_type == RecordType::Response;
    let mut digester = (is_main && !told).then(|| BlockDigester::new(is_http));
    // Chunked bodies are always reckoned anew: writers differ in what they hash.
    let of_chunked = |start: &[u8]| {
        let is_it = told && is_http && parse_response_head(start).is_some_and(|head| head.is_chunked());
        is_it.then(|| {
            let mut digester = BlockDigester::new(is_http);
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
            limit = bytes_to_read(head, url, &bytes);
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
            let url = head.target_url().unwrap();
            let read = read_block(&mut reader, &head, &url, &mut LargePagePermit::default()).unwrap();
            let payload = read.digests.map(|digests| digests.payload);
            assert_eq!(payload, Some(crate::warc::sha1_base32(b"abc")), "{at_once} bytes at once");
        }
    }
}
