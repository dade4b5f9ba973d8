//! Reads records out of WARC and ARC files.
//!
//! Layers: [`input`] raw bytes with offsets; [`members`] decoded bytes, member
//! by member ([`whole_members`] or streamed); [`head`] and [`arc`] heads; [`reader`]
//! records, problems and the way back after damage; [`place`] random access;
//! [`parallel`] several threads, [`segment_scheduler`] who of them reads what.

mod arc;
mod gzip;
mod head;
mod input;
mod members;
mod parallel;
mod place;
mod reader;
mod records;
mod segment_scheduler;
mod whole_members;
mod zstd;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod foreign_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod ways_tests;

pub use gzip::GzipNote;
pub(in crate::warc) use gzip::gzip_header_len;
#[cfg(test)]
pub(in crate::warc) use gzip::gzip_note;
pub(in crate::warc) use head::clip;
pub(in crate::warc) use head::parse_head;
pub use head::{MAX_HEAD_BYTES, MAX_LINE_BYTES};
pub(in crate::warc) use input::RETAIN;
pub use members::Compression;
pub use parallel::{Event, Visit, read_file_in_parallel, read_in_parallel, reading_threads};
pub use place::{
    PlaceReader, copy_span, enter_record_at, enter_record_cancellable, enter_record_in, leading_dictionary_frame,
    open_archive_file, open_record_at, read_record_at, read_record_in,
};
pub use reader::ArchiveReader;
pub use records::Records;
