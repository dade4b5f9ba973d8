//! Words that a filter looks for in URLs, titles and other texts of a row.
//!
//! All of them that stand together are one question to a row, whatever their number: each of its texts is folded once,
//! and looked through once for all of them. 400 words take hardly longer than one.

use super::functions::{decoded, shown_text_of};
use super::{FilterWriter, Kind};
use crate::analysis::{NameFinder, TextMatcher, url_text};
use crate::query::{FieldTerm, Query, Sign, TextTest};
use crate::text::{fold_letters, text_tokens};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use fixedbitset::FixedBitSet;
use memchr::memmem::Finder;
use rusqlite::functions::Context;
use rusqlite::types::Value;
use serde::{Deserialize, Serialize};

/// Bytes of a text that is looked for together with others: an automaton takes room for each.
const MOST_TOGETHER: usize = 256;

/// SQL of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextColumn {
    /// A text of a page, as `Kind::Text`.
    Text(&'static str),
    /// A URL, as `Kind::Url`.
    Url(&'static str),
}

/// What a row's texts have to meet.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TextQuestion {
    /// Which of the texts are URLs.
    are_urls: Vec<bool>,
    tests: Vec<RowTest>,
    /// How they are joined: each step takes the answers that it joins from the end of those before it.
    steps: Vec<Step>,
}

/// A step from the answers of tests to that of the question.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Step {
    /// The answer of a test.
    Test(usize),
    /// All of so many answers.
    All(usize),
    /// Any of so many.
    Any(usize),
    /// The contrary of one.
    Not,
}

/// One test of one of some texts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RowTest {
    /// Which texts, by number: one of them is enough.
    texts: Vec<usize>,
    /// A part of the text, whole words or not.
    part: Option<String>,
    /// All of the text.
    whole: Option<String>,
    /// Words of the text.
    words: Option<TextTest>,
}

impl FilterWriter<'_> {
    /// Whether a query asks nothing but texts of a row.
    pub(super) fn is_of_texts(&self, query: &Query<FieldTerm>) -> bool {
        let mut is_of_texts = !query.is_empty();
        query.for_each_term(&mut |term| is_of_texts &= self.text_test(term).is_some());
        is_of_texts
    }

    /// What a query asks of texts, as SQL.
    pub(super) fn texts(&mut self, query: &Query<FieldTerm>) -> String {
        let (mut question, mut columns) = (TextQuestion::default(), Vec::new());
        self.add_texts(query, &mut question, &mut columns);
        if question.tests.is_empty() {
            return u8::from(is_met(&question.steps, &FixedBitSet::new())).to_string();
        }
        question.are_urls = columns.iter().map(|column| matches!(column, TextColumn::Url(_))).collect();
        let sql: Vec<&str> = columns.iter().map(TextColumn::sql).collect();
        self.values.push(Value::Text(serde_json::to_string(&question).unwrap_or_default()));
        format!("texts_meet({})", [&["?"][..], &sql[..]].concat().join(", "))
    }

    fn add_texts(&self, query: &Query<FieldTerm>, question: &mut TextQuestion, columns: &mut Vec<TextColumn>) {
        let step = match query {
            Query::And(parts) | Query::Or(parts) => {
                parts.iter().for_each(|part| self.add_texts(part, question, columns));
                if matches!(query, Query::And(_)) { Step::All(parts.len()) } else { Step::Any(parts.len()) }
            }
            Query::Not(part) => {
                self.add_texts(part, question, columns);
                Step::Not
            }
            Query::Term(term) => match self.text_test(term) {
                None => Step::Any(0),
                Some((_, test)) if test.is_met_by_all() => Step::All(0),
                Some((of, test)) => {
                    let mut number = |column: &TextColumn| {
                        columns.iter().position(|known| known.sql() == column.sql()).unwrap_or_else(|| {
                            columns.push(*column);
                            columns.len() - 1
                        })
                    };
                    question.tests.push(RowTest { texts: of.iter().map(&mut number).collect(), ..test });
                    Step::Test(question.tests.len() - 1)
                }
            },
        };
        question.steps.push(step);
    }

    /// The texts that a term asks, and what it asks of them; none for a term that asks something else.
    pub(super) fn text_test(&self, term: &FieldTerm) -> Option<(Vec<TextColumn>, RowTest)> {
        let (columns, value) = match &term.field {
            None if self.has_index => return None,
            None => (self.table.anywhere.to_vec(), None),
            Some(test) => {
                let field = self.table.fields.iter().find(|field| field.name == test.name)?;
                let column = match field.kind {
                    Kind::Text(column) => TextColumn::Text(column),
                    Kind::Url(column) => TextColumn::Url(column),
                    _ => return None,
                };
                let is_whole = match test.sign {
                    Sign::Is => true,
                    // What is missing is an error, and `*` asks for any value.
                    Sign::Has if test.value.is_empty() || term.test == TextTest::Any => return None,
                    Sign::Has => false,
                    _ => return None,
                };
                (vec![column], is_whole.then(|| test.value.clone()))
            }
        };
        let (part, words) = match &term.test {
            _ if value.is_some() => (None, None),
            TextTest::Any => (None, None),
            // Any part of a text, as in a URL.
            TextTest::Word(text) | TextTest::Url(text) | TextTest::Phrase { text, slop: 0 } => {
                (Some(text.clone()), None)
            }
            // In a URL `?` and `*` stand for themselves, too.
            TextTest::Pattern(text) => (Some(text.clone()), Some(term.test.clone())),
            test => (None, Some(test.clone())),
        };
        Some((columns, RowTest { texts: Vec::new(), part, whole: value, words }))
    }
}

impl TextColumn {
    fn sql(&self) -> &'static str {
        match self {
            Self::Text(sql) | Self::Url(sql) => sql,
        }
    }
}

impl RowTest {
    /// The part that it looks for, where it is met by that alone.
    pub(super) fn into_part(self) -> Option<String> {
        self.part.filter(|_| self.whole.is_none() && self.words.is_none())
    }

    fn is_met_by_all(&self) -> bool {
        self.part.is_none() && self.whole.is_none() && self.words.is_none()
    }
}

/// A question made ready for many rows.
pub(super) struct TextQuestionReader {
    texts: Vec<TextReader>,
    tests: usize,
    steps: Vec<Step>,
}

/// All that is looked for in one of the texts.
struct TextReader {
    is_url: bool,
    /// Parts, all of them together, with the test of each.
    together: Option<AhoCorasick>,
    of_together: Vec<usize>,
    /// Longer ones.
    long: Vec<(Finder<'static>, usize)>,
    whole: Vec<(String, usize)>,
    names: NameFinder,
    /// What is more than words one behind the other.
    others: Vec<(TextMatcher, usize)>,
    has_words: bool,
}

impl TextQuestionReader {
    /// Reads a question as it is handed to SQL.
    pub(super) fn of(question: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let TextQuestion { are_urls, tests, steps } = serde_json::from_str(question)?;
        let of_text = |(nth, is_url): (usize, &bool)| TextReader::of(*is_url, nth, &tests);
        let texts = are_urls.iter().enumerate().map(of_text).collect::<Result<_, _>>()?;
        Ok(Self { texts, tests: tests.len(), steps })
    }

    /// Whether the texts of a row, which stand behind the question in a call, meet it.
    pub(super) fn holds(&self, context: &Context<'_>) -> rusqlite::Result<bool> {
        let mut met = FixedBitSet::with_capacity(self.tests);
        for (nth, reader) in self.texts.iter().enumerate() {
            reader.read(&shown_text_of(context, nth + 1)?, &mut met);
        }
        Ok(is_met(&self.steps, &met))
    }
}

fn is_met(steps: &[Step], met: &FixedBitSet) -> bool {
    let mut answers: Vec<bool> = Vec::new();
    for step in steps {
        let mut last = |count: usize| answers.split_off(answers.len().saturating_sub(count));
        let answer = match step {
            Step::Test(test) => met.contains(*test),
            Step::All(count) => last(*count).into_iter().all(|answer| answer),
            Step::Any(count) => last(*count).into_iter().any(|answer| answer),
            Step::Not => !last(1).into_iter().any(|answer| answer),
        };
        answers.push(answer);
    }
    answers.last().copied().unwrap_or_default()
}

impl TextReader {
    fn of(is_url: bool, text: usize, tests: &[RowTest]) -> Result<Self, aho_corasick::BuildError> {
        let (mut together, mut of_together, mut long) = (Vec::new(), Vec::new(), Vec::new());
        let (mut whole, mut names, mut others) = (Vec::new(), NameFinder::default(), Vec::new());
        for (number, test) in tests.iter().enumerate().filter(|(_, test)| test.texts.contains(&text)) {
            match test.part.as_deref().map(fold_letters) {
                Some(part) if part.len() <= MOST_TOGETHER => {
                    together.push(part);
                    of_together.push(number);
                }
                Some(part) => long.push((Finder::new(&part).into_owned(), number)),
                None => {}
            }
            whole.extend(test.whole.iter().map(|text| (fold_letters(text), number)));
            match &test.words {
                Some(words @ (TextTest::Near { .. } | TextTest::Phrase { .. })) => {
                    others.push((TextMatcher::new(words, &str::to_owned), number));
                }
                words => words.iter().for_each(|words| names.add(words, number)),
            }
        }
        let automaton = || AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&together);
        let together = (!together.is_empty()).then(automaton).transpose()?;
        let has_words = !others.is_empty() || !names.is_empty();
        Ok(Self { is_url, together, of_together, long, whole, names, others, has_words })
    }

    /// Notes the tests that a text meets.
    fn read(&self, text: &str, met: &mut FixedBitSet) {
        self.read_letters(text, met);
        if let Some(text) = self.is_url.then(|| decoded(text)).flatten() {
            self.read_letters(&text, met);
        }
        if self.has_words {
            let url = self.is_url.then(|| url_text(text));
            let text = url.as_deref().unwrap_or(text);
            self.names.find(text, &mut |number| met.insert(number));
            if !self.others.is_empty() {
                let tokens = text_tokens(text);
                let holding = self.others.iter().filter(|(matcher, _)| matcher.holds(&tokens, &[]));
                met.extend(holding.map(|(_, number)| *number));
            }
        }
    }

    fn read_letters(&self, text: &str, met: &mut FixedBitSet) {
        if self.together.is_none() && self.long.is_empty() && self.whole.is_empty() {
            return;
        }
        let folded = fold_letters(text);
        for found in self.together.iter().flat_map(|together| together.find_overlapping_iter(&folded)) {
            met.extend(self.of_together.get(found.pattern().as_usize()).copied());
        }
        let is_in = |(finder, _): &&(Finder<'_>, usize)| {
            finder.needle().len() <= folded.len() && finder.find(folded.as_bytes()).is_some()
        };
        met.extend(self.long.iter().filter(is_in).map(|(_, number)| *number));
        met.extend(self.whole.iter().filter(|(whole, _)| *whole == folded).map(|(_, number)| *number));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "texts_tests.rs"]
mod tests;
