//! Orders of the queue on a generated web, and crawls that follow their request.

#![allow(clippy::unwrap_used)]

use super::generated_web::{FARM, GeneratedWeb, REQUEST};
use super::journey::{campaign, setup};
use super::memory_ledger::{MemoryLedger, StoredFate};
use crate::campaign::{Campaign, CrawlOrder};
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::scope::DecideRules;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::uri::Url;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn address(web: &GeneratedWeb, page: usize) -> Url {
    let page = &web.pages[page];
    Url::parse(&format!("http://{}{}", GeneratedWeb::host_name(page.host), page.path)).unwrap()
}

/// Pages in the order in which one worker fetches them at once, `most` of them.
fn fetched(web: &GeneratedWeb, request: &str, order: CrawlOrder, seed: u64, most: usize) -> Vec<usize> {
    let campaign = Campaign { request: request.parse().unwrap(), order, ..Campaign::default() };
    let rules = DecideRules::compile(&campaign).unwrap();
    let plan = Plan::new(campaign, 1, rules);
    let page = |number: usize| ReplayPage {
        url: address(web, number),
        main: web.pages[number].text.clone(),
        links: web.pages[number].links.clone(),
    };
    let pages: Vec<ReplayPage> = (0..web.pages.len()).map(page).collect();
    let starts: Vec<ReplayStart> =
        (0..super::generated_web::HOSTS).map(|page| ReplayStart { page, is_seed: true }).collect();
    replay(&plan, (&pages, &starts), &|_| true, &MemoryLedger::default(), Draws::new(seed, 0), most).unwrap()
}

fn request() -> String {
    REQUEST.join(" OR ")
}

/// The share of all relevant pages among these.
fn recall(web: &GeneratedWeb, fetched: &[usize]) -> f64 {
    fetched.iter().filter(|page| web.pages[**page].is_relevant).count() as f64 / web.relevant() as f64
}

#[test]
fn relevance_finds_twice_as_much_as_a_round_of_the_hosts() {
    for seed in 1..=5 {
        let web = GeneratedWeb::new(seed, 5000);
        let most = web.pages.len() / 10;
        let of = |order| fetched(&web, &request(), order, seed, most);
        let guided = of(CrawlOrder::Relevance);
        let [found, round, breadth] =
            [&guided, &of(CrawlOrder::RoundRobin), &of(CrawlOrder::BreadthFirst)].map(|fetched| recall(&web, fetched));
        println!("seed {seed}: {} of {} relevant; {found:.3} {round:.3} {breadth:.3}", web.relevant(), web.pages.len());
        assert!(found >= 2.0 * round, "seed {seed}: {found} {round}");
        assert!(found >= 3.5 * breadth, "seed {seed}: {found} {breadth}");
        // The farm links with the right words to 500 pages that have none.
        let of_farm = guided.iter().filter(|page| web.pages[**page].host == FARM).count();
        assert!(of_farm < most / 10 + 20, "seed {seed}: {of_farm} of {most}");
    }
}

#[test]
fn a_term_of_a_third_of_all_pages_spoils_nothing() {
    let web = GeneratedWeb::new(3, 5000);
    let most = web.pages.len() / 10;
    let of = |request, order| recall(&web, &fetched(&web, request, order, 3, most));
    let (found, round) = (of("porto OR casco", CrawlOrder::Relevance), of("porto OR casco", CrawlOrder::RoundRobin));
    assert!(found >= round, "{found} {round}");
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_seed_another() {
    let web = GeneratedWeb::new(1, 2000);
    let of = |seed| fetched(&web, &request(), CrawlOrder::Relevance, seed, 150);
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

/// A front page with twenty links, every fifth of them about the request, to pages that say the same.
fn mixed_site(path: &str) -> ScriptedReply {
    match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => {
            let link = |at: u32| match at % 5 {
                // Of several links to one page the best text counts.
                4 => format!("<a href=/{at}>Ler mais</a> <a href=/{at}>Estaleiro naval</a> <a href=/{at}></a> "),
                _ => format!("<a href=/{at}>Mais {at}</a> "),
            };
            ScriptedReply::html(&format!("<title>Casa</title>{}", (0..20).map(link).collect::<String>()))
        }
        path if path.starts_with("/i/") => ScriptedReply::page(200, "Content-Type: image/png\r\n", vec![7; 50]),
        path => ScriptedReply::html(&format!("<p>Page {path} <img src=/i{path}.png>")),
    }
}

fn guided_campaign(request: &str) -> Campaign {
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.request = request.parse().unwrap();
    campaign.politeness.workers = 1;
    campaign
}

/// Crawls, and calls `steer` with each path before its answer; gives the paths in order.
fn crawled(
    campaign: &Campaign,
    ledger: &Arc<MemoryLedger>,
    most: u64,
    steer: impl Fn(&str, &CurrentPlan) + Send + Sync + 'static,
) -> Vec<String> {
    let current: Arc<std::sync::OnceLock<Arc<CurrentPlan>>> = Arc::default();
    let paths: Arc<Mutex<Vec<String>>> = Arc::default();
    let server = ScriptedServer::start({
        let (current, paths) = (Arc::clone(&current), Arc::clone(&paths));
        move |_, path| {
            paths.lock().unwrap().push(path.to_owned());
            steer(path, current.get().unwrap());
            mixed_site(path)
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign.clone();
    campaign.limits.max_documents = most;
    let setup = setup(&campaign, &server, folder.path());
    assert!(current.set(Arc::clone(&setup.plan)).is_ok());
    run_crawl(&setup, &**ledger, &CrawlStats::default(), &JobCx::detached()).unwrap();
    let paths = paths.lock().unwrap();
    paths.iter().filter(|path| path.as_str() != "/robots.txt" && path.as_str() != "/sitemap.xml").cloned().collect()
}

/// Numbers of pages among paths, in order.
fn numbers(paths: &[String]) -> Vec<u32> {
    paths.iter().filter_map(|path| path.trim_start_matches('/').parse().ok()).collect()
}

#[test]
fn a_crawl_fetches_first_what_its_request_is_about() {
    let ledger = Arc::new(MemoryLedger::default());
    let paths = crawled(&guided_campaign("estaleiro"), &ledger, 0, |_, _| ());
    let order = numbers(&paths);
    assert_eq!(order.len(), 20);
    let about = order.iter().take(6).filter(|number| *number % 5 == 4).count();
    assert!(about >= 3, "{order:?}");
    for (admission, _) in ledger.rows() {
        let path = admission.candidate.url.path();
        match admission.parts {
            None => assert!(admission.priority <= 1, "{path}"),
            Some(parts) if path.ends_with(".png") => assert!(parts.completes, "{path}"),
            Some(parts) => {
                let is_about = path[1..].parse().is_ok_and(|number: u32| number % 5 == 4);
                assert_eq!(parts.anchor, if is_about { 5000 } else { 0 }, "{path}");
                assert_eq!((parts.points(), admission.priority), (parts.anchor, parts.priority()), "{path}");
            }
        }
    }
    // What completes a page comes before other pages of no interest.
    let at = |path: &str| paths.iter().position(|of| of == path).unwrap();
    let dull = order.iter().rev().take(5).map(|number| at(&format!("/{number}"))).min().unwrap();
    assert!(at(&format!("/i/{}.png", order[0])) < dull, "{paths:?}");
    let events = ledger.events();
    assert!(!events.iter().any(|event| event.text.contains("round the hosts")), "{events:?}");
}

#[test]
fn without_terms_hosts_are_crawled_in_rotation_and_a_person_reads_so() {
    let ledger = Arc::new(MemoryLedger::default());
    let order = numbers(&crawled(&guided_campaign("lang:pt"), &ledger, 0, |_, _| ()));
    assert_eq!(order, (0..20).collect::<Vec<u32>>());
    assert!(ledger.events().iter().any(|event| event.text.contains("round the hosts")));
    assert!(ledger.rows().iter().all(|(admission, _)| admission.parts.is_none()));
}

#[test]
fn a_launch_that_goes_on_has_the_priorities_that_it_had() {
    let ledger = Arc::new(MemoryLedger::default());
    crawled(&guided_campaign("estaleiro"), &ledger, 4, |_, _| ());
    let parts = |ledger: &MemoryLedger| -> Vec<_> {
        let waiting = ledger.rows().into_iter().filter(|(_, fate)| matches!(fate, StoredFate::Waiting { .. }));
        waiting.map(|(admission, _)| (admission.candidate.url, admission.priority, admission.parts)).collect()
    };
    let before = parts(&ledger);
    assert!(before.len() > 10);
    // One more is fetched at most: what was found before and still waits has the place that it had.
    crawled(&guided_campaign("estaleiro"), &ledger, 5, |_, _| ());
    let after = parts(&ledger);
    let kept = after.iter().filter(|url| before.contains(url)).count();
    let known = after.iter().filter(|(url, ..)| before.iter().any(|(of, ..)| of == url)).count();
    assert!(kept == known && kept > 10, "{before:?} {after:?}");
    let more = numbers(&crawled(&guided_campaign("estaleiro"), &ledger, 0, |_, _| ()));
    assert!(
        more.len() >= 14 && ledger.rows().iter().all(|(_, fate)| matches!(fate, StoredFate::Finished(_))),
        "{more:?}"
    );
}

#[test]
fn what_waits_is_ordered_by_another_request_while_the_crawl_goes_on() {
    let ledger = Arc::new(MemoryLedger::default());
    let (first, second) = (guided_campaign("mercado"), guided_campaign("naval"));
    let replacement = super::journey::plan(&second, 2);
    let order = crawled(&first, &ledger, 0, move |path, current| {
        if path == "/2" {
            current.replace(replacement.clone()).unwrap();
            // Time for the queue to be ordered.
            std::thread::sleep(Duration::from_millis(400));
        }
    });
    let order = numbers(&order);
    let behind = &order[order.iter().position(|number| *number == 2).unwrap() + 1..];
    let left = behind.iter().filter(|number| *number % 5 == 4).count();
    let soon = behind.iter().take(left + 2).filter(|number| *number % 5 == 4).count();
    assert!(left > 0 && soon + 1 >= left, "{order:?}");
    assert_eq!(ledger.learned_order(&mut |_, _| ()).unwrap().version, Some(2));
}
