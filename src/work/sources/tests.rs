use super::*;
use crate::campaign::{PrivateAddresses, Request, RobotsPolicy, Seed, SeedScope};
use crate::crawl::EventKind;
use crate::keys::MemoryKeychain;
use crate::store::Workspace;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::work::models::{EventQuery, SeenQuery};
use crate::work::{CrawlOptions, crawl};
use std::sync::Mutex;

/// A workspace with a campaign whose only source is of this kind, on a server.
pub(super) struct Place {
    _dir: tempfile::TempDir,
    pub(super) session: Session,
    pub(super) id: CampaignId,
    keychain: MemoryKeychain,
}

pub(super) const JSON: &str = "Content-Type: application/json\r\n";

pub(super) fn place(
    server: &ScriptedServer,
    kind: SourceKind,
    path: &str,
    change: impl FnOnce(&mut Campaign),
) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
    let mut town = Campaign::new("Town");
    town.rules = crate::scope::standard_rules();
    let (url, source_tag) = (format!("http://{}/start", server.addr), String::new());
    town.seeds = vec![Seed { url, scope: SeedScope::Resource, depth: None, source_tag }];
    town.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
    (town.politeness.min_delay_ms, town.politeness.delay_factor, town.politeness.max_retries) = (0, 0.0, 0);
    town.politeness.allow_private_addresses = PrivateAddresses::All;
    town.sources = vec![CampaignSource::new("s", kind, format!("http://{}{path}", server.addr))];
    change(&mut town);
    let id = session.catalogue().save_campaign(None, &town).unwrap();
    Place { _dir: dir, session, id, keychain: MemoryKeychain::default() }
}

impl Place {
    pub(super) fn run(&self) -> SourceOutcome {
        let outcome = run_sources(&self.session, self.id, &SourceChoice::All, &self.keychain, &JobCx::detached());
        outcome.unwrap().sources.remove(0)
    }

    fn spec(&self) -> Campaign {
        self.session.catalogue().campaign(self.id).unwrap().1
    }

    pub(super) fn row(&self) -> SourceRow {
        sources(&self.session, self.id).unwrap().remove(0)
    }
}

/// Wikis, blogs and forums that answer with two pages of a list, by the path of a request.
fn two_pages(path: &str) -> Option<ScriptedReply> {
    let json = |fields: &str, body: &str| Some(ScriptedReply::page(200, &format!("{JSON}{fields}"), body));
    let general = r#""general":{"server":"","articlepath":"/wiki/$1"}"#;
    match path {
        path if path.starts_with("/w/api.php") && path.contains("rccontinue=") => {
            assert!(path.contains("continue=-%7C%7C") && path.contains("rccontinue=20260101000000%7C7"), "{path}");
            json(
                "",
                &format!(
                    r#"{{"query":{{{general},"recentchanges":[{{"title":"Größe 2","revid":8,"timestamp":"2026-01-02T00:00:00Z"}},{{"revid":9,"timestamp":"2026-01-02T00:00:01Z","titlehidden":true}}]}}}}"#
                ),
            )
        }
        path if path.starts_with("/w/api.php") && path.contains("rcstart=") => json(
            "",
            &format!(
                r#"{{"query":{{{general},"recentchanges":[{{"title":"Größe 2","revid":8,"timestamp":"2026-01-02T00:00:00Z"}}]}}}}"#
            ),
        ),
        path if path.starts_with("/w/api.php") => json(
            "",
            &format!(
                r#"{{"continue":{{"rccontinue":"20260101000000|7","continue":"-||"}},"query":{{{general},"recentchanges":[{{"title":"A page","revid":7,"timestamp":"2026-01-01T00:00:00Z"}}]}}}}"#
            ),
        ),
        "/latest.json" => json(
            "",
            r#"{"topic_list":{"more_topics_url":"/latest?page=1","topics":[{"id":3,"slug":"new","title":"N","bumped_at":"2026-02-03T00:00:00.000Z"}]}}"#,
        ),
        "/latest.json?page=1" => json(
            "",
            r#"{"topic_list":{"topics":[{"id":1,"slug":"old","title":"O","bumped_at":"2026-01-03T00:00:00.000Z"}]}}"#,
        ),
        _ => None,
    }
}

#[test]
fn a_second_run_of_a_wiki_and_a_forum_fetches_only_what_is_new() {
    for (kind, path, first, requests) in [
        (SourceKind::MediaWiki, "/w/api.php", ["/wiki/A_page", "/wiki/Gr%C3%B6%C3%9Fe_2"], [2, 1]),
        (SourceKind::Discourse, "/", ["/t/new/3", "/t/old/1"], [2, 1]),
    ] {
        let server =
            ScriptedServer::start(|_, path| two_pages(path).unwrap_or_else(|| ScriptedReply::page(404, "", "")));
        let place = place(&server, kind, path, |_| {});
        let outcome = place.run();
        assert_eq!((outcome.new, outcome.requests, &outcome.failures[..]), (2, requests[0], &[][..]), "{outcome:?}");
        let waiting = place.row();
        assert_eq!((waiting.state.pages, waiting.state.waiting), (2, 2));
        let again = place.run();
        assert_eq!((again.new, again.requests), (0, requests[1]), "{again:?}");
        // The answers are captures of the campaign.
        let captures = place.session.catalogue().campaigns().unwrap()[0].captures;
        assert!(captures >= requests[0], "{captures} captures");
        // A launch takes the pages as seeds.
        crawl(&place.session, place.id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
        let launch = place.session.catalogue().last_launch(Some(place.id)).unwrap().unwrap();
        let seen = place.session.catalogue().seen(&SeenQuery::of_launch(launch.id, "all")).unwrap().rows;
        for path in first {
            let url = format!("http://{}{path}", server.addr);
            assert!(
                seen.iter().any(|row| row.url == url && row.outcome.to_string().contains("404")),
                "{path}: {seen:?}"
            );
        }
        assert_eq!(place.row().state.waiting, 0);
    }
}

#[test]
fn wordpress_goes_on_behind_a_full_page_and_ends_at_a_page_beyond_the_end() {
    let server = ScriptedServer::start(|_, path| {
        let post = |n: usize, day: usize| {
            format!(
                r#"{{"id":{n},"link":"/p/{n}","modified_gmt":"2026-01-{day:02}T00:00:00","title":{{"rendered":"P"}}}}"#
            )
        };
        let list = |posts: Vec<String>| ScriptedReply::page(200, JSON, format!("[{}]", posts.join(",")));
        match path {
            path if !path.starts_with("/wp-json/wp/v2/posts?") => ScriptedReply::page(404, "", ""),
            // All of a page have one date: it goes on by number.
            path if path.contains("page=2") => {
                ScriptedReply::page(400, JSON, r#"{"code":"rest_post_invalid_page_number","message":"x"}"#)
            }
            path if path.contains("modified_after=2026-01-02") => list((100..200).map(|n| post(n, 3)).collect()),
            path if path.contains("modified_after=") => list(Vec::new()),
            _ => list((0..100).map(|n| post(n, if n == 99 { 3 } else { 1 })).collect()),
        }
    });
    let place = place(&server, SourceKind::WordPress, "/", |_| {});
    let outcome = place.run();
    assert_eq!((outcome.new, outcome.requests, outcome.failures.len()), (200, 3, 0), "{outcome:?}");
    assert_eq!(place.row().state.marks[""], "2026-01-03T00:00:00Z");
}

#[test]
fn a_timeline_is_followed_by_its_links_and_waits_by_the_servers_clock() {
    let limited = Arc::new(Mutex::new(true));
    let server = ScriptedServer::start(move |host, path| {
        let post = |id: &str, date: &str, text: &str| {
            format!(
                r#"{{"id":"{id}","created_at":"{date}","url":"/@a/{id}","content":"{text}","account":{{"acct":"a"}}}}"#
            )
        };
        match path {
            // The clock of the server is years behind, and its limit ends in a second of that clock.
            "/api/v1/timelines/tag/flood?limit=40" if std::mem::take(&mut *limited.lock().unwrap()) => {
                ScriptedReply::page(
                    429,
                    "Date: Wed, 21 Oct 2015 07:28:00 GMT\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 2015-10-21T07:28:01.000Z\r\n",
                    "{}",
                )
            }
            "/api/v1/timelines/tag/flood?limit=40" => {
                let text = "<p><a href='https://press.example/1'>x</a> <a href='https://other.example/tags/flood'>#flood</a></p>";
                let link = format!(
                    "Date: Wed, 21 Oct 2015 07:28:00 GMT\r\nLink: <http://{host}/api/v1/timelines/tag/flood?max_id=7>; rel=\"next\", <http://{host}/p>; rel=\"prev\"\r\n"
                );
                ScriptedReply::page(
                    200,
                    &format!("{JSON}{link}"),
                    format!("[{}]", post("9", "2015-10-20T00:00:00Z", text)),
                )
            }
            "/api/v1/timelines/tag/flood?max_id=7" => ScriptedReply::page(
                200,
                &format!(
                    "{JSON}Date: Wed, 21 Oct 2015 07:28:00 GMT\r\nLink: <https://elsewhere.example/x>; rel=\"next\"\r\n"
                ),
                format!("[{}]", post("5", "2099-01-01T00:00:00Z", "")),
            ),
            _ => ScriptedReply::page(200, JSON, "[]"),
        }
    });
    let place = place(&server, SourceKind::Mastodon, "/", |town| town.request = "flood".parse::<Request>().unwrap());
    assert_eq!(place.row().searches, ["flood"]);
    let outcome = place.run();
    // Two posts and the link in the text of one.
    assert_eq!((outcome.pages, outcome.new, outcome.requests, outcome.failures.len()), (2, 3, 3, 0), "{outcome:?}");
    let notes = outcome.notes.join("; ");
    assert!(notes.contains("on another server") && notes.contains("ahead of the server's clock"), "{notes}");
    // The mark is no later than the server's clock, whatever its posts are dated.
    assert!(place.row().state.marks["flood"].starts_with("2015-10-2"), "{:?}", place.row().state.marks);
}

#[test]
fn feeds_are_fetched_conditionally_and_end_when_they_are_gone() {
    let is_gone = Arc::new(Mutex::new(false));
    let gone = Arc::clone(&is_gone);
    let server = ScriptedServer::start(move |_, path| match path {
        "/feed" if *gone.lock().unwrap() => ScriptedReply::page(410, "", ""),
        "/feed" => ScriptedReply::page(
            200,
            "Content-Type: application/rss+xml\r\nETag: \"1\"\r\n",
            "<rss><channel><ttl>1440</ttl><item><link>/a</link></item><item><link>http://10.0.0.1/</link></item></channel></rss>",
        ),
        _ => ScriptedReply::page(404, "", ""),
    });
    let place = place(&server, SourceKind::Feed, "/feed", |town| {
        town.politeness.allow_private_addresses = serde_json::from_str(r#"["127.0.0.0/8"]"#).unwrap();
    });
    let outcome = place.run();
    assert_eq!((outcome.new, outcome.failures.len()), (1, 0), "{outcome:?}");
    assert!(outcome.notes[0].contains("private"), "{outcome:?}");
    let row = place.row();
    assert!(row.state.marks[""].contains(r#"\"1\""#), "{:?}", row.state.marks);
    let next = CaptureDate::parse(&row.next_run.unwrap()).unwrap().millis() - CaptureDate::now().millis();
    assert!(next > 23 * 3_600_000, "the feed asks for a day: {next}");
    *is_gone.lock().unwrap() = true;
    let outcome = place.run();
    assert!(outcome.failures[0].contains("410"), "{outcome:?}");
    assert!(place.row().state.is_gone && place.row().next_run.is_none());
    let due = run_sources(&place.session, place.id, &SourceChoice::All, &place.keychain, &JobCx::detached()).unwrap();
    assert_eq!(due.sources, []);
}

#[test]
fn endless_huge_and_wrong_answers_are_bounded_and_refused() {
    let server = ScriptedServer::start(|_, path| {
        let number = path.rsplit('=').next().unwrap_or_default().parse::<u64>().unwrap_or(0);
        match path {
            "/html/latest.json" => ScriptedReply::html("<html>log in"),
            "/busy/latest.json" => ScriptedReply::page(429, JSON, r#"{"extras":{"wait_seconds":99999}}"#),
            "/closed/latest.json" => ScriptedReply::page(403, JSON, r#"{"errors":["log in first"]}"#),
            "/huge/latest.json" => ScriptedReply::page(200, JSON, vec![b' '; 17 << 20]),
            "/cut/latest.json" => ScriptedReply::raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"topic_list\":"),
            path if path.starts_with("/endless/") => {
                let body = format!(
                    r#"{{"topic_list":{{"more_topics_url":"/endless/latest?page={}","topics":[{{"id":1,"slug":"x","bumped_at":"2026-01-01T00:00:00Z"}}]}}}}"#,
                    number + 1
                );
                ScriptedReply::page(200, JSON, body)
            }
            "/robots.txt" => ScriptedReply::page(200, "", "User-agent: *\nDisallow: /closed-to-robots\n"),
            _ => ScriptedReply::page(404, "", ""),
        }
    });
    for (path, expected) in [
        ("/html", "answered a page and not JSON"),
        ("/busy", "requests a wait"),
        ("/closed", "403): “log in first”"),
        ("/huge", "longer than 16777216 bytes"),
        ("/cut", "ended the connection before"),
        ("/closed-to-robots", "robots.txt says no"),
        ("/nothing", "404"),
    ] {
        let place = place(&server, SourceKind::Discourse, path, |_| {});
        let outcome = place.run();
        assert!(outcome.failures.join(" ").contains(expected), "{path}: {outcome:?}");
        assert_eq!((outcome.new, place.row().state.marks.len()), (0, 0), "{path}");
    }
    let place = place(&server, SourceKind::Discourse, "/endless", |_| {});
    let outcome = place.run();
    assert!(outcome.requests < 10 && outcome.notes[0].contains("repeats itself"), "{outcome:?}");
}

#[test]
fn a_token_is_sent_and_written_to_no_file() {
    let server = ScriptedServer::start(|_, path| match path {
        "/r.json" => ScriptedReply::page(404, "", ""),
        path if path.starts_with("/api/") => ScriptedReply::page(200, JSON, "[]"),
        _ => ScriptedReply::page(404, "", ""),
    });
    let place = place(&server, SourceKind::Mastodon, "/tags/x", |town| town.sources[0].token = true);
    let outcome = place.run();
    assert!(outcome.failures[0].contains("fonds sources token"), "{outcome:?}");
    let source = place.row().source;
    place.keychain.keep(&token_name(&source), "s3cret-token").unwrap();
    assert_eq!(place.run().failures.len(), 0);
    let mut folders = vec![place.session.workspace.folder().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let mut bytes = std::fs::read(&path).unwrap();
            if path.extension().is_some_and(|end| end == "gz") {
                let mut text = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text).unwrap();
                assert!(memchr::memmem::find(&text, b"timelines/tag/x").is_some());
                bytes = text;
            }
            for secret in [&b"s3cret"[..], b"Authorization:"] {
                assert!(memchr::memmem::find(&bytes, secret).is_none(), "{}", path.display());
            }
        }
    }
    assert!(files > 2);
}

#[test]
fn a_test_keeps_nothing_and_a_campaign_of_others_starts_nothing() {
    let server = ScriptedServer::start(|_, path| match path {
        "/?q=flood%20OR%20%22high%20water%22" => ScriptedReply::html(
            "<a href=/more>x</a><a href='/out?to=https%3A%2F%2Fa.example%2F1'>A</a><a href='http://b.example/#x'>B</a>",
        ),
        _ => ScriptedReply::page(404, "", ""),
    });
    let place = place(&server, SourceKind::Search, "/?q={query}", |town| {
        town.request = "flood OR \"high water\"".parse::<Request>().unwrap();
        town.politeness.robots = RobotsPolicy::Ignore;
    });
    let test = test_source(
        &place.session,
        Some(place.id),
        &place.spec(),
        &place.row().source,
        &place.keychain,
        &JobCx::detached(),
    )
    .unwrap();
    let urls: Vec<&str> = test.pages.iter().map(|(url, _)| url.as_str()).collect();
    assert_eq!(urls, ["https://a.example/1", "http://b.example/"], "{test:?}");
    assert_eq!(test.requests[0].0, "flood OR \"high water\"");
    assert_eq!((place.row().state.pages, place.row().last_run), (0, None));
    assert!(!place.session.workspace.folder().join("output/warcs").join(ANSWERS).exists());
    let spec = place.session.catalogue().campaign(place.id).unwrap().1;
    let other = place.session.catalogue().save_campaign_from("a.zip", &spec).unwrap();
    let error =
        run_sources(&place.session, other, &SourceChoice::All, &place.keychain, &JobCx::detached()).unwrap_err();
    assert!(error.to_string().contains("switched off"), "{error}");
    assert!(spec.crawl_terms().iter().any(|term| term.starts_with("source: Search engine s")));
}

#[test]
fn a_launch_reads_what_is_due_first_and_its_events_name_what_came() {
    let server = ScriptedServer::start(|_, path| match path {
        "/map.xml" => ScriptedReply::page(200, "", "<urlset><url><loc>/a</loc></url></urlset>"),
        "/a" => ScriptedReply::html("<a href=/b>b</a>"),
        "/b" => ScriptedReply::html("<a href=/c>c</a>"),
        "/start" | "/c" => ScriptedReply::html("x"),
        _ => ScriptedReply::page(404, "", ""),
    });
    let place = place(&server, SourceKind::Sitemap, "/map.xml", |_| {});
    crawl(&place.session, place.id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    let paths = server.paths(&server.addr.to_string());
    let position = |path: &str| paths.iter().position(|hit| hit == path);
    assert!(position("/map.xml") < position("/a") && position("/b").is_some(), "{paths:?}");
    assert_eq!(position("/c"), None, "one hop from what a source names: {paths:?}");
    let launch = place.session.catalogue().last_launch(Some(place.id)).unwrap().unwrap();
    let query = EventQuery { launch: launch.id, kind: Some(EventKind::Source), each: true, offset: 0, limit: 9 };
    let events = place.session.catalogue().events(&query).unwrap().rows;
    let texts: Vec<&str> = events.iter().map(|event| event.event.text.as_str()).collect();
    assert_eq!(
        texts,
        ["1 page that sources named is in the queue", "source “s”: 1 of 1 page new, by 1 request"],
        "newest first"
    );
    let next = place.row().next_run.unwrap();
    assert!(CaptureDate::parse(&next).unwrap() > CaptureDate::now());
}

#[test]
fn marks_are_written_for_people() {
    for (mark, text) in [
        ("2026-01-03T00:00:00Z", "2026-01-03 00:00:00 UTC"),
        ("2026-01-03T00:00:00Z 109583", "2026-01-03 00:00:00 UTC, entry 109583"),
        (r#"{"etag":"W/\"5\"","modified":null}"#, "the server's version W/\"5\""),
        (
            r#"2026-01-03T00:00:00Z {"etag":null,"modified":"Fri, 02 Jan 2026 03:04:05 GMT"}"#,
            "2026-01-03 00:00:00 UTC, changed Fri, 02 Jan 2026 03:04:05 GMT",
        ),
        (r#"{"etag":null,"modified":null}"#, ""),
    ] {
        assert_eq!(mark_text(mark), text);
    }
}
