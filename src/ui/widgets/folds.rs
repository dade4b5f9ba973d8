//! Parts of a page that are folded, and the numbered steps of one.

use crate::ui::access::mark_heading;
use crate::ui::icons::{Icon, focus_ring};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use egui::accesskit::Role;
use egui::{Align, Align2, Color32, Id, Layout, RichText, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};

/// Diameter of the circle with the number of a step.
const NUMBER: f32 = 20.0;

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It is the next one to do.
    Current,
    /// Something in it needs a person.
    Flagged,
    /// It is done.
    Done,
    /// It comes later.
    Later,
}

/// Draws the line of a part that is folded: its title and, while it is closed, its contents in one line.
/// Whether it is open.
pub fn fold_ui(ui: &mut Ui, id: &str, title: &str, summary: &str) -> bool {
    let colors = tokens(ui);
    let key = Id::unique(("folded part", id));
    let is_open: bool = ui.data(|data| data.get_temp(key)).unwrap_or_default();
    let drawn = ui.horizontal(|ui| {
        ui.set_min_height(theme::CONTROL);
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let font = theme::strong_font(theme::BODY_TEXT);
        let galley = ui.painter().layout_no_wrap(title.to_owned(), font, Color32::PLACEHOLDER);
        let size = vec2(theme::SMALL_ICON + theme::TIGHT_GAP + galley.size().x, theme::CONTROL);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let color = if response.hovered() { colors.accent } else { colors.strong_text };
        let middle = rect.center().y;
        let place = pos2(rect.left() + theme::SMALL_ICON / 2.0, middle);
        let icon = if is_open { Icon::Down } else { Icon::Right };
        icon.paint(ui.painter(), egui::Rect::from_center_size(place, Vec2::splat(theme::SMALL_ICON)), color);
        let left = rect.left() + theme::SMALL_ICON + theme::TIGHT_GAP;
        ui.painter().galley(pos2(left, middle - galley.size().y / 2.0), galley, color);
        if response.has_focus() {
            focus_ring(ui, rect);
        }
        if !is_open && !summary.is_empty() {
            let summary = RichText::new(text::line(summary)).size(theme::SMALL_TEXT).color(colors.weak_text);
            ui.add(egui::Label::new(summary).truncate());
        }
        response
    });
    let response = drawn.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::DisclosureTriangle, true, title));
    response.ctx.accesskit_node_builder(response.id, |node| node.set_expanded(is_open));
    if response.clicked() {
        ui.data_mut(|data| data.insert_temp(key, !is_open));
    }
    is_open
}

/// Opens a folded part, wherever it is drawn next.
pub fn unfold(ui: &Ui, id: &str) {
    ui.data_mut(|data| data.insert_temp(Id::unique(("folded part", id)), true));
}

/// Draws the title of a numbered step, with what `aside` draws at its right end.
pub fn step_title_ui(ui: &mut Ui, number: u8, title: &str, state: StepState, aside: impl FnOnce(&mut Ui)) {
    let colors = tokens(ui);
    ui.horizontal(|ui| {
        ui.set_min_height(theme::CONTROL);
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(NUMBER), Sense::hover());
        let (ground, edge, color) = match state {
            StepState::Current => (colors.primary_bg, colors.primary_bg, colors.primary_text),
            StepState::Flagged => (Color32::TRANSPARENT, colors.flag, colors.flag),
            StepState::Done => (Color32::TRANSPARENT, colors.accept, colors.accept),
            StepState::Later => (Color32::TRANSPARENT, colors.border, colors.weak_text),
        };
        ui.painter().circle(rect.center(), NUMBER / 2.0 - 0.5, ground, Stroke::new(1.0, edge));
        match state {
            StepState::Done => {
                let place = egui::Rect::from_center_size(rect.center(), Vec2::splat(theme::SMALL_ICON));
                Icon::Check.paint(ui.painter(), place, color);
            }
            _ => {
                let font = theme::strong_font(theme::SMALL_TEXT);
                ui.painter().text(rect.center(), Align2::CENTER_CENTER, number, font, color);
            }
        }
        let heading = ui.label(theme::strong(title, theme::PART_TEXT).color(colors.strong_text));
        mark_heading(&heading, &format!("{number} {title}"));
        ui.with_layout(Layout::right_to_left(Align::Center), aside);
    });
}
