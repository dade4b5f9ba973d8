//! Where a campaign starts.

use crate::app::models::CampaignPage;
use crate::campaign::{Campaign, Seed, SeedScope};
use crate::ui::table::Table;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::coloured_cell_ui;
use crate::ui::words;
use crate::uri::{ScopePrefix, parse_web_url};
use egui::{ComboBox, DragValue, TextEdit, Ui};

const SCOPES: [(SeedScope, &str, &str); 4] = [
    (SeedScope::Resource, "this page", "The URL and what it needs to be shown"),
    (SeedScope::Plus1, "page + 1 link", "The URL and everything one link away"),
    (SeedScope::Root, "under its path", "Everything under the seed's path"),
    (SeedScope::Subdomains, "host + subdomains", "Everything on the host and its subdomains"),
];

const COLUMNS: [(&str, f32); 8] = [
    ("", 30.0),
    ("URL", 280.0),
    ("Reach", 140.0),
    ("Hops", 70.0),
    ("Tag", 80.0),
    ("Captures", 70.0),
    ("Implied SURT prefix", 200.0),
    ("Remarks", 220.0),
];

/// Height of the table of seeds.
const LIST: f32 = 330.0;

/// What the editor keeps between frames.
#[derive(Default)]
pub struct SeedsEditor {
    pasted: String,
    said: Option<String>,
}

impl SeedsEditor {
    /// Draws table and paste field.
    pub fn ui(&mut self, ui: &mut Ui, campaign: &mut Campaign, page: Option<&CampaignPage>) {
        if campaign.seeds.is_empty() {
            ui.label("No seed yet. Paste URLs below, one a line");
        } else {
            table_ui(ui, campaign, page);
        }
        ui.horizontal(|ui| {
            if ui.button("Add an empty row").clicked() {
                campaign.seeds.push(seed(String::new()));
            }
        });
        ui.add_space(GAP);
        let label = ui.label("Seeds to add, one a line");
        ui.add(
            TextEdit::multiline(&mut self.pasted)
                .hint_text("https://www.example.org/\nhttps://example.org/news/")
                .desired_rows(4)
                .desired_width(theme::READING_WIDTH),
        )
        .labelled_by(label.id);
        ui.horizontal_wrapped(|ui| {
            let some = !self.pasted.trim().is_empty();
            let response = ui.add_enabled(some, egui::Button::new("Add these seeds"));
            if response.on_disabled_hover_text("Paste URLs first").clicked() {
                self.add(campaign);
            }
            if let Some(said) = &self.said {
                ui.label(said);
            }
        });
    }

    /// Takes over what is a URL; the rest stays in the field.
    fn add(&mut self, campaign: &mut Campaign) {
        let (mut added, mut known, mut left) = (0, 0, Vec::new());
        for line in self.pasted.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if parse_web_url(line).is_none() {
                left.push(line.to_owned());
            } else if campaign.seeds.iter().any(|seed| seed.url == line) {
                known += 1;
            } else {
                campaign.seeds.push(seed(line.to_owned()));
                added += 1;
            }
        }
        let mut said = format!("✔ {} added", words::counted(added, "seed", "seeds"));
        if known > 0 {
            said.push_str(&format!(", {} already there", words::count(known)));
        }
        if !left.is_empty() {
            said.push_str(&format!(", ✖ {} no http or https URL and left above", words::count(left.len() as u64)));
        }
        self.pasted = left.join("\n");
        self.said = Some(said);
    }
}

fn seed(url: String) -> Seed {
    Seed { url, scope: SeedScope::default(), depth: None, source_tag: String::new() }
}

fn table_ui(ui: &mut Ui, campaign: &mut Campaign, page: Option<&CampaignPage>) {
    let problems = campaign.problems();
    let seeds = &mut campaign.seeds;
    let mut gone = None;
    Table::new("seeds", &COLUMNS, seeds.len()).with_fields().height(LIST).show_ui(
        ui,
        |cells, index| {
            let Some(seed) = seeds.get_mut(index) else { return };
            cells.ui(|ui| {
                if ui.small_button("✖").on_hover_text("Take this seed away").clicked() {
                    gone = Some(index);
                }
            });
            cells.ui(|ui| {
                ui.name_inputs(format!("URL of seed {}", index + 1), |ui| {
                    ui.add(TextEdit::singleline(&mut seed.url).desired_width(f32::INFINITY));
                });
            });
            cells.ui(|ui| {
                let word = SCOPES.iter().find(|(scope, ..)| *scope == seed.scope).map_or("", |(_, word, _)| word);
                ui.name_inputs("Reach", |ui| {
                    ComboBox::from_id_salt(("reach", index)).selected_text(word).width(theme::FIELD / 2.0).show_ui(
                        ui,
                        |ui| {
                            for (scope, word, about) in SCOPES {
                                ui.selectable_value(&mut seed.scope, scope, word).on_hover_text(about);
                            }
                        },
                    );
                });
            });
            cells.ui(|ui| depth_ui(ui, seed));
            cells.ui(|ui| {
                ui.name_inputs("Tag", |ui| {
                    ui.add(TextEdit::singleline(&mut seed.source_tag).desired_width(f32::INFINITY));
                });
            });
            let captures = page
                .filter(|page| page.campaign.seeds.get(index).is_some_and(|saved| saved.url == seed.url))
                .and_then(|page| page.seed_captures.get(index));
            cells.text(&captures.map_or_else(|| "–".to_owned(), |number| words::count(*number)));
            cells.ui(|ui| {
                if parse_web_url(&seed.url).is_some() {
                    coloured_cell_ui(ui, ScopePrefix::implied_by_seed(&seed.url).as_str(), tokens(ui).weak_text);
                } else {
                    ui.weak("–");
                }
            });
            let field = format!("seeds[{index}]");
            let said: Vec<String> = problems
                .iter()
                .filter(|problem| problem.field == field || problem.field.starts_with(&format!("{field}.")))
                .map(|problem| problem.what.clone())
                .collect();
            cells.ui(|ui| {
                if said.is_empty() {
                    coloured_cell_ui(ui, "✔", tokens(ui).accept);
                } else {
                    coloured_cell_ui(ui, &format!("⚠ {}", said.join("; ")), tokens(ui).flag);
                }
            });
        },
        |_, _| {},
    );
    if let Some(index) = gone {
        seeds.remove(index);
    }
}

/// Most hops from the seed; below zero the rule's own limit holds.
fn depth_ui(ui: &mut Ui, seed: &mut Seed) {
    let mut hops = seed.depth.map_or(-1, i64::from);
    let field = DragValue::new(&mut hops)
        .range(-1..=1000)
        .custom_formatter(|hops, _| if hops < 0.0 { "as rule".to_owned() } else { format!("{hops:.0}") })
        .custom_parser(|text| if text.trim() == "as rule" { Some(-1.0) } else { text.trim().parse().ok() });
    let hint = "Most hops from this seed; drag below 0 for the rule's limit";
    let changed = ui.name_inputs("Hops", |ui| ui.add(field).on_hover_text(hint).changed());
    if changed {
        seed.depth = u32::try_from(hops).ok();
    }
}
