//! A launch that goes on with other seeds and rules than it had: what waits,
//! and what was refused when it was found, is judged by the new ones.

use super::judge::Judge;
use super::logs::Logs;
use super::{Admission, AdmissionState, CrawlError, Ledger, Plan, QueuedUrl};
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
        format!(
            "The launch goes on with version {to} of the campaign, before it ran version {from}: {} in the queue \
             {} now refused, {} that {} refused {} now queued",
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
        let mut judged: Vec<(i64, Admission)> = Vec::new();
        let mut turned_urls: Vec<Admission> = Vec::new();
        // No rule decides what another URL needs.
        let is_meant = |url: &QueuedUrl| {
            url.admission.verdict.rule_name != PREREQUISITE_RULE
                && (which == Undecided::All || url.admission.state == AdmissionState::Refused)
        };
        for url in urls.into_iter().filter(is_meant) {
            let before = url.admission;
            let mut now = judge.admission(plan, plan.adopt(before.candidate.clone()))?;
            let turned = now.state != before.state;
            match now.state {
                AdmissionState::Refused => changes.refused += u64::from(turned),
                AdmissionState::Queued => changes.queued += u64::from(turned),
            }
            if turned {
                turned_urls.push(now.clone());
            } else {
                now.date = before.date;
            }
            if turned
                || (&now.verdict, now.candidate.is_seed, &now.candidate.source_tag)
                    != (&before.verdict, before.candidate.is_seed, &before.candidate.source_tag)
            {
                judged.push((url.id, now));
            }
        }
        if !judged.is_empty() {
            ledger.rejudge(judged)?;
        }
        logs.scope(turned_urls.iter().map(|admission| (&admission.candidate, &admission.verdict)))?;
        let queued = turned_urls.iter().filter(|admission| admission.state == AdmissionState::Queued);
        queued.for_each(on_queued);
    }
}
