//! Actions on all selected rows of a table, once they are loaded.

use super::rows::{MANY_ROWS, RowSource, Slot};
use super::state::{RANGE_ROWS, TableState};
use super::{RowAction, Table, state_id};
use crate::app::AppState;
use crate::app::models::Notice;
use crate::ui::icons::Icon;
use crate::ui::text;
use egui::{Context, Ui};

/// The label of an action for so many rows.
type RowsLabel<'a> = Box<dyn Fn(u64) -> String + 'a>;
/// The action on these rows.
type RowsAct<'a, R, A> = Box<dyn Fn(&Context, &[&R]) -> Option<A> + 'a>;

/// An action on all selected rows.
pub struct RowsAction<'a, R, A> {
    pub(super) label: RowsLabel<'a>,
    act: RowsAct<'a, R, A>,
}

impl<'a, R, A> RowsAction<'a, R, A> {
    /// An action of this label, which names how many rows it is about.
    pub fn new(label: impl Fn(u64) -> String + 'a, act: impl Fn(&Context, &[&R]) -> Option<A> + 'a) -> Self {
        Self { label: Box::new(label), act: Box::new(act) }
    }

    /// Copies the URLs of the rows, one a line.
    pub fn copy_urls(url: impl Fn(&R) -> &str + 'a) -> Self {
        let label = |rows: u64| match rows {
            1 => "Copy URL".to_owned(),
            rows => format!("Copy {} URLs", text::count(rows)),
        };
        Self::new(label, move |ctx, rows| {
            let urls: Vec<&str> = rows.iter().map(|row| url(row)).collect();
            ctx.copy_text(urls.join("\n"));
            None
        })
    }
}

/// What can be done with one row by a button at its end.
pub struct RowIcon<'a, R, A> {
    pub(super) icon: Icon,
    pub(super) name: &'a str,
    pub(super) act: RowAction<'a, R, A>,
}

impl<'a, R, A> RowIcon<'a, R, A> {
    /// A button with this icon, named by what it does.
    pub fn new(icon: Icon, name: &'a str, act: impl Fn(&R) -> Option<A> + 'a) -> Self {
        Self { icon, name, act: Box::new(act) }
    }
}

/// Has the table of this name do its action number `action` with all selected rows.
pub fn request_rows(ui: &Ui, table: &str, action: usize) {
    ui.data_mut(|data| {
        let state: &mut TableState = data.get_temp_mut_or_default(state_id(table));
        state.acts = Some(action);
    });
}

/// The number of selected rows, of `total`, in the table of this name.
pub fn selected_count(ui: &Ui, table: &str, total: u64) -> u64 {
    let state: Option<TableState> = ui.data(|data| data.get_temp(state_id(table)));
    state.map_or(0, |state| state.selection.count(total))
}

impl<R, A> Table<'_, R, A> {
    /// The places of the selected rows, at most of the first [`RANGE_ROWS`]; none until they are loaded.
    pub(super) fn selected(
        &self,
        app: &mut AppState,
        rows: &mut dyn RowSource<R>,
        state: &TableState,
    ) -> Option<Vec<u64>> {
        let (expected, most) = (state.selection.count(rows.total()), rows.total().min(RANGE_ROWS));
        let mut found = Vec::new();
        let mut done = 0;
        while done < most && (found.len() as u64) < expected {
            let part = done..most.min(done + MANY_ROWS);
            if !rows.prepare(app, part.clone()) {
                return None;
            }
            let is_selected =
                |index: &u64| matches!(rows.row(*index), Slot::Ready(row) if state.selection.contains((self.key)(row)));
            found.extend(part.clone().filter(is_selected));
            done = part.end;
        }
        Some(found)
    }

    /// Carries out the requested action on all selected rows; a notice is shown where some are missing.
    pub(super) fn act_on_rows(
        &self,
        ui: &Ui,
        app: &mut AppState,
        rows: &mut dyn RowSource<R>,
        state: &mut TableState,
    ) -> Option<A> {
        let action = self.actions.get(state.acts.filter(|_| state.range.is_none())?)?;
        let selected = self.selected(app, rows, state)?;
        state.acts = None;
        let expected = state.selection.count(rows.total());
        if (selected.len() as u64) < expected {
            app.notice(Notice {
                is_error: false,
                what: format!(
                    "{} of {} selected rows were taken",
                    text::count(selected.len() as u64),
                    text::count(expected)
                ),
                why: format!("only the first {} rows of the table are looked through", text::count(RANGE_ROWS)),
                hint: "Narrow the filter, then do the same with the rest".to_owned(),
            });
        }
        let loaded: Vec<&R> = selected
            .iter()
            .filter_map(|index| match rows.row(*index) {
                Slot::Ready(row) => Some(row),
                Slot::Loading | Slot::Gone | Slot::Failed(_) => None,
            })
            .collect();
        if loaded.is_empty() { None } else { (action.act)(ui.ctx(), &loaded) }
    }

    /// Sends the action of a new selection.
    pub(super) fn announce_selection(&self, rows: &mut dyn RowSource<R>, state: &mut TableState) -> Option<A> {
        let select = self.select.as_ref()?;
        if state.range.is_some() || state.announced.as_ref().is_some_and(|known| known.is_same(&state.selection)) {
            return None;
        }
        state.announced = Some(state.selection.clone());
        let all = (0..rows.total()).filter_map(|index| match rows.row(index) {
            Slot::Ready(row) if state.selection.contains((self.key)(row)) => Some(row),
            _ => None,
        });
        select(&all.collect::<Vec<_>>())
    }
}
