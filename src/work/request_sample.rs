//! What a request comes to while it is written: how many captures meet it,
//! and the best and the worst of these.
//!
//! The index says what every capture scores: it counts the terms of the
//! request where [`Matcher::read`] would find them. The texts of the captures
//! that are shown are read as a selection reads them ([`PageTexts`]), so
//! that each has the score that a selection gives its request. Only a phrase
//! that begins in one block of a page and ends in another, and a title that
//! stands in a page's metadata alone, are counted in another way.

use super::models::{CampaignId, CaptureId};
use super::page_texts::PageTexts;
use super::search::{NoQuery, SearchRoom};
use super::select::request_matches;
use super::text_index::index_folder;
use crate::analysis::{MatchPlace, Matcher};
use crate::campaign::{FieldTest, Request, quoted_value};
use crate::search::{CaptureFacts, FacetKind, TextIndex};
use crate::store::{Catalogue, Workspace};
use crate::uri::CaptureDate;
use anyhow::Context;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};

/// Captures at each end that are read beside those shown: the index may have them in another order.
const SPARE: usize = 5;

/// Captures that are sorted at first, of which those shown are taken.
const FEW_SORTED: usize = 1 << 10;

/// A capture of a sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleRow {
    /// Its number.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// What the request comes to, 0 to 1: the part of its score.
    pub score: f64,
    /// Whether the request holds.
    pub holds: bool,
    /// Which terms were found, where and how often.
    pub found: String,
    /// What lowers the score; empty where nothing does.
    pub lacks: String,
    /// Why its record could not be read; then it has no text.
    pub unread: Option<String>,
}

/// What a request comes to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RequestSample {
    /// Captures at hand.
    pub captures: u64,
    /// Those that meet the request.
    pub meeting: u64,
    /// The filter that finds those; under NOT it finds the others.
    pub filter: String,
    /// Captures that the index does not have yet; none where there is no index, and then no more either.
    pub waiting: Option<u64>,
    /// The best ones, one of each content: those that miss the request as well where few meet it.
    pub best: Vec<SampleRow>,
    /// The worst of those that meet it, the worst first, without those that are among the best.
    pub worst: Vec<SampleRow>,
}

/// What a capture scores by the index.
struct Weighed {
    capture: usize,
    holds: bool,
    score: f64,
}

/// The captures of a campaign under a request, with so many best and worst ones.
///
/// # Errors
///
/// A catalogue or index that cannot be read.
pub(super) fn request_sample(
    workspace: &Workspace,
    room: &SearchRoom,
    request: &Request,
    campaign: Option<CampaignId>,
    each: usize,
) -> anyhow::Result<RequestSample> {
    let catalogue = workspace.catalogue();
    let facts = room.facts(catalogue)?;
    let mut at_hand = facts.captures().clone();
    if let Some(campaign) = campaign {
        at_hand.intersect_with(&facts.with_value(FacetKind::Campaign, &[&campaign.to_string()]));
    }
    let mut sample = RequestSample { captures: at_hand.count_ones(..) as u64, ..RequestSample::default() };
    let matcher = Matcher::compile(request);
    let Some(index) = room.index(workspace.catalogue(), &index_folder(workspace))? else { return Ok(sample) };
    let through = index.mark()?.unwrap_or_default().through;
    sample.waiting = Some(catalogue.captures_behind(CaptureId::new(through))?);
    if matcher.terms().is_empty() {
        return Ok(sample);
    }
    sample.filter = format!("request:{}", quoted_value(&request.to_string()));
    at_hand.intersect_with(&*room.with_text(catalogue)?);
    let mut weighed = weigh(&index, &facts, &at_hand, &matcher)?;
    sample.meeting = weighed.iter().filter(|of| of.holds).count() as u64;
    let newest = |of: &Weighed| Reverse((facts.day_of(of.capture), of.capture));
    let by_score = |a: &Weighed, b: &Weighed| b.score.total_cmp(&a.score).then_with(|| newest(a).cmp(&newest(b)));
    let texts = PageTexts::open(workspace)?;
    let read = |of: &Weighed| sample_row(workspace, &texts, &matcher, of.capture);

    weighed.retain(|of| of.score > 0.0 || of.holds);
    let scoring = |of: &Weighed| of.score > 0.0;
    let content = |of: &Weighed| facts.version_of(of.capture);
    let best = first_contents(&mut weighed, by_score, scoring, content, each + SPARE, &HashSet::new());
    sample.best = best.par_iter().map(|of| read(of)).collect::<anyhow::Result<_>>()?;
    sample.best.sort_by(|a, b| b.score.total_cmp(&a.score));
    sample.best.truncate(each);

    let shown = sample.best.iter().filter_map(|row| usize::try_from(row.capture).ok());
    let shown: HashSet<usize> = shown.map(|capture| facts.version_of(capture)).collect();
    weighed.retain(|of| of.holds);
    let worst = first_contents(&mut weighed, |a, b| by_score(b, a), |_| true, content, each + SPARE, &shown);
    sample.worst = worst.par_iter().map(|of| read(of)).collect::<anyhow::Result<_>>()?;
    sample.worst.retain(|row| row.holds);
    sample.worst.sort_by(|a, b| a.score.total_cmp(&b.score));
    sample.worst.truncate(each);
    Ok(sample)
}

/// The first captures in an order, one of each content that is not among these, at most so many.
fn first_contents<'w>(
    weighed: &'w mut [Weighed],
    order: impl Fn(&Weighed, &Weighed) -> Ordering,
    counts: impl Fn(&Weighed) -> bool,
    content: impl Fn(&Weighed) -> usize,
    most: usize,
    without: &HashSet<usize>,
) -> Vec<&'w Weighed> {
    // Sorting all of them would take longer than weighing them.
    let mut sorted = FEW_SORTED;
    loop {
        if sorted < weighed.len() {
            weighed.select_nth_unstable_by(sorted, &order);
        }
        sorted = sorted.min(weighed.len());
        weighed[..sorted].sort_unstable_by(&order);
        let mut seen = HashSet::new();
        let is_first = |at: &usize| {
            let content = content(&weighed[*at]);
            counts(&weighed[*at]) && !without.contains(&content) && seen.insert(content)
        };
        let first: Vec<usize> = (0..sorted).filter(is_first).take(most).collect();
        if first.len() == most || sorted == weighed.len() {
            let weighed: &'w [Weighed] = weighed;
            return first.into_iter().map(|at| &weighed[at]).collect();
        }
        sorted *= 16;
    }
}

fn sample_row(
    workspace: &Workspace,
    texts: &PageTexts<'_>,
    matcher: &Matcher,
    capture: usize,
) -> anyhow::Result<SampleRow> {
    let capture = CaptureId::try_from(capture)?;
    let mut heads = workspace.catalogue().capture_heads(&[capture])?;
    let stored = heads.pop().with_context(|| format!("capture {capture} is gone"))?;
    let (matches, unread) = request_matches(&mut texts.reader()?, matcher, &stored);
    Ok(SampleRow {
        capture,
        url: stored.url,
        title: stored.title,
        date: stored.date,
        score: matches.score,
        holds: matches.holds,
        found: matcher.describe(&matches),
        lacks: matcher.lacks(&matches),
        unread,
    })
}

/// The captures that meet the request in the value of a field.
pub(super) fn meeting_request(
    catalogue: &Catalogue,
    index: &TextIndex,
    room: &SearchRoom,
    field: &FieldTest,
) -> anyhow::Result<FixedBitSet> {
    let request: Request = field.value.parse().map_err(|error| NoQuery(format!("in the request, {error}")))?;
    let (facts, with_text) = (room.facts(catalogue)?, room.with_text(catalogue)?);
    let mut at_hand = facts.captures().clone();
    at_hand.intersect_with(&with_text);
    let weighed = weigh(index, &facts, &at_hand, &Matcher::compile(&request))?;
    Ok(weighed.iter().filter(|of| of.holds).map(|of| of.capture).collect())
}

/// What captures score under a request by the index.
fn weigh(
    index: &TextIndex,
    facts: &CaptureFacts,
    captures: &FixedBitSet,
    matcher: &Matcher,
) -> anyhow::Result<Vec<Weighed>> {
    let terms = matcher.terms().len();
    let mut strengths = Strengths::of(terms);
    for term in 0..terms {
        for needle in matcher.needles(term) {
            for place in [MatchPlace::Title, MatchPlace::Url, MatchPlace::Text] {
                index.occurrences(place, &needle, &mut |version, count| {
                    strengths.add(usize::try_from(version).unwrap_or_default(), term, place.worth() * count);
                })?;
            }
        }
    }
    let mut known: HashMap<Vec<u64>, (bool, f64), foldhash::fast::RandomState> = HashMap::default();
    let mut strength = Vec::with_capacity(terms);
    let weighed = captures.ones().map(|capture| {
        strength.clear();
        strength.extend_from_slice(strengths.of_version(facts.version_of(capture)));
        let language = Some(facts.language_of(capture)).filter(|language| !language.is_empty());
        let date = CaptureDate::from_seconds(i64::from(facts.day_of(capture)) * 86_400);
        for (term, strength) in strength.iter_mut().enumerate() {
            let met = matcher.met_without_text(term, language, Some(date));
            *strength += met.map_or(0, MatchPlace::worth);
        }
        let (holds, score) = match known.get(&strength) {
            Some(known) => *known,
            None => {
                let weight = matcher.weigh(&strength);
                known.insert(strength.clone(), weight);
                weight
            }
        };
        Weighed { capture, holds, score }
    });
    Ok(weighed.collect())
}

/// What the occurrences of each term in a content version come to.
struct Strengths {
    terms: usize,
    /// Of each version its row among the strengths; the first row is of those that hold no term.
    rows: Vec<u32>,
    strengths: Vec<u64>,
}

impl Strengths {
    fn of(terms: usize) -> Self {
        Self { terms, rows: Vec::new(), strengths: vec![0; terms] }
    }

    fn add(&mut self, version: usize, term: usize, strength: u64) {
        if self.rows.len() <= version {
            self.rows.resize(version + 1, 0);
        }
        if self.rows[version] == 0 {
            self.rows[version] = u32::try_from(self.strengths.len() / self.terms).unwrap_or_default();
            self.strengths.resize(self.strengths.len() + self.terms, 0);
        }
        self.strengths[self.rows[version] as usize * self.terms + term] += strength;
    }

    fn of_version(&self, version: usize) -> &[u64] {
        let first = self.rows.get(version).map_or(0, |row| *row as usize * self.terms);
        &self.strengths[first..first + self.terms]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "request_sample_tests.rs"]
mod tests;
