//! Highlights of a query in a text, to be marked on the screen, and the part of
//! the text that shows them best.

use super::text_match::TextMatcher;
use crate::query::{FieldTerm, Query, Sign, TextTest};
use crate::text::{TextToken, text_tokens};
use std::collections::HashMap;
use std::ops::Range;

/// Bytes of a text that are read; the rest is not marked.
pub const MAX_HIGHLIGHT_BYTES: usize = 200_000;

/// Characters that an end of an excerpt may move by to be between words.
const TO_BLANK: usize = 24;

/// A query made ready for marking what it finds in texts.
pub struct Highlighter<'s> {
    terms: Vec<TextMatcher>,
    stem: &'s dyn Fn(&str) -> String,
}

impl std::fmt::Debug for Highlighter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Highlighter").field("terms", &self.terms).finish_non_exhaustive()
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMark {
    /// Its bytes in the text, at boundaries of characters.
    pub range: Range<usize>,
    /// The number of the term that found it, in the order of the query.
    pub term: usize,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Its bytes in the text, at boundaries of characters.
    pub range: Range<usize>,
    /// The marks in it: bytes of the whole text, in order, none of
    /// which overlap.
    pub marks: Vec<Range<usize>>,
    /// How many terms of the query are in it.
    pub terms: usize,
}

impl<'s> Highlighter<'s> {
    /// Makes a query ready for a text that fields with these names look into
    /// (`["text", "main"]` for a main text); plain words look everywhere. Terms
    /// under NOT are never marked. `stem` gives the stem of a word as it
    /// is written, which every form of it has.
    pub fn new(query: &Query<FieldTerm>, fields: &[&str], stem: &'s dyn Fn(&str) -> String) -> Self {
        let mut terms = Vec::new();
        collect(query, true, &mut |term| {
            let is_here = match &term.field {
                Some(field) => fields.contains(&field.name.as_str()) && field.sign == Sign::Has,
                None => true,
            };
            if is_here && term.test != TextTest::Any {
                terms.push(TextMatcher::new(&term.test, stem));
            }
        });
        Self { terms, stem }
    }

    /// Everything that the query finds in a text, in order; finds of several
    /// terms may overlap.
    pub fn found(&self, text: &str) -> Vec<TextMark> {
        let text = &text[..text.floor_char_boundary(MAX_HIGHLIGHT_BYTES)];
        if self.terms.is_empty() {
            return Vec::new();
        }
        let tokens = text_tokens(text);
        let stems = self.stems(text, &tokens);
        let mut found = Vec::new();
        for (term, matcher) in self.terms.iter().enumerate() {
            for span in matcher.spans(&tokens, &stems) {
                if let (Some(first), Some(last)) = (tokens.get(span.start), tokens.get(span.end - 1)) {
                    found.push(TextMark { range: first.range.start..last.range.end, term });
                }
            }
        }
        found.sort_unstable_by_key(|mark| (mark.range.start, mark.range.end, mark.term));
        found
    }

    /// The bytes of a text to be marked, in order, none of which overlap.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        joined(&self.found(text))
    }

    /// The part of a text, of about so many characters, with the most terms
    /// of the query, then with the most finds, then the first; the beginning
    /// where nothing was found. Begins and ends between words where it can.
    pub fn excerpt(&self, text: &str, chars: usize) -> Excerpt {
        let found = self.found(text);
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let char_of = |byte: usize| offsets.partition_point(|at| *at < byte);
        let places: Vec<(usize, usize, usize)> =
            found.iter().map(|mark| (char_of(mark.range.start), char_of(mark.range.end), mark.term)).collect();
        let (best, terms) = best_part(&places, chars);
        let all = offsets.len() - 1;
        let spare = chars.saturating_sub(best.end - best.start);
        let mut begin = best.start.saturating_sub(spare / 2);
        let mut end = (begin + chars).min(all);
        begin = begin.min(end.saturating_sub(chars));
        let is_blank = |at: usize| {
            let c = offsets.get(at).and_then(|at| text.get(*at..)).and_then(|rest| rest.chars().next());
            c.is_none_or(char::is_whitespace)
        };
        if begin > 0 && !is_blank(begin - 1) {
            let last = best.start.min(begin + TO_BLANK);
            begin = (begin..last).find(|at| is_blank(*at)).unwrap_or(begin);
        }
        if end < all && !is_blank(end) {
            let first = best.end.max(end.saturating_sub(TO_BLANK));
            end = (first..end).rev().find(|at| is_blank(*at)).unwrap_or(end);
        }
        let (begin, end) = (offsets.get(begin).copied().unwrap_or(0), offsets.get(end).copied().unwrap_or(text.len()));
        let part = text.get(begin..end).unwrap_or_default();
        let begin = begin + part.len() - part.trim_start().len();
        let range = begin..begin + part.trim().len();
        let clipped = |mark: Range<usize>| mark.start.max(range.start)..mark.end.min(range.end);
        let marks = joined(&found).into_iter().map(clipped).filter(|mark| mark.start < mark.end).collect();
        Excerpt { range, marks, terms }
    }

    /// The stems of words, one for one.
    fn stems(&self, text: &str, tokens: &[TextToken]) -> Vec<String> {
        let mut known: HashMap<&str, String> = HashMap::new();
        let written = |token: &TextToken| text.get(token.range.clone()).unwrap_or_default();
        let stem = |token| known.entry(written(token)).or_insert_with_key(|word| (self.stem)(word)).clone();
        tokens.iter().map(stem).collect()
    }
}

/// Gives the terms that speak for a page.
fn collect(query: &Query<FieldTerm>, holds: bool, each: &mut impl FnMut(&FieldTerm)) {
    match query {
        Query::And(parts) | Query::Or(parts) => parts.iter().for_each(|part| collect(part, holds, each)),
        Query::Not(part) => collect(part, !holds, each),
        Query::Term(term) if holds => each(term),
        Query::Term(_) => {}
    }
}

/// Finds, those that overlap made one.
fn joined(found: &[TextMark]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for TextMark { range, .. } in found {
        match ranges.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range.clone()),
        }
    }
    ranges
}

/// The part with the most terms among finds of begin, end and term, and how
/// many terms these are.
fn best_part(places: &[(usize, usize, usize)], chars: usize) -> (Range<usize>, usize) {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let (mut best, mut best_range, mut next) = ((0, 0), 0..0, 0);
    for (first, (begin, end, term)) in places.iter().enumerate() {
        while let Some((_, _, term)) = places.get(next).filter(|(_, end, _)| next == first || *end <= begin + chars) {
            *counts.entry(*term).or_default() += 1;
            next += 1;
        }
        let size = (counts.len(), next - first);
        if size > best {
            let last = places[first..next].iter().map(|(_, end, _)| *end).max().unwrap_or(*end);
            (best, best_range) = (size, *begin..last);
        }
        if let Some(count) = counts.get_mut(term) {
            *count -= 1;
            if *count == 0 {
                counts.remove(term);
            }
        }
    }
    (best_range, best.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::query::parse_fields;
    use proptest::prelude::*;

    fn stem(word: &str) -> String {
        word.to_lowercase().trim_end_matches('s').to_owned()
    }

    /// A text with what a query marks in it in brackets.
    fn marked(query: &str, text: &str) -> String {
        let query = parse_fields(query).unwrap();
        let ranges = Highlighter::new(&query, &["text", "main"], &stem).ranges(text);
        in_brackets(text, 0..text.len(), &ranges)
    }

    fn in_brackets(text: &str, part: Range<usize>, marks: &[Range<usize>]) -> String {
        let (mut out, mut at) = (String::new(), part.start);
        for mark in marks {
            out.push_str(&format!("{}[{}]", &text[at..mark.start], &text[mark.clone()]));
            at = mark.end;
        }
        out + &text[at..part.end]
    }

    #[track_caller]
    fn check(query: &str, text: &str, expected: &str) {
        assert_eq!(marked(query, text), expected, "{query}");
    }

    #[test]
    fn what_was_found_is_marked() {
        check("casa ria", "As Casas da Ria.", "As [Casas] da [Ria].");
        check("\"ria formosa\" ria", "a ria Formosa, a ria", "a [ria Formosa], a [ria]");
        check("a NEAR/1 c", "x a b c d", "x [a] b [c] d");
        check("acao", "Uma A\u{301}ção!", "Uma [A\u{301}ção]!");
        check("cas* ~rio", "casaco no Rios", "[casaco] no [Rios]");
        check("東京都", "(東京都庁)", "([東京都]庁)");
        check("ria -mar NOT (NOT sol)", "ria mar sol", "[ria] mar [sol]");
        check("* title:ria host:mar text:sol", "ria mar sol", "ria mar [sol]");
        check("ri\u{ad}a", "ri\u{ad}a r\u{200b}ia", "[ri\u{ad}a] [r\u{200b}ia]");
        check("", "ria", "ria");
    }

    #[test]
    fn an_excerpt_shows_the_most_terms() {
        let filler = "palavra ".repeat(60);
        let text = format!("ria ria ria {filler}a ria do mar {filler}sol");
        let query = parse_fields("ria mar sol").unwrap();
        let excerpt = Highlighter::new(&query, &[], &stem).excerpt(&text, 60);
        let shown = in_brackets(&text, excerpt.range.clone(), &excerpt.marks);
        assert_eq!(shown, "palavra palavra a [ria] do [mar] palavra palavra palavra");
        assert_eq!(excerpt.terms, 2);
        let nothing = Highlighter::new(&parse_fields("x").unwrap(), &[], &stem).excerpt(&text, 20);
        assert_eq!((&text[nothing.range], nothing.terms), ("ria ria ria palavra", 0));
        assert_eq!(Highlighter::new(&query, &[], &stem).excerpt("", 20), Excerpt::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn marks_are_whole_characters_in_order(
            text in "[a-cßéÅ½ﬁ東京都\u{301}\u{ad}İ .-]{0,60}|\\PC{0,30}",
            query in "[a-cé東京]{1,3}( (OR )?(\"[ab東京] ?[bc]\"(~2)?|[ab]{2}\\*|a NEAR/2 b|~abc|c\\?b)){0,3}",
            chars in 0_usize..40,
        ) {
            let query = parse_fields(&query).unwrap();
            let highlighter = Highlighter::new(&query, &[], &stem);
            let mut last = 0;
            for range in highlighter.ranges(&text) {
                prop_assert!(range.start >= last && range.start < range.end);
                prop_assert!(text.get(range.clone()).is_some(), "{:?} of {:?}", range, text);
                last = range.end;
            }
            // What a mark shows is found there again.
            for mark in highlighter.found(&text) {
                let shown = &text[mark.range.clone()];
                let is_near = format!("{query:?}").contains("Near");
                prop_assert!(is_near || highlighter.found(shown).iter().any(|again| again.term == mark.term), "{}", shown);
            }
            let excerpt = highlighter.excerpt(&text, chars);
            prop_assert!(text.get(excerpt.range.clone()).is_some_and(|part| part.chars().count() <= chars));
            for mark in excerpt.marks {
                prop_assert!(mark.start >= excerpt.range.start && mark.end <= excerpt.range.end);
                prop_assert!(text.get(mark).is_some());
            }
        }
    }
}
