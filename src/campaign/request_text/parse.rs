//! Text to tree: a recursive descent over the characters.

use super::{MAX_REQUEST_DEPTH, PREFIXES, RESERVED, is_day, is_quote, is_word_char};
use crate::campaign::request::{Request, Term, TermKind};

/// The text is no request: where, what was expected and what stands there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {expected} was expected, but {found} stands there")]
pub struct RequestTextError {
    /// Column of the first character that does not fit, from 1, in characters.
    pub column: usize,
    /// What could have stood there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

type Parsed<T> = Result<T, RequestTextError>;

const A_TERM: &str = "a word, a “quoted phrase”, a kind such as person:, NOT or a bracket";

pub(super) fn request(text: &str) -> Parsed<Request> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip_blanks();
    if parser.rest().is_empty() {
        return Ok(Request::default());
    }
    let request = parser.either()?;
    match parser.peek() {
        None => Ok(request),
        Some(')') => Err(parser.error("AND, OR, another term or the end (there is no open bracket)")),
        Some(_) => Err(parser.error("AND, OR, another term or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Bytes read.
    at: usize,
    /// Open groups and NOTs.
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Parts joined by OR. Ends before what cannot go on.
    fn either(&mut self) -> Parsed<Request> {
        let first = self.all()?;
        let mut parts = vec![first];
        while self.take_word("OR") {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Request::Or))
    }

    /// Parts joined by AND or by nothing.
    fn all(&mut self) -> Parsed<Request> {
        let mut parts = vec![self.unary()?];
        loop {
            let goes_on = self.take_word("AND")
                || match self.peek() {
                    None | Some(')' | ',') => false,
                    Some(_) => self.peek_word() != "OR",
                };
            if !goes_on {
                return Ok(one_or(parts, Request::And));
            }
            parts.push(self.unary()?);
        }
    }

    fn unary(&mut self) -> Parsed<Request> {
        if self.take_word("NOT") || self.take('-') {
            return self.deeper(|parser| Ok(Request::Not(Box::new(parser.unary()?))));
        }
        if self.peek() == Some('(') {
            return self.deeper(|parser| {
                parser.take('(');
                parser.skip_blanks();
                if parser.peek() == Some(')') {
                    return Err(parser.error("a term in the brackets, or ALL() for a group without parts"));
                }
                let inner = parser.either()?;
                parser.close_group("AND, OR, another term or a closing bracket “)”")?;
                Ok(inner)
            });
        }
        for (word, group) in [("ALL", Request::And as fn(_) -> _), ("ANY", Request::Or)] {
            if self.take_word(word) {
                return self.deeper(|parser| Ok(group(parser.list(word)?)));
            }
        }
        if RESERVED.contains(&self.peek_word()) {
            return Err(self.error(&format!("{A_TERM} (the word itself is written keyword:\"{}\")", self.peek_word())));
        }
        self.term().map(Request::Term)
    }

    /// `(x, y)` behind ALL or ANY.
    fn list(&mut self, word: &str) -> Parsed<Vec<Request>> {
        if !self.take('(') {
            return Err(self.error(&format!("“(” behind {word} (the word itself is written keyword:\"{word}\")")));
        }
        self.skip_blanks();
        let mut parts = Vec::new();
        if self.take(')') {
            self.skip_blanks();
            return Ok(parts);
        }
        loop {
            parts.push(self.either()?);
            if !self.take(',') {
                break;
            }
            self.skip_blanks();
        }
        self.close_group("a comma, AND, OR, another term or a closing bracket “)”")?;
        Ok(parts)
    }

    fn close_group(&mut self, expected: &str) -> Parsed<()> {
        if !self.take(')') {
            return Err(self.error(expected));
        }
        self.skip_blanks();
        Ok(())
    }

    fn term(&mut self) -> Parsed<Term> {
        let start = self.at;
        let (kind, value) = match self.peek() {
            Some(c) if is_quote(c) => (TermKind::Phrase, self.quoted()?),
            Some(c) if is_word_char(c) => {
                let word = self.word();
                if self.take(':') {
                    let Some(kind) = kind_of(word) else {
                        self.at = start;
                        return Err(self.error(
                            "one of keyword: phrase: person: place: org: event: lang: period: (text with a colon in it goes in quotes)",
                        ));
                    };
                    (kind, self.value_of(kind)?)
                } else {
                    (TermKind::Keyword, word.to_owned())
                }
            }
            _ => return Err(self.error(A_TERM)),
        };
        let mut term = Term { kind, value, weight: 1.0, aliases: Vec::new(), uri: None, from: None, to: None };
        self.suffixes(&mut term)?;
        Ok(term)
    }

    /// What stands behind `kind:`. A period may do without a name.
    fn value_of(&mut self, kind: TermKind) -> Parsed<String> {
        match self.peek() {
            Some('[') if kind == TermKind::Period => Ok(String::new()),
            Some(c) if is_quote(c) || is_word_char(c) => self.name(),
            _ if kind == TermKind::Period => Err(self.error("days such as [2024-01-01..2024-12-31]")),
            _ => Err(self.error("a word or “words in quotes” right behind the colon")),
        }
    }

    fn suffixes(&mut self, term: &mut Term) -> Parsed<()> {
        let (mut has_days, mut has_weight) = (false, false);
        loop {
            let end_of_last = self.at;
            self.skip_blanks();
            match self.peek() {
                Some('|') => {
                    self.take('|');
                    self.skip_blanks();
                    let alias = self.name()?;
                    term.aliases.push(alias);
                }
                Some('[') if !has_days => {
                    has_days = true;
                    (term.from, term.to) = self.days()?;
                }
                Some('<') if term.uri.is_none() => {
                    self.take('<');
                    term.uri = Some(self.until('>', "the end of the URI, “>”")?);
                }
                Some('^') if !has_weight => {
                    has_weight = true;
                    self.take('^');
                    term.weight = self.weight()?;
                }
                Some('[') => return Err(self.error("no second pair of days")),
                Some('<') => return Err(self.error("no second URI")),
                Some('^') => return Err(self.error("no second weight")),
                // `"a""b"` would look like one thing and be two.
                Some(c) if self.at == end_of_last && !matches!(c, ')' | ',') => {
                    return Err(self.error("a blank, a bracket or one of | [ < ^"));
                }
                _ => return Ok(()),
            }
        }
    }

    fn days(&mut self) -> Parsed<(Option<String>, Option<String>)> {
        self.take('[');
        self.skip_blanks();
        let from = self.day()?;
        self.skip_blanks();
        if from.is_some() && self.take(']') {
            return Ok((from.clone(), from));
        }
        if !self.rest().starts_with("..") {
            return Err(self.error("“..” between first and last day, such as [2024-07-01..2024-07-07]"));
        }
        self.at += 2;
        self.skip_blanks();
        let start = self.at;
        let to = self.day()?;
        self.skip_blanks();
        if from.is_none() && to.is_none() {
            return Err(self.error("a first or a last day, such as 2024-07-01"));
        }
        // Text order is time order: `2024` and `2024-07` hold every day of theirs.
        if let (Some(first), Some(last)) = (&from, &to)
            && last.as_str() < first.as_str()
            && !first.starts_with(last.as_str())
        {
            self.at = start;
            return Err(self.error(&format!("a last day not before {first}")));
        }
        if !self.take(']') {
            return Err(self.error("“]” behind the last day"));
        }
        Ok((from, to))
    }

    /// A day, or none where the end stays open.
    fn day(&mut self) -> Parsed<Option<String>> {
        let start = self.at;
        let day = match self.peek() {
            Some(c) if is_quote(c) => self.quoted()?,
            _ => {
                let rest = self.rest();
                let end = rest.find(|c: char| c == ']' || c.is_whitespace()).unwrap_or(rest.len());
                let end = rest.find("..").map_or(end, |dots| dots.min(end));
                self.at += end;
                match rest.get(..end) {
                    None | Some("") => return Ok(None),
                    Some(day) => day.to_owned(),
                }
            }
        };
        if is_day(&day) {
            return Ok(Some(day));
        }
        self.at = start;
        Err(self.error("a day such as 2024-07-01, a month such as 2024-07 or a year"))
    }

    fn weight(&mut self) -> Parsed<f64> {
        let rest = self.rest();
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(rest.len());
        match rest.get(..end).unwrap_or_default().parse::<f64>() {
            Ok(weight) if (-1.0..=1.0).contains(&weight) => {
                self.at += end;
                Ok(weight)
            }
            _ => Err(self.error("a weight from -1 to 1 such as 0.5")),
        }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(c) if is_quote(c) => self.quoted(),
            Some(c) if is_word_char(c) => Ok(self.word().to_owned()),
            _ => Err(self.error("a word or “words in quotes”")),
        }
    }

    fn quoted(&mut self) -> Parsed<String> {
        let Some(open) = self.peek() else {
            return Err(self.error("a quotation mark"));
        };
        let close = match open {
            '"' => '"',
            '“' | '„' => '”',
            '«' => '»',
            _ => return Err(self.error("an opening quotation mark")),
        };
        self.take(open);
        self.until(close, "a closing quotation mark")
    }

    /// Text up to `end`, with its escapes resolved; `end` is taken.
    fn until(&mut self, end: char, expected: &str) -> Parsed<String> {
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.error(expected)),
                Some('\\') => text.push(self.escape()?),
                // German low quotes end with the mark that opens English ones.
                Some(c) if c == end || (end == '”' && c == '“') => {
                    self.take(c);
                    return Ok(text);
                }
                Some(c) => {
                    self.take(c);
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        self.take('\\');
        let c = match self.peek() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(c) if c == '\\' || c == '>' || is_quote(c) => {
                self.take(c);
                return Ok(c);
            }
            Some('u') => {
                let digits =
                    self.rest().strip_prefix("u{").and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
                let found = digits.and_then(|d| char::from_u32(u32::from_str_radix(d, 16).ok()?).map(|c| (c, d.len())));
                let Some((c, len)) = found else {
                    return Err(self.error("a character's number such as u{2028}"));
                };
                self.at += len + "u{}".len();
                return Ok(c);
            }
            _ => return Err(self.error("n, r, t, u{…}, a quotation mark, “>” or a backslash behind the backslash")),
        };
        self.at += 1;
        Ok(c)
    }

    fn word(&mut self) -> &'a str {
        let word = self.peek_word();
        self.at += word.len();
        word
    }

    /// The bare word ahead; empty where there is none.
    fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Takes an operator, unless it is a prefix (`OR:`), and the blanks behind it.
    fn take_word(&mut self, word: &str) -> bool {
        if self.peek_word() != word || self.rest().get(word.len()..).is_some_and(|rest| rest.starts_with(':')) {
            return false;
        }
        self.at += word.len();
        self.skip_blanks();
        true
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_REQUEST_DEPTH {
            return Err(self.error(&format!("an end: groups go {MAX_REQUEST_DEPTH} deep at most")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let taken = self.peek() == Some(c);
        if taken {
            self.at += c.len_utf8();
        }
        taken
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error(&self, expected: &str) -> RequestTextError {
        let read = self.text.get(..self.at).unwrap_or_default();
        let found = match (self.peek_word(), self.peek()) {
            (_, None) => "the end".to_owned(),
            ("", Some(c)) => format!("“{}”", c.escape_debug()),
            (word, _) => format!("“{}”", word.chars().take(40).collect::<String>().escape_debug()),
        };
        RequestTextError { column: read.chars().count() + 1, expected: expected.to_owned(), found }
    }
}

fn one_or(mut parts: Vec<Request>, group: fn(Vec<Request>) -> Request) -> Request {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            group(parts)
        }
        None => group(parts),
    }
}

fn kind_of(prefix: &str) -> Option<TermKind> {
    PREFIXES.iter().find(|(name, _)| name.eq_ignore_ascii_case(prefix)).map(|(_, kind)| *kind)
}
