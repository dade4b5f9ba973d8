//! The page Entities: what an analysis found, and where it leads.

use crate::app::{Command, Focus, JobKind, PanelTab, Route};
use crate::ui::tests::Window;

fn analysed() -> Window {
    let mut window = Window::town();
    window.app_mut().send(Command::Go(Route::Entities { entity: String::new() }));
    window.settle();
    window.assert_shows("Nothing was analysed yet");
    window.app_mut().send(Command::Analyse);
    window.settle();
    window.until_done(JobKind::Analyse);
    window.settle();
    window
}

#[test]
fn an_entity_leads_to_its_mentions_its_captures_and_the_request() {
    let mut window = analysed();
    window.assert_shows("Estaleiro Gaivota");
    window.click("Estaleiro Gaivota");
    assert_eq!(window.route(), Route::Entities { entity: "Estaleiro Gaivota".to_owned() });
    window.assert_shows("Mentions");
    window.click("Show captures");
    let Route::Search(query) = window.route() else { unreachable!("{:?}", window.route()) };
    assert_eq!(query.text, "entity:\"Estaleiro Gaivota\"");
    window.go_back();
    window.go_back();
    window.click("Terms");
    window.assert_shows("C-value");
}

#[test]
fn the_panel_of_a_capture_has_its_entities() {
    let mut window = analysed();
    let capture = window.captures("entity:\"Estaleiro Gaivota\"")[0].id;
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.app_mut().follow(Focus::Capture(capture));
    window.app_mut().show_tab(PanelTab::Entities);
    window.settle();
    window.assert_shows("Estaleiro Gaivota");
}
