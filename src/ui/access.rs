//! Accessible regions of the window, and the keys that go from one of them to
//! the next.
//!
//! Names and roles of single controls come with them (egui takes a name of
//! each); here are those of what holds them together.

use super::theme::tokens;
use egui::WidgetInfo;
use egui::accesskit::{Live, Role};
use egui::{Context, Id, Key, Modifiers, Order, Rect, Response, Sense, Stroke, StrokeKind, Ui, UiBuilder, UiKind};

/// Distance of the keyboard mark from its region, in points.
const RING: f32 = 5.0;

/// A part of the window that F6 goes to, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// The list of pages.
    Rail,
    /// The title of the page and what can be done there.
    Header,
    /// The page.
    Page,
    /// The lower panel.
    Panel,
    /// Jobs, and the messages over the page.
    Strip,
}

/// A region that is on screen.
#[derive(Clone, Copy)]
struct VisibleRegion {
    region: Region,
    /// The node that takes the keyboard at its beginning.
    anchor: Id,
    rect: Rect,
}

fn shown_id() -> Id {
    Id::unique("regions on screen")
}

/// Makes what is drawn into `ui` a region with a name, to be called before all
/// else in it.
pub fn begin_region(ui: &mut Ui, region: Region, name: &str) {
    let rect = ui.max_rect();
    ui.ctx().accesskit_node_builder(ui.unique_id(), |node| {
        node.set_role(match region {
            Region::Rail => Role::Navigation,
            Region::Header => Role::Banner,
            Region::Page => Role::Main,
            Region::Panel => Role::Complementary,
            Region::Strip => Role::ContentInfo,
        });
        node.set_label(name);
    });
    let anchor = Id::unique(("beginning of a region", region as u8));
    let top = Rect::from_min_size(rect.min, egui::vec2(rect.width(), 1.0));
    let response = ui.interact(top, anchor, Sense::focusable_noninteractive());
    response.widget_info(|| WidgetInfo::labeled(Role::Group, true, name));
    if response.has_focus() {
        let stroke = Stroke::new(1.5, tokens(ui).accent);
        // In the margin around the region, where it covers nothing.
        let painter = ui.ctx().layer_painter(ui.layer_id());
        painter.rect_stroke(rect.expand(RING), 2.0, stroke, StrokeKind::Inside);
    }
    ui.data_mut(|data| {
        let shown: &mut Vec<VisibleRegion> = data.get_temp_mut_or_default(shown_id());
        shown.push(VisibleRegion { region, anchor, rect: ui.clip_rect() });
    });
}

/// Goes to the next region on F6, to the one before on Shift+F6. Called once a
/// frame, when all regions are drawn.
pub fn go_between_regions(ctx: &Context) {
    let mut shown: Vec<VisibleRegion> = ctx.data_mut(|data| data.remove_temp(shown_id())).unwrap_or_default();
    // A page draws its header once it is drawn itself.
    shown.sort_by_key(|shown| shown.region);
    // The longer combination first: a test for a key alone passes over Shift.
    let back = ctx.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::F6));
    let forward = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::F6));
    if shown.is_empty() || !(forward || back) {
        return;
    }
    let focused = ctx.memory(|memory| memory.focused());
    let place = focused.and_then(|id| ctx.read_response(id)).map(|response| response.rect.center());
    let here = shown
        .iter()
        .position(|region| Some(region.anchor) == focused)
        .or_else(|| shown.iter().position(|region| place.is_some_and(|place| region.rect.contains(place))));
    let next = match here {
        Some(here) if back => (here + shown.len() - 1) % shown.len(),
        Some(here) => (here + 1) % shown.len(),
        None => shown.iter().position(|shown| shown.region == Region::Page).unwrap_or_default(),
    };
    if let Some(region) = shown.get(next) {
        ctx.memory_mut(|memory| memory.request_focus(region.anchor));
        ctx.request_repaint();
    }
}

fn place_id() -> Id {
    Id::unique("place of the keyboard within what has it")
}

/// Notes where within a control the keyboard is, such as the row of a table.
pub fn note_keyboard_place(ui: &Ui, place: Rect) {
    ui.data_mut(|data| data.insert_temp(place_id(), Some(place)));
}

/// The place of the keyboard: that region, else the control that has it. Read once a frame, when all is drawn.
pub fn keyboard_place(ui: &Ui) -> Option<Rect> {
    let within: Option<Rect> = ui.data_mut(|data| data.remove_temp::<Option<Rect>>(place_id())).flatten();
    // While the pointer clicks, whoever reads a response takes the focus from what was not clicked.
    let is_clicking = ui.input(|input| input.pointer.any_pressed() || input.pointer.any_click());
    let focused = ui.memory(|memory| memory.focused()).filter(|_| !is_clicking);
    let of_page = |response: &Response| response.layer_id.order == Order::Background;
    within.or_else(|| focused.and_then(|id| ui.ctx().read_response(id)).filter(of_page).map(|response| response.rect))
}

/// Makes a label a heading, so that people can go from one to the next.
pub fn mark_heading(label: &Response, text: &str) {
    label.widget_info(|| WidgetInfo::labeled(Role::Heading, true, text));
}

/// Gives what is drawn by hand a role and a name.
pub fn name_node(response: &Response, role: Role, name: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| {
        node.set_role(role);
        node.set_label(name);
    });
}

/// Names the whole window.
pub fn name_window(ctx: &Context, name: &str) {
    ctx.accesskit_node_builder(egui::accesskit_root_id(), |node| node.set_label(name));
}

/// Names the dialog that `ui` is the contents of.
pub fn name_dialog(ui: &Ui, name: &str) {
    let Some(dialog) = ui.stack().iter().find(|part| part.kind() == Some(UiKind::Modal)) else { return };
    ui.ctx().accesskit_node_builder(dialog.unique_id, |node| {
        node.set_label(name);
        node.set_modal();
    });
}

/// Draws a message whose texts are read out when it comes: at once where it is
/// an error, else when there is a pause.
pub fn alert_ui<R>(ui: &mut Ui, is_error: bool, draw: impl FnOnce(&mut Ui) -> R) -> R {
    let (role, live) = if is_error { (Role::Alert, Live::Assertive) } else { (Role::Status, Live::Polite) };
    let drawn = ui.scope_builder(UiBuilder::new().accessibility_role(role), |ui| {
        ui.ctx().accesskit_node_builder(ui.unique_id(), |node| node.set_live(live));
        draw(ui)
    });
    drawn.inner
}
