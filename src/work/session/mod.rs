//! A session is the open workspace on disk: it passes every query and every piece of work to its
//! room.

mod acts;
mod analysis;
mod patch;
mod reads;
mod search;
mod undo;

pub use analysis::TermOverTime;
pub use search::SearchCounts;

use super::models::*;
use super::{
    BackupOutcome, CheckOutcome, CollectionsFilled, CrawlOptions, CrawlOutcome, CrawlStart, DueRuns, ExportDryRun,
    ExportOutcome, ExportWishes, Imported, InlinkReport, JobKind, LocateOutcome, Report, SelectReport, TrialDiscarded,
};
use crate::campaign::{Campaign, CampaignFile, EvidenceCarried};
use crate::exchange::HostOverride;
use crate::jobs::{JobCx, counted, lock};
use crate::scope::Derivation;
use crate::store::{Access, Catalogue, ImportAssigned, Workspace};
use crate::uri::{CaptureDate, PageKey, Url};
use crate::work;
use crate::work::launch::live_view::LiveCrawl;
use anyhow::Context;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// The interval at which a job that waits for a lock tries again.
const LOCK_POLL: Duration = Duration::from_millis(100);

/// A web that this process serves for a workspace, such as that of the sample.
pub trait ServedWeb: Send + Sync {
    /// The addresses of its host names.
    fn overrides(&self) -> Vec<HostOverride>;

    /// The options of the next launch of the workspace.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    fn crawl_options(&self, session: &Session) -> anyhow::Result<CrawlOptions>;
}

/// A workspace that is open in this process.
pub struct Session {
    /// Its folder and catalogue.
    pub workspace: Workspace,
    /// Addresses of host names in this process, before the system resolves them.
    overrides: Mutex<Vec<HostOverride>>,
    /// The crawl that runs in this process.
    live: Mutex<Option<Arc<LiveCrawl>>>,
    /// The web that this process serves for the workspace.
    web: Mutex<Option<Arc<dyn ServedWeb>>>,
    /// Vetoed resources by campaign, with what they were counted of.
    vetoed: Mutex<BTreeMap<CampaignId, ([i64; 3], u64)>>,
    /// Checks of kept selections by campaign.
    export_checks: Mutex<BTreeMap<CampaignId, work::models::ExportCheck>>,
    /// Held by the import that runs: two at once could take in copies twice.
    importing: Mutex<()>,
    /// Held by the run of sources: two at once would fetch the same.
    reading_sources: Mutex<()>,
    /// Held by whoever counts inlinks for the columns: two at once would mix their windows.
    counting: Mutex<()>,
    /// Says which runs are due.
    scheduler: Mutex<work::Scheduler>,
    /// The description of the chosen geolocation database.
    geo_choice: Mutex<Option<work::GeoChoiceSeen>>,
    /// The rules that were compiled last.
    rule_cache: Mutex<work::RuleCache>,
    /// Jobs that run in this process, by their numbers in the catalogue.
    running: Mutex<HashSet<u64>>,
    /// The job of this process that brings, or brought last, what others follow.
    leading: Mutex<Option<i64>>,
    /// The memory of searches.
    search: Arc<work::find::search::SearchRoom>,
    /// Held by the job that writes the text index.
    indexing: Mutex<()>,
    /// Judgements of this session, and what was taken back.
    review: Mutex<undo::ReviewHistory>,
    /// The list of the person's own workspaces; without it this one is.
    own: Option<work::OwnWorkspaces>,
    /// The person lets its schedules run, whether that can be listed or not.
    lets_run: AtomicBool,
}

impl Session {
    /// Begins a session on an open workspace.
    pub fn new(workspace: Workspace) -> Self {
        let search = Arc::new(work::find::search::SearchRoom::of(&workspace));
        let answers = work::find::search::TextAnswers::new(&workspace, Arc::clone(&search));
        workspace.catalogue().set_full_text(Arc::new(answers));
        Self {
            workspace,
            overrides: Mutex::default(),
            live: Mutex::default(),
            web: Mutex::default(),
            vetoed: Mutex::default(),
            export_checks: Mutex::default(),
            importing: Mutex::default(),
            reading_sources: Mutex::default(),
            counting: Mutex::default(),
            scheduler: Mutex::new(work::Scheduler::new(work::ON_TIME)),
            geo_choice: Mutex::default(),
            rule_cache: Mutex::default(),
            running: Mutex::default(),
            leading: Mutex::default(),
            search,
            indexing: Mutex::default(),
            review: Mutex::default(),
            own: None,
            lets_run: AtomicBool::new(false),
        }
    }

    /// Opens a session with a list of the person's own workspaces.
    pub(in crate::work) fn with_own(self, own: Option<work::OwnWorkspaces>) -> Self {
        Self { own, ..self }
    }

    /// Whether somebody else made the workspace, and nobody here let its schedules run.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn is_of_others(&self) -> anyhow::Result<bool> {
        let Some(own) = self.own.as_ref().filter(|_| !self.lets_run.load(Ordering::Relaxed)) else { return Ok(false) };
        Ok(!own.has(&self.workspace)?)
    }

    /// Lets the schedules of a workspace run that somebody else made.
    ///
    /// # Errors
    ///
    /// Where that cannot be kept; it holds in this session all the same.
    pub fn let_run(&self) -> anyhow::Result<()> {
        self.lets_run.store(true, Ordering::Relaxed);
        self.own.as_ref().map_or(Ok(()), |own| own.add(&self.workspace))
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        self.workspace.catalogue()
    }

    /// The memory of searches in this workspace.
    pub(in crate::work) fn search_room(&self) -> &work::find::search::SearchRoom {
        &self.search
    }

    /// The rules that were compiled last, for a moment.
    pub(in crate::work) fn rule_cache(&self) -> MutexGuard<'_, work::RuleCache> {
        lock(&self.rule_cache)
    }

    /// Leads host names elsewhere in this process.
    pub fn set_overrides(&self, overrides: Vec<HostOverride>) {
        *lock(&self.overrides) = overrides;
    }

    /// Addresses of host names in this process.
    pub fn overrides(&self) -> Vec<HostOverride> {
        lock(&self.overrides).clone()
    }

    /// Has a web served for as long as the workspace is open, and leads its host names there.
    pub fn attach_web(&self, web: Arc<dyn ServedWeb>) {
        self.set_overrides(web.overrides());
        *lock(&self.web) = Some(web);
    }

    /// The options of the next launch.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn crawl_options(&self) -> anyhow::Result<CrawlOptions> {
        let web = lock(&self.web).clone();
        web.map_or_else(|| Ok(CrawlOptions::default()), |web| web.crawl_options(self))
    }

    /// The crawl that runs in this process.
    pub fn live(&self) -> Option<Arc<LiveCrawl>> {
        lock(&self.live).clone()
    }

    pub(in crate::work) fn set_live(&self, live: Option<Arc<LiveCrawl>>) {
        *lock(&self.live) = live;
    }

    pub(in crate::work) fn scheduler(&self) -> MutexGuard<'_, work::Scheduler> {
        lock(&self.scheduler)
    }

    /// Waits until no other job changes what is known of the files.
    pub(in crate::work) fn lock_imports(&self, cx: &JobCx) -> anyhow::Result<MutexGuard<'_, ()>> {
        lock_unless_cancelled(&self.importing, "Waiting for another job on files", cx)
    }

    /// Waits until no other job reads sources.
    pub(in crate::work) fn lock_sources(&self, cx: &JobCx) -> anyhow::Result<MutexGuard<'_, ()>> {
        lock_unless_cancelled(&self.reading_sources, "Waiting for another run of sources", cx)
    }

    /// Waits until no other job counts inlinks.
    pub(in crate::work) fn lock_inlink_count(&self, cx: &JobCx) -> anyhow::Result<MutexGuard<'_, ()>> {
        lock_unless_cancelled(&self.counting, "Waiting for another inlink job", cx)
    }

    /// Runs work with its begin and end in the job history, where that can be
    /// written to.
    ///
    /// # Errors
    ///
    /// Those of the work, and a catalogue that cannot be written.
    pub fn run_job<T: Report>(&self, kind: JobKind, run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        self.run_job_after(None, kind, run)
    }

    /// Runs a job that another one brings about by itself: the list has it under the crawl, the import
    /// or the build of inlinks that began last in this process.
    fn run_follow_up<T: Report>(&self, kind: JobKind, run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let follows = *lock(&self.leading);
        self.run_job_after(follows, kind, run)
    }

    fn run_job_after<T: Report>(
        &self,
        follows: Option<i64>,
        kind: JobKind,
        run: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if *self.workspace.access() != Access::Write {
            return run();
        }
        let runs = Running::begin(self, kind.label(), follows)?;
        if kind.is_crawl() || matches!(kind, JobKind::Import | JobKind::BuildInlinks) {
            *lock(&self.leading) = Some(runs.id);
        }
        let result = run();
        let outcome = match &result {
            Ok(report) => report.summary(),
            Err(error) if crate::jobs::StopError::is_cancelled(error) => "stopped".to_owned(),
            Err(error) => format!("{}{}", work::FAILED, work::error_chain(error)),
        };
        match self.catalogue().job_ended(runs.id, &outcome) {
            // The outcome counts without its line in the list.
            Err(error) if error.is_disk_full() => tracing::warn!("the end of the job is not noted: {error}"),
            noted => noted?,
        }
        result
    }
}

/// A job that runs in this process, until it is dropped.
struct Running<'d> {
    session: &'d Session,
    id: i64,
}

impl<'d> Running<'d> {
    fn begin(session: &'d Session, name: &str, follows: Option<i64>) -> anyhow::Result<Self> {
        // Whoever reads the list meanwhile waits: the row comes first.
        let mut running = lock(&session.running);
        let id = session.catalogue().job_started(name, follows)?;
        running.insert(id.unsigned_abs());
        Ok(Self { session, id })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.session.running).remove(&self.id.unsigned_abs());
    }
}

/// Waits for a lock that other jobs hold for long; a cancelled job waits no more.
fn lock_unless_cancelled<'m>(mutex: &'m Mutex<()>, stage: &str, cx: &JobCx) -> anyhow::Result<MutexGuard<'m, ()>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(guard)) => return Ok(guard.into_inner()),
            Err(TryLockError::WouldBlock) => {
                cx.stage(stage, None);
                cx.checkpoint()?;
                std::thread::sleep(LOCK_POLL);
            }
        }
    }
}

/// A summary of a decision, such as `12 captures rejected`.
pub fn act_summary(mark: ReviewMark, captures: u64) -> String {
    let captures = counted(captures, "capture");
    match mark {
        ReviewMark::Note => format!("note on {captures}"),
        mark => format!("{captures} {}", mark.label().to_lowercase()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_runs_here_is_not_listed_as_one_that_did_not_end() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        let session = Session::new(Workspace::create(&folder).unwrap());
        let reader = Session::new(Workspace::open_or_read_only(&folder).unwrap());
        let jobs = |session: &Session| {
            let rows = session.job_history(10).unwrap();
            rows.into_iter().map(|row| (row.name, row.ended.is_some(), row.outcome)).collect::<Vec<_>>()
        };
        let work = || {
            assert_eq!(jobs(&session), []);
            let (_, ended, outcome) = jobs(&reader).pop().unwrap();
            assert!(!ended && outcome.contains("in another process"), "{outcome}");
            Ok("3 files".to_owned())
        };
        session.run_job(JobKind::Import, work).unwrap();
        assert_eq!(jobs(&session), [("Import".to_owned(), true, "3 files".to_owned())]);
        // One of a process that was killed.
        session.catalogue().job_started("Crawl", None).unwrap();
        let (name, ended, outcome) = jobs(&session).remove(0);
        assert_eq!((name.as_str(), ended, outcome.as_str()), ("Crawl", false, "did not end in this program"));
    }
}
