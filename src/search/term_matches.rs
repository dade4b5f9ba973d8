//! The leaves of a query tree find the documents that meet one term.

use super::doc_versions::{each_posting, gallop};
use super::phrase_counts::{KnownPhrases, PhraseCounts};
use super::schema::SearchedField;
use super::text_index::{TextIndex, TextIndexError, engine};
use super::tokens::{STEMMED, UNSTEMMED, stem_term};
use crate::analysis::{MatchPlace, TokenSpan, TokenTest, is_like, near_spans, phrase_spans, token_tests};
use crate::jobs::empty_set;
use crate::query::TextTest;
use crate::text::{fold, is_unspaced};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tantivy::postings::{BlockSegmentPostings, Postings, SegmentPostings, TermInfo};
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, InvertedIndexReader, SegmentReader, Term};

impl TextIndex {
    /// The content versions that meet a term in the fields of a name; in any
    /// field without one. A field that the index does not have finds nothing.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn holding(&self, field: Option<&str>, test: &TextTest) -> Result<FixedBitSet, TextIndexError> {
        let engine = engine(&self.folder);
        let searcher = self.reader.searcher();
        let fields = self.fields.searched(field);
        let of_segment = |reader: &SegmentReader| -> tantivy::Result<FixedBitSet> {
            let mut docs = empty_set(reader.max_doc() as usize);
            for searched in &fields {
                let leaf = Leaf { segment: reader, searched: *searched };
                leaf.docs(test, &self.phrases, &mut docs)?;
            }
            Ok(self.versions_known.of(reader)?.of_docs(&docs, reader))
        };
        let found: Vec<FixedBitSet> =
            searcher.segment_readers().par_iter().map(of_segment).collect::<tantivy::Result<_>>().map_err(engine)?;
        Ok(found.into_iter().fold(FixedBitSet::new(), |mut all, some| {
            all.union_with(&some);
            all
        }))
    }

    /// The content versions whose pages declare a date of publication within these seconds since 1970.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn published_within(&self, seconds: &RangeInclusive<i64>) -> Result<FixedBitSet, TextIndexError> {
        let engine = engine(&self.folder);
        let mut versions = FixedBitSet::new();
        for segment in self.reader.searcher().segment_readers() {
            let numbers = segment.fast_fields().u64("version").map_err(&engine)?;
            let dates = segment.fast_fields().i64("published").map_err(&engine)?;
            for doc in segment.doc_ids_alive() {
                if let (Some(date), Some(number)) = (dates.first(doc), numbers.first(doc))
                    && seconds.contains(&date)
                {
                    versions.extend(usize::try_from(number));
                }
            }
        }
        Ok(versions)
    }

    /// Gives each content version that meets a test in this place, with how often; one with main text and
    /// boilerplate twice.
    /// The description of a page is no part of its text.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn occurrences(
        &self,
        place: MatchPlace,
        test: &TextTest,
        each: &mut impl FnMut(u64, u64),
    ) -> Result<(), TextIndexError> {
        let engine = engine(&self.folder);
        let fields = match place {
            MatchPlace::Title => vec![self.fields.title],
            MatchPlace::Url => vec![self.fields.url],
            MatchPlace::Text => vec![self.fields.text, self.fields.rest],
            MatchPlace::Language | MatchPlace::Date => Vec::new(),
        };
        for segment in self.reader.searcher().segment_readers() {
            let versions = self.versions_known.of(segment).map_err(&engine)?;
            let described = segment.fast_fields().u64("description_words").map_err(&engine)?;
            for field in &fields {
                let leaf = Leaf {
                    segment,
                    searched: SearchedField { field: *field, stems: None, weight: 1.0, is_body: false },
                };
                // Only words of the description are told from the others by their places.
                if *field != self.fields.rest
                    && let Some(info) = leaf.only_term(test).map_err(&engine)?
                {
                    let option = IndexRecordOption::WithFreqs;
                    let inverted = leaf.inverted(*field).map_err(&engine)?;
                    let postings = inverted.read_block_postings_from_terminfo(&info, option);
                    let deleted = segment.has_deletes();
                    each_posting(postings.map_err(|error| engine(error.into()))?, |doc, count| {
                        if let Some(version) = versions.of_doc(doc)
                            && !(deleted && segment.is_deleted(doc))
                        {
                            each(u64::from(version), u64::from(count));
                        }
                    });
                    continue;
                }
                let mut located = leaf.located(test).map_err(&engine)?;
                for doc in leaf.candidates(test).map_err(&engine)?.ones() {
                    let doc = DocId::try_from(doc).unwrap_or(DocId::MAX);
                    let before = if *field == self.fields.rest { described.first(doc).unwrap_or_default() } else { 0 };
                    let count = located.spans(doc).iter().filter(|span| span.start as u64 >= before).count();
                    if count > 0
                        && !segment.is_deleted(doc)
                        && let Some(version) = versions.of_doc(doc)
                    {
                        each(u64::from(version), count as u64);
                    }
                }
            }
        }
        Ok(())
    }

    /// The terms of the index that match a test of a single word, in one field and its stems.
    pub(in crate::search) fn terms_of(&self, searched: SearchedField, test: &TokenTest) -> tantivy::Result<TermPlaces> {
        let mut terms = TermPlaces::new();
        for (nth, segment) in self.reader.searcher().segment_readers().iter().enumerate() {
            for (term, info) in (Leaf { segment, searched }).terms(test)? {
                terms.entry(term).or_default().push((nth, info));
            }
        }
        Ok(terms)
    }
}

/// Terms, with the number of each segment that has one and where its postings are there.
pub(in crate::search) type TermPlaces = BTreeMap<Term, Vec<(usize, TermInfo)>>;

/// One field in one segment.
struct Leaf<'s> {
    segment: &'s SegmentReader,
    searched: SearchedField,
}

impl Leaf<'_> {
    /// Adds the documents that meet a test.
    fn docs(&self, test: &TextTest, known: &KnownPhrases, found: &mut FixedBitSet) -> tantivy::Result<()> {
        match test {
            TextTest::Any => {
                // Whatever has a word in the field.
                let inverted = self.segment.inverted_index(self.searched.field)?;
                let mut terms = inverted.terms().stream()?;
                while terms.advance() {
                    add_all(
                        inverted.read_block_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?,
                        found,
                    );
                }
            }
            _ if let Some(terms) = SearchedPhrase::of(test).exact(test) => {
                let key = (self.segment.segment_id(), self.searched.field, terms);
                let counts = match known.of(&key) {
                    Some(counts) => counts,
                    None => {
                        let counts = self.phrase_counts(test)?;
                        known.put(key, Arc::clone(&counts));
                        counts
                    }
                };
                found.extend(counts.iter().map(|(doc, _)| *doc as usize));
            }
            _ if needs_places(test) => {
                let mut located = self.located(test)?;
                for doc in self.candidates(test)?.ones() {
                    let number = DocId::try_from(doc).unwrap_or(DocId::MAX);
                    if !found.contains(doc) && located.holds(number) {
                        found.insert(doc);
                    }
                }
            }
            test => found.union_with(&self.candidates(test)?),
        }
        Ok(())
    }

    /// The documents that have an exact phrase, and how often.
    fn phrase_counts(&self, test: &TextTest) -> tantivy::Result<PhraseCounts> {
        let mut located = self.located(test)?;
        let docs = self.candidates(test)?;
        let docs = docs.ones().filter_map(|doc| DocId::try_from(doc).ok());
        Ok(docs.map(|doc| (doc, located.count(doc))).filter(|(_, count)| *count > 0).collect())
    }

    /// Documents that hold every word of a test, in any places.
    fn candidates(&self, test: &TextTest) -> tantivy::Result<FixedBitSet> {
        let mut docs = empty_set(self.segment.max_doc() as usize);
        match test {
            TextTest::Near { left, right, .. } => {
                docs = self.candidates(left)?;
                docs.intersect_with(&self.candidates(right)?);
            }
            test => {
                for (nth, test) in SearchedPhrase::of(test).tests.iter().enumerate() {
                    let mut holding = empty_set(self.segment.max_doc() as usize);
                    self.add_docs(test, &mut holding)?;
                    if nth == 0 { docs = holding } else { docs.intersect_with(&holding) }
                }
            }
        }
        Ok(docs)
    }

    fn add_docs(&self, test: &TokenTest, docs: &mut FixedBitSet) -> tantivy::Result<()> {
        for (term, info) in self.terms(test)? {
            let inverted = self.inverted(term.field())?;
            add_all(inverted.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?, docs);
        }
        Ok(())
    }

    /// The only term that meets a test of one word: its count in a document is that of the test. None where several do.
    fn only_term(&self, test: &TextTest) -> tantivy::Result<Option<TermInfo>> {
        if matches!(test, TextTest::Near { .. }) {
            return Ok(None);
        }
        let SearchedPhrase { tests, covered } = SearchedPhrase::of(test);
        let [one] = &tests[..] else { return Ok(None) };
        let mut terms = self.terms(one)?;
        Ok(terms.pop().filter(|_| covered == 0 && terms.is_empty()).map(|(_, info)| info))
    }

    fn inverted(&self, field: Field) -> tantivy::Result<std::sync::Arc<InvertedIndexReader>> {
        self.segment.inverted_index(field)
    }

    /// The terms of this segment that match a test of one word, with where their postings are.
    fn terms(&self, test: &TokenTest) -> tantivy::Result<Vec<(Term, TermInfo)>> {
        let field = self.searched.field;
        let written = match test {
            TokenTest::Like(pattern) => return self.terms_like(pattern),
            TokenTest::OneEdit(letters) => {
                let text: String = letters.iter().collect();
                let query = FuzzyTermQuery::new(Term::from_field_text(field, &text), 1, true);
                let inverted = self.inverted(field)?;
                let mut stream = inverted.terms().search(query.automaton()?).into_stream()?;
                let mut found = Vec::new();
                while stream.advance() {
                    found.extend(term_of(field, stream.key()).map(|term| (term, stream.value().clone())));
                }
                return Ok(found);
            }
            TokenTest::Form(written) => {
                let mut found = vec![Term::from_field_text(field, &fold(written))];
                let stems = self.searched.stems.into_iter();
                found.extend(stems.flat_map(|stems| {
                    let languages = STEMMED.into_iter().chain([UNSTEMMED]);
                    languages.map(move |language| Term::from_field_text(stems, &stem_term(language, written)))
                }));
                found
            }
            TokenTest::Is(word) => vec![Term::from_field_text(field, word)],
        };
        let mut found = Vec::new();
        for term in written {
            let info = self.inverted(term.field())?.get_term_info(&term)?;
            found.extend(info.map(|info| (term, info)));
        }
        Ok(found)
    }

    fn terms_like(&self, pattern: &[char]) -> tantivy::Result<Vec<(Term, TermInfo)>> {
        // The letters before the first sign.
        let begin: String = pattern.iter().take_while(|c| !matches!(c, '*' | '?')).collect();
        let inverted = self.inverted(self.searched.field)?;
        let mut range = inverted.terms().range().ge(begin.as_bytes());
        let end = format!("{begin}\u{10ffff}");
        if !begin.is_empty() {
            range = range.lt(end.as_bytes());
        }
        let mut stream = range.into_stream()?;
        let mut found = Vec::new();
        while stream.advance() {
            if std::str::from_utf8(stream.key()).is_ok_and(|word| is_like(pattern, word)) {
                found.extend(term_of(self.searched.field, stream.key()).map(|term| (term, stream.value().clone())));
            }
        }
        Ok(found)
    }

    /// A test whose places in documents can be read, those in ascending order.
    fn located(&self, test: &TextTest) -> tantivy::Result<Located> {
        Ok(match test {
            TextTest::Near { left, right, within } => {
                Located::Near(Box::new(self.located(left)?), Box::new(self.located(right)?), *within as usize)
            }
            test => {
                let slop = if let TextTest::Phrase { slop, .. } = test { *slop as usize } else { 0 };
                let SearchedPhrase { mut tests, covered } = SearchedPhrase::of(test);
                match &tests[..] {
                    [one] if covered == 0 => Located::Single(self.postings(one)?),
                    _ => {
                        let postings: Vec<Vec<SegmentPostings>> =
                            tests.iter().map(|test| self.postings(test)).collect::<tantivy::Result<_>>()?;
                        let documents = |nth: &usize| postings[*nth].iter().map(|of| u64::from(of.doc_freq())).sum();
                        let mut rarest_first: Vec<usize> = (0..postings.len()).collect();
                        rarest_first.sort_by_key(|nth| -> u64 { documents(nth) });
                        let tests = std::mem::take(&mut tests);
                        let (begins, places) = Default::default();
                        Located::Phrase { postings, rarest_first, tests, slop, covered, begins, places }
                    }
                }
            }
        })
    }

    /// The postings of the terms that match a test.
    fn postings(&self, test: &TokenTest) -> tantivy::Result<Vec<SegmentPostings>> {
        let mut all = Vec::new();
        for (term, info) in self.terms(test)? {
            let option = IndexRecordOption::WithFreqsAndPositions;
            all.push(self.inverted(term.field())?.read_postings_from_terminfo(&info, option)?);
        }
        Ok(all)
    }
}

/// A test with the places of its terms.
enum Located {
    /// Any of these.
    Single(Vec<SegmentPostings>),
    /// Terms that follow one another, with the places of each, and how many more they cover.
    Phrase {
        tests: Vec<TokenTest>,
        postings: Vec<Vec<SegmentPostings>>,
        rarest_first: Vec<usize>,
        slop: usize,
        covered: usize,
        /// Of the last document: where it may begin, and the places of a word.
        begins: Vec<u32>,
        places: Vec<u32>,
    },
    /// Both with so many terms between at most.
    Near(Box<Located>, Box<Located>, usize),
}

impl Located {
    /// Whether a document meets it. Documents come in ascending order.
    fn holds(&mut self, doc: DocId) -> bool {
        self.count(doc) > 0
    }

    /// At how many places a document meets it. Documents come in ascending order.
    fn count(&mut self, doc: DocId) -> u32 {
        let Self::Phrase { postings, rarest_first, slop: 0, begins, places, .. } = self else {
            return u32::try_from(self.spans(doc).len()).unwrap_or(u32::MAX);
        };
        // Places of a frequent word are read where the others follow one another only.
        for (at, nth) in rarest_first.iter().enumerate() {
            read_places(&mut postings[*nth], doc, places);
            if at == 0 {
                begins.clear();
                begins.extend(places.iter().filter_map(|place| place.checked_sub(u32::try_from(*nth).ok()?)));
            } else {
                let mut left = places.as_slice();
                begins.retain(|begin| {
                    let place = *begin as usize + *nth;
                    left = left.get(gallop(left, |of| (*of as usize) < place)..).unwrap_or_default();
                    left.first().is_some_and(|of| *of as usize == place)
                });
            }
            if begins.is_empty() {
                return 0;
            }
        }
        u32::try_from(begins.len()).unwrap_or(u32::MAX)
    }

    /// The places at which a document meets it. Documents come in ascending order.
    fn spans(&mut self, doc: DocId) -> Vec<TokenSpan> {
        match self {
            Self::Single(postings) => places(postings, doc).into_iter().map(|place| place..place + 1).collect(),
            Self::Phrase { tests, postings, slop, covered, .. } => {
                let places: Vec<Vec<usize>> = postings.iter_mut().map(|postings| places(postings, doc)).collect();
                let spans = phrase_spans(tests, &places, *slop).into_iter();
                spans.map(|span| span.start..span.end + *covered).collect()
            }
            Self::Near(left, right, within) => near_spans(left.spans(doc), right.spans(doc), *within),
        }
    }
}

/// The places of any of some terms in a document, in order.
fn places(postings: &mut [SegmentPostings], doc: DocId) -> Vec<usize> {
    let mut places = Vec::new();
    read_places(postings, doc, &mut places);
    places.into_iter().map(|place| place as usize).collect()
}

/// The same, in the place of those of another document.
fn read_places(postings: &mut [SegmentPostings], doc: DocId, places: &mut Vec<u32>) {
    places.clear();
    for postings in &mut *postings {
        if postings.doc() <= doc && postings.seek(doc) == doc {
            postings.append_positions_with_offset(0, places);
        }
    }
    if postings.len() > 1 {
        places.sort_unstable();
        places.dedup();
    }
}

/// Whether the places of its words matter.
fn needs_places(test: &TextTest) -> bool {
    matches!(test, TextTest::Near { .. }) || SearchedPhrase::of(test).tests.len() > 1
}

/// What a test of words looks for in the index.
pub(in crate::search) struct SearchedPhrase {
    /// Words that follow one another; one for a test of one word.
    pub tests: Vec<TokenTest>,
    /// Words that the last one covers beside itself: two letters of a script without blanks are
    /// also the second one, and whatever follows that.
    covered: usize,
}

impl SearchedPhrase {
    pub(super) fn of(test: &TextTest) -> Self {
        let mut tests = token_tests(test);
        let is_covered = match &tests[..] {
            [.., TokenTest::Is(pair), TokenTest::Like(letter)] => {
                matches!(letter[..], [letter, '*'] if is_unspaced(letter) && pair.chars().nth(1) == Some(letter) && pair.starts_with(is_unspaced))
            }
            _ => false,
        };
        if is_covered {
            tests.pop();
        }
        Self { tests, covered: usize::from(is_covered) }
    }

    /// The words that have to follow one another just so; none where anything else would do, too.
    pub(super) fn exact(self, test: &TextTest) -> Option<Vec<String>> {
        if !matches!(test, TextTest::Phrase { slop: 0, .. }) || self.tests.len() < 2 {
            return None;
        }
        let exact = |test| if let TokenTest::Is(word) = test { Some(word) } else { None };
        self.tests.into_iter().map(exact).collect()
    }
}

fn add_all(postings: BlockSegmentPostings, found: &mut FixedBitSet) {
    let most = found.len();
    each_posting(postings, |doc, _| {
        if (doc as usize) < most {
            found.insert(doc as usize);
        }
    });
}

fn term_of(field: Field, key: &[u8]) -> Option<Term> {
    std::str::from_utf8(key).ok().map(|word| Term::from_field_text(field, word))
}
