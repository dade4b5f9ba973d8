//! The choice of the next host among those that are due.

use super::{Frontier, FrontierState, Host};
use crate::campaign::CrawlOrder;
use crate::crawl::Plan;
use crate::crawl::priority::{LATER, best_share};
use crate::uri::{authority_of, parse_web_url};
use std::cmp::Reverse;
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Hosts that are looked at for one choice; of more, others are looked at the next time.
const MOST_CHOICES: usize = 256;
/// Places of a queue that a random one is taken from.
const MOST_PLACES: u64 = 20_000;

/// A host that rests goes on where all others are left alone for so long.
const REST_ENDS_AFTER: Duration = Duration::from_secs(60);

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
        let names = self.awake(names, now);
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

    /// Those of hosts that do not rest; all of them where no other host has anything to fetch soon.
    fn awake(&self, mut names: Vec<Arc<str>>, now: Instant) -> Vec<Arc<str>> {
        if self.order != CrawlOrder::Relevance || !self.gains.has_resting() || names.is_empty() {
            return names;
        }
        // A robots.txt or a redirect that others wait for has no rest.
        let rests = |name: &str, host: &Host| host.first >= LATER && self.gains.rests(name).is_some();
        let is_awake = |name: &Arc<str>| self.hosts.get(name).is_some_and(|host| !rests(name, host));
        if names.iter().any(is_awake) {
            names.retain(is_awake);
            return names;
        }
        let is_busy = |host: &Host| host.more || !host.batch.is_empty() || !host.in_flight.is_empty();
        let comes = |host: &Host| is_busy(host) && host.free_at.saturating_duration_since(now) < REST_ENDS_AFTER;
        if self.hosts.iter().any(|(name, host)| comes(host) && !rests(name, host)) {
            names.clear();
        }
        names
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

impl Frontier<'_> {
    /// See [`HostGains::let_rest`](crate::crawl::relevance::gains::HostGains::let_rest).
    pub fn let_rest(&self, plan: &Plan) {
        let (seeds, limit) = rest_of(plan);
        self.lock().gains.let_rest(seeds, limit);
    }

    /// Has these hosts come in their turn, whatever their pages are.
    pub fn spare(&self, hosts: &[Arc<str>]) {
        let mut state = self.lock();
        hosts.iter().for_each(|host| state.gains.spare(host));
    }
}

/// The hosts of the seeds of a plan, and its limit of documents.
pub(in crate::crawl) fn rest_of(plan: &Plan) -> (impl Iterator<Item = Arc<str>>, u64) {
    let seeds = plan.campaign.seeds.iter().filter_map(|seed| parse_web_url(&seed.url));
    (seeds.map(|url| authority_of(&url).into()), plan.campaign.limits.max_documents)
}
