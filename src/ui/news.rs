//! Messages, errors and open questions: over the page, at its lower right, so that nothing of the
//! page moves when they come and go.
//!
//! The newest is on top; messages go by, errors stay until they are dismissed or their cause is
//! gone. Escape takes the newest away where nothing else takes it. They give way to what has the
//! keyboard: where they would cover it they lie at the upper right.

use super::access::{alert_ui, keyboard_place};
use super::text;
use super::theme::{self, tokens};
use super::widgets::{is_typing, sign_button_ui};
use crate::app::models::Notice;
use crate::app::{AppState, Command, Route, page_name};
use crate::ui::schedule_questions::schedule_questions_ui;
use egui::{Align, Align2, Area, Button, Id, Key, Layout, Modifiers, Order, Rect, RichText, ScrollArea, Ui};
use std::time::Duration;

/// Seconds that a message stays in sight, and more for each letter.
const SECONDS: f64 = 5.0;
const SECONDS_A_LETTER: f64 = 0.04;
/// Seconds for a warning, which a person should not miss.
const WARNING_SECONDS: f64 = 30.0;
/// Messages and errors in sight at the same time; older errors are counted.
const SHOWN: usize = 3;
/// Number of messages in a low window.
const SHOWN_LOW: usize = 2;
/// Most width of a message, in points.
const WIDTH: f32 = 440.0;
/// Distance from the edges of the page.
const EDGE: f32 = 16.0;
/// Most of the height of the page that messages take before they scroll.
const SHARE: f32 = 0.6;

/// Messages in sight.
#[derive(Default)]
pub struct News {
    messages: Vec<Message>,
    /// Whether they lie at the top, as they would cover what has the keyboard.
    is_above: bool,
    /// Their place in the last frame.
    drawn: Option<Rect>,
    /// Whether a field or a menu was open when the window was drawn last: Escape is theirs.
    was_typing: bool,
}

struct Message {
    id: u64,
    notice: Notice,
    /// The number of times it came.
    times: u64,
    until: f64,
}

impl News {
    /// Takes over what is no error; errors stay until their cause is gone.
    pub fn take(&mut self, app: &mut AppState, now: f64) {
        for (id, notice) in app.take_news() {
            let letters: usize =
                [&notice.what, &notice.why, &notice.hint].map(|part| part.chars().count()).iter().sum();
            let seconds = if app.notice_warns(id) { WARNING_SECONDS } else { SECONDS };
            let until = now + seconds + SECONDS_A_LETTER * letters as f64;
            // The same again is counted and not repeated.
            let times = match self.messages.iter().position(|message| message.notice == notice) {
                Some(at) => self.messages.remove(at).times + 1,
                None => 1,
            };
            self.messages.push(Message { id, notice, times, until });
        }
        let gone = self.messages.len().saturating_sub(SHOWN);
        self.messages.drain(..gone);
    }

    /// Draws them over this area, named as a part of the bar of messages and jobs.
    pub fn show_ui(&mut self, ui: &mut Ui, app: &mut AppState, area: Rect, bar: Id) {
        let now = ui.input(|input| input.time);
        self.messages.retain(|message| message.until > now);
        let cards = self.cards(app, ui.ctx().content_rect().height());
        self.take_escape(ui, app, cards.first().map(|card| card.id));
        let place = keyboard_place(ui);
        if cards.is_empty() && !app.schedules().has_questions() {
            (self.is_above, self.drawn) = (false, None);
            return;
        }
        let inner = area.shrink(EDGE);
        let corner = |is_above: bool| match is_above {
            true => (Align2::RIGHT_TOP, inner.right_top()),
            false => (Align2::RIGHT_BOTTOM, inner.right_bottom()),
        };
        if let (Some(drawn), Some(place)) = (self.drawn, place) {
            let covers = |is_above: bool| {
                let (pivot, at) = corner(is_above);
                pivot.anchor_size(at, drawn.size()).intersects(place)
            };
            self.is_above ^= covers(self.is_above) && !covers(!self.is_above);
        }
        let (pivot, at) = corner(self.is_above);
        let width = WIDTH.min(inner.width());
        let shown = Area::new(Id::unique("messages"))
            .order(Order::Middle)
            .pivot(pivot)
            .fixed_pos(at)
            .constrain(false)
            .fade_in(false)
            .accessibility_parent(bar)
            .show(ui.ctx(), |ui| {
                ui.set_width(width);
                ScrollArea::vertical().max_height(area.height() * SHARE).auto_shrink([false, true]).show(ui, |ui| {
                    self.cards_ui(ui, app, &cards, now);
                    schedule_questions_ui(ui, app);
                });
            });
        self.drawn = Some(shown.response.rect);
        if let Some(next) = self.messages.iter().map(|message| message.until).reduce(f64::min) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64((next - now).max(0.05)));
        }
    }

    /// Messages and errors in sight, the newest first.
    fn cards(&self, app: &AppState, window_height: f32) -> Vec<Card> {
        let errors = app.notices().iter().map(|(id, notice)| (*id, notice, 1));
        let passing = self.messages.iter().map(|message| (message.id, &message.notice, message.times));
        let mut all: Vec<_> = errors.chain(passing).collect();
        all.sort_by_key(|(id, ..)| std::cmp::Reverse(*id));
        all.truncate(if window_height < theme::LOW_WINDOW { SHOWN_LOW } else { SHOWN });
        all.into_iter().map(|(id, notice, times)| Card { id, notice: notice.clone(), times }).collect()
    }

    fn cards_ui(&mut self, ui: &mut Ui, app: &mut AppState, cards: &[Card], now: f64) {
        for card in cards {
            let is_error = card.notice.is_error;
            let frame = if is_error { theme::error_frame(ui) } else { theme::message_frame(ui) };
            let shown = alert_ui(ui, is_error, |ui| {
                frame.shadow(ui.visuals().popup_shadow).show(ui, |ui| card_ui(ui, app, card))
            });
            if shown.inner {
                self.close(app, card.id);
            }
            // Who reads or is about to click is not hurried.
            if shown.response.contains_pointer() {
                for message in self.messages.iter_mut().filter(|message| message.id == card.id) {
                    message.until = message.until.max(now + SECONDS);
                }
            }
        }
        let errors = cards.iter().filter(|card| card.notice.is_error).count();
        let more = app.notices().len().saturating_sub(errors);
        if more > 0 {
            theme::message_frame(ui).show(ui, |ui| {
                if ui.link(format!("{more} more on the Jobs page")).clicked() {
                    app.send(Command::Go(Route::Jobs));
                }
            });
        }
    }

    fn close(&mut self, app: &mut AppState, id: u64) {
        self.messages.retain(|message| message.id != id);
        app.send(Command::Dismiss(id));
    }

    /// Escape takes the newest away, where no field, menu, dialog or page takes it.
    fn take_escape(&mut self, ui: &Ui, app: &mut AppState, newest: Option<u64>) {
        let is_free = !std::mem::replace(&mut self.was_typing, is_typing(ui)) && app.dialog().is_none();
        if let Some(newest) = newest.filter(|_| is_free)
            && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape))
        {
            self.close(app, newest);
        }
    }
}

/// A message or error in sight.
struct Card {
    id: u64,
    notice: Notice,
    times: u64,
}

/// Draws one; whether it is to be closed.
fn card_ui(ui: &mut Ui, app: &mut AppState, card: &Card) -> bool {
    let (notice, mut closes) = (&card.notice, false);
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        let close = match notice.is_error {
            true => ui.add(Button::new("Dismiss").small()),
            false => sign_button_ui(ui, "✖", "Close this message"),
        };
        closes = close.clicked();
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let times = if card.times > 1 { format!(" (×{})", card.times) } else { String::new() };
            let what = format!("{}{times}", text::grouped(&text::line(&notice.what)));
            let colors = tokens(ui);
            let sign = match (notice.is_error, app.notice_warns(card.id)) {
                (true, _) => Some((colors.reject, colors.strong_text)),
                (false, true) => Some((colors.flag, colors.flag)),
                (false, false) => None,
            };
            match sign {
                Some((sign, color)) => drop(ui.horizontal_wrapped(|ui| {
                    ui.colored_label(sign, "⚠");
                    ui.label(RichText::new(what).color(color));
                })),
                None => drop(ui.label(RichText::new(what).color(colors.text))),
            }
            if !notice.why.is_empty() {
                ui.label(text::grouped(&text::line(&text::capital(&notice.why))));
            }
            if !notice.hint.is_empty() {
                ui.weak(text::line(&notice.hint));
            }
            if let Some(route) = app.notice_route(card.id).cloned() {
                go_ui(ui, app, route);
            }
        });
    });
    closes
}

/// A link to the page of a message's subject.
pub(super) fn go_ui(ui: &mut Ui, app: &mut AppState, route: Route) {
    let page = page_name(route.page());
    // In one piece: of a link on two lines only the words can be clicked.
    let wrap_mode = ui.style_mut().wrap_mode.replace(egui::TextWrapMode::Extend);
    if ui.link(format!("Go to {page}")).clicked() {
        app.send(Command::Go(route));
    }
    ui.style_mut().wrap_mode = wrap_mode;
}
