//! The choice of the next host among those that are due.

use super::FrontierState;
use crate::campaign::CrawlOrder;
use crate::crawl::priority::{LATER, best_share};
use std::cmp::Reverse;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Instant;

/// Hosts that are looked at for one choice; of more, others are looked at the next time.
const MOST_CHOICES: usize = 256;
/// Places of a queue that a random one is taken from.
const MOST_PLACES: u64 = 20_000;

/// What is fetched next.
pub(super) enum Choice {
    /// The first URL of this host.
    First(Arc<str>),
    /// The URL at this place of the queue of this host.
    At(Arc<str>, u64),
}

impl FrontierState {
    /// Chooses among the hosts whose time has come; none where none has, or where they come in the
    /// order of their time. The chosen one is not ready any more.
    pub(super) fn choose(&mut self, now: Instant, per_host: usize) -> Option<Choice> {
        if self.order == CrawlOrder::RoundRobin {
            return None;
        }
        self.collect_due(now, per_host);
        let names = self.candidates(now, per_host);
        let choice = match self.order {
            CrawlOrder::Relevance => self.choose_by_relevance(&names)?,
            _ => {
                let host = |name: &Arc<str>| self.hosts.get(name).map(|host| (host.first, host.free_at));
                Choice::First(Arc::clone(names.iter().min_by_key(|name| host(name))?))
            }
        };
        let (Choice::First(name) | Choice::At(name, _)) = &choice;
        self.ready.remove(name);
        if let Some(host) = self.hosts.get_mut(name) {
            host.is_ready = false;
        }
        Some(choice)
    }

    fn choose_by_relevance(&mut self, names: &[Arc<str>]) -> Option<Choice> {
        let explored = (!names.is_empty() && self.gains.explores()).then(|| self.random_url(names)).flatten();
        if explored.is_some() {
            return explored;
        }
        let mut best: Option<(f64, &Arc<str>)> = None;
        for name in names {
            let Some(host) = self.hosts.get(name) else { continue };
            let rank = self.gains.rank(name, best_share(host.first));
            if best.is_none_or(|(of, _)| rank > of) {
                best = Some((rank, name));
            }
        }
        best.map(|(_, name)| Choice::First(Arc::clone(name)))
    }

    /// A URL at random of all that wait for these hosts; none where one of them has something that
    /// comes before all else.
    fn random_url(&mut self, names: &[Arc<str>]) -> Option<Choice> {
        let waiting = |name: &Arc<str>| self.hosts.get(name).map_or(0, |host| host.waiting);
        let mut at = self.gains.below(names.iter().map(waiting).sum());
        for name in names {
            let host = self.hosts.get(name)?;
            if at < host.waiting {
                let place = if host.waiting > MOST_PLACES { self.gains.below(MOST_PLACES) } else { at };
                return (host.first >= LATER).then(|| Choice::At(Arc::clone(name), place));
            }
            at -= host.waiting;
        }
        None
    }

    /// Moves hosts whose time has come out of the heap.
    fn collect_due(&mut self, now: Instant, per_host: usize) {
        while let Some(Reverse((at, name))) = self.due.peek().filter(|Reverse((at, _))| *at <= now).cloned() {
            self.due.pop();
            let Some(host) = self.hosts.get_mut(&name).filter(|host| host.heap_at == Some(at)) else { continue };
            host.heap_at = None;
            if host.free_at > now || host.in_flight.len() >= per_host {
                self.line_up(&name, per_host, None);
            } else if host.more || !host.batch.is_empty() {
                host.is_ready = true;
                self.ready.insert(name);
            } else if host.in_flight.is_empty() {
                // Nothing waits any more; what comes later creates the host again.
                self.hosts.remove(&name);
            }
        }
    }

    /// Hosts that are ready; what became busy meanwhile is put where it belongs.
    fn candidates(&mut self, now: Instant, per_host: usize) -> Vec<Arc<str>> {
        self.drop_used_up();
        let mut names: Vec<Arc<str>> = Vec::new();
        if self.ready.len() > MOST_CHOICES
            && let Some(last) = &self.last_choice
        {
            let behind = (Bound::Excluded(Arc::clone(last)), Bound::Unbounded);
            names.extend(self.ready.range(behind).take(MOST_CHOICES).cloned());
        }
        names.extend(self.ready.iter().take(MOST_CHOICES - names.len()).cloned());
        self.last_choice = names.last().cloned().filter(|_| self.ready.len() > MOST_CHOICES);
        names.retain(|name| {
            let Some(host) = self.hosts.get_mut(name) else {
                self.ready.remove(name);
                return false;
            };
            let is_free = !host.querying && !host.ending && host.in_flight.len() < per_host && host.free_at <= now;
            if !is_free {
                host.is_ready = false;
                self.ready.remove(name);
                self.line_up(name, per_host, None);
            }
            is_free
        });
        names
    }
}
