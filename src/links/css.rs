//! Finds references in CSS: `url(…)` and `@import "…"`.

use std::borrow::Cow;
use std::ops::Range;

/// The place of a reference in a sheet, escapes kept: [`unescape_css`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CssReference {
    pub(crate) place: Range<usize>,
    /// It is a sheet that this one imports.
    pub(crate) is_import: bool,
    /// The quote around it; none in `url(…)` without one.
    pub(crate) quote: Option<u8>,
    /// Its quote ends it, and not the end of the sheet, as browsers allow.
    pub(crate) is_closed: bool,
}

/// Calls `found` with every reference in reading order, escapes resolved.
/// Comments and other strings are skipped.
pub(crate) fn css_references(css: &str, mut found: impl FnMut(&str)) {
    css_places(css, |reference| {
        if reference.is_closed {
            found(&unescape_css(css.get(reference.place).unwrap_or_default()));
        }
    });
}

/// Calls `found` with the place of every reference, in reading order.
pub(crate) fn css_places(css: &str, mut found: impl FnMut(CssReference)) {
    let bytes = css.as_bytes();
    let mut at = 0;
    // After `@import`, a string is a reference; behind `@namespace`, nothing is.
    let (mut import, mut namespace) = (false, false);
    // One look for all five: a search for each would run to the end of the
    // sheet again and again for one that it does not have.
    let begins = |byte: &u8| matches!(byte, b'/' | b'"' | b'\'' | b'(' | b'@');
    while let Some(offset) = bytes.get(at..).unwrap_or_default().iter().position(begins) {
        let here = at + offset;
        if (import || namespace)
            && bytes.get(at..here).is_some_and(|between| between.contains(&b';') || between.contains(&b'{'))
        {
            (import, namespace) = (false, false);
        }
        at = here + 1;
        match bytes[here] {
            b'/' if bytes.get(at) == Some(&b'*') => {
                let Some(end) = memchr::memmem::find(bytes.get(at + 1..).unwrap_or_default(), b"*/") else { return };
                at += 1 + end + 2;
            }
            b'/' => {}
            quote @ (b'"' | b'\'') => {
                let (end, closed) = string_end(bytes, at, quote);
                if import && closed {
                    report(
                        CssReference { place: at..end, is_import: true, quote: Some(quote), is_closed: true },
                        &mut found,
                    );
                    import = false;
                }
                at = end + usize::from(closed);
            }
            b'@' => {
                let is = |name: &[u8]| bytes.get(at..at + name.len()).is_some_and(|own| own.eq_ignore_ascii_case(name));
                (import, namespace) = (is(b"import"), is(b"namespace"));
            }
            _ => {
                if is_image_set(bytes, here) {
                    at = image_set(bytes, at, &mut found);
                } else if is_url(bytes, here) {
                    at = match namespace {
                        true => url_value(bytes, at, false, &mut |_| {}),
                        false => url_value(bytes, at, import, &mut found),
                    };
                    import = false;
                }
            }
        }
    }
}

/// Whether the bracket at `here` is that of `url(`.
fn is_url(bytes: &[u8], here: usize) -> bool {
    here >= 3
        && bytes[here - 3..here].eq_ignore_ascii_case(b"url")
        && !(here >= 4 && (bytes[here - 4].is_ascii_alphanumeric() || matches!(bytes[here - 4], b'-' | b'_')))
}

/// Whether it is that of `image-set(` or `-webkit-image-set(`.
fn is_image_set(bytes: &[u8], here: usize) -> bool {
    bytes.get(here.wrapping_sub(9)..here).is_some_and(|name| name.eq_ignore_ascii_case(b"image-set"))
}

/// Reports the value of a `url(` that begins at `at`; gives its end.
fn url_value(bytes: &[u8], mut at: usize, is_import: bool, found: &mut impl FnMut(CssReference)) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    match bytes.get(at) {
        Some(&quote @ (b'"' | b'\'')) => {
            let (end, closed) = string_end(bytes, at + 1, quote);
            // The end of the sheet closes it.
            if closed || end == bytes.len() {
                report(CssReference { place: at + 1..end, is_import, quote: Some(quote), is_closed: closed }, found);
            }
            end + usize::from(closed)
        }
        Some(_) => {
            let end = plain_end(bytes, at);
            let len = bytes.get(at..end).unwrap_or_default().trim_ascii_end().len();
            report(CssReference { place: at..at + len, is_import, quote: None, is_closed: true }, found);
            end
        }
        None => at,
    }
}

/// Reports the images of an `image-set(` that begins at `at` (CSS Images 4): `url(…)` and strings, but for those of a
/// function inside, such as `type("image/avif")`. Gives its end.
fn image_set(bytes: &[u8], mut at: usize, found: &mut impl FnMut(CssReference)) -> usize {
    let mut depth = 1_u32;
    let matters = |byte: &u8| matches!(byte, b'"' | b'\'' | b'(' | b')' | b'{' | b'}');
    while let Some(offset) = bytes.get(at..).unwrap_or_default().iter().position(matters) {
        let here = at + offset;
        at = here + 1;
        match bytes[here] {
            b'(' if is_url(bytes, here) => {
                at = url_value(bytes, at, false, found);
                at += usize::from(bytes.get(at) == Some(&b')'));
            }
            b'(' => depth += 1,
            b')' if depth == 1 => return at,
            b')' => depth -= 1,
            // It has no end.
            b'{' | b'}' => return here,
            quote => {
                let (end, closed) = string_end(bytes, at, quote);
                if closed && depth == 1 {
                    report(
                        CssReference { place: at..end, is_import: false, quote: Some(quote), is_closed: true },
                        found,
                    );
                }
                at = end + usize::from(closed);
            }
        }
    }
    bytes.len()
}

/// End of a string that starts at `at`, and whether its quote ends it. An unescaped line end breaks it off.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> (usize, bool) {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(next) = memchr::memchr3(quote, b'\\', b'\n', rest) else { return (bytes.len(), false) };
        at += next;
        match bytes[at] {
            b'\\' => at = (at + 2).min(bytes.len()),
            b'\n' => return (at, false),
            _ => return (at, true),
        }
    }
}

/// End of an unquoted `url(`: its parenthesis.
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(next) = memchr::memchr2(b')', b'\\', rest) else { return bytes.len() };
        at += next;
        if bytes[at] == b')' {
            return at;
        }
        at = (at + 2).min(bytes.len());
    }
}

fn report(reference: CssReference, found: &mut impl FnMut(CssReference)) {
    if !reference.place.is_empty() {
        found(reference);
    }
}

/// Resolves escapes of CSS: up to six hexadecimal digits and one blank, or any character.
pub(crate) fn unescape_css(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let mut code = 0;
        let mut digits = 0;
        while digits < 6
            && let Some(digit) = chars.peek().and_then(|c| c.to_digit(16))
        {
            code = code * 16 + digit;
            digits += 1;
            chars.next();
        }
        if digits > 0 {
            out.push(char::from_u32(code).filter(|&c| c != '\0').unwrap_or('\u{fffd}'));
            if chars.peek().is_some_and(char::is_ascii_whitespace) {
                chars.next();
            }
        } else if let Some(next) = chars.next().filter(|&c| c != '\n') {
            out.push(next);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn references(css: &str) -> Vec<String> {
        let mut all = Vec::new();
        css_references(css, |reference| all.push(reference.to_owned()));
        all
    }

    #[test]
    fn a_sheet_of_very_many_brackets_is_read_in_one_go() {
        let css = format!("{}a{{background:url(b.png)}}", "rgb(".repeat(500_000));
        assert_eq!(references(&css), ["b.png"]);
    }

    #[test]
    fn finds_references_and_nothing_else() {
        for (css, expected) in [
            ("a{background:URL( 'a b.png' )}", vec!["a b.png"]),
            ("@import 'x.css'; @import url(y.css) print;", vec!["x.css", "y.css"]),
            ("@charset 'utf-8'; a{content:'url(no.png)'}", vec![]),
            ("/* url(no.png) */ b{src:url(a.woff),url(b.woff)}", vec!["a.woff", "b.woff"]),
            ("url(a\\29 b.png)", vec!["a)b.png"]),
            ("curl(no) url(\"open", vec![]),
            ("@namespace url(http://no/); @namespace a \"no\"; b{src:url(c)}", vec!["c"]),
            (
                "a{background:image-set('a.avif' type('image/avif'), \"b.png\" 2x, url(c.png) 3x)}b{content:'no'}",
                vec!["a.avif", "b.png", "c.png"],
            ),
            ("-webkit-image-set(url('a') 1x);'no'", vec!["a"]),
            ("image-set('a' 1x}b{content:'no'}url(b)", vec!["a", "b"]),
            ("@import layer; a::before{content:\"no\"}", vec![]),
            ("url(", vec![]),
            ("/* url(x)", vec![]),
        ] {
            assert_eq!(references(css), expected, "{css}");
        }
    }

    #[test]
    fn agrees_with_the_vectors_of_webarchive_commons() {
        let Some(path) = crate::testing::data("html/css_urls.json") else { return };
        let cases: Vec<(String, Option<String>)> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert!(!cases.is_empty());
        for (css, expected) in cases {
            assert_eq!(references(&css), Vec::from_iter(expected), "{css}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(css in "[ a-z(){}\\\\\"'/*@;\u{e9}\n]{0,60}|url\\([\\\\'\"a-f0-9)( ]{0,20}|@import .{0,20}") {
            css_references(&css, |reference| assert!(!reference.is_empty() || css.contains('\\')));
        }
    }
}
