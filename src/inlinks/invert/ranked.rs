//! Sorts the rows of a generation in parts by target: a part is sorted when it is read, where it fits the
//! cache of the processor.

use super::super::workers::on_threads;
use super::dictionary::Frozen;
use super::entry::{BLOCK_ROWS, ENTRY_BYTES, Entry, PLAIN_TAILS, Spool, SpoolSegment, Spooled};
use super::generation::{Generation, PartSoFar};
use super::row::{FLAGS, PLAIN_TAIL_BYTES, Parts, plain_tail_of};
use super::run::{Run, RunWriter, Step, run_path};
use super::split::MOST_PARTS;
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

/// A part is put in order with as much memory again; all that threads do at
/// once takes at most this part of the memory given.
const PART_OF_MEMORY: usize = 4;

/// Rows of a part that a thread gathers before it gives them to the others;
/// with more threads than this fewer.
const FEW_ROWS: usize = 64;
const MANY_THREADS: usize = 8;

/// Rows whose texts are prefetched before they are read one by one.
const BATCH: usize = 64;

/// See the module.
#[derive(Default)]
pub(super) struct SortedGeneration {
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
    segments: Vec<SpoolSegment>,
    /// Rows that went to the disk before targets had ranks.
    unranked: Vec<SpoolSegment>,
    rows: usize,
}

impl Part {
    /// Segments on the disk, and whether targets have ranks there.
    fn on_disk(ranked: &[SpoolSegment], unranked: &[SpoolSegment]) -> impl Iterator<Item = (SpoolSegment, bool)> {
        let ranked = ranked.iter().map(|&segment| (segment, true));
        ranked.chain(unranked.iter().map(|&segment| (segment, false)))
    }
}

/// Options for making parts and runs.
#[derive(Clone, Copy)]
pub(super) struct RunOptions<'f> {
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

impl RunOptions<'_> {
    /// Rows that a thread can put in order in memory.
    fn most_rows(&self) -> usize {
        (self.memory_bytes / (2 * PART_OF_MEMORY * self.threads.max(1) * ENTRY_BYTES)).max(BLOCK_ROWS)
    }

    fn part_rows(&self, rows: u64) -> usize {
        // Each part has a block that is open while rows are dealt, and a few rows for each thread.
        let open = (BLOCK_ROWS + self.few_rows() * self.threads.max(1)) * ENTRY_BYTES;
        let parts = (self.memory_bytes / (PART_OF_MEMORY * open)).max(MOST_PARTS);
        let fast = PART_ROWS.max(rows as usize / MOST_PARTS);
        fast.min(self.most_rows()).max(rows as usize / parts).min(2 * self.most_rows())
    }

    /// Rows of a part that a thread gathers before it gives them to the others.
    fn few_rows(&self) -> usize {
        (FEW_ROWS * MANY_THREADS / self.threads.max(1)).clamp(FEW_ROWS / 8, FEW_ROWS)
    }

    /// Whether so many rows are too many for one part, unless they have one target.
    fn is_too_large(&self, rows: usize) -> bool {
        rows > 2 * self.most_rows()
    }

    /// Bytes of rows that will go to the disk once more.
    pub(super) fn bytes_again(&self, parts: &[PartSoFar]) -> u64 {
        parts.iter().filter(|part| self.is_too_large(part.rows)).map(PartSoFar::bytes).sum()
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

/// Result of making runs.
#[derive(Default)]
pub(super) struct Written {
    pub(super) runs: Vec<NumberedRun>,
    pub(super) duplicates: u64,
}

impl SortedGeneration {
    /// Puts keys in order and rows in parts. Rows of a target that has too
    /// many to be put in order in memory come as runs instead.
    pub(super) fn new(generation: Generation, making: RunOptions<'_>) -> io::Result<(Self, Written)> {
        let (rows, [keys, anchors, tails], spool) = generation.into_rows();
        let ((mut keys, split), (anchors, _), (tails, _)) = (keys.freeze(), anchors.freeze(), tails.freeze());
        let (ranked, counts) = on_threads(making.threads, || keys.rank());
        let rank_of = |cut: &[u8]| ranked.partition_point(|&id| keys.get(id) < cut);
        let ends: Vec<usize> = split.cuts().map(rank_of).chain([ranked.len()]).collect();
        // Rows that are on the disk by part stay so, unless the part is too large.
        let stays = |part: &PartSoFar| !part.segments.is_empty() && !making.is_too_large(part.rows);
        let whole = rows.parts.iter().map(stays).chain([false]);
        let (firsts, part_of) = cut(&counts, making.part_rows(rows.count), ends.iter().copied().zip(whole));
        drop(counts);
        let mut parts: Vec<Mutex<Part>> = firsts.iter().map(|_| Mutex::default()).collect();
        let mut again = Vec::new();
        for (part, first) in rows.parts.into_iter().zip([0].into_iter().chain(ends)) {
            let place = part_of.get(first).and_then(|&place| parts.get_mut(usize::from(place)));
            match place.map(|place| place.get_mut().unwrap_or_else(PoisonError::into_inner)) {
                Some(place) if stays(&part) => {
                    place.rows += part.segments.iter().map(|segment| segment.rows).sum::<usize>();
                    place.unranked.extend(part.segments);
                }
                _ => again.extend(part.segments),
            }
        }
        let mut made = Self {
            keys,
            anchors,
            tails,
            plain_tails: (0..FLAGS as u8).map(plain_tail_of).collect(),
            ranked,
            firsts,
            parts: Vec::new(),
            spooled: spool.finish(),
        };
        made.deal(&parts, &part_of, (rows.blocks, Vec::new()), None, making)?;
        if !again.is_empty() {
            let spool = Spool::after(&made.spooled);
            made.deal(&parts, &part_of, (Vec::new(), again), Some(&spool), making)?;
            made.spooled.append(spool.finish());
        }
        made.parts = parts.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut written = Written::default();
        for part in 0..made.parts.len() {
            if making.is_too_large(made.parts[part].rows) {
                made.write_large(part, making, &mut written)?;
            }
        }
        Ok((made, written))
    }

    /// Gives each row to its part, with the rank of its target; by way of the
    /// disk where there is a spool.
    fn deal(
        &self,
        parts: &[Mutex<Part>],
        part_of: &[u16],
        (blocks, segments): (Vec<Vec<Entry>>, Vec<SpoolSegment>),
        spool: Option<&Spool>,
        making: RunOptions<'_>,
    ) -> io::Result<()> {
        let (blocks, segments) = (Mutex::new(blocks), Mutex::new(segments));
        // Blocks that were emptied are used again: there is no memory for all twice.
        let spare = Mutex::new(Vec::new());
        let give = |part: usize, few: &mut Vec<Entry>, bytes: &mut Vec<u8>| -> io::Result<()> {
            let Some(part) = parts.get(part) else { return Ok(()) };
            let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
            part.rows += few.len();
            part.open.append(few);
            if part.open.len() + FEW_ROWS > BLOCK_ROWS {
                if let Some(spool) = spool {
                    let segment = spool.write(making.folder, &part.open, bytes)?;
                    part.segments.push(segment);
                    part.open.clear();
                } else {
                    let mut fresh: Vec<Entry> = pop(&spare).unwrap_or_default();
                    fresh.reserve_exact(BLOCK_ROWS);
                    let full = std::mem::replace(&mut part.open, fresh);
                    part.blocks.push(full);
                }
            }
            Ok(())
        };
        let few_rows = making.few_rows();
        let work = || -> io::Result<()> {
            let mut few: Vec<Vec<Entry>> = parts.iter().map(|_| Vec::with_capacity(few_rows)).collect();
            let mut bytes = Vec::new();
            loop {
                let mut block = if let Some(block) = pop(&blocks) {
                    block
                } else if let Some(segment) = pop(&segments) {
                    let mut block = pop(&spare).unwrap_or_default();
                    self.spooled.read(segment, &mut bytes, &mut block)?;
                    block
                } else {
                    break;
                };
                making.cx.checkpoint().map_err(io::Error::other)?;
                for some in block.chunks_mut(BATCH) {
                    self.put_ranks(some);
                    for row in some {
                        let part = part_of.get(row.target as usize).copied().map_or(0, usize::from);
                        let Some(few) = few.get_mut(part) else { continue };
                        few.push(*row);
                        if few.len() >= few_rows {
                            give(part, few, &mut bytes)?;
                        }
                    }
                }
                block.clear();
                push(&spare, block);
            }
            few.iter_mut().enumerate().try_for_each(|(part, few)| give(part, few, &mut bytes))
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..making.threads.max(1)).map(|_| scope.spawn(work)).collect();
            let broke_down = |_| Err(io::Error::other("a thread broke down"));
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(broke_down))
        })
    }

    /// Puts in the place of each target's number its rank.
    fn put_ranks(&self, rows: &mut [Entry]) {
        for some in rows.chunks_mut(BATCH) {
            black_box(some.iter().fold(0, |all, row| all ^ self.keys.touch(row.target)));
            some.iter_mut().for_each(|row| row.target = self.keys.rank_of(row.target));
        }
    }

    /// Appends rows of a part that are on the disk.
    fn read_segment(
        &self,
        (segment, is_ranked): (SpoolSegment, bool),
        bytes: &mut Vec<u8>,
        rows: &mut Vec<Entry>,
    ) -> io::Result<()> {
        let had = rows.len();
        self.spooled.read(segment, bytes, rows)?;
        if !is_ranked {
            self.put_ranks(rows.get_mut(had..).unwrap_or_default());
        }
        Ok(())
    }

    /// Writes a part as runs, each sorted in memory, by this thread alone.
    fn write_large(&mut self, part: usize, making: RunOptions<'_>, written: &mut Written) -> io::Result<()> {
        let Some(large) = self.parts.get_mut(part).map(std::mem::take) else { return Ok(()) };
        let (mut bytes, mut rows) = (Vec::new(), large.open);
        let (mut blocks, mut segments) = (large.blocks.into_iter(), Part::on_disk(&large.segments, &large.unranked));
        loop {
            let most_rows = making.most_rows() * making.threads.max(1);
            while rows.len() < most_rows {
                if let Some(mut block) = blocks.next() {
                    rows.append(&mut block);
                } else if let Some(segment) = segments.next() {
                    self.read_segment(segment, &mut bytes, &mut rows)?;
                } else {
                    break;
                }
            }
            if rows.is_empty() {
                return Ok(());
            }
            rows.sort_unstable_by_key(|row| (row.target, row.when));
            written.duplicates += self.end_sorting(&mut rows, &(0..u32::MAX));
            let mut run = making.create()?;
            self.write_rows(&rows, &mut run.1, making.cx)?;
            written.runs.push(making.finish(run)?);
            rows.clear();
        }
    }

    /// Writes all parts as runs, one for each thread.
    pub(super) fn write_all(&self, making: RunOptions<'_>) -> io::Result<Written> {
        let each = self.parts.len().div_ceil(making.threads.max(1)).max(1);
        let work = |parts: Range<usize>| -> io::Result<Option<(NumberedRun, u64)>> {
            let mut stream = PartStream::new(self, parts, 0..u32::MAX);
            let mut run = None;
            while stream.load_next()? {
                let run = match &mut run {
                    Some(run) => run,
                    None => run.insert(making.create()?),
                };
                self.write_rows(&stream.rows, &mut run.1, making.cx)?;
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

    fn write_rows(&self, rows: &[Entry], writer: &mut RunWriter, cx: &JobCx) -> io::Result<()> {
        let mut before = None;
        for (at, row) in rows.iter().enumerate() {
            if at.is_multiple_of(PART_ROWS) {
                cx.checkpoint().map_err(io::Error::other)?;
            }
            self.prefetch(rows, at);
            writer.write(&self.row(row), before == Some(row.target))?;
            before = Some(row.target);
        }
        Ok(())
    }

    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.rows == 0)
    }

    /// Number of parts.
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

    /// The rank of the first target that is not before this one.
    fn rank_from(&self, target: &[u8]) -> u32 {
        self.ranked.partition_point(|&id| self.keys.get(id) < target) as u32
    }

    /// The part that holds a target.
    fn part_with(&self, target: &[u8]) -> usize {
        let rank = self.ranked.partition_point(|&id| self.keys.get(id) <= target).saturating_sub(1) as u32;
        self.firsts.partition_point(|&first| first <= rank).saturating_sub(1)
    }

    /// Puts the rows of a part in order, into `rows`. Says how many of those
    /// with `counted` targets were left out as duplicates.
    fn sort_part(
        &self,
        number: usize,
        scratch: &mut Loading,
        rows: &mut Vec<Entry>,
        counted: &Range<u32>,
    ) -> io::Result<u64> {
        rows.clear();
        let Some(part) = self.parts.get(number) else { return Ok(0) };
        let Loading { raw, bytes, ends } = scratch;
        raw.clear();
        part.blocks.iter().chain([&part.open]).for_each(|block| raw.extend_from_slice(block));
        Part::on_disk(&part.segments, &part.unranked).try_for_each(|segment| self.read_segment(segment, bytes, raw))?;
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
        Ok(self.end_sorting(rows, counted))
    }

    /// Nearly all rows differ in target or time; only where they do not, texts are compared. Leaves
    /// duplicates out and returns how many have `counted` targets.
    fn end_sorting(&self, rows: &mut Vec<Entry>, counted: &Range<u32>) -> u64 {
        let is_same = |a: &Entry, b: &Entry| a.when == b.when && a.target == b.target;
        for same in rows.chunk_by_mut(is_same).filter(|same| same.len() > 1) {
            same.sort_unstable_by(|a, b| {
                by_text(&self.keys, a.source, b.source)
                    .then_with(|| by_text(&self.anchors, a.anchor, b.anchor))
                    .then_with(|| self.tail(a.tail).cmp(self.tail(b.tail)))
            });
        }
        let mut duplicates = 0;
        rows.dedup_by(|b, a| {
            let repeats = is_same(a, b) && a.source == b.source && a.anchor == b.anchor;
            duplicates += u64::from(repeats && counted.contains(&a.target));
            repeats
        });
        duplicates
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

    /// Prefetches the texts of the next rows.
    #[inline]
    fn prefetch(&self, rows: &[Entry], at: usize) {
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

/// The first rank of each part, and the part of each rank. Stretches of ranks
/// are given by their ends; no part reaches into two, and of some each is to be
/// one part as a whole.
fn cut(counts: &[u32], limit: usize, stretches: impl Iterator<Item = (usize, bool)>) -> (Vec<u32>, Vec<u16>) {
    let (mut firsts, mut part_of) = (Vec::new(), Vec::with_capacity(counts.len()));
    for (end, is_whole) in stretches {
        let (mut rows, mut is_first) = (0, true);
        for rank in part_of.len()..end {
            let count = counts.get(rank).map_or(0, |&count| count as usize);
            let is_full = !is_whole && rows > 0 && rows + count > limit;
            // The last part takes all that is left where there are too many.
            if (is_first || is_full) && firsts.len() < usize::from(u16::MAX) {
                firsts.push(rank as u32);
                rows = 0;
            }
            is_first = false;
            rows += count;
            part_of.push((firsts.len() - 1) as u16);
        }
    }
    (firsts, part_of)
}

fn pop<T>(list: &Mutex<Vec<T>>) -> Option<T> {
    list.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

/// Buffers for sorting a part.
#[derive(Default)]
struct Loading {
    raw: Vec<Entry>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

/// The rows of some parts in order.
pub(super) struct PartStream<'s> {
    ranked: &'s SortedGeneration,
    parts: Range<usize>,
    /// Ranks of the targets of this stream; other streams give others of the same parts.
    ranks: Range<u32>,
    rows: Vec<Entry>,
    at: usize,
    loading: Loading,
    duplicates: u64,
}

impl<'s> PartStream<'s> {
    fn new(ranked: &'s SortedGeneration, parts: Range<usize>, ranks: Range<u32>) -> Self {
        Self { ranked, parts, ranks, rows: Vec::new(), at: usize::MAX, loading: Loading::default(), duplicates: 0 }
    }

    /// The rows of the parts that hold targets from `from` on and before `until`.
    pub(super) fn between(ranked: &'s SortedGeneration, from: &[u8], until: Option<&[u8]>) -> Self {
        let end = until.map_or(ranked.parts(), |until| {
            let part = ranked.part_with(until);
            part + usize::from(ranked.first_target(part) < until)
        });
        let ranks = ranked.rank_from(from)..until.map_or(u32::MAX, |until| ranked.rank_from(until));
        Self::new(ranked, ranked.part_with(from)..end, ranks)
    }

    /// Puts the next part that has rows in order; `false` where none is left.
    fn load_next(&mut self) -> io::Result<bool> {
        for part in self.parts.by_ref() {
            self.duplicates += self.ranked.sort_part(part, &mut self.loading, &mut self.rows, &self.ranks)?;
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
        self.ranked.prefetch(&self.rows, self.at);
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

    /// Place of the present row in the part, unless the next step leaves it.
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
