//! The terms of a set of pages.
//!
//! C-value (K. Frantzi, S. Ananiadou, H. Mima: Automatic recognition of multi-word terms, 2000): how often a
//! term of several words comes by itself and not within a longer one. Keyness: log-likelihood ratio
//! (T. Dunning: Accurate methods for the statistics of surprise and coincidence, 1993) against other pages.

use super::page::{PageTerm, TermPages};
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Terms on fewer pages are no terms of the set.
const FEWEST_PAGES: u64 = 2;
/// Occurrences that a term needs.
const FEWEST: u64 = 3;
/// Terms that come once are forgotten from so many terms on.
const MOST_COUNTED: usize = 2_000_000;

/// A term of a set of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorpusTerm {
    /// As it is written first, in small letters.
    pub text: String,
    /// Occurrences in the set.
    pub count: u64,
    /// Pages of the set with it.
    pub pages: u64,
    /// Occurrences on pages outside of the set.
    pub elsewhere: u64,
    /// Its C-value; 0 for a single word.
    pub c_value: f64,
    /// Log-likelihood ratio against the other pages, negative where it is rarer than there; none where there are no
    /// others.
    pub keyness: Option<f64>,
}

/// Counts of one term.
#[derive(Debug, Clone, Default)]
struct Total {
    text: Box<str>,
    count: u64,
    pages: u32,
}

/// Counts of the terms of pages.
#[derive(Debug, Clone, Default)]
pub struct TermTotals {
    of_term: HashMap<u64, Total, FixedState>,
    /// Occurrences of single words.
    tokens: u64,
}

impl TermTotals {
    /// Adds a page of the set. A term that is on one page of all is none of the set.
    pub fn add(&mut self, terms: &[PageTerm], all: &TermPages) {
        for term in terms {
            self.tokens += if term.tokens() == 1 { u64::from(term.count) } else { 0 };
            if !all.is_on_several(term.key) {
                continue;
            }
            let total = self
                .of_term
                .entry(term.key)
                .or_insert_with(|| Total { text: term.text.as_str().into(), ..Total::default() });
            total.count += u64::from(term.count);
            total.pages += 1;
        }
        if self.of_term.len() > MOST_COUNTED {
            self.of_term.retain(|_, total| total.count > 1);
        }
    }
}

/// The terms of a set of pages, at most so many, the best first: those that set it apart from `others`, which are the
/// terms of pages outside, given as often as the function is called; without others by what they weigh alone.
///
/// # Errors
///
/// Those of `each_other`.
pub fn corpus_terms<E>(
    totals: &TermTotals,
    pages: &TermPages,
    most: usize,
    each_other: impl FnOnce(&mut dyn FnMut(&[PageTerm])) -> Result<(), E>,
) -> Result<Vec<CorpusTerm>, E> {
    let known = known_terms(totals);
    let keys = known.values().flat_map(|term| &term.keys);
    let mut elsewhere: HashMap<u64, u64, FixedState> = keys.map(|key| (*key, 0)).collect();
    let (mut other_tokens, mut has_others) = (0_u64, false);
    each_other(&mut |terms| {
        has_others = true;
        for term in terms {
            other_tokens += if term.tokens() == 1 { u64::from(term.count) } else { 0 };
            if let Some(count) = elsewhere.get_mut(&term.key) {
                *count += u64::from(term.count);
            }
        }
    })?;
    let values = c_values(&known);
    let terms = known.iter().map(|(text, term)| {
        let others = term.keys.iter().filter_map(|key| elsewhere.get(key)).sum();
        let keyness = has_others.then(|| keyness([term.count, totals.tokens], [others, other_tokens]));
        let c_value = values.get(text).copied().unwrap_or_default();
        let own = if text.contains(' ') { c_value } else { term.count as f64 };
        let idf = term.keys.iter().map(|key| pages.idf(*key)).fold(f64::INFINITY, f64::min);
        let rank = keyness.unwrap_or(own * idf);
        let (count, pages) = (term.count, term.pages);
        (rank, CorpusTerm { text: (*text).to_owned(), count, pages, elsewhere: others, c_value, keyness })
    });
    let mut terms: Vec<(f64, CorpusTerm)> = terms.collect();
    terms.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.text.cmp(&b.text)));
    terms.truncate(most);
    Ok(terms.into_iter().map(|(_, term)| term).collect())
}

/// A term as it is written, with its stems in several languages.
#[derive(Debug, Clone, Default)]
struct WrittenTerm {
    keys: Vec<u64>,
    count: u64,
    pages: u64,
}

/// The terms that come often enough, by how they are written.
fn known_terms(totals: &TermTotals) -> HashMap<&str, WrittenTerm, FixedState> {
    let mut known: HashMap<&str, WrittenTerm, FixedState> = HashMap::default();
    for (key, total) in totals.of_term.iter().filter(|(_, total)| total.count > 1) {
        let term = known.entry(&total.text).or_default();
        term.keys.push(*key);
        term.count += total.count;
        term.pages += u64::from(total.pages);
    }
    known.retain(|_, term| term.count >= FEWEST && term.pages >= FEWEST_PAGES);
    known
}

/// The C-values of terms of several words.
fn c_values<'t>(known: &HashMap<&'t str, WrittenTerm, FixedState>) -> HashMap<&'t str, f64, FixedState> {
    let several = known.iter().filter(|(text, _)| text.contains(' '));
    // Of longer terms that contain one: how many, and how often these come.
    let mut within: HashMap<&str, (u64, u64), FixedState> = several.clone().map(|(text, _)| (*text, (0, 0))).collect();
    for (text, term) in several.clone() {
        let tokens: Vec<&str> = text.split(' ').collect();
        for len in 2..tokens.len() {
            for part in tokens.windows(len) {
                if let Some((terms, count)) = within.get_mut(part.join(" ").as_str()) {
                    *terms += 1;
                    *count += term.count;
                }
            }
        }
    }
    several
        .map(|(text, term)| {
            let tokens = text.split(' ').count() as f64;
            let nested = match within.get(text) {
                Some((terms, count)) if *terms > 0 => *count as f64 / *terms as f64,
                _ => 0.0,
            };
            // Of a page its most frequent terms are kept: a longer one can be there where this is not.
            (*text, tokens.log2() * (term.count as f64 - nested).max(0.0))
        })
        .collect()
}

/// The log-likelihood ratio of a count of so many tokens against another.
fn keyness([own, own_tokens]: [u64; 2], [other, other_tokens]: [u64; 2]) -> f64 {
    let [own, own_tokens, other, other_tokens] = [own, own_tokens, other, other_tokens].map(|number| number as f64);
    let all = own_tokens + other_tokens;
    if all == 0.0 {
        return 0.0;
    }
    let expected = [own_tokens * (own + other) / all, other_tokens * (own + other) / all];
    let part =
        |seen: f64, expected: f64| if seen > 0.0 && expected > 0.0 { seen * (seen / expected).ln() } else { 0.0 };
    let ratio = 2.0 * (part(own, expected[0]) + part(other, expected[1]));
    if own < expected[0] { -ratio } else { ratio }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::page_terms;
    use super::*;

    fn terms_of(own: &[&str], others: &[&str]) -> Vec<CorpusTerm> {
        let read = |texts: &[&str]| -> Vec<Vec<PageTerm>> {
            texts.iter().map(|text| page_terms(text, "pt", &str::to_owned)).collect()
        };
        let (own, others) = (read(own), read(others));
        let (mut totals, mut pages) = (TermTotals::default(), TermPages::default());
        own.iter().chain(&others).for_each(|terms| pages.add(terms));
        own.iter().for_each(|terms| totals.add(terms, &pages));
        let found = corpus_terms::<()>(&totals, &pages, 50, |each| {
            others.iter().for_each(|terms| each(terms));
            Ok(())
        });
        found.unwrap()
    }

    #[test]
    fn a_term_within_a_longer_one_counts_less() {
        let text = "A assembleia municipal de Aveiro reuniu. A assembleia municipal votou.";
        let terms = terms_of(&[text; 3], &[]);
        let value = |text: &str| terms.iter().find(|term| term.text == text).map(|term| (term.count, term.c_value));
        // Six times, of which three within each of two longer ones.
        assert_eq!(value("assembleia municipal"), Some((6, 3.0)));
        assert_eq!(value("assembleia"), Some((6, 0.0)));
        assert!(terms.iter().all(|term| term.keyness.is_none()));
    }

    #[test]
    fn terms_that_others_lack_come_first() {
        let terms = terms_of(&["O estaleiro fechou hoje cedo."; 4], &["O mercado fechou hoje cedo."; 4]);
        assert_eq!(terms[0].text.split(' ').next(), Some("estaleiro"));
        let shared = terms.iter().find(|term| term.text == "fechou").unwrap();
        assert!(shared.keyness.unwrap().abs() < 1e-9 && shared.elsewhere == 4, "{shared:?}");
    }
}
