//! Builds data set objects from archive files.

use super::dataset::render_line;
use super::invert::{
    AssignOptions, AssignReport, LinkError, LinkRow, RowWriter, Shuffle, ShuffleOptions, ShuffleReport, Sorted,
    TargetCapture, assign_rendered,
};
use super::pipeline::{FileEvent, Input, PageBatch, PageSink, read_files, read_page_into};
use crate::captures::{Document, DocumentReader, DocumentReport, Place, ReadFrom};
use crate::jobs::JobCx;
use crate::links::{ANCHOR_BREAK, AnchorBreaks, LinkKind, PageLink, PageOptions};
use crate::uri::{CaptureDate, CdxKey, DatasetKey, InternalPolicy, PageKey, Url, WebParts};
use crate::warc::{Record, WarcError};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

/// Bytes of rows that come of one byte of a compressed archive, at most, as
/// far as archives of pages full of links show.
const ROW_BYTES_PER_ARCHIVE_BYTE: u64 = 2;

/// Form of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// `(pt,arquivo,` and `(pt,fct,)/sobre`, as the published data set.
    #[default]
    Dataset,
    /// `pt,arquivo)/` and `pt,fct)/sobre`, as CDX files and the slides.
    Cdx,
    /// The same letters with the case of the path and the order of the query as they are: pages as a
    /// workspace identifies them ([`PageKey`]).
    Page,
}

impl Notation {
    /// The key of a URL.
    pub fn key(self, url: &Url) -> String {
        let mut key = String::new();
        self.write_key(&WebParts::of(url), &mut key);
        key
    }

    /// Guesses the notation of a key of a data set by its form.
    pub fn of_key(key: &str) -> Self {
        // `(pt,fct,` and `ftp://(pt,fct,`; `data:` is in both.
        if key.starts_with('(') || key.contains("://(") { Self::Dataset } else { Self::Cdx }
    }

    /// A URL with this key: where to look first, not what was captured.
    pub fn likely_url(self, key: &str) -> Option<Url> {
        let key = match self {
            Self::Page => return PageKey::from_stored(key.to_owned()).likely_url(),
            Self::Dataset => key.to_owned(),
            Self::Cdx => match key.split_once(')')? {
                (host, rest) if host.contains(':') => format!("({}){rest}", host.replacen(':', ",:", 1)),
                (host, rest) => format!("({host},){rest}"),
            },
        };
        DatasetKey::from_stored(key).likely_url()
    }

    /// Puts the key of a URL in the place of what `key` held.
    pub fn write_key(self, url: &WebParts<'_>, key: &mut String) {
        key.clear();
        match self {
            Self::Dataset => DatasetKey::push(url, key),
            Self::Cdx => CdxKey::push(url, key),
            Self::Page => PageKey::push(url, key),
        }
    }
}

/// Options of a data set build.
#[derive(Debug, Clone)]
pub struct DatasetOptions {
    /// Form of keys, which identify pages.
    pub notation: Notation,
    /// Which links are internal.
    pub internal: InternalPolicy,
    /// Which kinds of links make inlinks.
    pub kinds: Vec<LinkKind>,
    /// Anchors are cut after so many UTF-16 code units, before links are compared.
    pub anchor_cap: Option<usize>,
    /// Times end before seconds that are zero, as in the published files.
    pub java_times: bool,
    /// Which inlinks belong to which capture.
    pub assign: AssignOptions,
    /// Memory, threads and place for sorting.
    pub shuffle: ShuffleOptions,
    /// How pages are read.
    pub image_alt: bool,
    /// Lines of an anchor are parted by a blank, as a browser shows them.
    pub anchors_as_shown: bool,
    /// Which records are read.
    pub from: ReadFrom,
}

impl Default for DatasetOptions {
    fn default() -> Self {
        Self {
            notation: Notation::default(),
            internal: InternalPolicy::default(),
            kinds: vec![LinkKind::Anchor],
            anchor_cap: None,
            java_times: false,
            assign: AssignOptions::default(),
            shuffle: ShuffleOptions::default(),
            image_alt: false,
            anchors_as_shown: false,
            from: ReadFrom::default(),
        }
    }
}

impl DatasetOptions {
    pub(super) fn pages(&self) -> PageOptions {
        let kinds = self.kinds.iter().copied().collect();
        let anchor_breaks = if self.anchors_as_shown { AnchorBreaks::Blank } else { AnchorBreaks::Nothing };
        let (image_alt, pdf_text) = (self.image_alt, self.from.pdf_text);
        PageOptions { anchor_breaks, image_alt, pdf_text, kinds, ..PageOptions::links_only() }
    }

    /// An anchor as the data set has it. Breaks that are marked come from catalogues and metadata records.
    pub fn anchor<'l>(&self, anchor: &'l str) -> Cow<'l, str> {
        match anchor.contains(ANCHOR_BREAK) {
            true => Cow::Owned(anchor.replace(ANCHOR_BREAK, if self.anchors_as_shown { " " } else { "" })),
            false => Cow::Borrowed(anchor),
        }
    }

    /// The row of a link: one and the same for all that are equal in the data set.
    pub fn link_row<'l>(
        &self,
        target: Keyed<'l>,
        source: Keyed<'l>,
        date: CaptureDate,
        anchor: &'l str,
    ) -> LinkRow<'l> {
        LinkRow {
            target: target.key,
            target_url: "",
            source: source.key,
            source_url: "",
            source_id: 0,
            date,
            anchor: match self.anchor_cap {
                Some(units) => first_units(anchor, units),
                None => anchor,
            },
            internal: self.internal.is_internal_name(target.name, source.name),
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        }
    }
}

/// A page as rows name it.
#[derive(Debug, Clone, Copy)]
pub struct Keyed<'a> {
    /// Its key, in the notation of the options.
    pub key: &'a str,
    /// Its host ([`WebParts::name`]).
    pub name: &'a str,
}

/// Counts of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// What was read.
    pub documents: DocumentReport,
    /// Links seen, exact duplicates, what went to disk.
    pub shuffle: ShuffleReport,
    /// What became of the links.
    pub assign: AssignReport,
    /// Problems of the archive files themselves.
    pub problems: u64,
    /// Files that could not be read at all.
    pub unreadable: u64,
}

/// Takes archive files and gives a data set.
pub struct DatasetBuilder {
    options: DatasetOptions,
    documents: DocumentReader,
    shuffle: Shuffle,
    problems: u64,
    unreadable: u64,
    cx: JobCx,
}

impl DatasetBuilder {
    /// `cx` cancels the build and shows its progress.
    ///
    /// # Errors
    ///
    /// As [`Shuffle::new`].
    pub fn new(options: DatasetOptions, cx: &JobCx) -> Result<Self, LinkError> {
        let shuffle = Shuffle::new(&options.shuffle, cx)?;
        let documents = DocumentReader::new(options.from, &options.shuffle.folder());
        Ok(Self { options, documents, shuffle, problems: 0, unreadable: 0, cx: cx.clone() })
    }

    /// Warning that there may be too little room on the disk for archives of so many bytes.
    pub fn room_warning(&self, archive_bytes: u64) -> Option<String> {
        self.options.shuffle.room_warning(archive_bytes.saturating_mul(ROW_BYTES_PER_ARCHIVE_BYTE))
    }

    /// Reads archive files; their numbers are those of [`Place::file`]. `on_event`
    /// hears what is wrong with them. Call it once.
    pub fn add_files(
        &mut self,
        files: &[PathBuf],
        mut on_event: impl FnMut(usize, FileEvent<'_>),
    ) -> Result<(), LinkError> {
        let (shuffle, options) = (&self.shuffle, &self.options);
        let (pages, done) = (options.pages(), shuffle.done());
        let input = Input { files, pages: &pages, threads: shuffle.threads(), done: &done, cx: &self.cx };
        let sink = || ShuffleSink { rows: RowMaker::new(options), row_writer: shuffle.row_writer(), failed: None };
        let (problems, unreadable) = (&mut self.problems, &mut self.unreadable);
        read_files(&input, &mut self.documents, sink, |file, event| {
            *problems += u64::from(matches!(event, FileEvent::Problem(_)));
            *unreadable += u64::from(matches!(event, FileEvent::Unreadable(_)));
            on_event(file, event);
        })
    }

    /// Number of files that could not be read at all.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Resolves revisits with `fetch`, sorts, assigns, and gives the lines of
    /// the objects to `write`, in order and in pieces. Runs that were kept stay
    /// until the caller, who knows when the lines are safe, removes them
    /// ([`Sorted::remove_kept`]).
    pub fn finish(
        mut self,
        fetch: impl FnMut(Place) -> Result<Record, WarcError>,
        write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(BuildReport, Sorted), LinkError> {
        let options = &self.options;
        let pages = options.pages();
        {
            let mut sink =
                ShuffleSink { rows: RowMaker::new(options), row_writer: self.shuffle.row_writer(), failed: None };
            let done = self.shuffle.done();
            self.documents.resolve(
                |unit, place| done.holds(unit, place),
                &self.cx,
                fetch,
                |document, repeat, notes| {
                    let mut of_page = DocumentReport::default();
                    read_page_into(document, &pages, &mut sink, &mut of_page)?;
                    sink.row_writer.mark(repeat.unit, repeat.number, repeat.number + 1, &(&of_page).into())?;
                    notes.add(of_page);
                    Ok::<_, LinkError>(())
                },
            )?;
        }
        self.documents.add_notes(self.shuffle.notes().into());
        self.cx.stage("Sorting and writing", None);
        let threads = self.shuffle.threads();
        let mut sorted = self.shuffle.finish()?;
        let java_times = options.java_times;
        let (shuffle, assign) = assign_rendered(
            &mut sorted,
            &options.assign,
            threads,
            |object, out| render_line(object, java_times, out),
            write,
        )?;
        let (documents, problems, unreadable) = (self.documents.into_report(), self.problems, self.unreadable);
        Ok((BuildReport { documents, shuffle, assign, problems, unreadable }, sorted))
    }
}

/// Makes rows out of pages: keys, policy, anchor.
pub(super) struct RowMaker<'o> {
    options: &'o DatasetOptions,
    source: String,
    source_name: String,
    date: CaptureDate,
    target: String,
    anchor: String,
}

impl<'o> RowMaker<'o> {
    pub(super) fn new(options: &'o DatasetOptions) -> Self {
        Self {
            options,
            source: String::new(),
            source_name: String::new(),
            date: CaptureDate::default(),
            target: String::new(),
            anchor: String::new(),
        }
    }

    /// Begins a page: the answer is its capture.
    pub(super) fn page(&mut self, document: &Document) -> TargetCapture<'_> {
        let parts = WebParts::of(&document.url);
        self.options.notation.write_key(&parts, &mut self.source);
        self.source_name.clear();
        self.source_name.push_str(parts.name());
        self.date = document.date;
        TargetCapture { target: &self.source, date: self.date, id: 0 }
    }

    /// The row of a link.
    pub(super) fn link<'l>(&'l mut self, link: &PageLink<'l>) -> LinkRow<'l> {
        let parts = link.url.parts();
        self.options.notation.write_key(&parts, &mut self.target);
        let target = Keyed { key: &self.target, name: parts.name() };
        let source = Keyed { key: &self.source, name: &self.source_name };
        let anchor = match self.options.anchor(link.anchor) {
            Cow::Borrowed(anchor) => anchor,
            Cow::Owned(anchor) => {
                self.anchor = anchor;
                self.anchor.as_str()
            }
        };
        self.options.link_row(target, source, self.date, anchor)
    }
}

/// The start of a text, at most so many UTF-16 code units, no character halved.
pub(super) fn first_units(text: &str, units: usize) -> &str {
    let mut left = units;
    for (at, c) in text.char_indices() {
        match left.checked_sub(c.len_utf16()) {
            Some(rest) => left = rest,
            None => return text.get(..at).unwrap_or_default(),
        }
    }
    text
}

/// Pages into the sort.
struct ShuffleSink<'o, 's> {
    rows: RowMaker<'o>,
    row_writer: RowWriter<'s>,
    failed: Option<LinkError>,
}

impl PageSink for ShuffleSink<'_, '_> {
    fn page(&mut self, document: &Document) -> Result<(), LinkError> {
        self.row_writer.push_capture(&self.rows.page(document))
    }

    fn link(&mut self, link: &PageLink<'_>) {
        if self.failed.is_none() {
            self.failed = self.row_writer.push_link(&self.rows.link(link)).err();
        }
    }

    fn page_done(&mut self) -> Result<(), LinkError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn batch_done(&mut self, batch: &PageBatch, notes: &DocumentReport) -> Result<(), LinkError> {
        self.row_writer.mark(batch.file, batch.from, batch.to, &notes.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "dataset_tests.rs"]
mod tests;
