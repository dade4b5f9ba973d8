//! Settings of the window, and of the workspace that is open.

use super::answers::{Answer, DialogKeys};
use crate::app::{AppState, Command, Settings, ThemeChoice};
use crate::ui::geo_database::GeoDatabaseCard;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{field_ui, heading_ui};
use egui::{ScrollArea, Ui};

/// State of the settings dialog between frames.
#[derive(Default)]
pub(super) struct SettingsPart {
    geo: GeoDatabaseCard,
}

impl SettingsPart {
    /// Draws what can be chosen: it holds at once.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys) {
        heading_ui(ui, "Settings");
        ScrollArea::vertical().max_height(theme::DIALOG_LIST).auto_shrink([false, true]).show(ui, |ui| {
            window_ui(ui, app);
            heading_ui(ui, "Geolocation database of this workspace");
            self.geo.ui(ui, app);
        });
        ui.add_space(GAP);
        if keys.answers_ui(ui, 0, vec![Answer::new("Close")]).is_some() {
            app.send(Command::CloseDialog);
        }
    }
}

fn window_ui(ui: &mut Ui, app: &mut AppState) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Theme");
        for (choice, label) in [
            (ThemeChoice::System, "System"),
            (ThemeChoice::Light, "Light"),
            (ThemeChoice::Dark, "Dark"),
            (ThemeChoice::HighContrast, "High contrast"),
        ] {
            ui.selectable_value(&mut app.settings.theme, choice, label);
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("Interface scale");
        for zoom in Settings::SCALES {
            ui.selectable_value(&mut app.settings.zoom, zoom, format!("{:.0} %", zoom * 100.0));
        }
    });
    ui.horizontal(|ui| {
        field_ui(ui, "Your name", &mut app.settings.name, "empty: the system's user name", theme::FIELD)
            .on_hover_text("Recorded with your decisions and notes, and exported with them");
    });
    ui.checkbox(&mut app.settings.roomy_rows, "Comfortable rows in the captures table");
    ui.checkbox(&mut app.settings.lower_panel, "Show the lower panel");
    ui.checkbox(&mut app.settings.follow_index, "Index texts automatically during imports and crawls").on_hover_text(
        "Search finds new captures, and anchors of new inlinks, without “Index texts”. One thread does it",
    );
    ui.add_space(GAP);
    ui.scope(|ui| {
        theme::keep_reading_width(ui);
        ui.weak("Characters missing from the built-in fonts use a system font where available");
    });
}
