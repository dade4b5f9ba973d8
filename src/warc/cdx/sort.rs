//! Sorts the lines of an index on disk.

use super::{IndexForm, IndexLine};
use crate::jobs::{SortedLines, SpillSort};
use std::io::{self, Write};

/// Gathers lines and gives them in the order that CDX servers search in: by
/// their bytes.
pub struct IndexSorter {
    form: IndexForm,
    lines: SpillSort,
}

impl IndexSorter {
    /// Lines of this form.
    pub fn new(form: IndexForm) -> Self {
        Self { form, lines: SpillSort::default() }
    }

    /// Takes a line.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be written.
    pub fn push(&mut self, line: &IndexLine) -> io::Result<()> {
        self.lines.push(self.form.line(line))
    }

    /// Returns all lines in order.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be read.
    pub fn finish(self) -> io::Result<SortedLines> {
        self.lines.finish()
    }

    /// Writes the header of the form and all lines in order.
    ///
    /// # Errors
    ///
    /// Those of `out`, and as [`Self::finish`].
    pub fn write(self, mut out: impl Write) -> io::Result<()> {
        if let Some(header) = self.form.header() {
            writeln!(out, "{header}")?;
        }
        for line in self.finish()? {
            writeln!(out, "{}", line?)?;
        }
        Ok(())
    }
}

/// Writes lines in the order that CDX servers search in: by their bytes.
pub fn write_sorted(lines: &[IndexLine], form: IndexForm, out: impl Write) -> io::Result<()> {
    let mut sorter = IndexSorter::new(form);
    lines.iter().try_for_each(|line| sorter.push(line))?;
    sorter.write(out)
}
