//! Answers of each protocol with all the fields that its documentation shows, made by ourselves.

use super::answer::{ApiAnswer, ApiRequest, Refusal};
use super::queries::{SourceQuery, queries_of};
use super::{AnswerPage, adapter_of};
use crate::campaign::{CampaignSource, Request, SourceKind};
use crate::uri::{CaptureDate, parse_web_url};
use crate::warc::Headers;
use std::time::Duration;

const NOW: &str = "2026-03-01T12:00:00Z";

fn answer(url: &str, status: u16, fields: &[(&str, &str)], body: &str) -> ApiAnswer {
    let mut headers = Headers::new();
    fields.iter().for_each(|(name, value)| headers.push(*name, value));
    ApiAnswer {
        url: parse_web_url(url).unwrap(),
        status,
        headers,
        body: body.as_bytes().to_vec(),
        cut: None,
        date: CaptureDate::parse(NOW).unwrap(),
    }
}

fn read(kind: SourceKind, answer: &ApiAnswer) -> Result<AnswerPage, Refusal> {
    adapter_of(kind).read(&ApiRequest::new(answer.url.clone()), answer, None)
}

/// URL, title and version of each item.
fn items(page: &AnswerPage) -> Vec<(&str, &str, &str)> {
    page.items.iter().map(|item| (item.url.as_str(), item.title.as_str(), item.version.as_str())).collect()
}

fn next(page: &AnswerPage) -> Vec<&str> {
    page.next.iter().map(|request| request.url.as_str()).collect()
}

const WIKI: &str = "https://wiki.example.org/w/api.php?action=query&list=recentchanges";

#[test]
fn recent_changes_of_a_mediawiki_with_all_fields() {
    let body = r#"{
        "batchcomplete": true,
        "continue": {"rccontinue": "20260228101500|1748", "continue": "-||siteinfo"},
        "warnings": {"main": {"warnings": "Unrecognized parameter: foo."}},
        "query": {
            "general": {
                "mainpage": "Main Page", "base": "https://wiki.example.org/wiki/Main_Page", "sitename": "Example",
                "generator": "MediaWiki 1.43.0", "phpversion": "8.3.0", "case": "first-letter", "lang": "de",
                "articlepath": "/wiki/$1", "scriptpath": "/w", "script": "/w/index.php", "variantarticlepath": false,
                "server": "//wiki.example.org", "servername": "wiki.example.org", "wikiid": "example", "maxarticlesize": 2097152
            },
            "recentchanges": [
                {"type": "new", "ns": 0, "title": "Hochwasser 2026/Elbe", "pageid": 812, "revid": 9001, "old_revid": 0,
                 "rcid": 1746, "oldlen": 0, "newlen": 2210, "timestamp": "2026-02-28T09:58:11Z",
                 "sha1": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"},
                {"type": "edit", "ns": 0, "title": "Was ist \"Pegel\"?", "pageid": 20, "revid": 9002, "old_revid": 8000,
                 "rcid": 1747, "oldlen": 100, "newlen": 120, "timestamp": "2026-02-28T10:14:59Z", "sha1hidden": true},
                {"type": "edit", "ns": 0, "pageid": 21, "revid": 9003, "old_revid": 8100, "rcid": 1748, "oldlen": 5,
                 "newlen": 6, "timestamp": "2026-02-28T10:15:00Z", "actionhidden": true}
            ]
        },
        "limits": {"recentchanges": 500}
    }"#;
    let page =
        read(SourceKind::MediaWiki, &answer(WIKI, 200, &[("Content-Type", "application/json; charset=utf-8")], body))
            .unwrap();
    assert_eq!(
        items(&page),
        [
            ("https://wiki.example.org/wiki/Hochwasser_2026/Elbe", "Hochwasser 2026/Elbe", "9001"),
            ("https://wiki.example.org/wiki/Was_ist_%22Pegel%22%3F", "Was ist \"Pegel\"?", "9002"),
        ]
    );
    assert_eq!(
        (page.left_out, page.mark.as_deref()),
        (1, Some("2026-02-28T10:15:00Z")),
        "a page that is hidden has no address"
    );
    let [more] = next(&page)[..] else { panic!("{:?}", page.next) };
    assert!(more.contains("rccontinue=20260228101500%7C1748") && more.contains("continue=-%7C%7Csiteinfo"), "{more}");
}

#[test]
fn a_search_of_a_mediawiki_and_its_errors_with_all_fields() {
    let body = r#"{"batchcomplete": true, "continue": {"sroffset": 50, "continue": "-||"},
        "query": {"general": {"articlepath": "/$1", "server": "https://wiki.example.org"},
            "searchinfo": {"totalhits": 72, "suggestion": "floods", "suggestionsnippet": "<em>floods</em>"},
            "search": [{"ns": 0, "title": "River flood", "pageid": 99, "size": 4711, "wordcount": 600,
                        "snippet": "A <span class=\"searchmatch\">flood</span>", "timestamp": "2025-12-24T18:00:00Z"}]}}"#;
    let page = read(SourceKind::MediaWiki, &answer(WIKI, 200, &[], body)).unwrap();
    assert_eq!(items(&page), [("https://wiki.example.org/River_flood", "River flood", "2025-12-24T18:00:00Z")]);
    assert_eq!(page.mark, None, "results come by relevance");
    assert!(next(&page)[0].contains("sroffset=50"), "{:?}", page.next);
    let lag = r#"{"error": {"code": "maxlag", "info": "Waiting for 10.64.48.35: 7.3 seconds lagged.", "host": "10.64.48.35",
        "lag": 7.3, "type": "db", "docref": "See https://wiki.example.org/w/api.php for API usage."}, "servedby": "mw1"}"#;
    let refused =
        read(SourceKind::MediaWiki, &answer(WIKI, 200, &[("Retry-After", "7"), ("X-Database-Lag", "7")], lag));
    assert_eq!(refused, Err(Refusal::Wait(Duration::from_secs(7), "the wiki is busy (maxlag)".to_owned())));
    let denied = r#"{"error": {"code": "readapidenied", "info": "You need read permission to use this module."}}"#;
    let refused = read(SourceKind::MediaWiki, &answer(WIKI, 200, &[], denied)).unwrap_err();
    assert!(
        matches!(&refused, Refusal::Failed(why) if why.contains("readapidenied") && why.contains("read permission")),
        "{refused:?}"
    );
}

#[test]
fn a_timeline_of_mastodon_with_all_fields() {
    const TAG: &str = "https://social.example.org/api/v1/timelines/tag/cats?limit=40";
    let body = r#"[
        {"id": "109583", "created_at": "2026-02-27T08:00:00.123Z", "in_reply_to_id": null, "in_reply_to_account_id": null,
         "sensitive": true, "spoiler_text": "water", "visibility": "public", "language": "en",
         "uri": "https://other.example.net/users/ana/statuses/109583", "url": "https://other.example.net/@ana/109583",
         "replies_count": 7, "reblogs_count": 98, "favourites_count": 112, "edited_at": "2026-02-27T09:30:00.000Z",
         "content": "<p>See <a href=\"https://press.example.com/flood\" rel=\"nofollow noopener noreferrer\" target=\"_blank\"><span class=\"invisible\">https://</span><span class=\"ellipsis\">press.example.com/flood</span></a> <a href=\"https://social.example.org/tags/flood\" class=\"mention hashtag\" rel=\"tag\">#<span>flood</span></a> <span class=\"h-card\"><a href=\"https://third.example/@rui\" class=\"u-url mention\">@<span>rui</span></a></span></p>",
         "reblog": null, "application": {"name": "Web", "website": null},
         "account": {"id": "1", "username": "ana", "acct": "ana@other.example.net", "display_name": "Ana", "locked": false,
                     "bot": false, "note": "<p>x</p>", "url": "https://other.example.net/@ana", "emojis": [], "fields": []},
         "media_attachments": [{"id": "2", "type": "image", "url": "https://files.social.example.org/2.png", "description": "river"}],
         "mentions": [], "tags": [{"name": "flood", "url": "https://social.example.org/tags/flood"}], "emojis": [],
         "card": {"url": "https://card.example.com/report", "title": "Report", "description": "", "type": "link",
                  "provider_name": "Card", "html": "", "width": 0, "height": 0, "image": null},
         "poll": null},
        {"id": "109580", "created_at": "2026-02-26T08:00:00.000Z", "url": null,
         "uri": "https://fourth.example/notes/1", "content": "", "account": {"acct": "b@fourth.example"}, "reblog": null, "card": null},
        {"id": "109570", "created_at": "2026-02-25T08:00:00.000Z", "url": null, "uri": null, "content": "", "account": {}}
    ]"#;
    let link = "<https://social.example.org/api/v1/timelines/tag/cats?limit=40&max_id=109570>; rel=\"next\", \
                <https://social.example.org/api/v1/timelines/tag/cats?limit=40&min_id=109583>; rel=\"prev\"";
    let fields = [
        ("Link", link),
        ("X-RateLimit-Limit", "300"),
        ("X-RateLimit-Remaining", "297"),
        ("X-RateLimit-Reset", "2026-03-01T12:05:00.000000Z"),
    ];
    let answered = answer(TAG, 200, &fields, body);
    let page = read(SourceKind::Mastodon, &answered).unwrap();
    assert_eq!(
        items(&page),
        [
            ("https://other.example.net/@ana/109583", "ana@other.example.net", "2026-02-27T09:30:00Z"),
            ("https://fourth.example/notes/1", "b@fourth.example", "2026-02-26T08:00:00Z"),
        ]
    );
    let links: Vec<&str> = page.items[0].links.iter().map(|url| url.as_str()).collect();
    assert_eq!(links, ["https://press.example.com/flood", "https://card.example.com/report"], "no mention, no hashtag");
    assert_eq!((page.left_out, page.mark.as_deref()), (1, Some("2026-02-27T08:00:00Z 109583")));
    assert_eq!(next(&page), ["https://social.example.org/api/v1/timelines/tag/cats?limit=40&max_id=109570"]);
    assert_eq!(answered.requested_wait(), None);
    // A limit that is used up, by the clock of the server, which is an hour ahead.
    let used_up = [
        ("Date", "Sun, 01 Mar 2026 13:00:00 GMT"),
        ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "2026-03-01T13:00:20.000000Z"),
    ];
    let refused = read(SourceKind::Mastodon, &answer(TAG, 429, &used_up, r#"{"error": "Too many requests"}"#));
    assert_eq!(refused, Err(Refusal::Wait(Duration::from_secs(20), "the server is busy (429)".to_owned())));
    let closed = answer(TAG, 422, &[], r#"{"error": "This method requires an authenticated user"}"#);
    let refused = read(SourceKind::Mastodon, &closed).unwrap_err();
    assert!(
        matches!(&refused, Refusal::Failed(why) if why.contains("authenticated user") && why.contains("token")),
        "{refused:?}"
    );
}

#[test]
fn posts_of_wordpress_with_all_fields() {
    const POSTS: &str = "https://blog.example.org/wp-json/wp/v2/posts?per_page=100&page=1";
    let body = r#"[{"id": 157, "date": "2026-02-20T19:00:35", "date_gmt": "2026-02-20T18:00:35",
        "guid": {"rendered": "https://blog.example.org/?p=157"}, "modified": "2026-02-21T09:00:00",
        "modified_gmt": "2026-02-21T08:00:00", "slug": "high-water", "status": "publish", "type": "post",
        "link": "https://blog.example.org/2026/02/high-water/", "title": {"rendered": "High water &#8211; a report"},
        "content": {"rendered": "<p>x</p>", "protected": false}, "excerpt": {"rendered": "", "protected": false},
        "author": 1, "featured_media": 0, "comment_status": "open", "ping_status": "open", "sticky": false,
        "template": "", "format": "standard", "meta": [], "categories": [1], "tags": [7],
        "_links": {"self": [{"href": "https://blog.example.org/wp-json/wp/v2/posts/157"}], "curies": []}},
        {"id": 158, "modified_gmt": "2026-02-22T08:00:00", "title": {"rendered": ""}}]"#;
    let fields = [("X-WP-Total", "2"), ("X-WP-TotalPages", "1"), ("Allow", "GET")];
    let page = read(SourceKind::WordPress, &answer(POSTS, 200, &fields, body)).unwrap();
    assert_eq!(items(&page)[0].0, "https://blog.example.org/2026/02/high-water/");
    assert_eq!(items(&page)[0].2, "2026-02-21T08:00:00Z");
    assert_eq!(
        (page.items.len(), page.left_out, page.mark.as_deref()),
        (1, 1, Some("2026-02-22T08:00:00Z")),
        "one without a link"
    );
    assert_eq!(next(&page), [""; 0]);
    let beyond = r#"{"code": "rest_post_invalid_page_number", "message": "The page number requested is larger than the number of pages available.", "data": {"status": 400}}"#;
    assert_eq!(read(SourceKind::WordPress, &answer(POSTS, 400, &[], beyond)), Err(Refusal::BeyondEnd));
    let closed =
        r#"{"code": "rest_not_logged_in", "message": "You are not currently logged in.", "data": {"status": 401}}"#;
    let refused = read(SourceKind::WordPress, &answer(POSTS, 401, &[], closed)).unwrap_err();
    assert!(matches!(&refused, Refusal::Failed(why) if why.contains("not currently logged in")), "{refused:?}");
}

#[test]
fn topics_of_discourse_with_all_fields() {
    let body = r#"{"users": [{"id": 1, "username": "ana", "name": "Ana", "avatar_template": "/a/{size}.png"}], "primary_groups": [],
        "flair_groups": [], "topic_list": {"can_create_topic": false, "more_topics_url": "/latest?no_definitions=true&page=1",
        "per_page": 30, "top_tags": ["flood"], "topics": [
            {"id": 3, "title": "Rules", "fancy_title": "Rules", "slug": "rules", "posts_count": 1, "reply_count": 0,
             "highest_post_number": 1, "image_url": null, "created_at": "2020-01-01T00:00:00.000Z",
             "last_posted_at": "2020-01-01T00:00:00.000Z", "bumped": true, "bumped_at": "2020-01-01T00:00:00.000Z",
             "archetype": "regular", "unseen": false, "pinned": true, "unpinned": null, "visible": true, "closed": false,
             "archived": false, "views": 9, "like_count": 0, "category_id": 2, "pinned_globally": true, "posters": []},
            {"id": 1234, "title": "Water at the quay", "fancy_title": "Water at the quay", "slug": "water-at-the-quay", "posts_count": 4,
             "created_at": "2026-02-01T00:00:00.000Z", "bumped_at": "2026-02-28T07:00:00.000Z", "pinned": false, "tags": ["flood"]},
            {"id": 1235, "title": "?", "slug": "", "bumped_at": "2026-02-27T07:00:00.000Z"},
            {"title": "gone", "slug": "gone", "bumped_at": "2026-02-26T07:00:00.000Z"}]}}"#;
    let page = read(SourceKind::Discourse, &answer("https://forum.example.org/latest.json", 200, &[], body)).unwrap();
    let urls: Vec<&str> = items(&page).iter().map(|(url, ..)| *url).collect();
    let expected = ["/t/rules/3", "/t/water-at-the-quay/1234", "/t/topic/1235"]
        .map(|path| format!("https://forum.example.org{path}"));
    assert_eq!(urls, expected);
    assert_eq!((page.left_out, page.mark.as_deref()), (1, Some("2026-02-28T07:00:00Z")));
    assert_eq!(next(&page), ["https://forum.example.org/latest.json?no_definitions=true&page=1"]);
    // A topic that is pinned is older than the mark and ends nothing.
    let request = ApiRequest::new(parse_web_url("https://forum.example.org/latest.json").unwrap());
    let again = answer("https://forum.example.org/latest.json", 200, &[], body);
    let page = adapter_of(SourceKind::Discourse).read(&request, &again, Some("2026-02-20T00:00:00Z")).unwrap();
    assert_eq!(page.next.len(), 1);
    let page = adapter_of(SourceKind::Discourse).read(&request, &again, Some("2026-02-28T00:00:00Z")).unwrap();
    assert_eq!(page.next.len(), 0, "what is behind is older than the mark");
    let busy = r#"{"errors": ["You’ve performed this action too many times, please try again later."], "error_type": "rate_limit",
        "extras": {"wait_seconds": 12, "time_left": "12 seconds"}}"#;
    let refused = read(
        SourceKind::Discourse,
        &answer("https://forum.example.org/latest.json", 429, &[("Retry-After", "12")], busy),
    );
    assert_eq!(refused, Err(Refusal::Wait(Duration::from_secs(12), "the server is busy (429)".to_owned())));
}

#[test]
fn feeds_of_each_kind_with_all_fields() {
    let rss = r#"<?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
        <title>News</title><link>https://news.example.org/</link><description>x</description><language>pt</language>
        <ttl>90</ttl><atom:link href="https://news.example.org/rss" rel="self" type="application/rss+xml"/>
        <atom:link rel="hub" href="https://hub.example.org/"/>
        <item><title><![CDATA[Cheia & maré]]></title><link>https://news.example.org/a?b=1&amp;c=2</link>
          <guid isPermaLink="false">tag:1</guid><pubDate>Sat, 28 Feb 2026 10:00:00 +0100</pubDate><dc:creator>Ana</dc:creator>
          <category>x</category><content:encoded><![CDATA[<p>text</p>]]></content:encoded>
          <enclosure url="https://news.example.org/a.mp3" length="1" type="audio/mpeg"/></item>
        <item><title>Guid</title><guid>https://news.example.org/b</guid></item>
        <item><title>None</title><guid isPermaLink="false">42</guid></item>
        </channel></rss>"#;
    let page =
        read(SourceKind::Feed, &answer("https://news.example.org/rss", 200, &[("ETag", "W/\"5\"")], rss)).unwrap();
    assert_eq!(
        items(&page),
        [
            ("https://news.example.org/a?b=1&c=2", "Cheia & maré", "2026-02-28T09:00:00Z"),
            ("https://news.example.org/b", "Guid", ""),
        ]
    );
    assert_eq!((page.left_out, page.minutes), (1, Some(90)));
    assert!(page.note.unwrap().contains("WebSub"));
    assert!(page.mark.unwrap().contains(r#"W/\"5\""#));
    let atom = r#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://news.example.org/x/">
        <title>N</title><id>urn:1</id><updated>2026-02-28T10:00:00Z</updated><link rel="self" href="atom"/>
        <link rel="prev-archive" href="archive/2"/>
        <entry><id>urn:2</id><title type="html">A &amp;lt;b&amp;gt;</title><updated>2026-02-28T10:00:00+02:00</updated>
          <published>2026-02-27T10:00:00Z</published><link rel="alternate" type="text/html" href="one"/>
          <link rel="enclosure" href="one.mp3"/><summary>s</summary><author><name>Ana</name></author></entry></feed>"#;
    let page = read(SourceKind::Feed, &answer("https://news.example.org/x/atom", 200, &[], atom)).unwrap();
    assert_eq!((items(&page)[0].0, items(&page)[0].2), ("https://news.example.org/x/one", "2026-02-28T08:00:00Z"));
    assert_eq!(next(&page), ["https://news.example.org/x/archive/2"]);
    let json = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "N", "home_page_url": "https://news.example.org/",
        "feed_url": "https://news.example.org/feed.json", "next_url": "https://news.example.org/feed.json?page=2", "language": "en",
        "authors": [{"name": "Ana"}], "items": [{"id": "1", "url": "https://news.example.org/1", "title": "One",
        "content_html": "<p>x</p>", "date_published": "2026-02-28T10:00:00-01:00", "tags": ["x"], "attachments": []},
        {"id": "2", "external_url": "https://else.example/2", "content_text": "t"}]}"#;
    let page = read(SourceKind::Feed, &answer("https://news.example.org/feed.json", 200, &[], json)).unwrap();
    let urls: Vec<&str> = items(&page).iter().map(|(url, ..)| *url).collect();
    assert_eq!(urls, ["https://news.example.org/1", "https://else.example/2"]);
    assert_eq!(next(&page), ["https://news.example.org/feed.json?page=2"]);
}

#[test]
fn sitemaps_and_pages_of_results_with_all_fields() {
    let map = r#"<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
        xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://a.example.org/1?x=1&amp;y=2</loc><lastmod>2026-02-28T10:00:00+00:00</lastmod>
        <changefreq>daily</changefreq><priority>0.8</priority><image:image><image:loc>https://a.example.org/i.png</image:loc></image:image>
        <xhtml:link rel="alternate" hreflang="de" href="https://a.example.org/de/1"/></url>
        <url><loc>https://a.example.org/2</loc><lastmod>2026-02-27</lastmod><news:news><news:title>x</news:title></news:news></url>
        <url><loc>mailto:x@example.org</loc></url></urlset>"#;
    let page = read(SourceKind::Sitemap, &answer("https://a.example.org/sitemap.xml", 200, &[], map)).unwrap();
    let urls: Vec<&str> = items(&page).iter().map(|(url, ..)| *url).collect();
    assert!(
        urls.starts_with(&["https://a.example.org/1?x=1&y=2"]) && urls.contains(&"https://a.example.org/2"),
        "{urls:?}"
    );
    assert!(!urls.iter().any(|url| url.contains("i.png") || url.starts_with("mailto")), "{urls:?}");
    let index = r#"<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://a.example.org/s1.xml.gz</loc>
        <lastmod>2026-02-28</lastmod></sitemap></sitemapindex>"#;
    let page = read(SourceKind::Sitemap, &answer("https://a.example.org/sitemap.xml", 200, &[], index)).unwrap();
    assert_eq!(next(&page), ["https://a.example.org/s1.xml.gz"]);
    let results = r#"<html><body><a href="/settings">Settings</a><ol><li class="result"><a class="title"
        href="/url?q=https%3A%2F%2Fpress.example%2Fa&amp;sa=U">A</a><span>snippet</span></li><li><a href="https://other.example/b">B</a></li></ol>
        <a href="/search?q=x&amp;start=10">Next</a></body></html>"#;
    let page = read(SourceKind::Search, &answer("https://search.example.org/search?q=x", 200, &[], results)).unwrap();
    let urls: Vec<&str> = items(&page).iter().map(|(url, ..)| *url).collect();
    assert_eq!(urls, ["https://press.example/a", "https://other.example/b"]);
}

/// What is broken is no list that is empty.
#[test]
fn cut_and_wrong_answers_of_each_protocol_are_refused() {
    for kind in SourceKind::ALL {
        let whole = answer("https://a.example.org/x", 200, &[], "{\"query\":{\"recentchanges\":[]}}");
        let cut = ApiAnswer { cut: Some("the server ended the connection before".to_owned()), ..whole };
        let refused = read(kind, &cut).unwrap_err();
        assert!(matches!(&refused, Refusal::Failed(why) if why.contains("not whole")), "{kind:?}: {refused:?}");
        let busy = answer("https://a.example.org/x", 429, &[("Retry-After", "3")], "");
        let expected = Refusal::Wait(Duration::from_secs(3), "the server is busy (429)".to_owned());
        assert_eq!(read(kind, &busy), Err(expected), "{kind:?}");
        // By the clock of the server, which may be wrong: only the difference counts.
        let fields = [("Date", "Wed, 21 Oct 2015 07:28:00 GMT"), ("Retry-After", "Wed, 21 Oct 2015 07:28:09 GMT")];
        let refused = read(kind, &answer("https://a.example.org/x", 503, &fields, ""));
        assert!(
            matches!(refused, Err(Refusal::Wait(wait, _)) if wait == Duration::from_secs(9)),
            "{kind:?}: {refused:?}"
        );
        assert!(
            matches!(read(kind, &answer("https://a.example.org/x", 410, &[], "")), Err(Refusal::Gone(_))),
            "{kind:?}"
        );
        let wrong = read(kind, &answer("https://a.example.org/x", 200, &[], "<html><title>Log in</title></html>"));
        let is_no_list = wrong.as_ref().map_or(true, |page| page.items.is_empty() && page.note.is_some());
        assert!(is_no_list, "{kind:?}: {wrong:?}");
    }
}

#[test]
fn queries_are_made_of_what_a_request_searches_for() {
    let request: Request = "(flood OR \"high water\") AND NOT football lang:pt".parse().unwrap();
    let texts = |kind| {
        let source = CampaignSource::new("x", kind, "https://a.example.org/?q={query}");
        queries_of(&source, &request).into_iter().map(|query: SourceQuery| query.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(SourceKind::MediaWiki), ["flood OR \"high water\""]);
    assert_eq!(texts(SourceKind::WordPress), ["flood", "\"high water\""]);
    assert_eq!(texts(SourceKind::Discourse), ["flood", "\"high water\""]);
    assert_eq!(texts(SourceKind::Mastodon), ["flood highwater"]);
    assert_eq!(texts(SourceKind::Search), ["flood OR \"high water\""]);
    assert_eq!(texts(SourceKind::Feed), [""]);
}
