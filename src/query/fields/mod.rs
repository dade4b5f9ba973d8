//! Queries of words, phrases and `field:value`: the grammar of filter lines
//! and of searches.
//!
//! A word ends at white space. Quotes keep white space together; within them
//! a quotation mark is written twice. A word that begins with a quotation
//! mark is text whatever it holds (`"OR"`, `"date:2019"`, `"(a"`). Brackets
//! inside a word belong to it as long as they come in pairs:
//! `https://a.pt/wiki/A_(b)` is one word, also in `(x OR /wiki/A_(b))`.
//!
//! A field's name has only letters and comes before the first of `:`, `=`, `<` and `>`:
//! `a.pt/x?id=4` and `https://a.pt/` are words.
//!
//! A [`TextTest`] is the meaning of a word, and of a value of a field with text ([`TEXT_FIELDS`]):
//!
//! | written | meaning |
//! |---|---|
//! | `word` | the word, in any of its forms |
//! | `=word` | the word as it is written |
//! | `"a phrase"`, `"a phrase"~3` | the words one behind the other; so many places apart at most |
//! | `a NEAR/5 b`, `a NEAR b` | both, so many words between them at most; 10 |
//! | `word*`, `w*d`, `w?rd` | any letters, none too; one letter |
//! | `~word` | one letter more, less or other |
//! | `a.pt/x`, `https://a.pt/x`, `www.a.pt` | a URL |
//! | `*` | anything |
//! | `word^2`, `"a phrase"^2`, `(a OR b)^2` | counts so much more in the order of results |

mod near_names;
mod read;
mod rules;
mod values;
mod wider;
mod write;

pub use near_names::{nearest_names, unknown_field};
pub(crate) use read::{check_form, is_near};
pub use read::{name_test, parse_fields};
pub use rules::QUERY_RULES;
pub use values::{Comparison, date_examples, number_range};
pub use wider::{Wider, wider};
pub use write::{quoted_value, write_query};

use super::{Cursor, Parsed, Query, Terms, parse};
use serde::{Deserialize, Serialize};

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldTerm {
    /// Column of its first character, from 1.
    pub column: usize,
    /// The term as it was written, without quotes and without what follows them.
    pub text: String,
    /// Whether a part of it was in quotes.
    pub is_quoted: bool,
    /// The test of a field; none for a plain word or phrase.
    pub field: Option<FieldTest>,
    /// The meaning of its text: that of the value, where there is a field.
    pub test: TextTest,
    /// The weight in the order of results: 1, or the number behind `^`.
    pub boost: f32,
}

/// A test of a field by a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldTest {
    /// The field's name in lower case; whether there is such a field is not
    /// known here.
    pub name: String,
    /// The comparison of field and value.
    pub sign: Sign,
    /// The value without quotes.
    pub value: String,
    /// Column of the value's first character, from 1.
    pub value_column: usize,
}

/// A test of text. What is one word, the folding of `text` decides: case and accents never matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextTest {
    /// Anything at all: `*`.
    Any,
    /// A word in any of its forms; may hold signs that folding drops, and then
    /// is several words one behind the other (`ex-ministro`).
    Word(String),
    /// A word as it is written, no other form of it: `=word`.
    Exact(String),
    /// Words one behind the other, as they are written.
    Phrase {
        /// The phrase.
        text: String,
        /// The distance of words from their places in the phrase: the largest displacement less the
        /// smallest. 0 is the phrase itself, 1 lets one other word in, 2 lets two neighbours change places.
        slop: u32,
    },
    /// Two of the others, in any order.
    Near {
        /// One: a word, phrase, pattern or the like; no [`Self::Near`].
        left: Box<TextTest>,
        /// The other.
        right: Box<TextTest>,
        /// So many words lie between them at most.
        within: u32,
    },
    /// Letters and digits with `*` for any of them, also none, and `?` for one.
    /// Only `host:` has a `*` in front, and other characters.
    Pattern(String),
    /// A word with one letter more, less, other or changed with its neighbour.
    Fuzzy(String),
    /// A URL, with or without its scheme.
    Url(String),
}

/// The comparison of a field with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// `:` – holds the value; each field defines what that means.
    Has,
    /// `=` – is the value.
    Is,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Sign {
    /// Signs as they are written; those of two characters come first.
    const ALL: [Self; 6] = [Self::AtMost, Self::AtLeast, Self::Has, Self::Is, Self::Less, Self::Greater];

    /// The sign as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Has => ":",
            Self::Is => "=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether it compares what has an order.
    pub fn is_ordering(self) -> bool {
        !matches!(self, Self::Has | Self::Is)
    }
}

/// Fields with text: their values are read as plain words are.
pub const TEXT_FIELDS: [&str; 7] = ["text", "main", "rest", "title", "anchor", "anchors", "url"];

/// Names with more than letters: `inlinks.ext`.
const DOTTED: [&str; 1] = ["inlinks."];

/// Schemes of URLs, whose colon makes no field.
const SCHEMES: [&str; 4] = ["http", "https", "dns", "urn"];

/// Words between the sides of NEAR where it has no number.
const NEAR_WITHIN: u32 = 10;

/// The highest number behind `~` and NEAR.
const MAX_DISTANCE: u32 = 100;

/// The highest number behind `^`.
const MAX_BOOST: f32 = 1000.0;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
