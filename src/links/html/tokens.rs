//! Between the tokenizer and the tree: tags with the few attributes that
//! matter, and text, as slices of the page. What they stand for is decoded
//! when somebody asks.

use super::tag::Tag;
use super::tokenizer::{MAX_PACKED, Reading, decode, is_blank};
use std::borrow::Cow;

macro_rules! attributes {
    ($($variant:ident $name:literal,)*) => {
        /// Attributes that say something about links, text or tree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Attr { $($variant,)* }

        const ATTRIBUTES: usize = [$($name.len(),)*].len();

        #[cfg(test)]
        impl Attr {
            pub(crate) const ALL: [Self; ATTRIBUTES] = [$(Self::$variant,)*];
        }

        /// The names as numbers.
        #[allow(non_upper_case_globals)]
        mod packed {
            $(pub(super) const $variant: u128 = crate::links::html::tokenizer::pack($name);)*
        }

        impl Attr {
            /// From the name's length and the number that it is packed into.
            pub(crate) fn of(packed: u128, length: usize) -> Option<Self> {
                match packed {
                    _ if length > MAX_PACKED => None,
                    $(packed::$variant => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

attributes! {
    Action b"action",
    Alt b"alt",
    AriaHidden b"aria-hidden",
    Background b"background",
    Cite b"cite",
    Class b"class",
    Color b"color",
    Content b"content",
    Data b"data",
    Datetime b"datetime",
    Encoding b"encoding",
    Face b"face",
    Hidden b"hidden",
    Href b"href",
    HttpEquiv b"http-equiv",
    Id b"id",
    Itemprop b"itemprop",
    Lang b"lang",
    Longdesc b"longdesc",
    Method b"method",
    Name b"name",
    Poster b"poster",
    Property b"property",
    Rel b"rel",
    Role b"role",
    Size b"size",
    Src b"src",
    Srcset b"srcset",
    Style b"style",
    Type b"type",
    XlinkHref b"xlink:href",
    XmlLang b"xml:lang",
}

/// The attributes of the tag in hand. Of repeated ones the first counts.
#[derive(Default)]
pub(crate) struct Attributes<'i> {
    input: &'i str,
    /// Where the values stand in the input, of those whose bit is set in
    /// `present`: so a tag costs no clearing of all of them.
    slots: [(usize, usize); ATTRIBUTES],
    present: u32,
    /// Of formatting elements: the same for the same attributes.
    pub(crate) hash: u64,
}

impl<'i> Attributes<'i> {
    pub(crate) fn of(input: &'i str) -> Self {
        Self { input, ..Self::default() }
    }

    /// The value.
    pub(crate) fn get(&self, attribute: Attr) -> Option<Cow<'i, str>> {
        let (start, end) = *self.slots.get(attribute as usize).filter(|_| self.has(attribute))?;
        Some(decode(self.input.get(start..end)?, Reading::Attribute))
    }

    pub(crate) fn has(&self, attribute: Attr) -> bool {
        self.present & 1 << attribute as u32 != 0
    }

    pub(crate) fn clear(&mut self) {
        self.present = 0;
        self.hash = 0;
    }

    /// The value stands at `place` in the input.
    pub(crate) fn add(&mut self, attribute: Attr, place: (usize, usize)) {
        if !self.has(attribute) {
            self.slots[attribute as usize] = place;
            self.present |= 1 << attribute as u32;
        }
    }
}

/// A run of text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'i> {
    raw: &'i str,
    reading: Reading,
}

impl<'i> Text<'i> {
    pub(super) fn new(raw: &'i str, reading: Reading) -> Self {
        Self { raw, reading }
    }

    /// The characters.
    pub(crate) fn decoded(self) -> Cow<'i, str> {
        decode(self.raw, self.reading)
    }

    /// Whether it is nothing but ASCII white space and NUL.
    pub(crate) fn is_blank(self) -> bool {
        is_blank(self.raw, self.reading)
    }
}

/// How an element is read whose content is text as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    RcData,
    RawText,
    ScriptData,
    PlainText,
}

/// A document type declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Doctype<'i> {
    /// In lower case; empty where there is none.
    pub(crate) name: String,
    pub(crate) public: Option<Cow<'i, str>>,
    pub(crate) system: Option<Cow<'i, str>>,
    /// It is broken.
    pub(crate) force_quirks: bool,
}

/// Who listens to the tokens.
pub(crate) trait TokenSink {
    /// A run of characters.
    fn text(&mut self, text: Text<'_>);
    /// A start tag; the answer says how its content is to be read.
    fn start_tag(&mut self, tag: Tag, attributes: &Attributes<'_>, self_closing: bool) -> Option<Content>;
    /// An end tag.
    fn end_tag(&mut self, tag: Tag);
    /// A document type declaration.
    fn doctype(&mut self, doctype: &Doctype<'_>);
    /// Whether the present element is of SVG or MathML (CDATA sections exist there).
    fn in_foreign(&self) -> bool;
    /// The end.
    fn end(&mut self);
}
