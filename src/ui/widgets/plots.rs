//! The frame of plots: title and legend above, few lines across, time below, and one line of text
//! where there is nothing to draw.

use super::hair;
use crate::ui::theme::{self, tokens};
use egui::{Align, Color32, Layout, Rangef, RichText, Sense, Stroke, Ui, vec2};
use egui_plot::{AxisHints, Plot};

/// Thickness of the lines of a plot.
pub const PLOT_LINE: f32 = 1.5;
/// Part of a colour that fills the area below a line.
const FILL: f32 = 0.14;
/// Most lines across a plot.
const LINES: f64 = 5.0;

/// Points between labels of the axes, at least.
const X_LABELS: f32 = 40.0;
const Y_LABELS: f32 = 12.0;

/// The colour of the area below a line of this colour.
pub fn plot_fill(color: Color32) -> Color32 {
    color.gamma_multiply(FILL)
}

/// The upper end of a scale from 0 that takes `most`, and the distance of its three to five lines:
/// 1, 2 or 5 of a power of ten.
pub fn round_scale(most: f64) -> (f64, f64) {
    if !most.is_finite() || most <= 0.0 {
        return (1.0, 0.5);
    }
    let rough = most / LINES;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|by| by * power).find(|step| *step >= rough).unwrap_or(power);
    ((most / step).ceil() * step, step)
}

/// The head of a plot, which folds it: title with its unit, and the series with their colours at the
/// right, never on the data. Whether it is open.
pub fn plot_head_ui(ui: &mut Ui, title: &str, series: &[(&str, Color32)]) {
    ui.horizontal(|ui| {
        let heading = ui.label(theme::strong(title, theme::SMALL_TEXT).color(tokens(ui).strong_text));
        crate::ui::access::mark_heading(&heading, title);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (name, color) in series.iter().rev() {
                ui.label(RichText::new(*name).size(theme::CAPTION_TEXT).color(tokens(ui).weak_text));
                let (dash, _) = ui.allocate_exact_size(vec2(theme::LABEL_GAP, 3.0), Sense::hover());
                ui.painter().rect_filled(dash, 1.0, *color);
            }
        });
    });
}

/// The one line in the place of a plot that has nothing to show yet.
pub fn no_plot_ui(ui: &mut Ui, when: &str) {
    ui.label(RichText::new(when).size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
}

/// A plot from 0 to a round number, with lines across and none along, that nothing drags or zooms.
pub fn framed_plot<'a>(id: impl egui::AsIdSalt, height: f32, most: f64) -> Plot<'a> {
    let (top, step) = round_scale(most);
    Plot::new(id)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_background(false)
        .show_grid([false, true])
        .set_margin_fraction(vec2(0.0, 0.02))
        // Labels that there is room for are as dark as any.
        .custom_x_axes(vec![AxisHints::new_x().label_spacing(Rangef::new(X_LABELS, X_LABELS + 1.0))])
        .custom_y_axes(vec![AxisHints::new_y().label_spacing(Rangef::new(Y_LABELS, Y_LABELS + 1.0))])
        .include_y(0.0)
        .include_y(top)
        .y_grid_spacer(move |_| {
            let lines = (top / step).round() as usize;
            (0..=lines).map(|at| egui_plot::GridMark { value: at as f64 * step, step_size: step }).collect()
        })
}

/// Draws a plot with the lines and labels of the house.
pub fn in_plot_style<R>(ui: &mut Ui, draw: impl FnOnce(&mut Ui) -> R) -> R {
    let drawn = ui.scope(|ui| {
        let colors = tokens(ui);
        let line = Stroke::new(hair(ui), colors.hairline);
        ui.visuals_mut().widgets.noninteractive.bg_stroke = line;
        ui.visuals_mut().override_text_color = Some(colors.weak_text);
        ui.style_mut().override_font_id = Some(egui::FontId::proportional(theme::CAPTION_TEXT));
        draw(ui)
    });
    drawn.inner
}

#[cfg(test)]
mod tests {
    use super::round_scale;

    #[test]
    fn scales_end_at_a_round_number_with_three_to_five_lines() {
        for (most, top, step) in [
            (7_300.0, 8_000.0, 2_000.0),
            (3.0, 3.0, 1.0),
            (24.0, 25.0, 5.0),
            (1.0, 1.0, 0.2),
            (0.0, 1.0, 0.5),
            (f64::NAN, 1.0, 0.5),
        ] {
            let (found, distance) = round_scale(most);
            assert!((found - top).abs() < 1e-9 && (distance - step).abs() < 1e-9, "{most}: {found} by {distance}");
        }
        for most in 1..20_000 {
            let (top, step) = round_scale(f64::from(most));
            assert!(top >= f64::from(most) && (2.0..=5.5).contains(&(top / step)), "{most}: {top} by {step}");
        }
    }
}
