//! A workspace is a folder; opening one is careful.

use super::CATALOGUE_FILE;
use super::built::Opened;
use super::catalogue::Catalogue;
use super::error::StoreError;
use super::migrate::{APPLICATION_ID, SCHEMA_VERSION};
use crate::jobs::{FileLock, NotLocked, make_private_folder};
use crate::uri::CaptureDate;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The catalogue, and what SQLite keeps beside it.
const CATALOGUE_FILES: [&str; 4] = [CATALOGUE_FILE, "fonds.sqlite-wal", "fonds.sqlite-shm", "fonds.sqlite-journal"];
const LOCK_FILE: &str = "fonds.lock";
/// The folders of a workspace.
const SUBFOLDERS: [&str; 5] = ["output/warcs", "output/logs", "imports", "inlinks", "exports"];

/// How a workspace is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// This process writes it.
    Write,
    /// This one only looks.
    ReadOnly(ReadOnlyReason),
}

/// Why a workspace is only looked at. Shown, it says what cannot be done and
/// what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// Another process wrote it as it was opened: who, as far as known.
    Held(String),
    /// Nobody can write it.
    NotWritable,
    /// Nothing else was asked for.
    Asked,
}

impl ReadOnlyReason {
    /// Why nothing is written, as a clause.
    fn reason(&self) -> String {
        match self {
            Self::Held(holder) => format!("another process writes it ({holder})"),
            Self::NotWritable => "it cannot be written to".to_owned(),
            Self::Asked => "it was opened for looking only".to_owned(),
        }
    }

    /// What whoever wants to write is told.
    pub(super) fn refusal(&self, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Held(holder) => StoreError::HeldElsewhere { path, holder: holder.clone() },
            Self::NotWritable => StoreError::ReadOnly(path),
            Self::Asked => StoreError::OpenedReadOnly(path),
        }
    }
}

impl fmt::Display for ReadOnlyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NOTHING: &str =
            "Everything can be read here, but nothing crawled, imported, built, exported, marked or saved";
        match self {
            Self::Held(holder) => {
                write!(
                    f,
                    "The workspace is open elsewhere ({holder}). {NOTHING}. Close it there, then open it here again"
                )
            }
            Self::NotWritable => write!(
                f,
                "The workspace cannot be written to. {NOTHING}. Make the folder and its {CATALOGUE_FILE} writable, or copy it to a disk that is, then open it again"
            ),
            Self::Asked => write!(f, "The workspace was opened for looking only. {NOTHING}. Open it again to write"),
        }
    }
}

/// An open workspace: its folder, its lock, its catalogue.
pub struct Workspace {
    folder: PathBuf,
    access: Access,
    catalogue: Arc<Catalogue>,
    /// The built inlinks, once somebody asked.
    pub(super) opened: Mutex<Option<Opened>>,
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

    /// Opens a workspace for writing.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = check(folder)?;
        check_writable(&folder)?;
        let lock = take_lock(&folder)?;
        let catalogue = Catalogue::open(&folder.join(CATALOGUE_FILE))?;
        catalogue.end_abandoned_launches()?;
        Ok(Self::of(folder, Access::Write, catalogue, Some(lock)))
    }

    /// Opens a workspace for writing, or for looking only when another
    /// process writes it or nobody can.
    pub fn open_or_read_only(folder: &Path) -> Result<Self, StoreError> {
        match Self::open(folder) {
            Err(StoreError::Locked { folder, holder }) => Self::look_since(folder, ReadOnlyReason::Held(holder)),
            Err(StoreError::ReadOnly(folder)) => Self::look_since(check(&folder)?, ReadOnlyReason::NotWritable),
            other => other,
        }
    }

    /// Opens a workspace for looking only, whoever writes it meanwhile and
    /// even where nothing can be written.
    pub fn look(folder: &Path) -> Result<Self, StoreError> {
        Self::look_since(check(folder)?, ReadOnlyReason::Asked)
    }

    fn look_since(folder: PathBuf, why: ReadOnlyReason) -> Result<Self, StoreError> {
        let catalogue = Catalogue::open_read_only(&folder.join(CATALOGUE_FILE), why.clone())?;
        Ok(Self::of(folder, Access::ReadOnly(why), catalogue, None))
    }

    fn of(folder: PathBuf, access: Access, catalogue: Catalogue, lock: Option<FileLock>) -> Self {
        Self { folder, access, catalogue: Arc::new(catalogue), opened: Mutex::default(), lock }
    }

    /// Its folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How it is open.
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
    // The header of the file says whose it is, without a database library
    // that might start to recover something (SQLite file format, 1.3).
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
    // Until the log is carried over for the first time, or again by a newer
    // program, whose file it is stands in the log alone.
    if matches!(of, 0 | APPLICATION_ID) {
        match Catalogue::header_with_log(&path) {
            None => {}
            Some(Ok(logged)) => (of, version) = logged,
            // What the file itself is found to be says more.
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
        NotLocked::Held(holder) => StoreError::Locked { folder: folder.to_owned(), holder },
        NotLocked::Failed(source)
            if matches!(source.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) =>
        {
            StoreError::ReadOnly(folder.to_owned())
        }
        NotLocked::Failed(source) => StoreError::Io { path, source },
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Every file of a folder with its bytes.
    fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                all.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
        all
    }

    /// Opening fails with these words, and nothing in the folder changes.
    #[track_caller]
    fn check_refused(folder: &Path, words: &str) {
        let before = contents(folder);
        let error = Workspace::open(folder).err().expect("has to be refused").to_string();
        assert!(error.contains(words), "{error}");
        assert!(contents(folder) == before, "the folder was changed: {error}");
    }

    fn made() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("archive");
        drop(Workspace::create(&folder).unwrap());
        (dir, folder)
    }

    #[test]
    fn a_new_workspace_opens_again_and_only_once() {
        let (_dir, folder) = made();
        let first = Workspace::open(&folder).unwrap();
        let error = Workspace::open(&folder).err().unwrap().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        let second = Workspace::open_or_read_only(&folder).unwrap();
        assert!(matches!(second.access(), Access::ReadOnly(_)));
        let error = second.catalogue().set_setting("a", "b").unwrap_err().to_string();
        let holder = format!("the workspace is open elsewhere (process {} since", std::process::id());
        assert!(error.contains(&holder) && !error.contains("writable"), "{error}");
        let error = second.links_to_build().err().unwrap().to_string();
        assert!(error.contains(&holder), "{error}");
        drop(first);
        Workspace::open(&folder).unwrap();
    }

    #[test]
    fn what_is_no_workspace_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        check_refused(dir.path(), "not a workspace");
        let error = Workspace::open(&dir.path().join("nowhere")).err().unwrap().to_string();
        assert!(error.contains("no such folder") && error.contains("fonds new"), "{error}");

        fs::write(dir.path().join(CATALOGUE_FILE), b"short").unwrap();
        check_refused(dir.path(), "damaged (the file is too short)");
        fs::write(dir.path().join(CATALOGUE_FILE), [b'x'; 4096]).unwrap();
        check_refused(dir.path(), "damaged");
        fs::remove_file(dir.path().join(CATALOGUE_FILE)).unwrap();
        let other = rusqlite::Connection::open(dir.path().join(CATALOGUE_FILE)).unwrap();
        other.execute_batch("CREATE TABLE t (a)").unwrap();
        drop(other);
        check_refused(dir.path(), "another program");
    }

    #[test]
    fn a_newer_a_damaged_and_a_read_only_workspace_are_refused_and_left_alone() {
        let (_dir, folder) = made();
        let path = folder.join(CATALOGUE_FILE);
        let good = fs::read(&path).unwrap();

        let mut newer = good.clone();
        newer[60..64].copy_from_slice(&(SCHEMA_VERSION + 1).to_be_bytes());
        fs::write(&path, &newer).unwrap();
        check_refused(&folder, "newer Fonds");

        let mut damaged = good.clone();
        damaged[100..2000].fill(0x55);
        fs::write(&path, &damaged).unwrap();
        check_refused(&folder, "fonds import");

        fs::write(&path, &good).unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        check_refused(&folder, "cannot be written to");
        let looking = Workspace::open_or_read_only(&folder).unwrap();
        assert_eq!(*looking.access(), Access::ReadOnly(ReadOnlyReason::NotWritable));
        let error = looking.catalogue().set_setting("a", "b").unwrap_err().to_string();
        assert!(error.contains("Make the folder and its fonds.sqlite writable"), "{error}");
        assert!(Workspace::look(&folder).unwrap().catalogue().campaigns().unwrap().is_empty());
    }

    #[test]
    fn a_file_and_a_workspace_are_no_place_for_a_new_one() {
        let (_dir, folder) = made();
        let refused = |path: &Path| Workspace::create(path).err().unwrap().to_string();
        assert!(refused(&folder).contains("a workspace already"));
        let file = folder.join(CATALOGUE_FILE);
        assert!(refused(&file).contains("this is a file"));
        check_refused_as_file(&file);
    }

    #[track_caller]
    fn check_refused_as_file(file: &Path) {
        let error = Workspace::open(file).err().unwrap().to_string();
        assert!(error.contains("this is a file") && !error.contains("fonds new"), "{error}");
    }

    #[test]
    fn reading_does_not_keep_others_from_writing() {
        let (_dir, folder) = made();
        let looking = Workspace::look(&folder).unwrap();
        looking.catalogue().campaigns().unwrap();
        let writing = Workspace::open(&folder).unwrap();
        writing.catalogue().set_setting("a", "b").unwrap();
        assert_eq!(looking.catalogue().setting("a").unwrap().as_deref(), Some("b"));
        assert!(matches!(looking.catalogue().set_setting("a", "c"), Err(StoreError::OpenedReadOnly(_))));
    }

    #[test]
    fn a_workspace_killed_while_its_log_was_carried_over_opens() {
        let (dir, folder) = made();
        let killed = dir.path().join("killed");
        fs::create_dir(&killed).unwrap();
        let open = Workspace::open(&folder).unwrap();
        let mut campaign = crate::campaign::Campaign::new("Long");
        campaign.description = "x".repeat(50_000);
        open.catalogue().save_campaign(None, &campaign).unwrap();
        for name in ["fonds.sqlite", "fonds.sqlite-wal"] {
            fs::copy(folder.join(name), killed.join(name)).unwrap();
        }
        drop(open);
        // The first page is written, those behind it are not.
        let whole = fs::read(folder.join(CATALOGUE_FILE)).unwrap();
        let mut torn = fs::read(killed.join(CATALOGUE_FILE)).unwrap();
        assert!(torn.len() < whole.len());
        torn[..4096].copy_from_slice(&whole[..4096]);
        fs::write(killed.join(CATALOGUE_FILE), torn).unwrap();
        let again = Workspace::open(&killed).unwrap();
        assert_eq!(again.catalogue().campaigns().unwrap()[0].name, "Long");
    }

    #[test]
    fn a_workspace_whose_log_was_never_carried_over_opens_read_only() {
        let (dir, folder) = made();
        let path = folder.join(CATALOGUE_FILE);
        fs::remove_file(&path).unwrap();
        // As it stands while it is made: a page that says nothing, then the log alone.
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        let lock = take_lock(&folder).unwrap();
        let refused = |folder: &Path| Workspace::look(folder).err().unwrap().to_string();
        assert!(refused(&folder).contains("is being made just now. Try again"), "{}", refused(&folder));
        drop((conn, lock));
        assert!(refused(&folder).contains("another program"));
        let lock = take_lock(&folder).unwrap();
        let open = Workspace::of(folder.clone(), Access::Write, Catalogue::open(&path).unwrap(), Some(lock));
        open.catalogue().save_campaign(None, &crate::campaign::Campaign::new("New")).unwrap();
        assert_eq!(fs::read(&path).unwrap()[68..72], [0; 4], "the file says whose it is");
        for looking in [Workspace::look(&folder), Workspace::open_or_read_only(&folder)] {
            assert_eq!(looking.unwrap().catalogue().campaigns().unwrap()[0].name, "New");
        }
        // Killed at that moment it can be written too; of a newer program it cannot.
        let killed = dir.path().join("killed");
        fs::create_dir(&killed).unwrap();
        for name in ["fonds.sqlite", "fonds.sqlite-wal"] {
            fs::copy(folder.join(name), killed.join(name)).unwrap();
        }
        assert_eq!(Workspace::open(&killed).unwrap().catalogue().campaigns().unwrap()[0].name, "New");
        let newer = rusqlite::Connection::open(&path).unwrap();
        newer.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
        assert!(refused(&folder).contains("newer Fonds"), "{}", refused(&folder));
    }

    #[test]
    fn a_file_without_a_byte_is_being_made_or_cut_off_and_its_log_is_kept() {
        let (_dir, folder) = made();
        fs::write(folder.join(CATALOGUE_FILE), b"").unwrap();
        fs::write(folder.join("fonds.sqlite-wal"), b"the only copy").unwrap();
        check_refused(&folder, "damaged (the file is too short)");
        let _lock = take_lock(&folder).unwrap();
        check_refused(&folder, "is being made just now");
    }

    #[test]
    fn a_workspace_that_cannot_be_made_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let full = |path: &Path| {
            fs::write(path, b"the first page").unwrap();
            fs::write(path.with_extension("sqlite-wal"), b"x").unwrap();
            Err(StoreError::Commit("the disk is full".to_owned()))
        };
        let (new, above) = (dir.path().join("a/b/archive"), dir.path().join("a/b"));
        let missing = [new.clone(), above, dir.path().join("a")];
        let error = Workspace::make(&new, &missing, full).err().unwrap().to_string();
        assert!(error.contains("disk is full"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        // An empty folder that was there stays, and what came meanwhile.
        fs::create_dir(dir.path().join("a")).unwrap();
        let there = dir.path().join("a");
        assert!(Workspace::make(&there, &[], full).is_err());
        assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
        drop(Workspace::create(&there).unwrap());
        Workspace::open(&there).unwrap();
    }

    #[test]
    fn a_catalogue_damaged_in_its_middle_says_what_can_be_rebuilt() {
        let (_dir, folder) = made();
        let open = Workspace::open(&folder).unwrap();
        let mut campaign = crate::campaign::Campaign::new("Long");
        campaign.description = "x".repeat(400_000);
        let id = open.catalogue().save_campaign(None, &campaign).unwrap();
        open.catalogue()
            .write(|conn| {
                conn.execute_batch(
                    "INSERT INTO launch (kind, job, launch, state, started_ms) VALUES ('import', 'i', '1', 'finished', 5);
                     INSERT INTO warc_file (path, launch) VALUES ('/media/old/a.warc.gz', 1)",
                )?;
                Ok(())
            })
            .unwrap();
        drop(open);
        let path = folder.join(CATALOGUE_FILE);
        let mut bytes = fs::read(&path).unwrap();
        // Pages of the long text, whose chain breaks; the tables begin before them.
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle..middle + 40 * 4096].fill(0x55);
        fs::write(&path, &bytes).unwrap();
        let found = Workspace::look(&folder).and_then(|looking| looking.catalogue().campaign(id).map(drop));
        let error = found.unwrap_err().to_string();
        for words in ["is damaged (", "/media/old/a.warc.gz", "output/warcs", "fonds backup", "Lost without a backup"] {
            assert!(error.contains(words), "{words}: {error}");
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was changed");
    }

    #[test]
    fn a_workspace_is_never_made_on_top_of_something() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
        let error = Workspace::create(dir.path()).err().unwrap().to_string();
        assert!(error.contains("not empty"), "{error}");
        assert_eq!(contents(dir.path()).len(), 1);
    }
}
