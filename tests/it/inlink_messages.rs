//! Messages of `fonds inlinks` beside its lines: exit statuses, what was left
//! out and why, what it refuses, and what it leaves behind.

use crate::archive::{file, gzip, page};
use crate::inlink_arguments::{imported, small};
use crate::program::{CallResult, arg, fonds, fonds_with};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROWS: &str = "(pt,a,\t20240301090000\n\
    (pt,a,\t20240301100000\t(pt,b,\texternal\tA\n\
    (pt,a,)/2\t20240301090000\n\
    (pt,a,)/2\t20240301100000\t(pt,c,\texternal\tB\n\
    (pt,n,)/x\t20240301100000\t(pt,b,\texternal\tN\n\
    (pt,n,)/y\t20240301100000\t(pt,c,\texternal\t\n";

fn loaded(folder: &Path) -> PathBuf {
    let links = folder.join("links");
    fonds_with(&["inlinks", "load", arg(&links)], ROWS.as_bytes()).with_status(0);
    links
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_that_cannot_be_opened_fails_a_task_and_a_broken_record_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, missing) = (small(folder.path()), folder.path().join("missing.warc.gz"));
    let all = fonds(&["inlinks", "map", arg(&whole)]).with_status(0).out;
    let output = fonds(&["inlinks", "map", arg(&missing), arg(&whole)]).with_status(2);
    assert_eq!(output.out, all);
    output.with_message("missing.warc.gz: No such file").with_message("1 of 2 files cannot be read: rows are missing");
    let first = page("http://a.pt/", "2024-03-01T09:00:00Z", "<a href=/x>X</a>");
    let broken = file(folder.path(), "broken.warc.gz", &[first.clone(), gzip(b"no record\r\n\r\n"), first]);
    let output = fonds(&["inlinks", "map", arg(&broken)]).with_status(1);
    assert!(output.out.contains("(pt,a,)/x\t"), "{}{}", output.out, output.err);
    // As the recipes for Spark and Hadoop call it; the help and the script tell the same.
    let recipe = "fonds inlinks map; test $? -le 1";
    let script = include_str!("../../assets/inlinks_spark.py");
    assert!(
        fonds(&["inlinks", "map", "--help"]).out.contains(recipe)
            && script.contains(&recipe.replace("fonds ", "./fonds "))
    );
    let task = |files: &[&PathBuf]| {
        let files: Vec<String> = files.iter().map(|file| format!("'{}'", arg(file))).collect();
        let program = env!("CARGO_BIN_EXE_fonds");
        let text = recipe.replace("fonds inlinks map", &format!("'{program}' inlinks map {}", files.join(" ")));
        Command::new("sh").args(["-c", &text]).output().unwrap().status.success()
    };
    if cfg!(unix) {
        assert!(task(&[&whole]) && task(&[&broken]) && !task(&[&whole, &missing]));
    }
}

#[test]
fn an_export_reports_what_it_left_out_as_a_data_set_does() {
    let folder = tempfile::tempdir().unwrap();
    let warc = small(folder.path());
    let workspace = imported(folder.path(), &warc);
    let options = ["--window-days", "1", "--uncaptured", "drop"];
    let dataset = fonds(&[&["inlinks", "dataset", arg(&warc)], &options[..]].concat()).with_status(0);
    let export = fonds(&[&["inlinks", "export", arg(&workspace)], &options[..]].concat()).with_status(0);
    let left_out = |output: &CallResult| {
        output.err.lines().find(|line| line.contains("left out: ")).unwrap_or_default().to_owned()
    };
    assert_eq!(left_out(&export), left_out(&dataset));
    assert!(
        left_out(&export).contains("9 links seen; left out: 0 exact duplicates among 14 rows, 3 outside the window"),
        "{}",
        export.err
    );
    assert!(left_out(&export).contains("3 to pages never captured"), "{}", export.err);
}

#[test]
fn anchors_of_a_page_have_their_window_and_the_reason_for_an_empty_list() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &small(folder.path()));
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let anchors = |args: &[&str]| fonds(&[&["inlinks", "anchors", arg(&workspace)], args].concat()).with_status(0);
    let near = anchors(&["http://a.pt/sobre"]);
    assert!(near.out.contains("“De B”") && !near.out.contains("“De B mais tarde”"), "{}", near.out);
    near.with_message(
        "of links within ±90 days of its newest capture, 2024-03-01 09:00:30; --date asks for another time",
    );
    let later = anchors(&["http://a.pt/sobre", "--date", "2025-03-01"]);
    assert_eq!(later.out, "   1 host       1 link   “De B mais tarde”\n");
    let all = anchors(&["http://a.pt/sobre", "--date", "2025-03-01", "--window-days", "none"]).out;
    assert!(all.contains("“De B”") && all.contains("“De B mais tarde”"), "{all}");
    let none = anchors(&["http://a.pt/sobre", "--date", "1999-03-01"]);
    assert_eq!(none.out, "");
    none.with_message("Nothing links to this page within ±90 days of 1999-03-01")
        .with_message("and 6 links of other times");
    anchors(&["http://b.pt/x"]).with_message("Nothing links to this page\n");
    fonds(&["inlinks", "anchors", arg(&workspace), "--date", "2024-03-01"]).with_status(2);
    // Stored links answer alike, of all times without a date.
    let links = loaded(folder.path());
    let stored = |args: &[&str]| fonds(&[&["inlinks", "anchors", arg(&links)], args].concat()).with_status(0);
    assert_eq!(stored(&["a.pt"]).out, "   1 host       1 link   “A”\n");
    stored(&["a.pt", "--date", "1999-03-01"]).with_message("within ±90 days of 1999-03-01");
    stored(&["n.pt/y"]).with_message("1 link without words");
}

#[test]
fn a_list_that_was_cut_is_marked_and_no_list_is_empty_without_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &small(folder.path()));
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let links = loaded(folder.path());
    for of in [arg(&workspace), arg(&links)] {
        for command in ["top", "uncaptured", "anchors", "hosts"] {
            let call = |limit: &str| fonds(&["inlinks", command, of, "--limit", limit]);
            let all = call("1000").with_status(0);
            assert!(!all.err.contains("--limit"), "{command}: {}", all.err);
            let rows = all.out.lines().count();
            // Of the workspace one page alone was never captured as anything.
            if rows > 1 {
                let cut = call(&(rows - 1).to_string()).with_status(0);
                assert_eq!(cut.out.lines().count(), rows - 1, "{command} {of}");
                let of_all = if command == "uncaptured" { format!(" of {rows} pages") } else { String::new() };
                cut.with_message(&format!("only the first {}{of_all} are listed; --limit lists more", rows - 1));
            }
            assert!(rows > 1 || command == "uncaptured", "{command} {of}");
            assert!(!call(&rows.to_string()).err.contains("--limit"), "{command} {of}");
            call("0").with_status(2).with_message("--limit");
        }
    }
    fonds(&["inlinks", "anchors", arg(&workspace), "a.pt/sobre", "--limit", "1"])
        .with_status(0)
        .with_message("only the first 1 are listed");
    fonds(&["inlinks", "check", arg(&workspace), "--limit", "1", "--all"]).with_message("not checked, by --limit");
    fonds(&["inlinks", "check", arg(&workspace), "--limit", "0"]).with_status(2);
}

#[test]
fn objects_have_the_same_names_and_dates_wherever_links_are() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &small(folder.path()));
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let links = loaded(folder.path());
    let first = |command: &str, of: &Path| {
        fonds(&["inlinks", command, arg(of), "--json"]).with_status(0).json_lines().remove(0)
    };
    let stored = first("top", &links);
    assert_eq!(
        stored,
        json!({"url": "(pt,a,", "date": "2024-03-01T09:00:00Z", "inlink_hosts": 1, "inlinks_external": 1,
            "inlinks_internal": 0, "top_anchor": "A"})
    );
    let built = first("top", &workspace);
    for name in stored.as_object().unwrap().keys() {
        assert!(built.get(name).is_some_and(|value| !value.is_null()), "{name}: {built}");
    }
    let hosts = fonds(&["inlinks", "hosts", arg(&workspace), "--json"]).with_status(0).json_lines();
    let host = |name: &str| hosts.iter().find(|row| row["host"] == name).unwrap();
    assert_eq!(host("b.pt")["captured"], json!(["2024-03-02T10:00:00Z", "2025-03-02T10:00:00Z"]));
    assert_eq!(host("never.pt")["captured"], json!(null));
    // A redirect and an error are no captures of pages.
    let uncaptured = fonds(&["inlinks", "hosts", arg(&workspace), "--json", "--uncaptured"]).with_status(0);
    let names: Vec<_> = uncaptured.json_lines().iter().map(|row| row["host"].clone()).collect();
    assert_eq!(names, ["never.pt", "c.pt"]);
    assert!(fonds(&["inlinks", "hosts", "--help"]).out.contains("hosts of which no page was captured"));
}

#[test]
fn what_holds_no_data_set_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let warc = small(folder.path());
    let plain = file(folder.path(), "notes.txt", &[b"Some words\nand more of them\n".to_vec()]);
    let (out, links) = (folder.path().join("out.jsonl"), folder.path().join("links"));
    let before = names_in(folder.path());
    for (input, text) in [
        (&warc, "this is an archive file and no data set; make one of it with: fonds inlinks dataset"),
        (&plain, "no line is an object of a data set"),
    ] {
        fonds(&["inlinks", "convert", arg(input), arg(&out)]).with_status(2).with_message(text);
        let output = fonds(&["inlinks", "convert", arg(input), "-"]).with_status(2);
        assert_eq!(output.out, "");
        fonds(&["inlinks", "load", arg(&links), arg(input)]).with_status(2).with_message(text).with_message(arg(input));
        assert_eq!(names_in(folder.path()), before, "{}", input.display());
    }
    // What was read before is not stored either, and a folder that was there stays, empty.
    let good = file(folder.path(), "rows.tsv", &[ROWS.as_bytes().to_vec()]);
    std::fs::create_dir(&links).unwrap();
    fonds(&["inlinks", "load", arg(&links), arg(&good), arg(&warc)])
        .with_status(2)
        .with_message("this is an archive file");
    assert!(names_in(&links).is_empty(), "{:?}", names_in(&links));
    // Links that are there already stay as they are.
    fonds(&["inlinks", "load", arg(&links), arg(&good)]).with_status(0);
    let kept = names_in(&links);
    fonds(&["inlinks", "load", arg(&links), arg(&plain)]).with_status(2).with_message("nothing was stored");
    assert_eq!(names_in(&links), kept);
    assert_eq!(fonds(&["inlinks", "top", arg(&links)]).with_status(0).out.lines().count(), 2);
}

#[test]
fn impossible_arguments_are_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let warc = small(folder.path());
    let workspace = imported(folder.path(), &warc);
    let nowhere = folder.path().join("nowhere");
    let links = folder.path().join("links");
    for call in [&["inlinks", "dataset", arg(&warc)][..], &["inlinks", "reduce"], &["inlinks", "load", arg(&links)]] {
        let output = fonds_with(&[call, &["--temp", arg(&nowhere)]].concat(), ROWS.as_bytes()).with_status(2);
        assert_eq!(output.out, "");
        output
            .with_message(&format!("--temp {}: No such file or directory", nowhere.display()))
            .with_message("Name a folder that is there");
    }
    assert!(!links.exists());
    for call in
        [&["inlinks", "dataset", arg(&warc)][..], &["inlinks", "reduce"], &["inlinks", "export", arg(&workspace)]]
    {
        let output = fonds_with(&[call, &["--per-capture", "--uncaptured", "keep"]].concat(), ROWS.as_bytes());
        output.with_status(2).with_message("--uncaptured keep does not go with --per-capture");
        fonds_with(&[call, &["--per-capture", "--uncaptured", "drop"]].concat(), ROWS.as_bytes()).with_status(0);
    }
    // A file in a folder that is not there is told by the name that was given.
    let out = nowhere.join("x.jsonl");
    for call in [&["inlinks", "dataset", arg(&warc)][..], &["inlinks", "export", arg(&workspace)]] {
        let output = fonds(&[call, &["--out", arg(&out)]].concat()).with_status(2);
        assert!(!output.err.contains(".open"), "{}", output.err);
        output.with_message(&format!("{}: there is no folder {}", out.display(), nowhere.display()));
    }
}

#[test]
fn one_line_is_written_as_one() {
    let rows = |bad: &str| fonds_with(&["inlinks", "reduce"], format!("{ROWS}{bad}").as_bytes()).with_status(1);
    rows("x\n").with_message("1 line is no row and was left out, line 7: it has one column");
    rows("x\ny\n").with_message("2 lines are no rows and were left out; the first is line 7: it has one column");
}

#[test]
fn a_folder_for_runs_that_was_there_before_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (warc, runs) = (small(folder.path()), folder.path().join("runs"));
    std::fs::create_dir(&runs).unwrap();
    let missing = folder.path().join("missing.warc");
    fonds(&["inlinks", "dataset", "--resume", arg(&runs), arg(&missing)]).with_status(2);
    assert!(runs.is_dir());
    fonds(&["inlinks", "dataset", "--resume", arg(&runs), arg(&warc)]).with_status(0);
    assert!(names_in(&runs).is_empty(), "{:?}", names_in(&runs));
    // One that was made for the runs goes with them.
    std::fs::remove_dir(&runs).unwrap();
    fonds(&["inlinks", "dataset", "--resume", arg(&runs), arg(&missing)]).with_status(2);
    fonds(&["inlinks", "dataset", "--resume", arg(&runs), arg(&warc)]).with_status(0);
    assert!(!runs.exists());
}

#[test]
fn links_of_others_answer_until_a_workspace_has_built_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archive");
    fonds(&["new", arg(&archive)]).with_status(0);
    fonds_with(&["inlinks", "load", arg(&archive)], ROWS.as_bytes()).with_status(0);
    let top = || fonds(&["inlinks", "top", arg(&archive)]).with_status(0);
    let rows = top().with_message("nothing was captured or imported here; this is of the links loaded into").out;
    assert_eq!(rows.lines().count(), 2);
    fonds(&["inlinks", "build", arg(&archive)])
        .with_status(0)
        .with_message("there is nothing to build; the links loaded into");
    assert_eq!(top().out, rows);
    fonds(&["inlinks", "export", arg(&archive)])
        .with_status(2)
        .with_message("answer to show, top, uncaptured, anchors, hosts and graph");
    // With captures of its own, it says where the others are to be asked.
    fonds(&["import", arg(&archive), arg(&small(folder.path()))]).with_status(0);
    fonds(&["inlinks", "build", arg(&archive)]).with_status(0);
    let own = top().with_message("this is of the captures of the workspace; to ask the links loaded into it, name");
    assert!(own.out.contains("http://a.pt/sobre"), "{}", own.out);
    assert_eq!(fonds(&["inlinks", "top", arg(&archive.join("inlinks/loaded"))]).with_status(0).out, rows);
    let help = fonds(&["inlinks", "load", "--help"]).out.replace('\n', " ");
    assert!(help.contains("show, top, uncaptured, anchors, hosts and graph"), "{help}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_filter_that_is_stopped_is_not_taken_for_one_that_found_problems() {
    let mut reduce = crate::program::command(&["inlinks", "reduce"]).stdin(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", reduce.id());
    let catches_sigterm = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(caught, 16).unwrap() & (1 << 14) != 0
    };
    while !catches_sigterm() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill").args(["-TERM", &reduce.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rows = reduce.stdin.take().unwrap();
    // Rows come until it has stopped: a busy machine may let it read many before it hears of the signal.
    let some = "(pt,a,\t20240301090000\t(pt,b,\texternal\tA\n".repeat(100_000);
    for _ in 0..200 {
        if rows.write_all(some.as_bytes()).is_err() {
            break;
        }
    }
    drop(rows);
    let output = reduce.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("what was written is not whole"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_set_is_whole_though_nobody_can_read_its_report() {
    let dir = tempfile::tempdir().unwrap();
    let (rows, out) = (dir.path().join("torn.warc"), dir.path().join("out.jsonl"));
    std::fs::write(&rows, "WARC/1.0\r\nnothing\r\n").unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = crate::program::command(&["inlinks", "dataset", arg(&rows), "--out", arg(&out)]).stderr(full).output();
    assert_eq!(output.unwrap().status.code(), Some(1));
    assert!(out.exists());
}

#[test]
fn pages_never_captured_are_listed_by_host_too() {
    let dir = tempfile::tempdir().unwrap();
    let links = dir.path().join("links");
    let rows = "(pt,q,)/x\t20240301090000\t(pt,b,\texternal\tX\n(pt,qq,)/x\t20240301090000\t(pt,b,\texternal\tX\n";
    fonds_with(&["inlinks", "load", arg(&links)], rows.as_bytes()).with_status(0);
    for prefix in ["q.pt", "http://q.pt/", "q.pt/x", "(pt,q,"] {
        let output = fonds(&["inlinks", "uncaptured", arg(&links), "--prefix", prefix, "--json"]).with_status(0);
        let urls: Vec<_> = output.json_lines().iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
        assert_eq!(urls, ["(pt,q,)/x"], "{prefix}");
    }
}
