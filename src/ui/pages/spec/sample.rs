//! The best and worst captures of a request while it is written.

use crate::app::models::{RequestSample, SampleRow, TermFound, quoted};
use crate::app::{Action, AppState};
use crate::campaign::Request;
use crate::ui::facets::named_count_ui;
use crate::ui::pages::select::captures_by;
use crate::ui::table::{Column, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{TypedLine, action_ui, coloured_cell_ui, heading_ui, loaded_ui};
use egui::Ui;

/// Windows narrower than this have the worst captures below the best.
const ROOM_FOR_BOTH: f32 = 1000.0;
/// Narrower columns have why a capture scores as it does below its title.
const ROOM_FOR_COLUMNS: f32 = 400.0;

/// The request that is tried, a moment after the last edit.
#[derive(Default)]
pub(in crate::ui::pages) struct SampleView {
    seen: Option<Request>,
    /// The request as JSON, as it was queried last.
    request_json: String,
    typed: TypedLine,
    /// The terms of the last answer, with the captures that have them.
    found: Vec<TermFound>,
}

impl SampleView {
    /// Draws the captures.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, request: &Request) {
        heading_ui(ui, "Best and worst captures");
        if request.is_empty() {
            ui.weak("Shown once the request asks for something");
            return;
        }
        let is_first = self.seen.is_none();
        let is_edited = self.seen.as_ref() != Some(request);
        if is_edited {
            self.seen = Some(request.clone());
        }
        if self.typed.is_due_after(ui, is_edited, is_first) {
            self.request_json = serde_json::to_string(request).unwrap_or_default();
        }
        let answer = app.reads.request_sample(self.request_json.clone(), app.campaign());
        if let Some(sample) = answer.shown().filter(|sample| sample.terms != self.found) {
            self.found.clone_from(&sample.terms);
        }
        loaded_ui(ui, &answer, |ui, sample| sample_ui(ui, app, sample));
    }

    /// The terms of the request that was tried last, with the captures that have each.
    pub fn found(&self) -> &[TermFound] {
        &self.found
    }
}

fn sample_ui(ui: &mut Ui, app: &mut AppState, sample: &RequestSample) {
    let Some(waiting) = sample.waiting else {
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(tokens(ui).flag, "No text index: the request cannot be tried on the captures");
            action_ui(ui, app, Action::IndexTexts);
        });
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.weak("Of the captures at hand, without saving the request:");
        let others = sample.captures - sample.meeting;
        for (number, label, counts, filter) in [
            (sample.meeting, "meet the request,", "Captures that meet the request", sample.filter.clone()),
            (others, "do not", "Captures that do not meet the request", format!("NOT {}", sample.filter)),
        ] {
            if number == 0 {
                ui.label("0");
            } else if named_count_ui(ui, number, counts) {
                captures_by(app, filter);
            }
            ui.label(label);
        }
        if waiting > 0 {
            let waiting = text::counted(waiting, "capture");
            ui.colored_label(tokens(ui).flag, format!("⚠ {waiting} not indexed yet"));
            action_ui(ui, app, Action::IndexTexts);
        }
    });
    if sample.best.is_empty() {
        ui.weak("No capture has any of its terms");
    }
    if ui.available_width() < ROOM_FOR_BOTH || sample.worst.is_empty() {
        rows_ui(ui, app, &sample.best, false);
        rows_ui(ui, app, &sample.worst, true);
    } else {
        ui.columns_const(|[left, right]| {
            rows_ui(left, app, &sample.best, false);
            rows_ui(right, app, &sample.worst, true);
        });
    }
}

fn rows_ui(ui: &mut Ui, app: &mut AppState, rows: &[SampleRow], is_worst: bool) {
    let (id, name, title) = match is_worst {
        false => ("request best", "Best captures", "The best, as the request scores them"),
        true => ("request worst", "Worst captures", "The worst that meet the request"),
    };
    if rows.is_empty() {
        return;
    }
    ui.add_space(GAP / 2.0);
    ui.label(title);
    type Col<'a> = Column<'a, SampleRow, String>;
    let found =
        Col::text("found", "Found", 210.0, |row| &row.found).about("Terms of the request, with where and how often");
    let lacks = Col::text("lacks", "Lowers the score", 190.0, lacks_of)
        .about("Terms of the request that are missing, and terms against the page")
        .draw(|ui, row| {
            let color = if row.holds { tokens(ui).weak_text } else { tokens(ui).flag };
            coloured_cell_ui(ui, lacks_of(row), color);
        });
    // Why a capture is where it is comes first; in a narrow column below its title.
    let [first, second] = if is_worst { [lacks, found] } else { [found, lacks] };
    let is_beside = ui.available_width() < ROOM_FOR_COLUMNS;
    let title = Col::text("title", "Title", 180.0, title_of)
        .link("Show all captures of this page", |row| Some(format!("key:{}", quoted(&row.url))));
    let (title, first, second) = match is_beside {
        true => {
            let why = if is_worst { lacks_of } else { found_of };
            (Col::text("title", "Title", 176.0, title_of).second("why", "Why", why), first.hidden(), second.hidden())
        }
        false => (title, first, second),
    };
    let columns = [
        Col::value("score", "Score", 56.0, |row| Value::Fraction(row.score))
            .numeric()
            .about("The part of the score that the request is, 0 to 1"),
        title,
        first,
        second,
        hidden_if(is_beside, Col::text("url", "URL", 240.0, |row| &row.url)),
        hidden_if(is_beside, Col::day("date", "Captured", 90.0, |row| row.date).about("Of the capture read, UTC")),
    ];
    let row_height = if is_beside { theme::SIDE_ROW } else { theme::ROW };
    let height = theme::HEAD_ROW + rows.len() as f32 * row_height + theme::ROW;
    let id = if is_beside { ["request best beside", "request worst beside"][usize::from(is_worst)] } else { id };
    let table = Table::new(id, name, columns, |row: &SampleRow| row.capture.unsigned_abs())
        .height(height)
        .row_height(row_height)
        .aside()
        .on_open(|row| Some(format!("key:{}", quoted(&row.url))));
    if let Some(filter) = table.rows_ui(ui, app, rows) {
        captures_by(app, filter);
    }
}

fn hidden_if<'a>(is_hidden: bool, column: Column<'a, SampleRow, String>) -> Column<'a, SampleRow, String> {
    if is_hidden { column.hidden() } else { column }
}

fn title_of(row: &SampleRow) -> &str {
    if row.title.is_empty() { &row.url } else { &row.title }
}

fn found_of(row: &SampleRow) -> &str {
    &row.found
}

/// Why a row scores low, or why that is not known.
fn lacks_of(row: &SampleRow) -> &str {
    row.unread.as_deref().unwrap_or(&row.lacks)
}
