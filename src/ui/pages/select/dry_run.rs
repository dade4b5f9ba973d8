//! The parts of an export, the list of a dry run, and the report in the browser.

use super::captures_by;
use crate::app::models::{CampaignId, ExportDryRun, Lacking, PlannedFile};
use crate::app::{AppState, JobKind};
use crate::campaign::ReportLanguage;
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::fold_ui;
use egui::{Button, ComboBox, OpenUrl, RichText, Ui};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Height of the list of files.
const FILES: f32 = 190.0;
/// Height of the list of what pages lack.
const LACKING: f32 = 110.0;

/// Draws the optional parts of an export.
pub(in crate::ui::pages) fn parts_ui(ui: &mut Ui, app: &mut AppState) {
    let page = app.campaign().map(|campaign| app.reads.campaign(campaign));
    let of_campaign = page.as_ref().and_then(|page| page.shown()?.campaign.report_language).unwrap_or_default();
    let plan = app.dry_run().filter(|plan| Some(plan.campaign) == app.campaign());
    let size = |of: &dyn Fn(&str) -> bool| {
        let files = plan?.files.iter().filter(|file| of(&file.path));
        let bytes: u64 = files.map(|file| file.bytes).sum();
        (bytes > 0).then(|| text::bytes(bytes))
    };
    let is_package = |path: &str| path.ends_with(".wacz");
    let is_archive = |path: &str| path.contains(".warc") || path.ends_with(".cdxj") || path.ends_with(".cdxj.gz");
    let is_rdf = |path: &str| path.ends_with(".nq.gz");
    let is_seen = |path: &str| path.ends_with("seen.jsonl.gz");
    let sizes = [size(&is_archive), size(&is_package), size(&is_rdf), size(&is_seen)];
    let draft = &mut app.open.selection_draft;
    let [archive, package, rdf, seen] = sizes;
    part_ui(ui, &mut true, "WARC with index, metadata and inlinks", archive, None);
    const PACKAGE: &str = "The archive files with an index and a list of pages, as ReplayWeb.page shows them";
    part_ui(ui, &mut draft.with_wacz, "WACZ package", package, Some(PACKAGE));
    const KNOWLEDGE: &str = "What is known as N-Quads: about 7 kB a capture, more where many pages link to it";
    part_ui(ui, &mut draft.with_rdf, "RDF", rdf, Some(KNOWLEDGE));
    const SEEN: &str = "Every URL that the crawls have seen, with the verdict on it and its rule";
    part_ui(ui, &mut draft.with_seen, "All URLs seen", seen, Some(SEEN));
    const PERSONS: &str =
        "Persons that an analysis found, with their mentions; places, organisations and events are in any case";
    const PERSONAL: &str = "E-mail addresses, telephone numbers, IBANs and identity numbers in a selected text stop the export, which names them";
    ui.horizontal_wrapped(|ui| {
        part_ui(ui, &mut draft.with_persons, "Entities of persons", None, Some(PERSONS));
        part_ui(ui, &mut draft.refuses_personal_data, "Refuse personal data", None, Some(PERSONAL));
    });
    ui.horizontal(|ui| {
        let label = ui.label("Report in");
        let language = &mut draft.report_language;
        let name = |language: Option<ReportLanguage>| match language {
            Some(language) => language.label().to_owned(),
            None => format!("the campaign's language ({})", of_campaign.label()),
        };
        let choice = ui.label_inputs_by(label.id, |ui| {
            ComboBox::from_id_salt("report language").selected_text(name(*language)).show_ui(ui, |ui| {
                ui.selectable_value(language, None, name(None));
                for (other, ..) in ReportLanguage::ALL {
                    ui.selectable_value(language, Some(other), name(Some(other)));
                }
            })
        });
        choice
            .response
            .on_hover_text("The language of report.html and report.md; all other files are the same in each");
    });
}

/// A part of an export to tick, with its size as the last dry run found it; one without a hint is always there.
fn part_ui(ui: &mut Ui, is_in: &mut bool, label: &str, size: Option<String>, hint: Option<&str>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = theme::ROW;
        let response = ui.add_enabled(hint.is_some(), egui::Checkbox::new(is_in, label));
        match hint {
            Some(hint) => drop(response.on_hover_text(hint)),
            None => drop(response.on_disabled_hover_text("Every export has them")),
        }
        if let Some(size) = size {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.label(RichText::new(size).size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
            });
        }
    });
}

/// A button that opens the report of an export in the browser; greyed where it is not there.
pub(in crate::ui::pages) fn report_ui(ui: &mut Ui, app: &mut AppState, folder: Option<&Path>) {
    let url = folder.and_then(|folder| reports(app).get(folder).cloned());
    let response = ui.add_enabled(url.is_some(), Button::new("Open report"));
    let response = match folder {
        Some(folder) => {
            let place = text::line(&folder.join("report.html").display().to_string());
            let missing = format!("{place} is not there: the folder was moved, or is of an earlier version");
            response.on_hover_text(format!("{place} in the browser")).on_disabled_hover_text(missing)
        }
        None => response.on_disabled_hover_text("Nothing exported yet"),
    };
    if response.clicked()
        && let Some(url) = url
    {
        open_report(ui, url);
    }
}

/// Addresses of the reports of exports that are still there, by their folders.
pub(in crate::ui::pages) fn reports(app: &mut AppState) -> Arc<BTreeMap<PathBuf, String>> {
    let of = app.last_export().map(Path::to_owned);
    app.reads.export_reports(of).shown().cloned().unwrap_or_default()
}

/// Hands the address of a report to the browser.
pub(in crate::ui::pages) fn open_report(ui: &Ui, url: String) {
    ui.ctx().open_url(OpenUrl::new_tab(url));
}

/// The list of the last dry run of this campaign.
pub(in crate::ui::pages) fn dry_run_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId) {
    let Some(plan) = app.dry_run().filter(|plan| plan.campaign == campaign).cloned() else { return };
    ui.add(egui::Label::new(text::line(&plan.figures())).wrap());
    let room = text::line(&plan.room());
    let room = match plan.has_room() {
        true => RichText::new(room),
        false => RichText::new(format!("✖ {room}")).color(tokens(ui).reject),
    };
    ui.add(egui::Label::new(room).wrap());
    for note in &plan.notes {
        ui.add(egui::Label::new(RichText::new(format!("⚠ {}", text::line(note))).color(tokens(ui).flag)).wrap());
    }
    problems_ui(ui, &plan.problems);
    let summary = text::counted(plan.files.len() as u64, "file");
    if fold_ui(ui, "dry run", "Files of the dry run", &summary) {
        ui.add_enabled_ui(!app.runs(JobKind::DryRun), |ui| {
            if ui.button("Close dry run").clicked() {
                app.close_dry_run();
            }
        });
        files_ui(ui, app, &plan.files);
        left_out_ui(ui, app, &plan);
    }
}

fn files_ui(ui: &mut Ui, app: &mut AppState, files: &[PlannedFile]) {
    type Col<'a> = Column<'a, PlannedFile>;
    let columns = [
        Col::text("file", "File", 200.0, |file| &file.path),
        Col::bytes("size", "Size", 80.0, |file| file.bytes),
        Col::count("bytes", "Bytes", 90.0, |file| file.bytes).hidden(),
        Col::text("known", "Known", 90.0, |file| if file.exact { "exactly" } else { "about" })
            .about("Sizes that are estimated differ by a tenth or 4 kB at most"),
    ];
    Table::new("dry run", "Files of the export", columns, |file: &PlannedFile| key_of(&file.path))
        .height(FILES)
        .aside()
        .rows_ui(ui, app, files);
}

fn left_out_ui(ui: &mut Ui, app: &mut AppState, plan: &ExportDryRun) {
    let filters = [(plan.left_out, "selected:no"), (plan.rejected, "mark:reject")];
    let shown = filters.into_iter().filter(|(captures, _)| *captures > 0);
    for (line, (_, filter)) in plan.left_out_lines().into_iter().zip(shown) {
        if ui.link(format!("Left out: {}", text::line(&line))).on_hover_text("Show these captures").clicked() {
            captures_by(app, filter.to_owned());
        }
    }
    if plan.lacking.is_empty() {
        return;
    }
    ui.label(format!("{} what a person rejected", text::counted_verb(plan.lacking.len() as u64, "page", "lacks")));
    type Col<'a> = Column<'a, Lacking>;
    let columns = [
        Col::text("page", "Page", 280.0, |row| &row.page),
        Col::text("lacks", "Lacks", 280.0, |row| &row.url),
        Col::text("who", "Rejected by", 110.0, |row| &row.who),
        Col::text("reason", "Reason", 180.0, |row| &row.reason),
    ];
    Table::new("lacking", "What pages lack", columns, |row: &Lacking| {
        key_of((&row.page, row.page_date, &row.url, row.date))
    })
    .height(LACKING)
    .aside()
    .rows_ui(ui, app, &plan.lacking);
}

/// Problems shown; the rest is counted.
const PROBLEMS: usize = 10;

fn problems_ui(ui: &mut Ui, problems: &[String]) {
    for problem in problems.iter().take(PROBLEMS) {
        let problem = RichText::new(format!("⚠ {}", text::line(problem))).color(tokens(ui).flag);
        ui.add(egui::Label::new(problem).wrap());
    }
    if problems.len() > PROBLEMS {
        ui.weak(format!("{} more in the report of the export", problems.len() - PROBLEMS));
    }
}
