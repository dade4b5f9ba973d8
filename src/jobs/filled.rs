//! Memory that is written when it is made.
//!
//! What `vec![0; n]` gives are pages of the system that are zero until they are written, and jemalloc gives what it has
//! back to get such pages. The first change of each interrupts all processors that run a thread of the program: of
//! searches that took two fifths of the time.

use fixedbitset::{Block, FixedBitSet};
use std::hint::black_box;
use std::iter::repeat_n;

/// So many equal values.
pub fn filled<T: Clone>(value: T, len: usize) -> Vec<T> {
    // A value that the compiler knows would become `vec![0; n]` again.
    repeat_n(black_box(value), len).collect()
}

/// A set of numbers below `len` that has none of them.
pub fn empty_set(len: usize) -> FixedBitSet {
    const BITS: usize = Block::BITS as usize;
    FixedBitSet::with_capacity_and_blocks(len, repeat_n(black_box(0), len.div_ceil(BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_as_long_as_it_is_called() {
        for len in [0, 1, 63, 64, 65, 1000] {
            assert_eq!(empty_set(len), FixedBitSet::with_capacity(len));
            assert_eq!(filled(0.0, len), vec![0.0; len]);
        }
    }
}
