//! Dictionary of texts that threads share: sets with a lock each, each text in the one that its hash names,
//! so that two threads seldom wait for one.

use super::split::Split;
use super::texts::{Found, Lookup, TextId, Texts, count_in, part_in};
use foldhash::fast::RandomState;
use rayon::prelude::*;
use std::borrow::Borrow;
use std::hash::BuildHasher;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Sets side by side where threads share them.
pub(super) const SETS: usize = 32;

/// Fewer texts than this are put in order by comparing them whole.
const FEW: usize = 12;

/// Parts above this are put in order by a thread of their own.
const MANY: usize = 20_000;

/// Memory of one text while texts are sorted and cut into parts, in bytes.
pub(super) const ORDER_BYTES: usize = 16 + 4 + 4 + 2;

/// Texts that come.
pub(super) struct Dictionary {
    sets: Vec<Mutex<Texts>>,
    /// Seeded for each dictionary: URLs are hostile and could be made to collide.
    hasher: RandomState,
    text_bytes: AtomicUsize,
    table_bytes: AtomicUsize,
    count: AtomicUsize,
    crowded: AtomicBool,
    /// Where texts that are counted are cut into parts.
    split: Split,
}

/// Buffers of look-ups, kept from one to the next.
#[derive(Default)]
pub(super) struct Scratch {
    tags: Vec<u64>,
    /// The set of each text; of one that repeats the text before, none.
    sets: Vec<u8>,
    order: Vec<u16>,
}

/// Mark in the place of a set.
const REPEATS: u8 = u8::MAX;

/// Bits of a number for the place of a text in its set.
fn place_bits(sets: usize) -> u32 {
    TextId::BITS - sets.ilog2()
}

/// The texts of a row may have at most so many bytes: a set has room for several.
pub(super) const MAX_ROW_BYTES: usize = 16 << 20;

fn sets_for(threads: usize) -> usize {
    if threads > 1 { SETS } else { 1 }
}

impl Dictionary {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            sets: (0..sets_for(threads)).map(|_| Mutex::default()).collect(),
            hasher: RandomState::default(),
            text_bytes: AtomicUsize::new(0),
            table_bytes: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            crowded: AtomicBool::new(false),
            split: Split::default(),
        }
    }

    /// Cuts the texts that are counted, now and from now on, into parts.
    pub(super) fn split(&mut self, split: Split) {
        self.sets.par_iter_mut().for_each(|set| {
            set.get_mut().unwrap_or_else(PoisonError::into_inner).split(&split);
        });
        self.split = split;
    }

    /// The texts, without locks.
    pub(super) fn frozen(&mut self) -> Frozen<&Texts> {
        let bits = place_bits(self.sets.len());
        let sets = self.sets.iter_mut().map(|set| &*set.get_mut().unwrap_or_else(PoisonError::into_inner));
        Frozen { sets: sets.collect(), bits }
    }

    /// The numbers of texts (at most 65,536). The first `counted` of them are
    /// counted each.
    pub(super) fn intern(&self, texts: &[&[u8]], counted: usize, scratch: &mut Scratch, found: &mut Found) {
        let Scratch { tags, sets, order } = scratch;
        found.ids.clear();
        found.ids.resize(texts.len(), 0);
        found.parts.clear();
        found.parts.resize(counted, 0);
        tags.clear();
        sets.clear();
        let mask = self.sets.len() as u64 - 1;
        let mut ends = [0_usize; SETS + 1];
        let mut before: (&[u8], u64) = (&[], self.hasher.hash_one(&[][..] as &[u8]));
        for (number, &text) in texts.iter().enumerate() {
            // The links of a page have one source, sorted rows one target.
            let repeats = text == before.0;
            if !repeats {
                before = (text, self.hasher.hash_one(text));
            }
            tags.push(before.1 >> 32);
            if repeats && number > counted {
                sets.push(REPEATS);
            } else {
                let set = (before.1 & mask) as u8;
                ends[usize::from(set) + 1] += 1;
                sets.push(set);
            }
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut next = ends;
        order.clear();
        order.resize(ends[SETS], 0);
        for (number, &set) in (0..=u16::MAX).zip(&*sets) {
            if let Some(place) = next.get_mut(usize::from(set)) {
                order[*place] = number;
                *place += 1;
            }
        }
        let lookup = Lookup { texts, tags, counted, split: &self.split };
        let bits = place_bits(self.sets.len());
        // Threads begin at different sets.
        let first = tags.first().map_or(0, |&tag| tag as usize);
        for step in 0..self.sets.len() {
            let number = (first + step) % self.sets.len();
            let Some(which) = order.get(ends[number]..ends[number + 1]).filter(|which| !which.is_empty()) else {
                continue;
            };
            let mut set = self.sets[number].lock().unwrap_or_else(PoisonError::into_inner);
            let before = (set.used_bytes(), set.count());
            set.intern(&lookup, which, ((number as u64) << bits) as TextId, found);
            let (used, count, crowded) = (set.used_bytes(), set.count(), set.text_bytes() >> (bits - 1) > 0);
            drop(set);
            if (used, count) != before {
                self.text_bytes.fetch_add(used[0] - before.0[0], Ordering::Relaxed);
                self.table_bytes.fetch_add(used[1] - before.0[1], Ordering::Relaxed);
                self.count.fetch_add(count - before.1, Ordering::Relaxed);
                self.crowded.fetch_or(crowded, Ordering::Relaxed);
            }
        }
        let ids = &mut found.ids;
        for number in counted.max(1)..ids.len() {
            if sets[number] == REPEATS {
                ids[number] = ids[number - 1];
            }
        }
    }

    /// Memory that texts take, and what finding them takes until no more come, in bytes.
    pub(super) fn used_bytes(&self) -> [usize; 2] {
        [&self.text_bytes, &self.table_bytes].map(|bytes| bytes.load(Ordering::Relaxed))
    }

    /// Number of texts.
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether a set has soon no numbers left.
    pub(super) fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// No text comes any more.
    pub(super) fn freeze(self) -> (Frozen, Split) {
        let bits = place_bits(self.sets.len());
        let sets = self.sets.into_iter().map(|set| {
            let mut set = set.into_inner().unwrap_or_else(PoisonError::into_inner);
            set.settle();
            set
        });
        (Frozen { sets: sets.collect(), bits }, self.split)
    }
}

/// Texts that are only read.
#[derive(Default)]
pub(super) struct Frozen<T = Texts> {
    sets: Vec<T>,
    bits: u32,
}

impl<T: Borrow<Texts>> Frozen<T> {
    #[inline]
    fn place(&self, id: TextId) -> (Option<&Texts>, TextId) {
        let set = (u64::from(id) >> self.bits) as usize;
        (self.sets.get(set).map(T::borrow), (u64::from(id) & ((1 << self.bits) - 1)) as TextId)
    }

    /// The text of a number.
    #[inline]
    pub(super) fn get(&self, id: TextId) -> &[u8] {
        let (set, place) = self.place(id);
        set.map_or(&[], |set| set.get(place))
    }

    /// The part of a text that was counted.
    pub(super) fn part_of(&self, id: TextId) -> u16 {
        let (set, place) = self.place(id);
        set.map_or(0, |set| part_in(set.number(place)))
    }
}

impl Frozen {
    /// Looks at a text, so that it is near when it is read soon after.
    #[inline]
    pub(super) fn touch(&self, id: TextId) -> u8 {
        let (set, place) = self.place(id);
        set.map_or(0, |set| set.touch(place))
    }

    /// The rank of a text, after [`Self::rank`].
    #[inline]
    pub(super) fn rank_of(&self, id: TextId) -> u32 {
        let (set, place) = self.place(id);
        set.map_or(0, |set| set.number(place))
    }

    /// Gives each text its rank in the order of bytes. The answer is the
    /// numbers in that order, and how often each was counted.
    pub(super) fn rank(&mut self) -> (Vec<TextId>, Vec<u32>) {
        let order = self.in_order();
        let mut counts = Vec::with_capacity(order.len());
        let (bits, mask) = (self.bits, (1 << self.bits) - 1);
        for (&id, rank) in order.iter().zip(0_u32..) {
            let place = (u64::from(id) & mask) as TextId;
            if let Some(set) = self.sets.get_mut((u64::from(id) >> bits) as usize) {
                counts.push(count_in(set.number(place)));
                set.set_number(place, rank);
            }
        }
        (order, counts)
    }

    /// Sorts all numbers by the bytes of their texts.
    fn in_order(&self) -> Vec<TextId> {
        let mut order: Vec<(u64, TextId)> = Vec::with_capacity(self.sets.iter().map(Texts::count).sum());
        for (number, set) in (0_u64..).zip(&self.sets) {
            order.extend(set.ids().map(|place| (0, (number << self.bits) as TextId + place)));
        }
        rayon::scope(|scope| self.put_in_order(&mut order, 0, scope));
        order.into_iter().map(|(_, id)| id).collect()
    }

    /// Eight bytes at a time: keys of one site share their first thirty, which
    /// a comparison of whole texts would read again and again.
    fn put_in_order<'s>(&'s self, part: &'s mut [(u64, TextId)], depth: usize, scope: &rayon::Scope<'s>) {
        let mut parts = vec![(part, depth)];
        while let Some((part, depth)) = parts.pop() {
            if part.len() <= FEW {
                part.sort_unstable_by(|a, b| self.rest(a.1, depth).cmp(self.rest(b.1, depth)));
                continue;
            }
            // One at a time, each would wait for its text.
            for some in part.chunks_mut(64) {
                black_box(some.iter().fold(0, |all, (_, id)| all ^ self.touch(*id)));
                for (key, id) in some {
                    *key = eight(self.rest(*id, depth));
                }
            }
            part.sort_unstable();
            for same in part.chunk_by_mut(|a, b| a.0 == b.0) {
                // A text that ended is alone with its key: there is no NUL in texts.
                match same.len() {
                    1 => {}
                    MANY.. => scope.spawn(move |scope| self.put_in_order(same, depth + 8, scope)),
                    _ => parts.push((same, depth + 8)),
                }
            }
        }
    }

    fn rest(&self, id: TextId, depth: usize) -> &[u8] {
        self.get(id).get(depth..).unwrap_or_default()
    }
}

/// The first eight bytes as a number that has their order; zeros behind the end.
#[inline]
fn eight(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => text.iter().zip((0..8).rev()).fold(0, |key, (&byte, place)| key | u64::from(byte) << (place * 8)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn texts_are_kept_once_counted_and_ordered_by_their_bytes(
            texts in proptest::collection::vec("(pt,a{0,12}|pt,b,)?[ab]{0,9}", 0..300),
            threads in 1_usize..3,
            counted in 0_usize..300,
        ) {
            let dictionary = Dictionary::new(threads);
            let counted = counted.min(texts.len());
            let all: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            let (mut found, mut again) = (Found::default(), Found::default());
            dictionary.intern(&all, counted, &mut Scratch::default(), &mut found);
            dictionary.intern(&all, 0, &mut Scratch::default(), &mut again);
            prop_assert_eq!(&again.ids, &found.ids);
            let ids = found.ids;
            let mut expected: BTreeMap<&[u8], u32> = all.iter().map(|&text| (text, 0)).collect();
            all.iter().take(counted).for_each(|text| *expected.get_mut(text).unwrap() += 1);
            prop_assert_eq!(dictionary.count(), expected.len());
            let (mut frozen, _) = dictionary.freeze();
            for (id, text) in ids.iter().zip(&all) {
                prop_assert_eq!(frozen.get(*id), *text);
            }
            let (order, counts) = frozen.rank();
            prop_assert!(order.iter().zip(0..).all(|(&id, rank)| frozen.rank_of(id) == rank));
            let ranked = order.iter().map(|&id| frozen.get(id)).zip(counts);
            prop_assert_eq!(ranked.collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(frozen.get(TextId::MAX), b"");
        }
    }
}
