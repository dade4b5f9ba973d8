//! Captures related to the current one, with the reasons.

use crate::app::models::{CaptureId, RelatedPage, RelatedRow};
use crate::app::{Action, AppState};
use crate::ui::table::{Column, Table, Value};
use crate::ui::widgets::{action_ui, empty_ui};
use egui::Ui;

/// Draws the related captures, the most related first. One that is opened is followed.
pub fn related_ui(ui: &mut Ui, app: &mut AppState, page: &RelatedPage) {
    ui.horizontal_wrapped(|ui| {
        if !page.built {
            ui.weak("Inlinks are not built yet: what links here is not known");
            action_ui(ui, app, Action::BuildInlinks);
        }
        if !page.indexed {
            ui.weak("The text of this capture is not indexed: texts are not compared");
            action_ui(ui, app, Action::IndexTexts);
        }
        if page.left_out > 0 {
            ui.weak("The most related ones are listed, not all");
        }
    });
    if page.rows.is_empty() {
        empty_ui(
            ui,
            "Nothing related",
            "No captured page links here, is linked from here, is cited beside it or has a text like it",
        );
        return;
    }
    type Col<'a> = Column<'a, RelatedRow, CaptureId>;
    let columns = [
        Col::made("reasons", "Why", 330.0, RelatedRow::reasons),
        Col::text("title", "Title", 240.0, |row| &row.capture.title).or("(no title)"),
        Col::text("url", "URL", 320.0, |row| &row.capture.url).link("Open this capture", |row| Some(row.capture.id)),
        Col::date("date", "Captured", 140.0, |row| row.capture.date),
        Col::count("cited_together", "Same citing pages", 110.0, |row| row.cited_together).hidden(),
        Col::value("likeness", "Likeness of text", 110.0, |row| {
            row.likeness.map_or(Value::Unknown, |likeness| Value::Fraction(f64::from(likeness)))
        })
        .numeric()
        .hidden(),
        Col::value("weight", "Weight", 80.0, |row| Value::Fraction(row.weight)).numeric().hidden(),
    ];
    let table = Table::new("related", "Related captures", columns, |row: &RelatedRow| row.capture.id.unsigned_abs())
        .aside()
        .on_open(|row| Some(row.capture.id));
    if let Some(capture) = table.rows_ui(ui, app, &page.rows) {
        app.follow_beside(vec![capture]);
    }
}
