//! Speed of the core for every link: keys and verdicts.
//! `cargo bench --no-default-features`

#![allow(clippy::unwrap_used)]

mod scored;
mod sizes;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use fonds::campaign::{Campaign, Seed, SeedScope};
use fonds::jobs::JobCx;
use fonds::links::{LinkKind, PageOptions, read_links};
use fonds::scope::{
    AddressCountry, AnswerSource, Candidate, DecideRules, Domains, Facts, GEOLOCATION_RULE, GeoEvidence, GeoFact,
    LogQuestion, LogReport, rule_templates, standard_rules,
};
use fonds::store::Workspace;
use fonds::store::rows::{CampaignId, ScoreWeights, SelectionCriteria};
use fonds::uri::{CaptureDate, CdxKey, DatasetKey, PageKey, ScopeSurt, Url};
use fonds::work;
use fonds::work::Session;
use scored::score_all;
use sizes::number;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() {
    divan::main();
}

const URLS: usize = 1000;

fn urls() -> Vec<Url> {
    (0..URLS)
        .map(|n| format!("https://www.host{}.example.pt/Path/to/page-{n}.html?id={n}&lang=pt", n % 50))
        .map(|text| Url::parse(&text).unwrap())
        .collect()
}

fn keys(bencher: Bencher<'_, '_>, key: impl Fn(&Url) -> usize + Sync) {
    let urls = urls();
    bencher.counter(ItemsCount::new(URLS)).bench(|| urls.iter().map(&key).sum::<usize>());
}

#[divan::bench]
fn page_keys(bencher: Bencher<'_, '_>) {
    keys(bencher, |url| PageKey::of(black_box(url)).as_str().len());
}

#[divan::bench]
fn dataset_keys(bencher: Bencher<'_, '_>) {
    keys(bencher, |url| DatasetKey::of(black_box(url)).as_str().len());
}

#[divan::bench]
fn cdx_keys(bencher: Bencher<'_, '_>) {
    keys(bencher, |url| CdxKey::of(black_box(url)).as_str().len());
}

#[divan::bench]
fn scope_surts(bencher: Bencher<'_, '_>) {
    keys(bencher, |url| ScopeSurt::of(black_box(url)).as_str().len());
}

/// A page of a news site, about as long as pages are.
fn page() -> String {
    let item = "<li class=\"item first\" id='n1'>\n  <a class=\"title\" href=\"/noticias/2024/artigo.html?id=1&amp;l=pt\">\
        Not&iacute;cia <b>do</b> dia</a><br/><img src=\"/img/foto.jpg\" alt=\"Foto\" width=\"80\">\r\n\
        <p style=\"color:red\">Texto da not\u{ed}cia, com mais palavras do que liga\u{e7}\u{f5}es.</p></li>\n";
    let head =
        "<!DOCTYPE html><html lang=pt><head><title>P</title><script>if (a<b) f('<li>')</script></head><body><ul>";
    format!("{head}{}</ul><!-- <a href=x>fim</a> --></body></html>", item.repeat(80))
}

#[divan::bench]
fn page_links(bencher: Bencher<'_, '_>) {
    let (page, url) = (page(), Url::parse("https://www.example.pt/a/b.html").unwrap());
    let options = PageOptions { kinds: [LinkKind::Anchor].into_iter().collect(), ..PageOptions::links_only() };
    bencher.counter(BytesCount::new(page.len())).bench(|| {
        let mut links = 0;
        read_links(black_box(page.as_bytes()), Some("utf-8"), &url, &options, |link| links += link.anchor.len());
        links
    });
}

/// The campaign of the benches below.
fn campaign_of_twenty_rules() -> Campaign {
    let mut rules = standard_rules();
    for (_, template) in rule_templates().into_iter().skip(3).filter(|(label, _)| !label.contains("Accept")) {
        rules.push(template);
    }
    rules.truncate(20);
    rules[2] = serde_json::json!({ "rule": "geolocation", "countries": ["PT"] });
    let patterns = [".*replytocom=.*", ".*/calendar/.*", ".*\\.(exe|zip)"];
    rules[5] = serde_json::json!({ "rule": "regex", "patterns": patterns, "decision": "REJECT" });
    let seed = |n: usize| Seed {
        url: format!("http://host{n}.example.pt/"),
        scope: SeedScope::Root,
        depth: None,
        source_tag: String::new(),
    };
    Campaign { seeds: (0..1000).map(seed).collect(), rules, ..Campaign::new("bench") }
}

/// Twenty rules, of which one geolocation and one list of patterns, 1,000
/// seeds, facts at hand.
#[divan::bench]
fn decisions(bencher: Bencher<'_, '_>) {
    let campaign = campaign_of_twenty_rules();
    let rules = DecideRules::compile(&campaign).unwrap();
    let candidates: Vec<Candidate> = (0..URLS)
        .map(|n| {
            let url = format!("http://host{}.example.pt/a/b/page{n}.html?id={n}", n * 2);
            Candidate { hops: "LL".to_owned(), ..Candidate::bare(Url::parse(&url).unwrap()) }
        })
        .collect();
    let facts = Facts {
        geo: GeoFact::Known(GeoEvidence {
            date: CaptureDate::default(),
            addresses: vec![AddressCountry::new([192, 0, 2, 1].into(), "192.0.2.0/24", Some("GB".to_owned()))],
            database: "bench".to_owned(),
            database_build: CaptureDate::default(),
            source: AnswerSource::Resolver,
        }),
        ..Facts::default()
    };
    bencher.counter(ItemsCount::new(URLS)).bench(|| {
        candidates.iter().filter(|candidate| rules.decide(candidate, black_box(&facts)).rule_index.is_some()).count()
    });
}

/// URLs that the catalogue of the what-if bench has seen.
fn seen_urls() -> usize {
    number("FONDS_BENCH_SEEN").unwrap_or(100_000)
}

/// A workspace whose one launch has seen [`seen_urls`], on 5,000 hosts of
/// known location, a fifth of them with a robots.txt.
fn seen_workspace(folder: &Path) -> Session {
    let campaign = campaign_of_twenty_rules();
    let workspace = Workspace::create(folder).unwrap();
    workspace.catalogue().save_campaign(None, &campaign).unwrap();
    drop(workspace);
    let fact = |country: &str| {
        let fact = GeoFact::Known(GeoEvidence {
            date: CaptureDate::default(),
            addresses: vec![AddressCountry::new([192, 0, 2, 1].into(), "192.0.2.0/24", Some(country.to_owned()))],
            database: "bench".to_owned(),
            database_build: CaptureDate::default(),
            source: AnswerSource::Resolver,
        });
        serde_json::to_string(&fact).unwrap()
    };
    let catalogue = rusqlite::Connection::open(folder.join("fonds.sqlite")).unwrap();
    catalogue
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF;
             CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
             WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < {})
                INSERT INTO n SELECT i FROM c;
             BEGIN;
             INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms)
                VALUES (1, 'crawl', 1, 1, 'bench', '20240101000000', 'finished', 1704067200000);
             INSERT INTO host SELECT i, 'host' || i || '.example.pt' FROM n WHERE i <= 5000;
             INSERT INTO host_geo (host, date_ms, fact)
                SELECT name, 0, CASE WHEN id % 4 THEN '{}' ELSE '{}' END FROM host;
             INSERT INTO robots SELECT 1, 'http://' || name, 200, CAST('User-agent: *' || char(10) || 'Disallow: /b/' AS BLOB), 0
                FROM host WHERE id % 5 = 0;
             INSERT INTO page SELECT i, 'pt,example,host' || (1 + i % 5000) || ')/' || i FROM n;
             INSERT INTO url SELECT i, 'http://host' || (1 + i % 5000) || '.example.pt/a/b/page' || i || '.html?id=' || i, i, 1 + i % 5000 FROM n;
             INSERT INTO seen (launch, url, host, via, hops, anchor, seed, source_tag, is_seed, nofollow, accepted,
                    rule_index, rule_name, state, priority, due_ms, date_ms)
                SELECT 1, i, 1 + i % 5000, 1 + i * 7919 % i, substr('LLLLLLLL', 1, 1 + i % 8), 'there', 'http://host1.example.pt/',
                    '', 0, 0, i % 5000 < 1000, CASE WHEN i % 5000 < 1000 THEN 1 ELSE 0 END, 'SeedScopeDecideRule',
                    CASE WHEN i % 5000 < 1000 THEN 0 ELSE 1 END, 1, 0, 0 FROM n;
             COMMIT;",
            seen_urls(),
            fact("GB"),
            fact("PT"),
        ))
        .unwrap();
    drop(catalogue);
    Session::new(Workspace::open(folder).unwrap())
}

/// An edited list tried on all that was seen, read from the catalogue. The
/// goal is a million in two seconds on two cores: `FONDS_BENCH_SEEN=1000000`.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn what_if(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let session = seen_workspace(&folder.path().join("w"));
    let mut edited = campaign_of_twenty_rules();
    edited.rules[3] = serde_json::json!({ "rule": "too_many_hops", "max_hops": 6 });
    edited.rules[5] = serde_json::json!({ "rule": "regex", "patterns": [".*id=1.*"], "decision": "REJECT" });
    let what_if =
        |edited: Campaign| work::what_if(&session, CampaignId::new(1), None, &edited, &JobCx::detached()).unwrap();
    let answer = what_if(edited.clone());
    assert_eq!(answer.seen, seen_urls() as u64);
    assert!(answer.moved_out.urls > 0);
    // Each time another edit: rules that were compiled before are kept.
    let count = AtomicUsize::new(0);
    let next = || {
        let mut edited = edited.clone();
        edited.rules[3]["comment"] = count.fetch_add(1, Ordering::Relaxed).to_string().into();
        edited
    };
    bencher.counter(ItemsCount::new(seen_urls())).with_inputs(next).bench_values(what_if);
}

/// Captures of the bench of thresholds.
fn scored_captures() -> usize {
    number("FONDS_BENCH_CAPTURES").unwrap_or(10_000)
}

/// A campaign whose captures were measured once.
fn scored_workspace(folder: &Path) -> Session {
    let workspace = Workspace::create(folder).unwrap();
    workspace.catalogue().save_campaign(None, &campaign_of_twenty_rules()).unwrap();
    drop(workspace);
    let catalogue = rusqlite::Connection::open(folder.join("fonds.sqlite")).unwrap();
    catalogue
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF;
             CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
             WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < {})
                INSERT INTO n SELECT i FROM c;
             BEGIN;
             INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms)
                VALUES (1, 'crawl', 1, 1, 'bench', '20240101000000', 'finished', 1704067200000);
             INSERT INTO host SELECT i, 'host' || i || '.example.pt' FROM n WHERE i <= 5000;
             INSERT INTO page SELECT i, 'pt,example,host' || (1 + i % 5000) || ')/' || i FROM n;
             INSERT INTO url SELECT i, 'http://host' || (1 + i % 5000) || '.example.pt/' || i, i, 1 + i % 5000 FROM n;
             INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, media, size, digest, hops, change, stored)
                SELECT i, 1, i, i, 1 + i % 5000, 1704067200000 + i * 1000, 200, 'text/html', 1, 1000 + i, 'sha1:' || i,
                    substr('LLLLLLLL', 1, 1 + i % 8), 0, 9000 FROM n;
             COMMIT;",
            scored_captures(),
        ))
        .unwrap();
    drop(catalogue);
    score_all(folder);
    Session::new(Workspace::open(folder).unwrap())
}

/// What another threshold and other weights select, as the window shows it while
/// the line is dragged: 100 ms for 117,000 captures is the goal, a second for a
/// million (`FONDS_BENCH_CAPTURES`).
#[divan::bench(sample_count = 20, sample_size = 1)]
fn threshold(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let session = scored_workspace(&folder.path().join("w"));
    let scores = session.selection(CampaignId::new(1)).unwrap().scores;
    assert_eq!((scores.len(), scores.unmeasured()), (scored_captures() as u64, 0));
    let count = AtomicUsize::new(0);
    let next = || {
        let at = count.fetch_add(1, Ordering::Relaxed) % 100;
        let weights = ScoreWeights::default().with("depth", at as f64 / 100.0).unwrap();
        SelectionCriteria { weights, threshold: at as f64 / 100.0, ..SelectionCriteria::default() }
    };
    bencher
        .counter(ItemsCount::new(scored_captures()))
        .with_inputs(next)
        .bench_values(|criteria| (scores.draft(&criteria), scores.nearest(&criteria.weights, criteria.threshold, 20)));
}

/// Lines of the log of the import bench.
fn log_lines() -> usize {
    number("FONDS_BENCH_LINES").unwrap_or(20_000)
}

/// A job folder with the log of a crawl of 5,000 hosts; one line in twenty is
/// of a URL that was tried before.
fn logged_job(folder: &Path) {
    let url = |n: usize| {
        let mixed = n.wrapping_mul(2_654_435_761);
        format!("http://www.host{}.example.pt/section{}/article-{n}.html", mixed % 5_000, mixed % 97)
    };
    let mut log = BufWriter::new(File::create(folder.join("crawl.log")).unwrap());
    for n in 0..log_lines() {
        let (of, via) = (if n % 20 == 19 { n / 2 } else { n }, url(n / 3));
        writeln!(
            log,
            "2024-03-01T09:{:02}:{:02}.000Z   200      {:>5} {} {} {via} text/html #{:03} 20240301090000500+20 \
             sha1:KNQLT7BVWOPPBBCPPPQBTBVWOPPBBCPA http://www.example.pt/ 3t",
            n / 60 % 60,
            n % 60,
            n % 50_000,
            url(of),
            &"LLLLLLLL"[..1 + n % 8],
            n % 100,
        )
        .unwrap();
    }
    log.flush().unwrap();
}

/// The log of a foreign crawl brought into an empty workspace:
/// `FONDS_BENCH_LINES=1000000` for a large one.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn import_log(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job");
    std::fs::create_dir(&job).unwrap();
    logged_job(&job);
    let count = AtomicUsize::new(0);
    let workspace =
        || Workspace::create(&folder.path().join(format!("w{}", count.fetch_add(1, Ordering::Relaxed)))).unwrap();
    bencher.counter(ItemsCount::new(log_lines())).with_inputs(workspace).bench_refs(|workspace| {
        let jobs =
            work::import_with_jobs(workspace, std::slice::from_ref(&job), Default::default(), &JobCx::detached())
                .unwrap()
                .jobs;
        assert_eq!(jobs[0].launches[0].logs[0].urls, log_lines() as u64);
    });
}

/// The trace of one URL, with what would turn it, under 1,000 seeds. The goal
/// is ten milliseconds.
#[divan::bench]
fn trace(bencher: Bencher<'_, '_>) {
    let rules = DecideRules::compile(&campaign_of_twenty_rules()).unwrap();
    let url = Url::parse("http://elsewhere.example/a/b/page.html?id=1").unwrap();
    let candidate = Candidate { hops: "L".repeat(30), ..Candidate::bare(url) };
    bencher.bench(|| rules.explain(black_box(&candidate), &Facts::default()));
}

/// A scope log as crawls write it: nine in ten lines are refusals.
#[divan::bench]
fn log_report(bencher: Bencher<'_, '_>) {
    let line = |n: usize| match n % 10 {
        0 => format!(
            "2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule ACCEPT http://www.host{}.com/{n}\n",
            n % 5000
        ),
        _ => format!(
            "2014-11-05T10:17:39.790Z 0 RejectDecideRule REJECT https://www.host{n}.example/path/page{n}.html\n"
        ),
    };
    let log: String = (0..100_000).map(line).collect();
    bencher.counter(ItemsCount::new(100_000_usize)).counter(BytesCount::of_str(&log)).bench(|| {
        let own = Domains::parse(["uk"]).unwrap();
        let question = LogQuestion { rule: GEOLOCATION_RULE.to_owned(), own, with_dns: false, memory_bytes: 64 << 20 };
        let mut report = LogReport::new(question);
        report.read("bench", black_box(log.as_bytes()), &JobCx::detached()).unwrap();
        report.finish(|_| std::io::Result::Ok(())).unwrap().hosts
    });
}
