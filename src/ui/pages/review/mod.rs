//! Going through captures one by one: a queue at the left, the page in the middle, what checks found at the right, and the
//! decision below.

mod bar;
mod capture;
mod findings;
mod groups;
mod queue;
mod sample;

use super::launch_changes::since_ui;
use crate::app::models::{
    CaptureId, CheckPrecision, Loaded, QueuedCapture, ReviewOrder, ReviewReason, changed_rejections,
};
use crate::app::{Action, AppState, Command, Focus, REJECTED_BEFORE, ReviewAct, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{action_ui, empty_ui, hair, line_field_ui, loaded_ui, segments_ui};
use bar::Decisions;
use capture::CaptureView;
use egui::{Rect, RichText, Stroke, Ui, UiBuilder};
use findings::FindingList;
use queue::{queue_query, two_line_queue};
use sample::ReviewSampleView;
use std::sync::Arc;

/// Width of the queue, and in a wide window, where titles and URLs have room beside the text.
const QUEUE_WIDTH: f32 = theme::SIDE_LIST;
const WIDE_QUEUE: f32 = 520.0;
/// Width of the findings beside the page, and least width of both.
const FINDINGS_WIDTH: f32 = 300.0;
const ROOM_FOR_FINDINGS: f32 = 660.0;
/// Seconds that a decided capture stays out of the queue, until the list knows of the decision.
const DECIDED_FOR: f64 = 3.0;

/// What the button says that runs the checks.
const RUN_CHECKS: &str = "Looks at what was captured since the checks ran last; nothing is fetched";

/// What the queue holds, in which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    /// By severity, then by links from other hosts.
    #[default]
    Severity,
    /// Causes that many captures share.
    Groups,
    /// What the last launch brought.
    New,
    /// Pages that many link to.
    Cited,
    /// A sample.
    Sample,
    /// Captures that two persons decided differently.
    Disagreements,
}

const MODES: [(Mode, &str); 5] = [
    (Mode::Severity, "Severity"),
    (Mode::Groups, "Groups"),
    (Mode::New, "New"),
    (Mode::Cited, "Most cited"),
    (Mode::Sample, "Sample"),
];

/// The page Review.
#[derive(Default)]
pub struct ReviewPage {
    mode: Mode,
    filter: String,
    /// The filter that the page was opened with last.
    opened_with: String,
    reviewed_too: bool,
    at: usize,
    decisions: Decisions,
    /// Captures that were decided a moment ago, and when.
    decided: Vec<(CaptureId, f64)>,
    view: CaptureView,
    findings: FindingList,
    sample: ReviewSampleView,
    group: usize,
    /// The current capture of the queue.
    row: Option<CaptureId>,
}

impl ReviewPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, filter: &str) {
        if self.opened_with != filter {
            self.opened_with = filter.to_owned();
            self.filter = filter.to_owned();
            self.at = 0;
            self.reviewed_too = false;
            self.mode = Mode::Severity;
        }
        // A number that led here counts what is reviewed, too.
        self.reviewed_too |= app.take_shows_all();
        Header::<()>::new("Review")
            .state(self.progress(app))
            .plain(HeaderButton::send("Run checks", Command::Review(ReviewAct::RunChecks)).hint(RUN_CHECKS))
            .plain(HeaderButton::action(Action::Undo))
            .more(HeaderButton::action(Action::Redo))
            .ui(ui, app);
        ui.horizontal_wrapped(|ui| {
            if segments_ui(ui, "What comes up", &mut self.mode, &MODES) {
                self.at = 0;
            }
            if self.mode != Mode::Groups {
                line_field_ui(ui, "Filter", &mut self.filter, "words or fields, as in Captures", theme::FIELD);
                since_ui(ui, app, &mut self.filter);
                let everything = "Also reviewed captures, parts of pages and robots.txt";
                ui.checkbox(&mut self.reviewed_too, "Include all").on_hover_text(everything);
            }
            self.disagreements_ui(ui, app);
        });
        app.note_blind(self.mode == Mode::Sample && self.is_blind());
        changed_rejections_ui(ui, app, &mut self.filter);
        match self.mode {
            Mode::Groups => {
                if let Some(filter) = groups::groups_ui(ui, app, &mut self.group, &mut self.decisions) {
                    (self.filter, self.mode, self.at) = (filter, Mode::Severity, 0);
                }
                return;
            }
            Mode::Sample => {
                let has_queue = self.sample.ui(ui, app, self.filter.trim());
                if !has_queue {
                    return;
                }
            }
            _ => {}
        }
        let query = queue_query(app, self.order(), &self.filter, self.reviewed_too);
        let answer = app.reads.review_queue(query);
        if let Loaded::Ready(page) = &answer
            && page.rows.is_empty()
            && page.filter_problem.is_none()
        {
            self.nothing_ui(ui, app);
            return;
        }
        loaded_ui(ui, &answer, |ui, page| {
            if let Some(problem) = &page.filter_problem {
                ui.colored_label(tokens(ui).reject, format!("⚠ {}", crate::ui::text::line(problem)));
            }
            self.queue_ui(ui, app, &page.rows);
        });
    }

    fn order(&self) -> ReviewOrder {
        match self.mode {
            Mode::Severity | Mode::Groups => ReviewOrder::Severity,
            Mode::New => ReviewOrder::New,
            Mode::Cited => ReviewOrder::Cited,
            Mode::Disagreements => ReviewOrder::Disagreements,
            Mode::Sample => self.sample.order().unwrap_or_default(),
        }
    }

    /// Whether the page must not show what others decided.
    fn is_blind(&self) -> bool {
        matches!(self.order(), ReviewOrder::SecondReading(_))
    }

    fn queue_ui(&mut self, ui: &mut Ui, app: &mut AppState, page: &[QueuedCapture]) {
        // What was decided a moment ago may still be listed: the next letter is not about it.
        let now = ui.input(|input| input.time);
        self.decided.retain(|(id, at)| now - at < DECIDED_FOR && page.iter().any(|of| of.row.id == *id));
        let rows: Vec<&QueuedCapture> =
            page.iter().filter(|of| self.decided.iter().all(|(id, _)| *id != of.row.id)).collect();
        let Some(last) = rows.len().checked_sub(1) else { return };
        self.at = self.at.min(last);
        self.follow_row(app, rows[self.at].row.id);
        self.keys(ui, app, last);
        let row = rows[self.at.min(last)];
        self.follow_row(app, row.row.id);
        let shown = self.shown(app).unwrap_or(row.row.id);
        let area = ui.available_rect_before_wrap();
        let is_low = ui.ctx().content_rect().height() < theme::LOW_WINDOW;
        let bar = if is_low { theme::CONTROL } else { 2.0 * theme::CONTROL + GAP };
        let (columns, bar) = area.split_top_bottom_at_y((area.bottom() - bar).max(area.top()));
        let columns = columns.with_max_y((columns.bottom() - theme::LABEL_GAP).max(columns.top()));
        let is_wide = ui.ctx().content_rect().width() >= theme::WIDE_WINDOW;
        let queue_width = if is_wide { WIDE_QUEUE } else { QUEUE_WIDTH };
        let (queue, rest) = columns.split_left_right_at_x(columns.left() + queue_width.min(columns.width() / 3.0));
        let has_findings = rest.width() >= ROOM_FOR_FINDINGS;
        let findings = if has_findings { FINDINGS_WIDTH } else { 0.0 };
        let (capture, findings) = rest.split_left_right_at_x(rest.right() - findings);
        // In the order that Tab goes in.
        let table = two_line_queue();
        let table = table.chosen(Some(row.row.id.unsigned_abs())).on_focus(|of| Some(of.row.id));
        let clicked = table.rows_ui(&mut column(ui, "queue", queue, 0.0), app, rows.iter().copied());
        if let Some(at) = clicked.and_then(|id| rows.iter().position(|of| of.row.id == id)) {
            self.at = at;
        }
        let mut place = column(ui, "capture", capture, GROUP_GAP);
        self.view.ui(&mut place, app, shown, (!has_findings).then_some(&mut self.findings), area.bottom());
        if has_findings {
            let mut place = column(ui, "findings", findings, GROUP_GAP);
            self.findings.ui(&mut place, app, shown);
        }
        self.bar(&mut column(ui, "decision", bar, 0.0), app, shown, is_low);
        let line = Stroke::new(hair(ui), tokens(ui).border);
        ui.painter().hline(area.x_range(), bar.top() - theme::LABEL_GAP / 2.0, line);
        ui.advance_cursor_after_rect(area);
    }

    /// The capture that is shown: a list of the lower panel may have led to another version, which is decided on then.
    fn shown(&self, app: &AppState) -> Option<CaptureId> {
        match app.focus() {
            Some(Focus::Capture(id)) => Some(id),
            _ => self.row,
        }
    }

    /// Has the lower panel follow the queue, until it is led to another capture.
    fn follow_row(&mut self, app: &mut AppState, id: CaptureId) {
        if self.row.replace(id) != Some(id) || app.beside_row() == 0 {
            app.follow(Focus::Capture(id));
        }
    }

    /// How many are to review, how many were, and about how long the rest takes.
    fn progress(&self, app: &mut AppState) -> String {
        let query = queue_query(app, self.order(), &self.filter, self.reviewed_too);
        let count = app.reads.review_queue_count(query);
        let Some(left) = count.shown().and_then(|count| **count) else { return String::new() };
        self.decisions.progress(left, app.reviewed())
    }

    /// Leads to captures that two persons decided differently, where there are any.
    fn disagreements_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let query = queue_query(app, ReviewOrder::Disagreements, "", false);
        let count = app.reads.review_queue_count(query).shown().and_then(|count| **count).unwrap_or_default();
        if self.mode == Mode::Disagreements {
            ui.label(RichText::new("Captures that two persons decided differently").color(tokens(ui).weak_text));
        } else if count > 0 && ui.link(crate::ui::text::counted(count, "disagreement")).clicked() {
            (self.mode, self.at) = (Mode::Disagreements, 0);
            self.filter.clear();
        }
    }

    fn nothing_ui(&self, ui: &mut Ui, app: &mut AppState) {
        if !self.filter.trim().is_empty() {
            empty_ui(ui, "Nothing to review under this filter", "Clear the filter, or include reviewed captures");
            return;
        }
        match self.mode {
            Mode::Sample => self.sample.end_ui(ui),
            Mode::New => empty_ui(
                ui,
                "Nothing new to review",
                "The last crawl brought no page for the first time or with other content that is not reviewed",
            ),
            Mode::Cited => empty_ui(
                ui,
                "No page that others link to is to review",
                "Links from other hosts are counted when inlinks are built",
            ),
            Mode::Disagreements => empty_ui(ui, "No disagreements", "Of each page all persons decided the same"),
            Mode::Severity | Mode::Groups => {
                empty_ui(ui, "Nothing to review", "All captures of this campaign are reviewed, or there are none yet");
                ui.horizontal(|ui| {
                    if ui.button("Show captures").clicked() {
                        app.send(Command::Go(Route::Captures { filter: String::new() }));
                    }
                    action_ui(ui, app, Action::StartCrawl);
                });
            }
        }
    }
}

/// The reason codes of the workspace; empty until they are known.
fn reasons(app: &mut AppState) -> Arc<Vec<ReviewReason>> {
    app.reads.review_reasons().shown().cloned().unwrap_or_default()
}

/// How often a check was right, by its name in data.
fn precision_of(app: &mut AppState, check: &str) -> Option<CheckPrecision> {
    let all = app.reads.check_precision();
    all.shown()?.iter().find(|of| of.check == check).cloned()
}

/// A column of the page, with so much space at its left.
fn column(ui: &mut Ui, id: &str, place: Rect, space: f32) -> Ui {
    let place = place.with_min_x((place.left() + space).min(place.right()));
    let mut column = ui.new_child(UiBuilder::new().id_salt(id).max_rect(place));
    column.set_clip_rect(place.expand(theme::RING).intersect(ui.clip_rect()));
    column
}

/// Names URLs with an earlier rejection that changed, and leads to them.
fn changed_rejections_ui(ui: &mut Ui, app: &mut AppState, filter: &mut String) {
    let Some(campaign) = app.campaign() else { return };
    let urls = app.reads.rejected_before(campaign).shown().map(|urls| **urls).unwrap_or_default();
    if urls == 0 || filter.trim() == REJECTED_BEFORE {
        return;
    }
    let label = RichText::new(format!("⚠ {}", changed_rejections(urls))).color(tokens(ui).flag);
    if ui.link(label).on_hover_text("In no selection until a person approves them. Review these").clicked() {
        *filter = REJECTED_BEFORE.to_owned();
    }
}
