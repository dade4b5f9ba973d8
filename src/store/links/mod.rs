//! Links between pages: the rows that the inlink build reads, the built inlinks, and the queries on
//! both.

pub(super) mod absent_links;
pub(super) mod anchor_texts;
pub(super) mod built_inlinks;
pub(super) mod inlink_counts;
pub(super) mod link_rows;
pub(super) mod linking_pages;
pub(super) mod most_cited;
pub(super) mod prospect_sites;
pub(super) mod prospects;
