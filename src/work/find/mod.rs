//! Finding captures: the text index of a workspace, searches, facets, related captures, judgements.

pub(super) mod facet_terms;
pub(super) mod index_updates;
pub(super) mod judgements;
pub(super) mod near_duplicates;
pub(super) mod page_texts;
pub(super) mod record_content;
pub(super) mod related;
pub(super) mod request_matches;
pub(super) mod request_sample;
pub(super) mod saved_searches;
pub(super) mod search;
pub(super) mod text_index;
pub(super) mod text_marks;
