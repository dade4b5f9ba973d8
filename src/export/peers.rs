//! Tests that other people's tools read what is written: with `FONDS_PEERS`, a
//! Python environment that has warcio and cdxj-indexer.
#![allow(clippy::unwrap_used)]

use super::tests::{archive_of, exported};
use crate::jobs::JobCx;
use crate::testing::data;
use crate::warc::ArchiveReader;
use crate::warc::cdx::{IndexForm, IndexOptions, index_file, write_sorted};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python with the module, or a line with the reason why there is none.
fn python(module: &str) -> Option<PathBuf> {
    let Some(peers) = std::env::var_os("FONDS_PEERS") else {
        println!("skipped: FONDS_PEERS names no Python environment");
        return None;
    };
    let python = PathBuf::from(peers).join("bin/python");
    let found = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    assert!(found.is_ok_and(|output| output.status.success()), "{}: no {module}", python.display());
    Some(python)
}

/// Runs `python -c CODE ARGS`; returns success and what it printed on stdout.
fn run(python: &Path, code: &str, args: &[&Path]) -> (bool, String) {
    let output = Command::new(python).arg("-c").arg(code).args(args).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

const WARCIO_CHECK: &str = "import sys; from warcio.cli import main; main(['check', '-v'] + sys.argv[1:])";
const WARCIO_COUNT: &str = "import sys\nfrom warcio.archiveiterator import ArchiveIterator\n\
    print(sum(1 for _ in ArchiveIterator(open(sys.argv[1], 'rb'))))";
const CDXJ: &str = "import sys; from cdxj_indexer.main import main; main(['-s'] + sys.argv[1:])";

#[test]
fn warcio_finds_nothing_wrong_with_an_export() {
    let Some(python) = python("warcio") else { return };
    let root = tempfile::tempdir().unwrap();
    let archive = archive_of(&exported(root.path()));
    let (fine, printed) = run(&python, WARCIO_CHECK, &[&archive]);
    assert!(fine && !printed.contains("failed"), "{printed}");
    assert!(printed.contains("digest pass"), "{printed}");
    let (_, count) = run(&python, WARCIO_COUNT, &[&archive]);
    let ours = ArchiveReader::open(&archive).unwrap().records(0).count();
    assert_eq!(count.trim(), ours.to_string());
}

#[test]
fn the_index_is_that_of_cdxj_indexer() {
    let Some(python) = python("cdxj_indexer") else { return };
    let root = tempfile::tempdir().unwrap();
    let archive = archive_of(&exported(root.path()));
    same_index(&python, &archive, true);
}

/// Compares line by line. A chunked response without a payload digest gets
/// the standard's from us and that of its chunks from cdxj-indexer. What is
/// not of the web (`dns:`, `metadata:`, our `urn:`) has keys of its own.
#[track_caller]
fn same_index(python: &Path, archive: &Path, but_digests: bool) {
    let (_, theirs) = run(python, CDXJ, &[archive]);
    let name = archive.file_name().unwrap().to_string_lossy();
    let (lines, _) = index_file(archive, &name, IndexOptions::default(), &JobCx::detached()).unwrap();
    let mut ours = Vec::new();
    write_sorted(&lines, IndexForm::Cdxj, &mut ours).unwrap();
    let clean = |text: &str| -> BTreeSet<String> {
        let without = |line: &str| match line.split_once(", \"digest\": ") {
            Some((before, after)) if but_digests => format!("{before}{}", &after[after.find(',').unwrap_or(0)..]),
            _ => line.to_owned(),
        };
        let is_web = |line: &&str| line.contains("{\"url\": \"http");
        text.lines().filter(is_web).map(without).collect()
    };
    let (ours, theirs) = (clean(&String::from_utf8(ours).unwrap()), clean(&theirs));
    assert!(!ours.is_empty());
    for line in theirs.difference(&ours) {
        println!("theirs {line}");
    }
    for line in ours.difference(&theirs) {
        println!("ours   {line}");
    }
    assert!(ours == theirs, "{}", archive.display());
}

#[test]
fn warcio_counts_the_same_records() {
    let (Some(python), Some(data)) = (python("warcio"), data("warc")) else { return };
    let mut other = Vec::new();
    for folder in ["real", "small", "revisit", "encodings", "arc"] {
        for entry in std::fs::read_dir(data.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let (_, printed) = run(&python, WARCIO_COUNT, &[&path]);
            let ours = ArchiveReader::open(&path).unwrap().records(0).filter(Result::is_ok).count();
            if printed.trim() != ours.to_string() {
                other.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    other.sort();
    // warcio gives the record that is cut off at the end too.
    assert_eq!(other, ["blackbook-truncated.arc"]);
}

#[test]
fn the_indexes_of_real_files_are_those_of_cdxj_indexer() {
    let (Some(python), Some(data)) = (python("cdxj_indexer"), data("warc")) else { return };
    for name in ["real/blackbook.warc.gz", "small/warcio-example.warc.gz", "small/IAH-urls-wget.warc.gz"] {
        same_index(&python, &data.join(name), false);
    }
}
