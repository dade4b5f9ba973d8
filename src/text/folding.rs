//! When two spellings are one word: the one way from text to terms, for the index, requests,
//! filters and marks. The characters that it treats specially are those of [`super::letters`].

use super::letters::{composed, digit, is_diacritic, is_folded, is_invisible, is_joined, is_unspaced, spelled_out};
use std::ops::Range;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Text as matching sees it: lower case, without diacritics, compatibility
/// forms resolved (`ﬁ`, full width), digits of all scripts as 0 to 9, everything
/// that is no letter or digit turned into one blank, no blank at either end.
///
/// `Estaleiro-Naval da  RIA!` and `estaleiro naval da ria` are one text.
/// Punctuation is not seen: `C++` is `c`. Soft hyphens and characters
/// without width vanish, so that they cannot split a word.
pub fn fold(text: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut gap = false;
    let mut rest = text;
    while !rest.is_empty() {
        // Runs of ASCII, the most of most texts, are taken byte by byte.
        let run = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        let (ascii, other) = rest.split_at(run);
        for byte in ascii.bytes() {
            if byte.is_ascii_alphanumeric() {
                if gap && !out.is_empty() {
                    out.push(b' ');
                }
                gap = false;
                out.push(byte.to_ascii_lowercase());
            } else {
                gap = true;
            }
        }
        let (one, behind) = other.split_at(other.chars().next().map_or(0, char::len_utf8));
        each_folded(one, |c| {
            if !is_of_token(c) {
                gap = true;
                return;
            }
            let mut c = c;
            if gap && !out.is_empty() {
                out.push(b' ');
            } else if is_joined(c)
                && let Some((at, letter)) = last_char(&out)
                && let Some(whole) = composed(letter, c)
            {
                out.truncate(at);
                c = whole;
            }
            gap = false;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        });
        rest = behind;
    }
    // What was put in are whole characters.
    String::from_utf8(out).unwrap_or_default()
}

/// The last character of a text that has some beyond ASCII at its end, and where it begins.
fn last_char(text: &[u8]) -> Option<(usize, char)> {
    let at = text.iter().rposition(|byte| *byte & 0xC0 != 0x80)?;
    std::str::from_utf8(&text[at..]).ok()?.chars().next().map(|c| (at, c))
}

/// Whether a folded character is a part of a word.
fn is_of_token(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Folds letters as [`fold`] does and keeps all other characters, for searches in URLs: `/Ciência/?id=4` is
/// `/ciencia/?id=4`.
pub fn fold_letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        // Runs of ASCII, the most of most texts, are taken at once.
        let run = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        let (ascii, other) = rest.split_at(run);
        let begin = out.len();
        out.push_str(ascii);
        if let Some(run) = out.get_mut(begin..) {
            run.make_ascii_lowercase();
        }
        let end = if run > 0 { 0 } else { c.len_utf8() };
        each_folded(&other[..end], |c| {
            let whole = out.chars().next_back().and_then(|letter| composed(letter, c));
            if whole.is_some() {
                out.pop();
            }
            out.push(whole.unwrap_or(c));
        });
        rest = &other[end..];
    }
    out
}

/// Calls `push` with the characters of a text in lower case, without
/// diacritics, compatibility forms resolved.
fn each_folded(text: &str, mut push: impl FnMut(char)) {
    for c in text.chars() {
        if c.is_ascii() {
            push(c.to_ascii_lowercase());
        } else {
            match FOLDED.get(c as usize) {
                Some(folded) => folded.chars().for_each(&mut push),
                None => fold_char(c, &mut push),
            }
        }
    }
}

/// The characters of alphabets in the first two bytes of UTF-8, folded once.
static FOLDED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folded = |c: u32| {
        let mut text = String::new();
        char::from_u32(c).into_iter().for_each(|c| fold_char(c, |part| text.push(part)));
        text
    };
    (0..0x800).map(folded).collect()
});

fn fold_char(c: char, mut push: impl FnMut(char)) {
    if is_invisible(c) {
        return;
    }
    if is_folded(c) {
        return push(c);
    }
    // Taken apart on both sides of lower case: `İ` is `i` with a dot
    // that drops, `ꟸ` is a raised `Ħ`.
    let parts = c.to_lowercase().nfkd().flat_map(char::to_lowercase).nfkd();
    for part in parts.filter(|part| !is_diacritic(*part) && !is_invisible(*part)) {
        match spelled_out(part) {
            Some(letters) => letters.chars().for_each(&mut push),
            None => push(digit(part).unwrap_or(part)),
        }
    }
}

/// The terms of a text, folded. A run of a script written without blanks has one at each of its
/// letters: this one and the next, the last one alone. So each letter begins a term, and two of
/// them are one; see [`is_open`].
pub fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(term) = next_term(&folded, &mut at) {
        found.push(folded[term].to_owned());
    }
    found
}

/// The term at or behind a place of a folded text, and the place moved behind its beginning.
pub(crate) fn next_term(folded: &str, at: &mut usize) -> Option<Range<usize>> {
    let rest = folded.get(*at..)?;
    let begin = *at + (rest.len() - rest.trim_start_matches(' ').len());
    let mut chars = folded.get(begin..)?.char_indices();
    let (_, first) = chars.next()?;
    if is_unspaced(first) {
        *at = begin + first.len_utf8();
        let end = chars.next().filter(|(_, next)| is_unspaced(*next)).map_or(0, |(_, next)| next.len_utf8());
        return Some(begin..*at + end);
    }
    let end = chars.find(|(_, c)| *c == ' ' || is_unspaced(*c)).map_or(folded.len(), |(end, _)| begin + end);
    *at = end;
    Some(begin..end)
}

/// Whether a term is a single letter of a script written without blanks. In a text, that is the
/// last one of its run; at the end of what is looked for, any letter may follow it.
pub(crate) fn is_open(term: &str) -> bool {
    let mut letters = term.chars();
    letters.next().is_some_and(is_unspaced) && letters.next().is_none()
}

/// A term of a text, folded, and the bytes of the text that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextToken {
    /// The term as [`words`] gives it.
    pub text: String,
    /// Its place in the text, at boundaries of characters; of two letters of a script without
    /// blanks that of the first one.
    pub range: Range<usize>,
}

/// The terms of a text with their places, in the order of [`words`].
pub fn text_tokens(text: &str) -> Vec<TextToken> {
    let mut tokens = Vec::new();
    let mut run = Vec::new();
    for (at, c) in text.char_indices() {
        let range = at..at + c.len_utf8();
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                run.push((c.to_ascii_lowercase(), range));
            } else {
                end_run(&mut run, &mut tokens);
            }
            continue;
        }
        each_folded(&text[range.clone()], |part| match run.last_mut() {
            _ if !is_of_token(part) => end_run(&mut run, &mut tokens),
            Some(last) if composed(last.0, part).is_some() => {
                last.0 = composed(last.0, part).unwrap_or(last.0);
                last.1.end = range.end;
            }
            _ => run.push((part, range.clone())),
        });
    }
    end_run(&mut run, &mut tokens);
    tokens
}

/// A folded character and the bytes it came from.
type FoldedChar = (char, Range<usize>);

/// Makes terms of a run of letters, which is empty after.
fn end_run(run: &mut Vec<FoldedChar>, tokens: &mut Vec<TextToken>) {
    let mut rest = &run[..];
    while let Some((first, behind)) = rest.split_first() {
        if is_unspaced(first.0) {
            let next = behind.first().map(|next| next.0).filter(|next| is_unspaced(*next));
            let text = std::iter::once(first.0).chain(next).collect();
            tokens.push(TextToken { text, range: first.1.clone() });
            rest = behind;
            continue;
        }
        let (part, behind) = rest.split_at(rest.iter().position(|(c, _)| is_unspaced(*c)).unwrap_or(rest.len()));
        let end = part.last().map_or(first.1.end, |last| last.1.end);
        tokens.push(TextToken { text: part.iter().map(|(c, _)| c).collect(), range: first.1.start..end });
        rest = behind;
    }
    run.clear();
}

#[cfg(test)]
#[path = "folding_tests.rs"]
mod tests;
