//! The rows of a generation, in parts by target: a part is put in order when
//! it is read, where it fits the processor's memory.

use super::dictionary::Frozen;
use super::entry::{BLOCK_ROWS, ENTRY_BYTES, Entry, PLAIN_TAILS, Segment, Spool, Spooled};
use super::generation::{Generation, Rows};
use super::row::{FLAGS, PLAIN_TAIL_BYTES, Parts, plain_tail_of};
use super::run::{Run, RunWriter, Step, run_path};
use super::texts::TextId;
use crate::jobs::JobCx;
use std::cmp::Ordering;
use std::hint::black_box;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Rows of a part, about: as many as are put in order fast.
const PART_ROWS: usize = 32 * 1024;

/// More parts than this cost more than larger ones.
const MOST_PARTS: usize = 512;

/// A part is put in order with as much memory again; all that threads do at
/// once takes at most this part of the memory given.
const PART_OF_MEMORY: usize = 4;

/// Rows of a part that a thread gathers before it gives them to the others.
const FEW_ROWS: usize = 64;

/// Rows that are looked at before they are read one by one.
const BATCH: usize = 64;

/// See the module.
#[derive(Default)]
pub(super) struct Ranked {
    keys: Frozen,
    anchors: Frozen,
    tails: Frozen,
    plain_tails: Vec<[u8; PLAIN_TAIL_BYTES]>,
    /// Keys in order.
    ranked: Vec<TextId>,
    /// Rank of the first key of each part.
    firsts: Vec<u32>,
    parts: Vec<Part>,
    spooled: Spooled,
}

#[derive(Default)]
struct Part {
    blocks: Vec<Vec<Entry>>,
    /// The last block, that is not full.
    open: Vec<Entry>,
    segments: Vec<Segment>,
    rows: usize,
}

/// How parts and runs are made.
#[derive(Clone, Copy)]
pub(super) struct Making<'f> {
    pub(super) threads: usize,
    pub(super) memory_bytes: usize,
    pub(super) folder: &'f Path,
    /// Gives a number to each run, where runs are kept.
    pub(super) number: Option<&'f (dyn Fn() -> u64 + Sync)>,
    /// Asked now and then whether to stop.
    pub(super) cx: &'f JobCx,
}

/// A run, with its number where runs are kept.
pub(super) type NumberedRun = (u64, Run);

impl Making<'_> {
    /// Rows that a thread can put in order in memory.
    fn most_rows(&self) -> usize {
        (self.memory_bytes / (2 * PART_OF_MEMORY * self.threads.max(1) * ENTRY_BYTES)).max(BLOCK_ROWS)
    }

    fn part_rows(&self, rows: u64) -> usize {
        PART_ROWS.max(rows as usize / MOST_PARTS).min(self.most_rows())
    }

    pub(super) fn create(&self) -> io::Result<(u64, RunWriter)> {
        let number = self.number.map(|number| number());
        let path = number.map(|number| run_path(self.folder, number));
        Ok((number.unwrap_or(0), RunWriter::create(self.folder, path.as_deref())?))
    }

    pub(super) fn finish(&self, (number, writer): (u64, RunWriter)) -> io::Result<NumberedRun> {
        Ok((number, writer.finish(self.number.is_some())?))
    }
}

/// What making runs did.
#[derive(Default)]
pub(super) struct Written {
    pub(super) runs: Vec<NumberedRun>,
    pub(super) duplicates: u64,
}

impl Ranked {
    /// Puts keys in order and rows in parts. Rows of a target that has too
    /// many to be put in order in memory come as runs instead.
    pub(super) fn new(generation: Generation, making: Making<'_>) -> io::Result<(Self, Written)> {
        let (rows, [keys, anchors, tails], spool) = generation.into_rows();
        let (mut keys, anchors, tails) = (keys.freeze(), anchors.freeze(), tails.freeze());
        let (ranked, counts) = keys.rank();
        let limit = making.part_rows(rows.count);
        let (firsts, part_of) = cut(&counts, limit);
        drop(counts);
        let mut made = Self {
            keys,
            anchors,
            tails,
            plain_tails: (0..FLAGS as u8).map(plain_tail_of).collect(),
            ranked,
            firsts,
            parts: Vec::new(),
            spooled: Spooled::default(),
        };
        (made.parts, made.spooled) = made.deal(rows, spool.finish(), &part_of, making)?;
        let mut written = Written::default();
        for part in 0..made.parts.len() {
            if made.parts[part].rows > 2 * making.most_rows() {
                made.write_large(part, making, &mut written)?;
            }
        }
        Ok((made, written))
    }

    /// Gives each row to its part, with the rank of its target.
    fn deal(
        &self,
        rows: Rows,
        spooled: Spooled,
        part_of: &[u16],
        making: Making<'_>,
    ) -> io::Result<(Vec<Part>, Spooled)> {
        let on_disk = !rows.segments.is_empty();
        let parts: Vec<Mutex<Part>> = self.firsts.iter().map(|_| Mutex::default()).collect();
        let (blocks, segments) = (Mutex::new(rows.blocks), Mutex::new(rows.segments));
        // Blocks that were emptied are used again: there is no memory for all twice.
        let (spare, spool) = (Mutex::new(Vec::new()), Spool::default());
        let give = |part: usize, few: &mut Vec<Entry>| -> io::Result<()> {
            let Some(part) = parts.get(part) else { return Ok(()) };
            let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
            part.rows += few.len();
            part.open.append(few);
            if part.open.len() + FEW_ROWS > BLOCK_ROWS {
                if on_disk {
                    let segment = spool.write(making.folder, &part.open)?;
                    part.segments.push(segment);
                    part.open.clear();
                } else {
                    let fresh = pop(&spare).unwrap_or_else(|| Vec::with_capacity(BLOCK_ROWS));
                    let full = std::mem::replace(&mut part.open, fresh);
                    part.blocks.push(full);
                }
            }
            Ok(())
        };
        let work = || -> io::Result<()> {
            let mut few: Vec<Vec<Entry>> = parts.iter().map(|_| Vec::with_capacity(FEW_ROWS)).collect();
            let mut bytes = Vec::new();
            loop {
                let mut block = if let Some(block) = pop(&blocks) {
                    block
                } else if let Some(segment) = pop(&segments) {
                    let mut block = pop(&spare).unwrap_or_default();
                    spooled.read(segment, &mut bytes, &mut block)?;
                    block
                } else {
                    break;
                };
                making.cx.checkpoint().map_err(io::Error::other)?;
                for some in block.chunks_mut(BATCH) {
                    black_box(some.iter().fold(0, |all, row| all ^ self.keys.touch(row.target)));
                    some.iter_mut().for_each(|row| row.target = self.keys.rank_of(row.target));
                    for row in some {
                        let part = part_of.get(row.target as usize).copied().map_or(0, usize::from);
                        let Some(few) = few.get_mut(part) else { continue };
                        few.push(*row);
                        if few.len() >= FEW_ROWS {
                            give(part, few)?;
                        }
                    }
                }
                block.clear();
                push(&spare, block);
            }
            few.iter_mut().enumerate().try_for_each(|(part, few)| give(part, few))
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..making.threads.max(1)).map(|_| scope.spawn(work)).collect();
            let broke_down = |_| Err(io::Error::other("a thread broke down"));
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(broke_down))
        })?;
        let parts = parts.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok((parts.collect(), spool.finish()))
    }

    /// Writes a part as runs, each sorted in memory.
    fn write_large(&mut self, part: usize, making: Making<'_>, written: &mut Written) -> io::Result<()> {
        let Some(large) = self.parts.get_mut(part).map(std::mem::take) else { return Ok(()) };
        let (mut bytes, mut rows) = (Vec::new(), large.open);
        let (mut blocks, mut segments) = (large.blocks.into_iter(), large.segments.into_iter());
        loop {
            while rows.len() < making.most_rows() {
                match (blocks.next(), segments.next()) {
                    (Some(mut block), segment) => {
                        rows.append(&mut block);
                        if let Some(segment) = segment {
                            self.spooled.read(segment, &mut bytes, &mut rows)?;
                        }
                    }
                    (None, Some(segment)) => self.spooled.read(segment, &mut bytes, &mut rows)?,
                    (None, None) => break,
                }
            }
            if rows.is_empty() {
                return Ok(());
            }
            rows.sort_unstable_by_key(|row| (row.target, row.when));
            written.duplicates += self.end_sorting(&mut rows);
            let mut run = making.create()?;
            self.write_rows(&rows, &mut run.1)?;
            written.runs.push(making.finish(run)?);
            rows.clear();
        }
    }

    /// Writes all parts as runs, one for each thread.
    pub(super) fn write_all(&self, making: Making<'_>) -> io::Result<Written> {
        let each = self.parts.len().div_ceil(making.threads.max(1)).max(1);
        let work = |parts: Range<usize>| -> io::Result<Option<(NumberedRun, u64)>> {
            let mut stream = PartStream::new(self, parts);
            let mut run = None;
            while stream.load_next()? {
                making.cx.checkpoint().map_err(io::Error::other)?;
                let run = match &mut run {
                    Some(run) => run,
                    None => run.insert(making.create()?),
                };
                self.write_rows(&stream.rows, &mut run.1)?;
            }
            run.map(|run| Ok((making.finish(run)?, stream.duplicates))).transpose()
        };
        let runs: Vec<io::Result<Option<(NumberedRun, u64)>>> = std::thread::scope(|scope| {
            let work = &work;
            let ranges = (0..self.parts.len()).step_by(each).map(|from| from..(from + each).min(self.parts.len()));
            let threads: Vec<_> = ranges.map(|range| scope.spawn(move || work(range))).collect();
            let broke_down = |_| Err(io::Error::other("a thread broke down"));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(broke_down)).collect()
        });
        let mut written = Written::default();
        for run in runs {
            if let Some((run, duplicates)) = run? {
                written.runs.push(run);
                written.duplicates += duplicates;
            }
        }
        Ok(written)
    }

    fn write_rows(&self, rows: &[Entry], writer: &mut RunWriter) -> io::Result<()> {
        let mut before = None;
        for (at, row) in rows.iter().enumerate() {
            self.look_ahead(rows, at);
            writer.write(&self.row(row), before == Some(row.target))?;
            before = Some(row.target);
        }
        Ok(())
    }

    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.rows == 0)
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The first target of a part.
    pub(super) fn first_target(&self, part: usize) -> &[u8] {
        let first = self.firsts.get(part).and_then(|&first| self.ranked.get(first as usize));
        first.map_or(b"", |&id| self.keys.get(id))
    }

    /// Makes of a target the first one of the part that holds it.
    pub(super) fn first_of_part_with(&self, target: &mut Vec<u8>) {
        let first = self.first_target(self.part_with(target));
        target.clear();
        target.extend_from_slice(first);
    }

    /// Rows in a part.
    pub(super) fn rows_in(&self, part: usize) -> usize {
        self.parts.get(part).map_or(0, |part| part.rows)
    }

    /// Bytes of rows on the disk.
    pub(super) fn spooled_bytes(&self) -> u64 {
        self.spooled.bytes
    }

    /// The part that holds a target.
    fn part_with(&self, target: &[u8]) -> usize {
        let rank = self.ranked.partition_point(|&id| self.keys.get(id) <= target).saturating_sub(1) as u32;
        self.firsts.partition_point(|&first| first <= rank).saturating_sub(1)
    }

    /// Puts the rows of a part in order, into `rows`. Says how many were left
    /// out as duplicates.
    fn sort_part(&self, number: usize, scratch: &mut Loading, rows: &mut Vec<Entry>) -> io::Result<u64> {
        rows.clear();
        let Some(part) = self.parts.get(number) else { return Ok(0) };
        let Loading { raw, bytes, ends } = scratch;
        raw.clear();
        part.blocks.iter().chain([&part.open]).for_each(|block| raw.extend_from_slice(block));
        part.segments.iter().try_for_each(|&segment| self.spooled.read(segment, bytes, raw))?;
        let first = self.firsts.get(number).copied().unwrap_or(0);
        let end = self.firsts.get(number + 1).map_or(self.ranked.len(), |&end| end as usize);
        let slot = |row: &Entry| row.target.wrapping_sub(first) as usize + 1;
        ends.clear();
        ends.resize((end + 2).saturating_sub(first as usize), 0_u32);
        raw.iter().for_each(|row| ends.get_mut(slot(row)).map_or((), |end| *end += 1));
        let mut sum = 0;
        ends.iter_mut().for_each(|end| {
            sum += *end;
            *end = sum;
        });
        rows.resize(raw.len(), Entry::default());
        for row in &*raw {
            if let Some(next) = ends.get_mut(slot(row) - 1) {
                if let Some(place) = rows.get_mut(*next as usize) {
                    *place = *row;
                }
                *next += 1;
            }
        }
        let mut from = 0;
        for &to in &*ends {
            if let Some(same) = rows.get_mut(from..to as usize).filter(|same| same.len() > 1) {
                same.sort_unstable_by_key(|row| row.when);
            }
            from = to as usize;
        }
        Ok(self.end_sorting(rows))
    }

    /// Nearly all rows differ in target or time; only where they do not, texts
    /// are looked at. Leaves duplicates out and says how many.
    fn end_sorting(&self, rows: &mut Vec<Entry>) -> u64 {
        let is_same = |a: &Entry, b: &Entry| a.when == b.when && a.target == b.target;
        for same in rows.chunk_by_mut(is_same).filter(|same| same.len() > 1) {
            same.sort_unstable_by(|a, b| {
                by_text(&self.keys, a.source, b.source)
                    .then_with(|| by_text(&self.anchors, a.anchor, b.anchor))
                    .then_with(|| self.tail(a.tail).cmp(self.tail(b.tail)))
            });
        }
        let before = rows.len();
        rows.dedup_by(|b, a| is_same(a, b) && a.source == b.source && a.anchor == b.anchor);
        (before - rows.len()) as u64
    }

    #[inline]
    fn tail(&self, id: TextId) -> &[u8] {
        match id.checked_sub(PLAIN_TAILS) {
            Some(id) => self.tails.get(id),
            None => self.plain_tails.get(id as usize).map_or(&[0; size_of::<u64>()], <[u8; _]>::as_slice),
        }
    }

    #[inline]
    fn target(&self, row: &Entry) -> &[u8] {
        self.ranked.get(row.target as usize).map_or(b"", |&id| self.keys.get(id))
    }

    #[inline]
    fn row(&self, row: &Entry) -> Parts<'_> {
        Parts {
            target: self.target(row),
            when: row.when,
            source: self.keys.get(row.source),
            anchor: self.anchors.get(row.anchor),
            tail: self.tail(row.tail),
        }
    }

    /// Looks at the texts of the next rows, before they are read one by one.
    #[inline]
    fn look_ahead(&self, rows: &[Entry], at: usize) {
        if at.is_multiple_of(BATCH) {
            let some = rows.get(at..rows.len().min(at + BATCH)).unwrap_or_default();
            let touch = |row: &Entry| self.keys.touch(row.source) ^ self.anchors.touch(row.anchor);
            black_box(some.iter().fold(0, |all, row| all ^ touch(row)));
        }
    }
}

#[inline]
fn by_text(texts: &Frozen, a: TextId, b: TextId) -> Ordering {
    if a == b { Ordering::Equal } else { texts.get(a).cmp(texts.get(b)) }
}

/// The first rank of each part, and the part of each rank.
fn cut(counts: &[u32], limit: usize) -> (Vec<u32>, Vec<u16>) {
    let (mut firsts, mut part_of) = (Vec::new(), Vec::with_capacity(counts.len()));
    // The last part takes all that is left where there are too many.
    let mut rows = 0;
    for (rank, &count) in (0_u32..).zip(counts) {
        if firsts.is_empty() || (rows > 0 && rows + count as usize > limit && firsts.len() < usize::from(u16::MAX)) {
            firsts.push(rank);
            rows = 0;
        }
        rows += count as usize;
        part_of.push((firsts.len() - 1) as u16);
    }
    (firsts, part_of)
}

fn pop<T>(list: &Mutex<Vec<T>>) -> Option<T> {
    list.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

/// What putting a part in order needs.
#[derive(Default)]
struct Loading {
    raw: Vec<Entry>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

/// The rows of some parts in order.
pub(super) struct PartStream<'s> {
    ranked: &'s Ranked,
    parts: Range<usize>,
    rows: Vec<Entry>,
    at: usize,
    loading: Loading,
    duplicates: u64,
}

impl<'s> PartStream<'s> {
    fn new(ranked: &'s Ranked, parts: Range<usize>) -> Self {
        Self { ranked, parts, rows: Vec::new(), at: usize::MAX, loading: Loading::default(), duplicates: 0 }
    }

    /// The rows of the parts that hold targets from `from` on and before `until`.
    pub(super) fn between(ranked: &'s Ranked, from: &[u8], until: Option<&[u8]>) -> Self {
        let end = until.map_or(ranked.parts(), |until| {
            let part = ranked.part_with(until);
            part + usize::from(ranked.first_target(part) < until)
        });
        Self::new(ranked, ranked.part_with(from)..end)
    }

    /// Puts the next part that has rows in order; `false` where none is left.
    fn load_next(&mut self) -> io::Result<bool> {
        for part in self.parts.by_ref() {
            self.duplicates += self.ranked.sort_part(part, &mut self.loading, &mut self.rows)?;
            if !self.rows.is_empty() {
                self.at = 0;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the next row.
    #[inline]
    pub(super) fn advance(&mut self) -> io::Result<Step> {
        let before = self.rows.get(self.at).map(|row| row.target);
        self.at = self.at.wrapping_add(1);
        if self.at >= self.rows.len() && !self.load_next()? {
            return Ok(Step::End);
        }
        self.ranked.look_ahead(&self.rows, self.at);
        // A target is in one part only.
        let now = self.rows.get(self.at).map(|row| row.target);
        Ok(if before == now { Step::Same } else { Step::New })
    }

    /// The present row.
    #[inline]
    pub(super) fn row(&self) -> Parts<'_> {
        self.row_at(self.at).unwrap_or(Parts { target: b"", when: 0, source: b"", anchor: b"", tail: b"" })
    }

    /// A row of the present part.
    #[inline]
    pub(super) fn row_at(&self, at: usize) -> Option<Parts<'_>> {
        self.rows.get(at).map(|row| self.ranked.row(row))
    }

    /// Where the present row stands in the part, unless the next step leaves it.
    #[inline]
    pub(super) fn place(&self) -> Option<usize> {
        (self.at + 1 < self.rows.len()).then_some(self.at)
    }

    /// The target alone: the other texts lie elsewhere in memory.
    #[inline]
    pub(super) fn target(&self) -> &[u8] {
        self.rows.get(self.at).map_or(b"", |row| self.ranked.target(row))
    }

    #[inline]
    pub(super) fn when(&self) -> u64 {
        self.rows.get(self.at).map_or(0, |row| row.when)
    }

    /// Rows that were left out because an equal one came before.
    pub(super) fn duplicates(&self) -> u64 {
        self.duplicates
    }
}
