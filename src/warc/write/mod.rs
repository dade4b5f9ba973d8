//! Writes WARC/1.1 files: one gzip member per record.
//!
//! [`RecordBuilder`] makes the bytes of a record, compressed outside any
//! lock; [`WarcWriter`] appends them to anything and tells their place;
//! [`WarcFileSet`] keeps a folder of files with rotation, `.open` names and a
//! way back after a kill ([`repair_open_file`]); [`NewFile`] is one file that
//! appears whole or not at all.
//!
//! Record ids and dates are the caller's, so that tests repeat their bytes.

mod build;
mod file_set;
mod new_file;
mod other_head;
mod pack;
mod rename;
mod repair;

pub use build::{
    REVISIT_IDENTICAL_PAYLOAD, REVISIT_NOT_MODIFIED, RecordBuilder, WarcWriter, new_record_id, warc_fields,
};
pub use file_set::{FileSetOptions, FileSetSizes, Placed, SyncPoint, WarcFileSet};
pub use new_file::NewFile;
pub(super) use pack::{FAST_LEVEL, LEVEL as GZIP_LEVEL, MAX_WHOLE, pack as pack_member};
pub use rename::make_folder;
pub use repair::{KeptTail, Repaired, repair_open_file};
