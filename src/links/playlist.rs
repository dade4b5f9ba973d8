//! Links out of lists of lines: playlists of HTTP Live Streaming and sitemaps in text.

use super::listed::ListedLinks;
use super::page::{LinkKind, Outlink};
use crate::uri::Url;

/// Lines of a text that have to be addresses, so that it counts as a sitemap.
const SITEMAP_LINES: usize = 20;

/// Parts, keys and other playlists of an `m3u8` file (RFC 8216); nothing of what is none. Says how many were left out.
pub(crate) fn read_playlist(text: &str, url: &Url) -> (Vec<Outlink>, u64) {
    let mut found = ListedLinks::new(url);
    let text = text.trim_start_matches('\u{feff}');
    if !text.starts_with("#EXTM3U") {
        return (Vec::new(), 0);
    }
    for line in text.lines().map(str::trim) {
        if !line.starts_with('#') {
            found.add(LinkKind::Media, line);
        } else if let Some((_, value)) = line.strip_prefix("#EXT-X-").and_then(|tag| tag.split_once("URI=\""))
            && let Some((uri, _)) = value.split_once('"')
        {
            found.add(LinkKind::Media, uri);
        }
    }
    found.finish()
}

/// Whether a text is a sitemap: each of its first lines is an address of the web and nothing else (sitemaps.org).
pub(crate) fn is_text_sitemap(text: &str) -> bool {
    let mut lines =
        text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.take(SITEMAP_LINES).all(is_address)
}

/// The addresses of a sitemap in text. Says how many were left out.
pub(crate) fn read_text_sitemap(text: &str, url: &Url) -> (Vec<Outlink>, u64) {
    let mut found = ListedLinks::new(url);
    if is_text_sitemap(text) {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        lines.filter(|line| is_address(line)).for_each(|line| found.add(LinkKind::Manifest, line));
    }
    found.finish()
}

fn is_address(line: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        line.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
            && !line.contains(char::is_whitespace)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn urls((links, _): (Vec<Outlink>, u64)) -> Vec<String> {
        links.into_iter().map(|link| link.url.into()).collect()
    }

    #[test]
    fn playlists_name_parts_keys_and_other_playlists() {
        let url = Url::parse("http://a.pt/m/l.m3u8").unwrap();
        let text = "\u{feff}#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\r\n#EXT-X-MEDIA:TYPE=AUDIO,NAME=\"x\",URI=\"/a.m3u8\"\r\n\
                    #EXTINF:1,URI=\"no\"\r\n../p.ts\r\n\r\n#EXT-X-DEFINE:NAME=\"x\"\r\nhttp://b.pt/q.ts\r\n";
        assert_eq!(
            urls(read_playlist(text, &url)),
            ["http://a.pt/m/k", "http://a.pt/a.m3u8", "http://a.pt/p.ts", "http://b.pt/q.ts"]
        );
        assert_eq!(urls(read_playlist("a.ts\nb.ts", &url)), [""; 0]);
    }

    #[test]
    fn a_text_is_a_sitemap_where_its_lines_are_addresses() {
        let url = Url::parse("http://a.pt/x.txt").unwrap();
        assert_eq!(
            urls(read_text_sitemap("\n http://a.pt/um \r\nHTTPS://a.pt/dois\n", &url)),
            ["http://a.pt/um", "https://a.pt/dois"]
        );
        for text in ["", "User-agent: *\nSitemap: http://a.pt/", "see http://a.pt/", "http://a.pt/ and more", "httpé"]
        {
            assert_eq!(urls(read_text_sitemap(text, &url)), [""; 0], "{text}");
        }
    }
}
