//! Scores and the selection that follows from them.

use super::captures::uint;
use super::catalogue::Catalogue;
use super::rows::{CampaignId, CaptureId, ScoredRow, SelectedHost, SelectionPage, SelectionSpec};
use super::workspace::StoreError;
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Bars of the score histogram.
const BINS: usize = 50;
/// Rows shown on each side of the threshold.
const BORDERLINE: i64 = 20;

/// What scoring needs to know of a capture besides its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ToScore {
    /// The capture.
    pub id: CaptureId,
    /// Distinct external hosts that link to it in the window; none where they
    /// were not counted since it was captured.
    pub external_hosts: Option<u64>,
    /// Hops from the seed.
    pub depth: usize,
    /// `approve`, `reject`, `flag` or empty.
    pub review: String,
    /// Forced in or out by a person.
    pub by_hand: Option<bool>,
    /// It repeats a payload already held.
    pub repeats: bool,
}

impl Catalogue {
    /// What scoring needs to know, for these captures.
    pub fn to_score(&self, captures: &[CaptureId]) -> Result<Vec<ToScore>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id, i.hosts, length(c.hops),
                    ifnull((SELECT m.mark FROM mark m WHERE m.capture = c.id AND m.undone_ms IS NULL
                            AND m.mark IN ('approve', 'reject', 'flag') ORDER BY m.id DESC LIMIT 1), ''),
                    (SELECT m.mark IN ('forcein') FROM mark m WHERE m.capture = c.id AND m.undone_ms IS NULL
                            AND m.mark IN ('forcein', 'forceout') ORDER BY m.id DESC LIMIT 1),
                    c.change = 2
                 FROM capture c LEFT JOIN capture_inlinks i ON i.capture = c.id WHERE c.id = ?1",
            )?;
            let mut found = Vec::with_capacity(captures.len());
            for id in captures {
                let row = statement
                    .query_row([id], |row| {
                        Ok(ToScore {
                            id: row.get(0)?,
                            external_hosts: row.get::<_, Option<i64>>(1)?.map(uint),
                            depth: uint(row.get(2)?) as usize,
                            review: row.get(3)?,
                            by_hand: row.get(4)?,
                            repeats: row.get(5)?,
                        })
                    })
                    .optional()?;
                found.extend(row);
            }
            Ok(found)
        })
    }

    /// Keeps a selection in the place of the campaign's last one.
    pub fn keep_selection(&self, spec: &SelectionSpec, scored: Vec<ScoredRow>) -> Result<(), StoreError> {
        let (campaign, with_requisites) = (spec.campaign, spec.with_requisites);
        let spec = serde_json::to_string(spec).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            conn.execute("DELETE FROM score WHERE campaign = ?1", [campaign])?;
            for row in &scored {
                let parts =
                    serde_json::to_string(&row.parts).map_err(|error| StoreError::Content(error.to_string()))?;
                conn.prepare_cached(
                    "INSERT INTO score (campaign, capture, score, parts, selected, by_hand)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![campaign, row.id, row.score, parts, row.selected, row.by_hand])?;
            }
            conn.execute(
                "INSERT OR REPLACE INTO selection (campaign, spec, date_ms) VALUES (?1, ?2, ?3)",
                params![campaign, spec, CaptureDate::now().millis()],
            )?;
            keep_requisites(conn, campaign, with_requisites)
        })
    }

    /// Remembers whether exports of a campaign's selection hold a package. The
    /// selection stays as it is.
    pub fn remember_wacz(&self, campaign: CampaignId, with_wacz: bool) -> Result<(), StoreError> {
        self.write(move |conn| {
            conn.execute(
                "UPDATE selection SET spec = json_set(spec, '$.with_wacz', json(?2)) WHERE campaign = ?1",
                params![campaign, if with_wacz { "true" } else { "false" }],
            )?;
            Ok(())
        })
    }

    /// Numbers of the selected captures, oldest first.
    pub fn selected(&self, campaign: CampaignId) -> Result<Vec<CaptureId>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id FROM score s JOIN capture c ON c.id = s.capture JOIN url u ON u.id = c.url
                 WHERE s.campaign = ?1 AND s.selected ORDER BY c.date_ms, u.url, c.id",
            )?;
            let rows = statement.query_map([campaign], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The hosts of the captures that are selected, or scored and not
    /// selected; those with the most first.
    pub fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> Result<Vec<SelectedHost>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT h.name, count(*), CAST(total(c.size) AS INTEGER)
                 FROM score s JOIN capture c ON c.id = s.capture JOIN host h ON h.id = c.host
                 WHERE s.campaign = ?1 AND s.selected = ?2 GROUP BY h.id ORDER BY count(*) DESC, h.name",
            )?;
            let rows = statement.query_map(params![campaign, selected], |row| {
                Ok(SelectedHost { host: row.get(0)?, captures: uint(row.get(1)?), bytes: uint(row.get(2)?) })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// A capture's score, when it has one.
    pub fn scored(&self, campaign: CampaignId, capture: CaptureId) -> Result<Option<ScoredRow>, StoreError> {
        self.read(|conn| {
            conn.prepare_cached(&format!("{SCORED} WHERE s.campaign = ?1 AND s.capture = ?2"))?
                .query_row([campaign, capture], scored_row)
                .optional()?
                .transpose()
        })
    }

    /// What the selected captures of a campaign need to be shown (images,
    /// style sheets and scripts, as captured nearest in time, what those need
    /// in turn, and the goals of redirects): captures may have come since they
    /// were selected, so it is kept anew with the selection. None of them is
    /// selected itself. Whoever leaves them out for once, or takes them for
    /// once, changes nothing that is kept.
    pub fn renew_requisites(&self, campaign: CampaignId, with_requisites: bool) -> Result<Vec<CaptureId>, StoreError> {
        const FIND: &str =
            concat!("WITH RECURSIVE asked (campaign) AS (SELECT ?1), ", include_str!("needed.sql"), " ORDER BY 2");
        let needed: Vec<CaptureId> = match with_requisites {
            true => self.read(|conn| {
                let mut statement = conn.prepare_cached(FIND)?;
                let rows = statement.query_map([campaign], |row| row.get(1))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })?,
            false => Vec::new(),
        };
        let found = needed.clone();
        self.write(move |conn| {
            let kept: Option<String> = conn
                .query_row("SELECT spec FROM selection WHERE campaign = ?1", [campaign], |row| row.get(0))
                .optional()?;
            let kept: Option<SelectionSpec> = kept.and_then(|spec| serde_json::from_str(&spec).ok());
            if kept.is_some_and(|kept| kept.with_requisites == with_requisites) {
                conn.execute("DELETE FROM requisite WHERE campaign = ?1", [campaign])?;
                let mut insert = conn.prepare_cached("INSERT INTO requisite VALUES (?1, ?2)")?;
                found.iter().try_for_each(|capture| insert.execute([campaign, *capture]).map(drop))?;
            }
            Ok(())
        })?;
        Ok(needed)
    }

    /// The selection of a campaign and what it would carry.
    pub fn selection_page(&self, campaign: CampaignId) -> Result<SelectionPage, StoreError> {
        let exports = self.exports()?;
        let mut missing = Vec::new();
        if self.inlink_build()?.is_none() {
            missing.push("Inlinks are not built yet, so nobody's links count".to_owned());
        }
        self.read(|conn| {
            let kept: Option<String> = conn
                .query_row("SELECT spec FROM selection WHERE campaign = ?1", [campaign], |row| row.get(0))
                .optional()?;
            let (requisites, requisite_bytes) = conn
                .prepare_cached(
                    "SELECT count(*), CAST(total(c.size) AS INTEGER)
                     FROM requisite q JOIN capture c ON c.id = q.capture WHERE q.campaign = ?1",
                )?
                .query_row([campaign], |row| Ok((uint(row.get(0)?), uint(row.get(1)?))))?;
            let spec: Option<SelectionSpec> = match kept {
                None => None,
                Some(json) => {
                    Some(serde_json::from_str(&json).map_err(|error| StoreError::Content(error.to_string()))?)
                }
            };
            if spec.is_none() {
                missing.push("Nothing is scored yet".to_owned());
            }
            let mut histogram = vec![0; BINS];
            let mut statement = conn.prepare_cached(
                "SELECT min(49, cast(score * 50 AS INTEGER)), count(*) FROM score WHERE campaign = ?1 GROUP BY 1",
            )?;
            let mut rows = statement.query([campaign])?;
            while let Some(row) = rows.next()? {
                if let Some(bin) = histogram.get_mut(uint(row.get(0)?) as usize) {
                    *bin = uint(row.get(1)?);
                }
            }
            let side = |selected: bool| -> Result<(u64, u64, u64), StoreError> {
                Ok(conn
                    .prepare_cached(
                        "SELECT count(*), count(DISTINCT c.host), CAST(total(c.size) AS INTEGER)
                         FROM score s JOIN capture c ON c.id = s.capture WHERE s.campaign = ?1 AND s.selected = ?2",
                    )?
                    .query_row(params![campaign, selected], |row| {
                        Ok((uint(row.get(0)?), uint(row.get(1)?), uint(row.get(2)?)))
                    })?)
            };
            let (pages_in, hosts_in, bytes_in) = side(true)?;
            let (pages_out, hosts_out, bytes_out) = side(false)?;
            let by_hand: i64 =
                conn.query_row("SELECT count(*) FROM score WHERE campaign = ?1 AND by_hand", [campaign], |row| {
                    row.get(0)
                })?;
            let threshold = spec.as_ref().map_or(0.0, |spec| spec.threshold);
            let mut borderline = scored_near(conn, campaign, "s.score >= ?2 ORDER BY s.score, s.capture", threshold)?;
            borderline.reverse();
            borderline.extend(scored_near(conn, campaign, "s.score < ?2 ORDER BY s.score DESC, s.capture", threshold)?);
            Ok(SelectionPage {
                spec,
                missing,
                histogram,
                pages_in,
                pages_out,
                hosts_in,
                hosts_out,
                bytes_in,
                bytes_out,
                requisites,
                requisite_bytes,
                by_hand: uint(by_hand),
                borderline,
                exports,
            })
        })
    }
}

/// Keeps anew what the selected captures of a campaign need, as of now.
fn keep_requisites(conn: &Connection, campaign: CampaignId, with_requisites: bool) -> Result<(), StoreError> {
    conn.execute("DELETE FROM requisite WHERE campaign = ?1", [campaign])?;
    if with_requisites {
        const KEEP: &str = concat!(
            "INSERT INTO requisite WITH RECURSIVE asked (campaign) AS (SELECT ?1), ",
            include_str!("needed.sql")
        );
        conn.prepare_cached(KEEP)?.execute([campaign])?;
    }
    Ok(())
}

const SCORED: &str = "SELECT s.capture, u.url, c.date_ms, s.score, s.parts, s.selected, s.by_hand
    FROM score s JOIN capture c ON c.id = s.capture JOIN url u ON u.id = c.url";

fn scored_row(row: &Row<'_>) -> rusqlite::Result<Result<ScoredRow, StoreError>> {
    let parts: String = row.get(4)?;
    let parts = match serde_json::from_str(&parts) {
        Ok(parts) => parts,
        Err(error) => return Ok(Err(StoreError::Content(error.to_string()))),
    };
    Ok(Ok(ScoredRow {
        id: row.get(0)?,
        url: row.get(1)?,
        date: CaptureDate::from_millis(row.get(2)?),
        score: row.get(3)?,
        parts,
        selected: row.get(5)?,
        by_hand: row.get(6)?,
    }))
}

fn scored_near(
    conn: &Connection,
    campaign: CampaignId,
    condition: &str,
    threshold: f64,
) -> Result<Vec<ScoredRow>, StoreError> {
    let mut statement =
        conn.prepare_cached(&format!("{SCORED} WHERE s.campaign = ?1 AND {condition} LIMIT {BORDERLINE}"))?;
    let rows = statement.query_map(params![campaign, threshold], scored_row)?;
    rows.map(|row| row?).collect()
}
