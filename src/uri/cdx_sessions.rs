//! Removes session ids from CDX keys. Only these exact shapes go, because existing keys were made so; an id
//! of 33 characters stays.

use std::ops::Range;

/// Finds one shape in a lower-case query: what is to be cut.
type Shape = fn(&str) -> Option<Range<usize>>;

/// The shapes in the order in which they are taken out, each once.
pub(super) const QUERY_SHAPES: [Shape; 5] = [
    |query| named(query, "jsessionid=", 32),
    |query| named(query, "phpsessid=", 32),
    |query| named(query, "sid=", 32),
    asp,
    cold_fusion,
];

/// The last `name` that is followed by `length` letters and digits and then
/// by `&` or nothing.
fn named(query: &str, name: &str, length: usize) -> Option<Range<usize>> {
    query.rmatch_indices(name).find_map(|(start, _)| {
        let id = start + name.len();
        let end = id + length;
        let value = query.get(id..end)?;
        value.bytes().all(|b| b.is_ascii_alphanumeric()).then_some(())?;
        closed(query, start, end)
    })
}

/// `aspsessionid` and 8 letters, `=`, 24 letters.
fn asp(query: &str) -> Option<Range<usize>> {
    const NAME: &str = "aspsessionid";
    query.rmatch_indices(NAME).find_map(|(start, _)| {
        let rest = query.get(start + NAME.len()..start + NAME.len() + 33)?.as_bytes();
        let letters = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_alphabetic);
        (letters(&rest[..8]) && rest[8] == b'=' && letters(&rest[9..])).then_some(())?;
        closed(query, start, start + NAME.len() + 33)
    })
}

/// `cfid=…&cftoken=…`
fn cold_fusion(query: &str) -> Option<Range<usize>> {
    query.rmatch_indices("cfid=").find_map(|(start, name)| {
        let value = start + name.len();
        let token = value + query[value..].find('&').filter(|&length| length > 0)?;
        let rest = query[token..].strip_prefix("&cftoken=")?;
        let length = rest.find('&').unwrap_or(rest.len());
        (length > 0).then_some(())?;
        closed(query, start, query.len() - rest.len() + length)
    })
}

/// The range, with the `&` behind it; `None` where something else follows.
fn closed(query: &str, start: usize, end: usize) -> Option<Range<usize>> {
    match query.as_bytes().get(end) {
        None => Some(start..end),
        Some(b'&') => Some(start..end + 1),
        Some(_) => None,
    }
}

/// `(s(24 characters))/` or `(24 characters)/` before an `.aspx` page, in a
/// lower-case path that starts with a slash.
pub(super) fn in_path(path: &str) -> Option<Range<usize>> {
    let page = path.rfind(".aspx")?;
    path.rmatch_indices("/(").find_map(|(slash, _)| {
        let start = slash + 1;
        let end = start + path[start..].find('/')? + 1;
        // Something has to be between the id and `.aspx`.
        (end < page).then_some(())?;
        let inner = path[start..end].strip_prefix('(')?.strip_suffix(")/")?;
        (is_id(inner) || is_lettered(inner)).then_some(start..end)
    })
}

fn is_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// `s(24 characters)`, once or more.
fn is_lettered(mut text: &str) -> bool {
    let mut found = false;
    while !text.is_empty() {
        let parts = (text.get(..2), text.get(2..26), text.get(26..27));
        let (Some(head), Some(id), Some(")")) = parts else {
            return false;
        };
        if !head.as_bytes()[0].is_ascii_alphabetic() || !head.ends_with('(') || !is_id(id) {
            return false;
        }
        found = true;
        text = &text[27..];
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn strip(query: &str) -> String {
        let mut query = query.to_owned();
        for shape in QUERY_SHAPES {
            if let Some(session) = shape(&query) {
                query.replace_range(session, "");
            }
        }
        query
    }

    #[test]
    fn only_exact_shapes_go() {
        let id = "0123456789abcdef0123456789abcdef";
        assert_eq!(strip(&format!("phpsessid={id}&a=1")), "a=1");
        assert_eq!(strip(&format!("a=1&jsessionid={id}")), "a=1&");
        assert_eq!(strip(&format!("sid={id}")), "");
        assert_eq!(strip(&format!("sid={id}0")), format!("sid={id}0"));
        assert_eq!(strip("aspsessionidabcdefgh=abcdefghijklmnopqrstuvwx&b"), "b");
        assert_eq!(strip("a=1&cfid=1169580&cftoken=48630702&b=2"), "a=1&b=2");
        assert_eq!(strip("cfid=&cftoken=1"), "cfid=&cftoken=1");
    }

    #[test]
    fn paths_of_asp_lose_their_ids() {
        for (path, expected) in [
            ("/(s(4hqa0555fwsecu455xqckv45))/mileg.aspx", Some(1..31)),
            ("/(4hqa0555fwsecu455xqckv45)/mileg.aspx", Some(1..28)),
            ("/a/(s(4hqa0555fwsecu455xqckv45)f(4hqa0555fwsecu455xqckv45))/x.aspx", Some(3..60)),
            ("/(4hqa0555fwsecu455xqckv4)/mileg.aspx", None),
            ("/(s(4hqa0555fwsecu455xqckv45))/mileg.html", None),
        ] {
            assert_eq!(in_path(path), expected, "{path}");
        }
    }
}
