//! Files dropped on the window are imported without a dialog.

use super::text;
use super::theme::{self, tokens};
use crate::app::models::Notice;
use crate::app::{AppState, Command, NoticeCause};
use egui::{Align2, Area, Id, Order, RichText, Ui};
use std::path::PathBuf;
use std::time::Duration;

/// Seconds after the last dropped file that an import begins: desktops hand
/// many files over one by one.
const PAUSE: f64 = 0.15;
/// Names that are shown while files hover.
const NAMES: usize = 8;

/// Dropped files that wait a moment for others, so that all are one import.
#[derive(Default)]
pub struct Drops {
    paths: Vec<PathBuf>,
    last: f64,
}

impl Drops {
    /// Takes dropped files in, and shows what would happen to hovering ones.
    pub fn show_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let (dropped, hovered, now) = ui.input(|input| {
            let dropped: Vec<PathBuf> = input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect();
            let hovered: Vec<String> = input
                .raw
                .hovered_files
                .iter()
                .map(|file| file.path.as_ref().map_or_else(|| file.mime.clone(), |path| path.display().to_string()))
                .collect();
            (dropped, hovered, input.time)
        });
        if !dropped.is_empty() {
            self.paths.extend(dropped);
            self.last = now;
        }
        if !self.paths.is_empty() {
            if now - self.last >= PAUSE {
                import_dropped(app, std::mem::take(&mut self.paths));
            } else {
                ui.ctx().request_repaint_after(Duration::from_secs_f64(PAUSE));
            }
        }
        if !hovered.is_empty() {
            let why_not = match app.session() {
                None => Some("Open a workspace first to import files"),
                Some(_) => app.read_only(),
            };
            overlay_ui(ui, why_not, &hovered);
        }
    }
}

fn import_dropped(app: &mut AppState, paths: Vec<PathBuf>) {
    if app.session().is_some() {
        let options = app.import_options();
        app.send(Command::Import { paths, options });
        return;
    }
    let notice = Notice {
        is_error: true,
        what: "The dropped files were not imported".to_owned(),
        why: "no workspace is open".to_owned(),
        hint: "Open or create a workspace on the Campaigns page, then drop them again".to_owned(),
    };
    app.error_notice(NoticeCause::Opening, notice);
}

fn overlay_ui(ui: &Ui, why_not: Option<&str>, names: &[String]) {
    let screen = ui.ctx().content_rect();
    let ctx = ui.ctx().clone();
    ctx.layer_painter(egui::LayerId::new(Order::Foreground, Id::unique("drop shade"))).rect_filled(
        screen,
        0.0,
        tokens(ui).drop_shade,
    );
    Area::new(Id::unique("drop")).order(Order::Tooltip).anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO).show(
        &ctx,
        |ui| {
            theme::card_frame(ui).show(ui, |ui| {
                ui.set_width(theme::DIALOG);
                let count = text::counted(names.len() as u64, "item");
                let title = why_not.map_or_else(|| format!("Drop to import {count}"), str::to_owned);
                ui.label(RichText::new(title).heading().color(tokens(ui).strong_text));
                for name in names.iter().take(NAMES) {
                    ui.label(text::line(name));
                }
                if names.len() > NAMES {
                    ui.weak(format!("and {} more", text::count((names.len() - NAMES) as u64)));
                }
                if why_not.is_none() {
                    ui.weak("Files stay where they are; files already imported are skipped");
                }
            });
        },
    );
}
