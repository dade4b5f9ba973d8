//! The page Files, and files dropped on the window.

use super::Window;
use crate::app::models::{FileOutcome, FileState, ProblemQuery};
use crate::app::{Command, Dialog, FilesRoute, Focus, Route};
use egui::{Key, Modifiers};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn files() -> Window {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::Num0);
    window.until("the files are there", |window| window.says("crawl-b.arc.gz"));
    window
}

#[test]
fn every_number_of_a_file_leads_to_its_rows() {
    let mut window = files();
    window.check_says("✖ missing");
    window.check_says("✖ changed");
    window.click("306");
    assert_eq!(window.app().route, Route::Captures { filter: "file:2".to_owned() });
    window.until("the file has its name", |window| window.says("✖ file 2: crawl-a.warc.gz"));
    window.click("✖ file 2: crawl-a.warc.gz");
    assert_eq!(window.app().route, Route::Captures { filter: String::new() });
    window.click("← Back");
    window.click("2");
    let of_file = ProblemQuery { file: Some(2), ..ProblemQuery::default() };
    assert_eq!(window.app().route, Route::Files(FilesRoute::Problems(of_file)));
    window.until("the file has its name", |window| window.says("✖ only crawl-a.warc.gz"));
    // What is typed searches within the problems of that file.
    window.type_into("Filter", "file ends");
    window.until("it is narrowed", |window| !window.says("WARC-Record-ID is missing"));
    window.check_says("the file ends inside the record");
    window.click("✖ only crawl-a.warc.gz");
    assert_eq!(window.app().route, Route::Files(FilesRoute::Problems(ProblemQuery::default())));
}

#[test]
fn files_are_narrowed_by_state_and_words() {
    let mut window = files();
    window.click("missing 1");
    assert_eq!(window.app().route, Route::Files(FilesRoute::Files(Some(FileState::Missing))));
    assert!(window.says("crawl-a.warc.gz") && !window.says("crawl-b.arc.gz"));
    window.click("All 3");
    window.type_into("Filter", "crawl-b");
    assert!(window.says("crawl-b.arc.gz") && !window.says("crawl-a.warc.gz"));
}

#[test]
fn a_lost_file_is_looked_for_from_its_row_and_from_its_capture() {
    let mut window = files();
    window.click("/media/old/2009/crawl-a.warc.gz");
    assert_eq!(window.app().focus, Some(Focus::File(2)));
    window.check_says("The file is missing");
    window.click("Locate…");
    assert_eq!(window.app().dialog, Some(Dialog::Locate(Some(2))));
    window.click("Search this folder");
    window.check_told("locate Some(2) in /home/archivist/fonds");

    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.app_mut().focus = Some(Focus::Capture(2));
    window.until("the panel says so", |window| window.says("The archive file of this capture is missing"));
    window.click("Locate…");
    assert_eq!(window.app().dialog, Some(Dialog::Locate(Some(2))));
    window.press(Key::Escape);
    window.app_mut().focus = Some(Focus::Capture(3));
    window.settle();
    assert!(!window.says("The archive file of this capture"));
}

#[test]
fn a_problem_leads_to_its_bytes_and_to_a_command() {
    let mut window = files();
    window.click("Problems");
    window.until("the problems are there", |window| window.says("the file ends inside the record"));
    window.click("truncated 1");
    assert!(!window.says("WARC-Record-ID is missing"));
    window.click("the file ends inside the record");
    assert_eq!(window.app().focus, Some(Focus::Problem(2)));
    window.until("the bytes are there", |window| window.says("57 41 52 43"));
    window.check_says("fonds warc cat /media/old/2009/crawl-a.warc.gz 1624");
    window.until("the record is there", |window| window.says("WARC-Type: response"));
    window.click("Copy command");
}

#[test]
fn a_record_far_inside_its_member_is_read_on_demand_and_the_reading_stops() {
    let mut window = files();
    window.click("Problems");
    window.until("the problems are there", |window| window.says("deep inside its member"));
    window.check_says("+3000070000");
    window.click("deep inside its member");
    window.until("the bytes are there", |window| window.says("57 41 52 43"));
    window.check_says("Data of the compressed member shared by several records, at offset 4200");
    assert!(!window.says("⏹ Stop reading"));
    for _ in 0..2 {
        window.click("Read record");
        window.until("it is read", |window| window.says("⏹ Stop reading"));
        window.click("⏹ Stop reading");
        window.until("it is stopped", |window| window.says("Read record"));
    }
    // Another row stops it, too.
    window.click("Read record");
    window.until("it is read", |window| window.says("⏹ Stop reading"));
    window.click("WARC-Record-ID is missing");
    window.until("the record is there", |window| window.says("WARC-Type: response"));
    assert_eq!(window.app().record_wanted, None);
    window.click("deep inside its member");
    window.until("it is to be asked for again", |window| window.says("Read record"));
}

#[test]
fn an_import_is_shown_again_file_by_file_and_goes_on() {
    let mut window = files();
    window.click("Imports");
    window.until("the imports are there", |window| window.says("/media/old/2009"));
    window.click("Stopped, can be resumed");
    window.press(Key::Enter);
    assert_eq!(window.app().route, Route::Files(FilesRoute::Imports(Some((3, Vec::new())))));
    window.until("the files are there", |window| window.says("letter.warc"));
    window.check_says("not read: neither WARC nor ARC");
    for (figure, line) in [
        ("1 other file skipped", "/media/old/2009/crawl.log"),
        ("3 other records without a capture", "2 of scheme dns: /media/old/2009/crawl-a.warc.gz"),
    ] {
        assert!(!window.says(line));
        window.click(figure);
        window.until("the list is open", |window| window.says(line));
    }
    window.check_says("skipped, the same bytes were read before as /media/old/2009/crawl-a.warc.gz");
    let unread = vec![FileOutcome::Cut, FileOutcome::Unread];
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Imports(Some((3, unread))))));
    window.settle();
    assert!(window.says("letter.warc") && !window.says("copy-of-a.warc.gz"));
    window.click("▶ Resume import");
    window.check_told("import [\"/media/old/2009\"]");
}

#[test]
fn records_of_an_import_and_captures_of_a_file_without_number_are_shown() {
    let mut window = files();
    let import = Route::Files(FilesRoute::Imports(Some((3, Vec::new()))));
    window.app_mut().send(Command::Go(import.clone()));
    window.until("the import is there", |window| window.says("letter.warc"));
    window.click(&format!("{} records", crate::ui::words::count(2_737)));
    assert_eq!(window.app().route, Route::Files(FilesRoute::Records(3, None)));
    window.until("the records are there", |window| window.says("http://host-2.example/"));
    window.check_says("⚠ first 3 records shown");
    window.click("← Import 3");
    assert_eq!(window.app().route, import);
    window.click("913");
    let path = "/media/old/2009/letter.warc".to_owned();
    assert_eq!(window.app().route, Route::Files(FilesRoute::Records(3, Some(path))));
    window.until("the records are there", |window| window.says("3 records"));
    window.check_says("warcinfo");
    window.click("✖ only letter.warc");
    assert_eq!(window.app().route, Route::Files(FilesRoute::Records(3, None)));
    window.app_mut().send(Command::Go(import));
    window.settle();
    window.click("309");
    let filter = "file:/media/old/2009/letter.warc imported:3".to_owned();
    assert_eq!(window.app().route, Route::Captures { filter });
}

#[test]
fn problems_of_a_path_are_searched_within() {
    let mut window = files();
    let at = |path: &str| ProblemQuery { launch: Some(3), path: path.to_owned(), ..ProblemQuery::default() };
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Problems(at("/media/old/2009/crawl-a.warc.gz")))));
    window.until("the problems are there", |window| window.says("the file ends inside the record"));
    window.type_into("Filter", "missing");
    window.until("it is narrowed", |window| !window.says("the file ends inside the record"));
    window.check_says("WARC-Record-ID is missing");
    window.check_says("✖ only import 3");
    window.click("✖ only crawl-a.warc.gz");
    assert_eq!(window.app().route, Route::Files(FilesRoute::Problems(at(""))));
    // The words are still there.
    assert!(!window.says("the file ends inside the record"));
}

#[test]
fn a_long_import_is_stopped_and_says_how_to_go_on() {
    let mut window = Window::full();
    drop_on(&mut window, "/media/endless");
    window.check_told("import [\"/media/endless\"]");
    window.until("the strip shows it", |window| window.says("⏹ Stop"));
    window.click("⏹ Stop");
    window.until("the import ends", |window| window.app().jobs.is_empty());
    window.check_says("No job running");
    window.press_with(Modifiers::COMMAND, Key::Num9);
    window.check_says("stopped – Imported captures are kept");
    window.check_says("Import the same files again to continue; nothing is imported twice");
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
fn hovering_files_say_what_dropping_does_and_dropping_asks_nothing() {
    let mut window = Window::full();
    let hover = |name: &str| egui::HoveredFile { path: Some(name.into()), mime: String::new() };
    window.harness.input_mut().hovered_files = vec![hover("/media/a.warc.gz"), hover("/media/crawls")];
    window.settle();
    window.check_says("Drop to import 2 files and folders");
    window.check_says("/media/crawls");
    window.harness.input_mut().hovered_files.clear();
    drop_on(&mut window, "/media/a.warc.gz");
    window.check_told("import [\"/media/a.warc.gz\"]");
    assert!(!window.says("Drop to import"));
    assert_eq!(window.app().dialog, None);
}

#[test]
fn dropping_without_a_workspace_says_what_to_do() {
    let mut window = Window::bare();
    drop_on(&mut window, "/media/a.warc.gz");
    window.until("it is said", |window| window.says("The dropped files were not imported"));
    window.check_says("Open or create a workspace");
}
