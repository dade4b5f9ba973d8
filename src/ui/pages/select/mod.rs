//! Three steps to a handover: select, check, hand over.

mod check;
mod choose;
pub(super) mod dry_run;
mod handover;
pub(super) mod hosts;
mod lists;
pub(super) mod named;
pub(super) mod score;

use crate::app::models::{Balance, CampaignId, ExportCheck, Loaded, ScoreWeights, SelectionPage, SelectionSpec};
use crate::app::{Action, AppState, ByIdentity, Command, JobKind, Route, SelectLead, SelectionAct, TriedSelection};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP};
use crate::ui::widgets::{StepState, action_ui, empty_ui, hair, is_typing, loaded_ui, tab_of_ui, tabs_ui};
use check::CheckStep;
use choose::{ChooseStep, Preview};
use egui::{Align, Key, Layout, Modifiers, Rect, ScrollArea, Stroke, Ui, UiBuilder};
use handover::HandoverStep;
use lists::{SelectList, SelectLists};
use std::sync::Arc;

/// Step of a bracket key on the threshold.
const STEP: f64 = 0.01;
/// The hint of a number of captures.
const SHOW: &str = "Show these captures";
/// Why no selection is made just now.
const SCORING: &str = "Scores are being computed";
/// Why nothing is exported while the check runs.
const CHECKING: &str = "The selection is being checked";
/// Why nothing is exported that a permission refuses.
const REFUSED: &str = "A permission is refused: decide on its captures in step 2 first";
/// Narrower pages show one step at a time.
const ROOM_FOR_STEPS: f32 = 940.0;

/// A step, where one at a time is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    #[default]
    Select,
    Check,
    Handover,
}

/// The page Select & export.
#[derive(Default)]
pub struct SelectPage {
    campaign: Option<CampaignId>,
    step: Step,
    choose: ChooseStep,
    lists: SelectLists,
    check: CheckStep,
    handover: HandoverStep,
}

/// A command of the header that the page carries out.
enum SelectKey {
    Discard,
    DefaultWeights,
    Show(SelectList),
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
            app.open.selection_draft = kept_or_new(app, campaign, page);
            self.choose = ChooseStep::of(&app.open.selection_draft);
        }
        if self.campaign == Some(campaign) {
            self.take_lead(app);
        }
        if let Loaded::Ready(page) = &answer {
            app.note_kept_selection(campaign, page.spec.as_ref());
        }
        threshold_keys(ui, app);
        let check = app.reads.export_check(campaign);
        let check = answer.shown().and_then(|page| check_of(page, &check));
        note_obstacle(app, campaign, check.as_deref());
        let tried = answer.shown().and_then(|page| try_draft(app, campaign, page).shown().cloned());
        let balance = tried.as_ref().and_then(|tried| tried.balance.as_ref());
        let page = answer.shown().map(Arc::as_ref);
        if let Some(key) = header_ui(ui, app, campaign, (page, balance), check.is_none()) {
            self.carry_out(app, campaign, answer.shown(), key);
        }
        loaded_ui(ui, &answer, |ui, page| self.steps_ui(ui, app, campaign, page, check.as_deref()));
    }

    /// Takes a filter that another page brought here.
    fn take_lead(&mut self, app: &mut AppState) {
        match app.take_select_lead() {
            Some(SelectLead::Filter(filter)) => {
                app.open.selection_draft =
                    SelectionSpec { filter, collections: Vec::new(), ..app.open.selection_draft.clone() };
                self.choose = ChooseStep::of(&app.open.selection_draft);
                app.send(Command::Select(app.open.selection_draft.clone()));
            }
            Some(SelectLead::Rule(filter)) => {
                self.step = Step::Select;
                self.lists.propose(filter);
            }
            None => {}
        }
    }

    fn carry_out(
        &mut self,
        app: &mut AppState,
        campaign: CampaignId,
        page: Option<&Arc<SelectionPage>>,
        key: SelectKey,
    ) {
        match key {
            SelectKey::Discard => {
                if let Some(page) = page {
                    app.open.selection_draft = kept_or_new(app, campaign, page);
                    self.choose = ChooseStep::of(&app.open.selection_draft);
                }
            }
            SelectKey::DefaultWeights => app.open.selection_draft.weights = ScoreWeights::default(),
            SelectKey::Show(list) => {
                self.step = Step::Select;
                self.lists.show(list);
            }
        }
    }

    fn steps_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        campaign: CampaignId,
        page: &SelectionPage,
        check: Option<&ExportCheck>,
    ) {
        let answer = try_draft(app, campaign, page);
        let tried = answer.shown().filter(|tried| tried.draft.campaign == campaign).cloned();
        // The answer may be that to an earlier draft: its figures go with its own links.
        let draft = tried.as_ref().map(|tried| &tried.draft).or(page.spec.as_ref());
        let sides = BalanceFilters::of(page.spec.as_ref(), draft);
        // What a filter or collection finds is not known at once: the kept selection stays on screen.
        let balance = tried.as_ref().and_then(|tried| tried.balance.as_ref()).filter(|_| !sides.is_kept);
        let balance = balance.unwrap_or(&page.balance);
        let preview = Preview { campaign, page, tried: tried.as_ref(), balance, sides: &sides, answer: &answer };
        let is_saved = page.spec.is_some() && !is_changed(app, campaign, page);
        let findings = check::findings(app, &preview, is_saved, check);
        let states = step_states(is_saved, check, &findings);
        let area = ui.available_rect_before_wrap();
        if area.width() < ROOM_FOR_STEPS {
            let flagged = findings.iter().filter(|finding| finding.needs_person()).count();
            self.step_tabs_ui(ui, app, flagged as u64);
            match self.step {
                Step::Select => {
                    self.choose.ui(ui, app, &preview, None);
                    self.lists.ui(ui, app, &preview);
                }
                Step::Check => scrolled_ui(ui, |ui| self.check.ui(ui, app, &findings, check, None)),
                Step::Handover => scrolled_ui(ui, |ui| self.handover.ui(ui, app, &preview, None)),
            }
            return;
        }
        let (left, right) = area.split_left_right_at_x(area.right() - theme::SIDE_LIST);
        let line = left.right() - GROUP_GAP;
        let left = left.with_max_x(line - GROUP_GAP);
        ui.painter().vline(
            line,
            area.y_range().expand(theme::PAGE_TOP),
            Stroke::new(hair(ui), theme::tokens(ui).border),
        );
        let mut column = column(ui, "select", left);
        self.choose.ui(&mut column, app, &preview, Some(states[0]));
        self.lists.ui(&mut column, app, &preview);
        let mut column = self::column(ui, "check and hand over", right);
        scrolled_ui(&mut column, |ui| {
            self.check.ui(ui, app, &findings, check, Some(states[1]));
            ui.add_space(GROUP_GAP);
            self.handover.ui(ui, app, &preview, Some(states[2]));
        });
        ui.advance_cursor_after_rect(area);
    }

    fn step_tabs_ui(&mut self, ui: &mut Ui, app: &mut AppState, flagged: u64) {
        if self.step == Step::Select {
            // In the same line, so that more rows are in sight.
            let line = ui.available_rect_before_wrap();
            let line = line.with_max_y(line.top() + theme::TAB_ROW);
            let layout = Layout::right_to_left(Align::Center);
            self.choose
                .by_ui(&mut ui.new_child(UiBuilder::new().id_salt("what selects").max_rect(line).layout(layout)), app);
        }
        tabs_ui(ui, "Steps", |ui| {
            let check = if flagged > 0 { format!("2 Check {flagged}") } else { "2 Check".to_owned() };
            for (step, label) in [
                (Step::Select, "1 Select".to_owned()),
                (Step::Check, check),
                (Step::Handover, "3 Hand over".to_owned()),
            ] {
                tab_of_ui(ui, &mut self.step, step, label);
            }
        });
        ui.add_space(GAP / 2.0);
    }
}

fn column(ui: &mut Ui, id: &str, place: Rect) -> Ui {
    let mut column = ui.new_child(UiBuilder::new().id_salt(id).max_rect(place));
    column.set_clip_rect(place.expand(theme::TIGHT_GAP).intersect(ui.clip_rect()));
    column
}

fn scrolled_ui(ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, draw);
}

/// The kept settings of a campaign, or those of a first selection.
fn kept_or_new(app: &AppState, campaign: CampaignId, page: &SelectionPage) -> SelectionSpec {
    let kept = page.spec.clone().unwrap_or_default();
    SelectionSpec { campaign, window_days: app.settings.window_days, ..kept }
}

/// Moves the threshold by the keys [ and ].
fn threshold_keys(ui: &Ui, app: &mut AppState) {
    if is_typing(ui) || app.dialog().is_some() {
        return;
    }
    for (key, by) in [(Key::OpenBracket, -STEP), (Key::CloseBracket, STEP)] {
        // Held down, a key comes more than once with a slow frame.
        let times = ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let to = app.open.selection_draft.threshold + by * times as f64;
        if times > 0 {
            // Steps add up to the hundredth that is shown.
            app.open.selection_draft.threshold = (to.clamp(0.0, 1.0) * 100.0).round() / 100.0;
        }
    }
}

/// The check of the selection as it is kept now; none while that is being checked.
fn check_of(page: &SelectionPage, check: &Loaded<Arc<ExportCheck>>) -> Option<Arc<ExportCheck>> {
    check.ready().filter(|check| check.stamp == page.stamp).cloned()
}

fn note_obstacle(app: &mut AppState, campaign: CampaignId, check: Option<&ExportCheck>) {
    let why = match check {
        _ if app.runs(JobKind::Select) => Some(SCORING),
        None => Some(CHECKING),
        Some(check) => check.obstacle().map(|_| REFUSED),
    };
    app.note_export_obstacle(campaign, why);
}

/// Where a person is: at the first step that is not done.
fn step_states(is_saved: bool, check: Option<&ExportCheck>, findings: &[check::CheckFinding]) -> [StepState; 3] {
    let is_blocked = check.is_none_or(|check| check.obstacle().is_some());
    let check = match findings.iter().any(check::CheckFinding::needs_person) {
        true => StepState::Flagged,
        false if is_saved && !is_blocked => StepState::Done,
        false => StepState::Later,
    };
    match (is_saved, is_blocked) {
        (false, _) => [StepState::Current, check, StepState::Later],
        (true, true) => [StepState::Done, check, StepState::Later],
        (true, false) => [StepState::Done, check, StepState::Current],
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
fn header_ui(
    ui: &mut Ui,
    app: &mut AppState,
    campaign: CampaignId,
    (page, tried): (Option<&SelectionPage>, Option<&Balance>),
    is_checking: bool,
) -> Option<SelectKey> {
    let draft = SelectionSpec { campaign, ..app.open.selection_draft.clone() };
    let why_not = app.runs(JobKind::Select).then_some(SCORING);
    let save = HeaderButton::send("Save selection", Command::Select(draft.clone()))
        .hint("Scores every capture and keeps what is selected")
        .off(why_not);
    let mut header = Header::new("Select & export");
    header = match page {
        Some(page) if page.spec.is_some() && !is_changed(app, campaign, page) => {
            let inside = page.balance.inside;
            let export = HeaderButton::named(Action::Export, format!("Export {}", text::count(inside.captures)));
            let checking = if is_checking { "checking…" } else { "" };
            header
                .state(format!("{} selected", text::counted(inside.captures, "capture")))
                .detail(text::bytes(inside.bytes + page.requisite_bytes))
                .detail(checking)
                .primary(export)
                .more(HeaderButton::send("Score again", Command::Select(draft)).off(why_not))
        }
        Some(page) if page.spec.is_some() => {
            let figures = tried.map_or_else(String::new, |tried| {
                let all = text::counted(tried.inside.captures + tried.outside.captures, "capture");
                format!("{} of {all}, {}", text::count(tried.inside.captures), text::bytes(tried.inside.bytes))
            });
            header
                .flag("Preview, not saved")
                .state(figures)
                .plain(HeaderButton::own("Discard", SelectKey::Discard))
                .primary(save)
        }
        _ => header.state("Nothing selected yet").primary(save),
    };
    let undo = HeaderButton::send("Undo selection", Command::Selections(SelectionAct::Undo(campaign)));
    let can_undo = app.reads.selection_offer(campaign).shown().is_some_and(|answer| answer.1);
    header
        .more(HeaderButton::action(Action::DryRun))
        .more(HeaderButton::action(Action::Verify))
        .more(HeaderButton::own("Default weights", SelectKey::DefaultWeights))
        .more(undo.hint("Puts the selection back that this one took the place of").off(match can_undo {
            true => why_not,
            false => Some("There is no earlier selection"),
        }))
        .more(HeaderButton::own("Saved selections", SelectKey::Show(SelectList::Saved)))
        .more(HeaderButton::own("Collections", SelectKey::Show(SelectList::Collections)))
        .ui(ui, app)
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

/// Goes to the captures on one side of the selection.
pub(super) fn captures_of_side(app: &mut AppState, selected: bool, further: &str) {
    captures_by(app, format!("selected:{}{further}", if selected { "yes" } else { "no" }));
}

pub(super) fn captures_by(app: &mut AppState, filter: String) {
    app.send(Command::GoToAll(Route::Captures { filter }));
}
