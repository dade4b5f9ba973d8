//! Counts in words.

/// A number and its word: `1 file`, `2 files`, `0 entries`.
pub fn counted(number: u64, word: &str) -> String {
    format!("{number} {}", noun(number, word))
}

/// A word as it stands behind a number that is written otherwise, such as in groups of digits.
pub fn noun(number: u64, word: &str) -> String {
    if number == 1 {
        return word.to_owned();
    }
    if word.ends_with(['s', 'x']) || word.ends_with("ch") {
        return format!("{word}es");
    }
    match word.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None => format!("{word}s"),
    }
}

/// A verb as it stands behind a counted word: `is`, `are`; `has`, `have`; `links`, `link`.
pub fn verb(number: u64, of_one: &str) -> &str {
    match of_one {
        _ if number == 1 => of_one,
        "is" => "are",
        "was" => "were",
        "has" => "have",
        _ => of_one.strip_suffix('s').unwrap_or(of_one),
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
            [counted(1, "entry"), counted(2, "entry"), counted(2, "day"), counted(2, "launch"), counted(0, "address")],
            ["1 entry", "2 entries", "2 days", "2 launches", "0 addresses"]
        );
        assert_eq!([verb(1, "has"), verb(0, "has"), verb(2, "is"), verb(2, "links")], ["has", "have", "are", "link"]);
    }
}
