//! Servers and networks that go away and come back.

#![allow(clippy::unwrap_used)]

use super::journey::{HOSTS, campaign, crawl, setup};
use super::memory_ledger::MemoryLedger;
use crate::campaign::Campaign;
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::uri::CaptureDate;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PAGES: usize = 40;

fn pages(_: &str, path: &str) -> ScriptedReply {
    match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::html(&(0..PAGES).map(|page| format!("<a href=/{page}>p</a>")).collect::<String>()),
        _ => ScriptedReply::html("leaf"),
    }
}

/// Tries twice again, after a second.
fn patient(seeds: &[&str]) -> Campaign {
    let mut campaign = campaign(seeds);
    campaign.politeness.retry_delay_seconds = 1;
    campaign
}

/// Crawls while `meanwhile` does something; gives the events too.
fn crawl_while(
    campaign: &Campaign,
    server: &Arc<ScriptedServer>,
    ledger: &MemoryLedger,
    meanwhile: impl FnOnce(&ScriptedServer, &JobCx) + Send + 'static,
) -> (CrawlReport, Vec<CrawlEvent>) {
    crawl_in(tempfile::tempdir().unwrap().path(), campaign, server, ledger, meanwhile)
}

/// Crawls in a folder, where a later crawl goes on.
fn crawl_in(
    folder: &Path,
    campaign: &Campaign,
    server: &Arc<ScriptedServer>,
    ledger: &MemoryLedger,
    meanwhile: impl FnOnce(&ScriptedServer, &JobCx) + Send + 'static,
) -> (CrawlReport, Vec<CrawlEvent>) {
    let (cx, stats) = (JobCx::detached(), CrawlStats::default());
    let other = std::thread::spawn({
        let (server, cx) = (Arc::clone(server), cx.clone());
        move || meanwhile(&server, &cx)
    });
    let report = run_crawl(&setup(campaign, server, folder), ledger, &stats, &cx).unwrap();
    other.join().unwrap();
    (report, ledger.events())
}

fn wait_for(condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it did not come about");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A server whose page 20 comes only when an outage has begun, so that no crawl
/// is through before.
fn server_before_outage() -> (Arc<ScriptedServer>, Arc<AtomicBool>) {
    let outage = Arc::new(AtomicBool::new(false));
    let server = ScriptedServer::start({
        let outage = Arc::clone(&outage);
        move |host, path| {
            if path == "/20" {
                wait_for(|| outage.load(Ordering::SeqCst));
            }
            pages(host, path)
        }
    });
    (Arc::new(server), outage)
}

#[test]
fn a_server_that_goes_away_for_a_while_takes_no_url_along() {
    let (server, outage) = server_before_outage();
    let ledger = MemoryLedger::default();
    let (report, events) = crawl_while(&patient(&["http://a.example/"]), &server, &ledger, move |server, _| {
        wait_for(|| server.hits.lock().unwrap().len() > 10);
        server.set_down(true);
        outage.store(true, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(1500));
        server.set_down(false);
    });
    assert_eq!((report.totals.failed, report.totals.queued), (0, 0), "{events:?}");
    assert_eq!(ledger.captures().len(), PAGES + 2);
    let texts: Vec<&str> =
        events.iter().filter(|event| event.kind == EventKind::Host).map(|event| event.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("left alone for 1 second")), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("a.example answers again")), "{texts:?}");
}

#[test]
fn a_network_that_is_gone_is_waited_for() {
    let (server, outage) = server_before_outage();
    let ledger = MemoryLedger::default();
    let seeds: Vec<String> = HOSTS.iter().map(|host| format!("http://{host}/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let (report, events) = crawl_while(&patient(&seeds), &server, &ledger, move |server, cx| {
        wait_for(|| HOSTS.iter().all(|host| server.paths(host).len() > 4));
        server.set_down(true);
        outage.store(true, Ordering::SeqCst);
        wait_for(|| cx.obstacle().starts_with("No server answers since "));
        server.set_down(false);
    });
    assert_eq!((report.totals.failed, report.totals.queued), (0, 0), "{events:?}");
    assert_eq!(ledger.captures().len(), 3 * (PAGES + 2));
    let texts: Vec<&str> =
        events.iter().filter(|event| event.kind == EventKind::Network).map(|event| event.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{events:?}");
    assert!(texts[0].starts_with("No server answers since ") && texts[1].contains("again"), "{texts:?}");
}

#[test]
fn a_host_that_refuses_for_ever_is_given_up_as_a_whole_and_the_others_are_fetched() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("b.example", _) => ScriptedReply::page(429, "Retry-After: 0\r\n", "slow down"),
        _ => pages(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut seeds = vec!["http://a.example/".to_owned()];
    seeds.extend((1..7).map(|page| format!("http://b.example/{page}")));
    let mut campaign = patient(&seeds.iter().map(String::as_str).collect::<Vec<_>>());
    campaign.politeness.min_delay_ms = 1;
    let report = crawl(&campaign, &server, folder.path(), &ledger);
    // One answer is kept as it is, the rest was not fetched.
    let b: Vec<Finished> = (1..7).map(|page| ledger.finished(&format!("http://b.example/{page}")).unwrap()).collect();
    let mut statuses: Vec<i32> = b.iter().map(|end| end.fetch_status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [-8, -8, -8, -8, -8, 429]);
    let why = b.iter().find_map(|end| end.why.clone()).unwrap();
    assert_eq!(why, "The server of b.example answered 9 times in a row with HTTP 429 or 503, last with 429");
    assert_eq!((report.totals.failed, report.totals.fetched as usize), (5, PAGES + 4));
    assert_eq!(server.paths("b.example").iter().filter(|path| *path != "/robots.txt").count(), 9);
}

#[test]
fn one_url_that_is_always_refused_keeps_its_answer_and_its_host_goes_on() {
    let server = ScriptedServer::start(|host, path| match path {
        "/7" => ScriptedReply::page(503, "", "broken"),
        _ => pages(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let report = crawl(&patient(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(ledger.finished("http://a.example/7").unwrap().capture.unwrap().notes.status, 503);
    assert_eq!((report.totals.failed, report.totals.fetched as usize), (0, PAGES + 2));
}

#[test]
fn a_wait_that_a_server_requests_holds_over_a_restart() {
    let server = Arc::new(ScriptedServer::start(|host, path| match path {
        "/robots.txt" => pages(host, path),
        _ => ScriptedReply::page(429, "Retry-After: 3000\r\n", ""),
    }));
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let mut campaign = campaign(&["http://a.example/", "http://a.example/x"]);
    campaign.politeness.workers = 1;
    let (report, events) = crawl_in(folder.path(), &campaign, &server, &ledger, |server, cx| {
        wait_for(|| server.hits.lock().unwrap().len() == 2);
        cx.cancel();
    });
    assert_eq!(report.end, CrawlEnd::Stopped);
    assert!(events.iter().any(|event| event.text.contains("asks to wait 50 minutes")), "{events:?}");
    let (report, _) = crawl_in(folder.path(), &campaign, &server, &ledger, |_, cx| {
        std::thread::sleep(Duration::from_millis(700));
        cx.cancel();
    });
    assert_eq!((report.totals.queued, server.hits.lock().unwrap().len()), (2, 2));
}

#[test]
fn a_clock_that_was_set_back_lengthens_no_wait() {
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let server = Arc::new(ScriptedServer::start(pages));
    let seeds = campaign(&["http://a.example/"]);
    crawl_in(folder.path(), &seeds, &server, &ledger, |_, cx| cx.cancel());
    // Kept by a clock that was an hour ahead.
    let ahead = |seconds: i64| CaptureDate::from_millis(CaptureDate::now().millis() + (3600 + seconds) * 1000);
    let authority = "a.example".to_owned();
    let wait = HostWait { authority, free: ahead(1), set: ahead(0), failures: 2, refusals: 0, given_up: None };
    ledger.keep_host_wait(&wait).unwrap();
    let (report, _) = crawl_in(folder.path(), &seeds, &server, &ledger, |_, _| ());
    assert_eq!(report.end, CrawlEnd::Finished);
    assert_eq!(ledger.captures().len(), PAGES + 2);
    assert!(ledger.host_waits().unwrap().is_empty());
}

#[test]
fn a_robots_txt_with_an_error_is_fetched_again_before_its_host_is_refused() {
    let robots_hits = AtomicUsize::new(0);
    let server = ScriptedServer::start(move |host, path| match (host, path) {
        ("a.example", "/robots.txt") if robots_hits.fetch_add(1, Ordering::SeqCst) < 2 => {
            ScriptedReply::page(500, "", "")
        }
        ("b.example", "/robots.txt") => ScriptedReply::page(429, "", ""),
        _ => pages(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let report = crawl(&campaign(&["http://a.example/", "http://b.example/"]), &server, folder.path(), &ledger);
    assert_eq!(report.totals.fetched as usize, PAGES + 3);
    let refused = ledger.finished("http://b.example/").unwrap();
    assert_eq!((refused.fetch_status, report.totals.failed), (-61, 1));
    assert_eq!(server.paths("b.example"), ["/robots.txt"; 3]);
}

#[test]
fn a_robots_txt_is_fetched_again_after_a_day() {
    let server = ScriptedServer::start(pages);
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let answer = |hours: i64, body: &str| RobotsAnswer {
        status: 200,
        body: body.as_bytes().to_vec(),
        date: CaptureDate::from_millis(CaptureDate::now().millis() - hours * 3_600_000),
    };
    let all = "User-agent: *\nDisallow: /";
    ledger.keep_robots("http://a.example", &answer(23, all)).unwrap();
    ledger.keep_robots("http://b.example", &answer(25, all)).unwrap();
    crawl(&campaign(&["http://a.example/", "http://b.example/"]), &server, folder.path(), &ledger);
    assert!(server.paths("a.example").is_empty());
    assert_eq!((server.paths("b.example")[0].as_str(), server.paths("b.example").len()), ("/robots.txt", PAGES + 2));
}

#[test]
fn an_old_robots_txt_holds_while_no_newer_one_can_be_had() {
    let server = ScriptedServer::start(|host, path| match path {
        "/robots.txt" => ScriptedReply::page(503, "", ""),
        _ => pages(host, path),
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let date = CaptureDate::from_millis(CaptureDate::now().millis() - 25 * 3_600_000);
    let body = b"User-agent: *\nDisallow: /1".to_vec();
    ledger.keep_robots("http://a.example", &RobotsAnswer { status: 200, body, date }).unwrap();
    crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(ledger.finished("http://a.example/1").unwrap().fetch_status, -9998);
    assert!(ledger.finished("http://a.example/2").unwrap().capture.is_some());
}

#[test]
fn a_crawl_delay_is_kept_from_the_first_page_on() {
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = Arc::clone(&times);
    let server = ScriptedServer::start(move |_, path| {
        seen.lock().unwrap().push(Instant::now());
        match path {
            "/robots.txt" => ScriptedReply::page(200, "Content-Type: text/plain\r\n", "User-agent: *\nCrawl-delay: 1"),
            _ => ScriptedReply::html("leaf"),
        }
    });
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let mut campaign = campaign(&["http://a.example/", "http://a.example/x"]);
    campaign.politeness.min_delay_ms = 10;
    crawl(&campaign, &server, folder.path(), &ledger);
    let times = times.lock().unwrap();
    assert_eq!(times.len(), 4, "robots.txt, the sitemap that it does not name, two pages");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= Duration::from_millis(1000)), "{times:?}");
}
