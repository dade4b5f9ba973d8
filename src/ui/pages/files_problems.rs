//! What is broken or odd in the files, row by row.

use super::files::go;
use crate::app::models::{ProblemPage, ProblemQuery};
use crate::app::{AppState, FilesRoute, Focus};
use crate::ui::table::Table;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{coloured_cell_ui, empty_ui, field_ui, loaded_ui};
use crate::ui::words;
use egui::Ui;

/// Draws the problems that fit a question. `typed` is the filter line.
pub(super) fn problems_ui(ui: &mut Ui, app: &mut AppState, query: &ProblemQuery, typed: &mut String) {
    let asked = ProblemQuery { words: format!("{}{}", query.words, typed.trim()), ..query.clone() };
    let narrowed = asked != ProblemQuery::default();
    let answer = app.reads.problems(asked);
    ui.horizontal_wrapped(|ui| {
        field_ui(ui, "Filter", typed, "Words in file or problem", theme::FIELD);
        for (is_set, label, wider) in [
            (query.file.is_some(), "one file only", ProblemQuery { file: None, ..query.clone() }),
            (query.launch.is_some(), "one import only", ProblemQuery { launch: None, ..query.clone() }),
            (!query.words.is_empty(), "one name only", ProblemQuery { words: String::new(), ..query.clone() }),
        ] {
            if is_set && ui.button(format!("✖ {label}")).on_hover_text("Show those of the others, too").clicked() {
                go(app, FilesRoute::Problems(wider));
            }
        }
    });
    loaded_ui(ui, &answer, |ui, page| {
        if page.kinds.is_empty() {
            match narrowed {
                true => drop(ui.label("No rows match")),
                false => empty_ui(
                    ui,
                    "No problems are known",
                    "Nothing broken or odd was met in the files that were imported",
                ),
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
            let word = if kind.is_empty() { "All" } else { kind };
            if ui.selectable_label(query.kind == *kind, format!("{word} {}", words::count(*count))).clicked() {
                go(app, FilesRoute::Problems(ProblemQuery { kind: kind.clone(), ..query.clone() }));
            }
        }
        if page.unlisted > 0 {
            ui.colored_label(
                tokens(ui).flag,
                format!("⚠ {} more were counted but are not listed", words::count(page.unlisted)),
            );
        }
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, page: &ProblemPage) {
    const COLUMNS: [(&str, f32); 4] = [("Kind", 180.0), ("Offset", 110.0), ("What exactly", 420.0), ("File", 380.0)];
    let rows = &page.rows;
    let chosen = rows.iter().position(|row| app.focus == Some(Focus::Problem(row.id)));
    let clicked = Table::new("problems", &COLUMNS, rows.len()).chosen(chosen).show_ui(
        ui,
        |cells, index| {
            let row = &rows[index];
            cells.ui(|ui| {
                coloured_cell_ui(ui, &format!("⚠ {}", row.kind), tokens(ui).flag);
            });
            cells.number(row.offset);
            cells.text(&row.detail);
            cells.text(&row.path);
        },
        |_, _| {},
    );
    if let Some(index) = clicked {
        app.focus = Some(Focus::Problem(rows[index].id));
        app.settings.lower_panel = true;
    }
}
