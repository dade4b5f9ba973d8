//! Matches of a query are marked in the text of a capture while it is read.

use super::stored_pages::PageTexts;
use crate::analysis::Highlighter;
use crate::campaign::{Request, Term, TermKind};
use crate::query::{FieldTerm, Query, TextTest, parse_fields};
use crate::search::stem_term;
use crate::store::Workspace;
use crate::work::models::CaptureId;
use std::ops::Range;

/// Fields whose terms are marked: the text of a page has all of it.
const FIELDS: [&str; 3] = ["text", "main", "rest"];
/// Queries within queries that are read: `found:"found:…"`.
const MOST_NESTED: usize = 4;

/// Whether a line looks for text in pages, and not by fields and URLs alone; also where it cannot be read.
pub fn has_text_terms(line: &str) -> bool {
    let mut has_text = false;
    match parse_fields(line) {
        Ok(query) => query.for_each_term(&mut |term| {
            has_text |= term.field.is_none() && !matches!(term.test, TextTest::Url(_) | TextTest::Any);
        }),
        Err(_) => has_text = true,
    }
    has_text
}

/// The bytes of a capture's text that a query finds, in order, none of which
/// overlap. A query that cannot be read finds nothing.
///
/// # Errors
///
/// A record that cannot be read.
pub fn text_marks(workspace: &Workspace, id: CaptureId, query: &str) -> anyhow::Result<Vec<Range<usize>>> {
    let Ok(query) = parse_fields(query) else { return Ok(Vec::new()) };
    let query = written_out(query, MOST_NESTED);
    let page = PageTexts::open(workspace)?.read(id)?;
    let language = page.stem_language();
    let stem = |word: &str| stem_term(language, word);
    Ok(Highlighter::new(&query, &FIELDS, &stem).ranges(&page.text()))
}

/// The query with searches and requests in it in the place of the fields that name them.
fn written_out(query: Query<FieldTerm>, most: usize) -> Query<FieldTerm> {
    let each = |parts: Vec<Query<FieldTerm>>| parts.into_iter().map(|part| written_out(part, most)).collect();
    match query {
        Query::And(parts) => Query::And(each(parts)),
        Query::Or(parts) => Query::Or(each(parts)),
        Query::Not(part) => Query::Not(Box::new(written_out(*part, most))),
        Query::Term(term) => {
            let field = term.field.as_ref().map(|field| (field.name.as_str(), field.value.as_str()));
            let inner = match field {
                _ if most == 0 => None,
                Some(("found", query)) => parse_fields(query).ok().map(|query| written_out(query, most - 1)),
                Some(("request", request)) => request.parse::<Request>().ok().map(|request| of_request(&request)),
                _ => None,
            };
            inner.unwrap_or(Query::Term(term))
        }
    }
}

/// A request as a query of its names; those with a weight below 0 count against a page.
fn of_request(request: &Request) -> Query<FieldTerm> {
    match request {
        Query::And(parts) => Query::And(parts.iter().map(of_request).collect()),
        Query::Or(parts) => Query::Or(parts.iter().map(of_request).collect()),
        Query::Not(part) => Query::Not(Box::new(of_request(part))),
        Query::Term(term) if matches!(term.kind, TermKind::Language | TermKind::Period) => Query::And(Vec::new()),
        Query::Term(term) => {
            let names = Query::Or(names_of(term).collect());
            if term.weight < 0.0 { Query::Not(Box::new(names)) } else { names }
        }
    }
}

fn names_of(term: &Term) -> impl Iterator<Item = Query<FieldTerm>> {
    std::iter::once(&term.value).chain(&term.aliases).map(|name| {
        let test = TextTest::Phrase { text: name.clone(), slop: 0 };
        Query::Term(FieldTerm { column: 1, text: name.clone(), is_quoted: true, field: None, test, boost: 1.0 })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, text: &str, expected: &[&str]) {
        let query = written_out(parse_fields(query).unwrap(), MOST_NESTED);
        let stem = |word: &str| word.to_owned();
        let ranges = Highlighter::new(&query, &FIELDS, &stem).ranges(text);
        let marked: Vec<&str> = ranges.into_iter().map(|range| &text[range]).collect();
        assert_eq!(marked, expected);
    }

    #[test]
    fn searches_and_requests_in_a_filter_are_marked() {
        let text = "A ria e o mar, o estaleiro naval";
        check("ria status:200", text, &["ria"]);
        check("found:\"mar -ria\" ria", text, &["ria", "mar"]);
        check("found:\"found:mar\"", text, &["mar"]);
        check("NOT found:\"mar -ria\"", text, &["ria"]);
        check("request:\"(ria^-1 OR \"\"estaleiro naval\"\") AND lang:pt AND NOT mar\"", text, &["estaleiro naval"]);
        check("request:\"(\"", text, &[]);
    }
}
