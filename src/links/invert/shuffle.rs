//! The external merge sort.
//!
//! Rows are encoded one behind the other into one block of memory; when it is
//! full, they are sorted by their bytes and written as a run. At the end the
//! runs are merged, or, where everything fits, nothing is ever written.

use super::LinkError;
use super::merge::Merge;
use super::row::{self, CaptureRow, LinkRow, Row};
use super::run::{RUN_MEMORY_BYTES, RunReader, RunWriter};
use crate::jobs::JobCx;
use rayon::slice::ParallelSliceMut;
use std::io;
use std::path::PathBuf;

/// Memory that sorting takes unless told otherwise.
pub const DEFAULT_MEMORY_BYTES: usize = 512 * 1024 * 1024;

/// Less than this is not worth a run; tests go below.
const MIN_MEMORY_BYTES: usize = 4 * 1024;

/// Runs that are merged at once at most: each needs an open file.
const MAX_RUNS_AT_ONCE: usize = 128;

/// Rows between two looks at the wish to stop.
const ROWS_PER_CHECK: u64 = 4096;

/// How rows are sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShuffleOptions {
    /// Memory that rows may take, in bytes.
    pub memory_bytes: usize,
    /// Where sorted runs go; the system's folder for temporary files by default.
    pub temp_folder: Option<PathBuf>,
}

impl Default for ShuffleOptions {
    fn default() -> Self {
        Self { memory_bytes: DEFAULT_MEMORY_BYTES, temp_folder: None }
    }
}

/// What a sort did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShuffleReport {
    /// Links that were put in.
    pub links: u64,
    /// Captures that were put in.
    pub captures: u64,
    /// Rows left out because an equal one was there: equal (target, source,
    /// date, anchor) of links, equal (target, date) of captures. Complete
    /// when the last row was read.
    pub duplicates: u64,
    /// Runs written to disk.
    pub runs: u64,
    /// Bytes written to disk, compressed.
    pub spilled_bytes: u64,
}

/// Takes rows in any order.
pub struct Shuffle {
    folder: PathBuf,
    memory_bytes: usize,
    /// Rows, each behind its length in four bytes.
    rows: Vec<u8>,
    /// Where rows start in `rows`.
    starts: Vec<u32>,
    max_rows_bytes: usize,
    max_starts: usize,
    runs: Vec<RunReader>,
    report: ShuffleReport,
    cx: JobCx,
}

impl Shuffle {
    /// `cx` is asked now and then whether to stop.
    pub fn new(options: &ShuffleOptions, cx: &JobCx) -> Self {
        // Positions in the block are 32 bits wide.
        let memory_bytes = options.memory_bytes.clamp(MIN_MEMORY_BYTES, 3 << 30);
        // A row is some 100 bytes and its start four.
        let max_starts = memory_bytes / 16 / size_of::<u32>();
        Self {
            folder: options.temp_folder.clone().unwrap_or_else(std::env::temp_dir),
            memory_bytes,
            rows: Vec::new(),
            starts: Vec::new(),
            max_rows_bytes: memory_bytes - max_starts * size_of::<u32>(),
            max_starts,
            runs: Vec::new(),
            report: ShuffleReport::default(),
            cx: cx.clone(),
        }
    }

    /// Takes a link.
    pub fn push_link(&mut self, link: &LinkRow<'_>) -> Result<(), LinkError> {
        self.report.links += 1;
        let texts = [link.target, link.target_url, link.source, link.source_url, link.anchor];
        self.make_room(texts.iter().map(|text| text.len()).sum::<usize>() + 64)?;
        self.begin_row();
        row::encode_link(link, &mut self.rows);
        self.end_row();
        Ok(())
    }

    /// Takes a capture.
    pub fn push_capture(&mut self, capture: &CaptureRow<'_>) -> Result<(), LinkError> {
        self.report.captures += 1;
        self.make_room(capture.target.len() + 64)?;
        self.begin_row();
        row::encode_capture(capture, &mut self.rows);
        self.end_row();
        Ok(())
    }

    /// What was done so far.
    pub fn report(&self) -> ShuffleReport {
        self.report
    }

    fn begin_row(&mut self) {
        // Fits: the block is kept below 2^32 bytes.
        self.starts.push(self.rows.len() as u32);
        self.rows.extend_from_slice(&[0; 4]);
    }

    fn end_row(&mut self) {
        let Some(&start) = self.starts.last() else { return };
        let start = start as usize;
        let len = (self.rows.len() - start - 4) as u32;
        if let Some(place) = self.rows.get_mut(start..start + 4) {
            place.copy_from_slice(&len.to_ne_bytes());
        }
    }

    /// Makes sure that a row of at most `row_bytes` fits.
    fn make_room(&mut self, row_bytes: usize) -> Result<(), LinkError> {
        if (self.report.links + self.report.captures).is_multiple_of(ROWS_PER_CHECK) {
            self.cx.checkpoint()?;
        }
        if row_bytes > self.max_rows_bytes {
            return Err(LinkError::RowTooLarge { row_bytes, memory_bytes: self.memory_bytes });
        }
        if self.rows.len() + row_bytes > self.max_rows_bytes || self.starts.len() >= self.max_starts {
            self.spill()?;
        }
        // Doubling a vector would need half as much again for a moment: grow
        // towards the limit in steps, then take it whole.
        if self.rows.capacity() - self.rows.len() < row_bytes {
            let wanted = (self.rows.capacity() * 2).clamp(row_bytes + self.rows.len(), self.max_rows_bytes);
            let wanted = if wanted > self.max_rows_bytes / 4 { self.max_rows_bytes } else { wanted };
            self.rows.reserve_exact(wanted - self.rows.len());
        }
        Ok(())
    }

    fn temp_error(&self, source: io::Error) -> LinkError {
        LinkError::Temp { folder: self.folder.clone(), source }
    }

    fn sort(&mut self) {
        let rows = self.rows.as_slice();
        self.starts.par_sort_unstable_by(|&a, &b| row_at(rows, a).cmp(row_at(rows, b)));
    }

    /// Writes the rows in memory as a sorted run.
    fn spill(&mut self) -> Result<(), LinkError> {
        if self.starts.is_empty() {
            return Ok(());
        }
        self.sort();
        let mut writer = RunWriter::create(&self.folder).map_err(|error| self.temp_error(error))?;
        let mut last: Option<(&[u8], usize)> = None;
        let mut written = Ok(());
        for (number, &start) in self.starts.iter().enumerate() {
            let row = row_at(&self.rows, start);
            if last.is_some_and(|(last, identity)| row.get(..identity) == last.get(..identity)) {
                self.report.duplicates += 1;
                continue;
            }
            last = row::identity_len(row).map(|identity| (row, identity));
            written = writer.write(row);
            if written.is_err() {
                break;
            }
            if (number as u64).is_multiple_of(ROWS_PER_CHECK) {
                self.cx.checkpoint()?;
            }
        }
        let run = written.and_then(|()| writer.finish()).map_err(|error| self.temp_error(error))?;
        self.add_run(run);
        self.rows.clear();
        self.starts.clear();
        Ok(())
    }

    fn add_run(&mut self, run: RunReader) {
        self.report.runs += 1;
        self.report.spilled_bytes += run.bytes();
        self.runs.push(run);
    }

    /// No more rows come: sorts, and merges as far as needed.
    pub fn finish(mut self) -> Result<Sorted, LinkError> {
        if self.runs.is_empty() {
            self.sort();
            let source = Source::Memory { rows: self.rows, starts: self.starts, next: 0, identity: 0 };
            return Ok(Sorted { source, folder: self.folder, report: self.report, cx: self.cx, rows_read: 0 });
        }
        self.spill()?;
        // The runs take the place of the rows in memory.
        self.rows = Vec::new();
        self.starts = Vec::new();
        let at_once = (self.memory_bytes / RUN_MEMORY_BYTES).clamp(2, MAX_RUNS_AT_ONCE);
        while self.runs.len() > at_once {
            // The oldest runs, and not more than needed to get down to one pass.
            let take = at_once.min(self.runs.len() - at_once + 1).max(2);
            let some: Vec<RunReader> = self.runs.drain(..take).collect();
            let merged = self.merge_into_run(some)?;
            self.add_run(merged);
        }
        let runs = std::mem::take(&mut self.runs);
        let merge = Merge::new(runs).map_err(|error| self.temp_error(error))?;
        let source = Source::Runs(Box::new(merge));
        Ok(Sorted { source, folder: self.folder, report: self.report, cx: self.cx, rows_read: 0 })
    }

    fn merge_into_run(&mut self, runs: Vec<RunReader>) -> Result<RunReader, LinkError> {
        let mut merge = Merge::new(runs).map_err(|error| self.temp_error(error))?;
        let mut writer = RunWriter::create(&self.folder).map_err(|error| self.temp_error(error))?;
        let mut count = 0_u64;
        while merge.advance().map_err(|error| self.temp_error(error))? {
            writer.write(merge.row()).map_err(|error| self.temp_error(error))?;
            count += 1;
            if count.is_multiple_of(ROWS_PER_CHECK) {
                self.cx.checkpoint()?;
            }
        }
        self.report.duplicates += merge.duplicates();
        writer.finish().map_err(|error| self.temp_error(error))
    }
}

fn row_at(rows: &[u8], start: u32) -> &[u8] {
    let start = start as usize;
    let len = rows.get(start..start + 4).and_then(|len| len.try_into().ok()).map_or(0, u32::from_ne_bytes);
    rows.get(start + 4..start + 4 + len as usize).unwrap_or_default()
}

enum Source {
    Memory { rows: Vec<u8>, starts: Vec<u32>, next: usize, identity: usize },
    Runs(Box<Merge>),
}

/// All rows in order, each once.
pub struct Sorted {
    source: Source,
    folder: PathBuf,
    report: ShuffleReport,
    cx: JobCx,
    rows_read: u64,
}

impl Sorted {
    /// The next row; it lives until the next call. Counts rows as done with
    /// the job, and stops when asked to.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, LinkError> {
        self.rows_read += 1;
        if self.rows_read.is_multiple_of(ROWS_PER_CHECK) {
            self.cx.advance(ROWS_PER_CHECK)?;
        }
        let bytes = match &mut self.source {
            Source::Memory { rows, starts, next, identity } => {
                let last = next.checked_sub(1).and_then(|last| starts.get(last)).map(|&start| row_at(rows, start));
                loop {
                    let Some(&start) = starts.get(*next) else { return Ok(None) };
                    *next += 1;
                    let row = row_at(rows, start);
                    if last.is_some_and(|last| row.get(..*identity) == last.get(..*identity)) {
                        self.report.duplicates += 1;
                        continue;
                    }
                    *identity = row::identity_len(row).unwrap_or(row.len());
                    break row;
                }
            }
            Source::Runs(merge) => {
                let went = merge.advance();
                match went {
                    Ok(true) => merge.row(),
                    Ok(false) => return Ok(None),
                    Err(error) => {
                        return Err(LinkError::Run { folder: self.folder.clone(), why: error.to_string() });
                    }
                }
            }
        };
        match row::decode(bytes) {
            Some(row) => Ok(Some(row)),
            None => Err(LinkError::Run { folder: self.folder.clone(), why: "bytes that are no row".to_owned() }),
        }
    }

    /// What was done so far; complete after the last row.
    pub fn report(&self) -> ShuffleReport {
        let mut report = self.report;
        if let Source::Runs(merge) = &self.source {
            report.duplicates += merge.duplicates();
        }
        report
    }
}
