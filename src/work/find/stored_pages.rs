//! Texts of captures: as the index keeps them, and read from an archive file only where it does not.
//!
//! A record is read once after it was stored, by the job that indexes. Scores, samples of requests,
//! the comparison with anchors and the view of a text read them here. What is not indexed yet, and
//! what could not be read then, is read from its record; so is what is damaged in the index, which
//! the next follow-up makes again.

use super::record_content::{read_record, read_record_text};
use super::text_index::{index_folder, open_index};
use crate::captures::PageFacts;
use crate::search::{StoredPage, StoredPages, TextIndex, TextIndexError};
use crate::store::Workspace;
use crate::work::models::CaptureId;

/// The source of texts of captures: the index, else their records.
pub(in crate::work) struct PageTexts<'w> {
    workspace: &'w Workspace,
    index: Option<TextIndex>,
}

impl<'w> PageTexts<'w> {
    /// Opens the texts of a workspace, whether it has an index that can be used or not.
    ///
    /// # Errors
    ///
    /// A catalogue, or an index that cannot be read for another reason than that it has to be made again.
    pub(in crate::work) fn open(workspace: &'w Workspace) -> anyhow::Result<Self> {
        let index = match open_index(workspace.catalogue(), &index_folder(workspace)) {
            Ok(index) => Some(index),
            Err(error) if error.downcast_ref().is_some_and(TextIndexError::is_outdated) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { workspace, index })
    }

    /// The index that has them; none where there is none that can be used.
    pub(in crate::work) fn index(&self) -> Option<&TextIndex> {
        self.index.as_ref()
    }

    /// Reads texts one behind the other; each thread has its own.
    ///
    /// # Errors
    ///
    /// An index that cannot be read.
    pub(in crate::work) fn reader(&self) -> anyhow::Result<PageTextReader<'_>> {
        let pages = self.index.as_ref().map(TextIndex::pages).transpose()?;
        Ok(PageTextReader { workspace: self.workspace, pages })
    }

    /// The page facts of a capture in the index; none where it has none.
    ///
    /// # Errors
    ///
    /// A catalogue or an index that cannot be read.
    pub(in crate::work) fn indexed_facts(&self, capture: CaptureId) -> anyhow::Result<Option<PageFacts>> {
        Ok(self.reader()?.indexed(self.version_of(capture)?).map(|page| facts_of(&page)))
    }

    fn version_of(&self, capture: CaptureId) -> anyhow::Result<u64> {
        Ok(self.workspace.catalogue().capture_heads(&[capture])?.first().map_or(0, |head| head.version))
    }

    /// The page of one capture, as [`PageTextReader::read`] has it.
    ///
    /// # Errors
    ///
    /// A record that cannot be read where the index does not have it.
    pub(in crate::work) fn read(&self, capture: CaptureId) -> anyhow::Result<StoredPage> {
        self.reader()?.read(capture, self.version_of(capture)?)
    }
}

/// Reads texts of captures one behind the other.
pub(in crate::work) struct PageTextReader<'t> {
    workspace: &'t Workspace,
    pages: Option<StoredPages<'t>>,
}

impl PageTextReader<'_> {
    /// The page of the content version of a capture.
    ///
    /// # Errors
    ///
    /// A record that cannot be read where the index does not have it.
    pub(in crate::work) fn read(&mut self, capture: CaptureId, version: u64) -> anyhow::Result<StoredPage> {
        if let Some(page) = self.indexed(version) {
            return Ok(page);
        }
        let stored = self.workspace.catalogue().stored_capture(capture)?;
        Ok(read_record(self.workspace, &stored)?.into_page(version, &stored))
    }

    /// The page with no more than title, URL and text: what a score needs of a record costs less than
    /// half of the rest.
    ///
    /// # Errors
    ///
    /// A record that cannot be read where the index does not have it.
    pub(in crate::work) fn text(&mut self, capture: CaptureId, version: u64) -> anyhow::Result<StoredPage> {
        if let Some(page) = self.indexed(version) {
            return Ok(page);
        }
        let stored = self.workspace.catalogue().stored_capture(capture)?;
        Ok(read_record_text(self.workspace, &stored)?.into_page(version, &stored))
    }

    /// The page of a version in the index alone.
    pub(in crate::work) fn indexed(&mut self, version: u64) -> Option<StoredPage> {
        self.pages.as_mut()?.page(version).ok().flatten().filter(StoredPage::is_read)
    }
}

/// The facts of a page that was read.
pub(in crate::work) fn facts_of(page: &StoredPage) -> PageFacts {
    PageFacts::decode(&page.facts).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "stored_pages_tests.rs"]
mod tests;
