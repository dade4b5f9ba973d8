//! What `fonds inlinks` says beside its lines: exit statuses, what was left
//! out and why, what it refuses, and what it leaves behind.

use crate::hostile::gzip;
use crate::inlink_words::{file, page, small};
use crate::program::{arg, fonds};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROWS: &str = "(pt,a,\t20240301090000\n\
    (pt,a,\t20240301100000\t(pt,b,\texternal\tA\n\
    (pt,a,)/2\t20240301090000\n\
    (pt,a,)/2\t20240301100000\t(pt,c,\texternal\tB\n\
    (pt,n,)/x\t20240301100000\t(pt,b,\texternal\tN\n\
    (pt,n,)/y\t20240301100000\t(pt,c,\texternal\t\n";

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
    let said = fonds(&["inlinks", "map", arg(&missing), arg(&whole)]).with_status(2);
    assert_eq!(said.out, all);
    said.says("missing.warc.gz: No such file").says("1 of 2 files cannot be read: rows are missing");
    let first = page("http://a.pt/", "2024-03-01T09:00:00Z", "<a href=/x>X</a>");
    let broken = file(folder.path(), "broken.warc.gz", &[first.clone(), gzip(b"no record\r\n\r\n"), first]);
    let said = fonds(&["inlinks", "map", arg(&broken)]).with_status(1);
    assert!(said.out.contains("(pt,a,)/x\t"), "{}{}", said.out, said.err);
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
        let words = recipe.replace("fonds inlinks map", &format!("'{program}' inlinks map {}", files.join(" ")));
        Command::new("sh").args(["-c", &words]).output().unwrap().status.success()
    };
    if cfg!(unix) {
        assert!(task(&[&whole]) && task(&[&broken]) && !task(&[&whole, &missing]));
    }
}

#[test]
fn what_holds_no_data_set_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let warc = small(folder.path());
    let plain = file(folder.path(), "notes.txt", &[b"Some words\nand more of them\n".to_vec()]);
    let (out, links) = (folder.path().join("out.jsonl"), folder.path().join("links"));
    let before = names_in(folder.path());
    for (input, words) in [
        (&warc, "this is an archive file and no data set; make one of it with: fonds inlinks dataset"),
        (&plain, "no line is an object of a data set"),
    ] {
        fonds(&["inlinks", "convert", arg(input), arg(&out)]).with_status(2).says(words);
        let said = fonds(&["inlinks", "convert", arg(input), "-"]).with_status(2);
        assert_eq!(said.out, "");
        fonds(&["inlinks", "load", arg(&links), arg(input)]).with_status(2).says(words).says(arg(input));
        assert_eq!(names_in(folder.path()), before, "{}", input.display());
    }
    // What was read before is not stored either, and a folder that was there stays, empty.
    let good = file(folder.path(), "rows.tsv", &[ROWS.as_bytes().to_vec()]);
    std::fs::create_dir(&links).unwrap();
    fonds(&["inlinks", "load", arg(&links), arg(&good), arg(&warc)]).with_status(2).says("this is an archive file");
    assert!(names_in(&links).is_empty(), "{:?}", names_in(&links));
    // Links that are there already stay as they are.
    fonds(&["inlinks", "load", arg(&links), arg(&good)]).with_status(0);
    let kept = names_in(&links);
    fonds(&["inlinks", "load", arg(&links), arg(&plain)]).with_status(2).says("nothing was stored");
    assert_eq!(names_in(&links), kept);
    assert_eq!(fonds(&["inlinks", "top", arg(&links)]).with_status(0).out.lines().count(), 2);
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
