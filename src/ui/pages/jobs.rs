//! Running jobs, and one list of ended jobs and messages.

use crate::app::models::JobRow;
use crate::app::{AppState, Command, JobLine, JobState, Route, job_list, route_of_job};
use crate::ui::header::Header;
use crate::ui::shell::no_job;
use crate::ui::table::{Column, Table, Value, key_of};
use crate::ui::text;
use crate::ui::theme::{GAP, tokens};
use crate::ui::widgets::{coloured_cell_ui, heading_ui, loaded_ui, tab_of_ui, tabs_ui};
use egui::Ui;
use std::collections::HashSet;

/// Most jobs of earlier runs that are read: index runs of long crawls are among them.
const HISTORY: u64 = 5_000;

/// The filter of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum JobFilter {
    #[default]
    All,
    NeedingAttention,
    Messages,
}

/// The page Jobs.
#[derive(Default)]
pub struct JobsPage {
    shown: JobFilter,
    /// Lines whose follow-ups are shown, by their keys.
    unfolded: HashSet<u64>,
}

/// A line of the list as it is drawn.
struct Line {
    line: JobLine,
    /// It followed from the line above by itself.
    is_follow_up: bool,
    is_unfolded: bool,
}

/// An action on a line.
enum JobAction {
    Go(Route),
    Fold(u64),
}

impl JobsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let running = app.jobs().len() as u64;
        let state = if running == 0 { no_job(app) } else { format!("{} running", text::counted(running, "job")) };
        Header::<()>::new("Jobs").state(state).ui(ui, app);
        heading_ui(ui, "Running");
        running_ui(ui, app);
        heading_ui(ui, "Jobs and messages");
        if app.session().is_some() {
            let answer = app.reads.job_history(HISTORY);
            loaded_ui(ui, &answer, |ui, rows| self.list_ui(ui, app, rows));
        } else {
            self.list_ui(ui, app, &[]);
        }
    }

    fn list_ui(&mut self, ui: &mut Ui, app: &mut AppState, history: &[JobRow]) {
        let mut lines = job_list(history, app.ended().iter(), app.log().iter());
        if lines.is_empty() {
            ui.weak("No jobs and no messages yet. What commands do in this workspace is listed here, too");
            return;
        }
        let count = |test: fn(&JobLine) -> bool| text::count(lines.iter().filter(|line| test(line)).count() as u64);
        let labels = [
            (JobFilter::All, format!("All {}", count(|_| true))),
            (JobFilter::NeedingAttention, format!("Failed or with problems {}", count(JobLine::needs_attention))),
            (JobFilter::Messages, format!("Messages {}", count(|line| line.kind.is_none()))),
        ];
        tabs_ui(ui, "Lines of the list", |ui| {
            for (shown, label) in labels {
                tab_of_ui(ui, &mut self.shown, shown, label);
            }
        });
        ui.add_space(GAP / 2.0);
        let shown = self.shown;
        lines.retain(|line| match shown {
            JobFilter::All => true,
            JobFilter::NeedingAttention => line.needs_attention(),
            JobFilter::Messages => line.kind.is_none(),
        });
        let rows: Vec<Line> = lines.into_iter().flat_map(|line| self.unfold(line)).collect();
        match table().rows_ui(ui, app, &rows) {
            Some(JobAction::Go(route)) => app.send(Command::Go(route)),
            Some(JobAction::Fold(key)) if self.unfolded.remove(&key) => {}
            Some(JobAction::Fold(key)) => {
                self.unfolded.insert(key);
            }
            None => {}
        }
    }

    /// A line, and below it what followed from it where a person wants to see that.
    fn unfold(&self, mut line: JobLine) -> Vec<Line> {
        let is_unfolded = self.unfolded.contains(&key(&line));
        let follow_ups = if is_unfolded { line.follow_ups.clone() } else { Vec::new() };
        // One that failed is seen without being looked for.
        if !is_unfolded && line.follow_ups.iter().any(JobLine::needs_attention) {
            line.state = line.state.max(JobState::Warned);
        }
        let of = |line, is_follow_up| Line { line, is_follow_up, is_unfolded: is_unfolded && !is_follow_up };
        let first = of(line, false);
        std::iter::once(first).chain(follow_ups.into_iter().map(|line| of(line, true))).collect()
    }
}

fn key(line: &JobLine) -> u64 {
    key_of((&line.name, line.started, &line.outcome))
}

fn table<'a>() -> Table<'a, Line, JobAction> {
    type Col<'a> = Column<'a, Line, JobAction>;
    let page = |row: &Line| row.line.kind.map(|kind| JobAction::Go(route_of_job(kind)));
    let columns = [
        Col::date("started", "Started (UTC)", 150.0, |row| row.line.started),
        Col::made("job", "Job", 150.0, |row| match row.is_follow_up {
            true => format!("↳ {}", row.line.name),
            false => row.line.name.clone(),
        })
        .link("Go to its page", page),
        Col::value("duration", "Duration", 80.0, |row| match (row.line.ended, row.line.kind) {
            (Some(ended), _) => text::duration((ended.millis() - row.line.started.millis()) as f64 / 1000.0).into(),
            (None, None) => "".into(),
            (None, Some(_)) => Value::Unknown,
        }),
        Col::count("follow-ups", "Follow-ups", 84.0, |row| row.line.follow_ups.len() as u64)
            .about("Index runs and filled collections that followed by themselves")
            .link("Show or hide them", |row| Some(JobAction::Fold(key(&row.line)))),
        Col::text("outcome", "Outcome", 600.0, |row| &row.line.outcome).draw(|ui, row| {
            let colors = tokens(ui);
            let (sign, color) = match row.line.state {
                JobState::Message => ("", colors.text),
                JobState::Done => ("✔ ", colors.text),
                JobState::Unfinished => ("… ", colors.weak_text),
                JobState::Warned => ("⚠ ", colors.flag),
                JobState::Failed => ("✖ ", colors.reject),
            };
            let folded = if row.is_unfolded || row.line.follow_ups.iter().all(|line| !line.needs_attention()) {
                ""
            } else {
                " – a follow-up failed"
            };
            coloured_cell_ui(ui, &format!("{sign}{}{folded}", row.line.outcome), color);
        }),
    ];
    Table::new("jobs", "Jobs and messages", columns, |row: &Line| key_of((key(&row.line), row.is_follow_up)))
        .on_open(move |row| page(row))
}

fn running_ui(ui: &mut Ui, app: &mut AppState) {
    if app.jobs().is_empty() {
        let text = no_job(app);
        ui.weak(text::line(&text));
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
