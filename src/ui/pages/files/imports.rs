//! Results of imports: all of them, and one of them file by file.

use super::{go, take_campaign_of};
use crate::app::models::{
    CampaignId, FileId, FileOutcome, ImportRow, ImportedFile, LaunchId, LaunchState, ProblemQuery, campaign_title,
    quoted,
};
use crate::app::{ARCHIVE_NAMES, file_summary};
use crate::app::{Action, AppState, CampaignAct, Command, FilesRoute, Focus, Route};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GROUP_GAP, tokens};
use crate::ui::widgets::{action_ui, coloured_cell_ui, empty_ui, figure_ui, loaded_ui, read_only, write_button_ui};
use egui::Ui;

/// Rows of the list of files passed over that are seen at once.
const LIST_ROWS: f32 = 8.0;

const READ: [FileOutcome; 1] = [FileOutcome::Read];
const KNOWN: [FileOutcome; 2] = [FileOutcome::Known, FileOutcome::Moved];
const UNREAD: [FileOutcome; 2] = [FileOutcome::Cut, FileOutcome::Unread];

/// Draws the list of imports.
pub(in crate::ui::pages) fn imports_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.imports();
    loaded_ui(ui, &answer, |ui, rows| {
        if rows.is_empty() {
            empty_ui(ui, "No imports yet", "Drop archive files or folders on this window");
            action_ui(ui, app, Action::Import);
            return;
        }
        table_ui(ui, app, rows);
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, rows: &[ImportRow]) {
    type Col<'a> = Column<'a, ImportRow, (Option<CampaignId>, Route)>;
    const FILES: &str = "Show these files";
    let files =
        |outcomes: &'static [FileOutcome]| move |row: &ImportRow| Some((row.campaign, of_import(row.launch, outcomes)));
    let columns = [
        Col::count("import", "Import", 60.0, |row| row.launch.unsigned_abs()),
        Col::made("campaign", "Campaign", 160.0, campaign_of),
        Col::date("started", "Started (UTC)", 150.0, |row| row.started),
        Col::text("state", "State", 150.0, |row| row.state.label()).draw(|ui, row| {
            coloured_cell_ui(ui, row.state.label(), state_color(ui, row.state)).on_hover_text(text::line(&row.why));
        }),
        Col::count("files", "Files", 60.0, |row| row.files).link(FILES, files(&[])),
        Col::count("known", "Known", 60.0, |row| row.known).link(FILES, files(&KNOWN)),
        Col::count("unread", "Not read", 64.0, |row| row.unread).link(FILES, files(&UNREAD)),
        Col::count("new_captures", "New captures", 92.0, |row| row.new_captures).link("Show these captures", |row| {
            Some((row.campaign, captures_fitting(format!("import:{}", row.launch))))
        }),
        Col::count("problems", "Problems", 70.0, |row| row.problems)
            .link("Show these problems", |row| Some((row.campaign, problems_of_import(row.launch)))),
        Col::bytes("bytes", "Bytes", 76.0, |row| row.bytes),
        Col::made("duration", "Duration", 90.0, took),
        Col::made("requested", "Requested path", 300.0, |row| row.sources.join("  ")),
    ];
    let table = Table::new("imports", "Imports", columns, |row: &ImportRow| row.launch.unsigned_abs());
    if let Some((campaign, route)) = table.on_open(files(&[])).rows_ui(ui, app, rows) {
        go_to_all(app, campaign, route);
    }
}

/// The campaign of an import on the screen.
fn campaign_of(row: &ImportRow) -> String {
    match row.campaign {
        Some(id) => campaign_title(id, &row.campaign_name),
        None => "none".to_owned(),
    }
}

/// Goes to the rows that a number of an import counts, with a campaign that has all of them.
fn go_to_all(app: &mut AppState, campaign: Option<CampaignId>, route: Route) {
    let Route::Captures { filter } = &route else { return app.send(Command::GoToAll(route)) };
    // What files hold that were imported again may be of any campaign.
    take_campaign_of(app, campaign.filter(|_| filter.starts_with("import:")));
    app.send(Command::GoToAll(route));
}

/// The campaign that an import belongs to, to be changed.
fn assign_ui(ui: &mut Ui, app: &mut AppState, row: &ImportRow) {
    let answer = app.reads.campaigns();
    let Some(campaigns) = answer.shown().filter(|campaigns| !campaigns.is_empty()) else { return };
    let mut campaign = row.campaign;
    ui.horizontal(|ui| {
        let label = ui.label("Belongs to campaign");
        let shown = text::short(&campaign_of(row), 40);
        let chooser =
            egui::ComboBox::from_id_salt(("campaign of", row.launch)).selected_text(shown).width(theme::FIELD);
        let why_not = read_only(ui);
        let inner = ui.add_enabled_ui(why_not.is_none(), |ui| {
            chooser.show_ui(ui, |ui| {
                for of in campaigns.iter() {
                    ui.selectable_value(&mut campaign, Some(of.id), text::short(&of.title(), 60));
                }
                ui.selectable_value(&mut campaign, None, "none");
            })
        });
        let response = inner.inner.response.labelled_by(label.id);
        response
            .on_disabled_hover_text(why_not.unwrap_or_default())
            .on_hover_text("Scores and the selection of the campaign before lose its captures");
    });
    if campaign != row.campaign {
        app.send(Command::Campaigns(CampaignAct::AssignImport(row.launch, campaign)));
    }
}

/// Draws one import file by file.
pub(in crate::ui::pages) fn import_ui(ui: &mut Ui, app: &mut AppState, launch: LaunchId, outcomes: &[FileOutcome]) {
    let imports = app.reads.imports();
    loaded_ui(ui, &imports, |ui, rows| match rows.iter().find(|row| row.launch == launch) {
        Some(row) => head_ui(ui, app, row),
        None => drop(ui.label(format!("No import {launch}"))),
    });
    let answer = app.reads.imported_files(launch);
    loaded_ui(ui, &answer, |ui, rows| {
        left_out_ui(ui, launch, rows);
        let shown: Vec<&ImportedFile> =
            rows.iter().filter(|row| outcomes.is_empty() || outcomes.contains(&row.outcome)).collect();
        if !outcomes.is_empty() {
            ui.horizontal(|ui| {
                ui.label(text::counted(shown.len() as u64, "file"));
                if ui.button("✖ only these files").on_hover_text("Show all files of this import").clicked() {
                    go(app, FilesRoute::Imports(Some((launch, Vec::new()))));
                }
            });
        }
        if shown.is_empty() {
            ui.weak("No files");
        } else {
            files_ui(ui, app, launch, &shown);
        }
    });
}

fn head_ui(ui: &mut Ui, app: &mut AppState, row: &ImportRow) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("← All imports").clicked() {
            go(app, FilesRoute::Imports(None));
        }
        ui.label(format!("Import {}", row.launch));
        ui.colored_label(state_color(ui, row.state), row.state.label());
        ui.weak(format!("{} UTC, {}", row.started.to_readable(), took(row)));
        if row.copy {
            ui.weak("files copied into the workspace");
        }
        if row.follow_links {
            ui.weak("links out of the folder followed");
        }
        if row.state == LaunchState::Stopped {
            ui.label(text::line(&row.why));
            let hint = "Continues with the remaining files; nothing is imported twice";
            if write_button_ui(ui, "▶ Resume import").on_hover_text(hint).clicked() {
                let paths = row.sources.iter().map(Into::into).collect();
                app.send(Command::Import { paths, options: row.options() });
            }
        }
        ui.weak(text::line(&row.sources.join("  ")));
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = GROUP_GAP;
        let files = |outcomes: &[FileOutcome]| Some(of_import(row.launch, outcomes));
        for (count, label, to) in [
            (row.files, "files", files(&[])),
            (row.read, "read", files(&READ)),
            (row.known, "known", files(&KNOWN)),
            (row.unread, "not read", files(&UNREAD)),
            (row.records, "records", Some(records_of(row.launch, None))),
            (row.captures, "captures", Some(captures_fitting(format!("imported:{}", row.launch)))),
            (row.new_captures, "new captures", Some(captures_fitting(format!("import:{}", row.launch)))),
            (row.revisits, "revisits", Some(captures_fitting(format!("imported:{} revisit:yes", row.launch)))),
            (row.problems, "problems", Some(problems_of_import(row.launch))),
        ] {
            let leads_to = to.is_some().then_some("Show these rows");
            if figure_ui(ui, &text::count(count), label, leads_to)
                && let Some(route) = to
            {
                go_to_all(app, row.campaign, route);
            }
        }
        figure_ui(ui, &text::bytes(row.bytes), "total", None);
    });
    assign_ui(ui, app, row);
    passed_over_ui(ui, app, row);
}

/// Files that were not looked at, opened by a click on how many they are.
fn passed_over_ui(ui: &mut Ui, app: &mut AppState, row: &ImportRow) {
    if row.passed_over == 0 {
        return;
    }
    let title = format!("{} skipped", text::counted(row.passed_over, "other file"));
    egui::CollapsingHeader::new(title).id_salt(("passed over", row.launch)).show(ui, |ui| {
        ui.weak(ARCHIVE_NAMES);
        let paths = app.reads.passed_paths(row.launch);
        loaded_ui(ui, &paths, |ui, paths| {
            let further = row.passed_over.saturating_sub(paths.len() as u64);
            if further > 0 {
                ui.label(format!("and {} more not listed", text::count(further)));
            }
            lines_ui(ui, paths);
        });
    });
}

/// Records that are about nothing of the web, or of a capture that is not
/// there, opened by a click on how many they are.
fn left_out_ui(ui: &mut Ui, launch: LaunchId, rows: &[ImportedFile]) {
    let left_out: u64 = rows.iter().flat_map(|row| row.left_out.values()).sum();
    let orphans: u64 = rows.iter().map(|row| row.orphans).sum();
    if left_out + orphans == 0 {
        return;
    }
    let title = format!("{} without a capture", text::counted(left_out + orphans, "other record"));
    egui::CollapsingHeader::new(title).id_salt(("of no capture", launch)).show(ui, |ui| {
        let mut lines = Vec::new();
        for row in rows {
            let schemes = row.left_out.iter();
            lines.extend(
                schemes.map(|(scheme, count)| format!("{} of scheme {scheme}: {}", text::count(*count), row.path)),
            );
            if row.orphans > 0 {
                let what = text::counted(row.orphans, "request or metadata record");
                lines.push(format!("{what} without a capture: {}", row.path));
            }
        }
        lines_ui(ui, &lines);
    });
}

/// A short list that is scrolled.
pub(in crate::ui::pages) fn lines_ui(ui: &mut Ui, lines: &[String]) {
    let height = ui.text_style_height(&egui::TextStyle::Body);
    let list = egui::ScrollArea::vertical().max_height(LIST_ROWS * height);
    list.show_rows(ui, height, lines.len(), |ui, shown| {
        for line in lines.get(shown).unwrap_or_default() {
            ui.label(text::line(line));
        }
    });
}

fn files_ui(ui: &mut Ui, app: &mut AppState, launch: LaunchId, rows: &[&ImportedFile]) {
    type Col<'a> = Column<'a, ImportedFile, ImportAction>;
    // One of which nothing was kept has no number.
    let name = |row: &ImportedFile| row.file.map_or_else(|| quoted(&row.path), |file| file.to_string());
    let captures = |rest: String| {
        move |row: &ImportedFile| Some(ImportAction::Go(captures_fitting(format!("file:{} {rest}", name(row)))))
    };
    let columns = [
        Col::text("outcome", "Outcome", 90.0, |row| row.outcome.as_str()).draw(|ui, row| {
            let (sign, color) = match row.outcome {
                FileOutcome::Read => ("✔", tokens(ui).accept),
                FileOutcome::Known | FileOutcome::Moved => ("=", tokens(ui).weak_text),
                FileOutcome::Cut | FileOutcome::Unread => ("✖", tokens(ui).reject),
            };
            coloured_cell_ui(ui, &format!("{sign} {}", row.outcome.as_str()), color);
        }),
        Col::count("records", "Records", 70.0, |row| row.records)
            .link("Show its records", |row| Some(ImportAction::Go(records_of(launch, Some(row.path.clone()))))),
        Col::count("captures", "Captures", 74.0, |row| row.captures)
            .link("Show its captures", captures(format!("imported:{launch}"))),
        Col::count("new_captures", "New", 60.0, |row| row.new_captures)
            .link("Show new captures of this file", captures(format!("import:{launch}"))),
        Col::count("revisits", "Revisits", 66.0, |row| row.revisits)
            .link("Show revisits", captures(format!("imported:{launch} revisit:yes"))),
        Col::count("problems", "Problems", 72.0, |row| row.problem_count)
            .link("Show its problems", |row| Some(ImportAction::Go(problems_of_path(launch, &row.path)))),
        Col::bytes("bytes", "Bytes", 76.0, |row| row.bytes),
        Col::made("duration", "Duration", 70.0, |row| seconds(row.took_ms)),
        Col::text("file", "File", 320.0, |row| &row.path),
        Col::made("summary", "Summary", 300.0, file_summary),
    ];
    let chosen = match app.focus() {
        Some(Focus::File(id)) => rows.iter().find(|row| row.file == Some(id)).map(|row| key_of(&row.path)),
        _ => None,
    };
    let table = Table::new("imported files", "Imported files", columns, |row: &ImportedFile| key_of(&row.path))
        .chosen(chosen)
        .on_focus(|row| Some(ImportAction::Focus(row.file)));
    match table.rows_ui(ui, app, rows.iter().copied()) {
        Some(ImportAction::Go(route)) => go_to_all(app, None, route),
        Some(ImportAction::Focus(file)) => {
            app.follow(file.map(Focus::File));
        }
        None => {}
    }
}

/// An action on a row of imported files.
enum ImportAction {
    /// The page of a number.
    Go(Route),
    /// The file in the lower panel, where one was kept.
    Focus(Option<FileId>),
}

fn state_color(ui: &Ui, state: LaunchState) -> egui::Color32 {
    match state {
        LaunchState::Finished => tokens(ui).accept,
        LaunchState::Running | LaunchState::Paused => tokens(ui).text,
        LaunchState::Stopped => tokens(ui).flag,
    }
}

fn took(row: &ImportRow) -> String {
    let millis = row.ended.map(|ended| ended.millis() - row.started.millis());
    millis.map_or_else(|| "not finished".to_owned(), |millis| seconds(millis.unsigned_abs()))
}

fn seconds(millis: u64) -> String {
    if millis < 10_000 { format!("{:.1} s", millis as f64 / 1000.0) } else { text::duration(millis as f64 / 1000.0) }
}

fn of_import(launch: LaunchId, outcomes: &[FileOutcome]) -> Route {
    Route::Files(FilesRoute::Imports(Some((launch, outcomes.to_vec()))))
}

fn records_of(launch: LaunchId, path: Option<String>) -> Route {
    Route::Files(FilesRoute::Records(launch, path))
}

fn captures_fitting(filter: String) -> Route {
    Route::Captures { filter }
}

fn problems_of_import(launch: LaunchId) -> Route {
    Route::Files(FilesRoute::Problems(ProblemQuery { launch: Some(launch), ..ProblemQuery::default() }))
}

fn problems_of_path(launch: LaunchId, path: &str) -> Route {
    let query = ProblemQuery { launch: Some(launch), path: path.to_owned(), ..ProblemQuery::default() };
    Route::Files(FilesRoute::Problems(query))
}
