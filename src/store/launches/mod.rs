//! Launches: runs of a crawl, imports, and what they have seen.

mod admission;
pub(super) mod changes;
pub(super) mod engine_logs;
pub(super) mod events;
pub(in crate::store) mod handover_launches;
pub(super) mod hop_paths;
pub(super) mod launch_choice;
pub(super) mod ledger;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod ledger_tests;
pub(super) mod missing;
pub(super) mod patches;
pub(super) mod queue;
pub(super) mod recovery;
pub(super) mod refused;
pub(super) mod samples;
pub(super) mod scheduled;
pub(super) mod seen_scan;
pub(super) mod seen_tally;
pub(super) mod sources;
pub(super) mod trials;

use super::catalogue::Catalogue;
use super::filter::{Filter, FilterContext, SEEN as SEEN_FILTER};
use super::rows::SeenId;
use super::rows::{
    CampaignId, CrawlPage, HostRow, JobRow, LaunchBasis, LaunchChoice, LaunchId, LaunchRow, LaunchState, Launches,
    SeenPage, SeenQuery, SeenRow, Trial,
};
use crate::crawl::{SeenFacts, SeenState, UrlOutcome};
use crate::jobs::counted;
use crate::scope::{GeoFact, PREREQUISITE_RULE};
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sort_keys::order_sql;
use crate::store::catalogue::sql::{int, uint};
use crate::store::launches::ledger::{FAILED, FETCHED, QUEUED, REFUSED, change_version};
use crate::store::launches::patches::is_patch_sql;
use crate::uri::{CaptureDate, Url};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use std::collections::HashMap;

/// Why a launch is stopped whose program was killed.
pub const ABANDONED: &str = "the program ended without closing it";

impl Catalogue {
    /// Begins a launch of a campaign; its name is the UTC second it begins
    /// in, or the next one that no launch of the job has.
    pub fn begin_launch(&self, campaign: CampaignId, job: &str, now: CaptureDate) -> Result<LaunchRow, StoreError> {
        self.begin(campaign, job, now, None, |_, _| Ok(()))
    }

    /// The same of a trial, which fetches so many URLs at most.
    pub fn begin_trial(
        &self,
        campaign: CampaignId,
        job: &str,
        now: CaptureDate,
        urls: u64,
    ) -> Result<LaunchRow, StoreError> {
        self.begin(campaign, job, now, Some(int(urls)), |_, _| Ok(()))
    }

    /// Begins a launch, and does `more` with it in the same transaction.
    fn begin(
        &self,
        campaign: CampaignId,
        job: &str,
        now: CaptureDate,
        trial: Option<i64>,
        more: impl FnOnce(&Connection, LaunchId) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<LaunchRow, StoreError> {
        let job = job.to_owned();
        let seed = uuid::Uuid::new_v4().as_u64_pair().0.cast_signed();
        let id = self.write(move |conn| {
            let mut name = now;
            let taken = |conn: &Connection, name: &str| -> Result<bool, StoreError> {
                Ok(conn
                    .prepare_cached("SELECT 1 FROM launch WHERE job = ?1 AND launch = ?2")?
                    .exists([job.as_str(), name])?)
            };
            while taken(conn, &name.to_digits14())? {
                name = CaptureDate::from_millis(name.millis() + 1000);
            }
            conn.execute(
                "INSERT INTO launch (kind, campaign, version, job, launch, state, started_ms, running_since_ms,
                    order_seed, ordered_by, trial)
                 SELECT 'crawl', id, version, ?2, ?3, 'running', ?4, ?5, ?6, version, ?7 FROM campaign WHERE id = ?1",
                params![campaign, job, name.to_digits14(), now.millis(), CaptureDate::now().millis(), seed, trial],
            )?;
            let id = LaunchId::new(conn.last_insert_rowid());
            more(conn, id)?;
            Ok(id)
        })?;
        self.launch(id)
    }

    /// The last launch of a campaign, when it did not come to its end. What
    /// another crawler did in between changes nothing about it.
    pub fn unfinished_launch(&self, campaign: CampaignId) -> Result<Option<LaunchRow>, StoreError> {
        Ok(self.own_last_launch(campaign)?.filter(|launch| launch.state != LaunchState::Finished))
    }

    /// The last launch of a campaign that this program crawled; trials are none.
    pub fn own_last_launch(&self, campaign: CampaignId) -> Result<Option<LaunchRow>, StoreError> {
        self.own_last(campaign, "trial IS NULL")
    }

    /// The last launch of a campaign that this program crawled, which may be a trial.
    pub fn own_last_launch_or_trial(&self, campaign: CampaignId) -> Result<Option<LaunchRow>, StoreError> {
        self.own_last(campaign, "1")
    }

    /// The last trial of a campaign that nobody kept.
    pub fn last_trial(&self, campaign: CampaignId) -> Result<Option<LaunchRow>, StoreError> {
        self.own_last(campaign, concat!("trial IS NOT NULL AND kept_ms IS NULL AND NOT ", is_patch_sql!()))
    }

    /// The last trial of a campaign, which may have been kept.
    pub fn own_last_trial(&self, campaign: CampaignId) -> Result<Option<LaunchRow>, StoreError> {
        self.own_last(campaign, concat!("trial IS NOT NULL AND NOT ", is_patch_sql!()))
    }

    fn own_last(&self, campaign: CampaignId, which: &str) -> Result<Option<LaunchRow>, StoreError> {
        let sql = format!(
            "SELECT max(id) FROM launch l WHERE campaign = ?1 AND kind = 'crawl' AND NOT is_foreign AND {which}"
        );
        let id: Option<LaunchId> = self.read(|conn| Ok(conn.query_row(&sql, [campaign], |row| row.get(0))?))?;
        id.map(|id| self.launch(id)).transpose()
    }

    /// Puts the URLs of a launch that failed, or last answered with 429 or an error of the server, back
    /// into its queue; hosts that did not answer, and robots.txt that could not be had, are requested
    /// again.
    pub fn queue_failed(&self, launch: LaunchId) -> Result<u64, StoreError> {
        self.write(move |conn| {
            conn.execute("DELETE FROM host_wait WHERE launch = ?1", [launch])?;
            conn.execute(
                "DELETE FROM robots WHERE launch = ?1 AND (status < 0 OR status = 429 OR status >= 500)",
                [launch],
            )?;
            let urls = conn.execute(
                "UPDATE seen SET state = 0, fetch_status = 0, tries = 0, due_ms = 0, why = ''
                 WHERE launch = ?1 AND (state = 3
                    OR state = 2 AND (fetch_status = 429 OR fetch_status >= 500) AND rule_name <> ?2)",
                params![launch, PREREQUISITE_RULE],
            )?;
            Ok(urls as u64)
        })
    }

    /// The last crawl of a campaign, or of any; one of another crawler where
    /// there is no other.
    pub fn last_launch(&self, campaign: Option<CampaignId>) -> Result<Option<LaunchRow>, StoreError> {
        self.last_launch_id(campaign)?.map(|id| self.launch(id)).transpose()
    }

    fn last_launch_id(&self, campaign: Option<CampaignId>) -> Result<Option<LaunchId>, StoreError> {
        self.read(|conn| {
            Ok(conn
                .query_row(
                    "SELECT id FROM launch WHERE kind = 'crawl' AND (?1 IS NULL OR campaign = ?1)
                     ORDER BY is_foreign, id DESC LIMIT 1",
                    [campaign],
                    |row| row.get(0),
                )
                .optional()?)
        })
    }

    /// Every crawl launch of a campaign, oldest first.
    pub fn launches(&self, campaign: Option<CampaignId>) -> Result<Vec<LaunchRow>, StoreError> {
        self.launch_ids(campaign)?.into_iter().map(|id| self.launch(id)).collect()
    }

    /// The numbers of the same, without their figures, which take long to sum up.
    pub fn launch_ids(&self, campaign: Option<CampaignId>) -> Result<Vec<LaunchId>, StoreError> {
        self.rows(
            "SELECT id FROM launch WHERE kind = 'crawl' AND (?1 IS NULL OR campaign = ?1) ORDER BY id",
            [campaign],
            |row| row.get(0),
        )
    }

    /// The campaign of a launch; 0 where it is of none.
    pub fn launch_campaign(&self, id: LaunchId) -> Result<CampaignId, StoreError> {
        self.row_if_any("SELECT ifnull(campaign, 0) FROM launch WHERE id = ?1", [id], |row| row.get(0))?
            .ok_or(StoreError::Missing { what: "launch", id: id.to_string() })
    }

    /// A launch with its figures.
    pub fn launch(&self, id: LaunchId) -> Result<LaunchRow, StoreError> {
        self.row_if_any(
            concat!("SELECT l.id, ifnull(l.campaign, 0), ifnull(k.name, ''), l.launch, l.state, l.started_ms, l.ended_ms, l.why,
                    ifnull(sum(t.urls) FILTER (WHERE t.state = 0), 0), ifnull(sum(t.urls) FILTER (WHERE t.state = 2), 0),
                    ifnull(sum(t.urls) FILTER (WHERE t.state = 3), 0), ifnull(sum(t.urls) FILTER (WHERE t.state = 1), 0),
                    (SELECT CAST(total(size) AS INTEGER) FROM capture WHERE launch = l.id),
                    l.ran_ms + ifnull(max(?2 - l.running_since_ms, 0), 0),
                    l.kind = 'crawl' AND l.state = 'finished' AND NOT EXISTS (SELECT 1 FROM seen_tally f
                        WHERE f.launch = l.id AND f.state = 2 AND f.urls > 0 AND f.rule_name <> ?3),
                    (SELECT origin FROM launch_origin WHERE launch = l.id),
                    ifnull(sum(t.urls) FILTER (WHERE t.class IN (3, 5) AND t.rule_name <> ?3), 0),
                    ifnull(sum(t.urls) FILTER (WHERE t.class IN (0, 1) AND t.rule_name <> ?3), 0), l.trial, l.kept_ms IS NOT NULL, ",
                is_patch_sql!(),
                " FROM launch l LEFT JOIN campaign k ON k.id = l.campaign LEFT JOIN seen_tally t ON t.launch = l.id
                 WHERE l.id = ?1 GROUP BY l.id"),
            params![id, CaptureDate::now().millis(), PREREQUISITE_RULE],
            launch_row,
        )?
        .ok_or(StoreError::Missing { what: "launch", id: id.to_string() })
    }

    /// The version of the campaign that a launch runs; of one that was resumed
    /// with another version the last.
    pub fn launch_version(&self, id: LaunchId) -> Result<u32, StoreError> {
        self.read(|conn| {
            Ok(conn.query_row("SELECT ifnull(version, 1) FROM launch WHERE id = ?1", [id], |row| row.get(0))?)
        })
    }

    /// Keeps that a launch goes on with another version of its campaign, whose
    /// seeds and rules are the same.
    pub fn change_launch_version(&self, id: LaunchId, from: u32, to: u32) -> Result<(), StoreError> {
        self.write(move |conn| change_version(conn, id, from, to, CaptureDate::now()))
    }

    /// The bases of the rules of these launches.
    pub fn launch_bases(&self, ids: &[LaunchId]) -> Result<Vec<LaunchBasis>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT ifnull(version, 1),
                    is_foreign AND NOT EXISTS (SELECT 1 FROM launch_origin WHERE launch = launch.id), started_ms, ended_ms
                 FROM launch WHERE id = ?1",
            )?;
            let mut one = |id: &LaunchId| -> Result<LaunchBasis, StoreError> {
                Ok(statement.query_row([id], |row| {
                    let term = || -> rusqlite::Result<_> {
                        let (begin, end): (i64, Option<i64>) = (row.get(2)?, row.get(3)?);
                        Ok((CaptureDate::from_millis(begin), CaptureDate::from_millis(end.unwrap_or(begin))))
                    };
                    let foreign_term = if row.get(1)? { Some(term()?) } else { None };
                    Ok(LaunchBasis { id: *id, version: row.get(0)?, foreign_term })
                })?)
            };
            ids.iter().map(&mut one).collect()
        })
    }

    /// Imports that belong to a campaign.
    pub fn imports_of(&self, campaign: CampaignId) -> Result<Vec<LaunchId>, StoreError> {
        self.rows("SELECT id FROM launch WHERE kind = 'import' AND campaign = ?1 ORDER BY id", [campaign], |row| {
            row.get(0)
        })
    }

    /// Changes the state of a launch, with the reason in words.
    pub fn set_launch_state(&self, id: LaunchId, state: LaunchState, why: &str) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.write(move |conn| {
            let name = match state {
                LaunchState::Running => "running",
                LaunchState::Paused => "paused",
                LaunchState::Stopped => "stopped",
                LaunchState::Finished => "finished",
            };
            let now = CaptureDate::now().millis();
            let ended = matches!(state, LaunchState::Stopped | LaunchState::Finished).then_some(now);
            conn.execute(
                "UPDATE launch SET state = ?2, ended_ms = ?3, why = ?4,
                    ran_ms = ran_ms + CASE ?2 WHEN 'running' THEN 0 ELSE ifnull(max(?5 - running_since_ms, 0), 0) END,
                    running_since_ms = CASE ?2 WHEN 'running' THEN ifnull(running_since_ms, ?5) END
                 WHERE id = ?1",
                params![id, name, ended, why, now],
            )?;
            Ok(())
        })
    }

    /// Marks launches that were under way when their program was killed as
    /// stopped. Called by the one process that may write, before it works.
    pub(super) fn end_abandoned_launches(&self) -> Result<(), StoreError> {
        let noted = self.write(|conn| {
            conn.execute(
                // It ran until its last capture at least; what came after nobody knows.
                "UPDATE launch SET state = 'stopped', why = ?1,
                    ran_ms = ran_ms + ifnull(max(
                        (SELECT max(date_ms) FROM capture WHERE launch = launch.id) - running_since_ms, 0), 0),
                    running_since_ms = NULL
                 WHERE state IN ('running', 'paused')",
                [ABANDONED],
            )?;
            Ok(())
        });
        match noted {
            // Whoever crawls waits for room, and whoever looks needs none.
            Err(error) if error.is_disk_full() => tracing::warn!("interrupted launches are not noted: {error}"),
            noted => noted?,
        }
        Ok(())
    }

    /// The crawl page of some launches of a campaign (of all campaigns, when
    /// none is named); none before anything ever ran. What a launch does now
    /// comes from whoever runs it.
    pub fn crawl_page(
        &self,
        campaign: Option<CampaignId>,
        launches: Launches,
    ) -> Result<Option<CrawlPage>, StoreError> {
        let Some(mut launch) = (match launches {
            Launches::Last | Launches::All => self.last_launch(campaign)?,
            Launches::One(id) => Some(self.launch(id)?),
        }) else {
            return Ok(None);
        };
        let ids = self.launches_meant(campaign, launches)?;
        let relevant = self.relevant_share(launch.id)?;
        let samples = if launches == Launches::All { Vec::new() } else { self.launch_samples(launch.id)? };
        if launches == Launches::All {
            launch = self.sum_of(&ids, launch)?;
        }
        let those = in_list(&ids);
        self.read(|conn| {
            let mut classes = [0; 5];
            let mut statement = conn.prepare_cached(&format!(
                "SELECT class, sum(urls) FROM seen_tally WHERE launch {those} AND class >= 0 GROUP BY class"
            ))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                // 429 is counted apart from the other 4xx.
                let class = match uint(row.get(0)?) as usize {
                    5 => 2,
                    class => class,
                };
                if let Some(class) = classes.get_mut(class) {
                    *class += uint(row.get(1)?);
                }
            }
            let types = conn
                .prepare_cached(&format!(
                    "SELECT mime, count(*), CAST(total(size) AS INTEGER) FROM capture WHERE launch {those}
                     GROUP BY mime ORDER BY total(size) DESC, mime LIMIT 12"
                ))?
                .query_map([], |row| Ok((row.get(0)?, uint(row.get(1)?), uint(row.get(2)?))))?
                .collect::<Result<_, _>>()?;
            let mut refused_by_rule: Vec<(String, u64)> = conn
                .prepare_cached(&format!(
                    "SELECT rule_name, sum(urls) FROM seen_tally WHERE launch {those} AND state = 1 AND urls > 0
                     GROUP BY rule_name ORDER BY sum(urls) DESC, rule_name"
                ))?
                .query_map([], |row| Ok((row.get(0)?, uint(row.get(1)?))))?
                .collect::<Result<_, _>>()?;
            let choices = conn
                .prepare_cached(
                    "SELECT id, started_ms, state FROM launch WHERE kind = 'crawl' AND (?1 IS NULL OR campaign = ?1)
                     ORDER BY id DESC",
                )?
                .query_map([campaign], |row| {
                    let state = state_of(&row.get::<_, String>(2)?);
                    Ok(LaunchChoice { id: row.get(0)?, started: CaptureDate::from_millis(row.get(1)?), state })
                })?
                .collect::<Result<_, _>>()?;
            let mut hosts = hosts(conn, &those)?;
            if launches == Launches::All && ids.len() > 1 {
                refused_by_rule = refused_once(conn, &those, "s.rule_name")?;
                launch.refused = refused_by_rule.iter().map(|(_, urls)| urls).sum();
                let of_host: HashMap<String, u64> =
                    refused_once(conn, &those, "(SELECT name FROM host WHERE id = s.host)")?.into_iter().collect();
                for host in &mut hosts {
                    host.refused = of_host.get(&host.host).copied().unwrap_or_default();
                }
            }
            Ok(Some(CrawlPage {
                job: None,
                samples,
                classes,
                types,
                hosts,
                hosts_total: conn
                    .prepare_cached(&format!(
                        "SELECT count(DISTINCT host) FROM seen_tally WHERE launch {those} AND urls > 0"
                    ))?
                    .query_row([], |row| row.get(0).map(uint))?,
                refused_by_rule,
                launch: Some(launch),
                launches: choices,
                pauses: Vec::new(),
                pauses_total: 0,
                relevant: relevant.map(|(share, _)| share),
                saved_version: None,
                named_by_sources: conn
                    .prepare_cached(&format!("SELECT count(*) FROM source_page WHERE launch {those}"))?
                    .query_row([], |row| row.get(0).map(uint))?,
            }))
        })
    }

    /// The numbers of the launches that a question means.
    fn launches_meant(&self, campaign: Option<CampaignId>, launches: Launches) -> Result<Vec<LaunchId>, StoreError> {
        Ok(match launches {
            Launches::Last => self.last_launch_id(campaign)?.into_iter().collect(),
            Launches::All => self.launch_ids(campaign)?,
            Launches::One(id) => vec![id],
        })
    }

    /// The last launch with the figures of all.
    fn sum_of(&self, ids: &[LaunchId], last: LaunchRow) -> Result<LaunchRow, StoreError> {
        let mut sum =
            LaunchRow { queued: 0, fetched: 0, failed: 0, server_errors: 0, refused: 0, bytes: 0, ran_ms: 0, ..last };
        for id in ids {
            let one = self.launch(*id)?;
            sum.started = sum.started.min(one.started);
            sum.ran_ms += one.ran_ms;
            sum.queued += one.queued;
            sum.fetched += one.fetched;
            sum.failed += one.failed;
            sum.server_errors += one.server_errors;
            sum.refused += one.refused;
            sum.bytes += one.bytes;
        }
        Ok(sum)
    }

    /// Hosts of a campaign that have captures which this rule let in.
    pub fn hosts_by_rule(&self, campaign: CampaignId, rule_name: &str) -> Result<Vec<String>, StoreError> {
        self.rows(
            "SELECT DISTINCT h.name FROM capture c JOIN launch l ON l.id = c.launch JOIN host h ON h.id = c.host
                 WHERE l.campaign = ?1 AND c.rule_name = ?2 ORDER BY h.name",
            params![campaign, rule_name],
            |row| row.get(0),
        )
    }

    /// Captures that were written as revisits.
    pub fn count_revisits(&self) -> Result<u64, StoreError> {
        self.read(|conn| {
            let number: i64 =
                conn.query_row("SELECT count(*) FROM capture WHERE revisit_of_ms IS NOT NULL", [], |row| row.get(0))?;
            Ok(uint(number))
        })
    }

    /// A part of the URLs that launches have seen, in the order that they came;
    /// those that wait in the order of the queue.
    pub fn seen(&self, query: &SeenQuery) -> Result<SeenPage, StoreError> {
        let filter = match Filter::parse(&SEEN_FILTER, &query.filter, FilterContext::default()) {
            Ok(filter) => filter,
            Err(why) => return Ok(SeenPage { filter_problem: Some(why), ..SeenPage::default() }),
        };
        let ids = self.launches_meant(query.campaign, query.launches)?;
        let (state, order) = match query.state {
            "queued" => (Some(QUEUED), "s.launch, s.priority, s.id"),
            "refused" => (Some(REFUSED), "s.launch, s.id"),
            "fetched" => (Some(FETCHED), "s.launch, s.id"),
            "failed" => (Some(FAILED), "s.launch, s.id"),
            _ => (None, "s.launch, s.id"),
        };
        let order = order_sql(&query.sort, SeenQuery::column_sql, order);
        // The state is in the text of the query, so that its index is used.
        let state = state.map(|state| format!("AND s.state = {state}")).unwrap_or_default();
        // Of all launches together each URL counts once, as the last one that saw it decided.
        let once = match (query.launches, query.state) {
            (Launches::All, "refused") => format!("AND {}", last_seen_sql(&in_list(&ids))),
            _ => String::new(),
        };
        // Tables that a filter does not use are left out by SQLite.
        let from_sql = format!(
            "FROM seen s LEFT JOIN url u ON u.id = s.url LEFT JOIN host h ON h.id = s.host
             LEFT JOIN url v ON v.id = s.via WHERE s.launch {} {state} {once} AND {}",
            in_list(&ids),
            filter.sql
        );
        // Without a filter the URLs were counted as they came.
        let counted = (query.filter.trim().is_empty() && once.is_empty()).then(|| {
            format!("SELECT ifnull(sum(s.urls), 0) FROM seen_tally s WHERE s.launch {} {state}", in_list(&ids))
        });
        let total_sql = counted.unwrap_or_else(|| format!("SELECT count(*) {from_sql}"));
        self.read(|conn| {
            let total =
                conn.prepare_cached(&total_sql)?.query_row(params_from_iter(&filter.values), |row| row.get(0))?;
            let rows = conn
                .prepare_cached(&format!(
                    "WITH part AS (SELECT s.id AS id {from_sql} ORDER BY {order} LIMIT {} OFFSET {})
                     SELECT {SEEN} FROM part p JOIN seen s ON s.id = p.id JOIN url u ON u.id = s.url
                     LEFT JOIN url v ON v.id = s.via ORDER BY {order}",
                    int(query.limit),
                    int(query.offset)
                ))?
                .query_map(params_from_iter(&filter.values), seen_row)?
                .collect::<Result<_, _>>()?;
            Ok(SeenPage { rows, total: uint(total), filter_problem: None })
        })
    }

    /// A URL ever seen: its launch and its row.
    pub fn seen_row(&self, id: SeenId) -> Result<(LaunchId, SeenRow, bool, String, Option<String>), StoreError> {
        self.row_if_any(
            &format!(
                "SELECT {SEEN}, s.launch, s.is_seed, s.source_tag, s.seed FROM seen s JOIN url u ON u.id = s.url LEFT JOIN url v ON v.id = s.via WHERE s.id = ?1"
            ),
            [id],
            |row| Ok((row.get(12)?, seen_row(row)?, row.get(13)?, row.get(14)?, row.get(15)?)),
        )?
        .ok_or(StoreError::Missing { what: "seen URL", id: id.to_string() })
    }

    /// Why a launch fetched nothing: what became of most of its seeds.
    pub fn why_nothing_fetched(&self, launch: LaunchId) -> Result<String, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT {SEEN} FROM seen s JOIN url u ON u.id = s.url LEFT JOIN url v ON v.id = s.via
                 WHERE s.launch = ?1 AND s.is_seed ORDER BY s.id"
            ))?;
            let mut rows = statement.query([launch])?;
            let (mut seeds, mut outcomes): (u64, Vec<(u64, UrlOutcome)>) = (0, Vec::new());
            while let Some(row) = rows.next()? {
                seeds += 1;
                let outcome = seen_row(row)?.outcome;
                match outcomes.iter_mut().find(|(_, of)| (of.kind, &of.sentence) == (outcome.kind, &outcome.sentence)) {
                    Some((count, _)) => *count += 1,
                    None => outcomes.push((1, outcome)),
                }
            }
            // Of equally many the first counts.
            let most = outcomes.iter().map(|(count, _)| *count).max();
            Ok(match outcomes.iter().find(|(count, _)| Some(*count) == most) {
                None => "The launch has no seeds.".to_owned(),
                Some((_, outcome)) if seeds == 1 => outcome.to_string(),
                Some((count, outcome)) => format!("{count} of {}: {outcome}", counted(seeds, "seed")),
            })
        })
    }

    /// The row of a URL in the last launch of a campaign that saw it, or in
    /// one of its launches; and that launch.
    pub fn seen_by_url(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        url: &str,
    ) -> Result<Option<(SeenId, LaunchId)>, StoreError> {
        self.row_if_any(
            "SELECT s.id, s.launch FROM seen s JOIN launch l ON l.id = s.launch
                     WHERE s.url = (SELECT id FROM url WHERE url = ?1) AND l.campaign = ?2
                       AND (?3 IS NULL OR l.id = ?3)
                     ORDER BY s.launch DESC LIMIT 1",
            params![url, campaign, launch],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// The rows of a URL in all launches that saw it, newest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn seen_of_url(&self, url: &Url) -> Result<Vec<SeenId>, StoreError> {
        self.rows(
            "SELECT id FROM seen WHERE url = (SELECT id FROM url WHERE url = ?1) ORDER BY launch DESC",
            [url.as_str()],
            |row| row.get(0),
        )
    }

    /// The last location known of a host.
    pub fn geo_fact(&self, host: &str) -> Result<GeoFact, StoreError> {
        self.read(|conn| geo_fact(conn, host))
    }

    /// Begins the record of a job, which may follow another by itself; returns its number.
    pub fn job_started(&self, name: &str, follows: Option<i64>) -> Result<i64, StoreError> {
        let name = name.to_owned();
        self.write(move |conn| {
            conn.execute(
                "INSERT INTO job (name, started_ms, follows) VALUES (?1, ?2, ?3)",
                params![name, CaptureDate::now().millis(), follows],
            )?;
            Ok(conn.last_insert_rowid())
        })
    }

    /// Ends the record of a job.
    pub fn job_ended(&self, id: i64, outcome: &str) -> Result<(), StoreError> {
        let outcome = outcome.to_owned();
        self.execute(
            "UPDATE job SET ended_ms = ?2, outcome = ?3 WHERE id = ?1",
            (id, CaptureDate::now().millis(), outcome),
        )
    }

    /// Jobs of earlier runs, newest first.
    pub fn jobs(&self, limit: u64) -> Result<Vec<JobRow>, StoreError> {
        self.rows(
            "SELECT id, name, started_ms, ended_ms, outcome, follows FROM job ORDER BY id DESC LIMIT ?1",
            [i64::try_from(limit).unwrap_or(i64::MAX)],
            |row| {
                let ended: Option<i64> = row.get(3)?;
                Ok(JobRow {
                    id: uint(row.get(0)?),
                    name: row.get(1)?,
                    started: CaptureDate::from_millis(row.get(2)?),
                    ended: ended.map(CaptureDate::from_millis),
                    outcome: if ended.is_none() { "did not end in this program".to_owned() } else { row.get(4)? },
                    follows: row.get::<_, Option<i64>>(5)?.map(uint),
                })
            },
        )
    }
}

/// The state of a URL by the number in the catalogue.
pub(super) fn seen_state(number: i64) -> SeenState {
    match number {
        QUEUED => SeenState::Queued,
        REFUSED => SeenState::Refused,
        FETCHED => SeenState::Fetched,
        _ => SeenState::Failed,
    }
}

/// The last location known of a host.
pub(super) fn geo_fact(conn: &Connection, host: &str) -> Result<GeoFact, StoreError> {
    let fact: Option<String> = conn
        .prepare_cached("SELECT fact FROM host_geo WHERE host = ?1 ORDER BY id DESC LIMIT 1")?
        .query_row([host], |row| row.get(0))
        .optional()?;
    match fact {
        None => Ok(GeoFact::NotQueried),
        Some(json) => serde_json::from_str(&json)
            .map_err(|error| StoreError::Content(format!("the location of {host} ({error})"))),
    }
}

/// The state of a name in the catalogue.
pub(super) fn state_of(name: &str) -> LaunchState {
    match name {
        "running" => LaunchState::Running,
        "paused" => LaunchState::Paused,
        "stopped" => LaunchState::Stopped,
        _ => LaunchState::Finished,
    }
}

fn launch_row(row: &Row<'_>) -> rusqlite::Result<LaunchRow> {
    let number = |at: usize| row.get::<_, i64>(at).map(uint);
    Ok(LaunchRow {
        id: row.get(0)?,
        campaign: row.get(1)?,
        campaign_name: row.get(2)?,
        launch: row.get(3)?,
        state: state_of(&row.get::<_, String>(4)?),
        started: CaptureDate::from_millis(row.get(5)?),
        ended: row.get::<_, Option<i64>>(6)?.map(CaptureDate::from_millis),
        why: row.get(7)?,
        queued: number(8)?,
        fetched: number(9)?,
        failed: number(10)?,
        refused: number(11)?,
        bytes: number(12)?,
        ran_ms: number(13)?,
        nothing_fetched: row.get(14)?,
        origin: row.get(15)?,
        server_errors: number(16)?,
        only_errors: false,
        trial: match row.get::<_, Option<i64>>(18)? {
            Some(urls) => Some(Trial { urls: uint(urls), is_kept: row.get(19)?, is_patch: row.get(20)? }),
            None => None,
        },
    }
    .with_good(number(17)?))
}

const SEEN: &str =
    "s.id, u.url, ifnull(v.url, ''), s.anchor, s.hops, s.accepted, s.rule_name, s.state, s.why, s.date_ms,
        s.rule_index, s.fetch_status";

fn seen_row(row: &Row<'_>) -> rusqlite::Result<SeenRow> {
    let (rule, why): (String, String) = (row.get(6)?, row.get(8)?);
    let state = seen_state(row.get(7)?);
    let outcome = UrlOutcome::of_seen(SeenFacts {
        state,
        rule_index: row.get::<_, Option<i64>>(10)?.and_then(|index| usize::try_from(index).ok()),
        rule_name: &rule,
        fetch_status: row.get(11)?,
        why: &why,
    });
    let state = state.as_str();
    Ok(SeenRow {
        id: row.get(0)?,
        url: row.get(1)?,
        via: row.get(2)?,
        anchor: row.get(3)?,
        hops: row.get(4)?,
        decision: if row.get(5)? { "ACCEPT" } else { "REJECT" }.to_owned(),
        rule,
        outcome,
        state: if why.is_empty() { state.to_owned() } else { format!("{state}: {why}") },
        date: CaptureDate::from_millis(row.get(9)?),
    })
}

/// SQL: whether no later one of these launches saw the URL of `s`.
fn last_seen_sql(those: &str) -> String {
    format!("NOT EXISTS (SELECT 1 FROM seen n WHERE n.url = s.url AND n.launch > s.launch AND n.launch {those})")
}

/// Refused URLs of several launches by a column of `s`, each as the last of them that saw it
/// decided, with the number of each.
pub(super) fn refused_once(conn: &Connection, those: &str, column: &str) -> Result<Vec<(String, u64)>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {column} AS part, count(*) AS urls FROM seen s WHERE s.launch {those} AND s.state = 1 AND {}
         GROUP BY part ORDER BY urls DESC, part",
        last_seen_sql(those)
    ))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, uint(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// `IN (…)` of numbers of launches.
fn in_list(ids: &[LaunchId]) -> String {
    format!("IN ({})", ids.iter().map(LaunchId::to_string).collect::<Vec<_>>().join(", "))
}

fn hosts(conn: &Connection, those: &str) -> Result<Vec<HostRow>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        // The 500 hosts first, their counts after.
        "WITH busy AS (
            SELECT t.host AS host, h.name AS name,
                ifnull(sum(t.urls) FILTER (WHERE t.state = 0), 0) AS queued,
                ifnull(sum(t.urls) FILTER (WHERE t.state = 2), 0) AS fetched,
                ifnull(sum(t.urls) FILTER (WHERE t.state = 3), 0) AS failed,
                ifnull(sum(t.urls) FILTER (WHERE t.state = 1), 0) AS refused
            FROM seen_tally t JOIN host h ON h.id = t.host WHERE t.launch {those}
            GROUP BY t.host HAVING sum(t.urls) > 0 ORDER BY fetched DESC, sum(t.urls) DESC, h.name LIMIT 500)
         SELECT name, queued, fetched, failed, refused,
            (SELECT CAST(total(c.size) AS INTEGER) FROM capture c WHERE c.launch {those} AND c.host = busy.host),
            (SELECT json_group_array(json_array(rule_name, urls)) FROM (
                SELECT t.rule_name, sum(t.urls) AS urls FROM seen_tally t
                WHERE t.launch {those} AND t.host = busy.host AND t.accepted AND t.urls > 0
                GROUP BY t.rule_name ORDER BY min(t.rule_index), t.rule_name)),
            (SELECT c.ip FROM capture c WHERE c.launch {those} AND c.host = busy.host AND c.ip <> '' ORDER BY c.id DESC LIMIT 1)
         FROM busy ORDER BY fetched DESC, queued + fetched + failed + refused DESC, name"
    ))?;
    let mut rows = statement.query([])?;
    let mut hosts = Vec::new();
    while let Some(row) = rows.next()? {
        let host: String = row.get(0)?;
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        let (mut address, mut country) = (String::new(), String::new());
        match geo_fact(conn, name)? {
            // No rule used its location: what it was fetched from is known all the same.
            GeoFact::NotQueried => address = row.get::<_, Option<String>>(7)?.unwrap_or_default(),
            GeoFact::Failed { why } => address = format!("not resolved: {why}"),
            GeoFact::Known(evidence) => {
                if let Some(first) = evidence.addresses.first() {
                    address = first.address.to_string();
                    country = first.country.clone().unwrap_or_else(|| "unknown".to_owned());
                }
            }
        }
        let number = |at: usize| row.get::<_, i64>(at).map(uint);
        hosts.push(HostRow {
            address,
            country,
            queued: number(1)?,
            fetched: number(2)?,
            failed: number(3)?,
            refused: number(4)?,
            bytes: number(5)?,
            rules: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
            now: None,
            host,
        });
    }
    Ok(hosts)
}
