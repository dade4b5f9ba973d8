//! The sign that an answer takes long, in a place that is there without it as well.

use crate::ui::theme;
use egui::{Sense, Spinner, Ui, Vec2};
use std::time::Duration;

/// Seconds before it is drawn: most answers are there earlier.
const SOON: f64 = 0.15;

/// Since when an answer is waited for.
#[derive(Default)]
pub struct Waiting {
    since: Option<f64>,
}

impl Waiting {
    /// Notes whether an answer is on its way, once a frame.
    pub fn note(&mut self, ui: &Ui, is_waiting: bool) {
        let now = ui.input(|input| input.time);
        self.since = is_waiting.then(|| self.since.unwrap_or(now));
        if self.since.is_some_and(|since| now - since < SOON) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(SOON));
        }
    }

    /// Draws a spinner where the answer takes long, else as much room.
    pub fn ui(&self, ui: &mut Ui) {
        let now = ui.input(|input| input.time);
        let (place, _) = ui.allocate_exact_size(Vec2::splat(theme::SMALL_ICON), Sense::hover());
        if self.since.is_some_and(|since| now - since >= SOON) {
            Spinner::new().size(theme::SMALL_ICON).paint_at(ui, place);
        }
    }
}
