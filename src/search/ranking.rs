//! The versions found are ranked by how well they answer a query.

use super::best::{RankedPhrase, Ranking, TermForms};
use super::schema::SearchedField;
use super::term_matches::{SearchedPhrase, TermPlaces};
use super::text_index::{TextIndex, TextIndexError, engine};
use crate::analysis::TokenTest;
use crate::query::{FieldTerm, Query, TextTest};
use crate::text::words;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use tantivy::collector::{FilterCollector, TopDocs};
use tantivy::query::{
    Bm25StatisticsProvider, Bm25Weight, BooleanQuery, BoostQuery, EnableScoring, Occur, PhraseQuery, Query as _,
    TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, Searcher, Term};

/// Terms that a pattern or an inexact word brings into the ranking at most:
/// further ones are found, and weigh nothing.
const MOST_TERMS: usize = 200;
/// The weight of a phrase beside its words.
const PHRASE_WEIGHT: f32 = 2.0;
/// The weight of the typed form of a word beside its stem: at 1 the precision on Vaswani falls by
/// 0.02, at 0.3 by 0.005; without it forms that were typed are not before others.
const AS_WRITTEN_WEIGHT: f32 = 0.1;
/// Terms that a text is compared with others by, the rarest of it.
const SIMILAR_TERMS: usize = 25;
/// Bytes of such a term at least.
const SIMILAR_TERM_BYTES: usize = 3;

/// A content version with its rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Number of the version.
    pub version: u64,
    /// BM25F of the query's words (Robertson and Zaragoza 2009): title and main text are one text, in which
    /// the title stands twice; what stands around it counts by itself.
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
        if parts.forms.is_empty() || among.is_clear() || most == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let ranking = Ranking::new(
            parts.forms.into_values().collect(),
            parts.phrases,
            searcher.num_docs(),
            (self.fields, &self.lengths, &self.versions_known, &self.phrases),
            among,
            most,
        );
        let of_segments: Vec<Vec<Ranked>> = searcher
            .segment_readers()
            .par_iter()
            .enumerate()
            .map(|(number, segment)| ranking.best_of(number, segment))
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
        let searcher = self.reader.searcher();
        let terms = self.rarest_terms(&searcher, &page.main).map_err(&engine)?;
        let most_weight = terms.first().map_or(1.0, |(weight, _)| *weight);
        let parts = terms.into_iter().map(|(weight, term)| {
            let one = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
            (Occur::Should, Box::new(BoostQuery::new(one, weight / most_weight)) as Box<dyn tantivy::query::Query>)
        });
        let query = BooleanQuery::from(parts.collect::<Vec<_>>());
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

    /// The words of a text that are rare elsewhere and frequent in it, with their weights, at most
    /// [`SIMILAR_TERMS`]; of equal ones the first by their letters, so that the same are compared each time.
    fn rarest_terms(&self, searcher: &Searcher, text: &str) -> tantivy::Result<Vec<(f32, Term)>> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for term in words(text).into_iter().filter(|term| term.len() >= SIMILAR_TERM_BYTES) {
            *counts.entry(term).or_default() += 1;
        }
        let all = searcher.num_docs();
        let mut weighted = Vec::new();
        for (term, count) in counts {
            let term = Term::from_field_text(self.fields.text, &term);
            let documents = searcher.doc_freq(&term)?.min(all);
            if documents > 1 {
                let rarity = (1.0 + ((all - documents) as f32 + 0.5) / (documents as f32 + 0.5)).ln();
                weighted.push((count as f32 * rarity, term));
            }
        }
        weighted.sort_by(|one, other| other.0.total_cmp(&one.0));
        weighted.truncate(SIMILAR_TERMS);
        Ok(weighted)
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
                let (body, around): (Vec<SearchedField>, Vec<SearchedField>) =
                    self.fields.searched(field).into_iter().partition(|searched| searched.is_body);
                self.add(&body, &term.test, term.boost, parts)?;
                around.iter().try_for_each(|one| self.add(std::slice::from_ref(one), &term.test, term.boost, parts))
            }
        }
    }

    /// Adds a test of some fields that are one text.
    fn add(&self, fields: &[SearchedField], test: &TextTest, boost: f32, parts: &mut Parts) -> tantivy::Result<()> {
        let Some(first) = fields.first() else { return Ok(()) };
        let weight = first.weight * boost;
        match test {
            TextTest::Any => {}
            TextTest::Near { left, right, .. } => {
                self.add(fields, left, boost, parts)?;
                self.add(fields, right, boost, parts)?;
            }
            test => {
                let tests = SearchedPhrase::of(test).tests;
                if tests.len() > 1 {
                    // How far each is behind the first one.
                    let texts: Vec<(usize, &str)> = tests
                        .iter()
                        .enumerate()
                        .filter_map(|(nth, test)| match test {
                            TokenTest::Is(word) => Some((nth, word.as_str())),
                            _ => None,
                        })
                        .collect();
                    for (_, text) in &texts {
                        let mut terms = TermPlaces::new();
                        for one in fields {
                            terms.extend(self.terms_of(*one, &TokenTest::Is((*text).to_owned()))?);
                        }
                        self.add_forms(terms, fields.iter().map(|one| one.field).collect(), weight, parts)?;
                    }
                    if texts.len() > 1 {
                        for one in fields {
                            let terms: Vec<(usize, Term)> = texts
                                .iter()
                                .map(|(nth, text)| (*nth, Term::from_field_text(one.field, text)))
                                .collect();
                            let exact = SearchedPhrase::of(test).exact(test);
                            parts.phrases.push(self.phrase(one.field, terms, exact, weight * PHRASE_WEIGHT)?);
                        }
                    }
                    return Ok(());
                }
                let Some(test) = tests.first() else { return Ok(()) };
                let (mut as_written, mut stems) = (TermPlaces::new(), TermPlaces::new());
                for one in fields {
                    for (term, places) in self.terms_of(*one, test)?.into_iter().take(MOST_TERMS) {
                        let of = if Some(term.field()) == one.stems { &mut stems } else { &mut as_written };
                        of.insert(term, places);
                    }
                }
                let share = if fields.iter().any(|one| one.stems.is_some()) { AS_WRITTEN_WEIGHT } else { 1.0 };
                self.add_forms(as_written, fields.iter().map(|one| one.field).collect(), weight * share, parts)?;
                self.add_forms(stems, fields.iter().filter_map(|one| one.stems).collect(), weight, parts)?;
            }
        }
        Ok(())
    }

    /// A phrase in a field, with the words that its documents are known by.
    fn phrase(
        &self,
        field: Field,
        terms: Vec<(usize, Term)>,
        exact: Option<Vec<String>>,
        weight: f32,
    ) -> tantivy::Result<RankedPhrase> {
        let searcher = self.reader.searcher();
        let all: Vec<Term> = terms.iter().map(|(_, term)| term.clone()).collect();
        let bm25 = Bm25Weight::for_terms(&searcher, &all)?.boost_by(weight);
        let query = BoostQuery::new(Box::new(PhraseQuery::new_with_offset(terms)), weight);
        let query = query.weight(EnableScoring::enabled_from_searcher(&searcher))?;
        Ok(RankedPhrase { field, exact, bm25, query })
    }

    /// Adds the forms of one word, which is as rare as all of them are together: a form is worth no
    /// more for being that of a language in which few texts are.
    fn add_forms(&self, terms: TermPlaces, fields: Vec<Field>, weight: f32, parts: &mut Parts) -> tantivy::Result<()> {
        if terms.is_empty() {
            return Ok(());
        }
        let names: Vec<Term> = terms.keys().cloned().collect();
        if let Some(known) = parts.forms.get_mut(&names) {
            known.weight += weight;
            return Ok(());
        }
        let searcher = self.reader.searcher();
        let mut postings = vec![Vec::new(); searcher.segment_readers().len()];
        let mut of_fields: BTreeMap<Field, u64> = BTreeMap::new();
        for (term, places) in terms {
            for (segment, info) in places {
                *of_fields.entry(term.field()).or_default() += u64::from(info.doc_freq);
                postings.get_mut(segment).into_iter().for_each(|of| of.push((term.field(), info.clone())));
            }
        }
        // Most of what a title has, its text has as well.
        let documents = of_fields.into_values().max().unwrap_or_default();
        let mut tokens = 0;
        for field in &fields {
            tokens += searcher.total_num_tokens(*field)?;
        }
        let all = searcher.num_docs().max(1);
        parts.forms.insert(names, TermForms::new(postings, fields, weight, documents.min(all), all, tokens));
        Ok(())
    }
}

/// The parts that are ranked. A word that a query has twice weighs twice.
#[derive(Default)]
struct Parts {
    forms: BTreeMap<Vec<Term>, TermForms>,
    phrases: Vec<RankedPhrase>,
}
