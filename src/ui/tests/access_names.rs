//! Every node that a screen reader reaches has a role and a name with letters or digits.

use super::access::PAGE_KEYS;
use super::{TOWN, Window};
use crate::app::models::{ProblemQuery, SearchQuery};
use crate::app::{Command, FilesRoute, Focus, PanelTab, Route, ScopeList};
use egui::Key;
use egui::accesskit::{Action, Role};
use egui_kittest::kittest::NodeT;

/// What is wrong with the nodes on screen, a line each.
fn unnamed(window: &Window) -> Vec<String> {
    fn add(node: &egui_kittest::Node<'_>, table: Option<&str>, wrong: &mut Vec<String>) {
        let accessible = node.accesskit_node();
        let role = accessible.role();
        let name = accessible.label().or_else(|| accessible.value()).unwrap_or_default();
        let of_table = (role == Role::Table).then(|| name.clone());
        let table = of_table.as_deref().or(table);
        let data = accessible.data();
        let takes_part = data.supports_action(Action::Focus) || data.supports_action(Action::Click);
        let is_blank = !name.chars().any(char::is_alphanumeric);
        let is_control = matches!(
            role,
            Role::Button | Role::Link | Role::CheckBox | Role::RadioButton | Role::ComboBox | Role::Tab | Role::Slider
        );
        let is_of_table = matches!(role, Role::Table | Role::Row | Role::Cell | Role::ColumnHeader);
        if (is_control || is_of_table) && is_blank {
            wrong.push(format!("{role:?} “{name}” in {table:?} at {:?}", node.rect()));
        }
        if role == Role::Unknown && (table.is_some() || takes_part) {
            wrong.push(format!("unknown “{name}” in {table:?} at {:?}", node.rect()));
        }
        for child in node.children() {
            add(&child, table, wrong);
        }
    }
    let mut wrong = Vec::new();
    add(&window.harness.root(), None, &mut wrong);
    wrong
}

#[track_caller]
fn check(window: &Window, place: &str, found: &mut Vec<String>) {
    found.extend(unnamed(window).into_iter().map(|line| format!("{place}: {line}")));
}

#[test]
fn every_node_of_every_page_has_a_role_and_a_name() {
    let mut window = Window::town();
    let capture = window.captures("status:200")[0].id;
    let mut found = Vec::new();
    for ((modifiers, key), page) in PAGE_KEYS.into_iter().zip(crate::app::PAGES) {
        window.press_with(modifiers, key);
        window.settle();
        check(&window, page, &mut found);
    }
    let files = [FilesRoute::Files(None), FilesRoute::Problems(ProblemQuery::default()), FilesRoute::Imports(None)];
    let query = SearchQuery { text: "ria".to_owned(), ..SearchQuery::default() };
    let mut routes = vec![
        Route::LinkHosts(None),
        Route::SelectedHosts(true),
        Route::Search(query),
        Route::Scope(TOWN, ScopeList::WhatIfHosts),
    ];
    routes.extend(files.map(Route::Files));
    for route in routes {
        window.app_mut().send(Command::Go(route.clone()));
        window.settle();
        check(&window, &format!("{route:?}"), &mut found);
    }
    for tab in [
        PanelTab::Details,
        PanelTab::Decision,
        PanelTab::Inlinks,
        PanelTab::Outlinks,
        PanelTab::Anchors,
        PanelTab::Text,
        PanelTab::Entities,
        PanelTab::Related,
        PanelTab::Needs,
        PanelTab::Versions,
        PanelTab::Headers,
        PanelTab::Notes,
    ] {
        window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
        window.app_mut().follow(Focus::Capture(capture));
        window.app_mut().show_tab(tab);
        window.settle();
        check(&window, &format!("{tab:?}"), &mut found);
    }
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{} nodes without name or role:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_narrow_window_names_its_signs() {
    let mut window = Window::town();
    window.harness.set_size(egui::vec2(800.0, 600.0));
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.settle();
    window.press(Key::J);
    assert_eq!(unnamed(&window), Vec::<String>::new());
    for name in ["Find or do", "More commands", "Overview", "Settings"] {
        assert!(window.can_click(name) || window.shows(name), "{name}");
    }
}
