//! The state of the window: the commands of a person and the data that pages show.
//!
//! In: [`Command`]s. Out: read models ([`models`]) with the labels of the screen,
//! jobs with progress, [`Notice`]s.
//!
//! Invariants: everything the window can do is a [`Command`]; read models are
//! loaded on worker threads, keyed by (query, catalogue revision); the last
//! answer stays visible while a new one loads.
//!
//! Not here: drawing.

mod action;
mod command;
mod crawl_request;
mod current_jobs;
mod decision_target;
mod job_list;
mod loader;
pub mod models;
mod open_workspace;
mod reads;
mod scans;
mod seen_lists;
mod selected_rows;
mod settings;
mod spec_draft;
mod state;
#[cfg(test)]
mod state_tests;
mod table_rows;
mod to_do;
mod tried_selection;

pub use crate::work::{
    ARCHIVE_NAMES, CrawlPlan, CrawlRequest, CrawlStart, JobKind, OpenTarget, Session, UnfinishedLaunch, Workspaces,
    file_summary,
};
pub use action::{MARK_KEYS, PAGES, mark_verb, page_name, resolve, route_of};
pub use command::{Action, Command, Dialog, FilesRoute, Route, RuleRef, ScopeList, UnsavedAnswer};
pub use crawl_request::CrawlTarget;
pub use current_jobs::{EndedJob, RunningJob};
pub use decision_target::Focus;
pub use job_list::{JobLine, JobState, command_line, job_list};
pub use open_workspace::OpenWorkspace;
pub use reads::{ByIdentity, GroundAnswers, LIST_PAGE, Reads, ScopeAnswers};
pub use scans::{RuleLine, refusals_rule};
pub use seen_lists::{MovedQuery, SeenList, SeenListQuery};
pub use selected_rows::{ReviewDecision, SelectedRows};
pub use settings::{ColumnLayout, DateForm, PanelTab, Settings, TableLayout, ThemeChoice};
pub use spec_draft::SpecDraft;
pub use state::{
    AppState, CampaignAct, CampaignPlace, NewerVersion, NoticeCause, RecentWorkspace, ScheduleWatch, route_of_job,
};
pub use state::{RecognisedAs, SourceAct, SourceAdding, SourceTestState, TokenText};
pub use state::{ReviewAct, SearchAct, SelectLead, SelectionAct, TrialAct, has_clean_browser};
pub use table_rows::{CellWriter, RowFill, RowQuery, TableForm, TableRows, cell_text};
pub use to_do::{NextStep, REJECTED_BEFORE, ToDo};
pub use tried_selection::{LISTED, TriedSelection};
