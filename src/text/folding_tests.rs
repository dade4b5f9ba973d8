#![allow(clippy::unwrap_used)]

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(fold(text), expected, "{text}");
    assert_eq!(fold(expected), expected, "folding twice: {text}");
}

/// The rule character by character.
fn fold_plainly(text: &str) -> String {
    let mut folded: Vec<char> = Vec::new();
    each_folded(text, |c| {
        let c = if c.is_alphanumeric() || is_combining_mark(c) { c } else { ' ' };
        let whole = folded.last().and_then(|last| composed(*last, c));
        folded.truncate(folded.len() - usize::from(whole.is_some()));
        folded.push(whole.unwrap_or(c));
    });
    let folded: String = folded.into_iter().collect();
    folded.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

proptest::proptest! {
    #[test]
    fn texts_of_any_letters_fold_by_the_rule(text in "([ -~]{0,9}|\\PC{0,3}|[\u{80}-\u{7ff}\t\n]{0,4}){0,6}") {
        proptest::prop_assert_eq!(fold(&text), fold_plainly(&text));
        proptest::prop_assert_eq!(fold(&fold(&text)), fold(&text));
    }

    #[test]
    fn tokens_have_their_places(
        text in "\\PC{0,40}|[a-zß½ﬁ東京都가각힣ㄱ\u{1100}\u{1161}\u{11a8}かﾊﾞ\u{3099}\u{301}ʻ１٣ -]{0,20}"
    ) {
        let tokens = text_tokens(&text);
        let of_tokens: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
        proptest::prop_assert_eq!(of_tokens, words(&text));
        for token in tokens {
            proptest::prop_assert!(text.get(token.range).is_some());
        }
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
fn every_letter_of_a_run_without_blanks_begins_a_term() {
    assert_eq!(words("A Ria, a ria"), ["a", "ria", "a", "ria"]);
    assert_eq!(words("東京都 x"), ["東京", "京都", "都", "x"]);
    assert_eq!(words("東"), ["東"]);
    assert_eq!(words("2011年3月Galaxy폰을"), ["2011", "年", "3", "月", "galaxy", "폰을", "을"]);
}

#[test]
fn decimal_digits_of_all_scripts_are_numbers() {
    let digits = regex::Regex::new(r"^\p{Nd}$").unwrap();
    for c in ('\u{80}'..=char::MAX).filter(|c| digits.is_match(c.encode_utf8(&mut [0; 4]))) {
        let folded = fold(&c.to_string());
        assert!(folded.len() == 1 && folded.as_bytes()[0].is_ascii_digit(), "{:x} is {folded}", u32::from(c));
    }
    check("۱۴۰۲ ٢٠٢٤ २०२४ ๒๕๖๗ ২০২৪ ２０２４ 𝟐𝟎", "1402 2024 2024 2567 2024 2024 20");
}

/// Rule WB4 of UAX 29; and `<wbr>` and U+200B are the same, which nobody sees.
#[test]
fn format_characters_split_no_token() {
    let format = regex::Regex::new(r"^[\p{Cf}\p{Variation_Selector}]$").unwrap();
    for c in ('\0'..=char::MAX).filter(|c| format.is_match(c.encode_utf8(&mut [0; 4]))) {
        assert_eq!(fold(&format!("quin{c}tal")), "quintal", "{:x}", u32::from(c));
    }
}

/// Texts that are found by one another, and that are not, with whose behaviour that is.
const PAIRS: &[(&str, &str, &str)] = &[
    // ASCIIFoldingFilter, nfkc_cf
    ("Latin", "Łódź Straße Ærø ŋ ŧ ɓ", "lodz strasse aero n t b"),
    ("Latin", "ﬁ ｆｕｌｌ ² №", "fi full 2 no"),
    ("Latin, Dutch", "ĳs", "ijs"),
    ("Catalan", "col·lecció coŀlecció", "col leccio col leccio"),
    // Apostrophes that are letters are apostrophes.
    ("Hawaiian", "Hawaiʻi Hawai‘i Hawai'i", "hawai i hawai i hawai i"),
    ("Arabic in Latin letters", "Qurʾān ʿAlī", "Qur'an 'Ali"),
    ("Ukrainian", "пʼять п’ять", "п'ять п'ять"),
    ("Tlingit, Mixtec", "nꞌa Nꞌa", "n'a n'a"),
    ("Greek", "ΟΔΥΣΣΕΥΣ Οδυσσεύς ᾳ", "οδυσσευς οδυσσευς α"),
    ("Cyrillic", "Ёлка Москва́ а҃", "елка москва а"),
    // Punctuation among the points: maqaf, paseq, sof pasuq, nun hafukha.
    ("Hebrew", "בית־ספר", "בית ספר"),
    ("Hebrew", "בית-ספר", "בית ספר"),
    ("Hebrew", "א׀ב ג׃ד ה׆ו", "א ב ג ד ה ו"),
    ("Hebrew", "צה״ל ג׳ירף", "צה\"ל ג'ירף"),
    ("Hebrew", "שָׁלוֹם שׁ", "שלום ש"),
    ("Yiddish", "ײ װ ױ", "יי וו וי"),
    // ArabicNormalizer, PersianNormalizer, SoraniNormalizer
    ("Arabic", "الدورى الكبرى", "الدوري الكبري"),
    ("Arabic", "أحمد إحسان آدم ٱلله", "احمد احسان ادم الله"),
    ("Arabic", "مدرسة", "مدرسه"),
    ("Arabic", "كتـــاب مُحَمَّد", "كتاب محمد"),
    ("Arabic", "ﻛﺘﺎﺏ ﷲ", "كتاب الله"),
    ("Persian", "کتاب ملی", "كتاب ملي"),
    ("Persian", "می\u{200c}خواهم خانۀ", "ميخواهم خانه"),
    ("Urdu", "ہے ۓ", "هي ي"),
    ("Kurdish", "ھەولێر", "ههولێر"),
    // HindiNormalizer: points, and the moon with a point
    ("Devanagari", "ज़मीन क़लम हिन्दी", "जमीन कलम हिन्दी"),
    ("Devanagari", "हँस", "हंस"),
    ("Thai", "ภาษาไทย๒๕๖๗", "ภาษาไทย2567"),
    // nfkc_cf, CJKWidthFilter
    ("Japanese", "ｶﾞｷﾞ カ\u{3099}", "ガギ ガ"),
    ("Japanese", "㍿ ㌀", "株式会社 アパート"),
    ("Japanese", "葛\u{e0100}城", "葛城"),
    ("Chinese", "漢\u{f9d0} ⼈", "漢類 人"),
    ("Korean", "\u{1109}\u{1165}\u{110b}\u{116e}\u{11af} ㈜", "서울 주"),
];

#[test]
fn spellings_of_each_script_are_one() {
    for (script, written, other) in PAIRS {
        assert_eq!(fold(written), fold(other), "{script}: {written}");
        assert_eq!(words(written), words(other), "{script}: {written}");
    }
    for (one, other) in [("בית־ספר", "ביתספר"), ("か", "が"), ("서", "설"), ("گل", "كل"), ("नमक", "नमकः")]
    {
        assert_ne!(fold(one), fold(other));
    }
}
