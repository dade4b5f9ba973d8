//! Every colour, size and space, named by role.
//!
//! Limits: letters that egui's fonts lack are drawn with a font of the system,
//! where it has one; else a box is drawn.

use crate::app::ThemeChoice;
use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, Style, TextStyle, Theme, Vec2, Visuals};

/// Space between things that belong together.
pub const GAP: f32 = 8.0;
/// Space between groups.
pub const GROUP_GAP: f32 = 16.0;
/// Width of the rail.
pub const RAIL_WIDTH: f32 = 172.0;
/// Height of a row of the rail.
pub const RAIL_ROW: f32 = 32.0;
/// Height of a table row.
pub const ROW: f32 = 24.0;
/// Height of a roomy table row.
pub const ROOMY_ROW: f32 = 32.0;
/// Height of a table's head.
pub const HEAD_ROW: f32 = 26.0;
/// Height of a plot.
pub const PLOT: f32 = 150.0;
/// Width of a line that is read, not scanned.
pub const READING_WIDTH: f32 = 720.0;
/// Width of a short text field.
pub const FIELD: f32 = 220.0;
/// Width of a text field for a date.
pub const DATE_FIELD: f32 = 84.0;
/// Width of a path or URL field.
pub const LONG_FIELD: f32 = 460.0;
/// Width of a dialog.
pub const DIALOG: f32 = 560.0;
/// Height of a list in a dialog.
pub const DIALOG_LIST: f32 = 380.0;
/// Least height of the lower panel.
pub const PANEL_LEAST: f32 = 120.0;
/// Height of the lower panel in which its head, its tabs and some lines can be read.
pub const PANEL_READABLE: f32 = 164.0;
/// Most of the height that it takes from its page for that.
pub const PANEL_SHARE: f32 = 0.42;
/// Lower windows have the lines of buttons above a table folded.
pub const LOW_WINDOW: f32 = 700.0;
/// Rows of its table that a page shows beside the lower panel.
pub const ROWS_LEAST: usize = 6;
/// Narrower windows have a rail of icons.
pub const NARROW_WINDOW: f32 = 1000.0;
/// Width of that rail.
pub const RAIL_NARROW: f32 = 46.0;
/// Space inside a cell.
pub const CELL_PAD: f32 = 6.0;
/// Width of a job's bar.
pub const BAR: f32 = 220.0;
/// Least height that a page keeps when the lower panel grows.
pub const PAGE_LEAST: f32 = 240.0;
/// Size of a figure.
pub const FIGURE_TEXT: f32 = 21.0;

const BODY_TEXT: f32 = 14.0;
const SMALL_TEXT: f32 = 12.0;
const HEADING_TEXT: f32 = 20.0;
const MONO_TEXT: f32 = 13.0;
const CORNER: u8 = 4;

/// Colours by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Behind pages.
    pub page_bg: Color32,
    /// Behind rail, bars and lower panel.
    pub chrome_bg: Color32,
    /// Behind cards and fields.
    pub raised_bg: Color32,
    /// Behind every second row.
    pub stripe_bg: Color32,
    /// Lines between areas.
    pub border: Color32,
    /// Text.
    pub text: Color32,
    /// Headings and what decides.
    pub strong_text: Color32,
    /// Text that may be passed over.
    pub weak_text: Color32,
    /// Links and what can be pressed.
    pub accent: Color32,
    /// Behind what is chosen.
    pub chosen_bg: Color32,
    /// Behind a button.
    pub button_bg: Color32,
    /// Behind a button under the pointer.
    pub button_hover_bg: Color32,
    /// Taken, approved, holds.
    pub accept: Color32,
    /// Refused, rejected, does not hold.
    pub reject: Color32,
    /// A warning.
    pub flag: Color32,
    /// Behind an error.
    pub error_bg: Color32,
    /// Over the whole window while files hover above it.
    pub drop_shade: Color32,
    /// First series of a plot.
    pub plot_first: Color32,
    /// Second series of a plot.
    pub plot_second: Color32,
    /// Third series of a plot.
    pub plot_third: Color32,
    /// Between two lines, or a window of time.
    pub plot_band: Color32,
    /// Land on a map, of which nothing is counted.
    pub map_land: Color32,
    /// A country with the fewest.
    pub map_least: Color32,
    /// A country with the most, and a dot.
    pub map_most: Color32,
}

/// Dark on light.
pub const LIGHT: Tokens = Tokens {
    page_bg: Color32::from_rgb(0xfb, 0xfb, 0xfa),
    chrome_bg: Color32::from_rgb(0xf0, 0xf1, 0xf0),
    raised_bg: Color32::from_rgb(0xff, 0xff, 0xff),
    stripe_bg: Color32::from_rgb(0xf3, 0xf4, 0xf3),
    border: Color32::from_rgb(0xcd, 0xd1, 0xd0),
    text: Color32::from_rgb(0x1d, 0x23, 0x26),
    strong_text: Color32::from_rgb(0x00, 0x00, 0x00),
    weak_text: Color32::from_rgb(0x55, 0x5f, 0x64),
    accent: Color32::from_rgb(0x0b, 0x57, 0x8e),
    chosen_bg: Color32::from_rgb(0xcf, 0xe3, 0xf2),
    button_bg: Color32::from_rgb(0xe4, 0xe8, 0xe8),
    button_hover_bg: Color32::from_rgb(0xd6, 0xde, 0xe0),
    accept: Color32::from_rgb(0x1a, 0x6b, 0x32),
    reject: Color32::from_rgb(0xa8, 0x1c, 0x1c),
    flag: Color32::from_rgb(0x85, 0x53, 0x00),
    error_bg: Color32::from_rgb(0xfb, 0xe4, 0xe1),
    drop_shade: Color32::from_rgba_premultiplied(0x90, 0x98, 0x9c, 0xc0),
    plot_first: Color32::from_rgb(0x0b, 0x57, 0x8e),
    plot_second: Color32::from_rgb(0xb4, 0x5a, 0x0a),
    plot_third: Color32::from_rgb(0x5d, 0x6a, 0x70),
    plot_band: Color32::from_rgba_premultiplied(0x05, 0x1c, 0x2c, 0x38),
    map_land: Color32::from_rgb(0xe2, 0xe5, 0xe3),
    map_least: Color32::from_rgb(0xa4, 0xcd, 0xe8),
    map_most: Color32::from_rgb(0x0b, 0x57, 0x8e),
};

/// Light on dark.
pub const DARK: Tokens = Tokens {
    page_bg: Color32::from_rgb(0x1b, 0x1e, 0x20),
    chrome_bg: Color32::from_rgb(0x14, 0x17, 0x18),
    raised_bg: Color32::from_rgb(0x23, 0x28, 0x2a),
    stripe_bg: Color32::from_rgb(0x20, 0x24, 0x26),
    border: Color32::from_rgb(0x3d, 0x45, 0x49),
    text: Color32::from_rgb(0xdd, 0xe2, 0xe3),
    strong_text: Color32::from_rgb(0xff, 0xff, 0xff),
    weak_text: Color32::from_rgb(0xb0, 0xba, 0xbe),
    accent: Color32::from_rgb(0x7c, 0xc0, 0xf2),
    chosen_bg: Color32::from_rgb(0x1d, 0x47, 0x63),
    button_bg: Color32::from_rgb(0x2e, 0x35, 0x38),
    button_hover_bg: Color32::from_rgb(0x3a, 0x44, 0x48),
    accept: Color32::from_rgb(0x7f, 0xd3, 0x92),
    reject: Color32::from_rgb(0xff, 0x94, 0x8a),
    flag: Color32::from_rgb(0xf0, 0xbc, 0x5c),
    error_bg: Color32::from_rgb(0x4a, 0x20, 0x1e),
    drop_shade: Color32::from_rgba_premultiplied(0x04, 0x06, 0x08, 0xc0),
    plot_first: Color32::from_rgb(0x7c, 0xc0, 0xf2),
    plot_second: Color32::from_rgb(0xf0, 0xa3, 0x5c),
    plot_third: Color32::from_rgb(0x9a, 0xa6, 0xab),
    plot_band: Color32::from_rgba_premultiplied(0x1c, 0x2c, 0x38, 0x38),
    map_land: Color32::from_rgb(0x3a, 0x42, 0x46),
    map_least: Color32::from_rgb(0x2a, 0x5f, 0x85),
    map_most: Color32::from_rgb(0x7c, 0xc0, 0xf2),
};

/// The colours of the theme in use.
pub fn tokens(ui: &egui::Ui) -> &'static Tokens {
    if ui.visuals().dark_mode { &DARK } else { &LIGHT }
}

/// Fills both styles of a context, once.
pub fn install(ctx: &egui::Context) {
    ctx.add_plugin(super::bidi::ReadingOrder::default());
    ctx.set_style_of(Theme::Light, style(&LIGHT, Visuals::light()));
    ctx.set_style_of(Theme::Dark, style(&DARK, Visuals::dark()));
}

/// Sets light or dark.
pub fn choose(ctx: &egui::Context, choice: ThemeChoice) {
    ctx.set_theme(match choice {
        ThemeChoice::System => egui::ThemePreference::System,
        ThemeChoice::Light => egui::ThemePreference::Light,
        ThemeChoice::Dark => egui::ThemePreference::Dark,
    });
}

fn style(tokens: &Tokens, mut visuals: Visuals) -> Style {
    let corner = CornerRadius::same(CORNER);
    visuals.panel_fill = tokens.page_bg;
    visuals.window_fill = tokens.raised_bg;
    visuals.window_stroke = Stroke::new(1.0, tokens.border);
    visuals.window_corner_radius = corner;
    visuals.menu_corner_radius = corner;
    visuals.extreme_bg_color = tokens.raised_bg;
    visuals.text_edit_bg_color = Some(tokens.raised_bg);
    visuals.faint_bg_color = tokens.stripe_bg;
    visuals.code_bg_color = tokens.stripe_bg;
    visuals.hyperlink_color = tokens.accent;
    visuals.warn_fg_color = tokens.flag;
    visuals.error_fg_color = tokens.reject;
    visuals.weak_text_color = Some(tokens.weak_text);
    visuals.selection.bg_fill = tokens.chosen_bg;
    visuals.selection.stroke = Stroke::new(1.0, tokens.strong_text);
    visuals.slider_trailing_fill = true;
    visuals.striped = true;
    let widgets = &mut visuals.widgets;
    for (state, fill, line, text) in [
        (&mut widgets.noninteractive, tokens.page_bg, tokens.border, tokens.text),
        (&mut widgets.inactive, tokens.button_bg, tokens.border, tokens.text),
        (&mut widgets.hovered, tokens.button_hover_bg, tokens.accent, tokens.strong_text),
        (&mut widgets.active, tokens.chosen_bg, tokens.accent, tokens.strong_text),
        (&mut widgets.open, tokens.button_hover_bg, tokens.border, tokens.strong_text),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::new(1.0, line);
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = corner;
        state.expansion = 0.0;
    }
    let mut style = Style { visuals, ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, FontId::new(SMALL_TEXT, FontFamily::Proportional)),
        (TextStyle::Body, FontId::new(BODY_TEXT, FontFamily::Proportional)),
        (TextStyle::Button, FontId::new(BODY_TEXT, FontFamily::Proportional)),
        (TextStyle::Heading, FontId::new(HEADING_TEXT, FontFamily::Proportional)),
        (TextStyle::Monospace, FontId::new(MONO_TEXT, FontFamily::Monospace)),
    ]
    .into();
    style.spacing.item_spacing = Vec2::new(GAP, 6.0);
    style.spacing.button_padding = Vec2::new(10.0, 4.0);
    style.spacing.interact_size.y = 26.0;
    style.spacing.menu_margin = Margin::same(8);
    style.spacing.window_margin = Margin::same(16);
    style.spacing.scroll = egui::style::ScrollStyle::solid();
    style.interaction.tooltip_delay = 0.4;
    style
}

/// Behind a page.
pub fn page_frame(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(tokens(ui).page_bg).inner_margin(Margin::symmetric(16, 12))
}

/// Behind rail, bars and lower panel.
pub fn chrome_frame(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(tokens(ui).chrome_bg).inner_margin(Margin::symmetric(10, 7))
}

/// Around a card.
pub fn card_frame(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new()
        .fill(tokens(ui).raised_bg)
        .stroke(Stroke::new(1.0, tokens(ui).border))
        .corner_radius(CornerRadius::same(CORNER))
        .inner_margin(Margin::same(12))
}

/// Keeps text from running wider than is read with ease, or than there is room.
pub fn keep_reading_width(ui: &mut egui::Ui) {
    ui.set_max_width(READING_WIDTH.min(ui.available_width()));
}

/// Around a message over the page.
pub fn message_frame(ui: &egui::Ui) -> egui::Frame {
    card_frame(ui).inner_margin(Margin::symmetric(10, 6))
}

/// Around an error.
pub fn error_frame(ui: &egui::Ui) -> egui::Frame {
    message_frame(ui).fill(tokens(ui).error_bg)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast of WCAG 2.2, from 1 to 21.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let light = |color: Color32| {
            let part = |byte: u8| {
                let value = f32::from(byte) / 255.0;
                if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(color.r()) + 0.7152 * part(color.g()) + 0.0722 * part(color.b())
        };
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_text_can_be_read_on_every_ground() {
        for tokens in [LIGHT, DARK] {
            let texts = [
                tokens.text,
                tokens.strong_text,
                tokens.weak_text,
                tokens.accent,
                tokens.accept,
                tokens.reject,
                tokens.flag,
            ];
            let grounds = [
                tokens.page_bg,
                tokens.chrome_bg,
                tokens.raised_bg,
                tokens.stripe_bg,
                tokens.button_bg,
                tokens.chosen_bg,
            ];
            for text in texts {
                for ground in grounds {
                    assert!(contrast(text, ground) >= 4.5, "{text:?} on {ground:?}: {}", contrast(text, ground));
                }
            }
        }
    }
}
