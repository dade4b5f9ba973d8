#![allow(clippy::unwrap_used)]

use super::super::{Admission, AdmissionState, Finished};
use super::host_states::HostActivity;
use super::*;
use crate::crawl::PriorityParts;
use crate::crawl::priority::place_by_hops;
use crate::crawl::tests::memory_ledger::MemoryLedger;
use crate::scope::{Candidate, Decision, Verdict};

fn admission(url: &str, hops: &str) -> Admission {
    Admission {
        candidate: Candidate {
            hops: hops.to_owned(),
            is_seed: hops.is_empty(),
            ..Candidate::bare(Url::parse(url).unwrap())
        },
        verdict: Verdict { decision: Decision::Accept, rule_index: None, rule_name: String::new() },
        state: AdmissionState::Queued,
        priority: place_by_hops(hops).priority,
        parts: None,
        date: CaptureDate::now(),
    }
}

fn finish(ledger: &MemoryLedger, url: &QueuedUrl) {
    let (why, refused, capture) = (None, None, None);
    let finished = Finished { id: url.id, fetch_status: 200, why, refused, capture, found: Vec::new(), reading: None };
    ledger.finish(finished).unwrap();
}

/// Fetches everything at once and returns the order.
fn order(frontier: &Frontier<'_>, ledger: &MemoryLedger) -> Vec<String> {
    let mut order = Vec::new();
    loop {
        match frontier.next().unwrap() {
            Next::Url(url) => {
                finish(ledger, &url);
                order.push(url.admission.candidate.url.path().to_owned());
                frontier.release(&url, Duration::ZERO);
            }
            Next::Idle => {}
            Next::Finished => return order,
        }
    }
}

#[test]
fn seeds_come_first_then_what_completes_a_page_then_near_pages() {
    for (hops, expected) in [
        ("", 0),
        ("P", 0),
        ("E", 1),
        ("R", 1),
        ("LE", 1),
        ("LEE", 2),
        ("L", 100),
        ("LL", 200),
        ("LEL", 300),
        ("PM", 200),
        ("12+LLRL", 1600),
        ("12+LLRE", 2),
    ] {
        assert_eq!(place_by_hops(hops).priority, expected, "{hops}");
    }
    let ledger = MemoryLedger::default();
    let urls = [("/far", "LL"), ("/near", "L"), ("/embed", "LE"), ("/", "")];
    ledger.admit(urls.iter().map(|(path, hops)| admission(&format!("http://a.pt{path}"), hops)).collect()).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    assert_eq!(order(&frontier, &ledger), ["/", "/embed", "/near", "/far"]);
}

#[test]
fn many_urls_come_in_batches_and_none_is_lost() {
    let ledger = MemoryLedger::default();
    let urls = (0..200).map(|number| admission(&format!("http://h{}.pt/{number}", number % 3), "L"));
    ledger.admit(urls.collect()).unwrap();
    let frontier = Frontier::open(&ledger, 2, 9, None).unwrap();
    assert_eq!(order(&frontier, &ledger).len(), 200);
}

#[test]
fn several_workers_get_each_url_once() {
    for _ in 0..10 {
        let ledger = MemoryLedger::default();
        let urls = (0..400).map(|number| admission(&format!("http://h{}.pt/{number}", number % 2), "L"));
        ledger.admit(urls.collect()).unwrap();
        let frontier = Frontier::open(&ledger, 4, 9, None).unwrap();
        let fetch_all = || {
            let mut count = 0;
            loop {
                match frontier.next().unwrap() {
                    Next::Url(url) => {
                        // The ledger panics where it ended before.
                        finish(&ledger, &url);
                        frontier.announce("h0.pt", 100);
                        frontier.release(&url, Duration::ZERO);
                        count += 1;
                    }
                    Next::Idle => {}
                    Next::Finished => return count,
                }
            }
        };
        let counts: Vec<usize> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..6).map(|_| scope.spawn(fetch_all)).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        assert_eq!(counts.iter().sum::<usize>(), 400, "{counts:?}");
    }
}

#[test]
fn a_host_rests_for_the_whole_delay() {
    let ledger = MemoryLedger::default();
    ledger.admit(vec![admission("http://a.pt/1", ""), admission("http://a.pt/2", "")]).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    let Next::Url(first) = frontier.next().unwrap() else { panic!("nothing came") };
    assert!(matches!(frontier.next().unwrap(), Next::Idle), "one at a time");
    finish(&ledger, &first);
    let begin = Instant::now();
    frontier.release(&first, Duration::from_millis(150));
    assert_eq!(order(&frontier, &ledger), ["/2"]);
    assert!(begin.elapsed() >= Duration::from_millis(150));
}

#[test]
fn something_urgent_overtakes_what_is_in_memory() {
    let ledger = MemoryLedger::default();
    ledger.admit((0..5).map(|number| admission(&format!("http://a.pt/{number}"), "L")).collect()).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    let Next::Url(first) = frontier.next().unwrap() else { panic!("nothing came") };
    ledger.admit(vec![admission("http://a.pt/embed", "LE")]).unwrap();
    frontier.announce("a.pt", 1);
    finish(&ledger, &first);
    frontier.release(&first, Duration::ZERO);
    assert_eq!(order(&frontier, &ledger), ["/embed", "/1", "/2", "/3", "/4"]);
}

#[test]
fn a_url_put_back_waits_for_its_time() {
    let ledger = MemoryLedger::default();
    ledger.admit(vec![admission("http://a.pt/1", ""), admission("http://a.pt/2", "L")]).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    let Next::Url(first) = frontier.next().unwrap() else { panic!("nothing came") };
    let due = CaptureDate::from_millis(CaptureDate::now().millis() + 1_000);
    ledger.defer(first.id, 1, due, "busy").unwrap();
    frontier.put_back(&first, Duration::ZERO);
    assert_eq!(order(&frontier, &ledger), ["/2", "/1"]);
    assert!(CaptureDate::now() >= due);
}

#[test]
fn a_host_that_waits_for_a_retry_takes_new_work_at_once() {
    let ledger = MemoryLedger::default();
    ledger.admit(vec![admission("http://a.pt/1", "")]).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    let Next::Url(first) = frontier.next().unwrap() else { panic!("nothing came") };
    let due = CaptureDate::from_millis(CaptureDate::now().millis() + 3_000);
    ledger.defer(first.id, 1, due, "busy").unwrap();
    frontier.put_back(&first, Duration::ZERO);
    assert!(matches!(frontier.next().unwrap(), Next::Idle));
    ledger.admit(vec![admission("http://a.pt/2", "L")]).unwrap();
    frontier.announce("a.pt", 100);
    let begin = Instant::now();
    let Next::Url(second) = frontier.next().unwrap() else { panic!("nothing came") };
    assert_eq!(second.admission.candidate.url.path(), "/2");
    assert!(begin.elapsed() < Duration::from_millis(1_500));
    finish(&ledger, &second);
    frontier.release(&second, Duration::ZERO);
    assert_eq!(order(&frontier, &ledger), ["/1"]);
}

#[test]
fn a_url_whose_address_is_busy_waits_and_none_is_lost() {
    let ledger = MemoryLedger::default();
    ledger.admit((0..40).map(|number| admission(&format!("http://a.pt/{number}"), "L")).collect()).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    let Next::Url(first) = frontier.next().unwrap() else { panic!("nothing came") };
    frontier.hold(&first);
    let order = order(&frontier, &ledger);
    assert_eq!((order[0].as_str(), order.len()), ("/0", 40));
}

#[test]
fn an_address_has_room_for_so_many() {
    let ledger = MemoryLedger::default();
    let frontier = Frontier::open(&ledger, 1, 2, None).unwrap();
    let ip: IpAddr = "192.0.2.1".parse().unwrap();
    assert!(frontier.enter_address(ip) && frontier.enter_address(ip) && !frontier.enter_address(ip));
    frontier.leave_address(ip);
    assert!(frontier.enter_address(ip));
}

#[test]
fn a_host_that_has_nothing_left_keeps_no_crawl_waiting_for_its_delay() {
    let ledger = MemoryLedger::default();
    ledger.admit(vec![admission("http://a.pt/1", "")]).unwrap();
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap();
    let Next::Url(only) = frontier.next().unwrap() else { panic!("nothing came") };
    // Something was found for it that it knows already.
    frontier.announce("a.pt", 100);
    finish(&ledger, &only);
    frontier.release(&only, Duration::from_secs(300));
    assert!(matches!(frontier.next().unwrap(), Next::Finished));
}

#[test]
fn a_host_that_rests_comes_after_all_others_and_loses_nothing() {
    let ledger = MemoryLedger::default();
    let of_host = |host: &str, count: usize, anchor: f64| -> Vec<Admission> {
        let parts = PriorityParts::of_link(anchor, 0.0, 0.0, 0);
        let url = |number: usize| admission(&format!("http://{host}/{host}/{number}"), "L");
        (0..count).map(|number| Admission { priority: parts.priority(), parts: Some(parts), ..url(number) }).collect()
    };
    // What waits for the host that rests looks better, and yet it comes last.
    ledger.admit(of_host("poor.pt", 40, 0.9)).unwrap();
    ledger.admit(of_host("rich.pt", 40, 0.1)).unwrap();
    let mut gains = HostGains::default();
    gains.let_rest(std::iter::empty(), 0);
    for _ in 0..300 {
        gains.add("rich.pt", 0.9);
    }
    let why = (0..120).find_map(|_| gains.add("poor.pt", 0.0)).unwrap();
    assert_eq!(why, "0 of its 100 pages are about the request");
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap().in_order(CrawlOrder::Relevance, gains);
    let states = frontier.host_states(10);
    let poor = states.iter().find(|host| host.authority == "poor.pt").unwrap();
    assert_eq!(
        (poor.activity, poor.why.as_str()),
        (HostActivity::Deferred, "0 of its 100 pages are about the request")
    );
    frontier.spare(&["poor.pt".into()]);
    let states = frontier.host_states(10);
    assert!(states.iter().all(|host| host.activity != HostActivity::Deferred), "{states:?}");
    frontier.lock().gains.add("poor.pt", 0.0);
    assert!(frontier.lock().gains.rests("poor.pt").is_none(), "a person spared it");
    let mut gains = HostGains::default();
    gains.let_rest(std::iter::empty(), 0);
    (0..300).for_each(|_| drop(gains.add("rich.pt", 0.9)));
    (0..120).for_each(|_| drop(gains.add("poor.pt", 0.0)));
    let frontier = Frontier::open(&ledger, 1, 1, None).unwrap().in_order(CrawlOrder::Relevance, gains);
    let order = order(&frontier, &ledger);
    let is_poor = |path: &String| path.starts_with("/poor.pt/");
    assert_eq!((order.len(), order.iter().filter(|path| is_poor(path)).count()), (80, 40));
    assert!(order[..40].iter().all(|path| !is_poor(path)), "{order:?}");
}
