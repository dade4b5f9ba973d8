//! The frontier: a queue per host, with politeness, that gives the next URL.
//!
//! Only a handful of URLs per host are in memory; the ledger holds the rest.
//! Every host that has something waiting is in a heap, ordered by the moment
//! of its next request.
//!
//! Order inside a host is that of the ledger: [`priority`](super::priority) first. Which of the hosts
//! that are due comes next is for `host_choice`. Hosts that do not answer sleep as a whole
//! (`reachability`).
//!
//! Waits are reckoned by a clock that goes on from where the launch was, and
//! that nobody sets: a system clock that jumps changes no wait.

use super::relevance::gains::HostGains;
use super::{Admission, CrawlError, HostPause, HostWait, Ledger, LedgerError, QueuedUrl};
use crate::campaign::CrawlOrder;
use crate::crawl::frontier::host_choice::Choice;
use crate::crawl::frontier::host_quota::HostQuota;
use crate::crawl::frontier::reachability::{MAX_SLEEP, Reach, Setback, Trouble};
use crate::exchange::AddressGate;
use crate::uri::{CaptureDate, Url, authority_of};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// URLs of one host in memory.
const BATCH: usize = 32;
/// The same where what is found next may come before them: what is read again costs more than a further query.
const GUIDED_BATCH: usize = 4;
/// URLs of all hosts in memory before each host has but one.
const MANY_URLS: usize = 8192;
/// A pause of a host is reported from this length on.
pub const LONG_WAIT: Duration = Duration::from_secs(5);
/// Sleeps below this are not kept over a restart.
const KEPT_SLEEP: Duration = Duration::from_secs(1);
/// URLs of a host that is given up are ended so many at a time.
const ENDED_AT_ONCE: usize = 1000;
/// Longest wait before a worker looks whether it was cancelled.
const POLL: Duration = Duration::from_millis(200);
/// A URL whose address is busy comes back after this time.
const ADDRESS_BUSY: Duration = Duration::from_millis(200);
/// Hosts in memory before those without work are looked for.
const SWEEP_HOSTS: usize = 10_000;

/// The answer to a worker that wants work.
#[derive(Debug)]
pub enum Next {
    /// Fetch this.
    Url(Box<QueuedUrl>),
    /// Nothing is due; try again.
    Idle,
    /// Nothing waits and nothing is in flight: the crawl is over.
    Finished,
}

/// The queues of a running crawl.
pub struct Frontier<'a> {
    ledger: &'a dyn Ledger,
    per_host: usize,
    per_address: usize,
    state: Mutex<FrontierState>,
    changed: Condvar,
    clock: WaitClock,
}

/// The system's time when the launch was opened, and what went by since.
struct WaitClock {
    begin: CaptureDate,
    began: Instant,
}

impl WaitClock {
    /// Goes on from the last instant that the launch kept, where the system's
    /// clock was set back since.
    fn after(waits: &[HostWait]) -> Self {
        let last = waits.iter().map(|wait| wait.set).max();
        let now = CaptureDate::now();
        Self { begin: last.map_or(now, |last| last.max(now)), began: Instant::now() }
    }

    fn now(&self) -> CaptureDate {
        let millis = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        CaptureDate::from_millis(self.begin.millis().saturating_add(millis))
    }

    /// How long it is until `date`.
    fn until(&self, date: CaptureDate) -> Duration {
        let millis = date.millis().saturating_sub(self.now().millis());
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

#[derive(Default)]
struct FrontierState {
    hosts: HashMap<Arc<str>, Host>,
    due: BinaryHeap<Reverse<(Instant, Arc<str>)>>,
    in_flight: usize,
    querying: usize,
    /// With so many hosts those without work are dropped.
    sweep_at: usize,
    addresses: HashMap<IpAddr, usize>,
    /// URLs in the batches of all hosts.
    in_batches: usize,
    reach: Reach,
    order: CrawlOrder,
    /// Hosts whose time has come, where one of them is chosen.
    ready: BTreeSet<Arc<str>>,
    /// The host that was looked at last where there are too many to look at all.
    last_choice: Option<Arc<str>>,
    gains: HostGains,
    quota: HostQuota,
}

struct Host {
    batch: VecDeque<QueuedUrl>,
    in_flight: Vec<i64>,
    /// The ledger may hold more than the batch does.
    more: bool,
    /// Counts announcements, to notice those that come during a query of the ledger.
    announced: u64,
    querying: bool,
    /// It is being given up: what waits for it ends in the ledger, and nothing
    /// of it is taken up meanwhile.
    ending: bool,
    free_at: Instant,
    /// Why it is left alone for so long, where that is known.
    why: Option<Arc<str>>,
    /// An earlier run sent it requests, nobody knows when.
    is_resumed: bool,
    /// Its valid entry in the heap; others of it are stale.
    heap_at: Option<Instant>,
    /// It is among those that are chosen from.
    is_ready: bool,
    /// No URL that waits for it has a lower priority.
    first: i64,
    /// URLs that wait for it, about.
    waiting: u64,
}

impl Host {
    fn new() -> Self {
        Self {
            batch: VecDeque::new(),
            in_flight: Vec::new(),
            more: true,
            announced: 0,
            querying: false,
            ending: false,
            free_at: Instant::now(),
            why: None,
            is_resumed: false,
            heap_at: None,
            is_ready: false,
            first: i64::MAX,
            waiting: 0,
        }
    }

    /// Something with this priority waits for it.
    fn note_waiting(&mut self, priority: i64) {
        self.first = self.first.min(priority);
        self.waiting += 1;
    }

    /// Takes a URL with this priority out of what waits.
    fn note_taken(&mut self, priority: i64) {
        self.waiting = self.waiting.saturating_sub(1);
        self.first = self.batch.front().map_or(self.first.max(priority), |next| next.admission.priority);
    }

    /// The ledger holds something that is not in the batch, or may be when an
    /// answer on its way replaces it.
    fn note_more(&mut self) {
        self.more = true;
        self.announced += 1;
    }
}

impl FrontierState {
    /// Puts a host into the heap if it has something and room for it.
    fn line_up(&mut self, name: &Arc<str>, per_host: usize, not_before: Option<Instant>) {
        if self.quota.is_used_up(name) {
            return;
        }
        let Some(host) = self.hosts.get_mut(name) else { return };
        let has_work = host.more || !host.batch.is_empty();
        let at = not_before.map_or(host.free_at, |at| at.max(host.free_at));
        let earlier = host.heap_at.is_none_or(|heap_at| at < heap_at);
        let may_come = !host.querying && !host.ending && !host.is_ready && host.in_flight.len() < per_host;
        if has_work && earlier && may_come {
            host.heap_at = Some(at);
            self.due.push(Reverse((at, Arc::clone(name))));
        }
    }

    /// A host of which only the ledger knows whether anything waits for it.
    fn unsure(&self) -> Option<Arc<str>> {
        let mut hosts = self.hosts.iter();
        let (name, _) = hosts.find(|(_, host)| host.batch.is_empty() && host.more && !host.querying && !host.ending)?;
        Some(Arc::clone(name))
    }

    /// Forgets hosts that have nothing and need no pause, now and
    /// then, so that a crawl of a million hosts does not hold them all.
    fn sweep(&mut self) {
        if self.hosts.len() < self.sweep_at.max(SWEEP_HOSTS) {
            return;
        }
        let now = Instant::now();
        self.hosts.retain(|_, host| {
            host.more || host.querying || !host.batch.is_empty() || !host.in_flight.is_empty() || host.free_at > now
        });
        self.sweep_at = self.hosts.len() * 2;
    }
}

impl<'a> Frontier<'a> {
    /// Takes up what waits in the ledger. `per_host` and `per_address` are
    /// the most URLs in flight at the same time. `resumed` says that an
    /// earlier run may have used any host a moment ago, and how long hosts
    /// are left alone for that.
    pub fn open(
        ledger: &'a dyn Ledger,
        per_host: usize,
        per_address: usize,
        resumed: Option<Duration>,
    ) -> Result<Self, LedgerError> {
        let waits = ledger.host_waits()?;
        let clock = WaitClock::after(&waits);
        let sleeping: HashMap<&str, Duration> =
            waits.iter().map(|wait| (wait.authority.as_str(), clock.until(wait.free))).collect();
        let order = CrawlOrder::RoundRobin;
        let mut state = FrontierState { reach: Reach::of(&waits), order, ..FrontierState::default() };
        let now = Instant::now();
        for backlog in ledger.backlog()? {
            let name: Arc<str> = backlog.authority.into();
            let sleep = sleeping.get(&*name).copied().unwrap_or_default().min(MAX_SLEEP);
            let free_at = now + sleep.max(resumed.unwrap_or_default());
            let (first, waiting) = (backlog.first, backlog.waiting);
            let host = Host { free_at, is_resumed: resumed.is_some(), first, waiting, ..Host::new() };
            state.hosts.insert(Arc::clone(&name), host);
            state.line_up(&name, per_host, None);
        }
        Ok(Self { ledger, per_host, per_address, state: Mutex::new(state), changed: Condvar::new(), clock })
    }

    /// The same in another order, with what the launch knows of its hosts.
    pub fn in_order(self, order: CrawlOrder, gains: HostGains) -> Self {
        {
            let mut state = self.lock();
            (state.order, state.gains) = (order, gains);
        }
        self
    }

    /// Goes on in another order; what waits may have other priorities.
    pub fn reorder(&self, order: CrawlOrder) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.order = order;
        state.in_batches = 0;
        state.ready.clear();
        for host in state.hosts.values_mut() {
            (host.is_ready, host.first) = (false, i64::MIN);
            host.batch.clear();
            host.note_more();
        }
        let names: Vec<Arc<str>> = state.hosts.keys().cloned().collect();
        names.iter().for_each(|name| state.line_up(name, self.per_host, None));
        self.changed.notify_all();
    }

    /// See [`HostGains::add`]; of a score from 0 to 10,000.
    pub fn read_page(&self, authority: &str, score: u16) -> Option<String> {
        self.lock().gains.add(authority, f64::from(score) / f64::from(super::TOP_POINTS))
    }

    /// The time that waits are reckoned by.
    pub fn now(&self) -> CaptureDate {
        self.clock.now()
    }

    /// The time until `date`, by the clock of [`Self::now`]; zero if it is past.
    pub fn until(&self, date: CaptureDate) -> Duration {
        self.clock.until(date)
    }

    fn lock(&self) -> MutexGuard<'_, FrontierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next URL that may be fetched now. Waits a fraction of a second.
    pub fn next(&self) -> Result<Next, LedgerError> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            if state.reach.is_network_gone() {
                drop(self.changed.wait_timeout(state, POLL));
                return Ok(Next::Idle);
            }
            match state.choose(now, self.per_host) {
                Some(Choice::First(name)) => match self.take_first(state, &name, now)? {
                    (_, Some(url)) => return Ok(Next::Url(url)),
                    (unlocked, None) => {
                        state = unlocked;
                        continue;
                    }
                },
                Some(Choice::At(name, place)) => match self.take_at(state, &name, place)? {
                    (_, Some(url)) => return Ok(Next::Url(url)),
                    (unlocked, None) => {
                        state = unlocked;
                        continue;
                    }
                },
                None => {}
            }
            let Some(Reverse((at, name))) = state.due.peek().cloned() else {
                if state.in_flight == 0 && state.querying == 0 {
                    return Ok(Next::Finished);
                }
                drop(self.changed.wait_timeout(state, POLL));
                return Ok(Next::Idle);
            };
            if state.hosts.get(&name).is_none_or(|host| host.heap_at != Some(at)) {
                state.due.pop();
                continue;
            }
            if at > now {
                // One that may have nothing is looked up before its time:
                // the crawl does not wait for a host to learn that.
                if state.in_flight == 0
                    && state.querying == 0
                    && let Some(name) = state.unsure()
                {
                    state = self.refill(state, &name)?;
                    continue;
                }
                drop(self.changed.wait_timeout(state, POLL.min(at - now)));
                return Ok(Next::Idle);
            }
            state.due.pop();
            if let Some(host) = state.hosts.get_mut(&name) {
                host.heap_at = None;
            }
            match self.take_first(state, &name, now)? {
                (_, Some(url)) => return Ok(Next::Url(url)),
                (unlocked, None) => state = unlocked,
            }
        }
    }

    /// Takes the first URL of a host that is out of the heap, if it has one that is due; else the
    /// host is put where it belongs.
    fn take_first<'s>(
        &'s self,
        mut guard: MutexGuard<'s, FrontierState>,
        name: &Arc<str>,
        now: Instant,
    ) -> Result<Taking<'s>, LedgerError> {
        let state = &mut *guard;
        let Some(host) = state.hosts.get_mut(name) else { return Ok((guard, None)) };
        if host.free_at > now || host.in_flight.len() >= self.per_host {
            state.line_up(name, self.per_host, None);
            return Ok((guard, None));
        }
        if host.batch.is_empty() && host.more {
            return Ok((self.refill(guard, name)?, None));
        }
        let Some(first) = host.batch.front() else {
            // Nothing waits any more; what comes later creates the host again.
            if host.in_flight.is_empty() {
                state.hosts.remove(name);
            }
            return Ok((guard, None));
        };
        // A wait is never longer than the longest one, whatever was kept.
        let wait = self.clock.until(first.due).min(MAX_SLEEP);
        if wait > Duration::ZERO {
            // Put back after a failure: all that is due earlier comes first.
            state.line_up(name, self.per_host, Some(now + wait));
            return Ok((guard, None));
        }
        let Some(url) = host.batch.pop_front() else { return Ok((guard, None)) };
        host.note_taken(url.admission.priority);
        host.in_flight.push(url.id);
        host.why = None;
        state.in_batches = state.in_batches.saturating_sub(1);
        state.in_flight += 1;
        state.quota.count(name, &url);
        state.line_up(name, self.per_host, None);
        Ok((guard, Some(Box::new(url))))
    }

    /// Takes the URL at a place of the queue of a host that is ready; without one, the host is put
    /// back where it belongs.
    fn take_at<'s>(
        &'s self,
        mut guard: MutexGuard<'s, FrontierState>,
        name: &Arc<str>,
        place: u64,
    ) -> Result<Taking<'s>, LedgerError> {
        let Some(host) = guard.hosts.get_mut(name) else { return Ok((guard, None)) };
        host.querying = true;
        let in_flight = host.in_flight.clone();
        guard.querying += 1;
        drop(guard);
        let answer = self.ledger.waiting_at(name, &in_flight, self.clock.now(), place);
        let mut guard = self.lock();
        let state = &mut *guard;
        state.querying -= 1;
        let mut taken = None;
        if let Some(host) = state.hosts.get_mut(name) {
            host.querying = false;
            taken = answer?.filter(|_| !host.ending && !state.reach.is_given_up(name));
            if let Some(url) = &taken {
                let before = host.batch.len();
                host.batch.retain(|of| of.id != url.id);
                state.in_batches = state.in_batches.saturating_sub(before - host.batch.len());
                host.waiting = host.waiting.saturating_sub(1);
                host.in_flight.push(url.id);
                host.why = None;
                state.in_flight += 1;
            } else {
                host.waiting = 0;
            }
            if let Some(url) = &taken {
                state.quota.count(name, url);
            }
            state.line_up(name, self.per_host, None);
        }
        self.changed.notify_all();
        Ok((guard, taken.map(Box::new)))
    }

    /// Asks the ledger for more of a host, without holding the others up.
    fn refill<'s>(
        &'s self,
        mut state: MutexGuard<'s, FrontierState>,
        name: &Arc<str>,
    ) -> Result<MutexGuard<'s, FrontierState>, LedgerError> {
        let Some(host) = state.hosts.get_mut(name) else { return Ok(state) };
        host.querying = true;
        // Nobody takes it up before the answer, or repeats the query.
        host.heap_at = None;
        let (announced, in_flight) = (host.announced, host.in_flight.clone());
        state.querying += 1;
        let limit = match state.order {
            _ if state.in_batches > MANY_URLS => 1,
            CrawlOrder::Relevance => GUIDED_BATCH,
            _ => BATCH,
        };
        drop(state);
        let answer = self.ledger.waiting(name, &in_flight, self.clock.now(), limit);
        let mut guard = self.lock();
        let state = &mut *guard;
        state.querying -= 1;
        if let Some(host) = state.hosts.get_mut(name) {
            host.querying = false;
            let mut batch = answer?;
            let is_stale = host.announced != announced;
            host.more = batch.len() == limit || is_stale;
            if host.ending || is_stale && state.reach.is_given_up(name) {
                // These URLs may have ended with their host since the ledger was read.
                batch.clear();
            }
            state.in_batches = (state.in_batches + batch.len()).saturating_sub(host.batch.len());
            if !host.more {
                host.waiting = batch.len() as u64;
            }
            host.batch = batch.into();
            if let Some(first) = host.batch.front().filter(|_| !is_stale) {
                host.first = first.admission.priority;
            }
            if host.batch.is_empty() && !host.more && host.in_flight.is_empty() && host.free_at <= Instant::now() {
                state.hosts.remove(name);
            } else {
                state.line_up(name, self.per_host, None);
            }
        }
        self.changed.notify_all();
        Ok(guard)
    }

    /// URLs of a host were given to the ledger; `urgent` is the lowest
    /// priority among them.
    pub fn announce(&self, authority: &str, urgent: i64) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.sweep();
        let name: Arc<str> = match state.hosts.get_key_value(authority) {
            Some((name, _)) => Arc::clone(name),
            None => authority.into(),
        };
        let host = state.hosts.entry(Arc::clone(&name)).or_insert_with(Host::new);
        host.note_more();
        host.note_waiting(urgent);
        let now = self.clock.now();
        let is_behind = |url: &QueuedUrl| url.admission.priority > urgent || url.due > now;
        if host.batch.back().is_some_and(is_behind) {
            // They still wait in the ledger, which now has something better.
            let better = host.batch.iter().position(is_behind).unwrap_or_default();
            state.in_batches = state.in_batches.saturating_sub(host.batch.len() - better);
            host.batch.truncate(better);
        }
        state.line_up(&name, self.per_host, None);
        self.changed.notify_one();
    }

    /// A URL that waited already has another way or priority.
    pub fn reload(&self, admission: &Admission) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let name = authority_of(&admission.candidate.url);
        let Some(host) = state.hosts.get_mut(name) else { return };
        host.note_more();
        host.first = host.first.min(admission.priority);
        let (url, priority) = (&admission.candidate.url, admission.priority);
        let is_behind = |of: &QueuedUrl| of.admission.priority >= priority || of.url() == url;
        if let Some(better) = host.batch.iter().position(is_behind) {
            state.in_batches = state.in_batches.saturating_sub(host.batch.len() - better);
            host.batch.truncate(better);
        }
        if let Some((name, _)) = state.hosts.get_key_value(name) {
            let name = Arc::clone(name);
            state.line_up(&name, self.per_host, None);
        }
        self.changed.notify_one();
    }

    /// Ends the fetch of a URL whose end the ledger has. Its host is
    /// left alone for `wait`.
    pub fn release(&self, url: &QueuedUrl, wait: Duration) {
        self.let_go(url, wait, |_, _| ());
    }

    /// Puts a URL back that was not fetched; it comes again after `wait`,
    /// unless something more urgent turns up.
    pub fn put_back(&self, url: &QueuedUrl, wait: Duration) {
        self.lock().quota.uncount(url);
        self.let_go(url, wait, |host, in_batches| {
            *in_batches = in_batches.saturating_sub(host.batch.len());
            host.batch.clear();
            host.note_more();
            host.note_waiting(url.admission.priority);
        });
    }

    /// Keeps a URL in memory whose address is busy; it comes again after
    /// [`ADDRESS_BUSY`] without a query of the ledger.
    pub fn hold(&self, url: &QueuedUrl) {
        self.lock().quota.uncount(url);
        self.let_go(url, ADDRESS_BUSY, |host, in_batches| {
            *in_batches += 1;
            host.batch.push_front(url.clone());
            host.note_more();
            host.note_waiting(url.admission.priority);
        });
    }

    fn let_go(&self, url: &QueuedUrl, wait: Duration, then: impl FnOnce(&mut Host, &mut usize)) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.in_flight = state.in_flight.saturating_sub(1);
        let name = authority_of(&url.admission.candidate.url);
        let Some((name, _)) = state.hosts.get_key_value(name) else { return };
        let name = Arc::clone(name);
        if let Some(host) = state.hosts.get_mut(&name) {
            host.in_flight.retain(|id| *id != url.id);
            let now = Instant::now();
            // One that was given up gets no more requests: it keeps nobody waiting.
            let is_given_up = state.reach.is_given_up(&name);
            host.free_at = if is_given_up { now } else { host.free_at.max(now + wait) };
            then(host, &mut state.in_batches);
        }
        state.line_up(&name, self.per_host, None);
        self.changed.notify_all();
    }

    /// A host failed: how long it sleeps, which is kept over a restart.
    /// `base` is the campaign's delay before a retry.
    pub fn failed(&self, authority: &str, trouble: Trouble, base: Duration) -> Result<Setback, LedgerError> {
        let name: Arc<str> = authority.into();
        let now = self.clock.now();
        let mut state = self.lock();
        let setback = state.reach.failed(&name, trouble, base, now);
        if setback.sleep < KEPT_SLEEP {
            return Ok(setback);
        }
        if let Some(host) = state.hosts.get_mut(&name) {
            host.free_at = host.free_at.max(Instant::now() + setback.sleep);
        }
        state.reach.kept(authority);
        let (failures, refusals) = state.reach.in_trouble(authority);
        drop(state);
        let free = now.millis().saturating_add(i64::try_from(setback.sleep.as_millis()).unwrap_or(i64::MAX));
        let authority = authority.to_owned();
        let free = CaptureDate::from_millis(free);
        self.ledger.keep_host_wait(&HostWait { authority, free, failures, refusals, set: now, given_up: None })?;
        Ok(setback)
    }

    /// End of a pause of this length that begins now, on the clock of the launch.
    pub fn free_date(&self, wait: Duration) -> CaptureDate {
        let millis = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        CaptureDate::from_millis(CaptureDate::now().millis().saturating_add(millis))
    }

    /// Keeps the reason of a long pause of a host, until its next request.
    pub fn explain_wait(&self, authority: &str, why: &str) {
        if let Some(host) = self.lock().hosts.get_mut(authority) {
            host.why = Some(why.into());
        }
    }

    /// Hosts with something that are left alone for [`LONG_WAIT`] at least, for
    /// another reason than the campaign's own delay: those whose pause ends first in front, at most `most` of
    /// them; how many there are; and whether nothing else is fetched meanwhile.
    pub fn pauses(&self, most: usize) -> (Vec<HostPause>, u64, bool) {
        let state = self.lock();
        if state.reach.is_network_gone() {
            return (Vec::new(), 0, false);
        }
        let (now, date) = (Instant::now(), CaptureDate::now());
        let mut long: Vec<(Duration, &Arc<str>, &Host)> = Vec::new();
        let mut is_all = state.in_flight == 0 && state.querying == 0;
        for (name, host) in state.hosts.iter().filter(|(_, host)| host.more || !host.batch.is_empty()) {
            let due = host.batch.front().map_or(Duration::ZERO, |first| self.clock.until(first.due).min(MAX_SLEEP));
            let wait = host.free_at.saturating_duration_since(now).max(due);
            if wait >= LONG_WAIT && host.why.is_some() {
                long.push((wait, name, host));
            } else {
                is_all = false;
            }
        }
        let count = long.len() as u64;
        long.sort_unstable_by_key(|(wait, name, _)| (*wait, *name));
        long.truncate(most);
        let pause = |(wait, name, host): &(Duration, &Arc<str>, &Host)| HostPause {
            authority: name.to_string(),
            until: CaptureDate::from_millis(
                date.millis().saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)),
            ),
            why: host.why.as_deref().unwrap_or_default().to_owned(),
        };
        (long.iter().map(pause).collect(), count, is_all && count > 0)
    }

    /// Notes that a host answered; gives the date since which it had not, where it slept.
    pub fn answered(&self, url: &Url) -> Result<Option<CaptureDate>, LedgerError> {
        let since = self.lock().reach.answered(url);
        if since.is_some() {
            self.ledger.end_host_wait(authority_of(url))?;
        }
        Ok(since)
    }

    /// Gives a host up: ends all URLs that wait for it as failed, handing each
    /// to `ended`, except those in flight. Says since when the host failed;
    /// none where it was given up before.
    pub fn give_up(
        &self,
        authority: &str,
        status: i32,
        why: &str,
        mut ended: impl FnMut(&[QueuedUrl]) -> Result<(), CrawlError>,
    ) -> Result<Option<CaptureDate>, CrawlError> {
        let name: Arc<str> = authority.into();
        let now = self.clock.now();
        let mut state = self.lock();
        let since = state.reach.since(authority).unwrap_or(now);
        let (failures, refusals) = state.reach.in_trouble(authority);
        if !state.reach.give_up(&name, status, why) {
            return Ok(None);
        }
        let mut in_flight = Vec::new();
        if let Some(host) = state.hosts.get_mut(&name) {
            in_flight.clone_from(&host.in_flight);
            let left = std::mem::take(&mut host.batch).len();
            host.ending = true;
            host.heap_at = None;
            host.is_ready = false;
            host.waiting = 0;
            state.in_batches = state.in_batches.saturating_sub(left);
        }
        state.ready.remove(&name);
        drop(state);
        let given_up = Some((status, why.to_owned()));
        let authority = authority.to_owned();
        let wait = HostWait { authority, free: now, failures, refusals, set: now, given_up };
        self.ledger.keep_host_wait(&wait)?;
        loop {
            let urls = self.ledger.fail_waiting(&name, &in_flight, status, why, ENDED_AT_ONCE)?;
            ended(&urls)?;
            if urls.len() < ENDED_AT_ONCE {
                break;
            }
        }
        // What it slept for is over: it leaves the queue as soon as it has nothing.
        let mut state = self.lock();
        if let Some(host) = state.hosts.get_mut(&name) {
            host.ending = false;
            host.note_more();
            host.free_at = Instant::now();
            host.why = None;
        }
        state.line_up(&name, self.per_host, None);
        drop(state);
        self.changed.notify_all();
        Ok(Some(since))
    }

    /// The fetch status of URLs of a host that was given up, and why.
    pub fn given_up(&self, authority: &str) -> Option<(i32, String)> {
        self.lock().reach.given_up(authority)
    }

    /// Whether an earlier run may have used the host of a URL a moment ago;
    /// true once.
    pub fn is_resumed(&self, url: &Url) -> bool {
        let mut state = self.lock();
        state.hosts.get_mut(authority_of(url)).is_some_and(|host| std::mem::take(&mut host.is_resumed))
    }

    /// URLs of hosts that answered last, to see whether the network is there.
    pub fn probes(&self) -> Vec<Url> {
        self.lock().reach.probes()
    }

    /// Notes that nobody answers: no URL is given out until [`Self::network_answers`].
    pub fn network_gone(&self) {
        self.lock().reach.network_gone();
    }

    /// Someone answers: hosts that failed because nobody did are tried again.
    pub fn network_answers(&self) -> Result<(), LedgerError> {
        let mut state = self.lock();
        let woken = state.reach.network_answers();
        let now = Instant::now();
        for name in &woken {
            if let Some(host) = state.hosts.get_mut(name) {
                host.free_at = now;
                state.line_up(name, self.per_host, None);
            }
        }
        drop(state);
        self.changed.notify_all();
        for name in woken {
            self.ledger.end_host_wait(&name)?;
        }
        Ok(())
    }

    /// Reserves a place at an address; false when it is busy. End it with
    /// [`Frontier::leave_address`].
    pub fn enter_address(&self, ip: IpAddr) -> bool {
        let mut state = self.lock();
        let busy = state.addresses.entry(ip).or_default();
        if *busy >= self.per_address {
            return false;
        }
        *busy += 1;
        true
    }

    /// Gives a place back.
    pub fn leave_address(&self, ip: IpAddr) {
        let mut state = self.lock();
        if let Some(busy) = state.addresses.get_mut(&ip) {
            *busy -= 1;
            if *busy == 0 {
                state.addresses.remove(&ip);
            }
        }
    }
}

/// The state of the frontier, and the URL that was taken.
type Taking<'s> = (MutexGuard<'s, FrontierState>, Option<Box<QueuedUrl>>);

impl AddressGate for Frontier<'_> {
    fn enter(&self, ip: IpAddr) -> bool {
        self.enter_address(ip)
    }

    fn leave(&self, ip: IpAddr) {
        self.leave_address(ip);
    }
}

pub(super) mod host_choice;
mod host_quota;
pub(super) mod host_states;
pub(super) mod politeness;
pub(super) mod reachability;
pub(super) mod retry;
#[cfg(test)]
mod tests;
