//! The open workspace as the window and the command line see it.

use super::link_desk::LinkDesk;
use super::models::*;
use super::plans::Plans;
use super::table_rows::{TableForm, TableRows};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::Trace;
use crate::work::{
    self, CrawlPlan, CrawlRequest, CrawlStart, DiskOpener, ExportWishes, JobReport, OpenTarget, Session,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open workspace: reads, short writes, long work. Every call may block
/// and is made on a worker thread, never on the window's.
pub trait Desk: Plans + LinkDesk + Send + Sync {
    /// Grows with every change of the catalogue; read models are keyed by it. Does not block.
    fn revision(&self) -> u64;

    /// Whether inlinks of an earlier form wait to be built in the present one.
    fn wants_inlinks(&self) -> bool;
    /// The workspace itself.
    fn workspace(&self) -> anyhow::Result<WorkspaceInfo>;
    /// All campaigns.
    fn campaigns(&self) -> anyhow::Result<Vec<CampaignRow>>;
    /// One campaign.
    fn campaign(&self, id: CampaignId) -> anyhow::Result<CampaignPage>;
    /// Launches of a campaign (of any, when none is named).
    fn crawl(&self, campaign: Option<CampaignId>, launches: Launches) -> anyhow::Result<CrawlPage>;
    /// What a crawl would do.
    fn crawl_plan(&self, request: &CrawlRequest) -> anyhow::Result<CrawlPlan>;
    /// A part of the captures table.
    fn captures(&self, query: &CaptureQuery) -> anyhow::Result<CapturePage>;
    /// Numbers of the captures that match a query, whatever its page; of
    /// these only, where some are named.
    fn capture_ids(&self, query: &CaptureQuery, among: Option<&[CaptureId]>) -> anyhow::Result<Vec<CaptureId>>;
    /// How many captures each ready filter holds, under the query's filter line.
    fn tab_counts(&self, query: &CaptureQuery) -> anyhow::Result<TabCounts>;
    /// One capture.
    fn detail(&self, id: CaptureId, window_days: u32) -> anyhow::Result<CaptureDetail>;
    /// What stands in the WARC record of a capture.
    fn content(&self, id: CaptureId) -> anyhow::Result<CaptureContent>;
    /// Inlinks of a capture in its window, and those outside it marked so.
    fn inlinks(&self, id: CaptureId, window_days: u32) -> anyhow::Result<InlinkPage>;
    /// Inlinks of any URL or key, captured or not.
    fn inlinks_of(&self, target: &str, window_days: u32) -> anyhow::Result<InlinkPage>;
    /// Links out of a capture.
    fn outlinks(&self, id: CaptureId) -> anyhow::Result<Vec<OutlinkRow>>;
    /// Anchor texts of a capture's inlinks in its window.
    fn anchors(&self, id: CaptureId, window_days: u32) -> anyhow::Result<Vec<AnchorRow>>;
    /// Most frequent anchors of the whole archive.
    fn top_anchors(&self, limit: u64) -> anyhow::Result<Vec<AnchorRow>>;
    /// Pages cited but never captured, most citing hosts first.
    fn prospects(&self, query: &ProspectQuery) -> anyhow::Result<ProspectPage>;
    /// URLs that launches have seen.
    fn seen(&self, query: &SeenQuery) -> anyhow::Result<SeenPage>;
    /// Events of a launch.
    fn events(&self, query: &EventQuery) -> anyhow::Result<EventPage>;
    /// Anomalies of the crawl in this process that came since the answer
    /// before; the second value is what to ask with next. It answers at once,
    /// from memory.
    fn anomalies(&self, _since: AnomalyMark) -> (Vec<CrawlEvent>, AnomalyMark) {
        Default::default()
    }
    /// Why a seen URL was taken or refused.
    fn why(&self, seen: i64) -> anyhow::Result<Trace>;
    /// The present selection.
    fn selection(&self, campaign: CampaignId) -> anyhow::Result<SelectionPage>;
    /// Runs URLs through the rules of an edited, unsaved campaign with the facts at hand.
    /// `of` is the campaign whose launches know the way to them.
    fn scope_test(
        &self,
        of: Option<CampaignId>,
        campaign: &Campaign,
        urls: &[String],
    ) -> anyhow::Result<Vec<Result<ScopeTest, String>>>;
    /// Why an edited campaign would take or refuse a seen URL, as its what-if counts it.
    fn what_if_trace(&self, edited: &Campaign, seen: i64) -> anyhow::Result<Trace>;
    /// What an edited campaign would have taken and refused of all that its
    /// launches (or one of them) have seen.
    fn what_if(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        edited: &Campaign,
        cx: &JobCx,
    ) -> anyhow::Result<WhatIf>;
    /// A part of the URLs that a number of a what-if counts.
    fn what_if_rows(
        &self,
        campaign: CampaignId,
        edited: &Campaign,
        answer: &WhatIf,
        list: WhatIfList,
        range: std::ops::Range<u64>,
    ) -> anyhow::Result<Vec<MovedRow>>;
    /// The hosts of the URLs that change side, those with the most first.
    fn what_if_hosts(&self, answer: &WhatIf) -> anyhow::Result<Vec<MovedHost>>;
    /// The seen URLs that a rule had an opinion of.
    fn spoken_of(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        rule: usize,
        cx: &JobCx,
    ) -> anyhow::Result<Spoken>;
    /// How often each rule spoke and decided, with an example.
    fn rule_hits(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> anyhow::Result<RuleReport>;
    /// Seen URLs by their numbers.
    fn seen_rows(&self, ids: &[i64]) -> anyhow::Result<Vec<SeenRow>>;
    /// Hosts that only their location let in.
    fn geo_report(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> anyhow::Result<GeoReport>;
    /// Hosts whose verdicts another country database would change.
    fn geo_drift(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        newer: &Path,
        cx: &JobCx,
    ) -> anyhow::Result<Drift>;
    /// The geolocation database that was chosen; none where none was.
    fn geo_choice(&self) -> anyhow::Result<Option<GeoChoice>>;
    /// Chooses a geolocation database, or none; says what it is.
    fn set_geo_database(&self, path: Option<&Path>) -> anyhow::Result<String>;
    /// Writes an answer about the scope into a folder.
    fn export_table(&self, table: &ScopeTable, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Writes the rows of a table into a folder.
    fn write_table(&self, rows: &TableRows, form: TableForm, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Writes the links into a folder, in the form of another program.
    fn export_links(&self, form: LinkForm, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Every archive file, with how it stands on the disk.
    fn files(&self) -> anyhow::Result<Vec<FileRow>>;
    /// One archive file.
    fn file(&self, id: FileId) -> anyhow::Result<FileRow>;
    /// The archive file that a capture is read from.
    fn file_of_capture(&self, id: CaptureId) -> anyhow::Result<Option<FileRow>>;
    /// What is broken or odd in the files.
    fn problems(&self, query: &ProblemQuery) -> anyhow::Result<ProblemPage>;
    /// A problem with the bytes it is about.
    fn problem(&self, id: i64) -> anyhow::Result<ProblemDetail>;
    /// Head and first bytes of the record that begins at a problem, hostile
    /// text; empty where none begins.
    fn problem_record(&self, id: i64, cx: &JobCx) -> anyhow::Result<String>;
    /// Every import, newest first.
    fn imports(&self) -> anyhow::Result<Vec<ImportRow>>;
    /// The first of the files that an import passed over.
    fn passed_paths(&self, launch: LaunchId) -> anyhow::Result<Vec<String>>;
    /// What each file of an import came to.
    fn imported_files(&self, launch: LaunchId) -> anyhow::Result<Vec<ImportedFile>>;
    /// The records that an import counted, in all its files or in the one
    /// found at this path, read from the files.
    fn import_records(&self, launch: LaunchId, path: Option<&str>, cx: &JobCx) -> anyhow::Result<FoundRecords>;
    /// The hosts of what is selected, or scored and not selected.
    fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> anyhow::Result<Vec<SelectedHost>>;
    /// Jobs of windows, newest first, without those that run in this process.
    fn job_history(&self, limit: u64) -> anyhow::Result<Vec<JobRow>>;

    /// Saves a campaign as new, or as a new version unless the latest is the
    /// same. Answers with the campaign and its latest version.
    fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> anyhow::Result<(CampaignId, u32)>;
    /// Appends a person's word to captures.
    fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> anyhow::Result<()>;
    /// Takes back the last word that still holds; says what it was.
    fn undo_mark(&self) -> anyhow::Result<String>;
    /// Restores the act that was undone last, unless another followed it; says what it was.
    fn redo_mark(&self) -> anyhow::Result<String>;
    /// Ends a launch that is neither running nor to be resumed.
    fn end_launch(&self, launch: LaunchId) -> anyhow::Result<()>;
    /// Sets the window that inlink columns use and recounts them.
    fn set_window(&self, window_days: u32, cx: &JobCx) -> anyhow::Result<JobReport>;

    /// Starts a launch, or resumes the one that is not finished. The live
    /// figures are read with [`Desk::crawl`].
    fn run_crawl(&self, start: CrawlStart, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Crawls the URLs that failed in a campaign's last launch again.
    fn retry_failed(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Brings files and folders in, linked or copied. Waits for another import to end.
    fn import(&self, paths: &[PathBuf], options: ImportOptions, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Looks in a folder for lost files, or for one of them.
    fn locate(&self, folder: &Path, file: Option<FileId>, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Compares the digest of every file.
    fn check_files(&self, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Builds inlinks of everything captured.
    fn build_inlinks(&self, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Scores and keeps the selection.
    fn select(&self, spec: &SelectionSpec, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Writes the selection out.
    fn export(&self, spec: &SelectionSpec, out: &Path, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Reads an export back.
    fn verify(&self, folder: &Path, cx: &JobCx) -> anyhow::Result<Vec<VerifyLine>>;
}

/// Opens and makes workspaces.
pub trait Opener: Send + Sync {
    /// Opens a folder; changes nothing when it is no workspace.
    fn open(&self, folder: &Path) -> anyhow::Result<Arc<dyn Desk>>;
    /// Makes a workspace in an empty or absent folder.
    fn create(&self, folder: &Path) -> anyhow::Result<Arc<dyn Desk>>;
    /// Makes a workspace in this folder, or in the first that is free of those
    /// called like it with a number; answers with that folder.
    fn create_beside(&self, folder: &Path) -> anyhow::Result<(PathBuf, Arc<dyn Desk>)>;
    /// Opens the workspace with the sample campaign in this folder, and makes
    /// it where there is none, as [`Opener::create_beside`] does. This process
    /// serves its web on loopback while the workspace is open.
    fn open_sample(&self, folder: &Path) -> anyhow::Result<(PathBuf, Arc<dyn Desk>)>;
    /// Says what is at a path that a person wants to open.
    fn identify(&self, path: &Path) -> anyhow::Result<OpenTarget>;
    /// Whether a workspace is in this folder.
    fn is_workspace(&self, folder: &Path) -> bool;
    /// The folder offered to a person who has not chosen one. Does not block.
    fn default_folder(&self) -> PathBuf;
    /// Free bytes where that folder will lie, as far as known. Does not block.
    fn disk_free(&self) -> Option<u64>;
}

impl Desk for Session {
    fn revision(&self) -> u64 {
        Session::revision(self)
    }

    fn wants_inlinks(&self) -> bool {
        Session::wants_inlinks(self)
    }

    fn workspace(&self) -> anyhow::Result<WorkspaceInfo> {
        Session::workspace(self)
    }

    fn campaigns(&self) -> anyhow::Result<Vec<CampaignRow>> {
        Session::campaigns(self)
    }

    fn campaign(&self, id: CampaignId) -> anyhow::Result<CampaignPage> {
        Session::campaign(self, id)
    }

    fn crawl(&self, campaign: Option<CampaignId>, launches: Launches) -> anyhow::Result<CrawlPage> {
        Session::crawl(self, campaign, launches)
    }

    fn crawl_plan(&self, request: &CrawlRequest) -> anyhow::Result<CrawlPlan> {
        Session::crawl_plan(self, request)
    }

    fn captures(&self, query: &CaptureQuery) -> anyhow::Result<CapturePage> {
        Session::captures(self, query)
    }

    fn capture_ids(&self, query: &CaptureQuery, among: Option<&[CaptureId]>) -> anyhow::Result<Vec<CaptureId>> {
        Session::capture_ids(self, query, among)
    }

    fn tab_counts(&self, query: &CaptureQuery) -> anyhow::Result<TabCounts> {
        Session::tab_counts(self, query)
    }

    fn detail(&self, id: CaptureId, window_days: u32) -> anyhow::Result<CaptureDetail> {
        Session::detail(self, id, window_days)
    }

    fn content(&self, id: CaptureId) -> anyhow::Result<CaptureContent> {
        Session::content(self, id)
    }

    fn inlinks(&self, id: CaptureId, window_days: u32) -> anyhow::Result<InlinkPage> {
        Session::inlinks(self, id, window_days)
    }

    fn inlinks_of(&self, target: &str, window_days: u32) -> anyhow::Result<InlinkPage> {
        Session::inlinks_of(self, target, window_days)
    }

    fn outlinks(&self, id: CaptureId) -> anyhow::Result<Vec<OutlinkRow>> {
        Session::outlinks(self, id)
    }

    fn anchors(&self, id: CaptureId, window_days: u32) -> anyhow::Result<Vec<AnchorRow>> {
        Session::anchors(self, id, window_days)
    }

    fn top_anchors(&self, limit: u64) -> anyhow::Result<Vec<AnchorRow>> {
        Session::top_anchors(self, limit)
    }

    fn prospects(&self, query: &ProspectQuery) -> anyhow::Result<ProspectPage> {
        Session::prospects(self, query)
    }

    fn seen(&self, query: &SeenQuery) -> anyhow::Result<SeenPage> {
        Session::seen(self, query)
    }

    fn events(&self, query: &EventQuery) -> anyhow::Result<EventPage> {
        Session::events(self, query)
    }

    fn anomalies(&self, since: AnomalyMark) -> (Vec<CrawlEvent>, AnomalyMark) {
        Session::anomalies(self, since)
    }

    fn why(&self, seen: i64) -> anyhow::Result<Trace> {
        Session::why(self, seen)
    }

    fn selection(&self, campaign: CampaignId) -> anyhow::Result<SelectionPage> {
        Session::selection(self, campaign)
    }

    fn scope_test(
        &self,
        of: Option<CampaignId>,
        campaign: &Campaign,
        urls: &[String],
    ) -> anyhow::Result<Vec<Result<ScopeTest, String>>> {
        Session::scope_test(self, of, campaign, urls)
    }

    fn what_if_trace(&self, edited: &Campaign, seen: i64) -> anyhow::Result<Trace> {
        Session::what_if_trace(self, edited, seen)
    }

    fn what_if(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        edited: &Campaign,
        cx: &JobCx,
    ) -> anyhow::Result<WhatIf> {
        Session::what_if(self, campaign, launch, edited, cx)
    }

    fn what_if_rows(
        &self,
        campaign: CampaignId,
        edited: &Campaign,
        answer: &WhatIf,
        list: WhatIfList,
        range: std::ops::Range<u64>,
    ) -> anyhow::Result<Vec<MovedRow>> {
        Session::what_if_rows(self, campaign, edited, answer, list, range)
    }

    fn what_if_hosts(&self, answer: &WhatIf) -> anyhow::Result<Vec<MovedHost>> {
        Session::what_if_hosts(self, answer)
    }

    fn spoken_of(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        rule: usize,
        cx: &JobCx,
    ) -> anyhow::Result<Spoken> {
        Session::spoken_of(self, campaign, launch, rule, cx)
    }

    fn rule_hits(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> anyhow::Result<RuleReport> {
        Session::rule_hits(self, campaign, launch, cx)
    }

    fn seen_rows(&self, ids: &[i64]) -> anyhow::Result<Vec<SeenRow>> {
        Session::seen_rows(self, ids)
    }

    fn geo_report(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> anyhow::Result<GeoReport> {
        Session::geo_report(self, campaign, launch, cx)
    }

    fn geo_drift(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        newer: &Path,
        cx: &JobCx,
    ) -> anyhow::Result<Drift> {
        Session::geo_drift(self, campaign, launch, newer, cx)
    }

    fn geo_choice(&self) -> anyhow::Result<Option<GeoChoice>> {
        Session::geo_choice(self)
    }

    fn set_geo_database(&self, path: Option<&Path>) -> anyhow::Result<String> {
        Session::set_geo_database(self, path)
    }

    fn export_table(&self, table: &ScopeTable, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::export_table(self, table, folder, cx)?.into())
    }

    fn write_table(&self, rows: &TableRows, form: TableForm, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport> {
        let name = (rows.name.as_str(), form.ending());
        let fill = |out: &mut dyn std::io::Write| rows.write(form, self, out, cx);
        Ok(work::write_table(&self.workspace, name, folder, rows.total, cx, fill)?.into())
    }

    fn export_links(&self, form: LinkForm, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::export_links(self, form, folder, cx)?.into())
    }

    fn files(&self) -> anyhow::Result<Vec<FileRow>> {
        Session::files(self)
    }

    fn file(&self, id: FileId) -> anyhow::Result<FileRow> {
        Session::file(self, id)
    }

    fn file_of_capture(&self, id: CaptureId) -> anyhow::Result<Option<FileRow>> {
        Session::file_of_capture(self, id)
    }

    fn problems(&self, query: &ProblemQuery) -> anyhow::Result<ProblemPage> {
        Session::problems(self, query)
    }

    fn problem(&self, id: i64) -> anyhow::Result<ProblemDetail> {
        Session::problem(self, id)
    }

    fn problem_record(&self, id: i64, cx: &JobCx) -> anyhow::Result<String> {
        Session::problem_record(self, id, cx)
    }

    fn imports(&self) -> anyhow::Result<Vec<ImportRow>> {
        Session::imports(self)
    }

    fn passed_paths(&self, launch: LaunchId) -> anyhow::Result<Vec<String>> {
        Session::passed_paths(self, launch)
    }

    fn imported_files(&self, launch: LaunchId) -> anyhow::Result<Vec<ImportedFile>> {
        Session::imported_files(self, launch)
    }

    fn import_records(&self, launch: LaunchId, path: Option<&str>, cx: &JobCx) -> anyhow::Result<FoundRecords> {
        Session::import_records(self, launch, path, cx)
    }

    fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> anyhow::Result<Vec<SelectedHost>> {
        Session::selected_hosts(self, campaign, selected)
    }

    fn job_history(&self, limit: u64) -> anyhow::Result<Vec<JobRow>> {
        Session::job_history(self, limit)
    }

    fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> anyhow::Result<(CampaignId, u32)> {
        Session::save_campaign(self, id, campaign)
    }

    fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> anyhow::Result<()> {
        Session::mark(self, captures, mark, note, who)
    }

    fn undo_mark(&self) -> anyhow::Result<String> {
        Session::undo_mark(self)
    }

    fn redo_mark(&self) -> anyhow::Result<String> {
        Session::redo_mark(self)
    }

    fn end_launch(&self, launch: LaunchId) -> anyhow::Result<()> {
        Session::end_launch(self, launch)
    }

    fn set_window(&self, window_days: u32, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::set_window(self, window_days, cx)?.into())
    }

    fn run_crawl(&self, start: CrawlStart, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::run_crawl(self, start, cx)?.into())
    }

    fn retry_failed(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::retry_failed(self, campaign, cx)?.into())
    }

    fn import(&self, paths: &[PathBuf], options: ImportOptions, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::import(self, paths, options, cx)?.into())
    }

    fn locate(&self, folder: &Path, file: Option<FileId>, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::locate(self, folder, file, cx)?.into())
    }

    fn check_files(&self, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::check_files(self, cx)?.into())
    }

    fn build_inlinks(&self, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::build_inlinks(self, false, cx)?.into())
    }

    fn select(&self, spec: &SelectionSpec, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::select(self, spec, false, cx)?.into())
    }

    fn export(&self, spec: &SelectionSpec, out: &Path, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::export(self, spec, out, ExportWishes { wacz: spec.with_wacz }, cx)?.into())
    }

    fn verify(&self, folder: &Path, cx: &JobCx) -> anyhow::Result<Vec<VerifyLine>> {
        Session::verify(self, folder, cx)
    }
}

impl Opener for DiskOpener {
    fn open(&self, folder: &Path) -> anyhow::Result<Arc<dyn Desk>> {
        Ok(Arc::new(DiskOpener::open(self, folder)?))
    }

    fn create(&self, folder: &Path) -> anyhow::Result<Arc<dyn Desk>> {
        Ok(Arc::new(DiskOpener::create(self, folder)?))
    }

    fn create_beside(&self, folder: &Path) -> anyhow::Result<(PathBuf, Arc<dyn Desk>)> {
        let (folder, session) = DiskOpener::create_beside(self, folder)?;
        Ok((folder, Arc::new(session)))
    }

    fn open_sample(&self, folder: &Path) -> anyhow::Result<(PathBuf, Arc<dyn Desk>)> {
        let (folder, session) = DiskOpener::open_sample(self, folder)?;
        Ok((folder, Arc::new(session)))
    }

    fn identify(&self, path: &Path) -> anyhow::Result<OpenTarget> {
        DiskOpener::identify(self, path)
    }

    fn is_workspace(&self, folder: &Path) -> bool {
        DiskOpener::is_workspace(self, folder)
    }

    fn default_folder(&self) -> PathBuf {
        DiskOpener::default_folder(self)
    }

    fn disk_free(&self) -> Option<u64> {
        DiskOpener::disk_free(self)
    }
}
