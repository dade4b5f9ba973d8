//! Facets beside the table of captures.

use crate::app::Route;
use crate::app::models::{CaptureRow, FacetChoice, FacetKind, FacetValue, SearchCounts};
use crate::ui::facets::{FACETS_WIDTH, FacetAction, Facets};
use crate::ui::tests::Window;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use std::collections::BTreeMap;

fn filter_of(window: &Window) -> String {
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    filter
}

/// How many rows have each value.
fn counted(rows: &[CaptureRow], value: impl Fn(&CaptureRow) -> String) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(value(row)).or_default() += 1);
    counts
}

#[test]
fn facets_count_the_rows_of_the_table_and_narrow_it() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.type_into("Filter", "estaleiro OR festival");
    window.press(Key::Enter);
    assert!(!window.shows("Top-level domain"));
    window.press(Key::F8);
    assert!(window.app().settings.facets);
    window.assert_shows("Top-level domain");
    let rows = window.captures("estaleiro OR festival");
    // Each number is the one that the rows themselves give.
    for (status, count) in counted(&rows, |row| row.status.to_string()) {
        window.assert_shows(&format!("Status: {status}: {count}"));
    }
    for (year, count) in counted(&rows, |row| row.date.to_warc()[..4].to_owned()) {
        window.assert_shows(&format!("Year: {year}: {count}"));
    }
    let hosts = counted(&rows, |row| crate::uri::Url::parse(&row.url).unwrap().host_str().unwrap().to_owned());
    let (host, count) = hosts.iter().max_by_key(|(_, count)| **count).unwrap();
    assert!(hosts.len() > 1, "{hosts:?}");
    window.assert_shows(&format!("Host: {host}: {count}"));
    window.click_secondary_on(egui::accesskit::Role::CheckBox, host);
    window.click("Without it Delete");
    let without = filter_of(&window);
    assert_eq!(without, format!("(estaleiro OR festival) NOT host={host}"));
    window.assert_shows(&format!("{} rows", rows.len() as u64 - count));
    // What was left out can be taken back, and a number leads to what it counts.
    window.click(&format!("✖ Host: not {host}"));
    window.assert_shows(&format!("{} rows", rows.len()));
    window.click(&format!("Host: {host}: {count}"));
    assert_eq!(filter_of(&window), format!("(estaleiro OR festival) host={host}"));
    window.assert_shows(&format!("{count} rows"));
    // A second host is an alternative, and can be unselected again.
    let (second, of_second) = hosts.iter().filter(|(name, _)| *name != host).max_by_key(|(_, count)| **count).unwrap();
    window.click(second);
    assert_eq!(filter_of(&window), format!("(estaleiro OR festival) (host={host} OR host={second})"));
    window.assert_shows(&format!("{} rows", count + of_second));
    for (host, count) in &hosts {
        window.assert_shows(&format!("Host: {host}: {count}"));
    }
    window.click(&format!("✖ Host: {host}"));
    assert_eq!(filter_of(&window), format!("(estaleiro OR festival) host={second}"));
    // Ready filters above the table count as well.
    window.press(Key::F8);
    window.until("they are hidden", |window| !window.shows("Top-level domain"));
}

#[test]
fn facets_of_a_ready_filter_are_those_of_its_rows() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.press(Key::F8);
    window.assert_shows("Top-level domain");
    let rows = window.captures("status>=400");
    window.click("View");
    window.until("the counts are there", |window| window.texts().iter().any(|text| text.starts_with("Failed ")));
    let view = window.texts().into_iter().find(|text| text.starts_with("Failed ")).unwrap();
    window.click(&view);
    for (status, count) in counted(&rows, |row| row.status.to_string()) {
        window.assert_shows(&format!("Status: {status}: {count}"));
    }
}

#[test]
fn every_value_of_a_long_facet_can_be_scrolled_to_and_chosen() {
    let hosts = 0..5_000_u64;
    let values = hosts.map(|host| FacetValue { value: format!("host{host}.pt"), count: 5_000 - host }).collect();
    let counts = SearchCounts { facets: vec![(FacetKind::Host, values)], ..SearchCounts::default() };
    let mut facets = Facets::default();
    let builder = Harness::builder().with_size(egui::vec2(FACETS_WIDTH, 600.0));
    let mut harness = builder.with_context_setup(crate::ui::theme::install).build_ui_state(
        move |ui, chosen: &mut Vec<FacetChoice>| match facets.ui(ui, &counts, chosen) {
            Some(FacetAction::Toggle(choice) | FacetAction::Only(choice) | FacetAction::Show(choice)) => {
                chosen.push(choice)
            }
            None => {}
        },
        Vec::new(),
    );
    harness.get_by_label("4990 more").click();
    harness.run();
    let places = |harness: &Harness<'_, Vec<FacetChoice>>| {
        let boxes = harness.query_all_by_role(egui::accesskit::Role::CheckBox);
        boxes.map(|one| one.rect().top()).collect::<Vec<f32>>()
    };
    assert!(places(&harness).len() < 100, "{} are drawn", places(&harness).len());
    // To the middle, to the end, and back to where the first ones are.
    for (lines, host) in [(-60_000.0, None), (-200_000.0, Some("host4999.pt")), (400_000.0, Some("host0.pt"))] {
        harness.hover_at(egui::pos2(100.0, 300.0));
        harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, lines),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        harness.run_steps(60);
        let tops = places(&harness);
        // Each is where it would be if all above were drawn.
        let rows = |top: f32| (top - tops[0]) / (tops[1] - tops[0]);
        assert!(tops.iter().all(|top| (rows(*top) - rows(*top).round()).abs() < 0.01), "{tops:?}");
        let Some(host) = host else {
            assert!(harness.query_by_label("host10.pt").is_none() && tops.len() < 100, "{tops:?}");
            continue;
        };
        harness.get_by_label(host).click();
        harness.run();
        assert_eq!(harness.state().last().map(|choice| choice.value.as_str()), Some(host));
    }
}
