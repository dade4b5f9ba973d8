//! Words and keys of each [`Action`], and what it means just now.

use super::spec_draft::SpecDraft;
use super::state::{AppState, has_clean_browser};
use super::{Action, Command, CrawlTarget, Dialog, FilesRoute, Focus, Route};
use crate::app::models::ReviewMark;
use crate::work::{JobKind, has_text_terms};
use std::path::PathBuf;

/// Pages of the window, by their numbers: those from 1 to 9 have the key `Ctrl` with it.
pub const PAGES: [&str; 15] = [
    "Campaigns",
    "Overview",
    "Spec",
    "Prospect",
    "Crawl",
    "Captures",
    "Search",
    "Links",
    "Review",
    "Select & export",
    "Files",
    "Jobs",
    "Help",
    "Settings",
    "Entities",
];

/// Numbers of pages that have a key of their own, or that only the pointer and the palette reach.
const FILES: u8 = 10;
const JOBS: u8 = 11;
const HELP: u8 = 12;
const SETTINGS: u8 = 13;
const ENTITIES: u8 = 14;

impl Action {
    /// Everything, in the order of menus and palette.
    pub const ALL: [Action; 48] = [
        Action::NewCampaign,
        Action::LoadSample,
        Action::OpenWorkspace,
        // Before Import, whose keys are a part of its own.
        Action::GoTo(FILES),
        Action::Import,
        Action::LocateFiles,
        Action::CheckFiles,
        Action::SaveCampaign,
        Action::StartCrawl,
        Action::PauseCrawl,
        Action::StopCrawl,
        Action::BuildInlinks,
        Action::IndexTexts,
        Action::Analyse,
        Action::Export,
        Action::DryRun,
        Action::Verify,
        // Before Undo, whose keys are a part of its own.
        Action::Redo,
        Action::Undo,
        Action::Back,
        Action::SetWindow,
        Action::ToggleLowerPanel,
        Action::ToggleFacets,
        Action::OpenInBrowser,
        Action::OpenInCleanBrowser,
        // Before NextMatch, whose key is a part of its own.
        Action::PreviousMatch,
        Action::NextMatch,
        Action::ToggleTheme,
        Action::Palette,
        Action::Keys,
        Action::Find,
        Action::GoTo(0),
        Action::GoTo(1),
        Action::GoTo(2),
        Action::GoTo(3),
        Action::GoTo(4),
        Action::GoTo(5),
        Action::GoTo(6),
        Action::GoTo(7),
        Action::GoTo(8),
        Action::GoTo(9),
        Action::GoTo(ENTITIES),
        Action::GoTo(JOBS),
        Action::GoTo(HELP),
        Action::Settings,
        Action::ScaleUp,
        Action::ScaleDown,
        Action::ScaleReset,
    ];

    /// The label of its button.
    pub fn label(self) -> String {
        match self {
            Self::OpenWorkspace => "Open WARC, WACZ or workspace…".to_owned(),
            Self::LoadSample => "Open the sample campaign".to_owned(),
            Self::NewCampaign => "New campaign".to_owned(),
            Self::Import => "Import archive files…".to_owned(),
            Self::LocateFiles => "Locate missing files…".to_owned(),
            Self::CheckFiles => "Check file digests".to_owned(),
            Self::SaveCampaign => "Save as new version".to_owned(),
            Self::StartCrawl => "Start crawl".to_owned(),
            Self::PauseCrawl => "Pause or resume crawl".to_owned(),
            Self::StopCrawl => "Stop crawl".to_owned(),
            Self::BuildInlinks => "Build inlinks".to_owned(),
            Self::IndexTexts => "Index texts".to_owned(),
            Self::Analyse => "Analyse texts".to_owned(),
            Self::Export => "Export selection".to_owned(),
            Self::DryRun => "Dry run".to_owned(),
            Self::Verify => "Verify last export".to_owned(),
            Self::Back => "Back".to_owned(),
            Self::ToggleLowerPanel => "Show or hide the lower panel".to_owned(),
            Self::ToggleFacets => "Show or hide facets".to_owned(),
            Self::OpenInBrowser => "Open in browser".to_owned(),
            Self::OpenInCleanBrowser => "Open in clean browser".to_owned(),
            Self::NextMatch => "Next match in the text".to_owned(),
            Self::PreviousMatch => "Previous match in the text".to_owned(),
            Self::Palette => "All commands…".to_owned(),
            Self::ToggleTheme => "Switch between light and dark".to_owned(),
            Self::Settings => "Settings".to_owned(),
            Self::ScaleUp => "Larger".to_owned(),
            Self::ScaleDown => "Smaller".to_owned(),
            Self::ScaleReset => "Normal size".to_owned(),
            Self::Undo => "Undo last decision".to_owned(),
            Self::Redo => "Redo last decision".to_owned(),
            Self::SetWindow => "Set the inlink window…".to_owned(),
            Self::Keys => "Keyboard shortcuts…".to_owned(),
            Self::Find => "Find captures…".to_owned(),
            Self::GoTo(page) => {
                format!("Go to {}", page_name(usize::from(page)))
            }
        }
    }

    /// Whether nothing comes of it but what is written, so that no other reason matters where nothing can be.
    fn always_writes(self) -> bool {
        use Action::*;
        // The dialog of Import opens workspaces as well; as an action it imports.
        matches!(self, Import | SaveCampaign | StartCrawl | BuildInlinks | IndexTexts | Analyse | Export)
    }

    /// The label as the current page means it.
    pub fn label_now(self, state: &AppState) -> String {
        match self {
            Self::Undo if visible_draft(state).is_some() => "Undo edit".to_owned(),
            Self::Redo if visible_draft(state).is_some() => "Redo edit".to_owned(),
            Self::SaveCampaign => match visible_draft(state) {
                Some(spec) if spec.id.is_none() => "Save".to_owned(),
                Some(spec) => format!("Save as v{}", spec.next_version()),
                None => self.label(),
            },
            Self::StartCrawl => match visible_draft(state) {
                Some(spec) if spec.id.is_none() => "Save and crawl".to_owned(),
                Some(spec) if spec.shows_edits() => format!("Save as v{} and crawl", spec.next_version()),
                _ => self.label(),
            },
            _ => self.label(),
        }
    }

    /// A description of the action, in one line.
    pub fn hint(self) -> &'static str {
        match self {
            Self::OpenWorkspace => "Opens a workspace, or imports archive files and job folders of crawlers",
            Self::LoadSample => "A workspace with a small website that this computer serves; works offline",
            Self::NewCampaign => "Starts a new, empty specification in the open workspace, or asks in which one",
            Self::Import => {
                "Imports WARC, ARC and WACZ files or folders of them; they can also be dropped on the window"
            }
            Self::LocateFiles => "Searches a folder for missing or changed files, by size and digest",
            Self::CheckFiles => "Reads every archive file and compares its digest with the recorded one",
            Self::SaveCampaign => "Saves the edited specification; earlier versions are kept",
            Self::StartCrawl => "Starts a new launch, or resumes the stopped one",
            Self::PauseCrawl => "Pauses or resumes the running crawl",
            Self::StopCrawl => "Closes open records and keeps the queue; can be resumed",
            Self::BuildInlinks => "Builds inlinks from the links of all captures",
            Self::IndexTexts => "Makes the texts of all captures searchable",
            Self::Analyse => "Finds persons, places, organisations and terms in the texts of all captures",
            Self::Export => "Writes the selection with its metadata to a folder",
            Self::DryRun => "Lists every file that the export would write, with its size, and writes nothing",
            Self::Verify => "Rereads the last export and checks digests, counts and index",
            Self::Back => "Goes to the previous page",
            Self::ToggleLowerPanel => "Details of the selected row",
            Self::ToggleFacets => "Values of the captures shown, with counts, beside the table",
            Self::OpenInBrowser => "Shows the capture as it was, in your browser, from the archive alone",
            Self::OpenInCleanBrowser => {
                "Shows the capture, its bytes unchanged, in a Chromium of its own that sees the archive alone"
            }
            Self::NextMatch => "Goes to the next place in the text that the search or filter finds",
            Self::PreviousMatch => "Goes to the place in the text before that the search or filter finds",
            Self::Palette => "Finds a command by name",
            Self::ToggleTheme => "Colours of the window",
            Self::Settings => "Appearance, your name and contact, geolocation database of the workspace, keys",
            Self::ScaleUp => "Interface scale, a step up",
            Self::ScaleDown => "Interface scale, a step down",
            Self::ScaleReset => "Interface scale 100 %",
            Self::Undo => "Undoes the last decision, on the Spec page the last edit; can be repeated",
            Self::Redo => "Restores the decision that was undone last, on the Spec page the edit",
            Self::SetWindow => "Days before and after a capture in which a link counts as an inlink",
            Self::Keys => "All keyboard shortcuts of this window",
            Self::Find => "Filters captures by words or fields",
            Self::GoTo(HELP) => "Opens the guide to the page shown",
            Self::GoTo(_) => "Shows the page",
        }
    }

    /// The keys of the action, such as `Ctrl+K`; empty for none.
    pub fn keys(self) -> &'static str {
        match self {
            Self::OpenWorkspace => "Ctrl+O",
            Self::NewCampaign => "Ctrl+N",
            Self::Import => "Ctrl+I",
            Self::SaveCampaign => "Ctrl+S",
            Self::StartCrawl => "Ctrl+R",
            Self::PauseCrawl => "Ctrl+P",
            Self::BuildInlinks => "Ctrl+B",
            Self::Export => "Ctrl+Enter",
            Self::Back => "Alt+Left",
            Self::ToggleLowerPanel => "F7",
            Self::ToggleFacets => "F8",
            Self::NextMatch => "F3",
            Self::PreviousMatch => "Shift+F3",
            Self::Palette => "Ctrl+K",
            Self::Undo => "Ctrl+Z",
            Self::Redo => "Ctrl+Shift+Z",
            Self::Find => "Ctrl+F",
            Self::GoTo(0) => "Alt+Home",
            Self::GoTo(1) => "Ctrl+1",
            Self::GoTo(2) => "Ctrl+2",
            Self::GoTo(3) => "Ctrl+3",
            Self::GoTo(4) => "Ctrl+4",
            Self::GoTo(5) => "Ctrl+5",
            Self::GoTo(6) => "Ctrl+6",
            Self::GoTo(7) => "Ctrl+7",
            Self::GoTo(8) => "Ctrl+8",
            Self::GoTo(9) => "Ctrl+9",
            Self::GoTo(FILES) => "Ctrl+Shift+I",
            Self::Settings => "Ctrl+,",
            Self::ScaleUp => "Ctrl++",
            Self::ScaleDown => "Ctrl+-",
            Self::ScaleReset => "Ctrl+0",
            Self::GoTo(HELP) => "F1",
            Self::IndexTexts
            | Self::Analyse
            | Self::LocateFiles
            | Self::CheckFiles
            | Self::LoadSample
            | Self::StopCrawl
            | Self::DryRun
            | Self::Verify
            | Self::ToggleTheme
            | Self::SetWindow
            // A question mark: a letter, and no shortcut where text is typed.
            | Self::Keys
            // The letter O, likewise.
            | Self::OpenInBrowser
            | Self::OpenInCleanBrowser
            | Self::GoTo(_) => "",
        }
    }
}

/// The command of an action in this state.
///
/// # Errors
///
/// The reason that a greyed button shows.
pub fn resolve(action: Action, state: &AppState) -> Result<Command, &'static str> {
    let meant = meaning(action, state);
    match state.read_only() {
        Some(why) if action.always_writes() || meant.as_ref().is_ok_and(Command::writes) => Err(why),
        _ => meant,
    }
}

fn meaning(action: Action, state: &AppState) -> Result<Command, &'static str> {
    let open = || if state.session().is_some() { Ok(()) } else { Err("No workspace open") };
    let campaign = || open().and_then(|()| state.open.campaign.ok_or("Select a campaign first"));
    match action {
        Action::OpenWorkspace => Ok(Command::OpenDialog(Dialog::Open)),
        Action::Import => Ok(Command::OpenDialog(Dialog::Import)),
        Action::LocateFiles => open().map(|()| Command::OpenDialog(Dialog::Locate(None))),
        Action::CheckFiles => {
            open()?;
            if state.runs(JobKind::CheckFiles) {
                Err("Files are already being checked")
            } else {
                Ok(Command::CheckFiles)
            }
        }
        Action::LoadSample => Ok(Command::LoadSample(state.sample_folder())),
        Action::NewCampaign => Ok(Command::NewCampaign),
        Action::SaveCampaign => {
            open()?;
            match &state.open.spec {
                None => Err("No specification is being edited"),
                Some(spec) if spec.campaign.name.trim().is_empty() => Err("The campaign needs a name"),
                Some(spec) if spec.is_being_saved() => Err("It is already being saved"),
                Some(spec) if !spec.is_edited() => Err("No changes to save"),
                Some(spec) => Ok(Command::SaveCampaign { id: spec.id, campaign: Box::new(spec.campaign.clone()) }),
            }
        }
        Action::StartCrawl => {
            open()?;
            if state.crawl_job().is_some() {
                return Err("A crawl is running");
            }
            match (visible_draft(state), &state.open.route) {
                (Some(spec), _) if spec.is_being_saved() => Err("It is being saved"),
                (Some(spec), _) if !spec.is_complete() => Err("The specification is incomplete"),
                (Some(_), _) => Ok(Command::RequestCrawl(CrawlTarget::Draft)),
                (None, Route::Spec(_)) => Err("The specification is loading"),
                (None, _) => campaign().map(|id| Command::RequestCrawl(CrawlTarget::Campaign(id))),
            }
        }
        Action::PauseCrawl => {
            state.crawl_job().map(|job| Command::PauseJob(job.id, !job.cx().is_paused())).ok_or("No crawl is running")
        }
        Action::StopCrawl => match state.crawl_job() {
            Some(job) if job.cx().is_cancelled() => Err("The crawl is stopping"),
            Some(job) => Ok(Command::CancelJob(job.id)),
            None => Err("No crawl is running"),
        },
        Action::BuildInlinks => {
            open()?;
            if state.runs(JobKind::BuildInlinks) {
                Err("Inlinks are already being built")
            } else {
                Ok(Command::BuildInlinks)
            }
        }
        Action::IndexTexts => {
            open()?;
            if state.runs(JobKind::IndexTexts) {
                Err("Texts are already being indexed")
            } else {
                Ok(Command::IndexTexts)
            }
        }
        Action::Analyse => {
            open()?;
            if state.runs(JobKind::Analyse) { Err("Texts are already being analysed") } else { Ok(Command::Analyse) }
        }
        Action::Export | Action::DryRun => {
            let id = campaign()?;
            if state.open.export_folder.trim().is_empty() {
                return Err("Enter a folder to write to");
            }
            let selection = super::models::SelectionSpec { campaign: id, ..state.open.selection_draft.clone() };
            match &state.open.kept_selection {
                Some((of, Some(kept))) if *of == id && !kept.selects_as(&selection) => {
                    return Err("The preview is not saved: save the selection first, or discard the changes");
                }
                Some((of, None)) if *of == id => return Err("No selection yet: save one first"),
                // Before the page was looked at, nothing was tried on it.
                _ => {}
            }
            if let Some((_, why)) = state.open.export_obstacle.filter(|(of, _)| *of == id && action == Action::Export) {
                return Err(why);
            }
            let out = state.open.export_folder.trim().into();
            match action {
                Action::DryRun if state.runs(JobKind::DryRun) => Err("A dry run is already running"),
                Action::DryRun => Ok(Command::DryRun { out, selection }),
                _ => Ok(Command::Export { out, selection }),
            }
        }
        Action::Verify => {
            open()?;
            state.open.last_export.clone().map(Command::Verify).ok_or("Nothing exported yet")
        }
        Action::Back => {
            if state.can_go_back() {
                Ok(Command::Back)
            } else {
                Err("No previous page")
            }
        }
        Action::ToggleLowerPanel => Ok(Command::ToggleLowerPanel),
        Action::ToggleFacets => match state.open.route {
            Route::Captures { .. } => Ok(Command::ToggleFacets),
            _ => Err("Go to Captures first"),
        },
        Action::NextMatch | Action::PreviousMatch => {
            open()?;
            match state.focus() {
                _ if state.marked_query().trim().is_empty() => Err("Search first, or filter the captures"),
                Some(Focus::Capture(_)) => Ok(Command::StepMatch(if action == Action::NextMatch { 1 } else { -1 })),
                _ => Err("Select a capture first"),
            }
        }
        Action::OpenInBrowser | Action::OpenInCleanBrowser => {
            open()?;
            let capture = state.capture_to_open().ok_or("Select a capture first")?;
            match action {
                Action::OpenInBrowser => Ok(Command::OpenInBrowser(capture)),
                _ if !has_clean_browser() => Err("Install Chromium first"),
                _ => Ok(Command::OpenInCleanBrowser(capture)),
            }
        }
        Action::Palette => Ok(Command::OpenDialog(Dialog::Palette)),
        Action::Keys => Ok(Command::OpenDialog(Dialog::Keys)),
        Action::SetWindow => Ok(Command::OpenDialog(Dialog::Window)),
        Action::Find => Ok(Command::Find),
        Action::ToggleTheme => Ok(Command::ToggleTheme),
        Action::Settings => Ok(Command::Go(Route::Settings)),
        Action::ScaleUp => Ok(Command::StepScale(1)),
        Action::ScaleDown => Ok(Command::StepScale(-1)),
        Action::ScaleReset => Ok(Command::StepScale(0)),
        Action::Undo => match visible_draft(state) {
            Some(spec) if spec.can_undo() => Ok(Command::UndoEdit),
            Some(_) => Err("Nothing to undo"),
            None => open().map(|()| Command::UndoMark),
        },
        Action::Redo => match visible_draft(state) {
            Some(spec) if spec.can_redo() => Ok(Command::RedoEdit),
            Some(_) => Err("Nothing to redo"),
            None => open().map(|()| Command::RedoMark),
        },
        Action::GoTo(page) => Ok(Command::Go(route_of(page, state))),
    }
}

/// The specification that this page edits.
fn visible_draft(state: &AppState) -> Option<&SpecDraft> {
    state.open.spec.as_ref().filter(|spec| match state.open.route {
        Route::Spec(id) => id == spec.id,
        Route::Scope(id, _) => Some(id) == spec.id,
        // Seeds are added to it from there.
        Route::Prospect => spec.id.is_some() && spec.id == state.open.campaign && (spec.can_undo() || spec.can_redo()),
        _ => false,
    })
}

/// The name of a page.
pub fn page_name(page: usize) -> &'static str {
    PAGES.get(page).copied().unwrap_or("page")
}

/// The page of this number, with the current ids.
pub fn route_of(page: u8, state: &AppState) -> Route {
    match page {
        1 => Route::Overview,
        // Edits that are not saved come first.
        2 => Route::Spec(match &state.open.spec {
            Some(spec) if spec.shows_edits() => spec.id,
            _ => state.open.campaign,
        }),
        3 => Route::Prospect,
        4 => Route::Crawl,
        5 => Route::Captures { filter: String::new() },
        6 => Route::Search(super::models::SearchQuery::default()),
        7 => Route::Links { target: String::new() },
        8 => Route::Review { filter: String::new() },
        9 => Route::Select,
        FILES => Route::Files(FilesRoute::default()),
        JOBS => Route::Jobs,
        HELP => Route::Help(state.open.route.guide()),
        SETTINGS => Route::Settings,
        ENTITIES => Route::Entities { entity: String::new() },
        _ => Route::Campaigns,
    }
}

impl Route {
    /// Number of the page, see [`PAGES`].
    pub fn page(&self) -> usize {
        match self {
            Self::Campaigns => 0,
            Self::Overview => 1,
            Self::Spec(_) | Self::Scope(..) => 2,
            Self::Prospect => 3,
            Self::Crawl => 4,
            Self::Captures { .. } => 5,
            Self::Search(_) => 6,
            Self::Links { .. } | Self::LinkSet { .. } | Self::LinkHosts(_) | Self::CitedPages(..) => 7,
            Self::Review { .. } => 8,
            Self::Select | Self::SelectedHosts(_) => 9,
            Self::Files(_) => usize::from(FILES),
            Self::Jobs => usize::from(JOBS),
            Self::Help(_) => usize::from(HELP),
            Self::Settings => usize::from(SETTINGS),
            Self::Entities { .. } => usize::from(ENTITIES),
        }
    }

    /// The guide that explains the page, by its name.
    pub fn guide(&self) -> &'static str {
        match self {
            Self::Campaigns
            | Self::Overview
            | Self::Spec(_)
            | Self::Scope(..)
            | Self::Crawl
            | Self::Jobs
            | Self::Settings => "crawl",
            Self::Files(_) => "import",
            Self::Captures { .. } | Self::Review { .. } => "review",
            Self::Prospect | Self::Links { .. } | Self::LinkSet { .. } | Self::LinkHosts(_) | Self::CitedPages(..) => {
                "review"
            }
            Self::Search(_) | Self::Entities { .. } => "search",
            Self::Select | Self::SelectedHosts(_) => "handover",
            Self::Help(guide) => guide,
        }
    }

    /// Where a typed line is found: text in the page Search, fields and pasted URLs alone as a filter of
    /// captures. What cannot be read leads to Search, which explains it.
    pub fn of_line(line: &str) -> Self {
        let text = line.to_owned();
        match has_text_terms(line) {
            true => Self::Search(super::models::SearchQuery { text, ..Default::default() }),
            false => Self::Captures { filter: text },
        }
    }

    /// Inlinks of a page, by the links of a folder or of the workspace.
    pub fn inlinks(folder: Option<PathBuf>, target: String) -> Self {
        match folder {
            Some(folder) => Self::LinkSet { folder, target },
            None => Self::Links { target },
        }
    }

    /// The folder whose links are shown; none shows those of the workspace.
    pub fn link_folder(&self) -> Option<&PathBuf> {
        match self {
            Self::LinkSet { folder, .. } => Some(folder),
            Self::LinkHosts(folder) | Self::CitedPages(folder, _) => folder.as_ref(),
            _ => None,
        }
    }

    /// Whether a row of that page may stand here, too: the same list, however narrowed.
    pub(super) fn is_list_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Files(here), Self::Files(there)) => std::mem::discriminant(here) == std::mem::discriminant(there),
            _ => self.page() == other.page(),
        }
    }
}

/// The keys that put a mark on the current rows.
pub const MARK_KEYS: [(&str, ReviewMark, &str); 3] =
    [("A", ReviewMark::Approve, "Approve"), ("D", ReviewMark::Reject, "Reject"), ("F", ReviewMark::Flag, "Flag")];

/// The verb of a mark, as buttons have it.
pub fn mark_verb(mark: ReviewMark) -> &'static str {
    match (mark, MARK_KEYS.iter().find(|(_, of, _)| *of == mark)) {
        (_, Some((_, _, verb))) => verb,
        (ReviewMark::Note, None) => "Add the note to",
        (mark, None) => mark.label(),
    }
}
