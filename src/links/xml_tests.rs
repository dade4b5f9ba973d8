use super::*;

fn read(body: &[u8], charset: Option<&str>) -> XmlLinks {
    read_xml(body, charset, &Url::parse("http://a.pt/dir/x").unwrap())
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let found = read(body.as_bytes(), None).links;
    let urls: Vec<&str> = found.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(urls, expected, "{body}");
}

#[test]
fn sitemaps_name_pages_images_videos_and_languages() {
    check(
        "<urlset xmlns:image='i' xmlns:video='v' xmlns:xhtml='x'><url><loc> http://a.pt/?a=1&amp;b=2\n</loc>\
         <image:image><image:loc>/i.png</image:loc></image:image>\
         <video:video><video:thumbnail_loc>/t.jpg</video:thumbnail_loc><video:content_loc>/v.mp4</video:content_loc>\
         <video:player_loc>/p</video:player_loc></video:video>\
         <xhtml:link rel='alternate' hreflang='en' href='/en'/></url><!-- <url><loc>/no</loc></url> --></urlset>",
        &[
            "http://a.pt/?a=1&b=2",
            "http://a.pt/i.png",
            "http://a.pt/t.jpg",
            "http://a.pt/v.mp4",
            "http://a.pt/p",
            "http://a.pt/en",
        ],
    );
}

#[test]
fn text_is_put_together_out_of_references_comments_and_cdata() {
    check(
        "<urlset><url><loc>/a<!-- no -->b&#x63;&#100;<![CDATA[e&]]><![CDATA[f]]>&eacute;&unknown;</loc></url></urlset>",
        &["http://a.pt/abcde&f%C3%A9&unknown;"],
    );
    check("<urlset><url><loc>/a & b&amp;c</loc></url></urlset>", &["http://a.pt/a%20&%20b&c"]);
    // Cut off in the middle: what is whole is kept.
    check("<urlset><url><loc>/a</loc></url><url><loc>/b", &["http://a.pt/a"]);
    check("<html><a href='/no'>x</a></html>", &[]);
    check("", &[]);
    // Unknown vocabularies lead to their style sheet alone.
    check(
        "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href=\"/s.xsl\"?><a href='/no'/>",
        &["http://a.pt/s.xsl"],
    );
}

#[test]
fn a_document_that_is_not_well_formed_is_marked() {
    let found = read(b"<urlset><url><loc>/a</loc></url><![CDATA[ <url><loc>/b</loc></url></urlset>", None);
    assert_eq!((found.links.len(), found.is_damaged), (1, true));
    assert!(!read(b"<svg><image href='/a'/>", None).is_damaged);
}

#[test]
fn charsets_come_from_http_declaration_and_first_bytes() {
    let document = |encoding: &str| {
        format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?><rss><channel><link>/é</link></channel></rss>")
    };
    let (latin, utf8) = (document("ISO-8859-1"), document("utf-8"));
    let latin: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let utf16 = |big: bool, with_mark: bool| -> Vec<u8> {
        let text = document("utf-16");
        let mark = if with_mark { "\u{feff}" } else { "" };
        let units = mark.encode_utf16().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let cases: [(&[u8], Option<&str>); 7] = [
        (&latin, None),
        (utf8.as_bytes(), None),
        (utf8.as_bytes(), Some("utf-8")),
        (&utf16(true, true), None),
        (&utf16(false, true), Some("utf-8")),
        (&utf16(true, false), None),
        (&utf16(false, false), Some("utf-16")),
    ];
    for (body, charset) in cases {
        let found = read(body, charset).links;
        assert_eq!(found.first().map(|link| link.url.as_str()), Some("http://a.pt/%C3%A9"), "{body:?} {charset:?}");
    }
    // The head of the answer is right where both say something.
    assert_eq!(read(&latin, Some("windows-1252")).links[0].url.as_str(), "http://a.pt/%C3%A9");
}

#[test]
fn feeds_name_what_their_formats_call_links() {
    check(
        "<rss><channel><link>/site</link><atom:link rel='next' href='/2'/><image><url>/i.png</url><link>/site</link></image>\
         <itunes:image href='/cover.jpg'/><item><guid>http://a.pt/g</guid><guid isPermaLink='false'>tag</guid>\
         <comments>/c</comments><enclosure url='/e.mp3'/><source url='/other.xml'>x</source>\
         <media:group><media:content url='/m.mp4'/><media:content url='/m' medium='image'/><media:thumbnail url='/t'/></media:group>\
         <description>&lt;a href=\"d\"&gt;x&lt;/a&gt;</description><content:encoded><![CDATA[<img src=f.png>]]></content:encoded>\
         </item></channel></rss>",
        &[
            "http://a.pt/site",
            "http://a.pt/2",
            "http://a.pt/i.png",
            "http://a.pt/site",
            "http://a.pt/cover.jpg",
            "http://a.pt/g",
            "http://a.pt/c",
            "http://a.pt/e.mp3",
            "http://a.pt/other.xml",
            "http://a.pt/m.mp4",
            "http://a.pt/m",
            "http://a.pt/t",
            "http://a.pt/dir/d",
            "http://a.pt/dir/f.png",
        ],
    );
    check(
        "<feed xml:base='http://b.pt/x/'><logo>l.png</logo><link rel='self' href='f/'/><entry xml:base='y/'><link href='e'/>\
         <author><uri>/me</uri></author><content type='html'>&lt;img src='i.png'></content></entry>\
         <entry><content src='c'/><summary type='xhtml'><div><a href='s'>x</a></div></summary></entry></feed>",
        &[
            "http://b.pt/x/l.png",
            "http://b.pt/x/f/",
            "http://b.pt/x/y/e",
            "http://b.pt/me",
            "http://b.pt/x/y/i.png",
            "http://b.pt/x/c",
            "http://b.pt/x/s",
        ],
    );
    check("<rdf:RDF><item rdf:about='x'><link>/n</link></item></rdf:RDF>", &["http://a.pt/n"]);
    check(
        "<opml><body><outline xmlUrl='/f' htmlUrl='/h'><outline type='link' url='/l'/></outline></body></opml>",
        &["http://a.pt/f", "http://a.pt/h", "http://a.pt/l"],
    );
}

#[test]
fn links_of_entries_are_no_inlinks() {
    let found = read(b"<rss><item><description>&lt;a href='d'>x&lt;/a></description></item></rss>", None).links;
    assert_eq!((found[0].kind, found[0].anchor.as_str()), (LinkKind::Area, "x"));
}

#[test]
fn media_presentations_and_drawings_name_files() {
    check(
        "<MPD><BaseURL>http://cdn.pt/v/</BaseURL><Period><AdaptationSet><BaseURL>720/</BaseURL>\
         <SegmentTemplate media='$Number$.m4s'/><SegmentList><Initialization sourceURL='i.mp4'/>\
         <SegmentURL media='1.m4s'/></SegmentList></AdaptationSet>\
         <AdaptationSet><Representation><BaseURL>a.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>",
        &["http://cdn.pt/v/720/i.mp4", "http://cdn.pt/v/720/1.m4s", "http://cdn.pt/v/a.mp4"],
    );
    check(
        "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY x 'y'>]><svg xmlns='http://www.w3.org/2000/svg'>\
         <style><![CDATA[@import url(c.css); rect { fill: url(#g) }]]></style><image xlink:href='i.png'/><use href='u.svg#a'/>\
         <use href='#own'/><a href='l'><rect style='fill:url(p.svg#x)'/></a><filter><feImage href='f.png'/></filter></svg>",
        &[
            "http://a.pt/dir/c.css",
            "http://a.pt/dir/i.png",
            "http://a.pt/dir/u.svg",
            "http://a.pt/dir/l",
            "http://a.pt/dir/p.svg",
            "http://a.pt/dir/f.png",
        ],
    );
    let prefixed =
        "<svg:svg><svg:image xlink:href='data:image/png;base64,AAAA'/><svg:image xlink:href='/i'/></svg:svg>";
    check(prefixed, &["http://a.pt/i"]);
}

/// Expected by hand from ISO 23009-1, 5.3.9.4 and 5.3.9.6.
#[test]
fn segments_that_players_request_are_links() {
    // By duration: 10 s in pieces of 4, for each quality.
    check(
        "<MPD mediaPresentationDuration='PT10S'><Period><AdaptationSet>\
         <SegmentTemplate timescale='1000' duration='4000' startNumber='0' initialization='$RepresentationID$/i.mp4' \
         media='$RepresentationID$/$Number%03d$.m4s'/><Representation id='a' bandwidth='1'/>\
         <Representation id='b' bandwidth='2'><BaseURL>http://cdn.pt/</BaseURL></Representation></AdaptationSet></Period></MPD>",
        &[
            "http://a.pt/dir/a/i.mp4",
            "http://a.pt/dir/a/000.m4s",
            "http://a.pt/dir/a/001.m4s",
            "http://a.pt/dir/a/002.m4s",
            "http://cdn.pt/b/i.mp4",
            "http://cdn.pt/b/000.m4s",
            "http://cdn.pt/b/001.m4s",
            "http://cdn.pt/b/002.m4s",
        ],
    );
    // By a timeline, with repeats; what the inner element leaves out is of the outer one.
    check(
        "<MPD><Period duration='PT20S'><AdaptationSet><SegmentTemplate media='$Time$-$Number$' timescale='10'>\
         <SegmentTimeline><S t='5' d='20' r='1'/><S d='30'/><S t='100' d='50' r='-1'/></SegmentTimeline></SegmentTemplate>\
         <Representation id='a'><SegmentTemplate startNumber='7'/></Representation></AdaptationSet></Period></MPD>",
        &[
            "http://a.pt/dir/5-7",
            "http://a.pt/dir/25-8",
            "http://a.pt/dir/45-9",
            "http://a.pt/dir/100-10",
            "http://a.pt/dir/150-11",
        ],
    );
    // A period ends where the next begins.
    check(
        "<MPD mediaPresentationDuration='PT3S'><Period start='PT0S'><AdaptationSet><SegmentTemplate duration='1' media='a$Number$'/>\
         <Representation/></AdaptationSet></Period><Period start='PT1S'><AdaptationSet>\
         <SegmentTemplate duration='1' media='b$Number$'/><Representation/></AdaptationSet></Period></MPD>",
        &["http://a.pt/dir/a1", "http://a.pt/dir/b1", "http://a.pt/dir/b2"],
    );
    // One that goes on for ever, and names that are no patterns.
    check(
        "<MPD type='dynamic'><Period><AdaptationSet><SegmentTemplate duration='1' initialization='i' media='$Number$'/>\
         <Representation/></AdaptationSet><AdaptationSet><SegmentTemplate initialization='$Unknown$' media='whole.mp4'/>\
         <Representation/></AdaptationSet></Period></MPD>",
        &["http://a.pt/dir/i", "http://a.pt/dir/whole.mp4"],
    );
}

#[test]
fn a_few_lines_name_no_flood_of_segments() {
    let endless = "<MPD><Period duration='PT1S'><AdaptationSet><SegmentTemplate timescale='18446744073709551615' duration='1' \
        media='$Time$'><SegmentTimeline><S t='0' d='1' r='9223372036854775807'/></SegmentTimeline>\
        </SegmentTemplate><Representation/><Representation/></AdaptationSet></Period></MPD>";
    let read = read_xml(endless.as_bytes(), None, &Url::parse("http://a.pt/").unwrap());
    assert_eq!((read.links.len(), read.left_out), (50_000, 2));
    // Nor do names that are no addresses keep anybody waiting.
    let broken = endless.replace("$Time$", "http://[$Time$");
    assert_eq!(read_xml(broken.as_bytes(), None, &Url::parse("http://a.pt/").unwrap()).links, []);
}

#[test]
fn a_list_that_breaks_off_is_damaged() {
    let whole = "<urlset><url><loc>http://a.pt/1</loc></url><url><loc>http://a.pt/2</loc></url></urlset>\n";
    assert!(!read(whole.as_bytes(), None).is_damaged);
    for end in ["<loc>http://a.pt/2", "</loc></url></ur"] {
        let cut = &whole[..whole.rfind(end).unwrap() + end.len()];
        assert!(read(cut.as_bytes(), None).is_damaged, "{cut}");
    }
    // One with an element that is not closed is read to its end all the same.
    assert!(!read(b"<rss><channel><br><link>/a</link></channel></rss>", None).is_damaged);
    assert!(!read(b"<rss/>", None).is_damaged);
    assert!(!read(b"", None).is_damaged);
}

/// Elements that are too deep are passed over as they close, and their parents stay what they are.
#[test]
fn an_image_behind_deep_elements_is_one_of_its_page() {
    let deep = format!("{}{}", "<x>".repeat(600), "</x>".repeat(600));
    let body = format!("<urlset><url>{deep}<loc>/p</loc><image><loc>/i</loc></image></url></urlset>");
    let kinds: Vec<LinkKind> = read(body.as_bytes(), None).links.iter().map(|link| link.kind).collect();
    assert_eq!(kinds, [LinkKind::Manifest, LinkKind::Image]);
}

#[test]
fn hostile_documents_cost_no_more_than_their_length() {
    let deep = "<urlset>".to_owned() + &"<a xml:base='x/'>".repeat(100_000) + "<loc>y</loc>";
    assert_eq!(read(deep.as_bytes(), None).links.len(), 1);
    let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><urlset><loc>/&b;</loc></urlset>";
    check(bomb, &["http://a.pt/&b;"]);
    let long = format!("<urlset><loc>/{}</loc></urlset>", "x".repeat(MAX_URL_BYTES));
    let found = read(long.as_bytes(), None);
    assert_eq!((found.links.len(), found.left_out), (0, 1));
}

#[test]
fn feeds_of_public_reports_give_the_addresses_that_their_authors_meant() {
    for (file, charset, expected) in [
        (
            "04-feed-numeric-references.rss",
            None,
            &["http://blog.example/?p=1&lang=pt", "http://blog.example/h?a=1&b=2"][..],
        ),
        ("05-feed-latin1.rss", None, &["http://blog.example/regi%C3%A3o"]),
        (
            "05c-feed-http-charset.xml",
            Some("windows-1251"),
            &["http://blog.example/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D1%8C"],
        ),
        ("06-feed-cdata-in-the-middle.rss", None, &["http://blog.example/x?a=1&b=2&c=3"]),
    ] {
        let Some(path) = crate::testing::data(&format!("reports/{file}")) else { return };
        let found = read(&std::fs::read(path).unwrap(), charset).links;
        assert_eq!(found.iter().map(|link| link.url.as_str()).collect::<Vec<_>>(), expected, "{file}");
    }
}
