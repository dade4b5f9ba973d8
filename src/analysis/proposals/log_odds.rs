//! Words that set one group of texts apart from another.
//!
//! Log-odds ratio with an informative Dirichlet prior (B. L. Monroe, M. P. Colaresi, K. M. Quinn:
//! Fightin' Words, Political Analysis 16, 2008, equations 16, 18 and 20). The prior is the
//! frequency of words on all pages, and counts as much as half of both groups: a word that is common
//! everywhere needs more than one that is rare.

use std::collections::HashMap;

/// How often words occur.
pub type TokenCounts = HashMap<String, u32>;

/// The least odds: those of a word that is the only one have no bound.
const LEAST: f64 = 1e-9;

/// The log-odds of a word.
#[derive(Debug, Clone, PartialEq)]
pub struct LogOdds {
    /// The word.
    pub word: String,
    /// The logarithm of its odds in the first group over those in the second.
    pub delta: f64,
    /// The same in units of its standard deviation.
    pub z: f64,
}

/// The log-odds of the words of both groups, those of the first group first. A word that
/// `background` lacks is left out.
pub fn log_odds(first: &TokenCounts, second: &TokenCounts, background: &TokenCounts) -> Vec<LogOdds> {
    let sum = |counts: &TokenCounts| counts.values().map(|count| f64::from(*count)).sum::<f64>();
    let (all_first, all_second, all) = (sum(first), sum(second), sum(background));
    let prior_tokens = (all_first + all_second) / 2.0;
    let count = |counts: &TokenCounts, word: &str| counts.get(word).map_or(0.0, |count| f64::from(*count));
    let mut found: Vec<LogOdds> = background
        .iter()
        .filter(|(word, count)| **count > 0 && (first.contains_key(*word) || second.contains_key(*word)))
        .map(|(word, of_word)| {
            let prior = prior_tokens * f64::from(*of_word) / all;
            let (a, b) = (count(first, word) + prior, count(second, word) + prior);
            let odds = |with: f64, of: f64| (with / (of + prior_tokens - with).max(LEAST)).ln();
            let delta = odds(a, all_first) - odds(b, all_second);
            LogOdds { word: word.clone(), delta, z: delta / (1.0 / a + 1.0 / b).sqrt() }
        })
        .collect();
    found.sort_by(|a, b| b.z.total_cmp(&a.z).then_with(|| a.word.cmp(&b.word)));
    found
}
