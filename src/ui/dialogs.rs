//! What lies over the page: palette, keys, folders, window, closing.

use super::pick::pick;
use super::theme::{self, GAP, tokens};
use super::widgets::{heading_ui, number_ui};
use super::words;
use crate::app::models::FileId;
use crate::app::{Action, AppState, Command, Dialog, MARK_KEYS, Route, SelectedRows, mark_verb, resolve};
use egui::{Button, Event, Id, Key, Modal, Modifiers, RichText, ScrollArea, TextEdit, Ui};
use poll_promise::Promise;
use std::path::PathBuf;

/// Keys that hold on some pages only.
const PAGE_KEYS: [(&str, &str); 13] = [
    ("/", "filter the captures; Esc clears"),
    ("Backspace", "back"),
    ("↑ ↓  PageUp PageDown  Home End", "move in the captures table; with Shift select"),
    ("Ctrl+A", "select all captures that match the filter"),
    ("Ctrl+C", "copy the selected captures as tab-separated values"),
    ("N", "write a note on the capture at hand; Ctrl+Enter keeps it, Esc leaves the field"),
    ("W", "why: the decision in the lower panel"),
    ("L", "inlinks in the lower panel; with Shift outlinks"),
    ("J  K", "next, previous capture in Review"),
    ("S", "skip in Review"),
    ("[  ]", "move the threshold on Select & export"),
    ("Alt+↑  Alt+↓", "move the rule at hand in Spec"),
    ("?", "this list"),
];

/// What dialogs keep between frames.
#[derive(Default)]
pub struct Dialogs {
    shown: Option<Dialog>,
    query: String,
    at: usize,
    path: String,
    picked: Option<Promise<Option<PathBuf>>>,
    picked_files: Option<Promise<Option<Vec<PathBuf>>>>,
    copy: bool,
    days: u32,
    quit: bool,
}

impl Dialogs {
    /// Whether a person chose to stop work and close; told once.
    pub fn take_quit(&mut self) -> bool {
        std::mem::take(&mut self.quit)
    }

    /// Draws the dialog that is open, if one is.
    pub fn show_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let opened = app.dialog != self.shown;
        self.shown = app.dialog;
        let Some(dialog) = app.dialog else { return };
        if opened {
            self.query.clear();
            self.at = 0;
            self.days = app.settings.window_days;
            if self.path.is_empty() {
                self.path = app.default_folder().display().to_string();
            }
        }
        let response = Modal::new(Id::unique("dialog")).show(ui.ctx(), |ui| {
            ui.set_width(theme::DIALOG);
            match dialog {
                Dialog::Palette => self.palette_ui(ui, app, opened),
                Dialog::Keys => keys_ui(ui),
                Dialog::Open => self.open_ui(ui, app),
                Dialog::Locate(file) => self.locate_ui(ui, app, file),
                Dialog::Window => self.window_ui(ui, app),
                Dialog::Decide => decide_ui(ui, app, opened),
                Dialog::Quit => self.quit_ui(ui, app),
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
                    let label = format!("🔍 Find captures with “{}”", words::short(words, 60));
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
        heading_ui(ui, "Open or bring in");
        ui.label("A workspace is a folder that holds the catalogue, the archive files and the exports");
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
                let several = ui.add_enabled(app.desk().is_some(), Button::new("Several files to import…"));
                let several = several.on_hover_text("Begins the import at once");
                if several.on_disabled_hover_text("Open or make a workspace first").clicked() {
                    self.picked_files = Some(pick(|| rfd::FileDialog::new().pick_files()));
                }
            });
        });
        ui.checkbox(&mut self.copy, "Copy imported files into the workspace; otherwise they stay where they are");
        ui.add_space(GAP);
        let path = PathBuf::from(self.path.trim());
        let named = !self.path.trim().is_empty();
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            let open = ui.add_enabled(named, Button::new("Open workspace"));
            if open.on_hover_text("A folder that Fonds made before").clicked() {
                chosen = Some(Command::OpenWorkspace(path.clone()));
            }
            let create = ui.add_enabled(named, Button::new("Make a new workspace here"));
            if create.on_hover_text("An empty or absent folder").clicked() {
                chosen = Some(Command::NewWorkspace(path.clone()));
            }
            let import = ui.add_enabled(named && app.desk().is_some(), Button::new("Import into this workspace"));
            let import = import
                .on_hover_text("WARC, ARC or WACZ files, or a folder of them; yours are never changed or moved")
                .on_disabled_hover_text("Open or make a workspace first");
            if import.clicked() {
                chosen = Some(Command::Import { paths: vec![path.clone()], copy: self.copy });
            }
            if ui.button("Cancel").clicked() {
                app.send(Command::CloseDialog);
            }
        });
        if let Some(command) = chosen {
            app.send(command);
            app.send(Command::CloseDialog);
        }
    }

    /// Takes in what the desktop's file dialog answered.
    fn take_picked(&mut self, app: &mut AppState) {
        if let Some(promise) = self.picked.take() {
            match promise.try_take() {
                Ok(Some(path)) => self.path = path.display().to_string(),
                Ok(None) => {}
                Err(promise) => self.picked = Some(promise),
            }
        }
        if let Some(promise) = self.picked_files.take() {
            match promise.try_take() {
                Ok(Some(paths)) => {
                    app.send(Command::Import { paths, copy: self.copy });
                    app.send(Command::CloseDialog);
                }
                Ok(None) => {}
                Err(promise) => self.picked_files = Some(promise),
            }
        }
    }

    fn locate_ui(&mut self, ui: &mut Ui, app: &mut AppState, file: Option<FileId>) {
        heading_ui(ui, if file.is_some() { "Locate this file" } else { "Locate missing files" });
        ui.label("Files that are missing or have changed are looked for by size and digest, whatever they are called now; they are read from there, not moved");
        ui.add_space(GAP);
        self.take_picked(app);
        let label = ui.label("Folder to look in");
        ui.horizontal(|ui| {
            ui.add(TextEdit::singleline(&mut self.path).desired_width(theme::LONG_FIELD - theme::FIELD / 3.0))
                .labelled_by(label.id);
            if ui.button("Browse…").clicked() {
                self.picked = Some(pick(|| rfd::FileDialog::new().pick_folder()));
            }
        });
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            let named = !self.path.trim().is_empty();
            if ui.add_enabled(named, Button::new("Look in this folder")).clicked() {
                app.send(Command::Locate { folder: PathBuf::from(self.path.trim()), file });
                app.send(Command::CloseDialog);
            }
            if ui.button("Cancel").clicked() {
                app.send(Command::CloseDialog);
            }
        });
    }

    fn window_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Inlink window");
        ui.label(
            "A link counts for a capture when the linking page was captured at most this many days before or after it",
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

    fn quit_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Close the window?");
        for job in &app.jobs {
            ui.label(format!("{} is running. It stops at a clean place; what is finished is kept", job.name));
        }
        if app.spec.as_ref().is_some_and(|spec| spec.is_edited()) {
            ui.label("The edited specification is not saved and would be lost");
        }
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            if ui.button("Stop and close").clicked() {
                self.quit = true;
            }
            if ui.button("Stay").clicked() {
                app.send(Command::CloseDialog);
            }
        });
    }
}

/// A decision on many captures, asked about once.
fn decide_ui(ui: &mut Ui, app: &mut AppState, opened: bool) {
    let Some(decision) = &app.decision else { return };
    let number = words::counted(decision.captures.count(), "capture", "captures");
    let verb = mark_verb(decision.mark);
    heading_ui(ui, &format!("{verb} {number}?"));
    if let SelectedRows::Query { query, .. } = &decision.captures {
        let filter = query.filter.trim();
        ui.label(match filter {
            "" => "All captures of the table as it is then".to_owned(),
            filter => format!("All captures that match “{}” then", words::line(filter)),
        });
    }
    ui.weak("Undo takes it back as one decision");
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
    heading_ui(ui, "Keys");
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
                    ui.label(format!("{word} the captures at hand"));
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
