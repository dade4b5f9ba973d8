//! Jobs of this window and of earlier ones, the log, settings.

use crate::app::models::{JobRow, Notice};
use crate::app::{AppState, Command, EndedJob, ThemeChoice};
use crate::ui::geo_database::GeoDatabaseCard;
use crate::ui::table::{Column, Table, Value, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{coloured_cell_ui, field_ui, heading_ui, loaded_ui, title_ui};
use crate::uri::CaptureDate;
use egui::{ScrollArea, Ui};

/// Jobs of earlier runs asked for.
const HISTORY: u64 = 200;
/// Height of one of the lists.
const LIST: f32 = 190.0;

/// The page Jobs.
#[derive(Default)]
pub struct JobsPage {
    geo: GeoDatabaseCard,
}

impl JobsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        title_ui(ui, app, "Jobs", "Running and earlier jobs, messages, and settings");
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            heading_ui(ui, "Running");
            running_ui(ui, app);
            heading_ui(ui, "Finished in this window");
            ended_ui(ui, app);
            heading_ui(ui, "Earlier jobs in this workspace");
            if app.session().is_some() {
                let answer = app.reads.job_history(HISTORY);
                loaded_ui(ui, &answer, |ui, rows| history_ui(ui, app, rows));
            } else {
                ui.weak("No workspace open");
            }
            heading_ui(ui, "Messages");
            log_ui(ui, app);
            heading_ui(ui, "Settings");
            settings_ui(ui, app);
            heading_ui(ui, "Geolocation database of this workspace");
            self.geo.ui(ui, app);
        });
    }
}

fn running_ui(ui: &mut Ui, app: &mut AppState) {
    if app.jobs().is_empty() {
        ui.weak("No job running. Start a crawl on the Crawl page, an export on Select & export");
        return;
    }
    let jobs: Vec<_> = app
        .jobs()
        .iter()
        .map(|job| (job.id, job.kind.label(), job.started, job.cx().progress(), job.pace.clone()))
        .collect();
    for (id, name, started, progress, pace) in jobs {
        ui.horizontal_wrapped(|ui| {
            ui.label(name);
            ui.weak(format!("started {} UTC", started.to_readable()));
            ui.label(text::line(&progress.stage));
            ui.label(text::done(&progress));
            ui.weak(format!("{}  {}", pace.summary(&progress), text::line(progress.detail())));
            let pause = if progress.paused { "Resume" } else { "Pause" };
            if ui.button(format!("{pause} {name}")).clicked() {
                app.send(Command::PauseJob(id, !progress.paused));
            }
            if ui.button(format!("Stop {name}")).clicked() {
                app.send(Command::CancelJob(id));
            }
        });
    }
}

fn ended_ui(ui: &mut Ui, app: &mut AppState) {
    if app.ended().is_empty() {
        ui.weak("None yet");
        return;
    }
    type Col<'a> = Column<'a, EndedJob>;
    let columns = [
        Col::text("job", "Job", 130.0, |job| job.kind.label()),
        Col::date("started", "Started (UTC)", 150.0, |job| job.started),
        Col::made("duration", "Duration", 90.0, |job| {
            text::duration((job.ended.millis() - job.started.millis()) as f64 / 1000.0)
        }),
        Col::text("outcome", "Outcome", 500.0, |job| &job.outcome).draw(|ui, job| {
            let (sign, color) = if job.failed { ("✖", tokens(ui).reject) } else { ("✔", tokens(ui).accept) };
            coloured_cell_ui(ui, &format!("{sign} {}", job.outcome), color);
        }),
    ];
    let jobs: Vec<EndedJob> = app.ended().iter().rev().cloned().collect();
    let key = |job: &EndedJob| key_of((job.kind.label(), job.started, job.ended));
    Table::new("ended jobs", "Finished in this window", columns, key).height(LIST).rows_ui(ui, app, &jobs);
}

fn history_ui(ui: &mut Ui, app: &mut AppState, rows: &[JobRow]) {
    if rows.is_empty() {
        ui.weak("No finished jobs yet. What commands do is listed here, too");
        return;
    }
    type Col<'a> = Column<'a, JobRow>;
    let columns = [
        Col::text("job", "Job", 260.0, |row| &row.name),
        Col::date("started", "Started (UTC)", 150.0, |row| row.started),
        Col::value("ended", "Ended (UTC)", 150.0, |row| row.ended.map_or("not finished".into(), Value::Date)),
        Col::text("outcome", "Outcome", 400.0, |row| &row.outcome),
    ];
    let key = |row: &JobRow| key_of((&row.name, row.started));
    Table::new("earlier jobs", "Earlier jobs", columns, key).height(LIST).rows_ui(ui, app, rows);
}

fn log_ui(ui: &mut Ui, app: &mut AppState) {
    if app.log().is_empty() {
        ui.weak("No messages yet");
        return;
    }
    type Row = (CaptureDate, Notice);
    type Col<'a> = Column<'a, Row>;
    let columns = [
        Col::date("when", "When (UTC)", 150.0, |(date, _)| *date),
        Col::made("message", "Message", 600.0, |(_, notice)| message(notice)).draw(|ui, (_, notice)| {
            let color = if notice.is_error { tokens(ui).reject } else { tokens(ui).text };
            let sign = if notice.is_error { "⚠ " } else { "" };
            coloured_cell_ui(ui, &format!("{sign}{}", message(notice)), color);
        }),
    ];
    let log: Vec<Row> = app.log().iter().rev().cloned().collect();
    let key = |(date, notice): &Row| key_of((date, &notice.what));
    Table::new("messages", "Messages", columns, key).height(LIST).rows_ui(ui, app, &log);
}

fn message(notice: &Notice) -> String {
    let parts = [&notice.what, &notice.why, &notice.hint].map(String::as_str);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" – ")
}

fn settings_ui(ui: &mut Ui, app: &mut AppState) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Theme");
        for (choice, word) in
            [(ThemeChoice::System, "System"), (ThemeChoice::Light, "Light"), (ThemeChoice::Dark, "Dark")]
        {
            ui.selectable_value(&mut app.settings.theme, choice, word);
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("Interface scale");
        for zoom in [0.8, 0.9, 1.0, 1.1, 1.25, 1.5] {
            ui.selectable_value(&mut app.settings.zoom, zoom, format!("{:.0} %", zoom * 100.0));
        }
    });
    ui.horizontal(|ui| {
        field_ui(ui, "Your name", &mut app.settings.name, "empty: the system's user name", theme::FIELD)
            .on_hover_text("Recorded with your decisions and notes, and exported with them");
    });
    ui.checkbox(&mut app.settings.roomy_rows, "Comfortable rows in the captures table");
    ui.checkbox(&mut app.settings.lower_panel, "Show the lower panel");
    ui.checkbox(&mut app.settings.follow_index, "Index texts automatically during imports and crawls").on_hover_text(
        "Search finds new captures, and anchors of new inlinks, without “Index texts”. One thread does it",
    );
    ui.add_space(GAP);
    ui.scope(|ui| {
        theme::keep_reading_width(ui);
        ui.weak("Characters missing from the built-in fonts use a system font where available");
    });
}
