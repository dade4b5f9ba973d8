//! Nothing of a workspace is left when another one is open: drafts, selections, texts in fields, messages,
//! answers and panels are those of a window that never saw the first.

use super::{TOWN, Window, is_field};
use crate::app::models::{Notice, SearchQuery};
use crate::app::{
    Command, Dialog, FilesRoute, Focus, NoticeCause, PanelTab, Route, ScopeList, Settings, UnsavedAnswer,
};
use crate::testing::town;
use egui::{Key, Modifiers};
use egui_kittest::kittest::NodeT;
use std::path::{Path, PathBuf};

/// What a person wrote into the first workspace, wherever there was a field.
const TYPED: &str = "zwetschge";

/// Every page, with its parts.
fn routes() -> Vec<Route> {
    vec![
        Route::Settings,
        Route::Campaigns,
        Route::Spec(Some(TOWN)),
        Route::Scope(TOWN, ScopeList::WhatIfHosts),
        Route::Crawl,
        Route::Captures { filter: String::new() },
        Route::Search(SearchQuery { text: "ria".to_owned(), ..SearchQuery::default() }),
        Route::Prospect,
        Route::Entities { entity: String::new() },
        Route::Links { target: String::new() },
        Route::LinkHosts(None),
        Route::Review { filter: String::new() },
        Route::Select,
        Route::SelectedHosts(true),
        Route::Jobs,
        Route::Files(FilesRoute::Files(None)),
        Route::Files(FilesRoute::Problems(Default::default())),
        Route::Files(FilesRoute::Imports(None)),
    ]
}

const SPEC_TABS: [&str; 7] = ["About", "Request", "Seeds", "Scope rules", "Geolocation", "Permissions", "Schedule"];

fn go(window: &mut Window, route: Route) {
    window.app_mut().send(Command::Go(route));
    window.settle();
}

/// Shows a part of a specification, whose name may have a number behind it.
fn choose_part(window: &mut Window, part: &str) {
    let is_part = |text: &String| {
        text.strip_prefix(part).is_some_and(|rest| rest.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit()))
    };
    let label = window.texts().into_iter().find(is_part).unwrap_or_else(|| part.to_owned());
    window.click(&label);
}

/// Writes into each field on screen.
fn fill_fields(window: &mut Window) {
    let labels = |window: &Window| -> Vec<String> {
        let nodes = window.harness.root().children_recursive();
        let is_text = |node: &egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            node.role() != egui::accesskit::Role::SpinButton && !node.is_disabled()
        };
        let fields = nodes.filter(|node| is_field(node) && is_text(node));
        fields.filter_map(|node| node.accesskit_node().label()).collect()
    };
    for label in labels(window) {
        // What was written, or an answer that came, may have changed what is shown.
        window.type_into_some(&label, TYPED);
    }
}

/// What is on screen on every page, without what differs from folder to folder and from second to second.
fn pages(window: &mut Window, folder: &Path) -> Vec<(String, Vec<String>)> {
    let mut pages = Vec::new();
    let mut note = |window: &mut Window, name: String| {
        window.settle();
        let folder = folder.display().to_string();
        let is_steady = |text: &String| !text.ends_with(" free");
        let texts = window.texts().into_iter().filter(is_steady).map(|text| text.replace(&folder, "FOLDER")).collect();
        pages.push((name, texts));
    };
    for route in routes() {
        go(window, route.clone());
        note(window, format!("{route:?}"));
        if matches!(route, Route::Spec(_)) {
            for tab in SPEC_TABS {
                choose_part(window, tab);
                note(window, format!("{route:?} {tab}"));
            }
        }
    }
    for dialog in [Dialog::Palette, Dialog::Import, Dialog::Open, Dialog::Window] {
        window.app_mut().send(Command::OpenDialog(dialog));
        note(window, format!("{dialog:?}"));
        window.app_mut().send(Command::CloseDialog);
    }
    pages
}

fn choose_town(window: &mut Window) {
    window.until("one of its campaigns is at hand", |window| window.app().campaign().is_some());
    window.app_mut().send(Command::ChooseCampaign(TOWN));
    window.until("its campaign is at hand", |window| window.app().campaign() == Some(TOWN));
    window.settle();
}

/// A window on the town, of which every page was used.
fn used(folder: &Path, settings: Settings) -> Window {
    let mut window = Window::on_disk(folder, settings, Some(folder.to_owned()));
    choose_town(&mut window);
    let capture = window.captures("status:200")[0].id;
    for route in routes() {
        go(&mut window, route.clone());
        if matches!(route, Route::Spec(_)) {
            for tab in SPEC_TABS {
                choose_part(&mut window, tab);
                fill_fields(&mut window);
            }
        }
        fill_fields(&mut window);
        window.press(Key::Escape);
        // The first row of a table is the current one, and the panel shows it.
        window.press(Key::ArrowDown);
    }
    go(&mut window, Route::Captures { filter: String::new() });
    window.press_with(Modifiers::COMMAND, Key::A);
    window.app_mut().follow(Focus::Capture(capture));
    window.app_mut().show_tab(PanelTab::Notes);
    window.settle();
    fill_fields(&mut window);
    for dialog in [Dialog::Import, Dialog::Open] {
        window.app_mut().send(Command::OpenDialog(dialog));
        window.settle();
        fill_fields(&mut window);
        window.app_mut().send(Command::CloseDialog);
        window.settle();
    }
    let app = window.app_mut();
    app.open.selection_draft.filter = TYPED.to_owned();
    let notice = |is_error, what: &str| {
        let (what, why, hint) = (format!("{what} {TYPED}"), String::new(), String::new());
        Notice { is_error, what, why, hint }
    };
    app.notice(notice(false, "News of"));
    app.error_notice(NoticeCause::Job(crate::work::JobKind::Export), notice(true, "Failed"));
    app.show_checks(folder.join(TYPED), Vec::new());
    app.choose_export(folder.join(TYPED));
    window.settle();
    assert!(window.shows(TYPED));
    assert!(window.app().open.spec.as_ref().is_some_and(|spec| spec.is_edited()), "the draft was edited");
    window
}

#[test]
fn another_workspace_is_shown_as_in_a_window_that_never_saw_the_first() {
    let root = tempfile::tempdir().unwrap();
    let copy = |name: &str| -> PathBuf {
        let beside = root.path().join(name);
        std::fs::create_dir(&beside).unwrap();
        town().copy(&beside)
    };
    let (first, second, other) = (copy("first"), copy("second"), copy("other"));
    let mut window = used(&first, Settings::default());
    // What a person chose is of the window; the same is chosen in the one to compare with.
    let settings = window.app().settings.clone();
    window.app_mut().send(Command::OpenWorkspace(second.clone()));
    window.until("the dialog about the draft is open", |window| window.app().dialog() == Some(Dialog::Unsaved));
    window.app_mut().send(Command::AnswerUnsaved(UnsavedAnswer::Discard));
    window.until("the second is open", |window| {
        window.app().session().is_some_and(|session| session.workspace.folder() == second)
    });
    choose_town(&mut window);
    let mut fresh = Window::on_disk(&first, settings, Some(other.clone()));
    choose_town(&mut fresh);
    let expected = pages(&mut fresh, &other);
    let found = pages(&mut window, &second);
    for ((page, expected), (_, found)) in expected.iter().zip(&found) {
        // The name of the person in the settings is of the window, too.
        let of_window = |text: &&String| page == "Settings" && expected.contains(text);
        let left: Vec<_> = found.iter().filter(|text| text.contains(TYPED) && !of_window(text)).collect();
        assert!(left.is_empty(), "of the first workspace on {page}: {left:?}");
        // A dialog keeps its width, and lines are texts of their own where they wrap.
        let only = |of: &[String], other: &[String]| -> Vec<String> {
            let other = other.concat();
            of.iter().filter(|text| !other.contains(*text)).cloned().collect()
        };
        assert_eq!((only(found, expected), only(expected, found)), Default::default(), "{page}");
    }
    assert!(window.app().open.spec.as_ref().is_none_or(|spec| !spec.is_edited()));
}
