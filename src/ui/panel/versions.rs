//! The captures of a page by date, and what two of them differ in.

use super::scroll_ui;
use crate::app::models::{CaptureDiff, CaptureId, CaptureRow, DiffLine, LinkDifference, PartKind};
use crate::app::{AppState, Command, Route};
use crate::ui::access::name_node;
use crate::ui::pages::{CaptureAction, menu_ui};
use crate::ui::table::{Column, RowsAction, Table};
use crate::ui::text;
use crate::ui::theme::{self, GAP, TIGHT_GAP, tokens};
use crate::ui::widgets::{decision_ui, drop_ui, empty_ui, heading_ui, loaded_ui, segments_ui, status_ui};
use egui::accesskit::Role;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, FontId, Id, Rect, Sense, Stroke, TextStyle, Ui, pos2, vec2};

/// Versions that the strip shows, the newest.
const MOST_BARS: usize = 40;
/// Height of the bars of the strip, and of the dates below them.
const BARS: f32 = 26.0;
const DATES: f32 = 14.0;
/// Widths between which a bar is.
const BAR_LEAST: f32 = 10.0;
const BAR_MOST: f32 = 84.0;
/// Bars narrower than this have no date below them.
const DATED: f32 = 64.0;
/// Links of each list that are drawn.
const MOST_LINKS: usize = 200;
/// Width of the chooser of the other version.
const OTHER: f32 = 190.0;

/// The view of the versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum View {
    #[default]
    List,
    Difference,
}

/// State of the versions of a capture between frames.
#[derive(Default)]
pub struct VersionsTab {
    view: View,
    /// What it is compared with, where a person chose that: the capture, and the other.
    other: Option<(CaptureId, CaptureId)>,
    is_whole: bool,
}

impl VersionsTab {
    /// Draws the strip of dates, and below it the list or the difference.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, rows: &[CaptureRow], id: CaptureId) {
        let other = self.other_of(rows, id);
        if let Some(clicked) = strip_ui(ui, rows, id, other.filter(|_| self.view == View::Difference)) {
            let with_shift = ui.input(|input| input.modifiers.shift);
            match self.view == View::Difference && with_shift {
                true => self.other = Some((id, clicked)).filter(|_| clicked != id),
                false => app.follow_beside(vec![clicked]),
            }
        }
        ui.horizontal(|ui| {
            segments_ui(
                ui,
                "View of versions",
                &mut self.view,
                &[(View::List, "List"), (View::Difference, "Difference")],
            );
            if self.view == View::Difference && rows.len() > 1 {
                ui.weak("to the capture of");
                let name = |row: &CaptureRow| format!("{} ({})", row.date.to_readable(), row.status);
                let shown = rows.iter().find(|row| Some(row.id) == other).map(name).unwrap_or_default();
                let chosen = drop_ui(ui, "other version", "The capture to compare with", &shown, OTHER, |ui| {
                    let mut chosen = None;
                    for row in rows.iter().rev().filter(|row| row.id != id) {
                        if ui.selectable_label(Some(row.id) == other, name(row)).clicked() {
                            chosen = Some(row.id);
                        }
                    }
                    chosen
                });
                if let Some(chosen) = chosen.flatten() {
                    self.other = Some((id, chosen));
                }
                ui.checkbox(&mut self.is_whole, "All text")
                    .on_hover_text("Menus and footers too, not the main text alone");
            }
        });
        match (self.view, other) {
            (View::List, _) => versions_ui(ui, app, rows, id),
            (View::Difference, None) => {
                empty_ui(ui, "Nothing to compare", "This page was captured once");
            }
            (View::Difference, Some(other)) => {
                // The earlier one first, whichever of them is the current row.
                let at = |capture: CaptureId| rows.iter().position(|row| row.id == capture);
                let (before, after) = if at(other) <= at(id) { (other, id) } else { (id, other) };
                let answer = app.reads.capture_diff(before, after, self.is_whole);
                scroll_ui(ui, |ui| loaded_ui(ui, &answer, |ui, diff| diff_ui(ui, app, diff)));
            }
        }
    }

    /// What the capture is compared with: what a person chose, else the version before it, else the one after.
    fn other_of(&self, rows: &[CaptureRow], id: CaptureId) -> Option<CaptureId> {
        let chosen = self.other.filter(|(of, other)| *of == id && rows.iter().any(|row| row.id == *other));
        if let Some((_, other)) = chosen {
            return Some(other);
        }
        let at = rows.iter().position(|row| row.id == id)?;
        let beside = at.checked_sub(1).or((at + 1 < rows.len()).then_some(at + 1))?;
        rows.get(beside).map(|row| row.id)
    }
}

/// Draws the versions by date as bars as high as their content is long; gives the one that was clicked.
fn strip_ui(ui: &mut Ui, rows: &[CaptureRow], id: CaptureId, other: Option<CaptureId>) -> Option<CaptureId> {
    let first = rows.len().saturating_sub(MOST_BARS);
    let shown = &rows[first..];
    let most = shown.iter().map(|row| row.size).max().unwrap_or_default().max(1);
    let colors = tokens(ui);
    let gap = TIGHT_GAP;
    let width = (ui.available_width() / shown.len().max(1) as f32 - gap).clamp(BAR_LEAST, BAR_MOST);
    let mut clicked = None;
    let (place, _) = ui.allocate_exact_size(vec2(ui.available_width(), BARS + DATES), Sense::hover());
    for (number, row) in shown.iter().enumerate() {
        let left = place.left() + number as f32 * (width + gap);
        if left + width > place.right() + 1.0 {
            break;
        }
        let slot = Rect::from_min_size(pos2(left, place.top()), vec2(width, BARS + DATES));
        let response = ui.interact(slot, Id::unique(("version in the strip", row.id)), Sense::click());
        let state = match row.status {
            200..=299 => "",
            _ => " ✖",
        };
        let label = format!("{} {}{state}, {}", row.date.to_readable(), row.status, text::bytes(row.size));
        name_node(&response, Role::Button, &label);
        let share = row.size as f32 / most as f32;
        let height = (share * (BARS - 2.0)).max(2.0);
        let base = place.top() + BARS;
        let bar = Rect::from_min_max(pos2(left, base - height), pos2(left + width, base));
        let fill = match (row.id == id, row.status) {
            (true, _) => colors.accent,
            (false, 200..=399) => colors.fill_none,
            (false, _) => colors.fill_bad,
        };
        ui.painter().rect_filled(bar, 0.0, fill);
        if Some(row.id) == other {
            let line = Stroke::new(theme::RING, colors.accent);
            ui.painter().rect_stroke(bar.expand(1.0), 0.0, line, egui::StrokeKind::Outside);
        }
        if response.hovered() || response.has_focus() {
            ui.painter().hline(slot.x_range(), slot.bottom(), Stroke::new(theme::RING, colors.accent));
        }
        if width >= DATED {
            let date = format!("{}{state}", text::day(row.date));
            let color = if row.id == id { colors.text } else { colors.weak_text };
            let at = pos2(left, base + 1.0);
            ui.painter().text(at, Align2::LEFT_TOP, date, FontId::proportional(theme::CAPTION_TEXT), color);
        }
        if response.on_hover_text(label).clicked() {
            clicked = Some(row.id);
        }
    }
    if first > 0 {
        ui.weak(format!("{} before these are in the list", text::counted(first as u64, "capture")));
    }
    clicked
}

/// Draws what two captures differ in.
pub fn diff_ui(ui: &mut Ui, app: &mut AppState, diff: &CaptureDiff) {
    ui.label(text::line(&format!(
        "{} ({}) → {} ({}): {}",
        diff.before.date.to_readable(),
        diff.before.status,
        diff.after.date.to_readable(),
        diff.after.status,
        diff.summary()
    )));
    for side in [&diff.before, &diff.after] {
        if let Some(why) = &side.unread {
            let text = format!("⚠ The text of {} cannot be read: {why}", side.date.to_readable());
            ui.colored_label(tokens(ui).flag, text::line(&text));
        }
    }
    if diff.is_same_payload {
        return;
    }
    ui.scope(|ui| {
        theme::keep_reading_width(ui);
        lines_ui(ui, diff);
    });
    for (title, sign, links) in [
        ("Links added", "+", &diff.links_added),
        ("Links removed", "−", &diff.links_removed),
        ("Links with another text", "~", &diff.links_reworded),
    ] {
        links_ui(ui, app, title, sign, links);
    }
}

/// The lines that differ, each with the line before it, and how many are left out between.
fn lines_ui(ui: &mut Ui, diff: &CaptureDiff) {
    let lines = &diff.text.lines;
    let is_near = |at: usize| !lines[at].is_same() || lines.get(at + 1).is_some_and(|next| !next.is_same());
    let mut left_out = 0_u64;
    for (at, line) in lines.iter().enumerate() {
        if !is_near(at) {
            left_out += 1;
            continue;
        }
        left_out_ui(ui, &mut left_out);
        line_ui(ui, line);
    }
    if lines.iter().all(DiffLine::is_same) {
        ui.weak("The texts are the same");
    } else {
        left_out_ui(ui, &mut left_out);
    }
    ui.add_space(GAP);
}

fn left_out_ui(ui: &mut Ui, left_out: &mut u64) {
    if *left_out > 0 {
        ui.weak(format!("… {} the same", text::counted(*left_out, "line")));
        *left_out = 0;
    }
}

/// A line: what went is crossed out between − signs, what came is between + signs, each on its own ground.
fn line_ui(ui: &mut Ui, line: &DiffLine) {
    let colors = tokens(ui);
    let font = TextStyle::Body.resolve(ui.style());
    let mut job = LayoutJob::default();
    let mut spoken = String::new();
    for part in &line.parts {
        let shown = text::line(&part.text);
        let (shown, format) = match part.kind {
            PartKind::Same => {
                let format = TextFormat { font_id: font.clone(), color: colors.text, ..TextFormat::default() };
                (shown, format)
            }
            PartKind::Removed => {
                let format = TextFormat {
                    font_id: font.clone(),
                    color: colors.reject,
                    background: colors.reject_bg,
                    strikethrough: Stroke::new(1.0, colors.reject),
                    ..TextFormat::default()
                };
                (format!("−{shown}−"), format)
            }
            PartKind::Added => {
                let format = TextFormat {
                    font_id: font.clone(),
                    color: colors.accept,
                    background: colors.accept_bg,
                    underline: Stroke::new(1.0, colors.accept),
                    ..TextFormat::default()
                };
                (format!("+{shown}+"), format)
            }
        };
        spoken.push_str(&shown);
        job.append(&shown, 0.0, format);
    }
    job.wrap.max_width = ui.available_width();
    job.halign = Align::LEFT;
    let label = ui.add(egui::Label::new(job).selectable(true));
    name_node(&label, Role::Label, &spoken);
}

fn links_ui(ui: &mut Ui, app: &mut AppState, title: &str, sign: &str, links: &[LinkDifference]) {
    if links.is_empty() {
        return;
    }
    heading_ui(ui, &format!("{title} {}", text::count(links.len() as u64)));
    let color = match sign {
        "+" => tokens(ui).accept,
        "−" => tokens(ui).reject,
        _ => tokens(ui).flag,
    };
    for link in links.iter().take(MOST_LINKS) {
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(color, sign);
            if ui.link(text::short(&link.url, 120)).on_hover_text("Show the inlinks of this page").clicked() {
                app.send(Command::Go(Route::Links { target: link.url.clone() }));
            }
            let texts = [&link.before, &link.after].map(|side| LinkDifference::anchors(side.as_ref()));
            let texts = match sign {
                "~" => format!("“{}” → “{}”", texts[0], texts[1]),
                _ => texts.concat(),
            };
            ui.weak(text::short(&texts, 160));
        });
    }
    let more = links.len().saturating_sub(MOST_LINKS);
    if more > 0 {
        ui.weak(format!("and {}", text::counted(more as u64, "more link")));
    }
}

fn versions_ui(ui: &mut Ui, app: &mut AppState, rows: &[CaptureRow], id: CaptureId) {
    type Col<'a> = Column<'a, CaptureRow, CaptureAction>;
    let columns = [
        Col::date("captured", "Captured (UTC)", 160.0, |row| row.date),
        Col::made("status", "Status", 90.0, |row| row.status.to_string())
            .draw(|ui, row| drop(status_ui(ui, row.status))),
        Col::bytes("size", "Size", 80.0, |row| row.size),
        Col::text("payload", "Payload", 110.0, |row| if row.revisit { "revisit" } else { "new" }),
        Col::made("review", "Review", 110.0, CaptureRow::decision_label).draw(|ui, row| drop(decision_ui(ui, row))),
        Col::text("title", "Title", 300.0, |row| &row.title),
    ];
    let table = Table::new("versions", "Versions", columns, |row: &CaptureRow| row.id.unsigned_abs())
        .chosen(Some(id.unsigned_abs()))
        .aside()
        .on_focus(|row| Some(CaptureAction::Focus(row.id)))
        .on_select(|rows| Some(CaptureAction::Several(rows.iter().map(|row| row.id).collect())))
        .menu(menu_ui)
        .with_rows(RowsAction::copy_urls(|row: &CaptureRow| &row.url));
    match table.rows_ui(ui, app, rows) {
        Some(CaptureAction::Focus(capture)) => app.follow_beside(vec![capture]),
        Some(CaptureAction::Several(mut captures)) if captures.len() > 1 => {
            // The one that is shown stays.
            captures.sort_by_key(|of| *of != id);
            app.follow_beside(captures);
        }
        Some(CaptureAction::Several(_)) => {}
        Some(CaptureAction::Panel(capture, tab)) => {
            app.follow_beside(vec![capture]);
            app.show_tab(tab);
        }
        Some(CaptureAction::Mark(capture, mark)) => {
            let captures = app.rows_with(capture);
            app.send(Command::Mark { captures, mark, note: String::new() });
        }
        Some(CaptureAction::Command(command)) => app.send(command),
        None => {}
    }
}
