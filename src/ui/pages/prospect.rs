//! Pages cited but never captured.

use super::links::with_window;
use crate::app::models::{Loaded, ProspectPage as Prospects, ProspectQuery, ProspectRow};
use crate::app::{Action, AppState, Command, LIST_PAGE, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::table::{Column, RowsAction, Table, key_of, request_rows, selected_count};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{action_named_ui, action_ui, empty_ui, loaded_ui, scope_verdict_ui};
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
        // Seeds are added to its specification.
        let _ = app.campaign().map(|id| app.reads.campaign(id));
        let filter = self.filter.trim().to_owned();
        let query = ProspectQuery { campaign: app.campaign(), filter, sort: Vec::new(), offset: 0, limit: LIST_PAGE };
        let answer = app.reads.prospects(query.clone());
        let none = matches!(&answer, Loaded::Ready(page) if page.total == 0 && page.filter_problem.is_none());
        let total = answer.shown().map_or(0, |page| page.total);
        let selected = selected_count(ui, TABLE, total);
        self.header_ui(ui, app, total, selected);
        if none && self.filter.trim().is_empty() {
            let is_built = app.reads.workspace().shown().is_none_or(|info| info.counted_window_days.is_some());
            match is_built {
                true => empty_ui(ui, "No uncaptured pages are cited", "Every cited page was captured"),
                false => empty_ui(ui, "Inlinks not built", "Build them to list cited pages that were never captured"),
            }
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
            let pages = ui.add_enabled(selected == 1 && self.chosen.is_some(), egui::Button::new("Show citing pages"));
            if pages.on_disabled_hover_text("Select one row first").clicked()
                && let Some(target) = self.chosen.clone()
            {
                app.send(Command::Go(Route::Links { target }));
            }
            // Last, where it moves nothing.
            if app.campaign().is_some_and(|id| app.open.spec.as_ref().is_some_and(|spec| spec.id == Some(id))) {
                action_named_ui(ui, app, Action::Undo, &Action::Undo.label_now(app));
            }
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
            ui.weak(text::counted(page.total, "page"));
            if page.unlisted > 0 {
                ui.weak(format!("{} not listed, less cited", text::counted(page.unlisted, "page")));
            }
            self.table_ui(ui, app, &query, page.total);
        });
    }

    fn header_ui(&self, ui: &mut Ui, app: &mut AppState, total: u64, selected: u64) {
        let why_not = match app.campaign() {
            None => Some("Select a campaign first"),
            Some(_) if selected == 0 => Some("Select rows first"),
            Some(_) => None,
        };
        let seeds = HeaderButton::own(seeds_label(selected.max(1)), ()).hint(SEEDS).off(why_not);
        let header = Header::new("Prospect")
            .state(text::counted(total, "page"))
            .detail("cited but never captured, most citing hosts first")
            .primary(seeds);
        if with_window(header, app).more(HeaderButton::action(Action::BuildInlinks)).ui(ui, app).is_some() {
            request_rows(ui, TABLE, ADD_SEEDS);
        }
    }

    fn table_ui(&mut self, ui: &mut Ui, app: &mut AppState, query: &ProspectQuery, total: u64) {
        type Col<'a> = Column<'a, ProspectRow, ProspectAction>;
        let citing = |row: &ProspectRow| Some(ProspectAction::Citing(row.url.clone()));
        let columns = [
            Col::text("url", "URL", 250.0, |row| &row.url),
            Col::text("anchor", "Most common anchor", 150.0, |row| &row.anchor).or("(no text)"),
            Col::text("decision", "Decision today", 180.0, |row| &row.verdict)
                .draw(|ui, row| drop(scope_verdict_ui(ui, &row.verdict))),
            Col::count("citing_hosts", "Citing hosts", 96.0, |row| row.hosts).link("Show the citing pages", citing),
            Col::count("links", "Links", 60.0, |row| row.links),
            Col::day("last", "Last cited", 90.0, |row| row.last),
            Col::day("first", "First cited", 90.0, |row| row.first).hidden(),
        ];
        let table = Table::new(TABLE, "Cited pages without a capture", columns, |row: &ProspectRow| key_of(&row.url))
            .chosen(self.chosen.as_ref().map(key_of))
            .on_focus(|row| Some(ProspectAction::Focus(row.url.clone())))
            .on_open(citing)
            .menu(|ui, row| ui.button("Show citing pages").clicked().then(|| ProspectAction::Citing(row.url.clone())))
            .with_rows(RowsAction::new(seeds_label, |_, rows| {
                Some(ProspectAction::Seeds(rows.iter().map(|row: &&ProspectRow| row.url.clone()).collect()))
            }))
            .with_rows(RowsAction::copy_urls(|row: &ProspectRow| &row.url));
        match table.pages_ui(ui, app, query, total) {
            Some(ProspectAction::Focus(url)) => self.chosen = Some(url),
            Some(ProspectAction::Citing(target)) => app.send(Command::Go(Route::Links { target })),
            Some(ProspectAction::Seeds(urls)) => app.send(Command::AddSeeds(urls)),
            None => {}
        }
    }
}

/// An action on a row.
enum ProspectAction {
    /// The buttons above mean it.
    Focus(String),
    /// The pages that cite it.
    Citing(String),
    /// Seeds of all that are selected.
    Seeds(Vec<String>),
}

/// Name of the table in settings and files.
const TABLE: &str = "prospects";
/// The index of the action on all selected rows that adds seeds.
const ADD_SEEDS: usize = 0;
const SEEDS: &str = "Adds them to the edited specification, which is saved on its page";

fn seeds_label(rows: u64) -> String {
    match rows {
        1 => "Add as seed".to_owned(),
        rows => format!("Add {} as seeds", text::count(rows)),
    }
}
