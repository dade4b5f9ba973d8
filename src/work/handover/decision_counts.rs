//! Decisions in figures: those given here, those that came, and those whose captures
//! are not here.

use super::annotations::as_it_came;
use super::read::{AnnotationParts, AnnotationRow, annotation_parts, waiting_annotations};
use crate::store::Workspace;
use crate::uri::CaptureDate;
use crate::work::models::{CampaignId, CaptureId, ReviewMark};
use std::collections::BTreeMap;

/// Decision, reason, and what it came with; none where it was given here.
type DecisionGroup = (ReviewMark, String, Option<String>);

/// A decision, with person and date.
type GivenDecision = (DecisionGroup, String, CaptureDate);

/// Counts of the targets of one group of decisions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::work) struct DecisionTargets {
    /// Captures that are here.
    pub here: u64,
    /// Captures that are not.
    pub not_here: u64,
    /// URLs, hosts, links and whatever else others decided about.
    pub others: u64,
}

/// Decisions that hold, by what was decided, why, and where that is from; and by who gave them.
#[derive(Debug, Default)]
pub(in crate::work) struct DecisionCounts {
    pub by_reason: BTreeMap<DecisionGroup, DecisionTargets>,
    pub by_person: BTreeMap<String, PersonDecisions>,
}

/// The decisions of one person about captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::work) struct PersonDecisions {
    pub approved: u64,
    pub rejected: u64,
    pub flagged: u64,
    pub first: CaptureDate,
    pub last: CaptureDate,
}

impl PersonDecisions {
    fn new(date: CaptureDate) -> Self {
        Self { approved: 0, rejected: 0, flagged: 0, first: date, last: date }
    }

    pub(in crate::work) fn all(&self) -> u64 {
        self.approved + self.rejected + self.flagged
    }
}

/// The name of a capture that is not here: URL, second, digest, record id.
type AbsentCapture = (String, i64, String, String);

impl DecisionCounts {
    /// Counts decisions on captures of a campaign and imported ones, and those that wait for their
    /// captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn of(workspace: &Workspace, campaign: CampaignId) -> anyhow::Result<Self> {
        let mut counts = Self::default();
        let mut by_whom: BTreeMap<CaptureId, (ReviewMark, String, CaptureDate)> = BTreeMap::new();
        workspace.catalogue().each_mark(Some(campaign), |mark| -> anyhow::Result<()> {
            if mark.undone.is_some() {
                return Ok(());
            }
            if mark.mark != ReviewMark::Note {
                by_whom.insert(mark.capture, (mark.mark, mark.who, mark.date));
            } else if let (Some(id), Some(line)) = (&mark.annotation, &mark.line)
                && let Some(parts) = as_it_came(id, line).and_then(|value| annotation_parts(&value))
                && let (None, AnnotationRow::Mark(of)) = (parts.captured, parts.row)
            {
                counts.add((of.mark, of.note, mark.origin), |targets| &mut targets.others);
            }
            Ok(())
        })?;
        for (mark, who, date) in by_whom.into_values() {
            counts.add_person(mark, who, date);
        }
        for of in workspace.catalogue().decided_captures(campaign)? {
            counts.by_reason.entry((of.mark, of.reason, of.origin)).or_default().here = of.captures;
        }
        // Of several on one the last counts, and above all what was decided where they come from.
        let mut absent: BTreeMap<AbsentCapture, ((bool, i64), GivenDecision)> = BTreeMap::new();
        for (origin, value) in waiting_annotations(workspace)? {
            let Some(AnnotationParts { row: AnnotationRow::Mark(mark), captured, sources, .. }) =
                annotation_parts(&value)
            else {
                continue;
            };
            if mark.undone.is_some() || mark.mark == ReviewMark::Note {
                continue;
            }
            let group = (mark.mark, mark.note, Some(origin));
            let Some(captured) = captured else {
                counts.add(group, |targets| &mut targets.others);
                continue;
            };
            let rank = (sources.len() == 1, mark.date.millis());
            let key = (mark.url, captured.millis().div_euclid(1000), mark.digest, mark.record_id);
            if absent.get(&key).is_none_or(|(before, _)| *before <= rank) {
                absent.insert(key, (rank, (group, mark.who, mark.date)));
            }
        }
        for (_, (group, who, date)) in absent.into_values() {
            counts.add_person(group.0, who, date);
            counts.add(group, |targets| &mut targets.not_here);
        }
        Ok(counts)
    }

    /// A decision that was taken back, or a note, counts for nothing.
    fn add(&mut self, group: DecisionGroup, targets: fn(&mut DecisionTargets) -> &mut u64) {
        if ReviewMark::DECISIONS.contains(&group.0) {
            *targets(self.by_reason.entry(group).or_default()) += 1;
        }
    }

    fn add_person(&mut self, mark: ReviewMark, who: String, date: CaptureDate) {
        if !ReviewMark::DECISIONS.contains(&mark) {
            return;
        }
        let of = self.by_person.entry(who).or_insert_with(|| PersonDecisions::new(date));
        match mark {
            ReviewMark::Approve => of.approved += 1,
            ReviewMark::Reject => of.rejected += 1,
            _ => of.flagged += 1,
        }
        of.first = std::cmp::min_by_key(of.first, date, |date| date.millis());
        of.last = std::cmp::max_by_key(of.last, date, |date| date.millis());
    }

    /// Captures that are not here and were decided about so.
    pub(in crate::work) fn not_here(&self, mark: ReviewMark) -> u64 {
        self.by_reason.iter().filter(|((of, ..), _)| *of == mark).map(|(_, targets)| targets.not_here).sum()
    }
}
