//! Limits bound how much of a record is read, by purpose.

pub use crate::links::MAX_PAGE_BYTES;

/// Bytes of a block within which its HTTP head ends.
pub const MAX_HTTP_HEAD_BYTES: usize = 256 << 10;

/// Bytes of a metadata record that are read with the others of its file.
pub const MAX_NOTES_BYTES: usize = 32 << 20;

/// Bytes of a metadata record of ours that are read for its links alone: more
/// than a million of them take.
pub const MAX_LINK_NOTES_BYTES: u64 = 1 << 30;

/// Pages above this are in memory one at a time, in all threads together.
pub const LARGE_PAGE_BYTES: usize = 8 << 20;

/// Text that is read to detect a page's language.
pub const LANGUAGE_TEXT_BYTES: usize = 64 << 10;

/// Bytes of the text of a capture that are searched, scored and shown. More is a problem of the
/// capture, which whoever indexes it gets.
pub const TEXT_BYTES: usize = 4 << 20;
