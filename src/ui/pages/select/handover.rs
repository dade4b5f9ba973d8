//! Step 3: where the selection is written, what is written with it, and what came of earlier exports.

use super::captures_by;
use super::choose::Preview;
use super::dry_run::{dry_run_ui, open_report, parts_ui, report_ui, reports};
use crate::app::models::{CheckState, ExportRow, VerifyLine};
use crate::app::{Action, AppState, Command, resolve};
use crate::ui::pick::{PathField, Sort};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{StepState, action_named_ui, action_ui, fold_ui, step_title_ui, unfold};
use egui::{Button, Color32, Label, RichText, Ui};
use std::path::{Path, PathBuf};

/// Height of the list of exports.
const EXPORTS: f32 = 150.0;
/// The folded list of exports, and that of checks.
const ALL: &str = "all exports";
const CHECKS: &str = "checks of an export";

/// The third step.
#[derive(Default)]
pub(super) struct HandoverStep {
    folder: PathField,
    /// The folder that the field was filled with last.
    offered: Option<PathBuf>,
}

impl HandoverStep {
    /// Draws the step; `state` where the others stand beside it.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>, state: Option<StepState>) {
        let page = preview.page;
        ui.spacing_mut().item_spacing.y = theme::TIGHT_GAP;
        let captures = page.balance.inside.captures + page.requisites;
        let bytes = text::bytes(page.balance.inside.bytes + page.requisite_bytes);
        let figures = format!("{} to write, {bytes}", text::counted(captures, "capture"));
        let mut shows_rows = false;
        let mut figures_ui = |ui: &mut Ui| {
            if captures == 0 {
                ui.label(RichText::new(figures.as_str()).color(tokens(ui).faint_text));
            } else {
                shows_rows = ui.link(figures.as_str()).on_hover_text(super::SHOW).clicked();
            }
        };
        match state {
            Some(state) => step_title_ui(ui, 3, "Hand over", state, figures_ui),
            None => drop(ui.horizontal(&mut figures_ui)),
        }
        if shows_rows {
            captures_by(app, "export:yes".to_owned());
        }
        self.folder_ui(ui, app);
        parts_ui(ui, app);
        sign_with_ui(ui, app);
        ui.add_space(theme::TIGHT_GAP);
        ui.horizontal_wrapped(|ui| {
            action_ui(ui, app, Action::DryRun);
            action_named_ui(ui, app, Action::Export, "Export");
            if let Err(why) = resolve(Action::Export, app) {
                let why = RichText::new(why).size(theme::SMALL_TEXT).color(tokens(ui).weak_text);
                ui.add(Label::new(why).wrap());
            }
        });
        dry_run_ui(ui, app, preview.campaign);
        ui.separator();
        last_export_ui(ui, app, &page.exports);
        if let Some((folder, lines)) = app.verified().cloned() {
            verified_ui(ui, &folder, &lines);
        }
        if page.exports.len() > 1 && fold_ui(ui, ALL, "All exports", &text::count(page.exports.len() as u64)) {
            exports_ui(ui, app, &page.exports);
        }
    }

    /// Offers another folder once the one that was offered is taken; what a person typed stays.
    fn offer(&mut self, app: &mut AppState) {
        let next = app.reads.next_export_folder();
        let Some(next) = next.ready().filter(|next| self.offered.as_ref() != Some(&***next)) else { return };
        let first = app.session().map(|session| session.workspace.folder().join("exports").join("selection"));
        let before = self.offered.as_ref().or(first.as_ref());
        let is_untouched = before.is_some_and(|before| Path::new(app.open.export_folder.trim()) == before);
        if is_untouched {
            app.open.export_folder = next.display().to_string();
        }
        self.offered = Some(next.to_path_buf());
    }

    fn folder_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        self.offer(app);
        self.folder.text.clone_from(&app.open.export_folder);
        let width = (ui.available_width().min(theme::LONG_FIELD) - theme::NUMBER_FIELD - theme::PART_GAP)
            .max(theme::DATE_FIELD);
        self.folder.line_of_ui(ui, "Folder", "new or empty", Sort::Folder, width);
        app.open.export_folder.clone_from(&self.folder.text);
    }
}

/// Draws the last export in one line, with what can be done about it.
fn last_export_ui(ui: &mut Ui, app: &mut AppState, rows: &[ExportRow]) {
    if app.last_export().is_none()
        && let Some(row) = rows.first()
    {
        app.choose_export(row.folder.clone());
    }
    let Some(folder) = app.last_export().map(Path::to_owned) else {
        ui.label(RichText::new("No exports yet").color(tokens(ui).weak_text));
        return;
    };
    let row = rows.iter().find(|row| row.folder == folder);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        let what = match row {
            Some(row) => format!(
                "Last export {}, {}, {}",
                text::day(row.date),
                text::counted(row.captures, "capture"),
                text::bytes(row.bytes)
            ),
            None => "Last export".to_owned(),
        };
        ui.label(RichText::new(what).color(tokens(ui).weak_text))
            .on_hover_text(text::line(&folder.display().to_string()));
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        if let Some(row) = row {
            let (label, state) = verified(row);
            let shown = RichText::new(label).color(state_mark(ui, state).1);
            match &row.verified {
                Some(lines) => {
                    if ui.link(shown).on_hover_text("Show each check").clicked() {
                        app.show_checks(row.folder.clone(), lines.clone());
                        unfold(ui, CHECKS);
                    }
                }
                None => drop(ui.label(RichText::new("– never verified").color(tokens(ui).weak_text))),
            }
        }
        action_named_ui(ui, app, Action::Verify, "Verify");
        report_ui(ui, app, Some(&folder));
    });
}

fn verified_ui(ui: &mut Ui, folder: &Path, lines: &[VerifyLine]) {
    let (state, summary) = CheckState::of(lines);
    let (sign, color) = state_mark(ui, state);
    let about = if state == CheckState::Passed { "Verified: " } else { "" };
    ui.add(Label::new(RichText::new(format!("{sign} {about}{summary}")).color(color)).wrap());
    ui.add(
        Label::new(theme::caption(text::line(&folder.display().to_string())).color(tokens(ui).weak_text)).truncate(),
    );
    // What is wrong is seen without looking for it.
    if state != CheckState::Passed {
        lines.iter().filter(|line| !line.ok).for_each(|line| check_line_ui(ui, line));
    }
    if fold_ui(ui, CHECKS, "Each check", &text::count(lines.len() as u64)) {
        lines.iter().for_each(|line| check_line_ui(ui, line));
    }
}

fn check_line_ui(ui: &mut Ui, line: &VerifyLine) {
    let (sign, color) = state_mark(ui, line.state());
    let label = match line.state() {
        CheckState::Passed => "passed",
        CheckState::Unvouched => "nobody vouches",
        CheckState::Failed => "failed",
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("{sign} {label}")).color(color));
        ui.add(Label::new(text::line(&line.what)).truncate());
    });
    let detail = theme::caption(text::line(&line.detail)).color(tokens(ui).weak_text);
    ui.add(Label::new(detail).wrap());
}

/// The sign and colour of a check: a signature that nobody vouches for is
/// neither good nor bad.
fn state_mark(ui: &Ui, state: CheckState) -> (&'static str, Color32) {
    match state {
        CheckState::Passed => ("✔", tokens(ui).accept),
        CheckState::Unvouched => ("⚠", tokens(ui).flag),
        CheckState::Failed => ("✖", tokens(ui).reject),
    }
}

fn exports_ui(ui: &mut Ui, app: &mut AppState, rows: &[ExportRow]) {
    type Col<'a> = Column<'a, ExportRow, ExportAction>;
    let columns = [
        Col::date("written", "Written (UTC)", 140.0, |row| row.date),
        Col::count("captures", "Captures", 76.0, |row| row.captures),
        Col::made("verified", "Verified", 160.0, |row| verified(row).0).draw_with_action(|ui, row| {
            let (label, state) = verified(row);
            let Some(lines) = &row.verified else {
                ui.weak(label);
                return None;
            };
            let shown = RichText::new(label).color(state_mark(ui, state).1);
            let is_clicked = ui.link(shown).on_hover_text("Show each check").clicked();
            is_clicked.then(|| ExportAction::Checks(row.folder.clone(), lines.clone()))
        }),
        Col::bytes("bytes", "Size", 76.0, |row| row.bytes),
        Col::made("folder", "Folder", 220.0, |row| row.folder.display().to_string()),
        Col::count("records", "Records", 76.0, |row| row.records).hidden(),
    ];
    let reports = reports(app);
    let table = Table::new("exports", "Exports", columns, |row: &ExportRow| key_of((&row.folder, row.date)))
        .height(EXPORTS)
        .aside()
        .on_focus(|row| Some(ExportAction::Focus(row.folder.clone())))
        .menu(|ui, row| {
            let report = ui.add_enabled(reports.contains_key(&row.folder), Button::new("Open its report"));
            if report.on_disabled_hover_text("report.html is not in this folder").clicked() {
                return Some(ExportAction::Report(row.folder.clone()));
            }
            ui.button("Verify this export").clicked().then(|| ExportAction::Verify(row.folder.clone()))
        });
    match table.rows_ui(ui, app, rows) {
        Some(ExportAction::Focus(folder)) => app.choose_export(folder),
        Some(ExportAction::Checks(folder, lines)) => {
            app.show_checks(folder, lines);
            unfold(ui, CHECKS);
        }
        Some(ExportAction::Report(folder)) => {
            if let Some(url) = reports.get(&folder) {
                open_report(ui, url.clone());
            }
        }
        Some(ExportAction::Verify(folder)) => app.send(Command::Verify(folder)),
        None => {}
    }
}

/// An action on a row of exports.
enum ExportAction {
    /// Makes it the last one.
    Focus(PathBuf),
    /// Each check of its last verification.
    Checks(PathBuf, Vec<VerifyLine>),
    /// Opens it in the browser.
    Report(PathBuf),
    /// Verifies it.
    Verify(PathBuf),
}

/// The result of the last verification, with its label.
fn verified(row: &ExportRow) -> (String, CheckState) {
    let Some(lines) = &row.verified else { return ("– never verified".to_owned(), CheckState::Passed) };
    let (state, wrong) = (CheckState::of(lines).0, lines.iter().filter(|line| !line.ok).count());
    let label = match state {
        CheckState::Passed => format!("✔ {} passed", text::counted(lines.len() as u64, "check")),
        CheckState::Unvouched => "⚠ Signed, nobody vouches".to_owned(),
        CheckState::Failed => format!("✖ {wrong} of {} failed", lines.len()),
    };
    (label, state)
}

/// Draws the choice of the key that signs an export; nothing where there is none.
fn sign_with_ui(ui: &mut Ui, app: &mut AppState) {
    let keys = app.reads.own_keys();
    let keys = keys.shown().map(|keys| keys.to_vec()).unwrap_or_default();
    let chosen = &mut app.settings.sign_with;
    if keys.is_empty() && chosen.is_empty() {
        return;
    }
    ui.horizontal(|ui| {
        let label = ui.label("Sign with");
        let shown = if chosen.is_empty() { "No key" } else { chosen.as_str() };
        let response = egui::ComboBox::from_id_salt("sign with").selected_text(text::line(shown)).show_ui(ui, |ui| {
            ui.selectable_value(chosen, String::new(), "No key");
            for key in keys {
                let label = text::line(&key);
                ui.selectable_value(chosen, key, label);
            }
        });
        response
            .response
            .labelled_by(label.id)
            .on_hover_text("A key of yours in the system's keychain (fonds key new)");
    });
}
