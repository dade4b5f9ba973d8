//! Captures: one URL at one instant, out of archive records or an exchange.
//!
//! In: records of WARC and ARC files, answers of servers. Out: a
//! [`CaptureEntry`] with its links for the catalogue ([`index_records`]), or
//! a [`Document`] whose links are read in a stream ([`DocumentReader`]).
//!
//! | step | where |
//! |---|---|
//! | what a record tells of a capture; whether that is a page | `part`, `media` |
//! | what the catalogue keeps of one record | `record` |
//! | records of one capture, found beside each other | `index` |
//! | links, title and text of a body, by its type | `page`, `sitemap` |
//! | what a capture is to a person | `media` |
//! | what a page has by itself beside its text | `page_facts`, `page_markers` |
//! | our metadata record; envelopes of other programs | `metadata`, `wat` |
//! | what a revisit repeats | `original` |
//! | how much is read, and of how many pages at once | `limits`, `large` |
//!
//! ```
//! use fonds::captures::{Body, BodyForm};
//! use fonds::links::PageOptions;
//! use fonds::warc::http::parse_response_head;
//!
//! let url = "http://a.pt/folha".parse().unwrap();
//! assert!(BodyForm::of("application/xhtml+xml", &url, b"<html/>") == BodyForm::Xhtml);
//! let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml\r\n\r\n<script src='a.js'/><a href='b'>B</a>";
//! let head = parse_response_head(answer).unwrap();
//! let body = Body::decode(&head, &answer[head.head_len..], 1 << 20);
//! let page = body.page(&url, PageOptions::default()).unwrap();
//! assert_eq!(page.links.last().unwrap().anchor, "B");
//! ```
//!
//! Not here: inversion of links ([`crate::inlinks`]), fetching
//! ([`crate::crawl`]), the catalogue ([`crate::store`]).

mod documents;
mod entry;
mod index;
mod large;
pub mod limits;
pub(crate) mod lone_surrogates;
pub mod media;
pub mod original;
mod page;
mod page_facts;
mod page_markers;
mod part;
mod picture_end;
mod record;
mod robots_tag;
mod site_kinds;
mod sitemap;
mod unread;
mod wat;

mod crawl_metadata;
#[cfg(test)]
mod index_tests;

pub use crawl_metadata::CaptureNotes;
pub use documents::{Document, DocumentReader, DocumentReport, MAX_LISTED, ReadFrom, Repeat};
pub use entry::{CaptureEntry, RecordPlace, plain_mime};
pub use index::{Author, IndexReport, index_archive, index_archive_from, index_in_parallel, index_records};
pub use large::{LargePagePermit, PageBudget, PagePermit};
pub use media::{Media, is_page_type};
pub use original::{
    DeclaredKind, FoundBy, FoundOriginal, OriginalError, Place, RevisitError, find_original, rule as original_rule,
};
pub use page::{Body, BodyForm, PageLinks, is_redirect, links_bytes, may_have_links, reading_bytes, redirect_target};
pub use page_facts::{PageEnd, PageFacts};
pub use page_markers::MarkerKind;
pub use record::body_of;
pub use robots_tag::is_nofollow_answer;
pub use site_kinds::{SiteKind, SiteKinds, SiteKindsError};
pub use sitemap::is_packed_sitemap;
pub use unread::Unread;
