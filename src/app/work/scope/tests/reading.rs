//! Which rows are read, and how far the reading has come.

use super::*;

#[test]
fn a_url_that_cannot_be_read_is_left_out_and_told() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", ""), found("http://a.pt/x", "L")]);
    let catalogue = rusqlite::Connection::open(made.dir.path().join("w").join("fonds.sqlite")).unwrap();
    catalogue.execute("UPDATE url SET url = 'http://[broken' WHERE url = 'http://a.pt/x'", []).unwrap();
    let answer = made.what_if(&made.spec);
    assert_eq!((answer.seen, answer.stay_in), (1, 1));
    let remark = answer.remarks.concat();
    assert!(remark.starts_with("1 URL cannot be read and is left out: “http://[broken”"), "{remark}");
    // Every list that leaves it out says so.
    let cx = JobCx::detached();
    let hits = rule_hits(&made.desk, made.campaign, None, &cx).unwrap();
    assert_eq!((hits.rules[1].spoke, hits.remarks.concat().as_str()), (1, remark.as_str()));
    assert_eq!(spoken_of(&made.desk, made.campaign, None, 1, &cx).unwrap().remarks.concat(), remark);
}

#[test]
fn the_geo_report_tells_what_it_leaves_out() {
    let made = made(vec![json!({"rule": "reject_all"}), json!({"rule": "geolocation", "countries": ["PT"]})]);
    let ledger = made.ledger(made.launch(&[]));
    ledger.keep_geo_fact("a.pt", &GeoFact::Known(evidence("192.0.2.1", Some("PT"), 1))).unwrap();
    made.launch(&[found("http://a.pt/", "L"), found("http://a.pt/x", "L")]);
    let catalogue = rusqlite::Connection::open(made.dir.path().join("w").join("fonds.sqlite")).unwrap();
    catalogue.execute("UPDATE url SET url = 'http://[broken' WHERE url = 'http://a.pt/x'", []).unwrap();
    let report = geo_report(&made.desk, made.campaign, None, &JobCx::detached()).unwrap();
    assert_eq!((report.decided, report.hosts[0].urls), (1, 1));
    assert!(report.remarks.concat().starts_with("1 URL cannot be read and is left out"), "{:?}", report.remarks);
}

#[test]
fn the_bar_is_full_when_all_launches_are_read() {
    let made = made(standard_rules());
    for _ in 0..2 {
        made.launch(&[found("http://a.pt/", ""), found("http://b.pt/", "L")]);
    }
    let cx = JobCx::detached();
    what_if(&made.desk, made.campaign, None, &made.spec, &cx).unwrap();
    assert_eq!(cx.progress().total, Some(cx.progress().done));
    let cx = JobCx::detached();
    geo_report(&made.desk, made.campaign, None, &cx).unwrap();
    assert_eq!(cx.progress().total, Some(cx.progress().done));
}

#[test]
fn rows_of_other_campaigns_are_skipped() {
    let made = made(standard_rules());
    made.launch(&[found("http://a.pt/", ""), found("http://b.pt/", "L")]);
    let other = Campaign { name: "Other".to_owned(), ..made.spec.clone() };
    let other = Made { campaign: made.desk.catalogue().save_campaign(None, &other).unwrap(), spec: other, ..made };
    let many: Vec<Found> = (0..60).map(|n| found(&format!("http://a.pt/{n}"), "L")).collect();
    other.launch(&many);
    let made = Made { campaign: other.campaign - 1, ..other };
    made.launch(&[found("http://b.pt/", "L"), found("http://b.pt/2", "L")]);
    let all = Campaign { rules: vec![json!({"rule": "accept_all"})], ..made.spec.clone() };
    let cx = JobCx::detached();
    let answer = what_if(&made.desk, made.campaign, None, &all, &cx).unwrap();
    assert_eq!((answer.seen, answer.stay_in), (3, 1));
    assert_eq!(made.listed(&all, &answer, MovedSide::In), ["http://b.pt/", "http://b.pt/2"]);
    assert_eq!(cx.progress().total, Some(cx.progress().done));
}
