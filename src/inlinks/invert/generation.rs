//! Gathers rows and the texts that they point at.
//!
//! All threads share one dictionary, so a text is kept once however many rows
//! have it, and rows that do not fit are dealt to parts by target, which go to
//! the disk as numbers. Only where the dictionary itself grows too large, a
//! generation ends: its rows are sorted and written out with their texts, and
//! the next one begins with none.

use super::batch::{Column, RowBatch};
use super::dictionary::{Dictionary, ORDER_BYTES, Scratch};
use super::entry::{ENTRY_BYTES, Entry, PLAIN_TAILS, Spool, SpoolSegment};
use super::kept::InputRange;
use super::notes::Notes;
use super::split::{MOST_PARTS, Split};
use super::texts::{Found, TextId};
use rayon::prelude::*;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows of a part that go to the disk together, where the memory allows: fewer
/// have less in common, and are written in more bytes.
const SEGMENT_ROWS: usize = 256;

/// Buffers of one thread for looking texts up.
#[derive(Default)]
pub(super) struct Finder {
    scratch: Scratch,
    keys: Found,
    anchors: Found,
    tails: Found,
    /// Which of the dealers is its own.
    dealer: Option<usize>,
}

/// See the module.
pub(super) struct Generation {
    pub(super) keys: Dictionary,
    pub(super) anchors: Dictionary,
    pub(super) tails: Dictionary,
    spool: Spool,
    rows: Mutex<GatheredRows>,
    /// Where targets are cut into parts: one for each thread.
    dealers: Vec<Mutex<Dealer>>,
    next_dealer: AtomicUsize,
    threads: usize,
}

/// Rows on their way to the disk, by part.
struct Dealer {
    open: Vec<Vec<Entry>>,
    /// As many go there together.
    segment_rows: usize,
    bytes: Vec<u8>,
}

impl Dealer {
    fn new(parts: usize, segment_rows: usize) -> Self {
        Self { open: (0..parts).map(|_| Vec::with_capacity(segment_rows)).collect(), segment_rows, bytes: Vec::new() }
    }

    /// Gives rows to their parts, and those that are enough to the disk.
    fn deal<'p>(
        &mut self,
        dealt: impl Iterator<Item = (Entry, &'p u16)>,
        rows: &Mutex<GatheredRows>,
        spool: &Spool,
        folder: &Path,
    ) -> io::Result<()> {
        for (row, &part) in dealt {
            let Some(open) = self.open.get_mut(usize::from(part)) else { continue };
            open.push(row);
            if open.len() >= self.segment_rows {
                let segment = spool.write(folder, open, &mut self.bytes)?;
                let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(part) = rows.parts.get_mut(usize::from(part)) {
                    part.segments.push(segment);
                }
                rows.in_memory = rows.in_memory.saturating_sub(open.len());
                open.clear();
            }
        }
        Ok(())
    }
}

/// A part, while rows come.
#[derive(Default)]
pub(super) struct PartSoFar {
    /// Rows on the disk, that point at their targets' texts.
    pub(super) segments: Vec<SpoolSegment>,
    /// All of its rows, when no more come.
    pub(super) rows: usize,
}

impl PartSoFar {
    /// Bytes on the disk.
    pub(super) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes() as u64).sum()
    }
}

/// Rows in the order in which they came.
#[derive(Default)]
pub(super) struct GatheredRows {
    pub(super) blocks: Vec<Vec<Entry>>,
    pub(super) parts: Vec<PartSoFar>,
    /// All of them, and those in memory.
    pub(super) count: u64,
    in_memory: usize,
    pub(super) links: u64,
    pub(super) captures: u64,
    /// Stretches of the input that were brought whole, and the links and
    /// captures in them.
    pub(super) covered: Vec<InputRange>,
    pub(super) notes: Notes,
    pub(super) marked: (u64, u64),
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
            dealers: Vec::new(),
            next_dealer: AtomicUsize::new(0),
            threads,
        }
    }

    /// Takes the rows of a batch; where targets are cut into parts, some may go
    /// to the disk.
    pub(super) fn take(&self, batch: &RowBatch, finder: &mut Finder, folder: &Path) -> io::Result<()> {
        let count = batch.len();
        if count == 0 {
            return Ok(());
        }
        let Finder { scratch, keys, anchors, tails, dealer } = finder;
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
        {
            // Before any of them goes to the disk, and counts no more.
            let mut all = self.rows();
            all.count += count as u64;
            all.in_memory += count;
            all.links += batch.links;
            all.captures += batch.captures;
        }
        let kept = match self.dealers.len() {
            0 => {
                let mut block = Vec::with_capacity(count);
                block.extend(rows);
                Some(block)
            }
            dealers => {
                let number = *dealer.get_or_insert_with(|| self.next_dealer.fetch_add(1, Ordering::Relaxed));
                if let Some(dealer) = self.dealers.get(number % dealers) {
                    let mut dealer = dealer.lock().unwrap_or_else(PoisonError::into_inner);
                    dealer.deal(rows.zip(&keys.parts), &self.rows, &self.spool, folder)?;
                }
                None
            }
        };
        self.rows().blocks.extend(kept);
        Ok(())
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, GatheredRows> {
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
        self.rows().in_memory * ENTRY_BYTES
    }

    /// Whether there are soon no numbers left for texts.
    pub(super) fn is_crowded(&self) -> bool {
        [&self.keys, &self.anchors, &self.tails].into_iter().any(Dictionary::is_crowded)
    }

    /// Whether targets are cut into parts, so that rows go to the disk.
    pub(super) fn is_split(&self) -> bool {
        !self.dealers.is_empty()
    }

    /// Cuts targets into parts that are about even if more rows come like those
    /// that are there, and deals these. Rows on their way to the disk take about
    /// `open_bytes` from now on.
    pub(super) fn split(&mut self, open_bytes: usize, folder: &Path) -> io::Result<()> {
        let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
        let open_rows = open_bytes / (ENTRY_BYTES * self.threads);
        let parts = (open_rows / SEGMENT_ROWS).clamp(1, MOST_PARTS);
        let step = (rows.in_memory / Split::samples(parts)).max(1);
        let split = {
            let texts = self.keys.frozen();
            Split::new(parts, rows.blocks.iter().flatten().step_by(step).map(|row| texts.get(row.target)))
        };
        let parts = split.parts();
        rows.parts.resize_with(parts, PartSoFar::default);
        let blocks = std::mem::take(&mut rows.blocks);
        self.keys.split(split);
        let dealer = || Mutex::new(Dealer::new(parts, (open_rows / parts).max(1)));
        self.dealers = std::iter::repeat_with(dealer).take(self.threads).collect();
        let Self { keys, rows, spool, dealers, .. } = self;
        let texts = keys.frozen();
        // What was dealt is free at once.
        let blocks = Mutex::new(blocks);
        dealers.par_iter_mut().try_for_each(|dealer| {
            let dealer = dealer.get_mut().unwrap_or_else(PoisonError::into_inner);
            let mut parts = Vec::new();
            loop {
                let block = blocks.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let Some(block) = block else { return Ok(()) };
                parts.clear();
                parts.extend(block.iter().map(|row| texts.part_of(row.target)));
                dealer.deal(block.into_iter().zip(&parts), rows, spool, folder)?;
            }
        })
    }

    /// No more rows come: those that did not go to the disk are put together.
    pub(super) fn settle(&mut self) {
        let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
        for part in &mut rows.parts {
            part.rows = part.segments.iter().map(|segment| segment.rows).sum();
        }
        for dealer in self.dealers.drain(..) {
            let dealer = dealer.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (part, open) in rows.parts.iter_mut().zip(dealer.open) {
                part.rows += open.len();
                rows.blocks.push(open);
            }
        }
    }

    /// The rows, when they are [settled](Self::settle).
    pub(super) fn into_rows(self) -> (GatheredRows, [Dictionary; 3], Spool) {
        let rows = self.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        (rows, [self.keys, self.anchors, self.tails], self.spool)
    }
}
