//! What is chosen by: tabs, segments, chips, drops, and the buttons that do things.
//!
//! Tabs are parts of one object, segments one of few views of the same rows, chips filters that are on
//! and reasons to tick, a drop is one of many. Nothing changes its place with its state.

use super::hair;
use crate::ui::icons::{Icon, focus_ring};
use crate::ui::table::arrow_to_table_below;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use egui::accesskit::Role;
use egui::style::WidgetVisuals;
use egui::{
    Align2, Button, Color32, ComboBox, CornerRadius, FontId, InnerResponse, Painter, Pos2, Rect, Response, RichText,
    Sense, Stroke, StrokeKind, TextStyle, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};

/// Thickness of the line below the chosen tab.
const UNDERLINE: f32 = 2.0;
/// Space at both sides of a tab's label.
const TAB_PAD: f32 = 6.0;
/// Space at both sides of the label of a segment or chip.
const CHIP_PAD: f32 = 10.0;

/// Paints an icon of the usual size around a point.
pub fn icon_at(painter: &Painter, icon: Icon, centre: Pos2, color: Color32) {
    icon.paint(painter, Rect::from_center_size(centre, Vec2::splat(theme::ICON)), color);
}

fn body_font(ui: &Ui) -> FontId {
    TextStyle::Body.resolve(ui.style())
}

/// Draws tabs in a line, under a name for all of them.
pub fn tabs_ui<R>(ui: &mut Ui, name: &str, draw: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    ui.horizontal_wrapped(|ui| {
        ui.ctx().accesskit_node_builder(ui.unique_id(), |node| {
            node.set_role(Role::TabList);
            node.set_label(name);
        });
        ui.spacing_mut().item_spacing = vec2(theme::TIGHT_GAP, 0.0);
        draw(ui)
    })
}

/// A tab of several.
pub fn tab_ui(ui: &mut Ui, selected: bool, label: impl AsRef<str>) -> Response {
    let label = label.as_ref();
    // A number at the end counts what is behind the tab.
    let at = label.rfind(' ').filter(|at| label[at + 1..].starts_with(|first: char| first.is_ascii_digit()));
    let (galley, count) = at.map_or((label, ""), |at| (&label[..at], &label[at + 1..]));
    let colors = tokens(ui);
    let font = body_font(ui);
    let place = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER);
    let (galley, count) = (place(galley), place(count));
    let between = if count.size().x > 0.0 { theme::TIGHT_GAP } else { 0.0 };
    let size = vec2(galley.size().x + between + count.size().x + 2.0 * TAB_PAD, theme::TAB_ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let color = match (ui.is_enabled(), selected || response.hovered()) {
        (false, _) => colors.faint_text,
        (true, true) => colors.strong_text,
        (true, false) => colors.text,
    };
    let at = pos2(rect.left() + TAB_PAD, rect.center().y - galley.size().y / 2.0);
    let behind = at + vec2(galley.size().x + between, 0.0);
    ui.painter().galley(at, galley, color);
    ui.painter().galley(behind, count, colors.weak_text);
    if selected {
        let line = Rect::from_min_max(
            pos2(rect.left() + TAB_PAD, rect.bottom() - UNDERLINE),
            pos2(rect.right() - TAB_PAD, rect.bottom()),
        );
        ui.painter().rect_filled(line, 0.0, colors.accent);
    }
    if response.has_focus() {
        focus_ring(ui, rect.shrink(3.0));
    }
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, selected, label));
    response.ctx.accesskit_node_builder(response.id, |node| node.set_selected(selected));
    arrow_to_table_below(ui, &response);
    response
}

/// A tab of several, which chooses a value.
pub fn tab_of_ui<T: PartialEq>(ui: &mut Ui, value: &mut T, of: T, label: impl AsRef<str>) -> Response {
    let response = tab_ui(ui, *value == of, label);
    if response.clicked() {
        *value = of;
    }
    response
}

/// Draws segments in one box: one of two to five views or modes of the same rows. True when another
/// one was chosen.
pub fn segments_ui<T: PartialEq + Copy>(ui: &mut Ui, name: &str, value: &mut T, of: &[(T, &str)]) -> bool {
    let colors = tokens(ui);
    let font = body_font(ui);
    let galleys: Vec<_> = of
        .iter()
        .map(|(_, galley)| ui.painter().layout_no_wrap((*galley).to_owned(), font.clone(), Color32::PLACEHOLDER))
        .collect();
    let width: f32 = galleys.iter().map(|galley| galley.size().x + 2.0 * CHIP_PAD).sum();
    let (rect, _) = ui.allocate_exact_size(vec2(width, theme::CONTROL), Sense::hover());
    let corner = CornerRadius::same(theme::CORNER);
    ui.painter().rect_stroke(rect, corner, Stroke::new(1.0, colors.border), StrokeKind::Inside);
    let child = ui.new_child(UiBuilder::new().max_rect(rect).accessibility_role(Role::RadioGroup));
    child.ctx().accesskit_node_builder(child.unique_id(), |node| node.set_label(name));
    let mut left = rect.left();
    let mut is_changed = false;
    for ((of, label), galley) in of.iter().zip(galleys) {
        let is_chosen = *value == *of;
        let place = Rect::from_min_size(pos2(left, rect.top()), vec2(galley.size().x + 2.0 * CHIP_PAD, rect.height()));
        left = place.right();
        let response = child.interact(place, child.unique_id().with(*label), Sense::click());
        if is_chosen {
            child.painter().rect_filled(place.shrink(2.0), corner, colors.chosen_bg);
            if theme::is_high_contrast(&child) {
                child.painter().rect_stroke(
                    place.shrink(1.0),
                    corner,
                    theme::chosen_outline(&child),
                    StrokeKind::Inside,
                );
            }
        } else if response.hovered() {
            child.painter().rect_filled(place.shrink(2.0), corner, colors.hover_bg);
        }
        let color = if is_chosen || response.hovered() { colors.strong_text } else { colors.text };
        child.painter().galley(place.center() - galley.size() / 2.0, galley, color);
        if response.has_focus() {
            focus_ring(&child, place.shrink(2.0));
        }
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_chosen, *label));
        if response.clicked() && !is_chosen {
            *value = *of;
            is_changed = true;
        }
    }
    is_changed
}

/// What lies on a chip beside its label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChipSign {
    /// A cross: it can be taken away.
    Close,
    /// A tick, where it is on.
    Tick,
}

fn chip(ui: &mut Ui, label: &str, name: &str, is_on: bool, sign: ChipSign) -> Response {
    let colors = tokens(ui);
    let font = FontId::proportional(theme::SMALL_TEXT);
    let galley = ui.painter().layout_no_wrap(label.to_owned(), font, Color32::PLACEHOLDER);
    // The place of the sign is there in both states.
    let size = vec2(galley.size().x + 2.0 * CHIP_PAD + theme::SMALL_ICON, theme::CHIP);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let corner = CornerRadius::same((theme::CHIP / 2.0) as u8);
    let ground = match (is_on, response.hovered()) {
        (true, _) => colors.chosen_bg,
        (false, true) => colors.hover_bg,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, corner, ground);
    if !is_on {
        ui.painter().rect_stroke(rect, corner, Stroke::new(1.0, colors.field_edge), StrokeKind::Inside);
    } else if theme::is_high_contrast(ui) {
        ui.painter().rect_stroke(rect, corner, theme::chosen_outline(ui), StrokeKind::Inside);
    }
    let color = if is_on { colors.strong_text } else { colors.text };
    let sign_square = |x: f32| Rect::from_center_size(pos2(x, rect.center().y), Vec2::splat(theme::SMALL_ICON));
    let left = match sign {
        ChipSign::Close => {
            Icon::Close.paint(ui.painter(), sign_square(rect.right() - CHIP_PAD - 2.0), color);
            rect.left() + CHIP_PAD
        }
        ChipSign::Tick => {
            if is_on {
                Icon::Check.paint(ui.painter(), sign_square(rect.left() + CHIP_PAD + 2.0), color);
            }
            let shift = if is_on { theme::SMALL_ICON } else { theme::SMALL_ICON / 2.0 };
            rect.left() + CHIP_PAD + shift
        }
    };
    ui.painter().galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, color);
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    match sign {
        ChipSign::Close => response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name)),
        ChipSign::Tick => response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, name)),
    }
    response
}

/// A filter that is on, named as a button that takes it away: whether it was clicked.
pub fn filter_chip_ui(ui: &mut Ui, label: &str, hint: &str) -> bool {
    let shown = text::short(label, CHIP_CHARS);
    chip(ui, &shown, &format!("✖ {}", text::line(label)), true, ChipSign::Close).on_hover_text(hint).clicked()
}

/// Height of a list of choices before it scrolls.
const DROP_HEIGHT: f32 = 420.0;
/// Letters of a chip.
const CHIP_CHARS: usize = 60;

/// A reason to tick: whether it was clicked.
pub fn tick_chip_ui(ui: &mut Ui, is_on: bool, label: &str) -> bool {
    chip(ui, label, label, is_on, ChipSign::Tick).clicked()
}

/// Paints the sign of a button that opens a list.
pub fn chevron(ui: &Ui, rect: Rect, visuals: &WidgetVisuals, _is_open: bool) {
    icon_at(ui.painter(), Icon::Down, rect.center(), visuals.fg_stroke.color);
}

/// One of many, behind a button that shows which. `name` is for who listens and for the tooltip.
pub fn drop_ui<R>(
    ui: &mut Ui,
    id: &str,
    name: &str,
    shown: &str,
    width: f32,
    draw: impl FnOnce(&mut Ui) -> R,
) -> Option<R> {
    let chooser =
        ComboBox::from_id_salt(id).selected_text(text::line(shown)).width(width).height(DROP_HEIGHT).truncate();
    let drawn = chooser.icon(chevron).show_ui(ui, draw);
    drawn.response.ctx.accesskit_node_builder(drawn.response.id, |node| node.set_label(name));
    drawn.response.on_hover_text(name);
    drawn.inner
}

/// A button with an icon before its label and its key behind, named for who listens.
pub fn keyed_button_ui(ui: &mut Ui, icon: Icon, label: &str, keys: &str, is_primary: bool, name: &str) -> Response {
    let colors = tokens(ui);
    let font = if is_primary { theme::strong_font(theme::BODY_TEXT) } else { body_font(ui) };
    let galley = ui.painter().layout_no_wrap(label.to_owned(), font, Color32::PLACEHOLDER);
    let cap_font = FontId::proportional(theme::CAPTION_TEXT);
    let cap = ui.painter().layout_no_wrap(keys.to_owned(), cap_font, Color32::PLACEHOLDER);
    let cap_size = cap.size() + vec2(theme::GAP, 2.0);
    let width = 2.0 * theme::BUTTON_PAD + theme::ICON + theme::GAP + galley.size().x + theme::GAP + cap_size.x;
    let (rect, response) = ui.allocate_exact_size(vec2(width, theme::CONTROL), Sense::click());
    let is_lit = response.hovered() && ui.is_enabled();
    let (ground, color) = match (is_primary && ui.is_enabled(), is_lit) {
        (true, false) => (colors.primary_bg, colors.primary_text),
        (true, true) => (colors.primary_bg.lerp_to_gamma(Color32::BLACK, 0.15), colors.primary_text),
        (false, false) => (colors.button_bg, if ui.is_enabled() { colors.text } else { colors.weak_text }),
        (false, true) => (colors.button_hover_bg, colors.strong_text),
    };
    let corner = CornerRadius::same(theme::CORNER);
    ui.painter().rect(rect, corner, ground, theme::button_edge(ui), StrokeKind::Inside);
    let middle = rect.center().y;
    icon_at(ui.painter(), icon, pos2(rect.left() + theme::BUTTON_PAD + theme::ICON / 2.0, middle), color);
    let left = rect.left() + theme::BUTTON_PAD + theme::ICON + theme::GAP;
    let place = Rect::from_min_size(pos2(left + galley.size().x + theme::GAP, middle - cap_size.y / 2.0), cap_size);
    ui.painter().galley(pos2(left, middle - galley.size().y / 2.0), galley, color);
    ui.painter().rect_stroke(place, theme::CORNER as f32 - 1.0, Stroke::new(hair(ui), color), StrokeKind::Inside);
    ui.painter().galley(place.center() - cap.size() / 2.0, cap, color);
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    response
}

/// A button without a ground, for what is rarely done.
pub fn quiet_button<'a>(label: &str) -> Button<'a> {
    Button::new(label.to_owned()).frame_when_inactive(false)
}

/// The keys of an action as they lie on its button.
pub fn key_cap(keys: &str) -> RichText {
    RichText::new(keys.to_owned()).size(theme::CAPTION_TEXT).weak()
}

/// Paints the keys of an action into a field or on a strip, at the right of this place: the place
/// that they take.
pub fn paint_key_cap(ui: &Ui, right_center: Pos2, keys: &str) -> Rect {
    let colors = tokens(ui);
    let font = FontId::proportional(theme::CAPTION_TEXT);
    let galley = ui.painter().layout_no_wrap(keys.to_owned(), font.clone(), colors.weak_text);
    let size = galley.size() + vec2(theme::GAP, 2.0);
    let rect = Rect::from_min_size(right_center - vec2(size.x, size.y / 2.0), size);
    let corner = CornerRadius::same(theme::CORNER - 1);
    ui.painter().rect_stroke(rect, corner, Stroke::new(hair(ui), colors.border), StrokeKind::Inside);
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, keys, font, colors.weak_text);
    rect
}
