//! Messages say what to do next, and two commands give one number.

use crate::archive::{copy_folder, file, page};
use crate::program::{arg, fonds};
use crate::sample::demo;
use serde_json::Value;
use std::path::{Path, PathBuf};

const DATE: &str = "2026-03-01T09:00:00Z";

fn workspace(root: &Path) -> PathBuf {
    let workspace = root.join("my archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    workspace
}

#[test]
fn a_folder_without_links_is_no_workspace_that_has_to_be_made() {
    let dir = tempfile::tempdir().unwrap();
    let absent = dir.path().join("my-links");
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    for folder in [&absent, &empty] {
        let folder = arg(folder);
        for call in [
            &["inlinks", "show", folder, "http://a.example/"][..],
            &["inlinks", "hosts", folder],
            &["inlinks", "graph", folder, "--format", "graphml"],
        ] {
            let refused = fonds(call).with_status(2);
            assert!(
                refused.err.contains("fonds inlinks load") && !refused.err.contains("fonds new"),
                "{}",
                refused.err
            );
        }
    }
}

#[test]
fn commands_that_messages_offer_name_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let named = format!("fonds index '{}'", workspace.display());
    fonds(&["captures", arg(&workspace), "text:harbour"]).with_status(2).with_message(&named);
    let named = format!("fonds evaluate '{}'", workspace.display());
    fonds(&["evaluate", arg(&workspace), "harbour"]).with_status(2).with_message(&named);
}

#[test]
fn a_slip_in_a_name_is_no_problem_of_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let archive = file(dir.path(), "a.warc.gz", &[page("http://a.example/", DATE, "<p>A</p>")]);
    let slip = dir.path().join("b.warc.gz");
    let refused = fonds(&["import", arg(&workspace), arg(&slip)]).with_status(2);
    refused.with_message("b.warc.gz: there is no such file or folder").with_message("Check its name");
    fonds(&["import", arg(&workspace), arg(&slip), arg(&archive)]).with_status(2).with_message("1 new capture");
    assert_eq!(fonds(&["files", "problems", arg(&workspace)]).with_status(0).out, "");
}

#[test]
fn an_address_with_a_blank_is_named_by_import_check_and_export() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let odd = page("http://a.example/a b", DATE, "<p>A</p>");
    let archive = file(dir.path(), "a.warc.gz", &[odd, page("http://a.example/c", DATE, "<p>C</p>")]);
    let problem = "WARC-Target-URI holds a blank";
    let checked = fonds(&["warc", "check", arg(&archive)]).with_status(1);
    assert_eq!(checked.out.matches(problem).count(), 1, "{}", checked.out);
    let campaign = dir.path().join("campaign.json");
    std::fs::write(&campaign, fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&campaign)]).with_status(0);
    let imported =
        fonds(&["import", arg(&workspace), arg(&archive)]).with_status(1).with_message("2 new captures, 1 problem");
    assert!(imported.out.contains(problem), "{}", imported.out);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "*"]).with_status(0);
    let out = dir.path().join("out");
    let exported = fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    assert!(exported.out.contains("1 field with a blank in a URI"), "{}", exported.out);
    assert!(std::fs::read_to_string(out.join("report.html")).unwrap().contains("with a blank in a URI"));
}

#[test]
fn a_crawl_is_no_import() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    copy_folder(&demo().report.workspace, &workspace);
    let count = |filter: &str| fonds(&["captures", arg(&workspace), filter, "--count"]).with_status(0).out;
    assert_eq!((count("import:1").trim(), count("imported:1").trim()), ("0", "0"));
    let archive = file(dir.path(), "a.warc.gz", &[page("http://a.example/", DATE, "<p>A</p>")]);
    fonds(&["import", arg(&workspace), arg(&archive)]).with_status(0);
    let imports = fonds(&["files", "imports", arg(&workspace), "--json"]).with_status(0).json_lines();
    let number = imports[0]["launch"].as_i64().unwrap();
    assert_eq!(count(&format!("import:{number}")).trim(), "1");
}

#[test]
fn what_is_shown_and_saved_can_be_had_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    copy_folder(&demo().report.workspace, &workspace);
    let w = arg(&workspace);
    let one = |call: &[&str]| -> Value { fonds(call).with_status(0).json_lines().remove(0) };
    let shown = one(&["campaign", "show", w, "1", "--json"]);
    assert_eq!((&shown["id"], &shown["version"]), (&1.into(), &1.into()));
    assert!(shown["campaign"]["seeds"].as_array().unwrap().len() > 3);
    let saved = one(&["select", "save", w, "1", "Handover", "--json"]);
    assert!(saved["name"] == "Handover" && saved["captures"].as_u64().unwrap() > 100, "{saved}");
    let saved = one(&["collections", "save", w, "Ria", "--filter", "title:Ria", "--campaign", "1", "--json"]);
    assert!(saved["name"] == "Ria" && saved["captures"].as_u64().unwrap() > 0, "{saved}");
}

#[test]
fn a_record_without_a_scheme_names_the_way_to_import_it() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let archive = file(dir.path(), "a.warc.gz", &[page("www.museu.example/index.html", DATE, "<p>A</p>")]);
    let imported = fonds(&["import", arg(&workspace), arg(&archive)]).with_status(1);
    assert!(
        imported.out.contains("no http:// before it, pack it again with the address of the site"),
        "{}",
        imported.out
    );
}
