//! Compares the tokens with those of html5gum, another tokenizer that follows the standard.

use super::*;
use crate::links::html::tokens::Doctype;
use html5gum::{Emitter, State};
use proptest::prelude::*;
use std::convert::Infallible;

/// A token, all of it decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DecodedToken {
    /// Bytes, as the other tokenizer cuts characters.
    Text(Vec<u8>),
    Start {
        tag: Tag,
        attributes: Vec<(Attr, String)>,
        hash: u64,
        self_closing: bool,
    },
    End(Tag),
    Doctype(Doctype<'static>),
    Eof,
}

/// Takes tokens of both, and asks for the content of elements as a tree would.
#[derive(Default)]
struct Recorder {
    tokens: Vec<DecodedToken>,
    foreign: u32,
}

impl Recorder {
    fn text(&mut self, text: &[u8]) {
        match self.tokens.last_mut() {
            Some(DecodedToken::Text(before)) => before.extend_from_slice(text),
            _ if text.is_empty() => {}
            _ => self.tokens.push(DecodedToken::Text(text.to_vec())),
        }
    }

    fn start(&mut self, tag: Tag, attributes: Vec<(Attr, String)>, hash: u64, self_closing: bool) -> Option<Content> {
        self.tokens.push(DecodedToken::Start { tag, attributes, hash, self_closing });
        if self.foreign > 0 || matches!(tag, Tag::SVG | Tag::MATH) {
            self.foreign += u32::from(matches!(tag, Tag::SVG | Tag::MATH) && !self_closing);
            return None;
        }
        match tag {
            Tag::TITLE | Tag::TEXTAREA => Some(Content::RcData),
            Tag::STYLE | Tag::XMP | Tag::IFRAME => Some(Content::RawText),
            Tag::SCRIPT => Some(Content::ScriptData),
            Tag::PLAINTEXT => Some(Content::PlainText),
            _ => None,
        }
    }

    fn end(&mut self, tag: Tag) {
        self.foreign = self.foreign.saturating_sub(u32::from(matches!(tag, Tag::SVG | Tag::MATH)));
        self.tokens.push(DecodedToken::End(tag));
    }
}

impl TokenSink for Recorder {
    fn text(&mut self, text: Text<'_>) {
        let decoded = text.decoded();
        let blank = |byte| matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | 0);
        assert_eq!(text.is_blank(), decoded.bytes().all(blank), "{text:?}");
        self.text(decoded.as_bytes());
    }

    fn start_tag(&mut self, tag: Tag, attributes: &Attributes<'_>, self_closing: bool) -> Option<Content> {
        let values = Attr::ALL.iter().filter_map(|&attribute| {
            let value = attributes.get(attribute);
            assert_eq!(attributes.has(attribute), value.is_some());
            Some((attribute, value?.into_owned()))
        });
        let hash = if tag == Tag::A { 0 } else { attributes.hash };
        self.start(tag, values.collect(), hash, self_closing)
    }

    fn end_tag(&mut self, tag: Tag) {
        self.end(tag);
    }

    fn doctype(&mut self, doctype: &Doctype<'_>) {
        let owned = |identifier: &Option<Cow<'_, str>>| identifier.as_ref().map(|text| Cow::Owned(text.to_string()));
        self.tokens.push(DecodedToken::Doctype(Doctype {
            name: doctype.name.clone(),
            public: owned(&doctype.public),
            system: owned(&doctype.system),
            force_quirks: doctype.force_quirks,
        }));
    }

    fn in_foreign(&self) -> bool {
        self.foreign > 0
    }

    fn end(&mut self) {
        self.tokens.push(DecodedToken::Eof);
    }
}

/// The other tokenizer's calls.
#[derive(Default)]
struct Other<'r> {
    recorder: Option<&'r mut Recorder>,
    name: Vec<u8>,
    last_start: Vec<u8>,
    is_start: bool,
    self_closing: bool,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    doctype: Doctype<'static>,
    doctype_name: Vec<u8>,
}

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

impl Other<'_> {
    fn recorder(&mut self) -> &mut Recorder {
        self.recorder.as_mut().unwrap()
    }

    fn init_tag(&mut self, is_start: bool) {
        self.name.clear();
        self.attributes.clear();
        (self.is_start, self.self_closing) = (is_start, false);
    }
}

fn packed_name(name: &[u8]) -> u128 {
    name.iter().copied().fold(0, pack_byte)
}

impl Emitter for Other<'_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start = last_start_tag.unwrap_or_default().to_vec();
    }

    fn emit_eof(&mut self) {
        self.recorder().tokens.push(DecodedToken::Eof);
    }

    fn emit_error(&mut self, _: html5gum::Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, characters: &[u8]) {
        self.recorder().text(characters);
    }

    fn init_start_tag(&mut self) {
        self.init_tag(true);
    }

    fn init_end_tag(&mut self) {
        self.init_tag(false);
    }

    fn init_comment(&mut self) {}

    fn emit_current_tag(&mut self) -> Option<State> {
        let tag = Tag::of(packed_name(&self.name), &self.name);
        if !self.is_start {
            self.recorder().end(tag);
            return None;
        }
        let mut known: Vec<(Attr, String)> = Vec::new();
        let mut pairs = Pairs::default();
        for (name, value) in &self.attributes {
            let (name, value) = (utf8(name), utf8(value));
            pairs.hashes.push((pairs.state.hash_one(name), pairs.state.hash_one((name, value))));
            if let Some(attribute) = Attr::of(packed_name(name.as_bytes()), name.len())
                && known.iter().all(|(other, _)| *other != attribute)
            {
                known.push((attribute, value.to_owned()));
            }
        }
        known.sort_by_key(|(attribute, _)| *attribute as usize);
        let hash = if tag.is_formatting() && tag != Tag::A { pairs.take() } else { 0 };
        self.last_start.clone_from(&self.name);
        let self_closing = self.self_closing;
        self.recorder().start(tag, known, hash, self_closing).map(|content| match content {
            Content::RcData => State::RcData,
            Content::RawText => State::RawText,
            Content::ScriptData => State::ScriptData,
            Content::PlainText => State::PlainText,
        })
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {
        let doctype = Doctype { name: utf8(&self.doctype_name).to_owned(), ..self.doctype.clone() };
        self.recorder().tokens.push(DecodedToken::Doctype(doctype));
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
        self.doctype_name.extend_from_slice(name);
    }

    fn init_doctype(&mut self) {
        self.doctype = Doctype::default();
        self.doctype_name.clear();
    }

    fn init_attribute(&mut self) {
        self.attributes.push(Default::default());
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        self.attributes.last_mut().unwrap().0.extend_from_slice(name);
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        self.attributes.last_mut().unwrap().1.extend_from_slice(value);
    }

    fn set_doctype_public_identifier(&mut self, value: &[u8]) {
        self.doctype.public = Some(Cow::Owned(utf8(value).to_owned()));
    }

    fn set_doctype_system_identifier(&mut self, value: &[u8]) {
        self.doctype.system = Some(Cow::Owned(utf8(value).to_owned()));
    }

    fn push_doctype_public_identifier(&mut self, value: &[u8]) {
        self.doctype.public.get_or_insert_default().to_mut().push_str(utf8(value));
    }

    fn push_doctype_system_identifier(&mut self, value: &[u8]) {
        self.doctype.system.get_or_insert_default().to_mut().push_str(utf8(value));
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        !self.is_start && !self.last_start.is_empty() && self.name == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.recorder().foreign > 0
    }
}

fn own_tokens(html: &str) -> Vec<DecodedToken> {
    let mut recorder = Recorder::default();
    tokenize(html, &mut recorder);
    recorder.tokens
}

fn other_tokens(html: &str) -> Vec<DecodedToken> {
    let mut recorder = Recorder::default();
    let other = Other { recorder: Some(&mut recorder), ..Other::default() };
    let Ok(()) = html5gum::Tokenizer::new_with_emitter(html, other).finish();
    recorder.tokens
}

#[track_caller]
fn check(html: &str) {
    assert_eq!(own_tokens(html), other_tokens(html), "{html:?}");
}

#[test]
fn every_pair_of_pieces_gives_the_same_tokens() {
    for first in PIECES {
        for second in PIECES {
            check(&format!("{first}{second}"));
            check(&format!("<a {first} b{second}c='{first}'>d{second}"));
        }
    }
}

#[test]
fn every_named_reference_gives_the_same_characters() {
    for line in include_str!("references.txt").lines() {
        let name = line.split(['?', ' ']).next().unwrap();
        for end in [";", "", "=", "x", " ", ";x"] {
            let html = format!("&{name}{end}<a href=\"&{name}{end}\" src=&{name}{end}>");
            check(&html);
        }
        let cut = &name[..name.len() - 1];
        check(&format!("&{cut};&{cut}<a href='&{cut}'>"));
    }
    for code in (0..0x1_0000).step_by(7).chain(0..0x200).chain(0xd7f0..0xe010).chain([0x10_ffff, 0x11_0000]) {
        check(&format!("&#{code};&#x{code:X}z"));
    }
}

#[test]
fn hostile_text_takes_linear_time() {
    // Were it not linear, none of these would end within the patience of anybody.
    for piece in ["<", "</", "<!", "&", "<a ", "<!--", "<!--<script>", "&#1", "&amp", "--!", "<b x=", "\0", "\r"] {
        let many = piece.repeat((1 << 20) / piece.len());
        assert!(!own_tokens(&many).is_empty());
        assert!(!own_tokens(&format!("<title>{many}")).is_empty());
        assert!(!own_tokens(&format!("<script>{many}")).is_empty());
        assert!(!own_tokens(&format!("<b x='{many}'>")).is_empty());
    }
    let names: String = (0..200_000).map(|number| format!(" a{number}=x a{number}=y")).collect();
    assert!(matches!(own_tokens(&format!("<b{names}>"))[0], DecodedToken::Start { tag: Tag::B, .. }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn tag_soup_gives_the_same_tokens(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..30)) {
        let html = pieces.concat();
        prop_assert_eq!(own_tokens(&html), other_tokens(&html), "{:?}", html);
    }

    #[test]
    fn character_soup_gives_the_same_tokens(html in "[<>/!?='\"&;#x\\-\\[\\]a-cA-C1\0\r\n \u{e9}]{0,40}") {
        prop_assert_eq!(own_tokens(&html), other_tokens(&html), "{:?}", html);
    }

    #[test]
    fn script_soup_gives_the_same_tokens(
        pieces in proptest::collection::vec(proptest::sample::select(SCRIPT_PIECES), 0..20),
        element in proptest::sample::select(&["script", "title", "style", "textarea", "xmp"][..]),
    ) {
        let html = format!("<{element}>{}", pieces.concat());
        prop_assert_eq!(own_tokens(&html), other_tokens(&html), "{:?}", html);
    }

    #[test]
    fn doctypes_are_the_same(
        pieces in proptest::collection::vec(proptest::sample::select(DOCTYPE_PIECES), 0..12),
    ) {
        let html = format!("<!doctype{}", pieces.concat());
        prop_assert_eq!(own_tokens(&html), other_tokens(&html), "{:?}", html);
    }
}

/// All pages of archive files named by `FONDS_ARCHIVES` (parted by `:`).
#[test]
#[ignore = "reads whole archive files, those that FONDS_ARCHIVES names"]
fn pages_of_archives_give_the_same_tokens() {
    use crate::links::html::charset;
    let files = std::env::var_os("FONDS_ARCHIVES").expect("FONDS_ARCHIVES names archive files");
    for path in std::env::split_paths(&files) {
        let mut reader = crate::warc::ArchiveReader::open(&path).unwrap();
        let (mut pages, mut tokens, mut different) = (0, 0, 0);
        while let Ok(Some(record)) = reader.next_record(64 << 20) {
            let Some(head) = crate::warc::http::parse_response_head(&record.block) else { continue };
            if !matches!(head.content_type().mime.as_str(), "text/html" | "application/xhtml+xml") {
                continue;
            }
            let body = record.block.get(head.head_len..).unwrap_or_default();
            let payload = crate::warc::http::decode_payload(&head, body, 64 << 20);
            let (encoding, _) = charset::detect(&payload.bytes, head.content_type().charset.as_deref());
            let (html, _) = charset::decode(&payload.bytes, encoding);
            let own = own_tokens(&html);
            pages += 1;
            tokens += own.len();
            let other = other_tokens(&html);
            if own != other {
                different += 1;
                let at = own.iter().zip(&other).position(|(own, other)| own != other);
                let at = at.unwrap_or(own.len().min(other.len()));
                println!("{:?}: token {at}: {:?} is {:?}", record.head.target_uri(), own.get(at), other.get(at));
            }
        }
        println!("{}: {pages} pages, {tokens} tokens, {different} pages differ", path.display());
        assert_eq!(different, 0);
    }
}

const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "<a",
    "<A",
    " href",
    " HREF",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\u{c}",
    "\0",
    "/",
    "a",
    "Z",
    "1",
    "\u{e9}",
    "\u{feff}",
    "<!--",
    "-->",
    "--!>",
    "-",
    "--",
    "!",
    "<!",
    "<?",
    "<!-",
    "<!doctype",
    "<!DOCTYPE html>",
    "[CDATA[",
    "<![CDATA[",
    "]]>",
    "]",
    "&",
    "&amp",
    "&amp;",
    "&notit;",
    "&notin;",
    "&eacute",
    "&copy=",
    "&#",
    "&#x",
    "&#65",
    "&#x41;",
    "&#0;",
    "&#128;",
    "&#13;",
    "&nvlt;",
    ";",
    "<b>",
    "<b c=1 D='2' c=3>",
    "<font size=1 SIZE=2>",
    "<i\0>",
    "</b>",
    "</b c>",
    "<div class=\"x y\" href='&lt;' >",
    "<img src=a/>",
    "<img/src=a/b/>",
    "<br/>",
    "<x-y>",
    "<averylongnameofanelement>",
    "<title>",
    "</title>",
    "</TITLE ",
    "<textarea>",
    "</textarea>",
    "<style>",
    "</style>",
    "<xmp>",
    "</xmp",
    "<script>",
    "</script>",
    "</script",
    "</scripty>",
    "<script",
    "<plaintext>",
    "<svg>",
    "</svg>",
    "<svg/>",
    "<math>",
    "</math>",
];

const SCRIPT_PIECES: &[&str] = &[
    "<!--",
    "-->",
    "--!>",
    "-",
    "--",
    ">",
    "<",
    "<!",
    "<!-",
    "!",
    "/",
    "</",
    "<script",
    "<script>",
    "<SCRIPT ",
    "</script",
    "</script>",
    "</Script/",
    "</script\n",
    "</title>",
    "</style>",
    "</style ",
    "</textarea",
    "</xmp>",
    "script",
    " ",
    "a",
    "&amp;",
    "\0",
    "\r",
    "\u{e9}",
    "=",
];

const DOCTYPE_PIECES: &[&str] = &[
    " ", "\n", "\r\n", "html", "HTML", "\0", "a", "public", "PUBLIC", " system", "SYSTEM ", "\"", "'", "\"x\"",
    "'y z'", ">", "-//w3c//", "<", "p",
];
