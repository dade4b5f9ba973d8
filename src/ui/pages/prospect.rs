//! Pages cited but never captured, by site or one by one.

use super::links::with_window;
use super::site_kinds;
use crate::app::models::{
    Loaded, ProspectPage as Prospects, ProspectQuery, ProspectRow, ProspectSite, ProspectSiteQuery, ProspectSites,
    RowList, quoted,
};
use crate::app::{Action, AppState, Command, LIST_PAGE, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::table::{Column, RowsAction, Table, key_of, request_rows, selected_count};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{action_named_ui, action_ui, empty_ui, loaded_ui, scope_verdict_ui, segments_ui};
use crate::uri::parse_web_url;
use egui::{TextEdit, Ui};

/// What the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ProspectBy {
    #[default]
    Sites,
    Pages,
    Kinds,
}

/// The page Prospect.
#[derive(Default)]
pub struct ProspectView {
    by: ProspectBy,
    filter: String,
    chosen: Option<String>,
}

impl ProspectView {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        // Seeds are added to its specification.
        let _ = app.campaign().map(|id| app.reads.campaign(id));
        if let Some(RowList::Prospects { filter }) = app.take_row_list(|rows| matches!(rows, RowList::Prospects { .. }))
        {
            (self.by, self.filter) = (ProspectBy::Pages, filter);
        }
        match self.by {
            ProspectBy::Sites => self.sites_ui(ui, app),
            ProspectBy::Pages => self.pages_ui(ui, app),
            ProspectBy::Kinds => self.kinds_ui(ui, app),
        }
    }

    fn sites_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let filter = self.filter.trim().to_owned();
        let query =
            ProspectSiteQuery { campaign: app.campaign(), filter, sort: Vec::new(), offset: 0, limit: LIST_PAGE };
        let answer = app.reads.prospect_sites(query.clone());
        let (total, pages) = answer.shown().map_or((0, 0), |page| (page.total, page.pages));
        let selected = selected_count(ui, SITE_TABLE, total);
        let state = format!("{}, {}", text::counted(total, "site"), text::counted(pages, "page"));
        header_ui(ui, app, (SITE_TABLE, state), selected);
        let none = matches!(&answer, Loaded::Ready(page) if page.total == 0 && page.filter_problem.is_none());
        if !self.is_filled(ui, app, none, selected) {
            return;
        }
        loaded_ui(ui, &answer, |ui, page: &ProspectSites| {
            if problem_ui(ui, page.filter_problem.as_deref()) {
                return;
            }
            match site_table().pages_ui(ui, app, &query, page.total) {
                Some(ProspectAction::Focus(url)) => self.chosen = Some(url),
                Some(action) => self.carry_out(app, action),
                None => {}
            }
        });
    }

    fn pages_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let filter = self.filter.trim().to_owned();
        let query = ProspectQuery { campaign: app.campaign(), filter, sort: Vec::new(), offset: 0, limit: LIST_PAGE };
        let answer = app.reads.prospects(query.clone());
        let (total, unlisted) = answer.shown().map_or((0, 0), |page| (page.total, page.unlisted));
        let selected = selected_count(ui, TABLE, total);
        let more = match unlisted {
            0 => String::new(),
            unlisted => format!("; {} not listed, less cited", text::count(unlisted)),
        };
        header_ui(ui, app, (TABLE, format!("{}{more}", text::counted(total, "page"))), selected);
        let none = matches!(&answer, Loaded::Ready(page) if page.total == 0 && page.filter_problem.is_none());
        if !self.is_filled(ui, app, none, selected) {
            return;
        }
        loaded_ui(ui, &answer, |ui, page: &Prospects| {
            if problem_ui(ui, page.filter_problem.as_deref()) {
                return;
            }
            match self.page_table().pages_ui(ui, app, &query, page.total) {
                Some(ProspectAction::Focus(url)) => self.chosen = Some(url),
                Some(action) => self.carry_out(app, action),
                None => {}
            }
        });
    }

    fn kinds_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let answer = app.reads.sites(app.campaign());
        let total = answer.shown().map_or(0, |rows| rows.len() as u64);
        let selected = selected_count(ui, site_kinds::TABLE, total);
        let label = site_kinds::rules_label(selected.max(1));
        let rules = HeaderButton::own(label, ()).hint(site_kinds::RULES).off(why_not(app, selected));
        let header = Header::new("Prospect")
            .state(text::counted(total, "site"))
            .detail("captured, of a known kind, most such pages first")
            .primary(rules);
        if header.ui(ui, app).is_some() {
            request_rows(ui, site_kinds::TABLE, site_kinds::ADD_RULES);
        }
        ui.horizontal_wrapped(|ui| self.segments_ui(ui));
        ui.add_space(GAP / 2.0);
        site_kinds::sites_ui(ui, app);
    }

    fn segments_ui(&mut self, ui: &mut Ui) {
        let by = [(ProspectBy::Sites, "Sites"), (ProspectBy::Pages, "Pages"), (ProspectBy::Kinds, "Kinds of sites")];
        segments_ui(ui, "Rows", &mut self.by, &by);
    }

    fn carry_out(&mut self, app: &mut AppState, action: ProspectAction) {
        match action {
            ProspectAction::Focus(url) => self.chosen = Some(url),
            ProspectAction::PagesOf(host) => {
                self.by = ProspectBy::Pages;
                self.filter = format!("host={}", quoted(&host));
            }
            ProspectAction::Citing(target) => app.send(Command::Go(Route::Links { target })),
            ProspectAction::Seeds(urls) => app.send(Command::AddSeeds(urls)),
        }
    }

    /// Draws what narrows the rows, or what there is to do where there are none; whether there are rows.
    fn is_filled(&mut self, ui: &mut Ui, app: &mut AppState, none: bool, selected: u64) -> bool {
        if none && self.filter.trim().is_empty() {
            ui.horizontal_wrapped(|ui| self.segments_ui(ui));
            ui.add_space(GAP);
            let is_built = app.reads.workspace().shown().is_none_or(|info| info.counted_window_days.is_some());
            match is_built {
                true => empty_ui(ui, "No uncaptured pages are cited", "Every cited page was captured"),
                false => empty_ui(ui, "Inlinks not built", "Build them to list cited pages that were never captured"),
            }
            action_ui(ui, app, Action::BuildInlinks);
            return false;
        }
        ui.horizontal_wrapped(|ui| {
            self.segments_ui(ui);
            let label = ui.label("Filter");
            let field = TextEdit::singleline(&mut self.filter).hint_text("Text in URL or anchor");
            ui.add(field.desired_width(theme::FIELD)).labelled_by(label.id);
            if !self.filter.is_empty() && ui.button("Clear").clicked() {
                self.filter.clear();
            }
            if self.by == ProspectBy::Pages {
                let can_show = selected == 1 && self.chosen.is_some();
                let pages = ui.add_enabled(can_show, egui::Button::new("Show citing pages"));
                if pages.on_disabled_hover_text("Select one row first").clicked()
                    && let Some(target) = self.chosen.clone()
                {
                    app.send(Command::Go(Route::Links { target }));
                }
            }
            // Last, where it moves nothing.
            if app.campaign().is_some_and(|id| app.open.spec.as_ref().is_some_and(|spec| spec.id == Some(id))) {
                action_named_ui(ui, app, Action::Undo, &Action::Undo.label_now(app));
            }
        });
        ui.add_space(GAP / 2.0);
        if none {
            ui.label("No rows match");
        }
        !none
    }

    fn page_table<'a>(&self) -> Table<'a, ProspectRow, ProspectAction> {
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
        Table::new(TABLE, "Cited pages without a capture", columns, |row: &ProspectRow| key_of(&row.url))
            .chosen(self.chosen.as_ref().map(key_of))
            .on_focus(|row| Some(ProspectAction::Focus(row.url.clone())))
            .on_open(citing)
            .menu(|ui, row| ui.button("Show citing pages").clicked().then(|| ProspectAction::Citing(row.url.clone())))
            .with_rows(RowsAction::new(seeds_label, |_, rows| {
                Some(ProspectAction::Seeds(rows.iter().map(|row: &&ProspectRow| row.url.clone()).collect()))
            }))
            .with_rows(RowsAction::copy_urls(|row: &ProspectRow| &row.url))
    }
}

fn site_table<'a>() -> Table<'a, ProspectSite, ProspectAction> {
    type Col<'a> = Column<'a, ProspectSite, ProspectAction>;
    let pages = |row: &ProspectSite| Some(ProspectAction::PagesOf(row.host.clone()));
    let columns = [
        Col::text("site", "Site", 220.0, |row| &row.host),
        Col::made("anchors", "Cited as", 150.0, |row| row.anchors.join("; "))
            .or("(no text)")
            .about("The texts of links to its most cited pages"),
        Col::text("decision", "Decision today", 160.0, |row| &row.best.verdict)
            .about("About its most cited page")
            .draw(|ui, row| drop(scope_verdict_ui(ui, &row.best.verdict).on_hover_text(text::line(&row.best.url)))),
        Col::count("pages", "Pages", 64.0, |row| row.pages).link("Show these pages", pages),
        Col::count("citing_hosts", "Citing hosts", 96.0, |row| row.best.hosts)
            .about("Hosts that cite the page of it that most hosts cite"),
        Col::count("links", "Links", 60.0, |row| row.best.links),
        Col::day("last", "Last cited", 90.0, |row| row.best.last),
        Col::day("first", "First cited", 90.0, |row| row.best.first).hidden(),
    ];
    Table::new(SITE_TABLE, "Cited sites without a capture of these pages", columns, |row: &ProspectSite| {
        key_of(&row.host)
    })
    .on_open(pages)
    .menu(|ui, row| ui.button("Show its pages").clicked().then(|| ProspectAction::PagesOf(row.host.clone())))
    .with_rows(RowsAction::new(seeds_label, |_, rows| {
        Some(ProspectAction::Seeds(rows.iter().map(|row: &&ProspectSite| root_of(row)).collect()))
    }))
}

/// The URL of a site as a seed: the root of its most cited page.
fn root_of(site: &ProspectSite) -> String {
    match parse_web_url(&site.best.url) {
        Some(url) => format!("{}://{}/", url.scheme(), site.host),
        None => site.best.url.clone(),
    }
}

fn header_ui(ui: &mut Ui, app: &mut AppState, (table, state): (&'static str, String), selected: u64) {
    let seeds = HeaderButton::own(seeds_label(selected.max(1)), ()).hint(SEEDS).off(why_not(app, selected));
    let header =
        Header::new("Prospect").state(state).detail("cited but never captured, most citing hosts first").primary(seeds);
    if with_window(header, app).more(HeaderButton::action(Action::BuildInlinks)).ui(ui, app).is_some() {
        request_rows(ui, table, ADD_SEEDS);
    }
}

/// Why nothing can be added to a specification.
fn why_not(app: &AppState, selected: u64) -> Option<&'static str> {
    match app.campaign() {
        None => Some("Select a campaign first"),
        Some(_) if selected == 0 => Some("Select rows first"),
        Some(_) => None,
    }
}

/// Draws why a filter has no meaning; whether there is such a reason.
fn problem_ui(ui: &mut Ui, problem: Option<&str>) -> bool {
    if let Some(problem) = problem {
        ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
    }
    problem.is_some()
}

/// An action on a row.
enum ProspectAction {
    /// The buttons above mean it.
    Focus(String),
    /// The pages of a site.
    PagesOf(String),
    /// The pages that cite it.
    Citing(String),
    /// Seeds of all that are selected.
    Seeds(Vec<String>),
}

/// Names of the tables in settings and files.
const TABLE: &str = "prospects";
const SITE_TABLE: &str = "prospect sites";
/// The index of the action on all selected rows that adds seeds.
const ADD_SEEDS: usize = 0;
const SEEDS: &str = "Adds them to the edited specification, which is saved on its page";

fn seeds_label(rows: u64) -> String {
    match rows {
        1 => "Add as seed".to_owned(),
        rows => format!("Add {} as seeds", text::count(rows)),
    }
}
