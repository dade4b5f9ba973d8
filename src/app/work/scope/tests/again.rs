//! All readers together against a crawl that decides one URL after the other.

use super::*;
use crate::campaign::RobotsPolicy;
use crate::crawl::RobotsRules;
use crate::scope::{ContentFact, DecideRules, RobotsFact};
use proptest::prelude::*;
use std::collections::BTreeMap;

const ROBOTS: &[u8] = b"User-agent: other\nDisallow: /b\n\nUser-agent: *\nDisallow: /a";

fn any_rules() -> impl Strategy<Value = Vec<Value>> {
    let rule = prop_oneof![
        Just(json!({"rule": "reject_all"})),
        Just(json!({"rule": "accept_all"})),
        Just(json!({"rule": "seed_scope"})),
        Just(json!({"rule": "robots"})),
        Just(json!({"rule": "nofollow"})),
        (0usize..3).prop_map(|max| json!({"rule": "too_many_hops", "max_hops": max})),
        Just(json!({"rule": "surt_prefix", "prefixes": ["(pt,b,"], "decision": "ACCEPT", "also_check_via": true})),
        Just(json!({"rule": "top_level_domain", "domains": ["pt"], "decision": "REJECT"})),
        Just(json!({"rule": "geolocation", "countries": ["PT"]})),
        Just(json!({"rule": "geolocation", "countries": ["GB", "FR"], "decision": "REJECT"})),
        Just(json!({"rule": "content_size", "max_bytes": 500})),
        Just(json!({"rule": "content_size", "min_bytes": 500})),
        Just(json!({"rule": "content_type", "types": ["text/html"], "decision": "ACCEPT"})),
        Just(json!({"rule": "hop_type", "hops": "E", "decision": "ACCEPT"})),
    ];
    proptest::collection::vec(rule, 0..6)
}

/// What is edited beside the rules.
#[derive(Debug, Clone)]
struct Edits {
    rules: Vec<Value>,
    ignores_robots: bool,
    other_agent: bool,
    other_seeds: bool,
}

fn any_edits() -> impl Strategy<Value = Edits> {
    (any_rules(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(rules, ignores_robots, other_agent, other_seeds)| Edits { rules, ignores_robots, other_agent, other_seeds },
    )
}

impl Edits {
    fn of(self, base: &Campaign) -> Campaign {
        let mut edited = Campaign { rules: self.rules, ..base.clone() };
        if self.ignores_robots {
            edited.politeness.robots = RobotsPolicy::Ignore;
        }
        if self.other_agent {
            edited.politeness.user_agent = "other/2.0".to_owned();
        }
        if self.other_seeds {
            edited.seeds = vec![seed("http://b.pt/", SeedScope::Root), seed("http://a.pt/a", SeedScope::Plus1)];
        }
        edited
    }
}

fn any_found() -> impl Strategy<Value = Found> {
    let via = prop_oneof![Just(None), Just(Some("http://b.pt/page"))];
    ("(a|b|c)\\.(pt|example)", "/[a-c]?(/[a-c])?", "[LE]{0,3}", any::<bool>(), via, any::<bool>()).prop_map(
        |(host, path, hops, fetched, via, nofollow)| Found {
            url: format!("http://{host}{path}"),
            // Only the first seed begins without a way.
            hops: if hops.is_empty() { "L".to_owned() } else { hops },
            seed: Some("http://a.pt/"),
            fetched: fetched.then_some(1_000),
            via,
            nofollow,
        },
    )
}

/// One crawl with these rules.
struct Crawl<'a> {
    spec: &'a Campaign,
    rules: DecideRules,
}

impl Crawl<'_> {
    fn decides(&self, candidate: &Candidate, geo: &GeoFact, looked_up: &GeoFact, content: &ContentFact) -> Decision {
        let agent = &self.spec.politeness.user_agent;
        let robots = match self.spec.politeness.robots {
            RobotsPolicy::Obey if candidate.url.host_str() == Some("a.pt") => {
                RobotsRules::from_answer(Some(200), ROBOTS, agent).fact(&candidate.url)
            }
            _ => RobotsFact::NotAsked,
        };
        let date = Some(CaptureDate::from_seconds(1_700_000_000));
        let mut facts = Facts { geo: geo.clone(), robots, date, ..Facts::default() };
        if self.rules.needs_geo(candidate, &facts) {
            facts.geo = looked_up.clone();
        }
        let denied = matches!(facts.robots, RobotsFact::Denied { .. });
        if self.rules.decide(candidate, &facts).decision == Decision::Reject || denied {
            return Decision::Reject;
        }
        if matches!(content, ContentFact::NotFetched) {
            return Decision::Accept;
        }
        let fetched = Facts { robots: RobotsFact::NotAsked, content: content.clone(), ..facts };
        self.rules.decide(candidate, &fetched).decision
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Figures and lists say what crawls say that decide one after the other,
    /// and each trace has the verdict that it explains.
    #[test]
    fn what_if_is_deciding_again(
        before in any_edits(),
        after in any_edits(),
        urls in proptest::collection::vec(any_found(), 1..16),
        more in proptest::collection::vec(any_found(), 0..6),
    ) {
        let base = made(before.rules.clone());
        let before = Edits { other_seeds: false, ..before }.of(&base.spec);
        base.desk.catalogue().save_campaign(Some(base.campaign), &before).unwrap();
        let made = Made { spec: before, ..base };
        let ledger = made.ledger(made.launch(&[]));
        ledger.keep_geo_fact("b.pt", &GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1))).unwrap();
        ledger.keep_geo_fact("c.example", &GeoFact::Known(evidence("192.0.2.1", Some("GB"), 1))).unwrap();
        ledger.keep_geo_fact("c.pt", &GeoFact::Failed { why: "no such host".to_owned() }).unwrap();
        // Each URL counts as the last launch saw it.
        let mut seen: BTreeMap<String, Found> = BTreeMap::new();
        for part in [urls, more] {
            let mut once: BTreeMap<String, Found> = BTreeMap::new();
            once.insert("http://a.pt/".to_owned(), found("http://a.pt/", ""));
            for one in part {
                once.entry(one.url.clone()).or_insert(one);
            }
            let launch = made.launch(&once.values().cloned().collect::<Vec<_>>());
            let answer = RobotsAnswer { status: 200, body: ROBOTS.to_vec(), date: CaptureDate::from_seconds(1) };
            made.ledger(launch).keep_robots("http://a.pt", &answer).unwrap();
            seen.append(&mut once);
        }
        let edited = after.of(&made.spec);
        let answer = made.what_if(&edited);
        prop_assert_eq!(answer.seen as usize, seen.len());

        let crawl = |spec| Crawl { spec, rules: DecideRules::compile(spec).unwrap() };
        let (old, new) = (crawl(&made.spec), crawl(&edited));
        let catalogue = made.desk.catalogue();
        let known = catalogue.geo_facts().unwrap();
        let (mut into, mut out, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for one in seen.values() {
            let url = Url::parse(&one.url).unwrap();
            let candidate = Candidate {
                hops: one.hops.clone(),
                is_seed: one.hops.is_empty(),
                seed: one.seed.map(str::to_owned),
                via: one.via.map(|via| Url::parse(via).unwrap()),
                nofollow: one.nofollow,
                ..Candidate::bare(url.clone())
            };
            let is_seed = |spec: &Campaign| spec.seeds.iter().any(|seed| seed.url == one.url);
            let as_edited = match (candidate.is_seed, is_seed(&edited)) {
                (false, true) if !is_seed(&made.spec) => Candidate {
                    is_seed: true,
                    seed: Some(one.url.clone()),
                    ..Candidate::bare(url.clone())
                },
                (true, false) => Candidate { is_seed: false, ..candidate.clone() },
                _ => candidate.clone(),
            };
            let geo = match known.get(url.host_str().unwrap()) {
                Some(known @ GeoFact::Known(_)) => known.clone(),
                _ => GeoFact::NotAsked,
            };
            let content = catalogue.content_fact(catalogue.url_id(url.as_str()).unwrap().unwrap()).unwrap();
            let both = |place: &GeoFact| {
                (old.decides(&candidate, &geo, place, &content), new.decides(&as_edited, &geo, place, &content))
            };
            let (then, now) = both(&geo);
            match (then, now) {
                (Decision::Reject, Decision::Accept) => into.push(one.url.clone()),
                (Decision::Accept, Decision::Reject) => out.push(one.url.clone()),
                _ => {}
            }
            let moves = ["PT", "GB", "FR", "XX"].map(|country| {
                let (then, now) = both(&GeoFact::Known(evidence("192.0.2.1", Some(country), 1)));
                (then != now).then_some(now == Decision::Accept)
            });
            if moves.iter().any(|other| *other != moves[0]) {
                unknown.push(one.url.clone());
            }
            let (row, _) = catalogue.seen_by_url(made.campaign, &one.url).unwrap().unwrap();
            prop_assert_eq!(made.desk.why(row).unwrap().verdict.decision, then, "{:?}", one);
            let trace = made.desk.what_if_trace(&edited, row).unwrap();
            prop_assert_eq!(trace.verdict.decision, now, "{:?}", one);
            let tested = made.desk.scope_test(Some(made.campaign), &edited, std::slice::from_ref(&one.url)).unwrap().remove(0);
            prop_assert_eq!(tested.unwrap().trace.verdict, trace.verdict);
        }
        for (side, expected) in [(MovedSide::In, into), (MovedSide::Out, out), (MovedSide::Unknown, unknown)] {
            prop_assert_eq!(made.listed(&edited, &answer, side), expected, "{:?}", side);
            for row in made.rows(&edited, &answer, WhatIfList::Side(side), 0..99) {
                prop_assert_eq!(made.desk.why(row.seen).unwrap().verdict, row.before);
                prop_assert_eq!(made.desk.what_if_trace(&edited, row.seen).unwrap().verdict, row.after);
            }
        }
        made.urls(&edited, &answer, WhatIfList::OtherRule);
        made.urls(&edited, &answer, WhatIfList::Unfetched);
        let same = made.what_if(&made.spec);
        prop_assert_eq!(same.moved_in.urls + same.moved_out.urls + same.unknown.urls, 0);
    }
}
