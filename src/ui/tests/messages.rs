//! Messages lie over the page: nothing moves when they come and go.

use super::Window;
use super::drawn::pixels::Picture;
use crate::app::models::Notice;
use crate::app::{Action, Route};
use egui::accesskit::{Live, Role};
use egui::{Key, Modifiers, Pos2};
use egui_kittest::kittest::{NodeT, Queryable};

fn notice(window: &mut Window, is_error: bool, what: &str) {
    let notice =
        Notice { is_error, what: what.to_owned(), why: "a long reason ".repeat(12), hint: "do this".to_owned() };
    window.app_mut().notice(notice);
    window.settle();
}

#[test]
fn not_a_pixel_beside_a_message_changes_when_it_comes_and_goes() {
    let size = egui::vec2(1000.0, 700.0);
    let mut window = Window::town();
    window.harness.set_size(size);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.press(Key::ArrowDown);
    // Bars of scrolled tables come slowly.
    (0..5).for_each(|_| window.pass(1.0));
    window.settle();
    let picture = |window: &Window| Picture::of(&window.harness.ctx, window.harness.output(), size);
    let place =
        |window: &Window| window.harness.ctx.memory(|memory| memory.area_rect(egui::Id::unique("messages"))).unwrap();
    // The strip says how much room the disk has, which others use as well; the rail counts open errors.
    let page = egui::Rect::from_min_max(
        Pos2::new(crate::ui::theme::RAIL_WIDTH, 0.0),
        Pos2::new(size.x, size.y - crate::ui::theme::STRIP - 8.0),
    );
    let before = picture(&window);
    assert_eq!(before.difference_in(page, &picture(&window)), None, "the page itself is at rest");
    for is_error in [false, true] {
        notice(&mut window, is_error, "Something happened");
        let (came, own) = (picture(&window), place(&window));
        let changed = before.difference_in(page, &came).expect("it is on screen");
        assert!(own.expand(0.6).contains_rect(changed), "{changed} beside {own}");
        window.press(Key::Escape);
        window.harness.hover_at(Pos2::ZERO);
        window.settle();
        assert_eq!(before.difference_in(page, &picture(&window)), None, "it is gone");
    }
}

/// Where everything lies that is no message.
fn places(window: &Window) -> Vec<(Role, String, Pos2)> {
    let nodes = window.harness.root().children_recursive();
    let place = |node: egui_kittest::Node<'_>| {
        let role = node.accesskit_node().role();
        let label = node.accesskit_node().label()?;
        matches!(role, Role::Button | Role::Tab | Role::ColumnHeader | Role::Table | Role::Cell | Role::Link)
            // A tenth of a point is how a text is laid out on the pixels.
            .then(|| (role, label, node.rect().min.round()))
    };
    let is_message = |label: &str| {
        matches!(label, "Close this message" | "Dismiss")
            || label.starts_with("Go to")
            || label.ends_with("on the Jobs page")
    };
    nodes.filter_map(place).filter(|(_, label, _)| !is_message(label)).collect()
}

/// Checks that everything lies where it did before.
#[track_caller]
fn check_same(window: &Window, before: &[(Role, String, Pos2)], when: &str) {
    let now = places(window);
    // The last row of a table is cut off, by parts of a pixel more or less.
    let has = |places: &[(Role, String, Pos2)], (role, label, at): &(Role, String, Pos2)| {
        places.iter().any(|of| of.0 == *role && of.1 == *label && of.2.distance(*at) <= 1.0)
    };
    let moved: Vec<_> = before.iter().filter(|place| !has(&now, place)).collect();
    let came: Vec<_> = now.iter().filter(|place| !has(before, place)).collect();
    assert!(moved.is_empty() && came.is_empty(), "{when}: {moved:?} are gone, {came:?} came");
}

#[test]
fn nothing_moves_when_messages_and_errors_come_and_go() {
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(900.0, 600.0)] {
        let mut window = Window::town();
        window.harness.set_size(size);
        window.press_with(Modifiers::COMMAND, Key::Num5);
        window.until("rows are there", |window| window.shows("vilanova.example"));
        window.press(Key::ArrowDown);
        // Bars of scrolled tables come slowly.
        (0..5).for_each(|_| window.pass(1.0));
        window.settle();
        let before = places(&window);
        for number in 0..6 {
            notice(&mut window, number % 2 == 0, &format!("Message {number}"));
            check_same(&window, &before, &format!("message {number} at {size}"));
        }
        window.assert_shows("Message 5");
        assert!(window.shows("more on the Jobs page"), "errors are counted beyond a number");
        window.harness.hover_at(egui::Pos2::ZERO);
        window.pass(120.0);
        window.settle();
        assert!(!window.shows("Message 5"), "it went by");
        window.assert_shows("Message 4");
        check_same(&window, &before, &format!("after they went, at {size}"));
    }
}

#[test]
fn two_errors_are_whole_in_the_frame_in_which_they_come() {
    let size = egui::vec2(1280.0, 800.0);
    let mut window = Window::town();
    window.harness.set_size(size);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    window.settle();
    for number in 0..2 {
        let why = "a reason of some lines ".repeat(8 + 8 * number);
        let notice = Notice { is_error: true, what: format!("Error {number}"), why, hint: "do this".to_owned() };
        window.app_mut().notice(notice);
        // One frame, as in a window at rest.
        window.harness.step();
        let closes = window.harness.query_all_by_label("Dismiss").map(|node| node.rect()).collect::<Vec<_>>();
        assert_eq!(closes.len(), number + 1);
        let area = window.harness.ctx.memory(|memory| memory.area_rect(egui::Id::unique("messages"))).unwrap();
        let foot = size.y - crate::ui::theme::STRIP;
        assert!(area.bottom() <= foot && closes.iter().all(|of| area.contains_rect(*of)), "{area}, {closes:?}");
    }
}

#[test]
fn the_same_message_again_is_counted() {
    let mut window = Window::town();
    for _ in 0..3 {
        notice(&mut window, false, "Kept");
    }
    window.assert_shows("Kept (×3)");
    assert_eq!(window.harness.query_all_by_label("Close this message").count(), 1);
}

#[test]
fn escape_takes_the_newest_away_where_nothing_else_takes_it() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("none selected"));
    notice(&mut window, true, "An older error");
    notice(&mut window, false, "A newer message");
    // A dialog, a field and a filter take it first.
    window.press_with(Modifiers::COMMAND, Key::K);
    window.press(Key::Escape);
    assert!(window.app().dialog().is_none() && window.shows("A newer message"));
    window.press(Key::Slash);
    window.harness.event(egui::Event::Text("vilanova".to_owned()));
    window.until("it is filtered", |window| window.route() == Route::Captures { filter: "vilanova".to_owned() });
    window.press(Key::Escape);
    window.until("the filter is gone", |window| window.route() == Route::Captures { filter: String::new() });
    assert!(window.shows("A newer message"));
    window.press(Key::Escape);
    window.until("the message is gone", |window| !window.shows("A newer message"));
    window.assert_shows("An older error");
    window.press(Key::Escape);
    window.until("the error is gone", |window| !window.shows("An older error"));
}

#[test]
fn messages_give_way_to_what_has_the_keyboard() {
    let mut window = Window::town();
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.press_with(Modifiers::COMMAND, Key::Num9);
    window.settle();
    notice(&mut window, true, "It lies somewhere");
    let message =
        |window: &Window| window.harness.query_all_by_label_contains("It lies somewhere").last().unwrap().rect();
    assert!(message(&window).top() > 300.0, "at the foot: {}", message(&window));
    let mut met = 0;
    for _ in 0..80 {
        window.harness.key_press(Key::Tab);
        window.harness.run_steps(3);
        let root = window.harness.root();
        let focused = root.children_recursive().find(|node| node.accesskit_node().is_focused());
        let Some(node) = focused else { continue };
        let label = node.accesskit_node().label().unwrap_or_default();
        if label == "Dismiss" || label.starts_with("Go to") || node.rect().width() > 600.0 {
            continue;
        }
        met += usize::from(node.rect().top() > 300.0);
        assert!(!node.rect().intersects(message(&window)), "“{label}” at {} is covered", node.rect());
    }
    assert!(met > 0, "controls at the foot were reached");
}

#[test]
fn messages_belong_to_their_landmark_and_are_read_out() {
    let mut window = Window::town();
    notice(&mut window, false, "Read me");
    let mut nodes = window.harness.root().children_recursive();
    let landmark = nodes.find(|node| node.accesskit_node().role() == Role::ContentInfo).unwrap();
    assert_eq!(landmark.accesskit_node().label().as_deref(), Some("Messages and jobs"));
    let of = |node: &egui_kittest::Node<'_>| node.accesskit_node().label().or_else(|| node.accesskit_node().value());
    let message = landmark.children_recursive().find(|node| of(node).as_deref() == Some("Read me"));
    assert_eq!(message.expect("it is within").accesskit_node().live(), Live::Polite);
}

#[test]
fn the_strip_is_one_line_whatever_runs() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    let table = |window: &Window| window.harness.get_by_role_and_label(Role::Table, "Captures").rect();
    window.press(Key::ArrowDown);
    window.settle();
    let before = table(&window);
    let source = window.root().join("long.warc");
    crate::testing::write_long_archive(&source);
    let options = crate::app::models::ImportOptions::default();
    window.app_mut().send(crate::app::Command::Import { paths: vec![source], options });
    window.until("it runs", |window| window.can_click("Stop"));
    assert_eq!(table(&window), before);
    let id = window.app().jobs()[0].id;
    window.app_mut().send(crate::app::Command::CancelJob(id));
    window.until("it ends", |window| window.app().jobs().is_empty());
    window.settle();
    assert_eq!(table(&window), before);
}

#[test]
fn a_second_click_on_stop_starts_nothing() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::R);
    window.assert_shows("Start this crawl?");
    window.until("it can start", |window| window.can_click("Start crawl"));
    window.settle();
    window.press(Key::Enter);
    window.until("the crawl runs", |window| window.app().crawl_job().is_some());
    window.app().crawl_job().unwrap().cx().set_paused(true);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.until("it can be stopped", |window| window.can_click("Stop crawl"));
    let place = window.harness.query_all_by_label("Stop crawl").last().unwrap().rect().center();
    let click = |window: &mut Window| {
        window.harness.event(egui::Event::PointerMoved(place));
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
            window.harness.event(egui::Event::PointerButton { pos: place, button, pressed, modifiers });
            window.harness.step();
        }
    };
    window.pass(2.0);
    click(&mut window);
    window.until("the crawl ends", |window| window.app().jobs().is_empty());
    window.until("the page knows", |window| !window.can_click("Pause crawl") && window.shows("Stopped"));
    click(&mut window);
    window.settle();
    let started = window.app().jobs().iter().map(|job| job.kind).chain(window.app().ended().iter().map(|job| job.kind));
    let started: Vec<_> = started.filter(|kind| !kind.is_crawl()).collect();
    // What follows captures by itself is nothing that a click started.
    use crate::app::JobKind::{CheckPages, IndexTexts};
    assert!(started.iter().all(|kind| matches!(kind, IndexTexts | CheckPages)), "{started:?}");
    assert!(window.app().dialog().is_none());
}

#[test]
fn the_histogram_stays_where_it_is_when_a_weight_is_tried() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num9);
    window.until("it is as saved", |window| window.shows("the same"));
    let places = |window: &Window| {
        ["Weights", "embedded resources", "By score"]
            .map(|label| window.harness.query_all_by_label(label).next().map(|node| node.rect().left_top()))
    };
    let before = places(&window);
    window.press(Key::CloseBracket);
    window.until("it is tried", |window| window.shows("Preview, not saved"));
    window.settle();
    assert_eq!(places(&window), before);
    assert!(before.iter().flatten().count() >= 2, "{before:?}");
    window.app_mut().act(Action::Undo);
}
