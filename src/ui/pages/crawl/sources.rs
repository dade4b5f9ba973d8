//! What the sources of a campaign brought into a launch.

use super::CrawlTab;
use crate::app::AppState;
use crate::app::models::{CampaignId, Launches, SourceYield};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::widgets::loaded_ui;
use egui::Ui;

/// Draws a row for each source; gives the list, and the source tag, of a number that was clicked.
pub(super) fn yields_ui(
    ui: &mut Ui,
    app: &mut AppState,
    (campaign, launches): (Option<CampaignId>, Launches),
    height: f32,
) -> Option<(CrawlTab, String)> {
    let answer = app.reads.source_yields(campaign, launches);
    let mut chosen = None;
    loaded_ui(ui, &answer, |ui, rows: &Vec<SourceYield>| {
        ui.weak("Pages found by sources, and the URLs reached from them");
        type Col<'a> = Column<'a, SourceYield, (CrawlTab, String)>;
        const SHOW: &str = "Show these URLs";
        let urls = |tab: CrawlTab| move |row: &SourceYield| Some((tab, row.tag.clone()));
        let columns = [
            Col::text("source", "Source", 220.0, |row| row.tag.strip_prefix("source:").unwrap_or(&row.tag)),
            Col::count("queued", "Queued", 72.0, |row| row.queued).link(SHOW, urls(CrawlTab::Next)),
            Col::count("fetched", "Fetched", 72.0, |row| row.fetched).link(SHOW, urls(CrawlTab::Fetched)),
            Col::count("failed", "Failed", 72.0, |row| row.failed).link(SHOW, urls(CrawlTab::Failed)),
            Col::count("refused", "Refused", 72.0, |row| row.refused).link(SHOW, urls(CrawlTab::Refused)),
        ];
        let table = Table::new("crawl sources", "Sources of the launch", columns, |row| key_of(&row.tag));
        chosen = table.height(height).rows_ui(ui, app, rows);
    });
    chosen
}
