//! The one way in which dialogs take the keyboard and are answered: a field or the default has the
//! focus when a dialog opens, Enter presses the default, Escape cancels.

use super::super::widgets::read_only;
use egui::text::{CCursor, CCursorRange};
use egui::{Align, Button, Event, Id, Key, Layout, Popup, Response, Ui, UiBuilder};

/// A button at the foot of a dialog.
pub(super) struct Answer {
    label: String,
    hint: &'static str,
    why_not: Option<String>,
    writes: bool,
}

impl Answer {
    pub(super) fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), hint: "", why_not: None, writes: false }
    }

    pub(super) fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Greyed where nothing can be written into the workspace.
    pub(super) fn writes(self) -> Self {
        Self { writes: true, ..self }
    }

    /// Greyed, with the reason, unless it is possible.
    pub(super) fn only_if(self, is_possible: bool, why_not: &str) -> Self {
        Self { why_not: (!is_possible).then(|| why_not.to_owned()), ..self }
    }
}

/// The keyboard of the dialog that is open.
#[derive(Default)]
pub(super) struct DialogKeys {
    /// Whether the focus still has to go to a field or to the default.
    wants_focus: bool,
    /// The widget that had the focus before, which gets it back.
    before: Option<Id>,
}

impl DialogKeys {
    /// Called when a dialog opens.
    pub(super) fn open(&mut self, ui: &Ui) {
        self.wants_focus = true;
        let focused = ui.memory(|memory| memory.focused());
        self.before = self.before.or(focused);
        if let Some(focused) = focused {
            ui.memory_mut(|memory| memory.surrender_focus(focused));
        }
        // The key that opened it is no answer.
        ui.input_mut(|input| input.events.retain(|event| !is_enter(event)));
    }

    /// Called when no dialog is open any more.
    pub(super) fn close(&mut self, ui: &Ui) {
        self.wants_focus = false;
        if let Some(before) = self.before.take() {
            ui.memory_mut(|memory| {
                if memory.focused().is_none() {
                    memory.request_focus(before);
                }
            });
        }
    }

    /// Called before a dialog is drawn: a key held down since before answers nothing.
    pub(super) fn begin(ui: &Ui) {
        let is_repeat = |event: &Event| is_enter(event) && matches!(event, Event::Key { repeat: true, .. });
        ui.input_mut(|input| input.events.retain(|event| !is_repeat(event)));
    }

    /// Gives the focus to the first field of a dialog that opens, with its text selected.
    pub(super) fn first_field(&mut self, ui: &Ui, field: &Response) {
        if !std::mem::take(&mut self.wants_focus) {
            return;
        }
        field.request_focus();
        if let Some(mut state) = egui::TextEdit::load_state(ui.ctx(), field.id) {
            let all = CCursorRange::two(CCursor::new(0), CCursor::new(usize::MAX));
            state.cursor.set_char_range(Some(all));
            state.store(ui.ctx(), field.id);
        }
    }

    /// Draws the buttons in one line, and gives the one pressed; Enter presses the one with the
    /// number `default`, unless another control has the keyboard.
    pub(super) fn answers_ui(&mut self, ui: &mut Ui, default: usize, answers: Vec<Answer>) -> Option<usize> {
        self.answers_with_ui(ui, default, answers, |_| {})
    }

    /// Draws the buttons with other widgets in their line.
    pub(super) fn answers_with_ui(
        &mut self,
        ui: &mut Ui,
        default: usize,
        answers: Vec<Answer>,
        rest: impl FnOnce(&mut Ui),
    ) -> Option<usize> {
        let mut pressed = None;
        // Whatever comes above them while it loads, they are the same and keep the focus.
        let row = UiBuilder::new().scope_id(Id::unique("answers of the dialog"));
        let row = row.layout(Layout::left_to_right(Align::Center).with_main_wrap(true));
        let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
        let row = row.max_rect(egui::Rect::from_min_size(ui.cursor().min, size));
        ui.scope_builder(row, |ui| {
            for (number, answer) in answers.into_iter().enumerate() {
                let why_not = read_only(ui).filter(|_| answer.writes).map(str::to_owned).or(answer.why_not);
                let is_possible = why_not.is_none();
                let mut button = ui.add_enabled(is_possible, Button::new(answer.label));
                if !answer.hint.is_empty() {
                    button = button.on_hover_text(answer.hint);
                }
                if let Some(why_not) = why_not {
                    button = button.on_disabled_hover_text(why_not);
                }
                let is_default = number == default && is_possible;
                if is_default && std::mem::take(&mut self.wants_focus) {
                    button.request_focus();
                }
                if button.clicked() || (is_default && is_entered(ui)) {
                    pressed = Some(number);
                }
            }
            rest(ui);
        });
        pressed
    }
}

fn is_enter(event: &Event) -> bool {
    matches!(event, Event::Key { key: Key::Enter, pressed: true, .. })
}

/// Whether Enter was pressed where no control takes it: a field leaves it to the dialog.
fn is_entered(ui: &Ui) -> bool {
    let is_free = ui.memory(|memory| memory.focused().is_none()) || ui.ctx().text_edit_focused();
    is_free && !Popup::is_any_open(ui.ctx()) && ui.input(|input| input.events.iter().any(is_enter))
}
