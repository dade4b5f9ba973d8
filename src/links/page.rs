//! Types of what is extracted from a page: links, text and their limits.

use super::html::CharsetSource;
use super::html::{Layout, PageElements, PagePlace, PageStatements};
use crate::uri::Url;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Most bytes of a page that are read, before and after decoding.
pub const MAX_PAGE_BYTES: usize = 64 * 1024 * 1024;

/// Kind of the element of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `<a href>`: the only kind that makes an inlink by default.
    Anchor,
    /// `<area href>`, and links that a reader follows without an `a` of the page's own tree: in SVG, in `<template>`,
    /// `<noframes>` and `srcdoc`, in PDF files and entries of feeds. None of them is an inlink by default.
    Area,
    /// `<frame src>`, `<iframe src>`.
    Frame,
    /// `<meta http-equiv=refresh>`.
    MetaRefresh,
    /// `<link href>` of a style sheet, icon or script preload.
    Stylesheet,
    /// Other `<link href>` (canonical, alternate, next …).
    LinkElement,
    /// `<img src>`, `srcset`, `<input type=image>`, `background`; images that scripts load (`data-src`) and that a page
    /// names for others (Open Graph, JSON-LD).
    Image,
    /// `<script src>`.
    Script,
    /// `<video>`, `<audio>`, `<source>`, `<track>`, `<embed>`, `<object data>`.
    Media,
    /// `<form action>`.
    Form,
    /// `url(…)` and `@import` in CSS.
    Css,
    /// `Location` of a redirect.
    Redirect,
    /// A robots `Sitemap:` line, a sitemap or feed entry.
    Manifest,
}

impl LinkKind {
    /// Every kind; stored rows number them in this order.
    pub(crate) const ALL: [Self; 13] = [
        Self::Anchor,
        Self::Area,
        Self::Frame,
        Self::MetaRefresh,
        Self::Stylesheet,
        Self::LinkElement,
        Self::Image,
        Self::Script,
        Self::Media,
        Self::Form,
        Self::Css,
        Self::Redirect,
        Self::Manifest,
    ];

    /// Heritrix's hop letter: L navlink, E embed, R redirect, M manifest.
    pub fn hop(self) -> char {
        match self {
            Self::Anchor | Self::Area | Self::LinkElement | Self::Form => 'L',
            Self::MetaRefresh | Self::Redirect => 'R',
            Self::Frame | Self::Stylesheet | Self::Image | Self::Script | Self::Media | Self::Css => 'E',
            Self::Manifest => 'M',
        }
    }

    /// Element and attribute as WAT files name them.
    pub fn wat_path(self) -> &'static str {
        match self {
            Self::Anchor => "A@/href",
            Self::Area => "AREA@/href",
            Self::Frame => "IFRAME@/src",
            Self::MetaRefresh => "META@/refresh",
            Self::Stylesheet => "LINK@/stylesheet",
            Self::LinkElement => "LINK@/href",
            Self::Image => "IMG@/src",
            Self::Script => "SCRIPT@/src",
            Self::Media => "MEDIA@/src",
            Self::Form => "FORM@/action",
            Self::Css => "STYLE/#text",
            Self::Redirect => "HEADER@/Location",
            Self::Manifest => "MANIFEST/url",
        }
    }

    /// The kind behind a WAT path; what is unknown counts as an embed.
    pub fn from_wat_path(path: &str) -> Self {
        if path == "FRAME@/src" {
            return Self::Frame;
        }
        if path == "INPUT@/src" || path.ends_with("@/background") {
            return Self::Image;
        }
        Self::ALL.into_iter().find(|kind| kind.wat_path() == path).unwrap_or(Self::Media)
    }
}

/// A set of kinds of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkKinds(u16);

impl LinkKinds {
    /// Every kind.
    pub const ALL: Self = Self(u16::MAX);

    /// Whether `kind` is one of them.
    pub fn has(self, kind: LinkKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }

    /// Whether there is none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All but this one.
    pub(super) fn without(self, kind: LinkKind) -> Self {
        Self(self.0 & !(1 << kind as u16))
    }

    /// With this one where the other is one of them.
    pub(super) fn with_if(self, kind: LinkKind, other: LinkKind) -> Self {
        if self.has(other) { Self(self.0 | 1 << kind as u16) } else { self }
    }
}

impl FromIterator<LinkKind> for LinkKinds {
    fn from_iter<I: IntoIterator<Item = LinkKind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u16))
    }
}

/// A link seen from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlink {
    /// Absolute http or https URL without fragment.
    pub url: Url,
    /// Kind of its element.
    pub kind: LinkKind,
    /// Text of the element (alternative text for images), entities decoded,
    /// white space folded to single blanks, trimmed. Hostile text.
    pub anchor: String,
    /// `rel` as the link has it, in lower case, words parted by blanks; empty
    /// where there is none. Hostile text.
    pub rel: String,
    /// `rel` holds `nofollow`, or the page's robots meta says so.
    pub nofollow: bool,
    /// The part of the page that it is in, where the markup declares one.
    pub place: Option<PagePlace>,
    /// Number of the link in its page, from 0.
    pub position: u32,
}

impl Outlink {
    /// A link that is nothing but an address, the first of its page.
    pub fn bare(url: Url, kind: LinkKind) -> Self {
        Self { url, kind, anchor: String::new(), rel: String::new(), nofollow: false, place: None, position: 0 }
    }
}

/// Contents of one HTML page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The URL that relative links were resolved against.
    pub base: Url,
    /// Text of `<title>`, folded and trimmed.
    pub title: Option<String>,
    /// `<html lang>`, else `content-language` (ISO 639-1).
    pub language: Option<String>,
    /// Name of the charset that was used.
    pub charset: &'static str,
    /// Source of the charset.
    pub charset_from: CharsetSource,
    /// Links in reading order.
    pub links: Vec<Outlink>,
    /// Visible text, one line per block. Hostile text.
    pub text: String,
    /// Alternative texts of images, each on a line of its own. Hostile text.
    pub image_texts: String,
    /// How the text is laid out.
    pub layout: Layout,
    /// What the page says for machines.
    pub statements: PageStatements,
    /// Images, forms and the like; empty without [`PageOptions::elements`].
    pub elements: PageElements,
    /// `<link rel=canonical>`.
    pub canonical: Option<Url>,
    /// What was left out because of a limit.
    pub cut: PageCuts,
}

/// Counts of what was left out of a page because of a limit, or was not recognised; all zero for any honest
/// page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageCuts {
    /// Links left out: too many, or too long.
    pub links: u64,
    /// Anchor texts shortened.
    pub anchors: u64,
    /// Elements that were nested too deep and were read as if they were higher.
    pub depth: u64,
    /// The visible text was shortened.
    pub text: bool,
    /// Values of `rel` shortened.
    pub rels: u64,
    /// Bytes that are no text of the charset were replaced.
    pub letters: bool,
    /// The bytes are not in this charset: what is markup in them is none in what it makes of them.
    pub charset: bool,
}

impl PageCuts {
    /// Whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What stands in an anchor where a reader sees two lines and its text has no white space:
/// between blocks, at a `<br>`, between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnchorBreaks {
    /// Nothing: the text of the element as it is (`textContent`).
    #[default]
    Nothing,
    /// A blank, as a browser shows it (`innerText`).
    Blank,
    /// An [`ANCHOR_BREAK`], which is a blank to a reader and can be taken out again.
    Marked,
}

/// A blank of an anchor that its text does not have. No other white space than U+0020 is in a folded text.
pub const ANCHOR_BREAK: char = '\u{a0}';

/// An anchor as a browser shows it: its marked breaks are blanks.
pub fn anchor_as_shown(anchor: &str) -> Cow<'_, str> {
    match anchor.contains(ANCHOR_BREAK) {
        true => Cow::Owned(anchor.replace(ANCHOR_BREAK, " ")),
        false => Cow::Borrowed(anchor),
    }
}

/// Options for reading pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOptions {
    /// What parts the lines of an anchor. Nothing by default: in the data set the text is as it is.
    pub anchor_breaks: AnchorBreaks,
    /// A link without text takes the alternative texts of its images as its
    /// anchor. Off by default: in the data set empty stays empty.
    pub image_alt: bool,
    /// Visible text that is kept, in bytes; 0 keeps none.
    pub max_text_bytes: usize,
    /// The page was served as XHTML: `<script src="x"/>` has no content.
    pub xhtml: bool,
    /// Images with their sizes, forms, frames and scripts are counted ([`PageElements`]).
    pub elements: bool,
    /// Addresses that are printed in a PDF file as text are links of it, too.
    pub pdf_text: bool,
    /// Kinds of links that are read; others are passed over, and not numbered.
    pub kinds: LinkKinds,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            anchor_breaks: AnchorBreaks::Nothing,
            image_alt: false,
            max_text_bytes: 1 << 20,
            xhtml: false,
            elements: false,
            pdf_text: false,
            kinds: LinkKinds::ALL,
        }
    }
}

impl PageOptions {
    /// Options for links alone, without text.
    pub fn links_only() -> Self {
        Self { max_text_bytes: 0, ..Self::default() }
    }
}
