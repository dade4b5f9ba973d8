//! Persons, places, organisations and terms of the texts, and each with its places.

use super::entity_trends::{MOST_TERMS, peak_of, span_of, terms_over_time_ui, trend_ui};
use super::search::timeline::Timeline;
use crate::app::models::{
    AbsentEntity, ClusterProposal, CorpusTerm, EntitiesPage, EntityDetail, EntityKind, EntityMerge, EntityQuote,
    EntityRow, RelatedEntity, SearchQuery, quoted, term_of,
};
use crate::app::{Action, AppState, Command, Focus, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::icons::Icon;
use crate::ui::table::{Column, RowIcon, RowsAction, Table, Value, key_of, request_rows, selected_count};
use crate::ui::text;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{action_ui, empty_ui, field_ui, heading_ui, inline_figure_ui, loaded_ui, segments_ui};
use egui::Ui;

/// What the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EntitiesBy {
    #[default]
    Entities,
    NeverFound,
    MayBeOne,
    PutTogether,
    Terms,
}

/// The page Entities.
#[derive(Default)]
pub struct EntitiesView {
    by: EntitiesBy,
    kind: Option<EntityKind>,
    filter: String,
    timeline: Timeline,
}

/// The kinds to choose from, with what they are called.
const KINDS: [(Option<EntityKind>, &str); 6] = [
    (None, "All"),
    (Some(EntityKind::Person), "Persons"),
    (Some(EntityKind::Place), "Places"),
    (Some(EntityKind::Organisation), "Organisations"),
    (Some(EntityKind::Event), "Events"),
    (Some(EntityKind::Unknown), "Unknown"),
];

/// The line that finds the captures with an entity.
fn line_of(name: &str) -> String {
    format!("entity:{}", quoted(name))
}

fn search_of(line: String) -> Route {
    Route::Search(SearchQuery { text: line, ..SearchQuery::default() })
}

/// What names an entity: its URI, or else its name.
fn address_of(row: &EntityRow) -> String {
    if row.uri.is_empty() { row.name.clone() } else { row.uri.clone() }
}

/// The page of an entity.
fn route_of(row: &EntityRow) -> Option<Route> {
    Some(Route::Entities { entity: address_of(row) })
}

/// Name of the table of entities in settings and files.
const TABLE: &str = "entities";
/// The index of the action on all selected rows that adds terms.
const ADD: usize = 0;

fn add_label(rows: u64) -> String {
    match rows {
        1 => "Add to request".to_owned(),
        rows => format!("Add {} to request", text::count(rows)),
    }
}

impl EntitiesView {
    /// Draws the list, or one entity.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, entity: &str) {
        if !entity.is_empty() {
            return self.entity_ui(ui, app, entity);
        }
        let answer = app.reads.entities();
        let (entities, terms) = answer.shown().map_or((0, 0), |page| match &page.run {
            Some(run) => (run.counts.entities, run.counts.terms),
            None => (0, 0),
        });
        let absent = answer.shown().map_or(0, |page| page.absent.len() as u64);
        let state = match self.by {
            EntitiesBy::Entities if entities == 1 => "1 entity".to_owned(),
            EntitiesBy::Entities => format!("{} entities", text::count(entities)),
            EntitiesBy::NeverFound => format!("{} never found", text::counted(absent, "name")),
            EntitiesBy::MayBeOne => "Names that may be those of one entity".to_owned(),
            EntitiesBy::PutTogether => "Names that persons put to another entity".to_owned(),
            EntitiesBy::Terms => text::counted(terms, "term"),
        };
        let about = answer.shown().and_then(|page| page.run.as_ref()).map_or(String::new(), |run| {
            format!("analysis {} of {}, {}", run.id, text::counted(run.counts.pages, "page"), text::day(run.started))
        });
        // Terms are added to its specification.
        let _ = app.campaign().map(|id| app.reads.campaign(id));
        let selected = match self.by {
            EntitiesBy::Entities => selected_count(ui, TABLE, entities),
            _ => 0,
        };
        let why_not = match app.campaign() {
            None => Some("Select a campaign first"),
            Some(_) if selected == 0 => Some("Select rows first"),
            Some(_) => None,
        };
        let add = HeaderButton::own(add_label(selected.max(1)), ()).off(why_not);
        let add = add.hint("Adds them to the request of the edited specification, which is saved on its page");
        let header = Header::new("Entities").state(state).detail(about).primary(add);
        if header.plain(HeaderButton::action(Action::Analyse)).ui(ui, app).is_some() {
            request_rows(ui, TABLE, ADD);
        }
        loaded_ui(ui, &answer, |ui, page: &EntitiesPage| {
            if page.run.is_none() {
                let about =
                    "An analysis finds the persons, places, organisations and terms of all texts that are indexed";
                empty_ui(ui, "Nothing was analysed yet", about);
                action_ui(ui, app, Action::Analyse);
                return;
            }
            ui.horizontal_wrapped(|ui| {
                segments_ui(
                    ui,
                    "Rows",
                    &mut self.by,
                    &[
                        (EntitiesBy::Entities, "Entities"),
                        (EntitiesBy::NeverFound, "Never found"),
                        (EntitiesBy::MayBeOne, "May be one"),
                        (EntitiesBy::PutTogether, "Put together"),
                        (EntitiesBy::Terms, "Terms"),
                    ],
                );
                if matches!(self.by, EntitiesBy::Entities | EntitiesBy::NeverFound) {
                    segments_ui(ui, "Kind", &mut self.kind, &KINDS);
                }
                field_ui(ui, "Filter", &mut self.filter, "part of a name", theme::FIELD);
            });
            ui.add_space(GAP / 2.0);
            match self.by {
                EntitiesBy::Entities => self.entities_ui(ui, app, &page.entities),
                EntitiesBy::NeverFound => self.absent_ui(ui, app, &page.absent),
                EntitiesBy::MayBeOne => self.clusters_ui(ui, app),
                EntitiesBy::PutTogether => self.merges_ui(ui, app),
                EntitiesBy::Terms => self.terms_ui(ui, app, &page.terms),
            }
        });
    }

    /// Whether the chosen kind and the filter let an entity in.
    fn takes(&self, name: &str, kind: EntityKind) -> bool {
        let filter = self.filter.trim().to_lowercase();
        self.kind.is_none_or(|chosen| chosen == kind) && (filter.is_empty() || name.to_lowercase().contains(&filter))
    }

    fn absent_ui(&self, ui: &mut Ui, app: &mut AppState, rows: &[AbsentEntity]) {
        if rows.is_empty() {
            let next = "Names of authority files that no text has are listed here: fonds entities load";
            empty_ui(ui, "No name is missing", next);
            return;
        }
        type Col<'a> = Column<'a, AbsentEntity, Route>;
        let rows: Vec<AbsentEntity> = rows.iter().filter(|row| self.takes(&row.name, row.kind)).cloned().collect();
        let columns = [
            Col::text("name", "Name", 300.0, |row| &row.name)
                .link("Search its name", |row| Some(search_of(quoted(&row.name)))),
            Col::text("kind", "Kind", 110.0, |row| row.kind.label()),
            Col::text("source", "Authority", 220.0, |row| &row.source),
        ];
        let key = |row: &AbsentEntity| key_of((&row.name, &row.source));
        if let Some(route) =
            Table::new("entities never found", "Names never found", columns, key).rows_ui(ui, app, &rows)
        {
            app.send(Command::Go(route));
        }
    }

    fn entities_ui(&self, ui: &mut Ui, app: &mut AppState, rows: &[EntityRow]) {
        let rows: Vec<EntityRow> = rows.iter().filter(|row| self.takes(&row.name, row.kind)).cloned().collect();
        if rows.is_empty() {
            empty_ui(ui, "No such entity", "Choose another kind, or clear the filter");
            return;
        }
        let span = span_of(rows.iter().map(|row| row.months.as_slice()));
        type Col<'a> = Column<'a, EntityRow, Command>;
        let pages = |row: &EntityRow| Some(Command::Go(search_of(line_of(&address_of(row)))));
        let open = |row: &EntityRow| route_of(row).map(Command::Go);
        let columns = [
            Col::text("name", "Name", 260.0, |row| &row.name).link("Show where it is named", open),
            Col::text("kind", "Kind", 110.0, |row| row.kind.label()).about("As an authority file or a word beside it says"),
            Col::text("requested", "Requested", 90.0, |row| if row.is_requested() { "requested" } else { "" })
                .or("no")
                .about("Whether the request of a campaign names it"),
            Col::count("pages", "Pages", 70.0, |row| row.pages).link("Show these captures", pages),
            Col::count("mentions", "Mentions", 80.0, |row| row.mentions),
            Col::count("hosts", "Hosts", 70.0, |row| row.hosts),
            Col::made("trend", "Trend", 110.0, |row| peak_of(&row.months))
                .about("Pages by month of first capture; sorted by the month with the most")
                .draw(move |ui, row| trend_ui(ui, &row.months, span)),
            Col::day("first", "First", 96.0, |row| row.first),
            Col::day("last", "Last", 96.0, |row| row.last),
            Col::text("source", "Authority", 140.0, |row| &row.source).or("(none)").about(
                "The authority file or campaign that has it; without one it is a run of capitalised words, which need not be a name",
            ),
            Col::text("uri", "URI", 220.0, |row| &row.uri).hidden(),
        ];
        let add = RowsAction::new(add_label, |_, rows: &[&EntityRow]| {
            Some(Command::AddTerms(rows.iter().map(|row| term_of(row.kind, &row.name, &row.uri)).collect()))
        });
        let key = |row: &EntityRow| u64::from(row.id);
        let table = Table::new(TABLE, "Entities", columns, key).on_open(open).with_rows(add);
        if let Some(command) = table.rows_ui(ui, app, &rows) {
            app.send(command);
        }
    }

    fn clusters_ui(&self, ui: &mut Ui, app: &mut AppState) {
        let answer = app.reads.clusters();
        let filter = self.filter.trim().to_lowercase();
        loaded_ui(ui, &answer, |ui, rows: &Vec<ClusterProposal>| {
            let is_shown = |row: &&ClusterProposal| {
                let has = |name: &str| name.to_lowercase().contains(&filter);
                filter.is_empty() || has(&row.name) || has(&row.target)
            };
            let rows: Vec<ClusterProposal> = rows.iter().filter(is_shown).cloned().collect();
            if rows.is_empty() {
                let next = "Names that are spelled nearly the same, or differ by an initial, are listed here for a person to put together";
                empty_ui(ui, "No two names may be one", next);
                return;
            }
            type Col<'a> = Column<'a, ClusterProposal, Command>;
            let detail = |name: &str| Some(Command::Go(Route::Entities { entity: name.to_owned() }));
            let target = |row: &ClusterProposal| match row.target_uri.as_str() {
                "" => row.target.clone(),
                uri => uri.to_owned(),
            };
            let columns = [
                Col::text("name", "Name", 220.0, |row| &row.name)
                    .link("Show where it is named", move |row| detail(&row.name)),
                Col::count("pages", "Pages", 70.0, |row| row.pages),
                Col::text("target", "May be", 220.0, |row| &row.target)
                    .link("Show where it is named", move |row| detail(&row.target)),
                Col::count("target_pages", "Its pages", 80.0, |row| row.target_pages),
                Col::count("shared", "Both on", 80.0, |row| row.shared_pages).about("Pages that have both names"),
                Col::text("why", "Why", 260.0, |row| &row.why),
            ];
            let put =
                move |row: &ClusterProposal| Some(Command::PutTogether { name: row.name.clone(), target: target(row) });
            let key = |row: &ClusterProposal| key_of((&row.name, &row.target));
            let table = Table::new("names that may be one", "Names that may be one", columns, key)
                .row_icon(RowIcon::new(Icon::Check, "Put together", put));
            if let Some(command) = table.rows_ui(ui, app, &rows) {
                app.send(command);
            }
        });
    }

    fn merges_ui(&self, ui: &mut Ui, app: &mut AppState) {
        let answer = app.reads.merges();
        let filter = self.filter.trim().to_lowercase();
        loaded_ui(ui, &answer, |ui, rows: &Vec<EntityMerge>| {
            let is_shown = |row: &&EntityMerge| {
                filter.is_empty() || row.name.contains(&filter) || row.target.to_lowercase().contains(&filter)
            };
            let rows: Vec<EntityMerge> = rows.iter().filter(is_shown).cloned().collect();
            if rows.is_empty() {
                empty_ui(ui, "No names were put together", "Put names together among those that may be one");
                return;
            }
            type Col<'a> = Column<'a, EntityMerge, Command>;
            let detail = |name: &str| Some(Command::Go(Route::Entities { entity: name.to_owned() }));
            let columns = [
                Col::text("name", "Name", 260.0, |row| &row.name),
                Col::text("target", "Is a name of", 260.0, |row| &row.target)
                    .link("Show where it is named", move |row| detail(&row.target)),
                Col::text("who", "By", 140.0, |row| &row.who),
                Col::date("date", "On (UTC)", 140.0, |row| row.date),
            ];
            let apart = |row: &EntityMerge| Some(Command::TakeApart { name: row.name.clone() });
            let table = Table::new("names put together", "Names put together", columns, |row: &EntityMerge| {
                row.id.unsigned_abs()
            })
            .row_icon(RowIcon::new(Icon::Undo, "Take apart", apart));
            if let Some(command) = table.rows_ui(ui, app, &rows) {
                app.send(command);
            }
        });
    }

    fn terms_ui(&self, ui: &mut Ui, app: &mut AppState, rows: &[CorpusTerm]) {
        let filter = self.filter.trim().to_lowercase();
        let rows: Vec<CorpusTerm> =
            rows.iter().filter(|row| filter.is_empty() || row.text.contains(&filter)).cloned().collect();
        if rows.is_empty() {
            empty_ui(ui, "No such term", "Clear the filter");
            return;
        }
        let first: Vec<String> = rows.iter().take(MOST_TERMS).map(|row| row.text.clone()).collect();
        if let Some((term, month)) = terms_over_time_ui(ui, app, &first) {
            app.send(Command::Go(search_of(format!("main:{} date:{month}", quoted(&term)))));
        }
        type Col<'a> = Column<'a, CorpusTerm, Route>;
        let pages = |row: &CorpusTerm| Some(search_of(format!("main:{}", quoted(&row.text))));
        let columns = [
            Col::text("term", "Term", 280.0, |row| &row.text).link("Show these captures", pages),
            Col::count("count", "Occurrences", 96.0, |row| row.count),
            Col::count("pages", "Pages", 70.0, |row| row.pages),
            Col::value("c_value", "C-value", 90.0, |row| match row.text.contains(' ') {
                true => Value::Fraction(row.c_value),
                false => Value::Unknown,
            })
            .numeric()
            .about("How often a term of several words comes by itself and not within a longer one"),
            Col::value("keyness", "Keyness", 90.0, |row| row.keyness.map_or(Value::Unknown, Value::Fraction))
                .numeric()
                .about("How much more often it comes than in the rest of the workspace (log-likelihood)"),
            Col::count("elsewhere", "Elsewhere", 90.0, |row| row.elsewhere).hidden(),
        ];
        let table = Table::new("terms", "Terms", columns, |row: &CorpusTerm| key_of(&row.text)).on_open(pages);
        if let Some(route) = table.rows_ui(ui, app, &rows) {
            app.send(Command::Go(route));
        }
    }

    fn entity_ui(&mut self, ui: &mut Ui, app: &mut AppState, entity: &str) {
        let answer = app.reads.entity(entity.to_owned(), self.timeline.period());
        let name = answer.shown().and_then(|found| found.first()).map_or(entity, |found| found.entity.name.as_str());
        let captures = HeaderButton::send("Show captures", Command::Go(search_of(line_of(entity))));
        let list = HeaderButton::send("All entities", Command::Go(Route::Entities { entity: String::new() }));
        Header::<()>::new("Entities").state(text::short(name, 80)).plain(list).primary(captures).ui(ui, app);
        loaded_ui(ui, &answer, |ui, found: &Vec<EntityDetail>| match found.first() {
            Some(detail) => self.detail_ui(ui, app, detail),
            None => empty_ui(ui, "No such entity", "The newest analysis found nothing of this name"),
        });
    }

    fn detail_ui(&mut self, ui: &mut Ui, app: &mut AppState, detail: &EntityDetail) {
        let row = &detail.entity;
        ui.horizontal_wrapped(|ui| {
            ui.label(row.kind.label());
            if !row.source.is_empty() {
                ui.weak(format!("from {}", text::line(&row.source)));
            }
            if !row.uri.is_empty() {
                ui.weak(text::line(&row.uri));
            }
            let noun = |count: u64, noun: &str| if count == 1 { noun.to_owned() } else { format!("{noun}s") };
            inline_figure_ui(ui, &text::count(row.mentions), &noun(row.mentions, "mention"), None);
            if inline_figure_ui(ui, &text::count(row.pages), &noun(row.pages, "page"), Some("Show these captures")) {
                app.send(Command::Go(search_of(line_of(&address_of(row)))));
            }
            inline_figure_ui(ui, &text::count(row.hosts), &noun(row.hosts, "host"), None);
            ui.weak(format!("captured {} – {}", text::day(row.first), text::day(row.last)));
        });
        let query = SearchQuery { text: line_of(&address_of(row)), ..SearchQuery::default() };
        if let Some(range) = self.timeline.ui(ui, app, &query, &detail.periods) {
            app.send(Command::Go(Route::Search(range)));
        }
        let half = (ui.available_height() / 2.0 - GAP).max(theme::FIELD / 2.0);
        if !detail.related.is_empty() {
            heading_ui(ui, "Named beside");
            type Col<'a> = Column<'a, RelatedEntity, Route>;
            let open = |row: &RelatedEntity| route_of(&row.entity);
            let columns = [
                Col::text("name", "Name", 260.0, |row| &row.entity.name).link("Show where it is named", open),
                Col::text("kind", "Kind", 110.0, |row| row.entity.kind.label()),
                Col::count("shared", "Sentences with both", 130.0, |row| row.shared),
                Col::value("ppmi", "PPMI", 80.0, |row| Value::Fraction(row.ppmi))
                    .numeric()
                    .about("How much more often than by chance both are in a sentence, in bits"),
            ];
            let table =
                Table::new("named beside", "Named beside", columns, |row: &RelatedEntity| u64::from(row.entity.id));
            if let Some(route) = table.height(half).on_open(open).rows_ui(ui, app, &detail.related) {
                app.send(Command::Go(route));
            }
        }
        heading_ui(ui, "Mentions");
        type Col<'a> = Column<'a, EntityQuote, Focus>;
        let open = |row: &EntityQuote| Some(Focus::Capture(row.capture));
        let columns = [
            Col::made("before", "Before", 300.0, |row| end_of(&row.before)),
            Col::text("name", "Name", 160.0, |row| &row.name),
            Col::text("after", "After", 300.0, |row| &row.after),
            Col::text("url", "URL", 320.0, |row| &row.url).link("Show this capture", open),
        ];
        let table = Table::new("mentions", "Mentions", columns, |row: &EntityQuote| row.capture.unsigned_abs());
        if let Some(focus) = table.on_open(open).rows_ui(ui, app, &detail.quotes) {
            app.send(Command::Go(Route::Captures { filter: line_of(&address_of(row)) }));
            app.follow(focus);
        }
    }
}

/// The last words of a text before a name.
fn end_of(text: &str) -> String {
    const SHOWN: usize = 45;
    let skipped = text.chars().count().saturating_sub(SHOWN);
    let end: String = text.chars().skip(skipped).collect();
    match end.split_once(' ') {
        Some((_, whole)) if skipped > 0 => whole.to_owned(),
        _ => end,
    }
}
