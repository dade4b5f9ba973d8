//! White space folding, the same for anchors, titles and visible text.

use memchr::memmem;
use std::borrow::Cow;

/// White space in the sense of anchors: Unicode's, and the marks without
/// width that editors leave behind (U+180E, U+200B, U+FEFF), as the data set
/// job of Arquivo.pt folds them.
pub(crate) fn is_white(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | ' ' => true,
        c if c.is_ascii() => false,
        '\u{180e}' | '\u{200b}' | '\u{feff}' => true,
        c => c.is_whitespace(),
    }
}

/// First bytes of characters that may be white space, and NUL.
const MAY_BE_WHITE: [bool; 256] = {
    let mut table = [false; 256];
    let first: [usize; 12] = [0, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xc2, 0xe1, 0xe2, 0xe3, 0xef];
    let mut at = 0;
    while at < first.len() {
        table[first[at]] = true;
        at += 1;
    }
    table
};

/// Appends `text` to `out` with every run of white space as one blank; none
/// at the start of `out`. NUL is dropped, as a DOM does.
pub(crate) fn fold_into(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut pending = false;
    let (mut run_start, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let is_text = |byte: u8| !MAY_BE_WHITE[usize::from(byte)];
        if is_text(byte) {
            at += 1;
        } else if byte == b' ' && at > run_start && bytes.get(at + 1).is_some_and(|&next| is_text(next)) {
            // A blank between two words stands as it will stand.
            at += 2;
        } else {
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            if is_white(c) || c == '\0' {
                push_run(out, text.get(run_start..at).unwrap_or_default(), &mut pending);
                run_start = at + c.len_utf8();
                pending |= c != '\0';
            }
            at += c.len_utf8();
        }
    }
    push_run(out, text.get(run_start..).unwrap_or_default(), &mut pending);
    if pending && !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
}

fn push_run(out: &mut String, run: &str, pending: &mut bool) {
    if run.is_empty() {
        return;
    }
    if std::mem::take(pending) && !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
    out.push_str(run);
}

/// A text without the marks of [`is_white`] that have no width: in what a reader sees they part no words, such as
/// U+FEFF within one.
pub(crate) fn without_marks(text: Cow<'_, str>) -> Cow<'_, str> {
    const MARKS: [&str; 3] = ["\u{180e}", "\u{200b}", "\u{feff}"];
    if text.is_ascii() || MARKS.iter().all(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_none()) {
        return text;
    }
    Cow::Owned(text.replace(['\u{180e}', '\u{200b}', '\u{feff}'], ""))
}

/// `text` folded and trimmed.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(&mut out, text);
    if out.ends_with(' ') {
        out.pop();
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_blank_folds_to_one() {
        for (text, expected) in [
            ("", ""),
            ("  a \t\r\n b  ", "a b"),
            ("\u{a0}São\u{a0}\u{2003}João\u{feff}", "São João"),
            ("a\u{3000}b\u{200b}c\u{180e}d", "a b c d"),
            ("a\0b", "ab"),
            ("\u{a0}", ""),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
        }
    }

    #[test]
    fn every_character_folds_as_what_it_is() {
        for c in '\0'..=char::MAX {
            let expected = if c == '\0' {
                "ab".to_owned()
            } else if is_white(c) {
                "a b".to_owned()
            } else {
                format!("a{c}b")
            };
            assert_eq!(fold(&format!("a{c}b")), expected, "{c:?}");
        }
    }

    #[test]
    fn pieces_fold_as_the_whole() {
        let mut out = String::new();
        for piece in ["a ", " b", "c", " "] {
            fold_into(&mut out, piece);
        }
        assert_eq!(out.trim_end(), "a bc");
    }
}
