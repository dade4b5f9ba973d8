//! The hosts that a selection takes, or leaves out.

use super::select::captures_of_side;
use crate::app::models::{SelectedHost, quoted};
use crate::app::{Action, AppState, Command, Route};
use crate::ui::table::Table;
use crate::ui::theme::GAP;
use crate::ui::widgets::{action_ui, empty_ui, loaded_ui, title_ui};
use crate::ui::words;
use egui::Ui;

/// Draws the hosts of what is selected, or scored and not selected.
pub(in crate::ui) fn selected_hosts_ui(ui: &mut Ui, app: &mut AppState, selected: bool) {
    let (title, about) = match selected {
        true => ("Hosts of what is in", "Hosts with captures that are selected"),
        false => ("Hosts of what is out", "Hosts with captures that were scored and are not selected"),
    };
    title_ui(ui, title, about);
    ui.horizontal(|ui| {
        if ui.button("← Select & export").clicked() {
            app.send(Command::Go(Route::Select));
        }
    });
    ui.add_space(GAP);
    let Some(campaign) = app.campaign else {
        empty_ui(ui, "No campaign selected", "A selection belongs to a campaign; select one above");
        action_ui(ui, app, Action::NewCampaign);
        return;
    };
    let answer = app.reads.selected_hosts(campaign, selected).only_own();
    loaded_ui(ui, &answer, |ui, hosts| {
        ui.label(words::counted(hosts.len() as u64, "host", "hosts"));
        table_ui(ui, app, hosts, selected);
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, hosts: &[SelectedHost], selected: bool) {
    const COLUMNS: [(&str, f32); 3] = [("Captures", 90.0), ("Bytes", 90.0), ("Host", 420.0)];
    let mut to = None;
    let clicked = Table::new("selected hosts", &COLUMNS, hosts.len()).show_ui(
        ui,
        |cells, index| {
            let row = &hosts[index];
            if cells.link(row.captures, "Show these captures") {
                to = Some(index);
            }
            cells.text(&words::bytes(row.bytes));
            cells.text(&row.host);
        },
        |_, _| {},
    );
    if let Some(row) = to.or(clicked).and_then(|index| hosts.get(index)) {
        captures_of_side(app, selected, &format!(" host={}", quoted(&row.host)));
    }
}
