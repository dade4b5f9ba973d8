//! Lines of Hebrew and Arabic in the order in which they are read (UAX 9).
//!
//! egui shapes a word of such a script from right to left, but puts words in
//! the order in which they are stored. [`ReadingOrder`] moves what egui has
//! laid out just before it is drawn, row by row, so that wrapped text is right
//! too, and a screen reader and the clipboard still get the text as it is
//! stored. The field that has the keyboard stays as egui laid it out, since its
//! cursor is there.

use egui::epaint::text::{Galley, Glyph, Row};
use egui::{Context, FullOutput, Rect, Shape};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// Puts text into reading order as it is drawn.
#[derive(Default)]
pub struct ReadingOrder {
    /// Texts of the last frame by their address: those with lines to reorder, and long ones.
    reordered: HashMap<usize, Reordered>,
}

struct Reordered {
    /// Kept, so that its address is not given to another.
    laid_out: Arc<Galley>,
    /// None where it is drawn as it is laid out.
    drawn: Option<Arc<Galley>>,
    in_use: bool,
}

/// Bytes of a text that is not looked through again with each frame.
const LONG: usize = 1 << 10;

impl egui::Plugin for ReadingOrder {
    fn debug_name(&self) -> &'static str {
        "reading order"
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        // A widget whose response is read gives the keyboard up when a click was elsewhere.
        let field = ctx.memory(|memory| memory.focused()).filter(|_| ctx.text_edit_focused());
        let field = field.and_then(|id| ctx.viewport(|viewport| Some(viewport.this_pass.widgets.get(id)?.rect)));
        let field = field.unwrap_or(Rect::NOTHING);
        self.reordered.values_mut().for_each(|text| text.in_use = false);
        output.shapes.iter_mut().for_each(|shape| self.visit(&mut shape.shape, field));
        self.reordered.retain(|_, text| text.in_use);
    }
}

impl ReadingOrder {
    fn visit(&mut self, shape: &mut Shape, field: Rect) {
        match shape {
            Shape::Vec(shapes) => shapes.iter_mut().for_each(|shape| self.visit(shape, field)),
            Shape::Text(text) if !field.contains(text.pos) => {
                if text.galley.text().len() < LONG && !is_right_to_left(text.galley.text()) {
                    return;
                }
                let known = self.reordered.entry(Arc::as_ptr(&text.galley) as usize).or_insert_with(|| Reordered {
                    laid_out: Arc::clone(&text.galley),
                    drawn: is_right_to_left(text.galley.text()).then(|| Arc::new(in_reading_order(&text.galley))),
                    in_use: true,
                });
                known.in_use = true;
                debug_assert!(Arc::ptr_eq(&known.laid_out, &text.galley));
                if let Some(drawn) = &known.drawn {
                    text.galley = Arc::clone(drawn);
                }
            }
            _ => {}
        }
    }
}

/// Whether some of it is written, or shaped by egui, from right to left.
fn is_right_to_left(text: &str) -> bool {
    // No such letter begins with a lower byte.
    let mut begins = text.bytes().enumerate().filter(|(_, byte)| *byte >= 0xd6);
    begins.any(|(at, _)| text.get(at..).and_then(|rest| rest.chars().next()).is_some_and(is_shaped))
}

fn is_shaped(char: char) -> bool {
    matches!(bidi_class(char), BidiClass::R | BidiClass::AL | BidiClass::AN)
}

fn is_digit(char: char) -> bool {
    matches!(bidi_class(char), BidiClass::AN | BidiClass::EN)
}

/// Whether a character is of a block of such a script: no font of egui has
/// it, so that it is shaped with its neighbours of those blocks and no others.
fn is_of_script(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Brackets and quotation marks that are mirrored from right to left.
fn is_mirrored(char: char) -> bool {
    matches!(char, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '«' | '»' | '‹' | '›')
}

/// A character of the text with its level, and the level of its paragraph.
#[derive(Clone, Copy)]
struct Leveled {
    char: char,
    level: Level,
    paragraph: Level,
}

/// Glyphs of a row that are moved together, in the order of the text.
#[derive(Debug, Clone, PartialEq)]
struct Unit {
    glyphs: Range<usize>,
    level: Level,
    is_space: bool,
    is_mirrored: bool,
}

/// The text with each row in the order in which it is read. A row whose glyphs
/// are not those of its characters stays as it is, and those after it.
fn in_reading_order(galley: &Galley) -> Galley {
    let text = galley.text();
    let info = BidiInfo::new(text, None);
    let mut leveled = Vec::with_capacity(text.len() / 2);
    for paragraph in &info.paragraphs {
        let chars = text[paragraph.range.clone()].char_indices();
        leveled.extend(chars.map(|(at, char)| Leveled {
            char,
            level: info.levels[paragraph.range.start + at],
            paragraph: paragraph.level,
        }));
    }
    let mut galley = galley.clone();
    let mut rest = &leveled[..];
    for placed in &mut galley.rows {
        let Some((units, read)) = units_of(&placed.row.glyphs, rest) else { break };
        if let Some(order) = visual_order(&units, rest.first().map_or(Level::ltr(), |first| first.paragraph)) {
            arrange(Arc::make_mut(&mut placed.row), &units, &order);
        }
        rest = rest.get(read + usize::from(placed.ends_with_newline)..).unwrap_or_default();
    }
    galley
}

/// The glyphs of a row as units, and how many of these characters they are;
/// none where they are others.
fn units_of(glyphs: &[Glyph], text: &[Leveled]) -> Option<(Vec<Unit>, usize)> {
    let (mut units, mut at, mut read) = (Vec::new(), 0, 0);
    while let Some(glyph) = glyphs.get(at) {
        let here = text.get(read);
        match here {
            Some(here) if is_of_script(here.char) && is_of_script(glyph.chr) => {
                let len = glyphs[at..].iter().take_while(|glyph| is_of_script(glyph.chr)).count();
                let chars = text[read..].iter().take_while(|char| is_of_script(char.char)).count();
                units.extend(shaped_units(&glyphs[at..at + len], at, &text[read..read + chars]));
                (at, read) = (at + len, read + chars);
            }
            Some(here) if here.char == glyph.chr => {
                units.push(Unit {
                    glyphs: at..at + 1,
                    level: here.level,
                    is_space: here.char.is_whitespace(),
                    is_mirrored: here.level.is_rtl() && is_mirrored(here.char),
                });
                (at, read) = (at + 1, read + 1);
            }
            // The sign for the rest of a text that is cut.
            _ if at + 1 == glyphs.len() => {
                let level = text.first().map_or(Level::ltr(), |first| first.paragraph);
                units.push(Unit { glyphs: at..at + 1, level, is_space: false, is_mirrored: false });
                at += 1;
            }
            _ => return None,
        }
    }
    Some((units, read))
}

/// The units of characters that were shaped together, from right to left: the
/// last come first, digits too.
fn shaped_units(glyphs: &[Glyph], first: usize, text: &[Leveled]) -> Vec<Unit> {
    let unit = |glyphs: Range<usize>, level| Unit {
        glyphs: first + glyphs.start..first + glyphs.end,
        level,
        is_space: false,
        is_mirrored: false,
    };
    // Glyphs without width or picture stand for characters of a ligature.
    let is_filler = |glyph: &Glyph| glyph.advance_width == 0.0 && glyph.uv_rect.is_nothing();
    let mut parts: Vec<(bool, Range<usize>)> = Vec::new();
    for (at, glyph) in glyphs.iter().enumerate() {
        let digit = is_digit(glyph.chr);
        match parts.last_mut() {
            Some((_, part)) if is_filler(glyph) => part.end = at + 1,
            // Digits are in their own order, so each is moved by itself.
            Some((false, part)) if !digit => part.end = at + 1,
            _ => parts.push((digit, at..at + 1)),
        }
    }
    parts.reverse();
    let mut levels = text.iter().filter(|char| is_digit(char.char)).map(|char| char.level);
    let letters = text.iter().find(|char| !is_digit(char.char)).map(|char| char.level);
    let of_text = text.first().map_or(Level::ltr(), |first| first.level);
    let level = |digit: bool| if digit { levels.next() } else { letters }.unwrap_or(of_text);
    let levels: Vec<Level> = parts.iter().map(|(digit, _)| *digit).map(level).collect();
    parts.into_iter().zip(levels).map(|((_, part), level)| unit(part, level)).collect()
}

/// The units as they are seen from the left (rules L1 and L2); none where that
/// is the order they have.
fn visual_order(units: &[Unit], paragraph: Level) -> Option<Vec<usize>> {
    let mut levels: Vec<Level> = units.iter().map(|unit| unit.level).collect();
    for (unit, level) in units.iter().zip(&mut levels).rev() {
        if !unit.is_space {
            break;
        }
        *level = paragraph;
    }
    let order = BidiInfo::reorder_visual(&levels);
    // What was shaped from right to left lies the other way round than its text.
    let is_in_place = units.is_sorted_by_key(|unit| unit.glyphs.start);
    let is_new = !order.is_sorted() || !is_in_place || units.iter().any(|unit| unit.is_mirrored);
    is_new.then_some(order)
}

/// Moves the glyphs of a row, and what is drawn of them.
fn arrange(row: &mut Row, units: &[Unit], order: &[usize]) {
    let begin = |unit: &Unit| row.glyphs[unit.glyphs.start].pos.x;
    // Where units begin in memory is not where they begin on the screen.
    let mut by_place: Vec<usize> = (0..units.len()).collect();
    by_place.sort_by_key(|unit| units[*unit].glyphs.start);
    let end_of_row = row.glyphs.last().map_or(0.0, Glyph::max_x);
    let mut spans = vec![(0.0, 0.0); units.len()];
    for (place, unit) in by_place.iter().enumerate() {
        let end = by_place.get(place + 1).map_or(end_of_row, |next| begin(&units[*next]));
        spans[*unit] = (begin(&units[*unit]), end);
    }
    let mut x = by_place.first().map_or(0.0, |first| spans[*first].0);
    for unit in order {
        let ((from, to), unit) = (spans[*unit], &units[*unit]);
        for glyph in &mut row.glyphs[unit.glyphs.clone()] {
            glyph.pos.x += x - from;
            if glyph.uv_rect.is_nothing() {
                continue;
            }
            let first = glyph.first_vertex as usize;
            for vertex in row.visuals.mesh.vertices.get_mut(first..first + 4).into_iter().flatten() {
                let within = vertex.pos.x - from;
                vertex.pos.x = x + if unit.is_mirrored { to - from - within } else { within };
            }
        }
        x += to - from;
    }
}

#[cfg(test)]
#[path = "bidi_tests.rs"]
mod tests;
