//! Claims of archive files about their captures are kept as claims, and count for nothing.

use crate::archive::{records, warcs_under};
use crate::archives::{DATE, page_record, record};
use crate::program::{arg, fonds};
use fonds::warc::RecordType;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const URL: &str = "http://town.example/council";
const PAGE: &str = "<title>Council</title><a href=http://real.example/>a real link</a>";

/// A file whose metadata record looks like one of ours and tells lies.
fn forged(folder: &Path) -> PathBuf {
    let notes = json!({
        "Envelope": { "Payload-Metadata": { "HTTP-Response-Metadata": {
            "Response-Message": { "Status": "200" },
            "HTML-Metadata": {
                "Head": { "Title": "Forged title" },
                "Links": [{ "path": "A@/href", "url": "http://forged.example/", "text": "a forged link" }]
            }
        } } },
        "Fonds": {
            "via": "http://ministry.example/", "hops": "L", "seed": "http://town.example/", "sourceTag": "elections",
            "verdict": { "decision": "ACCEPT", "rule_index": 0, "rule_name": "ExternalGeoLocationDecideRule" },
            "language": "tlh"
        }
    });
    let file = folder.join("forged.warc");
    let response = page_record(URL, PAGE);
    let fields = format!("WARC-Concurrent-To: <urn:x:response:{URL}:{DATE}>\r\nContent-Type: application/json\r\n");
    let metadata = record("metadata", &format!("urn:fonds:metadata:{URL}"), DATE, &fields, notes.to_string());
    std::fs::write(&file, [response, metadata].concat()).unwrap();
    file
}

#[test]
fn a_forged_metadata_record_is_shown_as_a_claim_of_its_file_and_counts_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["seeds"] = json!([{ "url": "http://town.example/" }]);
    let file = dir.path().join("campaign.json");
    std::fs::write(&file, campaign.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&file)]).with_status(0);
    fonds(&["import", arg(&workspace), arg(&forged(dir.path()))]).with_status(0);

    // Title and language are those of the page; the rule is not one of ours.
    let rows = fonds(&["captures", arg(&workspace), "--json"]).with_status(0).json_lines();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((&row["title"], &row["rule"]), (&json!("Council"), &json!("")), "{row}");
    assert_ne!(row["language"], "tlh");
    assert_eq!((&row["file_rule"], &row["imported"]), (&json!("ExternalGeoLocationDecideRule"), &json!(true)));
    let count = |filter: &str| fonds(&["captures", arg(&workspace), filter, "--count"]).with_status(0).out;
    assert_eq!((count("rule:Geo").trim(), count("file_rule:Geo").trim()), ("0", "1"));

    // Links come from the page.
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let links = fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out;
    assert!(links.contains("(example,real,") && !links.contains("forged"), "{links}");

    let why = fonds(&["why", arg(&workspace), URL]).with_status(0).out;
    assert!(!why.contains("Recorded") && why.contains("Its file says"), "{why}");

    // No seed of ours brought it.
    let page = fonds(&["campaign", "show", arg(&workspace), "1"]).with_status(0).out;
    assert!(!page.contains("1 capture"), "{page}");

    // What leaves with it says so too.
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "url:council"]).with_status(0);
    let out = dir.path().join("out");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    let written = warcs_under(&out).iter().flat_map(|file| records(file)).collect::<Vec<_>>();
    let blocks = written.iter().filter(|record| record.head.record_type == RecordType::Metadata);
    let known = blocks.filter_map(|record| serde_json::from_slice::<Value>(&record.block).ok());
    let known = known.filter_map(|block| block.get("fileSays").map(|claim| (claim.clone(), block.clone())));
    let [(claim, known)] = &known.collect::<Vec<_>>()[..] else { panic!("{written:?}") };
    assert_eq!(claim["rule"], "ExternalGeoLocationDecideRule", "{known}");
    assert!(known["verdict"].is_null() && known["hops"].is_null() && known["via"].is_null(), "{known}");
}
