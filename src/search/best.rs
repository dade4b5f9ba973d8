//! The best documents of a segment, of those that a query finds.

use super::ranking::{Ranked, best_first};
use fixedbitset::FixedBitSet;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use tantivy::query::{BooleanQuery, EnableScoring, Query, Scorer, Weight};
use tantivy::{DocId, Score, SegmentReader, TERMINATED};

/// Of so many documents one is found, or more: then all that hold a term are scored, with those
/// left out that cannot be among the best.
const MANY: u64 = 8;
/// Terms and phrases of a segment beyond which each document is scored: to find out what may be
/// left out takes longer then.
const MOST_PARTS: usize = 16;

/// The ranking of documents: by the sum of what terms and phrases are worth in them.
pub(super) struct Ranking<'a> {
    /// Each term and phrase.
    parts: Vec<Box<dyn Weight>>,
    /// All of them together.
    whole: Box<dyn Weight>,
    among: &'a FixedBitSet,
    /// Few of the documents are found.
    is_few: bool,
    most: usize,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(
        queries: Vec<Box<dyn Query>>,
        scoring: EnableScoring<'_>,
        among: &'a FixedBitSet,
        documents: u64,
        most: usize,
    ) -> tantivy::Result<Self> {
        let parts = queries.iter().map(|query| query.weight(scoring)).collect::<tantivy::Result<_>>()?;
        let whole = BooleanQuery::union(queries).weight(scoring)?;
        let is_few = (among.count_ones(..) as u64).saturating_mul(MANY) < documents;
        Ok(Self { parts, whole, among, is_few, most })
    }

    /// The best versions of a segment.
    pub(super) fn best_of(&self, segment: &SegmentReader) -> tantivy::Result<Vec<Ranked>> {
        let numbers = segment.fast_fields().u64("version")?;
        let version = |doc: DocId| {
            let version = numbers.first(doc)?;
            let is_found = usize::try_from(version).is_ok_and(|version| self.among.contains(version));
            (is_found && !segment.is_deleted(doc)).then_some(version)
        };
        let mut best = Best { heap: BinaryHeap::new(), most: self.most };
        let mut sums = self.sums(segment)?;
        let is_long = sums.parts.len() > MOST_PARTS;
        if sums.parts.is_empty() {
        } else if is_long {
            self.whole.for_each(segment, &mut |doc, score| best.put(doc, score, version))?;
        } else if self.is_few {
            for doc in 0..segment.max_doc() {
                if version(doc).is_some()
                    && let Some(score) = sums.of(doc)
                {
                    best.put(doc, score, version);
                }
            }
        } else {
            self.whole.for_each_pruning(Score::MIN, segment, &mut |doc, score| {
                best.put(doc, score, version);
                best.least()
            })?;
            // In which order parts were summed depends on what was left out: in
            // the order of the query, equal documents are equal.
            let mut found = std::mem::take(&mut best.heap).into_vec();
            found.sort_unstable_by_key(|one| one.doc);
            for mut one in found {
                one.of.score = sums.of(one.doc).unwrap_or(one.of.score);
                best.heap.push(one);
            }
        }
        Ok(best.heap.into_iter().map(|one| one.of).collect())
    }

    fn sums(&self, segment: &SegmentReader) -> tantivy::Result<Sums> {
        let mut parts = self.parts.iter().map(|part| part.scorer(segment, 1.0)).collect::<tantivy::Result<Vec<_>>>()?;
        parts.retain(|part| part.doc() != TERMINATED);
        Ok(Sums { parts })
    }
}

/// The sums of the documents of a segment, read in ascending order.
struct Sums {
    parts: Vec<Box<dyn Scorer>>,
}

impl Sums {
    /// None where it has none of the terms.
    fn of(&mut self, doc: DocId) -> Option<Score> {
        let mut sum = None;
        for part in &mut self.parts {
            if part.doc() < doc {
                part.seek(doc);
            }
            if part.doc() == doc {
                sum = Some(sum.unwrap_or_default() + part.score());
            }
        }
        sum
    }
}

/// The best so far, the worst of them on top.
struct Best {
    heap: BinaryHeap<Candidate>,
    most: usize,
}

struct Candidate {
    doc: DocId,
    of: Ranked,
}

impl Best {
    /// Takes a document in where it is found, and better than others.
    fn put(&mut self, doc: DocId, score: Score, version: impl Fn(DocId) -> Option<u64>) {
        if self.heap.len() == self.most && score < self.least() {
            return;
        }
        let Some(version) = version(doc) else { return };
        let one = Candidate { doc, of: Ranked { version, score } };
        if self.heap.len() < self.most {
            self.heap.push(one);
        } else if let Some(mut worst) = self.heap.peek_mut().filter(|worst| one < **worst) {
            *worst = one;
        }
    }

    /// The score that a document has to exceed to be among the best.
    fn least(&self) -> Score {
        self.heap.peek().filter(|_| self.heap.len() == self.most).map_or(Score::MIN, |worst| worst.of.score)
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        best_first(&self.of, &other.of)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "best_tests.rs"]
mod tests;
