//! Which documents meet one term of a query.

use super::schema::SearchedField;
use super::text_index::{TextIndex, TextIndexError, engine};
use super::tokens::{STEMMED, stem_term};
use crate::analysis::url_text;
use crate::campaign::TextTest;
use crate::text::{fold, words};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, InvertedIndexReader, SegmentReader, TERMINATED, Term};

/// Places in the words of one field of a document: first and last word.
type Span = (u32, u32);

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
        let mut versions = FixedBitSet::new();
        for reader in searcher.segment_readers() {
            let numbers = reader.fast_fields().u64("version").map_err(&engine)?;
            let mut docs = FixedBitSet::with_capacity(reader.max_doc() as usize);
            for asked in &fields {
                let leaf = Leaf { segment: reader, asked: *asked };
                leaf.docs(test, &mut docs).map_err(&engine)?;
            }
            let most = usize::try_from(numbers.max_value()).unwrap_or_default();
            versions.grow(most + 1);
            for doc in docs.ones() {
                let doc = DocId::try_from(doc).unwrap_or(DocId::MAX);
                if reader.is_deleted(doc) {
                    continue;
                }
                if let Some(number) = numbers.first(doc).and_then(|number| usize::try_from(number).ok()) {
                    versions.insert(number);
                }
            }
        }
        Ok(versions)
    }

    /// The terms of the index that a test of a single word stands for, in one
    /// field and its stems.
    pub(super) fn terms_of(&self, asked: SearchedField, test: &TextTest) -> tantivy::Result<Vec<Term>> {
        let mut terms = BTreeSet::new();
        for segment in self.reader.searcher().segment_readers() {
            terms.extend(Leaf { segment, asked }.terms(test)?);
        }
        Ok(terms.into_iter().collect())
    }
}

/// One field in one segment.
struct Leaf<'s> {
    segment: &'s SegmentReader,
    asked: SearchedField,
}

impl Leaf<'_> {
    /// Adds the documents that meet a test.
    fn docs(&self, test: &TextTest, found: &mut FixedBitSet) -> tantivy::Result<()> {
        match test {
            TextTest::Any => {
                // Whatever has a word in the field.
                let inverted = self.segment.inverted_index(self.asked.field)?;
                let mut terms = inverted.terms().stream()?;
                while terms.advance() {
                    let mut postings = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                    add_all(&mut postings, found);
                }
            }
            _ if needs_places(test) => {
                for doc in self.candidates(test)?.ones() {
                    let doc = DocId::try_from(doc).unwrap_or(DocId::MAX);
                    if !found.contains(doc as usize) && !self.spans(test, doc)?.is_empty() {
                        found.insert(doc as usize);
                    }
                }
            }
            test => found.union_with(&self.candidates(test)?),
        }
        Ok(())
    }

    /// Documents that hold every word of a test, wherever these stand.
    fn candidates(&self, test: &TextTest) -> tantivy::Result<FixedBitSet> {
        let mut docs = FixedBitSet::with_capacity(self.segment.max_doc() as usize);
        match test {
            TextTest::Near { left, right, .. } => {
                docs = self.candidates(left)?;
                docs.intersect_with(&self.candidates(right)?);
            }
            test if is_phrase(test) => {
                for (nth, word) in words_of(test).into_iter().enumerate() {
                    let mut holding = FixedBitSet::with_capacity(self.segment.max_doc() as usize);
                    self.add_docs(&TextTest::Exact(word), &mut holding)?;
                    if nth == 0 { docs = holding } else { docs.intersect_with(&holding) }
                }
            }
            test => self.add_docs(test, &mut docs)?,
        }
        Ok(docs)
    }

    fn add_docs(&self, test: &TextTest, docs: &mut FixedBitSet) -> tantivy::Result<()> {
        for term in self.terms(test)? {
            if let Some(mut postings) = self.inverted(term.field())?.read_postings(&term, IndexRecordOption::Basic)? {
                add_all(&mut postings, docs);
            }
        }
        Ok(())
    }

    fn inverted(&self, field: Field) -> tantivy::Result<std::sync::Arc<InvertedIndexReader>> {
        self.segment.inverted_index(field)
    }

    /// The terms of this segment that a test of one word stands for.
    fn terms(&self, test: &TextTest) -> tantivy::Result<Vec<Term>> {
        let field = self.asked.field;
        Ok(match test {
            TextTest::Pattern(pattern) => self.terms_like(pattern)?,
            TextTest::Fuzzy(word) => {
                let word = fold(word);
                let query = FuzzyTermQuery::new(Term::from_field_text(field, &word), 1, true);
                let inverted = self.inverted(field)?;
                let mut stream = inverted.terms().search(query.automaton()?).into_stream()?;
                let mut found = Vec::new();
                while stream.advance() {
                    found.extend(term_of(field, stream.key()));
                }
                found
            }
            TextTest::Word(word) => {
                let mut found = vec![Term::from_field_text(field, &fold(word))];
                let stems = self.asked.stems.into_iter();
                found.extend(stems.flat_map(|stems| {
                    STEMMED.map(|language| Term::from_field_text(stems, &stem_term(language, word)))
                }));
                found
            }
            TextTest::Exact(word) => vec![Term::from_field_text(field, &fold(word))],
            TextTest::Any | TextTest::Phrase { .. } | TextTest::Near { .. } | TextTest::Url(_) => Vec::new(),
        })
    }

    fn terms_like(&self, pattern: &str) -> tantivy::Result<Vec<Term>> {
        let pattern = GlobPattern::new(pattern);
        let begin = pattern.begin();
        let inverted = self.inverted(self.asked.field)?;
        let mut range = inverted.terms().range().ge(begin.as_bytes());
        let end = format!("{begin}\u{10ffff}");
        if !begin.is_empty() {
            range = range.lt(end.as_bytes());
        }
        let mut stream = range.into_stream()?;
        let mut found = Vec::new();
        while stream.advance() {
            if std::str::from_utf8(stream.key()).is_ok_and(|word| pattern.is_met_by(word)) {
                found.extend(term_of(self.asked.field, stream.key()));
            }
        }
        Ok(found)
    }

    /// Where a document meets a test.
    fn spans(&self, test: &TextTest, doc: DocId) -> tantivy::Result<Vec<Span>> {
        match test {
            TextTest::Near { left, right, within } => {
                let (left, right) = (self.spans(left, doc)?, self.spans(right, doc)?);
                Ok(near(&left, &right, *within))
            }
            test if is_phrase(test) => {
                let slop = if let TextTest::Phrase { slop, .. } = test { *slop } else { 0 };
                let mut places = Vec::new();
                for word in words_of(test) {
                    places.push(self.places(&TextTest::Exact(word), doc)?);
                }
                Ok(phrase(&places, slop))
            }
            test => Ok(self.places(test, doc)?.into_iter().map(|place| (place, place)).collect()),
        }
    }

    /// Where the words that a test stands for are in a document, in order.
    fn places(&self, test: &TextTest, doc: DocId) -> tantivy::Result<Vec<u32>> {
        let (mut places, mut some) = (Vec::new(), Vec::new());
        for term in self.terms(test)? {
            let option = IndexRecordOption::WithFreqsAndPositions;
            let postings: Option<SegmentPostings> = self.inverted(term.field())?.read_postings(&term, option)?;
            if let Some(mut postings) = postings
                && postings.doc() <= doc
                && postings.seek(doc) == doc
            {
                postings.positions(&mut some);
                places.append(&mut some);
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }
}

/// Whether it matters where its words stand.
fn needs_places(test: &TextTest) -> bool {
    matches!(test, TextTest::Near { .. }) || is_phrase(test) && words_of(test).len() > 1
}

/// Whether a test is one of words that follow one another, as they are written.
pub(super) fn is_phrase(test: &TextTest) -> bool {
    match test {
        TextTest::Phrase { .. } | TextTest::Url(_) => true,
        TextTest::Word(text) | TextTest::Exact(text) | TextTest::Fuzzy(text) => words(text).len() != 1,
        TextTest::Any | TextTest::Near { .. } | TextTest::Pattern(_) => false,
    }
}

/// What is written in a test of words.
fn text_of(test: &TextTest) -> &str {
    match test {
        TextTest::Phrase { text, .. }
        | TextTest::Word(text)
        | TextTest::Exact(text)
        | TextTest::Fuzzy(text)
        | TextTest::Pattern(text)
        | TextTest::Url(text) => text,
        TextTest::Any | TextTest::Near { .. } => "",
    }
}

/// The words of a test of words.
pub(super) fn words_of(test: &TextTest) -> Vec<String> {
    match test {
        TextTest::Url(url) => words(&url_text(url)),
        test => words(text_of(test)),
    }
}

fn add_all(postings: &mut SegmentPostings, found: &mut FixedBitSet) {
    while postings.doc() != TERMINATED {
        found.insert(postings.doc() as usize);
        postings.advance();
    }
}

fn term_of(field: Field, key: &[u8]) -> Option<Term> {
    std::str::from_utf8(key).ok().map(|word| Term::from_field_text(field, word))
}

/// Places of the one and places of the other with so many words between at most.
/// The same word is not near itself.
fn near(left: &[Span], right: &[Span], within: u32) -> Vec<Span> {
    let mut found = Vec::new();
    for one in left {
        for other in right {
            let (first, last) = if one.0 <= other.0 { (one, other) } else { (other, one) };
            if last.0 > first.1 && last.0 - first.1 - 1 <= within {
                found.push((first.0, last.1));
            }
        }
    }
    found
}

/// Where words follow one another; each may be out of its place, the largest
/// displacement less the smallest being the slop.
fn phrase(places: &[Vec<u32>], slop: u32) -> Vec<Span> {
    let mut found = Vec::new();
    let Some(firsts) = places.first() else { return found };
    let slop = i64::from(slop);
    // What a place of word `nth` would make the phrase begin at.
    let begin = |nth: usize, place: u32| i64::from(place) - nth as i64;
    for first in firsts {
        let begins = begin(0, *first);
        if slop == 0 {
            let follows = places.iter().enumerate().skip(1).all(|(nth, places)| {
                u32::try_from(begins + nth as i64).is_ok_and(|place| places.binary_search(&place).is_ok())
            });
            if follows {
                found.push((*first, *first + places.len() as u32 - 1));
            }
            continue;
        }
        // The window of displacements slides over the first word's own.
        let met = (begins - slop..=begins).find_map(|low| {
            let mut taken = vec![*first];
            for (nth, places) in places.iter().enumerate().skip(1) {
                let fits = |place: &&u32| (low..=low + slop).contains(&begin(nth, **place)) && !taken.contains(place);
                taken.push(*places.iter().find(fits)?);
            }
            Some((taken.iter().copied().min()?, taken.iter().copied().max()?))
        });
        found.extend(met);
    }
    found
}

/// A word with `*` for any letters and `?` for one.
struct GlobPattern(Vec<char>);

impl GlobPattern {
    fn new(pattern: &str) -> Self {
        let mut parts = String::new();
        for piece in pattern.split_inclusive(['*', '?']) {
            let letters = piece.trim_end_matches(['*', '?']);
            parts.push_str(&fold(letters));
            parts.push_str(&piece[letters.len()..]);
        }
        Self(parts.chars().collect())
    }

    /// The letters before the first sign.
    fn begin(&self) -> String {
        self.0.iter().take_while(|c| !matches!(c, '*' | '?')).collect()
    }

    fn is_met_by(&self, word: &str) -> bool {
        let (pattern, word): (&[char], Vec<char>) = (&self.0, word.chars().collect());
        let (mut at, mut of, mut star, mut mark) = (0, 0, None, 0);
        while of < word.len() {
            match pattern.get(at) {
                Some('*') => {
                    (star, mark) = (Some(at), of);
                    at += 1;
                }
                Some(c) if *c == '?' || *c == word[of] => {
                    at += 1;
                    of += 1;
                }
                _ => {
                    let Some(star) = star else { return false };
                    mark += 1;
                    (at, of) = (star + 1, mark);
                }
            }
        }
        pattern[at..].iter().all(|c| *c == '*')
    }
}
