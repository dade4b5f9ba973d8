//! Plans that are replaced while a crawl runs, on loopback.

#![allow(clippy::unwrap_used)]

use super::journey::{campaign, plan, setup};
use super::memory_ledger::{MemoryLedger, StoredFate};
use crate::campaign::Campaign;
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::scope::{Decision, Facts};
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::uri::Url;
use serde_json::json;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Ten pages each below `/a/`, `/b/` and `/c/`.
fn folders() -> ScriptedReply {
    let links = |folder: &str| -> String { (0..10).map(|at| format!("<a href=/{folder}/{at}>x</a>")).collect() };
    ScriptedReply::html(&["a", "b", "c"].map(links).concat())
}

fn one_by_one(seeds: &[&str]) -> Campaign {
    let mut campaign = campaign(seeds);
    campaign.politeness.workers = 1;
    campaign
}

/// Adds a rule that refuses a folder, behind the others, whose numbers change too.
fn without(campaign: &Campaign, folder: &str) -> Campaign {
    let rule = json!({"rule": "regex", "patterns": [format!(".*/{folder}/.*")], "decision": "REJECT"});
    let mut other = campaign.clone();
    let idle = json!({"rule": "regex", "patterns": ["nothing"], "decision": "REJECT"});
    other.rules.insert(0, idle);
    other.rules.push(rule);
    other
}

type Crawled = (Arc<MemoryLedger>, Vec<(String, Instant)>, String);

/// Crawls; `replacement` comes with the request for `path`.
fn crawl_until(
    campaign: &Campaign,
    path: &'static str,
    replacement: Plan,
    answer: fn(&str) -> ScriptedReply,
) -> Crawled {
    let replace = move |requested: &str, current: &CurrentPlan, _: &MemoryLedger| {
        if requested == path {
            current.replace(replacement.clone()).unwrap();
        }
    };
    crawl_steered(campaign, replace, answer)
}

/// Crawls; `steer` is called with each request, before its answer.
fn crawl_steered(
    campaign: &Campaign,
    steer: impl Fn(&str, &CurrentPlan, &MemoryLedger) + Send + Sync + 'static,
    answer: fn(&str) -> ScriptedReply,
) -> Crawled {
    let ledger = Arc::new(MemoryLedger::default());
    let current: Arc<OnceLock<Arc<CurrentPlan>>> = Arc::default();
    let requests: Arc<Mutex<Vec<(String, Instant)>>> = Arc::default();
    let server = ScriptedServer::start({
        let (current, requests, ledger) = (Arc::clone(&current), Arc::clone(&requests), Arc::clone(&ledger));
        move |_, requested| {
            requests.lock().unwrap().push((requested.to_owned(), Instant::now()));
            steer(requested, current.get().unwrap(), &ledger);
            answer(requested)
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(campaign, &server, folder.path());
    assert!(current.set(Arc::clone(&setup.plan)).is_ok());
    let report = run_crawl(&setup, &*ledger, &CrawlStats::default(), &JobCx::detached()).unwrap();
    assert_eq!(report.end, CrawlEnd::Finished);
    let log = std::fs::read_to_string(folder.path().join("logs/scope.log")).unwrap();
    let requests = requests.lock().unwrap().clone();
    (ledger, requests, log)
}

fn site(path: &str) -> ScriptedReply {
    match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => folders(),
        _ => ScriptedReply::html("leaf"),
    }
}

/// The decision of a plan on a URL by itself.
fn explained(plan: &Plan, admission: &Admission) -> crate::scope::Verdict {
    plan.rules.explain(&admission.candidate, &Facts::default()).verdict
}

#[test]
fn rules_replaced_while_a_crawl_runs_count_from_the_next_url_on() {
    let first = one_by_one(&["http://a.example/"]);
    let second = without(&first, "b");
    let (before, after) = (plan(&first, 1), plan(&second, 2));
    let (ledger, requests, log) = crawl_until(&first, "/b/2", after.clone(), site);
    let fetched: Vec<&str> =
        requests.iter().map(|(path, _)| path.as_str()).filter(|path| path.contains("/b/")).collect();
    assert_eq!(fetched, ["/b/0", "/b/1", "/b/2"], "the URL in flight ends under the plan that it began with");
    for (admission, fate) in ledger.rows() {
        let path = admission.candidate.url.path().to_owned();
        match fate {
            StoredFate::Refused => {
                assert_eq!(admission.verdict, explained(&after, &admission), "{path}");
                assert_eq!(admission.verdict.rule_index, Some(second.rules.len() - 1), "{path}");
                assert!(log.lines().any(|line| line.contains("REJECT") && line.contains(&path)), "{path}\n{log}");
            }
            StoredFate::Finished(finished) if path.len() == 4 => {
                let by = if path.starts_with("/c") { &after } else { &before };
                let verdict = finished.capture.unwrap().notes.verdict.unwrap();
                assert_eq!(verdict, explained(by, &admission), "{path}");
                assert_eq!(verdict.decision, Decision::Accept, "{path}");
            }
            _ => {}
        }
    }
    let verdict = |path: &str| {
        let capture = ledger.finished(&format!("http://a.example{path}")).unwrap().capture.unwrap();
        capture.notes.verdict.unwrap().rule_index.unwrap()
    };
    assert_eq!(verdict("/a/1") + 1, verdict("/c/1"), "the same rule has another number in the other plan");
    assert_eq!(ledger.versions(), [(1, 2)]);
}

#[test]
fn what_was_refused_is_queued_when_a_plan_lets_it_in() {
    let open = one_by_one(&["http://a.example/"]);
    let narrow = without(&open, "b");
    // With the last URL that waits: the crawl does not end before that is decided.
    let (ledger, requests, log) = crawl_until(&narrow, "/c/9", plan(&open, 2), site);
    let of_b = requests.iter().filter(|(path, _)| path.starts_with("/b/")).count();
    assert_eq!(of_b, 10);
    assert!(ledger.finished("http://a.example/b/7").unwrap().capture.is_some());
    assert_eq!(log.lines().filter(|line| line.contains("/b/7")).count(), 2, "refused first, then let in");
    let events = ledger.events();
    let change = events.iter().find(|event| event.text.contains("goes on with version")).unwrap();
    assert!(change.text.contains("10 URLs that were refused are now queued"), "{}", change.text);
}

/// Requests for pages below a folder.
fn requested(requests: &[(String, Instant)], folder: &str) -> Vec<String> {
    let paths = requests.iter().map(|(path, _)| path.clone());
    paths.filter(|path| path.starts_with(folder)).collect()
}

#[test]
fn links_of_a_page_in_flight_are_decided_by_the_plan_that_counts_when_they_are_stored() {
    let open = one_by_one(&["http://a.example/"]);
    let narrow = without(&open, "b");
    // What was refused is decided again long before the page with the links is there.
    let replace_early = |replacement: Plan| {
        move |requested: &str, current: &CurrentPlan, _: &MemoryLedger| {
            if requested == "/" {
                current.replace(replacement.clone()).unwrap();
                std::thread::sleep(Duration::from_millis(300));
            }
        }
    };
    let (_, requests, log) = crawl_steered(&narrow, replace_early(plan(&open, 2)), site);
    assert_eq!(requested(&requests, "/b/").len(), 10, "the plan before refused them");
    assert!(!log.lines().any(|line| line.contains("REJECT") && line.contains("/b/")), "{log}");

    let (ledger, requests, log) = crawl_steered(&open, replace_early(plan(&narrow, 2)), site);
    assert_eq!(requested(&requests, "/b/"), Vec::<String>::new());
    assert!(!log.lines().any(|line| line.contains("ACCEPT") && line.contains("/b/")), "{log}");
    let refused = ledger.rows().into_iter().filter(|(_, fate)| *fate == StoredFate::Refused);
    assert_eq!(refused.filter(|(admission, _)| admission.candidate.url.path().starts_with("/b/")).count(), 10);
}

#[test]
fn a_version_that_comes_back_decides_what_the_one_between_refused() {
    let open = one_by_one(&["http://a.example/"]);
    let (first, second) = (plan(&open, 1), plan(&without(&open, "b"), 2));
    // The rest of /b/ comes to its turn under the second version.
    let (ledger, requests, log) = crawl_steered(
        &open,
        {
            let (first, second) = (first.clone(), second.clone());
            move |requested, current, _| match requested {
                "/b/2" => current.replace(second.clone()).unwrap(),
                "/c/5" => current.replace(first.clone()).unwrap(),
                _ => {}
            }
        },
        site,
    );
    assert_eq!(requested(&requests, "/b/").len(), 10, "{log}");
    assert_eq!(log.lines().filter(|line| line.contains("/b/7")).count(), 3, "let in, refused, let in\n{log}");
    assert_eq!(ledger.versions(), [(1, 2), (2, 1)]);

    // The links are found between two changes that come at once.
    let (ledger, requests, log) = crawl_steered(
        &open,
        move |requested, current, _| match requested {
            "/" => current.replace(second.clone()).unwrap(),
            "/a/0" => current.replace(first.clone()).unwrap(),
            _ => {}
        },
        site,
    );
    assert_eq!(requested(&requests, "/b/").len(), 10, "{log}");
    assert_eq!(ledger.versions(), [(1, 2), (2, 1)]);
}

#[test]
fn a_new_plan_goes_by_the_marks_that_there_are_when_it_comes() {
    let mut campaign = one_by_one(&["http://a.example/"]);
    campaign.rules.push(json!({"rule": "annotation", "marks": ["reject"], "decision": "REJECT"}));
    let same = plan(&campaign, 2);
    let steer = move |requested: &str, current: &CurrentPlan, ledger: &MemoryLedger| {
        if requested == "/b/2" {
            ledger.mark("http://a.example/c/5", "reject");
            current.replace(same.clone()).unwrap();
        }
    };
    let (_, requests, log) = crawl_steered(&campaign, steer, site);
    let of_c = requested(&requests, "/c/");
    assert!(of_c.len() == 9 && !of_c.contains(&"/c/5".to_owned()), "{of_c:?}\n{log}");
}

#[test]
fn delays_of_a_new_plan_count_from_the_next_url_on() {
    let campaign = one_by_one(&["http://a.example/"]);
    let mut slower = plan(&campaign, 1);
    slower.delays.set_host("a.example", Duration::from_millis(150));
    let (_, requests, _) = crawl_until(&campaign, "/b/7", slower, site);
    let gap = |from: &str, to: &str| {
        let at = |path: &str| requests.iter().find(|(requested, _)| requested == path).unwrap().1;
        at(to).duration_since(at(from))
    };
    assert!(gap("/b/8", "/b/9") >= Duration::from_millis(150));
}

#[test]
fn what_seeds_redirected_to_stays_a_seed_under_another_plan() {
    let campaign = one_by_one(&["http://a.example/"]);
    let current = CurrentPlan::new(plan(&campaign, 1));
    let begun = current.now();
    let seed = "http://a.example/".to_owned();
    let target = Url::parse("http://www.b.example/home").unwrap();
    let page = crate::scope::Candidate::bare(Url::parse("http://www.b.example/page").unwrap());
    let accepts = |plan: &Plan| plan.rules.decide(&page, &Facts::default()).decision == Decision::Accept;
    assert!(!accepts(&begun));
    current.replace(plan(&campaign, 2)).unwrap();
    current.add_met_seeds(vec![(seed, target)]).unwrap();
    assert_eq!((current.now().version, accepts(&current.now())), (2, true));
    assert!(!accepts(&begun), "a plan that somebody holds never changes");
    current.replace(plan(&campaign, 3)).unwrap();
    assert!(accepts(&current.now()));
}
