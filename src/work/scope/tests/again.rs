//! All readers together agree with a crawl that decides one URL after the other.

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
        Just(json!({"rule": "source_tag", "tags": ["news"], "decision": "ACCEPT"})),
        Just(json!({"rule": "source_tag", "tags": ["blog"], "decision": "REJECT"})),
    ];
    proptest::collection::vec(rule, 0..6)
}

/// The edits beside the rules.
#[derive(Debug, Clone)]
struct Edits {
    rules: Vec<Value>,
    ignores_robots: bool,
    other_agent: bool,
    other_seeds: bool,
    /// The word of the first seed.
    tag: &'static str,
}

fn any_edits() -> impl Strategy<Value = Edits> {
    let seldom = || proptest::bool::weighted(0.3);
    let tag = prop_oneof![Just("news"), Just("blog"), Just("")];
    (any_rules(), seldom(), seldom(), seldom(), tag).prop_map(
        |(rules, ignores_robots, other_agent, other_seeds, tag)| Edits {
            rules,
            ignores_robots,
            other_agent,
            other_seeds,
            tag,
        },
    )
}

impl Edits {
    fn of(self, base: &Campaign) -> Campaign {
        let mut edited = Campaign { rules: self.rules, ..base.clone() };
        self.tag.clone_into(&mut edited.seeds[0].source_tag);
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

fn any_found() -> impl Strategy<Value = FoundUrl> {
    let via = prop_oneof![Just(None), Just(Some("http://b.pt/page"))];
    ("(a|b|c)\\.(pt|example)", "/[a-c]?(/[a-c])?", "[LE]{0,3}", any::<bool>(), via, any::<bool>()).prop_map(
        |(host, path, hops, fetched, via, nofollow)| FoundUrl {
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
    fn decides(&self, candidate: &Candidate, geo: &GeoFact, lookup: &GeoFact, content: &ContentFact) -> CrawlDecision {
        let agent = &self.spec.politeness.user_agent;
        let obeys = self.spec.politeness.robots == RobotsPolicy::Obey;
        let robots = match candidate.url.host_str() {
            Some("a.pt") if obeys => RobotsRules::from_answer(Some(200), ROBOTS, agent).fact(&candidate.url),
            _ => RobotsFact::NotFetched,
        };
        let date = Some(CaptureDate::from_seconds(1_700_000_000));
        let mut facts = Facts { geo: geo.clone(), robots, date, ..Facts::default() };
        if self.rules.needs_geo(candidate, &facts) {
            facts.geo = lookup.clone();
        }
        let decision_of = |verdict: Verdict| CrawlDecision {
            decision: verdict.decision,
            rule: verdict.rule_index,
            needs_fetch: false,
        };
        let first = self.rules.decide(candidate, &facts);
        if first.decision == Decision::Reject {
            return decision_of(first);
        }
        if matches!(facts.robots, RobotsFact::Denied { .. }) {
            return CrawlDecision { decision: Decision::Reject, rule: None, needs_fetch: false };
        }
        let robots_unknown = obeys && facts.robots == RobotsFact::NotFetched;
        if *content == ContentFact::NotFetched {
            return CrawlDecision { needs_fetch: robots_unknown || self.rules.uses_content(), ..decision_of(first) };
        }
        let fetched = Facts { robots: RobotsFact::NotFetched, content: content.clone(), ..facts };
        let second = self.rules.decide(candidate, &fetched);
        match second.decision {
            Decision::Reject => decision_of(second),
            Decision::Accept => CrawlDecision { needs_fetch: robots_unknown, ..decision_of(first) },
        }
    }
}

/// The decision of a crawl on a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CrawlDecision {
    decision: Decision,
    rule: Option<usize>,
    /// Whether a fetch could still refuse it.
    needs_fetch: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Figures and lists agree with crawls that decide one after the other, and each trace has the
    /// verdict that it explains.
    #[test]
    fn what_if_is_deciding_again(
        before in any_edits(),
        after in any_edits(),
        urls in proptest::collection::vec(any_found(), 1..16),
        more in proptest::collection::vec(any_found(), 0..6),
        near in proptest::option::of((0usize..6, any::<bool>())),
    ) {
        let after = match near {
            None => after,
            // One rule more or less, so that most URLs are decided alike.
            Some((at, is_more)) => {
                let (mut rules, at) = (before.rules.clone(), at.min(before.rules.len()));
                match (is_more, after.rules.first()) {
                    (true, Some(rule)) => rules.insert(at, rule.clone()),
                    _ => rules.truncate(at),
                }
                Edits { rules, ..after }
            }
        };
        let base = made(before.rules.clone());
        let before = Edits { other_seeds: false, ..before }.of(&base.spec);
        base.session.catalogue().save_campaign(Some(base.campaign), &before).unwrap();
        let made = ScopeFixture { spec: before, ..base };
        let ledger = made.ledger(made.launch(&[]));
        ledger.keep_geo_facts(&[("b.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
        ledger.keep_geo_facts(&[("c.example".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("GB"), 1)))]).unwrap();
        ledger.keep_geo_facts(&[("c.pt".to_owned(), GeoFact::Failed { why: "no such host".to_owned() })]).unwrap();
        // Each URL counts as the last launch saw it.
        let mut seen: BTreeMap<String, FoundUrl> = BTreeMap::new();
        for part in [urls, more] {
            let mut once: BTreeMap<String, FoundUrl> = BTreeMap::new();
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
        let catalogue = made.session.catalogue();
        let known = catalogue.geo_facts().unwrap();
        let (mut into, mut out, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        let (mut other_rule, mut unfetched) = (Vec::new(), Vec::new());
        let mut by_rule = vec![(0, 0); edited.rules.len()];
        for one in seen.values() {
            let url = Url::parse(&one.url).unwrap();
            let candidate = Candidate {
                hops: one.hops.clone(),
                is_seed: one.hops.is_empty(),
                seed: one.seed.map(str::to_owned),
                via: one.via.map(|via| Url::parse(via).unwrap()),
                nofollow: one.nofollow,
                source_tag: one.seed.and_then(|seed| tag_of(&made.spec, seed)).unwrap_or_default(),
                ..Candidate::bare(url.clone())
            };
            let is_seed = |spec: &Campaign| spec.seeds.iter().any(|seed| seed.url == one.url);
            let as_edited = match (candidate.is_seed, is_seed(&edited)) {
                (false, true) if !is_seed(&made.spec) => Candidate {
                    is_seed: true,
                    seed: Some(one.url.clone()),
                    source_tag: tag_of(&edited, &one.url).unwrap(),
                    ..Candidate::bare(url.clone())
                },
                (is_seed_then, is_seed_now) => Candidate {
                    is_seed: is_seed_then && is_seed_now,
                    // What descends from a seed that is gone carries its word on.
                    source_tag: one.seed.and_then(|seed| tag_of(&edited, seed)).unwrap_or(candidate.source_tag.clone()),
                    ..candidate.clone()
                },
            };
            let geo = match known.get(url.host_str().unwrap()) {
                Some(known @ GeoFact::Known(_)) => known.clone(),
                _ => GeoFact::NotQueried,
            };
            let content = catalogue.content_fact(catalogue.url_id(url.as_str()).unwrap().unwrap()).unwrap();
            let both = |place: &GeoFact| {
                (old.decides(&candidate, &geo, place, &content), new.decides(&as_edited, &geo, place, &content))
            };
            let (then, now) = both(&geo);
            match (then.decision, now.decision) {
                (Decision::Reject, Decision::Accept) => into.push(one.url.clone()),
                (Decision::Accept, Decision::Reject) => out.push(one.url.clone()),
                _ if then.rule != now.rule => other_rule.push(one.url.clone()),
                _ => {}
            }
            if let Some((into, out)) = now.rule.filter(|_| then.decision != now.decision).map(|rule| &mut by_rule[rule]) {
                *if now.decision == Decision::Accept { into } else { out } += 1;
            }
            if now.needs_fetch && !then.needs_fetch {
                unfetched.push(one.url.clone());
            }
            let moves = ["PT", "GB", "FR", "XX"].map(|country| {
                let (then, now) = both(&GeoFact::Known(evidence("192.0.2.1", Some(country), 1)));
                let (then, now) = (then.decision, now.decision);
                (then != now).then_some(now == Decision::Accept)
            });
            if moves.iter().any(|other| *other != moves[0]) {
                unknown.push(one.url.clone());
            }
            let (row, _) = catalogue.seen_by_url(made.campaign, None, &one.url).unwrap().unwrap();
            prop_assert_eq!(crate::work::why(&made.session, row).unwrap().verdict.decision, then.decision, "{:?}", one);
            let trace = crate::work::what_if_trace(&made.session, &edited, row).unwrap();
            prop_assert_eq!((trace.verdict.decision, trace.verdict.rule_index), (now.decision, now.rule), "{:?}", one);
            let tested = crate::work::scope_test(&made.session, Some(made.campaign), &edited, std::slice::from_ref(&one.url)).unwrap().remove(0);
            prop_assert_eq!(&tested.unwrap().trace.verdict, &trace.verdict);
            let urls = [one.url.clone()];
            let verdict = scope_verdicts(&made.session, Some(made.campaign), &edited, &urls).unwrap().remove(0);
            prop_assert_eq!(verdict.unwrap(), trace.verdict);
        }
        for (side, expected) in [(MovedSide::In, into), (MovedSide::Out, out), (MovedSide::Unknown, unknown)] {
            prop_assert_eq!(made.listed(&edited, &answer, side), expected, "{:?}", side);
            for row in made.rows(&edited, &answer, WhatIfList::Side(side), 0..99) {
                prop_assert_eq!(crate::work::why(&made.session, row.seen).unwrap().verdict, row.before);
                prop_assert_eq!(crate::work::what_if_trace(&made.session, &edited, row.seen).unwrap().verdict, row.after);
            }
        }
        prop_assert_eq!(made.urls(&edited, &answer, WhatIfList::OtherRule), other_rule);
        prop_assert_eq!(made.urls(&edited, &answer, WhatIfList::Unfetched), unfetched);
        let found_by_rule: Vec<(u64, u64)> = answer.by_rule.iter().map(|rule| (rule.moved_in, rule.moved_out)).collect();
        prop_assert_eq!(found_by_rule, by_rule);
        let same = made.what_if(&made.spec);
        prop_assert_eq!(same.moved_in.urls + same.moved_out.urls + same.unknown.urls, 0);
    }
}
