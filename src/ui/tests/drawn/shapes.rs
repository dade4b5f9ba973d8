//! What was painted as lines of text, for tests that compare it with what was painted before.

use egui::epaint::ClippedShape;
use egui::{Color32, Rect, Shape};
use std::fmt::Write;

/// Calls `each` with every shape that is no group of others, and what cuts it.
pub(super) fn each_shape(shapes: &[ClippedShape], each: &mut impl FnMut(Rect, &Shape)) {
    fn add(clip: Rect, shape: &Shape, each: &mut impl FnMut(Rect, &Shape)) {
        match shape {
            Shape::Vec(parts) => parts.iter().for_each(|part| add(clip, part, each)),
            shape => each(clip, shape),
        }
    }
    shapes.iter().for_each(|clipped| add(clipped.clip_rect, &clipped.shape, each));
}

/// The place of a shape that is described.
pub(super) fn place_of(shape: &Shape) -> Rect {
    match shape {
        Shape::Text(text) => text.visual_bounding_rect(),
        shape => shape.visual_bounding_rect(),
    }
}

/// A shape in a line: kind, place and size in points, colours, text; none where nothing is seen of it.
pub(super) fn line_of(shape: &Shape) -> Option<String> {
    let hex = |color: Color32| format!("{:02x}{:02x}{:02x}{:02x}", color.r(), color.g(), color.b(), color.a());
    let mut line = String::new();
    let _ = match shape {
        Shape::Rect(part) if part.rect.is_positive() => {
            let (at, size) = (part.rect.min, part.rect.size());
            let edge = if part.stroke.is_empty() { String::new() } else { hex(part.stroke.color) };
            write!(line, "rect {:.0} {:.0} {:.0} {:.0} {} {edge}", at.x, at.y, size.x, size.y, hex(part.fill))
        }
        Shape::Text(part) if !part.galley.text().trim().is_empty() => {
            let color = part.override_text_color.unwrap_or(part.fallback_color);
            let first = part.galley.job.sections.first().map_or(color, |section| section.format.color);
            let color = if first == Color32::PLACEHOLDER { color } else { first };
            write!(line, "text {:.0} {:.0} {} {}", part.pos.x, part.pos.y, hex(color), part.galley.text())
        }
        Shape::LineSegment { points: [from, to], stroke } => {
            write!(line, "line {:.0} {:.0} {:.0} {:.0} {}", from.x, from.y, to.x, to.y, hex(stroke.color))
        }
        _ => return None,
    };
    Some(line)
}

/// What was painted, a line each.
pub(super) fn lines(shapes: &[ClippedShape]) -> String {
    let mut text = String::new();
    each_shape(shapes, &mut |_, shape| {
        if let Some(line) = line_of(shape) {
            text += &line;
            text.push('\n');
        }
    });
    text
}
