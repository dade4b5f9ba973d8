//! Sources of campaigns: how far they were read, and the pages that they named.

use super::{in_list, last_seen_sql};
use crate::campaign::{CampaignSource, Seed};
use crate::crawl::SourcePage;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::launches::ledger::{FAILED, FETCHED, QUEUED, REFUSED};
use crate::store::rows::{CampaignId, LaunchId, Launches};
use crate::uri::{CaptureDate, parse_web_url};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is kept of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourceState {
    /// How far each query was read, by its text.
    pub marks: BTreeMap<String, String>,
    /// When it was read last, in milliseconds since 1970.
    #[serde(skip)]
    pub last_run: Option<CaptureDate>,
    /// When it is due.
    #[serde(skip)]
    pub next_run: Option<CaptureDate>,
    /// The last run in words.
    pub outcome: String,
    /// Whether that failed.
    pub has_failed: bool,
    /// Whether the server says that it is gone for good.
    pub is_gone: bool,
    /// Pages that it named.
    pub pages: u64,
    /// Those that wait for a launch.
    pub waiting: u64,
}

/// A page that a source named, for the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPage {
    /// The page.
    pub url: String,
    /// Its state by the source's word.
    pub state: String,
    /// Its title; may be empty.
    pub title: String,
    /// The answer that named it.
    pub via: String,
    /// The item whose text has it.
    pub within: Option<String>,
}

/// A page that a source named, as the catalogue has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPageRow {
    /// Its number.
    pub id: i64,
    /// The page.
    pub url: String,
    /// Its title; may be empty. Hostile text.
    pub title: String,
    /// The item whose text has it; none of an item itself.
    pub within: Option<String>,
    /// When it was named last.
    pub found: CaptureDate,
    /// The launch that took it: its 14 digits; none while it waits for one.
    pub launch: Option<String>,
}

/// Pages that a source named, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedPageList {
    /// The first of them.
    pub rows: Vec<NamedPageRow>,
    /// How many there are.
    pub total: u64,
}

/// What became of the URLs that a source brought into launches: the pages that it named, and what they led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceYield {
    /// The source tag, such as `source:news`.
    pub tag: String,
    /// Those that wait.
    pub queued: u64,
    /// Those that were fetched.
    pub fetched: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that a rule refused.
    pub refused: u64,
}

/// The end of a run of a source, for the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRunEnd {
    /// How far each query was read.
    pub marks: BTreeMap<String, String>,
    /// When it ended.
    pub date: CaptureDate,
    /// When it is due again.
    pub next_run: CaptureDate,
    /// The run in words.
    pub outcome: String,
    /// Whether it failed.
    pub has_failed: bool,
    /// Whether the server says that the source is gone.
    pub is_gone: bool,
}

/// Kind and address of a source.
fn place_of(source: &CampaignSource) -> String {
    format!("{} {}", source.kind.name(), source.address.trim())
}

/// The row of a source; what was kept of another place under its name is forgotten.
fn source_row(conn: &Connection, campaign: CampaignId, name: &str, place: &str) -> Result<i64, StoreError> {
    conn.prepare_cached(
        "INSERT INTO source (campaign, name, place) VALUES (?1, ?2, ?3) ON CONFLICT (campaign, name) DO UPDATE SET
            marks = '{}', last_run_ms = NULL, next_run_ms = NULL, outcome = '', has_failed = 0, is_gone = 0, place = ?3
         WHERE place <> ?3",
    )?
    .execute(params![campaign, name, place])?;
    Ok(conn
        .prepare_cached("SELECT id FROM source WHERE campaign = ?1 AND name = ?2")?
        .query_row(params![campaign, name], |row| row.get(0))?)
}

impl Catalogue {
    /// What is kept of a source of a campaign.
    pub fn source_state(&self, campaign: CampaignId, source: &CampaignSource) -> Result<SourceState, StoreError> {
        let place = place_of(source);
        self.read(|conn| {
            let found = conn
                .prepare_cached(
                    "SELECT marks, last_run_ms, next_run_ms, outcome, has_failed, is_gone,
                        (SELECT count(*) FROM source_page p WHERE p.source = s.id),
                        (SELECT count(*) FROM source_page p WHERE p.source = s.id AND p.launch IS NULL)
                     FROM source s WHERE campaign = ?1 AND name = ?2 AND place = ?3",
                )?
                .query_row(params![campaign, source.name, place], |row| {
                    let date =
                        |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(CaptureDate::from_millis));
                    Ok(SourceState {
                        marks: serde_json::from_str(&row.get::<_, String>(0)?).unwrap_or_default(),
                        last_run: date(1)?,
                        next_run: date(2)?,
                        outcome: row.get(3)?,
                        has_failed: row.get(4)?,
                        is_gone: row.get(5)?,
                        pages: uint(row.get(6)?),
                        waiting: uint(row.get(7)?),
                    })
                })
                .optional()?;
            Ok(found.unwrap_or_default())
        })
    }

    /// Keeps pages that a source named; returns how many were not known, or are in another state now.
    /// Those wait for the next launch of the campaign.
    pub fn keep_named_pages(
        &self,
        campaign: CampaignId,
        source: &CampaignSource,
        pages: Vec<NamedPage>,
    ) -> Result<u64, StoreError> {
        let (name, place) = (source.name.clone(), place_of(source));
        self.write(move |conn| {
            let source = source_row(conn, campaign, &name, &place)?;
            let mut insert = conn.prepare_cached(
                "INSERT INTO source_page (source, url, state, title, via, within, found_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (source, url) DO UPDATE SET state = ?3, title = ?4, via = ?5, found_ms = ?7, launch = NULL
                 WHERE state <> ?3 AND ?6 IS NULL AND within IS NULL",
            )?;
            let now = CaptureDate::now().millis();
            let mut new = 0;
            for page in &pages {
                new += insert.execute(params![source, page.url, page.state, page.title, page.via, page.within, now])?
                    as u64;
            }
            Ok(new)
        })
    }

    /// Keeps the end of a run, after all its pages are kept.
    pub fn keep_source_run(
        &self,
        campaign: CampaignId,
        source: &CampaignSource,
        end: SourceRunEnd,
    ) -> Result<(), StoreError> {
        let (name, place) = (source.name.clone(), place_of(source));
        let marks = serde_json::to_string(&end.marks).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            let source = source_row(conn, campaign, &name, &place)?;
            conn.prepare_cached(
                "UPDATE source SET marks = ?2, last_run_ms = ?3, next_run_ms = ?4, outcome = ?5, has_failed = ?6,
                    is_gone = ?7 WHERE id = ?1",
            )?
            .execute(params![
                source,
                marks,
                end.date.millis(),
                end.next_run.millis(),
                end.outcome,
                end.has_failed,
                end.is_gone
            ])?;
            Ok(())
        })
    }

    /// Pages that a source of a campaign named, or those that wait for a launch, the newest first.
    pub fn named_pages(
        &self,
        campaign: CampaignId,
        source: &CampaignSource,
        only_waiting: bool,
        limit: u64,
    ) -> Result<NamedPageList, StoreError> {
        const OF_SOURCE: &str =
            "FROM source_page p JOIN source s ON s.id = p.source LEFT JOIN launch l ON l.id = p.launch
            WHERE s.campaign = ?1 AND s.name = ?2 AND s.place = ?3 AND (p.launch IS NULL OR NOT ?4)";
        let place = place_of(source);
        self.read(|conn| {
            let total = conn
                .prepare_cached(&format!("SELECT count(*) {OF_SOURCE}"))?
                .query_row(params![campaign, source.name, place, only_waiting], |row| row.get(0))?;
            let rows = conn
                .prepare_cached(&format!(
                    "SELECT p.id, p.url, p.title, p.within, p.found_ms, l.launch {OF_SOURCE} ORDER BY p.id DESC LIMIT ?5"
                ))?
                .query_map(params![campaign, source.name, place, only_waiting, int(limit)], |row| {
                    Ok(NamedPageRow {
                        id: row.get(0)?,
                        url: row.get(1)?,
                        title: row.get(2)?,
                        within: row.get(3)?,
                        found: CaptureDate::from_millis(row.get(4)?),
                        launch: row.get(5)?,
                    })
                })?
                .collect::<Result<_, _>>()?;
            Ok(NamedPageList { rows, total: uint(total) })
        })
    }

    /// What became of the URLs that sources brought into launches, by source.
    pub fn source_yields(
        &self,
        campaign: Option<CampaignId>,
        launches: Launches,
    ) -> Result<Vec<SourceYield>, StoreError> {
        let ids = self.launches_meant(campaign, launches)?;
        let count = |state: i64| match (state, launches) {
            // Of all launches together each URL counts once, as in their list.
            (REFUSED, Launches::All) => {
                format!("count(*) FILTER (WHERE s.state = {state} AND {})", last_seen_sql(&in_list(&ids)))
            }
            _ => format!("count(*) FILTER (WHERE s.state = {state})"),
        };
        self.rows(
            &format!(
                "SELECT s.source_tag, {}, {}, {}, {} FROM seen s
                 WHERE s.launch {} AND s.source_tag LIKE 'source:%' GROUP BY s.source_tag ORDER BY s.source_tag",
                count(QUEUED),
                count(FETCHED),
                count(FAILED),
                count(REFUSED),
                in_list(&ids)
            ),
            [],
            |row| {
                Ok(SourceYield {
                    tag: row.get(0)?,
                    queued: uint(row.get(1)?),
                    fetched: uint(row.get(2)?),
                    failed: uint(row.get(3)?),
                    refused: uint(row.get(4)?),
                })
            },
        )
    }

    /// The pages of sources that a launch took, as the seeds that they are in it.
    pub fn source_seeds(&self, launch: LaunchId) -> Result<Vec<Seed>, StoreError> {
        self.read(|conn| Ok(pages_of_launch(conn, launch)?.iter().filter_map(SourcePage::seed).collect()))
    }
}

/// The pages that a launch took.
pub(super) fn pages_of_launch(conn: &Connection, launch: LaunchId) -> Result<Vec<SourcePage>, StoreError> {
    pages(conn, "p.launch = ?1", launch)
}

/// Pages that wait become those of a launch.
pub(super) fn take_pages(conn: &Connection, launch: LaunchId) -> Result<Vec<SourcePage>, StoreError> {
    const WAITING: &str = "p.launch IS NULL AND p.source IN
        (SELECT id FROM source WHERE campaign = (SELECT campaign FROM launch WHERE id = ?1))";
    let taken = pages(conn, WAITING, launch)?;
    if !taken.is_empty() {
        conn.prepare_cached(&format!("UPDATE source_page AS p SET launch = ?1 WHERE {WAITING}"))?.execute([launch])?;
    }
    Ok(taken)
}

fn pages(conn: &Connection, condition: &str, launch: LaunchId) -> Result<Vec<SourcePage>, StoreError> {
    let sql = format!(
        "SELECT p.url, p.via, p.within, s.name FROM source_page p JOIN source s ON s.id = p.source
         WHERE {condition} ORDER BY p.id"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([launch])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let url = |at: usize| -> rusqlite::Result<Option<crate::uri::Url>> {
            Ok(row.get::<_, Option<String>>(at)?.and_then(|url| parse_web_url(&url)))
        };
        let Some(page) = url(0)? else { continue };
        let name: String = row.get(3)?;
        found.push(SourcePage { url: page, via: url(1)?, tag: format!("source:{name}"), within: url(2)? });
    }
    Ok(found)
}
