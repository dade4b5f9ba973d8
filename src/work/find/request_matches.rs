//! What captures have of a request: the one place where scores, samples, `request:` and the facet of terms ask.
//!
//! The index counts the terms of the request in the texts that it has. A text that it does not have is read, and its
//! words are counted by the same tests ([`Matcher::read`]): a search finds what scores.

use super::stored_pages::PageTextReader;
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
    /// What an index counts, where there is one, to weigh captures by it; texts of single captures are read.
    ///
    /// # Errors
    ///
    /// An index that cannot be read.
    pub(in crate::work) fn of(matcher: Matcher, index: Option<&TextIndex>) -> anyhow::Result<Self> {
        let mut found = Vec::new();
        if let Some(index) = index {
            for term in 0..matcher.terms().len() {
                for test in matcher.tests(term) {
                    for (slot, place) in MatchPlace::OF_TEXT.into_iter().enumerate() {
                        index.occurrences(place, &test, &mut |version, count| {
                            found.push((u32::try_from(version).unwrap_or_default(), TermCount::of(term, slot, count)));
                        })?;
                    }
                }
            }
        }
        let counts = VersionCounts::of(&found);
        Ok(Self { matcher, counts, indexed: FixedBitSet::new(), unread: FixedBitSet::new() })
    }

    /// As [`Self::of`], for many captures: none that the index has is read.
    ///
    /// # Errors
    ///
    /// An index that cannot be read.
    pub(in crate::work) fn of_indexed(matcher: Matcher, index: Option<&TextIndex>) -> anyhow::Result<Self> {
        let matches = Self::of(matcher, index)?;
        Ok(match index.filter(|_| !matches.matcher.terms().is_empty()) {
            Some(index) => Self { indexed: index.versions()?, unread: index.unread_versions()?, ..matches },
            None => matches,
        })
    }

    /// What a capture has of the request, and why its record could not be read: then it has URL and title alone.
    pub(in crate::work) fn of_capture(
        &self,
        texts: &mut PageTextReader<'_>,
        capture: &CaptureHead,
    ) -> (Matches, Option<String>) {
        let version = usize::try_from(capture.version).unwrap_or(usize::MAX);
        let (language, date) = (Some(capture.language.as_str()).filter(|language| !language.is_empty()), capture.date);
        let of_index = || self.matcher.matches(&self.counts_of(version), language, Some(date));
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

    /// How often the index has each term in a content version.
    fn counts_of(&self, version: usize) -> Vec<TermCounts> {
        let mut counts = vec![TermCounts::default(); self.matcher.terms().len()];
        for TermCount { term, slot, count } in self.counts.of_version(version) {
            let sum = &mut counts[usize::from(*term)][usize::from(*slot)];
            *sum = sum.saturating_add(*count);
        }
        counts
    }

    /// What captures score, as far as the index has them.
    pub(in crate::work) fn weigh(&self, facts: &CaptureFacts, captures: &FixedBitSet) -> Vec<Weighed> {
        let mut known: HashMap<Vec<u64>, (bool, f64), foldhash::fast::RandomState> = HashMap::default();
        let terms = self.matcher.terms().len();
        let without_text: Vec<usize> = (0..terms).filter(|term| self.matcher.tests(*term).is_empty()).collect();
        let mut strength = vec![0_u64; terms];
        // What has no term at all, as most captures.
        let of_none = without_text.is_empty().then(|| self.matcher.weigh(&strength));
        let weighed = captures.ones().map(|capture| {
            let counts = self.counts.of_version(facts.version_of(capture));
            if let Some((holds, score)) = of_none.filter(|_| counts.is_empty()) {
                return Weighed { capture, holds, score };
            }
            let language = Some(facts.language_of(capture)).filter(|language| !language.is_empty());
            let date = CaptureDate::from_seconds(i64::from(facts.day_of(capture)) * 86_400);
            strength.fill(0);
            for term in &without_text {
                let place = self.matcher.met_without_text(*term, language, Some(date));
                strength[*term] = place.map_or(0, MatchPlace::worth);
            }
            for TermCount { term, slot, count } in counts {
                strength[usize::from(*term)] += MatchPlace::OF_TEXT[usize::from(*slot)].worth() * u64::from(*count);
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

    /// How many captures have each term of the request, as far as the index has them.
    pub(in crate::work) fn captures_by_term(&self, facts: &CaptureFacts, captures: &FixedBitSet) -> Vec<u64> {
        let mut of_terms = vec![0_u64; self.matcher.terms().len()];
        self.each_holding(facts, captures, |term, _| of_terms[term] += 1);
        of_terms
    }

    /// The captures that have each term of the request, as far as the index has them.
    pub(in crate::work) fn captures_of_terms(&self, facts: &CaptureFacts, captures: &FixedBitSet) -> Vec<FixedBitSet> {
        let mut of_terms = vec![FixedBitSet::with_capacity(captures.len()); self.matcher.terms().len()];
        self.each_holding(facts, captures, |term, capture| of_terms[term].insert(capture));
        of_terms
    }

    /// Calls `found` once for each term of each capture that has it.
    fn each_holding(&self, facts: &CaptureFacts, captures: &FixedBitSet, mut found: impl FnMut(usize, usize)) {
        let terms = self.matcher.terms().len();
        // A term may be counted in several places of one text.
        let mut last = vec![usize::MAX; terms];
        let without_text: Vec<usize> = (0..terms).filter(|term| self.matcher.tests(*term).is_empty()).collect();
        for capture in captures.ones() {
            let counts = self.counts.of_version(facts.version_of(capture));
            if counts.is_empty() && without_text.is_empty() {
                continue;
            }
            let language = Some(facts.language_of(capture)).filter(|language| !language.is_empty());
            let date = CaptureDate::from_seconds(i64::from(facts.day_of(capture)) * 86_400);
            let is_met = |term: &&usize| self.matcher.met_without_text(**term, language, Some(date)).is_some();
            let in_text = counts.iter().filter(|count| count.count > 0);
            let met = without_text.iter().filter(is_met).copied();
            for term in met.chain(in_text.map(|count| usize::from(count.term))) {
                if std::mem::replace(&mut last[term], capture) != capture {
                    found(term, capture);
                }
            }
        }
    }

    /// The captures that meet the request.
    pub(in crate::work) fn meeting(&self, facts: &CaptureFacts, with_text: &FixedBitSet) -> FixedBitSet {
        let mut available = facts.captures().clone();
        available.intersect_with(with_text);
        self.weigh(facts, &available).iter().filter(|of| of.holds).map(|of| of.capture).collect()
    }
}

/// How often a term of the request is in one of [`MatchPlace::OF_TEXT`].
#[derive(Debug, Clone, Copy, Default)]
struct TermCount {
    term: u16,
    slot: u8,
    count: u32,
}

impl TermCount {
    fn of(term: usize, slot: usize, count: u64) -> Self {
        let (term, slot) = (u16::try_from(term).unwrap_or(u16::MAX), u8::try_from(slot).unwrap_or_default());
        Self { term, slot, count: u32::try_from(count).unwrap_or(u32::MAX) }
    }
}

/// How often terms are in content versions: of each version the terms that it holds.
struct VersionCounts {
    /// Where the counts of a version begin, and behind the last one where they end.
    begins: Vec<u32>,
    counts: Vec<TermCount>,
}

impl VersionCounts {
    fn of(found: &[(u32, TermCount)]) -> Self {
        let versions = found.iter().map(|(version, _)| *version as usize + 1).max().unwrap_or_default();
        let mut begins = vec![0_u32; versions + 1];
        found.iter().for_each(|(version, _)| begins[*version as usize + 1] += 1);
        for version in 0..versions {
            begins[version + 1] += begins[version];
        }
        let (mut next, mut counts) = (begins.clone(), vec![TermCount::default(); found.len()]);
        for (version, count) in found {
            let place = &mut next[*version as usize];
            counts[*place as usize] = *count;
            *place += 1;
        }
        Self { begins, counts }
    }

    fn of_version(&self, version: usize) -> &[TermCount] {
        match (self.begins.get(version), self.begins.get(version + 1)) {
            (Some(begin), Some(end)) => &self.counts[*begin as usize..*end as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "request_matches_tests.rs"]
mod tests;
