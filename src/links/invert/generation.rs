//! Rows that are being gathered, and the texts that they point at.
//!
//! All threads share one dictionary, so a text is kept once however many rows
//! have it, and rows that do not fit go to the disk as numbers. Only where the
//! dictionary itself grows too large, a generation ends: its rows are sorted
//! and written out with their texts, and the next one begins with none.

use super::batch::{Batch, Column};
use super::dictionary::{Dictionary, ORDER_BYTES, Scratch};
use super::entry::{ENTRY_BYTES, Entry, PLAIN_TAILS, Segment, Spool};
use super::kept::Covered;
use super::texts::TextId;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What one thread needs for looking texts up.
#[derive(Default)]
pub(super) struct Finder {
    scratch: Scratch,
    keys: Vec<TextId>,
    anchors: Vec<TextId>,
    tails: Vec<TextId>,
}

/// See the module.
pub(super) struct Generation {
    pub(super) keys: Dictionary,
    pub(super) anchors: Dictionary,
    pub(super) tails: Dictionary,
    pub(super) spool: Spool,
    rows: Mutex<Rows>,
}

/// Rows as they came.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) blocks: Vec<Vec<Entry>>,
    pub(super) segments: Vec<Segment>,
    /// All of them, and those in memory.
    pub(super) count: u64,
    in_memory: usize,
    pub(super) links: u64,
    pub(super) captures: u64,
    /// Stretches of the input that were brought whole, and the links and
    /// captures in them.
    pub(super) covered: Vec<Covered>,
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
        let mut tails = tails.iter().map(|&tail| PLAIN_TAILS + tail);
        let (targets, sources) = keys.split_at(count);
        let rows = batch.rest().zip(targets).zip(sources).zip(&*anchors);
        let block = rows.map(|((((when, known), &target), &source), &anchor)| Entry {
            when,
            target,
            source,
            anchor,
            tail: known.or_else(|| tails.next()).unwrap_or_default(),
        });
        let block: Vec<Entry> = block.collect();
        let mut rows = self.rows();
        rows.count += block.len() as u64;
        rows.in_memory += block.len();
        rows.links += batch.links;
        rows.captures += batch.captures;
        rows.blocks.push(block);
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory that texts take, in bytes, with what putting them in order will.
    pub(super) fn text_bytes(&self) -> usize {
        let all = [&self.keys, &self.anchors, &self.tails];
        all.map(Dictionary::used_bytes).iter().sum::<usize>() + self.keys.count() * ORDER_BYTES
    }

    /// Memory that rows take, in bytes.
    pub(super) fn row_bytes(&self) -> usize {
        self.rows().in_memory * ENTRY_BYTES
    }

    /// Whether there are soon no numbers left for texts.
    pub(super) fn is_crowded(&self) -> bool {
        [&self.keys, &self.anchors, &self.tails].into_iter().any(Dictionary::is_crowded)
    }

    /// Puts half of the rows in memory on the disk.
    pub(super) fn spill(&self, folder: &Path) -> io::Result<()> {
        let out = {
            let mut rows = self.rows();
            let stay = rows.blocks.len() / 2;
            rows.blocks.split_off(stay)
        };
        for block in out {
            let segment = self.spool.write(folder, &block)?;
            let mut rows = self.rows();
            rows.in_memory -= block.len();
            rows.segments.push(segment);
        }
        Ok(())
    }

    /// The rows, when no more come.
    pub(super) fn into_rows(self) -> (Rows, [Dictionary; 3], Spool) {
        let rows = self.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        (rows, [self.keys, self.anchors, self.tails], self.spool)
    }
}
