//! The table of characters that folding treats in a way of its own.
//!
//! Sources: the normalizers and filters of Lucene's analyzers (`ArabicNormalizer`, `PersianNormalizer`,
//! `SoraniNormalizer`, `HindiNormalizer`, `DecimalDigitFilter`, `ASCIIFoldingFilter`, `CJKBigramFilter`), ICU's
//! `nfkc_cf` and diacritic folding of UTR 30, and UAX 29 rule WB4 for format characters.

/// The digits 0 of all decimal digits (Unicode category Nd) outside of ASCII that no compatibility form resolves; nine
/// more digits follow each.
const ZEROS: [u32; 67] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
    0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136,
    0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0,
    0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1E140, 0x1E2F0, 0x1E4F0,
    0x1E5F1, 0x1E950,
];

/// The ASCII digit that a decimal digit of another script is.
pub(super) fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS.get(ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?)?;
    char::from_digit(code - zero, 10)
}

/// Whether the character belongs to a script that glues words, or parts of sentences, to one
/// another, so that a match inside a run is a match. Korean has blanks, and particles glued to
/// its words.
pub(crate) fn is_unspaced(c: char) -> bool {
    // Most letters are below.
    c >= '\u{e01}'
        && matches!(u32::from(c),
        0x0E01..=0x0E4E | 0x0E80..=0x0ECF | 0x0EDC..=0x0EFF // Thai, Lao
        | 0x1000..=0x103F | 0x1050..=0x108F | 0x109A..=0x109F // Myanmar
        | 0x1100..=0x11FF | 0xA960..=0xA97F | 0xAC00..=0xD7FF // Hangul
        | 0x1780..=0x17DF // Khmer
        | 0x1950..=0x19CF | 0x19DA..=0x19DF // Tai Le, New Tai Lue
        | 0x1A20..=0x1A7F | 0x1AA0..=0x1AAF | 0xAA60..=0xAADF // Tai Tham, Tai Viet, Myanmar
        | 0xA9E0..=0xA9EF | 0xA9FA..=0xA9FF // Myanmar
        | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x303C // signs for Han characters
        | 0x3041..=0x312F | 0x31A0..=0x31BF | 0x31F0..=0x31FF // Hiragana, Katakana, Bopomofo
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA000..=0xA48C | 0xF900..=0xFAFF // Han, Yi
        | 0x16FE0..=0x18DFF | 0x1AFF0..=0x1B2FF | 0x20000..=0x3FFFF) // Tangut, Kana, Han
}

/// Whether folding leaves a character as it is: the most of what Chinese, Japanese and Korean is
/// written in. Korean syllables and voiced kana would be taken apart otherwise.
pub(super) fn is_folded(c: char) -> bool {
    matches!(u32::from(c), 0x3041..=0x3096 | 0x30A1..=0x30FE | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3)
}

/// Whether a sign is one that a letter before it may be composed with.
pub(super) fn is_joined(sign: char) -> bool {
    matches!(sign, '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}' | '\u{3099}' | '\u{309a}')
}

/// The character that a letter and a sign behind it are: Korean syllables out of their parts,
/// kana with their voice marks.
pub(super) fn composed(letter: char, sign: char) -> Option<char> {
    if is_joined(sign) { unicode_normalization::char::compose(letter, sign) } else { None }
}

/// Whether folding leaves a character out, so that it cannot split a word: format characters (WB4
/// of UAX 29), variation selectors and fillers. The space without width is one of them: nobody
/// sees it, and `<wbr>`, which is the same, splits no word either.
pub(crate) fn is_invisible(c: char) -> bool {
    c >= '\u{ad}'
        && matches!(u32::from(c),
        0x00AD | 0x034F | 0x0600..=0x0605 | 0x061C | 0x06DD | 0x070F | 0x0890..=0x0891 | 0x08E2 | 0x115F | 0x1160
        | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F
        | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Marks that people leave out when they type: Latin, Greek and Cyrillic
/// accents, Hebrew points, Arabic vowels and signs of recitation, the tatweel, the points of
/// Devanagari. Other vowel signs of Indic scripts stay. The hyphen and the
/// other punctuation among Hebrew points are none.
pub(super) fn is_diacritic(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036F | 0x0483..=0x0489
        | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x0640 | 0x064B..=0x065F | 0x0670 | 0x0674
        | 0x06D6..=0x06DC | 0x06DF..=0x06E8 | 0x06EA..=0x06ED | 0x0730..=0x074A | 0x0898..=0x089F | 0x08CA..=0x08E1
        | 0x08E3..=0x08FF | 0x093C
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x2DE0..=0x2DFF | 0xA66F..=0xA672 | 0xFE20..=0xFE2F)
}

/// What a letter is where Unicode does not take it apart, and keyboards vary.
pub(super) fn spelled_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' | 'ƚ' => "l",
        'đ' | 'ð' | 'ɖ' | 'ɗ' => "d",
        'þ' => "th",
        'ħ' => "h",
        'ı' | 'ɨ' => "i",
        'ŋ' | 'ɲ' => "n",
        'ŧ' => "t",
        'ƀ' | 'ɓ' => "b",
        'ƙ' => "k",
        'ƴ' => "y",
        'ς' => "σ",
        // Apostrophes that are letters, as in Hawaiian, Ukrainian and Arabic in Latin letters.
        '\u{2b9}'..='\u{2bf}' | '\u{2c8}' | '\u{2ee}' | '\u{7f4}' | '\u{7f5}' | '\u{a78b}' | '\u{a78c}' => "'",
        '\u{5f0}' => "וו",
        '\u{5f1}' => "וי",
        '\u{5f2}' => "יי",
        // Alef with a sign that is a part of it, alef for yeh, Persian and Urdu yeh, kaf and heh.
        '\u{671}'..='\u{673}' => "\u{627}",
        '\u{649}' | '\u{6cc}' | '\u{6d2}' => "\u{64a}",
        '\u{6a9}' => "\u{643}",
        '\u{629}' | '\u{6be}' | '\u{6c1}' | '\u{6c3}' | '\u{6d5}' => "\u{647}",
        // The moon with a point is the point.
        '\u{901}' => "\u{902}",
        _ => return None,
    })
}
