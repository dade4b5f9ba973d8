//! The strip at the foot of the window: the running job, and the state of the workspace.

use super::access::{Region, begin_region};
use super::icons::{Icon, icon_ui};
use super::text;
use super::theme::{self, tokens};
use super::widgets::is_settled;
use crate::app::models::Loaded;
use crate::app::{AppState, Command, Route};
use crate::jobs::{Pace, Progress};
use egui::{Align, Id, Label, Layout, RichText, TextStyle, Ui, vec2};

/// The running job that is waited for, and the state of the workspace, always in one line. Says what it
/// is in the tree of who listens to it.
pub fn strip_ui(ui: &mut Ui, app: &mut AppState) -> Id {
    let colors = tokens(ui);
    let area = ui.max_rect();
    ui.painter().rect_filled(area, 0.0, colors.chrome_bg);
    ui.painter().hline(area.x_range(), area.top() + 0.5, theme::part_line(ui));
    begin_region(ui, Region::Strip, "Messages and jobs");
    let bar = ui.unique_id();
    let first = app.jobs().iter().min_by_key(|job| (job.by_itself, !job.kind.is_crawl()));
    let first = first.map(|job| (job.id, job.kind.label(), job.cx().progress(), job.pace.clone()));
    let others = app.jobs().len().saturating_sub(1);
    let info = app.session().is_some().then(|| app.reads.workspace());
    let idle = no_job(app);
    let line = area.shrink2(vec2(theme::PAGE_MARGIN, 0.0));
    let builder = egui::UiBuilder::new().id_salt("strip").max_rect(line);
    let mut line = ui.new_child(builder.layout(Layout::right_to_left(Align::Center)));
    let ui = &mut line;
    let small = TextStyle::Small.resolve(ui.style());
    ui.style_mut().override_font_id = Some(small);
    ui.spacing_mut().item_spacing.x = theme::LABEL_GAP;
    ui.spacing_mut().interact_size.y = theme::STRIP;
    if let Some(Loaded::Ready(info)) = &info {
        let folder = text::line(&info.folder.display().to_string());
        ui.weak(format!("{} free", text::bytes(info.disk_free))).on_hover_text(&folder);
        if let Some(bytes) = stored(app) {
            ui.weak(text::bytes(bytes)).on_hover_text("Archive files of all campaigns");
        }
        ui.weak(text::counted(info.captures, "capture")).on_hover_text(&folder);
    }
    if others > 0 {
        let label = format!("and {}", text::counted(others as u64, "more job"));
        if ui.link(label).on_hover_text("Go to Jobs").clicked() {
            app.send(Command::Go(Route::Jobs));
        }
    }
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        if let Some(Loaded::Ready(info)) = &info
            && let Some(why) = &info.read_only
        {
            icon_ui(ui, Icon::Warning, theme::SMALL_ICON, colors.flag);
            ui.colored_label(colors.flag, "Read only").on_hover_text(text::line(why));
        }
        match &first {
            Some((id, name, progress, pace)) => job_ui(ui, app, *id, name, progress, pace),
            None => drop(ui.weak(text::line(&idle))),
        }
    });
    bar
}

/// Bytes of the archive files of all campaigns, as far as they are read.
fn stored(app: &mut AppState) -> Option<u64> {
    let campaigns = app.reads.campaigns();
    campaigns.shown().map(|rows| rows.iter().map(|row| row.bytes).sum())
}

/// The message where no job of this window runs: a job of another window may.
pub(super) fn no_job(app: &mut AppState) -> String {
    let elsewhere = app.session().is_some().then(|| app.reads.job_elsewhere());
    match elsewhere.as_ref().and_then(|answer| answer.shown()) {
        Some(elsewhere) => elsewhere.as_ref().clone().unwrap_or_else(|| "No job running".to_owned()),
        None if app.read_only().is_some() => "A job of another window may be running".to_owned(),
        None => "No job running".to_owned(),
    }
}

/// Number of the strip among places for buttons; pages have theirs.
const STRIP: usize = usize::MAX;

fn job_ui(ui: &mut Ui, app: &mut AppState, id: u64, name: &str, progress: &Progress, pace: &Pace) {
    let colors = tokens(ui);
    let (icon, color) = match progress.paused || progress.cancelled {
        true => (Icon::Pause, colors.flag),
        false => (Icon::Good, colors.accept),
    };
    icon_ui(ui, icon, theme::SMALL_ICON, color);
    if ui.link(RichText::new(name).color(colors.text)).on_hover_text("Go to Jobs").clicked() {
        app.send(Command::Go(Route::Jobs));
    }
    // Before what changes, so that they do not move under the pointer. The strip may show another job
    // than a moment ago.
    let label = if progress.paused { "Resume" } else { "Pause" };
    let response = ui.add_enabled(!progress.cancelled, egui::Link::new(label)).on_hover_text(format!("{label} {name}"));
    if is_settled(ui, &response, ("pause", id), STRIP) && response.clicked() {
        app.send(Command::PauseJob(id, !progress.paused));
    }
    let stop = format!("Stop {name}");
    let response = ui.add_enabled(!progress.cancelled, egui::Link::new("Stop")).on_hover_text(stop);
    if is_settled(ui, &response, ("stop", id), STRIP) && response.clicked() {
        app.send(Command::CancelJob(id));
    }
    let state = if progress.cancelled {
        "Stopping…"
    } else if progress.paused {
        "Paused"
    } else {
        ""
    };
    let pace = if pace.per_second() > 0.0 { pace.summary(progress) } else { String::new() };
    let parts = [state, &text::done(progress), &pace, &text::line(&progress.stage), &text::line(progress.detail())];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    ui.add(Label::new(RichText::new(parts.join(", ")).color(colors.weak_text)).truncate());
}
