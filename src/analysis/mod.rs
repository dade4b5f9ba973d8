//! Comparison of captures and their inlinks with the request.
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
//! | [`TextMatcher`] | where one term of a query is met in a text |
//! | [`Highlighter`] | what to mark of a text, and which part of it to show |
//! | [`query_holds()`] | the same of a whole query, by its definition |
//! | [`SearchEvaluation`] | how good results are, by the judgements of people |
//! | [`RaterAgreement`] | how far two persons judge the same |
//! | [`sampling`] | how many pages to review for a figure about all, and which |
//! | [`page_rank()`] | how much others think of a host |
//! | [`proposals()`] | what marked pages suggest for a request, see `proposals/` |
//! | [`entities`] | which persons, places and organisations texts name |
//! | [`terms`] | what pages write about |
//! | [`personal_data()`] | which personal data are in a text |
//! | [`checks`] | what is wrong with captured pages, hosts and launches |
//!
//! Invariants: pure and deterministic; the order of input changes nothing.
//!
//! Not here: reading captures or inlinks, keeping results.

mod agreement;
mod anchor_check;
mod anchors;
pub mod checks;
mod coverage;
pub mod entities;
mod highlight;
mod judgements;
mod matching;
mod name_finder;
mod page_rank;
mod personal_data;
mod proposals;
mod query_holds;
pub mod sampling;
mod score;
pub mod terms;
mod text_match;

pub use agreement::{LEAST_PAIRS, RaterAgreement};
pub use anchor_check::{AnchorCheck, AnchorWords, MOST_ANCHOR_WORDS};
pub use anchors::{AnchorLink, AnchorTallies, AnchorTally};
pub use coverage::TermCoverage;
pub use highlight::{Excerpt, Highlighter, MAX_HIGHLIGHT_BYTES, TextMark};
pub use judgements::{
    CUTOFFS, JudgeAgreement, JudgeFigures, Judgement, JudgementCounts, PrecisionAt, Proportion, ResultJudgements,
    SearchEvaluation,
};
pub use matching::{MatchPlace, Matcher, Matches, TermCounts, TermHit, TextFields};
pub use name_finder::NameFinder;
pub use page_rank::page_rank;
pub use personal_data::{PersonalDataKind, personal_data};
pub use proposals::{LaunchPage, MarkedPage, Proposal, ProposalKind, TokenCounts, proposals};
pub use query_holds::{SearchDocument, query_holds};
pub use score::{
    HISTOGRAM_BINS, PartValues, RequestReading, ReviewState, SCORE_PARTS, ScoreInput, ScorePart, ScoreWeights,
    histogram,
};
pub use text_match::{
    TextMatcher, TokenSpan, TokenTest, folded_pattern, is_like, near_spans, phrase_spans, token_tests, url_text,
};
