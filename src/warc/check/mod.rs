//! Checks whole files against the standard.
//!
//! In: files, one after the other. Out: what each holds, and what is wrong
//! with it as it is found; at the end, what only shows when all are known:
//! segments that do not make a record, revisits of which the original is
//! nowhere.
//!
//! Invariant: no problem is kept. What is kept of a record is hashed: 16 bytes
//! for what a revisit may name it by, as much for its id while its file is
//! read, 40 bytes of a revisit.
//!
//! [`Severity`] separates errors and warnings: a problem of a kind always has the same one.

mod fields;
mod layout;
mod record_checks;
mod revisits;

use super::read::clip;
use super::segments::{Reach, SegmentSeries};
use super::{
    ArchiveReader, Compression, Problem, ProblemKind, RecordProof, RecordType, Severity, Visit, WarcError,
    format_offset, read_file_in_parallel, reading_threads,
};
use crate::jobs::JobCx;
use problem_sink::ProblemSink;
use record_checks::{Checked, Whole, check_record, feed};
use revisits::Revisits;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::RandomState;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Types of records, and reasons why they were cut, that are counted separately; further ones count as
/// “other”.
const MAX_DISTINCT: usize = 1000;

/// Counts of the records and problems of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// How the file is compressed; none where that is not known.
    pub compression: Option<Compression>,
    /// Whole records by type; beyond 1,000 types as “other”.
    pub records: BTreeMap<String, u64>,
    /// Records with digests that were compared with their bytes.
    pub digests_checked: u64,
    /// Records that their writer cut, by the reason in `WARC-Truncated`; beyond 1,000 reasons as “other”.
    pub truncated: BTreeMap<String, u64>,
    /// How many problems of each kind there are.
    pub found: BTreeMap<ProblemKind, u64>,
}

impl CheckReport {
    /// Number of whole records.
    pub fn total(&self) -> u64 {
        self.records.values().sum()
    }

    /// Problems of this severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.found.iter().filter(|(kind, _)| kind.severity() == severity).map(|(_, count)| count).sum()
    }
}

/// Reads a whole file by itself: structure, fields and, where `digests`, every digest. Problems come in file
/// order; beyond 100,000 they are counted.
///
/// Stops early, with what was found so far, when `cx` is cancelled.
pub fn check_file(path: &Path, digests: bool, cx: &JobCx) -> Result<(CheckReport, Vec<Problem>), WarcError> {
    let mut problems = Vec::new();
    let report = Checker::new(digests).check(path, cx, &mut |problem| {
        problems.push(problem);
        ControlFlow::Continue(())
    })?;
    Ok((report, problems))
}

/// As [`Checker::check`], one file from any source, with one thread; messages name it `path`.
pub fn check_reader<R: Read>(
    reader: ArchiveReader<R>,
    path: &Path,
    digests: bool,
    cx: &JobCx,
    on_problem: &mut dyn FnMut(Problem) -> ControlFlow<()>,
) -> Result<CheckReport, WarcError> {
    Checker::new(digests).check_reader(reader, path, cx, on_problem)
}

/// A file while it is checked.
struct FileCheck<'a> {
    path: &'a Path,
    /// Its number among the files.
    number: usize,
    report: CheckReport,
    sink: ProblemSink<'a>,
    /// Offset in the file up to which it has been read.
    read_to: u64,
    /// Hashes of the record ids, and the first offset of each.
    ids: HashMap<u64, u64>,
}

impl FileCheck<'_> {
    fn finish(mut self, last: Vec<Problem>) -> CheckReport {
        self.sink.extend(last);
        CheckReport { found: self.sink.finish(self.read_to), ..self.report }
    }
}

/// Checks files that belong together.
pub struct Checker {
    digests: bool,
    hasher: RandomState,
    /// Whatever a revisit may name as its original: ids, and URLs with dates, hashed.
    known: Vec<u64>,
    revisits: Revisits,
    /// By their numbers.
    files: Vec<PathBuf>,
    /// All segmented records that were met, by the hash of their origin's id.
    series: HashMap<u64, SegmentSeries>,
    /// The same, by the hash of their own ids.
    segments: HashSet<u64>,
    /// Digests of whole records, in their first segments.
    wholes: HashMap<u64, Whole>,
    reach: Reach,
}

impl Checker {
    /// `digests`: hold every digest against its bytes.
    pub fn new(digests: bool) -> Self {
        Self {
            digests,
            hasher: RandomState::new(),
            known: Vec::new(),
            revisits: Revisits::default(),
            files: Vec::new(),
            series: HashMap::new(),
            segments: HashSet::new(),
            wholes: HashMap::new(),
            reach: Reach::default(),
        }
    }

    /// Reads one file. Its own problems are reported as they are found, in file order; beyond 100,000 they
    /// are counted.
    ///
    /// Stops early, with what was found so far, when `cx` is cancelled or `on_problem` breaks.
    pub fn check(
        &mut self,
        path: &Path,
        cx: &JobCx,
        on_problem: &mut dyn FnMut(Problem) -> ControlFlow<()>,
    ) -> Result<CheckReport, WarcError> {
        if is_pipe(path) {
            return self.check_reader(ArchiveReader::open(path)?, path, cx, on_problem);
        }
        let mut file = self.begin(path, ArchiveReader::open(path)?.compression(), on_problem);
        let mut added = Ok(());
        let (digests, hasher) = (self.digests, self.hasher.clone());
        let last = read_file_in_parallel(
            path,
            reading_threads(),
            cx,
            |head, block| check_record(head, block, digests, &hasher),
            |visit| {
                cx.set_done(visit.read_to);
                added = self.add(&mut file, visit);
                if added.is_ok() && cx.checkpoint().is_ok() { file.sink.flow() } else { ControlFlow::Break(()) }
            },
        )?;
        added?;
        Ok(file.finish(last))
    }

    fn begin<'a>(
        &mut self,
        path: &'a Path,
        compression: Compression,
        on_problem: &'a mut dyn FnMut(Problem) -> ControlFlow<()>,
    ) -> FileCheck<'a> {
        self.files.push(path.to_owned());
        let report = CheckReport { compression: Some(compression), ..CheckReport::default() };
        let number = self.files.len() - 1;
        FileCheck { path, number, report, sink: ProblemSink::new(on_problem), read_to: 0, ids: HashMap::new() }
    }

    /// As [`check`](Self::check), from any source, with one thread.
    fn check_reader<R: Read>(
        &mut self,
        reader: ArchiveReader<R>,
        path: &Path,
        cx: &JobCx,
        on_problem: &mut dyn FnMut(Problem) -> ControlFlow<()>,
    ) -> Result<CheckReport, WarcError> {
        let mut reader = reader.stopped_by(cx);
        let mut file = self.begin(path, reader.compression(), on_problem);
        loop {
            match self.check_next(&mut reader, &mut file) {
                Ok(true) => cx.set_done(file.read_to),
                // What fails on request is no failure.
                Err(error) if !cx.is_cancelled() => return Err(error),
                Ok(false) | Err(_) => break,
            }
            if cx.checkpoint().is_err() || file.sink.flow().is_break() {
                break;
            }
        }
        Ok(file.finish(reader.take_problems()))
    }

    /// Checks the next record; `false` where there is none.
    fn check_next<R: Read>(
        &mut self,
        reader: &mut ArchiveReader<R>,
        file: &mut FileCheck<'_>,
    ) -> Result<bool, WarcError> {
        let Some(head) = reader.next_head()? else { return Ok(false) };
        let value = check_record(&head, reader, self.digests, &self.hasher)
            .map_err(|source| WarcError::Io { path: file.path.to_owned(), source })?;
        let span = reader.finish_record()?;
        self.add(file, Visit::of_ended(reader, value, span))?;
        Ok(true)
    }

    /// Adds a record, which was cut off or damaged where it has no place.
    fn add(&mut self, file: &mut FileCheck, visit: Visit<Checked>) -> Result<(), WarcError> {
        let report = &mut file.report;
        file.read_to = visit.read_to;
        file.sink.extend(visit.problems);
        let Some(span) = visit.span else { return Ok(()) };
        let Checked { kind, findings: mut found, has_digests, truncated, id, place, original, segment } = visit.value;
        count(&mut report.records, kind.as_str());
        report.digests_checked += u64::from(has_digests);
        if let Some(note) = visit.gzip_note.filter(|_| !span.is_inside_member()) {
            found.extend(layout::findings(note, span));
        }
        if visit.members > 1 {
            let detail = format!("the record lies in {} compressed members", visit.members);
            found.push((ProblemKind::NotPerRecord, detail));
        }
        let offset = span.offset;
        if let Some(id) = id
            && let first = *file.ids.entry(id).or_insert(offset)
            && first != offset
        {
            let detail = format!("WARC-Record-ID is that of the record at offset {}, too", format_offset(first));
            found.push((ProblemKind::BadField, detail));
        }
        file.sink.extend(found.into_problems(offset).map(|problem| problem.in_member(visit.member)));
        if let Some(reason) = truncated {
            count(&mut report.truncated, &reason);
        }
        if kind != RecordType::Revisit {
            self.known.extend(id.into_iter().chain(place));
        }
        if let Some(original) = original {
            self.revisits.add(file.number, offset, &original)?;
        }
        if let Some(mut part) = segment {
            let origin = part.origin;
            // A copy of a file is no fault.
            if id.is_some_and(|id| !self.segments.insert(id)) {
                return Ok(());
            }
            if let Some(whole) = part.whole.take() {
                self.wholes.insert(origin, Whole { is_counted: has_digests, ..whole });
            }
            self.series.entry(origin).or_default().add(part.at(file.path, span));
        }
        Ok(())
    }

    /// Reports the problems of the files together, in the order of their names, at the record concerned;
    /// until `on_problem` breaks.
    ///
    /// Returns the records in segments of which no segment has a digest of its own but the whole has one,
    /// which was checked: the file that each begins in.
    pub fn finish(
        mut self,
        cx: &JobCx,
        mut on_problem: impl FnMut(&Path, Problem) -> ControlFlow<()>,
    ) -> Result<Vec<PathBuf>, WarcError> {
        let (mut found, mut joined) = (Vec::new(), Vec::new());
        // In file order, so that the budget for reading them again is spent in the same way each time.
        let mut series: Vec<_> = self.series.into_iter().collect();
        series.sort_by(|(_, a), (_, b)| {
            let place =
                |series: &SegmentSeries| series.segments().next().map(|s| (s.file.clone(), s.span.decoded_offset()));
            place(a).cmp(&place(b))
        });
        let mut unjoined: Option<(PathBuf, Problem)> = None;
        for (origin, series) in &series {
            let flaws = series.flaws();
            for (segment, detail) in &flaws {
                found.push((segment.file.clone(), Problem::new(segment.span.offset, ProblemKind::Segments, detail)));
            }
            let Some(whole) = self.wholes.get(origin).filter(|_| flaws.is_empty() && self.digests) else { continue };
            if cx.is_cancelled() {
                break;
            }
            let Some((file, problem)) = whole_digest(whole, series, &mut self.reach, cx)? else { continue };
            let is_checked = problem.as_ref().is_none_or(|problem| problem.kind == ProblemKind::BadDigest);
            joined.extend((is_checked && !whole.is_counted).then(|| file.clone()));
            match (problem.map(|problem| (file, problem)), &mut unjoined) {
                (Some((_, problem)), Some((_, first))) if problem.kind == ProblemKind::Limit => first.count += 1,
                (problem @ Some((_, Problem { kind: ProblemKind::Limit, .. })), none) => *none = problem,
                (problem, _) => found.extend(problem),
            }
        }
        found.extend(unjoined.map(|(file, mut problem)| {
            if let more @ 1.. = problem.count - 1 {
                problem.detail.push_str(&format!("; nor those of {more} further records"));
            }
            (file, problem)
        }));
        found.sort_by(|a, b| (&a.0, a.1.offset).cmp(&(&b.0, b.1.offset)));
        let mut found = found.into_iter().peekable();
        self.known.sort_unstable();
        let flow = self.revisits.report_unmatched(&self.files, &self.known, |file, problem| {
            let is_before = |(of, other): &(PathBuf, Problem)| (of.as_path(), other.offset) < (file, problem.offset);
            while let Some((of, other)) = found.next_if(is_before) {
                on_problem(&of, other)?;
            }
            on_problem(file, problem)
        })?;
        if flow.is_continue() {
            let _ = found.try_for_each(|(file, problem)| on_problem(&file, problem));
        }
        Ok(joined)
    }
}

/// Checks the payload digest of a segmented record against its joined segments: the file it begins in, and
/// what is wrong. None where there is no digest, or `Cancelled`.
fn whole_digest(
    whole: &Whole,
    series: &SegmentSeries,
    reach: &mut Reach,
    cx: &JobCx,
) -> Result<Option<(PathBuf, Option<Problem>)>, WarcError> {
    let mut proof = RecordProof::of_joined(&whole.payload_digest, whole.is_http);
    let Some(first) = series.segments().next().filter(|_| proof.has_digests()) else { return Ok(None) };
    let problem =
        |kind, detail: String| Some((first.file.clone(), Some(Problem::new(first.span.offset, kind, detail))));
    if let Some(segment) = series.segments().find(|segment| is_pipe(&segment.file)) {
        let why = "which cannot be read a second time";
        let detail =
            format!("WARC-Payload-Digest: segment {} comes from {}, {why}", segment.number, segment.file.display());
        return Ok(problem(ProblemKind::Unchecked, detail));
    }
    let joined = match series.joined_within(reach, cx) {
        Ok(joined) => joined,
        Err(error) => return Ok(problem(ProblemKind::Limit, format!("segments are not joined: {error}"))),
    };
    match feed(&mut proof, &mut BufReader::with_capacity(1 << 17, joined)) {
        Err(_) if cx.is_cancelled() => return Ok(None),
        fed => fed.map_err(|source| WarcError::Io { path: first.file.clone(), source })?,
    }
    let wrong = proof.finish().pop();
    Ok(match wrong {
        Some(detail) => problem(ProblemKind::BadDigest, format!("{detail} of all segments joined")),
        None => Some((first.file.clone(), None)),
    })
}

/// Whether the file cannot be read a second time.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| !meta.is_file())
}

/// Counts a name from an untrusted file.
fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count += 1;
        return;
    }
    let name = if counts.len() < MAX_DISTINCT { clip(name) } else { "other".to_owned() };
    *counts.entry(name).or_default() += 1;
}

mod problem_sink;
#[cfg(test)]
mod tests;
