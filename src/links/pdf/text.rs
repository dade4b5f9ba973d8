//! Extracts the text of a PDF file, and the addresses that are printed in it.
//!
//! The text of pages and forms is put together out of what their content streams show (ISO 32000-1, 9.4), in
//! the letters that fonts say they have (`/ToUnicode`, 9.10.3); fonts of one byte without that are taken for
//! Latin-1. An address begins with `http://`, `https://` or `www.`, names a host with a dot, and goes on to
//! the next blank. Not read: the next line of one that is broken over lines; text in pictures; streams packed
//! with other filters than Flate and ASCII85.

use super::objects::{Objects, Token, Tokens};
use memchr::memmem;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Codes and letters of all fonts of a file that are known.
const MAX_LETTERS: usize = 2_000_000;
/// Limit on the text of one code, in units of UTF-16: ligatures have a few letters.
const MAX_UNITS: usize = 32;
/// Text of one page that is looked through, in bytes.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;
/// Text of all pages of a file, in bytes.
const MAX_TEXT_BYTES_PER_FILE: usize = 128 * 1024 * 1024;
/// Fonts of a file.
const MAX_FONTS: usize = 10_000;
/// A gap between letters that is a blank, in thousandths of their size.
const BLANK: f64 = -180.0;
/// Steps up the tree of pages to what they inherit.
const MAX_PARENTS: usize = 64;

/// Remaining limits of one file.
struct Limits {
    letters: usize,
    text: usize,
    /// What was left out.
    cut: u64,
}

/// Mapping of the codes of a font to letters.
#[derive(Default)]
struct Font {
    /// Two bytes a code.
    wide: bool,
    letters: Rc<Letters>,
}

impl Font {
    /// Appends what a string shows, as far as there may be text.
    fn show(&self, codes: &[u8], out: &mut String, most: usize) {
        for code in codes.chunks(if self.wide { 2 } else { 1 }) {
            if out.len() >= most {
                return;
            }
            match (self.letters.of(number(code)), code) {
                (Some((units, step)), _) => {
                    let last = units.len().saturating_sub(1);
                    let unit = |(at, unit): (usize, &u16)| if at == last { unit.wrapping_add(step) } else { *unit };
                    let letters = char::decode_utf16(units.iter().enumerate().map(unit));
                    out.extend(letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
                }
                (None, [byte]) if !self.wide => out.push(char::from(*byte)),
                (None, _) => out.push(char::REPLACEMENT_CHARACTER),
            }
        }
    }
}

fn number(code: &[u8]) -> u32 {
    code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Consecutive codes, and the units of the first; each further one has a last unit one greater.
#[derive(Clone)]
struct Codes {
    from: u32,
    to: u32,
    /// The first code, as declared.
    first: u32,
    units: Range<usize>,
}

/// Rows that lie apart, in the order of their codes: of those that lie over one
/// another the last counts.
fn apart(rows: Vec<Codes>) -> Vec<Codes> {
    let mut kept = BTreeMap::<u32, Codes>::new();
    for row in rows.into_iter().filter(|row| row.from <= row.to) {
        let reaches_in = |codes: &&mut Codes| codes.to >= row.from;
        if let Some(before) = kept.range_mut(..row.from).next_back().map(|(_, codes)| codes).filter(reaches_in) {
            let behind = Codes { from: row.to.saturating_add(1), ..before.clone() };
            before.to = row.from.saturating_sub(1);
            if row.to < behind.to {
                kept.insert(behind.from, behind);
            }
        }
        while let Some(at) = kept.range(row.from..=row.to).next().map(|(at, _)| *at)
            && let Some(inside) = kept.remove(&at)
        {
            if row.to < inside.to {
                let from = row.to.saturating_add(1);
                kept.insert(from, Codes { from, ..inside });
            }
        }
        kept.insert(row.from, row);
    }
    kept.into_values().collect()
}

/// The letters of a character map.
#[derive(Default)]
struct Letters {
    /// Of all codes, UTF-16.
    units: Vec<u16>,
    /// In the order of their first code; alone they go before rows.
    alone: Vec<Codes>,
    rows: Vec<Codes>,
}

impl Letters {
    fn read(map: &[u8], limits: &mut Limits) -> Self {
        let mut letters = Self::default();
        let mut tokens = Tokens::new(map);
        while let Some(token) = tokens.next() {
            match token {
                Token::Keyword(b"beginbfchar") => letters.read_alone(&mut tokens, limits),
                Token::Keyword(b"beginbfrange") => letters.read_rows(&mut tokens, limits),
                _ => {}
            }
        }
        // Of equal ones the last counts.
        letters.alone.sort_by_key(|codes| codes.from);
        letters.rows = apart(std::mem::take(&mut letters.rows));
        letters
    }

    fn read_alone(&mut self, tokens: &mut Tokens<'_>, limits: &mut Limits) {
        while let Some(Token::Text(code)) = tokens.next() {
            match tokens.next() {
                Some(Token::Text(letter)) => {
                    let codes = self.codes(number(&code), number(&code), &letter, limits);
                    self.alone.extend(codes);
                }
                Some(Token::Name(_)) => {}
                _ => return,
            }
        }
    }

    fn read_rows(&mut self, tokens: &mut Tokens<'_>, limits: &mut Limits) {
        while let Some(Token::Text(from)) = tokens.next() {
            let Some(Token::Text(to)) = tokens.next() else { return };
            let (from, to) = (number(&from), number(&to));
            match tokens.next() {
                Some(Token::Text(letter)) => {
                    let codes = self.codes(from, to, &letter, limits);
                    self.rows.extend(codes);
                }
                Some(Token::Open) => {
                    let mut code = from;
                    loop {
                        match tokens.next() {
                            Some(Token::Text(letter)) if code <= to => {
                                let codes = self.codes(code, code, &letter, limits);
                                self.alone.extend(codes);
                            }
                            Some(Token::Close) => break,
                            Some(Token::Keyword(_)) | None => return,
                            Some(_) => {}
                        }
                        code = code.saturating_add(1);
                    }
                }
                _ => return,
            }
        }
    }

    /// Codes with a letter, where there is room for them.
    fn codes(&mut self, from: u32, to: u32, letter: &[u8], limits: &mut Limits) -> Option<Codes> {
        let len = if letter.len() == 1 { 1 } else { letter.len() / 2 };
        if len > MAX_UNITS || limits.letters <= len {
            limits.cut += 1;
            return None;
        }
        limits.letters -= 1 + len;
        let begin = self.units.len();
        match letter {
            [byte] => self.units.push(u16::from(*byte)),
            _ => self.units.extend(letter.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))),
        }
        Some(Codes { from, to, first: from, units: begin..self.units.len() })
    }

    /// The units of a code, and the number to add to the last one.
    fn of(&self, code: u32) -> Option<(&[u16], u16)> {
        let codes = [&self.alone, &self.rows].into_iter().find_map(|codes| {
            let last = codes.partition_point(|codes| codes.from <= code).checked_sub(1)?;
            codes.get(last).filter(|codes| code <= codes.to)
        })?;
        Some((self.units.get(codes.units.clone())?, (code - codes.first) as u16))
    }
}

/// The fonts of a file, each read once. They and their maps are known by their places.
struct Fonts<'o, 'a> {
    objects: &'o Objects<'a>,
    fonts: HashMap<usize, Rc<Font>>,
    letters: HashMap<usize, Rc<Letters>>,
}

impl Fonts<'_, '_> {
    fn font(&mut self, font: &[u8], limits: &mut Limits) -> Rc<Font> {
        let key = font.as_ptr() as usize;
        if let Some(known) = self.fonts.get(&key) {
            return known.clone();
        }
        if self.fonts.len() >= MAX_FONTS {
            limits.cut += 1;
            return Rc::default();
        }
        let wide = self.objects.is_named(font, b"Subtype", b"Type0");
        let letters = match self.objects.entry(font, b"ToUnicode") {
            Some(map) => self
                .letters
                .entry(map.as_ptr() as usize)
                .or_insert_with(|| Rc::new(Letters::read(&self.objects.stream(map).unwrap_or_default(), limits))),
            None => &mut Rc::default(),
        };
        let font = Rc::new(Font { wide, letters: letters.clone() });
        self.fonts.insert(key, font.clone());
        font
    }
}

/// Gives every address to `each` that pages and forms show as text, as it is
/// written. Says how much was left out because of a limit.
pub(super) fn printed_addresses(body: &[u8], mut each: impl FnMut(&str)) -> u64 {
    shown_texts(body, |text| {
        addresses_in(text, &mut each);
        true
    })
}

/// Gives the text of each page and form to `take`, in the order of the file,
/// until that answers `false`. Says how much was left out because of a limit.
pub(super) fn shown_texts(body: &[u8], mut take: impl FnMut(&str) -> bool) -> u64 {
    let objects = Objects::of(body);
    let mut fonts = Fonts { objects: &objects, fonts: HashMap::new(), letters: HashMap::new() };
    let mut limits = Limits { letters: MAX_LETTERS, text: MAX_TEXT_BYTES_PER_FILE, cut: 0 };
    for object in objects.all() {
        let content = if objects.is_named(object, b"Subtype", b"Form") {
            objects.stream(object).unwrap_or_default()
        } else if objects.is_named(object, b"Type", b"Page") {
            content_of(&objects, object)
        } else {
            continue;
        };
        let resources = inherited(&objects, object, b"Resources").unwrap_or_default();
        let fonts_of_page = objects.entries(objects.entry(resources, b"Font").unwrap_or_default());
        let fonts_of_page: HashMap<&[u8], &[u8]> = fonts_of_page.into_iter().collect();
        let mut named: HashMap<&[u8], Option<Rc<Font>>> = HashMap::new();
        let (mut text, most) = (String::new(), limits.text.min(MAX_TEXT_BYTES));
        let is_whole = read_content(&content, &mut text, most, |name, codes, out| {
            let font = named.entry(name).or_insert_with(|| match fonts_of_page.get(name) {
                Some(font) => objects.resolve(font).map(|font| fonts.font(font, &mut limits)),
                None => Some(Rc::default()),
            });
            font.iter().for_each(|font| font.show(codes, out, most));
        });
        limits.cut += u64::from(!is_whole);
        limits.text -= text.len().min(limits.text);
        if !take(&text) {
            break;
        }
    }
    objects.cut.get() + limits.cut
}

/// An entry of a page, or of what it is a part of.
fn inherited<'o>(objects: &'o Objects<'_>, mut object: &'o [u8], key: &[u8]) -> Option<&'o [u8]> {
    for _ in 0..MAX_PARENTS {
        if let Some(found) = objects.entry(object, key) {
            return Some(found);
        }
        object = objects.entry(object, b"Parent")?;
    }
    None
}

/// Content streams of a page, joined: a string never ends in the next one, but a font goes on.
fn content_of(objects: &Objects<'_>, page: &[u8]) -> Vec<u8> {
    let contents = objects.entry(page, b"Contents").unwrap_or_default();
    let mut content = Vec::new();
    for part in objects.list(contents) {
        content.extend(objects.stream(part).unwrap_or_default());
        content.push(b'\n');
    }
    content
}

/// Puts together what a content stream shows; `show` appends a string in a
/// font. Says whether that is all: there may be so many bytes of it.
fn read_content<'c>(
    content: &'c [u8],
    text: &mut String,
    most: usize,
    mut show: impl FnMut(&'c [u8], &[u8], &mut String),
) -> bool {
    let mut font: &[u8] = b"";
    let mut operands: Vec<Token<'_>> = Vec::new();
    let mut line = 0.0;
    let mut tokens = Tokens::new(content);
    while let Some(token) = tokens.next() {
        let Token::Keyword(operator) = token else {
            if operands.len() < 10_000 {
                operands.push(token);
            }
            continue;
        };
        let number = |from_end: usize| match operands.len().checked_sub(from_end).and_then(|at| operands.get(at)) {
            Some(Token::Number(number)) => *number,
            _ => 0.0,
        };
        match operator {
            b"Tf" => {
                if let Some(Token::Name(name)) = operands.iter().rev().nth(1) {
                    font = name;
                }
            }
            b"Tj" | b"'" | b"\"" | b"TJ" => {
                if matches!(operator, b"'" | b"\"") {
                    text.push('\n');
                }
                for operand in &operands {
                    match operand {
                        Token::Text(codes) => show(font, codes, text),
                        Token::Number(gap) if operator == b"TJ" && *gap < BLANK => text.push(' '),
                        _ => {}
                    }
                }
            }
            b"Td" | b"TD" => text.push(if number(1) == 0.0 { ' ' } else { '\n' }),
            b"Tm" => {
                text.push(if number(1) == line { ' ' } else { '\n' });
                line = number(1);
            }
            b"T*" | b"BT" | b"ET" => text.push('\n'),
            // What follows is a picture.
            b"ID" => {
                let end = memmem::find(tokens.rest, b"EI").map_or(tokens.rest.len(), |at| at + 2);
                tokens.rest = tokens.rest.get(end..).unwrap_or_default();
            }
            _ => {}
        }
        operands.clear();
        if text.len() >= most {
            return false;
        }
    }
    true
}

/// Gives the addresses in a text, without what is the sentence's.
fn addresses_in(text: &str, each: &mut impl FnMut(&str)) {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`“”„«»‘’…".contains(c) || c == '\u{fffd}';
    for part in text.split(ends) {
        let Some(at) = address_at(part) else { continue };
        let mut address = part.get(at..).unwrap_or_default();
        let count = |c: char| address.matches(c).count();
        let mut unopened = [(')', count(')').saturating_sub(count('('))), (']', count(']').saturating_sub(count('[')))];
        while let Some(last) = address.chars().next_back() {
            match unopened.iter_mut().find(|(bracket, _)| *bracket == last) {
                Some((_, more)) if *more > 0 => *more -= 1,
                None if ".,;:!?'".contains(last) => {}
                _ => break,
            }
            address = address.get(..address.len() - last.len_utf8()).unwrap_or_default();
        }
        let host = without(without(address, &["http://", "https://"]), &["www."]);
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        if host.contains('.') && host.starts_with(|c: char| c.is_alphanumeric()) {
            each(address);
        }
    }
}

/// A text without one of these beginnings, in any case.
fn without<'t>(text: &'t str, beginnings: &[&str]) -> &'t str {
    let is_at = |begin: &&&str| text.get(..begin.len()).is_some_and(|there| there.eq_ignore_ascii_case(begin));
    let len = beginnings.iter().find(is_at).map_or(0, |begin| begin.len());
    text.get(len..).unwrap_or_default()
}

/// Index at which an address begins in a part of a text.
fn address_at(part: &str) -> Option<usize> {
    let lower = part.to_ascii_lowercase();
    let begins = |scheme: &str| {
        let at = lower.find(scheme)?;
        let continues = lower.get(..at)?.chars().next_back().is_some_and(char::is_alphanumeric);
        (!continues).then_some(at)
    };
    ["http://", "https://", "www."].into_iter().filter_map(begins).min()
}

#[cfg(test)]
mod tests;
