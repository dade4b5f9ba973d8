//! Limits and politeness of a campaign.

use crate::campaign::{Limits, Politeness, PrivateAddresses, RobotsPolicy};
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::lead_here;
use egui::{DragValue, Response, TextEdit, Ui};

const ROBOTS: [(RobotsPolicy, &str, &str); 3] = [
    (RobotsPolicy::Obey, "obey", "RFC 9309"),
    (RobotsPolicy::ObeyButLog, "log only", "Fetch and record robots.txt, but ignore its rules"),
    (RobotsPolicy::Ignore, "ignore", "Do not fetch robots.txt"),
];

/// Draws the limits that end a launch.
pub fn limits_ui(ui: &mut Ui, limits: &mut Limits) {
    ui.weak("0 means no limit");
    const MEGA: u64 = 1_000_000;
    egui::Grid::new("limits").num_columns(3).striped(true).show(ui, |ui| {
        let captures = whole_row_ui(ui, "Captures per launch", "", &mut limits.max_documents);
        lead_here(&captures, "limits");
        scaled_row_ui(ui, "Payload per launch", "MB", &mut limits.max_bytes, MEGA);
        scaled_row_ui(ui, "Time per launch", "min", &mut limits.max_seconds, 60);
        scaled_row_ui(ui, "Truncate a response after", "MB", &mut limits.max_response_bytes, MEGA);
        whole_row_ui(ui, "… or after", "s", &mut limits.max_response_seconds);
        whole_row_ui(ui, "… or below, over a minute", "bytes/s", &mut limits.min_response_bytes_per_second);
        scaled_row_ui(ui, "Pause when free disk space is below", "MB", &mut limits.disk_floor_bytes, MEGA);
    });
}

fn whole_row_ui(ui: &mut Ui, label: &str, unit: &str, value: &mut u64) -> Response {
    scaled_row_ui(ui, label, unit, value, 1)
}

/// A number shown in a larger unit; what is not touched keeps its exact value.
fn scaled_row_ui(ui: &mut Ui, label: &str, unit: &str, value: &mut u64, scale: u64) -> Response {
    let label = ui.label(label);
    let mut shown = *value / scale;
    let field = DragValue::new(&mut shown).range(0..=u64::MAX / scale).speed(1.0);
    let response = ui.add(field).labelled_by(label.id);
    if response.changed() {
        *value = shown.saturating_mul(scale);
    }
    ui.weak(if *value == 0 { "no limit" } else { unit });
    ui.end_row();
    response
}

/// Draws the settings of politeness towards servers.
pub fn politeness_ui(ui: &mut Ui, politeness: &mut Politeness) {
    let label = ui.label("User-Agent, sent to every server");
    let field = ui.add(
        TextEdit::singleline(&mut politeness.user_agent)
            .hint_text("Fonds/0.1 (+https://your-archive.example/crawler; you@your-archive.example)")
            .desired_width(theme::READING_WIDTH),
    );
    lead_here(&field.labelled_by(label.id), "politeness.user_agent");
    if politeness.user_agent.trim().is_empty() {
        ui.colored_label(tokens(ui).reject, "✖ Required: who crawls, with a contact e-mail address or URL");
    } else if !reaches_someone(&politeness.user_agent) {
        ui.colored_label(tokens(ui).reject, "✖ No contact e-mail address or URL found");
    } else {
        ui.colored_label(tokens(ui).accept, "✔ Contains contact information");
    }
    ui.add_space(GAP);
    ui.horizontal_wrapped(|ui| {
        ui.label("robots.txt");
        for (policy, label, about) in ROBOTS {
            ui.radio_value(&mut politeness.robots, policy, label).on_hover_text(about);
        }
    });
    egui::Grid::new("politeness").num_columns(3).striped(true).show(ui, |ui| {
        let label = ui.label("Delay factor (times the last fetch)");
        let field = ui.add(DragValue::new(&mut politeness.delay_factor).range(0.0..=100.0).speed(0.1));
        lead_here(&field.labelled_by(label.id), "politeness.delay_factor");
        ui.weak("per host");
        ui.end_row();
        let least = whole_row_ui(ui, "… at least", "ms", &mut politeness.min_delay_ms);
        lead_here(&least, "politeness.min_delay_ms");
        whole_row_ui(ui, "… at most", "ms", &mut politeness.max_delay_ms);
        whole_row_ui(ui, "Obey Crawl-delay up to", "s", &mut politeness.respect_crawl_delay_up_to_seconds);
        let label = ui.label("Worker threads");
        let field = ui.add(DragValue::new(&mut politeness.workers).range(1..=256));
        lead_here(&field.labelled_by(label.id), "politeness.workers");
        ui.weak("hosts crawled at the same time, at most");
        ui.end_row();
        let label = ui.label("Retries of a failed URL");
        ui.add(DragValue::new(&mut politeness.max_retries).range(0..=100)).labelled_by(label.id);
        ui.weak("times");
        ui.end_row();
        whole_row_ui(ui, "… after", "s", &mut politeness.retry_delay_seconds);
    });
    private_addresses_ui(ui, &mut politeness.allow_private_addresses);
}

/// Hosts and networks whose private addresses may be fetched from, one a line.
fn private_addresses_ui(ui: &mut Ui, private: &mut PrivateAddresses) {
    ui.add_space(GAP);
    let label = ui.label("Private and loopback addresses that are allowed");
    let mut all = *private == PrivateAddresses::All;
    if ui.checkbox(&mut all, "All, for every host").changed() {
        *private = if all { PrivateAddresses::All } else { PrivateAddresses::default() };
    }
    match private {
        PrivateAddresses::All => {
            let warning = "⚠ A link or redirect to any machine in your network is fetched if the scope accepts it";
            ui.colored_label(tokens(ui).flag, warning);
        }
        PrivateAddresses::Listed(entries) => {
            let mut text = entries.join("\n");
            let field = TextEdit::multiline(&mut text)
                .hint_text("one host or network a line, such as intranet.example or 10.1.0.0/16")
                .desired_rows(2)
                .desired_width(theme::READING_WIDTH);
            let field = ui.add(field).labelled_by(label.id);
            if field.changed() {
                *entries = if text.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() };
            }
            lead_here(&field, "politeness.allow_private_addresses");
        }
    }
}

fn reaches_someone(user_agent: &str) -> bool {
    user_agent.contains("://") || user_agent.contains('@')
}
