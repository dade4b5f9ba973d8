//! HTML and XHTML pages as a browser without scripts reads them.
//!
//! A body gets its charset, tokens, tree and links in one pass
//! ([`read_page`], [`read_links`]).

mod attributes;
mod builder;
mod charset;
pub(crate) mod collect;
mod elements;
mod extract;
pub(crate) mod fold;
mod layout;
mod markup;
mod place;
mod quirks;
mod requisites;
mod tag;
mod tokenizer;
mod tokens;
mod tree;

pub use attributes::has_token;
pub(crate) use attributes::{kind_of_rel, refresh_range, refresh_url, srcset_ranges};
pub use charset::CharsetSource;
pub(in crate::links) use charset::{decode as decode_text, detect_xml};
pub(crate) use charset::{detect as detect_charset, detect_css as detect_css_charset};
pub use collect::{MAX_ANCHOR_BYTES, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, PageLink};
pub use elements::{MAX_PAGE_IMAGES, PageElements, PageImage};
pub(crate) use extract::read_text;
pub use extract::{read_css, read_links, read_page};
pub use layout::{BlockElement, Layout, PageStatements, TextLine, TimeStatement};
pub(crate) use markup::{AttributePlace, MarkupPart, StartTag, decode_attribute, each_markup};
pub use place::PagePlace;
pub(crate) use tag::Tag;
pub(in crate::links) use tokenizer::{Reading, decode as decode_references};
pub use tree::MAX_DEPTH;
