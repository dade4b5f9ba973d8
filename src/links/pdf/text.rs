//! Addresses that are printed in a PDF file as text.
//!
//! The text of pages and forms is put together out of what their content
//! streams show (ISO 32000-1, 9.4), in the letters that fonts say they have
//! (`/ToUnicode`, 9.10.3); fonts of one byte without that are taken for
//! Latin-1. An address begins with `http://`, `https://` or `www.` and goes on
//! to the next blank. Not read: what stands in the next line of one that is
//! broken over lines; text in pictures; streams packed with other filters than
//! Flate and ASCII85.

use super::objects::{Objects, Token, Tokens};
use memchr::memmem;
use std::collections::HashMap;

/// Letters of one font that are known.
const MAX_LETTERS: usize = 200_000;
/// Text of one page that is looked through, in bytes.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;
/// Fonts of a file.
const MAX_FONTS: usize = 10_000;
/// A gap between letters that is a blank, in thousandths of their size.
const BLANK: f64 = -180.0;
/// Steps up the tree of pages to what they inherit.
const MAX_PARENTS: usize = 64;

/// How codes of a font are letters.
struct Font {
    /// Two bytes a code.
    wide: bool,
    letters: HashMap<u32, String>,
}

impl Font {
    fn of(objects: &Objects<'_>, font: &[u8]) -> Self {
        let wide = objects.is_named(font, b"Subtype", b"Type0");
        let map = objects.entry(font, b"ToUnicode").and_then(|map| objects.stream(map)).unwrap_or_default();
        Self { wide, letters: letters(&map) }
    }

    /// Appends what a string shows.
    fn show(&self, codes: &[u8], out: &mut String) {
        for code in codes.chunks(if self.wide { 2 } else { 1 }) {
            let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
            match (self.letters.get(&number), code) {
                (Some(letters), _) => out.push_str(letters),
                (None, [byte]) if !self.wide => out.push(char::from(*byte)),
                (None, _) => out.push(char::REPLACEMENT_CHARACTER),
            }
        }
    }
}

/// The letters that a character map tells.
fn letters(map: &[u8]) -> HashMap<u32, String> {
    let mut letters = HashMap::new();
    let number = |code: &[u8]| code.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    let text = |code: &[u8]| -> Vec<u16> {
        let units = code.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        if code.len() == 1 { vec![u16::from(code[0])] } else { units.collect() }
    };
    let mut operands: Vec<Token<'_>> = Vec::new();
    for token in Tokens::new(map) {
        match token {
            Token::Word(b"beginbfchar" | b"beginbfrange" | b"begincodespacerange") => operands.clear(),
            Token::Word(b"endbfchar") => {
                for pair in operands.chunks_exact(2) {
                    if let [Token::Text(code), Token::Text(letter)] = pair {
                        letters.insert(number(code), String::from_utf16_lossy(&text(letter)));
                    }
                }
                operands.clear();
            }
            Token::Word(b"endbfrange") => {
                let mut rest = operands.as_slice();
                while let [Token::Text(from), Token::Text(to), behind @ ..] = rest {
                    let (from, to) = (number(from), number(to));
                    let codes = from..=to.min(from.saturating_add(u32::from(u16::MAX)));
                    rest = match behind {
                        [Token::Text(first), rest @ ..] => {
                            for (step, code) in (0_u16..).zip(codes) {
                                let mut units = text(first);
                                if let Some(last) = units.last_mut() {
                                    *last = last.wrapping_add(step);
                                }
                                if letters.len() < MAX_LETTERS {
                                    letters.insert(code, String::from_utf16_lossy(&units));
                                }
                            }
                            rest
                        }
                        [Token::Open, rest @ ..] => {
                            let end = rest.iter().position(|token| *token == Token::Close).unwrap_or(rest.len());
                            for (code, letter) in codes.zip(&rest[..end]) {
                                if let Token::Text(letter) = letter {
                                    letters.insert(code, String::from_utf16_lossy(&text(letter)));
                                }
                            }
                            rest.get(end + 1..).unwrap_or_default()
                        }
                        _ => break,
                    };
                }
                operands.clear();
            }
            _ if letters.len() + operands.len() < MAX_LETTERS => operands.push(token),
            _ => {}
        }
    }
    letters
}

/// Gives every address to `each` that pages and forms show as text, as it is
/// written. Says how many streams were cut off by a limit.
pub(super) fn printed_addresses(body: &[u8], mut each: impl FnMut(&str)) -> u64 {
    let objects = Objects::of(body);
    let mut fonts: HashMap<Vec<u8>, Font> = HashMap::new();
    for object in objects.all() {
        let is_form = objects.is_named(object, b"Subtype", b"Form");
        if !is_form && !objects.is_named(object, b"Type", b"Page") {
            continue;
        }
        let resources = inherited(&objects, object, b"Resources").unwrap_or_default();
        let fonts_of_page = objects.entries(objects.entry(resources, b"Font").unwrap_or_default());
        let named: HashMap<&[u8], &[u8]> = fonts_of_page.into_iter().collect();
        let mut text = String::new();
        let mut show = |content: &[u8]| {
            read_content(content, &mut text, |name, codes, out| {
                let Some(value) = named.get(name) else { return Font::plain().show(codes, out) };
                let Some(object) = objects.resolve(value) else { return };
                // A font is known by its place in the file, or by what it says.
                let key = object.get(..object.len().min(512)).unwrap_or_default();
                if fonts.len() < MAX_FONTS && !fonts.contains_key(key) {
                    fonts.insert(key.to_vec(), Font::of(&objects, object));
                }
                fonts.get(key).unwrap_or(&Font::plain()).show(codes, out);
            });
        };
        if is_form {
            objects.stream(object).iter().for_each(|content| show(content));
        } else {
            // The parts of a page are one: a string never ends in the next, but a font goes on.
            let mut content = Vec::new();
            for part in parts(&objects, object) {
                content.extend(objects.stream(part).unwrap_or_default());
                content.push(b'\n');
            }
            show(&content);
        }
        addresses_in(&text, &mut each);
    }
    objects.cut.get()
}

impl Font {
    fn plain() -> Self {
        Self { wide: false, letters: HashMap::new() }
    }
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

/// The content streams of a page.
fn parts<'o>(objects: &'o Objects<'_>, page: &'o [u8]) -> Vec<&'o [u8]> {
    let Some(contents) = objects.value(page, b"Contents").and_then(|value| {
        // A reference to a stream stays, one to an array is followed.
        objects.resolve(value)
    }) else {
        return Vec::new();
    };
    let mut tokens = Tokens::new(contents);
    if !contents.trim_ascii_start().starts_with(b"[") {
        return vec![contents];
    }
    tokens.next();
    let mut parts = Vec::new();
    while let (Some(Token::Number(number)), Some(Token::Number(_)), Some(Token::Word(b"R"))) =
        (tokens.next(), tokens.next(), tokens.next())
    {
        parts.extend(objects.get(number as u32));
    }
    parts
}

/// Puts together what a content stream shows; `show` appends a string in a font.
fn read_content(content: &[u8], text: &mut String, mut show: impl FnMut(&[u8], &[u8], &mut String)) {
    let mut font: &[u8] = b"";
    let mut operands: Vec<Token<'_>> = Vec::new();
    let mut line = 0.0;
    let mut tokens = Tokens::new(content);
    while let Some(token) = tokens.next() {
        let Token::Word(operator) = token else {
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
        if text.len() > MAX_TEXT_BYTES {
            return;
        }
    }
}

/// Gives the addresses in a text, without what is the sentence's.
fn addresses_in(text: &str, each: &mut impl FnMut(&str)) {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`“”„«»‘’…".contains(c) || c == '\u{fffd}';
    for word in text.split(ends) {
        let Some(at) = address_at(word) else { continue };
        let mut address = word.get(at..).unwrap_or_default();
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
        let host = address.rsplit("//").next().unwrap_or_default().trim_start_matches("www.");
        if host.contains('.') && host.starts_with(|c: char| c.is_alphanumeric()) {
            each(address);
        }
    }
}

/// Where an address begins in a word.
fn address_at(word: &str) -> Option<usize> {
    let lower = word.to_ascii_lowercase();
    let begins = |scheme: &str| {
        let at = lower.find(scheme)?;
        let is_word = lower.get(..at)?.chars().next_back().is_some_and(char::is_alphanumeric);
        (!is_word).then_some(at)
    };
    ["http://", "https://", "www."].into_iter().filter_map(begins).min()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn found(body: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        assert_eq!(printed_addresses(body, |address| found.push(address.to_owned())), 0);
        found
    }

    fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(data).unwrap();
        let head = format!("<</Filter [/FlateDecode] {dictionary}>> stream\r\n").into_bytes();
        [head, zlib.finish().unwrap(), b"\nendstream".to_vec()].concat()
    }

    fn file(objects: &[(u32, Vec<u8>)]) -> Vec<u8> {
        let mut body = b"%PDF-1.5\n".to_vec();
        for (number, object) in objects {
            body.extend(format!("{number} 0 obj\n").into_bytes());
            body.extend_from_slice(object);
            body.extend_from_slice(b"\nendobj\n");
        }
        body
    }

    /// A page that shows this, in a font without a map.
    fn page(content: &str) -> Vec<u8> {
        file(&[
            (1, b"<</Type/Page /Contents 2 0 R /Resources <</Font <</F1 3 0 R>>>>>>".to_vec()),
            (2, stream("", content.as_bytes())),
            (3, b"<</Type/Font /Subtype/Type1 /BaseFont/Times-Roman>>".to_vec()),
        ])
    }

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        assert_eq!(found(&page(content)), expected, "{content}");
    }

    #[test]
    fn addresses_are_found_in_what_a_page_shows() {
        check("BT /F1 12 Tf (See http://b.pt/x\\).) Tj ET", &["http://b.pt/x"]);
        check(
            "BT /F1 9 Tf [(ht)5(tp)-20(://b.p)30(t/y)-333(and)-300(www.c.pt,)] TJ ET",
            &["http://b.pt/y", "www.c.pt"],
        );
        check("BT (https://b.pt/wiki/A_\\(B\\)) Tj 0 -12 Td (next) Tj ET", &["https://b.pt/wiki/A_(B)"]);
        check(
            "BT (http://b.pt/a) Tj 1 0 0 1 72 600 Tm (b) Tj T* (HTTP://B.pt/c) ' ET",
            &["http://b.pt/a", "HTTP://B.pt/c"],
        );
        check("BI /W 1 ID \x01(http://no.pt/) EI BT (http://b.pt/) Tj ET", &["http://b.pt/"]);
        check("BT (xhttp://no.pt/ www. www.x http:// ahttps://no.pt mail@www2.pt) Tj ET", &[]);
    }

    #[test]
    fn letters_are_those_that_the_font_says() {
        let map = "/CIDInit /ProcSet findresource begin 1 begincodespacerange <0000> <FFFF> endcodespacerange \
                   2 beginbfchar <0001> <0068> <0002> <00740074> endbfchar \
                   3 beginbfrange <0003> <0004> <0070> <0010> <0011> [<002E> <003A>] <0012> <0012> <002F> endbfrange";
        // `h` `tt` `p` `:` `/` `/` `p` `.` `p` `q`
        let content = "BT /F1 9 Tf <0001000200030011001200120003001000030004> Tj ET";
        let page = b"9 0 <</Type /Page /Contents [2 0 R] /Parent 8 0 R>>".to_vec();
        let tree = b"<</Type /Pages /Resources 7 0 R>>".to_vec();
        let body = file(&[
            (2, stream("", content.as_bytes())),
            (3, b"<</Type/Font /Subtype/Type0 /ToUnicode 4 0 R>>".to_vec()),
            (4, stream("", map.as_bytes())),
            (5, stream("/Type /ObjStm /N 1 /First 4", &page)),
            (7, b"<</Font <</F1 3 0 R>>>>".to_vec()),
            (8, tree),
        ]);
        assert_eq!(found(&body), ["http://p.pq"]);
    }

    #[test]
    fn a_stream_may_be_written_in_letters() {
        // `(http://b.pt/x) Tj`, packed with nothing and written as five letters of 85.
        let content = b"<</Subtype/Form /Filter /ASCII85Decode>> stream\n-tm^EE&oX*@P2\nVA06eog<,)~>\nendstream";
        assert_eq!(found(&file(&[(1, content.to_vec())])), ["http://b.pt/x"]);
    }

    #[test]
    fn a_form_is_read_with_its_own_fonts_and_the_last_of_equal_numbers_counts() {
        let form = |text: &str| stream("/Subtype /Form /Resources <<>>", format!("({text}) Tj").as_bytes());
        let body =
            file(&[(1, form("http://old.pt/")), (1, form("http://new.pt/")), (2, stream("", b"(http://no.pt/) Tj"))]);
        assert_eq!(found(&body), ["http://new.pt/"]);
    }

    proptest! {
        #[test]
        fn nothing_panics(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            content in "[(<\\[][()<>\\[\\]/ a-fTJjdEBI0-9.-]{0,100}( T[jJdm*]| '| EI)?",
            dictionary in "(/(Type|Font|Page|Contents|Resources|Subtype|Form|N|First|ObjStm|Parent|Filter)|<<|>>|\\[|\\]|[0-9] 0 R|[0-9]){0,20}",
        ) {
            printed_addresses(&bytes, |_| ());
            printed_addresses(&page(&content), |_| ());
            printed_addresses(&file(&[(1, format!("<<{dictionary}>>").into_bytes()), (2, stream(&dictionary, content.as_bytes()))]), |_| ());
            letters(content.as_bytes());
        }
    }
}
