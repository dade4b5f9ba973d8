//! Holds a whole file against the standard.

use super::{
    ArchiveReader, Problem, ProblemKind, RecordHead, RecordProof, RecordType, Span, WarcError, read_file_in_parallel,
    reading_threads,
};
use crate::jobs::JobCx;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::path::Path;

/// What a file holds and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Whole records by type.
    pub records: BTreeMap<String, u64>,
    /// Records with digests that were held against their bytes.
    pub digests_checked: u64,
    /// What is wrong, in the order it stands.
    pub problems: Vec<Problem>,
}

impl CheckReport {
    /// All whole records.
    pub fn total(&self) -> u64 {
        self.records.values().sum()
    }

    /// Adds a record, which was cut off or damaged where it has no place.
    fn add(&mut self, checked: Checked, span: Option<Span>, problems: Vec<Problem>) {
        self.problems.extend(problems);
        let Some(span) = span else { return };
        *self.records.entry(checked.record_type.to_string()).or_default() += 1;
        self.digests_checked += u64::from(checked.has_digests);
        let problem = |kind| move |detail| Problem { offset: span.decoded_offset(), kind, detail };
        self.problems.extend(checked.odd_fields.into_iter().map(problem(ProblemKind::BadField)));
        self.problems.extend(checked.wrong_digests.into_iter().map(problem(ProblemKind::BadDigest)));
    }
}

/// What was found of one record.
struct Checked {
    record_type: RecordType,
    odd_fields: Vec<String>,
    has_digests: bool,
    wrong_digests: Vec<String>,
}

/// Reads the whole file: structure, fields and, where `digests`, every digest.
///
/// Stops early, with what was found so far, when `cx` asks for it.
pub fn check_file(path: &Path, digests: bool, cx: &JobCx) -> Result<CheckReport, WarcError> {
    let mut report = CheckReport::default();
    let last = read_file_in_parallel(
        path,
        reading_threads(),
        |head, block| check_record(head, block, digests),
        |visit| {
            report.add(visit.value, visit.span, visit.problems);
            cx.set_done(visit.read_to);
            if cx.checkpoint().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    report.problems.extend(last);
    Ok(report)
}

/// As [`check_file`], from any source, with one thread; `path` stands in messages.
pub fn check_reader<R: Read>(
    mut reader: ArchiveReader<R>,
    path: &Path,
    digests: bool,
    cx: &JobCx,
) -> Result<CheckReport, WarcError> {
    let mut report = CheckReport::default();
    while let Some(head) = reader.next_head()? {
        let checked = check_record(&head, &mut reader, digests)
            .map_err(|source| WarcError::Io { path: path.to_owned(), source })?;
        let span = reader.finish_record()?;
        report.add(checked, span, reader.take_problems());
        cx.set_done(reader.file_offset());
        if cx.checkpoint().is_err() {
            break;
        }
    }
    report.problems.extend(reader.take_problems());
    Ok(report)
}

fn check_record(head: &RecordHead, block: &mut dyn BufRead, digests: bool) -> io::Result<Checked> {
    let mut odd_fields = oddities(head);
    let proof = digests.then(|| RecordProof::new(head));
    odd_fields.extend(proof.iter().flat_map(|proof| proof.unknown().iter().cloned()));
    let Some(mut proof) = proof.filter(RecordProof::has_digests) else {
        let record_type = head.record_type.clone();
        return Ok(Checked { record_type, odd_fields, has_digests: false, wrong_digests: Vec::new() });
    };
    loop {
        let chunk = block.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        proof.update(chunk);
        let len = chunk.len();
        block.consume(len);
    }
    let record_type = head.record_type.clone();
    Ok(Checked { record_type, odd_fields, has_digests: true, wrong_digests: proof.finish() })
}

/// Fields that the standard asks of this type of record, beyond those that
/// reading needs.
fn oddities(head: &RecordHead) -> Vec<String> {
    let mut odd = Vec::new();
    if head.is_arc() {
        return odd;
    }
    let has = |name: &str| head.headers.get_bytes(name).is_some_and(|value| !value.is_empty());
    let needs_target = matches!(
        head.record_type,
        RecordType::Response
            | RecordType::Resource
            | RecordType::Request
            | RecordType::Revisit
            | RecordType::Conversion
            | RecordType::Continuation
    );
    if needs_target && !has("WARC-Target-URI") {
        odd.push(format!("a {} record needs WARC-Target-URI", head.record_type));
    }
    if let Some(uri) = head.headers.get_text("WARC-Target-URI") {
        if uri.contains(' ') {
            odd.push("WARC-Target-URI holds a blank".to_owned());
        }
        if uri.starts_with('<') {
            odd.push("WARC-Target-URI stands in angle brackets".to_owned());
        }
    }
    if head.record_type == RecordType::Revisit && !has("WARC-Profile") {
        odd.push("a revisit record needs WARC-Profile".to_owned());
    }
    if head.record_type == RecordType::Continuation {
        for name in ["WARC-Segment-Origin-ID", "WARC-Segment-Number"] {
            if !has(name) {
                odd.push(format!("a continuation record needs {name}"));
            }
        }
        if head.headers.get("WARC-Segment-Number").is_some_and(|number| number.trim() == "1") {
            odd.push("a continuation record cannot be segment 1".to_owned());
        }
    }
    if head.content_length > 0 && !has("Content-Type") && head.record_type != RecordType::Continuation {
        odd.push("Content-Type is missing".to_owned());
    }
    odd
}
