//! The order of a crawl, and what each order would fetch first of the queue.

use crate::app::AppState;
use crate::app::models::{CampaignId, OrderPreview};
use crate::campaign::{Campaign, CrawlOrder};
use crate::ui::table::{Column, Table};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{lead_here, least_table_height, loaded_ui};
use egui::{CollapsingHeader, Label, RichText, Ui};

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
