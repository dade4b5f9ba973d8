//! Columns and menu of the captures table.

use super::captures::host_filter;
use crate::app::models::{CaptureId, CaptureRow, ReviewMark};
use crate::app::{Command, PanelTab, Route, has_clean_browser};
use crate::ui::decisions::mark_icon;
use crate::ui::table::{Column, RowIcon, RowsAction, Table, Value};
use crate::ui::text;
use crate::ui::widgets::{cell_ui, claim_cell_ui, decision_ui, status_ui, write_button_ui};
use egui::Ui;

/// The hint of a number of inlinks.
const INLINKS: &str = "Show these inlinks";

/// An action on a row of the table.
pub enum CaptureAction {
    /// Its details in the lower panel, in whatever tab is there.
    Focus(CaptureId),
    /// A tab of the lower panel.
    Panel(CaptureId, PanelTab),
    /// A new selection.
    Several(Vec<CaptureId>),
    /// A decision on it, or on all that is selected with it.
    Mark(CaptureId, ReviewMark),
    /// Something else.
    Command(Command),
}

/// The table of captures; `is_read_only` where no decision can be kept.
pub(super) fn captures_table<'a>(is_read_only: bool) -> Table<'a, CaptureRow, CaptureAction> {
    type Col<'a> = Column<'a, CaptureRow, CaptureAction>;
    let inlinks = |row: &CaptureRow| Some(CaptureAction::Panel(row.id, PanelTab::Inlinks));
    let columns =
        [
            Col::text("title", "Page", 360.0, |row| &row.title)
                .about("Title of the page, and its URL as captured")
                .second("url", "URL", |row| &row.url),
            Col::date("date", "Captured", 122.0, |row| row.date).about("UTC"),
            Col::made("status", "Status", 58.0, |row| row.status.to_string())
                .about("HTTP status")
                .draw(|ui, row| drop(status_ui(ui, row.status))),
            Col::text("mime", "Type", 92.0, |row| &row.mime).about("MIME type"),
            Col::made("mark", "Review", 90.0, CaptureRow::decision_label)
                .about("Last decision of a reviewer, and the handover or file that it came with")
                .draw(|ui, row| drop(decision_ui(ui, row))),
            Col::value("inlinks_internal", "Internal inlinks", 100.0, |row| Value::known(row.inlinks_internal))
                .numeric()
                .about("Inlinks of the same site in the window; – where inlinks are not built")
                .link(INLINKS, inlinks),
            Col::value("inlinks_external", "External inlinks", 100.0, |row| Value::known(row.inlinks_external))
                .numeric()
                .about("Inlinks of other sites in the window; – where inlinks are not built")
                .link(INLINKS, inlinks),
            Col::value("inlink_hosts", "Hosts", 60.0, |row| Value::known(row.inlink_hosts))
                .numeric()
                .about("External hosts that link here in the window; – where inlinks are not built")
                .link(INLINKS, inlinks)
                .hidden(),
            Col::text("top_anchor", "Most common anchor", 150.0, |row| &row.top_anchor)
                .about("Most common anchor text in the window")
                .hidden(),
            Col::bytes("size", "Size", 76.0, |row| row.size).about("Payload").draw(size_ui).hidden(),
            Col::text("language", "Language", 64.0, |row| &row.language).about("Language of the text").hidden(),
            Col::value("score", "Score", 62.0, |row| row.score.map_or(Value::Unknown, Value::Fraction))
                .numeric()
                .about("Score in the last selection")
                .hidden(),
            Col::made("depth", "Hops", 64.0, hops_of)
                .about("Steps from the seed; the tooltip has their kinds")
                .draw(|ui, row| {
                    claim_cell_ui(ui, &hops_of(row), row.imported).on_hover_text(text::hops_explained(&row.hops));
                })
                .hidden(),
            Col::made("rule", "Rule", 180.0, CaptureRow::rule_or_claim)
                .about("Accepted by")
                .draw(|ui, row| {
                    let rule = if row.imported { &row.file_rule } else { &row.rule };
                    cell_ui(ui, &row.rule_or_claim()).on_hover_text(text::line(rule));
                })
                .hidden(),
            Col::text("via", "Via", 220.0, |row| &row.via)
                .about("The page where this URL was discovered")
                .draw(|ui, row| drop(claim_cell_ui(ui, &row.via, row.imported)))
                .hidden(),
            Col::count("versions", "Versions", 70.0, |row| row.versions)
                .about("Captures of the same page")
                .link("Show all versions", |row| Some(CaptureAction::Panel(row.id, PanelTab::Versions)))
                .hidden(),
        ];
    let table = Table::new("captures", "Captures", columns, |row: &CaptureRow| row.id.unsigned_abs())
        .on_focus(|row| Some(CaptureAction::Focus(row.id)))
        .on_open(|row| Some(CaptureAction::Panel(row.id, PanelTab::Details)))
        .menu(menu_ui)
        .with_rows(RowsAction::copy_urls(|row: &CaptureRow| &row.url));
    if is_read_only { table } else { mark_icons(table, |row| row.id) }
}

/// Adds buttons that decide on a row at its end.
pub(super) fn mark_icons<'a, R: 'a>(
    table: Table<'a, R, CaptureAction>,
    id: fn(&R) -> CaptureId,
) -> Table<'a, R, CaptureAction> {
    let marks = [
        (ReviewMark::Approve, "Approve this row (A)"),
        (ReviewMark::Reject, "Reject this row (D)"),
        (ReviewMark::Flag, "Flag this row (F)"),
    ];
    marks.into_iter().fold(table, |table, (mark, name)| {
        table.row_icon(RowIcon::new(mark_icon(mark), name, move |row| Some(CaptureAction::Mark(id(row), mark))))
    })
}

/// Steps from the seed; an imported capture without a path is not known to be one.
fn hops_of(row: &CaptureRow) -> String {
    if row.hops.is_empty() && row.imported { String::new() } else { text::hops(&row.hops) }
}

fn size_ui(ui: &mut Ui, row: &CaptureRow) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_space(crate::ui::theme::CELL_PAD);
        let repeat = if row.revisit { " ↻" } else { "" };
        let response = cell_ui(ui, &format!("{}{repeat}", text::bytes(row.size)));
        if row.revisit {
            response.on_hover_text("Revisit: same payload as an earlier capture");
        }
    });
}

/// Draws the menu of a capture.
pub fn menu_ui(ui: &mut Ui, row: &CaptureRow) -> Option<CaptureAction> {
    for (mark, label) in [
        (ReviewMark::Approve, "✔ Approve"),
        (ReviewMark::Reject, "✖ Reject"),
        (ReviewMark::Flag, "⚑ Flag"),
        (ReviewMark::Clear, "Clear decision"),
    ] {
        if write_button_ui(ui, label).clicked() {
            return Some(CaptureAction::Mark(row.id, mark));
        }
    }
    ui.separator();
    let open = egui::Button::new("Open in browser").shortcut_text("O");
    if ui.add(open).clicked() {
        return Some(CaptureAction::Command(Command::OpenInBrowser(row.id)));
    }
    if has_clean_browser() && ui.button("Open in clean browser").clicked() {
        return Some(CaptureAction::Command(Command::OpenInCleanBrowser(row.id)));
    }
    if ui.button("Show inlinks").clicked() {
        return Some(CaptureAction::Command(Command::Go(Route::Links { target: row.url.clone() })));
    }
    if ui.button("Show captures of this host").clicked() {
        return Some(CaptureAction::Command(Command::Go(Route::Captures { filter: host_filter(&row.url) })));
    }
    for (label, tab) in [
        ("Show path from seed", PanelTab::Details),
        ("Show all versions", PanelTab::Versions),
        ("Write a note…", PanelTab::Notes),
        ("Show the scope decision", PanelTab::Decision),
    ] {
        if ui.button(label).clicked() {
            return Some(CaptureAction::Panel(row.id, tab));
        }
    }
    None
}
