//! Scores and the selection that follows from them.

use super::catalogue::Catalogue;
use super::error::StoreError;
use super::filter::requisite_sql;
use super::marks::{decision_sql, of_campaign_sql, override_sql, selected_sql};
use super::needed::{nearest_sql, needed_links_sql, needed_sql};
use super::rows::{CampaignId, CaptureId, ReviewMark, ScoredRow, SelectedHost, SelectionPage, SelectionSpec};
use super::sql::mark_of;
use super::sql::{int, uint};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

/// Bars of the score histogram.
const BINS: usize = 50;
/// Rows shown on each side of the threshold.
const BORDERLINE: i64 = 20;

/// What scoring needs to know of a capture besides its text and its inlinks.
#[derive(Debug, Clone, PartialEq)]
pub struct ToScore {
    /// The capture.
    pub id: CaptureId,
    /// HTTP status.
    pub status: i32,
    /// MIME type.
    pub mime: String,
    /// Path from the seed; none where it is not known, as of most imports.
    pub hops: Option<String>,
    /// The path is what the file of an import says.
    pub imported: bool,
    /// What a person decided last.
    pub decision: Option<ReviewMark>,
    /// It repeats a payload already held.
    pub repeats: bool,
    /// Its host, by number.
    pub host: i64,
    /// Payload bytes.
    pub size: u64,
}

impl Lacking {
    /// The page, what it lacks, and who rejected that.
    pub fn summary(&self) -> String {
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        format!(
            "{} ({}) lacks {} ({}), rejected by {}{reason}",
            self.page,
            self.page_date.to_readable(),
            self.url,
            self.date.to_readable(),
            self.who
        )
    }
}

/// Captures of a campaign, with the scores that were kept of them.
const OF_CAMPAIGN: &str =
    concat!("FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE ", of_campaign_sql!());

/// What a selection holds (`true`), or scored and left out.
fn side_sql(selected: bool) -> &'static str {
    match selected {
        true => selected_sql!(),
        false => concat!("s.capture IS NOT NULL AND NOT ", selected_sql!()),
    }
}

/// A selected page that lacks something a person rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lacking {
    /// The page.
    pub page: String,
    /// When it was captured.
    pub page_date: CaptureDate,
    /// What it needs.
    pub url: String,
    /// When that was captured.
    pub date: CaptureDate,
    /// Who rejected it.
    pub who: String,
    /// Why, as noted with the rejection.
    pub reason: String,
}

impl Catalogue {
    /// What scoring needs to know of all captures of a campaign, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn to_score(&self, campaign: CampaignId) -> Result<Vec<ToScore>, StoreError> {
        const FIND: &str = concat!(
            "SELECT c.id, c.status, c.mime, iif(c.hops <> '' OR ifnull(c.seed, '') <> '', c.hops, NULL), ",
            decision_sql!(),
            ", c.change = 2, c.host, c.size, (SELECT kind = 'import' FROM launch l WHERE l.id = c.launch)
             FROM capture c WHERE ",
            of_campaign_sql!(),
            " ORDER BY c.date_ms, c.id"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let rows = statement.query_map([campaign], |row| {
                Ok(ToScore {
                    id: row.get(0)?,
                    status: row.get(1)?,
                    mime: row.get(2)?,
                    hops: row.get(3)?,
                    decision: row.get::<_, Option<String>>(4)?.as_deref().and_then(mark_of),
                    repeats: row.get(5)?,
                    host: row.get(6)?,
                    size: uint(row.get(7)?),
                    imported: row.get(8)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What the campaign's kept selection was made with; none where none is kept.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn kept_selection(&self, campaign: CampaignId) -> Result<Option<(SelectionSpec, CaptureDate)>, StoreError> {
        self.read(|conn| kept_selection(conn, campaign))
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
                    "INSERT INTO score (campaign, capture, score, parts, selected) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![campaign, row.id, row.score, parts, row.passes])?;
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
            let mut statement = conn.prepare_cached(&format!(
                "SELECT c.id {OF_CAMPAIGN} AND {} ORDER BY c.date_ms, (SELECT url FROM url WHERE id = c.url), c.id",
                side_sql(true)
            ))?;
            let rows = statement.query_map([campaign], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The hosts of the captures that are selected, or scored and not
    /// selected; those with the most first.
    pub fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> Result<Vec<SelectedHost>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT (SELECT name FROM host WHERE id = c.host) AS name, count(*), CAST(total(c.size) AS INTEGER)
                 {OF_CAMPAIGN} AND {} GROUP BY c.host ORDER BY count(*) DESC, name",
                side_sql(selected)
            ))?;
            let rows = statement.query_map([campaign], |row| {
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
    /// in turn, and the goals of redirects), as of now. None of them is
    /// selected itself.
    pub fn find_requisites(&self, campaign: CampaignId, with_requisites: bool) -> Result<Vec<CaptureId>, StoreError> {
        const FIND: &str = concat!(
            "WITH RECURSIVE asked (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            " SELECT capture FROM along ORDER BY capture"
        );
        if !with_requisites {
            return Ok(Vec::new());
        }
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let rows = statement.query_map([campaign], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Keeps what was found with the selection: captures may have come since
    /// it was made. Whoever leaves them out for once, or takes them for once,
    /// changes nothing that is kept.
    pub fn keep_requisites(
        &self,
        campaign: CampaignId,
        with_requisites: bool,
        found: Vec<CaptureId>,
    ) -> Result<(), StoreError> {
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
        })
    }

    /// What selected pages, and what comes along with them, lack since a person
    /// rejected it: embedded resources and goals of redirects.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn lacking(&self, campaign: CampaignId) -> Result<Vec<Lacking>, StoreError> {
        const ANY: &str = concat!(
            "WITH RECURSIVE asked (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            " SELECT EXISTS (SELECT 1 FROM needed WHERE id IN (SELECT capture FROM rejected))"
        );
        // The links of `needed` once more, which only a rejection among them is worth.
        const FIND: &str = concat!(
            "WITH RECURSIVE asked (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            ", lost (page, capture) AS (
                SELECT DISTINCT n.id, ",
            nearest_sql!(),
            " ",
            needed_links_sql!(),
            ")
             SELECT pu.url, p.date_ms, xu.url, x.date_ms, m.who, m.note
             FROM lost l JOIN rejected r ON r.capture = l.capture
             JOIN capture p ON p.id = l.page JOIN url pu ON pu.id = p.url
             JOIN capture x ON x.id = l.capture JOIN url xu ON xu.id = x.url
             JOIN mark m ON m.id = (SELECT id FROM decided WHERE capture = x.id)
             ORDER BY p.date_ms, pu.url, xu.url"
        );
        self.read(|conn| {
            if !conn.prepare_cached(ANY)?.query_row([campaign], |row| row.get::<_, bool>(0))? {
                return Ok(Vec::new());
            }
            let mut statement = conn.prepare_cached(FIND)?;
            let rows = statement.query_map([campaign], |row| {
                Ok(Lacking {
                    page: row.get(0)?,
                    page_date: CaptureDate::from_millis(row.get(1)?),
                    url: row.get(2)?,
                    date: CaptureDate::from_millis(row.get(3)?),
                    who: row.get(4)?,
                    reason: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The decision on a capture: what it is, who gave it and why.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn decision(&self, capture: CaptureId) -> Result<Option<(ReviewMark, String, String)>, StoreError> {
        self.read(|conn| {
            let last: Option<(String, String, String)> = conn
                .prepare_cached(
                    "SELECT mark, who, note FROM mark WHERE capture = ?1 AND undone_ms IS NULL AND mark <> 'note'
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row([capture], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            Ok(last.and_then(|(mark, who, note)| {
                mark_of(&mark).filter(|mark| *mark != ReviewMark::Clear).map(|mark| (mark, who, note))
            }))
        })
    }

    /// The selection of a campaign and what it would carry.
    pub fn selection_page(&self, campaign: CampaignId) -> Result<SelectionPage, StoreError> {
        let exports = self.exports()?;
        let mut missing = Vec::new();
        if self.inlink_build()?.is_none() {
            missing.push("Inlinks are not built yet, so they do not count".to_owned());
        }
        self.read(|conn| {
            let spec = kept_selection(conn, campaign)?.map(|(spec, _)| spec);
            if spec.is_none() {
                missing.push("Nothing is scored yet".to_owned());
            }
            let (requisites, requisite_bytes) = conn
                .prepare_cached(concat!(
                    "SELECT count(*), CAST(total(c.size) AS INTEGER)
                     FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE ",
                    requisite_sql!()
                ))?
                .query_row([campaign], |row| Ok((uint(row.get(0)?), uint(row.get(1)?))))?;
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
                    .prepare_cached(&format!(
                        "SELECT count(*), count(DISTINCT c.host), CAST(total(c.size) AS INTEGER) {OF_CAMPAIGN} AND {}",
                        side_sql(selected)
                    ))?
                    .query_row([campaign], |row| Ok((uint(row.get(0)?), uint(row.get(1)?), uint(row.get(2)?))))?)
            };
            let (pages_in, hosts_in, bytes_in) = side(true)?;
            let (pages_out, hosts_out, bytes_out) = side(false)?;
            let count = |condition: &str| -> Result<u64, StoreError> {
                Ok(conn
                    .prepare_cached(&format!("SELECT count(*) {OF_CAMPAIGN} AND {condition}"))?
                    .query_row([campaign], |row| row.get::<_, i64>(0).map(uint))?)
            };
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
                excluded: count(concat!("ifnull(", decision_sql!(), ", '') = 'reject'"))?,
                included: count(concat!("ifnull(", decision_sql!(), ", '') = 'approve'"))?,
                overrides: count(override_sql!())?,
                borderline,
                exports,
            })
        })
    }

    /// The scored captures of a campaign, best first, with the parts of each score.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn scored_rows(&self, campaign: CampaignId, limit: u64) -> Result<Vec<ScoredRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "{SCORED} WHERE s.campaign = ?1 ORDER BY s.score DESC, u.url, c.id LIMIT ?2"
            ))?;
            let rows = statement.query_map(params![campaign, int(limit)], scored_row)?;
            rows.map(|row| row?).collect()
        })
    }
}

fn kept_selection(conn: &Connection, campaign: CampaignId) -> Result<Option<(SelectionSpec, CaptureDate)>, StoreError> {
    let kept: Option<(String, i64)> = conn
        .query_row("SELECT spec, date_ms FROM selection WHERE campaign = ?1", [campaign], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    kept.map(|(spec, date)| {
        let spec = serde_json::from_str(&spec).map_err(|error| StoreError::Content(error.to_string()))?;
        Ok((spec, CaptureDate::from_millis(date)))
    })
    .transpose()
}

/// Keeps anew what the selected captures of a campaign need, as of now.
fn keep_requisites(conn: &Connection, campaign: CampaignId, with_requisites: bool) -> Result<(), StoreError> {
    conn.execute("DELETE FROM requisite WHERE campaign = ?1", [campaign])?;
    if with_requisites {
        const KEEP: &str = concat!(
            "INSERT INTO requisite WITH RECURSIVE asked (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            " SELECT campaign, capture FROM along"
        );
        conn.prepare_cached(KEEP)?.execute([campaign])?;
    }
    Ok(())
}

const SCORED: &str = concat!(
    "SELECT s.capture, u.url, c.date_ms, s.score, s.parts, s.selected, ",
    decision_sql!(),
    " FROM score s JOIN capture c ON c.id = s.capture JOIN url u ON u.id = c.url"
);

fn scored_row(row: &Row<'_>) -> rusqlite::Result<Result<ScoredRow, StoreError>> {
    let parts: String = row.get(4)?;
    let parts = match serde_json::from_str(&parts) {
        Ok(parts) => parts,
        Err(error) => return Ok(Err(StoreError::Content(error.to_string()))),
    };
    let decision = row.get::<_, Option<String>>(6)?.as_deref().and_then(mark_of);
    let passes = row.get(5)?;
    Ok(Ok(ScoredRow {
        id: row.get(0)?,
        url: row.get(1)?,
        date: CaptureDate::from_millis(row.get(2)?),
        score: row.get(3)?,
        parts,
        passes,
        decision,
        selected: decision.and_then(ReviewMark::decides).unwrap_or(passes),
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
