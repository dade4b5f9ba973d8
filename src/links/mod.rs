//! Outlinks out of pages.
//!
//! In: decoded bodies of captures ([`read_page`], [`read_css`]). Out: a
//! [`Page`] with its outlinks and text.
//!
//! Invariants: extraction agrees with the DOM that a browser without scripts
//! builds, but for parts without text of a link that misnested tags split.
//!
//! Not here: archive files ([`crate::warc`]), inlinks ([`crate::inlinks`]).

mod attributes;
mod builder;
mod charset;
pub(crate) mod collect;
mod css;
mod extract;
pub(crate) mod fold;
mod page;
pub(crate) mod pdf;
mod place;
mod quirks;
pub(crate) mod resolve;
mod tag;
mod tokenizer;
mod tokens;
mod tree;
mod unread;

#[cfg(test)]
pub(crate) mod testing;

pub use attributes::has_word;
pub use charset::CharsetSource;
pub use collect::{MAX_ANCHOR_BYTES, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, PageLink};
pub use extract::{read_css, read_links, read_page, tell_language};
pub use page::{LinkKind, LinkKinds, MAX_PAGE_BYTES, Outlink, Page, PageCuts, PageOptions, is_page};
pub use place::PagePlace;
pub use resolve::Resolved;
pub use tree::MAX_DEPTH;
pub use unread::Unread;
