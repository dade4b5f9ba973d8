//! What captures have of a request: the one place where scores, samples, `request:` and the facet of terms ask.
//!
//! The index counts the terms of the request in the texts that it has. A text that it does not have is read, and its
//! words are counted by the same tests ([`Matcher::read`]): a search finds what scores.

use super::page_texts::PageTextReader;
use crate::analysis::{MatchPlace, Matcher, Matches, TermCounts, TextFields, url_text};
use crate::search::{CaptureFacts, TextIndex};
use crate::store::CaptureHead;
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

/// A request with what the index counts of its terms.
pub(in crate::work) struct RequestMatches {
    pub(in crate::work) matcher: Matcher,
    counts: VersionCounts,
    /// Versions that the index has, and those of them without a text since their record could not be read.
    indexed: FixedBitSet,
    unread: FixedBitSet,
}

/// Strengths of all terms whose weight is kept while captures are weighed; with many terms each may have its own.
const MOST_KNOWN: usize = 1 << 14;

/// What a capture scores by the index.
pub(in crate::work) struct Weighed {
    pub(in crate::work) capture: usize,
    pub(in crate::work) holds: bool,
    pub(in crate::work) score: f64,
}

impl RequestMatches {
    /// Asks an index, where there is one.
    ///
    /// # Errors
    ///
    /// An index that cannot be read.
    pub(in crate::work) fn of(matcher: Matcher, index: Option<&TextIndex>) -> anyhow::Result<Self> {
        let mut counts = VersionCounts::of(matcher.terms().len());
        let (mut indexed, mut unread) = (FixedBitSet::new(), FixedBitSet::new());
        if let Some(index) = index.filter(|_| !matcher.terms().is_empty()) {
            (indexed, unread) = (index.versions()?, index.unread_versions()?);
            for term in 0..matcher.terms().len() {
                for test in matcher.tests(term) {
                    for (slot, place) in MatchPlace::OF_TEXT.into_iter().enumerate() {
                        index.occurrences(place, &test, &mut |version, count| {
                            counts.add(usize::try_from(version).unwrap_or_default(), term, slot, count);
                        })?;
                    }
                }
            }
        }
        Ok(Self { matcher, counts, indexed, unread })
    }

    /// What a capture has of the request, and why its record could not be read: then it has URL and title alone.
    pub(in crate::work) fn of_capture(
        &self,
        texts: &mut PageTextReader<'_>,
        capture: &CaptureHead,
    ) -> (Matches, Option<String>) {
        let version = usize::try_from(capture.version).unwrap_or(usize::MAX);
        let (language, date) = (Some(capture.language.as_str()).filter(|language| !language.is_empty()), capture.date);
        let of_index = || self.matcher.matches(self.counts.of_version(version), language, Some(date));
        if self.indexed.contains(version) && !self.unread.contains(version) {
            return (of_index(), None);
        }
        let fields = |title, main, rest, url| TextFields { title, main, rest, url, language, date: Some(date) };
        match texts.text(capture.id, capture.version) {
            Ok(page) => (self.matcher.read(&fields(&page.title, &page.main, &page.rest, &page.url)), None),
            Err(error) if self.indexed.contains(version) => (of_index(), Some(crate::work::error_chain(&error))),
            Err(error) => {
                let url = url_text(&capture.url);
                (self.matcher.read(&fields(&capture.title, "", "", &url)), Some(crate::work::error_chain(&error)))
            }
        }
    }

    /// What captures score, as far as the index has them.
    pub(in crate::work) fn weigh(&self, facts: &CaptureFacts, captures: &FixedBitSet) -> Vec<Weighed> {
        let mut known: HashMap<Vec<u64>, (bool, f64), foldhash::fast::RandomState> = HashMap::default();
        let mut strength = Vec::with_capacity(self.matcher.terms().len());
        let weighed = captures.ones().map(|capture| {
            let language = Some(facts.language_of(capture)).filter(|language| !language.is_empty());
            let date = CaptureDate::from_seconds(i64::from(facts.day_of(capture)) * 86_400);
            strength.clear();
            for (term, counts) in self.counts.of_version(facts.version_of(capture)).iter().enumerate() {
                let met = self.matcher.met_without_text(term, language, Some(date)).map_or(0, MatchPlace::worth);
                let worth = |(place, count): (MatchPlace, &u32)| place.worth() * u64::from(*count);
                strength.push(met + MatchPlace::OF_TEXT.into_iter().zip(counts).map(worth).sum::<u64>());
            }
            let (holds, score) = match known.get(&strength) {
                Some(known) => *known,
                None => {
                    let weight = self.matcher.weigh(&strength);
                    if known.len() >= MOST_KNOWN {
                        known.clear();
                    }
                    known.insert(strength.clone(), weight);
                    weight
                }
            };
            Weighed { capture, holds, score }
        });
        weighed.collect()
    }

    /// The captures that meet the request.
    pub(in crate::work) fn meeting(&self, facts: &CaptureFacts, with_text: &FixedBitSet) -> FixedBitSet {
        let mut available = facts.captures().clone();
        available.intersect_with(with_text);
        self.weigh(facts, &available).iter().filter(|of| of.holds).map(|of| of.capture).collect()
    }
}

/// How often each term is in each content version.
struct VersionCounts {
    terms: usize,
    /// Of each version its row among the counts; the first row is of those that hold no term.
    rows: Vec<u32>,
    counts: Vec<TermCounts>,
}

impl VersionCounts {
    fn of(terms: usize) -> Self {
        Self { terms, rows: Vec::new(), counts: vec![TermCounts::default(); terms] }
    }

    fn add(&mut self, version: usize, term: usize, slot: usize, count: u64) {
        if self.rows.len() <= version {
            self.rows.resize(version + 1, 0);
        }
        if self.rows[version] == 0 {
            self.rows[version] = u32::try_from(self.counts.len() / self.terms).unwrap_or_default();
            self.counts.resize(self.counts.len() + self.terms, TermCounts::default());
        }
        let counts = &mut self.counts[self.rows[version] as usize * self.terms + term];
        counts[slot] = counts[slot].saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn of_version(&self, version: usize) -> &[TermCounts] {
        let first = self.rows.get(version).map_or(0, |row| *row as usize * self.terms);
        &self.counts[first..first + self.terms]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "request_matches_tests.rs"]
mod tests;
