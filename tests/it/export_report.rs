//! Lists of exports for people: that of a dry run before it, and the report in it.

use crate::archive::{copy_folder, file, page};
use crate::need::program;
use crate::program::{arg, fonds};
use crate::sample::demo;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An image that pages of the demo embed.
const IMAGE: &str = "http://assembleia.example/brasao.svg";

/// A copy of the workspace of the demo in which a person rejected an image that pages need.
fn workspace(root: &Path) -> PathBuf {
    let workspace = root.join("w");
    copy_folder(&demo().report.workspace, &workspace);
    let filter = format!("url:{IMAGE}");
    let reason = ["--reason", "a coat of arms <b>"];
    fonds(&[&["mark", arg(&workspace), "reject", "--filter", &filter], &reason[..]].concat()).with_status(0);
    workspace
}

/// Files of a folder with their sizes; the time of writing in names is left out.
fn sizes(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                    found.insert(undated(&name), std::fs::metadata(&path).unwrap().len());
                }
            }
        }
    }
    found
}

fn undated(name: &str) -> String {
    let is_date = |part: &&str| part.len() == 17 && part.bytes().all(|byte| byte.is_ascii_digit());
    name.split('-').map(|part| if is_date(&part) { "DATE" } else { part }).collect::<Vec<_>>().join("-")
}

/// Files of a folder with what is in them, but for those that every opening of a workspace touches.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let is_touched = |name: &str| ["fonds.lock", "-shm", "-wal"].iter().any(|end| name.ends_with(end));
    let names = sizes(folder).into_keys().filter(|name| !is_touched(name));
    names.map(|name| (name.clone(), std::fs::read(folder.join(&name)).unwrap_or_default())).collect()
}

#[test]
fn a_dry_run_lists_what_the_export_then_writes_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, out) = (workspace(dir.path()), dir.path().join("out"));
    for further in [&["--wacz"][..], &["--without-rdf", "--without-seen"], &[]] {
        let call = |more: &[&str]| {
            let mut args = vec!["export", arg(&workspace), "--out", arg(&out), "--json"];
            args.extend(further);
            args.extend(more);
            fonds(&args).with_status(0).json_lines().remove(0)
        };
        let before = (contents(&workspace), std::fs::read_dir(dir.path()).unwrap().count());
        let plan = call(&["--dry-run"]);
        assert_eq!((contents(&workspace), std::fs::read_dir(dir.path()).unwrap().count()), before, "{further:?}");
        let export = call(&[]);
        for figure in ["selected", "requisites", "captures", "records", "lacking"] {
            assert_eq!(plan[figure], export[figure], "{figure} with {further:?}");
        }
        assert!(plan["rejected"] == export["excluded"] && plan["rejected"].as_u64().unwrap() > 0, "{plan}");
        assert!(!plan["lacking"].as_array().unwrap().is_empty(), "{plan}");
        assert_eq!(plan["rejected_by_reason"][0][0], "a coat of arms <b>");
        let written = sizes(&out);
        let files = plan["files"].as_array().unwrap();
        let listed: BTreeSet<String> = files.iter().map(|file| undated(file["path"].as_str().unwrap())).collect();
        assert_eq!(listed, written.keys().cloned().collect(), "{further:?}");
        let mut exact = 0;
        for file in files {
            let (name, bytes) = (undated(file["path"].as_str().unwrap()), file["bytes"].as_u64().unwrap());
            let real = written[&name];
            if file["exact"] == true {
                assert_eq!(bytes, real, "{name} with {further:?}");
                exact += 1;
            } else {
                assert!(bytes.abs_diff(real) <= (real / 10).max(4096), "{name}: {bytes} instead of {real}");
            }
        }
        assert!(exact > files.len() / 2, "{plan}");
        let sum: u64 = written.values().sum();
        let (bytes, margin) = (plan["bytes"].as_u64().unwrap(), plan["margin_bytes"].as_u64().unwrap());
        assert!(bytes.abs_diff(sum) <= margin, "{bytes} ± {margin} instead of {sum}");
        std::fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn options_of_a_command_hold_for_one_export() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let export = |name: &str, options: &[&str]| -> Vec<bool> {
        let out = dir.path().join(name);
        fonds(&[&["export", arg(&workspace), "--out", arg(&out)], options].concat()).with_status(0);
        let names: Vec<String> = sizes(&out).into_keys().collect();
        [".wacz", "knowledge.nq.gz", "seen.jsonl.gz"]
            .iter()
            .map(|end| names.iter().any(|name| name.ends_with(end)))
            .collect()
    };
    assert_eq!(export("plain", &[]), [false, true, true]);
    assert_eq!(export("once", &["--wacz", "--without-rdf", "--without-seen"]), [true, false, false]);
    assert_eq!(export("after", &[]), [false, true, true]);
    // Nor does whoever gets that handover make packages from now on.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["import", arg(&other), arg(&dir.path().join("once"))]).with_status(0);
    let out = dir.path().join("theirs");
    fonds(&["export", arg(&other), "--out", arg(&out)]).with_status(0);
    assert!(!sizes(&out).into_keys().any(|name| name.ends_with(".wacz")));
    assert!(out.join("data/knowledge.nq.gz").exists());
}

#[test]
fn a_dry_run_reports_what_is_left_out_and_whether_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, out) = (workspace(dir.path()), dir.path().join("out"));
    let text = fonds(&["export", arg(&workspace), "--out", arg(&out), "--dry-run"]).with_status(0).out;
    for part in [
        "data/knowledge.nq.gz",
        "left out: ",
        "“a coat of arms <b>”",
        "lacks http://assembleia.example/brasao.svg",
        "Nothing was written; ",
        "free on that disk: enough",
    ] {
        assert!(text.contains(part), "“{part}” is missing: {text}");
    }
    // The two captures of the image.
    assert_eq!(fonds(&["captures", arg(&workspace), "vetoed:yes", "--count"]).with_status(0).out.trim(), "2");
    // What would stop the export stops it here, too.
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("mine"), "x").unwrap();
    fonds(&["export", arg(&workspace), "--out", arg(&out), "--dry-run"]).with_status(2).with_message("not empty");
}

/// The report of an export of the demo with a rejected image.
fn report(root: &Path) -> PathBuf {
    let (workspace, out) = (workspace(root), root.join("out"));
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    out
}

#[test]
fn the_report_counts_every_term_of_the_request_and_marks_zeros() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let get = |name: &str| {
        let out = dir.path().join(name);
        fonds(&["export", arg(&workspace), "--out", arg(&out), "--without-rdf"]).with_status(0);
        let read = |file: &str| std::fs::read_to_string(out.join(file)).unwrap();
        (read("report.md"), read("report.html"), out)
    };
    let (markdown, html, out) = get("first");
    // Counted once more, from what the metadata records of the export say.
    let scores = std::fs::File::open(out.join("data/scores.jsonl.gz")).unwrap();
    let lines = std::io::read_to_string(flate2::read::MultiGzDecoder::new(scores)).unwrap();
    let chosen = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["passes"] == true;
    for term in ["“Leonor Maresia”", "“regata”", "lang:es"] {
        let found = lines.lines().filter(chosen).filter(|line| line.contains(&term.replace('"', "\\\""))).count();
        let name = term.trim_matches(['“', '”']).replace("lang:es", "Spanish");
        let row = markdown.lines().find(|line| line.contains(&format!("| {name} |"))).unwrap_or_default();
        assert_eq!(row.split('|').rev().nth(2).map(str::trim), Some(found.to_string().as_str()), "{row}");
        assert!(found > 0);
    }
    assert!(!html.contains(">none<"), "every term is found");
    for part in ["Part of the score", "score at least 0.3", "a coat of arms", "What pages lack"] {
        assert!(html.contains(part), "“{part}” is missing: {markdown}");
    }

    // A term that no page has.
    let campaign = fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0).out;
    let mut campaign: Value = serde_json::from_str(&campaign).unwrap();
    campaign["request"] = serde_json::json!({ "or": [campaign["request"].clone(), { "term": { "kind": "place", "value": "Zanzibar" } }] });
    let edited = dir.path().join("campaign.json");
    std::fs::write(&edited, campaign.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&edited), "--id", "1"]).with_status(0);
    // And a page that lacks its image.
    let date = "2026-03-01T09:00:00Z";
    let extra = file(dir.path(), "extra.warc.gz", &[page("http://extra.example/", date, "<p>A <img src=/lost.png>")]);
    fonds(&["import", arg(&workspace), arg(&extra)]).with_status(0);
    fonds(&["mark", arg(&workspace), "approve", "--url", "http://extra.example/"]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1"]).with_status(0);
    let (markdown, html, _) = get("second");
    assert!(markdown.contains("| place | Zanzibar |  | 1 | for | none | none |"), "{markdown}");
    assert!(html.contains("class=\"n z\">none<"), "{html}");
    assert!(markdown.contains("| http://extra.example/lost.png | 1 |"), "{markdown}");
}

#[test]
fn the_report_is_valid_html_and_loads_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let html = report(dir.path()).join("report.html");
    let text = std::fs::read_to_string(&html).unwrap();
    assert!(text.contains("a coat of arms &lt;b&gt;"), "text of a person stays text");
    // All that it names to be loaded is in it.
    let loads =
        text.match_indices(" src=\"").filter(|(at, _)| !text[at + 6..].starts_with("data:image/svg+xml;base64,"));
    assert_eq!(loads.count() + text.matches("<link").count() + text.matches("url(").count(), 0);
    assert!(text.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""));
    let Some(xmllint) = program("xmllint") else { return };
    let checked = Command::new(xmllint).args(["--html", "--noout", "--nonet"]).arg(&html).output().unwrap();
    assert_eq!((checked.status.code(), String::from_utf8_lossy(&checked.stderr).as_ref()), (Some(0), ""));
}

/// What a page asks of the network when a browser shows it, and the size of the picture.
fn requests_of(chromium: &Path, html: &Path, folder: &Path) -> (BTreeSet<String>, u64) {
    let (picture, log) = (folder.join("picture.png"), folder.join("net.json"));
    let shown = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,3000"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"])
        // No name leads anywhere: nothing leaves this machine.
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--net-log-capture-mode=IncludeSensitive"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", html.display()))
        .output()
        .unwrap();
    assert!(picture.is_file(), "{}", String::from_utf8_lossy(&shown.stderr));
    let log = std::fs::read_to_string(&log).unwrap();
    // What the browser asks of its makers on its own is not the page's.
    let of_page = |url: &&str| url.starts_with("http") && !url.contains("google");
    let urls = log.split("\"url\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    (urls.filter(of_page).map(str::to_owned).collect(), std::fs::metadata(&picture).unwrap().len())
}

#[test]
fn a_browser_shows_the_report_without_a_request() {
    let Some(chromium) = program("chromium") else { return };
    let dir = tempfile::tempdir().unwrap();
    let html = report(dir.path()).join("report.html");
    let folder = |name: &str| {
        let folder = dir.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder
    };
    let (requests, picture_bytes) = requests_of(&chromium, &html, &folder("report"));
    assert_eq!(requests, BTreeSet::new());
    assert!(picture_bytes > 50_000, "the page is blank: {picture_bytes} bytes");
    // The log would have it.
    let other = dir.path().join("other.html");
    std::fs::write(&other, "<!DOCTYPE html><img src=\"http://picture.example/x.png\">").unwrap();
    let (requests, _) = requests_of(&chromium, &other, &folder("other"));
    assert_eq!(requests, BTreeSet::from(["http://picture.example/x.png".to_owned()]));
}
