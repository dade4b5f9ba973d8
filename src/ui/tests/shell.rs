//! Rail, palette, keys, dialogs, jobs, notices.

use super::Window;
use crate::app::{Command, Dialog, PAGES, Route};
use egui::{Key, Modifiers};

#[test]
fn every_page_of_the_rail_is_reached_by_word_and_by_key() {
    let mut window = Window::full();
    for (number, (_, word)) in PAGES.iter().enumerate() {
        window.click(word);
        assert_eq!(window.app().route.page(), number, "{word}");
    }
    let keys =
        [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9, Key::Num0];
    for (number, key) in keys.into_iter().enumerate() {
        window.press_with(Modifiers::COMMAND, key);
        assert_eq!(window.app().route.page(), number, "{key:?}");
    }
    window.click("← Back");
    assert_eq!(window.app().route, Route::Jobs);
}

#[test]
fn the_palette_finds_and_does() {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::K);
    assert_eq!(window.app().dialog, Some(Dialog::Palette));
    window.harness.event(egui::Event::Text("build inlinks".to_owned()));
    window.settle();
    window.press(Key::Enter);
    window.check_told("inlinks");
    assert_eq!(window.app().dialog, None);

    window.press_with(Modifiers::COMMAND, Key::K);
    window.harness.event(egui::Event::Text("ponte-nova".to_owned()));
    window.settle();
    window.check_says("Find captures with “ponte-nova”");
    window.press(Key::Enter);
    assert_eq!(window.app().route, Route::Captures { filter: "ponte-nova".to_owned() });
    window.until("the table is filtered", |window| window.says("105 rows"));
}

#[test]
fn greyed_commands_do_nothing_and_keys_say_why() {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::P);
    let said = &window.app().log.back().unwrap().1;
    assert_eq!(said.why, "No crawl is running");
    window.press(Key::F1);
    window.check_says("Ctrl+Enter");
    window.press(Key::Escape);
    assert_eq!(window.app().dialog, None);
}

#[test]
fn a_running_crawl_is_shown_paused_and_stopped() {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::R);
    window.check_says("Start this crawl?");
    window.until("the plan is there", |window| window.says("Expected to contact 2 hosts"));
    window.press(Key::Enter);
    window.check_told("crawl 1");
    window.until("the crawl runs", |window| window.app().crawl_job().is_some());
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.until("the page says so", |window| window.says("▶ Running"));
    window.click("⏸ Pause crawl");
    assert!(window.app().crawl_job().unwrap().cx().is_paused());
    window.check_says("Paused");
    window.click("▶ Resume crawl");
    assert!(!window.app().crawl_job().unwrap().cx().is_paused());
    window.click("⏹ Stop");
    window.until("the crawl ends", |window| window.app().jobs.is_empty());
    assert!(window.app().ended.back().unwrap().outcome.contains("stopped"));
}

#[test]
fn errors_stay_in_words_until_taken_away() {
    let mut window = Window::full();
    window.app_mut().export_folder = "/full".to_owned();
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.until("the error is shown", |window| window.says("no space left on device"));
    window.check_says("Export failed");
    window.click("Dismiss");
    assert!(!window.says("no space left on device"));
    window.press_with(Modifiers::COMMAND, Key::Num9);
    window.check_says("no space left on device");
}

#[test]
fn a_folder_that_is_no_workspace_is_refused_in_words() {
    let mut window = Window::bare();
    window.click("Open WARC, WACZ or workspace…");
    window.app_mut().send(Command::OpenWorkspace("/tmp/broken".into()));
    window.until("the error is shown", |window| window.says("/tmp/broken is no workspace"));
    window.click("Cancel");
    assert_eq!(window.app().dialog, None);
    window.check_says("Choose another folder");
}

#[test]
fn the_window_of_inlinks_is_set() {
    let mut window = Window::full();
    window.click("± 90 days");
    window.click("30 days");
    window.click("Set window");
    window.check_told("window 30");
    window.check_says("± 30 days");
    // This archive goes on counting its columns as before, and says so.
    window.click("columns: ± 90 days");
    window.check_told("window 30");
}

#[test]
fn light_and_dark_change_places() {
    let mut window = Window::full();
    let before = window.app().shows_dark;
    for dark in [!before, before] {
        window.click(if window.app().shows_dark { "☀ Light" } else { "🌙 Dark" });
        assert_eq!(window.asked(), Some(&Command::ToggleTheme));
        assert_eq!(window.app().shows_dark, dark);
    }
}

pub(super) fn ask_to_close(window: &mut Window) {
    let viewports = &mut window.harness.input_mut().viewports;
    viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    window.settle();
}

#[test]
fn closing_while_work_runs_asks_once() {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::R);
    window.check_says("Start this crawl?");
    window.until("the plan is there", |window| window.says("Expected to contact 2 hosts"));
    window.press(Key::Enter);
    window.until("the crawl runs", |window| window.app().crawl_job().is_some());
    ask_to_close(&mut window);
    window.check_says("Close the window?");
    window.click("Keep open");
    assert!(window.app().dialog.is_none() && !window.app().jobs.is_empty());
    ask_to_close(&mut window);
    window.click("Stop and close");
    window.until("the crawl has stopped", |window| window.app().jobs.is_empty());
    let closes = |window: &Window| {
        let outputs = &window.harness.output().viewport_output;
        outputs.values().any(|output| output.commands.contains(&egui::ViewportCommand::Close))
    };
    window.until("the window closes", closes);
}
