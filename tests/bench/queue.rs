//! A request that is edited while many URLs wait: how soon the crawl goes by it.
//!
//! `cargo bench --bench queue`; by `FONDS_BENCH_QUEUED` (100,000) and `FONDS_BENCH_WORKERS` (8). Most links have
//! words of neither request, a tenth have one of the first, another tenth one of the second, as menus and topics do.

#![allow(clippy::unwrap_used)]

use fonds::campaign::{Campaign, CrawlOrder, Limits, Politeness, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use fonds::crawl::{Admission, AdmissionState, Ledger, RequestGuide};
use fonds::exchange::HostOverride;
use fonds::jobs::JobCx;
use fonds::scope::{Candidate, Decision, Verdict, standard_rules};
use fonds::serve::{Handler, HttpReply, HttpRequest, HttpServer, ServerLimits};
use fonds::store::{Catalogue, LaunchLedger, Workspace};
use fonds::uri::{CaptureDate, Url};
use fonds::work::models::{LaunchId, LaunchState};
use fonds::work::{CrawlOptions, Session};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const HOSTS: usize = 200;
/// Terms of the first and of the second request.
const TERMS: [[&str; 3]; 2] = [["harbour", "ferry", "quay"], ["school", "teacher", "lesson"]];
const OTHERS: [&str; 12] = [
    "about", "contact", "news", "archive", "council", "street", "market", "garden", "library", "museum", "forest",
    "river",
];

/// The times of requests, each with whether it has a term of the first or the second request.
#[derive(Default)]
struct TermRequests(Mutex<Vec<(Instant, [bool; 2])>>);

impl Handler for TermRequests {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let path = request.target();
        let has = TERMS.map(|terms| terms.iter().any(|term| path.contains(term)));
        self.0.lock().unwrap().push((Instant::now(), has));
        // A page is about what its path names.
        let text = path.replace(['/', '-', '.'], " ");
        HttpReply::new(200, "text/html", format!("<!doctype html><title>Page</title><p>{text}. {text}."))
    }
}

fn campaign(terms: [&str; 3], workers: usize) -> Campaign {
    let seed = |host| {
        let url = format!("http://h{host}.example/");
        Seed { url, scope: SeedScope::Subdomains, depth: None, source_tag: String::new() }
    };
    Campaign {
        name: "Town".to_owned(),
        request: terms.join(" OR ").parse().unwrap(),
        seeds: (0..HOSTS).map(seed).collect(),
        rules: standard_rules(),
        order: CrawlOrder::Relevance,
        limits: Limits::default(),
        politeness: Politeness {
            user_agent: "bench (+https://archive.example.org/bot)".to_owned(),
            delay_factor: 0.0,
            min_delay_ms: 20,
            robots: RobotsPolicy::Ignore,
            allow_private_addresses: PrivateAddresses::All,
            workers,
            ..Politeness::default()
        },
        ..Campaign::default()
    }
}

/// A URL of the queue with the text of its link.
fn link(at: usize) -> (Url, String) {
    let other = |place: usize| OTHERS[(at / 7 + place * 5) % OTHERS.len()];
    // Each host has links of all kinds.
    let term = match at / HOSTS % 10 {
        0 => TERMS[0][at % 3],
        1 => TERMS[1][at % 3],
        _ => other(0),
    };
    let host = at % HOSTS;
    let url = format!("http://h{host}.example/{}/{}/{term}-{at}.html", other(1), other(2));
    (Url::parse(&url).unwrap(), format!("{} of the {term} and the {}", other(3), other(4)))
}

/// Fills the queue of a launch that was stopped, ordered by the first version of its campaign.
fn fill(catalogue: &Arc<Catalogue>, queued: usize, first: &Campaign) -> LaunchId {
    let id = catalogue.save_campaign(None, first).unwrap();
    let launch = catalogue.begin_launch(id, "town", CaptureDate::now()).unwrap().id;
    let ledger = LaunchLedger::new(Arc::clone(catalogue), launch);
    let guide = RequestGuide::of(first).unwrap();
    let numbers: Vec<usize> = (0..queued).collect();
    for some in numbers.chunks(5_000) {
        let admission = |at: &usize| {
            let (url, anchor) = link(*at);
            let via = Some(Url::parse(&format!("http://h{}.example/page-{}", at / 40 % HOSTS, at / 40)).unwrap());
            let hops = "L".to_owned();
            let parts = guide.parts_again(&url, "", via.as_ref().map(Url::as_str), &anchor, None);
            let candidate = Candidate { via, anchor, hops, ..Candidate::bare(url) };
            let verdict = Verdict::unlisted(Decision::Accept, "bench");
            let (state, date) = (AdmissionState::Queued, CaptureDate::now());
            Admission { candidate, verdict, state, priority: parts.priority(), parts: Some(parts), date }
        };
        ledger.admit(some.iter().map(admission).collect()).unwrap();
    }
    catalogue.set_launch_state(launch, LaunchState::Stopped, "").unwrap();
    launch
}

/// Waits until the queue is ordered by a version.
fn until_ordered(catalogue: &Arc<Catalogue>, launch: LaunchId, version: u32) {
    let ledger = LaunchLedger::new(Arc::clone(catalogue), launch);
    while ledger.learned_order(&mut |_, _| {}).unwrap().version != Some(version) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let queued = number("FONDS_BENCH_QUEUED").unwrap_or(if measure { 100_000 } else { 4_000 });
    let workers = number("FONDS_BENCH_WORKERS").unwrap_or(8);
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(&folder.path().join("w")).unwrap();
    let catalogue = Arc::clone(workspace.catalogue());
    let session = Arc::new(Session::new(workspace));
    let served = Arc::new(TermRequests::default());
    let mut server = HttpServer::new(Arc::clone(&served) as Arc<dyn Handler>, ServerLimits::default());
    let addr = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let hosts = (0..HOSTS).map(|host| HostOverride { host: format!("h{host}.example"), port: 80, addr });
    session.set_overrides(hosts.collect());
    let [first, second] = TERMS.map(|terms| campaign(terms, workers));
    let began = Instant::now();
    let launch = fill(&catalogue, queued, &first);
    println!("{queued} URLs queued in {:.1} s", began.elapsed().as_secs_f64());

    let cx = JobCx::detached();
    let id = session.catalogue().launch(launch).unwrap().campaign;
    let crawl = std::thread::spawn({
        let (session, cx) = (Arc::clone(&session), cx.clone());
        move || session.crawl_with(id, &CrawlOptions::default(), &cx).unwrap()
    });
    let some = if measure { 2_000 } else { 150 };
    while served.0.lock().unwrap().len() < some {
        std::thread::sleep(Duration::from_millis(5));
    }

    session.catalogue().save_campaign(Some(id), &second).unwrap();
    let saved = Instant::now();
    session.apply_version(id).unwrap();
    let applied = saved.elapsed();
    until_ordered(&catalogue, launch, 2);
    let ordered = saved.elapsed();
    let more = served.0.lock().unwrap().len() + some / 2;
    while served.0.lock().unwrap().len() < more {
        std::thread::sleep(Duration::from_millis(5));
    }
    cx.cancel();
    crawl.join().unwrap();

    let requests = served.0.lock().unwrap();
    let before: Vec<_> = requests.iter().take_while(|(at, _)| *at < saved).collect();
    let after: Vec<_> = requests.iter().skip_while(|(at, _)| *at < saved).collect();
    let share = |requests: &[&(Instant, [bool; 2])], which: usize| {
        requests.iter().filter(|(_, has)| has[which]).count() as f64 / requests.len().max(1) as f64
    };
    let last = &before[before.len().saturating_sub(200)..];
    println!("{} requests before, of the last {:.2} of the first request", before.len(), share(last, 0));
    // Under the order before, one request of the second in ten is chance: most of ten in a row are not.
    let goes_by_it = after.windows(10).position(|some| share(some, 1) >= 0.6);
    let first_by_it = goes_by_it.map(|at| after[at].0 - saved);
    let pause = after.windows(2).map(|pair| pair[1].0 - pair[0].0).max().unwrap_or_default();
    println!("applied in {:.3} s, all ordered again in {:.2} s", applied.as_secs_f64(), ordered.as_secs_f64());
    println!("requests go by it after {:.2?}; longest pause between requests {pause:.2?}", first_by_it);
    assert!(first_by_it.is_some(), "the crawl never went by the new request");
}
