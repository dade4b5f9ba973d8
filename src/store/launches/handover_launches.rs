//! A handover carries crawls out and in: launches, the URLs they have seen, their captures, and the
//! locations of hosts.
//!
//! A launch that came with a handover is kept as one of another crawler, with
//! its origin beside it (`launch_origin`): nobody goes on with it, and nothing
//! of it is put into a launch that was crawled here.

use super::geo_fact;
use super::ledger::{FAILED, FETCHED, QUEUED, REFUSED};
use crate::crawl::SeenState;
use crate::scope::GeoFact;
use crate::store::captures::interned_texts::url_ids;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::files::import_campaigns::note_moved;
use crate::store::review::handover::SeenVerdict;
use crate::store::review::score_set::page_of;
use crate::store::rows::{CampaignId, CaptureId, LaunchId};
use crate::uri::{CaptureDate, Url, parse_web_url};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// A launch in a handover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoverLaunch {
    /// Its job folder.
    pub job: String,
    /// UTC start, 14 digits.
    pub launch: String,
    /// Version of the campaign that it ran last.
    pub version: Option<u32>,
    /// Whether it came to its end.
    pub finished: bool,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<CaptureDate>,
    /// Milliseconds that it ran.
    pub ran_ms: u64,
    /// Why it stopped; empty for a normal end.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// When it went on with another version, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VersionChange>,
}

/// A launch went on with another version of its campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionChange {
    /// When.
    pub date: CaptureDate,
    /// The version before.
    pub from: u32,
    /// The version after.
    pub to: u32,
}

/// The way on which a crawl came to a capture of a handover.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandoverCrawl {
    /// Job of the launch.
    pub job: String,
    /// The launch.
    pub launch: String,
    /// Path from the seed.
    pub hops: String,
    /// The page that led to it; empty for a seed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub via: String,
    /// The seed it descends from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// Tag of that seed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tag: String,
    /// Position of the rule that let it in; none where the crawl itself did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<u64>,
    /// Name of that rule.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
}

impl Catalogue {
    /// The launches of a campaign for a handover, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn handover_launches(&self, campaign: CampaignId) -> Result<Vec<HandoverLaunch>, StoreError> {
        self.read(|conn| {
            let mut changes = conn.prepare_cached(
                "SELECT date_ms, from_version, to_version FROM launch_change WHERE launch = ?1 ORDER BY date_ms",
            )?;
            let mut statement = conn.prepare_cached(
                "SELECT id, job, launch, version, state = 'finished', started_ms, ended_ms,
                    ran_ms + ifnull(max(?2 - running_since_ms, 0), 0), why
                 FROM launch WHERE kind = 'crawl' AND campaign = ?1 ORDER BY id",
            )?;
            let rows = statement.query_map(params![campaign, CaptureDate::now().millis()], |row| {
                let changes = changes.query_map([row.get::<_, LaunchId>(0)?], |row| {
                    let date = CaptureDate::from_millis(row.get(0)?);
                    Ok(VersionChange { date, from: row.get(1)?, to: row.get(2)? })
                })?;
                Ok(HandoverLaunch {
                    job: row.get(1)?,
                    launch: row.get(2)?,
                    version: row.get(3)?,
                    finished: row.get(4)?,
                    started: CaptureDate::from_millis(row.get(5)?),
                    ended: row.get::<_, Option<i64>>(6)?.map(CaptureDate::from_millis),
                    ran_ms: uint(row.get(7)?),
                    why: row.get(8)?,
                    changes: changes.collect::<Result<_, _>>()?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The launch of this name that came with a handover; made where the campaign has none of that
    /// name. None where it was crawled here, for the campaign or one that it is a branch of, or is in
    /// logs of another crawler: that one stays as it is.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn take_launch(
        &self,
        campaign: CampaignId,
        launch: HandoverLaunch,
        origin: &str,
    ) -> Result<Option<LaunchId>, StoreError> {
        let origin = origin.to_owned();
        self.write(move |conn| {
            let HandoverLaunch { job, launch, version, finished, started, ended, ran_ms, why, changes } = launch;
            let known: Option<(LaunchId, bool)> = conn
                .query_row(
                    "SELECT l.id, o.launch IS NOT NULL FROM launch l LEFT JOIN launch_origin o ON o.launch = l.id
                     JOIN campaign k ON k.id = l.campaign AND k.identity = (SELECT identity FROM campaign WHERE id = ?1)
                     WHERE l.kind = 'crawl' AND l.job = ?2 AND l.launch = ?3 AND (l.campaign = ?1 OR o.launch IS NULL)
                     ORDER BY o.launch IS NOT NULL LIMIT 1",
                    params![campaign, job, launch],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            if let Some((id, is_foreign)) = known {
                return Ok(is_foreign.then_some(id));
            }
            conn.execute(
                "INSERT INTO launch (kind, campaign, version, job, launch, state, started_ms, ended_ms, why, ran_ms, is_foreign)
                 VALUES ('crawl', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1)",
                params![
                    campaign,
                    version,
                    job,
                    launch,
                    if finished { "finished" } else { "stopped" },
                    started.millis(),
                    ended.map(CaptureDate::millis),
                    why,
                    int(ran_ms)
                ],
            )?;
            let id = LaunchId::new(conn.last_insert_rowid());
            conn.execute("INSERT INTO launch_origin VALUES (?1, ?2)", params![id, origin])?;
            for VersionChange { date, from, to } in changes {
                conn.execute(
                    "INSERT INTO launch_change (launch, date_ms, from_version, to_version) VALUES (?1, ?2, ?3, ?4)",
                    params![id, date.millis(), from, to],
                )?;
            }
            Ok(Some(id))
        })
    }

    /// Puts URLs into launches that came with a handover, in this order. One
    /// that is there stays as it is, unless it waited then and came to its end
    /// since. Says how many are new or came to their end.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn take_seen(&self, seen: Vec<(LaunchId, SeenVerdict)>) -> Result<u64, StoreError> {
        self.write(move |conn| {
            let mut taken = 0;
            for (launch, verdict) in &seen {
                taken += take_one(conn, *launch, verdict)?;
            }
            Ok(taken)
        })
    }

    /// Says of captures that came in for a campaign which launch of a handover
    /// made them, and how. Those that were crawled here, and those of other
    /// campaigns, stay as they are.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn assign_to_launches(
        &self,
        campaign: CampaignId,
        captures: Vec<(CaptureId, HandoverCrawl)>,
    ) -> Result<(), StoreError> {
        self.write(move |conn| {
            let mut find = conn.prepare_cached(
                "SELECT l.id FROM launch l JOIN launch_origin o ON o.launch = l.id
                 WHERE l.campaign = ?1 AND l.job = ?2 AND l.launch = ?3",
            )?;
            let mut moved = 0;
            for (capture, of) in captures {
                let launch: Option<LaunchId> =
                    find.query_row(params![campaign, of.job, of.launch], |row| row.get(0)).optional()?;
                let Some(launch) = launch else { continue };
                let via = parse_web_url(&of.via).map(|via| url_ids(conn, &via)).transpose()?.map(|ids| ids.url);
                let changed = conn
                    .prepare_cached(
                        "UPDATE capture SET launch = ?2, hops = ?3, via = ?4, seed = ?5, source_tag = ?6,
                            rule_index = ?7, rule_name = ?8
                         WHERE id = ?1 AND launch IN (SELECT id FROM launch WHERE kind = 'import' AND campaign = ?9)",
                    )?
                    .execute(params![
                        capture,
                        launch,
                        of.hops,
                        via,
                        of.seed,
                        of.tag,
                        of.rule_index.map(int),
                        of.rule,
                        campaign
                    ])?;
                moved += changed;
                if changed > 0 {
                    conn.prepare_cached("DELETE FROM file_rule WHERE capture = ?1")?.execute([capture])?;
                }
            }
            if moved > 0 {
                note_moved(conn)?;
            }
            Ok(())
        })
    }

    /// Keeps locations of hosts from a handover, where none is known here; the first one stays.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn take_geo_facts(&self, facts: Vec<(String, GeoFact)>, origin: &str) -> Result<(), StoreError> {
        let origin = origin.to_owned();
        self.write(move |conn| {
            let mut keep = conn.prepare_cached(
                "INSERT OR IGNORE INTO handed_geo SELECT ?1, ?2, ?3
                 WHERE NOT EXISTS (SELECT 1 FROM host_geo WHERE host = ?1)",
            )?;
            for (host, fact) in facts {
                let fact = serde_json::to_string(&fact).map_err(|error| StoreError::Content(error.to_string()))?;
                keep.execute(params![host, fact, origin])?;
            }
            Ok(())
        })
    }

    /// The URL of a capture.
    ///
    /// # Errors
    ///
    /// No such capture, or a catalogue that cannot be read.
    pub fn url_of_capture(&self, capture: CaptureId) -> Result<String, StoreError> {
        self.read(|conn| Ok(page_of(conn, capture)?.url))
    }

    /// The location of a host: as it was found here, else as in a handover. For display and further
    /// handovers; rules decide on [`Catalogue::geo_fact`] alone.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn known_location(&self, host: &str) -> Result<GeoFact, StoreError> {
        self.read(|conn| {
            let found = geo_fact(conn, host)?;
            if found != GeoFact::NotQueried {
                return Ok(found);
            }
            let fact: Option<String> = conn
                .prepare_cached("SELECT fact FROM handed_geo WHERE host = ?1")?
                .query_row([host], |row| row.get(0))
                .optional()?;
            let fact = fact.map(|json| serde_json::from_str(&json)).transpose();
            Ok(fact
                .map_err(|error| StoreError::Content(format!("the location of {host} ({error})")))?
                .unwrap_or_default())
        })
    }
}

fn take_one(conn: &Connection, launch: LaunchId, seen: &SeenVerdict) -> Result<u64, StoreError> {
    let Ok(url) = Url::parse(&seen.url) else { return Ok(0) };
    let ids = url_ids(conn, &url)?;
    let via = Url::parse(&seen.via).ok().map(|via| url_ids(conn, &via)).transpose()?.map(|ids| ids.url);
    let (index, name) = &seen.rule;
    let state = match seen.state {
        SeenState::Queued => QUEUED,
        SeenState::Refused => REFUSED,
        SeenState::Fetched => FETCHED,
        SeenState::Failed => FAILED,
    };
    let changed = conn
        .prepare_cached(
            "INSERT INTO seen (launch, url, host, via, hops, anchor, seed, source_tag, is_seed, nofollow,
                accepted, rule_index, rule_name, state, priority, due_ms, fetch_status, why, date_ms)
             VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,0,0,?15,?16,?17)
             ON CONFLICT (url, launch) DO UPDATE SET accepted = excluded.accepted, rule_index = excluded.rule_index,
                rule_name = excluded.rule_name, state = excluded.state, fetch_status = excluded.fetch_status,
                why = excluded.why WHERE seen.state = 0 AND excluded.state <> 0",
        )?
        .execute(params![
            launch,
            ids.url,
            ids.host,
            via,
            seen.hops,
            seen.anchor,
            seen.seed,
            seen.tag,
            seen.is_seed,
            seen.nofollow,
            seen.accepted,
            index.map(int),
            name,
            state,
            seen.status,
            seen.why,
            seen.date.millis(),
        ])?;
    Ok(changed as u64)
}
