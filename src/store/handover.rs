//! What leaves with a selection besides its captures: every decision of
//! persons, and every URL that was seen.

use super::captures::requisites::{chosen_sql, needed_links_sql};
use super::captures::which::named_digest_sql;
use super::catalogue::Catalogue;
use super::error::StoreError;
use super::launches::seen_state;
use super::lossy::LossyText;
use super::marks::{of_campaign_sql, selected_sql};
use super::rows::{CampaignId, CaptureId, LaunchId, ReviewMark};
use super::sql::{int, mark_of, uint};
use crate::crawl::SeenState;
use crate::jobs::JobCx;
use crate::uri::{CaptureDate, Url};
use rusqlite::{Row, params};

/// SQL: marks `m` with their captures `c`, up to the condition.
macro_rules! mark_rows_sql {
    () => {
        concat!(
            "SELECT u.url, c.date_ms, ",
            $crate::store::captures::which::named_digest_sql!(),
            ",
            ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), ''),
            m.mark, m.note, m.who, m.date_ms, m.undone_ms,
            o.annotation, c.id, o.origin, o.line
         FROM mark m LEFT JOIN mark_origin o ON o.mark = m.id JOIN capture c ON c.id = m.capture JOIN url u ON u.id = c.url WHERE "
        )
    };
}

/// A mark or a note of a person on a capture, with what names the capture in
/// any workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkRow {
    /// The capture.
    pub capture: CaptureId,
    /// URL of the capture.
    pub url: String,
    /// When it was captured.
    pub captured: CaptureDate,
    /// Payload digest of the capture; empty where its record has none.
    pub digest: String,
    /// Id of its response record, without angle brackets; empty in ARC files.
    pub record_id: String,
    /// The mark.
    pub mark: ReviewMark,
    /// Why, or the note.
    pub note: String,
    /// Who gave it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// When it was taken back.
    pub undone: Option<CaptureDate>,
    /// Its id as an annotation, where it was given in another workspace.
    pub annotation: Option<String>,
    /// What it came with from there.
    pub origin: Option<String>,
    /// The annotation as it came, where the mark does not say all of it.
    pub line: Option<String>,
}

/// What tells a capture of a URL from the others of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureName {
    /// The capture.
    pub id: CaptureId,
    /// When it was captured.
    pub date: CaptureDate,
    /// Its payload digest; empty where its record has none.
    pub digest: String,
    /// Id of its response record, without angle brackets; empty in ARC files.
    pub record_id: String,
}

/// A URL as a launch saw it, with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenVerdict {
    /// The URL.
    pub url: String,
    /// Job and launch that saw it.
    pub launch: (String, String),
    /// When it was found.
    pub date: CaptureDate,
    /// The page that led to it; empty for a seed.
    pub via: String,
    /// Path from the seed.
    pub hops: String,
    /// Words of the link that led to it.
    pub anchor: String,
    /// The seed it descends from.
    pub seed: Option<String>,
    /// Whether the scope accepted it.
    pub accepted: bool,
    /// The rule that decided, by number and name; no number where the crawl
    /// itself decided.
    pub rule: (Option<u64>, String),
    /// What became of it.
    pub state: SeenState,
    /// HTTP status, or a Heritrix fetch status below zero.
    pub status: i32,
    /// Why it was refused or failed.
    pub why: String,
    /// Tag of the seed it descends from.
    pub tag: String,
    /// Whether it counts as a seed.
    pub is_seed: bool,
    /// The link that led to it says nofollow.
    pub nofollow: bool,
}

fn mark_row(row: &Row<'_>) -> Result<MarkRow, StoreError> {
    let name: String = row.get(4)?;
    Ok(MarkRow {
        capture: row.get(10)?,
        url: row.get(0)?,
        captured: CaptureDate::from_millis(row.get(1)?),
        digest: row.get(2)?,
        record_id: row.get(3)?,
        mark: mark_of(&name).ok_or_else(|| StoreError::Content(format!("decision “{name}”")))?,
        note: row.get::<_, LossyText>(5)?.0,
        who: row.get::<_, LossyText>(6)?.0,
        date: CaptureDate::from_millis(row.get(7)?),
        undone: row.get::<_, Option<i64>>(8)?.map(CaptureDate::from_millis),
        annotation: row.get(9)?,
        origin: row.get(11)?,
        line: row.get(12)?,
    })
}

impl Catalogue {
    /// Every mark and note on captures of a campaign and on imported ones, or on
    /// all, as they were given; first those of other workspaces.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, and what `each` fails with.
    pub fn each_mark<E: From<StoreError>>(
        &self,
        campaign: Option<CampaignId>,
        mut each: impl FnMut(MarkRow) -> Result<(), E>,
    ) -> Result<(), E> {
        const FIND: &str = concat!(mark_rows_sql!(), "?1 IS NULL OR ", of_campaign_sql!(), " ORDER BY m.id");
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([campaign])?;
            while let Some(row) = rows.next()? {
                if let Err(error) = each(mark_row(row)?) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })
        .map_err(E::from)?
    }

    /// The captures of a URL, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn capture_names(&self, url: &Url) -> Result<Vec<CaptureName>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(concat!(
                "SELECT c.id, c.date_ms, ",
                named_digest_sql!(),
                ", ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), '')
                 FROM capture c WHERE c.url = (SELECT id FROM url WHERE url = ?1) ORDER BY c.date_ms, c.id"
            ))?;
            let rows = statement.query_map([url.as_str()], |row| {
                let date = CaptureDate::from_millis(row.get(1)?);
                Ok(CaptureName { id: row.get(0)?, date, digest: row.get(2)?, record_id: row.get(3)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Every mark and note on a capture, as they were given, those that were
    /// taken back too.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn marks_of_capture(&self, capture: CaptureId) -> Result<Vec<MarkRow>, StoreError> {
        const FIND: &str = concat!(mark_rows_sql!(), "m.capture = ?1 ORDER BY m.id");
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([capture])?;
            let mut marks = Vec::new();
            while let Some(row) = rows.next()? {
                marks.push(mark_row(row)?);
            }
            Ok(marks)
        })
    }

    /// Job folder and campaign versions of a crawl, in the order of their use.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn job_and_versions(&self, launch: LaunchId) -> Result<(String, Vec<u32>), StoreError> {
        self.read(|conn| {
            let job = conn.query_row("SELECT job FROM launch WHERE id = ?1", [launch], |row| row.get(0))?;
            let mut statement = conn.prepare_cached(
                "SELECT version FROM (
                    SELECT from_version AS version FROM launch_change WHERE launch = ?1
                    UNION SELECT to_version FROM launch_change WHERE launch = ?1
                    UNION SELECT version FROM launch WHERE id = ?1) WHERE version IS NOT NULL ORDER BY version",
            )?;
            let versions = statement.query_map([launch], |row| row.get(0))?;
            Ok((job, versions.collect::<Result<_, _>>()?))
        })
    }

    /// Every URL that launches of a campaign have seen, launch by launch, in the
    /// order in which they were found; with `from` only those behind that
    /// number. At most `most` rows; says the number of the last one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn seen_verdicts(
        &self,
        campaign: CampaignId,
        from: i64,
        most: u64,
    ) -> Result<Vec<(i64, SeenVerdict)>, StoreError> {
        const FIND: &str =
            "SELECT s.id, u.url, l.job, l.launch, s.date_ms, ifnull(v.url, ''), s.hops, s.anchor, s.seed,
                s.accepted, s.rule_index, s.rule_name, s.state, s.fetch_status, s.why, s.source_tag, s.is_seed, s.nofollow
             FROM seen s JOIN url u ON u.id = s.url JOIN launch l ON l.id = s.launch LEFT JOIN url v ON v.id = s.via
             WHERE l.campaign = ?1 AND s.id > ?2 ORDER BY s.id LIMIT ?3";
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let rows = statement.query_map(params![campaign, from, int(most)], |row| {
                Ok((
                    row.get(0)?,
                    SeenVerdict {
                        url: row.get(1)?,
                        launch: (row.get(2)?, row.get(3)?),
                        date: CaptureDate::from_millis(row.get(4)?),
                        via: row.get(5)?,
                        hops: row.get(6)?,
                        anchor: row.get(7)?,
                        seed: row.get(8)?,
                        accepted: row.get(9)?,
                        rule: (row.get::<_, Option<i64>>(10)?.map(uint), row.get(11)?),
                        state: seen_state(row.get(12)?),
                        status: row.get(13)?,
                        why: row.get(14)?,
                        tag: row.get(15)?,
                        is_seed: row.get(16)?,
                        nofollow: row.get(17)?,
                    },
                ))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// A selection in figures: captures by what they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectedFigures {
    /// By month, `2024-03`, in their order.
    pub months: Vec<(String, u64)>,
    /// By HTTP status.
    pub statuses: Vec<(String, u64)>,
    /// By media type.
    pub types: Vec<(String, u64)>,
    /// By language; empty where it is not known.
    pub languages: Vec<(String, u64)>,
}

impl Catalogue {
    /// The captures that a campaign has selected, in figures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn selected_figures(&self, campaign: CampaignId) -> Result<SelectedFigures, StoreError> {
        self.read(|conn| {
            let counts = |by: &str, order: &str| -> Result<Vec<(String, u64)>, StoreError> {
                let mut statement = conn.prepare_cached(&format!(
                    "SELECT CAST({by} AS TEXT) AS name, count(*) FROM capture c
                     LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id
                     WHERE {} AND {} GROUP BY 1 ORDER BY {order}",
                    of_campaign_sql!(),
                    selected_sql!()
                ))?;
                let rows = statement.query_map([campaign], |row| Ok((row.get(0)?, uint(row.get(1)?))))?;
                Ok(rows.collect::<Result<_, _>>()?)
            };
            let by_count = "count(*) DESC, name";
            Ok(SelectedFigures {
                months: counts("strftime('%Y-%m', c.date_ms / 1000, 'unixepoch')", "name")?,
                statuses: counts("c.status", "name")?,
                types: counts("c.mime", by_count)?,
                languages: counts("c.language", by_count)?,
            })
        })
    }

    /// What the request said of each capture of a campaign with a text, and
    /// whether the capture is selected.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn each_term_description(
        &self,
        campaign: CampaignId,
        mut each: impl FnMut(bool, &str),
    ) -> Result<(), StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(concat!(
                "SELECT ",
                selected_sql!(),
                ", m.terms FROM measure m JOIN capture c ON c.id = m.capture
                 LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id
                 WHERE m.campaign = ?1 AND m.request IS NOT NULL AND NOT m.unread"
            ))?;
            let mut rows = statement.query([campaign])?;
            while let Some(row) = rows.next()? {
                let is_selected: Option<bool> = row.get(0)?;
                each(is_selected.unwrap_or(false), row.get_ref(1)?.as_str().unwrap_or_default());
            }
            Ok(())
        })
    }

    /// What pages that are handed over need to be shown and nobody captured:
    /// how many URLs, and those that most pages need with the number of pages.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub fn missing_resources(
        &self,
        campaign: CampaignId,
        requisites: &[CaptureId],
        limit: u64,
        cx: &JobCx,
    ) -> Result<(u64, Vec<(String, u64)>), StoreError> {
        const FIND: &str = concat!(
            "WITH asked (campaign) AS (SELECT ?1), ",
            chosen_sql!(),
            ", needed (campaign, id) AS (SELECT campaign, id FROM chosen UNION ALL SELECT ?1, value FROM json_each(?2))
             SELECT k.value ->> 1, count(DISTINCT n.id), count(*) OVER () ",
            needed_links_sql!(),
            " AND NOT EXISTS (SELECT 1 FROM capture x WHERE x.page = t.id AND x.status < 400)
              GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?3"
        );
        let requisites = serde_json::to_string(requisites).map_err(|error| StoreError::Content(error.to_string()))?;
        self.read_on_disk(cx, |conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query((campaign, requisites, int(limit)))?;
            let (mut all, mut first) = (0, Vec::new());
            while let Some(row) = rows.next()? {
                all = uint(row.get(2)?);
                first.push((row.get(0)?, uint(row.get(1)?)));
            }
            Ok((all, first))
        })
    }
}
