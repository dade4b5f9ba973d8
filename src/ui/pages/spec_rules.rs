//! The scope: an ordered list of rules, and a tester.

use crate::app::AppState;
use crate::app::models::CampaignPage;
use crate::campaign::Campaign;
use crate::scope::{DecideRules, rule_templates};
use crate::ui::table::Table;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::trace::{trace_ui, verdict_line};
use crate::ui::widgets::{cell_ui, coloured_cell_ui, heading_ui, is_typing, loaded_ui};
use crate::ui::words;
use egui::{Button, Checkbox, ComboBox, DragValue, Key, Modifiers, TextEdit, Ui};
use serde_json::Value;

/// URLs that the tester takes at once.
const MOST_TESTED: usize = 200;
/// Height of the list of rules.
const LIST: f32 = 330.0;
/// Fields of a rule that are not its arguments.
const COMMON: [&str; 3] = ["rule", "enabled", "comment"];

const COLUMNS: [(&str, f32); 6] =
    [("#", 36.0), ("On", 36.0), ("Says", 90.0), ("Rule", 470.0), ("Decided", 80.0), ("Comment", 260.0)];

/// What the editor keeps between frames.
#[derive(Default)]
pub struct RulesEditor {
    chosen: Option<usize>,
    lines: Vec<Result<(String, String), String>>,
    lines_of: Option<(Vec<Value>, usize)>,
    tested: String,
    asked: Option<(Campaign, String)>,
    opened: Option<usize>,
}

impl RulesEditor {
    /// Draws list, editor of the rule at hand, tester.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &mut Campaign, page: Option<&CampaignPage>) {
        ui.weak(
            "Every rule that is on speaks in order; the last opinion wins; a URL of which no rule speaks is refused",
        );
        self.name_rules(campaign);
        self.list_ui(ui, campaign, page);
        self.buttons_ui(ui, &mut campaign.rules);
        if let Some(rule) = self.chosen.and_then(|chosen| campaign.rules.get_mut(chosen)) {
            rule_ui(ui, rule);
        }
        ui.add_space(GAP);
        self.tester_ui(ui, app, campaign);
    }

    /// Words of each rule, made anew when rules or seeds have changed.
    fn name_rules(&mut self, campaign: &Campaign) {
        let of = (campaign.rules.clone(), campaign.seeds.len());
        if self.lines_of.as_ref() == Some(&of) {
            return;
        }
        self.lines = campaign
            .rules
            .iter()
            .map(|rule| {
                let alone =
                    Campaign { rules: vec![rule.clone()], seeds: campaign.seeds.clone(), ..Campaign::default() };
                let rules = DecideRules::compile(&alone).map_err(|error| error.why)?;
                let line = rules.lines().next().map(|(_, name, words, _)| (name.to_owned(), words));
                Ok(line.unwrap_or_default())
            })
            .collect();
        self.lines_of = Some(of);
    }

    fn list_ui(&mut self, ui: &mut Ui, campaign: &mut Campaign, page: Option<&CampaignPage>) {
        if campaign.rules.is_empty() {
            ui.label("No rule: everything is refused. Add rules from the list below");
            return;
        }
        let saved = page.map(|page| &page.campaign.rules);
        let lines = &self.lines;
        let rules = &mut campaign.rules;
        let clicked =
            Table::new("rules", &COLUMNS, rules.len()).with_fields().chosen(self.chosen).height(LIST).show_ui(
                ui,
                |cells, index| {
                    let Some(rule) = rules.get_mut(index) else { return };
                    let mut enabled = rule.get("enabled").and_then(Value::as_bool).unwrap_or(true);
                    cells.weak(&index.to_string());
                    cells.ui(|ui| {
                        ui.name_inputs(format!("Rule {index} is on"), |ui| {
                            if ui.add(Checkbox::without_text(&mut enabled)).changed() {
                                rule["enabled"] = Value::Bool(enabled);
                            }
                        });
                    });
                    cells.ui(|ui| says_ui(ui, rule, enabled));
                    cells.ui(|ui| match lines.get(index) {
                        Some(Ok((name, words))) => {
                            let color = if enabled { tokens(ui).text } else { tokens(ui).weak_text };
                            coloured_cell_ui(ui, words, color).on_hover_text(name);
                        }
                        Some(Err(why)) => {
                            coloured_cell_ui(ui, &format!("✖ {why}"), tokens(ui).reject);
                        }
                        None => {}
                    });
                    let hits = page
                        .filter(|_| saved.and_then(|saved| saved.get(index)) == Some(rule))
                        .and_then(|page| page.rule_hits.get(index));
                    cells.text(&hits.map_or_else(|| "–".to_owned(), |hits| words::count(*hits)));
                    cells.ui(|ui| {
                        cell_ui(ui, rule.get("comment").and_then(Value::as_str).unwrap_or_default());
                    });
                },
                |_, _| {},
            );
        if clicked.is_some() {
            self.chosen = clicked;
        }
    }

    fn buttons_ui(&mut self, ui: &mut Ui, rules: &mut Vec<Value>) {
        let typing = is_typing(ui);
        let moved = |ui: &Ui, key: Key| !typing && ui.input_mut(|input| input.consume_key(Modifiers::ALT, key));
        let (up, down) = (moved(ui, Key::ArrowUp), moved(ui, Key::ArrowDown));
        ui.horizontal_wrapped(|ui| {
            ui.menu_button("Add a rule", |ui| {
                for (label, rule) in rule_templates() {
                    if ui.button(label).clicked() {
                        let at = self.chosen.map_or(rules.len(), |chosen| (chosen + 1).min(rules.len()));
                        rules.insert(at, rule);
                        self.chosen = Some(at);
                        ui.close();
                    }
                }
            });
            let at = self.chosen.filter(|chosen| *chosen < rules.len());
            let can_up = at.is_some_and(|at| at > 0);
            let can_down = at.is_some_and(|at| at + 1 < rules.len());
            let up =
                ui.add_enabled(can_up, Button::new("⏶ Move up")).on_hover_text("Alt+↑").clicked() || (up && can_up);
            let down = ui.add_enabled(can_down, Button::new("⏷ Move down")).on_hover_text("Alt+↓").clicked()
                || (down && can_down);
            let remove = ui.add_enabled(at.is_some(), Button::new("✖ Remove")).clicked();
            if let Some(at) = at {
                if up {
                    rules.swap(at, at - 1);
                    self.chosen = Some(at - 1);
                } else if down {
                    rules.swap(at, at + 1);
                    self.chosen = Some(at + 1);
                } else if remove {
                    rules.remove(at);
                    self.chosen = None;
                }
            } else {
                ui.weak("Choose a rule to edit, move or remove it");
            }
        });
    }

    fn tester_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &Campaign) {
        heading_ui(ui, "Tester");
        let label = ui.label("URLs to test");
        ui.add(
            TextEdit::multiline(&mut self.tested)
                .hint_text("Paste URLs, one a line, to see what the rules above say, saved or not")
                .desired_rows(3)
                .desired_width(theme::READING_WIDTH),
        )
        .labelled_by(label.id);
        let urls: Vec<String> = self
            .tested
            .lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .take(MOST_TESTED)
            .collect();
        if urls.is_empty() {
            return;
        }
        if self.asked.as_ref().is_none_or(|(of, _)| of != campaign) {
            match serde_json::to_string(campaign) {
                Ok(json) => self.asked = Some((campaign.clone(), json)),
                Err(error) => {
                    ui.colored_label(tokens(ui).reject, format!("✖ {error}"));
                    return;
                }
            }
        }
        let Some((_, json)) = &self.asked else { return };
        let answer = app.reads.scope_test(json.clone(), urls.clone());
        loaded_ui(ui, &answer, |ui, answers| {
            for (index, (url, result)) in urls.iter().zip(answers).enumerate() {
                match result {
                    Err(why) => {
                        ui.colored_label(
                            tokens(ui).reject,
                            format!("✖ {}: {}", words::short(url, 100), words::line(why)),
                        );
                    }
                    Ok(trace) => {
                        let title = format!("{}  {}", verdict_line(trace), words::short(&trace.url, 120));
                        let open = self.opened == Some(index) || urls.len() == 1;
                        if ui.selectable_label(open, title).clicked() {
                            self.opened = if open { None } else { Some(index) };
                        }
                        if open {
                            ui.indent(("trace", index), |ui| trace_ui(ui, &format!("tester {index}"), trace));
                        }
                    }
                }
            }
        });
    }
}

/// What the rule can say, as its kind or its argument has it.
fn says_ui(ui: &mut Ui, rule: &Value, enabled: bool) {
    let kind = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
    let accepts = match rule.get("decision").and_then(Value::as_str) {
        Some(decision) => decision == "ACCEPT",
        None => matches!(kind, "accept_all" | "seed_scope" | "transclusion"),
    };
    let (word, color) = match (enabled, accepts) {
        (false, _) => ("off", tokens(ui).weak_text),
        (true, true) => ("✔ accept", tokens(ui).accept),
        (true, false) => ("✖ reject", tokens(ui).reject),
    };
    coloured_cell_ui(ui, word, color);
}

/// The arguments of one rule, whatever its kind.
fn rule_ui(ui: &mut Ui, rule: &mut Value) {
    let Some(fields) = rule.as_object_mut() else {
        ui.colored_label(tokens(ui).reject, "✖ This rule is no object; remove it");
        return;
    };
    theme::card_frame(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let kind = fields.get("rule").and_then(Value::as_str).unwrap_or_default().replace('_', " ");
        heading_ui(ui, &format!("Arguments of “{}”", words::short(&kind, 60)));
        let mut none = true;
        for (name, value) in fields.iter_mut().filter(|(name, _)| !COMMON.contains(&name.as_str())) {
            none = false;
            ui.horizontal_top(|ui| argument_ui(ui, name, value));
        }
        if none {
            ui.weak("This rule takes none");
        }
        if let Some(Value::String(comment)) = fields.get_mut("comment") {
            ui.horizontal(|ui| {
                let label = ui.label("Comment");
                ui.add(TextEdit::singleline(comment).desired_width(theme::LONG_FIELD)).labelled_by(label.id);
            });
        } else if ui.button("Add a comment").clicked() {
            fields.insert("comment".to_owned(), Value::String(String::new()));
        }
    });
}

fn argument_ui(ui: &mut Ui, name: &str, value: &mut Value) {
    let label = ui.label(name.replace('_', " "));
    match value {
        Value::Bool(on) => {
            ui.add(Checkbox::without_text(on)).labelled_by(label.id);
        }
        Value::Number(number) => {
            if let Some(mut whole) = number.as_i64() {
                if ui.add(DragValue::new(&mut whole).range(0..=i64::MAX)).labelled_by(label.id).changed() {
                    *value = Value::from(whole);
                }
            } else if let Some(mut part) = number.as_f64()
                && ui.add(DragValue::new(&mut part)).labelled_by(label.id).changed()
            {
                *value = Value::from(part);
            }
        }
        Value::String(text) if matches!(text.as_str(), "ACCEPT" | "REJECT") => {
            ui.label_inputs_by(label.id, |ui| {
                ComboBox::from_id_salt(name).selected_text(text.to_lowercase()).show_ui(ui, |ui| {
                    for decision in ["ACCEPT", "REJECT"] {
                        ui.selectable_value(text, decision.to_owned(), decision.to_lowercase());
                    }
                });
            });
        }
        Value::String(text) => {
            ui.add(TextEdit::singleline(text).desired_width(theme::LONG_FIELD)).labelled_by(label.id);
        }
        Value::Array(items) => {
            let mut text = items.iter().map(|item| item.as_str().unwrap_or_default()).collect::<Vec<_>>().join("\n");
            let field =
                TextEdit::multiline(&mut text).hint_text("one a line").desired_rows(3).desired_width(theme::LONG_FIELD);
            if ui.add(field).labelled_by(label.id).changed() {
                *items = text.split('\n').map(|line| Value::from(line.trim_start())).collect();
                if text.is_empty() {
                    items.clear();
                }
            }
        }
        Value::Null | Value::Object(_) => {
            ui.weak(words::short(&value.to_string(), 120));
        }
    }
}
