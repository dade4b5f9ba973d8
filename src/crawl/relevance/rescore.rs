//! Other priorities for what waits, where the request or the order changed.

use super::guide::{Linker, RequestGuide};
use super::parts::PriorityParts;
use crate::crawl::priority::{Place, ROBOTS_PRIORITY, place_by_hops, place_by_relevance};
use crate::crawl::{AdmissionState, CrawlError, Ledger, Plan, QueuedUrl};
use crate::jobs::JobCx;

/// URLs that are read between two writes.
const AT_ONCE: usize = 2000;

/// Orders what waits by a plan, block by block, from what is stored of it; gives how many URLs have
/// another priority. The crawl goes on meanwhile. Where it is interrupted it can be done again.
pub(in crate::crawl) fn rescore(plan: &Plan, ledger: &dyn Ledger, cx: &JobCx) -> Result<u64, CrawlError> {
    if let Some(guide) = &plan.guide {
        ledger.keep_terms(guide.tallies())?;
    }
    let (mut count, mut after) = (0, i64::MIN);
    loop {
        cx.checkpoint()?;
        let urls = ledger.undecided(after, AT_ONCE)?;
        let Some(last) = urls.last() else { break };
        after = last.id;
        let waiting = urls
            .iter()
            .filter(|url| url.admission.state == AdmissionState::Queued && url.admission.priority != ROBOTS_PRIORITY);
        let place = |url: &QueuedUrl| match &plan.guide {
            Some(guide) => place_again(guide, url),
            None => place_by_hops(&url.admission.candidate.hops),
        };
        let changed = waiting.map(|url| (url, place(url)));
        let changed = changed
            .filter(|(url, place)| (place.priority, place.parts) != (url.admission.priority, url.admission.parts));
        let changed: Vec<_> = changed.map(|(url, place)| (url.id, place.priority, place.parts)).collect();
        count += changed.len() as u64;
        if !changed.is_empty() {
            ledger.rescore(changed)?;
        }
    }
    ledger.keep_ordered(plan.version)?;
    Ok(count)
}

/// The place of a URL that waits: its words are read again, the value of its page stays.
pub(super) fn place_again(guide: &RequestGuide, url: &QueuedUrl) -> Place {
    let candidate = &url.admission.candidate;
    let before = url.admission.parts;
    let points = before.filter(|parts| parts.completes).map_or(0, PriorityParts::points);
    let place = place_by_relevance(guide, candidate, &Linker { points, ..Linker::default() });
    if place.parts.is_none_or(|parts| parts.completes) {
        return place;
    }
    let before = before.filter(|parts| !parts.completes);
    match &url.linker {
        Some((linker, anchor)) => guide.parts_again(&candidate.url, Some(linker), anchor, before),
        None => guide.parts_again(&candidate.url, candidate.via.as_ref(), &candidate.anchor, before),
    }
    .place()
}
