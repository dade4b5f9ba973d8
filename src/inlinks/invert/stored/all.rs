//! Reads all stored rows, for other counts.

use super::super::LinkError;
use super::super::row::Row;
use super::folder::LinkStore;
use crate::jobs::JobCx;

impl LinkStore {
    /// Gives out every row in the order of the targets: captures of a page
    /// first, then the links to it in the order (date, source, anchor).
    ///
    /// # Errors
    ///
    /// Files that are not as they were written, an error of `take`, or `Cancelled`.
    pub fn each_row<E: From<LinkError>>(
        &self,
        cx: &JobCx,
        mut take: impl FnMut(&Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rows = self.rows(b"", 0, None, cx)?;
        while rows.advance()? {
            take(&rows.row()?)?;
        }
        Ok(())
    }
}
