//! A window on a workspace that another one writes: all can be read, and nothing offers to write.

use super::{TOWN, Window, is_pressed};
use crate::app::models::{ProblemQuery, ReviewMark, SearchQuery};
use crate::app::{Command, Dialog, FilesRoute, Focus, PanelTab, Route, Settings};
use crate::store::Workspace;
use crate::testing::town;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use std::collections::HashSet;

const WHY: &str = "This workspace is open in another window; read only";

/// The town in a second window: the first one is what is given beside.
fn second_window() -> (Window, Workspace) {
    let root = tempfile::tempdir().unwrap();
    let folder = town().copy(root.path());
    let first = Workspace::open(&folder).unwrap();
    let mut window = Window { root: Some(root), ..Window::on_disk(&folder, Settings::default(), Some(folder.clone())) };
    window.app_mut().send(Command::ChooseCampaign(TOWN));
    window.until("its campaign is at hand", |window| window.app().campaign() == Some(TOWN));
    window.settle();
    (window, first)
}

/// Every page with rows and its parts.
fn routes() -> Vec<Route> {
    let files = [FilesRoute::Files(None), FilesRoute::Problems(ProblemQuery::default()), FilesRoute::Imports(None)];
    let query = SearchQuery { text: "river".to_owned(), ..SearchQuery::default() };
    let mut routes = vec![
        Route::Campaigns,
        Route::Overview,
        Route::Spec(Some(TOWN)),
        Route::Crawl,
        Route::Captures { filter: String::new() },
        Route::Prospect,
        Route::Entities { entity: String::new() },
        Route::Links { target: String::new() },
        Route::LinkHosts(None),
        Route::Review { filter: String::new() },
        Route::Select,
        Route::SelectedHosts(true),
        Route::Jobs,
        Route::Search(query),
    ];
    routes.extend(files.map(Route::Files));
    routes
}

/// Labels of what can be pressed, as often as they are there.
fn pressable(window: &Window) -> Vec<String> {
    let nodes = window.harness.root().children_recursive().filter(|node| is_pressed(node));
    nodes.filter(|node| !node.accesskit_node().is_disabled()).filter_map(|node| node.accesskit_node().label()).collect()
}

/// What opens a window of the desktop, or another workspace.
fn leaves_the_window(label: &str) -> bool {
    let other = ["Open the sample campaign", "Try the sample", "Create a workspace here", "Open report"];
    ["Browse…", "Folder…", "File…", "Open"].contains(&label) || other.iter().any(|other| label.starts_with(other))
}

#[track_caller]
fn wrote_nothing(window: &mut Window, pressed: &str) {
    // A control may have opened the workspace once more, which takes a while beside other work.
    window.until("a workspace is open", |window| window.app().session().is_some());
    let writes: Vec<_> = window.app().sent().filter(|command| command.writes()).collect();
    let opens_sample = window.app().sent().any(|command| matches!(command, Command::LoadSample(_)));
    assert!(!opens_sample, "“{pressed}” on {:?} opens another workspace", window.route());
    let place = window.app().session().map(|session| session.workspace.folder().to_owned());
    assert_eq!(window.app().read_only(), Some(WHY), "after “{pressed}” on {:?}, {place:?}", window.route());
    assert!(writes.is_empty(), "“{pressed}” on {:?} is live and writes: {writes:?}", window.route());
}

/// Presses each control of what is on screen, after `open` has brought it there.
fn press_all(window: &mut Window, of_every_page: &HashSet<String>, open: impl Fn(&mut Window)) -> usize {
    open(window);
    let mut labels = pressable(window);
    labels.retain(|label| !of_every_page.contains(label));
    for (at, label) in labels.iter().enumerate() {
        if leaves_the_window(label) {
            continue;
        }
        // Of what each row has, the first and the second.
        let nth = labels[..at].iter().filter(|before| *before == label).count();
        if nth > 1 {
            continue;
        }
        let node = window.harness.query_all_by_label(label).filter(is_pressed).nth(nth);
        if let Some(node) = node.filter(|node| !node.accesskit_node().is_disabled()) {
            node.click();
        }
        window.harness.run_steps(3);
        wrote_nothing(window, label);
        open(window);
    }
    labels.len()
}

#[test]
fn no_control_of_any_page_that_can_be_pressed_writes() {
    let (mut window, _first) = second_window();
    let capture = window.captures("status:200")[0].id;
    let go_to_jobs = |window: &mut Window| {
        window.app_mut().send(Command::CloseDialog);
        window.app_mut().send(Command::Go(Route::Jobs));
        window.still(1);
    };
    let mut pressed = press_all(&mut window, &HashSet::new(), go_to_jobs);
    go_to_jobs(&mut window);
    // The rail and the bars are the same on each.
    let of_every_page: HashSet<String> = pressable(&window).into_iter().collect();
    for route in routes() {
        pressed += press_all(&mut window, &of_every_page, |window| {
            window.harness.key_press(Key::Escape);
            window.app_mut().send(Command::CloseDialog);
            window.app_mut().send(Command::Go(route.clone()));
            window.app_mut().follow(Focus::Capture(capture));
            window.still(1);
        });
    }
    for tab in [PanelTab::Notes, PanelTab::Versions, PanelTab::Inlinks, PanelTab::Related] {
        pressed += press_all(&mut window, &of_every_page, |window| {
            window.app_mut().send(Command::CloseDialog);
            window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
            window.app_mut().follow(Focus::Capture(capture));
            window.app_mut().show_tab(tab);
            window.still(1);
        });
    }
    // What lies below a dialog is covered by it: a click there is one on the dialog.
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.settle();
    let below: HashSet<String> = of_every_page.iter().cloned().chain(pressable(&window)).collect();
    for dialog in [Dialog::Open, Dialog::Palette, Dialog::Window] {
        pressed += press_all(&mut window, &below, |window| {
            window.app_mut().send(Command::OpenDialog(dialog));
            window.still(1);
        });
    }
    assert!(pressed > 250, "{pressed} controls were pressed");
}

#[test]
fn what_writes_is_there_and_off_with_its_reason() {
    let (mut window, _first) = second_window();
    let capture = window.captures("status:200")[0].id;
    for (route, labels) in [
        (Route::Campaigns, &["New campaign", "Switch schedule off"][..]),
        (Route::Spec(Some(TOWN)), &["Save as v2", "Start crawl"]),
        (Route::Captures { filter: String::new() }, &["Approve", "Reject", "Flag", "Clear decision"]),
        (Route::Review { filter: String::new() }, &["Approve  A", "Reject  D", "Flag  F"]),
        (Route::Select, &["Export"]),
        (Route::Files(FilesRoute::Files(None)), &["Import archive files…", "Locate missing files…"]),
    ] {
        window.app_mut().send(Command::Go(route.clone()));
        window.app_mut().select(vec![capture].into());
        window.settle();
        for label in labels {
            let mut nodes = window.harness.query_all_by_label(label).filter(is_pressed);
            let last = nodes.next_back().unwrap_or_else(|| panic!("no “{label}” on {route:?}: {:?}", window.texts()));
            assert!(last.accesskit_node().is_disabled(), "“{label}” on {route:?}");
        }
        let node = window.harness.query_all_by_label(labels[0]).rfind(is_pressed).unwrap();
        node.hover();
        window.harness.run_steps(8);
        window.until(&format!("the reason of {} is shown", labels[0]), |window| window.shows(WHY));
    }
}

#[test]
fn the_menu_of_a_row_offers_no_decision() {
    let (mut window, _first) = second_window();
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.settle();
    window.press(Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::F10);
    for label in ["✔ Approve", "✖ Reject", "⚑ Flag", "Clear decision"] {
        let mut nodes = window.harness.query_all_by_label(label).filter(is_pressed);
        assert!(nodes.all(|node| node.accesskit_node().is_disabled()), "{label}");
    }
    assert!(window.can_click("Show inlinks"), "{:?}", window.texts());
}

#[test]
fn a_capture_opens_in_the_browser_from_the_archive_of_this_machine() {
    let (mut window, _first) = second_window();
    let capture = window.captures("status:200")[0].id;
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.settle();
    window.app_mut().select(vec![capture].into());
    window.settle();
    let url = window.press_to_browser(Key::O).unwrap();
    assert!(url.starts_with("http://127.0.0.1:") && url.ends_with(&format!("/capture/{capture}")), "{url}");
    // The same servers show the next one.
    let again = window.press_to_browser(Key::O).unwrap();
    assert_eq!(url, again);
}

#[test]
fn keys_that_decide_report_once_that_nothing_is_written() {
    let (mut window, _first) = second_window();
    let capture = window.captures("status:200")[0].id;
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.settle();
    window.app_mut().select(vec![capture].into());
    window.settle();
    for key in [Key::A, Key::D, Key::A, Key::F] {
        window.press(key);
    }
    window.app_mut().send(Command::Go(Route::Review { filter: String::new() }));
    window.settle();
    let first = window.texts().into_iter().find(|text| text.contains("to review, 0 reviewed now"));
    for key in [Key::A, Key::D] {
        window.press(key);
    }
    assert_eq!(window.texts().into_iter().find(|text| text.contains("to review, 0 reviewed now")), first);
    window.press_with(Modifiers::COMMAND, Key::I);
    let refusals = window.app().log().iter().filter(|(_, notice)| notice.what == "Nothing was changed");
    let dates: Vec<i64> = refusals.map(|(date, _)| date.millis()).collect();
    // Again only where the last one is gone: keys of a slow test are pressed later than those of a person.
    assert!(!dates.is_empty() && dates.windows(2).all(|pair| pair[1] - pair[0] >= 5_000), "{dates:?}");
    assert!(window.app().log().iter().all(|(_, notice)| !notice.is_error), "{:?}", window.app().log());
    assert!(window.app().notices().is_empty());
    assert_eq!(window.captures("mark:approve mark:reject mark:flag").len(), 0);
    assert!(window.app().dialog().is_none());
    window.pass(60.0);
    window.settle();
    assert!(!window.shows("Nothing was changed"), "the message goes away");
}

#[test]
fn the_title_names_the_workspace_and_the_other_window_s_job_is_not_denied() {
    let (mut window, first) = second_window();
    let folder = window.folder();
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    assert!(window.title().ends_with(&format!(" – {name} – Fonds (read only)")), "{}", window.title());
    window.assert_shows("Read only");
    window.assert_shows("No job running");
    let job = first.catalogue().job_started("Crawl", None).unwrap();
    window.until("the other's job is known", |window| window.shows("Crawl of another window may be running"));
    assert!(!window.shows("No job running"));
    first.catalogue().job_ended(job, "finished").unwrap();
    window.until("its end is known", |window| window.shows("No job running"));
    let other = window.root().join("Other");
    window.app_mut().send(Command::NewWorkspace(other));
    window.until("it is open", |window| window.title() == "Other – Fonds");
}

#[test]
fn a_workspace_that_can_be_written_refuses_nothing() {
    let mut window = Window::town();
    assert_eq!(window.app().read_only(), None);
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    let capture = window.captures("status:200")[0].id;
    window.app_mut().select(vec![capture].into());
    window.settle();
    window.press(Key::A);
    window.until("it is approved", |window| {
        window.captures("").iter().any(|row| row.id == capture && row.mark == Some(ReviewMark::Approve))
    });
}
