//! The records that an import has counted, row by row.

use super::imports::lines_ui;
use super::{go, name_of};
use crate::app::models::{FoundRecord, FoundRecords, LaunchId, Loaded};
use crate::app::{AppState, FilesRoute};
use crate::ui::table::{Column, Table, Value, key_of};
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::{loaded_ui, number_cell_ui, progress_ui};
use crate::warc::format_offset;
use egui::Ui;

/// Letters of a name on a button.
const CHIP_CHARS: usize = 60;

/// Draws the records of an import, or of one of its files.
pub(in crate::ui::pages) fn records_ui(ui: &mut Ui, app: &mut AppState, launch: LaunchId, path: Option<&str>) {
    ui.horizontal_wrapped(|ui| {
        if ui.button(format!("← Import {launch}")).clicked() {
            go(app, FilesRoute::Imports(Some((launch, Vec::new()))));
        }
        if let Some(path) = path {
            let chip = ui.button(format!("✖ only {}", text::short(name_of(path), CHIP_CHARS)));
            if chip.on_hover_text("Show records of other files too").clicked() {
                go(app, FilesRoute::Records(launch, None));
            }
        }
    });
    let (answer, progress) = app.import_records(launch, path);
    let is_first = progress.is_some() && !matches!(answer, Loaded::Ready(_));
    progress_ui(ui, progress);
    if !is_first {
        loaded_ui(ui, &answer, |ui, found| found_ui(ui, app, found));
    }
}

fn found_ui(ui: &mut Ui, app: &mut AppState, found: &FoundRecords) {
    let count = text::counted(found.rows.len() as u64, "record");
    match found.is_cut {
        true => drop(ui.colored_label(tokens(ui).flag, format!("⚠ first {count} shown"))),
        false => drop(ui.label(count)),
    }
    if !found.unread.is_empty() {
        let count = text::counted(found.unread.len() as u64, "file");
        ui.colored_label(tokens(ui).flag, format!("⚠ {count} could not be read to the end"));
        lines_ui(ui, &found.unread);
    }
    if !found.differing.is_empty() {
        let (count, are) = (text::counted(found.differing.len() as u64, "file"), "changed since the import");
        ui.colored_label(tokens(ui).flag, format!("⚠ {count} {are}"));
        lines_ui(ui, &found.differing);
    }
    table_ui(ui, app, &found.rows);
}

fn table_ui(ui: &mut Ui, app: &mut AppState, rows: &[FoundRecord]) {
    type Col<'a> = Column<'a, FoundRecord>;
    let columns = [
        Col::text("type", "Type", 90.0, |row| &row.kind),
        Col::count("offset", "Offset", 110.0, |row| row.offset)
            .draw(|ui, row| number_cell_ui(ui, &format_offset(row.offset))),
        Col::bytes("length", "Length", 76.0, |row| row.length),
        Col::value("date", "Date (UTC)", 150.0, |row| row.date.map_or(Value::Unknown, Value::Date)),
        Col::text("url", "URL", 420.0, |row| &row.target),
        Col::text("file", "File", 320.0, |row| &row.path),
    ];
    Table::new("records", "Records", columns, |row| key_of((&row.path, row.offset))).rows_ui(ui, app, rows);
}
