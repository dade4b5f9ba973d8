//! What lies over the page: palette, keys, folders, window, closing.

mod campaigns;
mod settings;

use super::access::name_dialog;
use super::pick::{FolderExport, Picked, no_picker_ui, pick};
use super::recent::recent_ui;
use super::text;
use super::theme::{self, GAP, tokens};
use super::widgets::{heading_ui, loaded_ui, number_ui, write_ui};
use crate::app::models::{FileId, ImportOptions, campaign_title};
use crate::app::{
    Action, AppState, ByIdentity, Command, CrawlPlan, Dialog, MARK_KEYS, Route, SelectedRows, TableForm, UnsavedAnswer,
    mark_verb, resolve,
};
use egui::{Button, Event, Id, Key, Modal, Modifiers, RichText, ScrollArea, TextEdit, Ui};
use poll_promise::Promise;
use std::path::PathBuf;

/// Keys that hold on some pages only.
const PAGE_KEYS: [(&str, &str); 19] = [
    ("/", "filter the captures; Esc clears"),
    ("Backspace", "back"),
    ("F6  Shift+F6", "next, previous part of the window: list of pages, page, lower panel"),
    ("↑ ↓  PageUp PageDown  Home End", "move in a table; with Shift extend the selection"),
    ("Enter", "open the row: what a double click or its first link does"),
    ("Ctrl+A", "select all rows of a table"),
    ("Ctrl+C", "copy the selected rows as tab-separated values"),
    ("Ctrl+Shift+C", "copy the selected rows as a Markdown table"),
    ("Ctrl+E", "export the table as it is shown, as CSV or JSON lines"),
    ("Shift+F10  Menu", "menu of the row or the head that has the keyboard"),
    ("N", "write a note on the selected capture; Ctrl+Enter saves it, Esc leaves the field"),
    ("W", "show the scope decision in the lower panel"),
    ("L", "show inlinks in the lower panel; with Shift outlinks"),
    ("J  K", "next, previous capture in Review"),
    ("S", "skip in Review"),
    ("1 2 3  0", "judge the result right, wrong, unsure, clear in Search with Evaluate on"),
    ("[  ]", "move the threshold on Select & export"),
    ("Alt+↑  Alt+↓", "move the selected rule in Spec"),
    ("?", "this list"),
];

/// What a dialog is called where it is read out.
fn name_of(dialog: Dialog) -> &'static str {
    match dialog {
        Dialog::Palette => "Commands",
        Dialog::Keys => "Keys",
        Dialog::Settings => "Settings",
        Dialog::Open => "Open or import",
        Dialog::Locate(_) => "Locate files",
        Dialog::Window => "Inlink window",
        Dialog::WriteTable => "Export table",
        Dialog::Decide => "Confirm decisions",
        Dialog::StartCrawl => "Start a crawl",
        Dialog::Unsaved => "Unsaved changes",
        Dialog::Twins => "Campaign here already",
        Dialog::DeleteCampaign(_) => "Delete a campaign",
        Dialog::Quit => "Close the window",
    }
}

/// What dialogs keep between frames.
#[derive(Default)]
pub struct Dialogs {
    shown: Option<Dialog>,
    query: String,
    at: usize,
    path: String,
    picked: Option<Promise<Picked<PathBuf>>>,
    picked_files: Option<Promise<Picked<Vec<PathBuf>>>>,
    has_no_picker: bool,
    options: ImportOptions,
    days: u32,
    table_form: TableForm,
    table_folder: FolderExport,
    settings: settings::SettingsPart,
}

impl Dialogs {
    /// Draws the dialog that is open, if one is.
    pub fn show_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let opened = app.dialog() != self.shown;
        self.shown = app.dialog();
        let Some(dialog) = app.dialog() else { return };
        if opened {
            self.query.clear();
            self.at = 0;
            self.days = app.settings.window_days;
            self.options.campaign = app.import_options().campaign;
            if self.path.is_empty() {
                self.path = app.default_folder().display().to_string();
            }
        }
        let response = Modal::new(Id::unique("dialog")).show(ui.ctx(), |ui| {
            ui.set_width(theme::DIALOG);
            name_dialog(ui, name_of(dialog));
            match dialog {
                Dialog::Palette => self.palette_ui(ui, app, opened),
                Dialog::Keys => keys_ui(ui),
                Dialog::Settings => self.settings.ui(ui, app),
                Dialog::Open => self.open_ui(ui, app),
                Dialog::Locate(file) => self.locate_ui(ui, app, file),
                Dialog::Window => self.window_ui(ui, app),
                Dialog::WriteTable => self.write_table_ui(ui, app),
                Dialog::Decide => decide_ui(ui, app, opened),
                Dialog::StartCrawl => crawl_ui(ui, app, opened),
                Dialog::Unsaved => unsaved_ui(ui, app, opened),
                Dialog::Twins => campaigns::twins_ui(ui, app),
                Dialog::DeleteCampaign(id) => campaigns::delete_ui(ui, app, id),
                Dialog::Quit => quit_ui(ui, app),
            }
        });
        if response.backdrop_response.clicked() {
            app.send(Command::CloseDialog);
        }
    }

    fn palette_ui(&mut self, ui: &mut Ui, app: &mut AppState, opened: bool) {
        let field = TextEdit::singleline(&mut self.query)
            .hint_text("Type a command, or words to find in captures")
            .desired_width(f32::INFINITY);
        // The arrows move in the list, not in the field.
        let down = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::ArrowDown));
        let up = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::ArrowUp));
        let enter = ui.input(|input| input.key_pressed(Key::Enter));
        let response = ui.add(field);
        if opened {
            response.request_focus();
        }
        if response.changed() {
            self.at = 0;
        }
        let words: Vec<String> = self.query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let mut actions: Vec<Action> = Action::ALL
            .into_iter()
            .filter(|action| {
                let label = format!("{} {}", action.label_now(app), action.hint()).to_lowercase();
                words.iter().all(|word| label.contains(word))
            })
            .collect();
        // What can be done comes first, what is named comes before what is described.
        actions.sort_by_key(|action| {
            let label = action.label_now(app).to_lowercase();
            (!words.iter().all(|word| label.contains(word)), resolve(*action, app).is_err())
        });
        let find = (!self.query.trim().is_empty()).then(|| self.query.trim().to_owned());
        let last = (actions.len() + usize::from(find.is_some())).saturating_sub(1);
        if down {
            self.at = (self.at + 1).min(last);
        }
        if up {
            self.at = self.at.saturating_sub(1);
        }
        let mut chosen = None;
        ScrollArea::vertical()
            .max_height(theme::DIALOG_LIST)
            .min_scrolled_height(theme::DIALOG_LIST)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for (index, action) in actions.iter().enumerate() {
                    let resolved = resolve(*action, app);
                    let here = index == self.at;
                    let button = Button::selectable(here, action.label_now(app))
                        .right_text(RichText::new(action.keys()).color(tokens(ui).weak_text))
                        .min_size(egui::vec2(ui.available_width(), 0.0));
                    let response = ui.add_enabled(resolved.is_ok(), button);
                    if here && (down || up) {
                        response.scroll_to_me(None);
                    }
                    match resolved {
                        Ok(command) => {
                            if response.on_hover_text(action.hint()).clicked() || (here && enter) {
                                chosen = Some(command);
                            }
                        }
                        Err(why) => {
                            response.on_disabled_hover_text(why);
                        }
                    }
                }
                if let Some(words) = &find {
                    let here = self.at == actions.len();
                    let label = format!("🔍 Find captures with “{}”", text::short(words, 60));
                    if ui.selectable_label(here, label).clicked() || (here && enter) {
                        chosen = Some(Command::Go(Route::Captures { filter: words.clone() }));
                    }
                }
            });
        if let Some(command) = chosen {
            app.send(Command::CloseDialog);
            app.send(command);
        }
    }

    fn open_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Open or import");
        ui.label("A workspace is a folder with the catalogue, archive files and exports");
        ui.label("Archive files and job folders of crawlers are imported into the open workspace, or into a new one");
        ui.add_space(GAP);
        self.take_picked(app);
        let label = ui.label("Folder or file");
        ui.horizontal(|ui| {
            ui.add(TextEdit::singleline(&mut self.path).desired_width(theme::LONG_FIELD - theme::FIELD / 3.0))
                .labelled_by(label.id);
            ui.menu_button("Browse…", |ui| {
                if ui.button("Folder…").clicked() {
                    self.picked = Some(pick(|| rfd::FileDialog::new().pick_folder()));
                }
                if ui.button("File…").clicked() {
                    self.picked = Some(pick(|| rfd::FileDialog::new().pick_file()));
                }
                let why_not = app.session().is_none().then_some("Open or create a workspace first");
                let several = write_ui(ui, why_not, Button::new("Several files to import…"));
                if several.on_hover_text("Starts the import immediately").clicked() {
                    self.picked_files = Some(pick(|| rfd::FileDialog::new().pick_files()));
                }
            });
        });
        if self.has_no_picker {
            no_picker_ui(ui);
        }
        ui.checkbox(
            &mut self.options.copy,
            "Copy imported files into the workspace; otherwise they stay where they are",
        );
        ui.checkbox(
            &mut self.options.follow_links,
            "Follow links that lead out of an imported folder; otherwise they are listed",
        )
        .on_hover_text("A folder of somebody else may hold links to any place of this computer");
        campaigns::import_campaign_ui(ui, app, &mut self.options.campaign);
        ui.add_space(GAP);
        let path = PathBuf::from(self.path.trim());
        let named = !self.path.trim().is_empty();
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            let open = ui.add_enabled(named, Button::new("Open"));
            let hint = "A workspace, a job folder of a crawler, or WARC, ARC and WACZ files, which are imported";
            if open.on_hover_text(hint).clicked() {
                chosen = Some(Command::Open { path: path.clone(), options: self.options });
            }
            let create = ui.add_enabled(named, Button::new("Create a workspace here"));
            if create.on_hover_text("A new or empty folder").clicked() {
                chosen = Some(Command::NewWorkspace(path.clone()));
            }
            let why_not = match app.session() {
                None => Some("Open or create a workspace first"),
                Some(_) => (!named).then_some("Enter a folder or file first"),
            };
            let import = write_ui(ui, why_not, Button::new("Import into this workspace"));
            let hint = "WARC, ARC or WACZ files, or a folder of them; your files are never changed or moved";
            if import.on_hover_text(hint).clicked() {
                chosen = Some(Command::Import { paths: vec![path.clone()], options: self.options });
            }
            if ui.button("Cancel").clicked() {
                app.send(Command::CloseDialog);
            }
        });
        if let Some(folder) = recent_ui(ui, app) {
            chosen = Some(Command::OpenWorkspace(folder));
        }
        if let Some(command) = chosen {
            // A question that the command asks must stay.
            app.send(Command::CloseDialog);
            app.send(command);
        }
    }

    /// Takes in what the desktop's file dialog answered.
    fn take_picked(&mut self, app: &mut AppState) {
        if let Some(promise) = self.picked.take() {
            match promise.try_take() {
                Ok(Picked::Path(path)) => self.path = path.display().to_string(),
                Ok(Picked::Cancelled) => {}
                Ok(Picked::NoDialog) => self.has_no_picker = true,
                Err(promise) => self.picked = Some(promise),
            }
        }
        if let Some(promise) = self.picked_files.take() {
            match promise.try_take() {
                Ok(Picked::Path(paths)) => {
                    app.send(Command::Import { paths, options: self.options });
                    app.send(Command::CloseDialog);
                }
                Ok(Picked::Cancelled) => {}
                Ok(Picked::NoDialog) => self.has_no_picker = true,
                Err(promise) => self.picked_files = Some(promise),
            }
        }
    }

    fn locate_ui(&mut self, ui: &mut Ui, app: &mut AppState, file: Option<FileId>) {
        heading_ui(ui, if file.is_some() { "Locate this file" } else { "Locate missing files" });
        ui.label("Finds missing or changed files by size and digest, even if renamed; they are read from their new place, not moved");
        ui.add_space(GAP);
        self.take_picked(app);
        let label = ui.label("Folder to search");
        ui.horizontal(|ui| {
            ui.add(TextEdit::singleline(&mut self.path).desired_width(theme::LONG_FIELD - theme::FIELD / 3.0))
                .labelled_by(label.id);
            if ui.button("Browse…").clicked() {
                self.picked = Some(pick(|| rfd::FileDialog::new().pick_folder()));
            }
        });
        if self.has_no_picker {
            no_picker_ui(ui);
        }
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            let named = !self.path.trim().is_empty();
            let why_not = (!named).then_some("Enter a folder first");
            if write_ui(ui, why_not, Button::new("Search this folder")).clicked() {
                app.send(Command::Locate { folder: PathBuf::from(self.path.trim()), file });
                app.send(Command::CloseDialog);
            }
            if ui.button("Cancel").clicked() {
                app.send(Command::CloseDialog);
            }
        });
    }

    fn write_table_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let Some(rows) = app.table_rows().cloned() else { return };
        heading_ui(ui, "Export table");
        let (count, columns) = (text::counted(rows.total, "row", "rows"), rows.columns.len() as u64);
        ui.label(format!("{count}, sorted and filtered as shown, {}", text::counted(columns, "column", "columns")));
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            ui.label("Format");
            for (form, label) in TableForm::ALL {
                ui.radio_value(&mut self.table_form, form, label);
            }
        });
        let folder = self.table_folder.ui(ui, app, "Folder for tables", "tables", "Export table");
        if let Some(folder) = folder {
            app.send(Command::WriteTable { rows, form: self.table_form, folder });
            app.send(Command::CloseDialog);
        }
        if ui.button("Cancel").clicked() {
            app.send(Command::CloseDialog);
        }
    }

    fn window_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Inlink window");
        ui.label(
            "A link counts for a capture if the linking page was captured at most this many days before or after it",
        );
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            number_ui(ui, "Days before and after", &mut self.days, 0..=36_500, " days");
            for days in [30, 90, 365] {
                if ui.button(format!("{days} days")).clicked() {
                    self.days = days;
                }
            }
        });
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            if ui.button("Set window").clicked() {
                app.send(Command::SetWindow(self.days));
                app.send(Command::CloseDialog);
            }
            if ui.button("Cancel").clicked() {
                app.send(Command::CloseDialog);
            }
        });
    }
}

fn quit_ui(ui: &mut Ui, app: &mut AppState) {
    heading_ui(ui, "Close the window?");
    for job in app.jobs() {
        ui.label(format!("{} is running. It stops cleanly; finished work is kept", job.kind.label()));
    }
    ui.add_space(GAP);
    ui.horizontal(|ui| {
        if ui.button("Stop and close").clicked() {
            app.send(Command::StopAndClose);
        }
        if ui.button("Keep open").clicked() {
            app.send(Command::CloseDialog);
        }
    });
}

/// Edits of a specification that another command would lose.
fn unsaved_ui(ui: &mut Ui, app: &mut AppState, opened: bool) {
    let Some(spec) = &app.spec else { return };
    let name = match (spec.id, spec.campaign.name.trim()) {
        (None, "") => "the new campaign".to_owned(),
        (id, name) => format!("“{}”", text::short(&campaign_title(id.unwrap_or_default(), name), 80)),
    };
    heading_ui(ui, &format!("Save the changes to {name}?"));
    ui.label(match spec.id {
        None => "This campaign is not saved yet".to_owned(),
        Some(_) => format!("Saving makes version {}; version {} stays", spec.next_version(), spec.version),
    });
    let can_save = resolve(Action::SaveCampaign, app).err();
    ui.add_space(GAP);
    ui.horizontal(|ui| {
        let save = ui.add_enabled(can_save.is_none(), Button::new("Save"));
        let confirmed = !opened && can_save.is_none() && is_confirmed(ui);
        if save.on_disabled_hover_text(can_save.unwrap_or_default()).clicked() || confirmed {
            app.send(Command::AnswerUnsaved(UnsavedAnswer::Save));
        }
        if ui.button("Discard changes").clicked() {
            app.send(Command::AnswerUnsaved(UnsavedAnswer::Discard));
        }
        if ui.button("Cancel").clicked() {
            app.send(Command::AnswerUnsaved(UnsavedAnswer::Cancel));
        }
        if let Some(why) = can_save {
            ui.weak(why);
        }
    });
}

/// Errors of a campaign that the question before its crawl names.
const ERRORS_SHOWN: usize = 5;

/// What a crawl will do, before it starts.
fn crawl_ui(ui: &mut Ui, app: &mut AppState, opened: bool) {
    let Some(request) = app.crawl_request().cloned() else { return };
    let saves = request.edits.is_some();
    heading_ui(ui, if saves { "Save and start this crawl?" } else { "Start this crawl?" });
    let answer = app.reads.crawl_plan(ByIdentity::of(&request));
    // A plan of another request is none of this one.
    let answer = answer.only_own();
    loaded_ui(ui, &answer, plan_ui);
    ui.add_space(GAP);
    let plan = answer.ready();
    let is_ready = plan.is_some_and(|plan| plan.obstacle.is_none());
    let mut chosen = None;
    ui.horizontal(|ui| {
        let version = plan.map_or(0, |plan| plan.version);
        let unfinished = plan.is_some_and(|plan| plan.unfinished.is_some());
        // Fresh or not, first what Enter does.
        let labels: &[(bool, String)] = &match (unfinished, saves) {
            (false, false) => vec![(true, "Start crawl".to_owned())],
            (false, true) => vec![(true, format!("Save as v{version} and crawl"))],
            (true, false) => vec![(false, "Resume crawl".to_owned()), (true, "Start a new launch".to_owned())],
            (true, true) => vec![
                (true, format!("Save as v{version} and start a new launch")),
                (false, "Save and resume".to_owned()),
            ],
        };
        for (number, (fresh, label)) in labels.iter().enumerate() {
            let clicked = ui.add_enabled(is_ready, Button::new(label)).clicked();
            if clicked || (number == 0 && is_ready && !opened && is_confirmed(ui)) {
                chosen = Some(Command::ConfirmCrawl { version, fresh: *fresh });
            }
        }
        if ui.button("Cancel").clicked() {
            chosen = Some(Command::CloseDialog);
        }
        if plan.is_some_and(|plan| plan.obstacle.is_some())
            && let Some(id) = request.campaign
            && ui.button("Edit specification").clicked()
        {
            app.send(Command::CloseDialog);
            chosen = Some(Command::Go(Route::Spec(Some(id))));
        }
    });
    if let Some(command) = chosen {
        app.send(command);
    }
}

fn plan_ui(ui: &mut Ui, plan: &CrawlPlan) {
    let title = format!("{}, version {}", text::short(&plan.title, 100), plan.version);
    ui.label(RichText::new(title).color(tokens(ui).strong_text));
    let some = |all: u64, first: &[String]| {
        let first_words: Vec<String> = first.iter().map(|text| text::short(text, 70)).collect();
        let more = match all.saturating_sub(first.len() as u64) {
            0 => String::new(),
            more => format!(" and {} more", text::count(more)),
        };
        format!("{}{more}", first_words.join(", "))
    };
    let seeds = text::counted(plan.seeds, "seed", "seeds");
    ui.label(format!("{seeds}: {}", some(plan.seeds, &plan.first_seeds)));
    let hosts = text::counted(plan.hosts, "host", "hosts");
    ui.label(format!("Expected to contact {hosts}: {}", some(plan.hosts, &plan.first_hosts)));
    ui.weak("Other hosts follow where links and the scope lead there");
    if let Some(launch) = &plan.unfinished {
        let queue = text::counted(launch.queued, "URL", "URLs");
        ui.colored_label(
            tokens(ui).flag,
            format!("⚠ The launch of {} UTC was stopped with {queue} in its queue", launch.started),
        );
        if launch.version != plan.version {
            ui.label(format!(
                "It ran version {}. Resumed, it goes on with the seeds and rules of version {}, by which its queue and \
                 what was refused are judged once more",
                launch.version, plan.version
            ));
        }
    }
    for error in plan.errors.iter().take(ERRORS_SHOWN) {
        ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(&text::capital(error))));
    }
    let more = plan.errors.len().saturating_sub(ERRORS_SHOWN);
    if more > 0 {
        ui.colored_label(tokens(ui).reject, format!("✖ and {} more", text::count(more as u64)));
    }
    if let Some(obstacle) = &plan.obstacle {
        ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(&text::capital(obstacle))));
    }
}

/// A decision on many captures, asked about once.
fn decide_ui(ui: &mut Ui, app: &mut AppState, opened: bool) {
    let Some(decision) = &app.decision() else { return };
    let number = text::counted(decision.captures.count(), "capture", "captures");
    let verb = mark_verb(decision.mark);
    heading_ui(ui, &format!("{verb} {number}?"));
    if let SelectedRows::Query { query, .. } = &decision.captures {
        let filter = query.filter.trim();
        ui.label(match filter {
            "" => "All rows of the table, also those that are not in sight".to_owned(),
            filter => format!("All rows that match “{}”, also those that are not in sight", text::line(filter)),
        });
    }
    ui.weak("Undo reverses it as one decision");
    ui.add_space(GAP);
    ui.horizontal(|ui| {
        let confirm = ui.button(format!("{verb} {number}")).clicked();
        if confirm || (!opened && is_confirmed(ui)) {
            app.send(Command::ConfirmMark);
        }
        if ui.button("Cancel").clicked() {
            app.send(Command::CloseDialog);
        }
    });
}

/// Whether Enter was pressed anew: a key held down since the question before
/// confirms nothing.
fn is_confirmed(ui: &Ui) -> bool {
    let is_enter = |event: &Event| matches!(event, Event::Key { key: Key::Enter, pressed: true, repeat: false, .. });
    ui.input(|input| input.events.iter().any(is_enter))
}

fn keys_ui(ui: &mut Ui) {
    heading_ui(ui, "Keyboard shortcuts");
    ScrollArea::vertical()
        .max_height(theme::DIALOG_LIST)
        .min_scrolled_height(theme::DIALOG_LIST)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
                for action in Action::ALL.into_iter().filter(|action| !action.keys().is_empty()) {
                    ui.monospace(action.keys());
                    ui.label(action.label());
                    ui.end_row();
                }
                for (keys, _, word) in MARK_KEYS {
                    ui.monospace(keys);
                    ui.label(format!("{word} the selected captures"));
                    ui.end_row();
                }
                for (keys, what) in PAGE_KEYS {
                    ui.monospace(keys);
                    ui.label(what);
                    ui.end_row();
                }
            });
        });
    ui.weak("Esc closes this list");
}
