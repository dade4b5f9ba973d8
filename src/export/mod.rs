//! Carries a selection out of the workspace, and reads it back.
//!
//! In: an [`ExportItem`] per selected capture, with its inlinks, and [`Attachment`]s. Out: a folder that is complete or not there at all:
//!
//! ```text
//! README.txt, report.html        for people; report.md has the same text as the report
//! manifest.json                  counts, rows of each attachment, size and SHA-256 of every file
//! manifest.sig.json              an Ed25519 signature of the manifest (on request)
//! bagit.txt, bag-info.txt, …     what makes the folder a bag (BagIt 1.0)
//! data/archive/PREFIX-….warc.gz  warcinfo, the records byte for byte, per capture a metadata record in
//!                                JSON and one in N-Quads, and a resource record of N-Quads
//! data/indexes/index.cdxj        the place of every capture
//! data/inlinks.jsonl             the inlink data set of the selection
//! data/knowledge.nq.gz           what is known as RDF: the quads of all records, and those of the inlinks
//!                                that metadata records list; each once
//! data/campaign/                 every version of the campaign, the files that prove permissions
//! data/decisions.jsonl           every decision, note and judgement, as W3C Web Annotations
//! data/review.json               samples to review with what was judged of them, reason codes
//! data/selection.json            what the captures were selected with
//! data/scores.jsonl.gz           what each score is made of
//! data/seen.jsonl.gz             every URL that was seen, with its verdict
//! data/formats/                  JSON Schemas, a JSON-LD context and SHACL shapes of all this
//! data/PREFIX.wacz               the archive files once more, as a package to look at (on request)
//! ```
//!
//! Invariants: a record that is compressed on its own is copied byte for
//! byte; any other is written under a head of its own with its block
//! unchanged, and packed as it was where it was compressed on its own; a revisit brings its original, and a record the `warcinfo` record
//! that it names; what `inlinks.jsonl` lists of a capture is what its metadata
//! record lists; nothing is overwritten; no file name comes from a URL; the
//! folder gets its name when everything in it is synced. [`verify`] needs
//! nothing but the folder.
//!
//! A fault in a source is reported as a problem, by file, offset and URL, and
//! never makes an export that [`verify`] refuses, but for evidence that is lost,
//! which the one who receives it has to know:
//!
//! | in the source | in the export |
//! |---|---|
//! | a record id that another record has, or none | a new id; the other records of the capture follow |
//! | the same record at two places | once |
//! | a block or payload digest that the bytes contradict | the right digest |
//! | a `warcinfo` record that is not there | no `WARC-Warcinfo-ID` |
//! | a date that common readers fail on, such as `2014-01` | the same date, to the second |
//! | a target URI in `<…>` | kept; index and metadata record have it without |
//! | a record that cannot be read whole | left out, with its capture |
//! | evidence of a permission that is not there, or holds other bytes | not in it; documents name it without a path |
//! | the metadata records of an earlier export | left behind; the new ones have what is known now |
//!
//! A field whose value does not hold is kept under another name: its
//! `WARC-` becomes `WARC-Fonds-Source-`, which readers pass over.
//!
//! Not here: which captures are selected, what their scores and inlinks are.

mod bag;
mod csv;
mod host_graph;
mod item;
mod knowledge;
mod known_inlinks;
mod manifest;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(test)]
mod peers;
mod search_documents;
mod signature;
#[cfg(test)]
mod tests;
mod verify;
mod wacz;
mod write;

pub use csv::{csv_row, spreadsheet_cell};
pub use host_graph::{GraphFormat, write_host_graph};
pub use item::{ExportItem, ExportOptions, ExportRecord, ExportReport, Original};
pub use knowledge::FurtherKnowledge;
pub use known_inlinks::{InlinksOfCapture, KnownInlink, KnownInlinks, each_known_inlinks};
pub use manifest::{Counts, MANIFEST_NAME, Manifest, ManifestFile};
#[cfg(feature = "parquet")]
pub use parquet::{ParquetError, read_parquet, write_parquet};
pub use search_documents::{DocumentFormat, DocumentMerger, DocumentOptions, SolrRow, document_rows};
pub use signature::SIGNATURE_NAME;
pub use verify::{VerifyCheck, check_handover, verify};
pub use wacz::{PackageOptions, write_package};
pub use write::attachments::{Attachment, RewrittenRecord, RewrittenRecords, Written};
pub use write::compressed::{CompressedWriter, compression_by_name};
pub use write::sink::{PlannedFile, SIZE_MARGIN, SIZE_MARGIN_BYTES};
pub use write::{export_selection, plan_export};

use crate::jobs::{Cancelled, disk_full_advice, is_disk_full};
use crate::warc::WarcError;
use crate::warc::wacz::WaczWriteError;
use std::path::{Path, PathBuf};

/// An export or a verification could not be carried through.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder to write is not empty.
    #[error("{}: the folder is not empty; name one that is empty or does not exist", folder.display())]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process exports into the same folder.
    #[error("{}: another export is writing this folder ({holder}). Wait for it, or name another folder", folder.display())]
    BeingWritten {
        /// The half-written folder.
        folder: PathBuf,
        /// The process that writes it, as far as known.
        holder: String,
    },
    /// A folder is in the place of the export, and no export made it.
    #[error(
        "{}: this folder is in the way, and it is not known whether an export left it. Move or delete it, then export again, or name another folder",
        folder.display()
    )]
    NotAStaging {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is no export.
    #[error("{}: no export of Fonds ({why})", folder.display())]
    NotAnExport {
        /// The folder.
        folder: PathBuf,
        /// The missing part.
        why: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The disk of the export is full.
    #[error("{}: {file} cannot be written: {source}. {}", folder.display(), what_is_left(left.as_deref()))]
    DiskFull {
        /// The folder that was to be written.
        folder: PathBuf,
        /// The file in it that was being written.
        file: String,
        /// The error of the operating system, and what to do.
        source: std::io::Error,
        /// Where the half-written export is, if it could not be taken away.
        left: Option<PathBuf>,
    },
    /// There is no room for what does not fit into memory.
    #[error("{}: {source} (an export needs room there for large records; name another folder with TMPDIR)", folder.display())]
    Temporary {
        /// The folder of temporary files.
        folder: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A WACZ package cannot be written.
    #[error(transparent)]
    Wacz(#[from] WaczWriteError),
    /// An archive file cannot be read or written.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// The originals of revisits cannot be looked up.
    #[error(transparent)]
    Revisits(#[from] crate::captures::RevisitError),
    /// The content of an item cannot be read.
    #[error(transparent)]
    Unread(anyhow::Error),
    /// Stopped on request; nothing is left behind.
    #[error("stopped on request")]
    Cancelled(#[from] Cancelled),
}

impl ExportError {
    /// Adds advice where the disk of an export into `out` is full, which was written as `staging`. `left` is true if
    /// the half-written export could not be deleted.
    fn with_advice(self, out: &Path, staging: &Path, left: bool) -> Self {
        let (file, source) = match &self {
            Self::Io { path, source }
            | Self::Warc(WarcError::Io { path, source })
            | Self::Wacz(WaczWriteError::Io { path, source } | WaczWriteError::Warc(WarcError::Io { path, source })) => {
                (path.strip_prefix(staging).unwrap_or(path).display().to_string(), source)
            }
            // What is copied into an attachment.
            Self::Unread(error) => match error.root_cause().downcast_ref() {
                Some(source) => (error.to_string(), source),
                None => return self,
            },
            _ => return self,
        };
        if !is_disk_full(source) {
            return self;
        }
        let source = disk_full_advice(out, source);
        Self::DiskFull { folder: out.to_owned(), file, source, left: left.then(|| staging.to_owned()) }
    }
}

fn what_is_left(left: Option<&Path>) -> String {
    match left {
        None => "Nothing of this export is left there".to_owned(),
        Some(folder) => format!("The half-written export could not be taken away: delete {}", folder.display()),
    }
}

/// Names the file in an error of the system.
fn io_at(path: &Path) -> impl Fn(std::io::Error) -> ExportError {
    let path = path.to_owned();
    move |source| ExportError::Io { path: path.clone(), source }
}

/// Names the folder in an error of a temporary file, which has no name.
fn no_temporary(source: std::io::Error) -> ExportError {
    ExportError::Temporary { folder: std::env::temp_dir(), source }
}
