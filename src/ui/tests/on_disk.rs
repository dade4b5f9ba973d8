//! The window on workspaces on disk: it acts on what is on screen.

use super::Window;
use crate::app::models::{CampaignId, CaptureId, CaptureTab, ImportOptions, LaunchId, Launches, ReviewMark};
use crate::app::{Action, Command, Dialog, OpenTarget, Route, SelectedRows, Settings, resolve};
use crate::campaign::{Campaign, Politeness, Seed, SeedScope};
use crate::captures::{CaptureEntry, CaptureNotes, RecordPlace};
use crate::scope::standard_rules;
use crate::store::{ForeignMark, Workspace};
use crate::testing::page_record;
use crate::uri::{CaptureDate, Url};
use crate::warc::{RecordType, Span};
use crate::work::{self, Session, Workspaces};
use egui::{Event, Key, Modifiers};
use std::path::{Path, PathBuf};

/// A campaign that can be crawled: nothing answers at its seed.
pub(super) fn campaign(name: &str) -> Campaign {
    let seed = |url: &str| Seed { url: url.to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() };
    Campaign {
        seeds: vec![seed("http://127.0.0.1:1/")],
        rules: standard_rules().into_iter().filter(|rule| !rule.to_string().contains("geo")).collect(),
        politeness: Politeness {
            user_agent: "Test (test@archive.example)".to_owned(),
            max_retries: 0,
            ..Politeness::default()
        },
        ..Campaign::new(name)
    }
}

/// A workspace with the campaigns Town and River, and captures of the first.
fn workspace(root: &Path, captures: u64) -> PathBuf {
    let folder = root.join("work");
    let workspace = Workspace::create(&folder).unwrap();
    let catalogue = workspace.catalogue();
    let town = catalogue.save_campaign(None, &campaign("Town")).unwrap();
    catalogue.save_campaign(None, &campaign("River")).unwrap();
    let launch = catalogue.begin_launch(town, "town", CaptureDate::now()).unwrap().id;
    let entries = (0..captures).map(|number| {
        let host = if number % 4 == 0 { "b.example" } else { "a.example" };
        let url = Url::parse(&format!("http://{host}/{number}")).unwrap();
        let records = vec![RecordPlace {
            record_type: RecordType::Response,
            record_id: format!("urn:uuid:{number}"),
            file: "output/warcs/town/1/a.warc.gz".to_owned(),
            span: Span { offset: number * 10, length: 10 },
        }];
        let date = CaptureDate::from_seconds(1_700_000_000 + number as i64);
        CaptureEntry {
            notes: CaptureNotes { status: 200, mime: "text/html".to_owned(), ..CaptureNotes::default() },
            records,
            ..CaptureEntry::bare(url, date)
        }
    });
    catalogue.add_captures(launch, entries.collect()).unwrap();
    catalogue.set_launch_state(launch, crate::app::models::LaunchState::Finished, "").unwrap();
    folder
}

pub(super) fn window(root: &Path, captures: u64) -> Window {
    let folder = workspace(root, captures);
    let mut window = Window::on_disk(root, Settings::default(), Some(folder));
    window.until("a campaign is at hand", |window| window.app().campaign().is_some());
    window.app_mut().send(Command::ChooseCampaign(CampaignId::new(1)));
    window.until("Town is at hand", |window| window.app().campaign() == Some(CampaignId::new(1)));
    window
}

/// How many captures have this for their last mark.
fn marked(window: &Window, mark: Option<ReviewMark>) -> usize {
    let query = crate::app::models::CaptureQuery { tab: CaptureTab::All, limit: 10_000, ..work::everything() };
    let page = window.app().session().unwrap().catalogue().captures(&query).unwrap();
    page.rows.iter().filter(|row| row.mark == mark).count()
}

fn has_notice(window: &Window, text: &str) -> bool {
    window.app().log().iter().any(|(_, notice)| notice.what.contains(text))
}

/// A letter as a keyboard sends it: the key, and the text.
fn type_letters(window: &mut Window, letters: &str) {
    for letter in letters.chars() {
        if let Some(key) = Key::from_name(&letter.to_uppercase().to_string()) {
            window.harness.key_press(key);
        }
        window.harness.event(Event::Text(letter.to_string()));
        window.settle();
    }
}

#[test]
fn decisions_are_made_on_the_rows_that_are_shown_and_on_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    // More than one page of rows.
    let mut window = window(dir.path(), 240);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("240 rows, none selected"));
    window.press_with(Modifiers::COMMAND, Key::A);
    window.assert_shows("240 rows, 240 selected");
    window.press(Key::D);
    window.assert_shows("Reject 240 captures?");
    window.press(Key::Escape);
    window.press(Key::D);
    window.assert_shows("Reject 240 captures?");
    assert_eq!(marked(&window, Some(ReviewMark::Reject)), 0);
    window.press(Key::Enter);
    window.until("a notice is shown", |window| has_notice(window, "240 captures rejected"));
    assert_eq!(marked(&window, Some(ReviewMark::Reject)), 240);
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.until("a notice is shown", |window| has_notice(window, "Undone: 240 captures rejected"));
    assert_eq!(marked(&window, None), 240);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.until("a notice is shown", |window| has_notice(window, "Redone: 240 captures rejected"));
    assert_eq!(marked(&window, Some(ReviewMark::Reject)), 240);
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.until("it is undone", |window| marked(window, None) == 240);

    // The first four rows, one of which is of the other host.
    window.press(Key::Home);
    for _ in 0..3 {
        window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    }
    window.assert_shows("240 rows, 4 selected");
    window.app_mut().send(Command::Go(Route::Captures { filter: "host:b.example".to_owned() }));
    window.assert_shows("60 rows, 1 selected");
    window.press(Key::F);
    window.until("it is flagged", |window| marked(window, Some(ReviewMark::Flag)) == 1);
    window.press(Key::Home);
    window.assert_shows("60 rows, 1 selected");
    // Rows that a decision takes out of the view are selected no more.
    window.choose("View", "Not reviewed 59");
    window.assert_shows("59 rows, none selected");
    window.press_with(Modifiers::COMMAND, Key::A);
    window.assert_shows("59 rows, 59 selected");
    // Another filter is another query.
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.assert_shows("239 rows, none selected");
    assert!(window.app().selected().is_empty());
}

#[test]
fn letters_of_a_note_are_text_and_the_note_is_kept_or_left() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 3);
    let notes = |window: &Window| -> Vec<(ReviewMark, String)> {
        let session = window.app().session().unwrap();
        let detail = |id| session.detail(CaptureId::new(id), 90).unwrap().notes;
        (1..=3).flat_map(detail).map(|note| (note.mark, note.text())).collect()
    };
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.until("the queue is there", |window| window.shows("captures to review"));
    type_letters(&mut window, "n");
    type_letters(&mut window, "dafs");
    assert_eq!(notes(&window), []);
    window.press(Key::Escape);
    assert_eq!((notes(&window), &window.route()), (vec![], &Route::Review { filter: String::new() }));
    type_letters(&mut window, "n");
    type_letters(&mut window, "j");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.until("the note is kept", |window| !notes(window).is_empty());
    assert_eq!(notes(&window), [(ReviewMark::Note, "dafsj".to_owned())]);
    window.until("a notice is shown", |window| has_notice(window, "Kept the note on 1 capture"));
    assert_eq!(window.app_mut().reviewed(), 0, "a note decides nothing");
    assert!(window.app().jobs().is_empty() && window.app().ended().is_empty(), "nothing was exported");
    // In the lower panel of the captures, too.
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("3 rows"));
    window.app_mut().send(Command::Go(Route::Captures { filter: "host:a.example".to_owned() }));
    window.assert_shows("2 rows");
    window.press(Key::ArrowDown);
    type_letters(&mut window, "n");
    type_letters(&mut window, "waf");
    window.press(Key::Escape);
    assert_eq!(window.route(), Route::Captures { filter: "host:a.example".to_owned() }, "Esc left the field only");
    type_letters(&mut window, "n");
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.until("the note is kept", |window| notes(window).len() == 2);
    assert!(notes(&window).contains(&(ReviewMark::Note, "waf".to_owned())));
    // Who wrote them: the name in the settings, once there is one.
    window.press_with(Modifiers::COMMAND, Key::Comma);
    window.type_into("Your name", "Ana Reis");
    window.press(Key::Escape);
    window.app_mut().send(Command::Mark {
        captures: SelectedRows::Ids(vec![CaptureId::new(3)]),
        mark: ReviewMark::Flag,
        note: String::new(),
    });
    let of = |window: &Window, id| window.app().session().unwrap().detail(id, 90).unwrap().notes;
    window
        .until("it is marked", |window| of(window, CaptureId::new(3)).iter().any(|note| note.mark == ReviewMark::Flag));
    let note = of(&window, CaptureId::new(3)).into_iter().find(|note| note.mark == ReviewMark::Flag).unwrap();
    assert_eq!(note.by(), "Ana Reis");
}

#[test]
fn lists_name_the_handover_that_a_decision_came_with() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 3);
    let session = window.app().session().unwrap();
    let mark = ForeignMark {
        reaches: None,
        assessment: crate::app::models::Assessment::default(),
        capture: CaptureId::new(2),
        mark: ReviewMark::Reject,
        note: String::new(),
        who: "Me".to_owned(),
        date: CaptureDate::now(),
        undone: None,
        annotation: "urn:x:1".to_owned(),
        line: None,
    };
    session.catalogue().add_foreign_marks(vec![mark], Vec::new(), (Vec::new(), false), "hx").unwrap();
    window.app_mut().send(Command::Mark {
        captures: SelectedRows::Ids(vec![CaptureId::new(3)]),
        mark: ReviewMark::Approve,
        note: String::new(),
    });
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("its decision says where it is from", |window| window.shows("Rejected (from hx)"));
    assert!(window.shows("Approved") && !window.shows("Approved (from"));
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window
        .until("the queue is there", |window| window.shows("captures to review") || window.shows("capture to review"));
    window.click("Include all");
    window.until("the queue says it, too", |window| window.shows("Rejected (from hx)"));
}

#[test]
fn the_draft_on_screen_is_saved_and_crawled_and_no_other_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 0);
    // Town is the current campaign; River is on screen.
    window.app_mut().send(Command::Go(Route::Spec(Some(CampaignId::new(2)))));
    window.assert_shows("Ready to crawl");
    window.click("About");
    window.type_into("Description", "the floods");
    window.click("Save as v2 and crawl");
    window.assert_shows("River, version 2");
    window.assert_shows("1 seed: http://127.0.0.1:1/");
    window.assert_shows("Expected to contact 1 host: 127.0.0.1");
    window.press(Key::Escape);
    let launches = |window: &Window, id| {
        let folder = &window.app().session().unwrap().workspace().unwrap().folder;
        let session = Session::new(Workspace::open_read_only(folder).unwrap());
        let launches = session.catalogue().launches(Some(id)).unwrap();
        launches.iter().map(|launch| session.catalogue().launch_version(launch.id).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((launches(&window, CampaignId::new(1)).len(), launches(&window, CampaignId::new(2)).len()), (1, 0));
    assert!(window.app().open.spec.as_ref().unwrap().is_edited(), "Esc saves nothing");
    window.press_with(Modifiers::COMMAND, Key::R);
    window.assert_shows("River, version 2");
    window.press(Key::Enter);
    window.until("it is crawled", |window| !launches(window, CampaignId::new(2)).is_empty());
    assert_eq!((launches(&window, CampaignId::new(1)).len(), launches(&window, CampaignId::new(2))), (1, vec![2]));
    assert_eq!(window.app().campaign(), Some(CampaignId::new(2)));
    window.app_mut().act(Action::StopCrawl);
    window.until("it has ended", |window| window.app().jobs().is_empty());
    // Elsewhere the current campaign is meant, and confirmed too.
    window.press_with(Modifiers::ALT, Key::Home);
    window.app_mut().send(Command::ChooseCampaign(CampaignId::new(1)));
    window.press_with(Modifiers::COMMAND, Key::R);
    window.assert_shows("Town, version 1");
    window.press(Key::Escape);
    assert_eq!(launches(&window, CampaignId::new(1)).len(), 1);
}

#[test]
fn a_launch_that_was_stopped_is_named_before_it_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path(), 0);
    let stopped = crate::app::models::LaunchState::Stopped;
    Workspace::open(&folder).unwrap().catalogue().set_launch_state(LaunchId::new(1), stopped, "").unwrap();
    let mut window = Window::on_disk(dir.path(), Settings::default(), Some(folder));
    window.app_mut().send(Command::ChooseCampaign(CampaignId::new(1)));
    window.until("Town is at hand", |window| window.app().campaign() == Some(CampaignId::new(1)));
    window.app_mut().act(Action::StartCrawl);
    window.assert_shows("was stopped with 0 URLs in its queue");
    window.assert_shows("Resume crawl");
    window.assert_shows("Start a new launch");
    window.press(Key::Escape);
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.assert_shows("Ready to crawl");
    window.click("About");
    window.type_into("Description", "the harbour");
    window.click("Save as v2 and crawl");
    window.assert_shows("It ran version 1. Resumed, it goes on with the seeds and rules of version 2");
    window.click("Save as v2 and start a new launch");
    window.until("a new launch runs", |window| {
        let page = window.app().session().unwrap().crawl(Some(CampaignId::new(1)), Launches::Last).unwrap();
        page.launch.is_some_and(|launch| launch.id == LaunchId::new(2))
    });
}

#[test]
fn what_is_missing_in_a_draft_leads_to_its_field() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 0);
    window.app_mut().send(Command::NewCampaign);
    window.assert_shows("items to correct before a crawl can start");
    // Nothing is typed, so nothing can be lost.
    window.press_with(Modifiers::COMMAND, Key::Num2);
    assert_eq!((window.app().dialog(), &window.route()), (None, &Route::Spec(Some(CampaignId::new(1)))));
    window.app_mut().send(Command::NewCampaign);
    window.assert_shows("items to correct before a crawl can start");
    window.click("Save and crawl");
    assert_eq!(window.app().dialog(), None);
    assert_eq!(resolve(Action::StartCrawl, window.app()), Err("The specification is incomplete"));
    for (reason, text) in [
        ("There is no user agent", "Us (us@archive.example)"),
        ("The campaign has no name", "Harbour"),
        ("The campaign has no seeds", "http://127.0.0.1:1/"),
    ] {
        window.click(reason);
        // It takes the keyboard: what is typed now goes into it.
        window.harness.event(Event::Text(text.to_owned()));
        window.settle();
    }
    window.click("Add these seeds");
    let spec = &window.app().open.spec.as_ref().unwrap().campaign;
    assert_eq!((spec.name.as_str(), spec.seeds.len()), ("Harbour", 1));
    assert_eq!(spec.politeness.user_agent, "Us (us@archive.example)");
    window.click("Save and crawl");
    window.assert_shows("Harbour, version 1");
}

#[test]
fn edits_are_not_lost_without_a_question() {
    let dir = tempfile::tempdir().unwrap();
    let other = dir.path().join("other");
    drop(Workspace::create(&other).unwrap());
    let mut window = window(dir.path(), 0);
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.assert_shows("Ready to crawl");
    window.click("About");
    window.type_into("Description", "first");
    let is_edited = |window: &Window| window.app().open.spec.as_ref().is_some_and(|spec| spec.is_edited());
    for command in
        [Command::OpenWorkspace(other.clone()), Command::NewCampaign, Command::ChooseCampaign(CampaignId::new(2))]
    {
        window.app_mut().send(command);
        window.assert_shows("Save the changes to “Town”?");
        window.click("Cancel");
        assert!(is_edited(&window) && window.app().dialog().is_none());
        assert_eq!(
            (window.app().campaign(), &window.route()),
            (Some(CampaignId::new(1)), &Route::Spec(Some(CampaignId::new(1))))
        );
    }
    super::shell::request_close(&mut window);
    window.assert_shows("Save the changes to “Town”?");
    window.press(Key::Escape);
    assert!(is_edited(&window) && !window.app().is_closing());
    // Kept as a version, then the other campaign is chosen, and what was sent with it done.
    window.app_mut().send(Command::ChooseCampaign(CampaignId::new(2)));
    window.app_mut().send(Command::Go(Route::Crawl));
    window.assert_shows("Save the changes to “Town”?");
    window.click("Save");
    window.until("the other is at hand", |window| window.app().campaign() == Some(CampaignId::new(2)));
    assert_eq!(window.route(), Route::Crawl);
    let saved = window.app().session().unwrap().catalogue().campaign_page(CampaignId::new(1)).unwrap();
    assert_eq!((saved.version, saved.campaign.description.as_str()), (2, "first"));
    // Dropped, also where what follows fails: then they are still there.
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.assert_shows("Ready to crawl");
    window.click("About");
    window.type_into("Description", "second");
    window.app_mut().send(Command::OpenWorkspace(dir.path().join("nowhere")));
    window.assert_shows("Save the changes to “River”?");
    window.click("Discard changes");
    window.until("a notice is shown", |window| has_notice(window, "could not be opened"));
    assert!(is_edited(&window));
    window.app_mut().send(Command::OpenWorkspace(other.clone()));
    window.assert_shows("Save the changes to “River”?");
    window.app_mut().send(Command::AnswerUnsaved(crate::app::UnsavedAnswer::Discard));
    window.until("the other is open", |window| window.app().settings.last_workspace.as_ref() == Some(&other));
    assert!(window.app().open.spec.is_none());
}

#[test]
fn a_campaign_is_begun_without_a_workspace() {
    let dir = tempfile::tempdir().unwrap();
    // The folder that is offered is taken.
    std::fs::create_dir(dir.path().join("fonds")).unwrap();
    std::fs::write(dir.path().join("fonds/letter.txt"), "mine").unwrap();
    let gone = dir.path().join("gone");
    let there = workspace(dir.path(), 0);
    let recent_workspaces = vec![gone.clone(), there.clone()];
    let mut window = Window::on_disk(dir.path(), Settings { recent_workspaces, ..Settings::default() }, None);
    window.assert_shows("Recent workspaces");
    window.assert_shows(&format!("{} (missing)", gone.display()));
    window.click("New campaign…");
    window.click_radio(&format!("A new workspace, {}", dir.path().join("fonds").display()));
    window.click("Begin campaign");
    window.until("the form is open", |window| window.route() == Route::Spec(None));
    let made = dir.path().join("fonds-2");
    assert_eq!(window.app().settings.recent_workspaces, [made.clone(), gone, there.clone()]);
    assert!(window.app().session().unwrap().workspace().unwrap().folder.ends_with("fonds-2"));
    window.assert_shows("not saved yet");
    window.type_into("Name", "Harbour");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.until("it is saved", |window| window.app().campaign() == Some(CampaignId::new(1)));
    window.app_mut().send(Command::Open { path: there.clone(), options: ImportOptions::default() });
    window.until("the other is open", |window| window.app().settings.last_workspace.as_ref() == Some(&there));
    assert_eq!(window.app().settings.recent_workspaces[..2], [there, made]);
}

#[test]
fn archives_that_are_opened_are_imported_into_a_workspace_made_for_them() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("archives");
    std::fs::create_dir_all(folder.join("2024")).unwrap();
    std::fs::write(folder.join("2024/a.warc"), page_record("http://a.example/", "hi")).unwrap();
    std::fs::write(dir.path().join("b.warc"), page_record("http://b.example/", "hi")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(dir.path().join("b.warc"), folder.join("b.warc")).unwrap();
    let mut window = Window::on_disk(dir.path(), Settings::default(), None);
    window.app_mut().send(Command::Open { path: dir.path().join("nothing.warc"), options: ImportOptions::default() });
    window.until("a notice is shown", |window| has_notice(window, "nothing.warc could not be opened"));
    window.app_mut().send(Command::Open { path: folder.clone(), options: ImportOptions::default() });
    let is_in = |window: &Window| {
        window.app().ended().iter().any(|job| job.kind == crate::work::JobKind::Import && !job.failed)
    };
    window.until("it is imported", is_in);
    assert_eq!(window.app().settings.last_workspace, Some(dir.path().join("fonds")));
    assert!(has_notice(&window, "Made the workspace"));
    assert_eq!(marked(&window, None), 1);
    // A file of it is opened into the same workspace, which has it already.
    window.app_mut().send(Command::Open { path: folder.join("2024/a.warc"), options: ImportOptions::default() });
    window.until("a notice is shown", |window| has_notice(window, "a.warc into the open workspace"));
    #[cfg(unix)]
    {
        // A link out of the folder is followed where that is allowed.
        assert_eq!(marked(&window, None), 1);
        let options = ImportOptions { follow_links: true, ..ImportOptions::default() };
        window.app_mut().send(Command::Open { path: folder.clone(), options });
        window.until("what it links to is imported", |window| marked(window, None) == 2);
    }
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let opener = Workspaces::default();
    assert!(opener.identify(&empty).unwrap_err().to_string().contains("neither a workspace nor"));
    let catalogue = dir.path().join("fonds/fonds.sqlite");
    assert_eq!(opener.identify(&catalogue).unwrap(), OpenTarget::Workspace(dir.path().join("fonds")));
}

#[test]
fn the_sample_that_exists_is_opened_and_served() {
    let dir = tempfile::tempdir().unwrap();
    let opener = Workspaces::offering(dir.path().join("fonds"));
    let sample = dir.path().join("fonds-sample");
    // Something else is in the folder that it would get.
    drop(Workspace::create(&sample).unwrap());
    let (folder, session) = opener.open_sample(&sample).unwrap();
    assert_eq!(folder, dir.path().join("fonds-sample-2"));
    assert_eq!(session.catalogue().campaigns().unwrap().len(), 1);
    drop(session);
    let mut window = Window::on_disk(dir.path(), Settings::default(), None);
    window.click("Try the sample");
    window.until("it is open", |window| window.app().session().is_some());
    assert_eq!(window.app().settings.last_workspace, Some(folder));
    window.until("its campaign is at hand", |window| window.app().campaign() == Some(CampaignId::new(1)));
    assert_eq!(window.app().session().unwrap().workspace().unwrap().read_only, None);
    assert_eq!(window.app().dialog(), None::<Dialog>);
}

#[test]
fn a_crawl_without_room_explains_itself_in_a_message_on_its_page_and_among_its_events() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path(), 0);
    let mut full = campaign("Town");
    full.limits.disk_floor_bytes = 1 << 60;
    full.order = crate::campaign::CrawlOrder::RoundRobin;
    Workspace::open(&folder).unwrap().catalogue().save_campaign(Some(CampaignId::new(1)), &full).unwrap();
    let mut window = Window::on_disk(dir.path(), Settings::default(), Some(folder));
    window.app_mut().send(Command::ChooseCampaign(CampaignId::new(1)));
    window.until("Town is at hand", |window| window.app().campaign() == Some(CampaignId::new(1)));
    window.app_mut().act(Action::StartCrawl);
    window.assert_shows("Town, version 2");
    window.press(Key::Enter);
    let launch = |window: &Window| {
        window.app().session().unwrap().crawl(Some(CampaignId::new(1)), Launches::Last).unwrap().launch.unwrap()
    };
    window.until("it waits for room", |window| {
        launch(window).state == crate::app::models::LaunchState::Paused && has_notice(window, "disk full")
    });
    window.app_mut().send(Command::Go(Route::Crawl));
    window.assert_shows("Paused: disk full: ");
    window.click("Events");
    window.assert_shows("1 event");
    window.app_mut().act(Action::StopCrawl);
    window.until("it has ended", |window| window.app().jobs().is_empty());
    let messages =
        window.app().log().iter().filter(|(_, notice)| notice.what.contains("Crawl: Paused: disk full")).count();
    assert_eq!(messages, 1, "once");
    let why = launch(&window).why;
    assert!(why.contains("Stopped on request. Paused: disk full: "), "{why}");
    window.until("the end is an event", |window| window.shows("2 events"));
}
