//! Boolean queries as text: AND, OR, NOT and brackets over terms of any kind.
//!
//! | written | meaning |
//! |---|---|
//! | `x y`, `x AND y` | both |
//! | `x OR y` | at least one; binds less than AND |
//! | `NOT x`, `-x` | not this one; binds tightest |
//! | `( … )` | a group |
//!
//! Operators are in capitals: `or` is a word. A [`Terms`] defines what a term is: the request of a
//! campaign has kinds and weights, filter lines and searches ([`fields`]) have words, phrases and
//! `field:value`.
//!
//! In: a line of text. Out: a tree of terms, each with the meaning of its text ([`TextTest`]); the
//! line again; a message with the column.
//!
//! Invariants: no line costs more than `limits` allow; what is written is read
//! as the same tree.
//!
//! Not here: which fields there are and what answers them (`store`, `search`,
//! `work`), what the terms of a request are (`campaign`).

pub(crate) mod fields;
pub(crate) mod limits;

pub use fields::{
    Comparison, FieldTerm, FieldTest, QUERY_RULES, Sign, TEXT_FIELDS, TextTest, Wider, date_examples, name_test,
    nearest_names, number_range, parse_fields, quoted_value, unknown_field, wider, write_query,
};

use serde::{Deserialize, Serialize};

/// Groups within groups, at most. Keeps every query that can be written
/// also within what a JSON reader and a catalogue take.
pub const MAX_REQUEST_DEPTH: usize = 50;

/// A boolean tree over terms. `And` of nothing has no condition and is met by all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Query<T> {
    /// All parts hold.
    And(Vec<Query<T>>),
    /// At least one part holds.
    Or(Vec<Query<T>>),
    /// The part does not hold.
    Not(Box<Query<T>>),
    /// One term holds.
    Term(T),
}

impl<T> Default for Query<T> {
    fn default() -> Self {
        Self::And(Vec::new())
    }
}

impl<T> Query<T> {
    /// Calls `each` with every term, in reading order.
    pub fn for_each_term(&self, each: &mut impl FnMut(&T)) {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.for_each_term(each)),
            Self::Not(part) => part.for_each_term(each),
            Self::Term(term) => each(term),
        }
    }

    /// The number of its terms.
    pub fn count(&self) -> usize {
        let mut count = 0;
        self.for_each_term(&mut |_| count += 1);
        count
    }

    /// Calls `each` with every term, in reading order, which may change it.
    pub fn for_each_term_mut(&mut self, each: &mut impl FnMut(&mut T)) {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter_mut().for_each(|part| part.for_each_term_mut(each)),
            Self::Not(part) => part.for_each_term_mut(each),
            Self::Term(term) => each(term),
        }
    }

    /// Whether it has no term, so that everything meets it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::And(parts) => parts.iter().all(Self::is_empty),
            Self::Or(_) | Self::Not(_) | Self::Term(_) => false,
        }
    }

    /// Groups within groups, the deepest way down; 0 for a single term.
    pub fn depth(&self) -> usize {
        match self {
            Self::And(parts) | Self::Or(parts) => 1 + parts.iter().map(Self::depth).max().unwrap_or(0),
            Self::Not(part) => 1 + part.depth(),
            Self::Term(_) => 0,
        }
    }
}

/// The text is no query: where, what was expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: expected {expected}, found {found}")]
pub struct QueryError {
    /// Column of the first character that does not fit, from 1, in characters.
    pub column: usize,
    /// The text that was expected.
    pub expected: String,
    /// The text that was found.
    pub found: String,
}

pub(crate) type Parsed<T> = Result<T, QueryError>;

/// The terms of a kind of query: how they are read and written.
pub(crate) trait Terms {
    /// A term.
    type Term;
    /// The text that may begin a term, for messages.
    const A_TERM: &'static str;
    /// A way to write many terms, for messages.
    const INSTEAD_OF_MANY: &'static str;
    /// Whether groups may be written by name too: `ALL(x, y)`, `ANY(x, y)`.
    const HAS_NAMED_GROUPS: bool;

    /// The token at the beginning of a text, which may be an operator; empty
    /// where there is none.
    fn token(rest: &str) -> &str;

    /// The form in which a word that is also an operator is a term.
    fn literal(word: &str) -> String;

    /// Whether a `-` before this text negates what follows.
    fn negates(rest: &str) -> bool;

    /// Reads a term and the blanks behind it.
    fn term(cursor: &mut Cursor<'_>) -> Parsed<Self::Term>;

    /// Bytes of a name before an opening bracket that holds for the whole group, such as `title:`.
    fn group_name(_: &str) -> usize {
        0
    }

    /// Gives a group the name that stands before it, at this column.
    fn name_group(_: &str, _: usize, _: &mut Query<Self::Term>) -> Parsed<()> {
        Ok(())
    }

    /// Reads what may follow the closing bracket of a group and holds for all of it.
    fn behind_group(_: &mut Cursor<'_>, _: &mut Query<Self::Term>) -> Parsed<()> {
        Ok(())
    }
}

/// Reads a query; empty text has no condition.
pub(crate) fn parse<S: Terms>(text: &str) -> Parsed<Query<S::Term>> {
    let mut parser =
        Parser::<S> { cursor: Cursor { text, at: 0, depth: 0, groups: 0, terms: 0 }, terms: std::marker::PhantomData };
    parser.cursor.skip_blanks();
    if parser.cursor.rest().is_empty() {
        return Ok(Query::default());
    }
    let query = parser.either()?;
    match parser.cursor.peek() {
        None => Ok(query),
        Some(')') => Err(parser.error("AND, OR, another term or the end (there is no open bracket)")),
        Some(_) => Err(parser.error("AND, OR, another term or the end")),
    }
}

/// A place in a text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    /// Bytes read.
    at: usize,
    /// Open groups and NOTs.
    depth: usize,
    /// Open brackets.
    groups: usize,
    /// Terms read.
    terms: usize,
}

impl<'a> Cursor<'a> {
    /// The text ahead.
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The character ahead.
    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes a character if it is the one ahead.
    pub(crate) fn take(&mut self, c: char) -> bool {
        let taken = self.peek() == Some(c);
        if taken {
            self.at += c.len_utf8();
        }
        taken
    }

    /// Moves on by bytes.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Bytes read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Goes back to where [`Self::position`] was.
    pub(crate) fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    /// Whether a bracket is open.
    pub(crate) fn is_in_group(&self) -> bool {
        self.groups > 0
    }

    /// Moves over white space.
    pub(crate) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The column of the character ahead, from 1.
    pub(crate) fn column(&self) -> usize {
        self.text.get(..self.at).unwrap_or_default().chars().count() + 1
    }

    /// An error at this place; `word` is the word ahead, empty where there is none.
    pub(crate) fn error(&self, expected: &str, word: &str) -> QueryError {
        let found = match (word, self.peek()) {
            (_, None) => "the end".to_owned(),
            ("", Some(c)) => format!("“{}”", c.escape_debug()),
            (word, _) => format!("“{}”", word.chars().take(40).collect::<String>().escape_debug()),
        };
        QueryError { column: self.column(), expected: expected.to_owned(), found }
    }
}

/// A recursive descent over the characters.
struct Parser<'a, S> {
    cursor: Cursor<'a>,
    terms: std::marker::PhantomData<S>,
}

impl<S: Terms> Parser<'_, S> {
    /// Parts joined by OR. Ends before what cannot go on.
    fn either(&mut self) -> Parsed<Query<S::Term>> {
        let mut parts = vec![self.all()?];
        while self.take_operator("OR") {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Query::Or))
    }

    /// Parts joined by AND or by nothing.
    fn all(&mut self) -> Parsed<Query<S::Term>> {
        let mut parts = vec![self.unary()?];
        loop {
            let goes_on = self.take_operator("AND")
                || match self.cursor.peek() {
                    None | Some(')') => false,
                    Some(',') if S::HAS_NAMED_GROUPS => false,
                    Some(_) => S::token(self.cursor.rest()) != "OR",
                };
            if !goes_on {
                return Ok(one_or(parts, Query::And));
            }
            parts.push(self.unary()?);
        }
    }

    fn unary(&mut self) -> Parsed<Query<S::Term>> {
        let negates = self.cursor.rest().strip_prefix('-').is_some_and(S::negates);
        if self.take_operator("NOT") || (negates && self.cursor.take('-')) {
            return self.deeper(|parser| Ok(Query::Not(Box::new(parser.unary()?))));
        }
        let name_len = S::group_name(self.cursor.rest());
        if name_len > 0 || self.cursor.peek() == Some('(') {
            return self.deeper(|parser| {
                let (column, name) = (parser.cursor.column(), parser.cursor.rest());
                parser.cursor.advance(name_len);
                parser.open_group();
                if parser.cursor.peek() == Some(')') {
                    let or_none = if S::HAS_NAMED_GROUPS { ", or ALL() for a group without parts" } else { "" };
                    return Err(parser.error(&format!("a term in the brackets{or_none}")));
                }
                let mut inner = parser.either()?;
                parser.close_group("AND, OR, another term or a closing bracket “)”")?;
                if name_len > 0 {
                    S::name_group(name.get(..name_len).unwrap_or_default(), column, &mut inner)?;
                }
                S::behind_group(&mut parser.cursor, &mut inner)?;
                parser.cursor.skip_blanks();
                Ok(inner)
            });
        }
        if S::HAS_NAMED_GROUPS {
            for (word, group) in [("ALL", Query::And as fn(_) -> _), ("ANY", Query::Or)] {
                if self.take_operator(word) {
                    return self.deeper(|parser| Ok(group(parser.list(word)?)));
                }
            }
        }
        let word = S::token(self.cursor.rest());
        if matches!(word, "AND" | "OR" | "NOT") || (S::HAS_NAMED_GROUPS && matches!(word, "ALL" | "ANY")) {
            return Err(self.error(&format!("{} (the word itself is written {})", S::A_TERM, S::literal(word))));
        }
        self.cursor.terms += 1;
        if self.cursor.terms > limits::MAX_TERMS {
            return Err(self.error(&limits::no_more_terms(S::INSTEAD_OF_MANY)));
        }
        S::term(&mut self.cursor).map(Query::Term)
    }

    /// `(x, y)` behind ALL or ANY.
    fn list(&mut self, word: &str) -> Parsed<Vec<Query<S::Term>>> {
        if self.cursor.peek() != Some('(') {
            return Err(self.error(&format!("“(” behind {word} (the word itself is written {})", S::literal(word))));
        }
        self.open_group();
        let mut parts = Vec::new();
        if self.cursor.peek() != Some(')') {
            loop {
                parts.push(self.either()?);
                if !self.cursor.take(',') {
                    break;
                }
                self.cursor.skip_blanks();
            }
        }
        self.close_group("a comma, AND, OR, another term or a closing bracket “)”")?;
        self.cursor.skip_blanks();
        Ok(parts)
    }

    fn open_group(&mut self) {
        self.cursor.take('(');
        self.cursor.groups += 1;
        self.cursor.skip_blanks();
    }

    fn close_group(&mut self, expected: &str) -> Parsed<()> {
        if !self.cursor.take(')') {
            return Err(self.error(expected));
        }
        self.cursor.groups -= 1;
        Ok(())
    }

    /// Takes an operator, unless it is a prefix (`OR:`), and the blanks behind it.
    fn take_operator(&mut self, word: &str) -> bool {
        let rest = self.cursor.rest();
        if S::token(rest) != word || rest.get(word.len()..).is_some_and(|rest| rest.starts_with(':')) {
            return false;
        }
        self.cursor.advance(word.len());
        self.cursor.skip_blanks();
        true
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.cursor.depth >= MAX_REQUEST_DEPTH {
            return Err(self.error(&format!("an end: groups go {MAX_REQUEST_DEPTH} deep at most")));
        }
        self.cursor.depth += 1;
        let result = read(self);
        self.cursor.depth -= 1;
        result
    }

    fn error(&self, expected: &str) -> QueryError {
        self.cursor.error(expected, S::token(self.cursor.rest()))
    }
}

fn one_or<T>(mut parts: Vec<Query<T>>, group: fn(Vec<Query<T>>) -> Query<T>) -> Query<T> {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            group(parts)
        }
        None => group(parts),
    }
}
