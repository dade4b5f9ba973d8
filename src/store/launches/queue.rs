//! What waits in the queue of a launch, with its priority; what its pages have of the request.

use super::admission::stored_parts;
use crate::crawl::{PriorityParts, RELEVANT_POINTS};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::{LaunchId, SeenId};
use rusqlite::{Row, params};
use serde::Serialize;

/// Pages that the share of relevant ones is of.
pub const RECENT_PAGES: u64 = 500;

/// A URL that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueRow {
    /// Its number in the ledger.
    pub id: SeenId,
    /// The URL.
    pub url: String,
    /// Its host with port.
    pub host: String,
    /// Its path from the seed.
    pub hops: String,
    /// Whether it is a seed.
    pub is_seed: bool,
    /// Its place: lower is earlier.
    pub priority: i64,
    /// The parts of its priority, where it is ordered by relevance.
    pub parts: Option<PriorityParts>,
    /// The page whose link gives the priority; empty where none does.
    pub linker: String,
    /// The text of that link.
    pub anchor: String,
}

/// The share of relevant pages among the last that were fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RelevantShare {
    /// Pages that were read, at most [`RECENT_PAGES`].
    pub pages: u64,
    /// Those that the request is about.
    pub relevant: u64,
}

impl RelevantShare {
    /// The share in whole percent; none of none.
    pub fn percent(self) -> Option<u64> {
        (self.relevant * 100).checked_div(self.pages)
    }
}

/// The same of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostRelevantShare {
    /// Host with port where it is no default.
    pub host: String,
    /// Its share.
    #[serde(flatten)]
    pub share: RelevantShare,
}

const QUEUE_ROW: &str = "s.id, u.url, h.name, s.hops, s.is_seed, s.priority, s.parts, s.cited,
    ifnull((SELECT url FROM url WHERE id = ifnull(s.linker, s.via)), ''), ifnull(s.linker_anchor, s.anchor)";

impl Catalogue {
    /// The first URLs that wait in a launch, or for one of its hosts, in the order of their
    /// priority; and how many wait.
    pub fn queue(&self, launch: LaunchId, host: Option<&str>, top: u64) -> Result<(Vec<QueueRow>, u64), StoreError> {
        // Hosts with something in the queue, and of each the first ones: all hosts together have no index of their own,
        // which a crawl would have to keep in order with each link that it finds.
        const HOSTS: &str = "SELECT host, sum(urls) AS urls FROM seen_tally WHERE launch = ?1 AND state = 0
             AND (?2 IS NULL OR host = (SELECT id FROM host WHERE name = ?2)) GROUP BY host HAVING sum(urls) > 0";
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT {QUEUE_ROW} FROM ({HOSTS}) w JOIN host h ON h.id = w.host
                 JOIN seen s ON s.id IN (SELECT id FROM seen INDEXED BY seen_queue
                    WHERE state = 0 AND launch = ?1 AND host = w.host ORDER BY priority, id LIMIT ?3)
                 JOIN url u ON u.id = s.url ORDER BY s.priority, s.id LIMIT ?3"
            ))?;
            let rows = statement.query_map(params![launch, host, int(top)], queue_row)?.collect::<Result<_, _>>()?;
            let mut count = conn.prepare_cached(&format!("SELECT ifnull(sum(urls), 0) FROM ({HOSTS})"))?;
            Ok((rows, count.query_row(params![launch, host], |row| row.get(0).map(uint))?))
        })
    }

    /// A URL that waits, with its launch and the number of those of its launch that come before it; none where it
    /// does not wait.
    pub fn queue_row(&self, id: SeenId) -> Result<Option<(LaunchId, QueueRow, u64)>, StoreError> {
        let found = self.row_if_any(
            &format!(
                "SELECT {QUEUE_ROW}, s.launch FROM seen s JOIN url u ON u.id = s.url JOIN host h ON h.id = s.host
                 WHERE s.id = ?1 AND s.state = 0"
            ),
            [id],
            |row| Ok((row.get(10)?, queue_row(row)?)),
        )?;
        let Some((launch, row)): Option<(LaunchId, QueueRow)> = found else { return Ok(None) };
        let before = self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT ifnull(sum((SELECT count(*) FROM seen INDEXED BY seen_queue WHERE state = 0 AND launch = ?1
                    AND host = w.host AND (priority, id) < (?2, ?3))), 0)
                 FROM (SELECT DISTINCT host FROM seen_tally WHERE launch = ?1 AND state = 0 AND urls > 0) w",
            )?;
            Ok(statement.query_row(params![launch, row.priority, id], |row| row.get(0).map(uint))?)
        })?;
        Ok(Some((launch, row, before)))
    }

    /// The share of relevant pages among the last that a launch fetched, in all and by host; none
    /// where it read none for its request.
    pub fn relevant_share(
        &self,
        launch: LaunchId,
    ) -> Result<Option<(RelevantShare, Vec<HostRelevantShare>)>, StoreError> {
        let hosts: Vec<HostRelevantShare> = self.rows(
            "SELECT h.name, count(*), sum(r.score >= ?2) FROM (
                SELECT host, score FROM seen INDEXED BY seen_scored WHERE launch = ?1 AND score IS NOT NULL
                ORDER BY due_ms DESC, id DESC LIMIT ?3) r
             JOIN host h ON h.id = r.host GROUP BY r.host ORDER BY sum(r.score >= ?2) DESC, count(*) DESC, h.name",
            params![launch, RELEVANT_POINTS, int(RECENT_PAGES)],
            |row| {
                let share = RelevantShare { pages: uint(row.get(1)?), relevant: uint(row.get(2)?) };
                Ok(HostRelevantShare { host: row.get(0)?, share })
            },
        )?;
        let sum = |sum: RelevantShare, of: &HostRelevantShare| RelevantShare {
            pages: sum.pages + of.share.pages,
            relevant: sum.relevant + of.share.relevant,
        };
        let all = hosts.iter().fold(RelevantShare::default(), sum);
        Ok((all.pages > 0).then_some((all, hosts)))
    }
}

fn queue_row(row: &Row<'_>) -> rusqlite::Result<QueueRow> {
    Ok(QueueRow {
        id: row.get(0)?,
        url: row.get(1)?,
        host: row.get(2)?,
        hops: row.get(3)?,
        is_seed: row.get(4)?,
        priority: row.get(5)?,
        parts: stored_parts(row, 6)?,
        linker: row.get(8)?,
        anchor: row.get(9)?,
    })
}
