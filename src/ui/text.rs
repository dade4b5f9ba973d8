//! Text for people: safe text, numbers, sizes.
//!
//! Text from the web may hold control characters, overrides of the reading
//! direction, heaps of combining marks or megabytes in one line. It is drawn
//! through [`line`] or [`block`] only.

use crate::app::DateForm;
use crate::app::models::spreadsheet_cell;
use crate::jobs::Progress;
use crate::scope::{Decision, hop_count};
use crate::uri::CaptureDate;
use std::cell::Cell;
use std::fmt::Write as _;

pub use crate::jobs::{bytes_text as bytes, duration_text as duration};

/// Characters of a cell; longer text is cut with an ellipsis.
pub const CELL_CHARS: usize = 300;
/// Characters of a text that is read, such as a capture's text.
pub const READ_CHARS: usize = 200_000;
/// Between groups of three digits: narrower than a blank, and never the end of a line.
const GROUP: char = '\u{202f}';
/// Combining marks that one letter may have.
const MARKS_ON_A_LETTER: usize = 4;

/// A text in one line: line breaks and tabs become blanks.
pub fn line(text: &str) -> String {
    safe(text, CELL_CHARS, false)
}

/// A text in one line of at most `chars` characters.
pub fn short(text: &str, chars: usize) -> String {
    safe(text, chars, false)
}

/// Many lines.
pub fn block(text: &str) -> String {
    safe(text, READ_CHARS, true)
}

fn safe(text: &str, most: usize, keep_lines: bool) -> String {
    let mut out = String::new();
    let (mut count, mut marks) = (0, 0);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if count >= most {
            out.push('…');
            break;
        }
        if unicode_normalization::char::is_combining_mark(char) {
            marks += 1;
            if marks > MARKS_ON_A_LETTER {
                continue;
            }
        } else {
            marks = 0;
        }
        count += 1;
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' if keep_lines => out.push('\n'),
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' => out.push(' '),
            char if is_hidden(char) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "<U+{:04X}>", char as u32);
            }
            char => out.push(char),
        }
    }
    out
}

/// Controls, and what changes the reading direction or takes no room.
/// Joiners stay: scripts and emoji need them.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `12 345`: groups of three, with a thin blank that does not break.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(GROUP);
        }
        out.push(digit);
    }
    out
}

/// `+312`, `−2 040`, `0`: a change, with the sign of mathematics and not a hyphen.
pub fn change(by: i64) -> String {
    let sign = match by {
        0 => "",
        1.. => "+",
        _ => "\u{2212}",
    };
    format!("{sign}{}", count(by.unsigned_abs()))
}

/// `31 %`, `0.4 %`, `0 %`: a part of a whole; what is less than one in a hundred has a decimal.
pub fn share(part: u64, whole: u64) -> String {
    let share = part as f64 * 100.0 / whole.max(1) as f64;
    if share > 0.0 && share < 1.0 { format!("{share:.1} %") } else { format!("{share:.0} %") }
}

/// Whether a text is a web address, which is cut in its middle.
pub fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// An address as it is read, without `https://`.
pub fn without_scheme(url: &str) -> &str {
    url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url)
}

/// A URL in about so many characters: without its middle, so that its host and its last part stay.
pub fn middle(url: &str, most: usize) -> String {
    let letters: Vec<char> = url.chars().collect();
    if letters.len() <= most {
        return url.to_owned();
    }
    let room = most.saturating_sub(1);
    let last = letters.iter().rev().skip(1).position(|letter| *letter == '/').map_or(0, |at| at + 2);
    let end = last.min(room / 2);
    let begin: String = letters.iter().take(room - end).collect();
    let end: String = letters.iter().skip(letters.len() - end).collect();
    format!("{begin}…{end}")
}

/// The number of steps from the seed in a path of hops (`LLE`): `3`, or `seed`.
pub fn hops(path: &str) -> String {
    if path.is_empty() { "seed".to_owned() } else { count(hop_count(path) as u64) }
}

/// The meaning of the letters in a path of hops.
pub fn hops_explained(path: &str) -> String {
    let steps = counted(hop_count(path) as u64, "step");
    format!(
        "{steps} from the seed: {}\nL link, E embedded resource, R redirect, X guess out of a script, I inferred, P prerequisite, M sitemap, S form",
        short(path, 80)
    )
}

/// A message with its numbers as tables write them: digits in groups of three. Numbers in
/// words, addresses, dates and names of folders stay, and so do years and other numbers of four digits.
pub fn grouped(message: &str) -> String {
    let is_around = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "(),;:".contains(c));
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let before = rest[..start].chars().next_back().or(out.chars().next_back());
        let digits = rest[start..].chars().take_while(char::is_ascii_digit).count();
        let (number, after) = rest[start..].split_at(digits);
        out.push_str(&rest[..start]);
        let is_isolated = is_around(before) && is_around(after.trim_start_matches('.').chars().next());
        match number.parse::<u64>() {
            Ok(value) if is_isolated && (5..=12).contains(&digits) && !number.starts_with('0') => {
                out.push_str(&count(value))
            }
            _ => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A text with a capital first letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `1 row`, `2 rows`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {}", count(number), crate::jobs::noun(number, noun))
}

/// `1 row is`, `2 rows are`.
pub fn counted_verb(number: u64, noun: &str, of_one: &str) -> String {
    format!("{} {}", counted(number, noun), crate::jobs::verb(number, of_one))
}

/// The progress of a job: `3 of 12`, `1.2 MB of 14 MB`.
pub fn done(progress: &Progress) -> String {
    let amount = if progress.in_bytes { bytes } else { count };
    match progress.total {
        Some(total) => format!("{} of {}", amount(progress.done), amount(total)),
        None => amount(progress.done),
    }
}

/// `0.734`, or `–` when there is none.
pub fn score(score: Option<f64>) -> String {
    score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"))
}

/// A number, or `–` when it is not known.
pub fn known(number: Option<u64>) -> String {
    number.map_or_else(|| "–".to_owned(), count)
}

/// The day of a date, as files and filters have it.
pub fn day(date: CaptureDate) -> String {
    date.to_readable().chars().take(10).collect()
}

thread_local! {
    /// The form of dates that a person chose; the window is drawn by one thread.
    static DATES: Cell<DateForm> = const { Cell::new(DateForm::Iso) };
}

/// Has dates drawn in this form from now on.
pub fn choose_dates(form: DateForm) {
    DATES.set(form);
}

/// The day of a date as the screen shows it.
pub fn shown_day(date: CaptureDate) -> String {
    let iso = day(date);
    let mut parts = iso.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else { return iso };
    match DATES.get() {
        DateForm::Iso => iso,
        DateForm::Slashed => format!("{day}/{month}/{year}"),
        DateForm::Named => {
            let name = month.parse::<usize>().ok().and_then(|month| MONTHS.get(month.wrapping_sub(1)));
            format!("{} {} {year}", day.trim_start_matches('0'), name.copied().unwrap_or(month))
        }
    }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A moment to the minute, as tables show it, in UTC.
pub fn minute(date: CaptureDate) -> String {
    let time: String = date.to_readable().chars().skip(11).take(5).collect();
    format!("{} {time}", shown_day(date))
}

/// The time of a day to the second, in UTC.
pub fn clock(date: CaptureDate) -> String {
    date.to_readable().chars().skip(11).collect()
}

/// A moment to the second, in UTC.
pub fn second(date: CaptureDate) -> String {
    format!("{} {}", shown_day(date), clock(date))
}

/// The label of a decision, with its sign.
pub fn decision(decision: Option<Decision>) -> &'static str {
    match decision {
        Some(Decision::Accept) => "✔ accept",
        Some(Decision::Reject) => "✖ reject",
        None => "– no match",
    }
}

/// Rows as tab-separated values for other programs; none of them runs a cell as
/// a formula.
pub fn tsv(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = head.join("\t");
    out.push('\n');
    for row in rows {
        let cells = row.iter().map(|cell| cell.replace(['\t', '\n', '\r'], " "));
        let cells: Vec<String> = cells.map(|cell| spreadsheet_cell(&cell).into_owned()).collect();
        out.push_str(&cells.join("\t"));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_messages_are_written_as_in_tables() {
        for (message, expected) in [
            (
                "2829466 inlinks (1234567 internal) of 38271 pages",
                "2\u{202f}829\u{202f}466 inlinks (1\u{202f}234\u{202f}567 internal) of 38\u{202f}271 pages",
            ),
            (
                "Crawl 20261127071425003 of 2026, file a-10000.warc.gz, port 127.0.0.1:29000/",
                "Crawl 20261127071425003 of 2026, file a-10000.warc.gz, port 127.0.0.1:29000/",
            ),
            ("took 12345.", "took 12\u{202f}345."),
            ("", ""),
        ] {
            assert_eq!(grouped(message), expected);
        }
    }

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(line(input), expected);
    }

    #[test]
    fn hidden_characters_become_visible() {
        check("plain – ünïcode 日本語 עברית", "plain – ünïcode 日本語 עברית");
        check("a\u{202e}gpj.exe", "a<U+202E>gpj.exe");
        check("a\u{0}b\u{1b}[31m", "a<U+0000>b<U+001B>[31m");
        check("one\r\ntwo\tthree", "one two three");
        check("zero\u{200b}width\u{feff}", "zero<U+200B>width<U+FEFF>");
        check("👩\u{200d}🚀", "👩\u{200d}🚀");
    }

    #[test]
    fn heaps_of_marks_and_long_lines_are_cut() {
        let heap = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(line(&heap).chars().count(), 6);
        assert_eq!(line(&"x".repeat(5000)).chars().count(), CELL_CHARS + 1);
        assert_eq!(block("one\r\ntwo\u{2028}three"), "one\ntwo\nthree");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1234567), "1\u{202f}234\u{202f}567");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_440_000), "1.4 MB");
        assert_eq!(bytes(999_999), "1.0 MB");
        assert_eq!(bytes(52_000_000_000), "52 GB");
        assert_eq!(duration(7800.0), "2 h 10 min");
        assert_eq!([share(31, 100), share(4, 1000), share(0, 0)], ["31 %", "0.4 %", "0 %"]);
        assert_eq!([change(312), change(-2040), change(0)], ["+312", "−2\u{202f}040", "0"]);
        assert_eq!(counted(1, "row"), "1 row");
    }

    #[test]
    fn a_long_url_keeps_its_host_and_its_last_part() {
        let url = "https://jornal.vilanova.example/2026/04/sociedade/estaleiro-gaivota.html";
        let short = middle(url, 60);
        assert!(
            short.starts_with("https://jornal.vilanova.example/") && short.ends_with("/estaleiro-gaivota.html"),
            "{short}"
        );
        assert_eq!(short.chars().count(), 60);
        assert_eq!(middle("http://a.pt/", 60), "http://a.pt/");
        assert_eq!(middle(url, 0), "…");
        assert_eq!(without_scheme(url), &url[8..]);
    }

    #[test]
    fn cells_of_other_programs_keep_to_themselves() {
        assert_eq!(tsv(&["a", "b"], [vec!["1\t2".to_owned(), "x\ny".to_owned()]].into_iter()), "a\tb\n1 2\tx y\n");
        let formulas = ["=HYPERLINK(\"http://a.pt/\")", "\n+1+1", "-2+3", "@SUM(A1)", "-3"].map(str::to_owned).to_vec();
        assert_eq!(
            tsv(&["a"], [formulas].into_iter()),
            "a\n'=HYPERLINK(\"http://a.pt/\")\t' +1+1\t'-2+3\t'@SUM(A1)\t-3\n"
        );
    }
}
