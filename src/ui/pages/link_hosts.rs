//! Hosts with what links to them, and the pages of theirs that are cited.

use super::links::{LinkTab, link_tabs_ui};
use crate::app::models::{
    Cited, CitedBy, CitedPages, HostColumn, HostTable, Loaded, RankedHost, captures_of_host, captures_of_page,
};
use crate::app::{Action, AppState, Command, Route};
use crate::ui::header::Header;
use crate::ui::table::{Column, Table, Value, key_of};
use crate::ui::text;
use crate::ui::widgets::{action_ui, empty_ui, loaded_ui, progress_ui};
use egui::Ui;
use std::path::PathBuf;
use std::sync::Arc;

/// The hint of a number of links.
const PAGES: &str = "Show the linked pages of this host";
/// The hint of a number of captures.
const CAPTURES: &str = "Show these captures; only pages count, not errors, redirects or other files";

/// The table of hosts.
#[derive(Default)]
pub struct LinkHostsPage {
    column: HostColumn,
}

impl LinkHostsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>) {
        let about = "PageRank (‰: all hosts together have 1000) counts each linked host pair once and ignores links within a site. Captures counts pages only, not errors, redirects or PDF files";
        Header::<()>::new("Links").detail(about).ui(ui, app);
        link_tabs_ui(ui, app, folder, LinkTab::Sites);
        folder_ui(ui, folder);
        let (answer, progress) = app.link_hosts(folder);
        progress_ui(ui, progress);
        answered_ui(ui, app, &answer, |ui, app, table| self.table_ui(ui, app, table));
    }

    fn table_ui(&mut self, ui: &mut Ui, app: &mut AppState, table: &HostTable) {
        let rows = table.by(self.column);
        let folder = app.route().link_folder().cloned();
        ui.horizontal_wrapped(|ui| {
            ui.label("Sort by");
            for (column, label) in HostColumn::ALL {
                ui.selectable_value(&mut self.column, column, label);
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.label(text::counted(table.hosts, "host"));
            ui.weak(text::counted(table.edges, "linked host pair"));
            let left_out = table.hosts.saturating_sub(rows.len() as u64);
            if left_out > 0 {
                let (listed, left_out) = (text::count(rows.len() as u64), text::count(left_out));
                let all = match folder {
                    None => "“Write links” on the Links page exports all",
                    Some(_) => "“fonds inlinks hosts” lists all",
                };
                ui.weak(format!("first {listed} by this column shown, {left_out} not shown; {all}"));
            }
        });
        type Col<'a> = Column<'a, RankedHost, Route>;
        let pages = |row: &RankedHost| Some(Route::CitedPages(folder.clone(), CitedBy::OfHost(row.node.host.clone())));
        let here = folder.is_none();
        let columns = [
            Col::value("pagerank", "PageRank ‰", 90.0, |row| Value::Fraction(row.pagerank * 1000.0)).numeric(),
            Col::count("citing_hosts", "Citing hosts", 90.0, |row| row.node.citing_hosts).link(PAGES, pages),
            Col::count("external", "External", 80.0, |row| row.node.inlinks).link(PAGES, pages),
            Col::count("internal", "Internal", 80.0, |row| row.node.inlinks_internal).link(PAGES, pages),
            Col::count("captures", "Captures", 80.0, |row| row.node.captures)
                .link(CAPTURES, move |row| here.then(|| Route::Captures { filter: captures_of_host(&row.node.host) })),
            Col::made("captured", "Captured", 190.0, |row| match row.node.captured {
                Some((first, last)) => format!("{} – {}", text::day(first), text::day(last)),
                None => "no page".to_owned(),
            }),
            Col::text("host", "Host", 420.0, |row| &row.node.host),
        ];
        let key = |row: &RankedHost| key_of(&row.node.host);
        let target = Table::new("link hosts", "Hosts", columns, key).on_open(pages).rows_ui(ui, app, rows);
        if let Some(route) = target {
            app.send(Command::GoToAll(route));
        }
    }
}

/// Draws pages that are linked to.
pub(in crate::ui) fn cited_pages_ui(ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>, by: &CitedBy) {
    let (title, about) = match by {
        CitedBy::OfHost(host) => (format!("Cited pages of {}", text::line(host)), "Links of all dates"),
        CitedBy::Anchor(text) => (
            format!("Pages linked as “{}”", text::short(text, 80)),
            "Links of all dates from other sites with exactly this anchor text; the inlinks of a page show its other links too",
        ),
        CitedBy::All => {
            ("Cited pages".to_owned(), "Pages linked from the most other hosts, captured or not; links of all dates")
        }
    };
    Header::<()>::new("Links").state(title).detail(about).ui(ui, app);
    link_tabs_ui(ui, app, folder, LinkTab::Cited);
    folder_ui(ui, folder);
    let (answer, progress) = app.cited_pages(folder, by);
    progress_ui(ui, progress);
    answered_ui(ui, app, &answer, cited_table_ui);
}

fn cited_table_ui(ui: &mut Ui, app: &mut AppState, pages: &CitedPages) {
    ui.horizontal_wrapped(|ui| {
        ui.label(text::counted(pages.pages, "page"));
        let left_out = pages.pages.saturating_sub(pages.rows.len() as u64);
        if left_out > 0 {
            let listed = text::count(pages.rows.len() as u64);
            ui.weak(format!("the {listed} most cited are shown; {} are not", text::count(left_out)));
        }
    });
    const INLINKS: &str = "Show the inlinks of this page";
    let folder = app.route().link_folder().cloned();
    type Col<'a> = Column<'a, Cited, Route>;
    let here = folder.is_none();
    let inlinks = |row: &Cited| Some(Route::inlinks(folder.clone(), row.target.clone()));
    let columns = [
        Col::count("citing_hosts", "Citing hosts", 90.0, |row| row.counts.hosts).link(INLINKS, inlinks),
        Col::count("external", "External", 80.0, |row| row.counts.external).link(INLINKS, inlinks),
        Col::count("internal", "Internal", 80.0, |row| row.counts.internal).link(INLINKS, inlinks),
        Col::count("captures", "Captures", 80.0, |row| row.captures)
            .link(CAPTURES, move |row| here.then(|| Route::Captures { filter: captures_of_page(&row.target) })),
        Col::day("first", "First cited", 96.0, |row| row.dates.unwrap_or_default().0),
        Col::day("last", "Last cited", 96.0, |row| row.dates.unwrap_or_default().1),
        Col::text("page", "Page", 480.0, |row| &row.target),
    ];
    let table = Table::new("cited pages", "Cited pages", columns, |row: &Cited| key_of(&row.target));
    if let Some(route) = table.on_open(inlinks).rows_ui(ui, app, &pages.rows) {
        app.send(Command::GoToAll(route));
    }
}

/// Says which folder the links are stored in, where that is not the workspace.
fn folder_ui(ui: &mut Ui, folder: Option<&PathBuf>) {
    if let Some(folder) = folder {
        ui.weak(format!("links stored in {}", text::line(&folder.display().to_string())));
    }
}

/// Draws figures of all links, or the next step where there are none.
fn answered_ui<T>(
    ui: &mut Ui,
    app: &mut AppState,
    answer: &Loaded<Arc<Option<T>>>,
    draw: impl FnOnce(&mut Ui, &mut AppState, &T),
) {
    loaded_ui(ui, answer, |ui, found| match found {
        Some(found) => draw(ui, app, found),
        None => {
            empty_ui(ui, "Inlinks are not built yet", "Hosts and cited pages are computed from inlinks");
            action_ui(ui, app, Action::BuildInlinks);
        }
    });
}
