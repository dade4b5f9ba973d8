//! Going through captures one by one.

use crate::analysis::{FindingEvidence, FindingLevel, run_checks};
use crate::app::models::{
    CaptureDetail, CaptureId, CapturePage, CaptureQuery, CaptureRow, CaptureTab, Loaded, ReviewMark, changed_rejections,
};
use crate::app::{Action, AppState, Command, Focus, MARK_KEYS, PanelTab, REJECTED_BEFORE, Route};
use crate::ui::decisions::{decides_on, keep_note};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::long_text::LongText;
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{
    REVIEW_NOTE, action_ui, decision_ui, empty_ui, heading_ui, is_typing, keep_page_room, loaded_ui, note_field_ui,
    status_ui, takes_letter, write_button_ui,
};
use egui::{Key, Modifiers, RichText, ScrollArea, TextEdit, Ui};

/// Captures of the queue that are held at once.
const QUEUE: u64 = 200;
/// Width of the queue.
const QUEUE_WIDTH: f32 = 360.0;
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
            let label = ui.label("Filter");
            ui.add(
                TextEdit::singleline(&mut self.filter)
                    .hint_text("words or fields, as in Captures")
                    .desired_width(theme::FIELD),
            )
            .labelled_by(label.id);
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
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_width(QUEUE_WIDTH.min(ui.available_width() / 3.0));
                type Col<'a> = Column<'a, CaptureRow, CaptureId>;
                let columns = [
                    Col::made("review", "Review", 90.0, CaptureRow::decision_label)
                        .draw(|ui, row| drop(decision_ui(ui, row))),
                    Col::made("status", "Status", 60.0, |row| row.status.to_string())
                        .draw(|ui, row| drop(status_ui(ui, row.status))),
                    Col::text("url", "URL", 180.0, |row| &row.url),
                ];
                let table =
                    Table::new("review queue", "Captures to review", columns, |row: &CaptureRow| row.id.unsigned_abs());
                let table = table.chosen(Some(row.id.unsigned_abs())).on_focus(|row| Some(row.id));
                let clicked = table.rows_ui(ui, app, rows.iter().copied());
                if let Some(at) = clicked.and_then(|id| rows.iter().position(|row| row.id == id)) {
                    self.at = at;
                }
            });
            ui.add_space(GAP);
            ui.vertical(|ui| self.capture_ui(ui, app, shown));
        });
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

    fn capture_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        // The text is what is read: in a low window it gets the height.
        let is_low = ui.ctx().content_rect().height() < theme::LOW_WINDOW;
        let answer = app.reads.detail(id, app.settings.window_days);
        loaded_ui(ui, &answer, |ui, detail| {
            let row = &detail.row;
            let title = if row.title.is_empty() { "(no title)".to_owned() } else { text::short(&row.title, 160) };
            ui.label(RichText::new(title).heading().color(tokens(ui).strong_text));
            if ui.link(text::short(&row.url, 160)).on_hover_text("Pages that link here").clicked() {
                app.send(Command::Go(Route::Links { target: row.url.clone() }));
            }
        });
        let mut reason = None;
        let mut reasons_ui = |ui: &mut Ui| {
            for (number, label) in REASONS.iter().enumerate() {
                if ui.small_button(format!("{} {label}", number + 1)).clicked() {
                    reason = Some(*label);
                }
            }
        };
        ui.horizontal_wrapped(|ui| {
            for (key, mark, label) in MARK_KEYS {
                if write_button_ui(ui, format!("{label}  {key}")).clicked() {
                    self.mark(ui, app, mark);
                }
            }
            if ui.button("Skip  S").clicked() {
                self.at += 1;
            }
            if is_low {
                ui.menu_button("Reasons", &mut reasons_ui);
            }
        });
        ui.horizontal_wrapped(|ui| {
            let opens = std::mem::take(&mut self.opens_note);
            if note_field_ui(ui, REVIEW_NOTE, "Reason or note", &mut self.note, opens) {
                keep_note(app, vec![id].into(), &mut self.note);
            }
            if !is_low {
                reasons_ui(ui);
            }
        });
        if let Some(reason) = reason {
            reason.clone_into(&mut self.note);
        }
        if let Some(detail) = answer.shown() {
            checks_ui(ui, detail);
        }
        if !is_low {
            heading_ui(ui, "Text");
        }
        let content = app.reads.content(id);
        keep_page_room(ui, theme::ROWS_LEAST as f32 * ui.text_style_height(&egui::TextStyle::Body));
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

/// Draws the findings of the review checks.
fn checks_ui(ui: &mut Ui, detail: &CaptureDetail) {
    let colors = tokens(ui);
    ui.horizontal_wrapped(|ui| {
        for finding in run_checks(&detail.page_input()) {
            let evidence = match finding.evidence {
                FindingEvidence::Text(text) => text,
                FindingEvidence::Count { number, one, many } => {
                    format!("{} {}", text::count(number), if number == 1 { one } else { many })
                }
            };
            match finding.level {
                FindingLevel::Passed => ui.colored_label(colors.accept, format!("✔ {evidence}")),
                FindingLevel::Odd => ui.colored_label(colors.flag, format!("⚠ {evidence}")),
                FindingLevel::Neutral => ui.weak(evidence),
            };
            ui.add_space(GROUP_GAP / 2.0);
        }
        let top_anchor = &detail.row.top_anchor;
        if !top_anchor.is_empty() {
            ui.weak(format!("cited as “{}”", text::short(top_anchor, 60)));
        }
    });
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
