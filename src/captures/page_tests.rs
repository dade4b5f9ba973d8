use super::*;
use crate::links::{MAX_LINK_BYTES_PER_PAGE, MAX_URL_BYTES};

fn read(status: u16, fields: &[(&str, &str)], body: &[u8]) -> PageLinks {
    let mut headers = Headers::new();
    for (name, value) in fields {
        headers.push(*name, *value);
    }
    lead(&Url::parse("http://a.pt/dir/x").unwrap(), status, &headers, body)
}

fn lead(url: &Url, status: u16, headers: &Headers, body: &[u8]) -> PageLinks {
    Body::new(status, headers, body.to_vec().into()).links(url, &mut LargePagePermit::default())
}

#[track_caller]
fn check(mime: &str, body: &str, expected: &[&str]) {
    let links = read(200, &[("Content-Type", mime)], body.as_bytes());
    let urls: Vec<&str> = links.outlinks.iter().map(|link| link.url.as_str()).collect();
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
    check("text/xml", itself, &["http://a.pt/f", "http://a.pt/n"]);
}

#[test]
fn all_texts_of_a_link_weigh() {
    let bare = Outlink::bare(Url::parse("http://a.pt/").unwrap(), LinkKind::Anchor);
    let link = Outlink { anchor: "x".repeat(100), rel: "x".repeat(1000), ..bare.clone() };
    assert_eq!(links_bytes(&[link]) - links_bytes(&[bare]), 1100);
}

#[test]
fn listings_that_never_close_are_read_once() {
    for (root, open) in [("urlset", "<loc>"), ("rss", "<link>"), ("urlset", "<loc><![CDATA["), ("RDF", "<link> x")] {
        for end in ["", "]]>", "</loc>"] {
            let body = format!("<{root}>{}{end}", open.repeat(250_000));
            let found = read(200, &[("Content-Type", "text/xml")], body.as_bytes());
            let expected = if open == "<link> x" { 250_000 - usize::from(end != "</loc>") } else { 0 };
            assert_eq!(found.outlinks.len(), expected, "{open}{end}");
        }
    }
}

#[test]
fn addresses_of_listings_that_are_too_long_are_left_out_and_reported() {
    let (long, plain) = ("x".repeat(MAX_URL_BYTES + 1), "<loc>/y</loc></urlset>");
    let cdata = format!("<![CDATA[{long}]]>");
    for address in [&long, &cdata, &format!("{}{long}", " ".repeat(100))] {
        let body = format!("<urlset><loc>{address}</loc>{plain}");
        let links = read(200, &[("Content-Type", "text/xml")], body.as_bytes());
        assert_eq!((links.outlinks.len(), links.unread), (1, Some(Unread::Cut)));
    }
    let links = read(200, &[("Content-Type", "text/xml")], format!("<feed><link href='{long}'/></feed>").as_bytes());
    assert_eq!((links.outlinks.len(), links.unread), (0, Some(Unread::Cut)));
    // A long URL of its own makes much out of little.
    let url = Url::parse(&format!("http://a.pt/{}/", "x".repeat(60_000))).unwrap();
    let mut headers = Headers::new();
    headers.push("Content-Type", "text/xml");
    let links = lead(&url, 200, &headers, format!("<urlset>{}</urlset>", "<loc>y</loc>".repeat(5_000)).as_bytes());
    assert_eq!((links.outlinks.len(), links.unread), (MAX_LINK_BYTES_PER_PAGE / 60_014, Some(Unread::Cut)));
}

#[test]
fn what_the_head_names_is_followed_whatever_the_body_is() {
    let next = [("Content-Type", "application/vnd.api"), ("Link", "</next>; rel=next")];
    let refresh = [("Refresh", "0; url=/there")];
    for (fields, body) in [(&next[..], &b"{}"[..]), (&next[..], b""), (&refresh[..], b""), (&refresh[..], b"GIF89a")] {
        assert_eq!(read(200, fields, body).outlinks.len(), 1, "{fields:?}");
        assert_eq!(read(404, fields, body).outlinks.len(), 0, "{fields:?}");
    }
}

#[test]
fn a_text_sitemap_is_one_wherever_its_beginning_ends() {
    for len in 290..310 {
        let lines: String = (0..40).map(|_| format!("http://a.pt/{}\n", "x".repeat(len - 13))).collect();
        let url = Url::parse("http://a.pt/sitemap.txt").unwrap();
        let mut headers = Headers::new();
        headers.push("Content-Type", "text/plain");
        assert_eq!(lead(&url, 200, &headers, lines.as_bytes()).outlinks.len(), 40, "{len}");
    }
}

#[test]
fn packed_sitemaps_are_read() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"<urlset><loc>http://a.pt/z</loc></urlset>").unwrap();
    let packed = packed.finish().unwrap();
    let mut headers = Headers::new();
    headers.push("Content-Type", "application/octet-stream");
    let url = Url::parse("http://a.pt/sitemap.xml.gz").unwrap();
    let links = lead(&url, 200, &headers, &packed);
    assert_eq!((links.outlinks.len(), links.unread), (1, None));
    let torn = lead(&url, 200, &headers, &packed[..packed.len() - 4]);
    assert_eq!((torn.outlinks.len(), torn.unread), (1, Some(Unread::Malformed)));
    assert!(may_have_links(&url, &headers) && !may_have_links(&Url::parse("http://a.pt/x").unwrap(), &headers));
}

#[test]
fn redirects_are_links_and_error_pages_lead_nowhere() {
    let links = read(301, &[("Location", "../new?x=1")], b"");
    assert_eq!(links.redirect_to.unwrap().as_str(), "http://a.pt/new?x=1");
    assert_eq!((links.outlinks.len(), links.outlinks[0].kind), (1, LinkKind::Redirect));
    assert_eq!(read(304, &[("Location", "/x")], b"").outlinks, []);
    assert_eq!(read(302, &[("Location", "javascript:x")], b"").outlinks, []);
    let lost = read(404, &[("Content-Type", "text/html")], b"<title>Lost</title><a href=/home>home</a>");
    assert_eq!((lost.title.as_deref(), lost.outlinks.len()), (Some("Lost"), 0));
}
