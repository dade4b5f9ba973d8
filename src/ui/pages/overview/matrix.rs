//! Terms of the request against what was captured, with the zeros.

use super::part_title_ui;
use crate::app::models::{CampaignId, LEAST_CELL, Matrix, MatrixBy, MatrixRow, RowList, RowOrigin, matrix_aggregate};
use crate::app::{AppState, Command, Route};
use crate::campaign::TermKind;
use crate::ui::access::name_node;
use crate::ui::icons::focus_ring;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{loaded_ui, segments_ui, write_ui};
use egui::accesskit::Role;
use egui::{Align, FontId, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Least width of a column.
const COLUMN: f32 = 64.0;
/// Width of the sums.
const SUM: f32 = 58.0;
/// Width of the names of the terms, at most and at least.
const NAMES: (f32, f32) = (120.0, 220.0);
/// Width from which title and choice of columns are in one line.
const ONE_LINE: f32 = 660.0;
/// Space between cells.
const BETWEEN: f32 = 1.0;

const BY: [(MatrixBy, &str); 4] = [
    (MatrixBy::Hosts, "Hosts"),
    (MatrixBy::Months, "Months"),
    (MatrixBy::Languages, "Languages"),
    (MatrixBy::Launches, "Launches"),
];

/// Kinds of terms, in the order of their groups.
const GROUPS: [(&str, &[TermKind]); 6] = [
    ("Words", &[TermKind::Keyword, TermKind::Phrase]),
    ("Persons and organisations", &[TermKind::Person, TermKind::Organisation]),
    ("Places", &[TermKind::Place]),
    ("Events", &[TermKind::Event]),
    ("Languages", &[TermKind::Language]),
    ("Periods", &[TermKind::Period]),
];

/// Draws the matrix of a campaign with the choice of its columns.
pub(super) fn matrix_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, by: &mut MatrixBy) {
    let answer = app.reads.matrix(campaign, *by);
    let about = match answer.shown().map(|matrix| matrix.waiting) {
        Some(Some(waiting)) if waiting > 0 => {
            format!("captures that hold each term; {} not indexed yet", text::counted(waiting, "capture"))
        }
        _ => "captures that hold each term".to_owned(),
    };
    let is_narrow = ui.available_width() < ONE_LINE;
    if is_narrow {
        part_title_ui(ui, "Targeted and crawled", &about);
    }
    ui.horizontal(|ui| {
        if !is_narrow {
            part_title_ui(ui, "Targeted and crawled", &about);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(matrix) = answer.shown().filter(|matrix| !matrix.rows.is_empty())
                && ui.link(RichText::new("Copy").small()).on_hover_text("Copies it as TSV for others: cells of fewer than 5 captures, which can point to a person, as <5").clicked()
            {
                ui.ctx().copy_text(matrix_aggregate(matrix, LEAST_CELL, false).to_tsv());
            }
            ui.add_space(theme::GAP);
            let side = if is_narrow { Layout::left_to_right(Align::Center) } else { *ui.layout() };
            ui.with_layout(side, |ui| segments_ui(ui, "Columns", by, &BY));
        });
    });
    ui.add_space(theme::TIGHT_GAP);
    let is_own = |matrix: &Matrix| matrix.by == *by && matrix.campaign == campaign;
    loaded_ui(ui, &answer, |ui, matrix: &Matrix| match (matrix.waiting, matrix.rows.is_empty()) {
        _ if !is_own(matrix) => {}
        (None, _) => {
            ui.horizontal(|ui| {
                ui.weak("Terms are counted once the texts are indexed");
                if write_ui(ui, None, egui::Link::new("Index the texts")).clicked() {
                    app.send(Command::IndexTexts);
                }
            });
        }
        (Some(_), true) => {
            ui.horizontal(|ui| {
                ui.weak("The request has no terms");
                if ui.link("Edit the request").clicked() {
                    app.send(Command::Go(Route::Spec(Some(campaign))));
                }
            });
        }
        _ => cells_ui(ui, app, matrix),
    });
}

/// Widths and places of a matrix on the screen.
struct MatrixPlaces {
    left: f32,
    names: f32,
    column: f32,
    columns: usize,
}

impl MatrixPlaces {
    fn column(&self, at: usize) -> f32 {
        self.left + self.names + SUM + theme::TIGHT_GAP + at as f32 * self.column
    }
}

fn cells_ui(ui: &mut Ui, app: &mut AppState, matrix: &Matrix) {
    let width = ui.available_width();
    let names = (width * 0.25).clamp(NAMES.0, NAMES.1);
    let room = width - names - SUM - theme::TIGHT_GAP;
    let most = (room / COLUMN).floor().max(2.0) as usize;
    let matrix = &matrix.folded(most);
    let columns = matrix.columns.len().max(1);
    let column = (room / columns as f32).floor().min(2.0 * COLUMN);
    let grid = MatrixPlaces { left: ui.max_rect().left(), names, column, columns };
    ui.spacing_mut().item_spacing.y = 0.0;
    heads_ui(ui, app, matrix, &grid);
    for (group, kinds) in GROUPS {
        let is_of_group = |row: &&(usize, &MatrixRow)| {
            row.1.origin == RowOrigin::Request && !row.1.is_against && kinds.contains(&row.1.term.kind)
        };
        let rows: Vec<(usize, &MatrixRow)> = matrix.rows.iter().enumerate().collect();
        group_ui(ui, app, matrix, &grid, group, rows.iter().filter(is_of_group).copied());
    }
    let of_origin = |origin| matrix.rows.iter().enumerate().filter(move |row| row.1.origin == origin);
    group_ui(ui, app, matrix, &grid, "Names of authority files", of_origin(RowOrigin::Authority));
    group_ui(ui, app, matrix, &grid, "Names that the request lacks", of_origin(RowOrigin::Found));
    let against = matrix.rows.iter().enumerate().filter(|(_, row)| row.is_against);
    group_ui(ui, app, matrix, &grid, "Not requested", against);
}

fn line(ui: &mut Ui) -> Rect {
    ui.allocate_exact_size(vec2(ui.available_width(), theme::MATRIX_ROW), Sense::hover()).0
}

fn heads_ui(ui: &mut Ui, app: &mut AppState, matrix: &Matrix, grid: &MatrixPlaces) {
    let colors = tokens(ui);
    let rect = line(ui);
    let font = FontId::proportional(theme::SMALL_TEXT);
    let sum = Rect::from_min_max(pos2(grid.left + grid.names, rect.top()), pos2(grid.column(0), rect.bottom()));
    text_at(ui, sum.shrink2(vec2(theme::CELL_PAD, 0.0)), "All", font.clone(), colors.weak_text);
    for (at, column) in matrix.columns.iter().enumerate() {
        let place = cell_rect(rect, grid, at);
        let label = match matrix.by {
            // Most hosts of a campaign end alike.
            MatrixBy::Hosts if column.others.is_none() => {
                let host = column.label.trim_start_matches("www.");
                host.rsplit_once('.').map_or(host, |(name, _)| name)
            }
            MatrixBy::Launches => column.label.get(..8).unwrap_or(&column.label),
            _ => &column.label,
        };
        let hint = format!("{}: {}", column.label, text::counted(column.captures, "capture"));
        let response = ui.interact(place, ui.scope_id().with(("column", at)), Sense::click());
        let color = if response.hovered() { colors.accent } else { colors.weak_text };
        text_at(ui, place.shrink2(vec2(theme::TIGHT_GAP, 0.0)), label, font.clone(), color);
        response.widget_info(|| WidgetInfo::labeled(Role::Link, true, &hint));
        if response.has_focus() {
            focus_ring(ui, place);
        }
        if response.on_hover_text(&hint).clicked() {
            app.send(Command::ShowRows(RowList::captures(&column.filter)));
        }
    }
}

fn group_ui<'m>(
    ui: &mut Ui,
    app: &mut AppState,
    matrix: &Matrix,
    grid: &MatrixPlaces,
    group: &str,
    rows: impl Iterator<Item = (usize, &'m MatrixRow)>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let colors = tokens(ui);
    let rect = line(ui);
    let font = FontId::proportional(theme::CAPTION_TEXT);
    let place = pos2(grid.left, rect.bottom() - theme::TIGHT_GAP / 2.0);
    ui.painter().text(place, egui::Align2::LEFT_BOTTOM, group, font, colors.faint_text);
    for (nth, row) in rows {
        row_ui(ui, app, matrix, grid, (nth, row));
    }
}

fn row_ui(ui: &mut Ui, app: &mut AppState, matrix: &Matrix, grid: &MatrixPlaces, (nth, row): (usize, &MatrixRow)) {
    let colors = tokens(ui);
    let rect = line(ui);
    let body = FontId::proportional(theme::BODY_TEXT);
    let is_never = row.is_never_found();
    let name = Rect::from_min_max(rect.min, pos2(grid.left + grid.names, rect.bottom()));
    let label = if row.term.kind == TermKind::Language { &row.term.value } else { &row.label };
    let label = if is_never { format!("{label}, never found") } else { label.clone() };
    let color = if is_never { colors.flag } else { colors.text };
    let shown = clipped(ui, &label, body.clone(), color, name.width() - theme::GAP);
    let middle = name.center().y - shown.size().y / 2.0;
    ui.painter().galley(pos2(name.left(), middle), shown, color);
    let response = ui.interact(name, ui.scope_id().with(("term", nth)), Sense::hover());
    response.on_hover_text(text::line(&row.term.to_string()));
    let sum = Rect::from_min_max(pos2(name.right(), rect.top()), pos2(grid.column(0), rect.bottom()));
    let all = Cell { count: row.captures, is_never: false, is_against: false, is_sum: true };
    if cell_ui(ui, sum, &all, ("sum", nth, 0), &format!("{}: {}", row.label, row.captures)) {
        app.send(Command::ShowRows(RowList::captures(&row.filter)));
    }
    for (at, count) in row.cells.iter().enumerate().take(grid.columns) {
        let cell = Cell { count: *count, is_never, is_against: row.is_against, is_sum: false };
        let name = format!("{}, {}: {count}", row.label, matrix.columns[at].label);
        if cell_ui(ui, cell_rect(rect, grid, at), &cell, ("cell", nth, at), &name) {
            app.send(Command::ShowRows(RowList::captures(matrix.cell_filter(nth, at))));
        }
    }
}

fn cell_rect(rect: Rect, grid: &MatrixPlaces, at: usize) -> Rect {
    let left = grid.column(at);
    Rect::from_min_max(pos2(left, rect.top()), pos2(left + grid.column, rect.bottom())).shrink(BETWEEN / 2.0)
}

/// A number of the matrix.
struct Cell {
    count: u64,
    is_never: bool,
    is_against: bool,
    is_sum: bool,
}

/// Draws a cell; true when its rows are to be shown. Zeros lead nowhere.
fn cell_ui(ui: &mut Ui, rect: Rect, cell: &Cell, id: (&str, usize, usize), name: &str) -> bool {
    let colors = tokens(ui);
    let leads = cell.count > 0;
    let response = ui.interact(rect, ui.scope_id().with(id), if leads { Sense::click() } else { Sense::hover() });
    let (ground, color) = match colors.heat_cell(cell.count) {
        None => (None, colors.faint_text),
        Some(_) if cell.is_sum => (None, colors.strong_text),
        Some(_) if cell.is_against => (Some(colors.flag_bg), colors.text),
        Some((ground, text)) => (Some(ground), text),
    };
    if let Some(ground) = ground {
        ui.painter().rect_filled(rect, 0.0, ground);
    } else if !cell.is_sum {
        let edge = if cell.is_never { colors.flag } else { colors.hairline };
        ui.painter().rect_stroke(rect, 0.0, Stroke::new(1.0, edge), StrokeKind::Inside);
    }
    if leads && response.hovered() {
        ui.painter().rect_stroke(rect, 0.0, Stroke::new(1.0, colors.accent), StrokeKind::Inside);
    }
    let size = theme::BODY_TEXT;
    let font = if cell.is_sum { theme::strong_font(size) } else { FontId::proportional(size) };
    text_at(ui, rect.shrink2(vec2(theme::CELL_PAD, 0.0)), &text::count(cell.count), font, color);
    if leads {
        response.widget_info(|| WidgetInfo::labeled(Role::Link, true, name));
        if response.has_focus() {
            focus_ring(ui, rect);
        }
    } else {
        name_node(&response, Role::Label, name);
    }
    leads && response.on_hover_text(text::line(name)).clicked()
}

/// Draws a text at the right of a place, cut where it is too long.
fn text_at(ui: &Ui, place: Rect, text: &str, font: FontId, color: egui::Color32) {
    let shown = clipped(ui, text, font, color, place.width());
    let at = pos2(place.right() - shown.size().x, place.center().y - shown.size().y / 2.0);
    ui.painter().galley(at, shown, color);
}

fn clipped(ui: &Ui, text: &str, font: FontId, color: egui::Color32, width: f32) -> std::sync::Arc<egui::Galley> {
    let mut job = egui::text::LayoutJob::simple_singleline(text::line(text), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(width.max(1.0));
    ui.painter().layout_job(job)
}
