//! The page of the current campaign: what it has, how it was crawled, what waits for a person.

mod gaps;
mod matrix;

use crate::app::models::{
    CampaignId, CampaignRow, CrawlPage, FirstStep, FirstSteps, LaunchRow, LaunchState, Loaded, MatrixBy, Overview,
    RowList, Urgency,
};
use crate::app::{Action, AppState, Command, CrawlTarget, NextStep, Route, ToDo};
use crate::jobs::noun;
use crate::ui::access::{mark_heading, name_node};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::icons::{Icon, icon_button_ui, icon_ui};
use crate::ui::text;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{
    action_ui, empty_ui, framed_plot, in_plot_style, is_settled, loaded_ui, no_plot_ui, plot_head_ui, write_ui,
};
use crate::uri::CaptureDate;
use egui::accesskit::Role;
use egui::{
    Align, Align2, Color32, FontId, Label, Layout, Painter, Pos2, Rect, RichText, ScrollArea, Sense, Shape, Stroke, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_plot::{Bar, BarChart};
use std::sync::Arc;

/// Launches that are drawn, the last ones.
const LAUNCHES: usize = 24;
/// Height of the line of launches.
const LINE: f32 = 76.0;
/// Height of the line above its axis.
const ABOVE: f32 = 38.0;
/// Largest and least radius of a launch.
const RADIUS: (f32, f32) = (4.0, 16.0);
/// Launches of the table below the line, the last ones.
const LISTED: usize = 3;
/// Width of the left part of the page from which the plots of change have room in it.
const PLOTS_FROM: f32 = 1100.0;
/// Least width of a figure.
const FIGURE: f32 = 110.0;

/// The page Overview.
#[derive(Default)]
pub struct OverviewPage {
    by: MatrixBy,
}

impl OverviewPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let answer = app.reads.campaigns();
        let row = answer.shown().and_then(|rows| rows.iter().find(|row| Some(row.id) == app.campaign()).cloned());
        let Some(row) = row else {
            Header::<()>::new("Overview").ui(ui, app);
            loaded_ui(ui, &answer, |ui, _| {
                empty_ui(
                    ui,
                    "No campaign selected",
                    "The overview is of one campaign: select one at the left, or begin one",
                );
                action_ui(ui, app, Action::NewCampaign);
            });
            return;
        };
        let crawls = app.reads.all_launches(row.id);
        let launches = app.reads.launches(row.id);
        let overview = app.reads.overview(row.id).shown().filter(|of| of.campaign == row.id).cloned();
        let page = crawls.shown().cloned();
        header_ui(ui, app, &row, launches.shown().map(|rows| rows.last()));
        let to_do = app.to_do(&row);
        let is_read = app.reads.waiting(row.id).shown().is_some_and(|of| of.0 == row.id);
        let steps = app.reads.first_steps(row.id).shown().map(|steps| **steps);
        let steps = steps.filter(|steps| app.settings.first_steps && !steps.is_finished());
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            figures_ui(ui, app, &row, page.as_deref(), overview.as_deref());
            loaded_ui(ui, &crawls, |ui, page| shares_ui(ui, app, page));
            ui.add_space(theme::GAP);
            let side = |ui: &mut Ui, app: &mut AppState| {
                to_do_ui(ui, app, &to_do, is_read);
                if let Some(overview) = &overview {
                    ui.add_space(theme::GROUP_GAP);
                    gaps::gaps_ui(ui, app, overview);
                }
            };
            let has_columns = ui.available_width() >= 2.0 * theme::SIDE_LIST + theme::PART_GAP;
            if !has_columns {
                self.main_ui(ui, app, &row, (steps.as_ref(), &launches));
                ui.add_space(theme::GROUP_GAP);
                side(ui, app);
                return;
            }
            let area = ui.available_rect_before_wrap();
            let (left, right) = area.split_left_right_at_x(area.right() - theme::SIDE_LIST);
            let left = left.with_max_x(left.right() - theme::PART_GAP);
            // A very wide window has room for what changed from launch to launch.
            let (left, middle) = match left.width() >= PLOTS_FROM {
                true => {
                    let (left, middle) = left.split_left_right_at_x(left.right() - theme::LONG_FIELD);
                    (left.with_max_x(left.right() - theme::PART_GAP), Some(middle))
                }
                false => (left, None),
            };
            let mut column = ui.new_child(UiBuilder::new().id_salt("launches").max_rect(left));
            self.main_ui(&mut column, app, &row, (steps.as_ref(), &launches));
            let mut bottom = column.min_rect().bottom();
            if let Some(middle) = middle {
                let mut column = ui.new_child(UiBuilder::new().id_salt("change").max_rect(middle));
                loaded_ui(&mut column, &launches, |ui, rows| change_plots_ui(ui, rows));
                bottom = bottom.max(column.min_rect().bottom());
            }
            let mut column = ui.new_child(UiBuilder::new().id_salt("to do").max_rect(right));
            side(&mut column, app);
            let bottom = bottom.max(column.min_rect().bottom());
            ui.advance_cursor_after_rect(area.with_max_y(bottom));
        });
    }

    /// The first steps, the launches and the matrix, one below the other.
    fn main_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        row: &CampaignRow,
        (steps, launches): (Option<&FirstSteps>, &Loaded<Arc<Vec<LaunchRow>>>),
    ) {
        if let Some(steps) = steps {
            ui.scope(|ui| first_steps_ui(ui, app, row.id, steps));
            ui.add_space(theme::GROUP_GAP);
        }
        loaded_ui(ui, launches, |ui, rows| {
            ui.scope(|ui| launches_ui(ui, app, rows));
        });
        // The first steps say what comes before there is anything to count.
        if row.captures > 0 {
            ui.add_space(theme::GROUP_GAP);
            matrix::matrix_ui(ui, app, row.id, &mut self.by);
        }
    }
}

/// `last` is the last launch, once the launches are read.
fn header_ui(ui: &mut Ui, app: &mut AppState, row: &CampaignRow, last: Option<Option<&LaunchRow>>) {
    let colors = tokens(ui);
    let mut header = Header::<bool>::new("Overview");
    header = match (app.crawl_job(), last) {
        (Some(job), _) if job.cx().is_paused() => header.mark(Icon::Pause, colors.flag).state("Crawl paused"),
        (Some(job), _) => {
            let progress = job.cx().progress();
            let pace = job.pace.summary(&progress);
            header.mark(Icon::Good, colors.accept).state("Crawling").detail(pace)
        }
        (None, Some(Some(last))) => {
            let when = text::day(last.ended.unwrap_or(last.started));
            let (icon, color) = sign_of(last, colors);
            header.mark(icon, color).state(format!("Last launch {when}")).detail(last.label())
        }
        (None, Some(None)) => header.state("Not crawled yet"),
        (None, None) => header,
    };
    if let Some(next) = &row.next_run {
        header = header.detail(format!("next run {next}"));
    }
    let next = app.next_step(row, last.flatten());
    let is_crawl = matches!(next, NextStep::Do(Action::StartCrawl, _) | NextStep::Go(Route::Crawl, ..));
    header = match next {
        NextStep::Do(action, label) => header.primary(HeaderButton::named(action, label)),
        NextStep::Go(route, label, count) => {
            let label = count.map_or(label.to_owned(), |count| format!("{label} {}", text::count(count)));
            header.primary(HeaderButton::send(label, Command::Go(route)).hint("The next step of the work"))
        }
    };
    let crawl = match app.crawl_job().is_some() {
        true => HeaderButton::send("Open crawl", Command::Go(Route::Crawl)).hint("Goes to the running crawl"),
        false => HeaderButton::named(Action::StartCrawl, "Start crawl…"),
    };
    if !is_crawl {
        header = header.plain(crawl);
    }
    let spec = Command::Go(Route::Spec(Some(row.id)));
    let is_shown = app.settings.first_steps;
    let steps = if is_shown { "Hide the first steps" } else { "Show the first steps" };
    let pressed = header
        .more(HeaderButton::send("Edit specification", spec))
        .more(HeaderButton::action(Action::BuildInlinks))
        .more(HeaderButton::action(Action::Import))
        .more(HeaderButton::own(steps, !is_shown).hint("The way from a new campaign to a verified export"))
        .ui(ui, app);
    if let Some(is_shown) = pressed {
        app.settings.first_steps = is_shown;
    }
}

/// Draws the steps to a first export, which tick themselves.
fn first_steps_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, steps: &FirstSteps) {
    let colors = tokens(ui);
    ui.horizontal(|ui| {
        part_title_ui(ui, "First steps", &format!("{} of {} done", steps.done(), steps.0.len()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let hide = icon_button_ui(ui, Icon::Close, "Hide the first steps");
            if hide.on_hover_text("Show them again by the menu of the page").clicked() {
                app.settings.first_steps = false;
            }
        });
    });
    ui.spacing_mut().item_spacing.y = 0.0;
    let next = steps.next();
    for (step, is_done) in steps.0 {
        let (what, about, label, command) = step_texts(step, campaign);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW), Sense::hover());
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, colors.hairline));
        let builder = UiBuilder::new().id_salt(("first step", what)).max_rect(rect);
        let mut line = ui.new_child(builder.layout(Layout::right_to_left(Align::Center)));
        if !is_done {
            let name = format!("{label}: {what}");
            command_link_ui(&mut line, app, label, &name, command);
        }
        line.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let (icon, color) = match (is_done, next == Some(step)) {
                (true, _) => (Icon::Check, colors.accept),
                (false, true) => (Icon::Right, colors.accent),
                (false, false) => (Icon::Waiting, colors.weak_text),
            };
            let sign = icon_ui(ui, icon, theme::SMALL_ICON, color);
            name_node(&sign, Role::Image, if is_done { "done" } else { "to do" });
            let what = RichText::new(what).color(if is_done { colors.weak_text } else { colors.text });
            ui.add(Label::new(what).extend());
            ui.add(Label::new(RichText::new(about).small().color(colors.weak_text)).truncate());
        });
    }
}

/// A step in words: what is to be done, what comes of it, the verb of its link, and what that does.
fn step_texts(step: FirstStep, campaign: CampaignId) -> (&'static str, &'static str, &'static str, Command) {
    let go = Command::Go;
    match step {
        FirstStep::Describe => {
            let spec = go(Route::Spec(Some(campaign)));
            ("Describe the campaign", "seeds, and a way to contact you", "Edit", spec)
        }
        FirstStep::Collect => {
            let crawl = Command::RequestCrawl(CrawlTarget::Campaign(campaign));
            ("Crawl or import", "archive files can be dropped on the window", "Start crawl", crawl)
        }
        FirstStep::BuildInlinks => {
            ("Build inlinks", "which pages link to each capture", "Build", Command::BuildInlinks)
        }
        FirstStep::Review => {
            let review = go(Route::Review { filter: String::new() });
            ("Review", "approve or reject at least one capture", "Review", review)
        }
        FirstStep::Select => ("Save a selection", "by score, filter or collection", "Select", go(Route::Select)),
        FirstStep::Export => ("Export it", "a folder that can be read without Fonds", "Export", go(Route::Select)),
        FirstStep::Verify => ("Verify the export", "every digest is checked again", "Verify", go(Route::Select)),
    }
}

/// Draws what changed from launch to launch.
fn change_plots_ui(ui: &mut Ui, rows: &[LaunchRow]) {
    let colors = tokens(ui);
    let drawn = &rows[rows.len().saturating_sub(LAUNCHES)..];
    type Series = (&'static str, &'static str, Color32, fn(&LaunchRow) -> u64);
    let series: [Series; 3] = [
        ("fetched by launch", "URLs fetched by launch", colors.fill_ok, |of| of.fetched),
        ("refused by launch", "URLs refused by launch", colors.fill_none, |of| of.refused),
        ("failed by launch", "URLs failed by launch", colors.fill_bad, |of| of.failed),
    ];
    for (id, title, color, number) in series {
        plot_head_ui(ui, title, &[]);
        if drawn.len() < 2 {
            no_plot_ui(ui, "Drawn after the second launch");
            continue;
        }
        let most = drawn.iter().map(number).max().unwrap_or_default() as f64;
        let bars: Vec<Bar> = drawn
            .iter()
            .enumerate()
            .map(|(at, of)| Bar::new(at as f64 + 0.5, number(of) as f64).width(0.9).fill(color).stroke(Stroke::NONE))
            .collect();
        let days: Vec<String> = drawn.iter().map(|of| text::day(of.started)).collect();
        let plot = in_plot_style(ui, |ui| {
            framed_plot(id, theme::PLOT, most)
                .include_x(0.0)
                .include_x(drawn.len() as f64)
                .x_axis_formatter(move |mark, _| days.get(mark.value.floor() as usize).cloned().unwrap_or_default())
                .show(ui, |plot| plot.bar_chart(BarChart::new(title, bars)))
        });
        let figures: Vec<String> =
            drawn.iter().map(|of| format!("{}: {}", text::day(of.started), text::count(number(of)))).collect();
        name_node(&plot.response, Role::Image, &format!("{title}. {}", figures.join("; ")));
        ui.add_space(theme::GROUP_GAP);
    }
}

/// Draws the figures, each of which leads to what it counts.
fn figures_ui(
    ui: &mut Ui,
    app: &mut AppState,
    row: &CampaignRow,
    page: Option<&CrawlPage>,
    overview: Option<&Overview>,
) {
    let sums = page.and_then(|page| page.launch.as_ref());
    let launches = page.map(|page| page.launches.len() as u64);
    let figure = |key: &str| overview.and_then(|of| of.figures.iter().find(|figure| figure.key == key));
    let added = |key: &str| figure(key).and_then(|figure| figure.change);
    let of_launches = match added("captures").filter(|_| launches > Some(1)) {
        Some(added) => format!("+{} last launch", text::count(added.unsigned_abs())),
        None => launches.map_or_else(String::new, |count| format!("of {}", text::counted(count, "launch"))),
    };
    let failed = sums.map(|sums| sums.failed);
    let of_all = |state| RowList::Seen { launch: None, state, filter: String::new() };
    let to_all = Command::GoToAll;
    let mut figures = vec![
        (text::count(row.captures), noun(row.captures, "capture"), of_launches, to_all(captures())),
        (
            text::known(page.map(|page| page.hosts_total)),
            noun(page.map_or(0, |page| page.hosts_total), "site"),
            text::counted(row.seeds, "seed"),
            Command::ShowRows(of_all("hosts")),
        ),
        (
            text::known(row.counted.map(|counts| counts.to_review)),
            "to review".to_owned(),
            row.counted.map_or_else(String::new, |counts| share(counts.to_review, row.captures, "of all")),
            to_all(Route::Review { filter: String::new() }),
        ),
        (text::known(failed), "URLs failed".to_owned(), "not fetched".to_owned(), Command::ShowRows(of_all("failed"))),
        (
            text::known(row.counted.map(|counts| counts.selected)),
            "selected".to_owned(),
            row.counted.map_or_else(String::new, |counts| share(counts.selected, row.captures, "of all")),
            to_all(Route::Select),
        ),
        (
            text::bytes(row.bytes),
            "stored".to_owned(),
            "in archive files".to_owned(),
            to_all(Route::Files(Default::default())),
        ),
    ];
    if let Some(relevant) = figure("relevant")
        && let Some(rows) = &relevant.rows
    {
        let about = match relevant.change.filter(|_| launches > Some(1)) {
            Some(added) => format!("+{} last launch", text::count(added.unsigned_abs())),
            None => share(relevant.count, row.captures, "of all"),
        };
        let of_request =
            (text::count(relevant.count), "meet the request".to_owned(), about, Command::ShowRows(rows.clone()));
        figures.insert(2, of_request);
    }
    let width = ui.available_width();
    let in_line = ((width / FIGURE).floor() as usize).clamp(1, figures.len());
    // Two even lines where one is too short.
    let in_line = if in_line < figures.len() { figures.len().div_ceil(2).min(in_line) } else { in_line };
    let each = (width / in_line as f32).floor();
    let last_in_line = in_line - 1;
    for line in figures.chunks(in_line) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for (at, (value, label, about, command)) in line.iter().enumerate() {
                let size = vec2(each, theme::FIGURE_TEXT + 2.0 * theme::GROUP_GAP + theme::GAP);
                let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
                if at < last_in_line {
                    let line = Stroke::new(1.0, tokens(ui).hairline);
                    ui.painter().vline(rect.right() - theme::GROUP_GAP, rect.shrink2(vec2(0.0, 4.0)).y_range(), line);
                }
                let builder = UiBuilder::new().id_salt(label.as_str()).max_rect(rect);
                let mut cell = ui.new_child(builder.layout(Layout::top_down(Align::Min)));
                if figure_ui(&mut cell, value, label, about) {
                    app.send(command.clone());
                }
            }
        });
    }
}

fn captures() -> Route {
    Route::Captures { filter: String::new() }
}

/// A share in words: `41 % of all`.
fn share(part: u64, whole: u64, of: &str) -> String {
    match whole {
        0 => String::new(),
        whole => format!("{:.0} % {of}", part as f64 * 100.0 / whole as f64),
    }
}

/// A figure with two lines below it; true when clicked.
fn figure_ui(ui: &mut Ui, value: &str, label: &str, about: &str) -> bool {
    let colors = tokens(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.spacing_mut().interact_size.y = 0.0;
    let text = RichText::new(value).size(theme::FIGURE_TEXT);
    // Nothing leads to no rows.
    let clicked = match value {
        "0" | "0 B" | "–" => {
            ui.label(text.color(colors.faint_text));
            false
        }
        _ => {
            let response = ui.link(text).on_hover_text("Show these");
            response.widget_info(|| WidgetInfo::labeled(Role::Link, true, format!("{value} {label}")));
            response.clicked()
        }
    };
    ui.add(Label::new(RichText::new(label).small().color(colors.weak_text)).truncate());
    ui.add(Label::new(theme::caption(about).color(colors.faint_text)).truncate());
    clicked
}

/// Draws what became of all known URLs as a bar of shares, with its figures.
fn shares_ui(ui: &mut Ui, app: &mut AppState, page: &CrawlPage) {
    let Some(sums) = &page.launch else { return };
    let colors = tokens(ui);
    let parts = [
        ("fetched", sums.fetched, colors.fill_ok),
        ("queued", sums.queued, colors.accent),
        ("refused", sums.refused, colors.fill_none),
        ("failed", sums.failed, colors.fill_bad),
    ];
    let total: u64 = parts.iter().map(|(_, number, _)| number).sum();
    if total == 0 {
        return;
    }
    let names: Vec<String> = parts.iter().map(|(name, number, _)| format!("{} {name}", text::count(*number))).collect();
    ui.add_space(theme::TIGHT_GAP);
    ui.horizontal(|ui| {
        ui.label(theme::strong(text::count(total), theme::SMALL_TEXT).color(colors.strong_text));
        ui.label(RichText::new("URLs known, all launches").small().color(colors.weak_text));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (name, number, color) in parts.iter().rev() {
                ui.label(RichText::new(*name).small().color(colors.weak_text));
                let shown = theme::strong(text::count(*number), theme::SMALL_TEXT);
                if *number == 0 {
                    ui.label(shown.color(colors.faint_text));
                } else {
                    let link = ui.link(shown).on_hover_text("Show these");
                    link.widget_info(|| {
                        WidgetInfo::labeled(Role::Link, true, format!("{} {name}, all launches", text::count(*number)))
                    });
                    if link.clicked() {
                        let filter = String::new();
                        app.send(Command::ShowRows(RowList::Seen { launch: None, state: name, filter }));
                    }
                }
                let (square, _) = ui.allocate_exact_size(vec2(theme::GAP, theme::GAP), Sense::hover());
                ui.painter().rect_filled(square, 0.0, *color);
            }
            let size = vec2(ui.available_width(), theme::SHARE_BAR);
            if size.x < theme::NUMBER_FIELD {
                return;
            }
            let (bar, response) = ui.allocate_exact_size(size, Sense::hover());
            name_node(&response, Role::Image, &format!("Known URLs: {}", names.join(", ")));
            let mut left = bar.left();
            for (_, number, color) in parts.iter().filter(|(_, number, _)| *number > 0) {
                let width = (bar.width() * *number as f32 / total as f32).max(2.0);
                let part = Rect::from_min_max(
                    pos2(left, bar.top()),
                    pos2((left + width - 1.0).min(bar.right()), bar.bottom()),
                );
                ui.painter().rect_filled(part, 0.0, *color);
                left += width;
            }
        });
    });
}

/// The title of a part with what it counts.
fn part_title_ui(ui: &mut Ui, title: &str, about: &str) {
    let colors = tokens(ui);
    ui.horizontal(|ui| {
        ui.set_min_height(theme::CONTROL);
        let heading = ui.label(theme::strong(title, theme::BODY_TEXT).color(colors.strong_text));
        mark_heading(&heading, title);
        ui.label(RichText::new(about).small().color(colors.weak_text));
    });
}

/// The sign of a launch: what it ended as.
fn sign_of(launch: &LaunchRow, colors: &Tokens) -> (Icon, Color32) {
    match launch.state {
        LaunchState::Running => (Icon::Good, colors.accent),
        LaunchState::Paused => (Icon::Pause, colors.flag),
        _ if launch.nothing_fetched || launch.only_errors => (Icon::Bad, colors.fill_bad),
        LaunchState::Stopped => (Icon::Flagged, colors.fill_flag),
        LaunchState::Finished => (Icon::Good, colors.fill_ok),
    }
}

fn launches_ui(ui: &mut Ui, app: &mut AppState, rows: &[LaunchRow]) {
    let drawn = &rows[rows.len().saturating_sub(LAUNCHES)..];
    part_title_ui(
        ui,
        "Launches",
        &match (rows.len(), drawn.len()) {
            (0, _) => "none yet".to_owned(),
            (all, drawn) if all > drawn => {
                format!("the last {drawn} of {}, URLs fetched by each", text::count(all as u64))
            }
            (all, _) => format!("{}, URLs fetched by each", text::count(all as u64)),
        },
    );
    if drawn.is_empty() {
        ui.weak("A line of launches is drawn after the first crawl");
        return;
    }
    line_ui(ui, drawn);
    ui.add_space(theme::GAP);
    ui.spacing_mut().item_spacing.y = 0.0;
    let colors = tokens(ui);
    for launch in drawn.iter().rev().take(LISTED) {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW), Sense::hover());
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, colors.hairline));
        let builder = UiBuilder::new().id_salt(("launch", launch.id)).max_rect(rect);
        let mut line = ui.new_child(builder.layout(Layout::right_to_left(Align::Center)));
        let (icon, color) = sign_of(launch, colors);
        let figures = [(launch.failed, "failed"), (launch.refused, "refused"), (launch.fetched, "fetched")];
        for (number, label) in figures {
            line.label(RichText::new(label).small().color(colors.weak_text));
            let color = if number == 0 { colors.faint_text } else { colors.text };
            line.label(RichText::new(text::count(number)).color(color));
        }
        line.with_layout(Layout::left_to_right(Align::Center), |ui| {
            icon_ui(ui, icon, theme::SMALL_ICON, color);
            if ui.link(minute(launch.started)).on_hover_text("Show the crawl").clicked() {
                app.send(Command::Go(Route::Crawl));
            }
            ui.add(Label::new(RichText::new(text::line(&launch.label())).color(colors.weak_text)).truncate());
        });
    }
}

/// A date in UTC to the minute.
fn minute(date: CaptureDate) -> String {
    date.to_readable().chars().take(16).collect()
}

/// Draws launches over time: area by URLs fetched, sign by their end.
fn line_ui(ui: &mut Ui, launches: &[LaunchRow]) {
    let colors = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    let summary: Vec<String> = launches
        .iter()
        .map(|of| format!("{}: {} fetched, {}", text::day(of.started), text::count(of.fetched), of.label()))
        .collect();
    name_node(&response, Role::Image, &format!("Launches over time. {}", summary.join("; ")));
    let painter = ui.painter_at(rect);
    let axis = rect.top() + ABOVE;
    painter.hline(rect.x_range(), axis, Stroke::new(1.0, colors.border));
    let inner = rect.shrink2(vec2(RADIUS.1 + theme::GAP, 0.0));
    let first = launches.first().map_or(0, |of| of.started.millis());
    let last = launches.last().map_or(0, |of| of.started.millis());
    let span = (last - first) as f32;
    // All on one day: one beside the other.
    let at = |index: usize, of: &LaunchRow| match span > 0.0 {
        true => inner.left() + inner.width() * (of.started.millis() - first) as f32 / span,
        false => inner.left() + inner.width() * (index as f32 + 0.5) / launches.len() as f32,
    };
    let most = launches.iter().map(|of| of.fetched).max().unwrap_or_default().max(1) as f32;
    let caption = FontId::proportional(theme::CAPTION_TEXT);
    // Labels that would lie on another are left out.
    let (mut free_above, mut free_below) = (rect.left(), rect.left());
    for (index, of) in launches.iter().enumerate() {
        let center = pos2(at(index, of), axis);
        let radius = RADIUS.0 + (RADIUS.1 - RADIUS.0) * (of.fetched as f32 / most).sqrt();
        launch_sign(&painter, of, center, radius, colors);
        let count = painter.layout_no_wrap(text::count(of.fetched), caption.clone(), colors.text);
        let place = pos2(center.x - count.size().x / 2.0, axis - radius.max(7.0) - 2.0 - count.size().y);
        if place.x >= free_above {
            free_above = place.x + count.size().x + theme::TIGHT_GAP;
            painter.galley(place, count, colors.text);
        }
        let day = painter.layout_no_wrap(text::day(of.started), caption.clone(), colors.weak_text);
        let left = (center.x - day.size().x / 2.0).clamp(rect.left(), (rect.right() - day.size().x).max(rect.left()));
        if left >= free_below {
            painter.vline(center.x, axis + RADIUS.1 + 2.0..=axis + RADIUS.1 + 6.0, Stroke::new(1.0, colors.border));
            free_below = left + day.size().x + theme::GROUP_GAP;
            painter.text(pos2(left, rect.bottom()), Align2::LEFT_BOTTOM, day.text(), caption.clone(), colors.weak_text);
        }
    }
    if let Some(pointer) = response.hover_pos() {
        let near = |(index, of): &(usize, &LaunchRow)| (at(*index, of) - pointer.x).abs();
        let nearest = launches.iter().enumerate().min_by(|a, b| near(a).total_cmp(&near(b)));
        if let Some((_, of)) = nearest {
            let lines = [
                format!("{} UTC", minute(of.started)),
                of.label(),
                format!("{} fetched, {} failed", text::count(of.fetched), text::count(of.failed)),
                text::line(&of.why),
            ];
            response.on_hover_text_at_pointer(lines.join("\n"));
        }
    }
}

/// A disc, a diamond where it was stopped, a cross where nothing came of it, a ring while it runs.
fn launch_sign(painter: &Painter, of: &LaunchRow, center: Pos2, radius: f32, colors: &Tokens) {
    match of.state {
        LaunchState::Running | LaunchState::Paused => {
            painter.circle(center, radius, colors.page_bg, Stroke::new(2.0, colors.accent));
            painter.circle_filled(center, (radius - 4.5).max(2.0), colors.accent);
        }
        _ if of.nothing_fetched || of.only_errors => {
            let stroke = Stroke::new(2.4, colors.reject);
            for (x, y) in [(6.0, 6.0), (6.0, -6.0)] {
                painter.line_segment([center - vec2(x, y), center + vec2(x, y)], stroke);
            }
        }
        LaunchState::Stopped => {
            let corners = [vec2(0.0, -radius), vec2(radius, 0.0), vec2(0.0, radius), vec2(-radius, 0.0)];
            let corners = corners.map(|corner| center + corner).to_vec();
            painter.add(Shape::convex_polygon(corners, colors.fill_flag, Stroke::NONE));
        }
        LaunchState::Finished => {
            painter.circle_filled(center, radius, colors.fill_ok);
        }
    }
}

fn to_do_ui(ui: &mut Ui, app: &mut AppState, list: &[ToDo], is_read: bool) {
    part_title_ui(ui, "To do", &if is_read { text::count(list.len() as u64) } else { "–".to_owned() });
    let colors = tokens(ui);
    if list.is_empty() {
        ui.weak(if is_read { "Nothing waits for you" } else { "Loading…" });
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    for to_do in list {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::SIDE_ROW), Sense::hover());
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, colors.hairline));
        let builder = UiBuilder::new().id_salt(to_do.what.as_str()).max_rect(rect);
        let mut line = ui.new_child(builder.layout(Layout::right_to_left(Align::Center)));
        let name = format!("{}: {}", to_do.label, to_do.what);
        let link = RichText::new(to_do.label).small().color(colors.accent);
        let response = match to_do.command.writes() {
            true => write_ui(&mut line, None, egui::Link::new(link)),
            false => line.link(link),
        };
        let enabled = response.enabled();
        response.widget_info(|| WidgetInfo::labeled(Role::Link, enabled, &name));
        if is_settled(&line, &response, &name, app.route().page()) && response.clicked() {
            app.send(to_do.command.clone());
        }
        line.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let (icon, color) = match to_do.urgency {
                Urgency::Blocked => (Icon::Error, colors.reject),
                Urgency::Warning => (Icon::Warning, colors.flag),
                Urgency::Work => (Icon::Review, colors.weak_text),
            };
            icon_ui(ui, icon, theme::SMALL_ICON, color);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.add_space(2.0);
                ui.add(Label::new(text::grouped(&text::line(&to_do.what))).truncate());
                let about = theme::caption(text::grouped(&text::line(&to_do.about))).color(colors.weak_text);
                ui.add(Label::new(about).truncate());
            });
        });
    }
}

/// Draws a small link that sends a command; `name` is what is read out.
fn command_link_ui(line: &mut Ui, app: &mut AppState, label: &str, name: &str, command: Command) {
    let link = RichText::new(label).small().color(tokens(line).accent);
    let response = match command.writes() {
        true => write_ui(line, None, egui::Link::new(link)),
        false => line.link(link),
    };
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(Role::Link, enabled, name));
    if is_settled(line, &response, name, app.route().page()) && response.clicked() {
        app.send(command);
    }
}
