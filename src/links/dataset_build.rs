//! Documents into data set objects.

use super::dataset::DatasetObject;
use super::documents::{Document, DocumentReader, DocumentReport, MAX_PAGE_BYTES, Place};
use super::invert::{
    AssignOptions, AssignReport, CaptureRow, LinkError, LinkRow, Shuffle, ShuffleOptions, ShuffleReport, assign,
};
use super::{LinkKind, PageOptions};
use crate::jobs::JobCx;
use crate::uri::{CdxKey, DatasetKey, Fqdn, InternalPolicy, Url};
use crate::warc::{ArchiveReader, Problem, Record, WarcError};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};

/// How keys are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// `(pt,arquivo,` and `(pt,fct,)/sobre`, as the published data set.
    #[default]
    Dataset,
    /// `pt,arquivo)/` and `pt,fct)/sobre`, as CDX files and the slides.
    Cdx,
}

impl Notation {
    /// The key of a URL.
    pub fn key(self, url: &Url) -> String {
        match self {
            Self::Dataset => DatasetKey::of(url).as_str().to_owned(),
            Self::Cdx => CdxKey::of(url).as_str().to_owned(),
        }
    }
}

/// How a data set is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DatasetOptions {
    /// How keys are written; pages are told apart by them.
    pub notation: Notation,
    /// Which links are internal.
    pub internal: InternalPolicy,
    /// Which inlinks belong to which capture.
    pub assign: AssignOptions,
    /// Memory and place for sorting.
    pub shuffle: ShuffleOptions,
    /// How pages are read.
    pub image_alt: bool,
}

/// What a build did.
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
}

/// Takes archive files and gives a data set.
pub struct DatasetBuilder {
    options: DatasetOptions,
    documents: DocumentReader,
    shuffle: Shuffle,
    problems: u64,
}

impl DatasetBuilder {
    /// `cx` is asked whether to stop, and told how far the work is.
    pub fn new(options: DatasetOptions, cx: &JobCx) -> Self {
        let pages = PageOptions { image_alt: options.image_alt, ..PageOptions::links_only() };
        let shuffle = Shuffle::new(&options.shuffle, cx);
        Self { options, documents: DocumentReader::new(pages), shuffle, problems: 0 }
    }

    /// Reads an archive file. `file` is its number for [`Self::finish`];
    /// `told` hears of its problems; `at` of the offset reached.
    pub fn add_archive<R: Read>(
        &mut self,
        file: u32,
        reader: &mut ArchiveReader<R>,
        mut told: impl FnMut(&Problem),
        mut at: impl FnMut(u64) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        loop {
            let record = reader.next_record(MAX_PAGE_BYTES);
            for problem in reader.take_problems() {
                self.problems += 1;
                told(&problem);
            }
            let Some(record) = record? else { return Ok(()) };
            self.add_record(&record, Place { file, offset: record.span.offset })?;
            at(reader.file_offset())?;
        }
    }

    /// Takes one record.
    pub fn add_record(&mut self, record: &Record, place: Place) -> Result<(), LinkError> {
        match self.documents.read(record, place) {
            Some(document) => push_document(&mut self.shuffle, &self.options, &document),
            None => Ok(()),
        }
    }

    /// Resolves revisits with `fetch`, sorts, assigns, and gives every object to `emit`.
    pub fn finish(
        mut self,
        fetch: impl FnMut(Place) -> Result<Record, WarcError>,
        mut emit: impl FnMut(&DatasetObject) -> io::Result<()>,
    ) -> Result<BuildReport, LinkError> {
        let (shuffle, options) = (&mut self.shuffle, &self.options);
        self.documents.resolve(fetch, |document| push_document(shuffle, options, &document))?;
        let sorted = self.shuffle.finish()?;
        let (shuffle, assign) = assign(sorted, &self.options.assign, |assigned| emit(&DatasetObject::from(assigned)))?;
        Ok(BuildReport { documents: self.documents.report().clone(), shuffle, assign, problems: self.problems })
    }
}

fn push_document(shuffle: &mut Shuffle, options: &DatasetOptions, document: &Document) -> Result<(), LinkError> {
    let source = options.notation.key(&document.url);
    shuffle.push_capture(&CaptureRow { target: &source, date: document.date, id: 0 })?;
    let source_name = Fqdn::of(&document.url);
    for link in document.page.links.iter().filter(|link| link.kind == LinkKind::Anchor) {
        shuffle.push_link(&LinkRow {
            target: &options.notation.key(&link.url),
            target_url: "",
            source: &source,
            source_url: "",
            source_id: 0,
            date: document.date,
            anchor: &link.anchor,
            internal: options.internal.is_internal(&Fqdn::of(&link.url), &source_name),
            nofollow: link.nofollow,
            kind: link.kind,
            position: link.position,
        })?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "dataset_tests.rs"]
mod tests;
