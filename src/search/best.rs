//! The best documents of a segment, of those that a query finds.

use super::doc_versions::{KnownVersions, each_posting, gallop};
use super::phrase_counts::KnownPhrases;
use super::ranking::{Ranked, best_first};
use super::schema::Fields;
use crate::jobs::{filled, lock};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::SegmentId;
use tantivy::postings::{Postings, TermInfo};
use tantivy::query::{Bm25Weight, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, InvertedIndexReader, Score, SegmentReader, TERMINATED};

/// Of so many documents one is found, or more: then all that hold a term are scored, otherwise
/// those alone that are found. Where a term is in one of so many, the lengths of all are kept.
const MANY: usize = 8;
/// The parameters of BM25, near those of Robertson and Zaragoza 2009 (1.2 and 0.75). With the weights of fields and
/// of typed forms they are measured on CACM and Vaswani, whose precision they change by less than 0.01.
const K1: Score = 1.32;
const B: Score = 0.7;

/// The forms of one word, or the words that a pattern means, in fields that are one text.
pub(super) struct TermForms {
    /// By the number of a segment: the field of each term, and where its postings are.
    postings: Vec<Vec<(Field, TermInfo)>>,
    fields: Vec<Field>,
    /// The weight of the word in the query.
    pub(super) weight: Score,
    /// How rare it is.
    rarity: Score,
    /// Words of all the fields in a document, in the mean.
    mean_len: Score,
    /// Postings of all its terms.
    count: u64,
}

impl TermForms {
    /// `documents` of `all` hold the word; all have so many `tokens` in these fields.
    pub(super) fn new(
        postings: Vec<Vec<(Field, TermInfo)>>,
        fields: Vec<Field>,
        weight: Score,
        documents: u64,
        all: u64,
        tokens: u64,
    ) -> Self {
        let rarity = (1.0 + (all as Score - documents as Score + 0.5) / (documents as Score + 0.5)).ln();
        let count = postings.iter().flatten().map(|(_, info)| u64::from(info.doc_freq)).sum();
        Self { postings, fields, weight, rarity, mean_len: (tokens as Score / all as Score).max(1.0), count }
    }

    /// What they are worth in a document at most, where it consists of nothing else.
    fn most(&self) -> Score {
        self.weight * self.rarity * (K1 + 1.0)
    }
}

/// A phrase in a field.
pub(super) struct RankedPhrase {
    pub(super) field: Field,
    /// Its words, where its documents may be known by them.
    pub(super) exact: Option<Vec<String>>,
    pub(super) bm25: Bm25Weight,
    pub(super) query: Box<dyn Weight>,
}

/// The ranking of documents: by the sum of what words and phrases are worth in them.
pub(super) struct Ranking<'a> {
    forms: Vec<TermForms>,
    phrases: Vec<RankedPhrase>,
    known_phrases: &'a KnownPhrases,
    fields: Fields,
    lengths: &'a KnownLengths,
    versions: &'a KnownVersions,
    among: &'a FixedBitSet,
    is_few: bool,
    most: usize,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(
        mut forms: Vec<TermForms>,
        phrases: Vec<RankedPhrase>,
        all: u64,
        (fields, lengths, versions, known_phrases): (Fields, &'a KnownLengths, &'a KnownVersions, &'a KnownPhrases),
        among: &'a FixedBitSet,
        most: usize,
    ) -> Self {
        let is_few = (among.count_ones(..) as u64).saturating_mul(MANY as u64) < all;
        forms.sort_by(|one, other| other.most().total_cmp(&one.most()));
        Self { forms, phrases, known_phrases, fields, lengths, versions, among, is_few, most }
    }

    /// The best versions of a segment.
    ///
    /// Segments are numbered in their order.
    pub(super) fn best_of(&self, number: usize, segment: &SegmentReader) -> tantivy::Result<Vec<Ranked>> {
        let versions = self.versions.of(segment)?;
        let deleted = segment.has_deletes();
        let version = |doc: DocId| {
            let version = versions.of_doc(doc).filter(|version| self.among.contains(*version as usize))?;
            (!deleted || !segment.is_deleted(doc)).then_some(u64::from(version))
        };
        let these = self.is_few.then(|| versions.docs_of(self.among, segment));
        let mut sums = Sums::of(segment, these, self.lengths)?;
        // What a document has at most so far.
        let (mut so_far, mut count) = (if self.phrases.is_empty() { 0.0 } else { Score::INFINITY }, 0);
        for phrase in &self.phrases {
            if let Some(terms) = &phrase.exact
                && let Some(counts) = self.known_phrases.of(&(segment.segment_id(), phrase.field, terms.clone()))
            {
                let norms = segment.get_fieldnorms_reader(phrase.field)?;
                sums.add_phrase(&counts, |doc, count| phrase.bm25.score(norms.fieldnorm_id(doc), count));
                continue;
            }
            let mut scorer = phrase.query.scorer(segment, 1.0)?;
            let scores = &mut sums.scores;
            each_of(&mut *scorer, sums.these.as_deref(), |slot, _, scorer| scores[slot] += scorer.score());
        }
        for (nth, forms) in self.forms.iter().enumerate() {
            // What speaks against a document may yet make room for others.
            let rest = &self.forms[nth..];
            let rest_most = rest.iter().map(TermForms::most).sum();
            // To look for the worst of the best takes about as long as to add as many postings.
            let pays = rest.iter().map(|forms| forms.count).sum::<u64>() >= count;
            if pays && so_far > rest_most && rest.iter().all(|forms| forms.weight >= 0.0) {
                sums.narrow(rest_most, self.most, version);
            }
            sums.add_forms(number, forms, &self.fields)?;
            so_far += forms.most();
            count += forms.count;
        }
        Ok(sums.best(self.most, version).finish())
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
    /// The worst of the best when they were looked for last, and what each document could still get then.
    worst: Option<(Score, Score)>,
    title_weights: Column<u64>,
    lengths: &'s KnownLengths,
}

impl<'s> Sums<'s> {
    fn of(segment: &'s SegmentReader, these: Option<Vec<DocId>>, lengths: &'s KnownLengths) -> tantivy::Result<Self> {
        let slots = these.as_ref().map_or(segment.max_doc() as usize, Vec::len);
        let title_weights = segment.fast_fields().u64("title_weight")?;
        let (scores, counts) = (filled(0.0, slots), filled(0.0, slots));
        Ok(Self { segment, these, scores, counts, worst: None, title_weights, lengths })
    }

    fn doc_of(&self, slot: usize) -> DocId {
        match &self.these {
            Some(docs) => docs.get(slot).copied().unwrap_or_default(),
            None => DocId::try_from(slot).unwrap_or(DocId::MAX),
        }
    }

    fn best(&self, most: usize, version: impl Fn(DocId) -> Option<u64>) -> Best {
        let mut best = Best::new(most);
        for (slot, score) in self.scores.iter().enumerate().filter(|(_, score)| **score > 0.0) {
            best.put(self.doc_of(slot), *score, &version);
        }
        best
    }

    /// Leaves out what cannot be one of the best any more, where each document gets `rest` at most (the rule of
    /// MaxScore, Turtle and Flood 1995).
    fn narrow(&mut self, rest: Score, most: usize, version: impl Fn(DocId) -> Option<u64>) {
        // The worst only gets better; to look for it takes about as long as to add a frequent word.
        let worst = match self.worst {
            Some((worst, rest_then)) if rest * 4.0 > rest_then => worst,
            _ => {
                let mut best = self.best(most, version);
                best.cut();
                let is_full = best.found.len() >= most;
                let worst = best.found.iter().map(|ranked| ranked.score).fold(Score::MAX, Score::min);
                let worst = if is_full { worst } else { 0.0 };
                self.worst = Some((worst, rest));
                worst
            }
        };
        // Sums are rounded.
        let least = worst - rest * 1.001;
        if least <= 0.0 {
            return;
        }
        let may_be = |score: &Score| *score >= least;
        if self.scores.iter().filter(|score| may_be(score)).count().saturating_mul(MANY) < self.scores.len() {
            let slots: Vec<usize> = (0..self.scores.len()).filter(|slot| may_be(&self.scores[*slot])).collect();
            self.these = Some(slots.iter().map(|slot| self.doc_of(*slot)).collect());
            self.scores = slots.iter().map(|slot| self.scores[*slot]).collect();
            self.counts = filled(0.0, slots.len());
        }
    }

    /// Adds what a phrase is worth in the documents that have it.
    fn add_phrase(&mut self, counts: &[(DocId, u32)], worth: impl Fn(DocId, u32) -> Score) {
        let mut at = 0;
        for (doc, count) in counts {
            let slot = match &self.these {
                None => *doc as usize,
                Some(these) => {
                    at += gallop(these.get(at..).unwrap_or_default(), |of| of < doc);
                    if these.get(at) != Some(doc) {
                        continue;
                    }
                    at
                }
            };
            self.scores.get_mut(slot).into_iter().for_each(|score| *score += worth(*doc, *count));
        }
    }

    fn add_forms(&mut self, number: usize, forms: &TermForms, fields: &Fields) -> tantivy::Result<()> {
        let is_title = |field: Field| field == fields.title || field == fields.title_stems;
        let mut terms: Vec<&(Field, TermInfo)> = forms.postings.get(number).into_iter().flatten().collect();
        let documents: usize = terms.iter().map(|(_, info)| info.doc_freq as usize).sum();
        let mut readers: HashMap<Field, Arc<InvertedIndexReader>> = HashMap::new();
        for (field, _) in &terms {
            if !readers.contains_key(field) {
                readers.insert(*field, self.segment.inverted_index(*field)?);
            }
        }
        let of_slots = self.these.as_ref().map_or(documents, |these| documents.min(these.len()));
        let lengths = self.lengths_of(&forms.fields, is_title, of_slots)?;
        let (counts, scores, title_weights) = (&mut self.counts, &mut self.scores, &self.title_weights);
        let worth = |count: Score, doc: DocId| {
            let len = lengths.of(doc, title_weights);
            let share = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * len / forms.mean_len));
            forms.weight * forms.rarity * share
        };
        // The most frequent one comes last: where it is, the count is whole.
        terms.sort_by_key(|(_, info)| info.doc_freq);
        let others = terms.len().saturating_sub(1);
        let mut matched: Vec<(usize, DocId)> = Vec::new();
        for (nth, (field, info)) in terms.into_iter().enumerate() {
            let (Some(inverted), is_title) = (readers.get(field), is_title(*field)) else { continue };
            let mut take = |slot: usize, doc: DocId, count: u32| {
                let weight = if is_title { title_weight(title_weights, doc) } else { 1.0 };
                let count = count as Score * weight;
                let Some(sum) = counts.get_mut(slot) else { return };
                if nth == others {
                    let count = count + std::mem::take(sum);
                    scores.get_mut(slot).into_iter().for_each(|score| *score += worth(count, doc));
                } else {
                    if *sum == 0.0 {
                        matched.push((slot, doc));
                    }
                    *sum += count;
                }
            };
            let option = IndexRecordOption::WithFreqs;
            match &self.these {
                None => {
                    let postings = inverted.read_block_postings_from_terminfo(info, option)?;
                    each_posting(postings, |doc, count| take(doc as usize, doc, count));
                }
                Some(these) => {
                    let mut postings = inverted.read_postings_from_terminfo(info, option)?;
                    each_of(&mut postings, Some(these.as_slice()), |slot, doc, postings| {
                        take(slot, doc, postings.term_freq())
                    });
                }
            }
        }
        for (slot, doc) in matched {
            let count = std::mem::take(&mut counts[slot]);
            if count > 0.0 {
                scores[slot] += worth(count, doc);
            }
        }
        Ok(())
    }

    /// The lengths of documents in some fields, of which so many are read.
    fn lengths_of(&self, fields: &[Field], is_title: impl Fn(Field) -> bool, count: usize) -> tantivy::Result<Lengths> {
        let key = (self.segment.segment_id(), fields.to_vec());
        if let Some(known) = lock(&self.lengths.0).get(&key) {
            return Ok(Lengths::Known(Arc::clone(known)));
        }
        let mut norms = Vec::new();
        for field in fields {
            norms.push((self.segment.get_fieldnorms_reader(*field)?, is_title(*field)));
        }
        let lengths = Lengths::Read(norms);
        if count.saturating_mul(MANY) < self.segment.max_doc() as usize {
            return Ok(lengths);
        }
        let all: Arc<[Score]> = (0..self.segment.max_doc()).map(|doc| lengths.of(doc, &self.title_weights)).collect();
        lock(&self.lengths.0).insert(key, Arc::clone(&all));
        Ok(Lengths::Known(all))
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
        // Few are looked up among these.
        Some(these) if (docs.size_hint() as usize).saturating_mul(MANY) < these.len() => {
            let mut slot = 0;
            while docs.doc() != TERMINATED {
                let doc = docs.doc();
                slot += gallop(these.get(slot..).unwrap_or_default(), |of| *of < doc);
                match these.get(slot) {
                    Some(of) if *of == doc => {
                        take(slot, doc, docs);
                        docs.advance();
                    }
                    Some(next) => drop(docs.seek(*next)),
                    None => return,
                }
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

/// The best so far, and some that may be none of them: these are left out when there are as many.
struct Best {
    found: Vec<Ranked>,
    most: usize,
    /// What is worth less is none of the best.
    least: Score,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { found: Vec::new(), most, least: Score::MIN }
    }

    /// Takes a document in where it is found, and may be one of the best.
    fn put(&mut self, doc: DocId, score: Score, version: &impl Fn(DocId) -> Option<u64>) {
        if score < self.least {
            return;
        }
        let Some(version) = version(doc) else { return };
        self.found.push(Ranked { version, score });
        if self.found.len() >= self.most.saturating_mul(2) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.most > 0 && self.found.len() > self.most {
            let (_, worst, _) = self.found.select_nth_unstable_by(self.most - 1, best_first);
            self.least = worst.score;
        }
        self.found.truncate(self.most);
    }

    fn finish(mut self) -> Vec<Ranked> {
        self.cut();
        self.found
    }
}

/// Lengths of the documents of segments in fields that are one text, by document, once they were read: a frequent
/// word needs those of nearly all.
#[derive(Default)]
pub(super) struct KnownLengths(Mutex<HashMap<FieldsOfSegment, Arc<[Score]>>>);

type FieldsOfSegment = (SegmentId, Vec<Field>);

/// Where the lengths of documents come from.
enum Lengths {
    Known(Arc<[Score]>),
    /// Norms of the fields, each with whether it is of titles.
    Read(Vec<(FieldNormReader, bool)>),
}

impl Lengths {
    fn of(&self, doc: DocId, title_weights: &Column<u64>) -> Score {
        match self {
            Self::Known(lengths) => lengths.get(doc as usize).copied().unwrap_or_default(),
            Self::Read(norms) => {
                let mut len = 0.0;
                for (norms, is_title) in norms {
                    let of_field = norms.fieldnorm(doc) as Score;
                    let weighs_more = *is_title && of_field > 0.0;
                    len += if weighs_more { of_field * title_weight(title_weights, doc) } else { of_field };
                }
                len
            }
        }
    }
}

/// How often the title of a document counts.
fn title_weight(title_weights: &Column<u64>, doc: DocId) -> Score {
    title_weights.first(doc).unwrap_or(1) as Score
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "best_tests.rs"]
mod tests;
