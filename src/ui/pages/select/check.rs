//! Step 2: what is found in the saved selection before it leaves.

use super::choose::Preview;
use super::{SCORING, captures_by};
use crate::app::models::{ExportCheck, changed_rejections, quoted};
use crate::app::{AppState, Command, JobKind, REJECTED_BEFORE, Route};
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{StepState, fold_ui, hair, is_settled, step_title_ui, unfold, write_ui};
use egui::accesskit::Role;
use egui::{Align, Label, Layout, Link, RichText, Sense, Stroke, Ui, UiBuilder, WidgetInfo, vec2};

/// The folded list of resources that nobody captured.
const MISSING: &str = "missing resources";
/// Hosts that a filter names.
const MOST_HOSTS: usize = 20;

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Nothing is exported before a person decided.
    Blocks,
    /// A person should look at it.
    Warns,
    /// All is well.
    Fine,
}

/// A line of the check.
pub(super) struct CheckFinding {
    weight: Weight,
    what: String,
    about: String,
    /// Label and effect of its link.
    act: Option<(&'static str, FindingAct)>,
}

/// The effect of the link of a finding.
enum FindingAct {
    Captures(String),
    Send(Box<Command>),
    Unfold,
}

impl CheckFinding {
    /// Whether a person has something to do about it.
    pub(super) fn needs_person(&self) -> bool {
        self.weight != Weight::Fine
    }
}

/// What is found, the heaviest first; `is_saved` where the draft is what is saved.
pub(super) fn findings(
    app: &mut AppState,
    preview: &Preview<'_>,
    is_saved: bool,
    check: Option<&ExportCheck>,
) -> Vec<CheckFinding> {
    let page = preview.page;
    let mut found = Vec::new();
    let mut add = |weight, what: String, about: String, act| found.push(CheckFinding { weight, what, about, act });
    let captures = |label, filter: &str| Some((label, FindingAct::Captures(filter.to_owned())));
    let send = |label, command| Some((label, FindingAct::Send(Box::new(command))));
    let Some(spec) = &page.spec else {
        add(Weight::Warns, "No selection saved yet".to_owned(), "It is checked once it is saved".to_owned(), None);
        return found;
    };
    if !is_saved {
        let about = "The check is of the saved selection".to_owned();
        add(Weight::Warns, "The preview is not saved".to_owned(), about, None);
    }
    if let Some(check) = check.filter(|check| !check.refused.is_empty()) {
        let hosts = check.refused.len();
        let weight = if check.obeys_refusals { Weight::Blocks } else { Weight::Warns };
        let what = format!("Permission refused for {}", text::counted(hosts as u64, "site"));
        let more = if hosts > 1 { format!(" and {} more", hosts - 1) } else { String::new() };
        let first = check.refused.first().map_or("", |host| &host.host);
        let about = format!("{first}{more}, {}", text::counted(check.refused_captures(), "capture"));
        let of: Vec<String> =
            check.refused.iter().take(MOST_HOSTS).map(|host| format!("host={}", quoted(&host.host))).collect();
        add(weight, what, about, captures("Decide", &format!("export:yes ({})", of.join(" OR "))));
    }
    let rejected = app.reads.rejected_before(preview.campaign).shown().map(|urls| **urls).unwrap_or_default();
    if rejected > 0 {
        let about = "In no selection until a person approves them".to_owned();
        let route = Route::Review { filter: REJECTED_BEFORE.to_owned() };
        add(Weight::Warns, changed_rejections(rejected), about, send("Compare", Command::Go(route)));
    }
    if let Some(check) = check {
        if check.missing > 0 {
            let what = format!("{} never captured", text::counted_verb(check.missing, "page resource", "was"));
            let about = "Selected pages need them".to_owned();
            add(Weight::Warns, what, about, Some(("Show", FindingAct::Unfold)));
        }
        if check.lacking > 0 {
            let what = format!("{} what a person rejected", text::counted_verb(check.lacking, "page", "lacks"));
            add(Weight::Warns, what, String::new(), captures("Show", "vetoed:yes"));
        }
    }
    let unmeasured = page.scores.unmeasured();
    if unmeasured > 0 {
        let what = format!("{} not scored yet", text::counted_verb(unmeasured, "capture", "was"));
        add(Weight::Warns, what, "They came since".to_owned(), send("Score", Command::Select(spec.clone())));
    }
    for missing in &page.missing {
        let is_unbuilt = missing.starts_with("Inlinks are not built");
        let (label, command) = match is_unbuilt {
            true => ("Build", Command::BuildInlinks),
            false => ("Score", Command::Select(spec.clone())),
        };
        add(Weight::Warns, missing.clone(), String::new(), send(label, command));
    }
    if page.missing.is_empty() && unmeasured == 0 {
        add(Weight::Fine, "Inlinks and scores are up to date".to_owned(), String::new(), None);
    }
    if check.is_some_and(|check| check.refused.is_empty()) {
        add(Weight::Fine, "No permission is refused".to_owned(), String::new(), None);
    }
    let embedded = format!("{} included", text::counted(page.requisites, "embedded resource"));
    let act = if page.requisites > 0 { captures("Show", "requisite:yes") } else { None };
    add(Weight::Fine, embedded, String::new(), act);
    let overrides = page.balance.overrides;
    if overrides > 0 {
        let what = text::counted_verb(overrides, "decision", "differs") + " from the score";
        add(Weight::Fine, what, String::new(), captures("Show", "byhand:yes"));
    }
    found.sort_by_key(|finding| finding.weight as u8);
    found
}

/// The second step.
#[derive(Default)]
pub(super) struct CheckStep {}

impl CheckStep {
    /// Draws the step; `state` where the others stand beside it.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        findings: &[CheckFinding],
        check: Option<&ExportCheck>,
        state: Option<StepState>,
    ) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let summary = |ui: &mut Ui| summary_ui(ui, findings, check.is_none());
        match state {
            Some(state) => step_title_ui(ui, 2, "Check", state, summary),
            None => drop(ui.horizontal(summary)),
        }
        for finding in findings {
            finding_ui(ui, app, finding);
            if matches!(finding.act, Some((_, FindingAct::Unfold)))
                && let Some(check) = check
                && fold_ui(ui, MISSING, "Most needed", "")
            {
                missing_ui(ui, app, check);
            }
        }
    }
}

fn summary_ui(ui: &mut Ui, findings: &[CheckFinding], is_checking: bool) {
    let colors = tokens(ui);
    let count = |weight| findings.iter().filter(|finding| finding.weight == weight).count() as u64;
    let (blocks, warns) = (count(Weight::Blocks), count(Weight::Warns));
    let (label, color) = match (is_checking, blocks, warns) {
        (true, ..) => ("checking…".to_owned(), colors.weak_text),
        (_, 0, 0) => ("nothing to decide".to_owned(), colors.accept),
        (_, 0, warns) => (text::counted(warns, "warning"), colors.flag),
        (_, blocks, 0) => (format!("{blocks} to decide"), colors.flag),
        (_, blocks, warns) => (format!("{blocks} to decide, {}", text::counted(warns, "warning")), colors.flag),
    };
    ui.label(RichText::new(label).color(color));
}

fn finding_ui(ui: &mut Ui, app: &mut AppState, finding: &CheckFinding) {
    let colors = tokens(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::SIDE_ROW), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.bottom() - hair(ui) / 2.0, Stroke::new(hair(ui), colors.hairline));
    let builder = UiBuilder::new().id_salt(finding.what.as_str()).max_rect(rect);
    let mut line = ui.new_child(builder.layout(Layout::right_to_left(Align::Center)));
    if let Some((label, act)) = &finding.act {
        let name = format!("{label}: {}", finding.what);
        let link = Link::new(RichText::new(*label).color(colors.accent));
        let (writes, scores) = match act {
            FindingAct::Send(command) => (command.writes(), matches!(**command, Command::Select(_))),
            FindingAct::Captures(_) | FindingAct::Unfold => (false, false),
        };
        let why_not = (scores && app.runs(JobKind::Select)).then_some(SCORING);
        let response = if writes { write_ui(&mut line, why_not, link) } else { line.add(link) };
        let enabled = response.enabled();
        response.widget_info(|| WidgetInfo::labeled(Role::Link, enabled, &name));
        if is_settled(&line, &response, &name, app.route().page()) && response.clicked() {
            match act {
                FindingAct::Captures(filter) => captures_by(app, filter.clone()),
                FindingAct::Send(command) => app.send((**command).clone()),
                FindingAct::Unfold => unfold(&line, MISSING),
            }
        }
    }
    line.with_layout(Layout::left_to_right(Align::Center), |ui| {
        let (icon, color) = match finding.weight {
            Weight::Blocks => (Icon::Error, colors.reject),
            Weight::Warns => (Icon::Warning, colors.flag),
            Weight::Fine => (Icon::Check, colors.accept),
        };
        icon_ui(ui, icon, theme::SMALL_ICON, color);
        let what = Label::new(text::grouped(&text::line(&finding.what))).truncate();
        if finding.about.is_empty() {
            ui.add(what);
            return;
        }
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.add_space(2.0);
            ui.add(what);
            let about = theme::caption(text::grouped(&text::line(&finding.about))).color(colors.weak_text);
            ui.add(Label::new(about).truncate());
        });
    });
}

/// Draws the resources that most selected pages need and nobody captured.
fn missing_ui(ui: &mut Ui, app: &mut AppState, check: &ExportCheck) {
    for (url, pages) in &check.most_missing {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let pages = theme::caption(text::counted(*pages, "page")).color(tokens(ui).weak_text);
                ui.label(pages);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
                    if ui.link(text::line(url)).on_hover_text("Show the pages that need it").clicked() {
                        app.send(Command::Go(Route::Links { target: url.clone() }));
                    }
                });
            });
        });
    }
    let further = check.missing.saturating_sub(check.most_missing.len() as u64);
    if further > 0 {
        ui.weak(format!("{} more are listed in the report of an export", text::count(further)));
    }
}
