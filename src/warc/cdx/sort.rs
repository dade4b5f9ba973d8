//! The lines of an index in order, however many there are.
//!
//! What does not fit into memory is sorted in runs, which go to a temporary
//! file and are merged as they are read.

use super::{IndexForm, IndexLine};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Lines held in memory, in bytes.
const MAX_HELD: usize = 64 * 1024 * 1024;

/// Bytes that a run is read in at once.
const CHUNK: usize = 64 * 1024;

/// Gathers lines and gives them in the order that CDX servers search in: by
/// their bytes.
pub struct IndexSorter {
    form: IndexForm,
    max_held: usize,
    held: Vec<String>,
    held_bytes: usize,
    /// Sorted lines, run after run.
    spilled: Option<File>,
    runs: Vec<Run>,
}

/// A run in the temporary file: its place, and what was read of it.
struct Run {
    at: u64,
    end: u64,
    chunk: Vec<u8>,
    used: usize,
}

impl IndexSorter {
    /// Lines of this form.
    pub fn new(form: IndexForm) -> Self {
        Self::with_room(form, MAX_HELD)
    }

    fn with_room(form: IndexForm, max_held: usize) -> Self {
        Self { form, max_held, held: Vec::new(), held_bytes: 0, spilled: None, runs: Vec::new() }
    }

    /// Takes a line.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be written.
    pub fn push(&mut self, line: &IndexLine) -> io::Result<()> {
        let text = self.form.line(line);
        self.held_bytes += text.len() + size_of::<String>();
        self.held.push(text);
        if self.held_bytes > self.max_held { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let at = file.seek(SeekFrom::End(0))?;
        let mut out = BufWriter::with_capacity(CHUNK, &mut *file);
        self.held.sort_unstable();
        for line in self.held.drain(..) {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        drop(out);
        let end = file.stream_position()?;
        self.held_bytes = 0;
        self.runs.push(Run { at, end, chunk: Vec::new(), used: 0 });
        Ok(())
    }

    /// All lines in order.
    pub fn finish(mut self) -> io::Result<SortedLines> {
        self.held.sort_unstable();
        let mut lines = SortedLines {
            held: self.held.into_iter(),
            spilled: self.spilled,
            runs: self.runs,
            next: BinaryHeap::new(),
        };
        for source in 0..=lines.runs.len() {
            lines.refill(source)?;
        }
        Ok(lines)
    }

    /// Writes the header of the form and all lines in order.
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

/// The lines of an [`IndexSorter`] in order.
pub struct SortedLines {
    held: std::vec::IntoIter<String>,
    spilled: Option<File>,
    runs: Vec<Run>,
    /// The next line of each source: of the runs, and of what is held.
    next: BinaryHeap<Reverse<(String, usize)>>,
}

impl SortedLines {
    /// Brings up the next line of a source.
    fn refill(&mut self, source: usize) -> io::Result<()> {
        let line = match (self.runs.get_mut(source), &mut self.spilled) {
            (Some(run), Some(file)) => run.line(file)?,
            _ => self.held.next(),
        };
        self.next.extend(line.map(|line| Reverse((line, source))));
        Ok(())
    }
}

impl Iterator for SortedLines {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let Reverse((line, source)) = self.next.pop()?;
        Some(self.refill(source).map(|()| line))
    }
}

impl Run {
    /// The next line, without its end.
    fn line(&mut self, file: &mut File) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            let rest = &self.chunk[self.used..];
            if let Some(end) = memchr::memchr(b'\n', rest) {
                line.extend_from_slice(&rest[..end]);
                self.used += end + 1;
                return String::from_utf8(line).map(Some).map_err(io::Error::other);
            }
            line.extend_from_slice(rest);
            if self.at >= self.end {
                return Ok(None);
            }
            let len = (self.end - self.at).min(CHUNK as u64);
            self.chunk.clear();
            self.used = 0;
            file.seek(SeekFrom::Start(self.at))?;
            let read = Read::by_ref(file).take(len).read_to_end(&mut self.chunk)? as u64;
            if read < len {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the temporary file was cut"));
            }
            self.at += read;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_sorted_whether_they_fit_into_memory_or_not() {
        let line = |number: usize| {
            let (key, long) = (number * 7919 % 5000 / 2, "x".repeat(number % 50));
            let text = format!(
                r#"pt,a)/{key} 20240301090000 {{"url": "http://a.pt/{long}", "length": "4", "offset": "{number}", "filename": "x"}}"#
            );
            IndexLine::parse(&text).unwrap()
        };
        let sorted = |max_held: usize, form: IndexForm| {
            let mut sorter = IndexSorter::with_room(form, max_held);
            (0..5000).for_each(|number| sorter.push(&line(number)).unwrap());
            let runs = sorter.runs.len();
            let mut out = Vec::new();
            sorter.write(&mut out).unwrap();
            (runs, String::from_utf8(out).unwrap())
        };
        let (runs, whole) = sorted(MAX_HELD, IndexForm::Cdxj);
        assert_eq!((runs, whole.lines().count()), (0, 5000));
        assert!(whole.lines().is_sorted());
        for (max_held, expected_runs) in [(100_000, 5..12), (1000, 500..2000), (0, 5000..5001)] {
            let (runs, merged) = sorted(max_held, IndexForm::Cdxj);
            assert!(expected_runs.contains(&runs), "{runs}");
            assert_eq!(merged, whole);
        }
        let (_, classic) = sorted(100_000, IndexForm::Cdx11);
        assert!(classic.starts_with(" CDX N b a m s k r M S V g\npt,a)/0 "), "{}", &classic[..60]);
    }
}
