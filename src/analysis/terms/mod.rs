//! What pages and campaigns write about: runs of up to four words that neither begin nor end with a stop word.
//!
//! | function | answers |
//! |---|---|
//! | [`page_terms`] | the terms of one text, with counts |
//! | [`TermPages::best`] | which of them set it apart from others (TF-IDF) |
//! | [`corpus_terms`] | which terms a set of pages has of its own: C-value, keyness |
//!
//! Invariants: the same texts give the same terms, in any order.

mod corpus;
mod page;

pub use corpus::{CorpusTerm, TermTotals, corpus_terms};
pub use page::{PageTerm, TermPages, page_terms};
