//! The list of campaigns, and where to begin.

use crate::app::models::{CampaignRow, CaptureTab, Launches, Loaded};
use crate::app::{Action, AppState, Command, Dialog, Route, resolve};
use crate::ui::recent::recent_ui;
use crate::ui::table::OldTable;
use crate::ui::theme::{self, GAP, GROUP_GAP, tokens};
use crate::ui::widgets::{action_ui, count_link_ui, empty_ui, figure_ui, heading_ui, loaded_ui, title_ui};
use crate::ui::words;
use egui::{RichText, Ui};

/// Columns of the list.
const COLUMNS: [(&str, f32); 11] = [
    ("Name", 190.0),
    ("Schedule", 78.0),
    ("Version", 62.0),
    ("Seeds", 56.0),
    ("Last run", 84.0),
    ("Next run", 118.0),
    ("Captures", 76.0),
    ("Refused", 72.0),
    ("To review", 76.0),
    ("Selected", 76.0),
    ("On disk", 80.0),
];

/// Height that the card of the chosen campaign keeps.
const CARD: f32 = 250.0;

/// The page Campaigns.
#[derive(Default)]
pub struct CampaignsPage {}

impl CampaignsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if app.desk().is_none() {
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
        title_ui(ui, "Campaigns", "Select a number to see the rows that it counts");
        ui.horizontal_wrapped(|ui| {
            for action in [Action::NewCampaign, Action::OpenWorkspace, Action::LoadSample] {
                action_ui(ui, app, action);
            }
        });
        ui.add_space(GAP);
        loaded_ui(ui, &answer, |ui, rows| {
            table_ui(ui, app, rows);
            if let Some(row) = rows.iter().find(|row| Some(row.id) == app.campaign) {
                ui.add_space(GROUP_GAP);
                card_ui(ui, app, row);
            }
        });
    }
}

fn begin_ui(ui: &mut Ui, app: &mut AppState) {
    let open = app.desk().is_some();
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
        let answer = app.reads.workspace();
        loaded_ui(ui, &answer, |ui, info| {
            ui.weak(format!(
                "Data in {}; {} free",
                words::line(&info.folder.display().to_string()),
                words::bytes(info.disk_free)
            ));
        });
    } else {
        let free = app.disk_free().map(|free| format!("; {} free there", words::bytes(free))).unwrap_or_default();
        ui.weak(format!(
            "A new campaign is kept in {}, or in the next free folder of that name{free}",
            words::line(&app.default_folder().display().to_string())
        ));
        ui.weak(format!("The sample is kept in {}", words::line(&app.sample_folder().display().to_string())));
        if let Some(folder) = app.opening() {
            ui.label(format!("Opening {}…", folder.display()));
        }
    }
}

fn table_ui(ui: &mut Ui, app: &mut AppState, rows: &[CampaignRow]) {
    let chosen = rows.iter().position(|row| Some(row.id) == app.campaign);
    let mut sent: Vec<Command> = Vec::new();
    let mut opened = None;
    let height = (ui.available_height() - CARD).max(theme::HEAD_ROW + 2.0 * theme::ROW);
    let clicked = OldTable::new("campaigns", &COLUMNS, rows.len()).chosen(chosen).height(height).show_ui(
        ui,
        |cells, index| {
            let row = &rows[index];
            let mut go = |here: bool, route: Route| {
                if here {
                    sent.push(Command::ChooseCampaign(row.id));
                    sent.push(Command::Go(route));
                }
            };
            cells.text(&row.title());
            cells.text(match (&row.problem, row.active) {
                (Some(_), _) => "cannot be read",
                (None, true) => "● active",
                (None, false) => "○ inactive",
            });
            cells.text(&format!("v{}", row.version));
            go(cells.link(row.seeds, "Seeds of the specification"), Route::Spec(Some(row.id)));
            cells.text(&row.last_run.map_or_else(|| "never".to_owned(), words::day));
            cells.text(row.next_run.as_deref().unwrap_or("–"));
            go(cells.link(row.captures, "Captures"), Route::Captures { filter: String::new() });
            go(cells.link(row.refused, "Refused URLs with the deciding rule"), Route::Crawl);
            go(cells.link(row.to_review, "Captures not reviewed yet"), Route::Review);
            go(cells.link(row.selected, "Selection"), Route::Select);
            cells.text(&words::bytes(row.bytes));
        },
        |index, response| {
            if response.double_clicked() {
                opened = Some(index);
            }
            response.context_menu(|ui| row_menu_ui(ui, app, &rows[index]));
        },
    );
    if let Some(index) = clicked
        && sent.is_empty()
    {
        sent.push(Command::ChooseCampaign(rows[index].id));
    }
    if let Some(index) = opened {
        sent.push(Command::Go(Route::Spec(Some(rows[index].id))));
    }
    for command in sent {
        if let Command::Go(route @ (Route::Crawl | Route::Captures { .. })) = &command {
            show_all(app, route);
        }
        app.send(command);
    }
}

/// Lets the page behind a number show what the number counts: refused URLs of
/// all launches, captures of every kind.
fn show_all(app: &mut AppState, route: &Route) {
    match route {
        Route::Crawl => app.wants_seen = Some((Launches::All, "refused")),
        Route::Captures { .. } => app.wants_tab = Some(CaptureTab::All),
        _ => {}
    }
}

fn row_menu_ui(ui: &mut Ui, app: &mut AppState, row: &CampaignRow) {
    for (label, route) in [
        ("Edit specification", Route::Spec(Some(row.id))),
        ("Show captures", Route::Captures { filter: String::new() }),
        ("Show crawl", Route::Crawl),
    ] {
        if ui.button(label).clicked() {
            app.send(Command::ChooseCampaign(row.id));
            app.send(Command::Go(route));
            ui.close();
        }
    }
}

fn card_ui(ui: &mut Ui, app: &mut AppState, row: &CampaignRow) {
    let answer = app.reads.campaign(row.id);
    theme::card_frame(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        heading_ui(ui, &words::short(&row.title(), 120));
        if let Some(problem) = &row.problem {
            ui.label(words::line(problem));
        }
        if let Some(page) = answer.shown().filter(|page| page.id == row.id) {
            let about = if page.campaign.description.trim().is_empty() {
                "No description yet"
            } else {
                page.campaign.description.trim()
            };
            ui.scope(|ui| {
                ui.set_max_width(theme::READING_WIDTH);
                ui.label(words::line(about));
            });
            ui.horizontal_wrapped(|ui| {
                if !page.campaign.owner.is_empty() {
                    ui.weak(format!("Owner {}", words::short(&page.campaign.owner, 60)));
                }
                for tag in &page.campaign.tags {
                    ui.label(RichText::new(words::short(tag, 40)).background_color(tokens(ui).chosen_bg));
                }
            });
        }
        ui.add_space(GAP);
        ui.horizontal_wrapped(|ui| {
            for (value, label, route) in [
                (row.captures, "captures", Route::Captures { filter: String::new() }),
                (row.refused, "refused", Route::Crawl),
                (row.to_review, "to review", Route::Review),
                (row.selected, "selected", Route::Select),
            ] {
                if figure_ui(ui, &words::count(value), label, Some("Show these")) {
                    show_all(app, &route);
                    app.send(Command::Go(route));
                }
            }
            figure_ui(ui, &words::bytes(row.bytes), "on disk", None);
        });
        ui.horizontal_wrapped(|ui| {
            action_ui(ui, app, Action::StartCrawl);
            action_ui(ui, app, Action::BuildInlinks);
            if ui.button("Edit specification").clicked() {
                app.send(Command::Go(Route::Spec(Some(row.id))));
            }
            if ui.button("Import archive files…").clicked() {
                app.send(Command::Ask(Dialog::Open));
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
                    app.send(Command::Go(Route::Review));
                }
                ui.weak(if row.to_review > 0 { "captures to review" } else { "all captures reviewed" });
            });
        }
    });
}
