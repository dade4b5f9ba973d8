//! A trial: its pages to mark, what the marks suggest, and whether it is kept.

use crate::app::models::{
    CURVE_REMARK, CaptureId, HarvestCurves, LaunchRow, LaunchState, Proposal, Relevance, SamplePage, Suggestions,
    TrialSample, UnreadTrialPage, proposed_change,
};
use crate::app::{AppState, Command, Focus, PanelTab, TrialAct};
use crate::ui::access::name_node;
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{
    PLOT_LINE, fold_ui, framed_plot, in_plot_style, is_typing, key_cap, loaded_ui, plot_head_ui, write_button_ui,
};
use egui::accesskit::Role;
use egui::{Key, Modifiers, Ui};
use egui_plot::{Line, PlotPoints};

/// Keys that mark the page at hand, with what they say of it.
const KEYS: [(&str, &[Key], Option<Relevance>, &str); 3] = [
    ("+", &[Key::Plus, Key::Equals], Some(Relevance::Relevant), "Relevant"),
    ("-", &[Key::Minus], Some(Relevance::Irrelevant), "Not relevant"),
    ("0", &[Key::Num0], None, "Clear mark"),
];

/// Pages that cannot be read of which each is named.
const UNREAD_SHOWN: usize = 5;

/// What a person does with a trial between frames.
#[derive(Default)]
pub struct TrialView {
    /// The page that keys mark.
    current: Option<CaptureId>,
    /// The question before it is discarded is shown.
    is_confirming: bool,
}

impl TrialView {
    /// Draws the trial of a launch.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, launch: &LaunchRow) {
        if matches!(launch.state, LaunchState::Running | LaunchState::Paused) {
            ui.weak("It is kept or discarded when it has ended");
            return;
        }
        self.end_ui(ui, app, launch);
        if launch.trial.is_some_and(|trial| trial.is_patch) {
            ui.weak("A patch fetches what captures lacked, and counts with the crawl before it");
            return;
        }
        let answer = app.reads.trial_sample(launch.id);
        loaded_ui(ui, &answer, |ui, sample: &TrialSample| self.sample_ui(ui, app, launch, sample));
        ui.add_space(GAP);
        if fold_ui(ui, "proposals of a trial", "Proposals", "Words, link texts, hosts and paths that the marks suggest")
        {
            let answer = app.reads.suggestions(launch.campaign, launch.id);
            loaded_ui(ui, &answer, |ui, of: &Suggestions| proposals_ui(ui, app, launch, of));
        }
        if fold_ui(ui, "curves of a trial", "Harvest rate", "Relevant pages found by each version") {
            let answer = app.reads.harvest_curves(launch.campaign, launch.id);
            loaded_ui(ui, &answer, |ui, of: &HarvestCurves| curves_ui(ui, of));
        }
    }

    /// Keeps or discards the trial.
    fn end_ui(&mut self, ui: &mut Ui, app: &mut AppState, launch: &LaunchRow) {
        let word = if launch.trial.is_some_and(|trial| trial.is_patch) { "patch" } else { "trial" };
        if launch.trial.is_none_or(|trial| trial.is_kept) {
            ui.weak(format!("{} kept: it counts as a normal crawl", text::capital(word)));
            return;
        }
        ui.horizontal_wrapped(|ui| {
            if write_button_ui(ui, format!("Keep {word}")).clicked() {
                app.send(Command::Trials(TrialAct::Keep(launch.id)));
            }
            if write_button_ui(ui, format!("Discard {word}…")).clicked() {
                self.is_confirming = !self.is_confirming;
            }
        });
        if !self.is_confirming {
            return;
        }
        let answer = app.reads.trial_contents(launch.id);
        loaded_ui(ui, &answer, |ui, contents| {
            ui.label(format!(
                "Discard {}, {} of the queue and {}? Its files move to the folder discarded of the workspace.",
                text::counted(contents.captures, "capture"),
                text::counted(contents.seen, "URL"),
                text::counted(contents.marked, "mark"),
            ));
            for loss in contents.losses() {
                ui.colored_label(tokens(ui).flag, format!("▲ {}", text::line(&loss)));
            }
            ui.horizontal(|ui| {
                if ui.button("Cancel").clicked() {
                    self.is_confirming = false;
                }
                if write_button_ui(ui, "Discard").clicked() {
                    self.is_confirming = false;
                    app.send(Command::Trials(TrialAct::Discard(launch.id)));
                }
            });
        });
    }

    fn sample_ui(&mut self, ui: &mut Ui, app: &mut AppState, launch: &LaunchRow, sample: &TrialSample) {
        let is_here = |page: &SamplePage| Some(page.capture) == self.current;
        if !sample.pages.iter().any(is_here) {
            self.current = next_unmarked(sample, None);
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(sample.progress());
            for (name, _, relevance, label) in KEYS {
                ui.label(key_cap(name));
                if write_button_ui(ui, label).clicked() {
                    self.mark(app, launch, sample, relevance);
                }
            }
        });
        if !is_typing(ui) && app.dialog().is_none() && app.read_only().is_none() {
            for (_, keys, relevance, _) in KEYS {
                if keys.iter().any(|key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, *key))) {
                    self.mark(app, launch, sample, relevance);
                }
            }
        }
        type Col<'a> = Column<'a, SamplePage, CaptureId>;
        let columns = [
            Col::text("title", "Page", 260.0, |row| if row.title.is_empty() { &row.url } else { &row.title }),
            Col::made("mark", "Mark", 100.0, |row| mark_label(row.relevance).to_owned()),
            Col::made("score", "Score", 60.0, |row| {
                row.score.map_or_else(|| "–".to_owned(), |of| text::count(of.into()))
            })
            .numeric()
            .about("Score of its text for the request, 0 to 10 000"),
            Col::made("reason", "Sampled as", 130.0, |row| row.reason.label().to_owned()),
            Col::text("url", "URL", 300.0, |row| &row.url),
        ];
        let chosen = self.current.map(key_of);
        let table = Table::new("pages to mark", "Pages to mark", columns, |row: &SamplePage| key_of(row.capture));
        let height = theme::ROW * 12.0;
        if let Some(capture) =
            table.chosen(chosen).height(height).on_focus(|row| Some(row.capture)).rows_ui(ui, app, &sample.pages)
        {
            self.current = Some(capture);
            app.follow(Focus::Capture(capture));
            app.show_tab(PanelTab::Text);
        }
    }

    fn mark(&mut self, app: &mut AppState, launch: &LaunchRow, sample: &TrialSample, relevance: Option<Relevance>) {
        let Some(capture) = self.current else { return };
        app.send(Command::Trials(TrialAct::Mark(launch.id, capture, relevance)));
        if relevance.is_some() {
            self.current = next_unmarked(sample, Some(capture)).or(self.current);
        }
    }
}

/// The next page behind one that nobody marked, from the top where there is none behind.
fn next_unmarked(sample: &TrialSample, behind: Option<CaptureId>) -> Option<CaptureId> {
    let at = sample.pages.iter().position(|page| Some(page.capture) == behind).map_or(0, |at| at + 1);
    let (before, after) = sample.pages.split_at(at.min(sample.pages.len()));
    let next = after.iter().chain(before).find(|page| page.relevance.is_none() && Some(page.capture) != behind);
    next.map(|page| page.capture)
}

fn mark_label(relevance: Option<Relevance>) -> &'static str {
    match relevance {
        Some(Relevance::Relevant) => "✓ relevant",
        Some(Relevance::Irrelevant) => "✕ not relevant",
        None => "–",
    }
}

fn proposals_ui(ui: &mut Ui, app: &mut AppState, launch: &LaunchRow, of: &Suggestions) {
    if !of.remark.is_empty() {
        ui.weak(&of.remark);
    }
    unread_ui(ui, &of.unread);
    if of.proposals.is_empty() {
        ui.weak("No proposals: the pages marked as relevant do not differ enough from the others yet");
        return;
    }
    ui.weak(format!("Accepted proposals make the next version, from v{}", of.version));
    egui::Grid::new("proposals").num_columns(5).striped(false).show(ui, |ui| {
        for (number, proposal) in (1..).zip(&of.proposals) {
            let accept = write_button_ui(ui, "Accept").on_hover_text(proposed_change(proposal));
            name_node(&accept, Role::Button, &format!("Accept {}", text::short(&proposal.value, 60)));
            if accept.clicked() {
                app.send(Command::Trials(TrialAct::Accept { campaign: launch.campaign, launch: launch.id, number }));
            }
            ui.weak(proposal.kind.label());
            ui.strong(text::short(&proposal.value, 60)).on_hover_text(examples(proposal));
            ui.label(format!("{}: {}", proposed_change(proposal), proposal.counts()));
            ui.weak(proposal.remarks());
            ui.end_row();
        }
    });
}

/// Draws the pages that count for nothing, since their records cannot be read.
fn unread_ui(ui: &mut Ui, unread: &[UnreadTrialPage]) {
    for page in unread.iter().take(UNREAD_SHOWN) {
        ui.colored_label(tokens(ui).flag, format!("▲ {}", text::line(&page.sentence())));
    }
    let more = unread.len().saturating_sub(UNREAD_SHOWN);
    if more > 0 {
        ui.colored_label(tokens(ui).flag, format!("▲ and {}", text::counted(more as u64, "more page")));
    }
}

fn examples(proposal: &Proposal) -> String {
    proposal.examples.iter().map(|url| text::line(url)).collect::<Vec<_>>().join("\n")
}

fn curves_ui(ui: &mut Ui, of: &HarvestCurves) {
    let colors = tokens(ui);
    let shades = [colors.plot_second, colors.plot_first, colors.accept];
    let series: Vec<(&str, egui::Color32)> =
        of.curves.iter().zip(shades).map(|(curve, color)| (curve.label.as_str(), color)).collect();
    plot_head_ui(ui, "Relevant pages found by pages fetched", &series);
    let drawn = in_plot_style(ui, |ui| {
        framed_plot("harvest", theme::PLOT, 1.0).show(ui, |plot| {
            for (curve, color) in of.curves.iter().zip(shades) {
                let points: PlotPoints<'_> =
                    curve.shares.iter().enumerate().map(|(at, share)| [at as f64 + 1.0, *share]).collect();
                plot.line(Line::new(curve.label.clone(), points).color(color).width(PLOT_LINE));
            }
        })
    });
    name_node(&drawn.response, Role::Canvas, "Relevant pages found by pages fetched");
    unread_ui(ui, &of.unread);
    for curve in &of.curves {
        let [a, b, c] = curve.named.map(|share| format!("{:.0} %", share * 100.0));
        ui.label(format!("{}: {a} found after 10 % of the fetches, {b} after 25 %, {c} after 50 %", curve.label));
    }
    let (relevant, pages) = (text::count(of.relevant), text::count(of.pages));
    ui.weak(format!("Of {relevant} pages marked as relevant among {pages}. {CURVE_REMARK}."));
}
