//! The order of a crawl, and what each order would fetch first of the queue.

use crate::app::AppState;
use crate::app::models::{CampaignId, OrderPreview};
use crate::campaign::{Campaign, CrawlOrder, UrlScore};
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{
    FieldLevel, lead_here, least_table_height, line_field_ui, loaded_ui, remark_row_ui, write_button_ui,
};
use egui::accesskit::Role;
use egui::{CollapsingHeader, DragValue, Label, RichText, Ui, WidgetInfo};

/// Width of the names of the orders.
const NAMES: f32 = theme::DATE_FIELD + theme::PART_GAP;
/// Rows of the comparison in sight.
const ROWS: usize = 12;

/// Draws the orders with what each does; below them, where a queue is left, what each would fetch first.
pub fn order_ui(ui: &mut Ui, app: &mut AppState, campaign: &mut Campaign, id: Option<CampaignId>) {
    let has_request = !campaign.request.is_empty();
    for order in CrawlOrder::ALL {
        ui.horizontal(|ui| {
            let name = ui.scope(|ui| {
                ui.set_min_width(NAMES);
                ui.radio_value(&mut campaign.order, order, order.label())
            });
            if order == CrawlOrder::default() {
                lead_here(&name.inner, "order");
            }
            let about = match (order, has_request) {
                (CrawlOrder::Relevance, false) => "needs a request; without one hosts come in turn",
                (order, _) => order.about(),
            };
            let about = RichText::new(about).size(theme::SMALL_TEXT).color(tokens(ui).weak_text);
            ui.add(Label::new(about).wrap());
        });
    }
    if campaign.order == CrawlOrder::Relevance {
        scores_ui(ui, campaign);
    }
    let Some(id) = id else { return };
    CollapsingHeader::new("First URLs of the queue under each order").show(ui, |ui| {
        let draft = serde_json::to_string(&*campaign).unwrap_or_default();
        let answer = app.reads.queue_orders(id, draft);
        loaded_ui(ui, &answer, |ui, preview| match preview.as_ref() {
            None => drop(ui.weak("Nothing waits in the queue of the last launch")),
            Some(preview) => preview_ui(ui, app, preview, campaign.order),
        });
    });
}

/// Draws what is added to the priority of URLs, each with its faults.
fn scores_ui(ui: &mut Ui, campaign: &mut Campaign) {
    let faults = match campaign.scores.as_slice() {
        [] => Vec::new(),
        _ => campaign.problems().into_iter().filter(|problem| problem.field.starts_with("scores")).collect(),
    };
    let mut removed = None;
    for (at, score) in campaign.scores.iter_mut().enumerate() {
        ui.push_id(("url score", at), |ui| {
            ui.horizontal_wrapped(|ui| {
                let of = at + 1;
                line_field_ui(ui, &format!("Pattern of score {of}"), &mut score.pattern, "/press/", theme::FIELD);
                line_field_ui(ui, &format!("Tag of score {of}"), &mut score.source_tag, "or a tag", theme::DATE_FIELD);
                let number = ui.add(DragValue::new(&mut score.score).range(-1.0..=1.0).speed(0.01).max_decimals(2));
                number.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, format!("Score {of}")));
                number.on_hover_text("From -1, behind all other links, to 1, before them");
                if icon_button_ui(ui, Icon::Close, "Remove this score").clicked() {
                    removed = Some(at);
                }
            });
        });
        let of_this = format!("scores[{at}].");
        for fault in faults.iter().filter(|fault| fault.field.starts_with(&of_this)) {
            remark_row_ui(ui, FieldLevel::Warning, &fault.what, &fault.hint);
        }
    }
    if let Some(at) = removed {
        campaign.scores.remove(at);
    }
    ui.horizontal_wrapped(|ui| {
        if write_button_ui(ui, "Add a score").clicked() {
            campaign.scores.push(UrlScore { score: 0.5, ..UrlScore::default() });
        }
        ui.weak("URLs that come earlier or later than their links say, by a pattern or by the tag of their seeds");
    });
}

/// The URLs at one place of the queue, under each order.
struct OrderRow {
    rank: u64,
    urls: [String; 3],
}

fn preview_ui(ui: &mut Ui, app: &mut AppState, preview: &OrderPreview, chosen: CrawlOrder) {
    let of = if preview.is_partial { "the first " } else { "" };
    let count =
        format!("Of {of}{} that wait; random draws and delays are left out", text::counted(preview.read, "URL"));
    ui.label(RichText::new(count).size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
    let url = |order: CrawlOrder, at: usize| preview.of(order).get(at).cloned().unwrap_or_default();
    let most = CrawlOrder::ALL.iter().map(|order| preview.of(*order).len()).max().unwrap_or_default();
    let row = |at: usize| OrderRow { rank: at as u64 + 1, urls: CrawlOrder::ALL.map(|order| url(order, at)) };
    let rows: Vec<OrderRow> = (0..most).map(row).collect();
    type Col<'a> = Column<'a, OrderRow, ()>;
    let width = ((ui.available_width() - theme::NUMBER_FIELD) / 3.0).clamp(theme::DATE_FIELD, theme::COLUMN_MOST);
    let columns = [
        Col::count("rank", "#", 32.0, |row| row.rank),
        Col::text("relevance", CrawlOrder::Relevance.label(), width, |row| &row.urls[0]),
        Col::text("in turn", CrawlOrder::RoundRobin.label(), width, |row| &row.urls[1]),
        Col::text("breadth", CrawlOrder::BreadthFirst.label(), width, |row| &row.urls[2]),
    ];
    let height = least_table_height(ui, rows.len().min(ROWS), theme::ROW);
    let name = format!("Queue under each order; {} is chosen", chosen.label());
    Table::new("queue orders", &name, columns, |row: &OrderRow| row.rank)
        .height(height)
        .aside()
        .rows_ui(ui, app, &rows);
}
