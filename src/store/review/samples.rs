//! Samples of what is to review: pages drawn at random, kept with their seed, and what the decisions on them tell.

use super::assessments::{Assessment, ReviewAspect};
use super::marks::{decisions_on_sql, of_decision_sql};
use crate::analysis::RaterAgreement;
use crate::analysis::sampling::{SampleFigures, Stratum, drawn_of_strata, every_fifth, random_order, sample_size};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, mark_of, uint};
use crate::store::rows::{CampaignId, CaptureId, CaptureQuery, CaptureTab, SampleId};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use std::collections::BTreeMap;

/// Names of samples have so many letters at most.
const LONGEST_NAME: usize = 80;

/// What a sample is drawn by.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewSampleSpec {
    /// Its name; empty for one with its date.
    pub name: String,
    /// The campaign; none for all captures.
    pub campaign: Option<CampaignId>,
    /// A filter of what it is drawn from; empty for all that is to review.
    pub filter: String,
    /// How far the share of faulty pages may be off with 95 %, from 0 to 1.
    pub margin: f64,
    /// About how many pages are faulty, from 0 to 1; 0.5 assumes nothing.
    pub expected: f64,
    /// The number of pages, where a person chooses that instead of the margin.
    pub size: Option<u64>,
    /// Whether it is drawn by hosts: at least two pages of each.
    pub is_stratified: bool,
    /// The seed of its order.
    pub seed: u64,
    /// The person who draws it.
    pub who: String,
}

/// A sample with what its decisions tell so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewSample {
    /// Its number.
    pub id: SampleId,
    /// Its name.
    pub name: String,
    /// The campaign it was drawn from.
    pub campaign: Option<CampaignId>,
    /// The filter that it was drawn from; empty for all.
    pub filter: String,
    /// The seed of its order.
    pub seed: u64,
    /// The margin that it was drawn for.
    pub margin: f64,
    /// Whether it was drawn by hosts.
    pub is_stratified: bool,
    /// Who drew it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// Pages that it was drawn from.
    pub population: u64,
    /// Pages of the sample.
    pub size: u64,
    /// Those that a second person judges, too.
    pub twice: u64,
    /// The figures of pages that are faulty in any way.
    pub figures: SampleFigures,
    /// The same of faulty content.
    pub content: SampleFigures,
    /// The same of technical faults.
    pub technical: SampleFigures,
}

/// How far two persons agree about the pages of a sample that both judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleAgreement {
    /// Sound or faulty.
    pub overall: RaterAgreement,
    /// The same of the content.
    pub content: RaterAgreement,
    /// The same of technical quality.
    pub technical: RaterAgreement,
    /// Pages that wait for a second person.
    pub waiting: u64,
}

/// A page of a sample with the decision that counts.
pub(super) struct JudgedPage {
    place: i64,
    host: i64,
    is_skipped: bool,
    /// Whether it is faulty in any way, in content, technically; none where it was not judged.
    pub(super) faults: [Option<bool>; 3],
}

impl Catalogue {
    /// Draws a sample of what is to review now.
    ///
    /// # Errors
    ///
    /// A filter that cannot be understood, nothing to draw from, a name that is taken, a catalogue that cannot be written.
    pub fn draw_sample(&self, spec: &ReviewSampleSpec) -> Result<SampleId, StoreError> {
        let query = CaptureQuery {
            filter: spec.filter.trim().to_owned(),
            tab: CaptureTab::NotReviewed,
            campaign: spec.campaign,
            sort: Vec::new(),
            offset: 0,
            limit: u64::MAX,
        };
        let ids = self.matching_captures(&query)?;
        if ids.is_clear() {
            return Err(StoreError::Filter("nothing is to review there, so that no sample can be drawn".to_owned()));
        }
        let population = ids.count_ones(..) as u64;
        let size = spec.size.unwrap_or_else(|| sample_size(population, spec.margin, spec.expected)).min(population);
        let mut hosts: BTreeMap<i64, Vec<CaptureId>> = BTreeMap::new();
        let mut host_of: BTreeMap<CaptureId, i64> = BTreeMap::new();
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT host FROM capture WHERE id = ?1")?;
            for id in ids.ones().filter_map(|id| CaptureId::try_from(id).ok()) {
                let host: i64 = if spec.is_stratified { statement.query_row([id], |row| row.get(0))? } else { 0 };
                hosts.entry(host).or_default().push(id);
            }
            Ok(())
        })?;
        let strata: Vec<(i64, u64)> = hosts.iter().map(|(host, ids)| (*host, ids.len() as u64)).collect();
        let pages: Vec<u64> = strata.iter().map(|(_, pages)| *pages).collect();
        let parts = if spec.is_stratified { drawn_of_strata(&pages, size) } else { vec![size] };
        for ((host, ids), part) in hosts.into_iter().zip(parts) {
            let part = usize::try_from(part).unwrap_or(usize::MAX);
            host_of.extend(random_order(ids, spec.seed).into_iter().take(part).map(|id| (id, host)));
        }
        // Hosts are mixed, so that each beginning has pages of several.
        let order = random_order(host_of.keys().copied().collect(), !spec.seed);
        let (spec, now) = (spec.clone(), CaptureDate::now());
        self.write(move |conn| {
            let name: String = match spec.name.split_whitespace().collect::<Vec<_>>().join(" ") {
                name if name.is_empty() => format!("Sample of {}", now.to_readable()),
                name => name.chars().take(LONGEST_NAME).collect(),
            };
            let is_taken: bool = conn
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM review_sample WHERE name = ?1)")?
                .query_row([&name], |row| row.get(0))?;
            if is_taken {
                return Err(StoreError::Filter(format!("there is a sample “{name}” already; choose another name")));
            }
            conn.prepare_cached(
                "INSERT INTO review_sample (name, campaign, filter, seed, margin, is_stratified, who, date_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                name,
                spec.campaign,
                spec.filter.trim(),
                spec.seed.cast_signed(),
                spec.margin,
                spec.is_stratified,
                spec.who,
                now.millis()
            ])?;
            let sample = SampleId::new(conn.last_insert_rowid());
            let mut stratum = conn.prepare_cached("INSERT INTO sample_stratum VALUES (?1, ?2, ?3)")?;
            for (host, pages) in &strata {
                stratum.execute(params![sample, host, int(*pages)])?;
            }
            let mut item = conn.prepare_cached(
                "INSERT INTO sampled_capture (sample, place, capture, host, twice) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (place, capture) in (0_u64..).zip(&order) {
                let host = host_of.get(capture).copied().unwrap_or_default();
                item.execute(params![sample, int(place), capture, host, every_fifth(place, spec.seed)])?;
            }
            Ok(sample)
        })
    }

    /// The samples of a campaign, or all, newest first, with what their decisions tell.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn samples(&self, campaign: Option<CampaignId>) -> Result<Vec<ReviewSample>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT id, name, campaign, filter, seed, margin, is_stratified, who, date_ms FROM review_sample
                 WHERE ?1 IS NULL OR campaign = ?1 ORDER BY id DESC",
            )?;
            let mut rows = statement.query([campaign])?;
            let mut samples = Vec::new();
            while let Some(row) = rows.next()? {
                let id: SampleId = row.get(0)?;
                let is_stratified: bool = row.get(6)?;
                let pages = judged_pages(conn, id)?;
                let strata = strata(conn, id)?;
                let of = |fault: usize| figures(&pages, &strata, fault, is_stratified);
                samples.push(ReviewSample {
                    id,
                    name: row.get(1)?,
                    campaign: row.get(2)?,
                    filter: row.get(3)?,
                    seed: row.get::<_, i64>(4)?.cast_unsigned(),
                    margin: row.get(5)?,
                    is_stratified,
                    who: row.get(7)?,
                    date: CaptureDate::from_millis(row.get(8)?),
                    population: strata.iter().map(|(_, pages)| pages).sum(),
                    size: pages.len() as u64,
                    twice: uint(
                        conn.prepare_cached(
                            "SELECT (SELECT count(*) FROM sampled_capture WHERE sample = ?1 AND twice)
                                + (SELECT count(*) FROM sampled_elsewhere WHERE sample = ?1 AND twice)",
                        )?
                        .query_row([id], |row| row.get(0))?,
                    ),
                    figures: of(0),
                    content: of(1),
                    technical: of(2),
                });
            }
            Ok(samples)
        })
    }

    /// The captures of a sample, in the order in which they are judged.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn sampled_captures(&self, sample: SampleId) -> Result<Vec<CaptureId>, StoreError> {
        self.rows("SELECT capture FROM sampled_capture WHERE sample = ?1 ORDER BY place", [sample], |row| row.get(0))
    }

    /// Notes that a person passed over a capture of a sample, or takes that back: it counts as not judged.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn skip_sampled(&self, sample: SampleId, capture: CaptureId, is_skipped: bool) -> Result<(), StoreError> {
        self.execute(
            "UPDATE sampled_capture SET skipped = ?3 WHERE sample = ?1 AND capture = ?2",
            (sample, capture, is_skipped),
        )
    }

    /// How far persons agree about the pages of a sample that two of them judged: of each page the first two persons, with
    /// the last decision of each.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or without such a sample.
    pub fn sample_agreement(&self, sample: SampleId) -> Result<SampleAgreement, StoreError> {
        const FIND: &str = concat!(
            "SELECT e.place, m.who, m.mark, a.content, a.technical, a.codes
             FROM sampled_capture e CROSS JOIN capture c ON c.id = e.capture
             LEFT JOIN mark m ON ",
            decisions_on_sql!(),
            " LEFT JOIN review_act a ON a.act = m.act
             WHERE e.sample = ?1 AND e.twice ORDER BY e.place, m.id"
        );
        self.read(|conn| {
            let known: Option<i64> = conn
                .prepare_cached("SELECT id FROM review_sample WHERE id = ?1")?
                .query_row([sample], |row| row.get(0))
                .optional()?;
            known.ok_or(StoreError::Missing { what: "sample", id: sample.to_string() })?;
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([sample])?;
            // Of each page the persons in the order in which they came, with the last decision of each.
            let mut places: BTreeMap<i64, Vec<(String, Faults)>> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let by = places.entry(row.get(0)?).or_default();
                let (Some(who), Some(name)) = (row.get::<_, Option<String>>(1)?, row.get::<_, Option<String>>(2)?)
                else {
                    continue;
                };
                let faults = faults_of(&name, row.get(3)?, row.get(4)?, row.get::<_, Option<String>>(5)?.as_deref());
                match by.iter_mut().find(|(person, _)| *person == who) {
                    Some((_, last)) => *last = faults,
                    None => by.push((who, faults)),
                }
            }
            let mut pairs: [Vec<(bool, bool)>; 3] = Default::default();
            let mut waiting = 0;
            for by in places.values() {
                let mut judged = by.iter().filter_map(|(_, faults)| *faults);
                let (Some(first), Some(second)) = (judged.next(), judged.next()) else {
                    waiting += 1;
                    continue;
                };
                for (fault, pairs) in pairs.iter_mut().enumerate() {
                    pairs.extend(first[fault].zip(second[fault]));
                }
            }
            let of = |fault: usize| RaterAgreement::of(&pairs[fault], &[true, false]);
            Ok(SampleAgreement { overall: of(0), content: of(1), technical: of(2), waiting })
        })
    }
}

/// Faults that a decision names: any, in content, technical; none of what is no decision.
type Faults = Option<[Option<bool>; 3]>;

/// Whether a decision says that a page is faulty in any way, in content, technically; none for what is no decision.
fn faults_of(
    mark: &str,
    content: Option<bool>,
    technical: Option<bool>,
    codes: Option<&str>,
) -> Option<[Option<bool>; 3]> {
    let mark = mark_of(mark).filter(|mark| crate::store::rows::ReviewMark::DECISIONS.contains(mark))?;
    let judged = match codes {
        Some(_) => Assessment::of_columns(content, technical, codes),
        // It was given where nobody chooses reasons.
        None => Assessment::of(mark, &[]),
    };
    let of_aspect = |aspect: ReviewAspect| judged.of_aspect(aspect).map(|is_sound| !is_sound);
    Some([Some(judged.is_faulty(mark)), of_aspect(ReviewAspect::Content), of_aspect(ReviewAspect::Technical)])
}

/// The pages of a sample, those that are not here among them, in the order in which they are judged.
pub(super) fn judged_pages(conn: &Connection, sample: SampleId) -> Result<Vec<JudgedPage>, StoreError> {
    const FIND: &str = concat!(
        "SELECT e.host, e.skipped, d.mark, a.content, a.technical, a.codes, e.place FROM (
            SELECT e.host, e.skipped, e.place, ",
        of_decision_sql!("m.id"),
        " AS decision FROM sampled_capture e CROSS JOIN capture c ON c.id = e.capture WHERE e.sample = ?1) e
         LEFT JOIN mark d ON d.id = e.decision LEFT JOIN review_act a ON a.act = d.act ORDER BY e.place"
    );
    let mut statement = conn.prepare_cached(FIND)?;
    let mut rows = statement.query([sample])?;
    let mut pages = Vec::new();
    while let Some(row) = rows.next()? {
        let name: Option<String> = row.get(2)?;
        let faults = name.map_or(Ok(None), |name| {
            let codes: Option<String> = row.get(5)?;
            Ok::<_, StoreError>(faults_of(&name, row.get(3)?, row.get(4)?, codes.as_deref()))
        })?;
        let (host, is_skipped, place) = (row.get(0)?, row.get(1)?, row.get(6)?);
        pages.push(JudgedPage { place, host, is_skipped, faults: faults.unwrap_or_default() });
    }
    let mut elsewhere = conn.prepare_cached(
        "SELECT place, host, skipped, faulty, content, technical FROM sampled_elsewhere WHERE sample = ?1",
    )?;
    let elsewhere = elsewhere.query_map([sample], |row| {
        let faults = [row.get(3)?, row.get(4)?, row.get(5)?];
        Ok(JudgedPage { place: row.get(0)?, host: row.get(1)?, is_skipped: row.get(2)?, faults })
    })?;
    pages.extend(elsewhere.collect::<rusqlite::Result<Vec<_>>>()?);
    pages.sort_by_key(|page| page.place);
    Ok(pages)
}

fn strata(conn: &Connection, sample: SampleId) -> Result<Vec<(i64, u64)>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT host, pages FROM sample_stratum WHERE sample = ?1 ORDER BY host")?;
    let rows = statement.query_map([sample], |row| Ok((row.get(0)?, uint(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn figures(pages: &[JudgedPage], strata: &[(i64, u64)], fault: usize, is_stratified: bool) -> SampleFigures {
    let mut of: BTreeMap<i64, Stratum> =
        strata.iter().map(|(host, pages)| (*host, Stratum { pages: *pages, ..Stratum::default() })).collect();
    let mut skipped = 0;
    for page in pages {
        let Some(stratum) = of.get_mut(&page.host) else { continue };
        match page.faults[fault] {
            Some(is_faulty) => {
                stratum.judged += 1;
                stratum.faulty += u64::from(is_faulty);
            }
            None => skipped += u64::from(page.is_skipped && page.faults[0].is_none()),
        }
    }
    let strata: Vec<Stratum> = of.into_values().collect();
    SampleFigures::of(&strata, skipped, is_stratified)
}
