//! What a capture needs to be shown, and what became of each part.

use crate::app::models::{CaptureId, HoleChoice, HoleState, Need, PatchOffer, PatchSource};
use crate::app::{AppState, Command};
use crate::ui::table::{Column, RowsAction, Table, key_of};
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::{coloured_cell_ui, empty_ui, write_button_ui};
use crate::uri::CaptureDate;
use egui::Ui;

/// A part of a page with its state in words.
struct NeedRow<'n> {
    need: &'n Need,
    state: String,
}

/// An action of a person on a part of a page.
enum NeedAction {
    /// Shows its capture.
    Open(CaptureId),
}

/// Draws the parts of a page that was captured at a date, those that are missing first.
pub fn needs_ui(ui: &mut Ui, app: &mut AppState, capture: CaptureId, date: CaptureDate, needs: &[Need]) {
    if needs.is_empty() {
        empty_ui(ui, "Nothing else is needed", "This capture names no image, style sheet, script or frame");
        return;
    }
    let missing: Vec<&HoleState> = needs.iter().filter_map(|need| need.hole.as_ref()).collect();
    ui.horizontal_wrapped(|ui| {
        let all = text::counted(needs.len() as u64, "part");
        if missing.is_empty() {
            ui.colored_label(tokens(ui).accept, format!("✔ {all}, all captured"));
            return;
        }
        ui.colored_label(tokens(ui).flag, format!("⚠ {} of {all} missing", text::count(missing.len() as u64)));
        let open = write_button_ui(ui, "Patch…");
        if open.on_hover_text("Fetch what is missing, as a small launch of its own").clicked() {
            app.send(Command::PlanPatch(PatchSource::Captures(vec![capture])));
        }
        let refused = missing.iter().filter(|state| matches!(state, HoleState::Refused { .. })).count();
        if refused > 0 {
            ui.weak(format!("{} refused by rules of the campaign", text::count(refused as u64)));
        }
    });
    let sign = |need: &Need| if need.hole.is_some() { "✖" } else { "✔" };
    let shown = |need| NeedRow { need, state: format!("{} {}", sign(need), need.label(date)) };
    let mut rows: Vec<NeedRow<'_>> = needs.iter().map(shown).collect();
    rows.sort_by_key(|row| row.need.hole.is_none());
    type Col<'a, 'n> = Column<'a, NeedRow<'n>, NeedAction>;
    let columns = [
        Col::text("state", "State", 230.0, |row| &row.state).draw(|ui, row| {
            let color = if row.need.hole.is_some() { tokens(ui).reject } else { tokens(ui).accept };
            coloured_cell_ui(ui, &row.state, color);
        }),
        Col::text("kind", "Kind", 90.0, |row| &row.need.kind),
        Col::text("url", "URL", 460.0, |row| &row.need.url)
            .link("Open its capture", |row| row.need.capture.map(NeedAction::Open)),
    ];
    let table = Table::new("needs", "Parts that the page needs", columns, |row: &NeedRow<'_>| key_of(&row.need.url))
        .aside()
        .with_rows(RowsAction::copy_urls(|row: &NeedRow<'_>| &row.need.url));
    if let Some(NeedAction::Open(capture)) = table.rows_ui(ui, app, &rows) {
        app.follow_beside(vec![capture]);
    }
}

/// Draws what a patch would fetch, by state, and gives the URLs that are chosen.
pub fn holes_ui(ui: &mut Ui, offer: &PatchOffer, choice: &mut HoleChoice) -> Vec<String> {
    let count = |is_meant: &dyn Fn(&HoleState) -> bool| {
        text::count(offer.holes.iter().filter(|hole| is_meant(&hole.state)).count() as u64)
    };
    egui::Grid::new("holes").num_columns(2).show(ui, |ui| {
        type Test = fn(&HoleState) -> bool;
        let plain: [(&str, Test); 3] = [
            ("never requested, or waiting", |state| matches!(state, HoleState::NeverSeen | HoleState::Queued)),
            ("failed", |state| matches!(state, HoleState::Failed { .. })),
            ("answered 429 or 5xx", |state| matches!(state, HoleState::Error { .. }) && state.is_worth_a_request()),
        ];
        for (label, is_meant) in plain {
            ui.strong(count(&is_meant));
            ui.label(label);
            ui.end_row();
        }
        let is_refused = |state: &HoleState| matches!(state, HoleState::Refused { .. }) && state.may_be_let_in();
        ui.strong(count(&is_refused));
        ui.checkbox(&mut choice.lets_in, "refused by rules of the campaign: let them in");
        ui.end_row();
        let is_error = |state: &HoleState| matches!(state, HoleState::Error { .. }) && !state.is_worth_a_request();
        ui.strong(count(&is_error));
        ui.checkbox(&mut choice.with_errors, "answered 404 or another error: try again");
        ui.end_row();
        let is_closed = |state: &HoleState| !state.may_be_let_in();
        ui.strong(count(&is_closed));
        ui.weak("refused by a permission or robots.txt: not fetched");
        ui.end_row();
    });
    offer.urls(*choice)
}
