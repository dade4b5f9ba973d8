//! Searches under a name: kept, opened again, renamed, removed.

use crate::app::models::{SavedSearch, SearchOrder, SearchQuery};
use crate::app::{AppState, Command, SearchAct};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{field_ui, heading_ui, loaded_ui, write_button_ui, write_ui};
use egui::{Button, Ui};

/// Height of the list.
const LIST: f32 = 120.0;

/// State of the saved searches between frames.
#[derive(Default)]
pub struct SavedPart {
    /// Whether it is shown.
    pub is_open: bool,
    name: String,
}

/// An action on a row.
enum SavedAction {
    Open(Box<SearchQuery>),
    Act(SearchAct),
    /// Its name is put into the field.
    Name(String),
}

impl SavedPart {
    /// Draws the list, and a field for the name of the current search. Gives
    /// the search that shall be opened.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, present: &SearchQuery) -> Option<SearchQuery> {
        heading_ui(ui, "Saved searches");
        ui.horizontal_wrapped(|ui| {
            field_ui(ui, "Name of the search", &mut self.name, "such as Elections 2024", theme::FIELD);
            let why_not = match (present.query_line().is_empty(), self.name.trim()) {
                (true, _) => Some("Search for something first"),
                (_, "") => Some("Name it first"),
                _ => None,
            };
            if write_ui(ui, why_not, Button::new("Save this search")).clicked() {
                let name = std::mem::take(&mut self.name);
                app.send(Command::Searches(SearchAct::Save(name, Box::new(present.clone()))));
            }
        });
        let answer = app.reads.saved_searches();
        let mut opened = None;
        loaded_ui(ui, &answer, |ui, rows| opened = self.rows_ui(ui, app, rows));
        ui.add_space(GAP);
        opened
    }

    fn rows_ui(&mut self, ui: &mut Ui, app: &mut AppState, rows: &[SavedSearch]) -> Option<SearchQuery> {
        if rows.is_empty() {
            ui.weak("None yet. A saved search keeps the query and the order, and runs again each time");
            return None;
        }
        type Col<'a> = Column<'a, SavedSearch, SavedAction>;
        let columns = [
            Col::text("name", "Name", 200.0, |row| &row.name),
            Col::text("query", "Query", 540.0, |row| &row.query).or("everything"),
            Col::text("order", "Order", 110.0, |row| order_label(row.order)),
            Col::date("saved", "Saved (UTC)", 150.0, |row| row.date),
            Col::text("who", "By", 120.0, |row| &row.who),
        ];
        let typed = self.name.trim().to_owned();
        let table = Table::new("saved-searches", "Saved searches", columns, |row: &SavedSearch| key_of(&row.name))
            .height(LIST)
            .on_open(|row| Some(SavedAction::Open(Box::new(row.query()))))
            .menu(move |ui, row| {
                if ui.button("Open this search").clicked() {
                    return Some(SavedAction::Open(Box::new(row.query())));
                }
                if typed.is_empty() {
                    if ui.button("Put its name into the field, to change it").clicked() {
                        return Some(SavedAction::Name(row.name.clone()));
                    }
                } else if write_button_ui(ui, format!("Rename to “{typed}”")).clicked() {
                    let (from, to) = (row.name.clone(), typed.clone());
                    return Some(SavedAction::Act(SearchAct::Rename { from, to }));
                }
                let remove = write_button_ui(ui, "Remove this saved search").clicked();
                remove.then(|| SavedAction::Act(SearchAct::Forget(row.name.clone())))
            });
        match table.rows_ui(ui, app, rows)? {
            SavedAction::Open(query) => return Some(*query),
            SavedAction::Name(name) => self.name = name,
            SavedAction::Act(act) => {
                if matches!(act, SearchAct::Rename { .. }) {
                    self.name.clear();
                }
                app.send(Command::Searches(act));
            }
        }
        None
    }
}

/// An order of results in the words of the screen.
pub fn order_label(order: SearchOrder) -> &'static str {
    match order {
        SearchOrder::Relevance => "Best first",
        SearchOrder::Newest => "Newest first",
        SearchOrder::Oldest => "Oldest first",
    }
}
