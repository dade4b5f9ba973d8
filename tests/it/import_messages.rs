//! Messages of an import, and of the commands beside it.

use crate::archive::write;
use crate::files::{made, plain_warc};
use crate::need;
use crate::program::{arg, fonds};
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::work;
use fonds::work::models::ImportOptions;
use std::fs;

#[test]
fn a_job_without_archives_is_no_problem_and_an_empty_folder_is_reported() {
    let (dir, workspace, empty) = made();
    let output = fonds(&["import", arg(&workspace), arg(&empty)]).with_status(1);
    output.with_message("no archive file was found");

    let spec = write(dir.path(), "spec.json", fonds(&["campaign", "example"]).with_status(0).out.as_bytes());
    fonds(&["campaign", "add", arg(&workspace), arg(&spec)]).with_status(0);
    let job = dir.path().join("job");
    fonds(&["campaign", "export", arg(&workspace), "1", "--heritrix", arg(&job)]).with_status(0);
    let output =
        fonds(&["import", arg(&workspace), arg(&job)]).with_status(0).with_message("no archive file lies beside it");
    assert!(!output.err.contains("passed over"), "its files were read: {}", output.err);
}

#[test]
fn what_is_copied_and_not_read_is_named_where_it_lies() {
    let (_dir, workspace, source) = made();
    let noise: Vec<u8> = (0..50_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
    let path = write(&source, "noise.bin", &noise);
    let output = fonds(&["import", arg(&workspace), arg(&path), "--copy"]).with_status(1);
    let kept = fonds(&["files", "problems", arg(&workspace)]).with_status(1);
    for text in [&output.out, &kept.out] {
        assert!(text.contains("neither WARC nor ARC") && !text.contains("/imports/"), "{text}");
    }
}

#[test]
fn bytes_of_an_import_count_once() {
    for copy in [false, true] {
        let (_dir, workspace, source) = made();
        let bytes = plain_warc("one", 40);
        for name in ["a.warc", "b.warc", "c.warc"] {
            write(&source, name, &bytes);
        }
        write(&source, "d.warc", &plain_warc("other", 7));
        let len: u64 = fs::read_dir(&source).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
        let cx = JobCx::detached();
        let options = ImportOptions { copy, ..ImportOptions::default() };
        let import = work::import(&Workspace::open(&workspace).unwrap(), &[source], options, &cx).unwrap();
        assert_eq!((import.files, import.known), (4, 2));
        assert_eq!((cx.progress().done, cx.progress().total), (len, Some(len)), "copied: {copy}");
    }
}

#[test]
fn a_broken_pattern_is_reported_in_one_line() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc", &plain_warc("one", 1));
    let output = fonds(&["warc", "ls", "--matches", "(", arg(&path)]).with_status(2);
    assert_eq!(output.err.trim(), "fonds: --matches: the pattern “(” is broken: unclosed group");
}

#[test]
fn a_place_without_a_record_is_reported_once() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc", &plain_warc("one", 3));
    let output = fonds(&["warc", "cat", arg(&path), "5"]).with_status(2);
    assert!(output.err.trim().ends_with("a.warc, offset 5: no record begins here"), "{}", output.err);
}

#[test]
fn one_of_a_thing_is_written_as_one() {
    let (dir, _, source) = made();
    let path = write(&source, "a.warc", &plain_warc("one", 1));
    let alone = write(&source, "alone.warc", &plain_warc("one", 0));
    let output = fonds(&["warc", "check", arg(&alone)]);
    assert!(output.out.contains("alone.warc: 1 record, "), "{}{}", output.out, output.err);
    let package = dir.path().join("one.wacz");
    let made = fonds(&["wacz", "create", arg(&package), arg(&path)]).with_status(0);
    assert!(made.out.contains("1 WARC file, 1 index line, 1 page, "), "{}", made.out);
}

#[test]
fn a_record_without_a_type_is_reported() {
    let Some(path) = need::data("warc/malformed/jwat-invalid-warcfile-fields-empty.warc") else { return };
    let output = fonds(&["warc", "check", arg(&path)]);
    assert!(output.out.contains("plain: 1 without a type"), "{}", output.out);
}

#[test]
fn a_file_that_is_there_stays_and_one_that_is_not_is_not_read() {
    let (dir, workspace, _) = made();
    let spec = write(dir.path(), "spec.json", fonds(&["campaign", "example"]).with_status(0).out.as_bytes());
    fonds(&["campaign", "add", arg(&workspace), arg(&spec)]).with_status(0);
    let yaml = dir.path().join("b.yaml");
    let export = ["campaign", "export", arg(&workspace), "1", "--browsertrix", arg(&yaml)];
    fonds(&export).with_status(0);
    let first = fs::read(&yaml).unwrap();
    fonds(&export).with_status(2).with_message("b.yaml: File exists. Choose a file that does not exist yet");
    assert_eq!(fs::read(&yaml).unwrap(), first);
    fonds(&["campaign", "add", arg(&workspace), "/nonexist"])
        .with_status(2)
        .with_message("this file cannot be read: No such");
}

#[test]
fn the_last_record_of_an_arc_file_is_kept_where_its_message_is_whole() {
    let Some(path) = need::data("warc/malformed/warcio-example-space-in-url.arc") else { return };
    let output = fonds(&["warc", "ls", arg(&path)]);
    output.with_message("the block is declared with 1591 bytes, 1578 are there: the file ends behind them");
    let output = fonds(&["warc", "ls", arg(&path)]);
    assert!(output.out.contains("http://example.com/index.cfm?FuseAction=Email&EmailTitle=Examples"), "{}", output.out);
    // Torn, it is not whole.
    let (_dir, _, source) = made();
    let bytes = fs::read(&path).unwrap();
    let torn = write(&source, "torn.arc", &bytes[..bytes.len() - 20]);
    let output = fonds(&["warc", "ls", arg(&torn)]);
    assert_eq!(output.out.lines().count(), 1, "{}", output.out);
}
