//! Archive files as the catalogue knows them, held against the disk.
//!
//! A file is known by its digest. Its size and the time it was written last are kept beside it, so
//! that reading the folder shows most changes.

pub(super) mod discarded;
pub(super) mod import_campaigns;
pub(super) mod imports;
pub(super) mod paths;
pub(super) mod site_kinds;

use super::captures::RecordRow;
use super::rows::ProblemId;

use super::catalogue::Catalogue;
use super::rows::{CaptureId, FileId, FileRow, FileState, LaunchId, ProblemRow};
use crate::jobs::counted;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::catalogue::workspace::Workspace;
use crate::store::files::paths::stored_place;
use crate::warc::{RecordType, Span};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A file that the catalogue knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Its number.
    pub id: FileId,
    /// Its name as the catalogue keeps it.
    pub path: String,
    /// Its size when it was read; 0 when a crawl wrote it and nobody looked.
    pub size: u64,
    /// SHA-256 in hex; empty until it is known.
    pub sha256: String,
    /// Whether a crawl of this workspace wrote it.
    pub crawled: bool,
    /// Whether other bytes were found at its place since.
    pub changed: bool,
}

/// A file whose bytes are not at their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileToLocate {
    /// The file as known.
    pub known: KnownFile,
    /// A few of its records, by which a file without digest is recognized.
    pub records: Vec<RecordRow>,
}

/// The modification time of a file, in nanoseconds since 1970; 0 where the system has none.
pub fn mtime_ns(meta: &Metadata) -> i64 {
    let Ok(time) = meta.modified() else { return 0 };
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

const KNOWN: &str = "f.id, f.path, f.size, f.sha256, l.kind = 'crawl', f.changed > 0";

fn known_row(row: &Row<'_>) -> rusqlite::Result<KnownFile> {
    Ok(KnownFile {
        id: row.get(0)?,
        path: row.get(1)?,
        size: uint(row.get(2)?),
        sha256: row.get(3)?,
        crawled: row.get(4)?,
        changed: row.get(5)?,
    })
}

/// The number of the file that has this path now.
pub(super) fn file_id(conn: &Connection, launch: LaunchId, path: &str) -> Result<FileId, StoreError> {
    let known = conn
        .prepare_cached("SELECT id FROM warc_file WHERE path = ?1 AND changed < 2")?
        .query_row([path], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    conn.prepare_cached("INSERT INTO warc_file (path, launch) VALUES (?1, ?2)")?.execute(params![path, launch])?;
    Ok(FileId::new(conn.last_insert_rowid()))
}

/// Whether another file has this path now.
fn is_taken(conn: &Connection, path: &str, id: FileId) -> Result<bool, StoreError> {
    let mut other = conn.prepare_cached("SELECT 1 FROM warc_file WHERE path = ?1 AND changed < 2 AND id <> ?2")?;
    Ok(other.exists(params![path, id])?)
}

impl Catalogue {
    /// The file that was read at this path before, if its size and date are still the same and it was
    /// read to its end. It may have grown at the place that it is read from.
    pub fn known_file_at(&self, path: &str, size: u64, mtime_ns: i64) -> Result<Option<KnownFile>, StoreError> {
        self.row_if_any(
            &format!(
                "SELECT {KNOWN} FROM import_file i JOIN warc_file f ON f.id = i.file JOIN launch l ON l.id = f.launch
                     WHERE i.path = ?1 AND i.bytes = ?2 AND i.mtime_ns = ?3 AND i.outcome IN ('read', 'known', 'moved')
                       AND f.changed = 0 AND (f.size > i.bytes OR (f.size = i.bytes AND f.sha256 <> ''))
                     ORDER BY i.id DESC LIMIT 1"
            ),
            params![path, int(size), mtime_ns],
            known_row,
        )
    }

    /// The file that was read at this path the last time, when it had fewer bytes than now, or was not
    /// read to its end.
    pub fn read_from_before(&self, path: &str, size: u64) -> Result<Option<KnownFile>, StoreError> {
        self.row_if_any(
            &format!(
                "SELECT {KNOWN} FROM import_file i JOIN warc_file f ON f.id = i.file JOIN launch l ON l.id = f.launch
                     WHERE i.path = ?1 AND (f.size < ?2 OR (f.size = ?2 AND f.sha256 = '')) AND f.changed < 2 AND l.kind = 'import' ORDER BY i.id DESC LIMIT 1"
            ),
            params![path, int(size)],
            known_row,
        )
    }

    /// The files that had this size when they were read, those read to their end first.
    pub fn files_of_size(&self, size: u64) -> Result<Vec<KnownFile>, StoreError> {
        self.rows(
            &format!(
                "SELECT {KNOWN} FROM warc_file f JOIN launch l ON l.id = f.launch WHERE f.size = ?1
                 ORDER BY f.sha256 = '', f.changed, f.id"
            ),
            [int(size)],
            known_row,
        )
    }

    /// The file that has this name now.
    pub fn file_called(&self, path: &str) -> Result<Option<KnownFile>, StoreError> {
        self.row_if_any(
            &format!(
                "SELECT {KNOWN} FROM warc_file f JOIN launch l ON l.id = f.launch WHERE f.path = ?1 AND f.changed < 2"
            ),
            [path],
            known_row,
        )
    }

    /// A file has more bytes now behind those that were read, at its place or
    /// in a copy: they are read next. Says whether that could be kept, as
    /// [`Self::move_file`] does.
    pub fn file_goes_on(&self, id: FileId, path: &str, size: u64, mtime_ns: i64) -> Result<bool, StoreError> {
        let path = path.to_owned();
        self.write(move |conn| {
            if is_taken(conn, &path, id)? {
                return Ok(false);
            }
            conn.execute(
                "UPDATE warc_file SET path = ?2, size = ?3, mtime_ns = ?4, sha256 = '', changed = 0 WHERE id = ?1",
                params![id, path, int(size), mtime_ns],
            )?;
            Ok(true)
        })
    }

    /// Every file as the catalogue has it, without its state on the disk.
    pub fn known_files(&self) -> Result<Vec<KnownFile>, StoreError> {
        self.rows(
            &format!("SELECT {KNOWN} FROM warc_file f JOIN launch l ON l.id = f.launch ORDER BY f.path, f.id"),
            [],
            known_row,
        )
    }

    /// Keeps the size of a file that a crawl wrote.
    pub fn learn_size(&self, id: FileId, size: u64) -> Result<(), StoreError> {
        self.execute("UPDATE warc_file SET size = ?2 WHERE id = ?1", (id, int(size)))
    }

    /// Keeps the result of reading the whole file: it is unchanged, or its digest is known from now on.
    pub fn file_is_sound(&self, id: FileId, size: u64, mtime_ns: i64, sha256: &str) -> Result<(), StoreError> {
        let sha256 = sha256.to_owned();
        self.execute(
            "UPDATE warc_file SET size = ?2, mtime_ns = ?3, sha256 = ?4,
                    changed = CASE changed WHEN 1 THEN 0 ELSE changed END WHERE id = ?1",
            (id, int(size), mtime_ns, sha256),
        )
    }

    /// A file that was unpacked from a package is about to be read.
    pub fn member_begins(&self, id: FileId, package: FileId) -> Result<(), StoreError> {
        self.execute("UPDATE warc_file SET package = ?2 WHERE id = ?1", [id, package])
    }

    /// Keeps the digest of a file unpacked from a package, and its records.
    pub fn member_is_read(&self, id: FileId, sha256: &str, records: u64) -> Result<(), StoreError> {
        let sha256 = sha256.to_owned();
        self.execute("UPDATE warc_file SET sha256 = ?2, records = ?3 WHERE id = ?1", (id, sha256, int(records)))
    }

    /// Marks a file at whose place other bytes are than those that were read.
    pub fn file_is_changed(&self, id: FileId) -> Result<(), StoreError> {
        self.execute("UPDATE warc_file SET changed = 1 WHERE id = ?1 AND changed = 0", [id])
    }

    /// The bytes of a file are found at `path` now. Says whether that could be
    /// kept: it cannot where another file of the catalogue has this path.
    pub fn move_file(&self, id: FileId, path: &str, mtime_ns: i64) -> Result<bool, StoreError> {
        let path = path.to_owned();
        self.write(move |conn| {
            let taken = is_taken(conn, &path, id)?;
            if !taken {
                // Bytes that were gone are back, and what is broken in them.
                let came_back: bool =
                    conn.query_row("SELECT changed = 2 FROM warc_file WHERE id = ?1", [id], |row| row.get(0))?;
                conn.execute(
                    "UPDATE warc_file SET path = ?2, mtime_ns = ?3, changed = 0 WHERE id = ?1",
                    params![id, path, mtime_ns],
                )?;
                if came_back {
                    conn.execute(
                        "UPDATE problem SET read_again = 0 WHERE file = ?1
                           AND import_file = (SELECT max(import_file) FROM problem WHERE file = ?1)",
                        [id],
                    )?;
                    conn.execute(
                        "UPDATE warc_file SET problems =
                            (SELECT count(*) FROM problem WHERE file = ?1 AND read_again = 0) WHERE id = ?1",
                        [id],
                    )?;
                }
            }
            Ok(!taken)
        })
    }

    /// Begins to read the file at this path; returns its number. What was read there before of other
    /// bytes keeps a row of its own.
    pub fn begin_file(&self, launch: LaunchId, path: &str, size: u64, mtime_ns: i64) -> Result<FileId, StoreError> {
        let path = path.to_owned();
        self.write(move |conn| {
            // A file whose bytes are others now keeps a row for the old ones; one
            // that is the same, read to its end or not, goes on.
            let replaced = conn.execute(
                "UPDATE warc_file SET changed = 2
                 WHERE path = ?1 AND changed < 2 AND launch IN (SELECT id FROM launch WHERE kind = 'import')
                   AND (changed = 1 OR size <> ?2 OR mtime_ns <> ?3)",
                params![path, int(size), mtime_ns],
            )?;
            if replaced > 0 {
                // Problems in bytes that are gone stay with their import alone.
                conn.execute(
                    "UPDATE problem SET read_again = 1 WHERE read_again = 0 AND file IN
                        (SELECT id FROM warc_file WHERE path = ?1 AND changed = 2)",
                    [&path],
                )?;
                conn.execute("UPDATE warc_file SET problems = 0 WHERE path = ?1 AND changed = 2", [&path])?;
            }
            let id = file_id(conn, launch, &path)?;
            conn.execute(
                "UPDATE warc_file SET size = ?2, mtime_ns = ?3 WHERE id = ?1",
                params![id, int(size), mtime_ns],
            )?;
            Ok(id)
        })
    }

    /// The file that holds the first record of a capture.
    pub fn file_of_capture(&self, capture: CaptureId) -> Result<Option<FileId>, StoreError> {
        self.row_if_any("SELECT file FROM record WHERE capture = ?1 ORDER BY position LIMIT 1", [capture], |row| {
            row.get(0)
        })
    }

    /// A file with the first and the last of its records.
    pub fn file_to_locate(&self, id: FileId) -> Result<FileToLocate, StoreError> {
        self.read(|conn| {
            let known = conn
                .prepare_cached(&format!(
                    "SELECT {KNOWN} FROM warc_file f JOIN launch l ON l.id = f.launch WHERE f.id = ?1"
                ))?
                .query_row([id], known_row)
                .optional()?
                .ok_or(StoreError::Missing { what: "file", id: id.to_string() })?;
            let mut records = Vec::new();
            for order in ["ASC", "DESC"] {
                let found = conn
                    .prepare_cached(&format!(
                        "SELECT kind, record_id, offset, length FROM record WHERE file = ?1 ORDER BY offset {order} LIMIT 1"
                    ))?
                    .query_row([id], |row| {
                        Ok(RecordRow {
                            record_type: RecordType::parse(&row.get::<_, String>(0)?),
                            record_id: row.get(1)?,
                            file: known.path.clone(),
                            file_size: known.size,
                            file_changed: false,
                            span: Span { offset: uint(row.get(2)?), length: uint(row.get(3)?) },
                        })
                    })
                    .optional()?;
                records.extend(found);
            }
            Ok(FileToLocate { known, records })
        })
    }
}

/// A file as the catalogue has it, without its state on the disk.
struct Listed {
    row: FileRow,
    mtime_ns: i64,
    changed: bool,
    /// The end of the last record that a crawl wrote into it; 0 for other files.
    written: u64,
}

fn listed(conn: &Connection, only: Option<FileId>) -> Result<Vec<Listed>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT f.id, f.path, l.kind = 'crawl', f.launch, l.campaign, f.size, f.sha256, f.records,
            (SELECT count(*) FROM record r WHERE r.position = 0 AND r.file IN
                (SELECT m.id FROM warc_file m WHERE m.id = f.id OR m.package = f.id)), f.problems, f.mtime_ns, f.changed > 0,
            ifnull(CASE l.kind WHEN 'crawl' THEN
                (SELECT r.offset + r.length FROM record r WHERE r.file = f.id ORDER BY r.offset DESC LIMIT 1) END, 0)
         FROM warc_file f JOIN launch l ON l.id = f.launch WHERE ?1 IS NULL OR f.id = ?1 ORDER BY f.path, f.id",
    )?;
    let rows = statement.query_map([only], |row| {
        let path: String = row.get(1)?;
        Ok(Listed {
            row: FileRow {
                id: row.get(0)?,
                location: PathBuf::from(&path),
                path,
                state: FileState::Present,
                crawled: row.get(2)?,
                launch: row.get(3)?,
                campaign: row.get(4)?,
                size: uint(row.get(5)?),
                sha256: row.get(6)?,
                records: uint(row.get(7)?),
                captures: uint(row.get(8)?),
                problems: uint(row.get(9)?),
            },
            mtime_ns: row.get(10)?,
            changed: row.get(11)?,
            written: uint(row.get(12)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Listed {
    /// The row with the state of the file on the disk.
    fn on_disk(self, folder: &Path) -> FileRow {
        let mut row = self.row;
        row.location = folder.join(&row.path);
        let there = stored_place(folder, &row.path).ok().and_then(|path| fs::metadata(path).ok());
        row.state = match there {
            None => {
                let open = folder.join(format!("{}{}", row.path, crate::warc::OPEN_SUFFIX));
                let meta = fs::metadata(&open).ok().filter(|meta| meta.is_file());
                if let Some(meta) = meta {
                    (row.location, row.size) = (open, meta.len());
                    if row.size < self.written { FileState::Truncated } else { FileState::Open }
                } else {
                    FileState::Missing
                }
            }
            Some(meta) => {
                let (size, mtime) = (meta.len(), mtime_ns(&meta));
                if size < self.written {
                    row.size = size;
                    FileState::Truncated
                } else if self.changed || (row.size > 0 && size != row.size) {
                    FileState::Changed
                } else if row.sha256.is_empty() && !row.crawled {
                    FileState::Unfinished
                } else if self.mtime_ns != 0 && mtime != self.mtime_ns {
                    FileState::Touched
                } else {
                    row.size = size;
                    FileState::Present
                }
            }
        };
        row
    }
}

impl Workspace {
    /// Every file with its state on the disk, in the order of their names.
    pub fn files(&self) -> Result<Vec<FileRow>, StoreError> {
        let rows = self.catalogue().read(|conn| listed(conn, None))?;
        Ok(rows.into_iter().map(|row| row.on_disk(self.folder())).collect())
    }

    /// Files that end before records that a crawl wrote into them, as problems
    /// at their ends.
    pub fn truncated_files(&self) -> Result<Vec<ProblemRow>, StoreError> {
        let files = self.files()?.into_iter().filter(|file| file.state == FileState::Truncated);
        let problem = |file: FileRow| {
            let beyond: i64 = self.catalogue().read(|conn| {
                Ok(conn
                    .prepare_cached(
                        "SELECT count(DISTINCT capture) FROM record WHERE file = ?1 AND offset + length > ?2",
                    )?
                    .query_row(params![file.id, int(file.size)], |row| row.get(0))?)
            })?;
            Ok(ProblemRow {
                id: ProblemId::default(),
                file: Some(file.id),
                path: file.path,
                offset: file.size,
                member: None,
                kind: FileState::Truncated.as_str().to_owned(),
                detail: format!(
                    "the file ends here, and {} reach beyond; resume the crawl to fetch them again",
                    counted(uint(beyond), "capture")
                ),
                read_again: false,
            })
        };
        files.map(problem).collect()
    }

    /// A file with its state on the disk.
    pub fn file(&self, id: FileId) -> Result<FileRow, StoreError> {
        let rows = self.catalogue().read(|conn| listed(conn, Some(id)))?;
        let row = rows.into_iter().next().ok_or(StoreError::Missing { what: "file", id: id.to_string() })?;
        Ok(row.on_disk(self.folder()))
    }

    /// The file that a record is read from.
    ///
    /// # Errors
    ///
    /// [`StoreError::FileMissing`] and [`StoreError::FileChanged`]: other
    /// bytes than those that were read are not taken for them.
    pub fn source_of(&self, record: &RecordRow) -> Result<PathBuf, StoreError> {
        let path = self.file_path(&record.file)?;
        let workspace = self.folder().to_owned();
        match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(StoreError::FileMissing { path, workspace })
            }
            Err(source) => Err(StoreError::Io { path, source }),
            // Of a file of the system without a size, more may be waited for.
            Ok(meta) if meta.len() == 0 => {
                Err(StoreError::Io { path, source: std::io::Error::other("this file is empty, and is not read") })
            }
            Ok(meta) if record.file_changed || (record.file_size > 0 && meta.len() != record.file_size) => {
                Err(StoreError::FileChanged { path, workspace, then: record.file_size, now: meta.len() })
            }
            Ok(_) => Ok(path),
        }
    }
}
