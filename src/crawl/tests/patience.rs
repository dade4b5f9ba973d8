//! Tests of crawls of servers that are slow, that refuse, or that answer nothing
//! but errors: waits, events and ends.

#![allow(clippy::unwrap_used)]

use super::journey::{campaign, setup};
use super::memory_ledger::MemoryLedger;
use crate::campaign::Campaign;
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::testing::{ScriptedReply, ScriptedServer};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Crawls, and cancels what has not ended after half a minute, or once
/// `is_seen` is true.
fn crawl_watched(
    campaign: &Campaign,
    server: &ScriptedServer,
    ledger: &MemoryLedger,
    is_seen: impl Fn(&JobCx, &CrawlStats) -> bool + Sync,
) -> CrawlReport {
    let folder = tempfile::tempdir().unwrap();
    let (cx, stats) = (JobCx::detached(), CrawlStats::default());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begin = Instant::now();
            while !is_over.load(Ordering::SeqCst) && begin.elapsed() < Duration::from_secs(30) && !is_seen(&cx, &stats)
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            cx.cancel();
        });
        let report = run_crawl(&setup(campaign, server, folder.path()), ledger, &stats, &cx).unwrap();
        is_over.store(true, Ordering::SeqCst);
        report
    })
}

fn never(_: &JobCx, _: &CrawlStats) -> bool {
    false
}

fn of_kind(ledger: &MemoryLedger, kind: EventKind) -> Vec<CrawlEvent> {
    ledger.events().into_iter().filter(|event| event.kind == kind).collect()
}

/// Crawls twelve pages of a host that refuses all, with the delay between
/// requests in milliseconds; the last refusal before the host is given up asks
/// to wait for `last_wait` seconds.
fn crawl_refused(min_delay_ms: u64, last_wait: u64) {
    let count = AtomicUsize::new(0);
    let server = ScriptedServer::start(move |host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("b.example", _) => {
            let wait = if count.fetch_add(1, Ordering::SeqCst) < 8 { 0 } else { last_wait };
            ScriptedReply::page(429, &format!("Retry-After: {wait}\r\n"), "slow down")
        }
        _ => ScriptedReply::html("leaf"),
    });
    let mut seeds = vec!["http://a.example/".to_owned()];
    seeds.extend((0..12).map(|page| format!("http://b.example/{page}")));
    let mut campaign = campaign(&seeds.iter().map(String::as_str).collect::<Vec<_>>());
    campaign.politeness.min_delay_ms = min_delay_ms;
    let ledger = MemoryLedger::default();
    let report = crawl_watched(&campaign, &server, &ledger, never);
    assert_eq!(report.end, CrawlEnd::Finished);
    let given_up = of_kind(&ledger, EventKind::HostGivenUp);
    assert_eq!(given_up.len(), 1, "{given_up:?}");
}

#[test]
fn a_host_that_is_given_up_leaves_the_queue_at_once() {
    crawl_refused(1, 3600);
}

#[test]
fn what_waits_for_a_host_that_is_given_up_ends_once() {
    // Without a delay several URLs of the host are in flight meanwhile.
    (0..20).for_each(|_| crawl_refused(0, 0));
}

#[test]
fn slow_bodies_hold_no_worker() {
    let drip = || ScriptedReply {
        parts: std::iter::once((
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 60\r\n\r\n".to_vec(),
            Duration::ZERO,
        ))
        .chain((0..60).map(|_| (b"x".to_vec(), Duration::from_millis(100))))
        .collect(),
        endless: false,
        keep_open: false,
    };
    let ended: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let server = ScriptedServer::start({
        let ended = Arc::clone(&ended);
        move |host, path| match (host, path) {
            (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
            ("a.example" | "www.a.example", _) => drip(),
            (_, "/") => ScriptedReply::html(&(0..20).map(|page| format!("<a href=/{page}>p</a>")).collect::<String>()),
            _ => {
                ended.lock().unwrap().push(Instant::now());
                ScriptedReply::html("leaf")
            }
        }
    });
    let mut campaign = campaign(&["http://a.example/", "http://www.a.example/", "http://b.example/"]);
    campaign.politeness.workers = 2;
    campaign.politeness.min_delay_ms = 1;
    campaign.limits.max_response_seconds = 30;
    let ledger = MemoryLedger::default();
    let begin = Instant::now();
    let report = crawl_watched(&campaign, &server, &ledger, never);
    assert_eq!((report.end, report.totals.fetched), (CrawlEnd::Finished, 26));
    // The pages of the good host came while both workers waited for six seconds.
    let last = *ended.lock().unwrap().last().unwrap();
    let whole = begin.elapsed();
    assert!(last - begin < whole - Duration::from_millis(1500), "{:?} of {whole:?}", last - begin);
    assert!(ledger.captures().iter().all(|capture| capture.truncated.is_none()));
}

#[test]
fn what_is_cut_off_is_an_event_with_the_limit_that_did_it() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/long" => ScriptedReply::page(200, "", vec![b'x'; 20_000]),
        "/short" => ScriptedReply::raw(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        _ => ScriptedReply {
            parts: vec![
                (b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), Duration::ZERO),
                (b"x".to_vec(), Duration::from_millis(50)),
            ],
            endless: true,
            keep_open: false,
        },
    });
    let mut campaign = campaign(&["http://a.example/long", "http://a.example/short", "http://a.example/slow"]);
    campaign.limits.max_response_bytes = 10_000;
    campaign.limits.max_response_seconds = 2;
    let ledger = MemoryLedger::default();
    crawl_watched(&campaign, &server, &ledger, never);
    let mut cuts: Vec<(String, String)> = of_kind(&ledger, EventKind::Truncated)
        .into_iter()
        .map(|event| (event.url, event.text.rsplit_once("kept so: ").unwrap().1.to_owned()))
        .collect();
    cuts.sort();
    let expected = [
        ("http://a.example/long", "it is longer than 10000 bytes (limits.max_response_bytes)"),
        ("http://a.example/short", "the server ended the connection before it was whole"),
        ("http://a.example/slow", "it took longer than 2 seconds (limits.max_response_seconds)"),
    ];
    assert_eq!(cuts, expected.map(|(url, text)| (url.to_owned(), text.to_owned())));
    assert!(
        ledger.captures().iter().filter(|capture| capture.url.path() != "/robots.txt").all(|c| c.truncated.is_some())
    );
}

#[test]
fn the_least_rate_is_that_of_the_campaign() {
    let mut limits = campaign(&[]).limits;
    assert_eq!(crate::exchange::FetchLimits::of(&limits).least_rate, 20);
    limits.min_response_bytes_per_second = 0;
    assert_eq!(crate::exchange::FetchLimits::of(&limits).least_rate, 0);
}

#[test]
fn a_long_delay_between_requests_is_shown_with_its_end() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(200, "Content-Type: text/plain\r\n", "User-agent: *\nCrawl-delay: 3600"),
        _ => ScriptedReply::html("leaf"),
    });
    let mut campaign = campaign(&["http://a.example/", "http://a.example/x"]);
    campaign.politeness.min_delay_ms = 10;
    let ledger = MemoryLedger::default();
    let shown = Mutex::new((String::new(), Vec::new(), Vec::new()));
    crawl_watched(&campaign, &server, &ledger, |cx, stats| {
        let (pauses, hosts) = (stats.pauses().0, stats.host_states());
        let is_shown = cx.obstacle().contains("a.example") && !hosts.is_empty();
        *shown.lock().unwrap() = (cx.obstacle(), pauses, hosts);
        is_shown
    });
    let (obstacle, pauses, hosts) = shown.into_inner().unwrap();
    let why = "robots.txt asks for 60 minutes between requests; the campaign waits 5 minutes, the most it obeys";
    assert!(obstacle.starts_with("Waiting: a.example is asked again at 2"), "{obstacle}");
    assert!(obstacle.ends_with(&format!(" UTC ({why})")), "{obstacle}");
    assert_eq!((pauses[0].authority.as_str(), pauses[0].why.as_str()), ("a.example", why));
    // Its row says the same.
    assert_eq!((hosts[0].authority.as_str(), hosts[0].activity), ("a.example", HostActivity::Resting));
    assert_eq!(hosts[0].why, why);
    assert!(hosts[0].until.is_some_and(|until| (until.millis() - pauses[0].until.millis()).abs() < 2_000));
    let reported = of_kind(&ledger, EventKind::Host);
    assert!(reported.len() == 1 && reported[0].text.contains(why) && reported[0].host == "a.example", "{reported:?}");
}

#[test]
fn a_server_that_wants_a_day_is_quoted_and_tried_again_after_an_hour() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        _ => ScriptedReply::page(429, "Retry-After: 86400\r\n", ""),
    });
    let ledger = MemoryLedger::default();
    let obstacle = Mutex::new(String::new());
    crawl_watched(&campaign(&["http://a.example/"]), &server, &ledger, |cx, _| {
        *obstacle.lock().unwrap() = cx.obstacle();
        !cx.obstacle().is_empty()
    });
    let wait = &of_kind(&ledger, EventKind::Wait)[0];
    assert!(wait.text.contains("asks to wait 24 hours; it is asked again at 2"), "{wait:?}");
    let obstacle = obstacle.into_inner().unwrap();
    assert!(
        obstacle.contains("a.example is asked again at") && obstacle.contains("asks to wait 24 hours"),
        "{obstacle}"
    );
}

#[test]
fn seeds_that_come_to_no_page_are_events() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/gone" => ScriptedReply::page(404, "", "gone"),
        "/broken" => ScriptedReply::page(500, "", "broken"),
        "/" => ScriptedReply::html("<a href=/broken/too>x</a>"),
        "/broken/too" => ScriptedReply::page(500, "", "broken"),
        _ => ScriptedReply::raw(b""),
    });
    let seeds = ["http://a.example/", "http://a.example/gone", "http://a.example/broken", "http://a.example/silent"];
    let ledger = MemoryLedger::default();
    let report = crawl_watched(&campaign(&seeds), &server, &ledger, never);
    let mut reported: Vec<(String, i32)> =
        of_kind(&ledger, EventKind::Seed).into_iter().map(|event| (event.url, event.status)).collect();
    reported.sort();
    let expected = [("http://a.example/broken", 500), ("http://a.example/gone", 404), ("http://a.example/silent", -3)];
    assert_eq!(reported, expected.map(|(url, status)| (url.to_owned(), status)));
    assert_eq!(report.seed_errors, 2);
}
