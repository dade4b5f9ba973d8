//! Limits bound the work of a query: of searches, filters and requests alike.
//!
//! The work of a search grows with terms × words × texts, so that a page of
//! pasted text would keep the program busy for minutes.

use unicode_normalization::char::is_combining_mark;

/// Terms of a query, at most.
pub(crate) const MAX_TERMS: usize = 400;

/// Words that follow one another, at most.
const MAX_PHRASE_TOKENS: usize = 100;

/// Letters of a word, or of a pattern with its signs, at most.
const MAX_TOKEN_LETTERS: usize = 1_000;

/// `*`s of a pattern, at most: each is tried at every letter of a word.
const MAX_STARS: usize = 20;

/// Letters of a value that is no text, at most: as many as the longest URL has
/// that a page can link to.
const MAX_VALUE_LETTERS: usize = 64 * 1024;

/// A limit that a part of a query is above.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    /// The text that was expected, and what to do.
    pub(crate) expected: String,
    /// The text that was found.
    pub(crate) found: String,
}

/// The message behind the last term that a query may have; `hint` is what to write in the place of
/// many terms.
pub(crate) fn no_more_terms(hint: &str) -> String {
    format!("an end: a query has {MAX_TERMS} terms at most; {hint}")
}

/// Whether text that is looked for word by word is within the limits.
///
/// # Errors
/// The limit that it is above.
pub(crate) fn check_text(text: &str) -> Result<(), Excess> {
    let runs_of_letters = || text.split(|c| !is_letter(c)).filter(|word| !word.is_empty());
    let count = runs_of_letters().count();
    if count > MAX_PHRASE_TOKENS {
        return Err(Excess {
            expected: format!("{MAX_PHRASE_TOKENS} words behind one another at most; a shorter part finds the same"),
            found: format!("{count} words"),
        });
    }
    runs_of_letters().find_map(too_long).map_or(Ok(()), Err)
}

/// Whether a pattern of `*`, `?` and letters is within the limits.
///
/// # Errors
/// The limit that it is above.
pub(crate) fn check_pattern(pattern: &str) -> Result<(), Excess> {
    let stars = pattern.matches('*').count();
    if stars > MAX_STARS {
        return Err(Excess {
            expected: format!("{MAX_STARS} * in a word at most; one * stands for any number of letters"),
            found: format!("{stars} of them"),
        });
    }
    too_long(pattern).map_or(Ok(()), Err)
}

/// Whether a value that is compared as a whole is within the limits.
///
/// # Errors
/// The limit that it is above.
pub(crate) fn check_value(value: &str) -> Result<(), Excess> {
    let letters = value.chars().count();
    if letters > MAX_VALUE_LETTERS {
        return Err(Excess {
            expected: format!("a value of {MAX_VALUE_LETTERS} letters at most; ask for a part of it"),
            found: format!("{letters} letters"),
        });
    }
    Ok(())
}

fn too_long(word: &str) -> Option<Excess> {
    let letters = word.chars().count();
    (letters > MAX_TOKEN_LETTERS).then(|| Excess {
        expected: format!("a word of {MAX_TOKEN_LETTERS} letters at most; write its beginning and *"),
        found: format!("one of {letters} letters"),
    })
}

/// Whether a word may have this character.
pub(crate) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}
