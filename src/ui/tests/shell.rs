//! Rail, palette, keys, dialogs, jobs, notices.

use super::TOWN;
use super::Window;
use crate::app::models::Launches;
use crate::app::{Command, Dialog, JobKind, PAGES, Route};
use egui::{Key, Modifiers};

#[test]
fn every_page_of_the_rail_is_reached_by_name_and_by_key() {
    let mut window = Window::town();
    for (number, label) in PAGES.iter().enumerate() {
        window.click(label);
        assert_eq!(window.route().page(), number, "{label}");
    }
    for (number, (modifiers, key)) in super::access::PAGE_KEYS.into_iter().enumerate() {
        window.press_with(modifiers, key);
        assert_eq!(window.route().page(), number, "{key:?}");
    }
    window.go_back();
    assert_eq!(window.route(), Route::Select);
}

#[test]
fn the_palette_finds_and_does() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::K);
    assert_eq!(window.app().dialog(), Some(Dialog::Palette));
    window.harness.event(egui::Event::Text("build inlinks".to_owned()));
    window.settle();
    window.press(Key::Enter);
    window.until_done(JobKind::BuildInlinks);
    assert_eq!(window.app().dialog(), None);

    window.press_with(Modifiers::COMMAND, Key::K);
    window.harness.event(egui::Event::Text("url:mestre.html".to_owned()));
    window.settle();
    window.assert_shows("Find captures with “url:mestre.html”");
    window.press(Key::Enter);
    assert_eq!(window.route(), Route::Captures { filter: "url:mestre.html".to_owned() });
    let rows = window.captures("url:mestre.html").len();
    window.assert_shows(&format!("{rows} rows"));
}

#[test]
fn greyed_commands_do_nothing_and_keys_explain_why() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::P);
    let notice = &window.app().log().back().unwrap().1;
    assert_eq!(notice.why, "No crawl is running");
    window.harness.event(egui::Event::Text("?".to_owned()));
    window.settle();
    window.assert_shows("Ctrl+Enter");
    window.press(Key::Escape);
    assert_eq!(window.app().dialog(), None);
}

/// Asks for a crawl of the town, confirms it and holds it at its begin.
pub(super) fn begin_crawl(window: &mut Window) {
    window.press_with(Modifiers::COMMAND, Key::R);
    window.assert_shows("Start this crawl?");
    window.assert_shows("Expected to contact 6 hosts");
    window.press(Key::Enter);
    window.until("the crawl runs", |window| window.app().crawl_job().is_some());
    window.app().crawl_job().unwrap().cx().set_paused(true);
}

#[test]
fn a_version_that_is_saved_meanwhile_is_applied_to_the_running_crawl() {
    let mut window = Window::town();
    begin_crawl(&mut window);
    let mut campaign = window.session().catalogue().campaign(TOWN).unwrap().1;
    campaign.description = "Another version".to_owned();
    let (_, version) = window.session().save_campaign(Some(TOWN), &campaign).unwrap();
    window.press_with(Modifiers::COMMAND, Key::Num4);
    let apply = format!("Apply version {version}");
    window.until("the version is offered", |window| window.can_click(&apply));
    window.click(&apply);
    window.until("the crawl has it", |window| !window.can_click(&apply));
    window.assert_shows(&format!("The crawl now uses version {version}"));
    window.click("Stop");
    window.until("the crawl ends", |window| window.app().jobs().is_empty());
}

#[test]
fn a_running_crawl_is_shown_paused_and_stopped() {
    let mut window = Window::town();
    begin_crawl(&mut window);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.assert_shows("Paused");
    window.click("Resume crawl");
    assert!(!window.app().crawl_job().unwrap().cx().is_paused());
    window.until("the page says so", |window| window.shows("Running"));
    window.click("Pause crawl");
    assert!(window.app().crawl_job().unwrap().cx().is_paused());
    window.assert_shows("Paused");
    window.click("Stop");
    window.until("the crawl ends", |window| window.app().jobs().is_empty());
    let crawl = window.app_mut().take_ended(JobKind::Crawl).unwrap();
    assert!(crawl.outcome.starts_with("stopped on request"), "{crawl:?}");
    assert_eq!(window.session().crawl(Some(TOWN), Launches::All).unwrap().launches.len(), 3);
}

#[test]
fn errors_stay_on_screen_until_taken_away() {
    let mut window = Window::town();
    // A file is where the folder shall be.
    let place = window.folder().join("fonds.sqlite/export");
    window.app_mut().open.export_folder = place.display().to_string();
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.assert_shows("fonds.sqlite/export");
    window.assert_shows("Export failed");
    window.click("Dismiss");
    window.until("it is gone", |window| !window.shows("Export failed"));
    window.click("Jobs");
    window.assert_shows("Not a directory");
}

#[test]
fn a_folder_that_is_no_workspace_is_refused_with_a_reason() {
    let mut window = Window::bare();
    window.click("Open a workspace…");
    let folder = window.root().join("broken");
    std::fs::create_dir(&folder).unwrap();
    window.app_mut().send(Command::OpenWorkspace(folder.clone()));
    window.assert_shows(&format!("{} could not be opened", folder.display()));
    window.assert_shows("this folder is not a workspace");
    window.click("Cancel");
    assert_eq!(window.app().dialog(), None);
    window.assert_shows("Choose another folder");
}

#[test]
fn the_window_of_inlinks_is_set() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.click_more("Inlink window ± 90 days…");
    window.click("30 days");
    window.click("Set window");
    window.until_done(JobKind::SetWindow);
    window.click("More commands");
    window.assert_shows("Inlink window ± 30 days…");
    window.press(Key::Escape);
    assert_eq!(window.session().workspace().unwrap().counted_window_days, Some(30));
    window.until("all agree", |window| !window.shows("columns: ± "));
    // Columns that count otherwise say so, and are counted again.
    window.session().set_window(90, &crate::jobs::JobCx::detached()).unwrap();
    window.until("it says so", |window| window.shows("columns: ± 90 days"));
    window.click_more("Recount the inlink columns");
    window.until_done(JobKind::SetWindow);
    assert_eq!(window.session().workspace().unwrap().counted_window_days, Some(30));
}

#[test]
fn the_palette_changes_light_and_dark() {
    let mut window = Window::town();
    let before = window.app().shows_dark();
    for dark in [!before, before] {
        window.click("Find or do");
        window.harness.event(egui::Event::Text("light and dark".to_owned()));
        window.settle();
        window.press(Key::Enter);
        assert_eq!(window.last_command(), Some(&Command::ToggleTheme));
        assert_eq!(window.app().shows_dark(), dark);
    }
}

pub(super) fn request_close(window: &mut Window) {
    let viewports = &mut window.harness.input_mut().viewports;
    viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    window.settle();
}

#[test]
fn closing_while_work_runs_is_confirmed_once() {
    let mut window = Window::town();
    begin_crawl(&mut window);
    request_close(&mut window);
    window.assert_shows("Close the window?");
    window.click("Keep open");
    assert!(window.app().dialog().is_none() && !window.app().jobs().is_empty());
    request_close(&mut window);
    window.click("Stop and close");
    window.until("the crawl has stopped", |window| window.app().jobs().is_empty());
    let closes = |window: &Window| {
        let outputs = &window.harness.output().viewport_output;
        outputs.values().any(|output| output.commands.contains(&egui::ViewportCommand::Close))
    };
    window.until("the window closes", closes);
}
