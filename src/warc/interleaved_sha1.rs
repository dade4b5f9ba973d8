//! Computes two SHA-1 digests at once: of a block, and of the payload that ends it.
//!
//! Each step of SHA-1 waits for the one before, and a processor with
//! instructions for it has room for another digest meanwhile: two that take
//! turns block by block need about 0.7 of the time of one after the other.

use sha1::block_api::compress;

/// Bytes that SHA-1 takes at a time.
const BLOCK: usize = 64;

/// The state before the first block (FIPS 180-4, 5.3.1).
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// State of an unfinished SHA-1.
pub(super) struct Sha1State {
    state: [u32; 5],
    len: u64,
    /// What came after the last whole block: `len % 64` bytes.
    tail: [u8; BLOCK],
}

impl Default for Sha1State {
    fn default() -> Self {
        Self { state: INITIAL, len: 0, tail: [0; BLOCK] }
    }
}

impl Sha1State {
    /// Bytes taken so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Takes the next bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let (blocks, end) = self.fill(bytes).as_chunks();
        compress(&mut self.state, blocks);
        self.keep(blocks.len(), end);
    }

    /// The digest of everything that was taken (padding: FIPS 180-4, 5.1.1).
    pub(super) fn finish(mut self) -> [u8; 20] {
        let bits = self.len.wrapping_mul(8).to_be_bytes();
        let zeros = (2 * BLOCK - 1 - bits.len() - self.filled()) % BLOCK;
        let mut padding = [0; BLOCK];
        padding[0] = 0x80;
        self.update(&padding[..1 + zeros]);
        self.update(&bits);
        let mut digest = [0; 20];
        for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(self.state) {
            *bytes = word.to_be_bytes();
        }
        digest
    }

    fn filled(&self) -> usize {
        (self.len % BLOCK as u64) as usize
    }

    /// Fills up a block that is begun; gives what is left of `bytes`.
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let from = self.filled();
        if from == 0 {
            return bytes;
        }
        let (first, rest) = bytes.split_at(bytes.len().min(BLOCK - from));
        self.tail[from..from + first.len()].copy_from_slice(first);
        self.len += first.len() as u64;
        if self.filled() == 0 && !first.is_empty() {
            compress(&mut self.state, &[self.tail]);
        }
        rest
    }

    /// Counts blocks that went in, and keeps what is less than one.
    fn keep(&mut self, blocks: usize, end: &[u8]) {
        self.tail[..end.len()].copy_from_slice(end);
        self.len += (blocks * BLOCK + end.len()) as u64;
    }
}

/// Two digests, of which most bytes go into both.
#[derive(Default)]
pub(super) struct TwinSha1 {
    pub(super) first: Sha1State,
    pub(super) second: Sha1State,
}

impl TwinSha1 {
    /// Takes the next bytes for both.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let Self { first, second } = self;
        let (blocks, end) = first.fill(bytes).as_chunks();
        let (other_blocks, other_end) = second.fill(bytes).as_chunks();
        let both = blocks.len().min(other_blocks.len());
        for (block, other) in blocks.iter().zip(other_blocks) {
            compress(&mut first.state, std::slice::from_ref(block));
            compress(&mut second.state, std::slice::from_ref(other));
        }
        compress(&mut first.state, &blocks[both..]);
        compress(&mut second.state, &other_blocks[both..]);
        first.keep(blocks.len(), end);
        second.keep(other_blocks.len(), other_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha1::{Digest as _, Sha1};

    proptest! {
        /// Whatever the pieces, both digests are those of the library.
        #[test]
        fn two_at_once_are_one_and_one(
            pieces in prop::collection::vec((0_u8..3, prop::collection::vec(any::<u8>(), 0..300)), 0..12),
        ) {
            let (mut twin, mut first, mut second) = (TwinSha1::default(), Sha1::new(), Sha1::new());
            for (whose, bytes) in &pieces {
                match whose {
                    0 => twin.first.update(bytes),
                    1 => twin.second.update(bytes),
                    _ => twin.update(bytes),
                }
                if *whose != 1 {
                    first.update(bytes);
                }
                if *whose != 0 {
                    second.update(bytes);
                }
            }
            prop_assert_eq!(twin.first.finish(), <[u8; 20]>::from(first.finalize()));
            prop_assert_eq!(twin.second.finish(), <[u8; 20]>::from(second.finalize()));
        }
    }
}
