//! The lower panel for a file and for a problem, and what it says of a
//! capture whose file is lost.

use super::pages::{captures_of, import_of, problems_of, state_ui};
use super::theme::{GAP, tokens};
use super::widgets::loaded_ui;
use super::words;
use crate::app::models::{CaptureId, FileId, FileRow, Loaded, ProblemDetail};
use crate::app::{AppState, Command, Dialog};
use egui::{RichText, ScrollArea, Ui};

/// A file: what is known of it and what can be done.
pub(super) fn file_ui(ui: &mut Ui, app: &mut AppState, id: FileId) {
    let answer = app.reads.file(id);
    loaded_ui(ui, &answer, |ui, file| {
        ui.horizontal_wrapped(|ui| {
            state_ui(ui, file.state);
            ui.label(RichText::new(words::line(&file.path)).color(tokens(ui).strong_text));
        });
        ui.label(file.state.hint());
        ui.horizontal_wrapped(|ui| {
            if ui.link(words::counted(file.captures, "capture", "captures")).clicked() {
                app.send(Command::Go(captures_of(file.id)));
            }
            if ui.link(words::counted(file.problems, "problem", "problems")).clicked() {
                app.send(Command::Go(problems_of(file.id)));
            }
            if !file.crawled && ui.link(format!("import {}", file.launch)).clicked() {
                app.send(Command::Go(import_of(file.launch)));
            }
            if file.state.is_lost() {
                locate_ui(ui, app, file.id);
            }
        });
        ui.add_space(GAP);
        egui::Grid::new("file").num_columns(2).striped(true).show(ui, |ui| {
            let sha256 = if file.sha256.is_empty() { "not made yet; checking digests makes it" } else { &file.sha256 };
            for (label, value) in [
                ("Place", words::line(&file.location.display().to_string())),
                ("Bytes", words::count(file.size)),
                ("SHA-256", sha256.to_owned()),
                ("Came by", if file.crawled { "a crawl of this workspace" } else { "import" }.to_owned()),
            ] {
                ui.weak(label);
                ui.label(value);
                ui.end_row();
            }
        });
    });
}

fn locate_ui(ui: &mut Ui, app: &mut AppState, file: FileId) {
    if ui.button("Locate…").on_hover_text("Look for it in a folder, by size and digest").clicked() {
        app.send(Command::Ask(Dialog::Locate(Some(file))));
    }
}

/// Says so when the file of a capture is not at its place.
pub(super) fn lost_ui(ui: &mut Ui, app: &mut AppState, capture: CaptureId) {
    let Loaded::Ready(answer) = app.reads.file_of_capture(capture) else { return };
    let Some(file) = Option::as_ref(&answer).filter(|file| file.state.is_lost()) else { return };
    ui.horizontal_wrapped(|ui| {
        ui.colored_label(tokens(ui).reject, lost_words(file));
        locate_ui(ui, app, file.id);
    });
}

fn lost_words(file: &FileRow) -> String {
    format!("✖ The archive file of this capture is {}: {}", file.state.word(), words::line(&file.path))
}

/// A problem with the bytes it is about.
pub(super) fn problem_ui(ui: &mut Ui, app: &mut AppState, id: i64) {
    let answer = app.reads.problem(id);
    ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
        loaded_ui(ui, &answer, |ui, detail| detail_ui(ui, app, detail));
    });
}

fn detail_ui(ui: &mut Ui, app: &mut AppState, detail: &ProblemDetail) {
    let row = &detail.row;
    ui.horizontal(|ui| {
        ui.colored_label(tokens(ui).flag, format!("⚠ {}", words::line(&row.kind)));
        ui.label(RichText::new(words::line(&row.detail)).color(tokens(ui).strong_text));
    });
    ui.horizontal(|ui| {
        ui.weak(format!("{}, offset {}", words::line(&row.path), words::count(row.offset)));
        if let Some(file) = row.file
            && ui.link("captures of this file").clicked()
        {
            app.send(Command::Go(captures_of(file)));
        }
    });
    if let Some(command) = &detail.command {
        ui.horizontal(|ui| {
            ui.monospace(words::line(command));
            if ui.button("Copy command").on_hover_text("Shows the record in a terminal").clicked() {
                ui.ctx().copy_text(command.clone());
            }
        });
    }
    if !detail.trouble.is_empty() {
        ui.colored_label(tokens(ui).flag, words::line(&detail.trouble));
    }
    if !detail.hex.is_empty() {
        ui.add_space(GAP);
        ui.label(RichText::new("Bytes at this offset").color(tokens(ui).strong_text));
        ui.monospace(words::block(&detail.hex));
        ui.label(RichText::new("Record that begins here").color(tokens(ui).strong_text));
        if detail.record.is_empty() {
            ui.weak("None that can be read");
        } else {
            ui.monospace(words::block(&detail.record));
        }
    }
}
