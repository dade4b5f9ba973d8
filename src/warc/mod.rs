//! Reads and writes archive files.
//!
//! In: WARC 0.17 to 1.1 and ARC 1.0/1.1, plain, gzip (a member per record or one for all) or zstd, recognised
//! by content and not by name. Out: records with their spans, and [`Problem`]s for what is broken; or,
//! writing, WARC/1.1 with one gzip member per record.
//!
//! Invariants: reading never panics and trusts no length; after damage it
//! goes on at the next record; headers keep their order and repeats; bytes of
//! a block are never changed.
//!
//! | where | what |
//! |---|---|
//! | [`ArchiveReader`], [`read_record_at`], [`copy_span`] | records in order, one by its place, its bytes as they are |
//! | [`read_file_in_parallel`], [`read_in_parallel`] | the same with several threads, results in order |
//! | [`http`] | the message inside a record; transfer and content encodings undone |
//! | [`digest`] | block and payload digests, and which bytes they are made of |
//! | [`RecordBuilder`], [`WarcFileSet`], [`repair_open_file`] | records out; files that survive a kill |
//! | [`RecordFacts`], [`RecordFilter`], [`choose`] | what a record is about; which ones are meant; those cut out |
//! | [`recompress_file`], [`convert_arc`] | the same records in another packing; ARC as WARC |
//! | [`find_segments`] | a record in several parts, joined |
//! | [`cdx`], [`check_file`], [`Checker`] | an index of a file; what is wrong with it, or with several together |
//! | [`wacz`] | archive files packed together with an index and pages |
//!
//! A record that is cut off or damaged is reported as a [`Problem`] and not returned by
//! [`ArchiveReader::next_record`]; [`ArchiveReader::next_head`] and reading return what is there of it.
//!
//! ```
//! use fonds::uri::CaptureDate;
//! use fonds::warc::{ArchiveReader, RecordBuilder};
//!
//! let date = CaptureDate::parse("2024-03-01T09:00:00Z").unwrap();
//! let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Biblioteca</h1>";
//! let file = RecordBuilder::response("urn:uuid:1", date, "http://a.pt/").compress(page);
//!
//! let mut reader = ArchiveReader::new(&file[..], "a.warc.gz".as_ref()).unwrap();
//! let record = reader.next_record(1 << 20).unwrap().unwrap();
//! assert_eq!(record.head.target_uri().as_deref(), Some("http://a.pt/"));
//! assert_eq!((record.block.as_slice(), record.span.offset), (&page[..], 0));
//! assert!(reader.next_record(1 << 20).unwrap().is_none() && reader.take_problems().is_empty());
//! ```
//!
//! Not here: which captures a record belongs to (the catalogue's work).

pub mod cdx;
mod check;
mod convert;
mod cut;
pub mod digest;
mod facts;
mod filter;
mod findings;
pub mod http;
mod interleaved_sha1;
mod lines;
mod read;
mod recompress;
mod record;
mod revisit;
mod segments;
pub mod wacz;
mod write;

pub use convert::{convert_arc, convert_arc_file};
pub use cut::{Chosen, Cut, CutError, CutReport, choose};
pub use facts::RecordFacts;
pub use filter::{RecordFilter, StatusFilter, same_url};
pub use recompress::{NewCompression, RecompressError, RecompressReport, recompress_file};
pub use revisit::RevisitProfile;
pub use segments::{JoinedBlock, Segment, SegmentSeries, find_segments};

pub use check::{CheckReport, Checker, check_file, check_reader};
pub use digest::{
    BLOCK_DIGEST, BlockDigester, DigestCheck, Digests, PAYLOAD_DIGEST, RecordProof, sha1_base32, sha1_bytes,
    sha1_field, sha1_text,
};

pub use read::{
    ArchiveReader, Compression, Event, GzipNote, MAX_HEAD_BYTES, MAX_LINE_BYTES, PlaceReader, Records, Visit,
    copy_span, enter_record_at, enter_record_cancellable, enter_record_in, open_archive_file, open_record_at,
    read_file_in_parallel, read_in_parallel, read_record_at, read_record_in, reading_threads,
};
pub use record::{
    Headers, Problem, ProblemKind, Record, RecordHead, RecordType, Severity, SharedMember, Span, WarcError,
    format_offset, metadata_target,
};
pub use write::{
    FileSetOptions, FileSetSizes, KeptTail, Placed, REVISIT_IDENTICAL_PAYLOAD, REVISIT_NOT_MODIFIED, RecordBuilder,
    Repaired, SyncPoint, WarcFileSet, WarcWriter, new_record_id, repair_open_file, warc_fields,
};

/// Lines that repeat each other as one gzip member.
pub fn gzip_member(lines: &[u8]) -> Vec<u8> {
    write::pack_member(&[lines], write::FAST_LEVEL)
}

/// Suffix of the name of a file that is being written.
pub const OPEN_SUFFIX: &str = ".open";
