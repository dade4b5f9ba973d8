//! Rows of the captures table: a million of them, loaded 200 at a time.

use super::captures::{host_filter, loaded_page};
use crate::app::models::{CaptureColumn, CaptureId, CapturePage, CaptureQuery, CaptureRow, ReviewMark};
use crate::app::{AppState, Command, PanelTab, Route, SelectedRows};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{
    cell_ui, claim_cell_ui, coloured_cell_ui, keep_page_room, least_table_height, mark_ui, status_ui,
};
use crate::ui::words;
use egui::{Id, Modifiers, RichText, Sense, Ui};
use egui_table::{CellInfo, Column, HeaderCellInfo, HeaderRow, PrefetchInfo, Table, TableDelegate, TableState};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Rows asked for at once.
pub(super) const PAGE_ROWS: u64 = 200;
/// Rows that one table shows: beyond, offsets in `f32` lose whole pixels.
pub(super) const ROWS_SHOWN: u64 = 500_000;
/// Columns that stay when the table is scrolled sideways: mark and URL.
const STICKY: usize = 2;

/// Column, head, what it holds, first width.
pub(super) const COLUMNS: [(CaptureColumn, &str, &str, f32); 17] = [
    (CaptureColumn::Mark, "Review", "Last decision of a reviewer", 96.0),
    (CaptureColumn::Url, "URL", "As captured", 330.0),
    (CaptureColumn::Title, "Title", "Title of the page", 200.0),
    (CaptureColumn::Date, "Captured", "UTC", 140.0),
    (CaptureColumn::Status, "Status", "HTTP status", 64.0),
    (CaptureColumn::InlinksInternal, "Internal inlinks", "Inlinks of the same site in the window", 100.0),
    (CaptureColumn::InlinksExternal, "External inlinks", "Inlinks of other sites in the window", 100.0),
    (CaptureColumn::InlinkHosts, "Hosts", "External hosts that link here in the window", 60.0),
    (CaptureColumn::TopAnchor, "Most common anchor", "Most common anchor text in the window", 150.0),
    (CaptureColumn::Mime, "Type", "MIME type", 110.0),
    (CaptureColumn::Size, "Size", "Payload", 76.0),
    (CaptureColumn::Language, "Lang", "Language", 50.0),
    (CaptureColumn::Score, "Score", "Score in the last selection", 62.0),
    (CaptureColumn::Depth, "Hops", "Path from the seed", 64.0),
    (CaptureColumn::Rule, "Rule", "Accepted by", 180.0),
    (CaptureColumn::Via, "Via", "The page where this URL was discovered", 220.0),
    (CaptureColumn::Versions, "Versions", "Captures of the same page", 70.0),
];

/// One frame of the table.
pub(super) struct CaptureTable<'a> {
    app: &'a mut AppState,
    query: CaptureQuery,
    columns: Vec<(CaptureColumn, &'static str, &'static str, f32)>,
    sort: &'a [(CaptureColumn, bool)],
    row_height: f32,
    selected: HashSet<i64>,
    all_selected: bool,
    pages: HashMap<u64, Arc<CapturePage>>,
    /// The row that was clicked, with the keys held.
    pub clicked: Option<(u64, Modifiers)>,
    /// The column to sort by, and whether the keys before stay.
    pub sorted: Option<(CaptureColumn, bool)>,
    /// What a link or menu asked for.
    pub go: Option<Command>,
}

impl<'a> CaptureTable<'a> {
    pub(super) fn new(
        app: &'a mut AppState,
        query: CaptureQuery,
        hidden: &HashSet<CaptureColumn>,
        sort: &'a [(CaptureColumn, bool)],
        row_height: f32,
    ) -> Self {
        let (selected, all_selected) = match &app.selected {
            SelectedRows::Ids(ids) => (ids.iter().copied().collect(), false),
            SelectedRows::Query { .. } => (HashSet::new(), true),
        };
        let columns = COLUMNS.into_iter().filter(|column| !hidden.contains(&column.0)).collect();
        Self {
            app,
            query,
            columns,
            sort,
            row_height,
            selected,
            all_selected,
            pages: HashMap::new(),
            clicked: None,
            sorted: None,
            go: None,
        }
    }

    pub(super) fn show_ui(&mut self, ui: &mut Ui, total: u64, scroll_to: Option<u64>) {
        let rows = usize::try_from(total).unwrap_or(usize::MAX);
        keep_page_room(ui, least_table_height(ui, rows, self.row_height));
        let columns: Vec<Column> = self
            .columns
            .iter()
            .map(|(column, _, _, width)| {
                Column::new(*width).range(40.0..=900.0).resizable(true).id(Id::unique(("capture column", column)))
            })
            .collect();
        let mut table = Table::new()
            .id_salt("captures")
            .num_rows(total)
            .num_sticky_cols(STICKY.min(columns.len()))
            .headers([HeaderRow::new(theme::HEAD_ROW)]);
        // Without stored widths the table would measure its first rows, which
        // may not be loaded yet.
        let id = table.get_id(ui);
        if TableState::load(ui.ctx(), id).is_none() {
            let col_widths = columns
                .iter()
                .enumerate()
                .map(|(index, column)| (column.id_for(index), self.columns[index].3))
                .collect();
            TableState { col_widths, parent_width: None }.store(ui.ctx(), id);
        }
        table = table.columns(columns);
        if let Some(row) = scroll_to {
            table = table.scroll_to_row(row, None);
        }
        table.show(ui, self);
    }

    fn row(&self, number: u64) -> Option<&CaptureRow> {
        self.pages.get(&(number / PAGE_ROWS))?.rows.get((number % PAGE_ROWS) as usize)
    }

    /// With a query for a selection, whatever is listed is selected.
    fn is_selected(&self, id: CaptureId) -> bool {
        self.all_selected || self.selected.contains(&id)
    }

    fn menu_ui(&mut self, ui: &mut Ui, row: &CaptureRow) {
        let targets = if self.is_selected(row.id) { self.app.selected.clone() } else { vec![row.id].into() };
        for (mark, word) in [
            (ReviewMark::Approve, "✔ Approve"),
            (ReviewMark::Reject, "✖ Reject"),
            (ReviewMark::Flag, "⚑ Flag"),
            (ReviewMark::Clear, "Clear decision"),
        ] {
            if ui.button(word).clicked() {
                self.go = Some(Command::Mark { captures: targets.clone(), mark, note: String::new() });
                ui.close();
            }
        }
        ui.separator();
        if ui.button("Show inlinks").clicked() {
            self.go = Some(Command::Go(Route::Links { target: row.url.clone() }));
            ui.close();
        }
        if ui.button("Show captures of this host").clicked() {
            self.go = Some(Command::Go(Route::Captures { filter: host_filter(&row.url) }));
            ui.close();
        }
        if ui.button("Copy URL").clicked() {
            ui.ctx().copy_text(row.url.clone());
            ui.close();
        }
        for (word, tab) in [
            ("Show path from seed", PanelTab::Details),
            ("Show all versions", PanelTab::Versions),
            ("Write a note…", PanelTab::Notes),
            ("Show the scope decision", PanelTab::Decision),
        ] {
            if ui.button(word).clicked() {
                self.app.focus = Some(crate::app::Focus::Capture(row.id));
                self.app.settings.panel_tab = tab;
                self.app.settings.lower_panel = true;
                self.app.opens_note = tab == PanelTab::Notes;
                ui.close();
            }
        }
    }

    /// A number of inlinks leads to them in the lower panel.
    fn inlinks_cell_ui(&mut self, ui: &mut Ui, row: &CaptureRow, number: Option<u64>) {
        match number {
            None => {
                coloured_cell_ui(ui, "–", tokens(ui).weak_text).on_hover_text("Inlinks are not built yet");
            }
            Some(number) => {
                if ui.link(words::count(number)).on_hover_text("Show these inlinks").clicked() {
                    self.app.focus = Some(crate::app::Focus::Capture(row.id));
                    self.app.settings.panel_tab = PanelTab::Inlinks;
                    self.app.settings.lower_panel = true;
                }
            }
        }
    }
}

impl TableDelegate for CaptureTable<'_> {
    fn prepare(&mut self, info: &PrefetchInfo) {
        let rows = &info.visible_rows;
        if rows.is_empty() {
            return;
        }
        for page in rows.start / PAGE_ROWS..=(rows.end - 1) / PAGE_ROWS {
            if let Some(loaded) = loaded_page(self.app, &self.query, page) {
                self.pages.insert(page, loaded);
            }
        }
    }

    fn header_cell_ui(&mut self, ui: &mut Ui, cell: &HeaderCellInfo) {
        let Some((column, name, about, _)) = self.columns.get(cell.col_range.start).copied() else { return };
        let place = self.sort.iter().position(|(of, _)| *of == column);
        let arrow = match place.and_then(|place| self.sort.get(place)) {
            Some((_, true)) => " ⏷",
            Some((_, false)) => " ⏶",
            None => "",
        };
        let rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, tokens(ui).chrome_bg);
        let response = ui.interact(rect, ui.scope_id().with("sort"), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Sort by {name}")));
        if response.clicked() {
            self.sorted = Some((column, ui.input(|input| input.modifiers.shift)));
        }
        response.on_hover_text(format!("{about}. Click to sort, Shift+click to add a sort key"));
        ui.add_space(theme::CELL_PAD);
        let text = RichText::new(format!("{name}{arrow}")).color(tokens(ui).weak_text);
        ui.add(egui::Label::new(text).truncate().selectable(false));
    }

    fn row_ui(&mut self, ui: &mut Ui, row_nr: u64) {
        let rect = ui.max_rect();
        let Some(row) = self.row(row_nr).cloned() else { return };
        let response = ui.interact(rect, ui.scope_id().with("row"), Sense::click());
        let colors = tokens(ui);
        if self.is_selected(row.id) {
            ui.painter().rect_filled(rect, 0.0, colors.chosen_bg);
        } else if response.hovered() {
            ui.painter().rect_filled(rect, 0.0, colors.button_bg);
        } else if row_nr % 2 == 1 {
            ui.painter().rect_filled(rect, 0.0, colors.stripe_bg);
        }
        if response.clicked() {
            self.clicked = Some((row_nr, ui.input(|input| input.modifiers)));
        }
        if response.double_clicked() {
            self.app.settings.lower_panel = true;
            self.app.settings.panel_tab = PanelTab::Details;
        }
        response.context_menu(|ui| self.menu_ui(ui, &row));
    }

    fn cell_ui(&mut self, ui: &mut Ui, cell: &CellInfo) {
        let Some((column, ..)) = self.columns.get(cell.col_nr).copied() else { return };
        ui.set_clip_rect(ui.clip_rect().intersect(ui.max_rect()));
        ui.add_space(theme::CELL_PAD);
        let Some(row) = self.row(cell.row_nr).cloned() else {
            ui.weak("…");
            return;
        };
        match column {
            CaptureColumn::Mark => {
                mark_ui(ui, row.mark);
            }
            CaptureColumn::Score => {
                cell_ui(ui, &words::score(row.score));
            }
            CaptureColumn::Url => {
                cell_ui(ui, &row.url);
            }
            CaptureColumn::Title => {
                cell_ui(ui, &row.title);
            }
            CaptureColumn::Date => {
                cell_ui(ui, &row.date.to_words());
            }
            CaptureColumn::Status => {
                status_ui(ui, row.status);
            }
            CaptureColumn::Mime => {
                cell_ui(ui, &row.mime);
            }
            CaptureColumn::Size => {
                let repeat = if row.revisit { " ↻" } else { "" };
                let response = cell_ui(ui, &format!("{}{repeat}", words::bytes(row.size)));
                if row.revisit {
                    response.on_hover_text("Revisit: same payload as an earlier capture");
                }
            }
            CaptureColumn::Language => {
                cell_ui(ui, &row.language);
            }
            CaptureColumn::InlinksInternal => self.inlinks_cell_ui(ui, &row, row.inlinks_internal),
            CaptureColumn::InlinksExternal => self.inlinks_cell_ui(ui, &row, row.inlinks_external),
            CaptureColumn::InlinkHosts => self.inlinks_cell_ui(ui, &row, row.inlink_hosts),
            CaptureColumn::TopAnchor => {
                cell_ui(ui, &row.top_anchor);
            }
            CaptureColumn::Depth => {
                let path = if row.hops.is_empty() && !row.imported { "seed" } else { &row.hops };
                claim_cell_ui(ui, path, row.imported);
            }
            CaptureColumn::Rule => {
                let rule = if row.imported { &row.file_rule } else { &row.rule };
                cell_ui(ui, &row.rule_or_claim()).on_hover_text(words::line(rule));
            }
            CaptureColumn::Via => {
                claim_cell_ui(ui, &row.via, row.imported);
            }
            CaptureColumn::Versions => {
                cell_ui(ui, &words::count(row.versions));
            }
        }
    }

    fn default_row_height(&self) -> f32 {
        self.row_height
    }
}
