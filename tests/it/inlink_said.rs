//! What `fonds inlinks` says beside its lines: exit statuses, what was left
//! out and why, what it refuses, and what it leaves behind.

use crate::hostile::gzip;
use crate::inlink_words::{file, page, small};
use crate::program::{arg, fonds};
use std::path::PathBuf;
use std::process::Command;

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
