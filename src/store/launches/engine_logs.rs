//! Logs of other crawlers are kept as launches.

use super::ledger::{FAILED, FETCHED, QUEUED, REFUSED};
use super::seen_tally::{Counted, TallyChange};
use crate::scope::{Decision, Verdict};
use crate::store::captures::interned_texts::{Interning, UrlIds};
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::{Catalogue, UnderWay};
use crate::store::rows::{CampaignId, LaunchId};
use crate::uri::{CaptureDate, Url, parse_web_url};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use std::collections::HashMap;

/// A URL in a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedUrl {
    /// The URL.
    pub url: Url,
    /// The page that led there.
    pub via: Option<Url>,
    /// Its path from the seed.
    pub hops: String,
    /// The seed, where the log has it.
    pub seed: Option<String>,
    /// The tag of the seed.
    pub source_tag: String,
    /// The decision of the rules, where the log has one.
    pub verdict: Option<Verdict>,
    /// Its outcome.
    pub fate: LoggedFate,
    /// When.
    pub date: CaptureDate,
}

/// The fate of a URL in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoggedFate {
    /// The scope spoke of it; nothing is known of a fetch.
    Decided,
    /// It was refused, with this fetch status.
    Refused(i32),
    /// It was fetched, with this status.
    Fetched(i32),
    /// It was tried in vain: status, and why.
    Failed(i32, String),
}

impl Catalogue {
    /// The launch of this name of a campaign's job; made where it is not there.
    pub fn engine_launch(
        &self,
        campaign: CampaignId,
        job: &str,
        name: &str,
        started: CaptureDate,
    ) -> Result<LaunchId, StoreError> {
        let (job, name) = (job.to_owned(), name.to_owned());
        self.write(move |conn| {
            let known = conn
                .query_row(
                    "SELECT id FROM launch WHERE kind = 'crawl' AND is_foreign AND campaign = ?1 AND job = ?2 AND launch = ?3",
                    params![campaign, job, name],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(id) = known {
                return Ok(id);
            }
            conn.execute(
                "INSERT INTO launch (kind, campaign, version, job, launch, state, started_ms, is_foreign)
                 SELECT 'crawl', id, version, ?2, ?3, 'finished', ?4, 1 FROM campaign WHERE id = ?1",
                params![campaign, job, name, started.millis()],
            )?;
            Ok(LaunchId::new(conn.last_insert_rowid()))
        })
    }

    /// Keeps the end of such a launch, and why it is here.
    pub fn end_engine_launch(&self, launch: LaunchId, ended: CaptureDate, why: &str) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.execute(
            "UPDATE launch SET ended_ms = ?2, why = ?3, ran_ms = max(?2 - started_ms, 0) WHERE id = ?1",
            (launch, ended.millis(), why),
        )
    }

    /// Takes lines of a log in; returns how many URLs are new to the launch. Read again, a log changes
    /// nothing.
    pub fn take_logged(&self, launch: LaunchId, lines: Vec<LoggedUrl>) -> Result<UnderWay<u64>, StoreError> {
        self.write_later(move |conn| {
            let mut urls = url_numbers(conn, &lines)?;
            TallyChange::of(conn, launch, |tally| {
                let mut taker = Taker::new(conn, launch)?;
                let mut new = 0;
                for line in &lines {
                    new += u64::from(taker.take(&mut urls, tally, line)?);
                }
                Ok(new)
            })
        })
    }

    /// Begins to take in much at once: what is committed goes into the file
    /// itself seldom, which is most of the work where rows lie far apart.
    pub fn begin_bulk(&self) -> Result<Bulk<'_>, StoreError> {
        self.checkpoint_every(BULK_PAGES)?;
        Ok(Bulk(self))
    }

    fn checkpoint_every(&self, pages: i64) -> Result<(), StoreError> {
        self.write(move |conn| Ok(conn.pragma_update(None, "wal_autocheckpoint", pages)?))
    }
}

/// Pages of the log from which on it goes into the file, usually and in bulk.
const USUAL_PAGES: i64 = 1_000;
const BULK_PAGES: i64 = 65_536;

/// A bulk load of rows: while it lives, the log of the catalogue is carried over less often.
pub struct Bulk<'a>(&'a Catalogue);

impl Drop for Bulk<'_> {
    fn drop(&mut self) {
        // Beside the writer, which a commit would keep from other work for as long.
        if let Err(error) = self.0.carry_log_over().and_then(|()| self.0.checkpoint_every(USUAL_PAGES)) {
            tracing::warn!("the log of the catalogue stays long: {error}");
        }
    }
}

/// A URL as the catalogue numbers it.
struct Numbered {
    ids: UrlIds,
    /// Whether no launch can have seen it yet.
    is_new: bool,
}

/// Numbers all URLs of some lines, in their order: then neighbours in an index
/// come together, however a crawl jumped about.
fn url_numbers<'l>(conn: &Connection, lines: &'l [LoggedUrl]) -> Result<HashMap<&'l str, Numbered>, StoreError> {
    let mut urls: Vec<&Url> = lines.iter().flat_map(|line| std::iter::once(&line.url).chain(&line.via)).collect();
    urls.sort_unstable();
    urls.dedup();
    let mut interning = Interning::new(conn)?;
    let mut numbers = HashMap::with_capacity(urls.len());
    for url in urls {
        let (ids, is_new) = interning.url_ids(url)?;
        numbers.insert(url.as_str(), Numbered { ids, is_new });
    }
    Ok(numbers)
}

/// Puts lines into a launch.
struct Taker<'c> {
    launch: LaunchId,
    known: CachedStatement<'c>,
    insert: CachedStatement<'c>,
    update: CachedStatement<'c>,
}

impl<'c> Taker<'c> {
    fn new(conn: &'c Connection, launch: LaunchId) -> Result<Self, StoreError> {
        Ok(Self {
            launch,
            known: conn.prepare_cached(
                "SELECT id, host, state, fetch_status, accepted, rule_index, rule_name FROM seen
                 WHERE url = ?1 AND launch = ?2",
            )?,
            insert: conn.prepare_cached(
                "INSERT INTO seen (launch, url, host, via, hops, anchor, seed, source_tag, is_seed, nofollow,
                    accepted, rule_index, rule_name, state, priority, due_ms, fetch_status, why, date_ms)
                 VALUES (?1,?2,?3,?4,?5,'',?6,?7,?8,0,?9,?10,?11,?12,0,0,?13,?14,?15)",
            )?,
            update: conn.prepare_cached(
                "UPDATE seen SET state = ?2, fetch_status = ?3, why = ?4, date_ms = ?5, accepted = ?6,
                    hops = CASE WHEN ?7 = '' THEN hops ELSE ?7 END, via = ifnull(?8, via),
                    source_tag = CASE WHEN ?9 = '' THEN source_tag ELSE ?9 END, seed = ifnull(?10, seed),
                    rule_index = ?11, rule_name = ?12, is_seed = ?13
                 WHERE id = ?1",
            )?,
        })
    }

    /// Says whether the URL is new to the launch.
    fn take(
        &mut self,
        urls: &mut HashMap<&str, Numbered>,
        tally: &mut TallyChange,
        line: &LoggedUrl,
    ) -> Result<bool, StoreError> {
        let via = line.via.as_ref().and_then(|via| urls.get(via.as_str())).map(|via| via.ids.url);
        let Some(url) = urls.get_mut(line.url.as_str()) else { return Ok(false) };
        let (ids, is_new) = (url.ids, std::mem::take(&mut url.is_new));
        let accepted = match (&line.verdict, &line.fate) {
            (Some(verdict), _) => verdict.decision == Decision::Accept,
            (None, fate) => !matches!(fate, LoggedFate::Refused(_)),
        };
        let (state, status, why) = match &line.fate {
            LoggedFate::Decided if accepted => (QUEUED, 0, ""),
            LoggedFate::Decided => (REFUSED, 0, ""),
            LoggedFate::Refused(status) => (REFUSED, *status, ""),
            LoggedFate::Fetched(status) => (FETCHED, *status, ""),
            LoggedFate::Failed(status, why) => (FAILED, *status, why.as_str()),
        };
        // A log of fetches has for each URL how it was found. One of decisions has it only with its JSON;
        // without, most of what it let in is no seed.
        let is_seed = line.hops.is_empty()
            && line.via.is_none()
            && state != REFUSED
            && (line.fate != LoggedFate::Decided
                || line.seed.as_deref().and_then(parse_web_url).as_ref() == Some(&line.url));
        let index =
            line.verdict.as_ref().and_then(|verdict| verdict.rule_index).and_then(|index| i64::try_from(index).ok());
        let name = line.verdict.as_ref().map(|verdict| verdict.rule_name.as_str()).unwrap_or_default();
        let known = match is_new {
            true => None,
            false => self
                .known
                .query_row((ids.url, self.launch), |row| {
                    let counted = Counted {
                        host: row.get(1)?,
                        state: row.get(2)?,
                        fetch_status: row.get(3)?,
                        accepted: row.get(4)?,
                        rule_index: row.get(5)?,
                        rule_name: row.get(6)?,
                    };
                    Ok((row.get::<_, i64>(0)?, counted))
                })
                .optional()?,
        };
        let Some((id, old)) = known else {
            self.insert.execute(params![
                self.launch,
                ids.url,
                ids.host,
                via,
                line.hops,
                line.seed,
                line.source_tag,
                is_seed,
                accepted,
                index,
                name,
                state,
                status,
                why,
                line.date.millis(),
            ])?;
            tally.comes(Counted {
                host: ids.host.get(),
                state,
                fetch_status: status.into(),
                accepted,
                rule_index: index,
                rule_name: name.to_owned(),
            });
            return Ok(true);
        };
        // A decision adds to what is known only where the URL was refused before
        // and is let in now; a fetch always, and the last one counts.
        let is_decision = line.fate == LoggedFate::Decided;
        if is_decision && (old.state != REFUSED || old.accepted || !accepted) {
            return Ok(false);
        }
        let (rule_index, rule_name) = match line.verdict {
            Some(_) => (index, name.to_owned()),
            None => (old.rule_index, old.rule_name.clone()),
        };
        let new = Counted {
            host: old.host,
            state,
            fetch_status: status.into(),
            accepted: accepted || (line.verdict.is_none() && old.accepted),
            rule_index,
            rule_name,
        };
        self.update.execute(params![
            id,
            state,
            status,
            why,
            line.date.millis(),
            new.accepted,
            line.hops,
            via,
            line.source_tag,
            line.seed,
            new.rule_index,
            new.rule_name,
            is_seed,
        ])?;
        tally.changes(old, new);
        Ok(false)
    }
}
