//! The list of campaigns, and where to begin.

use super::spec::suspension_ui;
use crate::app::models::{CampaignId, CampaignRow, Loaded};
use crate::app::{Action, AppState, CampaignAct, Command, Dialog, FilesRoute, Route, resolve};
use crate::jobs::{noun, verb};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::recent::recent_ui;
use crate::ui::table::{Column, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{action_ui, count_link_ui, empty_ui, figure_ui, heading_ui, loaded_ui, write_button_ui};
use egui::{RichText, ScrollArea, Ui};

/// Height that the card of the chosen campaign keeps.
const CARD: f32 = 250.0;

/// Rows of the table that are shown in a low window.
const ROWS: usize = 4;

/// The page Campaigns.
#[derive(Default)]
pub struct CampaignsPage {}

impl CampaignsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if app.session().is_none() {
            begin_ui(ui, app);
            return;
        }
        let answer = app.reads.campaigns();
        if let Loaded::Ready(rows) = &answer
            && rows.is_empty()
        {
            begin_ui(ui, app);
            return;
        }
        let count = answer.shown().map_or(0, |rows| rows.len() as u64);
        Header::<()>::new("Campaigns")
            .state(text::counted(count, "campaign"))
            .plain(HeaderButton::action(Action::OpenWorkspace))
            .primary(HeaderButton::action(Action::NewCampaign))
            .more(HeaderButton::action(Action::LoadSample))
            .more(HeaderButton::action(Action::Import))
            .ui(ui, app);
        unassigned_ui(ui, app);
        ui.add_space(GAP);
        loaded_ui(ui, &answer, |ui, rows| {
            table_ui(ui, app, rows);
            if let Some(row) = rows.iter().find(|row| Some(row.id) == app.campaign()) {
                ui.add_space(GROUP_GAP);
                // A low window shows a part of it; the rest is reached by scrolling.
                ScrollArea::vertical().show(ui, |ui| card_ui(ui, app, row));
            }
        });
    }
}

fn begin_ui(ui: &mut Ui, app: &mut AppState) {
    let open = app.session().is_some();
    Header::<()>::new("Campaigns").state(if open { "None yet" } else { "No workspace open" }).ui(ui, app);
    empty_ui(
        ui,
        if open { "No campaign yet" } else { "Welcome" },
        "A campaign describes what to collect: seeds, a request and scope rules. Everything here works offline",
    );
    ui.horizontal_wrapped(|ui| {
        action_ui(ui, app, Action::NewCampaign);
        action_ui(ui, app, Action::OpenWorkspace);
        action_ui(ui, app, Action::LoadSample);
    });
    if !open && let Some(folder) = recent_ui(ui, app) {
        app.send(Command::OpenWorkspace(folder));
    }
    ui.add_space(GROUP_GAP);
    if open {
        unassigned_ui(ui, app);
        let answer = app.reads.workspace();
        loaded_ui(ui, &answer, |ui, info| {
            ui.weak(format!(
                "Data in {}; {} free",
                text::line(&info.folder.display().to_string()),
                text::bytes(info.disk_free)
            ));
        });
    } else {
        let free = app.disk_free().map(|free| format!("; {} free there", text::bytes(free))).unwrap_or_default();
        ui.weak(format!(
            "A new workspace is made in {}, or in the next free folder of that name{free}",
            text::line(&app.default_folder().display().to_string())
        ));
        ui.weak(format!("The sample is kept in {}", text::line(&app.sample_folder().display().to_string())));
        if let Some(folder) = app.opening() {
            ui.label(format!("Opening {}…", folder.display()));
        }
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

fn table_ui(ui: &mut Ui, app: &mut AppState, rows: &[CampaignRow]) {
    let chosen = rows.iter().position(|row| Some(row.id) == app.campaign());
    let height = (ui.available_height() - CARD).max(theme::HEAD_ROW + ROWS as f32 * theme::ROW);
    let has_origins = rows.iter().any(|row| row.origin.is_some());
    type Col<'a> = Column<'a, CampaignRow, CampaignAction>;
    let go =
        |route: fn(CampaignId) -> Route| move |row: &CampaignRow| Some(CampaignAction(row.id, Some(route(row.id))));
    // Columns of daily use come first: a narrow window shows only these.
    let mut columns = vec![
        Col::made("id", "No.", 40.0, |row| row.id.to_string()).numeric(),
        Col::made("campaign", "Campaign", 250.0, |row| match row.branch {
            Some(_) => format!("↳ {}", row.title()),
            None => row.title(),
        }),
        Col::text("state", "State", 100.0, |row| match (&row.problem, &row.suspended, row.active) {
            (Some(_), ..) => "cannot be read",
            (None, Some(_), _) => "○ waits for you",
            (None, None, true) => "● active",
            (None, None, false) => "○ inactive",
        }),
        Col::count("captures", "Captures", 76.0, |row| row.captures)
            .link("Captures", go(|_| Route::Captures { filter: String::new() })),
        Col::count("to_review", "To review", 76.0, |row| row.to_review)
            .link("Captures not reviewed yet", go(|_| Route::Review { filter: String::new() })),
        Col::count("selected", "Selected", 72.0, |row| row.selected).link("Selection", go(|_| Route::Select)),
        Col::count("refused", "Refused", 68.0, |row| row.refused)
            .link("Refused URLs with the deciding rule", go(|_| Route::Crawl)),
        Col::value("last_run", "Last run", 92.0, |row| row.last_run.map_or("never".into(), Value::Day)),
        Col::text("next_run", "Next run", 120.0, |row| row.next_run.as_deref().unwrap_or("–")),
        Col::made("version", "Version", 60.0, |row| format!("v{}", row.version)),
        Col::count("seeds", "Seeds", 60.0, |row| row.seeds)
            .link("Seeds of the specification", go(|id| Route::Spec(Some(id)))),
        Col::bytes("bytes", "Size", 80.0, |row| row.bytes),
    ];
    if has_origins {
        let from = Col::text("origin", "Came with", 150.0, |row| row.origin.as_deref().unwrap_or("made here"));
        columns.insert(2, from);
    }
    let table = Table::new("campaigns", "Campaigns", columns, |row: &CampaignRow| row.id.unsigned_abs())
        .chosen(chosen.map(|index| rows[index].id.unsigned_abs()))
        .height(height)
        .on_focus(|row| Some(CampaignAction(row.id, None)))
        .on_open(go(|_| Route::Overview))
        .menu(row_menu_ui);
    let Some(CampaignAction(id, route)) = table.rows_ui(ui, app, rows) else { return };
    app.send(Command::ChooseCampaign(id));
    if let Some(route) = route {
        app.send(Command::GoToAll(route));
    }
}

/// A campaign to choose, and where to go then.
struct CampaignAction(CampaignId, Option<Route>);

fn row_menu_ui(ui: &mut Ui, row: &CampaignRow) -> Option<CampaignAction> {
    let routes = [
        ("Show overview", Route::Overview),
        ("Edit specification", Route::Spec(Some(row.id))),
        ("Show crawl", Route::Crawl),
    ];
    let mut clicked = routes.into_iter().filter(|(label, _)| ui.button(*label).clicked());
    clicked.next().map(|(_, route)| CampaignAction(row.id, Some(route)))
}

fn card_ui(ui: &mut Ui, app: &mut AppState, row: &CampaignRow) {
    let answer = app.reads.campaign(row.id);
    theme::card_frame(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        heading_ui(ui, &text::short(&row.title(), 120));
        if let Some(origin) = &row.origin {
            ui.weak(format!("Came with {}", text::short(origin, 100)));
        }
        if let Some(problem) = &row.problem {
            ui.label(text::line(problem));
        }
        if let Some(page) = answer.shown().filter(|page| page.id == row.id) {
            let about = if page.campaign.description.trim().is_empty() {
                "No description yet"
            } else {
                page.campaign.description.trim()
            };
            ui.scope(|ui| {
                theme::keep_reading_width(ui);
                ui.label(text::line(about));
            });
            ui.horizontal_wrapped(|ui| {
                if !page.campaign.owner.is_empty() {
                    ui.weak(format!("Owner {}", text::short(&page.campaign.owner, 60)));
                }
                for tag in &page.campaign.tags {
                    ui.label(RichText::new(text::short(tag, 40)).background_color(tokens(ui).chosen_bg));
                }
            });
            suspension_ui(ui, app, Some(page));
        }
        ui.add_space(GAP);
        ui.horizontal_wrapped(|ui| {
            for (value, label, route) in [
                (row.captures, noun(row.captures, "capture"), Route::Captures { filter: String::new() }),
                (row.refused, "refused".to_owned(), Route::Crawl),
                (row.to_review, "to review".to_owned(), Route::Review { filter: String::new() }),
                (row.selected, "selected".to_owned(), Route::Select),
            ] {
                if figure_ui(ui, &text::count(value), &label, Some("Show these")) {
                    app.send(Command::GoToAll(route));
                }
            }
            figure_ui(ui, &text::bytes(row.bytes), "on disk", None);
        });
        ui.horizontal_wrapped(|ui| {
            action_ui(ui, app, Action::StartCrawl);
            action_ui(ui, app, Action::BuildInlinks);
            if ui.button("Edit specification").clicked() {
                app.send(Command::Go(Route::Spec(Some(row.id))));
            }
            action_ui(ui, app, Action::Import);
            let (switch, act) = match row.active {
                true => ("Switch off", CampaignAct::Deactivate(row.id)),
                false => ("Switch on", CampaignAct::Activate(row.id)),
            };
            // A campaign from elsewhere is activated on its page, which lists the terms of its crawls.
            if row.problem.is_none()
                && row.suspended.is_none()
                && write_button_ui(ui, switch).on_hover_text("Whether its schedule starts crawls").clicked()
            {
                app.send(Command::Campaigns(act));
            }
            if write_button_ui(ui, "Delete…").on_hover_text("Captures stay; you see first what goes").clicked() {
                app.send(Command::OpenDialog(Dialog::DeleteCampaign(row.id)));
            }
            if let Ok(command) = resolve(Action::Verify, app)
                && ui.button(Action::Verify.label()).clicked()
            {
                app.send(command);
            }
        });
        if row.captures > 0 {
            ui.horizontal(|ui| {
                ui.weak("Next");
                if row.to_review > 0 && count_link_ui(ui, row.to_review, "Review") {
                    app.send(Command::Go(Route::Review { filter: String::new() }));
                }
                ui.weak(match row.to_review {
                    0 => "all captures reviewed".to_owned(),
                    open => noun(open, "capture") + " to review",
                });
            });
        }
    });
}
