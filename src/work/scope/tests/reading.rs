//! Lists and reports leave out rows that cannot be read, and follow changes since they were
//! counted.

use super::*;

#[test]
fn a_url_that_cannot_be_read_is_left_out_and_reported() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", ""), found("http://a.pt/x", "L")]);
    let catalogue = rusqlite::Connection::open(made.dir.path().join("w").join("fonds.sqlite")).unwrap();
    catalogue.execute("UPDATE url SET url = 'http://[broken' WHERE url = 'http://a.pt/x'", []).unwrap();
    let answer = made.what_if(&made.spec);
    assert_eq!((answer.seen, answer.stay_in), (1, 1));
    let remark = answer.remarks.concat();
    assert!(remark.starts_with("1 URL cannot be read and is left out: “http://[broken”"), "{remark}");
    // Every list that leaves it out has the remark.
    let cx = JobCx::detached();
    let hits = rule_hits(&made.session, made.campaign, None, &cx).unwrap();
    assert_eq!((hits.rules[1].spoke, hits.remarks.concat().as_str()), (1, remark.as_str()));
    assert_eq!(urls_matched_by_rule(&made.session, made.campaign, None, 1, &cx).unwrap().remarks.concat(), remark);
}

#[test]
fn the_geo_report_lists_what_it_leaves_out() {
    let made = made(vec![json!({"rule": "reject_all"}), json!({"rule": "geolocation", "countries": ["PT"]})]);
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_facts(&[("a.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
    made.launch(&[found("http://a.pt/", "L"), found("http://a.pt/x", "L")]);
    let catalogue = rusqlite::Connection::open(made.dir.path().join("w").join("fonds.sqlite")).unwrap();
    catalogue.execute("UPDATE url SET url = 'http://[broken' WHERE url = 'http://a.pt/x'", []).unwrap();
    let report = geo_report(&made.session, made.campaign, None, &JobCx::detached()).unwrap();
    assert_eq!((report.decided, report.hosts[0].urls), (1, 1));
    assert!(report.remarks.concat().starts_with("1 URL cannot be read and is left out"), "{:?}", report.remarks);
}

#[test]
fn a_host_came_in_when_the_first_launch_let_it_in() {
    let made = made(vec![json!({"rule": "reject_all"}), json!({"rule": "geolocation", "countries": ["PT"]})]);
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_facts(&[("a.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
    let catalogue = rusqlite::Connection::open(made.dir.path().join("w").join("fonds.sqlite")).unwrap();
    let launches = [("http://a.pt/old", 100), ("http://a.pt/x", 300), ("http://a.pt/x", 200)].map(|(url, at)| {
        let launch = made.launch(&[found(url, "L"), found("http://a.pt/again", "L")]);
        catalogue.execute("UPDATE seen SET date_ms = ?2 + id WHERE launch = ?1", (launch, at * 1000)).unwrap();
        launch
    });
    let of = |launch| {
        let report = geo_report(&made.session, made.campaign, launch, &JobCx::detached()).unwrap();
        let host = &report.hosts[0];
        (host.first_url.clone(), host.first_seen.seconds(), host.urls)
    };
    assert_eq!(of(None), ("http://a.pt/old".to_owned(), 100, 3));
    assert_eq!(of(Some(launches[1])), ("http://a.pt/x".to_owned(), 300, 2));
    assert_eq!(of(Some(launches[2])), ("http://a.pt/x".to_owned(), 200, 2));
}

#[test]
fn the_bar_is_full_when_all_launches_are_read() {
    let made = made(standard_rules());
    for _ in 0..2 {
        made.launch(&[found("http://a.pt/", ""), found("http://b.pt/", "L")]);
    }
    let cx = JobCx::detached();
    what_if(&made.session, made.campaign, None, &made.spec, &cx).unwrap();
    assert_eq!(cx.progress().total, Some(cx.progress().done));
    let cx = JobCx::detached();
    geo_report(&made.session, made.campaign, None, &cx).unwrap();
    assert_eq!(cx.progress().total, Some(cx.progress().done));
}

#[test]
fn rows_of_other_campaigns_are_skipped() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", ""), found("http://b.pt/", "L")]);
    let other = Campaign { name: "Other".to_owned(), ..made.spec.clone() };
    let other =
        ScopeFixture { campaign: made.session.catalogue().save_campaign(None, &other).unwrap(), spec: other, ..made };
    let many: Vec<FoundUrl> = (0..60).map(|n| found(&format!("http://a.pt/{n}"), "L")).collect();
    other.launch(&many);
    let made = ScopeFixture { campaign: CampaignId::new(other.campaign.get() - 1), ..other };
    made.launch(&[found("http://b.pt/", "L"), found("http://b.pt/2", "L")]);
    let all = Campaign { rules: vec![json!({"rule": "accept_all"})], ..made.spec.clone() };
    let cx = JobCx::detached();
    let answer = what_if(&made.session, made.campaign, None, &all, &cx).unwrap();
    assert_eq!((answer.seen, answer.stay_in), (3, 1));
    assert_eq!(made.listed(&all, &answer, MovedSide::In), ["http://b.pt/", "http://b.pt/2"]);
    assert_eq!(cx.progress().total, Some(cx.progress().done));
}

#[test]
fn rows_between_those_of_others_come_by_number() {
    let made = made(vec![json!({"rule": "reject_all"}), json!({"rule": "geolocation", "countries": ["PT"]})]);
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_facts(&[("a.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
    // What still waits comes first in the index that skips the rows of others.
    let waiting = |url| FoundUrl { fetched: None, ..found(url, "L") };
    made.launch(&[found("http://a.pt/first", "L"), waiting("http://a.pt/second"), found("http://a.pt/third", "L")]);
    let other = Campaign { name: "Other".to_owned(), ..made.spec.clone() };
    let other =
        ScopeFixture { campaign: made.session.catalogue().save_campaign(None, &other).unwrap(), spec: other, ..made };
    other.launch(&(0..60).map(|n| found(&format!("http://a.pt/{n}"), "L")).collect::<Vec<_>>());
    let made = ScopeFixture { campaign: CampaignId::new(other.campaign.get() - 1), ..other };
    made.launch(&[found("http://a.pt/last", "L")]);
    let report = geo_report(&made.session, made.campaign, None, &JobCx::detached()).unwrap();
    assert_eq!(report.hosts[0].first_url, "http://a.pt/first");
    let ids = report.hosts[0].ids.first();
    assert!(ids.len() == 4 && ids.is_sorted(), "{ids:?}");
    let hits = rule_hits(&made.session, made.campaign, None, &JobCx::detached()).unwrap().rules;
    assert!(hits[1].ids.first().len() == 4 && hits[1].ids.first().is_sorted(), "{:?}", hits[1].ids);
}

#[test]
fn what_a_permission_lets_in_came_in_otherwise() {
    let made = made(Vec::new());
    let permission = json!({"rule": "permission", "states": ["granted"], "decision": "ACCEPT"});
    let geolocation = json!({"rule": "geolocation", "countries": ["PT"]});
    let record = json!({
        "covers": "http://a.pt/docs/", "state": "granted", "reach": "root",
        "criterion": "judgement", "evidence": "a letter",
    });
    let mut spec = Campaign {
        rules: vec![json!({"rule": "reject_all"}), permission, geolocation],
        permissions: vec![serde_json::from_value(record).unwrap()],
        ..made.spec.clone()
    };
    spec.grounds.countries = vec!["PT".to_owned()];
    made.session.catalogue().save_campaign(Some(made.campaign), &spec).unwrap();
    let made = ScopeFixture { spec, ..made };
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_facts(&[("a.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))]).unwrap();
    made.launch(&[found("http://a.pt/docs/y", "L"), found("http://a.pt/x", "L")]);
    let report = geo_report(&made.session, made.campaign, None, &JobCx::detached()).unwrap();
    assert_eq!((report.decided, report.otherwise), (2, 1), "{report:?}");
    assert_eq!(report.hosts[0].first_url, "http://a.pt/x");
}

#[test]
fn a_reader_sees_what_seeds_redirected_to_since() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", ""), found("http://b.a.pt/", "L")]);
    let ScopeFixture { dir, session, campaign, spec } = made;
    drop(session);
    let session = Session::new(Workspace::open(&dir.path().join("w")).unwrap());
    let made = ScopeFixture { dir, session, campaign, spec };
    let reader = Session::new(Workspace::open_or_read_only(&made.dir.path().join("w")).unwrap());
    let figures = || what_if(&reader, made.campaign, None, &made.spec, &JobCx::detached()).unwrap();
    assert_eq!((figures().seen, figures().stay_in), (2, 1));
    let revision = reader.catalogue().revision();
    // Another connection, as another process has it.
    let catalogue = rusqlite::Connection::open(made.dir.path().join("w").join("fonds.sqlite")).unwrap();
    let changed = catalogue
        .execute(
            "INSERT INTO capture (launch, url, page, host, date_ms, status, mime, media, size, digest, stored, redirect_to)
             SELECT launch, url, page, host, date_ms, 301, mime, media, size, digest, stored,
                (SELECT id FROM url WHERE url = 'http://b.a.pt/')
             FROM capture WHERE url = (SELECT id FROM url WHERE url = 'http://a.pt/')",
            [],
        )
        .unwrap();
    assert_eq!(changed, 1);
    let answer = figures();
    assert_eq!((answer.seen, answer.stay_in), (2, 2), "what a seed redirects to is a seed");
    assert!(reader.catalogue().revision() > revision);
}

#[test]
fn a_list_marks_rows_that_are_decided_otherwise_since_it_was_counted() {
    let made = made(vec![json!({"rule": "reject_all"})]);
    let launch = made.launch(&[found("http://b.pt/", "L"), found("http://c.pt/", "L")]);
    let country = json!({"rule": "geolocation", "countries": ["PT"], "decision": "ACCEPT"});
    let edited = Campaign { rules: vec![json!({"rule": "reject_all"}), country], ..made.spec.clone() };
    let answer = made.what_if(&edited);
    let list = WhatIfList::Side(MovedSide::Unknown);
    let counted = |answer: &WhatIf, list| -> Vec<(bool, Decision)> {
        let rows = made.rows(&edited, answer, list, 0..9);
        rows.into_iter().map(|row| (row.as_counted, row.after.decision)).collect()
    };
    assert_eq!(counted(&answer, list), [(true, Decision::Reject); 2]);
    made.ledger(launch)
        .keep_geo_facts(&[("b.pt".to_owned(), GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1)))])
        .unwrap();
    assert_eq!(counted(&answer, list), [(false, Decision::Accept), (true, Decision::Reject)]);
    // Made again, lists and counts are of one state.
    let recounted = made.what_if(&edited);
    assert_eq!(counted(&recounted, WhatIfList::Side(MovedSide::In)), [(true, Decision::Accept)]);
    assert_eq!(counted(&recounted, list), [(true, Decision::Reject)]);
}

#[test]
fn names_of_hosts_can_be_stopped() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", ""), found("http://b.pt/", "L")]);
    let all = Campaign { rules: vec![json!({"rule": "accept_all"})], ..made.spec.clone() };
    let answer = made.what_if(&all);
    let cx = JobCx::detached();
    assert_eq!(what_if_hosts(&made.session, &answer, &cx).unwrap().len(), 1);
    cx.cancel();
    assert!(what_if_hosts(&made.session, &answer, &cx).is_err());
    let rows = what_if_rows(&made.session, made.campaign, &all, &answer, WhatIfList::Both, 0..9, &cx, |_| Ok(()));
    assert!(rows.is_err(), "reading a list can be stopped");
}

#[test]
fn no_rule_decides_on_what_the_crawl_needed_itself() {
    let made = made(standard_rules());
    let launch = made.launch(&[found("http://a.pt/1", "L")]);
    let robots = Candidate { hops: "LP".to_owned(), ..Candidate::bare(Url::parse("http://a.pt/robots.txt").unwrap()) };
    let recorded = Verdict::unlisted(Decision::Accept, crate::scope::PREREQUISITE_RULE);
    made.ledger(launch).admit(vec![admission(&robots, recorded.clone(), AdmissionState::Queued)]).unwrap();
    let (seen, _) =
        made.session.catalogue().seen_by_url(made.campaign, None, "http://a.pt/robots.txt").unwrap().unwrap();
    let refusing = Campaign { rules: vec![json!({"rule": "reject_all"})], ..made.spec.clone() };
    for trace in [
        crate::work::why(&made.session, seen).unwrap(),
        crate::work::what_if_trace(&made.session, &refusing, seen).unwrap(),
    ] {
        assert_eq!((trace.verdict, trace.steps.len(), trace.remedy), (recorded.clone(), 0, None));
    }
    let (page, _) = made.session.catalogue().seen_by_url(made.campaign, None, "http://a.pt/1").unwrap().unwrap();
    assert!(crate::work::why(&made.session, page).unwrap().verdict.rule_index.is_some());
}
