//! Hosts that only their location let in, and the verdicts by another database.

use crate::app::models::{CampaignId, Drift, DriftHost, DriftList, GeoHost, GeoList, GeoReport, quoted};
use crate::app::{AppState, Command, Route, ScopeList};
use crate::scope::{GeoEvidence, GeoFact, rule_label};
use crate::ui::geo_database::GeoDatabaseCard;
use crate::ui::pick::{PathField, Sort};
use crate::ui::table::{Column, Table, Value as Cell, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{count_link_ui, heading_ui, loaded_ui, progress_ui, remarks_ui};
use egui::{Button, Ui};
use std::path::Path;

/// Height of one of the tables.
const LIST: f32 = 260.0;
/// The hint of the name of a host and of the number of its captures.
const CAPTURES: &str = "Show the captures of this host";

/// State of the tab between frames.
#[derive(Default)]
pub struct GeoTab {
    card: GeoDatabaseCard,
    other: PathField,
    drift_shown: DriftList,
    chosen: Option<String>,
}

impl GeoTab {
    /// Draws database, report, comparison.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: Option<CampaignId>) {
        heading_ui(ui, "Geolocation database of this workspace");
        self.card.ui(ui, app);
        ui.add_space(GAP);
        heading_ui(ui, "Hosts accepted by geolocation only");
        let Some(id) = id else {
            ui.weak("Save and crawl first: the report covers URLs seen by crawls");
            return;
        };
        let (report, progress) = app.geo_report(id);
        progress_ui(ui, progress);
        loaded_ui(ui, &report, |ui, answer| self.report_ui(ui, app, id, answer));
        ui.add_space(GAP);
        heading_ui(ui, "Drift: changes with another database");
        self.drift_ui(ui, app, id);
    }

    fn report_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, report: &GeoReport) {
        remarks_ui(ui, &report.remarks);
        if report.decided == 0 {
            ui.label("No URL was accepted by a country rule yet");
            return;
        }
        let mut list = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let hosts = text::counted(report.hosts.len() as u64, "host");
            ui.weak(format!("{hosts}, listed below; country rules decided"));
            let decided = text::counted(report.decided, "URL");
            if ui.link(decided).on_hover_text("Show these URLs").clicked() {
                list = Some(GeoList::Decided);
            }
            ui.weak("of which");
            if count_link_ui(ui, report.otherwise, "Show those that other rules accept too") {
                list = Some(GeoList::Otherwise);
            }
            ui.weak("are also accepted by other rules");
        });
        if let Some(list) = list {
            return app.send(Command::Go(Route::Scope(id, ScopeList::Geo(list))));
        }
        if report.hosts.is_empty() {
            return;
        }
        type Col<'a> = Column<'a, GeoHost, HostAction>;
        let rows = &report.hosts;
        let captures = |row: &GeoHost| Some(HostAction::Captures(row.host.clone()));
        let columns = [
            Col::text("host", "Host", 180.0, |row| &row.host),
            Col::count("urls", "URLs", 55.0, |row| row.urls)
                .link("Show the URLs accepted by geolocation only", |row| {
                    Some(HostAction::List(GeoList::Host(row.host.clone())))
                }),
            Col::count("captures", "Captures", 70.0, |row| row.captures).link(CAPTURES, captures),
            Col::bytes("bytes", "Size", 65.0, |row| row.bytes).link(CAPTURES, captures),
            Col::made("evidence", "Address, network, country", 240.0, |row| match &row.evidence {
                GeoFact::Known(evidence) => evidence.places(),
                GeoFact::Failed { why } => format!("⚠ since then: {why}"),
                GeoFact::NotQueried => "no evidence recorded".to_owned(),
            }),
            Col::made("database", "Database, built", 240.0, |row| known(row).map(database).unwrap_or_default()).or("–"),
            Col::text("resolved_by", "Resolved by", 85.0, |row| {
                known(row).map_or("", |evidence| evidence.source.label())
            })
            .or("–"),
            Col::made("also", "Also accepted by", 105.0, |row| labels(&row.also)).or("no other rule"),
            Col::text("first_url", "First URL", 300.0, |row| &row.first_url),
            Col::date("first_seen", "First seen (UTC)", 150.0, |row| row.first_seen).hidden(),
            Col::text("first_via", "Linked from", 300.0, |row| &row.first_via).or("a seed").hidden(),
            Col::value("looked_up", "Looked up (UTC)", 150.0, |row| {
                known(row).map_or(Cell::Unknown, |evidence| Cell::Date(evidence.date))
            })
            .hidden(),
        ];
        let table = Table::new("hosts by geolocation", "Hosts accepted by geolocation", columns, |row: &GeoHost| {
            key_of(&row.host)
        })
        .chosen(self.chosen.as_ref().map(key_of))
        .height(LIST)
        .on_focus(|row| Some(HostAction::Chosen(row.host.clone())));
        match table.rows_ui(ui, app, rows) {
            Some(HostAction::Chosen(host)) => self.chosen = Some(host),
            Some(action) => action.go(app, id),
            None => {}
        }
        match rows.iter().find(|row| self.chosen.as_ref() == Some(&row.host)) {
            Some(row) => evidence_ui(ui, app, id, row),
            None => {
                ui.weak("Select a host to see its full evidence");
            }
        }
    }

    fn drift_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId) {
        ui.weak("Looks up the recorded addresses in another file; host names are not resolved again");
        ui.horizontal_wrapped(|ui| {
            self.other.ui(ui, "Other database", "/path/to/a/newer.mmdb", Sort::GeoDatabase);
            let path = self.other.path();
            let compare = ui.add_enabled(path.is_some(), Button::new("Compare"));
            if compare.on_disabled_hover_text("Enter a file first").clicked() {
                app.send(Command::CompareCountries(path));
            }
        });
        let Some(path) = app.compared().map(Path::to_owned) else { return };
        let (drift, progress) = app.geo_drift(id, &path);
        progress_ui(ui, progress);
        loaded_ui(ui, &drift, |ui, drift| self.drift_table_ui(ui, app, id, drift));
    }
}

fn labels(rules: &[String]) -> String {
    rules.iter().map(|rule| rule_label(rule)).collect::<Vec<_>>().join(", ")
}

fn database(evidence: &GeoEvidence) -> String {
    format!("{}, {}", evidence.database, text::day(evidence.database_build))
}

/// Goes to the captures of this host without its subdomains, by crawls of
/// this campaign, whatever ready filter was in use.
fn show_captures(app: &mut AppState, id: CampaignId, host: &str) {
    if app.campaign() != Some(id) {
        app.send(Command::ChooseCampaign(id));
    }
    app.send(Command::GoToAll(Route::Captures { filter: format!("host={} campaign:{id}", quoted(host)) }));
}

fn evidence_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, row: &GeoHost) {
    theme::card_frame(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        heading_ui(ui, &text::line(&row.host));
        egui::Grid::new("evidence").num_columns(2).show(ui, |ui| {
            let mut line = |label: &str, value: &str| {
                ui.weak(label);
                ui.label(text::line(value));
                ui.end_row();
            };
            match &row.evidence {
                GeoFact::Known(evidence) => {
                    for place in &evidence.addresses {
                        line("Address", &place.summary());
                        if let Some(registered) = &place.registered {
                            line("", &format!("network registered in {registered} (not used by rules)"));
                        }
                    }
                    line("Database", &database(evidence));
                    line("Addresses resolved by", evidence.source.label());
                    line("Looked up (UTC)", &evidence.date.to_readable());
                }
                GeoFact::Failed { why } => line("Last look-up", &format!("failed: {why}")),
                GeoFact::NotQueried => line("Evidence", "none recorded"),
            }
            line("First URL", &row.first_url);
            line("Seen (UTC)", &row.first_seen.to_readable());
            line("Linked from", if row.first_via.is_empty() { "a seed" } else { &row.first_via });
            let also = labels(&row.also);
            line("Other accepting rules", if also.is_empty() { "none" } else { &also });
        });
        let label = format!("Show {}", text::counted(row.captures, "capture"));
        if ui.button(label).clicked() {
            show_captures(app, id, &row.host);
        }
    });
}

impl GeoTab {
    fn drift_table_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, drift: &Drift) {
        ui.label(format!("{}, built {}", text::line(&drift.database), text::day(drift.database_build)));
        ui.horizontal_wrapped(|ui| {
            let hosts_that = |hosts: usize, verb| text::counted_verb(hosts as u64, "host", verb);
            let (sides, quiet) = (drift.hosts.len(), drift.quiet.len());
            let failed = text::counted_verb(drift.failed, "host", "was") + " not resolved";
            let moved = text::counted_verb(drift.moved, "host", "has") + " another country";
            let known = text::counted_verb(drift.known, "host", "has") + " known addresses";
            for (shown, label, hint) in [
                (
                    DriftList::ChangeSide,
                    hosts_that(sides, "changes") + " decisions",
                    "Different country in that database, and decisions on URLs of this campaign change",
                ),
                (
                    DriftList::Quiet,
                    text::counted(quiet as u64, "host") + " moved, no decision changes",
                    "Different country in that database, but no decision changes",
                ),
                (DriftList::Moved, moved, "Different country in that database, whether or not a decision changes"),
                (DriftList::Known, known, "Crawls of this workspace recorded their addresses"),
                (DriftList::Failed, failed, "Their last look-up failed, so nothing can be compared"),
            ] {
                if ui.selectable_label(self.drift_shown == shown, label).on_hover_text(hint).clicked() {
                    self.drift_shown = shown;
                }
            }
        });
        remarks_ui(ui, &drift.remarks);
        let others = match self.drift_shown {
            DriftList::Failed => Some(("Its last look-up failed", &drift.failures)),
            DriftList::Known => Some(("Its addresses", &drift.known_hosts)),
            DriftList::ChangeSide | DriftList::Quiet | DriftList::Moved => None,
        };
        if let Some((head, hosts)) = others {
            return hosts_ui(ui, app, id, head, hosts);
        }
        let rows = drift.moved_hosts(self.drift_shown);
        if rows.is_empty() {
            return;
        }
        type Col<'a> = Column<'a, DriftHost, HostAction>;
        let columns = [
            Col::text("host", "Host", 200.0, |row| &row.host)
                .link(CAPTURES, |row| Some(HostAction::Captures(row.host.clone()))),
            Col::count("newly_in", "Newly in", 65.0, |row| row.moved_in)
                .link("Show the URLs newly accepted", |row| Some(HostAction::List(GeoList::DriftIn(row.host.clone())))),
            Col::count("newly_out", "Newly out", 70.0, |row| row.moved_out)
                .link("Show the URLs newly refused", |row| Some(HostAction::List(GeoList::DriftOut(row.host.clone())))),
            Col::made("before", "Before", 330.0, |row| format!("{} ({})", row.old.places(), database(&row.old))),
            Col::made("after", "After", 330.0, |row| format!("{} ({})", row.new.places(), database(&row.new))),
            Col::text("example", "Example", 260.0, |row| &row.example),
        ];
        let table =
            Table::new("hosts with another country", "Hosts with another country", columns, |row: &DriftHost| {
                key_of(&row.host)
            });
        if let Some(action) = table.height(LIST).rows_ui(ui, app, rows.iter().copied()) {
            action.go(app, id);
        }
    }
}

/// An action on a row of hosts.
enum HostAction {
    /// A list of URLs.
    List(GeoList),
    /// The captures of a host.
    Captures(String),
    /// All evidence of a host.
    Chosen(String),
}

impl HostAction {
    fn go(self, app: &mut AppState, id: CampaignId) {
        match self {
            Self::List(list) => app.send(Command::Go(Route::Scope(id, ScopeList::Geo(list)))),
            Self::Captures(host) => show_captures(app, id, &host),
            Self::Chosen(_) => {}
        }
    }
}

fn known(row: &GeoHost) -> Option<&GeoEvidence> {
    match &row.evidence {
        GeoFact::Known(evidence) => Some(evidence),
        GeoFact::Failed { .. } | GeoFact::NotQueried => None,
    }
}

/// Hosts with what is known of each.
fn hosts_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, head: &'static str, hosts: &[(String, String)]) {
    type Col<'a> = Column<'a, (String, String), HostAction>;
    let columns = [
        Col::text("host", "Host", 260.0, |row| &row.0).link(CAPTURES, |row| Some(HostAction::Captures(row.0.clone()))),
        Col::text("known", head, 420.0, |row| &row.1),
    ];
    let table = Table::new("hosts compared", "Hosts", columns, |row: &(String, String)| key_of(&row.0));
    if let Some(action) = table.height(LIST).rows_ui(ui, app, hosts) {
        action.go(app, id);
    }
}
