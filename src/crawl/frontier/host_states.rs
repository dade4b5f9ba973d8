//! What each host of a running crawl does now, and why it waits.

use super::reachability::MAX_SLEEP;
use super::{Frontier, FrontierState, Host};
use crate::jobs::counted;
use crate::uri::CaptureDate;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a host does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostActivity {
    /// A URL of it is being fetched.
    Fetching,
    /// It is due, and comes in its turn.
    Due,
    /// It is left alone for now, as politeness or its robots.txt have it.
    Resting,
    /// It comes after all other hosts, as its pages are not what the request is about.
    Deferred,
    /// It failed, and is tried again later.
    Failing,
}

/// What a host of a running crawl does now, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostState {
    /// Host name with port where it is no default.
    pub authority: String,
    /// What it does.
    pub activity: HostActivity,
    /// When its next request may be made, where that is not now.
    pub until: Option<CaptureDate>,
    /// Why it waits, in words; empty where it does not.
    pub why: String,
}

impl Frontier<'_> {
    /// The hosts that have something to fetch, or had.
    pub fn hosts(&self) -> Vec<Arc<str>> {
        self.lock().hosts.keys().cloned().collect()
    }

    /// What hosts do that have something to fetch, at most so many of them: those that are fetched from first.
    pub fn host_states(&self, most: usize) -> Vec<HostState> {
        let state = self.lock();
        let (now, date) = (Instant::now(), CaptureDate::now());
        let is_busy = |host: &Host| host.more || !host.batch.is_empty() || !host.in_flight.is_empty();
        let mut hosts: Vec<(bool, &str, &Host)> = state
            .hosts
            .iter()
            .filter(|(_, host)| is_busy(host))
            .map(|(name, host)| (host.in_flight.is_empty(), &**name, host))
            .collect();
        if hosts.len() > most {
            hosts.select_nth_unstable_by_key(most, |(waits, name, _)| (*waits, *name));
            hosts.truncate(most);
        }
        hosts.into_iter().map(|(_, name, host)| self.host_state(&state, (name, host), now, date)).collect()
    }

    fn host_state(
        &self,
        state: &FrontierState,
        (name, host): (&str, &Host),
        now: Instant,
        date: CaptureDate,
    ) -> HostState {
        let rest = host.free_at.saturating_duration_since(now);
        let retry = host.batch.front().map_or(Duration::ZERO, |first| self.until(first.due).min(MAX_SLEEP));
        let (failures, refusals) = state.reach.in_trouble(name);
        let (activity, why) = match () {
            () if state.reach.is_network_gone() => (HostActivity::Failing, "no host answers".to_owned()),
            () if !host.in_flight.is_empty() => (HostActivity::Fetching, String::new()),
            () if state.gains.rests(name).is_some() => {
                let why = state.gains.rests(name).unwrap_or_default();
                (HostActivity::Deferred, why.to_owned())
            }
            () if rest.max(retry).is_zero() => (HostActivity::Due, String::new()),
            () if refusals > 0 => {
                (HostActivity::Failing, format!("answered 429 or 503, {}", counted(u64::from(refusals), "time")))
            }
            () if failures > 0 => {
                (HostActivity::Failing, format!("no answer, {}", counted(u64::from(failures), "try")))
            }
            () if host.why.is_some() => (HostActivity::Resting, host.why.as_deref().unwrap_or_default().to_owned()),
            () if retry > rest => (HostActivity::Failing, "a URL failed and is tried again".to_owned()),
            () => (HostActivity::Resting, "delay between requests".to_owned()),
        };
        let is_waiting = matches!(activity, HostActivity::Resting | HostActivity::Failing);
        let wait = i64::try_from(rest.max(retry).as_millis()).unwrap_or(i64::MAX);
        let until = (is_waiting && wait > 0).then(|| CaptureDate::from_millis(date.millis().saturating_add(wait)));
        HostState { authority: name.to_owned(), activity, until, why }
    }
}
