//! Crawl feeds and jobs of other crawlers, from the outside.

use crate::need;
use crate::program::{arg, fonds, fonds_with};
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
        .with_message("entry 1, schedules[0].frequency: “OFTEN” is no frequency");
    let output = fonds(&["feed", "import", &folder, arg(&file), "--json"]).with_status(1);
    let report = &output.json_lines()[0];
    assert_eq!((&report["found"], report["campaigns"].as_array().unwrap().len()), (&json!(2), 1));
    let out = fonds(&["feed", "export", &folder, "--frequency", "daily", "--at", "2024-03-01"]).with_status(0).out;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), json!([good]));
    let none = fonds(&["feed", "export", &folder, "--frequency", "weekly"])
        .with_status(0)
        .with_message("1 left out: of another frequency");
    assert_eq!(none.out, "[]\n");
    // The same number in the feed of another tool is another target.
    fs::write(&file, json!([target(1, "Uno", "http://uno.pt/", "DAILY")]).to_string()).unwrap();
    fonds(&["feed", "import", &folder, arg(&file)])
        .with_status(0)
        .with_message("1 new, 0 changed")
        .with_message("has this number too");
    fonds(&["feed", "import", &folder, arg(&file)]).with_status(0).with_message("0 new, 0 changed, 1 unchanged");
    fonds(&["documents", "list", &folder]).with_status(0).with_message("0 documents").with_message("2 watched targets");
    fonds(&["feed", "check", arg(&dir.path().join("gone"))]).with_status(2);
}

#[test]
fn a_feed_has_what_stood_on_these_grounds_then() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let file = dir.path().join("feed.json");
    fs::write(&file, json!([target(1, "One", "http://one.pt/", "DAILY")]).to_string()).unwrap();
    fonds(&["feed", "import", &folder, arg(&file)]).with_status(0);
    let text = fonds(&["campaign", "export", &folder, "1"]).with_status(0).out;
    let campaign: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (name, covers) in [("Licensed", "http://one.pt/"), ("Broken", "no prefix")] {
        let mut other = campaign.clone();
        other["name"] = json!(name);
        other["permissions"] = json!([{"covers": covers, "reach": if covers == "no prefix" { json!(null) } else { json!("root") },
            "state": "granted", "criterion": "licence", "licence": "Open", "date": "2024-01-01", "evidence": "letter",
            "from": "2024-02-01", "until": "2024-04-01"}]);
        fonds_with(&["campaign", "add", &folder, "-", "--as-new"], other.to_string().as_bytes()).with_status(0);
    }
    let export = |at: &str| {
        let args = ["feed", "export", &folder, "--frequency", "daily", "--grounds", "by", "--at", at];
        fonds(&args).with_status(0).with_message("note: campaign 3 (Broken): it is left out")
    };
    let targets = |out: &str| serde_json::from_str::<Vec<serde_json::Value>>(out).unwrap().len();
    assert_eq!(targets(&export("2024-03-01").with_message("1 left out: without a licence").out), 1);
    assert_eq!(targets(&export("2024-05-01").with_message("2 left out: without a licence").out), 0);
}

#[test]
fn a_campaign_goes_to_heritrix_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let campaign = dir.path().join("campaign.json");
    fs::write(&campaign, fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    fonds(&["campaign", "add", &folder, arg(&campaign)]).with_status(0);
    let job = dir.path().join("job");
    fonds(&["campaign", "export", &folder, "1", "--heritrix", arg(&job)])
        .with_status(0)
        .with_message("robotsPolicyName");
    fonds(&["campaign", "export", &folder, "1", "--heritrix", arg(&job)]).with_status(2).with_message("already");
    let yaml = dir.path().join("crawl.yaml");
    fonds(&["campaign", "export", &folder, "1", "--browsertrix", arg(&yaml)]).with_status(0).with_message("politeness");
    assert!(fs::read_to_string(&yaml).unwrap().contains("scopeType: "));
    let output = fonds(&["import", &folder, arg(&job), "--json"]);
    assert_eq!(output.json_lines()[0]["campaign"], json!(2), "{}", output.err);
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
    let output = fonds(&["import", &folder, arg(&job)]);
    assert!(output.out.contains("Heritrix 1 job"), "{}", output.err);
    assert!(output.out.contains(
        "crawl.log: 743 lines, 713 URLs, 30 others (dns and the like), 0 with a scope decision, 0 unreadable"
    ));
}
