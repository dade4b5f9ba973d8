//! The hosts that a selection takes, or leaves out.

use super::captures_of_side;
use crate::app::models::{SelectedHost, quoted};
use crate::app::{Action, AppState, Command, Route};
use crate::ui::header::Header;
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::GAP;
use crate::ui::widgets::{action_ui, empty_ui, loaded_ui};
use egui::Ui;

/// Draws the hosts of what is selected, or scored and not selected.
pub(in crate::ui) fn selected_hosts_ui(ui: &mut Ui, app: &mut AppState, selected: bool) {
    let (title, about) = match selected {
        true => ("Hosts of what is in", "Hosts with captures that are selected"),
        false => ("Hosts of what is out", "Hosts with captures that were scored and are not selected"),
    };
    Header::<()>::new(title).detail(about).ui(ui, app);
    ui.horizontal(|ui| {
        if ui.button("← Select & export").clicked() {
            app.send(Command::Go(Route::Select));
        }
    });
    ui.add_space(GAP);
    let Some(campaign) = app.campaign() else {
        empty_ui(ui, "No campaign selected", "A selection belongs to a campaign; select one at the left");
        action_ui(ui, app, Action::NewCampaign);
        return;
    };
    let answer = app.reads.selected_hosts(campaign, selected).only_own();
    loaded_ui(ui, &answer, |ui, hosts| {
        ui.label(text::counted(hosts.len() as u64, "host"));
        table_ui(ui, app, hosts, selected);
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, hosts: &[SelectedHost], selected: bool) {
    type Col<'a> = Column<'a, SelectedHost, String>;
    let host = |row: &SelectedHost| Some(row.host.clone());
    let columns = [
        Col::count("captures", "Captures", 90.0, |row| row.captures).link("Show these captures", host),
        Col::bytes("bytes", "Bytes", 90.0, |row| row.bytes),
        Col::text("host", "Host", 420.0, |row| &row.host),
    ];
    let table = Table::new("selected hosts", "Hosts", columns, |row: &SelectedHost| key_of(&row.host));
    if let Some(host) = table.on_open(host).rows_ui(ui, app, hosts) {
        captures_of_side(app, selected, &format!(" host={}", quoted(&host)));
    }
}
