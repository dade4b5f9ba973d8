//! Rail, top bar, job strip.

use super::access::{Region, begin_bar, begin_region};
use super::text;
use super::theme::{self, GAP, tokens};
use super::widgets::{action_named_ui, is_settled, name_sign};
use crate::app::models::{Loaded, SearchQuery, WorkspaceInfo};
use crate::app::{Action, AppState, CampaignAct, Command, JobKind, PAGES, Route, resolve};
use crate::jobs::{Pace, Progress};
use crate::query::{TextTest, parse_fields};
use egui::accesskit::Role;
use egui::{Align, Button, Layout, ProgressBar, RichText, TextEdit, Ui, Vec2};

/// State of the top bar between frames.
#[derive(Default)]
pub struct Shell {
    search: String,
}

/// Rows of the rail with room between them: pages, title, and what is below.
const RAIL_PARTS: f32 = 18.0;

/// Draws the pages with their labels and keys; in a narrow window their icons alone.
pub fn rail_ui(ui: &mut Ui, app: &mut AppState) {
    let frame = theme::chrome_frame(ui);
    let is_narrow = ui.available_width() < theme::NARROW_WINDOW;
    let width = if is_narrow { theme::RAIL_NARROW } else { theme::RAIL_WIDTH };
    egui::Panel::left("rail").exact_size(width).resizable(false).frame(frame).show(ui, |ui| {
        begin_region(ui, Region::Rail, "Pages");
        let row = (ui.available_height() / RAIL_PARTS).clamp(theme::ROW, theme::RAIL_ROW);
        if !is_narrow {
            ui.add_space(GAP / 2.0);
            ui.label(RichText::new("Fonds").heading().color(tokens(ui).strong_text));
            ui.add_space(GAP);
        }
        for (number, (icon, label)) in PAGES.iter().enumerate() {
            let action = Action::GoTo(number as u8);
            let here = app.route().page() == number;
            let text = RichText::new(if is_narrow { (*icon).to_owned() } else { format!("{icon}  {label}") });
            let text = if here { text.color(tokens(ui).strong_text) } else { text };
            let button = Button::selectable(here, text).min_size(Vec2::new(ui.available_width(), row));
            let response = ui.add(button).on_hover_text(format!("{} ({})", action.label(), action.keys()));
            response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, here, *label));
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_selected(here));
            if response.clicked()
                && let Ok(command) = resolve(action, app)
            {
                app.send(command);
            }
        }
        ui.with_layout(Layout::bottom_up(Align::Min), |ui| {
            for (action, icon, label) in
                [(Action::Keys, "?", "Keys"), (Action::Palette, "☰", "Commands"), (Action::Back, "←", "Back")]
            {
                let text = if is_narrow { icon.to_owned() } else { format!("{icon} {label}") };
                let response = action_named_ui(ui, app, action, &text);
                if is_narrow {
                    name_sign(&response, label);
                }
            }
        });
    });
}

impl Shell {
    /// Campaign, version, search, window, theme.
    pub fn top_bar_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let frame = theme::chrome_frame(ui);
        egui::Panel::top("top bar").frame(frame).show(ui, |ui| {
            begin_bar(ui, Role::Banner, "Campaign and window");
            ui.horizontal(|ui| {
                if app.session().is_none() {
                    ui.weak(match app.opening() {
                        Some(folder) => format!("Opening {}…", folder.display()),
                        None => "No workspace open".to_owned(),
                    });
                } else {
                    campaign_chooser_ui(ui, app);
                    version_ui(ui, app);
                    self.search_ui(ui, app);
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    action_named_ui(ui, app, Action::Settings, "Settings…");
                    // A narrow window has no room for the theme, which is in the settings too.
                    if ui.ctx().content_rect().width() >= theme::NARROW_WINDOW {
                        let label = if ui.visuals().dark_mode { "☀ Light" } else { "🌙 Dark" };
                        action_named_ui(ui, app, Action::ToggleTheme, label);
                    }
                    let days = text::counted(u64::from(app.settings.window_days), "day");
                    action_named_ui(ui, app, Action::SetWindow, &format!("± {days}"))
                        .on_hover_text("Inlink window: links captured within this many days count");
                    if let Some(Loaded::Ready(info)) = app.session().is_some().then(|| app.reads.workspace()) {
                        counted_window_ui(ui, app, &info);
                        if let Some(why) = &info.read_only {
                            ui.colored_label(tokens(ui).flag, "⚠ read only").on_hover_text(text::line(why));
                        }
                    }
                });
            });
        });
    }

    fn search_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let response =
            ui.add(TextEdit::singleline(&mut self.search).hint_text("Search captures").desired_width(theme::FIELD));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Search captures"));
        let response =
            response.on_hover_text("Words are looked for in all texts, fields and URLs in the table of captures");
        if response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
            // The page shows it in a field of its own.
            let text = std::mem::take(&mut self.search).trim().to_owned();
            app.send(Command::Go(match is_text_query(&text) {
                true => Route::Search(SearchQuery { text, ..SearchQuery::default() }),
                false => Route::Captures { filter: text },
            }));
        }
    }
}

/// Whether a line searches texts, or cannot be read, which the page Search
/// explains; fields and pasted URLs alone are a filter of captures.
fn is_text_query(line: &str) -> bool {
    let Ok(query) = parse_fields(line) else { return true };
    let mut has_text = false;
    query.for_each_term(&mut |term| {
        has_text |= term.field.is_none() && !matches!(term.test, TextTest::Url(_) | TextTest::Any);
    });
    has_text
}

/// Says where the columns of tables count another window than the one that is
/// shown, and recounts when clicked.
fn counted_window_ui(ui: &mut Ui, app: &mut AppState, info: &WorkspaceInfo) {
    let window_days = app.settings.window_days;
    let Some(counted) = info.counted_window_days.filter(|counted| *counted != window_days) else { return };
    let label = format!("columns: ± {}", text::counted(u64::from(counted), "day"));
    if info.read_only.is_some() {
        ui.weak(label).on_hover_text("The inlink columns can only be recounted where the workspace is writable");
    } else if app.runs(JobKind::SetWindow) {
        ui.weak(label).on_hover_text("The inlink columns are being recounted");
    } else if ui.button(label).on_hover_text("Recount the inlink columns with the window shown beside").clicked() {
        app.send(Command::SetWindow(window_days));
    }
}

/// The label of the chooser of campaigns where there is no current one.
const EVERY_CAPTURE: &str = "All captures";

fn campaign_chooser_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.campaigns();
    let Some(rows) = answer.shown() else { return };
    if rows.is_empty() {
        ui.weak("No campaign yet");
        return;
    }
    let name = rows
        .iter()
        .find(|row| Some(row.id) == app.campaign())
        .map_or_else(|| EVERY_CAPTURE.to_owned(), |row| text::short(&row.title(), 40));
    let chooser = egui::ComboBox::from_id_salt("current campaign").selected_text(name).width(theme::FIELD);
    let inner = chooser.show_ui(ui, |ui| {
        for row in rows.iter() {
            if ui.selectable_label(Some(row.id) == app.campaign(), text::short(&row.title(), 60)).clicked() {
                app.send(Command::ChooseCampaign(row.id));
            }
        }
        ui.separator();
        let every = ui.selectable_label(app.shows_every_campaign(), EVERY_CAPTURE);
        if every.on_hover_text("Of every campaign, and of none").clicked() {
            app.send(Command::Campaigns(CampaignAct::ShowEveryCapture));
        }
    });
    inner.response.on_hover_text("Current campaign");
}

fn version_ui(ui: &mut Ui, app: &mut AppState) {
    let saved = app
        .campaign()
        .and_then(|id| app.reads.campaigns().shown().and_then(|rows| rows.iter().find(|row| row.id == id).cloned()))
        .map(|row| row.version);
    let edited = app.open.spec.as_ref().is_some_and(|spec| spec.shows_edits());
    let text = match (saved, edited) {
        (_, true) => "unsaved edits".to_owned(),
        (Some(version), false) => format!("v{version}"),
        (None, false) => return,
    };
    let text = RichText::new(text);
    let text = if edited { text.color(tokens(ui).flag) } else { text };
    if ui.link(text).on_hover_text("Go to the specification of this campaign").clicked() {
        let route = Route::Spec(if edited { app.open.spec.as_ref().and_then(|spec| spec.id) } else { app.campaign() });
        app.send(Command::Go(route));
    }
}

/// The running job that is waited for, and the state of the workspace, always in one line. Says how
/// high it is, and what it is in the tree of who listens to it.
pub fn job_strip_ui(ui: &mut Ui, app: &mut AppState) -> (f32, egui::Id) {
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    ui.painter().hline(ui.max_rect().x_range(), ui.max_rect().top(), line);
    let drawn = theme::chrome_frame(ui).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        begin_region(ui, Region::Strip, "Messages and jobs");
        let bar = ui.unique_id();
        let first = app.jobs().iter().min_by_key(|job| (job.by_itself, !job.kind.is_crawl()));
        let first = first.map(|job| (job.id, job.kind.label(), job.cx().progress(), job.pace.clone()));
        let others = app.jobs().len().saturating_sub(1);
        let info = app.session().is_some().then(|| app.reads.workspace());
        let idle = no_job(app);
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let Some(Loaded::Ready(info)) = &info {
                    ui.weak(format!("{} free", text::bytes(info.disk_free)));
                    ui.weak(text::counted(info.captures, "capture"));
                }
                if others > 0 {
                    let label = format!("and {}", text::counted(others as u64, "more job"));
                    if ui.link(label).on_hover_text("Go to Jobs").clicked() {
                        app.send(Command::Go(Route::Jobs));
                    }
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| match (&first, &info) {
                    (Some((id, name, progress, pace)), _) => job_ui(ui, app, *id, name, progress, pace),
                    (None, Some(Loaded::Ready(info))) => {
                        ui.weak(text::line(&idle));
                        let folder = text::line(&info.folder.display().to_string());
                        ui.add(egui::Label::new(RichText::new(folder).color(tokens(ui).weak_text)).truncate());
                    }
                    (None, _) => drop(ui.weak(text::line(&idle))),
                });
            });
        });
        bar
    });
    (drawn.response.rect.height(), drawn.inner)
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
    if ui.link(name).on_hover_text("Go to Jobs").clicked() {
        app.send(Command::Go(Route::Jobs));
    }
    let done = text::done(progress);
    let bar = ProgressBar::new(match progress.total {
        Some(total) if total > 0 => (progress.done as f32 / total as f32).clamp(0.0, 1.0),
        _ => 0.0,
    });
    let is_narrow = ui.ctx().content_rect().width() < theme::NARROW_WINDOW;
    ui.add(bar.desired_width(if is_narrow { theme::BAR / 2.0 } else { theme::BAR }).text(done));
    let (pause, stop) = (format!("Pause {name}"), format!("Stop {name}"));
    // The strip may show another job than a moment ago.
    let response = match progress.paused {
        true => ui.button("▶ Resume"),
        false => ui.add_enabled(!progress.cancelled, Button::new("⏸ Pause")).on_hover_text(pause),
    };
    if is_settled(ui, &response, ("pause", id), STRIP) && response.clicked() {
        app.send(Command::PauseJob(id, !progress.paused));
    }
    let response = ui.add_enabled(!progress.cancelled, Button::new("⏹ Stop")).on_hover_text(stop);
    if is_settled(ui, &response, ("stop", id), STRIP) && response.clicked() {
        app.send(Command::CancelJob(id));
    }
    // Behind the buttons, which must not move under the pointer.
    if pace.per_second() > 0.0 {
        ui.label(pace.summary(progress));
    }
    let state = if progress.cancelled {
        "Stopping…"
    } else if progress.paused {
        "Paused"
    } else {
        ""
    };
    ui.label(state);
    let stage = format!("{}  {}", text::line(&progress.stage), text::line(progress.detail()));
    ui.add(egui::Label::new(RichText::new(stage).color(tokens(ui).weak_text)).truncate());
}
