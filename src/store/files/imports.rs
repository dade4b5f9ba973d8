//! Imports keep their sources, the outcome of each file and the problems in it.

use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::launches::state_of;
use crate::store::rows::ProblemId;
use crate::store::rows::{
    FileId, FileOutcome, ImportOptions, ImportRow, ImportedFile, LaunchId, LaunchState, ProblemPage, ProblemQuery,
    ProblemRow,
};
use crate::uri::CaptureDate;
use crate::warc::{Problem, SharedMember};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashMap;

/// Something broken or odd in a file, on its way into the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// The compressed member that the record shares, where that is known.
    pub member: Option<SharedMember>,
    /// The kind of problem, as text.
    pub kind: &'static str,
    /// The details, as text.
    pub detail: String,
}

impl ImportProblem {
    /// A problem at an offset.
    pub fn new(offset: u64, kind: &'static str, detail: String) -> Self {
        Self { offset, member: None, kind, detail }
    }
}

impl From<Problem> for ImportProblem {
    fn from(problem: Problem) -> Self {
        // Of problems that were counted only, the text has the number.
        let row = Self::new(problem.offset, problem.kind.label(), problem.detail);
        Self { member: problem.member, ..row }
    }
}

/// Problems that one page of the window or one list holds.
const MAX_LISTED: i64 = 20_000;

/// The kind of the row of a file that could not be read.
const UNREADABLE: &str = "not readable";

/// Whether an import follows links, which few do.
macro_rules! follows_links {
    () => {
        "EXISTS (SELECT 1 FROM setting WHERE name = 'import_follows_links ' || i.launch)"
    };
}

impl Catalogue {
    /// Begins an import, or continues the last one when it was stopped or killed and had the same
    /// sources and options. Returns its launch.
    ///
    /// # Errors
    ///
    /// As [`Self::import_campaign`]; a catalogue that cannot be written.
    pub fn begin_import(&self, sources: &[String], options: ImportOptions) -> Result<LaunchId, StoreError> {
        let sources = serde_json::to_string(sources).map_err(|error| StoreError::Content(error.to_string()))?;
        let ImportOptions { copy, follow_links, campaign } = options;
        let campaign = self.import_campaign(campaign)?;
        self.write(move |conn| {
            let stopped: Option<LaunchId> = conn
                .query_row(
                    concat!(
                        "SELECT l.id FROM launch l JOIN import i ON i.launch = l.id
                         WHERE l.id = (SELECT max(launch) FROM import) AND l.state = 'stopped' AND i.sources = ?1
                            AND i.copy = ?2 AND l.campaign IS ?4 AND ?3 = ",
                        follows_links!()
                    ),
                    params![sources, copy, follow_links, campaign],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(launch) = stopped {
                conn.execute("UPDATE launch SET state = 'running', ended_ms = NULL, why = '' WHERE id = ?1", [launch])?;
                return Ok(launch);
            }
            let now = CaptureDate::now();
            conn.execute(
                "INSERT INTO launch (kind, campaign, version, job, launch, state, started_ms)
                 VALUES ('import', ?1, (SELECT version FROM campaign WHERE id = ?1), 'import', ?2, 'running', ?3)",
                params![campaign, now.to_digits14(), now.millis()],
            )?;
            let launch = LaunchId::new(conn.last_insert_rowid());
            conn.execute(
                "INSERT INTO import (launch, sources, copy) VALUES (?1, ?2, ?3)",
                params![launch, sources, copy],
            )?;
            if follow_links {
                conn.execute(
                    "INSERT OR REPLACE INTO setting (name, value) VALUES ('import_follows_links ' || ?1, '1')",
                    [launch],
                )?;
            }
            Ok(launch)
        })
    }

    /// Keeps how many files in folders were passed over, and the first of them.
    pub fn keep_passed_over(&self, launch: LaunchId, passed_over: u64, paths: &[String]) -> Result<(), StoreError> {
        let paths = serde_json::to_string(paths).map_err(|error| StoreError::Content(error.to_string()))?;
        self.execute(
            "UPDATE import SET passed_over = ?2, passed_paths = ?3 WHERE launch = ?1",
            (launch, int(passed_over), paths),
        )
    }

    /// The files that an import is done with: path, size and date as they were then.
    pub fn imported_so_far(&self, launch: LaunchId) -> Result<HashMap<String, (u64, i64)>, StoreError> {
        self.rows(
            "SELECT path, bytes, mtime_ns FROM import_file WHERE launch = ?1 AND outcome IN ('read', 'known', 'moved')",
            [launch],
            |row| Ok((row.get(0)?, (uint(row.get(1)?), row.get(2)?))),
        )
    }

    /// Keeps the outcome of a file. Written last: one that was cut off in the middle by a kill is read
    /// again. `sha256` is that of the whole file, for one that was read to its end.
    pub fn keep_imported(
        &self,
        launch: LaunchId,
        done: &ImportedFile,
        sha256: &str,
        problems: Vec<ImportProblem>,
    ) -> Result<(), StoreError> {
        let (done, sha256) = (done.clone(), sha256.to_owned());
        let left_out = serde_json::to_string(&done.left_out).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            forget_problems(conn, launch, &done)?;
            conn.prepare_cached("DELETE FROM import_file WHERE launch = ?1 AND path = ?2")?
                .execute(params![launch, done.path])?;
            conn.prepare_cached(
                "INSERT INTO import_file (launch, path, mtime_ns, bytes, file, outcome, same_as, error, records, captures,
                    new_captures, revisits, problems, took_ms, left_out, orphans)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            )?
            .execute(params![
                launch,
                done.path,
                done.mtime_ns,
                int(done.bytes),
                done.file,
                done.outcome.as_str(),
                done.same_as,
                done.error,
                int(done.records),
                int(done.captures),
                int(done.new_captures),
                int(done.revisits),
                int(done.problem_count),
                int(done.took_ms),
                left_out,
                int(done.orphans),
            ])?;
            let row = conn.last_insert_rowid();
            let mut insert = conn.prepare_cached(
                "INSERT INTO problem (import_file, file, offset, kind, detail, member, member_decoded)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            let mut keep = |offset: u64, member: Option<SharedMember>, kind: &str, detail: &str| {
                let (member, decoded) = (member.map(|at| int(at.offset)), member.map(|at| int(at.decoded_offset)));
                insert.execute(params![row, done.file, int(offset), kind, detail, member, decoded])
            };
            for problem in &problems {
                keep(problem.offset, problem.member, problem.kind, &problem.detail)?;
            }
            if let Some(error) = &done.error {
                // Where reading stopped: behind the last problem, as far as known.
                let (offset, member) = problems.last().map_or((0, None), |problem| (problem.offset, problem.member));
                keep(offset, member, UNREADABLE, error)?;
            }
            if let (Some(file), FileOutcome::Read | FileOutcome::Cut) = (done.file, done.outcome) {
                conn.prepare_cached(
                    "UPDATE warc_file SET size = ?2, sha256 = ?3, records = ?4, problems = ?5 WHERE id = ?1",
                )?
                .execute(params![
                    file,
                    int(done.bytes),
                    sha256,
                    int(done.records),
                    int(done.problem_count)
                ])?;
            }
            Ok(())
        })
    }

    /// The number of captures of a file that an import has brought in, before it was stopped or killed
    /// and since.
    pub fn brought_in(&self, launch: LaunchId, file: FileId) -> Result<u64, StoreError> {
        self.row(
            "SELECT count(*) FROM record r JOIN capture c ON c.id = r.capture
                     WHERE r.file = ?2 AND r.position = 0 AND c.launch = ?1",
            params![launch, file],
            |row| row.get(0).map(uint),
        )
    }

    /// Every import, newest first.
    pub fn imports(&self) -> Result<Vec<ImportRow>, StoreError> {
        self.rows(&format!("{IMPORT} GROUP BY l.id ORDER BY l.id DESC"), [], import_row)
    }

    /// An import with its counts.
    pub fn import(&self, launch: LaunchId) -> Result<ImportRow, StoreError> {
        self.row_if_any(&format!("{IMPORT} WHERE l.id = ?1 GROUP BY l.id"), [launch], import_row)?
            .ok_or(StoreError::Missing { what: "import", id: launch.to_string() })
    }

    /// The first of the files that an import passed over.
    pub fn passed_paths(&self, launch: LaunchId) -> Result<Vec<String>, StoreError> {
        self.read(|conn| {
            let paths: Option<String> = conn
                .prepare_cached("SELECT passed_paths FROM import WHERE launch = ?1")?
                .query_row([launch], |row| row.get(0))
                .optional()?;
            Ok(paths.and_then(|paths| serde_json::from_str(&paths).ok()).unwrap_or_default())
        })
    }

    /// The files of an import with their outcome, in the order of their names.
    pub fn imported_files(&self, launch: LaunchId) -> Result<Vec<ImportedFile>, StoreError> {
        self.rows(
            "SELECT path, outcome, file, bytes, mtime_ns, records, captures, new_captures, revisits, problems,
                    same_as, error, took_ms, left_out, orphans
                 FROM import_file WHERE launch = ?1 ORDER BY path",
            [launch],
            imported_row,
        )
    }

    /// Problems that match the query: of one import those that it found then, else those that hold as
    /// far as is known now.
    pub fn problems(&self, query: &ProblemQuery) -> Result<ProblemPage, StoreError> {
        const NARROWED: &str =
            "(CASE WHEN ?1 IS NULL THEN p.read_again = 0 ELSE i.launch = ?1 END) AND (?2 IS NULL OR p.file = ?2)
            AND (?3 = '' OR instr(lower(ifnull(f.path, i.path)), ?3) OR instr(lower(p.detail), ?3))
            AND (?4 = '' OR i.path = ?4)";
        let text = query.text.to_lowercase();
        self.read(|conn| {
            let rows = conn
                .prepare_cached(&format!(
                    "{PROBLEM} WHERE {NARROWED} AND (?5 = '' OR p.kind = ?5)
                     ORDER BY ifnull(f.path, i.path), p.offset, p.id LIMIT ?6"
                ))?
                .query_map(params![query.launch, query.file, text, query.path, query.kind, MAX_LISTED], problem_row)?
                .collect::<Result<_, _>>()?;
            let kinds = conn
                .prepare_cached(&format!(
                    "SELECT p.kind, count(*) FROM problem p JOIN import_file i ON i.id = p.import_file
                     LEFT JOIN warc_file f ON f.id = p.file WHERE {NARROWED} GROUP BY p.kind ORDER BY count(*) DESC, p.kind"
                ))?
                .query_map(params![query.launch, query.file, text, query.path], |row| Ok((row.get(0)?, uint(row.get(1)?))))?
                .collect::<Result<_, _>>()?;
            let unlisted: i64 = conn
                .prepare_cached(
                    "SELECT ifnull(sum(max(i.problems - (SELECT count(*) FROM problem p WHERE p.import_file = i.id), 0)), 0)
                     FROM import_file i WHERE i.id IN (SELECT import_file FROM problem WHERE ?1 IS NOT NULL OR read_again = 0)
                       AND (?1 IS NULL OR i.launch = ?1) AND (?2 IS NULL OR i.file = ?2) AND (?3 = '' OR i.path = ?3)",
                )?
                .query_row(params![query.launch, query.file, query.path], |row| row.get(0))?;
            Ok(ProblemPage { rows, kinds, unlisted: uint(unlisted) })
        })
    }

    /// The problems that the import of one file has listed.
    pub fn problems_of(&self, launch: LaunchId, path: &str) -> Result<Vec<ProblemRow>, StoreError> {
        self.rows(
            &format!("{PROBLEM} WHERE i.launch = ?1 AND i.path = ?2 ORDER BY p.offset, p.id"),
            params![launch, path],
            problem_row,
        )
    }

    /// A problem by its number.
    pub fn problem(&self, id: ProblemId) -> Result<ProblemRow, StoreError> {
        self.row_if_any(&format!("{PROBLEM} WHERE p.id = ?1"), [id], problem_row)?
            .ok_or(StoreError::Missing { what: "problem", id: id.to_string() })
    }
}

/// Problems of what is read again are listed anew; those of earlier imports stay theirs.
fn forget_problems(conn: &Connection, launch: LaunchId, done: &ImportedFile) -> Result<(), StoreError> {
    conn.prepare_cached(
        "DELETE FROM problem WHERE import_file = (SELECT id FROM import_file WHERE launch = ?1 AND path = ?2)",
    )?
    .execute(params![launch, done.path])?;
    conn.prepare_cached(
        "UPDATE problem SET read_again = 1 WHERE file IS NULL AND import_file IN
            (SELECT id FROM import_file WHERE path = ?1)",
    )?
    .execute([&done.path])?;
    if let (Some(file), FileOutcome::Read | FileOutcome::Cut) = (done.file, done.outcome) {
        conn.prepare_cached("UPDATE problem SET read_again = 1 WHERE file = ?1")?.execute([file])?;
    }
    Ok(())
}

const IMPORT: &str = concat!(
    "SELECT l.id, i.sources, i.copy, l.state, l.why, l.started_ms, l.ended_ms, count(f.id),
        count(f.id) FILTER (WHERE f.outcome = 'read'), count(f.id) FILTER (WHERE f.outcome IN ('known', 'moved')),
        count(f.id) FILTER (WHERE f.outcome = 'moved'), count(f.id) FILTER (WHERE f.outcome IN ('cut', 'unread')),
        i.passed_over, ifnull(sum(f.bytes), 0), ifnull(sum(f.records), 0), ifnull(sum(f.captures), 0),
        ifnull(sum(f.new_captures), 0), ifnull(sum(f.revisits), 0), ifnull(sum(f.problems), 0), ",
    follows_links!(),
    ", l.campaign, ifnull((SELECT name FROM campaign WHERE id = l.campaign), '')
     FROM launch l JOIN import i ON i.launch = l.id LEFT JOIN import_file f ON f.launch = l.id"
);

fn import_row(row: &Row<'_>) -> rusqlite::Result<ImportRow> {
    let number = |at: usize| row.get::<_, i64>(at).map(uint);
    let state: LaunchState = state_of(&row.get::<_, String>(3)?);
    Ok(ImportRow {
        launch: row.get(0)?,
        sources: serde_json::from_str(&row.get::<_, String>(1)?).unwrap_or_default(),
        copy: row.get(2)?,
        state,
        why: row.get(4)?,
        started: CaptureDate::from_millis(row.get(5)?),
        ended: row.get::<_, Option<i64>>(6)?.map(CaptureDate::from_millis),
        files: number(7)?,
        read: number(8)?,
        known: number(9)?,
        moved: number(10)?,
        unread: number(11)?,
        passed_over: number(12)?,
        bytes: number(13)?,
        records: number(14)?,
        captures: number(15)?,
        new_captures: number(16)?,
        revisits: number(17)?,
        problems: number(18)?,
        follow_links: row.get(19)?,
        campaign: row.get(20)?,
        campaign_name: row.get(21)?,
    })
}

fn imported_row(row: &Row<'_>) -> rusqlite::Result<ImportedFile> {
    let number = |at: usize| row.get::<_, i64>(at).map(uint);
    let outcome: String = row.get(1)?;
    Ok(ImportedFile {
        path: row.get(0)?,
        outcome: FileOutcome::ALL.into_iter().find(|known| known.as_str() == outcome).unwrap_or(FileOutcome::Unread),
        file: row.get(2)?,
        bytes: number(3)?,
        mtime_ns: row.get(4)?,
        records: number(5)?,
        captures: number(6)?,
        new_captures: number(7)?,
        revisits: number(8)?,
        problem_count: number(9)?,
        same_as: row.get(10)?,
        error: row.get(11)?,
        took_ms: number(12)?,
        left_out: serde_json::from_str(&row.get::<_, String>(13)?).unwrap_or_default(),
        orphans: number(14)?,
    })
}

const PROBLEM: &str = "SELECT p.id, p.file, ifnull(f.path, i.path), p.offset, p.kind, p.detail, p.read_again, p.member,
        p.member_decoded
     FROM problem p JOIN import_file i ON i.id = p.import_file LEFT JOIN warc_file f ON f.id = p.file";

fn problem_row(row: &Row<'_>) -> rusqlite::Result<ProblemRow> {
    let member = row.get::<_, Option<i64>>(7)?.zip(row.get::<_, Option<i64>>(8)?);
    Ok(ProblemRow {
        id: row.get(0)?,
        file: row.get(1)?,
        path: row.get(2)?,
        offset: uint(row.get(3)?),
        kind: row.get(4)?,
        detail: row.get(5)?,
        read_again: row.get(6)?,
        member: member.map(|(offset, decoded)| SharedMember { offset: uint(offset), decoded_offset: uint(decoded) }),
    })
}
