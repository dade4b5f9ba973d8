//! Writes and reads sorted runs on disk: rows in blocks that can be read one by one.
//!
//! A target is written as what it shares with the target before; a source, anchor or tail that repeats the
//! one before is not written again; dates are steps from the one before. The first target of each follows the
//! blocks, so that a part of the run is found without reading what is before it.

use super::blocks::{
    BLOCK_BYTES, Reader, checksum, invalid, pack, push_number, push_slice, read_at, read_block, shared_len,
};
use super::index::Index;
use super::row::Parts;
use super::stored::Recent;
use crate::jobs::create_own;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Memory of one reader, in bytes: a block, packed and not.
pub(super) const READER_BYTES: usize = 3 * BLOCK_BYTES;

/// At the end: where the list of blocks starts, its checksum, and that the run
/// is whole.
const END: usize = 24;
const WHOLE: u64 = u64::from_le_bytes(*b"fondsru3");

/// A block is listed only so many times the length of its first target behind
/// the one that was listed before: the list stays in memory.
const LISTED_EVERY: u64 = 16;

const NEW_TARGET: u8 = 1;
const SAME_SOURCE: u8 = 2;
const SAME_ANCHOR: u8 = 4;
const SAME_TAIL: u8 = 8;
const IN_SECONDS: u8 = 16;

/// Most dates of archives are whole seconds; `when` has milliseconds.
const SECOND: u64 = 1000;

/// A finished run.
pub(super) struct Run {
    file: File,
    index: Index,
    /// Where the blocks end.
    end: u64,
    bytes: u64,
}

impl Run {
    /// Opens a run that was finished before.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let broken = || invalid("the run is not whole");
        let mut tail = [0; END];
        read_at(&file, &mut tail, bytes.checked_sub(END as u64).ok_or_else(broken)?)?;
        let number =
            |from: usize| tail.get(from..).and_then(|rest| rest.first_chunk()).copied().map(u64::from_le_bytes);
        let end = number(0).filter(|&end| end + END as u64 <= bytes && number(16) == Some(WHOLE)).ok_or_else(broken)?;
        let mut list = vec![0; usize::try_from(bytes - end).map_err(|_| broken())? - END];
        read_at(&file, &mut list, end)?;
        if number(8) != Some(u64::from(checksum(&list))) {
            return Err(broken());
        }
        let index = Index::read(&list).ok_or_else(broken)?;
        Ok(Self { file, index, end, bytes })
    }

    /// Size on disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of blocks listed.
    pub(super) fn blocks(&self) -> usize {
        self.index.len()
    }

    /// The first targets of the blocks that are listed.
    pub(super) fn samples(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.blocks()).map(|block| self.index.target(block))
    }

    /// Reads rows; those of targets before `from` may come first.
    pub(super) fn read_from(&self, from: &[u8]) -> RowReader<'_> {
        RowReader::new(&self.file, self.index.offset_before(from, 0).unwrap_or(self.end), self.end)
    }
}

/// Rows that come in order, as the bytes of blocks.
pub(super) struct RowEncoder {
    plain: Vec<u8>,
    target: Vec<u8>,
    when: u64,
    last: [Range<usize>; 3],
}

impl RowEncoder {
    pub(super) fn new() -> Self {
        Self { plain: Vec::with_capacity(BLOCK_BYTES + 1024), target: Vec::new(), when: 0, last: [0..0, 0..0, 0..0] }
    }

    /// Whether the next row begins a block.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Whether the block has to end before the next row.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.plain.len() >= BLOCK_BYTES
    }

    /// The bytes of the block so far.
    pub(super) fn block(&self) -> &[u8] {
        &self.plain
    }

    /// Begins the next block.
    pub(super) fn clear(&mut self) {
        self.plain.clear();
    }

    /// Begins the next block in other memory, and gives this one out.
    pub(super) fn take(&mut self, mut memory: Vec<u8>) -> Vec<u8> {
        memory.clear();
        std::mem::replace(&mut self.plain, memory)
    }

    /// `same_target` means that the row before had the same.
    #[inline]
    pub(super) fn push(&mut self, row: &Parts<'_>, same_target: bool) {
        let first = self.plain.is_empty();
        let control = self.plain.len();
        self.plain.push(0);
        let mut flags = 0;
        if first || !same_target {
            flags |= NEW_TARGET;
            // A block can be read without the one before.
            let shared = if first { 0 } else { shared_len(&self.target, row.target) };
            let new = row.target.get(shared..).unwrap_or_default();
            push_number(&mut self.plain, shared as u64);
            push_slice(&mut self.plain, new);
            self.target.truncate(shared);
            self.target.extend_from_slice(new);
            self.plain.extend_from_slice(&row.when.to_le_bytes());
        } else {
            let step = row.when.wrapping_sub(self.when);
            let in_seconds = step.is_multiple_of(SECOND);
            flags |= if in_seconds { IN_SECONDS } else { 0 };
            push_number(&mut self.plain, if in_seconds { step / SECOND } else { step });
        }
        self.when = row.when;
        let parts = [(row.source, SAME_SOURCE), (row.anchor, SAME_ANCHOR), (row.tail, SAME_TAIL)];
        for ((text, same), last) in parts.into_iter().zip(&mut self.last) {
            if !first && self.plain.get(last.clone()) == Some(text) {
                flags |= same;
            } else {
                push_slice(&mut self.plain, text);
                *last = self.plain.len() - text.len()..self.plain.len();
            }
        }
        if let Some(control) = self.plain.get_mut(control) {
            *control = flags;
        }
    }
}

/// Writes rows that come in order.
pub(super) struct RunWriter {
    file: BufWriter<File>,
    rows: RowEncoder,
    packed: Vec<u8>,
    index: Index,
    offset: u64,
    /// Where the next block is that is listed.
    list_from: u64,
}

impl RunWriter {
    /// Into a file without name, that the system frees when the program ends,
    /// however it ends; or, to be found again after that, into a named one.
    pub(super) fn create(folder: &Path, name: Option<&Path>) -> io::Result<Self> {
        let file = match name {
            None => tempfile::tempfile_in(folder)?,
            Some(name) => create_own(name)?,
        };
        Ok(Self {
            file: BufWriter::with_capacity(4 * BLOCK_BYTES, file),
            rows: RowEncoder::new(),
            packed: Vec::new(),
            index: Index::default(),
            offset: 0,
            list_from: 0,
        })
    }

    /// `same_target` means that the row before had the same.
    pub(super) fn write(&mut self, row: &Parts<'_>, same_target: bool) -> io::Result<()> {
        if self.rows.is_full() {
            self.end_block()?;
        }
        if self.rows.is_empty() && self.offset >= self.list_from {
            self.index.push(self.offset, row.target, row.when);
            self.list_from = self.offset + row.target.len() as u64 * LISTED_EVERY;
        }
        self.rows.push(row, same_target);
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        pack(self.rows.block(), &mut self.packed)?;
        self.file.write_all(&self.packed)?;
        self.offset += self.packed.len() as u64;
        self.rows.clear();
        Ok(())
    }

    /// Ends the run; with `durable`, it is on the disk afterwards.
    pub(super) fn finish(mut self, durable: bool) -> io::Result<Run> {
        if !self.rows.is_empty() {
            self.end_block()?;
        }
        let mut list = Vec::new();
        self.index.write(&mut list);
        let sum = checksum(&list);
        list.extend_from_slice(&self.offset.to_le_bytes());
        list.extend_from_slice(&u64::from(sum).to_le_bytes());
        list.extend_from_slice(&WHOLE.to_le_bytes());
        self.file.write_all(&list)?;
        let file = self.file.into_inner().map_err(|error| error.into_error())?;
        if durable {
            file.sync_all()?;
        }
        Ok(Run { file, index: self.index, end: self.offset, bytes: self.offset + list.len() as u64 })
    }
}

/// Result of reading the next row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A row of the same target.
    Same,
    /// A row of another target.
    New,
    /// The end.
    End,
}

/// Reads the rows of consecutive blocks.
pub(super) struct RowReader<'r> {
    file: &'r File,
    /// Stands in errors, where others should know it.
    path: Option<&'r Path>,
    /// Where the first blocks may be already, and how many those are.
    recent: Option<(&'r Recent, u8)>,
    /// Where the next block is, and where the last one ends.
    next: u64,
    end: u64,
    /// Where the present block is.
    offset: u64,
    packed: Vec<u8>,
    /// Shared where others look into the same block.
    plain: Arc<Vec<u8>>,
    at: usize,
    started: bool,
    target: Vec<u8>,
    when: u64,
    texts: [Range<usize>; 3],
}

impl<'r> RowReader<'r> {
    /// Before the first row of the block at `offset`.
    pub(super) fn new(file: &'r File, offset: u64, end: u64) -> Self {
        Self {
            file,
            path: None,
            recent: None,
            next: offset,
            end,
            offset,
            packed: Vec::new(),
            plain: Arc::default(),
            at: 0,
            started: false,
            target: Vec::new(),
            when: 0,
            texts: [0..0, 0..0, 0..0],
        }
    }

    /// Errors name this file.
    pub(super) fn named(mut self, path: &'r Path) -> Self {
        self.path = Some(path);
        self
    }

    /// The first blocks are those that others have read, where they are kept: who looks a
    /// row up needs no more, and who reads on reads all.
    pub(super) fn beginning_with(mut self, recent: &'r Recent) -> Self {
        self.recent = Some((recent, 2));
        self
    }

    /// The present row.
    #[inline]
    pub(super) fn row(&self) -> Parts<'_> {
        let [source, anchor, tail] = &self.texts;
        let text = |range: &Range<usize>| self.plain.get(range.clone()).unwrap_or_default();
        Parts { target: &self.target, when: self.when, source: text(source), anchor: text(anchor), tail: text(tail) }
    }

    /// Goes to the next row.
    #[inline]
    pub(super) fn advance(&mut self) -> io::Result<Step> {
        let first = self.at >= self.plain.len();
        if first {
            if self.next >= self.end {
                return Ok(Step::End);
            }
            self.next_block().map_err(|error| self.located(error))?;
        }
        match self.read_row(first) {
            Some(step) => Ok(step),
            None => Err(self.located(invalid(&format!("offset {}: bytes that are no row", self.offset)))),
        }
    }

    fn located(&self, error: io::Error) -> io::Error {
        match self.path {
            Some(path) => io::Error::new(error.kind(), format!("{}, {error}", path.display())),
            None => error,
        }
    }

    fn next_block(&mut self) -> io::Result<()> {
        self.offset = self.next;
        match &mut self.recent {
            Some((recent, left @ 1..)) => {
                *left -= 1;
                (self.next, self.plain) = recent.block(self.file, self.offset, self.end, &mut self.packed)?;
            }
            _ => {
                let mut own = Arc::try_unwrap(std::mem::take(&mut self.plain)).unwrap_or_default();
                self.next = read_block(self.file, self.offset, self.end, &mut self.packed, &mut own)?;
                self.plain = Arc::new(own);
            }
        }
        self.at = 0;
        Ok(())
    }

    #[inline]
    fn read_row(&mut self, first: bool) -> Option<Step> {
        let mut reader = Reader { bytes: &self.plain, at: self.at };
        let flags = reader.byte()?;
        let mut step = Step::Same;
        if first && flags & (SAME_SOURCE | SAME_ANCHOR | SAME_TAIL) != 0 {
            return None;
        }
        if flags & NEW_TARGET != 0 {
            if first {
                // A block begins with its target written out, even an old one.
                reader.number().filter(|&shared| shared == 0)?;
                let new = reader.slice()?;
                let new = self.plain.get(new)?;
                if !self.started || self.target != new {
                    step = Step::New;
                    self.target.clear();
                    self.target.extend_from_slice(new);
                }
            } else {
                step = Step::New;
                reader.front_coded(&mut self.target)?;
            }
            self.when = reader.fixed()?;
        } else {
            // No row precedes the first one of a block.
            (!first).then_some(())?;
            let unit = if flags & IN_SECONDS != 0 { SECOND } else { 1 };
            self.when = self.when.wrapping_add(reader.number()?.wrapping_mul(unit));
        }
        for (text, same) in self.texts.iter_mut().zip([SAME_SOURCE, SAME_ANCHOR, SAME_TAIL]) {
            if flags & same == 0 {
                *text = reader.slice()?;
            }
        }
        self.at = reader.at;
        self.started = true;
        Some(step)
    }
}

/// The name of a run in a folder that is kept.
pub(super) fn run_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("run-{number:06}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn rows() -> Vec<(String, u64, String)> {
        (0..20_000_u64)
            .map(|n| (format!("(pt,site{:05},)/", n / 7), n % 7 * 1000, format!("fonte{}", n * 31 % 97 / 3)))
            .collect()
    }

    fn parts((target, when, source): &(String, u64, String)) -> Parts<'_> {
        Parts { target: target.as_bytes(), when: *when, source: source.as_bytes(), anchor: b"texto", tail: b"" }
    }

    fn write(folder: &Path, name: Option<&Path>) -> Run {
        let rows = rows();
        let mut writer = RunWriter::create(folder, name).unwrap();
        for (at, row) in rows.iter().enumerate() {
            let same = at > 0 && rows[at - 1].0 == row.0;
            writer.write(&parts(row), same).unwrap();
        }
        writer.finish(name.is_some()).unwrap()
    }

    #[test]
    fn rows_come_back_as_they_went_from_any_target_on() {
        let folder = tempfile::tempdir().unwrap();
        let run = write(folder.path(), None);
        assert!(run.blocks() > 5 && run.bytes() < 300_000, "{} blocks, {} bytes", run.blocks(), run.bytes());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let rows = rows();
        for from in ["", "(pt,site00000,)/", "(pt,site01000,)/", "(pt,site02857,)/", "z"] {
            let mut reader = run.read_from(from.as_bytes());
            let mut last: Option<Vec<u8>> = None;
            let mut got = Vec::new();
            loop {
                let step = reader.advance().unwrap();
                if step == Step::End {
                    break;
                }
                let row = reader.row();
                assert_eq!(step == Step::Same, last.as_deref() == Some(row.target), "{row:?}");
                last = Some(row.target.to_vec());
                if row.target >= from.as_bytes() {
                    got.push(format!("{row:?}"));
                }
            }
            let expected = rows.iter().filter(|row| row.0.as_str() >= from).map(|row| format!("{:?}", parts(row)));
            assert!(got.into_iter().eq(expected), "from {from}");
        }
    }

    #[test]
    fn a_run_that_is_kept_is_found_again_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = run_path(folder.path(), 3);
        let bytes = write(folder.path(), Some(&path)).bytes();
        let again = Run::open(&path).unwrap();
        assert_eq!((again.bytes(), again.blocks() > 5), (bytes, true));
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Run::open(&path).is_err());
        let mut damaged = whole;
        damaged[5000] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let damaged = Run::open(&path).unwrap();
        let mut reader = damaged.read_from(b"");
        let error = loop {
            match reader.advance() {
                Ok(Step::End) => panic!("damage went unnoticed"),
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
