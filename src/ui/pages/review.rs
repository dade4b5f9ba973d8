//! Going through captures one by one.

use super::launch_changes::since_ui;
use crate::analysis::{FindingEvidence, FindingLevel, run_checks};
use crate::app::models::{
    CaptureDetail, CaptureId, CapturePage, CaptureQuery, CaptureRow, CaptureTab, Loaded, ReviewMark, changed_rejections,
};
use crate::app::{Action, AppState, Command, Focus, MARK_KEYS, PanelTab, REJECTED_BEFORE, Route};
use crate::ui::decisions::{decides_on, keep_note, mark_icon};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::icons::Icon;
use crate::ui::long_text::LongText;
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{
    REVIEW_NOTE, action_ui, decision_ui, empty_ui, hair, heading_ui, is_typing, keep_page_room, keyed_button_ui,
    line_field_ui, loaded_ui, note_field_ui, read_only, status_ui, takes_letter, tick_chip_ui,
};
use egui::accesskit::Role;
use egui::{Align, Key, Layout, Modifiers, Rect, RichText, ScrollArea, Sense, Stroke, Ui, UiBuilder, Vec2, WidgetInfo};
use std::sync::Arc;

/// Captures of the queue that are held at once.
const QUEUE: u64 = 200;
/// Width of the queue.
const QUEUE_WIDTH: f32 = theme::SIDE_LIST;
/// Its width in a wide window, where titles and URLs have room beside the text.
const WIDE_QUEUE: f32 = 520.0;
/// Width of the findings beside the page, and least width of both.
const FINDINGS_WIDTH: f32 = 300.0;
const ROOM_FOR_FINDINGS: f32 = 660.0;
/// Seconds that a decided capture stays out of the queue, until the list knows of the decision.
const DECIDED_FOR: f64 = 3.0;
/// Reasons that may be added to a mark, by key.
const REASONS: [&str; 6] = ["off topic", "empty page", "soft 404", "missing resources", "duplicate", "wrong language"];

/// The page Review.
#[derive(Default)]
pub struct ReviewPage {
    filter: String,
    /// The filter that the page was opened with last.
    opened_with: String,
    reviewed_too: bool,
    at: usize,
    note: String,
    opens_note: bool,
    began: Option<f64>,
    /// Captures that were decided a moment ago, and when.
    decided: Vec<(CaptureId, f64)>,
    text: LongText,
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
        }
        // A number that led here counts what is reviewed, too.
        self.reviewed_too |= app.take_shows_all();
        let answer = app.reads.captures(self.query(app));
        let state = answer.shown().map_or(String::new(), |page| {
            let done = app.reviewed();
            self.progress(ui, done, page)
        });
        Header::<()>::new("Review")
            .state(state)
            .plain(HeaderButton::action(Action::Undo))
            .more(HeaderButton::action(Action::Redo))
            .ui(ui, app);
        ui.horizontal_wrapped(|ui| {
            line_field_ui(ui, "Filter", &mut self.filter, "words or fields, as in Captures", theme::FIELD);
            since_ui(ui, app, &mut self.filter);
            ui.checkbox(&mut self.reviewed_too, "Include reviewed");
        });
        changed_rejections_ui(ui, app, &mut self.filter);
        let answer = app.reads.captures(self.query(app));
        if let Loaded::Ready(page) = &answer
            && page.rows.is_empty()
        {
            nothing_ui(ui, app, !self.filter.trim().is_empty());
            return;
        }
        loaded_ui(ui, &answer, |ui, page| self.queue_ui(ui, app, page));
    }

    fn query(&self, app: &AppState) -> CaptureQuery {
        CaptureQuery {
            filter: self.filter.trim().to_owned(),
            tab: if self.reviewed_too { CaptureTab::All } else { CaptureTab::NotReviewed },
            campaign: app.campaign(),
            sort: Vec::new(),
            offset: 0,
            limit: QUEUE,
        }
    }

    fn queue_ui(&mut self, ui: &mut Ui, app: &mut AppState, page: &CapturePage) {
        if let Some(problem) = &page.filter_problem {
            ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
        }
        // What was decided a moment ago may still be listed: the next letter is not about it.
        let now = ui.input(|input| input.time);
        self.decided.retain(|(id, at)| now - at < DECIDED_FOR && page.rows.iter().any(|row| row.id == *id));
        let rows: Vec<&CaptureRow> =
            page.rows.iter().filter(|row| self.decided.iter().all(|(id, _)| *id != row.id)).collect();
        let Some(last) = rows.len().checked_sub(1) else { return };
        self.at = self.at.min(last);
        self.follow_row(app, rows[self.at].id);
        self.keys(ui, app, last);
        let row = rows[self.at.min(last)];
        self.follow_row(app, row.id);
        // A list of the lower panel may have led to another version, which is decided on then.
        let shown = match app.focus() {
            Some(Focus::Capture(id)) => id,
            _ => row.id,
        };
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
        let table = table.chosen(Some(row.id.unsigned_abs())).on_focus(|row| Some(row.id));
        let clicked = table.rows_ui(&mut column(ui, "queue", queue, 0.0), app, rows.iter().copied());
        if let Some(at) = clicked.and_then(|id| rows.iter().position(|row| row.id == id)) {
            self.at = at;
        }
        let answer = app.reads.detail(shown, app.settings.window_days);
        self.capture_ui(
            &mut column(ui, "capture", capture, GROUP_GAP),
            app,
            &answer,
            shown,
            !has_findings,
            area.bottom(),
        );
        if has_findings {
            let mut place = column(ui, "findings", findings, GROUP_GAP);
            if let Some(detail) = answer.shown() {
                findings_ui(&mut place, detail);
            }
        }
        self.bar_ui(&mut column(ui, "decision", bar, 0.0), app, shown, is_low);
        let line = Stroke::new(hair(ui), tokens(ui).border);
        ui.painter().hline(area.x_range(), bar.top() - theme::LABEL_GAP / 2.0, line);
        ui.advance_cursor_after_rect(area);
    }

    /// Has the lower panel follow the queue, until it is led to another capture.
    fn follow_row(&mut self, app: &mut AppState, id: CaptureId) {
        if self.row.replace(id) != Some(id) || app.beside_row() == 0 {
            app.follow(Focus::Capture(id));
        }
    }

    /// How many are to review, how many were, and about how long the rest takes.
    fn progress(&self, ui: &Ui, done: u64, page: &CapturePage) -> String {
        let left = page.total;
        let pace = self.began.map(|began| ui.input(|input| input.time) - began).filter(|_| done > 1);
        let forecast = pace.map_or_else(String::new, |seconds| {
            let each = seconds / done as f64;
            format!(", about {} left", text::duration(each * left as f64))
        });
        format!("{} to review, {} reviewed now{forecast}", text::counted(left, "capture"), text::count(done))
    }

    /// What is reviewed: title, address, text; the findings above it where they have no column.
    fn capture_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        answer: &Loaded<Arc<CaptureDetail>>,
        id: CaptureId,
        has_findings: bool,
        bottom: f32,
    ) {
        loaded_ui(ui, answer, |ui, detail| {
            let row = &detail.row;
            let title = if row.title.is_empty() { "(no title)".to_owned() } else { text::line(&row.title) };
            let title = theme::strong(title, theme::PART_TEXT).color(tokens(ui).strong_text);
            ui.add(egui::Label::new(title).truncate());
            ui.horizontal(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.label(RichText::new(format!("{} UTC", row.date.to_readable())).color(tokens(ui).weak_text));
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
                        if ui.link(text::line(&row.url)).on_hover_text("Pages that link here").clicked() {
                            app.send(Command::Go(Route::Links { target: row.url.clone() }));
                        }
                    });
                });
            });
        });
        if let Some(detail) = answer.shown().filter(|_| has_findings) {
            checks_ui(ui, detail);
        }
        ui.separator();
        let content = app.reads.content(id);
        let below = (bottom - ui.max_rect().bottom()).max(0.0);
        keep_page_room(ui, theme::ROWS_LEAST as f32 * ui.text_style_height(&egui::TextStyle::Body) + below);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            loaded_ui(ui, &content, |ui, _| {
                let is_own = content.ready().is_some();
                let Some(content) = content.shown().filter(|content| is_own || self.text.shows(content)) else {
                    return;
                };
                if content.text.trim().is_empty() {
                    ui.weak("This capture has no visible text");
                } else {
                    theme::keep_reading_width(ui);
                    self.text.ui(ui, content, None);
                }
            });
        });
    }

    /// The decisions with their keys, and below them the reasons and the note that go with one.
    fn bar_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId, is_low: bool) {
        let mut reason = None;
        let mut reasons_ui = |ui: &mut Ui, note: &str| {
            for (number, label) in REASONS.iter().enumerate() {
                if tick_chip_ui(ui, note == *label, &format!("{} {label}", number + 1)) {
                    reason = Some(*label);
                }
            }
        };
        ui.horizontal(|ui| {
            let why_not = read_only(ui);
            for (key, mark, label) in MARK_KEYS {
                let is_primary = mark == ReviewMark::Approve;
                let drawn = ui.add_enabled_ui(why_not.is_none(), |ui| {
                    keyed_button_ui(ui, mark_icon(mark), label, key, is_primary, &format!("{label}  {key}"))
                });
                let response = drawn.inner;
                let is_clicked = response.clicked();
                if let Some(why) = why_not {
                    response.on_disabled_hover_text(why);
                }
                if is_clicked {
                    self.mark(ui, app, mark);
                }
            }
            if keyed_button_ui(ui, Icon::Skip, "Skip", "S", false, "Skip  S").clicked() {
                self.at += 1;
            }
            if is_low {
                ui.menu_button("Reasons", |ui| reasons_ui(ui, &self.note));
                self.note_ui(ui, app, id);
            }
        });
        if !is_low {
            ui.horizontal(|ui| {
                reasons_ui(ui, &self.note);
                self.note_ui(ui, app, id);
            });
        }
        if let Some(reason) = reason {
            // A second click takes it off again.
            let note = if self.note == reason { "" } else { reason };
            note.clone_into(&mut self.note);
        }
    }

    fn note_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let opens = std::mem::take(&mut self.opens_note);
        if note_field_ui(ui, REVIEW_NOTE, "Reason or note", &mut self.note, opens) {
            keep_note(app, vec![id].into(), &mut self.note);
        }
    }

    fn mark(&mut self, ui: &Ui, app: &mut AppState, mark: ReviewMark) {
        let (Ok(captures), Some(id)) = (app.decision_target(), self.row) else { return };
        let note = self.note.trim().to_owned();
        let is_row = decides_on(app, id);
        app.send(Command::Mark { captures, mark, note });
        if app.read_only().is_some() {
            // It stays to be reviewed.
            return;
        }
        self.note.clear();
        if !is_row {
            return;
        }
        let now = ui.input(|input| input.time);
        let has_begun = app.reviewed() > 0;
        self.began = self.began.filter(|_| has_begun).or(Some(now));
        // With only the open ones in the queue, the next one moves up by itself.
        match self.reviewed_too {
            true => self.at += 1,
            false => self.decided.push((id, now)),
        }
    }

    fn keys(&mut self, ui: &Ui, app: &mut AppState, last: usize) {
        if is_typing(ui) || app.dialog().is_some() {
            return;
        }
        let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        // With the keyboard on a control, arrows go to the next one.
        let arrow = |key: Key| ui.memory(|memory| memory.focused().is_none()) && pressed(key);
        if pressed(Key::J) || pressed(Key::S) || arrow(Key::ArrowDown) {
            self.at = (self.at + 1).min(last);
        }
        if pressed(Key::K) || arrow(Key::ArrowUp) {
            self.at = self.at.saturating_sub(1);
        }
        for (number, reason) in REASONS.iter().enumerate() {
            if let Some(key) = Key::from_name(&(number + 1).to_string())
                && pressed(key)
            {
                self.note = (*reason).to_owned();
            }
        }
        for (key, mark, _) in MARK_KEYS {
            if let Some(key) = Key::from_name(key)
                && pressed(key)
            {
                self.mark(ui, app, mark);
            }
        }
        if takes_letter(ui, "n") {
            self.opens_note = true;
        }
        for (key, tab) in [(Key::V, PanelTab::Versions), (Key::W, PanelTab::Decision)] {
            if pressed(key) {
                app.show_tab(tab);
            }
        }
    }
}

/// The captures that wait, in rows of two lines.
fn two_line_queue<'a>() -> Table<'a, CaptureRow, CaptureId> {
    type Col<'a> = Column<'a, CaptureRow, CaptureId>;
    let columns = [
        Col::text("title", "Page", 140.0, |row| &row.title).second("url", "URL", |row| &row.url),
        Col::made("status", "Status", 56.0, |row| row.status.to_string())
            .draw(|ui, row| drop(status_ui(ui, row.status))),
        Col::made("review", "Review", 72.0, CaptureRow::decision_label).draw(|ui, row| drop(decision_ui(ui, row))),
    ];
    Table::new("review queue", "Captures to review", columns, |row: &CaptureRow| row.id.unsigned_abs()).two_lines()
}

/// A column of the page, with so much space at its left.
fn column(ui: &mut Ui, id: &str, place: Rect, space: f32) -> Ui {
    let place = place.with_min_x((place.left() + space).min(place.right()));
    let mut column = ui.new_child(UiBuilder::new().id_salt(id).max_rect(place));
    column.set_clip_rect(place.expand(theme::RING).intersect(ui.clip_rect()));
    column
}

/// The evidence of a finding in words.
fn evidence_text(evidence: FindingEvidence) -> String {
    match evidence {
        FindingEvidence::Text(text) => text,
        FindingEvidence::Count { number, one, many } => {
            format!("{} {}", text::count(number), if number == 1 { one } else { many })
        }
    }
}

/// What a finding begins with, for who listens.
fn sign_of(level: FindingLevel) -> &'static str {
    match level {
        FindingLevel::Passed => "✔ ",
        FindingLevel::Odd => "⚠ ",
        FindingLevel::Neutral => "",
    }
}

/// Draws the findings of the review checks in a line.
fn checks_ui(ui: &mut Ui, detail: &CaptureDetail) {
    let colors = tokens(ui);
    ui.horizontal_wrapped(|ui| {
        for finding in run_checks(&detail.page_input()) {
            let evidence = format!("{}{}", sign_of(finding.level), evidence_text(finding.evidence));
            match finding.level {
                FindingLevel::Passed => ui.colored_label(colors.accept, evidence),
                FindingLevel::Odd => ui.colored_label(colors.flag, evidence),
                FindingLevel::Neutral => ui.weak(evidence),
            };
            ui.add_space(GROUP_GAP / 2.0);
        }
        anchor_ui(ui, detail);
    });
}

/// Draws the same as a column: what is odd first.
fn findings_ui(ui: &mut Ui, detail: &CaptureDetail) {
    let colors = tokens(ui);
    let mut findings: Vec<_> = run_checks(&detail.page_input()).collect();
    findings.sort_by_key(|finding| match finding.level {
        FindingLevel::Odd => 0,
        FindingLevel::Passed => 1,
        FindingLevel::Neutral => 2,
    });
    ScrollArea::vertical().id_salt("findings").auto_shrink([false, false]).show(ui, |ui| {
        heading_ui(ui, "Findings");
        for finding in findings {
            let (icon, color) = match finding.level {
                FindingLevel::Passed => (Some(Icon::Check), colors.accept),
                FindingLevel::Odd => (Some(Icon::Warning), colors.flag),
                FindingLevel::Neutral => (None, colors.weak_text),
            };
            ui.horizontal_wrapped(|ui| {
                let (square, _) = ui.allocate_exact_size(Vec2::splat(theme::ICON), Sense::hover());
                if let Some(icon) = icon {
                    icon.paint(ui.painter(), square, color);
                }
                let (sign, evidence) = (sign_of(finding.level), evidence_text(finding.evidence));
                let label = ui.label(RichText::new(&evidence).color(color));
                label.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{sign}{evidence}")));
            });
        }
        anchor_ui(ui, detail);
    });
}

fn anchor_ui(ui: &mut Ui, detail: &CaptureDetail) {
    let top_anchor = &detail.row.top_anchor;
    if !top_anchor.is_empty() {
        ui.weak(format!("cited as “{}”", text::short(top_anchor, 60)));
    }
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

fn nothing_ui(ui: &mut Ui, app: &mut AppState, filtered: bool) {
    if filtered {
        empty_ui(ui, "Nothing to review under this filter", "Clear the filter, or include reviewed captures");
    } else {
        empty_ui(ui, "Nothing to review", "All captures of this campaign are reviewed, or there are none yet");
        ui.horizontal(|ui| {
            if ui.button("Show captures").clicked() {
                app.send(Command::Go(Route::Captures { filter: String::new() }));
            }
            action_ui(ui, app, Action::StartCrawl);
        });
    }
}
