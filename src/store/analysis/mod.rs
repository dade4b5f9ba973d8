//! What analyses found, in a file of its own beside the catalogue.
//!
//! Derived data: what texts hold by themselves (`pages`), and what runs made of it (`runs`, `results`). It is
//! in no backup. A file of another form, or one that somebody changed, is put aside for a new one.

mod pages;
mod results;
mod runs;

pub use pages::{AnalysedPage, CorpusCounts, PackedPage};
pub use results::{EntityMention, EntityRow, FoundEntity, RelatedEntity};
pub use runs::{AnalysisRun, Places, RunCounts, RunKind, RunReach, RunResults, RunWriter};

use super::catalogue::untrusted::connect;
use super::files::paths::own_folder;
use crate::jobs::lock;
use crate::search::INDEX_FORMAT;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// Its place in the folder of a workspace.
const FOLDER: &str = "analysis";
const FILE: &str = "analysis.sqlite";
const TABLES: &str = include_str!("tables.sql");
/// The form of what is kept of a page: counts up with each change of how names and terms are found, and with that of
/// the texts.
const FORM: u32 = 2000 + INDEX_FORMAT;

/// What analyses found could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] super::StoreError),
    /// The file cannot be read or written.
    #[error("{}: {source}. Analyses can be made again: delete this file, then fonds analyse", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// SQLite failed.
    #[error("{}: {source}. Look for a full disk; analyses can be made again: delete this file, then fonds analyse", .path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// Its error.
        source: rusqlite::Error,
    },
    /// Nothing was analysed yet.
    #[error("nothing was analysed yet; run: fonds analyse {}", .0.display())]
    Absent(PathBuf),
    /// There is no such run.
    #[error("there is no analysis {0}; list them: fonds analyse list DIR")]
    NoRun(i64),
}

/// The results of a statement of the file at this path.
pub(in crate::store) type AnalysisResult<T> = Result<T, AnalysisError>;

/// The file of analyses of a workspace.
#[derive(Debug)]
pub struct AnalysisStore {
    path: PathBuf,
    conn: Mutex<Connection>,
}

impl AnalysisStore {
    /// The path of the file in a workspace.
    ///
    /// # Errors
    ///
    /// A link in the place of its folder.
    fn path_in(workspace: &Path) -> AnalysisResult<PathBuf> {
        Ok(own_folder(workspace, Path::new(FOLDER))?.join(FILE))
    }

    /// Opens the file of the workspace in a folder for reading.
    ///
    /// # Errors
    ///
    /// [`AnalysisError::Absent`] where nothing was analysed by this version of the program.
    pub fn open(workspace: &Path) -> AnalysisResult<Self> {
        let path = Self::path_in(workspace)?;
        let absent = || AnalysisError::Absent(workspace.to_owned());
        if !is_own_file(&path) {
            return Err(absent());
        }
        let store = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        if store.is_of_this_form() { Ok(store) } else { Err(absent()) }
    }

    /// Opens the file for writing, or makes it.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn open_or_create(workspace: &Path) -> AnalysisResult<Self> {
        let path = Self::path_in(workspace)?;
        let file = |source| AnalysisError::File { path: path.clone(), source };
        crate::jobs::make_private_folder(path.parent().unwrap_or(Path::new(""))).map_err(file)?;
        if path.is_symlink() || path.exists() {
            let opened = is_own_file(&path).then(|| Self::connect(path.clone(), OpenFlags::SQLITE_OPEN_READ_WRITE));
            match opened {
                Some(Ok(store)) if store.is_of_this_form() => return Ok(store),
                _ => {
                    for end in ["", "-wal", "-shm", "-journal"] {
                        let mut name = path.as_os_str().to_owned();
                        name.push(end);
                        match std::fs::remove_file(&name) {
                            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(file(error)),
                            _ => {}
                        }
                    }
                }
            }
        }
        drop(crate::jobs::create_private(&path).map_err(file)?);
        let store = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let conn = store.conn();
        store.of(conn.execute_batch(TABLES))?;
        store.of(conn.pragma_update(None, "user_version", FORM))?;
        drop(conn);
        Ok(store)
    }

    fn connect(path: PathBuf, flags: OpenFlags) -> AnalysisResult<Self> {
        let open = || {
            let conn = connect(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
            conn.busy_timeout(std::time::Duration::from_secs(10))?;
            if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) {
                conn.pragma_update(None, "journal_mode", "wal")?;
                conn.pragma_update(None, "synchronous", "normal")?;
            }
            Ok(conn)
        };
        match open() {
            Ok(conn) => Ok(Self { path, conn: Mutex::new(conn) }),
            Err(source) => Err(AnalysisError::Sql { path, source }),
        }
    }

    fn conn(&self) -> MutexGuard<'_, Connection> {
        lock(&self.conn)
    }

    fn of<T>(&self, result: rusqlite::Result<T>) -> AnalysisResult<T> {
        result.map_err(|source| AnalysisError::Sql { path: self.path.clone(), source })
    }

    /// Whether its tables are those of this version, and nothing else is in it.
    fn is_of_this_form(&self) -> bool {
        let shape = |conn: &Connection| -> rusqlite::Result<Vec<(String, Option<String>)>> {
            let mut statement = conn.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        let own = || {
            let conn = Connection::open_in_memory()?;
            conn.execute_batch(TABLES)?;
            shape(&conn)
        };
        let conn = self.conn();
        let form: rusqlite::Result<u32> = conn.pragma_query_value(None, "user_version", |row| row.get(0));
        form.is_ok_and(|form| form == FORM) && shape(&conn).is_ok_and(|found| own().is_ok_and(|own| own == found))
    }
}

fn is_own_file(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}
