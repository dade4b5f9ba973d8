//! Orders of a crawl on a generated web, served on loopback and crawled by the real thing: the share
//! of all relevant pages among the first tenth of the requests, and what a URL costs.
//!
//! `cargo bench --bench guided`; by `FONDS_BENCH_PAGES` (50,000), `FONDS_BENCH_SEEDS` (5) and
//! `FONDS_BENCH_WORKERS` (1). With `FONDS_BENCH_WARC` the web is the pages of that file, five topics.

#![allow(clippy::unwrap_used)]

mod corpus;
#[path = "../../src/crawl/tests/generated_web.rs"]
mod generated_web;
mod measured;

use corpus::{Corpus, TOPICS};
use fonds::campaign::{Campaign, CrawlOrder, Limits, Politeness, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use fonds::exchange::HostOverride;
use fonds::jobs::JobCx;
use fonds::scope::standard_rules;
use fonds::serve::{Handler, HttpReply, HttpRequest, HttpServer, NamedHosts, ServerLimits};
use fonds::store::Workspace;
use fonds::uri::Url;
use fonds::work::{CrawlOptions, Session};
use generated_web::{FARM, GeneratedWeb, HOSTS, REQUEST};
use measured::{cpu_time, ms};
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The web as servers; it keeps which pages were requested.
struct Served {
    by_name: HashMap<(String, String), usize>,
    pages: Vec<String>,
    requested: Mutex<Vec<usize>>,
}

impl Served {
    fn new(web: &GeneratedWeb) -> Self {
        let url =
            |page: usize| format!("http://{}{}", GeneratedWeb::host_name(web.pages[page].host), web.pages[page].path);
        let html = |page: &generated_web::WebPage| {
            let links = page.links.iter().map(|(to, anchor)| format!("<li><a href=\"{}\">{anchor}</a></li>", url(*to)));
            let links: String = links.collect();
            format!(
                "<!doctype html><title>{}</title><ul>{links}</ul><article><p>{}</p></article>",
                page.path, page.text
            )
        };
        let name = |page: &generated_web::WebPage| (GeneratedWeb::host_name(page.host), page.path.clone());
        Self {
            by_name: web.pages.iter().enumerate().map(|(at, page)| (name(page), at)).collect(),
            pages: web.pages.iter().map(html).collect(),
            requested: Mutex::default(),
        }
    }
}

impl Handler for Served {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let host = request.header("host").unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default().to_owned();
        match self.by_name.get(&(host, request.target())) {
            Some(page) => {
                self.requested.lock().unwrap().push(*page);
                HttpReply::new(200, "text/html; charset=utf-8", self.pages[*page].clone())
            }
            None => HttpReply::plain(404, "no such page"),
        }
    }
}

fn campaign(request: &str, seeds: Vec<String>, order: CrawlOrder, most: u64, workers: usize) -> Campaign {
    let seed = |url| Seed { url, scope: SeedScope::Subdomains, depth: None, source_tag: String::new() };
    Campaign {
        name: order.name().to_owned(),
        request: request.parse().unwrap(),
        seeds: seeds.into_iter().map(seed).collect(),
        rules: standard_rules(),
        order,
        limits: Limits { max_documents: most, ..Limits::default() },
        politeness: Politeness {
            user_agent: "bench (+https://archive.example.org/bot)".to_owned(),
            delay_factor: 0.0,
            min_delay_ms: 0,
            robots: RobotsPolicy::Ignore,
            allow_private_addresses: PrivateAddresses::All,
            workers,
            ..Politeness::default()
        },
        ..Campaign::default()
    }
}

/// Crawls a campaign in a workspace of its own; gives wall time and processor time.
fn crawl(campaign: &Campaign, hosts: impl Iterator<Item = (String, u16, SocketAddr)>) -> (Duration, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&folder.path().join("w")).unwrap());
    session.set_overrides(hosts.map(|(host, port, addr)| HostOverride { host, port, addr }).collect());
    let id = session.catalogue().save_campaign(None, campaign).unwrap();
    let (began, cpu) = (Instant::now(), cpu_time());
    session.crawl_with(id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    (began.elapsed(), cpu_time() - cpu)
}

/// Crawls a quarter of the pages of an archive file that links lead to, in each order and for each topic.
fn crawl_corpus(file: &Path, workers: usize) {
    let corpus = Arc::new(Corpus::read(file));
    let pages = corpus.reachable.len();
    println!("{} pages, {pages} of them reachable from {} front pages", corpus.pages.len(), corpus.fronts.len());
    let mut server = HttpServer::new(Arc::clone(&corpus) as Arc<dyn Handler>, ServerLimits::default());
    let addr = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let url = |at: &u32| &corpus.pages[*at as usize].url;
    let host = |url: &Url| (url.host_str().unwrap().to_owned(), url.port_or_known_default().unwrap());
    let hosts: Vec<(String, u16)> = corpus.fronts.iter().map(url).map(host).collect();
    println!("{:<16}{:<16}{:>8}{:>8}{:>8}{:>11}", "topic", "order", "5 %", "10 %", "25 %", "CPU ms");
    for order in CrawlOrder::ALL {
        let mut sums = [0.0; 3];
        for (topic, (name, request, _)) in TOPICS.into_iter().enumerate() {
            corpus.requested.lock().unwrap().clear();
            let seeds = corpus.fronts.iter().map(url).map(Url::to_string).collect();
            let campaign = campaign(&request.join(" OR "), seeds, order, (pages / 4) as u64, workers);
            let (_, cpu) = crawl(&campaign, hosts.iter().map(|(host, port)| (host.clone(), *port, addr)));
            let requested = corpus.requested.lock().unwrap();
            let recalls = [20, 10, 4].map(|part| corpus.recall(topic, &requested[..requested.len().min(pages / part)]));
            let each = ms(cpu) / requested.len().max(1) as f64;
            let [a, b, c] = recalls;
            println!("{name:<16}{:<16}{a:>8.2}{b:>8.2}{c:>8.2}{each:>11.2}", order.name());
            sums.iter_mut().zip(recalls).for_each(|(sum, recall)| *sum += recall / TOPICS.len() as f64);
        }
        println!("{:<16}{:<16}{:>8.2}{:>8.2}{:>8.2}", "mean", order.name(), sums[0], sums[1], sums[2]);
    }
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let size = number("FONDS_BENCH_PAGES").unwrap_or(if measure { 50_000 } else { 600 });
    let seeds = number("FONDS_BENCH_SEEDS").unwrap_or(if measure { 5 } else { 1 });
    let workers = number("FONDS_BENCH_WORKERS").unwrap_or(1);
    if let Some(file) = std::env::var_os("FONDS_BENCH_WARC").filter(|_| measure) {
        return crawl_corpus(Path::new(&file), workers);
    }
    println!(
        "{:<6}{:<16}{:>9}{:>9}{:>11}{:>11}{:>8}",
        "seed", "order", "recall", "farm", "ms a URL", "CPU a URL", "against"
    );
    for seed in 1..=seeds as u64 {
        let web = GeneratedWeb::new(seed, size);
        let served = Arc::new(Served::new(&web));
        let hosts: Vec<(String, Ipv4Addr)> =
            (0..HOSTS).map(|host| (GeneratedWeb::host_name(host), Ipv4Addr::new(127, 0, 81, host as u8 + 1))).collect();
        let server = NamedHosts::start(&hosts, Arc::clone(&served) as Arc<dyn Handler>).unwrap();
        let most = web.pages.len() / 10;
        let mut guided = 0.0;
        for order in CrawlOrder::ALL {
            served.requested.lock().unwrap().clear();
            let seeds = (0..HOSTS).map(|host| format!("http://{}/", GeneratedWeb::host_name(host))).collect();
            let campaign = campaign(&REQUEST.join(" OR "), seeds, order, most as u64, workers);
            let (took, cpu) = crawl(&campaign, server.resolve().into_iter());
            let requested = served.requested.lock().unwrap();
            let first = &requested[..requested.len().min(most)];
            let relevant = first.iter().filter(|page| web.pages[**page].is_relevant).count();
            let farm = first.iter().filter(|page| web.pages[**page].host == FARM).count();
            let recall = relevant as f64 / web.relevant() as f64;
            let against =
                if order == CrawlOrder::Relevance { "".to_owned() } else { format!("{:.2}", guided / recall) };
            if order == CrawlOrder::Relevance {
                guided = recall;
            }
            let each = first.len().max(1) as f64;
            println!(
                "{seed:<6}{:<16}{recall:>9.3}{farm:>9}{:>11.3}{:>11.3}{against:>8}",
                order.name(),
                ms(took) / each,
                ms(cpu) / each
            );
        }
    }
}
