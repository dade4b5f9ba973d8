//! The whole window: state, pages, and what lies around them.

use super::access::{Region, begin_region, go_between_regions, name_window};
use super::decisions::decision_keys;
use super::header::{campaign_name, note_place};
use super::pages::{
    CampaignsPage, CapturesPage, CrawlView, EntitiesView, FilesPage, HelpPage, JobsPage, LinkHostsPage, LinksPage,
    OverviewPage, ProspectView, ReviewPage, ScopeLists, SearchPage, SelectPage, SettingsPage, SpecPage, cited_pages_ui,
    selected_hosts_ui,
};
use super::rail::rail_ui;
use super::shell::strip_ui;
use super::widgets::{note_read_only, take_page_room};
use super::{dialogs::Dialogs, drops::Drops, news::News, panel::LowerPanel, theme};
use crate::app::models::{ImportOptions, Loaded};
use crate::app::{Action, AppState, Command, Focus, Route, Settings, Workspaces, page_name};
use egui::{Context, Key, KeyboardShortcut, Modifiers, Rect, Ui, UiBuilder, ViewportCommand};
use std::path::PathBuf;
use std::sync::Arc;

/// Letters of the campaign's name in the title of the window.
const TITLE_CHARS: usize = 60;

/// The window's contents.
pub struct Cockpit {
    /// The state of the window.
    pub app: AppState,
    open: OpenPages,
    /// Of which opening of a workspace they are.
    generation: u64,
    help: HelpPage,
    drops: Drops,
    /// The height that the page needed when it was drawn last.
    page_room: Option<f32>,
    /// The last title of the window.
    title: String,
}

/// State of pages and bars between frames: all of it is of the workspace that is open.
#[derive(Default)]
struct OpenPages {
    campaigns: CampaignsPage,
    overview: OverviewPage,
    spec: SpecPage,
    scope_lists: ScopeLists,
    crawl: CrawlView,
    captures: CapturesPage,
    prospect: ProspectView,
    entities: EntitiesView,
    search: SearchPage,
    links: LinksPage,
    link_hosts: LinkHostsPage,
    review: ReviewPage,
    select: SelectPage,
    jobs: JobsPage,
    settings: SettingsPage,
    files: FilesPage,
    panel: LowerPanel,
    dialogs: Dialogs,
    news: News,
}

/// Places of what lies beside the rail.
struct Parts {
    header: Rect,
    page: Rect,
    panel: Option<Rect>,
    strip: Rect,
}

impl Cockpit {
    /// The contents of a new window. `folder` is opened at once.
    pub fn new(
        ctx: &Context,
        opener: Arc<Workspaces>,
        settings: Settings,
        folder: Option<PathBuf>,
    ) -> std::io::Result<Self> {
        theme::install(ctx);
        let wake_ctx = ctx.clone();
        let mut app = AppState::new(opener, settings, Arc::new(move || wake_ctx.request_repaint()))?;
        if let Some(folder) = folder {
            app.send(Command::Open { path: folder, options: ImportOptions::default() });
        }
        Ok(Self {
            app,
            open: OpenPages::default(),
            generation: 0,
            help: HelpPage::default(),
            drops: Drops::default(),
            page_room: None,
            title: String::new(),
        })
    }

    /// The settings, to be kept.
    pub fn settings(&self) -> &Settings {
        &self.app.settings
    }

    /// Takes in what workers answered; draws nothing. Also called while the
    /// window is hidden.
    pub fn logic(&mut self, ctx: &Context) {
        self.app.tick();
        self.follow_workspace(ctx);
        self.choose_a_campaign();
        self.confirm_close(ctx);
        self.open.news.take(&mut self.app, ctx.input(|input| input.time));
        theme::choose(ctx, self.app.settings.theme);
        theme::reduce_motion(ctx, self.app.settings.reduced_motion);
        super::text::choose_dates(self.app.settings.dates);
        let zoom = self.app.settings.zoom_factor();
        if (ctx.zoom_factor() - zoom).abs() > f32::EPSILON {
            ctx.set_zoom_factor(zoom);
        }
    }

    /// Forgets what pages, fields and tables kept of a workspace that is open no more.
    fn follow_workspace(&mut self, ctx: &Context) {
        if std::mem::replace(&mut self.generation, self.app.reads.generation()) != self.generation {
            self.open = OpenPages::default();
            // Tables, text fields with their undo, and places in lists are kept there under the ids of the pages.
            ctx.data_mut(|data| data.clear());
        }
    }

    /// Draws everything.
    pub fn ui(&mut self, ui: &mut Ui) {
        self.app.note_dark(ui.visuals().dark_mode);
        note_read_only(ui.ctx(), self.app.read_only());
        self.shortcuts(ui);
        if let Some(url) = self.app.take_browser_url() {
            ui.ctx().open_url(egui::OpenUrl::new_tab(url));
        }
        rail_ui(ui, &mut self.app);
        // Drawn in the order that Tab goes in, from the top to the bottom.
        let Parts { header, page, panel, strip } = self.parts(ui.available_rect_before_wrap());
        ui.painter().rect_filled(header, 0.0, theme::tokens(ui).page_bg);
        note_place(ui.ctx(), header);
        self.page_region_ui(&mut child(ui, "page", page));
        if let Some(panel) = panel {
            self.open.panel.show_ui(&mut child(ui, "lower panel", panel), &mut self.app);
        }
        let bar = strip_ui(&mut child(ui, "job strip", strip), &mut self.app);
        let over = panel.map_or(page, |panel| page.union(panel));
        self.open.news.show_ui(ui, &mut self.app, over, bar);
        ui.advance_cursor_after_rect(ui.available_rect_before_wrap());
        self.open.dialogs.show_ui(ui, &mut self.app);
        go_between_regions(ui.ctx());
        self.title_ui(ui);
        self.drops.show_ui(ui, &mut self.app);
        if self.app.has_outbox() {
            ui.ctx().request_repaint();
        } else if let Some(wait) = self.app.next_tick() {
            ui.ctx().request_repaint_after(wait);
        }
    }

    /// The title of the window.
    #[cfg(test)]
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Names the window by its campaign and workspace: in its title bar, in lists of windows, and where it
    /// is read out.
    fn title_ui(&mut self, ui: &Ui) {
        let campaign = campaign_name(&mut self.app).map(|name| super::text::short(&name, TITLE_CHARS));
        let folder = self.app.session().and_then(|session| session.workspace.folder().file_name());
        let folder = folder.map(|folder| super::text::line(&folder.to_string_lossy()));
        let suffix = if self.app.read_only().is_some() { " (read only)" } else { "" };
        let parts = [campaign, folder, Some("Fonds".to_owned())];
        let title = format!("{}{suffix}", parts.into_iter().flatten().collect::<Vec<_>>().join(" – "));
        name_window(ui.ctx(), &title);
        if title != self.title {
            ui.ctx().send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// The places of header, page, panel and job strip in what is left of the window.
    fn parts(&mut self, area: Rect) -> Parts {
        let (above, strip) = area.split_top_bottom_at_y((area.bottom() - theme::STRIP).max(area.top()));
        let (header, below) = above.split_top_bottom_at_y((above.top() + theme::HEADER).min(above.bottom()));
        if !self.has_lower_panel() {
            return Parts { header, page: below, panel: None, strip };
        }
        if let Some(width) = self.open.panel.width_aside(area.width() + theme::RAIL_WIDTH, &self.app) {
            let (page, panel) = below.split_left_right_at_x(below.right() - width);
            return Parts { header, page, panel: Some(panel), strip };
        }
        let height = self.open.panel.height(below, &self.app, self.page_room);
        let (page, panel) = below.split_top_bottom_at_y((below.bottom() - height).max(below.top()));
        Parts { header, page, panel: Some(panel), strip }
    }

    fn page_region_ui(&mut self, ui: &mut Ui) {
        theme::page_frame(ui).show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            let name = page_name(self.app.route().page());
            begin_region(ui, Region::Page, name);
            // Each page has ids of its own, so that scroll positions are its own.
            ui.push_id(self.app.route().page(), |ui| self.page_ui(ui));
            decision_keys(ui, &mut self.app);
        });
        self.page_room = take_page_room(ui);
    }

    /// Captures and Review are read with it; elsewhere a row calls for it.
    fn has_lower_panel(&self) -> bool {
        let app = &self.app;
        let is_panel_page = match app.route() {
            _ if app.selected_together().is_some() => true,
            Route::Captures { .. } | Route::Review { .. } => app.focus().is_some() && !app.is_blind(),
            Route::Crawl | Route::Scope(..) => matches!(app.focus(), Some(Focus::Seen(_))),
            Route::Links { .. } | Route::Select | Route::Search(_) => matches!(app.focus(), Some(Focus::Capture(_))),
            Route::Files(_) => matches!(app.focus(), Some(Focus::File(_) | Focus::Problem(_))),
            Route::LinkSet { .. } | Route::LinkHosts(_) | Route::CitedPages(..) | Route::SelectedHosts(_) => false,
            Route::Campaigns
            | Route::Overview
            | Route::Spec(_)
            | Route::Prospect
            | Route::Entities { .. }
            | Route::Jobs
            | Route::Help(_)
            | Route::Settings => false,
        };
        is_panel_page && app.settings.lower_panel && app.session().is_some()
    }

    fn page_ui(&mut self, ui: &mut Ui) {
        let app = &mut self.app;
        if app.session().is_none()
            && !matches!(app.route(), Route::Campaigns | Route::Jobs | Route::Help(_) | Route::Settings)
        {
            super::pages::no_workspace_ui(ui, app);
            return;
        }
        match app.route().clone() {
            Route::Campaigns => self.open.campaigns.ui(ui, app),
            Route::Overview => self.open.overview.ui(ui, app),
            Route::Spec(id) => self.open.spec.ui(ui, app, id),
            Route::Scope(id, list) => self.open.scope_lists.ui(ui, app, id, list),
            Route::Crawl => self.open.crawl.ui(ui, app),
            Route::Captures { filter } => self.open.captures.ui(ui, app, &filter),
            Route::Prospect => self.open.prospect.ui(ui, app),
            Route::Entities { entity } => self.open.entities.ui(ui, app, &entity),
            Route::Search(query) => self.open.search.ui(ui, app, &query),
            Route::Links { target } => self.open.links.ui(ui, app, None, &target),
            Route::LinkSet { folder, target } => self.open.links.ui(ui, app, Some(&folder), &target),
            Route::LinkHosts(folder) => self.open.link_hosts.ui(ui, app, folder.as_ref()),
            Route::CitedPages(folder, by) => cited_pages_ui(ui, app, folder.as_ref(), &by),
            Route::Review { filter } => self.open.review.ui(ui, app, &filter),
            Route::Select => self.open.select.ui(ui, app),
            Route::SelectedHosts(selected) => selected_hosts_ui(ui, app, selected),
            Route::Jobs => self.open.jobs.ui(ui, app),
            Route::Files(part) => self.open.files.ui(ui, app, &part),
            Route::Help(guide) => self.help.ui(ui, app, guide),
            Route::Settings => self.open.settings.ui(ui, app),
        }
    }

    fn shortcuts(&mut self, ui: &mut Ui) {
        if self.app.dialog().is_some() {
            // A menu of the dialog closes first.
            let has_menu = egui::Popup::is_any_open(ui.ctx());
            if !has_menu && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
                self.app.send(Command::CloseDialog);
            }
            return;
        }
        if *self.app.route() == Route::Settings && self.open.settings.is_recording() {
            // The keys that are pressed are being chosen.
            return;
        }
        let typing = super::widgets::is_typing(ui);
        let writes_note = super::widgets::is_writing_note(ui);
        if super::widgets::is_leaving_note(ui) {
            // Esc leaves the field and does nothing else.
            ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        }
        let settings = &self.app.settings;
        let of_action = |action: Action| Some((shortcut(settings.keys_of(action))?, action));
        let mut shortcuts: Vec<_> = Action::ALL.into_iter().filter_map(of_action).collect();
        // The keys of one may be a part of those of another: the longer ones first.
        let length = |keys: &Modifiers| [keys.command, keys.shift, keys.alt].into_iter().filter(|on| *on).count();
        shortcuts.sort_by_key(|(keys, _)| std::cmp::Reverse(length(&keys.modifiers)));
        for (keys, action) in shortcuts {
            // Ctrl+Enter keeps the note that is being written.
            if writes_note && action == Action::Export {
                continue;
            }
            // A text field has its own undo.
            if typing && matches!(action, Action::Undo | Action::Redo | Action::Back) {
                continue;
            }
            if ui.input_mut(|input| input.consume_shortcut(&keys)) {
                self.app.act(action);
            }
        }
        if !typing {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Backspace)) {
                self.app.send(Command::Back);
            }
            if ui.input(|input| input.events.iter().any(|event| *event == egui::Event::Text("?".to_owned()))) {
                self.app.act(Action::Keys);
            }
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Slash)) {
                self.app.act(Action::Find);
            }
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::O)) {
                self.app.act(Action::OpenInBrowser);
            }
        }
    }

    /// Chooses the first campaign where none is chosen, except where all captures are shown.
    fn choose_a_campaign(&mut self) {
        if self.app.campaign().is_none()
            && self.app.session().is_some()
            && let Loaded::Ready(rows) = self.app.reads.campaigns()
            && let Some(first) = self.app.first_campaign(&rows)
        {
            self.app.send(Command::ChooseCampaign(first));
        }
    }

    /// Opens a dialog before closing where edits or running work would be lost.
    fn confirm_close(&mut self, ctx: &Context) {
        let is_close_requested = ctx.input(|input| input.viewport().close_requested());
        let edited = || self.app.open.spec.as_ref().is_some_and(|spec| spec.is_edited());
        let waits = self.app.is_at_work() || edited() || self.app.has_unused_workspace();
        if is_close_requested && !self.app.is_closing() && waits {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.app.send(Command::CloseWindow);
        }
        let is_done = !self.app.is_at_work() && !self.app.has_outbox() && !self.app.has_unused_workspace();
        if self.app.is_closing() && is_done {
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }
}

/// A part of the window that draws nothing outside.
fn child(ui: &mut Ui, id: &str, rect: Rect) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    child
}

/// `Ctrl+K` as egui has it.
pub(super) fn shortcut(keys: &str) -> Option<KeyboardShortcut> {
    let mut modifiers = Modifiers::NONE;
    // What is pressed may be the sign between the keys itself.
    let mut key = keys.ends_with("++").then_some(Key::Plus);
    for part in keys.split('+').filter(|part| !part.is_empty()) {
        match part {
            "Ctrl" => modifiers = modifiers.plus(Modifiers::COMMAND),
            "Shift" => modifiers = modifiers.plus(Modifiers::SHIFT),
            "Alt" => modifiers = modifiers.plus(Modifiers::ALT),
            name => key = Key::from_name(name),
        }
    }
    key.map(|key| KeyboardShortcut::new(modifiers, key))
}
