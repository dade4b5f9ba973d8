//! A capture entry carries all that is known of one capture to the catalogue.

use super::page::has_links;
use super::{CaptureNotes, Media, Unread};
use crate::scope::ContentFact;
use crate::uri::{CaptureDate, Url};
use crate::warc::{RecordType, Span};
use std::net::IpAddr;

/// A record of a capture, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPlace {
    /// Its type.
    pub record_type: RecordType,
    /// Its `WARC-Record-ID`, without angle brackets; empty in ARC files.
    pub record_id: String,
    /// File name relative to the workspace (or absolute, when linked), always
    /// without `.open`: a reader that finds no such file tries with `.open`.
    pub file: String,
    /// Its place in the file.
    pub span: Span,
}

/// A capture: one URL at one instant, from a crawl or from an imported file.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureEntry {
    /// The requested URL.
    pub url: Url,
    /// When.
    pub date: CaptureDate,
    /// Status, type, title, links and how it came about. The status of resources, which have no HTTP head, is 200 by
    /// convention; that of revisits without one is 0; a type that is none is `-`.
    pub notes: CaptureNotes,
    /// Bytes of the payload, transfer encoding removed.
    pub payload_len: u64,
    /// `sha1:BASE32` of the payload.
    pub payload_digest: String,
    /// The one that its record declares, where that is another: writers differ in
    /// what they digest of bodies in chunks.
    pub declared_digest: Option<String>,
    /// Why the response was cut (`length`, `time`, `disconnect`), if it was.
    pub truncated: Option<String>,
    /// The medium of the first bytes of the payload, where they were read since its type is unspecific.
    pub sniffed: Option<Media>,
    /// Address of the server.
    pub ip: Option<IpAddr>,
    /// The rule that a file of others names for it.
    pub claimed_rule: String,
    /// The target of its redirect.
    pub redirect_to: Option<Url>,
    /// Date of the capture that this one repeats, when it is a revisit.
    pub revisit_of: Option<CaptureDate>,
    /// URL of that capture, where the revisit names another than its own.
    pub repeats: Option<Url>,
    /// Id of the record that it repeats, where the revisit names one.
    pub refers_to: Option<String>,
    /// Its records; the first is the response, resource or revisit.
    pub records: Vec<RecordPlace>,
    /// Whether these are all; else [`Ledger::add_outlinks`](crate::crawl::Ledger::add_outlinks) brings more.
    pub outlinks_complete: bool,
}

impl CaptureEntry {
    /// Says that it was not read whole where it was cut at its capture, and
    /// links are looked for in it.
    pub fn note_truncation(&mut self) {
        let may_have_links = matches!(self.notes.status, 0 | 200..=299)
            && (has_links(&self.url, &self.notes.mime)
                || self.media() == Media::Page
                || !self.notes.outlinks.is_empty());
        let truncated = self.truncated.as_deref().filter(|_| may_have_links);
        self.notes.unread = Unread::of_record(self.notes.unread, truncated);
    }

    /// The facts about the answer that rules of scope test.
    pub fn content_fact(&self) -> ContentFact {
        let status = u16::try_from(self.notes.status).unwrap_or(0);
        ContentFact::Fetched { status, mime: self.notes.mime.clone(), bytes: self.payload_len }
    }

    /// Its medium, by type, first bytes and URL.
    pub fn media(&self) -> Media {
        self.sniffed.unwrap_or_else(|| Media::of(&self.notes.mime, &self.url, b""))
    }

    /// An entry with its URL and date alone. The rest is empty.
    pub fn bare(url: Url, date: CaptureDate) -> Self {
        Self {
            url,
            date,
            notes: CaptureNotes { mime: "-".to_owned(), ..CaptureNotes::default() },
            payload_len: 0,
            payload_digest: String::new(),
            declared_digest: None,
            truncated: None,
            sniffed: None,
            ip: None,
            claimed_rule: String::new(),
            redirect_to: None,
            revisit_of: None,
            repeats: None,
            refers_to: None,
            records: Vec::new(),
            outlinks_complete: true,
        }
    }
}

/// A MIME type as catalogue and logs have it: `-` where it is none.
pub fn plain_mime(mime: &str) -> String {
    let plain = !mime.is_empty() && mime.len() < 128 && mime.bytes().all(|byte| byte.is_ascii_graphic());
    if plain { mime.to_owned() } else { "-".to_owned() }
}
