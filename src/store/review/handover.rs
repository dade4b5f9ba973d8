//! A handover carries every decision of persons and every URL that was seen, besides the captures
//! of a selection.

use super::assessments::Assessment;
use super::marks::{decision_sql, of_campaign_sql, of_decision_sql, selected_sql};
use crate::crawl::SeenState;
use crate::jobs::JobCx;
use crate::store::captures::originals::named_digest_sql;
use crate::store::captures::requisites::{chosen_sql, needed_links_sql};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::{int, mark_of, uint};
use crate::store::launches::seen_state;
use crate::store::rows::{CampaignId, CaptureId, LaunchId, ReviewMark};
use crate::uri::{CaptureDate, Url};
use rusqlite::{Row, params};
use std::collections::BTreeMap;

/// SQL: marks `m` with their captures `c`, up to the condition.
macro_rules! mark_rows_sql {
    () => {
        concat!(
            "SELECT u.url, c.date_ms, ",
            $crate::store::captures::originals::named_digest_sql!(),
            ",
            ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), ''),
            m.mark, m.note, m.who, m.date_ms, m.undone_ms,
            o.annotation, c.id, o.origin, o.line, a.content, a.technical, a.codes
         FROM mark m LEFT JOIN mark_origin o ON o.mark = m.id LEFT JOIN review_act a ON a.act = m.act JOIN capture c ON c.id = m.capture JOIN url u ON u.id = c.url WHERE "
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
    /// The person who gave it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// When it was taken back.
    pub undone: Option<CaptureDate>,
    /// Its judgements of content and technical quality, with the reason codes.
    pub assessment: Assessment,
    /// Its id as an annotation, where it was given in another workspace.
    pub annotation: Option<String>,
    /// Its origin there.
    pub origin: Option<String>,
    /// The annotation as it came, where the mark does not hold all of it.
    pub line: Option<String>,
}

/// The name of a capture in any workspace: date, digest and record id beside the URL.
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
    /// Its outcome.
    pub state: SeenState,
    /// HTTP status, or a Heritrix fetch status below zero.
    pub status: i32,
    /// Why it was refused or failed.
    pub why: String,
    /// Tag of the seed it descends from.
    pub tag: String,
    /// Whether it counts as a seed.
    pub is_seed: bool,
    /// The link that led to it is nofollow.
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
        assessment: Assessment::of_columns(row.get(13)?, row.get(14)?, row.get::<_, Option<String>>(15)?.as_deref()),
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
        self.rows(
            concat!(
                "SELECT c.id, c.date_ms, ",
                named_digest_sql!(),
                ", ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), '')
                 FROM capture c WHERE c.url = (SELECT id FROM url WHERE url = ?1) ORDER BY c.date_ms, c.id"
            ),
            [url.as_str()],
            |row| {
                let date = CaptureDate::from_millis(row.get(1)?);
                Ok(CaptureName { id: row.get(0)?, date, digest: row.get(2)?, record_id: row.get(3)? })
            },
        )
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

    /// Every URL that launches of a campaign have seen, launch by launch, in the order in which they
    /// were found; with `from` only those behind that number. At most `most` rows; returns the number
    /// of the last one.
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
        self.rows(FIND, params![campaign, from, int(most)], |row| {
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
        })
    }
}

/// Counts one more.
fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// Captures that leave, in figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportedFigures {
    /// The number of all.
    pub captures: u64,
    /// Bytes of their content.
    pub bytes: u64,
    /// When the first and the last of them were made; none where there is none.
    pub dates: Option<(CaptureDate, CaptureDate)>,
    /// By month, `2024-03`.
    pub months: BTreeMap<String, u64>,
    /// By HTTP status; 0 where the record has none.
    pub statuses: BTreeMap<i64, u64>,
    /// By media type.
    pub types: BTreeMap<String, u64>,
    /// By language; empty where it is not known.
    pub languages: BTreeMap<String, u64>,
    /// By host, with the bytes of its captures.
    pub hosts: BTreeMap<String, (u64, u64)>,
}

/// A capture of a campaign that does not leave.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOutCapture {
    /// Its URL.
    pub url: String,
    /// When it was made.
    pub date: CaptureDate,
    /// Its score; none where it came after the selection.
    pub score: Option<f64>,
    /// Whether a person rejected it.
    pub is_rejected: bool,
    /// Who did.
    pub who: String,
    /// Why, as that person noted.
    pub reason: String,
}

/// The captures of a campaign that do not leave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeftOutCaptures {
    /// Their number.
    pub all: u64,
    /// Those of them that persons rejected.
    pub rejected: u64,
    /// The first of them: what persons rejected, then the best scores.
    pub first: Vec<LeftOutCapture>,
}

impl Catalogue {
    /// Captures in figures, each counted once.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn exported_figures(&self, captures: &[CaptureId], cx: &JobCx) -> Result<ExportedFigures, StoreError> {
        const FIND: &str = "SELECT c.date_ms, c.status, c.mime, c.language, c.size, h.name
            FROM json_each(?1) j JOIN capture c ON c.id = j.value JOIN host h ON h.id = c.host";
        let captures = serde_json::to_string(captures).map_err(|error| StoreError::Content(error.to_string()))?;
        self.read_on_disk(cx, |conn| {
            let mut figures = ExportedFigures::default();
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([captures])?;
            while let Some(row) = rows.next()? {
                let date = CaptureDate::from_millis(row.get(0)?);
                let bytes = uint(row.get::<_, Option<i64>>(4)?.unwrap_or_default());
                figures.captures += 1;
                figures.bytes += bytes;
                figures.dates = Some(match figures.dates {
                    None => (date, date),
                    Some((first, last)) if date.millis() < first.millis() => (date, last),
                    Some((first, last)) if date.millis() > last.millis() => (first, date),
                    Some(dates) => dates,
                });
                let month = date.to_readable().get(..7).unwrap_or_default().to_owned();
                *figures.months.entry(month).or_default() += 1;
                *figures.statuses.entry(row.get(1)?).or_default() += 1;
                count(&mut figures.types, row.get_ref(2)?.as_str().unwrap_or_default());
                count(&mut figures.languages, row.get_ref(3)?.as_str().unwrap_or_default());
                let host = row.get_ref(5)?.as_str().unwrap_or_default();
                if !figures.hosts.contains_key(host) {
                    figures.hosts.insert(host.to_owned(), (0, 0));
                }
                if let Some((captures, of_host)) = figures.hosts.get_mut(host) {
                    *captures += 1;
                    *of_host += bytes;
                }
            }
            Ok(figures)
        })
    }

    /// The captures of a campaign that are not among those that leave.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn left_out_captures(
        &self,
        campaign: CampaignId,
        leaving: &[CaptureId],
        limit: u64,
        cx: &JobCx,
    ) -> Result<LeftOutCaptures, StoreError> {
        const FIND: &str = concat!(
            "SELECT u.url, o.date_ms, o.score, ifnull(o.mark, '') = 'reject', ifnull(m.who, ''), ifnull(m.note, ''),
                o.every, o.rejected
             FROM (
                SELECT c.id, c.url, c.date_ms, s.score, ",
            decision_sql!(),
            " AS mark, ",
            of_decision_sql!("m.id"),
            " AS decision, count(*) OVER () AS every, total(",
            decision_sql!(),
            " = 'reject') OVER () AS rejected
                FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id
                WHERE ",
            of_campaign_sql!(),
            " AND c.id NOT IN (SELECT value FROM json_each(?2))
                ORDER BY ifnull(mark, '') <> 'reject', s.score DESC, c.id LIMIT ?3
             ) o JOIN url u ON u.id = o.url
             LEFT JOIN mark m ON m.id = o.decision"
        );
        let leaving = serde_json::to_string(leaving).map_err(|error| StoreError::Content(error.to_string()))?;
        self.read_on_disk(cx, |conn| {
            let mut left_out = LeftOutCaptures::default();
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query(params![campaign, leaving, int(limit)])?;
            while let Some(row) = rows.next()? {
                left_out.all = uint(row.get(6)?);
                left_out.rejected = row.get::<_, f64>(7)? as u64;
                left_out.first.push(LeftOutCapture {
                    url: row.get(0)?,
                    date: CaptureDate::from_millis(row.get(1)?),
                    score: row.get(2)?,
                    is_rejected: row.get(3)?,
                    who: row.get(4)?,
                    reason: row.get(5)?,
                });
            }
            Ok(left_out)
        })
    }

    /// Gives the description of the request's matches for each capture of a campaign with a text, and
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

    /// Resources that pages of a handover need and nobody captured: how many URLs, and those that most
    /// pages need with the number of pages.
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
            "WITH target_campaign (campaign) AS (SELECT ?1), ",
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
