//! Resolves the references of a page to absolute URLs.
//!
//! Nearly all references are plain: letters, digits and marks that the URL
//! standard leaves as they are, below the page's own host or a plain one.
//! For those the answer is put together out of pieces; everything else takes
//! the standard's long way ([`web_url`]). Both give the same text.

use crate::uri::{Url, WebParts, drop_user};
use encoding_rs::{EncoderResult, Encoding, UTF_8};
use std::borrow::Cow;
use url::Position;

/// Resolves the references of one page.
pub(crate) struct Resolver<'b> {
    base: &'b Url,
    /// What the page is written in.
    charset: &'static Encoding,
    /// `None` where the base is not plain.
    plain: Option<PlainBase>,
    out: String,
}

/// Ends of the parts of a base URL in its text.
#[derive(Clone, Copy)]
struct PlainBase {
    scheme_end: usize,
    host_start: usize,
    host_end: usize,
    port: Option<u16>,
    authority_end: usize,
    folder_end: usize,
    path_end: usize,
}

/// Ends of the parts of a URL in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ends {
    host_start: usize,
    host_end: usize,
    port: Option<u16>,
    path_start: usize,
    path_end: usize,
    has_query: bool,
}

/// A resolved reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved<'a> {
    text: &'a str,
    ends: Ends,
}

impl<'a> Resolved<'a> {
    /// The URL, without fragment.
    pub fn as_str(&self) -> &'a str {
        self.text
    }

    /// Parts of the URL.
    pub fn parts(&self) -> WebParts<'a> {
        let Ends { host_start, host_end, port, path_start, path_end, has_query } = self.ends;
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        WebParts {
            host: part(host_start, host_end),
            port,
            path: part(path_start, path_end),
            query: has_query.then(|| part(path_end + 1, self.text.len())),
        }
    }
}

impl<'b> Resolver<'b> {
    /// Makes a resolver for the references of a page in `charset`.
    pub(crate) fn new(base: &'b Url, charset: &'static Encoding) -> Self {
        Self { base, charset, plain: plain_base(base), out: String::new() }
    }

    /// The URL of a reference without blanks around it; `None` where it is
    /// none of http or https.
    pub(crate) fn resolve(&mut self, reference: &str) -> Option<Resolved<'_>> {
        let ends = match self.plain.and_then(|base| self.put_together(base, reference)) {
            Some(ends) => ends,
            None => {
                let url = web_url(self.base, reference, self.charset)?;
                self.out.clear();
                self.out.push_str(url.as_str());
                ends_of(&url)
            }
        };
        Some(Resolved { text: &self.out, ends })
    }

    fn put_together(&mut self, base: PlainBase, reference: &str) -> Option<Ends> {
        let reference = match memchr::memchr(b'#', reference.as_bytes()) {
            Some(fragment) => reference.get(..fragment)?,
            None => reference,
        };
        let (before_query, query) = match memchr::memchr(b'?', reference.as_bytes()) {
            Some(mark) => (reference.get(..mark)?, Some(reference.get(mark + 1..)?)),
            None => (reference, None),
        };
        if !before_query.bytes().all(|byte| is_plain(byte, IN_PATH))
            || !query.unwrap_or_default().bytes().all(|byte| is_plain(byte, IN_QUERY))
            || has_escaped_dot(before_query)
        {
            return None;
        }
        let text = self.base.as_str();
        self.out.clear();
        let mut ends = Ends {
            host_start: base.host_start,
            host_end: base.host_end,
            port: base.port,
            path_start: base.authority_end,
            path_end: 0,
            has_query: query.is_some(),
        };
        let after_scheme = ["http:", "https:"].into_iter().find_map(|scheme| before_query.strip_prefix(scheme));
        if after_scheme.is_some() || before_query.starts_with("//") {
            let rest = match after_scheme {
                // `http:x` is relative where the page is http too: the long way knows.
                Some(rest) => rest.strip_prefix("//")?,
                None => before_query.get(2..)?,
            };
            let host_end = memchr::memchr(b'/', rest.as_bytes()).unwrap_or(rest.len());
            let (host, path) = rest.split_at(host_end);
            if !is_plain_host(host) {
                return None;
            }
            match after_scheme {
                Some(rest) => self.out.push_str(before_query.get(..before_query.len() - rest.len())?),
                None => self.out.push_str(text.get(..base.scheme_end)?),
            }
            self.out.push_str("//");
            ends.host_start = self.out.len();
            self.out.push_str(host);
            ends.host_end = self.out.len();
            ends.port = None;
            ends.path_start = self.out.len();
            self.out.push('/');
            self.push_path(ends.path_start, path.strip_prefix('/').unwrap_or_default());
        } else if has_colon_in_first_segment(before_query) {
            // Could be a scheme.
            return None;
        } else if let Some(path) = before_query.strip_prefix('/') {
            self.out.push_str(text.get(..base.authority_end)?);
            self.out.push('/');
            self.push_path(ends.path_start, path);
        } else if before_query.is_empty() {
            // Without a query it would be the page itself, with the query of the base.
            query?;
            self.out.push_str(text.get(..base.path_end)?);
        } else {
            self.out.push_str(text.get(..base.folder_end)?);
            self.push_path(ends.path_start, before_query);
        }
        ends.path_end = self.out.len();
        if let Some(query) = query {
            self.out.push('?');
            self.out.push_str(query);
        }
        Some(ends)
    }

    /// Appends a path to one that ends with a slash, dots resolved.
    fn push_path(&mut self, path_start: usize, path: &str) {
        if memchr::memchr(b'.', path.as_bytes()).is_none() || !has_dot_segment(path) {
            self.out.push_str(path);
            return;
        }
        let mut segments = path.split('/').peekable();
        while let Some(segment) = segments.next() {
            match segment {
                "." => {}
                ".." => {
                    // The slash at the end, then up to the one before.
                    if self.out.len() > path_start + 1 {
                        self.out.pop();
                        let slash = self.out.rfind('/').unwrap_or(path_start).max(path_start);
                        self.out.truncate(slash + 1);
                    }
                }
                segment => {
                    self.out.push_str(segment);
                    if segments.peek().is_some() {
                        self.out.push('/');
                    }
                }
            }
        }
    }
}

fn ends_of(url: &Url) -> Ends {
    let at = |position: Position| url[..position].len();
    Ends {
        host_start: at(Position::BeforeHost),
        host_end: at(Position::AfterHost),
        port: url.port(),
        path_start: at(Position::BeforePath),
        path_end: at(Position::AfterPath),
        has_query: url.query().is_some(),
    }
}

fn plain_base(base: &Url) -> Option<PlainBase> {
    let is_plain = matches!(base.scheme(), "http" | "https") && base.has_host();
    // Credentials would have to be dropped.
    let is_plain = is_plain && base.username().is_empty() && base.password().is_none();
    let ends = ends_of(base);
    let path = base.path();
    let folder_end = ends.path_start + path.rfind('/')? + 1;
    is_plain.then_some(PlainBase {
        scheme_end: base.scheme().len() + 1,
        host_start: ends.host_start,
        host_end: ends.host_end,
        port: ends.port,
        authority_end: ends.path_start,
        folder_end,
        path_end: ends.path_end,
    })
}

const IN_PATH: u8 = 1;
const IN_QUERY: u8 = 2;

/// Bytes that stay unchanged in a path or a query, whatever is beside them (but for escaped dots). Fewer than
/// the standard has.
const PLAIN: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric()
            || matches!(b, b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b';')
            || matches!(b, b'=' | b':' | b'@' | b'%' | b'/')
        {
            table[byte] = IN_PATH | IN_QUERY;
        }
        byte += 1;
    }
    table[b'?' as usize] = IN_QUERY;
    table
};

#[inline]
fn is_plain(byte: u8, place: u8) -> bool {
    PLAIN[usize::from(byte)] & place != 0
}

/// `%2e` may be a dot segment.
fn has_escaped_dot(path: &str) -> bool {
    memchr::memchr_iter(b'%', path.as_bytes())
        .any(|at| path.as_bytes().get(at + 1..at + 3).is_some_and(|hex| hex.eq_ignore_ascii_case(b"2e")))
}

fn has_dot_segment(path: &str) -> bool {
    let bytes = path.as_bytes();
    let ends_segment = |at: usize| bytes.get(at).is_none_or(|&byte| byte == b'/');
    memchr::memchr_iter(b'.', bytes)
        .filter(|&at| at == 0 || bytes.get(at - 1) == Some(&b'/'))
        .any(|at| ends_segment(at + 1) || bytes.get(at + 1) == Some(&b'.') && ends_segment(at + 2))
}

fn has_colon_in_first_segment(path: &str) -> bool {
    path.bytes().take_while(|&byte| byte != b'/').any(|byte| byte == b':')
}

/// A host name in lower case that is no address and holds nothing to decode.
fn is_plain_host(host: &str) -> bool {
    let bytes = host.as_bytes();
    let mut start = 0;
    while let Some(rest) = bytes.get(start..) {
        let ends_label = |&byte: &u8| !(byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let length = rest.iter().position(ends_label).unwrap_or(rest.len());
        let (label, behind) = rest.split_at(length);
        let (Some(&first), Some(&last)) = (label.first(), label.last()) else { return false };
        if first == b'-' || last == b'-' || label.starts_with(b"xn-") {
            return false;
        }
        match behind.first() {
            Some(b'.') => start += length + 1,
            Some(_) => return false,
            // What ends in a number is an address, or refused.
            None => return first.is_ascii_lowercase() && host.len() <= 253,
        }
    }
    false
}

/// Resolves as a browser does; nothing but http and https with a host, without
/// user name and password. The
/// query is written in `charset`, the rest in UTF-8 (URL standard, 4.4): that
/// is what servers were asked for by those who followed the link.
///
/// Not [`crate::uri::resolve`]: that trims Unicode blanks, which are part of a
/// reference in HTML.
pub(crate) fn web_url(base: &Url, reference: &str, charset: &'static Encoding) -> Option<Url> {
    let mut url = join_url(base, reference, charset)?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_fragment(None);
    drop_user(&mut url);
    Some(url)
}

/// Resolves a reference of any scheme; the query is written in the charset of the page.
pub(crate) fn join_url(base: &Url, reference: &str, charset: &'static Encoding) -> Option<Url> {
    let charset = charset.output_encoding();
    if charset == UTF_8 || reference.is_ascii() {
        return base.join(reference).ok();
    }
    let in_charset = Url::options().base_url(Some(base));
    in_charset.encoding_override(Some(&|query| Cow::Owned(query_bytes(query, charset)))).parse(reference).ok()
}

/// Text in a charset; a character that it lacks becomes the number of it, as
/// forms send it (URL standard, “percent-encode after encoding”).
fn query_bytes(text: &str, charset: &'static Encoding) -> Vec<u8> {
    let mut encoder = charset.new_encoder();
    let (mut bytes, mut rest) = (Vec::new(), text);
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(0);
        bytes.reserve(room);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::Unmappable(lacking) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(lacking)).as_bytes());
            }
            EncoderResult::OutputFull if room > 0 => {}
            EncoderResult::OutputFull | EncoderResult::InputEmpty => return bytes,
        }
    }
}

/// Whether a value may be the address of a file: attributes of scripts hold anything. Names of one word are none.
pub(crate) fn may_be_file(value: &str) -> bool {
    let value = value.trim();
    memchr::memchr2(b'/', b'.', value.as_bytes()).is_some()
        && !value.bytes().any(|byte| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'<' | b'"' | b'|'))
}

/// Whether the reference starts with a scheme other than http and https. Only
/// saves work: what slips through is dropped when it is resolved.
pub(crate) fn has_foreign_scheme(reference: &str) -> bool {
    scheme_of(reference)
        .is_some_and(|scheme| !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https"))
}

/// The scheme that a reference starts with.
pub(crate) fn scheme_of(reference: &str) -> Option<&str> {
    let bytes = reference.as_bytes();
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let end = bytes.iter().position(|byte| !is_inside(byte))?;
    let is_scheme = bytes.get(end) == Some(&b':') && bytes.first().is_some_and(u8::is_ascii_alphabetic);
    reference.get(..end).filter(|_| is_scheme)
}

/// The URL of a site's front page.
pub(crate) fn origin_of(url: &Url) -> Url {
    let origin = &url[..Position::BeforePath];
    Url::parse(origin).unwrap_or_else(|_| url.clone())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1252;
    use proptest::prelude::*;

    #[track_caller]
    fn check(base: &str, reference: &str) {
        let base = Url::parse(base).unwrap();
        let reference = reference.trim_matches(|c: char| c <= ' ');
        for charset in [UTF_8, WINDOWS_1252] {
            let expected = web_url(&base, reference, charset);
            let mut resolver = Resolver::new(&base, charset);
            let got = resolver.resolve(reference);
            assert_eq!(got.map(|got| got.as_str()), expected.as_ref().map(Url::as_str), "{reference:?} on {base}");
            if let (Some(got), Some(expected)) = (got, expected) {
                assert_eq!(got.parts(), WebParts::of(&expected), "{reference:?} on {base}");
            }
        }
    }

    #[test]
    fn plain_references_take_the_short_way() {
        let base = Url::parse("http://www.site.pt:8080/a/b/c.html?x=1").unwrap();
        let mut resolver = Resolver::new(&base, UTF_8);
        for (reference, expected) in [
            ("d.html", "http://www.site.pt:8080/a/b/d.html"),
            ("../d/", "http://www.site.pt:8080/a/d/"),
            ("../../../../d", "http://www.site.pt:8080/d"),
            ("./", "http://www.site.pt:8080/a/b/"),
            ("..", "http://www.site.pt:8080/a/"),
            ("/x/./y/..", "http://www.site.pt:8080/x/"),
            ("?q=á", ""),
            ("?q=1", "http://www.site.pt:8080/a/b/c.html?q=1"),
            ("d#e?f", "http://www.site.pt:8080/a/b/d"),
            ("//other.pt", "http://other.pt/"),
            ("https://other.pt/a//b/?", "https://other.pt/a//b/?"),
            ("https://other.pt?x", "https://other.pt/?x"),
            ("HTTP://other.pt", ""),
            ("http://other.pt:80/", ""),
            ("http://OTHER.pt/", ""),
            ("http://1.2.3.4/", ""),
            ("http:d", ""),
            ("%2e%2E/d", ""),
            ("a:b", ""),
        ] {
            let plain = resolver.plain.and_then(|base| resolver.put_together(base, reference));
            let got = if plain.is_some() { resolver.out.as_str() } else { "" };
            assert_eq!(got, expected, "{reference}");
            check(base.as_str(), reference);
        }
        for base in ["ftp://a.pt/", "http://u:p@a.pt/", "data:x", "http://[::1]/a/b", "https://1.2.3.4/"] {
            for reference in ["x", "/x", "//b.pt/", "http://c.pt/x", "?q"] {
                check(base, reference);
            }
        }
    }

    #[test]
    fn every_ascii_character_stays_or_is_written_otherwise_in_both_ways() {
        for byte in 1..128_u8 {
            let c = char::from(byte);
            for reference in
                [format!("x{c}y"), format!("/x{c}"), format!("?x{c}y"), format!("//{c}x{c}.pt/"), format!("x#{c}")]
            {
                check("https://site.pt/a/b", &reference);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
        #[test]
        fn both_ways_give_the_same(
            base in "https?://(www\\.)?[a-z0-9.]{1,6}\\.pt(:[0-9]{2,4})?(/[a-z.]{0,3}){0,4}(\\?[a-z]{0,2})?",
            reference in "(https?:|HTTP:)?(//?)?([a-zA-Z0-9.-]{0,8}(:[0-9]{0,3})?)?([/.]|[a-c]|\\.\\.|%2e|%2[eEF]|:|@|\\\\|\t|é|'| ){0,9}([?#][a-zé?/'#]{0,4}){0,2}",
        ) {
            if let Ok(base) = Url::parse(&base) {
                check(base.as_str(), &reference);
            }
        }
    }
}
