//! One thread writes the catalogue, a few connections read it.

pub(super) mod backup;
pub(super) mod damage;
pub(super) mod earlier;
pub(super) mod error;
pub(super) mod ids;
pub(super) mod lossy;
pub(super) mod schema;
pub(super) mod settings;
pub(super) mod sort_keys;
pub(super) mod sql;
pub(in crate::store) mod statistics;
pub(in crate::store) mod untrusted;
pub(super) mod workspace;

use super::filter::FullText;
use crate::jobs::{Cancelled, JobCx, create_private};
use crate::store::catalogue::error::{StoreError, is_disk_full};
use crate::store::catalogue::schema::migrate;
use crate::store::catalogue::statistics::keep_statistics;
use crate::store::catalogue::untrusted::{connect, foreign_number, foreign_shape, foreign_text};
use crate::store::catalogue::workspace::ReadOnlyReason;
use crate::store::launches::changes::KeptChanges;
use crate::store::launches::refused::RefusedCounts;
use crate::store::links::built_inlinks::Opened;
use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Writes that share a commit at most; more wait for the next one.
const MAX_BATCH: usize = 256;

/// Steps of SQLite between two checks whether a job was cancelled.
pub(super) const STEPS_PER_CHECK: std::ffi::c_int = 100_000;

/// A write, run on the writer thread inside a transaction (none when it could
/// not be begun). It answers with what to do once the transaction is on disk.
type Write = Box<dyn FnOnce(Option<&Connection>) -> Written + Send>;
/// Told whether the commit held.
type AfterCommit = Box<dyn FnOnce(Result<(), CommitError>) + Send>;

/// The result of a write before the commit.
struct Written {
    after: AfterCommit,
    /// Whether it met a full disk; SQLite may have taken all of the
    /// transaction back then.
    is_disk_full: bool,
}

/// Why a transaction was not committed.
#[derive(Debug, Clone)]
struct CommitError {
    why: String,
    is_disk_full: bool,
}

impl From<rusqlite::Error> for CommitError {
    fn from(error: rusqlite::Error) -> Self {
        Self { is_disk_full: is_disk_full(&error), why: error.to_string() }
    }
}

impl From<CommitError> for StoreError {
    fn from(error: CommitError) -> Self {
        if error.is_disk_full { Self::DiskFull(error.why) } else { Self::Commit(error.why) }
    }
}

/// The catalogue of a workspace. Calls block; the window makes none itself.
pub struct Catalogue {
    path: PathBuf,
    /// Takes the writes; without one, why there is none.
    writer: Result<Sender<Write>, ReadOnlyReason>,
    thread: Option<JoinHandle<()>>,
    readers: Mutex<Readers>,
    settling: Mutex<()>,
    reader_freed: Condvar,
    revision: Arc<AtomicU64>,
    /// Where another process may write: what it committed so far.
    watch: Option<Mutex<Watch>>,
    /// Read as a file that nobody changes: SQLite can keep no log beside it.
    immutable: bool,
    /// Texts that are no UTF-8 were named.
    foreign_texts: Once,
    /// The index that answers terms of texts in filters.
    full_text: RwLock<Option<Arc<dyn FullText>>>,
    /// The built inlinks, once opened.
    pub(in crate::store) opened_links: Mutex<Option<Opened>>,
    refused_counts: RefusedCounts,
    kept_changes: KeptChanges,
}

/// A watch for commits of other processes.
#[derive(Default)]
struct Watch {
    /// SQLite counts for each connection alone, so one is kept for this.
    conn: Option<Connection>,
    version: i64,
    checked_at: Option<Instant>,
}

/// Reads at the same time, and connections kept for them.
const MAX_READERS: usize = 8;
/// Longest wait for one of them; after it there is one more for a while.
const READER_PATIENCE: Duration = Duration::from_millis(50);
/// Pages of the file that the writing connection keeps, in KiB.
const WRITER_CACHE_KIB: i64 = 32 << 10;
/// Pages of the file that a reading connection keeps, in KiB.
const READER_CACHE_KIB: i64 = 8 << 10;

/// Shortest time between two checks for commits of other processes.
const COMMIT_CHECK_INTERVAL: Duration = Duration::from_millis(250);

impl Catalogue {
    /// Makes a new catalogue file. What persons wrote and whom they watch is
    /// for its owner alone; the log beside it has the mode of the file.
    pub(super) fn create(path: &Path) -> Result<Self, StoreError> {
        create_private(path).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
        Self::start(path)
    }

    /// Opens a catalogue and brings it to the present version.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::start(path)
    }

    /// Opens a catalogue that another process may write, or that lies on a disk that cannot be written
    /// to.
    pub(super) fn open_read_only(path: &Path, why: ReadOnlyReason) -> Result<Self, StoreError> {
        let read_only = |immutable: bool| Self {
            path: path.to_owned(),
            writer: Err(why.clone()),
            thread: None,
            readers: Mutex::default(),
            settling: Mutex::default(),
            reader_freed: Condvar::new(),
            revision: Arc::default(),
            watch: (!immutable).then(Mutex::default),
            immutable,
            foreign_texts: Once::new(),
            full_text: RwLock::default(),
            opened_links: Mutex::default(),
            refused_counts: RefusedCounts::default(),
            kept_changes: KeptChanges::default(),
        };
        let answers = |catalogue: &Self| catalogue.read(|conn| is_own(conn, path));
        // A file that is marked read-only has no writer: nothing is made beside it.
        let marked = path.metadata().is_ok_and(|meta| meta.permissions().readonly());
        let catalogue = read_only(marked && !has_log(path));
        match answers(&catalogue) {
            Ok(()) => Ok(catalogue),
            // Without a log everything is in the file itself.
            Err(_) if !has_log(path) => {
                let catalogue = read_only(true);
                answers(&catalogue)?;
                Ok(catalogue)
            }
            Err(error) => Err(error),
        }
    }

    /// Says what is wrong with the file, without changing it.
    pub(super) fn check(path: &Path) -> Result<(), StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let tables = |uri: String| -> Result<(u32, Connection), String> {
            let conn = connect(uri, flags).map_err(|error| error.to_string())?;
            let count = "SELECT count(*) FROM sqlite_schema WHERE name IN ('capture', 'campaign', 'seen')";
            let found = conn.query_row(count, [], |row| row.get(0)).map_err(|error| error.to_string())?;
            Ok((found, conn))
        };
        let alone = immutable_uri(path).and_then(tables);
        // Killed before its first checkpoint a workspace has its tables in
        // the log; killed in the middle of one, its file makes sense with
        // the log only. Both are there to be read.
        let found = match has_log(path) {
            false => alone,
            true => match (alone, tables(path.display().to_string())) {
                // A damaged file is an error when it is opened.
                (Ok((3, _)), Err(_)) => return Ok(()),
                (_, with_log) => with_log,
            },
        };
        match found {
            Err(why) => Err(crate::store::catalogue::damage::damaged(path, &why)),
            Ok((3, conn)) => match is_own(&conn, path) {
                Err(error @ StoreError::Altered { .. }) => Err(error),
                _ => Ok(()),
            },
            Ok(_) => Err(crate::store::catalogue::damage::damaged(path, "its tables are missing")),
        }
    }

    /// Whose file it is and its version, as the log beside it has them; none
    /// where there is no log.
    pub(super) fn header_with_log(path: &Path) -> Option<rusqlite::Result<(u32, u32)>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        has_log(path).then(|| {
            let conn = connect(path, flags)?;
            let number = |name: &str| conn.pragma_query_value(None, name, |row| row.get(0));
            Ok((number("application_id")?, number("user_version")?))
        })
    }

    /// The error of this catalogue's file being damaged.
    pub(super) fn damaged(&self, why: &str) -> StoreError {
        crate::store::catalogue::damage::damaged(&self.path, why)
    }

    fn start(path: &Path) -> Result<Self, StoreError> {
        Self::started(path).map_err(|error| crate::store::catalogue::damage::explain(path, error))
    }

    fn started(path: &Path) -> Result<Self, StoreError> {
        let mut conn = connect(path, OpenFlags::default()).map_err(StoreError::sql("be opened"))?;
        is_own(&conn, path)?;
        configure(&conn, WRITER_CACHE_KIB).map_err(StoreError::sql("be set up"))?;
        // In memory, SQLite walks all that a write has changed so far at the end of each of its statements
        // (`memjrnlTruncate`): admission of many URLs at once would take time by the square of their number.
        conn.pragma_update(None, "temp_store", "FILE").map_err(StoreError::sql("be set up"))?;
        conn.pragma_update(None, "journal_mode", "WAL").map_err(StoreError::sql("be set up"))?;
        migrate(&mut conn).map_err(StoreError::sql("be brought to the present version"))?;
        // Without them statements take longer: a full disk is no reason not to open.
        let _ = keep_statistics(&conn);
        let (sender, receiver) = bounded::<Write>(MAX_BATCH);
        let revision = Arc::new(AtomicU64::new(1));
        let thread = std::thread::Builder::new()
            .name("catalogue writer".to_owned())
            .spawn({
                let revision = Arc::clone(&revision);
                move || write_loop(&conn, &receiver, &revision)
            })
            .map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
        Ok(Self {
            path: path.to_owned(),
            writer: Ok(sender),
            thread: Some(thread),
            readers: Mutex::default(),
            settling: Mutex::default(),
            reader_freed: Condvar::new(),
            revision,
            watch: None,
            immutable: false,
            foreign_texts: Once::new(),
            full_text: RwLock::default(),
            opened_links: Mutex::default(),
            refused_counts: RefusedCounts::default(),
            kept_changes: KeptChanges::default(),
        })
    }

    /// Comparisons of launches that are kept.
    pub(super) fn kept_changes(&self) -> &KeptChanges {
        &self.kept_changes
    }

    /// Counts of refused URLs that are kept.
    pub(super) fn refused_counts(&self) -> &RefusedCounts {
        &self.refused_counts
    }

    /// Sets the index that answers terms of texts in filters. Until then such a filter is an error that
    /// explains how to build an index.
    pub fn set_full_text(&self, full_text: Arc<dyn FullText>) {
        *self.full_text.write().unwrap_or_else(PoisonError::into_inner) = Some(full_text);
    }

    /// The index that answers terms of texts in filters.
    pub(super) fn full_text(&self) -> Option<Arc<dyn FullText>> {
        self.full_text.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The path of its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Grows with every commit. Where another process writes, what it
    /// committed counts from the next reading on.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    /// The revision, after a check for commits of other processes.
    pub(crate) fn revision_now(&self) -> Result<u64, StoreError> {
        self.check_commits(Duration::ZERO)?;
        Ok(self.revision())
    }

    /// Counts commits of other processes, where it was not looked for them for so long.
    fn check_commits(&self, since: Duration) -> Result<(), StoreError> {
        let Some(watch) = &self.watch else { return Ok(()) };
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        if watch.checked_at.is_some_and(|checked_at| checked_at.elapsed() < since) {
            return Ok(());
        }
        let (conn, is_new) = match watch.conn.take() {
            Some(conn) => (conn, false),
            None => (self.reader()?, true),
        };
        let version = conn.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        // Each connection counts for itself.
        if watch.checked_at.is_some() && (is_new || version != watch.version) {
            self.revision.fetch_add(1, Ordering::Relaxed);
        }
        *watch = Watch { conn: Some(conn), version, checked_at: Some(Instant::now()) };
        Ok(())
    }

    /// Bytes of the file that hold nothing, since it never shrinks by itself.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn free_bytes(&self) -> Result<u64, StoreError> {
        self.read(|conn| {
            let pragma = |name: &str| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            Ok(pragma("freelist_count")?.unsigned_abs() * pragma("page_size")?.unsigned_abs())
        })
    }

    /// Gives those bytes back to the disk, which needs room for a copy
    /// meanwhile. Nothing else may be written until it is done.
    ///
    /// # Errors
    ///
    /// A catalogue that is open read-only, or in use; no room.
    pub fn vacuum(&self) -> Result<(), StoreError> {
        self.writer()?;
        // The connections that answer would make the copy in memory.
        let compacted = connect(&self.path, OpenFlags::default()).and_then(|conn| {
            conn.busy_timeout(std::time::Duration::from_secs(10))?;
            conn.execute_batch("VACUUM")?;
            conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        compacted.map_err(StoreError::sql("be made smaller"))
    }

    /// Carries what the log has over into the file, while others read and write.
    pub(super) fn carry_log_over(&self) -> Result<(), StoreError> {
        self.writer()?;
        let carried = connect(&self.path, OpenFlags::default())
            .and_then(|conn| conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
        carried.map_err(StoreError::sql("carry its log over"))
    }

    /// Runs `work` on the writer thread. All of it is committed, or nothing;
    /// writes of other threads may share the commit.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write_later(work)?.wait()
    }

    /// Writes what one statement writes.
    pub(super) fn execute(&self, sql: &'static str, params: impl Params + Send + 'static) -> Result<(), StoreError> {
        self.write(move |conn| Ok(conn.prepare_cached(sql)?.execute(params).map(drop)?))
    }

    /// Runs `work` as [`Self::write`], without waiting for the commit.
    pub(super) fn write_later<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<UnderWay<T>, StoreError> {
        let writer = self.writer()?;
        let (sender, receiver) = bounded(1);
        let path = self.path.clone();
        let write: Write = Box::new(move |conn| {
            let result = conn.map(|conn| savepoint(conn, work));
            let is_disk_full = matches!(&result, Some(Ok(Err(error))) if error.is_disk_full());
            let after: AfterCommit = Box::new(move |committed: Result<(), CommitError>| {
                let answer = match (committed, result) {
                    (Ok(()), Some(result)) => result,
                    (Ok(()), None) => Ok(Err(StoreError::Commit("the change was not made".to_owned()))),
                    (Err(why), _) => Ok(Err(why.into())),
                };
                // Nobody waits any more when the caller has gone.
                let _ = sender.send(
                    answer.map(|answer| answer.map_err(|error| crate::store::catalogue::damage::explain(&path, error))),
                );
            });
            Written { after, is_disk_full }
        });
        writer.send(write).map_err(|_| writer_has_ended())?;
        Ok(UnderWay(receiver))
    }

    /// The thread that takes the writes.
    fn writer(&self) -> Result<&Sender<Write>, StoreError> {
        self.writer.as_ref().map_err(|why| why.refusal(&self.path))
    }

    /// A new connection that only reads.
    fn reader(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = match self.immutable {
            false => connect(&self.path, flags),
            true => {
                connect(immutable_uri(&self.path).map_err(StoreError::Content)?, flags | OpenFlags::SQLITE_OPEN_URI)
            }
        }
        .map_err(StoreError::sql("be opened for reading"))?;
        configure(&conn, READER_CACHE_KIB).map_err(StoreError::sql("be set up"))?;
        Ok(conn)
    }

    /// Runs `work` on a reading connection; its queries end with an error when the job is cancelled.
    pub(super) fn read_in_job<T>(
        &self,
        cx: &JobCx,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let watch = cx.clone();
        let read = self.read_with(|conn| {
            conn.progress_handler(STEPS_PER_CHECK, Some(move || watch.checkpoint().is_err()))?;
            let read = work(conn);
            conn.progress_handler(0, None::<fn() -> bool>)?;
            read
        });
        if cx.is_cancelled() { Err(Cancelled.into()) } else { read }
    }

    /// Runs `work` on a reading connection.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.read_with(|conn| work(conn))
    }

    /// Gathers what a query gives, each row read by `each`.
    pub(super) fn rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        each: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, StoreError> {
        self.read(|conn| Ok(conn.prepare_cached(sql)?.query_map(params, each)?.collect::<rusqlite::Result<C>>()?))
    }

    /// The row that a query gives.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.read(|conn| Ok(conn.prepare_cached(sql)?.query_row(params, read)?))
    }

    /// The row that a query gives, where there is one.
    pub(super) fn row_if_any<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.read(|conn| Ok(conn.prepare_cached(sql)?.query_row(params, read).optional()?))
    }

    /// Reads in a job, for questions about all captures: what SQLite sorts or gathers for the answer
    /// lies in a temporary file, so that memory does not grow with their number.
    pub(super) fn read_on_disk<T>(
        &self,
        cx: &JobCx,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.read_in_job(cx, |conn| {
            conn.pragma_update(None, "temp_store", "FILE")?;
            let answer = work(conn);
            conn.pragma_update(None, "temp_store", "MEMORY")?;
            answer
        })
    }

    fn read_with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.check_commits(COMMIT_CHECK_INTERVAL)?;
        let _permit = ReadPermit::take(self);
        let idle = self.readers().idle.pop();
        let mut conn = match idle {
            Some(conn) => conn,
            None => self.reader()?,
        };
        let result = work(&mut conn).map_err(|error| {
            match error.is_of_text().then(|| foreign_text(&conn, &JobCx::detached())) {
                Some(Ok(Some(where_it_is))) => self.damaged(&where_it_is),
                _ => crate::store::catalogue::damage::explain(&self.path, error),
            }
        });
        if crate::store::catalogue::lossy::take_met() {
            self.name_foreign_texts(&conn);
        }
        let mut readers = self.readers();
        if readers.idle.len() < MAX_READERS {
            readers.idle.push(conn);
        }
        drop(readers);
        result
    }

    /// Says once which texts are shown with \u{fffd} in the place of what is no UTF-8.
    fn name_foreign_texts(&self, conn: &Connection) {
        self.foreign_texts.call_once(|| {
            if let Ok(Some(where_it_is)) = foreign_text(conn, &JobCx::detached()) {
                tracing::error!(
                    "{}: {where_it_is}. It is shown with \u{fffd}; put a backup in the place of the catalogue, or go on without these letters",
                    self.path.display()
                );
            }
        });
    }

    /// Held by the one who looks for originals of revisits.
    pub(super) fn settling(&self) -> MutexGuard<'_, ()> {
        crate::jobs::lock(&self.settling)
    }

    fn readers(&self) -> MutexGuard<'_, Readers> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Catalogue {
    /// The steps of SQLite that the reads of `work` take, in tens: a measure of plans that no clock changes.
    pub(in crate::store) fn steps_of<T>(&self, work: impl FnOnce() -> T) -> u64 {
        let mut conn = self.reader().expect("a reader");
        let steps = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&steps);
        let count = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        };
        conn.progress_handler(10, Some(count)).expect("a handler");
        self.readers().idle = vec![conn];
        work();
        self.readers().idle.clear();
        steps.load(Ordering::Relaxed)
    }
}

/// Connections that read.
#[derive(Default)]
struct Readers {
    idle: Vec<Connection>,
    in_use: usize,
}

/// One of the few reads at the same time: each connection has a cache.
struct ReadPermit<'c>(&'c Catalogue);

impl<'c> ReadPermit<'c> {
    /// Waits while there are many; not for long, since who waits may have a
    /// turn already.
    fn take(catalogue: &'c Catalogue) -> Self {
        let begin = Instant::now();
        let mut readers = catalogue.readers();
        while readers.in_use >= MAX_READERS && begin.elapsed() < READER_PATIENCE {
            let waited = catalogue.reader_freed.wait_timeout(readers, READER_PATIENCE);
            readers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        readers.in_use += 1;
        Self(catalogue)
    }
}

impl Drop for ReadPermit<'_> {
    fn drop(&mut self) {
        self.0.readers().in_use -= 1;
        self.0.reader_freed.notify_one();
    }
}

/// A write that its caller has not waited for yet.
pub struct UnderWay<T>(Receiver<std::thread::Result<Result<T, StoreError>>>);

impl<T> UnderWay<T> {
    /// Waits for the commit. A panic of the write goes on in the caller, who
    /// knows what it concerns; the writer serves the others.
    pub fn wait(self) -> Result<T, StoreError> {
        let answer = self.0.recv().map_err(|_| writer_has_ended())?;
        answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn writer_has_ended() -> StoreError {
    StoreError::Commit("the writer of the catalogue has ended".to_owned())
}

/// Refuses a catalogue whose shape is not that of its version, or whose numbers no row can have.
fn is_own(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    match foreign_shape(conn)? {
        Some(what) => Err(crate::store::catalogue::damage::altered(path, what)),
        None => match foreign_number(conn)? {
            Some(what) => Err(crate::store::catalogue::damage::altered(path, what)),
            None => Ok(()),
        },
    }
}

/// `immutable` keeps SQLite from making -shm and -wal files; the log of a
/// killed process stays unread then.
pub(super) fn immutable_uri(path: &Path) -> Result<String, String> {
    let mut uri = url::Url::from_file_path(path).map_err(|()| format!("{}: not an absolute path", path.display()))?;
    uri.set_query(Some("immutable=1"));
    Ok(uri.into())
}

/// Whether the log has content that is not in the file yet.
fn has_log(path: &Path) -> bool {
    path.with_extension("sqlite-wal").metadata().is_ok_and(|log| log.len() > 0)
}

impl Drop for Catalogue {
    fn drop(&mut self) {
        // Without senders the thread ends.
        self.writer = Err(ReadOnlyReason::Requested);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn configure(conn: &Connection, cache_kib: i64) -> rusqlite::Result<()> {
    conn.busy_timeout(std::time::Duration::from_secs(10))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // WAL with NORMAL loses nothing when the process is killed; after a power
    // cut the last commits may be missing, and recovery reads the WARC files.
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "cache_size", -cache_kib)?;
    // For a pattern SQLite would plan a statement again whenever another one is bound.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(128);
    crate::store::captures::link_list::register(conn)?;
    super::filter::register(conn)
}

/// A write that fails or panics takes back only its own part of the batch.
fn savepoint<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> std::thread::Result<Result<T, StoreError>> {
    if let Err(error) = conn.execute_batch("SAVEPOINT one").map_err(StoreError::sql("begin a change")) {
        return Ok(Err(error));
    }
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(conn)));
    let end = if matches!(result, Ok(Ok(_))) { "RELEASE one" } else { "ROLLBACK TO one; RELEASE one" };
    match conn.execute_batch(end).map_err(StoreError::sql("end a change")) {
        // The first failure is the reason.
        Err(error) if matches!(result, Ok(Ok(_))) => Ok(Err(error)),
        _ => result,
    }
}

fn write_loop(conn: &Connection, writes: &Receiver<Write>, revision: &AtomicU64) {
    while let Ok(first) = writes.recv() {
        let mut answers: Vec<AfterCommit> = Vec::new();
        let mut outcome = conn.execute_batch("BEGIN IMMEDIATE").map_err(CommitError::from);
        let mut next = Some(first);
        while let Some(write) = next {
            let written = write(outcome.is_ok().then_some(conn));
            answers.push(written.after);
            if outcome.is_ok() && conn.is_autocommit() {
                // SQLite took everything back.
                let why = "the transaction was rolled back".to_owned();
                outcome = Err(CommitError { why, is_disk_full: written.is_disk_full });
            }
            next = if answers.len() < MAX_BATCH { writes.try_recv().ok() } else { None };
        }
        if outcome.is_ok() {
            outcome = conn.execute_batch("COMMIT").map_err(CommitError::from);
            if outcome.is_err() {
                let _ = conn.execute_batch("ROLLBACK");
            }
        }
        revision.fetch_add(1, Ordering::Relaxed);
        for answer in answers {
            answer(outcome.clone());
        }
    }
    let _ = conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::Workspace;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_write_that_panics_takes_nothing_else_along() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let catalogue = workspace.catalogue();
        let add = "INSERT INTO setting (name, value) VALUES (?1, '')";
        let defect = catch_unwind(AssertUnwindSafe(|| {
            catalogue.write(|conn| {
                let rows = conn.execute(add, ["half"])?;
                assert!(rows != 1, "a defect");
                Ok(rows)
            })
        }));
        assert!(defect.is_err());
        catalogue.write(|conn| Ok(conn.execute(add, ["whole"])?)).unwrap();
        let left = "SELECT group_concat(name) FROM setting WHERE name IN ('half', 'whole')";
        let left = catalogue.read(|conn| Ok(conn.query_row(left, [], |row| row.get::<_, String>(0))?));
        assert_eq!(left.unwrap(), "whole");
    }
}
