//! The URLs and hosts that a number of a specification counts.

use crate::app::models::SeenId;
use crate::app::models::{
    CampaignId, FirstIds, GeoList, Loaded, MovedHost, MovedRow, MovedSide, WhatIfAnswer, WhatIfList,
};
use crate::app::{
    Action, AppState, ByIdentity, Command, Focus, LIST_PAGE, MovedQuery, Route, RuleRef, ScopeList, SeenList,
    SeenListQuery,
};
use crate::scope::{Decision, Verdict, rule_label};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::pages::crawl::{explain, seen_table};
use crate::ui::table::{Column, Table, Value, key_of};
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::{
    cell_ui, coloured_cell_ui, empty_ui, hops_cell_ui, loaded_ui, notice_ui, progress_ui, remarks_ui, spinner_ui,
    tab_ui, tabs_ui,
};
use egui::Ui;
use std::path::Path;
use std::sync::Arc;

/// The lists.
#[derive(Default)]
pub struct ScopeLists;

impl ScopeLists {
    /// Draws the list.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, list: ScopeList) {
        match list {
            ScopeList::WhatIf(list) => self.what_if_ui(ui, app, id, Some(list)),
            ScopeList::WhatIfHosts => self.what_if_ui(ui, app, id, None),
            ScopeList::DecidedBy(rule) => decided_ui(ui, app, id, &rule),
            ScopeList::SpokenBy(rule) => rule_matches_ui(ui, app, id, &rule),
            ScopeList::Geo(list @ (GeoList::DriftIn(_) | GeoList::DriftOut(_))) => drift_ui(ui, app, id, &list),
            ScopeList::Geo(list) => geo_ui(ui, app, id, &list),
        }
    }

    /// A list of URLs, or the hosts.
    fn what_if_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, list: Option<WhatIfList>) {
        header_ui(ui, app, "Changes by the edited rules", "Select a row to see both decisions, rule by rule");
        back_ui(ui, app);
        // The last answer stays while further edits are tried.
        let (answer, is_old) = match &app.what_if() {
            None => (None, false),
            Some(Loaded::Failed(notice)) => return notice_ui(ui, notice),
            Some(Loaded::Loading { last: None }) => return progress_ui(ui, app.what_if_progress()),
            Some(Loaded::Loading { last: Some(last) }) => (Some(last.clone()), true),
            Some(Loaded::Ready(answer)) => (Some(answer.clone()), false),
        };
        let Some(answer) = answer.filter(|answer| answer.campaign == id) else {
            empty_ui(ui, "No edits to compare", "The rules are as saved. Edit them on the Spec page");
            return;
        };
        if is_old {
            ui.horizontal(|ui| {
                spinner_ui(ui);
                ui.weak("Results of the previous edit; the last edit is being evaluated");
            });
        }
        sides_ui(ui, app, id, list, &answer);
        match list {
            Some(list) => rows_ui(ui, app, list, answer),
            None => hosts_ui(ui, app, id, &answer),
        }
    }
}

fn header_ui(ui: &mut Ui, app: &mut AppState, title: &str, about: &str) {
    Header::<()>::new(title)
        .detail(about)
        .more(HeaderButton::action(Action::Undo))
        .more(HeaderButton::action(Action::Redo))
        .ui(ui, app);
}

fn back_ui(ui: &mut Ui, app: &mut AppState) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("Back to the rules").clicked() {
            let id = app.open.spec.as_ref().map_or(app.campaign(), |spec| spec.id);
            app.send(Command::Go(Route::Spec(id)));
        }
    });
}

fn sides_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: Option<WhatIfList>, answer: &WhatIfAnswer) {
    let figures = &answer.figures;
    tabs_ui(ui, "Lists of changes", |ui| {
        let mut tab = |of: Option<WhatIfList>, label: &str, number: u64| {
            if tab_ui(ui, list == of, format!("{label} {}", text::count(number))).clicked() {
                let list = of.map_or(ScopeList::WhatIfHosts, ScopeList::WhatIf);
                app.send(Command::Go(Route::Scope(id, list)));
            }
        };
        for (of, label) in [
            (WhatIfList::Both, "Newly in or out"),
            (WhatIfList::Side(MovedSide::In), "Newly in scope"),
            (WhatIfList::Side(MovedSide::Out), "Newly out"),
            (WhatIfList::Side(MovedSide::Unknown), "Undetermined"),
            (WhatIfList::Unfetched, "Depend on a fetch"),
            (WhatIfList::OtherRule, "Other deciding rule"),
            (WhatIfList::Seen, "All evaluated"),
        ] {
            tab(Some(of), label, figures.count(of));
        }
        tab(None, "Hosts", figures.moved_hosts);
    });
}

fn rows_ui(ui: &mut Ui, app: &mut AppState, list: WhatIfList, answer: Arc<WhatIfAnswer>) {
    let total = answer.figures.count(list);
    if total == 0 {
        ui.label("No URLs in this list");
        return;
    }
    if let Some(about) = about(list) {
        ui.weak(about);
    }
    type Col<'a> = Column<'a, MovedRow, SeenId>;
    let columns = [
        Col::made("before", "Before", 270.0, |row| verdict_label(&row.before))
            .draw(|ui, row| verdict_ui(ui, &row.before)),
        Col::made("after", "After", 270.0, |row| verdict_label(&row.after)).draw(|ui, row| verdict_ui(ui, &row.after)),
        Col::made("hops", "Hops", 60.0, |row| text::hops(&row.hops)).draw(|ui, row| drop(hops_cell_ui(ui, &row.hops))),
        Col::value("bytes", "Size", 70.0, |row| row.bytes.map_or(Value::Unknown, Value::Bytes)).numeric(),
        Col::text("host", "Host", 180.0, MovedRow::host),
        Col::text("url", "URL", 420.0, |row| &row.url).draw(|ui, row| {
            if row.as_counted {
                cell_ui(ui, &row.url);
            } else {
                coloured_cell_ui(ui, &format!("⚠ {}", row.url), tokens(ui).flag)
                    .on_hover_text("The decision has changed since this list was counted; the list is being updated");
            }
        }),
        Col::text("via", "Via", 240.0, |row| &row.via).hidden(),
    ];
    let table = Table::new("what-if urls", "URLs", columns, |row: &MovedRow| row.seen.unsigned_abs());
    let table = table.chosen(current_seen(app)).on_focus(|row| Some(row.seen));
    let query = MovedQuery { of: ByIdentity::of(&answer), list, offset: 0, limit: LIST_PAGE };
    if let Some(seen) = table.pages_ui(ui, app, &query, total) {
        explain(app, seen);
    }
}

/// The key of the URL that the lower panel explains.
fn current_seen(app: &AppState) -> Option<u64> {
    match app.focus() {
        Some(Focus::Seen(id)) => Some(id.unsigned_abs()),
        _ => None,
    }
}

/// The description of a list, where its name is not enough.
fn about(list: WhatIfList) -> Option<String> {
    let text = match list {
        WhatIfList::Both | WhatIfList::Side(MovedSide::In | MovedSide::Out) => return None,
        WhatIfList::Side(MovedSide::Unknown) => {
            "The decision depends on the country of these servers, which is not looked up yet. A crawl with the edited rules looks it up; until then they count as in no country"
        }
        WhatIfList::Seen => "All URLs seen by crawls of this campaign, with the decision of the last crawl",
        WhatIfList::Host(_) => "URLs of one host that are newly in scope or newly out",
        WhatIfList::Captured => "URLs with a capture that are newly in scope or newly out; their sizes make the total",
        WhatIfList::ByRule(rule) => {
            return Some(format!("URLs newly in scope or newly out by edited rule {rule}"));
        }
        WhatIfList::Unfetched => {
            "Accepted so far, but not fetched yet: robots.txt, content type or size could still refuse them"
        }
        WhatIfList::OtherRule => "Same decision as before, but by another rule",
    };
    Some(text.to_owned())
}

fn hosts_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, answer: &Arc<WhatIfAnswer>) {
    let hosts = app.reads.what_if_hosts(ByIdentity::of(answer)).only_own();
    loaded_ui(ui, &hosts, |ui, hosts| {
        if hosts.is_empty() {
            ui.label("No decision changes");
            return;
        }
        type Col<'a> = Column<'a, MovedHost, Command>;
        const SHOW: &str = "Show the URLs of this host whose decision changes";
        let urls = |row: &MovedHost| Some(Command::Go(Route::Scope(id, ScopeList::WhatIf(WhatIfList::Host(row.id)))));
        let columns = [
            Col::text("host", "Host", 300.0, |row| &row.host),
            Col::count("newly_in", "Newly in scope", 110.0, |row| row.moved_in).link(SHOW, urls),
            Col::count("newly_out", "Newly out", 110.0, |row| row.moved_out).link(SHOW, urls),
            Col::count("captured", "Captured", 80.0, |row| row.captured).link(SHOW, urls),
            Col::bytes("bytes", "Size", 80.0, |row| row.bytes).link(SHOW, urls),
        ];
        let table = Table::new("what-if hosts", "Hosts", columns, |row: &MovedHost| key_of(&row.host));
        if let Some(command) = table.on_open(urls).rows_ui(ui, app, hosts) {
            app.send(command);
        }
    });
}

/// A decision as text, for files.
fn verdict_label(verdict: &Verdict) -> String {
    let side = match verdict.decision {
        Decision::Accept => "in scope",
        Decision::Reject => "refused",
    };
    format!("{side} by {}", rule_label(&verdict.rule_name))
}

fn verdict_ui(ui: &mut Ui, verdict: &Verdict) {
    let (sign, color) = match verdict.decision {
        Decision::Accept => ("✔ in scope", tokens(ui).accept),
        Decision::Reject => ("✖ refused", tokens(ui).reject),
    };
    let by = match verdict.rule_index {
        Some(index) => format!("by rule {index}: {}", rule_label(&verdict.rule_name)),
        None => format!("by {}", rule_label(&verdict.rule_name)),
    };
    coloured_cell_ui(ui, &format!("{sign} {by}"), color).on_hover_text(text::line(&verdict.rule_name));
}

fn decided_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, rule: &RuleRef) {
    let about = format!("“{}”: this rule decided these URLs", text::short(&rule.summary, 200));
    header_ui(ui, app, &format!("URLs decided by rule {}", rule.index), &about);
    back_ui(ui, app);
    let hits = app.rule_hits(id);
    loaded_ui(ui, &hits, |ui, report| {
        // Asked with the answer itself, so that the list is what the number counted.
        let Some(hits) = hits.ready() else { return };
        let now = report.rules.get(rule.index);
        if !same_rule_ui(ui, rule, now.map(|hits| (hits.name.as_str(), hits.words.as_str()))) {
            return;
        }
        let total = now.map_or(0, |hits| hits.decided);
        remarks_ui(ui, &report.remarks);
        seen_list_ui(ui, app, (total, total, false), SeenList::Decided(ByIdentity::of(hits), rule.index));
    });
}

fn rule_matches_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, rule: &RuleRef) {
    let about = "this rule matched these URLs; a later rule may have decided";
    let about = format!("“{}”: {about}", text::short(&rule.summary, 200));
    header_ui(ui, app, &format!("URLs matched by rule {}", rule.index), &about);
    back_ui(ui, app);
    let (rule_matches, progress) = app.urls_matched_by_rule(id, rule.index);
    progress_ui(ui, progress);
    loaded_ui(ui, &rule_matches, |ui, answer| {
        let Some(rule_matches) = rule_matches.ready() else { return };
        if !same_rule_ui(ui, rule, Some((&answer.name, &answer.words))) {
            return;
        }
        remarks_ui(ui, &answer.remarks);
        let total = answer.ids.urls();
        seen_list_ui(ui, app, (total, total, false), SeenList::Matched(ByIdentity::of(rule_matches)));
    });
}

/// Whether the rule that is there now, by name and summary, is the requested one; draws a note where it is not.
fn same_rule_ui(ui: &mut Ui, target: &RuleRef, now: Option<(&str, &str)>) -> bool {
    let is_same = now == Some((target.name.as_str(), target.summary.as_str()));
    if !is_same {
        let why = match now {
            Some((name, now)) if !name.is_empty() => {
                format!(
                    "A crawl with other rules has started since; its rule {}: {}",
                    target.index,
                    text::short(now, 200)
                )
            }
            _ => format!("A crawl with other rules has started since; it has no rule {}", target.index),
        };
        empty_ui(ui, "The rules have changed", &why);
    }
    is_same
}

fn geo_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: &GeoList) {
    let (report, progress) = app.geo_report(id);
    let (title, about) = match list {
        GeoList::Host(name) => (
            format!("URLs of {} accepted by geolocation only", text::line(name)),
            "Without the country rules these URLs would have been refused",
        ),
        GeoList::Otherwise => (
            "URLs also accepted by other rules".to_owned(),
            "A country rule decided these URLs; without it other rules accept them too",
        ),
        _ => ("URLs accepted by geolocation".to_owned(), "A country rule decided these URLs"),
    };
    header_ui(ui, app, &title, about);
    back_ui(ui, app);
    progress_ui(ui, progress);
    loaded_ui(ui, &report, |ui, rows| {
        let Some(report) = report.ready() else { return };
        let total = match list {
            GeoList::Host(name) => rows.host(name).map_or(0, |host| host.urls),
            GeoList::Otherwise => rows.otherwise,
            _ => rows.decided,
        };
        remarks_ui(ui, &rows.remarks);
        let counts = (total, rows.kept(list), *list == GeoList::Decided);
        seen_list_ui(ui, app, counts, SeenList::Geo(ByIdentity::of(report), list.clone()));
    });
}

fn drift_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: &GeoList) {
    let Some(path) = app.compared().map(Path::to_owned) else {
        header_ui(ui, app, "Changes with another database", "");
        back_ui(ui, app);
        empty_ui(ui, "No database compared", "Enter one on the Spec page, Geolocation");
        return;
    };
    let (drift, progress) = app.geo_drift(id, &path);
    let (host, label) = match list {
        GeoList::DriftOut(host) => (host, "refuse"),
        GeoList::DriftIn(host) => (host, "accept"),
        _ => return,
    };
    let title = format!("URLs of {} that it would {label}", text::line(host));
    header_ui(ui, app, &title, &format!("With the countries of {}", text::line(&path.display().to_string())));
    back_ui(ui, app);
    progress_ui(ui, progress);
    loaded_ui(ui, &drift, |ui, rows| {
        let Some(drift) = drift.ready() else { return };
        let total = rows.ids(list).map_or(0, FirstIds::urls);
        remarks_ui(ui, &rows.remarks);
        seen_list_ui(ui, app, (total, total, false), SeenList::Drift(ByIdentity::of(drift), list.clone()));
    });
}

/// Seen URLs, as the last crawl met each: how many there are, and how many of
/// them are held, be it the first of each host.
fn seen_list_ui(ui: &mut Ui, app: &mut AppState, (total, stored, by_host): (u64, u64, bool), list: SeenList) {
    if total == 0 {
        ui.label("No URLs in this list");
        return;
    }
    ui.weak(format!("{}, with the decision of the last crawl", text::counted(total, "URL")));
    if stored < total {
        ui.weak(format!(
            "{} of these shown, the first {}",
            text::count(stored),
            if by_host { "of each host" } else { "ones" }
        ));
    }
    let query = SeenListQuery { list, offset: 0, limit: LIST_PAGE };
    let table = seen_table("scope urls", "URLs", app);
    if let Some(seen) = table.pages_ui(ui, app, &query, stored) {
        explain(app, seen);
    }
}
