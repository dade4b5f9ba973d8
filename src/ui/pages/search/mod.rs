//! Full-text search: a query, its results, and their facets.

pub(super) mod evaluate;
pub(super) mod map;
pub(super) mod media;
pub(super) mod saved;
pub(super) mod timeline;

use super::captures_table::{CaptureAction, menu_ui};
use super::search::evaluate::SearchEvaluate;
use super::search::map::SearchMap;
use super::search::media::media_tabs_ui;
use super::search::saved::{SavedPart, order_label};
use super::search::timeline::Timeline;
use super::select::captures_by;
use crate::app::models::{
    FacetKind, Hit, Loaded, SearchAnswer, SearchCounts, SearchOrder, SearchQuery, facet_choices, toggle_facet,
    with_facets,
};
use crate::app::{Action, AppState, Command, Focus, PanelTab, Route, SelectLead};
use crate::ui::facets::{FACETS_WIDTH, FacetAction, Facets, ROOM_FOR_FACETS, chosen_ui, named_count_ui};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::table::{Column, RowsAction, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{TypedLine, action_ui, decision_ui, empty_ui, loaded_ui, write_ui};
use egui::text::LayoutJob;
use egui::{TextEdit, TextFormat, Ui};
use std::ops::Range;
use std::sync::Arc;

/// Results that are listed.
const RESULTS: usize = 200;
/// Characters of a text that are shown before the first match.
const BEFORE_MARK: usize = 24;

/// Less room below the tabs has the timeline in the place of the results.
const ROOM_FOR_TIMELINE: f32 = 430.0;

/// The page Search.
#[derive(Default)]
pub struct SearchPage {
    line: String,
    applied: SearchQuery,
    typed: TypedLine,
    timeline: Timeline,
    facets: Facets,
    evaluate: SearchEvaluate,
    map: SearchMap,
    saved: SavedPart,
}

impl SearchPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, route: &SearchQuery) {
        if self.applied != *route {
            self.applied = route.clone();
            self.line.clone_from(&route.text);
            self.typed.forget();
        }
        let query = SearchQuery { campaign: app.campaign(), limit: RESULTS, ..self.applied.clone() };
        let found = app.reads.search(query);
        header_ui(ui, app, found.shown());
        self.line_ui(ui, app);
        if self.saved.is_open
            && let Some(query) = self.saved.ui(ui, app, &self.applied)
        {
            self.submit(app, query);
        }
        let query = SearchQuery { campaign: app.campaign(), limit: RESULTS, ..self.applied.clone() };
        let answer = app.reads.search(query.clone());
        let counts = app.reads.search_counts(query.clone(), self.timeline.period());
        self.chosen_ui(ui, app);
        if let Some(found) = answer.shown() {
            self.state_ui(ui, app, found);
            self.evaluate.ui(ui, app, &query, found);
        }
        let media = counts.shown().and_then(|counts| counts.facets.iter().find(|(kind, _)| *kind == FacetKind::Media));
        let chosen = media_tabs_ui(ui, &self.applied, media.map(|(_, values)| values.as_slice()));
        chosen.into_iter().for_each(|query| self.submit(app, query));
        // Before the facets, whose many boxes would stand between them and the query for who uses keys.
        let is_low = ui.available_height() < ROOM_FOR_TIMELINE;
        ui.horizontal(|ui| {
            if is_low {
                ui.toggle_value(&mut self.timeline.is_open, "Timeline").on_hover_text("Captures found over time");
            }
            self.map.switch_ui(ui);
        });
        let has_room = ui.available_width() >= ROOM_FOR_FACETS;
        if has_room {
            egui::Panel::right("facets").exact_size(FACETS_WIDTH).resizable(false).show(ui, |ui| {
                loaded_ui(ui, &counts, |ui, counts| self.facets_ui(ui, app, counts));
            });
        } else {
            ui.menu_button("Facets", |ui| {
                loaded_ui(ui, &counts, |ui, counts| self.facets_ui(ui, app, counts));
            });
        }
        if let Some(counts) = counts.shown().filter(|_| !is_low || self.timeline.is_open) {
            let chosen = self.timeline.ui(ui, app, &self.applied, &counts.histogram);
            chosen.into_iter().for_each(|query| self.submit(app, query));
        }
        if let Loaded::Failed(_) = answer {
            loaded_ui(ui, &answer, |_, _| {});
            return;
        }
        if is_low && self.timeline.is_open {
            return;
        }
        if self.map.is_shown() {
            let mut chosen = None;
            loaded_ui(ui, &counts, |ui, counts| chosen = self.map.ui(ui, app, counts, &self.applied));
            if let Some(query) = chosen {
                self.submit(app, query);
            }
            return;
        }
        loaded_ui(ui, &answer, |ui, answer| {
            results_ui(ui, app, answer, self.evaluate.column(&query, answer));
        });
    }

    fn line_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Query");
            let field = TextEdit::singleline(&mut self.line)
                .hint_text("budget \"state aid\" -football host:gov.pt date:2024")
                .desired_width((ui.available_width() - 530.0).max(theme::FIELD));
            let response = ui.add(field).labelled_by(label.id);
            if app.take_opens_filter() {
                response.request_focus();
            }
            if self.typed.is_due(ui, &response) {
                self.submit_line(app, self.line.clone());
            }
            let mut order = self.applied.order;
            let chooser = egui::ComboBox::from_id_salt("order").selected_text(order_label(order));
            let chooser = chooser.show_ui(ui, |ui| {
                for other in [SearchOrder::Relevance, SearchOrder::Newest, SearchOrder::Oldest] {
                    ui.selectable_value(&mut order, other, order_label(other));
                }
            });
            chooser.response.on_hover_text("Order of results");
            let mut folds = !self.applied.shows_all;
            ui.checkbox(&mut folds, "Group by site").on_hover_text(
                "Show two results of each host and the best of pages with nearly the same text, and how many more there are",
            );
            let saved = ui.toggle_value(&mut self.saved.is_open, "Saved searches");
            saved.on_hover_text("Keep this search under a name, or open one that was kept");
            if order != self.applied.order || folds == self.applied.shows_all {
                self.submit(app, SearchQuery { order, shows_all: !folds, ..self.applied.clone() });
            }
        });
    }

    /// Values that are chosen, each to be taken away.
    fn chosen_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let chosen = facet_choices(&self.applied.text);
        if !chosen.is_empty()
            && let Some(gone) = chosen_ui(ui, &chosen)
        {
            self.submit_line(app, toggle_facet(&self.applied.text, &gone));
        }
    }

    /// Draws the number of results, the problems, and the captures not indexed yet.
    fn state_ui(&mut self, ui: &mut Ui, app: &mut AppState, found: &SearchAnswer) {
        if let Some(problem) = &found.problem {
            ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(text::counted(found.versions, "page"));
            if found.captures == 0 {
                ui.label("0 captures");
            } else if named_count_ui(ui, found.captures, "Captures found") {
                captures_by(app, found.filter.clone());
            }
            if found.captures > 0 {
                ui.label(crate::jobs::noun(found.captures, "capture"));
                take_further_ui(ui, app, found);
            }
            match found.waiting {
                None => {
                    ui.colored_label(tokens(ui).flag, "No text index: words are looked for in URLs and titles");
                    action_ui(ui, app, Action::IndexTexts);
                }
                Some(0) => {}
                Some(waiting) => {
                    ui.colored_label(tokens(ui).flag, format!("{} not indexed yet", text::counted(waiting, "capture")));
                    action_ui(ui, app, Action::IndexTexts);
                }
            }
            self.evaluate.switch_ui(ui);
        });
        if found.versions == 0 && !found.wider.is_empty() {
            ui.horizontal_wrapped(|ui| {
                ui.weak("Nothing found. Try");
                for wider in &found.wider {
                    if ui.button(text::line(&wider.why)).on_hover_text(text::line(&wider.query)).clicked() {
                        self.submit_line(app, wider.query.clone());
                    }
                }
            });
        }
    }

    fn facets_ui(&mut self, ui: &mut Ui, app: &mut AppState, counts: &SearchCounts) {
        let line = &self.applied.text;
        match self.facets.ui(ui, counts, &facet_choices(line)) {
            Some(FacetAction::Toggle(choice)) => self.submit_line(app, toggle_facet(line, &choice)),
            Some(FacetAction::Show(choice)) => captures_by(app, with_facets(line, choice.kind, &[choice])),
            None => {}
        }
    }

    fn submit_line(&mut self, app: &mut AppState, text: String) {
        self.submit(app, SearchQuery { text, ..self.applied.clone() });
    }

    fn submit(&mut self, app: &mut AppState, query: SearchQuery) {
        self.line.clone_from(&query.text);
        self.applied = query.clone();
        app.refine_search(query);
    }
}

fn header_ui(ui: &mut Ui, app: &mut AppState, found: Option<&Arc<SearchAnswer>>) {
    let mut header = Header::<()>::new("Search");
    header = match found.filter(|found| found.problem.is_none()) {
        Some(found) => {
            let review = Command::GoToAll(Route::Review { filter: found.filter.clone() });
            let why_not = (found.captures == 0).then_some("No captures found");
            let review = HeaderButton::send("Review these", review).off(why_not);
            header
                .state(format!(
                    "{}, {}",
                    text::counted(found.versions, "page"),
                    text::counted(found.captures, "capture")
                ))
                .primary(review.hint("Go through these captures one by one"))
        }
        None => header.detail("Every word of the archive"),
    };
    header.more(HeaderButton::action(Action::IndexTexts)).ui(ui, app);
}

/// Draws the actions on all captures found.
fn take_further_ui(ui: &mut Ui, app: &mut AppState, found: &SearchAnswer) {
    // Without a filter a selection is by score, and a collection by hand.
    let filter = if found.filter.is_empty() { "*" } else { &found.filter };
    let select = format!("Select these {}, {}", text::count(found.captures), text::bytes(found.bytes));
    let has_none = app.campaign().is_none();
    let why_not = has_none.then_some("Select a campaign first: a selection belongs to one");
    let select = write_ui(ui, why_not, egui::Button::new(select));
    let hint = "Keeps these captures as the selection of the campaign, in the place of the saved one";
    if select.on_hover_text(hint).clicked() {
        app.lead_to_selection(SelectLead::Filter(filter.to_owned()));
    }
    let why_not = has_none.then_some("Select a campaign first: a collection asks for its scores");
    let rule = write_ui(ui, why_not, egui::Button::new("Save as collection…"));
    let hint = "A collection of what this search finds, filled now and after each crawl";
    if rule.on_hover_text(hint).clicked() {
        app.lead_to_selection(SelectLead::Rule(filter.to_owned()));
    }
}

fn results_ui<'a>(
    ui: &mut Ui,
    app: &mut AppState,
    answer: &'a SearchAnswer,
    judging: Option<Column<'a, Hit, CaptureAction>>,
) {
    if answer.problem.is_some() {
        return;
    }
    if answer.hits.is_empty() {
        empty_ui(ui, "Nothing found", "Try fewer words, or take a condition away");
        return;
    }
    type Col<'a> = Column<'a, Hit, CaptureAction>;
    let of = |tab: PanelTab| move |hit: &Hit| Some(CaptureAction::Panel(hit.capture.id, tab));
    let columns = [
        Col::text("title", "Title", 220.0, |hit| title_of(hit)),
        Col::text("snippet", "Place in the text", 430.0, |hit| &hit.snippet).draw(snippet_ui),
        Col::text("url", "URL", 240.0, |hit| &hit.capture.url),
        Col::date("date", "Captured", 140.0, |hit| hit.capture.date).about("The newest capture found, UTC"),
        Col::count("captures", "Captures", 70.0, |hit| hit.captures)
            .about("Captures found with this content")
            .link("Show all versions", of(PanelTab::Versions)),
        Col::made("mark", "Review", 90.0, |hit| hit.capture.decision_label())
            .draw(|ui, hit| drop(decision_ui(ui, &hit.capture))),
        Col::value("inlinks_external", "External inlinks", 90.0, |hit| Value::known(hit.capture.inlinks_external))
            .numeric()
            .link("Show these inlinks", of(PanelTab::Inlinks)),
        Col::count("more_of_host", "More of host", 80.0, |hit| hit.folded)
            .about("Further results of the same host that are folded into this one"),
        Col::count("similar", "Similar", 70.0, |hit| hit.similar)
            .about("Further pages found whose text is nearly the same")
            .link("Show all captures of these pages", |hit| {
                let filter = format!("similar:{}", hit.capture.id);
                Some(CaptureAction::Command(Command::GoToAll(Route::Captures { filter })))
            }),
        Col::value("relevance", "Relevance", 80.0, |hit| Value::Fraction(f64::from(hit.score))).numeric().hidden(),
    ];
    let table = Table::new("search results", "Results", judging.into_iter().chain(columns), |hit: &Hit| hit.version)
        .on_focus(|hit| Some(CaptureAction::Focus(hit.capture.id)))
        .on_open(|hit| Some(CaptureAction::Panel(hit.capture.id, PanelTab::Text)))
        .on_select(|hits| Some(CaptureAction::Several(hits.iter().map(|hit| hit.capture.id).collect())))
        .menu(|ui, hit| menu_ui(ui, &hit.capture))
        .with_rows(RowsAction::copy_urls(|hit: &Hit| &hit.capture.url));
    if let Some(action) = table.rows_ui(ui, app, &answer.hits) {
        carry_out(app, action);
    }
}

/// The place where a row begins to show a text, so that its first match is in sight: between two
/// of its words.
fn shown_from(snippet: &str, first: usize) -> usize {
    let before = snippet.get(..first).unwrap_or_default();
    let Some((from, _)) = before.char_indices().rev().nth(BEFORE_MARK) else { return 0 };
    before[from..].find(char::is_whitespace).map_or(from, |blank| from + blank)
}

fn title_of(hit: &Hit) -> &str {
    if hit.capture.title.is_empty() { &hit.capture.url } else { &hit.capture.title }
}

fn carry_out(app: &mut AppState, action: CaptureAction) {
    match action {
        CaptureAction::Focus(id) => app.follow_in_panel(Focus::Capture(id)),
        CaptureAction::Panel(id, tab) => {
            app.follow(Focus::Capture(id));
            app.show_tab(tab);
        }
        CaptureAction::Mark(id, mark) => {
            app.send(Command::Mark { captures: app.rows_with(id), mark, note: String::new() });
        }
        CaptureAction::Several(captures) => app.follow_several(captures),
        CaptureAction::Command(command) => app.send(command),
    }
}

/// Less than letters are wide, in points, but for a few.
const NARROWEST_LETTER: f32 = 4.0;

/// A part of the text with what was found in it marked.
fn snippet_ui(ui: &mut Ui, hit: &Hit) {
    let colors = tokens(ui);
    let font = egui::TextStyle::Body.resolve(ui.style());
    let plain = TextFormat::simple(font.clone(), colors.text);
    let marked = TextFormat {
        background: colors.chosen_bg,
        underline: egui::Stroke::new(1.0, colors.accent),
        ..TextFormat::simple(font, colors.strong_text)
    };
    let mut job = LayoutJob::default();
    let mut at = shown_from(&hit.snippet, hit.marked.first().map_or(0, |mark| mark.start));
    if at > 0 {
        job.append("…", 0.0, plain.clone());
    }
    // What no cell is wide enough for takes time to lay out as well.
    let fits = (ui.available_width() / NARROWEST_LETTER) as usize;
    let rest = hit.snippet.get(at..).unwrap_or_default();
    let end = rest.char_indices().nth(fits).map_or(hit.snippet.len(), |(past, _)| at + past);
    let mut put = |range: Range<usize>, format: &TextFormat| {
        let part = hit.snippet.get(range.start.min(end)..range.end.min(end)).unwrap_or_default();
        job.append(&text::line(part), 0.0, format.clone());
    };
    for range in &hit.marked {
        put(at..range.start, &plain);
        put(range.clone(), &marked);
        at = range.end;
    }
    put(at..hit.snippet.len(), &plain);
    let response = ui.add(egui::Label::new(job).truncate().show_tooltip_when_elided(false));
    let whole = || text::line(&hit.snippet);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, whole()));
    response.on_hover_ui(|ui| drop(ui.label(whole())));
}

#[cfg(test)]
mod tests {
    use super::shown_from;

    #[test]
    fn what_was_found_first_is_in_sight() {
        assert_eq!(shown_from("short text", 6), 0);
        let text = "Uma frase que é bem mais longa do que a célula de uma tabela, com o estaleiro";
        let first = text.find("estaleiro").unwrap_or_default();
        assert_eq!(&text[shown_from(text, first)..], " de uma tabela, com o estaleiro");
        assert_eq!(shown_from(&"é".repeat(60), 100), 50);
        assert_eq!(shown_from("x", 9), 0);
    }
}
