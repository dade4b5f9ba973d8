//! Reads and writes the lines of an index as CDXJ.

use crate::uri::{CaptureDate, CdxKey};
use crate::warc::Span;
use serde_json::{Map, Value};
use std::fmt;

/// Index line of a capture: its key, its properties and the span of its record.
///
/// As text it is a line of CDXJ the way cdxj-indexer writes it:
///
/// `com,example)/ 20240301090000 {"url": "http://example.com/", "mime": "text/html", …}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine {
    /// Sort key.
    pub key: CdxKey,
    /// Date, to the second.
    pub date: CaptureDate,
    /// URL of the record.
    pub url: String,
    /// MIME type that the server declared; `warc/revisit` for revisits.
    pub mime: Option<String>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Payload digest with its algorithm, `sha1:BASE32`.
    pub digest: Option<String>,
    /// Where in the file; the length is 0 where an index does not have it.
    pub span: Span,
    /// Name of the file.
    pub filename: String,
    /// Fields beyond these by their CDXJ names (`redirect`, `robotflags`,
    /// `recordDigest`, `method`, `requestBody`, `referrer` …), in their order.
    pub more: Map<String, Value>,
}

/// A line of an index cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LineError(pub String);

impl fmt::Display for IndexLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {{\"url\": {}", self.key, self.date.to_digits14(), AsciiText(&self.url))?;
        if let Some(mime) = &self.mime {
            write!(f, ", \"mime\": {}", AsciiText(mime))?;
        }
        if let Some(status) = self.status {
            write!(f, ", \"status\": \"{status}\"")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, ", \"digest\": {}", AsciiText(digest))?;
        }
        let Span { offset, length } = self.span;
        if length > 0 {
            write!(f, ", \"length\": \"{length}\"")?;
        }
        write!(f, ", \"offset\": \"{offset}\", \"filename\": {}", AsciiText(&self.filename))?;
        for (name, value) in &self.more {
            write!(f, ", {}: {}", AsciiText(name), ascii_json(value))?;
        }
        f.write_str("}")
    }
}

impl IndexLine {
    /// Reads a line of CDXJ. Numbers may have quotes, `-` means absent, and the longer names of other
    /// programs (`original`, `mimetype`, `statuscode`) are understood.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let error = |why: &str| LineError(why.to_owned());
        let (key, rest) = line
            .split_once(' ')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| error("no key and date before a blank"))?;
        let (date, json) = rest.split_once(' ').ok_or_else(|| error("no date"))?;
        let date = CaptureDate::parse(date).map_err(|error| LineError(error.to_string()))?;
        let mut fields: Map<String, Value> =
            serde_json::from_str(json.trim()).map_err(|error| LineError(format!("no JSON object: {error}")))?;
        let mut text = |names: &[&str]| {
            let found = names.iter().find_map(|name| fields.shift_remove(*name))?;
            match found {
                Value::String(text) if text == "-" || text.is_empty() => None,
                Value::String(text) => Some(text),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            }
        };
        let url = text(&["url", "original"]).ok_or_else(|| error("no url"))?;
        let mime = text(&["mime", "mimetype"]);
        let status = text(&["status", "statuscode"]).and_then(|status| status.parse().ok());
        let digest = text(&["digest"]).map(with_algorithm);
        let length = text(&["length"]).map_or(Ok(0), |length| number(&length, "length"))?;
        let offset = number(&text(&["offset"]).ok_or_else(|| error("no offset"))?, "offset")?;
        let filename = text(&["filename"]).ok_or_else(|| error("no filename"))?;
        let key = CdxKey::from_stored(key.to_owned());
        Ok(Self { key, date, url, mime, status, digest, span: Span { offset, length }, filename, more: fields })
    }

    /// A further field as text.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.more.get(name).and_then(Value::as_str)
    }
}

/// A place or length. Offsets of 2^62 and beyond mean something else in a
/// [`Span`]; no file is so long.
pub(super) fn number(text: &str, name: &str) -> Result<u64, LineError> {
    let number = text.parse().ok().filter(|&number| number < 1 << 62);
    number.ok_or_else(|| LineError(format!("the {name} is no number of bytes: “{}”", clip(text))))
}

/// Adds `sha1:` to a digest of 32 letters of base 32 without an algorithm.
pub(super) fn with_algorithm(digest: String) -> String {
    let bare = digest.len() == 32 && digest.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
    if bare { format!("sha1:{digest}") } else { digest }
}

/// Text of others, cut for a message.
pub(super) fn clip(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text as [`ascii_json`] has it. Most need nothing but quotes.
struct AsciiText<'t>(&'t str);

impl fmt::Display for AsciiText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        match text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
            true => {
                f.write_str("\"")?;
                f.write_str(text)?;
                f.write_str("\"")
            }
            false => f.write_str(&ascii_json(&Value::from(*text))),
        }
    }
}

/// JSON in ASCII, with blanks where Python's `json.dumps` has them.
fn ascii_json(value: &Value) -> String {
    let mut json = String::new();
    push_json(&mut json, value);
    json
}

fn push_json(json: &mut String, value: &Value) {
    match value {
        Value::Array(list) => {
            json.push('[');
            for (index, value) in list.iter().enumerate() {
                json.push_str(if index > 0 { ", " } else { "" });
                push_json(json, value);
            }
            json.push(']');
        }
        Value::Object(map) => {
            json.push('{');
            for (index, (name, value)) in map.iter().enumerate() {
                json.push_str(if index > 0 { ", " } else { "" });
                push_json(json, &Value::from(&**name));
                json.push_str(": ");
                push_json(json, value);
            }
            json.push('}');
        }
        scalar => {
            for unit in scalar.to_string().encode_utf16() {
                match char::from_u32(u32::from(unit)).filter(char::is_ascii) {
                    Some(char) if char != '\x7f' => json.push(char),
                    _ => json.push_str(&format!("\\u{unit:04x}")),
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_written_as_others_write_it_and_read_back() {
        let more = r#"{"requestBody": "a=é", "n": [1, {"b": null}]}"#;
        let line = IndexLine {
            key: CdxKey::of_text("http://example.com/é\"").unwrap(),
            date: CaptureDate::parse("20240301090000").unwrap(),
            url: "http://example.com/é\"😀".to_owned(),
            mime: Some("text/html".to_owned()),
            status: Some(200),
            digest: Some("sha1:ABC".to_owned()),
            span: Span { offset: 7, length: 9 },
            filename: "a.warc.gz".to_owned(),
            more: serde_json::from_str(more).unwrap(),
        };
        let text = line.to_string();
        let json = text.splitn(3, ' ').nth(2).unwrap();
        assert_eq!(
            json,
            r#"{"url": "http://example.com/\u00e9\"\ud83d\ude00", "mime": "text/html", "status": "200", "digest": "sha1:ABC", "length": "9", "offset": "7", "filename": "a.warc.gz", "requestBody": "a=\u00e9", "n": [1, {"b": null}]}"#
        );
        assert_eq!(IndexLine::parse(&text).unwrap(), line);
    }

    #[test]
    fn lines_of_other_programs_are_read() {
        #[track_caller]
        fn check(line: &str, expected: &str) {
            assert_eq!(IndexLine::parse(line).unwrap().to_string(), expected);
        }
        // Numbers without quotes and fields of others.
        check(
            r#"pt,a)/ 20240301090000 {"url":"http://a.pt/","offset":3,"length":4,"filename":"x","extra":[1]}"#,
            r#"pt,a)/ 20240301090000 {"url": "http://a.pt/", "length": "4", "offset": "3", "filename": "x", "extra": [1]}"#,
        );
        // Common Crawl.
        check(
            r#"pt,a)/ 20240301090000 {"url": "http://a.pt/", "mime": "text/html", "mime-detected": "text/html", "status": "200", "digest": "EXJD7I7FVZY3SDKLFHVZPYYTQ6F3LXRN", "length": "4", "offset": "3", "filename": "crawl-data/x.warc.gz", "languages": "por"}"#,
            r#"pt,a)/ 20240301090000 {"url": "http://a.pt/", "mime": "text/html", "status": "200", "digest": "sha1:EXJD7I7FVZY3SDKLFHVZPYYTQ6F3LXRN", "length": "4", "offset": "3", "filename": "crawl-data/x.warc.gz", "mime-detected": "text/html", "languages": "por"}"#,
        );
        // Names of CDX servers, and “-” for nothing.
        check(
            r#"pt,a)/ 20240301090000 {"original": "http://a.pt/", "mimetype": "-", "statuscode": "-", "digest": "-", "redirecturl": "-", "offset": "3", "filename": "x"}"#,
            r#"pt,a)/ 20240301090000 {"url": "http://a.pt/", "offset": "3", "filename": "x", "redirecturl": "-"}"#,
        );
    }

    #[test]
    fn what_is_no_line_is_rejected_with_a_reason() {
        for (bad, why) in [
            ("", "no key"),
            ("pt,a)/", "no key"),
            (r#" 2024 {"url": "u", "offset": 3, "filename": "x"}"#, "no key"),
            ("pt,a)/ 2024", "no date"),
            ("pt,a)/ yesterday {}", "“yesterday” is not a date"),
            ("pt,a)/ 2024 {", "no JSON object"),
            ("pt,a)/ 2024 {}", "no url"),
            (r#"pt,a)/ 2024 {"url": "u"}"#, "no offset"),
            (r#"pt,a)/ 2024 {"url": "u", "offset": -3}"#, "the offset is no number of bytes: “-3”"),
            (r#"pt,a)/ 2024 {"url": "u", "offset": "4611686018427387904"}"#, "the offset is no number"),
            (r#"pt,a)/ 2024 {"url": "u", "offset": 3, "length": 1.5}"#, "the length is no number of bytes"),
            (r#"pt,a)/ 2024 {"url": "u", "offset": 3}"#, "no filename"),
        ] {
            let error = IndexLine::parse(bad).unwrap_err().to_string();
            assert!(error.starts_with(why), "{bad}: {error}");
        }
    }

    proptest! {
        #[test]
        fn every_line_that_is_written_is_read(
            url in "\\PC{1,30}",
            host in "[a-z]{1,8}\\.pt",
            path in any::<String>(),
            seconds in 0i64..4_000_000_000,
            mime in prop::option::of("[^-]\\PC{0,10}"),
            status in prop::option::of(any::<u16>()),
            digest in prop::option::of("[a-z0-9]{1,6}:.{1,20}"),
            offset in 0u64..1 << 62,
            length in 0u64..1 << 62,
            filename in "[^-]\\PC{0,20}",
            more in prop::collection::btree_map("[a-z]{1,3}[A-Z]\\PC{0,5}", any::<String>(), 0..3),
        ) {
            prop_assume!(url != "-");
            let line = IndexLine {
                key: CdxKey::of_text(&format!("http://{host}/{path}")).unwrap(),
                date: CaptureDate::from_seconds(seconds),
                url,
                mime,
                status,
                digest,
                span: Span { offset, length },
                filename,
                more: more.into_iter().map(|(name, value)| (name, Value::from(value))).collect(),
            };
            let text = line.to_string();
            prop_assert!(text.is_ascii() && !text.contains('\n'), "{}", text);
            prop_assert_eq!(IndexLine::parse(&text), Ok(line));
        }
    }
}
