//! Decisions of a person hold: the way of a curator from decisions to a
//! handover that was read back.

use crate::archive::copy_folder;
use crate::archive::{files_under, records, warcs_under};
use crate::need;
use crate::peers::run;
use crate::program::{arg, command, fonds};
use crate::sample::demo;
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::warc::RecordType;
use fonds::work::Session;
use fonds::work::models::{CampaignId, SelectionSpec};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

const PAGE: &str = "http://jornal.vilanova.example/2024/03/estaleiro-gaivota-fecha.html";
const IMAGE: &str = "http://biblioteca.vilanova.example/imagens/sala.png";
const MISSING: &str = "http://assembleia.example/documentos/acta-11.pdf";
const POSTCARD: &str = "http://postcards.example/ria.png";

/// Numbers of the captures that a filter finds.
#[track_caller]
fn ids(workspace: &Path, filter: &str) -> Vec<i64> {
    let rows = fonds(&["captures", arg(workspace), filter, "--json"]).with_status(0).json_lines();
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// All bytes of a folder's files, and what packed ones of them hold.
fn every_byte(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut texts = Vec::new();
    for path in files_under(folder) {
        let name = path.to_string_lossy().into_owned();
        if name.ends_with(".wacz") {
            let unpacked = tempfile::tempdir().unwrap();
            fonds(&["wacz", "extract", &name, "--out", arg(&unpacked.path().join("w"))]).with_status(0);
            texts.extend(every_byte(unpacked.path()));
        }
        let bytes = std::fs::read(&path).unwrap();
        if name.ends_with(".gz") {
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
            texts.push((name, text));
        } else {
            texts.push((name, bytes));
        }
    }
    texts
}

/// Bytes from the middle of what a server sent for a URL, as they stand in the archive.
fn sent(workspace: &Path, url: &str) -> Vec<u8> {
    let of_url = |record: &fonds::warc::Record| {
        record.head.record_type == RecordType::Response && record.head.target_uri().as_deref() == Some(url)
    };
    let files = warcs_under(&workspace.join("output"));
    let record = files.iter().flat_map(|file| records(file)).find(of_url).unwrap();
    let body = memchr::memmem::find(&record.block, b"\r\n\r\n").unwrap() + 4;
    let middle = body + (record.block.len() - body) / 2;
    record.block[middle..].iter().copied().take(64).collect()
}

fn is_export_metadata(record: &fonds::warc::Record) -> bool {
    record.head.headers.get("WARC-Target-URI").is_some_and(|uri| uri.starts_with("urn:fonds:export:"))
}

#[test]
fn a_curators_promise() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let folder = arg(&workspace);
    // The page is selected by its score, the image is one that a selected page shows; of the
    // two that are included none would be in otherwise.
    assert!(!ids(&workspace, &format!("{PAGE} selected:yes")).is_empty());
    assert!(!ids(&workspace, &format!("{IMAGE} requisite:yes")).is_empty());
    for url in [MISSING, POSTCARD] {
        assert!(ids(&workspace, &format!("{url} export:yes")).is_empty(), "{url}");
    }
    let excluded_bytes = [sent(&workspace, PAGE), sent(&workspace, IMAGE)];
    assert!(excluded_bytes.iter().all(|bytes| bytes.len() > 20));

    let marked = |mark: &str, url: &str, reason: &str| {
        let output = fonds(&["mark", folder, mark, "--url", url, "--reason", reason, "--by", "Ana Reis"]);
        assert!(output.with_status(0).out.contains("by Ana Reis"));
    };
    marked("reject", PAGE, "names a person");
    marked("reject", IMAGE, "no permission");
    marked("approve", MISSING, "its absence is the finding");
    marked("approve", POSTCARD, "");
    fonds(&["select", "run", folder, "1"]).with_status(0);
    // Decided after the selection was made: it holds all the same.
    let late = ids(&workspace, "selected:yes host:cuaderno.example")[0];
    fonds(&["mark", folder, "reject", "--id", &late.to_string(), "--by", "Rui"]).with_status(0);
    let excluded = ids(&workspace, "mark:reject");
    let included = ids(&workspace, "mark:approve");
    assert_eq!((excluded.len(), included.len()), (5, 4));
    assert!(ids(&workspace, "mark:reject export:yes").is_empty());
    assert_eq!(ids(&workspace, "mark:approve selected:yes"), included);
    // The filter of a selection is no way around a decision either.
    let of_page = format!("url={PAGE}");
    let preview = fonds(&["select", "preview", folder, "1", "--filter", &of_page, "--json"]).with_status(0);
    let preview = &preview.json_lines()[0];
    assert_eq!((&preview["selected"], &preview["excluded"]), (&json!(included.len()), &json!(excluded.len())));

    let out = dir.path().join("handover");
    let output = fonds(&["export", folder, "--out", arg(&out), "--wacz", "--json"]).with_status(0);
    let report = &output.json_lines()[0];
    assert_eq!((&report["excluded"], &report["included"]), (&json!(5), &json!(4)));
    // Which pages lack the image, and why.
    let lacking: Vec<&Value> =
        report["lacking"].as_array().unwrap().iter().filter(|lack| lack["url"] == IMAGE).collect();
    assert!(!lacking.is_empty());
    for lack in lacking {
        assert_eq!((&lack["who"], &lack["reason"]), (&json!("Ana Reis"), &json!("no permission")));
    }
    let checks = fonds(&["verify", arg(&out), "--json"]).with_status(0).json_lines();
    assert!(checks.iter().all(|check| check["ok"] == true), "{checks:?}");

    // Nothing excluded is in any byte of it.
    let holds = |folder: &Path, some: &[u8]| {
        let found = every_byte(folder).into_iter().filter(|(_, bytes)| memchr::memmem::find(bytes, some).is_some());
        found.map(|(name, _)| name).collect::<Vec<_>>()
    };
    for some in &excluded_bytes {
        assert!(!holds(&workspace.join("output/warcs"), some).is_empty(), "the search finds what is there");
        assert_eq!(holds(&out, some), Vec::<String>::new());
    }
    let mut metadata = Vec::new();
    for file in warcs_under(&out) {
        for record in records(&file) {
            let uri = record.head.target_uri().unwrap_or_default();
            assert!(uri != PAGE && uri != IMAGE, "{uri} is in {}", file.display());
            if is_export_metadata(&record) {
                let value: Value = serde_json::from_slice(&record.block).unwrap();
                metadata.push((uri, value));
            }
        }
    }
    // Everything included is in it, and says so.
    for url in [MISSING, POSTCARD] {
        let of_url: Vec<&Value> = metadata.iter().filter(|(uri, _)| uri == url).map(|(_, value)| value).collect();
        assert_eq!(of_url.len(), 2, "{url}");
        for value in of_url {
            assert_eq!(value["selection"]["role"], "included by hand");
            assert_eq!(
                (&value["annotations"][0]["mark"], &value["annotations"][0]["who"]),
                (&json!("approve"), &json!("Ana Reis"))
            );
        }
    }
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["selection"]["excludedByHand"], 5);
    if let Some([warcio]) = need::peers(["warcio"]) {
        for file in warcs_under(&out) {
            let output = run(&warcio, &out, &["check", "-v", arg(&file)]);
            assert!(!output.contains("digest failed"), "{output}");
        }
    }
}

#[test]
fn a_filter_that_made_a_selection_leaves_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let filter = "host:assembleia.example status:200";
    fonds(&["select", "run", arg(&workspace), "1", "--filter", filter]).with_status(0);
    let out = dir.path().join("handover");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!((&manifest["selection"]["filter"], &manifest["selection"]["threshold"]), (&json!(filter), &Value::Null));
    let file = warcs_under(&out).remove(0);
    let records = records(&file);
    let info = String::from_utf8_lossy(&records[0].block).into_owned();
    assert!(info.contains(&format!("filter “{filter}”")), "{info}");
    let selected = records
        .iter()
        .filter(|record| is_export_metadata(record))
        .map(|record| serde_json::from_slice::<Value>(&record.block).unwrap())
        .find(|value| value["selection"]["role"] == "selected")
        .unwrap();
    assert_eq!(selected["selection"]["filter"], filter);
}

#[test]
fn decisions_are_made_and_taken_back_by_commands() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let folder = arg(&workspace);
    let before = ids(&workspace, "mark:none").len();
    // A look, and calls that make no sense, mark nothing.
    let output = fonds(&["mark", folder, "reject", "--filter", "host:postcards.example", "--dry-run"]).with_status(0);
    assert!(output.out.contains("http://postcards.example/ria.png"), "{}", output.out);
    fonds(&["mark", folder, "reject"]).with_status(2).with_message("--url, --id or --filter");
    fonds(&["mark", folder, "note", "--id", "1"]).with_status(2).with_message("--reason");
    fonds(&["mark", folder, "reject", "--filter", "host:nowhere.example"]).with_status(2).with_message("no capture");
    fonds(&["mark", folder, "reject", "--id", "99999"]).with_status(2).with_message("99999");
    fonds(&["mark", folder, "reject", "--url", "http://nowhere.example/"])
        .with_status(2)
        .with_message("never captured");
    assert_eq!(ids(&workspace, "mark:none").len(), before);
    fonds(&["mark", folder, "flag", "--id", "1", "--id", "2"]).with_status(0);
    fonds(&["mark", folder, "reject", "--id", "2"]).with_status(0);
    assert_eq!(
        (ids(&workspace, "mark:flag -inherited:yes"), ids(&workspace, "mark:reject -inherited:yes")),
        (vec![1], vec![2])
    );
    fonds(&["mark", folder, "note", "--id", "2", "--reason", "=1+1"]).with_status(0);
    assert_eq!(ids(&workspace, "mark:reject -inherited:yes"), [2], "a note is no decision");
    fonds(&["mark", folder, "clear", "--id", "2"]).with_status(0);
    assert_eq!(ids(&workspace, "mark:none").len(), before - ids(&workspace, "mark:flag").len());
    // Lists, in each form.
    let csv = fonds(&["captures", folder, "mark:flag", "--csv", "--columns", "id,mark,url"]).with_status(0).out;
    assert!(csv.starts_with("id,mark,url\r\n1,flag,http"), "{csv}");
    assert_eq!(fonds(&["captures", folder, "--count"]).with_status(0).out.trim(), demo().report.captures.to_string());
    let some = fonds(&["captures", folder, "--sort=-size", "--limit", "3", "--offset", "1", "--json"]).with_status(0);
    let sizes: Vec<u64> = some.json_lines().iter().map(|row| row["size"].as_u64().unwrap()).collect();
    assert!(sizes.len() == 3 && sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    fonds(&["captures", folder, "--columns", "colour"]).with_status(2).with_message("colour");
    fonds(&["captures", folder, "colour:red"]).with_status(2).with_message("colour");
}

#[test]
fn a_decision_names_the_person_whoever_calls() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let by = |variables: &[(&str, &str)], more: &[&str]| {
        let mut call = command(&[&["mark", arg(&workspace), "flag", "--id", "1", "--json"], more].concat());
        for name in ["USER", "LOGNAME", "USERNAME"] {
            call.env_remove(name);
        }
        let output = call.envs(variables.iter().copied()).output().unwrap();
        let row: Value = serde_json::from_slice(&output.stdout).unwrap();
        row["by"].as_str().unwrap().to_owned()
    };
    assert_eq!(by(&[("USER", "ana")], &[]), "ana");
    assert_eq!(by(&[("USER", "ana")], &["--by", "Rui Leal"]), "Rui Leal");
    // Where no variable says it, the account does; nobody is “somebody”.
    let account = by(&[], &[]);
    assert!(!account.is_empty() && account != "somebody", "{account}");
}

#[test]
fn an_export_has_the_saved_threshold_not_one_that_was_tried_since() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &folder);
    let session = Session::new(Workspace::open(&folder).unwrap());
    let tried = SelectionSpec {
        campaign: CampaignId::new(1),
        threshold: 0.9,
        with_requisites: false,
        ..SelectionSpec::default()
    };
    let out = dir.path().join("handover");
    session.export(&tried, &out, Default::default(), &JobCx::detached()).unwrap();
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let selection = &manifest["selection"];
    assert_eq!((&selection["threshold"], &selection["embeddedResources"]), (&json!(0.3), &json!(false)));
    assert_eq!(selection["selected"], demo().report.selected);
}
