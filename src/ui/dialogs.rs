//! Dialogs over the page: palette, keys, folders, window, closing.

mod answers;
mod campaigns;
mod patch;
mod paths;

use super::access::name_dialog;
use super::pick::{FolderExport, PathField, Picked, Sort};
use super::text;
use super::theme::{self, GAP, tokens};
use super::widgets::{heading_ui, loaded_ui, number_ui};
use crate::app::models::{HoleChoice, ImportOptions, campaign_title};
use crate::app::{
    Action, AppState, ByIdentity, Command, CrawlPlan, Dialog, MARK_KEYS, Route, SelectedRows, TableForm, UnsavedAnswer,
    mark_verb, resolve,
};
use answers::{Answer, DialogKeys};
use egui::{Button, Id, Key, Modal, Modifiers, RichText, ScrollArea, TextEdit, Ui};
use paths::close_with;
use poll_promise::Promise;
use std::path::PathBuf;

/// Keys that hold on some pages only.
const PAGE_KEYS: [(&str, &str); 26] = [
    ("/", "filter the captures; Esc clears"),
    ("Backspace", "back"),
    ("F6  Shift+F6", "next, previous part of the window: list of pages, header, page, lower panel"),
    ("↑ ↓  PageUp PageDown  Home End", "move in a table; with Shift extend the selection"),
    ("Enter", "open the row: what a double click or its first link does"),
    ("Ctrl+A", "select all rows of a table"),
    ("Ctrl+C", "copy the selected rows as tab-separated values"),
    ("Ctrl+Shift+C", "copy the selected rows as a Markdown table"),
    ("Ctrl+E", "export the table as it is shown, as CSV or JSON lines"),
    ("Shift+F10  Menu", "menu of the row or the head that has the keyboard"),
    ("N", "write a note on the selected capture; Ctrl+Enter saves it, Esc leaves the field"),
    ("O", "open the selected capture in the browser, as it was"),
    ("W", "show the scope decision in the lower panel"),
    ("L", "show inlinks in the lower panel; with Shift outlinks"),
    ("J  K", "next, previous capture in Review"),
    ("S", "skip in Review; in a sample it counts as not judged"),
    ("R", "put off until a new crawl has captured the page, in Review"),
    ("1 … 9", "choose a reason in Review"),
    ("E  C  X", "next finding, confirm it, call it a false alarm, in Review"),
    ("T", "the text of the page or its picture, where a browser made one, in Review"),
    ("P", "fetch what the page lacks, as a patch, in Review"),
    ("Z", "undo the last decision in Review"),
    ("1 2 3  0", "judge the result right, wrong, unsure, clear in Search with Evaluate on"),
    ("[  ]", "move the threshold on Select & export"),
    ("Alt+↑  Alt+↓", "move the selected rule in Spec"),
    ("?", "this list"),
];

/// The name of a dialog for screen readers.
fn name_of(dialog: Dialog) -> &'static str {
    match dialog {
        Dialog::Palette => "Commands",
        Dialog::Keys => "Keys",
        Dialog::Open => "Open a workspace or archive files",
        Dialog::Import => "Import archive files",
        Dialog::NewCampaign => "New campaign",
        Dialog::Locate(_) => "Locate files",
        Dialog::Window => "Inlink window",
        Dialog::WriteTable => "Export table",
        Dialog::Decide => "Confirm decisions",
        Dialog::StartCrawl => "Start a crawl",
        Dialog::Unsaved => "Unsaved changes",
        Dialog::Twins => "Campaign here already",
        Dialog::NewerVersion => "Saved meanwhile",
        Dialog::DeleteCampaign(_) => "Delete a campaign",
        Dialog::Patch => "Patch",
        Dialog::Quit => "Close the window",
    }
}

/// State of the dialogs between frames.
#[derive(Default)]
pub struct Dialogs {
    shown: Option<Dialog>,
    query: String,
    at: usize,
    keys: DialogKeys,
    open_path: PathField,
    import_path: PathField,
    locate_path: PathField,
    picked_files: Option<Promise<Picked<Vec<PathBuf>>>>,
    options: ImportOptions,
    /// The chosen place for a new campaign, by its number.
    place: usize,
    days: u32,
    table_form: TableForm,
    table_folder: FolderExport,
    holes: HoleChoice,
}

impl Dialogs {
    /// Draws the dialog that is open, if one is.
    pub fn show_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let opened = app.dialog() != self.shown;
        self.shown = app.dialog();
        let Some(dialog) = app.dialog() else {
            if opened {
                self.keys.close(ui);
            }
            return;
        };
        DialogKeys::begin(ui);
        if opened {
            self.keys.open(ui);
            self.place = 0;
            self.query.clear();
            self.holes = HoleChoice::default();
            self.at = 0;
            self.days = app.settings.window_days;
            self.options.campaign = app.import_options().campaign;
            if self.open_path.text.is_empty() {
                self.open_path.text = app.default_folder().display().to_string();
            }
        }
        let response = Modal::new(Id::unique("dialog")).show(ui.ctx(), |ui| {
            ui.set_width(theme::DIALOG);
            name_dialog(ui, name_of(dialog));
            match dialog {
                Dialog::Palette => self.palette_ui(ui, app),
                Dialog::Keys => self.keys_ui(ui, app),
                Dialog::Open => self.open_ui(ui, app),
                Dialog::Import => self.import_ui(ui, app),
                Dialog::NewCampaign => self.new_campaign_ui(ui, app),
                Dialog::Locate(file) => self.locate_ui(ui, app, file),
                Dialog::Window => self.window_ui(ui, app),
                Dialog::WriteTable => self.write_table_ui(ui, app),
                Dialog::Decide => decide_ui(ui, app, &mut self.keys),
                Dialog::StartCrawl => crawl_ui(ui, app, &mut self.keys),
                Dialog::Unsaved => unsaved_ui(ui, app, &mut self.keys),
                Dialog::NewerVersion => campaigns::newer_ui(ui, app, &mut self.keys),
                Dialog::Twins => campaigns::twins_ui(ui, app, &mut self.keys),
                Dialog::DeleteCampaign(id) => campaigns::delete_ui(ui, app, &mut self.keys, id),
                Dialog::Patch => patch::patch_ui(ui, app, &mut self.keys, &mut self.holes),
                Dialog::Quit => quit_ui(ui, app, &mut self.keys),
            }
        });
        if response.backdrop_response.clicked() {
            app.send(Command::CloseDialog);
        }
    }

    fn palette_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let field = TextEdit::singleline(&mut self.query)
            .hint_text("Type a command, or what to find in captures")
            .desired_width(f32::INFINITY);
        // The arrows move in the list, not in the field.
        let down = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::ArrowDown));
        let up = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::ArrowUp));
        let enter = ui.input(|input| input.key_pressed(Key::Enter));
        let response = ui.add(field);
        self.keys.first_field(ui, &response);
        if response.changed() {
            self.at = 0;
        }
        let terms: Vec<String> = self.query.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let mut actions: Vec<Action> = Action::ALL
            .into_iter()
            .filter(|action| {
                let label = format!("{} {}", action.label_now(app), action.hint()).to_lowercase();
                terms.iter().all(|term| label.contains(term))
            })
            .collect();
        // What can be done comes first, what is named comes before what is described.
        actions.sort_by_key(|action| {
            let label = action.label_now(app).to_lowercase();
            (!terms.iter().all(|term| label.contains(term)), resolve(*action, app).is_err())
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
                        .right_text(RichText::new(app.settings.keys_of(*action)).color(tokens(ui).weak_text))
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
                if let Some(text) = &find {
                    let here = self.at == actions.len();
                    let route = Route::of_line(text);
                    let finds = if matches!(route, Route::Search(_)) { "Search for" } else { "Find captures with" };
                    let label = format!("{finds} “{}”", text::short(text, 60));
                    if ui.selectable_label(here, label).clicked() || (here && enter) {
                        chosen = Some(Command::Go(route));
                    }
                }
            });
        if let Some(command) = chosen {
            app.send(Command::CloseDialog);
            app.send(command);
        }
    }

    fn write_table_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let Some(rows) = app.table_rows().cloned() else { return };
        heading_ui(ui, "Export table");
        let (count, columns) = (text::counted(rows.total, "row"), rows.columns.len() as u64);
        ui.label(format!("{count}, sorted and filtered as shown, {}", text::counted(columns, "column")));
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            ui.label("Format");
            for (form, label) in TableForm::ALL {
                ui.radio_value(&mut self.table_form, form, label);
            }
        });
        self.table_folder.offer(app, "tables");
        let path = self.table_folder.field();
        let field = path.field_ui(ui, "Folder for tables", "a folder; created if missing");
        self.keys.first_field(ui, &field);
        ui.add_space(GAP);
        let folder = path.path();
        let export = Answer::new("Export table").hint("File names contain the time; no file is replaced");
        let answers = vec![export.only_if(folder.is_some(), "Enter a folder first"), Answer::new("Cancel")];
        let pressed = self.keys.answers_with_ui(ui, 0, answers, |ui| path.browse_ui(ui, Sort::Folder));
        let chosen = match (pressed, folder) {
            (Some(0), Some(folder)) => Some(Command::WriteTable { rows, form: self.table_form, folder }),
            (Some(_), _) => Some(Command::CloseDialog),
            (None, _) => None,
        };
        close_with(app, chosen);
    }

    fn window_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Inlink window");
        ui.label(
            "A link counts for a capture if the linking page was captured at most this many days before or after it",
        );
        ui.add_space(GAP);
        ui.horizontal(|ui| {
            let field = number_ui(ui, "Days before and after", &mut self.days, 0..=36_500, " days");
            self.keys.first_field(ui, &field);
            for days in [30, 90, 365] {
                if ui.button(format!("{days} days")).clicked() {
                    self.days = days;
                }
            }
        });
        ui.add_space(GAP);
        let answers = vec![Answer::new("Set window"), Answer::new("Cancel")];
        let chosen = match self.keys.answers_ui(ui, 0, answers) {
            Some(0) => Some(Command::SetWindow(self.days)),
            Some(_) => Some(Command::CloseDialog),
            None => None,
        };
        close_with(app, chosen);
    }

    fn keys_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        keys_list_ui(ui, app);
        let closes = self.keys.answers_ui(ui, 0, vec![Answer::new("Close")]).is_some();
        close_with(app, closes.then_some(Command::CloseDialog));
    }
}

fn quit_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
    heading_ui(ui, "Close the window?");
    for job in app.jobs() {
        ui.label(format!("{} is running. It stops cleanly; finished work is kept", job.kind.label()));
    }
    ui.add_space(GAP);
    match keys.answers_ui(ui, 0, vec![Answer::new("Stop and close"), Answer::new("Keep open")]) {
        Some(0) => app.send(Command::StopAndClose),
        Some(_) => app.send(Command::CloseDialog),
        None => {}
    }
}

/// Edits of a specification that another command would lose.
fn unsaved_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
    let Some(spec) = &app.open.spec else { return };
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
    let why_not = can_save.unwrap_or_default();
    let save = Answer::new("Save").only_if(can_save.is_none(), why_not);
    let answers = vec![save, Answer::new("Discard changes"), Answer::new("Cancel")];
    // Where it cannot be saved, the default loses nothing.
    let default = if can_save.is_none() { 0 } else { 2 };
    let pressed = keys.answers_with_ui(ui, default, answers, |ui| drop(ui.weak(why_not)));
    let answer = match pressed {
        Some(0) => UnsavedAnswer::Save,
        Some(1) => UnsavedAnswer::Discard,
        Some(_) => UnsavedAnswer::Cancel,
        None => return,
    };
    app.send(Command::AnswerUnsaved(answer));
}

/// Errors of a campaign that the question before its crawl names.
const ERRORS_SHOWN: usize = 5;

/// Draws the plan of a crawl, before it starts.
fn crawl_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
    let Some(request) = app.crawl_request().cloned() else { return };
    let saves = request.edits.is_some();
    heading_ui(ui, if saves { "Save and start this crawl?" } else { "Start this crawl?" });
    let answer = app.reads.crawl_plan(ByIdentity::of(&request));
    // A plan of another request is none of this one.
    let answer = answer.only_own();
    loaded_ui(ui, &answer, plan_ui);
    ui.add_space(GAP);
    let plan = answer.ready();
    let obstacle = plan.and_then(|plan| plan.obstacle.as_ref());
    let is_ready = plan.is_some() && obstacle.is_none();
    let version = plan.map_or(0, |plan| plan.version);
    let unfinished = plan.is_some_and(|plan| plan.unfinished.is_some());
    // Fresh or not, first what Enter does.
    let starts: Vec<(bool, String)> = match (unfinished, saves) {
        (false, false) => vec![(true, "Start crawl".to_owned())],
        (false, true) => vec![(true, format!("Save as v{version} and crawl"))],
        (true, false) => vec![(false, "Resume crawl".to_owned()), (true, "Start a new launch".to_owned())],
        (true, true) => {
            vec![(true, format!("Save as v{version} and start a new launch")), (false, "Save and resume".to_owned())]
        }
    };
    let why_not = if obstacle.is_some() { "See above what stands in its way" } else { "The plan is loading" };
    let mut answers: Vec<Answer> =
        starts.iter().map(|(_, label)| Answer::new(label).writes().only_if(is_ready, why_not)).collect();
    answers.push(Answer::new("Cancel"));
    let edits = request.campaign.filter(|_| obstacle.is_some());
    let mut wants_edit = false;
    // What cannot start is cancelled by Enter.
    let default = if obstacle.is_some() { starts.len() } else { 0 };
    let pressed = keys.answers_with_ui(ui, default, answers, |ui| {
        wants_edit = edits.is_some() && ui.button("Edit specification").clicked();
    });
    match (pressed.map(|number| starts.get(number)), edits) {
        (Some(Some((fresh, _))), _) => app.send(Command::ConfirmCrawl { version, fresh: *fresh }),
        (Some(None), _) => app.send(Command::CloseDialog),
        (None, Some(id)) if wants_edit => close_with(app, Some(Command::Go(Route::Spec(Some(id))))),
        (None, _) => {}
    }
}

fn plan_ui(ui: &mut Ui, plan: &CrawlPlan) {
    let title = format!("{}, version {}", text::short(&plan.title, 100), plan.version);
    ui.label(RichText::new(title).color(tokens(ui).strong_text));
    let some = |all: u64, first: &[String]| {
        let first_lines: Vec<String> = first.iter().map(|text| text::short(text, 70)).collect();
        let more = match all.saturating_sub(first.len() as u64) {
            0 => String::new(),
            more => format!(" and {} more", text::count(more)),
        };
        format!("{}{more}", first_lines.join(", "))
    };
    let seeds = text::counted(plan.seeds, "seed");
    ui.label(format!("{seeds}: {}", some(plan.seeds, &plan.first_seeds)));
    let hosts = text::counted(plan.hosts, "host");
    ui.label(format!("Expected to contact {hosts}: {}", some(plan.hosts, &plan.first_hosts)));
    ui.weak("Other hosts follow where links and the scope lead there");
    if let Some(launch) = &plan.unfinished {
        let queue = text::counted(launch.queued, "URL");
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

/// The dialog that confirms a decision on many captures.
fn decide_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
    let Some(decision) = &app.decision() else { return };
    let number = text::counted(decision.captures.count(), "capture");
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
    match keys.answers_ui(ui, 0, vec![Answer::new(format!("{verb} {number}")).writes(), Answer::new("Cancel")]) {
        Some(0) => app.send(Command::ConfirmMark),
        Some(_) => app.send(Command::CloseDialog),
        None => {}
    }
}

fn keys_list_ui(ui: &mut Ui, app: &AppState) {
    heading_ui(ui, "Keyboard shortcuts");
    ScrollArea::vertical()
        .max_height(theme::DIALOG_LIST)
        .min_scrolled_height(theme::DIALOG_LIST)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
                let keys_of = |action: Action| app.settings.keys_of(action);
                for action in Action::ALL.into_iter().filter(|action| !keys_of(*action).is_empty()) {
                    ui.monospace(keys_of(action));
                    ui.label(action.label());
                    ui.end_row();
                }
                for (keys, _, label) in MARK_KEYS {
                    ui.monospace(keys);
                    ui.label(format!("{label} the selected captures"));
                    ui.end_row();
                }
                for (keys, what) in PAGE_KEYS {
                    ui.monospace(keys);
                    ui.label(what);
                    ui.end_row();
                }
            });
        });
}
