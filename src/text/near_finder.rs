//! Finds near-duplicates in memory, one text after the other, as the reference for finding them from files.

use super::{BANDS, MAX_CANDIDATES, MinHash, group_among, jaccard};
use std::collections::HashMap;

/// Finds near-duplicates among texts that come one by one, and puts them into groups.
///
/// Each text has a number of the caller's; the order in which they come is
/// their age. `fetch` gives the runs of an older text again; where it cannot,
/// that text is taken for another.
#[derive(Debug, Default)]
pub(crate) struct NearFinder {
    /// Of each text number and signature, by age.
    texts: Vec<(u64, MinHash)>,
    /// The texts of each band, by its hash and age.
    bands: [HashMap<u32, Vec<u32>>; BANDS],
    /// The oldest text of the group of each text that joined one.
    groups: HashMap<u32, u32>,
}

impl NearFinder {
    /// Takes a text in and gives the number of the oldest text of the group
    /// that it joins, if any.
    pub(crate) fn add(
        &mut self,
        number: u64,
        shingles: &[u64],
        mut fetch: impl FnMut(u64) -> Option<Vec<u64>>,
    ) -> Option<u64> {
        let signature = MinHash::of(shingles)?;
        let candidates = self.candidates(&signature);
        let first_of = |at: u32| self.groups.get(&at).copied().unwrap_or(at);
        let similarity = |at: u32| {
            let other = fetch(self.texts[at as usize].0);
            Ok::<f64, std::convert::Infallible>(other.map_or(0.0, |other| jaccard(shingles, &other)))
        };
        let Ok(first) = group_among(&candidates, first_of, similarity);
        let at = u32::try_from(self.texts.len()).ok()?;
        for (band, hash) in self.bands.iter_mut().zip(signature.bands()) {
            band.entry(*hash).or_default().push(at);
        }
        self.texts.push((number, signature));
        self.groups.extend(first.map(|first| (at, first)));
        first.map(|first| self.texts[first as usize].0)
    }

    /// Texts that may be near one with this signature, oldest first.
    pub(crate) fn candidates(&self, signature: &MinHash) -> Vec<u32> {
        let of_band = |(band, hash): (&HashMap<u32, Vec<u32>>, &u32)| {
            band.get(hash).map_or(Vec::new(), |texts| texts[texts.len().saturating_sub(MAX_CANDIDATES)..].to_vec())
        };
        let mut found: Vec<u32> = self.bands.iter().zip(signature.bands()).flat_map(of_band).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|at| signature.may_be_near(&self.texts[*at as usize].1));
        found
    }

    /// The number of a text.
    pub(crate) fn number(&self, at: u32) -> u64 {
        self.texts[at as usize].0
    }

    /// Texts that were taken in.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}
