//! Inheritance and criteria by table, strict and as W3ACT read them.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::scope::{AddressCountry, AnswerSource, GeoEvidence};
use crate::uri::parse_web_url;

fn candidate(url: &str) -> Candidate {
    Candidate::bare(parse_web_url(url).unwrap())
}

fn record(covers: &str, reach: SeedScope, state: PermissionState) -> Permission {
    Permission { covers: covers.to_owned(), state, reach: Some(reach), ..Permission::default() }
}

fn judgement(covers: &str, reach: SeedScope) -> Permission {
    Permission {
        criterion: Criterion::Judgement,
        evidence: "British by its content".to_owned(),
        ..record(covers, reach, PermissionState::Granted)
    }
}

fn uk(reading: Reading) -> Grounds {
    let domains = ["uk", "london", "scot", "wales", "cymru"].map(str::to_owned).to_vec();
    Grounds { reading, domains, countries: vec!["GB".to_owned()], ..Grounds::default() }
}

fn only(reading: Reading) -> Grounds {
    Grounds { reading, ..Grounds::default() }
}

fn hosted_in(countries: &[&str]) -> Facts {
    let place = |(n, country): (usize, &&str)| {
        let address = format!("192.0.2.{n}").parse().unwrap();
        AddressCountry::new(address, "192.0.2.0/24", Some((*country).to_owned()))
    };
    let evidence = GeoEvidence {
        date: CaptureDate::default(),
        addresses: countries.iter().enumerate().map(place).collect(),
        database: "Test".to_owned(),
        database_build: CaptureDate::default(),
        source: AnswerSource::Resolver,
    };
    Facts { geo: GeoFact::Known(evidence), ..Facts::default() }
}

/// Whether records cover each URL, strict and as W3ACT read them.
#[track_caller]
fn check(records: &[Permission], expected: &[(&str, bool, bool)]) {
    for (url, strict, w3act) in expected {
        for (reading, granted) in [(Reading::Strict, strict), (Reading::W3act, w3act)] {
            let permissions = Permissions::compile(records, &only(reading)).unwrap();
            let derived = permissions.derive(&candidate(url), &Facts::default());
            assert_eq!(derived.is_granted(), *granted, "{url} {reading:?} {derived:?}");
            let fast = permissions.basis(&candidate(url), &Facts::default()).state();
            assert_eq!(fast, derived.state, "{url}: the rule and its derivation differ");
        }
    }
}

#[test]
fn what_a_record_passes_down_the_host_tree() {
    use SeedScope::{Plus1, Resource, Root, Subdomains};
    // The table of W3ACT's own test of inheritance, and its faults.
    check(
        &[judgement("http://example.com/", Subdomains)],
        &[
            ("http://example.com/", true, true),
            ("http://www.example.com/", true, true),
            ("http://subdomain.example.com/", true, true),
            ("http://example.com/subsection/", true, true),
            ("https://a.b.example.com:8443/x?y", true, true),
            ("http://notexample.com/", false, true),
            ("http://example.com.evil.test/", false, false),
        ],
    );
    check(
        &[judgement("http://example.com/", Root)],
        &[
            ("http://subdomain.example.com/", false, false),
            ("http://example.com/subsection/", true, true),
            ("http://www.example.com/subsection/", true, true),
            ("https://example.com/subsection/", true, false),
            ("http://example.com:8080/", false, false),
        ],
    );
    check(
        &[judgement("http://example.com/subsection/", Root)],
        &[
            ("http://example.com/subsection/subsubsection/", true, true),
            ("http://example.com/", false, false),
            ("http://subdomain.example.com/", false, false),
        ],
    );
    // Without its slash a path ends at a segment, not in the middle of a name.
    check(
        &[judgement("http://bl.uk/collection", Root)],
        &[
            ("http://bl.uk/collection", true, true),
            ("http://bl.uk/collection/1", true, true),
            ("http://bl.uk/collection?page=2", true, true),
            ("http://bl.uk/collections", false, true),
            ("http://bl.uk/", false, false),
        ],
    );
    for reach in [Resource, Plus1] {
        check(
            &[judgement("http://bl.uk/a", reach)],
            &[("http://bl.uk/a", true, true), ("https://www.bl.uk/a", true, false), ("http://bl.uk/a/b", false, false)],
        );
    }
    check(
        &[judgement("http://bl.uk", Subdomains)],
        &[("http://notbl.uk/", false, true), ("http://bl.uk/", true, true)],
    );
    check(
        &[judgement("http://192.0.2.1/", Subdomains)],
        &[("http://192.0.2.1/a", true, true), ("http://192.0.2.10/", false, false)],
    );
}

#[test]
fn a_typed_prefix_ends_where_a_name_does() {
    let prefix = |covers: &str| Permission {
        covers: covers.to_owned(),
        state: PermissionState::Granted,
        ..Permission::default()
    };
    for (covers, url, covered) in [
        ("(uk,bl", "http://www.bl.uk/", true),
        ("(uk,bl", "http://bl.uk/", true),
        ("(uk,bl", "http://blah.uk/", false),
        ("(uk,bl,", "http://www.bl.uk/", true),
        ("(uk,bl,)/sobre", "http://bl.uk/sobre/a", true),
        ("(uk,bl,)/sobre", "http://bl.uk/sobremesa", false),
        ("http://bl.uk", "https://a.bl.uk:8080/x", true),
    ] {
        let permissions = Permissions::compile(&[prefix(covers)], &only(Reading::Strict)).unwrap();
        assert_eq!(permissions.derive(&candidate(url), &Facts::default()).is_granted(), covered, "{covers} {url}");
    }
}

proptest::proptest! {
    #[test]
    fn a_host_inherits_by_whole_labels_only(parent in "[a-c]{1,2}(\\.[a-c]{1,2}){1,2}", child in "[a-c]{1,3}(\\.[a-c]{1,2}){1,3}") {
        let record = judgement(&format!("http://{parent}/"), SeedScope::Subdomains);
        let permissions = Permissions::compile(&[record], &only(Reading::Strict)).unwrap();
        let granted = permissions.derive(&candidate(&format!("https://{child}/x")), &Facts::default()).is_granted();
        let (parent, child): (Vec<&str>, Vec<&str>) = (parent.split('.').collect(), child.split('.').collect());
        proptest::prop_assert_eq!(granted, child.ends_with(&parent));
    }
}

#[test]
fn the_closest_record_decides_and_a_refusal_counts_in_the_strict_reading() {
    use PermissionState::{Granted, Refused, Superseded};
    use SeedScope::{Resource, Root, Subdomains};
    let records = [
        record("http://bl.uk/", Subdomains, Granted),
        record("http://bl.uk/private/", Root, Refused),
        record("http://bl.uk/private/open.html", Resource, Granted),
        record("http://old.bl.uk/", Subdomains, Superseded),
    ];
    check(
        &records,
        &[
            ("http://bl.uk/a", true, true),
            ("http://bl.uk/private/a", false, true),
            ("http://bl.uk/private/open.html", true, true),
            ("http://old.bl.uk/", true, true),
        ],
    );
    let derived = Permissions::compile(&records, &only(Reading::Strict))
        .unwrap()
        .derive(&candidate("http://old.bl.uk/"), &Facts::default());
    assert_eq!(derived.steps[0].result, "superseded by another record");
    let permissions = Permissions::compile(&records, &only(Reading::Strict)).unwrap();
    let derived = permissions.derive(&candidate("http://sub.bl.uk/a"), &Facts::default());
    assert_eq!((derived.record, derived.inherited_from.as_deref()), (Some(0), Some("http://bl.uk/")));
    assert_eq!(derived.why, "granted, inherited from http://bl.uk/");
    let derived = permissions.derive(&candidate("https://www.bl.uk/"), &Facts::default());
    assert_eq!((derived.record, derived.inherited_from), (Some(0), None));
    let derived = permissions.derive(&candidate("http://bl.uk/private/x"), &Facts::default());
    let steps: Vec<(&str, &str, bool)> =
        derived.steps.iter().map(|step| (step.what.as_str(), step.result.as_str(), step.deciding)).collect();
    assert_eq!(
        steps,
        [
            ("record 2 for http://bl.uk/private/", "refused", true),
            ("record 1 for http://bl.uk/", "granted, but a closer record or an earlier one decides", false),
        ]
    );
}

#[test]
fn neither_a_user_nor_another_port_steps_around_a_refusal() {
    use PermissionState::{Granted, Pending, Refused};
    use SeedScope::{Resource, Root};
    let prefix = |covers: &str, state| Permission { covers: covers.to_owned(), state, ..Permission::default() };
    let state_of = |records: &[Permission], url: &str| {
        let permissions = Permissions::compile(records, &uk(Reading::Strict)).unwrap();
        let derived = permissions.derive(&candidate(url), &Facts::default());
        assert_eq!(permissions.basis(&candidate(url), &Facts::default()).state(), derived.state, "{url}");
        derived.state
    };
    for refusal in [
        record("https://secret.uk/", Root, Refused),
        record("https://me@secret.uk/", Root, Refused),
        prefix("(uk,secret,)/", Refused),
        prefix("http://secret.uk/", Refused),
    ] {
        for url in [
            "http://secret.uk/private",
            "http://x@secret.uk/private",
            "http://x:y@secret.uk/private",
            "http://x)@secret.uk/private",
            "https://secret.uk:8443/",
            "https://x@secret.uk:8443/a?b=@:)",
            "https://x@www.secret.uk:8443/",
        ] {
            let expected = if refusal.reach.is_none() && url.contains("www.") { Granted } else { Refused };
            assert_eq!(state_of(std::slice::from_ref(&refusal), url), Some(expected), "{} {url}", refusal.covers);
        }
        // The path is no user and no port.
        assert_eq!(state_of(std::slice::from_ref(&refusal), "http://open.uk/@secret.uk:80/"), Some(Granted));
    }
    let page = record("http://secret.uk/a", Resource, Pending);
    assert_eq!(state_of(std::slice::from_ref(&page), "http://x@secret.uk:81/a"), Some(Pending));
    assert_eq!(state_of(std::slice::from_ref(&page), "http://x@secret.uk:81/ab"), Some(Granted));
    // A record about a port covers that port only, and is closer than one about the host.
    let ports = [record("http://[2001:db8::1]/", Root, Refused), record("http://[2001:db8::1]:8080/", Root, Granted)];
    let open = record("http://[2001:db8::1]:81/", Root, Refused);
    assert_eq!(state_of(&ports, "http://x@[2001:db8::1]:8081/a"), Some(Refused));
    assert_eq!(state_of(&ports, "http://x@[2001:db8::1]:8080/a"), Some(Granted));
    assert_eq!(state_of(&[open], "http://[2001:db8::1]/a"), None);
    // A grant does not widen to other ports.
    let granted = judgement("http://a.example/", Root);
    assert_eq!(state_of(std::slice::from_ref(&granted), "http://x@a.example/b"), Some(Granted));
    assert_eq!(state_of(&[granted], "http://a.example:8080/b"), None);
}

#[test]
fn evidence_of_a_person_has_to_be_there() {
    let bare = Permission { evidence: String::new(), ..judgement("http://a.example/", SeedScope::Root) };
    check(std::slice::from_ref(&bare), &[("http://a.example/", false, true)]);
    let file = crate::campaign::EvidenceFile { path: "evidence/a.pdf".to_owned(), sha256: "0".repeat(64) };
    check(&[Permission { files: vec![file], ..bare }], &[("http://a.example/", true, true)]);
}

#[test]
fn domains_and_hosting_cover_what_no_record_does() {
    #[track_caller]
    fn check(url: &str, facts: &Facts, strict: Option<Criterion>, w3act: Option<Criterion>) {
        for (reading, expected) in [(Reading::Strict, strict), (Reading::W3act, w3act)] {
            let permissions = Permissions::compile(&[], &uk(reading)).unwrap();
            let derived = permissions.derive(&candidate(url), facts);
            assert_eq!(derived.criterion, expected, "{url} {reading:?} {derived:?}");
            assert_eq!(permissions.basis(&candidate(url), facts).state(), derived.state);
        }
    }
    let (domain, hosting) = (Some(Criterion::Domain), Some(Criterion::Hosting));
    let unknown = Facts::default();
    check("http://www.gov.uk/", &unknown, domain, domain);
    check("http://www.google.scot/", &unknown, domain, domain);
    check("http://www.gov.com/", &unknown, None, None);
    // The path is no host.
    check("http://www.ukbiologycompetitions.org/dfsfsf.uk", &unknown, None, None);
    check("http://notuk/", &unknown, None, None);
    check("http://www.gov.com/", &hosted_in(&["GB"]), hosting, hosting);
    check("http://109.123.65.110/", &hosted_in(&["GB"]), hosting, hosting);
    check("http://www.gov.com/", &hosted_in(&["US"]), None, None);
    // With a foot abroad: the old reading uses the first address only.
    check("http://www.gov.com/", &hosted_in(&["GB", "US"]), None, hosting);
    check("http://www.gov.com/", &hosted_in(&["US", "GB"]), None, None);

    let failed = Facts { geo: GeoFact::Failed { why: "no answer".to_owned() }, ..Facts::default() };
    for (reading, message) in [(Reading::Strict, "not known: no answer"), (Reading::W3act, "not in the country")] {
        let permissions = Permissions::compile(&[], &uk(reading)).unwrap();
        let derived = permissions.derive(&candidate("http://www.gov.com/"), &failed);
        assert!(derived.steps[1].result.contains(message), "{derived:?}");
    }
}

#[test]
fn the_seeds_of_a_campaign_are_judged_together() {
    #[track_caller]
    fn check(seeds: &[(&str, &[&str])], reading: Reading, expected: (bool, bool, bool)) {
        let permissions = Permissions::compile(&[], &uk(reading)).unwrap();
        let seeds: Vec<_> = seeds.iter().map(|(url, countries)| (candidate(url), hosted_in(countries))).collect();
        let verdict = permissions.of_seeds(&seeds);
        assert_eq!((verdict.covered, verdict.all_by_domain, verdict.all_by_hosting), expected, "{verdict:?}");
    }
    use Reading::{Strict, W3act};
    for reading in [Strict, W3act] {
        check(&[("http://a.uk/", &["GB"])], reading, (true, true, true));
        // Each seed has a ground, but not all the same: the flags of the feed are false.
        check(&[("http://a.uk/", &["US"]), ("http://b.com/", &["GB"])], reading, (true, false, false));
        check(&[("http://a.uk/", &["US"]), ("http://b.com/", &["US"])], reading, (false, false, false));
    }
    check(&[], Strict, (false, false, false));
    check(&[], W3act, (true, true, true));
}

#[test]
fn grounds_that_make_no_sense_are_named() {
    for (domain, country, message) in [("u k", "GB", "no domain"), ("uk", "Britain", "no country code")] {
        let grounds =
            Grounds { domains: vec![domain.to_owned()], countries: vec![country.to_owned()], ..Grounds::default() };
        let error = Permissions::compile(&[], &grounds).unwrap_err();
        assert!(error.starts_with("grounds: ") && error.contains(message), "{error}");
    }
    let no_url = Permission { covers: "(uk,bl,".to_owned(), ..judgement("", SeedScope::Root) };
    assert!(Permissions::compile(&[no_url], &Grounds::default()).unwrap_err().contains("reach"));
}
