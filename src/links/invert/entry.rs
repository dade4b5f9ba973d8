//! A row as some numbers, and rows as bytes on their way to the disk and back.

use super::blocks::{invalid, read_at};
use super::row::FLAGS;
use super::texts::TextId;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Rows that are handed on together.
pub(super) const BLOCK_ROWS: usize = 1024;

/// Tails with numbers below this are no texts: those of links that hold
/// nothing but kind and marks, and that of a capture without number.
pub(super) const PLAIN_TAILS: TextId = FLAGS as TextId + 1;

/// A spool begins a new file after so many bytes, so that what was read can go.
const FILE_BYTES: u64 = 256 << 20;

/// A row. The target is the number of its text, or its rank among the keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) when: u64,
    pub(super) target: u32,
    pub(super) source: TextId,
    pub(super) anchor: TextId,
    pub(super) tail: TextId,
}

/// What one row takes, in bytes.
pub(super) const ENTRY_BYTES: usize = size_of::<Entry>();

impl Entry {
    fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        let (when, rest) = bytes.split_at_mut(8);
        when.copy_from_slice(&self.when.to_le_bytes());
        for (place, number) in rest.chunks_exact_mut(4).zip([self.target, self.source, self.anchor, self.tail]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let number =
            |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |n| u32::from_le_bytes(*n));
        let when = bytes.first_chunk().map_or(0, |when| u64::from_le_bytes(*when));
        Self { when, target: number(8), source: number(12), anchor: number(16), tail: number(20) }
    }
}

/// Where rows stand in a spool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    file: usize,
    offset: u64,
    pub(super) rows: usize,
}

/// Rows on the disk, in files without name that the system frees when the
/// program ends, however it ends.
#[derive(Default)]
pub(super) struct Spool {
    writing: Mutex<Writing>,
}

#[derive(Default)]
struct Writing {
    files: Vec<File>,
    offset: u64,
    bytes: Vec<u8>,
    all_bytes: u64,
}

impl Spool {
    /// Appends rows.
    pub(super) fn write(&self, folder: &Path, rows: &[Entry]) -> io::Result<Segment> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Writing { files, offset, bytes, all_bytes } = &mut *writing;
        if files.is_empty() || *offset >= FILE_BYTES {
            files.push(tempfile::tempfile_in(folder)?);
            *offset = 0;
        }
        bytes.clear();
        rows.iter().for_each(|row| bytes.extend_from_slice(&row.to_bytes()));
        let file = files.len() - 1;
        if let Some(file) = files.last_mut() {
            file.write_all(bytes)?;
        }
        let at = *offset;
        *offset += bytes.len() as u64;
        *all_bytes += bytes.len() as u64;
        Ok(Segment { file, offset: at, rows: rows.len() })
    }

    /// No more rows come.
    pub(super) fn finish(self) -> Spooled {
        let writing = self.writing.into_inner().unwrap_or_else(PoisonError::into_inner);
        Spooled { files: writing.files, bytes: writing.all_bytes }
    }
}

/// A spool that is read.
#[derive(Default)]
pub(super) struct Spooled {
    files: Vec<File>,
    pub(super) bytes: u64,
}

impl Spooled {
    /// Appends the rows of a segment to `rows`.
    pub(super) fn read(&self, segment: Segment, bytes: &mut Vec<u8>, rows: &mut Vec<Entry>) -> io::Result<()> {
        let file = self.files.get(segment.file).ok_or_else(|| invalid("rows on the disk are gone"))?;
        bytes.resize(segment.rows * ENTRY_BYTES, 0);
        read_at(file, bytes, segment.offset)?;
        rows.extend(bytes.as_chunks().0.iter().map(Entry::from_bytes));
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_from_the_disk_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let rows: Vec<Entry> = (0..2000_u32)
            .map(|n| Entry {
                when: u64::MAX - u64::from(n),
                target: n,
                source: n * 7,
                anchor: u32::MAX - n,
                tail: n % 3,
            })
            .collect();
        let spool = Spool::default();
        let segments: Vec<Segment> = rows.chunks(300).map(|some| spool.write(folder.path(), some).unwrap()).collect();
        let spooled = spool.finish();
        assert_eq!(spooled.bytes, 2000 * 24);
        let (mut bytes, mut got) = (Vec::new(), Vec::new());
        segments.into_iter().for_each(|segment| spooled.read(segment, &mut bytes, &mut got).unwrap());
        assert_eq!(got, rows);
        let gone = Segment { file: 9, offset: 0, rows: 1 };
        assert!(spooled.read(gone, &mut bytes, &mut got).is_err());
    }
}
