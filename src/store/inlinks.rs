//! Inlinks: rows for the build, the built lists, and questions to them.

use super::captures::{int, uint};
use super::catalogue::Catalogue;
use super::intern::{anchor_id, page_id};
use super::rows::{AnchorRow, CaptureId, InlinkPage, InlinkRow, OutlinkRow};
use super::workspace::StoreError;
use crate::links::MAX_INLINKS_PER_SIDE;
use crate::uri::{CaptureDate, PageKey};
use rusqlite::{Connection, OptionalExtension, params};

/// One outlink as the inlink build wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinkFeed {
    /// Identity of the page that is linked to.
    pub target_key: String,
    /// Its URL as it was linked.
    pub target_url: String,
    /// Identity of the linking page.
    pub source_key: String,
    /// Its URL.
    pub source_url: String,
    /// The linking capture.
    pub capture: CaptureId,
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Text of the link.
    pub anchor: String,
}

/// One inlink to keep, in the order (target, date, source, anchor).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedInlink {
    /// Identity of the page that is linked to.
    pub target_key: String,
    /// Its URL as it was linked.
    pub target_url: String,
    /// Identity of the linking page.
    pub source_key: String,
    /// The linking capture.
    pub capture: CaptureId,
    /// When.
    pub date: CaptureDate,
    /// Text.
    pub anchor: String,
    /// Same site or not.
    pub internal: bool,
}

const SECONDS_A_DAY: i64 = 86_400;

impl Catalogue {
    /// How many outlinks the build will look at.
    pub fn count_anchor_links(&self) -> Result<u64, StoreError> {
        self.read(|conn| {
            let n: i64 = conn.query_row("SELECT count(*) FROM outlink WHERE kind = 'anchor'", [], |row| row.get(0))?;
            Ok(uint(n))
        })
    }

    /// Feeds every `<a href>` of every page captured with success. A revisit
    /// gives the links of what it repeats, at its own date.
    pub fn feed_inlinks<E>(
        &self,
        mut each: impl FnMut(InlinkFeed) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare(
                "SELECT tp.key, t.url, sp.key, su.url, c.id, c.date_ms, a.text
                 FROM capture c
                 JOIN outlink o ON o.capture = CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE
                      ifnull((SELECT x.id FROM capture x WHERE x.url = c.url AND x.digest = c.digest
                               AND x.revisit_of_ms IS NULL ORDER BY x.date_ms DESC LIMIT 1), c.id) END
                   AND o.kind = 'anchor'
                 JOIN url t ON t.id = o.target JOIN page tp ON tp.id = t.page
                 JOIN url su ON su.id = c.url JOIN page sp ON sp.id = c.page
                 JOIN anchor a ON a.id = o.anchor
                 WHERE c.status BETWEEN 200 AND 299 AND c.mime IN ('text/html', 'application/xhtml+xml')",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let feed = InlinkFeed {
                    target_key: row.get(0)?,
                    target_url: row.get(1)?,
                    source_key: row.get(2)?,
                    source_url: row.get(3)?,
                    capture: row.get(4)?,
                    date: CaptureDate::from_millis(row.get(5)?),
                    anchor: row.get(6)?,
                };
                if let Err(stop) = each(feed) {
                    return Ok(Err(stop));
                }
            }
            Ok(Ok(()))
        })
    }

    /// Begins a new build: what was built before goes when [`Self::end_inlinks`] is reached.
    pub fn begin_inlinks(&self) -> Result<(), StoreError> {
        self.write(|conn| {
            conn.execute_batch(
                "DROP TABLE IF EXISTS inlink_new;
                 CREATE TABLE inlink_new (
                    target INTEGER NOT NULL, date_s INTEGER NOT NULL, source INTEGER NOT NULL, anchor INTEGER NOT NULL,
                    internal INTEGER NOT NULL, capture INTEGER NOT NULL,
                    PRIMARY KEY (target, date_s, source, anchor)) WITHOUT ROWID;
                 DROP TABLE IF EXISTS target_new;
                 CREATE TABLE target_new (page INTEGER PRIMARY KEY, url INTEGER NOT NULL);",
            )?;
            Ok(())
        })
    }

    /// Keeps a batch of the new build.
    pub fn load_inlinks(&self, batch: Vec<LoadedInlink>) -> Result<(), StoreError> {
        self.write(move |conn| {
            for inlink in &batch {
                let target = page_id(conn, &PageKey::from_stored(inlink.target_key.clone()))?;
                let source = page_id(conn, &PageKey::from_stored(inlink.source_key.clone()))?;
                let anchor = anchor_id(conn, &inlink.anchor)?;
                conn.prepare_cached(
                    "INSERT OR IGNORE INTO inlink_new (target, date_s, source, anchor, internal, capture)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    target,
                    inlink.date.seconds(),
                    source,
                    anchor,
                    inlink.internal,
                    inlink.capture
                ])?;
                conn.prepare_cached(
                    "INSERT OR IGNORE INTO target_new (page, url) SELECT ?1, id FROM url WHERE url = ?2",
                )?
                .execute(params![target, inlink.target_url])?;
            }
            Ok(())
        })
    }

    /// Puts the new build in the place of the old one, all at once. Says how
    /// many pages are linked to, and how many of them were never captured.
    pub fn end_inlinks(&self) -> Result<(u64, u64), StoreError> {
        self.write(|conn| {
            conn.execute_batch(
                "DELETE FROM inlink;
                 INSERT INTO inlink SELECT target, date_s, source, anchor, internal, capture FROM inlink_new
                    ORDER BY target, date_s, source, anchor;
                 DELETE FROM inlink_target;
                 INSERT INTO inlink_target (page, url, internal, external, hosts, captured, first_s, last_s)
                    SELECT i.target, t.url, sum(i.internal), sum(NOT i.internal),
                       count(DISTINCT CASE WHEN i.internal THEN NULL ELSE substr(p.key, 1, instr(p.key, ')')) END),
                       EXISTS (SELECT 1 FROM capture c WHERE c.page = i.target), min(i.date_s), max(i.date_s)
                    FROM inlink_new i JOIN target_new t ON t.page = i.target JOIN page p ON p.id = i.source
                    GROUP BY i.target;
                 DELETE FROM inlink_anchor;
                 INSERT INTO inlink_anchor (anchor, hosts, links, first_s, last_s)
                    SELECT i.anchor, count(DISTINCT substr(p.key, 1, instr(p.key, ')'))), count(*), min(i.date_s), max(i.date_s)
                    FROM inlink_new i JOIN page p ON p.id = i.source
                    WHERE NOT i.internal AND i.anchor <> ifnull((SELECT id FROM anchor WHERE text = ''), 0)
                    GROUP BY i.anchor;
                 DROP TABLE inlink_new;
                 DROP TABLE target_new;",
            )?;
            Ok(conn.query_row(
                "SELECT count(*), count(*) FILTER (WHERE captured = 0) FROM inlink_target",
                [],
                |row| Ok((uint(row.get(0)?), uint(row.get(1)?))),
            )?)
        })
    }

    /// Keeps the report of a build that came to its end.
    pub fn keep_inlink_report(&self, report: &serde_json::Value) -> Result<(), StoreError> {
        let report = report.to_string();
        self.write(move |conn| {
            conn.execute(
                "INSERT INTO inlink_build (date_ms, report) VALUES (?1, ?2)",
                params![CaptureDate::now().millis(), report],
            )?;
            Ok(())
        })
    }

    /// URL, date and number of every capture of a page that came with success.
    pub fn page_captures(&self) -> Result<Vec<(String, CaptureDate, CaptureId)>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare(
                "SELECT u.url, c.date_ms, c.id FROM capture c JOIN url u ON u.id = c.url
                 WHERE c.status BETWEEN 200 AND 299 AND c.mime IN ('text/html', 'application/xhtml+xml')",
            )?;
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, CaptureDate::from_millis(row.get(1)?), row.get(2)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The report of the last build, with its date.
    pub fn inlink_build(&self) -> Result<Option<(CaptureDate, serde_json::Value)>, StoreError> {
        self.read(|conn| {
            let found: Option<(i64, String)> = conn
                .query_row("SELECT date_ms, report FROM inlink_build ORDER BY id DESC LIMIT 1", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            Ok(match found {
                None => None,
                Some((date, report)) => Some((
                    CaptureDate::from_millis(date),
                    serde_json::from_str(&report).map_err(|error| StoreError::Content(error.to_string()))?,
                )),
            })
        })
    }

    /// Inlinks of a capture's page; those outside the window are marked so.
    pub fn inlinks_of_capture(&self, id: CaptureId, window_days: u32) -> Result<InlinkPage, StoreError> {
        self.read(|conn| {
            let (page, url, date): (i64, String, i64) = conn
                .prepare_cached(
                    "SELECT c.page, u.url, c.date_ms FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1",
                )?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?
                .ok_or(StoreError::Missing { what: "capture", id: id.to_string() })?;
            inlink_page(conn, Some(page), url, Some(CaptureDate::from_millis(date)), window_days)
        })
    }

    /// Inlinks of a page that may never have been captured.
    pub fn inlinks_of_page(&self, key: &PageKey, label: &str, window_days: u32) -> Result<InlinkPage, StoreError> {
        self.read(|conn| {
            let page =
                conn.query_row("SELECT id FROM page WHERE key = ?1", [key.as_str()], |row| row.get(0)).optional()?;
            inlink_page(conn, page, label.to_owned(), None, window_days)
        })
    }

    /// Links out of a capture; a revisit shows those of what it repeats.
    pub fn outlinks(&self, id: CaptureId) -> Result<Vec<OutlinkRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT o.position, t.url, a.text, o.kind,
                    (SELECT x.id FROM capture x WHERE x.page = t.page ORDER BY abs(x.date_ms - c.date_ms) LIMIT 1),
                    ifnull((SELECT CASE WHEN s.accepted THEN 'ACCEPT ' ELSE 'REJECT ' END || s.rule_name
                            FROM seen s WHERE s.launch = c.launch AND s.url = t.id), '')
                 FROM capture c
                 JOIN outlink o ON o.capture = CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE
                      ifnull((SELECT x.id FROM capture x WHERE x.url = c.url AND x.digest = c.digest
                               AND x.revisit_of_ms IS NULL ORDER BY x.date_ms DESC LIMIT 1), c.id) END
                 JOIN url t ON t.id = o.target JOIN anchor a ON a.id = o.anchor
                 WHERE c.id = ?1 ORDER BY o.position",
            )?;
            let rows = statement.query_map([id], |row| {
                Ok(OutlinkRow {
                    position: row.get(0)?,
                    url: row.get(1)?,
                    anchor: row.get(2)?,
                    kind: row.get(3)?,
                    capture: row.get(4)?,
                    verdict: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Anchors of a capture's inlinks in the window, most linking hosts first.
    pub fn anchors_of_capture(&self, id: CaptureId, window_days: u32) -> Result<Vec<AnchorRow>, StoreError> {
        let window = i64::from(window_days) * SECONDS_A_DAY;
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT a.text, count(DISTINCT substr(p.key, 1, instr(p.key, ')'))), count(*), min(i.date_s), max(i.date_s)
                 FROM capture c JOIN inlink i ON i.target = c.page
                    AND i.date_s BETWEEN c.date_ms / 1000 - ?2 AND c.date_ms / 1000 + ?2
                 JOIN anchor a ON a.id = i.anchor JOIN page p ON p.id = i.source
                 WHERE c.id = ?1 GROUP BY a.text ORDER BY 2 DESC, 3 DESC, 1",
            )?;
            let rows = statement.query_map([id, window], anchor_row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Most frequent anchors between different sites.
    pub fn top_anchors(&self, limit: u64) -> Result<Vec<AnchorRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT a.text, i.hosts, i.links, i.first_s, i.last_s FROM inlink_anchor i JOIN anchor a ON a.id = i.anchor
                 ORDER BY i.hosts DESC, i.links DESC, a.text LIMIT ?1",
            )?;
            let rows = statement.query_map([int(limit)], anchor_row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn anchor_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<AnchorRow> {
    Ok(AnchorRow {
        text: row.get(0)?,
        hosts: uint(row.get(1)?),
        links: uint(row.get(2)?),
        first: CaptureDate::from_seconds(row.get(3)?),
        last: CaptureDate::from_seconds(row.get(4)?),
        matches_request: false,
    })
}

fn inlink_page(
    conn: &Connection,
    page: Option<i64>,
    target: String,
    around: Option<CaptureDate>,
    window_days: u32,
) -> Result<InlinkPage, StoreError> {
    let built = conn.prepare_cached("SELECT 1 FROM inlink_build")?.exists([])?;
    let mut answer = InlinkPage {
        target,
        capture_dates: Vec::new(),
        around,
        window_days,
        rows: Vec::new(),
        internal: 0,
        external: 0,
        cut: 0,
        outside_cut: 0,
        built,
    };
    let Some(page) = page else { return Ok(answer) };
    answer.capture_dates = conn
        .prepare_cached("SELECT date_ms FROM capture WHERE page = ?1 ORDER BY date_ms")?
        .query_map([page], |row| Ok(CaptureDate::from_millis(row.get(0)?)))?
        .collect::<Result<_, _>>()?;
    let window = i64::from(window_days) * SECONDS_A_DAY;
    let mut statement = conn.prepare_cached(
        "SELECT i.date_s, ifnull(u.url, p.key), ifnull(h.name, substr(p.key, 1, instr(p.key, ')') - 1)), a.text,
                i.internal, c.id
         FROM inlink i JOIN page p ON p.id = i.source JOIN anchor a ON a.id = i.anchor
         LEFT JOIN capture c ON c.id = i.capture LEFT JOIN url u ON u.id = c.url LEFT JOIN host h ON h.id = c.host
         WHERE i.target = ?1 ORDER BY i.date_s, p.key, a.text",
    )?;
    let mut rows = statement.query([page])?;
    // The cap counts inside and outside the window apart: those of other years
    // must not keep out those that are asked for.
    let mut kept = [[0usize; 2]; 2];
    while let Some(row) = rows.next()? {
        let date: i64 = row.get(0)?;
        let internal: bool = row.get(4)?;
        let in_window = around.is_none_or(|around| (date - around.seconds()).abs() <= window);
        if in_window {
            *(if internal { &mut answer.internal } else { &mut answer.external }) += 1;
        }
        let side = &mut kept[usize::from(in_window)][usize::from(internal)];
        if *side >= MAX_INLINKS_PER_SIDE {
            *(if in_window { &mut answer.cut } else { &mut answer.outside_cut }) += 1;
            continue;
        }
        *side += 1;
        answer.rows.push(InlinkRow {
            date: CaptureDate::from_seconds(date),
            source: row.get(1)?,
            source_host: row.get(2)?,
            anchor: row.get(3)?,
            internal,
            in_window,
            capture: row.get(5)?,
        });
    }
    Ok(answer)
}
