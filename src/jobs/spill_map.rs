//! Map that spills to a temporary file, so that its size is not limited by memory.
//!
//! What does not fit into memory goes to a temporary file in sorted runs, in which keys are searched by
//! halving. Most keys that are looked up are new: a Bloom filter of a fixed size spares searching for nearly
//! all of those.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Bytes of a key: a number, or a digest of what is longer.
const KEY: usize = 16;

/// Bits of the filter: of a million keys in the file, one in some thousand new
/// ones is searched for in vain; of ten millions, one in four.
const FILTER_BITS: u64 = 1 << 25;

/// Bits of a key in the filter.
const BITS_PER_KEY: u64 = 4;

/// Values of `V` bytes by keys. A key is put in once.
#[derive(Debug)]
pub struct SpillMap<const V: usize> {
    most: usize,
    recent: HashMap<[u8; KEY], [u8; V]>,
    spilled: Option<File>,
    /// Runs in the temporary file: the entry that each begins with, and how many it has.
    runs: Vec<(u64, u64)>,
    /// The bits of all keys in the temporary file.
    filter: Vec<u64>,
}

impl<const V: usize> SpillMap<V> {
    /// Keeps so many entries in memory.
    pub fn new(most: usize) -> Self {
        Self { most, recent: HashMap::new(), spilled: None, runs: Vec::new(), filter: Vec::new() }
    }

    /// Puts in a value.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be written.
    pub fn insert(&mut self, key: [u8; KEY], value: [u8; V]) -> io::Result<()> {
        self.recent.insert(key, value);
        if self.recent.len() < self.most { Ok(()) } else { self.spill() }
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut entries: Vec<_> = self.recent.drain().collect();
        entries.sort_unstable();
        let file = match &mut self.spilled {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let at = file.seek(SeekFrom::End(0))? / Self::ENTRY;
        self.runs.push((at, entries.len() as u64));
        self.filter.resize((FILTER_BITS / 64) as usize, 0);
        for (cell, bit) in entries.iter().flat_map(|(key, _)| bits_of(key)) {
            self.filter[cell] |= bit;
        }
        let mut out = BufWriter::new(file);
        for (key, value) in entries {
            out.write_all(&key)?;
            out.write_all(&value)?;
        }
        out.flush()
    }

    const ENTRY: u64 = (KEY + V) as u64;

    /// The value of a key.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be read.
    pub fn get(&mut self, key: &[u8; KEY]) -> io::Result<Option<[u8; V]>> {
        if let Some(value) = self.recent.get(key) {
            return Ok(Some(*value));
        }
        let Some(file) = &mut self.spilled else { return Ok(None) };
        if bits_of(key).any(|(cell, bit)| self.filter[cell] & bit == 0) {
            return Ok(None);
        }
        for (start, count) in &self.runs {
            let (mut low, mut high) = (*start, start + count);
            while low < high {
                let middle = low + (high - low) / 2;
                let (mut found, mut value) = ([0; KEY], [0; V]);
                file.seek(SeekFrom::Start(middle * Self::ENTRY))?;
                file.read_exact(&mut found)?;
                match found.cmp(key) {
                    std::cmp::Ordering::Less => low = middle + 1,
                    std::cmp::Ordering::Greater => high = middle,
                    std::cmp::Ordering::Equal => {
                        file.read_exact(&mut value)?;
                        return Ok(Some(value));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether there is a value of a key.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub fn contains(&mut self, key: &[u8; KEY]) -> io::Result<bool> {
        Ok(self.get(key)?.is_some())
    }
}

/// The bits of a key in the filter, by cell and bit (Kirsch and Mitzenmacher,
/// 2006: two hashes do for all of them).
fn bits_of(key: &[u8; KEY]) -> impl Iterator<Item = (usize, u64)> {
    // Finalizer of SplitMix64: keys may be digests or nearly equal numbers.
    let mix = |number: u64| {
        let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    };
    let key = u128::from_le_bytes(*key);
    let first = mix(key as u64 ^ mix((key >> 64) as u64));
    let second = mix(first) | 1;
    (0..BITS_PER_KEY).map(move |number| {
        let bit = first.wrapping_add(number.wrapping_mul(second)) % FILTER_BITS;
        ((bit / 64) as usize, 1 << (bit % 64))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_put_in_wherever_it_went() {
        let key = |n: u64| {
            let mut key = [0; KEY];
            key[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
            key
        };
        for most in [1, 3, 64, 1000] {
            let mut map = SpillMap::<8>::new(most);
            for n in 0..200 {
                map.insert(key(n), n.to_le_bytes()).unwrap();
            }
            for n in 0..200 {
                assert_eq!(map.get(&key(n)).unwrap(), Some(n.to_le_bytes()), "{n} of {most}");
                assert!(!map.contains(&key(n + 200)).unwrap(), "{n} of {most}");
            }
            assert_eq!(map.runs.len(), 200 / most);
        }
    }
}
