//! Loads files of lines into stored links.
//!
//! Lines are objects of the published data set, in either notation, or rows as
//! [`filters`](crate::inlinks::filters) write them; files are plain, gzip or zstd, recognised by content. All
//! files make one segment, or none: what cannot be read to its end adds nothing.

use super::super::LinkError;
use super::super::shuffle::{Shuffle, ShuffleOptions};
use super::super::sorted::ShuffleReport;
use super::folder::{Added, LinkStore, StoreRules};
use crate::inlinks::Notation;
use crate::inlinks::filters::RowColumns;
use crate::inlinks::rows_in::{LineRules, notation_of, read_lines};
use crate::jobs::JobCx;
use crate::uri::InternalPolicy;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

const BUFFER_BYTES: usize = 256 * 1024;

/// Larger windows of zstd (`--long` beyond 27) would take the memory.
const MAX_ZSTD_WINDOW: u64 = 128 * 1024 * 1024;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Beginnings of WARC and ARC files.
const ARCHIVE_BEGINS: [&[u8]; 2] = [b"WARC/", b"filedesc:"];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Options for loading lines.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Form of keys; by default that of the links that are there, or of the first key.
    pub notation: Option<Notation>,
    /// Which links are internal, where lines do not declare it; else as in the links that are there, or one
    /// FQDN.
    pub internal: Option<InternalPolicy>,
    /// Order of the columns of rows.
    pub columns: RowColumns,
    /// Anchors are cut after so many UTF-16 code units.
    pub anchor_cap: Option<usize>,
    /// Memory, threads and place for sorting.
    pub shuffle: ShuffleOptions,
}

/// Lines to load, with the name of where they come from.
pub struct LoadInput<'i> {
    /// For messages.
    pub name: String,
    /// The bytes, compressed or not.
    pub input: Box<dyn Read + 'i>,
}

/// Counts of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LoadReport {
    /// Objects of the data set.
    pub objects: u64,
    /// Links and captures seen, exact duplicates among them.
    #[serde(flatten)]
    pub shuffle: ShuffleReport,
    /// Inlinks that objects count and do not list.
    pub unlisted: u64,
    /// Inlinks without a date, left out.
    pub undated: u64,
    /// Lines that are neither objects nor rows, left out.
    pub bad_lines: u64,
    /// The first of them: its file and number, from 1, and what is wrong.
    pub first_bad: Option<String>,
    /// What is stored now.
    pub added: Added,
}

/// Loads lines into the stored links of a folder, which is made where absent.
///
/// # Errors
///
/// An input that cannot be read to its end or in which no line is one, no
/// room, a folder of something else, or `Cancelled`; nothing is added
/// then, and no new folder stays. Segments that were there before and turn out
/// damaged.
pub fn load(
    folder: &Path,
    inputs: Vec<LoadInput<'_>>,
    options: &LoadOptions,
    cx: &JobCx,
) -> Result<LoadReport, LinkError> {
    let there = if LinkStore::is_in(folder) { Some(LinkStore::open(folder)?.rules()) } else { None };
    if there.is_some_and(|rules| rules.notation == Notation::Page) {
        let why = format!("{}: these are links that a workspace built; load into another folder", folder.display());
        return Err(LinkError::Stored(io::Error::new(io::ErrorKind::InvalidInput, why)));
    }
    let is_new = !folder.exists();
    let mut store = None;
    let loaded = load_into(&mut store, folder, there, inputs, options, cx);
    if let (Err(_), Some(store)) = (&loaded, store) {
        store.abandon(is_new);
    }
    loaded
}

/// `store` is opened as soon as the notation is known.
fn load_into(
    store: &mut Option<LinkStore>,
    folder: &Path,
    there: Option<StoreRules>,
    inputs: Vec<LoadInput<'_>>,
    options: &LoadOptions,
    cx: &JobCx,
) -> Result<LoadReport, LinkError> {
    let shuffle = Shuffle::new(&options.shuffle, cx)?;
    let mut report = LoadReport::default();
    for LoadInput { name, input } in inputs {
        let located = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        cx.note(name.clone());
        let mut input = decoded(input).map_err(|error| LinkError::Input(located(error)))?;
        let begin = input.fill_buf().map_err(|error| LinkError::Input(located(error)))?;
        let store: &mut LinkStore = match &mut *store {
            Some(store) => store,
            none => {
                let known = there.unwrap_or_default();
                let first = there.map(|rules| rules.notation).or_else(|| notation_of(begin));
                let rules = StoreRules {
                    notation: options.notation.or(first).unwrap_or_default(),
                    internal: options.internal.unwrap_or(known.internal),
                };
                none.insert(LinkStore::open_to_add(folder, rules)?)
            }
        };
        let rules = store.rules();
        let lines = LineRules {
            columns: options.columns,
            internal: rules.internal,
            anchor_cap: options.anchor_cap,
            notation: Some(rules.notation),
        };
        let read = read_lines(input, &lines, &shuffle).map_err(|error| match error {
            LinkError::Input(error) => LinkError::Input(located(error)),
            error => error,
        })?;
        report.objects += read.objects;
        report.unlisted += read.unlisted;
        report.undated += read.undated;
        report.bad_lines += read.bad_lines;
        if let (None, Some((line, why))) = (&report.first_bad, read.first_bad) {
            report.first_bad = Some(format!("{name}, line {line}: {why}"));
        }
    }
    let mut sorted = shuffle.finish()?;
    let ShuffleReport { links, captures, .. } = sorted.report();
    if let Some(first) = report.first_bad.as_ref().filter(|_| links + captures == 0) {
        let why = format!("{first}; no line is an object of a data set or a row, and nothing was stored");
        return Err(LinkError::Input(io::Error::new(io::ErrorKind::InvalidData, why)));
    }
    if let Some(store) = store {
        cx.stage("Storing links", Some(sorted.report().links));
        report.added = store.add(&mut sorted, store.mark(), cx)?;
    }
    report.shuffle = sorted.report();
    Ok(report)
}

/// Decompresses lines: plain, gzip or zstd, recognised by content. Memory does not grow with their number.
///
/// # Errors
///
/// An input that cannot be read, and archive files: they hold no such lines.
pub fn decoded<'i>(input: impl Read + 'i) -> io::Result<Box<dyn BufRead + 'i>> {
    let mut plain = BufReader::with_capacity(BUFFER_BYTES, input);
    let begin = plain.fill_buf()?;
    let mut lines: Box<dyn BufRead + 'i> = if begin.starts_with(&GZIP_MAGIC) {
        Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(plain)))
    } else if begin.starts_with(&ZSTD_MAGIC) {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_ZSTD_WINDOW);
        Box::new(BufReader::with_capacity(BUFFER_BYTES, ZstdFrames { source: plain, decoder, begun: false }))
    } else {
        Box::new(plain)
    };
    let begin = lines.fill_buf()?;
    if ARCHIVE_BEGINS.iter().any(|archive| begin.starts_with(archive)) {
        let why = "this is an archive file and no data set; make one of it with: fonds inlinks dataset FILE";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(lines)
}

/// Frames of zstd one behind the other, skippable ones passed over.
struct ZstdFrames<R> {
    source: R,
    decoder: FrameDecoder,
    begun: bool,
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.begun && self.decoder.can_collect() > 0 {
                return self.decoder.read(out);
            }
            if self.begun && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(io::Error::other)?;
                continue;
            }
            if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.begun = false;
            match self.decoder.reset(&mut self.source) {
                Ok(()) => self.begun = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut (&mut self.source).take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
