//! The list of campaigns, and where to begin.

use super::spec::suspension_ui;
use crate::app::models::{CampaignId, CampaignRow, LaunchRow, LaunchState, Loaded};
use crate::app::{Action, AppState, CampaignAct, Command, Dialog, FilesRoute, Route, resolve};
use crate::jobs::{noun, verb};
use crate::ui::header::{Header, HeaderButton, primary_ui};
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::recent::recent_ui;
use crate::ui::table::{Column, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{
    action_named_ui, count_link_ui, figure_ui, hair, heading_ui, is_settled, loaded_ui, write_button_ui,
};
use egui::{Label, RichText, ScrollArea, Stroke, StrokeKind, Ui, UiBuilder, vec2};

/// Height of a door of the first start.
const DOOR: f32 = 148.0;
/// The doors: icon, action, title, what it leads to, label of its button.
const DOORS: [(Icon, Action, &str, &str, &str); 3] = [
    (
        Icon::Play,
        Action::LoadSample,
        "See how it works",
        "A small website of an invented town that this computer serves: crawl it, review it, export it. Works offline",
        "Try the sample",
    ),
    (
        Icon::Files,
        Action::OpenWorkspace,
        "Go on with what is there",
        "A workspace, WARC, ARC or WACZ files, or the job folder of another crawler",
        "Open a workspace…",
    ),
    (
        Icon::Spec,
        Action::NewCampaign,
        "Collect something new",
        "Seeds, what the pages are about, and what is left out; nothing is kept before you save it",
        "New campaign…",
    ),
];

/// The page Campaigns.
#[derive(Default)]
pub struct CampaignsPage {}

impl CampaignsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if app.session().is_none() {
            // A workspace that is opened shows its own page in a moment.
            match app.opening() {
                Some(folder) => {
                    let label = format!("Opening {}…", text::line(&folder.display().to_string()));
                    Header::<()>::new("Campaigns").state(label).ui(ui, app);
                }
                None => begin_ui(ui, app),
            }
            return;
        }
        let answer = app.reads.campaigns();
        if let Loaded::Ready(rows) = &answer
            && rows.is_empty()
        {
            begin_ui(ui, app);
            return;
        }
        let chosen = answer.shown().and_then(|rows| rows.iter().find(|row| Some(row.id) == app.campaign()).cloned());
        header_ui(ui, app, answer.shown().map_or(0, |rows| rows.len() as u64), chosen.as_ref());
        unassigned_ui(ui, app);
        let area = ui.available_rect_before_wrap();
        let is_wide = ui.ctx().content_rect().width() >= theme::WIDE_WINDOW;
        let Some(row) = chosen.filter(|_| is_wide) else {
            loaded_ui(ui, &answer, |ui, rows| table_ui(ui, app, rows));
            return;
        };
        let (left, right) = area.split_left_right_at_x(area.right() - theme::SIDE_LIST);
        let line = left.right() - GROUP_GAP;
        ui.painter().vline(line, area.y_range(), Stroke::new(hair(ui), tokens(ui).border));
        let mut column = ui.new_child(UiBuilder::new().id_salt("table").max_rect(left.with_max_x(line - GROUP_GAP)));
        loaded_ui(&mut column, &answer, |ui, rows| table_ui(ui, app, rows));
        let mut column = ui.new_child(UiBuilder::new().id_salt("card").max_rect(right));
        column.set_clip_rect(right.intersect(ui.clip_rect()));
        ScrollArea::vertical().auto_shrink([false, false]).show(&mut column, |ui| card_ui(ui, app, &row));
        ui.advance_cursor_after_rect(area);
    }
}

fn header_ui(ui: &mut Ui, app: &mut AppState, count: u64, chosen: Option<&CampaignRow>) {
    let mut header = Header::<()>::new("Campaigns")
        .state(text::counted(count, "campaign"))
        .plain(HeaderButton::named(Action::OpenWorkspace, "Open…"))
        .primary(HeaderButton::action(Action::NewCampaign))
        .more(HeaderButton::action(Action::LoadSample))
        .more(HeaderButton::action(Action::Import));
    if let Some(row) = chosen {
        if row.problem.is_none() && row.suspended.is_none() {
            let (label, act) = switch_of(row);
            header = header.more(HeaderButton::send(label, Command::Campaigns(act)).hint(SWITCH));
        }
        let delete = Command::OpenDialog(Dialog::DeleteCampaign(row.id));
        header = header.more(HeaderButton::send(format!("Delete {}…", text::short(&row.title(), 40)), delete));
    }
    header.ui(ui, app);
}

/// What the switch of a campaign is about.
const SWITCH: &str = "Whether its schedule starts crawls";

fn switch_of(row: &CampaignRow) -> (&'static str, CampaignAct) {
    match row.active {
        true => ("Switch schedule off", CampaignAct::Deactivate(row.id)),
        false => ("Switch schedule on", CampaignAct::Activate(row.id)),
    }
}

fn begin_ui(ui: &mut Ui, app: &mut AppState) {
    let open = app.session().is_some();
    Header::<()>::new("Campaigns").state(if open { "None yet" } else { "No workspace open" }).ui(ui, app);
    ui.add_space(GAP);
    ui.scope(|ui| {
        theme::keep_reading_width(ui);
        let welcome = if open { "No campaign yet" } else { "Welcome" };
        ui.label(theme::strong(welcome, theme::PART_TEXT).color(tokens(ui).strong_text));
        let about = "A campaign describes what to collect: seeds, a request and scope rules";
        ui.label(RichText::new(about).color(tokens(ui).weak_text));
    });
    ui.add_space(GROUP_GAP);
    doors_ui(ui, app);
    if !open && let Some(folder) = recent_ui(ui, app) {
        app.send(Command::OpenWorkspace(folder));
    }
    ui.add_space(GROUP_GAP);
    if open {
        unassigned_ui(ui, app);
        let answer = app.reads.workspace();
        loaded_ui(ui, &answer, |ui, info| {
            let folder = text::line(&info.folder.display().to_string());
            ui.weak(format!("Data in {folder}; {} free", text::bytes(info.disk_free)));
        });
        return;
    }
    let free = app.disk_free().map(|free| format!("; {} free there", text::bytes(free))).unwrap_or_default();
    let folder = text::line(&app.default_folder().display().to_string());
    ui.weak(format!("A new workspace is made in {folder}, or in the next free folder of that name{free}"));
    ui.weak(format!("The sample is kept in {}", text::line(&app.sample_folder().display().to_string())));
}

/// Draws the three ways to begin, side by side where there is room.
fn doors_ui(ui: &mut Ui, app: &mut AppState) {
    let area = ui.available_rect_before_wrap();
    let most = area.width().min(3.0 * theme::SIDE_LIST + 2.0 * GROUP_GAP);
    let is_row = most >= 3.0 * theme::FIELD + 2.0 * GROUP_GAP;
    let width = if is_row { (most - 2.0 * GROUP_GAP) / 3.0 } else { most.min(theme::LONG_FIELD) };
    let mut bottom = area.top();
    for (at, door) in DOORS.into_iter().enumerate() {
        let at = at as f32;
        let step = if is_row { vec2(at * (width + GROUP_GAP), 0.0) } else { vec2(0.0, at * (DOOR + GAP)) };
        let place = egui::Rect::from_min_size(area.min + step, vec2(width.floor(), DOOR));
        bottom = bottom.max(place.bottom());
        door_ui(ui, app, place, door);
    }
    ui.advance_cursor_after_rect(area.with_max_y(bottom));
}

fn door_ui(
    ui: &mut Ui,
    app: &mut AppState,
    place: egui::Rect,
    (icon, action, title, about, label): (Icon, Action, &str, &str, &str),
) {
    let colors = tokens(ui);
    let edge = Stroke::new(hair(ui), colors.border);
    ui.painter().rect(place, egui::CornerRadius::same(theme::CORNER), colors.raised_bg, edge, StrokeKind::Inside);
    let inner = place.shrink(theme::LABEL_GAP);
    let mut door = ui.new_child(UiBuilder::new().id_salt(label).max_rect(inner));
    door.horizontal(|ui| {
        icon_ui(ui, icon, theme::ICON, colors.accent);
        ui.label(theme::strong(title, theme::BODY_TEXT).color(colors.strong_text));
    });
    door.add(Label::new(RichText::new(about).color(colors.weak_text)).wrap());
    let foot = inner.with_min_y(inner.bottom() - theme::CONTROL);
    let mut foot = ui.new_child(UiBuilder::new().id_salt((label, "button")).max_rect(foot));
    if action != Action::NewCampaign {
        action_named_ui(&mut foot, app, action, label);
        return;
    }
    // The one button of the page with a ground of its own.
    let resolved = resolve(action, app);
    let response = primary_ui(&mut foot, label, vec2(0.0, theme::CONTROL), resolved.is_ok());
    match resolved {
        Ok(command) if is_settled(&foot, &response, action, app.route().page()) && response.clicked() => {
            app.send(command);
        }
        Ok(_) => {}
        Err(why) => drop(response.on_disabled_hover_text(why)),
    }
}

/// Draws the number of captures without a campaign, with a link to them.
fn unassigned_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.unassigned();
    let Some(found) = answer.shown().filter(|found| found.captures > 0) else { return };
    ui.horizontal_wrapped(|ui| {
        if count_link_ui(ui, found.captures, "Show these captures") {
            app.send(Command::Campaigns(CampaignAct::ShowEveryCapture));
            app.send(Command::GoToAll(Route::Captures { filter: "campaign:none".to_owned() }));
        }
        let (subject, belongs) = (noun(found.captures, "capture"), verb(found.captures, "belongs"));
        ui.label(format!("{subject} {belongs} to no campaign, {}", text::bytes(found.bytes)));
        if ui.link("Imports").on_hover_text("Choose the campaign that an import belongs to").clicked() {
            app.send(Command::Go(Route::Files(FilesRoute::Imports(None))));
        }
    });
}

/// A campaign with what this window knows of it besides.
struct ListedCampaign {
    row: CampaignRow,
    state: CampaignState,
    /// URLs of its last launch that failed; none before that is known.
    problems: Option<u64>,
}

/// The state of a campaign, in the order of how much it matters now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CampaignState {
    Running,
    Paused,
    Unreadable,
    Suspended,
    Active,
    Inactive,
}

impl CampaignState {
    fn of(row: &CampaignRow, last: Option<&LaunchRow>) -> Self {
        match (last.map(|last| last.state), &row.problem, &row.suspended) {
            (Some(LaunchState::Running), ..) => Self::Running,
            (Some(LaunchState::Paused), ..) => Self::Paused,
            (_, Some(_), _) => Self::Unreadable,
            (_, None, Some(_)) => Self::Suspended,
            _ if row.active => Self::Active,
            _ => Self::Inactive,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Running => "crawling",
            Self::Paused => "crawl paused",
            Self::Unreadable => "cannot be read",
            Self::Suspended => "waits for you",
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}

fn state_cell_ui(ui: &mut Ui, state: CampaignState) {
    let colors = tokens(ui);
    let (icon, color) = match state {
        CampaignState::Running => (Icon::Good, colors.accept),
        CampaignState::Paused => (Icon::Pause, colors.flag),
        CampaignState::Unreadable => (Icon::Error, colors.reject),
        CampaignState::Suspended => (Icon::Warning, colors.flag),
        CampaignState::Active => (Icon::Check, colors.text),
        CampaignState::Inactive => (Icon::Waiting, colors.weak_text),
    };
    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        icon_ui(ui, icon, theme::SMALL_ICON, color);
        ui.add(Label::new(RichText::new(state.label()).color(color)).truncate().selectable(false));
    });
}

fn table_ui(ui: &mut Ui, app: &mut AppState, rows: &[CampaignRow]) {
    let launches = app.reads.last_launches();
    let launches = launches.shown();
    let listed: Vec<ListedCampaign> = rows
        .iter()
        .map(|row| {
            let last = launches.and_then(|launches| launches.iter().find(|launch| launch.campaign == row.id));
            let problems = launches.map(|_| last.map_or(0, LaunchRow::to_retry));
            ListedCampaign { row: row.clone(), state: CampaignState::of(row, last), problems }
        })
        .collect();
    let has_origins = rows.iter().any(|row| row.origin.is_some());
    type Col<'a> = Column<'a, ListedCampaign, CampaignAction>;
    let go = |route: fn(CampaignId) -> Route| {
        move |of: &ListedCampaign| Some(CampaignAction(of.row.id, Some(route(of.row.id))))
    };
    // Columns of daily use come first: a narrow window shows only these.
    let mut columns = vec![
        Col::made("campaign", "Campaign", 250.0, |of| match of.row.branch {
            Some(_) => format!("↳ {}", of.row.title()),
            None => of.row.title(),
        }),
        Col::text("state", "State", 104.0, |of| of.state.label()).draw(|ui, of| state_cell_ui(ui, of.state)),
        Col::value("to_review", "To review", 80.0, |of| Value::known(of.row.counted.map(|counts| counts.to_review)))
            .numeric()
            .link("Captures not reviewed yet", go(|_| Route::Review { filter: String::new() })),
        Col::value("problems", "Problems", 76.0, |of| Value::known(of.problems))
            .numeric()
            .about("URLs of the last launch that were not fetched, or answered with 429 or 5xx")
            .link("URLs that failed", go(|_| Route::Crawl)),
        Col::text("next_run", "Next run", 118.0, |of| of.row.next_run.as_deref().unwrap_or("–")),
        Col::value("last_run", "Last run", 84.0, |of| of.row.last_run.map_or("never".into(), Value::Day)),
        Col::count("captures", "Captures", 74.0, |of| of.row.captures)
            .link("Captures", go(|_| Route::Captures { filter: String::new() })),
        Col::value("selected", "Selected", 74.0, |of| Value::known(of.row.counted.map(|counts| counts.selected)))
            .numeric()
            .link("Selection", go(|_| Route::Select)),
        Col::bytes("bytes", "Size", 80.0, |of| of.row.bytes),
        Col::value("refused", "Refused", 76.0, |of| Value::known(of.row.counted.map(|counts| counts.refused)))
            .numeric()
            .link("Refused URLs with the deciding rule", go(|_| Route::Crawl))
            .hidden(),
        Col::count("seeds", "Seeds", 60.0, |of| of.row.seeds)
            .link("Seeds of the specification", go(|id| Route::Spec(Some(id))))
            .hidden(),
        Col::made("version", "Version", 64.0, |of| format!("v{}", of.row.version)).hidden(),
        Col::made("id", "No.", 48.0, |of| of.row.id.to_string()).numeric().hidden(),
    ];
    if has_origins {
        let from = Col::text("origin", "Came with", 150.0, |of| of.row.origin.as_deref().unwrap_or("made here"));
        columns.insert(2, from);
    }
    let table = Table::new("campaigns", "Campaigns", columns, |of: &ListedCampaign| of.row.id.unsigned_abs())
        .chosen(app.campaign().map(|id| id.unsigned_abs()))
        .on_focus(|of| Some(CampaignAction(of.row.id, None)))
        .on_open(go(|_| Route::Overview))
        .menu(row_menu_ui);
    let Some(CampaignAction(id, route)) = table.rows_ui(ui, app, &listed) else { return };
    app.send(Command::ChooseCampaign(id));
    if let Some(route) = route {
        app.send(Command::GoToAll(route));
    }
}

/// A campaign to choose, and where to go then.
struct CampaignAction(CampaignId, Option<Route>);

fn row_menu_ui(ui: &mut Ui, of: &ListedCampaign) -> Option<CampaignAction> {
    let routes = [
        ("Show overview", Route::Overview),
        ("Edit specification", Route::Spec(Some(of.row.id))),
        ("Show crawl", Route::Crawl),
    ];
    let mut clicked = routes.into_iter().filter(|(label, _)| ui.button(*label).clicked());
    clicked.next().map(|(_, route)| CampaignAction(of.row.id, Some(route)))
}

/// Draws what is known of the chosen campaign, beside the table of a wide window.
fn card_ui(ui: &mut Ui, app: &mut AppState, row: &CampaignRow) {
    let answer = app.reads.campaign(row.id);
    let colors = tokens(ui);
    ui.add(
        Label::new(theme::strong(text::short(&row.title(), 120), theme::PART_TEXT).color(colors.strong_text)).wrap(),
    );
    if let Some(origin) = &row.origin {
        ui.weak(format!("Came with {}", text::short(origin, 100)));
    }
    if let Some(problem) = &row.problem {
        ui.label(text::line(problem));
    }
    if let Some(page) = answer.shown().filter(|page| page.id == row.id) {
        let about = match page.campaign.description.trim() {
            "" => "No description yet",
            about => about,
        };
        ui.add(Label::new(text::line(about)).wrap());
        ui.horizontal_wrapped(|ui| {
            if !page.campaign.owner.is_empty() {
                ui.weak(format!("Owner {}", text::short(&page.campaign.owner, 60)));
            }
            for tag in &page.campaign.tags {
                ui.label(RichText::new(text::short(tag, 40)).background_color(colors.chosen_bg));
            }
        });
        suspension_ui(ui, app, Some(page));
    }
    ui.add_space(GAP);
    ui.horizontal_wrapped(|ui| {
        for (value, label, route) in [
            (Some(row.captures), noun(row.captures, "capture"), Route::Captures { filter: String::new() }),
            (row.counted.map(|counts| counts.refused), "refused".to_owned(), Route::Crawl),
            (
                row.counted.map(|counts| counts.to_review),
                "to review".to_owned(),
                Route::Review { filter: String::new() },
            ),
            (row.counted.map(|counts| counts.selected), "selected".to_owned(), Route::Select),
        ] {
            if figure_ui(ui, &text::known(value), &label, Some("Show these")) {
                app.send(Command::GoToAll(route));
            }
        }
    });
    heading_ui(ui, "Go to");
    for (label, route) in
        [("Overview", Route::Overview), ("Specification", Route::Spec(Some(row.id))), ("Crawl", Route::Crawl)]
    {
        if ui.link(label).clicked() {
            app.send(Command::Go(route));
        }
    }
    if row.problem.is_none() && row.suspended.is_none() {
        ui.add_space(GAP);
        let (label, act) = switch_of(row);
        if write_button_ui(ui, label).on_hover_text(SWITCH).clicked() {
            app.send(Command::Campaigns(act));
        }
    }
}
