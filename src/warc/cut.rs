//! Copies chosen records of a file into a file of their own.
//!
//! The bytes of records do not change: a compressed member is copied as it
//! is. Only where records share a member (or need a zstd dictionary that does
//! not begin the file), each gets a gzip member of its own. The
//! `warcinfo` record that describes a chosen record comes with it.
//!
//! Two passes: the first chooses, the second copies, so that a damaged record
//! is known before a byte of it is written (a pipe cannot be set back).

use super::read::leading_dictionary_frame;
use super::recompress::pack_record;
use super::{ArchiveReader, Compression, Problem, RecordFacts, RecordFilter, RecordType, Span, WarcError, copy_span};
use crate::jobs::{Cancelled, JobCx};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;

/// A choice of records for [`choose`].
#[derive(Debug, Clone, Default)]
pub struct Cut {
    /// What they have to be like.
    pub filter: RecordFilter,
    /// So many of those that the filter takes are passed over.
    pub skip: u64,
    /// At most so many are taken.
    pub most: Option<u64>,
    /// Those that belong to them come too: request, response, metadata of the
    /// same capture, the original of a revisit, the segments of a record.
    pub with_related: bool,
}

/// Counts and problems of a cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutReport {
    /// Records that the filter took.
    pub chosen: u64,
    /// Records that came with them.
    pub related: u64,
    /// `warcinfo` records in front of them.
    pub infos: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Chosen records that are damaged and were left out, by their offset.
    pub left_out: Vec<u64>,
    /// What is odd or broken in the file.
    pub problems: Vec<Problem>,
}

/// A cut came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// Reading failed.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// Writing failed.
    #[error("the output cannot be written: {0}")]
    Out(#[source] std::io::Error),
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Data of a record that the first pass keeps. Ids are kept as hashes: a file may have millions.
struct Row {
    span: Span,
    is_arc: bool,
    is_info: bool,
    taken: bool,
    id: Option<u64>,
    /// Hash of URL and date, which identify a capture where records have no ids.
    capture: Option<u64>,
    points_to: Vec<u64>,
    /// The original of a revisit, by id or by URL and date.
    original: Vec<u64>,
}

/// The records of a file that a [`Cut`] takes, before anything is written.
pub struct Chosen {
    rows: Vec<Row>,
    compression: Compression,
    /// What is known so far; bytes are counted when they are written.
    pub report: CutReport,
}

/// The first pass: reads the file and chooses.
pub fn choose(path: &Path, cut: &Cut, cx: &JobCx) -> Result<Chosen, CutError> {
    cx.or_cancelled(choose_until(path, cut, cx))
}

fn choose_until(path: &Path, cut: &Cut, cx: &JobCx) -> Result<Chosen, CutError> {
    let hasher = RandomState::new();
    let mut reader = ArchiveReader::open(path)?.stopped_by(cx);
    let mut report = CutReport::default();
    let mut rows: Vec<Row> = Vec::new();
    let mut matched = 0;
    while let Some(head) = reader.next_head()? {
        let facts = RecordFacts::read(&head, &mut reader, cut.filter.needs_http_head())
            .map_err(|source| WarcError::Io { path: path.to_owned(), source })?;
        let span = reader.finish_record()?;
        let place = span.unwrap_or(Span { offset: reader.record_offset(), length: 0 });
        report.problems.append(&mut reader.take_problems());
        let accepted = cut.filter.accepts(&facts, place);
        matched += u64::from(accepted);
        let taken = accepted && matched > cut.skip && cut.most.is_none_or(|most| report.chosen < most);
        match span {
            Some(span) => {
                report.chosen += u64::from(taken);
                rows.push(row(&facts, span, head.is_arc(), taken, &hasher));
            }
            None if taken => report.left_out.push(reader.record_offset()),
            None => {}
        }
        cx.set_done(reader.file_offset());
        cx.checkpoint()?;
    }
    report.problems.append(&mut reader.take_problems());
    if cut.with_related {
        report.related = relate(&mut rows);
    }
    report.infos = add_infos(&mut rows);
    Ok(Chosen { rows, compression: reader.compression(), report })
}

fn row(facts: &RecordFacts, span: Span, is_arc: bool, taken: bool, hasher: &RandomState) -> Row {
    let of_id = |id: &String| hasher.hash_one(("id", id));
    let of_capture = |url: &str, date: &str| hasher.hash_one(("capture", url, date));
    let is_info = facts.record_type == RecordType::Warcinfo;
    let is_revisit = facts.record_type == RecordType::Revisit;
    let mut points_to: Vec<u64> = facts.concurrent_to.iter().map(of_id).collect();
    points_to.extend(facts.segment_origin.as_ref().map(of_id));
    let refers_to = facts.refers_to.as_ref().map(of_id);
    let mut original = Vec::new();
    match is_revisit {
        true => {
            original.extend(refers_to);
            let place = facts.refers_to_url.as_ref().zip(facts.refers_to_date.as_ref());
            original.extend(place.map(|(url, date)| of_capture(url, date)));
        }
        false => points_to.extend(refers_to),
    }
    Row {
        span,
        is_arc,
        is_info,
        taken,
        id: facts.record_id.as_ref().map(of_id),
        capture: facts.url.as_ref().zip(facts.date_text.as_ref()).map(|(url, date)| of_capture(url, date)),
        points_to,
        original,
    }
}

/// Takes the records that belong to those taken; returns how many.
fn relate(rows: &mut [Row]) -> u64 {
    let mut reached: HashSet<u64> = HashSet::new();
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_info) {
        for key in row.id.iter().chain(&row.capture).chain(&row.points_to) {
            by_key.entry(*key).or_default().push(number);
        }
    }
    let mut open: Vec<usize> = (0..rows.len()).filter(|&number| rows[number].taken && !rows[number].is_info).collect();
    let mut related = 0;
    while let Some(number) = open.pop() {
        let row = &rows[number];
        let keys: Vec<u64> =
            row.id.iter().chain(&row.capture).chain(&row.points_to).chain(&row.original).copied().collect();
        for key in keys {
            if !reached.insert(key) {
                continue;
            }
            for &other in by_key.get(&key).into_iter().flatten() {
                if !rows[other].taken {
                    rows[other].taken = true;
                    related += 1;
                    open.push(other);
                }
            }
        }
    }
    related
}

/// Takes the nearest `warcinfo` record before each record taken.
fn add_infos(rows: &mut [Row]) -> u64 {
    let mut infos = 0;
    let mut info = None;
    for number in 0..rows.len() {
        if rows[number].is_info {
            info = Some(number);
        } else if rows[number].taken
            && let Some(info) = info
            && !rows[info].taken
        {
            rows[info].taken = true;
            infos += 1;
        }
    }
    infos
}

impl Chosen {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.report.chosen == 0
    }

    /// The second pass: copies the chosen records, in the order of the file.
    pub fn write(mut self, path: &Path, out: &mut dyn Write, cx: &JobCx) -> Result<CutReport, CutError> {
        let mut out = Counted { out, bytes: 0, failed: None };
        let result = cx.or_cancelled(self.copy(path, &mut out, cx));
        self.report.bytes = out.bytes;
        match (out.failed, result) {
            // The reader of a pipe has had enough: that is no fault of the archive file.
            (Some(error), _) => Err(CutError::Out(error)),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Ok(self.report),
        }
    }

    fn copy(&self, path: &Path, out: &mut Counted, cx: &JobCx) -> Result<(), CutError> {
        let io = |source| WarcError::Io { path: path.to_owned(), source };
        let taken = || self.rows.iter().filter(|row| row.taken).map(|row| (row.span, row.is_arc));
        let mut spans = taken().peekable();
        // Records without a place of their own become gzip members, and those
        // of zstd do not go with them in one file.
        let as_they_are = self.compression != Compression::Zstd || taken().all(|(span, _)| !span.is_inside_member());
        if self.compression == Compression::Zstd
            && as_they_are
            && let Some(dictionary) = leading_dictionary_frame(path).map_err(io)?
        {
            out.write_all(&dictionary).map_err(CutError::Out)?;
        }
        // Records with a place of their own are copied as they are.
        while let Some((span, _)) = spans.next_if(|(span, _)| as_they_are && !span.is_inside_member()) {
            copy_span(path, span, out)?;
            cx.checkpoint()?;
        }
        if spans.peek().is_none() {
            return Ok(());
        }
        let mut reader = ArchiveReader::open(path)?.stopped_by(cx);
        reader.keep_head_bytes();
        while let Some((span, is_arc)) = spans.peek().copied() {
            if as_they_are && !span.is_inside_member() {
                copy_span(path, span, out)?;
                spans.next();
                continue;
            }
            if reader.next_head()?.is_none() {
                let offset = span.decoded_offset();
                let why = "the record that was chosen is not there any more: the file was changed meanwhile";
                return Err(WarcError::NoRecord { path: path.to_owned(), offset, why: why.to_owned() }.into());
            }
            let present = match span.is_inside_member() {
                true => reader.decoded_record_offset(),
                false => reader.record_offset(),
            };
            if present == span.decoded_offset() {
                pack_record(path, &mut reader, is_arc, out)?;
                spans.next();
            }
            cx.checkpoint()?;
        }
        Ok(())
    }
}

/// Counts, and remembers that it was the output that failed.
struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
    failed: Option<std::io::Error>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.out.write(bytes) {
            Ok(len) => {
                self.bytes += len as u64;
                Ok(len)
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                self.failed = Some(error);
                Err(kind.into())
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests;
