//! Cells: text painted within them, links, heads.

use super::column::Column;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::hair;
use egui::accesskit::Role;
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, CursorIcon, FontId, Galley, Pos2, Rect, Response, Sense, Shape, Stroke, TextStyle, Ui};
use egui::{WidgetInfo, pos2, vec2};
use std::sync::Arc;

/// Width of the sign of the order in a head.
const ARROW: f32 = 8.0;
/// Space between that sign and the word, and between a text and its second one.
const ARROW_GAP: f32 = 4.0;
/// Most of a cell of one line that its first text takes where a second one follows.
const FIRST_SHARE: f32 = 0.6;

/// The font of a cell's text.
fn body_font(ui: &Ui) -> FontId {
    TextStyle::Body.resolve(ui.style())
}

/// Lays a line out in this width: URLs lose their middle, so that host and last part stay; other
/// texts their end. Whether something is left out.
fn fitted(ui: &Ui, text: &str, font: &FontId, color: Color32, width: f32) -> (Arc<Galley>, bool) {
    let lay = |text: &str, width: f32| {
        let mut job = LayoutJob::simple_singleline(text.to_owned(), font.clone(), color);
        job.wrap = TextWrapping::truncate_at_width(width.max(1.0));
        ui.painter().layout_job(job)
    };
    let whole = lay(text, width);
    if !whole.elided || !text::is_url(text) {
        let is_cut = whole.elided;
        return (whole, is_cut);
    }
    let letters = text.chars().count().max(1);
    let letter = lay(text, f32::INFINITY).size().x / letters as f32;
    let fits = (width / letter.max(1.0)) as usize;
    for less in [1, 3, 6] {
        let short = lay(&text::middle(text, fits.saturating_sub(less)), f32::INFINITY);
        if short.size().x <= width {
            return (short, true);
        }
    }
    (whole, true)
}

/// Lays one line out in what room the cell has. While a column is fitted to
/// what is in it, the line takes the room that it needs.
fn laid_out(ui: &mut Ui, text: &str, font: &FontId, color: Color32, at_end: bool) -> (Arc<Galley>, Rect, bool) {
    let room = ui.max_rect().shrink2(vec2(theme::CELL_PAD, 0.0));
    let width = if ui.is_sizing_pass() { f32::INFINITY } else { room.width() };
    let (galley, is_cut) = fitted(ui, text, font, color, width);
    let left = if at_end { (room.right() - galley.size().x).max(room.left()) } else { room.left() };
    let rect = Rect::from_min_size(Pos2::new(left, room.center().y - galley.size().y / 2.0), galley.size());
    let used = if ui.is_sizing_pass() { rect.expand2(vec2(theme::CELL_PAD, 0.0)) } else { ui.max_rect() };
    ui.expand_to_include_rect(used);
    (galley, rect, is_cut)
}

/// A text, whole when hovered.
pub(super) fn text_ui(ui: &mut Ui, text: &str, color: Color32, at_end: bool) {
    let text = text::line(text);
    let font = body_font(ui);
    let (galley, rect, is_cut) = laid_out(ui, &text, &font, color, at_end);
    ui.painter().galley(rect.min, galley, color);
    if is_cut {
        ui.interact(ui.max_rect(), ui.unique_id().with("text"), Sense::hover()).on_hover_text(text);
    }
}

/// A text and a weak one: below it where the row has two lines, else behind it.
pub(super) fn two_texts_ui(ui: &mut Ui, first: &str, second: &str, color: Color32) {
    let (first, second) = (text::line(first), text::line(second));
    let plain = second.clone();
    let shown = text::without_scheme(&plain);
    let weak = tokens(ui).weak_text;
    let room = ui.max_rect().shrink2(vec2(theme::CELL_PAD, 0.0));
    let is_two = ui.max_rect().height() >= theme::SIDE_ROW && !first.is_empty();
    let (first_font, second_font) = match is_two {
        true => (theme::strong_font(body_font(ui).size), FontId::proportional(theme::SMALL_TEXT)),
        false => (body_font(ui), FontId::proportional(theme::SMALL_TEXT)),
    };
    // Without a title the address is what names the row.
    let (first, shown, second) = if first.is_empty() { (second.clone(), "", second) } else { (first, shown, second) };
    let own = if is_two || shown.is_empty() { room.width() } else { room.width() * FIRST_SHARE };
    let (first_galley, first_cut) = fitted(ui, &first, &first_font, color, own);
    let behind = if first.is_empty() { 0.0 } else { first_galley.size().x + theme::GAP };
    let rest = if is_two { room.width() } else { room.width() - behind };
    let (second_galley, second_cut) = fitted(ui, shown, &second_font, weak, rest);
    let (first_at, second_at) = if is_two {
        let height = first_galley.size().y + second_galley.size().y;
        let top = room.center().y - height / 2.0;
        (pos2(room.left(), top), pos2(room.left(), top + first_galley.size().y))
    } else {
        let centre = |galley: &Galley| room.center().y - galley.size().y / 2.0;
        (pos2(room.left(), centre(&first_galley)), pos2(room.left() + behind, centre(&second_galley)))
    };
    let second_rect = match shown {
        "" => Rect::from_min_size(first_at, first_galley.size()),
        _ => Rect::from_min_size(second_at, second_galley.size()),
    };
    ui.painter().galley(first_at, first_galley, color);
    ui.painter().galley(second_at, second_galley, weak);
    ui.expand_to_include_rect(ui.max_rect());
    if !second.is_empty() {
        let response = ui.interact(second_rect, ui.unique_id().with("second"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &second));
    }
    if first_cut || second_cut {
        let whole = if first == second { second } else { format!("{first}\n{second}") };
        ui.interact(ui.max_rect(), ui.unique_id().with("text"), Sense::hover()).on_hover_text(whole.trim());
    }
}

/// A text that leads somewhere; true when clicked. A number is a text like its neighbours until the
/// pointer is on it.
pub(super) fn link_ui(ui: &mut Ui, text: &str, hint: &str, is_number: bool) -> bool {
    let text = text::line(text);
    let (colors, font) = (tokens(ui), body_font(ui));
    let (galley, rect, _) = laid_out(ui, &text, &font, Color32::PLACEHOLDER, is_number);
    let response = ui.interact(rect, ui.unique_id().with("link"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Link, true, &text));
    let is_lit = response.hovered() || response.has_focus();
    let color = if is_lit || !is_number { colors.accent } else { colors.text };
    ui.painter().galley(rect.min, galley, color);
    if is_lit {
        ui.painter().hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, color));
    }
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(hint).clicked()
}

/// The order of a column that rows are sorted by.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadOrder {
    pub(super) descending: bool,
    /// Its number among several, from 1; none where it is the only one.
    pub(super) rank: Option<usize>,
}

fn head_font() -> FontId {
    FontId::proportional(theme::SMALL_TEXT)
}

/// The width in which the head of a column is read as a whole, with the sign of its order.
pub(super) fn head_width<R, A>(ui: &Ui, column: &Column<'_, R, A>) -> f32 {
    let galley = ui.painter().layout_no_wrap(column.head.to_owned(), head_font(), Color32::PLACEHOLDER);
    galley.size().x.ceil() + 2.0 * theme::CELL_PAD + ARROW + ARROW_GAP
}

/// The head of a column. The sign of the order is left of the word where numbers are below it, so
/// that the word stays over them.
pub(super) fn head_ui(ui: &mut Ui, head: &str, name: &str, at_end: bool, order: Option<HeadOrder>) -> Response {
    let (rect, colors) = (ui.max_rect(), tokens(ui));
    ui.painter().rect_filled(rect, 0.0, colors.page_bg);
    let line = Stroke::new(hair(ui), colors.border);
    ui.painter().hline(rect.x_range(), rect.bottom() - hair(ui) / 2.0, line);
    let response = ui.interact(rect, ui.unique_id().with("sort"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, true, name));
    let is_lit = response.hovered() || response.has_focus() || order.is_some();
    let color = if is_lit { colors.strong_text } else { colors.weak_text };
    let (galley, rect, _) = laid_out(ui, head, &head_font(), color, at_end);
    ui.painter().galley(rect.min, galley, color);
    if let Some(order) = order {
        let x = if at_end { rect.left() - ARROW_GAP - ARROW / 2.0 } else { rect.right() + ARROW_GAP + ARROW / 2.0 };
        let (centre, up) = (pos2(x, rect.center().y), if order.descending { 1.0 } else { -1.0 });
        let corners =
            [vec2(-ARROW / 2.0, -up * ARROW / 4.0), vec2(ARROW / 2.0, -up * ARROW / 4.0), vec2(0.0, up * ARROW / 3.0)];
        let corners = corners.map(|from| centre + from).to_vec();
        ui.painter().add(Shape::convex_polygon(corners, colors.accent, Stroke::NONE));
        if let Some(rank) = order.rank {
            let side = if at_end { -1.0 } else { 1.0 };
            let anchor = if at_end { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
            let at = centre + vec2(side * (ARROW / 2.0 + 2.0), 0.0);
            ui.painter().text(at, anchor, rank, FontId::proportional(theme::CAPTION_TEXT), colors.accent);
        }
    }
    response
}
