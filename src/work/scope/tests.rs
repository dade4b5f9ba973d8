//! What-if, hits, geo report and drift agree with decisions made one by one.

mod again;
mod launches;
mod reading;

use super::*;
use crate::campaign::{Seed, SeedScope};
use crate::captures::{CaptureEntry, CaptureNotes, RecordPlace};
use crate::crawl::{Admission, AdmissionState, Finished, Ledger, RobotsAnswer};
use crate::jobs::JobCx;
use crate::scope::{
    AddressCountry, AnswerSource, Candidate, Decision, Facts, GeoEvidence, GeoFact, Verdict, standard_rules,
};
use crate::store::{LaunchLedger, Workspace};
use crate::uri::Url;
use crate::warc::{RecordType, Span};
use crate::work::models::{CampaignId, DriftList, GeoList, LaunchId, MovedRow, MovedSide, WhatIf, WhatIfList};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct ScopeFixture {
    dir: tempfile::TempDir,
    session: Session,
    campaign: CampaignId,
    spec: Campaign,
}

fn seed(url: &str, scope: SeedScope) -> Seed {
    Seed { url: url.to_owned(), scope, depth: None, source_tag: String::new() }
}

fn made(rules: Vec<Value>) -> ScopeFixture {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
    let seeds = vec![seed("http://a.pt/", SeedScope::Root), seed("http://c.example/start", SeedScope::Plus1)];
    let spec = Campaign { seeds, rules, ..Campaign::new("Town") };
    let campaign = session.catalogue().save_campaign(None, &spec).unwrap();
    ScopeFixture { dir, session, campaign, spec }
}

fn evidence(address: &str, country: Option<&str>, build: i64) -> GeoEvidence {
    GeoEvidence {
        date: CaptureDate::from_seconds(1_700_000_000),
        addresses: vec![AddressCountry::new(address.parse().unwrap(), "192.0.2.0/24", country.map(str::to_owned))],
        database: "Test-Country".to_owned(),
        database_build: CaptureDate::from_seconds(build),
        source: AnswerSource::Resolver,
    }
}

/// A URL as a crawl would have found it.
#[derive(Debug, Clone)]
struct FoundUrl {
    url: String,
    hops: String,
    seed: Option<&'static str>,
    fetched: Option<u64>,
    via: Option<&'static str>,
    nofollow: bool,
}

impl ScopeFixture {
    /// A launch that saw these URLs; verdicts are those of the rules.
    fn launch(&self, found: &[FoundUrl]) -> LaunchId {
        let catalogue = self.session.workspace.catalogue();
        let launch = catalogue.begin_launch(self.campaign, "town", CaptureDate::now()).unwrap().id;
        let ledger = LaunchLedger::new(Arc::clone(catalogue), launch);
        let rules = DecideRules::compile(&self.spec).unwrap();
        let known = ledger.geo_facts().unwrap();
        for one in found {
            let url = Url::parse(&one.url).unwrap();
            let candidate = Candidate {
                hops: one.hops.clone(),
                is_seed: one.hops.is_empty(),
                seed: one.seed.map(str::to_owned),
                via: one.via.map(|via| Url::parse(via).unwrap()),
                nofollow: one.nofollow,
                source_tag: one.seed.and_then(|seed| tag_of(&self.spec, seed)).unwrap_or_default(),
                ..Candidate::bare(url.clone())
            };
            let geo = known.get(url.host_str().unwrap()).cloned().unwrap_or_default();
            let verdict = rules.decide(&candidate, &Facts { geo, ..Facts::default() });
            let state = match verdict.decision {
                Decision::Accept => AdmissionState::Queued,
                Decision::Reject => AdmissionState::Refused,
            };
            ledger.admit(vec![admission(&candidate, verdict, state)]).unwrap();
            let queued = ledger.find_waiting(&url).unwrap();
            if let (Some(queued), Some(bytes)) = (queued, one.fetched) {
                let capture = capture(&url, bytes);
                let finished = Finished {
                    id: queued.id,
                    fetch_status: 200,
                    why: None,
                    refused: None,
                    capture: Some(capture),
                    found: Vec::new(),
                    reading: None,
                };
                ledger.finish(finished).unwrap();
            }
        }
        launch
    }

    fn ledger(&self, launch: LaunchId) -> LaunchLedger {
        LaunchLedger::new(Arc::clone(self.session.workspace.catalogue()), launch)
    }

    fn what_if(&self, edited: &Campaign) -> WhatIf {
        what_if(&self.session, self.campaign, None, edited, &JobCx::detached()).unwrap()
    }

    fn rows(&self, edited: &Campaign, answer: &WhatIf, list: WhatIfList, range: std::ops::Range<u64>) -> Vec<MovedRow> {
        self.session.what_if_rows(self.campaign, edited, answer, list, range).unwrap()
    }

    /// The URLs of a list, sorted; their number is that of the list.
    fn urls(&self, edited: &Campaign, answer: &WhatIf, list: WhatIfList) -> Vec<String> {
        // Two at a time, so that pages are put together right.
        let mut urls = Vec::new();
        for offset in (0..answer.count(list)).step_by(2) {
            let rows = self.rows(edited, answer, list, offset..offset + 2);
            assert!(rows.iter().all(|row| row.as_counted), "{list:?}: {rows:?}");
            urls.extend(rows.into_iter().map(|row| row.url));
        }
        assert_eq!(urls.len() as u64, answer.count(list), "{list:?}");
        urls.sort();
        urls
    }

    fn listed(&self, edited: &Campaign, answer: &WhatIf, side: MovedSide) -> Vec<String> {
        self.urls(edited, answer, WhatIfList::Side(side))
    }
}

/// The word of a seed, by its text.
fn tag_of(spec: &Campaign, seed: &str) -> Option<String> {
    spec.seeds.iter().find(|other| other.url == seed).map(|seed| seed.source_tag.clone())
}

fn admission(candidate: &Candidate, verdict: Verdict, state: AdmissionState) -> Admission {
    Admission {
        candidate: Candidate { anchor: String::new(), ..candidate.clone() },
        verdict,
        state,
        priority: 1,
        parts: None,
        date: CaptureDate::from_seconds(1_700_000_000),
    }
}

fn capture(url: &Url, bytes: u64) -> CaptureEntry {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let offset = NEXT.fetch_add(10, Ordering::Relaxed);
    CaptureEntry {
        notes: CaptureNotes { status: 200, mime: "text/html".to_owned(), ..CaptureNotes::default() },
        payload_len: bytes,
        payload_digest: format!("sha1:{url}"),
        records: vec![RecordPlace {
            record_type: RecordType::Response,
            record_id: format!("urn:uuid:{offset}"),
            file: "output/warcs/town/1/a.warc.gz".to_owned(),
            span: Span { offset, length: 10 },
        }],
        ..CaptureEntry::bare(url.clone(), CaptureDate::from_seconds(1_700_000_001))
    }
}

fn found(url: &str, hops: &str) -> FoundUrl {
    FoundUrl {
        url: url.to_owned(),
        hops: hops.to_owned(),
        seed: Some("http://a.pt/"),
        fetched: Some(100),
        via: None,
        nofollow: false,
    }
}

#[test]
fn rules_that_were_not_changed_change_nothing() {
    let made = made(standard_rules());
    made.launch(&[
        found("http://a.pt/", ""),
        found("http://a.pt/x", "L"),
        found("http://b.pt/", "L"),
        found("http://cdn.example/a.css", "LE"),
    ]);
    let answer = made.what_if(&made.spec);
    assert_eq!((answer.seen, answer.stay_in, answer.stay_out), (4, 3, 1));
    assert_eq!((answer.moved_in.urls, answer.moved_out.urls, answer.other_rule), (0, 0, 0));
}

#[test]
fn what_changes_side_is_counted_and_listed() {
    let made = made(standard_rules());
    let first = made.launch(&[found("http://a.pt/old", "L"), found("http://b.pt/", "L")]);
    let ledger = made.ledger(first);
    ledger
        .keep_robots(
            "http://a.pt",
            &RobotsAnswer {
                status: 200,
                body: b"User-agent: *\nDisallow: /secret".to_vec(),
                date: CaptureDate::from_seconds(1),
            },
        )
        .unwrap();
    ledger.keep_geo_facts(&[("b.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
    made.launch(&[
        found("http://a.pt/", ""),
        FoundUrl { fetched: Some(1_000), ..found("http://a.pt/x/y", "LL") },
        found("http://b.pt/", "L"),
        found("http://b.pt/2", "L"),
        found("http://unknown.pt/", "L"),
    ]);
    let mut edited = made.spec.clone();
    edited.rules[2] = json!({"rule": "geolocation", "countries": ["PT"]});
    edited.rules[3] = json!({"rule": "too_many_hops", "max_hops": 1});
    let answer = made.what_if(&edited);
    assert_eq!((answer.launches.len(), answer.seen), (2, 6));
    let side = |side: MovedSide| made.listed(&edited, &answer, side);
    assert_eq!(side(MovedSide::In), ["http://b.pt/", "http://b.pt/2"]);
    assert_eq!(side(MovedSide::Out), ["http://a.pt/x/y"]);
    let (into, out) = (&answer.moved_in, &answer.moved_out);
    assert_eq!(answer.moved_hosts, 2);
    assert_eq!((into.urls, into.hosts, into.captured), (2, 1, 0));
    assert_eq!((out.urls, out.hosts, out.captured, out.bytes), (1, 1, 1, 1_000));
    // Nobody has looked up the country of unknown.pt.
    assert_eq!((answer.unknown.urls, answer.unknown.hosts), (1, 1));
    assert_eq!(side(MovedSide::Unknown), ["http://unknown.pt/"]);
    assert_eq!((answer.by_rule[2].moved_in, answer.by_rule[3].moved_out), (2, 1));
    // Every number has its rows.
    let urls = |list| made.urls(&edited, &answer, list);
    assert_eq!(urls(WhatIfList::Both).len(), 3);
    assert_eq!(urls(WhatIfList::Captured), ["http://a.pt/x/y"]);
    assert_eq!(urls(WhatIfList::ByRule(2)), ["http://b.pt/", "http://b.pt/2"]);
    assert_eq!(urls(WhatIfList::ByRule(3)), ["http://a.pt/x/y"]);
    assert_eq!(urls(WhatIfList::ByRule(0)), [""; 0]);
    let hosts = made.session.what_if_hosts(&answer).unwrap();
    let by_host: Vec<_> =
        hosts.iter().map(|host| (host.host.as_str(), host.moved_in, host.moved_out, host.bytes)).collect();
    assert_eq!(by_host, [("b.pt", 2, 0, 0), ("a.pt", 0, 1, 1_000)]);
    assert_eq!(urls(WhatIfList::Host(hosts[0].id)), ["http://b.pt/", "http://b.pt/2"]);
    let rows = made.rows(&edited, &answer, WhatIfList::Side(MovedSide::Out), 0..9);
    let rules = (rows[0].before.rule_name.as_str(), rows[0].after.rule_name.as_str(), rows[0].bytes);
    assert_eq!(rules, ("SeedScopeDecideRule", "TooManyHopsDecideRule", Some(1_000)));
    // One launch alone; and a seed that is no seed any more.
    let one = what_if(&made.session, made.campaign, Some(first), &edited, &JobCx::detached()).unwrap();
    assert_eq!((one.seen, one.moved_in.urls), (2, 1));
    let none = Campaign { seeds: vec![seed("http://c.example/start", SeedScope::Plus1)], ..made.spec.clone() };
    let answer = made.what_if(&none);
    assert_eq!(made.listed(&none, &answer, MovedSide::Out), ["http://a.pt/", "http://a.pt/old", "http://a.pt/x/y"]);
    assert!(what_if(&made.session, made.campaign, Some(LaunchId::new(99)), &edited, &JobCx::detached()).is_err());
    let stopped = JobCx::detached();
    stopped.cancel();
    assert!(what_if(&made.session, made.campaign, None, &edited, &stopped).is_err());
}

#[test]
fn the_geolocation_database_of_a_workspace_is_identified() {
    let made = made(standard_rules());
    let session = &made.session;
    assert_eq!(session.geo_choice().unwrap(), None);
    let file = made.dir.path().join("country.mmdb");
    let why = format!("{:#}", session.set_geo_database(Some(&file)).unwrap_err());
    assert!(why.contains("country.mmdb"), "{why}");
    std::fs::write(&file, "no database").unwrap();
    let why = format!("{:#}", session.set_geo_database(Some(&file)).unwrap_err());
    assert!(why.contains("is not a sound MaxMind database"), "{why}");
    assert_eq!(session.geo_choice().unwrap(), None);
    std::fs::write(&file, crate::work::sample::geo_database()).unwrap();
    session.set_geo_database(Some(&file)).unwrap();
    let choice = session.geo_choice().unwrap().unwrap();
    let info = choice.database.unwrap();
    assert_eq!(
        (info.database_type.as_str(), info.knows_ipv6, info.len_bytes > 0),
        ("Fonds-Sample-Country", false, true)
    );
    assert!(info.remark.unwrap().contains("bring a newer one"));
    // It is not read again while its length and its time are the same.
    let modified = std::fs::metadata(&file).unwrap().modified().unwrap();
    let touch = |time| std::fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
    std::fs::write(&file, vec![0; usize::try_from(info.len_bytes).unwrap()]).unwrap();
    touch(modified);
    assert!(session.geo_choice().unwrap().unwrap().database.is_ok());
    touch(modified + std::time::Duration::from_secs(1));
    assert!(session.geo_choice().unwrap().unwrap().database.is_err());
    // It broke, or went away, since it was chosen.
    std::fs::write(&file, "no database").unwrap();
    assert!(session.geo_choice().unwrap().unwrap().database.unwrap_err().contains("is not a sound"));
    std::fs::remove_file(&file).unwrap();
    assert!(session.geo_choice().unwrap().unwrap().database.unwrap_err().contains("cannot read"));
    session.set_geo_database(None).unwrap();
    assert_eq!(session.geo_choice().unwrap(), None);
}

#[test]
fn the_tester_offers_the_change_that_reverses_a_verdict() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", "")]);
    let far = "http://elsewhere.example/x".to_owned();
    let mut spec = made.spec.clone();
    for expected in [Decision::Reject, Decision::Accept, Decision::Reject] {
        let tested = crate::work::scope_test(&made.session, Some(made.campaign), &spec, std::slice::from_ref(&far))
            .unwrap()
            .remove(0)
            .unwrap();
        assert_eq!(tested.trace.verdict.decision, expected, "{:?}", spec.rules);
        spec = tested.remedy.unwrap().apply(&spec);
    }
    // A look-up is offered as the change, but is no edit.
    let mut rules = standard_rules();
    rules[1] = json!({"rule": "geolocation", "countries": ["PT"]});
    let spec = Campaign { rules, ..made.spec.clone() };
    let tested = crate::work::scope_test(&made.session, Some(made.campaign), &spec, &[far]).unwrap().remove(0).unwrap();
    assert!(tested.trace.remedy.unwrap().starts_with("Look up the country of its server") && tested.remedy.is_none());
}

#[test]
fn robots_answers_of_the_launch_decide_too() {
    let made = made(standard_rules());
    let launch = made.launch(&[
        found("http://a.pt/", ""),
        found("http://a.pt/secret", "L"),
        found("http://a.pt/robots.txt", "LP"),
    ]);
    let answer =
        RobotsAnswer { status: 200, body: b"User-agent: *\nDisallow: /".to_vec(), date: CaptureDate::from_seconds(1) };
    made.ledger(launch).keep_robots("http://a.pt", &answer).unwrap();
    let mut edited = made.spec.clone();
    edited.politeness.robots = crate::campaign::RobotsPolicy::Ignore;
    let answer = made.what_if(&edited);
    assert_eq!(made.listed(&edited, &answer, MovedSide::In), ["http://a.pt/", "http://a.pt/secret"]);
    // Without a rule about it robots.txt is obeyed all the same.
    let without = Campaign { rules: made.spec.rules[..10].to_vec(), ..made.spec.clone() };
    let answer = made.what_if(&without);
    assert_eq!((answer.moved_in.urls, answer.other_rule), (0, 2));
}

#[test]
fn edited_lists_are_read_in_three_shapes() {
    let base = Campaign { rules: standard_rules(), ..Campaign::new("Town") };
    let list = r#"[{"rule": "accept_all"}]"#;
    for text in [list.to_owned(), format!("\u{feff}{{\"rules\": {list}}}")] {
        let edited = edited_campaign(&base, &text).unwrap();
        assert_eq!((edited.rules.len(), edited.name.as_str()), (1, "Town"));
    }
    let whole = edited_campaign(&base, &format!("{{\"name\": \"Other\", \"rules\": {list}}}")).unwrap();
    assert_eq!((whole.rules.len(), whole.name.as_str()), (1, "Other"));
    for bad in ["", "{", "3", r#"{"rules": 3}"#] {
        assert!(edited_campaign(&base, bad).is_err(), "{bad}");
    }
}

#[test]
fn every_rule_is_counted_with_an_example() {
    let made = made(standard_rules());
    let far = "L".repeat(21);
    made.launch(&[found("http://a.pt/", ""), found("http://a.pt/far", &far), found("http://b.pt/", "L")]);
    let hits = rule_hits(&made.session, made.campaign, None, &JobCx::detached()).unwrap().rules;
    let of = |index: usize| (hits[index].spoke, hits[index].decided, hits[index].example.as_deref());
    assert_eq!(of(0), (3, 1, Some("http://b.pt/")));
    assert_eq!(of(1), (2, 1, Some("http://a.pt/")));
    assert_eq!(of(3), (1, 1, Some("http://a.pt/far")));
    assert_eq!(of(5), (0, 0, None));
    assert!(hits.iter().all(|hits| hits.ids.urls() == hits.decided));
    for hits in &hits {
        let matches =
            crate::work::urls_matched_by_rule(&made.session, made.campaign, None, hits.index, &JobCx::detached())
                .unwrap();
        assert_eq!(matches.ids.urls(), hits.spoke, "rule {}", hits.index);
        assert_eq!((&matches.name, &matches.words), (&hits.name, &hits.words));
        assert!(hits.ids.first().iter().all(|id| matches.ids.first().contains(id)), "rule {}", hits.index);
    }
    let rows = made.session.seen_rows(hits[3].ids.first()).unwrap();
    assert_eq!(rows.iter().map(|row| row.url.as_str()).collect::<Vec<_>>(), ["http://a.pt/far"]);
}

#[test]
fn rules_decide_with_what_a_crawl_gives_them() {
    let by_type = json!({"rule": "content_type", "types": ["text/html"], "decision": "ACCEPT"});
    let made = made(vec![by_type.clone(), json!({"rule": "accept_all"})]);
    made.launch(&[found("http://a.pt/", ""), FoundUrl { fetched: None, ..found("http://a.pt/x", "L") }]);
    let hits = rule_hits(&made.session, made.campaign, None, &JobCx::detached()).unwrap().rules;
    let of = |index: usize| (hits[index].spoke, hits[index].decided);
    assert_eq!((of(0), of(1)), ((1, 0), (2, 2)), "what was fetched decides nothing that was taken before");
    let matches =
        |rule| urls_matched_by_rule(&made.session, made.campaign, None, rule, &JobCx::detached()).unwrap().ids.urls();
    assert_eq!((matches(0), matches(1)), (1, 2));
    // No type would have let in what was never fetched.
    let geo = json!({"rule": "geolocation", "countries": ["PT"]});
    let spec = Campaign { rules: vec![json!({"rule": "reject_all"}), geo, by_type], ..made.spec.clone() };
    made.session.catalogue().save_campaign(Some(made.campaign), &spec).unwrap();
    let made = ScopeFixture { spec, ..made };
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_facts(&[("a.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
    made.launch(&[found("http://a.pt/", "")]);
    let report = geo_report(&made.session, made.campaign, None, &JobCx::detached()).unwrap();
    assert_eq!((report.decided, report.otherwise, report.hosts.len()), (1, 0, 1));
}

#[test]
fn hosts_let_in_by_their_country_have_their_evidence() {
    let mut rules = standard_rules();
    rules[2] = json!({"rule": "geolocation", "countries": ["PT"]});
    let made = made(rules);
    let ledger = made.ledger(made.launch(&[]));
    let known = |host: &str, country: &str| {
        ledger.keep_geo_facts(&[(host.to_owned(), GeoFact::Known(evidence("192.0.2.1", Some(country), 1)))]).unwrap();
    };
    known("a.pt", "PT");
    known("here.example", "PT");
    known("there.example", "GB");
    made.launch(&[
        found("http://a.pt/", "L"),
        FoundUrl { fetched: Some(70), ..found("http://here.example/2", "LL") },
        FoundUrl { fetched: Some(30), ..found("http://here.example/1", "L") },
        found("http://there.example/", "L"),
        found("http://here.example/a.css", "LE"),
    ]);
    let report = geo_report(&made.session, made.campaign, None, &JobCx::detached()).unwrap();
    assert_eq!((report.decided, report.otherwise, report.hosts.len()), (3, 1, 1));
    let host = &report.hosts[0];
    assert_eq!((host.host.as_str(), host.urls, host.captures, host.bytes), ("here.example", 2, 3, 200));
    assert_eq!(host.first_url, "http://here.example/2");
    assert!(
        matches!(&host.evidence, GeoFact::Known(evidence) if evidence.addresses[0].country.as_deref() == Some("PT"))
    );
    assert!(host.also.is_empty());
    let urls = |list: GeoList| {
        let ids: Vec<_> = report.ids(&list).collect();
        let rows = made.session.seen_rows(&ids).unwrap();
        rows.into_iter().map(|row| row.url).collect::<Vec<_>>()
    };
    assert_eq!(urls(GeoList::Host("here.example".to_owned())), ["http://here.example/2", "http://here.example/1"]);
    assert_eq!(urls(GeoList::Otherwise).len(), 1);
    assert_eq!(urls(GeoList::Decided).len(), 3);
}

#[test]
fn another_database_moves_hosts() {
    use mmdb_writer::{Value, Writer};
    let mut rules = standard_rules();
    rules[2] = json!({"rule": "geolocation", "countries": ["PT"]});
    let made = made(rules);
    let ledger = made.ledger(made.launch(&[]));
    let known = |host: &str, address: &str, country: &str| {
        ledger.keep_geo_facts(&[(host.to_owned(), GeoFact::Known(evidence(address, Some(country), 1)))]).unwrap();
    };
    known("gone.example", "192.0.2.1", "PT");
    known("come.example", "198.51.100.1", "GB");
    known("same.example", "203.0.113.1", "PT");
    known("a.pt", "192.0.2.2", "PT");
    ledger.keep_geo_facts(&[("lost.example".to_owned(), GeoFact::Failed { why: "no such host".to_owned() })]).unwrap();
    made.launch(
        &[
            "http://gone.example/",
            "http://gone.example/2",
            "http://come.example/",
            "http://same.example/",
            "http://a.pt/",
        ]
        .map(|url| found(url, "L")),
    );
    let file = made.dir.path().join("newer.mmdb");
    let mut writer = Writer::new("Newer-Country");
    for (network, country) in [("192.0.2.0/24", "FR"), ("198.51.100.0/24", "PT"), ("203.0.113.0/24", "PT")] {
        let network: ipnet::IpNet = network.parse().unwrap();
        writer.insert_value(network, Value::map([("country_code", country)])).unwrap();
    }
    std::fs::write(&file, writer.to_bytes().unwrap()).unwrap();
    let newer = GeoDatabase::open(&file).unwrap();
    let drift = geo_drift(&made.session, made.campaign, None, &newer, &JobCx::detached()).unwrap();
    let hosts: Vec<(&str, u64, u64)> =
        drift.hosts.iter().map(|host| (host.host.as_str(), host.moved_in, host.moved_out)).collect();
    assert_eq!(hosts, [("come.example", 1, 0), ("gone.example", 0, 2)]);
    assert_eq!((drift.known, drift.moved, drift.failed), (4, 3, 1));
    let country = |evidence: &GeoEvidence| evidence.addresses[0].country.clone();
    let gone = &drift.hosts[1];
    assert_eq!((country(&gone.old).as_deref(), country(&gone.new).as_deref()), (Some("PT"), Some("FR")));
    assert_eq!(gone.new.database, "Newer-Country");
    let rows =
        made.session.seen_rows(drift.ids(&GeoList::DriftOut("gone.example".to_owned())).unwrap().first()).unwrap();
    let urls: Vec<&str> = rows.iter().map(|row| row.url.as_str()).collect();
    assert_eq!(urls, ["http://gone.example/", "http://gone.example/2"]);
    assert_eq!(drift.ids(&GeoList::DriftIn("gone.example".to_owned())).unwrap().urls(), 0);
    // What moved and changes nothing, and what cannot be compared, is named too.
    assert_eq!(drift.quiet.iter().map(|host| host.host.as_str()).collect::<Vec<_>>(), ["a.pt"]);
    let known: Vec<&str> = drift.known_hosts.iter().map(|(host, _)| host.as_str()).collect();
    assert_eq!(known, ["a.pt", "come.example", "gone.example", "same.example"]);
    let moved = |list| drift.moved_hosts(list).into_iter().map(|host| host.host.as_str()).collect::<Vec<_>>();
    assert_eq!(moved(DriftList::ChangeSide), ["come.example", "gone.example"]);
    assert_eq!(moved(DriftList::Quiet), ["a.pt"]);
    assert_eq!(moved(DriftList::Moved).len(), 3);
    assert_eq!(drift.failures, [("lost.example".to_owned(), "no such host".to_owned())]);
}

#[test]
fn what_a_fetch_decides_is_judged_as_a_crawl_would() {
    let made = made(standard_rules());
    let launch = made.launch(&[
        found("http://a.pt/", ""),
        found("http://a.pt/twice", "L"),
        FoundUrl { fetched: None, ..found("http://a.pt/never", "L") },
        found("http://b.pt/", "L"),
    ]);
    let answer = RobotsAnswer {
        status: 200,
        body: b"User-agent: other\nDisallow: /twice".to_vec(),
        date: CaptureDate::from_seconds(1),
    };
    made.ledger(launch).keep_robots("http://a.pt", &answer).unwrap();
    // Captures of one instant: the one that came in last counts. What an
    // import knows of b.pt, which the rules refuse, no crawl would ever see.
    let catalogue = made.session.workspace.catalogue();
    for (url, bytes) in [("http://a.pt/twice", 9_000), ("http://a.pt/twice", 7), ("http://b.pt/", 9_000)] {
        catalogue.add_captures(launch, vec![capture(&Url::parse(url).unwrap(), bytes)]).unwrap();
    }
    let with = |rule: Value| {
        let mut edited = made.spec.clone();
        edited.rules.push(rule);
        edited
    };
    // Types are let in, sizes refused.
    let types = with(json!({"rule": "content_type", "types": ["text/html"], "decision": "ACCEPT"}));
    let answer = made.what_if(&types);
    assert_eq!((answer.moved_in.urls, answer.moved_out.urls), (0, 0));
    let sizes = with(json!({"rule": "content_size", "min_bytes": 8}));
    let answer = made.what_if(&sizes);
    assert_eq!(made.listed(&sizes, &answer, MovedSide::Out), ["http://a.pt/twice"]);
    assert_eq!(answer.moved_out.bytes, 7);
    assert_eq!(answer.unfetched, 1, "only a fetch tells how large /never is");
    assert_eq!(made.urls(&sizes, &answer, WhatIfList::Unfetched), ["http://a.pt/never"]);
    // robots.txt has rules for another user agent.
    let mut other = made.spec.clone();
    other.politeness.user_agent = "other/2.0".to_owned();
    let answer = made.what_if(&other);
    assert_eq!(made.listed(&other, &answer, MovedSide::Out), ["http://a.pt/twice"]);
    // What comes in anew has no robots.txt yet.
    let all = Campaign { rules: vec![json!({"rule": "accept_all"})], ..made.spec.clone() };
    let answer = made.what_if(&all);
    assert_eq!((answer.moved_in.urls, answer.unfetched), (1, 1));
}

#[test]
fn a_rule_that_refuses_countries_leaves_open_what_was_never_resolved() {
    let made = made(standard_rules());
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_facts(&[("lost.pt".to_owned(), GeoFact::Failed { why: "no such host".to_owned() })]).unwrap();
    made.launch(&[found("http://a.pt/", ""), found("http://a.pt/x", "L"), found("http://lost.pt/", "L")]);
    let mut edited = made.spec.clone();
    edited.rules.push(json!({"rule": "geolocation", "countries": ["GB"], "decision": "REJECT"}));
    let answer = made.what_if(&edited);
    assert_eq!(made.listed(&edited, &answer, MovedSide::Unknown), ["http://a.pt/", "http://a.pt/x"]);
    assert_eq!((answer.moved_in.urls, answer.moved_out.urls, answer.stay_in, answer.stay_out), (0, 0, 2, 1));
    // What hung on a country before and hangs on it alike changes nothing.
    made.session.catalogue().save_campaign(Some(made.campaign), &edited).unwrap();
    made.launch(&[found("http://a.pt/", ""), found("http://a.pt/x", "L"), found("http://lost.pt/", "L")]);
    let mut renamed = edited.clone();
    renamed.rules.push(json!({"rule": "too_many_hops", "max_hops": 9}));
    assert_eq!(made.what_if(&renamed).unknown.urls, 0);
    // Another country is another question, for failed look-ups too.
    let mut other = edited.clone();
    other.rules.push(json!({"rule": "geolocation", "countries": ["FR"]}));
    assert_eq!(
        made.listed(&other, &made.what_if(&other), MovedSide::Unknown),
        ["http://lost.pt/"],
        "what is taken already cannot come in"
    );
}

#[test]
fn no_host_is_resolved_for_what_a_fetch_has_found() {
    let rules = [
        json!({"rule": "accept_all"}),
        json!({"rule": "content_size", "max_bytes": 500}),
        json!({"rule": "geolocation", "countries": ["PT"]}),
    ];
    let made = made(rules.to_vec());
    made.launch(&[found("http://a.pt/", ""), FoundUrl { fetched: Some(1_000), ..found("http://c.pt/", "L") }]);
    // The crawl took it without a look-up and refused it for its size.
    let none = Campaign { rules: Vec::new(), ..made.spec.clone() };
    let answer = made.what_if(&none);
    assert_eq!((answer.unknown.urls, answer.moved_out.urls, answer.stay_out), (0, 1, 1));
}

#[test]
fn an_address_in_a_url_is_located_by_lists_and_by_the_tester() {
    let made = made(standard_rules());
    let file = made.dir.path().join("country.mmdb");
    let mut writer = mmdb_writer::Writer::new("Test-Country");
    let network: ipnet::IpNet = "192.0.2.0/24".parse().unwrap();
    writer.insert_value(network, mmdb_writer::Value::map([("country_code", "PT")])).unwrap();
    std::fs::write(&file, writer.to_bytes().unwrap()).unwrap();
    set_geo_database(&made.session, &file).unwrap();
    made.launch(&[found("http://192.0.2.1/", "L")]);
    let mut edited = made.spec.clone();
    edited.rules[2] = json!({"rule": "geolocation", "countries": ["PT"]});
    let answer = made.what_if(&edited);
    assert_eq!((answer.moved_in.urls, answer.unknown.urls), (1, 0));
    let tested =
        crate::work::scope_test(&made.session, Some(made.campaign), &edited, &["http://192.0.2.1/".to_owned()])
            .unwrap();
    assert_eq!(tested[0].as_ref().unwrap().trace.verdict.decision, Decision::Accept);
}

#[test]
fn a_url_made_a_seed_begins_a_new_path() {
    let made = made(standard_rules());
    let far = FoundUrl { seed: Some("http://a.pt/"), ..found("http://b.pt/far", &"L".repeat(25)) };
    made.launch(&[far, found("http://c.example/next", "L")]);
    let mut edited = made.spec.clone();
    edited.seeds.push(seed("http://b.pt/far", SeedScope::Plus1));
    let answer = made.what_if(&edited);
    assert_eq!(made.listed(&edited, &answer, MovedSide::In), ["http://b.pt/far"]);
    let rows = made.rows(&edited, &answer, WhatIfList::Side(MovedSide::In), 0..9);
    let trace = crate::work::what_if_trace(&made.session, &edited, rows[0].seen).unwrap();
    assert_eq!(trace.verdict, rows[0].after);
}

#[test]
fn a_seed_typed_otherwise_is_the_same_seed() {
    let made = made(standard_rules());
    let one = |url: &str| FoundUrl { seed: Some("http://c.example/start"), ..found(url, "L") };
    made.launch(&[one("http://d.example/linked")]);
    let mut edited = made.spec.clone();
    edited.seeds[1].url = "HTTP://C.example:80/start".to_owned();
    let answer = made.what_if(&edited);
    assert_eq!((answer.moved_in.urls, answer.moved_out.urls, answer.stay_in), (0, 0, 1));
}

#[test]
fn another_tag_of_a_seed_goes_down_to_all_that_it_led_to() {
    let rules = vec![json!({"rule": "source_tag", "tags": ["blog"], "decision": "ACCEPT"})];
    let mut made = made(rules);
    made.spec.seeds[0].source_tag = "news".to_owned();
    made.session.catalogue().save_campaign(Some(made.campaign), &made.spec).unwrap();
    let elsewhere = FoundUrl { seed: Some("http://c.example/start"), ..found("http://c.example/x", "L") };
    made.launch(&[found("http://a.pt/", ""), found("http://a.pt/x", "L"), elsewhere]);
    let mut edited = made.spec.clone();
    edited.seeds[0].source_tag = "blog".to_owned();
    let answer = made.what_if(&edited);
    assert_eq!(made.listed(&edited, &answer, MovedSide::In), ["http://a.pt/", "http://a.pt/x"]);
    let tested =
        crate::work::scope_test(&made.session, Some(made.campaign), &edited, &["http://a.pt/x".to_owned()]).unwrap();
    assert_eq!(tested[0].as_ref().unwrap().trace.verdict.decision, Decision::Accept);
    assert_eq!(made.what_if(&made.spec).moved_in.urls, 0);
}

#[test]
fn what_a_seed_redirected_to_is_of_the_seed_that_is_left() {
    let tag = |seed: Seed, tag: &str| Seed { source_tag: tag.to_owned(), ..seed };
    let mut made = made(vec![json!({"rule": "source_tag", "tags": ["b", "own"], "decision": "ACCEPT"})]);
    made.spec.seeds =
        vec![tag(seed("http://a.pt/", SeedScope::Plus1), "a"), tag(seed("http://b.a.pt/", SeedScope::Plus1), "b")];
    made.session.catalogue().save_campaign(Some(made.campaign), &made.spec).unwrap();
    let launch = made.launch(&[found("http://a.pt/", ""), found("http://new.a.pt/", "")]);
    let catalogue = made.session.workspace.catalogue();
    for from in ["http://a.pt/", "http://b.a.pt/"] {
        let to = Some(Url::parse("http://new.a.pt/").unwrap());
        let entry = CaptureEntry { redirect_to: to, ..capture(&Url::parse(from).unwrap(), 1) };
        catalogue.add_captures(launch, vec![entry]).unwrap();
    }
    let into = |seeds: Vec<Seed>| {
        let edited = Campaign { seeds, ..made.spec.clone() };
        made.listed(&edited, &made.what_if(&edited), MovedSide::In)
    };
    let [a, b] = [&made.spec.seeds[0], &made.spec.seeds[1]].map(Seed::clone);
    assert_eq!(into(vec![a.clone(), b.clone()]), [""; 0]);
    assert_eq!(into(vec![b.clone()]), ["http://new.a.pt/"]);
    assert_eq!(into(vec![tag(a.clone(), "b"), b.clone()]), ["http://a.pt/", "http://new.a.pt/"]);
    let own = tag(seed("http://new.a.pt/", SeedScope::Plus1), "own");
    assert_eq!(into(vec![a, b, own]), ["http://new.a.pt/"], "a crawl begins with it");
}

#[test]
fn the_tester_takes_no_way_that_another_campaign_knows() {
    let made = made(standard_rules());
    let other = Campaign { name: "Other".to_owned(), ..made.spec.clone() };
    let other =
        ScopeFixture { campaign: made.session.catalogue().save_campaign(None, &other).unwrap(), spec: other, ..made };
    other.launch(&[found("http://a.pt/x", &"L".repeat(30))]);
    let tested = |of: CampaignId| {
        let urls = ["http://a.pt/x".to_owned()];
        crate::work::scope_test(&other.session, Some(of), &other.spec, &urls)
            .unwrap()
            .remove(0)
            .unwrap()
            .trace
            .verdict
            .decision
    };
    assert_eq!(tested(other.campaign), Decision::Reject);
    assert_eq!(tested(CampaignId::new(other.campaign.get() - 1)), Decision::Accept);
}
