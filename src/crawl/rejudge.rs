//! A launch that goes on with other seeds and rules than it had: what waits,
//! and what was refused when it was found, is judged by the new ones.

use super::judge::Judge;
use super::logs::Logs;
use super::{Admission, AdmissionState, ChangedAdmission, CrawlError, Ledger, LedgerError, Plan, QueuedUrl};
use crate::jobs::{JobCx, counted, verb};
use crate::scope::PREREQUISITE_RULE;

/// URLs that are judged between two writes.
const AT_ONCE: usize = 2000;

/// Counts of URLs whose decision changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rejudged {
    /// URLs that waited and are refused now.
    pub refused: u64,
    /// URLs that were refused and wait now.
    pub queued: u64,
}

impl Rejudged {
    /// The change as a person reads it.
    pub fn text(self, from: u32, to: u32) -> String {
        let versions = match from == to {
            true => format!("goes on with version {to} of the campaign, which was replaced for some time"),
            false => format!("goes on with version {to} of the campaign, before it ran version {from}"),
        };
        format!(
            "The launch {versions}: {} in the queue {} now refused, {} that {} refused {} now queued",
            counted(self.refused, "URL"),
            verb(self.refused, "is"),
            counted(self.queued, "URL"),
            verb(self.queued, "was"),
            verb(self.queued, "is"),
        )
    }
}

/// The URLs that are judged once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undecided {
    /// All that have not come to their turn.
    All,
    /// Those that were refused when they were found: workers judge the others
    /// when their turn comes.
    Refused,
}

/// Judges URLs of a launch that have not come to their turn; calls `on_queued`
/// with those that wait now and did not before. Where it is interrupted it can
/// be done again: what was judged stays as it is.
pub(super) fn rejudge(
    plan: &Plan,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    logs: &Logs,
    cx: &JobCx,
    which: Undecided,
    on_queued: &dyn Fn(&Admission),
) -> Result<Rejudged, CrawlError> {
    let (mut changes, mut after) = (Rejudged::default(), i64::MIN);
    loop {
        cx.checkpoint()?;
        let urls = ledger.undecided(after, AT_ONCE)?;
        let Some(last) = urls.last() else { return Ok(changes) };
        after = last.id;
        let mut changed: Vec<ChangedAdmission> = Vec::new();
        let is_meant = |url: &&QueuedUrl| which == Undecided::All || url.admission.state == AdmissionState::Refused;
        for url in urls.iter().filter(is_meant) {
            changed.extend(changed_admission(plan, judge, url)?);
        }
        if changed.is_empty() {
            continue;
        }
        let kept = ledger.rejudge(changed.clone())?;
        let turned = changed.iter().zip(kept).filter(|(changed, kept)| *kept && changed.from != changed.to.state);
        let turned: Vec<&Admission> = turned.map(|(changed, _)| &changed.to).collect();
        logs.scope_of_admissions(turned.iter().copied())?;
        let queued = || turned.iter().filter(|admission| admission.state == AdmissionState::Queued);
        let count = queued().count();
        changes.queued += count as u64;
        changes.refused += (turned.len() - count) as u64;
        queued().for_each(|admission| on_queued(admission));
    }
}

/// The admission of a URL by a plan, where that is another one than it has.
pub(super) fn changed_admission(
    plan: &Plan,
    judge: &Judge<'_>,
    url: &QueuedUrl,
) -> Result<Option<ChangedAdmission>, LedgerError> {
    let before = &url.admission;
    // No rule decides what another URL needs.
    if before.verdict.rule_name == PREREQUISITE_RULE {
        return Ok(None);
    }
    let mut to = judge.admission(plan, plan.adopt(before.candidate.clone()))?;
    if to.state == before.state {
        (to.date, to.priority, to.parts) = (before.date, before.priority, before.parts);
    }
    Ok((to != *before).then_some(ChangedAdmission { id: url.id, from: before.state, to }))
}
