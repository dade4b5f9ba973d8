//! Errors of a workspace name the place, the cause and the next step.

use crate::inlinks::LinkError;
use crate::jobs::Cancelled;
use crate::store::CATALOGUE_FILE;
use std::io;
use std::path::{Path, PathBuf};

/// An error of a workspace. Every message names the next step.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such folder.
    #[error("{0}: there is no such folder. Make a workspace there with: fonds new {0}")]
    NoFolder(PathBuf),
    /// A file lies where a folder is expected.
    #[error("{0}: this is a file, not the folder of a workspace. Name the folder")]
    NotAFolder(PathBuf),
    /// The folder holds no catalogue.
    #[error(
        "{0}: this folder is not a workspace (it holds no {CATALOGUE_FILE}). Choose another one, or make a workspace with: fonds new FOLDER"
    )]
    NotAWorkspace(PathBuf),
    /// The catalogue is of another program.
    #[error("{0}: this file is an SQLite database of another program, not a catalogue of Fonds. Choose another folder")]
    Foreign(PathBuf),
    /// Another process has begun the catalogue, and it is still empty.
    #[error("{0}: this workspace is being made just now. Try again in a moment")]
    BeingMade(PathBuf),
    /// The workspace was written by a later version.
    #[error(
        "{path}: this workspace was written by a newer Fonds (catalogue version {found}, this program knows {known}). Open it with that program; nothing was changed"
    )]
    TooNew {
        /// The catalogue.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// The workspace was written by a version that was never released.
    #[error(
        "{folder}: this workspace was written by an earlier Fonds (catalogue version {found}, this program writes {known}). Nothing was changed. Bring what people know of it, and its archive files, into a new workspace with: fonds new NEW_FOLDER --from {folder}"
    )]
    TooOld {
        /// The folder.
        folder: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// The file of kinds of sites cannot be used.
    #[error("{}: {why}. Mend the file, or take it away: the kinds of the program alone are used then", .path.display())]
    SiteKinds {
        /// The file.
        path: PathBuf,
        /// Where, and why.
        why: String,
    },
    /// The catalogue cannot be read.
    #[error(
        "{path}: the catalogue is damaged ({why}). Nothing was changed. Put a backup in its place (fonds backup makes them). Without one, captures, links and the campaigns that were crawled can be rebuilt: fonds new NEW_FOLDER, then {rebuild}. Lost without a backup are notes and decisions, selections, verdicts of URLs that were not fetched, and campaigns that were never crawled"
    )]
    Damaged {
        /// The catalogue.
        path: PathBuf,
        /// The message of SQLite.
        why: String,
        /// The command that brings in what can be rebuilt.
        rebuild: String,
    },
    /// The shape of the catalogue is not that of its version.
    #[error(
        "{path}: {what}. Another program has changed this catalogue, and it may do harm: it is not opened, and nothing was changed. Ask for one that only Fonds has written, or put a backup in its place. Without one, captures, links and the campaigns that were crawled can be rebuilt: fonds new NEW_FOLDER, then {rebuild}"
    )]
    Altered {
        /// The catalogue.
        path: PathBuf,
        /// The foreign part in it, or the missing one.
        what: String,
        /// The command that brings in what can be rebuilt.
        rebuild: String,
    },
    /// Nothing can be written there.
    #[error(
        "{0}: this workspace cannot be written to. Make the folder and its {CATALOGUE_FILE} writable, or copy it to a disk that is; nothing was changed"
    )]
    ReadOnly(PathBuf),
    /// Another process wrote the workspace as it was opened read-only.
    #[error(
        "{path}: the workspace is open elsewhere ({holder}). Close it there first, then open it here again; nothing was changed"
    )]
    LockedElsewhere {
        /// The path that was to be written.
        path: PathBuf,
        /// The holder of the lock, as far as known.
        holder: String,
    },
    /// It was opened read-only.
    #[error("{0}: this workspace was opened for looking only; nothing was changed. Open it again to write")]
    OpenedReadOnly(PathBuf),
    /// There is a workspace already.
    #[error("{0}: this folder is a workspace already. Use it as it is, or choose another folder for a new one")]
    Exists(PathBuf),
    /// A new workspace needs an empty place.
    #[error("{0}: the folder is not empty. Choose an empty or new folder for the workspace")]
    NotEmpty(PathBuf),
    /// Another process writes the workspace.
    #[error("{folder}: the workspace is open elsewhere ({holder}). Close it there first")]
    Locked {
        /// The folder.
        folder: PathBuf,
        /// The holder of the lock, as far as known.
        holder: String,
    },
    /// An operation of the system failed.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A statement of the catalogue failed.
    #[error("the catalogue could not {doing}: {source}")]
    Sql {
        /// The action that failed.
        doing: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// A change did not reach the disk.
    #[error(
        "the catalogue could not be written: {0}. Look for a full disk or a lost drive; what was written before is kept"
    )]
    Commit(String),
    /// There is no room for a change.
    #[error("the catalogue could not be written: {0}. Make room on its disk; what was written before is kept")]
    DiskFull(String),
    /// Something stored cannot be read back.
    #[error("the catalogue holds something unreadable: {0}")]
    Content(String),
    /// A name of the catalogue leads out of the workspace.
    #[error(
        "the catalogue names the file “{name}”, which leads out of the workspace {workspace}; it is not opened. The catalogue was changed by another program: put a backup in its place"
    )]
    Outside {
        /// The workspace.
        workspace: PathBuf,
        /// The name as it is stored.
        name: String,
    },
    /// The catalogue, or its log, is a link to another file.
    #[error(
        "{0}: this is a link, and a catalogue is written only where it stands, with its log beside it. Put the file itself in its place; nothing was changed"
    )]
    LinkedCatalogue(PathBuf),
    /// A link lies where the workspace keeps a folder of its own.
    #[error(
        "{0}: this is a link, and a workspace is written only into folders of its own. Put the folder itself in its place, then try again; nothing was written there"
    )]
    Link(PathBuf),
    /// An archive file is not at its place.
    #[error(
        "{path}: the archive file is not there any more. Bring its disk back, or have it looked for with: fonds files locate {workspace} FOLDER"
    )]
    FileMissing {
        /// Its path.
        path: PathBuf,
        /// The workspace.
        workspace: PathBuf,
    },
    /// Other bytes are at the place of an archive file.
    #[error(
        "{path}: another file stands here than the one that was read (it had {then} bytes, this one has {now}); it is not read in its place. Have the old one looked for with: fonds files locate {workspace} FOLDER"
    )]
    FileChanged {
        /// Its path.
        path: PathBuf,
        /// The workspace.
        workspace: PathBuf,
        /// Bytes it had.
        then: u64,
        /// Bytes that it has now.
        now: u64,
    },
    /// A filter line has no meaning.
    #[error("the filter cannot be read: {0}")]
    Filter(String),
    /// No campaign has this number or title.
    #[error("there is no campaign “{0}” in this workspace; fonds campaign list DIR shows those that there are")]
    NoCampaign(String),
    /// A title alone does not identify a campaign.
    #[error("several campaigns are called “{name}”: say which by its number, one of {numbers}")]
    SeveralCampaigns {
        /// The title.
        name: String,
        /// Their numbers.
        numbers: String,
    },
    /// A campaign cannot be deleted while it is crawled.
    #[error("campaign {0} is being crawled, so it was not deleted. Stop the crawl first")]
    CampaignRuns(i64),
    /// A launch can be neither kept nor discarded, with the reason.
    #[error("only a trial that ended is kept or discarded as a whole: {0}. Nothing was changed")]
    NoTrial(&'static str),
    /// Archive files could be of each of several campaigns.
    #[error(
        "which campaign are these captures of? There are {0}. Name one, or none: on the command line with --campaign NUMBER or --campaign none. Nothing was imported"
    )]
    WhichCampaign(String),
    /// Built inlinks cannot be read, or not written.
    #[error(transparent)]
    Links(#[from] LinkError),
    /// The job was cancelled.
    #[error("stopped on request")]
    Cancelled(#[from] Cancelled),
    /// No such row.
    #[error("there is no {what} {id} in this workspace")]
    Missing {
        /// The kind of thing that was looked for.
        what: &'static str,
        /// Its number or name.
        id: String,
    },
}

impl StoreError {
    /// Whether something could not be written for want of room.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::DiskFull(_) => true,
            Self::Sql { source, .. } => is_disk_full(source),
            Self::Io { source, .. } => crate::jobs::is_disk_full(source),
            _ => false,
        }
    }

    /// Whether a text of the catalogue is none.
    pub(in crate::store) fn is_of_text(&self) -> bool {
        match self {
            Self::Sql { source: rusqlite::Error::Utf8Error(..), .. } => true,
            Self::Sql { source: rusqlite::Error::FromSqlConversionFailure(_, _, why), .. } => {
                why.is::<std::str::Utf8Error>()
            }
            _ => false,
        }
    }

    pub(in crate::store) fn sql(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Sql { doing, source }
    }

    pub(in crate::store) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sql { doing: "answer", source }
    }
}

/// Whether SQLite found no room to write. A quota or the largest size of a
/// file is an error of writing to it like any other.
pub(in crate::store) fn is_disk_full(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi;
    let Some(error) = error.sqlite_error() else { return false };
    error.code == rusqlite::ErrorCode::DiskFull
        || matches!(error.extended_code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE)
}
