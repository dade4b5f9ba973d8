//! The two halves of the inversion as filters, for machines that sort elsewhere.
//!
//! Between them stand lines of text, so that `sort`, Spark's `pipe` and Hadoop
//! Streaming can carry them; the key is the first column:
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
use super::documents::{Document, DocumentReader, DocumentReport, Place};
use super::invert::{
    AssignReport, CaptureRow, Done, Filler, LinkError, LinkRow, Shuffle, ShuffleReport, assign_rendered,
};
use super::pipeline::{Batch, FileNews, Input, PageSink, read_files, read_page_into};
use super::{LinkKind, PageLink};
use crate::jobs::JobCx;
use crate::uri::{CaptureDate, DatasetKey};
use crate::warc::{Record, WarcError};
use crossbeam_channel::bounded;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Lines go to threads in pieces of about so many bytes.
const PIECE_BYTES: usize = 1024 * 1024;

/// A longer line is no row.
const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// How the columns of a link stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Columns {
    /// As [`map_files`] writes them.
    #[default]
    Map,
    /// `target source date anchor`: dates also in seconds since 1970; a link
    /// is internal by the hosts of its keys.
    Table,
}

// ---- map

/// Reads archive files and gives their rows as lines to `write`, in the order
/// of the files, whatever the number of threads. `fetch` reads what a revisit
/// repeats.
pub fn map_files<W: FnMut(Vec<u8>) -> io::Result<()> + Send>(
    files: &[PathBuf],
    options: &DatasetOptions,
    cx: &JobCx,
    told: impl FnMut(usize, FileNews<'_>),
    fetch: impl FnMut(Place) -> Result<Record, WarcError>,
    write: W,
) -> Result<DocumentReport, LinkError> {
    let pages = options.pages();
    let mut documents = DocumentReader::default();
    let input = Input { files, pages: &pages, threads: options.shuffle.threads, done: &Done::default(), cx };
    let ordered = Mutex::new(InOrder { next: 0, waiting: BTreeMap::new(), write });
    read_files(&input, &mut documents, || LineSink::new(options, &ordered), told)?;
    let mut sink = LineSink::new(options, &ordered);
    documents.resolve(fetch, |document, notes| read_page_into(document, &pages, &mut sink, notes))?;
    let lines = std::mem::take(&mut sink.lines);
    drop(sink);
    let mut write = ordered.into_inner().unwrap_or_else(PoisonError::into_inner).write;
    write(lines).map_err(LinkError::Output)?;
    Ok(documents.report().clone())
}

/// Lets pieces out in the order of their numbers.
struct InOrder<W> {
    next: u64,
    waiting: BTreeMap<u64, Vec<u8>>,
    write: W,
}

impl<W: FnMut(Vec<u8>) -> io::Result<()>> InOrder<W> {
    /// Leaves `lines` empty, with room for as many as it held.
    fn take(&mut self, number: u64, lines: &mut Vec<u8>) -> io::Result<()> {
        let room = Vec::with_capacity(lines.len());
        self.waiting.insert(number, std::mem::replace(lines, room));
        while let Some(lines) = self.waiting.remove(&self.next) {
            (self.write)(lines)?;
            self.next += 1;
        }
        Ok(())
    }
}

/// Pages into lines.
struct LineSink<'o, 'w, W> {
    rows: RowMaker<'o>,
    lines: Vec<u8>,
    date: Vec<u8>,
    ordered: &'w Mutex<InOrder<W>>,
}

impl<'o, 'w, W> LineSink<'o, 'w, W> {
    fn new(options: &'o DatasetOptions, ordered: &'w Mutex<InOrder<W>>) -> Self {
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

    fn batch_done(&mut self, batch: &Batch) -> Result<(), LinkError> {
        let mut ordered = self.ordered.lock().unwrap_or_else(PoisonError::into_inner);
        ordered.take(batch.number, &mut self.lines).map_err(LinkError::Output)
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

/// What became of rows.
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
    columns: Columns,
    options: &DatasetOptions,
    cx: &JobCx,
    write: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<ReduceReport, LinkError> {
    let shuffle = Shuffle::new(&options.shuffle, cx);
    let threads = shuffle.threads();
    let mut report = ReduceReport::default();
    let (send, pieces) = bounded::<Piece>(threads);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (pieces, filler) = (pieces.clone(), shuffle.filler());
                scope.spawn(move || {
                    let mut reader = LineReader { columns, options, filler, bad_lines: 0, first_bad: None, date: None };
                    pieces.iter().try_for_each(|piece| reader.read(&piece))?;
                    Ok((reader.bad_lines, reader.first_bad))
                })
            })
            .collect();
        drop(pieces);
        let mut outcome = each_piece(input, |piece| send.send(piece).is_ok()).map_err(LinkError::Input);
        drop(send);
        for worker in workers {
            match worker.join() {
                Ok(Ok((bad_lines, first))) => {
                    report.bad_lines += bad_lines;
                    report.first_bad = match (report.first_bad.take(), first) {
                        (Some(one), Some(other)) => Some(one.min(other)),
                        (one, other) => one.or(other),
                    };
                }
                Ok(Err(error)) => outcome = outcome.and(Err(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcome
    })?;
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

/// Some whole lines.
struct Piece {
    bytes: Vec<u8>,
    /// The number of the first one, from 1.
    line: u64,
}

fn each_piece(mut input: impl Read, mut give: impl FnMut(Piece) -> bool) -> io::Result<()> {
    let (mut bytes, mut line) = (Vec::new(), 1);
    loop {
        let read = (&mut input).take(PIECE_BYTES as u64).read_to_end(&mut bytes)?;
        let end = if read == 0 { bytes.len() } else { memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1) };
        if end == 0 && read > 0 {
            if bytes.len() > MAX_LINE_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("line {line} has no end: these are no rows"),
                ));
            }
            continue;
        }
        let rest = bytes.split_off(end);
        let lines = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        if !bytes.is_empty() && !give(Piece { bytes: std::mem::replace(&mut bytes, rest), line }) {
            return Ok(());
        }
        line += lines;
        if read == 0 {
            return Ok(());
        }
    }
}

/// Lines into the sort.
struct LineReader<'o, 's> {
    columns: Columns,
    options: &'o DatasetOptions,
    filler: Filler<'s>,
    bad_lines: u64,
    first_bad: Option<(u64, String)>,
    /// The last date, as text and read: the links of a page have the same.
    date: Option<(String, CaptureDate)>,
}

impl LineReader<'_, '_> {
    fn read(&mut self, piece: &Piece) -> Result<(), LinkError> {
        let mut from = 0;
        for (number, end) in (piece.line..).zip(memchr::memchr_iter(b'\n', &piece.bytes).chain([piece.bytes.len()])) {
            let line = piece.bytes.get(from..end).unwrap_or_default();
            from = end + 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let read = std::str::from_utf8(line).map_err(|_| "it is not UTF-8").and_then(|line| self.line(line));
            match read {
                Ok(pushed) => pushed?,
                Err(why) => {
                    self.bad_lines += 1;
                    self.first_bad.get_or_insert_with(|| (number, why.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<Result<(), LinkError>, &'static str> {
        let tab = |text: &str| memchr::memchr(b'\t', text.as_bytes());
        let split = |text| -> Option<(&str, &str)> {
            let at = tab(text)?;
            Some((text.get(..at)?, text.get(at + 1..)?))
        };
        let (target, rest) = split(line).ok_or("it has one column; two make a capture, more a link")?;
        let Some((second, rest)) = split(rest) else {
            let date = self.date(rest)?;
            return Ok(self.filler.push_capture(&CaptureRow { target, date, id: 0 }));
        };
        let (third, rest) = split(rest).ok_or("it has three columns; two make a capture, more a link")?;
        let (date, source, internal, anchor) = match self.columns {
            Columns::Map => {
                let (side, anchor) = split(rest).ok_or("it has four columns and a link has five")?;
                let internal = match side {
                    "internal" => true,
                    "external" => false,
                    _ => return Err("its fourth column is neither internal nor external"),
                };
                (second, third, internal, anchor)
            }
            Columns::Table => (third, second, self.is_internal(target, second), rest),
        };
        let date = self.date(date)?;
        let anchor = match self.options.anchor_cap {
            Some(units) => super::dataset_build::first_units(anchor, units),
            None => anchor,
        };
        Ok(self.filler.push_link(&LinkRow {
            target,
            target_url: "",
            source,
            source_url: "",
            source_id: 0,
            date,
            anchor,
            internal,
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        }))
    }

    fn is_internal(&self, target: &str, source: &str) -> bool {
        let host = |key: &'_ str| key.find(')').unwrap_or(key.len());
        let (target_host, source_host) = (&target[..host(target)], &source[..host(source)]);
        let name = |key: &str| DatasetKey::from_stored(format!("({}", key.trim_start_matches('('))).host();
        target_host == source_host || self.options.internal.is_internal(&name(target_host), &name(source_host))
    }

    fn date(&mut self, text: &str) -> Result<CaptureDate, &'static str> {
        if let Some((_, date)) = self.date.as_ref().filter(|(last, _)| last == text) {
            return Ok(*date);
        }
        let seconds = (self.columns == Columns::Table && text.len() < 14).then(|| text.parse().ok()).flatten();
        let date = match seconds {
            Some(seconds) => CaptureDate::from_seconds(seconds),
            None => CaptureDate::parse(text).map_err(|_| "its date is none: 14 digits are wanted")?,
        };
        let last = self.date.get_or_insert_default();
        last.0.clear();
        last.0.push_str(text);
        last.1 = date;
        Ok(date)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "filters_tests.rs"]
mod tests;
