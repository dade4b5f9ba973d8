//! Scores captures and keeps the selection.

use super::Report;
use super::content::decoded;
use super::everything;
use crate::analysis::{Matcher, RequestReading, ReviewState, ScoreInput, TextFields, score};
use crate::inlinks::stored::host_of;
use crate::jobs::{JobCx, counted};
use crate::scope::hop_count;
use crate::store::{ToScore, Workspace};
use crate::work::models::{CampaignId, CaptureId, CaptureQuery, ReviewMark, ScoredRow, SelectionSpec};
use serde::Serialize;
use std::collections::HashSet;

/// One side of a selection in figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Captures.
    pub captures: u64,
    /// Their hosts.
    pub hosts: u64,
    /// Their payload bytes.
    pub bytes: u64,
}

/// What a selection differs in from the one that is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SelectionChange {
    /// Captures of the kept selection.
    pub kept: u64,
    /// Captures that come in.
    pub added: u64,
    /// Captures that go out.
    pub removed: u64,
}

/// What selecting comes to.
#[derive(Debug, Clone, Serialize)]
pub struct SelectReport {
    /// Captures scored: all of the campaign.
    pub scored: u64,
    /// Captures selected.
    pub selected: u64,
    /// Captures that persons rejected: out of every selection.
    pub excluded: u64,
    /// Captures that persons approved: in, whatever their score.
    pub included: u64,
    /// Those of both that score or filter would have put on the other side.
    pub overrides: u64,
    /// What decided where no person did, in words.
    pub criterion: String,
    /// What is in.
    #[serde(rename = "in")]
    pub inside: Side,
    /// What is out.
    #[serde(rename = "out")]
    pub outside: Side,
    /// Against the kept selection; none where none is kept.
    pub change: Option<SelectionChange>,
    /// Links of captures that came since inlinks were built do not count.
    pub links_are_old: bool,
    /// Captures whose record could not be read; they have no text to match.
    pub unread: Vec<String>,
    /// Every scored capture.
    #[serde(skip)]
    pub rows: Vec<ScoredRow>,
}

impl Report for SelectReport {
    fn summary(&self) -> String {
        let mut words = format!(
            "{} of {} captures are selected ({}); {} excluded by hand, {} included by hand",
            self.selected, self.scored, self.criterion, self.excluded, self.included
        );
        if self.overrides > 0 {
            words.push_str(&format!(" ({} against the score or filter)", self.overrides));
        }
        if !self.unread.is_empty() {
            words.push_str(&format!("; {} could not be read", counted(self.unread.len() as u64, "capture")));
        }
        if self.links_are_old {
            words.push_str("; captures since the last build of inlinks are not counted as links");
        }
        words
    }
}

/// Scores every capture of the campaign (and every imported one) and keeps
/// the selection in the place of the last one.
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
    let report = preview_selection(workspace, spec, cx)?;
    if let (0, false, Some(change)) = (report.selected, allow_empty, report.change.filter(|change| change.kept > 0)) {
        anyhow::bail!(
            "no capture would be selected ({}), so the kept selection stays as it is, with {}. Lower the threshold or \
             change the filter; to empty the selection: fonds select run --allow-empty",
            report.criterion,
            counted(change.kept, "capture")
        );
    }
    workspace.catalogue().keep_selection(spec, report.rows.clone())?;
    Ok(report)
}

/// The same without keeping anything.
///
/// # Errors
///
/// A filter without meaning, a catalogue that cannot be read, or a stop.
pub fn preview_selection(workspace: &Workspace, spec: &SelectionSpec, cx: &JobCx) -> anyhow::Result<SelectReport> {
    let catalogue = workspace.catalogue();
    let (_, campaign) = catalogue.campaign(spec.campaign)?;
    let passing = match spec.filter.trim() {
        "" => None,
        filter => Some(captures_of_filter(workspace, spec.campaign, filter)?),
    };
    let scoring = Scoring {
        workspace,
        spec,
        matcher: Matcher::compile(&campaign.request),
        inlinks_built: workspace.built_links()?.is_some(),
    };
    let mut report = SelectReport {
        scored: 0,
        selected: 0,
        excluded: 0,
        included: 0,
        overrides: 0,
        criterion: spec.criterion(),
        inside: Side::default(),
        outside: Side::default(),
        change: None,
        links_are_old: scoring.inlinks_built && workspace.links_are_old()?,
        unread: Vec::new(),
        rows: Vec::new(),
    };
    let captures = catalogue.to_score(spec.campaign)?;
    let mut hosts = [HashSet::new(), HashSet::new()];
    cx.stage("Scoring captures", Some(captures.len() as u64));
    for facts in captures {
        cx.advance(1)?;
        let mut row = scoring.score(&facts, &mut report.unread)?;
        row.passes = match &passing {
            None => row.score >= spec.threshold,
            Some(passing) => passing.contains(&row.id),
        };
        row.selected = row.decision.and_then(ReviewMark::decides).unwrap_or(row.passes);
        report.scored += 1;
        report.selected += u64::from(row.selected);
        report.excluded += u64::from(row.decision == Some(ReviewMark::Reject));
        report.included += u64::from(row.decision == Some(ReviewMark::Approve));
        report.overrides += u64::from(row.is_override());
        let side = if row.selected { &mut report.inside } else { &mut report.outside };
        side.captures += 1;
        side.bytes += facts.size;
        side.hosts += u64::from(hosts[usize::from(row.selected)].insert(facts.host));
        report.rows.push(row);
    }
    if catalogue.kept_selection(spec.campaign)?.is_some() {
        let kept: HashSet<CaptureId> = catalogue.selected(spec.campaign)?.into_iter().collect();
        let stay = report.rows.iter().filter(|row| row.selected && kept.contains(&row.id)).count() as u64;
        let kept = kept.len() as u64;
        report.change =
            Some(SelectionChange { kept, added: report.selected - stay, removed: kept.saturating_sub(stay) });
    }
    Ok(report)
}

/// The captures of a campaign that a filter finds.
fn captures_of_filter(workspace: &Workspace, campaign: CampaignId, filter: &str) -> anyhow::Result<HashSet<CaptureId>> {
    let query = CaptureQuery { campaign: Some(campaign), filter: filter.to_owned(), ..everything() };
    Ok(workspace.catalogue().capture_ids(&query)?.into_iter().collect())
}

/// What is the same for each capture that is scored.
struct Scoring<'a> {
    workspace: &'a Workspace,
    spec: &'a SelectionSpec,
    matcher: Matcher,
    inlinks_built: bool,
}

impl Scoring<'_> {
    /// The score of a capture; whether it passes is left open.
    fn score(&self, facts: &ToScore, unread: &mut Vec<String>) -> anyhow::Result<ScoredRow> {
        let stored = self.workspace.catalogue().stored_capture(facts.id)?;
        let asks = !self.matcher.terms().is_empty();
        let without_text = without_text(facts);
        let request = if asks && without_text.is_none() {
            let text = match decoded(self.workspace, &stored) {
                Ok(decoded) => decoded.text(&stored.url),
                Err(error) => {
                    unread.push(format!("{}: {}", stored.url, super::error_chain(&error)));
                    String::new()
                }
            };
            let matches = self.matcher.read(&TextFields {
                title: &stored.title,
                text: &text,
                url: stored.url.as_str(),
                language: (!stored.language.is_empty()).then_some(stored.language.as_str()),
                date: Some(stored.date),
            });
            let words = self.matcher.describe(&matches);
            Some(RequestReading { score: matches.score, holds: matches.holds, words })
        } else {
            None
        };
        let (external_hosts, anchor_hosts) = match self.inlinks_built {
            false => (None, None),
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
                    if asks && !speaking.contains(host) && self.matcher.speaks_of(link.anchor) {
                        speaking.insert(host.into());
                    }
                })?;
                (Some(linking.len() as u64), asks.then_some(speaking.len() as u64))
            }
        };
        let parts = score(
            &ScoreInput {
                request,
                without_text,
                external_hosts,
                anchor_hosts,
                window_days: self.spec.window_days,
                depth: facts.hops.as_ref().and_then(|hops| u32::try_from(hop_count(hops)).ok()),
                depth_is_claim: facts.imported,
                review: match facts.decision {
                    Some(ReviewMark::Approve) => ReviewState::Approved,
                    Some(ReviewMark::Reject) => ReviewState::Rejected,
                    Some(ReviewMark::Flag) => ReviewState::Flagged,
                    _ => ReviewState::None,
                },
                first_of_payload: Some(!facts.repeats),
            },
            &self.spec.weights,
        );
        Ok(ScoredRow {
            id: facts.id,
            url: stored.url.to_string(),
            date: stored.date,
            score: parts.score,
            parts: parts.parts,
            passes: false,
            decision: facts.decision,
            selected: false,
        })
    }
}

/// Why a capture has no text of its own that a request could be held against.
fn without_text(facts: &ToScore) -> Option<&'static str> {
    let mime = facts.mime.as_str();
    match facts.status {
        _ if facts.hops.as_ref().is_some_and(|hops| hops.contains('P')) => {
            Some("what a crawl fetches first, such as robots.txt,")
        }
        200..=299 if mime.starts_with("image/") => Some("an image"),
        200..=299 if mime.contains("css") => Some("a style sheet"),
        200..=299 if mime.contains("javascript") => Some("a script"),
        200..=299 if mime.contains("font") => Some("a font"),
        200..=299 => None,
        300..=399 => Some("a redirect"),
        400.. => Some("an error"),
        _ => Some("what has no HTTP status"),
    }
}
