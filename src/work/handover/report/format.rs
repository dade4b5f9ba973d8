//! Numbers, dates and sizes as people write them in the language of a report.

use crate::campaign::ReportLanguage;
use crate::uri::CaptureDate;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Narrow no-break space, between groups of digits.
const GROUP_SPACE: char = '\u{202f}';

/// Countries (ISO 3166-1) in capitals and languages (ISO 639-1) in small letters, a
/// column a language of [`ReportLanguage::ALL`]; see `assets/names.txt`.
static NAMES: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let rows = include_str!("../../../../assets/names.tsv").lines();
    rows.filter_map(|row| row.split_once('\t')).map(|(code, names)| (code, names.split('\t').collect())).collect()
});

/// The months of a year, a line a language of [`ReportLanguage::ALL`].
const MONTHS: [&str; 5] = [
    "January February March April May June July August September October November December",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
];

impl ReportLanguage {
    /// A whole number: digits in groups of three. In Portuguese and Spanish four digits are not
    /// grouped.
    pub(in crate::work::handover) fn number(self, number: u64) -> String {
        let digits = number.to_string();
        let (separator, fewest) = match self {
            Self::En | Self::Fr => (GROUP_SPACE, 4),
            Self::Pt | Self::Es => (GROUP_SPACE, 5),
            Self::De => ('.', 4),
        };
        if digits.len() < fewest {
            return digits;
        }
        let mut out = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                out.push(separator);
            }
            out.push(digit);
        }
        out
    }

    /// A number that has a fraction, with the decimal sign of the language.
    pub(super) fn decimal(self, number: f64) -> String {
        let text = number.to_string().replace('-', "\u{2212}");
        if self == Self::En { text } else { text.replace('.', ",") }
    }

    /// A size, in the units of the SI, with two digits or more.
    pub(super) fn bytes(self, bytes: u64) -> String {
        let units = match self {
            Self::Fr => ["o", "ko", "Mo", "Go", "To"],
            _ => ["B", "kB", "MB", "GB", "TB"],
        };
        let mut at = 0;
        let mut size = bytes as f64;
        while size >= 999.5 && at + 1 < units.len() {
            size /= 1000.0;
            at += 1;
        }
        let size = if at > 0 && size < 9.95 {
            self.decimal((size * 10.0).round() / 10.0)
        } else {
            self.number(size.round() as u64)
        };
        format!("{size}\u{a0}{}", units[at])
    }

    /// A day: `26 November 2026`.
    pub(super) fn date(self, date: CaptureDate) -> String {
        self.day(date.to_readable().get(..10).unwrap_or_default())
    }

    /// A day and the minute, UTC.
    pub(super) fn moment(self, date: CaptureDate) -> String {
        let text = date.to_readable();
        let minute = text.get(11..16).unwrap_or_default();
        format!("{}, {minute}", self.date(date))
    }

    /// The name of a month, 1 to 12.
    pub(in crate::work) fn month_name(self, month: usize) -> &'static str {
        MONTHS[self.position()].split(' ').nth(month.clamp(1, 12) - 1).unwrap_or_default()
    }

    /// A day or month that is written `2026-11-26` or `2026-11`; other texts stay.
    pub(super) fn day(self, text: &str) -> String {
        let mut parts = text.trim().splitn(3, '-').map(str::parse::<usize>);
        let (Some(Ok(year)), Some(Ok(month @ 1..=12)), day) = (parts.next(), parts.next(), parts.next()) else {
            return text.to_owned();
        };
        let month = self.month_name(month);
        match (day, self) {
            (None, Self::Pt | Self::Es) => format!("{month} de {year}"),
            (None, _) => format!("{month} {year}"),
            (Some(Ok(day)), Self::Pt | Self::Es) => format!("{day} de {month} de {year}"),
            (Some(Ok(1)), Self::Fr) => format!("1er {month} {year}"),
            (Some(Ok(day)), Self::De) => format!("{day}. {month} {year}"),
            (Some(Ok(day)), _) => format!("{day} {month} {year}"),
            (Some(Err(_)), _) => text.to_owned(),
        }
    }

    /// A text in the quotation marks of the language.
    pub(super) fn quoted(self, text: &str) -> String {
        match self {
            Self::En | Self::Pt => format!("“{text}”"),
            Self::Es => format!("«{text}»"),
            Self::Fr => format!("«\u{a0}{text}\u{a0}»"),
            Self::De => format!("„{text}“"),
        }
    }

    /// `a, b and c`.
    pub(super) fn all_of(self, parts: &[String]) -> String {
        let and = ["and", "e", "y", "et", "und"][self.position()];
        self.joined(parts, and)
    }

    /// `a, b or c`.
    pub(super) fn any_of(self, parts: &[String]) -> String {
        let or = ["or", "ou", "o", "ou", "oder"][self.position()];
        self.joined(parts, or)
    }

    fn joined(self, parts: &[String], last: &str) -> String {
        match parts {
            [] => String::new(),
            [only] => only.clone(),
            [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
        }
    }

    /// Name of a country (two capitals) or of a language (two small letters); other codes stay.
    pub(super) fn name_of(self, code: &str) -> String {
        NAMES
            .get(code)
            .and_then(|names| names.get(self.position()))
            .map_or_else(|| code.to_owned(), |name| (*name).to_owned())
    }

    /// Whether so many are one in the grammar of the language (CLDR's category *one*).
    pub(super) fn is_one(self, number: u64) -> bool {
        number == 1 || (self == Self::Fr && number == 0)
    }
}

/// A text with a capital at its begin.
pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_dates_and_sizes_are_those_of_the_language() {
        let date = CaptureDate::parse("2026-08-01T18:57:09Z").unwrap();
        let of = |language: ReportLanguage| {
            let (number, small, bytes) =
                (language.number(1_234_567), language.number(1234), language.bytes(1_940_000_000));
            [number, small, bytes, language.date(date), language.decimal(0.25), language.day("2026-03")].join(" | ")
        };
        let expected = [
            "1\u{202f}234\u{202f}567 | 1\u{202f}234 | 1.9\u{a0}GB | 1 August 2026 | 0.25 | March 2026",
            "1\u{202f}234\u{202f}567 | 1234 | 1,9\u{a0}GB | 1 de agosto de 2026 | 0,25 | março de 2026",
            "1\u{202f}234\u{202f}567 | 1234 | 1,9\u{a0}GB | 1 de agosto de 2026 | 0,25 | marzo de 2026",
            "1\u{202f}234\u{202f}567 | 1\u{202f}234 | 1,9\u{a0}Go | 1er août 2026 | 0,25 | mars 2026",
            "1.234.567 | 1.234 | 1,9\u{a0}GB | 1. August 2026 | 0,25 | März 2026",
        ];
        for ((language, code, _), expected) in ReportLanguage::ALL.into_iter().zip(expected) {
            assert_eq!(of(language), expected, "{code}");
        }
        assert_eq!(ReportLanguage::En.bytes(980_400), "980\u{a0}kB");
        assert_eq!(ReportLanguage::En.bytes(999_600), "1\u{a0}MB");
        assert_eq!(ReportLanguage::Fr.bytes(12), "12\u{a0}o");
        assert_eq!(ReportLanguage::De.day("spring of 2024"), "spring of 2024");
        assert_eq!(ReportLanguage::De.moment(date), "1. August 2026, 18:57");
    }

    #[test]
    fn every_country_of_the_map_and_every_language_has_a_name_in_each_language() {
        assert!(NAMES.len() > 400, "{}", NAMES.len());
        for (code, names) in NAMES.iter() {
            assert!(names.len() == 5 && names.iter().all(|name| !name.trim().is_empty()), "{code}: {names:?}");
        }
        assert_eq!(ReportLanguage::Fr.name_of("DE"), "Allemagne");
        assert_eq!(ReportLanguage::De.name_of("pt"), "Portugiesisch");
        assert_eq!(ReportLanguage::De.name_of("q1"), "q1");
    }
}
