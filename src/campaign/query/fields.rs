//! Queries of words and `field:value`: the grammar of filter lines.
//!
//! A word ends at white space. Quotes keep white space together; within them
//! a quotation mark is written twice. A word that begins with a quotation
//! mark is text whatever it holds (`"OR"`, `"date:2019"`, `"(a"`). Brackets
//! inside a word belong to it as long as they come in pairs:
//! `https://a.pt/wiki/A_(b)` is one word, also in `(x OR /wiki/A_(b))`.
//!
//! A field's name has only letters and stands before the first of `:`, `=`,
//! `<` and `>`: `a.pt/x?id=4` and `https://a.pt/` are words.

use super::{Cursor, Parsed, Query, Terms, parse};

/// One word of a filter line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTerm {
    /// Column of its first character, from 1.
    pub column: usize,
    /// The word as it is meant: without quotes.
    pub text: String,
    /// Whether a part of it was in quotes.
    pub is_quoted: bool,
    /// The field that it asks for; none for a plain word.
    pub field: Option<FieldTest>,
}

/// What a word says about a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTest {
    /// The field's name in lower case; whether there is such a field is not
    /// known here.
    pub name: String,
    /// How field and value are compared.
    pub sign: Sign,
    /// The value without quotes.
    pub value: String,
    /// Column of the value's first character, from 1.
    pub value_column: usize,
}

/// How a field is compared with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `:` – holds the value; each field says what that means.
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
}

/// Names with more than letters: `inlinks.ext`.
const DOTTED: [&str; 1] = ["inlinks."];

/// Schemes of URLs, whose colon makes no field.
const SCHEMES: [&str; 4] = ["http", "https", "dns", "urn"];

/// Reads a filter line; an empty one asks for nothing.
pub fn parse_fields(line: &str) -> Parsed<Query<FieldTerm>> {
    parse::<FilterTerms>(line)
}

/// The terms of a filter line.
struct FilterTerms;

impl Terms for FilterTerms {
    type Term = FieldTerm;
    const A_TERM: &'static str = "a word, a field such as host:a.pt, NOT or a bracket";
    const HAS_NAMED_GROUPS: bool = false;

    fn token(rest: &str) -> &str {
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn literal(word: &str) -> String {
        format!("\"{word}\"")
    }

    fn negates(rest: &str) -> bool {
        rest.chars().next().is_some_and(|next| !next.is_whitespace() && next != ')')
    }

    fn term(cursor: &mut Cursor<'_>) -> Parsed<FieldTerm> {
        let column = cursor.column();
        let mut text = String::new();
        // Bytes of `text` before the first quotation mark.
        let mut bare = None;
        let mut open_brackets = 0_usize;
        while let Some(c) = cursor.peek() {
            match c {
                '"' => {
                    bare.get_or_insert(text.len());
                    quoted(cursor, &mut text)?;
                    continue;
                }
                c if c.is_whitespace() => break,
                '(' => open_brackets += 1,
                ')' if open_brackets > 0 => open_brackets -= 1,
                ')' if cursor.is_in_group() || is_last(cursor) && !text.starts_with("re:") => break,
                _ => {}
            }
            cursor.take(c);
            text.push(c);
        }
        if bare.is_none() && text.is_empty() {
            return Err(cursor.error(Self::A_TERM, ""));
        }
        cursor.skip_blanks();
        let field = field_of(&text, bare.unwrap_or(text.len()), column);
        Ok(FieldTerm { column, text, is_quoted: bare.is_some(), field })
    }
}

/// Whether the bracket ahead ends its word.
fn is_last(cursor: &Cursor<'_>) -> bool {
    cursor.rest().trim_start_matches(')').chars().next().is_none_or(char::is_whitespace)
}

/// Takes what is in quotes.
fn quoted(cursor: &mut Cursor<'_>, text: &mut String) -> Parsed<()> {
    cursor.take('"');
    loop {
        match cursor.peek() {
            None => return Err(cursor.error("a closing quotation mark", "")),
            Some('"') => {
                cursor.take('"');
                // Twice, it stands for itself.
                if !cursor.take('"') {
                    return Ok(());
                }
                text.push('"');
            }
            Some(c) => {
                cursor.take(c);
                text.push(c);
            }
        }
    }
}

/// The field at the beginning of a word, of which the first `bare` bytes were
/// not in quotes.
fn field_of(text: &str, bare: usize, column: usize) -> Option<FieldTest> {
    let end = text.get(..bare)?.find([':', '=', '<', '>'])?;
    let (name, rest) = text.split_at(end);
    let is_scheme = SCHEMES.iter().any(|scheme| name.eq_ignore_ascii_case(scheme)) && rest.starts_with(':');
    if !may_be_field(name) || is_scheme || rest.starts_with("://") {
        return None;
    }
    let sign = Sign::ALL.into_iter().find(|sign| rest.starts_with(sign.as_str()))?;
    Some(FieldTest {
        name: name.to_ascii_lowercase(),
        sign,
        value: rest.get(sign.as_str().len()..)?.to_owned(),
        value_column: column + name.chars().count() + sign.as_str().len(),
    })
}

/// Whether a person can have meant a field. A part of a URL, which has such
/// signs of its own, holds more than letters before the first one.
fn may_be_field(name: &str) -> bool {
    let dotted = |start: &&&str| name.get(..start.len()).is_some_and(|of| of.eq_ignore_ascii_case(start));
    let letters = DOTTED.iter().find(dotted).map_or(name, |start| &name[start.len()..]);
    !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// A value as a filter line takes it back, whatever characters it has.
pub fn quoted_value(value: &str) -> String {
    match value.contains(|c: char| matches!(c, '"' | '(' | ')') || c.is_whitespace()) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tree in brackets, so that tests can be read.
    fn shape(query: &Query<FieldTerm>) -> String {
        let list = |parts: &[Query<FieldTerm>]| parts.iter().map(shape).collect::<Vec<_>>().join(" ");
        match query {
            Query::And(parts) => format!("and[{}]", list(parts)),
            Query::Or(parts) => format!("or[{}]", list(parts)),
            Query::Not(part) => format!("not[{}]", shape(part)),
            Query::Term(FieldTerm { field: Some(field), .. }) => {
                format!("{}{}<{}>", field.name, field.sign.as_str(), field.value)
            }
            Query::Term(word) => format!("<{}>", word.text),
        }
    }

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(shape(&parse_fields(line).unwrap()), expected, "{line}");
    }

    #[track_caller]
    fn check_error(line: &str, column: usize, expected: &str) {
        let error = parse_fields(line).unwrap_err();
        assert_eq!(error.column, column, "{line}: {error}");
        assert!(error.expected.contains(expected), "{line}: {error}");
    }

    #[test]
    fn operators_and_brackets_make_a_tree() {
        check("", "and[]");
        check("a b", "and[<a> <b>]");
        check("a AND b OR -c d", "or[and[<a> <b>] and[not[<c>] <d>]]");
        check("NOT (host:a.pt OR mime=x) b", "and[not[or[host:<a.pt> mime=<x>]] <b>]");
        check("-(a b)", "not[and[<a> <b>]]");
        check("(a)(b)", "and[<a> <b>]");
        check("a or b and - not", "and[<a> <or> <b> <and> <-> <not>]");
        check("date>=2019 date<2020 Size>3 size<=4", "and[date>=<2019> date<<2020> size><3> size<=<4>]");
        check("orange NOTE ANDES ALL ANY", "and[<orange> <NOTE> <ANDES> <ALL> <ANY>]");
    }

    #[test]
    fn what_belongs_to_a_url_is_no_operator() {
        check("https://a.pt/wiki/A_(b)", "<https://a.pt/wiki/A_(b)>");
        check("(x OR /wiki/A_(b))", "or[<x> </wiki/A_(b)>]");
        check("/wiki/A_(b", "</wiki/A_(b>");
        check("a)b", "<a)b>");
        check("url:/wiki/A_(b) re:(a|b)\\)", "and[url:</wiki/A_(b)> re:<(a|b)\\)>]");
        for line in [
            "a.pt/x?id=4",
            "?id=4",
            "a.pt:8080/",
            "/2024:03",
            "=4",
            "inlinks.pt/?a=1",
            "HTTP://a.pt/?x=(1)",
            "dns:a.pt",
            "a,b",
        ] {
            check(line, &format!("<{line}>"));
        }
        check("ftp://a.pt/", "<ftp://a.pt/>");
    }

    #[test]
    fn quotes_make_text_of_anything() {
        check("\"a  b\" -\"c d\"", "and[<a  b> not[<c d>]]");
        check("host=\"a\"\"b.pt\" x", "and[host=<a\"b.pt> <x>]");
        check("\"OR\" \"date:2019\" \"(a\" \"-b\" \"\"", "and[<OR> <date:2019> <(a> <-b> <>]");
        check("anchor:\"uma frase\"", "anchor:<uma frase>");
        check("ti\"tle:x\"", "<title:x>");
    }

    #[test]
    fn errors_name_the_column() {
        check_error("é \"open", 8, "a closing quotation mark");
        check_error("a OR", 5, "a word");
        check_error("a OR OR b", 6, "\"OR\"");
        check_error("AND b", 1, "\"AND\"");
        check_error("(a b", 5, "a closing bracket");
        check_error("a OR b)", 7, "no open bracket");
        check_error("a ) b", 3, "no open bracket");
        check_error("a ()", 4, "a term in the brackets");
        check_error(&"(".repeat(100_000), 51, "50 deep");
    }

    #[test]
    fn columns_are_counted_in_characters() {
        let Query::And(parts) = parse_fields("é (mark:x)").unwrap() else { panic!("no AND") };
        let Query::Term(term) = &parts[1] else { panic!("no term") };
        assert_eq!((term.column, term.field.as_ref().unwrap().value_column), (4, 9));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_value_comes_back(value in "[a-zé ()\":<>=\\\\-]{1,12}|.{1,6}") {
            let Query::Or(parts) = parse_fields(&format!("(x OR -host={})", quoted_value(&value))).unwrap() else {
                panic!("no OR");
            };
            prop_assert_eq!(shape(&parts[1]), format!("not[host=<{value}>]"));
        }
    }
}
