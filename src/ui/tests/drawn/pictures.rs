//! Pictures of pages for eyes: `FONDS_PICTURES=folder cargo test pictures_of_pages` writes them.

use super::pixels::Picture;
use crate::app::models::SearchQuery;
use crate::app::{Command, FilesRoute, Route, ThemeChoice};
use crate::ui::tests::{TOWN, Window};
use egui::Key;
use std::path::PathBuf;

/// Width, height and their name.
const SIZES: [(f32, f32, &str); 3] = [(1280.0, 800.0, "1280"), (900.0, 600.0, "900"), (1920.0, 1080.0, "1920")];

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

fn picture(window: &Window, size: egui::Vec2, folder: Option<&PathBuf>, name: &str) {
    let picture = Picture::of(&window.harness.ctx, window.harness.output(), size);
    if let Some(folder) = folder {
        picture.write(&folder.join(format!("{name}.ppm"))).unwrap();
    }
}
