//! The open workspace on disk: every question and every piece of work, each
//! handed to its room.

use super::crawl_request::{CrawlPlan, CrawlRequest, CrawlStart};
use super::desk::{Desk, DeskResult, OpenTarget, Opener};
use super::live::LiveCrawl;
use super::models::*;
use super::work;
use crate::campaign::Campaign;
use crate::crawl::HostOverride;
use crate::jobs::JobCx;
use crate::scope::Trace;
use crate::store::{Access, CATALOGUE_FILE, Catalogue, StoreError, Workspace};
use crate::uri::PageKey;
use anyhow::Context;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// How often a job that waits for its turn looks again.
const TURN: Duration = Duration::from_millis(100);

/// A workspace that is open in this process.
pub struct WorkspaceDesk {
    /// Its folder and catalogue.
    pub workspace: Workspace,
    /// Where host names lead in this process, before the system is asked.
    overrides: Mutex<Vec<HostOverride>>,
    /// The crawl that runs in this process.
    live: Mutex<Option<Arc<LiveCrawl>>>,
    /// The sample web, while this workspace needs it.
    sample: Mutex<Option<super::sample::SampleWeb>>,
    /// Held by the import that runs: two at once could take in copies twice.
    importing: Mutex<()>,
    /// Held by whoever counts inlinks for the columns: two at once would mix their windows.
    counting: Mutex<()>,
    /// Says which runs are due.
    scheduler: Mutex<work::Scheduler>,
    /// What the chosen geolocation database was found to be.
    geo_choice: Mutex<Option<work::GeoChoiceSeen>>,
    /// The rules that were compiled last.
    rules_held: Mutex<work::RulesHeld>,
    /// Jobs that run in this process, by their numbers in the catalogue.
    running: Mutex<HashSet<u64>>,
}

impl WorkspaceDesk {
    /// Puts a desk before an open workspace.
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            overrides: Mutex::default(),
            live: Mutex::default(),
            sample: Mutex::default(),
            importing: Mutex::default(),
            counting: Mutex::default(),
            scheduler: Mutex::new(work::Scheduler::new(work::ON_TIME)),
            geo_choice: Mutex::default(),
            rules_held: Mutex::default(),
            running: Mutex::default(),
        }
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        self.workspace.catalogue()
    }

    /// The rules that were compiled last, for a moment.
    pub(super) fn rules_held(&self) -> MutexGuard<'_, work::RulesHeld> {
        lock(&self.rules_held)
    }

    /// Leads host names elsewhere in this process.
    pub fn set_overrides(&self, overrides: Vec<HostOverride>) {
        *lock(&self.overrides) = overrides;
    }

    /// Where host names lead in this process.
    pub fn overrides(&self) -> Vec<HostOverride> {
        lock(&self.overrides).clone()
    }

    /// Serves the sample web for as long as the workspace is open.
    pub fn serve_sample(&self, web: super::sample::SampleWeb) {
        self.set_overrides(work::sample_overrides(&web));
        *lock(&self.sample) = Some(web);
    }

    /// Shows the other edition of the sample web, when it is served here.
    pub fn set_sample_edition(&self, edition: super::sample::Edition) {
        if let Some(web) = &*lock(&self.sample) {
            web.set_edition(edition);
        }
    }

    /// The crawl that runs in this process.
    pub fn live(&self) -> Option<Arc<LiveCrawl>> {
        lock(&self.live).clone()
    }

    pub(super) fn set_live(&self, live: Option<Arc<LiveCrawl>>) {
        *lock(&self.live) = live;
    }

    pub(super) fn scheduler(&self) -> MutexGuard<'_, work::Scheduler> {
        lock(&self.scheduler)
    }

    /// Waits until no other job changes what is known of the files.
    fn turn_to_import(&self, cx: &JobCx) -> DeskResult<MutexGuard<'_, ()>> {
        turn(&self.importing, "Waiting for another job on files", cx)
    }

    /// Waits until no other job counts inlinks.
    pub(super) fn turn_to_count(&self, cx: &JobCx) -> DeskResult<MutexGuard<'_, ()>> {
        turn(&self.counting, "Waiting for another inlink job", cx)
    }

    /// Runs `work` with its begin and end written down in the catalogue, where
    /// that can be written to.
    pub(super) fn job<T>(
        &self,
        name: &str,
        words: impl Fn(&T) -> String,
        run: impl FnOnce() -> DeskResult<T>,
    ) -> DeskResult<T> {
        if *self.workspace.access() != Access::Write {
            return run();
        }
        let runs = Running::begin(self, name)?;
        let result = run();
        let outcome = match &result {
            Ok(value) => words(value),
            Err(error) if crate::jobs::StopError::is_cancelled(error) => "stopped".to_owned(),
            Err(error) => format!("failed: {}", work::in_words(error)),
        };
        match self.catalogue().job_ended(runs.id, &outcome) {
            // What it came to stands without its line in the list.
            Err(error) if error.is_disk_full() => tracing::warn!("the end of the job is not noted: {error}"),
            noted => noted?,
        }
        result
    }
}

/// A job that runs in this process, until it is dropped.
struct Running<'d> {
    desk: &'d WorkspaceDesk,
    id: i64,
}

impl<'d> Running<'d> {
    fn begin(desk: &'d WorkspaceDesk, name: &str) -> DeskResult<Self> {
        // Whoever reads the list meanwhile waits: the row stands there first.
        let mut running = lock(&desk.running);
        let id = desk.catalogue().job_started(name)?;
        running.insert(id.unsigned_abs());
        Ok(Self { desk, id })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.desk.running).remove(&self.id.unsigned_abs());
    }
}

/// Waits for a lock that other jobs hold for long, and can be stopped meanwhile.
fn turn<'m>(held: &'m Mutex<()>, words: &str, cx: &JobCx) -> DeskResult<MutexGuard<'m, ()>> {
    loop {
        match held.try_lock() {
            Ok(turn) => return Ok(turn),
            Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
            Err(TryLockError::WouldBlock) => {
                cx.stage(words, None);
                cx.checkpoint()?;
                std::thread::sleep(TURN);
            }
        }
    }
}

/// What an act did, such as `12 captures rejected`.
pub(super) fn act_summary(mark: ReviewMark, captures: u64) -> String {
    let captures = match captures {
        1 => "1 capture".to_owned(),
        number => format!("{number} captures"),
    };
    match mark {
        ReviewMark::Note => format!("note on {captures}"),
        mark => format!("{captures} {}", mark.word().to_lowercase()),
    }
}

/// A poisoned lock still holds plain values.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk for WorkspaceDesk {
    fn revision(&self) -> u64 {
        let live = self.live().map_or(0, |live| live.revision());
        self.catalogue().revision() + live
    }

    fn wants_inlinks(&self) -> bool {
        let is_wanted = || self.catalogue().inlinks_wanted().unwrap_or(false);
        let is_half_built = || self.workspace.counts_are_missing().unwrap_or(false);
        *self.workspace.access() == Access::Write && (is_wanted() || is_half_built())
    }

    fn workspace(&self) -> DeskResult<WorkspaceInfo> {
        let query = work::everything();
        Ok(WorkspaceInfo {
            folder: self.workspace.folder().to_owned(),
            read_only: match self.workspace.access() {
                Access::Write => None,
                Access::ReadOnly(why) => Some(why.to_string()),
            },
            disk_free: crate::crawl::free_bytes(self.workspace.folder()).unwrap_or(0),
            captures: self.catalogue().captures(&CaptureQuery { limit: 0, ..query })?.total,
            campaigns: self.catalogue().campaigns()?.len() as u64,
            counted_window_days: match self.workspace.built_links()? {
                Some(_) => Some(self.catalogue().window_days()?),
                None => None,
            },
        })
    }

    fn campaigns(&self) -> DeskResult<Vec<CampaignRow>> {
        Ok(self.catalogue().campaigns()?)
    }

    fn campaign(&self, id: CampaignId) -> DeskResult<CampaignPage> {
        Ok(self.catalogue().campaign_page(id)?)
    }

    fn crawl(&self, campaign: Option<CampaignId>, launches: Launches) -> DeskResult<CrawlPage> {
        let Some(mut page) = self.catalogue().crawl_page(campaign, launches)? else {
            return Ok(work::empty_crawl_page());
        };
        let id = page.launch.as_ref().map(|launch| launch.id);
        if let Some(live) = self.live().filter(|live| Some(live.launch) == id) {
            live.add_to(&mut page);
        }
        Ok(page)
    }

    fn crawl_plan(&self, request: &CrawlRequest) -> DeskResult<CrawlPlan> {
        work::crawl_plan(self, request)
    }

    fn captures(&self, query: &CaptureQuery) -> DeskResult<CapturePage> {
        Ok(self.catalogue().captures(query)?)
    }

    fn capture_ids(&self, query: &CaptureQuery, among: Option<&[CaptureId]>) -> DeskResult<Vec<CaptureId>> {
        Ok(match among {
            Some(ids) => self.catalogue().captures_among(query, ids)?,
            None => self.catalogue().capture_ids(query)?,
        })
    }

    fn tab_counts(&self, query: &CaptureQuery) -> DeskResult<TabCounts> {
        Ok(self.catalogue().tab_counts(query)?)
    }

    fn detail(&self, id: CaptureId, window_days: u32) -> DeskResult<CaptureDetail> {
        let mut detail = self.catalogue().capture_detail(id)?;
        if let Some(seen) = self.catalogue().seen_of_capture(id)? {
            detail.trace = Some(work::why(self, seen)?);
        }
        // A record that cannot be read is told where its content is asked for.
        if let Ok(Some(check)) = work::anchor_check(self, id, window_days) {
            detail.details.push(("External anchor texts".to_owned(), check.words()));
        }
        Ok(detail)
    }

    fn content(&self, id: CaptureId) -> DeskResult<CaptureContent> {
        work::content(&self.workspace, id)
    }

    fn inlinks(&self, id: CaptureId, window_days: u32) -> DeskResult<InlinkPage> {
        Ok(self.workspace.inlinks_of_capture(id, window_days)?)
    }

    fn inlinks_of(&self, target: &str, window_days: u32) -> DeskResult<InlinkPage> {
        let key = PageKey::of_text(target)
            .with_context(|| format!("“{target}” is neither a URL nor a key such as pt,example)/path"))?;
        Ok(self.workspace.inlinks_of_page(&key, target, window_days)?)
    }

    fn outlinks(&self, id: CaptureId) -> DeskResult<Vec<OutlinkRow>> {
        Ok(self.catalogue().outlinks(id)?)
    }

    fn anchors(&self, id: CaptureId, window_days: u32) -> DeskResult<Vec<AnchorRow>> {
        let rows = self.workspace.anchors_of_capture(id, window_days)?;
        work::mark_matching(self.catalogue(), None, rows)
    }

    fn top_anchors(&self, limit: u64) -> DeskResult<Vec<AnchorRow>> {
        work::mark_matching(self.catalogue(), None, self.workspace.top_anchors(limit, &JobCx::detached())?)
    }

    fn prospects(
        &self,
        campaign: Option<CampaignId>,
        filter: &str,
        offset: u64,
        limit: u64,
    ) -> DeskResult<ProspectPage> {
        let mut page = self.catalogue().prospects(campaign, filter, offset, limit)?;
        work::judge_prospects(self, campaign, &mut page.rows, |row| row.url.clone())?;
        Ok(page)
    }

    fn events(&self, query: &EventQuery) -> DeskResult<EventPage> {
        Ok(self.catalogue().events(query)?)
    }

    fn anomalies(&self, since: AnomalyMark) -> (Vec<CrawlEvent>, AnomalyMark) {
        let Some(live) = self.live() else { return Default::default() };
        let run = Arc::as_ptr(&live.stats) as usize;
        let (events, next) = live.stats.anomalies(if since.run == run { since.next } else { 0 });
        (events, AnomalyMark { run, next })
    }

    fn seen(&self, query: &SeenQuery) -> DeskResult<SeenPage> {
        Ok(self.catalogue().seen(query)?)
    }

    fn why(&self, seen: i64) -> DeskResult<Trace> {
        work::why(self, seen)
    }

    fn selection(&self, campaign: CampaignId) -> DeskResult<SelectionPage> {
        Ok(self.catalogue().selection_page(campaign)?)
    }

    fn scope_test(
        &self,
        of: Option<CampaignId>,
        campaign: &Campaign,
        urls: &[String],
    ) -> DeskResult<Vec<Result<ScopeTest, String>>> {
        work::scope_test(self, of, campaign, urls)
    }

    fn what_if_trace(&self, edited: &Campaign, seen: i64) -> DeskResult<Trace> {
        work::what_if_trace(self, edited, seen)
    }

    fn what_if(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        edited: &Campaign,
        cx: &JobCx,
    ) -> DeskResult<WhatIf> {
        work::what_if(self, campaign, launch, edited, cx)
    }

    fn what_if_rows(
        &self,
        campaign: CampaignId,
        edited: &Campaign,
        answer: &WhatIf,
        list: WhatIfList,
        range: std::ops::Range<u64>,
    ) -> DeskResult<Vec<MovedRow>> {
        let mut rows = Vec::new();
        work::what_if_rows(self, campaign, edited, answer, list, range, &JobCx::detached(), |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    fn what_if_hosts(&self, answer: &WhatIf) -> DeskResult<Vec<MovedHost>> {
        work::what_if_hosts(self, answer, &JobCx::detached())
    }

    fn spoken_of(&self, campaign: CampaignId, launch: Option<LaunchId>, rule: usize, cx: &JobCx) -> DeskResult<Spoken> {
        work::spoken_of(self, campaign, launch, rule, cx)
    }

    fn rule_hits(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> DeskResult<RuleReport> {
        work::rule_hits(self, campaign, launch, cx)
    }

    fn seen_rows(&self, ids: &[i64]) -> DeskResult<Vec<SeenRow>> {
        ids.iter().map(|id| Ok(self.catalogue().seen_row(*id)?.1)).collect()
    }

    fn geo_report(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> DeskResult<GeoReport> {
        work::geo_report(self, campaign, launch, cx)
    }

    fn geo_drift(&self, campaign: CampaignId, launch: Option<LaunchId>, newer: &Path, cx: &JobCx) -> DeskResult<Drift> {
        work::geo_drift(self, campaign, launch, &crate::scope::GeoDatabase::open(newer)?, cx)
    }

    fn geo_choice(&self) -> DeskResult<Option<GeoChoice>> {
        work::geo_choice(self, &mut self.geo_choice.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_geo_database(&self, path: Option<&Path>) -> DeskResult<String> {
        let Some(path) = path else {
            work::forget_geo_database(self)?;
            return Ok("Geolocation database removed; recorded evidence is kept".to_owned());
        };
        work::set_geo_database(self, path)?;
        Ok(format!("Geolocation database set to {}", path.display()))
    }

    fn export_table(&self, table: &ScopeTable, folder: &Path, cx: &JobCx) -> DeskResult<String> {
        work::export_table(self, table, folder, cx)
    }

    fn export_links(&self, form: LinkForm, folder: &Path, cx: &JobCx) -> DeskResult<String> {
        work::export_links(&self.workspace, form, folder, cx)
    }

    fn files(&self) -> DeskResult<Vec<FileRow>> {
        Ok(self.workspace.files()?)
    }

    fn file(&self, id: FileId) -> DeskResult<FileRow> {
        Ok(self.workspace.file(id)?)
    }

    fn file_of_capture(&self, id: CaptureId) -> DeskResult<Option<FileRow>> {
        Ok(self.catalogue().file_of_capture(id)?.map(|file| self.workspace.file(file)).transpose()?)
    }

    fn problems(&self, query: &ProblemQuery) -> DeskResult<ProblemPage> {
        Ok(self.catalogue().problems(query)?)
    }

    fn problem(&self, id: i64) -> DeskResult<ProblemDetail> {
        work::problem_detail(&self.workspace, id)
    }

    fn problem_record(&self, id: i64, cx: &JobCx) -> DeskResult<String> {
        work::problem_record(&self.workspace, id, cx)
    }

    fn imports(&self) -> DeskResult<Vec<ImportRow>> {
        work::imports(&self.workspace)
    }

    fn passed_paths(&self, launch: LaunchId) -> DeskResult<Vec<String>> {
        Ok(self.catalogue().passed_paths(launch)?)
    }

    fn imported_files(&self, launch: LaunchId) -> DeskResult<Vec<ImportedFile>> {
        Ok(self.catalogue().imported_files(launch)?)
    }

    fn import_records(&self, launch: LaunchId, path: Option<&str>, cx: &JobCx) -> DeskResult<FoundRecords> {
        work::import_records(&self.workspace, launch, path, cx)
    }

    fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> DeskResult<Vec<SelectedHost>> {
        Ok(self.catalogue().selected_hosts(campaign, selected)?)
    }

    fn job_history(&self, limit: u64) -> DeskResult<Vec<JobRow>> {
        let running = lock(&self.running);
        let mut rows = self.catalogue().jobs(limit)?;
        rows.retain(|row| row.ended.is_some() || !running.contains(&row.id));
        if *self.workspace.access() != Access::Write && self.workspace.is_written() {
            for row in rows.iter_mut().filter(|row| row.ended.is_none()) {
                "running in another process, or interrupted".clone_into(&mut row.outcome);
            }
        }
        Ok(rows)
    }

    fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> DeskResult<(CampaignId, u32)> {
        work::check_campaign(campaign)?;
        let id = self.catalogue().save_campaign(id, campaign)?;
        work::renew_campaign_files(&self.workspace, id);
        Ok((id, self.catalogue().campaign(id)?.0))
    }

    fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> DeskResult<()> {
        Ok(self.catalogue().mark(captures, mark, note, who)?)
    }

    fn undo_mark(&self) -> DeskResult<String> {
        Ok(match self.catalogue().undo_mark()? {
            None => "Nothing to undo".to_owned(),
            Some((mark, captures)) => format!("Undone: {}", act_summary(mark, captures)),
        })
    }

    fn redo_mark(&self) -> DeskResult<String> {
        Ok(match self.catalogue().redo_mark()? {
            None => "Nothing to redo".to_owned(),
            Some((mark, captures)) => format!("Redone: {}", act_summary(mark, captures)),
        })
    }

    fn end_launch(&self, launch: LaunchId) -> DeskResult<()> {
        Ok(self.catalogue().set_launch_state(launch, LaunchState::Finished, "ended by hand")?)
    }

    fn set_window(&self, window_days: u32, cx: &JobCx) -> DeskResult<String> {
        let _turn = self.turn_to_count(cx)?;
        let with = self.workspace.count_inlinks(window_days, cx)?.captures_with_inlinks;
        Ok(format!("{with} captures have inlinks within ±{window_days} days"))
    }

    fn run_crawl(&self, start: CrawlStart, cx: &JobCx) -> DeskResult<String> {
        let crawl = || {
            let CrawlStart { campaign, version, fresh } = start;
            let options = work::CrawlOptions { version: Some(version), fresh, ..work::crawl_options(self)? };
            work::crawl(self, campaign, &options, cx)
        };
        self.job("Crawl", work::CrawlOutcome::words, crawl).map(|outcome| outcome.words())
    }

    fn retry_failed(&self, campaign: CampaignId, cx: &JobCx) -> DeskResult<String> {
        let crawl = || {
            let options = work::CrawlOptions { retry_failed: true, ..work::crawl_options(self)? };
            work::crawl(self, campaign, &options, cx)
        };
        self.job("Crawl", work::CrawlOutcome::words, crawl).map(|outcome| outcome.words())
    }

    fn import(&self, paths: &[PathBuf], options: ImportOptions, cx: &JobCx) -> DeskResult<String> {
        let _turn = self.turn_to_import(cx)?;
        self.job("Import", work::jobs_summary, || work::import_with_jobs(&self.workspace, paths, options, cx))
            .map(|imported| work::jobs_summary(&imported))
    }

    fn locate(&self, folder: &Path, file: Option<FileId>, cx: &JobCx) -> DeskResult<String> {
        let _turn = self.turn_to_import(cx)?;
        self.job("Locate files", work::LocateOutcome::words, || work::locate(&self.workspace, folder, file, cx))
            .map(|outcome| outcome.words())
    }

    fn check_files(&self, cx: &JobCx) -> DeskResult<String> {
        let _turn = self.turn_to_import(cx)?;
        self.job("Check files", work::CheckOutcome::words, || work::check_files(&self.workspace, cx))
            .map(|outcome| outcome.words())
    }

    fn build_inlinks(&self, cx: &JobCx) -> DeskResult<String> {
        let _turn = self.turn_to_count(cx)?;
        self.job("Build inlinks", work::InlinkReport::words, || work::build_inlinks(&self.workspace, false, cx))
            .map(|report| report.words())
    }

    fn select(&self, spec: &SelectionSpec, cx: &JobCx) -> DeskResult<String> {
        let _turn = self.turn_to_count(cx)?;
        self.job("Score and select", work::SelectReport::words, || work::select(&self.workspace, spec, false, cx))
            .map(|report| report.words())
    }

    fn export(&self, spec: &SelectionSpec, out: &Path, cx: &JobCx) -> DeskResult<String> {
        self.job("Export", work::ExportOutcome::words, || {
            self.workspace.if_writable(|catalogue| catalogue.remember_wacz(spec.campaign, spec.with_wacz))?;
            work::export(&self.workspace, spec, out, work::ExportWishes { wacz: spec.with_wacz }, cx)
        })
        .map(|outcome| outcome.words())
    }

    fn verify(&self, folder: &Path, cx: &JobCx) -> DeskResult<Vec<VerifyLine>> {
        let words = |lines: &Vec<VerifyLine>| {
            let bad = lines.iter().filter(|line| !line.ok).count();
            if bad == 0 { format!("all {} checks passed", lines.len()) } else { format!("{bad} checks failed") }
        };
        self.job("Verify", words, || {
            let lines = work::verify(folder, cx)?;
            self.workspace.if_writable(|catalogue| catalogue.keep_verification(folder, &lines))?;
            Ok(lines)
        })
    }
}

/// Numbers that are tried behind the name of a folder.
const MOST_NUMBERED: u32 = 1000;

/// A folder, and those beside it that are called like it with a number.
fn numbered(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_os_string();
    let folder = folder.to_owned();
    (1..=MOST_NUMBERED).map(move |number| {
        let mut name = name.clone();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        folder.with_file_name(name)
    })
}

/// Makes a workspace in the first of these folders that is free.
fn create_beside(folder: &Path) -> DeskResult<(PathBuf, Workspace)> {
    for folder in numbered(folder) {
        match Workspace::create(&folder) {
            Ok(workspace) => return Ok((folder, workspace)),
            Err(StoreError::Exists(_) | StoreError::NotEmpty(_) | StoreError::NotAFolder(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    anyhow::bail!("{}: this folder and those numbered after it are taken", folder.display())
}

/// Opens a workspace; the sample's web is served for as long as it is open.
fn open_desk(folder: &Path) -> DeskResult<WorkspaceDesk> {
    let desk = WorkspaceDesk::new(Workspace::open_or_look(folder)?);
    if work::is_sample(&desk) {
        desk.serve_sample(super::sample::SampleWeb::start(work::sample_edition(&desk)?)?);
    }
    Ok(desk)
}

/// Opens workspaces on disk.
#[derive(Default)]
pub struct DiskOpener {
    folder: Option<PathBuf>,
    disk_free: Option<u64>,
}

impl DiskOpener {
    /// Looks once how much room there is where workspaces are offered.
    pub fn new() -> Self {
        let folder = Self::default().default_folder();
        Self { folder: None, disk_free: folder.ancestors().find_map(|folder| crate::crawl::free_bytes(folder).ok()) }
    }

    /// Offers this folder for new workspaces.
    pub fn offering(folder: PathBuf) -> Self {
        Self { folder: Some(folder), disk_free: None }
    }
}

impl Opener for DiskOpener {
    fn open(&self, folder: &Path) -> DeskResult<Arc<dyn Desk>> {
        Ok(Arc::new(open_desk(folder)?))
    }

    fn create(&self, folder: &Path) -> DeskResult<Arc<dyn Desk>> {
        Ok(Arc::new(WorkspaceDesk::new(Workspace::create(folder)?)))
    }

    fn create_beside(&self, folder: &Path) -> DeskResult<(PathBuf, Arc<dyn Desk>)> {
        let (folder, workspace) = create_beside(folder)?;
        Ok((folder, Arc::new(WorkspaceDesk::new(workspace))))
    }

    fn open_sample(&self, folder: &Path) -> DeskResult<(PathBuf, Arc<dyn Desk>)> {
        let there = numbered(folder).take_while(|folder| folder.exists());
        for folder in there.filter(|folder| self.is_workspace(folder)) {
            let desk = open_desk(&folder)?;
            if work::is_sample(&desk) {
                return Ok((folder, Arc::new(desk)));
            }
        }
        let (folder, workspace) = create_beside(folder)?;
        let desk = WorkspaceDesk::new(workspace);
        work::add_sample_campaign(&desk)?;
        desk.serve_sample(super::sample::SampleWeb::start(super::sample::Edition::First)?);
        Ok((folder, Arc::new(desk)))
    }

    fn identify(&self, path: &Path) -> DeskResult<OpenTarget> {
        let meta = path.metadata().with_context(|| path.display().to_string())?;
        if meta.is_file() {
            // The catalogue itself, found in a list of files.
            let folder = path.parent().filter(|_| path.file_name().is_some_and(|name| name == CATALOGUE_FILE));
            return Ok(folder.map_or(OpenTarget::Archives, |folder| OpenTarget::Workspace(folder.to_owned())));
        }
        if self.is_workspace(path) {
            return Ok(OpenTarget::Workspace(path.to_owned()));
        }
        anyhow::ensure!(
            work::is_importable(path)?,
            "{}: the folder holds neither a workspace nor the job of a crawler nor a WARC, ARC or WACZ file",
            path.display()
        );
        Ok(OpenTarget::Archives)
    }

    fn is_workspace(&self, folder: &Path) -> bool {
        folder.join(CATALOGUE_FILE).is_file()
    }

    fn disk_free(&self) -> Option<u64> {
        self.disk_free
    }

    fn default_folder(&self) -> PathBuf {
        if let Some(folder) = &self.folder {
            return folder.clone();
        }
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
        home.unwrap_or_else(|| PathBuf::from(".")).join("fonds")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_runs_here_is_not_told_as_one_that_did_not_end() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        let desk = WorkspaceDesk::new(Workspace::create(&folder).unwrap());
        let looking = WorkspaceDesk::new(Workspace::open_or_look(&folder).unwrap());
        let told = |desk: &WorkspaceDesk| {
            let rows = desk.job_history(10).unwrap();
            rows.into_iter().map(|row| (row.name, row.ended.is_some(), row.outcome)).collect::<Vec<_>>()
        };
        let work = || {
            assert_eq!(told(&desk), []);
            let (_, ended, outcome) = told(&looking).pop().unwrap();
            assert!(!ended && outcome.contains("in another process"), "{outcome}");
            Ok(3)
        };
        desk.job("Import", |files| format!("{files} files"), work).unwrap();
        assert_eq!(told(&desk), [("Import".to_owned(), true, "3 files".to_owned())]);
        // One of a process that was killed.
        desk.catalogue().job_started("Crawl").unwrap();
        let (name, ended, outcome) = told(&desk).remove(0);
        assert_eq!((name.as_str(), ended, outcome.as_str()), ("Crawl", false, "did not end in this program"));
    }
}
