//! Scores captures and keeps the selection.

use crate::analysis::{Matcher, RequestReading};
use crate::inlinks::stored::host_of;
use crate::jobs::{Cancelled, JobCx, counted};
use crate::search::TextIndexError;
use crate::store::{
    CaptureHead, ExternallyLinked, Measurement, ScoreScope, SelectionCriteria, ToScore, UnderWay, Workspace,
};
use crate::work::Report;
use crate::work::everything;
use crate::work::find::request_matches::RequestMatches;
use crate::work::find::search::depends_on_texts;
use crate::work::find::stored_pages::{PageTextReader, PageTexts};
use crate::work::find::text_index::{index_folder, index_texts, open_index};
use crate::work::models::{
    Balance, CampaignId, CaptureId, CaptureQuery, ScoreSet, ScoredPage, ScoredRow, SelectionOffer, SelectionSpec,
    changed_rejections,
};
use anyhow::Context;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// The difference of a selection from the one that is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SelectionChange {
    /// Captures of the kept selection.
    pub kept: u64,
    /// Captures that come in.
    pub added: u64,
    /// Captures that go out.
    pub removed: u64,
}

/// The outcome of selecting.
#[derive(Debug, Clone, Serialize)]
pub struct SelectReport {
    /// Its figures.
    #[serde(flatten)]
    pub balance: Balance,
    /// Captures selected.
    pub selected: u64,
    /// The criterion where no person decided, as text.
    pub criterion: String,
    /// URLs with an earlier rejection that changed: their new versions are to review, and none of them is selected.
    pub rejected_before: u64,
    /// Against the kept selection; none where none is kept.
    pub change: Option<SelectionChange>,
    /// Links of captures that came since inlinks were built do not count.
    pub links_are_old: bool,
    /// Captures whose texts and links were read; of all others they were kept.
    pub measured: u64,
    /// Captures whose record could not be read; they have no text to match.
    pub unread: Vec<String>,
}

impl Report for SelectReport {
    fn summary(&self) -> String {
        let change = self.change.map(|change| format!("; +{} −{}", change.added, change.removed));
        self.outcome() + &change.unwrap_or_default()
    }
}

/// A selection that was made again after a crawl or import, as its campaign is set.
pub struct SelectedAfterRun(pub SelectReport);

impl Report for SelectedAfterRun {
    fn summary(&self) -> String {
        format!("Made again after the run, as the campaign says: {}", self.0.summary())
    }
}

impl SelectReport {
    /// The outcome as text, without the change against the kept selection.
    pub fn outcome(&self) -> String {
        let Balance { scored, excluded, included, overrides, .. } = &self.balance;
        let mut text = format!(
            "{} of {} selected ({}); {excluded} excluded by hand, {included} included by hand",
            self.selected,
            counted(*scored, "capture"),
            self.criterion
        );
        if *overrides > 0 {
            text.push_str(&format!(" ({overrides} against the score or filter)"));
        }
        if self.rejected_before > 0 {
            text.push_str(&format!("; {}, left out until approved", changed_rejections(self.rejected_before)));
        }
        if !self.unread.is_empty() {
            text.push_str(&format!("; {} could not be read", counted(self.unread.len() as u64, "capture")));
        }
        if self.links_are_old {
            text.push_str("; captures since the last build of inlinks are not counted as links");
        }
        text
    }
}

/// Captures that are not indexed yet and are read from their records for a score; of more the index is followed up
/// first, so that nobody reads them again.
const FEW_UNINDEXED: u64 = 1_000;
/// Captures that are measured between two commits.
const BATCH: u64 = 2_048;
/// Captures that one thread measures behind each other.
const MEASURED_TOGETHER: usize = 64;
/// The formula of [`Measurement`]s: what was measured with another one is measured again.
const FORMULA: u32 = 3;

/// Scores every capture of the campaign (and every imported one) and keeps
/// the selection in the place of the last one. Texts and links are read of
/// captures that were not measured yet; of all when the request, the inlinks
/// or the window changed. A stop loses nothing that was measured.
///
/// # Errors
///
/// A selection without a capture replaces no other one unless `allow_empty`;
/// a filter without meaning; a catalogue that cannot be read or written.
pub fn select(
    workspace: &Workspace,
    spec: &SelectionSpec,
    allow_empty: bool,
    cx: &JobCx,
) -> anyhow::Result<SelectReport> {
    // A filter without meaning is refused at once; what it finds may change with the index.
    selection_criteria(workspace, spec)?;
    index_many(workspace, &spec.filter, cx)?;
    let sides = selection_criteria(workspace, spec)?;
    let scoring = Scoring::of(workspace, spec)?;
    let mut unread = Vec::new();
    let (scores, measured) = scoring.scores(true, &mut unread, cx)?;
    let report = scoring.report(&scores, &sides, measured, unread)?;
    if let (0, false, Some(change)) = (report.selected, allow_empty, report.change.filter(|change| change.kept > 0)) {
        anyhow::bail!(
            "no capture would be selected ({}), so the kept selection stays as it is, with {}. Lower the threshold or \
             change the filter; to empty the selection: fonds select run --allow-empty",
            report.criterion,
            counted(change.kept, "capture")
        );
    }
    workspace.catalogue().keep_selection(spec, scores.sides(&sides))?;
    Ok(report)
}

/// Follows the index up where many captures are not in it, or any and the filter looks for texts in it. What it lacks
/// then is read from its record.
fn index_many(workspace: &Workspace, filter: &str, cx: &JobCx) -> anyhow::Result<()> {
    let (through, few) = match open_index(workspace.catalogue(), &index_folder(workspace)) {
        Ok(index) => {
            (index.mark()?.unwrap_or_default().through, if depends_on_texts(filter, true) { 0 } else { FEW_UNINDEXED })
        }
        Err(_) => (0, FEW_UNINDEXED),
    };
    if workspace.catalogue().captures_behind(CaptureId::new(through))? <= few {
        return Ok(());
    }
    match index_texts(workspace, false, cx) {
        Err(error) if error.is::<Cancelled>() => Err(error),
        // Another process may have the index, or the disk be full: the score needs neither.
        Err(error) => {
            tracing::warn!("texts are not indexed, and read from their records: {error:#}");
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// Scores captures that came since the selection of a campaign was kept, as that scores them. The selection
/// stays as it is: what is scored new is out. Does nothing where none is kept.
///
/// # Errors
///
/// A catalogue that cannot be read or written, or a stop.
pub fn score_new_captures(workspace: &Workspace, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<()> {
    let catalogue = workspace.catalogue();
    let Some((spec, _)) = catalogue.kept_selection(campaign)? else { return Ok(()) };
    let new = |above, limit| catalogue.to_score(campaign, spec.window_days, ScoreScope::Unmeasured { above, limit });
    // A selection that came with a handover has its measures from there.
    if new(CaptureId::default(), 1)?.is_empty() {
        return Ok(());
    }
    cx.stage("Scoring new captures", None);
    let scoring = Scoring::of(workspace, &spec)?;
    let mut above = CaptureId::default();
    loop {
        let batch = new(above, BATCH)?;
        let Some(last) = batch.last() else { break };
        above = last.id;
        cx.checkpoint()?;
        let measured = scoring.measure_all(&batch, cx)?;
        cx.checkpoint()?;
        let measured = measured.into_iter().map(|(id, measured)| (id, measured.measurement));
        catalogue.keep_measurements(campaign, measured.collect())?.wait()?;
    }
    Ok(catalogue.add_scores(campaign, catalogue.score_set(campaign)?.unscored(&spec.weights))?)
}

/// The change of a campaign's kept selection if it were made again now, as far as captures have
/// scores; none where no selection is kept.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn selection_offer(workspace: &Workspace, campaign: CampaignId) -> anyhow::Result<Option<SelectionOffer>> {
    let catalogue = workspace.catalogue();
    let Some((spec, date)) = catalogue.kept_selection(campaign)? else { return Ok(None) };
    let (added_filter, removed_filter) = spec.change_filters();
    let mut problem = None;
    let mut count = |filter: &str| -> anyhow::Result<u64> {
        let query = CaptureQuery { campaign: Some(campaign), filter: filter.to_owned(), limit: 0, ..everything() };
        let page = catalogue.captures(&query)?;
        problem = problem.take().or(page.filter_problem);
        Ok(page.total)
    };
    let (added, removed) = (count(&added_filter)?, count(&removed_filter)?);
    Ok(Some(SelectionOffer { date, added, removed, added_filter, removed_filter, problem }))
}

/// Captures nearest to the threshold: those at or above it, those below.
pub type NearestRows = (Vec<ScoredRow>, Vec<ScoredRow>);

/// Selects without keeping anything, with so many captures on each side of the threshold.
///
/// # Errors
///
/// A filter without meaning, a catalogue that cannot be read, or a stop.
pub fn preview_selection(
    workspace: &Workspace,
    spec: &SelectionSpec,
    each: usize,
    cx: &JobCx,
) -> anyhow::Result<(SelectReport, NearestRows)> {
    let sides = selection_criteria(workspace, spec)?;
    let scoring = Scoring::of(workspace, spec)?;
    let mut unread = Vec::new();
    let (scores, measured) = scoring.scores(false, &mut unread, cx)?;
    let report = scoring.report(&scores, &sides, measured, unread)?;
    let (above, below) = scores.nearest(&spec.weights, spec.threshold, each);
    let rows = |ids: Vec<CaptureId>| -> anyhow::Result<Vec<ScoredRow>> {
        let facts = workspace.catalogue().to_score(spec.campaign, spec.window_days, ScoreScope::These(&ids))?;
        facts.into_iter().map(|facts| scoring.row(facts, &sides)).collect()
    };
    Ok((report, (rows(above)?, rows(below)?)))
}

/// The criteria of a draft where no person decided.
///
/// # Errors
///
/// A filter without meaning, a collection that is not there.
pub fn selection_criteria(workspace: &Workspace, spec: &SelectionSpec) -> anyhow::Result<SelectionCriteria> {
    let passing = match spec.filter.trim() {
        "" => None,
        filter => Some(captures_of_filter(workspace, spec.campaign, filter)?),
    };
    let collected = workspace.catalogue().collected(&spec.collections)?;
    Ok(SelectionCriteria { weights: spec.weights, threshold: spec.threshold, passing, collected })
}

/// Whether scores of a campaign were measured with another version of it,
/// other inlinks or another window than they would be now.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn scores_are_outdated(workspace: &Workspace, spec: &SelectionSpec) -> anyhow::Result<bool> {
    let version = workspace.catalogue().campaign(spec.campaign)?.0;
    Ok(workspace.catalogue().measured_with(spec.campaign)? != Some(conditions(workspace, spec, version)?.0))
}

/// The captures of a campaign that a filter finds.
fn captures_of_filter(workspace: &Workspace, campaign: CampaignId, filter: &str) -> anyhow::Result<HashSet<CaptureId>> {
    let query = CaptureQuery { campaign: Some(campaign), filter: filter.to_owned(), ..everything() };
    Ok(workspace.catalogue().capture_ids(&query)?.into_iter().collect())
}

/// The conditions under which captures are measured for this version of a campaign, as they are
/// kept with the measurements, and whether inlinks are built.
fn conditions(workspace: &Workspace, spec: &SelectionSpec, version: u32) -> anyhow::Result<(String, bool)> {
    let inlinks_built = workspace.built_links()?.is_some();
    let built = workspace.catalogue().inlink_build()?.filter(|_| inlinks_built).map(|(date, _)| date.millis());
    let mut conditions = serde_json::json!({
        "formula": FORMULA, "campaign_version": version, "inlinks_built_ms": built, "window_days": spec.window_days,
    });
    // Of a request without entities an analysis changes no score.
    if !crate::work::analysis::request_entities(&workspace.catalogue().campaign(spec.campaign)?.1).is_empty() {
        let runs = crate::work::analysis::answering_runs(workspace)?;
        if !runs.is_empty() {
            conditions["analyses"] = runs.iter().map(|run| run.digest.as_str()).collect();
        }
    }
    Ok((conditions.to_string(), inlinks_built))
}

/// The values shared by all captures that are scored.
struct Scoring<'a> {
    workspace: &'a Workspace,
    texts: PageTexts<'a>,
    spec: &'a SelectionSpec,
    request: RequestMatches,
    inlinks_built: bool,
    /// Captures whose inlinks are read, where that is known.
    linked: OnceLock<Option<ExternallyLinked>>,
    /// Entities of the request on each content version; none where nothing was analysed or it has none.
    entities: Option<HashMap<u64, u64>>,
    /// The conditions of measuring, as they are kept with the measurements.
    conditions: String,
}

impl<'a> Scoring<'a> {
    fn of(workspace: &'a Workspace, spec: &'a SelectionSpec) -> anyhow::Result<Self> {
        let (version, campaign) = workspace.catalogue().campaign(spec.campaign)?;
        let (conditions, inlinks_built) = conditions(workspace, spec, version)?;
        let texts = PageTexts::open(workspace)?;
        let matcher = Matcher::compile(&campaign.request);
        let request = match RequestMatches::of_indexed(matcher.clone(), texts.index()) {
            // What is damaged in the index is read from records.
            Err(error) if error.downcast_ref().is_some_and(TextIndexError::is_outdated) => {
                RequestMatches::of(matcher, None)?
            }
            request => request?,
        };
        let entities = crate::work::analysis::request_entity_counts(workspace, &campaign)?;
        Ok(Self { workspace, texts, spec, request, inlinks_built, linked: OnceLock::new(), entities, conditions })
    }

    /// The scores of all captures, and how many were measured for them. What
    /// is measured is kept, or is only in what comes back.
    fn scores(&self, keep: bool, unread: &mut Vec<String>, cx: &JobCx) -> anyhow::Result<(ScoreSet, u64)> {
        let (catalogue, campaign) = (self.workspace.catalogue(), self.spec.campaign);
        let is_same = catalogue.measured_with(campaign)?.as_ref() == Some(&self.conditions);
        if keep && !is_same {
            catalogue.measure_with(campaign, &self.conditions)?;
        }
        let only_unmeasured = is_same || keep;
        cx.stage("Scoring captures", Some(catalogue.to_score_count(campaign, only_unmeasured)?));
        if !keep {
            let (mut set, mut measured) = (catalogue.score_set(campaign)?, 0);
            self.each_batch(only_unmeasured, cx, |batch, found| {
                measured += found.len() as u64;
                let mut rows = batch.into_iter();
                for (id, Measured { measurement, unread: why }) in found {
                    unread.extend(why);
                    if let Some(facts) = rows.find(|facts| facts.id == id) {
                        set.measure(&facts.measured(measurement));
                    }
                }
                Ok(())
            })?;
            return Ok((set, measured));
        }
        // What was measured is written while the next captures are measured.
        let (mut under_way, mut measured) = (None::<UnderWay<()>>, 0);
        let done = self.each_batch(only_unmeasured, cx, |_, found| {
            measured += found.len() as u64;
            let mut kept = Vec::with_capacity(found.len());
            for (id, Measured { measurement, unread: why }) in found {
                unread.extend(why);
                kept.push((id, measurement));
            }
            let before = under_way.replace(catalogue.keep_measurements(campaign, kept)?);
            Ok(before.map_or(Ok(()), UnderWay::wait)?)
        });
        // What was measured before a cancel is kept.
        under_way.map_or(Ok(()), UnderWay::wait)?;
        done?;
        Ok((catalogue.score_set(campaign)?, measured))
    }

    /// Measures captures, all or those that are not measured yet, and gives them out some at a time.
    fn each_batch(
        &self,
        only_unmeasured: bool,
        cx: &JobCx,
        mut take: impl FnMut(Vec<ToScore>, Vec<(CaptureId, Measured)>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut above = CaptureId::default();
        loop {
            let which = match only_unmeasured {
                true => ScoreScope::Unmeasured { above, limit: BATCH },
                false => ScoreScope::Any { above, limit: BATCH },
            };
            let batch = self.workspace.catalogue().to_score(self.spec.campaign, self.spec.window_days, which)?;
            let Some(last) = batch.last() else { return Ok(()) };
            above = last.id;
            let (found, in_batch) = (self.measure_all(&batch, cx)?, batch.len() as u64);
            take(batch, found)?;
            cx.advance(in_batch)?;
        }
    }

    fn report(
        &self,
        scores: &ScoreSet,
        sides: &SelectionCriteria,
        measured: u64,
        unread: Vec<String>,
    ) -> anyhow::Result<SelectReport> {
        let spec = self.spec;
        let balance = scores.draft(sides);
        let selected = balance.inside.captures;
        let kept = self.workspace.catalogue().kept_selection(spec.campaign)?.is_some();
        let change = kept.then(|| SelectionChange {
            kept: scores.kept().inside.captures,
            added: balance.added,
            removed: balance.removed,
        });
        Ok(SelectReport {
            balance,
            selected,
            criterion: spec.criterion(),
            rejected_before: self.workspace.catalogue().rejected_before(spec.campaign)?,
            change,
            links_are_old: self.inlinks_built && self.workspace.links_are_old()?,
            measured,
            unread,
        })
    }

    /// A capture with its score under the draft, read again.
    fn row(&self, facts: ToScore, sides: &SelectionCriteria) -> anyhow::Result<ScoredRow> {
        let heads = self.workspace.catalogue().capture_heads(&[facts.id])?;
        let head = heads.first().with_context(|| format!("capture {} is gone", facts.id))?;
        let measured = self.measure(&facts, head, &mut self.texts.reader()?)?;
        let facts = facts.measured(measured.measurement);
        let score = self.spec.weights.score(&facts.input.values());
        let passes = sides.passes(facts.id, score);
        let (decision_origin, decision_inherited) = match facts.decision {
            Some(_) => self.workspace.catalogue().decision_source(facts.id)?,
            None => (None, false),
        };
        let page = ScoredPage { url: head.url.clone(), title: head.title.clone(), date: head.date };
        let row = ScoredRow::of(facts, page, self.spec, score, passes);
        Ok(ScoredRow { decision_origin, decision_inherited, ..row })
    }

    /// The measurements of captures, in their order, each with why its record could not be read; only
    /// some of them where the work is cancelled meanwhile.
    fn measure_all(&self, batch: &[ToScore], cx: &JobCx) -> anyhow::Result<Vec<(CaptureId, Measured)>> {
        let some = |facts: &[ToScore]| {
            if cx.is_cancelled() {
                return Ok(Vec::new());
            }
            let ids: Vec<CaptureId> = facts.iter().map(|facts| facts.id).collect();
            let heads = self.workspace.catalogue().capture_heads(&ids)?;
            let mut texts = self.texts.reader()?;
            let pairs = facts.iter().filter_map(|facts| Some((facts, heads.iter().find(|head| head.id == facts.id)?)));
            pairs.map(|(facts, head)| Ok((head.id, self.measure(facts, head, &mut texts)?))).collect()
        };
        let parts = batch.par_chunks(MEASURED_TOGETHER).map(some).collect::<anyhow::Result<Vec<Vec<_>>>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Whether by the counts of the columns no other site links to a capture. Without them its links are read.
    fn is_without_external_links(&self, capture: CaptureId) -> bool {
        let linked = || self.workspace.externally_linked(self.spec.window_days).ok().flatten();
        self.linked.get_or_init(linked).as_ref().is_some_and(|linked| linked.is_without(capture))
    }

    /// Reads text and links of a capture.
    fn measure(&self, facts: &ToScore, head: &CaptureHead, texts: &mut PageTextReader<'_>) -> anyhow::Result<Measured> {
        let has_terms = !self.request.matcher.terms().is_empty();
        let mut unread = None;
        let request = (has_terms && facts.input.without_text.is_none()).then(|| {
            let (matches, why_unread) = self.request.of_capture(texts, head);
            unread = why_unread.map(|why| format!("{}: {why}", head.url));
            let words = self.request.matcher.describe(&matches);
            RequestReading { score: matches.score, holds: matches.holds, summary: words }
        });
        let (external_hosts, anchor_hosts) = match self.inlinks_built {
            false => (None, None),
            true if self.is_without_external_links(facts.id) => (Some(0), has_terms.then_some(0)),
            true => {
                let (mut linking, mut speaking) = (HashSet::<Box<str>>::new(), HashSet::<Box<str>>::new());
                self.workspace.each_inlink_of_capture(facts.id, self.spec.window_days, |link| {
                    if link.internal {
                        return;
                    }
                    let host = host_of(link.source);
                    if !linking.contains(host) {
                        linking.insert(host.into());
                    }
                    if has_terms && !speaking.contains(host) && self.request.matcher.speaks_of(link.anchor) {
                        speaking.insert(host.into());
                    }
                })?;
                (Some(linking.len() as u64), has_terms.then_some(speaking.len() as u64))
            }
        };
        let is_unread = unread.is_some();
        let entities = self.entities.as_ref().map(|of| of.get(&head.version).copied().unwrap_or_default());
        Ok(Measured { measurement: Measurement { request, external_hosts, anchor_hosts, entities, is_unread }, unread })
    }
}

/// The measurement of a capture.
struct Measured {
    measurement: Measurement,
    /// Why its record could not be read, with its URL.
    unread: Option<String>,
}
