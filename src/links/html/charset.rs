//! Detects the charset of a page and decodes its text.
//!
//! In this order: byte order mark, charset of the HTTP head, `meta` or an XML
//! declaration in the first 1,024 bytes (the prescan of the HTML standard), valid
//! UTF-8, a later `meta` (for which a browser starts again), a guess. The last two
//! look at 64 KB at most. UTF-16 is known by its mark, by the HTTP head or by an XML
//! declaration in it; a page in it without these shows no page in a browser, and is
//! reported ([`Fit::NotAtAll`]).

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Bytes that are looked through for a `meta` (HTML standard, 13.2.3.2).
const PRESCAN_BYTES: usize = 1024;

/// Bytes that the guess is made from: guessing is slower than reading the page.
const GUESS_BYTES: usize = 64 * 1024;

/// Source of the charset of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CharsetSource {
    /// A byte order mark.
    Bom,
    /// `charset=` of the HTTP head.
    Http,
    /// A `meta` element (or `@charset` of a style sheet).
    Meta,
    /// The bytes are valid UTF-8.
    Utf8,
    /// The bytes look like it.
    Guess,
}

impl CharsetSource {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Bom => "byte order mark",
            Self::Http => "HTTP head",
            Self::Meta => "meta element",
            Self::Utf8 => "valid UTF-8",
            Self::Guess => "guess",
        }
    }
}

/// The charset of an HTML body and its source.
pub fn detect(body: &[u8], http_charset: Option<&str>) -> (&'static Encoding, CharsetSource) {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return (encoding, CharsetSource::Bom);
    }
    // Labels of charsets that are replaced by one mark for safety's sake
    // (`hz-gb-2312` …) count as unknown: the links of such a page are worth having.
    if let Some(encoding) = http_charset.and_then(|label| Encoding::for_label_no_replacement(label.trim().as_bytes())) {
        return (encoding, CharsetSource::Http);
    }
    if let Some(encoding) = prescan(&body[..body.len().min(PRESCAN_BYTES)]) {
        return (encoding, CharsetSource::Meta);
    }
    if is_utf8(body) {
        return (UTF_8, CharsetSource::Utf8);
    }
    match prescan(&body[..body.len().min(GUESS_BYTES)]) {
        Some(encoding) => (encoding, CharsetSource::Meta),
        None => (guess(body), CharsetSource::Guess),
    }
}

/// The charset of a style sheet: byte order mark, HTTP, `@charset`, content.
pub fn detect_css(body: &[u8], http_charset: Option<&str>) -> (&'static Encoding, CharsetSource) {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return (encoding, CharsetSource::Bom);
    }
    if let Some(encoding) = http_charset.and_then(|label| Encoding::for_label_no_replacement(label.trim().as_bytes())) {
        return (encoding, CharsetSource::Http);
    }
    let rule = body.strip_prefix(b"@charset \"").and_then(|rest| {
        let end = rest.iter().take(PRESCAN_BYTES).position(|&byte| byte == b'"')?;
        rest.get(..end)
    });
    if let Some(encoding) = rule.and_then(Encoding::for_label_no_replacement) {
        return (without_utf16(encoding), CharsetSource::Meta);
    }
    if is_utf8(body) { (UTF_8, CharsetSource::Utf8) } else { (guess(body), CharsetSource::Guess) }
}

/// The charset of XML that is no page (XML 1.0, appendix F, and RFC 7303): byte order mark, HTTP, the first bytes of
/// UTF-16, the declaration, UTF-8; where that does not fit, a guess.
pub fn detect_xml(body: &[u8], http_charset: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding;
    }
    let of_http = http_charset.and_then(|label| Encoding::for_label_no_replacement(label.trim().as_bytes()));
    match body {
        [0, b'<', ..] => return UTF_16BE,
        [b'<', 0, ..] => return UTF_16LE,
        _ => {}
    }
    if let Some(encoding) = of_http.map(without_utf16) {
        return encoding;
    }
    let begin = body.get(..body.len().min(PRESCAN_BYTES)).unwrap_or_default().trim_ascii_start();
    match xml_encoding(begin) {
        Some(encoding) => encoding,
        None if is_utf8(body) => UTF_8,
        None => guess(body),
    }
}

/// Fit of the bytes of a body to its charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// All of them are text.
    Whole,
    /// Some are none.
    InPart,
    /// It is another charset: what is markup in them is none in the text.
    NotAtAll,
}

/// The text of a body. What the charset does not know becomes U+FFFD.
pub fn decode<'a>(body: &'a [u8], encoding: &'static Encoding) -> (Cow<'a, str>, Fit) {
    let body = match Encoding::for_bom(body) {
        Some((found, length)) if found == encoding => body.get(length..).unwrap_or_default(),
        _ => body,
    };
    let (text, has_errors) = encoding.decode_without_bom_handling(body);
    let has_markup = |bytes| memchr::memchr(b'<', bytes).is_some();
    let fit = match has_errors {
        // ASCII declared as UTF-16 decodes to letters of the far east, and hardly fails; UTF-16 taken for ASCII, to letters
        // with a NUL between them.
        _ if !encoding.is_ascii_compatible() && has_markup(body) && !has_markup(text.as_bytes()) => Fit::NotAtAll,
        _ if encoding.is_ascii_compatible() && is_utf16_markup(body) => Fit::NotAtAll,
        true => Fit::InPart,
        false => Fit::Whole,
    };
    (text, fit)
}

/// Whether markup in UTF-16 begins a body, without a mark.
fn is_utf16_markup(body: &[u8]) -> bool {
    /// Letters of ASCII that are enough to tell.
    const LETTERS: usize = 8;
    let begin = body.get(..2 * LETTERS).unwrap_or_default();
    let has_letters = |at: usize| {
        let mut pairs = begin.chunks_exact(2);
        !begin.is_empty() && pairs.all(|pair| pair[at].is_ascii() && pair[at] > 0 && pair[1 - at] == 0)
    };
    let first = |at: usize| begin.chunks_exact(2).map(|pair| pair[at]).find(|byte| !byte.is_ascii_whitespace());
    (0..2).any(|at| has_letters(at) && first(at) == Some(b'<'))
}

fn is_utf8(body: &[u8]) -> bool {
    // A character cut off by the end of the body is no reason for doubt.
    std::str::from_utf8(body).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn guess(body: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    // The guess starts where bytes beyond ASCII start; a long ASCII head says nothing.
    let first = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = first.saturating_sub(256);
    detector.feed(&body[start..body.len().min(start + GUESS_BYTES)], true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// A charset declared inside the text cannot be UTF-16: the declaration could not have been read.
fn without_utf16(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding.name() == "x-user-defined" {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// “Prescan a byte stream to determine its encoding” of the HTML standard.
fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [b'<', 0, b'?', 0, b'x', 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'?', 0, b'x', ..] => Some(UTF_16BE),
        _ => prescan_meta(head).or_else(|| xml_encoding(head)),
    }
}

/// “Get an XML encoding” of the HTML standard.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let value = &declaration[memchr::memmem::find(declaration, b"encoding")? + b"encoding".len()..];
    // Blanks and controls may stand around the equals sign.
    let trim = |bytes: &'_ [u8]| bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len());
    let value = value.get(trim(value)..)?.strip_prefix(b"=")?;
    let value = value.get(trim(value)..)?;
    let (quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = &value[..memchr::memchr(*quote, value)?];
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    Encoding::for_label_no_replacement(label).map(without_utf16)
}

/// The charset of the first `meta` that has one.
fn prescan_meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while at < head.len() {
        let rest = head.get(at..)?;
        if rest.starts_with(b"<!--") {
            // The two dashes of the start may be those of the end: `<!-->`.
            let end = memchr::memmem::find(rest.get(2..)?, b"-->")?;
            at += 2 + end + 3;
            continue;
        }
        if rest.len() > 5
            && rest[..5].eq_ignore_ascii_case(b"<meta")
            && (rest[5].is_ascii_whitespace() || rest[5] == b'/')
        {
            at += 5;
            if let Some(encoding) = meta_charset(head, &mut at) {
                return Some(encoding);
            }
        } else if rest[0] == b'<' && rest.get(1).is_some_and(u8::is_ascii_alphabetic)
            || rest.starts_with(b"</") && rest.get(2).is_some_and(u8::is_ascii_alphabetic)
        {
            at += rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte == b'>')?;
            while next_attribute(head, &mut at).is_some() {}
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            at += rest.iter().position(|&byte| byte == b'>')?;
        }
        at += 1;
    }
    None
}

/// The charset that the attributes of one `meta` tell.
fn meta_charset(head: &[u8], at: &mut usize) -> Option<&'static Encoding> {
    let (mut got_pragma, mut need_pragma, mut charset) = (false, None, None);
    let mut seen: [bool; 3] = [false; 3];
    while let Some((name, value)) = next_attribute(head, at) {
        let names: [&[u8]; 3] = [b"http-equiv", b"content", b"charset"];
        let Some(slot) = names.iter().position(|known| name.eq_ignore_ascii_case(known)) else { continue };
        if std::mem::replace(&mut seen[slot], true) {
            continue;
        }
        match slot {
            0 => got_pragma = value.eq_ignore_ascii_case(b"content-type"),
            1 => {
                if charset.is_none()
                    && let Some(label) = charset_in_content(value)
                    && let Some(encoding) = Encoding::for_label(label)
                {
                    charset = Some(encoding);
                    need_pragma = Some(true);
                }
            }
            _ => {
                charset = Encoding::for_label(value);
                need_pragma = Some(false);
            }
        }
    }
    match need_pragma {
        None => None,
        Some(true) if !got_pragma => None,
        Some(_) => charset.map(without_utf16).filter(|encoding| encoding.name() != "replacement"),
    }
}

/// “Get an attribute” of the prescan: name and value.
fn next_attribute<'h>(head: &'h [u8], at: &mut usize) -> Option<(&'h [u8], &'h [u8])> {
    while head.get(*at)?.is_ascii_whitespace() || head[*at] == b'/' {
        *at += 1;
    }
    if head[*at] == b'>' {
        return None;
    }
    let name_start = *at;
    let name = loop {
        match *head.get(*at)? {
            b'=' if *at > name_start => break head.get(name_start..*at)?,
            byte if byte.is_ascii_whitespace() => {
                let name = head.get(name_start..*at)?;
                while head.get(*at)?.is_ascii_whitespace() {
                    *at += 1;
                }
                if head[*at] != b'=' {
                    return Some((name, b""));
                }
                break name;
            }
            b'/' | b'>' => return Some((head.get(name_start..*at)?, b"")),
            _ => {}
        }
        *at += 1;
    };
    // The equals sign is here.
    *at += 1;
    while head.get(*at)?.is_ascii_whitespace() {
        *at += 1;
    }
    let start = *at;
    match head[start] {
        quote @ (b'"' | b'\'') => {
            let rest = head.get(start + 1..)?;
            let length = memchr::memchr(quote, rest);
            *at = length.map_or(head.len(), |length| start + length + 2);
            Some((name, rest.get(..length?)?))
        }
        _ => {
            while !head.get(*at)?.is_ascii_whitespace() && head[*at] != b'>' {
                *at += 1;
            }
            Some((name, head.get(start..*at)?))
        }
    }
}

/// “Extracting a character encoding from a meta element” of the HTML standard:
/// the label behind `charset=`.
fn charset_in_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let found = rest.windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest.get(found + 7..)?.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = after.trim_ascii_start();
            break;
        }
    }
    match rest.first()? {
        quote @ (b'"' | b'\'') => {
            let inner = rest.get(1..)?;
            let end = inner.iter().position(|byte| byte == quote)?;
            inner.get(..end)
        }
        _ => {
            let end = rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte == b';').unwrap_or(rest.len());
            rest.get(..end)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &[u8], http: Option<&str>, expected: (&str, CharsetSource)) {
        let (encoding, source) = detect(body, http);
        assert_eq!((encoding.name(), source), expected, "{}", String::from_utf8_lossy(body));
    }

    #[test]
    fn the_first_that_speaks_decides() {
        use CharsetSource::*;
        check(b"\xEF\xBB\xBF<meta charset=latin1>", Some("koi8-r"), ("UTF-8", Bom));
        check(b"<meta charset=utf-8>", Some(" ISO-8859-1 "), ("windows-1252", Http));
        check(b"<meta charset=koi8-r>", Some("no-such-charset"), ("KOI8-R", Meta));
        check(b"<meta charset=utf-16>", None, ("UTF-8", Meta));
        check("olá".as_bytes(), None, ("UTF-8", Utf8));
        // HTML standard, 13.2.3.2: declarations of XML.
        check(b"<?xml version='1.0' encoding = \"ISO-8859-1\"?><p>ol\xe1", None, ("windows-1252", Meta));
        check(b"<?xml version='1.0' encoding='utf-16'?><p>", None, ("UTF-8", Meta));
        check(b"<?xml encoding='koi8-r'?><meta charset=latin1>", None, ("windows-1252", Meta));
        check(b"<\0?\0x\0m\0l\0", None, ("UTF-16LE", Meta));
        check(b"\0<\0?\0x\0m\0l", None, ("UTF-16BE", Meta));
        check(&"olá".as_bytes()[..3], None, ("UTF-8", Utf8));
        let late = [&[b' '; 2000], b"<meta charset=koi8-r>\xf0\xd2\xc9".as_slice()].concat();
        check(&late, None, ("KOI8-R", Meta));
        let latin: &[u8] =
            b"A educa\xe7\xe3o \xe9 um direito de todos os cidad\xe3os, e a constitui\xe7\xe3o garante-o.";
        check(latin, None, ("windows-1252", Guess));
        check(b"", None, ("UTF-8", Utf8));
    }

    #[test]
    fn a_declared_charset_is_decoded_and_a_mark_is_dropped() {
        let (encoding, _) = detect(b"\xFF\xFEh\0i\0", None);
        assert_eq!(decode(b"\xFF\xFEh\0i\0", encoding), ("hi".into(), Fit::Whole));
        let (encoding, _) = detect(b"S\xe3o", Some("latin1"));
        assert_eq!(decode(b"S\xe3o", encoding), ("São".into(), Fit::Whole));
        let (encoding, source) = detect_css(b"@charset \"iso-8859-15\"; a{}", None);
        assert_eq!((encoding.name(), source), ("ISO-8859-15", CharsetSource::Meta));
    }

    #[test]
    fn a_charset_that_does_not_fit_is_reported() {
        let fit = |body: &[u8], charset: &str| decode(body, detect(body, Some(charset)).0).1;
        assert_eq!(fit("<p>olá".as_bytes(), "utf-8"), Fit::Whole);
        assert_eq!(fit(b"<p>ol\xe1", "utf-8"), Fit::InPart);
        assert_eq!(fit(b"<p>ol\xe1", "windows-1252"), Fit::Whole);
        for charset in ["utf-16le", "utf-16be"] {
            assert_eq!(fit(b"<a href=x>y</a>", charset), Fit::NotAtAll, "{charset}");
        }
        assert_eq!(fit(b"<\0p\0>\0", "utf-16le"), Fit::Whole);
        assert_eq!(fit(b"<\0p\0>\0", "utf-16be"), Fit::NotAtAll);
        assert_eq!(fit(b"<p>\x1b$B$\"\x1b(B", "iso-2022-jp"), Fit::Whole);
        let utf16 = |big| {
            "<html><p>olá"
                .encode_utf16()
                .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect::<Vec<_>>()
        };
        assert_eq!((fit(&utf16(false), "x"), fit(&utf16(true), "x")), (Fit::NotAtAll, Fit::NotAtAll));
        assert_eq!(fit(b"", "utf-16le"), Fit::Whole);
    }

    /// The encoding tests of html5lib. Where a case differs, it is plain ASCII without a declaration in the
    /// first 1,024 bytes: that is detected as UTF-8, and its text is the same in the expected charset.
    #[test]
    fn agrees_with_html5lib() {
        let Some(folder) = crate::testing::data("html/encoding") else { return };
        let (mut equal, mut ascii) = (0, 0);
        for name in ["html5lib-tests1.dat", "html5lib-test-yahoo-jp.dat"] {
            let bytes = std::fs::read(folder.join(name)).unwrap();
            for case in crate::testing::dat_cases(&bytes) {
                let (data, expected) = (case.part(b"data"), case.part(b"encoding"));
                let expected = Encoding::for_label(expected.trim_ascii()).unwrap();
                let (got, source) = detect(data, None);
                let same = got == expected;
                let text = String::from_utf8_lossy(data);
                assert!(same || source == CharsetSource::Utf8 && data.is_ascii(), "{name}: {} for {text}", got.name());
                *(if same { &mut equal } else { &mut ascii }) += 1;
            }
        }
        // Of the 27, 21 declare nothing and six declare it after 2,048 bytes and more.
        assert_eq!((equal, ascii), (33, 27));
    }
}
