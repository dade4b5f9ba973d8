//! The sign that an answer takes long, in a place that is there without it as well.

use crate::ui::theme::{self, tokens};
use egui::accesskit::Role;
use egui::{Rect, Response, Sense, Spinner, Ui, Vec2, WidgetInfo, vec2};
use std::time::Duration;

/// Seconds before it is drawn: most answers are there earlier.
const SOON: f64 = 0.15;

/// Draws a sign that something is on its way; three dots where motion is reduced.
pub fn spinner_ui(ui: &mut Ui) -> Response {
    let (place, response) = ui.allocate_exact_size(Vec2::splat(theme::ICON), Sense::hover());
    response.widget_info(|| WidgetInfo::new(Role::ProgressIndicator));
    spin_at(ui, place);
    response
}

fn spin_at(ui: &Ui, place: Rect) {
    if !theme::is_motion_reduced(ui.ctx()) {
        Spinner::new().size(place.width()).paint_at(ui, place);
        return;
    }
    for x in [-1.0, 0.0, 1.0] {
        let centre = place.center() + vec2(x * place.width() / 3.0, 0.0);
        ui.painter().circle_filled(centre, DOT, tokens(ui).weak_text);
    }
}

/// Radius of a dot that stands for motion.
const DOT: f32 = 1.5;

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
            spin_at(ui, place);
        }
    }
}
