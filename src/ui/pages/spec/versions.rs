//! The saved versions of a campaign: each compared with the newest, and restored.

use crate::app::models::{CampaignPage, VersionDifference};
use crate::app::{AppState, Command, TrialAct};
use crate::ui::text;
use crate::ui::widgets::{loaded_ui, write_ui};
use egui::{Button, Id, Ui};

/// Draws a row for each version, and the differences of the one that was chosen.
pub(super) fn rows_ui(ui: &mut Ui, app: &mut AppState, page: &CampaignPage) {
    let key = Id::unique(("compared version", page.id));
    let mut compared: Option<u32> = ui.data(|data| data.get_temp(key)).unwrap_or_default();
    let why_not = app.is_spec_edited().then_some("Save or discard your edits first");
    let mut restored = None;
    egui::Grid::new("versions").num_columns(4).show(ui, |ui| {
        for (version, date) in &page.versions {
            ui.label(format!("v{version}"));
            ui.label(format!("saved {} UTC", date.to_readable()));
            if *version != page.version {
                let is_compared = compared == Some(*version);
                let link = ui.link(if is_compared { "Hide comparison" } else { "Compare with the newest" });
                if link.clicked() {
                    compared = (!is_compared).then_some(*version);
                }
                if write_ui(ui, why_not, Button::new("Restore"))
                    .on_hover_text("Saves this version as the newest one; the schedule stays")
                    .clicked()
                {
                    restored = Some(*version);
                }
            }
            ui.end_row();
        }
    });
    ui.data_mut(|data| data.insert_temp(key, compared));
    if let Some(version) = restored {
        app.send(Command::Trials(TrialAct::Restore(page.id, version)));
    }
    let Some(version) = compared else { return };
    let answer = app.reads.version_differences(page.id, version);
    loaded_ui(ui, &answer, |ui, found: &Vec<VersionDifference>| {
        if found.is_empty() {
            ui.weak(format!("v{version} and v{} are the same", page.version));
        }
        for of in found {
            ui.strong(text::line(&of.field));
            for line in &of.removed {
                ui.label(format!("− {}", text::line(line)));
            }
            for line in &of.added {
                ui.label(format!("+ {}", text::line(line)));
            }
        }
    });
}
