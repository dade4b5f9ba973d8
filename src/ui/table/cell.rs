//! Cells: text painted within them, links, heads.

use crate::ui::text;
use crate::ui::theme::{self, tokens};
use egui::accesskit::Role;
use egui::text::{LayoutJob, TextWrapping};
use egui::{Color32, CursorIcon, Galley, Pos2, Rect, Response, Sense, Stroke, TextStyle, Ui, WidgetInfo};
use std::sync::Arc;

/// Lays one line out in what room the cell has. While a column is fitted to
/// what is in it, the line takes the room that it needs.
fn laid_out(ui: &mut Ui, text: &str, color: Color32, at_end: bool) -> (Arc<Galley>, Rect) {
    let room = ui.max_rect().shrink2(egui::vec2(theme::CELL_PAD, 0.0));
    let mut job = LayoutJob::simple_singleline(text.to_owned(), TextStyle::Body.resolve(ui.style()), color);
    if !ui.is_sizing_pass() {
        job.wrap = TextWrapping::truncate_at_width(room.width().max(1.0));
    }
    let galley = ui.painter().layout_job(job);
    let left = if at_end { (room.right() - galley.size().x).max(room.left()) } else { room.left() };
    let rect = Rect::from_min_size(Pos2::new(left, room.center().y - galley.size().y / 2.0), galley.size());
    let used = if ui.is_sizing_pass() { rect.expand2(egui::vec2(theme::CELL_PAD, 0.0)) } else { ui.max_rect() };
    ui.expand_to_include_rect(used);
    (galley, rect)
}

/// A text, whole when hovered.
pub(super) fn text_ui(ui: &mut Ui, text: &str, color: Color32, at_end: bool) {
    let text = text::line(text);
    let (galley, rect) = laid_out(ui, &text, color, at_end);
    let is_cut = galley.elided;
    ui.painter().galley(rect.min, galley, color);
    if is_cut {
        ui.interact(ui.max_rect(), ui.unique_id().with("text"), Sense::hover()).on_hover_text(text);
    }
}

/// A text that leads somewhere; true when clicked.
pub(super) fn link_ui(ui: &mut Ui, text: &str, hint: &str, at_end: bool) -> bool {
    let text = text::line(text);
    let color = ui.visuals().hyperlink_color;
    let (galley, rect) = laid_out(ui, &text, color, at_end);
    let response = ui.interact(rect, ui.unique_id().with("link"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Link, true, &text));
    ui.painter().galley(rect.min, galley, color);
    if response.hovered() || response.has_focus() {
        ui.painter().hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, color));
    }
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(hint).clicked()
}

/// The head of a column.
pub(super) fn head_ui(ui: &mut Ui, head: &str, name: &str, at_end: bool) -> Response {
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0.0, tokens(ui).chrome_bg);
    let response = ui.interact(rect, ui.unique_id().with("sort"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, true, name));
    let color = if response.hovered() || response.has_focus() { tokens(ui).strong_text } else { tokens(ui).weak_text };
    let (galley, rect) = laid_out(ui, head, color, at_end);
    ui.painter().galley(rect.min, galley, color);
    response
}
