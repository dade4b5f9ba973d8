//! The page Help.

use super::Window;
use crate::app::{Dialog, Route};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT, Queryable};

#[test]
fn each_page_leads_to_the_guide_that_explains_it() {
    let mut window = Window::town();
    for (page, guide, title) in [
        ("Spec", "crawl", "Campaigns and crawls"),
        ("Files", "import", "Import"),
        ("Review", "review", "Review"),
        ("Search", "search", "Search"),
        ("Select & export", "handover", "Select and export"),
    ] {
        window.click(page);
        let before = window.route();
        window.press(Key::F1);
        assert_eq!(window.route(), Route::Help(guide), "{page}");
        window.assert_shows(title);
        window.go_back();
        assert_eq!(window.route(), before);
        window.click_more("Guide");
        assert_eq!(window.route(), Route::Help(guide), "{page}");
        // The guides have tabs with the names of pages.
        window.go_back();
    }
}

#[test]
fn a_guide_is_drawn_with_its_table_of_fields_and_links_to_others() {
    let mut window = Window::town();
    window.click("Help");
    window.click("Queries");
    assert_eq!(window.route(), Route::Help("queries"));
    window.assert_shows("host:gov.pt");
    window.assert_shows("A host and its subdomains; host= is that host alone, host:*.pt what ends so");
    // Of the page on the rail and the tab, the tab comes last.
    window.click("Review");
    assert_eq!(window.route(), Route::Help("review"));
    window.go_back();
    assert!(!window.texts().iter().any(|text| text.contains("```") || text.contains("](")), "{:?}", window.texts());
}

#[test]
fn guides_are_searched_and_a_section_found_is_opened() {
    let mut window = Window::bare();
    window.press(Key::F1);
    assert!(matches!(window.route(), Route::Help(_)));
    window.type_into("Search the guides", "near-duplicates TWENTY");
    window.assert_shows("1 section");
    window.click("Queries: Fields");
    assert_eq!(window.route(), Route::Help("queries"));
    window.assert_shows("Some fields need more than the capture itself:");
    window.type_into("Search the guides", "xyzzy");
    window.assert_shows("No section of the guides has these words. Try fewer words, or a part of one");
}

#[test]
fn a_question_mark_lists_the_keys() {
    let mut window = Window::town();
    window.harness.event(egui::Event::Text("?".to_owned()));
    window.settle();
    assert_eq!(window.app().dialog(), Some(Dialog::Keys));
}

#[test]
fn a_guide_is_read_to_its_end_by_keys() {
    let mut window = Window::town();
    window.click("Help");
    let top = |window: &Window| {
        let mut headings = window.harness.query_all_by_label("Documents");
        headings.find(|node| node.accesskit_node().role() == Role::Heading).unwrap().rect().top()
    };
    let before = top(&window);
    window.press(Key::PageDown);
    window.settle();
    assert!(top(&window) < before - 100.0, "{before} to {}", top(&window));
    window.press(Key::End);
    window.pass(1.0);
    let height = window.harness.ctx.content_rect().height();
    assert!((0.0..height).contains(&top(&window)), "{}", top(&window));
    window.press(Key::Home);
    window.pass(1.0);
    assert!((top(&window) - before).abs() < 1.0, "{before} to {}", top(&window));
}
