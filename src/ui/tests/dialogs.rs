//! Dialogs take the focus; Enter presses their default, Escape cancels.

use super::on_disk::{campaign, window};
use super::{TOWN, Window};
use crate::app::models::ReviewMark;
use crate::app::{Action, Command, Dialog, JobKind, Route, SelectedRows};
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;

/// Role and label of what has the keyboard.
fn focused(window: &Window) -> Option<(Role, String)> {
    let mut nodes = window.harness.root().children_recursive();
    let node = nodes.find(|node| node.accesskit_node().is_focused())?;
    Some((node.accesskit_node().role(), node.accesskit_node().label().unwrap_or_default()))
}

#[track_caller]
fn check_focus(window: &mut Window, role: Role, label: &str) {
    window.until(&format!("“{label}” has the focus"), |window| focused(window) == Some((role, label.to_owned())));
}

/// Opens a dialog with the keyboard at a page.
fn open_dialog(window: &mut Window, dialog: Dialog) {
    window.app_mut().send(Command::OpenDialog(dialog));
    window.until("it is open", |window| window.app().dialog() == Some(dialog));
    window.settle();
}

#[test]
fn dialogs_with_a_field_have_the_focus_there_and_escape_cancels_them() {
    let mut window = Window::town();
    for (dialog, field) in [
        (Dialog::Open, "Folder or file"),
        (Dialog::Import, "Folder or file"),
        (Dialog::Locate(None), "Folder to search"),
    ] {
        open_dialog(&mut window, dialog);
        check_focus(&mut window, Role::TextInput, field);
        window.press(Key::Escape);
        assert_eq!(window.app().dialog(), None, "{dialog:?}");
    }
    open_dialog(&mut window, Dialog::Palette);
    assert_eq!(focused(&window).map(|(role, _)| role), Some(Role::TextInput));
    window.press(Key::Escape);
    open_dialog(&mut window, Dialog::Keys);
    check_focus(&mut window, Role::Button, "Close");
    window.press(Key::Enter);
    window.until("it is closed", |window| window.app().dialog().is_none());
}

#[test]
fn enter_in_open_import_and_locate_presses_their_default() {
    let mut window = Window::town();
    let other = window.root().join("other");
    drop(crate::store::Workspace::create(&other).unwrap());
    let archive = window.root().join("one.warc");
    std::fs::write(&archive, crate::testing::page_record("http://one.example/", "<title>one</title>")).unwrap();
    // Nothing of another workspace is offered, and what is typed is imported.
    open_dialog(&mut window, Dialog::Import);
    assert!(window.can_click("Import") && !window.can_click("Open"));
    check_focus(&mut window, Role::TextInput, "Folder or file");
    window.harness.event(egui::Event::Text(archive.display().to_string()));
    window.settle();
    window.press(Key::Enter);
    window.until_done(JobKind::Import);
    open_dialog(&mut window, Dialog::Locate(None));
    window.harness.event(egui::Event::Text(window.root().display().to_string()));
    window.settle();
    window.press(Key::Enter);
    window.until_done(JobKind::LocateFiles);
    // What is offered is selected: typing takes its place.
    open_dialog(&mut window, Dialog::Open);
    window.harness.event(egui::Event::Text(other.display().to_string()));
    window.settle();
    window.press(Key::Enter);
    window.until("the other is open", |window| window.app().settings.last_workspace.as_ref() == Some(&other));
}

#[test]
fn a_table_is_exported_with_enter_and_its_buttons_are_in_one_line() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.press_with(Modifiers::COMMAND, Key::E);
    window.assert_shows("sorted and filtered as shown");
    check_focus(&mut window, Role::TextInput, "Folder for tables");
    let tops: Vec<f32> = ["Export table", "Cancel", "Browse…"]
        .map(|label| {
            use egui_kittest::kittest::Queryable;
            window.harness.get_by_role_and_label(Role::Button, label).rect().center().y
        })
        .into();
    assert!(tops.iter().all(|top| (top - tops[0]).abs() < 1.0), "{tops:?}");
    window.press(Key::Enter);
    window.until_done(JobKind::WriteTable);
}

#[test]
fn the_inlink_window_is_set_with_enter() {
    let mut window = Window::town();
    open_dialog(&mut window, Dialog::Window);
    check_focus(&mut window, Role::SpinButton, "Days before and after");
    window.press(Key::Enter);
    window.until_done(JobKind::SetWindow);
}

#[test]
fn questions_have_the_focus_on_their_default_and_enter_presses_it() {
    let mut window = Window::town();
    // A decision on many.
    let ids: Vec<_> = window.captures("").iter().map(|row| row.id).collect();
    assert!(ids.len() > 50);
    let number = ids.len();
    let mark = |window: &mut Window| {
        let captures = SelectedRows::Ids(ids.clone());
        window.app_mut().send(Command::Mark { captures, mark: ReviewMark::Flag, note: String::new() });
        window.until("the dialog is open", |window| window.app().dialog() == Some(Dialog::Decide));
    };
    mark(&mut window);
    check_focus(&mut window, Role::Button, &format!("Flag {number} captures"));
    window.press(Key::Escape);
    assert_eq!(window.app().dialog(), None);
    mark(&mut window);
    window.settle();
    window.press(Key::Enter);
    window.assert_shows(&format!("{number} captures flagged"));
    // A crawl.
    window.press_with(Modifiers::COMMAND, Key::R);
    check_focus(&mut window, Role::Button, "Start crawl");
    window.press(Key::Enter);
    window.until("the crawl runs", |window| window.app().crawl_job().is_some());
    window.app().crawl_job().unwrap().cx().set_paused(true);
    // Closing while it runs.
    super::shell::request_close(&mut window);
    check_focus(&mut window, Role::Button, "Stop and close");
    window.press(Key::Escape);
    assert!(window.app().dialog().is_none() && !window.app().is_closing());
    super::shell::request_close(&mut window);
    window.settle();
    window.press(Key::Enter);
    window.until("it closes", |window| window.app().is_closing());
}

#[test]
fn enter_alone_deletes_nothing() {
    let mut window = Window::town();
    window.app_mut().send(Command::Go(Route::Campaigns));
    open_dialog(&mut window, Dialog::DeleteCampaign(TOWN));
    check_focus(&mut window, Role::Button, "Cancel");
    window.press(Key::Enter);
    window.until("it is cancelled", |window| window.app().dialog().is_none());
    assert_eq!(window.session().catalogue().campaigns().unwrap().len(), 2);
    open_dialog(&mut window, Dialog::DeleteCampaign(TOWN));
    window.click("Delete the campaign");
    window.until("it is gone", |window| window.session().catalogue().campaigns().unwrap().len() == 1);
}

#[test]
fn unsaved_edits_and_campaigns_of_one_title_are_answered_with_enter() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 3);
    window.app_mut().send(Command::NewCampaign);
    window.assert_shows("not saved yet");
    window.type_into("Name", "River");
    window.app_mut().send(Command::ChooseCampaign(crate::app::models::CampaignId::new(1)));
    window.until("the dialog is open", |window| window.app().dialog() == Some(Dialog::Unsaved));
    check_focus(&mut window, Role::Button, "Save");
    window.press(Key::Enter);
    window.until("a like one is here", |window| window.app().dialog() == Some(Dialog::Twins));
    check_focus(&mut window, Role::Button, "Save as another campaign");
    window.press(Key::Enter);
    window.until("it is saved", |window| window.session().catalogue().campaigns().unwrap().len() == 3);
    assert!(campaign("x").seeds.len() == 1);
}

#[test]
fn a_repeated_key_answers_nothing_and_the_focus_comes_back() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.type_into("Filter", "vilanova");
    let enter = |window: &mut Window, pressed: bool| {
        let (physical_key, modifiers) = (None, Modifiers::NONE);
        window.harness.event(egui::Event::Key { key: Key::Enter, physical_key, pressed, repeat: false, modifiers });
        window.settle();
    };
    enter(&mut window, true);
    window.app_mut().act(Action::Keys);
    check_focus(&mut window, Role::Button, "Close");
    // Not released since, the key repeats.
    enter(&mut window, true);
    assert_eq!(window.app().dialog(), Some(Dialog::Keys));
    enter(&mut window, false);
    window.press(Key::Escape);
    window.type_into("Filter", "x");
    window.app_mut().act(Action::Keys);
    check_focus(&mut window, Role::Button, "Close");
    window.press(Key::Escape);
    check_focus(&mut window, Role::TextInput, "Filter");
}
