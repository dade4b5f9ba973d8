//! Finds many names in a text, in one pass over its words.

use super::text_match::{TokenTest, token_tests};
use crate::query::TextTest;
use crate::text::{fold, next_term};
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Names, each with the number of whoever is named so. A name is words that follow one another as they are written, or
/// one word by its form.
#[derive(Debug, Clone, Default)]
pub struct NameFinder {
    /// Names by their first word.
    by_first: HashMap<String, Vec<Name>, FixedState>,
    /// A bit for each byte that one of those words begins with: most words of a text begin with none.
    first_bytes: [u64; 4],
    /// Names whose first word is a pattern, by its first letter.
    by_letter: HashMap<char, Vec<(TokenTest, Name)>>,
    forms: Vec<(TokenTest, Name)>,
}

/// What is behind the first word of a name, and whose name it is.
#[derive(Debug, Clone)]
struct Name {
    behind: Vec<TokenTest>,
    number: usize,
}

impl NameFinder {
    /// Adds a name of a number. What has no words is found nowhere.
    pub fn add(&mut self, name: &TextTest, number: usize) {
        let mut tests = token_tests(name).into_iter();
        let Some(first) = tests.next() else { return };
        let name = Name { behind: tests.collect(), number };
        match first {
            TokenTest::Is(word) => self.add_by_first(word, name),
            TokenTest::Form(written) => self.add_by_first(fold(&written), name),
            form => match form.first_letter() {
                Some(letter) => self.by_letter.entry(letter).or_default().push((form, name)),
                None => self.forms.push((form, name)),
            },
        }
    }

    fn add_by_first(&mut self, word: String, name: Name) {
        if let Some(byte) = word.bytes().next() {
            self.first_bytes[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        self.by_first.entry(word).or_default().push(name);
    }

    /// The names whose first word this is.
    fn names_beginning(&self, word: &str) -> &[Name] {
        let is_first = |byte: u8| self.first_bytes[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0;
        match word.bytes().next() {
            Some(byte) if is_first(byte) => self.by_first.get(word).map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.by_first.is_empty() && self.by_letter.is_empty() && self.forms.is_empty()
    }

    /// Calls `found` with the number of every name that a text has, as often as it has it.
    pub fn find(&self, text: &str, found: &mut impl FnMut(usize)) {
        if self.is_empty() {
            return;
        }
        let folded = fold(text);
        let mut at = 0;
        while let Some(term) = next_term(&folded, &mut at) {
            let term = &folded[term];
            let letter = term.chars().next().filter(|_| !self.by_letter.is_empty());
            let of_letter = letter.and_then(|letter| self.by_letter.get(&letter));
            let forms = self.forms.iter().chain(of_letter.into_iter().flatten());
            let begun = forms.filter(|(form, _)| form.is_met_by(term)).map(|(_, name)| name);
            for name in self.names_beginning(term).iter().chain(begun) {
                let mut behind = at;
                let mut is_met = |test: &TokenTest| {
                    next_term(&folded, &mut behind).is_some_and(|term| test.is_met_by(&folded[term]))
                };
                if name.behind.iter().all(&mut is_met) {
                    found(name.number);
                }
            }
        }
    }
}
