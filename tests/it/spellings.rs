//! Words are found however they are written: inputs of other people's reports, with what should be found in them.

use crate::archive::{file, page};
use crate::need::data;
use crate::program::{arg, fonds};
use std::path::{Path, PathBuf};

/// A workspace with these files, indexed.
fn indexed(folder: &Path, files: &[PathBuf]) -> PathBuf {
    let workspace = folder.join("workspace");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut args = vec!["import", arg(&workspace)];
    args.extend(files.iter().map(|file| arg(file)));
    fonds(&args).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    fonds(&["index", arg(&workspace)]).with_status(0);
    workspace
}

/// How many results a search has.
fn results(workspace: &Path, query: &str) -> usize {
    fonds(&["search", arg(workspace), "--all", "--json", "--", query]).with_status(0).json_lines().len()
}

/// Results of a search, captures of a filter and captures that hold a request: the same number.
#[track_caller]
fn check(workspace: &Path, query: &str, expected: usize) {
    assert_eq!(results(workspace, query), expected, "search {query}");
    for field in ["found", "request"] {
        let filter = format!("{field}:\"{}\"", query.replace('"', "\"\""));
        let captures = fonds(&["captures", arg(workspace), "--json", "--", &filter]).with_status(0);
        assert_eq!(captures.json_lines().len(), expected, "{filter}");
    }
}

#[test]
fn reported_spellings_are_found() {
    let names = [
        "09-one-han-character",
        "10-persian-digits",
        "11-arabic-letters",
        "12-okina",
        "13-maqaf",
        "14-format-characters",
        "14b-more-format-characters",
        "15-korean-particle",
    ];
    let files: Option<Vec<PathBuf>> = names.iter().map(|name| data(&format!("reports/{name}.warc.gz"))).collect();
    let Some(files) = files else { return };
    let folder = tempfile::tempdir().unwrap();
    let workspace = indexed(folder.path(), &files);
    for (query, expected) in [
        ("水", 1),
        ("1402", 1),
        ("2024", 2),
        ("الدوري", 1),
        ("الكبري", 1),
        ("كتاب", 1),
        ("ملي", 1),
        ("hawai'i", 1),
        ("hawai’i", 1),
        ("qur'an", 1),
        ("\"בית ספר\"", 1),
        ("בית-ספר", 1),
        ("ביתספר", 0),
        ("quintal", 1),
        ("canteiro", 1),
        ("marisco", 1),
        ("pescador", 1),
        ("farol", 1),
        ("salina", 1),
        ("서울", 1),
        ("민국", 1),
        ("2024년", 1),
        ("galaxy", 1),
    ] {
        check(&workspace, query, expected);
    }
}

#[test]
fn scripts_without_blanks_are_found_beside_digits() {
    let folder = tempfile::tempdir().unwrap();
    let html = |text: &str| format!("<html lang=ja><title>T</title><p>{text}</p></html>");
    let date = "2024-03-01T09:00:00Z";
    let pages = [
        page("http://a.example/", date, &html("2011年3月11日に地震がありました。")),
        page("http://b.example/", date, &html("東京都庁 สวัสดี2567 __name__ initie")),
    ];
    let workspace = indexed(folder.path(), &[file(folder.path(), "a.warc.gz", &pages)]);
    for (query, expected) in [
        ("2011", 1),
        ("2011年", 1),
        ("3月11日", 1),
        ("\"2011年3月11日\"", 1),
        ("2011311", 0),
        ("年月", 0),
        ("震", 1),
        ("地*", 1),
        ("東京", 1),
        ("京都", 1),
        ("東都", 0),
        ("都庁", 1),
        ("庁", 1),
        ("2567", 1),
        ("สวัส", 1),
    ] {
        check(&workspace, query, expected);
    }
    assert_eq!(results(&workspace, "=__init__"), 0);
    assert_eq!(results(&workspace, "text:=__name__"), 1);
}

#[test]
fn anchors_have_the_blanks_that_a_reader_sees() {
    let folder = tempfile::tempdir().unwrap();
    let date = "2024-03-01T09:00:00Z";
    let html = "<a href=http://d.example/x><h3>Associação</h3><p>de moradores</p></a>\
                <a href=http://d.example/y>Câmara<br>municipal</a><a href=http://d.example/z> <b>Uma</b> <div> só</div></a>";
    let pages = [
        page("http://a.example/", date, html),
        page("http://d.example/x", date, "<title>X</title><p>Nada <img src=i.png alt='Um moliceiro'>"),
        page("http://d.example/y", date, "<title>Y</title><p>Nada"),
    ];
    let warc = file(folder.path(), "a.warc.gz", &pages);
    let workspace = indexed(folder.path(), std::slice::from_ref(&warc));
    let dataset = |options: &[&str]| {
        let of_file = fonds(&[&["inlinks", "dataset", arg(&warc)], options].concat()).with_status(0).out;
        let of_workspace = fonds(&[&["inlinks", "export", arg(&workspace)], options].concat()).with_status(0).out;
        assert_eq!(of_file, of_workspace, "{options:?}");
        of_file
    };
    let (text, display) = (dataset(&[]), dataset(&["--anchors", "display"]));
    for (anchor, other) in [
        ("Associaçãode moradores", "Associação de moradores"),
        ("Câmaramunicipal", "Câmara municipal"),
        ("Uma só", "Uma só"),
    ] {
        assert!(text.contains(anchor), "{text}");
        assert!(display.contains(other), "{display}");
    }
    assert!(!text.contains('\u{a0}') && !display.contains('\u{a0}'));
    assert_eq!(results(&workspace, "anchors:municipal"), 1);
    assert_eq!(results(&workspace, "anchors:\"Associação de moradores\""), 1);
    assert_eq!(results(&workspace, "moliceiro"), 1);
}
