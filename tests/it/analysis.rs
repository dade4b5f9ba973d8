//! Analyses by command: kills and stops, what leaves with a handover and comes back, personal data, small counts.

use crate::archive::{field, file, knowledge_of, page, records, warcs_under};
use crate::kill::{kill_when, start};
use crate::peers_formats::{against_shapes, validated};
use crate::program::{arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages of the workspace.
const PAGES: usize = 240;

/// A workspace with a campaign that names two deputies, of which one is on pages, and an authority file.
fn workspace(dir: &Path) -> PathBuf {
    let workspace = dir.join("w");
    let about = |n: usize| match n % 4 {
        0 => "Ontem a deputada Amélia Vaz falou em Vila Nova com o grupo Estaleiro Gaivota.",
        1 => "O grupo Estaleiro Gaivota mostrou hoje a obra de Rosa Nobre em Vila Nova.",
        2 => "A obra de Rosa Nobre ficou em Vila Nova, com a deputada Amélia Vaz e o grupo.",
        _ => "Hoje choveu muito e o jornal não saiu, para assinar: assinaturas@jornal.pt e mais nada.",
    };
    let html = |n: usize| format!("<html lang=pt><title>Notícia {n}</title><p>{} o número {n}.</p></html>", about(n));
    let url = |n: usize| format!("http://jornal{}.pt/{n}", n % 3);
    let pages: Vec<Vec<u8>> = (0..PAGES).map(|n| page(&url(n), "2024-03-01T09:00:30Z", &html(n))).collect();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    let person = |name: &str| json!({ "term": { "kind": "person", "value": name, "weight": 1.0 } });
    campaign["request"] = json!({ "or": [person("Amélia Vaz"), person("Ana Nunca")] });
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir, "a.warc.gz", &pages))]).with_status(0);
    fonds(&["files", "assign", arg(&workspace), "1", "1"]).with_status(0);
    let names = dir.join("deputies.csv");
    std::fs::write(&names, "name,uri,kind\nRosa Nobre,urn:x:7,person\nVila Nova,urn:x:8,place\nInês Nunca,,person\n")
        .unwrap();
    fonds(&["entities", "load", arg(&workspace), arg(&names)]).with_status(0);
    workspace
}

fn entities(workspace: &Path) -> Vec<Value> {
    fonds(&["entities", "list", arg(workspace), "--limit", "0", "--json"]).with_status(0).json_lines()
}

#[test]
fn an_analysis_that_is_killed_or_stopped_goes_on_and_ends_as_an_undisturbed_one() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let kept = workspace.join("analysis/analysis.sqlite");
    fonds(&["index", arg(&workspace)]).with_status(0);
    fonds(&["analyse", arg(&workspace)]).with_status(0);
    let undisturbed = entities(&workspace);
    assert!(undisturbed.len() > 3);
    std::fs::remove_dir_all(workspace.join("analysis")).unwrap();
    let bytes = || std::fs::metadata(&kept).map_or(0, |file| file.len());
    for least in [0, 1, 60_000] {
        kill_when(start(&["analyse", arg(&workspace)]), || kept.exists() && bytes() >= least);
    }
    let mut child = start(&["analyse", arg(&workspace)]);
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success();
    let status = child.wait().unwrap();
    // It may have ended before.
    assert!(interrupted && (status.code() == Some(130) || status.success() || status.code().is_none()), "{status}");
    fonds(&["analyse", arg(&workspace)]).with_status(0);
    assert_eq!(entities(&workspace), undisturbed);
    let runs = fonds(&["analyse", "list", arg(&workspace), "--json"]).with_status(0).json_lines();
    assert!(!runs.is_empty() && runs.iter().all(|run| !run["ended"].is_null()), "{runs:?}");
}

/// The JSON metadata records of an export.
fn metadata(export: &Path) -> Vec<Value> {
    let files = warcs_under(export);
    let all = files.iter().flat_map(|file| records(file));
    let own =
        all.filter(|of| of.head.record_type.as_str() == "metadata" && field(of, "Content-Type") == "application/json");
    own.map(|record| serde_json::from_slice(&record.block).unwrap()).collect()
}

#[test]
fn entities_leave_with_a_handover_and_what_persons_decided_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    fonds(&["entities", "merge", arg(&workspace), "Estaleiro", "--into", "Estaleiro Gaivota", "--by", "Ana"])
        .with_status(0);
    fonds(&["analyse", arg(&workspace)]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--threshold", "0", "--weight", "entities=0.5"]).with_status(0);
    let (out, without) = (dir.path().join("out"), dir.path().join("without"));
    let written = fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0).out;
    let listed = fonds(&["analyse", "personal", arg(&workspace), "--campaign", "1", "--query", "selected:yes"]);
    let listed = listed.with_status(1).out;
    assert_eq!(listed.lines().count(), PAGES / 4);
    assert!(
        written.contains(&format!("personal data in {} selected texts; list them: fonds analyse personal", PAGES / 4))
    );
    fonds(&["verify", arg(&out)]).with_status(0);

    let records = metadata(&out);
    let named = records.iter().filter(|record| record["entities"].is_object());
    assert_eq!(named.count(), PAGES * 3 / 4);
    let mut vaz = 0;
    for entity in records.iter().flat_map(|record| record["entities"]["list"].as_array().into_iter().flatten()) {
        for place in entity["places"].as_array().unwrap() {
            let length = place["end"].as_u64().unwrap() - place["start"].as_u64().unwrap();
            assert_eq!(place["text"].as_str().unwrap().chars().count() as u64, length, "{entity}");
        }
        vaz += u64::from(entity["name"] == "Amélia Vaz" && entity["source"] == "campaign 1");
    }
    assert_eq!(vaz, (PAGES / 2) as u64);
    let knowledge = knowledge_of(&out);
    let mentions = "<https://schema.org/mentions> <urn:x:7>";
    assert_eq!(knowledge.matches(mentions).count(), PAGES / 2);
    assert_eq!(knowledge.matches("<urn:x:7> <http://www.w3.org/2000/01/rdf-schema#label> \"Rosa Nobre\"").count(), 1);
    assert!(
        knowledge.contains("<urn:fonds:ns:Analysis>") && knowledge.contains("<urn:fonds:ns:weightOfEntities> \"0.5\"")
    );
    {
        let handover = &out;
        let entities: Value =
            serde_json::from_slice(&std::fs::read(handover.join("data/entities.json")).unwrap()).unwrap();
        let of_records = metadata(handover).into_iter().map(|record| ("metadata", record));
        let documents: Vec<(&str, Value)> = of_records.chain([("entities", entities)]).collect();
        for (name, errors) in validated(handover, dir.path(), &documents).into_iter().flatten() {
            assert_eq!(errors, Vec::<String>::new(), "{name}");
        }
        if let Some((_, conforms, why)) = against_shapes(handover, &handover.join("data/knowledge.nq.gz")) {
            assert!(conforms, "{why}");
        }
    }
    let report = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains("Amélia Vaz") && report.contains("Inês Nunca"), "names of files have rows, found or not");

    let options = ["export", arg(&workspace), "--out", arg(&without), "--without-persons"];
    let written = fonds(&options).with_status(0).out;
    assert!(written.contains("persons left out of what is said of entities"), "{written}");
    fonds(&["verify", arg(&without)]).with_status(0);
    let all: Vec<Value> = metadata(&without).into_iter().map(|record| record["entities"].clone()).collect();
    assert!(all.iter().any(|of| of["withoutPersons"] == true));
    let kinds = all.iter().flat_map(|of| of["list"].as_array().into_iter().flatten()).map(|entity| &entity["kind"]);
    assert!(kinds.into_iter().all(|kind| kind != "person"));
    let knowledge = knowledge_of(&without);
    assert!(
        !knowledge.contains("schema.org/Person") && !knowledge.contains("<urn:x:7>") && knowledge.contains("<urn:x:8>")
    );
    let document = std::fs::read_to_string(without.join("data/entities.json")).unwrap();
    assert!(
        !document.contains("Rosa Nobre") && !document.contains("Inês") && document.contains("Vila Nova"),
        "{document}"
    );
    let report = std::fs::read_to_string(without.join("report.md")).unwrap();
    assert!(report.contains("Persons are left out of this table") && !report.contains("| Inês Nunca"), "{report}");

    // A refusal writes nothing.
    let refused = dir.path().join("refused");
    let why = fonds(&["export", arg(&workspace), "--out", arg(&refused), "--refuse-personal-data"]).err;
    assert!(why.contains("nothing was written: personal data in 60 selected texts; list them: fonds analyse"), "{why}");
    assert!(!refused.exists());

    // What persons loaded and decided comes back, once.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    for _ in 0..2 {
        fonds(&["import", arg(&other), arg(&out)]).with_status(0);
        let loaded = fonds(&["entities", "load", arg(&other), "--json"]).with_status(0).json_lines();
        assert_eq!((loaded.len(), &loaded[0]["name"], &loaded[0]["entities"]), (1, &json!("deputies.csv"), &json!(3)));
    }
    fonds(&["analyse", arg(&other)]).with_status(0);
    let figures = |workspace: &Path| -> Vec<(String, String, u64)> {
        let of = |row: &Value| (row["name"].to_string(), row["uri"].to_string(), row["pages"].as_u64().unwrap());
        let mut all: Vec<_> = entities(workspace).iter().map(of).collect();
        all.sort();
        all
    };
    assert_eq!(figures(&other), figures(&workspace));
}

#[test]
fn tables_that_leave_have_no_small_counts() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    fonds(&["analyse", arg(&workspace)]).with_status(0);
    for (least, name) in [(5_u64, "5"), (100, "100"), (1, "1")] {
        let list = ["entities", "list", arg(&workspace), "--limit", "0", "--csv", "--least", name];
        let terms = ["analyse", "show", arg(&workspace), "--limit", "5000", "--csv", "--least", name];
        let matrix = ["overview", arg(&workspace), "1", "--matrix", "--least", name];
        for (call, separator, columns) in [(&list[..], ',', 4..6), (&terms, ',', 1..4), (&matrix, '\t', 1..5)] {
            let result = fonds(call).with_status(0);
            let mut rows = result.out.lines().map(|line| line.split(separator).collect::<Vec<_>>());
            let _head = rows.next().unwrap();
            for row in rows {
                for cell in &row[columns.start..columns.end.min(row.len())] {
                    let count: Option<u64> = cell.parse().ok();
                    assert!(count.is_none_or(|count| count == 0 || count >= least), "{call:?}: {row:?}");
                }
            }
            assert!(least < 100 || result.err.contains("left out"), "{call:?}: {}", result.err);
        }
    }
}
