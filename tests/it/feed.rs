//! Crawl feeds and jobs of other crawlers, from the outside.

use crate::need;
use crate::program::{arg, fonds};
use serde_json::json;
use std::fs;
use std::path::Path;

fn workspace(dir: &Path) -> String {
    let folder = arg(&dir.join("w")).to_owned();
    fonds(&["new", &folder]).with_status(0);
    folder
}

fn target(id: u32, title: &str, seed: &str, frequency: &str) -> serde_json::Value {
    json!({
        "id": id, "title": title, "seeds": [seed], "scope": "root", "depth": "CAPPED", "ignoreRobotsTxt": false,
        "schedules": [{"startDate": 1_451_606_400_000_i64, "endDate": null, "frequency": frequency}],
        "watched": true, "documentUrlScheme": null, "collections": [4],
    })
}

#[test]
fn a_feed_comes_in_and_goes_out_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let file = dir.path().join("feed.json");
    let good = target(1, "One", "http://one.pt/", "DAILY");
    let feed =
        json!([good, {"id": 2, "title": "Two", "seeds": "http://two.pt/", "schedules": [{"frequency": "OFTEN"}]}]);
    fs::write(&file, feed.to_string()).unwrap();
    fonds(&["feed", "check", arg(&file)])
        .with_status(1)
        .says("entry 1, schedules[0].frequency: “OFTEN” is no frequency");
    let said = fonds(&["feed", "import", &folder, arg(&file), "--json"]).with_status(1);
    let report = &said.json_lines()[0];
    assert_eq!((&report["found"], report["campaigns"].as_array().unwrap().len()), (&json!(2), 1));
    let out = fonds(&["feed", "export", &folder, "--frequency", "daily", "--at", "2024-03-01"]).with_status(0).out;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), json!([good]));
    let none = fonds(&["feed", "export", &folder, "--frequency", "weekly"])
        .with_status(0)
        .says("1 left out: of another frequency");
    assert_eq!(none.out, "[]\n");
    // The same number in the feed of another tool is another target.
    fs::write(&file, json!([target(1, "Uno", "http://uno.pt/", "DAILY")]).to_string()).unwrap();
    fonds(&["feed", "import", &folder, arg(&file)]).with_status(0).says("1 new, 0 changed").says("has this number too");
    fonds(&["feed", "import", &folder, arg(&file)]).with_status(0).says("0 new, 0 changed, 1 unchanged");
    fonds(&["documents", "list", &folder]).with_status(0).says("0 documents").says("2 watched targets");
    fonds(&["feed", "check", arg(&dir.path().join("gone"))]).with_status(2);
}

#[test]
fn a_campaign_goes_to_heritrix_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let campaign = dir.path().join("campaign.json");
    fs::write(&campaign, fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    fonds(&["campaign", "add", &folder, arg(&campaign)]).with_status(0);
    let job = dir.path().join("job");
    fonds(&["campaign", "export", &folder, "1", "--heritrix", arg(&job)]).with_status(0).says("robotsPolicyName");
    fonds(&["campaign", "export", &folder, "1", "--heritrix", arg(&job)]).with_status(2).says("already");
    let yaml = dir.path().join("crawl.yaml");
    fonds(&["campaign", "export", &folder, "1", "--browsertrix", arg(&yaml)]).with_status(0).says("politeness");
    assert!(fs::read_to_string(&yaml).unwrap().contains("scopeType: "));
    let said = fonds(&["import", &folder, arg(&job), "--json"]);
    assert_eq!(said.json_lines()[0]["campaign"], json!(2), "{}", said.err);
    let rules = |id: &str| {
        let out = fonds(&["campaign", "export", &folder, id]).with_status(0).out;
        let spec: serde_json::Value = serde_json::from_str(&out).unwrap();
        (spec["rules"].clone(), spec["seeds"][0]["url"].clone())
    };
    assert_eq!(rules("2"), rules("1"));
}

#[test]
fn the_job_of_the_test_data_comes_in() {
    let Some(job) = need::data("logs/h1-job5") else { return };
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let said = fonds(&["import", &folder, arg(&job)]);
    assert!(said.out.contains("Heritrix 1 job"), "{}", said.err);
    assert!(said.out.contains(
        "crawl.log: 743 lines, 713 URLs, 30 others (dns and the like), 0 with a scope decision, 0 unreadable"
    ));
}
