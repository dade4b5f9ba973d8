//! Messages of imports in the window: results first, then problems with a link to them.

use super::{Window, on_disk};
use crate::app::models::{CampaignChoice, ImportOptions};
use crate::app::{Command, FilesRoute, JobKind, JobState, Route, job_list};
use crate::testing::data;
use std::path::PathBuf;

fn import(window: &mut Window, path: PathBuf) -> String {
    let options = ImportOptions { campaign: CampaignChoice::None, ..ImportOptions::default() };
    window.app_mut().send(Command::Import { paths: vec![path], options });
    window.until("the import ends", |window| {
        window.app().jobs().is_empty() && window.app().ended().iter().any(|job| job.kind == JobKind::Import)
    });
    window.settle();
    let (_, notice) = window.app().log().iter().rfind(|(_, notice)| notice.what.starts_with("Import")).unwrap();
    notice.line()
}

#[test]
fn the_job_of_another_crawler_comes_first_and_its_last_run_is_its_own() {
    let Some(job) = data("logs/h1-job5") else { return };
    let mut window = Window::empty();
    let summary = import(&mut window, job);
    let (good, passed) = (summary.find("17 seeds, 12 rules, 1 run"), summary.find("archive file"));
    assert!(good.is_some_and(|good| passed.is_none_or(|passed| good < passed)), "{summary}");
    let campaigns = window.session().catalogue().campaigns().unwrap();
    assert_eq!(campaigns[0].captures, 0, "no captures that are not its own");
    assert!(campaigns[0].last_run.unwrap().to_readable().starts_with("2006-02-23"));
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.assert_shows("2006-02-23");
}

#[test]
fn an_import_with_problems_warns_and_leads_to_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = on_disk::window(dir.path(), 0);
    let broken = dir.path().join("broken.warc");
    let mut bytes = crate::testing::page_record("http://a.example/", "page");
    bytes.extend_from_slice(b"this is no record\r\n\r\n");
    std::fs::write(&broken, bytes).unwrap();
    let summary = import(&mut window, broken);
    assert!(summary.starts_with("Import finished with problems"), "{summary}");
    window.assert_shows("Warning");
    window.assert_shows("Import finished with problems");
    let history = window.session().job_history(10).unwrap();
    let lines = job_list(&history, window.app().ended().iter(), window.app().log().iter());
    let of_import: Vec<_> = lines.iter().filter(|line| line.outcome.contains("problem")).collect();
    assert_eq!(of_import.len(), 1, "listed once: {of_import:?}");
    assert_eq!(of_import[0].state, JobState::Warned);
    window.click("Go to Files");
    let Route::Files(FilesRoute::Problems(query)) = window.route() else { panic!("{:?}", window.route()) };
    assert!(query.launch.is_some());
}

#[test]
fn jobs_are_one_list_and_one_that_failed_is_marked() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = on_disk::window(dir.path(), 3);
    let catalogue = window.session().catalogue().job_started("Crawl", None).unwrap();
    for _ in 0..12 {
        let id = window.session().catalogue().job_started("Index texts", Some(catalogue)).unwrap();
        window.session().catalogue().job_ended(id, "3 texts").unwrap();
    }
    window.session().catalogue().job_ended(catalogue, "Finished: 3 fetched").unwrap();
    let failed = window.session().catalogue().job_started("Import", None).unwrap();
    window.session().catalogue().job_ended(failed, "failed: no room on the disk").unwrap();
    window.app_mut().send(Command::Go(Route::Jobs));
    window.assert_shows("failed: no room on the disk");
    // What failed comes first, though it is not the last.
    let at = |window: &Window, what: &str| window.texts().iter().position(|text| text.contains(what)).unwrap();
    assert!(at(&window, "no room on the disk") < at(&window, "Finished: 3 fetched"));
    assert!(!window.shows("Index texts") && !window.shows("↳"), "{:?}", window.texts());
    window.click_number("Follow-ups: 12");
    window.assert_shows("↳ Index texts");
    window.click_number("Follow-ups: 12");
    assert!(!window.shows("↳ Index texts"));
    for gone in ["Finished in this window", "Earlier jobs", "Theme", "Interface scale"] {
        assert!(!window.shows(gone), "{gone}");
    }
}

#[test]
fn keys_set_the_scale_of_the_window() {
    use egui::{Key, Modifiers};
    let mut window = Window::bare();
    let scale = |window: &Window| window.app().settings.zoom;
    for (key, expected) in [(Key::Plus, 1.1), (Key::Plus, 1.25), (Key::Minus, 1.1), (Key::Num0, 1.0), (Key::Minus, 0.9)]
    {
        window.press_with(Modifiers::COMMAND, key);
        assert!((scale(&window) - expected).abs() < 1e-6, "{key:?}: {}", scale(&window));
    }
    window.press_with(Modifiers::COMMAND, Key::Comma);
    window.assert_shows("Interface scale");
    window.choose("Interface scale", "150 %");
    assert!((scale(&window) - 1.5).abs() < 1e-6);
}
