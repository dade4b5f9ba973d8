//! The shared widgets as they are painted: a change of one is seen here before it is on every page.

use crate::app::{Settings, ThemeChoice};
use crate::ui::widgets::Gallery;
use egui::{Color32, Shape};
use egui_kittest::Harness;
use std::fmt::Write;
use std::sync::Arc;

/// What was painted, a line each: kind, place and size in points, colours, text.
fn painted(shapes: &[egui::epaint::ClippedShape]) -> String {
    fn add(shape: &Shape, text: &mut String) {
        let hex = |color: Color32| format!("{:02x}{:02x}{:02x}{:02x}", color.r(), color.g(), color.b(), color.a());
        let _ = match shape {
            Shape::Vec(parts) => return parts.iter().for_each(|part| add(part, text)),
            Shape::Rect(part) if part.rect.is_positive() => {
                let (at, size) = (part.rect.min, part.rect.size());
                let edge = if part.stroke.is_empty() { String::new() } else { hex(part.stroke.color) };
                writeln!(text, "rect {:.0} {:.0} {:.0} {:.0} {} {edge}", at.x, at.y, size.x, size.y, hex(part.fill))
            }
            Shape::Text(part) if !part.galley.text().trim().is_empty() => {
                let color = part.override_text_color.unwrap_or(part.fallback_color);
                let first = part.galley.job.sections.first().map_or(color, |section| section.format.color);
                let color = if first == Color32::PLACEHOLDER { color } else { first };
                writeln!(text, "text {:.0} {:.0} {} {}", part.pos.x, part.pos.y, hex(color), part.galley.text())
            }
            Shape::LineSegment { points: [from, to], stroke } => {
                writeln!(text, "line {:.0} {:.0} {:.0} {:.0} {}", from.x, from.y, to.x, to.y, hex(stroke.color))
            }
            _ => Ok(()),
        };
    }
    let mut text = String::new();
    shapes.iter().for_each(|clipped| add(&clipped.shape, &mut text));
    text
}

#[test]
fn widgets_are_painted_as_they_were() {
    for (name, theme) in
        [("dark", ThemeChoice::Dark), ("light", ThemeChoice::Light), ("contrast", ThemeChoice::HighContrast)]
    {
        let mut gallery = Gallery::new(Arc::new(|| {})).unwrap();
        gallery.app_mut().settings = Settings { theme, ..Settings::default() };
        let mut harness = Harness::builder()
            .with_size(egui::vec2(1280.0, 800.0))
            .with_context_setup(move |ctx| {
                crate::ui::theme::install(ctx);
                crate::ui::theme::choose(ctx, theme);
                ctx.all_styles_mut(|style| style.animation_time = 0.0);
            })
            .build_ui_state(|ui, gallery: &mut Gallery| gallery.ui(ui), gallery);
        harness.run_steps(4);
        let text = painted(&harness.output().shapes);
        assert!(text.contains("Review 214") && text.contains("Turn the seed off"), "{text}");
        insta::assert_snapshot!(name, text);
    }
}
