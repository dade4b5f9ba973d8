//! The scores as a picture and as rows.

use super::choose::threshold_keys_ui;
use crate::app::models::{Balance, CaptureId, ReviewMark, ScorePart, ScoredRow};
use crate::app::{AppState, Command, Focus};
use crate::ui::icons::{Icon, icon_ui};
use crate::ui::table::{Column, RowIcon, RowsAction, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{framed_plot, in_plot_style, mark_ui, no_plot_ui, read_only, write_button_ui};
use egui::{Align, Align2, Color32, CornerRadius, Layout, Rect, RichText, Sense, Stroke, Ui, UiBuilder, pos2, vec2};
use egui_plot::{Bar, BarChart, VLine};

/// Height of the picture, and in a low window.
const HEIGHT: f32 = 124.0;
const LOW_HEIGHT: f32 = 76.0;
/// Part of a bar's place that it fills.
const FILLED: f64 = 0.94;
/// Parts of a score that are named.
const NAMED: usize = 3;
/// Less than this adds nothing that is worth a word.
const LEAST_PART: f64 = 0.005;

/// Captures by score, with the threshold as a line that is dragged or set by a
/// click; where to, when it is. A dashed line is at the threshold that is `kept`.
pub fn histogram_ui(ui: &mut Ui, balance: &Balance, threshold: f64, kept: Option<f64>) -> Option<f64> {
    let colors = tokens(ui);
    let (line, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::GROUP_GAP), Sense::hover());
    let at = line.left_center();
    let font = egui::FontId::proportional(theme::SMALL_TEXT);
    ui.painter().text(at, Align2::LEFT_CENTER, "Captures by score", font, colors.weak_text);
    if balance.scored == 0 {
        no_plot_ui(ui, "Scores are drawn once captures are scored: save the selection");
        return None;
    }
    threshold_keys_ui(&mut ui.new_child(UiBuilder::new().id_salt("keys").max_rect(line)));
    let width = 1.0 / balance.histogram.len() as f64;
    let bars: Vec<Bar> = balance
        .histogram
        .iter()
        .enumerate()
        .map(|(index, count)| {
            let middle = (index as f64 + 0.5) * width;
            let color = if middle >= threshold { colors.accent } else { colors.fill_none };
            Bar::new(middle, *count as f64).width(width * FILLED).fill(color).stroke(Stroke::NONE)
        })
        .collect();
    let most = balance.histogram.iter().copied().max().unwrap_or_default() as f64;
    let is_low = ui.ctx().content_rect().height() < theme::LOW_WINDOW;
    let plot = in_plot_style(ui, |ui| {
        framed_plot("scores", if is_low { LOW_HEIGHT } else { HEIGHT }, most)
            .allow_double_click_reset(false)
            .include_x(0.0)
            .include_x(1.0)
            .show(ui, |plot| {
                plot.bar_chart(BarChart::new("captures", bars));
                if let Some(kept) = kept.filter(|kept| (kept - threshold).abs() > 1e-9) {
                    let dashes = egui_plot::LineStyle::dashed_loose();
                    plot.vline(VLine::new("saved", kept).color(colors.weak_text).width(1.0).style(dashes));
                }
                plot.vline(VLine::new("threshold", threshold).color(colors.strong_text).width(2.0));
            })
    });
    let frame = *plot.transform.frame();
    let x_of = |score: f64| plot.transform.position_from_point(&egui_plot::PlotPoint::new(score, 0.0)).x;
    threshold_label(ui, pos2(x_of(threshold), frame.top()), threshold, frame);
    if let Some(kept) = kept.filter(|kept| (x_of(*kept) - x_of(threshold)).abs() > theme::CONTROL) {
        let at = pos2(x_of(kept) + theme::TIGHT_GAP, frame.top());
        let font = egui::FontId::proportional(theme::CAPTION_TEXT);
        ui.painter().text(at, Align2::LEFT_TOP, format!("saved {kept:.2}"), font, colors.weak_text);
    }
    let response = plot.response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    response.widget_info(|| {
        egui::WidgetInfo::slider(true, threshold, format!("Captures by score; threshold {threshold:.2}"))
    });
    let at = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked())?;
    let to = plot.transform.value_from_position(at).x;
    to.is_finite().then(|| (to.clamp(0.0, 1.0) * 100.0).round() / 100.0)
}

/// Paints the threshold in a box at the top of its line.
fn threshold_label(ui: &Ui, at: egui::Pos2, threshold: f64, frame: Rect) {
    let colors = tokens(ui);
    let font = theme::strong_font(theme::CAPTION_TEXT);
    let galley = ui.painter().layout_no_wrap(format!("{threshold:.2}"), font, colors.page_bg);
    let size = galley.size() + vec2(theme::GAP, 2.0);
    let left = (at.x - size.x / 2.0).clamp(frame.left(), (frame.right() - size.x).max(frame.left()));
    let place = Rect::from_min_size(pos2(left, at.y), size);
    ui.painter().rect_filled(place, CornerRadius::same(theme::CORNER - 1), colors.strong_text);
    ui.painter().galley(place.center() - galley.size() / 2.0, galley, colors.page_bg);
}

/// An action on a row of scores.
pub enum ScoreAction {
    /// The detail panel follows this one.
    Focus(CaptureId),
    /// A new selection.
    Several(Vec<CaptureId>),
    /// A decision on it.
    Mark(CaptureId, ReviewMark),
}

/// Draws captures with their scores; `id` names the list.
/// A list by score has a line at the threshold.
pub fn scored_ui(
    ui: &mut Ui,
    app: &mut AppState,
    (id, name): (&'static str, &str),
    rows: &[ScoredRow],
    threshold: Option<f64>,
) {
    type Col<'a> = Column<'a, ScoredRow, ScoreAction>;
    let columns = [
        Col::value("score", "Score", 58.0, |row| Value::Fraction(row.score)).numeric(),
        Col::made("selected", "In", 34.0, selected_label).draw(|ui, row| {
            let colors = tokens(ui);
            let (icon, color) = match row.selected {
                true => (Icon::Check, colors.accept),
                false => (Icon::Minus, colors.weak_text),
            };
            sign_ui(ui, icon, color).on_hover_text(selected_label(row));
        }),
        Col::made("page", "Page", 276.0, |row| title_or_url(row).to_owned())
            .about("Title of the page, and its URL as captured")
            .second("url", "URL", |row| if row.title.is_empty() { "" } else { &row.url }),
        Col::made("why", "Why", 214.0, why_of).draw(|ui, row| {
            crate::ui::widgets::cell_ui(ui, &why_of(row)).on_hover_ui(|ui| parts_ui(ui, row));
        }),
        Col::made("mark", "Mark", 90.0, |row| row.decision.map_or("", ReviewMark::label).to_owned()).draw(|ui, row| {
            if row.decision.is_some() {
                mark_ui(ui, row.decision, row.decision_origin.as_deref(), row.decision_inherited);
            }
        }),
        Col::date("captured", "Captured (UTC)", 140.0, |row| row.date).hidden(),
    ];
    let chosen = rows.iter().find(|row| app.focus() == Some(Focus::Capture(row.id)));
    let mut table = Table::new(id, name, columns, |row: &ScoredRow| row.id.unsigned_abs())
        .chosen(chosen.map(|row| row.id.unsigned_abs()))
        .on_focus(|row| Some(ScoreAction::Focus(row.id)))
        .on_select(|rows| Some(ScoreAction::Several(rows.iter().map(|row| row.id).collect())))
        .with_rows(RowsAction::copy_urls(|row: &ScoredRow| &row.url))
        .menu(|ui, row| {
            for (mark, label) in MARKS {
                if write_button_ui(ui, label).clicked() {
                    return Some(ScoreAction::Mark(row.id, mark));
                }
            }
            None
        });
    if let Some(threshold) = threshold {
        table = table.divider("score", format!("threshold {threshold:.2}"), move |row| row.score >= threshold);
    }
    if read_only(ui).is_none() {
        for (mark, icon, name) in [
            (ReviewMark::Approve, Icon::Check, "Include: approve this capture (A)"),
            (ReviewMark::Reject, Icon::Close, "Leave out: reject this capture (D)"),
        ] {
            table =
                table.row_icon(RowIcon::new(icon, name, move |row: &ScoredRow| Some(ScoreAction::Mark(row.id, mark))));
        }
    }
    match table.rows_ui(ui, app, rows) {
        Some(ScoreAction::Focus(capture)) => app.follow(Focus::Capture(capture)),
        Some(ScoreAction::Several(captures)) => app.follow_several(captures),
        Some(ScoreAction::Mark(capture, mark)) => {
            app.send(Command::Mark { captures: app.rows_with(capture), mark, note: String::new() });
        }
        None => {}
    }
}

/// What a person may put down of a row, with the label of the line of its menu.
const MARKS: [(ReviewMark, &str); 4] = [
    (ReviewMark::Approve, "Include (approve)"),
    (ReviewMark::Reject, "Leave out (reject)"),
    (ReviewMark::Flag, "Flag"),
    (ReviewMark::Clear, "Clear decision"),
];

fn sign_ui(ui: &mut Ui, icon: Icon, color: Color32) -> egui::Response {
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| icon_ui(ui, icon, theme::SMALL_ICON, color)).inner
}

fn title_or_url(row: &ScoredRow) -> &str {
    if row.title.is_empty() { &row.url } else { &row.title }
}

fn selected_label(row: &ScoredRow) -> String {
    let suffix = if row.decision.and_then(ReviewMark::decides).is_some() { ", by hand" } else { "" };
    format!("{}{suffix}", if row.selected { "selected" } else { "left out" })
}

/// The parts that add most to a score, the largest first.
fn why_of(row: &ScoredRow) -> String {
    let mut parts: Vec<(f64, &str)> =
        row.parts.iter().map(|part| (part.value * part.weight, part.name.as_str())).collect();
    parts.retain(|(adds, _)| *adds >= LEAST_PART);
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> =
        parts.iter().take(NAMED).map(|(adds, name)| format!("{} {adds:.2}", name.to_lowercase())).collect();
    if named.is_empty() { "nothing adds to it".to_owned() } else { named.join(", ") }
}

fn parts_ui(ui: &mut Ui, row: &ScoredRow) {
    egui::Grid::new(("parts", row.id)).num_columns(5).show(ui, |ui| {
        for head in ["Part", "Value", "Weight", "Adds", "Why"] {
            ui.label(RichText::new(head).color(tokens(ui).weak_text));
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
