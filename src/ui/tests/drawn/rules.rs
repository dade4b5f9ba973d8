//! What holds on every page, by what is painted there: one filled button, no head that is cut.

use super::pictures::pages;
use super::pixels::Picture;
use crate::app::{Command, Route};
use crate::ui::tests::shell::begin_crawl;
use crate::ui::tests::{TOWN, Window};
use crate::ui::theme;
use crate::work::models::ReviewMark;
use egui::accesskit::Role;
use egui::epaint::{ClippedShape, TextShape};
use egui::{Color32, Key, Modifiers, Pos2, Rect, Shape};
use egui_kittest::kittest::{NodeT, Queryable};
use std::collections::HashMap;

/// Every shape on screen that is no group of others, with what cuts it.
fn painted(window: &Window) -> Vec<(Rect, Shape)> {
    fn add(clip: Rect, shape: &Shape, all: &mut Vec<(Rect, Shape)>) {
        match shape {
            Shape::Vec(parts) => parts.iter().for_each(|part| add(clip, part, all)),
            shape => all.push((clip, shape.clone())),
        }
    }
    let mut all = Vec::new();
    let shapes: &Vec<ClippedShape> = &window.harness.output().shapes;
    shapes.iter().for_each(|clipped| add(clipped.clip_rect, &clipped.shape, &mut all));
    all
}

/// Buttons on the ground of the next step.
fn filled_buttons(window: &Window) -> usize {
    let is_filled = |(clip, shape): &(Rect, Shape)| match shape {
        Shape::Rect(rect) => {
            let is_button = rect.rect.height() >= theme::CONTROL - 1.0 && rect.rect.width() > theme::CONTROL;
            is_button && rect.fill == theme::DARK.primary_bg && clip.intersects(rect.rect)
        }
        _ => false,
    };
    painted(window).iter().filter(|shape| is_filled(shape)).count()
}

/// Heads of columns, and those of them that are not whole.
fn heads(window: &Window) -> (Vec<String>, Vec<String>) {
    let texts: Vec<(Rect, TextShape)> = painted(window)
        .into_iter()
        .filter_map(|(clip, shape)| match shape {
            Shape::Text(text) => Some((clip, text)),
            _ => None,
        })
        .collect();
    let (mut all, mut cut) = (Vec::new(), Vec::new());
    for node in window.harness.root().children_recursive() {
        if node.accesskit_node().role() != Role::ColumnHeader {
            continue;
        }
        let (place, name) = (node.rect(), node.accesskit_node().label().unwrap_or_default());
        let is_there = |text: &TextShape| place.contains(text.pos) && !text.galley.text().trim().is_empty();
        // A column at the edge of a table that is scrolled sideways is seen in part.
        let is_scrolled = |clip: &Rect| place.right() > clip.right() + 1.0;
        for (clip, text) in texts.iter().filter(|(clip, text)| is_there(text) && !is_scrolled(clip)) {
            let drawn = text.visual_bounding_rect();
            let is_whole =
                !text.galley.elided && clip.x_range().contains(drawn.left()) && drawn.right() <= clip.right();
            if !is_whole {
                cut.push(format!("{name}: “{}” at {drawn:?} in {clip:?}", text.galley.text()));
            }
        }
        all.push(name);
    }
    (all, cut)
}

#[test]
fn each_page_has_one_filled_button_and_whole_heads() {
    let mut window = crate::ui::tests::search::searched("estaleiro OR festival");
    window.app_mut().settings.theme = crate::app::ThemeChoice::Dark;
    window.app_mut().settings.panel_open = false;
    let mut wrong = Vec::new();
    for (width, height) in [(900.0, 600.0), (1280.0, 800.0), (1920.0, 1080.0), (853.0, 533.0)] {
        window.harness.set_size(egui::vec2(width, height));
        for (route, page) in pages() {
            window.app_mut().send(Command::Go(route.clone()));
            window.settle();
            let filled = filled_buttons(&window);
            let has_one = matches!(route, Route::Captures { .. } | Route::Search(_) | Route::Review { .. });
            if filled > 1 || (has_one && filled != 1) {
                wrong.push(format!("{page} at {width}: {filled} filled buttons"));
            }
            let (_, cut) = heads(&window);
            wrong.extend(cut.into_iter().map(|head| format!("{page} at {width}: {head}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_narrow_window_has_the_columns_of_a_wide_one() {
    let mut window = crate::ui::tests::search::searched("estaleiro OR festival");
    window.app_mut().settings.panel_open = false;
    for (route, page) in pages() {
        if !matches!(page, "captures" | "search") {
            continue;
        }
        let mut names = [900.0, 1920.0].map(|width| {
            window.harness.set_size(egui::vec2(width, 1080.0));
            window.app_mut().send(Command::Go(route.clone()));
            window.settle();
            heads(&window).0
        });
        names.iter_mut().for_each(|names| names.sort());
        assert_eq!(names[0], names[1], "{page}");
    }
}

#[test]
fn not_a_pixel_beside_the_filter_changes_when_it_has_the_keyboard() {
    let size = egui::vec2(1000.0, 700.0);
    let mut window = Window::town();
    window.harness.set_size(size);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.until("rows are there", |window| window.shows("vilanova.example"));
    (0..5).for_each(|_| window.pass(1.0));
    window.settle();
    let picture = |window: &Window| Picture::of(&window.harness.ctx, window.harness.output(), size);
    let page = Rect::from_min_max(Pos2::new(theme::RAIL_WIDTH, 0.0), Pos2::new(size.x, size.y - theme::STRIP - 8.0));
    let before = picture(&window);
    window.press(Key::Slash);
    assert!(window.harness.ctx.text_edit_focused());
    let field = window.harness.get_by_role_and_label(Role::TextInput, "Filter").rect();
    let changed = before.difference_in(page, &picture(&window)).expect("its edge shows the keyboard");
    assert!(field.expand(1.0).contains_rect(changed), "{changed} beside {field}");
}

/// The texts on screen that are there once, with their left upper corner.
fn texts_with_places(window: &Window) -> HashMap<String, Pos2> {
    let mut places: HashMap<String, Option<Pos2>> = HashMap::new();
    for (clip, shape) in painted(window) {
        if let Shape::Text(text) = shape
            && clip.intersects(text.visual_bounding_rect())
        {
            let place = Some(text.pos);
            places.entry(text.galley.text().to_owned()).and_modify(|of| *of = None).or_insert(place);
        }
    }
    places.into_iter().filter_map(|(text, place)| Some((text, place?))).collect()
}

/// Texts that stay and are elsewhere now.
fn moved(before: &HashMap<String, Pos2>, after: &HashMap<String, Pos2>) -> Vec<String> {
    // Marks of an axis go with its scale, and another row may have a like figure.
    let moved = |(text, place): (&String, &Pos2)| {
        let now = after.get(text)?;
        (now.distance(*place) > 0.5).then(|| format!("“{text}” from {place:?} to {now:?}"))
    };
    before
        .iter()
        .filter(|(text, _)| !text.starts_with(|first: char| first.is_ascii_digit()))
        .filter_map(moved)
        .collect()
}

#[test]
fn a_count_that_changes_moves_nothing() {
    let mut window = Window::town();
    window.app_mut().settings.panel_open = false;
    let mut wrong = Vec::new();
    // A review row goes when it is decided.
    let pages = pages().into_iter().filter(|(route, _)| !matches!(route, Route::Review { .. }));
    for (nth, (route, page)) in pages.enumerate() {
        window.app_mut().send(Command::Go(route));
        (0..3).for_each(|_| window.pass(1.0));
        window.settle();
        let before = texts_with_places(&window);
        let ids: Vec<_> = window.captures("").into_iter().skip(nth * 12).take(12).map(|row| row.id).collect();
        window.session().mark(&ids, ReviewMark::Flag, "", "somebody").unwrap();
        (0..3).for_each(|_| window.pass(1.0));
        window.settle();
        let moved = moved(&before, &texts_with_places(&window));
        wrong.extend(moved.into_iter().map(|text| format!("{page}: {text}")));
    }
    begin_crawl(&mut window);
    for (route, page) in [(Route::Crawl, "crawl"), (Route::Overview, "overview"), (Route::Campaigns, "campaigns")] {
        window.app_mut().send(Command::Go(route));
        (0..3).for_each(|_| window.pass(1.0));
        window.settle();
        let before = texts_with_places(&window);
        let fetched = window.session().catalogue().last_launch(Some(TOWN)).unwrap().unwrap().fetched;
        window.app().crawl_job().unwrap().cx().set_paused(false);
        window.until("more is fetched", |window| {
            window.session().catalogue().last_launch(Some(TOWN)).unwrap().unwrap().fetched > fetched + 5
        });
        window.app().crawl_job().unwrap().cx().set_paused(true);
        (0..3).for_each(|_| window.pass(1.0));
        window.settle();
        let moved = moved(&before, &texts_with_places(&window));
        wrong.extend(moved.into_iter().map(|text| format!("{page} while a crawl runs: {text}")));
    }
    window.click("Stop");
    window.until("the crawl ends", |window| window.app().jobs().is_empty());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_state_is_shown_by_more_than_its_colour() {
    let mut window = crate::ui::tests::search::searched("estaleiro OR festival");
    window.app_mut().settings.theme = crate::app::ThemeChoice::Dark;
    let states = [theme::DARK.accept, theme::DARK.flag, theme::DARK.reject];
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (route, page) in pages() {
        window.app_mut().send(Command::Go(route));
        window.settle();
        let shapes = painted(&window);
        let texts: Vec<Rect> = shapes
            .iter()
            .filter_map(|(_, shape)| match shape {
                Shape::Text(text) if has_letters(text.galley.text()) => Some(text.visual_bounding_rect()),
                _ => None,
            })
            .collect();
        for (clip, shape) in &shapes {
            let place = shape.visual_bounding_rect();
            if !clip.intersects(place) {
                continue;
            }
            let is_clear = match shape {
                Shape::Text(text) if states.iter().any(|state| has_color(text, *state)) => {
                    {
                        let text = text.galley.text();
                        // The status of an answer is its own name.
                        has_letters(text) || text.len() == 3 && text.parse::<u16>().is_ok() || text.contains(SIGNS)
                    }
                }
                // A mark is in the row of its words.
                Shape::Rect(rect) if states.contains(&rect.fill) => texts.iter().any(|text| is_beside(place, *text)),
                Shape::Circle(dot) if states.contains(&dot.fill) => texts.iter().any(|text| is_beside(place, *text)),
                _ => continue,
            };
            seen += 1;
            if !is_clear {
                let text = if let Shape::Text(text) = shape { text.galley.text() } else { "a mark" };
                wrong.push(format!("{page}: {text} at {place:?}"));
            }
        }
    }
    assert!(seen > 10, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Signs that are no letters, each of one state.
const SIGNS: [char; 7] = ['✓', '✔', '✕', '✖', '▲', '⚠', '●'];

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

fn has_color(text: &TextShape, color: Color32) -> bool {
    let of_section = text.galley.job.sections.iter().any(|section| section.format.color == color);
    text.override_text_color.map_or(of_section, |over| over == color)
}

/// Whether a text is in the row of a mark.
fn is_beside(mark: Rect, text: Rect) -> bool {
    (mark.center().y - text.center().y).abs() < theme::CONTROL && mark.expand(theme::FIELD).intersects(text)
}
