//! Counts in words.

use std::time::Duration;

/// A number and its word: `1 file`, `2 files`, `0 entries`.
pub fn counted(number: u64, word: &str) -> String {
    if number == 1 {
        return format!("1 {word}");
    }
    if word.ends_with("ch") {
        return format!("{number} {word}es");
    }
    match word.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {word}s"),
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
        let words: Vec<String> = [0, 1, 2].into_iter().map(|number| counted(number, "record")).collect();
        assert_eq!(words, ["0 records", "1 record", "2 records"]);
        assert_eq!(
            [counted(1, "entry"), counted(2, "entry"), counted(2, "day"), counted(2, "launch")],
            ["1 entry", "2 entries", "2 days", "2 launches"]
        );
    }
}
