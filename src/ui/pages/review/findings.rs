//! What checks found on a page, with its evidence, and what a person says of each finding.

use super::precision_of;
use crate::analysis::checks::FindingState;
use crate::app::models::{CaptureDetail, CaptureId, KeptFinding};
use crate::app::{AppState, Command, ReviewAct, Route};
use crate::ui::icons::Icon;
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{heading_ui, read_only};
use egui::{Key, Modifiers, RichText, ScrollArea, Sense, Ui, Vec2};

/// Items of evidence that are listed of a finding.
const MOST_ITEMS: usize = 12;

/// The findings of the page that is shown; one of them is the current one.
#[derive(Default)]
pub(super) struct FindingList {
    at: usize,
    of: Option<CaptureId>,
}

impl FindingList {
    /// Draws the findings as a column: the worst first.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        self.keep_to(id);
        let answer = app.reads.findings(id);
        let detail = app.reads.detail(id, app.settings.window_days);
        let Some((findings, loss)) = answer.shown().map(|shown| (&shown.0, shown.1)) else { return };
        ScrollArea::vertical().id_salt("findings").auto_shrink([false, false]).show(ui, |ui| {
            ui.horizontal(|ui| {
                heading_ui(ui, "Findings");
                let summary = match loss {
                    None => "not checked yet".to_owned(),
                    Some(loss) => format!("severity {:.2}", loss.loss),
                };
                ui.label(RichText::new(summary).color(tokens(ui).weak_text));
            });
            match (findings.is_empty(), loss) {
                (true, None) => drop(ui.weak("No check has seen this capture: Run checks, at the top")),
                // What no check noticed is not known to be good.
                (true, Some(_)) => drop(ui.weak("No check found anything; that does not mean that all is well")),
                _ => {}
            }
            for (at, finding) in findings.iter().enumerate() {
                self.finding_ui(ui, app, id, (at, finding));
            }
            if let Some(detail) = detail.shown().filter(|detail| detail.row.id == id) {
                evidence_ui(ui, app, detail);
            }
        });
    }

    /// Draws the same in few lines, where it has no column.
    pub(super) fn lines_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        self.keep_to(id);
        let answer = app.reads.findings(id);
        let Some(shown) = answer.shown() else { return };
        ui.horizontal_wrapped(|ui| {
            for finding in shown.0.iter().filter(|finding| !finding.false_alarm) {
                sign_ui(ui, finding);
                let color = color_of(ui, finding);
                let label = format!("{}: {}", finding.label(), text::line(finding.text()));
                ui.label(RichText::new(label).color(color));
                ui.add_space(GAP);
            }
        });
    }

    fn keep_to(&mut self, id: CaptureId) {
        if self.of.replace(id) != Some(id) {
            self.at = 0;
        }
    }

    fn finding_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId, (at, finding): (usize, &KeptFinding)) {
        let colors = tokens(ui);
        let is_current = self.at == at;
        ui.add_space(theme::TIGHT_GAP);
        ui.horizontal_wrapped(|ui| {
            sign_ui(ui, finding);
            let title = theme::strong(text::line(finding.label()), theme::BODY_TEXT);
            let title = if is_current { title.underline() } else { title };
            let color = if finding.false_alarm { colors.weak_text } else { colors.strong_text };
            ui.label(title.color(color)).on_hover_text(format!("severity {:.2}", finding.severity));
            if let Some(precision) = precision_of(app, &finding.check) {
                ui.label(RichText::new(precision.label()).size(theme::CAPTION_TEXT).color(colors.weak_text));
            }
        });
        ui.label(RichText::new(text::line(finding.text())).color(colors.text));
        for line in items_of(&finding.evidence) {
            ui.label(RichText::new(text::short(&line, 200)).size(theme::SMALL_TEXT).color(colors.weak_text));
        }
        if finding.state == FindingState::NotApplicable {
            return;
        }
        ui.horizontal(|ui| {
            if finding.false_alarm {
                ui.label(RichText::new("marked as a false alarm").color(colors.weak_text));
            }
            if read_only(ui).is_some() {
                return;
            }
            for (label, hint, is_right) in [
                ("Confirm", "The finding is right (C)", true),
                ("False alarm", "Hidden until the page changes (X)", false),
            ] {
                if (is_right || !finding.false_alarm) && ui.link(label).on_hover_text(hint).clicked() {
                    mark_finding(app, id, &finding.check, is_right);
                }
            }
        });
    }

    /// `E` goes to the next finding, `C` confirms the current one, `X` calls it a false alarm.
    pub(super) fn keys(&mut self, ui: &Ui, app: &mut AppState, id: Option<CaptureId>) {
        let Some(id) = id else { return };
        let answer = app.reads.findings(id);
        let Some(shown) = answer.ready() else { return };
        let findings: &[KeptFinding] = &shown.0;
        let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::E) && !findings.is_empty() {
            self.at = (self.at + 1) % findings.len();
        }
        for (key, is_right) in [(Key::C, true), (Key::X, false)] {
            if pressed(key)
                && let Some(finding) = findings.get(self.at)
                && finding.state != FindingState::NotApplicable
            {
                mark_finding(app, id, &finding.check, is_right);
                self.at = (self.at + 1).min(findings.len().saturating_sub(1));
            }
        }
    }
}

fn mark_finding(app: &mut AppState, id: CaptureId, check: &str, is_right: bool) {
    app.send(Command::Review(ReviewAct::MarkFinding { captures: vec![id], check: check.to_owned(), is_right }));
}

fn color_of(ui: &Ui, finding: &KeptFinding) -> egui::Color32 {
    let colors = tokens(ui);
    match finding.state {
        _ if finding.false_alarm => colors.weak_text,
        FindingState::Problem => colors.reject,
        FindingState::Odd => colors.flag,
        FindingState::NotApplicable => colors.weak_text,
    }
}

/// The sign of a finding, with its state for who listens.
fn sign_ui(ui: &mut Ui, finding: &KeptFinding) {
    let (square, response) = ui.allocate_exact_size(Vec2::splat(theme::ICON), Sense::hover());
    let icon = match finding.state {
        FindingState::Problem => Icon::Close,
        FindingState::Odd => Icon::Warning,
        FindingState::NotApplicable => Icon::Minus,
    };
    icon.paint(ui.painter(), square, color_of(ui, finding));
    crate::ui::widgets::name_sign(&response, finding.state.label());
}

/// The parts of a finding's evidence besides its sentence, a line each.
fn items_of(evidence: &serde_json::Value) -> Vec<String> {
    use serde_json::Value;
    let shown = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(of) => {
            let parts = of.iter().filter_map(|(_, value)| match value {
                Value::String(text) if !text.is_empty() => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            });
            Some(parts.collect::<Vec<_>>().join(", "))
        }
        _ => None,
    };
    let Some(of) = evidence.as_object() else { return Vec::new() };
    let mut lines = Vec::new();
    for (name, value) in of.iter().filter(|(name, _)| *name != "text") {
        match value {
            Value::Array(items) => {
                lines.extend((1..).zip(items.iter().filter_map(shown)).map(|(nth, item)| format!("{nth}  {item}")));
            }
            value => lines.extend(shown(value).map(|value| format!("{}: {value}", name.replace('_', " ")))),
        }
    }
    let more = lines.len().saturating_sub(MOST_ITEMS);
    lines.truncate(MOST_ITEMS);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// What a person weighs a page by besides the findings: who links to it, how it came, what it was before.
fn evidence_ui(ui: &mut Ui, app: &mut AppState, detail: &CaptureDetail) {
    let row = &detail.row;
    ui.add_space(GROUP_GAP);
    heading_ui(ui, "Evidence");
    egui::Grid::new("evidence").num_columns(2).show(ui, |ui| {
        let line = |ui: &mut Ui, label: &str, draw: &mut dyn FnMut(&mut Ui)| {
            ui.label(RichText::new(label).color(tokens(ui).weak_text));
            draw(ui);
            ui.end_row();
        };
        line(ui, "Status", &mut |ui| drop(ui.label(row.status.to_string())));
        if let Some(external) = row.inlinks_external {
            line(ui, "Cited by", &mut |ui| {
                let label = format!("{} on other hosts", text::counted(external, "page"));
                if external == 0 {
                    ui.weak("no page on other hosts");
                } else if ui.link(label).clicked() {
                    app.send(Command::Go(Route::Links { target: row.url.clone() }));
                }
            });
        }
        if !row.top_anchor.is_empty() {
            let anchor = text::short(&row.top_anchor, 60);
            line(ui, "Anchor", &mut |ui| drop(ui.add(egui::Label::new(anchor.as_str()).truncate())));
        }
        if !row.hops.is_empty() {
            let explained = text::hops_explained(&row.hops);
            let (steps, letters) = explained.split_once('\n').unwrap_or((&explained, ""));
            line(ui, "Path", &mut |ui| drop(ui.label(steps).on_hover_text(letters)));
        }
        let rule = row.rule_or_claim();
        if !rule.is_empty() {
            line(ui, "Accepted by", &mut |ui| drop(ui.add(egui::Label::new(text::line(&rule)).truncate())));
        }
        let earlier = detail.versions.iter().filter(|version| version.date < row.date).count();
        line(ui, "Earlier", &mut |ui| drop(ui.label(text::counted(earlier as u64, "capture"))));
    });
}
