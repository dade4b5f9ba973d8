//! Reads the objects of a PDF file (ISO 32000-1, 7.3 and 7.5), as far as text needs them.
//!
//! They are found by their heads (`7 0 obj`), not by the table at the end of the file: that of a broken or
//! cut file is missing. Of several with one number the last counts, as in files that were saved again; one in
//! an object stream has the place of its stream.

use crate::links::html::collect::MAX_URL_BYTES;
use flate2::read::DeflateDecoder;
use memchr::memmem;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::Read;
use std::ops::Range;

/// Bytes of one object stream, unpacked.
pub(super) const MAX_STREAM_BYTES: u64 = 8 * 1024 * 1024;

/// Bytes of all object streams of a file, unpacked.
pub(super) const MAX_UNPACKED_BYTES: u64 = 128 * 1024 * 1024;

/// Object streams of a file that are read.
pub(super) const MAX_STREAMS: usize = 100_000;

/// Objects of a file that are read.
const MAX_OBJECTS: usize = 500_000;
/// Bytes of a dictionary.
const MAX_DICTIONARY_BYTES: usize = 256 * 1024;
/// Limit on the bytes of dictionaries and streams read, counted as often as they are read, beside so many
/// times the bytes of the file: many may refer to one.
const MAX_READ_BYTES: u64 = 16 * 1024 * 1024;
const MAX_READ_TIMES: u64 = 8;
/// References followed in a row until a value.
const MAX_REFERENCES: usize = 8;

/// A piece of the syntax.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a [u8]),
    Number(f64),
    Text(Vec<u8>),
    /// `<<` or `[`.
    Open,
    /// `>>` or `]`.
    Close,
    /// An operator, or what is none of these.
    Keyword(&'a [u8]),
}

/// Reads bytes as pieces of the syntax. What is broken is passed over.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    pub rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, b""));
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let blank = self.rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0).count();
            self.take(blank);
            if self.rest.first() != Some(&b'%') {
                break;
            }
            let line = memchr::memchr2(b'\n', b'\r', self.rest).unwrap_or(self.rest.len());
            self.take(line);
        }
        let regular = |bytes: &[u8]| bytes.iter().take_while(|byte| is_regular(Some(byte))).count();
        Some(match self.rest {
            [] => return None,
            [b'<', b'<', ..] | [b'>', b'>', ..] => {
                if self.take(2) == b"<<" {
                    Token::Open
                } else {
                    Token::Close
                }
            }
            [b'[', ..] => {
                self.take(1);
                Token::Open
            }
            [b']', ..] => {
                self.take(1);
                Token::Close
            }
            [b'(' | b'<', ..] => {
                let (text, len) = string_at(self.rest);
                self.take(len.max(1));
                Token::Text(text.unwrap_or_default())
            }
            [b'/', name @ ..] => {
                let len = regular(name);
                Token::Name(self.take(len + 1).get(1..).unwrap_or_default())
            }
            regulars => {
                let token = self.take(regular(regulars).max(1));
                let number =
                    std::str::from_utf8(token).ok().filter(|text| !text.contains(['e', 'E', 'n', 'N', 'i', 'I']));
                number.and_then(|text| text.parse().ok()).map_or(Token::Keyword(token), Token::Number)
            }
        })
    }
}

/// Names and values of a dictionary; values as they stand, with what is behind them.
struct Entries<'d> {
    tokens: Tokens<'d>,
    /// Bytes that were to be read when it began.
    all: usize,
}

impl<'d> Entries<'d> {
    fn of(dictionary: &'d [u8]) -> Self {
        let (near, begin) = (near(dictionary), near(dictionary).trim_ascii_start());
        if !begin.starts_with(b"<<") {
            return Self { tokens: Tokens::new(b""), all: near.len() - begin.len() };
        }
        let mut tokens = Tokens::new(near);
        tokens.next();
        Self { tokens, all: near.len() }
    }
}

impl<'d> Iterator for Entries<'d> {
    type Item = (&'d [u8], &'d [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let tokens = &mut self.tokens;
        let Some(Token::Name(name)) = tokens.next() else { return None };
        let value = tokens.rest;
        let mut depth = 0_usize;
        match tokens.next()? {
            Token::Open => depth = 1,
            Token::Close => return None,
            Token::Number(_) => {
                // `12 0 R` is one value.
                let mut ahead = tokens.clone();
                if matches!((ahead.next(), ahead.next()), (Some(Token::Number(_)), Some(Token::Keyword(b"R")))) {
                    *tokens = ahead;
                }
            }
            _ => {}
        }
        while depth > 0 {
            match tokens.next()? {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
        }
        Some((name, value))
    }
}

/// As much of what begins here as is read at once.
fn near(bytes: &[u8]) -> &[u8] {
    bytes.get(..bytes.len().min(MAX_DICTIONARY_BYTES)).unwrap_or_default()
}

/// Place of an object.
enum Place {
    /// In the file itself.
    Open(Range<usize>),
    /// In an object stream: which, and where in it.
    Packed(usize, Range<usize>),
}

/// The objects of a file.
pub(super) struct Objects<'a> {
    body: &'a [u8],
    /// By number.
    places: HashMap<u32, Place>,
    streams: Vec<Vec<u8>>,
    /// Bytes that may be unpacked yet.
    left: Cell<u64>,
    /// Bytes of dictionaries and streams that may be read yet.
    to_read: Cell<u64>,
    /// Streams that were not unpacked whole, and what was not read, because of a limit.
    pub cut: Cell<u64>,
}

impl<'a> Objects<'a> {
    pub fn of(body: &'a [u8]) -> Self {
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut heads = memmem::find_iter(body, b" obj");
        for at in heads.by_ref().take(MAX_OBJECTS) {
            let before = body.get(at.saturating_sub(20)..at).unwrap_or_default();
            let mut fields = before.rsplit(|byte| byte.is_ascii_whitespace());
            let generation =
                fields.next().is_some_and(|field| !field.is_empty() && field.iter().all(u8::is_ascii_digit));
            let digits = fields.next().unwrap_or_default();
            // `endobj7 0 obj` happens.
            let digits = digits.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(digits, |at| &digits[at + 1..]);
            let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            if let (true, Some(number)) = (generation, number) {
                open.push((number, at + 4));
            }
        }
        let ends: Vec<usize> = open.iter().skip(1).map(|(_, at)| *at).chain([body.len()]).collect();
        let places = open.iter().zip(ends).map(|((number, at), end)| (*number, Place::Open(*at..end))).collect();
        let mut objects = Self {
            body,
            places,
            streams: Vec::new(),
            left: Cell::new(MAX_UNPACKED_BYTES),
            to_read: Cell::new(MAX_READ_BYTES + MAX_READ_TIMES * body.len() as u64),
            cut: Cell::new(u64::from(heads.next().is_some())),
        };
        objects.unpack();
        objects
    }

    /// Objects in object streams (7.5.7), in the order of the file.
    fn unpack(&mut self) {
        let open = |place: &Place| if let Place::Open(range) = place { Some(range.clone()) } else { None };
        let mut open: Vec<Range<usize>> = self.places.values().filter_map(open).collect();
        open.sort_unstable_by_key(|range| range.start);
        let mut packed = 0;
        for Range { start, end } in open {
            let Some(object) = self.body.get(start..end) else { continue };
            if self.streams.len() >= MAX_STREAMS || !self.is_named(object, b"Type", b"ObjStm") {
                continue;
            }
            let number_of = |key| match self.value(object, key).and_then(|value| Tokens::new(value).next()) {
                Some(Token::Number(number)) => number as usize,
                _ => 0,
            };
            let (count, first) = (number_of(b"N").min(MAX_OBJECTS), number_of(b"First"));
            let Some(bytes) = self.stream(object) else { continue };
            let heads: Vec<usize> = Tokens::new(bytes.get(..first).unwrap_or_default())
                .map_while(|token| if let Token::Number(number) = token { Some(number as usize) } else { None })
                .take(2 * count)
                .collect();
            for (at, pair) in heads.chunks_exact(2).enumerate() {
                let [number, begin] = *pair else { continue };
                let end = heads.get(2 * at + 3).map_or(bytes.len(), |next| first.saturating_add(*next));
                let Ok(number) = u32::try_from(number) else { continue };
                if packed == MAX_OBJECTS {
                    self.note_cut();
                    break;
                }
                let is_later = |place: &Place| matches!(place, Place::Open(open) if open.start > start);
                if !self.places.get(&number).is_some_and(is_later) {
                    packed += 1;
                    self.places.insert(number, Place::Packed(self.streams.len(), first.saturating_add(begin)..end));
                }
            }
            self.streams.push(bytes);
        }
    }

    pub fn get(&self, number: u32) -> Option<&[u8]> {
        match self.places.get(&number)? {
            Place::Open(range) => self.body.get(range.clone()),
            Place::Packed(stream, range) => self.streams.get(*stream)?.get(range.clone()),
        }
    }

    /// Iterates over all objects in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        let mut numbers: Vec<u32> = self.places.keys().copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.get(number))
    }

    fn note_cut(&self) {
        self.cut.set(self.cut.get() + 1);
    }

    /// Whether anything may be read yet; if not, that is noted.
    fn may_read(&self) -> bool {
        let may = self.to_read.get() > 0;
        if !may {
            self.note_cut();
        }
        may
    }

    fn was_read(&self, bytes: usize) {
        self.to_read.set(self.to_read.get().saturating_sub(bytes as u64));
    }

    /// Names and values of a dictionary; values as they stand, with what is behind them.
    pub fn entries<'d>(&self, dictionary: &'d [u8]) -> Vec<(&'d [u8], &'d [u8])> {
        self.read(dictionary, |entries| entries.collect())
    }

    /// The value of an entry, with its references unresolved.
    pub fn value<'d>(&self, dictionary: &'d [u8], key: &[u8]) -> Option<&'d [u8]> {
        self.read(dictionary, |entries| entries.find(|(name, _)| *name == key)).map(|(_, value)| value)
    }

    fn read<'d, T: Default>(&self, dictionary: &'d [u8], read: impl FnOnce(&mut Entries<'d>) -> T) -> T {
        if !self.may_read() {
            return T::default();
        }
        let mut entries = Entries::of(dictionary);
        let found = read(&mut entries);
        self.was_read(entries.all - entries.tokens.rest.len());
        found
    }

    /// The objects that an array refers to, or the one that is no array.
    pub fn list<'s>(&'s self, value: &'s [u8]) -> Vec<&'s [u8]> {
        if !self.may_read() {
            return Vec::new();
        }
        let near = near(value);
        let mut tokens = Tokens { rest: near.trim_ascii_start() };
        let mut objects = Vec::new();
        if tokens.rest.first() == Some(&b'[') {
            tokens.next();
            while let (Some(Token::Number(number)), Some(Token::Number(_)), Some(Token::Keyword(b"R"))) =
                (tokens.next(), tokens.next(), tokens.next())
            {
                objects.extend(self.get(number as u32));
            }
            if tokens.rest.is_empty() && near.len() < value.len() {
                self.note_cut();
            }
        } else {
            objects.push(value);
        }
        self.was_read(near.len() - tokens.rest.len());
        objects
    }

    /// Whether an entry is this name.
    pub fn is_named(&self, dictionary: &[u8], key: &[u8], name: &[u8]) -> bool {
        self.value(dictionary, key).is_some_and(|value| Tokens::new(value).next() == Some(Token::Name(name)))
    }

    /// A value, or what it refers to.
    pub fn resolve<'s>(&'s self, mut value: &'s [u8]) -> Option<&'s [u8]> {
        for _ in 0..MAX_REFERENCES {
            if !self.may_read() {
                return None;
            }
            let near = near(value);
            let mut tokens = Tokens::new(near);
            let reference = (tokens.next(), tokens.next(), tokens.next());
            self.was_read(near.len() - tokens.rest.len());
            match reference {
                (Some(Token::Number(number)), Some(Token::Number(_)), Some(Token::Keyword(b"R"))) => {
                    value = self.get(number as u32)?;
                }
                _ => return Some(value),
            }
        }
        None
    }

    /// An entry, or what it refers to.
    pub fn entry<'s>(&'s self, dictionary: &'s [u8], key: &[u8]) -> Option<&'s [u8]> {
        self.resolve(self.value(dictionary, key)?)
    }

    fn filters<'s>(&'s self, object: &'s [u8]) -> Vec<&'s [u8]> {
        let mut tokens = Tokens::new(self.entry(object, b"Filter").unwrap_or_default());
        let name = |token| if let Token::Name(name) = token { Some(name) } else { None };
        match tokens.next() {
            Some(Token::Name(filter)) => vec![filter],
            Some(Token::Open) => tokens.map_while(name).collect(),
            _ => Vec::new(),
        }
    }

    /// Contents of the stream of an object; none where its filter is not supported.
    pub fn stream(&self, object: &[u8]) -> Option<Vec<u8>> {
        let most = self.left.get().min(MAX_STREAM_BYTES);
        if most == 0 {
            self.note_cut();
            return None;
        }
        if !self.may_read() {
            return None;
        }
        self.was_read(object.len());
        if !near(object).trim_ascii_start().starts_with(b"<<") {
            return None;
        }
        let filters = self.filters(object);
        let (is_in_letters, filters) = match filters.as_slice() {
            [b"ASCII85Decode" | b"A85", rest @ ..] => (true, rest),
            all => (false, all),
        };
        let is_deflated = match filters {
            [] => false,
            [b"FlateDecode" | b"Fl"] => true,
            _ => return None,
        };
        if is_deflated
            && self.value(object, b"DecodeParms").is_some_and(|value| !value.trim_ascii_start().starts_with(b"null"))
        {
            return None;
        }
        let begin = memmem::find(object, b"stream")? + b"stream".len();
        let data = object.get(begin..)?;
        let data = data.strip_prefix(b"\r\n").or(data.strip_prefix(b"\n")).unwrap_or(data);
        let data = data.get(..memmem::rfind(data, b"endstream").unwrap_or(data.len()))?;
        let letters;
        let data = match is_in_letters {
            true => {
                letters = of_ascii85(data, most as usize);
                &letters
            }
            false => data,
        };
        let mut bytes = Vec::new();
        if is_deflated {
            // Two bytes of zlib precede the deflated ones. A stream that is broken in the middle is read up
            // to about there.
            let _ = DeflateDecoder::new(data.get(2..)?).take(most).read_to_end(&mut bytes);
        } else {
            bytes.extend_from_slice(data.get(..data.len().min(most as usize))?);
        }
        self.left.set(self.left.get().saturating_sub(bytes.len() as u64));
        if bytes.len() as u64 >= most {
            self.note_cut();
        }
        Some(bytes)
    }
}

/// The bytes that are written as letters, four as five of 85 (7.4.3), or as
/// many of them as there may be.
fn of_ascii85(letters: &[u8], most: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity((letters.len() / 5 * 4).min(most));
    let mut group = Vec::with_capacity(5);
    let put = |group: &[u8], bytes: &mut Vec<u8>| {
        // The last group has one letter more than bytes.
        let digits = group.iter().copied().chain(std::iter::repeat(84)).take(5);
        let number = digits.fold(0_u32, |number, digit| number.wrapping_mul(85).wrapping_add(u32::from(digit)));
        bytes.extend_from_slice(number.to_be_bytes().get(..group.len().saturating_sub(1)).unwrap_or_default());
    };
    for letter in letters {
        if bytes.len() >= most {
            return bytes;
        }
        match letter {
            b'z' if group.is_empty() => bytes.extend_from_slice(&[0; 4]),
            b'!'..=b'u' => group.push(letter - b'!'),
            b'~' => break,
            _ => {}
        }
        if group.len() == 5 {
            put(&group, &mut bytes);
            group.clear();
        }
    }
    put(&group, &mut bytes);
    bytes
}

/// Whether a name goes on with this byte.
pub(super) fn is_regular(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != 0 && !b"()<>[]{}/%".contains(byte))
}

/// The string that the bytes begin with, and how many bytes it takes. At most
/// somewhat more than an address may have.
pub(super) fn string_at(bytes: &[u8]) -> (Option<Vec<u8>>, usize) {
    let (bytes, len) = match bytes.split_first() {
        Some((b'(', rest)) => literal(rest),
        Some((b'<', rest)) if rest.first() != Some(&b'<') => hexadecimal(rest),
        _ => return (None, 0),
    };
    (bytes, len + 1)
}

/// Longest string that is read, so that it shows to be too long.
const MAX_STRING_BYTES: usize = 2 * MAX_URL_BYTES + 8;

/// A literal string after its first bracket, and its length with the last one.
fn literal(bytes: &[u8]) -> (Option<Vec<u8>>, usize) {
    let mut out = Vec::new();
    let mut depth = 1;
    let mut at = 0;
    let byte_at = |at: usize| bytes.get(at).copied();
    while let Some(byte) = byte_at(at).filter(|_| out.len() < MAX_STRING_BYTES) {
        at += 1;
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return (Some(out), at),
            b')' => depth -= 1,
            b'\\' => {
                let escaped = byte_at(at).unwrap_or(b'\n');
                at += 1;
                match escaped {
                    b'n' => out.push(b'\n'),
                    b'r' => out.push(b'\r'),
                    b't' => out.push(b'\t'),
                    b'b' => out.push(8),
                    b'f' => out.push(12),
                    // A line that goes on.
                    b'\r' => at += usize::from(byte_at(at) == Some(b'\n')),
                    b'\n' => {}
                    b'0'..=b'7' => {
                        let mut code = u32::from(escaped - b'0');
                        for _ in 0..2 {
                            let Some(digit @ b'0'..=b'7') = byte_at(at) else { break };
                            code = code * 8 + u32::from(digit - b'0');
                            at += 1;
                        }
                        out.push((code & 0xff) as u8);
                    }
                    other => out.push(other),
                }
                continue;
            }
            _ => {}
        }
        out.push(byte);
    }
    // Without end, or too long to be an address.
    let is_long = out.len() >= MAX_STRING_BYTES;
    (is_long.then_some(out), at)
}

/// A hexadecimal string after its first bracket, and its length with the last one.
fn hexadecimal(bytes: &[u8]) -> (Option<Vec<u8>>, usize) {
    let near = bytes.get(..bytes.len().min(2 * MAX_STRING_BYTES)).unwrap_or_default();
    let Some(end) = memchr::memchr(b'>', near) else { return (None, near.len()) };
    let digits: Option<Vec<u8>> = near
        .iter()
        .take(end)
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| char::from(*byte).to_digit(16).map(|digit| digit as u8))
        .collect();
    let pairs = |digits: Vec<u8>| -> Vec<u8> {
        digits.chunks(2).map(|pair| pair.first().unwrap_or(&0) << 4 | pair.get(1).unwrap_or(&0)).collect()
    };
    (digits.map(pairs), end + 1)
}
