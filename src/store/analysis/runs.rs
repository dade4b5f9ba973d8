//! Runs: what each analysed, and with which results.

use super::results::EntityRow;
use super::{AnalysisError, AnalysisResult, AnalysisStore};
use crate::analysis::terms::CorpusTerm;
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
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

/// How much of a workspace a run is about, which decides what it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunReach {
    /// All of it.
    Workspace,
    /// All captures of these campaigns.
    Campaigns(Vec<i64>),
    /// A part: a query, a period, some launches or imports, or not every step.
    Part,
}

impl RunReach {
    fn encode(&self) -> String {
        match self {
            Self::Workspace => "workspace".to_owned(),
            Self::Campaigns(ids) => ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            Self::Part => "part".to_owned(),
        }
    }

    fn decode(kept: &str) -> Self {
        match kept {
            "workspace" => Self::Workspace,
            "part" => Self::Part,
            ids => ids.split(',').map(|id| id.parse().ok()).collect::<Option<_>>().map_or(Self::Part, Self::Campaigns),
        }
    }

    /// Whether it has all captures that another one has.
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Workspace, _) => true,
            (Self::Campaigns(own), Self::Campaigns(others)) => others.iter().all(|id| own.contains(id)),
            _ => false,
        }
    }
}

/// What a run is begun with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKind {
    /// How much it is about.
    pub reach: RunReach,
    /// It is made while a crawl goes on.
    pub is_interim: bool,
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
    /// How much of the workspace it is about.
    pub reach: RunReach,
    /// Made while a crawl went on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_interim: bool,
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

/// What a run found beside its entities and pages, ready to be kept.
#[derive(Debug, Clone, Default)]
pub struct RunResults {
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
        reach: RunReach::decode(&row.get::<_, String>(13)?),
        is_interim: row.get(14)?,
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
    "id, inputs, program, digest, started_ms, ended_ms, pages, captures, fresh, sentences, mentions,
    entities, terms, reach, interim";

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

    /// The runs that answer what the whole workspace is asked: of those that ended and are whole, each that no later
    /// one covers; where none is whole, the last that ended. The latest is the first.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn answering_runs(&self) -> AnalysisResult<Vec<AnalysisRun>> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM run WHERE ended_ms IS NOT NULL ORDER BY present_ms DESC, id DESC");
        let conn = self.conn();
        let ended: Vec<AnalysisRun> = self.of((|| conn.prepare(&sql)?.query_map([], run_row)?.collect())())?;
        let last = ended.first().cloned();
        let mut answering: Vec<AnalysisRun> = Vec::new();
        for run in ended.into_iter().filter(|run| run.reach != RunReach::Part) {
            if !answering.iter().any(|later| later.reach.covers(&run.reach)) {
                answering.push(run);
            }
        }
        if answering.is_empty() {
            answering.extend(last);
        }
        Ok(answering)
    }

    /// The run that lists are of where none is named: the first of [`Self::answering_runs`].
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn present_run(&self) -> AnalysisResult<Option<AnalysisRun>> {
        Ok(self.answering_runs()?.into_iter().next())
    }

    /// The run that answers for a campaign: the latest of [`Self::answering_runs`] that has all of it, else the present one.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn run_of_campaign(&self, campaign: i64) -> AnalysisResult<Option<AnalysisRun>> {
        let mut runs = self.answering_runs()?;
        let campaign = RunReach::Campaigns(vec![campaign]);
        let place = runs.iter().position(|run| run.reach.covers(&campaign)).unwrap_or(0);
        Ok((place < runs.len()).then(|| runs.swap_remove(place)))
    }

    /// The content versions with an entity of this name or URI, or with any, by the runs that answer.
    ///
    /// # Errors
    ///
    /// [`AnalysisError::Absent`] where nothing was analysed, or a file that cannot be read.
    pub fn versions_naming(&self, name: Option<&str>) -> AnalysisResult<FixedBitSet> {
        let runs = self.answering_runs()?;
        if runs.is_empty() {
            return self.run(None).map(|_| FixedBitSet::new());
        }
        let mut found = FixedBitSet::new();
        for run in runs {
            let named = name.map(|name| self.entities_named(run.id, name)).transpose()?;
            let named: Option<Vec<u32>> = named.map(|named| named.iter().map(|entity| entity.id).collect());
            found.union_with(&self.versions_with(run.id, named.as_deref())?);
        }
        Ok(found)
    }

    /// Makes a run the latest, which was found again to have what its inputs give; one of a crawl that has ended stays.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn set_present(&self, id: i64, is_interim: bool) -> AnalysisResult<()> {
        let now = CaptureDate::now().millis();
        let sql = "UPDATE run SET present_ms = ?2, interim = min(interim, ?3) WHERE id = ?1";
        self.of(self.conn().execute(sql, params![id, now, is_interim])).map(drop)
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
    pub fn begin_run(&self, inputs: &serde_json::Value, kind: &RunKind, program: &str) -> AnalysisResult<i64> {
        let conn = self.conn();
        let sql =
            "INSERT INTO run (inputs, program, digest, reach, interim, started_ms) VALUES (?1, ?2, '', ?3, ?4, ?5)";
        let now = CaptureDate::now().millis();
        self.of(conn.execute(sql, params![inputs.to_string(), program, kind.reach.encode(), kind.is_interim, now]))?;
        Ok(conn.last_insert_rowid())
    }

    /// Takes out what earlier runs of the same inputs found while a crawl went on.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn delete_interim_before(&self, run: &AnalysisRun) -> AnalysisResult<()> {
        for earlier in self.runs()? {
            if earlier.is_interim && earlier.id < run.id && earlier.inputs == run.inputs {
                self.delete_run(earlier.id)?;
            }
        }
        Ok(())
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

    /// Keeps an entity with its folded names, and its pages by month.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn entity(&mut self, row: &EntityRow, names: &[String]) -> AnalysisResult<()> {
        let int = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let put = || {
            let sql = "INSERT INTO entity
                (run, id, name, kind, uri, source, mentions, sentences, pages, hosts, first_ms, last_ms, months)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
            let months: Vec<u8> = row.months.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
            self.transaction.prepare_cached(sql)?.execute(params![
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
                row.last.millis(),
                months
            ])?;
            let sql = "INSERT OR IGNORE INTO entity_name (run, name, entity) VALUES (?1, ?2, ?3)";
            let mut name = self.transaction.prepare_cached(sql)?;
            for folded in names {
                name.execute(params![self.run, folded, row.id])?;
            }
            Ok(())
        };
        self.store.of(put())
    }

    fn finish(self, results: &RunResults, digest: &str) -> rusqlite::Result<()> {
        let int = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        {
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
