//! Document type declarations (HTML standard, 13.2.5.53 to 13.2.5.68).

use super::references::{Reading, decode};
use super::{is_space, skip_space};
use crate::links::html::tokens::Doctype;
use std::borrow::Cow;

/// Reads the declaration whose keyword ends before `at`. With it, the place
/// behind it, or nothing where the text ends inside.
pub(super) fn read_doctype(input: &str, at: usize) -> (Doctype<'_>, Option<usize>) {
    let mut reader = DoctypeReader { input, at, doctype: Doctype::default() };
    let end = reader.read();
    reader.doctype.force_quirks |= end == End::Cut;
    (reader.doctype, (end == End::Closed).then_some(reader.at))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// By `>`.
    Closed,
    /// The text ends before it.
    Cut,
    /// The text ends in what would be passed over anyway.
    CutInRest,
}

struct DoctypeReader<'i> {
    input: &'i str,
    at: usize,
    doctype: Doctype<'i>,
}

impl<'i> DoctypeReader<'i> {
    fn read(&mut self) -> End {
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && byte != b'>') {
            self.at += 1;
        }
        if start == self.at {
            self.doctype.force_quirks = true;
            return self.rest();
        }
        let name = self.input.get(start..self.at).unwrap_or_default();
        self.doctype.name = decode(name, Reading::Raw).to_ascii_lowercase();
        if self.peek().is_none() {
            return End::Cut;
        }
        self.skip_space();
        let token = self.input.as_bytes().get(self.at..self.at + 6).unwrap_or_default();
        let public = token.eq_ignore_ascii_case(b"public");
        if !public && !token.eq_ignore_ascii_case(b"system") {
            return self.odd_rest();
        }
        self.at += 6;
        if public {
            let (identifier, end) = self.identifier();
            self.doctype.public = identifier;
            if let Some(end) = end {
                return end;
            }
            if self.doctype.public.is_none() {
                self.doctype.force_quirks = true;
                return self.rest();
            }
        }
        let (identifier, end) = self.identifier();
        self.doctype.system = identifier;
        if let Some(end) = end {
            return end;
        }
        if self.doctype.system.is_none() {
            self.doctype.force_quirks |= !public;
            return self.odd_rest();
        }
        self.skip_space();
        self.rest()
    }

    fn peek(&self) -> Option<u8> {
        self.input.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        self.at = skip_space(self.input.as_bytes(), self.at);
    }

    /// An identifier in quotes, if one begins here; and how the declaration
    /// ends, if it ends inside.
    fn identifier(&mut self) -> (Option<Cow<'i, str>>, Option<End>) {
        self.skip_space();
        let Some(quote @ (b'"' | b'\'')) = self.peek() else { return (None, None) };
        self.at += 1;
        let start = self.at;
        let rest = self.input.as_bytes().get(start..).unwrap_or_default();
        let length = memchr::memchr2(quote, b'>', rest);
        self.at += length.unwrap_or(rest.len());
        let raw = self.input.get(start..self.at).unwrap_or_default();
        let end = match self.peek() {
            None => Some(End::Cut),
            Some(b'>') => {
                self.doctype.force_quirks = true;
                Some(self.rest())
            }
            Some(_) => {
                self.at += 1;
                None
            }
        };
        (Some(decode(raw, Reading::Raw)), end)
    }

    /// Passes over what stands before the `>`.
    fn rest(&mut self) -> End {
        let rest = self.input.as_bytes().get(self.at..).unwrap_or_default();
        match memchr::memchr(b'>', rest) {
            Some(length) => {
                self.at += length + 1;
                End::Closed
            }
            None if rest.is_empty() => End::Cut,
            None => End::CutInRest,
        }
    }

    /// The same where nothing but the `>` should stand.
    fn odd_rest(&mut self) -> End {
        self.doctype.force_quirks |= self.peek().is_some_and(|byte| byte != b'>');
        self.rest()
    }
}
