//! When entities and terms are spoken of: a small plot in a row, and terms beside each other.

use crate::app::AppState;
use crate::app::models::{PeriodCount, TermOverTime};
use crate::ui::access::name_node;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{PLOT_LINE, framed_plot, in_plot_style, loaded_ui, plot_head_ui};
use egui::accesskit::Role;
use egui::{Color32, Rect, Sense, Ui, pos2, vec2};
use egui_plot::{GridMark, Line, PlotPoints, Points};

/// Terms that are drawn beside each other.
pub const MOST_TERMS: usize = 3;
/// Bars of a row, at most.
const MOST_BARS: usize = 24;
/// Radius of a month of a term.
const POINT: f32 = 3.0;
/// Distance of the pointer from a month that it chooses, at most.
const NEAR: f32 = 12.0;

/// A month, as `2024-06`, from 12 × year + month from 0.
fn month_name(month: u32) -> String {
    format!("{:04}-{:02}", month / 12, month % 12 + 1)
}

/// The month with the most pages, of several the last; the text of a trend.
pub fn peak_of(months: &[[u32; 2]]) -> String {
    months
        .iter()
        .max_by_key(|[month, pages]| (*pages, *month))
        .map_or_else(String::new, |[month, _]| month_name(*month))
}

/// The first and the last month of some rows.
pub fn span_of<'m>(rows: impl Iterator<Item = &'m [[u32; 2]]>) -> [u32; 2] {
    let ends = rows.filter_map(|months| Some([months.first()?[0], months.last()?[0]]));
    ends.reduce(|[first, last], [a, b]| [first.min(a), last.max(b)]).unwrap_or_default()
}

/// Draws pages by month within a span as bars in the cell of a row.
pub fn trend_ui(ui: &mut Ui, months: &[[u32; 2]], [first, last]: [u32; 2]) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ui.available_height()), Sense::hover());
    let rect = rect.shrink2(vec2(theme::CELL_PAD, theme::TIGHT_GAP / 2.0));
    let count = (last.saturating_sub(first) as usize + 1).min(MOST_BARS);
    let mut bars = vec![0_u64; count];
    for [month, pages] in months {
        let at = month.saturating_sub(first) as usize * count / (last.saturating_sub(first) as usize + 1);
        if let Some(bar) = bars.get_mut(at) {
            *bar += u64::from(*pages);
        }
    }
    let most = bars.iter().copied().max().unwrap_or_default().max(1) as f32;
    let (width, color) = (rect.width() / count as f32, tokens(ui).accent);
    for (at, pages) in bars.iter().enumerate().filter(|(_, pages)| **pages > 0) {
        let left = rect.left() + at as f32 * width;
        let top = rect.bottom() - (rect.height() * *pages as f32 / most).max(1.0);
        let bar = Rect::from_min_max(pos2(left, top), pos2(left + (width - 1.0).max(1.0), rect.bottom()));
        ui.painter().rect_filled(bar, 0.0, color);
    }
    let month =
        |[month, pages]: &[u32; 2]| format!("{} {}", month_name(*month), text::counted((*pages).into(), "page"));
    let name = months.iter().map(month).collect::<Vec<_>>().join(", ");
    name_node(&response, Role::Label, &name);
    response.on_hover_text(name);
}

/// The place of a month on the axis.
fn place_of(period: &PeriodCount) -> Option<f64> {
    let (year, month) = period.period.split_once('-')?;
    Some((year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()?.saturating_sub(1)).into())
}

/// Draws terms by month of capture, a line each; a term with a month that a click chose.
pub fn terms_over_time_ui(ui: &mut Ui, app: &mut AppState, terms: &[String]) -> Option<(String, String)> {
    let answer = app.reads.terms_over_time(terms.to_vec());
    let mut chosen = None;
    loaded_ui(ui, &answer, |ui, of: &Vec<TermOverTime>| chosen = lines_ui(ui, of));
    chosen
}

fn lines_ui(ui: &mut Ui, of: &[TermOverTime]) -> Option<(String, String)> {
    let colors = tokens(ui);
    let shades: [Color32; MOST_TERMS] = [colors.plot_first, colors.plot_second, colors.accept];
    let short: Vec<String> = of.iter().map(|of| text::short(&of.term, 30).to_string()).collect();
    let series: Vec<(&str, Color32)> = short.iter().map(String::as_str).zip(shades).collect();
    plot_head_ui(ui, "Captures by month", &series);
    let most = of.iter().flat_map(|of| &of.months).map(|month| month.count).max().unwrap_or_default();
    let placed: Vec<(&TermOverTime, Vec<[f64; 2]>)> = of
        .iter()
        .map(|of| (of, of.months.iter().filter_map(|month| Some([place_of(month)?, month.count as f64])).collect()))
        .collect();
    let ends = placed.iter().filter_map(|(_, points)| Some([points.first()?[0], points.last()?[0]]));
    let [first, last] = ends.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]).unwrap_or_default();
    // A month without captures is a zero of the line.
    let line_of = |points: &[[f64; 2]]| -> Vec<[f64; 2]> {
        let count =
            |month: f64| points.iter().find(|[at, _]| (at - month).abs() < 0.5).map_or(0.0, |[_, count]| *count);
        (first as u32..=last as u32).map(|month| [month.into(), count(month.into())]).collect()
    };
    let label = |mark: GridMark, _: &std::ops::RangeInclusive<f64>| match mark.value.fract().abs() > 1e-9 {
        true => String::new(),
        false => month_name(mark.value.max(0.0) as u32),
    };
    let drawn = in_plot_style(ui, |ui| {
        framed_plot("terms over time", theme::PLOT, most.max(4) as f64).x_axis_formatter(label).show(ui, |plot| {
            for ((of, points), color) in placed.iter().zip(shades) {
                plot.line(Line::new(of.term.clone(), line_of(points)).color(color).width(PLOT_LINE));
                plot.points(Points::new(of.term.clone(), PlotPoints::from(points.clone())).color(color).radius(POINT));
            }
        })
    });
    let response = drawn.response.interact(Sense::click()).on_hover_text("Click a point to show its captures");
    name_node(&response, Role::Canvas, "Terms over time");
    let pointer = response.interact_pointer_pos().filter(|_| response.clicked())?;
    let at =
        |[x, y]: &[f64; 2]| drawn.transform.position_from_point(&egui_plot::PlotPoint::new(*x, *y)).distance(pointer);
    let points = placed.iter().flat_map(|(of, points)| points.iter().map(move |point| (*of, point)));
    let (of, point) = points.min_by(|(_, a), (_, b)| at(a).total_cmp(&at(b))).filter(|(_, point)| at(point) <= NEAR)?;
    Some((of.term.clone(), month_name(point[0] as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_names_its_peak_and_rows_share_a_span() {
        let may = 2024 * 12 + 4;
        assert_eq!(peak_of(&[[may, 3], [may + 8, 3], [may + 9, 1]]), "2025-01");
        assert_eq!(peak_of(&[]), "");
        let rows: [&[[u32; 2]]; 3] = [&[[may, 3]], &[], &[[may - 2, 1], [may + 8, 3]]];
        assert_eq!(span_of(rows.into_iter()), [may - 2, may + 8]);
    }
}
