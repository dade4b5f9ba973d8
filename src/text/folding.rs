//! Folds spellings, so that variants of a word compare equal.

use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Text as matching sees it: lower case, without diacritics, compatibility
/// forms resolved (`ﬁ`, full width), everything that is no letter or digit
/// turned into one blank, no blank at either end.
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
            if c.is_alphanumeric() || is_combining_mark(c) {
                if gap && !out.is_empty() {
                    out.push(b' ');
                }
                gap = false;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                gap = true;
            }
        });
        rest = behind;
    }
    // What was put in are whole characters.
    String::from_utf8(out).unwrap_or_default()
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
        each_folded(&other[..end], |c| out.push(c));
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
    // Taken apart on both sides of lower case: `İ` is `i` with a dot
    // that drops, `ꟸ` is a raised `Ħ`.
    let parts = c.to_lowercase().nfkd().flat_map(char::to_lowercase).nfkd();
    for part in parts.filter(|part| !is_diacritic(*part)) {
        match spelled_out(part) {
            Some(letters) => letters.chars().for_each(&mut push),
            None => push(part),
        }
    }
}

/// The words of a text, folded. Runs of a script written without blanks give
/// their pairs of neighbouring characters.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in fold(text).split(' ').filter(|run| !run.is_empty()) {
        let unspaced: Vec<char> = run.chars().filter(|c| is_unspaced(*c)).collect();
        if unspaced.len() < 2 {
            found.push(run.to_owned());
        } else {
            found.extend(unspaced.windows(2).map(|pair| pair.iter().collect()));
            let rest: String = run.chars().filter(|c| !is_unspaced(*c)).collect();
            if !rest.is_empty() {
                found.push(rest);
            }
        }
    }
    found
}

/// Whether the character belongs to a script that puts no blanks between
/// words, so that a match inside a run is a match.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF        // Thai, Lao
        | 0x1000..=0x109F      // Myanmar
        | 0x1780..=0x17FF      // Khmer
        | 0x3040..=0x30FF      // Hiragana, Katakana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Whether folding leaves a character out.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Marks that people leave out when they type: Latin, Greek and Cyrillic
/// accents, Hebrew points, Arabic vowels. Vowel signs of Indic scripts stay.
fn is_diacritic(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036F | 0x0591..=0x05C7 | 0x0610..=0x061A | 0x064B..=0x065F | 0x0670
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF)
}

/// Letters that Unicode does not take apart.
fn spelled_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(fold(text), expected, "{text}");
        assert_eq!(fold(expected), expected, "folding twice: {text}");
    }

    /// The rule character by character.
    fn fold_plainly(text: &str) -> String {
        let mut folded = String::new();
        each_folded(text, |c| folded.push(if c.is_alphanumeric() || is_combining_mark(c) { c } else { ' ' }));
        folded.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    proptest::proptest! {
        #[test]
        fn texts_of_any_letters_fold_by_the_rule(text in "([ -~]{0,9}|\\PC{0,3}|[\u{80}-\u{7ff}\t\n]{0,4}){0,6}") {
            proptest::prop_assert_eq!(fold(&text), fold_plainly(&text));
        }
    }

    #[test]
    fn spellings_of_one_name_fold_to_one() {
        check("", "");
        check("  Ria de\tAveiro\n", "ria de aveiro");
        check("AMÉLIA Vaz", "amelia vaz");
        check("Ame\u{301}lia", "amelia");
        check("São-Jacinto: a praia!", "sao jacinto a praia");
        check("d’água", "d agua");
        check("Straße ŁÓDŹ Ærø", "strasse lodz aero");
        check("İstanbul ırmak", "istanbul irmak");
        check("ﬁm ＡＢＣ", "fim abc");
        check("festi\u{ad}val fes\u{200b}tival", "festival festival");
        check("ΟΔΥΣΣΕΥΣ Οδυσσεύς", "οδυσσευσ οδυσσευσ");
        check("Москва́ ёлка", "москва елка");
        check("שָׁלוֹם", "שלום");
        check("مُحَمَّد", "محمد");
        check("हिन्दी", "हिन्दी");
        check("東京、大阪", "東京 大阪");
        check("foo_bar/baz.html?x=1", "foo bar baz html x 1");
        check("→ «» …", "");
    }

    #[test]
    fn every_character_folds_for_good() {
        for c in '\0'..=char::MAX {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "{:x}", u32::from(c));
            assert_eq!(fold(&fold_letters(&c.to_string())), once, "{:x}", u32::from(c));
        }
    }

    #[test]
    fn only_letters_fold_in_urls() {
        assert_eq!(fold_letters("/Ciência/?ID=4 – ΟΔΥΣΣΕΥΣ."), "/ciencia/?id=4 – οδυσσευσ.");
    }

    #[test]
    fn runs_without_blanks_give_pairs() {
        assert_eq!(words("A Ria, a ria"), ["a", "ria", "a", "ria"]);
        assert_eq!(words("東京都 x"), ["東京", "京都", "x"]);
        assert_eq!(words("東"), ["東"]);
        assert_eq!(words("2024年度"), ["年度", "2024"]);
    }
}
