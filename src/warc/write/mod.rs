//! Writes WARC/1.1 files: one gzip member per record.
//!
//! [`RecordBuilder`] makes the bytes of a record, compressed outside any
//! lock; [`WarcWriter`] appends them to anything and tells their place;
//! [`WarcFileSet`] keeps a folder of files with rotation, `.open` names and a
//! way back after a kill ([`repair_open_file`]).
//!
//! Record ids and dates are the caller's, so that tests repeat their bytes.

mod build;
mod file_set;
mod pack;

pub use build::{REVISIT_IDENTICAL_PAYLOAD, RecordBuilder, WarcWriter, new_record_id, warc_fields};
pub use file_set::{FileSetOptions, Placed, Repaired, WarcFileSet, repair_open_file};
