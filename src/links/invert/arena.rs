//! Rows in memory: fixed numbers that point at texts kept once.

use super::row::{
    CaptureRow, FLAGS, LinkRow, Parts, encode_tail, plain_tail, when_of_capture, when_of_link, without_nul,
};
use super::texts::{BATCH, TextId, Texts};
use rayon::slice::ParallelSliceMut;
use std::cmp::Ordering;
use std::hint::black_box;

/// Rows above this are sorted by all threads where others have nothing to do.
const MANY: usize = 100_000;

/// A row. The target is the number of its text until the arena is sorted,
/// then its rank among the keys.
#[derive(Clone, Copy)]
struct Entry {
    target: u32,
    source: TextId,
    when: u64,
    anchor: TextId,
    tail: TextId,
}

impl Entry {
    /// Target and time in one number, as nearly always decides.
    #[inline]
    fn key(&self) -> u128 {
        u128::from(self.target) << 64 | u128::from(self.when)
    }

    fn is_same_link(&self, other: &Self) -> bool {
        self.key() == other.key() && self.source == other.source && self.anchor == other.anchor
    }
}

/// A block of rows; see the module.
#[derive(Default)]
pub(super) struct Arena {
    entries: Vec<Entry>,
    /// Targets and sources: most pages are both.
    keys: Texts,
    anchors: Texts,
    tails: Texts,
    /// What the last row had, by column.
    last: [Option<TextId>; 4],
    /// Numbers of the keys in order, once sorted.
    ranked: Vec<TextId>,
    /// Tails that hold a few marks only, which most rows from elsewhere have.
    plain_tails: Vec<Option<TextId>>,
    /// Rows that wait for others: `when`, the tail if it is known already, and
    /// where their texts end.
    staged: Vec<(u64, Option<TextId>, [usize; 4])>,
    staged_texts: Vec<u8>,
}

impl Arena {
    pub(super) fn push_link(&mut self, row: &LinkRow<'_>) {
        let tail = plain_tail(row).map(|flags| self.plain_tail(flags, row));
        let texts = [row.target, row.source, row.anchor];
        self.stage(texts, when_of_link(row.date), tail, |out| match tail {
            Some(_) => {}
            None => encode_tail(row, out),
        });
    }

    pub(super) fn push_capture(&mut self, row: &CaptureRow<'_>) {
        let id = row.id.to_be_bytes();
        self.stage([row.target, "", ""], when_of_capture(row.date), None, |tail| tail.extend_from_slice(&id));
    }

    fn plain_tail(&mut self, flags: u8, row: &LinkRow<'_>) -> TextId {
        if self.plain_tails.is_empty() {
            self.plain_tails.resize(FLAGS, None);
        }
        let known = &mut self.plain_tails[usize::from(flags)];
        *known.get_or_insert_with(|| {
            let (mut tail, mut ids) = (Vec::new(), [0; BATCH]);
            encode_tail(row, &mut tail);
            self.tails.intern_all(&[&tail], &mut ids, &mut None);
            ids[0]
        })
    }

    /// Keeps a row until there are enough to look their texts up together.
    fn stage(&mut self, texts: [&str; 3], when: u64, known: Option<TextId>, tail: impl FnOnce(&mut Vec<u8>)) {
        let mut ends = [0; 4];
        let start = self.staged_texts.len();
        for (end, text) in ends.iter_mut().zip(texts) {
            self.staged_texts.extend_from_slice(text.as_bytes());
            *end = self.staged_texts.len();
        }
        if self.staged_texts.get(start..).is_some_and(|texts| memchr::memchr(0, texts).is_some()) {
            self.staged_texts.truncate(start);
            for (end, text) in ends.iter_mut().zip(texts) {
                self.staged_texts.extend_from_slice(&without_nul(text));
                *end = self.staged_texts.len();
            }
        }
        tail(&mut self.staged_texts);
        ends[3] = self.staged_texts.len();
        self.staged.push((when, known, ends));
        if self.staged.len() >= BATCH {
            self.take_staged();
        }
    }

    fn take_staged(&mut self) {
        let mut ids = [[0; BATCH]; 4];
        let known = self.staged.iter().all(|(_, tail, _)| tail.is_some());
        let columns = ids.iter_mut().zip(&mut self.last).enumerate();
        for (column, (ids, last)) in columns.take(if known { 3 } else { 4 }) {
            let set = match column {
                0 | 1 => &mut self.keys,
                2 => &mut self.anchors,
                _ => &mut self.tails,
            };
            let mut texts: [&[u8]; BATCH] = [b""; BATCH];
            let mut before = 0;
            for (text, (_, _, ends)) in texts.iter_mut().zip(&self.staged) {
                let start = column.checked_sub(1).map_or(before, |left| ends[left]);
                *text = self.staged_texts.get(start..ends[column]).unwrap_or_default();
                before = ends[3];
            }
            set.intern_all(&texts[..self.staged.len().min(BATCH)], ids, last);
        }
        let [targets, sources, anchors, tails] = ids;
        let rows = self.staged.iter().zip(targets).zip(sources).zip(anchors).zip(tails);
        self.entries.extend(rows.map(|((((&(when, known, _), target), source), anchor), tail)| Entry {
            target,
            source,
            when,
            anchor,
            tail: known.unwrap_or(tail),
        }));
        self.staged.clear();
        self.staged_texts.clear();
    }

    /// Looks at the texts of the next rows, before they are read one by one.
    #[inline]
    pub(super) fn look_ahead(&self, at: usize) {
        if at.is_multiple_of(BATCH) {
            let rows = self.entries.get(at..self.entries.len().min(at + BATCH)).unwrap_or_default();
            let touch = |entry: &Entry| self.keys.touch(entry.source) ^ self.anchors.touch(entry.anchor);
            black_box(rows.iter().fold(0, |all, entry| all ^ touch(entry)));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Memory in use, in bytes, with what sorting will take.
    pub(super) fn used_bytes(&self) -> usize {
        let texts = [&self.anchors, &self.tails].map(|texts| texts.used_bytes(false));
        self.entries.len() * size_of::<Entry>()
            + self.staged_texts.len()
            + self.keys.used_bytes(true)
            + texts.iter().sum::<usize>()
            + self.ranked.len() * size_of::<TextId>()
    }

    /// Forgets the rows and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.plain_tails.clear();
        self.last = [None; 4];
        self.staged.clear();
        self.staged_texts.clear();
        for texts in [&mut self.keys, &mut self.anchors, &mut self.tails] {
            texts.clear();
        }
        self.ranked.clear();
    }

    /// Gives memory back that only filling needs.
    pub(super) fn settle(&mut self) {
        self.entries.shrink_to_fit();
        for texts in [&mut self.keys, &mut self.anchors, &mut self.tails] {
            texts.settle();
        }
    }

    /// Puts the rows in order and says how many were left out as duplicates.
    /// `alone` says that no other thread is at work.
    pub(super) fn sort(&mut self, alone: bool) -> u64 {
        self.take_staged();
        self.ranked = self.keys.rank();
        for entry in &mut self.entries {
            entry.target = self.keys.rank_of(entry.target);
        }
        // Nearly all rows differ in target or time, which is one comparison of
        // numbers; only where they do not, texts are looked at.
        if alone && self.entries.len() > MANY {
            self.entries.par_sort_unstable_by_key(Entry::key);
        } else {
            self.entries.sort_unstable_by_key(Entry::key);
        }
        let (keys, anchors, tails) = (&self.keys, &self.anchors, &self.tails);
        let by_text = |texts: &Texts, a: TextId, b: TextId| match a == b {
            true => Ordering::Equal,
            false => texts.get(a).cmp(texts.get(b)),
        };
        for same in self.entries.chunk_by_mut(|a, b| a.key() == b.key()).filter(|same| same.len() > 1) {
            same.sort_unstable_by(|a, b| {
                by_text(keys, a.source, b.source)
                    .then_with(|| by_text(anchors, a.anchor, b.anchor))
                    .then_with(|| by_text(tails, a.tail, b.tail))
            });
        }
        let before = self.entries.len();
        self.entries.dedup_by(|b, a| a.is_same_link(b));
        (before - self.entries.len()) as u64
    }

    /// The row at a place, once sorted.
    #[inline]
    pub(super) fn row(&self, at: usize) -> Option<Parts<'_>> {
        let entry = self.entries.get(at)?;
        Some(Parts {
            target: self.keys.get(*self.ranked.get(entry.target as usize)?),
            when: entry.when,
            source: self.keys.get(entry.source),
            anchor: self.anchors.get(entry.anchor),
            tail: self.tails.get(entry.tail),
        })
    }

    /// The target of the row at a place, once sorted.
    #[inline]
    pub(super) fn target(&self, at: usize) -> &[u8] {
        let rank = self.entries.get(at).map(|entry| entry.target as usize);
        rank.and_then(|rank| self.ranked.get(rank)).map_or(b"", |&id| self.keys.get(id))
    }

    /// Kind and date of the row at a place.
    #[inline]
    pub(super) fn when(&self, at: usize) -> u64 {
        self.entries.get(at).map_or(0, |entry| entry.when)
    }

    /// Whether two places have the same target, once sorted.
    #[inline]
    pub(super) fn is_same_target(&self, a: usize, b: usize) -> bool {
        match (self.entries.get(a), self.entries.get(b)) {
            (Some(a), Some(b)) => a.target == b.target,
            _ => false,
        }
    }

    /// The first place whose target is not before `target`, once sorted.
    pub(super) fn first_at(&self, target: &[u8]) -> usize {
        let rank = self.ranked.partition_point(|&id| self.keys.get(id) < target) as u32;
        self.entries.partition_point(|entry| entry.target < rank)
    }

    /// Some targets at even distances of rows, in order.
    pub(super) fn samples(&self, every: usize) -> impl Iterator<Item = &[u8]> {
        (0..self.entries.len()).step_by(every.max(1)).map(|at| self.target(at))
    }
}
