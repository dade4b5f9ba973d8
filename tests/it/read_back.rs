//! Parts of a handover besides captures: files that prove permissions, and
//! annotations whose captures come later.

use crate::archive::{copy_folder, file, page};
use crate::handover::put;
use crate::program::{arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const TARGET: &str = "http://www.a.pt/sobre";

/// A workspace with a page, a campaign and a letter that permits to collect it; the path of the letter.
fn permitted(dir: &Path) -> (PathBuf, String) {
    let workspace = dir.join("w");
    let w = arg(&workspace);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["permissions"] = json!([{"covers": "http://www.a.pt/", "criterion": "licence", "state": "granted"}]);
    campaign["seeds"] = json!([{"url": "http://www.a.pt/"}]);
    fonds(&["new", w]).with_status(0);
    fonds_with(&["campaign", "add", w, "-"], campaign.to_string().as_bytes()).with_status(0);
    let letter = dir.join("letter.txt");
    std::fs::write(&letter, "You may collect it.").unwrap();
    let attached = fonds(&["scope", "attach", w, "1", "1", arg(&letter)]).with_status(0);
    let path = attached.out.split_whitespace().last().unwrap().to_owned();
    fonds(&["import", w, arg(&file(dir, "a.warc.gz", &[page(TARGET, "2024-03-01T09:00:30Z", "<p>Sobre")]))])
        .with_status(0);
    fonds(&["select", "run", w, "1", "--filter", "*"]).with_status(0);
    (workspace, path)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn evidence_comes_back_to_its_path_and_takes_the_place_of_no_other_file() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, path) = permitted(dir.path());
    let out = dir.path().join("out");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["import", arg(&other), arg(&out)]).with_status(0).with_message("1 evidence file, 1 new");
    assert_eq!(text(&other.join(&path)), "You may collect it.");
    fonds(&["scope", "permissions", arg(&other), "1"]).with_status(0).with_message("is covered");
    fonds(&["import", arg(&other), arg(&out)]).with_status(0).with_message("1 evidence file, 0 new");

    // Where another file has its path both are kept.
    let third = dir.path().join("third");
    fonds(&["new", arg(&third)]).with_status(0);
    std::fs::create_dir_all(third.join("evidence")).unwrap();
    std::fs::write(third.join(&path), "Another letter").unwrap();
    let beside = path.replacen("evidence/", "evidence/from-out/", 1);
    fonds(&["import", arg(&third), arg(&out)]).with_status(0).with_message(&beside);
    assert_eq!(
        (text(&third.join(&path)), text(&third.join(&beside))),
        ("Another letter".to_owned(), "You may collect it.".to_owned())
    );
}

/// The export with another path for its letter, in the campaign and on the disk.
fn with_letter_at(out: &Path, to: &Path, path: &str, letter: &str) {
    copy_folder(out, to);
    let mut manifest = fonds::export::Manifest::read(to).unwrap();
    let listed = manifest.files.iter_mut().find(|file| file.path.starts_with("data/campaign/evidence/")).unwrap();
    let from = std::mem::replace(&mut listed.path, format!("data/campaign/{letter}"));
    std::fs::write(to.join("manifest.json"), serde_json::to_vec(&manifest).unwrap()).unwrap();
    let place = to.join(format!("data/campaign/{letter}"));
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::rename(to.join(from), place).unwrap();
    let campaign = "data/campaign/campaign.v2.json";
    let changed = text(&to.join(campaign)).replace(path, letter);
    put(to, campaign, changed.as_bytes());
}

#[test]
fn evidence_of_strangers_goes_nowhere_but_into_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, path) = permitted(dir.path());
    let out = dir.path().join("out");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    for (number, letter) in
        ["fonds.lock", "output/warcs/x.warc.gz", "evidence/nul.txt", "evidence/x."].iter().enumerate()
    {
        let (spoiled, other) = (dir.path().join(format!("s{number}")), dir.path().join(format!("o{number}")));
        with_letter_at(&out, &spoiled, &path, letter);
        fonds(&["new", arg(&other)]).with_status(0);
        let lock = std::fs::read(other.join("fonds.lock")).ok();
        fonds(&["import", arg(&other), arg(&spoiled)])
            .with_status(0)
            .with_message("is no place for evidence and is left out");
        assert!(*letter == "fonds.lock" || !other.join(letter).exists(), "{letter}");
        assert!(
            lock.is_none()
                || std::fs::read_to_string(other.join("fonds.lock")).is_ok_and(|text| !text.contains("collect"))
        );
    }
    // A link on the way is not followed, and other bytes than were attached are no evidence.
    #[cfg(unix)]
    {
        let (other, elsewhere) = (dir.path().join("linked"), dir.path().join("elsewhere"));
        fonds(&["new", arg(&other)]).with_status(0);
        std::fs::create_dir_all(&elsewhere).unwrap();
        drop(std::fs::remove_dir_all(other.join("evidence")));
        std::os::unix::fs::symlink(&elsewhere, other.join("evidence")).unwrap();
        fonds(&["import", arg(&other), arg(&out)]);
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
    let (spoiled, other) = (dir.path().join("forged"), dir.path().join("of-forged"));
    copy_folder(&out, &spoiled);
    put(&spoiled, &format!("data/campaign/{path}"), b"You may not.");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["import", arg(&other), arg(&spoiled)])
        .with_status(0)
        .with_message("holds other bytes than those that were attached");
    assert!(!other.join(&path).exists());
}

#[test]
fn an_annotation_waits_for_its_capture() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let w = arg(&workspace);
    fonds(&["new", w]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", w, "-"], campaign.as_bytes()).with_status(0);
    let annotation = |id: &str, target: Value, body: Value| json!({"id": id, "type": "Annotation", "created": "2024-05-01T09:00:00Z", "creator": "Rui", "target": target, "body": body});
    let exact = json!({"source": TARGET, "state": {"type": "TimeState", "sourceDate": "2024-03-01T09:00:30Z"}});
    let lines = [
        annotation("urn:x:1", exact, json!({"purpose": "assessing", "value": "reject"})),
        annotation("urn:x:2", json!(TARGET), json!("See page 3")),
        annotation("urn:x:3", json!("http://nowhere.pt/"), json!("never captured")),
    ];
    let list = dir.path().join("notes.jsonl");
    std::fs::write(&list, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let imported = fonds(&["annotations", "import", w, arg(&list)]).with_status(0).out;
    assert!(imported.contains("3 on captures that are not here"), "{imported}");
    let pages =
        [page(TARGET, "2024-03-01T09:00:30Z", "<p>Sobre"), page("http://b.pt/", "2024-03-01T09:00:30Z", "<p>B")];
    let archive = file(dir.path(), "a.warc.gz", &pages);
    fonds(&["import", w, arg(&archive)]).with_status(0).with_message("2 annotations of earlier imports");
    // It decides, and says where it came from.
    let selected = fonds(&["select", "run", w, "1", "--filter", "*"]).with_status(0).out;
    assert!(selected.contains("1 of 2 captures selected") && selected.contains("1 excluded by hand"), "{selected}");
    let why = fonds(&["why", w, TARGET]).with_status(0).out;
    assert!(why.contains("rejected by Rui"), "{why}");
    let rows = crate::round_trip::rows(&workspace);
    assert_eq!((rows["mark"], rows["mark_origin"], rows["annotation_apart"]), (2, 2, 1));
    // Once, whatever comes again; and it leaves under its own id.
    fonds(&["import", w, arg(&archive)]);
    let again = fonds(&["annotations", "import", w, arg(&list)]).with_status(0).out;
    assert!(again.contains("0 new, 3 here already"), "{again}");
    let exported = fonds(&["annotations", "export", w]).with_status(0).json_lines();
    let ids: std::collections::BTreeSet<&str> = exported.iter().map(|line| line["id"].as_str().unwrap()).collect();
    assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["urn:x:1", "urn:x:2", "urn:x:3"]);
}
