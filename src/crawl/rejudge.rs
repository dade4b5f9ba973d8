//! A launch that goes on with other seeds and rules than it had: what waits,
//! and what was refused when it was found, is judged by the new ones.

use super::judge::Judge;
use super::logs::Logs;
use super::work::PREREQUISITE_RULE;
use super::{Admission, AdmissionState, CrawlError, CrawlSetup, Ledger};
use crate::jobs::{JobCx, counted, verb};
use crate::scope::{Candidate, Verdict};

/// URLs that are judged between two writes.
const AT_ONCE: usize = 2000;

/// What the change came to.
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

/// Judges all URLs of a launch that have not come to their turn. Where it is
/// interrupted it can be done again: what was judged stays as it is.
pub(super) fn rejudge(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    logs: &Logs,
    cx: &JobCx,
) -> Result<Rejudged, CrawlError> {
    cx.stage("Judging the queue by the new seeds and rules", None);
    let (mut changes, mut after) = (Rejudged::default(), i64::MIN);
    loop {
        cx.checkpoint()?;
        let urls = ledger.undecided(after, AT_ONCE)?;
        let Some(last) = urls.last() else { return Ok(changes) };
        after = last.id;
        let mut judged: Vec<(i64, Admission)> = Vec::new();
        let mut lines: Vec<(Candidate, Verdict)> = Vec::new();
        // No rule decides what another URL needs.
        for url in urls.into_iter().filter(|url| url.admission.verdict.rule_name != PREREQUISITE_RULE) {
            let before = url.admission;
            let mut candidate = before.candidate.clone();
            let seed = setup.campaign.seeds.iter().find(|seed| Some(&seed.url) == candidate.seed.as_ref());
            candidate.is_seed &= seed.is_some();
            if let Some(seed) = seed {
                candidate.source_tag.clone_from(&seed.source_tag);
            }
            let mut now = judge.admission(candidate)?;
            let turned = now.state != before.state;
            match now.state {
                AdmissionState::Refused => changes.refused += u64::from(turned),
                AdmissionState::Queued => changes.queued += u64::from(turned),
            }
            if turned {
                lines.push((now.candidate.clone(), now.verdict.clone()));
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
        logs.scope(lines.iter().map(|(candidate, verdict)| (candidate, verdict)))?;
    }
}
