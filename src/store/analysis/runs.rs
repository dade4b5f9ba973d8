//! Runs: what each analysed, and with which results.

use super::results::EntityRow;
use super::{AnalysisError, AnalysisResult, AnalysisStore};
use crate::analysis::terms::CorpusTerm;
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;
use std::path::Path;

/// Tables with rows of runs.
const TABLES_OF_RUNS: [&str; 5] = ["entity", "entity_name", "mention", "page_term", "term"];

/// Figures of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RunCounts {
    /// Content versions that it is about.
    pub pages: u64,
    /// Captures of these.
    pub captures: u64,
    /// Pages of the workspace whose text was read for it.
    pub fresh: u64,
    /// Sentences.
    pub sentences: u64,
    /// Places where something is named.
    pub mentions: u64,
    /// Persons, places and so on.
    pub entities: u64,
    /// Terms of the whole.
    pub terms: u64,
}

/// An analysis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnalysisRun {
    /// Its number.
    pub id: i64,
    /// Campaigns, launches, imports, query, period and steps, as JSON.
    pub inputs: serde_json::Value,
    /// Version of the program that made it.
    pub program: String,
    /// SHA-256 of all that its results follow from.
    pub digest: String,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended; none where it still runs, was stopped or killed.
    pub ended: Option<CaptureDate>,
    /// Its figures.
    #[serde(flatten)]
    pub counts: RunCounts,
}

/// The places of an entity on a page: first character, characters, sentence.
pub type Places = Vec<[u32; 3]>;

/// What a run found, ready to be kept.
#[derive(Debug, Clone, Default)]
pub struct RunResults {
    /// Entities by their numbers, with their folded names.
    pub entities: Vec<(EntityRow, Vec<String>)>,
    /// Terms, the best first.
    pub terms: Vec<CorpusTerm>,
    /// Figures.
    pub counts: RunCounts,
}

/// Writes the results of a run; nothing of it is seen before all is there.
pub struct RunWriter<'s> {
    store: &'s AnalysisStore,
    transaction: Transaction<'s>,
    run: i64,
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<AnalysisRun> {
    let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
    let inputs: String = row.get(1)?;
    Ok(AnalysisRun {
        id: row.get(0)?,
        inputs: serde_json::from_str(&inputs).unwrap_or_default(),
        program: row.get(2)?,
        digest: row.get(3)?,
        started: CaptureDate::from_millis(row.get(4)?),
        ended: row.get::<_, Option<i64>>(5)?.map(CaptureDate::from_millis),
        counts: RunCounts {
            pages: number(6)?,
            captures: number(7)?,
            fresh: number(8)?,
            sentences: number(9)?,
            mentions: number(10)?,
            entities: number(11)?,
            terms: number(12)?,
        },
    })
}

const RUN_COLUMNS: &str =
    "id, inputs, program, digest, started_ms, ended_ms, pages, captures, fresh, sentences, mentions, entities, terms";

impl AnalysisStore {
    /// The runs, newest first.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn runs(&self) -> AnalysisResult<Vec<AnalysisRun>> {
        let conn = self.conn();
        self.of((|| {
            let mut statement = conn.prepare(&format!("SELECT {RUN_COLUMNS} FROM run ORDER BY id DESC"))?;
            statement.query_map([], run_row)?.collect()
        })())
    }

    /// A run by its number, or the present one.
    ///
    /// # Errors
    ///
    /// [`AnalysisError::NoRun`], and [`AnalysisError::Absent`] where none ended.
    pub fn run(&self, id: Option<i64>) -> AnalysisResult<AnalysisRun> {
        let Some(id) = id else {
            let workspace = self.path.parent().and_then(Path::parent).unwrap_or(&self.path);
            return self.present_run()?.ok_or_else(|| AnalysisError::Absent(workspace.to_owned()));
        };
        let sql = format!("SELECT {RUN_COLUMNS} FROM run WHERE id = ?1");
        let found = self.conn().query_row(&sql, [id], run_row).optional();
        self.of(found)?.ok_or(AnalysisError::NoRun(id))
    }

    /// The run that ended last, or was last found again to have what its inputs give.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn present_run(&self) -> AnalysisResult<Option<AnalysisRun>> {
        let sql = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE ended_ms IS NOT NULL ORDER BY present_ms DESC, id DESC LIMIT 1"
        );
        self.of(self.conn().query_row(&sql, [], run_row).optional())
    }

    /// Makes a run the present one.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn set_present(&self, id: i64) -> AnalysisResult<()> {
        let now = CaptureDate::now().millis();
        self.of(self.conn().execute("UPDATE run SET present_ms = ?2 WHERE id = ?1", [id, now])).map(drop)
    }

    /// The run that ended with results of this digest.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn run_of_digest(&self, digest: &str) -> AnalysisResult<Option<AnalysisRun>> {
        let sql = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE digest = ?1 AND ended_ms IS NOT NULL ORDER BY id DESC LIMIT 1"
        );
        self.of(self.conn().query_row(&sql, [digest], run_row).optional())
    }

    /// Begins a run; its number.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn begin_run(&self, inputs: &serde_json::Value, program: &str) -> AnalysisResult<i64> {
        let conn = self.conn();
        let sql = "INSERT INTO run (inputs, program, digest, started_ms) VALUES (?1, ?2, '', ?3)";
        self.of(conn.execute(sql, params![inputs.to_string(), program, CaptureDate::now().millis()]))?;
        Ok(conn.last_insert_rowid())
    }

    /// Takes a run out with all that it found.
    ///
    /// # Errors
    ///
    /// [`AnalysisError::NoRun`], or a file that cannot be written.
    pub fn delete_run(&self, id: i64) -> AnalysisResult<()> {
        let mut conn = self.conn();
        let deleted = self.of((|| {
            let transaction = conn.transaction()?;
            for table in TABLES_OF_RUNS {
                transaction.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [id])?;
            }
            let deleted = transaction.execute("DELETE FROM run WHERE id = ?1", [id])?;
            transaction.commit()?;
            Ok(deleted)
        })())?;
        if deleted > 0 { Ok(()) } else { Err(AnalysisError::NoRun(id)) }
    }

    /// Writes the results of a run: `write` gives mentions and terms of pages as it goes, and the rest at the end.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, and those of `write`: then nothing is kept.
    pub fn end_run<E: From<AnalysisError>>(
        &self,
        run: i64,
        digest: &str,
        write: impl FnOnce(&mut RunWriter<'_>) -> Result<RunResults, E>,
    ) -> Result<RunCounts, E> {
        // Another connection, since pages are read meanwhile.
        let writer = Self::connect(self.path.clone(), rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut conn = writer.conn();
        let transaction = self.of(conn.transaction())?;
        let mut writer = RunWriter { store: self, transaction, run };
        let results = write(&mut writer)?;
        let counts = results.counts;
        self.of(writer.finish(&results, digest))?;
        Ok(counts)
    }
}

impl RunWriter<'_> {
    /// Keeps the mentions of a page, by entity.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn mentions(&mut self, version: u64, of: &[(u32, Places)]) -> AnalysisResult<()> {
        let put = || {
            let sql = "INSERT INTO mention (run, entity, version, places) VALUES (?1, ?2, ?3, ?4)";
            let mut put = self.transaction.prepare_cached(sql)?;
            for (entity, places) in of {
                let bytes: Vec<u8> = places.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
                put.execute(params![self.run, entity, i64::try_from(version).unwrap_or(i64::MAX), bytes])?;
            }
            Ok(())
        };
        self.store.of(put())
    }

    /// Keeps the terms of a page, each with its weight.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn page_terms(&mut self, version: u64, terms: &[(&str, f64)]) -> AnalysisResult<()> {
        let put = || {
            let sql = "INSERT INTO page_term (run, version, terms) VALUES (?1, ?2, ?3)";
            let terms = serde_json::to_string(terms).unwrap_or_default();
            let version = i64::try_from(version).unwrap_or(i64::MAX);
            self.transaction.prepare_cached(sql)?.execute(params![self.run, version, terms])
        };
        self.store.of(put()).map(drop)
    }

    fn finish(self, results: &RunResults, digest: &str) -> rusqlite::Result<()> {
        let int = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        {
            let mut put = self.transaction.prepare(
                "INSERT INTO entity (run, id, name, kind, uri, source, mentions, sentences, pages, hosts, first_ms, last_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            let mut name = self
                .transaction
                .prepare("INSERT OR IGNORE INTO entity_name (run, name, entity) VALUES (?1, ?2, ?3)")?;
            for (row, names) in &results.entities {
                put.execute(params![
                    self.run,
                    row.id,
                    row.name,
                    row.kind.name(),
                    row.uri,
                    row.source,
                    int(row.mentions),
                    int(row.sentences),
                    int(row.pages),
                    int(row.hosts),
                    row.first.millis(),
                    row.last.millis()
                ])?;
                for folded in names {
                    name.execute(params![self.run, folded, row.id])?;
                }
            }
            let mut put = self.transaction.prepare(
                "INSERT INTO term (run, place, text, count, pages, elsewhere, c_value, keyness)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for (place, term) in results.terms.iter().enumerate() {
                put.execute(params![
                    self.run,
                    int(place as u64),
                    term.text,
                    int(term.count),
                    int(term.pages),
                    int(term.elsewhere),
                    term.c_value,
                    term.keyness
                ])?;
            }
            let counts = results.counts;
            self.transaction.execute(
                "UPDATE run SET digest = ?2, ended_ms = ?3, present_ms = ?3, pages = ?4, captures = ?5, fresh = ?6, sentences = ?7, mentions = ?8,
                    entities = ?9, terms = ?10 WHERE id = ?1",
                params![
                    self.run,
                    digest,
                    CaptureDate::now().millis(),
                    int(counts.pages),
                    int(counts.captures),
                    int(counts.fresh),
                    int(counts.sentences),
                    int(counts.mentions),
                    int(counts.entities),
                    int(counts.terms)
                ],
            )?;
        }
        self.transaction.commit()
    }
}
