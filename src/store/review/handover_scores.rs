//! Scores as a handover carries them, out and in.

use super::collections::names_from;
use super::score_set::{Measurement, keep_measurement};
use super::selections::keep_requisites;
use crate::analysis::RequestReading;
use crate::store::captures::originals::named_digest_sql;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::launches::handover_launches::HandoverCrawl;
use crate::store::rows::{CampaignId, CaptureId, SelectionSpec};
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// The score of a capture and its parts, with the selections and collections that hold the capture.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoverScore {
    /// Its score, 0 to 1; none where it comes along with another one.
    pub score: Option<f64>,
    /// Whether that, a filter or a collection selected it, but for decisions.
    pub passes: Option<bool>,
    /// The decision that the score counts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub review: String,
    /// The score of its text by the request, 0 to 1.
    pub request: Option<f64>,
    /// Whether the request holds.
    #[serde(default)]
    pub holds: bool,
    /// The terms found, with their places.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub terms: String,
    /// Distinct external hosts that link to it in the window.
    pub external_hosts: Option<u64>,
    /// Those of them whose anchor has a term of the request.
    pub anchor_hosts: Option<u64>,
    /// Entities of the request that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<u64>,
    /// Saved selections that hold it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<String>,
    /// Collections that hold it, each with who put it in; empty for its filter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<(String, String)>,
    /// The way of a crawl to it; none where it was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawl: Option<HandoverCrawl>,
}

impl HandoverScore {
    fn measurement(&self) -> Measurement {
        let reading = |score| RequestReading { score, holds: self.holds, summary: self.terms.clone() };
        Measurement {
            request: self.request.map(reading),
            external_hosts: self.external_hosts,
            anchor_hosts: self.anchor_hosts,
            entities: self.entities,
            is_unread: false,
        }
    }
}

/// A capture as a handover lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoverCapture {
    /// Its URL.
    pub url: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// Payload digest; empty where there is none.
    pub digest: String,
    /// Id of its record; empty in ARC files.
    pub record: String,
    /// Its score, and where it was put.
    pub score: HandoverScore,
}

impl Catalogue {
    /// A capture with its score, for a handover.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn handover_score(
        &self,
        campaign: CampaignId,
        capture: CaptureId,
    ) -> Result<Option<HandoverCapture>, StoreError> {
        self.read(|conn| {
            let found = conn
                .prepare_cached(concat!(
                    "SELECT u.url, c.date_ms, ",
                    named_digest_sql!(),
                    ", s.score, s.selected, ifnull(s.review, ''), m.request,
                        ifnull(m.holds, 0), ifnull(m.terms, ''), m.external_hosts, m.anchor_hosts,
                        l.kind = 'crawl', l.job, l.launch, c.hops, ifnull(v.url, ''), c.seed, c.source_tag,
                        c.rule_index, c.rule_name,
                        ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), ''), m.entities
                     FROM capture c JOIN url u ON u.id = c.url JOIN launch l ON l.id = c.launch
                     LEFT JOIN url v ON v.id = c.via
                     LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id
                     LEFT JOIN measure m ON m.campaign = ?1 AND m.capture = c.id WHERE c.id = ?2"
                ))?
                .query_row((campaign, capture), |row| {
                    let number = |at| -> rusqlite::Result<Option<u64>> { Ok(row.get::<_, Option<i64>>(at)?.map(uint)) };
                    let crawl = HandoverCrawl {
                        job: row.get(12)?,
                        launch: row.get(13)?,
                        hops: row.get(14)?,
                        via: row.get(15)?,
                        seed: row.get(16)?,
                        tag: row.get(17)?,
                        rule_index: number(18)?,
                        rule: row.get(19)?,
                    };
                    Ok(HandoverCapture {
                        url: row.get(0)?,
                        date: CaptureDate::from_millis(row.get(1)?),
                        digest: row.get(2)?,
                        record: row.get(20)?,
                        score: HandoverScore {
                            score: row.get(3)?,
                            passes: row.get(4)?,
                            review: row.get(5)?,
                            request: row.get(6)?,
                            holds: row.get(7)?,
                            terms: row.get(8)?,
                            external_hosts: number(9)?,
                            anchor_hosts: number(10)?,
                            entities: number(21)?,
                            crawl: row.get::<_, bool>(11)?.then_some(crawl),
                            ..HandoverScore::default()
                        },
                    })
                })
                .optional()?;
            let Some(mut found) = found else { return Ok(None) };
            let mut saved = conn.prepare_cached(
                "SELECT o.name FROM named_capture n JOIN named_selection o ON o.id = n.selection
                 WHERE n.capture = ?2 AND o.campaign = ?1 ORDER BY o.name",
            )?;
            found.score.saved = saved.query_map((campaign, capture), |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut collections = conn.prepare_cached(
                "SELECT o.name, k.who FROM collected k JOIN collection o ON o.id = k.collection
                 WHERE k.capture = ?1 AND NOT k.is_out ORDER BY o.name",
            )?;
            found.score.collections =
                collections.query_map([capture], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
            Ok(Some(found))
        })
    }

    /// Keeps scores of a handover for a campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_handover_scores(
        &self,
        campaign: CampaignId,
        scores: Vec<(CaptureId, HandoverScore)>,
    ) -> Result<(), StoreError> {
        self.write(move |conn| {
            let mut keep = conn.prepare_cached(
                "INSERT OR REPLACE INTO score (campaign, capture, score, selected, review) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (id, score) in scores {
                let (Some(number), Some(passes)) = (score.score, score.passes) else { continue };
                keep.execute(params![campaign, id, number.clamp(0.0, 1.0), passes, score.review])?;
                keep_measurement(conn, campaign, id, score.measurement())?;
            }
            Ok(())
        })
    }

    /// Keeps the selection of a handover, whose scores were kept, as it was made at a date.
    /// `along` are the captures that came along with it: of a page whose original was left
    /// out nobody here knows what it needs.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_handover_selection(
        &self,
        spec: &SelectionSpec,
        date: CaptureDate,
        along: Vec<CaptureId>,
    ) -> Result<(), StoreError> {
        let (campaign, with_requisites) = (spec.campaign, spec.with_requisites);
        let spec = serde_json::to_string(spec).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            conn.execute(
                "INSERT OR REPLACE INTO selection (campaign, spec, date_ms) VALUES (?1, ?2, ?3)",
                params![campaign, spec, date.millis()],
            )?;
            keep_requisites(conn, campaign, with_requisites)?;
            if with_requisites {
                let mut insert = conn.prepare_cached("INSERT OR IGNORE INTO requisite VALUES (?1, ?2)")?;
                along.iter().try_for_each(|capture| insert.execute((campaign, *capture)).map(drop))?;
            }
            Ok(())
        })
    }

    /// Adds a selection that came with files under its name, or with `origin`
    /// behind it where the campaign has another one of that name.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn add_named_selection(
        &self,
        (name, origin): (&str, &str),
        spec: &SelectionSpec,
        (who, date): (&str, CaptureDate),
        captures: Vec<CaptureId>,
    ) -> Result<(), StoreError> {
        let (name, origin, who, campaign) = (name.trim().to_owned(), origin.to_owned(), who.to_owned(), spec.campaign);
        let spec = serde_json::to_string(spec).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            let mut find = conn.prepare_cached(
                "SELECT spec = ?3 AND who = ?4 AND date_ms = ?5 FROM named_selection WHERE campaign = ?1 AND name = ?2",
            )?;
            for name in names_from(&name, &origin) {
                let is_it: Option<bool> =
                    find.query_row(params![campaign, name, spec, who, date.millis()], |row| row.get(0)).optional()?;
                match is_it {
                    Some(true) => break,
                    Some(false) => continue,
                    None => {}
                }
                conn.execute(
                    "INSERT INTO named_selection (campaign, name, spec, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![campaign, name, spec, who, date.millis()],
                )?;
                let id = conn.last_insert_rowid();
                let mut keep = conn.prepare_cached("INSERT OR IGNORE INTO named_capture VALUES (?1, ?2)")?;
                captures.iter().try_for_each(|capture| keep.execute((id, *capture)).map(drop))?;
                break;
            }
            Ok(())
        })
    }
}
