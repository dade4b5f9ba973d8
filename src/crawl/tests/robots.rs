//! Crawls of sites with odd robots.txt files and robots fields, on loopback.

#![allow(clippy::unwrap_used)]

use super::journey::{campaign, crawl};
use super::memory_ledger::{MemoryLedger, StoredFate};
use crate::campaign::PrivateAddresses;
use crate::crawl::*;
use crate::exchange::fetch_status;
use crate::testing::{ScriptedReply, ScriptedServer};
use serde_json::json;

const RULES: &str = "User-agent: *\nDisallow: /no\n";

fn text(body: impl AsRef<[u8]>) -> ScriptedReply {
    ScriptedReply::page(200, "Content-Type: text/plain\r\n", body)
}

fn moved(to: &str) -> ScriptedReply {
    ScriptedReply::page(301, &format!("Location: {to}\r\n"), "")
}

/// Pages of `a.example` that a crawl requested, without robots.txt and what it
/// redirects to.
fn pages(server: &ScriptedServer) -> Vec<String> {
    let mut paths = server.paths("a.example");
    paths.retain(|path| ["/", "/no/1", "/yes"].contains(&path.as_str()));
    paths.sort();
    paths
}

#[track_caller]
fn check_redirects(answer: impl Fn(&str, &str) -> Option<ScriptedReply> + Send + Sync + 'static) -> ScriptedServer {
    let server = ScriptedServer::start(move |host, path| match (host, path) {
        ("a.example", "/") => ScriptedReply::html("<a href=/no/1>no</a> <a href=/yes>yes</a>"),
        _ => answer(host, path).unwrap_or_else(|| ScriptedReply::html("leaf")),
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let report = crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(report.end, CrawlEnd::Finished);
    assert_eq!(pages(&server), ["/", "/yes"], "{:?}", server.hits.lock().unwrap());
    server
}

#[test]
fn rules_behind_redirects_are_obeyed_whatever_their_path_and_host() {
    for to in
        ["/robots.txt?v=2", "/robots.txt/", "/r2.txt", "http://b.example/x4/robots.txt", "http://b.example/robots.txt"]
    {
        check_redirects(move |host, path| match (host, path) {
            ("a.example", "/robots.txt") => Some(moved(to)),
            _ => to.ends_with(path).then(|| text(RULES)),
        });
    }
    // Five in a row, over two hosts and back.
    let server = check_redirects(|host, path| {
        Some(match (host, path) {
            ("a.example", "/robots.txt") => moved("/1"),
            ("a.example", "/1") => moved("http://b.example/2"),
            ("b.example", "/2") => moved("/3"),
            ("b.example", "/3") => moved("http://a.example/4"),
            ("a.example", "/4") => moved("/5"),
            ("a.example", "/5") => text(RULES),
            _ => return None,
        })
    });
    assert_eq!(server.paths("b.example"), ["/2", "/3"]);
}

#[test]
fn a_robots_txt_that_a_link_led_to_first_is_fetched_before_the_pages_that_need_it() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        ("a.example", "/") => {
            ScriptedReply::html("<a href=http://b.example/no/1>n</a><a href=http://b.example/robots.txt>r</a>")
        }
        ("b.example", "/robots.txt") => text(RULES),
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        _ => ScriptedReply::html("leaf"),
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.rules = vec![json!({"rule": "accept_all"})];
    assert_eq!(crawl(&campaign, &server, folder.path(), &ledger).end, CrawlEnd::Finished);
    assert_eq!(server.paths("b.example"), ["/robots.txt"]);
}

#[test]
fn a_redirect_of_robots_txt_to_a_private_address_is_not_followed() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => moved("http://169.254.169.254/robots.txt"),
        _ => ScriptedReply::html("page"),
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.politeness.allow_private_addresses =
        serde_json::from_value::<PrivateAddresses>(json!(["127.0.0.1"])).unwrap();
    crawl(&campaign, &server, folder.path(), &ledger);
    // What cannot be had allows nothing.
    assert_eq!(server.paths("a.example"), ["/robots.txt"]);
    let end = ledger.finished("http://a.example/").unwrap();
    assert_eq!(end.fetch_status, fetch_status::ROBOTS_PREREQUISITE_FAILED, "{end:?}");
    let refused = ledger.finished("http://169.254.169.254/robots.txt").unwrap();
    assert_eq!(refused.fetch_status, fetch_status::BLOCKED_BY_SETTING);
}

#[test]
fn rules_are_compared_byte_by_byte_whatever_their_encoding() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => text(b"User-agent: *\nDisallow: /informa\xe7\xe3o/\n"),
        "/" => ScriptedReply::html("<a href=/informa%E7%E3o/x>no</a> <a href=/informa%E7%E3/y>yes</a>"),
        _ => ScriptedReply::html("leaf"),
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    let paths = server.paths("a.example");
    assert!(paths.contains(&"/informa%E7%E3/y".to_owned()), "{paths:?}");
    assert!(!paths.contains(&"/informa%E7%E3o/x".to_owned()), "{paths:?}");
    let end = ledger.finished("http://a.example/informa%E7%E3o/x").unwrap();
    assert_eq!(end.why.as_deref(), Some("robots.txt says no: line 2: Disallow: /informa%E7%E3o/"));
}

#[test]
fn a_field_of_the_answer_counts_as_the_meta_element_does() {
    for (field, followed) in [
        ("", true),
        ("X-Robots-Tag: noindex, nofollow\r\n", false),
        ("X-Robots-Tag: tester: none\r\n", false),
        ("X-Robots-Tag: googlebot: nofollow\r\n", true),
    ] {
        let server = ScriptedServer::start(move |_, path| match path {
            "/" => ScriptedReply::page(200, &format!("Content-Type: text/html\r\n{field}"), "<a href=/leaf>x</a>"),
            _ => ScriptedReply::page(404, "", ""),
        });
        let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
        let mut campaign = campaign(&["http://a.example/"]);
        campaign.rules.push(json!({"rule": "nofollow"}));
        crawl(&campaign, &server, folder.path(), &ledger);
        assert_eq!(server.paths("a.example").contains(&"/leaf".to_owned()), followed, "{field}");
        // The link is kept with its marks.
        let page = ledger.captures().into_iter().find(|capture| capture.url.path() == "/").unwrap();
        assert_eq!(page.notes.outlinks[0].nofollow, !followed, "{field}");
    }
}

#[test]
fn a_location_in_latin_1_is_fetched_byte_by_byte_and_a_small_version_is_read() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::raw(b"http/1.1 301 Moved\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n"),
        "/caf%E9" => ScriptedReply::page(302, "Location: /\u{e1}gua\r\n", ""),
        _ => ScriptedReply::html("leaf"),
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(server.paths("a.example"), ["/robots.txt", "/", "/caf%E9", "/%C3%A1gua"]);
    let fates = ledger.rows().into_iter().filter(|(_, fate)| matches!(fate, StoredFate::Waiting { .. }));
    assert_eq!(fates.count(), 0);
}
