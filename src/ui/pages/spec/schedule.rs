//! The schedule of a campaign: its terms, the next runs, and the outcome of earlier ones.

use crate::app::AppState;
use crate::app::models::{CampaignPage, RunState, ScheduledRun};
use crate::campaign::{Campaign, CatchUp, Frequency};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{field_ui, heading_ui, lead_here, loaded_ui};
use crate::uri::CaptureDate;
use egui::{ComboBox, TextEdit, Ui};

/// Next runs that are listed.
const RUNS_SHOWN: usize = 20;
/// Earlier runs that are listed.
const PAST_SHOWN: u64 = 20;

/// The part Schedule of the page.
pub fn schedule_ui(ui: &mut Ui, app: &mut AppState, campaign: &mut Campaign, page: Option<&CampaignPage>) {
    ui.weak("Scheduled crawls start while this window is open, or with: fonds schedule run");
    rows_ui(ui, campaign);
    ui.checkbox(&mut campaign.select_after_run, "Select again after each run").on_hover_text(
        "Makes the saved selection again after each crawl of the campaign and each import; without it, what would \
         change is offered on the page Select & export",
    );
    ui.add_space(GAP);
    // The oldest version is the campaign's birthday, which yearly runs keep.
    let now = CaptureDate::now();
    let created = page.and_then(|page| page.versions.last()).map_or(now, |(_, date)| *date);
    next_ui(ui, campaign, created, now);
    if let Some(page) = page {
        past_ui(ui, app, page);
    }
}

fn rows_ui(ui: &mut Ui, campaign: &mut Campaign) {
    let schedule = &mut campaign.schedule;
    ui.horizontal(|ui| {
        let label = ui.label("How often");
        let chosen = schedule.frequency.label();
        ui.label_inputs_by(label.id, |ui| {
            ComboBox::from_id_salt("frequency").selected_text(chosen).width(theme::FIELD).show_ui(ui, |ui| {
                for frequency in Frequency::ALL {
                    ui.selectable_value(&mut schedule.frequency, frequency, frequency.label());
                }
            });
        });
    });
    for (label, field, value, hint) in [
        ("First run", "start", &mut schedule.start, "2026-11-23T09:00, or empty"),
        ("Last run before", "end", &mut schedule.end, "2027-12-31, or empty"),
        ("Time zone", "time_zone", &mut schedule.time_zone, "UTC, or such as Europe/Lisbon"),
    ] {
        ui.horizontal(|ui| optional_ui(ui, label, field, value, hint));
    }
    let mut extra = schedule.extra.join("\n");
    let label = ui.label("Extra dates, one per line");
    let field = TextEdit::multiline(&mut extra).desired_rows(2).desired_width(theme::FIELD);
    if ui.add(field).labelled_by(label.id).changed() {
        schedule.extra = if extra.is_empty() { Vec::new() } else { extra.split('\n').map(str::to_owned).collect() };
    }
    ui.horizontal_wrapped(|ui| {
        ui.label("Missed runs");
        for (policy, label) in CatchUp::ALL {
            ui.radio_value(&mut schedule.catch_up, policy, label);
        }
    });
}

fn next_ui(ui: &mut Ui, campaign: &Campaign, created: CaptureDate, now: CaptureDate) {
    heading_ui(ui, "Next runs");
    if !campaign.active {
        ui.colored_label(tokens(ui).flag, "⚠ The campaign is inactive: no scheduled runs");
    }
    match campaign.schedule.next_runs(now, created, RUNS_SHOWN) {
        Ok(runs) if runs.is_empty() => {
            ui.weak("None; start crawls by hand");
        }
        Ok(runs) => {
            for run in runs {
                let extra = if run.is_extra { "  extra date" } else { "" };
                ui.label(format!("{}{extra}", run.words));
            }
        }
        Err(error) => {
            ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(&error.to_string())));
        }
    }
}

fn past_ui(ui: &mut Ui, app: &mut AppState, page: &CampaignPage) {
    heading_ui(ui, "Past runs");
    let answer = app.reads.scheduled_runs(page.id, PAST_SHOWN);
    loaded_ui(ui, &answer, |ui, runs: &Vec<ScheduledRun>| {
        if runs.is_empty() {
            ui.weak("None yet");
        }
        for run in runs {
            ui.horizontal_wrapped(|ui| {
                let color = match run.state {
                    RunState::Done => tokens(ui).accept,
                    RunState::Failed => tokens(ui).reject,
                    RunState::Running | RunState::Waiting => tokens(ui).strong_text,
                    _ => tokens(ui).flag,
                };
                ui.label(format!("{} UTC", run.due.to_readable()));
                ui.colored_label(color, run.state.label());
                ui.weak(text::line(&run.why));
            });
        }
    });
}

fn optional_ui(ui: &mut Ui, label: &str, field: &str, value: &mut Option<String>, hint: &str) {
    let mut text = value.clone().unwrap_or_default();
    let response = field_ui(ui, label, &mut text, hint, theme::FIELD);
    lead_here(&response, &format!("schedule.{field}"));
    if response.changed() {
        *value = (!text.trim().is_empty()).then_some(text);
    }
}
