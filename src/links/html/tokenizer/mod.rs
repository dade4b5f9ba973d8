//! HTML into tokens, by the rules of the HTML standard's tokenizer (13.2.5).
//!
//! In: a text. Out: calls of a [`TokenSink`]. Tokens are slices of the text:
//! nothing is copied, and what nobody asks for is not decoded either.
//!
//! Invariants: the time is linear in the length of the text, whatever it
//! holds; every byte is looked at a few times at most.
//!
//! Not here: parse errors, the content of comments.

mod doctype;
mod references;
mod script;

pub(super) use references::is_blank;
pub(in crate::links) use references::{Reading, decode};

use super::tag::Tag;
use super::tokens::{Attr, Attributes, Content, Text, TokenSink};
use foldhash::fast::FixedState;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// Gives the tokens of a text to `sink`.
pub(super) fn tokenize<S: TokenSink>(input: &str, sink: &mut S) {
    let attributes = Attributes::of(input);
    Tokenizer { input, bytes: input.as_bytes(), at: 0, sink, attributes, pairs: Pairs::default() }.run();
}

/// What begins with a `<`.
enum Markup {
    Start,
    End,
    /// `<!`
    Declaration,
    /// What is passed over up to the next `>`.
    Bogus,
}

struct Tokenizer<'i, 's, S> {
    input: &'i str,
    bytes: &'i [u8],
    at: usize,
    sink: &'s mut S,
    /// Those of the tag in hand.
    attributes: Attributes<'i>,
    pairs: Pairs,
}

impl<S: TokenSink> Tokenizer<'_, '_, S> {
    fn run(mut self) {
        while self.token().is_some() {}
        self.sink.end();
    }

    /// Text up to the next markup, and the markup; nothing where the text ends
    /// before or inside it.
    fn token(&mut self) -> Option<()> {
        let from = self.at;
        let Some((at, markup)) = self.find_markup() else {
            self.give_text(from, self.bytes.len(), Reading::Data);
            return None;
        };
        self.give_text(from, at, Reading::Data);
        self.at = at;
        match markup {
            Markup::Start => self.start_tag(),
            Markup::End => self.end_tag(),
            Markup::Declaration => self.declaration(),
            Markup::Bogus => self.bogus_comment(),
        }
    }

    #[inline]
    fn find_markup(&self) -> Option<(usize, Markup)> {
        let mut at = self.at;
        loop {
            // Often one tag follows the other.
            if *self.bytes.get(at)? != b'<' {
                at += memchr::memchr(b'<', self.bytes.get(at..)?)?;
            }
            let markup = match *self.bytes.get(at + 1)? {
                byte if byte.is_ascii_alphabetic() => Markup::Start,
                b'/' => match *self.bytes.get(at + 2)? {
                    byte if byte.is_ascii_alphabetic() => Markup::End,
                    _ => Markup::Bogus,
                },
                b'!' => Markup::Declaration,
                b'?' => Markup::Bogus,
                _ => {
                    at += 1;
                    continue;
                }
            };
            return Some((at, markup));
        }
    }

    #[inline]
    fn give_text(&mut self, from: usize, to: usize, reading: Reading) {
        if from < to {
            self.sink.text(Text::new(self.input.get(from..to).unwrap_or_default(), reading));
        }
    }

    fn start_tag(&mut self) -> Option<()> {
        let name_start = self.at + 1;
        let tag = self.tag_name(name_start)?;
        let name_end = self.at;
        self.attributes.clear();
        self.attributes.name = (name_start, name_end);
        // Formatting elements are compared by their attributes. `a` is too
        // frequent for that, and hardly ever compared, since one ends the
        // other: its tags are equal where they are written alike.
        let compared = tag.is_formatting() && tag != Tag::A;
        let self_closing = self.rest_of_tag(true, compared)?;
        if compared {
            self.attributes.hash = self.pairs.take();
        } else if tag == Tag::A {
            self.attributes.hash = self.pairs.state.hash_one(self.bytes.get(name_end..self.at)?);
        }
        self.attributes.tag_end = self.at;
        match self.sink.start_tag(tag, &self.attributes, self_closing) {
            None => Some(()),
            Some(content) => self.content(content, name_start, name_end),
        }
    }

    /// The content of an element that is text as a whole, and its end tag.
    #[cold]
    fn content(&mut self, content: Content, name_start: usize, name_end: usize) -> Option<()> {
        let from = self.at;
        let name = self.bytes.get(name_start..name_end)?;
        let end = match content {
            Content::PlainText => None,
            Content::ScriptData => script::script_end(self.bytes, from),
            Content::RcData | Content::RawText => script::end_tag_of(name, self.bytes, from),
        };
        let reading = if content == Content::RcData { Reading::RcData } else { Reading::Raw };
        self.give_text(from, end.unwrap_or(self.bytes.len()), reading);
        self.at = end?;
        self.end_tag()
    }

    fn end_tag(&mut self) -> Option<()> {
        let tag = self.tag_name(self.at + 2)?;
        self.rest_of_tag(false, false)?;
        self.sink.end_tag(tag);
        Some(())
    }

    /// Reads the name that begins at `start` and stops behind it.
    fn tag_name(&mut self, start: usize) -> Option<Tag> {
        let (mut at, mut packed) = (start, 0);
        loop {
            let byte = *self.bytes.get(at)?;
            if ends_tag_name(byte) {
                break;
            }
            packed = pack_byte(packed, byte);
            at += 1;
        }
        self.at = at;
        Some(Tag::of(packed, self.bytes.get(start..at)?))
    }

    /// Reads attributes up to the end of the tag; the answer says whether it
    /// ends with `/>`. `keep` those that matter, and `compare` all.
    fn rest_of_tag(&mut self, keep: bool, compare: bool) -> Option<bool> {
        loop {
            match next_part(self.bytes, self.at)? {
                TagPart::End { self_closing, end } => {
                    self.at = end;
                    return Some(self_closing);
                }
                TagPart::Attribute { name, packed, value, end } => {
                    self.at = end;
                    if keep && let Some(attribute) = Attr::of(packed, name.1 - name.0) {
                        self.attributes.add(attribute, value);
                    }
                    if compare {
                        let name = self.input.get(name.0..name.1).unwrap_or_default();
                        self.pairs.add(name, self.input.get(value.0..value.1).unwrap_or_default());
                    }
                }
            }
        }
    }

    /// `<!` and what follows.
    #[cold]
    fn declaration(&mut self) -> Option<()> {
        let start = self.at + 2;
        let rest = self.bytes.get(start..)?;
        if rest.starts_with(b"--") {
            self.at = script::comment_end(self.bytes, start + 2)?;
        } else if rest.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"doctype")) {
            let (doctype, end) = doctype::read_doctype(self.input, start + 7);
            self.sink.doctype(&doctype);
            self.at = end?;
        } else if rest.starts_with(b"[CDATA[") && self.sink.in_foreign() {
            let from = start + 7;
            let end = memchr::memmem::find(self.bytes.get(from..)?, b"]]>").map(|length| from + length);
            self.give_text(from, end.unwrap_or(self.bytes.len()), Reading::Cdata);
            self.at = end? + 3;
        } else {
            return self.bogus_comment();
        }
        Some(())
    }

    #[cold]
    fn bogus_comment(&mut self) -> Option<()> {
        self.at += 1 + memchr::memchr(b'>', self.bytes.get(self.at..)?)?;
        Some(())
    }
}

/// What comes next in a start or end tag behind its name.
pub(in crate::links) enum TagPart {
    /// An attribute: where its name and its value begin and end, the name as a number, and where to read on.
    Attribute { name: (usize, usize), packed: u128, value: (usize, usize), end: usize },
    /// The end of the tag, which may be `/>`.
    End { self_closing: bool, end: usize },
}

/// Reads on in a tag; nothing where the text ends before it.
#[inline(always)]
pub(in crate::links) fn next_part(bytes: &[u8], mut at: usize) -> Option<TagPart> {
    let mut byte;
    loop {
        at = skip_space(bytes, at);
        byte = *bytes.get(at)?;
        if byte == b'>' {
            return Some(TagPart::End { self_closing: false, end: at + 1 });
        }
        if byte != b'/' {
            break;
        }
        at += 1;
        if *bytes.get(at)? == b'>' {
            return Some(TagPart::End { self_closing: true, end: at + 1 });
        }
    }
    let name_start = at;
    // The first byte is part of the name, whatever it is: `=` too.
    let mut packed = 0;
    loop {
        packed = pack_byte(packed, byte);
        at += 1;
        byte = *bytes.get(at)?;
        if CLASSES[usize::from(byte)] & ENDS_ATTRIBUTE_NAME != 0 {
            break;
        }
    }
    let name = (name_start, at);
    if byte != b'=' {
        at = skip_space(bytes, at);
        byte = *bytes.get(at)?;
    }
    let mut value = (at, at);
    if byte == b'=' {
        at = skip_space(bytes, at + 1);
        match *bytes.get(at)? {
            quote @ (b'"' | b'\'') => {
                let start = at + 1;
                let end = start + memchr::memchr(quote, bytes.get(start..)?)?;
                value = (start, end);
                at = end + 1;
            }
            _ => {
                let start = at;
                while CLASSES[usize::from(*bytes.get(at)?)] & ENDS_VALUE == 0 {
                    at += 1;
                }
                value = (start, at);
            }
        }
    }
    Some(TagPart::Attribute { name, packed, value, end: at })
}

/// Names and values of one tag's attributes, to compare it with others.
#[derive(Default)]
struct Pairs {
    /// Hashes of name and of name and value.
    hashes: Vec<(u64, u64)>,
    state: FixedState,
}

impl Pairs {
    fn add(&mut self, name: &str, value: &str) {
        let mut name = decode(name, Reading::Raw);
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            name = Cow::Owned(name.to_ascii_lowercase());
        }
        let value = decode(value, Reading::Attribute);
        self.hashes.push((self.state.hash_one(&name), self.state.hash_one((&name, &value))));
    }

    /// The same for the same pairs in any order. Of repeated names the first counts.
    fn take(&mut self) -> u64 {
        self.hashes.sort_by_key(|(name, _)| *name);
        self.hashes.dedup_by_key(|(name, _)| *name);
        self.hashes.drain(..).fold(0, |sum, (_, pair)| sum.wrapping_add(pair))
    }
}

const IS_SPACE: u8 = 1;
const ENDS_TAG_NAME: u8 = 2;
const ENDS_ATTRIBUTE_NAME: u8 = 4;
const ENDS_VALUE: u8 = 8;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let spaces = b"\t\n\x0c\r ";
    let mut at = 0;
    while at < spaces.len() {
        classes[spaces[at] as usize] = IS_SPACE | ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_VALUE;
        at += 1;
    }
    classes[b'/' as usize] = ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME;
    classes[b'>' as usize] = ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_VALUE;
    classes[b'=' as usize] = ENDS_ATTRIBUTE_NAME;
    classes
};

#[inline]
fn is_space(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & IS_SPACE != 0
}

#[inline]
fn ends_tag_name(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & ENDS_TAG_NAME != 0
}

#[inline]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

/// Longest name that fits into a number, in bytes.
pub(super) const MAX_PACKED: usize = 16;

/// Appends a byte of a name, in lower case, to the number that stands for it.
/// NUL becomes what no name holds, so that none is taken for a shorter one.
#[inline]
pub(super) const fn pack_byte(packed: u128, byte: u8) -> u128 {
    let byte = if byte == 0 { 0xff } else { byte.to_ascii_lowercase() };
    packed << 8 | byte as u128
}

/// The number that stands for a name of at most [`MAX_PACKED`] bytes.
pub(super) const fn pack(name: &[u8]) -> u128 {
    assert!(name.len() <= MAX_PACKED);
    let (mut packed, mut at) = (0, 0);
    while at < name.len() {
        packed = pack_byte(packed, name[at]);
        at += 1;
    }
    packed
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
