//! Queries that find more, to be offered where one finds nothing.

use super::{FieldTerm, Query, Sign, TextTest, write_query};

/// A query that finds more than another, and what makes it wider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wider {
    /// The query as it is written.
    pub query: String,
    /// Its effect, as on its button.
    pub why: String,
}

/// Letters that a word has at least to be looked for by its beginning, and
/// how many of them the beginning keeps at least.
const MIN_BEGIN: usize = 4;

/// Every wider query that there is for one: any of its terms, words without quotes, other
/// spellings, beginnings of words, without one of its fields. Nothing wider than everything,
/// nothing twice; terms under NOT stay as they are. None runs before a person chooses it.
pub fn wider(query: &Query<FieldTerm>) -> Vec<Wider> {
    let mut all = Vec::new();
    let mut offer = |wider: Query<FieldTerm>, why: String| {
        let text = write_query(&wider);
        let is_new = text != write_query(query) && all.iter().all(|other: &Wider| other.query != text);
        if is_new && !wider.is_empty() {
            all.push(Wider { query: text, why });
        }
    };
    if let Some(any) = any_of(query) {
        offer(any, "any of the words".to_owned());
    }
    offer(changed(query, &without_quotes), "the words of each phrase, wherever they stand".to_owned());
    offer(changed(query, &with_forms), "every form of each word".to_owned());
    offer(changed(query, &with_edit), "words spelled a little differently".to_owned());
    offer(changed(query, &with_beginning), "words that begin alike".to_owned());
    for (nth, field) in restrictions(query) {
        if let Some(rest) = without_term(query, true, &mut (0..).map(|at| at == nth)) {
            offer(rest, format!("without {field}"));
        }
    }
    all
}

/// Terms that were joined by AND joined by OR: fields and terms under NOT go on to restrict. None
/// where there is nothing to choose from.
fn any_of(query: &Query<FieldTerm>) -> Option<Query<FieldTerm>> {
    let Query::And(parts) = query else { return None };
    let (kept, free): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(is_restriction);
    if free.len() < 2 {
        return None;
    }
    let any = Query::Or(free);
    Some(if kept.is_empty() { any } else { Query::And([vec![any], kept].concat()) })
}

fn is_restriction(part: &Query<FieldTerm>) -> bool {
    match part {
        Query::Not(_) => true,
        Query::Term(term) => is_value(term),
        Query::And(parts) | Query::Or(parts) => parts.iter().all(is_restriction),
    }
}

/// Whether a term restricts by a value, and is no text to be found.
fn is_value(term: &FieldTerm) -> bool {
    term.field
        .as_ref()
        .is_some_and(|field| field.sign != Sign::Has || !super::TEXT_FIELDS.contains(&field.name.as_str()))
}

/// A query with each term of text made another query, if `change` has one.
fn changed(query: &Query<FieldTerm>, change: &dyn Fn(&FieldTerm) -> Option<Query<FieldTerm>>) -> Query<FieldTerm> {
    match query {
        Query::And(parts) => Query::And(parts.iter().map(|part| changed(part, change)).collect()),
        Query::Or(parts) => Query::Or(parts.iter().map(|part| changed(part, change)).collect()),
        Query::Term(term) if !is_value(term) => change(term).unwrap_or_else(|| query.clone()),
        Query::Not(_) | Query::Term(_) => query.clone(),
    }
}

fn with_test(term: &FieldTerm, test: TextTest) -> Query<FieldTerm> {
    let (mut field, value) = (term.field.clone(), text_of(&test).to_owned());
    if let Some(field) = &mut field {
        field.value.clone_from(&value);
    }
    let is_quoted = matches!(test, TextTest::Phrase { .. });
    Query::Term(FieldTerm { text: value, is_quoted, field, test, ..term.clone() })
}

fn text_of(test: &TextTest) -> &str {
    match test {
        TextTest::Any | TextTest::Near { .. } => "",
        TextTest::Word(text)
        | TextTest::Exact(text)
        | TextTest::Phrase { text, .. }
        | TextTest::Pattern(text)
        | TextTest::Fuzzy(text)
        | TextTest::Url(text) => text,
    }
}

fn without_quotes(term: &FieldTerm) -> Option<Query<FieldTerm>> {
    let parts = match &term.test {
        TextTest::Phrase { text, .. } => {
            let parts = text.split(|c: char| !crate::query::limits::is_letter(c)).filter(|part| !part.is_empty());
            parts.map(|word| with_test(term, TextTest::Word(word.to_owned()))).collect::<Vec<_>>()
        }
        TextTest::Near { left, right, .. } => {
            vec![with_test(term, (**left).clone()), with_test(term, (**right).clone())]
        }
        _ => return None,
    };
    let mut parts = parts;
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Query::And(parts)),
    }
}

fn with_forms(term: &FieldTerm) -> Option<Query<FieldTerm>> {
    let TextTest::Exact(text) = &term.test else { return None };
    Some(with_test(term, TextTest::Word(text.clone())))
}

fn with_edit(term: &FieldTerm) -> Option<Query<FieldTerm>> {
    let letters = long_term(term)?;
    Some(with_test(term, TextTest::Fuzzy(letters.to_owned())))
}

fn with_beginning(term: &FieldTerm) -> Option<Query<FieldTerm>> {
    let letters = long_term(term)?;
    let keep = (letters.chars().count() * 2 / 3).max(MIN_BEGIN);
    let begin: String = letters.chars().take(keep).collect();
    Some(with_test(term, TextTest::Pattern(format!("{begin}*"))))
}

/// The word of a term, if it is one of enough letters.
fn long_term(term: &FieldTerm) -> Option<&str> {
    let (TextTest::Word(text) | TextTest::Exact(text)) = &term.test else { return None };
    let is_long = text.chars().count() >= MIN_BEGIN && text.chars().all(crate::query::limits::is_letter);
    is_long.then_some(text)
}

/// The fields that restrict a query, as they are written, each with its
/// number among its terms.
fn restrictions(query: &Query<FieldTerm>) -> Vec<(usize, String)> {
    let (mut found, mut at) = (Vec::new(), 0);
    query.for_each_term(&mut |term| {
        if term.field.is_some() {
            found.push((at, write_query(&Query::Term(term.clone()))));
        }
        at += 1;
    });
    found
}

/// A query without the term for which `leaves_next` gives `true`, which is
/// called for each in reading order; none where nothing is left. Of what all
/// must hold one part goes; of what may hold, or under NOT must not all hold,
/// the whole group, since fewer parts of it would find less.
fn without_term(
    query: &Query<FieldTerm>,
    holds: bool,
    leaves_next: &mut impl Iterator<Item = bool>,
) -> Option<Query<FieldTerm>> {
    let (parts, is_and) = match query {
        Query::And(parts) => (parts, true),
        Query::Or(parts) => (parts, false),
        Query::Not(part) => {
            return without_term(part, !holds, leaves_next).map(|part| Query::Not(Box::new(part)));
        }
        Query::Term(_) => return (leaves_next.next() != Some(true)).then(|| query.clone()),
    };
    let mut left: Vec<_> = parts.iter().filter_map(|part| without_term(part, holds, leaves_next)).collect();
    let goes = left.len() < parts.len() && (is_and != holds || left.is_empty());
    match left.len() {
        _ if goes => None,
        1 => left.pop(),
        _ if is_and => Some(Query::And(left)),
        _ => Some(Query::Or(left)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::parse_fields;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let wider = wider(&parse_fields(line).unwrap());
        let queries: Vec<&str> = wider.iter().map(|wider| wider.query.as_str()).collect();
        assert_eq!(queries, expected, "{line}: {wider:?}");
        assert!(wider.iter().all(|wider| parse_fields(&wider.query).is_ok() && !wider.why.is_empty()));
    }

    #[test]
    fn each_way_to_find_more_is_offered() {
        check("", &[]);
        check("*", &[]);
        check("ria", &[]);
        check("praia", &["~praia", "prai*"]);
        check("=praia", &["praia", "~praia", "prai*"]);
        check("ria mar", &["ria OR mar"]);
        check("\"ria formosa\"", &["ria formosa"]);
        check("\"ria formosa\"~3 OR mar", &["ria formosa OR mar"]);
        check("ria NEAR/3 mar", &["ria mar"]);
        check("ria mar -sol host:a.pt", &["(ria OR mar) NOT sol host:a.pt", "ria mar NOT sol"]);
        check("title:ria lang:pt", &["lang:pt", "title:ria"]);
        check("host:a.pt", &[]);
        check("ria (lang:pt OR lang:en)", &["ria"]);
        check("ria -lang:pt", &["ria"]);
        check("ria -(lang:pt mar)", &["ria"]);
        check("ria -(lang:pt OR mar)", &["ria NOT mar"]);
        check("ria AND (mar OR sol)", &["ria OR (mar OR sol)"]);
    }
}
