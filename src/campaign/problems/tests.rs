#![allow(clippy::unwrap_used)]

use super::*;
use crate::campaign::{Criterion, EvidenceFile, Permission, PermissionState, Seed, SeedScope};

fn good() -> Campaign {
    let mut campaign = Campaign::new("Ria 2024");
    campaign.politeness.user_agent = "Fonds (+https://archive.example/)".into();
    campaign.seeds = vec![seed("https://ria.example/")];
    campaign
}

fn seed(url: &str) -> Seed {
    Seed { url: url.into(), scope: SeedScope::Root, depth: None, source_tag: String::new() }
}

/// Problems as `field: what`, with `!` before those that stop a crawl.
#[track_caller]
fn check(change: impl FnOnce(&mut Campaign), expected: &[&str]) {
    let mut campaign = good();
    change(&mut campaign);
    let problems: Vec<String> = campaign
        .problems()
        .iter()
        .map(|p| {
            assert!(!p.hint.is_empty());
            format!("{}{}: {}", if p.stops_crawl { "!" } else { "" }, p.field, p.what)
        })
        .collect();
    assert_eq!(problems, expected);
}

#[test]
fn a_good_campaign_has_none_and_a_new_one_lacks_what_only_a_person_knows() {
    check(|_| {}, &[]);
    let new: Vec<String> = Campaign::new("Ria").problems().into_iter().map(|p| p.field).collect();
    assert_eq!(new, ["seeds", "politeness.user_agent"]);
}

#[test]
fn names_limits_and_politeness() {
    check(|c| c.name = " ".into(), &["name: the campaign has no name"]);
    check(|c| c.limits = Limits::default(), &["limits: nothing but the scope and the disk ends the crawl"]);
    check(
        |c| {
            let entries = ["intranet.example", "10.0.0.0/40"].map(str::to_owned);
            c.politeness.allow_private_addresses = crate::campaign::PrivateAddresses::Listed(entries.into());
        },
        &["!politeness.allow_private_addresses: “10.0.0.0/40” is no host and no network"],
    );
    check(|c| c.politeness.workers = 0, &["!politeness.workers: without workers nothing is fetched"]);
    check(
        |c| c.politeness.delay_factor = f64::NAN,
        &["!politeness.delay_factor: the delay factor is no number from 0"],
    );
    check(
        |c| c.politeness.min_delay_ms = 40_000,
        &["politeness.min_delay_ms: the least delay is longer than the most"],
    );
    check(
        |c| {
            c.active = false;
            c.schedule.frequency = Frequency::Daily;
        },
        &["active: the schedule is off, so nothing runs by itself"],
    );
}

#[test]
fn user_agents_name_somebody() {
    for agent in
        ["a (b@c.example)", "a +http://c.example/x", "mailto:b@c.example", "a <https://c.example>;", "a; b@c.example."]
    {
        check(|c| c.politeness.user_agent = agent.into(), &[]);
    }
    for agent in ["Mozilla/5.0", "a@b", "@c.example", "a http://", "me@.x"] {
        check(
            |c| c.politeness.user_agent = agent.into(),
            &["!politeness.user_agent: the user agent has no contact address"],
        );
    }
    check(|c| c.politeness.user_agent = String::new(), &["!politeness.user_agent: there is no user agent"]);
    check(
        |c| c.politeness.user_agent = "a@b.example\r\nX: y".into(),
        &["!politeness.user_agent: the user agent holds a line break or another control character"],
    );
}

#[test]
fn seeds_are_web_addresses_and_differ() {
    check(|c| c.seeds.clear(), &["!seeds: the campaign has no seeds"]);
    check(|c| c.seeds.push(seed("ria.example/a")), &["!seeds[1].url: “ria.example/a” is no web address"]);
    check(|c| c.seeds.push(seed(" ")), &["!seeds[1].url: the seed is empty"]);
    check(
        |c| c.seeds.push(seed("https://a.example/ https://b.example/")),
        &["!seeds[1].url: “https://a.example/ https://b.example/” has a blank in it"],
    );
    let same = |i: usize, first: usize| {
        format!("seeds[{i}].url: the seed is the same page as seeds[{first}] but for http, www or a slash")
    };
    check(
        |c| c.seeds.extend(["http://www.RIA.example", "https://ria.example/x", "https://ria.example/x/"].map(seed)),
        &[&same(1, 0), &same(3, 2)],
    );
    check(|c| c.seeds.push(seed("https://ria.example/X?a=1")), &[]);
    for (typed, hint) in [
        ("ria.example", "write it with its scheme: https://ria.example"),
        ("ria.example:8080/x", "write it with its scheme: https://ria.example:8080/x"),
        ("ftp://ria.example/", "only http and https can be crawled, not ftp"),
        ("mailto:a@b.example", "only http and https can be crawled, not mailto"),
        ("https://", "write the whole address, such as https://www.example.org/"),
    ] {
        assert_eq!(hint_for_bad_url(typed), hint, "{typed}");
    }
}

#[test]
fn terms_of_the_request() {
    #[track_caller]
    fn check_request(json: serde_json::Value, expected: &[&str]) {
        check(|c| c.request = serde_json::from_value(json).unwrap(), expected);
    }
    let term = |value: serde_json::Value| serde_json::json!({"and": [{"not": {"term": value}}]});
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    check_request(term(json(r#"{"kind": "keyword", "value": "ria", "weight": -1}"#)), &[]);
    check_request(
        term(json(r#"{"kind": "keyword", "value": "++", "weight": 2, "aliases": ["a", ""], "uri": "x"}"#)),
        &[
            "request.and[0].not.term.value: “++” holds no letter or digit, so it is never found",
            "request.and[0].not.term.weight: the weight 2 is out of range",
            "request.and[0].not.term.aliases[1]: the alias holds no letter or digit, so it is never found",
            "request.and[0].not.term.uri: “x” is no URI",
        ],
    );
    check_request(
        term(json(r#"{"kind": "period", "value": ""}"#)),
        &["request.and[0].not.term.from: the period has no days, so every date is in it"],
    );
    check_request(
        term(json(r#"{"kind": "event", "value": "a", "from": "2024-07", "to": "2024-06"}"#)),
        &["request.and[0].not.term.to: the last day 2024-06 is before the first, 2024-07"],
    );
    check_request(
        term(json(r#"{"kind": "person", "value": "a", "from": "soon"}"#)),
        &[
            "request.and[0].not.term.from: days have a meaning for events and periods only",
            "request.and[0].not.term.from: “soon” is no day",
        ],
    );
    check_request(
        term(json(r#"{"kind": "language", "value": "Portuguese"}"#)),
        &["request.and[0].not.term.value: “Portuguese” is no language code"],
    );
    check_request(json(r#"{"or": []}"#), &["request.or: a choice between no terms is met by no page"]);
}

#[test]
fn permissions_and_grounds() {
    let record = |covers: &str| Permission { covers: covers.into(), ..Permission::default() };
    let granted = PermissionState::Granted;
    check(
        |c| {
            c.permissions =
                vec![Permission { criterion: Criterion::Address, state: granted, ..record("http://bl.uk/") }]
        },
        &["permissions[0].evidence: “postal address” without evidence counts for nothing"],
    );
    check(|c| c.permissions = vec![record("http://bl.uk/"), record("(uk,bl,"), record("http://bl.uk")], &[]);
    check(
        |c| {
            c.permissions = vec![record("???"), record("http://bl.uk/collection")];
            c.permissions.push(Permission {
                criterion: Criterion::Address,
                state: PermissionState::Granted,
                reach: Some(SeedScope::Root),
                from: "2024-03".into(),
                until: "2024-02".into(),
                date: "soon".into(),
                files: vec![EvidenceFile { path: "/etc/passwd".into(), sha256: "00".into() }],
                ..record("(uk,bl,")
            });
            c.grounds.domains = vec!["uk".into(), "http://uk".into()];
            c.grounds.countries = vec!["Britain".into()];
        },
        &[
            "permissions[0].covers: “???” is not a SURT prefix or a URL",
            "permissions[1].reach: without a reach “http://bl.uk/collection” covers all that begins with http://(uk,bl,)/",
            "permissions[2].covers: “(uk,bl,” is not a URL",
            "permissions[2].date: “soon” is no day",
            "permissions[2].until: it ends (2024-02) before it begins (2024-03)",
            "permissions[2].files[0].path: “/etc/passwd” leads out of the workspace and is not read",
            "permissions[2].files[0].sha256: “00” is no SHA-256",
            "grounds.domains[1]: “http://uk” is no domain",
            "grounds.countries[0]: “Britain” is no country code",
        ],
    );
}

#[test]
fn dates_and_unread_fields() {
    check(
        |c| {
            c.schedule.frequency = Frequency::Daily;
            c.schedule.start = Some("soon".into());
        },
        &["schedule.start: “soon” is no date; give ISO 8601 such as 2026-03-01 or 2026-03-01T09:00"],
    );
    check(
        |c| {
            c.other.insert(UNREAD_FIELDS.into(), serde_json::json!({"seeds[0].frequency": "daily"}));
        },
        &["seeds[0].frequency: this version does not know the field; it is kept and has no effect"],
    );
}
