//! Samples: how large, what they tell so far, and how far two persons agree.

use crate::analysis::LEAST_PAIRS;
use crate::analysis::sampling::{sample_size, size_to_meet_one};
use crate::app::models::{ReviewOrder, ReviewSample, ReviewSampleSpec, SampleAgreement, SampleId};
use crate::app::{AppState, Command, ReviewAct};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{drop_ui, empty_ui, write_ui};
use crate::uri::CaptureDate;
use egui::{RichText, Ui};

/// Margins that are offered.
const MARGINS: [(f64, &str); 3] = [(0.10, "± 10 %"), (0.05, "± 5 %"), (0.03, "± 3 %")];
/// A fault that a share of the pages have, which a sample is to meet.
const RARE: f64 = 0.02;

/// The sample that is judged, or the next one.
#[derive(Default)]
pub(super) struct ReviewSampleView {
    chosen: Option<SampleId>,
    /// Whether a second person judges what the first one did.
    is_second: bool,
    /// Whether another one is drawn.
    draws: bool,
    margin: usize,
    is_stratified: bool,
    /// The samples that there were when one was drawn last.
    before: usize,
}

impl ReviewSampleView {
    /// What of the sample comes up; none while there is none.
    pub(super) fn order(&self) -> Option<ReviewOrder> {
        let sample = self.chosen?;
        Some(if self.is_second { ReviewOrder::SecondReading(sample) } else { ReviewOrder::Sample(sample) })
    }

    /// Draws what is known of the sample, or the form of a new one. Whether there is one to go through.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, filter: &str) -> bool {
        let answer = app.reads.samples(app.campaign());
        let Some(samples) = answer.shown().cloned() else { return false };
        if samples.len() != self.before {
            // One was drawn or has gone.
            (self.before, self.draws) = (samples.len(), samples.is_empty());
            self.chosen = samples.first().map(|sample| sample.id);
        }
        let Some(sample) = samples.iter().find(|sample| Some(sample.id) == self.chosen).filter(|_| !self.draws) else {
            self.form_ui(ui, app, filter, !samples.is_empty());
            return false;
        };
        ui.horizontal_wrapped(|ui| {
            drop_ui(ui, "sample", "Sample", &sample.name, theme::FIELD, |ui| {
                for of in samples.iter() {
                    if ui.selectable_label(of.id == sample.id, text::line(&of.name)).clicked() {
                        self.chosen = Some(of.id);
                        ui.close();
                    }
                }
            });
            if ui.link("New sample…").clicked() {
                self.draws = true;
            }
            ui.checkbox(&mut self.is_second, "Second reader")
                .on_hover_text("Pages that somebody else judged, without their decisions");
        });
        figures_ui(ui, sample);
        let agreement = app.reads.sample_agreement(sample.id);
        if let Some(agreement) = agreement.shown() {
            ui.label(RichText::new(agreement_text(agreement)).color(tokens(ui).weak_text));
        }
        true
    }

    fn form_ui(&mut self, ui: &mut Ui, app: &mut AppState, filter: &str, may_leave: bool) {
        let query = super::queue::queue_query(app, ReviewOrder::Severity, filter, false);
        let population = app.reads.review_queue_count(query).shown().and_then(|count| **count).unwrap_or_default();
        let margin = MARGINS[self.margin.min(MARGINS.len() - 1)].0;
        let size = sample_size(population, margin, 0.5);
        ui.add_space(GAP);
        ui.label(theme::strong("Draw a sample", theme::PART_TEXT).color(tokens(ui).strong_text));
        ui.horizontal_wrapped(|ui| {
            ui.label("The share of faulty pages is to be known within");
            for (at, (_, label)) in MARGINS.iter().enumerate() {
                ui.radio_value(&mut self.margin, at, *label);
            }
        });
        ui.checkbox(
            &mut self.is_stratified,
            "By hosts: at least two pages of each, so that large ones do not take all",
        );
        let from = if filter.is_empty() {
            "captures to review".to_owned()
        } else {
            format!("that match “{}”", text::line(filter))
        };
        ui.label(format!("{} of {} {from}", text::count(size), text::count(population)));
        if let Some(rare) = size_to_meet_one(RARE) {
            ui.weak(format!("{rare} pages meet a fault that 2 % of the pages have at least once, with 95 %"));
        }
        ui.horizontal(|ui| {
            let why_not = (population == 0).then_some("Nothing is to review");
            if write_ui(ui, why_not, egui::Button::new("Draw sample")).clicked() {
                app.send(Command::Review(ReviewAct::DrawSample(Box::new(ReviewSampleSpec {
                    name: String::new(),
                    campaign: app.campaign(),
                    filter: filter.to_owned(),
                    margin,
                    expected: 0.5,
                    size: None,
                    is_stratified: self.is_stratified,
                    seed: CaptureDate::now().millis().unsigned_abs(),
                    who: String::new(),
                }))));
            }
            if may_leave && ui.button("Cancel").clicked() {
                self.draws = false;
            }
        });
    }

    /// What is said when nothing of the sample is left.
    pub(super) fn end_ui(&self, ui: &mut Ui) {
        match self.is_second {
            true => empty_ui(
                ui,
                "No page of this sample waits for you",
                "A second person judges what another one judged; your name is on the page Settings",
            ),
            false => empty_ui(ui, "All pages of this sample are judged or skipped", "Draw another one, or include all"),
        }
    }
}

/// How far a sample is, and what it tells; never of a queue that is sorted.
fn figures_ui(ui: &mut Ui, sample: &ReviewSample) {
    let colors = tokens(ui);
    let drawn = format!(
        "{} of {}, seed {}{}",
        text::count(sample.size),
        text::counted(sample.population, "capture"),
        sample.seed,
        if sample.is_stratified { ", by hosts" } else { "" }
    );
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(drawn).color(colors.weak_text));
        let faulty = sample.figures.line().unwrap_or_else(|| "no page judged yet".to_owned());
        ui.label(theme::strong(format!("Faulty {faulty}"), theme::BODY_TEXT).color(colors.strong_text));
        for (label, figures) in [("Content", &sample.content), ("Technical", &sample.technical)] {
            if let Some(line) = figures.line() {
                ui.label(RichText::new(format!("{label} {line}")).color(colors.weak_text));
            }
        }
        if sample.figures.is_within(sample.margin) {
            ui.label(RichText::new("The margin is reached: judging may stop").color(colors.accept));
        }
    });
}

/// The agreement of two persons in a line.
fn agreement_text(of: &SampleAgreement) -> String {
    let Some(raw) = of.overall.raw() else {
        return format!("{} for a second reader", text::counted(of.waiting, "page"));
    };
    let mut line = format!(
        "Two persons agree on {} of {} ({:.0} %)",
        of.overall.agreed,
        text::counted(of.overall.both, "page"),
        raw * 100.0
    );
    match (of.overall.kappa, of.overall.ac1) {
        (None, None) => line.push_str(&format!("; κ and AC1 need {LEAST_PAIRS} pages")),
        (kappa, ac1) => {
            let of = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
            line.push_str(&format!("; κ {}, AC1 {}", of(kappa), of(ac1)));
        }
    }
    if of.waiting > 0 {
        line.push_str(&format!("; {} left", text::count(of.waiting)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::RaterAgreement;

    #[test]
    fn few_pairs_show_only_how_many_are_equal() {
        let of = |pairs: &[(bool, bool)]| {
            let agreement = RaterAgreement::of(pairs, &[true, false]);
            agreement_text(&SampleAgreement {
                overall: agreement,
                content: agreement,
                technical: agreement,
                waiting: 3,
            })
        };
        assert_eq!(of(&[]), "3 pages for a second reader");
        let few = [vec![(true, true); 9], vec![(true, false)]].concat();
        assert_eq!(of(&few), "Two persons agree on 9 of 10 pages (90 %); κ and AC1 need 30 pages; 3 left");
        let many = [vec![(true, true); 90], vec![(true, false); 4], vec![(false, true); 4], vec![(false, false); 2]];
        assert!(of(&many.concat()).contains("(92 %); κ 0.29, AC1 0.91"));
    }
}
