//! Reads the fields of a request body.
//!
//! Servers distinguish pages by them, so replay and indexes need them. Bodies are untrusted: numbers of
//! fields, depth and length are limited, and what is left out is reported.

use super::{Flaw, HttpRequestHead, MediaType, decode_body};
use crate::warc::ProblemKind;
use data_encoding::BASE64;
use percent_encoding::percent_decode;
use serde_json::Value;

/// Fields beyond this number are left out.
const MAX_FIELDS: usize = 10_000;

/// Bytes of all names of fields in a JSON body: one key may lead to thousands.
const MAX_NAME_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of a decoded body that are read.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Kind of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// No body.
    Empty,
    /// `application/x-www-form-urlencoded`
    UrlEncoded,
    /// `multipart/form-data`
    Multipart,
    /// JSON, by its type or its look.
    Json,
    /// Anything else (Flash's AMF, protocol buffers …): one field, in base 64.
    Binary,
}

/// The body of a request, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// What kind of body it is.
    pub kind: FormKind,
    /// Names and values in the order they were sent. A value inside JSON has
    /// the name that leads to it (`a.0.b`), a file its bytes as text.
    pub fields: Vec<(String, String)>,
    /// What was malformed or beyond a limit.
    pub flaws: Vec<Flaw>,
}

impl Form {
    /// Reads the body that follows a request's head.
    pub fn read(head: &HttpRequestHead, raw_body: &[u8]) -> Self {
        let payload = decode_body(&head.headers, raw_body, MAX_BODY);
        let full = head.headers.get("Content-Type").unwrap_or_default();
        let mut form = Self::of_body(&full, &payload.bytes);
        form.flaws.splice(0..0, payload.flaws);
        form
    }

    fn of_body(content_type: &str, body: &[u8]) -> Self {
        let mut form = Self { kind: FormKind::Empty, fields: Vec::new(), flaws: Vec::new() };
        if body.is_empty() {
            return form;
        }
        let mime = MediaType::parse(content_type).mime;
        let may_be_json = || matches!(body.trim_ascii_start().first(), Some(b'{' | b'['));
        let is_json = mime == "application/json" || mime.ends_with("+json");
        if mime == "application/x-www-form-urlencoded" && !body.contains(&0) {
            form.kind = FormKind::UrlEncoded;
            form.url_encoded(body);
        } else if mime == "multipart/form-data" {
            form.kind = FormKind::Multipart;
            form.multipart(content_type, body);
        } else if is_json || (matches!(mime.as_str(), "" | "text/plain") && may_be_json()) {
            form.kind = FormKind::Json;
            form.json(body);
        }
        if form.kind == FormKind::Empty || (form.kind != FormKind::UrlEncoded && form.fields.is_empty()) {
            form.kind = FormKind::Binary;
            form.push(String::new(), BASE64.encode(body));
        }
        form
    }

    fn push(&mut self, name: String, value: String) {
        if self.fields.len() < MAX_FIELDS {
            self.fields.push((name, value));
        } else if !self.flaws.iter().any(|flaw| flaw.kind == ProblemKind::Limit) {
            let detail = format!("more than {MAX_FIELDS} fields: further ones are left out");
            self.flaws.push(Flaw::lossy(ProblemKind::Limit, detail));
        }
    }

    fn url_encoded(&mut self, body: &[u8]) {
        for pair in body.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
            let at = memchr::memchr(b'=', pair).unwrap_or(pair.len());
            let (name, value) = (&pair[..at], pair.get(at + 1..).unwrap_or_default());
            self.push(form_text(name), form_text(value));
        }
    }

    fn multipart(&mut self, content_type: &str, body: &[u8]) {
        let Some(boundary) = parameter(content_type, "boundary") else {
            self.flaws.push(Flaw::http("the multipart body has no boundary: taken as it is"));
            return;
        };
        let delimiter = format!("--{boundary}");
        let finder = memchr::memmem::Finder::new(delimiter.as_bytes());
        let Some(mut at) = finder.find(body).map(|first| first + delimiter.len()) else {
            self.flaws.push(Flaw::http("the boundary is not in the multipart body: taken as it is"));
            return;
        };
        while !body[at..].starts_with(b"--") {
            let Some(len) = finder.find(&body[at..]) else {
                self.flaws.push(Flaw::http("the multipart body ends before its last boundary"));
                self.part(&body[at..]);
                return;
            };
            self.part(&body[at..at + len]);
            at += len + delimiter.len();
        }
    }

    /// Reads one part, between two boundaries.
    fn part(&mut self, part: &[u8]) {
        let part = trim_break(part);
        let end = memchr::memmem::find(part, b"\r\n\r\n").map(|at| (at, at + 4));
        let (head, value) = match end.or_else(|| memchr::memmem::find(part, b"\n\n").map(|at| (at, at + 2))) {
            Some((head, body)) => (&part[..head], &part[body..]),
            None => (part, &[][..]),
        };
        let value = value.strip_suffix(b"\r\n").or_else(|| value.strip_suffix(b"\n")).unwrap_or(value);
        let head = String::from_utf8_lossy(head);
        let field = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim().eq_ignore_ascii_case("Content-Disposition").then(|| value.to_owned())
        });
        match field.and_then(|field| parameter(&field, "name")) {
            Some(name) => self.push(name, String::from_utf8_lossy(value).into_owned()),
            None => self.flaws.push(Flaw::http("a part of the multipart body has no name")),
        }
    }

    fn json(&mut self, body: &[u8]) {
        // serde_json refuses what is nested deeper than 128 levels.
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => {
                let mut room = MAX_NAME_BYTES;
                self.flatten(String::new(), &value, &mut room);
            }
            Err(error) => self.flaws.push(Flaw::http(format!("the JSON body is malformed ({error})"))),
        }
    }

    /// `room` is what is left of [`MAX_NAME_BYTES`].
    fn flatten(&mut self, name: String, value: &Value, room: &mut usize) {
        let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
        // Names grow with depth: without the limits here, a small body could fill the memory.
        if self.fields.len() > MAX_FIELDS || *room == 0 {
            return;
        }
        *room = room.saturating_sub(name.len());
        if *room == 0 {
            let detail = format!("names of more than {MAX_NAME_BYTES} bytes: further fields are left out");
            self.flaws.push(Flaw::lossy(ProblemKind::Limit, detail));
            return;
        }
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                fields.iter().for_each(|(key, value)| self.flatten(below(key), value, room));
            }
            Value::Array(items) if !items.is_empty() => {
                items.iter().enumerate().for_each(|(at, value)| self.flatten(below(&at.to_string()), value, room));
            }
            Value::String(text) => self.push(name, text.clone()),
            other => self.push(name, other.to_string()),
        }
    }
}

/// `+` and percent signs undone.
fn form_text(bytes: &[u8]) -> String {
    let spaced: Vec<u8> = bytes.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect();
    percent_decode(&spaced).decode_utf8_lossy().into_owned()
}

/// A parameter of a field value, without quotes.
fn parameter(value: &str, name: &str) -> Option<String> {
    value.split(';').skip(1).find_map(|part| {
        let (key, value) = part.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (key.trim().eq_ignore_ascii_case(name) && !value.is_empty()).then(|| value.to_owned())
    })
}

fn trim_break(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\r\n").or_else(|| bytes.strip_prefix(b"\n")).unwrap_or(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::parse_request_head;
    use super::*;

    fn read(content_type: &str, body: &[u8]) -> Form {
        let head = format!("POST /x HTTP/1.1\r\nContent-Type: {content_type}\r\n\r\n");
        let head = parse_request_head(head.as_bytes()).unwrap();
        Form::read(&head, body)
    }

    #[track_caller]
    fn check(content_type: &str, body: &str, kind: FormKind, fields: &[(&str, &str)], flaws: &[&str]) {
        let form = read(content_type, body.as_bytes());
        assert_eq!(form.kind, kind);
        let found: Vec<_> = form.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, fields);
        assert_eq!(form.flaws.iter().map(|flaw| flaw.detail.as_str()).collect::<Vec<_>>(), flaws);
    }

    const FORM: &str = "application/x-www-form-urlencoded; charset=UTF-8";
    const PARTS: &str = "multipart/form-data; boundary=\"x--y\"";

    #[test]
    fn a_long_key_that_leads_to_many_values_does_not_fill_the_memory() {
        let body = format!("{{\"{}\":[{}1]}}", "k".repeat(1_000_000), "1,".repeat(9_000));
        let form = read("application/json", body.as_bytes());
        assert!(form.fields.len() < 10, "{} fields", form.fields.len());
        assert!(form.flaws[0].detail.contains("further fields are left out"), "{:?}", form.flaws);
    }

    #[test]
    fn forms_are_read() {
        check(
            FORM,
            "a=1&b=caf%C3%A9+com&a=2&c&&=d",
            FormKind::UrlEncoded,
            &[("a", "1"), ("b", "café com"), ("a", "2"), ("c", ""), ("", "d")],
            &[],
        );
        check(FORM, "", FormKind::Empty, &[], &[]);
        check(FORM, "%zz=%", FormKind::UrlEncoded, &[("%zz", "%")], &[]);
        check(
            "application/json",
            r#"{"a":[1,{"b":"x"}],"c":null,"d":{}}"#,
            FormKind::Json,
            &[("a.0", "1"), ("a.1.b", "x"), ("c", "null"), ("d", "{}")],
            &[],
        );
        check("text/plain", r#" {"a":true}"#, FormKind::Json, &[("a", "true")], &[]);
        check("text/plain", "hello", FormKind::Binary, &[("", "aGVsbG8=")], &[]);
        check("application/x-amf", "\0\x03", FormKind::Binary, &[("", "AAM=")], &[]);
    }

    #[test]
    fn parts_are_read() {
        let part = |name: &str, value: &str| {
            format!("--x--y\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n{value}\r\n")
        };
        let whole = format!("preamble{}{}--x--y--\r\n", part("a", "1\r\n2"), part("b", ""));
        check(PARTS, &whole, FormKind::Multipart, &[("a", "1\r\n2"), ("b", "")], &[]);
        check(
            PARTS,
            &part("a", "1"),
            FormKind::Multipart,
            &[("a", "1")],
            &["the multipart body ends before its last boundary"],
        );
        check(
            PARTS,
            "--x--y\r\n\r\n1--x--y--",
            FormKind::Binary,
            &[("", "LS14LS15DQoNCjEtLXgtLXktLQ==")],
            &["a part of the multipart body has no name"],
        );
        check(
            "multipart/form-data",
            "x",
            FormKind::Binary,
            &[("", "eA==")],
            &["the multipart body has no boundary: taken as it is"],
        );
        check(
            PARTS,
            "x",
            FormKind::Binary,
            &[("", "eA==")],
            &["the boundary is not in the multipart body: taken as it is"],
        );
    }

    #[test]
    fn hostile_bodies_stay_small() {
        let many = "a&".repeat(MAX_FIELDS + 5);
        let form = read(FORM, many.as_bytes());
        assert_eq!((form.fields.len(), form.flaws.len()), (MAX_FIELDS, 1));
        let deep = "[".repeat(1_000_000);
        assert_eq!(read("application/json", deep.as_bytes()).kind, FormKind::Binary);
        let wide = format!("[{}1]", "1,".repeat(1_000_000));
        assert_eq!(read("application/json", wide.as_bytes()).fields.len(), MAX_FIELDS);
    }
}
