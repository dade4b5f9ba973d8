//! Writes WARC/1.1 files: one gzip member per record.
//!
//! [`RecordBuilder`] makes the bytes of a record, compressed outside any lock; [`WarcWriter`] appends them to
//! any stream and returns their spans; [`WarcFileSet`] keeps a folder of files with rotation, `.open` names
//! and a way back after a kill ([`repair_open_file`]). One file that appears whole or not at all is a
//! [`crate::jobs::WholeFile`].
//!
//! Record ids and dates are the caller's, so that tests repeat their bytes.

mod build;
mod file_set;
mod other_head;
mod pack;
mod repair;

pub use build::{
    REVISIT_IDENTICAL_PAYLOAD, REVISIT_NOT_MODIFIED, RecordBuilder, WarcWriter, new_record_id, warc_fields,
};
pub use file_set::{FileSetOptions, FileSetSizes, Placed, SyncPoint, WarcFileSet};
pub(super) use pack::{FAST_LEVEL, LEVEL as GZIP_LEVEL, MAX_WHOLE, pack as pack_member};
pub use repair::{KeptTail, Repaired, repair_open_file};
