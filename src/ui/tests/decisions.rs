//! Keys, buttons and menus decide on what the lower panel shows, and on all that is selected; the key of the browser
//! opens it.

use super::Window;
use super::keyboard::click_row;
use super::search::searched;
use crate::app::models::{CaptureId, CaptureRow, ReviewMark};
use crate::app::{Command, Focus, PanelTab, Route, SelectedRows};
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};

/// The last decision on a capture, and how many there are.
fn decisions(window: &Window, id: CaptureId) -> Vec<ReviewMark> {
    let notes = window.session().detail(id, 90).unwrap().notes;
    notes.into_iter().filter(|note| note.mark != ReviewMark::Note && !note.inherited).map(|note| note.mark).collect()
}

fn notes(window: &Window, id: CaptureId) -> Vec<String> {
    window
        .session()
        .detail(id, 90)
        .unwrap()
        .notes
        .iter()
        .filter(|note| !note.inherited)
        .map(|note| note.text())
        .collect()
}

/// A capture of the town with at least so many versions, and these.
fn versioned(window: &Window, least: usize) -> (CaptureRow, Vec<CaptureRow>) {
    let rows = window.captures("");
    let of = |row: &CaptureRow| window.session().detail(row.id, 90).unwrap().versions;
    let found = rows.into_iter().map(|row| (of(&row), row)).find(|(versions, _)| versions.len() >= least);
    let (versions, row) = found.expect("the town has pages of several versions");
    (row, versions)
}

/// Captures with this one selected and its versions in the lower panel.
fn at_versions(least: usize) -> (Window, CaptureRow, Vec<CaptureRow>) {
    let mut window = Window::town();
    let (row, versions) = versioned(&window, least);
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.settle();
    let at = window.captures("").iter().position(|of| of.id == row.id).unwrap();
    (0..=at).for_each(|_| window.press(Key::ArrowDown));
    window.until("it is at hand", |window| window.app().focus() == Some(Focus::Capture(row.id)));
    window.click("Versions");
    (window, row, versions)
}

/// Clicks the row of a version, which is not the one that is shown.
fn choose_version(window: &mut Window, versions: &[CaptureRow], row: CaptureId) -> CaptureRow {
    let at = versions.iter().position(|version| version.id != row).unwrap();
    click_row(window, "Versions", at as u16);
    window.until("it is shown", |window| window.app().focus() == Some(Focus::Capture(versions[at].id)));
    versions[at].clone()
}

/// The head of the lower panel names this capture.
fn check_headline(window: &mut Window, row: &CaptureRow) {
    window.assert_shows(&format!("{} UTC", row.date.to_readable()));
}

#[test]
fn keys_and_buttons_decide_on_the_version_that_the_lower_panel_shows() {
    let (mut window, row, versions) = at_versions(2);
    check_headline(&mut window, &row);
    let other = choose_version(&mut window, &versions, row.id);
    check_headline(&mut window, &other);
    window.assert_shows("Another capture:");
    let (row_before, other_before) = (decisions(&window, row.id).len(), decisions(&window, other.id).len());
    window.press(Key::D);
    window.until("the version is rejected", |window| decisions(window, other.id).len() > other_before);
    // Buttons above the table, and those of the notes.
    window.click("Flag");
    window.until("it is flagged", |window| decisions(window, other.id).len() > other_before + 1);
    window.press(Key::A);
    window.until("it is approved", |window| decisions(window, other.id).len() > other_before + 2);
    assert_eq!(decisions(&window, row.id).len(), row_before, "the row of the table was not decided on");
    // A note is kept on it as well.
    window.harness.event(egui::Event::Text("n".to_owned()));
    window.settle();
    window.harness.event(egui::Event::Text("older".to_owned()));
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.until("the note is kept", |window| notes(window, other.id).iter().any(|text| text.contains("older")));
    assert!(notes(&window, row.id).iter().all(|text| !text.contains("older")));
    // Back at the row, they are about it again.
    window.click("Back to the row");
    assert_eq!(window.app().focus(), Some(Focus::Capture(row.id)));
    window.press(Key::F);
    window.until("the row is flagged", |window| decisions(window, row.id).len() > row_before);
}

#[test]
fn what_the_hidden_panel_was_led_to_is_not_decided_on() {
    let (mut window, row, versions) = at_versions(2);
    let other = choose_version(&mut window, &versions, row.id);
    let before = (decisions(&window, row.id).len(), decisions(&window, other.id).len());
    window.press(Key::F7);
    window.press(Key::D);
    window.until("the row is rejected", |window| decisions(window, row.id).len() > before.0);
    assert_eq!(decisions(&window, other.id).len(), before.1);
}

#[test]
fn several_selected_rows_are_decided_on_and_the_panel_shows_no_single_one() {
    let (mut window, row, versions) = at_versions(2);
    choose_version(&mut window, &versions, row.id);
    click_row(&mut window, "Captures", 1);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.assert_shows("2 captures selected");
    assert!(!window.can_click("Versions"), "no single version is shown");
    let SelectedRows::Ids(ids) = window.app().selected().clone() else { panic!("rows are selected") };
    assert_eq!(window.app().decision_target(), Ok(ids.clone().into()));
    let before: Vec<usize> = ids.iter().map(|id| decisions(&window, *id).len()).collect();
    window.press(Key::D);
    let grown = |window: &Window| ids.iter().zip(&before).all(|(id, before)| decisions(window, *id).len() > *before);
    window.until("both are rejected", grown);
    // A note is of all of them.
    window.harness.event(egui::Event::Text("n".to_owned()));
    window.settle();
    window.harness.event(egui::Event::Text("both".to_owned()));
    window.press_with(Modifiers::COMMAND, Key::Enter);
    window.until("both have it", |window| {
        ids.iter().all(|id| notes(window, *id).iter().any(|text| text.contains("both")))
    });
}

#[test]
fn several_selected_versions_are_decided_on_together() {
    let (mut window, row, versions) = at_versions(2);
    click_row(&mut window, "Versions", 0);
    window.press_with(Modifiers::COMMAND, Key::A);
    window.assert_shows(&format!("{} captures selected in this list", versions.len()));
    let before: Vec<usize> = versions.iter().map(|of| decisions(&window, of.id).len()).collect();
    window.press(Key::F);
    let grown =
        |window: &Window| versions.iter().zip(&before).all(|(of, before)| decisions(window, of.id).len() > *before);
    window.until("all are flagged", grown);
    assert!(versions.iter().any(|of| of.id == row.id));
}

#[test]
fn review_decides_on_the_version_that_is_shown_and_stays_at_its_row() {
    let mut window = Window::town();
    let (row, _) = versioned(&window, 2);
    let filter = format!("url:{}", crate::app::models::quoted(&row.url));
    window.app_mut().settings.panel_tab = PanelTab::Versions;
    window.app_mut().send(Command::GoToAll(Route::Review { filter }));
    window.until("the queue is there", |window| window.shows("to review"));
    window.until("a row is at hand", |window| window.app().focus().is_some());
    let Some(Focus::Capture(at)) = window.app().focus() else { panic!("no capture is at hand") };
    let versions = window.session().detail(at, 90).unwrap().versions;
    let other = choose_version(&mut window, &versions, at);
    let before = (decisions(&window, at).len(), decisions(&window, other.id).len());
    window.press(Key::D);
    window.until("the version is rejected", |window| decisions(window, other.id).len() > before.1);
    assert_eq!(decisions(&window, at).len(), before.0);
    assert_eq!(window.app().focus(), Some(Focus::Capture(other.id)));
    window.press(Key::J);
    window.press(Key::K);
    window.until("the queue is shown again", |window| window.app().beside_row() == 0);
}

#[test]
fn results_of_a_search_are_decided_on_by_keys_and_all_selected_ones_by_the_menu() {
    let mut window = searched("estaleiro");
    window.press(Key::ArrowDown);
    let Some(Focus::Capture(first)) = window.app().focus() else { panic!("no result is at hand") };
    let before = decisions(&window, first).len();
    window.press(Key::F);
    window.until("it is flagged", |window| decisions(window, first).len() > before);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.assert_shows("2 captures selected");
    let SelectedRows::Ids(ids) = window.app().decision_target().unwrap() else { panic!("rows are selected") };
    assert_eq!(ids.len(), 2);
    let counts = |window: &Window| -> Vec<usize> { ids.iter().map(|id| decisions(window, *id).len()).collect() };
    let before = counts(&window);
    window.press(Key::Menu);
    window.click("✖ Reject");
    window.until("both are rejected", |window| counts(window).iter().zip(&before).all(|(now, before)| now > before));
}

#[test]
fn all_selected_prospects_become_seeds_at_their_page_and_one_undo_takes_them_out() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num3);
    window.click_radio("Pages");
    window.until("rows are there", |window| window.shows("postcards.example/"));
    window.settle();
    window.press(Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    let saved = window.session().catalogue().campaign_page(super::TOWN).unwrap().campaign.seeds.len();
    let seeds = |window: &Window| window.app().open.spec.as_ref().map_or(0, |spec| spec.campaign.seeds.len());
    window.click("Add 3 as seeds");
    window.until("three are added", |window| seeds(window) == saved + 3);
    assert_eq!(window.route(), Route::Prospect, "the page stays");
    window.assert_shows("3 seeds added to the specification");
    window.click("Undo edit");
    window.until("they are taken out", |window| seeds(window) == saved);
    // The same from the menu, for all rows.
    window.press_with(Modifiers::COMMAND, Key::A);
    window.press(Key::Menu);
    let all = window.harness.root().children_recursive();
    let label =
        all.filter_map(|node| node.accesskit_node().label()).find(|label| label.ends_with(" as seeds")).unwrap();
    window.click(&label);
    let cited = crate::app::models::ProspectQuery::new(Some(super::TOWN), "", 0, 1000);
    let cited = window.session().prospects(&cited).unwrap().rows.len();
    window.until("all are added", |window| seeds(window) >= saved + cited.saturating_sub(saved));
}

#[test]
fn several_urls_are_copied_as_several_lines() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.settle();
    let rows = window.captures("");
    window.press(Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.press(Key::Menu);
    window.harness.get_by_role_and_label(Role::Button, "Copy 2 URLs").click();
    let copied = (0..20).find_map(|_| {
        window.harness.step();
        window.harness.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    assert_eq!(copied.unwrap(), format!("{}\n{}", rows[0].url, rows[1].url));
}

/// The capture that the key opens in the browser.
#[track_caller]
fn opened(window: &mut Window) -> CaptureId {
    let url = window.press_to_browser(Key::O).unwrap_or_else(|| panic!("nothing opens: {:?}", window.texts()));
    let (_, number) = url.rsplit_once("/capture/").unwrap();
    CaptureId::new(number.parse().unwrap())
}

/// The capture that the lower panel shows.
#[track_caller]
fn shown(window: &Window) -> CaptureId {
    let Some(Focus::Capture(capture)) = window.app().focus() else { panic!("no capture: {:?}", window.texts()) };
    capture
}

#[test]
fn the_browser_opens_captures_of_the_table_of_their_versions_and_of_a_search() {
    let (mut window, row, versions) = at_versions(2);
    assert_eq!(opened(&mut window), row.id);
    let other = choose_version(&mut window, &versions, row.id);
    assert_eq!(opened(&mut window), other.id);
    window.press(Key::ArrowUp);
    window.press(Key::ArrowDown);
    let now = shown(&window);
    assert_eq!(opened(&mut window), now);
    let mut window = searched("estaleiro");
    window.press(Key::ArrowDown);
    let first = shown(&window);
    assert_eq!(opened(&mut window), first);
    window.press(Key::ArrowDown);
    let second = shown(&window);
    assert_ne!(first, second);
    assert_eq!(opened(&mut window), second);
}

#[test]
fn the_browser_opens_what_is_to_review() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.until("the queue is there", |window| window.shows("to review"));
    window.until("a row is at hand", |window| window.app().focus().is_some());
    let first = shown(&window);
    assert_eq!(opened(&mut window), first);
    window.press(Key::J);
    window.until("the next one is at hand", |window| shown(window) != first);
    let second = shown(&window);
    assert_eq!(opened(&mut window), second);
}

#[test]
fn the_browser_opens_the_page_whose_link_is_chosen() {
    let mut window = Window::town();
    let sources = |window: &Window, row: &CaptureRow| -> Vec<CaptureId> {
        let links = window.session().workspace.inlinks_of_capture(row.id, 90).unwrap();
        links.rows.iter().filter_map(|link| link.capture).collect()
    };
    let rows = window.captures("status:200");
    let (at, row) = rows
        .iter()
        .enumerate()
        .find(|(_, row)| sources(&window, row).iter().any(|of| *of != row.id))
        .expect("pages of the town link to each other");
    let of_links = sources(&window, row);
    window.app_mut().send(Command::Go(Route::Captures { filter: "status:200".to_owned() }));
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.settle();
    (0..=at).for_each(|_| window.press(Key::ArrowDown));
    window.until("it is at hand", |window| window.app().focus() == Some(Focus::Capture(row.id)));
    window.click("Inlinks");
    window.settle();
    assert_eq!(opened(&mut window), row.id);
    click_row(&mut window, "Inlinks", 0);
    window.settle();
    assert_eq!(shown(&window), row.id, "the panel goes on with its row");
    let first = opened(&mut window);
    assert!(of_links.contains(&first), "{first} {of_links:?}");
    // The next row of the page is what the key is about again.
    click_row(&mut window, "Captures", if at == 0 { 1 } else { 0 });
    window.settle();
    let now = shown(&window);
    assert_ne!(now, row.id);
    assert_eq!(opened(&mut window), now);
}
