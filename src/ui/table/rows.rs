//! Sources of a table's rows: in memory, or read a part at a time.

use super::column::Getter;
use crate::app::models::{Loaded, SortKey};
use crate::app::{AppState, LIST_PAGE, RowFill, RowQuery};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A row as far as it is loaded.
pub(super) enum Slot<'s, R> {
    Ready(&'s R),
    Loading,
    /// The list has become shorter.
    Gone,
    Failed(String),
}

/// Rows in the order in which they are shown.
pub(super) trait RowSource<R> {
    fn total(&self) -> u64;
    /// Whether it can be sorted by this column.
    fn can_sort(&self, column: &str) -> bool;
    /// Has these rows read; true once all of them are loaded.
    fn prepare(&mut self, app: &mut AppState, rows: Range<u64>) -> bool;
    fn row(&self, index: u64) -> Slot<'_, R>;
    /// Reads the columns of all rows, on a worker.
    fn fill(&self, columns: Vec<Getter<R>>) -> RowFill;
}

/// Rows that are all in memory.
pub(super) struct LoadedRows<'r, R> {
    pub(super) rows: Vec<&'r R>,
    pub(super) order: Arc<Vec<usize>>,
}

impl<R> RowSource<R> for LoadedRows<'_, R> {
    fn total(&self) -> u64 {
        self.rows.len() as u64
    }

    fn can_sort(&self, _: &str) -> bool {
        true
    }

    fn prepare(&mut self, _: &mut AppState, _: Range<u64>) -> bool {
        true
    }

    fn row(&self, index: u64) -> Slot<'_, R> {
        let at = usize::try_from(index).ok().and_then(|index| self.order.get(index));
        at.and_then(|at| self.rows.get(*at)).map_or(Slot::Gone, |row| Slot::Ready(row))
    }

    fn fill(&self, columns: Vec<Getter<R>>) -> RowFill {
        let rows = self.order.iter().filter_map(|at| self.rows.get(*at));
        let cells: Vec<Vec<serde_json::Value>> =
            rows.map(|row| columns.iter().map(|get| get.of(row).exported()).collect()).collect();
        Arc::new(move |_, cx, write| {
            for row in &cells {
                write(row)?;
                cx.advance(1)?;
            }
            Ok(())
        })
    }
}

/// Rows that a query gives, a [`LIST_PAGE`] at a time, or [`MANY_ROWS`].
pub(super) struct Paged<'q, Q: RowQuery> {
    query: &'q Q,
    sort: Vec<SortKey>,
    total: u64,
    /// By how many rows they have, and their number.
    pages: HashMap<(u64, u64), Loaded<Arc<Q::Page>>>,
}

impl<'q, Q: RowQuery> Paged<'q, Q> {
    pub(super) fn new(query: &'q Q, sort: &[SortKey], total: u64) -> Self {
        let sort = sort.iter().filter(|key| query.can_sort(key.column)).cloned().collect();
        Self { query, sort, total, pages: HashMap::new() }
    }
}

impl<Q: RowQuery> RowSource<Q::Row> for Paged<'_, Q> {
    fn total(&self) -> u64 {
        self.total
    }

    fn can_sort(&self, column: &str) -> bool {
        self.query.can_sort(column)
    }

    fn prepare(&mut self, app: &mut AppState, rows: Range<u64>) -> bool {
        let last = rows.end.min(self.total);
        let size = if last.saturating_sub(rows.start) > 2 * LIST_PAGE { MANY_ROWS } else { LIST_PAGE };
        let mut is_ready = true;
        for page in rows.start / size..last.div_ceil(size) {
            let answer = self
                .pages
                .entry((size, page))
                .or_insert_with(|| self.query.part(&self.sort, page * size, size).load(&mut app.reads));
            is_ready &= !matches!(answer, Loaded::Loading { .. });
        }
        is_ready
    }

    fn row(&self, index: u64) -> Slot<'_, Q::Row> {
        let of_size = |size: u64| match self.pages.get(&(size, index / size)) {
            // Rows of another page are no answer to this one.
            None | Some(Loaded::Loading { .. }) => Slot::Loading,
            Some(Loaded::Failed(notice)) => Slot::Failed(format!("{}: {}", notice.what, notice.why)),
            Some(Loaded::Ready(page)) => {
                let at = usize::try_from(index % size).unwrap_or(usize::MAX);
                Q::rows(page).get(at).map_or(Slot::Gone, Slot::Ready)
            }
        };
        match of_size(LIST_PAGE) {
            Slot::Loading => of_size(MANY_ROWS),
            slot => slot,
        }
    }

    fn fill(&self, columns: Vec<Getter<Q::Row>>) -> RowFill {
        let (query, sort) = (self.query.clone(), self.sort.clone());
        Arc::new(move |session, cx, write| {
            let mut offset = 0;
            loop {
                let page = query.part(&sort, offset, EXPORT_ROWS).read(session)?;
                let rows = Q::rows(&page);
                for row in rows {
                    let cells: Vec<serde_json::Value> = columns.iter().map(|get| get.of(row).exported()).collect();
                    write(&cells)?;
                    cx.advance(1)?;
                }
                offset += rows.len() as u64;
                if rows.is_empty() {
                    return Ok(());
                }
            }
        })
    }
}

/// Rows that are read at once where many are needed, since each part of a
/// filtered list goes through all rows before it.
pub(super) const MANY_ROWS: u64 = 10 * LIST_PAGE;

/// Rows that an export reads at once: skipping to an offset takes time.
const EXPORT_ROWS: u64 = 5_000;
