//! Outlinks out of pages, and inlinks out of outlinks.
//!
//! In: decoded bodies of captures ([`read_page`], [`read_css`]), or whole
//! archive records ([`DocumentReader`]). Out: a [`Page`] with its outlinks and
//! text; and, inverted ([`invert`]), the inlinks of each target in the order
//! (date, source, anchor); as lines of the published data set ([`dataset`]),
//! made in one go by [`DatasetBuilder`], or in two halves ([`filters`]) with
//! a sort elsewhere between them; or stored for questions ([`stored`]); or
//! counted host by host ([`HostGraph`]).
//!
//! Invariants: extraction agrees with the DOM that a browser without scripts
//! builds, but for parts without text of a link that misnested tags split;
//! inversion is one pass over the input in bounded memory, and its result does
//! not depend on record order, threads or the memory limit; equal (target,
//! source, date, anchor) are kept once.
//!
//! Not here: reading WARC files, keeping results in a catalogue.

mod attributes;
mod builder;
mod charset;
mod collect;
mod css;
pub mod dataset;
mod dataset_build;
mod documents;
mod extract;
pub mod filters;
mod fold;
mod host_graph;
pub mod invert;
mod lone;
mod originals;
mod page;
mod pdf;
mod pipeline;
mod place;
mod quirks;
mod resolve;
mod rows_in;
mod tag;
mod tokenizer;
mod tokens;
mod tree;
mod unread;
mod wat;
mod workers;

#[cfg(test)]
mod testing;

pub use attributes::has_word;
pub use charset::CharsetSource;
pub use collect::{MAX_ANCHOR_BYTES, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, PageLink};
pub use dataset::{DatasetError, DatasetInlink, DatasetLines, DatasetObject, object_of, read_dataset, render_line};
pub use dataset_build::{BuildReport, DatasetBuilder, DatasetOptions, Keyed, Notation};
pub use documents::{Document, DocumentReader, DocumentReport, MAX_PAGE_BYTES, Place, ReadFrom, Repeat, is_page};
pub use extract::{read_css, read_links, read_page, tell_language};
pub use host_graph::{HostEdge, HostGraph, HostGraphBuilder, HostNode};
pub use invert::{LinkError, stored};
pub use originals::{RevisitError, rule as original_rule};
pub use page::{LinkKind, LinkKinds, Outlink, Page, PageCuts, PageOptions};
pub use pipeline::FileNews;
pub use place::PagePlace;
pub use resolve::Resolved;
pub use tree::MAX_DEPTH;
pub use unread::Unread;

/// A link belongs to a capture of its target when both were captured within
/// this many days of each other, to the second, both ends in.
pub const MATCH_WINDOW_DAYS: u32 = 90;

/// Inlinks kept for one page on each side (internal, external).
pub const MAX_INLINKS_PER_SIDE: usize = 1000;
