//! Events of a running crawl on their way to a person, repeats folded.
//!
//! The first event of its kind, host, status and text is passed on at once.
//! What repeats it within [`FOLD_TIME`] is counted and becomes one event when
//! that time is over. So a server that answers 429 for a million URLs makes
//! two rows a minute.

use super::MORE_TIMES;
use crate::crawl::{CrawlEvent, EventKind};
use crate::uri::CaptureDate;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Repeats are counted for so long before they are passed on as one event.
const FOLD_TIME: Duration = Duration::from_secs(60);
/// Waits of different hosts that are passed on one by one in that time; the
/// others are counted.
const MAX_WAITS: usize = 100;
/// Most events of the other kinds, of which each may be the only one of its host.
const MAX_OTHERS: usize = 1000;
/// Hosts whose state is remembered.
const MAX_STATES: usize = 10_000;
/// Anomalies kept in memory for whoever watches.
const MAX_RECENT: usize = 200;

/// Collects events and gives them out in order.
#[derive(Debug, Default)]
pub(in crate::crawl) struct EventQueue {
    open: HashMap<EventKey, Repeats>,
    /// The present state of each kind and host, where it was reported.
    states: HashMap<(EventKind, String), EventKey>,
    ready: VecDeque<CrawlEvent>,
    anomalies: VecDeque<CrawlEvent>,
    /// Anomalies that were there before those kept.
    dropped_anomalies: u64,
}

/// The properties that events must share to be folded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct EventKey {
    kind: EventKind,
    status: i32,
    /// Host and text without its digits; none where there were too many.
    about: Option<(String, String)>,
}

/// Events that repeat one that was passed on.
#[derive(Debug)]
struct Repeats {
    began: Instant,
    since: CaptureDate,
    count: u64,
    last: Option<CrawlEvent>,
}

impl EventQueue {
    /// Adds an event that happens `now`.
    pub(in crate::crawl) fn push(&mut self, event: CrawlEvent, now: Instant) {
        // What a power cut took is named URL by URL; recovery bounds how many.
        if event.kind == EventKind::Recovery && !event.url.is_empty() {
            self.ready.push_back(event);
            return;
        }
        let about = Some((event.host.clone(), event.text.replace(|c: char| c.is_ascii_digit(), "")));
        let mut key = EventKey { kind: event.kind, status: event.status, about };
        if event.kind.is_state()
            && let Some(before) = self.states.insert((event.kind, event.host.clone()), key.clone())
            && before != key
        {
            // It was another state in between: this is news.
            for old in [&before, &key] {
                let repeated = self.open.remove(old).and_then(|repeats| fold(old, repeats));
                self.ready.extend(repeated);
            }
        }
        if !self.open.contains_key(&key) {
            let most = if event.kind == EventKind::Wait { MAX_WAITS } else { MAX_OTHERS };
            if self.open.keys().filter(|open| open.kind == event.kind).count() < most {
                self.open.insert(key, Repeats { began: now, since: event.date, count: 0, last: None });
                self.keep_anomaly(&event);
                self.ready.push_back(event);
                return;
            }
            key = EventKey { kind: event.kind, status: 0, about: None };
        }
        let fresh = Repeats { began: now, since: event.date, count: 0, last: None };
        let repeats = self.open.entry(key).or_insert(fresh);
        repeats.count += event.count;
        repeats.last = Some(event);
    }

    /// Gives out what is ready; repeats when their time is over, or at once
    /// with `all`.
    pub(in crate::crawl) fn take(&mut self, now: Instant, all: bool) -> Vec<CrawlEvent> {
        let is_over = |repeats: &Repeats| all || now.duration_since(repeats.began) >= FOLD_TIME;
        if self.states.len() > MAX_STATES {
            self.states.clear();
        }
        let over = self.open.extract_if(|_, repeats| is_over(repeats));
        let mut ready: Vec<CrawlEvent> = over.filter_map(|(key, repeats)| fold(&key, repeats)).collect();
        ready.iter().for_each(|event| self.keep_anomaly(event));
        ready.extend(self.ready.drain(..));
        ready.sort_by_key(|event| event.date.millis());
        ready
    }

    /// Anomalies from number `first` on that are kept, and the number after
    /// the last one.
    pub(in crate::crawl) fn anomalies(&self, first: u64) -> (Vec<CrawlEvent>, u64) {
        let next = self.dropped_anomalies + self.anomalies.len() as u64;
        let skipped = usize::try_from(first.saturating_sub(self.dropped_anomalies)).unwrap_or(usize::MAX);
        (self.anomalies.iter().skip(skipped).cloned().collect(), next)
    }

    fn keep_anomaly(&mut self, event: &CrawlEvent) {
        if !event.kind.is_anomaly() {
            return;
        }
        if self.anomalies.len() == MAX_RECENT {
            self.anomalies.pop_front();
            self.dropped_anomalies += 1;
        }
        self.anomalies.push_back(event.clone());
    }
}

/// The one event that replaces repeats; none where nothing was repeated.
fn fold(key: &EventKey, repeats: Repeats) -> Option<CrawlEvent> {
    let mut event = repeats.last?;
    event.count = repeats.count;
    if key.about.is_none() {
        let since = repeats.since.to_readable();
        event.text = format!("{} more events of this kind since {since}; the last: {}", repeats.count, event.text);
        if !event.host.is_empty() {
            event.text = format!("{} ({})", event.text, event.host);
        }
        event.host = String::new();
        event.url = String::new();
    } else if repeats.count > 1 {
        event.text = format!("{}{MORE_TIMES}{}: {}", repeats.count, repeats.since.to_readable(), event.text);
    }
    Some(event)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refusal(host: usize, page: usize) -> CrawlEvent {
        let text = format!("the server answered 429 and asks to wait {page} seconds");
        CrawlEvent::new(EventKind::Wait, text).of_host(&format!("h{host}.example")).with_status(429)
    }

    #[test]
    fn a_server_that_always_refuses_makes_two_rows_a_minute() {
        let mut queue = EventQueue::default();
        let begin = Instant::now();
        let mut rows = Vec::new();
        for page in 0..600_000 {
            let now = begin + Duration::from_millis(page as u64);
            queue.push(refusal(1, page), now);
            rows.extend(queue.take(now, false));
        }
        rows.extend(queue.take(begin + Duration::from_secs(600), true));
        assert_eq!(rows.iter().map(|row| row.count).sum::<u64>(), 600_000);
        assert!((19..=22).contains(&rows.len()), "{}", rows.len());
        assert_eq!(rows[0].text, "the server answered 429 and asks to wait 0 seconds");
        assert!(rows[1].text.contains(" more times since ") && rows[1].host == "h1.example", "{:?}", rows[1]);
    }

    #[test]
    fn a_state_that_comes_back_is_passed_on_at_once() {
        let mut queue = EventQueue::default();
        let now = Instant::now();
        let mut push_and_take = |text: &str| {
            queue.push(CrawlEvent::new(EventKind::Disk, text), now);
            queue.take(now, false).len()
        };
        let shown = ["Paused: 12 MB free", "Paused: 11 MB free", "Room again", "Paused: 10 MB free", "Room again"];
        // Of the second only the count is kept until the third comes.
        assert_eq!(shown.map(&mut push_and_take), [1, 0, 2, 1, 1]);
    }

    #[test]
    fn what_differs_is_not_folded_and_many_hosts_are_counted() {
        let mut queue = EventQueue::default();
        let now = Instant::now();
        for text in ["Network not reachable", "Network reachable again"] {
            queue.push(CrawlEvent::new(EventKind::Network, text), now);
        }
        assert_eq!(queue.take(now, false).len(), 2);
        let (seen, next) = queue.anomalies(0);
        assert_eq!((seen.len(), next, queue.anomalies(next).0.len()), (2, 2, 0));
        (0..5000).for_each(|host| queue.push(refusal(host, 1), now));
        let rows = queue.take(now, false);
        assert_eq!(rows.len(), MAX_WAITS);
        let rows = queue.take(now + FOLD_TIME, false);
        assert_eq!((rows.len(), rows[0].count, rows[0].host.as_str()), (1, 4900, ""));
        assert!(queue.open.is_empty());
    }
}
