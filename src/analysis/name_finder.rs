//! Finds many names in a text, in one pass over its words.

use super::text_match::{TokenTest, token_tests};
use crate::query::TextTest;
use crate::text::words;
use std::collections::HashMap;

/// Names, each with the number of whoever is named so. A name is words that follow one another as they are written, or
/// one word by its form.
#[derive(Debug, Clone, Default)]
pub struct NameFinder {
    /// Words behind the first one, by that.
    by_first: HashMap<String, Vec<(Vec<String>, usize)>>,
    /// Patterns by their first letter.
    by_letter: HashMap<char, Vec<(TokenTest, usize)>>,
    forms: Vec<(TokenTest, usize)>,
}

impl NameFinder {
    /// Adds a name of a number. What has no words is found nowhere.
    pub fn add(&mut self, name: &TextTest, number: usize) {
        let mut found = Vec::new();
        for test in token_tests(name) {
            match test {
                TokenTest::Is(word, _) => found.push(word),
                form => match form.first_letter() {
                    Some(letter) => self.by_letter.entry(letter).or_default().push((form, number)),
                    None => self.forms.push((form, number)),
                },
            }
        }
        if !found.is_empty() {
            let behind = found.split_off(1);
            found.into_iter().for_each(|first| self.by_first.entry(first).or_default().push((behind.clone(), number)));
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
        let words = words(text);
        for (at, word) in words.iter().enumerate() {
            for (behind, number) in self.by_first.get(word).into_iter().flatten() {
                if words.get(at + 1..).is_some_and(|rest| rest.starts_with(behind)) {
                    found(*number);
                }
            }
            let of_letter = word.chars().next().and_then(|letter| self.by_letter.get(&letter));
            let forms = self.forms.iter().chain(of_letter.into_iter().flatten());
            forms.filter(|(form, _)| form.is_met_by(word)).for_each(|(_, number)| found(*number));
        }
    }
}
