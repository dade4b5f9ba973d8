//! Events of launches.

use crate::crawl::{CrawlEvent, EventKind};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::LaunchId;
use crate::store::rows::SeenId;
use crate::uri::CaptureDate;
use rusqlite::{Connection, Row, params};
use serde::Serialize;

/// A query for events of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventQuery {
    /// The launch.
    pub launch: LaunchId,
    /// Only those of this kind.
    pub kind: Option<EventKind>,
    /// Each by itself; else those that differ in numbers and URL only are one,
    /// the last of them, with how often it happened.
    pub each: bool,
    /// Rows that are skipped.
    pub offset: u64,
    /// Most rows that are shown.
    pub limit: u64,
}

/// Events of a launch, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPage {
    /// The events.
    pub rows: Vec<EventRow>,
    /// How many events of that kind there are.
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
    /// The event itself.
    #[serde(flatten)]
    pub event: CrawlEvent,
}

impl Catalogue {
    /// Events of a launch, newest first.
    pub fn events(&self, query: &EventQuery) -> Result<EventPage, StoreError> {
        self.read(|conn| {
            let mut kinds = Vec::new();
            let (number, group) = match query.each {
                true => ("count(*)", "id"),
                false => {
                    ("count(DISTINCT host || char(10) || status || char(10) || shape)", "kind, host, status, shape")
                }
            };
            let mut statement = conn.prepare_cached(&format!(
                "SELECT kind, {number} FROM event WHERE launch = ?1 GROUP BY kind ORDER BY kind"
            ))?;
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
                // Of a group SQLite gives the columns of the row that has the maximum.
                "SELECT max(id), date_ms, kind, host, iif(count(DISTINCT url) = 1, url, ''), status, text, sum(count),
                    (SELECT s.id FROM seen s WHERE s.launch = event.launch AND event.url <> ''
                        AND s.url = (SELECT id FROM url WHERE url.url = event.url))
                 FROM event WHERE {sql} GROUP BY {group} ORDER BY max(id) DESC LIMIT ?3 OFFSET ?4"
            ))?;
            let values = params![query.launch, query.kind.map(EventKind::name), int(query.limit), int(query.offset)];
            let rows = statement.query_map(values, event_row)?;
            let mut rows: Vec<EventRow> = rows.filter_map(Result::transpose).collect::<Result<_, _>>()?;
            if !query.each {
                rows.iter_mut().for_each(|row| row.event.text = row.event.plain_text().to_owned());
            }
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
pub(in crate::store) fn insert_events(
    conn: &Connection,
    launch: LaunchId,
    events: &[CrawlEvent],
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO event (launch, date_ms, kind, host, url, status, text, shape, count)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
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
            event.shape(),
            int(event.count)
        ])?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::store::Workspace;

    #[test]
    fn events_that_differ_in_numbers_and_url_only_are_one_line_with_a_count() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let catalogue = workspace.catalogue();
        let campaign = catalogue.save_campaign(None, &Campaign::new("Town")).unwrap();
        let launch = catalogue.begin_launch(campaign, "town", CaptureDate::now()).unwrap().id;
        let lost = |page: u64| {
            let mut event = CrawlEvent::new(EventKind::Recovery, format!("The capture of {page} is not in its file"));
            event.url = format!("http://a.pt/{page}");
            event.of_host("a.pt")
        };
        let wait = |text: &str, count: u64| {
            let event = CrawlEvent::new(EventKind::Wait, text).of_host("a.pt").with_status(429);
            CrawlEvent { count, ..event }
        };
        let mut events: Vec<CrawlEvent> = (0..3000).map(lost).collect();
        events.push(wait("asks to wait 3 seconds", 1));
        events.push(wait("40 more times since 2024-01-01 10:00:00: asks to wait 9 seconds", 40));
        events.push(CrawlEvent::new(EventKind::End, "Finished"));
        catalogue.write(move |conn| insert_events(conn, launch, &events)).unwrap();
        let page = |each| catalogue.events(&EventQuery { launch, kind: None, each, offset: 0, limit: 10_000 }).unwrap();
        let listed = page(false);
        let rows: Vec<_> =
            listed.rows.iter().map(|row| (row.event.kind.name(), row.event.count, row.event.url.as_str())).collect();
        assert_eq!(listed.rows[1].event.text, "asks to wait 9 seconds");
        assert_eq!(rows, [("end", 1, ""), ("wait", 41, ""), ("recovery", 3000, "")]);
        assert_eq!((listed.total, listed.kinds.len()), (3, 3));
        let all = page(true);
        assert_eq!((all.rows.len(), all.total), (3003, 3003));
        assert_eq!(all.rows.last().unwrap().event.url, "http://a.pt/0");
    }
}
