//! Between the tokenizer and the tree: tags with the few attributes that
//! matter, without an allocation per tag.

use super::tag::Tag;
use foldhash::fast::FixedState;
use html5gum::{Emitter, Error, State};
use std::borrow::Cow;
use std::convert::Infallible;
use std::hash::BuildHasher;

macro_rules! attributes {
    ($($variant:ident $name:literal,)*) => {
        /// Attributes that say something about links, text or tree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Attr { $($variant,)* }

        const ATTRIBUTES: usize = [$($name.len(),)*].len();

        impl Attr {
            fn of(name: &[u8]) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

attributes! {
    Action b"action",
    Alt b"alt",
    Background b"background",
    Cite b"cite",
    Color b"color",
    Content b"content",
    Data b"data",
    Encoding b"encoding",
    Face b"face",
    Href b"href",
    HttpEquiv b"http-equiv",
    Lang b"lang",
    Longdesc b"longdesc",
    Method b"method",
    Name b"name",
    Poster b"poster",
    Rel b"rel",
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
pub(crate) struct Attributes {
    values: Vec<u8>,
    /// Where the values stand, of those whose bit is set in `present`: so a
    /// tag costs no clearing of all of them.
    slots: [(usize, usize); ATTRIBUTES],
    present: u32,
    /// The same for the same names and values in any order.
    pub(crate) hash: u64,
}

impl Attributes {
    /// The value; broken UTF-8 cannot occur, but would be marked.
    pub(crate) fn get(&self, attribute: Attr) -> Option<Cow<'_, str>> {
        let (start, end) = *self.slots.get(attribute as usize).filter(|_| self.has(attribute))?;
        self.values.get(start..end).map(String::from_utf8_lossy)
    }

    pub(crate) fn has(&self, attribute: Attr) -> bool {
        self.present & 1 << attribute as u32 != 0
    }

    fn clear(&mut self) {
        self.values.clear();
        self.present = 0;
        self.hash = 0;
    }
}

/// Who listens to the tokens.
pub(crate) trait TokenSink {
    /// A run of characters.
    fn text(&mut self, text: &str);
    /// A start tag; the answer says how its content is to be read.
    fn start_tag(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Option<State>;
    /// An end tag.
    fn end_tag(&mut self, tag: Tag);
    /// A document type declaration.
    fn doctype(&mut self, name: &[u8], public: Option<&[u8]>, system: Option<&[u8]>, force_quirks: bool);
    /// Whether the present element is of SVG or MathML (CDATA sections exist there).
    fn in_foreign(&self) -> bool;
    /// Whether text of the present element is of use.
    fn wants_text(&self) -> bool;
    /// The end.
    fn end(&mut self);
}

#[derive(Default)]
struct Doctype {
    name: Vec<u8>,
    public: Option<Vec<u8>>,
    system: Option<Vec<u8>>,
    force_quirks: bool,
}

/// Turns the tokenizer's calls into tokens.
pub(crate) struct TagReader<'s, S> {
    sink: &'s mut S,
    text: Vec<u8>,
    name: Vec<u8>,
    last_start: Vec<u8>,
    is_start: bool,
    self_closing: bool,
    attributes: Attributes,
    /// Hashes pairs of name and value.
    pairs: FixedState,
    attribute_name: Vec<u8>,
    value_start: usize,
    in_attribute: bool,
    doctype: Doctype,
}

impl<'s, S: TokenSink> TagReader<'s, S> {
    pub(crate) fn new(sink: &'s mut S) -> Self {
        Self {
            sink,
            text: Vec::new(),
            name: Vec::new(),
            last_start: Vec::new(),
            is_start: false,
            self_closing: false,
            attributes: Attributes::default(),
            pairs: FixedState::default(),
            attribute_name: Vec::new(),
            value_start: 0,
            in_attribute: false,
            doctype: Doctype::default(),
        }
    }

    fn flush_text(&mut self) {
        if !self.text.is_empty() {
            self.sink.text(&String::from_utf8_lossy(&self.text));
            self.text.clear();
        }
    }

    fn flush_attribute(&mut self) {
        if !std::mem::take(&mut self.in_attribute) {
            return;
        }
        let (start, end) = (self.value_start, self.attributes.values.len());
        if self.is_start {
            let value = self.attributes.values.get(start..end).unwrap_or_default();
            let pair = self.pairs.hash_one((self.attribute_name.as_slice(), value));
            self.attributes.hash = self.attributes.hash.wrapping_add(pair);
        }
        let known =
            Attr::of(&self.attribute_name).filter(|&attribute| self.is_start && !self.attributes.has(attribute));
        match known {
            Some(attribute) => {
                self.attributes.slots[attribute as usize] = (start, end);
                self.attributes.present |= 1 << attribute as u32;
            }
            None => self.attributes.values.truncate(start),
        }
    }

    fn init_tag(&mut self, is_start: bool) {
        self.flush_text();
        self.name.clear();
        self.attributes.clear();
        self.in_attribute = false;
        self.is_start = is_start;
        self.self_closing = false;
    }
}

impl<S: TokenSink> Emitter for TagReader<'_, S> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.flush_text();
        self.sink.end();
    }

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, characters: &[u8]) {
        if self.sink.wants_text() {
            self.text.extend_from_slice(characters);
        }
    }

    fn init_start_tag(&mut self) {
        self.init_tag(true);
    }

    fn init_end_tag(&mut self) {
        self.init_tag(false);
    }

    fn init_comment(&mut self) {
        self.flush_text();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.flush_text();
        self.flush_attribute();
        let tag = Tag::of(&self.name);
        if !self.is_start {
            self.sink.end_tag(tag);
            return None;
        }
        std::mem::swap(&mut self.last_start, &mut self.name);
        self.sink.start_tag(tag, &self.attributes, self.self_closing)
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {
        self.flush_text();
        let doctype = &self.doctype;
        self.sink.doctype(&doctype.name, doctype.public.as_deref(), doctype.system.as_deref(), doctype.force_quirks);
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn set_force_quirks(&mut self) {
        self.doctype.force_quirks = true;
    }

    fn push_tag_name(&mut self, name: &[u8]) {
        self.name.extend_from_slice(name);
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, name: &[u8]) {
        self.doctype.name.extend_from_slice(name);
    }

    fn init_doctype(&mut self) {
        self.doctype = Doctype::default();
    }

    fn init_attribute(&mut self) {
        self.flush_attribute();
        self.in_attribute = true;
        self.attribute_name.clear();
        self.value_start = self.attributes.values.len();
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        self.attribute_name.extend_from_slice(name);
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        self.attributes.values.extend_from_slice(value);
    }

    fn set_doctype_public_identifier(&mut self, value: &[u8]) {
        self.doctype.public = Some(value.to_vec());
    }

    fn set_doctype_system_identifier(&mut self, value: &[u8]) {
        self.doctype.system = Some(value.to_vec());
    }

    fn push_doctype_public_identifier(&mut self, value: &[u8]) {
        self.doctype.public.get_or_insert_default().extend_from_slice(value);
    }

    fn push_doctype_system_identifier(&mut self, value: &[u8]) {
        self.doctype.system.get_or_insert_default().extend_from_slice(value);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        !self.is_start && !self.last_start.is_empty() && self.name == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.sink.in_foreign()
    }
}
