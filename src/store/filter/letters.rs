//! Parts of titles and URLs that are looked for in memory: every row of the catalogue is read once, not once a question.

use super::texts::TextColumn;
use super::{CAPTURES, FilterWriter};
use crate::query::{FieldTerm, Query};
use crate::search::{CaptureLetters, LettersOf};
use crate::text::fold_letters;
use fixedbitset::FixedBitSet;
use std::sync::Arc;

/// Parts that are looked for one by one; more are looked for together, row by row.
const MOST_PARTS: usize = 8;

/// The letters that a query needs.
#[derive(Default)]
pub(super) struct KnownLetters {
    titles: Option<Arc<CaptureLetters>>,
    urls: Option<Arc<CaptureLetters>>,
}

impl KnownLetters {
    fn of(&mut self, of: LettersOf) -> &mut Option<Arc<CaptureLetters>> {
        match of {
            LettersOf::Titles => &mut self.titles,
            LettersOf::Urls => &mut self.urls,
        }
    }
}

/// A part of texts, any of which may have it.
pub(super) struct LettersTest<'a> {
    texts: Vec<&'a CaptureLetters>,
    part: String,
}

impl FilterWriter<'_> {
    /// Has the letters in memory that a query looks for a few parts of.
    pub(super) fn load_letters(&mut self, query: &Query<FieldTerm>) -> Result<(), String> {
        let Some(full_text) = self.context.full_text.filter(|_| self.facts.is_some()) else { return Ok(()) };
        let (mut parts, mut needed) = (0, Vec::new());
        query.for_each_term(&mut |term| {
            if let Some((texts, _)) = self.part_of_texts(term) {
                parts += 1;
                needed.extend(texts);
            }
        });
        if parts > MOST_PARTS {
            return Ok(());
        }
        for of in needed {
            let letters = self.letters.of(of);
            if letters.is_none() {
                *letters = full_text.letters(of)?;
            }
        }
        Ok(())
    }

    /// A term that asks no more than a part of titles or URLs.
    fn part_of_texts(&self, term: &FieldTerm) -> Option<(Vec<LettersOf>, String)> {
        if !std::ptr::eq(self.table, &CAPTURES) {
            return None;
        }
        let (columns, test) = self.text_test(term)?;
        let of = |column: &TextColumn| match column {
            TextColumn::Url("u.url") => Some(LettersOf::Urls),
            TextColumn::Text("c.title") => Some(LettersOf::Titles),
            _ => None,
        };
        Some((columns.iter().map(of).collect::<Option<_>>()?, test.into_part()?))
    }

    /// The same, where these letters are in memory.
    pub(super) fn letters_test(&self, term: &FieldTerm) -> Option<LettersTest<'_>> {
        let KnownLetters { titles, urls } = &self.letters;
        if titles.is_none() && urls.is_none() {
            return None;
        }
        let (texts, part) = self.part_of_texts(term)?;
        let of = |of| match of {
            LettersOf::Titles => titles.as_deref(),
            LettersOf::Urls => urls.as_deref(),
        };
        Some(LettersTest { texts: texts.into_iter().map(of).collect::<Option<_>>()?, part })
    }

    /// The captures that meet a test.
    pub(super) fn with_letters(&self, test: &LettersTest<'_>) -> FixedBitSet {
        let part = fold_letters(&test.part);
        let mut found = FixedBitSet::new();
        test.texts.iter().for_each(|letters| found.union_with(&letters.with_part(&part)));
        found
    }
}
