//! A text is linked with older texts that share a band of its signature.
//!
//! Signatures are in a file, and so are the answers, a temporary one: of each
//! band the texts that share a hash, by hash and age, and for each text its
//! place among these. In memory are the hashes of some bands at a time, eight
//! bytes each.

use super::near_groups::NearTexts;
use crate::text::near::{BANDS, MAX_CANDIDATES};
use fixedbitset::FixedBitSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A text that shares a hash of a band with none.
const NOWHERE: u32 = u32::MAX;
/// Marks the oldest text with a hash.
const OLDEST: u32 = 1 << 31;
/// Bits of a hash by which older texts are left out that no new one can share it with.
const SIEVE_BITS: u32 = 20;

/// The places of one band's answers in the file.
#[derive(Debug, Clone, Copy, Default)]
struct Band {
    /// Of each new text its place in the list.
    places: u64,
    /// Numbers of texts that share a hash.
    list: u64,
}

/// The links from new texts to older ones.
#[derive(Debug)]
pub struct NearLinks {
    file: File,
    bands: [Band; BANDS],
    first_new: u32,
}

impl NearLinks {
    /// Compares the bands of texts, by age, of which those from `first_new` on
    /// are new, with about so many hashes in memory at a time; the temporary
    /// file is in `folder`. `proceed` is called now and then.
    ///
    /// # Errors
    ///
    /// Files that cannot be read or written, and those of `proceed`.
    pub fn find<E: From<io::Error>>(
        texts: &mut NearTexts,
        first_new: u32,
        most_hashes: usize,
        folder: &Path,
        mut proceed: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut links = Self { file: tempfile::tempfile_in(folder)?, bands: [Band::default(); BANDS], first_new };
        let at_once = (most_hashes / texts.len().max(1) as usize).clamp(1, BANDS);
        for first_band in (0..BANDS).step_by(at_once) {
            let last_band = (first_band + at_once).min(BANDS);
            let room = || Vec::with_capacity(texts.len() as usize);
            let mut hashes: Vec<Vec<u64>> = (first_band..last_band).map(|_| room()).collect();
            let mut sieves = vec![FixedBitSet::with_capacity(1 << SIEVE_BITS); hashes.len()];
            for is_new in [true, false] {
                let part = if is_new { first_new..texts.len() } else { 0..first_new };
                texts.each(part, |at, text| {
                    if at % (1 << 16) == 0 {
                        proceed()?;
                    }
                    let bands = text.bands().iter().skip(first_band);
                    for ((hash, found), sieve) in bands.zip(&mut hashes).zip(&mut sieves) {
                        let bit = (hash >> (u32::BITS - SIEVE_BITS)) as usize;
                        if is_new {
                            sieve.insert(bit);
                        }
                        if sieve.contains(bit) {
                            found.push(u64::from(*hash) << u32::BITS | u64::from(at));
                        }
                    }
                    Ok::<(), E>(())
                })?;
            }
            for (band, mut hashes) in (first_band..).zip(hashes) {
                proceed()?;
                hashes.sort_unstable();
                links.bands[band] = links.write(&hashes, texts.len() - first_new)?;
            }
        }
        Ok(links)
    }

    /// Writes the texts of a band, which are in order of hash and age.
    fn write(&mut self, hashes: &[u64], new: u32) -> io::Result<Band> {
        let mut places = vec![NOWHERE; new as usize];
        let list = self.file.stream_position()?;
        let mut out = BufWriter::with_capacity(1 << 16, &self.file);
        let mut listed = 0_u32;
        for same in hashes.chunk_by(|one, other| one >> u32::BITS == other >> u32::BITS) {
            let youngest = same.last().map_or(0, |last| *last as u32);
            if same.len() < 2 || youngest < self.first_new {
                continue;
            }
            for (nth, hash) in same.iter().enumerate() {
                let at = *hash as u32;
                if nth > 0
                    && let Some(place) = at.checked_sub(self.first_new).and_then(|nth| places.get_mut(nth as usize))
                {
                    *place = listed;
                }
                out.write_all(&(if nth == 0 { at | OLDEST } else { at }).to_le_bytes())?;
                listed += 1;
            }
        }
        out.flush()?;
        drop(out);
        let band = Band { list, places: self.file.stream_position()? };
        let mut out = BufWriter::with_capacity(1 << 16, &self.file);
        places.iter().try_for_each(|place| out.write_all(&place.to_le_bytes()))?;
        out.flush()?;
        Ok(band)
    }

    /// The older texts that share a band with each of some new ones, oldest
    /// first; of each band the youngest [`MAX_CANDIDATES`].
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn older(&mut self, new: std::ops::Range<u32>) -> io::Result<Vec<Vec<u32>>> {
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); new.len()];
        let (mut places, mut some) = (vec![0; new.len()], [0; MAX_CANDIDATES]);
        for band in self.bands {
            self.read(band.places, new.start - self.first_new, &mut places)?;
            for (found, place) in found.iter_mut().zip(&places).filter(|(_, place)| **place != NOWHERE) {
                let begin = place.saturating_sub(MAX_CANDIDATES as u32);
                let some = &mut some[..(place - begin) as usize];
                self.read(band.list, begin, some)?;
                for at in some.iter().rev() {
                    found.push(at & !OLDEST);
                    if at & OLDEST != 0 {
                        break;
                    }
                }
            }
        }
        for older in &mut found {
            older.sort_unstable();
            older.dedup();
        }
        Ok(found)
    }

    /// Reads numbers from the nth on of those that begin at a place of the file.
    fn read(&mut self, begin: u64, nth: u32, numbers: &mut [u32]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(begin + 4 * u64::from(nth)))?;
        let mut bytes = [0; 4 * MAX_CANDIDATES];
        for numbers in numbers.chunks_mut(MAX_CANDIDATES) {
            let bytes = &mut bytes[..4 * numbers.len()];
            self.file.read_exact(bytes)?;
            for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(4)) {
                *number = bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
            }
        }
        Ok(())
    }
}
