//! Rows that are being gathered, and the texts that they point at.
//!
//! All threads share one dictionary, so a text is kept once however many rows
//! have it, and rows that do not fit go to the disk as numbers. Only where the
//! dictionary itself grows too large, a generation ends: its rows are sorted
//! and written out with their texts, and the next one begins with none.

use super::batch::{Batch, Column};
use super::dictionary::{Dictionary, ORDER_BYTES, Scratch};
use super::entry::{BLOCK_ROWS, ENTRY_BYTES, Entry, PLAIN_TAILS, Segment, Spool};
use super::kept::Covered;
use super::notes::Notes;
use super::split::{MOST_PARTS, Split};
use super::texts::{Found, TextId};
use rayon::prelude::*;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Rows that are written to the disk as one at most: they are gathered first.
const SEGMENT_ROWS: usize = 64 * 1024;

/// Blocks that go to the disk at once at most: block and row are one number.
const MOST_SPILL_BLOCKS: usize = u32::MAX as usize / BLOCK_ROWS;

/// What a row takes with its part, in bytes.
const ROW_BYTES: usize = ENTRY_BYTES + size_of::<u16>();

/// What one thread needs for looking texts up.
#[derive(Default)]
pub(super) struct Finder {
    scratch: Scratch,
    keys: Found,
    anchors: Found,
    tails: Found,
}

/// See the module.
pub(super) struct Generation {
    pub(super) keys: Dictionary,
    pub(super) anchors: Dictionary,
    pub(super) tails: Dictionary,
    spool: Spool,
    rows: Mutex<Rows>,
    /// Whether targets are cut into parts, and rows may go to the disk.
    is_split: bool,
    /// Blocks that go to the disk at once.
    spill_blocks: usize,
    /// Held by the thread that puts rows on the disk.
    spilling: Mutex<()>,
    /// Blocks that were emptied: threads that free each other's memory keep it.
    spare: Mutex<Vec<Block>>,
}

/// Rows as they came together.
#[derive(Default)]
pub(super) struct Block {
    pub(super) rows: Vec<Entry>,
    /// The part of each, where targets are cut into parts.
    parts: Vec<u16>,
}

/// A part, while rows come.
#[derive(Default)]
pub(super) struct PartSoFar {
    /// Rows on the disk, that point at their targets' texts.
    pub(super) segments: Vec<Segment>,
    /// All of its rows.
    pub(super) rows: usize,
}

impl PartSoFar {
    /// What it takes on the disk.
    pub(super) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes() as u64).sum()
    }
}

/// Rows as they came.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) blocks: Vec<Block>,
    pub(super) parts: Vec<PartSoFar>,
    /// All of them, and those in memory.
    pub(super) count: u64,
    in_memory: usize,
    pub(super) links: u64,
    pub(super) captures: u64,
    /// Stretches of the input that were brought whole, and the links and
    /// captures in them.
    pub(super) covered: Vec<Covered>,
    pub(super) notes: Notes,
    pub(super) marked: (u64, u64),
}

impl Rows {
    fn count_parts(&mut self, parts: &[u16]) {
        for &part in parts {
            if let Some(part) = self.parts.get_mut(usize::from(part)) {
                part.rows += 1;
            }
        }
    }
}

impl Generation {
    pub(super) fn new(threads: usize) -> Self {
        let dictionary = || Dictionary::new(threads);
        Self {
            keys: dictionary(),
            anchors: dictionary(),
            tails: dictionary(),
            spool: Spool::default(),
            rows: Mutex::default(),
            is_split: false,
            spill_blocks: 1,
            spilling: Mutex::default(),
            spare: Mutex::default(),
        }
    }

    /// Takes the rows of a batch.
    pub(super) fn take(&self, batch: &Batch, finder: &mut Finder) {
        let count = batch.len();
        if count == 0 {
            return;
        }
        let Finder { scratch, keys, anchors, tails } = finder;
        let mut texts: Vec<&[u8]> = Vec::with_capacity(2 * count);
        texts.extend(batch.column(Column::Target).chain(batch.column(Column::Source)));
        self.keys.intern(&texts, count, scratch, keys);
        texts.clear();
        texts.extend(batch.column(Column::Anchor));
        self.anchors.intern(&texts, 0, scratch, anchors);
        texts.clear();
        let unknown = |(text, (_, known)): (_, (u64, Option<TextId>))| known.is_none().then_some(text);
        texts.extend(batch.column(Column::Tail).zip(batch.rest()).filter_map(unknown));
        self.tails.intern(&texts, 0, scratch, tails);
        let mut tails = tails.ids.iter().map(|&tail| PLAIN_TAILS + tail);
        let (targets, sources) = keys.ids.split_at(count);
        let rows = batch.rest().zip(targets).zip(sources).zip(&anchors.ids);
        let rows = rows.map(|((((when, known), &target), &source), &anchor)| Entry {
            when,
            target,
            source,
            anchor,
            tail: known.or_else(|| tails.next()).unwrap_or_default(),
        });
        let mut block = self.spare().pop().unwrap_or_default();
        block.rows.reserve_exact(count);
        block.rows.extend(rows);
        if self.is_split {
            block.parts.reserve_exact(count);
            block.parts.extend_from_slice(&keys.parts);
        }
        let mut rows = self.rows();
        rows.count_parts(&block.parts);
        rows.count += count as u64;
        rows.in_memory += count;
        rows.links += batch.links;
        rows.captures += batch.captures;
        rows.blocks.push(block);
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Block>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory that texts take, in bytes, with what putting them in order will.
    pub(super) fn text_bytes(&self) -> usize {
        let all = [&self.keys, &self.anchors, &self.tails].map(Dictionary::used_bytes);
        let sum = |which: usize| all.iter().map(|bytes| bytes[which]).sum::<usize>();
        // The tables go before keys are put in order.
        sum(0) + sum(1).max(self.keys.count() * ORDER_BYTES)
    }

    /// Memory that rows take, in bytes.
    pub(super) fn row_bytes(&self) -> usize {
        self.rows().in_memory * ROW_BYTES
    }

    /// Whether there are soon no numbers left for texts.
    pub(super) fn is_crowded(&self) -> bool {
        [&self.keys, &self.anchors, &self.tails].into_iter().any(Dictionary::is_crowded)
    }

    /// Whether targets are cut into parts, so that rows may go to the disk.
    pub(super) fn is_split(&self) -> bool {
        self.is_split
    }

    /// Cuts targets into parts that are about even if more rows come like
    /// those that are there. Rows of about `spill_bytes` will go to the disk at once.
    pub(super) fn split(&mut self, spill_bytes: usize) {
        let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.spill_blocks = (spill_bytes / (BLOCK_ROWS * ROW_BYTES)).clamp(1, MOST_SPILL_BLOCKS);
        // A part then gets about a block each time.
        let parts = self.spill_blocks.min(MOST_PARTS);
        let step = (rows.in_memory / Split::samples(parts)).max(1);
        let split = {
            let texts = self.keys.look();
            let all = rows.blocks.iter().flat_map(|block| &block.rows);
            Split::new(parts, all.step_by(step).map(|row| texts.get(row.target)))
        };
        rows.parts.resize_with(split.parts(), PartSoFar::default);
        self.keys.split(split);
        let texts = self.keys.look();
        rows.blocks.par_iter_mut().for_each(|Block { rows, parts }| {
            parts.extend(rows.iter().map(|row| texts.part_of(row.target)));
        });
        let blocks = std::mem::take(&mut rows.blocks);
        blocks.iter().for_each(|block| rows.count_parts(&block.parts));
        rows.blocks = blocks;
        self.is_split = true;
    }

    /// Puts the rows in memory on the disk, each part's together. Where another
    /// thread is at it, waits for it only if `must` says so.
    pub(super) fn spill(&self, folder: &Path, must: bool) -> io::Result<()> {
        let _spilling = match self.spilling.try_lock() {
            Ok(spilling) => spilling,
            Err(TryLockError::Poisoned(spilling)) => spilling.into_inner(),
            Err(TryLockError::WouldBlock) if must => {
                drop(self.spilling.lock());
                return Ok(());
            }
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        let mut few = false;
        while !few {
            let (blocks, parts) = {
                let mut rows = self.rows();
                let stay = rows.blocks.len().saturating_sub(self.spill_blocks);
                few = stay < self.spill_blocks;
                (rows.blocks.split_off(stay), rows.parts.len())
            };
            self.write(folder, &blocks, parts)?;
            let mut spare = self.spare();
            for mut block in blocks.into_iter().take(self.spill_blocks.saturating_sub(spare.len())) {
                block.rows.clear();
                block.parts.clear();
                spare.push(block);
            }
        }
        Ok(())
    }

    /// Writes rows to the disk, each part's together.
    fn write(&self, folder: &Path, blocks: &[Block], parts: usize) -> io::Result<()> {
        let mut gathered = Vec::new();
        let (order, ends) = by_part(blocks, parts);
        let row = |&at: &u32| blocks.get(at as usize / BLOCK_ROWS)?.rows.get(at as usize % BLOCK_ROWS).copied();
        let mut from = 0;
        for (part, to) in ends.into_iter().enumerate() {
            for some in order.get(from..to).unwrap_or_default().chunks(SEGMENT_ROWS) {
                gathered.clear();
                gathered.extend(some.iter().filter_map(row));
                let segment = self.spool.write(folder, &gathered)?;
                if let Some(part) = self.rows().parts.get_mut(part) {
                    part.segments.push(segment);
                }
            }
            from = to;
        }
        self.rows().in_memory -= order.len();
        Ok(())
    }

    /// The rows, when no more come.
    pub(super) fn into_rows(self) -> (Rows, [Dictionary; 3], Spool) {
        let rows = self.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        (rows, [self.keys, self.anchors, self.tails], self.spool)
    }
}

/// Where the rows of blocks stand (block and row as one number), part by part,
/// and where each part ends in that list.
fn by_part(blocks: &[Block], parts: usize) -> (Vec<u32>, Vec<usize>) {
    let mut next = vec![0_usize; parts + 1];
    for &part in blocks.iter().flat_map(|block| &block.parts) {
        if let Some(count) = next.get_mut(usize::from(part) + 1) {
            *count += 1;
        }
    }
    for part in 1..next.len() {
        next[part] += next[part - 1];
    }
    let mut order = vec![0; next.last().copied().unwrap_or(0)];
    for (first, block) in (0_u32..).step_by(BLOCK_ROWS).zip(blocks) {
        for (at, &part) in (first..).zip(&block.parts) {
            if let Some(next) = next.get_mut(usize::from(part)) {
                if let Some(place) = order.get_mut(*next) {
                    *place = at;
                }
                *next += 1;
            }
        }
    }
    next.pop();
    (order, next)
}
