//! What each order would fetch first of a queue, without fetching any of it.
//!
//! Politeness and the random draws of a crawl by relevance are left out: the order is that of the priorities.

use super::guide::RequestGuide;
use super::rescore::{parts_of_queue, place_again};
use crate::campaign::CrawlOrder;
use crate::crawl::priority::{ROBOTS_PRIORITY, place_by_hops};
use crate::crawl::{CrawlError, Ledger, QueuePart, WaitingUrl};
use crate::jobs::JobCx;
use crate::uri::{Url, authority_of};
use std::collections::{BTreeMap, BTreeSet};

/// URLs that are read from the ledger at once.
const AT_ONCE: u64 = 2_000;
/// URLs of a queue that are looked at.
const MOST_READ: u64 = 100_000;

/// The first URLs of a queue under each order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderPreview {
    /// How many URLs were looked at.
    pub read: u64,
    /// Whether more wait.
    pub is_partial: bool,
    /// The first URLs of each of [`CrawlOrder::ALL`].
    pub first: [Vec<String>; 3],
}

impl OrderPreview {
    /// The first URLs under an order.
    pub fn of(&self, order: CrawlOrder) -> &[String] {
        let at = CrawlOrder::ALL.iter().position(|of| *of == order).unwrap_or_default();
        &self.first[at]
    }
}

/// The best of what was seen so far: priority, number in the ledger and URL.
#[derive(Default)]
struct First(BTreeSet<(i64, i64, String)>);

impl First {
    fn add(&mut self, priority: i64, url: &WaitingUrl<'_>, most: usize) {
        let is_behind = |last: &(i64, i64, String)| (last.0, last.1) < (priority, url.id);
        if self.0.len() == most && self.0.last().is_some_and(is_behind) {
            return;
        }
        self.0.insert((priority, url.id, url.url.to_owned()));
        if self.0.len() > most {
            self.0.pop_last();
        }
    }

    fn urls(self) -> Vec<String> {
        self.0.into_iter().map(|(_, _, url)| url).collect()
    }
}

/// The first `most` URLs that each order fetches of what waits in a ledger. Without words to look for, relevance
/// goes by hosts in turn.
///
/// # Errors
///
/// A ledger that cannot be read; an interruption.
pub fn preview_orders(
    ledger: &dyn Ledger,
    guide: Option<&RequestGuide>,
    most: usize,
    cx: &JobCx,
) -> Result<OrderPreview, CrawlError> {
    let (mut relevant, mut nearest) = (First::default(), First::default());
    let mut by_host: BTreeMap<String, First> = BTreeMap::new();
    let mut preview = OrderPreview::default();
    for (first, last) in parts_of_queue(ledger, AT_ONCE)? {
        cx.checkpoint()?;
        if preview.read >= MOST_READ {
            preview.is_partial = true;
            break;
        }
        ledger.each_waiting(QueuePart::Numbered(first, last), &mut |url| {
            preview.read += 1;
            let place = |by: &dyn Fn() -> i64| if url.priority == ROBOTS_PRIORITY { ROBOTS_PRIORITY } else { by() };
            let by_hops = place(&|| place_by_hops(url.hops).priority);
            nearest.add(by_hops, url, most);
            let host = Url::parse(url.url).map(|url| authority_of(&url).to_owned()).unwrap_or_default();
            by_host.entry(host).or_default().add(by_hops, url, most);
            if let Some(guide) = guide {
                relevant.add(place(&|| place_again(guide, url).priority), url, most);
            }
        })?;
    }
    let round_robin = round_robin(by_host, most);
    let relevant = if guide.is_some() { relevant.urls() } else { round_robin.clone() };
    for (order, urls) in CrawlOrder::ALL.into_iter().zip(&mut preview.first) {
        *urls = match order {
            CrawlOrder::Relevance => relevant.clone(),
            CrawlOrder::RoundRobin => round_robin.clone(),
            CrawlOrder::BreadthFirst => std::mem::take(&mut nearest).urls(),
        };
    }
    Ok(preview)
}

/// One URL of each host, then the next of each.
fn round_robin(by_host: BTreeMap<String, First>, most: usize) -> Vec<String> {
    let mut hosts: Vec<_> = by_host.into_values().map(|first| first.urls().into_iter()).collect();
    let mut urls = Vec::new();
    while urls.len() < most && !hosts.is_empty() {
        hosts.retain_mut(|host| host.next().map(|url| urls.push(url)).is_some());
    }
    urls.truncate(most);
    urls
}
