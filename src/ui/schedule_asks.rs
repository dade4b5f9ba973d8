//! Missed runs that a person is asked about.

use super::text;
use super::theme::{self, tokens};
use crate::app::models::campaign_title;
use crate::app::{AppState, Command};
use egui::{RichText, Ui};

/// One line a run, with its two answers.
pub fn schedule_asks_ui(ui: &mut Ui, app: &mut AppState) {
    for run in app.schedules().asked.clone() {
        theme::card_frame(ui).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.colored_label(tokens(ui).flag, "⚠");
                let what = format!(
                    "{}: the run at {} UTC was missed",
                    text::short(&campaign_title(run.campaign, &run.campaign_name), 60),
                    run.due.to_readable()
                );
                ui.label(RichText::new(what).color(tokens(ui).strong_text));
                ui.weak(text::line(&run.why));
                if ui.button("Run now").clicked() {
                    app.send(Command::AnswerScheduled { run: run.id, starts: true });
                }
                if ui.button("Skip").clicked() {
                    app.send(Command::AnswerScheduled { run: run.id, starts: false });
                }
            });
        });
    }
}
