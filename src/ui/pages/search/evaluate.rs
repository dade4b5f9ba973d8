//! Assessments of the results of a search, and the measures computed of them.
//!
//! A judge sees the own judgements alone: those of others would sway it.

use crate::app::models::{Hit, Judgement, SearchAnswer, SearchQuery, judged_filter};
use crate::app::{AppState, Command, Focus};
use crate::ui::facets::named_count_ui;
use crate::ui::pages::captures_table::CaptureAction;
use crate::ui::pages::select::captures_by;
use crate::ui::table::Column;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{field_ui, is_typing, write_ui};
use egui::{Event, Key, Modifiers, Ui};

/// Width of the column with the buttons.
const WIDTH: f32 = 110.0;
/// The first results whose precision is shown.
const SHOWN: [u64; 2] = [5, 10];
/// The keys that judge the current row.
const KEYS: [(Key, Option<Judgement>); 4] = [
    (Key::Num1, Some(Judgement::Right)),
    (Key::Num2, Some(Judgement::Wrong)),
    (Key::Num3, Some(Judgement::Unsure)),
    (Key::Num0, None),
];

/// State of the assessment: whether it is on, and its judge.
#[derive(Default)]
pub(in crate::ui::pages) struct SearchEvaluate {
    is_on: bool,
    judge: String,
}

impl SearchEvaluate {
    /// Begins or ends the assessment.
    pub(in crate::ui::pages) fn switch(&mut self) {
        self.is_on = !self.is_on;
    }

    /// Draws the figures, and takes the keys that judge.
    pub(in crate::ui::pages) fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        query: &SearchQuery,
        found: &SearchAnswer,
    ) {
        if found.problem.is_some() || !self.is_on {
            return;
        }
        self.judge = match app.settings.name.trim() {
            "" => app.reads.operator().shown().map(|name| name.to_string()).unwrap_or_default(),
            name => name.to_owned(),
        };
        ui.horizontal_wrapped(|ui| {
            if query.query_line().is_empty() {
                ui.weak("Type a query: its results are assessed by it");
                return;
            }
            field_ui(ui, "Assessed by", &mut app.settings.name, "empty: the system's user name", theme::FIELD);
            figures_ui(ui, app, query.query_line(), found);
        });
        if self.is_of(query, found) {
            keys(ui, app, query, found);
        }
    }

    /// The column of buttons, where the results shown are those of the query.
    pub(in crate::ui::pages) fn column<'a>(
        &'a self,
        query: &'a SearchQuery,
        found: &SearchAnswer,
    ) -> Option<Column<'a, Hit, CaptureAction>> {
        let column = Column::made("judgement", "Assessment", WIDTH, |hit: &Hit| {
            hit.judgement().map_or_else(String::new, |judgement| judgement.label().to_owned())
        });
        let column = column.about("What most people say; the buttons are your own assessment");
        self.is_of(query, found).then(|| column.draw_with_action(|ui, hit| self.buttons_ui(ui, query, hit)))
    }

    fn is_of(&self, query: &SearchQuery, found: &SearchAnswer) -> bool {
        self.is_on && !query.query_line().is_empty() && found.filter == query.query_line()
    }

    fn buttons_ui(&self, ui: &mut Ui, query: &SearchQuery, hit: &Hit) -> Option<CaptureAction> {
        let own = hit.judgements.iter().find(|(judge, _)| *judge == self.judge).map(|(_, judgement)| *judgement);
        let title = if hit.capture.title.is_empty() { &hit.capture.url } else { &hit.capture.title };
        let mut choice = None;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP / 4.0;
            ui.spacing_mut().button_padding.y = 0.0;
            for judgement in Judgement::ALL {
                let is_own = own == Some(judgement);
                let colors = tokens(ui);
                let (sign, color, hint) = match judgement {
                    Judgement::Right => ("✔", colors.accept, "Right: it answers the query (key 1; 0 clears)"),
                    Judgement::Wrong => ("✖", colors.reject, "Wrong: it does not (key 2; 0 clears)"),
                    Judgement::Unsure => ("?", colors.flag, "Unsure: you cannot say (key 3; 0 clears)"),
                };
                let sign = egui::RichText::new(sign).color(if is_own { color } else { colors.weak_text });
                let button = write_ui(ui, None, egui::Button::selectable(is_own, sign)).on_hover_text(hint);
                let (name, enabled) = (format!("{}: {}", judgement.label(), text::line(title)), button.enabled());
                button.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, enabled, is_own, name.as_str()));
                if button.clicked() {
                    choice = Some((!is_own).then_some(judgement));
                }
            }
        });
        choice.map(|judgement| CaptureAction::Command(judge(query, hit, judgement)))
    }
}

fn judge(query: &SearchQuery, hit: &Hit, judgement: Option<Judgement>) -> Command {
    Command::Judge { query: Box::new(query.clone()), capture: hit.capture.id, judgement }
}

/// Judges the row that the keyboard is on, and goes to the next one.
fn keys(ui: &mut Ui, app: &mut AppState, query: &SearchQuery, found: &SearchAnswer) {
    if is_typing(ui) || app.dialog().is_some() {
        return;
    }
    let focused = found.hits.iter().find(|hit| app.focus() == Some(Focus::Capture(hit.capture.id)));
    let Some(hit) = focused else { return };
    for (key, judgement) in KEYS {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            app.send(judge(query, hit, judgement));
            let (physical_key, modifiers) = (None, Modifiers::NONE);
            let down = Event::Key { key: Key::ArrowDown, physical_key, pressed: true, repeat: false, modifiers };
            ui.input_mut(|input| input.events.push(down));
        }
    }
}

/// Precision with its interval, how many are right and wrong, how far judges agree.
fn figures_ui(ui: &mut Ui, app: &mut AppState, line: &str, found: &SearchAnswer) {
    let figures = &found.evaluation;
    let counts = figures.counts;
    if counts.judged() == 0 {
        ui.weak("Nothing assessed yet");
        return;
    }
    // The figure that everybody reads comes first, the measures of retrieval behind it.
    let (right, all) = (counts.of(Judgement::Right), text::counted(counts.judged(), "result"));
    ui.label(format!("{} of {all} assessed right", text::count(right)));
    ui.label("·");
    for at in SHOWN.iter().filter_map(|k| figures.first(*k)) {
        let share = at.precision.map_or_else(|| "–".to_owned(), |share| share.to_string());
        ui.label(format!("P@{} {share}", at.k)).on_hover_text(format!(
            "Of the first {} results {} were judged: {} right, {} wrong, {} unsure. The share of right ones among those \
             right or wrong, with its interval of 95 % (Wilson)",
            at.k,
            at.counts.judged(),
            at.counts.right,
            at.counts.wrong,
            at.counts.unsure
        ));
        ui.label("·");
    }
    let gain = figures.ndcg_10.map_or_else(|| "–".to_owned(), |gain| format!("{gain:.2}"));
    ui.label(format!("nDCG@10 {gain}")).on_hover_text(
        "How near the first ten results are to the best order of all that were judged. A right result gains 1, an unsure \
         one 0.5, one that is wrong or that nobody judged nothing; the later it comes, the less",
    );
    ui.label("·");
    let mut part = |ui: &mut Ui, number: u64, what: &str, filter: String| {
        if number == 0 {
            ui.label("0");
        } else if named_count_ui(ui, number, &format!("Assessed {what}")) {
            captures_by(app, filter);
        }
    };
    for judgement in Judgement::ALL {
        part(ui, counts.of(judgement), judgement.name(), judged_filter(line, judgement));
        ui.label(if judgement == Judgement::Unsure { "unsure of" } else { judgement.name() });
    }
    let any: Vec<String> = Judgement::ALL.iter().map(|judgement| judged_filter(line, *judgement)).collect();
    part(ui, counts.judged(), "in all", any.join(" OR "));
    ui.label("assessed");
    if figures.judges.len() > 1 {
        let kappa = figures.kappa_summary().unwrap_or_else(|| "–".to_owned());
        let pairs = figures.agreements.iter().map(|of| {
            format!(
                "{} and {}: the same of {} of {} results that both judged",
                of.judges[0], of.judges[1], of.agreed, of.both
            )
        });
        let pairs: Vec<String> = pairs.map(|pair| text::line(&pair).to_string()).collect();
        ui.label(format!("· κ {kappa}"))
            .on_hover_text(format!("Cohen's κ, agreement beyond chance\n{}", pairs.join("\n")));
    }
}
