//! CDX indexes: a line for each capture, so that replay tools find its record.
//!
//! In: archive files, or index files of others: CDXJ as pywb, cdxj-indexer,
//! OutbackCDX, Common Crawl and WACZ packages have it, and classic CDX with
//! the columns that its header names. Out: [`IndexLine`]s, or text in one of
//! the [`IndexForm`]s.
//!
//! Invariants: a line that cannot be read is reported with its number and the reason, and the others are
//! read; a line has a longest length, so that no file fills the memory; a gzip index is read as it is.
//!
//! | where | what |
//! |---|---|
//! | [`index_each`], [`index_file`] | from archive files to lines |
//! | [`index_line`] | from the head and block of a record to its line |
//! | [`IndexSorter`], [`write_sorted`] | from lines to text in order, however many there are |
//! | [`IndexReader`] | from text to lines |
//! | [`LineCheck`] | checks lines against their records |
//!
//! Not in the index: records without a place of their own (several share a
//! gzip member), requests, and metadata of `application/warc-fields`.

mod build;
mod check;
mod classic;
mod form;
mod line;
mod post;
mod read;
mod sort;

pub use build::{
    IndexOptions, MAX_INDEXED_BEGIN, declared_digest, index_each, index_file, index_line, index_reader, indexed_url,
    is_indexed,
};
pub use check::LineCheck;
pub use classic::Columns;
pub use form::IndexForm;
pub use line::{IndexLine, LineError};
pub use post::{MAX_REQUEST_BYTES, posted_url};
pub use read::{IndexProblem, IndexReader, MAX_INDEX_LINE_BYTES};
pub use sort::{IndexSorter, write_sorted};
