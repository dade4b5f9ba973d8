//! Makes the keys of CDX and CDXJ files.

use super::cdx_sessions as sessions;
use super::fqdn::{is_address, push_reversed};
use super::text::{push_lower, push_port};
use super::{Url, WebParts};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// `pt,fct)/sobre?a=1&b=2`: the key that replay tools look up.
///
/// The Internet Archive's canonicalisation, so that pywb and OutbackCDX find
/// what Fonds wrote: scheme, credentials, default port and a first label
/// `www`, `www2` … dropped; all lower case; percent signs decoded as often as it goes
/// and encoded once; double slashes and the final slash dropped; session ids
/// out of the query, which is sorted; all labels of a host reversed, those of
/// an IPv4 address too.
///
/// It is a key for looking up, never an identity: `/a%2Fb` and `/a/b`, and
/// queries with `%26`, fall together here because existing files have it so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CdxKey(String);

/// Schemes that are not taken for a host name when a line starts with them.
const HIERARCHICAL: [&str; 7] = ["http:", "https:", "ftp:", "mms:", "rtsp:", "wais:", "whois:"];

/// Session ids that are taken out of a path. Pages have one or two; each needs a scan of the whole path.
const MAX_SESSIONS: usize = 16;

impl CdxKey {
    /// The key of a parsed URL.
    pub fn of(url: &Url) -> Self {
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            return Self::of_text(url.as_str()).unwrap_or_else(|| Self::from_stored(url.as_str().to_owned()));
        };
        let mut key = String::with_capacity(url.as_str().len());
        Self::push(&WebParts { host, ..WebParts::of(url) }, &mut key);
        Self(key)
    }

    /// Appends the key of an http or https URL; `key` is empty.
    pub fn push(parts: &WebParts<'_>, key: &mut String) {
        push_host(key, parts.host);
        if let Some(port) = parts.port {
            push_port(key, port);
        }
        push_rest(key, parts.path, parts.query);
    }

    /// The key of a line of text, with or without scheme. What has a scheme but
    /// no host is its own key, as `filedesc:`, `warcinfo:`, `dns:` and `mailto:` lines are.
    ///
    /// `None` where the text is empty, or the host is.
    pub fn of_text(line: &str) -> Option<Self> {
        let line = line.trim();
        if line.is_empty() {
            return None;
        }
        if starts_with_ignore_case(line, "filedesc:") || starts_with_ignore_case(line, "warcinfo:") {
            return Some(Self::from_stored(line.to_owned()));
        }
        if starts_with_ignore_case(line, "dns:") {
            return Some(Self::from_stored(line.to_ascii_lowercase()));
        }
        let cleaned: Cow<'_, str> = if line.contains(['\t', '\r', '\n']) {
            Cow::Owned(line.replace(['\t', '\r', '\n'], ""))
        } else {
            Cow::Borrowed(line)
        };
        // An address of mail, or the like, is no user of a host.
        if cleaned.split_once('@').is_some_and(|(before, _)| before.contains(':') && !before.contains(['/', '?', '#']))
        {
            return Some(Self::from_stored(cleaned.into_owned()));
        }
        let parts = Parts::split(&cleaned)?;
        let Some(port) = parts.port() else {
            // No number where a port should be: it has no host (`data:…`, `urn:…`).
            return Some(Self::from_stored(cleaned.into_owned()));
        };
        let mut key = String::with_capacity(cleaned.len());
        push_typed_host(&mut key, parts.host);
        if let Some(port) = port {
            key.push_str(&format!(":{port}"));
        }
        push_rest(&mut key, parts.path, parts.query);
        Some(Self(key))
    }

    /// A key as it was stored. Blanks and control characters, which a line of
    /// an index divided by tabs may have in it, are percent-encoded: a key ends
    /// at the first blank.
    pub fn from_stored(key: String) -> Self {
        let parts_lines = |char: char| char.is_whitespace() || char.is_control();
        if !key.contains(parts_lines) {
            return Self(key);
        }
        let mut whole = String::with_capacity(key.len() + 2);
        for char in key.chars() {
            if parts_lines(char) {
                push_escaped(&mut whole, char.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                whole.push(char);
            }
        }
        Self(whole)
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CdxKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn starts_with_ignore_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// A URL as typed, cut at its punctuation and not cleaned: existing keys were
/// made from raw text (`/a/../../b` keeps a `..`, port 99999 stays).
struct Parts<'a> {
    scheme: &'a str,
    host: &'a str,
    port: &'a str,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn split(line: &'a str) -> Option<Self> {
        let mut scheme = "http:";
        let mut rest = line;
        // `http://https://host` is a doubled scheme: the inner one counts.
        while let Some(found) = HIERARCHICAL.iter().find(|scheme| starts_with_ignore_case(rest, scheme)) {
            let after = rest[found.len()..].trim_start_matches('/');
            if after.len() == rest.len() - found.len() {
                break;
            }
            (scheme, rest) = (found, after);
        }
        let rest = rest.trim_start_matches('/');
        let rest = rest.split('#').next().unwrap_or_default();
        let (before_query, query) = match rest.split_once('?') {
            Some((before, query)) => (before, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match before_query.find('/') {
            Some(slash) => before_query.split_at(slash),
            None => (before_query, "/"),
        };
        let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = if let Some(close) = host_and_port.find(']').filter(|_| host_and_port.starts_with('[')) {
            let (host, port) = host_and_port.split_at(close + 1);
            (host, port.trim_start_matches(':'))
        } else {
            host_and_port.split_once(':').unwrap_or((host_and_port, ""))
        };
        (!host.is_empty()).then_some(Self { scheme, host, port, path, query })
    }

    /// The port where it is not the scheme's own; `None` where it is no number.
    fn port(&self) -> Option<Option<u32>> {
        if self.port.is_empty() {
            return Some(None);
        }
        if !self.port.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let port: u32 = self.port.parse().ok()?;
        let is_default = matches!((self.scheme, port), ("http:", 80) | ("https:", 443));
        Some((!is_default).then_some(port))
    }
}

/// Appends a host as somebody typed it.
fn push_typed_host(key: &mut String, host: &str) {
    let decoded = decode(host.as_bytes());
    let text = String::from_utf8_lossy(&decoded);
    let mut name = text.trim_matches('.').to_lowercase();
    while name.contains("..") {
        name = name.replace("..", ".");
    }
    match url::Host::parse(&name) {
        Ok(host) => push_host(key, &host.to_string()),
        // Hosts that the URL standard refuses are archived all the same.
        Err(_) => {
            let mut escaped = String::new();
            push_escaped(&mut escaped, name.as_bytes());
            push_host(key, &escaped);
        }
    }
}

/// Appends a clean host: a first label `www` dropped, the rest reversed.
fn push_host(key: &mut String, host: &str) {
    if let Some(inner) = host.strip_prefix('[') {
        key.push_str(inner.strip_suffix(']').unwrap_or(inner));
        return;
    }
    let mut host = host.trim_matches('.');
    if let Some((label, rest)) = host.split_once('.').filter(|_| !is_address(host))
        && label.strip_prefix("www").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
    {
        host = rest;
    }
    push_reversed(key, host, false);
}

/// Appends `)`, path and query.
fn push_rest(key: &mut String, path: &str, query: Option<&str>) {
    key.push(')');
    let from = key.len();
    if is_plain(path) && !path.contains("//") && !path.contains("/.") {
        push_lower(key, path);
    } else {
        push_cleaned_path(key, path);
    }
    if key[from..].contains(".aspx") {
        for _ in 0..MAX_SESSIONS {
            let Some(session) = sessions::in_path(&key[from..]) else { break };
            key.replace_range(from + session.start..from + session.end, "");
        }
    }
    if key.len() > from + 1 && key.ends_with('/') {
        key.pop();
    }
    if let Some(query) = query.filter(|query| !query.is_empty()) {
        push_query(key, query);
    }
}

/// Whether text needs neither decoding nor encoding.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| b > b' ' && b < 0x7f && b != b'%' && b != b'#')
}

/// Appends a path with its percent signs settled and its dots and double
/// slashes out; `..` that climbs above the root stays.
fn push_cleaned_path(key: &mut String, path: &str) {
    let decoded = decode(path.as_bytes());
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in decoded.split(|&b| b == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if kept.pop().is_some() => {}
            other => kept.push(other),
        }
    }
    let from = key.len();
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            key.push('/');
            push_escaped(key, segment);
        }
        key.push('/');
        push_escaped(key, last);
    } else {
        key.push('/');
    }
    key[from..].make_ascii_lowercase();
}

/// Decodes percent signs until none is left to decode.
///
/// In one pass: what decodes to a percent sign or a digit may complete another one, which is then at the end
/// of what is decoded so far. Passes over the whole text would be as many as `%252525…` is long.
fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') {
        return Cow::Borrowed(text);
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut decoded = Vec::with_capacity(text.len());
    for &byte in text {
        decoded.push(byte);
        while let [.., b'%', high, low] = decoded[..]
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            decoded.truncate(decoded.len() - 3);
            decoded.push((high << 4 | low) as u8);
        }
    }
    Cow::Owned(decoded)
}

/// Encodes spaces and controls, everything beyond ASCII, `#` and `%`.
fn push_escaped(key: &mut String, bytes: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for &byte in bytes {
        if byte <= b' ' || byte >= 0x7f || byte == b'#' || byte == b'%' {
            key.push('%');
            key.push(char::from(HEX[usize::from(byte >> 4)]));
            key.push(char::from(HEX[usize::from(byte & 15)]));
        } else {
            key.push(char::from(byte));
        }
    }
}

/// Appends `?` and the query: settled, session ids out, lower case, sorted.
fn push_query(key: &mut String, query: &str) {
    let from = key.len();
    key.push('?');
    if is_plain(query) {
        push_lower(key, query);
    } else {
        push_escaped(key, &decode(query.as_bytes()));
        key[from..].make_ascii_lowercase();
    }
    if key[from..].contains("id") {
        for shape in sessions::QUERY_SHAPES {
            if let Some(session) = shape(&key[from + 1..]) {
                key.replace_range(from + 1 + session.start..from + 1 + session.end, "");
            }
        }
    }
    if key[from..].contains('&') {
        let mut arguments: Vec<&str> = key[from + 1..].split('&').collect();
        arguments.sort_by(|a, b| name_and_value(a).cmp(&name_and_value(b)));
        let sorted = arguments.join("&");
        key.truncate(from + 1);
        key.push_str(&sorted);
    }
    if key.len() == from + 1 {
        key.pop();
    }
}

fn name_and_value(argument: &str) -> (&str, Option<&str>) {
    match argument.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (argument, None),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let key = CdxKey::of_text(line).map(|key| key.0);
        assert_eq!(key.as_deref().unwrap_or("-"), expected, "{line}");
    }

    #[test]
    fn canonicalises_as_the_internet_archive() {
        check("", "-");
        check("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b");
        check("http://example.com/app?item=Wroc%C5%82aw", "com,example)/app?item=wroc%c5%82aw");
        check("http://192.168.1.254/info/", "254,1,168,192)/info");
        check("http://3279880203/blah", "11,0,127,195)/blah");
        check("http://017.0.0.1/", "1,0,0,15)/");
        check("http://https://order.1and1.com", "com,1and1,order)/");
        check("http://host.com//twoslashes?more//slashes", "com,host)/twoslashes?more//slashes");
        // As the Python package surt has them.
        for (line, key) in [
            ("http://www.www.fccn.pt/", "pt,fccn,www)/"),
            ("http://www2.www.fccn.pt/p", "pt,fccn,www)/p"),
            ("http://www.www2.fccn.pt/", "pt,fccn,www2)/"),
            ("http://www.pt/", "pt)/"),
            ("http://www.www/", "www)/"),
            ("http://www2a.fccn.pt/", "pt,fccn,www2a)/"),
            ("mailto:a@example.org", "mailto:a@example.org"),
            ("mailto:a@example.org?subject=x", "mailto:a@example.org?subject=x"),
            ("sip:a@b.org", "sip:a@b.org"),
            ("dns:www.example.org", "dns:www.example.org"),
            ("a@example.org", "org,example)/"),
        ] {
            check(line, key);
        }
        check("http://example.com/script?type=a+b+%26+c&grape=wine", "com,example)/script?+c&grape=wine&type=a+b+");
        check("http://www.example.com/x?a=1&", "com,example)/x?&a=1");
        check("http://www.fccn.pt:8080/path/to/page", "pt,fccn:8080)/path/to/page");
        check("http://user:pass@fccn.pt/", "pt,fccn)/");
        check("http://fccn.pt:/x", "pt,fccn)/x");
        check("http://[2001:db8::1]:8080/x", "2001:db8::1:8080)/x");
        check("http://fccn.pt/a\nb", "pt,fccn)/ab");
        check("http://fccn.pt/%2541", "pt,fccn)/a");
        check("http://fccn.pt/%4%31%%34%32", "pt,fccn)/ab");
        check("http://fccn.pt/100%", "pt,fccn)/100%25");
        check("localhost:8080/x", "localhost:8080)/x");
        check("urn:uuid:1", "urn:uuid:1");
    }

    #[test]
    fn no_key_holds_a_blank() {
        check("data:x y\u{a0}z", "data:x%20y%c2%a0z");
        check("http:\0/fccn.pt/", "http:%00/fccn.pt/");
        check("dns:fccn .pt", "dns:fccn%20.pt");
        check("warcinfo:a b.warc.gz", "warcinfo:a%20b.warc.gz");
        assert_eq!(CdxKey::from_stored("pt,fccn)/a b".to_owned()).as_str(), "pt,fccn)/a%20b");
    }

    #[test]
    fn a_percent_sign_encoded_very_often_is_one() {
        check(&format!("http://fccn.pt/%{}41", "25".repeat(500_000)), "pt,fccn)/a");
    }

    #[test]
    fn parsed_urls_have_the_same_key() {
        for line in [
            "https://www.Example.pt:8080/A/?b=2&a=1#f",
            "http://fccn.pt/a%2Fb%20c?x=%26",
            "http://192.168.0.1/a",
            "http://[2001:db8::1]/a",
            "http://example.pt/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx",
            "http://example.pt/a?PHPSESSID=0123456789abcdef0123456789abcdef",
            "mailto:ana@example.pt",
        ] {
            assert_eq!(CdxKey::of_text(line).unwrap(), CdxKey::of(&Url::parse(line).unwrap()), "{line}");
        }
    }
}
