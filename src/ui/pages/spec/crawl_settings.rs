//! Limits and politeness of a campaign.

use crate::campaign::{Limits, Politeness, PrivateAddresses, RobotsPolicy};
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{FieldLevel, FormRow, lead_here};
use egui::{DragValue, Response, TextEdit, Ui};

const ROBOTS: [(RobotsPolicy, &str, &str); 3] = [
    (RobotsPolicy::Obey, "obey", "RFC 9309"),
    (RobotsPolicy::ObeyButLog, "log only", "Fetch and record robots.txt, but ignore its rules"),
    (RobotsPolicy::Ignore, "ignore", "Do not fetch robots.txt"),
];

/// Draws the limits that end a launch.
pub fn limits_ui(ui: &mut Ui, limits: &mut Limits) {
    const MEGA: u64 = 1_000_000;
    let captures = whole_row_ui(ui, "Captures", "per launch", &mut limits.max_documents);
    lead_here(&captures, "limits");
    scaled_row_ui(ui, "Payload", "MB per launch", &mut limits.max_bytes, MEGA);
    scaled_row_ui(ui, "Time", "minutes per launch", &mut limits.max_seconds, 60);
    scaled_row_ui(ui, "Response size", "MB; what is longer is truncated", &mut limits.max_response_bytes, MEGA);
    whole_row_ui(ui, "Response time", "seconds; what takes longer is truncated", &mut limits.max_response_seconds);
    let slow = "bytes per second over a minute; what is slower is truncated";
    whole_row_ui(ui, "Least speed", slow, &mut limits.min_response_bytes_per_second);
    let disk = "MB; with less of it the crawl pauses";
    scaled_row_ui(ui, "Free disk", disk, &mut limits.disk_floor_bytes, MEGA);
}

fn whole_row_ui(ui: &mut Ui, label: &str, note: &str, value: &mut u64) -> Response {
    scaled_row_ui(ui, label, note, value, 1)
}

/// A number shown in a larger unit, 0 as no limit; what is not touched keeps its exact value.
fn scaled_row_ui(ui: &mut Ui, label: &str, note: &str, value: &mut u64, scale: u64) -> Response {
    let mut shown = *value / scale;
    let note = if shown == 0 { format!("no limit ({note})") } else { note.to_owned() };
    let field = DragValue::new(&mut shown).range(0..=u64::MAX / scale).speed(1.0);
    let answer = FormRow::new(label).note(&note).show_ui(ui, |ui| ui.add_sized(NUMBER, field));
    if answer.field.changed() {
        *value = shown.saturating_mul(scale);
    }
    answer.field
}

/// Size of a field for a number.
const NUMBER: [f32; 2] = [theme::DATE_FIELD, theme::CONTROL];

/// Draws the settings of politeness towards servers.
pub fn politeness_ui(ui: &mut Ui, politeness: &mut Politeness) {
    let problem = match politeness.user_agent.trim() {
        "" => Some("Required: who crawls, with a contact e-mail address or URL"),
        agent if !reaches_someone(agent) => Some("No contact e-mail address or URL found"),
        _ => None,
    };
    let row = FormRow::new("User-Agent").note("sent to every server");
    let row = problem.into_iter().fold(row, |row, problem| row.remark(FieldLevel::Error, problem, ""));
    let agent = row.show_ui(ui, |ui| {
        ui.add(
            TextEdit::singleline(&mut politeness.user_agent)
                .hint_text("Fonds/0.1 (+https://your-archive.example/crawler; you@your-archive.example)")
                .desired_width(theme::LONG_FIELD),
        )
    });
    lead_here(&agent.field, "politeness.user_agent");
    FormRow::new("robots.txt").show_ui(ui, |ui| {
        let drawn = ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (policy, label, about) in ROBOTS {
                ui.radio_value(&mut politeness.robots, policy, label).on_hover_text(about);
            }
        });
        drawn.response
    });
    let factor = DragValue::new(&mut politeness.delay_factor).range(0.0..=100.0).speed(0.1);
    let delay = "times the last fetch, between requests to one host";
    let factor = FormRow::new("Delay").note(delay).show_ui(ui, |ui| ui.add_sized(NUMBER, factor));
    lead_here(&factor.field, "politeness.delay_factor");
    let least = whole_row_ui(ui, "at least", "ms", &mut politeness.min_delay_ms);
    lead_here(&least, "politeness.min_delay_ms");
    whole_row_ui(ui, "at most", "ms", &mut politeness.max_delay_ms);
    let obeyed = "seconds, as far as a Crawl-delay is obeyed";
    whole_row_ui(ui, "Crawl-delay", obeyed, &mut politeness.respect_crawl_delay_up_to_seconds);
    let workers = DragValue::new(&mut politeness.workers).range(1..=256);
    let at_once = "hosts crawled at the same time, at most";
    let workers = FormRow::new("Workers").note(at_once).show_ui(ui, |ui| ui.add_sized(NUMBER, workers));
    lead_here(&workers.field, "politeness.workers");
    let retries = DragValue::new(&mut politeness.max_retries).range(0..=100);
    FormRow::new("Retries").note("of a failed URL").show_ui(ui, |ui| ui.add_sized(NUMBER, retries));
    whole_row_ui(ui, "Retry after", "seconds", &mut politeness.retry_delay_seconds);
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
