//! Pages cited but never captured.

use crate::app::models::{Loaded, ProspectPage as Prospects, ProspectRow};
use crate::app::{Action, AppState, Command, Route};
use crate::ui::table::Table;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{action_ui, empty_ui, loaded_ui, pager_ui, scope_verdict_ui, title_ui};
use crate::ui::words;
use egui::{TextEdit, Ui};

/// Rows shown at once.
const LIMIT: u64 = 2000;

const COLUMNS: [(&str, f32); 7] = [
    ("Citing hosts", 90.0),
    ("Links", 60.0),
    ("First cited", 96.0),
    ("Last cited", 96.0),
    ("Most common anchor", 240.0),
    ("Decision today", 260.0),
    ("URL", 360.0),
];

/// The page Prospect.
#[derive(Default)]
pub struct ProspectPage {
    filter: String,
    chosen: Option<String>,
    /// First row shown.
    offset: u64,
}

impl ProspectPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        title_ui(ui, "Prospect", "Pages linked from captures but never captured; most citing hosts first");
        let answer = app.reads.prospects(app.campaign, self.filter.trim().to_owned(), self.offset, LIMIT);
        let none = matches!(&answer, Loaded::Ready(page) if page.total == 0 && page.filter_problem.is_none());
        if none && self.filter.trim().is_empty() {
            empty_ui(
                ui,
                "No uncaptured pages are cited",
                "Inlinks are not built yet, or every cited page was captured",
            );
            action_ui(ui, app, Action::BuildInlinks);
            return;
        }
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Filter");
            let edited = ui.add(
                TextEdit::singleline(&mut self.filter).hint_text("Text in URL or anchor").desired_width(theme::FIELD),
            );
            if edited.labelled_by(label.id).changed() {
                self.offset = 0;
            }
            if !self.filter.is_empty() && ui.button("Clear").clicked() {
                self.filter.clear();
                self.offset = 0;
            }
            let chosen = self.chosen.is_some();
            let pages = ui.add_enabled(chosen, egui::Button::new("Show citing pages"));
            if pages.on_disabled_hover_text("Select a row first").clicked()
                && let Some(target) = self.chosen.clone()
            {
                app.send(Command::Go(Route::Links { target }));
            }
            let seed = ui.add_enabled(chosen && app.campaign.is_some(), egui::Button::new("Add as seed"));
            let seed = seed
                .on_hover_text("Adds it to the edited specification; save it there")
                .on_disabled_hover_text("Select a row first");
            if seed.clicked()
                && let Some(url) = self.chosen.clone()
            {
                app.send(Command::AddSeed(url));
            }
            action_ui(ui, app, Action::BuildInlinks);
        });
        ui.add_space(GAP);
        if none {
            ui.label("No rows match");
            return;
        }
        loaded_ui(ui, &answer, |ui, page: &Prospects| {
            if let Some(problem) = &page.filter_problem {
                ui.colored_label(tokens(ui).reject, format!("⚠ {}", words::line(problem)));
                return;
            }
            pager_ui(ui, &mut self.offset, LIMIT, page.total, ("page", "pages"));
            if page.unlisted > 0 {
                ui.weak(format!("{} less cited are not listed", words::counted(page.unlisted, "page", "pages")));
            }
            self.table_ui(ui, app, &page.rows);
        });
    }

    fn table_ui(&mut self, ui: &mut Ui, app: &mut AppState, rows: &[ProspectRow]) {
        let at = rows.iter().position(|row| self.chosen.as_ref() == Some(&row.url));
        let mut go = None;
        let clicked = Table::new("prospects", &COLUMNS, rows.len()).chosen(at).show_ui(
            ui,
            |cells, index| {
                let row = &rows[index];
                if cells.link(row.hosts, "Show the citing pages") {
                    go = Some(index);
                }
                cells.number(row.links);
                cells.text(&words::day(row.first));
                cells.text(&words::day(row.last));
                cells.text(if row.anchor.is_empty() { "(no text)" } else { &row.anchor });
                cells.ui(|ui| {
                    scope_verdict_ui(ui, &row.verdict);
                });
                cells.text(&row.url);
            },
            |index, response| {
                if response.double_clicked() {
                    self.chosen = Some(rows[index].url.clone());
                }
                response.context_menu(|ui| {
                    if ui.button("Show citing pages").clicked() {
                        app.send(Command::Go(Route::Links { target: rows[index].url.clone() }));
                        ui.close();
                    }
                    if ui.button("Add as seed").clicked() {
                        app.send(Command::AddSeed(rows[index].url.clone()));
                        ui.close();
                    }
                    if ui.button("Copy URL").clicked() {
                        ui.ctx().copy_text(rows[index].url.clone());
                        ui.close();
                    }
                });
            },
        );
        if let Some(index) = clicked {
            self.chosen = Some(rows[index].url.clone());
        }
        if let Some(index) = go {
            app.send(Command::Go(Route::Links { target: rows[index].url.clone() }));
        }
    }
}
