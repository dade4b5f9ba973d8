//! Messages that go by: each in full, in a strip of its own above the jobs,
//! with a link to what it speaks of.

use super::access::alert_ui;
use super::text;
use super::theme::{self, tokens};
use super::widgets::sign_button_ui;
use crate::app::{AppState, Command, PAGES, Route};
use egui::{RichText, Ui};
use std::time::Duration;

/// Seconds that a message stays in sight, and more for each letter.
const SECONDS: f64 = 5.0;
const SECONDS_A_LETTER: f64 = 0.04;
/// The same for a warning, which a person should not miss.
const WARNING_SECONDS: f64 = 30.0;
/// Messages in sight at the same time; older ones go first.
const SHOWN: usize = 3;

/// Messages in sight.
#[derive(Default)]
pub struct News {
    messages: Vec<Message>,
}

struct Message {
    id: u64,
    text: String,
    until: f64,
}

impl News {
    /// Takes over what is no error; errors stay until their cause is gone.
    pub fn take(&mut self, app: &mut AppState, now: f64) {
        for (id, notice) in app.take_news() {
            let parts = [&notice.what, &notice.why, &notice.hint];
            let parts: Vec<String> =
                parts.into_iter().filter(|part| !part.is_empty()).map(|part| text::line(part)).collect();
            let text = parts.join(". ").replace("..", ".");
            let seconds = if app.notice_warns(id) { WARNING_SECONDS } else { SECONDS };
            let until = now + seconds + SECONDS_A_LETTER * text.chars().count() as f64;
            self.messages.push(Message { id, text, until });
        }
        let gone = self.messages.len().saturating_sub(SHOWN);
        self.messages.drain(..gone);
    }

    /// Draws them.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let now = ui.input(|input| input.time);
        self.messages.retain(|message| message.until > now);
        let mut closed = None;
        for message in &mut self.messages {
            let frame = theme::card_frame(ui).inner_margin(egui::Margin::symmetric(8, 3));
            let bar = |ui: &mut Ui| {
                ui.set_width(ui.available_width());
                ui.horizontal_wrapped(|ui| {
                    if sign_button_ui(ui, "✖", "Close this message").clicked() {
                        closed = Some(message.id);
                    }
                    let (sign, color) = match app.notice_warns(message.id) {
                        true => ("⚠ ", tokens(ui).flag),
                        false => ("", tokens(ui).text),
                    };
                    ui.label(RichText::new(format!("{sign}{}", text::grouped(&message.text))).color(color));
                    if let Some(route) = app.notice_route(message.id).cloned() {
                        go_ui(ui, app, route);
                    }
                });
            };
            let response = alert_ui(ui, false, |ui| frame.show(ui, bar));
            // Who reads or is about to click is not hurried.
            if response.response.contains_pointer() {
                message.until = message.until.max(now + SECONDS);
            }
        }
        self.messages.retain(|message| Some(message.id) != closed);
        if let Some(next) = self.messages.iter().map(|message| message.until).reduce(f64::min) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64((next - now).max(0.05)));
        }
    }
}

/// A link to the page that a message speaks of.
pub(super) fn go_ui(ui: &mut Ui, app: &mut AppState, route: Route) {
    let page = PAGES.get(route.page()).map_or("page", |(_, name)| name);
    // In one piece: of a link on two lines only the words can be clicked.
    let wrap_mode = ui.style_mut().wrap_mode.replace(egui::TextWrapMode::Extend);
    if ui.link(format!("Go to {page}")).clicked() {
        app.send(Command::Go(route));
    }
    ui.style_mut().wrap_mode = wrap_mode;
}
