//! The reason codes of the workspace, on the page Settings.

use crate::app::models::{ReviewAspect, ReviewReason};
use crate::app::{AppState, Command, ReviewAct};
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{FormRow, line_field_ui, read_only};
use egui::Ui;

/// The reasons as they are typed, with those that were read.
#[derive(Default)]
pub struct ReviewReasonsCard {
    typed: [String; 2],
    read: Option<Vec<ReviewReason>>,
}

impl ReviewReasonsCard {
    /// Draws a line for each of the two judgements; a changed line is saved when the field is left.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if app.reads.session().is_none() {
            ui.weak("No workspace is open");
            return;
        }
        let answer = app.reads.review_reasons();
        let Some(kept) = answer.shown() else { return };
        if self.read.as_ref() != Some(kept.as_ref()) {
            self.typed = ReviewAspect::ALL.map(|aspect| line_of(kept, aspect));
            self.read = Some(kept.as_ref().clone());
        }
        let is_off = read_only(ui).is_some();
        let mut is_left = false;
        for (aspect, typed) in ReviewAspect::ALL.into_iter().zip(&mut self.typed) {
            let note = "separated by commas; they have the keys 1 to 9 in this order";
            let row = FormRow::new(aspect.label()).note(note);
            let drawn = row.show_ui(ui, |ui| {
                let name = format!("Reasons: {}", aspect.label().to_lowercase());
                ui.add_enabled_ui(!is_off, |ui| line_field_ui(ui, &name, typed, "off topic, ended", theme::LONG_FIELD))
                    .inner
            });
            is_left |= drawn.field.lost_focus();
        }
        ui.add_space(GAP);
        let reasons = self.reasons();
        if is_left && self.read.as_ref() != Some(&reasons) {
            app.send(Command::Review(ReviewAct::SetReasons(reasons)));
        }
        if !is_off && ui.button("Usual reasons").clicked() {
            app.send(Command::Review(ReviewAct::SetReasons(Vec::new())));
        }
    }

    fn reasons(&self) -> Vec<ReviewReason> {
        let of = |(aspect, typed): (ReviewAspect, &String)| -> Vec<ReviewReason> {
            let codes = typed.split(',').map(str::trim).filter(|code| !code.is_empty());
            codes.map(|code| ReviewReason { aspect, code: code.to_owned() }).collect()
        };
        ReviewAspect::ALL.into_iter().zip(&self.typed).flat_map(of).collect()
    }
}

fn line_of(reasons: &[ReviewReason], aspect: ReviewAspect) -> String {
    let codes = reasons.iter().filter(|reason| reason.aspect == aspect).map(|reason| reason.code.as_str());
    codes.collect::<Vec<_>>().join(", ")
}
