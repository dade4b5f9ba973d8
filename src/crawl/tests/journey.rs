//! Whole crawls on loopback, with a ledger in memory.

#![allow(clippy::unwrap_used)]

use super::memory_ledger::{MemoryLedger, StoredFate};
use crate::campaign::{Campaign, Limits, Politeness, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use crate::captures::{Author, CaptureEntry, index_archive};
use crate::crawl::*;
use crate::exchange::{HostOverride, ResolveError, Resolver};
use crate::jobs::JobCx;
use crate::scope::{DecideRules, GeoDatabase, GeoFact, standard_rules};
use crate::testing::{ScriptedReply, ScriptedServer, gzip};
use crate::warc::{ArchiveReader, RecordType};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(in crate::crawl) const HOSTS: [&str; 3] = ["a.example", "b.example", "www.a.example"];

pub(in crate::crawl) fn campaign(seeds: &[&str]) -> Campaign {
    Campaign {
        name: "Test".to_owned(),
        seeds: seeds
            .iter()
            .map(|url| Seed {
                url: (*url).to_owned(),
                scope: SeedScope::Subdomains,
                depth: None,
                source_tag: "tag".to_owned(),
            })
            .collect(),
        rules: standard_rules(),
        politeness: Politeness {
            user_agent: "Mozilla/5.0 (compatible; tester; +https://archive.example.org/bot)".to_owned(),
            delay_factor: 0.0,
            min_delay_ms: 0,
            allow_private_addresses: PrivateAddresses::All,
            workers: 3,
            max_retries: 2,
            retry_delay_seconds: 0,
            ..Politeness::default()
        },
        limits: Limits { max_response_seconds: 5, ..Limits::default() },
        ..Campaign::default()
    }
}

pub(in crate::crawl) fn plan(campaign: &Campaign, version: u32) -> Plan {
    Plan::new(campaign.clone(), version, DecideRules::compile(campaign).unwrap())
}

pub(in crate::crawl) fn setup(campaign: &Campaign, server: &ScriptedServer, folder: &Path) -> CrawlSetup {
    CrawlSetup {
        trial: None,
        plan: Arc::new(CurrentPlan::new(plan(campaign, 1))),
        changed_from: None,
        geo: None,
        overrides: HOSTS
            .iter()
            .map(|host| HostOverride { host: (*host).to_owned(), port: 80, addr: server.addr })
            .collect(),
        warc_dir: folder.join("warcs"),
        warc_label: "output/warcs/test/20240101000000".to_owned(),
        log_dir: folder.join("logs"),
        launch: "20240101000000".to_owned(),
        job_name: "test".to_owned(),
        operator: "Tester".to_owned(),
        software: "fonds test".to_owned(),
        warc_max_bytes: 1_000_000,
        clock: crate::uri::Clock::default(),
    }
}

pub(in crate::crawl) fn crawl(
    campaign: &Campaign,
    server: &ScriptedServer,
    folder: &Path,
    ledger: &MemoryLedger,
) -> CrawlReport {
    run_crawl(&setup(campaign, server, folder), ledger, &CrawlStats::default(), &JobCx::detached()).unwrap()
}

/// A small site: a page with links to ten others on two hosts.
pub(in crate::crawl) fn site(host: &str, path: &str) -> ScriptedReply {
    match (host, path) {
        ("a.example", "/robots.txt") => ScriptedReply::page(
            200,
            "Content-Type: text/plain\r\n",
            "User-agent: *\nDisallow: /secret\nSitemap: /map.xml\n",
        ),
        (_, "/robots.txt") => ScriptedReply::page(404, "", "none"),
        (_, "/") => {
            let links: String = (0..10).map(|number| format!("<a href=/p{number}>Page {number}</a> ")).collect();
            ScriptedReply::html(&format!(
                "<title>Home</title><img src=/i.png alt=x>{links}<a href=/secret/x>no</a>\
                 <a href=http://b.example/>B</a><a href=http://out.example/>out</a><a href=/old>old</a>"
            ))
        }
        (_, "/old") => ScriptedReply::page(301, "Location: /new\r\n", ""),
        (_, "/map.xml") => ScriptedReply::page(
            200,
            "Content-Type: application/xml\r\n",
            "<urlset><url><loc>http://a.example/mapped</loc></url></urlset>",
        ),
        (_, "/i.png") => ScriptedReply::page(200, "Content-Type: image/png\r\n", vec![7; 5000]),
        (_, path) => ScriptedReply::html(&format!("<title>{path}</title><p>Same words <a href=/>home</a>")),
    }
}

/// Ids, types and URLs of all records; every file must be sound.
pub(in crate::crawl) fn records(folder: &Path) -> Vec<(String, RecordType, String)> {
    let mut found = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("warcs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        assert!(file.to_string_lossy().ends_with(".warc.gz"), "{}", file.display());
        let mut reader = ArchiveReader::open(&file).unwrap();
        while let Some(record) = reader.next_record(usize::MAX).unwrap() {
            let head = &record.head;
            let block = head.headers.get("WARC-Block-Digest").unwrap();
            assert_eq!(block, crate::warc::sha1_base32(&record.block));
            found.push((head.record_id().unwrap(), head.record_type.clone(), head.target_uri().unwrap_or_default()));
        }
        assert_eq!(reader.take_problems(), []);
    }
    found
}

pub(in crate::crawl) fn captured(ledger: &MemoryLedger) -> Vec<String> {
    let mut urls: Vec<String> = ledger.captures().iter().map(|capture| capture.url.to_string()).collect();
    urls.sort();
    urls
}

#[test]
fn a_site_is_crawled_with_robots_redirects_and_sitemaps() {
    let folder = tempfile::tempdir().unwrap();
    let server = ScriptedServer::start(site);
    let ledger = MemoryLedger::default();
    let report = crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(report.end, CrawlEnd::Finished);

    let mut expected: Vec<String> = (0..10).map(|number| format!("http://a.example/p{number}")).collect();
    for path in ["", "robots.txt", "map.xml", "mapped", "i.png", "old", "new"] {
        expected.push(format!("http://a.example/{path}"));
    }
    expected.sort();
    assert_eq!(captured(&ledger), expected);
    assert_eq!(report.totals.fetched, expected.len() as u64);
    assert_eq!((report.totals.queued, report.totals.in_flight, report.totals.failed), (0, 0, 0));

    // robots.txt first, and what it excludes not at all.
    let paths = server.paths("a.example");
    assert_eq!(paths[0], "/robots.txt");
    assert!(!paths.iter().any(|path| path.starts_with("/secret")));
    let secret = ledger.finished("http://a.example/secret/x").unwrap();
    assert_eq!((secret.fetch_status, secret.capture.is_none()), (-9998, true));
    assert!(secret.why.unwrap().contains("Disallow: /secret"));
    assert_eq!(secret.refused.unwrap().rule_name, "RobotsDecideRule");
    assert!(server.paths("b.example").is_empty() && server.paths("out.example").is_empty());

    // How it came about is kept.
    let old = ledger.finished("http://a.example/old").unwrap().capture.unwrap();
    assert_eq!(old.redirect_to.unwrap().as_str(), "http://a.example/new");
    let new = ledger.finished("http://a.example/new").unwrap().capture.unwrap();
    assert_eq!((new.notes.hops.as_str(), new.notes.via.unwrap().as_str()), ("LR", "http://a.example/old"));
    assert_eq!(new.notes.source_tag, "tag");
    let home = ledger.finished("http://a.example/").unwrap().capture.unwrap();
    assert_eq!(
        (home.notes.title.as_deref(), home.notes.mime.as_str(), home.records.len()),
        (Some("Home"), "text/html", 3)
    );
    assert_eq!(home.notes.outlinks.iter().find(|link| link.url.path() == "/p3").unwrap().anchor, "Page 3");

    // Three records a capture and one warcinfo, all readable.
    assert_eq!(records(folder.path()).len(), expected.len() * 3 + 1);
    let place = &home.records[0];
    let file = folder.path().join("warcs").join(place.file.strip_prefix("output/warcs/test/20240101000000/").unwrap());
    let record = crate::warc::read_record_at(&file, place.span.offset, 1 << 20).unwrap();
    assert_eq!(record.head.record_id().unwrap(), place.record_id);
    assert!(record.block.starts_with(b"HTTP/1.1 200 X\r\nContent-Type: text/html; charset=utf-8\r\n"));

    // Logs and reports.
    let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
    let lines: Vec<_> = log.lines().map(|line| CrawlLogLine::parse(line).unwrap()).collect();
    assert_eq!(lines.len(), expected.len() + 1);
    let scope = std::fs::read_to_string(folder.path().join("logs/scope.log")).unwrap();
    assert!(scope.contains("REJECT http://out.example/"), "{scope}");
    let seeds = std::fs::read_to_string(folder.path().join("logs/seeds-report.txt")).unwrap();
    assert_eq!(seeds, "[code] [status] [seed] [redirect]\n200 CRAWLED http://a.example/\n");
    assert!(
        folder.path().join("logs/hosts-report.txt").exists() && folder.path().join("logs/crawl-report.txt").exists()
    );
}

#[test]
fn files_give_back_what_the_ledger_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let server = ScriptedServer::start(site);
    let ledger = MemoryLedger::default();
    let report = crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    let mut recorded = ledger.captures();
    let mut found = Vec::new();
    for file in &report.files {
        let name = file.file_name().unwrap().to_string_lossy();
        let label = format!("output/warcs/test/20240101000000/{name}");
        let sink = |entry| {
            found.push(entry);
            Ok::<_, CrawlError>(())
        };
        let indexed = index_archive(file, &label, Author::ThisWorkspace, sink, &JobCx::detached()).unwrap();
        assert_eq!((indexed.orphans, indexed.problems.len()), (0, 0));
    }
    recorded.sort_by_key(|capture| capture.url.to_string());
    found.sort_by_key(|capture: &CaptureEntry| capture.url.to_string());
    assert_eq!(found, recorded);
}

#[test]
fn a_second_launch_repeats_nothing_that_is_stored() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = ScriptedServer::start(site);
    let campaign = campaign(&["http://a.example/"]);
    let before = MemoryLedger::default();
    crawl(&campaign, &server, first.path(), &before);
    let ledger = MemoryLedger::after(&before);
    let report = crawl(&campaign, &server, second.path(), &ledger);
    let revisits = ledger.captures().iter().filter(|capture| capture.revisit_of.is_some()).count();
    // All but the redirect, whose body is empty.
    assert_eq!(revisits, 16);
    assert_eq!(report.totals.fetched, 17);
    let kinds = records(second.path());
    assert_eq!(kinds.iter().filter(|(_, kind, _)| *kind == RecordType::Revisit).count(), 16);
    let home = ledger.finished("http://a.example/").unwrap().capture.unwrap();
    assert_eq!(
        (home.notes.title.as_deref(), home.notes.status, home.notes.outlinks.is_empty()),
        (Some("Home"), 200, false)
    );
}

#[test]
fn robots_can_be_ignored_or_only_logged() {
    let server = ScriptedServer::start(site);
    for (policy, is_fetched) in [(RobotsPolicy::Ignore, false), (RobotsPolicy::ObeyButLog, true)] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = MemoryLedger::default();
        let mut campaign = campaign(&["http://a.example/"]);
        campaign.politeness.robots = policy;
        crawl(&campaign, &server, folder.path(), &ledger);
        assert!(ledger.finished("http://a.example/secret/x").unwrap().capture.is_some(), "{policy:?}");
        assert_eq!(ledger.finished("http://a.example/robots.txt").is_some(), is_fetched, "{policy:?}");
        let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
        assert_eq!(log.contains("robotExcluded"), is_fetched, "{policy:?}");
    }
}

#[test]
fn failures_are_tried_again_and_then_reported() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let (flaky, busy) = (AtomicU32::new(0), AtomicU32::new(0));
    let server = ScriptedServer::start(move |host, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::html(
            "<a href=/flaky>f</a><a href=/dead>d</a><a href=/busy>b</a><a href=http://nowhere.a.example/>n</a>",
        ),
        "/flaky" if flaky.fetch_add(1, Ordering::SeqCst) < 2 => ScriptedReply::raw(""),
        "/dead" => ScriptedReply::raw(""),
        "/busy" if busy.fetch_add(1, Ordering::SeqCst) < 2 => ScriptedReply::page(503, "Retry-After: 0\r\n", "busy"),
        _ => site(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let report = crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert!(ledger.finished("http://a.example/flaky").unwrap().capture.is_some());
    let dead = ledger.finished("http://a.example/dead").unwrap();
    assert_eq!((dead.fetch_status, dead.capture.is_none()), (-3, true), "{dead:?}");
    // Three tries; one on a kept line is made again on a fresh one.
    let dead_hits = server.paths("a.example").iter().filter(|path| *path == "/dead").count();
    assert!((3..=6).contains(&dead_hits), "{dead_hits}");
    assert!(ledger.finished("http://a.example/busy").unwrap().capture.is_some());
    // No address for the host: it is given up with all its URLs.
    let nowhere = ledger.finished("http://nowhere.a.example/").unwrap();
    assert_eq!(nowhere.fetch_status, -1);
    assert_eq!(ledger.finished("http://nowhere.a.example/robots.txt").unwrap().fetch_status, -1);
    assert_eq!(report.totals.failed, 3);
    let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
    assert!(log.lines().any(|line| line.contains("/dead") && line.ends_with(" 3t")), "{log}");
}

#[test]
fn private_addresses_are_refused_unless_allowed() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.politeness.allow_private_addresses = PrivateAddresses::default();
    let report = crawl(&campaign, &server, folder.path(), &ledger);
    assert!(server.hits.lock().unwrap().is_empty());
    let seed = ledger.finished("http://a.example/").unwrap();
    assert_eq!(seed.fetch_status, -5001);
    assert!(seed.why.unwrap().contains("127.0.0.1"));
    assert_eq!(seed.refused.unwrap().rule_name, "PrivateAddressGuard");
    assert_eq!((report.totals.fetched, report.totals.refused), (0, 2));
}

#[test]
fn a_campaign_without_a_contact_fetches_nothing() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.politeness.user_agent = "Mozilla/5.0".to_owned();
    let setup = setup(&campaign, &server, folder.path());
    let error = run_crawl(&setup, &MemoryLedger::default(), &CrawlStats::default(), &JobCx::detached()).unwrap_err();
    assert!(error.to_string().contains("User-Agent"));
    assert!(!folder.path().join("warcs").exists() && server.hits.lock().unwrap().is_empty());
}

#[test]
fn robots_that_redirect_to_another_host_hold() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        ("a.example", "/robots.txt") => ScriptedReply::page(301, "Location: http://www.a.example/robots.txt\r\n", ""),
        ("www.a.example", "/robots.txt") => {
            ScriptedReply::page(200, "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /secret\n")
        }
        ("a.example", "/") => ScriptedReply::html("<a href=/secret/x>x</a><a href=/open>y</a>"),
        _ => ScriptedReply::html("leaf"),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(ledger.finished("http://a.example/secret/x").unwrap().fetch_status, -9998);
    assert!(ledger.finished("http://a.example/open").unwrap().capture.is_some());
}

/// A database that puts 127.0.0.0/24 in Portugal and 127.0.1.0/24 in Spain.
fn country_database(folder: &Path) -> GeoDatabase {
    use mmdb_writer::{Value, Writer};
    let mut writer = Writer::builder("Test-Country").build_epoch(std::time::UNIX_EPOCH).build();
    for (network, country) in [("127.0.0.0/24", "PT"), ("127.0.1.0/24", "ES")] {
        let record = Value::map([("country", Value::map([("iso_code", Value::from(country))]))]);
        writer.insert_value(network.parse::<ipnet::IpNet>().unwrap(), record).unwrap();
    }
    let path = folder.join("test.mmdb");
    std::fs::write(&path, writer.to_bytes().unwrap()).unwrap();
    GeoDatabase::open(&path).unwrap()
}

#[test]
fn hosts_of_the_country_are_let_in_with_their_evidence() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("a.example", "/") => ScriptedReply::html(
            "<a href=http://b.example/>near</a><a href=http://spain.example/>far</a>\
             <a href=http://spain.example/2>far</a><a href=http://dead.invalid/>nowhere</a>",
        ),
        _ => ScriptedReply::html("leaf"),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.rules[2]["enabled"] = true.into();
    campaign.rules[2]["countries"] = serde_json::json!(["PT"]);
    let mut setup = setup(&campaign, &server, folder.path());
    setup.geo = Some(country_database(folder.path()));
    let spain = format!("spain.example:80:127.0.1.1:{}", server.addr.port());
    setup.overrides.push(spain.parse().unwrap());
    run_crawl(&setup, &ledger, &CrawlStats::default(), &JobCx::detached()).unwrap();

    let near = ledger.finished("http://b.example/").unwrap().capture.unwrap();
    assert_eq!(near.notes.verdict.unwrap().rule_index, Some(2));
    let refused = |url: &str| {
        ledger.rows().iter().any(|(row, fate)| row.candidate.url.as_str() == url && *fate == StoredFate::Refused)
    };
    assert!(refused("http://spain.example/") && refused("http://spain.example/2"));
    assert!(server.paths("spain.example").is_empty());
    let facts = ledger.geo_facts().unwrap();
    // The seed is in scope without it, and is not looked up.
    assert!(!facts.contains_key("a.example"));
    let GeoFact::Known(evidence) = &facts["spain.example"] else { panic!("{facts:?}") };
    assert_eq!(evidence.addresses[0].country.as_deref(), Some("ES"));
    // A host that cannot be resolved is a failure, not a host abroad.
    assert!(matches!(facts["dead.invalid"], GeoFact::Failed { .. }));
    let dead = ledger.finished("http://dead.invalid/").unwrap();
    assert!(dead.refused.is_none() && dead.fetch_status < 0, "{dead:?}");
}

#[test]
fn limits_end_a_crawl_and_a_higher_one_goes_on() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.limits.max_documents = 7;
    let report = crawl(&campaign, &server, folder.path(), &ledger);
    assert!(matches!(&report.end, CrawlEnd::Limit(why) if why.contains("7 documents")), "{:?}", report.end);
    assert_eq!(ledger.captures().len(), 7);
    campaign.limits.max_documents = 0;
    let report = crawl(&campaign, &server, folder.path(), &ledger);
    assert_eq!((report.end, report.totals.fetched), (CrawlEnd::Finished, 17));
    assert_eq!(captured(&ledger).len(), 17);
    // Nothing was fetched twice, robots.txt neither.
    assert_eq!(server.hits.lock().unwrap().len(), 17);
    assert_eq!(records(folder.path()).iter().filter(|(_, kind, _)| *kind == RecordType::Response).count(), 17);
    let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
    assert_eq!(log.lines().count(), 18);
}

#[test]
fn a_stopped_crawl_goes_on_without_losing_anything() {
    let server = ScriptedServer::start(|host, path| {
        std::thread::sleep(Duration::from_millis(50));
        site(host, path)
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let campaign = campaign(&["http://a.example/"]);
    let mut runs = 0;
    loop {
        let (cx, stats) = (JobCx::detached(), CrawlStats::default());
        let setup = setup(&campaign, &server, folder.path());
        cx.set_paused(runs == 0);
        let hits = || server.hits.lock().unwrap().len();
        let before = hits();
        let report = std::thread::scope(|scope| {
            let crawl = scope.spawn(|| run_crawl(&setup, &ledger, &stats, &cx).unwrap());
            if runs == 0 {
                std::thread::sleep(Duration::from_millis(100));
                let paused = ledger.captures().len();
                std::thread::sleep(Duration::from_millis(100));
                assert!(ledger.captures().len() <= paused, "a paused crawl fetches nothing");
                cx.set_paused(false);
            }
            while hits() < before + 3 && !crawl.is_finished() {
                std::thread::sleep(Duration::from_millis(2));
            }
            cx.cancel();
            crawl.join().unwrap()
        });
        runs += 1;
        if report.end == CrawlEnd::Finished
            || ledger.rows().iter().all(|(_, fate)| !matches!(fate, StoredFate::Waiting { .. }))
        {
            break;
        }
        assert_eq!(report.end, CrawlEnd::Stopped);
        assert!(runs < 100);
    }
    assert!(runs > 1, "it was stopped at least once");
    assert_eq!(captured(&ledger).len(), 17);
    assert_eq!(records(folder.path()).iter().filter(|(_, kind, _)| *kind == RecordType::Response).count(), 17);
}

#[test]
fn decisions_that_a_kill_left_unlogged_are_logged_when_it_goes_on() {
    let server = ScriptedServer::start(site);
    let (folder, ledger) = (tempfile::tempdir().unwrap(), MemoryLedger::default());
    let campaign = campaign(&["http://a.example/"]);
    crawl(&campaign, &server, folder.path(), &ledger);
    let path = folder.path().join("logs").join("scope.log");
    let whole = std::fs::read_to_string(&path).unwrap();
    let decisions = |text: &str| {
        let line = |line: &str| line.split(' ').skip(1).take(4).collect::<Vec<_>>().join(" ");
        let mut lines: Vec<String> = text.lines().map(line).collect();
        lines.sort();
        lines
    };
    // What robots.txt refuses at its turn is the last line of that URL.
    let (refused, lines): (Vec<&str>, Vec<&str>) =
        whole.lines().partition(|line| line.contains("REJECT http://a.example/secret"));
    assert!(!refused.is_empty() && lines.len() > 19, "{whole}");
    // Those of one worker in the middle, and a line that was torn.
    let torn = &lines[lines.len() - 1][..30];
    let left = [&lines[..5], &lines[9..lines.len() - 1], &[torn]].concat().join("\n");
    std::fs::write(&path, left).unwrap();
    crawl(&campaign, &server, folder.path(), &ledger);
    let now = std::fs::read_to_string(&path).unwrap();
    let now: String = now.lines().filter(|line| *line != torn).map(|line| format!("{line}\n")).collect();
    assert_eq!(decisions(&now), decisions(&whole));
    // Nothing is logged twice where nothing is lacking.
    crawl(&campaign, &server, folder.path(), &ledger);
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(again.lines().count(), now.lines().count() + 1);
}

#[test]
fn after_a_kill_complete_records_are_taken_over() {
    let server = ScriptedServer::start(site);
    let campaign = campaign(&["http://a.example/"]);
    let whole = tempfile::tempdir().unwrap();
    let whole_ledger = MemoryLedger::default();
    let report = crawl(&campaign, &server, whole.path(), &whole_ledger);
    let bytes = std::fs::read(&report.files[0]).unwrap();
    let name = report.files[0].file_name().unwrap().to_string_lossy().into_owned();
    for cut in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 10] {
        // The file as a kill would leave it, and a ledger that knows only its seeds.
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("warcs")).unwrap();
        std::fs::write(folder.path().join("warcs").join(format!("{name}.open")), &bytes[..cut]).unwrap();
        let ledger = MemoryLedger::default();
        let mut killed = campaign.clone();
        killed.limits.max_documents = 0;
        let seeds: Vec<Admission> = whole_ledger.rows().into_iter().map(|(admission, _)| admission).collect();
        ledger.admit(seeds).unwrap();
        server.hits.lock().unwrap().clear();
        let report = crawl(&killed, &server, folder.path(), &ledger);
        assert!(report.recovery.captures > 0, "{:?}", report.recovery);
        assert_eq!(captured(&ledger), captured(&whole_ledger));
        let again = server.hits.lock().unwrap().len() as u64;
        // robots.txt is kept and fetched again; everything else that was whole is not.
        assert_eq!(again + report.recovery.captures, 17 + ledger.kept().len() as u64, "{:?}", report.recovery);
        assert!(ledger.kept().iter().all(|capture| capture.url.path() == "/robots.txt"));
        records(folder.path());
    }
}

#[test]
fn hostile_servers_cost_bounded_time_and_are_named() {
    // Made before: a slow machine takes longer than a response may.
    let packed = gzip(vec![b'<'; 50_000_000]);
    let server = ScriptedServer::start(move |_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::html(
            "<a href=/endless>e</a><a href=/heads>h</a><a href=/drip>d</a><a href=/loop>l</a><a href=/bomb>b</a>",
        ),
        "/endless" => ScriptedReply {
            parts: vec![(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), Duration::ZERO), (vec![b'x'; 65536], Duration::ZERO)],
            endless: true,
            keep_open: false,
        },
        "/heads" => ScriptedReply {
            parts: vec![(b"HTTP/1.1 200 OK\r\n".to_vec(), Duration::ZERO), (b"X: y\r\n".repeat(1000), Duration::ZERO)],
            endless: true,
            keep_open: false,
        },
        "/drip" => ScriptedReply {
            parts: vec![
                (b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), Duration::ZERO),
                (b"x".to_vec(), Duration::from_millis(50)),
            ],
            endless: true,
            keep_open: false,
        },
        "/loop" => ScriptedReply::page(302, "Location: /loop\r\n", ""),
        "/bomb" => ScriptedReply::page(200, "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", packed.clone()),
        _ => ScriptedReply::html("leaf"),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.limits.max_response_bytes = 300_000;
    campaign.limits.max_response_seconds = 5;
    let begin = std::time::Instant::now();
    crawl(&campaign, &server, folder.path(), &ledger);
    // Without bounds it would never end; busy machines may take their time.
    assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
    let truncated =
        |path: &str| ledger.finished(&format!("http://a.example{path}")).unwrap().capture.unwrap().truncated;
    assert_eq!(truncated("/endless").as_deref(), Some("length"));
    assert_eq!(truncated("/drip").as_deref(), Some("time"));
    assert_eq!(ledger.finished("http://a.example/heads").unwrap().fetch_status, -7);
    assert!(ledger.finished("http://a.example/loop").unwrap().capture.is_some());
    assert!(ledger.finished("http://a.example/bomb").unwrap().capture.is_some());
    let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
    assert!(log.contains("lenTrunc") && log.contains("timeTrunc"), "{log}");
    records(folder.path());
}

#[test]
fn content_that_rules_refuse_leads_nowhere() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("a.example", "/") => ScriptedReply::html("<a href=/page>page</a>"),
        ("a.example", "/page") => ScriptedReply::html("<a href=/y>y</a>"),
        _ => ScriptedReply::html("leaf"),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.rules.push(serde_json::json!({ "rule": "content_size", "min_bytes": 0, "max_bytes": 18 }));
    crawl(&campaign, &server, folder.path(), &ledger);
    // The seed's page is larger than that: it is kept, and goes nowhere.
    assert!(ledger.finished("http://a.example/").unwrap().capture.is_some());
    assert!(ledger.finished("http://a.example/page").is_none());
    let log = |name: &str| std::fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
    assert!(log("scope.log").contains("ContentLengthDecideRule REJECT http://a.example/ "), "{}", log("scope.log"));
    assert!(log("crawl.log").contains("contentRefused"), "{}", log("crawl.log"));
}

#[test]
fn large_pages_are_read_whole_and_torn_ones_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let server = ScriptedServer::start(|_, path| match path {
        "/" => ScriptedReply::html("<a href=/large>large</a><a href=/torn>torn</a>"),
        "/large" => ScriptedReply::html(&format!("{}<a href=/behind>behind</a>", "<p>word</p>".repeat(1 << 20))),
        "/torn" => {
            let packed = gzip("<a href=/within>within</a>".repeat(100));
            ScriptedReply::page(
                200,
                "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
                &packed[..packed.len() - 8],
            )
        }
        "/robots.txt" => ScriptedReply::page(404, "", "none"),
        _ => ScriptedReply::html("<title>end</title>"),
    });
    let ledger = MemoryLedger::default();
    let report = crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    let mut recorded = ledger.captures();
    recorded.sort_by_key(|capture| capture.url.to_string());
    let unread: Vec<_> = recorded.iter().map(|capture| (capture.url.path(), capture.notes.unread)).collect();
    let torn = Some(crate::captures::Unread::Malformed);
    let expected =
        [("/", None), ("/behind", None), ("/large", None), ("/robots.txt", None), ("/torn", torn), ("/within", None)];
    assert_eq!(unread, expected);
    let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
    let noted = log.lines().filter(|line| line.contains("notReadWhole")).collect::<Vec<_>>();
    assert!(noted.len() == 1 && noted[0].contains("http://a.example/torn"), "{log}");
    // Who imports the files is recorded, too.
    let label = format!("output/warcs/test/20240101000000/{}", report.files[0].file_name().unwrap().display());
    let mut found = Vec::new();
    let sink = |entry| {
        found.push(entry);
        Ok::<_, CrawlError>(())
    };
    let indexed = index_archive(&report.files[0], &label, Author::ThisWorkspace, sink, &JobCx::detached()).unwrap();
    found.sort_by_key(|capture: &CaptureEntry| capture.url.to_string());
    assert_eq!(found, recorded);
    let problems: Vec<String> = indexed.problems.iter().map(ToString::to_string).collect();
    assert!(problems.len() == 1 && problems[0].contains("page not fully read: http://a.example/torn"), "{problems:?}");
}

/// Knows the hosts of the test by their overrides; fails otherwise.
struct Defective;

impl Resolver for Defective {
    fn resolve(&self, host: &str) -> Result<Vec<std::net::IpAddr>, ResolveError> {
        panic!("a defect at {host}")
    }
}

#[test]
fn a_url_that_panics_fails_alone_and_the_crawl_goes_on() {
    let server = ScriptedServer::start(|host, path| match path {
        "/" => {
            ScriptedReply::html("<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=http://sub.a.example/>x</a>")
        }
        path => site(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    // Before it is fetched, before it is written, after it is written.
    let defects = ["http://sub.a.example/robots.txt", "http://a.example/1", "http://a.example/2"];
    ledger.panic_in("same_payload", defects[1]);
    ledger.panic_in("finish", defects[2]);
    let campaign = campaign(&["http://a.example/"]);
    let setup = setup(&campaign, &server, folder.path());
    let run = || {
        let (stats, cx, before) = (CrawlStats::default(), JobCx::detached(), ledger.events().len());
        let report = run_crawl_with(&setup, &ledger, &stats, &cx, std::sync::Arc::new(Defective)).unwrap();
        (report, ledger.events().split_off(before))
    };
    let (report, events) = run();
    assert_eq!((report.end, report.totals.in_flight, report.totals.queued), (CrawlEnd::Finished, 0, 0));
    let log = std::fs::read_to_string(folder.path().join("logs/crawl.log")).unwrap();
    for url in defects {
        let finished = ledger.finished(url).unwrap();
        assert_eq!(finished.fetch_status, -5, "{finished:?}");
        assert!(finished.why.unwrap().starts_with("internal error: a defect"));
        let lines: Vec<_> = log.lines().filter(|line| line.split_whitespace().nth(3) == Some(url)).collect();
        assert!(lines.iter().any(|line| line.split_whitespace().nth(1) == Some("-5")), "{url}: {log}");
        let named = events.iter().find(|event| event.kind == EventKind::Error && event.url == url);
        assert!(named.is_some_and(|event| event.text.contains("a defect") && event.status == -5), "{events:?}");
    }
    // What waited for that robots.txt has the same end.
    assert_eq!(ledger.finished("http://sub.a.example/").unwrap().fetch_status, -61);
    for url in ["http://a.example/", "http://a.example/3"] {
        assert_eq!(ledger.finished(url).unwrap().fetch_status, 200);
    }

    // What lies in the files is taken over, and nothing is tried again.
    let earlier_hits = server.hits.lock().unwrap().len();
    let (report, events) = run();
    assert_eq!((report.end, report.recovery.captures), (CrawlEnd::Finished, 1));
    assert_eq!(server.hits.lock().unwrap().len(), earlier_hits);
    assert_eq!(ledger.kept()[0].url.as_str(), defects[2]);
    assert!(events.iter().all(|event| event.kind != EventKind::Error), "{events:?}");
}

#[test]
fn a_recovered_capture_that_panics_does_not_stop_the_launch_again_and_again() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let campaign = campaign(&["http://a.example/"]);
    let whole = MemoryLedger::default();
    crawl(&campaign, &server, folder.path(), &whole);
    // A ledger as a kill would leave it that came before every commit.
    let ledger = MemoryLedger::default();
    ledger.admit(whole.rows().into_iter().map(|(admission, _)| admission).collect()).unwrap();
    ledger.panic_in("finish", "http://a.example/p3");
    for _ in 0..2 {
        assert_eq!(crawl(&campaign, &server, folder.path(), &ledger).end, CrawlEnd::Finished);
    }
    assert_eq!(ledger.finished("http://a.example/p3").unwrap().fetch_status, -5);
    let named = |event: &CrawlEvent| event.kind == EventKind::Error && event.url == "http://a.example/p3";
    assert_eq!(ledger.events().iter().filter(|event| named(event)).count(), 1);
    // What the file holds is in the catalogue nevertheless.
    assert!(ledger.kept().iter().any(|capture| capture.url.path() == "/p3"));
}

#[test]
fn a_panic_beside_the_urls_ends_the_crawl_instead_of_hanging_it() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    ledger.panic_in("waiting", "b.example");
    let campaign = campaign(&["http://a.example/", "http://b.example/"]);
    let setup = setup(&campaign, &server, folder.path());
    let error = run_crawl(&setup, &ledger, &CrawlStats::default(), &JobCx::detached()).unwrap_err();
    assert!(error.to_string().contains("internal error") && error.to_string().contains("Resume"), "{error}");
}

#[test]
fn a_page_full_of_links_is_stored_in_parts_and_keeps_them_all() {
    let links: String = (0..OUTLINKS_AT_ONCE * 2 + 1).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    let server = ScriptedServer::start(move |_, path| match path {
        "/" => ScriptedReply::html(&links),
        _ => ScriptedReply::page(404, "", "none"),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.rules.push(serde_json::json!({"rule": "too_many_hops", "max_hops": 0}));
    crawl(&campaign, &server, folder.path(), &ledger);
    let capture = ledger.finished("http://a.example/").unwrap().capture.unwrap();
    let stored: Vec<_> = capture.notes.outlinks.iter().map(|link| link.position as usize).collect();
    assert!(capture.outlinks_complete);
    assert_eq!(stored, (0..OUTLINKS_AT_ONCE * 2 + 1).collect::<Vec<_>>());
}
