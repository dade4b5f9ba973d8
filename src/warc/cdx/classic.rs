//! Reads and writes classic CDX, with columns named by the letters of a header line.
//!
//! ` CDX N b a m s k r M S V g` (11 columns) and ` CDX N b a m s k r V g`
//! (9 columns) are what programs write; any other choice and order is read.

use super::IndexLine;
use super::line::{LineError, number, with_algorithm};
use crate::uri::{CaptureDate, CdxKey};
use crate::warc::Span;
use serde_json::{Map, Value};

/// The 11 columns that the Internet Archive writes.
const ELEVEN: &str = "N b a m s k r M S V g";
/// The 10 columns of OutbackCDX.
const TEN: &str = "N b a m s k r M V g";
/// The 9 columns of older programs.
const NINE: &str = "N b a m s k r V g";

/// Meaning of the columns of a classic CDX file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    letters: Vec<char>,
    divider: char,
}

impl Columns {
    /// `N b a m s k r M S V g`
    pub fn eleven() -> Self {
        Self::of(ELEVEN)
    }

    /// `N b a m s k r V g`
    pub fn nine() -> Self {
        Self::of(NINE)
    }

    fn of(letters: &str) -> Self {
        Self { letters: letters.chars().filter(|letter| *letter != ' ').collect(), divider: ' ' }
    }

    /// Parses a header line, whose first character divides the columns. `None` when the line is no header.
    pub fn of_header(line: &str) -> Option<Self> {
        let divider = line.chars().next()?;
        let rest = line[divider.len_utf8()..].strip_prefix("CDX")?.strip_prefix(divider)?;
        let columns = rest.trim_end().split(divider).filter(|column| !column.is_empty());
        let letters = columns.map(|column| column.chars().next().unwrap_or('?')).collect();
        Some(Self { letters, divider })
    }

    /// The columns of a line without a header before it, by their number.
    pub fn of_count(line: &str) -> Option<Self> {
        match line.split(' ').count() {
            // OutbackCDX may add three columns about the original of a revisit.
            11 | 14 => Some(Self::eleven()),
            10 => Some(Self::of(TEN)),
            9 => Some(Self::nine()),
            _ => None,
        }
    }

    /// The header line of these columns.
    pub fn header(&self) -> String {
        let mut header = format!("{}CDX", self.divider);
        for letter in &self.letters {
            header.push(self.divider);
            header.push(*letter);
        }
        header
    }

    /// Reads a line.
    pub fn parse(&self, line: &str) -> Result<IndexLine, LineError> {
        let error = |why: &str| LineError(why.to_owned());
        let mut columns = line.split(self.divider);
        let (mut key, mut date, mut url, mut mime, mut status, mut digest) = (None, None, None, None, None, None);
        let (mut offset, mut length, mut filename) = (None, None, None);
        let mut more = Map::new();
        for letter in &self.letters {
            let Some(column) = columns.next() else {
                let there = line.split(self.divider).count();
                return Err(LineError(format!("{there} columns, {} are named by the header", self.letters.len())));
            };
            if column == "-" || column.is_empty() {
                continue;
            }
            let text = column.to_owned();
            match letter {
                // A and K are the older names of N.
                'N' | 'A' | 'K' if key.is_none() => key = Some(text),
                'b' => date = Some(text),
                'a' => url = Some(text),
                'm' => mime = Some(text),
                's' => status = column.parse().ok(),
                'k' => digest = Some(with_algorithm(text)),
                'S' => length = Some(number(column, "length")?),
                'V' => offset = Some(number(column, "offset")?),
                'g' => filename = Some(text),
                'r' => drop(more.insert("redirect".to_owned(), text.into())),
                'M' => drop(more.insert("robotflags".to_owned(), text.into())),
                other => drop(more.insert(format!("cdx:{other}"), text.into())),
            }
        }
        let url = url.ok_or_else(|| error("no URL (column a)"))?;
        let date = date.ok_or_else(|| error("no date (column b)"))?;
        let key = key.map(CdxKey::from_stored).or_else(|| CdxKey::of_text(&url));
        Ok(IndexLine {
            key: key.ok_or_else(|| error("no key (column N)"))?,
            date: CaptureDate::parse(&date).map_err(|error| LineError(error.to_string()))?,
            url,
            mime,
            status,
            digest,
            span: Span {
                offset: offset.ok_or_else(|| error("no offset (column V)"))?,
                length: length.unwrap_or_default(),
            },
            filename: filename.ok_or_else(|| error("no file name (column g)"))?,
            more,
        })
    }

    /// The line in these columns, with `-` for what is not known.
    pub fn line(&self, line: &IndexLine) -> String {
        let mut text = String::new();
        for (index, letter) in self.letters.iter().enumerate() {
            if index > 0 {
                text.push(self.divider);
            }
            let column = match letter {
                'N' | 'A' | 'K' => line.key.as_str().to_owned(),
                'b' => line.date.to_digits14(),
                'a' => line.url.clone(),
                'm' => line.mime.clone().unwrap_or_default(),
                's' => line.status.map(|status| status.to_string()).unwrap_or_default(),
                // The column knows no algorithm.
                'k' => {
                    line.digest.as_deref().and_then(|digest| digest.rsplit(':').next()).unwrap_or_default().to_owned()
                }
                'S' if line.span.length > 0 => line.span.length.to_string(),
                'V' => line.span.offset.to_string(),
                'g' => line.filename.clone(),
                'r' => line.field("redirect").unwrap_or_default().to_owned(),
                'M' => line.field("robotflags").unwrap_or_default().to_owned(),
                other => line.more.get(&format!("cdx:{other}")).and_then(Value::as_str).unwrap_or_default().to_owned(),
            };
            push_column(&mut text, &column, self.divider);
        }
        text
    }
}

/// A column holds neither the divider nor a line break, nor is it empty.
fn push_column(text: &mut String, column: &str, divider: char) {
    if column.is_empty() {
        text.push('-');
    }
    for char in column.chars() {
        if char == divider || char.is_control() {
            for byte in char.encode_utf8(&mut [0; 4]).bytes() {
                text.push_str(&format!("%{byte:02X}"));
            }
        } else {
            text.push(char);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LINE: &str =
        "pt,a)/x 20240301090000 http://www.a.pt/x text/html 200 EXJD7I7FVZY3SDKLFHVZPYYTQ6F3LXRN - - 83 17 a.warc.gz";

    #[test]
    fn eleven_columns_are_read_and_written() {
        let columns = Columns::of_header(" CDX N b a m s k r M S V g").unwrap();
        assert_eq!((&columns, columns.header().as_str()), (&Columns::eleven(), " CDX N b a m s k r M S V g"));
        let line = columns.parse(LINE).unwrap();
        assert_eq!(
            line.to_string(),
            r#"pt,a)/x 20240301090000 {"url": "http://www.a.pt/x", "mime": "text/html", "status": "200", "digest": "sha1:EXJD7I7FVZY3SDKLFHVZPYYTQ6F3LXRN", "length": "83", "offset": "17", "filename": "a.warc.gz"}"#
        );
        assert_eq!(columns.line(&line), LINE);
        let nine =
            "pt,a)/x 20240301090000 http://www.a.pt/x text/html 200 EXJD7I7FVZY3SDKLFHVZPYYTQ6F3LXRN - 17 a.warc.gz";
        assert_eq!(Columns::nine().line(&line), nine);
        assert_eq!(Columns::nine().parse(nine).unwrap().span, Span { offset: 17, length: 0 });
    }

    #[test]
    fn the_header_names_the_columns_in_any_order() {
        let columns = Columns::of_header("\tCDX\tg\tV\tb\ta\tr\tM\tx").unwrap();
        let text = "a.warc.gz\t17\t20240301090000\thttp://www.a.pt/x y\thttp://a.pt/\tAFI\tmore";
        let line = columns.parse(text).unwrap();
        assert_eq!(
            line.to_string(),
            r#"pt,a)/x%20y 20240301090000 {"url": "http://www.a.pt/x y", "offset": "17", "filename": "a.warc.gz", "redirect": "http://a.pt/", "robotflags": "AFI", "cdx:x": "more"}"#
        );
        assert_eq!(columns.line(&line), text);
        for none in ["", " ", " CD N", " CDXN", "CDX N b a", "pt,a)/ 2024"] {
            assert_eq!(Columns::of_header(none), None, "{none}");
        }
    }

    #[test]
    fn a_key_that_holds_blanks_becomes_one_field() {
        for (header, text, key) in [
            ("\tCDX\tg\tV\tb\ta", "a.warc.gz\t17\t20240301090000\tdata:x y", "data:x%20y"),
            ("\tCDX\tN\tb\ta\tV\tg", "pt,a)/x y\t20240301090000\thttp://a.pt/x\t17\ta.warc.gz", "pt,a)/x%20y"),
        ] {
            let line = Columns::of_header(header).unwrap().parse(text).unwrap();
            assert_eq!(line.key.as_str(), key);
            assert_eq!(IndexLine::parse(&line.to_string()), Ok(line));
        }
    }

    #[test]
    fn a_column_never_holds_a_divider() {
        let mut line = Columns::eleven().parse(LINE).unwrap();
        line.url = "http://a.pt/x y\nz".to_owned();
        line.mime = Some("text html".to_owned());
        line.digest = None;
        assert_eq!(
            Columns::eleven().line(&line),
            "pt,a)/x 20240301090000 http://a.pt/x%20y%0Az text%20html 200 - - - 83 17 a.warc.gz"
        );
    }

    #[test]
    fn columns_are_recognised_by_their_number_where_no_header_is() {
        assert_eq!(Columns::of_count(LINE), Some(Columns::eleven()));
        assert_eq!(Columns::of_count("a b c d e f g h i").unwrap().header(), " CDX N b a m s k r V g");
        assert_eq!(Columns::of_count("a b c d e f g h i j").unwrap().header(), " CDX N b a m s k r M V g");
        assert_eq!(Columns::of_count("a b c"), None);
    }

    #[test]
    fn what_is_no_line_is_rejected_with_a_reason() {
        for (bad, why) in [
            ("pt,a)/x 20240301090000 u", "3 columns, 11 are named by the header"),
            ("k 2024 - m 200 - - - 1 2 f", "no URL"),
            ("k - u m 200 - - - 1 2 f", "no date"),
            ("k never u m 200 - - - 1 2 f", "“never” is not a date"),
            ("k 2024 u m 200 - - - x 2 f", "the length is no number"),
            ("k 2024 u m 200 - - - 1 - f", "no offset"),
            ("k 2024 u m 200 - - - 1 2 -", "no file name"),
        ] {
            let error = Columns::eleven().parse(bad).unwrap_err().to_string();
            assert!(error.starts_with(why), "{bad}: {error}");
        }
    }
}
