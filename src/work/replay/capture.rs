//! A capture read from its file: head and body, for a revisit those of what it repeats.

use super::Replay;
use crate::captures::limits::{LARGE_PAGE_BYTES, MAX_HTTP_HEAD_BYTES};
use crate::captures::{LargePagePermit, is_redirect};
use crate::replay::{BodyKind, body_kind};
use crate::store::StoredCapture;
use crate::uri::{CaptureDate, Url};
use crate::warc::http::{MediaType, decode_body, entity_body, parse_response_head};
use crate::warc::{Headers, Record, Span, enter_record_in};
use crate::work::find::record_content::record_of;
use crate::work::models::CaptureId;
use std::io::{self, Read};
use std::path::PathBuf;

/// Bytes of a body that has to be decoded or changed as a whole; beyond them it is cut.
const MAX_BODY_BYTES: usize = 256 << 20;

/// SHA-1 of no bytes, as records write it.
const EMPTY_DIGEST: &str = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// An archived answer.
pub(super) struct ArchivedAnswer {
    pub(super) id: CaptureId,
    pub(super) url: Url,
    pub(super) date: CaptureDate,
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) body: ArchivedBody,
}

/// The body of an archived answer.
pub(super) enum ArchivedBody {
    /// Whole, as it is in its record: transfer and content encodings are not undone. It begins at this byte of the block.
    Memory(Vec<u8>, usize),
    /// Too large for that, and not encoded.
    File(BodyInFile),
    /// It repeats one that is not there; when that was captured.
    Absent(CaptureDate),
}

/// A body that is read as it is sent.
pub(super) struct BodyInFile {
    path: PathBuf,
    span: Span,
    /// Bytes of the block before it.
    skip: u64,
    pub(super) len: u64,
}

impl BodyInFile {
    /// A reader of the body from a byte on.
    pub(super) fn read_from(&self, from: u64) -> anyhow::Result<Box<dyn Read + Send>> {
        let (_, mut reader) = enter_record_in(&self.path, self.span)?;
        io::copy(&mut reader.by_ref().take(self.skip + from), &mut io::sink())?;
        Ok(Box::new(reader))
    }
}

impl ArchivedAnswer {
    /// The body without its encodings, and whether it is as it was declared.
    pub(super) fn decoded(&self) -> Option<Vec<u8>> {
        let ArchivedBody::Memory(block, start) = &self.body else { return None };
        let raw = block.get(*start..).unwrap_or_default();
        Some(decode_body(&self.headers, raw, MAX_BODY_BYTES).bytes.into_owned())
    }

    /// The body without transfer encoding alone.
    pub(super) fn entity(&self) -> Option<Vec<u8>> {
        let ArchivedBody::Memory(block, start) = &self.body else { return None };
        Some(match parse_response_head(block) {
            Some(head) if *start > 0 => entity_body(&head, &block[*start..]).0.into_owned(),
            _ => block.get(*start..).unwrap_or_default().to_vec(),
        })
    }

    fn is_encoded(&self) -> bool {
        ["Content-Encoding", "Transfer-Encoding"].iter().any(|name| {
            self.headers
                .get_text(name)
                .is_some_and(|value| !matches!(&*value.trim().to_ascii_lowercase(), "" | "identity"))
        })
    }
}

impl Replay {
    /// Reads a capture.
    pub(super) fn read_capture(&self, stored: &StoredCapture) -> anyhow::Result<ArchivedAnswer> {
        if stored.revisit_of.is_none() {
            return self.read_answer(stored, LARGE_PAGE_BYTES);
        }
        let mut own = self.read_answer(stored, MAX_HTTP_HEAD_BYTES)?;
        // A redirect needs no body, and neither does a payload of no bytes.
        if is_redirect(own.status) && own.headers.get_bytes("Location").is_some()
            || stored.digest.ends_with(EMPTY_DIGEST)
        {
            own.body = ArchivedBody::Memory(Vec::new(), 0);
            return Ok(own);
        }
        let Some(original) = self.session.catalogue().original_of(stored.id)? else {
            own.body = ArchivedBody::Absent(stored.revisit_of.unwrap_or(stored.date));
            return Ok(own);
        };
        let original = self.read_answer(&original, LARGE_PAGE_BYTES)?;
        // Fields that describe the body are those of the record that has it.
        let has_own_head = own.status != 304 && own.status != 0 && !own.headers.is_empty();
        let mut headers = if has_own_head { own.headers.clone() } else { original.headers.clone() };
        if has_own_head {
            let describes = |name: &str| {
                ["Content-Encoding", "Transfer-Encoding", "Content-Length"]
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(name))
            };
            let mut joined = Headers::new();
            headers.iter().filter(|(name, _)| !describes(name)).for_each(|(name, value)| joined.push(name, value));
            original
                .headers
                .iter()
                .filter(|(name, _)| describes(name))
                .for_each(|(name, value)| joined.push(name, value));
            headers = joined;
        }
        let status = if has_own_head { own.status } else { original.status };
        Ok(ArchivedAnswer { status, headers, body: original.body, ..own })
    }

    /// Reads the main record of a capture; so much of its block is kept in memory where the rest can be read later.
    fn read_answer(&self, stored: &StoredCapture, most: usize) -> anyhow::Result<ArchivedAnswer> {
        let workspace = &self.session.workspace;
        let place = stored.records.first();
        let place = place.ok_or_else(|| anyhow::anyhow!("capture {} has no records", stored.id))?;
        let (record, _) = record_of(workspace, place, most)?;
        let mut answer = answer_of(stored, record);
        let (omitted, is_whole) = (answer.1, answer.1 == 0);
        if is_whole || stored.revisit_of.is_some() {
            return Ok(answer.0);
        }
        // What is rewritten is in memory as well.
        let ArchivedBody::Memory(block, _) = &answer.0.body else { return Ok(answer.0) };
        let is_rewritten = body_kind(&MediaType::of(&answer.0.headers).mime, block) != BodyKind::Other;
        if answer.0.is_encoded() || is_rewritten {
            // In memory as a whole, one at a time.
            let mut permit = LargePagePermit::default();
            permit.wait_for(LARGE_PAGE_BYTES + 1);
            let (record, _) = record_of(workspace, place, MAX_BODY_BYTES)?;
            return Ok(answer_of(stored, record).0);
        }
        if let ArchivedBody::Memory(block, start) = &answer.0.body {
            let len = (block.len() - start) as u64 + omitted;
            let path = workspace.source_of(place)?;
            answer.0.body = ArchivedBody::File(BodyInFile { path, span: place.span, skip: *start as u64, len });
        }
        Ok(answer.0)
    }
}

/// The answer in a record, and how many bytes of its block were not read.
fn answer_of(stored: &StoredCapture, record: Record) -> (ArchivedAnswer, u64) {
    let (status, headers, start) = match record.head.http_response(&record.block) {
        Some(head) => (head.status, head.headers, head.head_len),
        None => {
            // A resource: its record says what it is.
            let mut headers = Headers::new();
            if let Some(mime) = record.head.headers.get("Content-Type").filter(|_| !record.head.is_http()) {
                headers.push("Content-Type", mime);
            }
            (u16::try_from(stored.status).ok().filter(|status| *status > 0).unwrap_or(200), headers, 0)
        }
    };
    let omitted = record.omitted;
    let body = ArchivedBody::Memory(record.block, start);
    (ArchivedAnswer { id: stored.id, url: stored.url.clone(), date: stored.date, status, headers, body }, omitted)
}
