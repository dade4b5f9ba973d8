//! Documents into the index.

use super::anchor_stamps::anchor_stamp;
use super::page_file::{PageSlot, PageWriter, StoredPage};
use super::schema::Fields;
use super::text_index::{TextIndex, TextIndexError, engine, of_pages};
use crate::text::words;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tantivy::indexer::LogMergePolicy;
use tantivy::schema::TantivyDocument;
use tantivy::{IndexWriter, Term};

/// The form of what is indexed: documents in another form are made again.
pub const INDEX_FORMAT: u32 = 8;
/// Bytes that documents take before they go to disk.
const WRITER_BYTES: usize = 90 << 20;
/// Share of documents of a segment that are deleted before it is merged: a version that is put in
/// again leaves its old document behind.
const DELETED_BEFORE_MERGE: f32 = 0.3;

/// Up to where a catalogue was indexed; a part of each commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexMark {
    /// The form of the documents, [`INDEX_FORMAT`].
    pub format: u32,
    /// The last capture that was taken in.
    pub through: i64,
    /// The stamp of that capture, so that another catalogue is noticed.
    pub last: String,
    /// Captures that the catalogue had lost by then.
    pub lost: u64,
    /// The stamp of the inlinks whose anchors are in it; empty without.
    pub links: String,
    /// The count of changed originals of revisits by then.
    pub originals: i64,
    /// The number of the index, which its file of pages has, too.
    pub pages: u64,
    /// Bytes of the file of pages that it has.
    pub pages_len: u64,
    /// The digest of the kinds of sites that pages were compared with.
    pub site_kinds: String,
    /// Pages in that file, at most, that others took the place of.
    pub replaced: u64,
}

impl IndexMark {
    /// The part of it that follows from the captures alone: equal for every index of them.
    pub fn without_pages(&self) -> Self {
        Self { pages: 0, pages_len: 0, replaced: 0, ..self.clone() }
    }
}

/// A content version, to be indexed. Hostile text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextDocument {
    /// The page as read.
    pub page: StoredPage,
    /// Texts of links from other sites.
    pub anchors: Vec<String>,
    /// Words of the main text.
    pub words: u64,
    /// Kinds of site that it is of, by name.
    pub site_kinds: Vec<String>,
    /// The slot of its page in the file of pages; none where it has to be written.
    pub slot: Option<PageSlot>,
}

/// An index that documents are put into. What was not committed is not there
/// after a kill; a commit is whole or not at all.
pub struct IndexBuilder {
    writer: IndexWriter,
    fields: Fields,
    folder: PathBuf,
    index: TextIndex,
    pages: PageWriter,
    /// Pages that were replaced, as [`IndexMark::replaced`] has it.
    replaced: u64,
}

impl IndexBuilder {
    /// Opens the index of a folder for writing, or makes it where there is
    /// none.
    ///
    /// # Errors
    ///
    /// [`TextIndexError`]; where it [`is_outdated`](TextIndexError::is_outdated), the
    /// folder has to be emptied first.
    pub fn open(folder: &Path) -> Result<Self, TextIndexError> {
        let mut index = match TextIndex::open(folder) {
            Err(TextIndexError::Absent(_)) => TextIndex::create(folder)?,
            opened => opened?,
        };
        let mark = index.mark()?;
        let pages = match &mark {
            Some(mark) => PageWriter::resume(folder, mark.pages, mark.pages_len),
            None => PageWriter::create(folder),
        };
        let pages = pages.map_err(of_pages(folder))?;
        index.open_pages(pages.id)?;
        let writer = index.index.writer_with_num_threads(1, WRITER_BYTES).map_err(engine(folder))?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(DELETED_BEFORE_MERGE);
        writer.set_merge_policy(Box::new(policy));
        let replaced = mark.unwrap_or_default().replaced;
        Ok(Self { writer, fields: index.fields, folder: folder.to_owned(), index, pages, replaced })
    }

    /// The index as it was last committed.
    pub fn index(&self) -> &TextIndex {
        &self.index
    }

    /// Puts a version in, in the place of what it was before.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn put(&mut self, document: &TextDocument) -> Result<(), TextIndexError> {
        self.delete(document.page.version);
        self.replaced += u64::from(document.slot.is_none());
        self.add(document)
    }

    /// Puts a version in that the index does not have.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn add(&mut self, document: &TextDocument) -> Result<(), TextIndexError> {
        let slot = match document.slot {
            Some(slot) => slot,
            None => self.pages.push(&document.page).map_err(of_pages(&self.folder))?,
        };
        let (fields, page) = (&self.fields, &document.page);
        let mut doc = TantivyDocument::default();
        doc.add_u64(fields.version, page.version);
        let mut text = |field, text: &str| {
            if !text.is_empty() {
                doc.add_text(field, text);
            }
        };
        text(fields.title, &page.title);
        text(fields.text, &page.main);
        match (page.description.as_str(), page.rest.as_str()) {
            ("", rest) => text(fields.rest, rest),
            (description, "") => text(fields.rest, description),
            (description, rest) => text(fields.rest, &format!("{description}\n{rest}")),
        }
        text(fields.url, &page.url);
        text(fields.anchors, &document.anchors.join("\n"));
        let language = page.stem_language();
        text(fields.title_stems, &format!("{language}\n{}", page.title));
        text(fields.stems, &format!("{language}\n{}", page.main));
        if let Some((seconds, _)) = &page.published {
            doc.add_i64(fields.published, *seconds);
        }
        doc.add_u64(fields.title_weight, title_weight(&page.title, &page.main));
        doc.add_u64(fields.page, slot.0);
        doc.add_u64(fields.anchor_stamp, anchor_stamp(&document.anchors));
        doc.add_u64(fields.words, document.words);
        doc.add_u64(fields.description_words, words(&page.description).len() as u64);
        doc.add_bool(fields.is_read, page.is_read());
        document.site_kinds.iter().for_each(|kind| doc.add_text(fields.site_kind, kind));
        self.writer.add_document(doc).map_err(engine(&self.folder))?;
        Ok(())
    }

    /// Takes a version out.
    pub fn remove(&mut self, version: u64) {
        self.delete(version);
        self.replaced += 1;
    }

    fn delete(&mut self, version: u64) {
        self.writer.delete_term(Term::from_field_u64(self.fields.version, version));
    }

    /// Makes everything so far durable, and seen by whoever looks.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn commit(&mut self, mark: &IndexMark) -> Result<(), TextIndexError> {
        let engine = engine(&self.folder);
        // Before the engine lists where they are.
        let pages_len = self.pages.sync().map_err(of_pages(&self.folder))?;
        let (pages, replaced) = (self.pages.id, self.replaced);
        let mark = IndexMark { format: INDEX_FORMAT, pages, pages_len, replaced, ..mark.clone() };
        let payload = serde_json::to_string(&mark).unwrap_or_default();
        let mut commit = self.writer.prepare_commit().map_err(&engine)?;
        commit.set_payload(&payload);
        commit.commit().map_err(&engine)?;
        self.index.reload()
    }

    /// Ends the work: waits for merges, and removes files that nothing needs.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn finish(self) -> Result<(), TextIndexError> {
        let engine = engine(&self.folder);
        self.writer.garbage_collect_files().wait().map_err(&engine)?;
        self.writer.wait_merging_threads().map_err(&engine)
    }
}

/// How many times a title counts: twice, of which the heading that repeats it in the main text is one. By that
/// pages with a heading and without rank alike; more of it lets titles drown texts (measured on CACM and Vaswani).
fn title_weight(title: &str, main: &str) -> u64 {
    // Beside what the page is called stands the name of its site.
    let name = title.split(['|', '·', '–', '—']).flat_map(|part| part.split(" - ")).map(str::trim);
    let name = name.max_by_key(|part| part.len()).unwrap_or_default();
    if !name.is_empty() && memchr::memmem::find(main.as_bytes(), name.as_bytes()).is_some() { 1 } else { 2 }
}
