//! Check whether a page still is what others call it.
//!
//! A status of 200 hides parked domains, soft 404s, redirects to a front
//! page and changed owners. Their mark is that the words of those who link
//! here are not on the page.

use crate::text::words;
use std::collections::BTreeSet;

/// Fewest distinctive words in all anchors together for a check.
const FEWEST_ANCHOR_WORDS: usize = 2;
/// Fewest words on the page for a check.
const FEWEST_PAGE_WORDS: usize = 3;
/// Most words of anchors that are compared with a page.
pub const MOST_ANCHOR_WORDS: usize = 10_000;
/// A longer word is none.
const MAX_WORD_BYTES: usize = 1024;
/// Words that begin with this many equal letters count as one: `festival`, `festivais`.
const STEM_CHARS: usize = 5;

/// Words that do not describe a target, folded and sorted.
const STOP_WORDS: [&str; 71] = [
    "about", "abrir", "acima", "ainda", "aqui", "article", "artigo", "ayuda", "cette", "clicar", "click", "clique",
    "com", "como", "continue", "dans", "das", "del", "der", "des", "die", "dos", "ein", "eine", "esta", "este", "for",
    "from", "her", "here", "hier", "home", "homepage", "html", "http", "https", "ici", "index", "inicio", "ler", "les",
    "lien", "link", "los", "mais", "mas", "more", "nao", "official", "oficial", "page", "pagina", "para", "pelo",
    "plus", "por", "que", "read", "saber", "site", "sitio", "sobre", "the", "this", "und", "une", "ver", "web",
    "website", "with", "www",
];

/// The result of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorCheck {
    /// These words of the anchors are on the page.
    Agrees {
        /// In alphabetical order, folded.
        shared: Vec<String>,
    },
    /// None of the distinctive words of the anchors is on the page.
    SharesNothing {
        /// The anchors' distinctive words, folded, in alphabetical order.
        anchor_words: Vec<String>,
    },
    /// There are too few words.
    NotChecked {
        /// Why, for people.
        why: &'static str,
    },
}

impl AnchorCheck {
    /// Whether a person should look at the page.
    pub fn is_finding(&self) -> bool {
        matches!(self, Self::SharesNothing { .. })
    }

    /// The finding for people.
    pub fn summary(&self) -> String {
        match self {
            Self::Agrees { shared } => format!("{} of the external anchor texts occur on the page", listed(shared)),
            Self::SharesNothing { anchor_words } => {
                format!("no words of the external anchor texts occur on the page: {}", listed(anchor_words))
            }
            Self::NotChecked { why } => format!("not checked: {why}"),
        }
    }
}

/// Distinctive words of the external anchors of a page.
///
/// Words of one or two letters, bare numbers, addresses and words such as
/// “here” do not count; word endings are not compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnchorWords(BTreeSet<String>);

impl AnchorWords {
    /// Takes the words of an anchor, as long as there are not [`MOST_ANCHOR_WORDS`].
    pub fn take(&mut self, anchor: &str) {
        let distinctive = anchor.split_whitespace().filter(|word| word.len() <= MAX_WORD_BYTES && !is_address(word));
        for word in distinctive.flat_map(words).filter(|word| is_distinctive(word)) {
            if self.0.len() >= MOST_ANCHOR_WORDS {
                return;
            }
            self.0.insert(word);
        }
    }

    /// Compares the words with the title and text of the page.
    pub fn check(self, title: &str, text: &str) -> AnchorCheck {
        compare_with_page(self.0, title, text)
    }
}

fn compare_with_page(anchor_words: BTreeSet<String>, title: &str, text: &str) -> AnchorCheck {
    if anchor_words.len() < FEWEST_ANCHOR_WORDS {
        return AnchorCheck::NotChecked { why: "the external anchor texts have too few distinctive words" };
    }
    let page_words: Vec<String> = words(title).into_iter().chain(words(text)).collect();
    if page_words.len() < FEWEST_PAGE_WORDS {
        return AnchorCheck::NotChecked { why: "the page has too few words" };
    }
    let page_stems: BTreeSet<&str> = page_words.iter().map(|word| stem(word)).collect();
    let shared: Vec<String> = anchor_words.iter().filter(|word| page_stems.contains(stem(word))).cloned().collect();
    if shared.is_empty() {
        AnchorCheck::SharesNothing { anchor_words: anchor_words.into_iter().collect() }
    } else {
        AnchorCheck::Agrees { shared }
    }
}

fn stem(word: &str) -> &str {
    word.char_indices().nth(STEM_CHARS).and_then(|(end, _)| word.get(..end)).unwrap_or(word)
}

fn is_distinctive(word: &str) -> bool {
    let is_unspaced = word.chars().any(crate::text::is_unspaced);
    let is_number = word.chars().all(char::is_numeric);
    // A letter alone is the end of a run without blanks.
    let fewest = if is_unspaced { 2 } else { 3 };
    !is_number && word.chars().count() >= fewest && STOP_WORDS.binary_search(&word).is_err()
}

/// Whether a word is an address (`www.ria.example`, `https://…`, `a@b.example`).
fn is_address(word: &str) -> bool {
    word.contains("://") || word.contains('@') || word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
}

fn listed(words: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = words.iter().take(SHOWN).map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ");
    if words.len() > SHOWN {
        text.push_str(&format!(" and {} more", words.len() - SHOWN));
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(anchors: &[&str], title: &str, text: &str, expected: &str) {
        let mut words = AnchorWords::default();
        anchors.iter().for_each(|anchor| words.take(anchor));
        assert_eq!(words.check(title, text).summary(), expected);
    }

    #[test]
    fn anchors_are_compared_with_the_page() {
        let agrees = "“festival” of the external anchor texts occur on the page";
        check(&["Festival da Ria", "aqui"], "Festivais de verão", "nada", agrees);
        check(
            &["Amélia Vaz"],
            "",
            "a deputada AMELIA falou",
            "“amelia” of the external anchor texts occur on the page",
        );
        check(
            &["Câmara Municipal", "a câmara"],
            "Domain for sale",
            "Buy this domain today",
            "no words of the external anchor texts occur on the page: “camara”, “municipal”",
        );
        check(&["東京都庁"], "東京の天気", "晴れ", "“東京” of the external anchor texts occur on the page");
    }

    #[test]
    fn too_little_text_gives_no_finding() {
        let anchors = "not checked: the external anchor texts have too few distinctive words";
        check(&[], "a b c", "d", anchors);
        check(&["clique aqui", "www.ria.example 2024", "https://ria.example/festival/ler"], "x y z", "", anchors);
        check(&["Câmara Municipal"], "", "", "not checked: the page has too few words");
        let many = "um dois três quatro cinco seis sete oito nove dez onze doze";
        let mut of_many = AnchorWords::default();
        of_many.take(many);
        let words = of_many.check("x y z", "").summary();
        assert!(words.ends_with("and 3 more"), "{words}");
    }

    #[test]
    fn an_endless_run_of_letters_is_not_kept() {
        let mut words = AnchorWords::default();
        (0..2 * MOST_ANCHOR_WORDS).for_each(|n| words.take(&format!("palavra{n} {}", "x".repeat(2 * MAX_WORD_BYTES))));
        assert_eq!(words.0.len(), MOST_ANCHOR_WORDS);
        assert!(words.0.iter().all(|word| word.len() <= MAX_WORD_BYTES));
    }

    #[test]
    fn the_list_of_empty_terms_is_folded_and_sorted() {
        assert!(STOP_WORDS.iter().all(|word| crate::text::fold(word) == *word));
        assert!(STOP_WORDS.is_sorted());
    }
}
