//! Jobs: those that run, then those that failed, then the others; one row a job.

use crate::app::models::JobRow;
use crate::app::{AppState, Command, JobLine, JobState, Route, command_line, job_list, route_of_job};
use crate::ui::header::Header;
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::shell::no_job;
use crate::ui::table::{Column, RowIcon, Table, Value, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{heading_ui, loaded_ui, tick_chip_ui};
use crate::uri::CaptureDate;
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui};
use std::collections::HashSet;

/// Most jobs of earlier runs that are read: index runs of long crawls are among them.
const HISTORY: u64 = 5_000;
/// Days after which a job that did not fail is folded away.
const RECENT_DAYS: i64 = 7;
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Height of the log below the table.
const LOG: f32 = 150.0;

/// The page Jobs.
#[derive(Default)]
pub struct JobsPage {
    shows_messages: bool,
    shows_old: bool,
    /// Lines whose follow-ups are shown, by their keys.
    unfolded: HashSet<u64>,
    /// The job whose log is shown.
    log: Option<u64>,
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
    Log(u64),
    Copy(String),
}

impl JobsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let running = app.jobs().len() as u64;
        let state = if running == 0 { no_job(app) } else { format!("{} running", text::counted(running, "job")) };
        Header::<()>::new("Jobs").state(state).ui(ui, app);
        running_ui(ui, app);
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
        let recent = CaptureDate::now().millis() - RECENT_DAYS * DAY_MS;
        let is_message = |line: &JobLine| line.kind.is_none() && !line.needs_attention();
        let is_old = |line: &JobLine| line.started.millis() < recent && !line.needs_attention();
        let count = |test: &dyn Fn(&JobLine) -> bool| lines.iter().filter(|line| test(line)).count() as u64;
        let (messages, old) = (count(&is_message), count(&|line| !is_message(line) && is_old(line)));
        if messages + old > 0 {
            ui.horizontal(|ui| {
                ui.label(RichText::new("Also show").size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
                for (number, label, shown) in
                    [(messages, "messages", &mut self.shows_messages), (old, "older than 7 days", &mut self.shows_old)]
                {
                    let label = format!("{label} {}", text::count(number));
                    if number > 0 && tick_chip_ui(ui, *shown, &label) {
                        *shown = !*shown;
                    }
                }
            });
            ui.add_space(theme::TIGHT_GAP);
        }
        let (shows_messages, shows_old) = (self.shows_messages, self.shows_old);
        lines.retain(|line| (shows_messages || !is_message(line)) && (shows_old || !is_old(line)));
        // Those that failed come first, each part newest first.
        lines.sort_by_key(|line| !line.needs_attention());
        let logged = self.log.and_then(|of| lines.iter().find(|line| key(line) == of).cloned());
        let rows: Vec<Line> = lines.into_iter().flat_map(|line| self.unfold(line)).collect();
        let room = if logged.is_some() { LOG + GAP } else { 0.0 };
        let height = (ui.available_height() - room).max(theme::HEAD_ROW + theme::ROWS_LEAST as f32 * theme::ROW);
        match table(app).height(height).rows_ui(ui, app, &rows) {
            Some(JobAction::Go(route)) => app.send(Command::Go(route)),
            Some(JobAction::Log(key)) => self.log = if self.log == Some(key) { None } else { Some(key) },
            Some(JobAction::Copy(command)) => ui.ctx().copy_text(command),
            Some(JobAction::Fold(key)) if self.unfolded.remove(&key) => {}
            Some(JobAction::Fold(key)) => {
                self.unfolded.insert(key);
            }
            None => {}
        }
        if let Some(line) = logged {
            self.log_ui(ui, app, &line);
        }
    }

    /// Draws all that is known of a job: its outcome, what followed from it, messages that came meanwhile.
    fn log_ui(&mut self, ui: &mut Ui, app: &AppState, line: &JobLine) {
        ui.add_space(GAP / 2.0);
        ui.horizontal(|ui| {
            heading_ui(ui, &format!("Log of {}, {} UTC", line.name, line.started.to_readable()));
            if ui.link("Close").clicked() {
                self.log = None;
            }
        });
        ScrollArea::vertical().id_salt("log").auto_shrink([false, false]).show(ui, |ui| {
            ui.add(Label::new(text::line(&line.outcome)).wrap());
            for further in &line.follow_ups {
                let about = format!("{} {}: {}", further.started.to_readable(), further.name, further.outcome);
                ui.add(Label::new(RichText::new(text::line(&about)).color(tokens(ui).weak_text)).wrap());
            }
            let until = line.ended.map_or(i64::MAX, CaptureDate::millis);
            let meanwhile = |(date, _): &&(CaptureDate, _)| (line.started.millis()..=until).contains(&date.millis());
            for (date, notice) in app.log().iter().filter(meanwhile) {
                let about = format!("{} {}", date.to_readable(), notice.line());
                ui.add(Label::new(RichText::new(text::line(&about)).color(tokens(ui).weak_text)).wrap());
            }
        });
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

/// The state of a job in a word.
fn state_label(row: &Line) -> &'static str {
    match row.line.state {
        JobState::Message => "message",
        JobState::Done => "finished",
        JobState::Unfinished => "not finished",
        JobState::Warned => "with problems",
        JobState::Failed => "failed",
    }
}

fn state_cell(ui: &mut Ui, row: &Line) {
    let colors = tokens(ui);
    let (icon, color) = match row.line.state {
        JobState::Message => (Icon::Waiting, colors.weak_text),
        JobState::Done => (Icon::Check, colors.accept),
        JobState::Unfinished => (Icon::Clock, colors.weak_text),
        JobState::Warned => (Icon::Warning, colors.flag),
        JobState::Failed => (Icon::Error, colors.reject),
    };
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        icon_ui(ui, icon, theme::SMALL_ICON, color);
        ui.add(Label::new(RichText::new(state_label(row)).color(color)).truncate().selectable(false));
    });
}

fn table<'a>(app: &AppState) -> Table<'a, Line, JobAction> {
    type Col<'a> = Column<'a, Line, JobAction>;
    let page = |row: &Line| row.line.kind.map(|kind| JobAction::Go(route_of_job(kind)));
    let columns = [
        Col::made("job", "Job", 170.0, |row| match row.is_follow_up {
            true => format!("↳ {}", row.line.name),
            false => row.line.name.clone(),
        })
        .link("Go to its page", page),
        Col::text("state", "State", 110.0, state_label).draw(state_cell),
        Col::made("outcome", "Outcome", 480.0, |row| {
            let has_failed = row.line.follow_ups.iter().any(JobLine::needs_attention);
            let folded = if row.is_unfolded || !has_failed { "" } else { " – a follow-up failed" };
            format!("{}{folded}", row.line.outcome)
        }),
        Col::count("follow-ups", "Follow-ups", 84.0, |row| row.line.follow_ups.len() as u64)
            .about("Index runs and filled collections that followed by themselves")
            .link("Show or hide them", |row| Some(JobAction::Fold(key(&row.line)))),
        Col::value("duration", "Duration", 80.0, |row| match (row.line.ended, row.line.kind) {
            (Some(ended), _) => text::duration((ended.millis() - row.line.started.millis()) as f64 / 1000.0).into(),
            (None, None) => "".into(),
            (None, Some(_)) => Value::Unknown,
        })
        .numeric(),
        Col::date("started", "Started (UTC)", 140.0, |row| row.line.started),
    ];
    let folder = app.session().map(|session| session.workspace.folder().to_owned());
    let campaign = app.campaign();
    let command = move |row: &Line| command_line(row.line.kind?, folder.as_deref()?, campaign);
    let (copied, of_icon) = (command.clone(), command.clone());
    Table::new("jobs", "Jobs and messages", columns, |row: &Line| key_of((key(&row.line), row.is_follow_up)))
        .on_open(|row| Some(JobAction::Log(key(&row.line))))
        .row_icon(RowIcon::new(Icon::Spec, "Show or hide its log", |row: &Line| Some(JobAction::Log(key(&row.line)))))
        .row_icon(RowIcon::new(Icon::Copy, "Copy the command that does this", move |row: &Line| {
            of_icon(row).map(JobAction::Copy)
        }))
        .menu(move |ui, row| {
            if ui.button("Show or hide its log").clicked() {
                return Some(JobAction::Log(key(&row.line)));
            }
            let line = copied(row);
            let response = ui.add_enabled(line.is_some(), egui::Button::new("Copy command"));
            let response = response.on_disabled_hover_text("No command does this");
            if let Some(line) = line.filter(|_| response.clicked()) {
                ui.ctx().copy_text(line);
                ui.close();
            }
            None
        })
        .with_rows(crate::ui::table::RowsAction::new(
            |_| "Copy commands of these".to_owned(),
            move |ctx, rows: &[&Line]| {
                let lines: Vec<String> = rows.iter().filter_map(|row| command(row)).collect();
                ctx.copy_text(lines.join("\n"));
                None
            },
        ))
}

/// Draws the jobs that run, a row each.
fn running_ui(ui: &mut Ui, app: &mut AppState) {
    let jobs: Vec<_> = app
        .jobs()
        .iter()
        .map(|job| (job.id, job.kind.label(), job.started, job.cx().progress(), job.pace.clone()))
        .collect();
    for (id, name, started, progress, pace) in jobs {
        let colors = tokens(ui);
        ui.horizontal(|ui| {
            ui.set_min_height(theme::ROOMY_ROW);
            let (icon, color) = if progress.paused { (Icon::Pause, colors.flag) } else { (Icon::Good, colors.accept) };
            icon_ui(ui, icon, theme::SMALL_ICON, color);
            ui.label(theme::strong(name, theme::BODY_TEXT).color(colors.strong_text));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.button(format!("Stop {name}")).clicked() {
                    app.send(Command::CancelJob(id));
                }
                let pause = if progress.paused { "Resume" } else { "Pause" };
                if ui.button(format!("{pause} {name}")).clicked() {
                    app.send(Command::PauseJob(id, !progress.paused));
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let parts = [
                        text::line(&progress.stage),
                        text::done(&progress),
                        pace.summary(&progress),
                        text::line(progress.detail()),
                        format!("started {} UTC", started.to_readable()),
                    ];
                    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                    ui.add(Label::new(RichText::new(parts.join(", ")).color(colors.weak_text)).truncate());
                });
            });
        });
    }
}
