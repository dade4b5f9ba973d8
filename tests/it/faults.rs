//! Faults under the program: files that cannot be opened, a disk without room, links and lists that are damaged,
//! a catalogue that was put back, a clock that is wrong. Nothing that cost hours is thrown away for it, and the
//! message names the file and what helps.

use crate::archive::{file, page};
use crate::need;
use crate::program::{CallResult, arg, command, fonds};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A workspace of pages that link to each other, with texts indexed and inlinks built.
fn linked(dir: &Path) -> PathBuf {
    let workspace = dir.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    import(&workspace, dir, "alpha.example", "zebra");
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    // With the anchors of these links: there is nothing left to do.
    fonds(&["index", arg(&workspace)]).with_status(0);
    workspace
}

/// Imports four pages of a host, each with links to all of them and to those of `target.example`.
fn import(workspace: &Path, dir: &Path, host: &str, term: &str) {
    let links = |number: usize| {
        (0..4)
            .map(|to| {
                format!("<a href=/{to}>{term} {number} {to}</a> <a href=http://target.example/{to}>to {term}</a> ")
            })
            .collect::<String>()
    };
    let pages: Vec<Vec<u8>> = (0..4)
        .map(|number| {
            let html = format!("<title>{term}</title><p>the {term} {number} {}</p>", links(number));
            page(&format!("http://{host}/{number}"), &format!("2024-03-0{}T09:00:30Z", number + 1), &html)
        })
        .collect();
    let warc = file(dir, &format!("{host}.warc.gz"), &pages);
    fonds(&["import", arg(workspace), arg(&warc)]).with_status(0);
}

/// The program, started by a shell that sets a limit first.
fn limited(limit: &str, args: &[&str]) -> CallResult {
    let mut call = Command::new("sh");
    call.args(["-c", &format!("{limit}; exec \"$@\""), "sh"]).arg(command::<&str>(&[]).get_program()).args(args);
    of(&mut call)
}

fn of(call: &mut Command) -> CallResult {
    let output = call.stdin(Stdio::null()).output().unwrap();
    CallResult {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Names and bytes of what is in the index, without locks.
fn index_files(workspace: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(workspace.join("index")).unwrap().flatten();
    let mut files: Vec<(String, u64)> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.metadata().unwrap().len()))
        .filter(|(name, _)| !name.ends_with(".lock"))
        .collect();
    files.sort();
    files
}

#[test]
fn files_that_cannot_be_opened_never_cost_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let before = index_files(&workspace);
    for files in 6..24 {
        for call in [&["index", arg(&workspace)][..], &["search", arg(&workspace), "zebra"]] {
            let called = limited(&format!("ulimit -n {files}"), call);
            assert!(!called.err.contains("panicked"), "{files}: {}", called.err);
            assert_eq!(index_files(&workspace), before, "with {files} files, {call:?}: {}", called.err);
        }
    }
    fonds(&["index", arg(&workspace), "--check"]).with_status(0);
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read_never_cost_the_index() {
    use std::os::unix::fs::PermissionsExt;
    let Some(setpriv) = need::program("setpriv") else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let before = index_files(&workspace);
    // Root may read everything: the calls are those of somebody who owns the folders.
    let give = Command::new("chown").args(["-R", "65534:65534", arg(dir.path())]).stderr(Stdio::null()).status();
    if !give.is_ok_and(|given| given.success()) {
        need::skip("peers", "only root can call the program as somebody else");
        return;
    }
    let term = index_files(&workspace).into_iter().find(|(name, _)| name.ends_with(".term")).unwrap().0;
    std::fs::set_permissions(workspace.join("index").join(&term), PermissionsExt::from_mode(0o000)).unwrap();
    for call in [["index", arg(&workspace), "--json"], ["search", arg(&workspace), "zebra"]] {
        let mut other = Command::new(&setpriv);
        other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        let called = of(other.arg(command::<&str>(&[]).get_program()).args(call));
        if called.status == 126 || called.status == 127 {
            need::skip("peers", "nobody else may start the program");
            return;
        }
        assert_eq!(called.status, 2, "{}{}", called.out, called.err);
        assert!(called.err.contains(&term) && called.err.contains("ermission denied"), "{}", called.err);
        assert_eq!(index_files(&workspace), before, "{}", called.err);
    }
}

/// The file of built inlinks.
fn segment(workspace: &Path) -> PathBuf {
    let entries = std::fs::read_dir(workspace.join("inlinks/built")).unwrap().flatten();
    entries.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "seg")).unwrap()
}

#[test]
fn the_command_that_is_advised_mends_damaged_inlinks() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let show = ["inlinks", "show", arg(&workspace), "http://alpha.example/1"];
    let before = fonds(&show).with_status(0).out;
    assert!(before.contains("zebra 0 1"), "{before}");
    let path = segment(&workspace);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40] ^= 0xff;
    std::fs::write(&path, bytes).unwrap();
    fonds(&show).with_status(2).with_message("mended by: fonds inlinks build");
    let built = fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    assert!(built.out.contains("built from scratch: ") && built.out.contains(".seg"), "{}", built.out);
    assert_eq!(fonds(&show).with_status(0).out, before);
    // What is whole is not built again.
    let again = fonds(&["inlinks", "build", arg(&workspace), "--json"]).with_status(0).json_lines();
    assert_eq!(again[0]["rebuilt"], "", "{}", again[0]);
}

#[test]
fn after_a_backup_was_put_back_no_inlinks_of_other_captures_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, backup) = (dir.path().join("w"), dir.path().join("b"));
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["backup", arg(&workspace), arg(&backup)]).with_status(0);
    import(&workspace, dir.path(), "alpha.example", "zebra");
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    for rest in ["fonds.sqlite-wal", "fonds.sqlite-shm"] {
        drop(std::fs::remove_file(workspace.join(rest)));
    }
    std::fs::copy(backup.join("fonds.sqlite"), workspace.join("fonds.sqlite")).unwrap();
    let show = ["inlinks", "show", arg(&workspace), "http://target.example/1"];
    fonds(&show).with_status(2).with_message("of another catalogue");
    import(&workspace, dir.path(), "beta.example", "violin");
    for call in [&show[..], &["inlinks", "top", arg(&workspace)]] {
        let called =
            fonds(call).with_status(2).with_message("of another catalogue").with_message("fonds inlinks build");
        assert!(!called.out.contains("zebra"), "{}", called.out);
    }
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let shown = fonds(&show).with_status(0).out;
    assert!(shown.contains("violin") && !shown.contains("zebra"), "{shown}");
}

#[test]
fn a_damaged_list_of_outlinks_names_its_capture() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let catalogue = rusqlite::Connection::open(workspace.join("fonds.sqlite")).unwrap();
    catalogue.execute("UPDATE link_list SET begin = 1 << 40 WHERE capture = 3", []).unwrap();
    drop(catalogue);
    fonds(&["inlinks", "build", arg(&workspace), "--anew"]).with_status(2).with_message("of capture 3");
}

#[test]
fn near_duplicates_with_false_lengths_are_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let path = workspace.join("index/near.bin");
    let whole = std::fs::read(&path).unwrap();
    let end = whole.len() - 56;
    for number in 0..4 {
        for length in [u64::MAX, 1 << 62, 1 << 33, 7] {
            let mut bytes = whole.clone();
            bytes[end + 8 * number..end + 8 * number + 8].copy_from_slice(&length.to_le_bytes());
            std::fs::write(&path, &bytes).unwrap();
            for call in [&["search", arg(&workspace), "zebra"][..], &["related", arg(&workspace), "1"]] {
                fonds(call).with_status(0);
            }
            fonds(&["index", arg(&workspace)]).with_status(0);
            assert_eq!(std::fs::read(&path).unwrap().len(), whole.len(), "{number} {length}");
        }
    }
}

/// The largest size of a file stands in for the disk.
#[test]
fn a_disk_without_room_is_named_with_its_file_and_nothing_else() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    fonds(&["select", "run", arg(&workspace), "--filter", "*"]);
    std::fs::remove_dir_all(workspace.join("index")).unwrap();
    let noise: String =
        (0..60_000_u64).map(|number| format!("{:x} ", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    let warc = file(dir.path(), "large.warc.gz", &[page("http://large.example/", "2024-03-01T09:00:30Z", &noise)]);
    fonds(&["import", arg(&workspace), arg(&warc)]).with_status(0);
    let out = dir.path().join("x.wacz");
    for (call, name) in
        [(vec!["index", arg(&workspace)], "index"), (vec!["wacz", "create", arg(&out), arg(&warc)], "x.wacz")]
    {
        for bytes in [100_000, 300_000] {
            let mut full = Command::new(&prlimit);
            full.arg(format!("--fsize={bytes}:")).args(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
            let called = of(full.arg(command::<&str>(&[]).get_program()).args(&call));
            assert_eq!(called.status, 2, "{call:?}: {}{}", called.out, called.err);
            assert!(called.err.contains(name), "{}", called.err);
            for other in ["ZipWriter", "Internal error", "panicked", "Error {", "Os {"] {
                assert!(!called.err.contains(other), "{other}: {}", called.err);
            }
        }
    }
}

#[test]
fn one_byte_that_is_no_text_hides_no_row_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let catalogue = rusqlite::Connection::open(workspace.join("fonds.sqlite")).unwrap();
    catalogue.execute("UPDATE capture SET title = CAST(x'41FF42' AS TEXT) WHERE id = 2", []).unwrap();
    drop(catalogue);
    let named = "row 2 of the table capture: byte 1 of its title";
    let rows = fonds(&["captures", arg(&workspace), "--json"]).with_status(0).with_message(named);
    assert_eq!(rows.err.matches(named).count(), 1, "{}", rows.err);
    let titles: Vec<Value> = rows.json_lines().iter().map(|row| row["title"].clone()).collect();
    assert_eq!(titles, ["zebra", "A\u{fffd}B", "zebra", "zebra"]);
    assert_eq!(fonds(&["captures", arg(&workspace), "title:zebra", "--count"]).with_status(0).out, "3\n");
    fonds(&["index", arg(&workspace), "--rebuild"]).with_status(0);
    let found = fonds(&["search", arg(&workspace), "zebra", "--all", "--json"]);
    assert!(found.status == 0 || found.err.contains("--all"), "{}", found.err);
    fonds(&["backup", arg(&workspace), arg(&dir.path().join("b"))]).with_status(2).with_message(named);
    assert!(!dir.path().join("b").exists());
}

#[test]
fn empty_files_and_folders_that_are_not_there_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    for (name, call) in [
        ("e.warc", &["warc", "index"][..]),
        ("e.warc.gz", &["index", "documents"]),
        ("e.cdxj", &["cdx", "ls"]),
        ("e.cdx", &["cdx", "convert"]),
        ("e.html", &["text"]),
    ] {
        let empty = file(dir.path(), name, &[]);
        let called = fonds(&[call, &[arg(&empty)]].concat());
        assert_eq!(called.status, 1, "{call:?}: {}", called.err);
        assert!(called.err.contains(name) && called.err.contains("nothing in it"), "{call:?}: {}", called.err);
    }
    let absent = dir.path().join("nope");
    fonds(&["files", "locate", arg(&workspace), arg(&absent)]).with_status(2).with_message("nope");
}

#[test]
fn a_spoiled_annotation_does_not_keep_the_others_out() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = linked(dir.path());
    let row = |number: usize, text: &str| {
        format!(
            r#"{{"id": "h{number}", "created": "2024-05-01T10:00:00Z", "user": "acct:a@b", "text": "{text}", "uri": "http://alpha.example/{number}"}}"#
        )
    };
    let spoiled = dir.path().join("spoiled.json");
    std::fs::write(&spoiled, format!(r#"{{"rows": [{}, {}]}}"#, row(0, "half \\ud800"), row(1, "whole"))).unwrap();
    let came = fonds(&["annotations", "import", arg(&workspace), arg(&spoiled), "--json"]).with_status(0).json_lines();
    assert_eq!(came[0]["added"], 2, "{}", came[0]);
    let twice = dir.path().join("twice.json");
    std::fs::write(&twice, format!(r#"{{"rows": [{}], "total": 1, "rows": []}}"#, row(2, "first list"))).unwrap();
    let came = fonds(&["annotations", "import", arg(&workspace), arg(&twice), "--json"]).with_status(0).json_lines();
    assert_eq!(came[0]["added"], 1, "{}", came[0]);
}
