//! A frame of a table: rows in sight, heads, menus.

use super::RowDivider;
use super::cell::{self, HeadOrder};
use super::column::{Column, Value};
use super::row_actions::{RowIcon, RowsAction};
use super::rows::{RowSource, Slot};
use super::state::{TableState, field_of};
use crate::app::models::SortKey;
use crate::app::{AppState, ColumnLayout, TableLayout};
use crate::ui::access::note_keyboard_place;
use crate::ui::icons::Icon;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{hair, icon_at};
use egui::accesskit::{Role, SortDirection};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{
    Color32, FocusDirection, Id, Key, Modifiers, Popup, PopupCloseBehavior, Rect, Response, Sense, SetOpenCommand,
    Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo,
};
use egui_table::{CellInfo, HeaderCellInfo, PrefetchInfo, TableDelegate};
use std::collections::BTreeMap;

/// Width of the button at the end of the heads.
pub(super) const MENU_BUTTON: f32 = 24.0;
/// Width of the bar at the row that keys act on.
const CURSOR_BAR: f32 = 3.0;
/// Width of a button at the end of a row.
const ROW_BUTTON: f32 = 26.0;
/// Most buttons at the end of a row before that of its menu.
const ROW_ICONS: usize = 3;

/// Width to which a column grows by itself.
const MOST_REST: f32 = 520.0;
/// Width to which it shrinks where there is no room for the others.
const LEAST_REST: f32 = 200.0;
/// Columns of this width and more hold texts that may be longer than they are.
const LONG_TEXT: f32 = 120.0;

/// Columns whose texts name a row.
const NAMING_COLUMNS: usize = 2;
/// Characters of a value in the menu of its row.
const LINK_CHARS: usize = 40;

/// Menus stay while columns are chosen one after the other; what else is clicked closes them.
const CLOSES: PopupCloseBehavior = PopupCloseBehavior::CloseOnClickOutside;

/// An action on the table itself, from a key or a menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableAction {
    CopyTsv,
    CopyMarkdown,
    SelectAll,
    Export,
}

/// The context menu of a row, drawn by its page.
pub(super) type RowMenu<'a, R, A> = Box<dyn Fn(&mut Ui, &R) -> Option<A> + 'a>;

/// A row under the pointer or with the cursor.
pub(super) struct LitRow {
    rect: Rect,
    ground: Color32,
    /// Whether its edge shows that keys act on it.
    is_outlined: bool,
}

/// A table while it draws one frame.
pub(super) struct Grid<'t, 'a, R, A> {
    pub(super) columns: &'t [Column<'a, R, A>],
    /// Columns that are shown, by their places among all.
    pub(super) shown: &'t [usize],
    pub(super) row_height: f32,
    pub(super) rows: &'t mut dyn RowSource<R>,
    pub(super) app: &'t mut AppState,
    pub(super) state: &'t mut TableState,
    pub(super) layout: &'t mut TableLayout,
    pub(super) key_of: &'t dyn Fn(&R) -> u64,
    pub(super) menu: Option<&'t RowMenu<'a, R, A>>,
    pub(super) actions: &'t [RowsAction<'a, R, A>],
    pub(super) icons: &'t [RowIcon<'a, R, A>],
    pub(super) divider: Option<&'t RowDivider<'a, R>>,
    pub(super) has_focus: bool,
    pub(super) table_id: Id,
    /// The action of a link, a button or a menu of the page.
    pub(super) action: Option<A>,
    pub(super) requested: Option<TableAction>,
    pub(super) clicked: Option<(u64, Modifiers)>,
    pub(super) double_clicked: bool,
    /// Accessible nodes of each row in sight: egui_table draws it in two regions, one of them empty.
    pub(super) nodes: BTreeMap<u64, Vec<Id>>,
    /// Rows under the pointer or with the cursor.
    pub(super) lit: BTreeMap<u64, LitRow>,
    /// The place of the table.
    pub(super) rect: Rect,
    /// From the left of the table to the columns at its end that lead on, which no button covers.
    pub(super) icons_end: f32,
}

impl<R, A> Grid<'_, '_, R, A> {
    fn columns_menu_ui(&mut self, ui: &mut Ui) {
        for column in self.columns {
            let mut shown = is_shown(column, self.layout);
            // A table without columns has no head to bring them back with.
            let is_last = shown && self.shown.len() == 1;
            if ui.add_enabled(!is_last, egui::Checkbox::new(&mut shown, column.head)).changed() {
                self.layout.columns.entry(column.id.to_owned()).or_default().shown = Some(shown);
            }
        }
        if ui.button("Reset columns").clicked() {
            *self.layout = TableLayout::default();
            ui.close();
        }
    }

    fn head_menu_ui(&mut self, ui: &mut Ui, at: usize) {
        let Some(column) = self.shown.get(at).and_then(|index| self.columns.get(*index)) else { return };
        for (label, to) in [("Move left", at.checked_sub(1)), ("Move right", Some(at + 1))] {
            let to = to.filter(|to| *to < self.shown.len());
            if ui.add_enabled(to.is_some(), egui::Button::new(label)).clicked()
                && let Some(to) = to
            {
                let mut shown = self.shown.to_vec();
                shown.swap(at, to);
                self.layout.order = shown.iter().map(|index| self.columns[*index].id.to_owned()).collect();
                ui.close();
            }
        }
        if let Some(second) = &column.second
            && self.rows.can_sort(second.id)
            && ui.button(format!("Sort by {}", second.head)).clicked()
        {
            self.state.sort_by(second.id, false, false);
            ui.close();
        }
        if ui.add_enabled(self.shown.len() > 1, egui::Button::new("Hide this column")).clicked() {
            self.layout.columns.entry(column.id.to_owned()).or_default().shown = Some(false);
            ui.close();
        }
        ui.separator();
        self.columns_menu_ui(ui);
    }

    fn row_menu_ui(&mut self, ui: &mut Ui, index: u64) {
        if let Slot::Ready(row) = self.rows.row(index) {
            let top = ui.min_rect().bottom();
            let mut action = self.menu.and_then(|menu| menu(ui, row));
            // Where its numbers lead to, for who has no pointer.
            for column in self.columns {
                if let (Some((hint, _)), Some(leads_to)) = (&column.link, column.target(row)) {
                    let value = text::short(&column.get.of(row).shown(), LINK_CHARS);
                    let button = ui.button(format!("{}: {value}", column.head));
                    if button.on_hover_text(*hint).clicked() {
                        action = Some(leads_to);
                    }
                }
            }
            let selected = self.state.selection.count(self.rows.total()).max(1);
            for (number, of_rows) in self.actions.iter().enumerate() {
                if ui.button((of_rows.label)(selected)).clicked() {
                    self.state.acts = Some(number);
                    ui.close();
                }
            }
            if action.is_some() {
                self.action = action;
                ui.close();
            }
            if ui.min_rect().bottom() > top {
                ui.separator();
            }
        }
        self.table_menu_ui(ui);
    }

    /// Draws the menu that every table has.
    fn table_menu_ui(&mut self, ui: &mut Ui) {
        for (label, keys, requested) in [
            ("Copy rows", "Ctrl+C", TableAction::CopyTsv),
            ("Copy rows as Markdown", "Ctrl+Shift+C", TableAction::CopyMarkdown),
            ("Select all rows", "Ctrl+A", TableAction::SelectAll),
            ("Export table…", "Ctrl+E", TableAction::Export),
        ] {
            if ui.add(egui::Button::new(label).shortcut_text(keys)).clicked() {
                self.requested = Some(requested);
                ui.close();
            }
        }
        ui.menu_button("Columns", |ui| self.columns_menu_ui(ui));
    }

    /// The menu of a row or a head: at the pointer, or below what has the keyboard
    /// when it is opened by keys. It gives the keyboard to `back` when it closes.
    fn context_menu_ui(
        &mut self,
        ui: &Ui,
        of: &Response,
        is_keyed: bool,
        back: Id,
        draw: impl FnOnce(&mut Self, &mut Ui),
    ) {
        let mut popup = Popup::context_menu(of).close_behavior(CLOSES);
        if is_keyed {
            popup = popup.open_memory(SetOpenCommand::Bool(true));
            self.state.keyed_menu = Some(of.id);
            self.state.enters_menu = true;
            ui.memory_mut(|memory| memory.surrender_focus(back));
        }
        let was_keyed = self.state.keyed_menu == Some(of.id);
        if was_keyed {
            popup = popup.at_position(of.rect.intersect(ui.clip_rect()).left_bottom());
        }
        let shown = popup.show(|ui| {
            draw(self, ui);
            // As an arrow key does, once the menu has its size.
            if !ui.is_sizing_pass() && std::mem::take(&mut self.state.enters_menu) {
                ui.memory_mut(|memory| memory.move_focus(FocusDirection::Down));
            }
        });
        if shown.is_none() && was_keyed {
            self.state.keyed_menu = None;
            // A click beside it goes where it was made.
            if !ui.input(|input| input.pointer.any_click()) {
                ui.memory_mut(|memory| memory.request_focus(back));
            }
        }
    }

    /// The button for who knows neither keys nor the menus of rows and heads, behind the last head
    /// where there is room for it.
    pub(super) fn menu_button_ui(&mut self, ui: &mut Ui, name: &str) {
        let rect = self.rect;
        let rect = Rect::from_min_max(rect.right_top() - egui::vec2(MENU_BUTTON, 0.0), rect.right_top());
        let rect = rect.with_max_y(rect.top() + theme::HEAD_ROW);
        let mut place = ui.new_child(UiBuilder::new().max_rect(rect));
        place.painter().rect_filled(rect, 0.0, tokens(ui).page_bg);
        let button = MenuButton::from_button(egui::Button::new("").frame(false).min_size(rect.size()));
        let button = button.config(MenuConfig::new().close_behavior(CLOSES));
        let (response, _) = button.ui(&mut place, |ui| self.table_menu_ui(ui));
        let is_lit = response.hovered() || response.has_focus();
        let color = if is_lit { tokens(ui).strong_text } else { tokens(ui).weak_text };
        icon_at(place.painter(), Icon::More, rect.center(), color);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Table menu: {name}")));
        response.on_hover_text("Copy, export, choose columns");
    }

    /// Draws what can be done with the rows under the pointer and at the cursor, over their last columns.
    pub(super) fn row_icons_ui(&mut self, ui: &mut Ui) {
        if self.menu.is_none() && self.icons.is_empty() {
            return;
        }
        let (icons, colors) = (self.icons, tokens(ui));
        let count = icons.len().min(ROW_ICONS) + 1;
        let width = count as f32 * ROW_BUTTON;
        let right = self.rect.left() + self.icons_end;
        for (index, LitRow { rect, ground, is_outlined }) in std::mem::take(&mut self.lit) {
            let place = Rect::from_min_max(egui::pos2(right - width, rect.top()), egui::pos2(right, rect.bottom()));
            if place.left() < self.rect.left() + theme::FIELD || matches!(self.rows.row(index), Slot::Loading) {
                continue;
            }
            let place = place.with_max_y(place.bottom() - hair(ui));
            ui.painter().rect_filled(place, 0.0, ground);
            if is_outlined {
                row_outline(ui, rect);
            }
            let mut buttons = ui.new_child(
                UiBuilder::new()
                    .id_salt(("row icons", index))
                    .max_rect(place)
                    .layout(egui::Layout::left_to_right(egui::Align::Center)),
            );
            buttons.set_clip_rect(place.intersect(ui.clip_rect()));
            buttons.spacing_mut().item_spacing.x = 0.0;
            let button_ui = |ui: &mut Ui, icon: Icon, name: &str| {
                let button = egui::Button::new("").frame(false).min_size(egui::vec2(ROW_BUTTON, place.height()));
                let response = ui.add(button);
                let is_lit = response.hovered() || response.has_focus();
                let color = if is_lit { colors.strong_text } else { colors.text };
                icon_at(ui.painter(), icon, response.rect.center(), color);
                response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
                response.on_hover_text(name)
            };
            for icon in icons.iter().take(ROW_ICONS) {
                let Slot::Ready(row) = self.rows.row(index) else { continue };
                if button_ui(&mut buttons, icon.icon, icon.name).clicked() {
                    self.action = (icon.act)(row);
                }
            }
            let more = button_ui(&mut buttons, Icon::More, "Menu of this row");
            let shown = Popup::menu(&more).close_behavior(CLOSES).show(|ui| self.row_menu_ui(ui, index));
            match shown {
                Some(_) => self.state.menu_row = Some(index),
                None if self.state.menu_row == Some(index) => self.state.menu_row = None,
                None => {}
            }
        }
    }

    /// Draws the line below a row that parts it from the next one.
    fn divider_ui(&mut self, ui: &Ui, row: Rect, index: u64) {
        let Some(divider) = self.divider else { return };
        if self.state.sort.first().is_some_and(|key| key.column != divider.column) {
            return;
        }
        let holds = |slot: Slot<'_, R>| match slot {
            Slot::Ready(row) => Some((divider.holds)(row)),
            Slot::Loading | Slot::Gone | Slot::Failed(_) => None,
        };
        let (this, next) = (holds(self.rows.row(index)), self.rows.total() > index + 1);
        let next = if next { holds(self.rows.row(index + 1)) } else { None };
        if this.zip(next).is_none_or(|(this, next)| this == next) {
            return;
        }
        let colors = tokens(ui);
        let bottom = row.bottom() - hair(ui) / 2.0;
        ui.painter().hline(row.x_range(), bottom, Stroke::new(1.0, colors.strong_text));
        let font = egui::FontId::proportional(theme::CAPTION_TEXT);
        let galley = ui.painter().layout_no_wrap(divider.label.clone(), font, colors.strong_text);
        let right = row.right().min(self.rect.left() + self.icons_end) - theme::CELL_PAD;
        let at = egui::pos2(right - galley.size().x, bottom - galley.size().y - 1.0);
        ui.painter().rect_filled(
            Rect::from_min_size(at, galley.size()).expand2(egui::vec2(2.0, 0.0)),
            0.0,
            colors.page_bg,
        );
        ui.painter().galley(at, galley, colors.strong_text);
    }

    fn is_chosen(&self, row: &R) -> bool {
        self.state.selection.contains((self.key_of)(row))
    }

    /// Whether the pointer is over a row of this height, with nothing over the table.
    fn is_hovered(&self, ui: &Ui, row: Rect) -> bool {
        let Some(pointer) = ui.ctx().pointer_hover_pos() else { return false };
        let place = self.rect.intersect(ui.clip_rect().with_min_x(self.rect.left()).with_max_x(self.rect.right()));
        row.y_range().contains(pointer.y)
            && place.contains(pointer)
            && ui.ctx().layer_id_at(pointer).is_none_or(|layer| layer == ui.layer_id())
    }
}

impl<R, A> TableDelegate for Grid<'_, '_, R, A> {
    fn prepare(&mut self, info: &PrefetchInfo) {
        let rows = info.visible_rows.clone();
        self.state.shown_rows = rows.end.saturating_sub(rows.start);
        if !rows.is_empty() {
            self.rows.prepare(self.app, rows);
        }
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, info: &HeaderCellInfo) {
        let at = info.col_range.start;
        let Some(column) = self.shown.get(at).and_then(|index| self.columns.get(*index)) else { return };
        let place = self.state.sort.iter().position(|key| key.column == column.id);
        let direction = place.map(|place| self.state.sort[place].descending);
        let rank = place.filter(|_| self.state.sort.len() > 1).map(|place| place + 1);
        let order = direction.map(|descending| HeadOrder { descending, rank });
        let name = column.name();
        let response = cell::head_ui(ui, column.head, name, column.is_number, order);
        response.ctx.accesskit_node_builder(response.id, |node| {
            node.set_column_index(at);
            if let Some(descending) = direction {
                let direction = if descending { SortDirection::Descending } else { SortDirection::Ascending };
                node.set_sort_direction(direction);
            }
        });
        let can_sort = self.rows.can_sort(column.id);
        if response.clicked() && can_sort {
            self.state.sort_by(column.id, column.is_number, ui.input(|input| input.modifiers.shift));
        }
        super::arrow_to_rows(ui, &response, self.table_id);
        let is_keyed = response.has_focus() && pressed_menu_key(ui);
        self.context_menu_ui(ui, &response, is_keyed, response.id, |grid, ui| grid.head_menu_ui(ui, at));
        let about = if column.about.is_empty() { name } else { column.about };
        let how = if can_sort { "Click to sort, Shift+click to add a sort key" } else { "Cannot be sorted by it" };
        response.on_hover_text(format!("{about}. {how}"));
    }

    fn row_ui(&mut self, ui: &mut Ui, index: u64) {
        let rect = ui.max_rect();
        let key = match self.rows.row(index) {
            Slot::Ready(row) => Some((self.key_of)(row)),
            Slot::Loading | Slot::Gone | Slot::Failed(_) => None,
        };
        let name = self.row_name(index);
        let response = ui.interact(rect, ui.unique_id().with("row"), Sense::CLICK);
        // What is clicked is the row, which has a node of its own.
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_role(Role::GenericContainer));
        let colors = tokens(ui);
        let is_selected = key.is_some_and(|key| self.state.selection.contains(key));
        let is_at_cursor = self.state.cursor() == Some(index);
        let is_hovered = self.is_hovered(ui, rect);
        let ground = if is_selected { colors.chosen_bg } else { colors.hover_bg };
        if is_selected || is_hovered {
            ui.painter().rect_filled(rect, 0.0, ground);
        }
        let hair = hair(ui);
        let line = Stroke::new(hair, colors.hairline);
        ui.painter().hline(rect.x_range(), rect.bottom() - hair / 2.0, line);
        self.divider_ui(ui, rect, index);
        // Scrolled sideways, the bar stays at the left of the table.
        let left = ui.clip_rect().left().max(self.rect.left());
        if is_at_cursor && left <= self.rect.left() + 1.0 {
            let bar = Rect::from_x_y_ranges(left..=left + CURSOR_BAR, rect.y_range());
            ui.painter().rect_filled(bar, 0.0, colors.accent);
        }
        if is_at_cursor && self.has_focus {
            row_outline(ui, rect);
        }
        if is_hovered || is_at_cursor || self.state.menu_row == Some(index) {
            let ground = if is_selected || is_hovered { ground } else { colors.page_bg };
            self.lit.insert(index, LitRow { rect, ground, is_outlined: is_at_cursor && self.has_focus });
        }
        if is_at_cursor && (self.has_focus || ui.memory(|memory| memory.focused().is_none())) {
            // The column that names the row is its first one.
            let begin = rect.with_max_x(rect.left() + theme::FIELD);
            note_keyboard_place(ui, begin.intersect(ui.clip_rect()));
        }
        let node = ui.unique_id();
        self.nodes.entry(index).or_default().push(node);
        ui.ctx().accesskit_node_builder(node, |node| {
            node.set_bounds(bounds(rect));
            node.set_role(Role::Row);
            node.set_label(name);
            node.set_row_index(usize::try_from(index).unwrap_or(usize::MAX));
            node.set_selected(is_selected);
        });
        if response.clicked() {
            self.clicked = Some((index, ui.input(|input| input.modifiers)));
        }
        self.double_clicked |= response.double_clicked();
        if response.secondary_clicked() && !is_selected {
            self.state.go_to(index, false);
        }
        let is_keyed = is_at_cursor && std::mem::take(&mut self.state.opens_menu);
        self.context_menu_ui(ui, &response, is_keyed, self.table_id, |grid, ui| grid.row_menu_ui(ui, index));
    }

    fn cell_ui(&mut self, ui: &mut Ui, info: &CellInfo) {
        let Some(column) = self.shown.get(info.col_nr).and_then(|index| self.columns.get(*index)) else { return };
        let is_first = info.col_nr == 0;
        let weak = tokens(ui).weak_text;
        let row = match self.rows.row(info.row_nr) {
            Slot::Ready(row) => row,
            Slot::Loading => return cell::text_ui(ui, "…", weak, false),
            Slot::Gone if is_first => return cell::text_ui(ui, "– no longer present", weak, false),
            Slot::Failed(why) if is_first => {
                ui.ctx().accesskit_node_builder(ui.unique_id(), |node| {
                    node.set_role(Role::Cell);
                    node.set_label(why.as_str());
                });
                return cell::text_ui(ui, &format!("✖ {why}"), tokens(ui).reject, false);
            }
            Slot::Gone | Slot::Failed(_) => return,
        };
        let value = column.get.of(row);
        let shown = match &value {
            Value::Text(text) if text.is_empty() => column.empty.into(),
            value => value.shown(),
        };
        let rect = ui.max_rect().intersect(ui.clip_rect());
        ui.ctx().accesskit_node_builder(ui.unique_id(), |node| {
            node.set_bounds(bounds(rect));
            node.set_role(Role::Cell);
            node.set_column_index(info.col_nr);
            // A number alone does not name what it counts.
            node.set_label(match &column.second {
                Some(second) if shown.trim().is_empty() => text::line((second.get)(row)),
                _ => cell_name(column, &shown),
            });
        });
        if let Some(draw) = &column.draw {
            if !column.is_number {
                ui.add_space(theme::CELL_PAD);
            }
            if let Some(action) = draw(ui, row) {
                self.action = Some(action);
            }
            ui.expand_to_include_rect(ui.max_rect());
            return;
        }
        if let Some(second) = &column.second {
            return cell::two_texts_ui(ui, &shown, (second.get)(row), tokens(ui).text);
        }
        match (&column.link, column.target(row)) {
            (Some((hint, _)), Some(action)) => {
                let example = column.example.and_then(|example| example(row));
                let named = example.map(|example| format!("{hint}; for example {}", text::line(example)));
                if cell::link_ui(ui, &shown, named.as_deref().unwrap_or(hint), column.is_number) {
                    self.action = Some(action);
                }
            }
            (link, _) => {
                // A zero leads nowhere, and what is not known says nothing.
                let is_faint = value.is_zero() || matches!(value, Value::Unknown);
                let color = match (is_faint, link) {
                    (true, _) if !self.is_chosen(row) => tokens(ui).faint_text,
                    (true, _) | (false, None) => tokens(ui).text,
                    (false, Some(_)) => weak,
                };
                cell::text_ui(ui, &shown, color, column.is_number);
                if let Some(whole) = value.whole() {
                    let cell = ui.interact(ui.max_rect(), ui.unique_id().with("whole"), Sense::hover());
                    cell.on_hover_text(whole);
                }
            }
        }
    }

    fn default_row_height(&self) -> f32 {
        self.row_height
    }
}

/// Draws the edge of the row that keys act on.
fn row_outline(ui: &Ui, rect: Rect) {
    ui.painter().rect_stroke(rect, 0.0, Stroke::new(1.0, tokens(ui).accent), StrokeKind::Inside);
}

/// The name of a cell: its text; of a number, a sign or nothing also that of its column.
fn cell_name<R, A>(column: &Column<'_, R, A>, shown: &str) -> String {
    let text = text::line(shown);
    let head = if column.head.is_empty() { column.id } else { column.head };
    match text.trim() {
        "" => format!("{head}: none"),
        sign if column.is_number || !sign.chars().any(char::is_alphanumeric) => format!("{head}: {text}"),
        _ => text,
    }
}

/// Names what the width of a column is drawn with; egui_table makes it of these ids.
pub(super) fn name_resizer<R, A>(ui: &Ui, table: Id, id: Id, column: &Column<'_, R, A>) {
    let head = column.name();
    let id = table.with(id).with("resize");
    if ui.read_response(id).is_some() {
        ui.ctx().accesskit_node_builder(id, |node| {
            node.set_role(Role::Splitter);
            node.set_label(format!("Width of {head}"));
        });
    }
}

impl<R, A> Grid<'_, '_, R, A> {
    /// The name of a row: the texts of its first columns that are no numbers.
    fn row_name(&self, index: u64) -> String {
        let row = match self.rows.row(index) {
            Slot::Ready(row) => row,
            Slot::Loading => return "Loading…".to_owned(),
            Slot::Gone => return "No longer present".to_owned(),
            Slot::Failed(why) => return why,
        };
        let columns = self.shown.iter().filter_map(|at| self.columns.get(*at)).filter(|column| !column.is_number);
        let fields = columns.flat_map(Column::fields);
        let texts = fields.map(|field| text::short(&field.get.of(row).shown(), LINK_CHARS));
        let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).take(NAMING_COLUMNS).collect();
        if texts.is_empty() { format!("Row {}", index + 1) } else { texts.join(", ") }
    }

    /// Makes one accessible row of the two parts.
    pub(super) fn join_rows(&self, ui: &Ui) {
        for (_, nodes) in self.nodes.iter().filter(|(_, nodes)| nodes.len() > 1) {
            let (Some(row), Some(empty)) = (nodes.first(), nodes.get(1)) else { continue };
            let cells = ui.ctx().accesskit_node_builder(*empty, |node| {
                let cells = node.children().to_vec();
                node.clear_children();
                node.set_role(Role::GenericContainer);
                cells
            });
            ui.ctx().accesskit_node_builder(*row, |node| {
                let mut all = cells.unwrap_or_default();
                all.extend_from_slice(node.children());
                node.set_children(all);
            });
        }
    }
}

/// A place in the tree for who listens to the window.
pub(super) fn bounds(rect: egui::Rect) -> egui::accesskit::Rect {
    let [x0, y0, x1, y1] = [rect.min.x, rect.min.y, rect.max.x, rect.max.y].map(f64::from);
    egui::accesskit::Rect { x0, y0, x1, y1 }
}

/// Whether a key that opens menus is pressed.
pub(super) fn pressed_menu_key(ui: &Ui) -> bool {
    let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
    pressed(Modifiers::SHIFT, Key::F10) || pressed(Modifiers::NONE, Key::Menu)
}

/// Whether a column is shown, as a person chose or as it is made.
fn is_shown<R, A>(column: &Column<'_, R, A>, layout: &TableLayout) -> bool {
    layout.columns.get(column.id).and_then(|column| column.shown).unwrap_or(!column.is_hidden)
}

/// The columns that are shown, from the left.
pub(super) fn shown_columns<R, A>(columns: &[Column<'_, R, A>], layout: &TableLayout) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..columns.len()).filter(|at| is_shown(&columns[*at], layout)).collect();
    shown.sort_by_key(|at| layout.order.iter().position(|id| id == columns[*at].id).unwrap_or(usize::MAX));
    shown
}

/// The width of a column, as a person drew it or as it is made; no head is cut unless a person did.
pub(super) fn width_of<R, A>(ui: &Ui, column: &Column<'_, R, A>, layout: &TableLayout) -> f32 {
    let drawn = layout.columns.get(column.id).and_then(|column| column.width);
    drawn.unwrap_or_else(|| column.width.max(cell::head_width(ui, column)))
}

/// The column that takes what room is left: the first of the widest texts.
fn rest_column<R, A>(columns: &[Column<'_, R, A>], shown: &[usize]) -> Option<usize> {
    let width = |at: usize| columns[shown[at]].width;
    let texts = (0..shown.len()).filter(|at| columns[shown[*at]].takes_rest());
    texts.fold(None, |best: Option<usize>, at| match best {
        Some(best) if width(best) >= width(at) => Some(best),
        _ => Some(at),
    })
}

/// Has the widths fill the room: one text takes what is left, as far as a line is read with ease, and in a
/// wide window other long texts the rest. Widths that a person drew give no room away.
pub(super) fn share_room<R, A>(grid: &Grid<'_, '_, R, A>, widths: &mut [f32], room: f32) {
    let column = |at: usize| grid.shown.get(at).map(|shown| &grid.columns[*shown]);
    let is_drawn = |at: usize| {
        column(at).and_then(|column| grid.layout.columns.get(column.id)).is_some_and(|column| column.width.is_some())
    };
    let Some(first) = rest_column(grid.columns, grid.shown) else { return };
    let rest = room - widths.iter().sum::<f32>();
    if let Some(width) = widths.get_mut(first) {
        let least = if is_drawn(first) { *width } else { LEAST_REST.min(*width) };
        *width = (*width + rest).clamp(least, MOST_REST.max(*width));
    }
    let grows = |at: &usize| {
        *at != first && !is_drawn(*at) && column(*at).is_some_and(|of| of.takes_rest() && of.width >= LONG_TEXT)
    };
    let long: Vec<usize> = (0..widths.len()).filter(grows).collect();
    let all: f32 = long.iter().map(|at| widths[*at]).sum();
    let rest = (room - widths.iter().sum::<f32>()).max(0.0);
    for at in long {
        // Whole points, so that the sum is no wider than the room.
        let own = (rest * widths[at] / all).floor();
        widths[at] = (widths[at] + own).min(MOST_REST.max(widths[at]));
    }
}

/// Keeps a width that a person drew.
pub(super) fn keep_width(layout: &mut TableLayout, id: &str, width: f32) {
    let column: &mut ColumnLayout = layout.columns.entry(id.to_owned()).or_default();
    column.width = Some(width);
}

/// The order of rows as text, for screen readers.
pub(super) fn sort_label<R, A>(columns: &[Column<'_, R, A>], sort: &[SortKey]) -> Option<String> {
    let keys: Vec<String> = sort
        .iter()
        .filter_map(|key| {
            let field = field_of(columns, key.column)?;
            Some(format!("{} {}", field.head, if key.descending { "descending" } else { "ascending" }))
        })
        .collect();
    (!keys.is_empty()).then(|| format!("sorted by {}", keys.join(", then ")))
}
