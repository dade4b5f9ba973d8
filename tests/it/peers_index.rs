//! Indexes and packages, held against cdxj-indexer, py-wacz and pywb.

use crate::archive::{files_under, warcs_under};
use crate::need;
use crate::peers::run;
use crate::sample::demo;
use fonds::export::{PackageOptions, write_package};
use fonds::jobs::JobCx;
use fonds::warc::cdx::{IndexForm, IndexLine, IndexOptions, IndexReader, index_file, write_sorted};
use fonds::warc::wacz::{PAGES, PageReader, Wacz};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The SHA-1 of nothing.
const OF_NOTHING: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// Lines by file and place of their records.
fn by_place(index: &str) -> BTreeMap<(String, u64), IndexLine> {
    let lines = IndexReader::new(index.as_bytes(), "index").unwrap().map(Result::unwrap);
    lines.map(|line| ((line.filename.clone(), line.span.offset), line)).collect()
}

/// How two indexes differ, by file and reason; fails on any other difference.
#[track_caller]
fn differences(ours: &str, theirs: &str, form: IndexForm) -> BTreeMap<(String, &'static str), usize> {
    let (ours, theirs) = (by_place(ours), by_place(theirs));
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    let mut reasons: BTreeMap<(String, &'static str), usize> = BTreeMap::new();
    for (((file, _), mut ours), mut theirs) in ours.into_iter().zip(theirs.into_values()) {
        let mut differ = |reason| *reasons.entry((file.clone(), reason)).or_default() += 1;
        // What is not of the web has no key that programs agree on.
        if ours.key != theirs.key && !ours.url.starts_with("http") {
            differ("keys of other schemes");
            theirs.key = ours.key.clone();
        }
        // With requests at hand, cdxj-indexer reads a block before it hashes
        // it: what is left to hash is nothing.
        if ours.digest != theirs.digest && theirs.digest.as_deref() == Some(OF_NOTHING) {
            differ("digests of nothing");
            ours.digest.clone_from(&theirs.digest);
        }
        // A host's addresses come without HTTP: there cdxj-indexer looks for
        // no type, we take that of the record.
        if ours.url.starts_with("dns:") && ours.mime.as_deref() == Some("text/dns") && theirs.mime.is_none() {
            differ("types of names");
            ours.mime = None;
        }
        assert_eq!(form.line(&ours), form.line(&theirs));
    }
    reasons
}

#[test]
fn our_indexes_of_sound_files_are_those_of_cdxj_indexer() {
    let (Some([indexer]), Some(data)) = (need::peers(["cdxj-indexer"]), need::data("warc")) else { return };
    let forms = [
        ("cdxj", IndexForm::Cdxj, false, vec![]),
        ("bodies", IndexForm::Cdxj, true, vec!["--post-append"]),
        ("cdx9", IndexForm::Cdx9, false, vec!["--cdx09"]),
        ("cdx11", IndexForm::Cdx11, false, vec!["--cdx11"]),
    ];
    let (mut found, mut lines_in_all) = (Vec::new(), 0);
    for folder in ["arc", "arquivo-gpl3", "encodings", "real", "revisit", "small"] {
        let files = warcs_under(&data.join(folder));
        let names: Vec<&str> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        for (args, form, post_append, options) in &forms {
            let theirs = run(&indexer, &data.join(folder), &[options.as_slice(), &names].concat());
            let options = IndexOptions { post_append: *post_append };
            let mut lines = Vec::new();
            for (file, name) in files.iter().zip(&names) {
                lines.extend(index_file(file, name, options, &JobCx::detached()).unwrap().0);
            }
            let mut ours = Vec::new();
            write_sorted(&lines, *form, &mut ours).unwrap();
            lines_in_all += lines.len();
            for ((file, reason), count) in differences(&String::from_utf8(ours).unwrap(), &theirs, *form) {
                found.push(format!("{file} {args}: {count} {reason}"));
            }
        }
    }
    assert!(lines_in_all > 3000, "{lines_in_all} lines");
    found.sort();
    assert_eq!(found.join("\n"), DIFFERENCES.trim_end());
}

/// All differences. Names of hosts (`dns:`) and files of the crawler
/// (`metadata:`) are not of the web.
const DIFFERENCES: &str = "\
IAH-urls-wget.warc.gz bodies: 3 digests of nothing
IAH-urls-wget.warc.gz bodies: 3 keys of other schemes
IAH-urls-wget.warc.gz cdx11: 3 keys of other schemes
IAH-urls-wget.warc.gz cdx9: 3 keys of other schemes
IAH-urls-wget.warc.gz cdxj: 3 keys of other schemes
blackbook.arc.gz bodies: 292 digests of nothing
blackbook.arc.gz bodies: 38 types of names
blackbook.arc.gz cdx11: 38 types of names
blackbook.arc.gz cdx9: 38 types of names
blackbook.arc.gz cdxj: 38 types of names
blackbook.warc.gz bodies: 299 digests of nothing
blackbook.warc.gz bodies: 38 types of names
blackbook.warc.gz cdx11: 38 types of names
blackbook.warc.gz cdx9: 38 types of names
blackbook.warc.gz cdxj: 38 types of names
inlinks.1.warc.gz bodies: 3 digests of nothing
inlinks.1.warc.gz bodies: 3 keys of other schemes
inlinks.1.warc.gz cdx11: 3 keys of other schemes
inlinks.1.warc.gz cdx9: 3 keys of other schemes
inlinks.1.warc.gz cdxj: 3 keys of other schemes
inlinks.3.warc.gz bodies: 3 digests of nothing
inlinks.3.warc.gz bodies: 3 keys of other schemes
inlinks.3.warc.gz cdx11: 3 keys of other schemes
inlinks.3.warc.gz cdx9: 3 keys of other schemes
inlinks.3.warc.gz cdxj: 3 keys of other schemes
transfer_compression_brotli.warc.gz bodies: 2 digests of nothing
transfer_compression_brotli.warc.gz bodies: 2 keys of other schemes
transfer_compression_brotli.warc.gz cdx11: 2 keys of other schemes
transfer_compression_brotli.warc.gz cdx9: 2 keys of other schemes
transfer_compression_brotli.warc.gz cdxj: 2 keys of other schemes
transfer_compression_gzip.warc.gz bodies: 2 digests of nothing
transfer_compression_gzip.warc.gz bodies: 2 keys of other schemes
transfer_compression_gzip.warc.gz cdx11: 2 keys of other schemes
transfer_compression_gzip.warc.gz cdx9: 2 keys of other schemes
transfer_compression_gzip.warc.gz cdxj: 2 keys of other schemes
transfer_compression_none.warc.gz bodies: 2 digests of nothing
transfer_compression_none.warc.gz bodies: 2 keys of other schemes
transfer_compression_none.warc.gz cdx11: 2 keys of other schemes
transfer_compression_none.warc.gz cdx9: 2 keys of other schemes
transfer_compression_none.warc.gz cdxj: 2 keys of other schemes
warcio-example.arc.gz bodies: 1 digests of nothing
";

/// Runs py-wacz's check; says whether it finds the package valid.
fn is_valid(wacz: &Path, package: &Path) -> bool {
    let output = Command::new(wacz).args(["validate", "-f"]).arg(package).output().unwrap();
    let message = String::from_utf8_lossy(&output.stdout);
    assert!(message.contains("Validation succeeded") || message.contains("Validation failed"), "{message}");
    output.status.success()
}

/// Whether our check finds nothing wrong.
fn is_fine(package: &Path) -> bool {
    Wacz::open(package).unwrap().check(&JobCx::detached()).unwrap().problem_count() == 0
}

/// The exported archive files of the demo as a package.
fn package(folder: &Path) -> PathBuf {
    let out = folder.join("demo.wacz");
    let options = PackageOptions { title: "Vila Nova".to_owned(), text: true, ..PackageOptions::default() };
    let archives = warcs_under(&demo().report.export);
    let written = write_package(&out, &archives, &options, &JobCx::detached()).unwrap();
    assert!(written.problems.is_empty() && written.pages > 50, "{written:?}");
    out
}

#[test]
fn py_wacz_accepts_our_packages_and_agrees_about_those_of_others() {
    let Some([wacz]) = need::peers(["wacz"]) else { return };
    let dir = tempfile::tempdir().unwrap();
    let ours = package(dir.path());
    assert!(is_valid(&wacz, &ours) && is_fine(&ours));
    // One bit of the first archive file is another one.
    let member = Wacz::open(&ours).unwrap().archives()[0].clone();
    let mut bytes = std::fs::read(&ours).unwrap();
    bytes[usize::try_from(member.offset + member.len / 2).unwrap()] ^= 1;
    let damaged = dir.path().join("damaged.wacz");
    std::fs::write(&damaged, bytes).unwrap();
    assert!(!is_fine(&damaged));
    let Some(data) = need::data("wacz") else { return };
    // Both are of before 1.1.1, which py-wacz does not take any more.
    for name in ["valid_example_1.wacz", "invalid_example_1.wacz"] {
        let package = data.join(name);
        assert_eq!(is_valid(&wacz, &package), is_fine(&package), "{name}");
    }
}

#[test]
fn packages_of_py_wacz_are_read() {
    let (Some([wacz]), Some(data)) = (need::peers(["wacz"]), need::data("warc/small")) else { return };
    let dir = tempfile::tempdir().unwrap();
    for (name, titles, records) in [
        ("warcio-example.warc.gz", vec!["Example Domain", "Example Domain"], 6),
        ("warcio-post-test.warc.gz", vec![], 6),
    ] {
        let source = data.join(name);
        let out = dir.path().join(format!("{name}.wacz"));
        let args = ["create", "-o", out.to_str().unwrap(), "-d", "-t", "--title", "A title", source.to_str().unwrap()];
        run(&wacz, dir.path(), &args);
        let package = Wacz::open(&out).unwrap();
        assert_eq!((package.package().title.as_str(), package.archives().len()), ("A title", 1));
        let report = package.check(&JobCx::detached()).unwrap();
        let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        let expected: &[&str] = if titles.is_empty() { &["pages/pages.jsonl: is missing"] } else { &[] };
        assert_eq!(problems, expected, "{name}");
        assert_eq!((report.records, report.index_found), (records, report.index_lines), "{name}");
        let pages = package.member(PAGES).map(|list| PageReader::new(package.open_member(list).unwrap()));
        let found: Vec<String> = pages.into_iter().flatten().map(|page| page.unwrap().title).collect();
        assert_eq!(found, titles, "{name}");
    }
}

#[test]
fn pywb_takes_our_package() {
    let Some([manager]) = need::peers(["wb-manager"]) else { return };
    let dir = tempfile::tempdir().unwrap();
    let ours = package(dir.path());
    run(&manager, dir.path(), &["init", "demo"]);
    run(&manager, dir.path(), &["add", "--unpack-wacz", "demo", ours.to_str().unwrap()]);
    let indexed = files_under(&dir.path().join("collections/demo/indexes"));
    let lines: usize = indexed.iter().map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum();
    let report = Wacz::open(&ours).unwrap().check(&JobCx::detached()).unwrap();
    assert_eq!(lines as u64, report.index_lines);
}
