//! Score, threshold, export, verify.

pub(super) mod dry_run;
pub(super) mod hosts;
pub(super) mod named;
pub(super) mod score;

use super::select::dry_run::{dry_run_ui, open_report, parts_ui, report_ui, reports};
use super::select::named::{NamedFields, chosen_collections_ui};
use super::select::score::{borderline_ui, histogram_ui};
use crate::app::models::{
    Balance, CampaignId, CheckState, ExportRow, Loaded, ScoreWeights, SelectionPage, SelectionSide, SelectionSpec,
    VerifyLine, changed_rejections,
};
use crate::app::{Action, AppState, ByIdentity, Command, JobKind, Route, SelectLead, SelectionAct, TriedSelection};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{
    action_ui, count_link_ui, empty_ui, field_ui, figure_ui, heading_ui, is_typing, loaded_ui, write_ui,
};
use egui::{Button, Color32, Key, Label, Modifiers, RichText, ScrollArea, Slider, Ui};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Step of a bracket key on the threshold.
const STEP: f64 = 0.01;
/// The hint of a number of captures.
const SHOW: &str = "Show these captures";
/// Why no selection is made just now.
const SCORING: &str = "Scores are being computed";
/// Height of the list of exports.
const EXPORTS: f32 = 150.0;

/// The page Select & export.
#[derive(Default)]
pub struct SelectPage {
    campaign: Option<CampaignId>,
    named: NamedFields,
}

impl SelectPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let Some(campaign) = app.campaign() else {
            Header::<()>::new("Select & export").ui(ui, app);
            empty_ui(ui, "No campaign selected", "A selection belongs to a campaign; select one at the left");
            action_ui(ui, app, Action::NewCampaign);
            return;
        };
        let answer = app.reads.selection(campaign);
        if self.campaign != Some(campaign)
            && let Loaded::Ready(page) = &answer
        {
            self.campaign = Some(campaign);
            let kept = page.spec.clone().unwrap_or_default();
            app.open.selection_draft = SelectionSpec { campaign, window_days: app.settings.window_days, ..kept };
        }
        if self.campaign == Some(campaign) {
            match app.take_select_lead() {
                Some(SelectLead::Filter(filter)) => {
                    app.open.selection_draft =
                        SelectionSpec { filter, collections: Vec::new(), ..app.open.selection_draft.clone() };
                    app.send(Command::Select(app.open.selection_draft.clone()));
                }
                Some(SelectLead::Rule(filter)) => self.named.propose(filter),
                None => {}
            }
        }
        if let Loaded::Ready(page) = &answer {
            app.note_kept_selection(campaign, page.spec.as_ref());
        }
        if !is_typing(ui) && app.dialog().is_none() {
            for (key, by) in [(Key::OpenBracket, -STEP), (Key::CloseBracket, STEP)] {
                // Held down, a key comes more than once with a slow frame.
                let times = ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
                let to = app.open.selection_draft.threshold + by * times as f64;
                if times > 0 {
                    app.open.selection_draft.threshold = to.clamp(0.0, 1.0);
                }
            }
        }
        header_ui(ui, app, campaign, answer.shown().map(Arc::as_ref));
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            loaded_ui(ui, &answer, |ui, page| self.page_ui(ui, app, campaign, page));
        });
    }

    fn page_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: CampaignId, page: &SelectionPage) {
        if page.spec.is_none() {
            empty_ui(ui, "No selection yet", "Set the weights, then score and select; or select by a filter");
        }
        // The heading above has it already when nothing was scored.
        for missing in page.missing.iter().filter(|_| page.spec.is_some()) {
            ui.colored_label(tokens(ui).flag, format!("⚠ {}", text::line(missing)));
        }
        if !page.missing.is_empty() {
            ui.horizontal(|ui| {
                action_ui(ui, app, Action::BuildInlinks);
                if ui.button("Edit request").clicked() {
                    app.send(Command::Go(Route::Spec(Some(campaign))));
                }
            });
        }
        let answer = try_draft(app, campaign, page);
        let tried = answer.shown().filter(|tried| tried.draft.campaign == campaign).cloned();
        // The answer may be that to an earlier draft: its figures go with its own links.
        let draft = tried.as_ref().map(|tried| &tried.draft).or(page.spec.as_ref());
        let sides = BalanceFilters::of(page.spec.as_ref(), draft);
        // What a filter or collection finds is not known at once: the kept selection stays on screen.
        let balance = tried.as_ref().and_then(|tried| tried.balance.as_ref()).filter(|_| !sides.is_kept);
        let balance = balance.unwrap_or(&page.balance);
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| weights_ui(ui, app, campaign, page));
            ui.add_space(GROUP_GAP);
            ui.vertical(|ui| {
                if let Some(threshold) = histogram_ui(ui, balance, app.open.selection_draft.threshold) {
                    app.open.selection_draft.threshold = threshold;
                }
                balance_ui(ui, app, campaign, page, (balance, &sides));
                offer_ui(ui, app, campaign, page);
            });
        });
        ui.add_space(GAP);
        export_ui(ui, app, campaign, page);
        heading_ui(ui, "Captures nearest to the threshold");
        let nearest = match (&tried, answer) {
            (Some(tried), _) => {
                let draft = serde_json::to_string(&tried.draft).unwrap_or_default();
                app.reads.scored_under(draft, tried.nearest.clone())
            }
            (None, Loaded::Failed(notice)) => Loaded::Failed(notice),
            (None, _) => Loaded::Loading { last: None },
        };
        loaded_ui(ui, &nearest, |ui, rows| borderline_ui(ui, app, rows));
        // Before that is there, what is below it lies elsewhere.
        let is_whole = nearest.ready().is_some() && app.reads.collections().ready().is_some();
        self.named.saved_ui(ui, app, campaign, page);
        self.named.collections_ui(ui, app, campaign, is_whole);
    }
}

/// The result of the draft. Weights and thresholds are tried on scores that
/// are in memory: nothing is read again.
fn try_draft(app: &mut AppState, campaign: CampaignId, page: &SelectionPage) -> Loaded<Arc<TriedSelection>> {
    let draft = SelectionSpec { campaign, ..app.open.selection_draft.clone() };
    let criteria = match draft.is_by_score() {
        true => None,
        false => {
            let answer = app.reads.selection_criteria(campaign, draft.filter.clone(), draft.collections.clone());
            answer.shown().map(ByIdentity::of)
        }
    };
    let draft = serde_json::to_string(&draft).unwrap_or_default();
    app.reads.tried_selection(draft, ByIdentity::of(&page.scores), criteria)
}

/// Whether two selections put every capture on the same side: what an export
/// holds besides changes nothing of that.
fn has_same_sides(a: &SelectionSpec, b: &SelectionSpec) -> bool {
    let sides = |spec: &SelectionSpec| {
        (spec.weights, spec.threshold, spec.filter.trim().to_owned(), spec.window_days, spec.collections.clone())
    };
    sides(a) == sides(b)
}

/// Whether the draft is not what is saved. What an export holds changes no score.
fn is_changed(app: &AppState, campaign: CampaignId, page: &SelectionPage) -> bool {
    let draft = SelectionSpec { campaign, ..app.open.selection_draft.clone() };
    page.spec.as_ref().is_none_or(|spec| spec.clone().with_parts_of(&draft) != draft)
}

/// Draws the header: a draft is scored and saved first, what is saved is exported.
fn header_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, page: Option<&SelectionPage>) {
    let draft = SelectionSpec { campaign, ..app.open.selection_draft.clone() };
    let why_not = app.runs(JobKind::Select).then_some(SCORING);
    let select = HeaderButton::send("Score and select", Command::Select(draft)).off(why_not);
    let export = HeaderButton::action(Action::Export);
    let header = Header::<()>::new("Select & export");
    let header = match page {
        Some(page) if page.spec.is_some() && !is_changed(app, campaign, page) => {
            let inside = text::counted(page.balance.inside.captures, "capture");
            header.state(format!("{inside} selected")).plain(select).primary(export)
        }
        Some(page) if page.spec.is_some() => header.flag("Preview, not saved").plain(export).primary(select),
        _ => header.state("Nothing selected yet").plain(export).primary(select),
    };
    header.more(HeaderButton::action(Action::DryRun)).more(HeaderButton::action(Action::Verify)).ui(ui, app);
}

fn weights_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, page: &SelectionPage) {
    heading_ui(ui, "Weights");
    let weights = &mut app.open.selection_draft.weights;
    egui::Grid::new("weights").num_columns(2).show(ui, |ui| {
        for (part, value) in weights.iter_mut() {
            let label = ui.label(part.name).on_hover_text(part.about);
            ui.label_inputs_by(label.id, |ui| ui.add(Slider::new(value, 0.0..=1.0).fixed_decimals(2)));
            ui.end_row();
        }
        let label = ui.label("Threshold").on_hover_text("Keys [ and ]");
        ui.label_inputs_by(label.id, |ui| {
            ui.add(Slider::new(&mut app.open.selection_draft.threshold, 0.0..=1.0).fixed_decimals(2))
        });
        ui.end_row();
    });
    ui.checkbox(&mut app.open.selection_draft.with_requisites, "Include embedded resources of selected pages");
    ui.horizontal(|ui| {
        field_ui(ui, "Filter instead of score", &mut app.open.selection_draft.filter, "empty: by score", theme::FIELD);
    });
    chosen_collections_ui(ui, app);
    let changed = is_changed(app, campaign, page);
    if ui.button("Default weights").clicked() {
        app.open.selection_draft.weights = ScoreWeights::default();
    }
    // A line of its own, always there: nothing moves while a slider is drawn.
    if page.spec.is_some() {
        match changed {
            true => ui.colored_label(tokens(ui).flag, "⚠ Preview, not saved"),
            false => ui.weak("As saved"),
        };
    }
    let unmeasured = page.scores.unmeasured();
    if unmeasured > 0 && page.spec.is_some() {
        let unmeasured = text::counted_verb(unmeasured, "capture", "was");
        ui.colored_label(tokens(ui).flag, format!("⚠ {unmeasured} not scored yet"));
    }
}

fn balance_ui(
    ui: &mut Ui,
    app: &mut AppState,
    campaign: CampaignId,
    page: &SelectionPage,
    (balance, sides): (&Balance, &BalanceFilters),
) {
    egui::Grid::new("balance").num_columns(4).show(ui, |ui| {
        for head in ["", "Captures", "Hosts", "Bytes"] {
            ui.weak(head);
        }
        ui.end_row();
        ui.colored_label(tokens(ui).accept, "✔ In");
        side_ui(ui, app, true, balance.inside, sides);
        ui.colored_label(tokens(ui).reject, "✖ Out");
        side_ui(ui, app, false, balance.outside, sides);
    });
    if page.spec.is_some() {
        ui.horizontal_wrapped(|ui| {
            if sides.is_kept {
                ui.weak("The same as the saved selection");
                return;
            }
            for (sign, number, filter) in [("+", balance.added, &sides.added), ("−", balance.removed, &sides.removed)]
            {
                let label = format!("{sign}{}", text::count(number));
                match filter.as_ref().filter(|_| number > 0) {
                    Some(filter) if ui.link(label.as_str()).on_hover_text(SHOW).clicked() => {
                        captures_by(app, filter.clone());
                    }
                    Some(_) => {}
                    None => drop(ui.label(label)),
                }
            }
            ui.label("compared with the saved selection");
        });
    }
    ui.horizontal_wrapped(|ui| {
        let embedded = text::counted(page.requisites, "embedded resource");
        let overrides = text::counted_verb(page.balance.overrides, "decision", "differs") + " from the score";
        let vetoed = app.reads.vetoed(campaign).shown().map(|vetoed| **vetoed).unwrap_or_default();
        // What comes along is looked for when a selection is kept.
        let of_kept = if page.spec.is_some() && !sides.is_kept { " (saved selection)" } else { "" };
        for (number, label, filter) in [
            (page.requisites, format!("{embedded} included{of_kept}"), "requisite:yes"),
            (vetoed, format!("{}{of_kept}", text::counted(vetoed, "page resource") + " rejected"), "vetoed:yes"),
            (balance.included, format!("{} approved", text::count(balance.included)), "mark:approve"),
            (balance.excluded, format!("{} rejected", text::count(balance.excluded)), "mark:reject"),
            (page.balance.overrides, overrides, "byhand:yes"),
        ] {
            if number == 0 {
                ui.add(Label::new(label).extend());
            } else if ui.link(label).on_hover_text(SHOW).clicked() {
                captures_by(app, filter.to_owned());
            }
        }
    });
}

/// Draws the changes since the selection was kept, which a person applies; and the step back.
fn offer_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, page: &SelectionPage) {
    let urls = app.reads.rejected_before(campaign).shown().map(|urls| **urls).unwrap_or_default();
    if urls > 0 {
        let label = format!("⚠ {}", changed_rejections(urls));
        let link = ui.link(RichText::new(label).color(tokens(ui).flag));
        if link.on_hover_text("Their new versions are out until a person approves them. Show them").clicked() {
            captures_by(app, "rejected_before:yes".to_owned());
        }
    }
    let Some(spec) = &page.spec else { return };
    let answer = app.reads.selection_offer(campaign);
    let Some((offer, can_undo)) = answer.shown().map(|answer| (answer.0.clone(), answer.1)) else { return };
    let why_not = app.runs(JobKind::Select).then_some(SCORING);
    ui.horizontal_wrapped(|ui| {
        if let Some(offer) = offer.filter(|offer| offer.problem.is_none() && offer.added + offer.removed > 0) {
            for (sign, number, filter) in
                [("+", offer.added, &offer.added_filter), ("−", offer.removed, &offer.removed_filter)]
            {
                let label = format!("{sign}{}", text::count(number));
                if number == 0 {
                    ui.label(label);
                } else if ui.link(label).on_hover_text(SHOW).clicked() {
                    captures_by(app, filter.clone());
                }
            }
            ui.label(format!("since the selection of {}", offer.date.to_readable()));
            let again = write_ui(ui, why_not, Button::new("Apply these changes"));
            if again.on_hover_text("Makes the saved selection again with what came since").clicked() {
                app.send(Command::Select(spec.clone()));
            }
        }
        if can_undo {
            let undo = write_ui(ui, why_not, Button::new("Undo selection"));
            if undo.on_hover_text("Puts the selection back that this one took the place of").clicked() {
                app.send(Command::Selections(SelectionAct::Undo(campaign)));
            }
        }
    });
}

/// Filters that list what a balance counts; none where scores under other
/// weights, or a filter, would have to be kept first.
struct BalanceFilters {
    is_kept: bool,
    inside: Option<String>,
    outside: Option<String>,
    added: Option<String>,
    removed: Option<String>,
}

impl BalanceFilters {
    /// The comparison of a kept selection with one that is tried.
    fn of(kept: Option<&SelectionSpec>, tried: Option<&SelectionSpec>) -> Self {
        let is_kept = kept.zip(tried).is_some_and(|(kept, tried)| has_same_sides(kept, tried));
        if is_kept {
            let side = |selected: &str| Some(format!("selected:{selected}"));
            return Self { is_kept, inside: side("yes"), outside: side("no"), added: None, removed: None };
        }
        let Some((_, tried)) = kept
            .zip(tried)
            .filter(|(kept, tried)| kept.is_by_score() && tried.is_by_score() && kept.weights == tried.weights)
        else {
            return Self { is_kept, inside: None, outside: None, added: None, removed: None };
        };
        let at = tried.threshold;
        Self {
            is_kept,
            inside: Some(format!("(score>={at} -rejected_before:yes OR mark:approve) -mark:reject")),
            outside: Some(format!("score>=0 (score<{at} OR mark:reject OR rejected_before:yes) -mark:approve")),
            added: Some(format!("selected:no score>={at} -mark:reject -rejected_before:yes")),
            removed: Some(format!("selected:yes score<{at} -mark:approve")),
        }
    }
}

/// The figures of what is selected, or scored and not selected.
fn side_ui(ui: &mut Ui, app: &mut AppState, selected: bool, side: SelectionSide, filters: &BalanceFilters) {
    let filter = if selected { &filters.inside } else { &filters.outside };
    let Some(filter) = filter else {
        for figure in [text::count(side.captures), text::count(side.hosts), text::bytes(side.bytes)] {
            ui.label(figure).on_hover_text("Listed once this selection is kept");
        }
        ui.end_row();
        return;
    };
    if count_link_ui(ui, side.captures, SHOW) {
        captures_by(app, filter.clone());
    }
    match filters.is_kept {
        true if count_link_ui(ui, side.hosts, "Show these hosts") => {
            app.send(Command::Go(Route::SelectedHosts(selected)));
        }
        true => {}
        false => drop(ui.label(text::count(side.hosts)).on_hover_text("Listed once this selection is kept")),
    }
    if ui.link(text::bytes(side.bytes)).on_hover_text(SHOW).clicked() {
        captures_by(app, filter.clone());
    }
    ui.end_row();
}

/// Goes to the captures on one side of the selection.
pub(super) fn captures_of_side(app: &mut AppState, selected: bool, further: &str) {
    captures_by(app, format!("selected:{}{further}", if selected { "yes" } else { "no" }));
}

pub(super) fn captures_by(app: &mut AppState, filter: String) {
    app.send(Command::GoToAll(Route::Captures { filter }));
}

fn export_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, page: &SelectionPage) {
    theme::card_frame(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        heading_ui(ui, "Export");
        ui.horizontal_wrapped(|ui| {
            let bytes = text::bytes(page.balance.inside.bytes + page.requisite_bytes);
            let captures = page.balance.inside.captures + page.requisites;
            for (value, label) in [
                (text::count(captures), crate::jobs::noun(captures, "capture") + " to write"),
                (bytes, "of payload".to_owned()),
            ] {
                if figure_ui(ui, &value, &label, Some(SHOW)) {
                    captures_by(app, "export:yes".to_owned());
                }
            }
        });
        if let Some(spec) = &page.spec {
            ui.weak(format!("The selection as it was kept: {}", text::line(&spec.criterion())));
        }
        ui.horizontal_wrapped(|ui| {
            field_ui(ui, "Folder", &mut app.open.export_folder, "new or empty", theme::LONG_FIELD);
            action_ui(ui, app, Action::DryRun);
            action_ui(ui, app, Action::Verify);
            let folder = app.last_export().map(Path::to_owned);
            report_ui(ui, app, folder.as_deref());
        });
        parts_ui(ui, app);
        sign_with_ui(ui, app);
        dry_run_ui(ui, app, campaign);
        if let Some((folder, lines)) = &app.verified() {
            verified_ui(ui, &folder.display().to_string(), lines);
        }
        exports_ui(ui, app, &page.exports);
    });
}

fn verified_ui(ui: &mut Ui, folder: &str, lines: &[VerifyLine]) {
    let (state, summary) = CheckState::of(lines);
    let (sign, color) = state_mark(ui, state);
    let about = if state == CheckState::Passed { "Verified: " } else { "" };
    ui.colored_label(color, format!("{sign} {about}{summary}"));
    ui.weak(text::line(folder));
    egui::Grid::new("verified").num_columns(3).show(ui, |ui| {
        for line in lines {
            let (sign, color) = state_mark(ui, line.state());
            let label = match line.state() {
                CheckState::Passed => "passed",
                CheckState::Unvouched => "nobody vouches",
                CheckState::Failed => "failed",
            };
            ui.colored_label(color, format!("{sign} {label}"));
            ui.label(text::line(&line.what));
            // What is wrong, or a key, may be long: the card stays as wide as the page.
            ui.vertical(|ui| {
                ui.set_max_width(theme::LONG_FIELD);
                ui.add(Label::new(text::line(&line.detail)).wrap());
            });
            ui.end_row();
        }
    });
}

/// The sign and colour of a check: a signature that nobody vouches for is
/// neither good nor bad.
fn state_mark(ui: &Ui, state: CheckState) -> (&'static str, Color32) {
    match state {
        CheckState::Passed => ("✔", tokens(ui).accept),
        CheckState::Unvouched => ("⚠", tokens(ui).flag),
        CheckState::Failed => ("✖", tokens(ui).reject),
    }
}

fn exports_ui(ui: &mut Ui, app: &mut AppState, rows: &[ExportRow]) {
    if rows.is_empty() {
        ui.weak("No exports yet");
        return;
    }
    type Col<'a> = Column<'a, ExportRow, ExportAction>;
    let columns = [
        Col::date("written", "Written (UTC)", 150.0, |row| row.date),
        Col::count("captures", "Captures", 76.0, |row| row.captures),
        Col::count("records", "Records", 76.0, |row| row.records),
        Col::bytes("bytes", "Size", 76.0, |row| row.bytes),
        Col::made("verified", "Verified", 190.0, |row| verified(row).0).draw_with_action(|ui, row| {
            let (label, state) = verified(row);
            let Some(lines) = &row.verified else {
                ui.weak(label);
                return None;
            };
            let text = RichText::new(label).color(state_mark(ui, state).1);
            let is_clicked = ui.link(text).on_hover_text("Show each check").clicked();
            is_clicked.then(|| ExportAction::Checks(row.folder.clone(), lines.clone()))
        }),
        Col::made("folder", "Folder", 320.0, |row| row.folder.display().to_string()),
    ];
    let reports = reports(app);
    let table = Table::new("exports", "Exports", columns, |row: &ExportRow| key_of((&row.folder, row.date)))
        .height(EXPORTS)
        .on_focus(|row| Some(ExportAction::Focus(row.folder.clone())))
        .menu(|ui, row| {
            let report = ui.add_enabled(reports.contains_key(&row.folder), Button::new("Open its report"));
            if report.on_disabled_hover_text("report.html is not in this folder").clicked() {
                return Some(ExportAction::Report(row.folder.clone()));
            }
            ui.button("Verify this export").clicked().then(|| ExportAction::Verify(row.folder.clone()))
        });
    match table.rows_ui(ui, app, rows) {
        Some(ExportAction::Focus(folder)) => app.choose_export(folder),
        Some(ExportAction::Checks(folder, lines)) => app.show_checks(folder, lines),
        Some(ExportAction::Report(folder)) => {
            if let Some(url) = reports.get(&folder) {
                open_report(ui, url.clone());
            }
        }
        Some(ExportAction::Verify(folder)) => app.send(Command::Verify(folder)),
        None => {}
    }
    if app.last_export().is_none()
        && let Some(row) = rows.first()
    {
        app.choose_export(row.folder.clone());
    }
}

/// An action on a row of exports.
enum ExportAction {
    /// Makes it the last one.
    Focus(PathBuf),
    /// Each check of its last verification.
    Checks(PathBuf, Vec<VerifyLine>),
    /// Opens it in the browser.
    Report(PathBuf),
    /// Verifies it.
    Verify(PathBuf),
}

/// The result of the last verification, with its label.
fn verified(row: &ExportRow) -> (String, CheckState) {
    let Some(lines) = &row.verified else { return ("– never verified".to_owned(), CheckState::Passed) };
    let (state, wrong) = (CheckState::of(lines).0, lines.iter().filter(|line| !line.ok).count());
    let label = match state {
        CheckState::Passed => format!("✔ {} passed", text::counted(lines.len() as u64, "check")),
        CheckState::Unvouched => "⚠ Signed, nobody vouches".to_owned(),
        CheckState::Failed => format!("✖ {wrong} of {} failed", lines.len()),
    };
    (label, state)
}

/// Draws the choice of the key that signs an export; nothing where there is none.
fn sign_with_ui(ui: &mut Ui, app: &mut AppState) {
    let keys = app.reads.own_keys();
    let keys = keys.shown().map(|keys| keys.to_vec()).unwrap_or_default();
    let chosen = &mut app.settings.sign_with;
    if keys.is_empty() && chosen.is_empty() {
        return;
    }
    ui.horizontal(|ui| {
        let label = ui.label("Sign with");
        let shown = if chosen.is_empty() { "No key" } else { chosen.as_str() };
        let response = egui::ComboBox::from_id_salt("sign with").selected_text(text::line(shown)).show_ui(ui, |ui| {
            ui.selectable_value(chosen, String::new(), "No key");
            for key in keys {
                let label = text::line(&key);
                ui.selectable_value(chosen, key, label);
            }
        });
        response
            .response
            .labelled_by(label.id)
            .on_hover_text("A key of yours in the system's keychain (fonds key new)");
    });
}
