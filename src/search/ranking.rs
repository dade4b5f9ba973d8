//! The versions found are ranked by how well they answer a query.

use super::best::Ranking;
use super::leaves::SearchedPhrase;
use super::schema::SearchedField;
use super::text_index::{TextIndex, TextIndexError, engine};
use crate::analysis::TokenTest;
use crate::query::{FieldTerm, Query, TextTest};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use tantivy::collector::{FilterCollector, TopDocs};
use tantivy::query::{Bm25StatisticsProvider, BoostQuery, EnableScoring, MoreLikeThisQuery, PhraseQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, OwnedValue};
use tantivy::{DocAddress, Searcher, Term};

/// Terms that a pattern or an inexact word brings into the ranking at most:
/// further ones are found, and weigh nothing.
const MOST_TERMS: usize = 200;
/// The weight of a phrase beside its words.
const PHRASE_WEIGHT: f32 = 2.0;
/// The weight of the typed form of a word beside its stem: at 1 the precision on Vaswani falls by
/// 0.02, without it forms that were typed are not before others.
const AS_WRITTEN_WEIGHT: f32 = 0.3;
/// Terms that a text is compared with others by, the rarest of it.
const SIMILAR_TERMS: usize = 25;

/// A content version with its rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Number of the version.
    pub version: u64,
    /// BM25 of the query's words, by field (Robertson and Zaragoza 2009).
    pub score: f32,
}

/// The order of results; equal ones come in the order in which they came to the archive.
pub(super) fn best_first(one: &Ranked, other: &Ranked) -> std::cmp::Ordering {
    other.score.total_cmp(&one.score).then(one.version.cmp(&other.version))
}

impl TextIndex {
    /// The best of these versions for the words that a query wants, best
    /// first; versions that hold none of them are not among these.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn rank(
        &self,
        query: &Query<FieldTerm>,
        among: &FixedBitSet,
        most: usize,
    ) -> Result<Vec<Ranked>, TextIndexError> {
        let engine = engine(&self.folder);
        let mut parts = Parts::default();
        self.add_positive(query, &mut parts).map_err(&engine)?;
        if parts.terms.is_empty() || most == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let frequencies = Frequencies { searcher: &searcher, shared: std::mem::take(&mut parts.frequencies) };
        let scoring = EnableScoring::enabled_from_statistics_provider(&frequencies, &searcher);
        let ranking = Ranking::new(parts.into_queries(), scoring, among, searcher.num_docs(), most).map_err(&engine)?;
        let of_segments: Vec<Vec<Ranked>> = searcher
            .segment_readers()
            .par_iter()
            .map(|segment| ranking.best_of(segment))
            .collect::<tantivy::Result<_>>()
            .map_err(&engine)?;
        let mut ranked = of_segments.concat();
        ranked.sort_unstable_by(best_first);
        ranked.truncate(most);
        Ok(ranked)
    }

    /// The versions whose texts are most like that of another, the most alike
    /// first, without itself; none where it has no text. How much they are is a
    /// share of what the text itself would get: 1 at most.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn similar(&self, version: u64, most: usize) -> Result<Vec<Ranked>, TextIndexError> {
        let engine = engine(&self.folder);
        let Some(page) = self.page_of(version)? else { return Ok(Vec::new()) };
        if page.main.is_empty() {
            return Ok(Vec::new());
        }
        let value = OwnedValue::Str(page.main);
        let query = MoreLikeThisQuery::builder()
            .with_min_doc_frequency(2)
            .with_min_term_frequency(1)
            .with_min_word_length(3)
            .with_max_query_terms(SIMILAR_TERMS)
            .with_document_fields(vec![(self.fields.text, vec![value])]);
        let searcher = self.reader.searcher();
        let best_of = |is_itself: bool, most: usize| {
            let is_meant = move |number: u64| (number == version) == is_itself;
            let best = FilterCollector::new("version".to_owned(), is_meant, TopDocs::with_limit(most).order_by_score());
            searcher.search(&query, &best).map_err(&engine)
        };
        let of_itself = best_of(true, 1)?.first().map_or(0.0, |(score, _)| *score);
        let mut ranked = self.numbered(&searcher, best_of(false, most)?)?;
        for other in &mut ranked {
            other.score = if of_itself > 0.0 { (other.score / of_itself).min(1.0) } else { 0.0 };
        }
        Ok(ranked)
    }

    /// Documents by the numbers of their versions.
    fn numbered(&self, searcher: &Searcher, found: Vec<(f32, DocAddress)>) -> Result<Vec<Ranked>, TextIndexError> {
        let mut ranked = Vec::with_capacity(found.len());
        for (score, address) in found {
            let columns = searcher.segment_reader(address.segment_ord).fast_fields();
            let numbers = columns.u64("version").map_err(engine(&self.folder))?;
            ranked.extend(numbers.first(address.doc_id).map(|version| Ranked { version, score }));
        }
        ranked.sort_by(best_first);
        Ok(ranked)
    }

    fn add_positive(&self, query: &Query<FieldTerm>, parts: &mut Parts) -> tantivy::Result<()> {
        match query {
            Query::And(queries) | Query::Or(queries) => {
                queries.iter().try_for_each(|query| self.add_positive(query, parts))
            }
            Query::Not(_) => Ok(()),
            Query::Term(term) => {
                let field = term.field.as_ref().map(|field| field.name.as_str());
                self.fields
                    .searched(field)
                    .into_iter()
                    .try_for_each(|searched| self.add(searched, &term.test, term.boost, parts))
            }
        }
    }

    fn add(&self, searched: SearchedField, test: &TextTest, boost: f32, parts: &mut Parts) -> tantivy::Result<()> {
        match test {
            TextTest::Any => {}
            TextTest::Near { left, right, .. } => {
                self.add(searched, left, boost, parts)?;
                self.add(searched, right, boost, parts)?;
            }
            test => {
                let tests = SearchedPhrase::of(test).tests;
                if tests.len() > 1 {
                    // How far each is behind the first one.
                    let terms = tests.iter().enumerate().filter_map(|(nth, test)| match test {
                        TokenTest::Is(word) => Some((nth, Term::from_field_text(searched.field, word))),
                        _ => None,
                    });
                    let terms: Vec<(usize, Term)> = terms.collect();
                    for (_, term) in &terms {
                        parts.add(term.clone(), searched.weight * boost);
                    }
                    if terms.len() > 1 {
                        parts.phrases.push((terms, searched.weight * boost * PHRASE_WEIGHT));
                    }
                    return Ok(());
                }
                let Some(test) = tests.first() else { return Ok(()) };
                let mut terms = self.terms_of(searched, test)?;
                terms.truncate(MOST_TERMS);
                for term in &terms {
                    let form =
                        if searched.stems.is_some_and(|stems| stems != term.field()) { AS_WRITTEN_WEIGHT } else { 1.0 };
                    parts.add(term.clone(), searched.weight * boost * form);
                }
                let searcher = self.reader.searcher();
                for forms in terms.chunk_by(|a, b| a.field() == b.field()) {
                    let mut documents = 0;
                    for term in forms {
                        documents += searcher.doc_freq(term)?;
                    }
                    parts.frequencies.extend(forms.iter().map(|term| (term.clone(), documents)));
                }
            }
        }
        Ok(())
    }
}

/// The parts that are ranked. A word that a query has twice weighs twice.
#[derive(Default)]
struct Parts {
    terms: BTreeMap<Term, f32>,
    /// Documents with any form of what a term is a form of, in its field.
    frequencies: BTreeMap<Term, u64>,
    phrases: Vec<(Vec<(usize, Term)>, f32)>,
}

impl Parts {
    fn add(&mut self, term: Term, weight: f32) {
        *self.terms.entry(term).or_default() += weight;
    }

    fn into_queries(self) -> Vec<Box<dyn tantivy::query::Query>> {
        let boosted = |query, weight| Box::new(BoostQuery::new(query, weight)) as Box<dyn tantivy::query::Query>;
        let terms = self
            .terms
            .into_iter()
            .map(|(term, weight)| boosted(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)), weight));
        let phrases = self
            .phrases
            .into_iter()
            .map(|(terms, weight)| boosted(Box::new(PhraseQuery::new_with_offset(terms)), weight));
        terms.chain(phrases).collect()
    }
}

/// Frequencies of terms. The forms of one word, and its stems in each language, are as rare as all
/// of them are together: a form is worth no more for being that of a language in which few texts
/// are.
struct Frequencies<'s> {
    searcher: &'s Searcher,
    shared: BTreeMap<Term, u64>,
}

impl Bm25StatisticsProvider for Frequencies<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.searcher.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.searcher.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        match self.shared.get(term) {
            Some(documents) => Ok((*documents).min(self.searcher.total_num_docs()?)),
            None => Ok(self.searcher.doc_freq(term)?),
        }
    }
}
