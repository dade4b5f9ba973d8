//! Runs a launch of a campaign, or goes on with the last one.

use crate::campaign::{Campaign, CrawlOrder};
use crate::crawl::{
    CrawlEnd, CrawlEvent, CrawlReport, CrawlSetup, CrawlStats, CurrentPlan, EventKind, EventObserver, Ledger, Plan,
    RecoveryReport, TrialBounds, run_crawl,
};
use crate::exchange::DiskGate;
use crate::jobs::{JobCx, OnDrop, OnPanic};
use crate::keys::SystemKeychain;
use crate::scope::{DecideRules, GeoDatabase};
use crate::store::rows::RunId;
use crate::store::{Catalogue, LaunchLedger, StoreError, job_name};
use crate::uri::{CaptureDate, Clock, parse_web_url};
use crate::work::Report;
use crate::work::Session;
use crate::work::launch::live_view::LiveCrawl;
use crate::work::launch::patch::patch_campaign;
use crate::work::links::outlink_gaps::fill_outlink_gaps;
use crate::work::models::{CampaignId, CrawlSample, LaunchId, LaunchRow, LaunchState, campaign_title};
use crate::work::scope::geo_database;
use crate::work::sources::read_due_sources;
use crate::work::{CrawlPlan, CrawlRequest, UnfinishedLaunch};
use crate::work::{counted, error_chain};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A WARC file that has reached this size is closed and a new one begun.
const WARC_MAX_BYTES: u64 = 1_000_000_000;
/// URLs of a trial, where nobody says how many.
pub const TRIAL_URLS: u64 = 300;
/// URLs of a host in a trial, so that one talkative host does not take it.
const TRIAL_URLS_PER_HOST: u64 = 30;

/// The options of a crawl.
#[derive(Debug, Clone, Default)]
pub struct CrawlOptions {
    /// Begin a new launch even when the last one did not come to its end.
    pub fresh: bool,
    /// Put the URLs that failed in the last launch back into its queue, and go
    /// on with it.
    pub retry_failed: bool,
    /// It is a trial, which fetches so many URLs at most.
    pub trial: Option<u64>,
    /// It is a patch, which fetches these URLs and what they need.
    pub patch: Option<Vec<String>>,
    /// The version that was confirmed; another one is not crawled.
    pub version: Option<u32>,
    /// The clock that dates the launch and its captures.
    pub clock: Clock,
    /// The run of a schedule that it is, by its number.
    pub scheduled: Option<RunId>,
    /// Gets the events of the crawl while it runs.
    pub on_event: Option<EventObserver>,
}

/// The outcome of a crawl.
#[derive(Debug, Clone, Serialize)]
pub struct CrawlOutcome {
    /// UTC start of the launch, 14 digits.
    pub launch: String,
    /// Whether it went on with an earlier run.
    pub resumed: bool,
    /// Whether nothing waits any more.
    pub complete: bool,
    /// Whether a limit of the campaign ended it.
    pub limit_reached: bool,
    /// Whether it is a trial.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_trial: bool,
    /// Its end as text.
    pub end: String,
    /// Why nothing was fetched, where nothing but robots.txt and errors were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nothing_fetched: Option<String>,
    /// URLs fetched with an answer, in the whole launch.
    pub fetched: u64,
    /// Of those, URLs whose last answer was 429 or an error of the server (5xx).
    pub server_errors: u64,
    /// Seeds that answered with an error, 4xx or 5xx.
    pub seed_errors: u64,
    /// Seeds that a permission refuses.
    pub refused_seeds: u64,
    /// URLs that could not be fetched.
    pub failed: u64,
    /// URLs refused by a rule.
    pub refused: u64,
    /// URLs still waiting.
    pub queued: u64,
    /// Links that this run did not follow since their pages or lists have more than a crawl takes of one file.
    #[serde(skip_serializing_if = "is_zero")]
    pub links_left_out: u64,
    /// Bytes received.
    pub bytes: u64,
    /// The recovery of a run that was killed, as text; empty when nothing was done.
    pub recovery: String,
    /// Folder of the WARC files.
    pub warc_folder: PathBuf,
    /// Folder of the logs.
    pub log_folder: PathBuf,
}

impl Report for CrawlOutcome {
    fn summary(&self) -> String {
        format!("{}: {}", self.end, self.figures())
    }
}

impl CrawlOutcome {
    /// The figures of the crawl: what was fetched and what was not.
    pub fn figures(&self) -> String {
        let mut text = format!(
            "{} fetched{}, {} failed, {} refused, {} queued",
            self.fetched,
            self.errors(),
            self.failed,
            self.refused,
            self.queued
        );
        if self.links_left_out > 0 {
            text = format!("{text}; {} of long files not followed", counted(self.links_left_out, "link"));
        }
        if self.resumed {
            text.push_str("; resumed an earlier run");
        }
        if !self.recovery.is_empty() {
            text.push_str("; ");
            text.push_str(&self.recovery);
        }
        if let Some(why) = &self.nothing_fetched {
            text = format!("{text}. {why}");
        }
        text
    }

    /// The number of fetched URLs with an error, as text behind their number.
    fn errors(&self) -> String {
        let part = |count, what: &str| if count > 0 { Some(counted(count, what)) } else { None };
        let parts: Vec<String> = [
            part(self.server_errors, "answer").map(|answers| format!("{answers} with 429 or 5xx only")),
            part(self.seed_errors, "seed").map(|seeds| format!("{seeds} with an error")),
            part(self.refused_seeds, "seed").map(|seeds| format!("{seeds} left out, refused by permission")),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }

    /// Whether everything in the scope of the campaign was fetched, as far as rules and limits let it.
    pub fn is_whole(&self) -> bool {
        self.complete
            && self.nothing_fetched.is_none()
            && self.failed == 0
            && self.server_errors == 0
            && self.seed_errors == 0
            && self.refused_seeds == 0
    }
}

/// The rules of a campaign and the database that they read. An error has the reason why it cannot
/// be crawled, and what to do.
pub(in crate::work) fn prepare(
    session: &Session,
    spec: &Campaign,
) -> anyhow::Result<(DecideRules, Option<GeoDatabase>)> {
    let stopping: Vec<String> =
        spec.problems().into_iter().filter(|problem| problem.stops_crawl).map(|problem| problem.to_string()).collect();
    anyhow::ensure!(stopping.is_empty(), "the campaign cannot be crawled yet: {}", stopping.join("; "));
    anyhow::ensure!(
        !spec.rules.is_empty(),
        "the campaign cannot be crawled yet: rules: there are none, so nothing is in scope; take those that fonds campaign example prints"
    );
    let rules = DecideRules::compile(spec)?;
    let stopping = rules.problems(CaptureDate::now()).into_iter().filter(|problem| problem.stops_crawl);
    let stopping: Vec<String> = stopping.map(|problem| problem.to_string()).collect();
    anyhow::ensure!(stopping.is_empty(), "the campaign cannot be crawled yet: {}", stopping.join("; "));
    let geo = geo_database(session)?;
    anyhow::ensure!(
        geo.is_some() || !rules.uses_geo(),
        "a rule asks where servers stand, but the workspace has no geolocation database. Choose one on the page Spec (Geolocation), or with --geo FILE.mmdb"
    );
    Ok((rules, geo))
}

/// The reason why a campaign from elsewhere does not run, and what to do.
pub(in crate::work) fn waits_for_activation(id: CampaignId, origin: &str) -> String {
    format!(
        "it came from {origin} and is switched off; let it run on its page Spec, or with: fonds campaign activate DIR {id}"
    )
}

/// Refuses a campaign that came from elsewhere until a person here has let it run.
pub(in crate::work) fn check_activated(session: &Session, id: CampaignId, spec: &Campaign) -> anyhow::Result<()> {
    if let Some(origin) = session.catalogue().suspended_campaign(id)? {
        let terms = spec.crawl_terms();
        let terms = if terms.is_empty() { String::new() } else { format!(". Its crawls: {}", terms.join("; ")) };
        anyhow::bail!("the campaign cannot be crawled yet: {}{terms}", waits_for_activation(id, &origin));
    }
    Ok(())
}

/// The plan of a crawl.
pub fn crawl_plan(session: &Session, request: &CrawlRequest) -> anyhow::Result<CrawlPlan> {
    let catalogue = session.catalogue();
    let saved = request.campaign.map(|id| catalogue.campaign(id)).transpose()?;
    let latest = saved.as_ref().map_or(0, |(version, _)| *version);
    let (version, spec) = match (&request.edits, saved) {
        (Some(edits), saved) => {
            let is_saved = saved.is_some_and(|(_, saved)| saved == *edits);
            (if is_saved { latest } else { latest + 1 }, edits.clone())
        }
        (None, Some((version, spec))) => (version, spec),
        (None, None) => anyhow::bail!("no campaign is named"),
    };
    let unfinished = match request.campaign.map(|id| catalogue.unfinished_launch(id)).transpose()?.flatten() {
        None => None,
        Some(launch) => Some(UnfinishedLaunch {
            started: launch.started.to_readable(),
            version: catalogue.launch_version(launch.id)?,
            queued: launch.queued,
        }),
    };
    let mut hosts = Vec::new();
    let mut seen = HashSet::new();
    for seed in &spec.seeds {
        let host = parse_web_url(seed.url.trim()).and_then(|url| url.host_str().map(str::to_owned));
        hosts.extend(host.filter(|host| seen.insert(host.clone())));
    }
    let errors = DecideRules::compile(&spec).map(|rules| rules.problems(CaptureDate::now())).unwrap_or_default();
    let errors: Vec<String> = errors.iter().filter(|problem| problem.is_error).map(ToString::to_string).collect();
    Ok(CrawlPlan {
        errors,
        title: campaign_title(request.campaign.unwrap_or_default(), &spec.name),
        version,
        seeds: spec.seeds.len() as u64,
        first_seeds: spec.seeds.iter().take(PLAN_EXAMPLES).map(|seed| seed.url.clone()).collect(),
        hosts: hosts.len() as u64,
        first_hosts: hosts.into_iter().take(PLAN_EXAMPLES).collect(),
        unfinished,
        obstacle: request
            .campaign
            .map_or(Ok(()), |id| check_activated(session, id, &spec))
            .and_then(|()| prepare(session, &spec))
            .err()
            .map(|error| error_chain(&error)),
    })
}

/// Seeds and hosts that a plan names.
const PLAN_EXAMPLES: usize = 5;

/// Runs a launch of a campaign to its end or until it is cancelled.
pub fn crawl(
    session: &Session,
    campaign: CampaignId,
    options: &CrawlOptions,
    cx: &JobCx,
) -> anyhow::Result<CrawlOutcome> {
    let catalogue = session.catalogue();
    let unfinished = match options {
        CrawlOptions { fresh: true, .. } => None,
        CrawlOptions { patch: Some(urls), .. } => unfinished_patch(catalogue, campaign, urls)?,
        CrawlOptions { trial: Some(_), .. } => {
            catalogue.last_trial(campaign)?.filter(|launch| launch.state != LaunchState::Finished)
        }
        CrawlOptions { retry_failed: true, .. } => Some(failed_launch(catalogue, campaign)?),
        _ => catalogue.unfinished_launch(campaign)?,
    };
    let resumed = unfinished.is_some();
    let (latest, newest) = catalogue.campaign(campaign)?;
    if let Some(version) = options.version.filter(|version| *version != latest) {
        anyhow::bail!(
            "version {version} of the campaign was confirmed, but version {latest} was saved meanwhile. Look it over on the page Spec and start the crawl again"
        );
    }
    // A launch that goes on takes what was saved meanwhile.
    let mut spec = newest;
    if let Some(urls) = options.trial {
        spec.order = CrawlOrder::Relevance;
        spec.limits.max_documents = urls;
    }
    if let Some(urls) = &options.patch {
        spec = patch_campaign(&spec, urls);
    }
    let before = unfinished.as_ref().map(|launch| catalogue.launch_version(launch.id)).transpose()?;
    let changed_from = match before.filter(|before| *before != latest) {
        Some(before) => {
            let same_rules = catalogue.campaign_version(campaign, before)?.has_same_rules(&spec);
            (!same_rules).then_some(before)
        }
        None => None,
    };
    // Whatever can be refused is refused before there is a launch.
    check_activated(session, campaign, &spec)?;
    let (rules, geo) = prepare(session, &spec)?;
    let job = job_name(&spec.name);
    let stats = Arc::new(CrawlStats::observed(options.on_event.clone()));
    let room = Room { session, stats: &stats, cx };
    // Beside the WARC files a campaign outlives the catalogue.
    room.wait_for(|| crate::work::files::campaign_files::keep_campaign_files(&session.workspace, campaign))?;
    let unread_pages = room.wait_for(|| fill_outlink_gaps(&session.workspace, cx))?;
    let of_sources = match options.retry_failed || options.patch.is_some() {
        true => Vec::new(),
        false => read_due_sources(session, campaign, &SystemKeychain, cx)?,
    };
    let name = unfinished.as_ref().map_or_else(|| options.clock.now().to_digits14(), |launch| launch.launch.clone());
    session.workspace.log_folder(&job, &name)?;
    let launch = match unfinished {
        Some(launch) => launch,
        None => room.wait_for(|| match (&options.patch, options.trial) {
            (Some(urls), _) => Ok(catalogue.begin_patch(campaign, &job, options.clock.now(), urls)?),
            (None, Some(urls)) => Ok(catalogue.begin_trial(campaign, &job, options.clock.now(), urls)?),
            (None, None) => Ok(catalogue.begin_launch(campaign, &job, options.clock.now())?),
        })?,
    };
    let warc_folder = session.workspace.warc_folder(&job, &launch.launch)?;
    let log_folder = session.workspace.log_folder(&job, &launch.launch)?;
    if let Some(run) = options.scheduled {
        room.wait_for(|| Ok(catalogue.set_scheduled_launch(run, launch.id)?))?;
    }
    if let Some(before) = before.filter(|before| *before != latest && changed_from.is_none()) {
        room.wait_for(|| Ok(catalogue.change_launch_version(launch.id, before, latest)?))?;
    }
    room.wait_for(|| Ok(catalogue.set_launch_state(launch.id, LaunchState::Running, "")?))?;
    if options.retry_failed {
        room.wait_for(|| Ok(catalogue.queue_failed(launch.id)?))?;
    }
    let setup = CrawlSetup {
        plan: Arc::new(CurrentPlan::new(Plan::new(spec, latest, rules))),
        changed_from,
        geo,
        overrides: session.overrides(),
        warc_label: session.workspace.stored_name(&warc_folder),
        warc_dir: warc_folder.clone(),
        log_dir: log_folder.clone(),
        launch: launch.launch.clone(),
        job_name: job,
        operator: crate::work::operator(),
        software: concat!("Fonds/", env!("CARGO_PKG_VERSION")).to_owned(),
        warc_max_bytes: WARC_MAX_BYTES,
        trial: options.trial.map(|_| TrialBounds { per_host: TRIAL_URLS_PER_HOST }),
        clock: options.clock,
    };
    if unread_pages > 0 {
        let text = format!(
            "Links of {} of an interrupted run are missing: their records cannot be read. Check the files with: fonds files list {} --check",
            counted(unread_pages, "page"),
            session.workspace.folder().display()
        );
        let ledger = LaunchLedger::new(Arc::clone(session.workspace.catalogue()), launch.id);
        ledger.keep_events(vec![CrawlEvent::new(EventKind::Recovery, text)])?;
    }
    if !of_sources.is_empty() {
        let events = of_sources.into_iter().map(|text| CrawlEvent::new(EventKind::Source, text)).collect();
        LaunchLedger::new(Arc::clone(session.workspace.catalogue()), launch.id).keep_events(events)?;
    }
    let live = Arc::new(LiveCrawl::new(
        launch.id,
        Arc::clone(&stats),
        cx.clone(),
        Arc::clone(&setup.plan),
        setup.geo.is_some(),
        catalogue.launch_samples(launch.id)?,
    ));
    session.set_live(Some(Arc::clone(&live)));
    let run = || {
        loop {
            // The ledger and the gate of a run are its own.
            let ledger = LaunchLedger::new(Arc::clone(session.workspace.catalogue()), launch.id);
            match run_crawl(&setup, &ledger, &stats, cx) {
                Err(error) if error.disk_full().is_some_and(|(path, full)| room.comes(path, full)) => {}
                ended => break ended,
            }
        }
    };
    let report = match guarded(catalogue, launch.id, &live, run) {
        Ok(report) => report,
        Err(error) => {
            if let Err(unnoted) = catalogue.set_launch_state(launch.id, LaunchState::Stopped, &error.to_string()) {
                tracing::warn!("the end of the launch is not noted: {unnoted}");
            }
            return Err(error.into());
        }
    };
    let is_at_end = match report.end {
        CrawlEnd::Finished => true,
        // A trial is a sample: its limit is its end.
        CrawlEnd::Limit(_) => options.trial.is_some(),
        CrawlEnd::Stopped | CrawlEnd::NetworkGone(_) => false,
    };
    let state = if is_at_end { LaunchState::Finished } else { LaunchState::Stopped };
    let mut why = if report.end == CrawlEnd::Finished { String::new() } else { report.end.summary() };
    // Why it made no headway when it was stopped.
    let obstacle = cx.obstacle();
    if report.end == CrawlEnd::Stopped && !obstacle.is_empty() {
        why = format!("{why}. {obstacle}");
    }
    let note_end = || Ok(catalogue.set_launch_state(launch.id, state, &why)?);
    match if report.end == CrawlEnd::Stopped { note_end() } else { room.wait_for(note_end) } {
        // Whoever opens the workspace next marks it as stopped.
        Err(error) if is_disk_full(&error) && report.end == CrawlEnd::Stopped => {
            tracing::warn!("the end of the launch is not noted: {error}");
        }
        noted => noted?,
    }
    let ended = catalogue.launch(launch.id)?;
    if ended.nothing_fetched || ended.only_errors {
        catalogue.set_launch_state(launch.id, state, &catalogue.why_nothing_fetched(launch.id)?)?;
    }
    let mut outcome = outcome(session, launch.id, resumed, &report, warc_folder, log_folder)?;
    if report.end == CrawlEnd::Stopped {
        outcome.end = why;
    }
    // Revisits that were imported may repeat what was crawled now. The next build of inlinks looks again.
    if let Err(error) = catalogue.settle_originals(cx) {
        tracing::warn!("originals of revisits are not looked for: {error}");
    }
    Ok(outcome)
}

/// Does what needs room on the disk, and waits while there is none.
struct Room<'a> {
    session: &'a Session,
    stats: &'a CrawlStats,
    cx: &'a JobCx,
}

impl Room<'_> {
    /// Writes to the workspace; again when there is room, where its disk was full.
    fn wait_for<T>(&self, write: impl Fn() -> anyhow::Result<T>) -> anyhow::Result<T> {
        loop {
            match write() {
                Err(error)
                    if is_disk_full(&error) && self.comes(self.session.workspace.folder(), &error_chain(&error)) => {}
                written => return written,
            }
        }
    }

    /// Waits for room, since this file could not be written; false when the
    /// crawl shall stop.
    fn comes(&self, path: &Path, error: &dyn Display) -> bool {
        let gate = DiskGate::new(self.cx, self.session.workspace.folder(), 0);
        gate.wait_for_room(path, error, &|events| {
            self.stats.report_disk(events);
            self.stats.show_events(false);
        })
    }
}

/// Whether work ended because something could not be written for want of room.
fn is_disk_full(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<StoreError>().is_some_and(StoreError::is_disk_full)
            || cause.downcast_ref::<std::io::Error>().is_some_and(crate::jobs::is_disk_full)
    })
}

/// The last patch of a campaign, where it was stopped and was made for these URLs.
fn unfinished_patch(catalogue: &Catalogue, campaign: CampaignId, urls: &[String]) -> anyhow::Result<Option<LaunchRow>> {
    let Some(launch) = catalogue.unfinished_patch(campaign)? else { return Ok(None) };
    Ok((catalogue.patch_urls(launch.id)? == urls).then_some(launch))
}

/// The last launch of a campaign, with URLs that failed.
fn failed_launch(catalogue: &Catalogue, campaign: CampaignId) -> anyhow::Result<LaunchRow> {
    let launch = catalogue.own_last_launch(campaign)?;
    launch.filter(|launch| launch.to_retry() > 0).ok_or_else(|| {
        anyhow::anyhow!(
            "No URL of the last launch of this campaign failed or answered with 429 or 5xx: there is nothing to retry"
        )
    })
}

/// Does a launch's work and takes its samples. Where the work panics the
/// launch is written down as stopped, so that it can be resumed and its
/// campaign is not taken for being at work for ever.
fn guarded<T>(catalogue: &Catalogue, launch: LaunchId, live: &LiveCrawl, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    let _stopped = OnPanic(|| {
        let why = "ended by an internal error; it can be resumed";
        let _ = catalogue.set_launch_state(launch, LaunchState::Stopped, why);
    });
    std::thread::scope(|scope| {
        // Without its end the samples would be waited for in vain.
        let _over = OnDrop(|| over.store(true, Ordering::Relaxed));
        // Time that it is paused is no time that it runs.
        let on_change = |paused: bool, why: &str| {
            let state = if paused { LaunchState::Paused } else { LaunchState::Running };
            catalogue.set_launch_state(launch, state, why).is_ok()
        };
        let keep = |samples: &[CrawlSample]| {
            if let Err(error) = catalogue.keep_launch_samples(launch, samples) {
                tracing::warn!("the samples of the crawl are not kept: {error}");
            }
        };
        let is_over = &over;
        let watch = move || live.watch(|| is_over.load(Ordering::Relaxed), on_change, keep);
        // Without samples a crawl is worth as much.
        if let Err(error) = std::thread::Builder::new().name("crawl watch".to_owned()).spawn_scoped(scope, watch) {
            tracing::warn!("no samples of the crawl are taken, since no thread can be made: {error}");
        }
        work()
    })
}

fn outcome(
    session: &Session,
    launch: LaunchId,
    resumed: bool,
    report: &CrawlReport,
    warc_folder: PathBuf,
    log_folder: PathBuf,
) -> anyhow::Result<CrawlOutcome> {
    let row = session.catalogue().launch(launch)?;
    let end = if report.end == CrawlEnd::Finished { row.label() } else { report.end.summary() };
    Ok(CrawlOutcome {
        launch: row.launch,
        resumed,
        complete: row.state == LaunchState::Finished,
        limit_reached: matches!(report.end, CrawlEnd::Limit(_)),
        is_trial: row.trial.is_some_and(|trial| !trial.is_patch),
        end,
        nothing_fetched: (row.nothing_fetched || row.only_errors).then_some(row.why),
        fetched: row.fetched,
        server_errors: row.server_errors,
        seed_errors: report.seed_errors,
        refused_seeds: report.refused_seeds,
        failed: row.failed,
        refused: row.refused,
        queued: row.queued,
        links_left_out: report.links_left_out,
        bytes: row.bytes,
        recovery: recovery_summary(&report.recovery),
        warc_folder,
        log_folder,
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn recovery_summary(recovery: &RecoveryReport) -> String {
    if recovery.files.is_empty() && recovery.problems.is_empty() && recovery.lost == 0 {
        return String::new();
    }
    let mut text = format!(
        "after an interrupted run: {} closed, {} removed, {} recovered",
        counted(recovery.files.len() as u64, "file"),
        counted(recovery.cut_bytes, "incomplete byte"),
        counted(recovery.captures, "capture")
    );
    if recovery.lost > 0 {
        text.push_str(&format!(", {} missing from the files and fetched again", counted(recovery.lost, "capture")));
    }
    for problem in &recovery.problems {
        text.push_str("; ");
        text.push_str(problem);
    }
    text
}

#[cfg(test)]
#[path = "resume_tests.rs"]
pub(in crate::work::launch) mod resume_tests;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::{PrivateAddresses, Seed, SeedScope};
    use crate::store::Workspace;
    use crate::testing::{ScriptedReply, ScriptedServer};
    use crate::uri::CaptureDate;
    use crate::work::models::SeenQuery;

    #[test]
    fn a_crawl_that_fetched_nothing_reports_that_and_why() {
        let dir = tempfile::tempdir().unwrap();
        let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
        // Nobody listens on a port that was free a moment ago.
        let dead = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut town = Campaign::new("Town");
        town.rules = crate::scope::standard_rules();
        town.seeds = vec![Seed {
            url: format!("http://127.0.0.1:{}/", dead()),
            scope: SeedScope::Root,
            depth: None,
            source_tag: String::new(),
        }];
        town.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
        town.politeness.max_retries = 0;
        let mut crawl_of = |private| {
            town.politeness.allow_private_addresses = private;
            let id = session.catalogue().save_campaign(None, &town).unwrap();
            let outcome = crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
            let launch = session.catalogue().last_launch(Some(id)).unwrap().unwrap();
            assert_eq!((launch.label().as_str(), launch.state), ("Ended: nothing fetched", LaunchState::Finished));
            assert_eq!(outcome.nothing_fetched.as_ref(), Some(&launch.why));
            assert!(outcome.summary().starts_with("Ended: nothing fetched: 0 fetched"), "{}", outcome.summary());
            assert!(outcome.summary().ends_with(&launch.why), "{}", outcome.summary());
            let rows = session.catalogue().seen(&SeenQuery::of_launch(launch.id, "all")).unwrap().rows;
            assert!(rows.iter().any(|row| row.url == town.seeds[0].url));
            for row in rows {
                let outcome = row.outcome.to_string();
                assert!(outcome.starts_with("Not fetched: ") && !outcome.contains("ccept"), "{outcome}");
            }
            launch.why
        };
        let why = crawl_of(PrivateAddresses::All);
        assert!(why.starts_with("Not fetched: no connection to the server. Check host and port"), "{why}");
        let why = crawl_of(PrivateAddresses::default());
        assert!(why.starts_with("Not fetched: its address is private or local. "), "{why}");
    }

    #[test]
    fn a_site_that_answers_nothing_but_errors_is_no_success_and_is_retried() {
        let is_well = Arc::new(AtomicBool::new(false));
        let server = ScriptedServer::start({
            let is_well = Arc::clone(&is_well);
            move |_, path| match path {
                "/robots.txt" => ScriptedReply::page(404, "", ""),
                _ if is_well.load(Ordering::SeqCst) => ScriptedReply::html("well"),
                "/busy" => ScriptedReply::page(429, "Retry-After: 0\r\n", ""),
                _ => ScriptedReply::page(500, "", "broken"),
            }
        });
        let dir = tempfile::tempdir().unwrap();
        let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
        let mut town = Campaign::new("Town");
        town.rules = crate::scope::standard_rules();
        let seed = |path: &str| Seed {
            url: format!("http://{}{path}", server.addr),
            scope: SeedScope::Root,
            depth: None,
            source_tag: String::new(),
        };
        town.seeds = vec![seed("/"), seed("/busy")];
        town.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
        town.politeness.max_retries = 1;
        town.politeness.retry_delay_seconds = 0;
        town.politeness.min_delay_ms = 0;
        town.politeness.delay_factor = 0.0;
        town.politeness.allow_private_addresses = PrivateAddresses::All;
        let id = session.catalogue().save_campaign(None, &town).unwrap();
        let outcome = crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
        assert!(!outcome.is_whole());
        assert_eq!((outcome.server_errors, outcome.seed_errors, outcome.failed), (2, 2, 0), "{outcome:?}");
        let summary = outcome.summary();
        assert!(
            summary.starts_with(
                "Ended: only errors: 3 fetched (2 answers with 429 or 5xx only, 2 seeds with an error), 0 failed"
            ),
            "{summary}"
        );
        assert!(summary.contains("Fetched, but the server"), "{summary}");
        is_well.store(true, Ordering::SeqCst);
        let options = CrawlOptions { retry_failed: true, ..CrawlOptions::default() };
        let outcome = crawl(&session, id, &options, &JobCx::detached()).unwrap();
        assert!(outcome.is_whole(), "{}", outcome.summary());
        assert_eq!((outcome.server_errors, outcome.fetched), (0, 3));
        let none = crawl(&session, id, &options, &JobCx::detached()).unwrap_err().to_string();
        assert!(none.contains("there is nothing to retry"), "{none}");
    }

    #[test]
    fn a_launch_whose_crawl_panics_is_stopped_and_can_be_resumed() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let catalogue = workspace.catalogue();
        let campaign = catalogue.save_campaign(None, &Campaign::new("Town")).unwrap();
        let launch = catalogue.begin_launch(campaign, "town", CaptureDate::now()).unwrap().id;
        let spec = Campaign::new("Town");
        let rules = DecideRules::compile(&spec).unwrap();
        let live = LiveCrawl::new(
            launch,
            Arc::default(),
            JobCx::detached(),
            Arc::new(CurrentPlan::new(Plan::new(spec, 1, rules))),
            false,
            Vec::new(),
        );
        let work = || guarded(catalogue, launch, &live, || panic!("a defect"));
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        assert!(!catalogue.is_crawling(campaign).unwrap());
        let unfinished = catalogue.unfinished_launch(campaign).unwrap().unwrap();
        assert_eq!((unfinished.id, unfinished.state), (launch, LaunchState::Stopped));
        assert!(unfinished.why.contains("internal error"), "{unfinished:?}");
        guarded(catalogue, launch, &live, || catalogue.set_launch_state(launch, LaunchState::Finished, "")).unwrap();
        assert_eq!(catalogue.launch(launch).unwrap().state, LaunchState::Finished);
    }
}
