//! Why a URL was taken or refused, rule by rule.

use super::text;
use super::theme::{self, tokens};
use super::widgets::coloured_cell_ui;
use crate::scope::PREREQUISITE_RULE;
use crate::scope::{Decision, NO_RULE, Trace, rule_label};
use egui::{Label, RichText, Ui};

/// The verdict in one line.
pub fn verdict_line(trace: &Trace) -> String {
    let label = match trace.verdict.decision {
        Decision::Accept => "✔ In scope",
        Decision::Reject => "✖ Refused",
    };
    match trace.verdict.rule_index {
        // Counted from 0, as in scope.log.
        Some(index) => format!("{label} by rule {index}: {}", rule_label(&trace.verdict.rule_name)),
        None if trace.verdict.rule_name == NO_RULE => format!("{label}: no rule matched"),
        None if trace.verdict.rule_name == PREREQUISITE_RULE => {
            format!("{label} without rules: the crawl itself needs it")
        }
        None => format!("{label}: {}", rule_label(&trace.verdict.rule_name)),
    }
}

/// The whole trace, the deciding line marked and bold.
pub fn trace_ui(ui: &mut Ui, id: &str, trace: &Trace) {
    trace_with_change_ui(ui, id, trace, false);
}

/// Draws a trace as [`trace_ui`], with the change that would reverse the verdict as a button
/// where it can be made; true when it was pressed.
pub fn trace_with_change_ui(ui: &mut Ui, id: &str, trace: &Trace, can_apply: bool) -> bool {
    let mut is_pressed = false;
    let colors = tokens(ui);
    let color = match trace.verdict.decision {
        Decision::Accept => colors.accept,
        Decision::Reject => colors.reject,
    };
    ui.label(RichText::new(verdict_line(trace)).color(color)).on_hover_text(text::line(&trace.verdict.rule_name));
    if let Some(change) = &trace.remedy {
        ui.horizontal_wrapped(|ui| {
            ui.weak("Smallest rule change that reverses this:");
            let change = text::line(change);
            if can_apply {
                let button = ui.button(format!("⮫ {change}"));
                is_pressed = button.on_hover_text("Makes this change in the edited rules; Undo reverts it").clicked();
            } else {
                ui.label(change);
            }
        });
    }
    egui::Grid::new(id).num_columns(5).show(ui, |ui| {
        for title in ["", "#", "Rule", "Tested", "Decision"] {
            ui.weak(title);
        }
        ui.end_row();
        for step in &trace.steps {
            let text_color = if step.deciding {
                colors.strong_text
            } else if step.enabled {
                colors.text
            } else {
                colors.weak_text
            };
            ui.label(RichText::new(if step.deciding { "➡" } else { "" }).color(color));
            ui.label(RichText::new(step.index.to_string()).color(text_color));
            let summary = if step.words.is_empty() { &step.name } else { &step.words };
            let rule = RichText::new(text::line(summary)).color(text_color);
            ui.horizontal(|ui| {
                let rule = if step.deciding { rule.strong().background_color(colors.chosen_bg) } else { rule };
                ui.scope(|ui| {
                    ui.set_max_width(theme::LONG_FIELD);
                    ui.add(Label::new(rule).truncate()).on_hover_text(&step.name);
                });
                if step.deciding {
                    ui.label(RichText::new("decides").small().color(color));
                }
            });
            ui.scope(|ui| {
                ui.set_max_width(theme::LONG_FIELD);
                coloured_cell_ui(ui, &step.tested, text_color);
            });
            let (label, label_color) = match (step.enabled, step.opinion) {
                (false, _) => ("off", colors.weak_text),
                (true, None) => (text::decision(None), colors.weak_text),
                (true, Some(Decision::Accept)) => (text::decision(step.opinion), colors.accept),
                (true, Some(Decision::Reject)) => (text::decision(step.opinion), colors.reject),
            };
            ui.label(RichText::new(label).color(label_color));
            ui.end_row();
        }
    });
    is_pressed
}
