//! Events of a launch: waits, hosts given up, the network, the disk.

use crate::app::AppState;
use crate::app::models::SeenId;
use crate::app::models::{EventKind, EventPage, EventQuery, EventRow, LaunchId};
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::tokens;
use crate::ui::widgets::{coloured_cell_ui, loaded_ui, pager_ui};
use egui::Ui;

/// Events that are shown at once.
const LIMIT: u64 = 500;

/// The list of events.
#[derive(Default)]
pub struct EventsView {
    kind: Option<EventKind>,
    offset: u64,
}

/// A link that a person clicked in the list.
pub enum EventLink {
    /// A host: its URLs.
    Host(String),
    /// A URL that the launch has seen, by its number.
    Seen(SeenId),
}

impl EventsView {
    /// Draws the list.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, launch: LaunchId, height: f32) -> Option<EventLink> {
        let query = EventQuery { launch, kind: self.kind, each: false, offset: self.offset, limit: LIMIT };
        let answer = app.reads.events(query);
        let mut link = None;
        loaded_ui(ui, &answer, |ui, page: &EventPage| {
            self.kinds_ui(ui, page);
            if page.total == 0 {
                ui.weak("No events");
                return;
            }
            pager_ui(ui, &mut self.offset, LIMIT, page.total, "event");
            link = rows_ui(ui, app, &page.rows, height);
        });
        link
    }

    fn kinds_ui(&mut self, ui: &mut Ui, page: &EventPage) {
        if page.kinds.len() < 2 && self.kind.is_none() {
            return;
        }
        let before = self.kind;
        ui.horizontal_wrapped(|ui| {
            let all: u64 = page.kinds.iter().map(|(_, count)| count).sum();
            ui.selectable_value(&mut self.kind, None, format!("All {}", text::count(all)));
            for (kind, count) in &page.kinds {
                let label = format!("{} {}", kind.label(), text::count(*count));
                ui.selectable_value(&mut self.kind, Some(*kind), label);
            }
        });
        if self.kind != before {
            self.offset = 0;
        }
    }
}

fn rows_ui(ui: &mut Ui, app: &mut AppState, rows: &[EventRow], height: f32) -> Option<EventLink> {
    type Col<'a> = Column<'a, EventRow, EventLink>;
    let columns = [
        Col::date("when", "When (UTC)", 150.0, |row| row.event.date),
        Col::text("kind", "Event", 170.0, |row| row.event.kind.label()).draw(|ui, row| {
            let color = if row.event.kind.is_anomaly() { tokens(ui).flag } else { tokens(ui).text };
            coloured_cell_ui(ui, row.event.kind.label(), color);
        }),
        Col::made("details", "Details", 320.0, |row| text::capital(&row.event.text)),
        Col::text("host", "Host", 180.0, |row| &row.event.host).link("Show the URLs of this host", |row| {
            (!row.event.host.is_empty()).then(|| EventLink::Host(row.event.host.clone()))
        }),
        Col::text("url", "URL", 320.0, |row| &row.event.url)
            .link("Show what became of this URL", |row| row.seen.map(EventLink::Seen)),
        Col::made("status", "Status", 60.0, |row| match row.event.status {
            0 => String::new(),
            status => status.to_string(),
        }),
        Col::count("times", "Times", 60.0, |row| row.event.count),
    ];
    let key = |row: &EventRow| key_of((row.event.date, row.event.kind.label(), &row.event.url, &row.event.text));
    Table::new("crawl events", "Events", columns, key).height(height).rows_ui(ui, app, rows)
}
