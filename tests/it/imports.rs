//! Archive files made by others, into a catalogue and out as inlinks.

use crate::archives::{DATE, record};
use crate::need;
use crate::program::{arg, fonds};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A new workspace with these files imported, and the folder it lies in.
#[track_caller]
fn imported(files: &[&Path]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut args = vec!["import", arg(&workspace)];
    args.extend(files.iter().map(|file| arg(file)));
    fonds(&args).with_status(0);
    (dir, workspace)
}

/// The data set of a workspace, an object a line.
#[track_caller]
fn dataset(workspace: &Path) -> Vec<Value> {
    fonds(&["inlinks", "export", arg(workspace)]).with_status(0).json_lines()
}

fn lines(file: &Path) -> Vec<Value> {
    std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_warc_and_its_arc_twin_give_the_same_inlinks() {
    let (Some(warc), Some(arc), Some(summary)) = (
        need::data("warc/real/blackbook.warc.gz"),
        need::data("warc/arc/blackbook.arc.gz"),
        need::data("inlinks/blackbook.summary.json"),
    ) else {
        return;
    };
    let (_warc_dir, from_warc) = imported(&[&warc]);
    let (_arc_dir, from_arc) = imported(&[&arc]);
    let objects = dataset(&from_warc);
    assert!(objects == dataset(&from_arc), "the ARC file gives other inlinks than the WARC file");

    let summary: Value = serde_json::from_slice(&std::fs::read(summary).unwrap()).unwrap();
    let sum = |field: &str| objects.iter().map(|object| object[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(objects.len() as u64, summary["linked_pages"]);
    assert_eq!(
        objects.iter().filter(|object| !object["captureDate"].is_null()).count(),
        summary["captured_linked_pages"]
    );
    assert_eq!(sum("count"), summary["inlinks"]);
    assert_eq!(sum("countInternal"), summary["internal"]);
    assert_eq!(sum("countExternal"), summary["external"]);
    let by_url: BTreeMap<&str, &Value> =
        objects.iter().map(|object| (object["url"].as_str().unwrap(), object)).collect();
    assert!(objects.is_sorted_by_key(|object| object["url"].as_str().unwrap().as_bytes().to_vec()));
    for top in summary["top"].as_array().unwrap() {
        let object = by_url[top[0].as_str().unwrap()];
        let found = [&object["count"], &object["countInternal"], &object["countExternal"], &object["captureDate"]];
        assert_eq!(found.to_vec(), top.as_array().unwrap()[1..].iter().collect::<Vec<_>>(), "{}", top[0]);
    }
}

#[test]
fn the_figures_of_the_catalogue_are_those_of_the_data_set() {
    let Some(warc) = need::data("warc/real/blackbook.warc.gz") else { return };
    let (_dir, workspace) = imported(&[&warc]);
    let built = fonds(&["inlinks", "build", arg(&workspace), "--json"]).with_status(0);
    let built = &built.json_lines()[0];
    // One capture a page, all within minutes: the window cuts nothing off.
    let objects = dataset(&workspace);
    let sum = |field: &str| objects.iter().map(|object| object[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(
        (built["internal"].as_u64().unwrap(), built["external"].as_u64().unwrap()),
        (sum("countInternal"), sum("countExternal"))
    );
    let shown = fonds(&["inlinks", "show", arg(&workspace), "http://www.archive.org/", "--json"]).with_status(0);
    let page = objects.iter().find(|object| object["url"] == "(org,archive,").unwrap();
    assert_eq!(shown.json_lines().len() as u64, page["count"]);
    let top = fonds(&["inlinks", "top", arg(&workspace), "--limit", "3", "--json"]).with_status(0).json_lines();
    assert_eq!(top.len(), 3);
    assert!(
        !fonds(&["inlinks", "uncaptured", arg(&workspace), "--limit", "5", "--json"])
            .with_status(0)
            .json_lines()
            .is_empty()
    );
    assert!(!fonds(&["inlinks", "anchors", arg(&workspace), "--json"]).with_status(0).json_lines().is_empty());
}

#[test]
fn the_walkthrough_gives_the_published_data_set() {
    let (Some(warc), Some(expected)) =
        (need::data("inlinks/seed-walkthrough.warc.gz"), need::data("inlinks/seed-walkthrough.dataset.jsonl"))
    else {
        return;
    };
    let (_dir, workspace) = imported(&[&warc]);
    assert_eq!(dataset(&workspace), lines(&expected));
}

#[test]
fn files_that_were_read_before_are_skipped() {
    let Some(warc) = need::data("warc/real/blackbook.warc.gz") else { return };
    let (dir, workspace) = imported(&[&warc]);
    let captures = |output: &crate::program::CallResult| output.json_lines()[0]["new_captures"].as_u64().unwrap();
    let again = fonds(&["import", arg(&workspace), arg(&warc), "--json"]).with_status(0);
    assert_eq!(captures(&again), 0);
    assert!(again.json_lines()[0]["same_as"].as_str().unwrap().ends_with("blackbook.warc.gz"));
    // Under another name they are still the same bytes.
    let copy = dir.path().join("other-name.warc.gz");
    std::fs::copy(&warc, &copy).unwrap();
    let output = fonds(&["import", arg(&workspace), arg(&copy)]).with_status(0);
    assert!(output.out.contains("skipped") && output.err.contains("known and skipped"), "{}{}", output.out, output.err);
    let rows = fonds(&["inlinks", "build", arg(&workspace), "--json"]).with_status(0);
    let built = rows.json_lines();
    let (_once_dir, once) = imported(&[&warc]);
    let once = fonds(&["inlinks", "build", arg(&once), "--json"]).with_status(0);
    assert_eq!(built, once.json_lines());
}

#[test]
fn broken_files_are_reported_and_what_is_whole_in_them_comes_in() {
    let Some(folder) = need::data("warc/malformed") else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let output = fonds(&["import", arg(&workspace), arg(&folder), "--json"]).with_status(1);
    let files = output.json_lines();
    let found = std::fs::read_dir(&folder).unwrap().count();
    // In a folder, files are known by their names; one of these ends in `.bad`.
    assert_eq!(files.len(), found - 1);
    assert!(output.err.contains("1 other file passed over"), "{}", output.err);
    let report = fonds(&["files", "report", arg(&workspace)]).with_status(1);
    assert_eq!(report.out.matches("passed over, its name is not that of an archive").count(), 1, "{}", report.out);
    let of = |name: &str| {
        files.iter().find(|file| file["path"].as_str().unwrap().ends_with(name)).unwrap_or_else(|| panic!("{name}"))
    };
    let problems = |name: &str| of(name)["problems"].as_array().unwrap().clone();
    for (name, captures) in
        [("jwat-invalid-arcfile-record-then-garbage.arc", 1), ("warcio-example-bad-non-chunked.warc.gz", 2)]
    {
        assert!(!problems(name).is_empty(), "{name} is not whole: {}", of(name));
        assert!(of(name)["captures"].as_u64().unwrap() >= captures, "{name}: {}", of(name));
    }
    for file in &files {
        for problem in file["problems"].as_array().unwrap() {
            assert!(problem["offset"].is_u64() && problem["kind"].is_string(), "no place in: {problem}");
        }
    }
    // Named by a person it is read, whatever it is called.
    let named = folder.join("warcio-example-bad.warc.gz.bad");
    let output = fonds(&["import", arg(&workspace), arg(&named), "--json"]).with_status(1);
    assert!(!output.json_lines()[0]["problems"].as_array().unwrap().is_empty());
    // What came in can be worked with.
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(1);
}

#[test]
fn what_is_no_archive_is_named_and_nothing_comes_in() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let text = dir.path().join("letter.warc");
    std::fs::write(&text, "Dear archivist, this is no archive file.").unwrap();
    let output = fonds(&["import", arg(&workspace), arg(&text)]).with_status(1);
    assert!(output.out.contains("letter.warc") && output.out.contains("not read"), "{}", output.out);
    let absent = dir.path().join("absent.warc.gz");
    fonds(&["import", arg(&workspace), arg(&absent)])
        .with_status(2)
        .with_message("absent.warc.gz: there is no such file");
    // A folder without archive files is worth a word, too.
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    fonds(&["import", arg(&workspace), arg(&empty)]).with_status(1).with_message("no archive file was found");
}

#[test]
fn a_folder_is_searched_and_its_files_can_be_copied_in() {
    let (Some(small), Some(arcs)) = (need::data("warc/small"), need::data("warc/arc")) else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let source = dir.path().join("old");
    for (from, to) in [(&small, "2009/a"), (&arcs, "2009/b")] {
        crate::archive::copy_folder(from, &source.join(to));
    }
    std::fs::write(source.join("readme.txt"), "about these files").unwrap();
    // One of the ARC files is cut off, one WARC file has wrong digests: status 1, and all are read.
    let output = fonds(&["import", arg(&workspace), arg(&source), "--copy", "--json"]).with_status(1);
    let files = output.json_lines();
    let found = crate::archive::files_under(&source).len();
    assert_eq!(files.len(), found - 1, "all but the text file");
    assert!(files.iter().all(|file| file["error"].is_null()), "{files:?}");
    // The source may go: the copies stay readable.
    std::fs::remove_dir_all(&source).unwrap();
    let session = fonds::work::Session::new(fonds::store::Workspace::open(&workspace).unwrap());
    let query = fonds::work::models::CaptureQuery { limit: 10_000, ..fonds::work::everything() };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    let reported: u64 = files.iter().map(|file| file["new_captures"].as_u64().unwrap()).sum();
    assert_eq!(rows.len() as u64, reported);
    for row in rows {
        fonds::work::Session::content(&session, row.id).unwrap();
    }
}

/// `<script/>` ends at once in XHTML, so that links stand behind it.
#[test]
fn an_xhtml_page_has_the_same_links_title_and_text_wherever_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("xhtml.warc");
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><script src='a.js'/>\
                <title>Town</title></head><body>Text <a href='http://b.example/'>B</a></body></html>";
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml\r\n\r\n{page}");
    std::fs::write(&file, record("response", "http://a.example/", DATE, "", http)).unwrap();
    let of_file = fonds(&["inlinks", "dataset", arg(&file)]).with_status(0).json_lines();
    let (_dir, workspace) = imported(&[&file]);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let linked: Vec<&Value> = of_file.iter().map(|object| &object["url"]).collect();
    assert_eq!(linked, ["(example,b,"], "{of_file:?}");
    assert_eq!(dataset(&workspace), of_file);
    let session = crate::files::open(&workspace);
    let rows = crate::files::captures(&session, "");
    assert_eq!((rows.len(), rows[0].title.as_str()), (1, "Town"));
    assert_eq!(session.content(rows[0].id).unwrap().text.trim(), "Text B");
}
