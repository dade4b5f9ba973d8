//! What a server sees of a run: conditions, queries, the mark, waits; and what goes on when entries vanish.

use super::tests::{JSON, place};
use crate::campaign::{Request, SourceKind};
use crate::testing::{ScriptedReply, ScriptedServer};
use std::sync::{Arc, Mutex};

/// A server that keeps the heads of its requests besides robots.txt.
fn noted(
    answer: impl Fn(&str, &str) -> ScriptedReply + Send + Sync + 'static,
) -> (ScriptedServer, Arc<Mutex<Vec<String>>>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    let server = ScriptedServer::start_with_heads(move |_, path, head| {
        if path == "/robots.txt" {
            return ScriptedReply::page(404, "", "");
        }
        kept.lock().unwrap().push(head.to_owned());
        answer(path, head)
    });
    (server, heads)
}

/// The decoded parameters of the request in a head.
fn parameters(head: &str) -> Vec<(String, String)> {
    let path = head.split(' ').nth(1).unwrap();
    let url = crate::uri::parse_web_url(&format!("http://x.example{path}")).unwrap();
    url.query_pairs().into_owned().collect()
}

fn parameter(head: &str, name: &str) -> Option<String> {
    parameters(head).into_iter().find(|(of, _)| of == name).map(|(_, value)| value)
}

#[test]
fn what_did_not_change_is_requested_with_the_servers_own_validators_and_not_read_again() {
    for (kind, path, body) in [
        (SourceKind::Feed, "/feed", "<rss><channel><item><link>/a</link></item></channel></rss>"),
        (SourceKind::Sitemap, "/map.xml", "<urlset><url><loc>/a</loc><lastmod>2026-01-02</lastmod></url></urlset>"),
    ] {
        let (server, heads) = noted(move |of, head| match head.contains("If-None-Match: W/\"v1\"") {
            _ if of != path => ScriptedReply::page(404, "", ""),
            true => ScriptedReply::page(304, "ETag: W/\"v1\"\r\n", ""),
            false => {
                let fields = "ETag: W/\"v1\"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n";
                ScriptedReply::page(200, fields, body)
            }
        });
        let place = place(&server, kind, path, |_| {});
        let first = place.run();
        assert_eq!((first.new, first.requests, first.failures.len()), (1, 1, 0), "{first:?}");
        let marks = place.row().state.marks;
        for _ in 0..2 {
            let again = place.run();
            assert_eq!((again.pages, again.new, again.requests, &again.failures[..]), (0, 0, 1, &[][..]), "{again:?}");
            assert_eq!(place.row().state.marks, marks, "the validators are kept");
        }
        let heads = heads.lock().unwrap();
        assert!(!heads[0].contains("If-None-Match") && !heads[0].contains("If-Modified-Since"), "{}", heads[0]);
        for head in &heads[1..] {
            assert!(head.contains("If-None-Match: W/\"v1\"\r\n"), "{head}");
            assert!(head.contains("If-Modified-Since: Fri, 02 Jan 2026 03:04:05 GMT\r\n"), "{head}");
        }
    }
}

#[test]
fn a_wiki_is_sent_its_search_and_its_changes_since_the_mark() {
    let (server, heads) = noted(|path, _| match path.contains("list=search") {
        true => ScriptedReply::page(200, JSON, r#"{"query":{"general":{},"search":[{"title":"A"}]}}"#),
        false => {
            let body = r#"{"query":{"general":{},"recentchanges":[{"title":"B","revid":1,"timestamp":"2026-01-02T00:00:00Z"}]}}"#;
            ScriptedReply::page(200, JSON, body)
        }
    });
    let place = place(&server, SourceKind::MediaWiki, "/w/api.php", |town| {
        town.request = "(flood OR \"high water\") AND NOT football".parse::<Request>().unwrap();
    });
    place.run();
    {
        let heads = heads.lock().unwrap();
        let search = &heads[0];
        assert_eq!(parameter(search, "srsearch").unwrap(), "flood OR \"high water\"");
        for (name, value) in
            [("action", "query"), ("format", "json"), ("formatversion", "2"), ("maxlag", "5"), ("srlimit", "50")]
        {
            assert_eq!(parameter(search, name).as_deref(), Some(value), "{search}");
        }
        assert!(search.contains("User-Agent: Fonds test"), "{search}");
    }
    // All that is new: from the mark, a second earlier.
    let (_, mut town) = place.session.catalogue().campaign(place.id).unwrap();
    town.sources[0].queries = Some(Vec::new());
    place.session.catalogue().save_campaign(Some(place.id), &town).unwrap();
    place.run();
    place.run();
    let heads = heads.lock().unwrap();
    let of_changes: Vec<&String> = heads.iter().filter(|head| head.contains("list=recentchanges")).collect();
    assert_eq!(parameter(of_changes[0], "rcstart"), None);
    assert_eq!(parameter(of_changes[0], "rcdir").as_deref(), Some("newer"));
    assert_eq!(parameter(of_changes[1], "rcstart").as_deref(), Some("2026-01-01T23:59:59Z"));
}

#[test]
fn a_blog_is_sent_each_term_by_itself_and_what_changed_since_the_mark() {
    let (server, heads) = noted(|_, head| {
        let term = parameter(head, "search").unwrap_or_default();
        let path = term.replace(' ', "-");
        let body =
            format!(r#"[{{"id":1,"link":"/{path}","modified_gmt":"2026-01-02T00:00:00","title":{{"rendered":"x"}}}}]"#);
        ScriptedReply::page(200, &format!("{JSON}X-WP-TotalPages: 1\r\n"), body)
    });
    let place = place(&server, SourceKind::WordPress, "/", |town| {
        town.request = "flood OR \"high water\"".parse::<Request>().unwrap();
    });
    assert_eq!(place.row().searches, ["flood", "\"high water\""]);
    let outcome = place.run();
    assert_eq!((outcome.new, outcome.requests), (2, 2), "{outcome:?}");
    place.run();
    let heads = heads.lock().unwrap();
    let sent: Vec<(Option<String>, Option<String>)> =
        heads.iter().map(|head| (parameter(head, "search"), parameter(head, "modified_after"))).collect();
    let (flood, water, since) =
        (Some("flood".to_owned()), Some("high water".to_owned()), Some("2026-01-01T23:59:59Z".to_owned()));
    assert_eq!(sent, [(flood.clone(), None), (water.clone(), None), (flood, since.clone()), (water, since)]);
    for (name, value) in [("per_page", "100"), ("page", "1"), ("orderby", "modified"), ("order", "asc")] {
        assert_eq!(parameter(&heads[0], name).as_deref(), Some(value));
    }
}

/// Every protocol waits as long as the server requests, once, and goes on.
#[test]
fn a_server_that_is_busy_is_waited_for() {
    for (kind, path, fields, body) in [
        (
            SourceKind::MediaWiki,
            "/w/api.php",
            JSON,
            r#"{"query":{"general":{},"recentchanges":[{"title":"A","revid":1}]}}"#,
        ),
        (SourceKind::Mastodon, "/tags/x", JSON, r#"[{"id":"1","created_at":"2026-01-01T00:00:00Z","url":"/a"}]"#),
        (SourceKind::WordPress, "/", JSON, r#"[{"link":"/a","modified_gmt":"2026-01-01T00:00:00"}]"#),
        (SourceKind::Discourse, "/", JSON, r#"{"topic_list":{"topics":[{"id":1,"slug":"a"}]}}"#),
        (SourceKind::Feed, "/feed", "", "<rss><channel><item><link>/a</link></item></channel></rss>"),
        (SourceKind::Sitemap, "/map.xml", "", "<urlset><url><loc>/a</loc></url></urlset>"),
        (SourceKind::Search, "/?q={query}", "", "<a href='https://a.example/'>A</a>"),
    ] {
        let is_busy = Arc::new(Mutex::new(true));
        let (server, heads) = noted(move |_, _| match std::mem::take(&mut *is_busy.lock().unwrap()) {
            true => ScriptedReply::page(429, "Retry-After: 1\r\n", ""),
            false => ScriptedReply::page(200, fields, body),
        });
        let place = place(&server, kind, path, |town| {
            town.sources[0].queries = (kind.takes_queries())
                .then(|| if kind == SourceKind::Search { vec!["x".to_owned()] } else { Vec::new() });
        });
        let begun = std::time::Instant::now();
        let outcome = place.run();
        assert_eq!((outcome.new, &outcome.failures[..]), (1, &[][..]), "{kind:?}: {outcome:?}");
        assert_eq!(heads.lock().unwrap().len(), 2, "{kind:?}");
        assert!(begun.elapsed().as_millis() >= 950, "{kind:?} waited {:?}", begun.elapsed());
    }
}

/// The post and the topic of the mark are deleted between two runs: their dates end the lists as well.
#[test]
fn lists_end_at_the_date_of_an_entry_that_vanished() {
    let is_second = Arc::new(Mutex::new(false));
    let later = Arc::clone(&is_second);
    let (server, heads) = noted(move |path, _| {
        let is_second = *later.lock().unwrap();
        let post = |id: u64, day: u64| {
            format!(
                r#"{{"id":"{id}","created_at":"2026-01-{day:02}T00:00:00Z","url":"/@a/{id}","content":"","account":{{"acct":"a"}}}}"#
            )
        };
        let topic = |id: u64, day: u64| format!(r#"{{"id":{id},"slug":"t","bumped_at":"2026-01-{day:02}T00:00:00Z"}}"#);
        match path {
            path if path.starts_with("/api/v1/timelines/tag/x") => {
                // Post 20 was the newest of the first run, and is gone in the second.
                let posts = if is_second { [post(30, 5), post(10, 2)] } else { [post(20, 3), post(10, 2)] };
                let link = "Link: </api/v1/timelines/tag/x?max_id=10>; rel=\"next\"\r\n";
                let link = if path.contains("max_id") { "" } else { link };
                let posts = if path.contains("max_id") { post(5, 1) } else { posts.join(",") };
                ScriptedReply::page(200, &format!("{JSON}{link}"), format!("[{posts}]"))
            }
            path if path.starts_with("/latest.json") => {
                let topics = if is_second { [topic(30, 5), topic(10, 2)] } else { [topic(20, 3), topic(10, 2)] };
                let (topics, more) = match path.contains("page=1") {
                    true => (topic(5, 1), ""),
                    false => (topics.join(","), r#""more_topics_url":"/latest?page=1","#),
                };
                ScriptedReply::page(200, JSON, format!(r#"{{"topic_list":{{{more}"topics":[{topics}]}}}}"#))
            }
            _ => ScriptedReply::page(404, "", ""),
        }
    });
    for (kind, path, mark) in [
        (SourceKind::Mastodon, "/tags/x", "2026-01-05T00:00:00Z 30"),
        (SourceKind::Discourse, "/", "2026-01-05T00:00:00Z"),
    ] {
        *is_second.lock().unwrap() = false;
        let place = place(&server, kind, path, |town| town.sources[0].queries = Some(Vec::new()));
        let first = place.run();
        assert_eq!((first.new, first.requests), (3, 2), "{kind:?}: {first:?}");
        *is_second.lock().unwrap() = true;
        heads.lock().unwrap().clear();
        let second = place.run();
        assert_eq!((second.new, second.requests, second.failures.len()), (1, 1, 0), "{kind:?}: {second:?}");
        assert_eq!(place.row().state.marks[""], mark, "{kind:?}");
    }
}

/// Dates of items that are ahead of the server's clock, and clocks of servers that are wrong, move no mark too far.
#[test]
fn no_mark_is_ahead_of_the_servers_clock() {
    const DATE: &str = "Date: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
    for (kind, path, body) in [
        (
            SourceKind::MediaWiki,
            "/w/api.php",
            r#"{"query":{"general":{},"recentchanges":[{"title":"A","revid":1,"timestamp":"2099-01-01T00:00:00Z"}]}}"#,
        ),
        (SourceKind::WordPress, "/", r#"[{"link":"/a","modified_gmt":"2099-01-01T00:00:00"}]"#),
        (
            SourceKind::Discourse,
            "/",
            r#"{"topic_list":{"topics":[{"id":1,"slug":"a","bumped_at":"2099-01-01T00:00:00Z"}]}}"#,
        ),
        (SourceKind::Mastodon, "/tags/x", r#"[{"id":"1","created_at":"2099-01-01T00:00:00Z","url":"/a"}]"#),
    ] {
        let (server, _) = noted(move |_, _| ScriptedReply::page(200, &format!("{JSON}{DATE}"), body));
        let place = place(&server, kind, path, |town| town.sources[0].queries = Some(Vec::new()));
        let outcome = place.run();
        assert_eq!((outcome.new, outcome.failures.len()), (1, 0), "{kind:?}: {outcome:?}");
        assert!(outcome.notes.iter().any(|note| note.contains("ahead of the server's clock")), "{kind:?}: {outcome:?}");
        let mark = &place.row().state.marks[""];
        assert!(mark.starts_with("2015-10-21T07:28:00Z"), "{kind:?}: {mark}");
    }
}
