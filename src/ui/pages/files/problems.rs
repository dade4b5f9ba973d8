//! Problems of the files, row by row.

use super::{file_name, go, name_of};
use crate::app::models::ProblemId;
use crate::app::models::{ProblemPage, ProblemQuery, ProblemRow};
use crate::app::{AppState, FilesRoute, Focus};
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{coloured_cell_ui, empty_ui, field_ui, loaded_ui, number_cell_ui};
use crate::warc::format_offset;
use egui::Ui;

/// Letters of a name on a button.
const CHIP_CHARS: usize = 60;

/// Draws the problems that fit a question. What is `typed` searches within it.
pub(in crate::ui::pages) fn problems_ui(ui: &mut Ui, app: &mut AppState, query: &ProblemQuery, typed: &mut String) {
    let request = ProblemQuery { text: typed.trim().to_owned(), ..query.clone() };
    let narrowed = request != ProblemQuery::default();
    let answer = app.reads.problems(request);
    ui.horizontal_wrapped(|ui| {
        field_ui(ui, "Filter", typed, "Text in file or problem", theme::FIELD);
        let path = (!query.path.is_empty()).then(|| name_of(&query.path).to_owned());
        let launch = query.launch.map(|launch| format!("import {launch}"));
        for (label, wider) in [
            (query.file.map(|file| file_name(app, file)), ProblemQuery { file: None, ..query.clone() }),
            (launch, ProblemQuery { launch: None, ..query.clone() }),
            (path, ProblemQuery { path: String::new(), ..query.clone() }),
        ] {
            let Some(label) = label else { continue };
            let chip = ui.button(format!("✖ only {}", text::short(&label, CHIP_CHARS)));
            if chip.on_hover_text("Show problems of others too").clicked() {
                go(app, FilesRoute::Problems(wider));
            }
        }
    });
    loaded_ui(ui, &answer, |ui, page| {
        if page.kinds.is_empty() {
            match narrowed {
                true => drop(ui.label("No rows match")),
                false => empty_ui(ui, "No problems", "No problems were found in the imported files"),
            }
            return;
        }
        kinds_ui(ui, app, query, page);
        table_ui(ui, app, page);
    });
}

fn kinds_ui(ui: &mut Ui, app: &mut AppState, query: &ProblemQuery, page: &ProblemPage) {
    ui.horizontal_wrapped(|ui| {
        let all: u64 = page.kinds.iter().map(|(_, count)| count).sum();
        let every = ("".to_owned(), all);
        for (kind, count) in std::iter::once(&every).chain(&page.kinds) {
            let label = if kind.is_empty() { "All" } else { kind };
            if ui.selectable_label(query.kind == *kind, format!("{label} {}", text::count(*count))).clicked() {
                go(app, FilesRoute::Problems(ProblemQuery { kind: kind.clone(), ..query.clone() }));
            }
        }
        let further = page.further(&query.kind);
        if further > 0 {
            let first = text::count(page.rows.len() as u64);
            ui.colored_label(
                tokens(ui).flag,
                format!(
                    "⚠ first {first} shown; filter by kind, file or text to see the other {}",
                    text::count(further)
                ),
            );
        }
        if page.unlisted > 0 {
            ui.colored_label(tokens(ui).flag, format!("⚠ {} more counted but not listed", text::count(page.unlisted)));
        }
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, page: &ProblemPage) {
    type Col<'a> = Column<'a, ProblemRow, ProblemId>;
    let columns = [
        Col::text("kind", "Kind", 180.0, |row| &row.kind)
            .draw(|ui, row| drop(coloured_cell_ui(ui, &format!("⚠ {}", row.kind), tokens(ui).flag))),
        Col::count("offset", "Offset", 110.0, |row| row.offset)
            .draw(|ui, row| number_cell_ui(ui, &format_offset(row.offset))),
        Col::made("details", "Details", 420.0, |row| match row.read_again {
            true => format!("{} (file imported again since)", row.detail),
            false => row.detail.clone(),
        }),
        Col::text("file", "File", 380.0, |row| &row.path),
    ];
    let chosen = match app.focus() {
        Some(Focus::Problem(id)) => Some(id.unsigned_abs()),
        _ => None,
    };
    let table = Table::new("problems", "Problems", columns, |row: &ProblemRow| row.id.unsigned_abs());
    if let Some(id) = table.chosen(chosen).on_focus(|row| Some(row.id)).rows_ui(ui, app, &page.rows) {
        app.follow(Focus::Problem(id));
    }
}
