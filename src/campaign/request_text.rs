//! The request as one line of text, and back.
//!
//! ```text
//! ria AND ("estaleiro naval" OR person:"Amélia Vaz"|"A. Vaz"^0.8) AND NOT keyword:futebol
//! lang:pt event:"Festival da Ria 2024"[2024-07-01..2024-07-07] period:[2024-01-01..2024-12-31]
//! ```
//!
//! | written | meaning |
//! |---|---|
//! | `ria` | keyword |
//! | `fest*`, `w?rd`, `~word` | a keyword as searches have it: any letters, one letter, one letter other |
//! | `"estaleiro naval"` | phrase |
//! | `person:` `place:` `org:` `event:` `keyword:` `phrase:` + word or `"words"` | term of that kind |
//! | `lang:pt` | language of the page |
//! | `period:[2024-01-01..2024-12-31]` | date of the capture; either end may be left out |
//! | `name`&#124;`"other name"` | alias, any number of them |
//! | `name[2024-07-01..2024-07-07]` | first and last day; also a year or a month; `[2024]` is `[2024..2024]` |
//! | `name<https://…>` | a URI that names it |
//! | `name^-0.5` | weight from -1 to 1; without it 1 |
//! | `NOT x` or `-x`, `x AND y` or `x y`, `x OR y` | in falling order of precedence |
//! | `ALL(x, y)`, `ANY(x, y)` | groups by name; also of one part or none |
//!
//! Operators are in capitals: `and` is a word. A phrase in quotes is meant as it is written. NEAR, which
//! only searches have, is refused. Within quotes and `<…>` a
//! backslash escapes `"`, `>`, `\`, or begins `\n`, `\r`, `\t` or
//! `\u{2028}`. Suffixes may come in any order and after blanks; they are
//! written in the order of the table.
//!
//! Normal form, as [`fmt::Display`] writes it: `AND` and `OR` between the
//! parts of a group of two or more, brackets around every group inside
//! another, `ALL(…)` and `ANY(…)` for groups of one part or none, nothing at
//! all for an empty request. Every group stays as it is (none
//! is flattened), so that text and builder rows show the same tree: for
//! every tree of valid terms, writing and reading gives an equal one.

mod parse;
mod write;

use super::request::{Request, TermKind};
use crate::query::QueryError;
use crate::query::fields::{check_form, is_near};
use std::fmt;

/// Words of the syntax, which a plain keyword cannot be.
const RESERVED: [&str; 5] = ["AND", "OR", "NOT", "ALL", "ANY"];

/// The prefix of each kind; the first that fits is the one written.
const PREFIXES: [(&str, TermKind); 11] = [
    ("keyword", TermKind::Keyword),
    ("phrase", TermKind::Phrase),
    ("person", TermKind::Person),
    ("place", TermKind::Place),
    ("org", TermKind::Organisation),
    ("organisation", TermKind::Organisation),
    ("organization", TermKind::Organisation),
    ("event", TermKind::Event),
    ("lang", TermKind::Language),
    ("language", TermKind::Language),
    ("period", TermKind::Period),
];

impl TermKind {
    /// The prefix in text: `person` for `person:"Amélia Vaz"`.
    pub fn prefix(self) -> &'static str {
        PREFIXES.iter().find(|(_, kind)| *kind == self).map_or("keyword", |(prefix, _)| prefix)
    }
}

/// Whether a word needs no quotes.
fn is_plain(token: &str) -> bool {
    !token.is_empty()
        && !token.starts_with('-')
        && !RESERVED.contains(&token)
        && token.chars().all(|c| is_token_char(c) && !needs_escape(c))
        && !is_near(token)
        && check_form(token).is_ok()
}

/// Whether an unquoted token may hold the character.
fn is_token_char(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '[' | ']' | '<' | '>' | '^' | '|' | ',' | ':' | '\\') && !is_quote(c)
}

/// Straight quotes, and those that word processors put in their place.
fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

/// Characters that would break the line or its reading order.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The form of a day that text and JSON take: `2024`, `2024-07` or `2024-07-01`.
pub(super) fn is_day(text: &str) -> bool {
    let shape = matches!(text.len(), 4 | 7 | 10)
        && text.bytes().enumerate().all(|(i, b)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() });
    shape && crate::uri::CaptureDate::parse(text).is_ok()
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::request(f, self)
    }
}

impl std::str::FromStr for Request {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse::request(text)
    }
}

#[cfg(test)]
mod tests;
