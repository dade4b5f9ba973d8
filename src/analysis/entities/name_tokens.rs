//! Splits sentences into the tokens that names are made of.

use std::ops::Range;

/// Characters within a token: `Pão-de-Ló`, `O'Neill`, `AT&T`, `U.S.A`.
const JOINERS: [char; 6] = ['\'', '’', '&', '.', '-', '‐'];
/// Articles and prepositions that lose their vowel before a name: `l'Afrique`, `dell'Acqua`.
const ELISIONS: [&str; 14] = ["l", "d", "j", "qu", "n", "s", "c", "m", "t", "dell", "all", "nell", "dall", "sull"];

/// A token of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameToken<'t> {
    /// As it is written.
    pub text: &'t str,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// It begins the sentence, or what could be one: behind a colon, a quotation mark, a bracket, a dash.
    pub is_initial: bool,
}

impl NameToken<'_> {
    /// Whether its first letter is a capital.
    pub fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// The tokens of a sentence that begins at a byte of its text.
pub(super) fn name_tokens(sentence: &str, begin: usize) -> Vec<NameToken<'_>> {
    let mut tokens = Vec::new();
    let mut chars = sentence.char_indices().peekable();
    // The last character that is no blank, and the one before.
    let (mut last, mut before_last) = (None, None);
    while let Some((at, c)) = chars.next() {
        if !c.is_alphanumeric() {
            if !c.is_whitespace() {
                (before_last, last) = (last, Some(c));
            }
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((next, c)) = chars.peek().copied() {
            let is_inner = c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c);
            let joins = JOINERS.contains(&c)
                && sentence
                    .get(next + c.len_utf8()..)
                    .and_then(|rest| rest.chars().next())
                    .is_some_and(char::is_alphanumeric);
            if !is_inner && !joins {
                break;
            }
            chars.next();
            end = next + c.len_utf8();
        }
        let is_initial = match last {
            None => true,
            Some('.' | '!' | '?' | ':' | '"' | '“' | '”' | '„' | '«' | '»' | '(' | '[' | '—' | '–' | '•' | '|') => {
                true
            }
            Some('-') => before_last == Some('-'),
            _ => false,
        };
        push(sentence, at..end, begin, is_initial, &mut tokens);
        (before_last, last) = (None, Some('a'));
    }
    tokens
}

/// Takes a token in, without the article before its apostrophe.
fn push<'t>(sentence: &'t str, range: Range<usize>, begin: usize, is_initial: bool, tokens: &mut Vec<NameToken<'t>>) {
    let text = sentence.get(range.clone()).unwrap_or_default();
    let mut token = |part: Range<usize>| {
        let text = sentence.get(part.clone()).unwrap_or_default();
        tokens.push(NameToken { text, range: begin + part.start..begin + part.end, is_initial });
    };
    let apostrophe = text.char_indices().find(|(_, c)| matches!(c, '\'' | '’'));
    if let Some((at, c)) = apostrophe {
        let article = text.get(..at).unwrap_or_default();
        let is_article = ELISIONS.contains(&article.to_lowercase().as_str()) && (article != "D");
        if is_article {
            token(range.start..range.start + at);
            token(range.start + at + c.len_utf8()..range.end);
            return;
        }
    }
    token(range);
}
