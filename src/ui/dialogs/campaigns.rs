//! Questions about campaigns as wholes, and the choice of one for an import.

use super::answers::{Answer, DialogKeys};
use crate::app::models::{CampaignChoice, CampaignId, campaign_title};
use crate::app::{AppState, CampaignAct, Command};
use crate::ui::text;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{heading_ui, loaded_ui};
use egui::{ComboBox, Grid, Label, ScrollArea, Ui};

/// The campaign of an import; nothing where there is none to choose.
pub(super) fn import_campaign_ui(ui: &mut Ui, app: &mut AppState, choice: &mut CampaignChoice) {
    let answer = app.reads.campaigns();
    let Some(rows) = answer.shown().filter(|rows| !rows.is_empty() && app.session().is_some()) else {
        *choice = CampaignChoice::Only;
        return;
    };
    const NONE: &str = "No campaign";
    let shown = match *choice {
        CampaignChoice::Of(id) => {
            rows.iter().find(|row| row.id == id).map_or_else(|| NONE.to_owned(), |row| row.title())
        }
        CampaignChoice::Only if rows.len() == 1 => rows[0].title(),
        CampaignChoice::Only | CampaignChoice::None => NONE.to_owned(),
    };
    ui.horizontal(|ui| {
        let label = ui.label("Campaign of the captures");
        let chooser =
            ComboBox::from_id_salt("campaign of import").selected_text(text::short(&shown, 40)).width(theme::FIELD);
        let inner = chooser.show_ui(ui, |ui| {
            for row in rows.iter() {
                ui.selectable_value(choice, CampaignChoice::Of(row.id), text::short(&row.title(), 60));
            }
            ui.selectable_value(choice, CampaignChoice::None, NONE);
        });
        inner
            .response
            .labelled_by(label.id)
            .on_hover_text("Handovers and jobs of crawlers bring their own campaign and keep it");
    });
}

/// A campaign like the one to be saved is here.
pub(super) fn twins_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
    heading_ui(ui, "Is this campaign here already?");
    let twins = app.twins().to_vec();
    for twin in &twins {
        let title = campaign_title(twin.campaign, &twin.name);
        ui.label(format!("{} has {}", text::short(&title, 80), twin.kind.label()));
    }
    ui.weak("Nothing is saved yet");
    ui.add_space(GAP);
    let mut answers = vec![Answer::new("Save as another campaign").writes()];
    answers.extend(twins.iter().map(|twin| {
        let title = text::short(&campaign_title(twin.campaign, &twin.name), 40);
        Answer::new(format!("Save as next version of {title}")).writes()
    }));
    answers.push(Answer::new("Cancel"));
    match keys.answers_ui(ui, 0, answers) {
        None => {}
        Some(0) => app.send(Command::Campaigns(CampaignAct::SaveTwin(None))),
        Some(number) => match twins.get(number - 1) {
            Some(twin) => app.send(Command::Campaigns(CampaignAct::SaveTwin(Some(twin.campaign)))),
            None => app.send(Command::CloseDialog),
        },
    }
}

/// Longest value that is shown of a field.
const VALUE: usize = 200;

/// Somebody else saved the campaign of the draft: both versions, side by side.
pub(super) fn newer_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
    let Some(newer) = app.newer_version().cloned() else { return };
    heading_ui(ui, "This campaign was saved by somebody else meanwhile");
    let (version, begun_from) = (newer.version, newer.begun_from);
    ui.label(format!("Your edits began from version {begun_from}, and version {version} is saved. They differ in"));
    ScrollArea::vertical().max_height(theme::DIALOG_LIST).auto_shrink([false, true]).show(ui, |ui| {
        Grid::new("both versions").num_columns(3).max_col_width(theme::DIALOG / 3.0).show(ui, |ui| {
            for head in ["Field", &format!("Version {version}"), "Your edits"] {
                ui.strong(head);
            }
            ui.end_row();
            for found in &newer.differences {
                for text in [&found.field, &found.first, &found.second] {
                    let shown = if text.is_empty() { "–".to_owned() } else { text::short(text, VALUE) };
                    ui.add(Label::new(shown).wrap());
                }
                ui.end_row();
            }
        });
    });
    ui.add_space(GAP);
    let mine = format!("Save mine as version {}", version + 1);
    let answers = vec![Answer::new(mine).writes(), Answer::new("Discard mine"), Answer::new("Cancel")];
    // Neither is lost by Enter alone.
    match keys.answers_ui(ui, 2, answers) {
        Some(number @ (0 | 1)) => app.send(Command::Campaigns(CampaignAct::AnswerNewer { keeps_draft: number == 0 })),
        Some(_) => app.send(Command::CloseDialog),
        None => {}
    }
}

/// Draws what is deleted with a campaign, and what stays.
pub(super) fn delete_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys, id: CampaignId) {
    let answer = app.reads.campaign_contents(id);
    loaded_ui(ui, &answer, |ui, contents| {
        heading_ui(ui, &format!("Delete “{}”?", text::short(&contents.name, 80)));
        ui.label(format!("Goes: {}", contents.lost()));
        if let Some(stays) = contents.stays() {
            ui.label(format!("Stays: {stays}"));
        }
    });
    ui.weak("It cannot be undone. To stop its schedule alone, switch it off");
    ui.add_space(GAP);
    // What cannot be undone is not done by Enter alone.
    match keys.answers_ui(ui, 1, vec![Answer::new("Delete the campaign").writes(), Answer::new("Cancel")]) {
        Some(0) => app.send(Command::Campaigns(CampaignAct::Delete(id))),
        Some(_) => app.send(Command::CloseDialog),
        None => {}
    }
}
