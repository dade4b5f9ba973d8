//! Makes names of files from titles of people and other programs.
//!
//! A name is good on Unix, macOS and Windows, in a bag and in a zip. The same
//! letters give the same name however they are written: macOS hands names out
//! decomposed (NFD, `e` and U+0301), others composed.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Names that Windows takes for a device, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Whether a name is one of a file on every system.
pub fn is_file_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_device = DEVICES.iter().any(|device| {
        let rest = stem.strip_prefix(device);
        match *device {
            "com" | "lpt" => {
                rest.is_some_and(|rest| rest.chars().count() == 1 && !rest.starts_with(char::is_alphabetic))
            }
            _ => rest == Some(""),
        }
    });
    let is_odd = |c: char| c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\\' | '/');
    !name.is_empty() && !is_device && !name.chars().any(is_odd) && !name.ends_with(['.', ' '])
}

/// Keeps the letters of a text, composed (NFC), their marks, its digits, and characters of `others`; anything
/// else becomes `-`.
pub fn plain_name(text: &str, others: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut takes_marks = false;
    for c in text.nfc() {
        let is_letter = c.is_alphanumeric() || (takes_marks && is_combining_mark(c));
        name.push(if is_letter || others.contains(c) { c } else { '-' });
        takes_marks = is_letter;
    }
    name
}

/// As [`plain_name`] in ASCII: letters without their marks, `-` for those of other scripts.
pub fn ascii_name(text: &str, others: &str) -> String {
    let bare: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let is_kept = |c: char| c.is_ascii_alphanumeric() || others.contains(c);
    bare.chars().map(|c| if is_kept(c) { c } else { '-' }).collect()
}

/// The end of a name, with its extension, in at most so many bytes. It begins
/// with a letter, a digit or a sign, never with a mark, a dot or a dash.
pub fn end_of_name(name: &str, max_bytes: usize) -> &str {
    let fits = |(at, _): &(usize, char)| name.len() - at <= max_bytes;
    let from = name.char_indices().find(fits).map_or(name.len(), |(at, _)| at);
    name.get(from..).unwrap_or_default().trim_start_matches(|c| is_combining_mark(c) || matches!(c, '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_keep_their_marks_however_they_are_written() {
        for (text, name) in [
            ("e\u{301}te\u{301}.pdf", "été.pdf"),
            ("été.pdf", "été.pdf"),
            ("x\u{302}y", "x\u{302}y"),
            ("\u{301}a", "-a"),
            ("a/\u{301}b", "a--b"),
            ("हिन्दी पत्र.pdf", "हिन्दी-पत्र.pdf"),
            ("가.txt", "가.txt"),
            ("\u{1100}\u{1161}.txt", "가.txt"),
            ("..\\a:b\n\u{202e}c", "..-a-b--c"),
        ] {
            assert_eq!(plain_name(text, "._-"), name, "{text:?}");
        }
        assert_eq!(ascii_name("São João e\u{301} ß 東.x", "."), "Sao-Joao-e----.x");
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(end_of_name("letter.pdf", 80), "letter.pdf");
        assert_eq!(end_of_name("..letter.pdf", 80), "letter.pdf");
        assert_eq!(end_of_name("aé.pdf", 5), "pdf", "half a letter is none");
        assert_eq!(end_of_name("ax\u{302}b", 3), "b");
        assert!(end_of_name(&"𐐀".repeat(90), 200).len() <= 200);
    }
}
