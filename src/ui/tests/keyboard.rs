//! A journey by keyboard alone: a host, its refused URLs, their rows, the
//! whole table, and ten decisions.

use super::Window;
use crate::app::models::Launches;
use crate::app::{Focus, JobKind};
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};

/// What has the keyboard.
fn focused(window: &Window) -> Option<(Role, String)> {
    let mut nodes = window.harness.root().children_recursive();
    let node = nodes.find(|node| node.accesskit_node().is_focused())?;
    Some((node.accesskit_node().role(), node.accesskit_node().label().unwrap_or_default()))
}

/// Presses a key until this has the keyboard.
#[track_caller]
fn press_to(window: &mut Window, key: Key, to: &str) {
    for _ in 0..60 {
        if focused(window).is_some_and(|(_, label)| label == to) {
            return;
        }
        window.press(key);
    }
    panic!("“{to}” is not reached, but {:?}", focused(window));
}

/// What Ctrl+C copies.
fn copied(window: &mut Window) -> String {
    window.harness.event(egui::Event::Copy);
    for _ in 0..20 {
        window.harness.step();
        let mut commands = window.harness.output().platform_output.commands.iter();
        let text = commands.find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        if let Some(text) = text {
            return text;
        }
    }
    String::new()
}

#[test]
fn a_host_its_refused_urls_an_export_and_ten_decisions_are_reached_by_keys() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num4);
    let page = window.session().crawl(window.app().campaign(), Launches::Last).unwrap();
    let at = page.hosts.iter().position(|host| host.refused >= 3).unwrap();
    let (host, refused) = (page.hosts[at].host.clone(), page.hosts[at].refused);
    window.assert_shows(&host);
    for _ in 0..=at {
        window.press(Key::ArrowDown);
    }
    window.press(Key::Menu);
    press_to(&mut window, Key::ArrowDown, &format!("Refused: {refused}"));
    window.press(Key::Enter);
    window.until("its refused URLs are there", |window| window.texts().contains(&format!("{refused} URLs")));

    window.press(Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    let rows = copied(&mut window);
    let urls: Vec<&str> = rows.lines().skip(1).filter_map(|row| row.split('\t').next()).collect();
    assert_eq!(urls.len(), 3, "{rows}");
    assert!(urls.iter().all(|url| url.starts_with(&format!("http://{host}/"))), "{rows}");

    window.press_with(Modifiers::COMMAND, Key::E);
    window.assert_shows(&format!("{refused} rows, sorted and filtered as shown"));
    press_to(&mut window, Key::Tab, "Export table");
    window.press(Key::Enter);
    window.until_done(JobKind::WriteTable);
    let written = crate::testing::files_under(&window.folder().join("exports/tables")).remove(0);
    assert_eq!(std::fs::read_to_string(written).unwrap().lines().count() as u64, refused + 1);

    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.until("the queue is there", |window| window.shows("captures to review"));
    // Wherever the keyboard is, the letters decide.
    press_to(&mut window, Key::Tab, "Undo last decision");
    let open = |window: &Window| window.captures("review:yes").len();
    let before = open(&window);
    for decided in 1..=10 {
        window.press(if decided % 2 == 0 { Key::A } else { Key::D });
        window.until("it is decided", |window| open(window) + decided == before);
        // A letter decides on the capture that is shown: the next one has to be.
        window.assert_shows(&format!(", {decided} reviewed now"));
    }
}

#[test]
fn a_tab_leads_to_its_rows_and_the_table_is_exported_from_it() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.press(Key::F6);
    press_to(&mut window, Key::Tab, "Refused");
    if focused(&window).is_some_and(|(role, _)| role != Role::Tab) {
        window.press(Key::Tab);
        press_to(&mut window, Key::Tab, "Refused");
    }
    window.press(Key::Enter);
    window.assert_shows("URLs");
    window.press_with(Modifiers::COMMAND, Key::E);
    window.assert_shows("rows, sorted and filtered as shown");
    window.press(Key::Escape);
    press_to(&mut window, Key::Tab, "Refused");
    window.press(Key::ArrowDown);
    assert_eq!(focused(&window).map(|(role, _)| role), Some(Role::Table));
    window.press(Key::ArrowDown);
    assert!(matches!(window.app().focus(), Some(Focus::Seen(_))), "{:?}", window.app().focus());
}

/// A click into the row of this number of a table.
pub(super) fn click_row(window: &mut Window, table: &str, nth: u16) {
    window.until(table, |window| window.harness.query_by_role_and_label(Role::Table, table).is_some());
    window.settle();
    let rect = window.harness.get_by_role_and_label(Role::Table, table).rect();
    let row = crate::ui::theme::HEAD_ROW + (f32::from(nth) + 0.5) * crate::ui::theme::ROW;
    let at = rect.left_top() + egui::vec2(8.0, row);
    window.harness.event(egui::Event::PointerMoved(at));
    window.settle();
    for pressed in [true, false] {
        let (pos, button, modifiers) = (at, egui::PointerButton::Primary, Modifiers::NONE);
        window.harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
        window.harness.step();
    }
    window.settle();
}

#[test]
fn keys_go_to_a_table_of_the_lower_panel_after_a_click_into_it() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.type_into("Filter", "inlinks.ext>1");
    window.press(Key::Enter);
    let rows = window.captures("inlinks.ext>1");
    let at = rows.iter().position(|row| window.session().catalogue().outlinks(row.id).unwrap().len() > 2).unwrap();
    (0..=at).for_each(|_| window.press(Key::ArrowDown));
    let before = window.app().focus();
    assert!(matches!(before, Some(Focus::Capture(_))), "{before:?}");
    let links = window.session().catalogue().outlinks(rows[at].id).unwrap();
    window.click("Outlinks");
    click_row(&mut window, "Outlinks", 0);
    assert!(copied(&mut window).contains(&links[0].url));
    window.press(Key::ArrowDown);
    assert!(copied(&mut window).contains(&links[1].url));
    window.press_with(Modifiers::COMMAND, Key::A);
    assert_eq!(copied(&mut window).lines().count(), links.len() + 1);
    // The page's own table is where it was.
    assert_eq!((window.app().focus(), window.app().selected().count()), (before, 1));
    // A row of this one leads to another capture, whose versions are read: the keys stay theirs.
    window.click("Versions");
    click_row(&mut window, "Versions", 0);
    let first = window.app().focus();
    window.press(Key::ArrowDown);
    let second = window.app().focus();
    assert_ne!(first, second);
    window
        .until("versions are read", |window| window.harness.query_by_role_and_label(Role::Table, "Versions").is_some());
    window.settle();
    assert!(copied(&mut window).starts_with("Captured (UTC)\tStatus"));
    window.press(Key::ArrowUp);
    assert_eq!(window.app().focus(), first);
    // A click into the page gives them back.
    click_row(&mut window, "Captures", 1);
    window.press(Key::ArrowDown);
    assert_eq!(window.app().focus(), Some(Focus::Capture(rows[2].id)));
}

#[test]
fn the_tabs_of_the_lower_panel_are_gone_through_by_keys() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("none selected"));
    window.press(Key::ArrowDown);
    window.press(Key::F6);
    window.press(Key::F6);
    press_to(&mut window, Key::Tab, "Details");
    for name in ["Text", "Inlinks", "Outlinks", "Needs", "Versions", "Decision", "Notes"] {
        window.press(Key::Tab);
        assert_eq!(
            focused(&window).map(|(role, label)| (role, label.starts_with(name))),
            Some((Role::Tab, true)),
            "{name}"
        );
        window.press(Key::Space);
        window.settle();
        assert_eq!(format!("{:?}", window.app().settings.panel_tab), name);
    }
}
