//! Selections that were saved under a name, and collections of captures.

use crate::app::models::{CampaignId, CollectionRow, CollectionSpec, Loaded, NamedSelection, SelectionPage, quoted};
use crate::app::{AppState, Command, Route, SelectionAct};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme;
use crate::ui::widgets::{field_ui, loaded_ui, write_button_ui, write_ui};
use egui::{Button, Id, Ui, UiBuilder};

/// Height of a list.
const LIST: f32 = 170.0;
/// The hint of a number of captures.
const SHOW: &str = "Show these captures";

/// Fields of the next selection to save and of the next collection.
#[derive(Default)]
pub struct NamedFields {
    name: String,
    collection: CollectionSpec,
    /// A rule was brought here: the name of its collection is to be typed.
    leads: bool,
}

/// An action on a row.
enum NamedAction {
    Show(String),
    Try(Box<crate::app::models::SelectionSpec>),
    Act(SelectionAct),
    Edit(CollectionSpec),
}

impl NamedFields {
    /// Makes a filter the rule of a new collection, which a person has to name and save.
    pub fn propose(&mut self, filter: String) {
        self.collection = CollectionSpec { filter, ..CollectionSpec::default() };
        self.leads = true;
    }

    /// Draws the saved selections of a campaign.
    pub fn saved_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: CampaignId, page: &SelectionPage) {
        ui.horizontal_wrapped(|ui| {
            field_ui(ui, "Name", &mut self.name, "such as Handover 2026", theme::FIELD);
            let why_not = match (&page.spec, self.name.trim()) {
                (None, _) => Some("Save a selection first"),
                (_, "") => Some("Name it first"),
                _ => None,
            };
            if write_ui(ui, why_not, Button::new("Save under this name")).clicked() {
                app.send(Command::Selections(SelectionAct::Name(campaign, std::mem::take(&mut self.name))));
            }
        });
        if page.named.is_empty() {
            ui.weak("None yet. A saved selection stays as it is and is compared with the kept one");
            return;
        }
        type Col<'a> = Column<'a, NamedSelection, NamedAction>;
        let of = |row: &NamedSelection| format!("saved:{}", quoted(&row.name));
        let columns = [
            Col::text("name", "Name", 180.0, |row| &row.name),
            Col::count("captures", "Captures", 76.0, |row| row.captures)
                .link(SHOW, move |row| Some(NamedAction::Show(of(row)))),
            Col::count("added", "+ kept", 76.0, |row| row.added)
                .about("Captures of the kept selection that are not in this one")
                .link(SHOW, move |row| Some(NamedAction::Show(format!("selected:yes -{}", of(row))))),
            Col::count("removed", "− kept", 76.0, |row| row.removed)
                .about("Captures of this one that are not in the kept selection")
                .link(SHOW, move |row| Some(NamedAction::Show(format!("{} -selected:yes", of(row))))),
            Col::date("saved", "Saved (UTC)", 150.0, |row| row.date),
            Col::text("who", "By", 120.0, |row| &row.who),
            Col::made("criterion", "Selected by", 300.0, |row| row.spec.criterion()),
        ];
        let table =
            Table::new("named-selections", "Saved selections", columns, |row: &NamedSelection| key_of(&row.name))
                .height(LIST)
                .menu(move |ui, row| {
                    if ui.button("Try its settings").clicked() {
                        return Some(NamedAction::Try(Box::new(row.spec.clone())));
                    }
                    let delete = write_button_ui(ui, "Delete this saved selection").clicked();
                    delete.then(|| NamedAction::Act(SelectionAct::ForgetName(campaign, row.name.clone())))
                });
        let action = table.rows_ui(ui, app, &page.named);
        self.answer(app, action);
    }

    /// Draws the collections; `is_whole` where all above is there, so that they stay where they are.
    pub fn collections_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: CampaignId, is_whole: bool) {
        let answer = app.reads.collections();
        loaded_ui(ui, &answer, |ui, rows| self.collection_rows_ui(ui, app, (campaign, is_whole), rows));
    }

    fn collection_rows_ui(&mut self, ui: &mut Ui, app: &mut AppState, of: (CampaignId, bool), rows: &[CollectionRow]) {
        // What is above comes and goes: the field that was led to stays the same.
        let fields = UiBuilder::new().scope_id(Id::unique("fields of a collection"));
        ui.scope_builder(fields, |ui| self.collection_fields_ui(ui, app, of, rows));
        self.collection_list_ui(ui, app, rows);
    }

    fn collection_fields_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        (campaign, is_whole): (CampaignId, bool),
        rows: &[CollectionRow],
    ) {
        ui.horizontal_wrapped(|ui| {
            let spec = &mut self.collection;
            let name = field_ui(ui, "Collection", &mut spec.name, "name", theme::FIELD);
            if is_whole && std::mem::take(&mut self.leads) {
                name.request_focus();
                name.scroll_to_me(Some(egui::Align::Center));
            }
            field_ui(ui, "For", &mut spec.about, "what it is for", theme::FIELD);
            field_ui(ui, "Filled by filter", &mut spec.filter, "empty: by hand", theme::FIELD).on_hover_text(
                "Asked again after each crawl and import, such as host:ria.example status:200 score>=0.5",
            );
            let why_not = spec.name.trim().is_empty().then_some("Name it first");
            if write_ui(ui, why_not, Button::new("Save collection")).clicked() {
                let mut spec = std::mem::take(spec);
                spec.campaign = (!spec.filter.trim().is_empty()).then_some(campaign);
                app.send(Command::Selections(SelectionAct::SaveCollection(spec)));
            }
            if rows.iter().any(|row| !row.filter.is_empty()) && write_button_ui(ui, "Ask the filters now").clicked() {
                app.send(Command::Selections(SelectionAct::FillCollections));
            }
        });
        if !self.collection.filter.trim().is_empty() {
            ui.weak("Name the collection and save it: its filter is asked now and after each crawl and import");
        }
    }

    fn collection_list_ui(&mut self, ui: &mut Ui, app: &mut AppState, rows: &[CollectionRow]) {
        if rows.is_empty() {
            ui.weak("None yet. Captures are put into one on the page Captures, or by its filter after each crawl");
            return;
        }
        type Col<'a> = Column<'a, CollectionRow, NamedAction>;
        let of = |row: &CollectionRow| format!("collection:{}", quoted(&row.name));
        let columns = [
            Col::text("name", "Name", 180.0, |row| &row.name),
            Col::count("captures", "Captures", 76.0, |row| row.captures)
                .link(SHOW, move |row| Some(NamedAction::Show(of(row)))),
            Col::count("rejected", "Rejected", 76.0, |row| row.rejected)
                .about("A person rejected them: no selection takes them from here")
                .link(SHOW, move |row| Some(NamedAction::Show(format!("{} mark:reject", of(row))))),
            Col::count("out", "Taken out", 76.0, |row| row.taken_out)
                .about("A person took them out: the filter does not bring them back")
                .link(SHOW, |row| Some(NamedAction::Show(format!("uncollected:{}", quoted(&row.name))))),
            Col::text("filter", "Filled by", 220.0, |row| &row.filter).or("by hand"),
            Col::text("about", "For", 220.0, |row| &row.about),
            Col::text("origin", "Came with", 160.0, |row| row.origin.as_deref().unwrap_or("")).or("made here"),
        ];
        let table = Table::new("collections", "Collections", columns, |row: &CollectionRow| key_of(&row.name))
            .height(LIST)
            .menu(|ui, row| {
                if write_button_ui(ui, "Change…").clicked() {
                    return Some(NamedAction::Edit(CollectionSpec {
                        name: row.name.clone(),
                        about: row.about.clone(),
                        filter: row.filter.clone(),
                        campaign: row.campaign,
                    }));
                }
                let delete = write_button_ui(ui, "Delete this collection").clicked();
                delete.then(|| NamedAction::Act(SelectionAct::ForgetCollection(row.name.clone())))
            });
        let action = table.rows_ui(ui, app, rows);
        self.answer(app, action);
    }

    fn answer(&mut self, app: &mut AppState, action: Option<NamedAction>) {
        match action {
            Some(NamedAction::Show(filter)) => app.send(Command::GoToAll(Route::Captures { filter })),
            Some(NamedAction::Try(spec)) => app.open.selection_draft = *spec,
            Some(NamedAction::Act(act)) => app.send(Command::Selections(act)),
            Some(NamedAction::Edit(spec)) => self.collection = spec,
            None => {}
        }
    }
}

/// Draws the collections that the draft selects as well, where there are any.
pub fn chosen_collections_ui(ui: &mut Ui, app: &mut AppState) {
    let rows = match app.reads.collections() {
        Loaded::Ready(rows) | Loaded::Loading { last: Some(rows) } if !rows.is_empty() => rows,
        _ => return,
    };
    ui.horizontal_wrapped(|ui| {
        ui.label("Select also").on_hover_text("Captures of these collections, whatever their score");
        for row in rows.iter() {
            let chosen = &mut app.open.selection_draft.collections;
            let mut is_in = chosen.contains(&row.name);
            if ui.checkbox(&mut is_in, text::line(&row.name)).changed() {
                chosen.retain(|name| *name != row.name);
                if is_in {
                    chosen.push(row.name.clone());
                }
            }
        }
    });
}

/// Buttons that put captures into a collection, or take them out.
pub fn collect_ui(ui: &mut Ui, app: &mut AppState) {
    let target = app.decision_target();
    for (label, out) in [("Add to collection", false), ("Take out of collection", true)] {
        // A disabled part of the page would not go to the next line as a button does.
        let captures = match (&target, app.read_only()) {
            (Ok(captures), None) => captures,
            (target, _) => {
                write_ui(ui, target.as_ref().err().copied(), Button::new(label));
                continue;
            }
        };
        ui.menu_button(label, |ui| {
            let answer = app.reads.collections();
            loaded_ui(ui, &answer, |ui, rows| {
                if rows.is_empty() {
                    ui.weak("None yet; make one on Select & export");
                }
                for row in rows {
                    if ui.button(text::line(&row.name)).clicked() {
                        let (captures, name) = (captures.clone(), row.name.clone());
                        app.send(Command::Selections(SelectionAct::Collect { captures, name, out }));
                        ui.close();
                    }
                }
            });
        });
    }
}
