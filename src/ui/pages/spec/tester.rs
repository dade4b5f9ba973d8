//! The tester: verdicts of the edited rules on any URL.

use crate::app::models::{Loaded, ScopeTest};
use crate::app::{AppState, Command, Route};
use crate::campaign::Campaign;
use crate::scope::Decision;
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::trace::{trace_with_change_ui, verdict_line};
use crate::ui::widgets::loaded_ui;
use egui::{CollapsingHeader, RichText, TextEdit, Ui};

/// URLs that the tester takes at once.
const MOST_TESTED: usize = 200;

/// State of the tester between frames.
#[derive(Default)]
pub struct Tester {
    tested: String,
    snapshot: Option<(Campaign, String)>,
    opened: Option<usize>,
    shown: TestFilter,
}

/// The filter of the tested URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TestFilter {
    #[default]
    All,
    Accepted,
    Refused,
    NoUrl,
}

impl TestFilter {
    fn fits(self, answer: &Result<ScopeTest, String>) -> bool {
        let decision = answer.as_ref().ok().map(|test| test.trace.verdict.decision);
        match self {
            Self::All => true,
            Self::Accepted => decision == Some(Decision::Accept),
            Self::Refused => decision == Some(Decision::Reject),
            Self::NoUrl => decision.is_none(),
        }
    }
}

impl Tester {
    /// Draws field and traces, folded until a person tests a URL.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &Campaign) {
        CollapsingHeader::new("Rule tester").show(ui, |ui| self.open_ui(ui, app, campaign));
    }

    fn open_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: &Campaign) {
        let label = ui.label("URLs to test");
        ui.add(
            TextEdit::multiline(&mut self.tested)
                .hint_text("Paste URLs, one per line, to test the rules above, saved or not")
                .desired_rows(3)
                .desired_width(theme::READING_WIDTH),
        )
        .labelled_by(label.id);
        let lines = || self.tested.lines().map(str::trim).filter(|line| !line.is_empty());
        let urls: Vec<String> = lines().take(MOST_TESTED).map(str::to_owned).collect();
        if urls.is_empty() {
            ui.weak("Uses countries, addresses and robots.txt recorded by crawls; nothing is fetched or resolved");
            return;
        }
        let left = lines().count() - urls.len();
        if left > 0 {
            let left = text::counted_verb(left as u64, "more line", "is");
            ui.colored_label(
                tokens(ui).flag,
                format!("⚠ The first {MOST_TESTED} URLs are tested; {left} not. Test those separately, or with fonds scope test"),
            );
        }
        if self.snapshot.as_ref().is_none_or(|(of, _)| of != campaign) {
            match serde_json::to_string(campaign) {
                Ok(json) => self.snapshot = Some((campaign.clone(), json)),
                Err(error) => {
                    ui.colored_label(tokens(ui).reject, format!("✖ {error}"));
                    return;
                }
            }
        }
        let Some((_, json)) = &self.snapshot else { return };
        let of = match app.route() {
            Route::Spec(of) => *of,
            _ => None,
        };
        let answer = app.reads.scope_test(of, json.clone(), urls.clone());
        // An older answer is about other rules: its changes are not offered.
        let is_fresh = matches!(answer, Loaded::Ready(_));
        let mut edited = None;
        loaded_ui(ui, &answer, |ui, answers| {
            self.summary_ui(ui, answers);
            for (index, result) in answers.iter().enumerate().filter(|(_, answer)| self.shown.fits(answer)) {
                match result {
                    Err(why) => {
                        ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(why)));
                    }
                    Ok(test) => {
                        let open = self.opened == Some(index) || urls.len() == 1;
                        if title_ui(ui, test, open) {
                            self.opened = if open { None } else { Some(index) };
                        }
                        if open {
                            let is_pressed = ui.indent(("trace", index), |ui| {
                                trace_with_change_ui(
                                    ui,
                                    &format!("tester {index}"),
                                    &test.trace,
                                    is_fresh && test.remedy.is_some(),
                                )
                            });
                            if let Some(change) = test.remedy.as_ref().filter(|_| is_pressed.inner) {
                                edited = Some(change.apply(campaign));
                            }
                        }
                    }
                }
            }
        });
        if let Some(edited) = edited {
            app.send(Command::EditSpec(Box::new(edited)));
        }
    }
}

fn title_ui(ui: &mut Ui, test: &ScopeTest, open: bool) -> bool {
    let color = match test.trace.verdict.decision {
        Decision::Accept => tokens(ui).accept,
        Decision::Reject => tokens(ui).reject,
    };
    let title = format!("{}  {}", verdict_line(&test.trace), text::short(&test.trace.url, 120));
    ui.selectable_label(open, RichText::new(title).color(color)).clicked()
}

impl Tester {
    /// Draws the numbers of accepted and refused URLs; each number shows its URLs alone.
    fn summary_ui(&mut self, ui: &mut Ui, answers: &[Result<ScopeTest, String>]) {
        if answers.len() < 2 {
            self.shown = TestFilter::All;
            return;
        }
        ui.horizontal_wrapped(|ui| {
            for (shown, label) in [
                (TestFilter::All, "tested"),
                (TestFilter::Accepted, "accepted"),
                (TestFilter::Refused, "refused"),
                (TestFilter::NoUrl, "not a URL"),
            ] {
                let count = answers.iter().filter(|answer| shown.fits(answer)).count();
                if ui.selectable_label(self.shown == shown, format!("{count} {label}")).clicked() {
                    self.shown = shown;
                }
            }
        });
        ui.add_space(GAP / 2.0);
    }
}
