//! Texts that are kept once each, and put in order.
//!
//! A text is named by where it stands in one long buffer, so that a link is
//! some small numbers and equal texts have equal numbers.

use foldhash::fast::RandomState;
use std::hash::BuildHasher;
use std::hint::black_box;

/// Before each text: its length and its rank, four bytes each.
const HEAD: usize = 8;

/// Slots of the first table.
const FIRST_SLOTS: usize = 16;

/// Fewer texts than this are put in order by comparing them whole.
const FEW: usize = 12;

/// Texts that are looked up together.
pub(super) const BATCH: usize = 64;

/// Most texts reach into a second line of the processor's memory.
const TOUCH_BYTES: usize = 48;

/// What one text takes while texts are put in order, in bytes.
const ORDER_BYTES: usize = 16;

/// Where a text stands.
pub(super) type TextId = u32;

/// A set of texts.
#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Open addressing: half a hash, and the place of the text plus one.
    slots: Vec<u64>,
    count: usize,
    /// Seeded for each set: URLs are hostile and could be made to collide.
    hasher: RandomState,
}

impl Texts {
    /// The numbers of some texts; the same for the same text.
    ///
    /// Each text costs two or three looks at places far apart in memory. So
    /// all are looked at once before any is compared: loads that do not wait
    /// for each other take little longer than one.
    ///
    /// `last` is the text that was asked for before these, if it is known.
    pub(super) fn intern_all(&mut self, texts: &[&[u8]], ids: &mut [TextId; BATCH], last: &mut Option<TextId>) {
        if texts.is_empty() {
            return;
        }
        while (self.count + texts.len()) * 8 > self.slots.len() * 5 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut tags = [0; BATCH];
        let mut before = None;
        for (tag, &text) in tags.iter_mut().zip(texts) {
            // The links of a page have one source, sorted rows one target.
            *tag = match before {
                Some((last, tag)) if text == last => tag,
                _ => self.hasher.hash_one(text) >> 32,
            };
            before = Some((text, *tag));
        }
        let tags = &tags[..texts.len().min(BATCH)];
        let first = |tag: &u64| self.slots[*tag as usize & mask];
        black_box(tags.iter().fold(0, |all, tag| all ^ first(tag)));
        black_box(tags.iter().fold(0, |all, tag| all ^ self.touch((first(tag) as u32).wrapping_sub(1))));
        for ((id, &tag), &text) in ids.iter_mut().zip(tags).zip(texts) {
            *id = match last.filter(|&last| self.get(last) == text) {
                Some(last) => last,
                None => self.find_or_add(text, tag),
            };
            *last = Some(*id);
        }
    }

    fn find_or_add(&mut self, text: &[u8], tag: u64) -> TextId {
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                // Fits: whoever fills a set stops long before 4 GiB.
                let id = self.bytes.len() as TextId;
                self.bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                self.bytes.extend_from_slice(text);
                self.slots[at] = tag << 32 | (u64::from(id) + 1);
                self.count += 1;
                return id;
            }
            let id = (slot as u32).wrapping_sub(1);
            if slot >> 32 == tag && self.get(id) == text {
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
        // The upper half is the rank.
        rest.get(..u64::from_le_bytes(*head) as u32 as usize).unwrap_or_default()
    }

    /// Memory in use, in bytes; with what [`Self::rank`] will need.
    pub(super) fn used_bytes(&self, will_be_ordered: bool) -> usize {
        let order = if will_be_ordered { self.count * ORDER_BYTES } else { 0 };
        self.bytes.len() + self.slots.len() * size_of::<u64>() + order
    }

    /// Forgets the texts and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.slots.fill(0);
        self.count = 0;
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

    /// Gives each text its rank in the order of bytes; the answer is the
    /// numbers in that order.
    pub(super) fn rank(&mut self) -> Vec<TextId> {
        let order = self.in_order();
        for (&id, rank) in order.iter().zip(0_u32..) {
            let place = id as usize + HEAD / 2;
            if let Some(place) = self.bytes.get_mut(place..place + HEAD / 2) {
                place.copy_from_slice(&rank.to_le_bytes());
            }
        }
        order
    }

    /// The rank of a text, after [`Self::rank`].
    #[inline]
    pub(super) fn rank_of(&self, id: TextId) -> u32 {
        let head = self.bytes.get(id as usize..).and_then(|rest| rest.first_chunk::<HEAD>());
        head.map_or(0, |head| (u64::from_le_bytes(*head) >> 32) as u32)
    }

    /// All numbers in the order of their texts' bytes.
    fn in_order(&self) -> Vec<TextId> {
        let mut order: Vec<(u64, TextId)> = Vec::with_capacity(self.count);
        let mut at = 0;
        while at < self.bytes.len() {
            let id = at as TextId;
            order.push((0, id));
            at += HEAD + self.get(id).len();
        }
        // Eight bytes at a time: keys of one site share their first thirty,
        // which a comparison of whole texts would read again and again.
        let mut parts = vec![(0..order.len(), 0)];
        while let Some((range, depth)) = parts.pop() {
            let from = range.start;
            let Some(part) = order.get_mut(range) else { continue };
            if part.len() <= FEW {
                part.sort_unstable_by(|a, b| self.rest(a.1, depth).cmp(self.rest(b.1, depth)));
                continue;
            }
            for (key, id) in &mut *part {
                *key = eight(self.rest(*id, depth));
            }
            part.sort_unstable();
            let mut start = 0;
            for same in part.chunk_by(|a, b| a.0 == b.0) {
                // A text that ended is alone with its key: there is no NUL in texts.
                if same.len() > 1 {
                    parts.push((from + start..from + start + same.len(), depth + 8));
                }
                start += same.len();
            }
        }
        order.into_iter().map(|(_, id)| id).collect()
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
    use std::collections::BTreeSet;

    fn intern(set: &mut Texts, texts: &[String]) -> Vec<TextId> {
        let (mut all, mut last) = (Vec::new(), None);
        for some in texts.chunks(BATCH) {
            let (texts, mut ids) = (some.iter().map(|text| text.as_bytes()).collect::<Vec<_>>(), [0; BATCH]);
            set.intern_all(&texts, &mut ids, &mut last);
            all.extend_from_slice(&ids[..some.len()]);
        }
        all
    }

    proptest! {
        #[test]
        fn texts_are_kept_once_and_ordered_by_their_bytes(texts in proptest::collection::vec("(pt,a{0,12}|pt,b,)?[ab]{0,9}", 0..300)) {
            let mut set = Texts::default();
            let ids = intern(&mut set, &texts);
            prop_assert_eq!(&intern(&mut set, &texts), &ids);
            for (id, text) in ids.iter().zip(&texts) {
                prop_assert_eq!(set.get(*id), text.as_bytes());
            }
            let order = set.rank();
            prop_assert!(order.iter().zip(0..).all(|(&id, rank)| set.rank_of(id) == rank));
            let ordered: Vec<&[u8]> = order.into_iter().map(|id| set.get(id)).collect();
            let expected: BTreeSet<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
            prop_assert_eq!(ordered, expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_cleared_set_begins_anew() {
        let mut set = Texts::default();
        intern(&mut set, &["one".to_owned()]);
        set.clear();
        assert_eq!(intern(&mut set, &["two".to_owned(), "two".to_owned()]), [0, 0]);
        assert_eq!(set.rank(), [0]);
        assert_eq!(set.get(77), b"");
    }
}
