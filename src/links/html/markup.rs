//! Tags and raw text of a page with their places, for code that changes parts of a page and leaves all other bytes.
//!
//! Elements are read without a tree. So what misnested tags of SVG and MathML do to the content of `style`, `script`
//! and `title` is known as far as the tags themselves tell it.

use super::tag::Tag;
use super::tokenizer::{Reading, TagPart, decode, next_part, tokenize};
use super::tokens::{Attributes, Content, Doctype, Text, TokenSink};
use std::borrow::Cow;
use std::ops::Range;

/// Elements of SVG and MathML inside each other that are followed; those in a deeper one are read as HTML.
const MAX_FOREIGN: usize = 512;

/// An attribute as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttributePlace {
    pub(crate) name: Range<usize>,
    /// Without its quotes; empty where there is none.
    pub(crate) value: Range<usize>,
    /// The quote around it.
    pub(crate) quote: Option<u8>,
}

/// A start tag.
#[derive(Debug, Clone)]
pub(crate) struct StartTag<'i> {
    pub(crate) tag: Tag,
    /// Name of the element as it is written.
    pub(crate) name: &'i str,
    /// From its `<` to behind its `>`.
    pub(crate) place: Range<usize>,
    /// Without repeated ones, of which the first counts.
    pub(crate) attributes: Vec<AttributePlace>,
}

/// A part of a page.
#[derive(Debug, Clone)]
pub(crate) enum MarkupPart<'i> {
    Start(StartTag<'i>),
    /// The content of a `script` or `style` element, whose start tag came before it.
    RawText(Tag, Range<usize>),
}

/// The characters that an attribute's value means.
pub(crate) fn decode_attribute(raw: &str) -> Cow<'_, str> {
    decode(raw, Reading::Attribute)
}

/// Calls `each` with the start tags of a page and the content of scripts and sheets, in their order.
pub(crate) fn each_markup<'i>(page: &'i str, each: impl FnMut(MarkupPart<'i>)) {
    tokenize(page, &mut Places { page, each, raw: None, foreign: Vec::new() });
}

struct Places<'i, F> {
    page: &'i str,
    each: F,
    /// The element whose content comes next, and where that begins.
    raw: Option<(Tag, usize)>,
    /// Open elements that decide whether a tag is one of HTML, and whether it is not.
    foreign: Vec<(Tag, bool)>,
}

impl<'i, F: FnMut(MarkupPart<'i>)> Places<'i, F> {
    fn is_foreign(&self) -> bool {
        self.foreign.last().is_some_and(|(_, is_foreign)| *is_foreign)
    }

    fn attributes(&self, mut at: usize) -> Vec<AttributePlace> {
        let bytes = self.page.as_bytes();
        let mut attributes: Vec<AttributePlace> = Vec::new();
        while let Some(TagPart::Attribute { name, value, end, .. }) = next_part(bytes, at) {
            at = end;
            let text = |place: Range<usize>| self.page.get(place).unwrap_or_default();
            let is_new =
                attributes.iter().all(|own| !text(own.name.clone()).eq_ignore_ascii_case(text(name.0..name.1)));
            // A tag of very many attributes is no tag of a person: the first ones count.
            if is_new && attributes.len() < 200 {
                let quote = bytes.get(value.0.wrapping_sub(1)).copied();
                let quote =
                    quote.filter(|quote| matches!(quote, b'"' | b'\'') && value.0 > name.1 && end == value.1 + 1);
                attributes.push(AttributePlace { name: name.0..name.1, value: value.0..value.1, quote });
            }
        }
        attributes
    }
}

impl<'i, F: FnMut(MarkupPart<'i>)> TokenSink for Places<'i, F> {
    fn text(&mut self, text: Text<'_>) {
        if let Some((tag, start)) = self.raw.take()
            && matches!(tag, Tag::SCRIPT | Tag::STYLE)
        {
            (self.each)(MarkupPart::RawText(tag, start..start + text.len_bytes()));
        }
    }

    fn start_tag(&mut self, tag: Tag, attributes: &Attributes<'_>, self_closing: bool) -> Option<Content> {
        let (start, end) = attributes.name;
        let name = self.page.get(start..end).unwrap_or_default();
        let place = start - 1..attributes.tag_end;
        let own = self.attributes(end);
        (self.each)(MarkupPart::Start(StartTag { tag, name, place, attributes: own }));
        self.raw = None;
        if self.is_foreign() && tag.leaves_foreign() {
            self.foreign.clear();
        }
        let is_foreign = self.is_foreign();
        let opens = match tag {
            Tag::SVG | Tag::MATH => Some(true),
            Tag::FOREIGNOBJECT | Tag::DESC | Tag::TITLE | Tag::ANNOTATION_XML if is_foreign => Some(false),
            _ => None,
        };
        if let Some(opens) = opens
            && !self_closing
            && self.foreign.len() < MAX_FOREIGN
        {
            self.foreign.push((tag, opens));
        }
        if is_foreign {
            return None;
        }
        let content = match tag {
            Tag::TITLE | Tag::TEXTAREA => Content::RcData,
            Tag::SCRIPT => Content::ScriptData,
            Tag::STYLE | Tag::XMP | Tag::IFRAME | Tag::NOEMBED | Tag::NOFRAMES => Content::RawText,
            Tag::PLAINTEXT => Content::PlainText,
            _ => return None,
        };
        self.raw = Some((tag, attributes.tag_end));
        Some(content)
    }

    fn end_tag(&mut self, tag: Tag) {
        self.raw = None;
        if let Some(open) = self.foreign.iter().rposition(|(open, _)| *open == tag) {
            self.foreign.truncate(open);
        }
    }

    fn doctype(&mut self, _: &Doctype<'_>) {}

    fn in_foreign(&self) -> bool {
        self.is_foreign()
    }

    fn end(&mut self) {}
}
