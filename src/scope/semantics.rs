//! The whole of the room: rules in order, traces, and what would turn them.

use super::*;
use crate::campaign::{Campaign, Reading, Seed, SeedScope};
use crate::uri::parse_web_url;
use proptest::prelude::*;
use serde_json::{Value, json};

fn campaign(seeds: &[(&str, SeedScope)], rules: Vec<Value>) -> Campaign {
    let seeds = seeds.iter().map(|(url, scope)| Seed {
        url: (*url).to_owned(),
        scope: *scope,
        depth: None,
        source_tag: String::new(),
    });
    Campaign { seeds: seeds.collect(), rules, ..Campaign::default() }
}

fn standard() -> DecideRules {
    DecideRules::compile(&campaign(&[("http://fct.pt/", SeedScope::Root)], standard_rules())).unwrap()
}

fn candidate(url: &str, hops: &str) -> Candidate {
    Candidate {
        hops: hops.to_owned(),
        seed: Some("http://fct.pt/".to_owned()),
        ..Candidate::bare(parse_web_url(url).unwrap())
    }
}

fn hosted_in(country: Option<&str>) -> Facts {
    let evidence = GeoEvidence {
        date: CaptureDate::default(),
        addresses: vec![AddressCountry::new("192.0.2.1".parse().unwrap(), "192.0.2.0/24", country.map(str::to_owned))],
        database: "Test".to_owned(),
        database_build: CaptureDate::default(),
        source: AnswerSource::Resolver,
    };
    Facts { geo: GeoFact::Known(evidence), ..Facts::default() }
}

#[test]
fn the_last_opinion_wins_and_is_named() {
    #[track_caller]
    fn check(rules: Value, expected: (Decision, Option<usize>, &str)) {
        let rules = DecideRules::compile(&campaign(&[], rules.as_array().unwrap().clone())).unwrap();
        let verdict = rules.decide(&candidate("http://fct.pt/a/a/a/b", "LL"), &Facts::default());
        assert_eq!((verdict.decision, verdict.rule_index, verdict.rule_name.as_str()), expected);
    }
    let (accept, reject) = (Decision::Accept, Decision::Reject);
    let reject_all = json!({"rule": "reject_all"});
    let accept_all = json!({"rule": "accept_all"});
    let hops = json!({"rule": "too_many_hops", "max_hops": 1});
    let path = json!({"rule": "pathological_path", "max_repetitions": 2});
    check(json!([]), (reject, None, "DecideRuleSequence"));
    check(json!([reject_all]), (reject, Some(0), "RejectDecideRule"));
    check(json!([reject_all, accept_all]), (accept, Some(1), "AcceptDecideRule"));
    check(json!([accept_all, hops, path]), (reject, Some(2), "PathologicalPathDecideRule"));
    check(json!([accept_all, hops, reject_all]), (reject, Some(1), "TooManyHopsDecideRule"));
    let off = json!({"rule": "accept_all", "enabled": false});
    check(json!([off, reject_all, accept_all]), (accept, Some(2), "AcceptDecideRule"));
    check(json!([off]), (reject, None, "DecideRuleSequence"));
}

#[test]
fn standard_rules_keep_to_the_seeds() {
    let rules = standard();
    for (url, hops, expected, rule) in [
        ("http://fct.pt/sobre", "L", Decision::Accept, "SeedScopeDecideRule"),
        ("http://cdn.example/a.css", "LE", Decision::Accept, "TransclusionDecideRule"),
        ("http://example.com/", "L", Decision::Reject, "RejectDecideRule"),
        ("http://fct.pt/sobre", "LLLLLLLLLLLLLLLLLLLLL", Decision::Reject, "TooManyHopsDecideRule"),
        ("http://fct.pt/a/a/a/b", "L", Decision::Reject, "PathologicalPathDecideRule"),
    ] {
        let verdict = rules.decide(&candidate(url, hops), &Facts::default());
        assert_eq!((verdict.decision, verdict.rule_name.as_str()), (expected, rule), "{url}");
    }
    let denied = Facts { robots: RobotsFact::Denied { why: "Disallow: /".to_owned() }, ..Facts::default() };
    assert_eq!(rules.decide(&candidate("http://fct.pt/", "L"), &denied).rule_name, "RobotsDecideRule");
}

#[test]
fn every_template_compiles_and_comes_back() {
    let templates: Vec<Value> = rule_templates().into_iter().map(|(_, value)| value).collect();
    let rules = DecideRules::compile(&campaign(&[], templates.clone())).unwrap();
    assert_eq!(rules.len(), templates.len());
    for (value, line) in templates.iter().zip(rules.lines()) {
        let rule: rules::Rule = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&rule).unwrap(), *value);
        assert!(line.1.ends_with("DecideRule") && !line.2.is_empty(), "{line:?}");
    }
}

#[test]
fn broken_rules_are_named() {
    for (rule, expected) in [
        (json!({"rule": "too_many_hops"}), "rule 1 (too_many_hops): missing field `max_hops`"),
        (
            json!({"rule": "geolocation", "countries": ["Portugal"]}),
            "rule 1 (geolocation): “Portugal” is no country code; give two letters, such as PT",
        ),
        (
            json!({"rule": "regex", "patterns": ["("], "decision": "REJECT"}),
            "rule 1 (regex): the pattern “(” is broken: unclosed group",
        ),
        (json!({"enabled": true}), "rule 1 (no name): missing field `rule`"),
    ] {
        let error = DecideRules::compile(&campaign(&[], vec![json!({"rule": "reject_all"}), rule])).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let unknown = vec![json!({"rule": "no_such_rule"})];
    let error = DecideRules::compile(&campaign(&[], unknown)).unwrap_err().to_string();
    assert!(error.contains("no_such_rule") && error.contains("seed_scope"), "{error}");
}

#[test]
fn hosting_as_a_ground_is_resolved_where_it_matters() {
    let uncovered = json!({"rule": "permission", "states": [], "uncovered": true, "decision": "REJECT"});
    let mut campaign = campaign(&[("http://fct.pt/", SeedScope::Root)], vec![json!({"rule": "accept_all"}), uncovered]);
    campaign.grounds.countries = vec!["PT".to_owned()];
    campaign.grounds.domains = vec!["pt".to_owned()];
    let rules = DecideRules::compile(&campaign).unwrap();
    assert!(rules.uses_geo());
    let (covered, abroad) = (candidate("http://fct.pt/", "L"), candidate("http://example.com/", "L"));
    assert!(!rules.needs_geo(&covered, &Facts::default()));
    assert!(rules.needs_geo(&abroad, &Facts::default()));
    for (country, expected) in
        [(Some("PT"), Decision::Accept), (Some("GB"), Decision::Reject), (None, Decision::Reject)]
    {
        let facts = hosted_in(country);
        assert!(!rules.needs_geo(&abroad, &facts));
        assert_eq!(rules.decide(&abroad, &facts).decision, expected, "{country:?}");
        assert_eq!(rules.decide(&covered, &facts).decision, Decision::Accept);
    }
    let trace = rules.explain(&abroad, &hosted_in(Some("PT")));
    assert_eq!(trace.steps[1].tested, "its server stands in PT");
}

#[test]
fn countries_are_resolved_only_where_they_could_change_the_decision() {
    let geo = json!({"rule": "geolocation", "countries": ["PT"]});
    let rules =
        |list: Vec<Value>| DecideRules::compile(&campaign(&[("http://fct.pt/", SeedScope::Root)], list)).unwrap();
    let reject_all = json!({"rule": "reject_all"});
    let seeds = json!({"rule": "seed_scope"});
    let hops = json!({"rule": "too_many_hops", "max_hops": 2});
    let all = rules(vec![reject_all.clone(), seeds, geo.clone(), hops]);
    for (url, hops, expected) in
        [("http://fct.pt/", "L", false), ("http://example.com/", "L", true), ("http://example.com/", "LLL", false)]
    {
        assert_eq!(all.needs_geo(&candidate(url, hops), &Facts::default()), expected, "{url} {hops}");
    }
    let foreign = candidate("http://example.com/", "L");
    assert!(!all.needs_geo(&foreign, &hosted_in(Some("GB"))));
    let failed = Facts { geo: GeoFact::Failed { why: "no such host".to_owned() }, ..Facts::default() };
    assert!(!all.needs_geo(&foreign, &failed));
    assert_eq!(all.decide(&foreign, &failed).decision, Decision::Reject);
    assert_eq!(all.decide(&foreign, &hosted_in(None)).decision, Decision::Reject);
    let verdict = all.decide(&foreign, &hosted_in(Some("PT")));
    assert_eq!((verdict.rule_index, verdict.rule_name.as_str()), (Some(2), "ExternalGeoLocationDecideRule"));
    assert!(!rules(vec![reject_all]).needs_geo(&foreign, &Facts::default()));
}

#[test]
fn a_trace_names_what_was_tested() {
    let trace = standard().explain(&candidate("http://fct.pt/a/a/a/b?c=1", "LE"), &Facts::default());
    let step = |index: usize| (trace.steps[index].tested.as_str(), trace.steps[index].opinion);
    assert_eq!(step(1), ("http://(pt,fct,)/a/a/a/b?c=1 starts with http://(pt,fct,)/", Some(Decision::Accept)));
    assert_eq!(step(3), ("2 hops (LE)", None));
    assert_eq!(step(4), ("1 hop without a link at the end (LE)", Some(Decision::Accept)));
    assert_eq!(step(7), ("a 3 times in a row", Some(Decision::Reject)));
    assert_eq!(step(8), ("4 path segments", None));
    assert_eq!(step(9), ("http", None));
    assert!(!trace.steps[2].enabled);
    let deciding: Vec<usize> = trace.steps.iter().filter(|step| step.deciding).map(|step| step.index).collect();
    assert_eq!(deciding, [7]);
}

#[test]
fn the_smallest_change_is_offered() {
    #[track_caller]
    fn check(rules: &DecideRules, url: &str, hops: &str, facts: &Facts, expected: &str) {
        let trace = rules.explain(&candidate(url, hops), facts);
        assert_eq!(trace.remedy.as_deref(), Some(expected), "{url} {hops} {:?}", trace.verdict);
    }
    let rules = standard();
    let none = Facts::default();
    let denied = Facts { robots: RobotsFact::Denied { why: "Disallow: /".to_owned() }, ..Facts::default() };
    let far = "L".repeat(21);
    check(&rules, "http://fct.pt/a", &far, &none, "In rule 3 (number of hops), raise the limit from 20 hops to 21");
    check(
        &rules,
        "http://cdn.pt/a",
        "LEEE",
        &none,
        "In rule 4 (embedded resource), raise its limit from 2 embeds in a row to 3",
    );
    check(&rules, "http://fct.pt/a", "L", &denied, "robots.txt would have to allow it");
    check(&rules, "http://sobre.fct.pt/a", "L", &none, "Set the scope of the seed http://fct.pt/ to subdomains");
    check(&rules, "http://example.com/a/b", "L", &none, "Add the seed http://example.com/");
    check(
        &rules,
        "http://fct.pt/sobre/nos",
        "L",
        &none,
        "In rule 6 (URL pattern), add the pattern http://fct\\.pt/sobre/nos",
    );
    check(
        &rules,
        "http://fct.pt/a/a/a/b",
        &far,
        &none,
        "In rule 7 (repeating path), raise the limit from 2 repetitions to 3; and \
         in rule 3 (number of hops), raise the limit from 20 hops to 21",
    );
    let geo = vec![json!({"rule": "reject_all"}), json!({"rule": "geolocation", "countries": ["PT", "BR"]})];
    let geo = DecideRules::compile(&campaign(&[], geo)).unwrap();
    let advice = "Look up the country of its server: in PT or BR the decision reverses";
    check(&geo, "http://example.com/", "L", &none, advice);
    check(
        &geo,
        "http://example.com/",
        "L",
        &hosted_in(Some("GB")),
        "In rule 1 (country of the server), add GB to the countries",
    );
    let nothing = DecideRules::compile(&campaign(&[], Vec::new())).unwrap();
    check(
        &nothing,
        "http://example.com/a/b",
        "L",
        &none,
        "Add a rule at the end that accepts the prefix http://(com,example,)/a/",
    );
}

#[test]
fn a_redirected_seed_widens_the_scope() {
    let rules = standard();
    let www = candidate("https://www.fct.pt/a", "RL");
    assert_eq!(rules.decide(&www, &Facts::default()).decision, Decision::Reject);
    let seed =
        Seed { url: "https://www.fct.pt/".to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() };
    let wider = rules.with_met(std::slice::from_ref(&seed)).unwrap();
    // What a crawl met changes no words: its rules are known again by them.
    assert!(wider.lines().eq(rules.lines()));
    let broken = Seed { url: "http://".to_owned(), ..seed };
    let error = wider.with_met(&[broken]).unwrap_err().to_string();
    assert!(error.starts_with("rule 1 (seed_scope): seed 3"), "{error}");
    assert_eq!(wider.decide(&www, &Facts::default()).decision, Decision::Accept);
}

#[test]
fn rules_of_a_national_crawl_compile() {
    let read = |name: &str| crate::testing::data_text(&format!("heritrix/{name}"));
    let (Some(excludes), Some(surts)) = (read("ukwa-excludes.xml"), read("ukwa-domain-surts.txt")) else { return };
    let values = excludes.split("<value>").skip(1).filter_map(|rest| rest.split("</value>").next());
    let patterns: Vec<&str> = values.collect();
    let prefixes: Vec<&str> = surts.lines().collect();
    let list = vec![
        json!({"rule": "reject_all"}),
        json!({"rule": "surt_prefix", "prefixes": prefixes, "decision": "ACCEPT"}),
        json!({"rule": "regex", "patterns": patterns, "decision": "REJECT"}),
    ];
    let rules = DecideRules::compile(&campaign(&[], list)).unwrap();
    for (url, index) in [
        ("https://www.bl.uk/", 1),
        ("http://www.bbc.co.uk/iplayer/a", 2),
        ("http://shop.co.uk/checkout/1", 2),
        ("http://example.com/", 0),
    ] {
        assert_eq!(rules.decide(&candidate(url, "L"), &Facts::default()).rule_index, Some(index), "{url}");
    }
    println!("UK domain crawl: {} patterns, {} prefixes", patterns.len(), prefixes.len());
}

#[test]
fn what_a_permission_refuses_is_rejected_behind_all_rules() {
    let record = |covers: &str, state: &str| json!({"covers": covers, "reach": "root", "state": state});
    let mut campaign = campaign(
        &[("http://fct.pt/", SeedScope::Root), ("http://fct.pt/private/open/", SeedScope::Root)],
        vec![json!({"rule": "reject_all"}), json!({"rule": "accept_all"})],
    );
    campaign.permissions = serde_json::from_value(json!([
        record("http://fct.pt/", "granted"),
        record("http://fct.pt/private/", "refused"),
        record("http://fct.pt/private/open/", "granted")
    ]))
    .unwrap();
    // However records are read otherwise.
    for reading in [Reading::Strict, Reading::W3act] {
        campaign.grounds.reading = reading;
        let rules = DecideRules::compile(&campaign).unwrap();
        assert_eq!(
            rules.lines().last().unwrap(),
            (
                2,
                "RefusedPermissionDecideRule",
                "rejects what permissions refuse: the record for http://fct.pt/private/".to_owned(),
                true
            )
        );
        // Of records that cover a URL the closest counts: one that is granted opens a part of what another refuses.
        for (url, expected) in [
            ("http://fct.pt/a", Decision::Accept),
            ("http://fct.pt/private/a", Decision::Reject),
            ("https://www.fct.pt/private/a", Decision::Reject),
            ("http://fct.pt/private/open/a", Decision::Accept),
            ("http://example.com/", Decision::Accept),
        ] {
            let verdict = rules.decide(&candidate(url, "L"), &Facts::default());
            assert_eq!(verdict.decision, expected, "{url}");
            assert_eq!(verdict.rule_index, Some(if expected == Decision::Reject { 2 } else { 1 }), "{url}");
        }
    }
    let rules = DecideRules::compile(&campaign).unwrap();
    let private = candidate("http://fct.pt/private/a", "L");
    let trace = rules.explain(&private, &Facts::default());
    assert_eq!(trace.steps[2].tested, "permission 2: refused, inherited from http://fct.pt/private/");
    assert_eq!(trace.remedy.as_deref(), Some("Switch off rule 2 (permission refused)"));
    let changed = rules.remedy(&private, &Facts::default()).unwrap().apply(&campaign);
    assert!(!changed.grounds.obey_refusals && changed.rules == campaign.rules);
    let off = DecideRules::compile(&changed).unwrap();
    assert_eq!(off.decide(&private, &Facts::default()).decision, Decision::Accept);
    assert!(!off.lines().last().unwrap().3);
}

#[test]
fn seeds_that_a_permission_refuses_are_errors_and_stop_a_crawl_that_has_no_others() {
    let mut campaign =
        campaign(&[("http://a.pt/x", SeedScope::Root), ("http://b.pt/", SeedScope::Root)], standard_rules());
    let record = |covers: &str, until: &str| json!({"covers": covers, "state": "refused", "until": until});
    let now = CaptureDate::parse("2024-06-01").unwrap();
    let mut problems = |records: Value| {
        campaign.permissions = serde_json::from_value(records).unwrap();
        let problems = DecideRules::compile(&campaign).unwrap().problems(now);
        problems.into_iter().map(|of| (of.field, of.what, of.is_error, of.stops_crawl)).collect::<Vec<_>>()
    };
    assert_eq!(problems(json!([])), []);
    assert_eq!(problems(json!([record("http://a.pt/", "2024-05-01")])), []);
    let refused = |position: usize, url: &str, covers: &str, record: usize, stops: bool| {
        let what = format!("{url} must not be crawled (permission {record}: refused, inherited from {covers})");
        (format!("seeds[{position}].url"), what, true, stops)
    };
    let a = |stops| refused(0, "http://a.pt/x", "http://a.pt", 1, stops);
    assert_eq!(problems(json!([record("http://a.pt", "")])), [a(false)]);
    let both = problems(json!([record("http://a.pt", ""), record("(pt,b,", "")]));
    assert_eq!(both, [a(true), refused(1, "http://b.pt/", "(pt,b,", 2, true)]);
}

fn any_rule() -> impl Strategy<Value = Value> {
    let decision = prop_oneof![Just("ACCEPT"), Just("REJECT")];
    let kind = prop_oneof![
        Just(json!({"rule": "reject_all"})),
        Just(json!({"rule": "accept_all"})),
        Just(json!({"rule": "seed_scope"})),
        Just(json!({"rule": "robots"})),
        (0usize..4).prop_map(|max| json!({"rule": "too_many_hops", "max_hops": max})),
        (0usize..4).prop_map(|max| json!({"rule": "too_many_path_segments", "max_segments": max})),
        (0usize..3).prop_map(|max| json!({"rule": "transclusion", "max_trans_hops": max, "max_speculative_hops": 1})),
        decision.clone().prop_map(|d| json!({"rule": "surt_prefix", "prefixes": ["(pt,"], "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "regex", "patterns": [".*a.*"], "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "host_list", "hosts": ["fct.pt"], "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "geolocation", "countries": ["PT"], "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "top_level_domain", "domains": ["pt"], "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "hop_type", "hops": "ER", "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "content_type", "types": ["text/*"], "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "annotation", "marks": ["reject"], "decision": d})),
        decision
            .clone()
            .prop_map(|d| json!({"rule": "permission", "states": ["granted"], "uncovered": true, "decision": d})),
        decision.clone().prop_map(|d| json!({"rule": "source_tag", "tags": [""], "decision": d})),
        decision
            .prop_map(|d| json!({"rule": "schedule_window", "until": "1970-01-02", "days": ["mon"], "decision": d})),
        Just(json!({"rule": "content_size", "max_bytes": 10})),
        Just(json!({"rule": "pathological_path", "max_repetitions": 1})),
        Just(json!({"rule": "query_parameters", "max_parameters": 0})),
    ];
    (kind, any::<bool>()).prop_map(|(mut rule, enabled)| {
        rule["enabled"] = Value::from(enabled);
        rule
    })
}

proptest! {
    #[test]
    fn decisions_hold_whatever_the_rules(
        list in proptest::collection::vec(any_rule(), 0..7),
        host in "(fct\\.pt|www\\.fct\\.pt|example\\.com)",
        path in "(/[ab]){0,4}",
        hops in "[LERX]{0,4}",
        denied in any::<bool>(),
        known in any::<bool>(),
    ) {
        let campaign = campaign(&[("http://fct.pt/", SeedScope::Root)], list);
        let rules = DecideRules::compile(&campaign).unwrap();
        let candidate = candidate(&format!("http://{host}{path}"), &hops);
        let robots = if denied { RobotsFact::Denied { why: "line 2".to_owned() } } else { RobotsFact::Allowed };
        let mut facts = Facts { robots, ..Facts::default() };
        if known {
            facts.date = Some(CaptureDate::parse("2024-06-21").unwrap());
            facts.annotation = Some(AnnotationFact { mark: "reject".to_owned(), notes: Vec::new() });
            facts.content = ContentFact::Fetched { status: 200, mime: "text/html".to_owned(), bytes: 11 };
        }
        let verdict = rules.decide(&candidate, &facts);

        // The trace agrees, and its last opinion is the verdict.
        let trace = rules.explain(&candidate, &facts);
        prop_assert_eq!(&trace.verdict, &verdict);
        let last = trace.steps.iter().rev().find(|step| step.opinion.is_some());
        prop_assert_eq!(last.map(|step| step.index), verdict.rule_index);
        prop_assert_eq!(last.and_then(|step| step.opinion).unwrap_or(Decision::Reject), verdict.decision);
        prop_assert!(trace.steps.iter().all(|step| step.enabled || step.opinion.is_none()));
        // A rule at the end can always turn it, and what is offered does, once
        // the campaign is changed so and compiled again.
        let remedy = rules.remedy(&candidate, &facts).unwrap();
        prop_assert_eq!(trace.remedy.as_deref(), Some(remedy.summary.as_str()));
        let turned = DecideRules::compile(&remedy.apply(&campaign)).unwrap().decide(&candidate, &remedy.facts);
        prop_assert_ne!(turned.decision, verdict.decision, "{}", remedy.summary);
        let changed = remedy.apply(&campaign) != campaign || remedy.facts != facts;
        prop_assert!(changed, "{}", remedy.summary);

        // The country is needed exactly when some answer reverses the decision.
        let turned = [Some("PT"), Some("GB"), None].iter().any(|country| {
            let facts = Facts { geo: hosted_in(*country).geo, ..facts.clone() };
            rules.decide(&candidate, &facts).decision != verdict.decision
        });
        prop_assert_eq!(rules.needs_geo(&candidate, &facts), turned);
    }
}
