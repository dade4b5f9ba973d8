//! White space folding, the same for anchors, titles and visible text.

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

/// Appends `text` to `out` with every run of white space as one blank; none
/// at the start of `out`. NUL is dropped, as a DOM does.
pub(crate) fn fold_into(out: &mut String, text: &str) {
    let mut pending = false;
    let mut run_start = 0;
    for (at, c) in text.char_indices() {
        if is_white(c) || c == '\0' {
            push_run(out, text.get(run_start..at).unwrap_or_default(), &mut pending);
            run_start = at + c.len_utf8();
            pending |= c != '\0';
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
    fn pieces_fold_as_the_whole() {
        let mut out = String::new();
        for piece in ["a ", " b", "c", " "] {
            fold_into(&mut out, piece);
        }
        assert_eq!(out.trim_end(), "a bc");
    }
}
