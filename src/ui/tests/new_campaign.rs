//! A new campaign gets a workspace, and nothing is left of one that is given up.

use super::Window;
use crate::app::models::CampaignId;
use crate::app::{Command, Dialog, Route, Settings, UnsavedAnswer};
use crate::store::Workspace;
use egui::{Key, Modifiers};
use std::path::Path;

fn workspace(root: &Path, name: &str) -> std::path::PathBuf {
    let folder = root.join(name);
    drop(Workspace::create(&folder).unwrap());
    folder
}

/// A window on no workspace, that has opened these lately.
fn recent(root: &Path, folders: &[&std::path::PathBuf]) -> Window {
    let recent_workspaces = folders.iter().map(|folder| (*folder).clone()).collect();
    Window::on_disk(root, Settings { recent_workspaces, ..Settings::default() }, None)
}

fn folders(root: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn a_campaign_goes_into_the_last_workspace_unless_a_person_wants_a_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let (last, older) = (workspace(dir.path(), "last"), workspace(dir.path(), "older"));
    let mut window = recent(dir.path(), &[&last, &older]);
    window.click("New campaign…");
    assert_eq!(window.app().dialog(), Some(Dialog::NewCampaign));
    window.assert_shows("In which workspace is the new campaign kept?");
    window.press(Key::Enter);
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    assert_eq!(window.app().settings.last_workspace.as_ref(), Some(&last));
    window.type_into("Name", "Harbour");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.until("it is saved", |window| window.app().campaign() == Some(CampaignId::new(1)));
    // The second one goes beside it, without a dialog.
    window.app_mut().send(Command::NewCampaign);
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    assert_eq!(window.app().dialog(), None);
    assert_eq!(folders(dir.path()), ["last", "older"]);
}

#[test]
fn a_draft_that_is_given_up_leaves_no_workspace_behind() {
    let dir = tempfile::tempdir().unwrap();
    let kept = workspace(dir.path(), "kept");
    // Left without an edit.
    let mut window = recent(dir.path(), &[&kept]);
    let begin = |window: &mut Window| {
        window.click("New campaign…");
        let made = format!("A new workspace, {}", dir.path().join("fonds").display());
        window.click_radio(&made);
        window.click("Begin campaign");
        window.until("the form is open", |window| window.route() == Route::Spec(None));
        assert_eq!(folders(dir.path()), ["fonds", "kept"]);
    };
    begin(&mut window);
    window.settle();
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.until("it is gone", |_| folders(dir.path()) == ["kept"]);
    window.assert_shows("Welcome");
    window.until("it is not listed", |window| window.app().settings.recent_workspaces == [kept.clone()]);
    // Its edits discarded.
    begin(&mut window);
    window.type_into("Name", "Harbour");
    window.app_mut().send(Command::OpenWorkspace(kept.clone()));
    window.until("the dialog is open", |window| window.app().dialog() == Some(Dialog::Unsaved));
    window.app_mut().send(Command::AnswerUnsaved(UnsavedAnswer::Discard));
    window.until("it is gone", |_| folders(dir.path()) == ["kept"]);
    // Closed with the window.
    let mut window = recent(dir.path(), &[&kept]);
    begin(&mut window);
    window.settle();
    super::shell::request_close(&mut window);
    window.until("it is gone", |_| folders(dir.path()) == ["kept"]);
    window.until("the window closes", |window| window.app().is_closing() && !window.app().has_unused_workspace());
    // With something in it, it stays.
    let mut window = recent(dir.path(), &[&kept]);
    begin(&mut window);
    std::fs::write(dir.path().join("fonds/imports/letter.txt"), "mine").unwrap();
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.until("it is left", |window| window.app().session().is_none() && !window.app().has_unused_workspace());
    assert!(dir.path().join("fonds/imports/letter.txt").exists());
}

#[test]
fn a_campaign_that_is_saved_keeps_its_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = recent(dir.path(), &[]);
    window.click("New campaign…");
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    window.type_into("Name", "Harbour");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.until("it is saved", |window| window.app().campaign() == Some(CampaignId::new(1)));
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.settle();
    assert_eq!(window.session().catalogue().campaigns().unwrap().len(), 1);
    assert_eq!(folders(dir.path()), ["fonds"]);
}

#[test]
fn with_the_sample_open_a_person_chooses_where_a_campaign_goes() {
    let dir = tempfile::tempdir().unwrap();
    let kept = workspace(dir.path(), "kept");
    let mut window = recent(dir.path(), &[&kept]);
    let sample = window.app().sample_folder();
    window.app_mut().send(Command::LoadSample(sample.clone()));
    window.until("the sample is open", |window| window.app().settings.last_workspace.as_ref() == Some(&sample));
    window.app_mut().send(Command::NewCampaign);
    window.until("the dialog is open", |window| window.app().dialog() == Some(Dialog::NewCampaign));
    window.assert_shows("The sample workspace that is open");
    window.settle();
    window.press(Key::Enter);
    window.until("the other is open", |window| window.route() == Route::Spec(None));
    assert_eq!(window.app().settings.last_workspace.as_ref(), Some(&kept));
    // On Welcome the sample is none of those offered.
    let mut window = recent(dir.path(), &[&sample]);
    window.click("New campaign…");
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    assert!(dir.path().join("fonds").exists());
}

#[test]
fn a_workspace_that_a_killed_window_made_for_a_draft_is_taken_again() {
    let dir = tempfile::tempdir().unwrap();
    let opener = crate::work::Workspaces::offering(dir.path().join("fonds"));
    // A window that is killed tidies nothing up.
    drop(opener.create_for_draft(&dir.path().join("fonds")).unwrap());
    let mut window = recent(dir.path(), &[]);
    window.click("New campaign…");
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    assert_eq!(folders(dir.path()), ["fonds"]);
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.until("it is gone", |_| folders(dir.path()).is_empty());
    // One with something in it, or that a person made, is left alone.
    workspace(dir.path(), "fonds");
    window.click("New campaign…");
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    assert_eq!(folders(dir.path()), ["fonds", "fonds-2"]);
}
