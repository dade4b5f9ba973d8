//! The head of the panel: the title of the row, its parts as tabs, and the edge that it is drawn by.

use super::LowerPanel;
use crate::app::{Action, AppState, Focus, PanelTab};
use crate::ui::access::name_node;
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::pages::name_of;
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{paint_key_cap, tab_ui, tabs_ui};
use egui::accesskit::Role;
use egui::{CursorIcon, Id, Rect, RichText, Sense, Stroke, Ui, UiBuilder, Vec2, vec2};

/// Parts of a capture, the most read first.
const TABS: [(PanelTab, &str); 12] = [
    (PanelTab::Details, "Details"),
    (PanelTab::Text, "Text"),
    (PanelTab::Inlinks, "Inlinks"),
    (PanelTab::Outlinks, "Outlinks"),
    (PanelTab::Needs, "Needs"),
    (PanelTab::Versions, "Versions"),
    (PanelTab::Decision, "Decision"),
    (PanelTab::Notes, "Notes"),
    (PanelTab::Anchors, "Anchors"),
    (PanelTab::Entities, "Entities"),
    (PanelTab::Related, "Related"),
    (PanelTab::Headers, "Headers"),
];
/// Parts that have a tab in every window; the others are in a menu where there is no room.
const FIRST_TABS: usize = 8;
/// Parts that have a tab where the panel stands at the right of the page.
const SIDE_TABS: usize = 4;
/// Narrower strips have the last parts in a menu.
const ROOM_FOR_TABS: f32 = 1000.0;
/// Most width of the title of the row in the strip.
const TITLE: f32 = 240.0;
/// Height of the edge that the panel is drawn up and down by.
const GRIP: f32 = 5.0;

/// Scope of the tabs: the focus stays on a tab while other buttons of the strip come and go.
pub(super) fn tabs_id() -> Id {
    Id::unique("tabs of the panel")
}

impl LowerPanel {
    /// The edge that the panel is drawn up and down by.
    pub(super) fn grip_ui(&self, ui: &mut Ui, app: &mut AppState, area: Rect) {
        let (top, most) = (area.top(), self.most);
        let grip = Rect::from_x_y_ranges(area.x_range(), top..=top + GRIP);
        let response = ui.interact(grip, Id::unique("height of the lower panel"), Sense::drag());
        name_node(&response, Role::Splitter, "Height of the lower panel");
        if response.hovered() || response.dragged() {
            ui.set_cursor_icon(CursorIcon::ResizeVertical);
            ui.painter().hline(area.x_range(), top, Stroke::new(GRIP / 2.0, tokens(ui).accent));
        }
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            let least = theme::PANEL_LEAST.min(most);
            app.settings.panel_height = (area.bottom() - pointer.y).clamp(least, most);
        }
    }

    /// The line that is there while a row is selected: its title, and its parts, each of which opens the panel.
    pub(super) fn strip_ui(&mut self, ui: &mut Ui, app: &mut AppState, is_open: bool) {
        let cap = self.title_ui(ui, app, is_open);
        if !has_tabs(app) {
            return;
        }
        ui.add_space(GAP);
        let place = ui.available_rect_before_wrap();
        let place = place.with_max_x((cap.left() - GAP).max(place.left()));
        let mut tabs = ui.new_child(UiBuilder::new().scope_id(tabs_id()).max_rect(place).layout(*ui.layout()));
        self.tabs_ui(&mut tabs, app, is_open);
    }

    /// The button that opens and closes it, the title of the row, and at the right end its keys; their place.
    pub(super) fn title_ui(&mut self, ui: &mut Ui, app: &mut AppState, is_open: bool) -> Rect {
        let (icon, name) = match (is_open, self.is_whole) {
            (true, true) => (Icon::Back, "Back to the list"),
            (true, false) if self.is_aside => (Icon::Right, "Hide the panel"),
            (true, false) => (Icon::Down, "Hide the lower panel"),
            (false, _) => (Icon::Up, "Show the lower panel"),
        };
        if icon_button_ui(ui, icon, name).clicked() {
            app.act(Action::ToggleLowerPanel);
        }
        if is_open
            && self.is_whole
            && ui.link("Back to the list").on_hover_text("The rows of the page again (Esc)").clicked()
        {
            app.act(Action::ToggleLowerPanel);
        }
        let mut cap = paint_key_cap(ui, ui.max_rect().right_center(), app.settings.keys_of(Action::ToggleLowerPanel));
        if is_open && !self.is_whole && ui.ctx().content_rect().width() >= theme::WIDE_WINDOW {
            let place = Rect::from_center_size(
                cap.left_center() - vec2(theme::CONTROL / 2.0 + GAP, 0.0),
                Vec2::splat(theme::CONTROL),
            );
            let mut side = ui.new_child(UiBuilder::new().id_salt("side").max_rect(place).layout(*ui.layout()));
            let (icon, name) = match self.is_aside {
                true => (Icon::Down, "Put the panel below the page"),
                false => (Icon::Right, "Put the panel at the right of the page"),
            };
            if icon_button_ui(&mut side, icon, name).clicked() {
                app.settings.panel_aside = !self.is_aside;
            }
            cap = cap.with_min_x(place.left());
        }
        let most = match (self.is_aside, ui.max_rect().width() >= ROOM_FOR_TABS) {
            (true, _) => cap.left() - ui.cursor().left() - GAP,
            (false, true) => TITLE,
            (false, false) => TITLE / 2.0,
        };
        let title = row_title(app);
        ui.scope(|ui| {
            ui.set_max_width(most.max(0.0));
            let title = RichText::new(title).color(tokens(ui).strong_text);
            ui.add(egui::Label::new(title).truncate());
        });
        cap
    }

    /// The parts of the row as tabs; what has no room is in a menu.
    pub(super) fn tabs_ui(&mut self, ui: &mut Ui, app: &mut AppState, is_open: bool) {
        if !has_tabs(app) {
            return;
        }
        let before = app.settings.panel_tab;
        let (is_wide, first) = match self.is_aside {
            true => (false, SIDE_TABS),
            false => (ui.ctx().content_rect().width() - theme::RAIL_WIDTH >= ROOM_FOR_TABS, FIRST_TABS),
        };
        let mut chosen = None;
        tabs_ui(ui, "Parts of the capture", |ui| {
            let in_menu = |at: usize, tab: PanelTab| !is_wide && at >= first && tab != before;
            for (at, (tab, label)) in TABS.into_iter().enumerate() {
                if !in_menu(at, tab) && tab_ui(ui, is_open && tab == before, label).clicked() {
                    chosen = Some(tab);
                }
            }
            if is_wide {
                return;
            }
            let more = icon_button_ui(ui, Icon::More, "More parts of the capture");
            egui::Popup::menu(&more).show(|ui| {
                for (at, (tab, label)) in TABS.into_iter().enumerate() {
                    if in_menu(at, tab) && ui.button(label).clicked() {
                        chosen = Some(tab);
                    }
                }
            });
        });
        if let Some(tab) = chosen {
            app.settings.panel_tab = tab;
            if !is_open {
                app.act(Action::ToggleLowerPanel);
            }
        }
    }
}

/// Whether the row has parts.
fn has_tabs(app: &AppState) -> bool {
    app.selected_together().is_none() && matches!(app.focus(), Some(Focus::Capture(_)))
}

/// The edge that the panel at the right is made wider and narrower by.
pub(super) fn side_grip_ui(ui: &mut Ui, app: &mut AppState, area: Rect) {
    let left = area.left();
    let grip = Rect::from_x_y_ranges(left..=left + GRIP, area.y_range());
    let response = ui.interact(grip, Id::unique("width of the panel"), Sense::drag());
    name_node(&response, Role::Splitter, "Width of the panel");
    if response.hovered() || response.dragged() {
        ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
        ui.painter().vline(left, area.y_range(), Stroke::new(GRIP / 2.0, tokens(ui).accent));
    }
    if response.dragged()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        let most = ui.ctx().content_rect().width() * theme::PANEL_SHARE;
        app.settings.panel_width = (area.right() - pointer.x).clamp(theme::SIDE_PANEL_LEAST, most);
    }
}

/// The title of the row that the panel is about.
fn row_title(app: &mut AppState) -> String {
    if let Some(count) = app.selected_together() {
        return format!("{} selected", text::counted(count, "capture"));
    }
    match app.focus() {
        Some(Focus::Capture(id)) => {
            let answer = app.reads.detail(id, app.settings.window_days);
            let row = answer.shown().filter(|detail| detail.row.id == id).map(|detail| &detail.row);
            row.map_or("…".to_owned(), |row| text::line(if row.title.is_empty() { &row.url } else { &row.title }))
        }
        Some(Focus::Seen(id)) => {
            let answer = app.reads.seen_one(id);
            let row = answer.shown().and_then(|row| row.as_ref().as_ref());
            row.map_or("…".to_owned(), |row| text::line(&row.url))
        }
        Some(Focus::File(id)) => {
            let answer = app.reads.file(id);
            answer.shown().map_or("…".to_owned(), |row| text::line(name_of(&row.path)))
        }
        Some(Focus::Problem(_)) => "Problem of an archive file".to_owned(),
        None => String::new(),
    }
}
