//! The words of texts as the index keeps them.

use crate::text::{TextToken, fold, is_invisible, is_unspaced, next_term, text_tokens};
use frostem::{Algorithm, Stemmer};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

/// The name of the tokenizer of words, as the index knows it.
pub(super) const TERMS: &str = "fonds_words";
/// The name of the tokenizer of stems.
pub(super) const STEMS: &str = "fonds_stems";
/// The language of words without stems.
pub(super) const UNSTEMMED: &str = "";
/// The sign between the language and the stem in a term.
const OF_LANGUAGE: char = ':';

/// Words as [`words`] finds them.
#[derive(Debug, Clone, Default)]
pub(super) struct TermTokenizer {
    token: Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        TermStream { words: FoldedTerms::of(text), token: &mut self.token }
    }
}

/// Stems of words; words themselves where the language has none. The text begins with a line that is its
/// language.
#[derive(Debug, Clone, Default)]
pub(super) struct StemTokenizer {
    token: Token,
}

impl Tokenizer for StemTokenizer {
    type TokenStream<'a> = StemStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> StemStream<'a> {
        self.token.reset();
        let (language, text) = text.split_once('\n').unwrap_or(("", text));
        // Words of other languages are their own stems: they weigh as much as stems of these.
        let language = if stemmed(language).is_some() { language } else { UNSTEMMED };
        let further = ("", Vec::new().into_iter());
        StemStream { rest: text, next_place: 0, further, stems: Stems::of(language), token: &mut self.token }
    }
}

/// The words of one text, one after another.
struct FoldedTerms {
    folded: String,
    at: usize,
}

impl FoldedTerms {
    fn of(text: &str) -> Self {
        Self { folded: fold(text), at: 0 }
    }

    /// Puts the next word behind what is there; `false` at the end.
    fn next_into(&mut self, out: &mut String) -> bool {
        let term = next_term(&self.folded, &mut self.at);
        out.push_str(term.clone().and_then(|term| self.folded.get(term)).unwrap_or_default());
        term.is_some()
    }
}

/// Tokens of a text.
pub(super) struct TermStream<'a> {
    words: FoldedTerms,
    token: &'a mut Token,
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        self.token.position = self.token.position.wrapping_add(1);
        self.words.next_into(&mut self.token.text)
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// Stems of a text.
pub(super) struct StemStream<'a> {
    rest: &'a str,
    next_place: usize,
    /// Further words of a run, in order, with the run.
    further: (&'a str, std::vec::IntoIter<TextToken>),
    stems: Stems,
    token: &'a mut Token,
}

impl TokenStream for StemStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            // Places are those of the words, so that NEAR counts the same between stems.
            if let Some(token) = self.further.1.next() {
                self.next_place += 1;
                // Letters of a script without blanks have no other form.
                if !token.text.starts_with(is_unspaced) {
                    self.put(self.further.0.get(token.range).unwrap_or_default());
                    return true;
                }
                continue;
            }
            // Whatever is not ASCII may fold to letters.
            let is_of_run = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
            let Some(begin) = self.rest.bytes().position(is_of_run) else { return false };
            let run = &self.rest[begin..];
            let end = run.bytes().position(|byte| !is_of_run(byte)).unwrap_or(run.len());
            self.rest = &run[end..];
            let run = &run[..end];
            if run.is_ascii() {
                self.next_place += 1;
                self.put(run);
                return true;
            }
            self.further = (run, text_tokens(run).into_iter());
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl StemStream<'_> {
    /// Makes the stem of a word the token, at the place before the next one.
    fn put(&mut self, word: &str) {
        self.token.position = self.next_place - 1;
        self.token.text.clear();
        self.stems.put(word, &mut self.token.text);
    }
}

/// The stemmer of one language.
struct Stems {
    language: String,
    stemmer: Option<Stemmer>,
}

impl Stems {
    fn of(language: &str) -> Self {
        Self { language: language.to_owned(), stemmer: stemmed(language).map(Stemmer::new) }
    }

    /// Puts the stem of a word as it is written, with its accents: the rules
    /// of most languages need them. Folded after that, since people leave them out.
    fn put(&self, word: &str, out: &mut String) {
        out.push_str(&self.language);
        out.push(OF_LANGUAGE);
        match &self.stemmer {
            Some(stemmer) if word.is_ascii() => out.push_str(&fold(&stemmer.stem(&word.to_lowercase()))),
            // An accent is a part of its letter for them, and a soft hyphen is nothing.
            Some(stemmer) => {
                let seen: String = word.chars().filter(|c| !is_invisible(*c)).nfc().collect();
                out.push_str(&fold(&stemmer.stem(&seen.to_lowercase())));
            }
            None => out.push_str(&fold(word)),
        }
    }
}

/// The stem of a word as in the index, for texts of a language.
pub fn stem_term(language: &str, word: &str) -> String {
    let mut out = String::new();
    Stems::of(language).put(word, &mut out);
    out
}

/// The stemmer of a language (ISO 639-1); none where it has none.
///
/// The algorithms are those of the Snowball project.
pub(super) fn stemmed(language: &str) -> Option<Algorithm> {
    Some(match language {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" | "nn" | "no" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

/// Every language whose words are stemmed.
pub(super) const STEMMED: [&str; 20] = [
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nb", "nl", "nn", "no", "pt", "ro", "ru", "sv", "ta",
    "tr",
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::text::words;
    use proptest::prelude::*;

    fn tokens(mut tokenizer: impl Tokenizer, text: &str) -> Vec<(usize, String)> {
        let mut stream = tokenizer.token_stream(text);
        let mut found = Vec::new();
        while stream.advance() {
            found.push((stream.token().position, stream.token().text.clone()));
        }
        found
    }

    #[test]
    fn terms_follow_one_another() {
        let found = tokens(TermTokenizer::default(), "Árvore, die Straße — 東京都 x");
        let expected = [(0, "arvore"), (1, "die"), (2, "strasse"), (3, "東京"), (4, "京都"), (5, "都"), (6, "x")];
        assert_eq!(found, expected.map(|(at, word)| (at, word.to_owned())));
    }

    #[test]
    fn stems_carry_their_language() {
        let found = tokens(StemTokenizer::default(), "pt\nAs câmaras europeias");
        assert_eq!(found.len(), 3);
        assert_eq!(found[1].1, stem_term("pt", "Câmara"));
        assert_eq!(found[1].1, stem_term("pt", "camara"));
        for language in ["", "ca"] {
            let found = tokens(StemTokenizer::default(), &format!("{language}\nsem ações"));
            assert_eq!(found, [(0, stem_term("", "sem")), (1, stem_term("", "acoes"))]);
        }
        // As far on as words are, so that NEAR counts the same between stems.
        let text = "東京都 sol ½ mar\u{ad}é №5 2011年x Hawaiʻi x";
        let last = tokens(TermTokenizer::default(), text).pop().unwrap().0;
        for language in ["", "pt"] {
            assert_eq!(tokens(StemTokenizer::default(), &format!("{language}\n{text}")).pop().unwrap().0, last);
        }
    }

    #[test]
    fn every_listed_language_has_a_stemmer() {
        assert!(STEMMED.iter().all(|language| stemmed(language).is_some()));
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_requests(text in "\\PC{0,60}") {
            let found: Vec<String> = tokens(TermTokenizer::default(), &text).into_iter().map(|(_, word)| word).collect();
            prop_assert_eq!(found, words(&text));
        }
    }
}
