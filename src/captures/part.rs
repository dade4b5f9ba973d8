//! A record is read as a part of a capture, by its head and the beginning of its block: for the
//! catalogue ([`super::record`]), for links read in a stream ([`super::documents`]) and for what
//! revisits repeat ([`super::original`]). Each of them keeps what it needs.

use super::media::{ROOT_WITHIN_BYTES, is_sniffed};
use super::page::STATUS_BY_CONVENTION;
use super::{Body, BodyForm};
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::warc::http::{HttpHead, MediaType};
use crate::warc::{BlockDigester, Headers, PAYLOAD_DIGEST, RecordHead, RecordType, sha1_field};

/// A record of the capture of a web URL: its response, revisit or resource, or
/// a request or metadata record beside that.
pub(super) struct CapturePart<'r> {
    pub head: &'r RecordHead,
    pub url: Url,
    /// Without one that can be read the record is of no use.
    pub date: Option<CaptureDate>,
}

impl<'r> CapturePart<'r> {
    /// The part of a record; none for other records, which [`LeftOut::of`] explains if they look like
    /// captures.
    pub fn of(head: &'r RecordHead) -> Option<Self> {
        let kind = &head.record_type;
        let is_part = kind.is_capture() || matches!(kind, RecordType::Request | RecordType::Metadata);
        let url = if is_part { head.target_url()? } else { return None };
        Some(Self { head, url, date: head.date() })
    }

    /// The SHA-1 of the payload that it declares.
    pub fn declared_digest(&self) -> Option<String> {
        self.head.headers.get_text(PAYLOAD_DIGEST).and_then(|digest| sha1_field(&digest))
    }

    /// Computes what it does not declare.
    pub fn digester(&self) -> BlockDigester {
        BlockDigester::new(self.head.record_type == RecordType::Response)
    }

    /// How its payload is read, by its type or, where that is unspecific, by the beginning of its block.
    pub fn form(&self, head: &PayloadHead, begin: &[u8]) -> BodyForm {
        match (&head.http, is_sniffed(&head.mime)) {
            (_, false) => BodyForm::of_type(&head.mime),
            (Some(http), true) => {
                let raw = begin.get(http.head_len..).unwrap_or_default();
                Body::decode(http, raw, ROOT_WITHIN_BYTES).form(&self.url)
            }
            (None, true) => BodyForm::of(&head.mime, &self.url, begin),
        }
    }

    /// Whether its payload is the whole block where there is no HTTP head, so that it has no status of its own. Answers
    /// of HTTP/0.9 have none; an ARC file keeps them like others.
    fn has_status_by_convention(&self) -> bool {
        let is_of_arc = self.head.headers.get("ARC-Content-Type").is_some();
        match self.head.record_type {
            RecordType::Resource => true,
            RecordType::Response => !self.head.is_http() || is_of_arc,
            _ => false,
        }
    }

    /// The fields before the payload, in a block that begins like this.
    pub fn payload_head(&self, begin: &[u8]) -> PayloadHead {
        let Self { head, .. } = self;
        let http = if head.record_type == RecordType::Resource { None } else { head.http_response(begin) };
        let kind = match &http {
            Some(http) => http.content_type(),
            None if head.record_type == RecordType::Revisit => MediaType::default(),
            None => MediaType::of(&fields_of_record(head)),
        };
        let without_http = if self.has_status_by_convention() { STATUS_BY_CONVENTION } else { 0 };
        PayloadHead { status: http.as_ref().map_or(without_http, |http| http.status), http, mime: kind.mime }
    }
}

/// The fields before a payload: an HTTP head, or the fields of its record in its place.
pub(super) struct PayloadHead {
    pub http: Option<HttpHead>,
    /// [`STATUS_BY_CONVENTION`] of what has no HTTP head since its record is of the payload alone; 0 where there is none
    /// all the same.
    pub status: u16,
    /// Empty where none is declared.
    pub mime: String,
}

/// Why a record that looks like a capture is none of the web.
pub(super) enum LeftOut {
    /// It is about something else, by the scheme of its URI: `dns`, `urn`.
    Scheme(String),
    /// Its subject is unclear, in words.
    Unclear(String),
}

impl LeftOut {
    /// Letters of a wrong URI that are shown.
    const SHOWN: usize = 200;
    /// No scheme that is known is longer, in bytes.
    const MAX_SCHEME: usize = 32;

    /// The reason for a record that is no [`CapturePart`]; none where it does not look like a capture.
    pub fn of(head: &RecordHead) -> Option<Self> {
        let kind = Some(&head.record_type).filter(|kind| kind.is_capture())?;
        let Some(uri) = head.target_uri() else {
            let why = format!("the {kind} record says of no URI that it is about; it is left out");
            return Some(Self::Unclear(why));
        };
        let is_scheme = |text: &&str| {
            text.len() <= Self::MAX_SCHEME
                && text.starts_with(|first: char| first.is_ascii_alphabetic())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        };
        let scheme = uri.split_once(':').map(|(scheme, _)| scheme).filter(is_scheme).map(str::to_ascii_lowercase);
        Some(match scheme.filter(|scheme| !matches!(scheme.as_str(), "http" | "https")) {
            Some(scheme) => Self::Scheme(scheme),
            None => {
                let uri: String = uri.chars().take(Self::SHOWN).collect();
                // What was packed without the address of its site, as warcit does by default.
                let host = uri.split('/').next().unwrap_or_default();
                let is_host = parse_web_url(&format!("http://{host}/")).is_some() && host.contains('.');
                let next = match is_host {
                    true => format!(
                        "; it has no http:// before it, pack it again with the address of the site: warcit http://{host}/ FOLDER"
                    ),
                    false => String::new(),
                };
                Self::Unclear(format!("“{uri}” is no URL of the web{next}; the {kind} record is left out"))
            }
        })
    }
}

/// The fields of a payload without an HTTP head, from those of its record.
pub(super) fn fields_of_record(head: &RecordHead) -> Headers {
    let mut headers = Headers::new();
    if let Some(kind) = head.headers.get("Content-Type").filter(|_| !head.is_http()) {
        headers.push("Content-Type", kind);
    }
    headers
}
