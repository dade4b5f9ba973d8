//! Full-text search: a query, its results, and their facets.

pub(super) mod evaluate;
pub(super) mod map;
pub(super) mod media;
pub(super) mod saved;
pub(super) mod timeline;

use super::captures_table::{CaptureAction, mark_icons, menu_ui};
use super::search::evaluate::SearchEvaluate;
use super::search::map::SearchMap;
use super::search::media::media_drop_ui;
use super::search::saved::{SavedPart, order_label};
use super::search::timeline::Timeline;
use super::select::captures_by;
use crate::app::models::{
    FacetChoice, FacetKind, Hit, Loaded, SearchAnswer, SearchCounts, SearchOrder, SearchQuery, date_range,
    facet_choices, toggle_facet, with_date_range, with_facets,
};
use crate::app::{Action, AppState, Command, Focus, PanelTab, Route, SelectLead};
use crate::ui::facets::{FACETS_WIDTH, FacetAction, Facets, ROOM_FOR_FACETS, chosen_ui, named_count_ui};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::table::{Column, RowsAction, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{TypedLine, action_ui, decision_ui, drop_ui, empty_ui, filter_chip_ui, loaded_ui};
use crate::uri::Url;
use egui::text::LayoutJob;
use egui::{RichText, TextEdit, TextFormat, Ui};
use std::ops::Range;
use std::sync::Arc;

/// Results that are listed.
const RESULTS: usize = 200;
/// Characters of a text that are shown before the first match.
const BEFORE_MARK: usize = 24;

/// Less room below the tabs has the timeline in the place of the results.
const ROOM_FOR_TIMELINE: f32 = 430.0;

/// Widths of what is beside the query.
const ORDER: f32 = 124.0;
const GROUPING: f32 = 134.0;
const MEDIA: f32 = 124.0;
const VIEWS: f32 = 132.0;
/// What a drop is wider than its text.
const DROP_EDGES: f32 = 8.0;
/// Height of a line of a result, and space above and below the two.
const HIT_LINE: f32 = 18.0;
const LINES_PAD: f32 = 4.0;
/// Letters of a host behind a title.
const HOST_CHARS: usize = 40;

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
        let answer = app.reads.search(query.clone());
        if let Some(more) = header_ui(ui, app, answer.shown()) {
            self.choose_more(app, more, answer.shown());
        }
        let counts = app.reads.search_counts(query.clone(), self.timeline.period());
        self.line_ui(ui, app, &counts);
        if self.saved.is_open
            && let Some(query) = self.saved.ui(ui, app, &self.applied)
        {
            self.submit(app, query);
        }
        // Before the facets, whose many boxes would be between them and the query for who uses keys.
        self.narrowing_ui(ui, app, &answer, &counts);
        if let Some(found) = answer.shown() {
            self.state_ui(ui, app, found);
            self.evaluate.ui(ui, app, &query, found);
        }
        let is_low = ui.available_height() < ROOM_FOR_TIMELINE;
        if ui.available_width() >= ROOM_FOR_FACETS {
            egui::Panel::right("facets").exact_size(FACETS_WIDTH).resizable(false).show(ui, |ui| {
                loaded_ui(ui, &counts, |ui, counts| self.facets_ui(ui, app, counts));
            });
        }
        // All of the time is shown, whatever part of it is chosen.
        let over_time = match date_range(&query.text) {
            Some(_) => {
                let text = with_date_range(&query.text, None);
                app.reads.search_counts(SearchQuery { text, ..query }, self.timeline.period())
            }
            None => counts.clone(),
        };
        if let Some(counts) = over_time.shown().filter(|_| self.timeline.is_shown(is_low)) {
            let chosen = self.timeline.ui(ui, app, &self.applied, &counts.histogram);
            chosen.into_iter().for_each(|query| self.submit(app, query));
        }
        if let Loaded::Failed(_) = answer {
            loaded_ui(ui, &answer, |_, _| {});
            return;
        }
        if is_low && self.timeline.is_shown(is_low) {
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
            results_ui(ui, app, answer, &self.applied, self.evaluate.column(&query, answer));
        });
    }

    /// The query, and how its results are ordered and grouped and looked at.
    fn line_ui(&mut self, ui: &mut Ui, app: &mut AppState, counts: &Loaded<Arc<SearchCounts>>) {
        ui.horizontal(|ui| {
            let others = ORDER + GROUPING + MEDIA + VIEWS + 4.0 * ui.spacing().item_spacing.x;
            let width = (ui.available_width() - others).max(theme::DATE_FIELD);
            let field = TextEdit::singleline(&mut self.line)
                .hint_text("budget \"state aid\" -football host:gov.pt date:2024")
                .align(egui::Align2::LEFT_CENTER)
                .min_size(egui::vec2(width, theme::SEARCH_FIELD))
                .desired_width(width);
            let response = ui.add(field);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Query"));
            if app.take_opens_filter() {
                response.request_focus();
            }
            if self.typed.is_due(ui, &response) {
                self.submit_line(app, self.line.clone());
            }
            let mut order = self.applied.order;
            drop_ui(ui, "order", "Order of results", order_label(order), ORDER - DROP_EDGES, |ui| {
                for other in [SearchOrder::Relevance, SearchOrder::Newest, SearchOrder::Oldest] {
                    ui.selectable_value(&mut order, other, order_label(other));
                }
            });
            let mut shows_all = self.applied.shows_all;
            let grouping = |shows_all: bool| if shows_all { "Every page" } else { "Group by site" };
            drop_ui(ui, "grouping", "Grouping", grouping(shows_all), GROUPING - DROP_EDGES, |ui| {
                ui.selectable_value(&mut shows_all, false, grouping(false)).on_hover_text(
                    "Two results of each host and the best of pages with nearly the same text, and how many more there are",
                );
                ui.selectable_value(&mut shows_all, true, grouping(true));
            });
            let media = |counts: &Arc<SearchCounts>| {
                counts.facets.iter().find(|(kind, _)| *kind == FacetKind::Media).map(|(_, values)| values.clone())
            };
            let media = counts.shown().and_then(media);
            let chosen = media_drop_ui(ui, &self.applied, media.as_deref(), MEDIA - DROP_EDGES);
            chosen.into_iter().for_each(|query| self.submit(app, query));
            self.map.switch_ui(ui);
            if order != self.applied.order || shows_all != self.applied.shows_all {
                self.submit(app, SearchQuery { order, shows_all, ..self.applied.clone() });
            }
        });
    }

    /// What narrows the results, each to be taken away; at the right how many there are and what is
    /// done with all of them.
    fn narrowing_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        answer: &Loaded<Arc<SearchAnswer>>,
        counts: &Loaded<Arc<SearchCounts>>,
    ) {
        let height = theme::CONTROL;
        ui.allocate_ui_with_layout(
            egui::vec2(ui.available_width(), height),
            egui::Layout::right_to_left(egui::Align::Center),
            |ui| {
                ui.set_min_height(height);
                if ui.available_width() < ROOM_FOR_FACETS {
                    ui.menu_button("Facets", |ui| {
                        loaded_ui(ui, counts, |ui, counts| self.facets_ui(ui, app, counts));
                    });
                }
                let label = if self.timeline.is_open { "Hide timeline" } else { "Timeline" };
                if ui.link(label).on_hover_text("Captures found over time").clicked() {
                    self.timeline.is_open = !self.timeline.is_open;
                }
                if let Some(found) = answer.shown().filter(|found| found.problem.is_none()) {
                    found_ui(ui, app, found);
                    if found.code > 0 {
                        let link = ui.link(format!("{} of code not shown", text::count(found.code)));
                        if link.on_hover_text("Style sheets, scripts and robots.txt. Show these: media:code").clicked()
                        {
                            self.submit_line(app, with_facets(&self.applied.text, FacetKind::Media, &[of_code()]));
                        }
                    }
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| self.chosen_ui(ui, app));
            },
        );
    }

    /// Does what was chosen in the menu of the header.
    fn choose_more(&mut self, app: &mut AppState, more: SearchMore, found: Option<&Arc<SearchAnswer>>) {
        match (more, found) {
            (SearchMore::Saved, _) => self.saved.is_open = !self.saved.is_open,
            (SearchMore::Assess, _) => self.evaluate.switch(),
            (SearchMore::Select, Some(found)) => {
                app.lead_to_selection(SelectLead::Filter(filter_of(found).to_owned()));
            }
            (SearchMore::Collect, Some(found)) => {
                app.lead_to_selection(SelectLead::Rule(filter_of(found).to_owned()));
            }
            (SearchMore::Select | SearchMore::Collect, None) => {}
        }
    }

    /// Values that are chosen, each to be taken away.
    fn chosen_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let chosen = facet_choices(&self.applied.text);
        // A year alone is a value of a facet.
        let is_of_facet = |range: &str| range.len() == 4;
        let range = date_range(&self.applied.text).filter(|range| !is_of_facet(range));
        if chosen.is_empty() && range.is_none() {
            return;
        }
        ui.label(RichText::new("Narrowed by").color(tokens(ui).weak_text));
        if let Some(gone) = chosen_ui(ui, &chosen) {
            self.submit_line(app, toggle_facet(&self.applied.text, &gone));
        }
        if let Some(range) = &range {
            let label = match range.split_once("..") {
                Some(("", to)) => format!("until {to}"),
                Some((from, "")) => format!("from {from}"),
                Some((from, to)) => format!("{from} to {to}"),
                None => range.clone(),
            };
            if filter_chip_ui(ui, &label, "Take this time away") {
                self.submit_line(app, with_date_range(&self.applied.text, None));
            }
        }
        if ui.link("Clear").on_hover_text("Take all these conditions away").clicked() {
            let line = chosen.iter().fold(self.applied.text.clone(), |line, choice| toggle_facet(&line, choice));
            let line = if range.is_some() { with_date_range(&line, None) } else { line };
            self.submit_line(app, line);
        }
    }

    /// Draws the problems of a search, and the captures not indexed yet.
    fn state_ui(&mut self, ui: &mut Ui, app: &mut AppState, found: &SearchAnswer) {
        if let Some(problem) = &found.problem {
            ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
            return;
        }
        if found.waiting != Some(0) {
            ui.horizontal_wrapped(|ui| {
                let why = match found.waiting {
                    None => "No text index: words are looked for in URLs and titles".to_owned(),
                    Some(waiting) => format!("{} not indexed yet", text::counted(waiting, "capture")),
                };
                icon_ui(ui, Icon::Warning, theme::SMALL_ICON, tokens(ui).flag);
                ui.colored_label(tokens(ui).flag, why);
                action_ui(ui, app, Action::IndexTexts);
            });
        }
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
            Some(FacetAction::Only(choice)) => self.submit_line(app, with_facets(line, choice.kind, &[choice])),
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

/// Style sheets, scripts and robots.txt.
fn of_code() -> FacetChoice {
    FacetChoice { kind: FacetKind::Media, value: "code".to_owned(), is_excluded: false }
}

/// The number of results.
fn found_ui(ui: &mut Ui, app: &mut AppState, found: &SearchAnswer) {
    // From the right to the left.
    ui.label(crate::jobs::noun(found.captures, "capture"));
    if found.captures == 0 {
        ui.label("0");
    } else if named_count_ui(ui, found.captures, "Captures found") {
        captures_by(app, found.filter.clone());
    }
}

/// The filter of all that was found: without one a selection is by score, and a collection by hand.
fn filter_of(found: &SearchAnswer) -> &str {
    if found.filter.is_empty() { "*" } else { &found.filter }
}

/// What is rarely done with a search, in the menu of the header.
#[derive(Debug, Clone, Copy)]
enum SearchMore {
    /// Shows or hides the searches that were kept.
    Saved,
    /// Marks results as right or wrong, or no more.
    Assess,
    /// Makes what was found the selection.
    Select,
    /// Makes it the rule of a collection.
    Collect,
}

fn header_ui(ui: &mut Ui, app: &mut AppState, found: Option<&Arc<SearchAnswer>>) -> Option<SearchMore> {
    let mut header = Header::new("Search");
    let has_none = app.campaign().is_none();
    let found = found.filter(|found| found.problem.is_none());
    header = match found {
        Some(found) => {
            let review = Command::GoToAll(Route::Review { filter: found.filter.clone() });
            let why_not = (found.captures == 0).then_some("No captures found");
            let review = HeaderButton::send(format!("Review {}", text::count(found.captures)), review).off(why_not);
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
    header = header
        .more(
            HeaderButton::own("Saved searches", SearchMore::Saved)
                .hint("Save this search under a name, or open a saved one"),
        )
        .more(
            HeaderButton::own("Assess results", SearchMore::Assess)
                .hint("Mark results as right or wrong, and see how good the search is"),
        );
    if let Some(found) = found.filter(|found| found.captures > 0) {
        let select = format!("Select these {}, {}", text::count(found.captures), text::bytes(found.bytes));
        let why_not = has_none.then_some("Select a campaign first: a selection belongs to one");
        let select = HeaderButton::own(select, SearchMore::Select).writes().off(why_not);
        let why_not = has_none.then_some("Select a campaign first: a collection asks for its scores");
        let collect = HeaderButton::own("Save as collection…", SearchMore::Collect).writes().off(why_not);
        header = header
            .more(select.hint("Keeps these captures as the selection of the campaign, in the place of the saved one"))
            .more(collect.hint("A collection of what this search finds, filled now and after each crawl"));
    }
    header.more(HeaderButton::action(Action::IndexTexts)).ui(ui, app)
}

fn results_ui<'a>(
    ui: &mut Ui,
    app: &mut AppState,
    answer: &'a SearchAnswer,
    query: &SearchQuery,
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
        Col::text("title", "Page, and where it was found", 430.0, |hit| title_of(hit))
            .second("snippet", "Place in the text", |hit| &hit.snippet)
            .draw_with_action(move |ui, hit| hit_ui(ui, hit, query)),
        Col::day("date", "Last", 86.0, |hit| hit.capture.date).about("The newest capture found, UTC"),
        Col::count("captures", "Captures", 70.0, |hit| hit.captures)
            .about("Captures found with this content")
            .link("Show all versions", of(PanelTab::Versions)),
        Col::value("inlinks_external", "Cited by", 70.0, |hit| Value::known(hit.capture.inlinks_external))
            .numeric()
            .about("Inlinks of other sites in the window; – where inlinks are not built")
            .link("Show these inlinks", of(PanelTab::Inlinks)),
        Col::count("similar", "Similar", 64.0, |hit| hit.similar)
            .about("Further pages found whose text is nearly the same")
            .link("Show all captures of these pages", |hit| {
                let filter = format!("similar:{}", hit.capture.id);
                Some(CaptureAction::Command(Command::GoToAll(Route::Captures { filter })))
            }),
        Col::made("mark", "Review", 90.0, |hit| hit.capture.decision_label())
            .draw(|ui, hit| drop(decision_ui(ui, &hit.capture))),
        Col::text("url", "URL", 240.0, |hit| &hit.capture.url).hidden(),
        Col::count("more_of_host", "More of host", 80.0, |hit| hit.folded)
            .about("Further results of the same host that are folded into this one")
            .hidden(),
        Col::value("relevance", "Relevance", 80.0, |hit| Value::Fraction(f64::from(hit.score))).numeric().hidden(),
    ];
    let table = Table::new("search results", "Results", judging.into_iter().chain(columns), |hit: &Hit| hit.version)
        .two_lines()
        .on_focus(|hit| Some(CaptureAction::Focus(hit.capture.id)))
        .on_open(|hit| Some(CaptureAction::Panel(hit.capture.id, PanelTab::Text)))
        .on_select(|hits| Some(CaptureAction::Several(hits.iter().map(|hit| hit.capture.id).collect())))
        .menu(|ui, hit| menu_ui(ui, &hit.capture))
        .with_rows(RowsAction::copy_urls(|hit: &Hit| &hit.capture.url));
    let table = if app.read_only().is_some() { table } else { mark_icons(table, |hit: &Hit| hit.capture.id) };
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
        CaptureAction::Focus(id) => app.follow(Focus::Capture(id)),
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

/// A result in two lines: its title with its host and how many more of that were found, and the place
/// in its text. The action of a click on that number.
fn hit_ui(ui: &mut Ui, hit: &Hit, query: &SearchQuery) -> Option<CaptureAction> {
    let colors = tokens(ui);
    let mut action = None;
    let room = ui.max_rect().shrink2(egui::vec2(theme::CELL_PAD, LINES_PAD));
    let layout = egui::Layout::top_down(egui::Align::Min);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(room).layout(layout));
    child.spacing_mut().item_spacing.y = 0.0;
    child.spacing_mut().interact_size.y = HIT_LINE;
    child.horizontal(|ui| {
        ui.set_height(HIT_LINE);
        // The title gives way to what is behind it.
        let host = Url::parse(&hit.capture.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let font = egui::FontId::proportional(theme::SMALL_TEXT);
        let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), colors.text).size().x;
        let more = if hit.folded > 0 { format!("{} more", text::count(hit.folded)) } else { String::new() };
        let host_text = text::short(host.as_deref().unwrap_or_default(), HOST_CHARS);
        let behind = width(&host_text) + width(&more) + 3.0 * ui.spacing().item_spacing.x;
        let title = theme::strong(text::line(title_of(hit)), theme::BODY_TEXT).color(colors.strong_text);
        ui.scope(|ui| {
            ui.set_max_width((ui.available_width() - behind).max(0.0));
            ui.add(egui::Label::new(title).truncate().selectable(false));
        });
        let host_label = RichText::new(host_text).size(theme::SMALL_TEXT).color(colors.weak_text);
        let response = ui.add(egui::Label::new(host_label).selectable(false));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text::line(&hit.capture.url)));
        response.on_hover_text(text::line(&hit.capture.url));
        if let Some(host) = host.filter(|_| hit.folded > 0) {
            let link = ui.link(RichText::new(more).size(theme::SMALL_TEXT));
            if link.on_hover_text("Show all pages found of this host").clicked() {
                let text = format!("{} host:{host}", query.text.trim()).trim().to_owned();
                let query = SearchQuery { text, shows_all: true, ..query.clone() };
                action = Some(CaptureAction::Command(Command::Go(Route::Search(query))));
            }
        }
    });
    snippet_ui(&mut child, hit);
    action
}

/// A part of the text with what was found in it marked.
fn snippet_ui(ui: &mut Ui, hit: &Hit) {
    let colors = tokens(ui);
    let font = egui::FontId::proportional(theme::SMALL_TEXT);
    let plain = TextFormat::simple(font.clone(), colors.weak_text);
    let marked = TextFormat { background: colors.mark_bg, ..TextFormat::simple(font, colors.text) };
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
    let response = ui.add(egui::Label::new(job).truncate().selectable(false).show_tooltip_when_elided(false));
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
