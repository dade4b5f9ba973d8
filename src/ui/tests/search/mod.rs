//! The page Search.

pub(super) mod entities;
pub(super) mod facets;
pub(super) mod map;
pub(super) mod request_sample;
pub(super) mod text_matches;

use super::{TOWN, Window};
use crate::app::models::{CaptureId, SearchQuery, date_range};
use crate::app::{Focus, JobKind, PanelTab, Route};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

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
    window.press_with(Modifiers::COMMAND, Key::Num6);
    assert_eq!(window.route(), Route::Search(SearchQuery::default()));
    window.assert_shows("No text index: words are looked for in URLs and titles");
    window.click("Index texts");
    let outcome = window.until_done(JobKind::IndexTexts);
    assert!(outcome.contains("in the index"), "{outcome}");
    window.type_into("Query", "estaleiro -festival");
    window.press(Key::Enter);
    window.pass(1.0);
    let (versions, captures) = found(&window, "estaleiro -festival");
    assert!(versions > 5 && captures >= versions, "{versions} pages, {captures} captures");
    window.assert_shows(&format!("{versions} pages"));
    // A facet narrows, and can be taken away.
    window.click_secondary_on(egui::accesskit::Role::CheckBox, "estaleiro-gaivota.example");
    window.click("Without it Delete");
    window.pass(1.0);
    let Route::Search(query) = window.route() else { panic!("{:?}", window.route()) };
    assert!(query.text.ends_with(" NOT host=estaleiro-gaivota.example"), "{}", query.text);
    window.click("✖ Host: not estaleiro-gaivota.example");
    window.pass(1.0);
    window.assert_shows(&format!("{versions} pages"));
    // The number of captures leads to these captures.
    window.click(&format!("Captures found: {captures}"));
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    assert_eq!(window.captures(&filter).len() as u64, captures, "{filter}");
    window.assert_shows(&format!("{captures} rows"));
}

#[test]
fn a_result_is_read_in_the_lower_panel_and_nothing_found_offers_more() {
    let mut window = searched("estaleiro");
    window.click("Estaleiro Gaivota");
    window.settle();
    assert!(matches!(window.app().focus(), Some(Focus::Capture(_))), "{:?}", window.app().focus());
    window.type_into("Query", " xyzzyplugh");
    window.press(Key::Enter);
    window.pass(1.0);
    window.assert_shows("Nothing found. Try");
    window.type_into("Query", " (");
    window.press(Key::Enter);
    window.pass(1.0);
    assert!(window.texts().iter().any(|text| text.starts_with("⚠ column 23")), "{:?}", window.texts());
}

#[test]
fn a_search_is_kept_under_a_name_and_opened_again() {
    let mut window = searched("estaleiro");
    window.click_secondary_on(egui::accesskit::Role::CheckBox, "estaleiro-gaivota.example");
    window.click("Without it Delete");
    window.pass(1.0);
    let Route::Search(searched) = window.route() else { panic!("{:?}", window.route()) };
    window.choose("More commands", "Saved searches");
    window.type_into("Name of the search", "The shipyard");
    window.click("Save this search");
    window.until("it is kept", |window| crate::work::saved_searches(window.session().catalogue()).unwrap().len() == 1);
    let saved = crate::work::saved_searches(window.session().catalogue()).unwrap().remove(0);
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

/// The page Search with what a query finds.
pub(super) fn searched(text: &str) -> Window {
    let mut window = Window::town();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.type_into("Query", text);
    window.press(Key::Enter);
    window.pass(1.0);
    window.settle();
    window
}

#[test]
fn what_was_found_becomes_the_selection_with_its_number_and_bytes() {
    let mut window = searched("estaleiro");
    let rows = window.captures("estaleiro");
    let bytes: u64 = rows.iter().map(|row| row.size).sum();
    assert!(rows.len() > 5 && bytes > 1_000);
    // The page was never open: its draft is read first, and the filter put into it then.
    let size = crate::ui::text::bytes(bytes);
    window.choose("More commands", &format!("Select these {}, {size}", rows.len()));
    assert_eq!(window.route(), Route::Select);
    window.until_done(JobKind::Select);
    let kept = window.session().selection(TOWN).unwrap().spec.unwrap();
    assert_eq!(kept.filter, "estaleiro");
    let found: std::collections::HashSet<_> = rows.iter().map(|row| row.id).collect();
    let selected = window.captures("selected:yes -mark:approve");
    assert!(!selected.is_empty() && selected.iter().all(|row| found.contains(&row.id)));
    let missing = window.captures("estaleiro NOT selected:yes NOT mark:reject");
    assert!(missing.is_empty(), "{missing:?}");
    // One step undoes it.
    window.choose("More commands", "Undo selection");
    window.until_done(JobKind::Select);
    assert_ne!(window.session().selection(TOWN).unwrap().spec.unwrap().filter, "estaleiro");
}

#[test]
fn what_was_found_is_reviewed_capture_by_capture() {
    let mut window = searched("estaleiro");
    let rows = window.captures("estaleiro");
    window.click(&format!("Review {}", rows.len()));
    assert_eq!(window.route(), Route::Review { filter: "estaleiro".to_owned() });
    window.assert_shows(&format!("{} captures to review", rows.len()));
    let Some(Focus::Capture(first)) = window.app().focus() else { panic!("{:?}", window.app().focus()) };
    assert!(rows.iter().any(|row| row.id == first));
    // Review by the rail is about all captures again.
    window.press_with(Modifiers::COMMAND, Key::Num8);
    let all = window.captures("review:yes").len();
    window.assert_shows(&format!("{all} captures to review"));
}

#[test]
fn a_search_becomes_the_rule_of_a_collection_once_it_is_named_and_saved() {
    let mut window = searched("estaleiro");
    let found: Vec<CaptureId> = window.captures("estaleiro").iter().map(|row| row.id).collect();
    window.choose("More commands", "Save as collection…");
    assert_eq!(window.route(), Route::Select);
    window.assert_shows("Name the collection and save it");
    assert!(window.session().catalogue().collections().unwrap().is_empty(), "nothing is saved unasked");
    window.type_into("Collection", "Shipyard");
    // By keys: over what it is for and the filter to the button.
    for key in [Key::Tab, Key::Tab, Key::Tab, Key::Space] {
        window.press(key);
    }
    window.until_done(JobKind::Collect);
    let kept = window.session().catalogue().collections().unwrap().remove(0);
    assert_eq!((kept.name.as_str(), kept.filter.as_str()), ("Shipyard", "estaleiro"));
    let mut collected: Vec<CaptureId> = window.captures("collection:Shipyard").iter().map(|row| row.id).collect();
    let mut found = found;
    collected.sort_unstable();
    found.sort_unstable();
    assert_eq!(collected, found);
}

/// The number of captures of the current campaign that a filter finds.
fn number(window: &Window, filter: &str) -> u64 {
    window.captures(filter).len() as u64
}

#[test]
fn types_of_media_count_what_their_filters_find_whichever_is_chosen() {
    let mut window = searched("host:example");
    let all = number(&window, "found:host:example");
    let numbers: Vec<(&str, u64)> = [
        ("Pages", "media=page"),
        ("Documents", "media=document"),
        ("Images", "media=image"),
        ("Audio/Video", "(media=audio OR media=video)"),
        ("Data", "media=data"),
        ("Other", "(media=code OR media=other OR media=text)"),
    ]
    .map(|(tab, media)| (tab, number(&window, &format!("found:host:example {media}"))))
    .to_vec();
    assert_eq!(numbers.iter().map(|(_, number)| number).sum::<u64>(), all);
    assert!(numbers.iter().filter(|(_, number)| *number > 0).count() > 2, "{numbers:?}");
    let check_tabs = |window: &mut Window| {
        window.click("Media types");
        for (tab, number) in &numbers {
            let label = format!("{tab} {}", crate::ui::text::count(*number));
            window.until(&label, |window| window.can_click(&label));
        }
        window.press(Key::Escape);
    };
    check_tabs(&mut window);
    for (tab, number) in &numbers {
        window.choose("Media types", &format!("{tab} {}", crate::ui::text::count(*number)));
        window.pass(1.0);
        window.until("it is counted", |window| match number {
            0 => window.shows("0 captures"),
            number => window.can_click(&format!("Captures found: {}", crate::ui::text::count(*number))),
        });
        check_tabs(&mut window);
    }
    window.choose("Media types", &format!("All types {}", crate::ui::text::count(all)));
    assert_eq!(
        window.route(),
        Route::Search(SearchQuery { text: "host:example".to_owned(), ..SearchQuery::default() })
    );
}

#[test]
fn the_timeline_is_a_table_too_and_a_range_of_it_is_typed_or_opened() {
    let mut window = searched("estaleiro OR festival");
    let typed = SearchQuery { text: "estaleiro OR festival".to_owned(), ..SearchQuery::default() };
    let query = SearchQuery { campaign: window.app().campaign(), ..typed.clone() };
    window.click("How the timeline counts");
    window.click("month");
    window.click("As a table");
    let counts = window.session().search_counts(&query, &[], Some(crate::app::models::Period::Month)).unwrap();
    let [.., last] = counts.histogram.as_slice() else { panic!("nothing was found") };
    // Every number leads to its captures: those found, and all of the time.
    let found = format!("({}) date:{}", query.query_line(), last.period);
    assert_eq!(number(&window, &found), last.count);
    assert_eq!(number(&window, &format!("date:{}", last.period)), last.of);
    assert!(last.count < last.of);
    window.click("Per 10,000 captures");
    window.press(Key::Escape);
    window.assert_shows(&format!(
        "Per 10,000: {}",
        crate::ui::text::count((last.count * 10_000 + last.of / 2) / last.of)
    ));
    window.click_number(&format!("Captures found: {}", crate::ui::text::count(last.count)));
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    assert!(filter.contains(" date:"), "{filter}");
    window.press_with(Modifiers::ALT, Key::ArrowLeft);
    // A range by the keyboard narrows both sides of the OR.
    window.click("How the timeline counts");
    window.type_into("From", &last.period);
    window.type_into("To", "2030");
    window.click("Narrow");
    let narrowed = format!("(estaleiro OR festival) date:{}..2030", last.period);
    assert_eq!(window.route(), Route::Search(SearchQuery { text: narrowed.clone(), ..typed }));
    assert_eq!(found_captures(&window, &narrowed), last.count);
}

#[test]
fn a_drag_over_the_timeline_narrows_to_its_time_and_another_one_replaces_it() {
    let mut window = searched("estaleiro OR festival");
    let dates: Vec<String> =
        window.captures("estaleiro OR festival").iter().map(|row| row.date.to_readable()).collect();
    let (first, last) = (dates.iter().min().unwrap().clone(), dates.iter().max().unwrap().clone());
    let drag = |window: &mut Window, from: f32, to: f32| {
        let place = window.harness.get_by_label("Captures over time").rect();
        let at = |part: f32| egui::pos2(place.left() + place.width() * part, place.top() + 8.0);
        window.harness.hover_at(at(from));
        window.harness.run_steps(2);
        window.harness.drag_at(at(from));
        window.harness.run_steps(2);
        for step in [0.5, 1.0] {
            window.harness.hover_at(at(from + (to - from) * step));
            window.harness.run_steps(2);
        }
        window.harness.drop_at(at(to));
        window.settle();
    };
    let text_of = |window: &Window| match window.route() {
        Route::Search(query) => query.text,
        other => panic!("{other:?}"),
    };
    let range_of = |window: &Window| date_range(&text_of(window)).unwrap_or_else(|| panic!("{}", text_of(window)));
    let before = found_captures(&window, "estaleiro OR festival");
    drag(&mut window, 0.02, 0.3);
    assert!(first.starts_with(&range_of(&window)), "{} of {first}", range_of(&window));
    let narrowed = found_captures(&window, &text_of(&window));
    assert!(narrowed > 0 && narrowed < before);
    // All bars are there still, so that another time can be chosen.
    drag(&mut window, 0.98, 0.7);
    assert!(last.starts_with(&range_of(&window)), "{} of {last}", range_of(&window));
    drag(&mut window, 0.02, 0.98);
    assert_eq!(found_captures(&window, &text_of(&window)), before);
    let chip = window.texts().into_iter().find(|text| text.starts_with("✖ ") && text.contains(" to ")).unwrap();
    window.click(&chip);
    assert_eq!(text_of(&window), "estaleiro OR festival");
}

fn found_captures(window: &Window, text: &str) -> u64 {
    found(window, text).1
}

#[test]
fn what_is_related_to_a_result_is_listed_with_its_reasons_and_opened() {
    let mut window = searched("estaleiro");
    window.click("Estaleiro Gaivota");
    let Some(Focus::Capture(id)) = window.app().focus() else { panic!("{:?}", window.app().focus()) };
    window.click("Related");
    assert_eq!(window.app().settings.panel_tab, PanelTab::Related);
    let page = window.session().related(id, window.app().settings.window_days).unwrap();
    assert!(page.built && page.indexed && page.rows.len() > 3);
    let first = &page.rows[0];
    window.assert_shows(&first.reasons());
    window.click(&first.capture.url);
    assert_eq!(window.app().focus(), Some(Focus::Capture(first.capture.id)));
}

#[test]
fn the_palette_leads_text_to_search_and_filters_to_captures() {
    let mut window = Window::town();
    for (line, is_search) in [
        ("estaleiro gaivota", true),
        ("\"estaleiro gaivota\" host:jornal.vilanova.example", true),
        ("host:jornal.vilanova.example status:200", false),
        ("http://estaleiro-gaivota.example/", false),
    ] {
        window.click("Find or do");
        window.harness.event(egui::Event::Text(line.to_owned()));
        window.settle();
        window.press(Key::Enter);
        let route = match is_search {
            true => Route::Search(SearchQuery { text: line.to_owned(), ..SearchQuery::default() }),
            false => Route::Captures { filter: line.to_owned() },
        };
        assert_eq!(window.route(), route);
    }
}

#[test]
fn results_are_judged_by_keys_and_buttons_and_the_figures_lead_to_them() {
    let mut window = Window::town();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.choose("More commands", "Assess results");
    window.assert_shows("Type a query: its results are assessed by it");
    window.type_into("Query", "estaleiro");
    window.press(Key::Enter);
    window.pass(1.0);
    window.assert_shows("Nothing assessed yet");
    window.type_into("Assessed by", "Ana Reis");
    window.press(Key::Enter);
    let query = SearchQuery {
        text: "estaleiro".to_owned(),
        campaign: window.app().campaign(),
        limit: 9,
        ..SearchQuery::default()
    };
    let hits = window.session().search(&query).unwrap().hits;
    let judgements = |window: &Window| -> Vec<(CaptureId, &'static str, String)> {
        let mut rows = window.session().catalogue().judgements(Some("estaleiro")).unwrap();
        rows.sort_by_key(|row| row.rank);
        rows.into_iter().map(|row| (row.capture, row.judgement.unwrap().name(), row.who)).collect()
    };
    // By keys alone: each judges the current row and goes on to the next.
    window.press(Key::ArrowDown);
    for key in [Key::Num1, Key::Num2, Key::Num3] {
        window.press(key);
    }
    let expected = ["right", "wrong", "unsure"].into_iter().zip(&hits);
    let expected: Vec<_> = expected.map(|(name, hit)| (hit.capture.id, name, "Ana Reis".to_owned())).collect();
    assert_eq!(judgements(&window), expected);
    assert_eq!(window.app().focus(), Some(Focus::Capture(hits[3].capture.id)));
    // What was judged last is taken back first, and comes again.
    window.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(judgements(&window), expected[..2]);
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(judgements(&window), expected);
    // A digit in a field is no judgement.
    window.type_into("Query", "");
    window.press(Key::Num1);
    assert_eq!(judgements(&window).len(), 3);
    window.assert_shows("P@10 0.50 (0.09–0.91)");
    // 1 + 0 + ½ at the third place, of 1 and ½ at the second.
    window.assert_shows("nDCG@10 0.95");
    // A click changes a mind, a second one takes the judgement back.
    let title = |nth: usize| crate::ui::text::line(&hits[nth].capture.title).to_string();
    window.click(&format!("Right: {}", title(2)));
    assert_eq!(judgements(&window)[2].1, "right");
    window.click(&format!("Right: {}", title(2)));
    assert_eq!(judgements(&window).len(), 2);
    window.click("Assessed wrong: 1");
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    assert_eq!(window.captures(&filter).iter().map(|row| row.id).collect::<Vec<_>>(), [hits[1].capture.id], "{filter}");
    window.assert_shows("1 row, none selected");
}
