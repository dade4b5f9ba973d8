//! Orders of a crawl on webs that are served on loopback and crawled by the real thing: the share of all relevant pages
//! among the first requests, and what guidance costs.
//!
//! `cargo bench --bench guided`. By environment: `FONDS_BENCH_PARTS` (names of [`PARTS`], separated by commas),
//! `FONDS_BENCH_PAGES` (50,000), `FONDS_BENCH_SEEDS` (5), `FONDS_BENCH_WORKERS` (1), `FONDS_BENCH_ROUNDS` (3, of costs).
//! With `FONDS_BENCH_WARC` parts that have a web of an archive take the pages of that file, six topics.

#![allow(clippy::unwrap_used)]

mod corpus;
mod crawls;
// Tests take more of it.
#[allow(dead_code)]
#[path = "../../../src/crawl/tests/generated_web.rs"]
mod generated_web;
mod marks;
#[path = "../measured.rs"]
mod measured;
mod news;
#[path = "../random.rs"]
mod random;

use corpus::{Corpus, MEAN_OF, TOPICS};
use crawls::{LocalWeb, Served, campaign};
use fonds::campaign::CrawlOrder;
use generated_web::{FARM, GeneratedWeb, HOSTS, REQUEST, WebPage};
use marks::{MarksOutcome, marks};
use measured::ms;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Parts of the benchmark, each with what it shows.
const PARTS: [(&str, &str); 7] = [
    ("orders", "recall in each order: after a tenth of the generated web, after 5, 10 and 25 % of an archive"),
    ("common", "recall with a request of a word that a third of all pages have"),
    ("farm", "fetches of a farm of 10,000 links with the right texts"),
    ("news", "recall in each order on newspapers with archives by day and a story of weeks"),
    ("live", "relevant pages among the first 1,500 requests of eight workers (archive only)"),
    ("marks", "recall before and after what thirty marks of a trial suggest was accepted"),
    ("cost", "processor time of crawls of the same pages, guided and not"),
];
/// Requests of the part `live`.
const LIVE_REQUESTS: usize = 1_500;
/// Pages of the hosts of an archive that the part `cost` crawls, at most.
const COST_PAGES: usize = 4_000;

/// How much is measured.
struct Sizes {
    pages: usize,
    seeds: u64,
    workers: usize,
    rounds: usize,
    /// Links of the farm.
    farm: usize,
}

fn request(words: &[&str]) -> String {
    words.join(" OR ")
}

/// The share of relevant pages that are among these.
fn recall(pages: &[WebPage], fetched: &[usize]) -> f64 {
    let all = pages.iter().filter(|page| page.is_relevant).count();
    fetched.iter().filter(|page| pages[**page].is_relevant).count() as f64 / all.max(1) as f64
}

/// Crawls a tenth of a generated web in each order, and prints recall and costs.
fn compare_orders(seed: u64, words: &[&str], pages: &[WebPage], workers: usize) {
    let served = Served::new(pages);
    let (_server, web) = served.start(HOSTS);
    let mut guided = 0.0;
    for order in CrawlOrder::ALL {
        let crawled = web.crawl(&campaign(&request(words), &web.fronts, order, workers), Some(pages.len() / 10));
        let of_farm = crawled.pages.iter().filter(|page| pages[**page].host == FARM).count();
        let recall = recall(pages, &crawled.pages);
        let against = match order {
            CrawlOrder::Relevance => {
                guided = recall;
                String::new()
            }
            _ => format!("{:.2}", guided / recall),
        };
        let each = crawled.pages.len().max(1) as f64;
        println!(
            "{seed:<6}{:<16}{recall:>9.3}{against:>9}{of_farm:>8}{:>8}{:>11.3}{:>11.3}",
            order.name(),
            crawled.pages.len(),
            ms(crawled.took) / each,
            ms(crawled.cpu) / each
        );
    }
}

fn print_order_columns(of: &str) {
    println!("\n{of}");
    println!(
        "{:<6}{:<16}{:>9}{:>9}{:>8}{:>8}{:>11}{:>11}",
        "seed", "order", "recall", "against", "farm", "of", "ms a URL", "CPU a URL"
    );
}

/// Crawls a quarter of the pages of an archive that links lead to, in each order and for each topic.
fn compare_orders_of(corpus: &Corpus, web: &LocalWeb<'_>, workers: usize) {
    let pages = corpus.reachable.len();
    println!("\n{:<16}{:<16}{:>8}{:>8}{:>8}{:>9}{:>9}", "topic", "order", "5 %", "10 %", "25 %", "against", "CPU ms");
    let mut guided = [0.0; TOPICS.len()];
    for order in CrawlOrder::ALL {
        let mut sums = [0.0; 3];
        for (topic, (name, words, _)) in TOPICS.into_iter().enumerate() {
            let crawled = web.crawl(&campaign(&request(words), &web.fronts, order, workers), Some(pages / 4));
            let first = |part: usize| &crawled.pages[..crawled.pages.len().min(pages / part)];
            let [a, b, c] = [20, 10, 4].map(|part| corpus.recall(topic, first(part)));
            let against = match order {
                CrawlOrder::Relevance => {
                    guided[topic] = b;
                    String::new()
                }
                _ => format!("{:.2}", guided[topic] / b),
            };
            let each = ms(crawled.cpu) / crawled.pages.len().max(1) as f64;
            println!("{name:<16}{:<16}{a:>8.2}{b:>8.2}{c:>8.2}{against:>9}{each:>9.2}", order.name());
            if topic < MEAN_OF {
                sums.iter_mut().zip([a, b, c]).for_each(|(sum, recall)| *sum += recall / MEAN_OF as f64);
            }
        }
        println!("{:<16}{:<16}{:>8.2}{:>8.2}{:>8.2}", "mean", order.name(), sums[0], sums[1], sums[2]);
    }
}

/// Crawls a farm whose front page has 10,000 links with words of the request to pages that say nothing.
fn crawl_farm(sizes: &Sizes) {
    let web_pages = GeneratedWeb::new(1, sizes.farm * 10).pages;
    let served = Served::new(&web_pages);
    let (_server, web) = served.start(HOSTS);
    let most = web_pages.len() / 10;
    let crawled = web.crawl(&campaign(&request(&REQUEST), &web.fronts, CrawlOrder::Relevance, 1), Some(most));
    let of_farm = crawled.pages.iter().filter(|page| web_pages[**page].host == FARM).count();
    let percent = 100.0 * of_farm as f64 / most as f64;
    println!("\nfarm of {} links: {of_farm} of {most} fetches ({percent:.1} %)", sizes.farm);
}

/// Counts relevant pages among the first requests of eight workers.
fn crawl_live(corpus: &Corpus, web: &LocalWeb<'_>) {
    println!(
        "\n{:<16}{:>10}{:>14}{:>8}   relevant of {LIVE_REQUESTS}, 8 workers",
        "topic", "guided", "hosts in turn", "against"
    );
    let mut sums = [0; 2];
    for (topic, (name, words, _)) in TOPICS.into_iter().enumerate() {
        let [guided, unguided] = [CrawlOrder::Relevance, CrawlOrder::RoundRobin].map(|order| {
            let crawled = web.crawl(&campaign(&request(words), &web.fronts, order, 8), Some(LIVE_REQUESTS));
            corpus.relevant(topic, crawled.pages.iter())
        });
        println!("{name:<16}{guided:>10}{unguided:>14}{:>8.2}", guided as f64 / unguided.max(1) as f64);
        if topic < MEAN_OF {
            sums = [sums[0] + guided, sums[1] + unguided];
        }
    }
    println!("{:<16}{:>10}{:>14}{:>8.2}", "all", sums[0], sums[1], sums[0] as f64 / sums[1].max(1) as f64);
}

fn print_marks(name: &str, of: &MarksOutcome, recall: impl Fn(&[usize]) -> f64) {
    let [before, after] = [0, 1].map(|at| recall(&of.fetched[at]));
    let (marked, relevant) = of.marked;
    println!(
        "{name:<16}{relevant:>4} of {marked:<4}{before:>8.3}{after:>8.3}{:>+9.0} %   {}",
        100.0 * (after / before.max(f64::MIN_POSITIVE) - 1.0),
        of.accepted.join(", ")
    );
}

fn print_mark_columns() {
    println!("\n{:<16}{:>11}{:>8}{:>8}{:>11}   accepted", "topic", "relevant", "before", "after", "change");
}

/// Crawls the same pages, all of a web, guided and not, by turns; prints the least processor time of each.
fn compare_costs(name: &str, web: &LocalWeb<'_>, words: &[&str], rounds: usize) {
    let mut least = [Duration::MAX; 2];
    let mut pages: [HashSet<usize>; 2] = Default::default();
    for _ in 0..rounds {
        for (at, order) in [CrawlOrder::RoundRobin, CrawlOrder::Relevance].into_iter().enumerate() {
            let crawled = web.crawl(&campaign(&request(words), &web.fronts, order, 1), None);
            least[at] = least[at].min(crawled.cpu);
            pages[at] = crawled.pages.into_iter().collect();
        }
    }
    assert!(pages[0] == pages[1], "{name}: {} and {} pages", pages[0].len(), pages[1].len());
    let [unguided, guided] = least.map(|least| ms(least) / pages[0].len().max(1) as f64);
    let more = 100.0 * (guided / unguided - 1.0);
    println!("{name:<24}{:>7} pages, CPU ms a page {unguided:.3}, guided {guided:.3} ({more:+.1} %)", pages[0].len());
}

/// Hosts of an archive, the smallest ones first, that have so many pages together.
fn small_hosts(corpus: &Corpus, most: usize) -> HashSet<String> {
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for at in &corpus.reachable {
        *sizes.entry(corpus.pages[*at as usize].url.authority()).or_default() += 1;
    }
    let mut hosts: Vec<(usize, &str)> = sizes.into_iter().map(|(host, pages)| (pages, host)).collect();
    hosts.sort_unstable();
    let mut sum = 0;
    let small = hosts.into_iter().take_while(|(pages, _)| {
        sum += pages;
        sum <= most
    });
    small.map(|(_, host)| host.to_owned()).collect()
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let sizes = Sizes {
        pages: number("FONDS_BENCH_PAGES").unwrap_or(if measure { 50_000 } else { 600 }),
        seeds: number("FONDS_BENCH_SEEDS").unwrap_or(if measure { 5 } else { 1 }) as u64,
        workers: number("FONDS_BENCH_WORKERS").unwrap_or(1),
        rounds: number("FONDS_BENCH_ROUNDS").unwrap_or(if measure { 3 } else { 1 }),
        farm: if measure { 10_000 } else { 60 },
    };
    let parts = std::env::var("FONDS_BENCH_PARTS").ok();
    let parts: Option<HashSet<&str>> = parts.as_deref().map(|parts| parts.split(',').collect());
    if let Some(unknown) = parts.iter().flatten().find(|part| PARTS.iter().all(|(name, _)| name != *part)) {
        PARTS.iter().for_each(|(name, about)| eprintln!("{name:<8}{about}"));
        panic!("FONDS_BENCH_PARTS has {unknown}, which is no part");
    }
    let has = |part: &str| parts.as_ref().is_none_or(|parts| parts.contains(part));
    match std::env::var_os("FONDS_BENCH_WARC").filter(|_| measure) {
        Some(file) => measure_archive(Path::new(&file), &sizes, has),
        None => measure_generated(&sizes, has),
    }
}

fn measure_archive(file: &Path, sizes: &Sizes, has: impl Fn(&str) -> bool) {
    let corpus = Arc::new(Corpus::read(file));
    let (pages, reachable) = (corpus.pages.len(), corpus.reachable.len());
    println!("{pages} pages, {reachable} of them reachable from {} front pages", corpus.fronts.len());
    let (_server, web) = corpus.start();
    if has("live") {
        crawl_live(&corpus, &web);
    }
    if has("cost") {
        let hosts = small_hosts(&corpus, COST_PAGES);
        let fronts = corpus.fronts.iter().map(|at| &corpus.pages[*at as usize].url);
        let fronts = fronts.filter(|url| hosts.contains(url.authority())).map(ToString::to_string).collect();
        corpus.serve_only(Some(hosts));
        let small = LocalWeb { requests: web.requests, hosts: web.hosts.clone(), fronts };
        for (name, words, _) in TOPICS.into_iter().take(2) {
            compare_costs(name, &small, words, sizes.rounds);
        }
        corpus.serve_only(None);
    }
    if has("orders") {
        compare_orders_of(&corpus, &web, sizes.workers);
    }
    if has("marks") {
        print_mark_columns();
        for (topic, (name, words, _)) in TOPICS.into_iter().enumerate() {
            let is_relevant = |url: &str| corpus.is_relevant(topic, url);
            let of = marks(&web, &request(words), reachable / 10, &is_relevant);
            print_marks(name, &of, |fetched| corpus.recall(topic, fetched));
        }
    }
}

fn measure_generated(sizes: &Sizes, has: impl Fn(&str) -> bool) {
    if has("orders") {
        print_order_columns("generated web");
        for seed in 1..=sizes.seeds {
            compare_orders(seed, &REQUEST, &GeneratedWeb::new(seed, sizes.pages).pages, sizes.workers);
        }
    }
    if has("common") {
        print_order_columns("a request with a word of a third of all pages");
        for words in [&REQUEST[5..], ["porto", "casco"].as_slice()] {
            println!("{}", request(words));
            for seed in 1..=sizes.seeds {
                compare_orders(seed, words, &GeneratedWeb::new(seed, sizes.pages / 5).pages, sizes.workers);
            }
        }
    }
    if has("farm") {
        crawl_farm(sizes);
    }
    if has("news") {
        print_order_columns("newspapers");
        for seed in 1..=sizes.seeds {
            compare_orders(seed, &news::REQUEST, &news::newspapers(seed, sizes.pages), sizes.workers);
        }
    }
    if has("marks") {
        print_mark_columns();
        for seed in 1..=sizes.seeds {
            let pages = GeneratedWeb::new(seed, sizes.pages / 5).pages;
            let served = Served::new(&pages);
            let (_server, web) = served.start(HOSTS);
            let is_relevant = |url: &str| served.page(url).is_some_and(|page| pages[page].is_relevant);
            let of = marks(&web, &request(&REQUEST[..2]), pages.len() / 10, &is_relevant);
            print_marks(&format!("seed {seed}"), &of, |fetched| recall(&pages, fetched));
        }
    }
    if has("cost") {
        println!();
        let pages = GeneratedWeb::new(1, sizes.pages / 10).pages;
        let served = Served::new(&pages);
        let (_server, web) = served.start(HOSTS);
        compare_costs("generated web", &web, &REQUEST, sizes.rounds);
    }
}
