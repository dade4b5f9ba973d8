//! Sites whose pages are of a known kind, with exclusions that suit them.

use crate::app::models::{SiteRow, quoted, site_rules};
use crate::app::{AppState, Command, Route};
use crate::ui::table::{Column, RowsAction, Table, key_of};
use crate::ui::text;
use crate::ui::widgets::{empty_ui, loaded_ui};
use egui::Ui;

/// Name of the table in settings and files.
pub(super) const TABLE: &str = "kinds of sites";
/// The index of the action on all selected rows that adds rules.
pub(super) const ADD_RULES: usize = 0;
pub(super) const RULES: &str = "Adds rules that skip what these sites repeat to the edited specification. It shows which URLs they would refuse; \
     nothing is saved before you save it";

/// The words of the action on rows.
pub(super) fn rules_label(rows: u64) -> String {
    match rows {
        1 => "Add exclusions…".to_owned(),
        rows => format!("Add exclusions for {} sites…", text::count(rows)),
    }
}

/// An action on a row.
enum SiteAction {
    /// Captures of its kind.
    Captures(Box<SiteRow>),
    /// Rules that skip what the sites repeat.
    Rules(Vec<serde_json::Value>),
}

/// Draws the sites of the current campaign that are of a known kind.
pub(super) fn sites_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.sites(app.campaign());
    let has_campaign = app.campaign().is_some();
    loaded_ui(ui, &answer, |ui, rows: &Vec<SiteRow>| {
        if rows.is_empty() {
            empty_ui(
                ui,
                "No site of a known kind",
                "Wikis, blogs, forums and shops are recognised by their pages once these are indexed",
            );
            return;
        }
        match table(has_campaign).rows_ui(ui, app, rows) {
            Some(SiteAction::Captures(row)) => {
                let filter = format!("kind:{} host={}", row.kind, quoted(&row.host));
                app.send(Command::Go(Route::Captures { filter }));
            }
            Some(SiteAction::Rules(rules)) => app.send(Command::AddRules(rules)),
            None => {}
        }
    });
}

fn table<'a>(has_campaign: bool) -> Table<'a, SiteRow, SiteAction> {
    type Col<'a> = Column<'a, SiteRow, SiteAction>;
    let captures = |row: &SiteRow| Some(SiteAction::Captures(Box::new(row.clone())));
    let columns = [
        Col::text("site", "Site", 200.0, |row| &row.host),
        Col::text("kind", "Kind", 110.0, |row| &row.label),
        Col::count("pages", "Pages", 84.0, |row| row.pages[0]).link("Show these captures", captures),
        Col::count("all", "All pages", 84.0, |row| row.pages[1]).about("Captured pages of the site"),
        Col::made("signs", "Recognised by", 200.0, |row| row.evidence.join("; "))
            .about("Signs in tags, scripts or headers of some of its pages"),
        Col::made("skips", "Suggested exclusions", 240.0, |row| row.skip.join("  "))
            .or("(none)")
            .about("Parts of URLs that repeat what other URLs have, as regular expressions"),
        Col::text("follows", "Still followed", 180.0, |row| &row.follow),
    ];
    Table::new(TABLE, "Sites of a known kind", columns, |row: &SiteRow| key_of(format!("{} {}", row.kind, row.host)))
        .on_open(captures)
        .menu(|ui, row| ui.button("Show its captures").clicked().then(|| SiteAction::Captures(Box::new(row.clone()))))
        .with_rows(RowsAction::new(rules_label, move |_, rows: &[&SiteRow]| {
            let rows: Vec<SiteRow> = rows.iter().map(|row| (*row).clone()).collect();
            has_campaign.then(|| SiteAction::Rules(site_rules(&rows)))
        }))
}
