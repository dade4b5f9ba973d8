//! Events of launches.

use super::catalogue::Catalogue;
use super::error::StoreError;
use super::rows::LaunchId;
use super::rows::SeenId;
use super::sql::{int, uint};
use crate::crawl::{CrawlEvent, EventKind};
use crate::uri::CaptureDate;
use rusqlite::{Connection, Row, params};
use serde::Serialize;

/// Which events of a launch are shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventQuery {
    /// The launch.
    pub launch: LaunchId,
    /// Only those of this kind.
    pub kind: Option<EventKind>,
    /// How many are skipped.
    pub offset: u64,
    /// How many are shown at most.
    pub limit: u64,
}

/// Events of a launch, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPage {
    /// The events.
    pub rows: Vec<EventRow>,
    /// How many there are of the kind that was asked for.
    pub total: u64,
    /// Kinds that the launch has, with how many there are of each.
    pub kinds: Vec<(EventKind, u64)>,
}

/// An event with its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventRow {
    /// Its number in the catalogue.
    pub id: i64,
    /// Number of its URL among those that the launch has seen.
    #[serde(skip)]
    pub seen: Option<SeenId>,
    /// What happened.
    #[serde(flatten)]
    pub event: CrawlEvent,
}

impl Catalogue {
    /// Events of a launch, newest first.
    pub fn events(&self, query: &EventQuery) -> Result<EventPage, StoreError> {
        self.read(|conn| {
            let mut kinds = Vec::new();
            let mut statement =
                conn.prepare_cached("SELECT kind, count(*) FROM event WHERE launch = ?1 GROUP BY kind ORDER BY kind")?;
            let mut rows = statement.query([query.launch])?;
            while let Some(row) = rows.next()? {
                if let Some(kind) = EventKind::from_name(&row.get::<_, String>(0)?) {
                    kinds.push((kind, uint(row.get(1)?)));
                }
            }
            let of_kind = |kind: EventKind| query.kind.is_none_or(|only| only == kind);
            let total = kinds.iter().filter(|(kind, _)| of_kind(*kind)).map(|(_, count)| count).sum();
            let sql = match query.kind {
                None => "launch = ?1 AND ?2 IS NULL",
                Some(_) => "launch = ?1 AND kind = ?2",
            };
            let mut statement = conn.prepare_cached(&format!(
                "SELECT id, date_ms, kind, host, url, status, text, count,
                    (SELECT s.id FROM seen s WHERE s.launch = event.launch AND event.url <> ''
                        AND s.url = (SELECT id FROM url WHERE url.url = event.url))
                 FROM event WHERE {sql} ORDER BY id DESC LIMIT ?3 OFFSET ?4"
            ))?;
            let asked = params![query.launch, query.kind.map(EventKind::name), int(query.limit), int(query.offset)];
            let rows = statement.query_map(asked, event_row)?;
            let rows = rows.filter_map(Result::transpose).collect::<Result<_, _>>()?;
            Ok(EventPage { rows, total, kinds })
        })
    }
}

/// A row; none of a kind that this version does not know.
fn event_row(row: &Row<'_>) -> rusqlite::Result<Option<EventRow>> {
    let Some(kind) = EventKind::from_name(&row.get::<_, String>(2)?) else { return Ok(None) };
    Ok(Some(EventRow {
        id: row.get(0)?,
        seen: row.get(8)?,
        event: CrawlEvent {
            date: CaptureDate::from_millis(row.get(1)?),
            kind,
            host: row.get(3)?,
            url: row.get(4)?,
            status: row.get(5)?,
            text: row.get(6)?,
            count: uint(row.get(7)?),
        },
    }))
}

/// Adds events of a launch.
pub(super) fn insert_events(conn: &Connection, launch: LaunchId, events: &[CrawlEvent]) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO event (launch, date_ms, kind, host, url, status, text, count)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for event in events {
        statement.execute(params![
            launch,
            event.date.millis(),
            event.kind.name(),
            event.host,
            event.url,
            event.status,
            event.text,
            int(event.count)
        ])?;
    }
    Ok(())
}
