//! The most URLs that a launch takes of each host. What waits for a host that gave so many stays in
//! the queue.

use super::{Frontier, FrontierState, Host};
use crate::crawl::priority::ROBOTS_PRIORITY;
use crate::crawl::{LaunchTally, QueuedUrl};
use crate::uri::authority_of;
use std::collections::HashMap;
use std::sync::Arc;

/// URLs taken of each host, where there is a limit.
#[derive(Default)]
pub(super) struct HostQuota {
    most: Option<u64>,
    taken: HashMap<Arc<str>, u64>,
}

impl HostQuota {
    /// Whether a host gave as many URLs as it may.
    pub(super) fn is_used_up(&self, name: &str) -> bool {
        self.most.is_some_and(|most| self.taken.get(name).is_some_and(|taken| *taken >= most))
    }

    /// Counts a URL of a host that is taken; a robots.txt is none.
    pub(super) fn count(&mut self, name: &Arc<str>, url: &QueuedUrl) {
        if self.most.is_some() && url.admission.priority != ROBOTS_PRIORITY {
            *self.taken.entry(Arc::clone(name)).or_default() += 1;
        }
    }

    /// A URL that was counted was not fetched.
    pub(super) fn uncount(&mut self, url: &QueuedUrl) {
        if url.admission.priority != ROBOTS_PRIORITY
            && let Some(taken) = self.taken.get_mut(authority_of(url.url()))
        {
            *taken = taken.saturating_sub(1);
        }
    }
}

impl FrontierState {
    /// Takes hosts that gave as many URLs as they may out of those that are chosen from.
    pub(super) fn drop_used_up(&mut self) {
        if self.quota.most.is_none() {
            return;
        }
        let used_up: Vec<Arc<str>> = self.ready.iter().filter(|name| self.quota.is_used_up(name)).cloned().collect();
        for name in used_up {
            self.ready.remove(&name);
            if let Some(host) = self.hosts.get_mut(&name) {
                host.is_ready = false;
            }
        }
    }
}

impl Frontier<'_> {
    /// The same with a limit of URLs that each host gives, those of earlier runs among them.
    pub fn with_quota(self, most: Option<u64>, tally: &LaunchTally) -> Self {
        if most.is_some() {
            let taken = tally.hosts.iter().map(|(name, of)| (name.as_str().into(), of.urls)).collect();
            let mut state = self.lock();
            state.quota = HostQuota { most, taken };
            let used_up: Vec<Arc<str>> =
                state.hosts.keys().filter(|name| state.quota.is_used_up(name)).cloned().collect();
            for name in used_up {
                if let Some(host) = state.hosts.get_mut(&name) {
                    // Its entry in the heap is stale from now on.
                    host.heap_at = None;
                }
            }
        }
        self
    }

    /// Whether URLs wait for a host that gave as many as it may.
    pub fn has_used_up_hosts(&self) -> bool {
        let state = self.lock();
        let waits = |host: &Host| host.more || !host.batch.is_empty();
        state.hosts.iter().any(|(name, host)| waits(host) && state.quota.is_used_up(name))
    }
}
