//! Pictures of pages for eyes: `FONDS_PICTURES=folder cargo test pictures_of_pages` writes them.

use super::pixels::Picture;
use super::shapes::{each_shape, line_of, place_of};
use crate::app::models::SearchQuery;
use crate::app::{Command, FilesRoute, Route, ThemeChoice};
use crate::ui::tests::{TOWN, Window};
use crate::ui::theme;
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::kittest::NodeT;
use std::path::PathBuf;

/// Width, height and their name; the last one is 1280 × 800 at 150 %.
const SIZES: [(f32, f32, &str); 4] =
    [(1280.0, 800.0, "1280"), (900.0, 600.0, "900"), (1920.0, 1080.0, "1920"), (853.0, 533.0, "150")];

const PALETTES: [(ThemeChoice, &str); 3] =
    [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light"), (ThemeChoice::HighContrast, "contrast")];

/// Every page with its name.
pub(super) fn pages() -> Vec<(Route, &'static str)> {
    let found = SearchQuery { text: "estaleiro OR festival".to_owned(), ..SearchQuery::default() };
    vec![
        (Route::Campaigns, "campaigns"),
        (Route::Overview, "overview"),
        (Route::Spec(Some(TOWN)), "spec"),
        (Route::Prospect, "prospect"),
        (Route::Entities { entity: String::new() }, "entities"),
        (Route::Crawl, "crawl"),
        (Route::Files(FilesRoute::default()), "files"),
        (Route::Captures { filter: String::new() }, "captures"),
        (Route::Search(found), "search"),
        (Route::Links { target: String::new() }, "links"),
        (Route::Review { filter: String::new() }, "review"),
        (Route::Select, "select"),
        (Route::Jobs, "jobs"),
        (Route::Settings, "settings"),
        (Route::Help("crawl"), "help"),
    ]
}

#[test]
fn pictures_of_pages_are_drawn() {
    let folder = std::env::var_os("FONDS_PICTURES").map(PathBuf::from);
    // Without a folder one picture is enough to see that they can be drawn.
    let (themes, sizes) = match folder {
        Some(_) => (&PALETTES[..], &SIZES[..]),
        None => (&PALETTES[..1], &SIZES[1..2]),
    };
    // Only pages and palettes with these words in their names, where some are given.
    let only = std::env::var("FONDS_PICTURES_OF").unwrap_or_default();
    let is_drawn = |name: &str| only.is_empty() || only.split(' ').any(|part| name.contains(part));
    let mut window = crate::ui::tests::search::searched("estaleiro OR festival");
    window.app_mut().settings.panel_open = false;
    for (theme, theme_name) in themes {
        window.app_mut().settings.theme = *theme;
        for (width, height, size_name) in sizes {
            let size = egui::vec2(*width, *height);
            window.harness.set_size(size);
            for (route, page) in pages() {
                let name = format!("{page}-{theme_name}-{size_name}");
                if !is_drawn(&name) {
                    continue;
                }
                window.app_mut().send(Command::Go(route));
                window.settle();
                window.press(Key::ArrowDown);
                picture(&window, size, folder.as_ref(), &name);
            }
        }
    }
}

/// Every page but two in every size and palette is painted as when it was last looked at: of each a digest is kept. After
/// a change, look at the pictures, then accept the digests; `FONDS_SHAPES=folder` writes what they are made of.
#[test]
#[ignore = "digests of another machine's fonts may differ: run it before and after a change of looks"]
fn pages_match_their_digests() {
    let mut window = crate::ui::tests::search::searched("estaleiro OR festival");
    window.app_mut().settings.panel_open = false;
    let mut digests = String::new();
    let folder = std::env::var_os("FONDS_SHAPES").map(PathBuf::from);
    for (theme, theme_name) in PALETTES {
        window.app_mut().settings.theme = theme;
        for (width, height, size_name) in SIZES {
            window.harness.set_size(egui::vec2(width, height));
            for (route, page) in pages() {
                // What comes first in Review, and how many captures have which score, differ from run to run.
                if matches!(page, "review" | "select") {
                    continue;
                }
                window.app_mut().send(Command::Go(route));
                window.settle();
                let lines = fixed_lines(&window, height);
                if let Some(folder) = &folder {
                    let file = folder.join(format!("{page}-{theme_name}-{size_name}.txt"));
                    std::fs::write(file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
                }
                digests += &format!("{page} {theme_name} {size_name} {:016x}\n", digest(&lines));
            }
        }
    }
    insta::assert_snapshot!("pages", digests);
}

/// What was painted beside rows of tables, plots, and what depends on the run: each line once, in order.
fn fixed_lines(window: &Window, height: f32) -> Vec<String> {
    let places = |roles: &[Role], margin: egui::Vec2| -> Vec<egui::Rect> {
        let nodes = window.harness.root();
        let nodes = nodes.children_recursive().filter(|node| roles.contains(&node.accesskit_node().role()));
        // What is out of sight may have no place.
        let placed = nodes.filter(|node| node.accesskit_node().bounding_box().is_some());
        placed.map(|node| node.rect().expand2(margin)).collect()
    };
    let mut varying = places(&[Role::Row], egui::vec2(1.0, 1.0));
    // Axes have their labels around a plot.
    varying.extend(places(&[Role::Canvas, Role::Image], egui::vec2(48.0, 24.0)));
    // The strip has the free space of the disk.
    varying.push(egui::Rect::everything_below(height - theme::STRIP));
    let mut lines = std::collections::BTreeSet::new();
    each_shape(&window.harness.output().shapes, &mut |clip, shape| {
        let place = place_of(shape);
        if clip.intersects(place) && !varying.iter().any(|rect| rect.contains(place.center())) {
            lines.extend(line_of(shape).map(|line| without_run(&line)));
        }
    });
    lines.into_iter().collect()
}

/// A line without numbers and paths, which differ from run to run; its place and colour stay.
fn without_run(line: &str) -> String {
    if !line.starts_with("text ") {
        return line.to_owned();
    }
    let mut parts = line.splitn(5, ' ');
    let place: Vec<&str> = parts.by_ref().take(4).collect();
    let text = parts.flat_map(str::split_whitespace).map(|word| match word.contains('/') {
        true => "PATH",
        false => word.trim_matches(|of: char| of.is_ascii_digit() || of == '.'),
    });
    format!("{} {}", place.join(" "), text.collect::<Vec<_>>().join(" "))
}

/// FNV-1a.
fn digest(lines: &[String]) -> u64 {
    let bytes = lines.iter().flat_map(|line| line.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn picture(window: &Window, size: egui::Vec2, folder: Option<&PathBuf>, name: &str) {
    let picture = Picture::of(&window.harness.ctx, window.harness.output(), size);
    if let Some(folder) = folder {
        picture.write(&folder.join(format!("{name}.ppm"))).unwrap();
    }
}
