//! References inside attribute values that hold more than a URL.

use crate::links::page::LinkKind;
use std::ops::Range;

/// The URLs of a `srcset` (HTML standard, “parse a srcset attribute”).
pub(crate) fn srcset_urls(value: &str) -> impl Iterator<Item = &str> {
    srcset_ranges(value).filter_map(|range| value.get(range))
}

/// Where they begin and end.
pub(crate) fn srcset_ranges(value: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = value.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|&byte| byte.is_ascii_whitespace() || byte == b',') {
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|&byte| !byte.is_ascii_whitespace()) {
            at += 1;
        }
        if start == at {
            return None;
        }
        let mut end = at;
        if bytes[end - 1] == b',' {
            while end > start && bytes[end - 1] == b',' {
                end -= 1;
            }
            return Some(start..end);
        }
        // Descriptors up to a comma outside parentheses.
        let mut depth = 0_u32;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => break,
                _ => {}
            }
        }
        Some(start..end)
    })
}

/// The URL of a `meta http-equiv=refresh` (HTML standard, “shared declarative
/// refresh steps”); nothing where the page only reloads itself.
pub(crate) fn refresh_url(content: &str) -> Option<&str> {
    content.get(refresh_range(content)?)
}

/// Where it begins and ends.
pub(crate) fn refresh_range(content: &str) -> Option<Range<usize>> {
    let rest = content.trim_ascii_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let after = rest.trim_ascii_start();
    let rest = match after.strip_prefix([';', ',']) {
        Some(after) => after.trim_ascii_start(),
        None if after.len() < rest.len() => after,
        None => return None,
    };
    let mut url = rest;
    if rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"))
        && let Some(after) = rest.get(3..).and_then(|rest| rest.trim_ascii_start().strip_prefix('='))
    {
        url = after.trim_ascii_start();
    }
    let mut start = content.len() - url.len();
    for quote in ['"', '\''] {
        if let Some(inner) = url.strip_prefix(quote) {
            url = inner.split(quote).next().unwrap_or_default();
            start += 1;
            break;
        }
    }
    Some(start..start + url.len()).filter(|_| !url.trim_ascii().is_empty())
}

/// Whether a list of words parted by white space (or commas) holds `token`.
pub fn has_token(list: &str, token: &str) -> bool {
    list.split(|c: char| c.is_ascii_whitespace() || c == ',').any(|one| one.eq_ignore_ascii_case(token))
}

/// The kind of a link with this `rel`, in a `link` element or a `Link` field; none for hints about hosts, which are
/// none about documents.
pub(crate) fn kind_of_rel(rel: &str) -> Option<LinkKind> {
    if has_token(rel, "dns-prefetch") || has_token(rel, "preconnect") {
        return None;
    }
    let embeds = ["stylesheet", "icon", "apple-touch-icon", "mask-icon", "preload", "modulepreload", "manifest"];
    Some(match embeds.iter().any(|name| has_token(rel, name)) {
        true => LinkKind::Stylesheet,
        false => LinkKind::LinkElement,
    })
}

/// `pt-PT` as `pt`; nothing for what is no language tag.
pub(super) fn primary_language(tag: &str) -> Option<String> {
    let first = tag.trim().split(['-', '_', ',', ' ']).next().unwrap_or_default();
    let is_code = matches!(first.len(), 2 | 3) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| first.to_ascii_lowercase())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn srcset_is_split_where_browsers_split_it() {
        for (value, expected) in [
            ("b.png 1x, c,d.png 2x, https://cdn.pt/e.png 640w", vec!["b.png", "c,d.png", "https://cdn.pt/e.png"]),
            ("f.webp, g.webp 2x", vec!["f.webp", "g.webp"]),
            ("a.png,b.png", vec!["a.png,b.png"]),
            ("a.png calc(1,2)x, b.png", vec!["a.png", "b.png"]),
            (" , ,", vec![]),
            ("a.png,,, b.png", vec!["a.png", "b.png"]),
            ("", vec![]),
        ] {
            assert_eq!(srcset_urls(value).collect::<Vec<_>>(), expected, "{value}");
        }
    }

    #[test]
    fn refresh_has_a_url_in_many_spellings() {
        for (content, expected) in [
            ("5; URL='../novo.html'", Some("../novo.html")),
            ("0;url=a.html", Some("a.html")),
            ("0; a.html", Some("a.html")),
            ("0 a.html", Some("a.html")),
            ("1.5,URL = \"b c.html\" x", Some("b c.html")),
            ("0;url", Some("url")),
            ("5", None),
            ("5;", None),
            ("0;url=", None),
            ("url=a.html", None),
            ("", None),
        ] {
            assert_eq!(refresh_url(content), expected, "{content}");
        }
    }

    #[test]
    fn tokens_are_whole() {
        assert!(has_token("noopener NoFollow", "nofollow"));
        assert!(has_token("noindex,nofollow", "nofollow"));
        assert!(!has_token("nofollowing", "nofollow"));
    }
}
