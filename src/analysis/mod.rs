//! What captures and their inlinks say, held against the request.
//!
//! In: a request, the words of a page, anchors, counts. Out: term hits, a
//! score with its parts in words, anchor tallies, checks.
//!
//! | file | answers |
//! |---|---|
//! | [`Matcher`] | which terms a page holds, and whether the request holds |
//! | [`score()`] | how good a capture is, part by part |
//! | [`AnchorTallies`] | what others call a page |
//! | [`AnchorWords`] | whether a page still is what others call it |
//! | [`page_rank()`] | how much others think of a host |
//! | [`fold`], [`words`] | when two spellings are one word |
//!
//! Invariants: pure and deterministic; the order of input changes nothing.
//!
//! Not here: reading captures or inlinks, keeping results.

mod anchor_check;
mod anchors;
mod coverage;
mod folding;
mod matching;
mod page_rank;
mod score;

pub use anchor_check::{AnchorCheck, AnchorWords, MOST_ANCHOR_WORDS};
pub use anchors::{AnchorLink, AnchorTallies, AnchorTally};
pub use coverage::TermCoverage;
pub use folding::{fold, fold_letters, words};
pub use matching::{MatchPlace, Matcher, Matches, TermHit, TextFields};
pub use page_rank::page_rank;
pub use score::{
    HISTOGRAM_BINS, PartValues, RequestReading, ReviewState, SCORE_PARTS, ScoreInput, ScorePart, ScoreWeights,
    histogram,
};
