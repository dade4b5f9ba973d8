//! A request is tried while it is written: how many captures meet it, and the best and the worst of
//! these.
//!
//! Each capture has the score that a selection gives its request: both use [`RequestMatches`].

use super::request_matches::{RequestMatches, Weighed};
use super::search::{NoQuery, SearchRoom};
use super::stored_pages::PageTexts;
use super::text_index::index_folder;
use crate::analysis::Matcher;
use crate::campaign::{Request, Term};
use crate::query::quoted_value;
use crate::search::TextIndex;
use crate::store::{Catalogue, Workspace};
use crate::uri::CaptureDate;
use crate::work::models::{CampaignId, CaptureId};
use anyhow::Context;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

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
    /// The score of the request, 0 to 1: the part of the capture's score.
    pub score: f64,
    /// Whether the request holds.
    pub holds: bool,
    /// The terms that were found, with places and counts.
    pub found: String,
    /// The parts that lower the score; empty where nothing does.
    pub lacks: String,
    /// Why its record could not be read; then it has no text.
    pub unread: Option<String>,
}

/// A term of a request, and how many captures have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermFound {
    /// The term.
    #[serde(flatten)]
    pub term: Term,
    /// The captures that have it.
    pub captures: u64,
}

/// The figures of a tried request, and captures at both ends of its scores.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RequestSample {
    /// Captures of the campaign, or of all.
    pub captures: u64,
    /// Those that meet the request.
    pub meeting: u64,
    /// Its terms, with the captures that have each, whether they meet the request or not.
    pub terms: Vec<TermFound>,
    /// The filter that finds those that meet it; under NOT it finds the others.
    pub filter: String,
    /// Captures that the index does not have yet; none where there is no index, and then no more either.
    pub waiting: Option<u64>,
    /// The best ones, one of each content: those that miss the request as well where few meet it.
    pub best: Vec<SampleRow>,
    /// The worst of those that meet it, the worst first, without those that are among the best.
    pub worst: Vec<SampleRow>,
}

/// The captures of a campaign under a request, with so many best and worst ones.
///
/// # Errors
///
/// A catalogue or index that cannot be read.
pub(in crate::work) fn request_sample(
    workspace: &Workspace,
    room: &SearchRoom,
    request: &Request,
    campaign: Option<CampaignId>,
    each: usize,
) -> anyhow::Result<RequestSample> {
    let catalogue = workspace.catalogue();
    let facts = room.facts(catalogue)?;
    let mut available = facts.captures().clone();
    if let Some(campaign) = campaign {
        available.intersect_with(&facts.of_campaign(campaign.get()));
    }
    let mut sample = RequestSample { captures: available.count_ones(..) as u64, ..RequestSample::default() };
    let matcher = Matcher::compile(request);
    let Some(index) = room.index(workspace.catalogue(), &index_folder(workspace))? else { return Ok(sample) };
    let through = index.mark()?.unwrap_or_default().through;
    sample.waiting = Some(catalogue.captures_behind(CaptureId::new(through))?);
    if matcher.terms().is_empty() {
        return Ok(sample);
    }
    sample.filter = format!("request:{}", quoted_value(&request.to_string()));
    available.intersect_with(facts.with_text());
    let matches = RequestMatches::of(matcher, Some(&index))?;
    let counts = matches.captures_by_term(&facts, &available);
    let terms = matches.matcher.terms().iter().cloned().zip(counts);
    sample.terms = terms.map(|(term, captures)| TermFound { term, captures }).collect();
    let mut weighed = matches.weigh(&facts, &available);
    sample.meeting = weighed.iter().filter(|of| of.holds).count() as u64;
    let newest = |of: &Weighed| Reverse((facts.date_ms_of(of.capture), of.capture));
    let by_score = |a: &Weighed, b: &Weighed| b.score.total_cmp(&a.score).then_with(|| newest(a).cmp(&newest(b)));
    let texts = PageTexts::open(workspace)?;
    let row = |of: &Weighed| sample_row(workspace, &texts, &matches, of.capture);

    weighed.retain(|of| of.score > 0.0 || of.holds);
    let scoring = |of: &Weighed| of.score > 0.0;
    let content = |of: &Weighed| facts.version_of(of.capture);
    let best = first_contents(&mut weighed, by_score, scoring, content, each, &HashSet::new());
    sample.best = best.par_iter().map(|of| row(of)).collect::<anyhow::Result<_>>()?;

    let shown = sample.best.iter().filter_map(|row| usize::try_from(row.capture).ok());
    let shown: HashSet<usize> = shown.map(|capture| facts.version_of(capture)).collect();
    weighed.retain(|of| of.holds);
    let worst = first_contents(&mut weighed, |a, b| by_score(b, a), |_| true, content, each, &shown);
    sample.worst = worst.par_iter().map(|of| row(of)).collect::<anyhow::Result<_>>()?;
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
    request: &RequestMatches,
    capture: usize,
) -> anyhow::Result<SampleRow> {
    let capture = CaptureId::try_from(capture)?;
    let mut heads = workspace.catalogue().capture_heads(&[capture])?;
    let stored = heads.pop().with_context(|| format!("capture {capture} is gone"))?;
    let (matches, unread) = request.of_capture(&mut texts.reader()?, &stored);
    Ok(SampleRow {
        capture,
        url: stored.url,
        title: stored.title,
        date: stored.date,
        score: matches.score,
        holds: matches.holds,
        found: request.matcher.describe(&matches),
        lacks: request.matcher.lacks(&matches),
        unread,
    })
}

/// The captures that meet a request as it is written.
pub(in crate::work) fn meeting_request(
    catalogue: &Catalogue,
    index: &TextIndex,
    room: &SearchRoom,
    request: &str,
) -> anyhow::Result<FixedBitSet> {
    let request: Request = request.parse().map_err(|error| NoQuery(format!("in the request, {error}")))?;
    let facts = room.facts(catalogue)?;
    Ok(RequestMatches::of(Matcher::compile(&request), Some(index))?.meeting(&facts, facts.with_text()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "request_sample_tests.rs"]
mod tests;
