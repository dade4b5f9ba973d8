//! Reads and writes lists of pages: `pages/*.jsonl`.

use crate::uri::CaptureDate;
use crate::warc::lines::{Line, Lines};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{BufReader, Read};

/// A longer line is skipped and reported; the text of a page may be in it.
const MAX_PAGE_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A page of the list. Hostile text, all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaczPage {
    /// Its name in the list; may be empty.
    pub id: String,
    /// Its URL.
    pub url: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// Its title; may be empty.
    pub title: String,
    /// Its text, where it was kept.
    pub text: Option<String>,
}

impl WaczPage {
    /// The line of the page in a list.
    pub fn line(&self) -> String {
        let mut object = Map::new();
        let mut put = |name: &str, value: &str| drop(object.insert(name.to_owned(), value.into()));
        put("id", &self.id);
        put("url", &self.url);
        put("ts", &self.date.to_warc());
        if !self.title.is_empty() {
            put("title", &self.title);
        }
        if let Some(text) = &self.text {
            put("text", text);
        }
        Value::from(object).to_string()
    }

    fn parse(line: &str) -> Result<Option<Self>, String> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| format!("no JSON object: {error}"))?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        // The first line says what the list is.
        if object.contains_key("format") && !object.contains_key("url") {
            return Ok(None);
        }
        let url = text("url").filter(|url| !url.is_empty()).ok_or("no url")?;
        let date = text("ts").or_else(|| text("timestamp")).ok_or("no ts: the date is missing")?;
        let date = CaptureDate::parse(&date).map_err(|error| error.to_string())?;
        let title = text("title").unwrap_or_default();
        Ok(Some(Self { id: text("id").unwrap_or_default(), url, date, title, text: text("text") }))
    }
}

/// A line of a list that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageProblem {
    /// Its number in the list, from 1.
    pub line: u64,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for PageProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

/// The pages of a list, one after the other; lines that cannot be read are reported, the others are read.
pub struct PageReader<R> {
    lines: Lines<BufReader<R>>,
    ended: bool,
}

impl<R: Read> PageReader<R> {
    /// Reads a list.
    pub fn new(source: R) -> Self {
        Self { lines: Lines::new(BufReader::with_capacity(64 * 1024, source), MAX_PAGE_LINE_BYTES), ended: false }
    }
}

impl<R: Read> Iterator for PageReader<R> {
    type Item = Result<WaczPage, PageProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let parsed = match self.lines.next() {
                Ok(None) => break,
                Ok(Some(Line::Text(text))) if text.trim().is_empty() => continue,
                Ok(Some(Line::Text(text))) => WaczPage::parse(text),
                Ok(Some(Line::NotUtf8(_))) => Err("no UTF-8".to_owned()),
                Ok(Some(Line::TooLong(_))) => Err(format!("longer than {MAX_PAGE_LINE_BYTES} bytes, passed over")),
                Err(error) => {
                    self.ended = true;
                    Err(error.to_string())
                }
            };
            match parsed {
                Ok(None) => {}
                Ok(Some(page)) => return Some(Ok(page)),
                Err(why) => return Some(Err(PageProblem { line: self.lines.number(), why })),
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

    #[test]
    fn pages_come_in_and_bad_lines_are_named() {
        let text = "{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All\"}\n\
            {\"id\": \"1\", \"url\": \"http://a.pt/\", \"ts\": \"2020-10-07T21:22:36Z\", \"title\": \"A é\", \"text\": \"words\"}\r\n\
            \nno json\n{\"url\": \"http://b.pt/\"}\n{\"url\": \"\", \"ts\": \"2020\"}\n{\"url\": \"http://b.pt/\", \"ts\": \"x\"}\n\
            {\"url\": \"http://c.pt/\", \"timestamp\": \"20201007212236\", \"title\": 7}";
        let read: Vec<String> = PageReader::new(text.as_bytes())
            .map(|page| page.map_or_else(|problem| problem.to_string(), |page| page.line()))
            .collect();
        assert_eq!(
            read,
            [
                r#"{"id":"1","url":"http://a.pt/","ts":"2020-10-07T21:22:36Z","title":"A é","text":"words"}"#,
                "line 4: no JSON object: expected ident at line 1 column 2",
                "line 5: no ts: the date is missing",
                "line 6: no url",
                "line 7: “x” is not a date: 14 digits or ISO 8601 is wanted, such as 20240301090000 or 2024-03-01T09:00:00Z",
                r#"{"id":"","url":"http://c.pt/","ts":"2020-10-07T21:22:36Z"}"#,
            ]
        );
    }

    #[test]
    fn a_line_without_end_is_passed_over() {
        let text =
            [vec![b'x'; MAX_PAGE_LINE_BYTES + 10], b"\n\xff\n{\"url\": \"u\", \"ts\": \"2020\"}".to_vec()].concat();
        let read: Vec<_> = PageReader::new(&text[..]).collect();
        assert!(read[0].as_ref().unwrap_err().to_string().starts_with("line 1: longer than"));
        assert_eq!(read[1].as_ref().unwrap_err().to_string(), "line 2: no UTF-8");
        assert_eq!(read[2].as_ref().unwrap().url, "u");
    }
}
