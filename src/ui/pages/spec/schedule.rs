//! The schedule of a campaign: its terms, the next runs, and the outcome of earlier ones.

use crate::app::AppState;
use crate::app::models::{CampaignPage, RunState, ScheduledRun};
use crate::campaign::{Campaign, CatchUp, Frequency};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{FormRow, chevron, heading_ui, lead_here, loaded_ui};
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
    ui.checkbox(&mut campaign.analyse_after_run, "Analyse after each run").on_hover_text(
        "After each crawl and import, persons, places, organisations and terms of the texts of this campaign are found",
    );
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

/// Next runs that the column beside the sections has.
const RUNS_BESIDE: usize = 4;

/// The next launches of a schedule, in one line; nothing where there are none.
pub fn next_launches_ui(ui: &mut Ui, campaign: &Campaign, page: Option<&CampaignPage>) {
    let now = CaptureDate::now();
    let created = page.and_then(|page| page.versions.last()).map_or(now, |(_, date)| *date);
    let Ok(runs) = campaign.schedule.next_runs(now, created, RUNS_BESIDE) else { return };
    if runs.is_empty() || !campaign.active {
        return;
    }
    heading_ui(ui, "Next launches");
    for run in runs {
        ui.weak(run.words);
    }
}

fn rows_ui(ui: &mut Ui, campaign: &mut Campaign) {
    let schedule = &mut campaign.schedule;
    FormRow::new("How often").show_ui(ui, |ui| {
        let chosen = schedule.frequency.label();
        let chooser = ComboBox::from_id_salt("frequency").icon(chevron).selected_text(chosen).width(theme::FIELD);
        let drawn = chooser.show_ui(ui, |ui| {
            for frequency in Frequency::ALL {
                ui.selectable_value(&mut schedule.frequency, frequency, frequency.label());
            }
        });
        drawn.response
    });
    for (label, field, value, example, note) in [
        ("First run", "start", &mut schedule.start, "2026-11-23T09:00", "at once where empty"),
        ("Last run before", "end", &mut schedule.end, "2027-12-31", "without end where empty"),
        ("Time zone", "time_zone", &mut schedule.time_zone, "Europe/Lisbon", "UTC where empty"),
    ] {
        optional_ui(ui, label, field, value, example, note);
    }
    let mut extra = schedule.extra.join("\n");
    let answer = FormRow::new("Extra dates")
        .note("one a line")
        .show_ui(ui, |ui| ui.add(TextEdit::multiline(&mut extra).desired_rows(2).desired_width(theme::FIELD)));
    if answer.field.changed() {
        schedule.extra = if extra.is_empty() { Vec::new() } else { extra.split('\n').map(str::to_owned).collect() };
    }
    FormRow::new("Missed runs").show_ui(ui, |ui| {
        let drawn = ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (policy, label) in CatchUp::ALL {
                ui.radio_value(&mut schedule.catch_up, policy, label);
            }
        });
        drawn.response
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

fn optional_ui(ui: &mut Ui, label: &str, field: &str, value: &mut Option<String>, example: &str, note: &str) {
    let mut text = value.clone().unwrap_or_default();
    let answer = FormRow::new(label)
        .note(note)
        .show_ui(ui, |ui| ui.add(TextEdit::singleline(&mut text).hint_text(example).desired_width(theme::FIELD)));
    lead_here(&answer.field, &format!("schedule.{field}"));
    if answer.field.changed() {
        *value = (!text.trim().is_empty()).then_some(text);
    }
}
