//! CDXJ: an index line per capture, as pywb and cdxj-indexer write it.
//!
//! `com,example)/ 20240301090000 {"url": "http://example.com/", "mime": "text/html", …}`
//!
//! Not in the index: records without a place of their own (several share a
//! gzip member), requests, and metadata of `application/warc-fields`.

use super::check::MAX_PROBLEMS;
use super::http::{ContentType, parse_response_head};
use super::record::ProblemList;
use super::{BlockDigester, Problem, RecordHead, RecordType, Span, WarcError, read_file_in_parallel, reading_threads};
use crate::jobs::JobCx;
use crate::uri::{CaptureDate, CdxKey};
use std::fmt;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::path::Path;

/// How much of a block is looked at for its HTTP head.
const MAX_HEAD: usize = 256 * 1024;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CdxjLine {
    /// Sort key.
    pub key: CdxKey,
    /// Date, to the second.
    pub date: CaptureDate,
    /// URL as it stands in the record.
    pub url: String,
    /// MIME type as the server told it; `warc/revisit` for revisits.
    pub mime: Option<String>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Payload digest, `sha1:BASE32`.
    pub digest: Option<String>,
    /// Where in the file.
    pub span: Span,
    /// Name of the file.
    pub filename: String,
}

/// A line of a CDXJ file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no CDXJ line ({why}): {line}")]
pub struct CdxjError {
    /// The line, clipped.
    pub line: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for CdxjLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {{\"url\": {}", self.key, self.date.to_digits14(), ascii_json(&self.url))?;
        if let Some(mime) = &self.mime {
            write!(f, ", \"mime\": {}", ascii_json(mime))?;
        }
        if let Some(status) = self.status {
            write!(f, ", \"status\": \"{status}\"")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, ", \"digest\": {}", ascii_json(digest))?;
        }
        let Span { offset, length } = self.span;
        write!(
            f,
            ", \"length\": \"{length}\", \"offset\": \"{offset}\", \"filename\": {}}}",
            ascii_json(&self.filename)
        )
    }
}

impl CdxjLine {
    /// Reads a line. Numbers may stand with or without quotes; fields that
    /// others add are passed over.
    pub fn parse(line: &str) -> Result<Self, CdxjError> {
        let error = |why: &str| CdxjError { line: line.chars().take(120).collect(), why: why.to_owned() };
        let (key, rest) = line.split_once(' ').ok_or_else(|| error("no key"))?;
        let (date, json) = rest.split_once(' ').ok_or_else(|| error("no date"))?;
        let date = CaptureDate::parse(date).map_err(|_| error("the date cannot be read"))?;
        let fields: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(json.trim()).map_err(|_| error("no JSON object"))?;
        let text = |name: &str| match fields.get(name)? {
            serde_json::Value::String(text) => Some(text.clone()),
            serde_json::Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let number = |name: &str| text(name)?.parse().ok();
        Ok(Self {
            key: CdxKey::from_stored(key.to_owned()),
            date,
            url: text("url").ok_or_else(|| error("no url"))?,
            mime: text("mime"),
            status: text("status").and_then(|status| status.parse().ok()),
            digest: text("digest"),
            span: Span {
                offset: number("offset").ok_or_else(|| error("no offset"))?,
                length: number("length").unwrap_or(0),
            },
            filename: text("filename").ok_or_else(|| error("no filename"))?,
        })
    }
}

/// A JSON string in ASCII, as Python's `json.dumps` writes it.
fn ascii_json(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut ascii = String::with_capacity(json.len());
    for unit in json.encode_utf16() {
        match char::from_u32(u32::from(unit)).filter(char::is_ascii) {
            Some(char) if char != '\x7f' => ascii.push(char),
            _ => ascii.push_str(&format!("\\u{unit:04x}")),
        }
    }
    ascii
}

/// The index lines of a file, in the order of its records; `filename` is what
/// they call the file. Stops early, with what was found so far, when `cx` asks
/// for it.
pub fn index_file(path: &Path, filename: &str, cx: &JobCx) -> Result<(Vec<CdxjLine>, Vec<Problem>), WarcError> {
    let mut lines = Vec::new();
    let mut problems = ProblemList::new(MAX_PROBLEMS);
    let mut read_to = 0;
    let line_of = |head: &RecordHead, block: &mut dyn BufRead| match is_indexed(head) {
        true => read_line(block, head, filename),
        false => Ok(None),
    };
    let last = read_file_in_parallel(path, reading_threads(), line_of, |visit| {
        problems.extend(visit.problems);
        if let (Some(line), Some(span)) = (visit.value, visit.span)
            && !span.is_inside_member()
        {
            lines.push(CdxjLine { span, ..line });
        }
        read_to = visit.read_to;
        cx.set_done(read_to);
        if cx.checkpoint().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    problems.extend(last);
    Ok((lines, problems.take(read_to)))
}

/// Writes lines in the order that CDX servers search in.
pub fn write_sorted(lines: &[CdxjLine], mut out: impl Write) -> io::Result<()> {
    let mut texts: Vec<String> = lines.iter().map(CdxjLine::to_string).collect();
    texts.sort_unstable();
    for text in texts {
        writeln!(out, "{text}")?;
    }
    Ok(())
}

fn is_indexed(head: &RecordHead) -> bool {
    match head.record_type {
        RecordType::Response | RecordType::Revisit => true,
        RecordType::Resource | RecordType::Metadata => {
            head.headers.get_bytes("Content-Type") != Some(b"application/warc-fields")
        }
        _ => false,
    }
}

fn read_line(reader: &mut dyn BufRead, head: &RecordHead, filename: &str) -> io::Result<Option<CdxjLine>> {
    let (Some(url), Some(date)) = (indexed_url(head), head.date()) else { return Ok(None) };
    let Some(key) = CdxKey::of_text(&url) else { return Ok(None) };
    let told = head.headers.get("WARC-Payload-Digest").filter(|digest| !digest.is_empty());
    let mut digester = told.is_none().then(|| BlockDigester::new(head.is_http()));
    let mut begin = Vec::new();
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() || (digester.is_none() && begin.len() >= MAX_HEAD) {
            break;
        }
        let room = MAX_HEAD.saturating_sub(begin.len()).min(chunk.len());
        begin.extend_from_slice(&chunk[..room]);
        if let Some(digester) = &mut digester {
            digester.update(chunk);
        }
        let len = chunk.len();
        reader.consume(len);
    }
    let http = if head.is_http() { parse_response_head(&begin) } else { None };
    let mime = match (&head.record_type, &http) {
        (RecordType::Revisit, _) => Some("warc/revisit".to_owned()),
        (_, Some(http)) => http.headers.get("Content-Type").map(|value| mime_of(&value)),
        (RecordType::Response, None) if head.is_http() => None,
        _ => head.headers.get("Content-Type").map(|value| mime_of(&value)),
    };
    Ok(Some(CdxjLine {
        key,
        date,
        url,
        mime: mime.filter(|mime| !mime.is_empty()),
        status: http.map(|http| http.status).filter(|&status| status > 0),
        digest: told.or_else(|| digester.map(|digester| digester.finish().payload)),
        span: Span::default(),
        filename: filename.to_owned(),
    }))
}

/// The URL that an index calls the record by.
pub fn indexed_url(head: &RecordHead) -> Option<String> {
    let uri = head.headers.get("WARC-Target-URI")?;
    Some(uri.trim().trim_matches(['<', '>']).replace(' ', "%20"))
}

/// The type without parameters, in the server's own letters.
fn mime_of(value: &str) -> String {
    let lower = ContentType::parse(value).mime;
    let own = value.trim_start().get(..lower.len()).filter(|own| own.eq_ignore_ascii_case(&lower));
    own.map_or(lower.clone(), str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_others_write_it_and_read_back() {
        let line = CdxjLine {
            key: CdxKey::of_text("http://example.com/é\"").unwrap(),
            date: CaptureDate::parse("20240301090000").unwrap(),
            url: "http://example.com/é\"😀".to_owned(),
            mime: Some("text/html".to_owned()),
            status: Some(200),
            digest: Some("sha1:ABC".to_owned()),
            span: Span { offset: 7, length: 9 },
            filename: "a.warc.gz".to_owned(),
        };
        let text = line.to_string();
        let json = text.splitn(3, ' ').nth(2).unwrap();
        assert_eq!(
            json,
            r#"{"url": "http://example.com/\u00e9\"\ud83d\ude00", "mime": "text/html", "status": "200", "digest": "sha1:ABC", "length": "9", "offset": "7", "filename": "a.warc.gz"}"#
        );
        assert_eq!(CdxjLine::parse(&text).unwrap(), line);
    }

    #[test]
    fn numbers_without_quotes_and_further_fields_are_read() {
        let line = r#"pt,a)/ 20240301090000 {"url":"http://a.pt/","offset":3,"length":4,"filename":"x","extra":[1]}"#;
        assert_eq!(CdxjLine::parse(line).unwrap().span, Span { offset: 3, length: 4 });
        for bad in ["", "pt,a)/", "pt,a)/ 2024 {", "pt,a)/ x {}", "pt,a)/ 2024 {}"] {
            assert!(CdxjLine::parse(bad).is_err(), "{bad}");
        }
    }
}
