//! Kinds of links, one by one: the table of the guide to links, and what a test serves and crawls.

/// A kind of link, or several that are treated alike.
#[derive(Debug)]
pub struct LinkExamples {
    /// What they are, in Markdown.
    pub subject: &'static str,
    /// Whether a crawl follows them.
    pub is_followed: bool,
    /// One of each.
    pub examples: &'static [LinkExample],
}

/// A link as it stands on the web.
///
/// In `markup` and `fields`, `@@` stands for the path that it leads to, `@A` for its address, `{n}` for the last
/// segment of its path.
#[derive(Debug)]
pub struct LinkExample {
    /// The name of the file that it stands in; empty for markup of a page.
    pub file: &'static str,
    /// The `Content-Type` of that file.
    pub content_type: &'static str,
    /// A further field of the answer.
    pub fields: &'static str,
    /// The body of the file, or a part of that of a page.
    pub markup: &'static str,
}

/// A link in an HTML page.
const fn page(markup: &'static str) -> LinkExample {
    LinkExample { file: "", content_type: "", fields: "", markup }
}

const SITEMAP: &str = r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:video="v" xmlns:xhtml="x"><url><loc>@A</loc></url></urlset>"#;

/// A link in a file of its own.
const fn file(file: &'static str, content_type: &'static str, markup: &'static str) -> LinkExample {
    LinkExample { file, content_type, fields: "", markup }
}

/// A link in the head of an answer.
const fn head(file: &'static str, fields: &'static str) -> LinkExample {
    LinkExample { file, content_type: "text/html", fields, markup: "x" }
}

/// Every kind, first those that are followed.
pub const LINK_EXAMPLES: &[LinkExamples] = &[
    LinkExamples {
        subject: "`a`, `area`",
        is_followed: true,
        examples: &[
            page("<a href=@@>x</a>"),
            page("<map><area href=@@></map>"),
            page("<a rel=nofollow href=@@>x</a>"),
            page("<noscript><a href=@@>x</a></noscript>"),
            page("<a href=' @@ '>x</a>"),
            page("<a href='&#x2f;t&#47;{n}'>x</a>"),
            page(r#"<a href='\t\{n}'>x</a>"#),
            page("<a href='/t\n/{n}'>x</a>"),
            page("<a href='//kinds.example@@'>x</a>"),
            page("<a href='@@?id=1:2&b=c'>x</a>"),
        ],
    },
    LinkExamples {
        subject: "`img`, `srcset`, `picture`, `background`, `longdesc`",
        is_followed: true,
        examples: &[
            page("<img src=@@>"),
            page("<img srcset='@@ 1x'>"),
            page("<picture><source srcset='@@ 2x'><img></picture>"),
            page("<img src=/leaf longdesc=@@>"),
            page("<table background=@@></table>"),
            page("<table><tr><td background=@@></table>"),
            page("<input type=image src=@@>"),
            page("<image src=@@>"),
            page("<noscript><img src=@@></noscript>"),
            page("<img src='data:image/png;base64,AAAA'><img src='@@&#xA;   '>"),
        ],
    },
    LinkExamples {
        subject: "Images that scripts load later: `data-src`, `data-srcset`, `data-original`, `data-lazy-src`, `data-lazy-srcset`, `data-full-src`, `data-bg`",
        is_followed: true,
        examples: &[
            page("<img data-src=@@>"),
            page("<img data-srcset='@@ 1x'>"),
            page("<img data-original=@@>"),
            page("<img data-lazy-src=@@>"),
            page("<img data-lazy-srcset='/leaf 1x, @@ 2x'>"),
            page("<img data-full-src=@@>"),
            page("<div data-bg='@@'></div>"),
            page(r#"<div data-bg="url('@@')"></div>"#),
            page("<picture><source data-srcset='@@ 2x'><img></picture>"),
            page("<iframe data-src=@@></iframe>"),
            page("<video><source data-src=@@></video>"),
        ],
    },
    LinkExamples {
        subject: "`link`: style sheets, icons, preloads (`imagesrcset`), manifests, and links to other documents (`next`, `alternate`, `canonical` …)",
        is_followed: true,
        examples: &[
            page("<link rel=stylesheet href=@@>"),
            page("<link rel='shortcut icon' href=@@>"),
            page("<link rel=next href=@@>"),
            page("<link rel=prefetch href=@@>"),
            page("<link rel=canonical href=@@>"),
            page("<link rel=manifest href=@@>"),
            page("<link rel='alternate' type='application/rss+xml' href=@@>"),
            page("<link rel='search' type='application/opensearchdescription+xml' href=@@>"),
            page("<link rel='preload' as=font href=@@>"),
            page("<link rel=modulepreload href=@@>"),
            page("<link rel=amphtml href=@@>"),
            page("<link rel=apple-touch-icon href=@@>"),
            page("<link rel=pingback href=@@>"),
            page("<link rel=preload as=image imagesrcset='@@ 1x'>"),
            page("<link itemprop=image href=@@>"),
        ],
    },
    LinkExamples {
        subject: "Frames, `noframes`, `srcdoc`",
        is_followed: true,
        examples: &[
            page("<iframe src=@@></iframe>"),
            page("<noframes><a href=@@>x</a></noframes>"),
            page("<noframes><body><img src=@@></noframes>"),
            page("<iframe srcdoc='&lt;a href=@@&gt;x&lt;/a&gt;'></iframe>"),
            page(r#"<iframe srcdoc="<img src='@@'>"></iframe>"#),
            page("<iframe><a href=@@>x</a></iframe>"),
            page("<noembed><a href=@@>x</a></noembed>"),
            file("frames.html", "text/html", "<frameset><frame src=@@></frameset>"),
            file("frames.html", "text/html", "<frameset><noframes><a href=@@>x</a></noframes></frameset>"),
        ],
    },
    LinkExamples {
        subject: "`template`, declarative shadow DOM",
        is_followed: true,
        examples: &[
            page("<template><a href=@@>x</a></template>"),
            page("<template><img src=@@></template>"),
            page("<template><template><img srcset='@@ 1x'></template></template>"),
            page("<template><style>b{background:url(@@)}</style></template>"),
            page("<div><template shadowrootmode=open><img src=@@></template></div>"),
            page("<div><template shadowrootmode=open><link rel=stylesheet href=@@></template></div>"),
        ],
    },
    LinkExamples {
        subject: "Scripts by `src`",
        is_followed: true,
        examples: &[page("<script src=@@></script>"), page("<script type=module src=@@></script>")],
    },
    LinkExamples {
        subject: "Styles: `url()`, `@import`, `image-set()`, in sheets, `style` elements and attributes",
        is_followed: true,
        examples: &[
            page("<style>b{background:url(@@)}</style>"),
            page("<style>@import '@@';</style>"),
            page("<style>@import url(@@) print;</style>"),
            page("<p style='background:url(@@)'>x"),
            page("<style>c{background:image-set('@@' 1x)}</style>"),
            page(r#"<style>c{background:-webkit-image-set(url(/leaf) 1x, "@@" type('image/png') 2x)}</style>"#),
            page("<style>d{background:image-set(url(@@) 1x)}</style>"),
            page("<style>@font-face{font-family:x;src:url(@@) format('woff2')}</style>"),
            page(r#"<style>e{background:url(\2ft/{n})}</style>"#),
            file("s.css", "text/css", "@import '@@';"),
            file("s.css", "text/css", "b{background:url(@@)}"),
            file("s.css", "text/css", "@charset 'utf-8';@font-face{src:url('@@')}"),
            file("s.css", "text/css", "a{cursor:url(@@),auto}"),
            file("s.css", "text/css", "a{background:image-set('@@' 1x)}"),
        ],
    },
    LinkExamples {
        subject: "Sound, moving images, plug-ins: `video`, `audio`, `source`, `track`, `embed`, `object`, `param`, `applet`",
        is_followed: true,
        examples: &[
            page("<video src=@@></video>"),
            page("<video poster=@@></video>"),
            page("<audio src=@@></audio>"),
            page("<video><source src=@@></video>"),
            page("<video><track src=@@></video>"),
            page("<embed src=@@>"),
            page("<object data=@@></object>"),
            page("<object><param name=movie value=@@></object>"),
            page("<applet archive=@@ code=x></applet>"),
        ],
    },
    LinkExamples {
        subject: "Forms without `post`, `cite`",
        is_followed: true,
        examples: &[
            page("<form action=@@></form>"),
            page("<blockquote cite=@@>x</blockquote>"),
            page("<ins cite=@@>x</ins>"),
            page("<q cite=@@>x</q>"),
        ],
    },
    LinkExamples {
        subject: "`meta`: refresh, Open Graph, Twitter cards, microdata",
        is_followed: true,
        examples: &[
            page("<meta http-equiv=refresh content='900;url=@@'>"),
            page(r#"<meta http-equiv=refresh content="900;URL='@@'">"#),
            page("<noscript><meta http-equiv=refresh content='900;url=@@'></noscript>"),
            page("<meta property='og:image' content='@A'>"),
            page("<meta property=og:image content='@@'>"),
            page("<meta property=og:image:secure_url content='@A'>"),
            page("<meta property=og:video content='@A'>"),
            page("<meta property=og:url content='@A'>"),
            page("<meta name='twitter:image' content='@A'>"),
            page("<meta name=twitter:player content='@A'>"),
            page("<meta name=msapplication-TileImage content=@@>"),
            page("<meta itemprop=image content='@A'>"),
        ],
    },
    LinkExamples {
        subject: "Images in JSON-LD",
        is_followed: true,
        examples: &[
            page(r#"<script type='application/ld+json'>{"@type":"Thing","image":"@A"}</script>"#),
            page(
                r#"<script type='application/ld+json'>[{"publisher":{"logo":{"@type":"ImageObject","url":"@A"}}}]</script>"#,
            ),
            page(r#"<script type='application/ld+json'>{"image":["/leaf.png","@@.png"]}</script>"#),
        ],
    },
    LinkExamples {
        subject: "SVG in a page",
        is_followed: true,
        examples: &[
            page("<svg><image href=@@ /></svg>"),
            page("<svg><a xlink:href=@@>x</a></svg>"),
            page("<svg><use href='@@#a'/></svg>"),
            page("<svg><filter><feImage href='@@'/></filter></svg>"),
            page("<svg><style>a{fill:url(@@#x)}</style></svg>"),
        ],
    },
    LinkExamples {
        subject: "SVG files",
        is_followed: true,
        examples: &[
            file("d.svg", "image/svg+xml", r#"<svg xmlns:xlink="x"><image xlink:href="@@"/></svg>"#),
            file(
                "d.svg",
                "image/svg+xml",
                r#"<svg xmlns="http://www.w3.org/2000/svg"><style>@import url(@@);</style></svg>"#,
            ),
            file("d.svg", "image/svg+xml", r#"<svg xmlns="http://www.w3.org/2000/svg"><a href="@@"/></svg>"#),
            file("d.svg", "image/svg+xml", r#"<svg xmlns="http://www.w3.org/2000/svg"><script href="@@"/></svg>"#),
        ],
    },
    LinkExamples {
        subject: "Fields of an answer: `Link`, `Refresh`",
        is_followed: true,
        examples: &[
            head("head", "Link: <@@>; rel=preload; as=image"),
            head("head", r#"Link: </leaf>; rel=author, <@@>; title="a, b"; rel="next""#),
            head("head", "Refresh: 900; url=@@"),
        ],
    },
    LinkExamples {
        subject: "XHTML",
        is_followed: true,
        examples: &[file(
            "x.xhtml",
            "application/xhtml+xml",
            r#"<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script src="/leaf.js"/></head><body><a href="@@">x</a></body></html>"#,
        )],
    },
    LinkExamples {
        subject: "RSS and RDF: links, comments, identifiers, enclosures, images, Media RSS, HTML of entries",
        is_followed: true,
        examples: &[
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><link>@A</link></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><guid isPermaLink="true">@A</guid></item></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><enclosure url="@A" type="audio/mpeg"/></item></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><description>&lt;a href="@A"&gt;x&lt;/a&gt;</description></item></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><content:encoded><![CDATA[<img src="@@">]]></content:encoded></item></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><media:content url="@A"/></item></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><itunes:image href="@A"/></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><comments>@A</comments></item></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><image><url>@A</url></image></channel></rss>"#,
            ),
            file(
                "rss",
                "application/rss+xml",
                r#"<rss version="2.0" xmlns:media="m" xmlns:itunes="i"><channel><item><link>http://kinds.<![CDATA[example]]>@@</link></item></channel></rss>"#,
            ),
            file("rdf", "application/rdf+xml", r#"<rdf:RDF xmlns:rdf="r"><item><link>@A</link></item></rdf:RDF>"#),
        ],
    },
    LinkExamples {
        subject: "Atom: links, enclosures, logos, content, `xml:base`",
        is_followed: true,
        examples: &[
            file(
                "atom",
                "application/atom+xml",
                r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="@A"/></entry></feed>"#,
            ),
            file(
                "atom",
                "application/atom+xml",
                r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="enclosure" href="@A"/></entry></feed>"#,
            ),
            file("atom", "application/atom+xml", r#"<feed xmlns="http://www.w3.org/2005/Atom"><logo>@A</logo></feed>"#),
            file(
                "atom",
                "application/atom+xml",
                r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="html">&lt;a href="@A"&gt;x&lt;/a&gt;</content></entry></feed>"#,
            ),
            file(
                "atom",
                "application/atom+xml",
                r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:base="/t/"><link href="{n}"/></entry></feed>"#,
            ),
        ],
    },
    LinkExamples {
        subject: "Sitemaps of robots.txt and their indexes, packed or in text, with images, videos and languages; `/sitemap.xml` of a seed's host whose robots.txt names none",
        is_followed: true,
        examples: &[
            file("sitemap.xml", "application/xml", SITEMAP),
            file(
                "sitemap.xml",
                "application/xml",
                r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:video="v" xmlns:xhtml="x"><url><loc>http://kinds.example/leaf</loc><image:image><image:loc>@A</image:loc></image:image></url></urlset>"#,
            ),
            file(
                "sitemap.xml",
                "application/xml",
                r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:video="v" xmlns:xhtml="x"><url><loc>http://kinds.example/leaf</loc><xhtml:link rel="alternate" hreflang="pt" href="@A"/></url></urlset>"#,
            ),
            file(
                "sitemap.xml",
                "application/xml",
                r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:video="v" xmlns:xhtml="x"><url><loc>http://kinds.example/leaf</loc><video:video><video:content_loc>@A</video:content_loc></video:video></url></urlset>"#,
            ),
            file("sitemap.xml", "application/xml", r#"<?xml version="1.0"?><urlset><url><loc>@A</loc></url></urlset>"#),
            file("sitemap.xml", "text/xml", "<sitemapindex><sitemap><loc>@A</loc></sitemap></sitemapindex>"),
            file("sitemap.xml", "application/octet-stream", "<urlset><url><loc>@A</loc></url></urlset>"),
            file("sitemap", "text/plain", "@A"),
            file("sitemap.txt", "text/plain", "@A\nhttp://kinds.example/leaf\n"),
            file("sitemap.xml.gz", "application/octet-stream", SITEMAP),
            file("sitemap.gz", "application/x-gzip;charset=utf-8", SITEMAP),
            file("sitemap.xml.gz.gz", "application/x-gzip", SITEMAP),
            file("sitemap-in-utf-16.xml", "application/xml", SITEMAP),
        ],
    },
    LinkExamples {
        subject: "OPML, JSON Feed, web app manifests, `xml-stylesheet`",
        is_followed: true,
        examples: &[
            file("feeds.opml", "text/x-opml", r#"<opml><body><outline xmlUrl="@A"/></body></opml>"#),
            file(
                "feed.json",
                "application/feed+json",
                r#"{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"@A"}]}"#,
            ),
            file(
                "feed.json",
                "application/json",
                r#"{"items":[{"content_html":"<img src='@@'>"}],"version":"https://jsonfeed.org/version/1"}"#,
            ),
            file("app.webmanifest", "application/manifest+json", r#"{"icons":[{"src":"@@"}]}"#),
            file("manifest.json", "application/json", r#"{"name":"x","icons":[{"src":"@@"}]}"#),
            file(
                "x.xml",
                "application/xml",
                r#"<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="@@"?><a/>"#,
            ),
        ],
    },
    LinkExamples {
        subject: "Playlists: `m3u8`, DASH with its patterns of names",
        is_followed: true,
        examples: &[
            file("list.m3u8", "application/vnd.apple.mpegurl", "#EXTM3U\n@@\n"),
            file("list.m3u8", "application/vnd.apple.mpegurl", "#EXTM3U\n#EXTINF:1,\n../../t/{n}\n"),
            file(
                "list.m3u8",
                "application/vnd.apple.mpegurl",
                "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"@@\"\n/leaf\n",
            ),
            file("d.mpd", "application/dash+xml", "<MPD><BaseURL>@@</BaseURL></MPD>"),
            file(
                "d.mpd",
                "application/dash+xml",
                r#"<MPD><BaseURL>/t/</BaseURL><Period><SegmentList><SegmentURL media="{n}"/></SegmentList></Period></MPD>"#,
            ),
            file(
                "d.mpd",
                "application/dash+xml",
                r#"<MPD mediaPresentationDuration="PT1S"><Period><AdaptationSet><SegmentTemplate media="/t/$RepresentationID$"/><Representation id="{n}"/></AdaptationSet></Period></MPD>"#,
            ),
        ],
    },
    LinkExamples {
        subject: "PDF files: addresses of link annotations",
        is_followed: true,
        examples: &[
            file("p.pdf", "application/pdf", "%PDF-1.4\n1 0 obj<</Type/Annot/A<</S/URI/URI(@A)>>>>endobj\n"),
            file(
                "p.pdf",
                "application/pdf",
                "%PDF-1.4\n1 0 obj<</Type/Catalog/URI<</Base(http://kinds.example/t/)>>>>endobj 2 0 obj<</A<</S/URI/URI({n})>>>>endobj\n",
            ),
        ],
    },
    LinkExamples { subject: "Redirects", is_followed: true, examples: &[head("moved", "Location: @@")] },
    LinkExamples {
        subject: "Attributes of scripts with other names, and values that are no file",
        is_followed: false,
        examples: &[
            page("<div data-background-image='@@'></div>"),
            page("<a data-href=@@>x</a>"),
            page("<img data-src='{{ @@ }}'>"),
        ],
    },
    LinkExamples {
        subject: "`link` hints about hosts (`preconnect`, `dns-prefetch`)",
        is_followed: false,
        examples: &[page("<link rel=preconnect href=@@>"), page("<link rel=dns-prefetch href=@@>")],
    },
    LinkExamples {
        subject: "What is sent when somebody presses: `post`, `formaction`, `ping`, values of fields",
        is_followed: false,
        examples: &[
            page("<form method=post action=@@></form>"),
            page("<form><button formaction=@@>x</button></form>"),
            page("<form><input type=submit formaction=@@></form>"),
            page("<a ping=@@ href=/leaf>x</a>"),
            page("<select><option value=@@>x</select>"),
            page("<input value=@@>"),
        ],
    },
    LinkExamples {
        subject: "Other values of JSON-LD",
        is_followed: false,
        examples: &[page(r#"<script type='application/ld+json'>{"sameAs":"@A"}</script>"#)],
    },
    LinkExamples {
        subject: "Addresses in scripts, in comments and in text; what browsers do not ask for",
        is_followed: false,
        examples: &[
            page("<script>var u='@A.html';</script>"),
            page("<script>location.href='@@.html'</script>"),
            page(r#"<a onclick="location='@@.html'">x</a>"#),
            page("<script type=module>import x from '@@';</script>"),
            page(r#"<script type=importmap>{"imports":{"a":"@@"}}</script>"#),
            page(r#"<script type=application/json>{"u":"@@.json"}</script>"#),
            page("<!-- <a href=@@>x</a> -->"),
            page("<!--[if IE]><img src=@@><![endif]-->"),
            page("<math href='@@'>x</math>"),
            page("<bgsound src=@@>"),
            page("<portal src=@@></portal>"),
            page("see @A now"),
            file("s.js", "application/javascript", "var a='@@';"),
            file("d.json", "application/json", r#"{"url":"@A"}"#),
            file("read.txt", "text/plain", "see @A now"),
            file("v.vtt", "text/vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n@@\n"),
        ],
    },
    LinkExamples {
        subject: "Fields that name the same document: `Content-Location`, `Location` with 201",
        is_followed: false,
        examples: &[head("head", "Content-Location: @@"), head("created", "Location: @@")],
    },
    LinkExamples {
        subject: "RSS identifiers that are no addresses",
        is_followed: false,
        examples: &[file(
            "rss",
            "application/rss+xml",
            r#"<rss><channel><item><guid isPermaLink="false">@A</guid></item></channel></rss>"#,
        )],
    },
    LinkExamples {
        subject: "Attributes that name no file: `usemap`, `profile`, `manifest` of `html`",
        is_followed: false,
        examples: &[page("<html manifest=@@>"), page("<head profile=@@>")],
    },
];
