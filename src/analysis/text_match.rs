//! Match of one term of a query with the words of a text.
//!
//! Words are those of [`text_tokens`]; see [`TextTest`] for what each test means.
//! Where a test of one word matches several (`ex-ministro`, a run of a
//! script without blanks), these follow one another.

use crate::query::TextTest;
use crate::text::{TextToken, fold, is_open, is_unspaced, text_tokens};
use std::ops::Range;

/// A test made ready for reading many texts.
#[derive(Debug, Clone)]
pub struct TextMatcher(TextNode);

#[derive(Debug, Clone)]
enum TextNode {
    /// Every word.
    Any,
    /// Words in their order, and how far they may be out of their places;
    /// none of them is found nowhere.
    Sequence(Vec<ReadyTest>, usize),
    /// Both, and how many words between them at most.
    Near(Box<TextNode>, Box<TextNode>, usize),
}

/// A test of a single word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenTest {
    /// This word.
    Is(String),
    /// This word, or another form of it: the word as it is written.
    Form(String),
    /// Letters, `*` and `?`.
    Like(Vec<char>),
    /// This word but for one edit.
    OneEdit(Vec<char>),
}

/// Places of words in a text: of the first one, and behind the last one.
pub type TokenSpan = Range<usize>;

impl TextMatcher {
    /// Compiles a test. `stem` gives the stem of a word as it is written,
    /// which every form of it has.
    pub fn new(test: &TextTest, stem: &dyn Fn(&str) -> String) -> Self {
        Self(node(test, stem))
    }

    /// Whether a text with these words meets it. `stems` are the stems of the
    /// words, one for one; none where only the words count.
    pub fn holds(&self, tokens: &[TextToken], stems: &[String]) -> bool {
        !self.spans(tokens, stems).is_empty()
    }

    /// The spans that meet the test, in order. Of two words that are near each other, each
    /// is a span; of a phrase, all of it.
    pub fn spans(&self, tokens: &[TextToken], stems: &[String]) -> Vec<TokenSpan> {
        let mut spans = self.0.spans(&Text { tokens, stems });
        spans.sort_unstable_by_key(|span| (span.start, span.end));
        spans.dedup();
        spans
    }
}

fn node(test: &TextTest, stem: &dyn Fn(&str) -> String) -> TextNode {
    match test {
        TextTest::Any => TextNode::Any,
        TextTest::Near { left, right, within } => {
            TextNode::Near(Box::new(node(left, stem)), Box::new(node(right, stem)), *within as usize)
        }
        test => {
            let slop = if let TextTest::Phrase { slop, .. } = test { *slop as usize } else { 0 };
            TextNode::Sequence(token_tests(test).into_iter().map(|test| ReadyTest::new(test, stem)).collect(), slop)
        }
    }
}

/// What words that follow one another must be to meet a test of such; nothing for other tests,
/// and for what has no words.
///
/// A test that ends with a letter of a script without blanks is met whatever letter follows that
/// one; so `*` behind it says nothing, nor does one edit or another form.
pub fn token_tests(test: &TextTest) -> Vec<TokenTest> {
    let written = match test {
        TextTest::Any | TextTest::Near { .. } => return Vec::new(),
        TextTest::Pattern(text) => return pattern_tests(text),
        TextTest::Url(text) => &url_text(text),
        TextTest::Word(text) | TextTest::Exact(text) | TextTest::Fuzzy(text) | TextTest::Phrase { text, .. } => text,
    };
    let mut terms = text_tokens(written);
    let Some(last) = terms.pop() else { return Vec::new() };
    let last = match test {
        _ if is_open(&last.text) => TokenTest::Like(last.text.chars().chain(['*']).collect()),
        TextTest::Word(_) if terms.is_empty() => {
            TokenTest::Form(written.get(last.range).unwrap_or_default().to_owned())
        }
        TextTest::Fuzzy(_) if terms.is_empty() => TokenTest::OneEdit(last.text.chars().collect()),
        _ => TokenTest::Is(last.text),
    };
    terms.into_iter().map(|term| TokenTest::Is(term.text)).chain([last]).collect()
}

fn pattern_tests(text: &str) -> Vec<TokenTest> {
    let pattern = folded_pattern(text);
    if !pattern.iter().any(|c| is_unspaced(*c)) {
        return vec![TokenTest::Like(pattern)];
    }
    // Signs are at the end only, by `form_of`.
    let letters: String = pattern.iter().map(|c| if matches!(*c, '*' | '?') { ' ' } else { *c }).collect();
    let mut tests = token_tests(&TextTest::Phrase { text: letters, slop: 0 });
    if let (true, Some(last)) = (pattern.ends_with(&['*']), tests.last_mut())
        && let TokenTest::Is(word) = last
    {
        *last = TokenTest::Like(word.chars().chain(['*']).collect());
    }
    tests
}

/// A URL without what people leave out of it, percent-encoding resolved: the
/// text whose words are looked for.
pub fn url_text(url: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(url).decode_utf8_lossy();
    let rest = decoded.split_once("://").map_or(&*decoded, |(_, rest)| rest);
    let begins = rest.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("www."));
    rest.get(if begins { 4 } else { 0 }..).unwrap_or_default().to_owned()
}

/// A pattern of `*` and `?` whose letters are folded.
pub fn folded_pattern(pattern: &str) -> Vec<char> {
    let mut folded = Vec::new();
    let mut letters = String::new();
    for c in pattern.chars() {
        if matches!(c, '*' | '?') {
            folded.extend(fold(&letters).chars());
            folded.push(c);
            letters.clear();
        } else {
            letters.push(c);
        }
    }
    folded.extend(fold(&letters).chars());
    folded
}

struct Text<'a> {
    tokens: &'a [TextToken],
    stems: &'a [String],
}

impl Text<'_> {
    fn meets(&self, at: usize, test: &ReadyTest) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        test.test.is_met_by(&token.text)
            || test.stem.as_ref().is_some_and(|stem| self.stems.get(at).is_some_and(|found| found == stem))
    }
}

/// The test of a word with the stem that its other forms have.
#[derive(Debug, Clone)]
struct ReadyTest {
    test: TokenTest,
    stem: Option<String>,
}

impl ReadyTest {
    fn new(test: TokenTest, stem: &dyn Fn(&str) -> String) -> Self {
        match test {
            TokenTest::Form(written) => Self { stem: Some(stem(&written)), test: TokenTest::Is(fold(&written)) },
            test => Self { test, stem: None },
        }
    }
}

impl TokenTest {
    /// The first letter of every word that meets a pattern; none where any may be.
    pub(super) fn first_letter(&self) -> Option<char> {
        match self {
            Self::Like(pattern) => pattern.first().copied().filter(|letter| !matches!(letter, '*' | '?')),
            Self::Is(_) | Self::Form(_) | Self::OneEdit(_) => None,
        }
    }

    /// Whether a folded word meets the test, whatever its stem.
    pub(super) fn is_met_by(&self, word: &str) -> bool {
        match self {
            Self::Is(of) => word == of,
            Self::Form(written) => word == fold(written),
            Self::Like(pattern) => is_like(pattern, word),
            Self::OneEdit(of) => is_one_edit(of, word),
        }
    }
}

impl TextNode {
    fn spans(&self, text: &Text<'_>) -> Vec<TokenSpan> {
        match self {
            Self::Any => (0..text.tokens.len()).map(|at| at..at + 1).collect(),
            Self::Sequence(tests, _) if tests.is_empty() => Vec::new(),
            Self::Sequence(tests, slop) if *slop == 0 || tests.len() == 1 => (0..text.tokens.len())
                .filter(|at| tests.iter().enumerate().all(|(nth, test)| text.meets(at + nth, test)))
                .map(|at| at..at + tests.len())
                .collect(),
            Self::Sequence(tests, slop) => sloppy(tests, *slop, text),
            Self::Near(left, right, within) => near_spans(left.spans(text), right.spans(text), *within),
        }
    }
}

fn sloppy(tests: &[ReadyTest], slop: usize, text: &Text<'_>) -> Vec<TokenSpan> {
    // No place serves two words.
    if text.tokens.len() < tests.len() {
        return Vec::new();
    }
    let places: Vec<Vec<usize>> =
        tests.iter().map(|test| (0..text.tokens.len()).filter(|at| text.meets(*at, test)).collect()).collect();
    let tests: Vec<TokenTest> = tests.iter().map(|test| test.test.clone()).collect();
    phrase_spans(&tests, &places, slop)
}

/// The spans in which the terms of a phrase are out of place by `slop` at most; `places` has for each where it
/// is in the text, in order. A place less its number in the phrase is where that term has the phrase
/// begin; no two of these are further apart than `slop`, and no place serves two terms.
pub fn phrase_spans<T: PartialEq>(terms: &[T], places: &[Vec<usize>], slop: usize) -> Vec<TokenSpan> {
    let count = terms.len();
    if slop == 0 {
        return exact_spans(places);
    }
    // Begins are counted from `count` on, so that none is below 0.
    let mut begins: Vec<usize> =
        places.iter().enumerate().flat_map(|(nth, places)| places.iter().map(move |at| at + count - nth)).collect();
    begins.sort_unstable();
    begins.dedup();
    let mut spans = Vec::new();
    for low in begins {
        let mut taken: Vec<usize> = Vec::with_capacity(count);
        for (nth, places) in places.iter().enumerate() {
            let first = (low + nth).saturating_sub(count);
            // Behind the place that served the same term before.
            let same = (0..nth).rev().find(|before| terms[*before] == terms[nth]);
            let free = same.and_then(|before| taken.get(before)).map_or(first, |last| first.max(last + 1));
            match places.get(places.partition_point(|at| *at < free)) {
                Some(at) if *at + count <= (low + nth).saturating_add(slop) => taken.push(*at),
                _ => break,
            }
        }
        if let (true, Some(first), Some(last)) = (taken.len() == count, taken.iter().min(), taken.iter().max()) {
            spans.push(*first..*last + 1);
        }
    }
    spans
}

/// The spans in which terms follow one another, as the rarest of them tells.
fn exact_spans(places: &[Vec<usize>]) -> Vec<TokenSpan> {
    let Some((rarest, of_rarest)) = places.iter().enumerate().min_by_key(|(_, places)| places.len()) else {
        return Vec::new();
    };
    let begins = of_rarest.iter().filter_map(|at| at.checked_sub(rarest));
    let is_phrase = |begin: &usize| {
        let mut others = places.iter().enumerate().filter(|(nth, _)| *nth != rarest);
        others.all(|(nth, places)| places.binary_search(&(begin + nth)).is_ok())
    };
    begins.filter(is_phrase).map(|begin| begin..begin + places.len()).collect()
}

/// Spans of both that have so many words between them at most. What overlaps is not near.
pub fn near_spans(mut left: Vec<TokenSpan>, mut right: Vec<TokenSpan>, within: usize) -> Vec<TokenSpan> {
    let close = |spans: &[TokenSpan], others: &mut Vec<TokenSpan>| -> Vec<TokenSpan> {
        others.sort_unstable_by_key(|other| other.start);
        let mut ends: Vec<usize> = others.iter().map(|other| other.end).collect();
        ends.sort_unstable();
        let is_close = |span: &&TokenSpan| {
            let after = others.get(others.partition_point(|other| other.start < span.end));
            let before = ends.partition_point(|end| *end <= span.start).checked_sub(1).and_then(|at| ends.get(at));
            after.is_some_and(|other| other.start - span.end <= within)
                || before.is_some_and(|end| span.start - end <= within)
        };
        spans.iter().filter(is_close).cloned().collect()
    };
    let mut found = close(&left, &mut right);
    found.extend(close(&right, &mut left));
    found
}

/// Whether a folded word matches a [`folded_pattern`].
pub fn is_like(pattern: &[char], word: &str) -> bool {
    let mut places = word.chars();
    // Most patterns begin with letters, which most words do not have.
    let fixed = pattern.iter().take_while(|c| !matches!(c, '*' | '?'));
    if !fixed.zip(places.by_ref().map(Some).chain(std::iter::repeat(None))).all(|(c, found)| found == Some(*c)) {
        return false;
    }
    let word: Vec<char> = word.chars().collect();
    let (mut at, mut of) = (0, 0);
    // Behind the last `*`, and where it goes on in the word.
    let mut star = None;
    loop {
        match (pattern.get(at), word.get(of)) {
            (Some('*'), _) => {
                at += 1;
                star = Some((at, of));
            }
            (Some(c), Some(found)) if *c == '?' || c == found => (at, of) = (at + 1, of + 1),
            (None, None) => return true,
            _ => match star {
                Some((behind, from)) if from < word.len() => {
                    star = Some((behind, from + 1));
                    (at, of) = (behind, from + 1);
                }
                _ => return false,
            },
        }
    }
}

/// Whether two words differ by one letter more, less or other, by two
/// neighbours that changed places, or not at all.
fn is_one_edit(word: &[char], other: &str) -> bool {
    // A letter has four bytes at most.
    if other.len() + 4 < word.len() || other.len() > 4 * (word.len() + 1) {
        return false;
    }
    let other: Vec<char> = other.chars().collect();
    if word.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = word.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (a, b) = (&word[same..], &other[same..]);
    let behind = |of: &[char], count: usize| of.get(count..).unwrap_or_default().to_vec();
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Less => a == behind(b, 1),
        std::cmp::Ordering::Greater => behind(a, 1) == b,
        std::cmp::Ordering::Equal => {
            behind(a, 1) == behind(b, 1)
                || (a.len() > 1 && a[0] == b[1] && a[1] == b[0] && behind(a, 2) == behind(b, 2))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
