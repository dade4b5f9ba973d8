//! The state of the window that belongs to the open workspace.
//!
//! Invariant: whatever is of one workspace is a field here, so that opening another one replaces all of
//! it at once. What outlives it (settings, workspaces opened lately, the theme) is in [`AppState`].

use super::crawl_request::AfterSave;
use super::decision_target::CurrentRows;
use super::models::{
    AnomalyMark, CampaignId, CampaignTwin, CaptureId, CaptureQuery, ExportDryRun, Loaded, Notice, PatchSource, RowList,
    SelectionSpec, VerifyLine, WhatIfAnswer,
};
use super::scans::Scans;
use super::selected_rows::ReviewDecision;
use super::spec_draft::SpecDraft;
use super::state::index::IndexWatch;
use super::state::notices::About;
use super::state::{NewerVersion, ScheduleWatch, SelectLead, SourceChecks};
use super::{Command, Dialog, Route, SelectedRows, TableRows};
use crate::app::current_jobs::{EndedJob, RunningJob};
use crate::uri::CaptureDate;
use crate::work::models::ProblemId;
use crate::work::{CleanBrowser, CrawlRequest, ReplayServer};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(doc)]
use super::AppState;

/// The state of the window that ends with the open workspace.
#[derive(Default)]
pub struct OpenWorkspace {
    // What pages fill in; the rest they read and change by methods of `AppState`.
    /// The specification being edited.
    pub spec: Option<SpecDraft>,
    /// The draft of the next selection.
    pub selection_draft: SelectionSpec,
    /// Folder of the next export, as typed.
    pub export_folder: String,

    /// Whether it is the sample.
    pub(super) is_sample: bool,
    /// Its folder, where it was made for a campaign that is not saved yet.
    pub(super) unused_workspace: Option<PathBuf>,
    pub(super) scans: Scans,
    /// The servers of its replay, once a capture was opened in the browser.
    pub(super) replay: Option<ReplayServer>,
    /// Windows of browsers that see the archive alone.
    pub(super) clean_browsers: Vec<CleanBrowser>,
    /// An address that the browser has to show.
    pub(super) browser_url: Option<String>,
    /// Pages that Back leads to.
    pub(super) history: Vec<Route>,
    pub(super) route: Route,
    pub(super) dialog: Option<Dialog>,
    /// Commands that would lose edits, until a person has answered.
    pub(super) deferred: Vec<Command>,
    /// Whether the edits go when another workspace is open.
    pub(super) discards_edits: bool,
    /// The next step after a save, by its number.
    pub(super) after_save: Option<(u64, AfterSave)>,
    pub(super) campaign: Option<CampaignId>,
    pub(super) shows_every_campaign: bool,
    pub(super) twins: Vec<CampaignTwin>,
    pub(super) newer_version: Option<NewerVersion>,
    pub(super) deleting: Option<CampaignId>,
    pub(super) patch_source: Option<PatchSource>,
    pub(super) what_if: Option<Loaded<Arc<WhatIfAnswer>>>,
    pub(super) compared: Option<PathBuf>,
    pub(super) selected: SelectedRows,
    /// The rows among which they were selected.
    pub(super) selected_in: Option<CaptureQuery>,
    pub(super) current_rows: CurrentRows,
    /// Whether the filter line of the captures shall take the keyboard.
    pub(super) opens_filter: bool,
    /// Whether the note field of the lower panel shall take the keyboard.
    pub(super) opens_note: bool,
    /// Number of matches to go further, or back, in the text of the current capture.
    pub(super) match_step: i64,
    /// Whether the page Review hides what others decided.
    pub(super) is_blind: bool,
    /// Whether the page shall leave nothing out that a number counts.
    pub(super) shows_all: bool,
    pub(super) decision: Option<ReviewDecision>,
    pub(super) crawl_request: Option<Arc<CrawlRequest>>,
    pub(super) far_record: Option<ProblemId>,
    pub(super) reviewed: Vec<CaptureId>,
    pub(super) table_rows: Option<TableRows>,
    pub(super) select_lead: Option<SelectLead>,
    /// The rows that a number led to, until their page has them.
    pub(super) row_list: Option<RowList>,
    /// The selection that a campaign was seen to keep, on the page Select & export.
    pub(super) kept_selection: Option<(CampaignId, Option<SelectionSpec>)>,
    /// Why the selection of a campaign is not exported, as far as its check has come.
    pub(super) export_obstacle: Option<(CampaignId, &'static str)>,
    pub(super) last_export: Option<PathBuf>,
    pub(super) verified: Option<(PathBuf, Vec<VerifyLine>)>,
    pub(super) dry_run: Option<Box<ExportDryRun>>,
    pub(super) notices: Vec<(u64, Notice)>,
    /// Pages and causes of notices, by their numbers.
    pub(super) about: BTreeMap<u64, About>,
    pub(super) log: VecDeque<(CaptureDate, Notice)>,
    pub(super) jobs: Vec<RunningJob>,
    pub(super) ended: VecDeque<EndedJob>,
    pub(super) schedules: ScheduleWatch,
    /// Tests of sources, and an address that is being recognised.
    pub(super) source_checks: SourceChecks,
    /// Anomalies of the running crawl that a notice was shown of.
    pub(super) anomalies_shown: AnomalyMark,
    /// The state of automatic indexing.
    pub(super) index_watch: IndexWatch,
}
