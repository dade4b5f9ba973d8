//! Index keys of captures that were requested with a body.
//!
//! Two POST requests of one URL differ in their bodies. pywb and ReplayWeb.page look such captures up by the
//! URL with the body appended as a query, after `__wb_method=POST`; cdxj-indexer writes these keys with
//! `--post-append`, and what is done to a body here is what it does there. `application/x-amf` (Flash) is
//! kept as bytes; cdxj-indexer takes it apart.

use crate::warc::http::HttpRequestHead;
use data_encoding::BASE64;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A query made of a body is cut after so many characters, as elsewhere.
const MAX_QUERY_CHARS: usize = 4096;

/// Bytes read of a body without `Content-Length`.
const UNTOLD_BYTES: usize = 8192;

/// Bytes read of a request.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// Named values of JSON and parts of a form beyond this number are left out:
/// the query is cut long before.
const MAX_PARTS: usize = 10_000;

/// Method and query that a request adds to the URL of its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Appended {
    /// `POST` or `PUT`.
    pub method: String,
    /// The body as a query; none where its length is unknown.
    pub query: Option<String>,
    /// What the key is made of: the URL and all that.
    pub url: String,
}

/// Makes the key of a request with its body; `None` where the method has none.
pub(super) fn append(url: &str, head: &HttpRequestHead, body: &[u8]) -> Option<Appended> {
    let method = head.method.as_str();
    if !matches!(method.to_ascii_uppercase().as_str(), "POST" | "PUT") {
        return None;
    }
    let len = match head.headers.get("Content-Length") {
        None => Some(UNTOLD_BYTES),
        Some(len) => len.trim().parse::<i64>().ok().map(|len| usize::try_from(len).unwrap_or(0)),
    };
    let query = len.map(|len| {
        let mime = head.headers.get("Content-Type").unwrap_or_default();
        query_of(&mime, &body[..body.len().min(len)])
    });
    let joint = if url.contains('?') { '&' } else { '?' };
    let mut appended = format!("{url}{joint}__wb_method={method}");
    if let Some(query) = query.as_ref().filter(|query| !query.is_empty()) {
        appended.push('&');
        appended.push_str(query);
    }
    Some(Appended { method: method.to_ascii_uppercase(), query, url: appended })
}

/// The URL that indexes have for the answer to a request with a body; none where its method has none.
pub fn posted_url(url: &str, head: &HttpRequestHead, body: &[u8]) -> Option<String> {
    append(url, head, body).map(|appended| appended.url)
}

fn query_of(mime: &str, body: &[u8]) -> String {
    let query = if mime.starts_with("application/x-www-form-urlencoded") {
        match std::str::from_utf8(body) {
            Ok(text) => percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned(),
            Err(_) => as_bytes(body),
        }
    } else if mime.starts_with("multipart/") {
        match mime.split("boundary=").nth(1) {
            Some(boundary) => form_data(boundary, body),
            None => as_bytes(body),
        }
    } else if mime.starts_with("application/json") {
        json(body).unwrap_or_default()
    } else if mime.starts_with("text/plain") {
        json(body).unwrap_or_else(|| as_bytes(body))
    } else {
        as_bytes(body)
    };
    match query.char_indices().nth(MAX_QUERY_CHARS) {
        Some((end, _)) => query[..end].to_owned(),
        None => query,
    }
}

fn as_bytes(body: &[u8]) -> String {
    format!("__wb_post_data={}", BASE64.encode(body))
}

/// Named values anywhere in the JSON; a name that comes again is numbered.
/// Several objects, one a line, count as one. `None` where it is no JSON.
fn json(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut pairs = Pairs::default();
    match serde_json::from_str::<Value>(text) {
        Ok(value) => pairs.take(&value, ""),
        Err(_) if text.contains('\n') => {
            for line in text.split('\n') {
                pairs.take(&serde_json::from_str(line).ok()?, "");
            }
        }
        Err(_) => return None,
    }
    let mut query = String::new();
    for (name, value) in &pairs.pairs {
        push_pair(&mut query, name, value.as_str().unwrap_or_default().as_bytes());
    }
    Some(query)
}

#[derive(Default)]
struct Pairs {
    pairs: Map<String, Value>,
    repeats: HashMap<String, u32>,
}

impl Pairs {
    fn take(&mut self, value: &Value, name: &str) {
        match value {
            Value::Object(map) => map.iter().for_each(|(name, value)| self.take(value, name)),
            Value::Array(list) => list.iter().for_each(|value| self.take(value, name)),
            _ if name.is_empty() || self.pairs.len() >= MAX_PARTS => {}
            scalar => {
                let mut name = name.to_owned();
                if self.pairs.contains_key(&name) {
                    let count = self.repeats.entry(name.clone()).and_modify(|count| *count += 1).or_insert(2);
                    name = format!("{name}.{count}_");
                }
                self.pairs.insert(name, as_python(scalar).into());
            }
        }
    }
}

/// A value as Python's `str` writes it.
fn as_python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            None => number.to_string(),
            Some(float) => {
                let text = format!("{float:?}");
                match text.split_once('e') {
                    None => text,
                    Some((digits, exponent)) => match exponent.strip_prefix('-') {
                        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
                        None => format!("{digits}e+{exponent:0>2}"),
                    },
                }
            }
        },
        other => other.to_string(),
    }
}

/// The parts of `multipart/form-data`, each with its name.
fn form_data(boundary: &str, body: &[u8]) -> String {
    let boundary = boundary.split(';').next().unwrap_or_default().trim().trim_matches('"');
    let divider = [b"--", boundary.as_bytes()].concat();
    let finder = memchr::memmem::Finder::new(&divider);
    let places: Vec<usize> = finder.find_iter(body).take(MAX_PARTS).collect();
    let mut query = String::new();
    for pair in places.windows(2) {
        let part = &body[pair[0] + divider.len()..pair[1]];
        let part = part.strip_prefix(b"\r\n").or_else(|| part.strip_prefix(b"\n")).unwrap_or(part);
        let part = part.strip_suffix(b"\r\n").or_else(|| part.strip_suffix(b"\n")).unwrap_or(part);
        let end = memchr::memmem::find(part, b"\r\n\r\n").map(|end| (end, end + 4));
        let end = end.or_else(|| memchr::memmem::find(part, b"\n\n").map(|end| (end, end + 2)));
        let Some((head, value)) = end else { continue };
        if let Some(name) = part_name(&String::from_utf8_lossy(&part[..head])) {
            push_pair(&mut query, &name, &part[value..]);
        }
    }
    query
}

/// `name` of `Content-Disposition: form-data; name="a"; filename="b"`.
fn part_name(head: &str) -> Option<String> {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))?;
    line.split(';').skip(1).find_map(|option| {
        let (name, value) = option.trim().split_once('=')?;
        name.trim().eq_ignore_ascii_case("name").then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// `name=value` as Python's `urlencode` writes it.
fn push_pair(query: &mut String, name: &str, value: &[u8]) {
    if !query.is_empty() {
        query.push('&');
    }
    push_quoted(query, name.as_bytes());
    query.push('=');
    push_quoted(query, value);
}

fn push_quoted(query: &mut String, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b' ' => query.push('+'),
            b'_' | b'.' | b'-' | b'~' => query.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => query.push(char::from(byte)),
            byte => query.push_str(&format!("%{byte:02X}")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::warc::http::parse_request_head;

    #[track_caller]
    fn check(mime: &str, body: &[u8], expected: &str) {
        assert_eq!(query_of(mime, body), expected, "{mime}");
    }

    // The expected values are what cdxj-indexer 1.5 writes.
    #[test]
    fn bodies_become_queries() {
        let form = "application/x-www-form-urlencoded; charset=UTF-8";
        check(form, b"a=1+2&b=%C3%A9&c=%26", "a=1 2&b=é&c=&");
        check(form, b"a=\xff", "__wb_post_data=YT3/");
        check(
            "application/json",
            br#"{"a": {"b": [1, 2.0, "x y"], "c": null}, "b": true}"#,
            "b=1&b.2_=2.0&b.3_=x+y&c=None&b.4_=True",
        );
        check("application/json", b"{\"a\": 1}\n{\"a\": \"\xc3\xa9/~\"}", "a=1&a.2_=%C3%A9%2F~");
        check("application/json", b"{\"a\": 1}\n", "a=1");
        check("application/json", b"{\"a\": 1}\n{\"a\": 2}\n", "");
        check("application/json", br#"{"a": "x", "a.2_": "y", "b": [{"a": "z"}, []]}"#, "a=x&a.2_=z");
        check("application/json", b"[1, 2]", "");
        check("application/json", b"no", "");
        check(
            "application/json",
            b"{\"a\": [1e16, 1e-5, 1.5e300, 0.1, -0.0, 12345678901]}",
            "a=1e%2B16&a.2_=1e-05&a.3_=1.5e%2B300&a.4_=0.1&a.5_=-0.0&a.6_=12345678901",
        );
        check("text/plain", br#"{"a": "b"}"#, "a=b");
        check("text/plain", b"no", "__wb_post_data=bm8=");
        check("image/png", &[0, 1, 2], "__wb_post_data=AAEC");
        check("", b"", "__wb_post_data=");
        let parts = b"--xx\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\none two\r\n--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\xff\r\n--xx--\r\n";
        check("multipart/form-data; boundary=xx", parts, "a+b=one+two&file=%00%FF");
        check("multipart/form-data", b"ab", "__wb_post_data=YWI=");
        check("image/png", &[b'x'; 9000], &format!("__wb_post_data={}", "eHh4".repeat(2000))[..4096]);
    }

    #[test]
    fn only_requests_with_a_body_are_appended() {
        let of = |request: &str| {
            let head = parse_request_head(request.as_bytes()).unwrap();
            let body = &request.as_bytes()[head.head_len..];
            append("http://a.pt/x?q=1", &head, body).map(|appended| (appended.url, appended.query))
        };
        assert_eq!(of("GET / HTTP/1.1\r\n\r\n"), None);
        let post = "Content-Type: text/plain\r\n\r\nabc";
        let url = |rest: &str| format!("http://a.pt/x?q=1&__wb_method=POST{rest}");
        let query = |text: &str| Some(text.to_owned());
        let whole = of(&format!("POST / HTTP/1.1\r\n{post}")).unwrap();
        assert_eq!(whole, (url("&__wb_post_data=YWJj"), query("__wb_post_data=YWJj")));
        let cut = of(&format!("POST / HTTP/1.1\r\nContent-Length: 1\r\n{post}")).unwrap();
        assert_eq!(cut, (url("&__wb_post_data=YQ=="), query("__wb_post_data=YQ==")));
        assert_eq!(of(&format!("POST / HTTP/1.1\r\nContent-Length: x\r\n{post}")).unwrap(), (url(""), None));
    }

    proptest::proptest! {
        #[test]
        fn any_body_becomes_a_short_query(body: Vec<u8>, kind in 0usize..5) {
            let mime = ["application/json", "text/plain", "multipart/form-data; boundary=-", "application/x-www-form-urlencoded", ""][kind];
            assert!(query_of(mime, &body).chars().count() <= MAX_QUERY_CHARS);
        }
    }
}
