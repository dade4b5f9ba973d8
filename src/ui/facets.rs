//! Facets of search results: values with bars and counts, to be required or excluded.

use super::text;
use super::theme::{self, GAP, tokens};
use super::widgets::filter_chip_ui;
use crate::app::models::{FacetChoice, FacetKind, FacetValue, SearchCounts};
use egui::{Key, Modifiers, ScrollArea, Ui};

/// Values of a facet that are shown at first.
const VALUES: usize = 10;
/// Further values that are drawn above and below those in sight, for Tab to go to.
const NEAR: usize = 2;
/// Width of the list of facets.
pub const FACETS_WIDTH: f32 = theme::FACETS;
/// Width of a number, and of the longest bar before it.
const COUNT: f32 = 46.0;
const BAR: f32 = 36.0;
/// Height of a bar.
const BAR_HEIGHT: f32 = 4.0;

/// Pages narrower than this have the facets below one another in a menu.
pub const ROOM_FOR_FACETS: f32 = theme::FACETS_WINDOW - theme::RAIL_WIDTH - 3.0 * theme::PAGE_MARGIN;

/// An action of a person on a value of a facet.
pub enum FacetAction {
    /// Only results with it, or only those without it; a second time, both.
    Toggle(FacetChoice),
    /// Only results with it, whatever else of the facet was chosen.
    Only(FacetChoice),
    /// The captures that it counts.
    Show(FacetChoice),
}

/// A list of facets.
#[derive(Default)]
pub struct Facets {
    /// Facets of which all values are shown.
    opened: Vec<FacetKind>,
    /// Height of a value, when one was drawn last.
    row: f32,
}

impl Facets {
    /// Draws the facets, those of `chosen` checked.
    pub fn ui(&mut self, ui: &mut Ui, counts: &SearchCounts, chosen: &[FacetChoice]) -> Option<FacetAction> {
        let mut action = None;
        ScrollArea::vertical().id_salt("facets").auto_shrink([false, false]).show(ui, |ui| {
            for (kind, values) in &counts.facets {
                let is_chosen = chosen.iter().any(|choice| choice.kind == *kind);
                if values.is_empty() || values.len() == 1 && values[0].value.is_empty() && !is_chosen {
                    continue;
                }
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.label(theme::strong(kind.label(), theme::SMALL_TEXT).color(tokens(ui).strong_text));
                let is_open = self.opened.contains(kind);
                let most = values.iter().map(|value| value.count).max().unwrap_or_default();
                for value in values.iter().take(VALUES) {
                    let top = ui.cursor().top();
                    action = value_ui(ui, chosen, *kind, value, most).or(action.take());
                    self.row = ui.cursor().top() - top;
                }
                if is_open {
                    // Ids of its own: those of what follows are the same wherever it is scrolled to.
                    let further = values.get(VALUES..).unwrap_or_default();
                    let drawn = ui.push_id(kind.label(), |ui| further_ui(ui, chosen, *kind, (further, most), self.row));
                    action = drawn.inner.or(action.take());
                }
                if values.len() > VALUES {
                    let more = if is_open { "fewer".to_owned() } else { format!("{} more", values.len() - VALUES) };
                    if ui.link(more).clicked() {
                        match is_open {
                            true => self.opened.retain(|open| open != kind),
                            false => self.opened.push(*kind),
                        }
                    }
                }
                ui.add_space(GAP);
            }
        });
        action
    }
}

/// Values that are chosen, each to be taken away: the one that was.
pub fn chosen_ui(ui: &mut Ui, chosen: &[FacetChoice]) -> Option<FacetChoice> {
    let mut gone = None;
    ui.horizontal_wrapped(|ui| {
        for choice in chosen {
            let not = if choice.is_excluded { "not " } else { "" };
            let name = format!("{}: {not}{}", choice.kind.label(), shown_value(&choice.value));
            if filter_chip_ui(ui, &name, "Take this condition away") {
                gone = Some(choice.clone());
            }
        }
    });
    gone
}

/// Values behind the first: those in sight, since there may be as many as there are hosts.
fn further_ui(
    ui: &mut Ui,
    chosen: &[FacetChoice],
    kind: FacetKind,
    (values, most): (&[FacetValue], u64),
    row: f32,
) -> Option<FacetAction> {
    let (top, sight) = (ui.cursor().top(), ui.clip_rect());
    let at = |y: f32| (((y - top) / row).max(0.0) as usize).min(values.len());
    let shown = at(sight.top()).saturating_sub(NEAR)..(at(sight.bottom()) + 1 + NEAR).min(values.len());
    let space = |ui: &mut Ui, rows: usize| {
        if rows > 0 {
            ui.allocate_space(egui::vec2(0.0, rows as f32 * row - ui.spacing().item_spacing.y));
        }
    };
    let mut action = None;
    space(ui, shown.start);
    for (nth, value) in values.iter().enumerate().take(shown.end).skip(shown.start) {
        action = ui.push_id(nth, |ui| value_ui(ui, chosen, kind, value, most)).inner.or(action.take());
    }
    space(ui, values.len() - shown.end);
    action
}

/// Brings into sight what Tab has gone to.
fn follow(response: &egui::Response) {
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
}

/// Draws a value: a check box, a bar of how many there are beside the most frequent value, and their number.
fn value_ui(
    ui: &mut Ui,
    chosen: &[FacetChoice],
    kind: FacetKind,
    value: &FacetValue,
    most: u64,
) -> Option<FacetAction> {
    let mut action = None;
    let choice = |is_excluded| FacetChoice { kind, value: value.value.clone(), is_excluded };
    let (name, colors) = (shown_value(&value.value), tokens(ui));
    let is_excluded = chosen.contains(&choice(true));
    let size = egui::vec2(ui.available_width(), theme::ROW);
    ui.allocate_ui_with_layout(size, egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.set_min_height(theme::ROW);
        ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        let (place, _) = ui.allocate_exact_size(egui::vec2(COUNT, theme::ROW), egui::Sense::hover());
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut count = ui.new_child(egui::UiBuilder::new().id_salt("count").max_rect(place).layout(layout));
        if value.count == 0 {
            count.label(egui::RichText::new("0").color(colors.faint_text));
        } else if named_count_ui(&mut count, value.count, &format!("{}: {name}", kind.label())) {
            action = Some(FacetAction::Show(choice(false)));
        }
        let (bar, _) = ui.allocate_exact_size(egui::vec2(BAR, theme::ROW), egui::Sense::hover());
        let width = (value.count as f32 / most.max(1) as f32 * BAR).max(1.0);
        if value.count > 0 {
            let size = egui::vec2(width, BAR_HEIGHT);
            let filled = egui::Rect::from_center_size(egui::pos2(bar.right() - width / 2.0, bar.center().y), size);
            ui.painter().rect_filled(filled, 0.0, colors.plot_first);
        }
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
            let mut is_chosen = chosen.contains(&choice(false));
            let text = egui::RichText::new(if is_excluded { format!("not {name}") } else { name.clone() });
            let text = if is_excluded { text.strikethrough().color(colors.reject) } else { text };
            let check = ui.checkbox(&mut is_chosen, text);
            check.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, is_chosen, name.as_str()));
            follow(&check);
            if check.changed() {
                action = Some(FacetAction::Toggle(choice(is_excluded)));
            }
            let excludes = check.has_focus() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Delete));
            if excludes {
                action = Some(FacetAction::Toggle(choice(true)));
            }
            check.context_menu(|ui| {
                if ui.button(format!("Only {name}")).clicked() {
                    action = Some(FacetAction::Only(choice(false)));
                }
                let label = if is_excluded { "With and without it" } else { "Without it" };
                if ui.add(egui::Button::new(label).shortcut_text("Delete")).clicked() {
                    action = Some(FacetAction::Toggle(choice(true)));
                }
            });
            check.on_hover_text(format!("{name}\nRight click or Delete for captures without it"));
        });
    });
    action
}

/// A number of captures that leads to them, named with what it counts.
pub fn named_count_ui(ui: &mut Ui, number: u64, counts: &str) -> bool {
    let number = text::count(number);
    let link = ui.link(number.as_str()).on_hover_text("Show these captures");
    link.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Link, true, format!("{counts}: {number}")));
    link.clicked()
}

/// The value of a facet as it is read.
pub fn shown_value(value: &str) -> String {
    if value.is_empty() { "unknown".to_owned() } else { text::line(value).to_string() }
}
