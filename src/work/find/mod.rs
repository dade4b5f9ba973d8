//! Finding captures in a workspace. `text_index` makes the index, `search` answers queries,
//! `request_matches` what a request of a campaign finds and scores, `stored_pages` gives texts and
//! facts of pages that were indexed, `missing_places` puts what a page lacks into its text, `related`, `near_duplicates` and `judgements` work on results.

pub(super) mod index_updates;
pub(super) mod judgements;
pub(super) mod missing_places;
pub(super) mod near_duplicates;
pub(super) mod record_content;
pub(super) mod related;
pub(super) mod request_matches;
pub(super) mod request_sample;
pub(super) mod saved_searches;
pub(super) mod search;
pub(in crate::work) mod stored_pages;
pub(super) mod text_index;
pub(super) mod text_marks;
