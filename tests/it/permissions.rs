//! On what grounds URLs may be collected, with files that prove it.

use crate::program::{arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::path::Path;

fn workspace(dir: &Path, edit: impl FnOnce(&mut Value)) -> String {
    let folder = dir.join("w").display().to_string();
    fonds(&["new", &folder]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    edit(&mut campaign);
    fonds_with(&["campaign", "add", &folder, "-"], campaign.to_string().as_bytes()).with_status(0);
    folder
}

fn records() -> Value {
    json!([
        {"covers": "http://bl.uk/", "reach": "subdomains", "state": "granted", "licence": "Open UKWA Licence (2014-)",
         "date": "2024-03-01", "requests": [{"date": "2024-02-01", "channel": "email", "contact": "web@bl.uk", "note": "asked"}]},
        {"covers": "http://bl.uk/private/", "reach": "root", "state": "refused"},
        {"covers": "http://poet.example/", "reach": "root", "state": "granted", "criterion": "judgement"}
    ])
}

#[test]
fn every_url_names_the_ground_of_its_collection() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path(), |campaign| {
        campaign["permissions"] = records();
        campaign["grounds"] = json!({"domains": ["scot"]});
        campaign["seeds"] = json!([{"url": "http://www.bl.uk/"}, {"url": "http://a.scot/"}]);
        let rule = json!({"rule": "permission", "states": [], "uncovered": true, "decision": "REJECT"});
        campaign["rules"].as_array_mut().unwrap().push(rule);
    });
    let seeds =
        fonds(&["scope", "permissions", &folder, "1", "--json"]).with_status(0).with_message("The campaign is covered");
    assert_eq!(seeds.json_lines().len(), 2);
    let urls = "http://sub.bl.uk/x\nhttp://bl.uk/private/x\nhttp://notbl.uk/\nhttp://poet.example/\nmailto:a@bl.uk\n";
    let output = fonds_with(&["scope", "permissions", &folder, "1", "-"], urls.as_bytes()).with_status(1).out;
    for line in [
        "granted  http://sub.bl.uk/x  (granted, licence Open UKWA Licence (2014-), on 2024-03-01, inherited from http://bl.uk/)",
        "refused  http://bl.uk/private/x  (refused, inherited from http://bl.uk/private/)",
        "no ground  http://notbl.uk/  (nothing that holds covers it)",
        "    record 3 for http://poet.example/: has no evidence, so it counts for nothing",
        "“mailto:a@bl.uk” is no http or https URL",
    ] {
        assert!(output.contains(line), "“{line}” is missing: {output}");
    }
    let old = fonds_with(&["scope", "permissions", &folder, "1", "-", "--reading", "w3act", "--json"], urls.as_bytes());
    let states: Vec<Value> = old.with_status(1).json_lines().iter().map(|row| row["state"].clone()).collect();
    assert_eq!(
        states,
        ["granted", "granted", "granted", "granted"]
            .map(Value::from)
            .into_iter()
            .chain([Value::Null])
            .collect::<Vec<_>>()
    );
    fonds(&["scope", "permissions", &folder, "1", "--reading", "loose"]).with_status(2).with_message("strict or w3act");
    // The rule asks the same.
    let trace =
        fonds(&["scope", "test", &folder, "1", "http://notbl.uk/", "--json"]).with_status(1).json_lines().remove(0);
    assert_eq!(trace["verdict"]["rule_name"], "PermissionDecideRule", "{trace}");
}

#[test]
fn evidence_is_kept_and_watched() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path(), |campaign| {
        campaign["permissions"] = records();
        campaign["seeds"] = json!([{"url": "http://poet.example/"}]);
    });
    fonds(&["scope", "permissions", &folder, "1"]).with_status(1).with_message("not covered");
    let letter = dir.path().join("..letter of\n thanks.txt");
    std::fs::write(&letter, "It is about here").unwrap();
    let attached =
        fonds(&["scope", "attach", &folder, "1", "3", arg(&letter)]).with_status(0).with_message("1 of 1 files");
    let path = attached.out.split_whitespace().last().unwrap().to_owned();
    assert!(path.starts_with("evidence/") && !path.contains(".."), "{path}");
    fonds(&["scope", "attach", &folder, "1", "3", arg(&letter)]).with_status(0).with_message("0 of 1 files");
    fonds(&["scope", "attach", &folder, "1", "9", arg(&letter)]).with_status(2).with_message("no record 9");
    fonds(&["scope", "attach", &folder, "1", "3", &folder]).with_status(2).with_message("no file");
    fonds(&["scope", "permissions", &folder, "1"]).with_status(0).with_message("is covered");

    let kept = Path::new(&folder).join(&path);
    std::fs::write(&kept, "Something else").unwrap();
    fonds(&["scope", "permissions", &folder, "1"]).with_status(1).with_message("other bytes");
    // The letter once more puts the copy right, also for a record that does not have it yet.
    fonds(&["scope", "attach", &folder, "1", "3", arg(&letter)]).with_status(0).with_message("0 of 1 files");
    fonds(&["scope", "permissions", &folder, "1"]).with_status(0).with_message("is covered");
    std::fs::write(&kept, "Something else").unwrap();
    fonds(&["scope", "attach", &folder, "1", "2", arg(&letter)]).with_status(0).with_message("1 of 1 files");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "It is about here");
    fonds(&["scope", "permissions", &folder, "1"]).with_status(0).with_message("is covered");
    std::fs::remove_file(&kept).unwrap();
    fonds(&["scope", "permissions", &folder, "1"]).with_status(1).with_message("is not there");

    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "export", &folder, "1"]).out).unwrap();
    campaign["permissions"][2]["files"][0]["path"] = json!("../../outside.txt");
    let add = fonds_with(&["campaign", "add", &folder, "-", "--id", "1"], campaign.to_string().as_bytes());
    add.with_status(0).with_message("leads out of the workspace");
    fonds(&["scope", "permissions", &folder, "1"]).with_status(1).with_message("leads out of the workspace");
}
