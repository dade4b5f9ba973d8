//! Archive files: how they stand, what is broken in them, what imports came to.

pub(super) mod imports;
pub(super) mod problems;
pub(super) mod records;

use super::files::imports::{import_ui, imports_ui};
use super::files::problems::problems_ui;
use super::files::records::records_ui;
use crate::app::models::{CampaignId, FileId, FileRow, FileState, LaunchId, ProblemQuery};
use crate::app::{Action, AppState, CampaignAct, Command, FilesRoute, Focus, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::table::{Column, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{action_ui, coloured_cell_ui, empty_ui, field_ui, loaded_ui, tab_ui, tabs_ui};
use egui::{Response, Ui};

/// The page Files.
#[derive(Default)]
pub struct FilesPage {
    filter: String,
    problem_filter: String,
}

impl FilesPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, route: &FilesRoute) {
        let files = app.reads.files();
        let count = files.shown().map(|rows| text::counted(rows.len() as u64, "archive file"));
        let needs = |row: &&FileRow| row.state != FileState::Present || row.problems > 0;
        let needing = files.shown().map_or(0, |rows| rows.iter().filter(needs).count() as u64);
        let flag = if needing > 0 { format!("{} with problems", text::count(needing)) } else { String::new() };
        Header::<()>::new("Files")
            .state(count.unwrap_or_default())
            .flag(flag)
            .plain(HeaderButton::action(Action::LocateFiles))
            .primary(HeaderButton::action(Action::Import))
            .more(HeaderButton::action(Action::CheckFiles))
            .ui(ui, app);
        parts_ui(ui, app, route);
        ui.add_space(GAP);
        match route {
            FilesRoute::Files(state) => self.files_ui(ui, app, *state),
            FilesRoute::Problems(query) => problems_ui(ui, app, query, &mut self.problem_filter),
            FilesRoute::Imports(None) => imports_ui(ui, app),
            FilesRoute::Imports(Some((launch, outcomes))) => import_ui(ui, app, *launch, outcomes),
            FilesRoute::Records(launch, path) => records_ui(ui, app, *launch, path.as_deref()),
        }
    }

    fn files_ui(&mut self, ui: &mut Ui, app: &mut AppState, state: Option<FileState>) {
        let answer = app.reads.files();
        loaded_ui(ui, &answer, |ui, rows| {
            if rows.is_empty() {
                empty_ui(
                    ui,
                    "No archive files yet",
                    "Crawls write archive files. To import others, drop files or folders on this window",
                );
                action_ui(ui, app, Action::Import);
                return;
            }
            self.narrow_ui(ui, app, rows, state);
            let filter = self.filter.to_lowercase();
            let shown: Vec<&FileRow> = rows
                .iter()
                .filter(|row| state.is_none_or(|state| row.state == state))
                .filter(|row| row.path.to_lowercase().contains(filter.trim()))
                .collect();
            if shown.is_empty() {
                ui.label("No rows match");
                return;
            }
            table_ui(ui, app, &shown);
        });
    }

    fn narrow_ui(&mut self, ui: &mut Ui, app: &mut AppState, rows: &[FileRow], state: Option<FileState>) {
        ui.horizontal_wrapped(|ui| {
            field_ui(ui, "Filter", &mut self.filter, "Text in the name", theme::FIELD);
            let all = format!("All {}", text::count(rows.len() as u64));
            if ui.selectable_label(state.is_none(), all).clicked() {
                go(app, FilesRoute::Files(None));
            }
            for of in FileState::ALL {
                let count = rows.iter().filter(|row| row.state == of).count() as u64;
                if count > 0 || state == Some(of) {
                    let label = format!("{} {}", of.as_str(), text::count(count));
                    if ui.selectable_label(state == Some(of), label).on_hover_text(of.hint()).clicked() {
                        go(app, FilesRoute::Files(Some(of)));
                    }
                }
            }
        });
    }
}

/// The three parts.
fn parts_ui(ui: &mut Ui, app: &mut AppState, route: &FilesRoute) {
    tabs_ui(ui, "Lists of files", |ui| {
        let parts = [
            ("Archive files", FilesRoute::Files(None), matches!(route, FilesRoute::Files(_))),
            ("Problems", FilesRoute::Problems(ProblemQuery::default()), matches!(route, FilesRoute::Problems(_))),
            ("Imports", FilesRoute::Imports(None), matches!(route, FilesRoute::Imports(_) | FilesRoute::Records(..))),
        ];
        for (label, to, here) in parts {
            if tab_ui(ui, here, label).clicked() {
                go(app, to);
            }
        }
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, rows: &[&FileRow]) {
    type Col<'a> = Column<'a, ListedFile, FileAction>;
    let campaigns = app.reads.campaigns();
    let title = |id: CampaignId| {
        let row = campaigns.shown()?.iter().find(|row| row.id == id)?;
        Some(row.title())
    };
    let mut listed: Vec<ListedFile> = rows
        .iter()
        .map(|row| ListedFile { row: (*row).clone(), campaign: row.campaign.and_then(title).unwrap_or_default() })
        .collect();
    // What needs a person comes first, whatever the order besides.
    listed.sort_by_key(|of| (of.row.state == FileState::Present, of.row.problems == 0));
    let go = |route: Route| Some(FileAction::Go(route));
    let columns = [
        Col::made("file", "File", 320.0, |of| name_of(&of.row.path).to_owned())
            .about("Name of the file, and the folder that it is in")
            .second("path", "Path", |of| folder_of(&of.row.path)),
        Col::text("state", "State", 100.0, |of| of.row.state.as_str()).draw(|ui, of| drop(state_ui(ui, of.row.state))),
        Col::count("problems", "Problems", 76.0, |of| of.row.problems)
            .link("Show its problems", move |of| go(problems_of(of.row.id))),
        Col::text("campaign", "Campaign", 128.0, |of| &of.campaign).or("none"),
        Col::count("captures", "Captures", 76.0, |of| of.row.captures)
            .link("Show its captures", |of| Some(FileAction::Captures(of.row.id, of.row.campaign))),
        Col::value("records", "Records", 74.0, |of| match (of.row.crawled, of.row.records) {
            (true, 0) => Value::Unknown,
            (_, records) => Value::Count(records),
        })
        .numeric(),
        Col::bytes("size", "Size", 76.0, |of| of.row.size),
        Col::made("source", "Source", 80.0, |of| match of.row.crawled {
            true => "crawl".to_owned(),
            false => format!("import {}", of.row.launch),
        })
        .link("Show import results", move |of| if of.row.crawled { None } else { go(import_of(of.row.launch)) }),
    ];
    let chosen = match app.focus() {
        Some(Focus::File(id)) => Some(id.unsigned_abs()),
        _ => None,
    };
    let table = Table::new("files", "Archive files", columns, |of: &ListedFile| of.row.id.unsigned_abs())
        .chosen(chosen)
        .on_focus(|of| Some(FileAction::Focus(of.row.id)))
        .on_open(|of| Some(FileAction::Focus(of.row.id)));
    match table.rows_ui(ui, app, &listed) {
        Some(FileAction::Go(route)) => app.send(Command::Go(route)),
        Some(FileAction::Captures(file, campaign)) => show_captures_of(app, file, campaign),
        Some(FileAction::Focus(file)) => {
            app.follow(Focus::File(file));
        }
        None => {}
    }
}

/// A file with the title of its campaign.
struct ListedFile {
    row: FileRow,
    campaign: String,
}

/// An action on a row of files.
enum FileAction {
    /// The page of a number.
    Go(Route),
    /// The captures in the file, which a crawl of this campaign wrote.
    Captures(FileId, Option<CampaignId>),
    /// The file in the lower panel.
    Focus(FileId),
}

/// A state with its sign, label and colour.
pub(in crate::ui) fn state_ui(ui: &mut Ui, state: FileState) -> Response {
    let tokens = tokens(ui);
    let (sign, color) = match state {
        FileState::Present => ("✔", tokens.accept),
        FileState::Touched | FileState::Unfinished | FileState::Open => ("⚑", tokens.flag),
        FileState::Missing | FileState::Changed | FileState::Truncated => ("✖", tokens.reject),
    };
    coloured_cell_ui(ui, &format!("{sign} {}", state.as_str()), color).on_hover_text(state.hint())
}

/// The name of a file without its folders, and its number until that is known.
pub(super) fn file_name(app: &mut AppState, file: FileId) -> String {
    let answer = app.reads.file(file);
    answer.shown().map_or_else(|| format!("file {file}"), |row| name_of(&row.path).to_owned())
}

/// The folder of a path.
fn folder_of(path: &str) -> &str {
    path.strip_suffix(name_of(path)).unwrap_or_default().trim_end_matches(['/', std::path::MAIN_SEPARATOR])
}

/// A path without its folders.
pub(in crate::ui) fn name_of(path: &str) -> &str {
    path.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(path)
}

/// Goes to all captures of a file, of the campaign that it belongs to.
pub(in crate::ui) fn show_captures_of(app: &mut AppState, file: FileId, campaign: Option<CampaignId>) {
    take_campaign_of(app, campaign);
    app.send(Command::GoToAll(Route::Captures { filter: format!("file:{file}") }));
}

/// Makes the campaign of some captures the current one, so that none of them is left out.
pub(super) fn take_campaign_of(app: &mut AppState, campaign: Option<CampaignId>) {
    match campaign {
        Some(id) if app.campaign() == Some(id) => {}
        Some(id) => app.send(Command::ChooseCampaign(id)),
        None => app.send(Command::Campaigns(CampaignAct::ShowEveryCapture)),
    }
}

/// The problems of a file.
pub(in crate::ui) fn problems_of(file: FileId) -> Route {
    Route::Files(FilesRoute::Problems(ProblemQuery { file: Some(file), ..ProblemQuery::default() }))
}

/// The route to an import.
pub(in crate::ui) fn import_of(launch: LaunchId) -> Route {
    Route::Files(FilesRoute::Imports(Some((launch, Vec::new()))))
}

pub(super) fn go(app: &mut AppState, route: FilesRoute) {
    app.send(Command::Go(Route::Files(route)));
}
