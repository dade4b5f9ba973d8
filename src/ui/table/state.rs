//! State of a table between frames: order, cursor, selection.

use super::column::{Column, Field};
use super::copy::CopyForm;
use super::rows::{RowSource, Slot};
use crate::app::AppState;
use crate::app::models::SortKey;
use egui::Id;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Most rows that are selected as a range or copied at once: they are in memory together.
pub const RANGE_ROWS: u64 = 12_000;

/// The rows that a person selected, by their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Some rows: many are compared with each frame, so that the same are one.
    Rows(Arc<HashSet<u64>>),
    /// Whatever the table lists.
    All,
}

impl Default for Selection {
    fn default() -> Self {
        Self::Rows(Arc::default())
    }
}

impl Selection {
    /// Whether this row is selected.
    pub fn contains(&self, key: u64) -> bool {
        match self {
            Self::Rows(keys) => keys.contains(&key),
            Self::All => true,
        }
    }

    /// The number of selected rows, of `total`.
    pub fn count(&self, total: u64) -> u64 {
        match self {
            Self::Rows(keys) => keys.len() as u64,
            Self::All => total,
        }
    }

    /// Whether nothing was selected or deselected between the two, one of which is kept while the
    /// other changes: rows are then never changed in place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rows(one), Self::Rows(other)) => Arc::ptr_eq(one, other) || (one.is_empty() && other.is_empty()),
            (Self::All, Self::All) => true,
            (Self::Rows(_), Self::All) | (Self::All, Self::Rows(_)) => false,
        }
    }

    /// Adds a row, or takes it away; all give way to the one.
    fn toggle(&mut self, key: u64) {
        match self {
            Self::Rows(keys) => {
                let keys = Arc::make_mut(keys);
                if !keys.remove(&key) {
                    keys.insert(key);
                }
            }
            Self::All => *self = Self::Rows(Arc::new(HashSet::from([key]))),
        }
    }
}

/// A row by its place and by its key, which is known once it is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) index: u64,
    pub(super) key: Option<u64>,
}

/// The value of this id: of a column, or of the second line of one.
pub(super) fn field_of<R, A>(columns: &[Column<'_, R, A>], id: &str) -> Option<Field<R>> {
    columns.iter().flat_map(Column::fields).find(|field| field.id == id)
}

/// State of a table between frames.
#[derive(Debug, Clone, Default)]
pub struct TableState {
    /// Columns to sort by.
    pub sort: Vec<SortKey>,
    /// The rows that are selected.
    pub selection: Selection,
    pub(super) cursor: Option<Cursor>,
    /// The place where a range begins.
    pub(super) anchor: Option<u64>,
    /// First and last row of a range of which some are still read.
    pub(super) range: Option<(u64, u64)>,
    /// Whether the row at the cursor is still to be sent to the page.
    pub(super) moved: bool,
    /// Whether a row is being opened.
    pub(super) opened: bool,
    /// Whether the menu of the row at the cursor opens once that row is in sight.
    pub(super) opens_menu: bool,
    /// The row or head whose menu was opened by keys.
    pub(super) keyed_menu: Option<Id>,
    /// Whether the keyboard still has to go into that menu.
    pub(super) enters_menu: bool,
    pub(super) copies: Option<CopyForm>,
    /// The index of the action on all selected rows that is due once they are loaded.
    pub(super) acts: Option<usize>,
    /// The selection that the page heard of last.
    pub(super) announced: Option<Selection>,
    pub(super) scroll_to: Option<u64>,
    /// Rows that the last frame showed.
    pub(super) shown_rows: u64,
    pub(super) height: f32,
    /// The row that the page has chosen.
    pub(super) chosen: Option<u64>,
    /// The row whose menu was opened by its button.
    pub(super) menu_row: Option<u64>,
    order: (u64, Arc<Vec<usize>>),
    /// Whether nothing had the keyboard when the table was drawn last.
    pub(super) was_free: bool,
    /// Whether the keyboard goes to the table: it was clicked into.
    pub(super) is_entered: bool,
    /// The last frame and second in which the table had the keyboard.
    pub(super) had_keyboard: Option<(u64, f64)>,
}

impl TableState {
    /// The first row comes into sight, and no row is selected: for another list.
    pub fn reset(&mut self) {
        *self = Self { sort: std::mem::take(&mut self.sort), scroll_to: Some(0), ..Self::default() };
    }

    /// Sends the row at the cursor to the page again, as when a person comes
    /// back to it.
    pub fn announce(&mut self) {
        self.moved |= self.cursor.is_some();
    }

    /// The number of the row at the cursor.
    pub fn cursor(&self) -> Option<u64> {
        self.cursor.map(|cursor| cursor.index)
    }

    /// Whether rows that were selected are still read.
    pub fn is_selecting(&self) -> bool {
        self.range.is_some()
    }

    /// A click on a head: from the most where it counts, else from A; then the
    /// other way round; then as the rows come. `add` keeps the keys before.
    pub(super) fn sort_by(&mut self, column: &'static str, descending_first: bool, add: bool) {
        let before = self.sort.iter().position(|key| key.column == column);
        let next = match before.map(|at| self.sort[at].descending) {
            None => Some(descending_first),
            Some(descending) if descending == descending_first => Some(!descending),
            Some(_) => None,
        };
        let key = next.map(|descending| SortKey { column, descending });
        match (before, key, add) {
            (Some(at), Some(key), true) => self.sort[at] = key,
            (Some(at), None, true) => drop(self.sort.remove(at)),
            (_, key, false) => self.sort = key.into_iter().collect(),
            (None, key, true) => self.sort.extend(key),
        }
        self.range = None;
        self.anchor = None;
    }

    /// The order of loaded rows. It is kept as long as what it is made of is the
    /// same.
    pub(super) fn order_of<R, A>(&mut self, rows: &[&R], columns: &[Column<'_, R, A>]) -> Arc<Vec<usize>> {
        let keys: Vec<_> =
            self.sort.iter().filter_map(|key| Some((field_of(columns, key.column)?.get, key.descending))).collect();
        let mut hasher = DefaultHasher::new();
        (rows.len(), &self.sort).hash(&mut hasher);
        for (get, _) in &keys {
            rows.iter().for_each(|row| get.of(row).hash(&mut hasher));
        }
        let print = hasher.finish();
        if print != self.order.0 {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|a, b| {
                let compare = |(get, descending): &(super::column::Getter<R>, bool)| {
                    get.of(rows[*a]).compare(&get.of(rows[*b]), *descending)
                };
                keys.iter().map(compare).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
            });
            self.order = (print, Arc::new(order));
        }
        self.order.1.clone()
    }

    /// Moves the cursor; with `extend` selects everything between.
    pub(super) fn go_to(&mut self, index: u64, extend: bool) {
        let from = if extend { self.anchor.or(self.cursor()).unwrap_or(index) } else { index };
        self.anchor = Some(from);
        self.range = Some((from.min(index), from.max(index)));
        self.set_cursor(index);
        self.moved = true;
    }

    pub(super) fn set_cursor(&mut self, index: u64) {
        self.cursor = Some(Cursor { index, key: None });
    }

    pub(super) fn toggle(&mut self, index: u64, key: u64) {
        self.selection.toggle(key);
        self.range = None;
        self.anchor = Some(index);
        self.cursor = Some(Cursor { index, key: Some(key) });
        self.moved = true;
    }

    /// Follows rows that move while they are shown, and takes over the keys of
    /// those that have come. Whether the range was too long to select.
    pub(super) fn follow<R>(
        &mut self,
        app: &mut AppState,
        rows: &mut dyn RowSource<R>,
        key_of: &dyn Fn(&R) -> u64,
    ) -> bool {
        let total = rows.total();
        let key_at = |rows: &dyn RowSource<R>, index: u64| match rows.row(index) {
            Slot::Ready(row) => Some(key_of(row)),
            Slot::Loading | Slot::Gone | Slot::Failed(_) => None,
        };
        if let Some(cursor) = self.cursor {
            rows.prepare(app, cursor.index..cursor.index + 1);
            let now = key_at(rows, cursor.index);
            self.cursor = match cursor.key {
                None => Some(Cursor { index: cursor.index.min(total.saturating_sub(1)), key: now }),
                key if key == now => Some(cursor),
                // Of rows that are read in parts only the loaded ones are searched.
                Some(key) => {
                    let found = (0..total.min(RANGE_ROWS)).find(|index| key_at(rows, *index) == Some(key));
                    found.map(|index| Cursor { index, key: Some(key) })
                }
            };
        }
        let Some((first, last)) = self.range else { return false };
        if last - first >= RANGE_ROWS {
            self.range = None;
            return true;
        }
        if rows.prepare(app, first..last + 1) {
            self.range = None;
            let keys = (first..=last).filter_map(|index| key_at(rows, index));
            self.selection = Selection::Rows(Arc::new(keys.collect()));
        }
        false
    }

    /// Marks the row that the page has chosen, when it is another.
    pub(super) fn choose<R>(
        &mut self,
        chosen: Option<u64>,
        app: &mut AppState,
        rows: &mut dyn RowSource<R>,
        key_of: &dyn Fn(&R) -> u64,
    ) {
        if self.chosen == chosen || self.cursor.is_some_and(|cursor| cursor.key.is_some() && cursor.key == chosen) {
            self.chosen = chosen;
            return;
        }
        let Some(key) = chosen else {
            self.chosen = None;
            return;
        };
        let total = rows.total().min(RANGE_ROWS);
        rows.prepare(app, 0..total.min(1));
        let found = (0..total).find(|index| matches!(rows.row(*index), Slot::Ready(row) if key_of(row) == key));
        if let Some(index) = found {
            self.chosen = chosen;
            self.cursor = Some(Cursor { index, key: Some(key) });
            self.anchor = Some(index);
            self.selection = Selection::Rows(Arc::new(HashSet::from([key])));
        }
    }
}
