//! A crawl's memory, kept in the catalogue.

use crate::store::captures::{add_outlinks, insert_capture};
use crate::store::rows::LaunchId;

use super::admission::{admit_all, count_terms, parts_columns, stored_parts};
use super::events::insert_events;
use super::sources::{pages_of_launch, take_pages};
use crate::captures::{CaptureEntry, RecordPlace};
use crate::crawl::{
    Admission, AdmissionState, Admitted, ChangedAdmission, CrawlError, CrawlEvent, Finished, HostBacklog, HostWait,
    LaunchTally, LearnedOrder, Ledger, LedgerError, LostCapture, PriorityParts, QueuePart, QueuedUrl, RobotsAnswer,
    SourcePage, TermTally, WaitingUrl,
};
use crate::exchange::DiskGate;
use crate::links::Outlink;
use crate::scope::{AnnotationFact, Candidate, Decision, GeoFact, Verdict};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, parse_stored, uint};
use crate::uri::{CaptureDate, Url};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// `seen.state`
pub(in crate::store) const QUEUED: i64 = 0;
pub(in crate::store) const REFUSED: i64 = 1;
pub(in crate::store) const FETCHED: i64 = 2;
pub(in crate::store) const FAILED: i64 = 3;

/// Heritrix's fetch status of what the rules refuse.
const OUT_OF_SCOPE: i32 = -5000;

/// The ledger of one launch.
pub struct LaunchLedger {
    catalogue: Arc<Catalogue>,
    launch: LaunchId,
    disk: OnceLock<Arc<DiskGate>>,
}

impl LaunchLedger {
    /// The ledger of a launch.
    pub fn new(catalogue: Arc<Catalogue>, launch: LaunchId) -> Self {
        Self { catalogue, launch, disk: OnceLock::new() }
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection, LaunchId) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<T, LedgerError> {
        let (work, launch) = (Arc::new(work), self.launch);
        self.with_room(|| {
            let once = Arc::clone(&work);
            self.catalogue.write(move |conn| once(conn, launch))
        })
    }

    /// Does again what found no room on the disk, once there is some.
    fn with_room<T>(&self, write: impl Fn() -> Result<T, StoreError>) -> Result<T, LedgerError> {
        loop {
            match (write(), self.disk.get()) {
                (Err(error), Some(disk)) if error.is_disk_full() => {
                    disk.pause(self.catalogue.path(), &error);
                    if !disk.wait() {
                        return Err(ledger_error(error));
                    }
                }
                (written, _) => return written.map_err(ledger_error),
            }
        }
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, LedgerError> {
        self.catalogue.read(work).map_err(ledger_error)
    }
}

fn ledger_error(error: StoreError) -> LedgerError {
    LedgerError(error.to_string())
}

impl Ledger for LaunchLedger {
    fn admit(&self, found: Vec<Admission>) -> Result<Vec<Admitted>, LedgerError> {
        self.write(move |conn, launch| admit_all(conn, launch, &found))
    }

    fn waiting(
        &self,
        authority: &str,
        in_flight: &[i64],
        now: CaptureDate,
        limit: usize,
    ) -> Result<Vec<QueuedUrl>, LedgerError> {
        let now = now.millis();
        // What is due comes straight off the queue's index; only the few that
        // were put back are sorted by their time. The index is named, since
        // the queue of the launch as a whole looks as good to SQLite, and is
        // walked to its end where a host has nothing left.
        let append =
            |conn: &Connection, condition: &str, most: usize, waiting: &mut Vec<QueuedUrl>| -> Result<(), StoreError> {
                let mut statement = conn.prepare_cached(&format!(
                    "{QUEUED_URL} FROM seen s INDEXED BY seen_queue {QUEUED_JOINS}
                 WHERE s.state = 0 AND s.launch = ?1 AND s.host = (SELECT id FROM host WHERE name = ?2)
                 AND {condition} LIMIT ?4"
                ))?;
                let max_rows = most.saturating_add(in_flight.len()) as i64;
                let mut rows = statement.query(params![self.launch, authority, now, max_rows])?;
                while let Some(row) = rows.next()? {
                    let queued = queued_url(row)?;
                    if !in_flight.contains(&queued.id) && waiting.len() < limit {
                        waiting.push(queued);
                    }
                }
                Ok(())
            };
        self.read(|conn| {
            let mut waiting = Vec::new();
            append(conn, "s.due_ms <= ?3 ORDER BY s.priority, s.id", limit, &mut waiting)?;
            if waiting.len() < limit {
                append(conn, "s.due_ms > ?3 ORDER BY s.due_ms, s.priority, s.id", limit - waiting.len(), &mut waiting)?;
            }
            Ok(waiting)
        })
    }

    fn waiting_at(
        &self,
        authority: &str,
        in_flight: &[i64],
        now: CaptureDate,
        place: u64,
    ) -> Result<Option<QueuedUrl>, LedgerError> {
        self.read(|conn| {
            // The place is found in the index alone.
            let mut statement = conn.prepare_cached(
                "SELECT s.id FROM seen s INDEXED BY seen_queue
                 WHERE s.state = 0 AND s.launch = ?1 AND s.host = (SELECT id FROM host WHERE name = ?2)
                 ORDER BY s.priority, s.id LIMIT ?3 OFFSET ?4",
            )?;
            let most = in_flight.len() as i64 + 1;
            let ids = statement.query_map(params![self.launch, authority, most, int(place)], |row| row.get(0))?;
            let ids = ids.collect::<Result<Vec<i64>, _>>()?;
            let Some(id) = ids.into_iter().find(|id| !in_flight.contains(id)) else { return Ok(None) };
            let mut statement = conn.prepare_cached(&format!(
                "{QUEUED_URL} FROM seen s {QUEUED_JOINS} WHERE s.id = ?1 AND s.state = 0 AND s.due_ms <= ?2"
            ))?;
            let mut rows = statement.query([id, now.millis()])?;
            rows.next()?.map(queued_url).transpose()
        })
    }

    fn learned_order(&self, each: &mut dyn FnMut(&str, u16)) -> Result<LearnedOrder, LedgerError> {
        self.read(|conn| {
            let (seed, version): (i64, Option<u32>) = conn
                .prepare_cached("SELECT order_seed, ordered_by FROM launch WHERE id = ?1")?
                .query_row([self.launch], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let mut learned = LearnedOrder { seed: seed.cast_unsigned(), version, ..LearnedOrder::default() };
            let mut statement = conn.prepare_cached(
                "SELECT h.name, s.score FROM seen s INDEXED BY seen_scored JOIN host h ON h.id = s.host
                 WHERE s.launch = ?1 AND s.score IS NOT NULL ORDER BY s.due_ms, s.id",
            )?;
            let mut rows = statement.query([self.launch])?;
            while let Some(row) = rows.next()? {
                learned.pages += 1;
                each(row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?);
            }
            let mut statement = conn.prepare_cached("SELECT term, since, pages FROM launch_term WHERE launch = ?1")?;
            let terms = statement.query_map([self.launch], |row| {
                let (since, pages) = (uint(row.get(1)?), uint(row.get(2)?));
                Ok((row.get(0)?, TermTally { since, pages, is_reported: false }))
            })?;
            learned.terms = terms.collect::<Result<_, _>>()?;
            Ok(learned)
        })
    }

    fn waiting_span(&self) -> Result<Option<(i64, i64)>, LedgerError> {
        self.read(|conn| {
            let (first, last): (Option<i64>, Option<i64>) = conn
                .prepare_cached(
                    "SELECT (SELECT min(id) FROM seen INDEXED BY seen_state WHERE launch = ?1 AND state = 0),
                        (SELECT max(id) FROM seen INDEXED BY seen_state WHERE launch = ?1 AND state = 0)",
                )?
                .query_row([self.launch], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(first.zip(last))
        })
    }

    fn each_waiting(&self, part: QueuePart<'_>, each: &mut dyn FnMut(&WaitingUrl<'_>)) -> Result<(), LedgerError> {
        const ROWS: &str =
            "SELECT s.id, u.url, v.url, ifnull(s.linker_anchor, s.anchor), s.hops, s.is_seed, s.priority,
            s.parts, s.cited, s.source_tag FROM seen s";
        const JOINS: &str = "JOIN url u ON u.id = s.url LEFT JOIN url v ON v.id = ifnull(s.linker, s.via)
            WHERE s.launch = ?1 AND s.state = 0";
        self.read(|conn| {
            let mut statement;
            let mut rows = match part {
                QueuePart::Numbered(first, last) => {
                    statement = conn.prepare_cached(&format!(
                        "{ROWS} INDEXED BY seen_state {JOINS} AND s.id BETWEEN ?2 AND ?3 ORDER BY s.id"
                    ))?;
                    statement.query(params![self.launch, first, last])?
                }
                QueuePart::FirstOf(host, most) => {
                    statement = conn.prepare_cached(&format!(
                        "{ROWS} INDEXED BY seen_queue {JOINS} AND s.host = (SELECT id FROM host WHERE name = ?2)
                         ORDER BY s.priority, s.id LIMIT ?3"
                    ))?;
                    statement.query(params![self.launch, host, most as i64])?
                }
            };
            fn text<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<&'r str>, StoreError> {
                let text = row.get_ref(at)?.as_str_or_null();
                text.map_err(|error| rusqlite::Error::from(error).into())
            }
            while let Some(row) = rows.next()? {
                each(&WaitingUrl {
                    id: row.get(0)?,
                    url: text(row, 1)?.unwrap_or_default(),
                    linker: text(row, 2)?,
                    anchor: text(row, 3)?.unwrap_or_default(),
                    hops: text(row, 4)?.unwrap_or_default(),
                    is_seed: row.get(5)?,
                    source_tag: text(row, 9)?.unwrap_or_default(),
                    priority: row.get(6)?,
                    parts: stored_parts(row, 7)?,
                });
            }
            Ok(())
        })
    }

    fn in_bulk(&self, work: &mut dyn FnMut() -> Result<(), CrawlError>) -> Result<(), CrawlError> {
        let _bulk = self.catalogue.begin_bulk().map_err(ledger_error)?;
        work()
    }

    fn rescore(&self, changed: Vec<(i64, i64, Option<PriorityParts>)>) -> Result<(), LedgerError> {
        self.write(move |conn, _| {
            let mut statement = conn
                .prepare_cached("UPDATE seen SET priority = ?2, parts = ?3, cited = ?4 WHERE id = ?1 AND state = 0")?;
            for (id, priority, parts) in &changed {
                let (bytes, cited) = parts_columns(*parts);
                statement.execute(params![id, priority, bytes, cited])?;
            }
            Ok(())
        })
    }

    fn keep_ordered(&self, version: u32) -> Result<(), LedgerError> {
        self.write(move |conn, launch| {
            conn.execute("UPDATE launch SET ordered_by = ?2 WHERE id = ?1", params![launch, version])?;
            Ok(())
        })
    }

    fn keep_terms(&self, terms: Vec<(String, TermTally)>) -> Result<(), LedgerError> {
        self.write(move |conn, launch| {
            let mut statement = conn.prepare_cached(
                "INSERT INTO launch_term (launch, term, since, pages) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?;
            for (term, tally) in &terms {
                statement.execute(params![launch, term, int(tally.since), int(tally.pages)])?;
            }
            Ok(())
        })
    }

    fn backlog(&self) -> Result<Vec<HostBacklog>, LedgerError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT h.name, count(*), min(s.priority) FROM seen s JOIN host h ON h.id = s.host
                 WHERE s.launch = ?1 AND s.state = 0 GROUP BY s.host ORDER BY min(s.priority), min(s.id)",
            )?;
            let rows = statement.query_map([self.launch], |row| {
                let waiting = row.get::<_, i64>(1)?.unsigned_abs();
                Ok(HostBacklog { authority: row.get(0)?, waiting, first: row.get(2)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn defer(&self, id: i64, tries: u32, due: CaptureDate, why: &str) -> Result<(), LedgerError> {
        let why = why.to_owned();
        self.write(move |conn, _| {
            conn.prepare_cached("UPDATE seen SET tries = ?2, due_ms = ?3, why = ?4 WHERE id = ?1")?
                .execute(params![id, tries, due.millis(), why])?;
            Ok(())
        })
    }

    fn fail_waiting(
        &self,
        authority: &str,
        in_flight: &[i64],
        status: i32,
        why: &str,
        limit: usize,
    ) -> Result<Vec<QueuedUrl>, LedgerError> {
        // Those due at any time.
        let ended = self.waiting(authority, in_flight, CaptureDate::from_millis(i64::MAX), limit)?;
        let (ids, why): (Vec<i64>, _) = (ended.iter().map(|url| url.id).collect(), why.to_owned());
        self.write(move |conn, _| {
            for id in &ids {
                conn.prepare_cached(
                    "UPDATE seen SET state = ?2, fetch_status = ?3, why = ?4, due_ms = ?5 WHERE id = ?1",
                )?
                .execute(params![id, FAILED, status, why, CaptureDate::now().millis()])?;
            }
            Ok(())
        })?;
        Ok(ended)
    }

    fn queue_again(&self, url: &Url, priority: i64) -> Result<bool, LedgerError> {
        let url = url.to_string();
        self.write(move |conn, launch| {
            let changed = conn
                .prepare_cached(
                    "UPDATE seen SET state = 0, fetch_status = 0, priority = ?3, tries = 0, due_ms = 0, why = ''
                     WHERE launch = ?1 AND url = (SELECT id FROM url WHERE url = ?2) AND (state <> 0 OR priority > ?3)",
                )?
                .execute(params![launch, url, priority])?;
            Ok(changed > 0)
        })
    }

    fn host_waits(&self) -> Result<Vec<HostWait>, LedgerError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT host, free_ms, failures, refusals, set_ms, given_up, why FROM host_wait WHERE launch = ?1",
            )?;
            let rows = statement.query_map([self.launch], |row| {
                let status: i32 = row.get(5)?;
                let why: String = row.get(6)?;
                Ok(HostWait {
                    authority: row.get(0)?,
                    free: CaptureDate::from_millis(row.get(1)?),
                    failures: row.get(2)?,
                    refusals: row.get(3)?,
                    set: CaptureDate::from_millis(row.get(4)?),
                    given_up: (status != 0).then_some((status, why)),
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn keep_host_wait(&self, wait: &HostWait) -> Result<(), LedgerError> {
        let wait = wait.clone();
        self.write(move |conn, launch| {
            let (status, why) = wait.given_up.clone().unwrap_or_default();
            conn.prepare_cached(
                "INSERT OR REPLACE INTO host_wait (launch, host, free_ms, failures, refusals, set_ms, given_up, why)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                launch,
                wait.authority,
                wait.free.millis(),
                wait.failures,
                wait.refusals,
                wait.set.millis(),
                status,
                why
            ])?;
            Ok(())
        })
    }

    fn end_host_wait(&self, authority: &str) -> Result<(), LedgerError> {
        let authority = authority.to_owned();
        self.write(move |conn, launch| {
            conn.prepare_cached("DELETE FROM host_wait WHERE launch = ?1 AND host = ?2")?
                .execute(params![launch, authority])?;
            Ok(())
        })
    }

    fn is_known_host(&self, authority: &str) -> Result<bool, LedgerError> {
        self.read(|conn| {
            let answered = conn
                .prepare_cached(
                    "SELECT 1 FROM seen_tally WHERE launch = ?1 AND host = (SELECT id FROM host WHERE name = ?2)
                     AND state = 2 AND urls > 0",
                )?
                .exists(params![self.launch, authority])?;
            // Seeds come first in a launch; the few that wait are found in the queue of the host.
            Ok(answered
                || conn
                    .prepare_cached(
                        "SELECT 1 FROM seen INDEXED BY seen_queue WHERE state = 0 AND launch = ?1
                         AND host = (SELECT id FROM host WHERE name = ?2) AND priority <= 0 AND is_seed",
                    )?
                    .exists(params![self.launch, authority])?)
        })
    }

    fn finish(&self, finished: Finished) -> Result<Vec<Admitted>, LedgerError> {
        self.write(move |conn, launch| {
            // A refusal at its turn is final: its status is never 0.
            let (state, fetch_status) = match (&finished.refused, finished.fetch_status) {
                (Some(_), 0) => (REFUSED, OUT_OF_SCOPE),
                (Some(_), status) => (REFUSED, status),
                (None, status) if status > 0 => (FETCHED, status),
                (None, status) => (FAILED, status),
            };
            conn.prepare_cached(
                "UPDATE seen SET state = ?2, fetch_status = ?3, why = ?4, due_ms = ?5, score = ifnull(?6, score)
                 WHERE id = ?1",
            )?
            .execute(params![
                finished.id,
                state,
                fetch_status,
                finished.why.as_deref().unwrap_or_default(),
                CaptureDate::now().millis(),
                finished.reading.as_ref().map(|reading| reading.score),
            ])?;
            if let Some(verdict) = &finished.refused {
                conn.prepare_cached("UPDATE seen SET accepted = ?2, rule_index = ?3, rule_name = ?4 WHERE id = ?1")?
                    .execute(params![
                        finished.id,
                        verdict.decision == Decision::Accept,
                        verdict.rule_index.map(|index| index as i64),
                        verdict.rule_name
                    ])?;
            }
            if let Some(capture) = &finished.capture {
                insert_capture(conn, launch, capture)?;
            }
            if let Some(reading) = &finished.reading {
                count_terms(conn, launch, reading)?;
            }
            admit_all(conn, launch, &finished.found)
        })
    }

    fn add_outlinks(&self, record: &RecordPlace, links: Vec<Outlink>, is_last: bool) -> Result<(), LedgerError> {
        let record = record.clone();
        self.write(move |conn, launch| add_outlinks(conn, launch, &record, &links, is_last))
    }

    fn same_payload(&self, url: &Url, payload_digest: &str) -> Result<Option<(CaptureDate, String)>, LedgerError> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached(
                    "SELECT c.date_ms, r.record_id FROM capture c
                     JOIN record r ON r.capture = c.id AND r.position = 0
                     JOIN url u ON u.id = c.url AND u.page = c.page
                     WHERE u.url = ?1 AND c.digest = ?2 AND c.revisit_of_ms IS NULL AND c.truncated = ''
                        AND NOT EXISTS (SELECT 1 FROM launch l WHERE l.id = c.launch AND l.id <> ?3
                            AND l.trial IS NOT NULL AND l.kept_ms IS NULL)
                     ORDER BY c.date_ms DESC LIMIT 1",
                )?
                .query_row(params![url.as_str(), payload_digest, self.launch], |row| {
                    Ok((CaptureDate::from_millis(row.get(0)?), row.get(1)?))
                })
                .optional()?)
        })
    }

    fn geo_facts(&self) -> Result<HashMap<String, GeoFact>, LedgerError> {
        self.read(all_geo_facts)
    }

    fn annotations(&self) -> Result<HashMap<String, AnnotationFact>, LedgerError> {
        Ok(self.read(super::seen_scan::annotation_facts)?.into_values().collect())
    }

    fn keep_geo_facts(&self, facts: &[(String, GeoFact)]) -> Result<(), LedgerError> {
        if facts.is_empty() {
            return Ok(());
        }
        let json = |(host, fact): &(String, GeoFact)| serde_json::to_string(fact).map(|json| (host.clone(), json));
        let facts = facts.iter().map(json).collect::<Result<Vec<_>, _>>();
        let facts = facts.map_err(|error| LedgerError(error.to_string()))?;
        self.write(move |conn, _| {
            let now = CaptureDate::now().millis();
            let mut insert = conn.prepare_cached("INSERT INTO host_geo (host, date_ms, fact) VALUES (?1, ?2, ?3)")?;
            for (host, fact) in &facts {
                insert.execute(params![host, now, fact])?;
            }
            Ok(())
        })
    }

    fn take_source_pages(&self) -> Result<Vec<SourcePage>, LedgerError> {
        // Most look-ups find none: nothing is written for those.
        const ANY: &str = "SELECT EXISTS (SELECT 1 FROM source_page WHERE launch IS NULL AND source IN
            (SELECT id FROM source WHERE campaign = (SELECT campaign FROM launch WHERE id = ?1)))
            AND NOT EXISTS (SELECT 1 FROM patch_url WHERE launch = ?1)";
        let has_some = self.read(|conn| Ok(conn.prepare_cached(ANY)?.query_row([self.launch], |row| row.get(0))?))?;
        if has_some { self.write(take_pages) } else { Ok(Vec::new()) }
    }

    fn source_pages(&self) -> Result<Vec<SourcePage>, LedgerError> {
        self.read(|conn| pages_of_launch(conn, self.launch))
    }

    fn robots(&self, origin: &str) -> Result<Option<RobotsAnswer>, LedgerError> {
        self.catalogue.robots_answer(self.launch, origin).map_err(ledger_error)
    }

    fn keep_robots(&self, origin: &str, answer: &RobotsAnswer) -> Result<(), LedgerError> {
        let (origin, answer) = (origin.to_owned(), answer.clone());
        self.write(move |conn, launch| {
            conn.prepare_cached(
                "INSERT OR REPLACE INTO robots (launch, origin, status, body, date_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![launch, origin, answer.status, answer.body, answer.date.millis()])?;
            Ok(())
        })
    }

    fn redirect_of(&self, url: &Url) -> Result<Option<Url>, LedgerError> {
        self.read(|conn| {
            let target: Option<String> = conn
                .prepare_cached(
                    "SELECT v.url FROM capture c JOIN url v ON v.id = c.redirect_to
                     WHERE c.url = (SELECT id FROM url WHERE url = ?1) AND c.launch = ?2 ORDER BY c.id DESC LIMIT 1",
                )?
                .query_row(params![url.as_str(), self.launch], |row| row.get(0))
                .optional()?;
            target.as_deref().map(parse_stored).transpose()
        })
    }

    fn undecided(&self, after: i64, limit: usize) -> Result<Vec<QueuedUrl>, LedgerError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "{QUEUED_URL}, s.state FROM seen s NOT INDEXED {QUEUED_JOINS} WHERE s.launch = ?1 AND s.id > ?2
                 AND (s.state = 0 OR s.state = 1 AND s.fetch_status = 0) ORDER BY s.id LIMIT ?3"
            ))?;
            let mut rows = statement.query(params![self.launch, after, limit as i64])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let mut url = queued_url(row)?;
                if row.get::<_, i64>(QUEUED_COLUMNS)? == REFUSED {
                    url.admission.state = AdmissionState::Refused;
                }
                found.push(url);
            }
            Ok(found)
        })
    }

    fn rejudge(&self, changed: Vec<ChangedAdmission>) -> Result<Vec<bool>, LedgerError> {
        self.write(move |conn, _| {
            let mut statement = conn.prepare_cached(
                "UPDATE seen SET accepted = ?2, rule_index = ?3, rule_name = ?4, is_seed = ?5, source_tag = ?6,
                    date_ms = ?8, priority = ?9, parts = ?11, cited = ?12, tries = CASE state WHEN ?7 THEN tries ELSE 0 END,
                    due_ms = CASE state WHEN ?7 THEN due_ms ELSE 0 END,
                    why = CASE state WHEN ?7 THEN why ELSE '' END, state = ?7
                 WHERE id = ?1 AND state = ?10 AND (state = 0 OR fetch_status = 0)",
            )?;
            let mut store = |changed: &ChangedAdmission| {
                let admission = &changed.to;
                let (parts, cited) = parts_columns(admission.parts);
                let stored = statement.execute(params![
                    changed.id,
                    admission.verdict.decision == Decision::Accept,
                    admission.verdict.rule_index.map(|index| index as i64),
                    admission.verdict.rule_name,
                    admission.candidate.is_seed,
                    admission.candidate.source_tag,
                    state_number(admission.state),
                    admission.date.millis(),
                    admission.priority,
                    state_number(changed.from),
                    parts,
                    cited,
                ])?;
                Ok(stored > 0)
            };
            changed.iter().map(&mut store).collect()
        })
    }

    fn change_version(&self, from: u32, to: u32, since: CaptureDate) -> Result<(), LedgerError> {
        self.write(move |conn, launch| change_version(conn, launch, from, to, since))
    }

    fn find_waiting(&self, url: &Url) -> Result<Option<QueuedUrl>, LedgerError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "{QUEUED_URL} FROM seen s {QUEUED_JOINS} WHERE s.state = 0 AND s.launch = ?1 AND s.url = (SELECT id FROM url WHERE url = ?2)"
            ))?;
            let mut rows = statement.query(params![self.launch, url.as_str()])?;
            rows.next()?.map(queued_url).transpose()
        })
    }

    fn recorded(&self, file: &str) -> Result<Vec<Range<u64>>, LedgerError> {
        self.catalogue.known_places(file).map_err(ledger_error)
    }

    fn keep_capture(&self, capture: CaptureEntry) -> Result<(), LedgerError> {
        self.write(move |conn, launch| insert_capture(conn, launch, &capture).map(|_| ()))
    }

    fn decided_since(&self, date: CaptureDate, each: &mut dyn FnMut(Admission)) -> Result<(), LedgerError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "{QUEUED_URL} FROM seen s {QUEUED_JOINS} WHERE s.launch = ?1 AND s.date_ms >= ?2 ORDER BY s.id"
            ))?;
            let mut rows = statement.query(params![self.launch, date.millis()])?;
            while let Some(row) = rows.next()? {
                each(queued_url(row)?.admission);
            }
            Ok(())
        })
    }

    fn set_disk_gate(&self, gate: Arc<DiskGate>) {
        // A ledger is of one launch, which has one gate.
        let _ = self.disk.set(gate);
    }

    fn keep_events(&self, events: Vec<CrawlEvent>) -> Result<(), LedgerError> {
        let launch = self.launch;
        // Who writes events is who sees whether there is room again: no waiting here.
        self.catalogue.write(move |conn| insert_events(conn, launch, &events)).map_err(ledger_error)
    }

    fn files(&self) -> Result<Vec<String>, LedgerError> {
        self.catalogue.files_of_launch(self.launch).map_err(ledger_error)
    }

    fn captures_at(&self, file: &str, offsets: &[u64]) -> Result<Vec<LostCapture>, LedgerError> {
        self.catalogue.captures_at(file, offsets).map_err(ledger_error)
    }

    fn lose_captures(&self, lost: &[LostCapture]) -> Result<(), LedgerError> {
        self.with_room(|| self.catalogue.lose_captures(self.launch, lost))
    }

    fn captures_since(&self, date: CaptureDate, each: &mut dyn FnMut(CaptureEntry)) -> Result<(), LedgerError> {
        self.catalogue.captures_since(self.launch, date, each).map_err(ledger_error)
    }

    fn failed_since(&self, date: CaptureDate, each: &mut dyn FnMut(Admission, i32)) -> Result<(), LedgerError> {
        self.catalogue.failed_since(self.launch, date, each).map_err(ledger_error)
    }

    fn tally(&self, seeds: &[Url]) -> Result<LaunchTally, LedgerError> {
        self.catalogue.launch_tally(self.launch, seeds).map_err(ledger_error)
    }

    fn keep_running(&self) -> Result<(), LedgerError> {
        match (self.catalogue.keep_running(self.launch), self.disk.get()) {
            // Who counts the time goes on counting it: no waiting here.
            (Err(error), Some(disk)) if error.is_disk_full() => {
                disk.pause(self.catalogue.path(), &error);
                Ok(())
            }
            (kept, _) => kept.map_err(ledger_error),
        }
    }

    fn has_seen(&self, url: &Url) -> Result<bool, LedgerError> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached("SELECT 1 FROM seen WHERE launch = ?1 AND url = (SELECT id FROM url WHERE url = ?2)")?
                .exists(params![self.launch, url.as_str()])?)
        })
    }
}

impl Catalogue {
    /// The answer of an origin to the request of a launch for robots.txt.
    pub fn robots_answer(&self, launch: LaunchId, origin: &str) -> Result<Option<RobotsAnswer>, StoreError> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached("SELECT status, body, date_ms FROM robots WHERE launch = ?1 AND origin = ?2")?
                .query_row(params![launch, origin], |row| {
                    Ok(RobotsAnswer {
                        status: row.get(0)?,
                        body: row.get(1)?,
                        date: CaptureDate::from_millis(row.get(2)?),
                    })
                })
                .optional()?)
        })
    }
}

/// Keeps that a launch goes on with another version of its campaign.
pub(in crate::store) fn change_version(
    conn: &Connection,
    launch: LaunchId,
    from: u32,
    to: u32,
    since: CaptureDate,
) -> Result<(), StoreError> {
    conn.execute("UPDATE launch SET version = ?2 WHERE id = ?1", params![launch, to])?;
    conn.execute(
        "INSERT INTO launch_change (launch, date_ms, from_version, to_version) VALUES (?1, ?2, ?3, ?4)",
        params![launch, since.millis(), from, to],
    )?;
    Ok(())
}

/// The last fact kept for each host.
pub(in crate::store) fn all_geo_facts(conn: &Connection) -> Result<HashMap<String, GeoFact>, StoreError> {
    let mut statement = conn
        .prepare_cached("SELECT host, fact FROM host_geo WHERE id IN (SELECT max(id) FROM host_geo GROUP BY host)")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut facts = HashMap::new();
    for row in rows {
        let (host, json) = row?;
        let fact = serde_json::from_str(&json)
            .map_err(|error| StoreError::Content(format!("the location of {host} ({error})")))?;
        facts.insert(host, fact);
    }
    Ok(facts)
}

pub(super) fn state_number(state: AdmissionState) -> i64 {
    match state {
        AdmissionState::Queued => QUEUED,
        AdmissionState::Refused => REFUSED,
    }
}

/// Gives URLs of a launch that ended without a capture at an instant or later, with their fetch
/// status. Of a URL at its end `due_ms` is when it ended.
pub(in crate::store) fn ended_without_capture(
    conn: &Connection,
    launch: LaunchId,
    date: CaptureDate,
    each: &mut dyn FnMut(Admission, i32),
) -> Result<(), StoreError> {
    for state in [REFUSED, FAILED] {
        let mut statement = conn.prepare_cached(&format!(
            "{QUEUED_URL}, s.fetch_status FROM seen s {QUEUED_JOINS}
             WHERE s.launch = ?1 AND s.state = ?2 AND s.fetch_status <> 0 AND s.due_ms >= ?3"
        ))?;
        let mut rows = statement.query(params![launch, state, date.millis()])?;
        while let Some(row) = rows.next()? {
            each(queued_url(row)?.admission, row.get(QUEUED_COLUMNS)?);
        }
    }
    Ok(())
}

const QUEUED_URL: &str = "SELECT s.id, u.url, s.hops, v.url, s.anchor, s.seed, s.source_tag, s.is_seed, s.nofollow,
        s.accepted, s.rule_index, s.rule_name, s.priority, s.date_ms, s.tries, s.due_ms, s.parts, s.cited,
        (SELECT url FROM url WHERE id = s.linker), s.linker_anchor";
/// Columns of [`QUEUED_URL`].
const QUEUED_COLUMNS: usize = 20;
const QUEUED_JOINS: &str = "JOIN url u ON u.id = s.url LEFT JOIN url v ON v.id = s.via";

fn queued_url(row: &Row<'_>) -> Result<QueuedUrl, StoreError> {
    let url: String = row.get(1)?;
    let via: Option<String> = row.get(3)?;
    let linker: Option<String> = row.get(18)?;
    let linker = linker.as_deref().map(parse_stored).transpose()?;
    let verdict = Verdict {
        decision: if row.get(9)? { Decision::Accept } else { Decision::Reject },
        rule_index: row.get::<_, Option<i64>>(10)?.and_then(|index| usize::try_from(index).ok()),
        rule_name: row.get(11)?,
    };
    Ok(QueuedUrl {
        id: row.get(0)?,
        admission: Admission {
            candidate: Candidate {
                hops: row.get(2)?,
                via: via.as_deref().map(parse_stored).transpose()?,
                anchor: row.get(4)?,
                seed: row.get(5)?,
                source_tag: row.get(6)?,
                is_seed: row.get(7)?,
                nofollow: row.get(8)?,
                ..Candidate::bare(parse_stored(&url)?)
            },
            verdict,
            state: AdmissionState::Queued,
            priority: row.get(12)?,
            parts: stored_parts(row, 16)?,
            date: CaptureDate::from_millis(row.get(13)?),
        },
        tries: row.get(14)?,
        due: CaptureDate::from_millis(row.get(15)?),
        linker: linker.zip(row.get(19)?),
    })
}
