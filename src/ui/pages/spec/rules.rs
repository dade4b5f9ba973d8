//! The scope: an ordered list of rules, and a tester.

use super::tester::Tester;
use crate::app::models::{CampaignPage, Loaded, RuleReport, WhatIf, WhatIfList};
use crate::app::{AppState, Command, Route, RuleLine, RuleRef, ScopeList, SpecDraft, refusals_rule};
use crate::campaign::{Campaign, CampaignProblem};
use crate::scope::{rule_groups, rule_templates};
use crate::ui::table::{Column, Table, Value as Cell};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{chevron, coloured_cell_ui, field_led_to, heading_ui, is_typing, remarks_ui};
use egui::{Button, Checkbox, ComboBox, DragValue, Key, Modifiers, Response, TextEdit, Ui};
use serde_json::Value;
use std::sync::Arc;

/// Height of the list of rules: eleven, as a new campaign has.
const LIST: f32 = theme::HEAD_ROW + 11.0 * theme::ROOMY_ROW;
/// Remarks about the entries of a rule that are shown at first.
const REMARKS_SHOWN: usize = 20;
/// Fields of a rule that are not its arguments.
const COMMON: [&str; 3] = ["rule", "enabled", "comment"];

/// Figures of the rules, as far as they are known: hits, and the effects of edits.
struct Deeds<'a> {
    page: Option<&'a CampaignPage>,
    hits: Option<&'a RuleReport>,
    what_if: Option<&'a WhatIf>,
}

/// State of the editor between frames.
#[derive(Default)]
pub struct RulesEditor {
    chosen: Option<usize>,
    lines: Option<Arc<Vec<RuleLine>>>,
    /// Whether the lines are those of an earlier state.
    is_reading: bool,
    /// The campaign whose rules are summarized: no more of it than rules read, at
    /// this revision of the draft.
    snapshot: Option<(u64, Arc<Campaign>)>,
    tester: Tester,
}

impl RulesEditor {
    /// Draws list, editor of the chosen rule, tester.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &mut Campaign, page: Option<&CampaignPage>) {
        ui.weak("Rules apply in order; the last match decides; a URL that no rule matches is refused");
        let led_to = field_led_to(ui.ctx()).and_then(|field| {
            let index = field.strip_prefix("rules[")?.split(']').next()?;
            index.parse().ok()
        });
        self.chosen = led_to.or(self.chosen);
        let hits = page.map(|page| app.rule_hits(page.id));
        let what_if = match &app.what_if() {
            Some(Loaded::Ready(answer)) => Some(answer.clone()),
            _ => None,
        };
        let deeds = Deeds {
            page,
            hits: hits.as_ref().and_then(|hits| hits.shown()).map(|hits| hits.as_ref()),
            what_if: what_if.as_ref().map(|answer| &answer.figures),
        };
        self.list_ui(ui, app, campaign, &deeds);
        if let Some(hits) = deeds.hits {
            remarks_ui(ui, &hits.remarks);
        }
        self.buttons_ui(ui, &mut campaign.rules);
        let lines = self.lines.clone();
        if let Some((index, rule)) = self.chosen.and_then(|chosen| Some((chosen, campaign.rules.get_mut(chosen)?))) {
            let line = lines.as_ref().and_then(|lines| lines.get(index)).filter(|line| line.rule == *rule);
            rule_ui(ui, rule);
            for remark in line.iter().flat_map(|line| &line.remarks).take(REMARKS_SHOWN) {
                match &remark.hint {
                    Some(hint) => {
                        let text = format!("⚠ {}; {}", text::line(&remark.what), text::line(hint));
                        ui.colored_label(tokens(ui).flag, text)
                    }
                    None => ui.weak(text::line(&remark.what)),
                };
            }
        } else if self.chosen == Some(campaign.rules.len()) && campaign.has_refusals() {
            ui.weak("What the permissions refuse (Permissions). Where one is granted for a part of it, the closer one counts");
        }
        ui.add_space(GAP);
        self.tester.ui(ui, app, campaign);
    }

    /// Rules that cannot be read, with their numbers, as far as is known.
    pub fn broken<'a>(&'a self, rules: &'a [Value]) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = self.lines.as_ref().map(|lines| lines.as_slice()).unwrap_or_default();
        lines.iter().enumerate().filter_map(|(index, line)| {
            let why = line.description.as_ref().err()?;
            (rules.get(index) == Some(&line.rule)).then_some((index, why.as_str()))
        })
    }

    /// Problems of rules that can be read, as far as is known.
    pub fn problems<'a>(&'a self, campaign: &'a Campaign) -> impl Iterator<Item = &'a CampaignProblem> {
        let lines = self.lines.as_ref().map(|lines| lines.as_slice()).unwrap_or_default();
        let refusals = campaign.has_refusals().then(|| refusals_rule(campaign));
        let is_same =
            move |index: usize, line: &RuleLine| campaign.rules.get(index).or(refusals.as_ref()) == Some(&line.rule);
        lines.iter().enumerate().filter(move |(index, line)| is_same(*index, line)).flat_map(|(_, line)| &line.problems)
    }

    /// Words of each rule. Compiling long lists takes time, so a worker does it.
    pub fn name_rules(&mut self, app: &mut AppState, spec: &SpecDraft) {
        let snapshot = match self.snapshot.take() {
            Some((revision, snapshot)) if revision == spec.revision() => snapshot,
            Some((_, snapshot)) if snapshot.has_same_rules(&spec.campaign) => snapshot,
            _ => Arc::new(spec.campaign.what_rules_read()),
        };
        let lines = app.rule_lines(&snapshot);
        if let Some(lines) = lines.shown() {
            self.lines = Some(lines.clone());
        }
        self.is_reading = matches!(lines, Loaded::Loading { .. });
        self.snapshot = Some((spec.revision(), snapshot));
    }

    /// Whether the rules are still being read, so that more may be broken.
    pub fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// The lines of the rules as far as they are known; the same answer is the same value.
    pub fn lines(&self) -> Option<&Arc<Vec<RuleLine>>> {
        self.lines.as_ref()
    }

    fn list_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &mut Campaign, deeds: &Deeds<'_>) {
        if campaign.rules.is_empty() {
            ui.label("No rules: everything is refused. Add rules from the list below");
            return;
        }
        let lines = self.lines.as_ref().map(|lines| lines.as_slice()).unwrap_or_default();
        let refusals = campaign.has_refusals().then(|| refusals_rule(campaign));
        let rules = campaign.rules.iter().chain(&refusals).enumerate();
        let rows: Vec<RuleRow> = rules.map(|(index, rule)| RuleRow::of(index, rule, lines, deeds)).collect();
        let key = |row: &RuleRow| row.index as u64;
        let table = Table::new("rules", "Scope rules", columns(), key)
            .row_height(theme::ROOMY_ROW)
            .chosen(self.chosen.map(|chosen| chosen as u64))
            .height(LIST)
            .on_focus(|row| Some(RuleAction::Choose(row.index)));
        match table.rows_ui(ui, app, &rows) {
            Some(RuleAction::Choose(index)) => self.chosen = Some(index),
            Some(RuleAction::Enable(index, enabled)) => match campaign.rules.get_mut(index) {
                Some(rule) => rule["enabled"] = Value::Bool(enabled),
                None => campaign.grounds.obey_refusals = enabled,
            },
            Some(RuleAction::Show(list)) => {
                if let Some(page) = deeds.page {
                    app.send(Command::Go(Route::Scope(page.id, list)));
                }
            }
            None => {}
        }
    }

    fn buttons_ui(&mut self, ui: &mut Ui, rules: &mut Vec<Value>) {
        let typing = is_typing(ui);
        let moved = |ui: &Ui, key: Key| !typing && ui.input_mut(|input| input.consume_key(Modifiers::ALT, key));
        let (up, down) = (moved(ui, Key::ArrowUp), moved(ui, Key::ArrowDown));
        ui.horizontal_wrapped(|ui| {
            ui.menu_button("Add a rule", |ui| {
                for (group, templates) in rule_groups() {
                    ui.menu_button(group, |ui| {
                        for (label, rule) in templates {
                            if ui.button(label).clicked() {
                                let at = self.chosen.map_or(rules.len(), |chosen| (chosen + 1).min(rules.len()));
                                rules.insert(at, rule);
                                self.chosen = Some(at);
                                ui.close();
                            }
                        }
                    });
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
                ui.weak("Select a rule to edit, move or remove it");
            }
        });
    }
}

/// A rule as the list shows it.
struct RuleRow {
    index: usize,
    enabled: bool,
    accepts: bool,
    /// Its name and sentence, or why it cannot be read; none while it is read.
    line: Option<Result<(String, String), String>>,
    /// The number of URLs that it decided and matched, and one of them.
    hits: Option<(u64, u64)>,
    example: Option<String>,
    /// The number of URLs that the edits move by it into the scope and out of it.
    moves: Option<(u64, u64)>,
    comment: String,
}

/// An action on a row of rules.
enum RuleAction {
    /// Makes it the current rule.
    Choose(usize),
    /// Switches it on or off.
    Enable(usize, bool),
    /// A list of URLs.
    Show(ScopeList),
}

impl RuleRow {
    fn of(index: usize, rule: &Value, lines: &[RuleLine], deeds: &Deeds<'_>) -> Self {
        // Sentences of an earlier state are shown where they still hold.
        let line = lines
            .get(index)
            .filter(|line| line.rule == *rule)
            .or_else(|| lines.iter().find(|line| line.rule == *rule))
            .map(|line| line.description.clone());
        let is_saved = |page: &CampaignPage| match page.campaign.rules.get(index) {
            Some(saved) => saved == rule,
            None => page.campaign.has_refusals() && refusals_rule(&page.campaign) == *rule,
        };
        let saved = deeds.page.is_some_and(is_saved);
        // The list of the last launch may be an older one.
        let is_same = |name: &str, sentence: &str| matches!(&line, Some(Ok(of_rule)) if saved && of_rule.0 == name && of_rule.1 == sentence);
        let hits = deeds.hits.and_then(|hits| hits.rules.get(index));
        let hits = hits.filter(|hits| is_same(&hits.name, &hits.words));
        let kind = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
        Self {
            index,
            enabled: rule.get("enabled").and_then(Value::as_bool).unwrap_or(true),
            // As its kind or its argument has it.
            accepts: match rule.get("decision").and_then(Value::as_str) {
                Some(decision) => decision == "ACCEPT",
                None => matches!(kind, "accept_all" | "seed_scope" | "transclusion"),
            },
            hits: hits.map(|hits| (hits.decided, hits.spoke)),
            example: hits.and_then(|hits| hits.example.clone()),
            moves: deeds
                .what_if
                .and_then(|what_if| what_if.by_rule.get(index))
                .map(|moves| (moves.moved_in, moves.moved_out))
                .filter(|(moved_in, moved_out)| moved_in + moved_out > 0),
            comment: rule.get("comment").and_then(Value::as_str).unwrap_or_default().to_owned(),
            line,
        }
    }

    fn decision(&self) -> &'static str {
        match (self.enabled, self.accepts) {
            (false, _) => "off",
            (true, true) => "✔ accept",
            (true, false) => "✖ reject",
        }
    }

    fn sentence(&self) -> String {
        match &self.line {
            Some(Ok((_, sentence))) => sentence.clone(),
            Some(Err(why)) => format!("✖ {why}"),
            None => "…".to_owned(),
        }
    }

    fn by_rule(&self) -> Option<RuleRef> {
        let Some(Ok((name, summary))) = &self.line else { return None };
        Some(RuleRef { index: self.index, name: name.clone(), summary: summary.clone() })
    }
}

fn columns<'a>() -> Vec<Column<'a, RuleRow, RuleAction>> {
    const NO_CRAWL: &str = "A dash: no crawl ran with this rule yet";
    type Col<'a> = Column<'a, RuleRow, RuleAction>;
    vec![
        Col::count("number", "#", 32.0, |row| row.index as u64),
        Col::text("on", "On", 36.0, |row| if row.enabled { "on" } else { "off" }).draw_with_action(|ui, row| {
            let mut enabled = row.enabled;
            let mut changed = false;
            ui.name_inputs(format!("Rule {} is on", row.index), |ui| {
                changed = ui.add(Checkbox::without_text(&mut enabled)).changed();
            });
            changed.then_some(RuleAction::Enable(row.index, enabled))
        }),
        Col::text("decision", "Decision", 84.0, RuleRow::decision).draw(|ui, row| {
            let color = match (row.enabled, row.accepts) {
                (false, _) => tokens(ui).weak_text,
                (true, true) => tokens(ui).accept,
                (true, false) => tokens(ui).reject,
            };
            coloured_cell_ui(ui, row.decision(), color);
        }),
        Col::made("rule", "Rule", 250.0, RuleRow::sentence).draw(|ui, row| {
            let color = match &row.line {
                Some(Err(_)) => tokens(ui).reject,
                Some(Ok(_)) if row.enabled => tokens(ui).text,
                _ => tokens(ui).weak_text,
            };
            let cell = coloured_cell_ui(ui, &row.sentence(), color);
            if let Some(Ok((name, _))) = &row.line {
                cell.on_hover_text(name);
            }
        }),
        Col::value("deciding", "Deciding", 70.0, |row| {
            row.hits.map_or(Cell::Unknown, |(decided, _)| Cell::Count(decided))
        })
        .numeric()
        .about(NO_CRAWL)
        .link("Show the URLs that it decided", |row| {
            row.hits.and_then(|_| row.by_rule()).map(|rule| RuleAction::Show(ScopeList::DecidedBy(rule)))
        }),
        Col::value("matched", "Matched", 70.0, |row| {
            row.hits.map_or(Cell::Unknown, |(_, matched)| Cell::Count(matched))
        })
        .numeric()
        .about(NO_CRAWL)
        .link("Show the URLs that it matched", |row| {
            row.hits.and_then(|_| row.by_rule()).map(|rule| RuleAction::Show(ScopeList::SpokenBy(rule)))
        })
        .example(|row| row.example.as_deref()),
        Col::made("change", "Change", 110.0, |row| match row.moves {
            Some((moved_in, moved_out)) => format!("+{} −{}", text::count(moved_in), text::count(moved_out)),
            None => String::new(),
        })
        .link("Show the URLs newly in scope and newly out by the edited rule", |row| {
            row.moves.map(|_| RuleAction::Show(ScopeList::WhatIf(WhatIfList::ByRule(row.index))))
        }),
        Col::text("comment", "Comment", 240.0, |row| &row.comment).hidden(),
    ]
}

/// The arguments of one rule, whatever its kind.
fn rule_ui(ui: &mut Ui, rule: &mut Value) {
    let Some(fields) = rule.as_object_mut() else {
        ui.colored_label(tokens(ui).reject, "✖ This rule is not a JSON object; remove it");
        return;
    };
    theme::card_frame(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let kind = fields.get("rule").and_then(Value::as_str).unwrap_or_default().to_owned();
        heading_ui(ui, &text::short(&rule_title(&kind), 60));
        let mut none = true;
        egui::Grid::new("arguments").num_columns(2).show(ui, |ui| {
            for (name, value) in fields.iter_mut().filter(|(name, _)| !COMMON.contains(&name.as_str())) {
                none = false;
                argument_ui(ui, &kind, name, value);
                ui.end_row();
            }
        });
        if none {
            ui.weak("Nothing to set");
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

/// The title of a rule by its saved name, as the head of its card.
fn rule_title(kind: &str) -> String {
    match kind {
        "regex" => "URL patterns",
        "surt_prefix" => "URL prefixes",
        "host_list" => "Hosts",
        "too_many_hops" => "Number of hops",
        "too_many_path_segments" => "Number of path segments",
        "pathological_path" => "Repeating paths",
        "query_parameters" => "Number of query parameters",
        "transclusion" => "Embedded resources",
        "scheme_not_in_set" => "URL schemes",
        "hop_path" => "Path from the seed",
        "hop_type" => "How a URL was found",
        "source_tag" => "Tags of seeds",
        "geolocation" => "Countries of servers",
        "top_level_domain" => "Top-level domains",
        "permission" => "Permissions",
        "schedule_window" => "Time window",
        "annotation" => "Review decisions",
        "content_size" => "Size of content",
        "content_type" => "MIME types",
        "robots" => "robots.txt",
        "nofollow" => "Nofollow links",
        "seed_scope" => "Scope of the seeds",
        other => return text::capital(&other.replace('_', " ")),
    }
    .to_owned()
}

/// The label of an argument by its saved name.
fn argument_label(name: &str) -> String {
    match name {
        "any" => "Match any of them",
        "decision" => "Decision",
        "patterns" => "Patterns",
        "also_check_via" => "Also match the page that links to it",
        "max_trans_hops" => "Steps from the page",
        "max_speculative_hops" => "Guesses among them",
        "max_hops" => "Most hops",
        "max_segments" => "Most path segments",
        "max_repetitions" => "Most repetitions",
        "max_parameters" => "Most parameters",
        "min_bytes" => "Fewest bytes",
        "max_bytes" => "Most bytes",
        other => return text::capital(&other.replace('_', " ")),
    }
    .to_owned()
}

fn decision_label(decision: &str) -> &'static str {
    if decision == "ACCEPT" { "Accept" } else { "Refuse" }
}

/// The items of a list as they are edited, one a line.
fn text_of(items: &[Value]) -> String {
    let line = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
    items.iter().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Edits a list, one item a line. The lines stay as they were typed as long as
/// they mean the items: an empty one is where the next item will stand.
fn lines_ui(ui: &mut Ui, kind: &str, name: &str, items: &mut Vec<Value>) -> Response {
    let key = ui.make_persistent_id(("lines", kind, name));
    let typed = ui.data(|data| data.get_temp::<String>(key));
    let mut text = typed.filter(|text| items_of(text, kind, name) == *items).unwrap_or_else(|| text_of(items));
    let field =
        TextEdit::multiline(&mut text).hint_text("one per line").desired_rows(3).desired_width(theme::LONG_FIELD);
    let response = ui.add(field);
    if response.changed() {
        *items = items_of(&text, kind, name);
        ui.data_mut(|data| data.insert_temp(key, text));
    }
    response
}

/// The items that edited lines mean; empty lines mean none. Where rules of this
/// kind hold numbers, what is a number becomes one; the rest stays and is
/// reported as a mistake.
fn items_of(text: &str, kind: &str, name: &str) -> Vec<Value> {
    let is_numbers = |rule: &Value| {
        let items = rule.get(name).and_then(Value::as_array);
        rule.get("rule").and_then(Value::as_str) == Some(kind)
            && items.is_some_and(|items| items.iter().any(Value::is_number))
    };
    let numbers = rule_templates().iter().any(|(_, rule)| is_numbers(rule));
    text.split('\n')
        .map(str::trim_start)
        .filter(|line| !line.is_empty())
        .map(|line| match line.trim_end().parse::<u64>() {
            Ok(number) if numbers => Value::from(number),
            _ => Value::from(line),
        })
        .collect()
}

fn argument_ui(ui: &mut Ui, kind: &str, name: &str, value: &mut Value) {
    let label = ui.label(argument_label(name));
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
                ComboBox::from_id_salt(name).icon(chevron).selected_text(decision_label(text)).show_ui(ui, |ui| {
                    for decision in ["ACCEPT", "REJECT"] {
                        ui.selectable_value(text, decision.to_owned(), decision_label(decision));
                    }
                });
            });
        }
        Value::String(text) => {
            ui.add(TextEdit::singleline(text).desired_width(theme::LONG_FIELD)).labelled_by(label.id);
        }
        Value::Array(items) if (kind, name) == ("source_tag", "tags") => {
            // The empty tag is that of seeds without any.
            let (mut tags, nones): (Vec<Value>, Vec<Value>) = items.iter().cloned().partition(|item| *item != "");
            let mut none = !nones.is_empty();
            ui.vertical(|ui| {
                let lines = lines_ui(ui, kind, name, &mut tags).labelled_by(label.id);
                if lines.changed() | ui.checkbox(&mut none, "and of seeds without a tag").changed() {
                    *items = tags.into_iter().chain(none.then(|| Value::from(""))).collect();
                }
            });
        }
        Value::Array(items) => {
            lines_ui(ui, kind, name, items).labelled_by(label.id);
        }
        Value::Null | Value::Object(_) => {
            ui.weak(text::short(&value.to_string(), 120));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_every_rule_are_edited_as_what_they_are() {
        let mut lists = 0;
        for (label, rule) in rule_templates() {
            let fields = rule.as_object().into_iter().flatten();
            let kind = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
            for (name, items) in fields.filter_map(|(name, value)| Some((name, value.as_array()?))) {
                assert_eq!(items_of(&text_of(items), kind, name), *items, "{label}, {name}");
                lists += 1;
            }
        }
        assert!(lists >= 20, "{lists} lists");
    }

    #[test]
    fn numbers_are_numbers_only_where_rules_hold_them() {
        assert_eq!(items_of("9\n17 \n", "schedule_window", "hours"), [Value::from(9), 17.into()]);
        assert_eq!(items_of("spam\n\n ", "annotation", "notes"), [Value::from("spam")]);
        assert_eq!(items_of("nine", "schedule_window", "hours"), [Value::from("nine")]);
        assert_eq!(items_of("2024\n a", "regex", "patterns"), [Value::from("2024"), "a".into()]);
    }
}
