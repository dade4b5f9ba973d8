//! Files that other tools wrote, read by us and by programs of others; and
//! what we make of them, read by programs of others.

use crate::archive::files_under;
use crate::need;
use crate::program::{arg, fonds};
use fonds::jobs::JobCx;
use fonds::warc::{ArchiveReader, ProblemKind, check_file};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of which warcio or FastWARC finds another number of records than we
/// do: ours, warcio's, FastWARC's (with `!` where it gives up), and why.
const OTHERWISE: [(&str, &str, &str, &str, &str); 16] = [
    (
        "blackbook-truncated.arc",
        "9",
        "1!",
        "0!",
        "no line break after each record: warcio gives up; FastWARC reads no ARC",
    ),
    ("blackbook.arc.gz", "300", "300", "0!", "FastWARC reads no ARC"),
    ("jwat-small_BNF.arc", "6", "6", "0!", "FastWARC reads no ARC"),
    ("warcio-example.arc", "2", "2", "0!", "FastWARC reads no ARC"),
    ("warcio-example.arc.gz", "2", "2", "0!", "FastWARC reads no ARC"),
    ("aut-badexample.arc.gz", "4", "1!", "0!", "damaged; FastWARC reads no ARC"),
    ("jwat-invalid-arcfile-record-then-garbage.arc", "1", "1!", "0!", "garbage at the end; FastWARC reads no ARC"),
    ("warcio-bad.arc", "4", "4", "0!", "FastWARC reads no ARC"),
    ("warcio-example-space-in-url.arc", "2", "2", "0!", "FastWARC takes the blank in the URL for the end of it"),
    ("link-extraction-test.warc", "8", "4!", "8", "Content-Length too large by a few bytes: warcio gives up"),
    (
        "jwat-invalid-warcfile-fields-empty.warc",
        "1",
        "1!",
        "1!",
        "a record without a length, then bytes that belong to none",
    ),
    ("warcio-example-bad-non-chunked.warc.gz", "6", "1!", "6", "one gzip member for all, which warcio refuses"),
    ("warcio-example-bad.warc.gz.bad", "6", "1!", "6", "one gzip member for all, which warcio refuses"),
    ("warcio-example-trunc.warc", "4", "4", "3!", "a block shorter than declared: FastWARC gives up"),
    ("warcio-example-wrong-chunks.warc.gz", "2", "1!", "2", "a bad line after the block: warcio gives up"),
    ("ipwb-redirect.warc", "2", "2", "1", "the length of the last record is too large, which FastWARC believes"),
];

/// Files that FastWARC cannot read beside those of [`OTHERWISE`], since it
/// asks for CRLF, for heads without folded lines and for `WARC/` in capitals.
const FASTWARC_GIVES_UP: [(&str, &str); 6] = [
    ("jwat-invalid-warcfile-duplicate-fields.warc", "1!"),
    ("ipwb-2mementos_queryString.warc", "1"),
    ("ipwb-5mementosAndFroggie.warc", "1"),
    ("ipwb-HTTP204.warc", "1!"),
    ("jwat-valid-warcfile-fields-continuation.warc", "1!"),
    ("jwat-valid-warcfile-upper-lower-case.warc", "1!"),
];

/// Counts the records of each file with warcio and FastWARC.
const COUNT: &str = r#"
import json, os, sys
from warcio.archiveiterator import ArchiveIterator as Warcio
from fastwarc.warc import ArchiveIterator as FastWarc
sys.stderr = open(os.devnull, "w")
def count(make, path):
    found = 0
    with open(path, "rb") as file:
        try:
            for _ in make(file):
                found += 1
        except Exception:
            return f"{found}!"
    return str(found)
for path in sys.argv[1:]:
    print(json.dumps([
        count(lambda file: Warcio(file, no_record_parse=True), path),
        count(lambda file: FastWarc(file, parse_http=False), path),
    ]))
"#;

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn run(program: &Path, args: &[&str]) -> (bool, String) {
    let output = Command::new(program).args(args).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn we_find_the_records_that_warcio_and_fastwarc_find() {
    let (Some(data), Some([python, _])) = (need::data("warc"), need::peers(["python", "fastwarc"])) else { return };
    let files = files_under(&data);
    let paths: Vec<&str> = files.iter().map(|file| arg(file)).collect();
    let (ended, output) = run(&python, &[&["-c", COUNT], &paths[..]].concat());
    assert!(ended);
    let theirs: Vec<[String; 2]> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(theirs.len(), files.len());
    let mut wrong = Vec::new();
    for (file, [warcio, fastwarc]) in files.iter().zip(&theirs) {
        let mut records = ArchiveReader::open(file).unwrap().records(0);
        let ours = records.by_ref().map(Result::unwrap).count().to_string();
        let name = name(file);
        let listed = OTHERWISE.iter().find(|(other, ..)| *other == name);
        let unread = FASTWARC_GIVES_UP.iter().find(|(other, _)| *other == name).map(|(_, count)| *count);
        let expected = match listed {
            Some((_, ours, warcio, fastwarc, _)) => (*ours, *warcio, *fastwarc),
            None => (ours.as_str(), ours.as_str(), unread.unwrap_or(&ours)),
        };
        if (ours.as_str(), warcio.as_str(), fastwarc.as_str()) != expected {
            wrong.push(format!("{name}: {ours} records, {warcio} by warcio, {fastwarc} by FastWARC, not {expected:?}"));
        }
        // Where a program gives up, we name a problem.
        let gives_up = warcio.ends_with('!') || (fastwarc.ends_with('!') && !name.contains(".arc"));
        let fine_for_us = ["jwat-valid-warcfile-fields-continuation.warc", "jwat-valid-warcfile-upper-lower-case.warc"];
        let problems = records.take_problems();
        if gives_up && problems.is_empty() && !fine_for_us.contains(&name.as_str()) {
            wrong.push(format!("{name}: others give up, and we name no problem"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() > 40);
}

/// Records by offset, and whether warcio says that a digest is wrong. None
/// where it gives up.
fn verdicts(warcio: &Path, file: &Path) -> Option<BTreeMap<u64, bool>> {
    let (_, output) = run(warcio, &["check", "-v", arg(file)]);
    if output.contains("saw exception") {
        return None;
    }
    let mut verdicts = BTreeMap::new();
    let mut present = 0;
    for line in output.lines() {
        if let Some(rest) = line.strip_prefix("  offset ") {
            present = rest.split(' ').next().unwrap().parse().unwrap();
            verdicts.insert(present, false);
        } else if line.starts_with("    ") && line.contains("digest failed") {
            verdicts.insert(present, true);
        }
    }
    Some(verdicts)
}

#[test]
fn we_find_the_digests_wrong_that_warcio_finds_wrong() {
    let (Some(data), Some([warcio])) = (need::data("warc"), need::peers(["warcio"])) else { return };
    let mut compared = 0;
    let mut wrong = Vec::new();
    for file in files_under(&data) {
        let Some(theirs) = verdicts(&warcio, &file) else { continue };
        let failed: BTreeSet<u64> = theirs.iter().filter(|(_, failed)| **failed).map(|(offset, _)| *offset).collect();
        let (_, problems) = check_file(&file, true, &JobCx::detached()).unwrap();
        let ours: BTreeSet<u64> =
            problems.iter().filter(|p| p.kind == ProblemKind::BadDigest).map(|p| p.offset).collect();
        if ours != failed {
            wrong.push(format!("{}: wrong for us at {ours:?}, for warcio at {failed:?}", name(&file)));
        }
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What warcio says of a file, apart from places: ids with their verdicts.
fn warcio_report(warcio: &Path, file: &Path) -> Vec<String> {
    let (_, output) = run(warcio, &["check", "-v", arg(file)]);
    assert!(!output.contains("saw exception"), "{output}");
    let lines = output.lines().skip(1);
    lines.map(|line| line.split_once(" WARC-Record-ID ").map_or(line, |(_, rest)| rest).to_owned()).collect()
}

#[test]
fn what_we_repack_and_cut_is_the_same_to_warcio() {
    let (Some(data), Some([warcio])) = (need::data("warc"), need::peers(["warcio"])) else { return };
    let dir = tempfile::tempdir().unwrap();
    let inputs = [
        "small/warcio-example.warc",
        "small/warcio-example-iana.org-chunked.warc",
        "small/warcio-post-test.warc.gz",
        "small/wacz-example-collection.warc",
        "arquivo-gpl3/inlinks.1.warc.gz",
        "encodings/transfer_compression_brotli.warc.gz",
        "real/blackbook.warc.gz",
        "arc/warcio-example.arc",
    ];
    for input in inputs {
        let input = data.join(input);
        let folder = dir.path().join(name(&input));
        std::fs::create_dir(&folder).unwrap();
        let before = warcio_report(&warcio, &input);
        let mut made: Vec<PathBuf> = Vec::new();
        for (option, file) in [("--json", "packed.gz"), ("--plain", "plain")] {
            let path = folder.join(file);
            fonds(&["warc", "recompress", arg(&input), "--out", arg(&path), option]).with_status(0);
            assert_eq!(warcio_report(&warcio, &path), before, "{}", path.display());
            made.push(path);
        }
        for source in &made {
            let cut = folder.join(format!("{}-cut", name(source)));
            fonds(&["warc", "cut", arg(source), "--skip", "1", "--limit", "2", "--out", arg(&cut)]).with_status(0);
            let after = warcio_report(&warcio, &cut);
            assert!(after.iter().all(|line| before.contains(line)), "{after:?}");
            let (ended, index) = run(&warcio, &["index", "-f", "offset", arg(&cut)]);
            assert!(ended);
            let listed = fonds(&["warc", "ls", "--json", arg(&cut)]).with_status(0).json_lines();
            let offsets: Vec<String> = listed.iter().map(|record| record["offset"].to_string()).collect();
            let theirs: Vec<serde_json::Value> =
                index.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let theirs: Vec<&str> = theirs.iter().map(|line| line["offset"].as_str().unwrap()).collect();
            assert_eq!(offsets, theirs, "{}", cut.display());
            assert!((2..=3).contains(&offsets.len()), "{offsets:?}");
        }
    }
    // A member for all records is split, and then warcio reads it.
    let input = data.join("malformed/warcio-example-bad-non-chunked.warc.gz");
    let path = dir.path().join("split.warc.gz");
    fonds(&["warc", "recompress", arg(&input), "--out", arg(&path)]).with_status(0);
    let lines = warcio_report(&warcio, &path);
    assert_eq!(lines.iter().filter(|line| line.starts_with('<')).count(), 6);
}
