//! Pages cited but never captured.

use crate::app::models::{Loaded, ProspectPage as Prospects, ProspectQuery, ProspectRow};
use crate::app::{Action, AppState, Command, LIST_PAGE, Route};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{action_ui, empty_ui, loaded_ui, scope_verdict_ui, title_ui};
use egui::{TextEdit, Ui};

/// The page Prospect.
#[derive(Default)]
pub struct ProspectView {
    filter: String,
    chosen: Option<String>,
}

impl ProspectView {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        title_ui(ui, app, "Prospect", "Pages linked from captures but never captured; most citing hosts first");
        let filter = self.filter.trim().to_owned();
        let query = ProspectQuery { campaign: app.campaign(), filter, sort: Vec::new(), offset: 0, limit: LIST_PAGE };
        let answer = app.reads.prospects(query.clone());
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
            let field = TextEdit::singleline(&mut self.filter).hint_text("Text in URL or anchor");
            ui.add(field.desired_width(theme::FIELD)).labelled_by(label.id);
            if !self.filter.is_empty() && ui.button("Clear").clicked() {
                self.filter.clear();
            }
            let chosen = self.chosen.is_some();
            let pages = ui.add_enabled(chosen, egui::Button::new("Show citing pages"));
            if pages.on_disabled_hover_text("Select a row first").clicked()
                && let Some(target) = self.chosen.clone()
            {
                app.send(Command::Go(Route::Links { target }));
            }
            let seed = ui.add_enabled(chosen && app.campaign().is_some(), egui::Button::new("Add as seed"));
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
                ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
                return;
            }
            ui.weak(text::counted(page.total, "page", "pages"));
            if page.unlisted > 0 {
                ui.weak(format!("{} less cited are not listed", text::counted(page.unlisted, "page", "pages")));
            }
            self.table_ui(ui, app, &query, page.total);
        });
    }

    fn table_ui(&mut self, ui: &mut Ui, app: &mut AppState, query: &ProspectQuery, total: u64) {
        type Col<'a> = Column<'a, ProspectRow, ProspectAsk>;
        let citing = |row: &ProspectRow| Some(ProspectAsk::Citing(row.url.clone()));
        let columns = [
            Col::count("citing_hosts", "Citing hosts", 90.0, |row| row.hosts).link("Show the citing pages", citing),
            Col::count("links", "Links", 60.0, |row| row.links),
            Col::day("first", "First cited", 96.0, |row| row.first),
            Col::day("last", "Last cited", 96.0, |row| row.last),
            Col::text("anchor", "Most common anchor", 240.0, |row| &row.anchor).or("(no text)"),
            Col::text("decision", "Decision today", 260.0, |row| &row.verdict)
                .draw(|ui, row| drop(scope_verdict_ui(ui, &row.verdict))),
            Col::text("url", "URL", 360.0, |row| &row.url),
        ];
        let table =
            Table::new("prospects", "Cited pages without a capture", columns, |row: &ProspectRow| key_of(&row.url))
                .chosen(self.chosen.as_ref().map(key_of))
                .on_focus(|row| Some(ProspectAsk::Focus(row.url.clone())))
                .on_open(citing)
                .menu(|ui, row| {
                    if ui.button("Copy URL").clicked() {
                        ui.ctx().copy_text(row.url.clone());
                        ui.close();
                    }
                    let seed = ui.button("Add as seed").clicked().then(|| ProspectAsk::Seed(row.url.clone()));
                    seed.or_else(|| {
                        ui.button("Show citing pages").clicked().then(|| ProspectAsk::Citing(row.url.clone()))
                    })
                });
        match table.pages_ui(ui, app, query, total) {
            Some(ProspectAsk::Focus(url)) => self.chosen = Some(url),
            Some(ProspectAsk::Citing(target)) => app.send(Command::Go(Route::Links { target })),
            Some(ProspectAsk::Seed(url)) => app.send(Command::AddSeed(url)),
            None => {}
        }
    }
}

/// What a row asks for.
enum ProspectAsk {
    /// The buttons above mean it.
    Focus(String),
    /// The pages that cite it.
    Citing(String),
    /// A seed of it.
    Seed(String),
}
