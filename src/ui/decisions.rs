//! Decisions by keys, buttons and notes. What they act on is answered by the window's state
//! alone ([`AppState::decision_target`]), and is at the head of the lower panel.

use super::icons::Icon;
use super::panel::NoteField;
use super::text;
use super::theme::tokens;
use super::widgets::{decision_ui, is_typing, takes_letter, write_icon_ui};
use crate::app::models::{CaptureId, ReviewMark};
use crate::app::{AppState, Command, Focus, MARK_KEYS, PanelTab, SelectedRows};
use egui::{Align, Key, Label, Layout, Modifiers, RichText, Ui};

/// Decides on what decisions act on now.
pub fn decide(app: &mut AppState, mark: ReviewMark, note: String) {
    if let Ok(captures) = app.decision_target() {
        app.send(Command::Mark { captures, mark, note });
    }
}

/// Keeps a note on these captures, if anything is written.
pub fn keep_note(app: &mut AppState, captures: SelectedRows, note: &mut String) {
    let text = note.trim().to_owned();
    if !text.is_empty() {
        // Where it cannot be kept it stays in its field.
        if app.read_only().is_none() {
            note.clear();
        }
        app.send(Command::Mark { captures, mark: ReviewMark::Note, note: text });
    }
}

/// Takes the keys that decide, write a note or open a tab of the lower panel, on every page with
/// captures; drawn after the page, whose own keys come first.
pub fn decision_keys(ui: &Ui, app: &mut AppState) {
    if is_typing(ui) || app.dialog().is_some() || app.decision_target().is_err() {
        return;
    }
    let shift = ui.input(|input| input.modifiers.shift);
    let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, mark, _) in MARK_KEYS {
        if Key::from_name(key).is_some_and(pressed) {
            decide(app, mark, String::new());
        }
    }
    for (key, tab, tab_shifted) in [
        (Key::W, PanelTab::Decision, PanelTab::Decision),
        (Key::L, PanelTab::Inlinks, PanelTab::Outlinks),
        (Key::V, PanelTab::Versions, PanelTab::Versions),
    ] {
        if pressed(key) {
            app.show_tab(if shift { tab_shifted } else { tab });
        }
    }
    if takes_letter(ui, "n") {
        app.show_tab(PanelTab::Notes);
    }
}

/// Buttons that decide, greyed with the reason where there is nothing to decide on.
pub fn decision_buttons_ui(ui: &mut Ui, app: &mut AppState) {
    let why_not = app.decision_target().err();
    let keyed = MARK_KEYS.map(|(key, mark, label)| (label, mark, format!("{} (key {key})", mark.label())));
    for (label, mark, hint) in keyed.into_iter().chain([("Clear decision", ReviewMark::Clear, String::new())]) {
        if write_icon_ui(ui, why_not, mark_icon(mark), label, &hint).clicked() {
            decide(app, mark, String::new());
        }
    }
}

/// The icon of a decision, on its button.
pub fn mark_icon(mark: ReviewMark) -> Icon {
    match mark {
        ReviewMark::Approve => Icon::Check,
        ReviewMark::Reject => Icon::Close,
        ReviewMark::Flag => Icon::Flag,
        ReviewMark::Later => Icon::Waiting,
        ReviewMark::Clear => Icon::Undo,
        ReviewMark::Note => Icon::Spec,
    }
}

/// Says at the head of the lower panel which capture it shows, with its date and decision: that is
/// what decisions act on.
pub fn headline_ui(ui: &mut Ui, app: &mut AppState, id: CaptureId) {
    let beside = app.beside_row();
    let answer = app.reads.detail(id, app.settings.window_days);
    let detail = answer.shown().filter(|detail| detail.row.id == id).cloned();
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if beside > 0
                && ui.link("Back to the row").on_hover_text("Show the selected row of the page again").clicked()
            {
                app.follow_beside(Vec::new());
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if beside > 1 {
                    let label = format!("{beside} captures selected in this list; decisions act on all of them");
                    ui.add(Label::new(RichText::new(label).strong().color(tokens(ui).flag)).truncate());
                    return;
                }
                let Some(detail) = detail else {
                    ui.weak("Loading…");
                    return;
                };
                ui.scope(|ui| {
                    ui.set_max_width(DECISION);
                    decision_ui(ui, &detail.row);
                });
                if beside > 0 {
                    ui.label(RichText::new("Another capture:").color(tokens(ui).flag));
                }
                let date = format!("{} UTC", detail.row.date.to_readable());
                ui.label(RichText::new(date).color(tokens(ui).strong_text));
                let url = RichText::new(text::line(&detail.row.url)).color(tokens(ui).weak_text);
                ui.add(Label::new(url).truncate());
            });
        });
    });
}

/// Width of the decision in the headline.
const DECISION: f32 = 120.0;

/// The lower panel while several rows of the page are selected: what can be done with all of them.
pub fn several_ui(ui: &mut Ui, app: &mut AppState, note: &mut NoteField) {
    ui.add(Label::new(RichText::new(SEVERAL).color(tokens(ui).weak_text)).truncate());
    match app.decision_target() {
        Ok(captures) => note.ui(ui, app, captures),
        Err(why) => drop(ui.weak(why)),
    }
}

const SEVERAL: &str = "Decisions and notes act on all of them; select one row to see its details";

/// Whether the capture of the lower panel is this one, so that a decision on it is one on the row.
pub fn decides_on(app: &AppState, id: CaptureId) -> bool {
    app.focus() == Some(Focus::Capture(id)) && app.beside_row() <= 1
}
