//! Control characters in untrusted texts that change how these are shown.

use std::borrow::Cow;

/// Whether a terminal executes the character instead of showing it: control characters, also those above
/// U+007F, and all that changes the reading direction.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as files and pipes take it, which somebody shows later: what a
/// terminal obeys becomes “\u{fffd}”. Lines and tabs stay, and the marks that
/// Arabic and Hebrew texts are written with, which turn nothing beside them.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_replaced = |c: char| is_obeyed(c) && !matches!(c, '\n' | '\r' | '\t' | '\u{61c}' | '\u{200e}' | '\u{200f}');
    match text.contains(is_replaced) {
        true => Cow::Owned(text.chars().map(|c| if is_replaced(c) { '\u{fffd}' } else { c }).collect()),
        false => Cow::Borrowed(text),
    }
}

/// Writes characters that a terminal obeys as `\u0085`; JSON has them in
/// strings only, where both mean the same.
pub fn escape_controls(json: String) -> String {
    let is_escaped = |c: char| is_obeyed(c) && c != '\n';
    if !json.contains(is_escaped) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + json.len() / 8);
    for c in json.chars() {
        match is_escaped(c) {
            true => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            false => escaped.push(c),
        }
    }
    escaped
}

/// Whether a byte of text may begin a character that [`escape_controls`] writes otherwise.
pub fn may_be_obeyed(byte: u8) -> bool {
    // U+0080, U+061C and U+200E to U+2069.
    byte < b' ' || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2)
}

/// Text that XML 1.0 and HTML can hold, in an element or between quotes. White space that an attribute would lose
/// stays; what they cannot hold is replaced.
pub fn xml_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_is_obeyed_is_known_by_its_first_byte() {
        for c in ('\0'..=char::MAX).filter(|c| is_obeyed(*c)) {
            assert!(c.to_string().bytes().next().is_some_and(may_be_obeyed), "{c:?}");
        }
    }

    #[test]
    fn text_for_files_keeps_lines_and_the_marks_of_scripts() {
        assert_eq!(printable("a\tb\r\nc\u{200f}\u{61c}é"), "a\tb\r\nc\u{200f}\u{61c}é");
        assert_eq!(printable("\u{9b}31m\u{202e}x\u{2066}\u{1b}\u{7f}"), "\u{fffd}31m\u{fffd}x\u{fffd}\u{fffd}\u{fffd}");
    }
}
