//! What a capture needs to be shown, and what became of each part.

use crate::app::models::{
    CaptureId, HoleChoice, HoleState, Need, NeedState, PageNeeds, PatchOffer, PatchSource, quoted,
};
use crate::app::{AppState, Command, Route};
use crate::ui::table::{Column, RowsAction, Table, key_of};
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::{coloured_cell_ui, empty_ui, write_button_ui};
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
    /// Lists the pages that lack it.
    Broken(String),
}

/// Captures of parts from so many days on are of another time, as the check of that name has it.
const OTHER_TIME_DAYS: u64 = 30;

/// Draws the parts of a page, those that it loses most by first.
pub fn needs_ui(ui: &mut Ui, app: &mut AppState, capture: CaptureId, of: &PageNeeds) {
    if of.needs.is_empty() {
        empty_ui(ui, "Nothing else is needed", "This capture names no image, style sheet, script or frame");
        return;
    }
    let missing = of.needs.iter().filter_map(|need| need.hole().map(|hole| (need, hole)));
    let (losses, unseen): (Vec<_>, Vec<_>) = missing.partition(|(need, _)| need.weight > 0);
    ui.horizontal_wrapped(|ui| {
        let all = text::counted(of.needs.len() as u64, "part");
        if losses.is_empty() && unseen.is_empty() {
            ui.colored_label(tokens(ui).accept, format!("✔ {all}, all captured"));
            return;
        }
        ui.colored_label(tokens(ui).flag, format!("⚠ {} of {all} missing", text::count(losses.len() as u64)));
        let open = write_button_ui(ui, "Patch…");
        if open.on_hover_text("Fetch what is missing, as a small launch of its own").clicked() {
            app.send(Command::PlanPatch(PatchSource::Captures(vec![capture])));
        }
        let refused = losses.iter().filter(|(_, hole)| matches!(hole, HoleState::Refused { .. })).count();
        if refused > 0 {
            ui.weak(format!("{} refused by rules of the campaign", text::count(refused as u64)));
        }
        if !unseen.is_empty() {
            let hint = "Icons, parts that style sheets and frames name, images that the page names for other sites";
            let label = format!("{} more that may not be seen", text::count(unseen.len() as u64));
            ui.weak(label).on_hover_text(hint);
        }
    });
    if !of.is_read {
        ui.weak("Not indexed yet: sizes and alternatives are not known, and each link counts by itself");
    }
    let sign = |need: &Need| if need.hole().is_some() { "✖" } else { "✔" };
    let shown = |need| NeedRow { need, state: format!("{} {}", sign(need), need.label()) };
    let mut rows: Vec<NeedRow<'_>> = of.needs.iter().map(shown).collect();
    rows.sort_by_key(|row| (row.need.hole().is_none(), std::cmp::Reverse(row.need.weight)));
    type Col<'a, 'n> = Column<'a, NeedRow<'n>, NeedAction>;
    let columns = [
        Col::text("state", "State", 200.0, |row| &row.state).draw(|ui, row| {
            let color = match &row.need.state {
                NeedState::Missing(_) if row.need.weight == 0 => tokens(ui).weak_text,
                NeedState::Missing(_) => tokens(ui).reject,
                NeedState::Captured { days, .. } if days.unsigned_abs() > OTHER_TIME_DAYS => tokens(ui).flag,
                NeedState::Captured { .. } => tokens(ui).accept,
            };
            coloured_cell_ui(ui, &row.state, color);
        }),
        Col::made("weight", "Weight", 56.0, |row| format!("{:.1}", row.need.weight as f64 / 10.0)),
        Col::made("kind", "Kind", 60.0, |row| row.need.kind.as_str().to_owned()),
        Col::text("url", "URL", 460.0, |row| &row.need.url).link("Its capture, or the pages that lack it", |row| {
            Some(match row.need.state {
                NeedState::Captured { capture, .. } => NeedAction::Open(capture),
                NeedState::Missing(_) => NeedAction::Broken(row.need.url.clone()),
            })
        }),
        Col::made("via", "Named by", 200.0, |row| row.need.via.clone().unwrap_or_default()),
    ];
    let table = Table::new("needs", "Parts that the page needs", columns, |row: &NeedRow<'_>| key_of(&row.need.url))
        .aside()
        .with_rows(RowsAction::copy_urls(|row: &NeedRow<'_>| &row.need.url));
    match table.rows_ui(ui, app, &rows) {
        Some(NeedAction::Open(capture)) => app.follow_beside(vec![capture]),
        Some(NeedAction::Broken(url)) => {
            app.send(Command::Go(Route::Captures { filter: format!("breaks:{}", quoted(&url)) }));
        }
        None => {}
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
            ("never requested, or waiting", |state| {
                matches!(state, HoleState::NeverSeen | HoleState::Queued | HoleState::EndedBefore)
            }),
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
