//! How often words of a corpus begin with a small letter and with a capital within sentences.

use super::page_names::PageNames;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Bytes of one entry when kept.
const ENTRY_BYTES: usize = 16;

/// Counts of words, in small letters, by how they are written where no sentence begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseCounts(HashMap<u64, [u32; 2], FixedState>);

impl CaseCounts {
    /// The number that a word is counted under.
    pub(super) fn key_of(word: &str) -> u64 {
        FixedState::with_seed(0).hash_one(word.to_lowercase())
    }

    /// Adds the words of a page.
    pub fn add(&mut self, page: &PageNames) {
        for (keys, side) in [(&page.small, 0), (&page.capitalised, 1)] {
            for key in keys {
                let count = &mut self.0.entry(*key).or_default()[side];
                *count = count.saturating_add(1);
            }
        }
    }

    /// Whether a word is written small more often than with a capital.
    pub(super) fn is_mostly_small(&self, word: &str) -> bool {
        self.0.get(&Self::key_of(word)).is_some_and(|[small, capitalised]| small > capitalised)
    }

    /// Whether a word, at the beginning of a sentence, is taken for no name: it is written small as often.
    pub(super) fn is_common(&self, word: &str) -> bool {
        self.0.get(&Self::key_of(word)).is_some_and(|[small, capitalised]| *small > 0 && small >= capitalised)
    }

    /// The bytes that are kept.
    pub fn encode(&self) -> Vec<u8> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable_by_key(|(key, _)| **key);
        let mut kept = Vec::with_capacity(all.len() * ENTRY_BYTES);
        for (key, [small, capitalised]) in all {
            kept.extend_from_slice(&key.to_le_bytes());
            kept.extend_from_slice(&small.to_le_bytes());
            kept.extend_from_slice(&capitalised.to_le_bytes());
        }
        kept
    }

    /// The counts that were kept; none for other bytes.
    pub fn decode(kept: &[u8]) -> Option<Self> {
        if !kept.len().is_multiple_of(ENTRY_BYTES) {
            return None;
        }
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_le_bytes);
        let entry = |entry: &[u8]| {
            let key = u64::from_le_bytes(entry.get(..8)?.try_into().ok()?);
            Some((key, [number(entry.get(8..12)?)?, number(entry.get(12..)?)?]))
        };
        kept.chunks_exact(ENTRY_BYTES).map(entry).collect::<Option<HashMap<_, _, _>>>().map(Self)
    }
}
