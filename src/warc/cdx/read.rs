//! Reads index files.

use super::IndexLine;
use super::classic::Columns;
use super::line::{LineError, clip};
use crate::warc::lines::{Line, Lines};
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A longer line is skipped and reported. Lines of honest indexes stay below some ten thousand bytes, request
/// bodies included.
pub const MAX_INDEX_LINE_BYTES: usize = 1024 * 1024;

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexProblem {
    /// The file, as it was named to the reader.
    pub file: String,
    /// Its number in the (decompressed) file, from 1.
    pub line: u64,
    /// What is wrong.
    pub why: String,
    /// How the line begins.
    pub text: String,
}

impl fmt::Display for IndexProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file, self.line, self.why)?;
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

/// The lines of an index file with their numbers; CDXJ and classic CDX, plain or gzip, recognised by content.
///
/// Header lines (` CDX …`, `!…`), comments (`#`) and empty lines are passed over. It ends after an error of
/// the system, which is reported as a problem.
pub struct IndexReader<'a> {
    lines: Lines<Box<dyn BufRead + Send + 'a>>,
    file: String,
    columns: Option<Columns>,
    ended: bool,
}

impl IndexReader<'static> {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        IndexReader::new(File::open(path)?, &path.display().to_string())
    }
}

impl<'a> IndexReader<'a> {
    /// Reads from any source; messages name it `file`.
    pub fn new(source: impl Read + Send + 'a, file: &str) -> io::Result<Self> {
        let mut plain = BufReader::with_capacity(64 * 1024, source);
        let is_gzip = plain.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let input: Box<dyn BufRead + Send + 'a> = match is_gzip {
            true => Box::new(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(plain))),
            false => Box::new(plain),
        };
        Ok(Self { lines: Lines::new(input, MAX_INDEX_LINE_BYTES), file: file.to_owned(), columns: None, ended: false })
    }

    /// The number of the line that was read last, from 1.
    pub fn line_number(&self) -> u64 {
        self.lines.number()
    }

    fn problem(&self, why: impl Into<String>, text: &str) -> IndexProblem {
        IndexProblem { file: self.file.clone(), line: self.lines.number(), why: why.into(), text: clip(text) }
    }
}

/// A line; `None` for what is none.
fn parse(columns: &mut Option<Columns>, text: &str) -> Result<Option<IndexLine>, LineError> {
    if text.trim().is_empty() || text.starts_with(['!', '#']) {
        return Ok(None);
    }
    if let Some(header) = Columns::of_header(text) {
        *columns = Some(header);
        return Ok(None);
    }
    if text.splitn(3, ' ').nth(2).is_some_and(|rest| rest.trim_start().starts_with('{')) {
        return IndexLine::parse(text).map(Some);
    }
    let columns = columns.clone().or_else(|| Columns::of_count(text));
    let columns = columns.ok_or_else(|| {
        LineError("neither a line of CDXJ nor one of classic CDX with 9, 10, 11 or 14 columns".to_owned())
    })?;
    columns.parse(text).map(Some)
}

impl Iterator for IndexReader<'_> {
    type Item = Result<IndexLine, IndexProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let line = match self.lines.next() {
                Ok(None) => break,
                Ok(Some(line)) => line,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(self.problem(error.to_string(), "")));
                }
            };
            let parsed = match line {
                Line::Text(text) => parse(&mut self.columns, text).map_err(|LineError(why)| (why, clip(text))),
                Line::NotUtf8(bytes) => Err(("no UTF-8".to_owned(), String::from_utf8_lossy(bytes).into_owned())),
                Line::TooLong(begin) => {
                    let why = format!("longer than {MAX_INDEX_LINE_BYTES} bytes, passed over");
                    Err((why, String::from_utf8_lossy(begin).into_owned()))
                }
            };
            match parsed {
                Ok(None) => {}
                Ok(Some(line)) => return Some(Ok(line)),
                Err((why, text)) => return Some(Err(self.problem(why, &text))),
            }
        }
        self.ended = true;
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    const CDXJ: &str = r#"pt,a)/ 20240301090000 {"url": "http://a.pt/", "offset": "3", "filename": "x"}"#;

    /// URLs, and problems as text.
    fn read(bytes: &[u8]) -> Vec<String> {
        let lines = IndexReader::new(bytes, "i").unwrap();
        lines.map(|line| line.map_or_else(|problem| problem.to_string(), |line| line.url)).collect()
    }

    #[test]
    fn good_lines_come_in_and_bad_ones_are_named() {
        let text = format!(
            " CDX N b a m s k r M S V g\npt,b)/ 2024 http://b.pt/ - 200 - - - 1 2 f\r\n\nbad line\n\
             !meta 0 {{}}\n# comment\n{CDXJ}\n CDX a b V g\nhttp://c.pt/ 2024 7 f\npt,d)/ 2024 {{\"url\"\n"
        );
        let expected = [
            "http://b.pt/",
            "i, line 4: 2 columns, 11 are named by the header: bad line",
            "http://a.pt/",
            "http://c.pt/",
            "i, line 10: no JSON object: EOF while parsing an object at line 1 column 6: pt,d)/ 2024 {\"url\"",
        ];
        assert_eq!(read(text.as_bytes()), expected);
    }

    #[test]
    fn a_gzip_index_of_several_members_is_read() {
        let mut bytes = Vec::new();
        for _ in 0..2 {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            writeln!(encoder, "{CDXJ}").unwrap();
            bytes.extend(encoder.finish().unwrap());
        }
        assert_eq!(read(&bytes), ["http://a.pt/", "http://a.pt/"]);
        bytes.truncate(bytes.len() - 12);
        let lines = read(&bytes);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[1].starts_with("i, line 2: "), "{lines:?}");
    }

    #[test]
    fn a_line_without_end_is_passed_over() {
        let mut text = vec![b'x'; 3 * MAX_INDEX_LINE_BYTES];
        text.extend(format!("\n{CDXJ}").as_bytes());
        let lines = read(&text);
        assert!(lines[0].starts_with("i, line 1: longer than 1048576 bytes, passed over: xxx"));
        assert_eq!(lines[1..], ["http://a.pt/"]);
        assert_eq!(read(&vec![b'x'; 3 * MAX_INDEX_LINE_BYTES]).len(), 1);
        assert_eq!(read(b"\xff\xfe\n"), ["i, line 1: no UTF-8: \u{fffd}\u{fffd}"]);
        assert!(read(b"").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_lines_or_problems(bytes: Vec<u8>, text in "[ -~\n]{0,300}") {
            drop(read(&bytes));
            drop(read(text.as_bytes()));
            drop(read(format!(" CDX {text}\n{text}").as_bytes()));
        }
    }
}
