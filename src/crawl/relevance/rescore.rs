//! Other priorities for what waits, where the request or the order changed.

use super::guide::RequestGuide;
use super::parts::PriorityParts;
use crate::crawl::priority::{Place, ROBOTS_PRIORITY, place_by_hops, place_by_kind};
use crate::crawl::{CrawlError, Ledger, LedgerError, Plan, QueuePart, WaitingUrl};
use crate::jobs::JobCx;
use crate::uri::Url;
use crossbeam_channel::bounded;
use std::sync::Arc;

/// Numbers of the ledger whose URLs are read at once.
const AT_ONCE: u64 = 2000;
/// URLs with another priority that are written at once: a write takes some 20 ms.
const WRITTEN_AT_ONCE: usize = 4000;
/// URLs that are ordered first, of those that come next at all hosts.
const FIRST_OF_HOSTS: usize = 20_000;
/// Of one host, these at most.
const FIRST_OF_HOST: usize = 500;
/// Parts of the queue that are ordered behind those, spread over all of it, before the crawl goes by the order.
const FIRST_PARTS: usize = 16;

/// Orders what waits by a plan, from what is stored of it; gives how many URLs have another priority. The crawl
/// goes on meanwhile. Where it is interrupted it can be done again.
///
/// First comes what the hosts would be asked for next, then a sample of the whole queue: after `on_first` the crawl
/// finds URLs of the new order at most hosts. The rest follows.
pub(in crate::crawl) fn rescore(
    plan: &Plan,
    ledger: &dyn Ledger,
    hosts: &[Arc<str>],
    cx: &JobCx,
    on_first: &dyn Fn(),
) -> Result<u64, CrawlError> {
    if let Some(guide) = &plan.guide {
        ledger.keep_terms(guide.tallies())?;
    }
    let mut count = 0;
    ledger.in_bulk(&mut || {
        count = order_all(plan, ledger, hosts, cx, on_first)?;
        Ok(ledger.keep_ordered(plan.version)?)
    })?;
    Ok(count)
}

fn order_all(
    plan: &Plan,
    ledger: &dyn Ledger,
    hosts: &[Arc<str>],
    cx: &JobCx,
    on_first: &dyn Fn(),
) -> Result<u64, CrawlError> {
    let of_host = (FIRST_OF_HOSTS / hosts.len().max(1)).clamp(1, FIRST_OF_HOST);
    let next = hosts.iter().map(|host| QueuePart::FirstOf(host, of_host));
    let mut count = order_parts(plan, ledger, next, cx)?;
    let parts: Vec<_> = parts_of_queue(ledger, AT_ONCE)?.collect();
    let mut parts = spread(&parts).map(|(first, last)| QueuePart::Numbered(first, last));
    count += order_parts(plan, ledger, parts.by_ref().take(FIRST_PARTS), cx)?;
    on_first();
    count += order_parts(plan, ledger, parts, cx)?;
    Ok(count)
}

/// The queue in parts by the numbers of the ledger, so many in each.
pub(super) fn parts_of_queue(
    ledger: &dyn Ledger,
    at_once: u64,
) -> Result<impl Iterator<Item = (i64, i64)>, LedgerError> {
    let step = i64::try_from(at_once.max(1)).unwrap_or(i64::MAX);
    let mut next = ledger.waiting_span()?;
    Ok(std::iter::from_fn(move || {
        let (first, last) = next?;
        let end = first.saturating_add(step - 1).min(last);
        next = (end < last).then_some((end + 1, last));
        Some((first, end))
    }))
}

/// All of a list, each time far from those before: by the bits of the place, the least one first.
fn spread<T: Copy>(all: &[T]) -> impl Iterator<Item = T> {
    let places = all.len().next_power_of_two();
    let shift = usize::BITS - places.trailing_zeros();
    (0..places).filter_map(move |at| all.get(at.reverse_bits().checked_shr(shift).unwrap_or(0)).copied())
}

/// Orders parts of the queue: while one is written, the next is read.
fn order_parts<'q>(
    plan: &Plan,
    ledger: &dyn Ledger,
    parts: impl Iterator<Item = QueuePart<'q>>,
    cx: &JobCx,
) -> Result<u64, CrawlError> {
    std::thread::scope(|scope| {
        let (sender, changes) = bounded::<Vec<(i64, i64, Option<PriorityParts>)>>(2);
        let writer = scope.spawn(move || changes.iter().try_for_each(|changed| ledger.rescore(changed)));
        let mut count = 0;
        let mut changed = Vec::new();
        let read = || -> Result<(), CrawlError> {
            for part in parts {
                cx.checkpoint()?;
                ledger.each_waiting(part, &mut |url| {
                    let place = match &plan.guide {
                        _ if url.priority == ROBOTS_PRIORITY => return,
                        Some(guide) => place_again(guide, url),
                        None => place_by_hops(url.hops),
                    };
                    if (place.priority, place.parts) != (url.priority, url.parts) {
                        changed.push((url.id, place.priority, place.parts));
                    }
                })?;
                // Small parts are written together.
                if changed.len() >= WRITTEN_AT_ONCE {
                    count += changed.len() as u64;
                    // The writer ends only with an error, which is the reason then.
                    if sender.send(std::mem::take(&mut changed)).is_err() {
                        return Ok(());
                    }
                }
            }
            count += changed.len() as u64;
            let _ = sender.send(changed);
            Ok(())
        };
        let read = read();
        drop(sender);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written?;
        read.map(|()| count)
    })
}

/// The place of a URL that waits: its words are read again, the value of its page stays.
pub(super) fn place_again(guide: &RequestGuide, url: &WaitingUrl<'_>) -> Place {
    let points = url.parts.filter(|parts| parts.completes).map_or(0, PriorityParts::points);
    let Ok(parsed) = Url::parse(url.url) else { return Place { priority: url.priority, parts: url.parts } };
    place_by_kind(url.hops, url.is_seed, points).unwrap_or_else(|| {
        let before = url.parts.filter(|parts| !parts.completes);
        guide.parts_again(&parsed, url.source_tag, url.linker, url.anchor, before).place()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_spread_and_nothing_is_left_out() {
        for count in [0_usize, 1, 2, 3, 7, 8, 1000] {
            let all: Vec<usize> = (0..count).collect();
            let mut found: Vec<usize> = spread(&all).collect();
            assert!(
                count < 8
                    || found[..4].iter().map(|at| at * 4 / count).collect::<std::collections::HashSet<_>>().len() == 4
            );
            found.sort_unstable();
            assert_eq!(found, all);
        }
    }
}
