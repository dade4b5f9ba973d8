//! Questions about missed runs, and about schedules of a workspace from elsewhere.

use super::text;
use super::theme::{self, tokens};
use super::widgets::write_button_ui;
use crate::app::models::campaign_title;
use crate::app::{AppState, Command};
use egui::{RichText, Ui};

/// Campaigns that are listed with their schedules.
const MOST_LISTED: usize = 5;

/// Draws missed runs, one in a line, with two answers.
pub fn schedule_questions_ui(ui: &mut Ui, app: &mut AppState) {
    others_ui(ui, app);
    for run in app.schedules().unanswered.clone() {
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
                if write_button_ui(ui, "Run now").clicked() {
                    app.send(Command::AnswerScheduled { run: run.id, starts: true });
                }
                if write_button_ui(ui, "Skip").clicked() {
                    app.send(Command::AnswerScheduled { run: run.id, starts: false });
                }
            });
        });
    }
}

/// Schedules of a workspace that somebody else made, and whether they may run.
fn others_ui(ui: &mut Ui, app: &mut AppState) {
    let of_others = app.schedules().of_others.clone();
    if of_others.is_empty() {
        return;
    }
    theme::card_frame(ui).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(tokens(ui).flag, "⚠");
            let what = "This workspace was not made by you on this computer: its schedules wait";
            ui.label(RichText::new(what).color(tokens(ui).strong_text));
            if write_button_ui(ui, "Let them run").clicked() {
                app.send(Command::LetSchedulesRun(true));
            }
            if write_button_ui(ui, "Not now").clicked() {
                app.send(Command::LetSchedulesRun(false));
            }
        });
        for (campaign, terms) in of_others.iter().take(MOST_LISTED) {
            ui.weak(text::line(&format!("{}: {}", text::short(campaign, 60), terms.join("; "))));
        }
        if of_others.len() > MOST_LISTED {
            ui.weak(format!("and {} more", text::counted((of_others.len() - MOST_LISTED) as u64, "campaign")));
        }
    });
}
