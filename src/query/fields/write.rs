//! Tree to text.

use super::{FieldTerm, Query, Sign, TextTest, parse_fields};
use std::fmt::Write;

/// A query as text, which reads back as the same tree, columns aside. What cannot be written as it
/// is gets the nearest text that means the same: groups of one or no part (`*` is met by all, `-*`
/// by none) and words that only mean themselves in quotes.
pub fn write_query(query: &Query<FieldTerm>) -> String {
    match query {
        Query::And(parts) if parts.is_empty() => String::new(),
        query => {
            let mut out = String::new();
            part(&mut out, query, Place::Whole);
            out
        }
    }
}

/// The place of a part in its query.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Whole,
    InOr,
    Inside,
}

fn part(out: &mut String, query: &Query<FieldTerm>, place: Place) {
    let (parts, joint, is_bare, inner) = match query {
        Query::Term(one) => return term(out, one),
        Query::Not(inner) => {
            // `--x` would be one NOT and a word.
            out.push_str("NOT ");
            return part(out, inner, Place::Inside);
        }
        Query::And(parts) if parts.is_empty() => return out.push('*'),
        Query::Or(parts) if parts.is_empty() => return out.push_str("-*"),
        Query::And(parts) => (parts, " ", place != Place::Inside, Place::Inside),
        Query::Or(parts) => (parts, " OR ", place == Place::Whole, Place::InOr),
    };
    if let [only] = parts.as_slice() {
        return part(out, only, place);
    }
    if !is_bare {
        out.push('(');
    }
    for (at, one) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(joint);
        }
        part(out, one, inner);
    }
    if !is_bare {
        out.push(')');
    }
}

fn term(out: &mut String, term: &FieldTerm) {
    let begin = match &term.field {
        Some(field) => format!("{}{}", field.name, field.sign.as_str()),
        None => String::new(),
    };
    let is_whole = term.field.as_ref().is_some_and(|field| field.sign != Sign::Has);
    let value = match &term.field {
        // What is compared as a whole has no other forms.
        Some(field) if is_whole && !term.is_quoted => field.value.clone(),
        _ => text_test(&term.test),
    };
    let bare = format!("{begin}{value}");
    let boost = if term.boost == 1.0 { String::new() } else { format!("^{}", term.boost) };
    let spellings = [format!("{bare}{boost}"), format!("({bare}){boost}")];
    // In brackets a word ends before a closing one that it did not open.
    let is_read = |text: &&String| reads_as(text, term) && reads_as(&format!("({text})"), term);
    if let Some(spelled) = spellings.iter().find(is_read) {
        return out.push_str(spelled);
    }
    match &term.test {
        TextTest::Word(text) | TextTest::Url(text) | TextTest::Exact(text) => {
            let _ = write!(out, "{begin}{}{boost}", always_quoted(text));
        }
        _ => out.push_str(&bare),
    }
}

/// Whether a text reads as the term.
fn reads_as(text: &str, term: &FieldTerm) -> bool {
    let Ok(Query::Term(read)) = parse_fields(text) else { return false };
    let field = |term: &FieldTerm| term.field.as_ref().map(|field| (field.name.clone(), field.sign));
    read.test == term.test && read.boost == term.boost && field(&read) == field(term)
}

fn text_test(test: &TextTest) -> String {
    match test {
        TextTest::Any => "*".to_owned(),
        TextTest::Word(text) | TextTest::Pattern(text) | TextTest::Url(text) => text.clone(),
        TextTest::Exact(text) => format!("={text}"),
        TextTest::Fuzzy(text) => format!("~{text}"),
        TextTest::Phrase { text, slop: 0 } => always_quoted(text),
        TextTest::Phrase { text, slop } => format!("{}~{slop}", always_quoted(text)),
        TextTest::Near { left, right, within } => format!("{} NEAR/{within} {}", text_test(left), text_test(right)),
    }
}

/// A value as a query takes it back, whatever characters it has.
pub fn quoted_value(value: &str) -> String {
    let has_sign = value.contains(|c: char| matches!(c, '"' | '(' | ')' | '*' | '^') || c.is_whitespace());
    // In a URL a `?` begins the query.
    let has_wildcard = value.contains('?') && !value.contains('/');
    match has_sign || has_wildcard || value.starts_with(['~', '=', '<', '>']) {
        true => always_quoted(value),
        false => value.to_owned(),
    }
}

fn always_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
