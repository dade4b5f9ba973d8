//! Holds a whole file against the standard.

use super::{ArchiveReader, Problem, ProblemKind, RecordHead, RecordProof, RecordType, WarcError};
use crate::jobs::JobCx;
use std::collections::BTreeMap;
use std::io::{BufRead, Read};
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
}

/// Reads the whole file: structure, fields and, where `digests`, every digest.
///
/// Stops early, with what was found so far, when `cx` asks for it.
pub fn check_file(path: &Path, digests: bool, cx: &JobCx) -> Result<CheckReport, WarcError> {
    check_reader(ArchiveReader::open(path)?, path, digests, cx)
}

/// As [`check_file`], from any source; `path` stands in messages.
pub fn check_reader<R: Read>(
    mut reader: ArchiveReader<R>,
    path: &Path,
    digests: bool,
    cx: &JobCx,
) -> Result<CheckReport, WarcError> {
    let mut report = CheckReport::default();
    while let Some(head) = reader.next_head()? {
        let mut proof = digests.then(|| RecordProof::new(&head));
        if let Some(proof) = proof.as_mut().filter(|proof| proof.has_digests()) {
            loop {
                let chunk = reader.fill_buf().map_err(|source| WarcError::Io { path: path.to_owned(), source })?;
                if chunk.is_empty() {
                    break;
                }
                proof.update(chunk);
                let len = chunk.len();
                reader.consume(len);
            }
        }
        let span = reader.finish_record()?;
        report.problems.append(&mut reader.take_problems());
        if let Some(span) = span {
            *report.records.entry(head.record_type.to_string()).or_default() += 1;
            let offset = span.decoded_offset();
            let field = |detail| Problem { offset, kind: ProblemKind::BadField, detail };
            report.problems.extend(oddities(&head).into_iter().map(field));
            if let Some(proof) = proof {
                report.digests_checked += u64::from(proof.has_digests());
                report.problems.extend(proof.unknown().iter().cloned().map(field));
                let digest = |detail| Problem { offset, kind: ProblemKind::BadDigest, detail };
                report.problems.extend(proof.finish().into_iter().map(digest));
            }
        }
        cx.set_done(reader.file_offset());
        if cx.checkpoint().is_err() {
            break;
        }
    }
    report.problems.append(&mut reader.take_problems());
    Ok(report)
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
    if let Some(uri) = head.headers.get("WARC-Target-URI") {
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
