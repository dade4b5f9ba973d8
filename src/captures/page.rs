//! What leads on from an answer: links of pages and style sheets, redirects,
//! entries of sitemaps and feeds.

use super::Unread;
use super::large::LargeTurn;
use crate::links::{
    LinkKind, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_PAGE_BYTES, MAX_URL_BYTES, Outlink, PageCuts,
    PageOptions, read_css, read_page,
};
use crate::uri::{Url, drop_user, resolve};
use crate::warc::Headers;
use crate::warc::http::{ContentType, Payload, decode_body};
use memchr::memmem;
use std::borrow::Cow;
use std::convert::Infallible;

/// Links of one page that are followed (Heritrix's `maxOutlinks`). All are
/// kept: whom a page cites is wanted, however many it cites.
pub const MAX_OUTLINKS: usize = 6000;
/// Bytes of a redirect to another scheme that are told.
const MAX_ELSEWHERE_BYTES: usize = 2000;
/// Text looked at to tell a page's language.
const LANGUAGE_TEXT_BYTES: usize = 64 << 10;

/// What was read out of one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leads {
    /// Title of a page.
    pub title: Option<String>,
    /// Language of a page.
    pub language: Option<String>,
    /// Where it leads to; see [`followed`].
    pub outlinks: Vec<Outlink>,
    /// Where it redirects to.
    pub redirect_to: Option<Url>,
    /// Why it was not read whole.
    pub unread: Option<Unread>,
}

/// Whether links are looked for in such an answer, whatever stands in it.
pub fn may_lead(url: &Url, headers: &Headers) -> bool {
    let kind = headers.get("Content-Type").map(|value| ContentType::parse(&value)).unwrap_or_default();
    kind.mime.is_empty() || has_links(url, &kind.mime)
}

/// Whether links are looked for in what has this type.
pub fn has_links(url: &Url, mime: &str) -> bool {
    is_packed_sitemap(url) || !matches!(form_of(mime, url, b""), Form::Other)
}

/// Reads an answer: `payload` without transfer and content encoding.
pub fn read_leads(url: &Url, status: u16, headers: &Headers, payload: &Payload<'_>, turn: &mut LargeTurn) -> Leads {
    turn.wait_for(payload.bytes.len());
    let (bytes, is_whole) = (&payload.bytes[..], payload.is_whole());
    let (mut is_cut, mut is_damaged, mut left_out) = (payload.cut, !is_whole, PageCuts::default());
    let mut bomb = payload.bomb;
    let mut leads = Leads::default();
    let kind = headers.get("Content-Type").map(|value| ContentType::parse(&value)).unwrap_or_default();
    let charset = kind.charset.as_deref();
    if redirects(status) {
        leads.redirect_to = headers.get("Location").and_then(|location| resolve(url, &location));
        leads.outlinks.extend(leads.redirect_to.clone().map(|url| Outlink::bare(url, LinkKind::Redirect)));
    }
    let is_page = (200..300).contains(&status);
    let form = form_of(&kind.mime, url, bytes);
    match form {
        _ if bomb => {}
        Form::Html => {
            let options = PageOptions { max_text_bytes: LANGUAGE_TEXT_BYTES, ..PageOptions::default() };
            let options = options.served_as(&kind.mime);
            let page = read_page(bytes, charset, url, &options);
            (leads.title, leads.language) = (page.title, page.language);
            left_out = page.cut;
            if is_page {
                leads.outlinks.extend(page.links);
            }
        }
        Form::Css if is_page => {
            let (links, not_kept) = read_css(bytes, charset, url);
            leads.outlinks.extend(links);
            left_out.links = not_kept;
        }
        Form::Listing if is_page => {
            let listing = unpacked(bytes, turn);
            is_cut |= listing.cut;
            is_damaged |= !listing.is_whole();
            bomb = listing.bomb;
            (leads.outlinks, left_out.links) = read_listing(if bomb { &[] } else { &listing.bytes }, url);
        }
        _ => {}
    }
    if is_page && !matches!(form, Form::Other) {
        leads.unread = if bomb { Some(Unread::Bomb) } else { Unread::of_page(is_cut, is_damaged, &left_out) };
    }
    for (position, link) in leads.outlinks.iter_mut().enumerate() {
        link.position = u32::try_from(position).unwrap_or(u32::MAX);
    }
    leads
}

fn redirects(status: u16) -> bool {
    (300..400).contains(&status) && status != 304
}

/// Where an answer redirects to, where that cannot be fetched because of its
/// scheme; of a long URL the beginning.
pub fn unfetchable_redirect(base: &Url, status: u16, headers: &Headers) -> Option<Url> {
    let location = headers.get("Location").filter(|_| redirects(status))?;
    let location = location.trim();
    let location = &location[..location.floor_char_boundary(MAX_ELSEWHERE_BYTES)];
    let mut url = base.join(location).ok().filter(|url| !matches!(url.scheme(), "http" | "https"))?;
    drop_user(&mut url);
    Some(url)
}

/// The links that a crawl follows: the first [`MAX_OUTLINKS`].
pub fn followed(outlinks: &[Outlink]) -> &[Outlink] {
    &outlinks[..outlinks.len().min(MAX_OUTLINKS)]
}

/// Links that a robots.txt names as sitemaps.
pub fn sitemap_links<'a>(url: &Url, sitemaps: impl IntoIterator<Item = &'a str>) -> Vec<Outlink> {
    sitemaps
        .into_iter()
        .filter_map(|text| resolve(url, text))
        .map(|url| Outlink::bare(url, LinkKind::Manifest))
        .collect()
}

enum Form {
    Html,
    Css,
    /// A sitemap or feed.
    Listing,
    Other,
}

fn form_of(mime: &str, url: &Url, payload: &[u8]) -> Form {
    let begin = payload[..payload.len().min(512)].trim_ascii_start().to_ascii_lowercase();
    match mime {
        "text/html" | "application/xhtml+xml" => Form::Html,
        "text/css" => Form::Css,
        "application/xml" | "text/xml" | "application/rss+xml" | "application/atom+xml" | "application/rdf+xml" => {
            Form::Listing
        }
        _ if is_packed_sitemap(url) && payload.starts_with(&GZIP) => Form::Listing,
        "" if begin.starts_with(b"<!doctype html") || begin.starts_with(b"<html") => Form::Html,
        _ => Form::Other,
    }
}

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Whether a URL is of a sitemap that may be compressed.
pub fn is_packed_sitemap(url: &Url) -> bool {
    url.path().ends_with(".xml.gz")
}

/// Bytes of memory that an answer of this length may take while it is read for
/// its links, once it is decoded: a link takes some three hundred bytes, and fifteen of a page.
pub fn reading_bytes(answer_len: u64) -> usize {
    let len = usize::try_from(answer_len).unwrap_or(usize::MAX).min(MAX_PAGE_BYTES);
    len.saturating_mul(20)
}

/// Bytes of memory that links take.
pub fn links_bytes(links: &[Outlink]) -> usize {
    links.iter().map(|link| size_of_val(link) + link.url.as_str().len() + link.anchor.len() + link.rel.len()).sum()
}

/// Sitemaps may be gzip files. A damaged end still leaves the entries before it.
fn unpacked<'a>(payload: &'a [u8], turn: &mut LargeTurn) -> Payload<'a> {
    let mut headers = Headers::new();
    if payload.starts_with(&GZIP) {
        headers.push("Content-Encoding", "gzip");
    }
    let Ok(unpacked) = turn.decode(|limit| Ok::<_, Infallible>(decode_body(&headers, payload, limit)));
    unpacked
}

/// URLs of a sitemap (`loc`), an RSS or RDF feed (`link` text) or an Atom feed
/// (`link href`); nothing where the document is none of these. Says how many
/// were left out.
fn read_listing(bytes: &[u8], base: &Url) -> (Vec<Outlink>, u64) {
    let text = String::from_utf8_lossy(bytes);
    let mut texts = Texts { of: &text, cdata_end: 0 };
    let (mut found, mut left_out, mut bytes) = (Vec::new(), 0, 0);
    let mut root = None;
    let mut rest = text.as_ref();
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else { break };
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default();
        if tag.starts_with(['?', '!', '/']) || name.is_empty() {
            continue;
        }
        let root = *root.get_or_insert(name);
        let target = match (root, name) {
            ("urlset" | "sitemapindex", "loc") | ("rss" | "RDF", "link") => texts.next_of(after),
            ("feed", "link") => attribute(tag, "href").map(|target| (target.trim(), false)),
            ("urlset" | "sitemapindex" | "rss" | "RDF" | "feed", _) => None,
            _ => return (found, left_out),
        };
        let Some((target, is_meant)) = target.filter(|(target, _)| !target.is_empty()) else { continue };
        // A long base makes much out of little.
        if target.len() > MAX_URL_BYTES || found.len() >= MAX_LINKS_PER_PAGE || bytes >= MAX_LINK_BYTES_PER_PAGE {
            left_out += 1;
            continue;
        }
        if let Some(url) = resolve(base, &if is_meant { Cow::Borrowed(target) } else { unescape(target) }) {
            bytes += url.as_str().len();
            match url.as_str().len() > MAX_URL_BYTES || bytes > MAX_LINK_BYTES_PER_PAGE {
                true => left_out += 1,
                false => found.push(Outlink::bare(url, LinkKind::Manifest)),
            }
        }
    }
    (found, left_out)
}

/// Texts of elements of a document.
struct Texts<'t> {
    of: &'t str,
    /// Where `]]>` stands that was looked for last: no byte is searched twice for it.
    cdata_end: usize,
}

impl<'t> Texts<'t> {
    /// The text at the beginning of `after`, the rest of the document, up to
    /// the next tag, and whether it stands there as it is meant; none without
    /// an end. Of what is too long for a URL as much as shows it.
    fn next_of(&mut self, after: &'t str) -> Option<(&'t str, bool)> {
        let text = after.trim_start();
        let Some(cdata) = text.strip_prefix(CDATA) else {
            let near = &text[..text.floor_char_boundary(MAX_URL_BYTES + 4)];
            return match near.find('<') {
                Some(end) => Some((near[..end].trim_end(), false)),
                None => (near.len() < text.len()).then_some((near, false)),
            };
        };
        let begin = self.of.len() - cdata.len();
        if self.cdata_end < begin {
            let end = memmem::find(cdata.as_bytes(), b"]]>");
            self.cdata_end = end.map_or(self.of.len(), |end| begin + end);
        }
        if self.cdata_end == self.of.len() {
            return None;
        }
        let text = &self.of[begin..self.cdata_end];
        Some((if text.len() > MAX_URL_BYTES { text } else { text.trim() }, true))
    }
}

const CDATA: &str = "<![CDATA[";

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    for (at, _) in tag.match_indices(name) {
        let before = tag[..at].chars().next_back();
        let value = tag[at + name.len()..].trim_start().strip_prefix('=').map(str::trim_start);
        if let (Some(' ' | '\t' | '\r' | '\n'), Some(value)) = (before, value)
            && let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))
        {
            return value[1..].split(quote).next();
        }
    }
    None
}

fn unescape(text: &str) -> Cow<'_, str> {
    let pairs = ["&lt;<", "&gt;>", "&quot;\"", "&apos;'", "&#38;&", "&amp;&"];
    pairs.iter().fold(Cow::Borrowed(text), |text, pair| {
        let (entity, character) = pair.split_at(pair.len() - 1);
        if text.contains(entity) { Cow::Owned(text.replace(entity, character)) } else { text }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(status: u16, fields: &[(&str, &str)], body: &[u8]) -> Leads {
        let mut headers = Headers::new();
        for (name, value) in fields {
            headers.push(*name, *value);
        }
        lead(&Url::parse("http://a.pt/dir/x").unwrap(), status, &headers, body)
    }

    fn lead(url: &Url, status: u16, headers: &Headers, body: &[u8]) -> Leads {
        read_leads(url, status, headers, &body.to_vec().into(), &mut LargeTurn::default())
    }

    #[track_caller]
    fn check(mime: &str, body: &str, expected: &[&str]) {
        let leads = read(200, &[("Content-Type", mime)], body.as_bytes());
        let urls: Vec<&str> = leads.outlinks.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, expected, "{body}");
    }

    #[test]
    fn pages_style_sheets_sitemaps_and_feeds_lead_on() {
        check("text/html", "<a href=b>B</a><img src=/i.png>", &["http://a.pt/dir/b", "http://a.pt/i.png"]);
        // In XHTML a script may close itself; in HTML all behind it would be its text.
        let scripted = "<html xmlns='http://www.w3.org/1999/xhtml'><head><script src=\"/x.js\"/></head><body><a href='/n'>n</a></body></html>";
        check("application/xhtml+xml", scripted, &["http://a.pt/x.js", "http://a.pt/n"]);
        check("text/html", scripted, &["http://a.pt/x.js"]);
        check(
            "text/css",
            "@import 'b.css'; a { background: url(i.png) }",
            &["http://a.pt/dir/b.css", "http://a.pt/dir/i.png"],
        );
        let sitemap = "<?xml version='1.0'?><!-- <loc>http://no/</loc> --><urlset xmlns='x'><url><loc> http://a.pt/?a=1&amp;b=2 </loc>\
                       <lastmod>2024</lastmod></url><url><loc><![CDATA[http://a.pt/c]]></loc></url></urlset>";
        check("application/xml", sitemap, &["http://a.pt/?a=1&b=2", "http://a.pt/c"]);
        check(
            "text/xml",
            "<s:sitemapindex><s:sitemap><s:loc>/m.xml</s:loc></s:sitemap></s:sitemapindex>",
            &["http://a.pt/m.xml"],
        );
        check(
            "application/rss+xml",
            "<rss><channel><link>http://b.pt/</link><item><link>/n</link></item></channel></rss>",
            &["http://b.pt/", "http://a.pt/n"],
        );
        check(
            "application/atom+xml",
            "<feed><link rel='self' href=\"/f\"/><entry><link\nhref='/e?x=1&amp;y=2'/></entry></feed>",
            &["http://a.pt/f", "http://a.pt/e?x=1&y=2"],
        );
        check("text/xml", "<svg><link>http://no/</link></svg>", &[]);
        check("text/plain", "<a href=b>", &[]);
        check("text/xml", "<urlset><loc>http://a.pt/", &[]);
        check("text/xml", "<urlset><loc><![CDATA[http://a.pt/?a=1&amp;b ]]></loc>", &["http://a.pt/?a=1&amp;b"]);
        // A link without text, as feeds name themselves.
        let itself = "<rss><channel><a:link href='/f'/>\n<title>T</title><link>/n</link></channel></rss>";
        check("text/xml", itself, &["http://a.pt/n"]);
    }

    #[test]
    fn all_texts_of_a_link_weigh() {
        let bare = Outlink::bare(Url::parse("http://a.pt/").unwrap(), LinkKind::Anchor);
        let link = Outlink { anchor: "x".repeat(100), rel: "x".repeat(1000), ..bare.clone() };
        assert_eq!(links_bytes(&[link]) - links_bytes(&[bare]), 1100);
    }

    #[test]
    fn listings_that_never_close_are_read_once() {
        for (root, open) in [("urlset", "<loc>"), ("rss", "<link>"), ("urlset", "<loc><![CDATA["), ("RDF", "<link> x")]
        {
            for end in ["", "]]>", "</loc>"] {
                let body = format!("<{root}>{}{end}", open.repeat(250_000));
                let leads = read(200, &[("Content-Type", "text/xml")], body.as_bytes());
                let links = if open == "<link> x" { 250_000 - usize::from(end != "</loc>") } else { 0 };
                assert_eq!(leads.outlinks.len(), links, "{open}{end}");
            }
        }
    }

    #[test]
    fn addresses_of_listings_that_are_too_long_are_left_out_and_told() {
        let (long, plain) = ("x".repeat(MAX_URL_BYTES + 1), "<loc>/y</loc></urlset>");
        let cdata = format!("<![CDATA[{long}]]>");
        for address in [&long, &cdata, &format!("{}{long}", " ".repeat(100))] {
            let body = format!("<urlset><loc>{address}</loc>{plain}");
            let leads = read(200, &[("Content-Type", "text/xml")], body.as_bytes());
            assert_eq!((leads.outlinks.len(), leads.unread), (1, Some(Unread::Cut)));
        }
        let leads = read(200, &[("Content-Type", "text/xml")], format!("<feed><link href='{long}'/>").as_bytes());
        assert_eq!((leads.outlinks.len(), leads.unread), (0, Some(Unread::Cut)));
        // A long URL of its own makes much out of little.
        let url = Url::parse(&format!("http://a.pt/{}/", "x".repeat(60_000))).unwrap();
        let mut headers = Headers::new();
        headers.push("Content-Type", "text/xml");
        let leads = lead(&url, 200, &headers, format!("<urlset>{}", "<loc>y</loc>".repeat(5_000)).as_bytes());
        assert_eq!((leads.outlinks.len(), leads.unread), (MAX_LINK_BYTES_PER_PAGE / 60_014, Some(Unread::Cut)));
    }

    #[test]
    fn redirects_to_other_schemes_are_named_and_lead_nowhere() {
        let elsewhere = |status, location: &str| {
            let mut headers = Headers::new();
            headers.push("Location", location);
            unfetchable_redirect(&Url::parse("http://a.pt/dir/x").unwrap(), status, &headers)
        };
        let long = format!("data:text/html,{}", "é".repeat(100_000));
        for (location, told) in [
            ("file:///etc/passwd", Some("file:///etc/passwd")),
            ("ftp://a.pt/x", Some("ftp://a.pt/x")),
            (" javascript:alert('x y')", Some("javascript:alert('x y')")),
            ("/same", None),
            ("", None),
            ("https://", None),
        ] {
            let leads = read(302, &[("Location", location)], b"");
            assert_eq!(elsewhere(302, location).as_ref().map(Url::as_str), told, "{location}");
            assert_eq!(elsewhere(200, location), None);
            assert_eq!(leads.outlinks.len(), usize::from(leads.redirect_to.is_some()), "{location}");
            assert!(told.is_none() || leads.redirect_to.is_none());
        }
        let told = elsewhere(302, &long).unwrap();
        assert!(told.as_str().len() < 7000 && told.scheme() == "data");
    }

    #[test]
    fn packed_sitemaps_are_read() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, b"<urlset><loc>http://a.pt/z</loc></urlset>").unwrap();
        let packed = packed.finish().unwrap();
        let mut headers = Headers::new();
        headers.push("Content-Type", "application/octet-stream");
        let url = Url::parse("http://a.pt/sitemap.xml.gz").unwrap();
        let leads = lead(&url, 200, &headers, &packed);
        assert_eq!((leads.outlinks.len(), leads.unread), (1, None));
        let torn = lead(&url, 200, &headers, &packed[..packed.len() - 4]);
        assert_eq!((torn.outlinks.len(), torn.unread), (1, Some(Unread::Malformed)));
        assert!(may_lead(&url, &headers) && !may_lead(&Url::parse("http://a.pt/x").unwrap(), &headers));
    }

    #[test]
    fn redirects_are_links_and_error_pages_lead_nowhere() {
        let leads = read(301, &[("Location", "../new?x=1")], b"");
        assert_eq!(leads.redirect_to.unwrap().as_str(), "http://a.pt/new?x=1");
        assert_eq!((leads.outlinks.len(), leads.outlinks[0].kind), (1, LinkKind::Redirect));
        assert_eq!(read(304, &[("Location", "/x")], b"").outlinks, []);
        assert_eq!(read(302, &[("Location", "javascript:x")], b"").outlinks, []);
        let lost = read(404, &[("Content-Type", "text/html")], b"<title>Lost</title><a href=/home>home</a>");
        assert_eq!((lost.title.as_deref(), lost.outlinks.len()), (Some("Lost"), 0));
    }

    #[test]
    fn floods_of_links_are_kept_and_followed_in_part() {
        let body: String = (0..7000).map(|number| format!("<a href={number}>x</a>")).collect();
        let leads = read(200, &[("Content-Type", "text/html")], body.as_bytes());
        assert_eq!((leads.outlinks.len(), followed(&leads.outlinks).len()), (7000, MAX_OUTLINKS));
    }
}
