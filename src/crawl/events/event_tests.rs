//! Tests of the events that a crawl reports while it runs and afterwards.

#![allow(clippy::unwrap_used)]

use crate::campaign::Seed;
use crate::crawl::tests::journey::{campaign, setup, site};
use crate::crawl::tests::memory_ledger::MemoryLedger;
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::scope::DecideRules;
use crate::testing::{ScriptedReply, ScriptedServer};
use std::sync::{Arc, Mutex};

#[test]
fn the_same_events_reach_catalogue_log_and_observer() {
    let server = ScriptedServer::start(|host, path| match path {
        "/p3" => ScriptedReply::page(429, "Retry-After: 0\r\n", ""),
        _ => site(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    let observed = Arc::new(Mutex::new(Vec::new()));
    let observer = EventObserver::new({
        let observed = Arc::clone(&observed);
        move |event| observed.lock().unwrap().push(event.clone())
    });
    let stats = CrawlStats::observed(Some(observer));
    // A campaign is a file: what is typed in it may be anything.
    let mut setup = setup(&campaign, &server, folder.path());
    let rules = DecideRules::compile(&campaign).unwrap();
    campaign.seeds.push(Seed { url: "no\naddress end".to_owned(), ..campaign.seeds[0].clone() });
    setup.plan = Arc::new(CurrentPlan::new(Plan::new(campaign, 1, rules)));
    let report = run_crawl(&setup, &ledger, &stats, &JobCx::detached()).unwrap();
    let events = ledger.events();
    assert_eq!(*observed.lock().unwrap(), events);
    let of_kind = |kind| events.iter().filter(|event| event.kind == kind).collect::<Vec<_>>();
    assert_eq!(of_kind(EventKind::Seed)[0].url, "no\naddress end");
    let waits = of_kind(EventKind::Wait);
    assert!(!waits.is_empty());
    for wait in waits {
        assert_eq!((wait.host.as_str(), wait.url.as_str(), wait.status), ("a.example", "http://a.example/p3", 429));
    }
    assert_eq!(events.last().unwrap().text, report.end.summary());
    // One line an event, whatever its text.
    let log = std::fs::read_to_string(folder.path().join("logs/events.log")).unwrap();
    assert_eq!(log.lines().count(), events.len(), "{log}");
    assert!(log.contains(" wait a.example http://a.example/p3 429 "), "{log}");
    assert!(log.contains(" seed - no_address%20end - This seed"), "{log}");
    // A crawl that cannot go on reports that as well.
    std::fs::remove_file(folder.path().join("logs/crawl.log")).unwrap();
    std::fs::create_dir(folder.path().join("logs/crawl.log")).unwrap();
    run_crawl(&setup, &ledger, &CrawlStats::default(), &JobCx::detached()).unwrap_err();
    let last = ledger.events().pop().unwrap();
    assert!(last.kind == EventKind::End && last.text.contains("crawl.log"), "{last:?}");
}
