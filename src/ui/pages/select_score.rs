//! The scores as a picture and as rows.

use crate::app::models::{ReviewMark, ScorePart, ScoredRow, SelectionPage};
use crate::app::{AppState, Focus};
use crate::ui::table::OldTable;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::heading_ui;
use crate::ui::words;
use egui::Ui;
use egui_plot::{Bar, BarChart, Plot, VLine};

/// Captures by score, with the threshold as a line.
pub fn histogram_ui(ui: &mut Ui, page: &SelectionPage, threshold: f64) {
    let colors = tokens(ui);
    heading_ui(ui, "Scores");
    let all: u64 = page.histogram.iter().sum();
    if all == 0 {
        ui.weak("Shown once captures are scored");
        return;
    }
    let width = 1.0 / page.histogram.len() as f64;
    let bars: Vec<Bar> = page
        .histogram
        .iter()
        .enumerate()
        .map(|(index, count)| {
            let middle = (index as f64 + 0.5) * width;
            let color = if middle >= threshold { colors.plot_first } else { colors.plot_third };
            Bar::new(middle, *count as f64).width(width * 0.9).fill(color)
        })
        .collect();
    Plot::new("scores")
        .height(theme::PLOT)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .include_x(0.0)
        .include_x(1.0)
        .include_y(0.0)
        .show_background(false)
        .show(ui, |plot| {
            plot.bar_chart(BarChart::new("captures", bars));
            plot.vline(VLine::new("threshold", threshold).color(colors.plot_second).width(2.0));
        });
    let above: u64 = page
        .histogram
        .iter()
        .enumerate()
        .filter(|(index, _)| (*index as f64 + 0.5) * width >= threshold)
        .map(|(_, count)| count)
        .sum();
    ui.weak(format!(
        "{} scored; about {} at or above {threshold:.2}, the line",
        words::count(all),
        words::count(above)
    ));
}

/// The captures nearest to the threshold, each with its parts.
pub fn borderline_ui(ui: &mut Ui, app: &mut AppState, rows: &[ScoredRow]) {
    if rows.is_empty() {
        ui.weak("None yet");
        return;
    }
    const COLUMNS: [(&str, f32); 5] =
        [("Score", 64.0), ("Selected", 120.0), ("Captured", 100.0), ("URL", 360.0), ("Why", 420.0)];
    let chosen = rows.iter().position(|row| app.focus == Some(Focus::Capture(row.id)));
    let clicked = OldTable::new("borderline", &COLUMNS, rows.len()).chosen(chosen).height(theme::DIALOG_LIST).show_ui(
        ui,
        |cells, index| {
            let row = &rows[index];
            cells.text(&format!("{:.3}", row.score));
            cells.ui(|ui| {
                let hand = if row.decision.and_then(ReviewMark::decides).is_some() { " by hand" } else { "" };
                if row.selected {
                    ui.colored_label(tokens(ui).accept, format!("✔ in{hand}"));
                } else {
                    ui.colored_label(tokens(ui).reject, format!("✖ out{hand}"));
                }
            });
            cells.text(&words::day(row.date));
            cells.text(&row.url);
            cells.ui(|ui| {
                let parts: Vec<String> =
                    row.parts.iter().map(|part| format!("{} {:.3}", part.name, part.value * part.weight)).collect();
                crate::ui::widgets::cell_ui(ui, &parts.join(" + ")).on_hover_ui(|ui| parts_ui(ui, row));
            });
        },
        |_, response| {
            response.clone().on_hover_text("Click for its details below");
        },
    );
    if let Some(index) = clicked {
        app.focus = Some(Focus::Capture(rows[index].id));
        app.settings.lower_panel = true;
    }
    if let Some(index) = chosen
        && let Some(row) = rows.get(index)
    {
        ui.add_space(theme::GAP);
        ui.label("Score of the selected row, part by part");
        parts_ui(ui, row);
    }
}

fn parts_ui(ui: &mut Ui, row: &ScoredRow) {
    egui::Grid::new(("parts", row.id)).num_columns(5).striped(true).show(ui, |ui| {
        for head in ["Part", "Value", "Weight", "Adds", "Why"] {
            ui.weak(head);
        }
        ui.end_row();
        for ScorePart { name, value, weight, why } in &row.parts {
            ui.label(words::line(name));
            ui.label(format!("{value:.3}"));
            ui.label(format!("{weight:.2}"));
            ui.label(format!("{:.3}", value * weight));
            ui.label(words::line(why));
            ui.end_row();
        }
    });
}
