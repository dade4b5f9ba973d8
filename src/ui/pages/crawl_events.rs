//! What a launch reported: waits, hosts given up, the network, the disk.

use crate::app::AppState;
use crate::app::models::{EventKind, EventPage, EventQuery, EventRow, LaunchId};
use crate::ui::table::OldTable;
use crate::ui::theme::tokens;
use crate::ui::widgets::{coloured_cell_ui, loaded_ui, pager_ui};
use crate::ui::words;
use egui::Ui;

/// Events that are shown at once.
const LIMIT: u64 = 500;

const COLUMNS: [(&str, f32); 7] = [
    ("Time (UTC)", 130.0),
    ("Kind", 100.0),
    ("Event", 420.0),
    ("Host", 160.0),
    ("URL", 300.0),
    ("Status", 56.0),
    ("Times", 56.0),
];

/// The list of events.
#[derive(Default)]
pub struct EventsView {
    kind: Option<EventKind>,
    offset: u64,
}

/// What a person clicked in the list.
pub enum EventLink {
    /// A host: its URLs.
    Host(String),
    /// A URL that the launch has seen, by its number.
    Seen(i64),
}

impl EventsView {
    /// Draws the list.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, launch: LaunchId, height: f32) -> Option<EventLink> {
        let query = EventQuery { launch, kind: self.kind, offset: self.offset, limit: LIMIT };
        let answer = app.reads.events(query);
        let mut link = None;
        loaded_ui(ui, &answer, |ui, page: &EventPage| {
            self.kinds_ui(ui, page);
            if page.total == 0 {
                ui.weak("No events");
                return;
            }
            pager_ui(ui, &mut self.offset, LIMIT, page.total, ("event", "events"));
            link = rows_ui(ui, &page.rows, height);
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
            ui.selectable_value(&mut self.kind, None, format!("All {}", words::count(all)));
            for (kind, count) in &page.kinds {
                let label = format!("{} {}", kind.label(), words::count(*count));
                ui.selectable_value(&mut self.kind, Some(*kind), label);
            }
        });
        if self.kind != before {
            self.offset = 0;
        }
    }
}

fn rows_ui(ui: &mut Ui, rows: &[EventRow], height: f32) -> Option<EventLink> {
    let mut link = None;
    OldTable::new("events", &COLUMNS, rows.len()).height(height).show_ui(
        ui,
        |cells, index| {
            let EventRow { event, seen, .. } = &rows[index];
            cells.text(&event.date.to_words());
            cells.ui(|ui| {
                let color = if event.kind.is_anomaly() { tokens(ui).flag } else { tokens(ui).text };
                coloured_cell_ui(ui, event.kind.label(), color);
            });
            cells.text(&words::capital(&event.text));
            if cells.link_text(
                u64::from(!event.host.is_empty()),
                &words::short(&event.host, 60),
                "Show the URLs of this host",
            ) {
                link = Some(EventLink::Host(event.host.clone()));
            }
            let url = words::short(&event.url, 120);
            match seen {
                Some(seen) => {
                    if cells.link_text(1, &url, "Show what became of this URL") {
                        link = Some(EventLink::Seen(*seen));
                    }
                }
                None => cells.text(&url),
            }
            cells.text(&if event.status == 0 { String::new() } else { event.status.to_string() });
            cells.text(&if event.count == 1 { String::new() } else { words::count(event.count) });
        },
        |_, _| {},
    );
    link
}
