//! Facets beside the table of captures.

use super::Window;
use crate::app::Route;
use crate::app::models::CaptureRow;
use egui::{Key, Modifiers};
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
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.type_into("Filter", "estaleiro OR festival");
    window.press(Key::Enter);
    assert!(!window.says("Top-level domain"));
    window.press(Key::F8);
    assert!(window.app().settings.facets);
    window.check_says("Top-level domain");
    let rows = window.captures("estaleiro OR festival");
    // Each number is the one that the rows themselves give.
    for (status, count) in counted(&rows, |row| row.status.to_string()) {
        window.check_says(&format!("Status: {status}: {count}"));
    }
    for (year, count) in counted(&rows, |row| row.date.to_warc()[..4].to_owned()) {
        window.check_says(&format!("Year: {year}: {count}"));
    }
    let hosts = counted(&rows, |row| crate::uri::Url::parse(&row.url).unwrap().host_str().unwrap().to_owned());
    let (host, count) = hosts.iter().max_by_key(|(_, count)| **count).unwrap();
    assert!(hosts.len() > 1, "{hosts:?}");
    window.check_says(&format!("Host: {host}: {count}"));
    window.click(&format!("Host: without {host}"));
    let without = filter_of(&window);
    assert_eq!(without, format!("(estaleiro OR festival) NOT host={host}"));
    window.check_says(&format!("{} rows", rows.len() as u64 - count));
    // What was left out can be taken back, and a number leads to what it counts.
    window.click(&format!("✖ Host: not {host}"));
    window.check_says(&format!("{} rows", rows.len()));
    window.click(&format!("Host: {host}: {count}"));
    assert_eq!(filter_of(&window), format!("(estaleiro OR festival) host={host}"));
    window.check_says(&format!("{count} rows"));
    // A second host is another one that will do, and can be let go again.
    let (second, of_second) = hosts.iter().find(|(name, _)| *name != host).unwrap();
    window.click(second);
    assert_eq!(filter_of(&window), format!("(estaleiro OR festival) (host={host} OR host={second})"));
    window.check_says(&format!("{} rows", count + of_second));
    for (host, count) in &hosts {
        window.check_says(&format!("Host: {host}: {count}"));
    }
    window.click(&format!("✖ Host: {host}"));
    assert_eq!(filter_of(&window), format!("(estaleiro OR festival) host={second}"));
    // Ready filters above the table count as well.
    window.press(Key::F8);
    window.until("they are hidden", |window| !window.says("Top-level domain"));
}

#[test]
fn facets_of_a_ready_filter_are_those_of_its_rows() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.press(Key::F8);
    window.check_says("Top-level domain");
    let rows = window.captures("status>=400");
    let tab = window.texts().into_iter().find(|text| text.starts_with("Failed ")).unwrap();
    window.click(&tab);
    for (status, count) in counted(&rows, |row| row.status.to_string()) {
        window.check_says(&format!("Status: {status}: {count}"));
    }
}
