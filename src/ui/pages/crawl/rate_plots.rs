//! Figures of a crawl as plots, each with the same as text.

use crate::app::models::{CrawlPage, LaunchState};
use crate::ui::access::name_node;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{PLOT_LINE, framed_plot, in_plot_style, no_plot_ui, plot_head_ui};
use egui::Ui;
use egui::accesskit::Role;
use egui_plot::{Bar, BarChart, FilledArea, Line, PlotPoints};

/// Most types that are listed.
const TYPES_SHOWN: usize = 6;
/// Samples that the present rate is taken from: five seconds of two a second.
const RATE_SAMPLES: usize = 10;
/// Distance of the bars at which the labels below them are drawn at full strength.
const CLASS_STEP: f64 = 1000.0;
const CLASSES: [&str; 5] = ["2xx", "3xx", "4xx", "5xx", "failed"];

/// The forecast of the end by the samples, with its basis.
pub fn forecast(page: &CrawlPage) -> String {
    let running = page.launch.as_ref().is_some_and(|launch| launch.state == LaunchState::Running);
    let Some((last, first)) = page
        .samples
        .last()
        .zip(page.samples.len().checked_sub(RATE_SAMPLES))
        .and_then(|(last, index)| page.samples.get(index).map(|first| (last, first)))
    else {
        return String::new();
    };
    let seconds = last.seconds - first.seconds;
    if !running || seconds <= 0.0 {
        return String::new();
    }
    let done = last.done.saturating_sub(first.done) as f64 / seconds;
    let found = last.found.saturating_sub(first.found) as f64 / seconds;
    let left = last.found.saturating_sub(last.done) as f64;
    if done <= found {
        format!("{done:.1} URLs/s; the queue is growing, no forecast")
    } else {
        format!("{done:.1} URLs/s; about {} left", text::duration(left / (done - found)))
    }
}

/// Found against done, bytes a second, status classes, types; of one launch, or of all.
pub fn plots_ui(ui: &mut Ui, page: &CrawlPage, shows_all: bool) {
    ui.columns(3, |columns| {
        if let [first, second, third] = columns {
            classes_ui(first, page);
            if page.samples.len() < 2 {
                no_plot_ui(second, if shows_all { OF_ONE_LAUNCH } else { NO_SAMPLES });
                return;
            }
            progress_ui(second, page);
            rate_ui(third, page);
        }
    });
    let types: Vec<String> = page
        .types
        .iter()
        .take(TYPES_SHOWN)
        .map(|(mime, count, bytes)| {
            format!("{} {} ({})", text::short(mime, 40), text::count(*count), text::bytes(*bytes))
        })
        .collect();
    if !types.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.weak("Types");
            ui.label(types.join("   "));
        });
    }
}

/// What stands in the place of a plot that has too few samples.
const NO_SAMPLES: &str = "Discovered, finished and bytes per second were not recorded for this launch";
const OF_ONE_LAUNCH: &str = "Discovered, finished and bytes per second are drawn for one launch";

fn progress_ui(ui: &mut Ui, page: &CrawlPage) {
    let colors = tokens(ui);
    let series = [("discovered", colors.plot_second), ("finished", colors.plot_first)];
    plot_head_ui(ui, "Discovered and finished", &series);
    let points = |value: fn(&crate::app::models::CrawlSample) -> u64| -> PlotPoints<'_> {
        page.samples.iter().map(|sample| [sample.seconds, value(sample) as f64]).collect()
    };
    let xs: Vec<f64> = page.samples.iter().map(|sample| sample.seconds).collect();
    let found: Vec<f64> = page.samples.iter().map(|sample| sample.found as f64).collect();
    let done: Vec<f64> = page.samples.iter().map(|sample| sample.done as f64).collect();
    let last = page.samples.last().copied().unwrap_or_default();
    let most = found.iter().chain(&done).copied().fold(0.0, f64::max);
    let drawn = in_plot_style(ui, |ui| {
        framed_plot("progress", theme::PLOT, most).x_axis_formatter(time_label).show(ui, |plot| {
            plot.add(FilledArea::new("waiting", &xs, &done, &found).fill_color(colors.plot_band));
            let line = |name, points, color| Line::new(name, points).color(color).width(PLOT_LINE);
            plot.line(line("discovered", points(|sample| sample.found), colors.plot_second));
            plot.line(line("finished", points(|sample| sample.done), colors.plot_first));
        })
    });
    name_node(&drawn.response, Role::Canvas, "Discovered and finished over time");
    ui.weak(format!(
        "Discovered {}, finished {}, waiting {}; after {}",
        text::count(last.found),
        text::count(last.done),
        text::count(last.found.saturating_sub(last.done)),
        text::duration(last.seconds)
    ));
}

/// Seconds of a crawl below a plot.
fn time_label(mark: egui_plot::GridMark, _: &std::ops::RangeInclusive<f64>) -> String {
    if mark.value < 0.0 { String::new() } else { text::duration(mark.value) }
}

fn rate_ui(ui: &mut Ui, page: &CrawlPage) {
    let colors = tokens(ui);
    plot_head_ui(ui, "Kilobytes per second", &[]);
    let rates: Vec<[f64; 2]> = page
        .samples
        .windows(2)
        .filter_map(|pair| {
            let seconds = pair[1].seconds - pair[0].seconds;
            (seconds > 0.0)
                .then(|| [pair[1].seconds, pair[1].bytes.saturating_sub(pair[0].bytes) as f64 / seconds / 1000.0])
        })
        .collect();
    let last = rates.last().map_or(0.0, |rate| rate[1]);
    let best = rates.iter().map(|rate| rate[1]).fold(0.0, f64::max);
    let drawn = in_plot_style(ui, |ui| {
        framed_plot("rate", theme::PLOT, best).x_axis_formatter(time_label).show(ui, |plot| {
            plot.line(Line::new("kB/s", rates).color(colors.plot_first).width(PLOT_LINE));
        })
    });
    name_node(&drawn.response, Role::Canvas, "Kilobytes per second over time");
    let is_running = page.launch.as_ref().is_some_and(|launch| launch.state == LaunchState::Running);
    ui.weak(match (is_running, page.samples.last().filter(|of| of.seconds > 0.0)) {
        (false, Some(of)) => {
            let (bytes, urls) = (of.bytes as f64 / of.seconds / 1000.0, of.done as f64 / of.seconds);
            format!("{bytes:.0} kB/s on average, peak {best:.0} kB/s; {urls:.1} URLs/s")
        }
        _ => format!("now {last:.0} kB/s, peak {best:.0} kB/s"),
    });
}

fn classes_ui(ui: &mut Ui, page: &CrawlPage) {
    let colors = tokens(ui);
    plot_head_ui(ui, "Responses by status", &[]);
    if page.classes.iter().all(|count| *count == 0) {
        no_plot_ui(ui, "No responses yet");
        return;
    }
    let bars: Vec<Bar> = page
        .classes
        .iter()
        .enumerate()
        .map(|(index, count)| {
            let color = match index {
                0 => colors.fill_ok,
                1 => colors.fill_none,
                2 => colors.fill_flag,
                _ => colors.fill_bad,
            };
            Bar::new(index as f64, *count as f64).width(0.7).fill(color).name(CLASSES[index])
        })
        .collect();
    let most = page.classes.iter().copied().max().unwrap_or_default() as f64;
    let drawn = in_plot_style(ui, |ui| {
        framed_plot("classes", theme::PLOT, most)
            // One mark a class, each as strong as the others.
            .x_grid_spacer(|_| {
                let mark = |index| egui_plot::GridMark { value: f64::from(index), step_size: CLASS_STEP };
                (0..CLASSES.len() as u32).map(mark).collect()
            })
            .x_axis_formatter(|mark, _| {
                let index = mark.value.round();
                if (mark.value - index).abs() > 0.01 || index < 0.0 {
                    return String::new();
                }
                CLASSES.get(index as usize).map(|class| (*class).to_owned()).unwrap_or_default()
            })
            .show(ui, |plot| plot.bar_chart(BarChart::new("captures", bars)))
    });
    name_node(&drawn.response, Role::Canvas, "Responses by status");
    let shares: Vec<String> = CLASSES
        .iter()
        .zip(page.classes)
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| format!("{} {class}", text::count(count)))
        .collect();
    ui.weak(shares.join(", "));
}
