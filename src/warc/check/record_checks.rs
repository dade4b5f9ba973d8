//! Checks of a single record, made by the thread that reads it.
//!
//! Most records are fine: only what looking at the files together will need
//! is kept of them, hashed, and no copy of the head.

use super::super::filter::url_identity;
use super::super::findings::Findings;
use super::super::http::{parse_request_head, parse_response_head};
use super::super::read::clip;
use super::super::record::unbracket;
use super::super::segments::{Segment, origin_of, segment_of};
use super::super::{ProblemKind, RecordFacts, RecordHead, RecordProof, RecordType, Span};
use super::fields;
use crate::uri::CaptureDate;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// A record that was checked by itself.
pub(super) struct Checked {
    pub(super) kind: RecordType,
    pub(super) findings: Findings,
    pub(super) has_digests: bool,
    /// `WARC-Truncated`, in lower case and not longer than is shown.
    pub(super) truncated: Option<String>,
    /// Hash of its id.
    pub(super) id: Option<u64>,
    /// What it may be named by, where it can be the original of a revisit.
    pub(super) place: Option<u64>,
    /// What it names as its original.
    pub(super) original: Option<OriginalRef>,
    /// Which part it is of which record, where it is a segment.
    pub(super) segment: Option<Box<RecordPart>>,
}

/// The original that a revisit names.
pub(super) struct OriginalRef {
    /// Any of these will do.
    pub(super) keys: Vec<u64>,
    pub(super) names: String,
}

/// A part of a segmented record.
pub(super) struct RecordPart {
    /// Hash of the id of the whole record.
    pub(super) origin: u64,
    segment: Segment,
    /// Digest of the whole record, in its first segment.
    pub(super) whole: Option<Whole>,
}

/// Declared digest of a whole segmented record.
pub(super) struct Whole {
    pub(super) payload_digest: String,
    pub(super) is_http: bool,
    /// The first segment counts as one whose digests were checked already.
    pub(super) is_counted: bool,
}

/// No digest that is known takes more bytes of a field; longer ones are cut and
/// fit as little as before.
const MAX_DIGEST_FIELD: usize = 256;

/// Goes over a whole block.
pub(super) fn feed(proof: &mut RecordProof, block: &mut dyn BufRead) -> std::io::Result<()> {
    loop {
        let chunk = block.fill_buf()?;
        if chunk.is_empty() {
            return Ok(());
        }
        proof.update(chunk);
        let len = chunk.len();
        block.consume(len);
    }
}

impl RecordPart {
    fn of(head: &RecordHead, hasher: &RandomState) -> Option<Box<Self>> {
        head.headers.get_bytes("WARC-Segment-Number")?;
        let facts = RecordFacts::of(head, &[]);
        let origin = hasher.hash_one(("segments", origin_of(&facts)?));
        let segment = segment_of(Path::new(""), Span::default(), &facts, head)?;
        let whole = facts.payload_digest.filter(|_| segment.number == 1).map(|digest| Whole {
            payload_digest: digest.chars().take(MAX_DIGEST_FIELD).collect(),
            is_http: head.is_http(),
            is_counted: false,
        });
        Some(Box::new(Self { origin, segment, whole }))
    }

    /// The segment with its file and span.
    pub(super) fn at(self, path: &Path, span: Span) -> Segment {
        Segment { file: path.to_owned(), span, ..self.segment }
    }
}

/// Bytes that show whether a block is a message.
const BEGIN: usize = 4096;

/// What is missing in the block of a record that is declared as an HTTP message, which begins with these bytes.
fn lacks_http_head(head: &RecordHead, begin: &[u8]) -> Option<String> {
    let (lacks, what) = match head.record_type {
        _ if !head.is_http() => return None,
        RecordType::Response => (parse_response_head(begin).is_none(), "response"),
        RecordType::Revisit => (!begin.is_empty() && parse_response_head(begin).is_none(), "response"),
        RecordType::Request => (parse_request_head(begin).is_none(), "request"),
        _ => return None,
    };
    lacks.then(|| {
        format!("no HTTP {what} inside: the block does not begin with a line of one; it is taken as a payload")
    })
}

/// Looks at one record; `digests`: holds its digests against `block`.
pub(super) fn check_record(
    head: &RecordHead,
    block: &mut dyn BufRead,
    digests: bool,
    hasher: &RandomState,
) -> io::Result<Checked> {
    let mut findings = fields::findings(head);
    // The buffer may end within the first line.
    let mut begin = Vec::new();
    if head.is_http() {
        (&mut *block).take(BEGIN as u64).read_to_end(&mut begin)?;
    }
    if let Some(why) = lacks_http_head(head, &begin) {
        findings.push((ProblemKind::BadHttp, why));
    }
    let block = &mut begin.as_slice().chain(block);
    let proof = digests.then(|| RecordProof::new(head));
    let unknown = proof.iter().flat_map(RecordProof::unknown).collect::<Vec<_>>();
    findings.extend(unknown.into_iter().map(|detail| (ProblemKind::Unchecked, detail)));
    let proof = proof.filter(RecordProof::has_digests);
    let has_digests = proof.is_some();
    if let Some(mut proof) = proof {
        feed(&mut proof, block)?;
        findings.extend(proof.finish().into_iter().map(|detail| (ProblemKind::BadDigest, detail)));
    }
    let text = |name: &str| head.headers.get_trimmed(name);
    let of_id = |id: &str| hasher.hash_one(("id", unbracket(id)));
    // Dates of revisits are often cut to the second.
    let of_place = |url: &str, date: CaptureDate| hasher.hash_one(("place", url_identity(url), date.seconds()));
    let is_revisit = head.record_type == RecordType::Revisit;
    let original = || {
        let (id, url) = (text("WARC-Refers-To"), text("WARC-Refers-To-Target-URI"));
        let date = text("WARC-Refers-To-Date").and_then(|date| CaptureDate::parse(&date).ok());
        let mut keys: Vec<u64> = id.iter().map(|id| of_id(id)).collect();
        keys.extend(url.as_deref().zip(date).map(|(url, date)| of_place(unbracket(url), date)));
        let names = id.or(url).map(|name| clip(unbracket(&name))).unwrap_or_default();
        (!keys.is_empty()).then_some(OriginalRef { keys, names })
    };
    Ok(Checked {
        kind: head.record_type.clone(),
        findings,
        has_digests,
        truncated: text("WARC-Truncated").map(|reason| clip(&reason.to_ascii_lowercase())),
        id: text("WARC-Record-ID").map(|id| of_id(&id)),
        place: head.target_uri().zip(head.date()).filter(|_| !is_revisit).map(|(url, date)| of_place(&url, date)),
        original: if is_revisit { original() } else { None },
        segment: RecordPart::of(head, hasher),
    })
}
