//! Kill -9 while a selection is handed over, verified or read back: no half
//! export has the final name, the next call comes to the same end, nothing is lost or doubled.

use crate::archive::{file, files_under, page};
use crate::kill::{kill_when, start};
use crate::program::{arg, fonds, fonds_with};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Captures in the workspace.
const CAPTURES: u64 = 300;

/// A workspace with a selection and a decision on every fifth capture.
fn selected(folder: &Path) -> PathBuf {
    let workspace = folder.join("w");
    let url = |n: u64| format!("http://h{}.pt/{n}", n % 7);
    let pages: Vec<Vec<u8>> = (0..CAPTURES)
        .map(|n| page(&url(n), "2024-03-01T09:00:00Z", &format!("<a href={}>ver</a>", url((n + 1) % CAPTURES))))
        .collect();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(folder, "a.warc.gz", &pages))]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    fonds(&["mark", arg(&workspace), "approve", "--filter", "host:h1.pt", "--by", "Ana"]).with_status(0);
    fonds(&["mark", arg(&workspace), "reject", "--filter", "host:h2.pt", "--reason", "ads", "--by", "Rui"])
        .with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "*"]).with_status(0);
    workspace
}

/// Bytes that a folder holds so far.
fn bytes_in(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0;
    // It may be renamed or emptied at any moment.
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

/// The captures of an index, by key and date.
fn places(export: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(export.join("data/indexes/index.cdxj")).unwrap();
    let captures = text.lines().filter(|line| !line.starts_with("urn:"));
    captures.map(|line| line.split(" {").next().unwrap().to_owned()).collect()
}

#[test]
fn an_export_killed_at_twenty_moments_is_whole_or_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = selected(dir.path());
    let (whole, out) = (dir.path().join("whole"), dir.path().join("out"));
    let half = dir.path().join("out.open");
    fonds(&["export", arg(&workspace), "--out", arg(&whole)]).with_status(0);
    let total = bytes_in(&whole);
    let listed = || {
        let session = fonds::work::Session::new(fonds::store::Workspace::open_or_read_only(&workspace).unwrap());
        session.catalogue().exports().unwrap().iter().filter(|row| row.folder.ends_with("out")).count()
    };
    let (mut kills, mut half_written, mut complete) = (0, 0, 0);
    for moment in 0..20 {
        let call = start(&["export", arg(&workspace), "--out", arg(&out)]);
        let is_killed = kill_when(call, || match moment {
            0 => half.exists(),
            19 => out.join("manifest.json").exists(),
            18 => half.join("manifest.json").exists(),
            17 => half.join("report.html").exists(),
            _ => out.exists() || bytes_in(&half) >= total * moment / 17,
        });
        kills += u64::from(is_killed);
        half_written += u64::from(half.exists());
        if out.exists() {
            complete += 1;
            fonds(&["verify", arg(&out)]).with_status(0);
            std::fs::remove_dir_all(&out).unwrap();
        }
    }
    assert!(kills >= 15 && half_written >= 10, "{kills} kills, {half_written} of them in a half-written export");
    let before = listed();
    assert!(before <= complete, "{before} exports are listed, {complete} were whole");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    assert!(!half.exists());
    assert_eq!(listed(), before + 1);
    assert!(places(&out) == places(&whole) && places(&out).len() > 200, "other captures than in an undisturbed export");
    assert_eq!(
        std::fs::read(out.join("data/decisions.jsonl")).unwrap(),
        std::fs::read(whole.join("data/decisions.jsonl")).unwrap()
    );

    // A check changes nothing, whenever it ends.
    let content = |folder: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        files_under(folder).into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    };
    let unchanged = content(&out);
    for round in 0..4 {
        let left = std::cell::Cell::new(round * 20);
        kill_when(start(&["verify", arg(&out)]), || {
            left.set(left.get() - i32::from(left.get() > 0));
            left.get() == 0
        });
    }
    assert!(content(&out) == unchanged);
    fonds(&["verify", arg(&out)]).with_status(0);
}

#[test]
fn a_handover_whose_import_was_killed_comes_in_whole_and_once() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = selected(dir.path());
    let export = dir.path().join("export");
    fonds(&["export", arg(&workspace), "--out", arg(&export)]).with_status(0);
    let rows = |workspace: &Path, call: &[&str]| -> Vec<Value> {
        let call = [call, &[arg(workspace), "--json"]].concat();
        fonds(&call).with_status(0).json_lines()
    };
    let decisions = std::fs::read_to_string(export.join("data/decisions.jsonl")).unwrap();
    let decisions: Vec<Value> = decisions.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let exported = places(&export).len();
    let undisturbed = dir.path().join("undisturbed");
    fonds(&["new", arg(&undisturbed)]).with_status(0);
    fonds(&["import", arg(&undisturbed), arg(&export)]).with_status(0);
    let whole = rows(&undisturbed, &["campaign", "list"])[0]["captures"].clone();
    // Its archive files may have come in before, by themselves.
    let archive_first = dir.path().join("archive-first");
    fonds(&["new", arg(&archive_first)]).with_status(0);
    fonds(&["import", arg(&archive_first), arg(&export.join("data/archive"))]).with_status(0);
    fonds(&["import", arg(&archive_first), arg(&export)]).with_status(0);
    assert_eq!(rows(&archive_first, &["campaign", "list"])[0]["captures"], whole);
    let mut kills = 0;
    for moment in 0..6_u64 {
        let other = dir.path().join(format!("other{moment}"));
        fonds(&["new", arg(&other)]).with_status(0);
        let empty = bytes_in(&other);
        // Later and later, by how far the catalogue has grown.
        let is_killed =
            kill_when(start(&["import", arg(&other), arg(&export)]), || bytes_in(&other) > empty + moment * 150_000);
        kills += u32::from(is_killed);
        fonds(&["import", arg(&other), arg(&export)]).with_status(0);
        fonds(&["import", arg(&other), arg(&export)]).with_status(0);
        let mut came = fonds(&["annotations", "export", arg(&other)]).with_status(0).json_lines();
        for line in &mut came {
            assert!(line.as_object_mut().unwrap().shift_remove("via").is_some(), "each says what it came with");
        }
        assert!(came == decisions, "killed at moment {moment}: other decisions than were handed over");
        let campaigns = rows(&other, &["campaign", "list"]);
        assert_eq!((campaigns.len(), &campaigns[0]["captures"]), (1, &whole), "killed at moment {moment}");
        let session = fonds::work::Session::new(fonds::store::Workspace::open_or_read_only(&other).unwrap());
        let query = fonds::work::models::CaptureQuery {
            tab: fonds::work::models::CaptureTab::All,
            limit: 10_000,
            ..fonds::work::everything()
        };
        assert_eq!(session.catalogue().captures(&query).unwrap().rows.len(), exported, "killed at moment {moment}");
    }
    assert!(kills >= 3, "the import was killed {kills} times only: the kills come too late");
}
