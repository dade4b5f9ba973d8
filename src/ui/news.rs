//! Messages, errors and open questions: over the page, at its lower right, so that nothing of the
//! page moves when they come and go.
//!
//! The newest is on top. Messages go by, but not under the pointer; errors stay until they are
//! dismissed or their cause is gone, and all of them are kept on the page Jobs. Each is one line where
//! its text fits. Escape takes the newest away where nothing else takes it. They give way to what has the
//! keyboard: where they would cover it they lie at the upper right.

use super::access::{alert_ui, keyboard_place, name_node};
use super::icons::{Icon, icon_button_ui, icon_ui};
use super::text;
use super::theme::{self, tokens};
use super::widgets::{is_typing, key_cap};
use crate::app::models::Notice;
use crate::app::{Action, AppState, Command, Route, page_name};
use crate::ui::schedule_questions::schedule_questions_ui;
use egui::accesskit::Role;
use egui::{Align, Align2, Area, Id, Key, Layout, Modifiers, Order, Rect, RichText, ScrollArea, Ui};
use std::time::Duration;

/// Seconds that a message stays in sight.
const SECONDS: f64 = 8.0;
/// Seconds for a warning, which a person should not miss.
const WARNING_SECONDS: f64 = 30.0;
/// Messages and errors in sight at the same time; older errors are counted.
const SHOWN: usize = 3;
/// Number of messages in a low window.
const SHOWN_LOW: usize = 2;
/// Most width of a message, in points.
const WIDTH: f32 = 520.0;
/// Height of a line of a message.
const LINE: f32 = 20.0;
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
            let until = now + if app.notice_warns(id) { WARNING_SECONDS } else { SECONDS };
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
        let inner = area.shrink(theme::PAGE_MARGIN);
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
                // Else they would keep the height that they had before a further one came.
                ui.set_max_height(area.height() * SHARE);
                ScrollArea::vertical().max_height(area.height() * SHARE).auto_shrink([false, true]).show(ui, |ui| {
                    self.cards_ui(ui, app, &cards, now);
                    schedule_questions_ui(ui, app);
                });
            });
        if self.drawn.replace(shown.response.rect).map(|rect| rect.size()) != Some(shown.response.rect.size()) {
            // They were placed by the size that they had before, and would stay cut in a window at rest.
            ui.ctx().request_discard("messages have another size");
            ui.ctx().request_repaint();
        }
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
        ui.spacing_mut().item_spacing.y = theme::GAP;
        for card in cards {
            let is_error = card.notice.is_error;
            let frame = if is_error { theme::error_frame(ui) } else { theme::message_frame(ui) };
            let shown = alert_ui(ui, is_error, |ui| {
                // Without a shadow: not a pixel beside it changes.
                frame.show(ui, |ui| {
                    ui.set_min_height(theme::MESSAGE - frame.total_margin().sum().y);
                    card_ui(ui, app, card)
                })
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
    let (notice, colors, mut closes) = (&card.notice, tokens(ui), false);
    let warns = app.notice_warns(card.id);
    let (icon, color) = match (notice.is_error, warns) {
        (true, _) => (Icon::Error, colors.reject),
        (false, true) => (Icon::Warning, colors.flag),
        (false, false) => (Icon::Check, colors.accept),
    };
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        let name = if notice.is_error { "Dismiss" } else { "Close this message" };
        closes = icon_button_ui(ui, Icon::Close, name).clicked();
        if !notice.is_error && app.notice_can_undo(card.id) {
            let keys = app.settings.keys_of(Action::Undo).to_owned();
            let undo = ui.link("Undo").on_hover_text(format!("{} ({keys})", Action::Undo.hint()));
            ui.label(key_cap(&keys));
            if undo.clicked() {
                app.act(Action::Undo);
                closes = true;
            }
        }
        if let Some(route) = app.notice_route(card.id).cloned() {
            go_ui(ui, app, route);
        }
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.spacing_mut().interact_size.y = LINE;
                let sign = icon_ui(ui, icon, theme::ICON, color);
                if notice.is_error || warns {
                    name_node(&sign, Role::Image, if notice.is_error { "Error" } else { "Warning" });
                }
                let times = if card.times > 1 { format!(" (×{})", card.times) } else { String::new() };
                let what = format!("{}{times}", text::grouped(&text::line(&notice.what)));
                let strong = if warns { colors.flag } else { colors.strong_text };
                ui.label(RichText::new(what).color(strong));
                if !notice.why.is_empty() {
                    ui.label(text::grouped(&text::line(&text::capital(&notice.why))));
                }
                if !notice.hint.is_empty() {
                    ui.weak(text::line(&notice.hint));
                }
            });
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
