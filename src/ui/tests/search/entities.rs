//! The page Entities: what an analysis found, and where it leads.

use crate::app::{Command, Focus, JobKind, PanelTab, Route};
use crate::ui::tests::Window;

fn analysed() -> Window {
    analysed_with("")
}

/// The town after an analysis that looked for these names, too: a table of names and kinds.
fn analysed_with(table: &str) -> Window {
    let mut window = Window::town_as(|session| {
        if !table.is_empty() {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("deputies.csv");
            std::fs::write(&file, table).unwrap();
            crate::work::load_authority(&session.workspace, &file, None, "somebody").unwrap();
        }
    });
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
fn names_that_may_be_one_are_put_together_one_by_one() {
    let mut window = analysed();
    window.assert_shows("Trend");
    window.click("May be one");
    window.settle();
    window.assert_shows("Banda Maré Alta");
    window.assert_shows("the same last name, and first names or initials");
    let proposed = crate::work::cluster_proposals(&window.session().workspace, None).unwrap();
    let first = proposed.iter().find(|of| of.target == "Banda Maré Alta").unwrap().clone();
    let target = if first.target_uri.is_empty() { first.target } else { first.target_uri };
    window.app_mut().send(Command::PutTogether { name: first.name.clone(), target });
    window.settle();
    window.assert_shows(&format!("“{}” is a name of “Banda Maré Alta” from the next analysis on", first.name));
    let left = crate::work::cluster_proposals(&window.session().workspace, None).unwrap();
    assert_eq!(left.len(), proposed.len() - 1, "what a person decided is proposed no more");
    window.app_mut().send(Command::Analyse);
    window.settle();
    window.until_done(JobKind::Analyse);
    let found = window.session().entity_detail(None, &first.name, crate::search::Period::Month).unwrap();
    assert!(found.len() == 1 && found[0].entity.name == "Banda Maré Alta", "{found:?}");
    // And taken apart again, where they are listed.
    window.click("Put together");
    window.settle();
    window.assert_shows("Is a name of");
    window.app_mut().send(Command::TakeApart { name: first.name.clone() });
    window.settle();
    window.assert_shows(&format!("“{}” is a name of its own again from the next analysis on", first.name));
    window.assert_shows("No names were put together");
    let again = crate::work::cluster_proposals(&window.session().workspace, None).unwrap();
    assert!(!again.iter().any(|of| of.name == first.name && of.target == "Banda Maré Alta"), "not analysed yet");
}

#[test]
fn terms_are_shown_over_time_as_many_as_their_search_finds() {
    let mut window = analysed();
    window.click("Terms");
    window.settle();
    window.assert_shows("Captures by month");
    let terms = crate::work::terms_of_run(&window.session().workspace, None, 3).unwrap();
    let terms: Vec<String> = terms.into_iter().map(|term| term.text).collect();
    for of in window.session().terms_over_time(&terms).unwrap() {
        assert!(of.months.iter().any(|month| month.count > 0), "{of:?}");
        for month in &of.months {
            let found = window.captures(&format!("main:\"{}\" date:{}", of.term, month.period));
            assert_eq!(found.len() as u64, month.count, "{} in {}", of.term, month.period);
        }
    }
}

#[test]
fn names_of_an_authority_file_that_no_text_has_are_listed() {
    let table = "name,kind,aliases\nLeonor Maresia,person,\nAna Nunca,person,A. Nunca\nNenhures,place,\n";
    let mut window = analysed_with(table);
    assert!(!window.shows("Ana Nunca"), "it is in no text");
    window.click("Never found");
    window.assert_shows("2 names never found");
    window.assert_shows("Ana Nunca");
    window.assert_shows("deputies.csv");
    assert!(!window.shows("Leonor Maresia"));
    window.click("Places");
    assert!(window.shows("Nenhures") && !window.shows("Ana Nunca"));
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
