//! Which content versions have none of some texts, so that nobody has to read them for these.

use super::text_index::{TextIndex, TextIndexError, engine};
use super::page_file::StoredPage;
use crate::text::{is_unspaced, may_have_unspaced};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, SegmentReader, TERMINATED, Term};

/// How the text of a content version was read; a column of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextReading {
    /// Its record could not be read.
    Unread,
    /// Every word of it is a term of the index.
    Terms,
    /// It has letters of scripts without blanks, whose terms are pairs: what stands beside such a letter may be no
    /// term.
    Pairs,
}

impl TextReading {
    pub(super) fn of(page: &StoredPage) -> Self {
        match page.is_read() {
            false => Self::Unread,
            true if may_have_unspaced(&page.main) || may_have_unspaced(&page.rest) => Self::Pairs,
            true => Self::Terms,
        }
    }

    pub(super) fn number(self) -> u64 {
        match self {
            Self::Unread => 0,
            Self::Terms => 1,
            Self::Pairs => 2,
        }
    }
}

/// What a folded text is in the index.
struct IndexedText {
    /// Its words, where none has a letter of a script without blanks; in other texts it is not found.
    terms: Vec<String>,
    /// Pairs of letters of such a script in it; empty where they do not say where it may be.
    pairs: Vec<String>,
}

impl IndexedText {
    fn of(text: &str) -> Self {
        let (mut terms, mut pairs) = (Vec::new(), Vec::new());
        for run in text.split(' ') {
            let unspaced: Vec<char> = run.chars().filter(|c| is_unspaced(*c)).collect();
            pairs.extend(unspaced.windows(2).map(|pair| pair.iter().collect::<String>()));
            terms.push(run.to_owned());
        }
        if text.chars().any(is_unspaced) {
            terms.clear();
        }
        Self { terms, pairs }
    }
}

impl TextIndex {
    /// The content versions that have none of some folded texts between their first word and their last one, title
    /// and URL apart. Those that the index does not have, and those whose record could not be read, are not among
    /// them; nor are some that have the words of a text in other places.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn lacking(&self, texts: &[String]) -> Result<FixedBitSet, TextIndexError> {
        let engine = engine(&self.folder);
        let texts: Vec<IndexedText> = texts.iter().map(|text| IndexedText::of(text)).collect();
        let fields = [self.fields.text, self.fields.rest];
        let of_segment = |segment: &SegmentReader| -> tantivy::Result<FixedBitSet> {
            let numbers = segment.fast_fields().u64("version")?;
            let readings = segment.fast_fields().u64("reading")?;
            let mut having = FixedBitSet::with_capacity(segment.max_doc() as usize);
            for text in &texts {
                for terms in [&text.terms, &text.pairs] {
                    having.union_with(&docs_with_all(segment, fields, terms)?);
                }
            }
            // Where pairs do not say it, every text that has some may have it.
            let pairs_tell = texts.iter().all(|text| !text.pairs.is_empty());
            let most = usize::try_from(numbers.max_value()).unwrap_or_default();
            let mut lacking = FixedBitSet::with_capacity(most + 1);
            for doc in segment.doc_ids_alive().filter(|doc| !having.contains(*doc as usize)) {
                let reading = readings.first(doc).unwrap_or_default();
                let is_known = reading == TextReading::Terms.number()
                    || pairs_tell && reading == TextReading::Pairs.number();
                if let (true, Some(number)) = (is_known, numbers.first(doc)) {
                    lacking.extend(usize::try_from(number));
                }
            }
            Ok(lacking)
        };
        let searcher = self.reader.searcher();
        let found = searcher.segment_readers().par_iter().map(of_segment).collect::<tantivy::Result<Vec<_>>>();
        Ok(found.map_err(engine)?.into_iter().fold(FixedBitSet::new(), |mut all, some| {
            all.union_with(&some);
            all
        }))
    }
}

/// Documents that have each of these terms in one of the fields; none without a term.
fn docs_with_all(segment: &SegmentReader, fields: [Field; 2], terms: &[String]) -> tantivy::Result<FixedBitSet> {
    let mut all = None::<FixedBitSet>;
    for term in terms {
        let mut docs = FixedBitSet::with_capacity(segment.max_doc() as usize);
        for field in fields {
            let term = Term::from_field_text(field, term);
            if let Some(mut postings) = segment.inverted_index(field)?.read_postings(&term, IndexRecordOption::Basic)? {
                while postings.doc() != TERMINATED {
                    docs.insert(postings.doc() as usize);
                    postings.advance();
                }
            }
        }
        match &mut all {
            Some(all) => all.intersect_with(&docs),
            None => all = Some(docs),
        }
    }
    Ok(all.unwrap_or_default())
}
