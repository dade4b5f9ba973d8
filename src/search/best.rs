//! The best documents of a segment, of those that a query finds.

use super::ranking::{Ranked, best_first};
use super::schema::Fields;
use fixedbitset::FixedBitSet;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings;
use tantivy::query::{EnableScoring, Query, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED, Term};

/// Of so many documents one is found, or more: then all that hold a term are scored, otherwise
/// those alone that are found.
const MANY: usize = 8;
/// The parameters of BM25, near those of Robertson and Zaragoza 2009 (1.2 and 0.75). With the weights of fields and
/// of typed forms they are measured on CACM and Vaswani, whose precision they change by less than 0.01.
const K1: Score = 1.32;
const B: Score = 0.7;

/// The forms of one word, or the words that a pattern means, in fields that are one text.
pub(super) struct TermForms {
    terms: Vec<Term>,
    fields: Vec<Field>,
    /// The weight of the word in the query.
    pub(super) weight: Score,
    /// How rare it is.
    rarity: Score,
    /// Words of all the fields in a document, in the mean.
    mean_len: Score,
}

impl TermForms {
    /// `documents` of `all` hold the word; all have so many `tokens` in these fields.
    pub(super) fn new(
        terms: Vec<Term>,
        fields: Vec<Field>,
        weight: Score,
        documents: u64,
        all: u64,
        tokens: u64,
    ) -> Self {
        let rarity = (1.0 + (all as Score - documents as Score + 0.5) / (documents as Score + 0.5)).ln();
        Self { terms, fields, weight, rarity, mean_len: (tokens as Score / all as Score).max(1.0) }
    }
}

/// The ranking of documents: by the sum of what words and phrases are worth in them.
pub(super) struct Ranking<'a> {
    forms: Vec<TermForms>,
    phrases: Vec<Box<dyn Weight>>,
    fields: Fields,
    among: &'a FixedBitSet,
    most: usize,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(
        forms: Vec<TermForms>,
        phrases: Vec<Box<dyn Query>>,
        scoring: EnableScoring<'_>,
        fields: Fields,
        among: &'a FixedBitSet,
        most: usize,
    ) -> tantivy::Result<Self> {
        let phrases = phrases.iter().map(|query| query.weight(scoring)).collect::<tantivy::Result<_>>()?;
        Ok(Self { forms, phrases, fields, among, most })
    }

    /// The best versions of a segment.
    pub(super) fn best_of(&self, segment: &SegmentReader) -> tantivy::Result<Vec<Ranked>> {
        let numbers = segment.fast_fields().u64("version")?;
        let version = |doc: DocId| {
            let version = numbers.first(doc)?;
            let is_found = usize::try_from(version).is_ok_and(|version| self.among.contains(version));
            (is_found && !segment.is_deleted(doc)).then_some(version)
        };
        let is_few = self.among.count_ones(..).saturating_mul(MANY) < segment.max_doc() as usize;
        let these = is_few.then(|| (0..segment.max_doc()).filter(|doc| version(*doc).is_some()).collect());
        let mut sums = Sums::of(segment, these)?;
        for forms in &self.forms {
            sums.add_forms(forms, &self.fields)?;
        }
        for phrase in &self.phrases {
            let mut scorer = phrase.scorer(segment, 1.0)?;
            let scores = &mut sums.scores;
            each_of(&mut *scorer, sums.these.as_deref(), |slot, _, scorer| scores[slot] += scorer.score());
        }
        let mut best = Best { heap: BinaryHeap::new(), most: self.most };
        for (slot, score) in sums.scores.iter().enumerate().filter(|(_, score)| **score > 0.0) {
            best.put(sums.doc_of(slot), *score, version);
        }
        Ok(best.heap.into_iter().map(|one| one.of).collect())
    }
}

/// The sums of the documents of a segment, each in a slot.
struct Sums<'s> {
    segment: &'s SegmentReader,
    /// The documents that are found, where these are few; all otherwise.
    these: Option<Vec<DocId>>,
    scores: Vec<Score>,
    /// How often the present word stands in each.
    counts: Vec<Score>,
    title_weights: Column<u64>,
}

impl<'s> Sums<'s> {
    fn of(segment: &'s SegmentReader, these: Option<Vec<DocId>>) -> tantivy::Result<Self> {
        let slots = these.as_ref().map_or(segment.max_doc() as usize, Vec::len);
        let title_weights = segment.fast_fields().u64("title_weight")?;
        Ok(Self { segment, these, scores: vec![0.0; slots], counts: vec![0.0; slots], title_weights })
    }

    fn doc_of(&self, slot: usize) -> DocId {
        match &self.these {
            Some(docs) => docs.get(slot).copied().unwrap_or_default(),
            None => DocId::try_from(slot).unwrap_or(DocId::MAX),
        }
    }

    fn add_forms(&mut self, forms: &TermForms, fields: &Fields) -> tantivy::Result<()> {
        let title_weights = &self.title_weights;
        let of_title = |doc: DocId| title_weights.first(doc).unwrap_or(1) as Score;
        let is_title = |field: Field| field == fields.title || field == fields.title_stems;
        let mut matched: Vec<(usize, DocId)> = Vec::new();
        for term in &forms.terms {
            let inverted = self.segment.inverted_index(term.field())?;
            let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::WithFreqs)? else { continue };
            let (counts, is_title) = (&mut self.counts, is_title(term.field()));
            each_of(&mut postings, self.these.as_deref(), |slot, doc, postings| {
                let count = postings.term_freq() as Score * if is_title { of_title(doc) } else { 1.0 };
                if counts[slot] == 0.0 {
                    matched.push((slot, doc));
                }
                counts[slot] += count;
            });
        }
        let mut lengths: Vec<(FieldNormReader, bool)> = Vec::new();
        for field in &forms.fields {
            lengths.push((self.segment.get_fieldnorms_reader(*field)?, is_title(*field)));
        }
        for (slot, doc) in matched {
            let mut len = 0.0;
            for (norms, is_title) in &lengths {
                let of_field = norms.fieldnorm(doc) as Score;
                len += if *is_title && of_field > 0.0 { of_field * of_title(doc) } else { of_field };
            }
            let count = std::mem::take(&mut self.counts[slot]);
            let share = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * len / forms.mean_len));
            self.scores[slot] += forms.weight * forms.rarity * share;
        }
        Ok(())
    }
}

/// Goes through the documents of a term or phrase; through those alone that are found, where `these` names them.
fn each_of<D: DocSet + ?Sized>(docs: &mut D, these: Option<&[DocId]>, mut take: impl FnMut(usize, DocId, &mut D)) {
    match these {
        None => {
            while docs.doc() != TERMINATED {
                let doc = docs.doc();
                take(doc as usize, doc, docs);
                docs.advance();
            }
        }
        Some(these) => {
            for (slot, doc) in these.iter().enumerate() {
                if docs.doc() < *doc {
                    docs.seek(*doc);
                }
                if docs.doc() == *doc {
                    take(slot, *doc, docs);
                }
            }
        }
    }
}

/// The best so far, the worst of them on top.
struct Best {
    heap: BinaryHeap<Candidate>,
    most: usize,
}

/// A version found, the better the less.
struct Candidate {
    of: Ranked,
}

impl Best {
    /// Takes a document in where it is found, and better than others.
    fn put(&mut self, doc: DocId, score: Score, version: impl Fn(DocId) -> Option<u64>) {
        if self.heap.len() == self.most && score < self.least() {
            return;
        }
        let Some(version) = version(doc) else { return };
        let one = Candidate { of: Ranked { version, score } };
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
