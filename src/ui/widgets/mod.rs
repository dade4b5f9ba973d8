//! Small parts that pages share.

mod choices;
mod folds;
mod forms;
mod gallery;
mod plots;
mod waiting;

pub use choices::{
    chevron, drop_ui, filter_chip_ui, icon_at, key_cap, keyed_button_ui, paint_key_cap, quiet_button, segments_ui,
    tab_of_ui, tab_ui, tabs_ui, tick_chip_ui,
};
pub use folds::{StepState, fold_ui, step_title_ui, unfold};
pub use forms::{FieldLevel, FormRow, remark_row_ui};
pub use gallery::Gallery;
pub use plots::{PLOT_LINE, framed_plot, in_plot_style, no_plot_ui, plot_fill, plot_head_ui};
pub use waiting::{Waiting, spinner_ui};

use super::access::{alert_ui, mark_heading};
use super::icons::{Icon, icon_button_ui};
use super::text;
use super::theme::{self, GAP, GROUP_GAP, tokens};
use crate::app::models::{CaptureRow, Loaded, Notice, OutcomeClass, ReviewMark, UrlOutcome, with_source};
use crate::app::{Action, AppState, resolve};
use crate::jobs::Progress;
use crate::scope::rule_label;
use egui::accesskit::Role;
use egui::{Button, Color32, Id, Label, Rect, Response, RichText, TextEdit, Ui, WidgetInfo};
use std::sync::Arc;

/// Opacity of an old answer while a new one loads.
pub const OLD_OPACITY: f32 = 0.5;

/// Thickness of a line that is one pixel of the screen.
pub fn hair(ui: &Ui) -> f32 {
    1.0 / ui.pixels_per_point()
}

/// Draws the value of an answer, or a note that it is loading or has failed.
pub fn loaded_ui<T>(ui: &mut Ui, answer: &Loaded<Arc<T>>, draw: impl FnOnce(&mut Ui, &T)) {
    match answer {
        Loaded::Ready(value) => draw(ui, value),
        Loaded::Loading { last: Some(value) } => {
            ui.scope(|ui| {
                ui.multiply_opacity(OLD_OPACITY);
                draw(ui, value);
            });
        }
        Loaded::Loading { last: None } => {
            ui.weak("Loading…");
        }
        Loaded::Failed(notice) => notice_ui(ui, notice),
    }
}

/// Draws the range of shown rows of a long list, with buttons to the others.
pub fn pager_ui(ui: &mut Ui, offset: &mut u64, limit: u64, total: u64, noun: &str) {
    if total <= limit {
        ui.weak(text::counted(total, noun));
        *offset = 0;
        return;
    }
    // The list may have become shorter.
    *offset = (*offset).min((total - 1) / limit * limit);
    ui.horizontal(|ui| {
        let last = (*offset + limit).min(total);
        let (from, to) = (text::count(*offset + 1), text::count(last));
        ui.weak(format!("{from}–{to} of {} shown", text::counted(total, noun)));
        if ui.add_enabled(*offset > 0, egui::Button::new("Previous")).clicked() {
            *offset = offset.saturating_sub(limit);
        }
        if ui.add_enabled(last < total, egui::Button::new("Next")).clicked() {
            *offset += limit;
        }
    });
}

/// A notice in place: what, why, and what to do.
pub fn notice_ui(ui: &mut Ui, notice: &Notice) {
    let frame = if notice.is_error { theme::error_frame(ui) } else { theme::card_frame(ui) };
    let card = |ui: &mut Ui| {
        ui.horizontal_wrapped(|ui| {
            if notice.is_error {
                ui.colored_label(tokens(ui).reject, "⚠");
            }
            ui.label(RichText::new(text::line(&notice.what)).color(tokens(ui).strong_text));
            if !notice.why.is_empty() {
                ui.label(text::line(&notice.why));
            }
            if !notice.hint.is_empty() {
                ui.weak(text::line(&notice.hint));
            }
        });
    };
    alert_ui(ui, notice.is_error, |ui| frame.show(ui, card));
}

/// A heading inside a page.
pub fn heading_ui(ui: &mut Ui, text: &str) {
    ui.add_space(GAP / 2.0);
    let heading = ui.label(RichText::new(text).strong().color(tokens(ui).strong_text));
    mark_heading(&heading, text);
}

/// What an empty page or table has in its place, at its top left: what is missing, and why or what to do.
/// The button that does it follows.
pub fn empty_ui(ui: &mut Ui, what: &str, next: &str) {
    ui.add_space(GAP);
    ui.scope(|ui| {
        theme::keep_reading_width(ui);
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(what).color(tokens(ui).strong_text));
            ui.label(RichText::new(next).color(tokens(ui).weak_text));
        });
    });
    ui.add_space(GAP / 2.0);
}

/// A button for an action: greyed with its reason when it is not possible.
pub fn action_ui(ui: &mut Ui, app: &mut AppState, action: Action) -> Response {
    action_named_ui(ui, app, action, &action.label())
}

/// The button of [`action_ui`] with another label.
pub fn action_named_ui(ui: &mut Ui, app: &mut AppState, action: Action, label: &str) -> Response {
    let resolved = resolve(action, app);
    let response = ui.add_enabled(resolved.is_ok(), Button::new(label));
    match resolved {
        Ok(command) => {
            let hint = match app.settings.keys_of(action) {
                "" => action.hint().to_owned(),
                keys => format!("{} ({keys})", action.hint()),
            };
            let response = response.on_hover_text(hint);
            if is_settled(ui, &response, action, app.route().page()) && response.clicked() {
                app.send(command);
            }
            response
        }
        Err(why) => response.on_disabled_hover_text(why),
    }
}

/// Notes why nothing can be written into the open workspace, for all that is drawn in this frame.
pub fn note_read_only(ctx: &egui::Context, why: Option<&'static str>) {
    ctx.data_mut(|data| data.insert_temp(read_only_id(), why));
}

/// Why nothing can be written into the open workspace; none where it can.
pub fn read_only(ui: &Ui) -> Option<&'static str> {
    ui.data(|data| data.get_temp(read_only_id())).flatten()
}

fn read_only_id() -> egui::Id {
    egui::Id::unique("why nothing can be written")
}

/// Names a control that shows a sign alone, for who listens to the window.
pub fn name_sign(response: &Response, name: &str) {
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, name));
}

/// A control that sends a command which writes: greyed with its reason where the workspace is read
/// only, or where there is another one.
pub fn write_ui(ui: &mut Ui, why_not: Option<&str>, control: impl egui::Widget) -> Response {
    let why_not = read_only(ui).or(why_not);
    let response = ui.add_enabled(why_not.is_none(), control);
    match why_not {
        Some(why) => response.on_disabled_hover_text(why),
        None => response,
    }
}

/// A button of an icon alone that sends a command which writes, greyed as [`write_ui`] does.
pub fn write_icon_ui(ui: &mut Ui, why_not: Option<&str>, icon: Icon, name: &str, hint: &str) -> Response {
    let why_not = read_only(ui).or(why_not);
    let drawn = ui.add_enabled_ui(why_not.is_none(), |ui| icon_button_ui(ui, icon, name));
    match why_not {
        Some(why) => drawn.inner.on_disabled_hover_text(why),
        None if hint.is_empty() => drawn.inner,
        None => drawn.inner.on_hover_text(hint),
    }
}

/// A field for a line of text, named for who listens: what it is for stands around it.
pub fn line_field_ui(ui: &mut Ui, name: &str, text: &mut String, example: &str, width: f32) -> Response {
    let response = ui.add(TextEdit::singleline(text).hint_text(example.to_owned()).desired_width(width));
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, name));
    response
}

/// A button that is greyed only where the workspace is read-only.
pub fn write_button_ui(ui: &mut Ui, label: impl Into<egui::WidgetText>) -> Response {
    write_ui(ui, None, Button::new(label.into()))
}

/// Seconds for which a button that took the place of a pressed one is not pressed.
const SETTLES_IN: f64 = 0.5;
/// Seconds within which a person may press again what was pressed.
const PRESSED_AGAIN_IN: f64 = 5.0;

/// A button at its place, and what happened to it.
#[derive(Clone, Copy)]
struct Placed {
    rect: Rect,
    what: Id,
    /// On which page, or in which bar.
    page: usize,
    /// The time when it took the place of another button that was just pressed.
    replaced: f64,
    /// The time when it was pressed last.
    pressed: f64,
    /// The frame in which it was drawn last: none is drawn while nothing changes, however long that is.
    frame: u64,
}

/// Whether a button may be pressed: not for a moment after it came to where another one was pressed,
/// which a second click is meant for. `what` is what it does, `page` where: who goes to another page
/// looks for its buttons.
pub fn is_settled(ui: &Ui, button: &Response, what: impl std::hash::Hash + std::fmt::Debug, page: usize) -> bool {
    let (now, what) = (ui.input(|input| input.time), Id::unique(("what a button does", what)));
    let frame = ui.ctx().cumulative_frame_nr();
    let is_there = |of: &Placed| of.frame + 1 >= frame;
    let id = Id::unique("buttons at their places");
    let mut placed: Vec<Placed> = ui.data_mut(|data| data.remove_temp(id)).unwrap_or_default();
    placed.retain(|of| is_there(of) || now - of.pressed <= PRESSED_AGAIN_IN);
    let is_here = |of: &Placed| of.rect.contains(button.rect.center()) || button.rect.contains(of.rect.center());
    let own = placed.iter().find(|of| of.what == what && is_here(of) && is_there(of)).copied();
    let was_pressed = |of: &Placed| now - of.pressed <= PRESSED_AGAIN_IN;
    let is_other = || placed.iter().any(|of| of.what != what && of.page == page && is_here(of) && was_pressed(of));
    let replaced = match own {
        Some(own) => own.replaced,
        None if is_other() => now,
        None => f64::NEG_INFINITY,
    };
    let pressed = if button.clicked() { now } else { own.map_or(f64::NEG_INFINITY, |own| own.pressed) };
    placed.retain(|of| of.what != what || !is_here(of));
    placed.push(Placed { rect: button.rect, what, page, replaced, pressed, frame });
    ui.data_mut(|data| data.insert_temp(id, placed));
    now - replaced >= SETTLES_IN
}

/// Seconds without a keystroke after which a line is applied.
const TYPING_PAUSE: f64 = 0.15;

/// A line of text that is applied a moment after the last keystroke.
#[derive(Default)]
pub struct TypedLine {
    /// The time of the last change; none once it is applied.
    edited: Option<f64>,
}

impl TypedLine {
    /// Whether the line in this field is due now: at once with Enter.
    pub fn is_due(&mut self, ui: &Ui, field: &Response) -> bool {
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        self.is_due_after(ui, field.changed(), entered)
    }

    /// Whether a value that several fields change is due; `at_once` without a pause.
    pub fn is_due_after(&mut self, ui: &Ui, is_changed: bool, at_once: bool) -> bool {
        let now = ui.input(|input| input.time);
        if is_changed {
            self.edited = Some(now);
        }
        let Some(edited) = self.edited else { return false };
        let is_due = at_once || now - edited >= TYPING_PAUSE;
        if is_due {
            self.edited = None;
        } else {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(TYPING_PAUSE));
        }
        is_due
    }

    /// Applies the line without a pause: the program changed it.
    pub fn skip_pause(&mut self) {
        self.edited = Some(f64::NEG_INFINITY);
    }

    /// Drops an edit that is not applied yet.
    pub fn forget(&mut self) {
        self.edited = None;
    }
}

/// A number that leads to the rows it counts.
pub fn count_link_ui(ui: &mut Ui, number: u64, leads_to: &str) -> bool {
    ui.link(text::count(number)).on_hover_text(leads_to).clicked()
}

/// Remarks that limit figures.
pub fn remarks_ui(ui: &mut Ui, remarks: &[String]) {
    for remark in remarks {
        ui.colored_label(tokens(ui).flag, format!("⚠ {}", text::line(&text::capital(remark))));
    }
}

/// The progress of long work, while some is under way.
pub fn progress_ui(ui: &mut Ui, progress: Option<Progress>) {
    if let Some(progress) = progress {
        ui.horizontal(|ui| {
            spinner_ui(ui);
            ui.weak(format!("{} {}", text::line(&progress.stage), text::done(&progress)));
        });
    }
}

/// A big figure with its label below; true when clicked.
pub fn figure_ui(ui: &mut Ui, value: &str, label: &str, leads_to: Option<&str>) -> bool {
    let mut clicked = false;
    // Nothing leads to no rows.
    let leads_to = leads_to.filter(|_| value != "0");
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let text = RichText::new(value).size(theme::FIGURE_TEXT);
        match leads_to {
            Some(leads_to) => {
                let response = ui.link(text).on_hover_text(leads_to);
                response.widget_info(|| WidgetInfo::labeled(Role::Link, true, format!("{value} {label}")));
                clicked = response.clicked();
            }
            None => {
                ui.label(text.color(tokens(ui).strong_text));
            }
        }
        ui.label(RichText::new(label).small().color(tokens(ui).weak_text));
    });
    ui.add_space(GROUP_GAP);
    clicked
}

/// A figure and what it counts, in a line of several; true when clicked.
pub fn inline_figure_ui(ui: &mut Ui, value: &str, label: &str, leads_to: Option<&str>) -> bool {
    let text = RichText::new(value).size(theme::PART_TEXT);
    let spacing = std::mem::replace(&mut ui.spacing_mut().item_spacing.x, theme::TIGHT_GAP);
    // What stands beside a number stays where it is when that gets more digits.
    let slot = egui::vec2(theme::FIGURE_SLOT, theme::CONTROL);
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let clicked = ui.allocate_ui_with_layout(slot, layout, |ui| {
        ui.set_min_size(slot);
        // Nothing leads to no rows.
        match leads_to.filter(|_| value != "0") {
            Some(leads_to) => {
                let response = ui.link(text).on_hover_text(leads_to);
                response.widget_info(|| WidgetInfo::labeled(Role::Link, true, format!("{value} {label}")));
                response.clicked()
            }
            None => {
                ui.label(text.color(tokens(ui).strong_text));
                false
            }
        }
    });
    ui.label(RichText::new(label).color(tokens(ui).weak_text));
    ui.spacing_mut().item_spacing.x = spacing;
    ui.add_space(theme::GAP);
    clicked.inner
}

/// A text field with its label before it.
pub fn field_ui(ui: &mut Ui, label: &str, text: &mut String, hint: &str, width: f32) -> Response {
    let label = ui.label(label);
    ui.add(TextEdit::singleline(text).hint_text(hint.to_owned()).desired_width(width)).labelled_by(label.id)
}

/// A number field with its label before it.
pub fn number_ui<N: egui::emath::Numeric>(
    ui: &mut Ui,
    label: &str,
    value: &mut N,
    range: std::ops::RangeInclusive<N>,
    suffix: &str,
) -> Response {
    let label = ui.label(label);
    ui.add(egui::DragValue::new(value).range(range).suffix(suffix)).labelled_by(label.id)
}

/// A cell's text: one line, cut at the cell's end, whole when hovered.
pub fn cell_ui(ui: &mut Ui, text: &str) -> Response {
    ui.add(Label::new(text::line(text)).truncate().selectable(false))
}

/// A number's text, at the end of its cell.
pub fn number_cell_ui(ui: &mut Ui, text: &str) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_space(theme::CELL_PAD);
        cell_ui(ui, text);
    });
}

/// A cell's text in a colour.
pub fn coloured_cell_ui(ui: &mut Ui, text: &str, color: Color32) -> Response {
    ui.add(Label::new(RichText::new(text::line(text)).color(color)).truncate().selectable(false))
}

/// A mark with its sign, label and colour.
pub fn mark_ui(ui: &mut Ui, mark: Option<ReviewMark>, origin: Option<&str>, inherited: bool) -> Response {
    let tokens = tokens(ui);
    match mark {
        None => coloured_cell_ui(ui, "·", tokens.weak_text).on_hover_text("Not reviewed"),
        Some(mark) => {
            let (sign, color) = match mark {
                ReviewMark::Approve => ("✔", tokens.accept),
                ReviewMark::Reject => ("✖", tokens.reject),
                ReviewMark::Flag => ("⚑", tokens.flag),
                ReviewMark::Later => ("◔", tokens.flag),
                ReviewMark::Clear => ("○", tokens.weak_text),
                ReviewMark::Note => ("✏", tokens.weak_text),
            };
            coloured_cell_ui(
                ui,
                &text::line(&with_source(&format!("{sign} {}", mark.label()), origin, inherited)),
                color,
            )
        }
    }
}

/// The decision on a capture, with where it is from and whether it is inherited.
pub fn decision_ui(ui: &mut Ui, row: &CaptureRow) -> Response {
    mark_ui(ui, row.mark, row.decision_origin.as_deref(), row.decision_inherited)
}

/// A status with its colour; the number has the same meaning without it.
pub fn status_ui(ui: &mut Ui, status: i32) -> Response {
    let tokens = tokens(ui);
    let color = match status {
        200..=299 => tokens.text,
        300..=399 => tokens.flag,
        _ => tokens.reject,
    };
    let label = match status {
        0 => "no status".to_owned(),
        ..0 => format!("{status} failed"),
        _ => status.to_string(),
    };
    coloured_cell_ui(ui, &label, color)
}

/// The verdict of the rules on a URL that no crawl has fetched, given as `ACCEPT` or
/// `REJECT` with the class name of the rule, or as text.
pub fn scope_verdict_ui(ui: &mut Ui, verdict: &str) -> Response {
    let tokens = tokens(ui);
    let (text, color, rule) = match verdict.split_once(' ') {
        Some(("ACCEPT", rule)) => (format!("✔ In scope: {}", rule_label(rule)), tokens.accept, rule),
        Some(("REJECT", rule)) => (format!("✖ Out of scope: {}", rule_label(rule)), tokens.reject, rule),
        _ => return cell_ui(ui, if verdict.is_empty() { "–" } else { verdict }),
    };
    coloured_cell_ui(ui, &text, color).on_hover_text(text::line(rule))
}

/// The class name of a rule as its plain name; the class name when hovered.
pub fn rule_cell_ui(ui: &mut Ui, rule: &str) -> Response {
    cell_ui(ui, rule_label(rule)).on_hover_text(text::line(rule))
}

/// Draws a value of a capture that a crawl recorded, or that an imported file claims.
pub fn claim_cell_ui(ui: &mut Ui, text: &str, is_claim: bool) -> Response {
    if !is_claim || text.is_empty() {
        return cell_ui(ui, text);
    }
    let color = tokens(ui).weak_text;
    coloured_cell_ui(ui, text, color).on_hover_text("The file says so; no crawl of this workspace vouches for it")
}

/// The number of steps from the seed; the tooltip has their kinds.
pub fn hops_cell_ui(ui: &mut Ui, path: &str) -> Response {
    cell_ui(ui, &text::hops(path)).on_hover_text(text::hops_explained(path))
}

fn outcome_mark(ui: &Ui, outcome: &UrlOutcome) -> (&'static str, Color32) {
    let tokens = tokens(ui);
    match outcome.kind.class() {
        OutcomeClass::Good => ("✔", tokens.accept),
        OutcomeClass::Problem => ("⚠", tokens.flag),
        OutcomeClass::Waiting => ("…", tokens.text),
        OutcomeClass::Refused | OutcomeClass::Failed => ("✖", tokens.reject),
    }
}

/// The outcome of a URL in a cell; the remedy when hovered.
pub fn outcome_cell_ui(ui: &mut Ui, outcome: &UrlOutcome) -> Response {
    let (sign, color) = outcome_mark(ui, outcome);
    let sentence = outcome.sentence.trim_end_matches('.');
    let response = coloured_cell_ui(ui, &format!("{sign} {sentence}"), color);
    let more: Vec<&str> =
        [outcome.remedy.as_str(), outcome.detail.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
    if more.is_empty() { response } else { response.on_hover_text(text::line(&more.join(" – "))) }
}

/// The outcome of a URL and its remedy, as the first line of a panel.
pub fn outcome_ui(ui: &mut Ui, outcome: &UrlOutcome) {
    let (sign, color) = outcome_mark(ui, outcome);
    ui.horizontal_wrapped(|ui| {
        let sentence = RichText::new(format!("{sign} {}", text::line(&outcome.sentence))).strong().color(color);
        ui.label(sentence);
        if !outcome.remedy.is_empty() {
            ui.label(text::line(&outcome.remedy));
        }
    });
    if !outcome.detail.is_empty() {
        ui.weak(text::line(&outcome.detail));
    }
}

/// Asks the lower panel to leave the page so much room below this place.
pub fn keep_page_room(ui: &Ui, height: f32) {
    let bottom = ui.cursor().top() + height;
    ui.data_mut(|data| {
        let room: &mut f32 = data.get_temp_mut_or_default(page_room_id());
        *room = room.max(bottom);
    });
}

/// Down to where the page that was drawn last needs its room; none where it did not report it.
pub fn take_page_room(ui: &Ui) -> Option<f32> {
    ui.data_mut(|data| data.remove_temp(page_room_id()))
}

fn page_room_id() -> egui::Id {
    egui::Id::unique("room of the page")
}

/// Height of a table with so many rows, at most those that a page always shows.
pub fn least_table_height(ui: &Ui, rows: usize, row_height: f32) -> f32 {
    let rows = rows.clamp(1, theme::ROWS_LEAST);
    theme::HEAD_ROW + rows as f32 * row_height + ui.spacing().scroll.allocated_width()
}

/// Whether a person is typing or goes through a menu, so that single keys are not of the page.
pub fn is_typing(ui: &Ui) -> bool {
    ui.ctx().text_edit_focused() || egui::Popup::is_any_open(ui.ctx())
}

/// The place of the field that a person is led to, in egui's memory.
fn led_to() -> egui::Id {
    egui::Id::unique("field that a person is led to")
}

/// Frames within which the field is drawn: a table scrolls to it first.
const LEADING_FRAMES: u32 = 10;

/// Leads a person to the field of this path, wherever it is drawn next.
pub fn lead_to_field(ctx: &egui::Context, path: &str) {
    ctx.data_mut(|data| data.insert_temp(led_to(), (path.to_owned(), LEADING_FRAMES)));
    ctx.request_repaint();
}

/// The path of the field that a person is led to.
pub fn field_led_to(ctx: &egui::Context) -> Option<String> {
    ctx.data(|data| data.get_temp::<(String, u32)>(led_to())).map(|(path, _)| path)
}

/// The field of a path: takes the keyboard and comes into sight when a person
/// is led to it.
pub fn lead_here(response: &Response, path: &str) {
    if field_led_to(&response.ctx).as_deref() == Some(path) {
        response.request_focus();
        response.scroll_to_me(Some(egui::Align::Center));
        response.ctx.data_mut(|data| data.remove::<(String, u32)>(led_to()));
    }
}

/// Gives up leading to a field that is not drawn. Called once a frame.
pub fn stop_leading(ctx: &egui::Context) {
    ctx.data_mut(|data| match data.get_temp::<(String, u32)>(led_to()) {
        Some((_, 0)) => data.remove::<(String, u32)>(led_to()),
        Some((path, frames)) => {
            data.insert_temp(led_to(), (path, frames - 1));
        }
        None => {}
    });
}

/// A field for a note. While it has the keyboard, letters are text, Ctrl+Enter
/// keeps the note and Esc leaves the field; `opens` puts the cursor into it. True
/// when the note shall be kept.
pub fn note_field_ui(ui: &mut Ui, id: &str, label: &str, text: &mut String, opens: bool) -> bool {
    let id = egui::Id::unique(id);
    let writes = ui.memory(|memory| memory.has_focus(id));
    let keep = egui::KeyboardShortcut::new(egui::Modifiers::COMMAND, egui::Key::Enter);
    let keeps = writes && ui.input_mut(|input| input.consume_shortcut(&keep));
    let label = ui.label(label);
    let field =
        TextEdit::singleline(text).id(id).hint_text("Ctrl+Enter keeps it as a note").desired_width(theme::FIELD * 1.5);
    let response = ui.add(field).labelled_by(label.id);
    if opens {
        response.request_focus();
    }
    if keeps {
        response.surrender_focus();
    }
    keeps
}

/// Whether a person is writing a note, which has keys of its own.
pub fn is_writing_note(ui: &Ui) -> bool {
    let fields = [REVIEW_NOTE, PANEL_NOTE].map(egui::Id::unique);
    ui.memory(|memory| memory.focused().is_some_and(|focused| fields.contains(&focused)))
}

/// Whether the field of a note was just left.
pub fn is_leaving_note(ui: &Ui) -> bool {
    let fields = [REVIEW_NOTE, PANEL_NOTE].map(egui::Id::unique);
    ui.memory(|memory| fields.iter().any(|field| memory.had_focus_last_frame(*field) && !memory.has_focus(*field)))
}

/// The note field of the page Review.
pub const REVIEW_NOTE: &str = "note of the page Review";
/// The note field of the lower panel.
pub const PANEL_NOTE: &str = "note of the lower panel";

/// Whether a letter was typed that opens a field. Told by its text and not by
/// its key: the field, which takes the keyboard now, must not get it.
pub fn takes_letter(ui: &Ui, letter: &str) -> bool {
    ui.input_mut(|input| {
        let events = input.events.len();
        input.events.retain(|event| !matches!(event, egui::Event::Text(text) if text.eq_ignore_ascii_case(letter)));
        input.events.len() < events
    })
}
