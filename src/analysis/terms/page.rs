//! The terms of one page.

use crate::text::{is_stop_term, sentences};
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Words of a term, at most.
const MOST_TOKENS: usize = 4;
/// Words of a term that describes a page, at most (measured: a fourth word makes it worse).
const MOST_TOKENS_OF_PAGE: usize = 3;
/// Letters of a word that begins or ends a term, at least.
const FEWEST_LETTERS: usize = 3;
/// Letters of a word, at most: longer ones are no words.
const MOST_LETTERS: usize = 40;
/// Terms that are kept of a page, the most frequent first.
const MOST_OF_PAGE: usize = 300;
/// Terms with a count of one page are forgotten from so many terms on: a lost one counts from the next page. A table
/// of so many fills 64 MiB; of some more it would fill twice as much.
const MOST_COUNTED: usize = 3_600_000;
/// Bytes of one entry when kept.
const ENTRY_BYTES: usize = 12;

/// A term of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageTerm {
    /// As it is written first, in small letters.
    pub text: String,
    /// The number of its stems, equal for all spellings that have them.
    pub key: u64,
    /// How often the page has it.
    pub count: u32,
    /// Its first place, in thousandths of the text.
    pub place: u32,
}

impl PageTerm {
    /// Words that it has.
    pub fn tokens(&self) -> usize {
        self.text.split(' ').count()
    }
}

/// The terms of a text in a language (ISO 639-1), the most frequent first. `stem` gives the stem of a word.
pub fn page_terms(text: &str, language: &str, stem: &dyn Fn(&str) -> String) -> Vec<PageTerm> {
    let mut terms: HashMap<u64, PageTerm, FixedState> = HashMap::default();
    let mut stems: HashMap<String, Option<u64>, FixedState> = HashMap::default();
    for sentence in sentences(text) {
        let begin = (sentence.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        for run in runs(sentence) {
            let tokens: Vec<(&str, Option<u64>)> = run
                .iter()
                .map(|range| {
                    let token = sentence.get(range.clone()).unwrap_or_default();
                    let small = token.to_lowercase();
                    let known = stems.get(&small).copied();
                    let key = known.unwrap_or_else(|| {
                        let key = is_end(&small, language).then(|| hash_of(stem(&small).as_bytes()));
                        stems.insert(small, key);
                        key
                    });
                    (token, key)
                })
                .collect();
            for (first, (_, head)) in tokens.iter().enumerate().filter(|(_, (_, key))| key.is_some()) {
                let mut key = head.unwrap_or_default();
                for len in 1..=MOST_TOKENS.min(tokens.len() - first) {
                    let Some((token, last)) = tokens.get(first + len - 1) else { break };
                    if len > 1 {
                        // Of a word within, how it is written.
                        key = key.rotate_left(7) ^ last.unwrap_or_else(|| hash_of(token.to_lowercase().as_bytes()));
                        key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    }
                    let (Some(_), Some(from), Some(to)) = (last, run.get(first), run.get(first + len - 1)) else {
                        continue;
                    };
                    let term = terms.entry(key).or_insert_with(|| {
                        let written = sentence.get(from.start..to.end).unwrap_or_default();
                        let text_of = written.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
                        let place = (begin + from.start).saturating_mul(1000) / text.len().max(1);
                        PageTerm { text: text_of, key, count: 0, place: u32::try_from(place).unwrap_or(1000) }
                    });
                    term.count += 1;
                }
            }
        }
    }
    let mut terms: Vec<PageTerm> = terms.into_values().collect();
    terms.sort_unstable_by(|a, b| (b.count, a.place, &a.text).cmp(&(a.count, b.place, &b.text)));
    terms.truncate(MOST_OF_PAGE);
    terms
}

fn hash_of(bytes: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(bytes)
}

/// Whether a word in small letters may begin and end a term.
fn is_end(word: &str, language: &str) -> bool {
    let letters = word.chars().count();
    word.starts_with(char::is_alphabetic)
        && (FEWEST_LETTERS..=MOST_LETTERS).contains(&letters)
        && !is_stop_term(language, word)
}

/// The runs of words of a sentence that only blanks, hyphens and apostrophes part.
fn runs(sentence: &str) -> Vec<Vec<std::ops::Range<usize>>> {
    let mut found: Vec<Vec<std::ops::Range<usize>>> = vec![Vec::new()];
    let mut begin = None;
    for (at, c) in sentence.char_indices().chain([(sentence.len(), '.')]) {
        let is_of_token = c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c);
        match (begin, is_of_token) {
            (None, true) => begin = Some(at),
            (Some(from), false) => {
                found.iter_mut().next_back().into_iter().for_each(|run| run.push(from..at));
                begin = None;
            }
            _ => {}
        }
        if !is_of_token
            && !matches!(c, ' ' | '\u{a0}' | '-' | '\'' | '’')
            && found.last().is_some_and(|run| !run.is_empty())
        {
            found.push(Vec::new());
        }
    }
    found.retain(|run| !run.is_empty());
    found
}

/// On how many pages of a corpus each term is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermPages {
    pages: u64,
    of_term: HashMap<u64, u32, FixedState>,
}

impl TermPages {
    /// Adds a page.
    pub fn add(&mut self, terms: &[PageTerm]) {
        self.pages += 1;
        for term in terms {
            *self.of_term.entry(term.key).or_default() += 1;
        }
        if self.of_term.len() > MOST_COUNTED {
            self.of_term.retain(|_, pages| *pages > 1);
        }
    }

    /// Pages in all.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether a term is on more than one page.
    pub fn is_on_several(&self, key: u64) -> bool {
        self.of_term.get(&key).is_some_and(|pages| *pages > 1)
    }

    /// The inverse document frequency of a term.
    pub fn idf(&self, key: u64) -> f64 {
        let pages = self.of_term.get(&key).copied().unwrap_or(1).max(1);
        ((self.pages as f64 + 1.0) / f64::from(pages)).ln()
    }

    /// The terms that set a page apart from others, the best first, each with what it weighs: TF-IDF, more for
    /// those that come early. A term of several words has to come twice.
    pub fn best<'p>(&self, terms: &'p [PageTerm], most: usize) -> Vec<(&'p PageTerm, f64)> {
        let may_describe = |term: &&PageTerm| match term.tokens() {
            1 => true,
            tokens => tokens <= MOST_TOKENS_OF_PAGE && term.count > 1,
        };
        let weighed = terms.iter().filter(may_describe).map(|term| {
            let early = 1.5 - f64::from(term.place) / 1000.0;
            (term, f64::from(term.count) * self.idf(term.key) * early)
        });
        let mut weighed: Vec<_> = weighed.collect();
        weighed.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.text.cmp(&b.text)));
        weighed.truncate(most);
        weighed
    }

    /// The bytes that are kept.
    pub fn encode(&self) -> Vec<u8> {
        let mut keys: Vec<u64> = self.of_term.keys().copied().collect();
        keys.sort_unstable();
        let mut kept = Vec::with_capacity(8 + keys.len() * ENTRY_BYTES);
        kept.extend_from_slice(&self.pages.to_le_bytes());
        for key in keys {
            kept.extend_from_slice(&key.to_le_bytes());
            kept.extend_from_slice(&self.of_term.get(&key).copied().unwrap_or_default().to_le_bytes());
        }
        kept
    }

    /// The counts that were kept; none for other bytes.
    pub fn decode(kept: &[u8]) -> Option<Self> {
        let (pages, entries) = kept.split_at_checked(8)?;
        if !entries.len().is_multiple_of(ENTRY_BYTES) {
            return None;
        }
        let entry = |entry: &[u8]| {
            let (key, pages) = entry.split_at_checked(8)?;
            Some((u64::from_le_bytes(key.try_into().ok()?), u32::from_le_bytes(pages.try_into().ok()?)))
        };
        let of_term = entries.chunks_exact(ENTRY_BYTES).map(entry).collect::<Option<_>>()?;
        Some(Self { pages: u64::from_le_bytes(pages.try_into().ok()?), of_term })
    }
}
