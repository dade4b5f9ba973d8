//! Score sets keep the parts that scores are made of, apart from weights and thresholds: texts and
//! links are read once, and the effect of a weight or a threshold follows by arithmetic.

use super::marks::{decision_source, of_campaign_sql};
use crate::analysis::{HISTOGRAM_BINS, PartValues, RequestReading, ReviewState, ScoreInput, ScoreWeights, histogram};
use crate::captures::Media;
use crate::scope::hop_count;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, mark_of, uint};
use crate::store::catalogue::{Catalogue, UnderWay};
use crate::store::rows::{Balance, CampaignId, CaptureId, ReviewMark, ScoredRow, SelectionSpec};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;

/// A capture with what is known of it for its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ToScore {
    /// The capture.
    pub id: CaptureId,
    /// The last decision of a person.
    pub decision: Option<ReviewMark>,
    /// An earlier version of its page was rejected, and this one is to review.
    pub rejected_before: bool,
    /// The parts of its score; request and links as they were measured, none where they were not yet.
    pub input: ScoreInput,
}

/// The parts of a score that are read from text and links of a capture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurement {
    /// The match of its text with the request; none where the campaign has no request or the capture no
    /// text.
    pub request: Option<RequestReading>,
    /// Distinct external hosts that link to it in the window; none where inlinks are not built.
    pub external_hosts: Option<u64>,
    /// Those of them whose anchor has a term of the request.
    pub anchor_hosts: Option<u64>,
    /// Entities of the request that it names; none where nothing was analysed or the request has none.
    pub entities: Option<u64>,
    /// Its record could not be read: it is measured again with the next selection.
    pub is_unread: bool,
}

/// The rule that selects captures on which no person decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SelectionCriteria {
    /// Weights of the score.
    pub weights: ScoreWeights,
    /// Captures with at least this score are in, where no filter decides.
    pub threshold: f64,
    /// The captures that a filter finds, instead of the score.
    pub passing: Option<HashSet<CaptureId>>,
    /// Captures of collections: in as well.
    pub collected: HashSet<CaptureId>,
}

/// A capture's score as it is kept with a selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeptScore {
    /// The capture.
    pub id: CaptureId,
    /// Its score, 0 to 1.
    pub score: f64,
    /// Whether that, or a filter in its place, selects it.
    pub passes: bool,
    /// The decision that the score counts.
    pub decision: Option<ReviewMark>,
}

impl SelectionCriteria {
    /// Whether a capture with this score is in, where no person decided.
    pub fn passes(&self, capture: CaptureId, score: f64) -> bool {
        let passes = match &self.passing {
            None => score >= self.threshold,
            Some(passing) => passing.contains(&capture),
        };
        passes || self.collected.contains(&capture)
    }
}

impl ToScore {
    /// This capture with its measurement.
    pub fn measured(mut self, measurement: Measurement) -> Self {
        let Measurement { request, external_hosts, anchor_hosts, entities, .. } = measurement;
        self.input = ScoreInput { request, external_hosts, anchor_hosts, entities, ..self.input };
        self
    }
}

/// The captures of a campaign that a query covers.
#[derive(Debug, Clone, Copy)]
pub enum ScoreScope<'a> {
    /// At most so many that are not measured yet, or could not be read, above a number.
    Unmeasured {
        /// The number.
        above: CaptureId,
        /// Most captures.
        limit: u64,
    },
    /// At most so many above a number, measured or not.
    Any {
        /// The number.
        above: CaptureId,
        /// Most captures.
        limit: u64,
    },
    /// These.
    These(&'a [CaptureId]),
}

/// A capture as a list of scores names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredPage {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its date.
    pub date: CaptureDate,
}

/// Captures that a draft of a selection moves, and those that a person put on the other side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovedCaptures {
    /// Captures that come in.
    pub added: Vec<CaptureId>,
    /// Captures that go out.
    pub removed: Vec<CaptureId>,
    /// Captures with a decision against score or filter.
    pub against: Vec<CaptureId>,
}

/// Every capture of a campaign with the values of its score, in some 80 bytes
/// each: weights and thresholds are tried on it without reading anything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreSet {
    rows: Vec<SetRow>,
    hosts: usize,
    unmeasured: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct SetRow {
    id: CaptureId,
    host: usize,
    bytes: u64,
    values: PartValues,
    decision: Option<ReviewMark>,
    rejected_before: bool,
    is_measured: bool,
    /// Score and side of the kept selection, without decisions.
    kept: Option<(f64, bool)>,
}

impl ScoreSet {
    /// Captures.
    pub fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Captures that were not measured yet: they have no score.
    pub fn unmeasured(&self) -> u64 {
        self.unmeasured
    }

    /// Takes in what was measured of a capture and is not kept.
    pub fn measure(&mut self, scored: &ToScore) {
        if let Ok(at) = self.rows.binary_search_by_key(&scored.id, |row| row.id)
            && let Some(row) = self.rows.get_mut(at)
        {
            self.unmeasured -= u64::from(!row.is_measured);
            (row.values, row.is_measured) = (scored.input.values(), true);
        }
    }

    /// The kept selection in figures.
    pub fn kept(&self) -> Balance {
        self.balance(|row| row.kept)
    }

    /// The figures of a selection by this score set.
    pub fn draft(&self, sides: &SelectionCriteria) -> Balance {
        self.balance(|row| row.draft(sides))
    }

    fn balance(&self, side: impl Fn(&SetRow) -> Option<(f64, bool)>) -> Balance {
        let mut balance = Balance::default();
        let mut hosts = [vec![false; self.hosts], vec![false; self.hosts]];
        let mut scores = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let scored = side(row);
            let passes = scored.is_some_and(|(_, passes)| passes);
            let decides = row.decision.and_then(ReviewMark::decides);
            let selected = decides.unwrap_or(passes && !row.rejected_before);
            let was = decides.unwrap_or(!row.rejected_before && row.kept.is_some_and(|(_, passes)| passes));
            balance.rejected_before += u64::from(row.rejected_before);
            balance.excluded += u64::from(decides == Some(false));
            balance.included += u64::from(decides == Some(true));
            balance.overrides += u64::from(decides.is_some_and(|selected| selected != passes));
            balance.added += u64::from(selected && !was);
            balance.removed += u64::from(was && !selected);
            if let Some((score, _)) = scored {
                scores.push(score);
            } else if decides.is_none() {
                // What a person decided is on a side without a score, too.
                continue;
            }
            let side = if selected { &mut balance.inside } else { &mut balance.outside };
            side.captures += 1;
            side.bytes += row.bytes;
            if let Some(counted) = hosts.get_mut(usize::from(selected)).and_then(|hosts| hosts.get_mut(row.host)) {
                side.hosts += u64::from(!std::mem::replace(counted, true));
            }
        }
        balance.scored = scores.len() as u64;
        balance.histogram = histogram(scores);
        debug_assert_eq!(balance.histogram.len(), HISTOGRAM_BINS);
        balance
    }

    /// Captures that a selection by this score set changes against the kept one, and those of which a person
    /// decided otherwise than it does: so many of each, the highest scores first.
    pub fn moved(&self, sides: &SelectionCriteria, each: usize) -> MovedCaptures {
        let mut lists = [Vec::new(), Vec::new(), Vec::new()];
        for row in &self.rows {
            let scored = row.draft(sides);
            let passes = scored.is_some_and(|(_, passes)| passes);
            let decides = row.decision.and_then(ReviewMark::decides);
            let selected = decides.unwrap_or(passes && !row.rejected_before);
            let was = decides.unwrap_or(!row.rejected_before && row.kept.is_some_and(|(_, passes)| passes));
            let is_in = [selected && !was, was && !selected, decides.is_some_and(|selected| selected != passes)];
            for (list, is_in) in lists.iter_mut().zip(is_in) {
                if is_in {
                    list.push((scored.map_or(0.0, |(score, _)| score), row.id));
                }
            }
        }
        let [added, removed, against] = lists.map(|mut list| {
            list.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            list.truncate(each);
            list.into_iter().map(|(_, id)| id).collect()
        });
        MovedCaptures { added, removed, against }
    }

    /// Scores and sides under a draft, for keeping.
    pub fn sides(&self, sides: &SelectionCriteria) -> Vec<KeptScore> {
        let rows = self.rows.iter();
        rows.filter_map(|row| {
            let (score, passes) = row.draft(sides)?;
            Some(KeptScore { id: row.id, score, passes, decision: row.decision })
        })
        .collect()
    }

    /// Scores of the captures that were measured and have none with the kept selection.
    pub fn unscored(&self, weights: &ScoreWeights) -> Vec<KeptScore> {
        let rows = self.rows.iter().filter(|row| row.is_measured && row.kept.is_none());
        rows.map(|row| KeptScore {
            id: row.id,
            score: weights.score(&row.values),
            passes: false,
            decision: row.decision,
        })
        .collect()
    }

    /// The captures nearest to the threshold, nearest first: so many at or
    /// above it, and so many below.
    pub fn nearest(&self, weights: &ScoreWeights, threshold: f64, each: usize) -> (Vec<CaptureId>, Vec<CaptureId>) {
        let by_score = SelectionCriteria { weights: *weights, threshold, ..SelectionCriteria::default() };
        let scored = self.rows.iter().filter_map(|row| row.draft(&by_score).map(|of| (of, row.id)));
        let (mut above, mut below): (Vec<_>, Vec<_>) = scored.partition(|((_, passes), _)| *passes);
        let nearest = |side: &mut Vec<((f64, bool), CaptureId)>| {
            let distance = |of: &((f64, bool), CaptureId)| (of.0.0 - threshold).abs();
            let order = |a: &((f64, bool), CaptureId), b: &((f64, bool), CaptureId)| {
                distance(a).total_cmp(&distance(b)).then(a.1.cmp(&b.1))
            };
            if side.len() > each {
                side.select_nth_unstable_by(each, order);
                side.truncate(each);
            }
            side.sort_by(order);
            side.iter().map(|(_, id)| *id).collect::<Vec<_>>()
        };
        (nearest(&mut above), nearest(&mut below))
    }
}

impl SetRow {
    /// Score, and whether that, a filter or a collection selects it.
    fn draft(&self, sides: &SelectionCriteria) -> Option<(f64, bool)> {
        let score = self.is_measured.then(|| sides.weights.score(&self.values))?;
        Some((score, sides.passes(self.id, score)))
    }
}

impl Catalogue {
    /// The conditions under which a campaign's captures were measured; none where none was.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn measured_with(&self, campaign: CampaignId) -> Result<Option<String>, StoreError> {
        self.read(|conn| {
            Ok(conn
                .query_row("SELECT conditions FROM measured WHERE campaign = ?1", [campaign], |row| row.get(0))
                .optional()?)
        })
    }

    /// Says what a campaign's captures are measured with from now on; what was
    /// measured with anything else goes.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn measure_with(&self, campaign: CampaignId, conditions: &str) -> Result<(), StoreError> {
        let conditions = conditions.to_owned();
        self.write(move |conn| {
            conn.execute("DELETE FROM measure WHERE campaign = ?1", [campaign])?;
            conn.execute(
                "INSERT OR REPLACE INTO measured (campaign, conditions) VALUES (?1, ?2)",
                params![campaign, conditions],
            )?;
            Ok(())
        })
    }

    /// Keeps what was measured, while the caller goes on.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written; the commit may fail later, too.
    pub fn keep_measurements(
        &self,
        campaign: CampaignId,
        measured: Vec<(CaptureId, Measurement)>,
    ) -> Result<UnderWay<()>, StoreError> {
        self.write_later(move |conn| {
            measured.into_iter().try_for_each(|(id, measurement)| keep_measurement(conn, campaign, id, measurement))
        })
    }

    /// Captures with what is known of them for their score, by number.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn to_score(
        &self,
        campaign: CampaignId,
        window_days: u32,
        which: ScoreScope<'_>,
    ) -> Result<Vec<ToScore>, StoreError> {
        self.read(|conn| {
            let (condition, above, limit, these) = match which {
                ScoreScope::Unmeasured { above, limit } => {
                    (concat!(of_campaign_sql!(), " AND c.id > ?2 AND ifnull(m.unread, 1)"), above, limit, Vec::new())
                }
                ScoreScope::Any { above, limit } => {
                    (concat!(of_campaign_sql!(), " AND c.id > ?2"), above, limit, Vec::new())
                }
                ScoreScope::These(ids) => ("c.id = ?2", CaptureId::default(), 1, ids.to_vec()),
            };
            let mut statement = conn.prepare_cached(&format!("{FACTS} WHERE {condition} ORDER BY c.id LIMIT ?3"))?;
            let mut found = Vec::new();
            let starts = if these.is_empty() { vec![above] } else { these };
            for at in starts {
                let mut rows = statement.query(params![campaign, at, int(limit)])?;
                while let Some(row) = rows.next()? {
                    found.push(to_score(row, window_days, true)?);
                }
            }
            Ok(found)
        })
    }

    /// The number of captures that [`Self::to_score`] gives in all, of a campaign or of those that are
    /// not measured yet.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn to_score_count(&self, campaign: CampaignId, only_unmeasured: bool) -> Result<u64, StoreError> {
        const COUNT: &str = concat!(
            "SELECT count(*) FROM capture c LEFT JOIN measure m ON m.campaign = ?1 AND m.capture = c.id WHERE ",
            of_campaign_sql!(),
            " AND (NOT ?2 OR ifnull(m.unread, 1))"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(COUNT)?;
            Ok(uint(statement.query_row(params![campaign, only_unmeasured], |row| row.get(0))?))
        })
    }

    /// Every capture of a campaign with the values of its score.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn score_set(&self, campaign: CampaignId) -> Result<ScoreSet, StoreError> {
        self.read(|conn| {
            const ALL: &str = concat!(facts_sql!(), " WHERE ", of_campaign_sql!(), " ORDER BY c.id");
            let mut statement = conn.prepare_cached(ALL)?;
            let mut rows = statement.query([campaign])?;
            let mut set = ScoreSet::default();
            while let Some(row) = rows.next()? {
                let scored = to_score(row, 0, false)?;
                let host = uint(row.get(13)?) as usize;
                let is_measured: bool = row.get(12)?;
                set.hosts = set.hosts.max(host + 1);
                set.unmeasured += u64::from(!is_measured);
                set.rows.push(SetRow {
                    id: scored.id,
                    host,
                    bytes: uint(row.get(14)?),
                    values: scored.input.values(),
                    decision: scored.decision,
                    rejected_before: scored.rejected_before,
                    is_measured,
                    kept: row
                        .get::<_, Option<f64>>(15)?
                        .map(|score| Ok::<_, rusqlite::Error>((score, row.get(16)?)))
                        .transpose()?,
                });
            }
            Ok(set)
        })
    }

    /// Captures with their scores under a draft, part by part, in the requested order; `sides` decides
    /// under that draft.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn scored_under(
        &self,
        spec: &SelectionSpec,
        sides: &SelectionCriteria,
        ids: &[CaptureId],
    ) -> Result<Vec<ScoredRow>, StoreError> {
        let facts = self.to_score(spec.campaign, spec.window_days, ScoreScope::These(ids))?;
        self.read(|conn| {
            facts
                .into_iter()
                .map(|facts| {
                    let score = spec.weights.score(&facts.input.values());
                    let page = page_of(conn, facts.id)?;
                    let passes = sides.passes(facts.id, score);
                    ScoredRow::of(facts, page, spec, score, passes).with_decision_of(conn)
                })
                .collect()
        })
    }
}

impl ScoredRow {
    /// A capture with its score, and whether that or a filter selects it.
    pub fn of(facts: ToScore, page: ScoredPage, spec: &SelectionSpec, score: f64, passes: bool) -> Self {
        let selected = facts.decision.and_then(ReviewMark::decides).unwrap_or(passes && !facts.rejected_before);
        let parts = facts.input.parts(&spec.weights);
        Self {
            id: facts.id,
            url: page.url,
            title: page.title,
            date: page.date,
            score,
            parts,
            passes,
            decision: facts.decision,
            decision_origin: None,
            decision_inherited: false,
            rejected_before: facts.rejected_before,
            selected,
        }
    }

    /// This row with the origin of its decision.
    pub(in crate::store) fn with_decision_of(mut self, conn: &Connection) -> Result<Self, StoreError> {
        if self.decision.is_some() {
            (self.decision_origin, self.decision_inherited) = decision_source(conn, self.id)?;
        }
        Ok(self)
    }
}

/// Keeps what was measured of a capture.
pub(in crate::store) fn keep_measurement(
    conn: &Connection,
    campaign: CampaignId,
    capture: CaptureId,
    Measurement { request, external_hosts, anchor_hosts, entities, is_unread }: Measurement,
) -> Result<(), StoreError> {
    let (score, holds, terms) =
        request.map_or((None, false, String::new()), |of| (Some(of.score), of.holds, of.summary));
    let (external, anchors) = (external_hosts.map(int), anchor_hosts.map(int));
    conn.prepare_cached(
        "INSERT OR REPLACE INTO measure
            (campaign, capture, request, holds, terms, external_hosts, anchor_hosts, entities, unread)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![campaign, capture, score, holds, terms, external, anchors, entities.map(int), is_unread])?;
    Ok(())
}

pub(in crate::store) fn page_of(conn: &Connection, id: CaptureId) -> Result<ScoredPage, StoreError> {
    const FIND: &str = "SELECT u.url, c.title, c.date_ms FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1";
    let page = |row: &Row<'_>| {
        Ok(ScoredPage { url: row.get(0)?, title: row.get(1)?, date: CaptureDate::from_millis(row.get(2)?) })
    };
    Ok(conn.prepare_cached(FIND)?.query_row([id], page)?)
}

macro_rules! facts_sql {
    () => {
        concat!(
            "SELECT c.id, ",
            $crate::store::captures::originals::shown_status_sql!(),
            ", c.mime, iif(c.hops <> '' OR ifnull(c.seed, '') <> '', c.hops, NULL), ",
            $crate::store::review::marks::decision_sql!(),
            ", c.change = 2, (SELECT kind = 'import' FROM launch l WHERE l.id = c.launch),
               m.request, m.holds, m.terms, m.external_hosts, m.anchor_hosts, m.capture IS NOT NULL,
               c.host, c.size, s.score, s.selected, s.review, c.media, ",
            $crate::store::review::marks::rejected_before_sql!(),
            ", m.entities
             FROM capture c LEFT JOIN measure m ON m.campaign = ?1 AND m.capture = c.id
             LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id"
        )
    };
}
pub(in crate::store::review) use facts_sql;

pub(in crate::store) const FACTS: &str = facts_sql!();

/// A row of [`FACTS`]; the terms that were found are only read where they are shown.
pub(in crate::store) fn to_score(row: &Row<'_>, window_days: u32, with_terms: bool) -> Result<ToScore, StoreError> {
    let status: i32 = row.get(1)?;
    let mime = row.get_ref(2)?.as_str().unwrap_or_default();
    let hops = row.get_ref(3)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let decision = row.get_ref(4)?.as_str_or_null().map_err(rusqlite::Error::from)?.and_then(mark_of);
    let number = |at| -> rusqlite::Result<Option<u64>> { Ok(row.get::<_, Option<i64>>(at)?.map(uint)) };
    let request = match row.get::<_, Option<f64>>(7)? {
        None => None,
        Some(score) => Some(RequestReading {
            score,
            holds: row.get(8)?,
            summary: if with_terms { row.get(9)? } else { String::new() },
        }),
    };
    Ok(ToScore {
        id: row.get(0)?,
        decision,
        rejected_before: row.get(19)?,
        input: ScoreInput {
            request,
            without_text: without_text(status, mime, Media::of_number(row.get(18)?), hops),
            external_hosts: number(10)?,
            anchor_hosts: number(11)?,
            window_days,
            depth: hops.and_then(|hops| u32::try_from(hop_count(hops)).ok()),
            depth_is_claim: row.get(6)?,
            review: review_of(decision),
            first_of_payload: Some(!row.get::<_, bool>(5)?),
            entities: number(20)?,
        },
    })
}

/// The review state of a decision, as the score counts it.
pub(in crate::store) fn review_of(decision: Option<ReviewMark>) -> ReviewState {
    match decision {
        Some(ReviewMark::Approve) => ReviewState::Approved,
        Some(ReviewMark::Reject) => ReviewState::Rejected,
        Some(ReviewMark::Flag) => ReviewState::Flagged,
        _ => ReviewState::None,
    }
}

/// Why a capture has no text of its own that a request could be compared with.
pub(in crate::store) fn without_text(
    status: i32,
    mime: &str,
    media: Media,
    hops: Option<&str>,
) -> Option<&'static str> {
    match status {
        _ if hops.is_some_and(|hops| hops.contains('P')) => Some("what a crawl fetches first, such as robots.txt,"),
        200..=299 if media == Media::Image => Some("an image"),
        200..=299 if mime.contains("css") => Some("a style sheet"),
        200..=299 if media == Media::Code => Some("a script or rules for crawlers"),
        200..=299 if mime.contains("font") => Some("a font"),
        200..=299 => None,
        300..=399 => Some("a redirect"),
        400.. => Some("an error"),
        _ => Some("what has no HTTP status"),
    }
}
