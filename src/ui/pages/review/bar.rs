//! The decisions with their keys, reasons and note, and how fast they are made.

use super::{Mode, ReviewPage, reasons};
use crate::analysis::sampling::median_of_last;
use crate::app::models::{CaptureId, PatchSource, ReviewMark, ReviewOrder, ReviewReason};
use crate::app::{Action, AppState, Command, MARK_KEYS, PanelTab, ReviewAct, SelectedRows, resolve};
use crate::ui::decisions::{decides_on, keep_note, mark_icon};
use crate::ui::icons::Icon;
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::{
    REVIEW_NOTE, is_typing, keyed_button_ui, note_field_ui, read_only, takes_letter, tick_chip_ui,
};
use egui::{Key, Modifiers, RichText, Ui};
use std::time::Duration;

/// A pause after which the next decision begins anew, in seconds: nobody reads one page that long.
const BREAK: f64 = 600.0;

/// Decisions of the page with their keys: those of every page, and the one for after a new crawl.
const DECISIONS: [(&str, ReviewMark, &str); 4] =
    [MARK_KEYS[0], MARK_KEYS[1], MARK_KEYS[2], ("R", ReviewMark::Later, "After recrawl")];

/// What a person has chosen for the next decision, and the pace.
#[derive(Default)]
pub(super) struct Decisions {
    note: String,
    opens_note: bool,
    /// Reasons that are chosen, by their codes.
    chosen: Vec<String>,
    /// When the last decision was made, or the queue came up.
    last: Option<f64>,
    /// Seconds of each decision, oldest first.
    times: Vec<Duration>,
}

impl Decisions {
    /// How many are to review, how many were reviewed now, and about how long the rest takes at the pace of the
    /// last twenty.
    pub(super) fn progress(&self, left: u64, done: u64) -> String {
        let pace = median_of_last(&self.times);
        let forecast = pace.map_or_else(String::new, |each| {
            let rest = each.as_secs_f64() * left as f64;
            format!(", {} each, about {} left", text::duration(each.as_secs_f64()), text::duration(rest))
        });
        format!("{} to review, {} reviewed now{forecast}", text::counted(left, "capture"), text::count(done))
    }

    fn note_time(&mut self, now: f64) {
        if let Some(before) = self.last.replace(now)
            && now - before < BREAK
            && now > before
        {
            self.times.push(Duration::from_secs_f64(now - before));
        }
    }

    /// Takes the reasons that are chosen, of those there are, and the note.
    fn chosen_reasons(&self, all: &[ReviewReason]) -> Vec<ReviewReason> {
        all.iter().filter(|reason| self.chosen.contains(&reason.code)).cloned().collect()
    }

    fn toggle(&mut self, code: &str) {
        match self.chosen.iter().position(|of| of == code) {
            Some(at) => drop(self.chosen.remove(at)),
            None => self.chosen.push(code.to_owned()),
        }
    }

    /// Chips of the reason codes, those of content first.
    pub(super) fn reasons_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let reasons = reasons(app);
        let mut aspect = None;
        for (number, reason) in (1..).zip(reasons.iter()) {
            if aspect.replace(reason.aspect) != Some(reason.aspect) {
                ui.label(RichText::new(reason.aspect.label()).color(tokens(ui).weak_text));
            }
            let is_chosen = self.chosen.contains(&reason.code);
            if tick_chip_ui(ui, is_chosen, &format!("{number} {}", text::line(&reason.code))) {
                self.toggle(&reason.code);
            }
        }
    }

    /// `1` to `9` choose reasons.
    pub(super) fn reason_keys(&mut self, ui: &Ui, app: &mut AppState) {
        for (number, reason) in (1..).zip(reasons(app).iter()) {
            if let Some(key) = Key::from_name(&format!("{number}"))
                && ui.input_mut(|input| input.consume_key(Modifiers::NONE, key))
            {
                self.toggle(&reason.code);
            }
        }
    }

    fn note_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let opens = std::mem::take(&mut self.opens_note);
        if note_field_ui(ui, REVIEW_NOTE, "Note", &mut self.note, opens) {
            keep_note(app, vec![id].into(), &mut self.note);
        }
    }

    /// Decides on all captures of a choice, with what is chosen.
    pub(super) fn decide_all(&mut self, app: &mut AppState, captures: SelectedRows, mark: ReviewMark) {
        let reasons = self.chosen_reasons(&reasons(app));
        let note = self.note.clone();
        app.send(Command::Review(ReviewAct::Decide { captures, mark, note, reasons, settles: false }));
        if app.read_only().is_none() {
            self.note.clear();
            self.chosen.clear();
        }
    }
}

impl ReviewPage {
    /// The decisions with their keys, and below them the reasons and the note that go with one.
    pub(super) fn bar(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId, is_low: bool) {
        let now = ui.input(|input| input.time);
        self.decisions.last.get_or_insert(now);
        ui.horizontal(|ui| {
            let why_not = read_only(ui);
            for (key, mark, label) in DECISIONS {
                let is_primary = mark == ReviewMark::Approve;
                let drawn = ui.add_enabled_ui(why_not.is_none(), |ui| {
                    keyed_button_ui(ui, mark_icon(mark), label, key, is_primary, &format!("{label}  {key}"))
                });
                let response = drawn.inner;
                let is_clicked = response.clicked();
                if let Some(why) = why_not {
                    response.on_disabled_hover_text(why);
                } else if mark == ReviewMark::Later {
                    response.on_hover_text("It comes back by itself when a later crawl has captured the page");
                }
                if is_clicked {
                    self.mark(ui, app, mark);
                }
            }
            if keyed_button_ui(ui, Icon::Skip, "Skip", "S", false, "Skip  S").clicked() {
                self.skip(app);
            }
            if is_low {
                ui.menu_button("Reasons", |ui| self.decisions.reasons_ui(ui, app));
                self.decisions.note_ui(ui, app, id);
            }
        });
        if !is_low {
            ui.horizontal(|ui| {
                self.decisions.reasons_ui(ui, app);
                self.decisions.note_ui(ui, app, id);
            });
        }
    }

    fn mark(&mut self, ui: &Ui, app: &mut AppState, mark: ReviewMark) {
        let (Ok(captures), Some(id)) = (app.decision_target(), self.row) else { return };
        let all = reasons(app);
        let is_row = decides_on(app, id);
        app.send(Command::Review(ReviewAct::Decide {
            captures,
            mark,
            note: self.decisions.note.clone(),
            reasons: self.decisions.chosen_reasons(&all),
            settles: self.mode == Mode::Disagreements,
        }));
        if app.read_only().is_some() {
            // It stays to be reviewed.
            return;
        }
        self.decisions.note.clear();
        self.decisions.chosen.clear();
        if !is_row {
            return;
        }
        let now = ui.input(|input| input.time);
        self.decisions.note_time(now);
        // With only the open ones in the queue, the next one moves up by itself.
        match self.reviewed_too {
            true => self.at += 1,
            false => self.decided.push((id, now)),
        }
    }

    fn skip(&mut self, app: &mut AppState) {
        if let (ReviewOrder::Sample(sample), Some(id)) = (self.order(), self.row)
            && app.read_only().is_none()
        {
            // It counts as not judged.
            app.send(Command::Review(ReviewAct::SkipSampled(sample, id)));
        }
        self.at += 1;
    }

    pub(super) fn keys(&mut self, ui: &Ui, app: &mut AppState, last: usize) {
        if is_typing(ui) || app.dialog().is_some() {
            return;
        }
        let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        // With the keyboard on a control, arrows go to the next one.
        let arrow = |key: Key| ui.memory(|memory| memory.focused().is_none()) && pressed(key);
        if pressed(Key::S) {
            self.skip(app);
        }
        if pressed(Key::J) || arrow(Key::ArrowDown) {
            self.at += 1;
        }
        self.at = self.at.min(last);
        if pressed(Key::K) || arrow(Key::ArrowUp) {
            self.at = self.at.saturating_sub(1);
        }
        self.decisions.reason_keys(ui, app);
        for (key, mark, _) in DECISIONS {
            if let Some(key) = Key::from_name(key)
                && pressed(key)
            {
                self.mark(ui, app, mark);
            }
        }
        if pressed(Key::Z)
            && let Ok(command) = resolve(Action::Undo, app)
        {
            self.decided.clear();
            app.send(command);
        }
        if takes_letter(ui, "n") {
            self.decisions.opens_note = true;
        }
        if pressed(Key::T) {
            self.view.switch_picture();
        }
        if pressed(Key::P)
            && app.read_only().is_none()
            && let Some(id) = self.shown(app)
        {
            app.send(Command::PlanPatch(PatchSource::Captures(vec![id])));
        }
        self.findings.keys(ui, app, self.row);
        for (key, tab) in [(Key::V, PanelTab::Versions), (Key::W, PanelTab::Decision)] {
            if pressed(key) {
                app.show_tab(tab);
            }
        }
    }
}
