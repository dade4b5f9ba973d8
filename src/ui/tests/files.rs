//! The page Files, and files dropped on the window.

use super::Window;
use crate::app::models::{
    CampaignChoice, CampaignId, FileOutcome, FileRow, FileState, ImportOptions, LaunchId, LaunchState, ProblemQuery,
};
use crate::app::{Command, Dialog, FilesRoute, Focus, JobKind, Route};
use crate::jobs::JobCx;
use crate::store::ABANDONED;
use crate::testing::{HOSTILE, far_record, town, write_archives, write_long_archive};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn files() -> Window {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.assert_shows("gone.warc");
    window
}

/// The file of the town's import with this name.
fn file(window: &Window, name: &str) -> FileRow {
    window.session().workspace.files().unwrap().into_iter().find(|file| file.path.ends_with(name)).unwrap()
}

/// The launch of the town's import.
fn import(window: &Window) -> LaunchId {
    crate::work::imports(&window.session().workspace).unwrap()[0].launch
}

/// The path of an archive file that the town imported.
fn archive(name: &str) -> String {
    town().archives.join(name).display().to_string()
}

const TORN: &str = "the block is declared with";

#[test]
fn every_number_of_a_file_leads_to_its_rows() {
    let mut window = files();
    window.assert_shows("✖ missing");
    window.assert_shows("✖ changed");
    let damaged = file(&window, "damaged.warc");
    // It has as many captures as problems.
    window.app_mut().send(Command::Go(Route::Captures { filter: format!("file:{}", damaged.id) }));
    let chip = format!("✖ file {}: damaged.warc", damaged.id);
    window.assert_shows(&chip);
    window.assert_shows("2 rows");
    window.click(&chip);
    assert_eq!(window.route(), Route::Captures { filter: String::new() });
    window.go_back();
    let crawled = window.session().workspace.files().unwrap().into_iter().find(|file| file.crawled).unwrap();
    window.click(&crawled.captures.to_string());
    assert_eq!(window.route(), Route::Captures { filter: format!("file:{}", crawled.id) });
    window.go_back();
    window.click_number("Problems: 2");
    let of_file = ProblemQuery { file: Some(damaged.id), ..ProblemQuery::default() };
    assert_eq!(window.route(), Route::Files(FilesRoute::Problems(of_file)));
    window.until("the file has its name", |window| window.shows("✖ only damaged.warc"));
    // What is typed searches within the problems of that file.
    window.type_into("Filter", "declared");
    window.until("it is narrowed", |window| !window.shows("WARC-Record-ID is missing"));
    window.assert_shows(TORN);
    window.click("✖ only damaged.warc");
    assert_eq!(window.route(), Route::Files(FilesRoute::Problems(ProblemQuery::default())));
}

#[test]
fn the_captures_of_a_file_and_of_an_import_are_shown_whole_whatever_was_chosen_before() {
    let mut window = files();
    let crawled = window.session().workspace.files().unwrap().into_iter().filter(|file| file.crawled);
    let crawled = crawled.max_by_key(|file| file.captures).unwrap();
    let (launch, damaged) = (import(&window), file(&window, "damaged.warc"));
    let import = crate::work::imports(&window.session().workspace).unwrap().remove(0);
    let other = window
        .session()
        .catalogue()
        .campaigns()
        .unwrap()
        .into_iter()
        .find(|row| Some(row.id) != crawled.campaign)
        .unwrap();
    assert!(crawled.captures > 2 && import.new_captures > 2);
    let of_import = FilesRoute::Imports(Some((launch, Vec::new())));
    for (page, number, captures) in [
        (FilesRoute::Files(None), format!("Captures: {}", crawled.captures), crawled.captures),
        (FilesRoute::Imports(None), format!("New captures: {}", import.new_captures), import.new_captures),
        (of_import.clone(), format!("Captures: {}", damaged.captures), damaged.captures),
    ] {
        // Another campaign, and a ready filter that fits nothing.
        window.app_mut().send(Command::ChooseCampaign(other.id));
        window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
        window.choose("View", "Failed 0");
        window.app_mut().send(Command::Go(Route::Files(page)));
        window.click_number(&number);
        let rows = format!("{captures} rows");
        window.until(&number, |window| window.texts().iter().any(|text| text.starts_with(&rows)));
    }
    window.app_mut().send(Command::Go(Route::Files(of_import)));
    window.click(&format!("{} captures", import.captures));
    window.until("all of the import", |window| window.shows(&format!("{} rows", import.captures)));
}

#[test]
fn files_are_narrowed_by_state_and_text() {
    let mut window = files();
    window.click("missing 1");
    assert_eq!(window.route(), Route::Files(FilesRoute::Files(Some(FileState::Missing))));
    assert!(window.shows("gone.warc") && !window.shows("changed.warc"));
    window.click("All 5");
    window.type_into("Filter", "changed.w");
    assert!(window.shows("changed.warc") && !window.shows("gone.warc"));
}

#[test]
fn a_lost_file_is_located_from_its_row_and_from_its_capture() {
    let mut window = files();
    let gone = file(&window, "gone.warc");
    window.click("gone.warc");
    assert_eq!(window.app().focus(), Some(Focus::File(gone.id)));
    window.assert_shows("The file is missing");
    window.press_with(Modifiers::COMMAND, Key::Num5);
    let capture = window.captures(&format!("file:{}", gone.id)).remove(0);
    window.app_mut().follow(Focus::Capture(capture.id));
    window.until("the panel says so", |window| window.shows("The archive file of this capture is missing"));
    window.click("Locate…");
    assert_eq!(window.app().dialog(), Some(Dialog::Locate(Some(gone.id))));
    window.press(Key::Escape);
    let here = window.captures("estaleiro").remove(0);
    window.app_mut().follow(Focus::Capture(here.id));
    window.until("it is gone", |window| !window.shows("The archive file of this capture"));
    // It was moved, and is found where it is now.
    let found = window.root().join("found");
    write_archives(&found);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.click("gone.warc");
    window.click("Locate…");
    assert_eq!(window.app().dialog(), Some(Dialog::Locate(Some(gone.id))));
    window.click("Cancel");
    window.app_mut().send(Command::Locate { folder: found.clone(), file: Some(gone.id) });
    window.until_done(JobKind::LocateFiles);
    let row = window.session().workspace.file(gone.id).unwrap();
    assert_eq!((row.state, row.location), (FileState::Present, found.join("gone.warc")));
    window.until("the page knows", |window| !window.shows("✖ missing"));
}

#[test]
fn a_problem_leads_to_its_bytes_and_to_a_command() {
    let mut window = files();
    window.click("Problems");
    window.assert_shows(TORN);
    window.click("invalid header 1");
    window.until("it is narrowed", |window| !window.shows(TORN));
    window.click("WARC-Record-ID is missing");
    let Some(Focus::Problem(id)) = window.app().focus() else { panic!("no problem is at hand") };
    let problem = crate::work::problem_detail(&window.session().workspace, id).unwrap();
    window.until("the bytes are there", |window| window.shows("57 41 52 43"));
    let command = format!("fonds warc cat {} {}", archive("damaged.warc"), problem.row.offset);
    window.assert_shows(&command);
    window.until("the record is there", |window| window.shows("WARC-Type: response"));
    window.click("Copy command");
}

#[test]
fn a_record_far_inside_its_member_is_read_on_demand_and_the_reading_stops() {
    let dir = tempfile::tempdir().unwrap();
    let far = dir.path().join("far.warc.gz");
    std::fs::write(&far, far_record()).unwrap();
    let mut window = Window::town_as(|session| {
        let options = ImportOptions { campaign: CampaignChoice::Of(CampaignId::new(1)), ..ImportOptions::default() };
        session.import(std::slice::from_ref(&far), options, &JobCx::detached()).unwrap();
    });
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.click("Problems");
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Problems(ProblemQuery {
        path: far.display().to_string(),
        ..ProblemQuery::default()
    }))));
    window.assert_shows("WARC-Record-ID is missing");
    window.click("WARC-Record-ID is missing");
    window.until("the bytes are there", |window| window.shows("1f 8b 08"));
    window.assert_shows("Data of the compressed member shared by several records, at offset 0");
    assert!(!window.shows("⏹ Stop reading"));
    let read = |window: &mut Window| {
        window.scroll_to("Read record");
        window.harness.get_by_label("Read record").click();
        window.until("it is read", |window| window.shows("⏹ Stop reading"));
    };
    // A busy machine may have read it all before the click arrives.
    let is_stopped = (0..20).any(|_| {
        read(&mut window);
        window.harness.get_by_label("⏹ Stop reading").click();
        window.until("it is stopped or read", |window| !window.shows("⏹ Stop reading"));
        let is_stopped = window.shows("Read record");
        window.app_mut().send(Command::ReadProblem(None));
        window.until("it can be read again", |window| window.shows("Read record"));
        is_stopped
    });
    assert!(is_stopped);
    // Another list stops it, too.
    read(&mut window);
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Files(None))));
    window.until("it is stopped", |window| window.app().far_record().is_none());
    window.app_mut().send(Command::Back);
    window.assert_shows("WARC-Record-ID is missing");
    window.click("WARC-Record-ID is missing");
    read(&mut window);
    window.until("the record is there", |window| window.shows("WARC-Type: response"));
}

#[test]
fn an_import_is_shown_again_file_by_file() {
    let mut window = files();
    let launch = import(&window);
    window.click("Imports");
    window.click("Finished");
    window.press(Key::Enter);
    assert_eq!(window.route(), Route::Files(FilesRoute::Imports(Some((launch, Vec::new())))));
    window.assert_shows("letter.warc");
    window.assert_shows("neither WARC nor ARC");
    let passed = archive("notes.txt");
    assert!(!window.shows(&passed));
    window.click("1 other file skipped");
    window.until("the list is open", |window| window.shows(&passed));
    window.assert_shows("skipped, the same bytes were read before as ");
    let unread = vec![FileOutcome::Cut, FileOutcome::Unread];
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Imports(Some((launch, unread))))));
    window.settle();
    assert!(window.shows("letter.warc") && !window.shows("changed.warc"));
}

#[test]
fn an_import_that_was_stopped_goes_on() {
    let mut window = Window::town_as(|session| {
        let sources = [town().archives.display().to_string()];
        let options = ImportOptions { campaign: CampaignChoice::Of(CampaignId::new(1)), ..ImportOptions::default() };
        let launch = session.catalogue().begin_import(&sources, options).unwrap();
        session.catalogue().set_launch_state(launch, LaunchState::Stopped, ABANDONED).unwrap();
    });
    let launch = import(&window);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    window.click("Imports");
    window.click("Stopped, can be resumed");
    window.press(Key::Enter);
    assert_eq!(window.route(), Route::Files(FilesRoute::Imports(Some((launch, Vec::new())))));
    window.click("▶ Resume import");
    window.until_done(JobKind::Import);
    let row = &crate::work::imports(&window.session().workspace).unwrap()[0];
    assert_eq!((row.state, row.known), (LaunchState::Finished, 2), "{row:?}");
}

#[test]
fn records_of_an_import_and_captures_of_a_file_without_number_are_shown() {
    let mut window = files();
    let launch = import(&window);
    let route = Route::Files(FilesRoute::Imports(Some((launch, Vec::new()))));
    window.app_mut().send(Command::Go(route.clone()));
    window.assert_shows("letter.warc");
    let records = crate::work::imports(&window.session().workspace).unwrap()[0].records;
    window.click(&format!("{records} records"));
    assert_eq!(window.route(), Route::Files(FilesRoute::Records(launch, None)));
    // Those of the files that are still as they were.
    window.assert_shows(HOSTILE);
    window.assert_shows("2 records");
    window.assert_shows(&format!("{}: missing", archive("gone.warc")));
    window.click(&format!("← Import {launch}"));
    assert_eq!(window.route(), route);
    let path = archive("damaged.warc");
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Records(launch, Some(path)))));
    window.until("the records are there", |window| window.shows("2 records"));
    window.click("✖ only damaged.warc");
    assert_eq!(window.route(), Route::Files(FilesRoute::Records(launch, None)));
}

#[test]
fn problems_of_a_path_are_searched_within() {
    let mut window = files();
    let launch = import(&window);
    let at = |path: String| ProblemQuery { launch: Some(launch), path, ..ProblemQuery::default() };
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Problems(at(archive("damaged.warc"))))));
    window.assert_shows(TORN);
    window.type_into("Filter", "missing");
    window.until("it is narrowed", |window| !window.shows(TORN));
    window.assert_shows("WARC-Record-ID is missing");
    window.assert_shows(&format!("✖ only import {launch}"));
    window.click("✖ only damaged.warc");
    assert_eq!(window.route(), Route::Files(FilesRoute::Problems(at(String::new()))));
    // The words are still there.
    assert!(!window.shows(TORN));
}

#[test]
fn a_long_import_is_stopped_and_names_the_way_to_continue() {
    let mut window = Window::town();
    let long = window.root().join("long.warc");
    write_long_archive(&long);
    drop_on(&mut window, &long.display().to_string());
    window.until("the strip shows it", |window| window.can_click("Stop"));
    window.click("Stop");
    window.until("the import ends", |window| window.app().jobs().is_empty());
    window.assert_shows("No job running");
    window.click("Jobs");
    window.assert_shows("stopped – Imported captures are kept");
    window.assert_shows("Import the same files again to continue; nothing is imported twice");
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("nobody reads it here".to_owned())
    }
}

fn drop_on(window: &mut Window, path: &str) {
    window.harness.input_mut().dropped_files.push(Arc::new(Dropped(path.into())));
    window.settle();
}

#[test]
fn hovering_files_explains_dropping_and_dropping_opens_no_dialog() {
    let mut window = Window::town();
    let hover = |name: &str| egui::HoveredFile { path: Some(name.into()), mime: String::new() };
    window.harness.input_mut().hovered_files = vec![hover("/media/a.warc.gz"), hover("/media/crawls")];
    window.settle();
    window.assert_shows("Drop to import 2 items");
    window.assert_shows("/media/crawls");
    window.harness.input_mut().hovered_files.clear();
    let path = archive("changed.warc");
    drop_on(&mut window, &path);
    window.until_done(JobKind::Import);
    assert_eq!(crate::work::imports(&window.session().workspace).unwrap()[0].sources, [path]);
    assert!(!window.shows("Drop to import"));
    assert_eq!(window.app().dialog(), None);
}

#[test]
fn dropping_without_a_workspace_names_the_next_step() {
    let mut window = Window::bare();
    drop_on(&mut window, "/media/a.warc.gz");
    window.until("a notice is shown", |window| window.shows("The dropped files were not imported"));
    window.assert_shows("Open or create a workspace");
}
