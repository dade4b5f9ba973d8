//! Tokens between the tokenizer and the tree: tags with the few attributes that matter, and text, as slices
//! of the page. References in them are decoded on demand.

use super::tag::Tag;
use super::tokenizer::{MAX_PACKED, Reading, decode, is_blank, pack};
use std::borrow::Cow;

macro_rules! attributes {
    ($($variant:ident $name:literal,)*) => {
        /// Attributes that say something about links, text or tree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Attr { $($variant,)* }

        const ATTRIBUTES: usize = [$($name.len(),)*].len();

        impl Attr {
            pub(crate) const ALL: [Self; ATTRIBUTES] = [$(Self::$variant,)*];

            /// The names as numbers.
            const PACKED: [u128; ATTRIBUTES] = [$(pack($name),)*];
        }
    };
}

/// Places of [`PLACES`]: some five times as many as there are names make it easy
/// to find a factor that gives each its own.
const PLACE_BITS: u32 = 8;

/// The name, by its number, that alone can stand at a place.
const PLACES: [u8; 1 << PLACE_BITS] = {
    let mut places = [u8::MAX; 1 << PLACE_BITS];
    let mut at = 0;
    while at < ATTRIBUTES {
        places[place_of(Attr::PACKED[at], FACTOR)] = at as u8;
        at += 1;
    }
    places
};

/// The first factor that parts all names.
const FACTOR: u64 = {
    let mut factor = 0x9e37_79b9_7f4a_7c15_u64;
    while !parts_all(factor) {
        factor = factor.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(2);
    }
    factor
};

const fn parts_all(factor: u64) -> bool {
    let mut taken = [false; 1 << PLACE_BITS];
    let mut at = 0;
    while at < ATTRIBUTES {
        let place = place_of(Attr::PACKED[at], factor);
        if taken[place] {
            return false;
        }
        taken[place] = true;
        at += 1;
    }
    true
}

const fn place_of(packed: u128, factor: u64) -> usize {
    let folded = packed as u64 ^ ((packed >> 64) as u64).rotate_left(17);
    (folded.wrapping_mul(factor) >> (u64::BITS - PLACE_BITS)) as usize
}

impl Attr {
    /// From the name's length and the number that it is packed into. Pages
    /// have hundreds of attributes: one comparison, where a search among all
    /// names takes a branch that cannot be foreseen for each step.
    pub(crate) fn of(packed: u128, length: usize) -> Option<Self> {
        let at = usize::from(PLACES[place_of(packed, FACTOR)]);
        let is_it = Self::PACKED.get(at).is_some_and(|name| *name == packed) && length <= MAX_PACKED;
        Self::ALL.get(at).copied().filter(|_| is_it)
    }
}

attributes! {
    Action b"action",
    Alt b"alt",
    Archive b"archive",
    AriaHidden b"aria-hidden",
    Background b"background",
    Cite b"cite",
    Class b"class",
    Color b"color",
    Content b"content",
    Data b"data",
    DataBg b"data-bg",
    DataFullSrc b"data-full-src",
    DataLazySrc b"data-lazy-src",
    DataLazySrcset b"data-lazy-srcset",
    DataOriginal b"data-original",
    DataSrc b"data-src",
    DataSrcset b"data-srcset",
    Datetime b"datetime",
    Encoding b"encoding",
    Face b"face",
    Height b"height",
    Hidden b"hidden",
    Href b"href",
    HttpEquiv b"http-equiv",
    Id b"id",
    Imagesrcset b"imagesrcset",
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
    Srcdoc b"srcdoc",
    Srcset b"srcset",
    Style b"style",
    Type b"type",
    Value b"value",
    Width b"width",
    XlinkHref b"xlink:href",
    XmlLang b"xml:lang",
}

/// Attributes that scripts read the address of a file from, to load it once it is near the part of a page that a
/// reader sees.
const LAZY: u64 = {
    let names = [
        Attr::DataBg,
        Attr::DataFullSrc,
        Attr::DataLazySrc,
        Attr::DataLazySrcset,
        Attr::DataOriginal,
        Attr::DataSrc,
        Attr::DataSrcset,
    ];
    let (mut set, mut at) = (0, 0);
    while at < names.len() {
        set |= 1 << names[at] as u64;
        at += 1;
    }
    set
};

/// The attributes of the tag in hand. Of repeated ones the first counts.
pub(crate) struct Attributes<'i> {
    input: &'i str,
    /// Where the values stand in the input, of those whose bit is set in
    /// `present`: so a tag costs no clearing of all of them.
    slots: [(usize, usize); ATTRIBUTES],
    present: u64,
    /// Where the name of the element begins and ends.
    pub(super) name: (usize, usize),
    /// Behind the tag.
    pub(super) tag_end: usize,
    /// Of formatting elements: the same for the same attributes.
    pub(crate) hash: u64,
}

impl Default for Attributes<'_> {
    fn default() -> Self {
        Self::of("")
    }
}

impl<'i> Attributes<'i> {
    pub(crate) fn of(input: &'i str) -> Self {
        Self { input, slots: [(0, 0); ATTRIBUTES], present: 0, name: (0, 0), tag_end: 0, hash: 0 }
    }

    /// The value.
    pub(crate) fn get(&self, attribute: Attr) -> Option<Cow<'i, str>> {
        let (start, end) = *self.slots.get(attribute as usize).filter(|_| self.has(attribute))?;
        Some(decode(self.input.get(start..end)?, Reading::Attribute))
    }

    pub(crate) fn has(&self, attribute: Attr) -> bool {
        self.present & 1 << attribute as u64 != 0
    }

    /// Whether one of them is read by scripts alone ([`LAZY`]).
    pub(crate) fn has_lazy(&self) -> bool {
        self.present & LAZY != 0
    }

    pub(crate) fn clear(&mut self) {
        self.present = 0;
        self.hash = 0;
    }

    /// The value stands at `place` in the input.
    pub(crate) fn add(&mut self, attribute: Attr, place: (usize, usize)) {
        if !self.has(attribute) {
            self.slots[attribute as usize] = place;
            self.present |= 1 << attribute as u64;
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

    /// Its length in the input, in bytes.
    pub(super) fn len_bytes(self) -> usize {
        self.raw.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_in_any_case_and_no_other() {
        for (attribute, packed) in Attr::ALL.into_iter().zip(Attr::PACKED) {
            assert_eq!(Attr::of(packed, 1), Some(attribute));
            assert_eq!(Attr::of(packed, MAX_PACKED + 1), None, "the end of a longer name");
            assert_eq!(Attr::of(packed << 8 | u128::from(b'x'), 2), None);
        }
        assert_eq!(Attr::of(pack(b"HREF"), 4), Some(Attr::Href));
        for other in [&b""[..], b"h", b"hre", b"xhref", b"data-href", b"data-srx", b"onclick", b"widths", b"heigh"] {
            assert_eq!(Attr::of(pack(other), other.len()), None);
        }
    }
}
