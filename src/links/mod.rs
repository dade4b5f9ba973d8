//! Extracts outlinks from pages.
//!
//! In: decoded bodies of captures ([`read_page`], [`read_css`]; feeds, sitemaps
//! and other lists). Out: a [`Page`] with its outlinks and text, or outlinks.
//!
//! Invariants: extraction agrees with the DOM that a browser without scripts
//! builds, but for parts without text of a link that misnested tags split.
//!
//! ```
//! use fonds::links::{LinkKind, PageOptions, read_page};
//!
//! let url = "http://a.pt/noticias/".parse().unwrap();
//! let body = "<title>Not&iacute;cias</title> <a href=../sobre rel=nofollow> Sobre \n nós </a>";
//! let page = read_page(body.as_bytes(), Some("utf-8"), &url, &PageOptions::default());
//! assert_eq!(page.title.as_deref(), Some("Notícias"));
//! let link = &page.links[0];
//! assert_eq!((link.url.as_str(), link.anchor.as_str()), ("http://a.pt/sobre", "Sobre nós"));
//! assert!(link.kind == LinkKind::Anchor && link.nofollow);
//! ```
//!
//! Not here: archive files ([`crate::warc`]), inlinks ([`crate::inlinks`]).

mod css;
mod dash;
mod entries;
mod headers;
pub(crate) mod html;
mod json;
mod listed;
mod page;
pub(crate) mod pdf;
mod playlist;
pub(crate) mod resolve;
mod xml;

pub(crate) use css::{css_places, unescape_css};
pub use entries::{EntryList, EntryListKind, ListEntry, read_entries};
pub(crate) use headers::{HeaderLink, header_links};
pub(crate) use html::{
    AttributePlace, MarkupPart, StartTag, Tag, decode_attribute, detect_charset, detect_css_charset, each_markup,
    read_text, refresh_range, srcset_ranges,
};
pub use html::{
    BlockElement, CharsetSource, Layout, MAX_ANCHOR_BYTES, MAX_DEPTH, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE,
    MAX_PAGE_IMAGES, MAX_URL_BYTES, PageElements, PageImage, PageLink, PagePlace, PageStatements, TextLine,
    TimeStatement, has_token, read_css, read_links, read_page,
};
pub(crate) use json::read_json;
pub use page::{
    ANCHOR_BREAK, AnchorBreaks, LinkKind, LinkKinds, MAX_PAGE_BYTES, Outlink, Page, PageCuts, PageOptions,
    anchor_as_shown,
};
pub(crate) use playlist::{is_text_sitemap, read_playlist, read_text_sitemap};
pub use resolve::Resolved;
pub(crate) use xml::read_xml;
