//! A table of rows that are all at hand; draws the visible ones only.
//!
//! The captures table, whose rows are loaded in parts, has its own.

use crate::ui::theme::{self, tokens};
use crate::ui::widgets;
use crate::ui::widgets::{keep_page_room, least_table_height};
use egui::{Response, RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

/// Least width of the last column, which takes what is left.
const LAST_COLUMN: f32 = 140.0;

/// A table's head: name and width of each column. The last column takes the rest.
pub struct Table<'a> {
    id: &'a str,
    columns: &'a [(&'a str, f32)],
    rows: usize,
    height: Option<f32>,
    chosen: Option<usize>,
    row_height: f32,
}

/// The cells of one row, filled from the left.
pub struct Cells<'row, 'a, 'b>(&'row mut TableRow<'a, 'b>);

impl<'a> Table<'a> {
    /// A table of `rows` rows.
    pub fn new(id: &'a str, columns: &'a [(&'a str, f32)], rows: usize) -> Self {
        Self { id, columns, rows, height: None, chosen: None, row_height: theme::ROW }
    }

    /// At most this high; otherwise as high as there is room.
    pub fn height(mut self, height: f32) -> Self {
        self.height = Some(height);
        self
    }

    /// Rows high enough for fields.
    pub fn with_fields(mut self) -> Self {
        self.row_height = theme::ROOMY_ROW;
        self
    }

    /// The row that is marked.
    pub fn chosen(mut self, chosen: Option<usize>) -> Self {
        self.chosen = chosen;
        self
    }

    /// The chosen row, when it has just been chosen or the room for rows has
    /// changed, as when a panel opens over it. Otherwise people scroll themselves.
    fn row_to_show(&self, ui: &Ui, height: f32) -> Option<usize> {
        let now = (self.chosen, height);
        let id = ui.scope_id().with("into sight");
        let before = ui.data_mut(|data| {
            let before = data.get_temp(id);
            data.insert_temp(id, now);
            before
        });
        self.chosen.filter(|_| before != Some(now))
    }

    /// Draws it. `row` fills the cells, `after` gets the row's response.
    /// Returns the row that was clicked.
    pub fn show_ui(
        self,
        ui: &mut Ui,
        mut row: impl FnMut(&mut Cells<'_, '_, '_>, usize),
        mut after: impl FnMut(usize, &Response),
    ) -> Option<usize> {
        let mut clicked = None;
        let height = self.height.unwrap_or_else(|| {
            keep_page_room(ui, least_table_height(ui, self.rows, self.row_height));
            ui.available_height()
        });
        let rows_height = (self.rows as f32 * self.row_height).min(height - theme::HEAD_ROW).max(self.row_height);
        let bar = ui.spacing().scroll.allocated_width();
        ui.push_id(self.id, |ui| {
            let row_to_show = self.row_to_show(ui, height);
            ui.spacing_mut().item_spacing.y = 0.0;
            let across = egui::ScrollArea::horizontal()
                .auto_shrink([false, true])
                .min_scrolled_height(theme::HEAD_ROW + rows_height + bar);
            across.show(ui, |ui| {
                let mut table = TableBuilder::new(ui)
                    .striped(true)
                    .resizable(true)
                    .sense(Sense::click())
                    .auto_shrink([false, true])
                    .min_scrolled_height(rows_height)
                    .max_scroll_height(rows_height)
                    .cell_layout(egui::Layout::left_to_right(egui::Align::Center));
                if let Some(row) = row_to_show {
                    table = table.scroll_to_row(row, None);
                }
                for (index, (_, width)) in self.columns.iter().enumerate() {
                    table = table.column(if index + 1 == self.columns.len() {
                        Column::remainder().at_least(width.min(LAST_COLUMN)).clip(true)
                    } else {
                        Column::initial(*width).at_least(theme::ROW).clip(true)
                    });
                }
                table
                    .header(theme::HEAD_ROW, |mut head| {
                        for (name, _) in self.columns {
                            head.col(|ui| {
                                let text = RichText::new(*name).color(tokens(ui).weak_text);
                                ui.add(egui::Label::new(text).truncate().selectable(false));
                            });
                        }
                    })
                    .body(|body| {
                        body.rows(self.row_height, self.rows, |mut line| {
                            let index = line.index();
                            line.set_selected(self.chosen == Some(index));
                            row(&mut Cells(&mut line), index);
                            let response = line.response();
                            if response.clicked() {
                                clicked = Some(index);
                            }
                            after(index, &response);
                        });
                    });
            });
        });
        clicked
    }
}

impl Cells<'_, '_, '_> {
    /// A cell drawn by hand.
    pub fn ui(&mut self, draw: impl FnOnce(&mut Ui)) {
        self.0.col(draw);
    }

    /// A text, safe whatever it holds.
    pub fn text(&mut self, text: &str) {
        self.0.col(|ui| {
            widgets::cell_ui(ui, text);
        });
    }

    /// A text that may be passed over.
    pub fn weak(&mut self, text: &str) {
        self.0.col(|ui| {
            widgets::coloured_cell_ui(ui, text, tokens(ui).weak_text);
        });
    }

    /// A number that leads to the rows it counts; true when clicked. Nothing
    /// leads to no rows.
    pub fn link(&mut self, number: u64, leads_to: &str) -> bool {
        self.link_text(number, &crate::ui::words::count(number), leads_to)
    }

    /// The same for a number in other words, such as bytes.
    pub fn link_text(&mut self, number: u64, text: &str, leads_to: &str) -> bool {
        if number == 0 {
            self.weak(text);
            return false;
        }
        let mut clicked = false;
        self.0.col(|ui| clicked = ui.link(text).on_hover_text(leads_to).clicked());
        clicked
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    #[test]
    fn a_row_that_was_clicked_stays_in_sight_when_a_panel_takes_its_room() {
        let mut harness = Harness::builder().with_size(egui::vec2(400.0, 600.0)).build_ui_state(
            |ui, state: &mut (Option<usize>, f32)| {
                let table = Table::new("rows", &[("Row", 100.0)], 100).height(state.1).chosen(state.0);
                let clicked = table.show_ui(ui, |cells, index| cells.text(&format!("row {index}")), |_, _| {});
                state.0 = clicked.or(state.0);
            },
            (None, 550.0),
        );
        harness.run_steps(3);
        harness.get_by_label("row 15").click();
        harness.run_steps(3);
        assert_eq!(harness.state().0, Some(15));
        harness.state_mut().1 = 200.0;
        harness.run_steps(30);
        assert!(harness.query_by_label("row 15").is_some());
        assert!(harness.query_by_label("row 0").is_none());
        // Then people scroll as they like: nothing pulls back.
        harness.state_mut().0 = Some(80);
        harness.run_steps(60);
        assert!(harness.query_by_label("row 80").is_some());
    }
}
