//! A workspace is a folder; opening one is careful.

use super::Catalogue;
use super::error::StoreError;
use super::schema::{APPLICATION_ID, FIRST_VERSION, SCHEMA_VERSION};
use crate::jobs::{FileLock, NotLocked, make_private_folder};
use crate::store::CATALOGUE_FILE;
use crate::store::files::site_kinds::KnownSiteKinds;
use crate::uri::CaptureDate;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The catalogue, and what SQLite keeps beside it.
const CATALOGUE_FILES: [&str; 4] = [CATALOGUE_FILE, "fonds.sqlite-wal", "fonds.sqlite-shm", "fonds.sqlite-journal"];
/// The file whose lock the writer of a workspace holds.
pub const LOCK_FILE: &str = "fonds.lock";
/// The folders of a workspace.
const SUBFOLDERS: [&str; 5] = ["output/warcs", "output/logs", "imports", "inlinks", "exports"];

/// The access that a workspace was opened with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// This process writes it.
    Write,
    /// This one only looks.
    ReadOnly(ReadOnlyReason),
}

/// The reason why a workspace is open read-only. Its text explains what cannot be done and what to
/// do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// Another process wrote it as it was opened: who, as far as known.
    Locked(String),
    /// Nobody can write it.
    NotWritable,
    /// Read-only access was requested.
    Requested,
}

impl ReadOnlyReason {
    /// Why nothing is written, as what a greyed button shows.
    pub fn brief(&self) -> &'static str {
        match self {
            Self::Locked(_) => "This workspace is open in another window; read only",
            Self::NotWritable => "This workspace cannot be written to; read only",
            Self::Requested => "This workspace was opened for reading; read only",
        }
    }

    /// Why nothing is written, as a clause.
    fn reason(&self) -> String {
        match self {
            Self::Locked(holder) => format!("another process writes it ({holder})"),
            Self::NotWritable => "it cannot be written to".to_owned(),
            Self::Requested => "it was opened for looking only".to_owned(),
        }
    }

    /// The error for whoever wants to write.
    pub(in crate::store) fn refusal(&self, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Locked(holder) => StoreError::LockedElsewhere { path, holder: holder.clone() },
            Self::NotWritable => StoreError::ReadOnly(path),
            Self::Requested => StoreError::OpenedReadOnly(path),
        }
    }
}

impl fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NOTHING: &str =
            "Everything can be read here, but nothing crawled, imported, built, exported, marked or saved";
        match self {
            Self::Locked(holder) => {
                write!(
                    f,
                    "The workspace is open elsewhere ({holder}). {NOTHING}. Close it there, then open it here again"
                )
            }
            Self::NotWritable => write!(
                f,
                "The workspace cannot be written to. {NOTHING}. Make the folder and its {CATALOGUE_FILE} writable, or copy it to a disk that is, then open it again"
            ),
            Self::Requested => {
                write!(f, "The workspace was opened for looking only. {NOTHING}. Open it again to write")
            }
        }
    }
}

/// An open workspace: its folder, its lock, its catalogue.
pub struct Workspace {
    folder: PathBuf,
    access: Access,
    catalogue: Arc<Catalogue>,
    /// The kinds of sites as their file had them last.
    pub(in crate::store) known_site_kinds: KnownSiteKinds,
    /// Held as long as the workspace is open; the system frees it when the process dies.
    lock: Option<FileLock>,
}

impl Workspace {
    /// Whether a folder looks like a workspace.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(CATALOGUE_FILE).is_file()
    }

    /// Makes a workspace in an empty or absent folder.
    pub fn create(folder: &Path) -> Result<Self, StoreError> {
        if folder.join(CATALOGUE_FILE).exists() {
            return Err(StoreError::Exists(folder.to_owned()));
        }
        if folder.exists() {
            if !folder.is_dir() {
                return Err(StoreError::NotAFolder(folder.to_owned()));
            }
            let mut entries = fs::read_dir(folder).map_err(StoreError::io(folder))?;
            if entries.next().is_some() {
                return Err(StoreError::NotEmpty(folder.to_owned()));
            }
        }
        // Folders above it that are made with it go with it, too.
        let missing: Vec<PathBuf> =
            folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        Self::make(folder, &missing, Catalogue::create)
    }

    /// Makes the folders and the catalogue. What cannot be made whole leaves
    /// nothing behind.
    fn make(
        folder: &Path,
        missing: &[PathBuf],
        create: impl FnOnce(&Path) -> Result<Catalogue, StoreError>,
    ) -> Result<Self, StoreError> {
        let made = || {
            make_private_folder(folder).map_err(StoreError::io(folder))?;
            let folder = folder.canonicalize().map_err(StoreError::io(folder))?;
            // The lock comes first: who else makes a workspace here is left alone.
            let lock = take_lock(&folder)?;
            let make_rest = || {
                for sub in SUBFOLDERS {
                    let path = folder.join(sub);
                    fs::create_dir_all(&path).map_err(StoreError::io(&path))?;
                }
                create(&folder.join(CATALOGUE_FILE))
            };
            match make_rest() {
                Ok(catalogue) => Ok(Self::of(folder, Access::Write, catalogue, Some(lock))),
                Err(error) => {
                    unmake(&folder);
                    Err(error)
                }
            }
        };
        made().inspect_err(|error| {
            if !matches!(error, StoreError::Locked { .. }) {
                // A folder that holds something of others stays.
                missing.iter().for_each(|folder| drop(fs::remove_dir(folder)));
            }
        })
    }

    /// Deletes what [`Workspace::create`] makes; a folder with anything else in it stays.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] where it is open.
    pub fn remove_empty(folder: &Path) -> Result<(), StoreError> {
        let folder = check(folder)?;
        let lock = take_lock(&folder)?;
        unmake(&folder);
        drop(lock);
        let _ = fs::remove_dir(&folder);
        Ok(())
    }

    /// Opens a workspace for writing.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = check(folder)?;
        check_writable(&folder)?;
        let lock = take_lock(&folder)?;
        let catalogue = Catalogue::open(&folder.join(CATALOGUE_FILE))?;
        catalogue.end_abandoned_launches()?;
        let workspace = Self::of(folder, Access::Write, catalogue, Some(lock));
        // They are out of every list; another try comes when it is opened again.
        if let Err(error) = workspace.move_discarded() {
            tracing::warn!("files of a discarded trial are still among the others: {error}");
        }
        Ok(workspace)
    }

    /// Opens a workspace for writing, or read-only when another process writes it or nobody can.
    pub fn open_or_read_only(folder: &Path) -> Result<Self, StoreError> {
        match Self::open(folder) {
            Err(StoreError::Locked { folder, holder }) => Self::read_only(folder, ReadOnlyReason::Locked(holder)),
            Err(StoreError::ReadOnly(folder)) => Self::read_only(check(&folder)?, ReadOnlyReason::NotWritable),
            other => other,
        }
    }

    /// Opens a workspace read-only, whoever writes it meanwhile and even where nothing can be written.
    pub fn open_read_only(folder: &Path) -> Result<Self, StoreError> {
        Self::read_only(check(folder)?, ReadOnlyReason::Requested)
    }

    fn read_only(folder: PathBuf, why: ReadOnlyReason) -> Result<Self, StoreError> {
        let catalogue = Catalogue::open_read_only(&folder.join(CATALOGUE_FILE), why.clone())?;
        Ok(Self::of(folder, Access::ReadOnly(why), catalogue, None))
    }

    fn of(folder: PathBuf, access: Access, catalogue: Catalogue, lock: Option<FileLock>) -> Self {
        Self { folder, access, catalogue: Arc::new(catalogue), known_site_kinds: KnownSiteKinds::default(), lock }
    }

    /// Its folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The access that it is open with.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Lets `work` write into the catalogue of a workspace that this process
    /// writes. Of any other, the reason why nothing was written comes back.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    pub fn if_writable(
        &self,
        work: impl FnOnce(&Catalogue) -> Result<(), StoreError>,
    ) -> Result<Option<String>, StoreError> {
        match &self.access {
            Access::Write => work(&self.catalogue).map(|()| None),
            Access::ReadOnly(why) => Ok(Some(why.reason())),
        }
    }

    /// Whether somebody writes it, this process or another.
    pub fn is_written(&self) -> bool {
        self.lock.is_some() || FileLock::is_locked(&self.folder.join(LOCK_FILE))
    }

    /// Its catalogue.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }
}

/// Deletes what [`Workspace::create`] makes, and nothing else.
fn unmake(folder: &Path) {
    for file in CATALOGUE_FILES.iter().chain(&[LOCK_FILE]) {
        let _ = fs::remove_file(folder.join(file));
    }
    for sub in SUBFOLDERS.iter().chain(&["output"]) {
        let _ = fs::remove_dir(folder.join(sub));
    }
}

/// Looks whether the folder can be opened, touching nothing.
fn check(folder: &Path) -> Result<PathBuf, StoreError> {
    if folder.is_file() {
        return Err(StoreError::NotAFolder(folder.to_owned()));
    }
    if !folder.is_dir() {
        return Err(StoreError::NoFolder(folder.to_owned()));
    }
    let folder = folder.canonicalize().map_err(StoreError::io(folder))?;
    let path = folder.join(CATALOGUE_FILE);
    if !path.is_file() {
        return Err(StoreError::NotAWorkspace(folder));
    }
    if let Some(link) = CATALOGUE_FILES.iter().map(|name| folder.join(name)).find(|path| path.is_symlink()) {
        return Err(StoreError::LinkedCatalogue(link));
    }
    let damaged = |why: &str| super::damage::damaged(&path, why);
    let being_made = || FileLock::is_locked(&folder.join(LOCK_FILE));
    // The header of the file names its program, without a database library that might start to recover
    // something (SQLite file format, 1.3).
    let mut header = [0u8; 100];
    let mut file = File::open(&path).map_err(StoreError::io(&path))?;
    if file.read_exact(&mut header).is_err() {
        // A library would throw away the log of a file without a page.
        return Err(if being_made() { StoreError::BeingMade(folder) } else { damaged("the file is too short") });
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged("it does not begin as an SQLite file"));
    }
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (mut of, mut version) = (number(68), number(60));
    // Until the log is carried over for the first time, or again by a newer program, the id of the file
    // is in the log alone.
    if matches!(of, 0 | APPLICATION_ID) {
        match Catalogue::header_with_log(&path) {
            None => {}
            Some(Ok(logged)) => (of, version) = logged,
            // The error of the file itself is more precise.
            Some(Err(_)) if of == APPLICATION_ID => {}
            Some(Err(source)) => return Err(StoreError::Sql { doing: "be read with its log", source }),
        }
    }
    if of != APPLICATION_ID {
        return Err(if of == 0 && being_made() { StoreError::BeingMade(folder) } else { StoreError::Foreign(path) });
    }
    if version > SCHEMA_VERSION {
        return Err(StoreError::TooNew { path, found: version, known: SCHEMA_VERSION });
    }
    if version < FIRST_VERSION {
        return Err(StoreError::TooOld { folder, found: version, known: SCHEMA_VERSION });
    }
    Catalogue::check(&path)?;
    Ok(folder)
}

fn check_writable(folder: &Path) -> Result<(), StoreError> {
    let read_only = |path: &Path| path.metadata().is_ok_and(|meta| meta.permissions().readonly());
    if read_only(folder) || read_only(&folder.join(CATALOGUE_FILE)) {
        return Err(StoreError::ReadOnly(folder.to_owned()));
    }
    Ok(())
}

fn take_lock(folder: &Path) -> Result<FileLock, StoreError> {
    let path = folder.join(LOCK_FILE);
    let holder = format!("process {} since {}", std::process::id(), CaptureDate::now());
    FileLock::take(&path, &holder).map_err(|error| match error {
        NotLocked::LockedBy(holder) => StoreError::Locked { folder: folder.to_owned(), holder },
        NotLocked::Failed(source)
            if matches!(source.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) =>
        {
            StoreError::ReadOnly(folder.to_owned())
        }
        NotLocked::Failed(source) => StoreError::Io { path, source },
    })
}

#[cfg(test)]
mod tests;
