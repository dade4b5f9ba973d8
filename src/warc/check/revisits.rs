//! Keeps revisits without an original until all files are known.
//!
//! There may be millions: what is only needed for words waits on the disk.

use super::super::{Problem, ProblemKind, WarcError};
use super::record_checks::OriginalRef;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// Bytes of names that are kept in memory.
const NAMES_IN_MEMORY: usize = 1024 * 1024;

/// Revisits, and what each names as its original.
pub(super) struct Revisits {
    waiting: Vec<Waiting>,
    names: BufWriter<SpooledTempFile>,
    names_len: u64,
}

/// A revisit that waits for its original.
struct Waiting {
    /// Number of its file.
    file: u32,
    offset: u64,
    /// Either will do.
    keys: [u64; 2],
    /// Place of its text among the names.
    names_at: u64,
    names_len: u32,
}

impl Default for Revisits {
    fn default() -> Self {
        Self::with_names_in_memory(NAMES_IN_MEMORY)
    }
}

impl Revisits {
    /// Keeps so many bytes of names in memory, and more on the disk.
    fn with_names_in_memory(bytes: usize) -> Self {
        Self { waiting: Vec::new(), names: BufWriter::new(tempfile::spooled_tempfile(bytes)), names_len: 0 }
    }

    /// Adds the revisit at `offset` of the file with this number.
    pub(super) fn add(&mut self, file: usize, offset: u64, original: &OriginalRef) -> Result<(), WarcError> {
        let (Some(&first), Some(&last)) = (original.keys.first(), original.keys.last()) else { return Ok(()) };
        let names = original.names.as_bytes();
        self.names.write_all(names).map_err(on_disk)?;
        self.waiting.push(Waiting {
            file: file as u32,
            offset,
            keys: [first, last],
            names_at: self.names_len,
            names_len: names.len() as u32,
        });
        self.names_len += names.len() as u64;
        Ok(())
    }

    /// Reports each revisit whose original is not among the `known` (sorted), by the names of `files` and
    /// their offsets.
    pub(super) fn report_unmatched(
        mut self,
        files: &[PathBuf],
        known: &[u64],
        mut on_problem: impl FnMut(&Path, Problem) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, WarcError> {
        self.waiting.retain(|revisit| !revisit.keys.iter().any(|key| known.binary_search(key).is_ok()));
        self.waiting.sort_by(|a, b| (&files[a.file as usize], a.offset).cmp(&(&files[b.file as usize], b.offset)));
        let names = self.names.into_inner().map_err(|error| on_disk(error.into_error()))?;
        let mut names = BufReader::new(names);
        names.seek(SeekFrom::Start(0)).map_err(on_disk)?;
        let (mut text, mut at) = (Vec::new(), 0i64);
        for revisit in self.waiting {
            names.seek_relative(revisit.names_at as i64 - at).map_err(on_disk)?;
            text.resize(revisit.names_len as usize, 0);
            names.read_exact(&mut text).map_err(on_disk)?;
            at = revisit.names_at as i64 + i64::from(revisit.names_len);
            let original = String::from_utf8_lossy(&text);
            let detail = format!("the record that the revisit names ({original}) is not in the files given");
            let problem = Problem::new(revisit.offset, ProblemKind::NoOriginal, detail);
            if on_problem(&files[revisit.file as usize], problem).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn on_disk(source: io::Error) -> WarcError {
    WarcError::Io { path: std::env::temp_dir(), source }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_disk_are_those_that_were_added() {
        let mut revisits = Revisits::with_names_in_memory(64);
        for number in 0..3000u64 {
            let original = OriginalRef { keys: vec![number], names: format!("urn:test:{number}") };
            revisits.add(number as usize % 2, number, &original).unwrap();
        }
        let known: Vec<u64> = (0..3000).filter(|number| number % 3 != 0).collect();
        let mut found = Vec::new();
        let files = [PathBuf::from("b"), PathBuf::from("a")];
        let ended = revisits.report_unmatched(&files, &known, |path, problem| {
            let name = format!("(urn:test:{})", problem.offset);
            assert!(problem.detail.contains(&name), "{}", problem.detail);
            found.push((path.to_owned(), problem.offset));
            ControlFlow::Continue(())
        });
        assert!(ended.unwrap().is_continue());
        let all = (0..3000).step_by(3).map(|number| (files[number as usize % 2].clone(), number));
        let mut expected: Vec<_> = all.collect();
        expected.sort();
        assert_eq!(found, expected);
    }
}
