//! The text of pages: when two spellings are one.
//!
//! Invariants: pure and deterministic.

mod folding;

pub(crate) use folding::is_unspaced;
pub use folding::{fold, fold_letters, words};
