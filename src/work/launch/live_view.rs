//! A crawl that runs in this process, watched twice a second.

use crate::crawl::{CrawlSnapshot, CrawlStats, CurrentPlan, HostState};
use crate::jobs::JobCx;
use crate::work::models::{CrawlPage, CrawlSample, LaunchId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two samples.
const EVERY: Duration = Duration::from_millis(500);
/// Samples kept; when there are more, every second one goes and the plot
/// stays whole, only coarser.
const MOST: usize = 2400;
/// Between two times that the samples are kept.
const KEPT_EVERY: Duration = Duration::from_secs(20);

/// Figures of a running crawl, over time.
pub struct LiveCrawl {
    /// The launch that runs.
    pub launch: LaunchId,
    /// Counters that the crawl's threads move.
    pub stats: Arc<CrawlStats>,
    /// Its progress, and whether it was cancelled.
    pub cx: JobCx,
    /// The version of the campaign that it goes by now.
    pub plan: Arc<CurrentPlan>,
    /// Whether it knows the countries of servers.
    pub knows_countries: bool,
    samples: Mutex<Vec<CrawlSample>>,
    /// The places of hosts in their list, in the order in which they came into it.
    places: Mutex<HashMap<String, usize>>,
    began: Instant,
    /// Seconds that the launch had run when it was resumed.
    ran_before: f64,
    revision: AtomicU64,
}

impl LiveCrawl {
    /// A crawl about to run, with the samples of its launch so far.
    pub fn new(
        launch: LaunchId,
        stats: Arc<CrawlStats>,
        cx: JobCx,
        plan: Arc<CurrentPlan>,
        knows_countries: bool,
        earlier: Vec<CrawlSample>,
    ) -> Self {
        let ran_before = earlier.last().map_or(0.0, |last| last.seconds);
        let (samples, places) = (Mutex::new(earlier), Mutex::default());
        let (began, revision) = (Instant::now(), AtomicU64::new(0));
        Self { launch, stats, cx, plan, knows_countries, samples, places, began, ran_before, revision }
    }

    /// Grows with every sample.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    /// Takes samples until `done` is true; reports when the crawl is paused, when it goes on, and why
    /// it makes no headway, again where the last report failed. Gives the samples to be kept now and then,
    /// and at the end.
    pub fn watch(
        &self,
        done: impl Fn() -> bool,
        on_change: impl Fn(bool, &str) -> bool,
        keep: impl Fn(&[CrawlSample]),
    ) {
        let (mut next, mut next_kept) = (Instant::now(), Instant::now() + KEPT_EVERY);
        let mut noted = (false, String::new());
        while !done() {
            let now = (self.cx.is_paused(), self.cx.obstacle());
            if now != noted && (now.0 != noted.0 || Instant::now() >= next) && on_change(now.0, &now.1) {
                noted = now;
            }
            if Instant::now() >= next {
                self.sample();
                next = Instant::now() + EVERY;
            }
            if Instant::now() >= next_kept {
                keep(&self.samples());
                next_kept = Instant::now() + KEPT_EVERY;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.sample();
        keep(&self.samples());
    }

    fn samples(&self) -> Vec<CrawlSample> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn sample(&self) {
        let now: CrawlSnapshot = self.stats.snapshot();
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        if samples.len() >= MOST {
            let mut keep = false;
            samples.retain(|_| {
                keep = !keep;
                keep
            });
        }
        samples.push(CrawlSample {
            seconds: self.ran_before + self.began.elapsed().as_secs_f64(),
            found: now.found,
            // What a page embedded and a rule refused later is done with, too.
            done: now.found.saturating_sub(now.queued + now.in_flight),
            bytes: now.bytes,
            in_flight: now.in_flight,
        });
        self.revision.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the samples to the page of the launch.
    pub fn add_to(&self, page: &mut CrawlPage) {
        page.samples = self.samples();
        (page.pauses, page.pauses_total) = self.stats.pauses();
        let states: HashMap<String, HostState> =
            self.stats.host_states().into_iter().map(|host| (host.authority.clone(), host)).collect();
        for row in &mut page.hosts {
            row.now = states.get(&row.host).cloned();
        }
        // Rows keep their places while their counts grow.
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        for row in &page.hosts {
            let next = places.len();
            places.entry(row.host.clone()).or_insert(next);
        }
        page.hosts.sort_by_key(|row| places.get(&row.host).copied());
        use crate::work::models::LaunchState::{Paused, Running};
        // The kept row of a launch that has ended holds more.
        if let Some(launch) = page.launch.as_mut().filter(|launch| matches!(launch.state, Running | Paused)) {
            if self.cx.is_paused() {
                launch.state = Paused;
            }
            launch.why = self.cx.obstacle();
        }
    }
}
