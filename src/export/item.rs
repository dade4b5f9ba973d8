//! Input and report of an export.

use super::{ExportError, FurtherKnowledge};
use crate::jobs::ascii_name;
use crate::keys::SigningKey;
use crate::knowledge::{StatedLink, Statement};
use crate::uri::CaptureDate;
use crate::warc::{RecordType, Span, new_record_id};
use std::path::PathBuf;
use std::sync::Arc;

/// A record of a capture, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportRecord {
    /// Absolute path of its file.
    pub file: PathBuf,
    /// Where in the file.
    pub span: Span,
    /// Its type.
    pub record_type: RecordType,
    /// Its id without angle brackets; empty in ARC files.
    pub record_id: String,
    /// Why it cannot be read, where its file is missing or another one.
    pub lost: Option<String>,
}

/// The capture that a revisit repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its URL.
    pub url: String,
    /// Its date.
    pub date: CaptureDate,
    /// Its records; the first is the response.
    pub records: Vec<ExportRecord>,
}

/// A selected capture.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportItem {
    /// Its URL.
    pub url: String,
    /// Its date.
    pub date: CaptureDate,
    /// Its records; the first is the response, resource or revisit.
    pub records: Vec<ExportRecord>,
    /// The original, when it is a revisit and that is known.
    pub original: Option<Original>,
    /// The knowledge of Fonds about it, as JSON: the block of its metadata record.
    pub knowledge: String,
    /// The knowledge as RDF, for a record of N-Quads; without the links.
    pub statements: Vec<Statement>,
    /// The links that `knowledge` lists, as far as they are stated as RDF:
    /// see [`stated_links`](crate::knowledge::stated_links).
    pub links: Vec<StatedLink>,
    /// The links to it that `knowledge` lists, as a line of the data set; none
    /// where there are none.
    pub inlinks: Option<String>,
}

impl ExportItem {
    /// An error in what an item is made of.
    pub fn unread(error: impl Into<anyhow::Error>) -> ExportError {
        ExportError::Unread(error.into())
    }
}

/// The options of an export.
pub struct ExportOptions<'a> {
    /// The begin of the names of archive files; letters without their marks,
    /// digits, `-` and `_`, anything else becomes `-`.
    pub prefix: String,
    /// A title for the manifest and the `warcinfo` records.
    pub title: String,
    /// Further fields of the `warcinfo` records.
    pub info: Vec<(String, String)>,
    /// A file that has reached so many bytes is followed by another one.
    pub max_bytes: u64,
    /// How many captures there will be, and bytes of their records in the
    /// sources, where that is known.
    pub expected: Option<(u64, u64)>,
    /// Writes the inlinks of the items as a data set too.
    pub inlinks: bool,
    /// Problems that are known before: what is not carried along, and why.
    pub problems: Vec<String>,
    /// The files in the folder beside the archive files, in this order.
    pub attachments: Vec<super::Attachment<'a>>,
    /// States what is known beyond captures, as RDF; without it there is no
    /// `knowledge.nq.gz` and no record of N-Quads.
    pub further_knowledge: Option<FurtherKnowledge<'a>>,
    /// Packs the archive files, an index and a list of pages into `PREFIX.wacz` too.
    pub wacz: bool,
    /// Signs the manifest, and the package.
    pub signer: Option<SigningKey>,
    /// Description of the selection, for the manifest; made when all items
    /// are there.
    pub selection: Option<Box<dyn FnOnce() -> serde_json::Value + 'a>>,
    /// Tells the time.
    pub clock: Arc<dyn Fn() -> CaptureDate + Send + Sync>,
    /// Makes record ids.
    pub record_id: Arc<dyn Fn() -> String + Send + Sync>,
}

impl ExportOptions<'_> {
    /// Files of about 1 GB, the system's clock, random ids, no data set.
    pub fn new(prefix: &str) -> Self {
        let safe = ascii_name(prefix, "-_");
        // Other tools take a name that begins with `-` for an option.
        let prefix: String = safe.chars().skip_while(|c| *c == '-').take(80).collect();
        Self {
            prefix: if prefix.is_empty() { "EXPORT".to_owned() } else { prefix },
            title: String::new(),
            info: Vec::new(),
            max_bytes: 1_000_000_000,
            expected: None,
            inlinks: false,
            problems: Vec::new(),
            attachments: Vec::new(),
            further_knowledge: None,
            wacz: false,
            signer: None,
            selection: None,
            clock: Arc::new(CaptureDate::now),
            record_id: Arc::new(new_record_id),
        }
    }
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportReport {
    /// The folder.
    pub folder: PathBuf,
    /// Counts of its content.
    pub counts: super::Counts,
    /// Bytes of all files.
    pub bytes: u64,
    /// Captures or records that could not be carried along, and why.
    pub problems: Vec<String>,
    /// What is written otherwise than in the sources, without a loss: a line for each kind.
    pub notes: Vec<String>,
}
