//! On what grounds a campaign collects: its records, and what they come to.

use crate::app::models::Loaded;
use crate::app::{AppState, GroundAnswers};
use crate::campaign::{Campaign, Criterion, Permission, PermissionState, Reading, SeedScope};
use crate::scope::Derivation;
use crate::ui::text;
use crate::ui::theme::{self, GAP, Tokens, tokens};
use crate::ui::widgets::{FormRow, chevron, field_led_to, heading_ui, lead_here, loaded_ui};
use egui::{CollapsingHeader, Color32, ComboBox, Response, TextEdit, Ui};
use std::sync::Arc;

/// Seeds whose derivation is shown.
const SEEDS_SHOWN: usize = 50;

const REACHES: [(Option<SeedScope>, &str); 5] = [
    (None, "as for a seed, or this SURT prefix"),
    (Some(SeedScope::Resource), "this page"),
    (Some(SeedScope::Root), "this path and below"),
    (Some(SeedScope::Subdomains), "host + subdomains"),
    (Some(SeedScope::Plus1), "page + 1 link (not inherited)"),
];

/// State of the editor between frames.
#[derive(Default)]
pub struct PermissionsEditor {
    /// Lists as they are typed.
    domains: Option<String>,
    countries: Option<String>,
    url: String,
}

impl PermissionsEditor {
    /// Draws the part Permissions of the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &mut Campaign) {
        ui.weak("The most specific record applies; without a record, the domains and countries below apply");
        heading_ui(ui, "Records");
        let mut gone = None;
        for (position, record) in campaign.permissions.iter_mut().enumerate() {
            let title = format!("{}  {}  {}", position + 1, record.state.label(), text::short(&record.covers, 80));
            let led_to = field_led_to(ui.ctx()).filter(|path| path.starts_with(&format!("permissions[{position}]")));
            let header = CollapsingHeader::new(title).id_salt(("record", position));
            let shown = header.open(led_to.as_ref().map(|_| true)).show(ui, |ui| {
                record_ui(ui, position, record);
                if ui.button(format!("Remove record {}", position + 1)).clicked() {
                    gone = Some(position);
                }
            });
            if let Some(path) = led_to {
                lead_here(&shown.header_response, &path);
            }
        }
        if let Some(position) = gone {
            campaign.permissions.remove(position);
        }
        if ui.button("Add a record").clicked() {
            let covers = campaign.seeds.first().map(|seed| seed.url.clone()).unwrap_or_default();
            campaign.permissions.push(Permission { covers, reach: Some(SeedScope::Root), ..Permission::default() });
        }
        ui.checkbox(&mut campaign.grounds.obey_refusals, "Crawls leave out what a record refuses")
            .on_hover_text("The last rule of the scope; a more specific granted record overrides it");
        self.grounds_ui(ui, campaign);
        self.derivations_ui(ui, app, campaign);
    }

    fn grounds_ui(&mut self, ui: &mut Ui, campaign: &mut Campaign) {
        let grounds = &mut campaign.grounds;
        heading_ui(ui, "URLs without a record");
        for (label, list, typed, hint) in [
            (
                ("Domains", "Hosts under these domains", "hosts under them need no record"),
                &mut grounds.domains,
                &mut self.domains,
                "uk, scot",
            ),
            (
                ("Countries", "Servers in these countries", "servers there need no record"),
                &mut grounds.countries,
                &mut self.countries,
                "GB",
            ),
        ] {
            // An undone edit may have changed them.
            let text = match typed {
                Some(text) if list_entries(text).eq(list.iter().map(String::as_str)) => text,
                typed => typed.insert(list.join(", ")),
            };
            let row = FormRow::new(label.0).named(label.1).note(label.2);
            let answer = row.show_ui(ui, |ui| line_ui(ui, text, hint));
            if answer.field.changed() {
                *list = list_entries(text).map(str::to_owned).collect();
            }
        }
        FormRow::new("Match records").show_ui(ui, |ui| {
            let choices = ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                ui.radio_value(&mut grounds.reading, Reading::Strict, "strictly")
                    .on_hover_text("By whole host labels and path segments");
                ui.radio_value(&mut grounds.reading, Reading::W3act, "like W3ACT")
                    .on_hover_text("Compares hosts as text, so notbl.uk inherits from bl.uk; a refusal gives no result, but crawls still obey it");
            });
            choices.response
        });
    }

    fn derivations_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &Campaign) {
        ui.add_space(GAP);
        heading_ui(ui, "Result");
        FormRow::new("Another URL").show_ui(ui, |ui| line_ui(ui, &mut self.url, "https://www.example.org/"));
        let mut urls: Vec<String> = campaign.seeds.iter().take(SEEDS_SHOWN).map(|seed| seed.url.clone()).collect();
        if !self.url.trim().is_empty() {
            urls.insert(0, self.url.trim().to_owned());
        }
        if urls.is_empty() {
            ui.weak("Seeds and URLs entered here show on which basis they may be collected");
            return;
        }
        let answer = derivations(app, campaign, urls.clone());
        loaded_ui(ui, &answer, |ui, derived| {
            for (position, (url, derived)) in urls.iter().zip(derived).enumerate() {
                match derived {
                    Ok(derived) => derivation_ui(ui, position, derived),
                    Err(why) => {
                        ui.colored_label(tokens(ui).flag, format!("⚠ {}: {}", text::short(url, 80), text::line(why)));
                    }
                }
            }
        });
        if campaign.seeds.len() > SEEDS_SHOWN {
            ui.weak(format!("and {} more seeds: fonds scope permissions", campaign.seeds.len() - SEEDS_SHOWN));
        }
    }
}

/// On which basis a campaign may collect URLs, in their order.
pub(super) fn derivations(app: &mut AppState, campaign: &Campaign, urls: Vec<String>) -> Loaded<Arc<GroundAnswers>> {
    // Only what the answer hangs on travels with the question.
    let draft = Campaign {
        permissions: campaign.permissions.clone(),
        grounds: campaign.grounds.clone(),
        ..Campaign::default()
    };
    app.reads.permissions(draft.to_json(), urls)
}

/// The state of a permission, as text and in its colour.
pub(super) fn state_of(state: Option<PermissionState>, colors: &Tokens) -> (&'static str, Color32) {
    match state {
        Some(PermissionState::Granted) => ("✔ granted", colors.accept),
        Some(PermissionState::Refused) => ("✖ refused", colors.reject),
        Some(state) => (state.label(), colors.flag),
        None => ("⚠ no legal basis recorded", colors.flag),
    }
}

/// The entries of a list as it is typed, with commas between them.
pub(in crate::ui::pages) fn list_entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

fn derivation_ui(ui: &mut Ui, position: usize, derived: &Derivation) {
    ui.horizontal_wrapped(|ui| {
        let (label, color) = state_of(derived.state, tokens(ui));
        ui.colored_label(color, label);
        ui.label(text::short(&derived.url, 80));
        ui.weak(text::line(&derived.why));
    });
    ui.indent(("steps", position), |ui| {
        for step in &derived.steps {
            let mark = if step.deciding { "➡" } else { "–" };
            ui.weak(format!("{mark} {}: {}", text::line(&step.what), text::line(&step.result)));
        }
    });
}

fn record_ui(ui: &mut Ui, position: usize, record: &mut Permission) {
    let number = position + 1;
    FormRow::new("Covers")
        .named(&format!("Record {number} covers"))
        .show_ui(ui, |ui| line_ui(ui, &mut record.covers, "https://www.example.org/"));
    let state = record.state.label();
    choice_ui(ui, "State", &format!("State of record {number}"), state, |ui| {
        for state in PermissionState::ALL {
            ui.selectable_value(&mut record.state, state, state.label());
        }
    });
    let reach = REACHES.iter().find(|(reach, _)| *reach == record.reach).map_or("", |(_, label)| label);
    choice_ui(ui, "Scope", &format!("Scope of record {number}"), reach, |ui| {
        for (reach, label) in REACHES {
            ui.selectable_value(&mut record.reach, reach, label);
        }
    });
    let criterion = record.criterion.label();
    choice_ui(ui, "Criterion", &format!("Criterion of record {number}"), criterion, |ui| {
        for (criterion, label) in Criterion::ALL {
            ui.selectable_value(&mut record.criterion, criterion, label);
        }
    });
    for (label, text, hint, note) in [
        ("Licence", &mut record.licence, "CC BY 4.0", "name of the licence or agreement"),
        ("Evidence", &mut record.evidence, "", "a letter, a page, an explanation"),
        ("Date", &mut record.date, "2024-03-01", ""),
        ("Method", &mut record.method, "", "how, and by whom"),
        ("Valid from", &mut record.from, "2024-03-01", "at once where empty"),
        ("Valid until", &mut record.until, "2027-03-01", "the first day no longer valid; no end where empty"),
    ] {
        FormRow::new(label).note(note).show_ui(ui, |ui| line_ui(ui, text, hint));
    }
    for request in &record.requests {
        let parts = [&request.date, &request.channel, &request.contact, &request.note];
        let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).filter(|part| !part.is_empty()).collect();
        ui.weak(format!("Request: {}", text::line(&parts.join(", "))));
    }
    for file in &record.files {
        ui.weak(format!("File: {}  SHA-256 {}", text::line(&file.path), text::short(&file.sha256, 16)));
    }
    ui.weak(format!("Files are attached with: fonds scope attach FOLDER CAMPAIGN {number} FILE"));
}

fn choice_ui(ui: &mut Ui, label: &str, name: &str, chosen: &str, choices: impl FnOnce(&mut Ui)) {
    FormRow::new(label).named(name).show_ui(ui, |ui| {
        let chooser = ComboBox::from_id_salt(name).icon(chevron).selected_text(chosen).width(theme::FIELD);
        chooser.show_ui(ui, choices).response
    });
}

fn line_ui(ui: &mut Ui, text: &mut String, example: &str) -> Response {
    ui.add(TextEdit::singleline(text).hint_text(example).desired_width(theme::FIELD))
}
