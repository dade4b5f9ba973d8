//! Tests of the window click through every page by its labels, and check the commands that were sent.

#![allow(clippy::unwrap_used)]

mod access;
mod access_names;
mod campaigns;
mod crawl;
mod decisions;
mod dialogs;
mod drawn;
mod evidence;
mod files;
mod handover;
mod help;
mod imports;
mod keyboard;
mod messages;
mod new_campaign;
mod numbers;
mod on_disk;
mod other_workspace;
mod overview;
mod pages;
mod plans;
mod read_only;
mod review;
mod room;
mod scope;
mod search;
mod settings;
mod shell;

use super::Cockpit;
use crate::app::models::{CampaignId, CaptureQuery, CaptureRow};
use crate::app::{Command, JobKind, Session, Settings, Workspaces};
use crate::store::Workspace;
use crate::testing::town;
use crate::work;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The campaign of the sample town.
pub(super) const TOWN: CampaignId = CampaignId::new(1);

/// How long a worker may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a worker is waited for where it may have nothing to say.
const STILL_WITHIN: Duration = Duration::from_secs(2);

/// A window, on a workspace of its own.
pub(super) struct Window {
    harness: Harness<'static, Option<Cockpit>>,
    /// Where its workspace lies; none where the test has a folder itself.
    root: Option<tempfile::TempDir>,
}

impl Window {
    /// A window on a copy of the sample town, with its campaign chosen.
    pub(super) fn town() -> Self {
        Self::town_as(|_| {})
    }

    /// The same, after something was done to the workspace.
    pub(super) fn town_as(change: impl FnOnce(&Session)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = town().copy(root.path());
        change(&Session::new(Workspace::open(&folder).unwrap()));
        let mut window = Self { root: Some(root), ..Self::on_disk(&folder, Settings::default(), Some(folder.clone())) };
        window.app_mut().send(Command::ChooseCampaign(TOWN));
        window.until("its campaign is at hand", |window| window.app().campaign() == Some(TOWN));
        window.settle();
        window
    }

    /// On a workspace with nothing in it.
    pub(super) fn empty() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("empty");
        drop(Workspace::create(&folder).unwrap());
        Self { root: Some(root), ..Self::on_disk(&folder, Settings::default(), Some(folder.clone())) }
    }

    /// Without a workspace.
    pub(super) fn bare() -> Self {
        let root = tempfile::tempdir().unwrap();
        let window = Self::on_disk(root.path(), Settings::default(), None);
        Self { root: Some(root), ..window }
    }

    /// The folder around the workspace.
    pub(super) fn root(&self) -> &Path {
        self.root.as_ref().unwrap().path()
    }

    /// The open workspace.
    pub(super) fn session(&self) -> Arc<Session> {
        self.app().session().unwrap().clone()
    }

    /// The folder of the open workspace.
    pub(super) fn folder(&self) -> PathBuf {
        self.session().workspace().unwrap().folder
    }

    /// Captures of the current campaign that match a filter line, in the order of the table.
    pub(super) fn captures(&self, filter: &str) -> Vec<CaptureRow> {
        let query = CaptureQuery { campaign: self.app().campaign(), ..work::everything() };
        let query = CaptureQuery { filter: filter.to_owned(), limit: 10_000, ..query };
        self.session().catalogue().captures(&query).unwrap().rows
    }

    /// Waits until a job of this kind has done its work, and its message is on screen.
    #[track_caller]
    pub(super) fn until_done(&mut self, kind: JobKind) -> String {
        self.until(&format!("{} is done", kind.label()), |window| {
            window.app().jobs().is_empty() && window.app().ended().iter().any(|job| job.kind == kind)
        });
        self.settle();
        let job = self.app_mut().take_ended(kind).unwrap();
        assert!(!job.failed, "{}", job.outcome);
        job.outcome
    }

    /// On a workspace on disk, or without one; others are offered beside.
    pub(super) fn on_disk(root: &Path, settings: Settings, folder: Option<PathBuf>) -> Self {
        let has_folder = folder.is_some();
        let opener = Arc::new(Workspaces::offering(root.join("fonds")));
        let mut window = Self::with(opener, settings, folder);
        if has_folder {
            window.until("the workspace is open", |window| window.app().session().is_some());
        }
        window.settle();
        window
    }

    fn with(opener: Arc<Workspaces>, settings: Settings, folder: Option<PathBuf>) -> Self {
        // What is read in the panel is tested everywhere; its closed state in tests of its own.
        let (mut folder, mut settings) = (folder, Some(Settings { panel_open: true, panel_aside: false, ..settings }));
        let harness = Harness::builder()
            .with_size(egui::vec2(1600.0, 1000.0))
            .allow_missing_glyphs()
            .with_context_setup(|ctx| {
                super::theme::install(ctx);
                // Where a test clicks nothing is on its way to another place.
                ctx.all_styles_mut(|style| {
                    style.scroll_animation = egui::style::ScrollAnimation::none();
                    style.animation_time = 0.0;
                });
                ctx.options_mut(|options| options.input_options.max_double_click_delay = 0.0);
            })
            // Messages that go by, and with them the page, stay where they are while a test clicks.
            .with_step_dt(0.001)
            .build_ui_state(
                move |ui, cockpit: &mut Option<Cockpit>| {
                    let cockpit = cockpit.get_or_insert_with(|| {
                        let settings = settings.take().unwrap_or_default();
                        Cockpit::new(ui.ctx(), opener.clone(), settings, folder.take()).unwrap()
                    });
                    let ctx = ui.ctx().clone();
                    cockpit.logic(&ctx);
                    cockpit.ui(ui);
                },
                None,
            );
        Self { harness, root: None }
    }

    pub(super) fn app(&self) -> &crate::app::AppState {
        &self.harness.state().as_ref().unwrap().app
    }

    pub(super) fn app_mut(&mut self) -> &mut crate::app::AppState {
        &mut self.harness.state_mut().as_mut().unwrap().app
    }

    /// Lets workers answer and the window draw.
    pub(super) fn settle(&mut self) {
        self.still(4);
        self.harness.check_accessibility();
    }

    /// Draws until no answer was on its way for so many looks, for a while at most.
    fn still(&mut self, rounds: usize) {
        let (begun, mut quiet) = (Instant::now(), 0);
        while quiet < rounds && begun.elapsed() < STILL_WITHIN {
            self.harness.run_steps(2);
            quiet = if self.app().is_waited_for() { 0 } else { quiet + 1 };
            std::thread::sleep(Duration::from_millis(5));
        }
        self.harness.run_steps(2);
    }

    /// Lets so many seconds go by at once: with each frame only a thousandth does.
    pub(super) fn pass(&mut self, seconds: f64) {
        let now = self.harness.ctx.input(|input| input.time);
        self.harness.input_mut().time = Some(now + seconds);
        self.harness.run_steps(1);
        self.harness.input_mut().time = None;
    }

    #[track_caller]
    pub(super) fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}; on screen: {:?}", self.texts());
            self.harness.run_steps(1);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Clicks what carries exactly this label: what can be pressed rather than
    /// what is only read. Where several can be pressed the last one is, as the
    /// rail and the bars come first; of rows the first.
    #[track_caller]
    pub(super) fn click(&mut self, label: &str) {
        self.still(1);
        let nodes = || self.harness.query_all_by_label(label);
        let Some(node) = nodes().rfind(is_pressed).or_else(|| nodes().next()) else {
            panic!("nothing says “{label}”; on screen: {:?}", self.texts());
        };
        node.click();
        self.settle();
    }

    /// Clicks what is in a menu or a drop of this name.
    #[track_caller]
    pub(super) fn choose(&mut self, menu: &str, label: &str) {
        self.click(menu);
        self.until(&format!("“{label}” is in the menu"), |window| window.can_click(label));
        self.click(label);
    }

    /// The texts of a menu or drop of this name, which is closed again.
    #[track_caller]
    pub(super) fn texts_of_menu(&mut self, menu: &str) -> Vec<String> {
        self.click(menu);
        let texts = self.texts();
        self.press(Key::Escape);
        texts
    }

    /// Clicks a line of the menu in the header.
    #[track_caller]
    pub(super) fn click_more(&mut self, label: &str) {
        self.click("More commands");
        self.click(label);
    }

    /// Goes to the page before, by its key.
    pub(super) fn go_back(&mut self) {
        self.press_with(Modifiers::ALT, Key::ArrowLeft);
    }

    /// Whether something that can be clicked carries this label.
    pub(super) fn can_click(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).any(|node| is_pressed(&node))
    }

    /// Clicks what carries this label; the address that it opens in the browser, if any.
    #[track_caller]
    pub(super) fn click_to_browser(&mut self, label: &str) -> Option<String> {
        self.still(1);
        self.harness.query_all_by_label(label).find(is_pressed).unwrap().click();
        self.opened_in_browser()
    }

    /// Presses a key; the address that it opens in the browser, if any.
    pub(super) fn press_to_browser(&mut self, key: Key) -> Option<String> {
        self.harness.key_press(key);
        self.opened_in_browser()
    }

    fn opened_in_browser(&mut self) -> Option<String> {
        let opened = (0..20).find_map(|_| {
            self.harness.step();
            self.harness.output().platform_output.commands.iter().find_map(|command| match command {
                egui::OutputCommand::OpenUrl(open) => Some(open.url.clone()),
                _ => None,
            })
        });
        self.settle();
        opened
    }

    /// Clicks the number in a cell of this name, such as `Captures: 2`, the first of several.
    #[track_caller]
    pub(super) fn click_number(&mut self, cell: &str) {
        self.still(1);
        let number = cell.rsplit(": ").next().unwrap();
        let cells = || self.harness.query_all_by_label(cell);
        let Some(link) = cells().find_map(|cell| cell.query_by_label(number)) else {
            panic!("no number is called “{cell}”; on screen: {:?}", self.texts());
        };
        link.click();
        self.settle();
    }

    /// Brings what carries this label into sight: only there it can be clicked.
    #[track_caller]
    pub(super) fn scroll_to(&mut self, label: &str) {
        self.still(1);
        match self.harness.query_all_by_label(label).find(is_pressed) {
            Some(node) => node.scroll_to_me(),
            None => panic!("nothing to press says “{label}”; on screen: {:?}", self.texts()),
        }
        self.settle();
    }

    /// Clicks the radio button of this label: words in a list may be the same.
    #[track_caller]
    pub(super) fn click_radio(&mut self, label: &str) {
        self.still(1);
        use egui::accesskit::Role;
        let radio = |node: &egui_kittest::Node<'_>| node.accesskit_node().role() == Role::RadioButton;
        match self.harness.query_all_by_label(label).find(radio) {
            Some(node) => node.click(),
            None => panic!("no radio button says “{label}”; on screen: {:?}", self.texts()),
        }
        self.settle();
    }

    /// Clicks the head of the column of this name with the second button.
    #[track_caller]
    pub(super) fn click_secondary(&mut self, head: &str) {
        self.click_secondary_on(egui::accesskit::Role::ColumnHeader, head);
    }

    /// Clicks what has this role and name with the second button.
    #[track_caller]
    pub(super) fn click_secondary_on(&mut self, role: egui::accesskit::Role, name: &str) {
        self.still(1);
        let is_of_role = |node: &egui_kittest::Node<'_>| node.accesskit_node().role() == role;
        match self.harness.query_all_by_label(name).find(is_of_role) {
            Some(node) => node.click_secondary(),
            None => panic!("no {role:?} is called “{name}”; on screen: {:?}", self.texts()),
        }
        self.settle();
    }

    pub(super) fn press(&mut self, key: Key) {
        self.harness.key_press(key);
        self.settle();
    }

    pub(super) fn press_with(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    /// Types into the field of this label.
    #[track_caller]
    pub(super) fn type_into(&mut self, label: &str, text: &str) {
        self.still(1);
        if !self.type_into_some(label, text) {
            panic!("no field is called “{label}”; on screen: {:?}", self.texts());
        }
    }

    /// Types into a field where it is on screen; true where it was.
    pub(super) fn type_into_some(&mut self, label: &str, text: &str) -> bool {
        let Some(node) = self.harness.query_all_by_label(label).find(|node| is_field(node)) else { return false };
        node.focus();
        self.harness.run_steps(2);
        let Some(node) = self.harness.query_all_by_label(label).find(|node| is_field(node)) else { return true };
        node.type_text(text);
        self.settle();
        true
    }

    /// Whether this text is on screen.
    pub(super) fn shows(&self, text: &str) -> bool {
        self.texts().iter().any(|shown| shown.contains(text))
    }

    #[track_caller]
    pub(super) fn assert_shows(&mut self, text: &str) {
        self.until(&format!("it says “{text}”"), |window| window.shows(text));
    }

    /// Every label and value on screen.
    pub(super) fn texts(&self) -> Vec<String> {
        self.harness
            .root()
            .children_recursive()
            .flat_map(|node| {
                let node = node.accesskit_node();
                [node.label(), node.value()].into_iter().flatten()
            })
            .filter(|text| !text.trim().is_empty())
            .collect()
    }

    /// The text of its title bar.
    pub(super) fn title(&self) -> &str {
        self.harness.state().as_ref().unwrap().title()
    }

    /// The page that is shown.
    pub(super) fn route(&self) -> crate::app::Route {
        self.app().route().clone()
    }

    /// The last command that was sent, besides choosing the first campaign.
    pub(super) fn last_command(&self) -> Option<&Command> {
        self.app().last_command()
    }
}

fn is_pressed(node: &egui_kittest::Node<'_>) -> bool {
    use egui::accesskit::Role;
    matches!(
        node.accesskit_node().role(),
        Role::Button
            | Role::Link
            | Role::CheckBox
            | Role::RadioButton
            | Role::ComboBox
            | Role::Tab
            | Role::DisclosureTriangle
    )
}

fn is_field(node: &egui_kittest::Node<'_>) -> bool {
    use egui::accesskit::Role;
    matches!(
        node.accesskit_node().role(),
        Role::TextInput | Role::PasswordInput | Role::MultilineTextInput | Role::SpinButton
    )
}
