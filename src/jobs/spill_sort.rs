//! Sorts lines on disk, so that their number is not limited by memory.
//!
//! What does not fit into memory is sorted in runs, which go to a temporary
//! file and are merged as they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Bytes that a run is read in at once.
const CHUNK: usize = 64 * 1024;

/// Gathers lines and gives them in the order of their bytes.
#[derive(Debug)]
pub struct SpillSort {
    max_bytes: usize,
    lines: Vec<String>,
    bytes: usize,
    /// Sorted lines, run after run.
    spilled: Option<File>,
    runs: Vec<Run>,
}

/// A run in the temporary file: its place, and what was read of it.
#[derive(Debug)]
struct Run {
    at: u64,
    end: u64,
    chunk: Vec<u8>,
    used: usize,
}

impl SpillSort {
    /// Holds so many bytes of lines in memory, 16 MiB by default.
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, lines: Vec::new(), bytes: 0, spilled: None, runs: Vec::new() }
    }

    /// Takes a line, which holds no line end.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be written.
    pub fn push(&mut self, line: String) -> io::Result<()> {
        self.bytes += line.len() + size_of::<String>();
        self.lines.push(line);
        if self.bytes > self.max_bytes { self.spill() } else { Ok(()) }
    }

    /// Times that memory was full.
    pub fn spills(&self) -> usize {
        self.runs.len()
    }

    /// Writes what is in memory to the temporary file, as when memory is full.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be written.
    pub fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let at = file.seek(SeekFrom::End(0))?;
        let mut out = BufWriter::with_capacity(CHUNK, &mut *file);
        self.lines.sort_unstable();
        for line in self.lines.drain(..) {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        drop(out);
        let end = file.stream_position()?;
        self.bytes = 0;
        self.runs.push(Run { at, end, chunk: Vec::new(), used: 0 });
        Ok(())
    }

    /// Returns all lines in order.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be read; so for each line.
    pub fn finish(mut self) -> io::Result<SortedLines> {
        self.lines.sort_unstable();
        let mut sorted = SortedLines {
            lines: self.lines.into_iter(),
            spilled: self.spilled,
            runs: self.runs,
            next: BinaryHeap::new(),
        };
        for source in 0..=sorted.runs.len() {
            let line = line_of(&mut sorted.runs, &mut sorted.spilled, &mut sorted.lines, source)?;
            sorted.next.extend(line.map(|line| Reverse((line, source))));
        }
        Ok(sorted)
    }
}

impl Default for SpillSort {
    fn default() -> Self {
        Self::new(16 * 1024 * 1024)
    }
}

/// The lines of a [`SpillSort`] in order.
pub struct SortedLines {
    lines: std::vec::IntoIter<String>,
    spilled: Option<File>,
    runs: Vec<Run>,
    /// The next line of each source: of the runs, and of what is in memory.
    next: BinaryHeap<Reverse<(String, usize)>>,
}

/// The next line of a source: of a run, or of what is in memory.
fn line_of(
    runs: &mut [Run],
    spilled: &mut Option<File>,
    lines: &mut impl Iterator<Item = String>,
    source: usize,
) -> io::Result<Option<String>> {
    match (runs.get_mut(source), spilled) {
        (Some(run), Some(file)) => run.line(file),
        _ => Ok(lines.next()),
    }
}

impl Iterator for SortedLines {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let mut first = self.next.peek_mut()?;
        let Reverse((line, source)) = &mut *first;
        match line_of(&mut self.runs, &mut self.spilled, &mut self.lines, *source) {
            // In its place: the heap is put in order once.
            Ok(Some(next)) => Some(Ok(std::mem::replace(line, next))),
            Ok(None) => Some(Ok(PeekMut::pop(first).0.0)),
            Err(error) => {
                PeekMut::pop(first);
                Some(Err(error))
            }
        }
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
        let sorted = |max_bytes: usize| {
            let mut sort = SpillSort::new(max_bytes);
            for number in 0..5000_usize {
                sort.push(format!("{} {}{number}", number * 7919 % 5000 / 2, "x".repeat(number % 50))).unwrap();
            }
            (sort.spills(), sort.finish().unwrap().map(Result::unwrap).collect::<Vec<_>>())
        };
        let (spills, whole) = sorted(usize::MAX);
        assert_eq!((spills, whole.len()), (0, 5000));
        assert!(whole.is_sorted());
        for (max_bytes, expected) in [(50_000, 5..12), (500, 400..2000), (0, 5000..5001)] {
            let (spills, merged) = sorted(max_bytes);
            assert!(expected.contains(&spills), "{spills}");
            assert_eq!(merged, whole);
        }
    }
}
