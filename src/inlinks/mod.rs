//! Builds inlinks from outlinks.
//!
//! In: whole archive records ([`crate::captures::DocumentReader`]), or links by rows. Out, inverted
//! ([`invert`]): the inlinks of each target in the order (date, source, anchor); as lines of the published
//! data set ([`dataset`]), made in one go by [`DatasetBuilder`], or in two halves ([`filters`]) with a sort
//! elsewhere between them; or stored for queries ([`stored`]); or counted host by host ([`HostGraph`]).
//!
//! Invariants: inversion is one pass over the input in bounded memory, and its
//! result does not depend on record order, threads or the memory limit; equal
//! (target, source, date, anchor) are kept once.
//!
//! ```
//! use fonds::inlinks::DatasetObject;
//!
//! let line = concat!(
//!     r#"{"url":"(pt,a,","count":1,"countInternal":0,"countExternal":1,"captureDate":"2024-03-01T09:00:00","#,
//!     r#""inlinks":[{"date":"2024-02-01T10:00:00","source":"(pt,b,)/x","anchor":"Biblioteca"}]}"#
//! );
//! let object = DatasetObject::read_line(line).unwrap();
//! assert_eq!((object.count_external, object.inlinks[0].source.as_str()), (1, "(pt,b,)/x"));
//! assert_eq!(object.line(), line);
//! ```
//!
//! Not here: reading WARC files, keeping results in a catalogue.

pub mod dataset;
mod dataset_build;
pub mod filters;
mod host_graph;
pub mod invert;
mod pipeline;
mod rows_in;
mod workers;

pub use dataset::{
    DatasetError, DatasetInlink, DatasetLines, DatasetObject, object_of, push_json, read_dataset, render_line,
    render_links,
};
pub use dataset_build::{BuildReport, DatasetBuilder, DatasetOptions, Keyed, Notation};
pub use host_graph::{HostEdge, HostGraph, HostGraphBuilder, HostNode};
pub use invert::{LinkError, stored};
pub use pipeline::FileEvent;

/// A link belongs to a capture of its target when both were captured within
/// this many days of each other, to the second, both ends in.
pub const MATCH_WINDOW_DAYS: u32 = 90;

/// Inlinks kept for one page on each side (internal, external).
pub const MAX_INLINKS_PER_SIDE: usize = 1000;
