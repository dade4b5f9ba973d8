//! Holds whole files against the standard.
//!
//! In: files, one after the other. Out: what each holds and what is wrong
//! with it; at the end, what only shows when all are known: segments that do
//! not make a record, revisits of which the original is nowhere.
//!
//! [`Severity`] tells errors from warnings: a problem of a kind always has the
//! same one.

mod alone;
mod fields;
mod layout;

use super::record::ProblemList;
use super::segments::{AllSeries, SegmentSeries};
use super::{
    ArchiveReader, Packing, Problem, ProblemKind, RecordHead, RecordProof, RecordType, Severity, Visit, WarcError,
    read_file_in_parallel, reading_threads,
};
use crate::jobs::JobCx;
use alone::{Checked, Wanted, check_record};
use std::collections::{BTreeMap, HashMap};
use std::hash::RandomState;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Problems of a file that are listed; further ones are counted.
pub(super) const MAX_PROBLEMS: usize = 100_000;

/// What a file holds and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// How the file is packed; none where it could not be told.
    pub packing: Option<Packing>,
    /// Whole records by type.
    pub records: BTreeMap<String, u64>,
    /// Records with digests that were held against their bytes.
    pub digests_checked: u64,
    /// Records that say by `WARC-Truncated` that their writer cut them.
    pub truncated: BTreeMap<String, u64>,
    /// What is wrong, in the order it stands; beyond 100,000 problems, how many
    /// there are.
    pub problems: Vec<Problem>,
}

impl CheckReport {
    /// All whole records.
    pub fn total(&self) -> u64 {
        self.records.values().sum()
    }

    /// Problems of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.problems.iter().filter(|problem| problem.kind.severity() == severity).count()
    }
}

/// Reads a whole file by itself: structure, fields and, where `digests`, every digest.
///
/// Stops early, with what was found so far, when `cx` asks for it.
pub fn check_file(path: &Path, digests: bool, cx: &JobCx) -> Result<CheckReport, WarcError> {
    Checker::new(digests).check(path, cx)
}

/// As [`check_file`], from any source, with one thread; `path` stands in messages.
pub fn check_reader<R: Read>(
    mut reader: ArchiveReader<R>,
    path: &Path,
    digests: bool,
    cx: &JobCx,
) -> Result<CheckReport, WarcError> {
    let io = |source| WarcError::Io { path: path.to_owned(), source };
    let mut checker = Checker::new(digests);
    let mut file = FileCheck::new(path, reader.packing());
    while let Some(head) = reader.next_head()? {
        let value = check_record(&head, &mut reader, digests, &checker.hasher).map_err(io)?;
        let span = reader.finish_record()?;
        checker.add(&mut file, Visit::of_ended(&mut reader, value, span));
        cx.set_done(file.read_to);
        if cx.checkpoint().is_err() {
            break;
        }
    }
    Ok(file.finish(reader.take_problems()))
}

/// A file while it is checked.
struct FileCheck<'a> {
    path: &'a Path,
    report: CheckReport,
    problems: ProblemList,
    /// Offset in the file up to which it has been read.
    read_to: u64,
    /// Hashes of the record ids, and where each stands first.
    ids: HashMap<u64, u64>,
}

impl<'a> FileCheck<'a> {
    fn new(path: &'a Path, packing: Packing) -> Self {
        let report = CheckReport { packing: Some(packing), ..CheckReport::default() };
        Self { path, report, problems: ProblemList::new(MAX_PROBLEMS), read_to: 0, ids: HashMap::new() }
    }

    fn finish(mut self, last: Vec<Problem>) -> CheckReport {
        self.problems.extend(last);
        CheckReport { problems: self.problems.take(self.read_to), ..self.report }
    }
}

/// Checks files that belong together.
pub struct Checker {
    digests: bool,
    hasher: RandomState,
    /// Whatever a revisit may name as its original: ids, and URLs with dates, hashed.
    known: Vec<u64>,
    revisits: Vec<Revisit>,
    series: AllSeries,
    /// Heads of first segments, for the digest of the whole.
    first_heads: HashMap<String, RecordHead>,
}

/// A revisit that waits for its original.
struct Revisit {
    file: PathBuf,
    offset: u64,
    wanted: Wanted,
}

impl Checker {
    /// `digests`: hold every digest against its bytes.
    pub fn new(digests: bool) -> Self {
        Self {
            digests,
            hasher: RandomState::new(),
            known: Vec::new(),
            revisits: Vec::new(),
            series: AllSeries::new(),
            first_heads: HashMap::new(),
        }
    }

    /// Reads one file; what is wrong with it alone is in the report.
    ///
    /// Stops early, with what was found so far, when `cx` asks for it.
    pub fn check(&mut self, path: &Path, cx: &JobCx) -> Result<CheckReport, WarcError> {
        // A pipe cannot be looked into a second time.
        if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) && path.exists() {
            return check_reader(ArchiveReader::open(path)?, path, self.digests, cx);
        }
        let mut file = FileCheck::new(path, ArchiveReader::open(path)?.packing());
        let (digests, hasher) = (self.digests, self.hasher.clone());
        let last = read_file_in_parallel(
            path,
            reading_threads(),
            |head, block| check_record(head, block, digests, &hasher),
            |visit| {
                cx.set_done(visit.read_to);
                self.add(&mut file, visit);
                if cx.checkpoint().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        )?;
        Ok(file.finish(last))
    }

    /// Adds a record, which was cut off or damaged where it has no place.
    fn add(&mut self, file: &mut FileCheck, visit: Visit<Checked>) {
        let report = &mut file.report;
        file.read_to = visit.read_to;
        file.problems.extend(visit.problems);
        let Some(span) = visit.span else { return };
        let Checked { kind, findings: mut found, has_digests, truncated, id, place, wanted, segment } = visit.value;
        count(&mut report.records, kind.as_str());
        report.digests_checked += u64::from(has_digests);
        if let Some(note) = visit.gzip_note.filter(|_| !span.is_inside_member()) {
            found.extend(layout::findings(note, span));
        }
        if visit.members > 1 {
            let detail = format!("the record lies in {} compressed members", visit.members);
            found.push((ProblemKind::NotPerRecord, detail));
        }
        let offset = span.decoded_offset();
        if let Some(id) = id
            && let first = *file.ids.entry(id).or_insert(offset)
            && first != offset
        {
            let detail = format!("WARC-Record-ID is that of the record at offset {first}, too");
            found.push((ProblemKind::BadField, detail));
        }
        file.problems.extend(found.into_iter().map(|(kind, detail)| Problem { offset, kind, detail }));
        if let Some(reason) = truncated {
            count(&mut report.truncated, &reason);
        }
        if kind != RecordType::Revisit {
            self.known.extend(id.into_iter().chain(place));
        }
        self.revisits.extend(wanted.map(|wanted| Revisit { file: file.path.to_owned(), offset, wanted }));
        if let Some(part) = segment
            && let Some((origin, segment)) = part.at(file.path, span)
        {
            let origin = origin.to_owned();
            if segment.number == 1 {
                self.first_heads.insert(origin.clone(), part.head);
            }
            self.series.entry(origin).or_default().add(segment);
        }
    }

    /// What is wrong with the files together, told at the record concerned.
    pub fn finish(mut self, cx: &JobCx) -> Result<Vec<(PathBuf, Problem)>, WarcError> {
        let mut found = Vec::new();
        if !self.revisits.is_empty() {
            self.known.sort_unstable();
        }
        for Revisit { file, offset, wanted: Wanted { keys, names } } in &self.revisits {
            if !keys.iter().any(|key| self.known.binary_search(key).is_ok()) {
                let detail = format!("the record that the revisit names ({names}) is not in the files given");
                found.push((file.clone(), Problem { offset: *offset, kind: ProblemKind::NoOriginal, detail }));
            }
        }
        for (origin, series) in &self.series {
            let flaws = series.flaws();
            for (segment, detail) in &flaws {
                let (offset, detail) = (segment.span.decoded_offset(), detail.clone());
                found.push((segment.file.clone(), Problem { offset, kind: ProblemKind::Segments, detail }));
            }
            if flaws.is_empty() && self.digests && !cx.is_cancelled() {
                found.extend(self.whole_digest(origin, series)?);
            }
        }
        found.sort_by(|a, b| (&a.0, a.1.offset).cmp(&(&b.0, b.1.offset)));
        Ok(found)
    }

    /// Holds the payload digest of a whole segmented record against its parts joined.
    fn whole_digest(&self, origin: &str, series: &SegmentSeries) -> Result<Option<(PathBuf, Problem)>, WarcError> {
        let (Some(head), Some(first)) = (self.first_heads.get(origin), series.segments().next()) else {
            return Ok(None);
        };
        let mut proof = RecordProof::of_joined(head);
        if !proof.has_digests() {
            return Ok(None);
        }
        let joined = match series.joined() {
            Ok(joined) => joined,
            Err(error) => {
                let (offset, detail) = (first.span.decoded_offset(), format!("segments are not joined: {error}"));
                return Ok(Some((first.file.clone(), Problem { offset, kind: ProblemKind::Limit, detail })));
            }
        };
        feed(&mut proof, &mut BufReader::with_capacity(1 << 17, joined))
            .map_err(|source| WarcError::Io { path: first.file.clone(), source })?;
        Ok(proof.finish().pop().map(|detail| {
            let detail = format!("{detail} of all segments joined");
            let problem = Problem { offset: first.span.decoded_offset(), kind: ProblemKind::BadDigest, detail };
            (first.file.clone(), problem)
        }))
    }
}

fn count(counts: &mut BTreeMap<String, u64>, word: &str) {
    match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => _ = counts.insert(word.to_owned(), 1),
    }
}

fn feed(proof: &mut RecordProof, block: &mut dyn BufRead) -> std::io::Result<()> {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::{Digests, RecordBuilder, sha1_base32};

    const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);

    /// Checks files made of these bytes together; problems as `file@offset kind: detail`.
    fn problems(files: &[Vec<u8>]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let cx = JobCx::detached();
        let mut checker = Checker::new(true);
        let mut all: Vec<(PathBuf, Problem)> = Vec::new();
        for (number, bytes) in files.iter().enumerate() {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, bytes).unwrap();
            let report = checker.check(&path, &cx).unwrap();
            all.extend(report.problems.into_iter().map(|problem| (path.clone(), problem)));
        }
        all.extend(checker.finish(&cx).unwrap());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        all.iter().map(|(path, p)| format!("{}@{} {}: {}", name(path), p.offset, p.kind.words(), p.detail)).collect()
    }

    #[test]
    fn a_revisit_needs_its_original_in_one_of_the_files() {
        let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\n");
        let revisit = |id: &str, url: &str| {
            let original = (id, url, DATE);
            RecordBuilder::revisit("urn:test:2", DATE, url, "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", original)
                .compress(b"HTTP/1.1 200 OK\r\n\r\n")
        };
        assert_eq!(problems(&[page.clone(), revisit("", "http://a.pt/")]), [""; 0]);
        assert_eq!(problems(&[revisit("urn:test:1", "http://x.pt/"), page.clone()]), [""; 0]);
        // Any spelling of its URL names it.
        assert_eq!(problems(&[page.clone(), revisit("", "HTTP://A.pt:80#top")]), [""; 0]);
        let lonely = "1@0 original not here: the record that the revisit names (urn:test:9) is not in the files given";
        assert_eq!(problems(&[page, revisit("urn:test:9", "http://x.pt/")]), [lonely]);
    }

    #[test]
    fn a_hostile_head_does_not_flood_the_report() {
        let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(b"");
        let page = String::from_utf8(page).unwrap();
        // Broken lines, which reading tells, and fields that are no ids.
        let flood = "no colon\r\n".repeat(50_000) + &"WARC-Concurrent-To: x\r\n".repeat(10_000);
        let found = problems(&[page.replacen("Content-Type", &(flood + "Content-Type"), 1).into_bytes()]);
        assert_eq!(found.len(), 2 * 21);
        assert_eq!(found[20], "0@0 bad field: and 49980 more of this kind in this record");
        assert_eq!(found[41], "0@0 bad field: and 9980 more of this kind in this record");
    }

    #[test]
    fn segments_are_held_together() {
        let whole = b"HTTP/1.1 200 OK\r\n\r\nsegmented body";
        let payload = Digests::of_block(whole, true).payload;
        let first = |digest: &str| {
            RecordBuilder::response("urn:test:1", DATE, "http://a.pt/")
                .field("WARC-Segment-Number", "1")
                .field("WARC-Payload-Digest", digest)
                .compress(&whole[..25])
        };
        let rest = RecordBuilder::new(&RecordType::Continuation, "urn:test:2", DATE)
            .field("WARC-Target-URI", "http://a.pt/")
            .field("WARC-Segment-Number", "2")
            .reference("WARC-Segment-Origin-ID", "urn:test:1")
            .field("WARC-Segment-Total-Length", &whole.len().to_string())
            .compress(&whole[25..]);
        assert_eq!(problems(&[first(&payload), rest.clone()]), [""; 0]);
        assert_eq!(problems(&[[rest.clone(), first(&payload)].concat()]), [""; 0]);
        let part = sha1_base32(&whole[19..25]);
        let wrong = "0@0 wrong digest: WARC-Payload-Digest does not fit the payload of all segments joined";
        assert_eq!(problems(&[first(&part), rest.clone()]), [wrong]);
        let missing = "0@0 broken segments: the last segment is missing: none tells the whole length";
        assert_eq!(problems(&[first(&payload)]), [missing]);
        assert_eq!(problems(&[rest]), ["0@0 broken segments: segment 1 is missing before segment 2"]);
    }

    #[test]
    fn ids_are_not_given_twice() {
        let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").compress(b"");
        let twice = format!("0@{} bad field: WARC-Record-ID is that of the record at offset 0, too", page.len());
        assert_eq!(problems(&[[page.clone(), page.clone()].concat()]), [twice]);
        // A copy of a file is no fault.
        assert_eq!(problems(&[page.clone(), page]), [""; 0]);
    }

    #[test]
    fn records_and_members_go_together() {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write;
        let plain = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(&[b'x'; 500]);
        let member = |bytes: &[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let split = [member(&plain[..400]), member(&plain[400..600]), member(&plain[600..])].concat();
        assert_eq!(problems(&[split]), ["0@0 not compressed per record: the record lies in 3 compressed members"]);
        let told = "0@0 not compressed per record: records share a compressed member: to reach one, the file is read from its start";
        let other = RecordBuilder::response("urn:test:2", DATE, "http://a.pt/").plain(b"");
        assert_eq!(problems(&[member(&[plain, other].concat())]), [told]);
    }
}
