//! Files that prove permissions: they stay with their records, leave with every
//! capture that rests on them, and are missed aloud.

use crate::archive::{file, knowledge_of, page, records, warcs_under};
use crate::program::{CallResult, arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const TARGET: &str = "http://www.a.pt/sobre";
const LETTER: &str = "You may collect it.";

/// A workspace with two pages, a campaign whose first record permits one of them, and a letter that proves it.
pub struct Permitted {
    pub folder: PathBuf,
    /// The letter, as it was before it was attached.
    letter: PathBuf,
    /// Its path in the workspace.
    pub path: String,
    sha256: String,
    /// The campaign before the letter was attached, as it was written.
    before: Value,
    /// The same as it was exported.
    first: Value,
}

impl Permitted {
    pub fn new(dir: &Path, letter: &str) -> Self {
        let folder = dir.join("w");
        let w = arg(&folder);
        let mut before: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
        before["permissions"] = json!([
            {"covers": "http://www.a.pt/", "reach": "root", "state": "granted", "licence": "Letter of 3 May"},
            {"covers": "http://www.b.pt/", "reach": "root", "state": "pending", "licence": "Letter of 3 May"},
        ]);
        before["grounds"] = json!({"domains": ["scot"]});
        before["seeds"] = json!([{"url": "http://www.a.pt/"}]);
        fonds(&["new", w]).with_status(0);
        fonds_with(&["campaign", "add", w, "-"], before.to_string().as_bytes()).with_status(0);
        let first = serde_json::from_str(&fonds(&["campaign", "export", w, "1"]).with_status(0).out).unwrap();
        let letter = dir.join(letter);
        fs::write(&letter, LETTER).unwrap();
        let attached = fonds(&["scope", "attach", w, "1", "1", arg(&letter)]).with_status(0).out;
        let (sha256, path) = attached.trim().split_once("  ").unwrap();
        let (path, sha256) = (path.to_owned(), sha256.to_owned());
        let pages = [
            page(TARGET, "2024-03-01T09:00:30Z", "<title>Sobre</title>"),
            page("http://www.a.pt/outra", "2024-03-01T09:01:30Z", "<p>Outra"),
            page("http://x.scot/", "2024-03-01T09:02:30Z", "<p>Scot"),
            page("http://www.c.pt/", "2024-03-01T09:03:30Z", "<p>Nobody was asked"),
        ];
        fonds(&["import", w, arg(&file(dir, "a.warc.gz", &pages))]).with_status(0);
        fonds(&["select", "run", w, "1", "--filter", "*"]).with_status(0);
        Self { folder, letter, path, sha256, before, first }
    }

    fn add(&self, campaign: &Value) -> CallResult {
        fonds_with(&["campaign", "add", arg(&self.folder), "-", "--id", "1"], campaign.to_string().as_bytes())
    }

    fn exported(&self) -> Value {
        serde_json::from_str(&fonds(&["campaign", "export", arg(&self.folder), "1"]).with_status(0).out).unwrap()
    }

    pub fn export_handover(&self, out: &Path) -> CallResult {
        fonds(&["export", arg(&self.folder), "--out", arg(out)])
    }
}

fn imported(dir: &Path, name: &str, handover: &Path) -> (PathBuf, CallResult) {
    let folder = dir.join(name);
    fonds(&["new", arg(&folder)]).with_status(0);
    let result = fonds(&["import", arg(&folder), arg(handover)]);
    (folder, result)
}

/// The metadata records of a handover, by URL.
fn metadata_of(out: &Path, url: &str) -> Value {
    let found = warcs_under(&out.join("data/archive")).iter().flat_map(|file| records(file)).find(|record| {
        record.head.headers.get("WARC-Target-URI").as_deref() == Some(&format!("urn:fonds:export:{url}"))
    });
    serde_json::from_slice(&found.unwrap().block).unwrap()
}

#[test]
fn the_file_one_has_keeps_the_evidence_that_was_attached_since() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    let files = json!([{"path": w.path, "sha256": w.sha256}]);
    // The README's way: edit the file one has, and add it again; its record got a date meanwhile.
    let mut edited = w.before.clone();
    edited["comments"] = "edited".into();
    edited["permissions"][0]["date"] = "2024-05-03".into();
    let added = w
        .add(&edited)
        .with_status(0)
        .with_message("stays attached")
        .with_message(&w.path)
        .with_message("record 1 (http://www.a.pt/)");
    added.with_message("fonds campaign export");
    let saved = w.exported();
    assert_eq!((&saved["permissions"][0]["files"], &saved["comments"]), (&files, &json!("edited")));
    let shown = fonds(&["scope", "permissions", arg(&w.folder), "1", TARGET]).with_status(0).out;
    assert!(shown.contains(&w.path), "{shown}");
    // A record that is gone, or stands for another agreement, loses it by name.
    let mut other = w.before.clone();
    other["permissions"][0]["licence"] = "Another letter".into();
    w.add(&other)
        .with_status(0)
        .with_message("no record has any more")
        .with_message(&w.path)
        .with_message("fonds scope attach");
    assert_eq!(w.exported()["permissions"][0]["files"], Value::Null);
    assert_eq!(fs::read_to_string(w.folder.join(&w.path)).unwrap(), LETTER, "the file itself stays");
    // Attached again from where it lies it has the same name.
    let attached = fonds(&["scope", "attach", arg(&w.folder), "1", "1", arg(&w.folder.join(&w.path))]).with_status(0);
    assert!(attached.out.trim().ends_with(&w.path), "{}", attached.out);
    assert_eq!(w.exported()["permissions"][0]["files"], files);
    // What was exported with it and taken out of that file is taken off, and named.
    let mut without = w.exported();
    without["permissions"][0].as_object_mut().unwrap().remove("files");
    w.add(&without).with_status(0).with_message("no record has any more").with_message(&w.path);
    assert_eq!(w.exported()["permissions"][0]["files"], Value::Null);
    // A file that was exported before keeps what was attached since.
    let earlier = w.exported();
    fonds(&["scope", "attach", arg(&w.folder), "1", "1", arg(&w.letter)]).with_status(0);
    let mut edited = earlier;
    edited["comments"] = "of an earlier version".into();
    w.add(&edited).with_status(0).with_message("stays attached");
    assert_eq!(w.exported()["permissions"][0]["files"], files);
}

#[test]
fn a_branch_becomes_the_next_version_with_the_evidence_of_both() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    // A colleague went on with what they were given before the letter came.
    let mut edited = w.first.clone();
    edited["comments"] = "of a colleague".into();
    edited["permissions"][1]["state"] = "granted".into();
    let add = ["campaign", "add", arg(&w.folder), "-"];
    fonds_with(&add, edited.to_string().as_bytes())
        .with_status(2)
        .with_message("the same identity")
        .with_message("--as-new");
    let add = ["campaign", "add", arg(&w.folder), "-", "--as-new"];
    let added = fonds_with(&add, edited.to_string().as_bytes()).with_status(0);
    let id = added.out.trim().to_owned();
    assert_ne!(id, "1");
    let answer = dir.path().join("answer.txt");
    fs::write(&answer, "Yes").unwrap();
    fonds(&["scope", "attach", arg(&w.folder), &id, "2", arg(&answer)]).with_status(0);
    let branch = fonds(&["campaign", "export", arg(&w.folder), &id]).with_status(0).out;
    w.add(&serde_json::from_str(&branch).unwrap()).with_status(0).with_message("stays attached").with_message(&w.path);
    let merged = w.exported();
    assert_eq!(merged["comments"], "of a colleague");
    assert_eq!(merged["permissions"][0]["files"][0]["path"], json!(w.path));
    assert!(merged["permissions"][1]["files"][0]["path"].as_str().unwrap().ends_with("-answer.txt"));
}

#[test]
fn lost_evidence_is_named_by_export_and_import() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    let place = w.folder.join(&w.path);
    for (number, spoil) in ["gone", "other bytes"].into_iter().enumerate() {
        match spoil {
            "gone" => fs::remove_dir_all(w.folder.join("evidence")).unwrap(),
            _ => fs::write(&place, "Something else").unwrap(),
        }
        fonds(&["scope", "permissions", arg(&w.folder), "1", TARGET]).with_status(1).with_message(&w.path);
        let out = dir.path().join(format!("out{number}"));
        let plan = fonds(&["export", arg(&w.folder), "--out", arg(&out), "--dry-run", "--json"]).with_status(1);
        assert!(plan.json_lines()[0]["problems"][0].as_str().unwrap().contains(&w.path));
        let mut exported = w.export_handover(&out).with_status(1);
        let printed = format!("{}{}", exported.out, exported.err);
        assert_eq!(printed.matches(&w.path).count(), 1, "it is printed once: {printed}");
        for part in [&w.path, "record 1 (http://www.a.pt/)", "campaign 1 “My first campaign”", "fonds scope attach"]
        {
            exported = exported.with_message(part);
        }
        for name in ["report.html", "report.md"] {
            let report = fs::read_to_string(out.join(name)).unwrap();
            assert!(report.contains("not in this folder") && report.contains("fonds scope attach"), "{name}");
        }
        let permission = &metadata_of(&out, TARGET)["permission"];
        assert_eq!(permission["files"], json!([{"name": "letter.pdf", "path": null, "sha256": w.sha256}]), "{spoil}");
        let verified = fonds(&["verify", arg(&out)]).with_status(1);
        let line = verified.out.lines().find(|line| line.starts_with("FAIL")).unwrap();
        assert!(line.contains("Evidence of permissions") && line.contains(&w.path), "{line}");
        assert!(line.contains("data/campaign/campaign.v2.json: record 1 (http://www.a.pt/)"), "{line}");
        assert_eq!(verified.out.lines().filter(|line| line.starts_with("FAIL")).count(), 1, "all else holds");
        imported(dir.path(), &format!("of{number}"), &out).1.with_message(&format!("{}, which record 1", w.path));
        // Attached again it is there, without another version.
        fonds(&["scope", "attach", arg(&w.folder), "1", "1", arg(&w.letter)]).with_status(0);
        let whole = dir.path().join(format!("whole{number}"));
        w.export_handover(&whole).with_status(0);
        let verified = fonds(&["verify", arg(&whole)]).with_status(0).out;
        assert!(verified.contains("Evidence of permissions is here: 1 file named"), "{verified}");
    }
    // A handover whose campaign names another digest than its file has.
    let out = dir.path().join("whole0");
    crate::handover::put(&out, &format!("data/campaign/{}", w.path), b"You may not.");
    let verified = fonds(&["verify", arg(&out)]).with_status(1).out;
    assert!(verified.contains("with another SHA-256"), "{verified}");
}

#[test]
fn every_capture_leaves_with_its_permission_and_what_proves_that() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    let out = dir.path().join("out");
    w.export_handover(&out).with_status(0);
    let path = format!("data/campaign/{}", w.path);
    assert_eq!(fs::read_to_string(out.join(&path)).unwrap(), LETTER);
    let permission = &metadata_of(&out, TARGET)["permission"];
    assert_eq!(
        (&permission["state"], &permission["record"], &permission["licence"]),
        (&json!("granted"), &json!(0), &json!("Letter of 3 May"))
    );
    assert_eq!(permission["files"], json!([{"name": "letter.pdf", "path": path, "sha256": w.sha256}]));
    let by_domain = &metadata_of(&out, "http://x.scot/")["permission"];
    assert_eq!((&by_domain["criterion"], &by_domain["files"]), (&json!("domain"), &json!([])));
    assert_eq!(metadata_of(&out, "http://www.c.pt/")["permission"], Value::Null);
    for name in ["report.html", "report.md"] {
        let report = fs::read_to_string(out.join(name)).unwrap();
        for part in ["Letter of 3 May", "letter.pdf", &path, &w.sha256, "nothing that holds"] {
            assert!(report.contains(part), "{part} is missing in {name}");
        }
    }
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    let row = report.lines().find(|line| line.contains("http://www.a.pt/") && line.contains("licence")).unwrap();
    assert!(row.trim_end_matches([' ', '|']).ends_with("| 2"), "two captures rest on it: {row}");
    // In the graph each permission and file stands once, and the captures refer to it.
    let graph = knowledge_of(&out);
    let lines = |part: &str| graph.lines().filter(|line| line.contains(part)).count();
    assert_eq!(lines("ns:coveredBy>"), 3, "two by the letter, one by its domain");
    let evidence = format!("<urn:fonds:evidence:{}>", w.sha256);
    let about = |property: &str| {
        let begin = format!("{evidence} <urn:fonds:ns:{property}>");
        graph.lines().filter(|line| line.starts_with(&begin)).collect::<Vec<_>>().join("\n")
    };
    assert!(about("path").contains(&path) && about("sha256").contains(&w.sha256), "{}", about("path"));
    let of_letter = graph.lines().find(|line| line.contains("ns:hasEvidence>")).unwrap();
    let permission = of_letter.split(' ').next().unwrap();
    assert!(of_letter.contains(&evidence));
    let refer = graph.lines().filter(|line| line.contains(&format!("ns:coveredBy> {permission} "))).count();
    assert_eq!(refer, 2);
}

#[test]
fn locations_of_hosts_are_exported_with_their_database() {
    let out = &crate::sample::demo().report.export;
    let graph = knowledge_of(out);
    let referred: std::collections::BTreeSet<&str> = graph
        .lines()
        .filter(|line| line.contains("ns:hostLocation>"))
        .filter_map(|line| line.split(' ').nth(2))
        .collect();
    assert!(!referred.is_empty());
    for node in referred {
        for property in ["host", "database", "databaseBuilt", "hasAddress"] {
            let begin = format!("{node} <urn:fonds:ns:{property}> ");
            assert!(graph.lines().any(|line| line.starts_with(&begin)), "{begin}");
        }
        let address = format!("{}#0>", node.trim_end_matches('>'));
        for property in ["address", "network", "country"] {
            let begin = format!("{address} <urn:fonds:ns:{property}> ");
            assert_eq!(graph.lines().filter(|line| line.starts_with(&begin)).count(), 1, "{begin}");
        }
    }
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains("| Country | Address and network | Database | Built |"));
}

#[test]
fn names_of_evidence_keep_the_letters_that_macos_takes_apart() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "e\u{301}te\u{301} x\u{302} पत्र हिन्दी.pdf");
    assert_eq!(w.path, format!("evidence/{}-été-x\u{302}-पत्र-हिन्दी.pdf", &w.sha256[..12]));
    let out = dir.path().join("out");
    w.export_handover(&out).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);
    let (other, result) = imported(dir.path(), "other", &out);
    result.with_status(0).with_message("1 evidence file, 1 new");
    assert_eq!(fs::read_to_string(other.join(&w.path)).unwrap(), LETTER);
    // The same title has the same names, however it is written.
    let prefix = |title: &str, name: &str| {
        let mut campaign = w.exported();
        campaign["name"] = title.into();
        w.add(&campaign).with_status(0);
        let out = dir.path().join(name);
        w.export_handover(&out).with_status(0);
        let file = warcs_under(&out.join("data/archive")).remove(0);
        file.file_name().unwrap().to_string_lossy().split("-20").next().unwrap().to_owned()
    };
    assert_eq!(prefix("E\u{301}te\u{301}", "nfd"), "Ete");
    assert_eq!(prefix("Été", "nfc"), "Ete");
}

#[test]
fn evidence_reaches_a_third_archive_with_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    let first = dir.path().join("first");
    w.export_handover(&first).with_status(0);
    // The second archive has another letter under this path.
    let second = dir.path().join("second");
    fonds(&["new", arg(&second)]).with_status(0);
    fs::create_dir_all(second.join("evidence")).unwrap();
    fs::write(second.join(&w.path), "Another letter").unwrap();
    fonds(&["import", arg(&second), arg(&first)]).with_status(0).with_message("evidence/from-first/");
    fonds(&["scope", "permissions", arg(&second), "1", TARGET]).with_status(0);
    let again = dir.path().join("again");
    fonds(&["export", arg(&second), "--out", arg(&again)]).with_status(0);
    let received = again.join("data/campaign").join(&w.path);
    assert_eq!(fs::read_to_string(&received).unwrap(), LETTER);
    fonds(&["verify", arg(&again)]).with_status(0);
    // What was there stays, also when the letter is attached once more.
    fonds(&["scope", "attach", arg(&second), "1", "1", arg(&w.letter)]).with_status(0).with_message("0 of 1 files");
    assert_eq!(fs::read_to_string(second.join(&w.path)).unwrap(), "Another letter");
    let (third, result) = imported(dir.path(), "third", &again);
    result.with_status(0).with_message("1 evidence file, 1 new");
    assert_eq!(fs::read_to_string(third.join(&w.path)).unwrap(), LETTER);
    let document = |out: &Path| fs::read(out.join("data/campaign/campaign.v2.json")).unwrap();
    assert_eq!(document(&again), document(&first));
}

#[test]
fn a_campaign_made_again_from_its_archive_files_names_evidence_that_did_not_come() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    // The folder of a job as a crawl leaves it: its campaign beside its archive files.
    let job = dir.path().join("job");
    fs::create_dir_all(&job).unwrap();
    fs::write(job.join("campaign-1.v2.json"), w.exported().to_string()).unwrap();
    fs::copy(dir.path().join("a.warc.gz"), job.join("a.warc.gz")).unwrap();
    let (other, result) = imported(dir.path(), "other", &job);
    result
        .with_status(1)
        .with_message(&w.path)
        .with_message("record 1 (http://www.a.pt/)")
        .with_message("fonds scope attach");
    fonds(&["scope", "attach", arg(&other), "1", "1", arg(&w.letter)]).with_status(0);
    fonds(&["scope", "permissions", arg(&other), "1", TARGET]).with_status(0);
}

#[test]
fn a_letter_is_written_over_by_no_other_that_is_evidence_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    // Another campaign names its letter by hand; so does the first, by the same path.
    let other = dir.path().join("other.txt");
    fs::write(&other, "Another letter").unwrap();
    fs::write(w.folder.join("evidence/x.txt"), "Another letter").unwrap();
    let sha256 = {
        let attached = fonds(&["scope", "attach", arg(&w.folder), "1", "2", arg(&other)]).with_status(0).out;
        attached.split_whitespace().next().unwrap().to_owned()
    };
    let mut campaign = w.before.clone();
    campaign["name"] = "Second".into();
    campaign["permissions"][0]["files"] = json!([{"path": "evidence/x.txt", "sha256": sha256}]);
    fonds_with(&["campaign", "add", arg(&w.folder), "-"], campaign.to_string().as_bytes()).with_status(0);
    let mut first = w.exported();
    first["permissions"][0]["files"] = json!([{"path": "evidence/x.txt", "sha256": w.sha256}]);
    w.add(&first).with_status(0);
    fs::remove_file(w.folder.join(&w.path)).unwrap();
    fonds(&["scope", "attach", arg(&w.folder), "1", "1", arg(&w.letter)]).with_status(0);
    assert_eq!(fs::read_to_string(w.folder.join("evidence/x.txt")).unwrap(), "Another letter");
    assert_eq!(w.exported()["permissions"][0]["files"], json!([{"path": w.path, "sha256": w.sha256}]));
    for id in ["1", "2"] {
        let checked = fonds(&["scope", "permissions", arg(&w.folder), id, TARGET]).with_status(0);
        assert!(!checked.err.contains("evidence of record"), "{}", checked.err);
    }
}

#[test]
fn evidence_that_is_gone_is_no_evidence_that_stays() {
    let dir = tempfile::tempdir().unwrap();
    let w = Permitted::new(dir.path(), "letter.pdf");
    let whole = w.exported();
    fs::remove_dir_all(w.folder.join("evidence")).unwrap();
    let mut edited = w.before.clone();
    edited["comments"] = "edited".into();
    for campaign in [&edited, &whole] {
        let added = w
            .add(campaign)
            .with_status(0)
            .with_message("evidence is missing")
            .with_message(&w.path)
            .with_message("is not there");
        let added = added.with_message(&format!("fonds scope attach {} 1 1 FILE", w.folder.display()));
        assert!(!added.err.contains("stays attached"), "{}", added.err);
    }
    // A campaign that names evidence of another workspace, too.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    let added = fonds_with(&["campaign", "add", arg(&other), "-"], whole.to_string().as_bytes()).with_status(0);
    added.with_message("evidence is missing").with_message(&w.path);
}
