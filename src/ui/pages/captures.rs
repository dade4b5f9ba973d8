//! The captures table: ready filters, filter line, selection, marks.

use super::captures_table::{CaptureAction, captures_table};
use super::files::name_of;
use super::launch_changes;
use super::select::named::collect_ui;
use crate::app::models::{
    CaptureId, CapturePage, CaptureQuery, CaptureTab, FileId, Loaded, PatchSource, facet_choices, filter_fields,
    toggle_facet, with_facets,
};
use crate::app::{Action, AppState, Command, Focus, LIST_PAGE, Route, RowQuery, SelectedRows};
use crate::query::{FieldTerm, QUERY_RULES, Query, parse_fields};
use crate::ui::decisions::decision_buttons_ui;
use crate::ui::facets::{FACETS_WIDTH, FacetAction, Facets, ROOM_FOR_FACETS, chosen_ui};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::table::{Selection, TableState};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{
    OLD_OPACITY, TypedLine, Waiting, action_ui, drop_ui, empty_ui, filter_chip_ui, is_typing, line_field_ui, loaded_ui,
    name_sign, notice_ui,
};
use crate::uri::Url;
use egui::{Key, Modifiers, Ui};
use std::sync::Arc;

/// Letters of a file's name on a button.
const CHIP_CHARS: usize = 60;

const TABS: [(CaptureTab, &str); 13] = [
    (CaptureTab::All, "All"),
    (CaptureTab::Html, "HTML"),
    (CaptureTab::Documents, "Documents"),
    (CaptureTab::Images, "Images"),
    (CaptureTab::Failed, "Failed"),
    (CaptureTab::Redirects, "Redirects"),
    (CaptureTab::Duplicates, "Duplicates"),
    (CaptureTab::Changed, "Changed"),
    (CaptureTab::GeoOnly, "Geolocation only"),
    (CaptureTab::NoInlinks, "No inlinks"),
    (CaptureTab::ManyExternal, "Many external"),
    (CaptureTab::NotReviewed, "Not reviewed"),
    (CaptureTab::Selected, "Selected"),
];

/// The hint of the tab of captures that were accepted by location.
const BY_LOCATION: &str = "Accepted by a country rule. Spec, Geolocation shows which of them no other rule accepts";

/// Width of the ready filters, in a wide and in a narrow page.
const VIEW: f32 = 190.0;
const NARROW_VIEW: f32 = 112.0;
/// Pages narrower than this have narrow controls.
const NARROW: f32 = 900.0;
/// Buttons of an icon in the line of controls: clear, help, four that decide, and more.
const ICONS: usize = 7;

/// The page Captures.
#[derive(Default)]
pub struct CapturesPage {
    filter: String,
    applied: String,
    typed: TypedLine,
    tab: CaptureTab,
    rows: TableState,
    shown: Option<CaptureQuery>,
    /// Rows that match.
    matching: u64,
    /// Whether another list came, so that the current row may not be in it.
    is_other_list: bool,
    /// The selection of the table, as the window knows it.
    selected: SelectedRows,
    facets: Facets,
    waiting: Waiting,
}

impl CapturesPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, route_filter: &str) {
        if self.applied != route_filter {
            self.filter = route_filter.to_owned();
            self.applied = route_filter.to_owned();
            self.typed.forget();
        }
        if app.take_shows_all() {
            self.tab = CaptureTab::All;
        }
        self.header_ui(ui, app);
        let query = self.query(app);
        self.controls_ui(ui, app, &query);
        self.files_ui(ui, app);
        let query = self.query(app);
        self.facets_ui(ui, app, &query);
        let answer = query.part(&self.rows.sort, 0, LIST_PAGE).load(&mut app.reads);
        let page = match &answer {
            Loaded::Failed(notice) => {
                notice_ui(ui, notice);
                return;
            }
            Loaded::Ready(page) => {
                self.take(query, page);
                Some(page.clone())
            }
            Loaded::Loading { .. } => None,
        };
        self.waiting.note(ui, page.is_none());
        if let Some(problem) = page.as_ref().and_then(|page| page.filter_problem.as_ref()) {
            ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
        }
        let is_shown = app.cut_selection_to(&self.query(app), page.as_ref().map(|page| page.total));
        app.note_selecting(!is_shown || self.rows.is_selecting());
        if is_shown && std::mem::take(&mut self.is_other_list) {
            follow_selected(app);
        }
        match (page, self.shown.clone()) {
            (Some(page), _) if page.total == 0 => self.nothing_ui(ui, app),
            (page, Some(shown)) => {
                if page.is_none() {
                    // The rows of the last question, greyed until the new ones are there.
                    ui.multiply_opacity(OLD_OPACITY);
                }
                // Coming back from another page, the current row is still here.
                if app.focus().is_none() && !app.selected().is_empty() {
                    self.rows.announce();
                }
                self.keys(ui, app);
                self.table_ui(ui, app, &shown);
            }
            (_, None) => {
                ui.weak("Loading…");
            }
        }
    }

    fn header_ui(&self, ui: &mut Ui, app: &mut AppState) {
        let selected = match app.selected().count() {
            _ if app.is_selecting() => "selecting…".to_owned(),
            0 => "none selected".to_owned(),
            number => format!("{} selected", text::count(number)),
        };
        let filter = self.applied.trim().to_owned();
        let to_review = match (app.campaign(), app.reads.campaigns().shown()) {
            (Some(id), Some(rows)) => rows.iter().find(|row| row.id == id).and_then(|row| row.counted),
            _ => None,
        };
        let to_review = to_review.map_or(0, |counts| counts.to_review);
        let label = match filter.is_empty() && to_review > 0 {
            true => format!("Review {}", text::count(to_review)),
            false => format!("Review {}", text::count(self.matching)),
        };
        let why_not = (self.matching == 0).then_some("No captures to review");
        Header::<()>::new("Captures")
            .state(format!("{}, {selected}", text::counted(self.matching, "row")))
            .primary(HeaderButton::send(label, Command::Go(Route::Review { filter })).off(why_not))
            .more(HeaderButton::send("Patch what is missing…", Command::PlanPatch(self.patch_source())).off(why_not))
            .more(HeaderButton::action(Action::ToggleFacets))
            .more(HeaderButton::action(Action::ToggleLowerPanel))
            .more(HeaderButton::action(Action::Undo))
            .more(HeaderButton::action(Action::Redo))
            .ui(ui, app);
    }

    /// What the captures of the filter line lack.
    fn patch_source(&self) -> PatchSource {
        PatchSource::Filter(self.applied.trim().to_owned())
    }

    fn query(&self, app: &AppState) -> CaptureQuery {
        CaptureQuery {
            filter: self.applied.trim().to_owned(),
            tab: self.tab,
            campaign: app.campaign(),
            sort: Vec::new(),
            offset: 0,
            limit: LIST_PAGE,
        }
    }

    fn take(&mut self, query: CaptureQuery, page: &CapturePage) {
        self.matching = page.total;
        if self.shown.as_ref() != Some(&query) {
            self.is_other_list = self.shown.is_some();
            self.rows.reset();
            self.selected = SelectedRows::default();
            self.shown = Some(query);
        }
    }

    /// The one line above the rows: filter, ready filters, what can be done with the rows that are selected.
    fn controls_ui(&mut self, ui: &mut Ui, app: &mut AppState, query: &CaptureQuery) {
        ui.horizontal(|ui| {
            let is_narrow = ui.available_width() < NARROW;
            let view = if is_narrow { NARROW_VIEW } else { VIEW };
            let icons = ICONS as f32 * (theme::CONTROL + ui.spacing().item_spacing.x);
            let others = view + theme::SMALL_ICON + icons + 3.0 * ui.spacing().item_spacing.x;
            let width = (ui.available_width() - others).max(theme::DATE_FIELD);
            let example = "words, re:…, or host:gov.pt status:404 file:crawl-a inlinks.ext>3";
            let response = line_field_ui(ui, "Filter", &mut self.filter, example, width);
            if app.take_opens_filter() {
                response.request_focus();
            }
            let escaped = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
            // At its place with and without a filter, so that nothing moves when one is typed.
            let can_clear = !self.filter.is_empty();
            let clear = ui.add_enabled_ui(can_clear, |ui| icon_button_ui(ui, Icon::Close, "Clear filter"));
            if escaped || clear.inner.clicked() {
                self.filter.clear();
                self.typed.skip_pause();
            }
            if self.typed.is_due(ui, &response) {
                self.applied.clone_from(&self.filter);
                app.refine(self.filter.clone());
            }
            if let Some(example) = filter_help_ui(ui, app) {
                let gap = if self.filter.is_empty() { "" } else { " " };
                self.filter.push_str(&format!("{gap}{example}"));
                self.typed.skip_pause();
            }
            self.view_ui(ui, app, query, view);
            self.waiting.ui(ui);
            decision_buttons_ui(ui, app);
            self.more_ui(ui, app);
        });
    }

    /// What is rarely done with the table.
    fn more_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let more = icon_button_ui(ui, Icon::More, "More");
        egui::Popup::menu(&more).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
            ui.checkbox(&mut app.settings.roomy_rows, "Comfortable rows");
            ui.separator();
            collect_ui(ui, app);
        });
    }

    /// The names of files that the filter has the numbers of.
    fn files_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let numbered = |part: &&str| part.trim_start_matches('-').strip_prefix("file:").map(str::parse::<FileId>);
        // A part of an alternative cannot be taken away alone.
        let is_part = |part: &Query<FieldTerm>| match part {
            Query::Term(_) => true,
            Query::Not(part) => matches!(**part, Query::Term(_)),
            Query::And(_) | Query::Or(_) => false,
        };
        let has_parts = parse_fields(&self.applied).is_ok_and(|query| match &query {
            Query::And(parts) => parts.iter().all(is_part),
            one => is_part(one),
        });
        let parts: Vec<(String, FileId)> = self
            .applied
            .split_whitespace()
            .filter(|_| has_parts)
            .filter_map(|part| Some((part.to_owned(), numbered(&part)?.ok()?)))
            .collect();
        if parts.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            for (part, file) in parts {
                // A number may be a part of a name, too.
                let answer = app.reads.file(file);
                let Some(row) = answer.shown() else { continue };
                let not = if part.starts_with('-') { "not " } else { "" };
                let label = format!("{not}file {file}: {}", text::short(name_of(&row.path), CHIP_CHARS));
                if filter_chip_ui(ui, &label, &format!("{}. Show other files too", text::line(&row.path))) {
                    let rest: Vec<&str> = self.applied.split_whitespace().filter(|of| *of != part).collect();
                    self.filter = rest.join(" ");
                    self.applied.clone_from(&self.filter);
                    self.typed.forget();
                    app.refine(self.filter.clone());
                    return;
                }
            }
        });
    }

    /// The ready filters, with how many rows each has.
    fn view_ui(&mut self, ui: &mut Ui, app: &mut AppState, query: &CaptureQuery, width: f32) {
        let labels = tab_labels(app, query);
        let lacks_inlinks = labels.iter().all(|(tab, _)| *tab != CaptureTab::NoInlinks);
        let shown = labels.iter().find(|(tab, _)| *tab == self.tab).map_or(String::new(), |(_, label)| label.clone());
        drop_ui(ui, "ready filter", "View", &shown, width, |ui| {
            for (tab, label) in labels {
                let mut response = ui.selectable_label(self.tab == tab, label);
                if tab == CaptureTab::GeoOnly {
                    response = response.on_hover_text(BY_LOCATION);
                }
                if response.clicked() {
                    self.tab = tab;
                }
            }
            if let Some(line) = launch_changes::since_items_ui(ui, app, &self.applied) {
                self.filter = line;
                self.typed.skip_pause();
            }
            // Nothing counts those of inlinks before these are built.
            if lacks_inlinks {
                ui.weak("Inlinks not built")
                    .on_hover_text("Build inlinks to list captures without and with many of them");
            }
        });
    }

    /// Draws the facets of the rows, at the right where there is room.
    fn facets_ui(&mut self, ui: &mut Ui, app: &mut AppState, query: &CaptureQuery) {
        if !app.settings.facets {
            return;
        }
        let counts = app.reads.capture_facets(CaptureQuery { limit: 0, ..query.clone() });
        let chosen = facet_choices(&self.applied);
        let mut action = None;
        if ui.available_width() >= ROOM_FOR_FACETS {
            egui::Panel::right("facets").exact_size(FACETS_WIDTH).resizable(false).show(ui, |ui| {
                action = chosen_ui(ui, &chosen).map(FacetAction::Toggle);
                loaded_ui(ui, &counts, |ui, counts| action = self.facets.ui(ui, counts, &chosen).or(action.take()));
            });
        } else {
            ui.menu_button("Facets", |ui| {
                loaded_ui(ui, &counts, |ui, counts| action = self.facets.ui(ui, counts, &chosen));
            });
        }
        self.filter = match action {
            None => return,
            // A click on a number requires its value; it never clears the choice.
            Some(FacetAction::Show(choice)) if chosen.contains(&choice) => return,
            Some(FacetAction::Show(choice) | FacetAction::Toggle(choice)) => toggle_facet(&self.applied, &choice),
            Some(FacetAction::Only(choice)) => with_facets(&self.applied, choice.kind, &[choice]),
        };
        self.applied.clone_from(&self.filter);
        self.typed.forget();
        app.refine(self.filter.clone());
    }

    fn nothing_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if self.applied.trim().is_empty() && self.tab == CaptureTab::All {
            empty_ui(ui, "No captures yet", "Crawl the campaign, or import archive files");
            ui.horizontal(|ui| {
                action_ui(ui, app, Action::StartCrawl);
                action_ui(ui, app, Action::Import);
            });
        } else {
            empty_ui(ui, "No rows match", "No row fits the filter and tab above");
            if ui.button("Clear").clicked() {
                self.tab = CaptureTab::All;
                self.filter.clear();
                self.applied.clear();
                app.refine(String::new());
            }
        }
    }

    fn table_ui(&mut self, ui: &mut Ui, app: &mut AppState, query: &CaptureQuery) {
        let height = if app.settings.roomy_rows { theme::ROOMY_ROW } else { theme::ROW };
        if self.selected != *app.selected() {
            self.selected = app.selected().clone();
            self.rows.selection = selection_of(&self.selected);
        }
        let before = self.rows.selection.clone();
        let table = captures_table(app.read_only().is_some()).row_height(height);
        let action = table.pages_with_ui(ui, app, query, self.matching, &mut self.rows);
        if self.rows.selection != before {
            self.selected = match &self.rows.selection {
                Selection::All => SelectedRows::all(query, self.matching),
                Selection::Rows(keys) => {
                    let mut ids: Vec<CaptureId> = keys.iter().map(|key| CaptureId::new(key.cast_signed())).collect();
                    ids.sort_unstable();
                    ids.into()
                }
            };
            app.select(self.selected.clone());
        }
        match action {
            Some(CaptureAction::Focus(id)) => {
                // One that was just deselected gives way to what still is.
                match self.rows.is_selecting() || self.rows.selection.contains(id.unsigned_abs()) {
                    true => app.follow(Focus::Capture(id)),
                    false => follow_selected(app),
                }
            }
            Some(CaptureAction::Panel(id, tab)) => {
                app.follow(Focus::Capture(id));
                app.show_tab(tab);
            }
            Some(CaptureAction::Mark(id, mark)) => {
                app.send(Command::Mark { captures: app.rows_with(id), mark, note: String::new() });
            }
            Some(CaptureAction::Several(_)) => {}
            Some(CaptureAction::Command(command)) => app.send(command),
            None => {}
        }
    }

    fn keys(&mut self, ui: &mut Ui, app: &mut AppState) {
        if is_typing(ui) || app.dialog().is_some() {
            return;
        }
        let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if !self.applied.is_empty() && pressed(Key::Escape) {
            self.filter.clear();
            self.applied.clear();
            app.refine(String::new());
        }
    }
}

/// Has the lower panel show what is selected: one row, or that there are several, or nothing.
fn follow_selected(app: &mut AppState) {
    let one = match app.selected() {
        SelectedRows::Ids(ids) => ids.first().copied(),
        SelectedRows::Query { .. } => return,
    };
    app.follow(one.map(Focus::Capture));
}

/// The ready filters, with how many rows each has; without those that cannot be counted before
/// inlinks are built.
fn tab_labels(app: &mut AppState, query: &CaptureQuery) -> Vec<(CaptureTab, String)> {
    let all = CaptureQuery { tab: CaptureTab::All, sort: Vec::new(), limit: 0, ..query.clone() };
    let counts = app.reads.tab_counts(all);
    let label = |(tab, name): (CaptureTab, &str)| match counts.shown() {
        None => Some((tab, name.to_owned())),
        Some(counts) => {
            let (_, count) = counts.iter().find(|(of, _)| *of == tab)?;
            Some((tab, format!("{name} {}", text::count(*count))))
        }
    };
    TABS.into_iter().filter_map(label).collect()
}

/// The selection in the form of the table.
fn selection_of(selected: &SelectedRows) -> Selection {
    match selected {
        SelectedRows::Ids(ids) => Selection::Rows(Arc::new(ids.iter().map(|id| id.unsigned_abs()).collect())),
        SelectedRows::Query { .. } => Selection::All,
    }
}

/// A button with the fields of the filter line; gives the example clicked.
fn filter_help_ui(ui: &mut Ui, app: &mut AppState) -> Option<&'static str> {
    let mut chosen = None;
    let button = egui::Button::new("?").min_size(egui::Vec2::splat(theme::CONTROL));
    let (response, _) = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
        egui::ScrollArea::vertical().max_height(HELP_HEIGHT).show(ui, |ui| {
            ui.label(
                "Words are looked for in texts, titles and URLs once there is a text index, else in URLs and titles",
            );
            if ui.link("Guide to queries").clicked() {
                app.send(Command::Go(Route::Help("queries")));
                ui.close();
            }
            egui::Grid::new("filter_help").num_columns(2).show(ui, |ui| {
                for field in filter_fields() {
                    let example = ui.button(egui::RichText::new(field.example).monospace());
                    if example.on_hover_text("Add to the filter").clicked() {
                        chosen = Some(field.example);
                    }
                    ui.label(field.about);
                    ui.end_row();
                }
                for (written, about) in QUERY_RULES {
                    ui.monospace(written);
                    ui.label(about);
                    ui.end_row();
                }
            });
        });
    });
    name_sign(&response, "Fields of the filter");
    response.on_hover_text("Fields of the filter");
    chosen
}

/// Points of height that the list of fields takes before it scrolls.
const HELP_HEIGHT: f32 = 420.0;

/// The filter that shows the captures of one host.
pub(super) fn host_filter(url: &str) -> String {
    match Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)) {
        Some(host) => format!("host:{host}"),
        None => String::new(),
    }
}
