//! The geolocation database of a workspace, and the field to choose another one.

use super::pick::{PathField, Sort};
use super::text;
use super::theme::{self, tokens};
use super::widgets::{loaded_ui, write_button_ui, write_ui};
use crate::app::models::{GeoChoice, GeoDatabaseInfo};
use crate::app::{AppState, Command};
use crate::uri::CaptureDate;
use egui::{Button, Ui};

/// The field for a geolocation database, kept between frames.
#[derive(Default)]
pub(super) struct GeoDatabaseCard {
    file: PathField,
}

impl GeoDatabaseCard {
    /// Draws what is chosen, and a field to choose another.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if app.session().is_none() {
            ui.weak("Open a workspace first: each workspace has its own geolocation database");
            return;
        }
        let answer = app.reads.geo_choice();
        loaded_ui(ui, &answer, |ui, choice| match choice {
            None => {
                ui.label("No geolocation database set: country rules match nothing");
                ui.weak("Use a GeoLite2 or DB-IP country or city database (.mmdb file)");
            }
            Some(choice) => chosen_ui(ui, choice),
        });
        let is_chosen = matches!(answer.shown().map(|choice| choice.is_some()), Some(true));
        ui.horizontal_wrapped(|ui| {
            self.file.ui(ui, "Database file", "/path/to/GeoLite2-Country.mmdb", Sort::GeoDatabase);
            let path = self.file.path();
            let why_not = path.is_none().then_some("Enter a file first");
            if write_ui(ui, why_not, Button::new("Use this database")).clicked() {
                app.send(Command::SetGeoDatabase(path));
            }
            if is_chosen && write_button_ui(ui, "Remove database").clicked() {
                app.send(Command::SetGeoDatabase(None));
            }
        });
    }
}

fn chosen_ui(ui: &mut Ui, choice: &GeoChoice) {
    theme::card_frame(ui).show(ui, |ui| {
        let colors = tokens(ui);
        match &choice.database {
            Err(why) => {
                ui.colored_label(colors.reject, "✖ The geolocation database cannot be used");
                ui.label(text::line(why));
                ui.weak("Country rules match nothing until another file is set below");
            }
            Ok(info) => {
                ui.horizontal_wrapped(|ui| info_ui(ui, info));
                if let Some(remark) = &info.remark {
                    ui.colored_label(colors.flag, format!("⚠ {}", text::line(&text::capital(remark))));
                }
            }
        }
        ui.weak(text::line(&choice.path.display().to_string()));
    });
}

/// Type, build, size of a database.
pub(super) fn info_ui(ui: &mut Ui, info: &GeoDatabaseInfo) {
    ui.colored_label(tokens(ui).accept, format!("✔ {}", text::line(&info.database_type)));
    ui.label(format!("built {}, {}", text::day(info.build_date), age(info.build_date, CaptureDate::now())));
    let family = if info.knows_ipv6 { "IPv4 and IPv6" } else { "IPv4 only" };
    ui.weak(format!("{family}, {} nodes, {}", text::count(info.nodes), text::bytes(info.len_bytes)));
}

fn age(build: CaptureDate, now: CaptureDate) -> String {
    match (now.seconds() - build.seconds()).div_euclid(86_400) {
        ..0 => "in the future".to_owned(),
        0 => "today".to_owned(),
        days => format!("{} ago", text::counted(days.unsigned_abs(), "day")),
    }
}
