//! Decodes character references, line ends and NUL in a stretch of markup.

use foldhash::fast::FixedState;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Where a stretch of text stands, and so what is decoded in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::links) enum Reading {
    /// Between tags: references; NUL stays.
    Data,
    /// In `title` and `textarea`: references; NUL is replaced.
    RcData,
    /// In `style`, `script` and the like: no references; NUL is replaced.
    Raw,
    /// In a CDATA section: no references; NUL stays.
    Cdata,
    /// In an attribute: references, but with a rule of their own for those
    /// without semicolon; NUL is replaced.
    Attribute,
}

impl Reading {
    fn has_references(self) -> bool {
        matches!(self, Self::Data | Self::RcData | Self::Attribute)
    }

    /// The next byte that does not stand for itself.
    fn next_special(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Data => memchr::memchr2(b'&', b'\r', bytes),
            Self::RcData | Self::Attribute => memchr::memchr3(b'&', b'\r', 0, bytes),
            Self::Raw => memchr::memchr2(b'\r', 0, bytes),
            Self::Cdata => memchr::memchr(b'\r', bytes),
        }
    }
}

/// Whether the text is nothing but ASCII white space and NUL.
pub(in crate::links) fn is_blank(raw: &str, reading: Reading) -> bool {
    let blank = |byte: &u8| matches!(*byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | 0);
    match raw.as_bytes().iter().find(|&byte| !blank(byte)) {
        None => reading == Reading::Data || reading == Reading::Cdata || !raw.contains('\0'),
        // `&#32;` is a blank.
        Some(b'&') if reading.has_references() => decode(raw, reading).as_bytes().iter().all(blank),
        Some(_) => false,
    }
}

/// The characters that the text stands for.
pub(in crate::links) fn decode(raw: &str, reading: Reading) -> Cow<'_, str> {
    let bytes = raw.as_bytes();
    let Some(mut special) = reading.next_special(bytes) else { return Cow::Borrowed(raw) };
    let mut out = String::with_capacity(raw.len());
    let mut at = 0;
    loop {
        out.push_str(raw.get(at..special).unwrap_or_default());
        at = special + 1;
        match bytes[special] {
            b'\r' => {
                out.push('\n');
                at += usize::from(bytes.get(at) == Some(&b'\n'));
            }
            0 => out.push(char::REPLACEMENT_CHARACTER),
            _ => at += reference(bytes.get(at..).unwrap_or_default(), reading == Reading::Attribute, &mut out),
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(next) = reading.next_special(rest) else { break };
        special = at + next;
    }
    out.push_str(raw.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Appends what the reference behind an ampersand stands for, or the ampersand
/// alone; the answer says how many bytes the reference takes.
fn reference(rest: &[u8], in_attribute: bool, out: &mut String) -> usize {
    let numeric = rest.first() == Some(&b'#');
    let taken = if numeric { numeric_reference(rest, out) } else { named_reference(rest, in_attribute, out) };
    if taken == 0 {
        out.push('&');
    }
    taken
}

/// 0 where there are no digits.
fn numeric_reference(rest: &[u8], out: &mut String) -> usize {
    let (start, radix) = if matches!(rest.get(1), Some(b'x' | b'X')) { (2, 16) } else { (1, 10) };
    let mut at = start;
    let mut code = 0_u32;
    while let Some(digit) = rest.get(at).and_then(|&byte| char::from(byte).to_digit(radix)) {
        // Too large stays too large.
        code = code.saturating_mul(radix).saturating_add(digit).min(0x11_0000);
        at += 1;
    }
    if at == start {
        return 0;
    }
    let character = match code {
        0x80..0xa0 => char::from_u32(WINDOWS[(code - 0x80) as usize]),
        0 => None,
        _ => char::from_u32(code),
    };
    out.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    at + usize::from(rest.get(at) == Some(&b';'))
}

/// What references to C1 controls mean: the characters of windows-1252
/// (HTML standard, 13.2.5.80).
const WINDOWS: [u32; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d,
    0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
    0x17e, 0x178,
];

/// 0 where no name fits.
fn named_reference(rest: &[u8], in_attribute: bool, out: &mut String) -> usize {
    let run = rest.iter().take(MAX_NAME + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if rest.get(run) == Some(&b';')
        && let Some(named) = rest.get(..run).and_then(|name| NAMED.get(name))
    {
        named.push(out);
        return run + 1;
    }
    // Without its semicolon the longest of the old names counts.
    let old = (MIN_OLD_NAME..=run.min(MAX_OLD_NAME)).rev().find_map(|length| {
        let named = NAMED.get(rest.get(..length)?)?;
        named.old.then_some((named, length))
    });
    let Some((named, length)) = old else { return 0 };
    let goes_on = rest.get(length).is_some_and(|&byte| byte == b'=' || byte.is_ascii_alphanumeric());
    if in_attribute && goes_on {
        // `?a=b&copy=c` is a query.
        return 0;
    }
    named.push(out);
    length
}

/// Longest name, in bytes.
const MAX_NAME: usize = 31;

/// Shortest and longest name that may lack its semicolon.
const MIN_OLD_NAME: usize = 2;
const MAX_OLD_NAME: usize = 6;

struct Named {
    first: char,
    second: Option<char>,
    /// May lack its semicolon.
    old: bool,
}

impl Named {
    fn push(&self, out: &mut String) {
        out.push(self.first);
        out.extend(self.second);
    }
}

/// The named character references (HTML standard, 13.5): a name without
/// semicolon, a question mark where it may stand without one, code points.
const NAMES: &str = include_str!("references.txt");

static NAMED: LazyLock<HashMap<&'static [u8], Named, FixedState>> =
    LazyLock::new(|| NAMES.lines().filter_map(named).collect());

fn named(line: &'static str) -> Option<(&'static [u8], Named)> {
    let mut fields = line.split(' ');
    let name = fields.next()?;
    let mut characters = fields.filter_map(|field| char::from_u32(u32::from_str_radix(field, 16).ok()?));
    let old = name.ends_with('?');
    let named = Named { first: characters.next()?, second: characters.next(), old };
    Some((name.trim_end_matches('?').as_bytes(), named))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_within_the_bounds() {
        assert_eq!(NAMED.len(), 2125);
        assert_eq!(NAMED.len(), NAMES.lines().count());
        let old: Vec<_> = NAMED.iter().filter(|(_, named)| named.old).map(|(name, _)| name.len()).collect();
        assert_eq!((old.len(), old.iter().min(), old.iter().max()), (106, Some(&MIN_OLD_NAME), Some(&MAX_OLD_NAME)));
        assert_eq!(NAMED.keys().map(|name| name.len()).max(), Some(MAX_NAME));
    }

    #[track_caller]
    fn check(raw: &str, reading: Reading, expected: &str) {
        assert_eq!(decode(raw, reading), expected, "{raw:?}");
    }

    #[test]
    fn references_are_decoded_where_they_count() {
        use Reading::*;
        check("S&atilde;o &amp; &#x41;&#66 &nvlt;", Data, "São & AB <\u{20d2}");
        check("&notit; &notin; &no &; &&", Data, "¬it; ∉ &no &; &&");
        check("?a&copy=b&copy;&copyx&copy", Attribute, "?a&copy=b©&copyx©");
        check("?a&copy=b", Data, "?a©=b");
        check("&#0;&#xD800;&#x110000;&#99999999999;&#128;&#x81;", Data, "\u{fffd}\u{fffd}\u{fffd}\u{fffd}€\u{81}");
        check("&#;&#x;&#xg;&#", Data, "&#;&#x;&#xg;&#");
        check("a\r\nb\rc\n\r\0&lt;", Data, "a\nb\nc\n\n\0<");
        check("\r\n\0&lt;", RcData, "\n\u{fffd}<");
        check("\r\0&lt;", Raw, "\n\u{fffd}&lt;");
        check("\r\0&lt;", Cdata, "\n\0&lt;");
        check(
            "&CounterClockwiseContourIntegral;&CounterClockwiseContourIntegralx;",
            Data,
            "∳&CounterClockwiseContourIntegralx;",
        );
    }

    #[test]
    fn blanks_may_be_written_as_references() {
        assert!(is_blank(" \t\r\n\u{c}\0", Reading::Data));
        assert!(is_blank(" &#32;&Tab;&NewLine; ", Reading::Data));
        assert!(!is_blank(" &#32;x", Reading::Data));
        assert!(!is_blank("&#32;", Reading::Raw));
        assert!(!is_blank(" \0", Reading::RcData));
        assert!(!is_blank("\u{a0}", Reading::Data));
    }
}
