//! The lists below step 1: captures at the threshold, those that move, saved selections and collections.

use super::choose::Preview;
use super::named::NamedFields;
use super::score::scored_ui;
use crate::app::models::{CaptureId, Loaded};
use crate::app::{AppState, LISTED};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{empty_ui, keep_page_room, least_table_height, loaded_ui, tab_of_ui, tabs_ui};
use egui::{RichText, ScrollArea, Ui};

/// One of the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SelectList {
    #[default]
    Borderline,
    Added,
    Removed,
    Against,
    Saved,
    Collections,
}

/// The lists of the page.
#[derive(Default)]
pub(super) struct SelectLists {
    shown: SelectList,
    named: NamedFields,
}

impl SelectLists {
    /// Shows this list.
    pub(super) fn show(&mut self, list: SelectList) {
        self.shown = list;
    }

    /// Makes a filter the rule of a new collection, which a person has to name and save.
    pub(super) fn propose(&mut self, filter: String) {
        self.shown = SelectList::Collections;
        self.named.propose(filter);
    }

    /// Draws them.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>) {
        let balance = preview.balance;
        let tried = preview.tried;
        let nearest = tried.map_or(0, |tried| tried.nearest.len() as u64);
        let collections = app.reads.collections().shown().map_or(0, |rows| rows.len() as u64);
        let counted = |label: &str, count: u64| format!("{label} {}", text::count(count));
        let (added, removed) = if preview.sides.is_kept { (0, 0) } else { (balance.added, balance.removed) };
        ui.add_space(theme::TIGHT_GAP);
        tabs_ui(ui, "Lists of the selection", |ui| {
            for (list, label) in [
                (SelectList::Borderline, counted("Borderline", nearest)),
                (SelectList::Added, counted("Newly in", added)),
                (SelectList::Removed, counted("Newly out", removed)),
                (SelectList::Against, counted("Against the score", balance.overrides)),
                (SelectList::Saved, counted("Saved", preview.page.named.len() as u64)),
                (SelectList::Collections, counted("Collections", collections)),
            ] {
                tab_of_ui(ui, &mut self.shown, list, label);
            }
        });
        keep_page_room(ui, least_table_height(ui, theme::ROWS_LEAST, theme::ROW));
        match self.shown {
            SelectList::Saved => scrolled_ui(ui, |ui| self.named.saved_ui(ui, app, preview.campaign, preview.page)),
            SelectList::Collections => {
                let is_whole = app.reads.collections().ready().is_some();
                scrolled_ui(ui, |ui| self.named.collections_ui(ui, app, preview.campaign, is_whole));
            }
            list => scores_ui(ui, app, preview, list),
        }
    }
}

fn scrolled_ui(ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().id_salt("list").auto_shrink([false, false]).show(ui, draw);
}

fn scores_ui(ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>, list: SelectList) {
    let Some(tried) = preview.tried else {
        return match preview.answer {
            Loaded::Failed(notice) => crate::ui::widgets::notice_ui(ui, notice),
            _ => drop(ui.weak("Loading…")),
        };
    };
    let (ids, all, id, name): (&[CaptureId], u64, &'static str, &str) = match list {
        SelectList::Added => (&tried.moved.added[..], preview.balance.added, "newly in", "Newly in"),
        SelectList::Removed => (&tried.moved.removed[..], preview.balance.removed, "newly out", "Newly out"),
        SelectList::Against => {
            (&tried.moved.against[..], preview.balance.overrides, "against the score", "Decided against the score")
        }
        _ => (&tried.nearest[..], tried.nearest.len() as u64, "borderline", "Borderline captures"),
    };
    let ids =
        if preview.sides.is_kept && matches!(list, SelectList::Added | SelectList::Removed) { &[][..] } else { ids };
    if ids.is_empty() {
        return nothing_ui(ui, list);
    }
    if all > LISTED as u64 {
        let first = format!("The {LISTED} with the highest scores of {}", text::counted(all, "capture"));
        ui.label(RichText::new(first).size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
    }
    let threshold = (list == SelectList::Borderline && tried.draft.is_by_score()).then_some(tried.draft.threshold);
    let draft = serde_json::to_string(&tried.draft).unwrap_or_default();
    let rows = app.reads.scored_under(draft, ids.to_vec());
    loaded_ui(ui, &rows, |ui, rows| scored_ui(ui, app, (id, name), rows, threshold));
}

fn nothing_ui(ui: &mut Ui, list: SelectList) {
    let (what, why) = match list {
        SelectList::Added => ("Nothing comes in", "Move the line or change the weights to see what would"),
        SelectList::Removed => ("Nothing goes out", "Move the line or change the weights to see what would"),
        SelectList::Against => ("No decision differs from the score", "Approve and Reject override it"),
        _ => ("No scores yet", "Save the selection: every capture is scored then"),
    };
    empty_ui(ui, what, why);
}
