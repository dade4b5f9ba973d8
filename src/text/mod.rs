//! The text of pages: folding of spellings, main text, language, date of publication.
//!
//! In: pages as [`crate::links`] reads them, in one pass with their links. Out:
//! [`PageText`], folded text, sentences, a language or none.
//!
//! | file | answers |
//! |---|---|
//! | [`fold`], [`words`], [`text_tokens`] | when two spellings are one word |
//! | [`PageText`] | what of a page is main text, what boilerplate; title, description |
//! | [`language_of`] | which language a text is in |
//! | [`Published`] | when a page says that it was published, and how |
//! | [`sentences`] | where sentences end |
//! | [`is_stop_term`] | which words are in every text of a language |
//! | [`near`] | which texts are nearly the same |
//! | [`diff_texts`] | which words two texts differ in |
//!
//! Invariants: pure and deterministic; nothing is learned from data, thresholds
//! are named and round.
//!
//! Not here: which body is a page ([`crate::captures::Body::text`]).

mod difference;
mod folding;
mod json_text;
mod language;
mod letters;
mod main_text;
pub mod near;
mod page_text;
mod published;
mod sentences;
mod stop_terms;

pub use difference::{DiffLine, DiffPart, PartKind, TextDiff, diff_texts};
pub use folding::{TextToken, fold, fold_letters, text_tokens, words};
pub(crate) use folding::{is_open, next_term};
pub(crate) use json_text::text_of_json;
pub use language::{LANGUAGE_BYTES, TextLanguage, language_of, likeliest_language, text_language};
pub(crate) use letters::{is_invisible, is_unspaced};
pub(crate) use page_text::text_of_markup;
pub use page_text::{LineOrder, PageText};
pub use published::{DateEvidence, Published};
pub use sentences::sentences;
pub use stop_terms::is_stop_term;
