//! The page Search.

use super::Window;
use crate::app::models::{FacetKind, SearchQuery};
use crate::app::{Focus, JobKind, Route};
use egui::{Key, Modifiers};

/// What the session of the window finds.
fn found(window: &Window, text: &str) -> (u64, u64) {
    let campaign = window.app().campaign();
    let query = SearchQuery { text: text.to_owned(), campaign, ..SearchQuery::default() };
    let answer = window.session().search(&query).unwrap();
    (answer.versions, answer.captures)
}

#[test]
fn a_person_indexes_searches_narrows_and_goes_to_the_captures() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    assert_eq!(window.route(), Route::Search(SearchQuery::default()));
    window.check_says("No text index: words are looked for in URLs and titles");
    window.click("Index texts");
    let outcome = window.until_done(JobKind::IndexTexts);
    assert!(outcome.contains("in the index"), "{outcome}");
    window.type_into("Query", "estaleiro -festival");
    window.press(Key::Enter);
    window.pass(1.0);
    let (versions, captures) = found(&window, "estaleiro -festival");
    assert!(versions > 5 && captures >= versions, "{versions} pages, {captures} captures");
    window.check_says(&format!("{versions} pages"));
    // A facet narrows, and can be taken away.
    window.click("Host: without estaleiro-gaivota.example");
    window.pass(1.0);
    let Route::Search(query) = window.route() else { panic!("{:?}", window.route()) };
    assert_eq!(query.facets[0].kind, FacetKind::Host);
    window.click("✖ Host: not estaleiro-gaivota.example");
    window.pass(1.0);
    window.check_says(&format!("{versions} pages"));
    // The number of captures leads to these captures.
    window.click(&format!("Captures found: {captures}"));
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    assert_eq!(window.captures(&filter).len() as u64, captures, "{filter}");
    window.check_says(&format!("{captures} rows"));
}

#[test]
fn a_result_is_read_in_the_lower_panel_and_nothing_found_offers_more() {
    let mut window = Window::town();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    window.type_into("Query", "estaleiro");
    window.press(Key::Enter);
    window.pass(1.0);
    window.click("Estaleiro Gaivota");
    window.settle();
    assert!(matches!(window.app().focus(), Some(Focus::Capture(_))), "{:?}", window.app().focus());
    window.type_into("Query", " xyzzyplugh");
    window.press(Key::Enter);
    window.pass(1.0);
    window.check_says("Nothing found. Try");
    window.type_into("Query", " (");
    window.press(Key::Enter);
    window.pass(1.0);
    assert!(window.texts().iter().any(|text| text.starts_with("⚠ column 23")), "{:?}", window.texts());
}

#[test]
fn a_search_is_kept_under_a_name_and_opened_again() {
    let mut window = Window::town();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::F);
    window.type_into("Query", "estaleiro");
    window.press(Key::Enter);
    window.pass(1.0);
    window.click("Host: without estaleiro-gaivota.example");
    window.pass(1.0);
    let Route::Search(searched) = window.route() else { panic!("{:?}", window.route()) };
    window.click("Saved searches");
    window.type_into("Name of the search", "The shipyard");
    window.click("Save this search");
    window.until("it is kept", |window| window.session().saved_searches().unwrap().len() == 1);
    let saved = window.session().saved_searches().unwrap().remove(0);
    assert_eq!((saved.name.as_str(), saved.query()), ("The shipyard", searched.clone()));
    // Another search, and back to the one that was kept.
    window.click("✖ Host: not estaleiro-gaivota.example");
    window.type_into("Query", " festival");
    window.press(Key::Enter);
    window.pass(1.0);
    assert_ne!(window.route(), Route::Search(searched.clone()));
    window.click("The shipyard");
    window.press(Key::Enter);
    assert_eq!(window.route(), Route::Search(searched));
}
