//! The model on a small list: what a person sees, does and gets.

#![allow(clippy::unwrap_used)]

use super::{Column, Table, key_of};
use crate::app::{AppState, Settings, TableForm};
use crate::jobs::JobCx;
use crate::work::Workspaces;
use egui::accesskit::{Role, SortDirection};
use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use egui_kittest::{Harness, Node};
use std::sync::Arc;

struct Host {
    name: String,
    links: u64,
    side: &'static str,
}

struct TestTable {
    app: Option<AppState>,
    rows: Vec<Host>,
    height: f32,
    actions: Vec<String>,
}

fn app(settings: Settings) -> AppState {
    AppState::new(Arc::new(Workspaces::default()), settings, Arc::new(|| {})).unwrap()
}

fn hosts(count: u64) -> Vec<Host> {
    let host = |index: u64| Host {
        name: format!("h{index:03}.pt"),
        links: index * 7 % 5,
        side: if index.is_multiple_of(2) { "b" } else { "a" },
    };
    (0..count).map(host).collect()
}

fn harness(rows: Vec<Host>, settings: Settings) -> Harness<'static, TestTable> {
    let shown = TestTable { app: Some(app(settings)), rows, height: 550.0, actions: Vec::new() };
    let mut harness = Harness::builder().with_size(egui::vec2(500.0, 600.0)).build_ui_state(
        |ui, shown: &mut TestTable| {
            type Col<'a> = Column<'a, Host, String>;
            let columns = [
                Col::text("host", "Host", 150.0, |row| &row.name),
                Col::count("links", "Links", 80.0, |row| row.links)
                    .link("Show them", |row| Some(format!("links of {}", row.name)))
                    .example(|row| Some(&row.name)),
                Col::text("side", "Side", 80.0, |row| row.side),
                Col::made("twice", "Twice", 80.0, |row| format!("={}+1", row.name)).hidden(),
            ];
            let table = Table::new("test hosts", "Hosts", columns, |row: &Host| key_of(&row.name))
                .height(shown.height)
                .on_focus(|row| Some(format!("at {}", row.name)));
            let mut app = shown.app.take().unwrap();
            shown.actions.extend(table.rows_ui(ui, &mut app, &shown.rows));
            app.tick();
            shown.app = Some(app);
        },
        shown,
    );
    harness.run_steps(3);
    harness
}

fn of_role<'h>(harness: &'h Harness<'_, TestTable>, role: Role) -> Vec<Node<'h>> {
    harness.root().children_recursive().filter(|node| node.accesskit_node().role() == role).collect()
}

fn first_cells(harness: &Harness<'_, TestTable>) -> Vec<String> {
    let names = of_role(harness, Role::Row).into_iter().map(|row| {
        let mut cells = row.children_recursive().filter(|node| node.accesskit_node().role() == Role::Cell);
        cells.next().and_then(|cell| cell.accesskit_node().label()).unwrap_or_default()
    });
    names.collect()
}

fn selected(harness: &Harness<'_, TestTable>) -> Vec<usize> {
    let rows = of_role(harness, Role::Row).into_iter();
    rows.filter(|row| row.accesskit_node().is_selected() == Some(true))
        .filter_map(|row| row.accesskit_node().data().row_index())
        .collect()
}

fn sort_by(harness: &mut Harness<'_, TestTable>, head: &str, modifiers: Modifiers) {
    let heads = of_role(harness, Role::ColumnHeader);
    let node = heads.into_iter().find(|node| node.accesskit_node().label().as_deref() == Some(head)).unwrap();
    node.click_modifiers(modifiers);
    harness.run_steps(3);
}

fn press(harness: &mut Harness<'_, TestTable>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(3);
}

fn copied(harness: &mut Harness<'_, TestTable>) -> String {
    // A frame shows what it copied, and no later one does.
    harness.step();
    let mut commands = harness.output().platform_output.commands.iter();
    let text = commands.find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    text.unwrap_or_default()
}

#[test]
fn heads_sort_from_the_most_and_from_a_and_by_a_second_key() {
    let mut harness = harness(hosts(5), Settings::default());
    assert_eq!(first_cells(&harness), ["h000.pt", "h001.pt", "h002.pt", "h003.pt", "h004.pt"]);
    sort_by(&mut harness, "Links", Modifiers::NONE);
    assert_eq!(first_cells(&harness), ["h002.pt", "h004.pt", "h001.pt", "h003.pt", "h000.pt"]);
    sort_by(&mut harness, "Links", Modifiers::NONE);
    assert_eq!(first_cells(&harness), ["h000.pt", "h003.pt", "h001.pt", "h004.pt", "h002.pt"]);
    sort_by(&mut harness, "Side", Modifiers::NONE);
    sort_by(&mut harness, "Links", Modifiers::SHIFT);
    assert_eq!(first_cells(&harness), ["h001.pt", "h003.pt", "h002.pt", "h004.pt", "h000.pt"]);
    let table = of_role(&harness, Role::Table).pop().unwrap();
    assert_eq!(table.accesskit_node().data().description(), Some("sorted by Side ascending, then Links descending"));
    let directions: Vec<_> = of_role(&harness, Role::ColumnHeader)
        .iter()
        .map(|node| node.accesskit_node().data().sort_direction())
        .collect();
    assert_eq!(directions, [None, Some(SortDirection::Descending), Some(SortDirection::Ascending)]);
    // Once more, and rows come as they are given.
    sort_by(&mut harness, "Host", Modifiers::NONE);
    sort_by(&mut harness, "Host", Modifiers::NONE);
    sort_by(&mut harness, "Host", Modifiers::NONE);
    assert_eq!(first_cells(&harness)[0], "h000.pt");
}

#[test]
fn rows_are_reached_selected_and_opened_by_mouse_and_keys() {
    let mut harness = harness(hosts(100), Settings::default());
    let mut click = |modifiers: Modifiers, label: &str| {
        harness.get_by_label(label).click_modifiers(modifiers);
        harness.run_steps(3);
        selected(&harness)
    };
    assert_eq!(click(Modifiers::NONE, "h002.pt"), [2]);
    assert_eq!(click(Modifiers::SHIFT, "h004.pt"), [2, 3, 4]);
    assert_eq!(click(Modifiers::COMMAND, "h003.pt"), [2, 4]);
    assert_eq!(click(Modifiers::COMMAND, "h006.pt"), [2, 4, 6]);
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(selected(&harness), [7]);
    press(&mut harness, Modifiers::SHIFT, Key::ArrowDown);
    assert_eq!(selected(&harness), [7, 8]);
    assert_eq!(harness.state().actions.last().unwrap(), "at h008.pt");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().actions.last().unwrap(), "links of h008.pt");
    press(&mut harness, Modifiers::NONE, Key::End);
    assert_eq!(selected(&harness), [99], "the last row is in sight");
    press(&mut harness, Modifiers::NONE, Key::PageUp);
    assert!(harness.state().actions.last().unwrap() < &"at h099.pt".to_owned());
    press(&mut harness, Modifiers::NONE, Key::Home);
    press(&mut harness, Modifiers::SHIFT, Key::End);
    assert_eq!(selected(&harness).last(), Some(&99));
    press(&mut harness, Modifiers::COMMAND, Key::A);
    assert!(selected(&harness).len() > 10);
    // Without a click, the table of a page takes the first key.
    let mut harness = self::harness(hosts(3), Settings::default());
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(selected(&harness), [0]);
}

#[test]
fn zeros_lead_nowhere_and_numbers_name_what_they_count() {
    let mut harness = harness(hosts(3), Settings::default());
    let links: Vec<_> = of_role(&harness, Role::Link).iter().filter_map(|node| node.accesskit_node().label()).collect();
    assert_eq!(links, ["2", "4"], "the host without links has none");
    assert!(harness.query_by_label("Links: 0").is_some());
    let right = |label: &str| harness.get_by_label(label).rect().right();
    assert_eq!(right("2"), right("4"), "numbers stand on the right");
    harness.get_by_label("2").hover();
    harness.run_steps(8);
    assert!(harness.query_by_label("Show them; for example h001.pt").is_some(), "one of them is named");
}

#[test]
fn selected_rows_are_copied_as_they_are_shown() {
    let mut settings = Settings::default();
    settings.tables.entry("test hosts".to_owned()).or_default().columns.entry("twice".to_owned()).or_default().shown =
        Some(true);
    settings.tables.entry("test hosts".to_owned()).or_default().columns.entry("side".to_owned()).or_default().shown =
        Some(false);
    let mut harness = harness(hosts(9), settings);
    harness.get_by_label("h001.pt").click();
    harness.run_steps(3);
    press(&mut harness, Modifiers::SHIFT, Key::ArrowDown);
    harness.event(Event::Copy);
    assert_eq!(copied(&mut harness), "Host\tLinks\tTwice\nh001.pt\t2\t'=h001.pt+1\nh002.pt\t4\t'=h002.pt+1\n");
    harness.event(Event::Key {
        key: Key::C,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::COMMAND | Modifiers::SHIFT,
    });
    let markdown = copied(&mut harness);
    assert!(markdown.starts_with("| Host | Links | Twice |\n| --- | ---: | --- |\n| h001.pt | 2 |"), "{markdown}");
}

#[test]
fn the_view_is_exported_with_its_order_and_columns() {
    let mut harness = harness(hosts(5), Settings::default());
    sort_by(&mut harness, "Links", Modifiers::NONE);
    press(&mut harness, Modifiers::COMMAND, Key::E);
    let app = harness.state().app.as_ref().unwrap();
    let rows = app.table_rows().cloned().unwrap();
    let (_dir, session) = crate::testing::empty_session();
    let write = |form| {
        let mut out = Vec::new();
        assert_eq!(rows.write(form, &session, &mut out, &JobCx::detached()).unwrap(), 5);
        String::from_utf8(out).unwrap()
    };
    assert!(write(TableForm::Csv).starts_with("host,links,side\r\nh002.pt,4,b\r\nh004.pt,3,b\r\n"));
    assert!(write(TableForm::JsonLines).starts_with("{\"host\":\"h002.pt\",\"links\":4,\"side\":\"b\"}\n"));
}

#[test]
fn columns_are_chosen_moved_and_kept() {
    let mut harness = harness(hosts(5), Settings::default());
    let heads = |harness: &Harness<'_, TestTable>| -> Vec<String> {
        of_role(harness, Role::ColumnHeader).iter().filter_map(|node| node.accesskit_node().label()).collect()
    };
    assert_eq!(heads(&harness), ["Host", "Links", "Side"]);
    let menu = |harness: &mut Harness<'_, TestTable>, head: &str, item: &str| {
        let nodes = of_role(harness, Role::ColumnHeader);
        nodes
            .into_iter()
            .find(|node| node.accesskit_node().label().as_deref() == Some(head))
            .unwrap()
            .click_secondary();
        harness.run_steps(4);
        harness.get_by_role_and_label(Role::Button, item).click();
        harness.run_steps(4);
    };
    menu(&mut harness, "Side", "Move left");
    assert_eq!(heads(&harness), ["Host", "Side", "Links"]);
    menu(&mut harness, "Host", "Hide this column");
    assert_eq!(heads(&harness), ["Side", "Links"]);
    // They are settings, which outlive the window.
    let text = serde_json::to_string(&harness.state().app.as_ref().unwrap().settings).unwrap();
    let mut harness = self::harness(hosts(5), serde_json::from_str(&text).unwrap());
    assert_eq!(heads(&harness), ["Side", "Links"]);
    menu(&mut harness, "Links", "Reset columns");
    assert_eq!(heads(&harness), ["Host", "Links", "Side"]);
    // Several are chosen at once in the menu behind the heads, which a click beside it closes.
    let menu = harness.get_by_label("Table menu: Hosts");
    let (menu_rect, table) = (menu.rect(), of_role(&harness, Role::Table).pop().unwrap().rect());
    assert!(table.contains_rect(menu_rect), "{menu_rect} within {table}");
    let last = of_role(&harness, Role::ColumnHeader).pop().unwrap().rect();
    assert!(last.right() <= menu_rect.left(), "{last} beside {menu_rect}");
    menu.click();
    harness.run_steps(4);
    harness.get_by_role_and_label(Role::Button, "Columns").click();
    harness.run_steps(4);
    for column in ["Twice", "Links"] {
        harness.get_by_role_and_label(Role::CheckBox, column).click();
        harness.run_steps(4);
    }
    assert_eq!(heads(&harness), ["Host", "Side", "Twice"]);
    harness.get_by_label("h001.pt").click();
    harness.run_steps(4);
    assert!(harness.query_by_role_and_label(Role::CheckBox, "Twice").is_none());
}

#[test]
fn menus_of_rows_and_heads_open_by_keys() {
    let mut harness = harness(hosts(5), Settings::default());
    let focused = |harness: &Harness<'_, TestTable>| {
        let mut nodes = harness.root().children_recursive();
        nodes.find(|node| node.accesskit_node().is_focused()).and_then(|node| node.accesskit_node().label())
    };
    let heads = |harness: &Harness<'_, TestTable>| of_role(harness, Role::ColumnHeader).len();
    // The second row has a number that leads somewhere, the first has none.
    for (modifiers, key, first, second) in [
        (Modifiers::NONE, Key::Menu, "Copy rows Ctrl+C", "Copy rows as Markdown Ctrl+Shift+C"),
        (Modifiers::SHIFT, Key::F10, "Links: 2", "Copy rows Ctrl+C"),
    ] {
        press(&mut harness, Modifiers::NONE, Key::ArrowDown);
        let row = selected(&harness);
        press(&mut harness, modifiers, key);
        assert_eq!(focused(&harness).as_deref(), Some(first));
        // Arrows go through the menu and leave the rows alone.
        press(&mut harness, Modifiers::NONE, Key::ArrowDown);
        assert_eq!(focused(&harness).as_deref(), Some(second));
        assert_eq!(selected(&harness), row);
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(harness.query_by_label("Copy rows Ctrl+C").map(|node| node.rect()), None);
        let row = of_role(&harness, Role::Row).into_iter().find(|node| node.accesskit_node().is_focused());
        assert!(row.is_some(), "the table has the keyboard again");
    }
    assert_eq!(selected(&harness), [1]);
    // The columns are chosen there, too.
    press(&mut harness, Modifiers::NONE, Key::Menu);
    press(&mut harness, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(focused(&harness).as_deref(), Some("Columns"));
    press(&mut harness, Modifiers::NONE, Key::ArrowRight);
    assert_eq!(focused(&harness).as_deref(), Some("Host"));
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    press(&mut harness, Modifiers::NONE, Key::Space);
    assert_eq!(heads(&harness), 2, "Links is hidden");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    // A number of the row leads where a click on it does.
    press(&mut harness, Modifiers::NONE, Key::Menu);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().actions.last().map(String::as_str), Some("links of h001.pt"));
    assert!(harness.query_by_label("Copy rows Ctrl+C").is_none());
    assert_eq!(selected(&harness), [1]);
    // A head that Tab reaches has its menu.
    let head = of_role(&harness, Role::ColumnHeader).into_iter().next().unwrap();
    head.focus();
    harness.run_steps(3);
    press(&mut harness, Modifiers::SHIFT, Key::F10);
    assert_eq!(focused(&harness).as_deref(), Some("Move right"), "the first that can be done");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    let names: Vec<_> =
        of_role(&harness, Role::ColumnHeader).iter().filter_map(|node| node.accesskit_node().label()).collect();
    assert_eq!(names, ["Side", "Host"]);
}

#[test]
fn the_keyboard_goes_from_a_head_to_the_rows() {
    let mut harness = harness(hosts(5), Settings::default());
    of_role(&harness, Role::ColumnHeader).remove(1).focus();
    harness.run_steps(3);
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert!(of_role(&harness, Role::Table)[0].accesskit_node().is_focused());
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(selected(&harness), [0]);
}

#[test]
fn a_row_that_was_clicked_stays_in_sight_when_a_panel_takes_its_room() {
    let mut harness = harness(hosts(100), Settings::default());
    harness.get_by_label("h015.pt").click();
    harness.run_steps(3);
    harness.state_mut().height = 200.0;
    harness.run_steps(30);
    assert!(harness.query_by_label("h015.pt").is_some());
    assert!(harness.query_by_label("h000.pt").is_none());
    // Then people scroll as they like: nothing pulls back.
    press(&mut harness, Modifiers::NONE, Key::Home);
    harness.run_steps(30);
    assert!(harness.query_by_label("h000.pt").is_some());
}

#[test]
fn the_accessible_tree_has_table_rows_and_cells() {
    let harness = harness(hosts(3), Settings::default());
    let table = of_role(&harness, Role::Table).pop().unwrap();
    assert_eq!(table.accesskit_node().label().as_deref(), Some("Hosts"));
    assert_eq!(table.accesskit_node().data().row_count(), Some(3));
    assert_eq!(of_role(&harness, Role::Row).len(), 3);
    assert_eq!(of_role(&harness, Role::Cell).len(), 9);
}
