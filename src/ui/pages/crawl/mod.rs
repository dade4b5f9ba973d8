//! The running or last crawl.

pub(super) mod events;
pub(super) mod rate_plots;
pub(super) mod sources;
pub(super) mod trial;

use super::crawl::events::{EventLink, EventsView};
use super::crawl::trial::TrialView;
use super::launch_changes::ChangesView;

use crate::app::models::SeenId;
use crate::app::models::{
    CampaignId, CrawlPage, HostActivity, HostRow, LaunchChoice, LaunchRow, LaunchState, Launches, Loaded, RowList,
    SeenPage, SeenQuery, SeenRow, campaign_title, quoted,
};
use crate::app::{Action, AppState, Command, Focus, LIST_PAGE, PanelTab, Route, TrialAct};
use crate::scope::rule_label;
use crate::ui::header::{Header, HeaderButton};
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::table::{Column, RowsAction, Table, TableState, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{
    action_ui, cell_ui, count_link_ui, drop_ui, empty_ui, heading_ui, hops_cell_ui, inline_figure_ui, keep_page_room,
    least_table_height, loaded_ui, outcome_cell_ui, rule_cell_ui, tab_of_ui, tabs_ui,
};
use egui::{ScrollArea, TextEdit, Ui};

/// A page lower than this has no room for plots and rows.
const LOW_PAGE: f32 = 560.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum CrawlTab {
    #[default]
    Hosts,
    Next,
    Refused,
    Failed,
    Fetched,
    Events,
    Changes,
    Sources,
    Trial,
}

const TABS: [(CrawlTab, &str); 9] = [
    (CrawlTab::Hosts, "Hosts"),
    (CrawlTab::Next, "Next"),
    (CrawlTab::Refused, "Refused"),
    (CrawlTab::Failed, "Failed"),
    (CrawlTab::Fetched, "Fetched"),
    (CrawlTab::Events, "Events"),
    (CrawlTab::Changes, "Changes"),
    (CrawlTab::Sources, "Sources"),
    (CrawlTab::Trial, "Trial"),
];

/// The page Crawl.
#[derive(Default)]
pub struct CrawlView {
    tab: CrawlTab,
    filter: String,
    campaign: Option<CampaignId>,
    launches: Launches,
    /// State of the list of URLs.
    rows: TableState,
    /// The list that this is of.
    listed: Option<SeenQuery>,
    events: EventsView,
    trial: TrialView,
    changes: ChangesView,
    /// A person's choice about the plots.
    shows_plots: Option<bool>,
}

impl CrawlView {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        if self.campaign != app.campaign() {
            self.campaign = app.campaign();
            self.filter.clear();
            self.launches = Launches::Last;
        }
        if app.take_shows_all() {
            self.launches = Launches::All;
            self.filter.clear();
            self.tab = CrawlTab::Refused;
        }
        if let Some(RowList::Seen { launch, state, filter }) =
            app.take_row_list(|rows| matches!(rows, RowList::Seen { .. }))
        {
            self.launches = launch.map_or(Launches::All, Launches::One);
            self.tab = match state {
                "hosts" => CrawlTab::Hosts,
                "queued" => CrawlTab::Next,
                "refused" => CrawlTab::Refused,
                "failed" => CrawlTab::Failed,
                _ => CrawlTab::Fetched,
            };
            self.filter = filter;
        }
        let answer = app.reads.crawl(app.campaign(), self.launches);
        // The last one can go on.
        if let (Launches::One(id), Some(page)) = (self.launches, answer.shown())
            && page.launches.first().is_some_and(|last| last.id == id)
        {
            self.launches = Launches::Last;
        }
        match answer.shown().map(|page| (page, page.launch.as_ref())) {
            None => drop(Header::<()>::new("Crawl").ui(ui, app)),
            Some((_, None)) => {
                let header = Header::<()>::new("Crawl").state("Not crawled yet");
                header.primary(HeaderButton::action(Action::StartCrawl)).ui(ui, app);
            }
            Some((page, Some(launch))) => header_ui(ui, app, page, launch, self.launches),
        }
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
        // The page is scrolled; the room that it needs is not.
        let has = |tab: CrawlTab| match tab {
            CrawlTab::Trial => launch.trial.is_some(),
            CrawlTab::Sources => page.named_by_sources > 0,
            _ => true,
        };
        if !has(self.tab) {
            self.tab = CrawlTab::default();
        }
        let scrolled = ui.clip_rect().top() - ui.cursor().top();
        saved_version_ui(ui, app, page, launch);
        pauses_ui(ui, page);
        ui.horizontal_wrapped(|ui| {
            for (value, label, tab) in [
                (launch.queued, "queued", CrawlTab::Next),
                (launch.fetched, "fetched", CrawlTab::Fetched),
                (launch.failed, "failed", CrawlTab::Failed),
                (launch.refused, "refused", CrawlTab::Refused),
                (page.hosts_total, "hosts", CrawlTab::Hosts),
            ] {
                if inline_figure_ui(ui, &text::count(value), label, Some("Show these rows")) {
                    self.tab = tab;
                    self.filter.clear();
                }
            }
            if page.named_by_sources > 0
                && inline_figure_ui(
                    ui,
                    &text::count(page.named_by_sources),
                    "found by sources",
                    Some("Show these rows"),
                )
            {
                self.tab = CrawlTab::Sources;
            }
            inline_figure_ui(ui, &text::bytes(launch.bytes), "received", None);
            if let Some((share, percent)) = page.relevant.and_then(|share| Some((share, share.percent()?))) {
                let of = format!("relevant of the last {}", text::counted(share.pages, "page"));
                inline_figure_ui(ui, &format!("{percent} %"), &of, None);
            }
            if let Some(sample) = page.samples.last().filter(|_| launch.state == LaunchState::Running) {
                inline_figure_ui(ui, &text::count(sample.in_flight), "in flight", None);
            }
            self.chooser_ui(ui, &page.launches);
            self.plots_link_ui(ui, app);
        });
        self.plots_ui(ui, app, page);
        ui.add_space(GAP);
        tabs_ui(ui, "Lists of the crawl", |ui| {
            for (tab, label) in TABS.into_iter().filter(|(tab, _)| has(*tab)) {
                let is_patch = tab == CrawlTab::Trial && launch.trial.is_some_and(|trial| trial.is_patch);
                tab_of_ui(ui, &mut self.tab, tab, if is_patch { "Patch" } else { label });
            }
            if matches!(self.tab, CrawlTab::Next | CrawlTab::Refused | CrawlTab::Failed | CrawlTab::Fetched) {
                ui.add(
                    TextEdit::singleline(&mut self.filter)
                        .hint_text("Text in URL or rule, or host:gov.pt")
                        .desired_width(theme::FIELD),
                );
                if !self.filter.is_empty() && ui.button("Clear").clicked() {
                    self.filter.clear();
                }
            }
        });
        keep_page_room(ui, scrolled + least_table_height(ui, theme::ROWS_LEAST, theme::ROW));
        match self.tab {
            CrawlTab::Hosts => {
                let shown = page.hosts.len() as u64;
                if shown < page.hosts_total {
                    let (shown, all) = (text::count(shown), text::count(page.hosts_total));
                    ui.weak(format!("{shown} of {all} hosts shown, those with the most URLs fetched"));
                }
                self.hosts_ui(ui, app, launch.campaign, &page.hosts);
            }
            CrawlTab::Events => {
                let height = rest_height(ui);
                match self.events.ui(ui, app, launch.id, height) {
                    // The queue is the most useful list of a host that makes others wait.
                    Some(EventLink::Host(host)) => {
                        self.tab = CrawlTab::Next;
                        self.filter = format!("host={}", quoted(&host));
                    }
                    Some(EventLink::Seen(id)) => explain(app, id),
                    None => {}
                }
            }
            CrawlTab::Sources => {
                let height = rest_height(ui);
                if let Some((tab, tag)) = sources::yields_ui(ui, app, (app.campaign(), self.launches), height) {
                    self.tab = tab;
                    self.filter = format!("tag={}", quoted(&tag));
                }
            }
            CrawlTab::Changes => {
                let height = rest_height(ui);
                self.changes.ui(ui, app, launch.campaign, height);
            }
            CrawlTab::Trial => self.trial.ui(ui, app, launch),
            CrawlTab::Next => self.seen_ui(ui, app, "queued"),
            CrawlTab::Failed => self.seen_ui(ui, app, "failed"),
            CrawlTab::Fetched => self.seen_ui(ui, app, "fetched"),
            CrawlTab::Refused => {
                self.by_rule_ui(ui, &page.refused_by_rule);
                self.seen_ui(ui, app, "refused");
            }
        }
    }

    /// Plots, folded while the lower panel needs the room or a person wants them so.
    fn plots_ui(&mut self, ui: &mut Ui, app: &AppState, page: &CrawlPage) {
        if self.shows_plots(ui, app) == Some(true) {
            ui.add_space(GAP / 2.0);
            rate_plots::plots_ui(ui, page, self.launches == Launches::All);
        }
    }

    /// Whether plots are drawn; none while the lower panel has their room.
    fn shows_plots(&self, ui: &Ui, app: &AppState) -> Option<bool> {
        let panel_is_open = app.panel_is_open() && matches!(app.focus(), Some(Focus::Seen(_)));
        // A low window shows rows first, unless a person wants the plots.
        (!panel_is_open).then(|| self.shows_plots.unwrap_or(ui.clip_rect().height() >= LOW_PAGE))
    }

    /// The link that folds the plots.
    fn plots_link_ui(&mut self, ui: &mut Ui, app: &AppState) {
        let Some(is_shown) = self.shows_plots(ui, app) else { return };
        let label = if is_shown { "Hide plots" } else { "Show plots" };
        let font = egui::TextStyle::Body.resolve(ui.style());
        let width = ui.painter().layout_no_wrap(label.to_owned(), font, egui::Color32::PLACEHOLDER).size().x;
        // A link is not broken.
        if ui.available_size_before_wrap().x < width {
            ui.end_row();
        }
        if ui.link(label).clicked() {
            self.shows_plots = Some(!is_shown);
        }
    }

    fn by_rule_ui(&mut self, ui: &mut Ui, rules: &[(String, u64)]) {
        ui.horizontal_wrapped(|ui| {
            for (rule, number) in rules {
                ui.weak(text::short(rule_label(rule), 60)).on_hover_text(text::line(rule));
                if count_link_ui(ui, *number, "Show the URLs this rule refused") {
                    self.filter = format!("rule={}", quoted(rule));
                }
                ui.add_space(GAP);
            }
        });
    }

    fn hosts_ui(&mut self, ui: &mut Ui, app: &mut AppState, campaign: CampaignId, hosts: &[HostRow]) {
        if hosts.is_empty() {
            ui.weak("No host visited yet");
            return;
        }
        type Col<'a> = Column<'a, HostRow, HostLink>;
        let urls = |tab: CrawlTab| move |row: &HostRow| Some(HostLink::Urls(tab, row.host.clone()));
        let resumed = |row: &HostRow| is_deferred(row).then(|| HostLink::ResumeHost(row.host.clone()));
        const SHOW: &str = "Show these URLs of the host";
        let columns = [
            Col::text("host", "Host", 200.0, |row| &row.host),
            Col::made("now", "Now, and why it waits", 190.0, now_of)
                .about("What the host does while its crawl runs")
                .draw_with_action(|ui, row| now_ui(ui, row).then(|| HostLink::ResumeHost(row.host.clone()))),
            Col::count("queued", "Queued", 64.0, |row| row.queued).link(SHOW, urls(CrawlTab::Next)),
            Col::count("fetched", "Fetched", 64.0, |row| row.fetched).link(SHOW, urls(CrawlTab::Fetched)),
            Col::count("failed", "Failed", 60.0, |row| row.failed).link(SHOW, urls(CrawlTab::Failed)),
            Col::count("refused", "Refused", 64.0, |row| row.refused).link(SHOW, urls(CrawlTab::Refused)),
            Col::bytes("bytes", "Received", 80.0, |row| row.bytes),
            Col::made("rule", "Accepted by", 240.0, accepted_by)
                .about("The rules that let its URLs in, with how many each")
                .draw(|ui, row| {
                    let names: Vec<&str> = row.rules.iter().map(|(rule, _)| rule.as_str()).collect();
                    cell_ui(ui, &accepted_by(row)).on_hover_text(text::line(&names.join(", ")));
                })
                .hidden(),
            Col::text("address", "Address", 120.0, |row| &row.address).or("–").hidden(),
            Col::text("country", "Country", 70.0, |row| &row.country).or("–").hidden(),
        ];
        let table = Table::new("crawl hosts", "Hosts", columns, |row| key_of(&row.host)).menu(move |ui, row| {
            let action = resumed(row)?;
            ui.button(RESUME_HOST).on_hover_text(RESUMED).clicked().then_some(action)
        });
        match table.height(rest_height(ui)).rows_ui(ui, app, hosts) {
            Some(HostLink::Urls(tab, host)) => {
                self.tab = tab;
                self.filter = format!("host={}", quoted(&host));
            }
            Some(HostLink::ResumeHost(host)) => app.send(Command::ResumeHost(campaign, host)),
            None => {}
        }
    }

    fn seen_ui(&mut self, ui: &mut Ui, app: &mut AppState, state: &'static str) {
        let query = SeenQuery {
            campaign: app.campaign(),
            launches: self.launches,
            state,
            filter: self.filter.trim().to_owned(),
            sort: Vec::new(),
            offset: 0,
            limit: LIST_PAGE,
        };
        let answer = app.reads.seen(query.clone());
        loaded_ui(ui, &answer, |ui, page: &SeenPage| {
            if let Some(problem) = &page.filter_problem {
                ui.colored_label(tokens(ui).reject, format!("⚠ {}", text::line(problem)));
                return;
            }
            let (name, empty) = match state {
                "queued" => ("URLs that wait", "Queue is empty"),
                "failed" => ("Failed URLs", "No failed URLs"),
                "refused" => ("Refused URLs", "No URLs refused"),
                _ => ("Fetched URLs", "No URLs fetched"),
            };
            if page.total == 0 {
                ui.weak(if query.filter.is_empty() { empty } else { "No rows match the filter" });
                return;
            }
            ui.weak(text::counted(page.total, "URL"));
            // A list that the filter narrows is another list.
            if self.listed.as_ref() != Some(&query) {
                self.listed = Some(query.clone());
                self.rows.reset();
            }
            let table = seen_table("crawl urls", name, app).height(rest_height(ui));
            if let Some(seen) = table.pages_with_ui(ui, app, &query, page.total, &mut self.rows) {
                explain(app, seen);
            }
        });
    }

    /// Chooses the launches whose figures are shown, where there are several.
    fn chooser_ui(&mut self, ui: &mut Ui, choices: &[LaunchChoice]) {
        let Some((last, earlier)) = choices.split_first().filter(|(_, earlier)| !earlier.is_empty()) else { return };
        let all = format!("All {} launches", text::count(choices.len() as u64));
        let name = |launch: &LaunchChoice| format!("{} UTC, {}", text::minute(launch.started), launch.state.label());
        let shown = match self.launches {
            Launches::Last => format!("Last launch: {}", name(last)),
            Launches::All => all.clone(),
            Launches::One(id) => choices.iter().find(|launch| launch.id == id).map_or_else(String::new, name),
        };
        drop_ui(ui, "launches", "Launch", &shown, theme::FIELD, |ui| {
            ui.selectable_value(&mut self.launches, Launches::Last, format!("Last launch: {}", name(last)));
            ui.selectable_value(&mut self.launches, Launches::All, all);
            for launch in earlier {
                ui.selectable_value(&mut self.launches, Launches::One(launch.id), name(launch));
            }
        });
    }
}

/// What a host does now, and why it waits.
fn now_of(row: &HostRow) -> String {
    let Some(now) = &row.now else {
        let state = match row {
            HostRow { queued: 1.., .. } => "left in the queue",
            HostRow { fetched: 0, failed: 1.., .. } => "not reached",
            _ => "nothing left",
        };
        return state.to_owned();
    };
    let until = |label: &str| match now.until {
        Some(until) => format!("{label} {} UTC, {}", text::clock(until), now.why),
        None => now.why.clone(),
    };
    match now.activity {
        HostActivity::Fetching => "fetching".to_owned(),
        HostActivity::Due => "next in turn".to_owned(),
        HostActivity::Resting => until("waits until"),
        HostActivity::Deferred => format!("deferred: {}", now.why),
        HostActivity::Failing => until("tried again"),
    }
}

/// What a link in the list of hosts does.
enum HostLink {
    /// Shows the URLs of this host in another list.
    Urls(CrawlTab, String),
    /// Has this host fetched in the usual order again.
    ResumeHost(String),
}

const RESUME_HOST: &str = "Resume";
const RESUMED: &str = "Fetches this host in the usual order again, whatever its pages are";

/// Whether the crawl fetches from this host after all others.
fn is_deferred(row: &HostRow) -> bool {
    row.now.as_ref().is_some_and(|now| now.activity == HostActivity::Deferred)
}

/// Draws what a host does; true where it is to be fetched in the usual order again.
fn now_ui(ui: &mut Ui, row: &HostRow) -> bool {
    let colors = tokens(ui);
    let (icon, color) = match row.now.as_ref().map(|now| now.activity) {
        Some(HostActivity::Fetching) => (Icon::Good, colors.accept),
        Some(HostActivity::Due | HostActivity::Resting | HostActivity::Deferred) => (Icon::Waiting, colors.weak_text),
        Some(HostActivity::Failing) => (Icon::Warning, colors.flag),
        None if row.queued == 0 && row.fetched == 0 && row.failed > 0 => (Icon::Warning, colors.flag),
        None => (Icon::Minus, colors.weak_text),
    };
    let label = now_of(row);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
        icon_ui(ui, icon, theme::SMALL_ICON, color);
        let is_pressed = is_deferred(row) && ui.link(RESUME_HOST).on_hover_text(RESUMED).clicked();
        cell_ui(ui, &label).on_hover_text(&label);
        is_pressed
    })
    .inner
}

/// The rules that let URLs of a host in, by their plain names.
fn accepted_by(row: &HostRow) -> String {
    let part = |(rule, urls): &(String, u64)| format!("{} {}", rule_label(rule), text::count(*urls));
    row.rules.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The rest of the page's height, but no less than the rows that it always shows.
fn rest_height(ui: &Ui) -> f32 {
    ui.available_height().max(least_table_height(ui, theme::ROWS_LEAST, theme::ROW))
}

/// URLs ever seen, each of which explains itself.
pub(super) fn seen_table<'a>(id: &'static str, name: &'a str, app: &AppState) -> Table<'a, SeenRow, SeenId> {
    type Col<'a> = Column<'a, SeenRow, SeenId>;
    let columns = [
        Col::text("url", "URL", 360.0, |row| &row.url),
        Col::text("outcome", "Outcome", 300.0, |row| row.outcome.sentence.trim_end_matches('.'))
            .draw(|ui, row| drop(outcome_cell_ui(ui, &row.outcome))),
        Col::text("rule", "Deciding rule", 150.0, |row| rule_label(&row.rule))
            .draw(|ui, row| drop(rule_cell_ui(ui, &row.rule))),
        Col::made("hops", "Hops", 60.0, |row| text::hops(&row.hops))
            .about("Steps from the seed; the tooltip has their kinds")
            .draw(|ui, row| drop(hops_cell_ui(ui, &row.hops))),
        Col::text("anchor", "Anchor", 160.0, |row| &row.anchor).about("Text of the link"),
        Col::date("seen", "Seen (UTC)", 150.0, |row| row.date).hidden(),
        Col::text("via", "Via", 240.0, |row| &row.via).about("The page that led here"),
    ];
    let chosen = match app.focus() {
        Some(Focus::Seen(id)) => Some(id.unsigned_abs()),
        _ => None,
    };
    Table::new(id, name, columns, |row: &SeenRow| row.id.unsigned_abs())
        .chosen(chosen)
        .on_focus(|row| Some(row.id))
        .menu(|ui, row| ui.button("Show the scope decision").clicked().then_some(row.id))
        .with_rows(RowsAction::copy_urls(|row: &SeenRow| &row.url))
}

/// Lets a seen URL explain itself in the lower panel.
pub(super) fn explain(app: &mut AppState, seen: SeenId) {
    app.follow(Focus::Seen(seen));
    app.show_tab(PanelTab::Decision);
}

/// Hosts that are named while they are left alone.
const PAUSES_SHOWN: usize = 3;

/// Offers the version of the campaign that was saved while its crawl runs.
fn saved_version_ui(ui: &mut Ui, app: &mut AppState, page: &CrawlPage, launch: &LaunchRow) {
    let Some(version) = page.saved_version.filter(|_| app.crawl_job().is_some()) else { return };
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("Version {version} was saved; this crawl still uses the earlier one"));
        let hint = "Reorders the queue, decides queued and refused URLs again, and queues new seeds";
        if ui.button(format!("Apply version {version}")).on_hover_text(hint).clicked() {
            app.send(Command::ApplyVersion(launch.campaign));
        }
    });
}

/// Draws the hosts that are paused, with the end and the reason of the pause.
fn pauses_ui(ui: &mut Ui, page: &CrawlPage) {
    for pause in page.pauses.iter().take(PAUSES_SHOWN) {
        let (host, until) = (text::short(&pause.authority, 60), pause.until.to_readable());
        ui.weak(format!("⏳ {host} is asked again at {until} UTC: {}", text::line(&pause.why)));
    }
    let more = page.pauses_total.saturating_sub(page.pauses.len().min(PAUSES_SHOWN) as u64);
    if more > 0 {
        ui.weak(format!("⏳ and {} later", text::counted(more, "host")));
    }
}

fn header_ui(ui: &mut Ui, app: &mut AppState, page: &CrawlPage, launch: &LaunchRow, launches: Launches) {
    let running = app.crawl_job().map(|job| job.cx().progress());
    let colors = tokens(ui);
    let (icon, color) = match launch.state {
        LaunchState::Running => (Icon::Good, colors.accept),
        LaunchState::Paused => (Icon::Pause, colors.flag),
        LaunchState::Stopped => (Icon::Stop, colors.flag),
        LaunchState::Finished if launch.nothing_fetched || launch.to_retry() > 0 => (Icon::Warning, colors.flag),
        LaunchState::Finished => (Icon::Check, colors.text),
    };
    let seconds = launch.ran_ms as f64 / 1000.0;
    let mut header = Header::<()>::new("Crawl").mark(icon, color).state(page.label(launch));
    if running.as_ref().is_some_and(|progress| progress.cancelled) {
        header = header.flag("Stopping: closing open records");
    }
    if !launch.why.is_empty() {
        header = header.flag(&launch.why);
    }
    header = header
        .detail(format!("started {} UTC, ran {}", launch.started.to_readable(), text::duration(seconds)))
        .detail(rate_plots::forecast(page));
    if app.campaign() != Some(launch.campaign) {
        header = header.detail(text::short(&campaign_title(launch.campaign, &launch.campaign_name), 60));
    }
    if let Some(origin) = &launch.origin {
        header = header.detail(format!("came with the handover “{}”", text::short(origin, 60)));
    }
    header = match &running {
        Some(progress) => {
            let label = if progress.paused { "Resume crawl" } else { "Pause crawl" };
            header
                .plain(HeaderButton::action(Action::StopCrawl))
                .primary(HeaderButton::named(Action::PauseCrawl, label))
        }
        // Only the last launch can go on.
        None if matches!(launches, Launches::One(_)) => header,
        None => {
            let label = match launch.state {
                LaunchState::Stopped | LaunchState::Paused => "Resume crawl",
                LaunchState::Running | LaunchState::Finished => "Start crawl",
            };
            // A trial is a sample: nothing of it is tried again.
            if launch.to_retry() > 0 && launch.trial.is_none() {
                let retry = format!("Retry {} failed", launch.to_retry());
                let retry = HeaderButton::send(retry, Command::RetryFailed(launch.campaign)).hint(RETRY);
                header = header.plain(retry);
            }
            if launch.state == LaunchState::Stopped {
                let end = HeaderButton::send("End this launch", Command::EndLaunch(launch.id));
                header = header.more(end.hint("The next start begins a new launch"));
            }
            let trial = HeaderButton::send("Start a trial", Command::Trials(TrialAct::Start(launch.campaign)));
            header =
                header.more(trial.hint("Fetches at most 300 URLs by relevance, to be marked, then kept or discarded"));
            // It keeps its place: a second click on it starts nothing else.
            header
                .plain(HeaderButton::action(Action::StopCrawl))
                .primary(HeaderButton::named(Action::StartCrawl, label))
        }
    };
    let captures = Command::Go(Route::Captures { filter: String::new() });
    header
        .more(HeaderButton::action(Action::BuildInlinks))
        .more(HeaderButton::send("Show captures", captures))
        .ui(ui, app);
}

/// The hint of the button that crawls again what failed.
const RETRY: &str = "Puts the URLs of this launch that failed, or last answered with 429 or 5xx, back into its queue \
                     and crawls them again";

fn empty_page_ui(ui: &mut Ui, app: &mut AppState) {
    empty_ui(
        ui,
        "No crawl has run yet",
        "A crawl fetches the seeds and the URLs in scope, politely, and writes all records to WARC files",
    );
    if let Some(id) = app.campaign()
        && let Loaded::Ready(rows) = app.reads.campaigns()
        && let Some(row) = rows.iter().find(|row| row.id == id)
    {
        ui.label(format!(
            "{} has {} and {}",
            text::short(&row.title(), 80),
            text::counted(row.seeds, "seed"),
            row.next_run.as_deref().map_or_else(|| "no scheduled run".to_owned(), |next| format!("next run {next}")),
        ));
        ui.add_space(GAP);
    }
    ui.horizontal(|ui| {
        if ui.button("Edit specification").clicked() {
            app.send(Command::Go(Route::Spec(app.campaign())));
        }
        action_ui(ui, app, Action::Import);
    });
    heading_ui(ui, "Requirements");
    ui.weak("At least one seed, and a User-Agent with a contact address (Spec, Politeness)");
}
