//! Personal data in texts, by pattern and check digit: what a person should know of before texts are handed over.
//!
//! E-mail addresses, telephone numbers in international form, IBAN (ISO 13616, modulo 97), and identity numbers: NIF of
//! persons (Portugal, modulo 11), DNI and NIE (Spain, modulo 23), NIR (France, 97 less modulo 97), Steuer-ID (Germany, ISO
//! 7064 modulo 11,10), NHS number (United Kingdom, modulo 11) and National Insurance number, which has no check digit.

use serde::Serialize;
use std::ops::Range;

/// Characters of a run that is looked at, at most.
const MOST_CHARS: usize = 64;
/// Letters of Spanish identity numbers, by the remainder.
const DNI_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
/// Lengths of IBAN by country: those of Europe.
#[rustfmt::skip]
const IBAN_LENGTHS: [(&str, usize); 44] = [
    ("AD", 24), ("AL", 28), ("AT", 20), ("BA", 20), ("BE", 16), ("BG", 22), ("CH", 21), ("CY", 28), ("CZ", 24), ("DE", 22),
    ("DK", 18), ("EE", 20), ("ES", 24), ("FI", 18), ("FO", 18), ("FR", 27), ("GB", 22), ("GI", 23), ("GL", 18), ("GR", 27),
    ("HR", 21), ("HU", 28), ("IE", 22), ("IS", 26), ("IT", 27), ("LI", 21), ("LT", 20), ("LU", 20), ("LV", 21), ("MC", 27),
    ("MD", 24), ("ME", 22), ("MK", 19), ("MT", 31), ("NL", 18), ("NO", 15), ("PL", 28), ("PT", 25), ("RO", 24), ("RS", 22),
    ("SE", 24), ("SI", 19), ("SK", 24), ("SM", 27),
];

/// Whether letters and digits are a number of some kind.
type IsNumber = fn(&[u8]) -> bool;

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonalDataKind {
    /// An e-mail address.
    Email,
    /// A telephone number in international form.
    Telephone,
    /// An account number.
    Iban,
    /// A number that a state gives to a person.
    Identity,
}

impl PersonalDataKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "e-mail",
            Self::Telephone => "telephone",
            Self::Iban => "IBAN",
            Self::Identity => "identity number",
        }
    }
}

/// Personal data in a text, in order, with their bytes.
pub fn personal_data(text: &str) -> Vec<(PersonalDataKind, Range<usize>)> {
    let mut found = Vec::new();
    let mut end = 0;
    for (at, before, c) in starts(text) {
        if at < end {
            continue;
        }
        let one = match c {
            '@' => email_around(text, at),
            '+' => telephone(text, at),
            '0'..='9' | 'A'..='Z' if !before.is_some_and(char::is_alphanumeric) => number(text, at),
            _ => None,
        };
        if let Some((kind, range)) = one.filter(|(_, range)| range.start >= end) {
            end = range.end;
            found.push((kind, range));
        }
    }
    found
}

/// Characters with their places and the characters before them.
fn starts(text: &str) -> impl Iterator<Item = (usize, Option<char>, char)> {
    let mut before = None;
    text.char_indices().map(move |(at, c)| (at, before.replace(c), c))
}

fn email_around(text: &str, at: usize) -> Option<(PersonalDataKind, Range<usize>)> {
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let is_domain = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let local = text.as_bytes().get(..at)?.iter().rev().take(MOST_CHARS).take_while(|byte| is_local(byte)).count();
    let domain = text.as_bytes().get(at + 1..)?.iter().take(MOST_CHARS).take_while(|byte| is_domain(byte)).count();
    let name = text.get(at + 1..at + 1 + domain)?.trim_end_matches(['.', '-']);
    let (host, last) = name.rsplit_once('.')?;
    let is_name =
        local > 0 && !host.is_empty() && last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name.then(|| (PersonalDataKind::Email, at - local..at + 1 + name.len()))
}

fn telephone(text: &str, at: usize) -> Option<(PersonalDataKind, Range<usize>)> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b" -./()".contains(byte);
    let rest = text.as_bytes().get(at + 1..)?;
    let len = rest.iter().take(MOST_CHARS / 2).take_while(|byte| is_part(byte)).count();
    let number = text.get(at + 1..at + 1 + len)?.trim_end_matches(|c: char| !c.is_ascii_digit());
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    ((8..=15).contains(&digits) && number.starts_with(|c: char| c.is_ascii_digit()) && !number.starts_with('0'))
        .then(|| (PersonalDataKind::Telephone, at..at + 1 + number.len()))
}

/// The letters and digits of a run in groups, and where each ends.
fn compact(text: &str, at: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut letters, mut ends) = (Vec::new(), Vec::new());
    let mut was_separator = false;
    for (place, byte) in text.bytes().enumerate().skip(at).take(MOST_CHARS) {
        if byte.is_ascii_alphanumeric() {
            letters.push(byte.to_ascii_uppercase());
            ends.push(place + 1);
            was_separator = false;
        } else if matches!(byte, b' ' | b'-' | b'.') && !was_separator && !letters.is_empty() {
            was_separator = true;
        } else {
            break;
        }
    }
    (letters, ends)
}

fn number(text: &str, at: usize) -> Option<(PersonalDataKind, Range<usize>)> {
    let (letters, ends) = compact(text, at);
    let of = |kind, len: usize| {
        let end = *ends.get(len.checked_sub(1)?)?;
        // It ends there: more of the same would be another number.
        let goes_on = text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric);
        (!goes_on).then_some((kind, at..end))
    };
    let country = letters.get(..2).and_then(|two| std::str::from_utf8(two).ok()).unwrap_or_default();
    if let Some((_, len)) = IBAN_LENGTHS.iter().find(|(code, _)| *code == country)
        && letters.get(..*len).is_some_and(is_iban)
    {
        return of(PersonalDataKind::Iban, *len);
    }
    let lengths: [(usize, IsNumber); 6] =
        [(15, is_nir), (11, is_steuer_id), (10, is_nhs), (9, is_dni), (9, is_nif), (9, is_nino)];
    lengths
        .iter()
        .filter(|(len, is_valid)| letters.get(..*len).is_some_and(is_valid))
        .find_map(|(len, _)| of(PersonalDataKind::Identity, *len))
}

fn digits_of(letters: &[u8]) -> Option<Vec<u64>> {
    letters.iter().map(|letter| letter.is_ascii_digit().then(|| u64::from(letter - b'0'))).collect()
}

/// The number of digits, each after the other.
fn value_of(digits: &[u64]) -> u64 {
    digits.iter().fold(0, |value, digit| value.wrapping_mul(10).wrapping_add(*digit))
}

/// The sum of digits, the first one weighing so much and each next one less by one.
fn weighed(digits: &[u64], first: u64) -> u64 {
    digits.iter().zip((0..=first).rev()).map(|(digit, weight)| digit * weight).sum()
}

fn is_iban(letters: &[u8]) -> bool {
    let (head, rest) = letters.split_at(4.min(letters.len()));
    let remainder = rest.iter().chain(head).try_fold(0_u64, |remainder, letter| {
        Some(match letter {
            b'0'..=b'9' => (remainder * 10 + u64::from(letter - b'0')) % 97,
            b'A'..=b'Z' => (remainder * 100 + u64::from(letter - b'A') + 10) % 97,
            _ => return None,
        })
    });
    remainder == Some(1)
}

/// Numbers of natural persons begin with 1, 2, 3 or 45.
fn is_nif(letters: &[u8]) -> bool {
    let is_of_person = matches!(letters, [b'1'..=b'3', ..] | [b'4', b'5', ..]);
    let check = |digits: &Vec<u64>| {
        let expected = match 11 - weighed(&digits[..8], 9) % 11 {
            10 | 11 => 0,
            digit => digit,
        };
        digits[8] == expected
    };
    is_of_person && digits_of(letters).as_ref().is_some_and(check)
}

fn is_dni(letters: &[u8]) -> bool {
    let Some((last, number)) = letters.split_last() else { return false };
    let mut number = number.to_vec();
    // NIE: X, Y and Z stand for 0, 1 and 2.
    if let Some(first @ b'X'..=b'Z') = number.first_mut() {
        *first = *first - b'X' + b'0';
    }
    let Some(digits) = digits_of(&number) else { return false };
    let expected = usize::try_from(value_of(&digits) % 23).ok().and_then(|at| DNI_LETTERS.get(at));
    expected == Some(last)
}

fn is_nir(letters: &[u8]) -> bool {
    let (number, key) = letters.split_at(13);
    let mut number = number.to_vec();
    // Corsica: 2A is 19, 2B is 18.
    match number.get(5..7) {
        Some(b"2A") => number[5..7].copy_from_slice(b"19"),
        Some(b"2B") => number[5..7].copy_from_slice(b"18"),
        _ => {}
    }
    let (Some(number), Some(key)) = (digits_of(&number), digits_of(key)) else { return false };
    matches!(number.first(), Some(1 | 2)) && value_of(&key) == 97 - value_of(&number) % 97
}

fn is_steuer_id(letters: &[u8]) -> bool {
    let Some(digits) = digits_of(letters) else { return false };
    let Some((last, number)) = digits.split_last() else { return false };
    let mut counts = [0_u8; 10];
    number.iter().for_each(|digit| counts[*digit as usize] += 1);
    // One digit comes twice or three times, all others once at most.
    let repeated = counts.iter().filter(|count| **count > 1).count();
    let is_formed = number.first() != Some(&0) && repeated == 1 && counts.iter().all(|count| *count <= 3);
    let product = number.iter().fold(10, |product, digit| {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        sum * 2 % 11
    });
    is_formed && (11 - product) % 10 == *last
}

fn is_nhs(letters: &[u8]) -> bool {
    let check = |digits: &Vec<u64>| match 11 - weighed(&digits[..9], 10) % 11 {
        10 => false,
        11 => digits[9] == 0,
        digit => digits[9] == digit,
    };
    digits_of(letters).as_ref().is_some_and(check)
}

fn is_nino(letters: &[u8]) -> bool {
    let is_letter = |letter: &u8| letter.is_ascii_uppercase() && !b"DFIQUV".contains(letter);
    let (Some(first), Some(second), Some(last)) = (letters.first(), letters.get(1), letters.last()) else {
        return false;
    };
    is_letter(first)
        && is_letter(second)
        && *second != b'O'
        && (b'A'..=b'D').contains(last)
        && digits_of(&letters[2..8]).is_some()
        && !matches!(&letters[..2], b"BG" | b"GB" | b"NK" | b"KN" | b"TN" | b"NT" | b"ZZ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(&'static str, &str)> {
        personal_data(text).into_iter().map(|(kind, range)| (kind.name(), &text[range])).collect()
    }

    #[test]
    fn personal_data_are_found_by_their_check_digits() {
        for (text, kind, found) in [
            ("Escreva a ana.vaz@junta.example.", "e-mail", "ana.vaz@junta.example"),
            ("Tel. +351 234 567 890, fax", "telephone", "+351 234 567 890"),
            ("IBAN PT50 0002 0123 1234 5678 9015 4.", "IBAN", "PT50 0002 0123 1234 5678 9015 4"),
            ("Konto DE89370400440532013000", "IBAN", "DE89370400440532013000"),
            ("GB29 NWBK 6016 1331 9268 19", "IBAN", "GB29 NWBK 6016 1331 9268 19"),
            ("NIF 123456789", "identity number", "123456789"),
            ("NIF: 245 986 324", "identity number", "245 986 324"),
            ("DNI 12345678Z", "identity number", "12345678Z"),
            ("NIE X1234567L", "identity number", "X1234567L"),
            ("NIR 2 55 08 14 168 025 38", "identity number", "2 55 08 14 168 025 38"),
            ("Steuer-ID 86095742719", "identity number", "86095742719"),
            ("NHS 943 476 5919", "identity number", "943 476 5919"),
            ("NI AB 12 34 56 C", "identity number", "AB 12 34 56 C"),
        ] {
            assert_eq!(kinds(text), [(kind, found)], "{text}");
        }
    }

    #[test]
    fn numbers_with_wrong_check_digits_are_none() {
        for text in [
            "",
            "a@b",
            "@nobody",
            "PT50 0002 0123 1234 5678 9015 5",
            "NIF 123456780",
            "12345678A",
            "X1234567A",
            "2 55 08 14 168 025 39",
            "86095742710",
            "943 476 5918",
            "DF 12 34 56 C",
            "em 2024 vieram 123456 pessoas",
            "1234567890123456789",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn a_changed_digit_is_noticed() {
        let iban = "PT50000201231234567890154";
        for at in 4..iban.len() {
            let mut changed = iban.as_bytes().to_vec();
            changed[at] = b'0' + (changed[at] - b'0' + 1) % 10;
            assert!(!is_iban(&changed), "{at}");
        }
    }
}
