//! Choice of the links of an answer that a crawl follows.

use crate::captures::is_redirect;
use crate::links::{LinkKind, Outlink};
use crate::uri::{Url, drop_user, resolve};
use crate::warc::Headers;

/// Links of one page that are followed (Heritrix's `maxOutlinks`). All are
/// kept: a record of what a page cites has to be complete.
pub const MAX_OUTLINKS: usize = 6000;
/// Entries of one sitemap or feed that are followed: as many as a sitemap may
/// have by its protocol (sitemaps.org).
const MAX_ENTRIES: usize = 50_000;
/// Bytes of a redirect to another scheme that are logged.
const MAX_ELSEWHERE_BYTES: usize = 2000;

/// The target of a redirect that cannot be fetched because of its scheme; of a
/// long URL the beginning.
pub fn unfetchable_redirect(base: &Url, status: u16, headers: &Headers) -> Option<Url> {
    let location = headers.get_url("Location").filter(|_| is_redirect(status))?;
    let location = location.trim();
    let location = &location[..location.floor_char_boundary(MAX_ELSEWHERE_BYTES)];
    let mut url = base.join(location).ok().filter(|url| !matches!(url.scheme(), "http" | "https"))?;
    drop_user(&mut url);
    Some(url)
}

/// The links that a crawl follows: the first [`MAX_OUTLINKS`] of a page, or
/// [`MAX_ENTRIES`] of a sitemap or feed.
pub fn followed(outlinks: &[Outlink]) -> &[Outlink] {
    if outlinks.len() <= MAX_OUTLINKS {
        return outlinks;
    }
    let is_listing = outlinks.iter().any(|link| link.kind == LinkKind::Manifest);
    &outlinks[..outlinks.len().min(if is_listing { MAX_ENTRIES } else { MAX_OUTLINKS })]
}

/// Links that a robots.txt names as sitemaps.
pub fn sitemap_links<'a>(url: &Url, sitemaps: impl IntoIterator<Item = &'a str>) -> Vec<Outlink> {
    sitemaps
        .into_iter()
        .filter_map(|text| resolve(url, text))
        .map(|url| Outlink::bare(url, LinkKind::Manifest))
        .collect()
}

/// Where most sites have a sitemap, if their robots.txt names none: beside it.
pub fn usual_sitemap(robots: &Url) -> Option<Outlink> {
    Some(Outlink::bare(robots.join("/sitemap.xml").ok()?, LinkKind::Manifest))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn redirects_to_other_schemes_are_named_and_lead_nowhere() {
        let elsewhere = |status, location: &str| {
            let mut headers = Headers::new();
            headers.push("Location", location);
            unfetchable_redirect(&Url::parse("http://a.pt/dir/x").unwrap(), status, &headers)
        };
        let long = format!("data:text/html,{}", "é".repeat(100_000));
        for (location, named) in [
            ("file:///etc/passwd", Some("file:///etc/passwd")),
            ("ftp://a.pt/x", Some("ftp://a.pt/x")),
            (" javascript:alert('x y')", Some("javascript:alert('x y')")),
            ("/same", None),
            ("", None),
            ("https://", None),
        ] {
            assert_eq!(elsewhere(302, location).as_ref().map(Url::as_str), named, "{location}");
            assert_eq!(elsewhere(200, location), None);
        }
        let named = elsewhere(302, &long).unwrap();
        assert!(named.as_str().len() < 7000 && named.scheme() == "data");
    }

    #[test]
    fn floods_of_links_are_followed_in_part() {
        let link = |number| Outlink::bare(Url::parse(&format!("http://a.pt/{number}")).unwrap(), LinkKind::Anchor);
        let links: Vec<Outlink> = (0..7000).map(link).collect();
        assert_eq!(followed(&links).len(), MAX_OUTLINKS);
        // All that a sitemap may hold is followed.
        let entry = |number| Outlink::bare(Url::parse(&format!("http://a.pt/{number}")).unwrap(), LinkKind::Manifest);
        let entries: Vec<Outlink> = (0..50_001).map(entry).collect();
        assert_eq!(followed(&entries).len(), 50_000);
    }
}
