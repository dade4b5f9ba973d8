//! Inlink counts of each capture in the present window, kept for columns.

use super::captures::int;
use super::catalogue::Catalogue;
use super::workspace::StoreError;
use crate::jobs::{Cancelled, JobCx};
use crate::links::{MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE};
use rusqlite::{Connection, OptionalExtension, params};

/// Captures counted in one write; between two the job can stop.
const BATCH: usize = 500;

struct Counts {
    capture: i64,
    internal: u64,
    external: u64,
    hosts: u64,
    cut: u64,
    top_anchor: String,
}

impl Catalogue {
    /// The window that the columns use, in days.
    pub fn window_days(&self) -> Result<u32, StoreError> {
        Ok(self.setting("window_days")?.and_then(|value| value.parse().ok()).unwrap_or(MATCH_WINDOW_DAYS))
    }

    /// Counts the inlinks of every capture in a window and keeps the counts,
    /// all at once: stopped or killed before, it leaves those that were there.
    /// The outer `Err` is the catalogue's, the inner one the wish to stop.
    pub fn count_inlinks(&self, window_days: u32, cx: &JobCx) -> Result<Result<u64, Cancelled>, StoreError> {
        let captures: Vec<(i64, i64, i64)> = self.read(|conn| {
            let mut statement = conn.prepare(
                "SELECT c.id, c.page, c.date_ms / 1000 FROM capture c
                 WHERE EXISTS (SELECT 1 FROM inlink i WHERE i.target = c.page) ORDER BY c.page, c.date_ms",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        cx.stage("Counting inlinks in the window", Some(captures.len() as u64));
        self.write(|conn| {
            conn.execute_batch(
                "DROP TABLE IF EXISTS capture_inlinks_new;
                 CREATE TABLE capture_inlinks_new (
                    capture INTEGER PRIMARY KEY, internal INTEGER NOT NULL, external INTEGER NOT NULL,
                    hosts INTEGER NOT NULL, cut INTEGER NOT NULL, top_anchor TEXT NOT NULL);",
            )?;
            Ok(())
        })?;
        let mut with_inlinks = 0;
        for batch in captures.chunks(BATCH) {
            if let Err(stop) = cx.advance(batch.len() as u64) {
                return Ok(Err(stop));
            }
            let counts = self.read(|conn| {
                batch
                    .iter()
                    .map(|(capture, page, date)| count_one(conn, *capture, *page, *date, window_days))
                    .collect::<Result<Vec<_>, _>>()
            })?;
            with_inlinks += counts.iter().filter(|counts| counts.internal + counts.external > 0).count() as u64;
            self.write(move |conn| {
                for counts in &counts {
                    conn.prepare_cached(
                        "INSERT INTO capture_inlinks_new (capture, internal, external, hosts, cut, top_anchor)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    )?
                    .execute(params![
                        counts.capture,
                        int(counts.internal),
                        int(counts.external),
                        int(counts.hosts),
                        int(counts.cut),
                        counts.top_anchor
                    ])?;
                }
                Ok(())
            })?;
        }
        // A capture without inlinks has a row too: zero is an answer.
        self.write(move |conn| {
            conn.execute_batch(
                "DELETE FROM capture_inlinks;
                 INSERT INTO capture_inlinks (capture, internal, external, hosts, cut, top_anchor)
                    SELECT c.id, ifnull(n.internal, 0), ifnull(n.external, 0), ifnull(n.hosts, 0), ifnull(n.cut, 0),
                       ifnull(n.top_anchor, '')
                    FROM capture c LEFT JOIN capture_inlinks_new n ON n.capture = c.id;
                 DROP TABLE capture_inlinks_new;",
            )?;
            conn.execute(
                "INSERT OR REPLACE INTO setting (name, value) VALUES ('window_days', ?1)",
                [window_days.to_string()],
            )?;
            Ok(())
        })?;
        Ok(Ok(with_inlinks))
    }
}

fn count_one(conn: &Connection, capture: i64, page: i64, date: i64, window_days: u32) -> Result<Counts, StoreError> {
    let window = i64::from(window_days) * 86_400;
    let (from, to) = (date - window, date + window);
    let (internal, external, hosts): (u64, u64, u64) = conn
        .prepare_cached(
            "SELECT ifnull(sum(i.internal), 0), ifnull(sum(NOT i.internal), 0),
                count(DISTINCT CASE WHEN i.internal THEN NULL ELSE substr(p.key, 1, instr(p.key, ')')) END)
             FROM inlink i JOIN page p ON p.id = i.source WHERE i.target = ?1 AND i.date_s BETWEEN ?2 AND ?3",
        )?
        .query_row([page, from, to], |row| {
            Ok((
                row.get::<_, i64>(0)?.unsigned_abs(),
                row.get::<_, i64>(1)?.unsigned_abs(),
                row.get::<_, i64>(2)?.unsigned_abs(),
            ))
        })?;
    // What others call the page says most; its own site's menu only where nobody else links.
    let top_anchor: Option<String> = conn
        .prepare_cached(
            "SELECT a.text FROM inlink i JOIN anchor a ON a.id = i.anchor JOIN page p ON p.id = i.source
             WHERE i.target = ?1 AND i.date_s BETWEEN ?2 AND ?3 AND a.text <> ''
             GROUP BY a.text
             ORDER BY count(DISTINCT CASE WHEN i.internal THEN NULL ELSE substr(p.key, 1, instr(p.key, ')')) END) DESC,
                count(*) DESC, a.text LIMIT 1",
        )?
        .query_row([page, from, to], |row| row.get(0))
        .optional()?;
    let cap = MAX_INLINKS_PER_SIDE as u64;
    let cut = internal.saturating_sub(cap) + external.saturating_sub(cap);
    Ok(Counts { capture, internal, external, hosts, cut, top_anchor: top_anchor.unwrap_or_default() })
}
