//! Revisits find their originals among the captures that were read beside them.
//!
//! Originals may be anywhere in the input, before or behind, so revisits wait until all records
//! were read. Of each capture some numbers are kept for that: in memory while they are few, else in
//! a table on the disk, so that an archive of any size takes the same memory. The [`rule`] is that
//! of the catalogue. Digests are those that records declare, and are computed of captures without
//! one; of bodies in chunks the catalogue has both.

mod find;
pub mod rule;

pub use find::{FoundOriginal, OriginalError, find_original};

use crate::jobs::JobCx;
use crate::uri::{CaptureDate, PageKey, Url, WebParts, parse_web_url};
use crate::warc::{RecordHead, sha1_field};
pub use rule::DeclaredKind;
use rule::{AT_DATE, BY_PAYLOAD, BY_RECORD, SAME_URL, is_page_sql, names_payload};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::ffi::c_int;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Captures that are kept in memory, of some 150 bytes each, and bytes of URLs.
pub(super) const MOST_IN_MEMORY: usize = 100_000;
/// The place of a record: number of the file (the caller's), offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The number of the file.
    pub file: u32,
    /// [`crate::warc::Span::offset`].
    pub offset: u64,
}

const MOST_URL_BYTES: usize = 16 << 20;

/// Steps of SQLite between two checks whether the job was cancelled.
const STEPS_PER_CHECK: c_int = 100_000;

/// Originals cannot be looked up.
#[derive(Debug, thiserror::Error)]
#[error(
    "{folder}: {source} (what revisits may repeat is kept there: see that there is room and that files may be made, or choose another folder with TMPDIR or the temp folder option)",
    folder = folder.display()
)]
pub struct RevisitError {
    folder: PathBuf,
    source: Trouble,
}

type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// The original that a revisit names.
pub(super) struct RefersTo {
    /// `WARC-Refers-To-Target-URI`.
    pub(super) url: Option<Url>,
    /// `WARC-Refers-To-Date`.
    pub(super) date: Option<CaptureDate>,
    /// `WARC-Refers-To`, without brackets.
    pub(super) record_id: Option<String>,
}

impl RefersTo {
    pub(super) fn of(head: &RecordHead) -> Self {
        let field = |name: &str| head.headers.get(name).map(|text| text.trim().trim_matches(['<', '>']).to_owned());
        Self {
            url: field("WARC-Refers-To-Target-URI").and_then(|url| parse_web_url(&url)),
            date: field("WARC-Refers-To-Date").and_then(|date| CaptureDate::parse(&date).ok()),
            record_id: field("WARC-Refers-To"),
        }
    }
}

/// The clause of the [`rule`] that found the original of a revisit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundBy {
    /// By the URL and date that the revisit names.
    UrlAndDate,
    /// By its URL and payload digest.
    UrlAndDigest,
    /// By `WARC-Refers-To`.
    RecordId,
    /// By its payload digest alone.
    Digest,
}

impl FoundBy {
    const ALL: [Self; 4] = [Self::UrlAndDate, Self::UrlAndDigest, Self::RecordId, Self::Digest];

    /// The one of a clause, from 0 on.
    pub fn of_clause(clause: u8) -> Self {
        Self::ALL.get(usize::from(clause)).copied().unwrap_or(Self::Digest)
    }

    /// The text behind “found by”.
    pub fn label(self) -> &'static str {
        match self {
            Self::UrlAndDate => "the URL and date that the revisit names",
            Self::UrlAndDigest => "its URL and payload digest",
            Self::RecordId => "the record id that the revisit names",
            Self::Digest => "its payload digest alone",
        }
    }
}

/// Captures that revisits may repeat, and the revisits.
pub(super) struct Originals {
    folder: PathBuf,
    most_in_memory: usize,
    rows: Vec<Row>,
    url_bytes: usize,
    has_revisits: bool,
    /// The table that holds them when they are many.
    table: Option<Table>,
    failed: Option<RevisitError>,
    key: String,
}

/// A capture, with numbers in the place of its names.
struct Row {
    url: i64,
    page: i64,
    /// A SHA-1.
    digest: Option<i64>,
    record: Option<i64>,
    date_ms: i64,
    status: u16,
    is_page: bool,
    place: Place,
    repeats: Option<Box<Repeats>>,
}

/// The original that a revisit names, in numbers.
struct Repeats {
    url: i64,
    page: i64,
    record: Option<i64>,
    date_ms: i64,
    /// The kind that its head declares.
    declared_kind: DeclaredKind,
    /// The revisit's own URL.
    own_url: String,
}

/// The table in which captures and revisits are matched.
struct Table {
    conn: Connection,
    /// Goes behind the connection.
    _path: Option<tempfile::TempPath>,
}

/// A revisit with what it repeats.
pub(super) struct Repeated {
    /// The place of the original; none where it is not here and the revisit declares a page.
    pub(super) original: Option<Place>,
    pub(super) place: Place,
    pub(super) url: Url,
    pub(super) date: CaptureDate,
}

impl Default for Originals {
    fn default() -> Self {
        Self::in_folder(Path::new(""), MOST_IN_MEMORY)
    }
}

impl Originals {
    /// Captures beyond so many in memory go into a folder; where it has no name,
    /// that is the system's one for temporary files.
    pub(super) fn in_folder(folder: &Path, most_in_memory: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            most_in_memory,
            rows: Vec::new(),
            url_bytes: 0,
            has_revisits: false,
            table: None,
            failed: None,
            key: String::new(),
        }
    }

    /// Takes a capture that a revisit may repeat, with its status and whether it is one of a page.
    /// `reckon` gives the digest of its payload where its record does not declare it.
    pub(super) fn add(
        &mut self,
        head: &RecordHead,
        url: &Url,
        place: Place,
        (status, is_page): (u16, bool),
        reckon: impl FnOnce() -> Option<String>,
    ) {
        let Some(mut row) = self.row(head, url, place, (status, is_page)) else { return };
        row.digest = row.digest.or_else(|| Some(digest_number(&reckon()?)));
        self.keep(row);
    }

    /// Takes a revisit, with the status of its head, 0 where it has none, and the kind that it
    /// declares.
    pub(super) fn add_revisit(
        &mut self,
        head: &RecordHead,
        url: &Url,
        place: Place,
        (status, declared_kind): (u16, DeclaredKind),
    ) {
        let Some(mut row) = self.row(head, url, place, (status, declared_kind == DeclaredKind::Page)) else { return };
        let RefersTo { url: named, date, record_id } = RefersTo::of(head);
        let named = named.as_ref().unwrap_or(url);
        row.digest =
            row.digest.filter(|_| declared_digest(head).is_some_and(|digest| names_payload(&digest, status.into())));
        let page = self.page_number(named);
        row.repeats = Some(Box::new(Repeats {
            url: url_number(page, named),
            page,
            record: record_id.map(|id| number_of(&id)),
            // One that names no date repeats itself, at the least.
            date_ms: date.map_or(row.date_ms, CaptureDate::millis),
            declared_kind,
            own_url: url.as_str().to_owned(),
        }));
        self.has_revisits = true;
        self.keep(row);
    }

    fn row(&mut self, head: &RecordHead, url: &Url, place: Place, (status, is_page): (u16, bool)) -> Option<Row> {
        let page = self.page_number(url);
        Some(Row {
            url: url_number(page, url),
            page,
            digest: declared_digest(head).map(|digest| digest_number(&digest)),
            record: head.record_id().map(|id| number_of(&id)),
            date_ms: head.date()?.millis(),
            status,
            is_page,
            place,
            repeats: None,
        })
    }

    fn page_number(&mut self, url: &Url) -> i64 {
        self.key.clear();
        PageKey::push(&WebParts::of(url), &mut self.key);
        number_of(&self.key)
    }

    fn keep(&mut self, row: Row) {
        if self.failed.is_some() {
            return;
        }
        self.url_bytes += row.repeats.as_ref().map_or(0, |repeats| repeats.own_url.len());
        self.rows.push(row);
        if self.rows.len() >= self.most_in_memory || self.url_bytes >= MOST_URL_BYTES {
            self.url_bytes = 0;
            let folder = self.folder();
            self.failed = self.put_on_disk(&folder).err().map(|source| RevisitError { folder, source });
        }
    }

    /// # Errors
    ///
    /// Where what was taken could not be put on the disk: nothing is taken any more.
    pub(super) fn check(&mut self) -> Result<(), RevisitError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn folder(&self) -> PathBuf {
        if self.folder.as_os_str().is_empty() { std::env::temp_dir() } else { self.folder.clone() }
    }

    fn put_on_disk(&mut self, folder: &Path) -> Result<(), Trouble> {
        let table = match &mut self.table {
            Some(table) => table,
            None => self.table.insert(Table::create(Some(folder))?),
        };
        Ok(table.put(self.rows.drain(..))?)
    }

    /// Matches revisits with what they repeat; nothing where there are none.
    pub(super) fn resolve(&mut self, cx: &JobCx) -> Result<Option<Resolved>, RevisitError> {
        self.check()?;
        let folder = self.folder();
        let Self { rows, has_revisits, table, .. } = std::mem::take(self);
        if !has_revisits {
            return Ok(None);
        }
        cx.stage("Looking for what revisits repeat", None);
        let match_all = || -> Result<Table, Trouble> {
            let mut table = match table {
                Some(table) => table,
                None => Table::create(None)?,
            };
            let watch = cx.clone();
            table.conn.progress_handler(STEPS_PER_CHECK, Some(move || watch.checkpoint().is_err()))?;
            table.put(rows.into_iter())?;
            table.match_all()?;
            Ok(table)
        };
        match match_all() {
            Ok(table) => Ok(Some(Resolved { table, folder })),
            Err(source) => Err(RevisitError { folder, source }),
        }
    }
}

impl Table {
    /// In memory where there is no folder. On Unix the file is gone with the
    /// program, however that ends.
    fn create(folder: Option<&Path>) -> Result<Self, Trouble> {
        let file = |folder| tempfile::Builder::new().prefix(".revisits").tempfile_in(folder);
        let path = folder.map(file).transpose()?.map(tempfile::NamedTempFile::into_temp_path);
        let conn = match &path {
            // Nobody else has the file, and not all folders know locks.
            Some(path) if cfg!(unix) => Connection::open_with_flags_and_vfs(path, OpenFlags::default(), "unix-none")?,
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        // Nobody goes on with what is here after a crash.
        conn.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768")?;
        if let Some(folder) = folder.filter(|folder| **folder != std::env::temp_dir()).and_then(Path::to_str) {
            // SQLite keeps its sort folder for all of the program; a folder that is gone does no harm.
            conn.pragma_update(None, "temp_store_directory", folder)?;
        }
        conn.execute_batch(include_str!("revisits.sql"))?;
        if let Some(path) = path.as_ref().filter(|_| cfg!(unix)) {
            let _ = std::fs::remove_file(path);
        }
        Ok(Self { conn, _path: path })
    }

    fn put(&mut self, rows: impl Iterator<Item = Row>) -> rusqlite::Result<()> {
        let all = self.conn.transaction()?;
        {
            let mut put = all.prepare_cached(
                "INSERT INTO seen (url, page, digest, record, date_ms, status, media, file, offset,
                                   of_url, of_page, of_record, of_ms, declared_kind, own_url)
                 VALUES (?1, ?2, ifnull(?3, ''), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?;
            for row in rows {
                let of = row.repeats.as_deref();
                put.execute(params![
                    row.url,
                    row.page,
                    row.digest,
                    row.record,
                    row.date_ms,
                    row.status,
                    i64::from(row.is_page),
                    row.place.file,
                    row.place.offset.cast_signed(),
                    of.map(|of| of.url),
                    of.map(|of| of.page),
                    of.and_then(|of| of.record),
                    of.map(|of| of.date_ms),
                    of.map(|of| of.declared_kind as u8),
                    of.map(|of| &of.own_url),
                ])?;
            }
        }
        all.commit()
    }

    /// Gives each revisit its original, clause by clause.
    fn match_all(&self) -> rusqlite::Result<()> {
        self.conn.execute_batch(include_str!("wanted.sql"))?;
        let clause = |number: u8, sql: &str| {
            format!("UPDATE revisit AS m SET clause = {number}, original = {sql} WHERE original IS NULL;")
        };
        self.conn.execute_batch(
            &[
                clause(0, AT_DATE),
                clause(1, SAME_URL),
                format!(
                    "INSERT OR IGNORE INTO by_record SELECT x.record, {is_page}, x.digest, x.id FROM capture x
                  WHERE x.revisit_of_ms IS NULL AND x.record IN (SELECT record FROM revisit WHERE original IS NULL)
                  ORDER BY x.record, x.date_ms, x.id;",
                    is_page = is_page_sql!("x")
                ),
                clause(2, BY_RECORD),
                format!(
                    "INSERT INTO payload SELECT x.digest, {is_page}, x.date_ms, x.status, x.id FROM capture x
                  WHERE x.revisit_of_ms IS NULL AND x.digest <> ''
                    AND x.digest IN (SELECT digest FROM revisit WHERE original IS NULL);",
                    is_page = is_page_sql!("x")
                ),
                clause(3, BY_PAYLOAD),
                format!(
                    "INSERT INTO found (original_file, original_offset, file, offset, url, date_ms)
                 SELECT x.file, x.offset, c.file, c.offset, c.own_url, c.date_ms
                   FROM revisit m JOIN capture c ON c.id = m.id LEFT JOIN capture x ON x.id = m.original
                  WHERE {is_page} OR (m.original IS NULL AND m.declared_kind = 1)
                  ORDER BY ifnull(x.file, c.file), ifnull(x.offset, c.offset), c.file, c.offset;",
                    is_page = is_page_sql!("x")
                ),
            ]
            .concat(),
        )
    }

    /// The original of the only revisit.
    fn only_original(&self) -> rusqlite::Result<Option<(Place, FoundBy)>> {
        let sql = "SELECT x.file, x.offset, m.clause FROM revisit m JOIN capture x ON x.id = m.original";
        let found = self.conn.query_row(sql, [], |row| Ok((place(row, 0)?, row.get::<_, u8>(2)?))).optional()?;
        Ok(found.and_then(|(place, clause)| Some((place?, *FoundBy::ALL.get(usize::from(clause))?))))
    }
}

/// Revisits with what they repeat.
pub(super) struct Resolved {
    table: Table,
    folder: PathBuf,
}

impl Resolved {
    /// The number of revisits that have one, or declare that they are pages.
    pub(super) fn count(&self) -> Result<u64, RevisitError> {
        let count = self.table.conn.query_row("SELECT count(*) FROM found", [], |row| row.get::<_, i64>(0));
        count.map(i64::cast_unsigned).map_err(|error| self.error(error))
    }

    /// A number for these very revisits with these originals.
    pub(super) fn hash(&self) -> Result<u64, RevisitError> {
        let mut hasher = DefaultHasher::new();
        let mut hash_all = || -> rusqlite::Result<()> {
            let sql = "SELECT original_file, original_offset, file, offset FROM found ORDER BY number";
            let mut statement = self.table.conn.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..4 {
                    row.get::<_, Option<i64>>(column)?.hash(&mut hasher);
                }
            }
            Ok(())
        };
        hash_all().map_err(|error| self.error(error))?;
        Ok(hasher.finish())
    }

    /// Gives each whose original is not here, and that does not declare that it is no page.
    pub(super) fn each_lost(&self, mut give: impl FnMut(Place, &str)) -> Result<(), RevisitError> {
        let mut give_all = || -> rusqlite::Result<()> {
            let mut statement = self.table.conn.prepare(
                "SELECT c.file, c.offset, c.own_url FROM revisit m JOIN capture c ON c.id = m.id
                  WHERE m.original IS NULL AND m.declared_kind <> 2",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                give(place(row, 0)?.unwrap_or_default(), row.get_ref(2)?.as_str().unwrap_or_default());
            }
            Ok(())
        };
        give_all().map_err(|error| self.error(error))
    }

    /// Gives those that have one, with their numbers from 0 on, in the order of
    /// the originals: those that are repeated often are read once.
    pub(super) fn each<E: From<RevisitError>>(
        &self,
        mut give: impl FnMut(u64, Repeated) -> Result<(), E>,
    ) -> Result<(), E> {
        let error = |error| E::from(self.error(error));
        let sql = "SELECT original_file, original_offset, file, offset, url, date_ms FROM found ORDER BY number";
        let mut statement = self.table.conn.prepare(sql).map_err(error)?;
        let mut rows = statement.query([]).map_err(error)?;
        for number in 0.. {
            let Some(row) = rows.next().map_err(error)? else { break };
            let repeated = || -> rusqlite::Result<_> {
                let (original, url) = (place(row, 0)?, Url::parse(row.get_ref(4)?.as_str().unwrap_or_default()));
                let date = CaptureDate::from_millis(row.get(5)?);
                let own = place(row, 2)?.unwrap_or_default();
                Ok(url.ok().map(|url| Repeated { original, place: own, url, date }))
            };
            if let Some(repeated) = repeated().map_err(error)? {
                give(number, repeated)?;
            }
        }
        Ok(())
    }

    fn error(&self, error: rusqlite::Error) -> RevisitError {
        RevisitError { folder: self.folder.clone(), source: error.into() }
    }
}

fn place(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Option<Place>> {
    let (file, offset): (Option<u32>, Option<i64>) = (row.get(from)?, row.get(from + 1)?);
    Ok(file.zip(offset).map(|(file, offset)| Place { file, offset: offset.cast_unsigned() }))
}

/// The SHA-1 that a record declares of its payload.
fn declared_digest(head: &RecordHead) -> Option<String> {
    head.headers.get("WARC-Payload-Digest").and_then(|digest| sha1_field(&digest))
}

/// The number of a URL, near those of others of its page.
fn url_number(page: i64, url: &Url) -> i64 {
    const LOW: i64 = (1 << 32) - 1;
    (page & !LOW) | (number_of(url.as_str()) & LOW)
}

fn number_of(text: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// A number for a SHA-1 in base 32, in the order of the texts by their first eight letters: where a
/// date fits several captures the rule goes by that.
fn digest_number(digest: &str) -> i64 {
    let letters = digest.strip_prefix("sha1:").unwrap_or(digest);
    let first = letters.bytes().take(8).fold(0, |all: i64, letter| {
        let value = if letter.is_ascii_digit() { letter - b'2' } else { (letter & 31) + 5 };
        all << 5 | i64::from(value & 31)
    });
    first << 23 | (number_of(letters) & ((1 << 23) - 1))
}
