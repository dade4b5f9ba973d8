//! Collects links, anchor texts, title and visible text while a page is read.
//!
//! Everything is kept as ranges of a few long buffers; URLs are resolved when
//! the whole page is known, since its first `base` may stand anywhere.

use super::attributes::{has_token, kind_of_rel, primary_language, refresh_url, srcset_urls};
use super::builder::Builder;
use super::elements::PageElements;
use super::fold::{fold, fold_into, is_white, without_marks};
use super::layout::{Layout, LayoutBuilder, PageStatements};
use super::place::PagePlace;
use super::tag::Tag;
use super::tokenizer::tokenize;
use super::tokens::{Attr, Attributes, Text};
use super::tree::Tree;
use crate::links::css::css_references;
use crate::links::page::{ANCHOR_BREAK, AnchorBreaks, LinkKind, Outlink, PageCuts, PageOptions};
use crate::links::resolve::{Resolved, Resolver, has_foreign_scheme, join_url, origin_of, scheme_of, web_url};
use crate::uri::{Url, drop_user};
use encoding_rs::{Encoding, UTF_8};
use std::collections::HashSet;
use std::ops::Range;
use url::Position;

/// Links kept of one page.
pub const MAX_LINKS_PER_PAGE: usize = 1_000_000;

/// Longest reference that is followed, in bytes.
pub const MAX_URL_BYTES: usize = 64 * 1024;

/// Longest anchor text that is kept, in bytes.
pub const MAX_ANCHOR_BYTES: usize = 64 * 1024;

/// Longest `rel` that is kept, in bytes: of a longer list the first link types.
const MAX_REL_BYTES: usize = 1024;

/// Bytes of URLs and anchor texts kept of one page, over all links: a long
/// `base` or nested links could make much out of little.
pub const MAX_LINK_BYTES_PER_PAGE: usize = 128 * 1024 * 1024;

/// Documents in `srcdoc` of documents in `srcdoc` and so on that are read.
const MAX_INNER_DOCUMENTS: u8 = 4;

/// Place of an element in the document: what was inserted later in an earlier
/// place (by misnested tags) has a second number.
pub(crate) type Order = (u32, i64);

/// Number of a link while its page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkId(u32);

#[derive(Clone)]
struct RawLink {
    kind: LinkKind,
    /// The link of the same tag that this one was split from: the first of them.
    split_from: Option<u32>,
    reference: Range<usize>,
    /// Range of `anchors`, once the element is closed.
    anchor: Range<usize>,
    /// Range of `references`.
    rel: Range<usize>,
    nofollow: bool,
    place: Option<PagePlace>,
    order: Order,
}

/// See the module.
pub(crate) struct Collector<'o> {
    pub(super) options: &'o PageOptions,
    /// How many documents it stands in, by `srcdoc` and the like.
    depth: u8,
    references: String,
    anchors: String,
    links: Vec<RawLink>,
    open_links: u32,
    /// Text since a link was opened.
    anchor_text: String,
    /// Places in it where a reader sees a new line.
    anchor_breaks: Vec<usize>,
    /// The text of one link, white space folded.
    folded: String,
    /// Alternative texts of images since then: their places among the text, as
    /// [`Collector::mark`] gives them, and where they end in `alt_text`.
    alts: Vec<(usize, usize)>,
    alt_text: String,
    pub(crate) title: Option<String>,
    title_text: String,
    pub(crate) language: Option<String>,
    content_language: Option<String>,
    base_reference: Option<String>,
    canonical_reference: Option<String>,
    nofollow_all: bool,
    /// The part of the page that is being read.
    pub(crate) place: Option<PagePlace>,
    pub(crate) text: String,
    text_full: bool,
    image_texts: String,
    css_text: String,
    layout: LayoutBuilder,
    /// None where nobody asks for them.
    elements: Option<PageElements>,
    pub(crate) cut: PageCuts,
}

impl<'o> Collector<'o> {
    pub(crate) fn new(options: &'o PageOptions) -> Self {
        Self {
            options,
            depth: 0,
            references: String::new(),
            anchors: String::new(),
            links: Vec::new(),
            open_links: 0,
            anchor_text: String::new(),
            anchor_breaks: Vec::new(),
            folded: String::new(),
            alts: Vec::new(),
            alt_text: String::new(),
            title: None,
            title_text: String::new(),
            language: None,
            content_language: None,
            base_reference: None,
            canonical_reference: None,
            nofollow_all: false,
            place: None,
            text: String::new(),
            text_full: options.max_text_bytes == 0,
            image_texts: String::new(),
            css_text: String::new(),
            layout: LayoutBuilder::new(options.max_text_bytes > 0),
            elements: options.elements.then(PageElements::default),
            cut: PageCuts::default(),
        }
    }

    /// The present place in the text of open links; an alternative text takes
    /// one, too.
    pub(crate) fn mark(&self) -> usize {
        self.anchor_text.len() + self.alts.len()
    }

    /// Text of the body. `visible` says whether a reader would see it.
    pub(crate) fn push_text(&mut self, text: Text<'_>, visible: bool) {
        let shown = visible && !self.text_full;
        if self.open_links == 0 && !shown {
            return;
        }
        let text = text.decoded();
        if self.open_links > 0 {
            self.anchor_text.push_str(&text);
        }
        if !shown {
            return;
        }
        let before = self.text.len();
        fold_into(&mut self.text, &without_marks(text));
        self.layout.add_text(self.text.len() - before, self.open_links > 0);
        if self.text.len() > self.options.max_text_bytes {
            let mut end = self.options.max_text_bytes;
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            self.text.truncate(end);
            self.text_full = true;
            self.cut.text = true;
            if self.text.ends_with('\n') {
                self.text.pop();
            } else {
                self.layout.end_line(self.text.len());
            }
        }
    }

    /// A block starts or ends: visible text begins a new line.
    pub(crate) fn break_text(&mut self) {
        self.break_anchor();
        if self.text_full {
            return;
        }
        if self.text.ends_with(' ') {
            self.text.pop();
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.layout.end_line(self.text.len());
            self.text.push('\n');
        }
    }

    /// A cell starts: its text is parted from the one before.
    pub(crate) fn part_text(&mut self) {
        self.break_anchor();
        if !self.text_full && !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// The text of open links goes on in another line.
    fn break_anchor(&mut self) {
        let at = self.anchor_text.len();
        let is_read = self.open_links > 0 && self.options.anchor_breaks != AnchorBreaks::Nothing;
        if is_read && self.anchor_breaks.last() != Some(&at) {
            self.anchor_breaks.push(at);
        }
    }

    /// The alternative text of an image, where a text is read.
    fn add_image_text(&mut self, attributes: &Attributes) {
        let Some(alt) = attributes.get(Attr::Alt).filter(|alt| !self.text_full && !alt.is_empty()) else { return };
        let alt = fold(&alt);
        let is_new = !alt.is_empty() && self.image_texts.lines().next_back() != Some(&alt);
        if is_new && self.image_texts.len() + alt.len() < MAX_ANCHOR_BYTES {
            if !self.image_texts.is_empty() {
                self.image_texts.push('\n');
            }
            self.image_texts.push_str(&alt);
        }
    }

    /// Text of a `title`; only the first counts.
    pub(crate) fn push_title(&mut self, text: Text<'_>) {
        if self.title.is_none() && self.title_text.len() < MAX_ANCHOR_BYTES {
            self.title_text.push_str(&text.decoded());
        }
    }

    /// The end of a `title`.
    pub(crate) fn end_title(&mut self) {
        let text = fold(&without_marks(std::mem::take(&mut self.title_text).into()));
        self.title.get_or_insert(text);
    }

    /// Text of a `style`.
    pub(crate) fn push_css(&mut self, text: Text<'_>) {
        if !self.options.kinds.has(LinkKind::Css) {
            return;
        }
        self.css_text.push_str(&text.decoded());
    }

    /// The end of a `style`.
    pub(crate) fn end_css(&mut self, order: Order) {
        let css = std::mem::take(&mut self.css_text);
        css_references(&css, |reference| self.add(LinkKind::Css, reference, "", "", order));
    }

    /// The attributes of `html`, whichever of its start tags they stand in.
    pub(crate) fn html(&mut self, attributes: &Attributes) {
        if self.language.is_none() {
            let declared = attributes.get(Attr::Lang).or_else(|| attributes.get(Attr::XmlLang));
            self.language = declared.as_deref().and_then(primary_language);
        }
    }

    /// An element starts; gives its number where it makes blocks of text.
    pub(crate) fn start_block(&mut self, tag: Tag, attributes: &Attributes, place: Option<PagePlace>) -> Option<u32> {
        if self.text_full { None } else { self.layout.start(tag, attributes, place) }
    }

    /// The block element that is innermost from here on.
    pub(crate) fn return_to_block(&mut self, number: Option<u32>) {
        self.layout.element = number.unwrap_or_default();
    }

    /// Text of a script of JSON-LD.
    pub(crate) fn push_json_ld(&mut self, text: Text<'_>, order: Order) {
        self.layout.json_ld(text);
        self.json_ld_images(text, order);
    }

    /// How many links there are.
    pub(crate) fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Forgets the links after the first `count` (a frameset takes the place
    /// of the body); none of them may be open.
    pub(crate) fn keep_links(&mut self, count: usize) {
        self.links.truncate(count);
    }

    /// An `a` starts. `None` where it holds no reference that could be a link.
    pub(crate) fn open_anchor(&mut self, attributes: &Attributes, order: Order) -> Option<LinkId> {
        if !self.options.kinds.has(LinkKind::Anchor) {
            return None;
        }
        let href = attributes.get(Attr::Href)?;
        let reference = self.keep_reference(&href)?;
        let link = self.raw(LinkKind::Anchor, reference, &attributes.get(Attr::Rel).unwrap_or_default(), order);
        self.open(link)
    }

    /// A link without text so far, in the part of the page that is being read.
    fn raw(&mut self, kind: LinkKind, reference: Range<usize>, rel: &str, order: Order) -> RawLink {
        let nofollow = has_token(rel, "nofollow");
        let rel = self.keep_rel(rel);
        RawLink { kind, split_from: None, reference, anchor: 0..0, rel, nofollow, place: self.place, order }
    }

    /// Keeps link types as HTML compares them: in lower case, parted by blanks.
    fn keep_rel(&mut self, rel: &str) -> Range<usize> {
        let from = self.references.len();
        let end = MAX_LINK_BYTES_PER_PAGE.min(from + MAX_REL_BYTES);
        for token in rel.split_ascii_whitespace() {
            let blank = usize::from(self.references.len() > from);
            if self.references.len() + blank + token.len() > end {
                self.cut.rels += 1;
                break;
            }
            if blank > 0 {
                self.references.push(' ');
            }
            self.references.extend(token.chars().map(|c| c.to_ascii_lowercase()));
        }
        from..self.references.len()
    }

    fn open(&mut self, link: RawLink) -> Option<LinkId> {
        if self.links.len() >= MAX_LINKS_PER_PAGE {
            self.cut.links += 1;
            return None;
        }
        let id = LinkId(u32::try_from(self.links.len()).ok()?);
        if self.open_links == 0 {
            self.anchor_text.clear();
            self.anchor_breaks.clear();
            self.alts.clear();
            self.alt_text.clear();
        }
        self.open_links += 1;
        self.links.push(link);
        Some(id)
    }

    /// A second element of the same link, where misnested tags split it.
    pub(crate) fn open_again(&mut self, link: LinkId, order: Order) -> Option<LinkId> {
        let first = self.links.get(link.0 as usize)?;
        let split_from = Some(first.split_from.unwrap_or(link.0));
        let copy = RawLink { split_from, anchor: 0..0, place: self.place, order, ..first.clone() };
        self.open(copy)
    }

    /// The link's element ends; its text is what stands between two places.
    pub(crate) fn close(&mut self, link: LinkId, start: usize, end: usize) {
        self.open_links = self.open_links.saturating_sub(1);
        let alts_before = |place: usize| self.alts.partition_point(|(at, _)| *at < place);
        let alts = alts_before(start)..alts_before(end);
        let begin = start.saturating_sub(alts.start);
        let mut anchor = self.anchor_text.get(begin..end.saturating_sub(alts.end)).unwrap_or_default();
        if anchor.len() > MAX_ANCHOR_BYTES {
            self.cut.anchors += 1;
            anchor = anchor.get(..anchor.floor_char_boundary(MAX_ANCHOR_BYTES)).unwrap_or_default();
        }
        if self.anchors.len() + anchor.len() > MAX_LINK_BYTES_PER_PAGE {
            self.cut.anchors += 1;
            anchor = "";
        }
        let from = self.anchors.len();
        let text = &mut self.folded;
        text.clear();
        let mut at = 0;
        for place in &self.anchor_breaks[self.anchor_breaks.partition_point(|place| *place <= begin)..] {
            let Some(line) = anchor.get(at..place - begin) else { break };
            fold_line_into(text, line);
            if !text.is_empty() && !text.ends_with([' ', ANCHOR_BREAK]) {
                text.push(if self.options.anchor_breaks == AnchorBreaks::Marked { ANCHOR_BREAK } else { ' ' });
            }
            at = place - begin;
        }
        fold_line_into(text, anchor.get(at..).unwrap_or_default());
        if text.ends_with([' ', ANCHOR_BREAK]) {
            text.pop();
        }
        if text.is_empty() && self.options.image_alt {
            let mut from = alts.start.checked_sub(1).and_then(|at| self.alts.get(at)).map_or(0, |(_, end)| *end);
            let room = MAX_ANCHOR_BYTES.min(MAX_LINK_BYTES_PER_PAGE.saturating_sub(self.anchors.len()));
            for (_, end) in self.alts.get(alts).unwrap_or_default() {
                if text.len() > room {
                    break;
                }
                fold_into(text, self.alt_text.get(from..*end).unwrap_or_default());
                fold_into(text, " ");
                from = *end;
            }
            text.truncate(text.trim_end().len());
            if text.len() > room {
                self.cut.anchors += 1;
                text.truncate(text.floor_char_boundary(room));
            }
        }
        self.anchors.push_str(text);
        if let Some(link) = self.links.get_mut(link.0 as usize) {
            link.anchor = from..self.anchors.len();
        }
    }

    /// Every other element that may hold references or say something about the page.
    pub(crate) fn element(&mut self, tag: Tag, attributes: &Attributes, order: Order) {
        self.layout.dated(attributes);
        if let Some(elements) = &mut self.elements {
            elements.take(tag, attributes);
        }
        self.references_of(tag, attributes, order);
    }

    /// The references of an element but for those of `a`.
    pub(super) fn references_of(&mut self, tag: Tag, attributes: &Attributes, order: Order) {
        if attributes.has_lazy() {
            self.lazy(tag, attributes, order);
        }
        if self.options.kinds.has(LinkKind::Css)
            && let Some(style) = attributes.get(Attr::Style)
            && memchr::memchr(b'(', style.as_bytes()).is_some()
        {
            css_references(&style, |reference| self.add(LinkKind::Css, reference, "", "", order));
        }
        match tag {
            Tag::BASE if self.base_reference.is_none() => {
                self.base_reference = attributes.get(Attr::Href).map(|href| href.into_owned());
            }
            Tag::META => self.meta(attributes, order),
            Tag::LINK => self.link(attributes, order),
            Tag::AREA if self.options.kinds.has(LinkKind::Area) => {
                let alt = attributes.get(Attr::Alt).map(|alt| fold(&alt)).unwrap_or_default();
                let rel = attributes.get(Attr::Rel).unwrap_or_default();
                self.attribute(LinkKind::Area, attributes, Attr::Href, &alt, &rel, order);
            }
            Tag::IMG => self.image(attributes, order),
            Tag::FRAME | Tag::IFRAME => {
                self.attribute(LinkKind::Frame, attributes, Attr::Src, "", "", order);
                self.attribute(LinkKind::LinkElement, attributes, Attr::Longdesc, "", "", order);
                if let Some(document) = attributes.get(Attr::Srcdoc).filter(|_| tag == Tag::IFRAME) {
                    self.inner_document(&document, order);
                }
            }
            Tag::SCRIPT => self.attribute(LinkKind::Script, attributes, Attr::Src, "", "", order),
            Tag::VIDEO | Tag::AUDIO => {
                self.attribute(LinkKind::Image, attributes, Attr::Poster, "", "", order);
                self.attribute(LinkKind::Media, attributes, Attr::Src, "", "", order);
            }
            Tag::SOURCE => {
                self.attribute(LinkKind::Media, attributes, Attr::Src, "", "", order);
                self.srcset(attributes, "", order);
            }
            Tag::TRACK | Tag::EMBED => self.attribute(LinkKind::Media, attributes, Attr::Src, "", "", order),
            Tag::OBJECT => self.attribute(LinkKind::Media, attributes, Attr::Data, "", "", order),
            Tag::APPLET | Tag::PARAM => self.plugin(tag, attributes, order),
            Tag::FORM => {
                let method = attributes.get(Attr::Method).unwrap_or_default();
                if !method.eq_ignore_ascii_case("post") && !method.eq_ignore_ascii_case("dialog") {
                    self.attribute(LinkKind::Form, attributes, Attr::Action, "", "", order);
                }
            }
            Tag::INPUT => {
                let is_image = attributes.get(Attr::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("image"));
                if is_image {
                    self.image(attributes, order);
                }
            }
            Tag::BODY | Tag::TABLE | Tag::TD | Tag::TH | Tag::TR | Tag::TBODY | Tag::THEAD | Tag::TFOOT => {
                self.attribute(LinkKind::Image, attributes, Attr::Background, "", "", order);
            }
            Tag::BLOCKQUOTE | Tag::Q | Tag::INS | Tag::DEL => {
                self.attribute(LinkKind::LinkElement, attributes, Attr::Cite, "", "", order);
            }
            _ => {}
        }
    }

    /// An element of SVG: what it shows, and links that are no HTML links.
    pub(crate) fn svg_element(&mut self, tag: Tag, attributes: &Attributes, order: Order) {
        let kind = match tag {
            Tag::IMAGE | Tag::USE | Tag::FEIMAGE => LinkKind::Image,
            Tag::A => LinkKind::Area,
            Tag::SCRIPT => LinkKind::Script,
            _ => return,
        };
        let attribute = if attributes.has(Attr::Href) { Attr::Href } else { Attr::XlinkHref };
        self.attribute(kind, attributes, attribute, "", "", order);
    }

    pub(super) fn attribute(
        &mut self,
        kind: LinkKind,
        attributes: &Attributes,
        attribute: Attr,
        anchor: &str,
        rel: &str,
        order: Order,
    ) {
        if self.options.kinds.has(kind)
            && let Some(value) = attributes.get(attribute)
        {
            self.add(kind, &value, anchor, rel, order);
        }
    }

    fn image(&mut self, attributes: &Attributes, order: Order) {
        self.add_image_text(attributes);
        if !self.options.kinds.has(LinkKind::Image) && !self.options.image_alt {
            // Its only other link.
            return self.attribute(LinkKind::LinkElement, attributes, Attr::Longdesc, "", "", order);
        }
        let alt = attributes.get(Attr::Alt).map(|alt| fold(&alt)).unwrap_or_default();
        self.attribute(LinkKind::Image, attributes, Attr::Src, &alt, "", order);
        self.srcset(attributes, &alt, order);
        self.attribute(LinkKind::LinkElement, attributes, Attr::Longdesc, "", "", order);
        if self.open_links > 0 && self.options.image_alt && !alt.is_empty() {
            self.alt_text.push_str(&alt);
            self.alts.push((self.mark(), self.alt_text.len()));
        }
    }

    fn srcset(&mut self, attributes: &Attributes, alt: &str, order: Order) {
        self.candidates(attributes, Attr::Srcset, alt, order);
    }

    /// Images of which a browser chooses one.
    pub(super) fn candidates(&mut self, attributes: &Attributes, attribute: Attr, alt: &str, order: Order) {
        if self.options.kinds.has(LinkKind::Image)
            && let Some(value) = attributes.get(attribute)
        {
            for url in srcset_urls(&value) {
                self.add(LinkKind::Image, url, alt, "", order);
            }
        }
    }

    /// Reads markup that is a document of its own or no part of this one's tree (`srcdoc`, `noframes`): what it
    /// shows, and its links, which are none of this page's ([`LinkKind::Area`]).
    pub(super) fn inner_document(&mut self, markup: &str, order: Order) {
        if self.depth >= MAX_INNER_DOCUMENTS || !self.reads_beside_anchors() {
            return;
        }
        // Where it sends its reader on, the page stays.
        let kinds = self.options.kinds.without(LinkKind::Anchor).without(LinkKind::MetaRefresh);
        let options =
            PageOptions { kinds: kinds.with_if(LinkKind::Anchor, LinkKind::Area), ..PageOptions::links_only() };
        let inside = Collector { depth: self.depth + 1, ..Collector::new(&options) };
        let mut builder = Builder::new(Tree::new(inside), false);
        tokenize(markup, &mut builder);
        let inside = builder.tree.page;
        self.cut.links += inside.cut.links;
        for link in &inside.links {
            let kind = if link.kind == LinkKind::Anchor { LinkKind::Area } else { link.kind };
            let reference = inside.references.get(link.reference.clone()).unwrap_or_default();
            let anchor = inside.anchors.get(link.anchor.clone()).unwrap_or_default();
            let rel = inside.references.get(link.rel.clone()).unwrap_or_default();
            let count = self.links.len();
            self.add(kind, reference, anchor, rel, order);
            if inside.nofollow_all {
                self.links.iter_mut().skip(count).for_each(|link| link.nofollow = true);
            }
        }
    }

    /// Whether other links are wanted than those that a text needs: parts that are no part of a page's tree have no
    /// others.
    pub(super) fn reads_beside_anchors(&self) -> bool {
        !self.options.kinds.without(LinkKind::Anchor).without(LinkKind::MetaRefresh).is_empty()
    }

    fn meta(&mut self, attributes: &Attributes, order: Order) {
        let Some(content) = attributes.get(Attr::Content) else { return };
        if let Some(pragma) = attributes.get(Attr::HttpEquiv) {
            if pragma.eq_ignore_ascii_case("refresh")
                && let Some(url) = refresh_url(&content)
            {
                self.add(LinkKind::MetaRefresh, url, "", "", order);
            } else if pragma.eq_ignore_ascii_case("content-language") && self.content_language.is_none() {
                self.content_language = primary_language(&content);
            }
        }
        self.layout.meta(attributes, &content);
        self.meta_link(attributes, &content, order);
        if attributes.get(Attr::Name).is_some_and(|name| name.trim().eq_ignore_ascii_case("robots")) {
            self.nofollow_all |= has_token(&content, "nofollow") || has_token(&content, "none");
        }
    }

    fn link(&mut self, attributes: &Attributes, order: Order) {
        self.candidates(attributes, Attr::Imagesrcset, "", order);
        let (Some(href), rel) = (attributes.get(Attr::Href), attributes.get(Attr::Rel).unwrap_or_default()) else {
            return;
        };
        let Some(kind) = kind_of_rel(&rel) else { return };
        if has_token(&rel, "canonical") && self.canonical_reference.is_none() {
            self.canonical_reference = Some(href.clone().into_owned());
        }
        self.add(kind, &href, "", &rel, order);
    }

    pub(super) fn add(&mut self, kind: LinkKind, reference: &str, anchor: &str, rel: &str, order: Order) {
        if !self.options.kinds.has(kind) {
            return;
        }
        let Some(reference) = self.keep_reference(reference) else { return };
        if self.links.len() >= MAX_LINKS_PER_PAGE || self.anchors.len() + anchor.len() > MAX_LINK_BYTES_PER_PAGE {
            self.cut.links += 1;
            return;
        }
        let from = self.anchors.len();
        self.anchors.push_str(anchor);
        let anchor = from..self.anchors.len();
        let link = self.raw(kind, reference, rel, order);
        self.links.push(RawLink { anchor, ..link });
    }

    /// Keeps a reference for later. Nothing for blank ones, places in the page
    /// itself, and schemes that plainly are not of the web. Behind a `base` a
    /// place in the page is one in another.
    fn keep_reference(&mut self, reference: &str) -> Option<Range<usize>> {
        let reference = reference.trim_matches(|c: char| c <= ' ');
        let is_own = reference.starts_with('#') && self.base_reference.is_none();
        if reference.is_empty() || is_own || has_foreign_scheme(reference) {
            return None;
        }
        if reference.len() > MAX_URL_BYTES || self.references.len() + reference.len() > MAX_LINK_BYTES_PER_PAGE {
            self.cut.links += 1;
            return None;
        }
        let from = self.references.len();
        self.references.push_str(reference);
        Some(from..self.references.len())
    }

    /// Of the parts that one tag was split into, those without text are no
    /// links: nobody put them there. One always stays.
    fn drop_empty_parts(&mut self) {
        let split: HashSet<u32> = self.links.iter().filter_map(|link| link.split_from).collect();
        if split.is_empty() {
            return;
        }
        let with_text: HashSet<u32> = self
            .links
            .iter()
            .zip(0..)
            .filter(|(link, _)| !link.anchor.is_empty())
            .map(|(link, number)| link.split_from.unwrap_or(number))
            .collect();
        let mut number = 0_u32;
        self.links.retain(|link| {
            let own = number;
            number += 1;
            if !link.anchor.is_empty() || link.split_from.is_none() && !split.contains(&own) {
                return true;
            }
            link.split_from.is_none() && !with_text.contains(&own)
        });
    }

    /// Puts links in order, and says what they are resolved against: the first
    /// `base`, or the page's own URL. Where that is longer than a link may be it
    /// is dropped, and so is every link that would need it.
    fn settle(&mut self, url: &Url, charset: &'static Encoding) -> Url {
        self.drop_empty_parts();
        if !self.links.is_sorted_by_key(|link| link.order) {
            self.links.sort_by_key(|link| link.order);
        }
        let mut base = self
            .base_reference
            .take()
            .and_then(|reference| join_url(url, &reference, charset))
            .filter(|base| !matches!(base.scheme(), "data" | "javascript"))
            .unwrap_or_else(|| url.clone());
        drop_user(&mut base);
        if base[..Position::AfterQuery] == url[..Position::AfterQuery] {
            // `#place` is one in this page only where the base is the page.
            let references = &self.references;
            self.links.retain(|link| !references.get(link.reference.clone()).is_some_and(|own| own.starts_with('#')));
        }
        if base.as_str().len() <= MAX_URL_BYTES {
            return base;
        }
        let (references, before) = (&self.references, self.links.len());
        let reference_of = |link: &RawLink| references.get(link.reference.clone()).unwrap_or_default();
        self.links.retain(|link| scheme_of(reference_of(link)).is_some());
        self.cut.links += (before - self.links.len()) as u64;
        self.canonical_reference.take_if(|reference| scheme_of(reference).is_none());
        origin_of(&base)
    }

    /// Gives every link to `each`, and nothing else: the way for many pages.
    /// `charset` is what the page is written in.
    pub(crate) fn links(
        mut self,
        url: &Url,
        charset: &'static Encoding,
        mut each: impl FnMut(&PageLink<'_>),
    ) -> PageCuts {
        let base = self.settle(url, charset);
        let mut of_page = Resolver::new(&base, charset);
        let mut of_styles = Resolver::new(&base, UTF_8);
        let mut bytes = 0;
        for (number, link) in self.links.iter().enumerate() {
            if bytes > MAX_LINK_BYTES_PER_PAGE {
                self.cut.links += (self.links.len() - number) as u64;
                break;
            }
            let reference = self.references.get(link.reference.clone()).unwrap_or_default();
            let resolver = if link.kind == LinkKind::Css { &mut of_styles } else { &mut of_page };
            let Some(url) = resolver.resolve(reference) else { continue };
            let anchor = self.anchors.get(link.anchor.clone()).unwrap_or_default();
            bytes += url.as_str().len() + anchor.len();
            if bytes > MAX_LINK_BYTES_PER_PAGE || url.as_str().len() > MAX_URL_BYTES {
                self.cut.links += 1;
                continue;
            }
            let nofollow = link.nofollow || self.nofollow_all;
            each(&PageLink { url, kind: link.kind, anchor, nofollow });
        }
        // Nobody is given a `rel` here, so nothing of one is missing.
        PageCuts { rels: 0, ..self.cut }
    }

    /// Resolves everything, with title, texts and the rest. `charset` is what
    /// the page is written in.
    pub(crate) fn finish(mut self, url: &Url, charset: &'static Encoding) -> Collected {
        let base = self.settle(url, charset);
        let canonical = self.canonical_reference.take().and_then(|reference| web_url(&base, &reference, charset));
        let mut links = Vec::with_capacity(self.links.len());
        let mut bytes = 0;
        for (number, link) in self.links.iter().enumerate() {
            if bytes > MAX_LINK_BYTES_PER_PAGE {
                self.cut.links += (self.links.len() - number) as u64;
                break;
            }
            let reference = self.references.get(link.reference.clone()).unwrap_or_default();
            let charset = if link.kind == LinkKind::Css { UTF_8 } else { charset };
            let Some(url) = web_url(&base, reference, charset) else { continue };
            let anchor = self.anchors.get(link.anchor.clone()).unwrap_or_default();
            bytes += url.as_str().len() + anchor.len();
            if bytes > MAX_LINK_BYTES_PER_PAGE || url.as_str().len() > MAX_URL_BYTES {
                self.cut.links += 1;
                continue;
            }
            links.push(Outlink {
                url,
                kind: link.kind,
                anchor: anchor.to_owned(),
                rel: self.references.get(link.rel.clone()).unwrap_or_default().to_owned(),
                nofollow: link.nofollow || self.nofollow_all,
                place: link.place,
                position: u32::try_from(links.len()).unwrap_or(u32::MAX),
            });
        }
        self.break_text();
        if self.text.ends_with('\n') {
            self.text.pop();
        }
        let language = self.language.or(self.content_language);
        let mut elements = self.elements.take().unwrap_or_default();
        elements.resolve(&base, charset);
        let LayoutBuilder { layout, statements, .. } = self.layout;
        let (title, text, image_texts, cut) = (self.title, self.text, self.image_texts, self.cut);
        Collected { base, title, language, links, text, image_texts, layout, statements, elements, canonical, cut }
    }
}

/// Appends a line of an anchor, white space folded. Where it begins with some, no break was needed before it.
fn fold_line_into(text: &mut String, line: &str) {
    if text.ends_with(ANCHOR_BREAK) && line.chars().find(|c| *c != '\0').is_some_and(is_white) {
        text.pop();
        text.push(' ');
    }
    fold_into(text, line);
}

/// A link while its page is in hand; see [`Outlink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLink<'a> {
    /// Where it leads.
    pub url: Resolved<'a>,
    /// What kind of element it stands in.
    pub kind: LinkKind,
    /// Its text, folded. Hostile text.
    pub anchor: &'a str,
    /// It, or the page, says `nofollow`.
    pub nofollow: bool,
}

/// What a [`Collector`] found.
pub(crate) struct Collected {
    pub(crate) base: Url,
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) links: Vec<Outlink>,
    pub(crate) text: String,
    pub(crate) image_texts: String,
    pub(crate) layout: Layout,
    pub(crate) statements: PageStatements,
    pub(crate) elements: PageElements,
    pub(crate) canonical: Option<Url>,
    pub(crate) cut: PageCuts,
}
