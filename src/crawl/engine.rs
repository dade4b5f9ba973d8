//! Runs a launch: workers, limits, the beginning and the end.

use super::frontier::host_choice::rest_of;
use super::frontier::{Frontier, Next};
use super::judge::Judge;
use super::logs::Logs;
use super::plan::PlanChange;
use super::pool::WorkerPool;
use super::recovery::{complete_crawl_log, complete_scope_log, recover, take_over};
use super::rejudge::{Rejudged, Undecided, rejudge};
use super::relevance::draws::Draws;
use super::relevance::gains::HostGains;
use super::relevance::rescore::rescore;
use super::seeds::{add_met_seeds, admit_seeds, admit_source_pages};
use super::setup::check_user_agent;
use super::{
    Admission, CrawlEnd, CrawlError, CrawlEvent, CrawlReport, CrawlSetup, CrawlStats, EventKind, HostPause, Ledger,
    MAX_IN_FLIGHT_PER_ADDRESS, Plan, SourcePage, TOP_POINTS,
};
use crate::campaign::{Campaign, CrawlOrder};
use crate::crawl::events::event_writer::EventWriter;
use crate::crawl::frontier::politeness::is_polite;
use crate::crawl::robots::robots_cache::RobotsCache;
use crate::crawl::worker::Worker;
use crate::exchange::{
    Abandon, Archive, Client, DiskGate, FetchLimits, Intake, Resolver, SPACE_POLL, SystemResolver, fetch_status,
};
use crate::jobs::{JobCx, OnDrop, counted, make_folder, panic_message, verb};
use crate::uri::{CaptureDate, Url, authority_of, parse_web_url};
use crate::warc::FileSetOptions;
use std::collections::{HashMap, HashSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Exchanges in flight may go on so long after a cancel.
const STOP_GRACE: Duration = Duration::from_secs(10);
/// How often it is seen whether the workers are done.
const WORKER_POLL: Duration = Duration::from_millis(20);
/// How often it is seen which hosts are left alone.
const HOST_POLL: Duration = Duration::from_millis(500);
/// Hosts whose state is shown while the crawl runs.
const HOSTS_NAMED: usize = 2_000;
/// Hosts that are left alone and named.
const PAUSES_NAMED: usize = 100;
/// Hosts that are named where all of them have a pause.
const PAUSES_SHOWN: usize = 3;
/// How often it is kept that the launch runs.
const KEEP_RUNNING: Duration = Duration::from_secs(2);
/// More workers than this help nobody.
const MAX_WORKERS: usize = 256;
/// Name of the obstacle that every host has to be left alone for now.
const HOSTS_ASLEEP: &str = "hosts";

/// The state that the workers of a launch share.
pub(super) struct Engine<'a> {
    pub(super) setup: &'a CrawlSetup,
    pub(super) ledger: &'a dyn Ledger,
    pub(super) stats: &'a CrawlStats,
    pub(super) cx: &'a JobCx,
    pub(super) client: &'a Client,
    pub(super) judge: Judge<'a>,
    pub(super) frontier: Frontier<'a>,
    pub(super) robots: RobotsCache<'a>,
    pub(super) archive: &'a Archive,
    pub(super) logs: &'a Logs,
    pub(super) polite: bool,
    /// To read while URLs are decided, till the ledger has that; so whoever gets it
    /// to write knows that what a plan before decided is in the ledger.
    pub(super) deciding: RwLock<()>,
    pub(super) disk: &'a DiskGate,
    pub(super) intake: Intake<'a>,
    pub(super) pool: WorkerPool,
    /// Hosts whose long delay between requests has been reported.
    pub(super) slow_hosts: Mutex<HashSet<String>>,
    /// Microseconds that the launch ran, without the time that it was paused or stopped.
    ran_us: AtomicU64,
    /// Captures made or being made, so that a limit is kept to the last one.
    documents: AtomicU64,
    end: Mutex<Option<Result<CrawlEnd, CrawlError>>>,
}

/// Runs a launch to its end, or goes on with one that was stopped or killed,
/// with the system's resolver.
///
/// On cancel, exchanges in flight get some seconds to end, files are closed
/// and the report says [`CrawlEnd::Stopped`]; what waits stays in the ledger.
///
/// # Errors
///
/// Nothing is fetched when the campaign cannot be crawled (no contact in the
/// User-Agent, no seed). A ledger, disk or file that fails ends the crawl; it
/// can be resumed.
pub fn run_crawl(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    stats: &CrawlStats,
    cx: &JobCx,
) -> Result<CrawlReport, CrawlError> {
    let resolver = SystemResolver::start().map_err(|source| CrawlError::io(&setup.warc_dir, source))?;
    run_crawl_with(setup, ledger, stats, cx, Arc::new(resolver))
}

/// Runs a crawl as [`run_crawl`] does, with a resolver of the caller's.
pub fn run_crawl_with(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    stats: &CrawlStats,
    cx: &JobCx,
    resolver: Arc<dyn Resolver>,
) -> Result<CrawlReport, CrawlError> {
    let plan = setup.plan.now();
    let (campaign, politeness) = (&plan.campaign, &plan.campaign.politeness);
    check_user_agent(&politeness.user_agent)?;
    if campaign.seeds.is_empty() && !campaign.sources.iter().any(|source| source.enabled) {
        return Err(CrawlError::Setup("The campaign has no seed: add a URL to start from.".to_owned()));
    }
    make_folder(&setup.warc_dir).map_err(|source| CrawlError::io(&setup.warc_dir, source))?;
    stats.dated_by(setup.clock);
    let events = EventWriter::open(&setup.log_dir, stats, ledger)?;
    let ended_by = |error: &CrawlError| CrawlEvent::new(EventKind::End, format!("Ended by an error: {error}"));
    let logs = Logs::open(&setup.log_dir, setup.clock).inspect_err(|error| stats.event(ended_by(error)))?;
    let disk = Arc::new(DiskGate::new(cx, &setup.warc_dir, campaign.limits.disk_floor_bytes));
    ledger.set_disk_gate(Arc::clone(&disk));
    let logs = logs.with_disk(&disk);
    let is_over = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        let watch = || {
            while !is_over.load(Ordering::Relaxed) {
                disk.poll();
                if !disk.is_full() {
                    logs.flush();
                }
                stats.report_disk(disk.take_events());
                events.flush_sometimes();
                std::thread::sleep(SPACE_POLL);
            }
        };
        let watching = std::thread::Builder::new().name("crawl events".to_owned()).spawn_scoped(scope, watch);
        let _over = OnDrop(|| is_over.store(true, Ordering::Relaxed));
        watching.map_err(CrawlError::NoWorkers)?;
        run_launch(setup, ledger, stats, cx, resolver, &Shared { logs: &logs, disk: &disk, events: &events })
    });
    stats.report_disk(disk.take_events());
    // Whoever stops it while it waits is shown what it waited for.
    if !matches!(&ended, Ok(report) if report.end == CrawlEnd::Stopped) {
        disk.release();
    }
    stats.event(match &ended {
        Ok(report) => CrawlEvent::new(EventKind::End, report.end.summary()),
        Err(error) => ended_by(error),
    });
    ended
}

/// The parts of a crawl that last from the begin of a launch to its end.
struct Shared<'a> {
    logs: &'a Logs,
    disk: &'a Arc<DiskGate>,
    events: &'a EventWriter<'a>,
}

fn run_launch(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    stats: &CrawlStats,
    cx: &JobCx,
    resolver: Arc<dyn Resolver>,
    &Shared { logs, disk, events }: &Shared<'_>,
) -> Result<CrawlReport, CrawlError> {
    let plan = setup.plan.now();
    let (campaign, politeness) = (&plan.campaign, &plan.campaign.politeness);
    let client =
        Client::new(resolver, &politeness.user_agent, FetchLimits::of(&campaign.limits), setup.warc_dir.clone())
            .map_err(CrawlError::Setup)?
            .with_overrides(setup.overrides.clone())
            .allowing_private(politeness.allow_private_addresses.clone())
            .dated_by(setup.clock)
            .with_disk(disk)
            .abandoned_when(abandon_after_grace(cx))
            .cancelled_by(cx);

    cx.stage("Looking at what is there", None);
    let judge =
        Judge::new(&setup.plan, setup.geo.as_ref(), &client, ledger, setup.clock)?.of_trial(setup.trial.is_some());
    let (mut recovery, found) = recover(setup, ledger, logs, stats, cx)?;
    let archive = Archive::new(file_options(setup, campaign)?, &setup.warc_label);
    let is_resumed = !ledger.backlog()?.is_empty();
    let longest_fetch_ms = i64::try_from(campaign.limits.max_response_seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
    for (lines, what, log) in [
        (complete_scope_log(ledger, logs, setup.clock, !found.is_empty())?, "decision", "scope.log"),
        (complete_crawl_log(ledger, logs, setup.clock, longest_fetch_ms, &found)?, "URL", "crawl.log"),
    ] {
        if lines > 0 {
            let were = verb(lines, "was");
            let text = format!("{} of the run before {were} added to {log}", counted(lines, what));
            stats.event(CrawlEvent::new(EventKind::Recovery, text));
        }
    }
    let seeds: Vec<Url> = campaign.seeds.iter().filter_map(|seed| parse_web_url(&seed.url)).collect();
    add_met_seeds(ledger, &judge, campaign)?;
    ledger.take_source_pages()?;
    let of_sources = ledger.source_pages()?;
    judge.add_source_seeds(of_sources.iter().filter_map(SourcePage::seed).collect())?;
    let plan = setup.plan.now();
    let (campaign, politeness) = (&plan.campaign, &plan.campaign.politeness);
    // Before captures are taken over, which a ledger that lost its seeds would know nothing of.
    let refused_seeds = admit_seeds(&plan, setup.clock, ledger, &judge, logs, stats)?.refused;
    admit_source_pages(&setup.plan, ledger, &judge, logs, stats, &of_sources)?;
    recovery.captures = take_over(found, ledger, &judge, &plan, logs, &mut |url, why| {
        let text = format!("{why}. This recovered capture is given up; please report it with the URL");
        let event = CrawlEvent::new(EventKind::Error, text).of_url(url);
        stats.event(event.with_status(fetch_status::RUNTIME_EXCEPTION));
    })?;
    if let Some(version) = setup.changed_from {
        cx.stage("Judging the queue by the new seeds and rules", None);
        let since = CaptureDate::now();
        let changed = rejudge(&plan, ledger, &judge, logs, cx, Undecided::All, &|_| {})?;
        ledger.change_version(version, plan.version, since)?;
        stats.event(CrawlEvent::new(EventKind::Campaign, changed.text(version, plan.version)));
    }
    let tally = ledger.tally(&seeds)?;
    let queued: u64 = ledger.backlog()?.iter().map(|backlog| backlog.waiting).sum();
    stats.resumed(&tally.snapshot(queued));
    if setup.geo.is_none() && plan.rules.uses_geo() {
        let text = "A rule asks for the country of servers, but no country database is set: it lets nothing in";
        stats.event(CrawlEvent::new(EventKind::Campaign, text));
    }

    let mut gains = HostGains::default();
    if setup.trial.is_none() {
        let (seeds, limit) = rest_of(&plan);
        gains.let_rest(seeds, limit);
    }
    let learned = ledger.learned_order(&mut |host, score| {
        gains.add(host, f64::from(score) / f64::from(TOP_POINTS));
    })?;
    if let Some(guide) = &plan.guide {
        guide.learned_so_far(learned.pages, learned.terms);
        ledger.keep_terms(guide.tallies())?;
    }
    let is_ordered = learned.version == Some(plan.version);
    if plan.order() != campaign.order {
        let text = "The request has no words to look for: the crawl goes round the hosts in turn";
        stats.event(CrawlEvent::new(EventKind::Campaign, text));
    }
    let gains = gains.drawn_by(Draws::new(learned.seed, learned.pages));

    let polite = is_polite(politeness);
    let workers = politeness.workers.clamp(1, MAX_WORKERS);
    let first_wait = plan.delays.after("", Some(Duration::ZERO), None);
    let (per_host, per_address) = if polite { (1, MAX_IN_FLIGHT_PER_ADDRESS) } else { (workers, usize::MAX) };
    let robots = RobotsCache::new(ledger, &politeness.user_agent);
    let intake = Intake::new(&archive, robots.product(), cx);
    let engine = Engine {
        setup,
        ledger,
        stats,
        cx,
        client: &client,
        judge,
        frontier: Frontier::open(ledger, per_host, per_address, is_resumed.then_some(first_wait))?
            .in_order(plan.order(), gains)
            .with_quota(setup.trial.map(|trial| trial.per_host), &tally),
        robots,
        archive: &archive,
        logs,
        polite,
        deciding: RwLock::default(),
        disk,
        intake,
        pool: WorkerPool::new(workers),
        slow_hosts: Mutex::default(),
        ran_us: AtomicU64::new(tally.ran_ms.saturating_mul(1000)),
        documents: AtomicU64::new(tally.successes()),
        end: Mutex::new(None),
    };
    cx.stage("Crawling", None);
    events.flush();
    engine.run(workers, is_ordered.then_some(plan.generation()));
    let end = engine.end.into_inner().unwrap_or_else(PoisonError::into_inner);

    // Files are closed and reports written whatever happened.
    let files = archive.close();
    let end = match end.unwrap_or(Ok(CrawlEnd::Finished)) {
        // Stopped while it waited for room: what could not be written to the
        // catalogue is found at the next start.
        Err(CrawlError::Ledger(_)) if cx.is_cancelled() && disk.is_full() => CrawlEnd::Stopped,
        end => end?,
    };
    let files = files?;
    ledger.keep_running()?;
    let tally = ledger.tally(&seeds)?;
    let remaining: HashMap<String, u64> =
        ledger.backlog()?.into_iter().map(|backlog| (backlog.authority, backlog.waiting)).collect();
    let names: Vec<String> = campaign.seeds.iter().map(|seed| seed.url.clone()).collect();
    let reports = logs.write_reports(&tally, &setup.job_name, &end.summary(), &names, &remaining);
    match reports.as_ref().map_err(CrawlError::disk_full) {
        // The next run writes them.
        Err(Some((path, error))) => {
            let text =
                format!("{} cannot be written for want of room ({error}); the next run writes it", path.display());
            stats.event(CrawlEvent::new(EventKind::Disk, text));
        }
        _ => reports?,
    }
    let seed_errors = tally.seeds.values().filter(|status| **status >= 400).count() as u64;
    let links_left_out = stats.links_left_out();
    Ok(CrawlReport { end, totals: stats.snapshot(), files, recovery, seed_errors, refused_seeds, links_left_out })
}

impl Engine<'_> {
    /// Runs the workers until all is done, a limit is reached, or a person
    /// or an error stops them.
    /// `ordered_by` is the generation of the plan that the queue is ordered by.
    fn run(&self, workers: usize, mut ordered_by: Option<u64>) {
        std::thread::scope(|scope| {
            let start = |number| {
                let thread = std::thread::Builder::new().name(format!("crawl-{number}"));
                let started = thread.spawn_scoped(scope, move || self.work(number));
                started.inspect(|_| self.pool.started())
            };
            let (mut threads, failed) = start_workers(workers, start);
            let (mut next, mut may_start) = (workers, true);
            match failed {
                Some(error) if threads.is_empty() => self.stop(Err(CrawlError::NoWorkers(error))),
                Some(error) => {
                    let made = threads.len();
                    let text =
                        format!("Only {made} of {workers} workers could be started ({error}): the crawl is slower");
                    self.stats.event(CrawlEvent::new(EventKind::Error, text));
                }
                None => {}
            }
            let (mut judging, mut scoring) = (None, None);
            let (mut seen, mut kept, mut next_poll) = (Instant::now(), Instant::now(), Instant::now());
            loop {
                threads.retain(|thread| !thread.is_finished());
                if threads.is_empty() {
                    break;
                }
                self.follow_plan(scope, &mut judging);
                self.follow_order(scope, &mut scoring, &mut ordered_by);
                if may_start && self.pool.wants_more() && !self.is_ending() {
                    // Without another one the crawl is slower, no more.
                    match start(next) {
                        Ok(thread) => threads.push(thread),
                        Err(_) => may_start = false,
                    }
                    next += 1;
                }
                let now = Instant::now();
                if !self.cx.is_paused() {
                    let passed = u64::try_from(now.duration_since(seen).as_micros()).unwrap_or(u64::MAX);
                    self.ran_us.fetch_add(passed, Ordering::Relaxed);
                }
                seen = now;
                if kept.elapsed() >= KEEP_RUNNING && !self.cx.is_paused() {
                    kept = now;
                    let kept = self.ledger.keep_running().map_err(CrawlError::from);
                    if let Err(error) = kept.and_then(|()| self.take_source_pages()) {
                        self.stop(Err(error));
                    }
                }
                self.cx.set_done(self.stats.fetched_so_far());
                if now >= next_poll {
                    self.report_pauses();
                    // With a million hosts a look takes long, and holds the workers up.
                    next_poll = now + HOST_POLL.max(now.elapsed() * 100);
                }
                std::thread::sleep(WORKER_POLL);
            }
            self.cx.clear_obstacle(HOSTS_ASLEEP);
            self.stats.set_pauses(Vec::new(), 0);
            self.stats.set_host_states(Vec::new());
        });
        if self.cx.is_cancelled() {
            self.stop(Ok(CrawlEnd::Stopped));
        }
    }

    /// Decides what was refused when it was found by a plan that came meanwhile;
    /// workers decide what waits when its turn comes.
    fn follow_plan<'s>(
        &'s self,
        scope: &'s std::thread::Scope<'s, '_>,
        judging: &mut Option<ScopedJoinHandle<'s, ()>>,
    ) {
        if judging.as_ref().is_some_and(|thread| !thread.is_finished())
            || !self.setup.plan.has_changed()
            || self.is_ending()
        {
            return;
        }
        let thread = std::thread::Builder::new().name("crawl plan".to_owned());
        match thread.spawn_scoped(scope, || self.judge_refused()) {
            Ok(thread) => *judging = Some(thread),
            Err(error) => self.stop(Err(CrawlError::NoWorkers(error))),
        }
    }

    /// Orders what waits by a plan that came meanwhile.
    fn follow_order<'s>(
        &'s self,
        scope: &'s std::thread::Scope<'s, '_>,
        scoring: &mut Option<ScopedJoinHandle<'s, ()>>,
        ordered_by: &mut Option<u64>,
    ) {
        let plan = self.setup.plan.now();
        let is_new = *ordered_by != Some(plan.generation());
        if !is_new || scoring.as_ref().is_some_and(|thread| !thread.is_finished()) || self.is_ending() {
            return;
        }
        *ordered_by = Some(plan.generation());
        let thread = std::thread::Builder::new().name("crawl order".to_owned());
        match thread.spawn_scoped(scope, move || self.order_queue(&plan)) {
            Ok(thread) => *scoring = Some(thread),
            Err(error) => self.stop(Err(CrawlError::NoWorkers(error))),
        }
    }

    fn order_queue(&self, plan: &Plan) {
        // What was found under the plan before is in the ledger then.
        drop(self.deciding.write());
        if self.setup.plan.now().generation() > 0 && self.setup.trial.is_none() {
            self.frontier.let_rest(plan);
        }
        self.frontier.reorder(plan.order());
        let hosts = self.frontier.hosts();
        let on_first = || self.frontier.reorder(plan.order());
        let scored = catch_unwind(AssertUnwindSafe(|| rescore(plan, self.ledger, &hosts, self.cx, &on_first)));
        match scored.unwrap_or_else(|panic| Err(CrawlError::Internal(panic_message(panic.as_ref())))) {
            Ok(count) => {
                self.frontier.reorder(plan.order());
                if plan.order() == CrawlOrder::Relevance && count > 0 {
                    let have = verb(count, "has");
                    let text = format!(
                        "{} in the queue {have} another priority by version {} of the campaign",
                        counted(count, "URL"),
                        plan.version
                    );
                    self.stats.event(CrawlEvent::new(EventKind::Campaign, text));
                }
            }
            // The next run orders all.
            Err(CrawlError::Cancelled(_)) => {}
            Err(error) => self.stop(Err(error)),
        }
    }

    /// Takes pages that a source named while the launch runs.
    fn take_source_pages(&self) -> Result<(), CrawlError> {
        let pages = self.ledger.take_source_pages()?;
        if pages.is_empty() {
            return Ok(());
        }
        self.judge.add_source_seeds(pages.iter().filter_map(SourcePage::seed).collect())?;
        let setup = self.setup;
        for admission in admit_source_pages(&setup.plan, self.ledger, &self.judge, self.logs, self.stats, &pages)? {
            self.stats.found(1);
            self.frontier.announce(authority_of(&admission.candidate.url), admission.priority);
        }
        Ok(())
    }

    fn judge_refused(&self) {
        let (plan, changes) = self.setup.plan.changes();
        let [passed @ .., last] = &*changes else { return };
        drop(self.deciding.write());
        let on_queued = |admission: &Admission| {
            self.stats.found(1);
            self.frontier.announce(authority_of(&admission.candidate.url), admission.priority);
        };
        let keep = |change: &PlanChange| self.ledger.change_version(change.from, change.to, change.since);
        let judge = || -> Result<Rejudged, CrawlError> {
            // The ledger has the last one when all is decided by it: a run in
            // between ends with another version than the next one begins with.
            passed.iter().try_for_each(keep)?;
            let judged = rejudge(&plan, self.ledger, &self.judge, self.logs, self.cx, Undecided::Refused, &on_queued)?;
            for admission in admit_seeds(&plan, self.setup.clock, self.ledger, &self.judge, self.logs, self.stats)?.new
            {
                on_queued(&admission);
            }
            keep(last)?;
            Ok(judged)
        };
        let judged = catch_unwind(AssertUnwindSafe(judge));
        match judged.unwrap_or_else(|panic| Err(CrawlError::Internal(panic_message(panic.as_ref())))) {
            Ok(judged) => {
                let text = judged.text(changes[0].from, plan.version);
                self.stats.event(CrawlEvent::new(EventKind::Campaign, text));
                self.setup.plan.take_changes(changes.len());
            }
            // The next run judges all.
            Err(CrawlError::Cancelled(_)) => {}
            Err(error) => self.stop(Err(error)),
        }
    }

    /// Says which hosts are left alone till when, and why nothing is fetched
    /// while all that have something are.
    fn report_pauses(&self) {
        let (pauses, count, is_all) = self.frontier.pauses(PAUSES_NAMED);
        if is_all {
            let host = |pause: &HostPause| {
                format!(
                    "{} is asked again at {} UTC ({})",
                    pause.authority,
                    self.stats.readable(pause.until),
                    pause.why
                )
            };
            let shown: Vec<String> = pauses.iter().take(PAUSES_SHOWN).map(host).collect();
            let more = match count.saturating_sub(shown.len() as u64) {
                0 => String::new(),
                more => format!("; and {} later", counted(more, "host")),
            };
            self.cx.set_obstacle(HOSTS_ASLEEP, format!("Waiting: {}{more}", shown.join("; ")));
        } else {
            self.cx.clear_obstacle(HOSTS_ASLEEP);
        }
        self.stats.set_pauses(pauses, count);
        self.frontier.spare(&self.setup.plan.spared());
        self.stats.set_host_states(self.frontier.host_states(HOSTS_NAMED));
    }

    /// One worker's life.
    fn work(&self, number: usize) {
        let worker = Worker::new(self, number);
        loop {
            if self.cx.checkpoint().is_err() || self.is_ended() || self.pool.dismisses() {
                return;
            }
            if let Some(why) = self.limit_reached() {
                return self.stop(Ok(CrawlEnd::Limit(why)));
            }
            if !self.reserve_document() {
                // The last ones allowed are in flight; one of them may fail.
                std::thread::sleep(WORKER_POLL);
                continue;
            }
            // Read before the frontier is: what a new plan accepts is announced before it is old.
            let is_plan_new = self.setup.plan.has_changed();
            // What panics beside a URL leaves nothing behind to wait for: the
            // crawl ends with words, and the others see that it did.
            let next = catch_unwind(AssertUnwindSafe(|| match self.frontier.next()? {
                Next::Url(url) => Ok(Some(worker.process(*url)?)),
                Next::Idle => Ok(Some(false)),
                Next::Finished if is_plan_new => {
                    std::thread::sleep(WORKER_POLL);
                    Ok(Some(false))
                }
                Next::Finished => Ok(None),
            }));
            let next = next.unwrap_or_else(|panic| Err(CrawlError::Internal(panic_message(panic.as_ref()))));
            match next {
                Ok(Some(true)) => {}
                Ok(Some(false)) => self.unreserve_document(),
                Ok(None) => {
                    if let Some(trial) = self.setup.trial.filter(|_| self.frontier.has_used_up_hosts()) {
                        let why = format!("the limit of {} of each host was reached", counted(trial.per_host, "URL"));
                        self.stop(Ok(CrawlEnd::Limit(why)));
                    }
                    return self.unreserve_document();
                }
                Err(error) => return self.stop(Err(error)),
            }
        }
    }

    /// Whether a person, a limit or an error ends the run.
    pub(super) fn is_ending(&self) -> bool {
        self.cx.is_cancelled() || self.is_ended()
    }

    /// Ends the run because nobody answered for hours.
    pub(super) fn stop_for(&self, why: String) {
        self.stop(Ok(CrawlEnd::NetworkGone(why)));
    }

    fn stop(&self, end: Result<CrawlEnd, CrawlError>) {
        let mut ended = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        // The first reason counts, but an error is never hidden.
        if ended.is_none() || (end.is_err() && ended.as_ref().is_some_and(Result::is_ok)) {
            *ended = Some(end);
        }
    }

    fn is_ended(&self) -> bool {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn limit_reached(&self) -> Option<String> {
        let plan = self.setup.plan.now();
        let limits = &plan.campaign.limits;
        if limits.max_documents > 0 && self.stats.fetched_so_far() >= limits.max_documents {
            return Some(format!("the limit of {} documents was reached", limits.max_documents));
        }
        if limits.max_bytes > 0 && self.stats.bytes_so_far() >= limits.max_bytes {
            return Some(format!("the limit of {} bytes was reached", limits.max_bytes));
        }
        if limits.max_seconds > 0 && self.ran_us.load(Ordering::Relaxed) / 1_000_000 >= limits.max_seconds {
            return Some(format!("the limit of {} seconds was reached", limits.max_seconds));
        }
        None
    }

    fn reserve_document(&self) -> bool {
        let max = match self.setup.plan.now().campaign.limits.max_documents {
            0 => u64::MAX,
            max => max,
        };
        let more = |documents: u64| (documents < max).then_some(documents + 1);
        self.documents.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok()
    }

    fn unreserve_document(&self) {
        self.documents.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Starts so many workers, as far as the system lets it; the error is that of
/// the first one that could not be started.
fn start_workers<T>(count: usize, mut start: impl FnMut(usize) -> io::Result<T>) -> (Vec<T>, Option<io::Error>) {
    let mut threads = Vec::with_capacity(count);
    for number in 0..count {
        match start(number) {
            Ok(thread) => threads.push(thread),
            Err(error) => return (threads, Some(error)),
        }
    }
    (threads, None)
}

/// Servers that keep silent are given up some time after a cancel.
fn abandon_after_grace(cx: &JobCx) -> Abandon {
    let (cx, cancelled) = (cx.clone(), OnceLock::new());
    Arc::new(move || cx.is_cancelled() && cancelled.get_or_init(Instant::now).elapsed() > STOP_GRACE)
}

fn file_options(setup: &CrawlSetup, campaign: &Campaign) -> Result<FileSetOptions, CrawlError> {
    let policy = serde_json::to_value(campaign.politeness.robots).ok();
    let policy = policy.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let mut info = vec![
        ("software", setup.software.as_str()),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("operator", setup.operator.as_str()),
        ("isPartOf", setup.job_name.as_str()),
        ("description", campaign.name.as_str()),
        ("robots", policy.as_str()),
        ("http-header-user-agent", campaign.politeness.user_agent.as_str()),
    ];
    let mut options = FileSetOptions::new(&setup.warc_dir, &setup.job_name);
    options.max_bytes = setup.warc_max_bytes;
    options.last_serial = last_serial(&setup.warc_dir).map_err(|source| CrawlError::io(&setup.warc_dir, source))?;
    let clock = setup.clock;
    options.clock = Box::new(move || clock.now());
    if clock.is_shifted() {
        info.push(("description", "Dates are taken from a clock that runs behind the system's"));
    }
    options.info = info
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Ok(options)
}

/// The highest number of a file that earlier runs of the launch made:
/// `PREFIX-TIMESTAMP-NUMBER.warc.gz`, with whatever a repair put behind it.
fn last_serial(folder: &Path) -> std::io::Result<u32> {
    let mut last = 0;
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let stem = name.split_once(".warc").map_or("", |(stem, _)| stem);
        let number = stem.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_begins_with_the_workers_that_can_be_started() {
        let few =
            |count| start_workers(count, |number| if number < 2 { Ok(number) } else { Err(io::Error::other("no")) });
        let (threads, failed) = few(4);
        assert_eq!((threads, failed.map(|error| error.to_string())), (vec![0, 1], Some("no".to_owned())));
        assert!(few(2).1.is_none());
    }
}
