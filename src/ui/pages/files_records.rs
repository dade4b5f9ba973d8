//! The records that an import has counted, row by row.

use super::files::{go, name_of};
use super::files_imports::lines_ui;
use crate::app::models::{FoundRecord, FoundRecords, LaunchId, Loaded};
use crate::app::{AppState, FilesRoute};
use crate::ui::table::Table;
use crate::ui::theme::tokens;
use crate::ui::widgets::{loaded_ui, progress_ui};
use crate::ui::words;
use crate::warc::offset_words;
use egui::Ui;

/// Letters of a name on a button.
const CHIP_CHARS: usize = 60;

/// Draws the records of an import, or of one of its files.
pub(super) fn records_ui(ui: &mut Ui, app: &mut AppState, launch: LaunchId, path: Option<&str>) {
    ui.horizontal_wrapped(|ui| {
        if ui.button(format!("← Import {launch}")).clicked() {
            go(app, FilesRoute::Imports(Some((launch, Vec::new()))));
        }
        if let Some(path) = path {
            let chip = ui.button(format!("✖ only {}", words::short(name_of(path), CHIP_CHARS)));
            if chip.on_hover_text("Show records of other files too").clicked() {
                go(app, FilesRoute::Records(launch, None));
            }
        }
    });
    let (answer, progress) = app.import_records(launch, path);
    let is_first = progress.is_some() && !matches!(answer, Loaded::Ready(_));
    progress_ui(ui, progress);
    if !is_first {
        loaded_ui(ui, &answer, found_ui);
    }
}

fn found_ui(ui: &mut Ui, found: &FoundRecords) {
    let count = words::counted(found.rows.len() as u64, "record", "records");
    match found.is_cut {
        true => drop(ui.colored_label(tokens(ui).flag, format!("⚠ first {count} shown"))),
        false => drop(ui.label(count)),
    }
    if !found.unread.is_empty() {
        let count = words::counted(found.unread.len() as u64, "file", "files");
        ui.colored_label(tokens(ui).flag, format!("⚠ {count} could not be read to the end"));
        lines_ui(ui, &found.unread);
    }
    if !found.differing.is_empty() {
        let (count, are) = (words::counted(found.differing.len() as u64, "file", "files"), "changed since the import");
        ui.colored_label(tokens(ui).flag, format!("⚠ {count} {are}"));
        lines_ui(ui, &found.differing);
    }
    table_ui(ui, &found.rows);
}

fn table_ui(ui: &mut Ui, rows: &[FoundRecord]) {
    const COLUMNS: [(&str, f32); 6] =
        [("Type", 90.0), ("Offset", 110.0), ("Length", 76.0), ("Date (UTC)", 150.0), ("URL", 420.0), ("File", 320.0)];
    Table::new("records", &COLUMNS, rows.len()).show_ui(
        ui,
        |cells, index| {
            let row = &rows[index];
            cells.text(&row.kind);
            cells.text(&offset_words(row.offset));
            cells.text(&words::bytes(row.length));
            cells.text(&row.date.map(|date| date.to_words()).unwrap_or_default());
            cells.text(&row.target);
            cells.text(&row.path);
        },
        |_, _| {},
    );
}
