//! Every colour, size and space, named by role: no page has a number of its own.
//!
//! Two weights of Noto Sans are built in: [`strong`] is the heavier one. Letters that the built-in
//! fonts lack are drawn with a font of the system, where it has one; else a box is drawn.

mod controls;

use crate::app::ThemeChoice;
use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, RichText, Stroke, Style, TextStyle,
    Theme, Vec2, Visuals,
};
use std::sync::{Arc, LazyLock};

/// Space between an icon and its label, and between the lines of one thing.
pub const TIGHT_GAP: f32 = 4.0;
/// Space between controls.
pub const GAP: f32 = 8.0;
/// Space between a label and its field.
pub const LABEL_GAP: f32 = 12.0;
/// Space between groups.
pub const GROUP_GAP: f32 = 16.0;
/// Space between parts of a page.
pub const PART_GAP: f32 = 24.0;
/// Space at the left and right of a page, and between a message and the edges of the page.
pub const PAGE_MARGIN: f32 = 16.0;
/// Space above a page's content.
pub const PAGE_TOP: f32 = 12.0;
/// Space inside a control at its left and right.
pub const CONTROL_PAD: f32 = 8.0;
/// Space inside a button at its left and right.
pub const BUTTON_PAD: f32 = 10.0;
/// Space inside a cell.
pub const CELL_PAD: f32 = 6.0;

/// Height of a button, field or drop-down.
pub const CONTROL: f32 = 26.0;
/// Height of the field that a page is searched with.
pub const SEARCH_FIELD: f32 = 30.0;
/// Height of a chip: a filter that is on, or a reason to tick.
pub const CHIP: f32 = 22.0;
/// Height of a row of tabs.
pub const TAB_ROW: f32 = 30.0;
/// Height of a table row.
pub const ROW: f32 = 24.0;
/// Height of a comfortable table row.
pub const ROOMY_ROW: f32 = 30.0;
/// Height of a row of a matrix.
pub const MATRIX_ROW: f32 = 22.0;
/// Height of a row with two lines: a queue, hits of a search.
pub const TWO_LINE_ROW: f32 = 44.0;
/// Height of a row with two lines in a list beside the page's content.
pub const SIDE_ROW: f32 = 38.0;
/// Height of a table's head.
pub const HEAD_ROW: f32 = 24.0;
/// Height of a page's header.
pub const HEADER: f32 = 48.0;
/// Height of the strip at the bottom of the window.
pub const STRIP: f32 = 26.0;
/// Side of an icon.
pub const ICON: f32 = 16.0;
/// Side of a small icon, in a button or before a line.
pub const SMALL_ICON: f32 = 14.0;

/// Width of the rail.
pub const RAIL_WIDTH: f32 = 176.0;
/// Width of the rail where a narrow window leaves room for its icons only.
pub const RAIL_NARROW: f32 = 44.0;
/// Height of a row of the rail.
pub const RAIL_ROW: f32 = 28.0;
/// Least height of a row of the rail, in a low window.
pub const RAIL_ROW_LEAST: f32 = 22.0;
/// Width of the column of labels of a form.
pub const LABEL_COLUMN: f32 = 120.0;
/// Width of a field for a number.
pub const NUMBER_FIELD: f32 = 64.0;
/// Width of a text field for a date.
pub const DATE_FIELD: f32 = 112.0;
/// Width of a short text field.
pub const FIELD: f32 = 232.0;
/// Width of a path or URL field.
pub const LONG_FIELD: f32 = 460.0;
/// Most width of a table's column.
pub const COLUMN_MOST: f32 = 520.0;
/// Width of a line that is read, not scanned.
pub const READING_WIDTH: f32 = 720.0;
/// Width of a list beside the content of a page.
pub const SIDE_LIST: f32 = 344.0;
/// Width of facets beside a table.
pub const FACETS: f32 = 232.0;
/// Width of a dialog.
pub const DIALOG: f32 = 560.0;
/// Height of a list in a dialog.
pub const DIALOG_LIST: f32 = 380.0;
/// Height of a plot.
pub const PLOT: f32 = 150.0;
/// Width of a job's bar.
pub const BAR: f32 = 220.0;
/// Height of a bar that shows shares.
pub const SHARE_BAR: f32 = 8.0;

/// Height of the collapsed detail panel.
pub const PANEL_STRIP: f32 = 34.0;
/// Width of the detail panel at the right of a wide window.
pub const SIDE_PANEL: f32 = 360.0;
/// Least width of it there.
pub const SIDE_PANEL_LEAST: f32 = 300.0;
/// Least height of the lower panel.
pub const PANEL_LEAST: f32 = 120.0;
/// Height of the lower panel in which its head, its tabs and some lines can be read.
pub const PANEL_READABLE: f32 = 164.0;
/// Most of the height that it takes from its page for that.
pub const PANEL_SHARE: f32 = 0.42;
/// Rows of its table that a page shows beside the lower panel.
pub const ROWS_LEAST: usize = 6;
/// Least height that a page keeps when the lower panel grows.
pub const PAGE_LEAST: f32 = 240.0;
/// Height of a message over the page.
pub const MESSAGE: f32 = 36.0;

/// Wider windows have room for the detail panel at the right.
pub const WIDE_WINDOW: f32 = 1500.0;
/// Narrower windows have no facets unless a person shows them.
pub const FACETS_WINDOW: f32 = 1200.0;
/// Narrower windows have a rail of icons.
pub const NARROW_WINDOW: f32 = 1000.0;
/// Lower windows have the lines of buttons above a table folded.
pub const LOW_WINDOW: f32 = 700.0;

/// Size of a caption, an axis, a second line.
pub const CAPTION_TEXT: f32 = 11.0;
/// Size of a table's head, of help and of the strip.
pub const SMALL_TEXT: f32 = 12.0;
/// Size of text, cells and buttons.
pub const BODY_TEXT: f32 = 13.0;
/// Size of the title of a part of a page.
pub const PART_TEXT: f32 = 15.0;
/// Room of a number in a row of figures: six digits.
pub const FIGURE_SLOT: f32 = 58.0;
/// Size of a page's title.
pub const TITLE_TEXT: f32 = 18.0;
/// Size of a figure.
pub const FIGURE_TEXT: f32 = 22.0;
/// Size of code.
const CODE_TEXT: f32 = 12.0;
/// Radius of corners.
pub const CORNER: u8 = 4;
/// Width of the bar at the left of what has the cursor, or was changed.
pub const MARK_BAR: f32 = 3.0;
/// Width of the ring around what has the keyboard, and of the outline of what is chosen in high contrast.
pub const RING: f32 = 2.0;

/// Colours by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Behind pages.
    pub page_bg: Color32,
    /// Behind rail, strip and lower panel.
    pub chrome_bg: Color32,
    /// Behind cards, menus and fields.
    pub raised_bg: Color32,
    /// Behind a row, or a button without ground, under the pointer.
    pub hover_bg: Color32,
    /// Behind what is chosen.
    pub chosen_bg: Color32,
    /// Behind a button.
    pub button_bg: Color32,
    /// Behind a button under the pointer.
    pub button_hover_bg: Color32,
    /// Text.
    pub text: Color32,
    /// Headings and what decides.
    pub strong_text: Color32,
    /// Labels and second lines.
    pub weak_text: Color32,
    /// Zeros and names of groups; never on chosen or button.
    pub faint_text: Color32,
    /// Links, what has the keyboard, the first series.
    pub accent: Color32,
    /// Taken, approved, holds.
    pub accept: Color32,
    /// A warning.
    pub flag: Color32,
    /// Refused, rejected, does not hold.
    pub reject: Color32,
    /// Behind the one button that is the next step.
    pub primary_bg: Color32,
    /// Text on it.
    pub primary_text: Color32,
    /// Lines between rows and parts.
    pub hairline: Color32,
    /// Lines around what floats, and under heads.
    pub border: Color32,
    /// Edges of fields and boxes.
    pub field_edge: Color32,
    /// Behind what was accepted.
    pub accept_bg: Color32,
    /// Behind a warning.
    pub flag_bg: Color32,
    /// Behind an error.
    pub reject_bg: Color32,
    /// A bar or dot of what is good.
    pub fill_ok: Color32,
    /// A bar or dot of what is flagged.
    pub fill_flag: Color32,
    /// A bar or dot of what failed.
    pub fill_bad: Color32,
    /// A bar or dot of what counts for neither.
    pub fill_none: Color32,
    /// Behind the matches of a search.
    pub mark_bg: Color32,
    /// Cells of a matrix: from 1, from 10, from 100, from 1000.
    pub heat: [Color32; 4],
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

/// Light on dark.
pub const DARK: Tokens = Tokens {
    page_bg: Color32::from_rgb(0x1b, 0x1e, 0x20),
    chrome_bg: Color32::from_rgb(0x14, 0x17, 0x18),
    raised_bg: Color32::from_rgb(0x23, 0x28, 0x2a),
    hover_bg: Color32::from_rgb(0x27, 0x2d, 0x30),
    chosen_bg: Color32::from_rgb(0x1d, 0x47, 0x63),
    button_bg: Color32::from_rgb(0x2e, 0x35, 0x38),
    button_hover_bg: Color32::from_rgb(0x3a, 0x44, 0x48),
    text: Color32::from_rgb(0xdd, 0xe2, 0xe3),
    strong_text: Color32::from_rgb(0xff, 0xff, 0xff),
    weak_text: Color32::from_rgb(0xa9, 0xb3, 0xb8),
    faint_text: Color32::from_rgb(0x8b, 0x96, 0x9b),
    accent: Color32::from_rgb(0x7c, 0xc0, 0xf2),
    accept: Color32::from_rgb(0x7f, 0xd3, 0x92),
    flag: Color32::from_rgb(0xf0, 0xbc, 0x5c),
    reject: Color32::from_rgb(0xff, 0x94, 0x8a),
    primary_bg: Color32::from_rgb(0x2a, 0x74, 0xa9),
    primary_text: Color32::from_rgb(0xff, 0xff, 0xff),
    hairline: Color32::from_rgb(0x2a, 0x30, 0x33),
    border: Color32::from_rgb(0x3d, 0x45, 0x49),
    field_edge: Color32::from_rgb(0x6a, 0x76, 0x7c),
    accept_bg: Color32::from_rgb(0x1c, 0x33, 0x24),
    flag_bg: Color32::from_rgb(0x3a, 0x2e, 0x14),
    reject_bg: Color32::from_rgb(0x46, 0x21, 0x1f),
    fill_ok: Color32::from_rgb(0x62, 0xb8, 0x7a),
    fill_flag: Color32::from_rgb(0xd9, 0xa5, 0x48),
    fill_bad: Color32::from_rgb(0xe5, 0x77, 0x6c),
    fill_none: Color32::from_rgb(0x6f, 0x7b, 0x81),
    mark_bg: Color32::from_rgb(0x5c, 0x4a, 0x0e),
    heat: [
        Color32::from_rgb(0x20, 0x38, 0x4a),
        Color32::from_rgb(0x21, 0x4d, 0x6b),
        Color32::from_rgb(0x28, 0x68, 0x92),
        Color32::from_rgb(0x58, 0xa6, 0xd8),
    ],
    drop_shade: Color32::from_rgba_premultiplied(0x04, 0x06, 0x08, 0xc0),
    plot_first: Color32::from_rgb(0x7c, 0xc0, 0xf2),
    plot_second: Color32::from_rgb(0xf0, 0xa3, 0x5c),
    plot_third: Color32::from_rgb(0x9a, 0xa6, 0xab),
    plot_band: Color32::from_rgba_premultiplied(0x1c, 0x2c, 0x38, 0x38),
    map_land: Color32::from_rgb(0x3a, 0x42, 0x46),
    map_least: Color32::from_rgb(0x2a, 0x5f, 0x85),
    map_most: Color32::from_rgb(0x7c, 0xc0, 0xf2),
};

/// Dark on light.
pub const LIGHT: Tokens = Tokens {
    page_bg: Color32::from_rgb(0xfb, 0xfb, 0xfa),
    chrome_bg: Color32::from_rgb(0xf0, 0xf1, 0xf0),
    raised_bg: Color32::from_rgb(0xff, 0xff, 0xff),
    hover_bg: Color32::from_rgb(0xed, 0xf1, 0xf2),
    chosen_bg: Color32::from_rgb(0xcf, 0xe3, 0xf2),
    button_bg: Color32::from_rgb(0xe6, 0xea, 0xea),
    button_hover_bg: Color32::from_rgb(0xd6, 0xde, 0xe0),
    text: Color32::from_rgb(0x1d, 0x23, 0x26),
    strong_text: Color32::from_rgb(0x00, 0x00, 0x00),
    weak_text: Color32::from_rgb(0x4f, 0x59, 0x5e),
    faint_text: Color32::from_rgb(0x5d, 0x67, 0x6c),
    accent: Color32::from_rgb(0x0b, 0x57, 0x8e),
    accept: Color32::from_rgb(0x1a, 0x6b, 0x32),
    flag: Color32::from_rgb(0x7d, 0x4e, 0x00),
    reject: Color32::from_rgb(0xa8, 0x1c, 0x1c),
    primary_bg: Color32::from_rgb(0x0b, 0x57, 0x8e),
    primary_text: Color32::from_rgb(0xff, 0xff, 0xff),
    hairline: Color32::from_rgb(0xe3, 0xe6, 0xe6),
    border: Color32::from_rgb(0xcd, 0xd1, 0xd0),
    field_edge: Color32::from_rgb(0x7f, 0x89, 0x8e),
    accept_bg: Color32::from_rgb(0xe0, 0xf1, 0xe4),
    flag_bg: Color32::from_rgb(0xfb, 0xed, 0xd0),
    reject_bg: Color32::from_rgb(0xfb, 0xe4, 0xe1),
    fill_ok: Color32::from_rgb(0x3c, 0x95, 0x58),
    fill_flag: Color32::from_rgb(0xb8, 0x7a, 0x1a),
    fill_bad: Color32::from_rgb(0xcc, 0x48, 0x40),
    fill_none: Color32::from_rgb(0x88, 0x92, 0x9a),
    mark_bg: Color32::from_rgb(0xff, 0xe5, 0x8a),
    heat: [
        Color32::from_rgb(0xdc, 0xeb, 0xf5),
        Color32::from_rgb(0xb3, 0xd4, 0xea),
        Color32::from_rgb(0x6f, 0xa9, 0xd1),
        Color32::from_rgb(0x17, 0x5f, 0x95),
    ],
    drop_shade: Color32::from_rgba_premultiplied(0x90, 0x98, 0x9c, 0xc0),
    plot_first: Color32::from_rgb(0x0b, 0x57, 0x8e),
    plot_second: Color32::from_rgb(0xb4, 0x5a, 0x0a),
    plot_third: Color32::from_rgb(0x5d, 0x6a, 0x70),
    plot_band: Color32::from_rgba_premultiplied(0x05, 0x1c, 0x2c, 0x38),
    map_land: Color32::from_rgb(0xe2, 0xe5, 0xe3),
    map_least: Color32::from_rgb(0xa4, 0xcd, 0xe8),
    map_most: Color32::from_rgb(0x0b, 0x57, 0x8e),
};

/// Light on black, with edges and outlines in place of tints.
pub const HIGH_CONTRAST: Tokens = Tokens {
    page_bg: Color32::from_rgb(0x00, 0x00, 0x00),
    chrome_bg: Color32::from_rgb(0x00, 0x00, 0x00),
    raised_bg: Color32::from_rgb(0x0c, 0x0c, 0x0c),
    hover_bg: Color32::from_rgb(0x1f, 0x1f, 0x1f),
    chosen_bg: Color32::from_rgb(0x00, 0x3f, 0x7a),
    button_bg: Color32::from_rgb(0x00, 0x00, 0x00),
    button_hover_bg: Color32::from_rgb(0x1f, 0x1f, 0x1f),
    text: Color32::from_rgb(0xff, 0xff, 0xff),
    strong_text: Color32::from_rgb(0xff, 0xff, 0xff),
    weak_text: Color32::from_rgb(0xe6, 0xe6, 0xe6),
    faint_text: Color32::from_rgb(0xcf, 0xcf, 0xcf),
    accent: Color32::from_rgb(0x8f, 0xd0, 0xff),
    accept: Color32::from_rgb(0x7d, 0xff, 0xa0),
    flag: Color32::from_rgb(0xff, 0xd8, 0x4d),
    reject: Color32::from_rgb(0xff, 0xa3, 0x9b),
    primary_bg: Color32::from_rgb(0xff, 0xff, 0xff),
    primary_text: Color32::from_rgb(0x00, 0x00, 0x00),
    hairline: Color32::from_rgb(0x6a, 0x6a, 0x6a),
    border: Color32::from_rgb(0xff, 0xff, 0xff),
    field_edge: Color32::from_rgb(0xff, 0xff, 0xff),
    accept_bg: Color32::from_rgb(0x00, 0x30, 0x0f),
    flag_bg: Color32::from_rgb(0x33, 0x26, 0x00),
    reject_bg: Color32::from_rgb(0x40, 0x0b, 0x08),
    fill_ok: Color32::from_rgb(0x7d, 0xff, 0xa0),
    fill_flag: Color32::from_rgb(0xff, 0xd8, 0x4d),
    fill_bad: Color32::from_rgb(0xff, 0xa3, 0x9b),
    fill_none: Color32::from_rgb(0xb0, 0xb0, 0xb0),
    mark_bg: Color32::from_rgb(0x6b, 0x52, 0x00),
    heat: [
        Color32::from_rgb(0x00, 0x26, 0x4d),
        Color32::from_rgb(0x00, 0x40, 0x80),
        Color32::from_rgb(0x0a, 0x63, 0xb5),
        Color32::from_rgb(0x8f, 0xd0, 0xff),
    ],
    drop_shade: Color32::from_rgba_premultiplied(0x00, 0x00, 0x00, 0xd0),
    plot_first: Color32::from_rgb(0x8f, 0xd0, 0xff),
    plot_second: Color32::from_rgb(0xff, 0xb8, 0x6b),
    plot_third: Color32::from_rgb(0xcf, 0xcf, 0xcf),
    plot_band: Color32::from_rgba_premultiplied(0x1c, 0x2c, 0x38, 0x48),
    map_land: Color32::from_rgb(0x33, 0x33, 0x33),
    map_least: Color32::from_rgb(0x0a, 0x63, 0xb5),
    map_most: Color32::from_rgb(0x8f, 0xd0, 0xff),
};

impl Tokens {
    /// The ground of a cell of a matrix with this count, and the text on it; none where nothing is counted.
    pub fn heat_cell(&self, count: u64) -> Option<(Color32, Color32)> {
        let ground = match count {
            0 => return None,
            1..=9 => self.heat[0],
            10..=99 => self.heat[1],
            100..=999 => self.heat[2],
            1000.. => self.heat[3],
        };
        Some((ground, text_on(ground)))
    }
}

/// Ink on light grounds whose text is not a token.
const INK: Color32 = Color32::from_rgb(0x0b, 0x10, 0x13);

/// Whichever of white and ink reads better on this ground.
fn text_on(ground: Color32) -> Color32 {
    if contrast(Color32::WHITE, ground) >= contrast(INK, ground) { Color32::WHITE } else { INK }
}

/// Contrast of WCAG 2.2, from 1 to 21.
pub fn contrast(a: Color32, b: Color32) -> f32 {
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

/// The palettes; each has a page colour of its own, by which [`tokens`] finds the one in use.
const PALETTES: [&Tokens; 3] = [&DARK, &LIGHT, &HIGH_CONTRAST];

/// The colours of the theme in use.
pub fn tokens(ui: &egui::Ui) -> &'static Tokens {
    of_visuals(ui.visuals())
}

fn of_visuals(visuals: &Visuals) -> &'static Tokens {
    PALETTES.into_iter().find(|palette| palette.page_bg == visuals.panel_fill).unwrap_or(&DARK)
}

/// Whether edges and outlines stand in for tints.
pub fn is_high_contrast(ui: &egui::Ui) -> bool {
    tokens(ui).page_bg == HIGH_CONTRAST.page_bg
}

/// The outline of what is chosen, where a tint alone must not show it.
pub fn chosen_outline(ui: &egui::Ui) -> Stroke {
    if is_high_contrast(ui) { Stroke::new(RING, tokens(ui).border) } else { Stroke::NONE }
}

/// The line between the parts of the window.
pub fn part_line(ui: &egui::Ui) -> Stroke {
    let colors = tokens(ui);
    Stroke::new(1.0, if is_high_contrast(ui) { colors.border } else { colors.hairline })
}

/// The edge of a button, where its ground alone must not show it.
pub fn button_edge(ui: &egui::Ui) -> Stroke {
    if is_high_contrast(ui) { Stroke::new(1.0, tokens(ui).border) } else { Stroke::NONE }
}

/// The family of the heavier weight.
static STRONG: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from("strong"));

/// The heavier weight in this size: titles, totals, the primary button.
pub fn strong_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(STRONG.clone()))
}

/// Text in the heavier weight and in this size.
pub fn strong(text: impl Into<String>, size: f32) -> RichText {
    RichText::new(text).font(strong_font(size))
}

/// A caption or second line.
pub fn caption(text: impl Into<String>) -> RichText {
    RichText::new(text).size(CAPTION_TEXT)
}

/// Noto Sans in two weights in place of egui's font with one; what it lacks comes from egui's other fonts,
/// and then from the system.
fn fonts() -> FontDefinitions {
    const REPLACED: &str = "Ubuntu-Light";
    const REGULAR: &str = "NotoSans-Regular";
    const SEMI_BOLD: &str = "NotoSans-SemiBold";
    let mut fonts = FontDefinitions::default();
    fonts.font_data.remove(REPLACED);
    for (name, bytes) in [
        (REGULAR, &include_bytes!("../../assets/fonts/NotoSans-Regular.ttf")[..]),
        (SEMI_BOLD, &include_bytes!("../../assets/fonts/NotoSans-SemiBold.ttf")[..]),
    ] {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    for names in fonts.families.values_mut() {
        names.iter_mut().filter(|name| *name == REPLACED).for_each(|name| *name = REGULAR.to_owned());
    }
    let mut strong = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    strong.insert(0, SEMI_BOLD.to_owned());
    fonts.families.insert(FontFamily::Name(STRONG.clone()), strong);
    fonts
}

/// Fills the styles and fonts of a context, once.
pub fn install(ctx: &egui::Context) {
    ctx.add_plugin(super::bidi::ReadingOrder::default());
    ctx.set_fonts(fonts());
    controls::install(ctx);
    ctx.set_style_of(Theme::Light, style(&LIGHT, Visuals::light()));
    ctx.set_style_of(Theme::Dark, style(&DARK, Visuals::dark()));
}

/// Sets the palette. High contrast takes the place of the dark one while it is chosen.
pub fn choose(ctx: &egui::Context, choice: ThemeChoice) {
    let dark = if choice == ThemeChoice::HighContrast { &HIGH_CONTRAST } else { &DARK };
    if of_visuals(&ctx.style_of(Theme::Dark).visuals) != dark {
        ctx.style_mut_of(Theme::Dark, |of_dark| of_dark.visuals = visuals(dark, Visuals::dark()));
    }
    ctx.set_theme(match choice {
        ThemeChoice::System => egui::ThemePreference::System,
        ThemeChoice::Light => egui::ThemePreference::Light,
        ThemeChoice::Dark | ThemeChoice::HighContrast => egui::ThemePreference::Dark,
    });
}

/// Has nothing scroll by itself or spin, or as it is usual again. Leaves the styles alone while the
/// choice stays, so that others may set them.
pub fn reduce_motion(ctx: &egui::Context, is_reduced: bool) {
    let id = egui::Id::unique("whether motion is reduced");
    let before = ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or(id, false), is_reduced));
    if before == is_reduced {
        return;
    }
    let usual = Style::default();
    ctx.all_styles_mut(|style| {
        style.scroll_animation = if is_reduced { egui::style::ScrollAnimation::none() } else { usual.scroll_animation };
    });
}

/// Whether nothing moves by itself.
pub fn is_motion_reduced(ctx: &egui::Context) -> bool {
    ctx.data(|data| data.get_temp(egui::Id::unique("whether motion is reduced"))).unwrap_or(false)
}

fn visuals(tokens: &Tokens, mut visuals: Visuals) -> Visuals {
    let corner = CornerRadius::same(CORNER);
    visuals.panel_fill = tokens.page_bg;
    visuals.window_fill = tokens.raised_bg;
    visuals.window_stroke = Stroke::new(1.0, tokens.border);
    visuals.window_corner_radius = corner;
    visuals.menu_corner_radius = corner;
    visuals.extreme_bg_color = tokens.raised_bg;
    visuals.text_edit_bg_color = Some(tokens.raised_bg);
    visuals.faint_bg_color = tokens.hover_bg;
    visuals.code_bg_color = tokens.raised_bg;
    visuals.hyperlink_color = tokens.accent;
    visuals.warn_fg_color = tokens.flag;
    visuals.error_fg_color = tokens.reject;
    visuals.weak_text_color = Some(tokens.weak_text);
    visuals.selection.bg_fill = tokens.chosen_bg;
    visuals.selection.stroke = Stroke::new(1.0, tokens.strong_text);
    // A blinking cursor would have the window drawn twice a second.
    visuals.text_cursor.blink = false;
    visuals.text_cursor.stroke = Stroke::new(RING, tokens.accent);
    visuals.slider_trailing_fill = true;
    visuals.striped = false;
    let widgets = &mut visuals.widgets;
    for (state, fill, line, text) in [
        (&mut widgets.noninteractive, tokens.page_bg, tokens.hairline, tokens.text),
        (&mut widgets.inactive, tokens.button_bg, tokens.field_edge, tokens.text),
        (&mut widgets.hovered, tokens.button_hover_bg, tokens.weak_text, tokens.strong_text),
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
    visuals
}

fn style(tokens: &Tokens, of_theme: Visuals) -> Style {
    let mut style = Style { visuals: visuals(tokens, of_theme), ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, FontId::new(SMALL_TEXT, FontFamily::Proportional)),
        (TextStyle::Body, FontId::new(BODY_TEXT, FontFamily::Proportional)),
        (TextStyle::Button, FontId::new(BODY_TEXT, FontFamily::Proportional)),
        (TextStyle::Heading, strong_font(TITLE_TEXT)),
        (TextStyle::Monospace, FontId::new(CODE_TEXT, FontFamily::Monospace)),
    ]
    .into();
    // A row of a scrolled table may lie on a part of a pixel; what is painted is rounded to whole ones all
    // the same. Builds for development would paint a mark over each such row.
    #[cfg(debug_assertions)]
    {
        style.debug.show_unaligned = false;
    }
    style.spacing.item_spacing = Vec2::new(GAP, 6.0);
    style.spacing.button_padding = Vec2::new(BUTTON_PAD, 4.0);
    style.spacing.interact_size.y = CONTROL;
    style.spacing.menu_margin = Margin::same(8);
    style.spacing.window_margin = Margin::same(16);
    style.spacing.scroll = egui::style::ScrollStyle::solid();
    // Folds and menus open at once.
    style.animation_time = 0.0;
    style.interaction.tooltip_delay = 0.4;
    style
}

/// Behind a page.
pub fn page_frame(ui: &egui::Ui) -> egui::Frame {
    egui::Frame::new().fill(tokens(ui).page_bg).inner_margin(Margin::symmetric(PAGE_MARGIN as i8, PAGE_TOP as i8))
}

/// Behind the lower panel.
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
    message_frame(ui).fill(tokens(ui).reject_bg)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The palettes of section 3 of the look, dark, light and high contrast: a floor of the contrast of
    /// each colour there is one for.
    #[test]
    fn every_text_can_be_read_on_every_ground() {
        let floor = |color: Color32, ground: Color32, least: f32, what: &str| {
            let reached = contrast(color, ground);
            assert!(reached >= least - 0.05, "{what}: {color:?} on {ground:?} has {reached}, not {least}");
        };
        // Of texts, and of what else has a ground of its own.
        type Floors = ([f32; 8], [f32; 6]);
        let palettes: [(&Tokens, Floors); 3] = [
            (&DARK, ([7.5, 9.8, 4.6, 4.6, 5.0, 5.5, 5.6, 4.6], [5.0, 3.2, 6.6, 3.4, 6.6, 6.0])),
            (&LIGHT, ([12.1, 15.9, 5.4, 5.1, 5.8, 5.0, 5.4, 5.6], [7.6, 3.5, 5.6, 3.1, 12.7, 6.8])),
            (&HIGH_CONTRAST, ([10.5, 10.5, 8.4, 10.6, 6.3, 8.4, 7.6, 5.5], [21.0, 19.6, 8.6, 9.0, 7.4, 6.1])),
        ];
        for (tokens, (floors, [primary, field, state, fill, mark, heat])) in palettes {
            let plain = [tokens.page_bg, tokens.chrome_bg, tokens.raised_bg, tokens.hover_bg];
            let grounds = [&plain[..], &[tokens.chosen_bg, tokens.button_bg]].concat();
            let texts = [
                (tokens.text, &grounds[..], "text"),
                (tokens.strong_text, &grounds, "strong"),
                (tokens.weak_text, &grounds, "weak"),
                (tokens.faint_text, &plain, "faint"),
                (tokens.accent, &grounds, "accent"),
                (tokens.accept, &grounds, "accept"),
                (tokens.flag, &grounds, "flag"),
                (tokens.reject, &grounds, "reject"),
            ];
            for ((text, grounds, what), least) in texts.into_iter().zip(floors) {
                grounds.iter().for_each(|ground| floor(text, *ground, least, what));
            }
            floor(tokens.primary_text, tokens.primary_bg, primary, "primary");
            for ground in [tokens.page_bg, tokens.raised_bg] {
                floor(tokens.field_edge, ground, field, "field");
                for bar in [tokens.fill_ok, tokens.fill_flag, tokens.fill_bad, tokens.fill_none] {
                    floor(bar, ground, fill, "fill");
                }
            }
            for (text, ground) in
                [(tokens.accept, tokens.accept_bg), (tokens.flag, tokens.flag_bg), (tokens.reject, tokens.reject_bg)]
            {
                floor(text, ground, state, "state on its ground");
                floor(tokens.text, ground, 4.5, "text on the ground of a state");
            }
            floor(tokens.text, tokens.mark_bg, mark, "mark");
            for count in [1, 10, 100, 1000] {
                let (ground, text) = tokens.heat_cell(count).unwrap();
                floor(text, ground, heat, "heat");
            }
            // What is pressed, under the pointer.
            for text in [tokens.text, tokens.strong_text] {
                floor(text, tokens.button_hover_bg, 4.5, "pressed");
            }
        }
    }

    #[test]
    fn both_weights_have_the_letters_of_latin_greek_and_cyrillic_and_digits_of_one_width() {
        let ctx = egui::Context::default();
        install(&ctx);
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            for font in [FontId::proportional(BODY_TEXT), strong_font(BODY_TEXT)] {
                let width =
                    |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x;
                assert!(('1'..='9').all(|digit| width(&digit.to_string()) == width("0")), "{font:?}");
                assert!(ui.fonts_mut(|fonts| fonts.has_glyphs(&font, "ãçğőšžΑώжЩ–−…×·ºª«»€")), "{font:?}");
            }
        });
        output.textures_delta.clear();
    }

    #[test]
    fn high_contrast_is_a_palette_of_its_own_and_goes_again() {
        let ctx = egui::Context::default();
        install(&ctx);
        for (choice, expected) in [
            (ThemeChoice::HighContrast, &HIGH_CONTRAST),
            (ThemeChoice::Dark, &DARK),
            (ThemeChoice::Light, &LIGHT),
            (ThemeChoice::HighContrast, &HIGH_CONTRAST),
        ] {
            choose(&ctx, choice);
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| assert_eq!(tokens(ui), expected));
            output.textures_delta.clear();
        }
    }
}
