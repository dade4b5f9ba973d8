//! Stop words of languages, by `assets/stop-words.tsv`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The stop words of one language.
type StopTerms = HashSet<&'static str>;

static OF_LANGUAGES: LazyLock<HashMap<&'static str, StopTerms>> = LazyLock::new(|| {
    let rows = include_str!("../../assets/stop-words.tsv").lines();
    rows.filter_map(|row| row.split_once('\t')).map(|(code, all)| (code, all.split(' ').collect())).collect()
});

/// Whether a word in small letters is a stop word of a language (ISO 639-1); false for languages without a list.
///
/// ```
/// assert!(fonds::text::is_stop_term("pt", "não"));
/// assert!(!fonds::text::is_stop_term("pt", "museu"));
/// ```
pub fn is_stop_term(language: &str, word: &str) -> bool {
    OF_LANGUAGES.get(language).is_some_and(|all| all.contains(word))
}
