//! Stores texts once each, and sorts them.
//!
//! A text is named by its place in one long buffer, so that a link is some small numbers and equal texts have
//! equal numbers.

use super::split::Split;
use std::hint::black_box;

/// Before each text: its length, and a number (how often it is a target and the
/// part it belongs to, later its rank), four bytes each.
const HEAD: usize = 8;

/// Bits of the number that count, and stay at their most; the part is above.
const COUNT_BITS: u32 = 21;
const COUNTED: u32 = (1 << COUNT_BITS) - 1;

/// Count of a text, by its number.
pub(super) fn count_in(number: u32) -> u32 {
    number & COUNTED
}

/// The part of a text, by its number.
pub(super) fn part_in(number: u32) -> u16 {
    (number >> COUNT_BITS) as u16
}

/// Slots of the first table.
const FIRST_SLOTS: usize = 16;

/// Texts that are looked up together.
const BATCH: usize = 64;

/// Most texts reach into a second line of the processor's memory.
const TOUCH_BYTES: usize = 48;

/// Place of a text.
pub(super) type TextId = u32;

/// Texts to be looked up, with half a hash of each.
pub(super) struct Lookup<'t> {
    pub(super) texts: &'t [&'t [u8]],
    pub(super) tags: &'t [u64],
    /// The first so many are counted.
    pub(super) counted: usize,
    pub(super) split: &'t Split,
}

/// Result of a look-up of texts.
#[derive(Default)]
pub(super) struct Found {
    /// The number of each.
    pub(super) ids: Vec<TextId>,
    /// The part of each that is counted.
    pub(super) parts: Vec<u16>,
}

/// A set of texts.
#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Open addressing: half a hash, and the place of the text plus one.
    slots: Vec<u64>,
    count: usize,
}

impl Texts {
    /// The numbers of some of the texts, to be put at their places in `found`
    /// with `base` added; the same for the same text.
    ///
    /// Each text costs two or three reads of places far apart in memory. So many are prefetched before any is
    /// compared: loads that do not wait for each other take little longer than one.
    pub(super) fn intern(&mut self, lookup: &Lookup<'_>, which: &[u16], base: TextId, found: &mut Found) {
        for some in which.chunks(BATCH) {
            while (self.count + some.len()) * 8 > self.slots.len() * 5 {
                self.grow();
            }
            self.intern_batch(lookup, some, base, found);
        }
    }

    fn intern_batch(&mut self, lookup: &Lookup<'_>, some: &[u16], base: TextId, found: &mut Found) {
        let mask = self.slots.len() - 1;
        let tag_of = |number: u16| lookup.tags.get(usize::from(number)).copied().unwrap_or(0);
        black_box(some.iter().fold(0, |all, &number| all ^ self.slots[tag_of(number) as usize & mask]));
        // The place that holds the tag, which nearly always is that of the
        // text; in two of five cases behind others that came before it.
        let mut places = [0; BATCH];
        for (place, &number) in places.iter_mut().zip(some) {
            *place = self.place_of(tag_of(number), tag_of(number) as usize & mask);
        }
        let near = places.iter().take(some.len());
        black_box(near.fold(0, |all, &place| all ^ self.touch((self.slots[place] as u32).wrapping_sub(1))));
        for (&place, &number) in places.iter().zip(some) {
            let number = usize::from(number);
            let (Some(text), Some(&tag), Some(id)) =
                (lookup.texts.get(number), lookup.tags.get(number), found.ids.get_mut(number))
            else {
                continue;
            };
            let there = self.find_or_add(text, tag, place);
            *id = base + there;
            if number < lookup.counted {
                let before = self.number(there);
                let now = match count_in(before) {
                    0 => u32::from(lookup.split.part_of(text)) << COUNT_BITS | 1,
                    COUNTED => before,
                    _ => before + 1,
                };
                self.set_number(there, now);
                if let Some(part) = found.parts.get_mut(number) {
                    *part = part_in(now);
                }
            }
        }
    }

    /// The first place from `at` on that holds a tag, or else nothing.
    #[inline]
    fn place_of(&self, tag: u64, mut at: usize) -> usize {
        let mask = self.slots.len() - 1;
        loop {
            let slot = self.slots[at];
            if slot == 0 || slot >> 32 == tag {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// `place` is the first one that can be the text's.
    fn find_or_add(&mut self, text: &[u8], tag: u64, place: usize) -> TextId {
        let mask = self.slots.len() - 1;
        let mut at = place;
        loop {
            at = self.place_of(tag, at);
            let slot = self.slots[at];
            if slot == 0 {
                // Fits: a set is full long before 4 GiB.
                let id = self.bytes.len() as TextId;
                if self.bytes.capacity() - self.bytes.len() < HEAD + text.len() {
                    // By an eighth: room that is not used is memory all the same.
                    self.bytes.reserve_exact((self.bytes.len() / 8).max(HEAD + text.len()));
                }
                self.bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                self.bytes.extend_from_slice(text);
                self.slots[at] = tag << 32 | (u64::from(id) + 1);
                self.count += 1;
                return id;
            }
            let id = (slot as u32).wrapping_sub(1);
            if self.get(id) == text {
                return id;
            }
            at = (at + 1) & mask;
        }
    }

    /// Looks at a text, so that it is near when it is read soon after.
    #[inline]
    pub(super) fn touch(&self, id: TextId) -> u8 {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        byte(id as usize) ^ byte(id as usize + TOUCH_BYTES)
    }

    /// The text of a number.
    #[inline]
    pub(super) fn get(&self, id: TextId) -> &[u8] {
        let rest = self.bytes.get(id as usize..).unwrap_or_default();
        let Some((head, rest)) = rest.split_first_chunk::<HEAD>() else { return &[] };
        rest.get(..u64::from_le_bytes(*head) as u32 as usize).unwrap_or_default()
    }

    /// The number beside a text.
    #[inline]
    pub(super) fn number(&self, id: TextId) -> u32 {
        let head = self.bytes.get(id as usize..).and_then(|rest| rest.first_chunk::<HEAD>());
        head.map_or(0, |head| (u64::from_le_bytes(*head) >> 32) as u32)
    }

    #[inline]
    pub(super) fn set_number(&mut self, id: TextId, number: u32) {
        let place = id as usize + HEAD / 2;
        if let Some(place) = self.bytes.get_mut(place..place + HEAD / 2) {
            place.copy_from_slice(&number.to_le_bytes());
        }
    }

    /// Gives each text that was counted its part.
    pub(super) fn split(&mut self, split: &Split) {
        let ids: Vec<TextId> = self.ids().filter(|&id| count_in(self.number(id)) > 0).collect();
        for id in ids {
            let part = u32::from(split.part_of(self.get(id)));
            self.set_number(id, part << COUNT_BITS | count_in(self.number(id)));
        }
    }

    /// Number of texts.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Bytes of the texts, with their heads.
    pub(super) fn text_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Memory that the texts take, and that of the table, in bytes.
    pub(super) fn used_bytes(&self) -> [usize; 2] {
        [self.bytes.capacity(), self.slots.len() * size_of::<u64>()]
    }

    /// No text comes any more: the table is not needed to read texts back.
    pub(super) fn settle(&mut self) {
        self.slots = Vec::new();
        self.bytes.shrink_to_fit();
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; (old.len() * 2).max(FIRST_SLOTS)];
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = (slot >> 32) as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// The numbers of all texts, as they came.
    pub(super) fn ids(&self) -> impl Iterator<Item = TextId> {
        let mut at = 0;
        std::iter::from_fn(move || {
            (at < self.bytes.len()).then(|| {
                let id = at as TextId;
                at += HEAD + self.get(id).len();
                id
            })
        })
    }
}
