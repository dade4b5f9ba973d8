//! The text of a capture, with the matches of the current query marked.

use super::{problems_ui, scroll_ui};
use crate::app::models::{CaptureContent, CaptureId, Loaded};
use crate::app::{Action, AppState};
use crate::ui::long_text::{LongText, Marks};
use crate::ui::text;
use crate::ui::theme;
use crate::ui::widgets::{action_named_ui, loaded_ui};
use egui::Ui;
use std::sync::Arc;

/// The place in a text that a person reads.
#[derive(Default)]
pub(in crate::ui) struct TextTab {
    /// The number of the current mark.
    at: usize,
    /// The capture and the query whose marks they are.
    of: Option<(CaptureId, String)>,
    /// It is to be brought into sight.
    scrolls: bool,
    shown: LongText,
}

impl TextTab {
    /// Draws the text.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let content = app.reads.content(id);
        let query = app.marked_query().trim().to_owned();
        let marks = (!query.is_empty()).then(|| app.reads.text_marks(id, query.clone()));
        if self.of.as_ref().is_none_or(|(of, by)| *of != id || *by != query) {
            (self.of, self.at, self.scrolls) = (Some((id, query)), 0, true);
        }
        let step = app.take_match_step();
        let marks = match &marks {
            Some(Loaded::Ready(marks)) if content.ready().is_some() && !marks.is_empty() => Some(marks),
            _ => None,
        };
        if let Some(marks) = marks {
            if step != 0 {
                let count = marks.len() as i64;
                self.at = (self.at as i64 + step).rem_euclid(count) as usize;
                self.scrolls = true;
            }
            self.at = self.at.min(marks.len() - 1);
            self.matches_ui(ui, app, marks.len());
        }
        let marks = marks.map(|marks| (marks, self.at));
        scroll_ui(ui, |ui| {
            let is_own = content.ready().is_some();
            let shown = content.shown().filter(|text| is_own || self.shown.shows(text));
            loaded_ui(ui, &content, |ui, _| shown.into_iter().for_each(|text| self.text_ui(ui, text, marks)));
        });
    }

    fn matches_ui(&mut self, ui: &mut Ui, app: &mut AppState, count: usize) {
        ui.horizontal(|ui| {
            action_named_ui(ui, app, Action::PreviousMatch, "Previous match");
            action_named_ui(ui, app, Action::NextMatch, "Next match");
            ui.label(format!("{} of {}", text::count(self.at as u64 + 1), text::count(count as u64)));
        });
    }

    fn text_ui(&mut self, ui: &mut Ui, content: &Arc<CaptureContent>, marks: Marks<'_>) {
        ui.weak(format!("Charset {}", text::line(&content.charset)));
        problems_ui(ui, content);
        if content.text.trim().is_empty() {
            ui.label("This capture has no visible text");
            return;
        }
        ui.scope(|ui| {
            theme::keep_reading_width(ui);
            // Until something is marked, it waits.
            if let Some(place) = self.shown.ui(ui, content, marks).filter(|_| self.scrolls) {
                self.scrolls = false;
                ui.scroll_to_rect(place, Some(egui::Align::Center));
            }
        });
    }
}
