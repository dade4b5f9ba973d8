//! The list at the left.

use crate::analysis::checks::FindingState;
use crate::analysis::checks::check_of_id;
use crate::app::AppState;
use crate::app::models::{CaptureId, QueuedCapture, ReviewOrder, ReviewQueueQuery};
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::decision_ui;
use egui::text::LayoutJob;
use egui::{Label, Rect, Sense, TextStyle, Ui, Vec2};

/// Captures of the queue that are held at once.
const QUEUE: u64 = 200;
/// The width of a finding.
const FINDING: f32 = 120.0;
/// The bar of severity.
const BAR: Vec2 = Vec2::new(4.0, 28.0);

/// The question to the queue in this mode.
pub(super) fn queue_query(app: &AppState, order: ReviewOrder, filter: &str, includes_all: bool) -> ReviewQueueQuery {
    let person = match order {
        ReviewOrder::SecondReading(_) => app.settings.person(),
        // Nobody else's queue depends on the person.
        _ => String::new(),
    };
    ReviewQueueQuery {
        campaign: app.campaign(),
        order,
        filter: filter.trim().to_owned(),
        includes_all,
        person,
        offset: 0,
        limit: QUEUE,
    }
}

/// The worst finding of a row in words, with how many captures have the same cause.
pub(super) fn finding_label(row: &QueuedCapture) -> String {
    let Some(check) = &row.check else {
        return if row.loss.is_some() { "no finding" } else { "not checked" }.to_owned();
    };
    let label = check_of_id(check).map_or(check.as_str(), |check| check.label);
    if row.same_cause > 1 { format!("{label}, {} like it", text::count(row.same_cause)) } else { label.to_owned() }
}

/// The decision on a row, else its worst finding: a second reader gets rows without decisions.
fn state_label(row: &QueuedCapture) -> String {
    if row.row.mark.is_some() { row.row.decision_label() } else { finding_label(row) }
}

/// The captures that wait, in rows of two lines: severity, title and URL, the worst finding or the decision.
pub(super) fn two_line_queue<'a>() -> Table<'a, QueuedCapture, CaptureId> {
    type Col<'a> = Column<'a, QueuedCapture, CaptureId>;
    let columns = vec![
        Col::made("severity", "Loss", 24.0, |of| of.loss.map_or(String::new(), |loss| format!("{loss:.2}")))
            .about("Severity: what the page loses by its findings, from 0 to 1")
            .draw(severity_ui),
        Col::text("title", "Page", 110.0, |of| &of.row.title).second("url", "URL", |of| &of.row.url),
        Col::made("finding", "Finding", FINDING, state_label).draw(|ui, of| {
            if of.row.mark.is_some() {
                decision_ui(ui, &of.row);
                return;
            }
            let colors = tokens(ui);
            let color = match of.state {
                Some(FindingState::Problem) => colors.reject,
                Some(_) => colors.flag,
                None => colors.weak_text,
            };
            // Of the two lines of a row it takes both, so that pages have the width.
            let font = TextStyle::Body.resolve(ui.style());
            let mut lines =
                LayoutJob::simple(text::line(&finding_label(of)), font, color, ui.available_width().min(FINDING));
            lines.wrap.max_rows = 2;
            // Laid out here: a label would give it one line, as wide as it needs.
            let lines = ui.painter().layout_job(lines);
            ui.add(Label::new(lines).selectable(false)).on_hover_text(finding_label(of));
        }),
    ];
    Table::new("review queue", "Captures to review", columns, |of: &QueuedCapture| of.row.id.unsigned_abs()).two_lines()
}

/// A bar as high as the page's loss, with its number for who listens.
fn severity_ui(ui: &mut Ui, of: &QueuedCapture) {
    let colors = tokens(ui);
    let (place, response) = ui.allocate_exact_size(BAR, Sense::hover());
    let name = of.loss.map_or("not checked".to_owned(), |loss| format!("severity {loss:.2}"));
    ui.painter().rect_filled(place, 1.0, colors.hairline);
    if let Some(loss) = of.loss {
        let color = match of.state {
            Some(FindingState::Problem) => colors.fill_bad,
            Some(_) => colors.fill_flag,
            None => colors.fill_none,
        };
        let height = BAR.y * loss.clamp(0.0, 1.0) as f32;
        let filled = Rect::from_min_max(egui::pos2(place.left(), place.bottom() - height), place.max);
        ui.painter().rect_filled(filled, 1.0, color);
    }
    crate::ui::widgets::name_sign(&response, &name);
    response.on_hover_text(name);
}
