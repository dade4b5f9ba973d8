//! The window for people who listen to it or work by keys alone.

use super::Window;
use super::on_disk::window;
use crate::app::PAGES;
use crate::app::models::Notice;
use egui::accesskit::{Live, Role};
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;
use std::fmt::Write;

/// Keys of the pages but the last two, which have none or open a guide.
pub(super) const PAGE_KEYS: [(Modifiers, Key); 11] = {
    const CTRL: Modifiers = Modifiers::COMMAND;
    [
        (Modifiers::ALT, Key::Home),
        (CTRL, Key::Num1),
        (CTRL, Key::Num2),
        (CTRL, Key::Num3),
        (CTRL, Key::Num4),
        (CTRL, Key::Num5),
        (CTRL, Key::Num6),
        (CTRL, Key::Num7),
        (CTRL, Key::Num8),
        (CTRL, Key::Num9),
        (CTRL.plus(Modifiers::SHIFT), Key::I),
    ]
};

/// Role, name and state of every node on screen, a line each, indented.
fn tree(window: &Window) -> String {
    fn add(node: &egui_kittest::Node<'_>, depth: usize, text: &mut String) {
        let accessible = node.accesskit_node();
        let role = accessible.role();
        let is_listed = !matches!(role, Role::GenericContainer | Role::Unknown);
        if is_listed {
            let name = accessible.label().or_else(|| accessible.value()).unwrap_or_default();
            let selected = if accessible.is_selected() == Some(true) { " (selected)" } else { "" };
            let _ = writeln!(text, "{}{role:?} “{name}”{selected}", "  ".repeat(depth));
        }
        for child in node.children() {
            add(&child, depth + usize::from(is_listed), text);
        }
    }
    let mut text = String::new();
    add(&window.harness.root(), 0, &mut text);
    text
}

/// Names of the nodes of a role.
fn names(window: &Window, role: Role) -> Vec<String> {
    let nodes = window.harness.root().children_recursive();
    let of_role = nodes.filter(|node| node.accesskit_node().role() == role);
    of_role.map(|node| node.accesskit_node().label().unwrap_or_default()).collect()
}

fn focused(window: &Window) -> Option<String> {
    let mut nodes = window.harness.root().children_recursive();
    nodes.find(|node| node.accesskit_node().is_focused()).and_then(|node| node.accesskit_node().label())
}

#[test]
fn every_page_is_named_with_its_parts_and_tabs() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 3);
    let mut tables = Vec::new();
    for ((modifiers, key), name) in PAGE_KEYS.into_iter().zip(PAGES) {
        window.press_with(modifiers, key);
        window.settle();
        let tree = tree(&window);
        assert!(
            tree.starts_with("Window “") && tree.lines().next().is_some_and(|line| line.contains("work – Fonds”")),
            "{tree}"
        );
        assert_eq!(names(&window, Role::Navigation), ["Pages"], "{tree}");
        assert_eq!(names(&window, Role::Main), [name], "{tree}");
        assert_eq!(names(&window, Role::Banner), ["Title and main commands"], "{tree}");
        assert_eq!(names(&window, Role::ContentInfo), ["Messages and jobs"], "{tree}");
        let lists = names(&window, Role::TabList);
        assert!(lists.iter().all(|name| !name.is_empty()), "{tree}");
        // A table has a name, heads with names, and the rows that are in sight.
        for node in window.harness.root().children_recursive() {
            if node.accesskit_node().role() == Role::Table {
                let name = node.accesskit_node().label().unwrap_or_default();
                let of = |role: Role| {
                    let parts = node.children_recursive().filter(move |part| part.accesskit_node().role() == role);
                    parts.map(|part| part.accesskit_node().label().unwrap_or_default()).collect::<Vec<_>>()
                };
                let (heads, cells) = (of(Role::ColumnHeader), of(Role::Cell));
                assert!(!name.is_empty() && heads.iter().all(|head| !head.is_empty()), "{tree}");
                assert!(!of(Role::Row).is_empty() && cells.len() >= heads.len().min(1), "{name}: {tree}");
                tables.push(name);
            }
        }
        // Of each list one tab is chosen.
        let selected = tree.lines().filter(|line| line.contains("Tab “") && line.ends_with("(selected)"));
        assert_eq!(selected.count(), lists.len(), "{tree}");
    }
    for table in ["Campaigns", "Captures", "Captures to review"] {
        assert!(tables.iter().any(|name| name == table), "{table}: {tables:?}");
    }
    window.press_with(Modifiers::COMMAND, Key::K);
    assert_eq!(names(&window, Role::Dialog), ["Commands"]);
}

#[test]
fn f6_goes_from_part_to_part_and_tab_goes_on_within() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 3);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("3 rows, none selected"));
    window.settle();
    // Without a selected row there is no lower panel.
    window.press(Key::ArrowDown);
    window.assert_shows("3 rows, 1 selected");
    let mut go = |modifiers: Modifiers| {
        window.press_with(modifiers, Key::F6);
        focused(&window).unwrap_or_default()
    };
    assert_eq!(go(Modifiers::NONE), "Captures");
    assert_eq!(go(Modifiers::NONE), "Lower panel");
    assert_eq!(go(Modifiers::NONE), "Messages and jobs");
    assert_eq!(go(Modifiers::NONE), "Pages");
    assert_eq!(go(Modifiers::SHIFT), "Messages and jobs");
    assert_eq!(go(Modifiers::SHIFT), "Lower panel");
    window.press(Key::Tab);
    // The head of the panel comes before its parts: what closes it, and what puts it at the right of a wide window.
    window.press(Key::Tab);
    window.press(Key::Tab);
    assert_eq!(focused(&window).as_deref(), Some("Details"), "{}", tree(&window));
    // From within a part, to the next.
    window.press_with(Modifiers::NONE, Key::F6);
    window.press_with(Modifiers::NONE, Key::F6);
    window.press(Key::Tab);
    assert_eq!(focused(&window).as_deref(), Some("Campaigns"));
}

#[test]
fn tab_goes_from_the_top_left_to_the_foot_of_the_window() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 3);
    window.app_mut().notice(Notice {
        is_error: true,
        what: "The disk is full".to_owned(),
        why: "no space left".to_owned(),
        hint: String::new(),
    });
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("3 rows, none selected"));
    window.settle();
    window.press(Key::ArrowDown);
    window.assert_shows("3 rows, 1 selected");
    let mut order = Vec::new();
    for _ in 0..200 {
        window.harness.key_press(Key::Tab);
        window.harness.run_steps(2);
        order.extend(focused(&window));
    }
    let at =
        |name: &str| order.iter().position(|focused| focused == name).unwrap_or_else(|| panic!("{name}: {order:?}"));
    let places = ["Pages", "Campaigns", "Files", "Filter", "Lower panel", "Details", "Notes", "Dismiss"].map(at);
    assert!(places.is_sorted(), "{places:?} {order:?}");
}

#[test]
fn errors_are_read_out_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = window(dir.path(), 0);
    let what = "The disk is full".to_owned();
    window.app_mut().notice(Notice { is_error: true, what: what.clone(), why: String::new(), hint: String::new() });
    window.settle();
    let mut nodes = window.harness.root().children_recursive();
    let node = nodes
        .find(|node| {
            node.accesskit_node().label().as_deref() == Some(what.as_str())
                || node.accesskit_node().value().as_deref() == Some(what.as_str())
        })
        .unwrap();
    assert_eq!(node.accesskit_node().live(), Live::Assertive);
}
