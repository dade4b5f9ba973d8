//! Documents into the index.

use super::anchor_stamps::anchor_stamp;
use super::schema::Fields;
use super::text_index::{TextIndex, TextIndexError, engine};
use crate::text::words;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tantivy::indexer::LogMergePolicy;
use tantivy::schema::TantivyDocument;
use tantivy::{IndexWriter, Term};

/// The form of what is indexed: documents in another form are made again.
pub const INDEX_FORMAT: u32 = 5;
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
    /// The last capture that was looked at.
    pub through: i64,
    /// What that capture is, so that another catalogue is noticed.
    pub last: String,
    /// Captures that the catalogue had lost by then.
    pub lost: u64,
    /// What the inlinks were whose anchors are in it; empty without.
    pub links: String,
    /// How often originals of revisits had changed by then.
    pub originals: i64,
}

/// One content version, to be indexed. Hostile text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextDocument {
    /// Number of the version: its first capture.
    pub version: u64,
    /// Title.
    pub title: String,
    /// Main text.
    pub main: String,
    /// Menus, footers and the like.
    pub rest: String,
    /// Meta description.
    pub description: String,
    /// URL of its first capture.
    pub url: String,
    /// Texts of links from other sites.
    pub anchors: Vec<String>,
    /// Language (ISO 639-1); empty where it is not known.
    pub language: String,
    /// When it says that it was published, in seconds, and how that is known.
    pub published: Option<(i64, String)>,
    /// Words of the main text.
    pub words: u64,
}

/// An index that documents are put into. What was not committed is not there
/// after a kill; a commit is whole or not at all.
pub struct IndexBuilder {
    writer: IndexWriter,
    fields: Fields,
    folder: PathBuf,
    index: TextIndex,
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
        let index = match TextIndex::open(folder) {
            Err(TextIndexError::Absent(_)) => TextIndex::create(folder)?,
            opened => opened?,
        };
        let writer = index.index.writer_with_num_threads(1, WRITER_BYTES).map_err(engine(folder))?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(DELETED_BEFORE_MERGE);
        writer.set_merge_policy(Box::new(policy));
        Ok(Self { writer, fields: index.fields, folder: folder.to_owned(), index })
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
        self.remove(document.version);
        self.add(document)
    }

    /// Puts a version in that the index does not have.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn add(&mut self, document: &TextDocument) -> Result<(), TextIndexError> {
        let fields = &self.fields;
        let mut doc = TantivyDocument::default();
        doc.add_u64(fields.version, document.version);
        let mut text = |field, text: &str| {
            if !text.is_empty() {
                doc.add_text(field, text);
            }
        };
        text(fields.title, &document.title);
        text(fields.text, &document.main);
        match (document.description.as_str(), document.rest.as_str()) {
            ("", rest) => text(fields.rest, rest),
            (description, "") => text(fields.rest, description),
            (description, rest) => text(fields.rest, &format!("{description}\n{rest}")),
        }
        text(fields.description, &document.description);
        text(fields.url, &document.url);
        text(fields.anchors, &document.anchors.join("\n"));
        text(fields.language, &document.language);
        text(fields.title_stems, &format!("{}\n{}", document.language, document.title));
        text(fields.stems, &format!("{}\n{}", document.language, document.main));
        if let Some((seconds, evidence)) = &document.published {
            doc.add_i64(fields.published, *seconds);
            doc.add_text(fields.evidence, evidence);
        }
        doc.add_u64(fields.anchor_stamp, anchor_stamp(&document.anchors));
        doc.add_u64(fields.words, document.words);
        doc.add_u64(fields.description_words, words(&document.description).len() as u64);
        self.writer.add_document(doc).map_err(engine(&self.folder))?;
        Ok(())
    }

    /// Takes a version out.
    pub fn remove(&mut self, version: u64) {
        self.writer.delete_term(Term::from_field_u64(self.fields.version, version));
    }

    /// Makes everything so far durable, and seen by whoever looks.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn commit(&mut self, mark: &IndexMark) -> Result<(), TextIndexError> {
        let engine = engine(&self.folder);
        let mark = IndexMark { format: INDEX_FORMAT, ..mark.clone() };
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
