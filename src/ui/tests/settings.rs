//! The page Settings, and what holds everywhere by it.

use super::Window;
use crate::app::{Action, Command, DateForm, Route, ThemeChoice};
use egui::{Key, Modifiers};
use std::time::Duration;

#[test]
fn settings_are_a_page_that_needs_no_workspace() {
    let mut window = Window::bare();
    window.press_with(Modifiers::COMMAND, Key::Comma);
    assert_eq!(window.route(), Route::Settings);
    for part in ["Appearance", "Person", "Work", "Geolocation database of this workspace", "Keys"] {
        window.assert_shows(part);
    }
    window.click_radio("High contrast");
    assert_eq!(window.app().settings.theme, ThemeChoice::HighContrast);
    window.click_radio("Comfortable");
    assert!(window.app().settings.roomy_rows);
    window.choose("Interface scale", "300 %");
    assert!((window.app().settings.zoom - 3.0).abs() < 1e-6);
    window.press_with(Modifiers::COMMAND, Key::Num0);
    assert!((window.app().settings.zoom - 1.0).abs() < 1e-6);
    window.click("Reduced: nothing spins or scrolls by itself");
    assert!(window.app().settings.reduced_motion);
    window.press_with(Modifiers::ALT, Key::Home);
    assert_eq!(window.route(), Route::Campaigns);
}

#[test]
fn keys_are_changed_collide_and_are_reset() {
    let mut window = Window::bare();
    window.press_with(Modifiers::COMMAND, Key::Comma);
    let settings_keys = "Keys of Settings: Ctrl+,";
    window.scroll_to(settings_keys);
    window.click(settings_keys);
    window.assert_shows("Press keys…");
    // What is pressed is chosen and not carried out.
    window.press_with(Modifiers::COMMAND, Key::K);
    assert_eq!((window.app().dialog(), window.app().settings.keys_of(Action::Settings)), (None, "Ctrl+K"));
    window.assert_shows("also the keys of “All commands…”");
    window.click("Keys of Settings: Ctrl+K");
    window.press(Key::K);
    window.assert_shows("Press Ctrl or Alt with a key, or a function key");
    assert_eq!(window.app().settings.keys_of(Action::Settings), "Ctrl+K");
    window.click("Keys of Settings: Ctrl+K");
    window.press(Key::F9);
    assert!(!window.shows("also the keys of"));
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.settle();
    window.press(Key::F9);
    assert_eq!(window.route(), Route::Settings);
    window.scroll_to("Reset to Ctrl+,");
    window.click("Reset to Ctrl+,");
    assert!(window.app().settings.shortcuts.is_empty());
}

#[test]
fn dates_have_the_chosen_form_and_a_new_campaign_the_contact() {
    let mut window = Window::town();
    window.app_mut().settings.dates = DateForm::Named;
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.settle();
    let row = window.captures("")[0].clone();
    let iso = row.date.to_readable();
    let shown = crate::ui::text::minute(row.date);
    assert!(shown.ends_with(&iso[10..16]) && shown.contains(&iso[..4]) && !shown.contains(&iso[..7]), "{shown}");
    window.assert_shows(&shown);
    window.app_mut().settings.dates = DateForm::Iso;
    window.settle();
    window.assert_shows(&iso[..16]);
    let mut window = Window::empty();
    window.app_mut().settings.contact = "archive@example.org".to_owned();
    window.app_mut().send(Command::NewCampaign);
    window.until("the draft is there", |window| window.app().open.spec.as_ref().is_some_and(|spec| spec.id.is_none()));
    let spec = window.app().open.spec.as_ref().unwrap();
    assert!(spec.campaign.politeness.user_agent.contains("archive@example.org") && !spec.is_edited());
}

#[test]
fn a_field_with_the_cursor_lets_the_window_rest() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.press(Key::Slash);
    assert!(window.harness.ctx.text_edit_focused());
    window.settle();
    window.pass(5.0);
    window.harness.run_steps(3);
    let delays: Vec<Duration> =
        window.harness.output().viewport_output.values().map(|viewport| viewport.repaint_delay).collect();
    assert!(delays.iter().all(|delay| *delay > Duration::from_secs(1)), "drawn again after {delays:?}");
}
