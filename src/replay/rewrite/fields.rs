//! Header fields of archived answers, as a replayed one has them.

use super::html::{hint_of_preload, without_hints};
use super::{Edits, Hint, Rewriter};
use crate::links::has_token;

/// Fields that go out as they were archived.
const KEPT: [&str; 7] = [
    "content-type",
    "content-language",
    "content-range",
    "accept-ranges",
    "allow",
    "content-disposition",
    "x-content-type-options",
];

/// What becomes of the cookies of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cookies {
    /// None reaches the browser: all archived sites have one origin.
    #[default]
    Dropped,
    /// They are kept below the replay URL of their host.
    OfHost,
}

/// A field of an archived answer as a replayed one has it; none where it is left out. All that could act on the
/// browser or on other sites gets another name.
pub fn rewrite_field(
    rewriter: &Rewriter,
    hint: Hint,
    cookies: Cookies,
    name: &str,
    value: &str,
) -> Option<(String, String)> {
    let value: String =
        value.chars().filter(|letter| matches!(letter, ' '..='~' | '\t' | '\u{a0}'..='\u{ff}')).collect();
    let keep = |value: String| Some((name.to_owned(), value));
    if hint == Hint::Raw {
        return keep(value);
    }
    let page_hint = if hint == Hint::None { Hint::Page } else { hint };
    match name.to_ascii_lowercase().as_str() {
        "location" => keep(rewriter.url(&value, page_hint, true).unwrap_or(value)),
        "content-location" => keep(rewriter.url(&value, page_hint, true).unwrap_or(value)),
        "refresh" => keep(rewriter.refresh(&value)),
        "link" => rewriter.link_field(&value).map(|value| (name.to_owned(), value)),
        "set-cookie" => match cookies {
            Cookies::Dropped => None,
            Cookies::OfHost => rewriter.cookie(hint, &value).and_then(keep),
        },
        // A length is digits.
        "content-length" => {
            let digits =
                value.trim().find(|c: char| !c.is_ascii_digit()).map_or(value.trim(), |end| &value.trim()[..end]);
            Some((format!("X-Archive-Orig-{name}"), digits.to_owned()))
        }
        lower if KEPT.contains(&lower) => keep(value),
        _ => Some((format!("X-Archive-Orig-{name}"), value)),
    }
}

impl Rewriter {
    /// A `Link` field (RFC 8288) with those of its links that browsers load; none where nothing is left.
    fn link_field(&self, value: &str) -> Option<String> {
        let mut kept = Vec::new();
        for link in links_of(value) {
            let Some((reference, parameters)) = link.trim().strip_prefix('<').and_then(|rest| rest.split_once('>'))
            else {
                continue;
            };
            let parameter = |name: &str| {
                parameters.split(';').find_map(|parameter| {
                    let (own, value) = parameter.split_once('=')?;
                    own.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
                })
            };
            let rel = parameter("rel").unwrap_or_default();
            let hint = match () {
                () if without_hints(rel).is_some() => continue,
                () if has_token(rel, "modulepreload") => Hint::Script,
                () if has_token(rel, "stylesheet") => Hint::Style,
                () if has_token(rel, "preload") => hint_of_preload(parameter("as").unwrap_or_default()),
                () => continue,
            };
            let mut edits = Edits::default();
            if let Some(url) = self.url(reference, hint, true) {
                edits.replace(0..reference.len(), url);
            }
            kept.push(format!("<{}>{parameters}", edits.apply_to_text(reference)));
        }
        (!kept.is_empty()).then(|| kept.join(", "))
    }

    /// A `Set-Cookie` field whose cookie is kept below the replayed host.
    fn cookie(&self, hint: Hint, value: &str) -> Option<String> {
        let mut parts = value.split(';').map(str::trim);
        let pair = parts.next()?;
        let (name, _) = pair.split_once('=')?;
        let is_token = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
        if !is_token {
            return None;
        }
        let (mut path, mut kept, mut has_domain) = (None, vec![pair.to_owned()], false);
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name.trim().to_ascii_lowercase().as_str() {
                "path" => path = Some(value.trim().to_owned()),
                "domain" => has_domain = true,
                // They speak of another time, or of https.
                "expires" | "max-age" | "secure" | "partitioned" | "samesite" | "" => {}
                _ => kept.push(part.to_owned()),
            }
        }
        let path = path.filter(|path| path.starts_with('/') && !has_domain).unwrap_or_else(|| "/".to_owned());
        kept.insert(1, format!("Path={}", self.url(&path, hint, true)?));
        Some(kept.join("; "))
    }
}

/// The links of a field: parted by commas outside of brackets and quotes.
fn links_of(value: &str) -> Vec<&str> {
    let (mut links, mut start, mut is_quoted, mut is_url) = (Vec::new(), 0, false, false);
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'<' if !is_quoted => is_url = true,
            b'>' if !is_quoted => is_url = false,
            b'"' if !is_url => is_quoted = !is_quoted,
            b',' if !is_quoted && !is_url => {
                links.extend(value.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    links.extend(value.get(start..));
    links
}
