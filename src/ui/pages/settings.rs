//! Settings of the window and of a person, and of the workspace that is open.

use crate::app::{Action, AppState, DateForm, Settings, ThemeChoice};
use crate::ui::cockpit::shortcut;
use crate::ui::geo_database::GeoDatabaseCard;
use crate::ui::header::Header;
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::pages::review_reasons::ReviewReasonsCard;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{FieldLevel, FormRow, drop_ui, heading_ui, line_field_ui, segments_ui};
use egui::{Button, Event, Key, Modifiers, ScrollArea, Ui, vec2};

const THEMES: [(ThemeChoice, &str); 4] = [
    (ThemeChoice::System, "System"),
    (ThemeChoice::Light, "Light"),
    (ThemeChoice::Dark, "Dark"),
    (ThemeChoice::HighContrast, "High contrast"),
];

const DATES: [(DateForm, &str); 3] =
    [(DateForm::Iso, "2026-11-26"), (DateForm::Named, "26 Nov 2026"), (DateForm::Slashed, "26/11/2026")];

/// Width of the keys of an action.
const KEYS: f32 = 160.0;

/// The page Settings.
#[derive(Default)]
pub struct SettingsPage {
    geo: GeoDatabaseCard,
    reasons: ReviewReasonsCard,
    /// The action whose keys are being pressed.
    recorded: Option<Action>,
    /// Keys that were pressed and cannot be taken, with the reason.
    refused: Option<(Action, &'static str)>,
}

impl SettingsPage {
    /// Whether the keys that are pressed are those that an action shall have.
    pub fn is_recording(&self) -> bool {
        self.recorded.is_some()
    }

    /// Draws the page; what is chosen holds at once.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        Header::<()>::new("Settings").detail("Changes apply at once").ui(ui, app);
        self.record(ui, app);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            appearance_ui(ui, &mut app.settings);
            part_ui(ui, "Person");
            person_ui(ui, &mut app.settings);
            part_ui(ui, "Work");
            ui.checkbox(&mut app.settings.follow_index, "Index texts automatically during imports and crawls")
                .on_hover_text(
                    "Search finds new captures, and anchors of new inlinks, without “Index texts”. One thread does it",
                );
            ui.checkbox(&mut app.settings.lower_panel, "Show the details of the selected row");
            part_ui(ui, "Geolocation database of this workspace");
            self.geo.ui(ui, app);
            part_ui(ui, "Reasons of decisions in this workspace");
            self.reasons.ui(ui, app);
            part_ui(ui, "Keys");
            self.keys_ui(ui, &mut app.settings);
        });
    }

    /// Takes the keys that are pressed for the action that waits for them.
    fn record(&mut self, ui: &Ui, app: &mut AppState) {
        let Some(action) = self.recorded else { return };
        let pressed = ui.input_mut(|input| {
            let is_key = |event: &Event| matches!(event, Event::Key { pressed: true, .. });
            let at = input.events.iter().position(is_key)?;
            match input.events.remove(at) {
                Event::Key { key, modifiers, .. } => Some((key, modifiers)),
                _ => None,
            }
        });
        let Some((key, modifiers)) = pressed else { return };
        self.recorded = None;
        if key == Key::Escape && modifiers.is_none() {
            return;
        }
        match keys_of_press(key, modifiers) {
            Ok(keys) => app.settings.set_keys(action, &keys),
            Err(why) => self.refused = Some((action, why)),
        }
    }

    fn keys_ui(&mut self, ui: &mut Ui, settings: &mut Settings) {
        ui.horizontal_wrapped(|ui| {
            ui.weak("Click the keys of a command, then press others. Esc leaves them as they are");
            let changed = Action::ALL.into_iter().any(|action| settings.has_own_keys(action));
            if changed && ui.link("Reset all keys").clicked() {
                settings.shortcuts.clear();
            }
        });
        ui.spacing_mut().item_spacing.y = theme::TIGHT_GAP;
        for action in Action::ALL {
            self.key_row_ui(ui, settings, action);
        }
    }

    /// The keys of an action, to be changed, with what stands against them.
    fn key_row_ui(&mut self, ui: &mut Ui, settings: &mut Settings, action: Action) {
        let (label, colors) = (action.label(), tokens(ui));
        ui.horizontal(|ui| {
            let keys = settings.keys_of(action).to_owned();
            let is_recorded = self.recorded == Some(action);
            let shown = match keys.as_str() {
                _ if is_recorded => "Press keys…",
                "" => "none",
                keys => keys,
            };
            let button = ui.add(Button::new(shown).selected(is_recorded).min_size(vec2(KEYS, theme::ROW)));
            let name = format!("Keys of {label}: {shown}");
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name.as_str()));
            if button.clicked() {
                self.recorded = (!is_recorded).then_some(action);
                self.refused = None;
            }
            ui.add_space(theme::TIGHT_GAP);
            ui.label(label.as_str());
            if let Some(other) = settings.conflict_of(action) {
                icon_ui(ui, Icon::Warning, theme::SMALL_ICON, colors.flag);
                ui.colored_label(colors.flag, format!("also the keys of “{}”", other.label()));
            }
            if let Some((_, why)) = self.refused.filter(|(of, _)| *of == action) {
                icon_ui(ui, Icon::Error, theme::SMALL_ICON, colors.reject);
                ui.colored_label(colors.reject, why);
            }
            if !keys.is_empty() && ui.link("Remove").on_hover_text(format!("No keys for “{label}”")).clicked() {
                settings.set_keys(action, "");
            }
            if settings.has_own_keys(action) {
                let usual = match action.keys() {
                    "" => "none",
                    keys => keys,
                };
                if ui.link(format!("Reset to {usual}")).clicked() {
                    settings.set_keys(action, action.keys());
                }
            }
        });
    }
}

fn part_ui(ui: &mut Ui, title: &str) {
    ui.add_space(theme::GROUP_GAP);
    heading_ui(ui, title);
}

fn appearance_ui(ui: &mut Ui, settings: &mut Settings) {
    heading_ui(ui, "Appearance");
    // Segments have names of their own.
    let row = |ui: &mut Ui, label: &str, note: &str, draw: &mut dyn FnMut(&mut Ui)| {
        FormRow::new(label).note(note).show_ui(ui, |ui| ui.scope(|ui| draw(ui)).response);
    };
    row(ui, "Theme", "", &mut |ui| {
        segments_ui(ui, "Theme", &mut settings.theme, &THEMES);
    });
    let shown = format!("{:.0} %", settings.zoom_factor() * 100.0);
    let keys =
        [Action::ScaleUp, Action::ScaleDown, Action::ScaleReset].map(|action| settings.keys_of(action).to_owned());
    let note = format!("{}, {} and {} change it anywhere", keys[0], keys[1], keys[2]);
    row(ui, "Interface scale", &note, &mut |ui| {
        drop_ui(ui, "interface scale", "Interface scale", &shown, theme::DATE_FIELD, |ui| {
            for zoom in Settings::SCALES {
                ui.selectable_value(&mut settings.zoom, zoom, format!("{:.0} %", zoom * 100.0));
            }
        });
    });
    row(ui, "Row height", "of all tables", &mut |ui| {
        segments_ui(ui, "Row height", &mut settings.roomy_rows, &[(false, "Normal"), (true, "Comfortable")]);
    });
    let where_to = format!("in windows of {} points and more; in others they are below", theme::WIDE_WINDOW);
    row(ui, "Details of a row", &where_to, &mut |ui| {
        let sides = [(true, "At the right"), (false, "Below")];
        segments_ui(ui, "Details of a row", &mut settings.panel_aside, &sides);
    });
    row(ui, "Dates", "on the screen, in UTC; files keep 2026-11-26", &mut |ui| {
        segments_ui(ui, "Dates", &mut settings.dates, &DATES);
    });
    row(ui, "Motion", "", &mut |ui| {
        ui.checkbox(&mut settings.reduced_motion, "Reduced: nothing spins or scrolls by itself");
    });
    row(ui, "Fonts", "", &mut |ui| {
        ui.weak("Characters missing from the built-in fonts use a font of the system where it has one");
    });
}

fn person_ui(ui: &mut Ui, settings: &mut Settings) {
    let note = "recorded with your decisions and notes, and exported with them";
    FormRow::new("Your name")
        .note(note)
        .show_ui(ui, |ui| line_field_ui(ui, "Your name", &mut settings.name, "the system's user name", theme::FIELD));
    let contact = settings.contact.trim().to_owned();
    let is_reachable = contact.is_empty() || contact.contains('@') || contact.starts_with("http");
    let mut row = FormRow::new("Contact");
    if is_reachable {
        row = row.note("in the User-Agent of new campaigns, so that a site can reach who crawls");
    } else {
        row = row.remark(FieldLevel::Warning, "Neither an e-mail address nor a URL", "");
    }
    row.show_ui(ui, |ui| {
        line_field_ui(ui, "Contact", &mut settings.contact, "archive@example.org or https://…", theme::FIELD)
    });
}

/// Keys as the settings have them, such as `Ctrl+K`.
///
/// # Errors
///
/// Why these keys cannot be those of a command.
fn keys_of_press(key: Key, modifiers: Modifiers) -> Result<String, &'static str> {
    let is_function = key.name().len() > 1 && key.name().starts_with('F');
    if !(modifiers.command || modifiers.alt || is_function) {
        return Err("Press Ctrl or Alt with a key, or a function key: letters alone are typed into fields");
    }
    if key == Key::F6 {
        return Err("F6 goes to the next part of the window");
    }
    let mut keys = String::new();
    for (is_pressed, name) in [(modifiers.command, "Ctrl+"), (modifiers.shift, "Shift+"), (modifiers.alt, "Alt+")] {
        if is_pressed {
            keys.push_str(name);
        }
    }
    keys.push_str(match key {
        Key::Plus => "+",
        Key::Minus => "-",
        Key::Comma => ",",
        key => key.name(),
    });
    // What cannot be read back would never be found.
    let is_known = shortcut(&keys).is_some_and(|read| read.logical_key == key);
    if is_known { Ok(keys) } else { Err("This key cannot be used") }
}

#[cfg(test)]
mod tests {
    use super::{Key, Modifiers, keys_of_press};

    #[test]
    fn keys_are_taken_that_no_field_needs() {
        for (key, modifiers, expected) in [
            (Key::K, Modifiers::COMMAND, Ok("Ctrl+K")),
            (Key::Z, Modifiers::COMMAND.plus(Modifiers::SHIFT), Ok("Ctrl+Shift+Z")),
            (Key::Plus, Modifiers::COMMAND, Ok("Ctrl++")),
            (Key::Home, Modifiers::ALT, Ok("Alt+Home")),
            (Key::F9, Modifiers::NONE, Ok("F9")),
            (Key::K, Modifiers::NONE, Err(())),
            (Key::K, Modifiers::SHIFT, Err(())),
            (Key::F6, Modifiers::NONE, Err(())),
        ] {
            let keys = keys_of_press(key, modifiers);
            assert_eq!(keys.as_deref().map_err(|_| ()), expected, "{key:?}");
        }
    }
}
