//! Commands of a person as values, with the pages and dialogs that they lead to.

use super::models::{
    CampaignId, CaptureId, CitedBy, FileId, FileOutcome, FileState, GeoList, ImportOptions, Judgement, LaunchId,
    LinkForm, PatchSource, ProblemQuery, ReviewMark, RowList, SearchQuery, SelectionSpec, WhatIfList,
};
use super::{
    CampaignAct, CampaignPlace, CrawlStart, CrawlTarget, ReviewAct, SearchAct, SelectedRows, SelectionAct, SourceAct,
    TableForm, TableRows, TrialAct,
};
use crate::campaign::Campaign;
use crate::work::models::ProblemId;
use crate::work::models::RunId;
use std::path::PathBuf;

/// A page of the window with the ids that it needs; the history of Back is a list of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Route {
    /// The list of campaigns, or the empty state.
    #[default]
    Campaigns,
    /// The current campaign: figures, launches, what is to be done.
    Overview,
    /// A campaign's specification.
    Spec(Option<CampaignId>),
    /// URLs that a number on it counts.
    Scope(CampaignId, ScopeList),
    /// The running or last crawl.
    Crawl,
    /// The captures table, with a filter line.
    Captures {
        /// The filter as typed, such as `host:gov.pt status:404`.
        filter: String,
    },
    /// Full-text search, with a query.
    Search(super::models::SearchQuery),
    /// Persons, places, organisations and terms of texts.
    Entities {
        /// A name or URI of the entity that is shown; empty for the list.
        entity: String,
    },
    /// URLs that are cited but not captured.
    Prospect,
    /// Inlinks of one page, anchors, hosts.
    Links {
        /// URL or page key.
        target: String,
    },
    /// Inlinks and anchors of a folder that links were loaded into.
    LinkSet {
        /// The folder.
        folder: PathBuf,
        /// URL or page key; empty for the folder itself.
        target: String,
    },
    /// Hosts with what links to them, by the links of such a folder or of the workspace.
    LinkHosts(Option<PathBuf>),
    /// Pages that are linked to there.
    CitedPages(Option<PathBuf>, CitedBy),
    /// Going through captures one by one.
    Review {
        /// The filter as typed; all captures without one.
        filter: String,
    },
    /// Score, threshold, export.
    Select,
    /// The hosts of what is selected, or scored and not selected.
    SelectedHosts(bool),
    /// Jobs and messages.
    Jobs,
    /// Archive files: how they stand, what is broken, what imports came to.
    Files(FilesRoute),
    /// A guide, by its name; an unknown name shows the first one.
    Help(&'static str),
    /// Settings of the window and of the workspace.
    Settings,
}

/// A list of rows that a number of a specification counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeList {
    /// URLs of what its edits would change.
    WhatIf(WhatIfList),
    /// The hosts of the URLs that would change side.
    WhatIfHosts,
    /// URLs that a rule decided.
    DecidedBy(RuleRef),
    /// URLs that a rule had an opinion of.
    SpokenBy(RuleRef),
    /// URLs that a number about countries counts.
    Geo(GeoList),
}

/// A rule of the last crawl by its place, with its name and summary: another crawl may
/// have another rule there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRef {
    /// Its index.
    pub index: usize,
    /// Its name in logs.
    pub name: String,
    /// Its effect, with its arguments.
    pub summary: String,
}

/// A part of the page Files.
#[derive(Debug, Clone, PartialEq)]
pub enum FilesRoute {
    /// The files in this state, or all.
    Files(Option<FileState>),
    /// Problems that fit a question.
    Problems(ProblemQuery),
    /// The files of an import with these outcomes (all when there are none),
    /// or the list of imports.
    Imports(Option<(LaunchId, Vec<FileOutcome>)>),
    /// The records that an import counted, in all files or in the one found here.
    Records(LaunchId, Option<String>),
}

impl Default for FilesRoute {
    fn default() -> Self {
        Self::Files(None)
    }
}

/// A command without data, with label, tooltip and shortcut; menus and the palette list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Opens a folder as workspace.
    OpenWorkspace,
    /// Makes a workspace with the sample campaign in it.
    LoadSample,
    /// Begins a campaign.
    NewCampaign,
    /// Brings archive files in.
    Import,
    /// Saves the edited specification as a new version.
    SaveCampaign,
    /// Starts or resumes the crawl of the current campaign.
    StartCrawl,
    /// Lets the running crawl wait, or go on.
    PauseCrawl,
    /// Stops the running crawl cleanly.
    StopCrawl,
    /// Builds inlinks of everything captured.
    BuildInlinks,
    /// Indexes the texts of everything captured.
    IndexTexts,
    /// Analyses the texts of everything captured.
    Analyse,
    /// Exports the selection.
    Export,
    /// Lists what an export would write.
    DryRun,
    /// Reads the last export back.
    Verify,
    /// Goes back.
    Back,
    /// Shows or hides the lower panel.
    ToggleLowerPanel,
    /// Shows or hides the facets beside the table of captures.
    ToggleFacets,
    /// The current capture as it was, in a browser.
    OpenInBrowser,
    /// The current capture in a Chromium that sees the archive alone.
    OpenInCleanBrowser,
    /// Goes to the next match in the text of the capture.
    NextMatch,
    /// Goes to the match before.
    PreviousMatch,
    /// Opens the command palette.
    Palette,
    /// Changes between light and dark.
    ToggleTheme,
    /// Opens the settings of the window and of the workspace.
    Settings,
    /// Makes everything a step larger.
    ScaleUp,
    /// Makes everything a step smaller.
    ScaleDown,
    /// Makes everything as large as designed.
    ScaleReset,
    /// Restores what was undone last: on its page the edit of the
    /// specification, elsewhere the decision.
    Redo,
    /// Takes back the last edit of the specification on its page, elsewhere
    /// the last decision.
    Undo,
    /// Asks for the window of inlink counts.
    SetWindow,
    /// Shows every key.
    Keys,
    /// Goes to the filter of the captures.
    Find,
    /// Looks for missing files in a folder.
    LocateFiles,
    /// Compares the digest of every file.
    CheckFiles,
    /// Goes to a page, by its number in [`super::PAGES`].
    GoTo(u8),
}

/// A dialog over the page, open until it is answered or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialog {
    /// The palette of all commands, found by their labels.
    Palette,
    /// Every key.
    Keys,
    /// A folder or file to open, make or bring in.
    Open,
    /// Archive files to bring in.
    Import,
    /// The place of a new campaign.
    NewCampaign,
    /// A folder to look for lost files in, or for one of them.
    Locate(Option<FileId>),
    /// Folder and form of a table to write.
    WriteTable,
    /// Days of the inlink window.
    Window,
    /// A decision on many captures that waits for confirmation.
    Decide,
    /// A crawl that waits for confirmation.
    StartCrawl,
    /// A campaign like the one to be saved is here.
    Twins,
    /// Somebody else saved the campaign of the draft meanwhile.
    NewerVersion,
    /// A campaign is about to be deleted.
    DeleteCampaign(CampaignId),
    /// A patch that waits for confirmation.
    Patch,
    /// Edits that are not saved would be lost.
    Unsaved,
    /// Work is running while the window is being closed.
    Quit,
}

/// A person's answer about edits that are not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsavedAnswer {
    /// Saves them first.
    Save,
    /// Drops them.
    Discard,
    /// Keeps them, and nothing else is done.
    Cancel,
}

/// A request of a person with its data; `AppState` carries it out, in one `match`.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Shows a page.
    Go(Route),
    /// Shows a page with all that a number counts: captures whatever their ready
    /// filter, refused URLs of all launches.
    GoToAll(Route),
    /// Shows the rows that a number counts, of the current campaign.
    ShowRows(RowList),
    /// Goes back in the history of pages.
    Back,
    /// Lays a dialog over the page.
    OpenDialog(Dialog),
    /// Closes the dialog.
    CloseDialog,
    /// Goes to the captures with the keyboard in the filter line.
    Find,
    /// Shows or hides the lower panel.
    ToggleLowerPanel,
    /// Shows or hides the facets beside the table of captures.
    ToggleFacets,
    /// Shows a capture in the browser of this computer.
    OpenInBrowser(CaptureId),
    /// Shows a capture in a Chromium that sees the archive alone.
    OpenInCleanBrowser(CaptureId),
    /// Goes so many matches on in the text of the current capture, or back.
    StepMatch(i64),
    /// Changes between light and dark.
    ToggleTheme,
    /// Makes everything a step larger or smaller, or as large as designed with 0.
    StepScale(i32),
    /// Takes a notice away.
    Dismiss(u64),
    /// Opens what is at a path: a workspace, or archives to import.
    Open {
        /// A file or folder.
        path: PathBuf,
        /// Options of archives besides reading them.
        options: ImportOptions,
    },
    /// Opens a workspace folder.
    OpenWorkspace(PathBuf),
    /// Makes an empty workspace.
    NewWorkspace(PathBuf),
    /// Opens the workspace with the sample campaign; makes it where there is none.
    LoadSample(PathBuf),
    /// Saves a campaign: a new one, or a new version of one.
    SaveCampaign {
        /// The campaign, or none for a new one.
        id: Option<CampaignId>,
        /// The whole value.
        campaign: Box<Campaign>,
    },
    /// Puts another state of the campaign into the specification being edited.
    EditSpec(Box<Campaign>),
    /// Takes the last edit of the specification back.
    UndoEdit,
    /// Makes it again.
    RedoEdit,
    /// Chooses the geolocation database, or none.
    SetGeoDatabase(Option<PathBuf>),
    /// Compares evidence with another geolocation database, or with none.
    CompareCountries(Option<PathBuf>),
    /// Asks where the present view of a table shall be written.
    OpenTableExport(TableRows),
    /// Writes it.
    WriteTable {
        /// The rows.
        rows: TableRows,
        /// The form.
        form: TableForm,
        /// Folder to write to; made if absent.
        folder: PathBuf,
    },
    /// Writes the links of the workspace in the form of another program.
    ExportLinks {
        /// The form.
        form: LinkForm,
        /// Folder to write to; made if absent.
        folder: PathBuf,
    },
    /// Chooses the current campaign.
    ChooseCampaign(CampaignId),
    /// Adds seeds to the specification of the current campaign, not yet saved.
    AddSeeds(Vec<String>),
    /// Adds terms to the request of the current campaign, each as an alternative, not yet saved.
    AddTerms(Vec<crate::campaign::Term>),
    /// Puts a name to an entity, which its name or URI names: the next analysis counts them as one.
    PutTogether {
        /// The name.
        name: String,
        /// The entity.
        target: String,
    },
    /// Takes back that a name is that of another entity, from the next analysis on.
    TakeApart {
        /// The name.
        name: String,
    },
    /// Adds rules behind those of the specification of the current campaign, not yet saved.
    AddRules(Vec<serde_json::Value>),
    /// Begins a new campaign in the open workspace, or opens the dialog of its place.
    NewCampaign,
    /// Begins a new campaign there.
    BeginCampaign(CampaignPlace),
    /// Asks a person to confirm a crawl.
    RequestCrawl(CrawlTarget),
    /// Confirms it: saves edits first, then starts.
    ConfirmCrawl {
        /// The version that was confirmed, where nothing is saved first.
        version: u32,
        /// Begins a new launch even where one can be resumed.
        fresh: bool,
    },
    /// Starts a crawl that was confirmed.
    StartCrawl(CrawlStart),
    /// Crawls the URLs that failed in a campaign's last launch again.
    RetryFailed(CampaignId),
    /// Says what becomes of edits that a command would lose.
    AnswerUnsaved(UnsavedAnswer),
    /// Closes the window, after asking about edits and running work.
    CloseWindow,
    /// Stops running work and closes the window.
    StopAndClose,
    /// Lets a job wait or go on.
    PauseJob(u64, bool),
    /// Stops a job cleanly.
    CancelJob(u64),
    /// Brings files and folders in.
    Import {
        /// Files and folders.
        paths: Vec<PathBuf>,
        /// Whether they are copied, and how far links are followed.
        options: ImportOptions,
    },
    /// Looks in a folder for lost files.
    Locate {
        /// Folder to look in.
        folder: PathBuf,
        /// The only one to look for; none for all.
        file: Option<FileId>,
    },
    /// Compares the digest of every file.
    CheckFiles,
    /// Reads the record of this problem, however far in its member it is; none stops it.
    ReadProblem(Option<ProblemId>),
    /// Builds inlinks.
    BuildInlinks,
    /// Indexes the texts of what was captured since the last time.
    IndexTexts,
    /// Analyses all texts.
    Analyse,
    /// Sets the window, in days, that inlink counts use.
    SetWindow(u32),
    /// Decides on captures; many are confirmed first.
    Mark {
        /// The captures.
        captures: SelectedRows,
        /// The mark.
        mark: ReviewMark,
        /// The reason.
        note: String,
    },
    /// Does something on the page Review.
    Review(ReviewAct),
    /// Carries out the decision that waits for confirmation.
    ConfirmMark,
    /// Takes back the last decision.
    UndoMark,
    /// Restores the decision that was taken back last.
    RedoMark,
    /// Keeps a person's assessment of a search result.
    Judge {
        /// The search.
        query: Box<SearchQuery>,
        /// The capture that was shown.
        capture: CaptureId,
        /// The judgement; none takes it back.
        judgement: Option<Judgement>,
    },
    /// Computes scores and keeps the selection.
    Select(SelectionSpec),
    /// Does something with named selections or collections.
    Selections(SelectionAct),
    /// Does something with saved searches.
    Searches(SearchAct),
    /// Writes the selection out.
    Export {
        /// Folder to write; made if absent.
        out: PathBuf,
        /// The selection to make.
        selection: SelectionSpec,
    },
    /// Lists what an export would write.
    DryRun {
        /// Folder that would be written.
        out: PathBuf,
        /// The selection to export.
        selection: SelectionSpec,
    },
    /// Reads an export back.
    Verify(PathBuf),
    /// Says whether a run that was missed shall be made up for.
    AnswerScheduled {
        /// Number of the run.
        run: RunId,
        /// Whether it starts now.
        starts: bool,
    },
    /// Lets the schedules of a workspace run that somebody else made; or leaves them for as long as it is open.
    LetSchedulesRun(bool),
    /// Lets the running crawl of a campaign go by its newest version.
    ApplyVersion(CampaignId),
    /// Has the running crawl of a campaign fetch this host in the usual order again.
    ResumeHost(CampaignId, String),
    /// Ends a crawl that is neither running nor to be resumed.
    EndLaunch(LaunchId),
    /// Does something with a trial or with versions of a campaign.
    Trials(TrialAct),
    /// Asks a person about a patch for what captures lack.
    PlanPatch(PatchSource),
    /// Fetches URLs that captures lack, as a patch of a campaign.
    Patch {
        /// The campaign.
        campaign: CampaignId,
        /// The URLs.
        urls: Vec<String>,
        /// The captures that are looked at again afterwards.
        captures: Vec<CaptureId>,
    },
    /// Does something with sources of a campaign.
    Sources(SourceAct),
    /// Does something with a campaign as a whole.
    Campaigns(CampaignAct),
}

impl Dialog {
    /// Whether all that comes of it is written into the workspace.
    fn writes(self) -> bool {
        match self {
            Self::Import
            | Self::Locate(_)
            | Self::Decide
            | Self::StartCrawl
            | Self::Twins
            | Self::NewerVersion
            | Self::Patch
            | Self::DeleteCampaign(_) => true,
            // What is opened or imported is known by its path only.
            Self::Palette
            | Self::Keys
            | Self::Open
            | Self::NewCampaign
            | Self::WriteTable
            | Self::Window
            | Self::Unsaved
            | Self::Quit => false,
        }
    }
}

impl Command {
    /// Whether it writes into the open workspace, which a window that only reads it refuses:
    /// [`super::AppState::read_only`]. Edits of a draft, the settings of the window and what is written to a
    /// folder of the person do not.
    pub fn writes(&self) -> bool {
        match self {
            Self::OpenDialog(dialog) => dialog.writes(),
            Self::Campaigns(act) => *act != CampaignAct::ShowEveryCapture,
            Self::Sources(act) => matches!(act, SourceAct::Run(..)),
            Self::AnswerUnsaved(answer) => *answer == UnsavedAnswer::Save,
            Self::SaveCampaign { .. }
            | Self::SetGeoDatabase(_)
            | Self::NewCampaign
            | Self::RequestCrawl(_)
            | Self::ConfirmCrawl { .. }
            | Self::StartCrawl(_)
            | Self::RetryFailed(_)
            | Self::ApplyVersion(_)
            | Self::ResumeHost(..)
            | Self::Import { .. }
            | Self::Locate { .. }
            | Self::BuildInlinks
            | Self::IndexTexts
            | Self::Analyse
            | Self::Mark { .. }
            | Self::Review(_)
            | Self::ConfirmMark
            | Self::UndoMark
            | Self::RedoMark
            | Self::Judge { .. }
            | Self::Select(_)
            | Self::Selections(_)
            | Self::Searches(_)
            | Self::PutTogether { .. }
            | Self::TakeApart { .. }
            | Self::Export { .. }
            | Self::AnswerScheduled { .. }
            | Self::LetSchedulesRun(_)
            | Self::Trials(_)
            | Self::PlanPatch(_)
            | Self::Patch { .. }
            | Self::EndLaunch(_) => true,
            Self::Go(_)
            | Self::GoToAll(_)
            | Self::ShowRows(_)
            | Self::Back
            | Self::CloseDialog
            | Self::Find
            | Self::ToggleLowerPanel
            | Self::ToggleFacets
            | Self::OpenInBrowser(_)
            | Self::OpenInCleanBrowser(_)
            | Self::StepMatch(_)
            | Self::ToggleTheme
            | Self::StepScale(_)
            | Self::Dismiss(_)
            | Self::Open { .. }
            | Self::OpenWorkspace(_)
            | Self::NewWorkspace(_)
            | Self::LoadSample(_)
            | Self::EditSpec(_)
            | Self::UndoEdit
            | Self::RedoEdit
            | Self::CompareCountries(_)
            | Self::OpenTableExport(_)
            | Self::WriteTable { .. }
            | Self::ExportLinks { .. }
            | Self::ChooseCampaign(_)
            | Self::AddSeeds(_)
            | Self::AddTerms(_)
            | Self::AddRules(_)
            | Self::BeginCampaign(_)
            | Self::CloseWindow
            | Self::StopAndClose
            | Self::PauseJob(..)
            | Self::CancelJob(_)
            | Self::CheckFiles
            | Self::ReadProblem(_)
            | Self::SetWindow(_)
            | Self::DryRun { .. }
            | Self::Verify(_) => false,
        }
    }
}
