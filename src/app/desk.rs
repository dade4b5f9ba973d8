//! The open workspace as the window and the command line see it.

use super::crawl_request::{CrawlPlan, CrawlRequest, CrawlStart};
use super::link_desk::LinkDesk;
use super::models::*;
use super::plans::Plans;
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::Trace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What reading or doing ended with. The chain of causes says what, where and why.
pub type DeskResult<T> = anyhow::Result<T>;

/// An open workspace: reads, short writes, long work. Every call may block
/// and is made on a worker thread, never on the window's.
pub trait Desk: Plans + LinkDesk + Send + Sync {
    /// Grows with every change of the catalogue; read models are keyed by it. Does not block.
    fn revision(&self) -> u64;

    /// Whether inlinks of an earlier form wait to be built in the present one.
    fn wants_inlinks(&self) -> bool;
    /// The workspace itself.
    fn workspace(&self) -> DeskResult<WorkspaceInfo>;
    /// All campaigns.
    fn campaigns(&self) -> DeskResult<Vec<CampaignRow>>;
    /// One campaign.
    fn campaign(&self, id: CampaignId) -> DeskResult<CampaignPage>;
    /// Launches of a campaign (of any, when none is named).
    fn crawl(&self, campaign: Option<CampaignId>, launches: Launches) -> DeskResult<CrawlPage>;
    /// What a crawl would do.
    fn crawl_plan(&self, request: &CrawlRequest) -> DeskResult<CrawlPlan>;
    /// A part of the captures table.
    fn captures(&self, query: &CaptureQuery) -> DeskResult<CapturePage>;
    /// Numbers of the captures that match a query, whatever its page; of
    /// these only, where some are named.
    fn capture_ids(&self, query: &CaptureQuery, among: Option<&[CaptureId]>) -> DeskResult<Vec<CaptureId>>;
    /// How many captures each ready filter holds, under the query's filter line.
    fn tab_counts(&self, query: &CaptureQuery) -> DeskResult<TabCounts>;
    /// One capture.
    fn detail(&self, id: CaptureId, window_days: u32) -> DeskResult<CaptureDetail>;
    /// What stands in the WARC record of a capture.
    fn content(&self, id: CaptureId) -> DeskResult<CaptureContent>;
    /// Inlinks of a capture in its window, and those outside it marked so.
    fn inlinks(&self, id: CaptureId, window_days: u32) -> DeskResult<InlinkPage>;
    /// Inlinks of any URL or key, captured or not.
    fn inlinks_of(&self, target: &str, window_days: u32) -> DeskResult<InlinkPage>;
    /// Links out of a capture.
    fn outlinks(&self, id: CaptureId) -> DeskResult<Vec<OutlinkRow>>;
    /// Anchor texts of a capture's inlinks in its window.
    fn anchors(&self, id: CaptureId, window_days: u32) -> DeskResult<Vec<AnchorRow>>;
    /// Most frequent anchors of the whole archive.
    fn top_anchors(&self, limit: u64) -> DeskResult<Vec<AnchorRow>>;
    /// Pages cited but never captured, most citing hosts first.
    fn prospects(
        &self,
        campaign: Option<CampaignId>,
        filter: &str,
        offset: u64,
        limit: u64,
    ) -> DeskResult<ProspectPage>;
    /// URLs that launches have seen.
    fn seen(&self, query: &SeenQuery) -> DeskResult<SeenPage>;
    /// Events of a launch.
    fn events(&self, query: &EventQuery) -> DeskResult<EventPage>;
    /// Anomalies of the crawl in this process that came since the answer
    /// before; the second value is what to ask with next. It answers at once,
    /// from memory.
    fn anomalies(&self, _since: AnomalyMark) -> (Vec<CrawlEvent>, AnomalyMark) {
        Default::default()
    }
    /// Why a seen URL was taken or refused.
    fn why(&self, seen: i64) -> DeskResult<Trace>;
    /// The present selection.
    fn selection(&self, campaign: CampaignId) -> DeskResult<SelectionPage>;
    /// Runs URLs through the rules of an edited, unsaved campaign with the facts at hand.
    /// `of` is the campaign whose launches know the way to them.
    fn scope_test(
        &self,
        of: Option<CampaignId>,
        campaign: &Campaign,
        urls: &[String],
    ) -> DeskResult<Vec<Result<ScopeTest, String>>>;
    /// Why an edited campaign would take or refuse a seen URL, as its what-if counts it.
    fn what_if_trace(&self, edited: &Campaign, seen: i64) -> DeskResult<Trace>;
    /// What an edited campaign would have taken and refused of all that its
    /// launches (or one of them) have seen.
    fn what_if(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        edited: &Campaign,
        cx: &JobCx,
    ) -> DeskResult<WhatIf>;
    /// A part of the URLs that a number of a what-if counts.
    fn what_if_rows(
        &self,
        campaign: CampaignId,
        edited: &Campaign,
        answer: &WhatIf,
        list: WhatIfList,
        range: std::ops::Range<u64>,
    ) -> DeskResult<Vec<MovedRow>>;
    /// The hosts of the URLs that change side, those with the most first.
    fn what_if_hosts(&self, answer: &WhatIf) -> DeskResult<Vec<MovedHost>>;
    /// The seen URLs that a rule had an opinion of.
    fn spoken_of(&self, campaign: CampaignId, launch: Option<LaunchId>, rule: usize, cx: &JobCx) -> DeskResult<Spoken>;
    /// How often each rule spoke and decided, with an example.
    fn rule_hits(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> DeskResult<RuleReport>;
    /// Seen URLs by their numbers.
    fn seen_rows(&self, ids: &[i64]) -> DeskResult<Vec<SeenRow>>;
    /// Hosts that only their location let in.
    fn geo_report(&self, campaign: CampaignId, launch: Option<LaunchId>, cx: &JobCx) -> DeskResult<GeoReport>;
    /// Hosts whose verdicts another country database would change.
    fn geo_drift(&self, campaign: CampaignId, launch: Option<LaunchId>, newer: &Path, cx: &JobCx) -> DeskResult<Drift>;
    /// The geolocation database that was chosen; none where none was.
    fn geo_choice(&self) -> DeskResult<Option<GeoChoice>>;
    /// Chooses a geolocation database, or none; says what it is.
    fn set_geo_database(&self, path: Option<&Path>) -> DeskResult<String>;
    /// Writes an answer about the scope into a folder.
    fn export_table(&self, table: &ScopeTable, folder: &Path, cx: &JobCx) -> DeskResult<String>;
    /// Writes the links into a folder, in the form of another program.
    fn export_links(&self, form: LinkForm, folder: &Path, cx: &JobCx) -> DeskResult<String>;
    /// Every archive file, with how it stands on the disk.
    fn files(&self) -> DeskResult<Vec<FileRow>>;
    /// One archive file.
    fn file(&self, id: FileId) -> DeskResult<FileRow>;
    /// The archive file that a capture is read from.
    fn file_of_capture(&self, id: CaptureId) -> DeskResult<Option<FileRow>>;
    /// What is broken or odd in the files.
    fn problems(&self, query: &ProblemQuery) -> DeskResult<ProblemPage>;
    /// A problem with the bytes it is about.
    fn problem(&self, id: i64) -> DeskResult<ProblemDetail>;
    /// Head and first bytes of the record that begins at a problem, hostile
    /// text; empty where none begins.
    fn problem_record(&self, id: i64, cx: &JobCx) -> DeskResult<String>;
    /// Every import, newest first.
    fn imports(&self) -> DeskResult<Vec<ImportRow>>;
    /// The first of the files that an import passed over.
    fn passed_paths(&self, launch: LaunchId) -> DeskResult<Vec<String>>;
    /// What each file of an import came to.
    fn imported_files(&self, launch: LaunchId) -> DeskResult<Vec<ImportedFile>>;
    /// The records that an import counted, in all its files or in the one
    /// found at this path, read from the files.
    fn import_records(&self, launch: LaunchId, path: Option<&str>, cx: &JobCx) -> DeskResult<FoundRecords>;
    /// The hosts of what is selected, or scored and not selected.
    fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> DeskResult<Vec<SelectedHost>>;
    /// Jobs of windows, newest first, without those that run in this process.
    fn job_history(&self, limit: u64) -> DeskResult<Vec<JobRow>>;

    /// Saves a campaign as new, or as a new version unless the latest is the
    /// same. Answers with the campaign and its latest version.
    fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> DeskResult<(CampaignId, u32)>;
    /// Appends a person's word to captures.
    fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> DeskResult<()>;
    /// Takes back the last word that still holds; says what it was.
    fn undo_mark(&self) -> DeskResult<String>;
    /// Restores the act that was undone last, unless another followed it; says what it was.
    fn redo_mark(&self) -> DeskResult<String>;
    /// Ends a launch that is neither running nor to be resumed.
    fn end_launch(&self, launch: LaunchId) -> DeskResult<()>;
    /// Sets the window that inlink columns use and recounts them.
    fn set_window(&self, window_days: u32, cx: &JobCx) -> DeskResult<String>;

    /// Starts a launch, or resumes the one that is not finished. The live
    /// figures are read with [`Desk::crawl`]. Answers in words, as all long work.
    fn run_crawl(&self, start: CrawlStart, cx: &JobCx) -> DeskResult<String>;
    /// Crawls the URLs that failed in a campaign's last launch again.
    fn retry_failed(&self, campaign: CampaignId, cx: &JobCx) -> DeskResult<String>;
    /// Brings files and folders in, linked or copied. Waits for another import to end.
    fn import(&self, paths: &[PathBuf], options: ImportOptions, cx: &JobCx) -> DeskResult<String>;
    /// Looks in a folder for lost files, or for one of them.
    fn locate(&self, folder: &Path, file: Option<FileId>, cx: &JobCx) -> DeskResult<String>;
    /// Compares the digest of every file.
    fn check_files(&self, cx: &JobCx) -> DeskResult<String>;
    /// Builds inlinks of everything captured.
    fn build_inlinks(&self, cx: &JobCx) -> DeskResult<String>;
    /// Scores and keeps the selection.
    fn select(&self, spec: &SelectionSpec, cx: &JobCx) -> DeskResult<String>;
    /// Writes the selection out.
    fn export(&self, spec: &SelectionSpec, out: &Path, cx: &JobCx) -> DeskResult<String>;
    /// Reads an export back.
    fn verify(&self, folder: &Path, cx: &JobCx) -> DeskResult<Vec<VerifyLine>>;
}

/// Opens and makes workspaces.
pub trait Opener: Send + Sync {
    /// Opens a folder; changes nothing when it is no workspace.
    fn open(&self, folder: &Path) -> DeskResult<Arc<dyn Desk>>;
    /// Makes a workspace in an empty or absent folder.
    fn create(&self, folder: &Path) -> DeskResult<Arc<dyn Desk>>;
    /// Makes a workspace in this folder, or in the first that is free of those
    /// called like it with a number; answers with that folder.
    fn create_beside(&self, folder: &Path) -> DeskResult<(PathBuf, Arc<dyn Desk>)>;
    /// Opens the workspace with the sample campaign in this folder, and makes
    /// it where there is none, as [`Opener::create_beside`] does. This process
    /// serves its web on loopback while the workspace is open.
    fn open_sample(&self, folder: &Path) -> DeskResult<(PathBuf, Arc<dyn Desk>)>;
    /// Says what is at a path that a person wants to open.
    fn identify(&self, path: &Path) -> DeskResult<OpenTarget>;
    /// Whether a workspace is in this folder.
    fn is_workspace(&self, folder: &Path) -> bool;
    /// The folder offered to a person who has not chosen one. Does not block.
    fn default_folder(&self) -> PathBuf;
    /// Free bytes where that folder will lie, as far as known. Does not block.
    fn disk_free(&self) -> Option<u64>;
}

/// What is at a path that a person wants to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenTarget {
    /// A workspace, in this folder.
    Workspace(PathBuf),
    /// An archive file, or a folder with some in it.
    Archives,
}
