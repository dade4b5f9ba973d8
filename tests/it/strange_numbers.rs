//! Workspaces whose parts do not belong together, or whose numbers and texts no program of ours has written.

use crate::archive::{file, page};
use crate::program::{arg, fonds};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A workspace of three pages, with their texts indexed.
fn indexed(dir: &Path) -> PathBuf {
    let workspace = dir.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    import(&workspace, dir, "alpha.example", "zebra");
    workspace
}

/// Imports three pages of a host with a word, and indexes them.
fn import(workspace: &Path, dir: &Path, host: &str, term: &str) {
    let pages: Vec<Vec<u8>> = (0..3)
        .map(|number| {
            let url = format!("http://{host}/{number}");
            page(
                &url,
                &format!("2024-03-0{}T09:00:30Z", number + 1),
                &format!("<title>{term}</title><p>the {term} {number}"),
            )
        })
        .collect();
    let warc = file(dir, &format!("{host}.warc"), &pages);
    fonds(&["import", arg(workspace), arg(&warc), "--index"]).with_status(0);
}

fn found(workspace: &Path, term: &str) -> Vec<Value> {
    fonds(&["captures", arg(workspace), &format!("text:{term}"), "--json"]).with_status(0).json_lines()
}

fn sql(workspace: &Path, sql: &str) {
    rusqlite::Connection::open(workspace.join("fonds.sqlite")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn an_index_with_a_false_length_is_built_again_and_no_call_panics() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = indexed(dir.path());
    let list = workspace.join("index/meta.json");
    for length in [2_u64, 4, 4_294_967_295] {
        let mut meta: Value = serde_json::from_slice(&std::fs::read(&list).unwrap()).unwrap();
        meta["segments"][0]["max_doc"] = length.into();
        std::fs::write(&list, meta.to_string()).unwrap();
        for call in [&["search", arg(&workspace), "zebra"][..], &["index", arg(&workspace), "--check"]] {
            let called = fonds(call);
            assert!(called.status < 3 && !called.err.contains("panicked"), "{call:?}: {}", called.err);
        }
        fonds(&["index", arg(&workspace)]).with_status(0);
        assert_eq!(found(&workspace, "zebra").len(), 3, "{length}");
    }
}

#[test]
fn after_a_backup_was_put_back_no_search_answers_with_texts_of_other_captures() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let backup = dir.path().join("backup");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["backup", arg(&workspace), arg(&backup)]).with_status(0);
    import(&workspace, dir.path(), "alpha.example", "zebra");
    for rest in ["fonds.sqlite-wal", "fonds.sqlite-shm"] {
        drop(std::fs::remove_file(workspace.join(rest)));
    }
    std::fs::copy(backup.join("fonds.sqlite"), workspace.join("fonds.sqlite")).unwrap();
    let pages = [page("http://beta.example/", "2024-05-01T09:00:30Z", "<title>violin</title><p>a violin")];
    let more: Vec<Vec<u8>> = (0..5)
        .map(|number| page(&format!("http://beta.example/{number}"), "2024-05-02T09:00:30Z", "<p>more of the violin"))
        .collect();
    let warc = file(dir.path(), "beta.warc", &[&pages[..], &more[..]].concat());
    fonds(&["import", arg(&workspace), arg(&warc)]).with_status(0);
    let none = fonds(&["search", arg(&workspace), "zebra", "--json"]);
    assert!(!none.out.contains("beta.example"), "{}", none.out);
    let checked = fonds(&["index", arg(&workspace), "--check"]);
    assert_ne!(checked.status, 0, "{}", checked.out);
    assert!(checked.err.contains("of another catalogue"), "{}", checked.err);
    fonds(&["index", arg(&workspace)]).with_status(0);
    assert_eq!((found(&workspace, "violin").len(), found(&workspace, "zebra").len()), (6, 0));
}

#[test]
fn a_catalogue_with_numbers_that_no_row_can_have_is_not_opened() {
    for change in [
        "UPDATE capture SET id = 17179869184 WHERE id = 1; UPDATE record SET capture = 17179869184 WHERE capture = 1",
        "UPDATE capture SET id = 4611686018427387904 WHERE id = 1",
        "UPDATE capture SET id = -7 WHERE id = 1",
        "UPDATE capture SET host = 17179869184 WHERE id = 1",
        "UPDATE host SET id = 17179869184 WHERE id = 1",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let workspace = indexed(dir.path());
        sql(&workspace, &format!("PRAGMA foreign_keys = OFF; {change}"));
        for call in
            [&["captures", arg(&workspace)][..], &["index", arg(&workspace)], &["search", arg(&workspace), "zebra"]]
        {
            let called = fonds(call).with_status(2);
            assert!(
                called.err.contains("is the most that a catalogue of this size can have"),
                "{change}: {}",
                called.err
            );
        }
    }
}

#[test]
fn dates_at_both_ends_of_time_are_counted_without_a_place_for_each_day() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = indexed(dir.path());
    sql(
        &workspace,
        "UPDATE capture SET date_ms = -180000000000000000 WHERE id = 1; UPDATE capture SET date_ms = 180000000000000000 WHERE id = 2",
    );
    fonds(&["search", arg(&workspace), "*", "--histogram", "day"]).with_status(0);
}

#[test]
fn a_text_that_is_none_is_named_with_its_row_and_no_backup_calls_it_checked() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = indexed(dir.path());
    sql(&workspace, "UPDATE capture SET title = CAST(x'41FF42' AS TEXT) WHERE id = 2");
    let backup = dir.path().join("backup");
    let named = "row 2 of the table capture: byte 1 of its title";
    fonds(&["captures", arg(&workspace), "--json"]).with_status(0).with_message(named);
    fonds(&["backup", arg(&workspace), arg(&backup)])
        .with_status(2)
        .with_message(named)
        .with_message("Put a backup in its place");
    // By its URL a page is found again: with other letters it would be another page.
    sql(&workspace, "UPDATE url SET url = CAST(x'68FF42' AS TEXT) WHERE id = 1");
    fonds(&["captures", arg(&workspace), "--json"])
        .with_status(2)
        .with_message("of the table url")
        .with_message("Put a backup");
    assert!(!backup.exists());
}
