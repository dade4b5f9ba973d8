//! The scores as a picture and as rows.

use crate::app::models::{Balance, CaptureId, ReviewMark, ScorePart, ScoredRow};
use crate::app::{AppState, Focus};
use crate::ui::table::{Column, RowsAction, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::heading_ui;
use egui::Ui;
use egui_plot::{Bar, BarChart, Plot, VLine};

/// Captures by score, with the threshold as a line that is dragged or set by a
/// click; where to, when it is.
pub fn histogram_ui(ui: &mut Ui, balance: &Balance, threshold: f64) -> Option<f64> {
    let colors = tokens(ui);
    heading_ui(ui, "Scores");
    if balance.scored == 0 {
        ui.weak("Shown once captures are scored");
        return None;
    }
    let width = 1.0 / balance.histogram.len() as f64;
    let bars: Vec<Bar> = balance
        .histogram
        .iter()
        .enumerate()
        .map(|(index, count)| {
            let middle = (index as f64 + 0.5) * width;
            let color = if middle >= threshold { colors.plot_first } else { colors.plot_third };
            Bar::new(middle, *count as f64).width(width * 0.9).fill(color)
        })
        .collect();
    let plot = Plot::new("scores")
        .height(theme::PLOT)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .include_x(0.0)
        .include_x(1.0)
        .include_y(0.0)
        .show_background(false)
        .show(ui, |plot| {
            plot.bar_chart(BarChart::new("captures", bars));
            plot.vline(VLine::new("threshold", threshold).color(colors.plot_second).width(2.0));
        });
    let response = plot.response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    response.widget_info(|| {
        egui::WidgetInfo::slider(true, threshold, format!("Captures by score; threshold {threshold:.2}"))
    });
    ui.weak("Drag the line, or press [ and ], to move the threshold");
    let at = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked())?;
    let to = plot.transform.value_from_position(at).x;
    to.is_finite().then(|| (to.clamp(0.0, 1.0) * 100.0).round() / 100.0)
}

/// The captures nearest to the threshold, each with its parts.
pub fn borderline_ui(ui: &mut Ui, app: &mut AppState, rows: &[ScoredRow]) {
    if rows.is_empty() {
        ui.weak("None yet");
        return;
    }
    type Col<'a> = Column<'a, ScoredRow, ScoreAction>;
    let columns = [
        Col::value("score", "Score", 64.0, |row| Value::Fraction(row.score)).numeric(),
        Col::made("selected", "Selected", 120.0, selected_label).draw(|ui, row| {
            let color = if row.selected { tokens(ui).accept } else { tokens(ui).reject };
            ui.colored_label(color, selected_label(row));
        }),
        Col::day("captured", "Captured", 100.0, |row| row.date),
        Col::text("url", "URL", 360.0, |row| &row.url),
        Col::made("why", "Why", 420.0, sum_of).draw(|ui, row| {
            crate::ui::widgets::cell_ui(ui, &sum_of(row)).on_hover_ui(|ui| parts_ui(ui, row));
        }),
    ];
    let chosen = rows.iter().position(|row| app.focus() == Some(Focus::Capture(row.id)));
    let table = Table::new("borderline", "Borderline captures", columns, |row: &ScoredRow| row.id.unsigned_abs())
        .chosen(chosen.map(|index| rows[index].id.unsigned_abs()))
        .height(theme::DIALOG_LIST)
        .on_focus(|row| Some(ScoreAction::Focus(row.id)))
        .on_select(|rows| Some(ScoreAction::Several(rows.iter().map(|row| row.id).collect())))
        .with_rows(RowsAction::copy_urls(|row: &ScoredRow| &row.url));
    match table.rows_ui(ui, app, rows) {
        Some(ScoreAction::Focus(capture)) => app.follow(Focus::Capture(capture)),
        Some(ScoreAction::Several(captures)) => app.follow_several(captures),
        None => {}
    }
    if let Some(index) = chosen
        && let Some(row) = rows.get(index)
    {
        ui.add_space(theme::GAP);
        ui.label("Score of the selected row, part by part");
        parts_ui(ui, row);
    }
}

fn selected_label(row: &ScoredRow) -> String {
    let suffix = if row.decision.and_then(ReviewMark::decides).is_some() { " by hand" } else { "" };
    format!("{}{suffix}", if row.selected { "✔ in" } else { "✖ out" })
}

/// The parts that make up a score, largest effect as written.
fn sum_of(row: &ScoredRow) -> String {
    let part = |part: &ScorePart| format!("{} {:.3}", part.name, part.value * part.weight);
    row.parts.iter().map(part).collect::<Vec<_>>().join(" + ")
}

fn parts_ui(ui: &mut Ui, row: &ScoredRow) {
    egui::Grid::new(("parts", row.id)).num_columns(5).show(ui, |ui| {
        for head in ["Part", "Value", "Weight", "Adds", "Why"] {
            ui.weak(head);
        }
        ui.end_row();
        for ScorePart { name, value, weight, why } in &row.parts {
            ui.label(text::line(name));
            ui.label(format!("{value:.3}"));
            ui.label(format!("{weight:.2}"));
            ui.label(format!("{:.3}", value * weight));
            ui.label(text::line(why));
            ui.end_row();
        }
    });
}

/// An action on the rows.
enum ScoreAction {
    /// The lower panel follows this one.
    Focus(CaptureId),
    /// A new selection.
    Several(Vec<CaptureId>),
}
