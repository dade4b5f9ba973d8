//! Entities and terms of the text of a capture.

use crate::app::models::{FoundEntity, PageAnalysis, SearchQuery, quoted};
use crate::app::{Action, AppState, Command, Route};
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::widgets::{action_ui, empty_ui};
use egui::Ui;

/// Draws what the newest analysis found in the text of a capture.
pub fn page_entities_ui(ui: &mut Ui, app: &mut AppState, page: &PageAnalysis) {
    if page.run.is_none() {
        empty_ui(ui, "Nothing found in its text", "It was not analysed, or has no text");
        action_ui(ui, app, Action::Analyse);
        return;
    }
    if !page.terms.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.weak("Terms");
            for (term, _) in &page.terms {
                if ui.link(text::line(term)).on_hover_text("Show captures with this term").clicked() {
                    let line = format!("main:{}", quoted(term));
                    app.send(Command::Go(Route::Search(SearchQuery { text: line, ..SearchQuery::default() })));
                }
            }
        });
    }
    type Col<'a> = Column<'a, FoundEntity, Route>;
    let open = |row: &FoundEntity| {
        let of = &row.entity;
        let entity = if of.uri.is_empty() { of.name.clone() } else { of.uri.clone() };
        Some(Route::Entities { entity })
    };
    let columns = [
        Col::text("name", "Name", 260.0, |row| &row.entity.name).link("Show where it is named", open),
        Col::text("kind", "Kind", 110.0, |row| row.entity.kind.label()),
        Col::count("here", "Mentions here", 110.0, |row| row.places.len() as u64),
        Col::count("pages", "Pages", 80.0, |row| row.entity.pages),
        Col::text("source", "Authority", 160.0, |row| &row.entity.source).or("(none)"),
    ];
    let table =
        Table::new("entities of page", "Entities of this page", columns, |row: &FoundEntity| u64::from(row.entity.id))
            .aside();
    if let Some(route) = table.on_open(open).rows_ui(ui, app, &page.entities) {
        app.send(Command::Go(route));
    }
}
