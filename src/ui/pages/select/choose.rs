//! Step 1: what is selected, by score, by filter or by collection.

use super::named::chosen_collections_ui;
use super::score::histogram_ui;
use super::{BalanceFilters, SCORING, SHOW, captures_by};
use crate::app::models::{Balance, CampaignId, Loaded, ScoreWeights, SelectionPage, SelectionSide, SelectionSpec};
use crate::app::{AppState, Command, JobKind, Route, TriedSelection};
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{
    StepState, count_link_ui, fold_ui, hair, line_field_ui, paint_key_cap, segments_ui, step_title_ui, write_ui,
};
use egui::{Align, Button, Color32, Label, Layout, Rect, RichText, Sense, Slider, Stroke, Ui, UiBuilder, vec2};
use std::sync::Arc;

/// Parts of the score that the folded line of weights names.
const NAMED: usize = 4;
/// Places of the columns of the balance, as parts of its width.
const COLUMNS: [f32; 4] = [0.33, 0.51, 0.69, 0.72];

/// The draft and what it comes to.
pub(super) struct Preview<'a> {
    /// The campaign.
    pub campaign: CampaignId,
    /// The kept selection.
    pub page: &'a SelectionPage,
    /// The last draft that was tried.
    pub tried: Option<&'a Arc<TriedSelection>>,
    /// The figures on the screen.
    pub balance: &'a Balance,
    /// Filters that list what they count.
    pub sides: &'a BalanceFilters,
    /// The answer to the present draft.
    pub answer: &'a Loaded<Arc<TriedSelection>>,
}

/// What decides where no person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SelectBy {
    #[default]
    Score,
    Filter,
    Collection,
}

/// The first step.
#[derive(Default)]
pub(super) struct ChooseStep {
    by: SelectBy,
    /// The filter that was typed, while the score decides.
    filter: String,
}

impl ChooseStep {
    /// The controls of these settings.
    pub(super) fn of(draft: &SelectionSpec) -> Self {
        let by = match (draft.filter.trim().is_empty(), draft.collections.is_empty()) {
            (false, _) => SelectBy::Filter,
            (true, false) => SelectBy::Collection,
            (true, true) => SelectBy::Score,
        };
        Self { by, filter: draft.filter.clone() }
    }

    /// Draws the step; `state` where the others stand beside it.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>, state: Option<StepState>) {
        ui.spacing_mut().item_spacing.y = theme::TIGHT_GAP;
        if let Some(state) = state {
            step_title_ui(ui, 1, "Select", state, |ui| self.by_ui(ui, app));
        }
        match self.by {
            SelectBy::Filter => self.filter_ui(ui, app),
            SelectBy::Collection => chosen_collections_ui(ui, app),
            SelectBy::Score => {}
        }
        if self.by != SelectBy::Filter {
            let kept = preview.page.spec.as_ref().map(|spec| spec.threshold);
            if let Some(threshold) = histogram_ui(ui, preview.balance, app.open.selection_draft.threshold, kept) {
                app.open.selection_draft.threshold = threshold;
            }
            weights_ui(ui, app);
        } else {
            requisites_ui(ui, app);
        }
        balance_ui(ui, app, preview);
        changes_ui(ui, app, preview);
    }

    /// Draws the choice of what decides.
    pub(super) fn by_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        const BY: [(SelectBy, &str); 3] =
            [(SelectBy::Score, "By score"), (SelectBy::Filter, "By filter"), (SelectBy::Collection, "By collection")];
        if !segments_ui(ui, "What selects", &mut self.by, &BY) {
            return;
        }
        let draft = &mut app.open.selection_draft;
        match self.by {
            SelectBy::Filter => draft.filter.clone_from(&self.filter),
            SelectBy::Score | SelectBy::Collection => self.filter = std::mem::take(&mut draft.filter),
        }
        if self.by == SelectBy::Score {
            draft.collections.clear();
        }
    }

    fn filter_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let width = ui.available_width() - 2.0 * theme::CONTROL_PAD;
        let hint = "words or fields, such as host:gov.pt status:200; * selects every capture";
        let field = line_field_ui(ui, "Filter instead of score", &mut app.open.selection_draft.filter, hint, width);
        if field.changed() {
            self.filter.clone_from(&app.open.selection_draft.filter);
        }
    }
}

/// Draws the weights, folded.
fn weights_ui(ui: &mut Ui, app: &mut AppState) {
    let draft = &app.open.selection_draft;
    let mut parts: Vec<(f64, &str)> = draft.weights.iter().map(|(part, weight)| (weight, part.name)).collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut named: Vec<String> =
        parts.iter().take(NAMED).map(|(weight, name)| format!("{} {weight:.2}", name.to_lowercase())).collect();
    if parts.len() > NAMED {
        named.push(format!("and {} more", parts.len() - NAMED));
    }
    let area = ui.available_rect_before_wrap();
    let line = Rect::from_min_size(area.min, vec2(area.width(), theme::CONTROL));
    let (fold, check) = line.split_left_right_at_x(line.right() - theme::FIELD + theme::PART_GAP);
    let mut right =
        ui.new_child(UiBuilder::new().id_salt("embedded").max_rect(check).layout(Layout::right_to_left(Align::Center)));
    requisites_ui(&mut right, app);
    let mut left = ui.new_child(UiBuilder::new().id_salt("weights").max_rect(fold));
    let is_open = fold_ui(&mut left, "weights", "Weights", &named.join(", "));
    ui.advance_cursor_after_rect(line);
    if !is_open {
        return;
    }
    let draft = &mut app.open.selection_draft;
    egui::Grid::new("weights").num_columns(4).show(ui, |ui| {
        for (at, (part, value)) in draft.weights.iter_mut().enumerate() {
            let label = ui.label(part.name).on_hover_text(part.about);
            ui.label_inputs_by(label.id, |ui| ui.add(Slider::new(value, 0.0..=1.0).fixed_decimals(2)));
            if at % 2 == 1 {
                ui.end_row();
            }
        }
        let label = ui.label("Threshold").on_hover_text("Keys [ and ]");
        ui.label_inputs_by(label.id, |ui| ui.add(Slider::new(&mut draft.threshold, 0.0..=1.0).fixed_decimals(2)));
        ui.end_row();
    });
    if ui.button("Default weights").clicked() {
        draft.weights = ScoreWeights::default();
    }
}

fn requisites_ui(ui: &mut Ui, app: &mut AppState) {
    ui.checkbox(&mut app.open.selection_draft.with_requisites, "embedded resources")
        .on_hover_text("Images, style sheets and scripts of selected pages come along");
}

/// A line of the balance, with a line below it.
fn balance_row(ui: &mut Ui, id: &str, draw: impl FnOnce(&mut BalanceRow<'_>)) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.bottom() - hair(ui) / 2.0, Stroke::new(hair(ui), tokens(ui).hairline));
    draw(&mut BalanceRow { ui, rect, id });
}

struct BalanceRow<'a> {
    ui: &'a mut Ui,
    rect: Rect,
    id: &'a str,
}

impl BalanceRow<'_> {
    /// Draws a cell that ends at this part of the width; the last one begins there.
    fn cell(&mut self, at: usize, draw: impl FnOnce(&mut Ui)) {
        let x = |part: f32| self.rect.left() + self.rect.width() * part;
        let (place, layout) = match at {
            0 => (self.rect.with_max_x(x(COLUMNS[0] - 0.1)), Layout::left_to_right(Align::Center)),
            4 => (self.rect.with_min_x(x(COLUMNS[3])), Layout::left_to_right(Align::Center)),
            at => {
                let from = if at == 1 { COLUMNS[0] - 0.1 } else { COLUMNS[at - 2] };
                let place = self.rect.with_min_x(x(from)).with_max_x(x(COLUMNS[at - 1]));
                (place, Layout::right_to_left(Align::Center))
            }
        };
        let mut cell = self.ui.new_child(UiBuilder::new().id_salt((self.id, at)).max_rect(place).layout(layout));
        cell.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        draw(&mut cell);
    }
}

fn balance_ui(ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>) {
    let (balance, sides) = (preview.balance, preview.sides);
    let colors = tokens(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    balance_row(ui, "head", |row| {
        let heads = ["Captures", "Sites", "Bytes", "Against the saved selection"];
        for (at, head) in heads.into_iter().enumerate() {
            row.cell(at + 1, |ui| {
                ui.label(RichText::new(head).size(theme::SMALL_TEXT).color(colors.weak_text));
            });
        }
    });
    for (selected, side) in [(true, balance.inside), (false, balance.outside)] {
        balance_row(ui, if selected { "selected" } else { "left out" }, |row| {
            row.cell(0, |ui| {
                let (icon, label, color) = match selected {
                    true => (Icon::Check, "Selected", colors.accept),
                    false => (Icon::Minus, "Left out", colors.weak_text),
                };
                icon_ui(ui, icon, theme::SMALL_ICON, color);
                ui.label(RichText::new(label).color(color));
            });
            side_ui(row, app, selected, side, sides);
            row.cell(4, |ui| match selected {
                true => against_ui(ui, app, preview),
                false => decisions_ui(ui, app, balance),
            });
        });
    }
}

/// The figures of what is selected, or scored and not selected.
fn side_ui(
    row: &mut BalanceRow<'_>,
    app: &mut AppState,
    selected: bool,
    side: SelectionSide,
    filters: &BalanceFilters,
) {
    let filter = if selected { &filters.inside } else { &filters.outside };
    let Some(filter) = filter else {
        let figures = [text::count(side.captures), text::count(side.hosts), text::bytes(side.bytes)];
        for (at, figure) in figures.into_iter().enumerate() {
            row.cell(at + 1, |ui| drop(ui.label(figure).on_hover_text("Listed once this selection is saved")));
        }
        return;
    };
    row.cell(1, |ui| {
        if count_link_ui(ui, side.captures, SHOW) {
            captures_by(app, filter.clone());
        }
    });
    row.cell(2, |ui| match filters.is_kept {
        true if count_link_ui(ui, side.hosts, "Show these sites") => {
            app.send(Command::Go(Route::SelectedHosts(selected)));
        }
        true => {}
        false => drop(ui.label(text::count(side.hosts)).on_hover_text("Listed once this selection is saved")),
    });
    row.cell(3, |ui| {
        if ui.link(text::bytes(side.bytes)).on_hover_text(SHOW).clicked() {
            captures_by(app, filter.clone());
        }
    });
}

/// What the draft brings in and puts out.
fn against_ui(ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>) {
    let (balance, sides, colors) = (preview.balance, preview.sides, tokens(ui));
    if preview.page.spec.is_none() {
        ui.label(RichText::new("none saved yet").color(colors.weak_text));
        return;
    }
    if sides.is_kept {
        ui.label(RichText::new("the same").color(colors.weak_text));
        return;
    }
    moves_ui(ui, app, [(balance.added, sides.added.as_ref()), (balance.removed, sides.removed.as_ref())]);
}

/// Draws how many captures come in and go out, each with the rows that it counts where a filter lists them.
fn moves_ui(ui: &mut Ui, app: &mut AppState, [added, removed]: [(u64, Option<&String>); 2]) {
    let colors = tokens(ui);
    let mut part = |ui: &mut Ui, sign: &str, (number, filter): (u64, Option<&String>), color: Color32, after: &str| {
        let label = format!("{sign}{}", text::count(number));
        match filter.filter(|_| number > 0) {
            Some(filter) => {
                if ui.link(RichText::new(label.as_str()).color(color)).on_hover_text(SHOW).clicked() {
                    captures_by(app, filter.clone());
                }
            }
            None => drop(ui.label(RichText::new(label).color(if number == 0 { colors.faint_text } else { color }))),
        }
        ui.label(after);
    };
    part(ui, "+", added, colors.accept, "in,");
    part(ui, "−", removed, colors.reject, "out");
}

/// How many captures persons put on a side.
fn decisions_ui(ui: &mut Ui, app: &mut AppState, balance: &Balance) {
    for (at, (number, label, filter)) in [
        (balance.included, format!("{} approved", text::count(balance.included)), "mark:approve"),
        (balance.excluded, format!("{} rejected", text::count(balance.excluded)), "mark:reject"),
    ]
    .into_iter()
    .enumerate()
    {
        if at > 0 {
            ui.label(",");
        }
        if number == 0 {
            ui.add(Label::new(RichText::new(label).color(tokens(ui).faint_text)).extend());
        } else if ui.link(label).on_hover_text(SHOW).clicked() {
            captures_by(app, filter.to_owned());
        }
    }
}

/// Draws the changes since the selection was kept, which a person applies.
fn changes_ui(ui: &mut Ui, app: &mut AppState, preview: &Preview<'_>) {
    let Some(spec) = &preview.page.spec else { return };
    let answer = app.reads.selection_offer(preview.campaign);
    let Some(offer) = answer.shown().and_then(|answer| answer.0.clone()) else { return };
    if offer.problem.is_some() || offer.added + offer.removed == 0 {
        return;
    }
    ui.add_space(GAP / 2.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        icon_ui(ui, Icon::Flagged, theme::SMALL_ICON, tokens(ui).flag);
        moves_ui(ui, app, [(offer.added, Some(&offer.added_filter)), (offer.removed, Some(&offer.removed_filter))]);
        ui.label(format!("since the selection of {} UTC", offer.date.to_readable()));
        let why_not = app.runs(JobKind::Select).then_some(SCORING);
        let again = write_ui(ui, why_not, Button::new("Apply these changes"));
        if again.on_hover_text("Makes the saved selection again with what came since").clicked() {
            app.send(Command::Select(spec.clone()));
        }
    });
}

/// Draws the keys that move the threshold, at the right end of the line of the picture's title.
pub(super) fn threshold_keys_ui(ui: &mut Ui) {
    let area = ui.max_rect();
    let last = paint_key_cap(ui, area.right_center(), "]");
    let first = paint_key_cap(ui, last.left_center() - vec2(theme::TIGHT_GAP, 0.0), "[");
    let at = first.left_center() - vec2(theme::TIGHT_GAP, 0.0);
    let font = egui::FontId::proportional(theme::SMALL_TEXT);
    ui.painter().text(at, egui::Align2::RIGHT_CENTER, "Move the line with", font, tokens(ui).weak_text);
}
