//! Small windows: the lower panel, the page beside it, and messages.

use super::{TOWN, Window};
use crate::app::models::ReviewQueueQuery;
use crate::app::{Action, Command, JobKind, PanelTab, Route};
use crate::store::Workspace;
use egui::{Key, Modifiers, Pos2};
use egui_kittest::kittest::{NodeT, Queryable};

/// A small window, and 1280×800 at 150 %.
const SMALL: [(f32, f32); 2] = [(900.0, 600.0), (853.0, 533.0)];

fn sized(width: f32, height: f32) -> Window {
    let mut window = Window::town();
    window.harness.set_size(egui::vec2(width, height));
    window.settle();
    window
}

impl Window {
    /// Where a button of the lower panel or the page begins.
    #[track_caller]
    fn top_of(&self, label: &str) -> f32 {
        let node = self.harness.query_all_by_label(label).last();
        node.unwrap_or_else(|| panic!("nothing says “{label}”; on screen: {:?}", self.texts())).rect().top()
    }

    /// Labels that begin so and lie as a whole between these heights.
    fn count_within(&self, begins: &str, top: f32, bottom: f32) -> usize {
        let place = |node: egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            let label = node.label().or_else(|| node.value()).filter(|label| label.starts_with(begins));
            label.and_then(|_| node.bounding_box())
        };
        let root = self.harness.root();
        let places = root.children_recursive().filter_map(place);
        let within = places.filter(|rect| rect.y0 >= f64::from(top) && rect.y1 <= f64::from(bottom));
        let mut tops: Vec<i64> = within.map(|rect| rect.y0.round() as i64).collect();
        tops.sort_unstable();
        tops.dedup();
        tops.len()
    }
}

/// Rows of the table of this name that are in sight as a whole.
fn whole_rows(window: &Window, table: &str) -> usize {
    use egui::accesskit::Role;
    let table = window.harness.get_by_role_and_label(Role::Table, table);
    let place = table.rect();
    let rows = table.children_recursive().filter(|node| node.accesskit_node().role() == Role::Row);
    let head = place.top() + crate::ui::theme::HEAD_ROW;
    rows.filter(|row| row.rect().top() >= head - 0.5 && row.rect().bottom() <= place.bottom() + 0.5).count()
}

#[test]
fn many_rows_and_hits_are_in_sight_beside_the_closed_panel() {
    for (width, height, rows, hits) in [(1280.0, 800.0, 24, 11), (900.0, 600.0, 12, 5)] {
        let mut window = super::search::searched("estaleiro OR festival OR vila");
        window.harness.set_size(egui::vec2(width, height));
        window.app_mut().settings.panel_open = false;
        window.settle();
        window.press(Key::Escape);
        window.press(Key::ArrowDown);
        let found = whole_rows(&window, "Results");
        assert!(found >= hits, "{found} hits at {width}×{height}");
        window.press_with(Modifiers::COMMAND, Key::Num5);
        window.until("rows are there", |window| window.shows("vilanova.example"));
        assert!(!window.can_click("Show the lower panel"), "nothing is selected");
        window.press(Key::ArrowDown);
        window.until("the row has a line", |window| window.can_click("Show the lower panel"));
        window.settle();
        let found = whole_rows(&window, "Captures");
        assert!(found >= rows, "{found} rows at {width}×{height}");
    }
}

#[test]
fn no_head_of_a_table_is_cut_at_the_usual_size() {
    use egui::accesskit::Role;
    let mut window = super::search::searched("estaleiro");
    window.harness.set_size(egui::vec2(1280.0, 800.0));
    window.settle();
    for table in ["Results", "Captures"] {
        if table == "Captures" {
            window.press_with(Modifiers::COMMAND, Key::Num5);
            window.until("rows are there", |window| window.shows("vilanova.example"));
        }
        let node = window.harness.get_by_role_and_label(Role::Table, table);
        let place = node.rect();
        let heads: Vec<_> =
            node.children_recursive().filter(|node| node.accesskit_node().role() == Role::ColumnHeader).collect();
        assert!(heads.len() > 4, "{table}");
        for head in heads {
            let label = head.accesskit_node().label().unwrap_or_default();
            assert!(place.expand(0.5).contains_rect(head.rect()), "{label} of {table}: {} in {place}", head.rect());
        }
    }
}

#[test]
fn the_closed_panel_is_one_line_that_opens_at_a_part() {
    let mut window = sized(1280.0, 800.0);
    window.app_mut().settings.panel_open = false;
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.press(Key::ArrowDown);
    window.until("the row has a line", |window| window.can_click("Show the lower panel"));
    let Some(crate::app::Focus::Capture(id)) = window.app().focus() else { panic!("{:?}", window.app().focus()) };
    let before = whole_rows(&window, "Captures");
    window.click("Headers");
    window.until("it is open", |window| window.can_click("Hide the lower panel"));
    window.assert_shows("Response as received");
    assert!(whole_rows(&window, "Captures") < before);
    window.press(Key::F7);
    window.until("it is one line again", |window| window.can_click("Show the lower panel"));
    // The row of that line is what a letter decides on.
    window.press(Key::F);
    let is_flagged = move |window: &Window| {
        let rows = window.captures("mark:flag");
        rows.iter().any(|row| row.id == id)
    };
    window.until("it is flagged", is_flagged);
}

#[test]
fn the_panel_takes_the_page_where_both_cannot_be_read_and_gives_it_back() {
    let mut window = sized(900.0, 420.0);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.press(Key::ArrowDown);
    window.until("the panel has the page", |window| window.can_click("Back to the list"));
    window.assert_shows("Captured");
    window.press(Key::Escape);
    window.until("the list is back", |window| window.can_click("Show the lower panel"));
    assert!(whole_rows(&window, "Captures") >= 4);
}

#[test]
fn six_rows_stay_beside_the_lower_panel_and_no_tab_makes_it_grow() {
    for (width, height) in SMALL {
        let mut window = sized(width, height);
        window.press_with(Modifiers::COMMAND, Key::Num5);
        window.until("rows are there", |window| window.shows("vilanova.example"));
        window.press(Key::ArrowDown);
        let panel = window.top_of("Details");
        for tab in ["Decision", "Inlinks", "Outlinks", "Anchors", "Text", "Versions", "Headers", "Notes", "Details"] {
            match window.can_click(tab) {
                true => window.click(tab),
                false => window.choose("More parts of the capture", tab),
            }
            assert_eq!(window.top_of("Details"), panel, "{tab} at {width}×{height}");
        }
        let rows = window.count_within("http://", 0.0, panel);
        assert!(rows >= 6, "{rows} rows at {width}×{height}");
        assert!(panel + 30.0 < height, "the tabs are in sight: {panel} of {height}");
        // Facets take width, or are a menu: lines of buttons grow, not the buttons.
        window.press(Key::F8);
        window.until("facets are there", |window| window.shows("Language") || width < crate::ui::theme::FACETS_WINDOW);
        let rows = window.count_within("http://", 0.0, window.top_of("Details"));
        assert!(rows >= 4, "{rows} rows beside facets at {width}×{height}");
    }
}

#[test]
fn the_lower_panel_keeps_the_height_that_it_was_drawn_to() {
    let mut window = sized(1280.0, 800.0);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.press(Key::ArrowDown);
    let before = window.app().settings.panel_height;
    let edge = window.top_of("Hide the lower panel") - 5.0;
    let at = |y: f32| Pos2::new(900.0, y);
    // The edge is the upper end of the panel's frame.
    let edge = (0..12).map(|up| edge - up as f32).find(|y| {
        window.harness.hover_at(at(*y));
        window.harness.run_steps(2);
        window.harness.output().platform_output.cursor_icon == egui::CursorIcon::ResizeVertical
    });
    let edge = edge.expect("the panel has an edge to draw");
    window.harness.drag_at(at(edge));
    window.harness.run_steps(2);
    window.harness.hover_at(at(edge + 70.0));
    window.harness.run_steps(2);
    window.harness.drop_at(at(edge + 70.0));
    window.settle();
    let drawn = window.app().settings.panel_height;
    assert!((before - drawn - 70.0).abs() < 6.0, "{before} to {drawn}");
    let top = window.top_of("Details");
    for tab in ["Text", "Headers", "Inlinks"] {
        window.click(tab);
        assert_eq!(window.top_of("Details"), top, "{tab}");
    }
    window.press(Key::ArrowDown);
    assert_eq!(window.top_of("Details"), top);
    // A small window takes of it what its page needs, and a large one gives that back.
    for (height, is_same) in [(480.0, false), (800.0, true)] {
        window.harness.set_size(egui::vec2(1280.0, height));
        window.settle();
        assert_eq!(window.top_of("Details") == top, is_same, "{height}");
        assert_eq!(window.app().settings.panel_height, drawn);
    }
}

#[test]
fn review_shows_text_in_a_small_window() {
    for (width, height) in SMALL {
        let mut window = sized(width, height);
        window.app_mut().settings.panel_open = false;
        window.press_with(Modifiers::COMMAND, Key::Num8);
        // The first page with a line that is longer than the window is wide.
        let query = ReviewQueueQuery { campaign: Some(TOWN), limit: 200, ..ReviewQueueQuery::default() };
        let queue = window.session().catalogue().review_queue(&query).unwrap().rows;
        let long_line = |text: String| text.lines().map(str::trim).find(|line| line.len() > 300).map(str::to_owned);
        let session = window.session();
        let mut lines = queue.iter().map(|row| long_line(session.content(row.row.id).unwrap().text));
        let (at, line) = lines.by_ref().enumerate().find_map(|(at, line)| Some((at, line?))).unwrap();
        (0..at).for_each(|_| window.press(Key::J));
        window.until("the text is there", |window| window.shows(&line));
        let panel = window.top_of("Details");
        let text = window.harness.query_all_by_label_contains(&line).last().unwrap().rect();
        assert!(text.top() + 36.0 < panel, "text at {text}, panel at {panel} of {width}×{height}");
        assert!(text.right() <= width, "text at {text} is cut off at {width}×{height}");
    }
}

#[test]
fn plots_of_a_crawl_fold_while_a_url_is_explained() {
    let mut window = sized(1280.0, 800.0);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.until("the plots are there", |window| window.shows("Responses by status"));
    window.click("21 refused");
    // Which of them are in sight depends on the order in which the crawl found them.
    let refused = |window: &Window| window.texts().into_iter().find(|text| text.starts_with("http://praias.example/"));
    window.until("rows are there", |window| refused(window).is_some());
    let page = refused(&window).unwrap();
    window.click(&page);
    window.until("they are folded", |window| !window.shows("Responses by status"));
    assert_eq!(window.app().settings.panel_tab, PanelTab::Decision);
    let rows = window.count_within("http://", 0.0, window.top_of("Hide the lower panel"));
    assert!(rows >= 6, "{rows} rows");
    window.press(Key::F7);
    window.until("they are back", |window| window.shows("Responses by status"));
}

#[test]
fn messages_cover_nothing_lead_to_their_page_and_go_by() {
    let mut window = sized(900.0, 600.0);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.app_mut().act(Action::BuildInlinks);
    window.until("a notice is shown", |window| window.shows("Build inlinks finished"));
    let message = window.harness.query_all_by_label_contains("Build inlinks finished").next().unwrap().rect();
    for label in ["Details", "View", "Hide the lower panel"] {
        let others = window.harness.query_all_by_label(label);
        assert!(others.into_iter().all(|other| !other.rect().intersects(message)), "{label}");
    }
    window.click("Go to Links");
    assert_eq!(window.route(), Route::Links { target: String::new() });
    assert!(!window.shows("Go to Links"), "the page is on screen");
    window.harness.hover_at(Pos2::ZERO);
    window.pass(60.0);
    window.until("it goes by", |window| !window.shows("Build inlinks finished"));
}

#[test]
fn an_error_leads_to_its_page_and_goes_with_its_cause() {
    let mut window = Window::town();
    // A file is where the folder shall be.
    let place = window.folder().join("fonds.sqlite/export").display().to_string();
    window.app_mut().open.export_folder.clone_from(&place);
    window.app_mut().act(Action::Export);
    window.until("the error is shown", |window| window.shows("Export failed"));
    window.click("Go to Select & export");
    assert_eq!(window.route(), Route::Select);
    // Another job does not touch it; the same one that does its work does.
    window.app_mut().act(Action::BuildInlinks);
    window.until("a notice is shown", |window| window.shows("Build inlinks finished"));
    window.assert_shows("Export failed");
    window.app_mut().open.export_folder = window.root().join("export").display().to_string();
    window.app_mut().act(Action::Export);
    window.until("the error is gone", |window| !window.shows("Export failed"));
    window.until_done(JobKind::Export);
    // So does another workspace.
    window.app_mut().open.export_folder = place;
    window.app_mut().act(Action::Export);
    window.until("the error is shown", |window| window.shows("Export failed"));
    let other = window.root().join("other");
    drop(Workspace::create(&other).unwrap());
    window.app_mut().send(Command::OpenWorkspace(other));
    window.until("the error is gone", |window| !window.shows("Export failed"));
}

#[test]
fn the_panel_of_a_wide_window_is_at_the_right_or_below_by_one_setting() {
    let mut window = sized(1920.0, 1080.0);
    window.app_mut().settings.panel_aside = true;
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.press(Key::ArrowDown);
    window.until("the panel is open", |window| window.can_click("Put the panel below the page"));
    let below = whole_rows(&window, "Captures");
    let place = window.harness.get_by_label("Put the panel below the page").rect();
    assert!(place.left() > 1920.0 - 400.0 && place.top() < 120.0, "{place}");
    // Parts without a tab there are in its menu.
    window.choose("More parts of the capture", "Headers");
    window.assert_shows("Response as received");
    window.click("Put the panel below the page");
    window.until("it is below", |window| window.can_click("Put the panel at the right of the page"));
    assert!(whole_rows(&window, "Captures") < below);
    window.click("Put the panel at the right of the page");
    window.press(Key::F7);
    window.until("it is one line", |window| window.can_click("Show the lower panel"));
    // A narrower window has it below, whatever is set.
    window.press(Key::F7);
    window.harness.set_size(egui::vec2(1280.0, 800.0));
    window.settle();
    assert!(window.can_click("Hide the lower panel"));
}
