//! Jobs of this window and of earlier ones, the log, settings.

use crate::app::models::JobRow;
use crate::app::{AppState, Command, ThemeChoice};
use crate::ui::geo_database::GeoDatabaseCard;
use crate::ui::table::OldTable;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{coloured_cell_ui, field_ui, heading_ui, loaded_ui, title_ui};
use crate::ui::words;
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
        title_ui(ui, "Jobs", "Running and earlier jobs, messages, and settings");
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            heading_ui(ui, "Running");
            running_ui(ui, app);
            heading_ui(ui, "Finished in this window");
            ended_ui(ui, app);
            heading_ui(ui, "Earlier jobs in this workspace");
            if app.desk().is_some() {
                let answer = app.reads.job_history(HISTORY);
                loaded_ui(ui, &answer, |ui, rows| history_ui(ui, rows));
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
    if app.jobs.is_empty() {
        ui.weak("No job running. Start a crawl on the Crawl page, an export on Select & export");
        return;
    }
    let jobs: Vec<_> =
        app.jobs.iter().map(|job| (job.id, job.kind.label(), job.started, job.cx().progress(), job.rate)).collect();
    for (id, name, started, progress, rate) in jobs {
        ui.horizontal_wrapped(|ui| {
            ui.label(name);
            ui.weak(format!("started {} UTC", started.to_words()));
            ui.label(words::line(&progress.stage));
            ui.label(words::done(&progress));
            ui.weak(format!("{}  {}", words::rate(&progress, rate), words::line(progress.detail())));
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

fn ended_ui(ui: &mut Ui, app: &AppState) {
    if app.ended.is_empty() {
        ui.weak("None yet");
        return;
    }
    const COLUMNS: [(&str, f32); 4] =
        [("Job", 130.0), ("Started (UTC)", 150.0), ("Duration", 90.0), ("Outcome", 500.0)];
    let jobs: Vec<_> = app.ended.iter().rev().collect();
    OldTable::new("ended", &COLUMNS, jobs.len()).height(LIST).show_ui(
        ui,
        |cells, index| {
            let job = jobs[index];
            cells.text(job.kind.label());
            cells.text(&job.started.to_words());
            cells.text(&words::duration((job.ended.millis() - job.started.millis()) as f64 / 1000.0));
            cells.ui(|ui| {
                let (sign, color) = if job.failed { ("✖", tokens(ui).reject) } else { ("✔", tokens(ui).accept) };
                coloured_cell_ui(ui, &format!("{sign} {}", job.outcome), color);
            });
        },
        |_, _| {},
    );
}

fn history_ui(ui: &mut Ui, rows: &[JobRow]) {
    if rows.is_empty() {
        ui.weak("No finished jobs yet. What commands do is listed here, too");
        return;
    }
    const COLUMNS: [(&str, f32); 4] =
        [("Job", 260.0), ("Started (UTC)", 150.0), ("Ended (UTC)", 150.0), ("Outcome", 400.0)];
    OldTable::new("history", &COLUMNS, rows.len()).height(LIST).show_ui(
        ui,
        |cells, index| {
            let row = &rows[index];
            cells.text(&row.name);
            cells.text(&row.started.to_words());
            cells.text(&row.ended.map_or_else(|| "not finished".to_owned(), |date| date.to_words()));
            cells.text(&row.outcome);
        },
        |_, _| {},
    );
}

fn log_ui(ui: &mut Ui, app: &AppState) {
    if app.log.is_empty() {
        ui.weak("No messages yet");
        return;
    }
    const COLUMNS: [(&str, f32); 2] = [("When (UTC)", 150.0), ("Message", 600.0)];
    let log: Vec<_> = app.log.iter().rev().collect();
    OldTable::new("log", &COLUMNS, log.len()).height(LIST).show_ui(
        ui,
        |cells, index| {
            let (date, notice) = log[index];
            cells.text(&date.to_words());
            let parts: Vec<&str> = [&notice.what, &notice.why, &notice.hint]
                .into_iter()
                .map(String::as_str)
                .filter(|part| !part.is_empty())
                .collect();
            cells.ui(|ui| {
                let color = if notice.is_error { tokens(ui).reject } else { tokens(ui).text };
                let sign = if notice.is_error { "⚠ " } else { "" };
                coloured_cell_ui(ui, &format!("{sign}{}", parts.join(" – ")), color);
            });
        },
        |_, _| {},
    );
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
    ui.add_space(GAP);
    ui.scope(|ui| {
        ui.set_max_width(theme::READING_WIDTH);
        ui.weak("Characters missing from the built-in fonts use a system font where available");
    });
}
