//! The figures of a running crawl, readable from any thread at any time.

use super::{CrawlEvent, EventKind, EventObserver, HostState};
use crate::crawl::events::event_queue::EventQueue;
use crate::jobs::lock;
use crate::uri::{CaptureDate, Clock};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

/// MIME types counted one by one; hostile servers invent more.
const MAX_MIME_TYPES: usize = 200;

/// Counters of one launch. The crawl writes, everyone reads.
#[derive(Debug, Default)]
pub struct CrawlStats {
    found: AtomicU64,
    // Signed: a worker may take a URL before the one that found it has counted it.
    queued: AtomicI64,
    in_flight: AtomicI64,
    fetched: AtomicU64,
    failed: AtomicU64,
    refused: AtomicU64,
    retries: AtomicU64,
    bytes: AtomicU64,
    links_left_out: AtomicU64,
    classes: [AtomicU64; 5],
    mimes: Mutex<BTreeMap<String, (u64, u64)>>,
    events: Mutex<EventQueue>,
    /// Events that the observer has and that are not written yet.
    shown: Mutex<Vec<CrawlEvent>>,
    observer: Option<EventObserver>,
    pauses: Mutex<(Vec<HostPause>, u64)>,
    hosts: Mutex<Vec<HostState>>,
    /// The clock of the launch, which its events are dated by.
    clock: Mutex<Clock>,
}

/// A host that is left alone for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPause {
    /// Host name with port where it is no default.
    pub authority: String,
    /// No request goes to it before this.
    pub until: CaptureDate,
    /// Why, in words.
    pub why: String,
}

/// Figures of a running crawl at one instant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrawlSnapshot {
    /// URLs found in scope.
    pub found: u64,
    /// URLs that wait, those put back after a failure too.
    pub queued: u64,
    /// URLs being fetched now.
    pub in_flight: u64,
    /// URLs fetched with an answer, whatever its status.
    pub fetched: u64,
    /// URLs given up.
    pub failed: u64,
    /// URLs refused by a rule.
    pub refused: u64,
    /// Failures that will be tried again.
    pub retries: u64,
    /// Bytes of the bodies of kept answers.
    pub bytes: u64,
    /// Answers by class: 2xx, 3xx, 4xx, 5xx, failed.
    pub classes: [u64; 5],
    /// MIME type, answers and bytes, most bytes first.
    pub mimes: Vec<(String, u64, u64)>,
}

impl CrawlStats {
    /// Counters of a crawl whose events are given to `observer` as well.
    pub fn observed(observer: Option<EventObserver>) -> Self {
        Self { observer, ..Self::default() }
    }

    /// The figures at this instant.
    pub fn snapshot(&self) -> CrawlSnapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let signed = |counter: &AtomicI64| u64::try_from(counter.load(Ordering::Relaxed)).unwrap_or(0);
        let mut mimes: Vec<(String, u64, u64)> =
            lock(&self.mimes).iter().map(|(mime, (count, bytes))| (mime.clone(), *count, *bytes)).collect();
        mimes.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        CrawlSnapshot {
            found: read(&self.found),
            queued: signed(&self.queued),
            in_flight: signed(&self.in_flight),
            fetched: read(&self.fetched),
            failed: read(&self.failed),
            refused: read(&self.refused),
            retries: read(&self.retries),
            bytes: read(&self.bytes),
            classes: std::array::from_fn(|class| read(&self.classes[class])),
            mimes,
        }
    }

    /// Hosts that are left alone for some time, the first of them, and how many there are.
    pub fn pauses(&self) -> (Vec<HostPause>, u64) {
        lock(&self.pauses).clone()
    }

    pub(super) fn set_pauses(&self, pauses: Vec<HostPause>, count: u64) {
        *lock(&self.pauses) = (pauses, count);
    }

    /// What hosts with something to fetch do, as of a moment ago.
    pub fn host_states(&self) -> Vec<HostState> {
        lock(&self.hosts).clone()
    }

    pub(super) fn set_host_states(&self, hosts: Vec<HostState>) {
        *lock(&self.hosts) = hosts;
    }

    /// URLs in scope that were new.
    pub(super) fn found(&self, urls: u64) {
        self.found.fetch_add(urls, Ordering::Relaxed);
        self.queued.fetch_add(i64::try_from(urls).unwrap_or(0), Ordering::Relaxed);
    }

    /// Figures of earlier runs of the launch.
    pub(super) fn resumed(&self, totals: &CrawlSnapshot) {
        self.found.store(totals.found, Ordering::Relaxed);
        self.queued.store(i64::try_from(totals.queued).unwrap_or(i64::MAX), Ordering::Relaxed);
        self.fetched.store(totals.fetched, Ordering::Relaxed);
        self.failed.store(totals.failed, Ordering::Relaxed);
        self.bytes.store(totals.bytes, Ordering::Relaxed);
        for (counter, value) in self.classes.iter().zip(totals.classes) {
            counter.store(value, Ordering::Relaxed);
        }
        *lock(&self.mimes) = totals.mimes.iter().map(|(mime, count, bytes)| (mime.clone(), (*count, *bytes))).collect();
    }

    /// URLs refused when they were found.
    pub(super) fn refused(&self, urls: u64) {
        self.refused.fetch_add(urls, Ordering::Relaxed);
    }

    /// Links of one file beyond those that are followed.
    pub(super) fn left_out(&self, links: usize) {
        self.links_left_out.fetch_add(links as u64, Ordering::Relaxed);
    }

    /// Links that this run did not follow since their files have too many.
    pub fn links_left_out(&self) -> u64 {
        self.links_left_out.load(Ordering::Relaxed)
    }

    /// A URL left the queue for a worker.
    pub(super) fn taken(&self) {
        self.queued.fetch_sub(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// A worker put its URL back.
    pub(super) fn put_back(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.queued.fetch_add(1, Ordering::Relaxed);
    }

    /// A worker's URL came to its end.
    pub(super) fn done(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// An answer was kept.
    pub(super) fn captured(&self, status: i32, mime: &str, bytes: u64) {
        self.fetched.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(class) = class_of(status) {
            self.classes[class].fetch_add(1, Ordering::Relaxed);
        }
        let mut mimes = lock(&self.mimes);
        let name = if mimes.len() >= MAX_MIME_TYPES && !mimes.contains_key(mime) { "other" } else { mime };
        let entry = mimes.entry(name.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += bytes;
    }

    /// A URL was given up.
    pub(super) fn gave_up(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        self.classes[4].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts URLs that waited and were given up.
    pub(super) fn gave_up_waiting(&self, urls: u64) {
        self.failed.fetch_add(urls, Ordering::Relaxed);
        self.classes[4].fetch_add(urls, Ordering::Relaxed);
        self.queued.fetch_sub(i64::try_from(urls).unwrap_or(0), Ordering::Relaxed);
    }

    /// A failure will be tried again.
    pub(super) fn will_retry(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    /// Dates events by the clock of the launch, as its captures are.
    pub(super) fn dated_by(&self, clock: Clock) {
        *lock(&self.clock) = clock;
    }

    /// An instant of the system's clock as people read it: by the clock of the launch.
    pub(super) fn readable(&self, instant: CaptureDate) -> String {
        lock(&self.clock).at(instant).to_readable()
    }

    /// Reports something that a person should know. Repeats are folded.
    pub(super) fn event(&self, mut event: CrawlEvent) {
        event.date = lock(&self.clock).at(event.date);
        lock(&self.events).push(event, Instant::now());
    }

    /// Reports that the crawl pauses for want of room on the disk, or goes on.
    pub fn report_disk(&self, events: Vec<String>) {
        events.into_iter().for_each(|text| self.event(CrawlEvent::new(EventKind::Disk, text)));
    }

    /// Gives the events that are ready to the observer before they can be
    /// written; with `all`, counts of repeats that are still open as well.
    pub fn show_events(&self, all: bool) {
        let ready = lock(&self.events).take(Instant::now(), all);
        if let Some(observer) = &self.observer {
            ready.iter().for_each(|event| observer.notify(event));
        }
        lock(&self.shown).extend(ready);
    }

    /// Takes the events that are ready to be written, and gives those to the
    /// observer that it does not have yet.
    pub(super) fn take_events(&self, all: bool) -> Vec<CrawlEvent> {
        self.show_events(all);
        std::mem::take(&mut lock(&self.shown))
    }

    /// Anomalies from number `first` on that are still in memory, and the
    /// number to begin with the next time.
    pub fn anomalies(&self, first: u64) -> (Vec<CrawlEvent>, u64) {
        lock(&self.events).anomalies(first)
    }

    /// Answers kept so far.
    pub(super) fn fetched_so_far(&self) -> u64 {
        self.fetched.load(Ordering::Relaxed)
    }

    /// Bytes kept so far.
    pub(super) fn bytes_so_far(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Place of a status in [`CrawlSnapshot::classes`]; none for 1xx and oddities below 100.
fn class_of(status: i32) -> Option<usize> {
    match status {
        200..=299 => Some(0),
        300..=399 => Some(1),
        400..=499 => Some(2),
        500.. => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn figures_follow_a_url_through_the_crawl() {
        let stats = CrawlStats::default();
        stats.found(3);
        stats.taken();
        stats.taken();
        stats.captured(200, "text/html", 100);
        stats.done();
        stats.put_back();
        let now = stats.snapshot();
        assert_eq!((now.found, now.queued, now.in_flight, now.fetched, now.bytes), (3, 2, 0, 1, 100));
        assert_eq!(now.classes, [1, 0, 0, 0, 0]);
        assert_eq!(now.mimes, [("text/html".to_owned(), 1, 100)]);
    }

    #[test]
    fn invented_types_do_not_fill_memory() {
        let stats = CrawlStats::default();
        for number in 0..1000 {
            stats.captured(200, &format!("x/{number}"), 1);
        }
        let now = stats.snapshot();
        assert!(now.mimes.len() <= MAX_MIME_TYPES + 1);
        assert_eq!(now.mimes.iter().map(|(_, count, _)| count).sum::<u64>(), 1000);
    }
}
