//! The query that is nearest to relevant pages and far from others.
//!
//! J. J. Rocchio: Relevance feedback in information retrieval (1971), with the usual weights, as in
//! C. D. Manning, P. Raghavan, H. Schütze: Introduction to Information Retrieval, 9.1.1.

use super::{LaunchPage, MarkedPage, TokenCounts};
use std::collections::HashMap;

/// Weight of the relevant pages.
const BETA: f64 = 0.75;
/// Weight of the others.
const GAMMA: f64 = 0.15;

/// The words of the nearest query beside those of the request, with their weights, the heaviest first.
pub fn rocchio(marked: &[MarkedPage], pages: &[LaunchPage]) -> Vec<(String, f64)> {
    let mut pages_with: HashMap<&str, f64> = HashMap::new();
    for page in pages {
        page.words.keys().for_each(|word| *pages_with.entry(word).or_default() += 1.0);
    }
    let vector = |words: &TokenCounts| -> Vec<(String, f64)> {
        let weight = |word: &str, count: u32| {
            let with = pages_with.get(word).copied().unwrap_or(1.0);
            (1.0 + f64::from(count).ln()) * (pages.len().max(1) as f64 / with).ln()
        };
        let of: Vec<(String, f64)> = words
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(word, count)| (word.clone(), weight(word, *count)))
            .collect();
        let length = of.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        of.into_iter().map(|(word, weight)| (word, if length > 0.0 { weight / length } else { 0.0 })).collect()
    };
    let mut query: HashMap<String, f64> = HashMap::new();
    for (is_relevant, factor) in [(true, BETA), (false, -GAMMA)] {
        let group: Vec<&MarkedPage> = marked.iter().filter(|page| page.is_relevant == is_relevant).collect();
        for page in &group {
            for (word, weight) in vector(&page.words) {
                *query.entry(word).or_default() += factor * weight / group.len() as f64;
            }
        }
    }
    let mut terms: Vec<(String, f64)> = query.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    terms
}
