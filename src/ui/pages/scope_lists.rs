//! The URLs and hosts that a number of a specification counts.

use super::crawl::{SEEN, explain, seen_cells_ui};
use crate::app::models::{
    CampaignId, FirstIds, GeoList, Loaded, MovedSide, ROWS_SHOWN, ScopeTable, SeenRow, WhatIfAnswer, WhatIfList,
};
use crate::app::{Action, AppState, Command, Focus, LIST_PAGE, Route, RuleAsked, Same, ScopeList};
use crate::scope::{Decision, Verdict, rule_label};
use crate::ui::access::{tab_ui, tabs_ui};
use crate::ui::pick::TableExport;
use crate::ui::table::{Cells, OldTable};
use crate::ui::theme::tokens;
use crate::ui::widgets::{
    action_named_ui, coloured_cell_ui, empty_ui, loaded_ui, notice_ui, progress_ui, remarks_ui, title_ui,
};
use crate::ui::words;
use egui::Ui;
use std::collections::HashMap;
use std::sync::Arc;

/// The lists.
#[derive(Default)]
pub struct ScopeLists {
    export: TableExport,
}

impl ScopeLists {
    /// Draws the list that is asked for.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, list: ScopeList) {
        match list {
            ScopeList::WhatIf(list) => self.what_if_ui(ui, app, id, Some(list)),
            ScopeList::WhatIfHosts => self.what_if_ui(ui, app, id, None),
            ScopeList::DecidedBy(rule) => decided_ui(ui, app, id, &rule),
            ScopeList::SpokenBy(rule) => spoken_ui(ui, app, id, &rule),
            ScopeList::Geo(list @ (GeoList::DriftIn(_) | GeoList::DriftOut(_))) => drift_ui(ui, app, id, &list),
            ScopeList::Geo(list) => geo_ui(ui, app, id, &list),
        }
    }

    /// A list of URLs, or the hosts.
    fn what_if_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, list: Option<WhatIfList>) {
        title_ui(ui, "Changes by the edited rules", "Select a row to see both decisions, rule by rule");
        back_ui(ui, app);
        // The last answer stays while further edits are tried.
        let (answer, is_old) = match &app.what_if {
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
                ui.spinner();
                ui.weak("Results of the previous edit; the last edit is being evaluated");
            });
        }
        sides_ui(ui, app, id, list, &answer);
        self.export.ui(ui, app, || match list {
            Some(list) => ScopeTable::WhatIf(answer.clone(), list),
            None => ScopeTable::WhatIfHosts(answer.clone()),
        });
        match list {
            Some(list) => rows_ui(ui, app, list, answer),
            None => hosts_ui(ui, app, id, &answer),
        }
    }
}

fn back_ui(ui: &mut Ui, app: &mut AppState) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("Back to the rules").clicked() {
            let id = app.spec.as_ref().map_or(app.campaign, |spec| spec.id);
            app.send(Command::Go(Route::Spec(id)));
        }
        action_named_ui(ui, app, Action::Undo, "↶ Undo edit");
        action_named_ui(ui, app, Action::Redo, "↷ Redo edit");
    });
}

fn sides_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: Option<WhatIfList>, answer: &WhatIfAnswer) {
    let figures = &answer.figures;
    tabs_ui(ui, "Lists of changes", |ui| {
        let mut tab = |of: Option<WhatIfList>, word: &str, number: u64| {
            if tab_ui(ui, list == of, format!("{word} {}", words::count(number))).clicked() {
                let list = of.map_or(ScopeList::WhatIfHosts, ScopeList::WhatIf);
                app.send(Command::Go(Route::Scope(id, list)));
            }
        };
        for (of, word) in [
            (WhatIfList::Both, "Newly in or out"),
            (WhatIfList::Side(MovedSide::In), "Newly in scope"),
            (WhatIfList::Side(MovedSide::Out), "Newly out"),
            (WhatIfList::Side(MovedSide::Unknown), "Undetermined"),
            (WhatIfList::Unfetched, "Depend on a fetch"),
            (WhatIfList::OtherRule, "Other deciding rule"),
            (WhatIfList::Seen, "All evaluated"),
        ] {
            tab(Some(of), word, figures.count(of));
        }
        tab(None, "Hosts", figures.moved_hosts);
    });
}

fn rows_ui(ui: &mut Ui, app: &mut AppState, list: WhatIfList, answer: Arc<WhatIfAnswer>) {
    let key = Same::of(&answer);
    let total = answer.figures.count(list);
    if total == 0 {
        ui.label("No URLs in this list");
        return;
    }
    if let Some(about) = about(list) {
        ui.weak(about);
    }
    const COLUMNS: [(&str, f32); 6] =
        [("Before", 270.0), ("After", 270.0), ("Hops", 60.0), ("Size", 70.0), ("Host", 180.0), ("URL", 420.0)];
    long_table_ui(
        ui,
        app,
        ("what if rows", &COLUMNS, total),
        |app, first| app.reads.what_if_rows(key.clone(), list, first),
        |row| row.seen,
        |cells, row| {
            cells.ui(|ui| verdict_ui(ui, &row.before));
            cells.ui(|ui| verdict_ui(ui, &row.after));
            cells.text(if row.hops.is_empty() { "seed" } else { &row.hops });
            cells.text(&row.bytes.map_or_else(|| "–".to_owned(), words::bytes));
            cells.text(row.host());
            if row.as_counted {
                cells.text(&row.url);
            } else {
                cells.ui(|ui| {
                    coloured_cell_ui(ui, &format!("⚠ {}", row.url), tokens(ui).flag).on_hover_text(
                        "The decision has changed since this list was counted; the list is being updated",
                    );
                });
            }
        },
    );
}

/// What a list holds, where its name does not say it all.
fn about(list: WhatIfList) -> Option<String> {
    let words = match list {
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
    Some(words.to_owned())
}

fn hosts_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, answer: &Arc<WhatIfAnswer>) {
    const COLUMNS: [(&str, f32); 5] =
        [("Host", 300.0), ("Newly in scope", 110.0), ("Newly out", 110.0), ("Captured", 80.0), ("Size", 80.0)];
    let hosts = app.reads.what_if_hosts(Same::of(answer)).only_own();
    loaded_ui(ui, &hosts, |ui, hosts| {
        if hosts.is_empty() {
            ui.label("No decision changes");
            return;
        }
        let mut show = None;
        let clicked = OldTable::new("what if hosts", &COLUMNS, hosts.len()).show_ui(
            ui,
            |cells, index| {
                let row = &hosts[index];
                cells.text(&row.host);
                let mut link = |number: u64, text: &str| {
                    if cells.link_text(number, text, "Show the URLs of this host whose decision changes") {
                        show = Some(index);
                    }
                };
                link(row.moved_in, &words::count(row.moved_in));
                link(row.moved_out, &words::count(row.moved_out));
                link(row.captured, &words::count(row.captured));
                link(row.captured, &words::bytes(row.bytes));
            },
            |_, _| {},
        );
        if let Some(row) = show.or(clicked).and_then(|index: usize| hosts.get(index)) {
            app.send(Command::Go(Route::Scope(id, ScopeList::WhatIf(WhatIfList::Host(row.id)))));
        }
    });
}

/// A table whose rows are read, a [`LIST_PAGE`] at once, where they are looked
/// at. The row that is clicked explains itself in the lower panel.
fn long_table_ui<T>(
    ui: &mut Ui,
    app: &mut AppState,
    (id, columns, total): (&str, &[(&str, f32)], u64),
    read: impl Fn(&mut AppState, u64) -> Loaded<Arc<Vec<T>>>,
    seen: impl Fn(&T) -> i64,
    draw: impl Fn(&mut Cells<'_, '_, '_>, &T),
) {
    // Beyond, offsets in `f32` lose whole pixels.
    let rows = usize::try_from(total).unwrap_or(usize::MAX).min(ROWS_SHOWN);
    if total > rows as u64 {
        ui.weak(format!("First {} shown", words::count(rows as u64)));
    }
    let mut pages: HashMap<u64, Loaded<Arc<Vec<T>>>> = HashMap::new();
    let first_of = |index: usize| index as u64 / LIST_PAGE * LIST_PAGE;
    let at = |index: usize| usize::try_from(index as u64 % LIST_PAGE).unwrap_or(usize::MAX);
    let clicked = OldTable::new(id, columns, rows).show_ui(
        ui,
        |cells, index| match pages.entry(first_of(index)).or_insert_with(|| read(app, first_of(index))) {
            // Rows of another page are no answer to this one.
            Loaded::Loading { .. } => cells.weak("…"),
            Loaded::Failed(notice) => cells.ui(|ui| {
                coloured_cell_ui(ui, &format!("✖ {}: {}", notice.what, notice.why), tokens(ui).reject);
            }),
            Loaded::Ready(page) => match page.get(at(index)) {
                None => cells.weak("– no longer present"),
                Some(row) => {
                    cells.mark(app.focus == Some(Focus::Seen(seen(row))));
                    draw(cells, row);
                }
            },
        },
        |_, _| {},
    );
    let page = clicked.and_then(|index| pages.get(&first_of(index))?.ready()?.get(at(index)).map(&seen));
    if let Some(id) = page {
        explain(app, id);
    }
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
    coloured_cell_ui(ui, &format!("{sign} {by}"), color).on_hover_text(words::line(&verdict.rule_name));
}

fn decided_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, rule: &RuleAsked) {
    let about = format!("“{}”: this rule decided these URLs", words::short(&rule.words, 200));
    title_ui(ui, &format!("URLs decided by rule {}", rule.index), &about);
    back_ui(ui, app);
    let hits = app.rule_hits(id);
    loaded_ui(ui, &hits, |ui, report| {
        // Asked with the answer itself, so that the list is what the number counted.
        let Some(hits) = hits.ready() else { return };
        let now = report.rules.get(rule.index);
        if !is_asked_ui(ui, rule, now.map(|hits| (hits.name.as_str(), hits.words.as_str()))) {
            return;
        }
        let total = now.map_or(0, |hits| hits.decided);
        remarks_ui(ui, &report.remarks);
        seen_list_ui(ui, app, (total, total, false), |app, first| {
            app.reads.decided_rows(Same::of(hits), rule.index, first)
        });
    });
}

fn spoken_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, rule: &RuleAsked) {
    let about = "this rule matched these URLs; a later rule may have decided";
    let about = format!("“{}”: {about}", words::short(&rule.words, 200));
    title_ui(ui, &format!("URLs matched by rule {}", rule.index), &about);
    back_ui(ui, app);
    let (spoken, progress) = app.spoken_of(id, rule.index);
    progress_ui(ui, progress);
    loaded_ui(ui, &spoken, |ui, answer| {
        let Some(spoken) = spoken.ready() else { return };
        if !is_asked_ui(ui, rule, Some((&answer.name, &answer.words))) {
            return;
        }
        remarks_ui(ui, &answer.remarks);
        let total = answer.ids.urls();
        seen_list_ui(ui, app, (total, total, false), |app, first| app.reads.spoken_rows(Same::of(spoken), first));
    });
}

/// Whether the rule that is there now, by name and words, is the one that was
/// asked for; says so when another crawl ran with another list.
fn is_asked_ui(ui: &mut Ui, asked: &RuleAsked, now: Option<(&str, &str)>) -> bool {
    let is_asked = now == Some((asked.name.as_str(), asked.words.as_str()));
    if !is_asked {
        let why = match now {
            Some((name, now)) if !name.is_empty() => {
                format!(
                    "A crawl with other rules has started since; its rule {}: {}",
                    asked.index,
                    words::short(now, 200)
                )
            }
            _ => format!("A crawl with other rules has started since; it has no rule {}", asked.index),
        };
        empty_ui(ui, "The rules have changed", &why);
    }
    is_asked
}

fn geo_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: &GeoList) {
    let (report, progress) = app.geo_report(id);
    let (title, about) = match list {
        GeoList::Host(name) => (
            format!("URLs of {} accepted by geolocation only", words::line(name)),
            "Without the country rules these URLs would have been refused",
        ),
        GeoList::Otherwise => (
            "URLs also accepted by other rules".to_owned(),
            "A country rule decided these URLs; without it other rules accept them too",
        ),
        _ => ("URLs accepted by geolocation".to_owned(), "A country rule decided these URLs"),
    };
    title_ui(ui, &title, about);
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
        seen_list_ui(ui, app, (total, rows.held(list), *list == GeoList::Decided), |app, first| {
            app.reads.geo_rows(Same::of(report), list.clone(), first)
        });
    });
}

fn drift_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: &GeoList) {
    let Some(path) = app.compared.clone() else {
        title_ui(ui, "Changes with another database", "");
        back_ui(ui, app);
        empty_ui(ui, "No database compared", "Enter one on the Spec page, Geolocation");
        return;
    };
    let (drift, progress) = app.geo_drift(id, &path);
    let (host, word) = match list {
        GeoList::DriftOut(host) => (host, "refuse"),
        GeoList::DriftIn(host) => (host, "accept"),
        _ => return,
    };
    let title = format!("URLs of {} that it would {word}", words::line(host));
    title_ui(ui, &title, &format!("With the countries of {}", words::line(&path.display().to_string())));
    back_ui(ui, app);
    progress_ui(ui, progress);
    loaded_ui(ui, &drift, |ui, rows| {
        let Some(drift) = drift.ready() else { return };
        let total = rows.ids(list).map_or(0, FirstIds::urls);
        remarks_ui(ui, &rows.remarks);
        seen_list_ui(ui, app, (total, total, false), |app, first| {
            app.reads.drift_rows(Same::of(drift), list.clone(), first)
        });
    });
}

/// Seen URLs, as the last crawl met each: how many there are, and how many of
/// them are held, be it the first of each host.
fn seen_list_ui(
    ui: &mut Ui,
    app: &mut AppState,
    (total, held, by_host): (u64, u64, bool),
    read: impl Fn(&mut AppState, u64) -> Loaded<Arc<Vec<SeenRow>>>,
) {
    if total == 0 {
        ui.label("No URLs in this list");
        return;
    }
    ui.weak(format!("{}, with the decision of the last crawl", words::counted(total, "URL", "URLs")));
    if held < total {
        ui.weak(format!(
            "{} of these shown, the first {}",
            words::count(held),
            if by_host { "of each host" } else { "ones" }
        ));
    }
    long_table_ui(ui, app, ("seen rows", &SEEN, held), read, |row| row.id, seen_cells_ui);
}
