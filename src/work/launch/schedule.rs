//! Starts crawls by their schedules.
//!
//! A [`Scheduler`] looks, again and again, which runs fell due since the last
//! one that is written down, and writes down what becomes of each. The window
//! and the command line then start what waits, one crawl at a time.
//!
//! Invariants: a run has one row in the catalogue and starts once at most,
//! also when the clock is set back; runs from before the schedule was saved as
//! it is are nobody's; what is not started is written down with its reason.

use super::crawl::waits_for_activation;
use super::crawl::{CrawlOptions, CrawlOutcome, crawl};
use crate::campaign::{Calendar, CatchUp, Fate, Run, settle};
use crate::jobs::{JobCx, OnPanic, StopError};
use crate::store::Scheduled;
use crate::store::rows::{RunId, campaign_title};
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::models::{CampaignId, LaunchState, RunState, ScheduledRun};
use crate::work::{JobKind, Report};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A run that starts at most this late is on time.
pub const ON_TIME: Duration = Duration::from_secs(3600);
/// Runs of one campaign that are written down one by one after a long sleep;
/// the ones before them are counted.
const MOST_WRITTEN: usize = 1000;
/// Longest time between two checks of a program that is awake; after more, waiting runs are decided
/// on again.
const GAP_MS: i64 = 600_000;
/// The interval of checks for a cancel.
const POLL: Duration = Duration::from_millis(100);
/// The interval at which schedules are checked. Short, since a clock may jump and a machine may
/// sleep: neither shortens a wait.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// The runs that a check of the schedules found due.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DueRuns {
    /// Runs that shall start, in this order.
    pub waiting: Vec<ScheduledRun>,
    /// Runs that need an answer of a person.
    pub unanswered: Vec<ScheduledRun>,
    /// Runs that this look wrote down first.
    pub noted: Vec<ScheduledRun>,
    /// Schedules that cannot be understood, in words.
    pub problems: Vec<String>,
    /// The schedules of a workspace that somebody else made, which do not run: each campaign with the
    /// terms of its crawls.
    pub of_others: Vec<(String, Vec<String>)>,
}

/// The campaigns that crawl by themselves, each with what its crawls do.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn scheduled_terms(session: &Session) -> anyhow::Result<Vec<(String, Vec<String>)>> {
    let (campaigns, _) = session.catalogue().scheduled_campaigns()?;
    let runs_by_itself = |of: &Scheduled| of.campaign.active && of.suspended.is_none() && of.campaign.schedule.is_set();
    Ok(campaigns
        .into_iter()
        .filter(runs_by_itself)
        .map(|of| (campaign_title(of.id, &of.campaign.name), of.campaign.crawl_terms()))
        .collect())
}

/// Looks at the schedules of one workspace.
#[derive(Debug, Default)]
pub struct Scheduler {
    on_time_ms: i64,
    /// The first look, or the first one after the clock was set back.
    begun: CaptureDate,
    last: Option<CaptureDate>,
    /// Since when the schedule of a version is as it is.
    since: HashMap<(CampaignId, u32), CaptureDate>,
}

impl Scheduler {
    /// A scheduler for which a run is on time up to `on_time` after it is due.
    pub fn new(on_time: Duration) -> Self {
        Self { on_time_ms: i64::try_from(on_time.as_millis()).unwrap_or(i64::MAX), ..Self::default() }
    }

    /// Writes down what fell due up to `now`, and returns what shall start.
    pub fn check(&mut self, session: &Session, now: CaptureDate) -> anyhow::Result<DueRuns> {
        let catalogue = session.catalogue();
        let is_first = self.last.is_none();
        let gap_ms = self.on_time_ms.max(GAP_MS);
        let slept = self.last.is_none_or(|last| now.millis().saturating_sub(last.millis()) > gap_ms);
        if self.last.is_none_or(|last| now < last) {
            catalogue.forget_scheduled_after(now)?;
            self.begun = now;
        }
        self.last = Some(now);
        let mut due_runs = DueRuns::default();
        let (campaigns, problems) = catalogue.scheduled_campaigns()?;
        due_runs.problems.extend(problems);
        for scheduled in campaigns {
            let open_runs = || -> anyhow::Result<Vec<ScheduledRun>> {
                let mut open = catalogue.open_scheduled_runs()?;
                open.retain(|run| run.campaign == scheduled.id);
                Ok(open)
            };
            if is_first {
                take_up(session, &scheduled, &open_runs()?)?;
            }
            let stale = if slept { self.take_up_late(session, &scheduled, &open_runs()?, now)? } else { Vec::new() };
            let open = open_runs()?;
            if let Err(error) = self.check_campaign(session, &scheduled, &open, &stale, now, &mut due_runs) {
                match error.downcast::<crate::campaign::ScheduleError>() {
                    Ok(error) => due_runs.problems.push(format!("{}: {error}", scheduled.campaign.name)),
                    Err(error) => return Err(error),
                }
            }
        }
        for run in catalogue.open_scheduled_runs()? {
            match run.state {
                RunState::Waiting => due_runs.waiting.push(run),
                RunState::Unanswered => due_runs.unanswered.push(run),
                _ => {}
            }
        }
        Ok(due_runs)
    }

    /// Decides about runs that have waited for their turn since before the
    /// machine slept or the program ended, as about those that were missed.
    /// Says which wait on, late.
    fn take_up_late(
        &self,
        session: &Session,
        scheduled: &Scheduled,
        open: &[ScheduledRun],
        now: CaptureDate,
    ) -> anyhow::Result<Vec<RunId>> {
        let mut stale = Vec::new();
        let late = |run: &&ScheduledRun| now.millis().saturating_sub(run.due.millis()) > self.on_time_ms;
        for run in open.iter().filter(|run| run.state == RunState::Waiting).filter(late) {
            let why = format!("{}; its turn had not come", late_text(now, run.due));
            let state = match (scheduled.campaign.schedule.catch_up, run.launch) {
                // What has begun goes on before anything else does.
                (CatchUp::Once, Some(_)) => continue,
                (CatchUp::Once, None) => {
                    stale.push(run.id);
                    continue;
                }
                (CatchUp::Confirm, _) => RunState::Unanswered,
                (CatchUp::Skip, Some(_)) => RunState::Stopped,
                (CatchUp::Skip, None) => RunState::Missed,
            };
            session.catalogue().settle_waiting(run.id, state, &why)?;
        }
        Ok(stale)
    }

    fn check_campaign(
        &mut self,
        session: &Session,
        scheduled: &Scheduled,
        open: &[ScheduledRun],
        stale: &[RunId],
        now: CaptureDate,
        due_runs: &mut DueRuns,
    ) -> anyhow::Result<()> {
        let catalogue = session.catalogue();
        let Scheduled { id, version, created, campaign, suspended } = scheduled;
        if suspended.is_some() {
            return Ok(());
        }
        if !campaign.active {
            for run in open.iter().filter(|run| run.state != RunState::Running) {
                catalogue.set_scheduled(run.id, RunState::Skipped, "the campaign was switched off")?;
            }
            return Ok(());
        }
        let since = match self.since.get(&(*id, *version)) {
            Some(since) => *since,
            None => {
                let since = catalogue.schedule_since(*id)?;
                self.since.insert((*id, *version), since);
                since
            }
        };
        // Saved by a clock that was ahead: what comes from now on counts.
        let since = if since > now { self.begun } else { since };
        let after = since.max(catalogue.last_scheduled(*id, now)?.unwrap_or(since));
        let (due, left_away) = campaign.schedule.runs_between(after, now, *created, MOST_WRITTEN)?;
        if due.is_empty() {
            return Ok(());
        }
        let waits = open.iter().any(|run| run.state == RunState::Waiting && !stale.contains(&run.id));
        let works = catalogue.is_crawling(*id)? || open.iter().any(|run| run.state == RunState::Running);
        let fates = settle(due, now, self.on_time_ms, campaign.schedule.catch_up, waits || works);
        let covers_all = fates.last().is_some_and(|(_, fate)| *fate != Fate::Overlapped);
        let rows: Vec<(Run, RunState, String)> = fates
            .into_iter()
            .enumerate()
            .map(|(at, (run, fate))| {
                let (state, mut why) = state_of(fate, &run, now, works);
                if at == 0 && left_away > 0 {
                    why.push_str(&format!("; {left_away} more before it were missed as well"));
                }
                (run, state, why)
            })
            .collect();
        let noted = catalogue.keep_scheduled(*id, rows, now)?;
        if covers_all && !noted.is_empty() {
            for id in stale {
                catalogue.settle_waiting(*id, RunState::MadeUp, "a later run was due before this one started")?;
            }
            for run in open.iter().filter(|run| run.state == RunState::Unanswered) {
                catalogue.set_scheduled(
                    run.id,
                    RunState::MadeUp,
                    "a later run was due before this one was answered",
                )?;
            }
        }
        due_runs.noted.extend(noted);
        Ok(())
    }
}

fn state_of(fate: Fate, run: &Run, now: CaptureDate, works: bool) -> (RunState, String) {
    let late = late_text(now, run.date);
    match fate {
        Fate::Start => (RunState::Waiting, String::new()),
        Fate::MakeUp => (RunState::Waiting, format!("{late}; it makes up for what was missed")),
        Fate::Confirm => (RunState::Unanswered, format!("{late}; Fonds was not running")),
        Fate::Missed => (RunState::Missed, format!("{late}; Fonds was not running")),
        Fate::MadeUp => (RunState::MadeUp, format!("{late}; Fonds was not running")),
        Fate::Overlapped if works => (RunState::Overlapped, "a crawl of the campaign was still running".to_owned()),
        Fate::Overlapped => (RunState::Overlapped, "the previous run had not started yet".to_owned()),
    }
}

fn late_text(now: CaptureDate, due: CaptureDate) -> String {
    let minutes = (now.millis() - due.millis()).max(0) / 60_000;
    match minutes {
        0..120 => format!("found {minutes} minutes late"),
        120..2880 => format!("found {} hours late", minutes / 60),
        _ => format!("found {} days late", minutes / 1440),
    }
}

/// Decides about runs whose program ended while they were at work.
fn take_up(session: &Session, scheduled: &Scheduled, open: &[ScheduledRun]) -> anyhow::Result<()> {
    let catalogue = session.catalogue();
    for run in open.iter().filter(|run| run.state == RunState::Running) {
        let finished = match run.launch {
            Some(launch) => catalogue.launch(launch)?.state == LaunchState::Finished,
            None => false,
        };
        let (state, why) = match (finished, run.launch, scheduled.campaign.schedule.catch_up) {
            (true, ..) => (RunState::Done, "the program ended just after it"),
            (_, None, _) => (RunState::Waiting, "the program ended before it had begun"),
            (_, _, CatchUp::Once) => (RunState::Waiting, "it goes on: the program ended while it was at work"),
            (_, _, CatchUp::Confirm) => (RunState::Unanswered, "the program ended while it was at work; it can go on"),
            (_, _, CatchUp::Skip) => (RunState::Stopped, "the program ended while it was at work"),
        };
        catalogue.set_scheduled(run.id, state, why)?;
    }
    Ok(())
}

/// Runs a crawl that waits, and writes down what became of it. Where `stays`
/// is set, a crawl that is stopped is taken up again by the next program;
/// else it was a person's will.
pub fn run_scheduled(session: &Session, id: RunId, stays: bool, cx: &JobCx) -> anyhow::Result<CrawlOutcome> {
    let catalogue = session.catalogue();
    let run = catalogue.scheduled_run(id)?;
    anyhow::ensure!(
        run.state == RunState::Waiting,
        "scheduled run {id} does not wait any more: it is {}",
        run.state.label()
    );
    let goes_on = match run.launch {
        None => false,
        Some(launch) => catalogue.unfinished_launch(run.campaign)?.is_some_and(|last| last.id == launch),
    };
    if let Some(launch) = run.launch.filter(|_| !goes_on) {
        let (state, why) = match catalogue.launch(launch)?.state {
            LaunchState::Finished => (RunState::Done, "ended by hand meanwhile"),
            _ => (RunState::Stopped, "another launch was begun since, so it cannot go on"),
        };
        catalogue.set_scheduled(id, state, why)?;
        anyhow::bail!("scheduled run {id} does not start: {why}");
    }
    // A scheduled run is a launch of its own, also where an earlier one could be resumed.
    let outcome = session.run_job(JobKind::ScheduledCrawl, || {
        execute(session, &run, stays, || {
            let options = session.crawl_options()?;
            crawl(session, run.campaign, &CrawlOptions { fresh: !goes_on, scheduled: Some(id), ..options }, cx)
        })
    });
    session.follow_run(Some(run.campaign), cx);
    outcome
}

/// Does a run's work and writes down what became of it, also when the work panics.
fn execute(
    session: &Session,
    run: &ScheduledRun,
    stays: bool,
    work: impl FnOnce() -> anyhow::Result<CrawlOutcome>,
) -> anyhow::Result<CrawlOutcome> {
    let catalogue = session.catalogue();
    catalogue.set_scheduled(run.id, RunState::Running, &run.why)?;
    let failed = OnPanic(|| {
        let _ = catalogue.set_scheduled(run.id, RunState::Failed, "an internal error ended the crawl");
    });
    let outcome = work();
    drop(failed);
    let (state, why) = match &outcome {
        Ok(outcome) if outcome.complete => (RunState::Done, run.why.clone()),
        Ok(outcome) if outcome.limit_reached => (RunState::Done, outcome.end.clone()),
        Ok(_) if stays => return outcome,
        Ok(outcome) => (RunState::Stopped, outcome.end.clone()),
        Err(error) if StopError::is_cancelled(error) && stays => return outcome,
        Err(error) => (RunState::Failed, crate::work::error_chain(error)),
    };
    catalogue.set_scheduled(run.id, state, &why)?;
    outcome
}

/// The options of keeping schedules without a window.
pub struct Watch<'a> {
    /// Look once, run what is due, and end.
    pub once: bool,
    /// A run that starts at most this late is on time.
    pub on_time: Duration,
    /// Tells the time.
    pub now: &'a dyn Fn() -> CaptureDate,
}

/// The outcome of keeping schedules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchReport {
    /// Crawls that ran, stopped ones too.
    pub ran: u64,
    /// Crawls that could not begin or go on.
    pub failed: u64,
    /// Runs that wait for a person's answer.
    pub unanswered: u64,
}

/// Starts crawls when they are due until it is cancelled, or once. `print` gets a line for each
/// event.
pub fn keep_schedules(
    session: &Session,
    watch: &Watch<'_>,
    cx: &JobCx,
    print: &dyn Fn(String),
) -> anyhow::Result<WatchReport> {
    let mut scheduler = Scheduler::new(watch.on_time);
    let mut report = WatchReport::default();
    let mut reported = Vec::new();
    while !cx.is_cancelled() {
        let due_runs = scheduler.check(session, (watch.now)())?;
        report_due(&due_runs, &mut reported, print);
        report.unanswered = due_runs.unanswered.len() as u64;
        let Some(run) = due_runs.waiting.first() else {
            if watch.once {
                break;
            }
            cx.stage(waiting_text(session, (watch.now)())?, None);
            wait(CHECK_INTERVAL, cx);
            continue;
        };
        print(format!("{}: begins, due {} UTC", run.campaign_name, run.due.to_readable()));
        let (outcome, checked) = std::thread::scope(|scope| {
            let crawl = scope.spawn(|| run_scheduled(session, run.id, true, cx));
            let mut checked = Ok(());
            let mut last = Instant::now();
            while !crawl.is_finished() {
                std::thread::sleep(POLL);
                // What falls due meanwhile is written down while the crawl is at work.
                if checked.is_ok() && last.elapsed() >= CHECK_INTERVAL {
                    checked = scheduler
                        .check(session, (watch.now)())
                        .map(|due_runs| report_due(&due_runs, &mut reported, print));
                    last = Instant::now();
                }
            }
            (crawl.join(), checked)
        });
        match outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("internal error in the crawl"))) {
            Ok(outcome) => {
                report.ran += 1;
                print(format!("{}: {}", run.campaign_name, outcome.summary()));
            }
            Err(error) => {
                report.failed += 1;
                print(format!("{}: {}", run.campaign_name, crate::work::error_chain(&error)));
                let state = session.catalogue().scheduled_run(run.id)?.state;
                // Not even that could be written down: it would be tried for ever.
                anyhow::ensure!(state != RunState::Waiting, "{}", crate::work::error_chain(&error));
                if state == RunState::Running && !cx.is_cancelled() {
                    session.catalogue().set_scheduled(run.id, RunState::Failed, &crate::work::error_chain(&error))?;
                }
            }
        }
        checked?;
    }
    Ok(report)
}

fn report_due(due_runs: &DueRuns, reported: &mut Vec<String>, print: &dyn Fn(String)) {
    for run in due_runs.noted.iter().filter(|run| run.state != RunState::Waiting) {
        print(format!(
            "{}: run of {} UTC {}: {}",
            run.campaign_name,
            run.due.to_readable(),
            run.state.label(),
            run.why
        ));
    }
    for problem in &due_runs.problems {
        if !reported.contains(problem) {
            print(format!("never starts: {problem}"));
            reported.push(problem.clone());
        }
    }
}

fn waiting_text(session: &Session, now: CaptureDate) -> anyhow::Result<String> {
    let (runs, _) = next_runs(session, None, Calendar::Fonds, now, 1)?;
    Ok(match runs.first() {
        Some(next) => format!("Waiting for {}, {}", next.run.words, next.campaign_name),
        None => "Waiting; no campaign has a run to come".to_owned(),
    })
}

fn wait(time: Duration, cx: &JobCx) {
    let begun = Instant::now();
    while begun.elapsed() < time && !cx.is_cancelled() {
        std::thread::sleep(POLL);
    }
}

/// A run to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextRun {
    /// The campaign.
    pub campaign: CampaignId,
    /// Its title.
    pub campaign_name: String,
    /// The run.
    pub run: Run,
}

/// The next runs of a campaign, or of all, earliest first, and the reasons why campaigns have none.
pub fn next_runs(
    session: &Session,
    campaign: Option<CampaignId>,
    calendar: Calendar,
    after: CaptureDate,
    count: usize,
) -> anyhow::Result<(Vec<NextRun>, Vec<String>)> {
    let mut all = Vec::new();
    let (campaigns, mut notes) = session.catalogue().scheduled_campaigns()?;
    for scheduled in campaigns {
        let Scheduled { id, created, campaign: spec, suspended, .. } = scheduled;
        if campaign.is_some_and(|only| only != id) {
            continue;
        }
        let name = spec.name;
        if let Some(origin) = suspended {
            notes.push(format!("{name}: {}", waits_for_activation(id, &origin)));
            continue;
        }
        if !spec.active {
            notes.push(format!("{name}: inactive, no scheduled runs"));
            continue;
        }
        match spec.schedule.next_runs_by(calendar, after, created, count) {
            Ok(runs) if runs.is_empty() => notes.push(format!("{name}: no scheduled run; start it by hand")),
            Ok(runs) => {
                all.extend(runs.into_iter().map(|run| NextRun { campaign: id, campaign_name: name.clone(), run }));
            }
            Err(error) => notes.push(format!("{name}: never starts: {error}")),
        }
    }
    all.sort_by_key(|next| (next.run.date, next.campaign));
    all.truncate(count);
    Ok((all, notes))
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
