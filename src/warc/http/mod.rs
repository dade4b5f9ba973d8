//! Reads the HTTP message inside a record: its head, its entity body, its payload.
//!
//! Three layers of the same bytes, after RFC 9110 and WARC/1.1 (6.3.2):
//! the *raw body* as it crossed the wire, the *entity body* without transfer
//! encoding (the payload that digests are made of), and the *decoded payload*
//! without content encoding (what a reader of pages wants). Servers lie; what
//! does not fit becomes a [`Flaw`] and the bytes are taken as they are.

mod chunked;
mod decode;
mod form;
mod head;

pub use chunked::{Dechunker, dechunk};
pub use decode::{MAX_UNPACKED_RATIO, Payload, decode_body, decode_payload, entity_body, unpacked_limit};
pub use form::{Form, FormKind};
pub(crate) use head::response_head_is_whole;
pub use head::{HttpHead, HttpRequestHead, MediaType, parse_request_head, parse_response_head};

use super::{Problem, ProblemKind};

/// A malformed part of a message; the caller knows the offset of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// What kind.
    pub kind: ProblemKind,
    /// What exactly, for a person.
    pub detail: String,
    /// Bytes of the message are missing, or cannot be had as they were meant.
    pub lossy: bool,
}

impl Flaw {
    fn http(detail: impl Into<String>) -> Self {
        Self { kind: ProblemKind::BadHttp, detail: detail.into(), lossy: false }
    }

    /// Makes a flaw that leaves bytes out.
    fn lossy(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), lossy: true }
    }

    /// The problem of the record at `offset`.
    pub fn at(self, offset: u64) -> Problem {
        Problem::new(offset, self.kind, self.detail)
    }
}
