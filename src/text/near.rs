//! Finds texts that are nearly the same.
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
//! Callers keep the signatures and find the texts that share a band.

use super::words;
use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};

/// Tokens in a row that are compared.
const SHINGLE_TOKENS: usize = 4;

/// Numbers of a signature.
const SIGNATURE_LEN: usize = 128;

/// Numbers of a band.
const BAND_LEN: usize = 8;

/// Bands of a signature.
pub const BANDS: usize = SIGNATURE_LEN / BAND_LEN;

/// Share of runs that two texts have in common from which they are near-duplicates.
pub const NEAR_JACCARD: f64 = 0.8;

/// Least similarity of a text and the oldest of its group.
pub const GROUP_JACCARD: f64 = 0.7;

/// Shared numbers of two signatures below which a candidate is not checked: a
/// pair at 0.8 has fewer in one of ten thousand cases.
const FEWEST_SHARED: usize = 84;

/// Texts of one band that are compared with a new one, the youngest. Of many
/// that are alike each leads to the oldest of its group.
pub const MAX_CANDIDATES: usize = 16;

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
pub fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// Jaccard similarity of two sorted sets, 0 to 1; 0 for two empty ones.
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

/// Signature of a text: eight bits of its least hash under each of 128 orders, and one hash of each band of
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinHash {
    bits: [u8; SIGNATURE_LEN],
    bands: [u32; BANDS],
}

impl MinHash {
    /// Bytes in which it is kept.
    pub const BYTES: usize = SIGNATURE_LEN + 4 * BANDS;

    /// Signature of the runs of a text; none where it has none.
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

    /// Hash of each band.
    pub fn bands(&self) -> &[u32; BANDS] {
        &self.bands
    }

    /// Whether a text that shares a band may be near this one.
    pub fn may_be_near(&self, other: &Self) -> bool {
        self.bits.iter().zip(&other.bits).filter(|(one, other)| one == other).count() >= FEWEST_SHARED
    }

    /// Estimate of the similarity of both texts, 0 to 1: the share of equal numbers, less those that are equal by chance.
    pub fn similarity(&self, other: &Self) -> f64 {
        let equal = self.bits.iter().zip(&other.bits).filter(|(one, other)| one == other).count();
        let by_chance = 1.0 / 256.0;
        ((equal as f64 / SIGNATURE_LEN as f64 - by_chance) / (1.0 - by_chance)).max(0.0)
    }

    /// Reads a signature from bytes of [`Self::to_bytes`].
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let (mut bits, mut bands) = ([0; SIGNATURE_LEN], [0; BANDS]);
        let (first, rest) = bytes.split_at(SIGNATURE_LEN);
        bits.copy_from_slice(first);
        for (band, bytes) in bands.iter_mut().zip(rest.chunks_exact(4)) {
            *band = bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        }
        Self { bits, bands }
    }

    /// Writes the signature as bytes, the same in all versions of the program.
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

/// The group that a text joins, by the oldest text of it; none where it is near no other.
///
/// Texts are numbered by age. `candidates` are older ones that may be near it,
/// oldest first; `first_of` gives the oldest of a text's group, or the text
/// itself; `similarity` the [`jaccard`] of a candidate, or of the oldest of its
/// group, with the text.
///
/// # Errors
///
/// Those of `similarity`.
pub fn group_among<E>(
    candidates: &[u32],
    first_of: impl Fn(u32) -> u32,
    mut similarity: impl FnMut(u32) -> Result<f64, E>,
) -> Result<Option<u32>, E> {
    // The oldest of each group first: of many that are alike, one check is enough.
    let mut firsts: Vec<u32> = candidates.iter().map(|at| first_of(*at)).collect();
    firsts.sort_unstable();
    firsts.dedup();
    let mut within_reach = Vec::new();
    for first in firsts {
        let score = similarity(first)?;
        if score >= NEAR_JACCARD {
            return Ok(Some(first));
        }
        if score >= GROUP_JACCARD {
            within_reach.push(first);
        }
    }
    for first in within_reach {
        for at in candidates.iter().filter(|at| **at != first && first_of(**at) == first) {
            if similarity(*at)? >= NEAR_JACCARD {
                return Ok(Some(first));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
#[path = "near_finder.rs"]
pub(crate) mod finder;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "near_tests.rs"]
mod tests;
