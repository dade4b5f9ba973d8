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
    text: String,
    count: u64,
    pages: u64,
}

/// Counts of the terms of pages.
#[derive(Debug, Clone, Default)]
pub struct TermTotals {
    of_term: HashMap<u64, Total, FixedState>,
    /// Occurrences of single words.
    tokens: u64,
}

impl TermTotals {
    /// Adds a page of the set.
    pub fn add(&mut self, terms: &[PageTerm]) {
        for term in terms {
            let total =
                self.of_term.entry(term.key).or_insert_with(|| Total { text: term.text.clone(), ..Total::default() });
            total.count += u64::from(term.count);
            total.pages += 1;
            self.tokens += if term.tokens() == 1 { u64::from(term.count) } else { 0 };
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
    let counted = totals.of_term.iter().filter(|(_, total)| total.count >= FEWEST && total.pages >= FEWEST_PAGES);
    let mut elsewhere: HashMap<u64, u64, FixedState> = counted.clone().map(|(key, _)| (*key, 0)).collect();
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
    let values = c_values(counted.clone().map(|(_, total)| total));
    let terms = counted.map(|(key, total)| {
        let others = elsewhere.get(key).copied().unwrap_or_default();
        let keyness = has_others.then(|| keyness([total.count, totals.tokens], [others, other_tokens]));
        let c_value = values.get(total.text.as_str()).copied().unwrap_or_default();
        let own = if c_value > 0.0 { c_value } else { total.count as f64 };
        let rank = keyness.unwrap_or_else(|| own * pages.idf(*key));
        let (text, count, pages) = (total.text.clone(), total.count, total.pages);
        (rank, CorpusTerm { text, count, pages, elsewhere: others, c_value, keyness })
    });
    let mut terms: Vec<(f64, CorpusTerm)> = terms.collect();
    terms.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.text.cmp(&b.text)));
    terms.truncate(most);
    Ok(terms.into_iter().map(|(_, term)| term).collect())
}

/// The C-values of terms of several words.
fn c_values<'t>(totals: impl Iterator<Item = &'t Total> + Clone) -> HashMap<&'t str, f64, FixedState> {
    let several = totals.filter(|total| total.text.contains(' '));
    // Of longer terms that contain one: how many, and how often these come.
    let mut within: HashMap<&str, (u64, u64), FixedState> =
        several.clone().map(|total| (total.text.as_str(), (0, 0))).collect();
    for total in several.clone() {
        let tokens: Vec<&str> = total.text.split(' ').collect();
        for len in 2..tokens.len() {
            for part in tokens.windows(len) {
                if let Some((terms, count)) = within.get_mut(part.join(" ").as_str()) {
                    *terms += 1;
                    *count += total.count;
                }
            }
        }
    }
    several
        .map(|total| {
            let tokens = total.text.split(' ').count() as f64;
            let nested = match within.get(total.text.as_str()) {
                Some((terms, count)) if *terms > 0 => *count as f64 / *terms as f64,
                _ => 0.0,
            };
            (total.text.as_str(), tokens.log2() * (total.count as f64 - nested))
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
