//! Decisions in figures: those given here, those that came, and those whose captures
//! are not here.

use super::annotations::as_it_came;
use super::read::{AnnotationParts, AnnotationRow, annotation_parts, waiting_annotations};
use crate::store::Workspace;
use crate::work::models::{CampaignId, ReviewMark};
use std::collections::BTreeMap;

/// Decision, reason, and what it came with; none where it was given here.
type DecisionGroup = (ReviewMark, String, Option<String>);

/// What decisions of one group are about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::work) struct DecisionTargets {
    /// Captures that are here.
    pub here: u64,
    /// Captures that are not.
    pub not_here: u64,
    /// URLs, hosts, links and whatever else others decided about.
    pub others: u64,
}

/// Decisions that hold, by what was decided, why, and where that is from.
#[derive(Debug, Default)]
pub(in crate::work) struct DecisionCounts {
    pub by_reason: BTreeMap<DecisionGroup, DecisionTargets>,
}

/// What tells a capture that is not here from others: URL, second, digest, record id.
type AbsentCapture = (String, i64, String, String);

impl DecisionCounts {
    /// Those on captures of a campaign and imported ones, and those that wait for their captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn of(workspace: &Workspace, campaign: CampaignId) -> anyhow::Result<Self> {
        let mut counts = Self::default();
        workspace.catalogue().each_mark(Some(campaign), |mark| -> anyhow::Result<()> {
            if mark.undone.is_none()
                && mark.mark == ReviewMark::Note
                && let (Some(id), Some(line)) = (&mark.annotation, &mark.line)
                && let Some(parts) = as_it_came(id, line).and_then(|value| annotation_parts(&value))
                && let (None, AnnotationRow::Mark(of)) = (parts.captured, parts.row)
            {
                counts.add((of.mark, of.note, mark.origin), |targets| &mut targets.others);
            }
            Ok(())
        })?;
        for of in workspace.catalogue().decided_captures(campaign)? {
            counts.by_reason.entry((of.mark, of.reason, of.origin)).or_default().here = of.captures;
        }
        // Of several on one the last counts, and above all what was decided where they come from.
        let mut absent: BTreeMap<AbsentCapture, ((bool, i64), DecisionGroup)> = BTreeMap::new();
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
                absent.insert(key, (rank, group));
            }
        }
        absent.into_values().for_each(|(_, group)| counts.add(group, |targets| &mut targets.not_here));
        Ok(counts)
    }

    /// A decision that was taken back, or a note, counts for nothing.
    fn add(&mut self, group: DecisionGroup, targets: fn(&mut DecisionTargets) -> &mut u64) {
        if ReviewMark::DECISIONS.contains(&group.0) {
            *targets(self.by_reason.entry(group).or_default()) += 1;
        }
    }

    /// Captures that are not here and were decided about so.
    pub(in crate::work) fn not_here(&self, mark: ReviewMark) -> u64 {
        self.by_reason.iter().filter(|((of, ..), _)| *of == mark).map(|(_, targets)| targets.not_here).sum()
    }
}
