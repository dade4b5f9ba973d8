//! The parts of an export, the list of a dry run, and the report in the browser.

use super::captures_by;
use crate::app::models::{CampaignId, ExportDryRun, Lacking, PlannedFile};
use crate::app::{AppState, JobKind};
use crate::campaign::ReportLanguage;
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{GAP, tokens};
use crate::ui::widgets::heading_ui;
use egui::{Button, ComboBox, OpenUrl, Ui};
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
    let draft = &mut app.open.selection_draft;
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut draft.with_wacz, "Also write a WACZ package")
            .on_hover_text("The archive files with an index and a list of pages, as ReplayWeb.page shows them");
        ui.checkbox(&mut draft.with_rdf, "RDF")
            .on_hover_text("What is known as N-Quads: about 7 kB a capture, more where many pages link to it");
        ui.checkbox(&mut draft.with_seen, "All URLs seen")
            .on_hover_text("Every URL that the crawls have seen, with the verdict on it and its rule");
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
    ui.add_space(GAP);
    ui.horizontal_wrapped(|ui| {
        heading_ui(ui, "Dry run");
        ui.add_enabled_ui(!app.runs(JobKind::DryRun), |ui| {
            if ui.button("Close dry run").clicked() {
                app.close_dry_run();
            }
        });
    });
    ui.label(text::line(&plan.figures()));
    let room = text::line(&plan.room());
    match plan.has_room() {
        true => ui.label(room),
        false => ui.colored_label(tokens(ui).reject, format!("✖ {room}")),
    };
    for note in &plan.notes {
        ui.colored_label(tokens(ui).flag, format!("⚠ {}", text::line(note)));
    }
    files_ui(ui, app, &plan.files);
    left_out_ui(ui, app, &plan);
    problems_ui(ui, &plan.problems);
}

fn files_ui(ui: &mut Ui, app: &mut AppState, files: &[PlannedFile]) {
    type Col<'a> = Column<'a, PlannedFile>;
    let columns = [
        Col::text("file", "File", 420.0, |file| &file.path),
        Col::bytes("size", "Size", 80.0, |file| file.bytes),
        Col::count("bytes", "Bytes", 90.0, |file| file.bytes),
        Col::text("known", "Known", 90.0, |file| if file.exact { "exactly" } else { "about" })
            .about("Sizes that are estimated differ by a tenth or 4 kB at most"),
    ];
    Table::new("dry run", "Files of the export", columns, |file: &PlannedFile| key_of(&file.path))
        .height(FILES)
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
    .rows_ui(ui, app, &plan.lacking);
}

/// Problems shown; the rest is counted.
const PROBLEMS: usize = 10;

fn problems_ui(ui: &mut Ui, problems: &[String]) {
    for problem in problems.iter().take(PROBLEMS) {
        ui.colored_label(tokens(ui).flag, format!("⚠ {}", text::line(problem)));
    }
    if problems.len() > PROBLEMS {
        ui.weak(format!("{} more in the report of the export", problems.len() - PROBLEMS));
    }
}
