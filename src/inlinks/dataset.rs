//! The published inlink data set: one JSON object per line.
//!
//! Written compact and in UTF-8, keys in the published order, times with
//! seconds and without zone; what a terminal would obey is written as `\u009b`. Read with more tolerance: other key order,
//! blanks, times without seconds or with `Z`, nulls.

use super::invert::Assigned;
use crate::captures::lone_surrogates::without_halves;
use crate::uri::{CaptureDate, escape_controls, is_obeyed, may_be_obeyed};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io::{self, BufRead, Write};

/// Longest line that is read, in bytes: 2,000 inlinks with long anchors take some 200 KB.
const MAX_LINE_BYTES: u64 = 256 * 1024 * 1024;

/// A page (or capture) and the links to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DatasetObject {
    /// Key of the page, in one of the two notations.
    pub url: String,
    /// Inlinks kept, of both sides.
    pub count: u64,
    /// Of these, from the same site.
    pub count_internal: u64,
    /// Of these, from other sites.
    pub count_external: u64,
    /// When the page was captured, if it was.
    #[serde(default, serialize_with = "write_date", deserialize_with = "read_optional_date")]
    pub capture_date: Option<CaptureDate>,
    /// The links; the publisher's own files list fewer than they count.
    #[serde(default, deserialize_with = "read_list")]
    pub inlinks: Vec<DatasetInlink>,
}

/// Inlink of a [`DatasetObject`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetInlink {
    /// When the linking page was captured.
    #[serde(serialize_with = "write_date", deserialize_with = "read_optional_date", default)]
    pub date: Option<CaptureDate>,
    /// Key of the linking page.
    pub source: String,
    /// Anchor text, often empty.
    #[serde(default, deserialize_with = "read_text")]
    pub anchor: String,
}

impl From<&Assigned<'_>> for DatasetObject {
    fn from(assigned: &Assigned<'_>) -> Self {
        Self {
            url: assigned.target.to_owned(),
            count: assigned.count_internal + assigned.count_external,
            count_internal: assigned.count_internal,
            count_external: assigned.count_external,
            capture_date: assigned.capture_date,
            inlinks: assigned
                .inlinks()
                .map(|inlink| DatasetInlink {
                    date: Some(inlink.date),
                    source: inlink.source.to_owned(),
                    anchor: inlink.anchor.to_owned(),
                })
                .collect(),
        }
    }
}

/// Appends an object as one line, the same as [`DatasetObject::write_line`]
/// and many times as fast. With `java_times`, times end before seconds that
/// are zero, as in the published files.
pub fn render_line(object: &Assigned<'_>, java_times: bool, out: &mut Vec<u8>) {
    let sides = [object.count_internal, object.count_external];
    let links = object.inlinks().map(|inlink| (inlink.date, inlink.source, inlink.anchor));
    render((object.target, sides, object.capture_date), links, (java_times, object.is_plain()), out);
}

/// Appends the object of a page or capture with these links (date, source, anchor) as one
/// line, as [`render_line`] does; `sides` has the counts of internal and external ones.
pub fn render_links<'l>(
    target: &str,
    sides: [u64; 2],
    capture_date: Option<CaptureDate>,
    links: impl Iterator<Item = (CaptureDate, &'l str, &'l str)>,
    out: &mut Vec<u8>,
) {
    render((target, sides, capture_date), links, (false, false), out);
}

fn render<'l>(
    (target, [internal, external], capture_date): (&str, [u64; 2], Option<CaptureDate>),
    links: impl Iterator<Item = (CaptureDate, &'l str, &'l str)>,
    (java_times, is_plain): (bool, bool),
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"url\":");
    push_json(out, target);
    for (name, count) in [
        (&b",\"count\":"[..], internal + external),
        (b",\"countInternal\":", internal),
        (b",\"countExternal\":", external),
    ] {
        out.extend_from_slice(name);
        push_count(out, count);
    }
    out.extend_from_slice(b",\"captureDate\":");
    match capture_date {
        Some(date) => push_date(out, date, java_times),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"inlinks\":[");
    for (number, (date, source, anchor)) in links.enumerate() {
        out.extend_from_slice(if number == 0 { b"{\"date\":" } else { b",{\"date\":" });
        push_date(out, date, java_times);
        if is_plain {
            out.extend_from_slice(b",\"source\":\"");
            out.extend_from_slice(source.as_bytes());
            out.extend_from_slice(b"\",\"anchor\":\"");
            out.extend_from_slice(anchor.as_bytes());
            out.extend_from_slice(b"\"}");
        } else {
            out.extend_from_slice(b",\"source\":");
            push_json(out, source);
            out.extend_from_slice(b",\"anchor\":");
            push_json(out, anchor);
            out.push(b'}');
        }
    }
    out.extend_from_slice(b"]}\n");
}

fn push_date(out: &mut Vec<u8>, date: CaptureDate, java_times: bool) {
    out.push(b'"');
    date.push_dataset(out);
    if java_times && out.ends_with(b":00") {
        out.truncate(out.len() - 3);
    }
    out.push(b'"');
}

fn push_count(out: &mut Vec<u8>, count: u64) {
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), count);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Whether a byte of a text may be escaped in JSON.
pub(super) fn needs_escape(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || may_be_obeyed(byte)
}

/// Appends a text as JSON.
pub fn push_json(out: &mut Vec<u8>, text: &str) {
    // Without a way out of the loop it takes many bytes at once.
    if !text.bytes().fold(false, |any, byte| any | needs_escape(byte)) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    // Most are quotation marks and letters of other alphabets.
    if !text.contains(is_obeyed) {
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(out, text);
        return;
    }
    let json = escape_controls(serde_json::to_string(text).unwrap_or_default());
    out.extend_from_slice(json.as_bytes());
}

impl DatasetObject {
    /// The object as one line, without its end.
    pub fn line(&self) -> String {
        escape_controls(serde_json::to_string(self).unwrap_or_default())
    }

    /// Writes the object as one line.
    pub fn write_line(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(self.line().as_bytes())?;
        out.write_all(b"\n")
    }

    /// Reads one line.
    pub fn read_line(line: &str) -> Result<Self, serde_json::Error> {
        object_of(line.as_bytes())
    }
}

/// A line of a data set could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The line is not an object of the data set.
    #[error("line {line}: {source}")]
    Line {
        /// From 1.
        line: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The input broke off.
    #[error("line {line}: {source}")]
    Io {
        /// From 1.
        line: u64,
        /// Error of the system.
        source: io::Error,
    },
    /// A line without end.
    #[error("line {0} is longer than {MAX_LINE_BYTES} bytes: this is no data set")]
    TooLong(u64),
}

/// The objects of a data set, empty lines passed over. After a bad line
/// reading goes on.
pub fn read_dataset(input: impl BufRead) -> impl Iterator<Item = Result<DatasetObject, DatasetError>> {
    let mut lines = DatasetLines::new(input);
    std::iter::from_fn(move || {
        Some(match lines.next_line()? {
            Ok((number, line)) => object_of(line).map_err(|source| DatasetError::Line { line: number, source }),
            Err(error) => Err(error),
        })
    })
}

/// The object that a line holds, whatever it holds beside.
///
/// # Errors
///
/// A line that is no such object.
pub fn object_of<T: DeserializeOwned>(line: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(&without_halves(line))
}

/// The lines of a data set as they are, empty ones passed over.
pub struct DatasetLines<R> {
    input: R,
    number: u64,
    line: Vec<u8>,
    over: bool,
}

impl<R: BufRead> DatasetLines<R> {
    /// Reads from the beginning of a data set.
    pub fn new(input: R) -> Self {
        Self { input, number: 0, line: Vec::new(), over: false }
    }

    /// The next line, its end with it, and its number, from 1.
    ///
    /// # Errors
    ///
    /// An input that broke off, or a line without end; nothing comes after it.
    pub fn next_line(&mut self) -> Option<Result<(u64, &[u8]), DatasetError>> {
        while !self.over {
            self.line.clear();
            self.number += 1;
            match io::Read::take(&mut self.input, MAX_LINE_BYTES).read_until(b'\n', &mut self.line) {
                Ok(0) => return None,
                Ok(read) if read as u64 == MAX_LINE_BYTES => {
                    self.over = true;
                    return Some(Err(DatasetError::TooLong(self.number)));
                }
                Ok(_) => {
                    if self.number == 1 {
                        let mark = self.line.len() - without_mark(&self.line).len();
                        self.line.drain(..mark);
                    }
                    if !self.line.trim_ascii().is_empty() {
                        break;
                    }
                }
                Err(source) => {
                    self.over = true;
                    return Some(Err(DatasetError::Io { line: self.number, source }));
                }
            }
        }
        (!self.over).then_some(Ok((self.number, &self.line)))
    }
}

/// Text without the mark of UTF-8 that some editors put before it.
pub(super) fn without_mark(begin: &[u8]) -> &[u8] {
    begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin)
}

fn write_date<S: Serializer>(date: &Option<CaptureDate>, serializer: S) -> Result<S::Ok, S::Error> {
    match date {
        Some(date) => serializer.serialize_str(&date.to_dataset()),
        None => serializer.serialize_none(),
    }
}

fn read_optional_date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CaptureDate>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.filter(|text| !text.is_empty())
        .map(|text| CaptureDate::parse(&text).map_err(serde::de::Error::custom))
        .transpose()
}

fn read_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn read_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DatasetInlink>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_published_shape() {
        let object = DatasetObject {
            url: "(pt,fct,".to_owned(),
            count: 1,
            count_internal: 0,
            count_external: 1,
            capture_date: Some(CaptureDate::parse("20240301090000").unwrap()),
            inlinks: vec![DatasetInlink {
                date: Some(CaptureDate::parse("20240301100000").unwrap()),
                source: "(pt,fccn,".to_owned(),
                anchor: "Fundação </a>\"/".to_owned(),
            }],
        };
        let mut out = Vec::new();
        object.write_line(&mut out).unwrap();
        let expected = concat!(
            r#"{"url":"(pt,fct,","count":1,"countInternal":0,"countExternal":1,"captureDate":"2024-03-01T09:00:00","#,
            r#""inlinks":[{"date":"2024-03-01T10:00:00","source":"(pt,fccn,","anchor":"Fundação </a>\"/"}]}"#,
            "\n"
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(DatasetObject::read_line(expected).unwrap(), object);
    }

    #[test]
    fn older_lines_are_read() {
        let lines = "\u{feff}\n{\"inlinks\":null,\"url\":\"u\",\"count\":0,\"countInternal\":0,\"countExternal\":0,\"captureDate\":null}\n\
            nonsense\n\
            {\"url\":\"u\",\"count\":1,\"countInternal\":1,\"countExternal\":0,\"captureDate\":\"2021-10-06T20:46\",\
            \"inlinks\":[{\"date\":\"2021-10-06T20:46:00Z\",\"source\":\"s\",\"anchor\":null}]}\n\
            {\"url\":\"h\",\"count\":0,\"countInternal\":0,\"countExternal\":0,\"inlinks\":[{\"source\":\"s\",\"anchor\":\"\\ud83d\"}]}";
        let read: Vec<_> = read_dataset(lines.as_bytes()).collect();
        assert_eq!(read[0].as_ref().unwrap().capture_date, None);
        assert!(read[1].as_ref().unwrap_err().to_string().starts_with("line 3: "));
        let last = read[2].as_ref().unwrap();
        assert_eq!(last.capture_date, last.inlinks[0].date);
        assert_eq!(last.inlinks[0].anchor, "");
        // Half of a character, as Java cuts anchors.
        assert_eq!(read[3].as_ref().unwrap().inlinks[0].anchor, "\u{fffd}");
        assert_eq!(read.len(), 4);
        let marked = format!("\u{feff}{}", lines.lines().nth(1).unwrap());
        assert_eq!(read_dataset(marked.as_bytes()).next().unwrap().unwrap().url, "u");
    }

    #[test]
    fn the_seeds_example_comes_back_as_it_was() {
        let Some(path) = crate::testing::data("inlinks/seed-example.jsonl") else { return };
        let text = std::fs::read_to_string(path).unwrap();
        let object = DatasetObject::read_line(&text).unwrap();
        assert_eq!((object.count, object.inlinks.len()), (4, 4));
        let mut out = Vec::new();
        object.write_line(&mut out).unwrap();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(std::str::from_utf8(&out).unwrap()), value(&text));
    }
}
