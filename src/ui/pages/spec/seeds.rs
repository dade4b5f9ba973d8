//! The editor of a campaign's seeds.

use super::permissions::{derivations, state_of};
use crate::app::AppState;
use crate::app::models::{CampaignPage, Loaded, MovedSeed};
use crate::campaign::{Campaign, CampaignProblem, Grounds, Seed, SeedScope};
use crate::scope::{Derivation, seed_reach};
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::table::{Column, Table, Value as Cell};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{chevron, coloured_cell_ui, field_led_to, lead_here};
use crate::uri::parse_web_url;
use egui::{ComboBox, DragValue, TextEdit, Ui};
use std::collections::HashSet;

/// Scopes of seeds: scope, label, name in files, explanation in one line.
const SCOPES: [(SeedScope, &str, &str, &str); 4] = [
    (SeedScope::Resource, "this page", "resource", "the URL and its embedded resources, no links"),
    (SeedScope::Plus1, "page + 1 link", "plus1", "the URL and every page it links to, on any host"),
    (
        SeedScope::Root,
        "this path and below",
        "root",
        "all URLs that begin with the prefix implied by the URL; a trailing slash matters",
    ),
    (SeedScope::Subdomains, "host + subdomains", "subdomains", "all paths on the host and its subdomains"),
];

/// Pasted lines whose reach is shown.
const PREVIEWED: usize = 6;

/// Seeds whose permission is shown.
const BASES_SHOWN: usize = 500;

/// Height of the table of seeds.
const LIST: f32 = 330.0;

/// State of the editor between frames.
#[derive(Default)]
pub struct SeedsEditor {
    pasted: String,
    scope: SeedScope,
    message: Option<String>,
    at: Option<usize>,
}

impl SeedsEditor {
    /// Draws table and paste field.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        campaign: &mut Campaign,
        page: Option<&CampaignPage>,
        moved: &[MovedSeed],
        problems: &[CampaignProblem],
    ) {
        let led_to = field_led_to(ui.ctx()).and_then(|field| {
            let index = field.strip_prefix("seeds[")?.split(']').next()?;
            index.parse().ok()
        });
        self.at = led_to.or(self.at);
        moved_ui(ui, campaign, moved);
        if campaign.seeds.is_empty() {
            ui.label("No seeds yet. Paste URLs below, one per line");
        } else {
            table_ui(ui, app, campaign, page, problems, &mut self.at);
            match self.at.and_then(|at| campaign.seeds.get(at)) {
                Some(seed) => reach_ui(ui, seed),
                None => {
                    ui.weak("Click a URL to see its scope while you type");
                }
            }
        }
        ui.horizontal(|ui| {
            if ui.button("Add an empty row").clicked() {
                campaign.seeds.push(seed(String::new(), SeedScope::default()));
                self.at = Some(campaign.seeds.len() - 1);
            }
        });
        ui.add_space(GAP);
        let label = ui.label("Seeds to add, one per line");
        let field = ui.add(
            TextEdit::multiline(&mut self.pasted)
                .hint_text("https://www.example.org/\nhttps://example.org/news/")
                .desired_rows(4)
                .desired_width(theme::READING_WIDTH),
        );
        lead_here(&field.labelled_by(label.id), "seeds");
        ui.horizontal_wrapped(|ui| {
            ui.label("Scope");
            for (scope, label, name, _) in SCOPES {
                ui.radio_value(&mut self.scope, scope, label).on_hover_text(name);
            }
        });
        for (scope, _, name, about) in SCOPES {
            if scope == self.scope {
                ui.weak(format!("{name}: {about}"));
            }
        }
        self.preview_ui(ui);
        ui.horizontal_wrapped(|ui| {
            let some = !self.pasted.trim().is_empty();
            let response = ui.add_enabled(some, egui::Button::new("Add these seeds"));
            if response.on_disabled_hover_text("Paste URLs first").clicked() {
                self.add(campaign);
            }
            if let Some(message) = &self.message {
                ui.label(message);
            }
        });
    }

    /// Draws the reach of the lines typed so far.
    fn preview_ui(&self, ui: &mut Ui) {
        let lines = || self.pasted.lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines().take(PREVIEWED) {
            reach_ui(ui, &seed(line.to_owned(), self.scope));
        }
        let more = lines().count().saturating_sub(PREVIEWED);
        if more > 0 {
            ui.weak(format!("… and {}", text::counted(more as u64, "more line")));
        }
    }

    /// Takes over what is a URL; the rest stays in the field.
    fn add(&mut self, campaign: &mut Campaign) {
        let (mut added, mut known, mut left) = (0, 0, Vec::new());
        let mut there: HashSet<String> = campaign.seeds.iter().map(|seed| seed.url.clone()).collect();
        for line in self.pasted.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if parse_web_url(line).is_none() {
                left.push(line.to_owned());
            } else if !there.insert(line.to_owned()) {
                known += 1;
            } else {
                campaign.seeds.push(seed(line.to_owned(), self.scope));
                added += 1;
            }
        }
        let mut message = format!("✔ {} added", text::counted(added, "seed"));
        if known > 0 {
            message.push_str(&format!(", {} already listed", text::count(known)));
        }
        if !left.is_empty() {
            message.push_str(&format!(", ✖ {} not an http or https URL, left above", text::count(left.len() as u64)));
        }
        self.pasted = left.join("\n");
        self.message = Some(message);
    }
}

fn seed(url: String, scope: SeedScope) -> Seed {
    Seed { url, scope, depth: None, source_tag: String::new() }
}

/// Draws the reach of a seed while it is typed.
fn reach_ui(ui: &mut Ui, seed: &Seed) {
    ui.horizontal_wrapped(|ui| {
        ui.weak(text::short(&seed.url, 80));
        ui.weak("→");
        match seed_reach(seed) {
            None => {
                ui.colored_label(tokens(ui).reject, "✖ no URL yet");
            }
            Some(reach) => {
                ui.label(text::line(&reach.summary));
                if let Some(remark) = reach.remark {
                    ui.colored_label(tokens(ui).flag, format!("⚠ {remark}"));
                }
            }
        }
    });
}

/// A seed as the table shows it.
struct SeedRow<'s> {
    index: usize,
    seed: &'s Seed,
    /// Captures below it; none where the URL is not saved so.
    captures: Option<u64>,
    /// On which basis it is collected; none where that is not known yet.
    basis: Option<&'s Derivation>,
    problems: &'s [CampaignProblem],
}

/// An action on a row of seeds.
enum SeedAction {
    /// Makes it the current seed.
    Choose(usize),
    /// Replaces it.
    Edit(usize, Seed),
    /// Removes it.
    Remove(usize),
}

impl SeedRow<'_> {
    fn reach(&self) -> String {
        seed_reach(self.seed)
            .map(|reach| reach.prefix.map_or(reach.summary, |prefix| prefix.to_string()))
            .unwrap_or_default()
    }

    fn faults(&self) -> String {
        let field = format!("seeds[{}]", self.index);
        let is_here = |problem: &&CampaignProblem| {
            problem.field.strip_prefix(&field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.problems.iter().filter(is_here).map(|problem| problem.what.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// The action that edits the seed; none where the edit changes nothing.
    fn edited(&self, edit: impl FnOnce(&mut Seed)) -> Option<SeedAction> {
        let mut seed = self.seed.clone();
        edit(&mut seed);
        (seed != *self.seed).then_some(SeedAction::Edit(self.index, seed))
    }
}

fn scope_label(row: &SeedRow<'_>) -> &'static str {
    SCOPES.iter().find(|(scope, ..)| *scope == row.seed.scope).map_or("", |(_, label, ..)| label)
}

/// The columns of the seeds; that of permissions where there is anything to say about them.
fn columns<'a, 's>(at: Option<usize>, has_permissions: bool) -> Vec<Column<'a, SeedRow<'s>, SeedAction>>
where
    's: 'a,
{
    type Col<'a, 's> = Column<'a, SeedRow<'s>, SeedAction>;
    let permission = Col::made("permission", "Permission", 96.0, |row| {
        row.basis.map_or_else(String::new, |basis| state_of(basis.state, &theme::DARK).0.to_owned())
    })
    .or("–")
    .about("The basis on which it is collected; its records are in the part Permissions")
    .draw(|ui, row| {
        let Some(basis) = row.basis else { return };
        let (label, color) = state_of(basis.state, tokens(ui));
        coloured_cell_ui(ui, label, color).on_hover_text(text::line(&basis.why));
    });
    vec![
        Col::count("number", "#", 32.0, |row| row.index as u64 + 1),
        Col::text("remove", "", 30.0, |_| "").draw_with_action(|ui, row| {
            let name = format!("Remove seed {}", row.index + 1);
            icon_button_ui(ui, Icon::Close, &name).clicked().then_some(SeedAction::Remove(row.index))
        }),
        Col::text("url", "URL", 180.0, |row| &row.seed.url).draw_with_action(move |ui, row| {
            let mut is_entered = false;
            let edited = row.edited(|seed| {
                ui.name_inputs(format!("URL of seed {}", row.index + 1), |ui| {
                    let field = ui.add(TextEdit::singleline(&mut seed.url).desired_width(f32::INFINITY));
                    lead_here(&field, &format!("seeds[{}].url", row.index));
                    is_entered = field.has_focus() && at != Some(row.index);
                });
            });
            edited.or(is_entered.then_some(SeedAction::Choose(row.index)))
        }),
        Col::text("scope", "Scope", 154.0, scope_label).draw_with_action(|ui, row| {
            row.edited(|seed| {
                ui.name_inputs("Scope", |ui| {
                    let chooser =
                        ComboBox::from_id_salt(("reach", row.index)).icon(chevron).selected_text(scope_label(row));
                    chooser.width(theme::FIELD * 0.6).show_ui(ui, |ui| {
                        for (scope, label, name, about) in SCOPES {
                            let hint = format!("{name}: {about}");
                            ui.selectable_value(&mut seed.scope, scope, label).on_hover_text(hint);
                        }
                    });
                });
            })
        }),
        Col::value("hops", "Hops", 64.0, |row| Cell::known(row.seed.depth.map(u64::from)))
            .draw_with_action(|ui, row| row.edited(|seed| depth_ui(ui, seed))),
        Col::text("tag", "Tag", 100.0, |row| &row.seed.source_tag)
            .draw_with_action(|ui, row| {
                row.edited(|seed| {
                    ui.name_inputs("Tag", |ui| {
                        ui.add(TextEdit::singleline(&mut seed.source_tag).desired_width(f32::INFINITY));
                    });
                })
            })
            .hidden(),
        Col::value("captures", "Captures", 76.0, |row| Cell::known(row.captures)).numeric(),
        if has_permissions { permission } else { permission.hidden() },
        Col::made("reach", "Reaches", 260.0, SeedRow::reach)
            .or("–")
            .draw(|ui, row| {
                let remark = seed_reach(row.seed).and_then(|reach| reach.remark);
                let color = if remark.is_some() { tokens(ui).flag } else { tokens(ui).weak_text };
                let cell = coloured_cell_ui(ui, &row.reach(), color);
                if let Some(remark) = remark {
                    cell.on_hover_text(remark);
                }
            })
            .hidden(),
        Col::made("problems", "Problems", 84.0, SeedRow::faults).draw(|ui, row| {
            let faults = row.faults();
            match faults.is_empty() {
                true => coloured_cell_ui(ui, "✔", tokens(ui).accept),
                false => coloured_cell_ui(ui, &format!("⚠ {faults}"), tokens(ui).flag),
            };
        }),
    ]
}

fn table_ui(
    ui: &mut Ui,
    app: &mut AppState,
    campaign: &mut Campaign,
    page: Option<&CampaignPage>,
    problems: &[CampaignProblem],
    at: &mut Option<usize>,
) {
    let captures = |index: usize, seed: &Seed| {
        let page = page.filter(|page| page.campaign.seeds.get(index).is_some_and(|saved| saved.url == seed.url))?;
        page.seed_captures.get(index).copied()
    };
    let has_records = !campaign.permissions.is_empty() || campaign.grounds != Grounds::default();
    let shown = if has_records { BASES_SHOWN } else { 0 };
    let urls: Vec<String> = campaign.seeds.iter().take(shown).map(|seed| seed.url.clone()).collect();
    let bases = (!urls.is_empty()).then(|| derivations(app, campaign, urls));
    let bases = bases.as_ref().and_then(Loaded::shown).map(|bases| &**bases);
    let basis = |index: usize| bases.and_then(|bases| bases.get(index)?.as_ref().ok());
    let seeds = campaign.seeds.iter().enumerate();
    let rows: Vec<SeedRow<'_>> = seeds
        .map(|(index, seed)| SeedRow { index, seed, captures: captures(index, seed), basis: basis(index), problems })
        .collect();
    let table = Table::new("seeds", "Seeds", columns(*at, has_records), |row: &SeedRow<'_>| row.index as u64)
        .row_height(theme::ROOMY_ROW)
        .chosen(at.map(|at| at as u64))
        .height(LIST)
        .on_focus(|row| Some(SeedAction::Choose(row.index)));
    let action = table.rows_ui(ui, app, &rows);
    drop(rows);
    match action {
        Some(SeedAction::Choose(index)) => *at = Some(index),
        Some(SeedAction::Edit(index, seed)) => {
            *at = Some(index);
            if let Some(of_index) = campaign.seeds.get_mut(index) {
                *of_index = seed;
            }
        }
        Some(SeedAction::Remove(index)) if index < campaign.seeds.len() => drop(campaign.seeds.remove(index)),
        Some(SeedAction::Remove(_)) | None => {}
    }
}

/// The label for seeds that redirect to another site.
pub fn open_redirects(moved: &[MovedSeed]) -> Option<String> {
    let count = text::counted_verb(moved.len() as u64, "seed", "redirects");
    (!moved.is_empty()).then(|| format!("⚠ {count} to another site; only the page itself is crawled there"))
}

/// Seeds that redirect to another site, with what can be done about it.
fn moved_ui(ui: &mut Ui, campaign: &mut Campaign, moved: &[MovedSeed]) {
    let Some(text) = open_redirects(moved) else { return };
    ui.colored_label(tokens(ui).flag, text);
    for moved in moved.iter().take(MOVED_SHOWN) {
        ui.horizontal_wrapped(|ui| {
            let (from, to) = (text::short(&moved.seed, 70), text::short(&moved.target, 70));
            ui.label(format!("{from} → {to}")).on_hover_text(format!("on {} UTC", moved.date.to_readable()));
            if ui.button("Add as a seed").clicked()
                && let Some(of) = campaign.seeds.iter().find(|seed| seed.url == moved.seed)
            {
                let added = Seed { url: moved.target.clone(), ..of.clone() };
                campaign.seeds.push(added);
            }
            if ui.button("Leave out").on_hover_text("Ask no more about this redirect").clicked() {
                campaign.left_out_redirects.push(moved.target.clone());
            }
        });
    }
    let more = moved.len().saturating_sub(MOVED_SHOWN);
    if more > 0 {
        ui.weak(format!("and {} more", text::count(more as u64)));
    }
    ui.separator();
}

/// Redirecting seeds that are listed at once.
const MOVED_SHOWN: usize = 8;

/// Most hops from the seed; below zero the rule's own limit holds.
fn depth_ui(ui: &mut Ui, seed: &mut Seed) {
    let mut hops = seed.depth.map_or(-1, i64::from);
    let field = DragValue::new(&mut hops)
        .range(-1..=1000)
        .custom_formatter(|hops, _| if hops < 0.0 { "by rule".to_owned() } else { format!("{hops:.0}") })
        .custom_parser(|text| if text.trim() == "by rule" { Some(-1.0) } else { text.trim().parse().ok() });
    let hint = "Maximum hops from this seed; below 0: the rule's limit";
    let changed = ui.name_inputs("Hops", |ui| ui.add(field).on_hover_text(hint).changed());
    if changed {
        seed.depth = u32::try_from(hops).ok();
    }
}
