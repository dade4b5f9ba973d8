//! The editor of a campaign's sources: services that name pages.

use crate::app::models::{
    CampaignId, NamedPageList, NamedPageRow, PlannedRequest, SourceRow, mark_text, planned_requests,
};
use crate::app::{AppState, Command, JobKind, SourceAct, SourceAdding, SourceTestState, TokenText};
use crate::campaign::{Campaign, CampaignProblem, CampaignSource, SourceKind};
use crate::ui::icons::{Icon, icon_button_ui, icon_ui};
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{
    FieldLevel, FormRow, cell_ui, count_link_ui, drop_ui, field_led_to, lead_here, least_table_height, line_field_ui,
    loaded_ui, remark_row_ui, segments_ui, spinner_ui, write_ui,
};
use egui::{Align, Button, DragValue, Label, Layout, RichText, TextEdit, Ui};
use std::collections::BTreeMap;

/// Rows of the table in sight.
const ROWS: usize = 5;
/// Pages of a test that are shown.
const TESTED_SHOWN: usize = 10;
/// Requests that are shown.
const REQUESTS_SHOWN: usize = 8;

/// State of the editor between frames.
#[derive(Default)]
pub struct SourcesEditor {
    address: String,
    /// The source that the form is of.
    at: Option<usize>,
    /// The source that was added last: the form is of it at first.
    added: Option<String>,
    /// A token as it is typed, until it goes to the keychain.
    token: String,
    /// The pages that are listed: those of this source, and whether only those that wait.
    listed: Option<(String, bool)>,
}

/// What a source is searched for.
#[derive(Clone, Copy, PartialEq)]
enum QueryChoice {
    Request,
    Own,
    Everything,
}

/// A source as the table shows it.
struct SourceLine<'s> {
    index: usize,
    source: &'s CampaignSource,
    kept: Option<&'s SourceRow>,
    answer: SourceAnswer,
    problems: &'s [CampaignProblem],
}

/// The last answer of a source, as a state and a sentence.
#[derive(Clone, PartialEq)]
struct SourceAnswer {
    state: AnswerState,
    text: String,
}

#[derive(Clone, Copy, PartialEq)]
enum AnswerState {
    None,
    Running,
    Good,
    Bad,
}

/// An action on a row of sources.
enum SourceRowAction {
    Choose(usize),
    Enable(usize, bool),
    Test(usize),
    Run(usize),
    Remove(usize),
    List(usize, bool),
}

impl SourcesEditor {
    /// Draws the field for another source, the table, and the form of the source at hand.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        campaign: &mut Campaign,
        (id, saved): (Option<CampaignId>, &Campaign),
        problems: &[CampaignProblem],
    ) {
        let led_to = field_led_to(ui.ctx()).and_then(|field| index_of(&field));
        self.at = led_to.or(self.at).filter(|at| *at < campaign.sources.len());
        let about = "Services that list pages. Each launch first reads the enabled ones that are due, and fetches the pages \
                     found and what these link to";
        ui.add(Label::new(RichText::new(about).color(tokens(ui).weak_text)).wrap());
        let rows = id.map(|id| app.reads.source_rows(id));
        let rows: Vec<SourceRow> =
            rows.as_ref().and_then(|rows| rows.shown()).map(|rows| rows.to_vec()).unwrap_or_default();
        if !campaign.sources.is_empty() {
            self.table_ui(ui, app, campaign, (id, saved), &rows, problems);
        }
        self.add_ui(ui, app, campaign, saved);
        let Some(at) = self.at else { return };
        let Some(source) = campaign.sources.get(at).cloned() else { return };
        ui.add_space(GAP);
        ui.strong(text::short(&source.name, 60));
        let kept = AppState::kept_source(&rows, &source);
        let is_saved = saved.sources.contains(&source);
        self.form_ui(ui, app, campaign, at, problems);
        self.results_ui(ui, app, (id, is_saved), campaign, at, kept);
    }

    /// The field for the address of another source, and what is known of it.
    fn add_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &Campaign, saved: &Campaign) {
        ui.horizontal(|ui| {
            let width = (ui.available_width() - theme::DATE_FIELD - GAP).min(theme::LONG_FIELD);
            let example = "https://www.example.org/feed.xml, or a page of the site";
            let field = line_field_ui(ui, "Address of another source", &mut self.address, example, width);
            lead_here(&field, "sources");
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let has_text = !self.address.trim().is_empty();
            let button = ui.add_enabled(has_text, Button::new("Add source"));
            let button = button.on_disabled_hover_text("Type the address of a site, a feed or an interface first");
            if has_text && (button.clicked() || is_entered) {
                app.send(Command::Sources(SourceAct::Add(std::mem::take(&mut self.address))));
            }
        });
        let Some(adding) = app.source_adding().cloned() else { return };
        match adding {
            SourceAdding::Reading(address) => {
                ui.horizontal(|ui| {
                    spinner_ui(ui);
                    ui.weak(format!("Detecting the kind of {}", text::short(&address, 70)));
                    if ui.link("Cancel").clicked() {
                        app.send(Command::Sources(SourceAct::GiveUpAdding));
                    }
                });
            }
            SourceAdding::Choice(address, found) => {
                ui.label(format!("{} can be read in several ways", text::short(&address, 70)));
                for (kind, place, evidence) in found {
                    ui.horizontal_wrapped(|ui| {
                        if ui.button(format!("Add as {}", kind.label())).clicked() {
                            app.send(Command::Sources(SourceAct::AddAs(kind, place.clone())));
                        }
                        ui.weak(format!("{}: {}", text::short(&place, 60), text::line(&evidence)));
                    });
                }
            }
            SourceAdding::Unknown(address, why) => {
                let sentence = format!("{} was not added: {}", text::short(&address, 60), text::line(&why));
                if remark_row_ui(ui, FieldLevel::Warning, &sentence, "Add it as a feed") {
                    app.send(Command::Sources(SourceAct::AddAs(SourceKind::Feed, address)));
                }
            }
            SourceAdding::Added(name, _) if saved.sources.iter().any(|source| source.name == name) => {}
            SourceAdding::Added(name, evidence) => {
                ui.weak(format!("“{}” was added ({}); save to have it read", text::line(&name), text::line(&evidence)));
                if self.added.as_ref() != Some(&name) {
                    self.at = campaign.sources.iter().rposition(|source| source.name == name);
                    (self.added, self.listed) = (Some(name), None);
                    self.token.clear();
                }
            }
        }
    }

    fn table_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        campaign: &mut Campaign,
        (id, saved): (Option<CampaignId>, &Campaign),
        rows: &[SourceRow],
        problems: &[CampaignProblem],
    ) {
        let lines: Vec<SourceLine<'_>> = (0..)
            .zip(&campaign.sources)
            .map(|(index, source)| {
                let kept = AppState::kept_source(rows, source);
                SourceLine { index, source, kept, answer: answer_of(app, source, kept), problems }
            })
            .collect();
        let table = Table::new("sources", "Sources", columns(), |row: &SourceLine<'_>| row.index as u64)
            .two_lines()
            .chosen(self.at.map(|at| at as u64))
            .height(least_table_height(ui, lines.len().clamp(1, ROWS), theme::TWO_LINE_ROW))
            .on_focus(|row| Some(SourceRowAction::Choose(row.index)))
            .menu(|ui, row| {
                let actions = [
                    ("Test", SourceRowAction::Test(row.index)),
                    ("Run now", SourceRowAction::Run(row.index)),
                    ("Remove", SourceRowAction::Remove(row.index)),
                ];
                actions.into_iter().find(|(label, _)| ui.button(*label).clicked()).map(|(_, action)| action)
            });
        let action = table.rows_ui(ui, app, &lines);
        drop(lines);
        let source = |index: usize| campaign.sources.get(index).cloned();
        match action {
            None => {}
            Some(SourceRowAction::Choose(index)) => self.choose(index),
            Some(SourceRowAction::Enable(index, enabled)) => {
                self.choose(index);
                if let Some(source) = campaign.sources.get_mut(index) {
                    source.enabled = enabled;
                }
            }
            Some(SourceRowAction::Test(index)) => {
                self.choose(index);
                if let Some(source) = source(index) {
                    app.send(Command::Sources(SourceAct::Test(Box::new(source))));
                }
            }
            Some(SourceRowAction::Run(index)) => {
                self.choose(index);
                let runs = source(index).filter(|source| run_obstacle(app, saved.sources.contains(source)).is_none());
                if let Some((source, id)) = runs.zip(id) {
                    app.send(Command::Sources(SourceAct::Run(id, Some(source.name))));
                }
            }
            Some(SourceRowAction::Remove(index)) => self.remove(campaign, index),
            Some(SourceRowAction::List(index, only_waiting)) => {
                self.choose(index);
                self.listed = source(index).map(|source| (source.name, only_waiting));
            }
        }
    }

    fn choose(&mut self, index: usize) {
        if self.at != Some(index) {
            self.listed = None;
            self.token.clear();
        }
        self.at = Some(index);
    }

    fn remove(&mut self, campaign: &mut Campaign, index: usize) {
        if index < campaign.sources.len() {
            campaign.sources.remove(index);
        }
        (self.at, self.listed) = (None, None);
        self.token.clear();
    }

    /// The fields of the source at hand.
    fn form_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        campaign: &mut Campaign,
        at: usize,
        problems: &[CampaignProblem],
    ) {
        let request = campaign.request.clone();
        let source = &mut campaign.sources[at];
        let width = (ui.available_width() - theme::LABEL_COLUMN - theme::LABEL_GAP).min(theme::LONG_FIELD);
        let row = |label: &'static str, name: &'static str, field: &str| {
            let path = format!("sources[{at}].{field}");
            let problem = problems.iter().find(|problem| problem.field == path);
            let row = FormRow::new(label).named(name);
            problem.into_iter().fold(row, |row, problem| row.remark(FieldLevel::Error, &problem.what, ""))
        };
        let field = row("Name", "Name of the source", "name")
            .note("URLs found by it carry this as their tag")
            .show_ui(ui, |ui| ui.add(TextEdit::singleline(&mut source.name).desired_width(theme::FIELD)));
        lead_here(&field.field, &format!("sources[{at}].name"));
        FormRow::new("Kind").named("Kind of the source").show_ui(ui, |ui| {
            let drawn = ui.scope(|ui| {
                drop_ui(ui, "kind of a source", "Kind of the source", source.kind.label(), theme::FIELD, |ui| {
                    for kind in SourceKind::ALL {
                        ui.selectable_value(&mut source.kind, kind, kind.label());
                    }
                });
            });
            drawn.response
        });
        let field = row("Address", "Address of the source", "address")
            .show_ui(ui, |ui| ui.add(TextEdit::singleline(&mut source.address).desired_width(width)));
        lead_here(&field.field, &format!("sources[{at}].address"));
        let hours = DragValue::new(&mut source.every_hours).range(1..=8784);
        let field = row("Every", "Hours between two runs", "every_hours")
            .note("hours at the soonest, before a launch")
            .show_ui(ui, |ui| ui.add_sized([theme::NUMBER_FIELD, theme::CONTROL], hours));
        lead_here(&field.field, &format!("sources[{at}].every_hours"));
        queries_ui(ui, source, &request, at, &row);
        labelled_ui(ui, |ui| {
            ui.checkbox(&mut source.enabled, "Enabled: read by launches when due");
        });
        labelled_ui(ui, |ui| {
            ui.checkbox(&mut source.ignore_robots, "Query its interface even where robots.txt disallows it").on_hover_text(
                "Only where the owner of the site offers the interface to programs; pages that it names obey robots.txt",
            );
        });
        labelled_ui(ui, |ui| {
            ui.checkbox(&mut source.token, "Send a token, which is in the system's keychain")
                .on_hover_text("As Authorization: Bearer, to this server alone; it is written to no file");
        });
        if source.token {
            self.token_ui(ui, app, source);
        }
    }

    /// The field of a token: what is typed goes into the keychain, and is not shown again.
    fn token_ui(&mut self, ui: &mut Ui, app: &mut AppState, source: &CampaignSource) {
        let token = &mut self.token;
        FormRow::new("Token").named("Token of the source").show_ui(ui, |ui| {
            let drawn = ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                let field = ui.add(
                    TextEdit::singleline(token)
                        .password(true)
                        .hint_text("never shown again")
                        .desired_width(theme::FIELD),
                );
                let has_text = !token.trim().is_empty();
                let keeps = ui.add_enabled(has_text, Button::new("Save token"));
                if keeps.on_disabled_hover_text("Type or paste the token first").clicked() {
                    // Nor by undo.
                    egui::text_edit::TextEditState::default().store(ui.ctx(), field.id);
                    let act = SourceAct::KeepToken(Box::new(source.clone()), TokenText::taken_from(token));
                    app.send(Command::Sources(act));
                }
                if ui.button("Remove token").on_hover_text("Removes it from the keychain").clicked() {
                    app.send(Command::Sources(SourceAct::ForgetToken(Box::new(source.clone()))));
                }
                field
            });
            drawn.inner
        });
    }

    /// What is requested next, the buttons, and what the last test and run came to.
    fn results_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        (id, is_saved): (Option<CampaignId>, bool),
        campaign: &mut Campaign,
        at: usize,
        kept: Option<&SourceRow>,
    ) {
        let source = campaign.sources[at].clone();
        let none = BTreeMap::new();
        let planned = planned_requests(&source, &campaign.request, kept.map_or(&none, |row| &row.state.marks));
        requests_ui(ui, &planned);
        ui.add_space(theme::TIGHT_GAP);
        let why_not = run_obstacle(app, is_saved && id.is_some());
        let mut removes = false;
        labelled_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            let is_testing = app.source_test(&source) == Some(SourceTestState::Running);
            let tests = ui.add_enabled(!is_testing, Button::new("Test"));
            let tests = tests.on_hover_text("Reads the first page of answers and keeps nothing");
            if tests.on_disabled_hover_text("Test running").clicked() {
                app.send(Command::Sources(SourceAct::Test(Box::new(source.clone()))));
            }
            let run = write_ui(ui, why_not, Button::new("Run now"));
            if run.on_hover_text("Reads what is new, for the next launch").clicked()
                && let Some(id) = id
            {
                app.send(Command::Sources(SourceAct::Run(id, Some(source.name.clone()))));
            }
            removes = ui.button("Remove").on_hover_text("Pages found by it stay").clicked();
        });
        test_ui(ui, app, &source);
        if let Some(row) = kept {
            self.kept_ui(ui, app, id, row);
        }
        if removes {
            self.remove(campaign, at);
        }
    }

    /// What is kept of a source: its last run, how far it was read, and what it named.
    fn kept_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: Option<CampaignId>, row: &SourceRow) {
        let fact = |ui: &mut Ui, label: &str, value: &str| {
            fact_ui(ui, label, |ui| {
                ui.add(Label::new(text::line(value)).wrap());
            });
        };
        if let Some(date) = row.state.last_run {
            fact(ui, "Last run", &format!("{} UTC: {}", text::minute(date), outcome_of(row)));
        }
        let next = match (&row.state.next_run, row.state.is_gone, row.source.enabled) {
            (_, true, _) => "never: the server says that it is gone".to_owned(),
            (_, _, false) => "never by itself: it is off".to_owned(),
            (Some(next), ..) => format!("with the first launch after {} UTC", text::minute(*next)),
            (None, ..) => "with the next launch".to_owned(),
        };
        fact(ui, "Next run", &next);
        for (query, mark) in &row.state.marks {
            let of = if query.is_empty() { String::new() } else { format!("{query}: ") };
            let mark = mark_text(mark);
            if !mark.is_empty() {
                fact(ui, "Read up to", &format!("{of}{mark}"));
            }
        }
        fact_ui(ui, "Found", |ui| {
            ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
            for (count, only_waiting, label) in
                [(row.state.pages, false, "pages,"), (row.state.waiting, true, "of them for the next launch")]
            {
                if count == 0 {
                    ui.weak("0");
                } else if count_link_ui(ui, count, "Show these pages") {
                    self.listed = Some((row.source.name.clone(), only_waiting));
                }
                ui.label(label);
            }
        });
        let listed = self.listed.as_ref().filter(|(name, _)| *name == row.source.name);
        let Some(((_, only_waiting), id)) = listed.cloned().zip(id) else { return };
        let Ok(source) = serde_json::to_string(&row.source) else { return };
        let answer = app.reads.named_pages(id, source, only_waiting);
        loaded_ui(ui, &answer, |ui, pages| {
            if self.named_pages_ui(ui, app, pages, only_waiting) {
                self.listed = None;
            }
        });
    }

    /// Draws pages that a source named; whether the list is closed.
    fn named_pages_ui(&self, ui: &mut Ui, app: &mut AppState, pages: &NamedPageList, only_waiting: bool) -> bool {
        let mut is_closed = false;
        ui.horizontal(|ui| {
            let which = if only_waiting { "Pages for the next launch" } else { "Pages found" };
            ui.strong(which);
            let shown = pages.rows.len() as u64;
            if shown < pages.total {
                ui.weak(format!("the last {} of {}", text::count(shown), text::count(pages.total)));
            }
            is_closed = icon_button_ui(ui, Icon::Close, "Close the list of pages").clicked();
        });
        type Col<'a> = Column<'a, NamedPageRow, ()>;
        let columns = [
            Col::text("url", "URL", 300.0, |row| &row.url),
            Col::text("title", "Title", 160.0, |row| &row.title),
            Col::date("found", "Found (UTC)", 130.0, |row| row.found),
            Col::made("launch", "Launch", 120.0, |row| row.launch.clone().unwrap_or_else(|| "the next one".to_owned())),
            Col::made("within", "In the text of", 160.0, |row| row.within.clone().unwrap_or_default()).or("–").hidden(),
        ];
        let height = least_table_height(ui, pages.rows.len().clamp(1, 2 * ROWS), theme::ROW);
        Table::new("named pages", "Pages found by a source", columns, |row: &NamedPageRow| row.id.unsigned_abs())
            .height(height)
            .aside()
            .rows_ui(ui, app, &pages.rows);
        is_closed
    }
}

/// The place of the source that a field is of, as in `sources[2].name`.
fn index_of(field: &str) -> Option<usize> {
    field.strip_prefix("sources[")?.split(']').next()?.parse().ok()
}

/// Why a source cannot be read now; none where it can.
fn run_obstacle(app: &AppState, is_saved: bool) -> Option<&'static str> {
    if !is_saved {
        return Some("Save the specification first: runs use the saved source");
    }
    app.runs(JobKind::ReadSources).then_some("Sources are being read")
}

/// Draws in the column of fields of a form.
fn labelled_ui(ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.add_space(theme::LABEL_COLUMN + theme::LABEL_GAP);
        draw(ui);
    });
}

/// Draws a fact with its label in the columns of a form; it wraps under itself.
fn fact_ui(ui: &mut Ui, label: &str, draw: impl FnOnce(&mut Ui)) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = theme::LABEL_GAP;
        let size = egui::vec2(theme::LABEL_COLUMN, ui.spacing().interact_size.y);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.set_min_size(size);
            ui.label(RichText::new(label).color(tokens(ui).weak_text));
        });
        ui.horizontal_wrapped(draw);
    });
}

/// What it is searched for: made from the request, of its own, or nothing.
fn queries_ui<'p>(
    ui: &mut Ui,
    source: &mut CampaignSource,
    request: &crate::campaign::Request,
    at: usize,
    row: &impl Fn(&'static str, &'static str, &str) -> FormRow<'p>,
) {
    if !source.kind.takes_queries() {
        FormRow::new("Query").show_ui(ui, |ui| ui.label("everything: it is read as a whole"));
        return;
    }
    let before = match source.queries.as_deref() {
        None => QueryChoice::Request,
        Some([]) => QueryChoice::Everything,
        Some(_) => QueryChoice::Own,
    };
    let mut choice = before;
    FormRow::new("Query").named("What the source is searched for").show_ui(ui, |ui| {
        let drawn = ui.scope(|ui| {
            let of = [
                (QueryChoice::Request, "From the request"),
                (QueryChoice::Own, "Own queries"),
                (QueryChoice::Everything, "Everything new"),
            ];
            segments_ui(ui, "What the source is searched for", &mut choice, &of);
        });
        drawn.response
    });
    if choice != before {
        source.queries = match choice {
            QueryChoice::Request => None,
            QueryChoice::Everything => Some(Vec::new()),
            // Those made of the request are a good beginning.
            QueryChoice::Own => {
                let made = CampaignSource { queries: None, ..source.clone() };
                let made = planned_requests(&made, request, &BTreeMap::new());
                Some(made.into_iter().map(|planned| planned.text).collect())
            }
        };
    }
    if let Some(queries) = source.queries.as_mut().filter(|queries| !queries.is_empty()) {
        let mut lines = queries.join("\n");
        let field =
            row("Queries", "Queries of the source, one a line", "queries").note("one a line").show_ui(ui, |ui| {
                ui.add(TextEdit::multiline(&mut lines).desired_rows(3).desired_width(theme::LONG_FIELD * 0.8))
            });
        lead_here(&field.field, &format!("sources[{at}].queries"));
        if field.field.changed() {
            *queries = lines.split('\n').map(str::to_owned).collect();
        }
    }
}

/// The first requests of the next run, before they are sent.
fn requests_ui(ui: &mut Ui, planned: &[PlannedRequest]) {
    for request in planned.iter().take(REQUESTS_SHOWN) {
        fact_ui(ui, "Next request", |ui| {
            match &request.address {
                Ok(address) => {
                    if !request.text.is_empty() {
                        ui.label(text::short(&request.text, 120));
                    }
                    ui.weak(text::middle(address, 200)).on_hover_text(text::line(address));
                }
                Err(why) => drop(ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(why)))),
            };
        });
    }
    let more = planned.len().saturating_sub(REQUESTS_SHOWN);
    if more > 0 {
        fact_ui(ui, "", |ui| drop(ui.weak(format!("and {}", text::counted(more as u64, "more query")))));
    }
}

/// What the last test of a source came to, with the first pages of its answer.
fn test_ui(ui: &mut Ui, app: &AppState, source: &CampaignSource) {
    let Some(test) = app.source_test(source) else { return };
    fact_ui(ui, "Test", |ui| {
        answer_ui(ui, &test_answer(test));
    });
    let SourceTestState::Ended(test) = test else { return };
    for note in &test.notes {
        fact_ui(ui, "", |ui| drop(ui.weak(text::line(note))));
    }
    for (url, title) in test.pages.iter().take(TESTED_SHOWN) {
        fact_ui(ui, "", |ui| {
            ui.label(text::middle(url, 90)).on_hover_text(text::line(url));
            ui.weak(text::short(title, 60));
        });
    }
    let more = test.pages.len().saturating_sub(TESTED_SHOWN);
    if more > 0 {
        fact_ui(ui, "", |ui| drop(ui.weak(format!("and {}", text::counted(more as u64, "more page")))));
    }
}

fn test_answer(test: SourceTestState<'_>) -> SourceAnswer {
    let (state, text) = match test {
        SourceTestState::Running => (AnswerState::Running, "being tested".to_owned()),
        SourceTestState::Failed(why) => (AnswerState::Bad, format!("test failed: {why}")),
        SourceTestState::Ended(test) => match &test.failure {
            Some(why) => (AnswerState::Bad, format!("test failed: {why}")),
            None => {
                let pages = text::counted(test.pages.len() as u64, "page");
                (AnswerState::Good, format!("test passed: {pages} in its first answer, nothing was kept"))
            }
        },
    };
    SourceAnswer { state, text }
}

/// The last answer of a source: that of a test of this window, else that of its last run.
fn answer_of(app: &AppState, source: &CampaignSource, kept: Option<&SourceRow>) -> SourceAnswer {
    if let Some(test) = app.source_test(source) {
        return test_answer(test);
    }
    let none = || SourceAnswer { state: AnswerState::None, text: "not read yet".to_owned() };
    let Some(row) = kept.filter(|row| row.state.last_run.is_some()) else { return none() };
    let state = if row.state.has_failed { AnswerState::Bad } else { AnswerState::Good };
    SourceAnswer { state, text: outcome_of(row).to_owned() }
}

/// What the last run of a source came to, without its name.
fn outcome_of(row: &SourceRow) -> &str {
    let prefix = format!("source “{}”: ", row.source.name);
    row.state.outcome.strip_prefix(&prefix).unwrap_or(&row.state.outcome)
}

fn answer_ui(ui: &mut Ui, answer: &SourceAnswer) {
    answer_icon_ui(ui, answer.state);
    ui.add(Label::new(text::line(&answer.text)).wrap());
}

fn answer_icon_ui(ui: &mut Ui, state: AnswerState) {
    let colors = tokens(ui);
    let (icon, color) = match state {
        AnswerState::None => (Icon::Minus, colors.weak_text),
        AnswerState::Running => (Icon::Waiting, colors.weak_text),
        AnswerState::Good => (Icon::Check, colors.accept),
        AnswerState::Bad => (Icon::Error, colors.reject),
    };
    ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
    icon_ui(ui, icon, theme::SMALL_ICON, color);
}

impl SourceLine<'_> {
    fn faults(&self) -> String {
        let is_here = |problem: &&CampaignProblem| index_of(&problem.field) == Some(self.index);
        self.problems.iter().filter(is_here).map(|problem| problem.what.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// Its faults, else its last answer.
    fn answer_text(&self) -> String {
        let faults = self.faults();
        if faults.is_empty() { self.answer.text.clone() } else { faults }
    }
}

fn columns<'a, 's>() -> Vec<Column<'a, SourceLine<'s>, SourceRowAction>>
where
    's: 'a,
{
    type Col<'a, 's> = Column<'a, SourceLine<'s>, SourceRowAction>;
    const SHOW: &str = "Show these pages";
    vec![
        Col::made("on", "On", 34.0, |row| if row.source.enabled { "on" } else { "off" }.to_owned()).draw_with_action(
            |ui, row| {
                let mut enabled = row.source.enabled;
                let name = format!("Launches read {}", row.source.name);
                ui.name_inputs(name, |ui| ui.checkbox(&mut enabled, "").changed())
                    .then_some(SourceRowAction::Enable(row.index, enabled))
            },
        ),
        Col::text("name", "Source", 160.0, |row| &row.source.name)
            .second("address", "Address", |row| &row.source.address),
        Col::text("kind", "Kind", 80.0, |row| row.source.kind.label()),
        Col::made("every", "Every", 46.0, |row| format!("{} h", row.source.every_hours)).numeric(),
        Col::count("named", "Found", 56.0, |row| row.kept.map_or(0, |row| row.state.pages))
            .about("Pages found in all runs")
            .link(SHOW, |row| Some(SourceRowAction::List(row.index, false))),
        Col::count("waiting", "Waiting", 62.0, |row| row.kept.map_or(0, |row| row.state.waiting))
            .about("Pages waiting for the next launch")
            .link(SHOW, |row| Some(SourceRowAction::List(row.index, true))),
        Col::made("answer", "Last answer", 180.0, SourceLine::answer_text).draw(|ui, row| {
            let faults = row.faults();
            let answer = match faults.is_empty() {
                true => row.answer.clone(),
                false => SourceAnswer { state: AnswerState::Bad, text: faults },
            };
            ui.horizontal(|ui| {
                answer_icon_ui(ui, answer.state);
                cell_ui(ui, &answer.text);
            })
            .response
            .on_hover_text(text::line(&answer.text));
        }),
        Col::made("next", "Next run (UTC)", 120.0, |row| {
            row.kept.and_then(|row| row.state.next_run).map(text::minute).unwrap_or_default()
        })
        .or("–")
        .hidden(),
    ]
}
