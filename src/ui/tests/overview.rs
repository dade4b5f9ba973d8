//! The page of the campaign, the rail, and the header of every page.

use super::shell::begin_crawl;
use super::{TOWN, Window, is_pressed};
use crate::app::{Dialog, PAGES, Route};
use crate::ui::theme;
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};

/// Names of the headings on screen.
fn headings(window: &Window) -> Vec<String> {
    let nodes = window.harness.query_all_by_role(Role::Heading);
    nodes.filter_map(|node| node.accesskit_node().label()).collect()
}

#[test]
fn the_overview_counts_what_its_links_show() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num1);
    assert_eq!(window.route(), Route::Overview);
    let row = window.session().catalogue().campaigns().unwrap().into_iter().find(|row| row.id == TOWN).unwrap();
    let captures = format!("{} captures", crate::ui::text::count(row.captures));
    window.until("the figures are there", |window| window.can_click(&captures));
    window.click(&captures);
    assert_eq!(window.route(), Route::Captures { filter: String::new() });
    window.assert_shows(&format!("{} rows", crate::ui::text::count(row.captures)));
    window.go_back();
    // The next step of the work is the one button with a ground of its own.
    let review = format!("Review {}", crate::ui::text::count(row.counted.unwrap().to_review));
    window.click(&review);
    assert_eq!(window.route(), Route::Review { filter: String::new() });
    window.go_back();
    // Sites and URLs of all launches lead to their own lists.
    let page = window.session().crawl(Some(TOWN), crate::work::models::Launches::All).unwrap();
    let [hosts, refused] = [page.hosts_total, page.launch.as_ref().unwrap().refused].map(crate::ui::text::count);
    let refused = format!("{refused} refused, all launches");
    for (link, list) in [(format!("{hosts} sites"), format!("{hosts} hosts")), (refused, "URLs".to_owned())] {
        window.until("the figures are there", |window| window.can_click(&link));
        window.click(&link);
        assert_eq!(window.route(), Route::Crawl);
        window.assert_shows("All 2 launches");
        window.assert_shows(&list);
        window.go_back();
    }
    window.assert_shows("Launches over time. ");
    // What failed in the last launch waits; what has no reason to wait is not listed.
    let last = window.session().catalogue().launches(Some(TOWN)).unwrap().pop().unwrap();
    window.assert_shows(&format!("{} URLs of the last launch failed", last.to_retry()));
    assert!(!window.shows("Inlinks not built") && !window.shows("No seeds yet"));
    window.click(&format!("Show: {} URLs of the last launch failed", last.to_retry()));
    assert_eq!(window.route(), Route::Crawl);
}

#[test]
fn each_term_and_each_gap_of_the_overview_leads_to_its_rows() {
    use crate::work::models::{GapKind, MatrixBy, RowList};
    let mut window = Window::town();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND, Key::Num1);
    let matrix = window.session().matrix(TOWN, MatrixBy::Hosts).unwrap();
    let (at, row) = matrix.rows.iter().enumerate().find(|(_, row)| row.cells[0] > 1).unwrap();
    let cell = format!("{}, {}: {}", row.label, matrix.columns[0].label, row.cells[0]);
    window.until("the matrix is there", |window| window.can_click(&cell));
    window.click(&cell);
    assert_eq!(window.route(), Route::Captures { filter: matrix.cell_filter(at, 0) });
    window.assert_shows(&format!("{} rows", row.cells[0]));
    window.go_back();
    // A zero leads nowhere, and what is nowhere says so.
    let never = matrix.rows.iter().find(|row| row.is_never_found()).map(|row| row.label.clone());
    let zero = matrix.rows.iter().find_map(|row| {
        let at = row.cells.iter().take(4).position(|count| *count == 0)?;
        Some(format!("{}, {}: 0", row.label, matrix.columns[at].label))
    });
    window.until("the zeros are there", |window| zero.as_ref().is_none_or(|zero| window.shows(zero)));
    assert!(zero.is_some_and(|zero| !window.can_click(&zero)), "{never:?}");
    // Other columns.
    window.click_radio("Languages");
    let by_language = window.session().matrix(TOWN, MatrixBy::Languages).unwrap();
    let row = by_language.rows.iter().find(|row| row.cells[0] > 0).unwrap();
    let cell = format!("{}, {}: {}", row.label, by_language.columns[0].label, row.cells[0]);
    window.until("languages are there", |window| window.can_click(&cell));
    // Each gap leads to its rows.
    let overview = window.session().overview(TOWN, &crate::jobs::JobCx::detached()).unwrap();
    let seen = |kind: GapKind| overview.gaps.iter().find(|gap| gap.kind == kind);
    for gap in &overview.gaps {
        window.assert_shows(&gap.summary());
    }
    let of_hosts = seen(GapKind::Hosts).expect("a host of the town does not answer");
    assert_eq!(of_hosts.items[0].label, "camara-antiga.example");
    let gap = overview.gaps.iter().find(|gap| matches!(gap.rows, Some(RowList::Captures { .. }))).unwrap();
    window.click(&gap.summary());
    window.assert_shows(&format!("{} row", gap.count));
    window.go_back();
    if let Some(gap) = overview.gaps.iter().find(|gap| matches!(gap.rows, Some(RowList::Seen { .. }))) {
        window.click(&gap.summary());
        assert_eq!(window.route(), Route::Crawl);
        window.assert_shows(&crate::ui::text::counted(gap.count, "URL"));
    }
}

#[test]
fn a_running_crawl_is_in_the_rail_the_strip_and_the_overview() {
    let mut window = Window::town();
    begin_crawl(&mut window);
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.assert_shows("Crawl paused");
    let crawl = window.harness.query_all_by_label("Crawl").find(is_pressed).unwrap();
    assert_eq!(crawl.accesskit_node().description().as_deref(), Some("A crawl is paused"));
    window.click("Open crawl");
    assert_eq!(window.route(), Route::Crawl);
    window.click("Stop crawl");
    window.until("the crawl ends", |window| window.app().jobs().is_empty());
}

#[test]
fn every_page_has_its_title_and_a_menu_in_the_header() {
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(900.0, 600.0)] {
        let mut window = Window::town();
        window.harness.set_size(size);
        window.settle();
        for (page, title) in PAGES.iter().enumerate() {
            window.click(title);
            assert_eq!(window.route().page(), page);
            assert!(headings(&window).iter().any(|heading| heading == title), "{title}: {:?}", headings(&window));
            let more: Vec<_> = window.harness.query_all_by_label("More commands").collect();
            assert_eq!(more.len(), 1, "{title}");
            let rect = more[0].rect();
            assert!(rect.right() <= size.x && rect.bottom() <= theme::HEADER, "{title}: {rect:?}");
        }
    }
}

#[test]
fn a_narrow_window_has_a_rail_of_icons_and_folds_buttons_into_the_menu() {
    let mut window = Window::town();
    let width =
        |window: &Window| window.harness.query_all_by_label("Overview").find(is_pressed).unwrap().rect().width();
    window.press_with(Modifiers::COMMAND, Key::Num2);
    assert!((width(&window) - (theme::RAIL_WIDTH - theme::GROUP_GAP)).abs() < 1.0, "{}", width(&window));
    window.until("both buttons are there", |window| window.can_click("Start crawl"));
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.settle();
    assert!((width(&window) - (theme::RAIL_NARROW - theme::GAP)).abs() < 1.0, "{}", width(&window));
    assert!(!window.can_click("Start crawl"));
    window.click_more("Start crawl");
    assert_eq!(window.app().dialog(), Some(Dialog::StartCrawl));
    window.press(Key::Escape);
    window.click("Find or do");
    assert_eq!(window.app().dialog(), Some(Dialog::Palette));
}

#[test]
fn the_chooser_of_the_rail_takes_another_campaign() {
    let mut window = Window::town();
    let town = window.session().catalogue().campaigns().unwrap().into_iter().find(|row| row.id == TOWN).unwrap();
    window.click(&town.title());
    window.click("All captures");
    window.until("all captures are shown", |window| window.app().shows_every_campaign());
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.assert_shows("No campaign selected");
}
