//! `X-Robots-Tag` restricts the links of an answer.
//!
//! It has no standard but the pages of search engines: directives with commas
//! between them, behind the name of a crawler and a colon where they are for
//! that one alone. A field may come several times.

use crate::warc::Headers;

/// Directives with a value behind a colon, which are no names of crawlers.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Whether the fields have `nofollow`, or `none`, for every crawler; with a product name, such as
/// `fonds`, also for that one.
pub fn is_nofollow_answer(headers: &Headers, product: Option<&str>) -> bool {
    headers.all("X-Robots-Tag").any(|value| is_nofollow(&String::from_utf8_lossy(value), product))
}

fn is_nofollow(value: &str, product: Option<&str>) -> bool {
    let is_name = |name: &str| {
        !name.contains(',') && !WITH_VALUE.iter().any(|directive| name.trim().eq_ignore_ascii_case(directive))
    };
    let (name, directives) = match value.split_once(':').filter(|(name, _)| is_name(name)) {
        Some((name, directives)) => (name.trim(), directives),
        None => ("*", value),
    };
    let is_meant = name == "*" || product.is_some_and(|product| name.eq_ignore_ascii_case(product));
    is_meant
        && directives.split(',').any(|directive| {
            let directive = directive.trim();
            directive.eq_ignore_ascii_case("nofollow") || directive.eq_ignore_ascii_case("none")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_for_all_or_for_one_crawler() {
        for (fields, all, ours) in [
            (&["nofollow"][..], true, true),
            (&["noindex, NoFollow"], true, true),
            (&["none"], true, true),
            (&["noindex", "nofollow"], true, true),
            (&["fonds: nofollow"], false, true),
            (&["Fonds : noindex,nofollow"], false, true),
            (&["googlebot: nofollow"], false, false),
            (&["*: nofollow"], true, true),
            (&["googlebot: noindex", "nofollow"], true, true),
            (&["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], true, true),
            (&["max-image-preview: none"], false, false),
            (&["noindex"], false, false),
            (&["nofollowing"], false, false),
            (&["noindex, googlebot: nofollow"], false, false),
        ] {
            let mut headers = Headers::new();
            fields.iter().for_each(|value| headers.push("x-robots-tag", value));
            let is_nofollow = (is_nofollow_answer(&headers, None), is_nofollow_answer(&headers, Some("fonds")));
            assert_eq!(is_nofollow, (all, ours), "{fields:?}");
        }
    }
}
