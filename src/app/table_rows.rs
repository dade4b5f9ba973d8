//! Rows of a table as files and other programs get them.
//!
//! In: a [`RowQuery`] or loaded rows. Out: CSV or JSON lines in a folder.

use super::Reads;
use super::models::{
    CaptureColumn, CapturePage, CaptureQuery, CaptureRow, Loaded, ProspectPage, ProspectQuery, ProspectRow,
    ProspectSite, ProspectSiteQuery, ProspectSites, SeenPage, SeenQuery, SeenRow, SortKey,
};
use crate::export::csv_row;
use crate::jobs::{JobCx, counted};
use crate::work::{JobKind, Session, write_table};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A question that is answered with rows, a part of them at a time.
pub trait RowQuery: Clone + Send + Sync + 'static {
    /// A row.
    type Row: Send + Sync + 'static;
    /// A part of them.
    type Page: Send + Sync + 'static;

    /// The same query for these rows, in this order.
    fn part(&self, sort: &[SortKey], offset: u64, limit: u64) -> Self;
    /// Whether it can be sorted by this column.
    fn can_sort(&self, column: &str) -> bool;
    /// Loads it for the window, which does not wait.
    fn load(self, reads: &mut Reads) -> Loaded<Arc<Self::Page>>;
    /// Reads it on a worker, which waits.
    fn read(&self, session: &Session) -> anyhow::Result<Self::Page>;
    /// The rows of an answer.
    fn rows(page: &Self::Page) -> &[Self::Row];
}

impl RowQuery for SeenQuery {
    type Row = SeenRow;
    type Page = SeenPage;

    fn part(&self, sort: &[SortKey], offset: u64, limit: u64) -> Self {
        Self { sort: sort.to_vec(), offset, limit, ..self.clone() }
    }

    fn can_sort(&self, column: &str) -> bool {
        Self::column_sql(column).is_some()
    }

    fn load(self, reads: &mut Reads) -> Loaded<Arc<SeenPage>> {
        reads.seen(self)
    }

    fn read(&self, session: &Session) -> anyhow::Result<SeenPage> {
        Ok(session.catalogue().seen(self)?)
    }

    fn rows(page: &SeenPage) -> &[SeenRow] {
        &page.rows
    }
}

impl RowQuery for ProspectQuery {
    type Row = ProspectRow;
    type Page = ProspectPage;

    fn part(&self, sort: &[SortKey], offset: u64, limit: u64) -> Self {
        Self { sort: sort.to_vec(), offset, limit, ..self.clone() }
    }

    fn can_sort(&self, column: &str) -> bool {
        Self::column_sql(column).is_some()
    }

    fn load(self, reads: &mut Reads) -> Loaded<Arc<ProspectPage>> {
        reads.prospects(self)
    }

    fn read(&self, session: &Session) -> anyhow::Result<ProspectPage> {
        session.prospects(self)
    }

    fn rows(page: &ProspectPage) -> &[ProspectRow] {
        &page.rows
    }
}

impl RowQuery for ProspectSiteQuery {
    type Row = ProspectSite;
    type Page = ProspectSites;

    fn part(&self, sort: &[SortKey], offset: u64, limit: u64) -> Self {
        Self { sort: sort.to_vec(), offset, limit, ..self.clone() }
    }

    fn can_sort(&self, column: &str) -> bool {
        Self::column_sql(column).is_some()
    }

    fn load(self, reads: &mut Reads) -> Loaded<Arc<ProspectSites>> {
        reads.prospect_sites(self)
    }

    fn read(&self, session: &Session) -> anyhow::Result<ProspectSites> {
        session.prospect_sites(self)
    }

    fn rows(page: &ProspectSites) -> &[ProspectSite] {
        &page.rows
    }
}

impl RowQuery for CaptureQuery {
    type Row = CaptureRow;
    type Page = CapturePage;

    fn part(&self, sort: &[SortKey], offset: u64, limit: u64) -> Self {
        let column = |key: &SortKey| Some((capture_column(key.column)?, key.descending));
        Self { sort: sort.iter().filter_map(column).collect(), offset, limit, ..self.clone() }
    }

    fn can_sort(&self, column: &str) -> bool {
        capture_column(column).is_some()
    }

    fn load(self, reads: &mut Reads) -> Loaded<Arc<CapturePage>> {
        reads.captures(self)
    }

    fn read(&self, session: &Session) -> anyhow::Result<CapturePage> {
        Ok(session.catalogue().captures(self)?)
    }

    fn rows(page: &CapturePage) -> &[CaptureRow] {
        &page.rows
    }
}

/// The column of captures of this name.
fn capture_column(name: &str) -> Option<CaptureColumn> {
    serde_json::from_value(name.into()).ok()
}

/// Takes the cells of one row.
pub type CellWriter<'a> = &'a mut dyn FnMut(&[serde_json::Value]) -> anyhow::Result<()>;

/// Hands all rows to a [`CellWriter`]; called on a worker.
pub type RowFill = Arc<dyn Fn(&Session, &JobCx, CellWriter<'_>) -> anyhow::Result<()> + Send + Sync>;

/// A form that a table is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableForm {
    /// Comma-separated values, with a head.
    #[default]
    Csv,
    /// One JSON object a row.
    JsonLines,
}

impl TableForm {
    /// Every one, with its label.
    pub const ALL: [(Self, &str); 2] = [(Self::Csv, "CSV"), (Self::JsonLines, "JSON lines")];

    /// Ending of the name of a file in it.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }
}

/// The present view of a table: its columns, and where its rows come from.
#[derive(Clone)]
pub struct TableRows {
    /// The name of the file, without date and ending.
    pub name: String,
    /// Names of the columns.
    pub columns: Vec<&'static str>,
    /// Number of rows when the part was loaded.
    pub total: u64,
    /// Gives the rows.
    pub fill: RowFill,
}

impl fmt::Debug for TableRows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {}: {}", counted(self.total, "row"), self.name, self.columns.join(", "))
    }
}

impl PartialEq for TableRows {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.columns == other.columns && Arc::ptr_eq(&self.fill, &other.fill)
    }
}

impl TableRows {
    /// Writes all rows into a new file in a folder; gives a summary with their number and the file.
    pub(super) fn write_file(
        &self,
        form: TableForm,
        folder: &Path,
        session: &Session,
        cx: &JobCx,
    ) -> anyhow::Result<String> {
        let name = (self.name.as_str(), form.ending());
        let fill = |out: &mut dyn Write| self.write(form, session, out, cx);
        session.run_job(JobKind::WriteTable, || write_table(&session.workspace, name, folder, self.total, cx, fill))
    }

    /// Writes all rows; gives their number.
    pub fn write(&self, form: TableForm, session: &Session, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u64> {
        if form == TableForm::Csv {
            csv_row(out, &self.columns)?;
        }
        let mut rows = 0;
        (self.fill)(session, cx, &mut |cells| {
            rows += 1;
            match form {
                TableForm::Csv => {
                    let texts: Vec<String> = cells.iter().map(cell_text).collect();
                    Ok(csv_row(out, &texts.iter().map(String::as_str).collect::<Vec<_>>())?)
                }
                TableForm::JsonLines => {
                    for (at, (id, cell)) in self.columns.iter().zip(cells).enumerate() {
                        write!(out, "{}\"{id}\":{cell}", if at == 0 { '{' } else { ',' })?;
                    }
                    Ok(out.write_all(b"}\n")?)
                }
            }
        })?;
        Ok(rows)
    }
}

/// A cell as plain text.
pub fn cell_text(cell: &serde_json::Value) -> String {
    match cell {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
