//! Join of the statements of several files of an export, by what they are about.

use crate::export::{ExportError, no_temporary};
use crate::jobs::{JobCx, SpillSort};

/// Bytes of lines that are sorted in memory, for each kind of thing.
pub(in crate::export) const SORT_BYTES: usize = 8 << 20;

/// Statements by the key of what they are about, however many there are.
pub(in crate::export) struct Join {
    lines: SpillSort,
}

impl Default for Join {
    fn default() -> Self {
        Self { lines: SpillSort::new(SORT_BYTES) }
    }
}

impl Join {
    /// Takes a statement. `kind` orders those of one key.
    pub(in crate::export) fn push(&mut self, key: &str, kind: u8, value: &str) -> Result<(), ExportError> {
        // As JSON no part can be taken for another, and one key begins all its lines.
        let line = serde_json::to_string(&(key, kind, value)).unwrap_or_default();
        self.lines.push(line).map_err(no_temporary)
    }

    /// Hands out all statements, those of one key one after another.
    pub(in crate::export) fn each(self, cx: &JobCx, mut each: impl FnMut(&str, u8, &str)) -> Result<(), ExportError> {
        for line in self.lines.finish().map_err(no_temporary)? {
            let line = line.map_err(no_temporary)?;
            if let Ok((key, kind, value)) = serde_json::from_str::<(String, u8, String)>(&line) {
                each(&key, kind, &value);
            }
            cx.checkpoint()?;
        }
        Ok(())
    }
}
