//! Summarises a record for lists, filters and cuts.

use super::http::{parse_request_head, parse_response_head};
use super::record::unbracket;
use super::{RecordHead, RecordType};
use crate::uri::CaptureDate;
use std::io::{self, Read};

/// Bytes of a block that are searched for its HTTP head.
const HTTP_HEAD_BYTES: u64 = 64 * 1024;

/// Fields of a record and of its HTTP head. Ids and URLs have no angle brackets; what is absent is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFacts {
    /// What kind of record this is.
    pub record_type: RecordType,
    /// `WARC/1.1`, `ARC/1.0` …
    pub version: String,
    /// `WARC-Record-ID`.
    pub record_id: Option<String>,
    /// What the record is about (see [`RecordHead::target_uri`]).
    pub url: Option<String>,
    /// `WARC-Date`, unparsed.
    pub date_text: Option<String>,
    /// `WARC-Date`, parsed.
    pub date: Option<CaptureDate>,
    /// Status of the HTTP response inside; `None` for 0.
    pub status: Option<u16>,
    /// Method of the HTTP request inside.
    pub method: Option<String>,
    /// MIME type in lower case: that of the HTTP response, else of the block.
    pub mime: Option<String>,
    /// `WARC-IP-Address`.
    pub ip: Option<String>,
    /// `WARC-Payload-Digest`.
    pub payload_digest: Option<String>,
    /// `WARC-Block-Digest`.
    pub block_digest: Option<String>,
    /// `WARC-Concurrent-To`, each.
    pub concurrent_to: Vec<String>,
    /// `WARC-Refers-To`.
    pub refers_to: Option<String>,
    /// `WARC-Refers-To-Target-URI`.
    pub refers_to_url: Option<String>,
    /// `WARC-Refers-To-Date`, unparsed.
    pub refers_to_date: Option<String>,
    /// `WARC-Warcinfo-ID`.
    pub warcinfo_id: Option<String>,
    /// `WARC-Profile`.
    pub profile: Option<String>,
    /// `WARC-Truncated`: why the block is not whole.
    pub truncated: Option<String>,
    /// `WARC-Segment-Number`.
    pub segment: Option<u64>,
    /// `WARC-Segment-Origin-ID`.
    pub segment_origin: Option<String>,
    /// Declared length of the block in bytes.
    pub content_length: u64,
}

impl RecordFacts {
    /// Reads the facts from a head and the first bytes of its block.
    pub fn of(head: &RecordHead, begin: &[u8]) -> Self {
        let text = |name: &str| head.headers.get(name).filter(|value| !value.trim().is_empty());
        let id = |name: &str| text(name).map(|value| unbracket(&value).to_owned());
        let http = if head.is_http() { parse_response_head(begin) } else { None };
        let request = if head.is_http() && http.is_none() { parse_request_head(begin) } else { None };
        // An ARC line has the type that the server declared.
        let of_line = || text("ARC-Content-Type").or_else(|| text("Content-Type"));
        let mime = match &http {
            Some(http) => Some(http.content_type().mime).filter(|mime| !mime.is_empty()),
            None => of_line().map(|kind| super::http::MediaType::parse(&kind).mime),
        };
        Self {
            record_type: head.record_type.clone(),
            version: head.version.clone(),
            record_id: head.record_id(),
            url: head.target_uri(),
            date_text: text("WARC-Date"),
            date: head.date(),
            status: http.as_ref().map(|http| http.status).filter(|&status| status > 0),
            method: request.map(|request| request.method),
            mime,
            ip: text("WARC-IP-Address"),
            payload_digest: text("WARC-Payload-Digest"),
            block_digest: text("WARC-Block-Digest"),
            concurrent_to: head
                .headers
                .all("WARC-Concurrent-To")
                .map(|value| unbracket(&String::from_utf8_lossy(value)).to_owned())
                .collect(),
            refers_to: id("WARC-Refers-To"),
            refers_to_url: id("WARC-Refers-To-Target-URI"),
            refers_to_date: text("WARC-Refers-To-Date"),
            warcinfo_id: id("WARC-Warcinfo-ID"),
            profile: id("WARC-Profile"),
            truncated: text("WARC-Truncated"),
            segment: text("WARC-Segment-Number").and_then(|number| number.trim().parse().ok()),
            segment_origin: id("WARC-Segment-Origin-ID"),
            content_length: head.content_length,
        }
    }

    /// Reads the facts from a head and its block, of which only what an HTTP head can take is read, and that
    /// only where `http`.
    pub fn read(head: &RecordHead, block: &mut impl Read, http: bool) -> io::Result<Self> {
        let mut begin = Vec::new();
        if http && head.is_http() {
            block.take(HTTP_HEAD_BYTES).read_to_end(&mut begin)?;
        }
        Ok(Self::of(head, &begin))
    }
}
