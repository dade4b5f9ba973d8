//! Text to tree: the terms of a request.

use super::{PREFIXES, is_day, is_quote, is_token_char};
use crate::campaign::request::{Request, Term, TermKind};
use crate::query::fields::{check_form, is_near};
use crate::query::limits::{Excess, check_text};
use crate::query::{Cursor, Parsed, QueryError, Terms, parse};

const A_TERM: &str = "a word, a “quoted phrase”, a kind such as person:, NOT or a bracket";

pub(super) fn request(text: &str) -> Parsed<Request> {
    parse::<RequestTerms>(text)
}

/// The terms of a request.
struct RequestTerms;

impl Terms for RequestTerms {
    type Term = Term;
    const A_TERM: &'static str = A_TERM;
    const INSTEAD_OF_MANY: &'static str = "write other names of the same as aliases: a|b";
    const HAS_NAMED_GROUPS: bool = true;

    fn token(rest: &str) -> &str {
        first_token(rest)
    }

    fn literal(token: &str) -> String {
        format!("keyword:\"{token}\"")
    }

    fn negates(_: &str) -> bool {
        true
    }

    fn term(cursor: &mut Cursor<'_>) -> Parsed<Term> {
        TermReader { cursor }.term()
    }
}

struct TermReader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
}

impl<'a> TermReader<'_, 'a> {
    fn term(&mut self) -> Parsed<Term> {
        let start = self.cursor.position();
        let (kind, value) = match self.cursor.peek() {
            Some(c) if is_quote(c) => (TermKind::Phrase, self.quoted()?),
            Some(c) if is_token_char(c) => {
                let token = self.bare()?;
                if self.cursor.take(':') {
                    let Some(kind) = kind_of(token) else {
                        self.cursor.rewind(start);
                        return Err(self.error(
                            "one of keyword: phrase: person: place: org: event: lang: period: (text with a colon in it goes in quotes)",
                        ));
                    };
                    (kind, self.value_of(kind)?)
                } else {
                    (TermKind::Keyword, token.to_owned())
                }
            }
            _ => return Err(self.error(A_TERM)),
        };
        self.check_limits(start, &value)?;
        let mut term = Term { kind, value, weight: 1.0, aliases: Vec::new(), uri: None, from: None, to: None };
        self.suffixes(&mut term)?;
        Ok(term)
    }

    /// A name that began at this position has to be within the limits of text.
    fn check_limits(&mut self, start: usize, name: &str) -> Parsed<()> {
        check_text(name).map_err(|Excess { expected, found }| {
            self.cursor.rewind(start);
            QueryError { column: self.cursor.column(), expected, found }
        })
    }

    /// The text after `kind:`. A period may do without a name.
    fn value_of(&mut self, kind: TermKind) -> Parsed<String> {
        match self.cursor.peek() {
            Some('[') if kind == TermKind::Period => Ok(String::new()),
            Some(c) if is_quote(c) || is_token_char(c) => self.name(),
            _ if kind == TermKind::Period => Err(self.error("days such as [2024-01-01..2024-12-31]")),
            _ => Err(self.error("a word or “words in quotes” right behind the colon")),
        }
    }

    fn suffixes(&mut self, term: &mut Term) -> Parsed<()> {
        let (mut has_days, mut has_weight) = (false, false);
        loop {
            let end_of_last = self.cursor.position();
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                Some('|') => {
                    self.cursor.take('|');
                    self.cursor.skip_blanks();
                    let start = self.cursor.position();
                    let alias = self.name()?;
                    self.check_limits(start, &alias)?;
                    term.aliases.push(alias);
                }
                Some('[') if !has_days => {
                    has_days = true;
                    (term.from, term.to) = self.days()?;
                }
                Some('<') if term.uri.is_none() => {
                    self.cursor.take('<');
                    term.uri = Some(self.until('>', "the end of the URI, “>”")?);
                }
                Some('^') if !has_weight => {
                    has_weight = true;
                    self.cursor.take('^');
                    term.weight = self.weight()?;
                }
                Some('[') => return Err(self.error("no second pair of days")),
                Some('<') => return Err(self.error("no second URI")),
                Some('^') => return Err(self.error("no second weight")),
                // `"a""b"` would look like one thing and be two.
                Some(c) if self.cursor.position() == end_of_last && !matches!(c, ')' | ',') => {
                    return Err(self.error("a blank, a bracket or one of | [ < ^"));
                }
                _ => return Ok(()),
            }
        }
    }

    fn days(&mut self) -> Parsed<(Option<String>, Option<String>)> {
        self.cursor.take('[');
        self.cursor.skip_blanks();
        let from = self.day()?;
        self.cursor.skip_blanks();
        if from.is_some() && self.cursor.take(']') {
            return Ok((from.clone(), from));
        }
        if !self.cursor.rest().starts_with("..") {
            return Err(self.error("“..” between first and last day, such as [2024-07-01..2024-07-07]"));
        }
        self.cursor.advance(2);
        self.cursor.skip_blanks();
        let start = self.cursor.position();
        let to = self.day()?;
        self.cursor.skip_blanks();
        if from.is_none() && to.is_none() {
            return Err(self.error("a first or a last day, such as 2024-07-01"));
        }
        // Text order is time order: `2024` and `2024-07` hold every day of theirs.
        if let (Some(first), Some(last)) = (&from, &to)
            && last.as_str() < first.as_str()
            && !first.starts_with(last.as_str())
        {
            self.cursor.rewind(start);
            return Err(self.error(&format!("a last day not before {first}")));
        }
        if !self.cursor.take(']') {
            return Err(self.error("“]” behind the last day"));
        }
        Ok((from, to))
    }

    /// A day, or none where the end stays open.
    fn day(&mut self) -> Parsed<Option<String>> {
        let start = self.cursor.position();
        let day = match self.cursor.peek() {
            Some(c) if is_quote(c) => self.quoted()?,
            _ => {
                let rest = self.cursor.rest();
                let end = rest.find(|c: char| c == ']' || c.is_whitespace()).unwrap_or(rest.len());
                let end = rest.find("..").map_or(end, |dots| dots.min(end));
                self.cursor.advance(end);
                match rest.get(..end) {
                    None | Some("") => return Ok(None),
                    Some(day) => day.to_owned(),
                }
            }
        };
        if is_day(&day) {
            return Ok(Some(day));
        }
        self.cursor.rewind(start);
        Err(self.error("a day such as 2024-07-01, a month such as 2024-07 or a year"))
    }

    fn weight(&mut self) -> Parsed<f64> {
        let rest = self.cursor.rest();
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(rest.len());
        match rest.get(..end).unwrap_or_default().parse::<f64>() {
            Ok(weight) if (-1.0..=1.0).contains(&weight) => {
                self.cursor.advance(end);
                Ok(weight)
            }
            _ => Err(self.error("a weight from -1 to 1 such as 0.5")),
        }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.cursor.peek() {
            Some(c) if is_quote(c) => self.quoted(),
            Some(c) if is_token_char(c) => Ok(self.bare()?.to_owned()),
            _ => Err(self.error("a word or “words in quotes”")),
        }
    }

    fn quoted(&mut self) -> Parsed<String> {
        let Some(open) = self.cursor.peek() else {
            return Err(self.error("a quotation mark"));
        };
        let close = match open {
            '"' => '"',
            '“' | '„' => '”',
            '«' => '»',
            _ => return Err(self.error("an opening quotation mark")),
        };
        self.cursor.take(open);
        self.until(close, "a closing quotation mark")
    }

    /// Text up to `end`, with its escapes resolved; `end` is taken.
    fn until(&mut self, end: char, expected: &str) -> Parsed<String> {
        let mut text = String::new();
        loop {
            match self.cursor.peek() {
                None => return Err(self.error(expected)),
                Some('\\') => text.push(self.escape()?),
                // German low quotes end with the mark that opens English ones.
                Some(c) if c == end || (end == '”' && c == '“') => {
                    self.cursor.take(c);
                    return Ok(text);
                }
                Some(c) => {
                    self.cursor.take(c);
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        self.cursor.take('\\');
        let c = match self.cursor.peek() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(c) if c == '\\' || c == '>' || is_quote(c) => {
                self.cursor.take(c);
                return Ok(c);
            }
            Some('u') => {
                let digits = self
                    .cursor
                    .rest()
                    .strip_prefix("u{")
                    .and_then(|rest| rest.split_once('}'))
                    .map(|(digits, _)| digits);
                let found = digits.and_then(|d| char::from_u32(u32::from_str_radix(d, 16).ok()?).map(|c| (c, d.len())));
                let Some((c, len)) = found else {
                    return Err(self.error("a character's number such as u{2028}"));
                };
                self.cursor.advance(len + "u{}".len());
                return Ok(c);
            }
            _ => return Err(self.error("n, r, t, u{…}, a quotation mark, “>” or a backslash behind the backslash")),
        };
        self.cursor.advance(1);
        Ok(c)
    }

    /// A word without quotes.
    fn bare(&mut self) -> Parsed<&'a str> {
        let token = first_token(self.cursor.rest());
        if is_near(token) {
            return Err(self.error(&format!(
                "AND or a phrase: only searches have NEAR (the word itself is written keyword:\"{token}\")"
            )));
        }
        check_form(token).map_err(|Excess { expected, found }| QueryError {
            column: self.cursor.column(),
            expected,
            found,
        })?;
        self.cursor.advance(token.len());
        Ok(token)
    }

    fn error(&self, expected: &str) -> QueryError {
        self.cursor.error(expected, first_token(self.cursor.rest()))
    }
}

/// The bare token at the beginning of a text; empty where there is none.
fn first_token(rest: &str) -> &str {
    let end = rest.find(|c| !is_token_char(c)).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

fn kind_of(prefix: &str) -> Option<TermKind> {
    PREFIXES.iter().find(|(name, _)| name.eq_ignore_ascii_case(prefix)).map(|(_, kind)| *kind)
}
