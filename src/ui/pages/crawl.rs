//! The running or last crawl.

use super::crawl_plots;
use crate::app::models::{CrawlPage, HostRow, LaunchRow, LaunchState, Loaded, SeenRow, campaign_title};
use crate::app::{Action, AppState, Command, Focus, PanelTab, Route};
use crate::ui::table::{Cells, Table};
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{
    action_named_ui, action_ui, count_link_ui, empty_ui, figure_ui, heading_ui, loaded_ui, title_ui, verdict_ui,
};
use crate::ui::words;
use crate::uri::CaptureDate;
use egui::{RichText, ScrollArea, TextEdit, Ui};

/// Rows asked for in the lists.
const SEEN_LIMIT: u64 = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Tab {
    #[default]
    Hosts,
    Next,
    Refused,
    Failed,
    Fetched,
}

const TABS: [(Tab, &str); 5] = [
    (Tab::Hosts, "Hosts"),
    (Tab::Next, "Next"),
    (Tab::Refused, "Refused"),
    (Tab::Failed, "Failed"),
    (Tab::Fetched, "Fetched"),
];

/// The page Crawl.
#[derive(Default)]
pub struct CrawlView {
    tab: Tab,
    filter: String,
    campaign: Option<i64>,
}

impl CrawlView {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if self.campaign != app.campaign {
            self.campaign = app.campaign;
            self.filter.clear();
        }
        let answer = app.reads.crawl(app.campaign);
        loaded_ui(ui, &answer, |ui, page| match &page.launch {
            None => empty_page_ui(ui, app),
            Some(launch) => {
                ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    self.launch_ui(ui, app, page, launch);
                });
            }
        });
    }

    fn launch_ui(&mut self, ui: &mut Ui, app: &mut AppState, page: &CrawlPage, launch: &LaunchRow) {
        state_ui(ui, app, page, launch);
        ui.add_space(GAP);
        ui.horizontal_wrapped(|ui| {
            for (value, label, tab) in [
                (launch.queued, "queued", Tab::Next),
                (launch.fetched, "fetched", Tab::Fetched),
                (launch.failed, "failed", Tab::Failed),
                (launch.refused, "refused", Tab::Refused),
                (page.hosts.len() as u64, "hosts", Tab::Hosts),
            ] {
                if figure_ui(ui, &words::count(value), label, Some("Show these rows")) {
                    self.tab = tab;
                    self.filter.clear();
                }
            }
            figure_ui(ui, &words::bytes(launch.bytes), "received", None);
            if let Some(sample) = page.samples.last().filter(|_| launch.state == LaunchState::Running) {
                figure_ui(ui, &words::count(sample.in_flight), "in flight", None);
            }
        });
        crawl_plots::plots_ui(ui, page);
        ui.add_space(GAP);
        ui.horizontal_wrapped(|ui| {
            for (tab, word) in TABS {
                ui.selectable_value(&mut self.tab, tab, word);
            }
            if self.tab != Tab::Hosts {
                ui.add(
                    TextEdit::singleline(&mut self.filter)
                        .hint_text("Words in URL or rule")
                        .desired_width(theme::FIELD),
                );
                if !self.filter.is_empty() && ui.button("Clear").clicked() {
                    self.filter.clear();
                }
            }
        });
        match self.tab {
            Tab::Hosts => self.hosts_ui(ui, &page.hosts),
            Tab::Next => self.seen_ui(ui, app, "queued", &page.next),
            Tab::Failed => self.seen_ui(ui, app, "failed", &page.failed),
            Tab::Fetched => self.seen_ui(ui, app, "fetched", &[]),
            Tab::Refused => {
                self.by_rule_ui(ui, &page.refused_by_rule);
                self.seen_ui(ui, app, "refused", &page.refused);
            }
        }
    }

    fn by_rule_ui(&mut self, ui: &mut Ui, rules: &[(String, u64)]) {
        ui.horizontal_wrapped(|ui| {
            for (rule, number) in rules {
                ui.weak(words::short(rule, 60));
                if count_link_ui(ui, *number, "Show what this rule refused") {
                    self.filter.clone_from(rule);
                }
                ui.add_space(GAP);
            }
        });
    }

    fn hosts_ui(&mut self, ui: &mut Ui, hosts: &[HostRow]) {
        if hosts.is_empty() {
            ui.weak("No host was visited yet");
            return;
        }
        const COLUMNS: [(&str, f32); 9] = [
            ("Host", 220.0),
            ("Address", 130.0),
            ("Country", 64.0),
            ("Queued", 64.0),
            ("Fetched", 64.0),
            ("Failed", 60.0),
            ("Refused", 64.0),
            ("Received", 80.0),
            ("Let in by", 240.0),
        ];
        let mut go = None;
        Table::new("hosts", &COLUMNS, hosts.len()).height(theme::DIALOG_LIST).show_ui(
            ui,
            |cells, index| {
                let row = &hosts[index];
                cells.text(&row.host);
                cells.text(if row.address.is_empty() { "–" } else { &row.address });
                cells.text(if row.country.is_empty() { "–" } else { &row.country });
                for (number, tab) in [
                    (row.queued, Tab::Next),
                    (row.fetched, Tab::Fetched),
                    (row.failed, Tab::Failed),
                    (row.refused, Tab::Refused),
                ] {
                    if cells.link(number, "Show these URLs of the host") {
                        go = Some((index, tab));
                    }
                }
                cells.text(&words::bytes(row.bytes));
                cells.text(&row.rule);
            },
            |_, _| {},
        );
        if let Some((index, tab)) = go {
            self.tab = tab;
            self.filter.clone_from(&hosts[index].host);
        }
    }

    fn seen_ui(&mut self, ui: &mut Ui, app: &mut AppState, state: &'static str, live: &[SeenRow]) {
        // Without a filter the live list is newer than any question.
        if self.filter.trim().is_empty() && !live.is_empty() && live.len() < 50 {
            rows_ui(ui, app, state, live);
            return;
        }
        let answer = app.reads.seen(app.campaign, state, self.filter.trim().to_owned(), SEEN_LIMIT);
        loaded_ui(ui, &answer, |ui, rows| rows_ui(ui, app, state, rows));
    }
}

fn rows_ui(ui: &mut Ui, app: &mut AppState, state: &str, rows: &[SeenRow]) {
    if rows.is_empty() {
        ui.weak(match state {
            "queued" => "Nothing waits to be fetched",
            "failed" => "Everything that was tried gave an answer",
            "refused" => "No rule refused anything",
            _ => "Nothing was fetched",
        });
        return;
    }
    if rows.len() as u64 >= SEEN_LIMIT {
        ui.weak(format!("The first {}; narrow the filter to see others", words::count(SEEN_LIMIT)));
    }
    let chosen = rows.iter().position(|row| app.focus == Some(Focus::Seen(row.id))).map(|at| (at, rows[at].id));
    let clicked = Table::new("seen", &SEEN, rows.len()).chosen_of(chosen).height(theme::DIALOG_LIST).show_ui(
        ui,
        |cells, index| {
            seen_cells_ui(cells, &rows[index]);
        },
        |_, _| {},
    );
    if let Some(index) = clicked {
        explain(app, rows[index].id);
    }
}

/// Columns of URLs ever seen.
pub(super) const SEEN: [(&str, f32); 6] =
    [("URL", 360.0), ("Verdict", 250.0), ("State", 150.0), ("Hops", 60.0), ("Anchor", 160.0), ("Via", 240.0)];

/// One of them.
pub(super) fn seen_cells_ui(cells: &mut Cells<'_, '_, '_>, row: &SeenRow) {
    cells.text(&row.url);
    cells.ui(|ui| {
        verdict_ui(ui, &format!("{} by {}", row.decision, row.rule));
    });
    cells.text(&row.state);
    cells.text(if row.hops.is_empty() { "seed" } else { &row.hops });
    cells.text(&row.anchor);
    cells.text(&row.via);
}

/// Lets a seen URL explain itself in the lower panel.
pub(super) fn explain(app: &mut AppState, seen: i64) {
    app.focus = Some(Focus::Seen(seen));
    app.settings.panel_tab = PanelTab::Decision;
    app.settings.lower_panel = true;
}

fn state_ui(ui: &mut Ui, app: &mut AppState, page: &CrawlPage, launch: &LaunchRow) {
    let running = app.crawl_job().map(|job| job.cx().progress());
    let colors = tokens(ui);
    ui.horizontal_wrapped(|ui| {
        let (sign, color) = match launch.state {
            LaunchState::Running => ("▶", colors.accept),
            LaunchState::Paused => ("⏸", colors.flag),
            LaunchState::Stopped => ("⏹", colors.flag),
            LaunchState::Finished => ("✔", colors.text),
        };
        ui.label(RichText::new(format!("{sign} {}", launch.state.word())).heading().color(color));
        let until = launch.ended.unwrap_or_else(CaptureDate::now);
        let seconds = until.millis().saturating_sub(launch.started.millis()) as f64 / 1000.0;
        ui.label(words::short(&campaign_title(launch.campaign, &launch.campaign_name), 60));
        ui.weak(format!("since {} UTC, {}", launch.started.to_words(), words::duration(seconds)));
        if !launch.why.is_empty() {
            ui.colored_label(colors.flag, format!("⚠ {}", words::line(&launch.why)));
        }
    });
    ui.horizontal_wrapped(|ui| {
        match &running {
            Some(progress) => {
                let word = if progress.paused { "▶ Resume crawl" } else { "⏸ Pause crawl" };
                action_named_ui(ui, app, Action::PauseCrawl, word);
                action_named_ui(ui, app, Action::StopCrawl, "⏹ Stop crawl");
                if progress.cancelled {
                    ui.weak("Stopping: open records are closed first");
                }
            }
            None => {
                let word = match launch.state {
                    LaunchState::Stopped | LaunchState::Paused => "▶ Resume crawl",
                    LaunchState::Running | LaunchState::Finished => "▶ Start crawl",
                };
                action_named_ui(ui, app, Action::StartCrawl, word);
                action_ui(ui, app, Action::BuildInlinks);
                if launch.state == LaunchState::Stopped
                    && ui.button("End this launch").on_hover_text("The next start begins a new one").clicked()
                {
                    app.send(Command::EndLaunch(launch.id));
                }
            }
        }
        if ui.button("Show captures").clicked() {
            app.send(Command::Go(Route::Captures { filter: String::new() }));
        }
        ui.weak(crawl_plots::forecast(page));
    });
}

fn empty_page_ui(ui: &mut Ui, app: &mut AppState) {
    title_ui(ui, "Crawl", "");
    empty_ui(
        ui,
        "No crawl has run yet",
        "A crawl fetches the seeds and what the scope lets in, politely, and keeps every byte in WARC files",
    );
    if let Some(id) = app.campaign
        && let Loaded::Ready(rows) = app.reads.campaigns()
        && let Some(row) = rows.iter().find(|row| row.id == id)
    {
        ui.label(format!(
            "{} has {} and {}",
            words::short(&row.title(), 80),
            words::counted(row.seeds, "seed", "seeds"),
            row.next_run.as_deref().map_or_else(|| "no planned run".to_owned(), |next| format!("runs next {next}")),
        ));
        ui.add_space(GAP);
    }
    ui.horizontal(|ui| {
        action_ui(ui, app, Action::StartCrawl);
        if ui.button("Edit specification").clicked() {
            app.send(Command::Go(Route::Spec(app.campaign)));
        }
        action_ui(ui, app, Action::Import);
    });
    heading_ui(ui, "What it needs");
    ui.weak("at least one seed, and a User-Agent that says how to reach you (page Spec, Politeness)");
}
