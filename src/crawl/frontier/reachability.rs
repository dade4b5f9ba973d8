//! Hosts that do not answer, and the network that is gone.
//!
//! A host that gives no connection, or refuses for now (429, 503), sleeps as
//! a whole: its URLs keep their tries. The first failure in a row only counts
//! for its URL, so that one bad URL does not stop its host; from the second
//! on the host sleeps, each time twice as long, up to [`MAX_SLEEP`].
//!
//! Where several hosts fail in a row and nobody answers in between, the
//! network may be gone: hosts that answered before are probed.

use super::politeness::MAX_RETRY_AFTER;
use crate::crawl::HostWait;
use crate::uri::{CaptureDate, Url, authority_of};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest sleep of a host.
pub const MAX_SLEEP: Duration = MAX_RETRY_AFTER;
/// A host that refuses so many times in a row is given up.
pub const MAX_REFUSALS: u32 = 8;
/// Further failures in a row that a host may have which answered before, or
/// has a seed: with a delay of one minute, one hour.
pub const KNOWN_HOST_RETRIES: u32 = 4;
/// Retries of any other host: with a delay of one minute, a quarter of an
/// hour, so that an outage of ten minutes loses nothing.
pub const UNKNOWN_HOST_RETRIES: u32 = 2;
/// Hosts that have to fail in a row before the network is checked.
const SUSPICIOUS: usize = 2;
/// Least time between two checks of the network.
const NETWORK_CHECK: Duration = Duration::from_secs(30);
/// Hosts that are probed.
const PROBED: usize = 8;

/// The failure of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It gave no connection.
    Unreachable,
    /// It took the connection and gave no answer.
    Silent,
    /// It refused for now, with the wait that it requested.
    Refusing(Option<Duration>),
}

/// The consequences of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setback {
    /// How often in a row that happened.
    pub count: u32,
    /// How long the host sleeps; zero where other URLs of it may be tried.
    pub sleep: Duration,
    /// The network is gone, or was when the fetch failed: nothing counts.
    pub network_gone: bool,
    /// The caller has to check the network now.
    pub check_network: bool,
}

#[derive(Default)]
struct HostTrouble {
    failures: u32,
    refusals: u32,
    since: Option<CaptureDate>,
    /// It sleeps until then.
    until: Option<CaptureDate>,
    given_up: Option<(i32, String)>,
    is_kept: bool,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Network {
    #[default]
    Fine,
    /// A worker checks it.
    Suspected,
    Gone,
}

/// Failures of hosts, and of the network.
#[derive(Default)]
pub(in crate::crawl) struct Reach {
    hosts: HashMap<Arc<str>, HostTrouble>,
    /// Hosts that failed since anyone answered.
    in_a_row: HashSet<Arc<str>>,
    /// The hosts that answered last, one URL each.
    answered: VecDeque<Url>,
    network: Network,
    checked: Option<Instant>,
}

impl Reach {
    /// Restores the state that an earlier run of the launch left.
    pub fn of(waits: &[HostWait]) -> Self {
        let trouble = |wait: &HostWait| HostTrouble {
            failures: wait.failures,
            refusals: wait.refusals,
            since: Some(wait.set),
            until: Some(wait.free),
            given_up: wait.given_up.clone(),
            is_kept: true,
        };
        let hosts = waits.iter().map(|wait| (Arc::from(wait.authority.as_str()), trouble(wait))).collect();
        Self { hosts, ..Self::default() }
    }

    /// A host failed; `base` is the campaign's delay before a retry.
    pub fn failed(&mut self, host: &Arc<str>, trouble: Trouble, base: Duration, now: CaptureDate) -> Setback {
        if self.network == Network::Gone && !matches!(trouble, Trouble::Refusing(_)) {
            return Setback { count: 0, sleep: Duration::ZERO, network_gone: true, check_network: false };
        }
        let state = self.hosts.entry(Arc::clone(host)).or_default();
        state.since.get_or_insert(now);
        if let Some(until) = state.until.filter(|until| *until > now) {
            // The request went out before it fell asleep.
            let sleep = Duration::from_millis(u64::try_from(until.millis() - now.millis()).unwrap_or(0));
            let count = if matches!(trouble, Trouble::Refusing(_)) { state.refusals } else { state.failures };
            return Setback { count: count.max(2), sleep, network_gone: false, check_network: false };
        }
        let (count, sleep) = match trouble {
            Trouble::Refusing(wait) => {
                state.refusals = state.refusals.saturating_add(1);
                (state.refusals, wait.unwrap_or_else(|| doubled(base, state.refusals - 1)).min(MAX_SLEEP))
            }
            Trouble::Unreachable | Trouble::Silent => {
                state.failures = state.failures.saturating_add(1);
                // Another URL of the host may fare better than the first one.
                let sleep = state.failures.checked_sub(2).map_or(Duration::ZERO, |times| doubled(base, times));
                (state.failures, sleep)
            }
        };
        let millis = i64::try_from(sleep.as_millis()).unwrap_or(i64::MAX);
        state.until = Some(CaptureDate::from_millis(now.millis().saturating_add(millis)));
        if trouble == Trouble::Unreachable {
            self.in_a_row.insert(Arc::clone(host));
        } else if matches!(trouble, Trouble::Refusing(_)) {
            self.in_a_row.clear();
        }
        let suspicious = self.in_a_row.len() >= SUSPICIOUS
            && !self.answered.is_empty()
            && self.checked.is_none_or(|checked| checked.elapsed() >= NETWORK_CHECK);
        let check_network = suspicious && self.network == Network::Fine;
        if check_network {
            self.network = Network::Suspected;
            self.checked = Some(Instant::now());
        }
        Setback { count, sleep, network_gone: false, check_network }
    }

    /// The numbers of failures and of refusals in a row of a host.
    pub fn in_trouble(&self, host: &str) -> (u32, u32) {
        self.hosts.get(host).map_or((0, 0), |state| (state.failures, state.refusals))
    }

    /// Since when a host is in trouble.
    pub fn since(&self, host: &str) -> Option<CaptureDate> {
        self.hosts.get(host).and_then(|state| state.since)
    }

    /// Notes that the wait of a host is in the ledger.
    pub fn kept(&mut self, host: &str) {
        if let Some(state) = self.hosts.get_mut(host) {
            state.is_kept = true;
        }
    }

    /// Notes that a host answered; gives the date since which it had not, where
    /// that was long enough to be kept in the ledger.
    pub fn answered(&mut self, url: &Url) -> Option<CaptureDate> {
        self.in_a_row.clear();
        let host = authority_of(url);
        if !self.answered.iter().any(|known| authority_of(known) == host) {
            self.answered.truncate(PROBED - 1);
            self.answered.push_front(url.clone());
        }
        self.hosts.remove(host).filter(|state| state.is_kept).and_then(|state| state.since)
    }

    /// Gives a host up; true if it was not given up before.
    pub fn give_up(&mut self, host: &Arc<str>, status: i32, why: &str) -> bool {
        let state = self.hosts.entry(Arc::clone(host)).or_default();
        let is_new = state.given_up.is_none();
        state.given_up = Some((status, why.to_owned()));
        is_new
    }

    /// Whether a host was given up.
    pub fn is_given_up(&self, host: &str) -> bool {
        self.hosts.get(host).is_some_and(|state| state.given_up.is_some())
    }

    /// The fetch status of URLs of a host that was given up, and why.
    pub fn given_up(&self, host: &str) -> Option<(i32, String)> {
        self.hosts.get(host)?.given_up.clone()
    }

    /// Whether the network is gone.
    pub fn is_network_gone(&self) -> bool {
        self.network == Network::Gone
    }

    /// The URLs by which the network may be probed.
    pub fn probes(&self) -> Vec<Url> {
        self.answered.iter().cloned().collect()
    }

    /// Nobody answers.
    pub fn network_gone(&mut self) {
        self.network = Network::Gone;
    }

    /// Someone answers; gives the hosts that failed because nobody did.
    pub fn network_answers(&mut self) -> Vec<Arc<str>> {
        let was_gone = std::mem::take(&mut self.network) == Network::Gone;
        let hosts: Vec<Arc<str>> = self.in_a_row.drain().collect();
        if !was_gone {
            return Vec::new();
        }
        for host in &hosts {
            self.hosts.remove(host);
        }
        hosts
    }
}

fn doubled(base: Duration, times: u32) -> Duration {
    base.saturating_mul(1u32.checked_shl(times).unwrap_or(u32::MAX)).min(MAX_SLEEP)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BASE: Duration = Duration::from_secs(60);

    /// Fails as soon as the host is awake.
    fn fail(reach: &mut Reach, host: &str, trouble: Trouble) -> Setback {
        let until = reach.hosts.get(host).and_then(|state| state.until);
        reach.failed(&Arc::from(host), trouble, BASE, until.unwrap_or(CaptureDate::from_seconds(1)))
    }

    fn url(host: &str) -> Url {
        Url::parse(&format!("http://{host}/")).unwrap()
    }

    #[test]
    fn a_host_sleeps_longer_each_time_and_wakes_when_it_answers() {
        let mut reach = Reach::default();
        let sleeps: Vec<u64> = (0..9).map(|_| fail(&mut reach, "a.pt", Trouble::Unreachable).sleep.as_secs()).collect();
        assert_eq!(sleeps, [0, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
        reach.kept("a.pt");
        assert_eq!(reach.answered(&url("a.pt")), Some(CaptureDate::from_seconds(1)));
        assert_eq!((reach.in_trouble("a.pt"), reach.answered(&url("a.pt"))), ((0, 0), None));
        let sleeps = (0..3).map(|_| fail(&mut reach, "a.pt", Trouble::Refusing(None)).sleep.as_secs());
        assert_eq!(sleeps.collect::<Vec<_>>(), [60, 120, 240]);
        let long = Trouble::Refusing(Some(Duration::from_secs(86_400)));
        assert_eq!(fail(&mut reach, "a.pt", long).sleep, MAX_SLEEP);
    }

    #[test]
    fn a_request_from_before_a_host_fell_asleep_does_not_lengthen_its_sleep() {
        let mut reach = Reach::default();
        fail(&mut reach, "a.pt", Trouble::Unreachable);
        fail(&mut reach, "a.pt", Trouble::Unreachable);
        let late = reach.failed(&Arc::from("a.pt"), Trouble::Unreachable, BASE, CaptureDate::from_seconds(31));
        assert_eq!((late.count, late.sleep.as_secs()), (2, 30));
        assert_eq!(reach.in_trouble("a.pt"), (2, 0));
    }

    #[test]
    fn the_network_is_checked_when_hosts_fail_in_a_row_and_nobody_answers() {
        let mut reach = Reach::default();
        for number in 0..20 {
            assert!(!fail(&mut reach, &format!("dead{number}.pt"), Trouble::Unreachable).check_network);
        }
        // Now there is somebody to probe.
        for host in ["a.pt", "b.pt", "c.pt"] {
            reach.answered(&url(host));
        }
        let checked =
            ["a.pt", "a.pt", "b.pt", "c.pt"].map(|host| fail(&mut reach, host, Trouble::Unreachable).check_network);
        assert_eq!(checked, [false, false, true, false]);
        reach.network_gone();
        let setback = fail(&mut reach, "a.pt", Trouble::Silent);
        assert!(setback.network_gone && setback.count == 0);
        assert_eq!((reach.probes().len(), reach.network_answers().len()), (3, 3));
        assert_eq!((reach.in_trouble("a.pt"), reach.is_network_gone()), ((0, 0), false));
    }
}
