//! Sorted runs on disk: rows in blocks that can be read one by one.
//!
//! A target is written as what it shares with the target before; a source,
//! anchor or tail that repeats the one before is not written again; blocks
//! are compressed (LZ4) and carry a checksum. Behind the blocks stand the
//! first target of each, so that a part of the run is found without reading
//! what is before it.

use super::row::Parts;
use flate2::Crc;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Rows of one block before compression, in bytes, about.
pub(super) const BLOCK_BYTES: usize = 32 * 1024;

/// What one reader takes of the memory, in bytes: a block, packed and not.
pub(super) const READER_BYTES: usize = 3 * BLOCK_BYTES;

/// Lengths before and after compression, checksum.
const BLOCK_HEAD: usize = 12;

/// At the end: where the list of blocks starts, and that the run is whole.
const END: usize = 16;
const WHOLE: u64 = u64::from_le_bytes(*b"fondsrun");

const NEW_TARGET: u8 = 1;
const SAME_SOURCE: u8 = 2;
const SAME_ANCHOR: u8 = 4;
const SAME_TAIL: u8 = 8;

/// Where blocks start, and with which targets.
#[derive(Default)]
struct Index {
    offsets: Vec<u64>,
    /// Ends of the targets in `targets`.
    ends: Vec<usize>,
    targets: Vec<u8>,
}

impl Index {
    fn push(&mut self, offset: u64, target: &[u8]) {
        self.offsets.push(offset);
        self.targets.extend_from_slice(target);
        self.ends.push(self.targets.len());
    }

    fn target(&self, block: usize) -> &[u8] {
        let from = block.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let to = self.ends.get(block).copied().unwrap_or(from);
        self.targets.get(from..to).unwrap_or_default()
    }
}

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
        let end = number(0).filter(|&end| end + END as u64 <= bytes && number(8) == Some(WHOLE)).ok_or_else(broken)?;
        let mut list = vec![0; usize::try_from(bytes - end).map_err(|_| broken())? - END];
        read_at(&file, &mut list, end)?;
        let mut index = Index::default();
        let mut reader = Reader { bytes: &list, at: 0 };
        while reader.at < list.len() {
            let offset = reader.number().filter(|&offset| offset < end).ok_or_else(broken)?;
            let target = reader.slice().ok_or_else(broken)?;
            index.push(offset, list.get(target).unwrap_or_default());
        }
        Ok(Self { file, index, end, bytes })
    }

    /// Size on disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.index.offsets.len()
    }

    /// The first targets of all blocks.
    pub(super) fn samples(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.blocks()).map(|block| self.index.target(block))
    }

    /// The last block that starts before `target`: its end may hold the first row of it.
    fn block_before(&self, target: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = low.midpoint(high);
            if self.index.target(middle) < target {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(1)
    }
}

/// Writes rows that come in order.
pub(super) struct RunWriter {
    file: BufWriter<File>,
    plain: Vec<u8>,
    packed: Vec<u8>,
    index: Index,
    offset: u64,
    target: Vec<u8>,
    when: u64,
    last: [Range<usize>; 3],
}

impl RunWriter {
    /// Into a file without name, that the system frees when the program ends,
    /// however it ends; or, to be found again after that, into a named one.
    pub(super) fn create(folder: &Path, name: Option<&Path>) -> io::Result<Self> {
        let file = match name {
            None => tempfile::tempfile_in(folder)?,
            Some(name) => File::options().read(true).write(true).create(true).truncate(true).open(name)?,
        };
        Ok(Self {
            file: BufWriter::with_capacity(4 * BLOCK_BYTES, file),
            plain: Vec::with_capacity(BLOCK_BYTES + 1024),
            packed: Vec::new(),
            index: Index::default(),
            offset: 0,
            target: Vec::new(),
            when: 0,
            last: [0..0, 0..0, 0..0],
        })
    }

    /// `same_target` says that the row before had the same.
    pub(super) fn write(&mut self, row: &Parts<'_>, same_target: bool) -> io::Result<()> {
        if self.plain.len() >= BLOCK_BYTES {
            self.end_block()?;
        }
        let first = self.plain.is_empty();
        if first {
            self.index.push(self.offset, row.target);
        }
        let control = self.plain.len();
        self.plain.push(0);
        let mut flags = 0;
        if first || !same_target {
            flags |= NEW_TARGET;
            let shared = if first { 0 } else { shared_len(&self.target, row.target) };
            let new = row.target.get(shared..).unwrap_or_default();
            push_number(&mut self.plain, shared as u64);
            push_slice(&mut self.plain, new);
            self.target.truncate(shared);
            self.target.extend_from_slice(new);
            self.plain.extend_from_slice(&row.when.to_le_bytes());
        } else {
            push_number(&mut self.plain, row.when.wrapping_sub(self.when));
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
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.packed.resize(lz4_flex::block::get_maximum_output_size(self.plain.len()), 0);
        let packed = lz4_flex::block::compress_into(&self.plain, &mut self.packed).map_err(|error| invalid(&error))?;
        let packed = self.packed.get(..packed).unwrap_or_default();
        for number in [self.plain.len() as u32, packed.len() as u32, checksum(&self.plain)] {
            self.file.write_all(&number.to_le_bytes())?;
        }
        self.file.write_all(packed)?;
        self.offset += (BLOCK_HEAD + packed.len()) as u64;
        self.plain.clear();
        Ok(())
    }

    /// Ends the run; with `durable`, it is on the disk afterwards.
    pub(super) fn finish(mut self, durable: bool) -> io::Result<Run> {
        if !self.plain.is_empty() {
            self.end_block()?;
        }
        let mut list = Vec::new();
        for (block, &offset) in self.index.offsets.iter().enumerate() {
            push_number(&mut list, offset);
            push_slice(&mut list, self.index.target(block));
        }
        list.extend_from_slice(&self.offset.to_le_bytes());
        list.extend_from_slice(&WHOLE.to_le_bytes());
        self.file.write_all(&list)?;
        let file = self.file.into_inner().map_err(|error| error.into_error())?;
        if durable {
            file.sync_all()?;
        }
        Ok(Run { file, index: self.index, end: self.offset, bytes: self.offset + list.len() as u64 })
    }
}

/// What reading one row further led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A row of the same target.
    Same,
    /// A row of another target.
    New,
    /// The end.
    End,
}

/// Reads a run from some target on.
pub(super) struct RunReader<'r> {
    run: &'r Run,
    block: usize,
    packed: Vec<u8>,
    plain: Vec<u8>,
    at: usize,
    started: bool,
    target: Vec<u8>,
    when: u64,
    texts: [Range<usize>; 3],
}

impl<'r> RunReader<'r> {
    /// Before the row that is wanted; rows of targets before `from` may come first.
    pub(super) fn new(run: &'r Run, from: &[u8]) -> Self {
        Self {
            run,
            block: run.block_before(from),
            packed: Vec::new(),
            plain: Vec::new(),
            at: 0,
            started: false,
            target: Vec::new(),
            when: 0,
            texts: [0..0, 0..0, 0..0],
        }
    }

    /// The present row.
    #[inline]
    pub(super) fn row(&self) -> Parts<'_> {
        let [source, anchor, tail] = &self.texts;
        let text = |range: &Range<usize>| self.plain.get(range.clone()).unwrap_or_default();
        Parts { target: &self.target, when: self.when, source: text(source), anchor: text(anchor), tail: text(tail) }
    }

    /// Goes to the next row.
    pub(super) fn advance(&mut self) -> io::Result<Step> {
        let first = self.at >= self.plain.len();
        if first && !self.next_block()? {
            return Ok(Step::End);
        }
        self.read_row(first).ok_or_else(|| invalid("bytes that are no row"))
    }

    fn read_row(&mut self, first: bool) -> Option<Step> {
        let mut reader = Reader { bytes: &self.plain, at: self.at };
        let flags = reader.byte()?;
        let mut step = Step::Same;
        if flags & NEW_TARGET != 0 {
            let shared = usize::try_from(reader.number()?).ok()?;
            let new = reader.slice()?;
            let new = self.plain.get(new)?;
            // A block begins with its target written out, even an old one.
            let is_old = first && self.started && self.target == new;
            if !is_old {
                step = Step::New;
                if shared > self.target.len() {
                    return None;
                }
                self.target.truncate(shared);
                self.target.extend_from_slice(new);
            }
            self.when = u64::from_le_bytes(*reader.rest()?.first_chunk()?);
            reader.at += size_of::<u64>();
        } else {
            self.when = self.when.wrapping_add(reader.number()?);
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

    fn next_block(&mut self) -> io::Result<bool> {
        let Some(&offset) = self.run.index.offsets.get(self.block) else { return Ok(false) };
        self.block += 1;
        let end = self.run.index.offsets.get(self.block).copied().unwrap_or(self.run.end);
        let broken = || invalid("a block is not as it was written");
        let len = end.checked_sub(offset).and_then(|len| usize::try_from(len).ok()).ok_or_else(broken)?;
        self.packed.resize(len, 0);
        read_at(&self.run.file, &mut self.packed, offset)?;
        let (head, packed) = self.packed.split_at_checked(BLOCK_HEAD).ok_or_else(broken)?;
        let number =
            |from: usize| head.get(from..).and_then(|rest| rest.first_chunk()).map_or(0, |n| u32::from_le_bytes(*n));
        let (plain_len, packed_len, sum) = (number(0) as usize, number(4) as usize, number(8));
        // LZ4 makes at most 255 bytes of one.
        if packed_len != packed.len() || plain_len > packed_len.saturating_mul(256) {
            return Err(broken());
        }
        self.plain.resize(plain_len, 0);
        let got = lz4_flex::block::decompress_into(packed, &mut self.plain).map_err(|error| invalid(&error))?;
        if got != plain_len || checksum(&self.plain) != sum {
            return Err(broken());
        }
        self.at = 0;
        Ok(true)
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn invalid(why: &(impl ToString + ?Sized)) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

fn shared_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn push_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn push_slice(out: &mut Vec<u8>, text: &[u8]) {
    push_number(out, text.len() as u64);
    out.extend_from_slice(text);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> Option<&'a [u8]> {
        self.bytes.get(self.at..)
    }

    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    #[inline]
    fn slice(&mut self) -> Option<Range<usize>> {
        let len = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(len).filter(|&end| end <= self.bytes.len())?;
        Some(std::mem::replace(&mut self.at, end)..end)
    }
}

/// Reads at a place, so that threads can share a file.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Reads at a place, so that threads can share a file.
#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
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
            let mut reader = RunReader::new(&run, from.as_bytes());
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
            let wanted = rows.iter().filter(|row| row.0.as_str() >= from).map(|row| format!("{:?}", parts(row)));
            assert!(got.into_iter().eq(wanted), "from {from}");
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
        let mut reader = RunReader::new(&damaged, b"");
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
