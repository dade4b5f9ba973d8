//! One launch against another: hosts with the pages that are new, gone, changed or failing; and the same as ready
//! filters.

use crate::app::models::{CampaignId, HostChanges, LaunchComparison, LaunchId, PageChange};
use crate::app::{AppState, Command, Route};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::widgets::{drop_ui, empty_ui, inline_figure_ui, loaded_ui};
use egui::Ui;

/// Width of the chooser of a launch.
const LAUNCH: f32 = 150.0;

/// The comparison of launches between frames.
#[derive(Default)]
pub struct ChangesView {
    campaign: CampaignId,
    before: Option<LaunchId>,
    after: Option<LaunchId>,
}

impl ChangesView {
    /// Draws the table of a campaign.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: CampaignId, height: f32) {
        if self.campaign != campaign {
            *self = Self { campaign, ..Self::default() };
        }
        let answer = app.reads.launch_comparison(campaign, self.before, self.after);
        loaded_ui(ui, &answer, |ui, compared| match compared {
            None => empty_ui(ui, "Nothing to compare yet", "Two crawls of this campaign that ended are compared here"),
            Some(compared) => self.table_ui(ui, app, compared, height),
        });
    }

    fn table_ui<'a>(&mut self, ui: &mut Ui, app: &mut AppState, compared: &'a LaunchComparison, height: f32) {
        ui.horizontal_wrapped(|ui| {
            let (before, after) = (compared.pair.before, compared.pair.after);
            if let Some(chosen) = launch_ui(ui, "Earlier launch", compared, before, after) {
                self.before = Some(chosen);
                self.after = Some(after);
            }
            ui.weak("against");
            if let Some(chosen) = launch_ui(ui, "Later launch", compared, after, before) {
                self.after = Some(chosen);
                self.before = Some(before);
            }
            for change in PageChange::ALL {
                let count = compared.count(change);
                let hint = (count > 0).then_some("Show these captures");
                if inline_figure_ui(ui, &text::count(count), &change.label().to_lowercase(), hint) && count > 0 {
                    show(app, compared.filter(change, None));
                }
            }
            inline_figure_ui(ui, &text::count(compared.same), "the same", None);
        });
        if compared.hosts.is_empty() {
            ui.weak("No page differs between these launches");
            return;
        }
        type Col<'c> = Column<'c, HostChanges, String>;
        let leads = |column: Col<'a>, change: PageChange| {
            let filter = move |row: &HostChanges| Some(compared.filter(change, Some(&row.host)));
            column.link("Show these captures", filter).about(change.about())
        };
        let columns = [
            Col::text("host", "Host", 300.0, |row| &row.host),
            leads(Col::count("new", "New", 84.0, |row| row.new), PageChange::New),
            leads(Col::count("gone", "Gone", 84.0, |row| row.gone), PageChange::Gone),
            leads(Col::count("changed", "Changed", 84.0, |row| row.changed), PageChange::Changed),
            leads(Col::count("failing", "Now failing", 96.0, |row| row.failing), PageChange::Failing),
        ];
        let table = Table::new("launch changes", "Hosts with pages that differ", columns, |row: &HostChanges| {
            key_of(&row.host)
        });
        if let Some(filter) = table.height(height).rows_ui(ui, app, &compared.hosts) {
            show(app, filter);
        }
    }
}

fn show(app: &mut AppState, filter: String) {
    app.send(Command::GoToAll(Route::Captures { filter }));
}

/// A chooser of a launch but for another one.
fn launch_ui(
    ui: &mut Ui,
    name: &str,
    compared: &LaunchComparison,
    current: LaunchId,
    other: LaunchId,
) -> Option<LaunchId> {
    let date = |id: LaunchId| {
        let started = compared.launches.iter().find(|(of, _)| *of == id).map(|(_, started)| started.to_readable());
        started.unwrap_or_default()
    };
    let chosen = drop_ui(ui, name, name, &date(current), LAUNCH, |ui| {
        let mut chosen = None;
        for (id, started) in compared.launches.iter().rev().filter(|(id, _)| *id != other) {
            if ui.selectable_label(*id == current, started.to_readable()).clicked() {
                chosen = Some(*id);
            }
        }
        chosen
    });
    chosen.flatten()
}

/// A list of those ready filters beside a filter line, where there is something to compare.
pub fn since_ui(ui: &mut Ui, app: &mut AppState, line: &mut String) {
    let Some(campaign) = app.campaign() else { return };
    let answer = app.reads.launch_comparison(campaign, None, None);
    if answer.shown().is_none_or(|compared| compared.is_none()) {
        return;
    }
    let current =
        PageChange::ALL.into_iter().find(|change| line.split_whitespace().any(|of| of == change.filter(None)));
    let shown = current.map_or("Any time", PageChange::label);
    let chosen = drop_ui(ui, "since", "Since the launch before", shown, LAUNCH, |ui| since_items_ui(ui, app, line));
    if let Some(Some(chosen)) = chosen {
        *line = chosen;
    }
}

/// The ready filters of what changed since the last launch, in a list of views, each with its number; gives the filter
/// line with the one that was chosen, or without it.
pub fn since_items_ui(ui: &mut Ui, app: &mut AppState, line: &str) -> Option<String> {
    let campaign = app.campaign()?;
    let answer = app.reads.launch_comparison(campaign, None, None);
    let compared = answer.shown().and_then(|compared| compared.as_ref().clone())?;
    let mut chosen = None;
    ui.separator();
    ui.weak("Since the launch before");
    for change in PageChange::ALL {
        let part = change.filter(None);
        let is_on = line.split_whitespace().any(|of| of == part);
        let label = format!("{} {}", change.label(), text::count(compared.count(change)));
        if ui.selectable_label(is_on, label).on_hover_text(change.about()).clicked() {
            let others = line.split_whitespace().filter(|of| !of.starts_with("since:"));
            let parts: Vec<&str> = others.chain((!is_on).then_some(part.as_str())).collect();
            chosen = Some(parts.join(" "));
        }
    }
    chosen
}
