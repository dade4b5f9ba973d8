//! Tests of extraction on pages whose links are known.

use super::*;
use crate::links::{
    ANCHOR_BREAK, AnchorBreaks, LinkKinds, MAX_ANCHOR_BYTES, MAX_DEPTH, MAX_LINK_BYTES_PER_PAGE, MAX_URL_BYTES,
    PageCuts, PagePlace,
};
use crate::testing;

fn page(html: &str) -> Page {
    page_at(html, "https://exemplo.pt/dir/p.html", &PageOptions::default())
}

fn page_at(html: &str, url: &str, options: &PageOptions) -> Page {
    read_page(html.as_bytes(), None, &Url::parse(url).unwrap(), options)
}

/// `href anchor` of every `a`, hrefs relative to the folder of the test page.
fn anchors(html: &str) -> Vec<(String, String)> {
    let page = page(html);
    let positions: Vec<u32> = page.links.iter().map(|link| link.position).collect();
    assert_eq!(positions, (0..u32::try_from(page.links.len()).unwrap()).collect::<Vec<_>>());
    page.links
        .into_iter()
        .filter(|link| link.kind == LinkKind::Anchor)
        .map(|link| {
            (
                link.url.as_str().strip_prefix("https://exemplo.pt/dir/").unwrap_or(link.url.as_str()).to_owned(),
                link.anchor,
            )
        })
        .collect()
}

#[track_caller]
fn check(html: &str, expected: &[(&str, &str)]) {
    let got = anchors(html);
    let got: Vec<(&str, &str)> = got.iter().map(|(url, anchor)| (url.as_str(), anchor.as_str())).collect();
    assert_eq!(got, expected, "{html}");
}

#[test]
fn anchors_are_the_text_of_the_element() {
    check("<a href=x>um <b>dois</b>\n\t tr&ecirc;s&nbsp;</a> não", &[("x", "um dois três")]);
    check("<A HREF='x'></A><a name=y>no</a><a href=z><img src=i alt=alt></a>", &[("x", ""), ("z", "")]);
    check("<a href=x>a<!-- b -->c<script>d</script><style>e</style></a>", &[("x", "ac")]);
    check("<a href=x>one<br>two<div>three</div></a>", &[("x", "onetwothree")]);
    check("<a href=x>a<textarea>b <i>c</i></textarea></a>", &[("x", "ab <i>c</i>")]);
    check("<a href=x>never closed", &[("x", "never closed")]);
    check("<a href=x href=y>first counts</a>", &[("x", "first counts")]);
    check("<a href = \"x\"/>open</a>", &[("x", "open")]);
    check("<a href=x>a &lt; b &amp;amp; &#233; &notit; &not</a>", &[("x", "a < b &amp; é ¬it; ¬")]);
}

#[test]
fn a_second_a_ends_the_first() {
    check("<a href=x>one<a href=y>two</a>three</a>", &[("x", "one"), ("y", "two")]);
    check("<a href=x>one<b><a href=y>two</a></b>", &[("x", "one"), ("y", "two")]);
    check("<a href=x>1<table><tr><td><a href=y>2</a></table>3</a>", &[("x", "123"), ("y", "2")]);
    check("<a href=x>1<object><a href=y>2</a></object>3</a>", &[("x", "123"), ("y", "2")]);
}

#[test]
fn misnested_blocks_split_a_link_as_in_browsers() {
    check("<p><a href=x>one<p>two</a>three", &[("x", "one"), ("x", "two")]);
    check("<a href=x>one<div>two</a>three</div>", &[("x", "one"), ("x", "two")]);
    check("<b><a href=x>one</b>two</a>", &[("x", "one"), ("x", "two")]);
    check("<a href=x>1<p>2<a href=y>3</a>4", &[("x", "1"), ("x", "2"), ("y", "3")]);
    check("<div><a href=x>1</div>2</a>", &[("x", "1"), ("x", "2")]);
    check("<ul><li><a href=x>1<li><a href=y>2</ul>", &[("x", "1"), ("y", "2")]);
    // The split part wraps what was inside the block, so it comes first.
    check("<a href=x>1<div><table><tr><td><a href=y>2</a></table></a>3</div>", &[("x", "1"), ("x", "2"), ("y", "2")]);
    check("<a href=x><b>1<div>2</a>3</div>", &[("x", "1"), ("x", "2")]);
    // Parts without text are no links, but a link without any text is one.
    check("<p><a href=x>1</p>\n<p></a>", &[("x", "1")]);
    check("<a href=x><div>2</a></div>", &[("x", "2")]);
    check("<a href=x><div></a></div>", &[("x", "")]);
}

#[test]
fn tables_move_stray_content() {
    check("<table><a href=x>1</a><tr><td>2</td></tr></table>", &[("x", "1")]);
    check("<table><tr><td><a href=y>2</a></td></tr><a href=x>1</a></table>", &[("x", "1"), ("y", "2")]);
    check("<a href=x><table><tr><td>2</table></a>", &[("x", "2")]);
    check("<table><tr><td><a href=x>1<td>2</table>3", &[("x", "1")]);
}

#[test]
fn what_is_no_markup_makes_no_links() {
    for html in [
        "<!-- <a href=x>no</a> -->",
        "<script>\"<a href=x>no</a>\"</script>",
        "<style><a href=x>no</a></style>",
        "<title><a href=x>no</a></title>",
        "<textarea><a href=x>no</a></textarea>",
        "<xmp><a href=x>no</a></xmp>",
        "<noframes><a href=x>no</a></noframes>",
        "<iframe><a href=x>no</a></iframe>",
        "<template><a href=x>no</a></template>",
        "<plaintext><a href=x>no</a>",
        "<svg><![CDATA[<a href=x>no</a>]]></svg>",
        "<a href>no</a><a href=''>no</a><a href=' '>no</a><a href='#x'>no</a>",
        "<a href='mailto:a@b'>no</a><a href='JavaScript:x()'>no</a><a href='data:,x'>no</a><a href='tel:1'>no</a><a href='ftp://h/x'>no</a>",
        "<a href='http://'>no</a><a href='http://[::bad'>no</a>",
    ] {
        check(html, &[]);
    }
    check("<noscript><a href=x>yes</a></noscript>", &[("x", "yes")]);
    check("<head><noscript><a href=x>yes</a></noscript>", &[("x", "yes")]);
    check("<svg><title><a href=x>in svg</a></title></svg>", &[("x", "in svg")]);
    check("<svg><a href=x><text>svg</text></a></svg>", &[("x", "svg")]);
    check("<template><script>'</template>'</script></template><a href=x>yes</a>", &[("x", "yes")]);
}

#[test]
fn references_are_resolved_as_browsers_do() {
    check("<a href=' \n x y#f'>a</a>", &[("x%20y", "a")]);
    check("<a href='a\n\tb'>a</a>", &[("ab", "a")]);
    check("<a href='HTTPS:y'>a</a>", &[("y", "a")]);
    check("<a href='//h/é?ü'>a</a>", &[("https://h/%C3%A9?%C3%BC", "a")]);
    check(
        "<a href='x'>before</a><base target=_top><base href='/b/'><base href='/c/'>",
        &[("https://exemplo.pt/b/x", "before")],
    );
    check("<base href='data:,x'><a href=y>a</a>", &[("y", "a")]);
    check("<base href=''><a href=y>a</a>", &[("y", "a")]);
    check("<base href='ftp://h/'><a href=y>a</a><a href='http://h/z'>b</a>", &[("http://h/z", "b")]);
    check("<a href='\u{a0}x'>a</a>", &[("%C2%A0x", "a")]);
    // A place in the page is one in its base, where that is another page.
    check("<base href='http://h/q#f'><a href='#t'>a</a><a href=''>b</a>", &[("http://h/q", "a")]);
    check("<base href='p.html'><a href='#t'>a</a>", &[]);
    check("<a href='#t'>a</a>", &[]);
}

#[test]
fn nofollow_comes_from_link_or_page() {
    let nofollow = |html: &str| page(html).links.iter().map(|link| link.nofollow).collect::<Vec<_>>();
    assert_eq!(nofollow("<a rel='x NOFOLLOW' href=a>a</a><a href=b>b</a>"), [true, false]);
    assert_eq!(nofollow("<a href=a>a</a><meta name=ROBOTS content='index, NoFollow'>"), [true]);
    assert_eq!(nofollow("<a href=a>a</a><meta name=robots content=none>"), [true]);
    assert_eq!(nofollow("<a href=a>a</a><meta name=googlebot content=nofollow>"), [false]);
}

#[test]
fn every_kind_of_link_is_recognised() {
    let html = "<link rel='shortcut icon' href=1><link rel=next href=2><link rel=preconnect href=//no>\
        <meta http-equiv=refresh content='0;url=3'><style>@import '4'; a{background:url(5)}</style>\
        <body background=6><img src=7 srcset='8 2x, 9 3x' alt=' Um \n quadro '><area href=10 alt=Norte>\
        <iframe src=11></iframe><script src=12></script><video src=13 poster=14><source src=15><track src=16></video>\
        <object data=17></object><embed src=18><form action=19></form><form action=no method=POST></form>\
        <input type=IMAGE src=20 alt=Ir><input src=no><p style=\"background:url('21')\">\
        <picture><source srcset='22'></picture><blockquote cite=23></blockquote><svg><image xlink:href=24 /></svg>";
    let got: Vec<String> = page(html)
        .links
        .iter()
        .map(|link| format!("{}{} {}", link.kind.wat_path(), link.url.path().replace("/dir", ""), link.anchor))
        .collect();
    let expected = [
        "LINK@/stylesheet/1 ",
        "LINK@/href/2 ",
        "META@/refresh/3 ",
        "STYLE/#text/4 ",
        "STYLE/#text/5 ",
        "IMG@/src/6 ",
        "IMG@/src/7 Um quadro",
        "IMG@/src/8 Um quadro",
        "IMG@/src/9 Um quadro",
        "AREA@/href/10 Norte",
        "IFRAME@/src/11 ",
        "SCRIPT@/src/12 ",
        "IMG@/src/14 ",
        "MEDIA@/src/13 ",
        "MEDIA@/src/15 ",
        "MEDIA@/src/16 ",
        "MEDIA@/src/17 ",
        "MEDIA@/src/18 ",
        "FORM@/action/19 ",
        "IMG@/src/20 Ir",
        "STYLE/#text/21 ",
        "IMG@/src/22 ",
        "LINK@/href/23 ",
        "IMG@/src/24 ",
    ];
    assert_eq!(got, expected);
    let frames = page("<frameset><frame src=a><frame src=b></frameset><noframes><a href=c>x</a></noframes>");
    let frames: Vec<_> = frames.links.iter().map(|link| (link.url.path(), link.kind)).collect();
    assert_eq!(
        frames,
        [("/dir/a", LinkKind::Frame), ("/dir/b", LinkKind::Frame), ("/dir/c", LinkKind::Area)],
        "who knows no frames follows the last, which is no inlink"
    );
}

#[test]
fn images_speak_for_links_only_on_request() {
    let html = "<a href=x><img src=i alt='Um  mapa'><img src=j alt=dois></a><a href=y>texto<img src=k alt=no></a>";
    let options = PageOptions { image_alt: true, ..PageOptions::default() };
    let with = page_at(html, "https://exemplo.pt/", &options);
    let anchors: Vec<&str> =
        with.links.iter().filter(|link| link.kind == LinkKind::Anchor).map(|link| link.anchor.as_str()).collect();
    assert_eq!(anchors, ["Um mapa dois", "texto"]);
    check(html, &[("x", ""), ("y", "texto")]);
}

#[test]
fn images_speak_for_the_link_around_them_and_no_longer_than_text_does() {
    let options = PageOptions { image_alt: true, ..PageOptions::default() };
    let anchors = |html: &str| -> Vec<String> {
        let page = page_at(html, "https://exemplo.pt/", &options);
        page.links.into_iter().filter(|link| link.kind == LinkKind::Anchor).map(|link| link.anchor).collect()
    };
    let nested = "<a href=o><object><a href=x><img alt=A></a><a href=y><img alt=B></a><img alt=C></object></a>";
    assert_eq!(anchors(nested), ["A B C", "A", "B"]);
    let long = anchors(&format!("<a href=x><img alt='{}'></a><a href=y><img alt=B></a>", "ã".repeat(200_000)));
    assert_eq!((long[0].len(), long[1].as_str()), (MAX_ANCHOR_BYTES, "B"));
    // Each of so many links looks at what stands in it alone.
    let many = format!("<a href=o><object>{}", "<a href=y><img alt=z></a>".repeat(200_000));
    assert_eq!(anchors(&many).len(), 200_001);
    let before = format!("<a href=o><object>{}{}", "<img alt=z>".repeat(200_000), "<a href=y></a>".repeat(200_000));
    assert_eq!(anchors(&before).iter().filter(|anchor| !anchor.is_empty()).count(), 1);
}

#[test]
fn kinds_that_are_left_out_change_nothing_about_the_others() {
    let html = "<link rel=stylesheet href=s><link rel=next href=n><meta http-equiv=refresh content='0;url=m'>\
        <body background=b><a href=x style='b:url(c)'><img src=i srcset='j 2x' alt=Mapa longdesc=d></a><a href=y>texto</a>\
        <map><area href=z alt=w></map><style>a{b:url(k)}</style><script src=t></script><iframe src=f></iframe>\
        <noframes><a href=h1><iframe src=h2></a></noframes><template><a href=h3></a><img src=h4><embed src=h5></template>\
        <iframe srcdoc='<meta http-equiv=refresh content=1;no><script src=h6></script><p style=a:url(h7)>'></iframe>\
        <img data-src=i.x data-srcset='j.x 2x'><div data-bg='url(k.x)'><meta property=og:video content=l.x>\
        <script type=application/ld+json>{\"image\":\"m.x\"}</script><link imagesrcset='n.x 1x'>\
        <video src=v poster=w></video><form action=g></form><svg><a xlink:href=q></a><image href=r /></svg>";
    let with = |kinds| {
        let options = PageOptions { image_alt: true, kinds, ..PageOptions::links_only() };
        let mut links = Vec::new();
        read_links(html.as_bytes(), None, &Url::parse("https://exemplo.pt/").unwrap(), &options, |link| {
            links.push((link.kind, link.url.as_str().to_owned(), link.anchor.to_owned()));
        });
        links
    };
    let all = with(LinkKinds::ALL);
    let mut found = 0;
    for kind in all.iter().map(|(kind, ..)| *kind).collect::<std::collections::HashSet<_>>() {
        let only = with([kind].into_iter().collect());
        let expected: Vec<_> = all.iter().filter(|(other, ..)| *other == kind).cloned().collect();
        assert_eq!(only, expected, "{kind:?}");
        found += 1;
    }
    assert_eq!(found, 11);
    assert_eq!(with(LinkKinds::from_iter([])), []);
}

#[test]
fn title_language_canonical_and_text() {
    let read = page(
        "<!doctype html><html lang=pt-PT><title> Uma\n p&aacute;gina </title><title>no</title>\
         <link rel=canonical href='/c#x'><h1>Olá</h1>a <b>b</b>\n c<p>d<br>e<script>no</script><noscript>no</noscript>\
         <table><tr><td>1<td>2<tr><td>3</table><ul><li>x<li>y</ul>",
    );
    assert_eq!(read.title.as_deref(), Some("Uma página"));
    assert_eq!(read.language.as_deref(), Some("pt"));
    assert_eq!(read.canonical.unwrap().as_str(), "https://exemplo.pt/c");
    assert_eq!(read.text, "Olá\na b c\nd\ne\n1 2\n3\nx\ny");
    let declared = page("<meta http-equiv=content-language content='EN-gb, fr'>");
    assert_eq!(declared.language.as_deref(), Some("en"));
    // What the text is written in is told elsewhere.
    let text = "Todos os cidadãos têm direito à informação e à cultura. ".repeat(5);
    assert_eq!(page(&format!("<p>{text}")).language, None);
    assert_eq!(page("").title, None);
}

#[test]
fn xhtml_ends_empty_elements_at_once() {
    let html = "<title/><script src='s.js'/><p/><a href=x>1</a><a name=n/>2<svg><a href='z'/></svg><a href=y>3</a>";
    let options = PageOptions { xhtml: true, ..PageOptions::default() };
    let links = page_at(html, "https://exemplo.pt/dir/", &options).links;
    let got: Vec<(&str, &str)> = links.iter().map(|link| (link.url.path(), link.anchor.as_str())).collect();
    assert_eq!(got, [("/dir/s.js", ""), ("/dir/x", "1"), ("/dir/z", ""), ("/dir/y", "3")]);
    // In HTML the title swallows the rest.
    check(html, &[]);
}

#[test]
fn style_sheets_have_links() {
    let base = Url::parse("https://exemplo.pt/css/a.css").unwrap();
    let (links, _) = read_css(b"@import 'b.css'; a{b:url(../i.png#x)} c{d:url(data:,x)} e{f:url(#g)}", None, &base);
    let urls: Vec<&str> = links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(urls, ["https://exemplo.pt/css/b.css", "https://exemplo.pt/i.png"]);
}

#[test]
fn agrees_with_the_link_pages() {
    let Some(path) = testing::data("html/link_pages.json") else { return };
    let cases: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let page = page_at(case["html"].as_str().unwrap(), case["base"].as_str().unwrap(), &PageOptions::default());
        let fetch: Vec<&str> = page.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(serde_json::json!(fetch), case["fetch"], "{}", case["name"]);
        let inlinks: Vec<_> = page
            .links
            .iter()
            .filter(|link| link.kind == LinkKind::Anchor)
            .map(|link| (link.url.as_str(), link.anchor.as_str()))
            .collect();
        assert_eq!(serde_json::json!(inlinks), case["inlinks"], "{}", case["name"]);
    }
}

#[test]
fn agrees_with_the_archives_unleashed_toolkit() {
    let Some(path) = testing::data("inlinks/aut_expected.json") else { return };
    let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for case in expected["html_fragments"].as_array().unwrap() {
        let base = case["base"].as_str().unwrap();
        let kind = if case["kind"] == "images" { LinkKind::Image } else { LinkKind::Anchor };
        // Without a base AUT keeps only absolute links; here a base that shows which were relative.
        let nowhere = "http://nowhere.invalid/";
        let url = if base.is_empty() { nowhere } else { base };
        let page = page_at(case["html"].as_str().unwrap(), url, &PageOptions::default());
        let got: Vec<_> = page
            .links
            .iter()
            .filter(|link| link.kind == kind && !link.url.as_str().starts_with(nowhere))
            .map(|link| (link.url.as_str(), link.anchor.as_str()))
            .collect();
        let expected: Vec<(String, String)> = serde_json::from_value(case["links"].clone()).unwrap();
        // AUT does not normalise, so `http://www.google.com` lacks its slash.
        let expected: Vec<_> = expected.iter().map(|(url, text)| (Url::parse(url).unwrap(), text)).collect();
        let expected: Vec<_> = expected.iter().map(|(url, text)| (url.as_str(), text.as_str())).collect();
        assert_eq!(got, expected, "{}", case["html"]);
    }
}

/// webarchive-commons also guesses: `data-href`, `data-uri` and addresses in
/// scripts of `onclick`. Those are no links, and left out; a link without a
/// host and places in the page itself cannot be fetched.
#[test]
fn agrees_with_webarchive_commons_but_for_its_guesses() {
    let (Some(expected), Some(warc)) =
        (testing::data("html/links_expected.json"), testing::data("warc/links/link-extraction-test.warc"))
    else {
        return;
    };
    let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    let mut reader = crate::warc::ArchiveReader::open(&warc).unwrap();
    let mut pages = Vec::new();
    while let Some(record) = reader.next_record(1 << 20).unwrap() {
        // The last one says no address.
        let url = record.head.target_url().unwrap_or_else(|| Url::parse("http://www.example.com/").unwrap());
        let Some(head) = crate::warc::http::parse_response_head(&record.block) else { continue };
        pages.push(read_page(&record.block[head.head_len..], None, &url, &PageOptions::default()));
    }
    let records = expected["records"].as_array().unwrap();
    assert_eq!(pages.len(), records.len());
    let (mut met, mut guesses) = (0, 0);
    for (page, record) in pages.iter().zip(records) {
        for link in record["links"].as_array().unwrap() {
            let (reference, place) = (link[0].as_str().unwrap(), link[1].as_str().unwrap());
            let is_guess = place.contains("@/data-") || place.contains("@/onclick");
            let reference = reference.replace("&amp;", "&");
            let url = page.base.join(&reference).map(|mut url| {
                url.set_fragment(None);
                url
            });
            let Some(url) = url.ok().filter(|_| !is_guess && !reference.starts_with('#') && place != "__base__") else {
                guesses += 1;
                continue;
            };
            met += 1;
            assert!(page.links.iter().any(|link| link.url == url), "{}: {place} {url}", record["name"]);
        }
    }
    println!("{met} met, {guesses} guessed by the other program");
    assert!(met > 20);
}

#[test]
fn hostile_pages_are_read_in_bounds() {
    let deep = page(&format!("{}<a href=x>fundo</a>", "<div>".repeat(100_000)));
    assert_eq!((deep.links.len(), deep.links[0].anchor.as_str()), (1, "fundo"));
    assert!(deep.cut.depth > 100_000 - MAX_DEPTH as u64);
    let long = page(&format!("<a href='http://h/{}'>a</a><a href=y>b</a>", "x".repeat(10 << 20)));
    assert_eq!((long.links.len(), long.cut.links), (1, 1));
    let attributes: String = (0..100_000).map(|n| format!(" a{n}=x")).collect();
    assert_eq!(page(&format!("<a{attributes} href=y>b</a>")).links.len(), 1);
    let many = page(&"<a href=x>a</a>".repeat(200_000));
    assert_eq!((many.links.len(), many.cut), (200_000, PageCuts::default()));
    let soup: String = (0..20_000).map(|n| format!("<font size={n}><p>x")).collect();
    assert!(page(&soup).links.is_empty());
    for hostile in [
        "<a href=x><object>",
        "<a href=x><div>",
        "<b><p>",
        "<table><tr><td>",
        "<select><table>",
        "</p>",
        "<svg><p>",
        "<a href=x><table>",
    ] {
        let html = hostile.repeat(20_000);
        assert!(page(&html).links.len() <= 20_000 * 8, "{hostile}");
    }
    let text = page(&format!("<p>{}", "é".repeat(2 << 20)));
    assert!(text.cut.text && text.text.len() <= 1 << 20);
    let nested = format!("{}{}", "<a href=x><object>".repeat(300), "texto ".repeat(20_000));
    let nested = page(&nested);
    assert!(
        nested.cut.anchors > 0 && nested.links.iter().all(|link| link.anchor.len() <= crate::links::MAX_ANCHOR_BYTES)
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]

    #[test]
    fn never_panics_on_bytes(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
        read_page(&bytes, None, &Url::parse("http://h/").unwrap(), &PageOptions::default());
    }

    #[test]
    fn never_panics_on_tag_soup(
        parts in proptest::collection::vec(proptest::sample::select(SOUP), 0..60),
    ) {
        let html = parts.concat();
        let page = page(&html);
        // Positions number the links; nothing but web addresses come out.
        for (at, link) in page.links.iter().enumerate() {
            proptest::prop_assert_eq!(link.position as usize, at);
            proptest::prop_assert!(matches!(link.url.scheme(), "http" | "https"));
        }
    }
}

const SOUP: &[&str] = &[
    "<a href=x>",
    "</a>",
    "<a href=y>",
    "<b>",
    "</b>",
    "<i class=c>",
    "</i>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th>",
    "<caption>",
    "</caption>",
    "<colgroup>",
    "<col>",
    "<tbody>",
    "</tbody>",
    "<select>",
    "</select>",
    "<option>",
    "<optgroup>",
    "<svg>",
    "</svg>",
    "<math>",
    "<mi>",
    "<foreignObject>",
    "</foreignObject>",
    "<desc>",
    "<title>",
    "</title>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<form>",
    "</form>",
    "<button>",
    "</button>",
    "<nobr>",
    "</nobr>",
    "<object>",
    "</object>",
    "<li>",
    "<ul>",
    "</ul>",
    "<dd>",
    "<h1>",
    "</h1>",
    "<ruby>",
    "<rt>",
    "<frameset>",
    "<frame src=f>",
    "<body background=g>",
    "<head>",
    "<html lang=pt>",
    "<base href=/b/>",
    "<plaintext>",
    "<textarea>",
    "</textarea>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "texto",
    " ",
    "&eacute;",
    "&",
    "<",
    "\u{e9}",
    "<font size=1>",
    "</font>",
    "<br>",
    "</br>",
    "<hr>",
    "<img src=i alt=x>",
    "<input type=hidden>",
    "<annotation-xml encoding=text/html>",
];

#[test]
fn a_link_has_its_rel_and_the_part_of_the_page_it_is_in() {
    let links = page(
        "<a href=1>a</a>
         <header><a rel='Home  UGC' href=2>b</a><nav><a href=3>c</a></nav><a href=4>d</a></header>
         <div role=main><p><a href=5>e</a><aside><a href=6 rel=nofollow>f</a></aside><img src=7></div>
         <nav role='none presentation'><a href=8>g</a></nav>
         <div role='x CONTENTINFO'><a href=9>h</a></div>
         <main><table><a href=10>i</a><tr><td><a href=11>j</a></table></main><area href=12 rel='Next'>",
    )
    .links;
    let reported: Vec<String> = links
        .iter()
        .map(|link| {
            let path = link.url.path().trim_start_matches("/dir/");
            let place = link.place.map_or("-", PagePlace::as_str);
            format!("{path} {place} {}{}", link.rel, if link.nofollow { "!" } else { "" })
        })
        .collect();
    assert_eq!(
        reported,
        [
            "1 - ",
            "2 header home ugc",
            "3 nav ",
            "4 header ",
            "5 main ",
            "6 aside nofollow!",
            "7 main ",
            "8 nav ",
            "9 footer ",
            "10 main ",
            "11 main ",
            "12 - next",
        ]
    );
}

#[test]
fn queries_are_written_in_the_charset_of_the_page_as_browsers_send_them() {
    let read = |body: &[u8], charset: Option<&str>| -> Vec<String> {
        let url = Url::parse("http://a.pt/d/").unwrap();
        let page = read_page(body, charset, &url, &PageOptions::default());
        let mut links = Vec::new();
        read_links(body, charset, &url, &PageOptions::default(), |link| links.push(link.url.as_str().to_owned()));
        assert_eq!(links, page.links.iter().map(|link| link.url.as_str()).collect::<Vec<_>>());
        links
    };
    let latin = b"<a href='caf\xe9?q=caf\xe9#\xe9'>a</a><a href='?q=&#x2603;&amp;r=%E9'>b</a>";
    assert_eq!(
        read(latin, Some("iso-8859-1")),
        ["http://a.pt/d/caf%C3%A9?q=caf%E9", "http://a.pt/d/?q=%26%239731%3B&r=%E9"]
    );
    let japanese = b"<meta charset=shift_jis><base href='/b?\x93\xfa'><a href='?\x93\xfa\x96{'>c</a>\
                     <style>a { background: url('?\x93\xfa') }</style>";
    assert_eq!(read(japanese, None), ["http://a.pt/b?%93%FA%96{", "http://a.pt/b?%E6%97%A5"]);
    assert_eq!(read("<a href='?q=café'>d</a>".as_bytes(), Some("utf-8")), ["http://a.pt/d/?q=caf%C3%A9"]);
    let wide: Vec<u8> = "<a href='?q=é'>e</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide, Some("utf-16le")), ["http://a.pt/d/?q=%C3%A9"]);
}

#[test]
fn of_a_long_rel_the_first_link_types_are_kept_and_the_rest_counted() {
    let types: Vec<String> = (0..2000).map(|n| format!("t{n}")).collect();
    let read = page(&format!(
        "<a href=1 rel='{} nofollow'>a</a><a href=2 rel='UGC{}x'>b</a>",
        types.join(" "),
        " ".repeat(5000)
    ));
    let [long, short] = &read.links[..] else { panic!("{:?}", read.links) };
    assert!((1000..=1024).contains(&long.rel.len()) && types.join(" ").starts_with(&format!("{} ", long.rel)));
    assert!(long.nofollow, "it is said behind what is kept");
    assert_eq!((short.rel.as_str(), read.cut.rels), ("ugc x", 1));
    assert_eq!(page(&format!("<a href=1 rel={}>a</a>", "x".repeat(2000))).cut.rels, 1);
}

#[test]
fn a_base_longer_than_a_link_may_be_is_dropped_with_what_needs_it() {
    let long = "b/".repeat(MAX_URL_BYTES);
    let links = "<a href=one>1</a><a href=/two>2</a><a href=//c.pt/three>3</a><a href=HTTP://d.pt/four>4</a>";
    let canonical = "<link rel=canonical href=five>";
    let html = format!("<base href='http://b.pt/{long}'>{links}{canonical}");
    let page = page_at(&html, "http://a.pt/x", &PageOptions::default());
    let found: Vec<&str> = page.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!((found, page.cut.links, page.canonical), (vec!["http://d.pt/four"], 4, None));
    assert_eq!(page.base.as_str(), "http://b.pt/");
    // The page's own URL is no better.
    let page = page_at(links, &format!("http://a.pt/{long}"), &PageOptions::default());
    assert_eq!((page.links.len(), page.cut.links), (1, 3));
}

#[test]
fn links_beyond_the_bytes_of_a_page_are_counted_without_being_resolved() {
    let url = format!("http://a.pt/{}/x", "y".repeat(MAX_URL_BYTES - 100));
    let count = 4 * MAX_LINK_BYTES_PER_PAGE / MAX_URL_BYTES;
    let page = page_at(&"<a href=z>".repeat(count), &url, &PageOptions::default());
    let kept = MAX_LINK_BYTES_PER_PAGE / (url.len());
    assert_eq!((page.links.len(), page.cut.links), (kept, (count - kept) as u64));
    let (links, left_out) = read_css("@import 'z';".repeat(count).as_bytes(), None, &Url::parse(&url).unwrap());
    assert_eq!((links.len(), left_out), (kept, (count - kept) as u64));
}

#[test]
fn links_carry_no_credentials() {
    let html = "<base href='http://me:secret@b.pt/in/'><a href=x>1</a><a href='//me:secret@c.pt/y'>2</a>\
        <a href='http://me@d.pt/z'>3</a><img src='http://:secret@e.pt/'>";
    let page = page_at(html, "http://me:secret@a.pt/", &PageOptions::default());
    let found: Vec<&str> = page.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(found, ["http://b.pt/in/x", "http://c.pt/y", "http://d.pt/z", "http://e.pt/"]);
}

/// The anchors of a page whose lines are parted so.
fn parted(html: &str, anchor_breaks: AnchorBreaks) -> Vec<String> {
    let options = PageOptions { anchor_breaks, ..PageOptions::links_only() };
    let page = read_page(html.as_bytes(), Some("utf-8"), &Url::parse("http://a.pt/").unwrap(), &options);
    page.links.into_iter().map(|link| link.anchor).collect()
}

/// `innerText` in Chromium, white space folded.
#[test]
fn lines_of_an_anchor_are_parted_as_a_browser_shows_them() {
    for (html, shown) in [
        ("<a href=x><h3>Associação</h3><p>de moradores</p></a>", "Associação de moradores"),
        ("<a href=x>Câmara<br>municipal</a>", "Câmara municipal"),
        ("<a href=x><br>Câmara<br><br>municipal<br></a>", "Câmara municipal"),
        ("<a href=x>um<div> dois </div>três</a>", "um dois três"),
        ("<a href=x>um <b>do</b>is<wbr>x</a>", "um doisx"),
        ("<a href=x><table><tr><td>um<td>dois<tr><td>três</table></a>", "um dois três"),
        ("<a href=x><ul><li>um<li>dois</ul></a>", "um dois"),
        ("<a href=x><div></div></a>", ""),
    ] {
        assert_eq!(parted(html, AnchorBreaks::Blank), [shown], "{html}");
    }
    let marked = parted("<a href=x><h3>Associação</h3><p>de moradores</p></a>", AnchorBreaks::Marked);
    assert_eq!(marked, ["Associação\u{a0}de moradores"]);
}

proptest::proptest! {
    #[test]
    fn marked_breaks_can_be_taken_out_again(
        parts in proptest::collection::vec("<a href=x>|</a>|<p>|</p>|<div>|</div>|<br>|<td>|<table>|[ab \n\u{a0}\u{feff}]{0,3}|&nbsp;|<img alt=z>", 0..24)
    ) {
        let html = parts.concat();
        let marked = parted(&html, AnchorBreaks::Marked);
        let text: Vec<String> = marked.iter().map(|anchor| anchor.replace(ANCHOR_BREAK, "")).collect();
        proptest::prop_assert_eq!(text, parted(&html, AnchorBreaks::Nothing), "{}", html);
        let shown: Vec<String> = marked.iter().map(|anchor| anchor.replace(ANCHOR_BREAK, " ")).collect();
        proptest::prop_assert_eq!(shown, parted(&html, AnchorBreaks::Blank), "{}", html);
    }
}
