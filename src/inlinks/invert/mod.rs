//! Inverts outlinks into inlinks.
//!
//! In: [`LinkRow`]s and [`TargetCapture`]s in any order. Out, from
//! [`Shuffle::finish`]: for each target in the order of its key's bytes first
//! its captures by date, then its inlinks by (date, source, anchor), each
//! once; or, from [`assign`], the inlinks that fit the captures.
//!
//! Invariants: memory stays within what was given, whatever the input; the
//! result depends on the set of rows alone, not on their order, the memory or
//! the number of threads.
//!
//! | file | holds |
//! |---|---|
//! | `texts`, `dictionary` | texts kept once, that threads share |
//! | `batch`, `entry` | rows as numbers that point at texts |
//! | `split` | where targets are cut into parts for rows that go to the disk |
//! | `generation`, `ranked` | rows and their texts: while they come, and in order |
//! | `blocks`, `index` | compressed blocks with checksums, and where they are |
//! | `run` | sorted rows on disk with their texts, while sorting |
//! | `merge` | a generation and runs as one stream |
//! | `shuffle` | who fills, who sorts, what stays in memory |
//! | `kept` | runs that outlive the program, for builds that were killed |
//! | `notes` | what was noted of the input, beside such runs |
//! | `sorted` | the result, whole or in parts that threads share |
//! | `assign` | which inlinks belong to which capture |
//! | [`stored`] | the result kept in segments, and questions to it |
//!
//! Not here: where rows come from (see `documents`) and where groups go.

mod assign;
mod batch;
mod blocks;
mod dictionary;
mod entry;
mod generation;
mod index;
mod kept;
mod merge;
mod notes;
mod ranked;
mod row;
mod run;
mod shuffle;
mod sorted;
mod split;
pub mod stored;
mod texts;
mod window;

pub use assign::{AssignOptions, AssignReport, Assigned, Dedup, Inlink, Shape, Uncaptured, assign, assign_rendered};
pub use kept::{ProcessedInput, ResumeDir};
pub use notes::{Noted, Notes};
pub use row::{LinkRow, Row, TargetCapture};
pub use shuffle::{DEFAULT_MEMORY_BYTES, RowWriter, Shuffle, ShuffleOptions};
pub use sorted::{ShuffleReport, Sorted};

use crate::captures::RevisitError;
use crate::jobs::Cancelled;
use std::path::PathBuf;

/// Turning outlinks into inlinks failed as a whole.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The temporary folder cannot be used.
    #[error("{folder}: {source} (sorting puts rows there: see that there is room and that files may be made and opened, or choose another folder with TMPDIR or the temp folder option)", folder = folder.display())]
    Temp {
        /// The folder.
        folder: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The disk is too full for the next sorted run.
    #[error(
        "{folder}: {} MiB are free and the next step of sorting needs {} MiB; make room, choose another folder with TMPDIR or the temp folder option, or give more memory",
        free_bytes >> 20, need_bytes.div_ceil(1 << 20), folder = folder.display()
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// What is free there.
        free_bytes: u64,
        /// What is needed, and left for others.
        need_bytes: u64,
    },
    /// A sorted run could not be read back.
    #[error(
        "{folder}: sorted rows cannot be read back: {why}. If this happens again, start over in a new folder; runs that are kept of an earlier build go with this folder",
        folder = folder.display()
    )]
    Run {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Stored links cannot be used, or not written.
    #[error("{}", stored_labels(.0))]
    Stored(#[source] std::io::Error),
    /// There is something else where the folder of runs should be.
    #[error("{path}: sorted runs need a folder, and this is none: name another one, or one that is not there yet", path = path.display())]
    NoFolder {
        /// What was named.
        path: PathBuf,
    },
    /// Runs of another build lie in the folder to go on from.
    #[error(
        "{folder}: the sorted runs that lie here are of another build, nothing was changed. Its {what}: {was}; asked for now: {is}. Pass the same options as that build to resume it, name another folder, or delete this one to begin anew",
        folder = folder.display()
    )]
    KeptOther {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: &'static str,
        /// As it was.
        was: String,
        /// As it is requested.
        is: String,
    },
    /// Another process has the folder to go on from.
    #[error("{folder}: another build uses this folder ({holder}). Wait for it, or name another folder", folder = folder.display())]
    KeptLocked {
        /// The folder.
        folder: PathBuf,
        /// Who, as far as known.
        holder: String,
    },
    /// One row is larger than sorting takes.
    #[error(
        "a link row of {row_bytes} bytes is more than the {most_bytes} bytes that sorting takes for one (16 MiB, or the memory given where that is less): give more memory, or leave the row out"
    )]
    RowTooLarge {
        /// Its size.
        row_bytes: usize,
        /// What it may have.
        most_bytes: usize,
    },
    /// Whoever takes the result could not go on.
    #[error("writing inlinks: {0}")]
    Output(#[source] std::io::Error),
    /// Rows cannot be read.
    #[error("reading rows: {0}")]
    Input(#[source] std::io::Error),
    /// An archive file cannot be read.
    #[error(transparent)]
    Archive(#[from] crate::warc::WarcError),
    /// What revisits repeat cannot be looked up.
    #[error(transparent)]
    Revisits(#[from] RevisitError),
    /// The job was cancelled.
    #[error("stopped on request")]
    Cancelled(#[from] Cancelled),
}

impl LinkError {
    /// Whether stored links are another thing than was written: other bytes,
    /// a file that is gone, rules of something else.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Stored(error) if Self::is_damage_of(error))
    }

    /// Whether an error in a file of stored links is damage.
    pub fn is_damage_of(error: &std::io::Error) -> bool {
        use std::io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
        matches!(error.kind(), InvalidData | InvalidInput | NotFound | UnexpectedEof)
    }
}

/// Describes an error of stored links, and what to do where they are damaged.
fn stored_labels(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::InvalidData => {
            format!(
                "{error}. Load what these links came from into a new folder, and remove this one; those of a workspace are mended by: fonds inlinks build DIR"
            )
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
