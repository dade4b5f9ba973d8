//! The lower panel of a file, of a problem, and of a capture whose file is lost.

use crate::app::models::ProblemId;
use crate::app::models::{CaptureId, FileId, FileRow, Loaded, ProblemDetail};
use crate::app::{AppState, Command, Dialog};
use crate::ui::pages::{import_of, problems_of, show_captures_of, state_ui};
use crate::ui::text;
use crate::ui::theme::{GAP, tokens};
use crate::ui::widgets::{loaded_ui, progress_ui, write_button_ui};
use crate::warc::{Span, format_offset};
use egui::{RichText, ScrollArea, Ui};

/// A file: what is known of it and what can be done.
pub(in crate::ui) fn file_ui(ui: &mut Ui, app: &mut AppState, id: FileId) {
    let answer = app.reads.file(id);
    loaded_ui(ui, &answer, |ui, file| {
        ui.horizontal_wrapped(|ui| {
            state_ui(ui, file.state);
            ui.label(RichText::new(text::line(&file.path)).color(tokens(ui).strong_text));
        });
        ui.label(file.state.hint());
        ui.horizontal_wrapped(|ui| {
            if ui.link(text::counted(file.captures, "capture")).clicked() {
                show_captures_of(app, file.id, file.campaign);
            }
            if ui.link(text::counted(file.problems, "problem")).clicked() {
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
        egui::Grid::new("file").num_columns(2).show(ui, |ui| {
            let sha256 = if file.sha256.is_empty() {
                "not computed yet; “Check file digests” computes it"
            } else {
                &file.sha256
            };
            for (label, value) in [
                ("Path", text::line(&file.location.display().to_string())),
                ("Bytes", text::count(file.size)),
                ("SHA-256", sha256.to_owned()),
                ("Source", if file.crawled { "crawl in this workspace" } else { "import" }.to_owned()),
            ] {
                ui.weak(label);
                ui.label(value);
                ui.end_row();
            }
        });
    });
}

fn locate_ui(ui: &mut Ui, app: &mut AppState, file: FileId) {
    if write_button_ui(ui, "Locate…").on_hover_text("Search a folder for it, by size and digest").clicked() {
        app.send(Command::OpenDialog(Dialog::Locate(Some(file))));
    }
}

/// Says so when the file of a capture is not at its place.
pub(in crate::ui) fn lost_ui(ui: &mut Ui, app: &mut AppState, capture: CaptureId) {
    let Loaded::Ready(answer) = app.reads.file_of_capture(capture) else { return };
    let Some(file) = Option::as_ref(&answer).filter(|file| file.state.is_lost()) else { return };
    ui.horizontal_wrapped(|ui| {
        ui.colored_label(tokens(ui).reject, lost_file_text(file));
        locate_ui(ui, app, file.id);
    });
}

fn lost_file_text(file: &FileRow) -> String {
    format!("✖ The archive file of this capture is {}: {}", file.state.as_str(), text::line(&file.path))
}

/// A problem with the bytes it is about.
pub(in crate::ui) fn problem_ui(ui: &mut Ui, app: &mut AppState, id: ProblemId) {
    let answer = app.reads.problem(id);
    ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
        loaded_ui(ui, &answer, |ui, detail| detail_ui(ui, app, detail));
    });
}

fn detail_ui(ui: &mut Ui, app: &mut AppState, detail: &ProblemDetail) {
    let row = &detail.row;
    ui.horizontal(|ui| {
        ui.colored_label(tokens(ui).flag, format!("⚠ {}", text::line(&row.kind)));
        ui.label(RichText::new(text::line(&row.detail)).color(tokens(ui).strong_text));
    });
    ui.horizontal(|ui| {
        ui.weak(format!("{}, offset {}", text::line(&row.path), format_offset(row.offset)));
        if let Some(file) = row.file
            && ui.link("captures of this file").clicked()
        {
            let campaign = app.reads.file(file).shown().and_then(|row| row.campaign);
            show_captures_of(app, file, campaign);
        }
    });
    if let Some(command) = &detail.command {
        ui.horizontal(|ui| {
            ui.monospace(text::line(command));
            if ui.button("Copy command").on_hover_text("Copies a command that shows the record in a terminal").clicked()
            {
                ui.ctx().copy_text(command.clone());
            }
        });
    }
    if !detail.trouble.is_empty() {
        ui.colored_label(tokens(ui).flag, text::line(&detail.trouble));
    }
    if !detail.trouble.is_empty() {
        return;
    }
    ui.add_space(GAP);
    let place = Span { offset: row.offset, length: 0 };
    let title = match (place.is_inside_member(), row.member) {
        (false, _) => "Data at this offset".to_owned(),
        (true, None) => "Data at this offset does not belong to a single record".to_owned(),
        (true, Some(member)) => {
            format!("Data of the compressed member shared by several records, at offset {}", member.offset)
        }
    };
    ui.label(RichText::new(title).color(tokens(ui).strong_text));
    match detail.hex.is_empty() {
        true => drop(ui.weak("Several records share a compressed member; its start was not recorded by this import")),
        false => drop(ui.monospace(text::block(&detail.hex))),
    }
    ui.label(RichText::new("Record that begins here").color(tokens(ui).strong_text));
    record_ui(ui, app, detail);
}

/// The record that a problem is about, which may be far behind the beginning
/// of its member.
fn record_ui(ui: &mut Ui, app: &mut AppState, detail: &ProblemDetail) {
    let id = detail.row.id;
    let is_far = !detail.is_near();
    if is_far && app.far_record() != Some(id) {
        ui.horizontal(|ui| {
            ui.weak(format!("{} must be decompressed to reach it", text::bytes(detail.far)));
            if ui.button("Read record").on_hover_text("Can be stopped; other work continues meanwhile").clicked() {
                app.send(Command::ReadProblem(Some(id)));
            }
        });
        return;
    }
    let (answer, progress) = app.problem_record(id);
    if is_far && progress.is_some() {
        ui.horizontal(|ui| {
            if ui.button("⏹ Stop reading").clicked() {
                app.send(Command::ReadProblem(None));
            }
            progress_ui(ui, progress);
        });
        return;
    }
    loaded_ui(ui, &answer, |ui, record: &String| match record.is_empty() {
        true => drop(ui.weak("No readable record")),
        false => drop(ui.monospace(text::block(record))),
    });
}
