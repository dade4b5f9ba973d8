//! Which texts are nearly the same.
//!
//! A text is the set of its runs of four tokens ([`shingles`]). MinHash (Broder
//! 1997) keeps 128 numbers of it, in 16 bands of 8: two texts that share a band
//! are candidates, and those whose sets are alike by [`NEAR_JACCARD`] or more are
//! near-duplicates. At a similarity of 0.9 a pair shares a band in 99.99 of 100
//! cases, at 0.8 in 95; what shares none is not found, and what is found is exact.
//!
//! Groups do not chain: a text joins a group where it is near one of its texts,
//! and alike to the oldest by [`GROUP_JACCARD`] or more.
//!
//! Memory: some 450 bytes a text, of which 128 are eight bits of each number;
//! the texts themselves are asked for again where a candidate is checked.

use super::words;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

/// Tokens in a row that are compared.
const SHINGLE_TOKENS: usize = 4;

/// Numbers of a signature.
const SIGNATURE_LEN: usize = 128;

/// Numbers of a band.
const BAND_LEN: usize = 8;

/// Bands of a signature.
const BANDS: usize = SIGNATURE_LEN / BAND_LEN;

/// Share of runs that two texts have in common from which they are near-duplicates.
pub const NEAR_JACCARD: f64 = 0.8;

/// The same between a text and the oldest of its group.
pub const GROUP_JACCARD: f64 = 0.7;

/// Shared numbers of two signatures below which a candidate is not checked: a
/// pair at 0.8 has fewer in one of ten thousand cases.
const FEWEST_SHARED: usize = 84;

/// Texts of one band that are compared with a new one, the youngest. Of many
/// that are alike each leads to the oldest of its group.
const MAX_CANDIDATES: usize = 16;

/// The hashes of a text's runs of tokens, each once, in order. A text with
/// fewer tokens is one run.
pub fn shingles(text: &str) -> Vec<u64> {
    let tokens: Vec<u64> = words(text).iter().map(|token| hash_of(token.as_bytes())).collect();
    let run = |tokens: &[u64]| tokens.iter().fold(0, |hash: u64, token| mixed(hash.rotate_left(5) ^ token));
    let mut found: Vec<u64> = match tokens.len() {
        0 => Vec::new(),
        short if short < SHINGLE_TOKENS => vec![run(&tokens)],
        _ => tokens.windows(SHINGLE_TOKENS).map(run).collect(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// Hash of bytes that is the same in all runs and versions of the program.
fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(0x5eed).build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// The finalizer of SplitMix64: each bit of the input changes half of the output.
fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// How alike two sets are that are in order, 0 to 1: what they share of what
/// either has. Two empty ones are not alike.
pub fn jaccard(one: &[u64], other: &[u64]) -> f64 {
    let (mut at, mut shared) = (0, 0_usize);
    for hash in one {
        while other.get(at).is_some_and(|there| there < hash) {
            at += 1;
        }
        shared += usize::from(other.get(at) == Some(hash));
    }
    let all = one.len() + other.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// What is kept of a text: of the least of its hashes under 128 orders eight
/// bits each, and one hash of each band of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinHash {
    bits: [u8; SIGNATURE_LEN],
    bands: [u32; BANDS],
}

impl MinHash {
    /// Bytes in which it is kept.
    pub const BYTES: usize = SIGNATURE_LEN + 4 * BANDS;

    /// Of the runs of a text; none where it has none.
    pub fn of(shingles: &[u64]) -> Option<Self> {
        if shingles.is_empty() {
            return None;
        }
        let mut least = [u32::MAX; SIGNATURE_LEN];
        for shingle in shingles {
            // Two numbers of each mixed value, so that half as many are mixed.
            for (pair, order) in least.chunks_exact_mut(2).zip(1_u64..) {
                let hash = mixed(shingle.wrapping_add(order.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                pair[0] = pair[0].min(hash as u32);
                pair[1] = pair[1].min((hash >> 32) as u32);
            }
        }
        let mut bands = [0; BANDS];
        for (band, numbers) in bands.iter_mut().zip(least.chunks_exact(BAND_LEN)) {
            *band = numbers.iter().fold(0, |hash: u64, number| mixed(hash ^ u64::from(*number))) as u32;
        }
        Some(Self { bits: least.map(|number| number as u8), bands })
    }

    /// From bytes that [`Self::to_bytes`] gave.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let (mut bits, mut bands) = ([0; SIGNATURE_LEN], [0; BANDS]);
        let (first, rest) = bytes.split_at(SIGNATURE_LEN);
        bits.copy_from_slice(first);
        for (band, bytes) in bands.iter_mut().zip(rest.chunks_exact(4)) {
            *band = bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        }
        Self { bits, bands }
    }

    /// Its bytes, to be kept; the same in all versions of the program.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (first, rest) = bytes.split_at_mut(SIGNATURE_LEN);
        first.copy_from_slice(&self.bits);
        for (bytes, band) in rest.chunks_exact_mut(4).zip(self.bands) {
            bytes.copy_from_slice(&band.to_le_bytes());
        }
        bytes
    }
}

/// Finds near-duplicates among texts that come one by one, and puts them into groups.
///
/// Each text has a number of the caller's; the order in which they come is
/// their age. `fetch` gives the runs of an older text again; where it cannot,
/// that text is taken for another.
///
/// ```
/// use fonds::text::near::{NearFinder, shingles};
/// let old = "a b c d e f g h i j k l m n o p q r s t";
/// let texts = [old.to_owned(), "something else that is not like it at all".to_owned(), format!("{old} u")];
/// let mut finder = NearFinder::default();
/// let mut add = |number: u64| {
///     finder.add(number, &shingles(&texts[number as usize]), |older| Some(shingles(&texts[older as usize])))
/// };
/// assert_eq!([add(0), add(1), add(2)], [None, None, Some(0)]);
/// ```
#[derive(Debug, Default)]
pub struct NearFinder {
    /// Of each text, by age.
    texts: Vec<Sketch>,
    /// The youngest text of each band, by its hash.
    youngest: [HashMap<u32, u32, FixedState>; BANDS],
    /// The oldest text of the group of each text that joined one.
    groups: HashMap<u32, u32, FixedState>,
}

/// What is kept of a text.
#[derive(Debug)]
struct Sketch {
    number: u64,
    /// The last eight bits of each number of the signature.
    bits: [u8; SIGNATURE_LEN],
    /// The next older text of the same band.
    older: [u32; BANDS],
}

/// There is no older text.
const NONE: u32 = u32::MAX;

impl NearFinder {
    /// Takes a text in and gives the number of the oldest text of the group
    /// that it joins, if any.
    pub fn add(&mut self, number: u64, shingles: &[u64], fetch: impl FnMut(u64) -> Option<Vec<u64>>) -> Option<u64> {
        self.add_signed(number, shingles, &MinHash::of(shingles)?, fetch)
    }

    /// The same, where its signature was made already.
    pub fn add_signed(
        &mut self,
        number: u64,
        shingles: &[u64],
        signature: &MinHash,
        mut fetch: impl FnMut(u64) -> Option<Vec<u64>>,
    ) -> Option<u64> {
        let candidates = self.candidates(signature);
        let mut alike = |at: u32| fetch(self.number(at)).map_or(0.0, |other| jaccard(shingles, &other));
        // The oldest of each group first: of many that are alike, one check is enough.
        let mut firsts: Vec<u32> = candidates.iter().map(|at| self.first_of(*at)).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let mut within_reach = Vec::new();
        let mut group = firsts.into_iter().find(|first| {
            let alike = alike(*first);
            if alike >= GROUP_JACCARD {
                within_reach.push(*first);
            }
            alike >= NEAR_JACCARD
        });
        if group.is_none() {
            let near_one = |first: &u32| {
                candidates.iter().any(|at| at != first && self.first_of(*at) == *first && alike(*at) >= NEAR_JACCARD)
            };
            group = within_reach.iter().copied().find(near_one);
        }
        let group = group.map(|first| self.number(first));
        self.restore(number, signature, group);
        group
    }

    /// Takes a text in whose group is known, as from an earlier run; the oldest
    /// of the group has to be in already, or it begins it.
    pub fn restore(&mut self, number: u64, signature: &MinHash, group: Option<u64>) {
        let Ok(at) = u32::try_from(self.texts.len()) else { return };
        let mut older = [NONE; BANDS];
        for ((youngest, hash), older) in self.youngest.iter_mut().zip(signature.bands).zip(&mut older) {
            *older = youngest.insert(hash, at).unwrap_or(NONE);
        }
        self.texts.push(Sketch { number, bits: signature.bits, older });
        let first = group.filter(|first| *first != number).and_then(|first| self.place_of(first));
        if let Some(first) = first {
            self.groups.insert(at, first);
        }
    }

    /// Where the text with a number is: numbers mostly grow with age.
    fn place_of(&self, number: u64) -> Option<u32> {
        let is_it = |at: &usize| self.texts.get(*at).is_some_and(|text| text.number == number);
        let near = self.texts.partition_point(|text| text.number < number);
        let at = Some(near).filter(is_it).or_else(|| self.texts.iter().position(|text| text.number == number))?;
        u32::try_from(at).ok()
    }

    fn number(&self, at: u32) -> u64 {
        self.texts.get(at as usize).map_or(u64::MAX, |text| text.number)
    }

    /// The oldest of a text's group, or the text itself.
    fn first_of(&self, at: u32) -> u32 {
        self.groups.get(&at).copied().unwrap_or(at)
    }

    /// Texts that may be near one with this signature, oldest first.
    fn candidates(&self, signature: &MinHash) -> Vec<u32> {
        let mut found = Vec::new();
        for (band, hash) in signature.bands.iter().enumerate() {
            let mut next = self.youngest[band].get(hash).copied().unwrap_or(NONE);
            for _ in 0..MAX_CANDIDATES {
                let Some(text) = self.texts.get(next as usize) else { break };
                found.push(next);
                next = text.older[band];
            }
        }
        found.sort_unstable();
        found.dedup();
        let shared = |at: &u32| {
            let bits = self.texts.get(*at as usize).map_or([0; SIGNATURE_LEN], |text| text.bits);
            bits.iter().zip(&signature.bits).filter(|(one, other)| one == other).count()
        };
        found.retain(|at| shared(at) >= FEWEST_SHARED);
        found
    }

    /// Texts that were taken in.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "near_tests.rs"]
mod tests;
