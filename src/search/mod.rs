//! Every word of the archive: the text index, and what is counted of hits.
//!
//! In: texts of content versions, query terms, facts of captures as columns.
//! Out: hits as sets, ranked versions, facets, a timeline.
//!
//! | file | answers |
//! |---|---|
//! | [`TextIndex`] | which content versions hold a term (`leaves`), and how well |
//! | [`StoredPage`] | what was read of a content version: its text, and what its record tells |
//! | [`IndexBuilder`] | documents in, one a content version |
//! | [`CaptureFacts`] | the columns of captures that hits are counted by, and their file beside the index |
//! | [`CaptureLetters`] | which captures have some letters in their title or URL |
//! | [`FacetChoice`] | which values of facets a query chooses |
//! | [`MapCountry`] | where on a map a country or a top-level domain is |
//! | [`NearGroups`] | which content versions are near-duplicates |
//!
//! A *content version* is a page with one payload: its number is that of the
//! first capture with both. The index holds texts alone, which never change;
//! what captures have beside is in the catalogue, and is looked up there, so
//! that a new capture of a known version, a mark or a score changes nothing
//! here.
//!
//! Invariants: derived data, made again from the WARC files at any time;
//! words are those of [`words`](crate::text::words), as in requests.
//!
//! Not here: reading captures, the catalogue, what a query means there.

mod anchor_stamps;
mod best;
mod builder;
mod capture_columns;
mod countries;
mod date_range;
mod doc_versions;
mod facet_choice;
mod fact_file;
mod letters;
mod near_groups;
mod near_links;
mod page_file;
mod phrase_counts;
mod ranking;
mod read_only;
mod schema;
mod site_kinds;
mod term_matches;
mod text_index;
mod tokens;

pub use anchor_stamps::anchor_stamp;
pub use builder::{INDEX_FORMAT, IndexBuilder, IndexMark, TextDocument};
pub use capture_columns::{
    CaptureFacts, DAY_MS, FacetKind, FacetValue, FactsRow, Period, PeriodCount, domain_of, first_by_key, top_level_of,
    without_port,
};
pub use countries::{CountryCount, MAP_HEIGHT, MapCountry, MapPoint, count_by_country, country_of, map_countries};
pub use date_range::{date_range, period_of, with_date_range};
pub use facet_choice::{FacetChoice, beside_facet, facet_choices, narrowed_by, of_facet, toggle_facet, with_facets};
pub use fact_file::FactsMark;
pub use letters::{CaptureLetters, LettersOf};
pub use near_groups::{NearFile, NearGroups, NearTexts, NearWriter};
pub use near_links::NearLinks;
pub use page_file::{PageSlot, StoredPage};
pub use ranking::Ranked;
pub use text_index::{StoredPages, TextIndex, TextIndexError};
pub use tokens::stem_term;
