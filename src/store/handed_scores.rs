//! Scores as a handover carries them, out and in.

use super::catalogue::Catalogue;
use super::error::StoreError;
use super::rows::{CampaignId, CaptureId, SelectionSpec};
use super::selections::keep_requisites;
use super::sql::{int, uint};
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// What is known of a capture for its score, and where it was put.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandedScore {
    /// Its score, 0 to 1; none where it comes along with another one.
    pub score: Option<f64>,
    /// Whether that, a filter or a collection selected it, but for decisions.
    pub passes: Option<bool>,
    /// The decision that the score counts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub review: String,
    /// What the request says of its text, 0 to 1.
    pub request: Option<f64>,
    /// Whether the request holds.
    #[serde(default)]
    pub holds: bool,
    /// What was found where.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub terms: String,
    /// Distinct external hosts that link to it in the window.
    pub external_hosts: Option<u64>,
    /// Those of them whose anchor speaks of the request.
    pub anchor_hosts: Option<u64>,
    /// Saved selections that hold it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<String>,
    /// Collections that hold it, each with who put it in; empty for its filter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<(String, String)>,
}

impl Catalogue {
    /// URL, date, digest and score of a capture that is handed over.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    #[allow(clippy::type_complexity)]
    pub fn handed_score(
        &self,
        campaign: CampaignId,
        capture: CaptureId,
    ) -> Result<Option<(String, CaptureDate, String, HandedScore)>, StoreError> {
        self.read(|conn| {
            let found = conn
                .prepare_cached(
                    "SELECT u.url, c.date_ms, c.digest, s.score, s.selected, ifnull(s.review, ''), m.request,
                        ifnull(m.holds, 0), ifnull(m.terms, ''), m.external_hosts, m.anchor_hosts
                     FROM capture c JOIN url u ON u.id = c.url
                     LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id
                     LEFT JOIN measure m ON m.campaign = ?1 AND m.capture = c.id WHERE c.id = ?2",
                )?
                .query_row([campaign, capture], |row| {
                    let number = |at| -> rusqlite::Result<Option<u64>> { Ok(row.get::<_, Option<i64>>(at)?.map(uint)) };
                    Ok((
                        row.get(0)?,
                        CaptureDate::from_millis(row.get(1)?),
                        row.get(2)?,
                        HandedScore {
                            score: row.get(3)?,
                            passes: row.get(4)?,
                            review: row.get(5)?,
                            request: row.get(6)?,
                            holds: row.get(7)?,
                            terms: row.get(8)?,
                            external_hosts: number(9)?,
                            anchor_hosts: number(10)?,
                            ..HandedScore::default()
                        },
                    ))
                })
                .optional()?;
            let Some((url, date, digest, mut score)) = found else { return Ok(None) };
            let mut saved = conn.prepare_cached(
                "SELECT o.name FROM named_capture n JOIN named_selection o ON o.id = n.selection
                 WHERE n.capture = ?2 AND o.campaign = ?1 ORDER BY o.name",
            )?;
            score.saved = saved.query_map([campaign, capture], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut collections = conn.prepare_cached(
                "SELECT o.name, k.who FROM collected k JOIN collection o ON o.id = k.collection
                 WHERE k.capture = ?1 AND NOT k.is_out ORDER BY o.name",
            )?;
            score.collections =
                collections.query_map([capture], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
            Ok(Some((url, date, digest, score)))
        })
    }

    /// Keeps scores of a handover for a campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_handed_scores(
        &self,
        campaign: CampaignId,
        scores: Vec<(CaptureId, HandedScore)>,
    ) -> Result<(), StoreError> {
        self.write(move |conn| {
            let mut keep = conn.prepare_cached(
                "INSERT OR REPLACE INTO score (campaign, capture, score, selected, review) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            let mut measure = conn.prepare_cached(
                "INSERT OR REPLACE INTO measure
                    (campaign, capture, request, holds, terms, external_hosts, anchor_hosts, unread)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
            )?;
            for (id, score) in scores {
                let (Some(number), Some(passes)) = (score.score, score.passes) else { continue };
                keep.execute(params![campaign, id, number.clamp(0.0, 1.0), passes, score.review])?;
                let (external, anchors) = (score.external_hosts.map(int), score.anchor_hosts.map(int));
                measure.execute(params![campaign, id, score.request, score.holds, score.terms, external, anchors])?;
            }
            Ok(())
        })
    }

    /// Keeps the selection of a handover, whose scores were kept.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_handed_selection(&self, spec: &SelectionSpec) -> Result<(), StoreError> {
        let (campaign, with_requisites) = (spec.campaign, spec.with_requisites);
        let spec = serde_json::to_string(spec).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            conn.execute(
                "INSERT OR REPLACE INTO selection (campaign, spec, date_ms) VALUES (?1, ?2, ?3)",
                params![campaign, spec, CaptureDate::now().millis()],
            )?;
            keep_requisites(conn, campaign, with_requisites)
        })
    }

    /// Adds a selection under a name, where the campaign has none of that name.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn add_named_selection(
        &self,
        name: &str,
        spec: &SelectionSpec,
        who: &str,
        date: CaptureDate,
        captures: Vec<CaptureId>,
    ) -> Result<(), StoreError> {
        let (name, who, campaign) = (name.trim().to_owned(), who.to_owned(), spec.campaign);
        let spec = serde_json::to_string(spec).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            let added = conn.execute(
                "INSERT OR IGNORE INTO named_selection (campaign, name, spec, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![campaign, name, spec, who, date.millis()],
            )?;
            if added > 0 {
                let id = conn.last_insert_rowid();
                let mut keep = conn.prepare_cached("INSERT OR IGNORE INTO named_capture VALUES (?1, ?2)")?;
                captures.iter().try_for_each(|capture| keep.execute([id, *capture]).map(drop))?;
            }
            Ok(())
        })
    }
}
