//! The captures that decisions act on, the same for keys, buttons, menus and notes.

use super::models::{CaptureId, FileId, ProblemId, SeenId};
use super::{AppState, PanelTab, Route, SelectedRows};

/// The row that the lower panel follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// A capture.
    Capture(CaptureId),
    /// A URL ever seen, captured or not.
    Seen(SeenId),
    /// An archive file.
    File(FileId),
    /// Something broken or odd in an archive file.
    Problem(ProblemId),
}

/// The rows that the page and the lower panel are about.
#[derive(Debug, Default)]
pub(super) struct CurrentRows {
    /// The row of the page's own table.
    row: Option<Focus>,
    /// Captures that are selected in a table of the page, besides that of all captures.
    several: Vec<CaptureId>,
    /// Captures that a list in the lower panel led to: the first one is shown in place of the row.
    beside: Vec<CaptureId>,
    /// The capture of a page that the current link of the lower panel is on.
    link_source: Option<CaptureId>,
    /// Whether rows of a selection are still read, so that it is not what is on screen.
    is_selecting: bool,
}

impl AppState {
    /// The captures that decisions act on now: those the lower panel was led to, else those
    /// selected in the table, else the row that the panel shows. `Err` is the reason that a greyed
    /// button shows.
    pub fn decision_target(&self) -> Result<SelectedRows, &'static str> {
        if !self.open.current_rows.beside.is_empty() {
            return Ok(self.open.current_rows.beside.clone().into());
        }
        if matches!(self.open.route, Route::Captures { .. }) {
            return match self.open.current_rows.row {
                _ if self.open.current_rows.is_selecting => Err("The selection is still being made"),
                _ if !self.open.selected.is_empty() => Ok(self.open.selected.clone()),
                // A decision may have taken it out of the table: it is still the one that is shown, if only
                // in one line.
                Some(Focus::Capture(id)) => Ok(vec![id].into()),
                _ => Err("Select rows first"),
            };
        }
        if self.open.current_rows.several.len() > 1 {
            return Ok(self.open.current_rows.several.clone().into());
        }
        match self.open.current_rows.row {
            Some(Focus::Capture(id)) => Ok(vec![id].into()),
            _ => Err("Select a capture first"),
        }
    }

    /// The captures that the menu of a row acts on: all that are selected with it, or the row alone.
    pub fn rows_with(&self, id: CaptureId) -> SelectedRows {
        let in_table = matches!(self.open.route, Route::Captures { .. }).then_some(&self.open.selected);
        let one = SelectedRows::from(vec![id]);
        match in_table {
            Some(SelectedRows::Ids(ids)) if !ids.contains(&id) => one,
            Some(selected) => selected.clone(),
            None if self.open.current_rows.beside.contains(&id) => self.open.current_rows.beside.clone().into(),
            None if self.open.current_rows.several.contains(&id) => self.open.current_rows.several.clone().into(),
            None => one,
        }
    }

    /// The number of captures that are selected at once, where the lower panel can show no single one.
    pub fn selected_together(&self) -> Option<u64> {
        let count = match self.open.route {
            Route::Captures { .. } => self.open.selected.count(),
            _ => self.open.current_rows.several.len() as u64,
        };
        (count > 1 && self.open.current_rows.beside.is_empty()).then_some(count)
    }

    /// The row that the lower panel follows.
    pub fn focus(&self) -> Option<Focus> {
        self.open.current_rows.beside.first().map(|id| Focus::Capture(*id)).or(self.open.current_rows.row)
    }

    /// The capture that opens in a browser: that of the current link in the lower panel, else the one that the panel shows,
    /// else the only one that is selected.
    pub fn capture_to_open(&self) -> Option<CaptureId> {
        if let Some(capture) = self.open.current_rows.link_source {
            return Some(capture);
        }
        match (self.focus(), self.decision_target()) {
            (Some(Focus::Capture(capture)), _) => Some(capture),
            (_, Ok(SelectedRows::Ids(ids))) if ids.len() == 1 => ids.first().copied(),
            _ => None,
        }
    }

    /// Notes the page that the current link of the lower panel is on; the panel goes on with its own row.
    pub fn note_link_source(&mut self, capture: Option<CaptureId>) {
        self.open.current_rows.link_source = capture;
    }

    /// The number of captures that a list in the lower panel led to, instead of the page's row; 0 for none.
    pub fn beside_row(&self) -> usize {
        self.open.current_rows.beside.len()
    }

    /// Has the lower panel follow a row of the page.
    pub fn follow(&mut self, row: impl Into<Option<Focus>>) {
        let is_selecting = self.open.current_rows.is_selecting;
        self.open.current_rows = CurrentRows { row: row.into(), is_selecting, ..CurrentRows::default() };
    }

    /// Whether the lower panel is open, and not only a line at the foot of the page.
    pub fn panel_is_open(&self) -> bool {
        self.settings.lower_panel && self.settings.panel_open
    }

    /// Notes which captures are selected in a table of the page.
    pub fn follow_several(&mut self, captures: Vec<CaptureId>) {
        self.open.current_rows.several = captures;
        self.open.current_rows.link_source = None;
    }

    /// Has the lower panel show captures that one of its own lists led to; the row of the page stays.
    pub fn follow_beside(&mut self, captures: Vec<CaptureId>) {
        let is_row = matches!((captures.as_slice(), self.open.current_rows.row), ([one], Some(Focus::Capture(row))) if *one == row);
        self.open.current_rows.beside = if is_row { Vec::new() } else { captures };
        self.open.current_rows.link_source = None;
    }

    /// Whether rows of the selection are still read.
    pub fn is_selecting(&self) -> bool {
        self.open.current_rows.is_selecting
    }

    /// Notes whether the rows that are selected are all known and on screen.
    pub fn note_selecting(&mut self, is_selecting: bool) {
        self.open.current_rows.is_selecting = is_selecting;
    }

    /// Opens the lower panel at a tab; at the notes, to write one.
    pub fn show_tab(&mut self, tab: PanelTab) {
        self.settings.panel_tab = tab;
        (self.settings.lower_panel, self.settings.panel_open) = (true, true);
        let has_captures = matches!(self.focus(), Some(Focus::Capture(_))) || self.selected_together().is_some();
        self.open.opens_note = tab == PanelTab::Notes && has_captures;
    }

    /// Opens the lower panel, or closes it to one line, which is about the row of the page again.
    pub(super) fn toggle_lower_panel(&mut self) {
        let opens = !self.panel_is_open();
        (self.settings.lower_panel, self.settings.panel_open) = (true, opens);
        self.open.current_rows.beside.clear();
    }
}
