//! The text of a capture, with what the query at hand finds marked in it.

use super::panel::{problems_ui, scroll_ui};
use super::text;
use super::theme::{self, tokens};
use super::widgets::{action_named_ui, loaded_ui};
use crate::app::models::{CaptureContent, CaptureId, Loaded};
use crate::app::{Action, AppState};
use egui::text::{CCursor, LayoutJob};
use egui::{Label, Rect, TextFormat, Ui};
use std::ops::Range;

/// The place in a text that a person reads.
#[derive(Default)]
pub(super) struct TextTab {
    /// Which of the marks is at hand.
    at: usize,
    /// The capture and the query whose marks they are.
    of: Option<(CaptureId, String)>,
    /// It is to be brought into sight.
    scrolls: bool,
}

impl TextTab {
    /// Draws the text.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let content = app.reads.content(id);
        let query = app.marked_query().trim().to_owned();
        let marks = (!query.is_empty()).then(|| app.reads.text_marks(id, query.clone()));
        if self.of.as_ref().is_none_or(|(of, by)| *of != id || *by != query) {
            *self = Self { of: Some((id, query)), at: 0, scrolls: true };
        }
        let step = app.take_match_step();
        let marks = match &marks {
            Some(Loaded::Ready(marks)) if content.ready().is_some() => marks.as_slice(),
            _ => &[],
        };
        if !marks.is_empty() {
            if step != 0 {
                let count = marks.len() as i64;
                self.at = (self.at as i64 + step).rem_euclid(count) as usize;
                self.scrolls = true;
            }
            self.at = self.at.min(marks.len() - 1);
            self.matches_ui(ui, app, marks.len());
        }
        scroll_ui(ui, |ui| loaded_ui(ui, &content, |ui, content| self.text_ui(ui, content, marks)));
    }

    fn matches_ui(&mut self, ui: &mut Ui, app: &mut AppState, count: usize) {
        ui.horizontal(|ui| {
            action_named_ui(ui, app, Action::PreviousMatch, "Previous match");
            action_named_ui(ui, app, Action::NextMatch, "Next match");
            ui.label(format!("{} of {}", text::count(self.at as u64 + 1), text::count(count as u64)));
        });
    }

    fn text_ui(&mut self, ui: &mut Ui, content: &CaptureContent, marks: &[Range<usize>]) {
        ui.weak(format!("Charset {}", text::line(&content.charset)));
        problems_ui(ui, content);
        if content.text.trim().is_empty() {
            ui.label("This capture has no visible text");
            return;
        }
        ui.scope(|ui| {
            theme::keep_reading_width(ui);
            let (job, at) = marked_text(ui, &content.text, marks, self.at);
            let galley = ui.painter().layout_job(job);
            let response = ui.add(Label::new(galley.clone()));
            if std::mem::take(&mut self.scrolls) {
                if let Some(at) = at {
                    let of =
                        |char: usize| galley.pos_from_cursor(CCursor::new(char)).translate(response.rect.min.to_vec2());
                    let (first, last) = (of(at.start), of(at.end));
                    ui.scroll_to_rect(Rect::from_min_max(first.min, last.max), Some(egui::Align::Center));
                } else {
                    // Nothing is marked yet.
                    self.scrolls = true;
                }
            }
        });
    }
}

/// A text with its marks, and the characters of the mark at hand in what is drawn.
fn marked_text(ui: &Ui, content: &str, marks: &[Range<usize>], at_hand: usize) -> (LayoutJob, Option<Range<usize>>) {
    let colors = tokens(ui);
    let font = egui::TextStyle::Body.resolve(ui.style());
    let plain = TextFormat::simple(font.clone(), colors.text);
    let marked = |width: f32| TextFormat {
        background: colors.chosen_bg,
        underline: egui::Stroke::new(width, colors.accent),
        ..TextFormat::simple(font.clone(), colors.strong_text)
    };
    let mut job = LayoutJob::default();
    job.wrap.max_width = ui.available_width();
    let (mut at, mut chars, mut shown) = (0, 0, None);
    let mut put = |range: Range<usize>, format: TextFormat| {
        let part = text::block(content.get(range).unwrap_or_default());
        let begin = chars;
        chars += part.chars().count();
        job.append(&part, 0.0, format);
        begin..chars
    };
    for (nth, range) in marks.iter().enumerate() {
        put(at..range.start, plain.clone());
        let is_at_hand = nth == at_hand;
        let place = put(range.clone(), marked(if is_at_hand { 3.0 } else { 1.0 }));
        if is_at_hand {
            shown = Some(place);
        }
        at = range.end;
    }
    put(at..content.len(), plain);
    (job, shown)
}
