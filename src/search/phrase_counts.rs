//! How often documents have exact phrases, which reading the places of words found: to match takes it, and to rank takes
//! it again.

use crate::jobs::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tantivy::DocId;
use tantivy::index::SegmentId;
use tantivy::schema::Field;

/// Documents of phrases that are kept at most: 8 bytes each.
const MOST_DOCUMENTS: usize = 1 << 20;
/// Phrases of a field in a segment that are kept at most.
const MOST_PHRASES: usize = 1 << 10;

/// The terms of a phrase, each behind the one before, in a field of a segment.
pub(super) type PhraseKey = (SegmentId, Field, Vec<String>);
/// Documents in ascending order, each with how often it has the phrase. Some may be taken out since.
pub(super) type PhraseCounts = Arc<[(DocId, u32)]>;

/// The phrases that were looked for last.
#[derive(Default)]
pub(super) struct KnownPhrases(Mutex<VecDeque<(PhraseKey, PhraseCounts)>>);

impl KnownPhrases {
    /// The documents of a phrase, where they are known.
    pub fn of(&self, key: &PhraseKey) -> Option<PhraseCounts> {
        lock(&self.0).iter().find(|(known, _)| known == key).map(|(_, counts)| Arc::clone(counts))
    }

    /// Keeps the documents of a phrase.
    pub fn put(&self, key: PhraseKey, counts: PhraseCounts) {
        let mut known = lock(&self.0);
        known.retain(|(of, _)| *of != key);
        known.push_back((key, counts));
        let mut documents: usize = known.iter().map(|(_, counts)| counts.len()).sum();
        while documents > MOST_DOCUMENTS || known.len() > MOST_PHRASES {
            documents -= known.pop_front().map_or(documents, |(_, counts)| counts.len());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_last_phrases_are_kept_within_bounds() {
        let known = KnownPhrases::default();
        let key = |nth: usize| {
            let segment = SegmentId::from_uuid_string("0123456789abcdef0123456789abcdef").unwrap();
            (segment, Field::from_field_id(1), vec![nth.to_string()])
        };
        let counts = |length: usize| -> PhraseCounts { vec![(0, 1); length].into() };
        (0..3).for_each(|nth| known.put(key(nth), counts(MOST_DOCUMENTS / 2)));
        assert_eq!([0, 1, 2].map(|nth| known.of(&key(nth)).is_some()), [false, true, true]);
        known.put(key(3), counts(MOST_DOCUMENTS + 1));
        assert!(known.of(&key(2)).is_none() && known.of(&key(3)).is_none());
    }
}
