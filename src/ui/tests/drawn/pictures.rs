//! Pictures of pages for eyes: `FONDS_PICTURES=folder cargo test pictures_of_pages` writes them.

use super::pixels::Picture;
use crate::app::ThemeChoice;
use crate::ui::tests::Window;
use egui::{Key, Modifiers};
use std::path::PathBuf;

/// Width, height and their name.
const SIZES: [(f32, f32, &str); 3] = [(1280.0, 800.0, "1280"), (900.0, 600.0, "900"), (1920.0, 1080.0, "1920")];

const PALETTES: [(ThemeChoice, &str); 3] =
    [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light"), (ThemeChoice::HighContrast, "contrast")];

#[test]
fn pictures_of_pages_are_drawn() {
    let folder = std::env::var_os("FONDS_PICTURES").map(PathBuf::from);
    // Without a folder one picture is enough to see that they can be drawn.
    let (themes, sizes) = match folder {
        Some(_) => (&PALETTES[..], &SIZES[..]),
        None => (&PALETTES[..1], &SIZES[1..2]),
    };
    let mut window = crate::ui::tests::search::searched("estaleiro OR festival");
    window.app_mut().settings.panel_open = false;
    for (theme, theme_name) in themes {
        window.app_mut().settings.theme = *theme;
        for (width, height, size_name) in sizes {
            let size = egui::vec2(*width, *height);
            window.harness.set_size(size);
            for (key, name) in [
                (Key::Num1, "overview"),
                (Key::Num2, "spec"),
                (Key::Num4, "crawl"),
                (Key::Num5, "captures"),
                (Key::Num6, "search"),
                (Key::Num7, "links"),
                (Key::Num8, "review"),
                (Key::Num9, "select"),
            ] {
                window.press_with(Modifiers::COMMAND, key);
                window.settle();
                window.press(Key::ArrowDown);
                picture(&window, size, folder.as_ref(), &format!("{name}-{theme_name}-{size_name}"));
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
