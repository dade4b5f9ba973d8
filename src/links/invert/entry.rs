//! A row as some numbers, and rows as bytes on their way to the disk and back.

use super::blocks::{checksum, invalid, read_at};
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

/// Dates of archives are whole seconds; `when` has milliseconds.
const SECOND: u64 = 1000;

/// How the dates and tails of some rows are written: most rows that come
/// together are some decades apart at most, in seconds, and of plain tails.
#[derive(Debug, Clone, Copy)]
struct Form {
    /// The least `when`, where what is written is the seconds after it.
    base: Option<u64>,
    short_tails: bool,
}

impl Form {
    fn of(rows: &[Entry]) -> Self {
        let base = rows.iter().map(|row| row.when).min().unwrap_or(0);
        let fits = |row: &Entry| {
            let after = row.when - base;
            after.is_multiple_of(SECOND) && after / SECOND <= u64::from(u32::MAX)
        };
        let short_tails = rows.iter().all(|row| row.tail <= TextId::from(u8::MAX));
        Self { base: rows.iter().all(fits).then_some(base), short_tails }
    }

    fn row_bytes(self) -> usize {
        let when = if self.base.is_some() { size_of::<u32>() } else { size_of::<u64>() };
        3 * size_of::<u32>() + when + if self.short_tails { 1 } else { size_of::<u32>() }
    }

    /// Column behind column.
    fn write(self, rows: &[Entry], out: &mut Vec<u8>) {
        for column in [|row: &Entry| row.target, |row: &Entry| row.source, |row: &Entry| row.anchor] {
            out.extend(rows.iter().flat_map(|row| column(row).to_le_bytes()));
        }
        match self.base {
            Some(base) => out.extend(rows.iter().flat_map(|row| (((row.when - base) / SECOND) as u32).to_le_bytes())),
            None => out.extend(rows.iter().flat_map(|row| row.when.to_le_bytes())),
        }
        match self.short_tails {
            true => out.extend(rows.iter().map(|row| row.tail as u8)),
            false => out.extend(rows.iter().flat_map(|row| row.tail.to_le_bytes())),
        }
    }

    /// Puts what was written in the place of `rows`.
    fn read(self, bytes: &[u8], rows: &mut [Entry]) -> Option<()> {
        let mut rest = bytes;
        let mut take = |width: usize| {
            let (column, after) = rest.split_at_checked(width * rows.len())?;
            rest = after;
            Some(column)
        };
        let columns = [take(4)?, take(4)?, take(4)?];
        let (whens, tails) =
            (take(if self.base.is_some() { 4 } else { 8 })?, take(if self.short_tails { 1 } else { 4 })?);
        let [targets, sources, anchors] =
            columns.map(|column| column.as_chunks().0.iter().copied().map(u32::from_le_bytes));
        for (row, ((target, source), anchor)) in rows.iter_mut().zip(targets.zip(sources).zip(anchors)) {
            (row.target, row.source, row.anchor) = (target, source, anchor);
        }
        match self.base {
            Some(base) => {
                let whens = whens.as_chunks().0.iter().copied().map(u32::from_le_bytes);
                rows.iter_mut().zip(whens).for_each(|(row, when)| row.when = base + u64::from(when) * SECOND);
            }
            None => {
                let whens = whens.as_chunks().0.iter().copied().map(u64::from_le_bytes);
                rows.iter_mut().zip(whens).for_each(|(row, when)| row.when = when);
            }
        }
        match self.short_tails {
            true => rows.iter_mut().zip(tails).for_each(|(row, &tail)| row.tail = TextId::from(tail)),
            false => {
                let tails = tails.as_chunks().0.iter().copied().map(u32::from_le_bytes);
                rows.iter_mut().zip(tails).for_each(|(row, tail)| row.tail = tail);
            }
        }
        Some(())
    }
}

/// Where rows stand in a spool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    file: usize,
    offset: u64,
    pub(super) rows: usize,
    form: Form,
    checksum: u32,
}

impl Segment {
    /// What the rows take on the disk.
    pub(super) fn bytes(&self) -> usize {
        self.rows * self.form.row_bytes()
    }
}

/// Rows on the disk, in a file without name that the system frees when the
/// program ends, however it ends.
#[derive(Default)]
pub(super) struct Spool {
    writing: Mutex<Writing>,
    /// Its number among those that are read together.
    number: usize,
}

#[derive(Default)]
struct Writing {
    file: Option<File>,
    offset: u64,
    bytes: Vec<u8>,
}

impl Spool {
    /// To be read together with rows that are on the disk already.
    pub(super) fn after(spooled: &Spooled) -> Self {
        Self { writing: Mutex::default(), number: spooled.files.len() }
    }

    /// Appends rows.
    pub(super) fn write(&self, folder: &Path, rows: &[Entry]) -> io::Result<Segment> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Writing { file, offset, bytes } = &mut *writing;
        let file = match file {
            Some(file) => file,
            None => file.insert(tempfile::tempfile_in(folder)?),
        };
        let form = Form::of(rows);
        bytes.clear();
        form.write(rows, bytes);
        file.write_all(bytes)?;
        let at = *offset;
        *offset += bytes.len() as u64;
        Ok(Segment { file: self.number, offset: at, rows: rows.len(), form, checksum: checksum(bytes) })
    }

    /// No more rows come.
    pub(super) fn finish(self) -> Spooled {
        let writing = self.writing.into_inner().unwrap_or_else(PoisonError::into_inner);
        Spooled { files: vec![writing.file], bytes: writing.offset }
    }
}

/// A spool that is read.
#[derive(Default)]
pub(super) struct Spooled {
    files: Vec<Option<File>>,
    pub(super) bytes: u64,
}

impl Spooled {
    /// Takes the rows of a spool that comes after this one.
    pub(super) fn append(&mut self, mut after: Self) {
        self.files.append(&mut after.files);
        self.bytes += after.bytes;
    }

    /// Appends the rows of a segment to `rows`.
    pub(super) fn read(&self, segment: Segment, bytes: &mut Vec<u8>, rows: &mut Vec<Entry>) -> io::Result<()> {
        let file = self.files.get(segment.file).and_then(Option::as_ref);
        let file = file.ok_or_else(|| invalid("rows on the disk are gone"))?;
        bytes.resize(segment.bytes(), 0);
        read_at(file, bytes, segment.offset)?;
        if checksum(bytes) != segment.checksum {
            return Err(invalid("rows on the disk are not as they were written"));
        }
        let had = rows.len();
        rows.resize(had + segment.rows, Entry::default());
        let read = rows.get_mut(had..).and_then(|rows| segment.form.read(bytes, rows));
        read.ok_or_else(|| invalid("rows on the disk are gone"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(n: u32) -> Entry {
        Entry { when: (1 << 63) | (u64::from(n) * 1000), target: n, source: n * 7, anchor: u32::MAX - n, tail: n % 256 }
    }

    #[test]
    fn rows_come_back_from_the_disk_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let narrow: Vec<Entry> = (0..1000).map(row).collect();
        let millis = (0..1000).map(|n| Entry { when: u64::MAX - u64::from(n), ..row(n) });
        // A capture among links, and tails that are texts.
        let far = (0..1000).map(|n| Entry { when: u64::from(n % 2) << 63, tail: 300 - n % 100, ..row(n) });
        let rows: Vec<Entry> = narrow.iter().copied().chain(millis).chain(far).collect();
        let spool = Spool::default();
        let segments: Vec<Segment> = rows.chunks(250).map(|some| spool.write(folder.path(), some).unwrap()).collect();
        assert_eq!([0, 4, 8].map(|at: usize| segments[at].bytes() / 250), [17, 21, 24]);
        let spooled = spool.finish();
        assert_eq!(spooled.bytes, 1000 * (17 + 21 + 24));
        let (mut bytes, mut got) = (Vec::new(), Vec::new());
        segments.iter().for_each(|&segment| spooled.read(segment, &mut bytes, &mut got).unwrap());
        assert_eq!(got, rows);
        for other in [Segment { file: 9, ..segments[0] }, Segment { checksum: 0, ..segments[0] }] {
            assert!(spooled.read(other, &mut bytes, &mut got).is_err());
        }
    }
}
