//! Crawls that meet redirects, on loopback.

#![allow(clippy::unwrap_used)]

use super::journey::{campaign, crawl, setup};
use super::memory_ledger::{MemoryLedger, StoredFate};
use crate::campaign::SeedScope;
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::scope::{Decision, ScopeLine, TOO_MANY_REDIRECTS, UNSUPPORTED_SCHEME, standard_rules};
use crate::testing::{ScriptedReply, ScriptedServer};
use std::path::Path;

fn scope_lines(folder: &Path) -> Vec<ScopeLine> {
    let log = std::fs::read_to_string(folder.join("logs/scope.log")).unwrap();
    log.lines().map(|line| ScopeLine::parse(line).unwrap()).collect()
}

#[test]
fn an_endless_chain_of_redirects_ends() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::html("<a href=/r0>round</a>"),
        path => {
            let number: u64 = path[2..].parse().unwrap();
            ScriptedReply::page(302, &format!("Location: /r{}\r\n", number + 1), "")
        }
    });
    // With the rules in any order, and where everything is accepted.
    let all = r#"{"rule": "accept_all", "enabled": true, "comment": ""}"#;
    for rules in [standard_rules(), vec![serde_json::from_str(all).unwrap()]] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = MemoryLedger::default();
        let mut campaign = campaign(&["http://a.example/"]);
        campaign.rules = rules;
        campaign.limits.max_documents = 100;
        let report = crawl(&campaign, &server, folder.path(), &ledger);
        assert_eq!(report.end, CrawlEnd::Finished);
        assert!(ledger.finished("http://a.example/r20").unwrap().capture.is_some());
        assert!(ledger.finished("http://a.example/r21").is_none());
        let (last, _) = ledger.rows().pop().unwrap();
        assert_eq!((last.candidate.url.path(), last.verdict.rule_name.as_str()), ("/r21", TOO_MANY_REDIRECTS));
        let line = scope_lines(folder.path()).into_iter().find(|line| line.url == "http://a.example/r21").unwrap();
        let verdict = line.verdict;
        assert_eq!((verdict.rule_index, verdict.rule_name.as_str()), (None, TOO_MANY_REDIRECTS));
        assert_eq!(verdict.decision, Decision::Reject);
    }
}

#[test]
fn a_redirect_to_another_scheme_has_its_line_and_is_not_followed() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::page(302, "Location: file:///etc/passwd\r\n", ""),
        _ => ScriptedReply::html(""),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    crawl(&campaign(&["http://a.example/"]), &server, folder.path(), &ledger);
    assert_eq!(ledger.rows().len(), 2);
    let page = ledger.finished("http://a.example/").unwrap();
    assert!(page.why.unwrap().contains("file:///etc/passwd"));
    let line = scope_lines(folder.path()).into_iter().find(|line| line.url.starts_with("file:")).unwrap();
    assert_eq!((line.verdict.rule_name.as_str(), line.verdict.decision), (UNSUPPORTED_SCHEME, Decision::Reject));
}

#[test]
fn a_seed_that_moves_takes_its_scope_along_on_its_own_site_only() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("a.example", "/") => ScriptedReply::page(301, "Location: http://www.a.example/home\r\n", ""),
        ("www.a.example", "/home") => ScriptedReply::page(301, "Location: http://b.example/\r\n", ""),
        ("b.example", "/") => ScriptedReply::html("<a href=/inside>x</a><a href=http://www.a.example/back>y</a>"),
        ("b.example", "/in") => ScriptedReply::page(301, "Location: http://127.0.0.1:9/metadata\r\n", ""),
        _ => ScriptedReply::html("leaf"),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/", "http://b.example/in"]);
    // Each by its path alone: what is reached is reached as the moved seed.
    campaign.seeds.iter_mut().for_each(|seed| seed.scope = SeedScope::Root);
    campaign.seeds[1].scope = SeedScope::Resource;
    campaign.politeness.max_retries = 0;
    let stats = CrawlStats::default();
    run_crawl(&setup(&campaign, &server, folder.path()), &ledger, &stats, &JobCx::detached()).unwrap();
    let row = |url: &str| ledger.rows().into_iter().find(|(of, _)| of.candidate.url.as_str() == url).unwrap();
    let (home, _) = row("http://www.a.example/home");
    assert_eq!((home.candidate.is_seed, home.candidate.seed.as_deref()), (true, Some("http://a.example/")));
    // The page behind the other redirect is fetched, and what it links to is not.
    assert!(ledger.finished("http://b.example/").unwrap().capture.is_some());
    assert!(!row("http://b.example/").0.candidate.is_seed);
    assert_eq!(row("http://b.example/inside").1, StoredFate::Refused);
    assert!(ledger.finished("http://www.a.example/back").unwrap().capture.is_some());
    assert!(!row("http://127.0.0.1:9/metadata").0.candidate.is_seed);
    let events: Vec<String> = ledger.events().into_iter().map(|event| event.text).collect();
    for target in ["http://b.example/;", "http://127.0.0.1:9/metadata;"] {
        assert!(
            events.iter().any(|text| text.contains("redirects to another site") && text.contains(target)),
            "{events:?}"
        );
    }
}
