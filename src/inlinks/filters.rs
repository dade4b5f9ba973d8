//! The two halves of the inversion as filters, for machines that sort elsewhere.
//!
//! They exchange lines of text, so that `sort`, Spark's `pipe` and Hadoop Streaming can carry them; the key
//! is the first column:
//!
//! ```text
//! TARGET <tab> DATE                                            a capture
//! TARGET <tab> DATE <tab> SOURCE <tab> internal|external <tab> ANCHOR
//! ```
//!
//! Dates have 14 digits. Keys and folded anchors hold neither tabs nor line
//! breaks. Rows of any order are taken, and those of one target must come to
//! the same reducer: then the objects of all reducers together are those of a
//! build on one machine.

use super::dataset::render_line;
use super::dataset_build::{DatasetOptions, RowMaker};
use super::invert::{AssignReport, LinkError, ProcessedInput, Shuffle, ShuffleReport, assign_rendered};
use super::pipeline::{FileEvent, Input, PageBatch, PageSink, read_files, read_page_into};
use super::rows_in::{LineRules, read_lines};
use crate::captures::{Document, DocumentReader, DocumentReport, Place};
use crate::jobs::{Cancelled, JobCx};
use crate::links::PageLink;
use crate::warc::{Record, WarcError};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub use super::rows_in::RowColumns;

// ---- map

/// Lines of revisits go out in pieces of about so many bytes.
const LINES_BYTES: usize = 1024 * 1024;

/// Bytes of lines that wait for those of a page before them.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// Reads archive files and gives their rows as lines to `write`, in the order
/// of the files, whatever the number of threads. `fetch` reads what a revisit
/// repeats.
pub fn map_files<W: FnMut(Vec<u8>) -> io::Result<()> + Send>(
    files: &[PathBuf],
    options: &DatasetOptions,
    cx: &JobCx,
    on_event: impl FnMut(usize, FileEvent<'_>),
    fetch: impl FnMut(Place) -> Result<Record, WarcError>,
    write: W,
) -> Result<DocumentReport, LinkError> {
    let pages = options.pages();
    let mut documents = DocumentReader::new(options.from, &options.shuffle.folder());
    let input = Input { files, pages: &pages, threads: options.shuffle.threads, done: &ProcessedInput::default(), cx };
    let ordered = InOrder::new(write);
    read_files(&input, &mut documents, || LineSink::new(options, &ordered), on_event)?;
    let mut sink = LineSink::new(options, &ordered);
    documents.resolve(
        |_, _| false,
        cx,
        fetch,
        |document, _, notes| {
            read_page_into(document, &pages, &mut sink, notes)?;
            if sink.lines.len() < LINES_BYTES {
                return Ok(());
            }
            ordered.write(&mut sink.lines)
        },
    )?;
    ordered.write(&mut sink.lines)?;
    Ok(documents.into_report())
}

/// Lets pieces out in the order of their numbers.
struct InOrder<W> {
    state: Mutex<OutState<W>>,
    /// Pieces went out, or nobody has to wait any more.
    moved: Condvar,
}

struct OutState<W> {
    next: u64,
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
    /// A thread brings no more pieces: the one that others wait for may never come.
    is_over: bool,
    /// Nothing can be written any more.
    has_failed: bool,
    write: W,
}

impl<W: FnMut(Vec<u8>) -> io::Result<()>> InOrder<W> {
    fn new(write: W) -> Self {
        let state =
            OutState { next: 0, waiting: BTreeMap::new(), waiting_bytes: 0, is_over: false, has_failed: false, write };
        Self { state: Mutex::new(state), moved: Condvar::new() }
    }

    /// Takes the piece with a number; waits where too much waits already for
    /// pieces before it. Leaves `lines` empty, with room for as many as it held.
    ///
    /// # Errors
    ///
    /// Errors of writing; after that every piece is refused.
    fn take(&self, number: u64, lines: &mut Vec<u8>) -> Result<(), LinkError> {
        let must_wait = |state: &mut OutState<W>| {
            number > state.next && state.waiting_bytes >= MAX_WAITING_BYTES && !state.is_over && !state.has_failed
        };
        let state = self.moved.wait_while(self.state(), must_wait);
        let state = &mut *state.unwrap_or_else(PoisonError::into_inner);
        if state.has_failed {
            return Err(Cancelled.into());
        }
        let room = Vec::with_capacity(lines.len());
        state.waiting_bytes += lines.len();
        state.waiting.insert(number, std::mem::replace(lines, room));
        while let Some(lines) = state.waiting.remove(&state.next) {
            state.waiting_bytes -= lines.len();
            if let Err(error) = (state.write)(lines) {
                state.has_failed = true;
                self.moved.notify_all();
                return Err(LinkError::Output(error));
            }
            state.next += 1;
        }
        self.moved.notify_all();
        Ok(())
    }

    /// Lets out what has no number: it follows when all that have one are out.
    fn write(&self, lines: &mut Vec<u8>) -> Result<(), LinkError> {
        (self.state().write)(std::mem::take(lines)).map_err(LinkError::Output)
    }
}

impl<W> InOrder<W> {
    /// A panic while it is held leaves plain values.
    fn state(&self) -> MutexGuard<'_, OutState<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits any more.
    fn is_over(&self) {
        self.state().is_over = true;
        self.moved.notify_all();
    }
}

/// Pages into lines.
struct LineSink<'o, 'w, W> {
    rows: RowMaker<'o>,
    lines: Vec<u8>,
    date: Vec<u8>,
    ordered: &'w InOrder<W>,
}

impl<W> Drop for LineSink<'_, '_, W> {
    fn drop(&mut self) {
        self.ordered.is_over();
    }
}

impl<'o, 'w, W> LineSink<'o, 'w, W> {
    fn new(options: &'o DatasetOptions, ordered: &'w InOrder<W>) -> Self {
        Self { rows: RowMaker::new(options), lines: Vec::new(), date: Vec::new(), ordered }
    }
}

impl<W: FnMut(Vec<u8>) -> io::Result<()>> PageSink for LineSink<'_, '_, W> {
    fn page(&mut self, document: &Document) -> Result<(), LinkError> {
        let capture = self.rows.page(document);
        self.date.clear();
        self.date.extend_from_slice(capture.date.to_digits14().as_bytes());
        write_fields(&mut self.lines, &[capture.target.as_bytes(), &self.date]);
        Ok(())
    }

    fn link(&mut self, link: &PageLink<'_>) {
        let row = self.rows.link(link);
        let side: &[u8] = if row.internal { b"internal" } else { b"external" };
        let fields = [row.target.as_bytes(), &self.date, row.source.as_bytes(), side, row.anchor.as_bytes()];
        write_fields(&mut self.lines, &fields);
    }

    fn page_done(&mut self) -> Result<(), LinkError> {
        Ok(())
    }

    fn batch_done(&mut self, batch: &PageBatch, _: &DocumentReport) -> Result<(), LinkError> {
        self.ordered.take(batch.number, &mut self.lines)
    }
}

fn write_fields(out: &mut Vec<u8>, fields: &[&[u8]]) {
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            out.push(b'\t');
        }
        out.extend_from_slice(field);
    }
    out.push(b'\n');
}

// ---- reduce

/// Counts of the rows of [`reduce_rows`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReduceReport {
    /// Links and captures, exact duplicates, what went to disk.
    pub shuffle: ShuffleReport,
    /// What became of the links.
    pub assign: AssignReport,
    /// Lines that are no rows.
    pub bad_lines: u64,
    /// The first of them: its number, from 1, and what is wrong.
    pub first_bad: Option<(u64, String)>,
}

/// Reads rows and gives the lines of the objects to `write`, in order.
pub fn reduce_rows(
    input: impl Read,
    columns: RowColumns,
    options: &DatasetOptions,
    cx: &JobCx,
    write: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<ReduceReport, LinkError> {
    let shuffle = Shuffle::new(&options.shuffle, cx)?;
    let threads = shuffle.threads();
    let mut report = ReduceReport::default();
    let lines = LineRules { columns, internal: options.internal, anchor_cap: options.anchor_cap, notation: None };
    let read = read_lines(input, &lines, &shuffle)?;
    (report.bad_lines, report.first_bad) = (read.bad_lines, read.first_bad);
    let mut sorted = shuffle.finish()?;
    let java_times = options.java_times;
    (report.shuffle, report.assign) = assign_rendered(
        &mut sorted,
        &options.assign,
        threads,
        |object, out| render_line(object, java_times, out),
        write,
    )?;
    Ok(report)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "filters_tests.rs"]
mod tests;
