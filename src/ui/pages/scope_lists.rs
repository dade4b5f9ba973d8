//! The URLs that a number of a specification counts.

use super::crawl::{SEEN, explain, seen_cells_ui};
use crate::app::models::{CampaignId, Loaded, MovedRow, MovedSide, ScopeTable, SeenRow, WhatIfAnswer};
use crate::app::{Action, AppState, Command, Focus, LIST_PAGE, Route, Same, ScopeList, WhatIfList};
use crate::scope::{Decision, Verdict};
use crate::ui::pick::TableExport;
use crate::ui::table::{Cells, Table};
use crate::ui::theme::tokens;
use crate::ui::widgets::{action_named_ui, coloured_cell_ui, empty_ui, loaded_ui, title_ui};
use crate::ui::words;
use egui::Ui;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows that one table shows: beyond, offsets in `f32` lose whole pixels.
const ROWS_SHOWN: u64 = 500_000;

/// The lists.
#[derive(Default)]
pub struct ScopeLists {
    export: TableExport,
}

impl ScopeLists {
    /// Draws the list that is asked for.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, list: ScopeList) {
        match list {
            ScopeList::WhatIf(list) => self.what_if_ui(ui, app, id, list),
            ScopeList::DecidedBy(rule) => decided_ui(ui, app, id, rule),
        }
    }

    fn what_if_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CampaignId, list: WhatIfList) {
        title_ui(ui, "What the edits would change", "Choose a row to see both decisions, rule by rule");
        back_ui(ui, app);
        // The last answer stays while further edits are tried.
        let answer = app.what_if.as_ref().and_then(|answer| answer.shown().cloned());
        let Some(answer) = answer.filter(|answer| answer.campaign == id) else {
            empty_ui(ui, "There is nothing to try", "The rules stand as they were saved. Edit them on the page Spec");
            return;
        };
        sides_ui(ui, app, id, list, &answer);
        self.export.ui(ui, app, || ScopeTable::WhatIf(answer.clone()));
        rows_ui(ui, app, list, answer);
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

fn sides_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, list: WhatIfList, answer: &WhatIfAnswer) {
    let figures = &answer.figures;
    ui.horizontal_wrapped(|ui| {
        for (of, word, urls) in [
            (WhatIfList::Both, "In and out", figures.moved_in.urls + figures.moved_out.urls),
            (WhatIfList::Side(MovedSide::In), "Would come in", figures.moved_in.urls),
            (WhatIfList::Side(MovedSide::Out), "Would go out", figures.moved_out.urls),
            (WhatIfList::Side(MovedSide::Unknown), "Cannot be told", figures.unknown.urls),
        ] {
            let label = format!("{word} {}", words::count(urls));
            if ui.selectable_label(list == of, label).clicked() {
                app.send(Command::Go(Route::Scope(id, ScopeList::WhatIf(of))));
            }
        }
    });
}

fn rows_ui(ui: &mut Ui, app: &mut AppState, list: WhatIfList, answer: Arc<WhatIfAnswer>) {
    let figures = &answer.figures;
    let into = figures.moved_in.urls;
    let total = match list {
        WhatIfList::Both => into + figures.moved_out.urls,
        WhatIfList::Side(side) => figures.side(side).urls,
    };
    if total == 0 {
        ui.label("No URL is on this side");
        return;
    }
    if list == WhatIfList::Side(MovedSide::Unknown) {
        ui.weak(
            "Nobody has looked up where these servers stand, and a country would turn the verdict. \
             A crawl with the edited rules looks them up; until then they count as though in no country",
        );
    }
    // Of which side a row is, and its place there.
    let place = |index: u64| match list {
        WhatIfList::Both if index < into => (MovedSide::In, index),
        WhatIfList::Both => (MovedSide::Out, index - into),
        WhatIfList::Side(side) => (side, index),
    };
    const COLUMNS: [(&str, f32); 6] =
        [("Was", 250.0), ("Would be", 270.0), ("Hops", 60.0), ("Size", 70.0), ("Host", 180.0), ("URL", 420.0)];
    let key = Same::of(&answer);
    let mut pages: HashMap<(MovedSide, u64), Option<Arc<Vec<MovedRow>>>> = HashMap::new();
    let row_of = |app: &mut AppState, index: u64| -> Option<MovedRow> {
        let (side, at) = place(index);
        let first = at / LIST_PAGE * LIST_PAGE;
        let page =
            pages.entry((side, first)).or_insert_with(|| ready(app.reads.what_if_rows(key.clone(), side, first)));
        page.as_ref()?.get(usize::try_from(at - first).ok()?).cloned()
    };
    long_table_ui(
        ui,
        app,
        ("what if rows", &COLUMNS, total),
        row_of,
        |row| row.seen,
        |cells, row| {
            cells.ui(|ui| verdict_ui(ui, &row.before));
            cells.ui(|ui| verdict_ui(ui, &row.after));
            cells.text(if row.hops.is_empty() { "seed" } else { &row.hops });
            cells.text(&row.bytes.map_or_else(|| "–".to_owned(), words::bytes));
            cells.text(row.host());
            cells.text(&row.url);
        },
    );
}

/// A table whose rows are read where they are looked at. The row that is
/// clicked explains itself in the lower panel.
fn long_table_ui<T>(
    ui: &mut Ui,
    app: &mut AppState,
    (id, columns, total): (&str, &[(&str, f32)], u64),
    mut row_of: impl FnMut(&mut AppState, u64) -> Option<T>,
    seen: impl Fn(&T) -> i64,
    draw: impl Fn(&mut Cells<'_, '_, '_>, &T),
) {
    if total > ROWS_SHOWN {
        ui.weak(format!("The first {} are shown", words::count(ROWS_SHOWN)));
    }
    let rows = usize::try_from(total.min(ROWS_SHOWN)).unwrap_or(usize::MAX);
    let clicked = Table::new(id, columns, rows).show_ui(
        ui,
        |cells, index| match row_of(app, index as u64) {
            None => cells.weak("…"),
            Some(row) => {
                cells.mark(app.focus == Some(Focus::Seen(seen(&row))));
                draw(cells, &row);
            }
        },
        |_, _| {},
    );
    if let Some(row) = clicked.and_then(|index| row_of(app, index as u64)) {
        explain(app, seen(&row));
    }
}

/// What is there already; rows that are asked for again are no answer yet.
fn ready<T>(answer: Loaded<Arc<T>>) -> Option<Arc<T>> {
    match answer {
        Loaded::Ready(rows) => Some(rows),
        Loaded::Loading { .. } | Loaded::Failed(_) => None,
    }
}

fn verdict_ui(ui: &mut Ui, verdict: &Verdict) {
    let (sign, color) = match verdict.decision {
        Decision::Accept => ("✔ taken", tokens(ui).accept),
        Decision::Reject => ("✖ refused", tokens(ui).reject),
    };
    let by = match verdict.rule_index {
        Some(index) => format!("by {index} {}", verdict.rule_name),
        None => format!("by {}", verdict.rule_name),
    };
    coloured_cell_ui(ui, &format!("{sign} {by}"), color);
}

fn decided_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, rule: usize) {
    let page = app.reads.campaign(id);
    let kind = page
        .shown()
        .and_then(|page| page.campaign.rules.get(rule))
        .and_then(|rule| rule.get("rule")?.as_str().map(|kind| kind.replace('_', " ")))
        .unwrap_or_default();
    let title = format!("What rule {rule} decided");
    title_ui(ui, &title, &format!("“{}”: it had the last word on these URLs", words::short(&kind, 60)));
    back_ui(ui, app);
    let hits = app.rule_hits(id);
    loaded_ui(ui, &hits, |ui, rows| {
        // Asked with the answer itself, so that the list is what the number counted.
        let Some(hits) = hits.shown().filter(|_| rows.get(rule).is_some_and(|hits| hits.decided > 0)) else {
            ui.label("It decided nothing");
            return;
        };
        let total = rows.get(rule).map_or(0, |hits| hits.decided);
        ui.weak(format!("{}, each as the last crawl met it", words::counted(total, "URL", "URLs")));
        let mut pages: HashMap<u64, Option<Arc<Vec<SeenRow>>>> = HashMap::new();
        let row_of = |app: &mut AppState, index: u64| -> Option<SeenRow> {
            let first = index / LIST_PAGE * LIST_PAGE;
            let page = pages.entry(first).or_insert_with(|| ready(app.reads.decided_rows(Same::of(hits), rule, first)));
            page.as_ref()?.get(usize::try_from(index - first).ok()?).cloned()
        };
        long_table_ui(ui, app, ("decided rows", &SEEN, total), row_of, |row| row.id, seen_cells_ui);
    });
}
