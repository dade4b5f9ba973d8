//! Reads archive files with several threads: one reads records, the others read pages.
//!
//! Reading is a sixth of the work, so one reader feeds some threads; what each
//! of them makes of its pages is the business of its [`PageSink`].

use super::invert::{LinkError, ProcessedInput};
use super::workers::share;
use crate::captures::Unread;
use crate::captures::{Document, DocumentReader, DocumentReport, Place};
use crate::jobs::{Cancelled, JobCx};
use crate::links::MAX_PAGE_BYTES;
use crate::links::{PageLink, PageOptions};
use crate::warc::{ArchiveReader, Problem, WarcError};
use std::io::Read;
use std::path::PathBuf;

/// Pages go to the threads in batches of so many bytes, or so many pages.
const BATCH_BYTES: usize = 1024 * 1024;
const BATCH_PAGES: usize = 64;

/// Receiver of the pages of a thread.
pub(super) trait PageSink {
    /// A page begins.
    fn page(&mut self, document: &Document) -> Result<(), LinkError>;
    /// A link of it.
    fn link(&mut self, link: &PageLink<'_>);
    /// The page ends; returns the errors of its links.
    fn page_done(&mut self) -> Result<(), LinkError>;
    /// Ends a batch, of which all pages were given; `notes` is its report.
    fn batch_done(&mut self, batch: &PageBatch, notes: &DocumentReport) -> Result<(), LinkError>;
}

/// Consecutive pages of a file.
pub(super) struct PageBatch {
    /// Batches are numbered in the order of the input.
    pub(super) number: u64,
    pub(super) file: u32,
    /// Records of the file that it holds, by their numbers: from, and up to
    /// without. Offsets do not grow with each record where some share a member.
    pub(super) from: u64,
    pub(super) to: u64,
    pages: Vec<Document>,
    bytes: usize,
}

/// Event in the reading of a file.
#[derive(Debug)]
pub enum FileEvent<'a> {
    /// Its reading begins.
    Begun,
    /// Something is odd or broken in it.
    Problem(&'a Problem),
    /// It cannot be read at all.
    Unreadable(&'a WarcError),
}

/// Files to read, with the options for reading.
pub(super) struct Input<'i> {
    pub(super) files: &'i [PathBuf],
    pub(super) pages: &'i PageOptions,
    pub(super) threads: usize,
    /// What an interrupted build holds already.
    pub(super) done: &'i ProcessedInput,
    pub(super) cx: &'i JobCx,
}

/// Gives the pages of all files to sinks, each in a thread of its own; with
/// one thread, to one sink in this one. Revisits wait in `documents`.
pub(super) fn read_files<S: PageSink>(
    input: &Input<'_>,
    documents: &mut DocumentReader,
    sink: impl Fn() -> S + Sync,
    mut on_event: impl FnMut(usize, FileEvent<'_>),
) -> Result<(), LinkError> {
    if input.threads <= 1 {
        let (mut sink, mut notes) = (sink(), DocumentReport::default());
        let read = each_batch(input, documents, &mut on_event, |batch| {
            read_batch(&batch, input.pages, &mut sink, &mut notes).map(|()| true)
        });
        documents.add_notes(notes);
        return read;
    }
    let work = |batches: &mut dyn Iterator<Item = PageBatch>| {
        let (mut sink, mut notes) = (sink(), DocumentReport::default());
        for batch in batches {
            read_batch(&batch, input.pages, &mut sink, &mut notes)?;
        }
        Ok(notes)
    };
    let notes = share(input.threads, work, |give| {
        let give = |batch| if give(batch) { Ok(true) } else { Err(Cancelled.into()) };
        each_batch(input, documents, &mut on_event, give)
    });
    notes?.into_iter().for_each(|notes| documents.add_notes(notes));
    Ok(())
}

/// Reads a page into a sink.
pub(super) fn read_page_into<S: PageSink>(
    document: &Document,
    options: &PageOptions,
    sink: &mut S,
    notes: &mut DocumentReport,
) -> Result<(), LinkError> {
    sink.page(document)?;
    let unread: Option<Unread> = document.read_links(options, |link| sink.link(link));
    if let Some(why) = unread {
        notes.note(document.place, &document.url, why);
    }
    sink.page_done()
}

fn read_batch<S: PageSink>(
    batch: &PageBatch,
    options: &PageOptions,
    sink: &mut S,
    notes: &mut DocumentReport,
) -> Result<(), LinkError> {
    let mut of_batch = DocumentReport::default();
    for document in &batch.pages {
        read_page_into(document, options, sink, &mut of_batch)?;
    }
    sink.batch_done(batch, &of_batch)?;
    notes.add(of_batch);
    Ok(())
}

/// Reads the files one after the other; `give` answers whether to go on.
fn each_batch(
    input: &Input<'_>,
    documents: &mut DocumentReader,
    on_event: &mut impl FnMut(usize, FileEvent<'_>),
    mut give: impl FnMut(PageBatch) -> Result<bool, LinkError>,
) -> Result<(), LinkError> {
    let mut numbers = 0..;
    let mut read_before = 0;
    for (at, path) in input.files.iter().enumerate() {
        on_event(at, FileEvent::Begun);
        let file = u32::try_from(at).unwrap_or(u32::MAX);
        let mut on = true;
        let mut give = |mut batch: PageBatch, to: u64| {
            batch.to = to;
            batch.number = numbers.next().unwrap_or(0);
            give(batch).map(|goes_on| on = goes_on)
        };
        let on_file_event = |event: FileEvent<'_>| on_event(at, event);
        let read = ArchiveReader::open(path)
            .map_err(LinkError::from)
            .and_then(|reader| read_file(input, reader, file, read_before, documents, on_file_event, &mut give));
        match read {
            Ok(()) => {}
            Err(LinkError::Archive(error)) => on_event(at, FileEvent::Unreadable(&error)),
            Err(error) => return Err(error),
        }
        if !on {
            return Ok(());
        }
        read_before += path.metadata().map_or(0, |file| file.len());
    }
    Ok(())
}

fn read_file<R: Read>(
    input: &Input<'_>,
    mut reader: ArchiveReader<R>,
    file: u32,
    read_before: u64,
    documents: &mut DocumentReader,
    mut on_event: impl FnMut(FileEvent<'_>),
    give: &mut impl FnMut(PageBatch, u64) -> Result<(), LinkError>,
) -> Result<(), LinkError> {
    let fresh = |from| PageBatch { number: 0, file, from, to: 0, pages: Vec::new(), bytes: 0 };
    let mut batch = fresh(0);
    for number in 0.. {
        let record = reader.next_record(MAX_PAGE_BYTES);
        for problem in reader.take_problems() {
            on_event(FileEvent::Problem(&problem));
        }
        let record = match record {
            Ok(Some(record)) => record,
            Ok(None) => return give(batch, u64::MAX),
            Err(error) => {
                // What was read before stays.
                give(batch, number)?;
                return Err(error.into());
            }
        };
        let offset = record.span.offset;
        if batch.bytes >= BATCH_BYTES || batch.pages.len() >= BATCH_PAGES {
            give(std::mem::replace(&mut batch, fresh(number)), number)?;
            input.cx.set_done(read_before + reader.file_offset());
            input.cx.checkpoint()?;
        }
        documents.check()?;
        let Some(document) = documents.take(record, Place { file, offset }) else { continue };
        if input.done.holds(file, number) {
            documents.count_already_read();
        } else {
            batch.bytes += document.len_bytes();
            batch.pages.push(document);
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::page_record;
    use std::io;
    use std::path::Path;

    /// Answers with an error, as a disk that goes away.
    struct Gone;

    impl Read for Gone {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }

    #[test]
    fn of_a_file_that_breaks_off_what_was_read_is_covered() {
        let records = (0..BATCH_PAGES + 5).map(|n| page_record(&format!("http://a.pt/{n}"), "<a href=/x>X</a>"));
        let file: Vec<u8> = records.flatten().collect();
        let reader = ArchiveReader::new(file.as_slice().chain(Gone), Path::new("a.warc")).unwrap();
        let (pages, done, cx) = (PageOptions::links_only(), ProcessedInput::default(), JobCx::detached());
        let input = Input { files: &[], pages: &pages, threads: 1, done: &done, cx: &cx };
        let mut batches = Vec::new();
        let mut give = |batch: PageBatch, to| {
            batches.push((batch.from, to, batch.pages.len() as u64));
            Ok(())
        };
        let read = read_file(&input, reader, 0, 0, &mut DocumentReader::default(), |_| (), &mut give);
        assert!(matches!(read, Err(LinkError::Archive(_))));
        let limit = BATCH_PAGES as u64;
        assert_eq!(batches.first(), Some(&(0, limit, limit)));
        let (from, to, pages) = batches[1];
        assert!(from == limit && to == from + pages && pages >= 4, "{batches:?}");
    }
}
