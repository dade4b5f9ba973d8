//! The one table of the window: a list of columns, and loaded rows or a query.
//!
//! In: [`Column`]s, and rows or a [`RowQuery`]. Out: what a link, a row or a
//! menu requested. Every table is sorted, selected in, copied, exported and
//! arranged in the same way, by mouse and by keys.
//!
//! Invariants: only rows in sight are drawn; rows of a query are read by
//! workers, a part at a time; a zero leads nowhere; what is copied or exported
//! are the columns that are shown.

mod cell;
mod column;
mod copy;
mod grid;
mod row_actions;
mod rows;
mod state;
#[cfg(test)]
mod tests;

use column::Field;
pub use column::{Column, Value};
pub use row_actions::{RowIcon, RowsAction, request_rows, selected_count};
pub use state::{RANGE_ROWS, Selection, TableState};

use super::text;
use super::theme::{self, tokens};
use super::widgets::{keep_page_room, least_table_height};
use crate::app::models::Notice;
use crate::app::{AppState, Command, RowQuery, TableRows, cell_text};
use copy::CopyForm;
use egui::accesskit::Role;
use egui::{
    Event, EventFilter, FocusDirection, Id, IdMap, Key, Modifiers, Popup, Response, Sense, Stroke, StrokeKind, Ui,
    UiBuilder,
};
use egui_table::HeaderRow;
use grid::{Grid, RowMenu, TableAction};
use rows::{LoadedRows, Paged, RowSource, Slot};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Rows that one table shows: beyond, offsets in `f32` lose whole pixels.
pub const ROWS_SHOWN: u64 = 500_000;
/// Widths that a column may have.
const WIDTHS: std::ops::RangeInclusive<f32> = 24.0..=1200.0;

/// The key of a row that has no number.
pub fn key_of(row: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish()
}

/// A function from a row to the action of the page.
type RowAction<'a, R, A> = Box<dyn Fn(&R) -> Option<A> + 'a>;

/// A table of rows `R`, whose links, rows and menus have actions `A`.
pub struct Table<'a, R, A = ()> {
    id: &'static str,
    name: &'a str,
    columns: Vec<Column<'a, R, A>>,
    key: Box<dyn Fn(&R) -> u64 + 'a>,
    height: Option<f32>,
    row_height: f32,
    chosen: Option<Option<u64>>,
    is_aside: bool,
    focus: Option<RowAction<'a, R, A>>,
    open: Option<RowAction<'a, R, A>>,
    menu: Option<RowMenu<'a, R, A>>,
    select: Option<SelectAction<'a, R, A>>,
    actions: Vec<RowsAction<'a, R, A>>,
    icons: Vec<RowIcon<'a, R, A>>,
    divider: Option<RowDivider<'a, R>>,
}

/// A line between rows for which a test holds and those for which it does not.
struct RowDivider<'a, R> {
    /// Written at its end.
    label: String,
    /// The column that rows have to be sorted by where they are sorted at all.
    column: &'static str,
    holds: Box<dyn Fn(&R) -> bool + 'a>,
}

/// A function from selected rows, all of them loaded, to the action of the page.
type SelectAction<'a, R, A> = Box<dyn Fn(&[&R]) -> Option<A> + 'a>;

impl<'a, R, A> Table<'a, R, A> {
    /// A table of these columns. `id` names it in settings and files, `name` to
    /// people; `key` is what a row is known by while rows come and go.
    pub fn new(
        id: &'static str,
        name: &'a str,
        columns: impl IntoIterator<Item = Column<'a, R, A>>,
        key: impl Fn(&R) -> u64 + 'a,
    ) -> Self {
        Self {
            id,
            name,
            columns: columns.into_iter().collect(),
            key: Box::new(key),
            height: None,
            row_height: theme::ROW,
            chosen: None,
            is_aside: false,
            focus: None,
            open: None,
            menu: None,
            select: None,
            actions: Vec::new(),
            icons: Vec::new(),
            divider: None,
        }
    }

    /// Draws a line with a label between rows for which a test of this column holds and the others.
    pub fn divider(mut self, column: &'static str, label: String, holds: impl Fn(&R) -> bool + 'a) -> Self {
        self.divider = Some(RowDivider { label, column, holds: Box::new(holds) });
        self
    }

    /// Limits the height; without it the table takes the room there is.
    pub fn height(mut self, height: f32) -> Self {
        self.height = Some(height);
        self
    }

    /// Rows of this height.
    pub fn row_height(mut self, height: f32) -> Self {
        self.row_height = height;
        self
    }

    /// Rows of two lines, as [`Column::second`] has them.
    pub fn two_lines(self) -> Self {
        self.row_height(theme::TWO_LINE_ROW)
    }

    /// Adds a button at the end of the row under the pointer and of that at the cursor. The first
    /// three are drawn; what they do is in the menu of the row as well.
    pub fn row_icon(mut self, icon: RowIcon<'a, R, A>) -> Self {
        self.icons.push(icon);
        self
    }

    /// The key of the row that the page is about.
    pub fn chosen(mut self, key: Option<u64>) -> Self {
        self.chosen = Some(key);
        self
    }

    /// Takes no keys until a person goes into it: another table is the page's own.
    pub fn aside(mut self) -> Self {
        self.is_aside = true;
        self
    }

    /// Sets the action of a row that is clicked, or reached by keys.
    pub fn on_focus(mut self, act: impl Fn(&R) -> Option<A> + 'a) -> Self {
        self.focus = Some(Box::new(act));
        self
    }

    /// Sets the action of a row on a double click or Enter; by default its first link.
    pub fn on_open(mut self, act: impl Fn(&R) -> Option<A> + 'a) -> Self {
        self.open = Some(Box::new(act));
        self
    }

    /// Adds entries of the page to the context menu of a row.
    pub fn menu(mut self, draw: impl Fn(&mut Ui, &R) -> Option<A> + 'a) -> Self {
        self.menu = Some(Box::new(draw));
        self
    }

    /// Sets the action of a new selection, in a table whose rows are all loaded.
    pub fn on_select(mut self, act: impl Fn(&[&R]) -> Option<A> + 'a) -> Self {
        self.select = Some(Box::new(act));
        self
    }

    /// Adds what can be done with all selected rows: in the menu of a row, and by
    /// [`request_rows`] with its place among these.
    pub fn with_rows(mut self, action: RowsAction<'a, R, A>) -> Self {
        self.actions.push(action);
        self
    }

    /// Draws it with rows that are all loaded.
    pub fn rows_ui<'r>(self, ui: &mut Ui, app: &mut AppState, rows: impl IntoIterator<Item = &'r R>) -> Option<A>
    where
        R: 'r,
    {
        let rows: Vec<&R> = rows.into_iter().collect();
        self.kept_ui(ui, |table, ui, state| {
            let order = state.order_of(&rows, &table.columns);
            table.show_ui(ui, app, &mut LoadedRows { rows, order }, state)
        })
    }

    /// Draws it with the rows of a query, of which there are `total`.
    pub fn pages_ui<Q: RowQuery<Row = R>>(self, ui: &mut Ui, app: &mut AppState, query: &Q, total: u64) -> Option<A> {
        self.kept_ui(ui, |table, ui, state| table.pages_with_ui(ui, app, query, total, state))
    }

    /// Draws it as `pages_ui`, with a state that the page keeps.
    pub fn pages_with_ui<Q: RowQuery<Row = R>>(
        self,
        ui: &mut Ui,
        app: &mut AppState,
        query: &Q,
        total: u64,
        state: &mut TableState,
    ) -> Option<A> {
        if total > ROWS_SHOWN {
            ui.weak(format!("Only the first {} rows are shown; narrow the filter", text::count(ROWS_SHOWN)));
        }
        let mut rows = Paged::new(query, &state.sort, total.min(ROWS_SHOWN));
        self.show_ui(ui, app, &mut rows, state)
    }

    fn kept_ui(self, ui: &mut Ui, draw: impl FnOnce(Self, &mut Ui, &mut TableState) -> Option<A>) -> Option<A> {
        let id = state_id(self.id);
        let mut state: TableState = ui.data_mut(|data| data.remove_temp(id)).unwrap_or_default();
        let action = draw(self, ui, &mut state);
        ui.data_mut(|data| data.insert_temp(id, state));
        action
    }

    fn show_ui(
        mut self,
        ui: &mut Ui,
        app: &mut AppState,
        rows: &mut dyn RowSource<R>,
        state: &mut TableState,
    ) -> Option<A> {
        let total = rows.total();
        if app.settings.roomy_rows && self.row_height == theme::ROW {
            self.row_height = theme::ROOMY_ROW;
        }
        let mut layout = app.settings.tables.get(self.id).cloned().unwrap_or_default();
        let before = layout.clone();
        let shown = grid::shown_columns(&self.columns, &layout);
        if let Some(chosen) = self.chosen {
            state.choose(chosen, app, rows, &*self.key);
        }
        let mut child = self.room_ui(ui, total);
        let table_id = child.unique_id();
        let mut requested = None;
        give_keyboard(&child, table_id, state);
        let takes = self.takes_keys(&child, app, state);
        if takes == Takes::All {
            move_keys(&mut child, state, total);
        }
        if takes != Takes::Nothing {
            requested = command_keys(&child);
        }
        if state.follow(app, rows, &*self.key) {
            app.notice(Notice {
                is_error: false,
                what: format!("A range holds at most {} rows", text::count(RANGE_ROWS)),
                why: String::new(),
                hint: "Narrow the filter and select all rows with Ctrl+A".to_owned(),
            });
        }
        let has_focus = child.memory(|memory| memory.has_focus(table_id));
        let height = child.max_rect().height();
        // A row that was chosen stays in sight when a panel takes the room.
        if std::mem::replace(&mut state.height, height) != height && state.scroll_to.is_none() {
            state.scroll_to = state.cursor();
        }
        let mut grid = Grid {
            columns: &self.columns,
            shown: &shown,
            row_height: self.row_height,
            rows,
            app,
            state,
            layout: &mut layout,
            key_of: &*self.key,
            menu: self.menu.as_ref(),
            actions: &self.actions,
            icons: &self.icons,
            divider: self.divider.as_ref(),
            has_focus,
            table_id,
            action: None,
            requested: None,
            clicked: None,
            double_clicked: false,
            nodes: Default::default(),
            lit: Default::default(),
            rect: child.max_rect(),
            icons_end: 0.0,
        };
        grid_ui(&mut child, self.id, &mut grid, total);
        grid.join_rows(&child);
        grid.row_icons_ui(&mut child);
        grid.menu_button_ui(&mut child, self.name);
        if has_focus && grid.state.cursor().is_none() {
            // Until a row is reached, the table itself shows that it has the keyboard.
            let stroke = Stroke::new(1.0, tokens(&child).accent);
            child.painter().rect_stroke(child.max_rect(), 0.0, stroke, StrokeKind::Inside);
        }
        let at_cursor = grid.state.cursor().and_then(|index| grid.nodes.get(&index)).and_then(|nodes| nodes.first());
        let (at_cursor, label) = (at_cursor.copied(), grid::sort_label(&self.columns, &grid.state.sort));
        child.ctx().accesskit_node_builder(table_id, |node| {
            node.set_bounds(grid::bounds(child.max_rect()));
            node.set_row_count(usize::try_from(total).unwrap_or(usize::MAX));
            node.set_column_count(shown.len());
            if let Some(row) = at_cursor {
                node.set_active_descendant(row.accesskit_id());
            }
            if let Some(label) = label {
                node.set_description(label);
            }
        });
        let Grid { mut action, requested: in_grid, clicked, double_clicked, .. } = grid;
        if let Some((index, modifiers)) = clicked {
            state.is_entered = true;
            match rows.row(index) {
                Slot::Ready(row) if modifiers.command => state.toggle(index, (self.key)(row)),
                _ => state.go_to(index, modifiers.shift),
            }
            state.follow(app, rows, &*self.key);
            state.opened |= double_clicked;
            child.ctx().request_repaint();
        }
        match requested.or(in_grid) {
            Some(TableAction::CopyTsv) => state.copies = Some(CopyForm::Tsv),
            Some(TableAction::CopyMarkdown) => state.copies = Some(CopyForm::Markdown),
            Some(TableAction::SelectAll) => {
                state.range = None;
                state.selection = Selection::All;
            }
            Some(TableAction::Export) => app.send(Command::OpenTableExport(self.exported(&shown, rows))),
            None => {}
        }
        self.copy(&child, app, &shown, rows, state);
        action = action.or_else(|| self.answer(rows, state));
        action = action.or_else(|| self.act_on_rows(&child, app, rows, state));
        action = action.or_else(|| self.announce_selection(rows, state));
        if layout != before {
            app.settings.tables.insert(self.id.to_owned(), layout);
        }
        action
    }

    /// The place of the table, which takes the keyboard as a whole.
    fn room_ui(&self, ui: &mut Ui, total: u64) -> Ui {
        let rows = usize::try_from(total).unwrap_or(usize::MAX);
        let height = self.height.unwrap_or_else(|| {
            keep_page_room(ui, least_table_height(ui, rows, self.row_height));
            ui.available_height()
        });
        let bar = ui.spacing().scroll.allocated_width();
        let rows_height = (total as f32 * self.row_height).min(height - theme::HEAD_ROW - bar).max(self.row_height);
        let size = egui::vec2(ui.available_width(), theme::HEAD_ROW + rows_height + bar);
        let (_, rect) = ui.allocate_space(size);
        let builder = UiBuilder::new()
            .id_salt(("table", self.id))
            .max_rect(rect)
            .sense(Sense::focusable_noninteractive())
            .accessibility_role(Role::Table)
            .accessibility_label(self.name);
        let mut child = ui.new_child(builder);
        child.set_clip_rect(rect.intersect(ui.clip_rect()));
        child.spacing_mut().item_spacing.y = 0.0;
        // Columns are parted by space alone.
        child.visuals_mut().widgets.noninteractive.bg_stroke = Stroke::NONE;
        child.set_min_size(size);
        child
    }

    /// The keys that this table handles: all while it has the keyboard, or nothing has
    /// it and this is the table that had it last or came first; of that table those
    /// that copy and export, whatever control has the keyboard but a text field.
    fn takes_keys(&self, ui: &Ui, app: &AppState, state: &mut TableState) -> Takes {
        let (id, pass) = (ui.unique_id(), ui.ctx().cumulative_pass_nr());
        let focused = ui.memory(|memory| memory.focused());
        let owner: Option<(Id, u64)> = ui.data(|data| data.get_temp(keyboard_id()));
        let is_gone = owner.is_none_or(|(owner, seen)| owner != id && seen + 3 < pass);
        let is_owner =
            focused == Some(id) || owner.is_some_and(|(owner, _)| owner == id) || (is_gone && !self.is_aside);
        if is_owner {
            ui.data_mut(|data| data.insert_temp(keyboard_id(), (id, pass)));
        }
        if focused == Some(id) {
            let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        }
        // Enter that left a field is no Enter on a row.
        let was_free = std::mem::replace(&mut state.was_free, focused.is_none());
        let is_free = focused.is_none() && was_free;
        if !is_owner || app.dialog().is_some() || Popup::is_any_open(ui.ctx()) {
            Takes::Nothing
        } else if focused == Some(id) || is_free {
            Takes::All
        } else if focused.is_some() && !ui.ctx().text_edit_focused() {
            Takes::Commands
        } else {
            Takes::Nothing
        }
    }

    /// The action of the row that was reached or opened, once it is loaded.
    fn answer(&self, rows: &mut dyn RowSource<R>, state: &mut TableState) -> Option<A> {
        let Slot::Ready(row) = rows.row(state.cursor()?) else { return None };
        let moved = std::mem::take(&mut state.moved).then(|| self.focus.as_ref().and_then(|act| act(row))).flatten();
        if std::mem::take(&mut state.opened) {
            let link = || self.columns.iter().find_map(|column| column.target(row));
            let opened = self.open.as_ref().map_or_else(link, |act| act(row));
            return opened.or(moved).or_else(|| self.focus.as_ref().and_then(|act| act(row)));
        }
        moved
    }

    /// Copies the selected rows once they are loaded; shows a notice where that is not
    /// all of them.
    fn copy(&self, ui: &Ui, app: &mut AppState, shown: &[usize], rows: &mut dyn RowSource<R>, state: &mut TableState) {
        let Some(form) = state.copies.filter(|_| state.range.is_none()) else { return };
        let Some(selected) = self.selected(app, rows, state) else { return };
        state.copies = None;
        let fields = self.fields(shown);
        let cells_of = |index: &u64| match rows.row(*index) {
            Slot::Ready(row) => fields.iter().map(|field| cell_text(&field.get.of(row).exported())).collect::<Vec<_>>(),
            Slot::Loading | Slot::Gone | Slot::Failed(_) => Vec::new(),
        };
        let copied: Vec<Vec<String>> = selected.iter().map(cells_of).collect();
        if copied.is_empty() {
            return;
        }
        let expected = state.selection.count(rows.total());
        if (copied.len() as u64) < expected {
            app.notice(Notice {
                is_error: false,
                what: format!("Copied {} of {} selected rows", text::count(copied.len() as u64), text::count(expected)),
                why: format!("only the first {} rows of the table are looked through", text::count(RANGE_ROWS)),
                hint: "Ctrl+E exports all rows to a file".to_owned(),
            });
        }
        let head: Vec<&str> = fields.iter().map(|field| field.head).collect();
        let numbers: Vec<bool> = fields.iter().map(|field| field.is_number).collect();
        ui.ctx().copy_text(form.text(&head, &numbers, &copied));
    }

    /// The values of the columns that are shown, those of their second lines among them.
    fn fields(&self, shown: &[usize]) -> Vec<Field<R>> {
        shown.iter().flat_map(|at| self.columns[*at].fields()).collect()
    }

    fn exported(&self, shown: &[usize], rows: &dyn RowSource<R>) -> TableRows {
        let fields = self.fields(shown);
        TableRows {
            name: self.id.replace(' ', "-"),
            columns: fields.iter().map(|field| field.id).collect(),
            total: rows.total(),
            fill: rows.fill(fields.iter().map(|field| field.get).collect()),
        }
    }
}

/// The place of a table's state between frames, if its page does not keep it.
fn state_id(table: &str) -> Id {
    Id::unique(("state of the table", table))
}

/// Rows that load again are there within so many seconds.
const LOADING_S: f64 = 2.0;

/// Gives the keyboard to a table that was clicked into, now that the click is over: before, it
/// would take it away again, since a row was clicked and not the table. The same for one that had
/// it before its rows were loaded again.
fn give_keyboard(ui: &Ui, table: Id, state: &mut TableState) {
    let (pass, time) = (ui.ctx().cumulative_pass_nr(), ui.input(|input| input.time));
    let focused = ui.memory(|memory| memory.focused());
    let was_away = state.had_keyboard.is_some_and(|(drawn, at)| drawn + 1 < pass && time < at + LOADING_S);
    if std::mem::take(&mut state.is_entered) || (was_away && focused.is_none()) {
        ui.memory_mut(|memory| memory.request_focus(table));
    }
    state.had_keyboard = ui.memory(|memory| memory.has_focus(table)).then_some((pass, time));
}

/// The place of the table that has the keys, and of its last frame.
fn keyboard_id() -> Id {
    Id::unique("table with the keyboard")
}

/// Lets the arrow down go from a tab to the table below it, over what is between them.
pub fn arrow_to_table_below(ui: &Ui, tab: &Response) {
    let owner: Option<(Id, u64)> = ui.data(|data| data.get_temp(keyboard_id()));
    let table = owner.and_then(|(owner, _)| ui.ctx().read_response(owner));
    if let Some(table) = table.filter(|table| table.rect.top() >= tab.rect.bottom()) {
        arrow_to_rows(ui, tab, table.id);
    }
}

/// Lets the arrow down go from a control to the rows of its table.
fn arrow_to_rows(ui: &Ui, control: &Response, table: Id) {
    if !control.has_focus() {
        return;
    }
    let filter = EventFilter { vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(control.id, filter));
    let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowDown) {
        ui.memory_mut(|memory| memory.request_focus(table));
    } else if pressed(Key::ArrowUp) {
        ui.memory_mut(|memory| memory.move_focus(FocusDirection::Up));
    }
}

/// The keys that a table handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    All,
    Commands,
    Nothing,
}

/// Moves and selects by keys.
fn move_keys(ui: &mut Ui, state: &mut TableState, total: u64) {
    // Keys with Alt are of the page: a rule moves, the way goes back.
    if ui.input(|input| input.modifiers.alt) {
        return;
    }
    let pressed = |modifiers: Modifiers, key: Key| ui.input_mut(|input| input.consume_key(modifiers, key));
    let last = total.saturating_sub(1);
    let page = i64::try_from(state.shown_rows.saturating_sub(2).max(1)).unwrap_or(1);
    let at = state.cursor();
    let step = |by: i64| at.map_or(0, |row| row.saturating_add_signed(by).min(last));
    for (key, to) in [
        (Key::ArrowDown, step(1)),
        (Key::ArrowUp, step(-1)),
        (Key::PageDown, step(page)),
        (Key::PageUp, step(-page)),
        (Key::Home, 0),
        (Key::End, last),
    ] {
        let with_shift = pressed(Modifiers::SHIFT, key);
        if total > 0 && (with_shift || pressed(Modifiers::NONE, key)) {
            state.go_to(to, with_shift);
            state.scroll_to = Some(to);
        }
    }
    if pressed(Modifiers::NONE, Key::Enter) && state.cursor.is_some() {
        state.opened = true;
    }
    if total > 0 && grid::pressed_menu_key(ui) {
        if at.is_none() {
            state.go_to(0, false);
        }
        state.scroll_to = state.cursor();
        state.opens_menu = true;
    }
}

/// The action of the keys that copy, select all and export.
fn command_keys(ui: &Ui) -> Option<TableAction> {
    if ui.input(|input| input.modifiers.alt) {
        return None;
    }
    let pressed = |modifiers: Modifiers, key: Key| ui.input_mut(|input| input.consume_key(modifiers, key));
    if pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::C) {
        return Some(TableAction::CopyMarkdown);
    }
    if pressed(Modifiers::COMMAND, Key::A) {
        return Some(TableAction::SelectAll);
    }
    if pressed(Modifiers::COMMAND, Key::E) {
        return Some(TableAction::Export);
    }
    ui.input(|input| input.events.contains(&Event::Copy)).then_some(TableAction::CopyTsv)
}

/// Draws heads and rows, and keeps the widths that a person drew.
fn grid_ui<R, A>(ui: &mut Ui, id: &str, grid: &mut Grid<'_, '_, R, A>, total: u64) {
    let column_id = |at: &usize| Id::unique(("column", id, grid.columns[*at].id));
    let ids: Vec<Id> = grid.shown.iter().map(column_id).collect();
    let own = |at: &usize| grid::width_of(ui, &grid.columns[*at], grid.layout);
    let mut widths: Vec<f32> = grid.shown.iter().map(own).collect();
    let room = ui.available_width() - ui.spacing().scroll.allocated_width().max(grid::MENU_BUTTON);
    grid::share_room(grid, &mut widths, room);
    let all: f32 = widths.iter().sum();
    let leads_on = |at: &usize| grid.columns[*at].link.is_some();
    let at_end = grid.shown.iter().zip(&widths).rev().take_while(|(at, _)| leads_on(at));
    grid.icons_end = all.min(room) - if all <= room { at_end.map(|(_, width)| width).sum() } else { 0.0 };
    let columns: Vec<egui_table::Column> = ids
        .iter()
        .zip(&widths)
        .map(|(id, width)| egui_table::Column::new(*width).range(WIDTHS).resizable(true).id(*id))
        .collect();
    let mut table = egui_table::Table::new()
        .id_salt(id)
        .num_rows(total)
        .headers([HeaderRow::new(theme::HEAD_ROW)])
        .columns(columns);
    let table_id = table.get_id(ui);
    let col_widths: IdMap<f32> = ids.iter().copied().zip(widths.iter().copied()).collect();
    // Without stored widths it would measure rows that may not be there yet.
    egui_table::TableState { col_widths, parent_width: None }.store(ui.ctx(), table_id);
    if let Some(row) = grid.state.scroll_to.take() {
        table = table.scroll_to_row(row.min(total.saturating_sub(1)), None);
    }
    table.show(ui, grid);
    for (at, id) in grid.shown.iter().zip(&ids) {
        grid::name_resizer(ui, table_id, *id, &grid.columns[*at]);
    }
    let Some(state) = egui_table::TableState::load(ui.ctx(), table_id) else { return };
    for ((at, id), before) in grid.shown.iter().zip(&ids).zip(widths) {
        if let Some(now) = state.col_widths.get(id).filter(|now| (**now - before).abs() > 0.5) {
            grid::keep_width(grid.layout, grid.columns[*at].id, *now);
        }
    }
}
