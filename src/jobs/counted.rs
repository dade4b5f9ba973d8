//! Writes counts with their nouns and verbs.

use std::time::Duration;

/// A number and its word: `1 file`, `2 files`, `0 entries`.
pub fn counted(number: u64, singular: &str) -> String {
    format!("{number} {}", noun(number, singular))
}

/// The form of a noun after a number that is written separately, such as in groups of digits.
pub fn noun(number: u64, singular: &str) -> String {
    if number == 1 {
        return singular.to_owned();
    }
    if singular.ends_with(['s', 'x']) || singular.ends_with("ch") {
        return format!("{singular}es");
    }
    match singular.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None => format!("{singular}s"),
    }
}

/// The form of a verb after a counted noun: `is`, `are`; `has`, `have`; `links`, `link`.
pub fn verb(number: u64, of_one: &str) -> &str {
    match of_one {
        _ if number == 1 => of_one,
        "is" => "are",
        "was" => "were",
        "has" => "have",
        _ => of_one.strip_suffix('s').unwrap_or(of_one),
    }
}

/// A length of time in the largest unit of which it has at least two: `119 seconds`, `2 minutes`.
pub fn counted_time(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..120 => counted(seconds, "second"),
        seconds @ 120..7200 => counted(seconds / 60, "minute"),
        seconds @ 7200..172_800 => counted(seconds / 3600, "hour"),
        seconds => counted(seconds / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_written_without_an_s() {
        let texts: Vec<String> = [0, 1, 2].into_iter().map(|number| counted(number, "record")).collect();
        assert_eq!(texts, ["0 records", "1 record", "2 records"]);
        assert_eq!(
            [counted(1, "entry"), counted(2, "entry"), counted(2, "day"), counted(2, "launch"), counted(0, "address")],
            ["1 entry", "2 entries", "2 days", "2 launches", "0 addresses"]
        );
        assert_eq!([verb(1, "has"), verb(0, "has"), verb(2, "is"), verb(2, "links")], ["has", "have", "are", "link"]);
    }
}
