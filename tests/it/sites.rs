//! Real sites, served on loopback under several host names and crawled
//! completely: what we capture is what can be reached, as wget sees it.

use crate::archive::{records, warcs_under};
use crate::need;
use crate::site_server::{Site, SiteServer};
use fonds::campaign::{Campaign, Politeness, Seed, SeedScope};
use fonds::exchange::HostOverride;
use fonds::jobs::JobCx;
use fonds::scope::standard_rules;
use fonds::store::Workspace;
use fonds::warc::http::parse_response_head;
use fonds::warc::{Digests, RecordType};
use fonds::work;
use fonds::work::Report;
use fonds::work::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Status and payload digest of every URL that was answered.
type Answers = BTreeMap<String, (u16, String)>;

/// The answers in WARC files; a URL that was asked for twice has to answer alike.
fn answers(files: &[std::path::PathBuf]) -> Answers {
    let mut answers = Answers::new();
    for record in files.iter().flat_map(|file| records(file)) {
        if record.head.record_type != RecordType::Response {
            continue;
        }
        let url = record.head.target_url().unwrap().to_string();
        let status = parse_response_head(&record.block).unwrap().status;
        let answer = (status, Digests::of_block(&record.block, true).payload);
        let before = answers.insert(url.clone(), answer.clone());
        assert!(before.is_none_or(|before| before == answer), "{url}");
    }
    answers
}

/// Crawls the hosts of a server from these seeds to the end.
fn crawled(server: &SiteServer, seeds: &[String], folder: &Path) -> Answers {
    let session = Session::new(Workspace::create(&folder.join("archive")).unwrap());
    let to = |(host, port, addr)| HostOverride { host, port, addr };
    session.set_overrides(server.resolve().into_iter().map(to).collect());
    let seed =
        |url: &String| Seed { url: url.clone(), scope: SeedScope::Subdomains, depth: None, source_tag: String::new() };
    let campaign = Campaign {
        seeds: seeds.iter().map(seed).collect(),
        rules: standard_rules(),
        politeness: Politeness {
            user_agent: "Fonds test (+https://archive.example/contact)".to_owned(),
            delay_factor: 0.0,
            min_delay_ms: 0,
            max_delay_ms: 0,
            allow_private_addresses: fonds::campaign::PrivateAddresses::All,
            ..Politeness::default()
        },
        ..Campaign::new("Sites of others")
    };
    let id = session.catalogue().save_campaign(None, &campaign).unwrap();
    let outcome = work::crawl(&session, id, &work::CrawlOptions::default(), &JobCx::detached()).unwrap();
    assert!(outcome.complete && outcome.failed == 0, "{}", outcome.summary());
    let answers = answers(&warcs_under(&outcome.warc_folder));
    assert_eq!(answers.len() as u64, outcome.fetched, "each URL is fetched once");
    answers
}

/// What wget reaches from the same seeds, by way of the server as its proxy.
/// `--mirror` without time stamps, which WARC output cannot go with.
fn mirrored(wget: &Path, server: &SiteServer, seeds: &[String], folder: &Path) -> Answers {
    let proxy = format!("http_proxy=http://{}", server.resolve()[0].2);
    let status = Command::new(wget)
        .current_dir(folder)
        .args(["--no-config", "--quiet", "--recursive", "--level=inf", "--page-requisites", "--tries=1"])
        .args(["--delete-after", "--warc-file=wget", "-e", "use_proxy=yes", "-e", &proxy])
        .args(seeds)
        .env_remove("no_proxy")
        .status()
        .unwrap();
    // 8: a server answered with an error, as some links of these sites make it.
    assert!(matches!(status.code(), Some(0 | 8)), "{status}");
    answers(&warcs_under(folder).into_iter().filter(|file| file.parent() == Some(folder)).collect::<Vec<_>>())
}

/// Both reach the same, but for what is listed with its reason.
#[track_caller]
fn check(sites: Vec<Site>, paths: &[&str], only_ours: &[(&str, &str)], only_wget: &[(&str, &str)], least: usize) {
    let Some(wget) = need::program("wget") else { return };
    let server = SiteServer::start(sites.clone());
    let seeds: Vec<String> =
        sites.iter().flat_map(|site| paths.iter().map(|path| format!("http://{}{path}", site.host))).collect();
    let dir = tempfile::tempdir().unwrap();
    let ours = crawled(&server, &seeds, dir.path());
    let theirs = mirrored(&wget, &server, &seeds, dir.path());
    let beyond = |one: &Answers, other: &Answers| -> BTreeSet<String> {
        one.keys().filter(|url| !other.contains_key(*url)).cloned().collect()
    };
    let on_each = |list: &[(&str, &str)]| -> BTreeSet<String> {
        sites.iter().flat_map(|site| list.iter().map(|(path, _)| format!("http://{}{path}", site.host))).collect()
    };
    assert_eq!(beyond(&ours, &theirs), on_each(only_ours), "only we reach these");
    assert_eq!(beyond(&theirs, &ours), on_each(only_wget), "only wget reaches these");
    for (url, answer) in &ours {
        assert!(theirs.get(url).is_none_or(|other| other == answer), "{url}: {answer:?} and {:?}", theirs.get(url));
    }
    let pages = ours.values().filter(|(status, _)| *status == 200).count();
    assert!(pages >= least, "only {pages} pages");
}

#[test]
fn a_manual_in_four_languages_is_captured_as_far_as_it_can_be_reached() {
    let Some(folder) = need::data("sites/httpd-manual-part") else { return };
    let site = |language: &str| Site {
        host: format!("manual-{language}.example"),
        folder: folder.clone(),
        language: language.to_owned(),
    };
    let sites = ["en", "fr", "ko", "pt-br"].map(site).to_vec();
    check(sites, &["/howto/", "/rewrite/", "/ssl/"], &[], &[], 96);
}

#[test]
fn the_self_test_site_of_another_crawler_is_captured_as_far_as_it_can_be_reached() {
    let Some(folder) = need::data("sites/heritrix-selftest") else { return };
    let mut paths: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("/{}/", entry.file_name().to_string_lossy()))
        .collect();
    paths.sort();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let site = |host: &str| Site { host: host.to_owned(), folder: folder.clone(), language: "en".to_owned() };
    let sites = vec![site("selftest.example"), site("www.other-selftest.example")];
    let only_ours = [("/sitemap.xml", "robots.txt names no sitemap, and this is where most sites have one")];
    let only_wget = [(
        "/BadURIsStopPageParsing/goodtwo.html",
        "its page has the base http:///host/…, which the URL standard reads as http://host/…",
    )];
    check(sites, &paths, &only_ours, &only_wget, 40);
}

#[test]
fn no_host_is_lost_when_many_workers_meet_it_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("site");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("robots.txt"), "User-agent: *\nDisallow: /none\n").unwrap();
    let pages: Vec<String> = (0..12).map(|number| format!("/{number}.html")).collect();
    for page in &pages {
        std::fs::write(folder.join(&page[1..]), "<title>leaf</title>").unwrap();
    }
    let site = |number| Site { host: format!("h{number}.example"), folder: folder.clone(), language: "en".to_owned() };
    let sites: Vec<Site> = (0..8).map(site).collect();
    let server = SiteServer::start(sites.clone());
    let seeds: Vec<String> =
        sites.iter().flat_map(|site| pages.iter().map(|page| format!("http://{}{page}", site.host))).collect();
    // What happens at once happens differently each time.
    for round in 0..4 {
        let place = dir.path().join(round.to_string());
        std::fs::create_dir(&place).unwrap();
        let answers = crawled(&server, &seeds, &place);
        assert_eq!(
            answers.len(),
            sites.len() * (pages.len() + 2),
            "all seeds, and one robots.txt and sitemap.xml a host"
        );
    }
}
