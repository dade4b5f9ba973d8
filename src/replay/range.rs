//! Parts of a body (RFC 9110, 14).

use std::ops::Range;

/// What is sent of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// These bytes, as 206.
    Bytes(Range<u64>),
    /// Nothing, as 416: the range begins behind the end.
    Outside,
}

/// Reads the field `Range` for a body of so many bytes. What is no range, or several, is ignored as RFC 9110 allows.
pub fn part_of(range: Option<&str>, len: u64) -> Part {
    let Some(bounds) = range.and_then(|range| range.trim().strip_prefix("bytes=")) else { return Part::Whole };
    let Some((first, last)) = bounds.trim().split_once('-') else { return Part::Whole };
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok()).flatten();
    match (first.trim(), last.trim()) {
        ("", suffix) => match number(suffix) {
            None => Part::Whole,
            Some(0) => Part::Outside,
            Some(_) if len == 0 => Part::Outside,
            Some(suffix) => Part::Bytes(len.saturating_sub(suffix)..len),
        },
        (first, last) => match (number(first), number(last)) {
            (None, _) => Part::Whole,
            (Some(_), None) if !last.is_empty() => Part::Whole,
            (Some(first), Some(last)) if last < first => Part::Whole,
            (Some(first), _) if first >= len => Part::Outside,
            (Some(first), last) => Part::Bytes(first..last.map_or(len, |last| last.saturating_add(1).min(len))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_the_standard() {
        for (range, expected) in [
            ("bytes=0-200", Part::Bytes(0..201)),
            ("bytes=10-", Part::Bytes(10..1270)),
            ("bytes=-70", Part::Bytes(1200..1270)),
            ("bytes=-9999", Part::Bytes(0..1270)),
            ("bytes=0-99999999999999999999", Part::Whole),
            ("bytes=1269-5000", Part::Bytes(1269..1270)),
            ("bytes=1270-", Part::Outside),
            ("bytes=-0", Part::Outside),
            ("bytes=20-10", Part::Whole),
            ("bytes=0-1,5-6", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("lines=0-1", Part::Whole),
        ] {
            assert_eq!(part_of(Some(range), 1270), expected, "{range}");
        }
        assert_eq!(part_of(None, 5), Part::Whole);
        assert_eq!(part_of(Some("bytes=0-"), 0), Part::Outside);
    }
}
