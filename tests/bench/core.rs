//! How fast the core is where it is asked for every link: keys and verdicts.
//! `cargo bench --no-default-features`

#![allow(clippy::unwrap_used)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fonds::campaign::{Campaign, Seed, SeedScope};
use fonds::scope::{
    AddressCountry, Candidate, DecideRules, Facts, GeoEvidence, GeoFact, rule_templates, standard_rules,
};
use fonds::uri::{CaptureDate, CdxKey, DatasetKey, PageKey, ScopeSurt, Url};

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

/// Twenty rules, of which one geolocation and one list of patterns, 1,000
/// seeds, facts at hand.
#[divan::bench]
fn decisions(bencher: Bencher<'_, '_>) {
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
    let campaign = Campaign { seeds: (0..1000).map(seed).collect(), rules, ..Campaign::new("bench") };
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
            addresses: vec![AddressCountry {
                address: [192, 0, 2, 1].into(),
                network: "192.0.2.0/24".to_owned(),
                country: Some("GB".to_owned()),
            }],
            database: "bench".to_owned(),
            database_build: CaptureDate::default(),
        }),
        ..Facts::default()
    };
    bencher.counter(ItemsCount::new(URLS)).bench(|| {
        candidates.iter().filter(|candidate| rules.decide(candidate, black_box(&facts)).rule_index.is_some()).count()
    });
}
