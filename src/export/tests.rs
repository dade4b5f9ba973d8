//! An export is written, verified, damaged and refused.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use crate::warc::cdx::{IndexForm, IndexOptions, IndexSorter, index_each};
use crate::warc::{ArchiveReader, Digests, FileSetOptions, RecordBuilder, RecordType, Span, WarcFileSet, copy_span};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);
const LATER: CaptureDate = CaptureDate::from_millis(1_711_962_000_000);
const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Biblioteca</h1>";
const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

fn options() -> ExportOptions<'static> {
    let count = AtomicU32::new(0);
    ExportOptions {
        clock: Arc::new(|| LATER),
        record_id: Arc::new(move || format!("urn:test:export-{}", count.fetch_add(1, Ordering::Relaxed))),
        inlinks: true,
        ..ExportOptions::new("TEST")
    }
}

fn record(file: &Path, span: Span, record_type: RecordType, record_id: &str) -> ExportRecord {
    ExportRecord { file: file.to_owned(), span, record_type, record_id: record_id.to_owned(), lost: None }
}

/// A page with its request, a chunked page, and a revisit of the first.
fn workspace(folder: &Path) -> Vec<ExportItem> {
    let mut set = WarcFileSet::new(FileSetOptions {
        clock: Box::new(|| DATE),
        record_id: Box::new(|| "urn:test:info".to_owned()),
        ..FileSetOptions::new(folder, "SOURCE")
    });
    let digests = Digests::of_block(PAGE, true);
    let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").digests(&digests).compress(PAGE);
    let request = RecordBuilder::request("urn:test:2", DATE, "http://a.pt/")
        .reference("WARC-Concurrent-To", "urn:test:1")
        .compress(b"GET / HTTP/1.1\r\nHost: a.pt\r\n\r\n");
    let chunked_digests = Digests::of_block(CHUNKED, true);
    let chunked =
        RecordBuilder::response("urn:test:3", DATE, "http://b.pt/x%20y").digests(&chunked_digests).compress(CHUNKED);
    let original = ("urn:test:1", "http://a.pt/", DATE);
    let revisit = RecordBuilder::revisit("urn:test:4", LATER, "http://a.pt/", &digests.payload, original)
        .compress(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    let placed = set.append(&[&page, &request, &chunked, &revisit]).unwrap();
    set.close().unwrap();
    let at = |n: usize, record_type, id| record(&placed[n].file, placed[n].span, record_type, id);
    let item = |url: &str, date, records, original| ExportItem {
        url: url.to_owned(),
        date,
        records,
        original,
        knowledge: json!({"campaign": {"title": "Biblioteca", "version": 3}, "score": 0.75}).to_string(),
        statements: Vec::new(),
        links: Vec::new(),
        inlinks: None,
    };
    let first = vec![at(0, RecordType::Response, "urn:test:1"), at(1, RecordType::Request, "urn:test:2")];
    let original = Original { url: "http://a.pt/".to_owned(), date: DATE, records: first.clone() };
    vec![
        item("http://a.pt/", DATE, first, None),
        item("http://b.pt/x%20y", DATE, vec![at(2, RecordType::Response, "urn:test:3")], None),
        item("http://a.pt/", LATER, vec![at(3, RecordType::Revisit, "urn:test:4")], Some(original)),
    ]
}

#[track_caller]
fn all_hold(folder: &Path) -> Vec<VerifyCheck> {
    let checks = verify(folder, &JobCx::detached()).unwrap();
    for check in &checks {
        assert!(check.ok, "{}: {}", check.what, check.detail);
    }
    if let Ok(index) = fs::read_to_string(folder.join("data/indexes/index.cdxj")) {
        assert_eq!(index, index_read_again(folder));
    }
    checks
}

/// The index that reading the archive files leads to: the export makes it while it writes them.
fn index_read_again(folder: &Path) -> String {
    let mut lines = IndexSorter::new(IndexForm::Cdxj);
    for entry in fs::read_dir(folder.join("data/archive")).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        index_each(&path, &name, IndexOptions::default(), &JobCx::detached(), &mut |line| lines.push(&line)).unwrap();
    }
    let mut out = Vec::new();
    lines.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn bytes_of(file: &Path, span: Span) -> Vec<u8> {
    let mut bytes = Vec::new();
    copy_span(file, span, &mut bytes).unwrap();
    bytes
}

pub(super) fn archive_of(folder: &Path) -> PathBuf {
    fs::read_dir(folder.join("data/archive")).unwrap().next().unwrap().unwrap().path()
}

/// An export of the small workspace.
pub(super) fn exported(root: &Path) -> PathBuf {
    let out = root.join("out");
    export_selection(workspace(&root.join("w")).into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    out
}

/// Exports with a package, signed where there is a key.
pub(super) fn signed_export(root: &Path, signer: Option<crate::keys::SigningKey>) -> PathBuf {
    let out = root.join("out");
    let options = ExportOptions { signer, wacz: true, ..options() };
    export_selection(workspace(&root.join("w")).into_iter().map(Ok), &out, options, &JobCx::detached()).unwrap();
    out
}

#[test]
fn records_leave_byte_for_byte_with_their_metadata() {
    let root = tempfile::tempdir().unwrap();
    let items = workspace(&root.path().join("w"));
    let out = root.path().join("out");
    let report = export_selection(items.clone().into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    assert_eq!(report.problems, [""; 0]);
    let counts = &report.counts;
    assert_eq!((counts.captures, counts.copied, counts.rewrapped, counts.metadata), (3, 4, 0, 3));
    assert_eq!((counts.records, counts.originals_added, counts.revisits_unresolved), (8, 0, 0));
    assert_eq!((counts.index_lines, counts.inlink_objects), (6, 0));
    assert_eq!(all_hold(&out).len(), 10);

    let archive = archive_of(&out);
    let records: Vec<_> = ArchiveReader::open(&archive).unwrap().records(usize::MAX).map(Result::unwrap).collect();
    let types: Vec<_> = records.iter().map(|record| record.head.record_type.as_str()).collect();
    assert_eq!(types, ["warcinfo", "response", "request", "metadata", "response", "metadata", "revisit", "metadata"]);
    let source = &items[0].records[0];
    assert_eq!(bytes_of(&archive, records[1].span), bytes_of(&source.file, source.span));
    let metadata = &records[3];
    assert_eq!(metadata.head.headers.get("WARC-Refers-To").unwrap(), "<urn:test:1>");
    assert_eq!(metadata.head.headers.get("WARC-Concurrent-To").unwrap(), "<urn:test:1>");
    assert_eq!(metadata.head.headers.get("WARC-Target-URI").unwrap(), "urn:fonds:export:http://a.pt/");
    assert_eq!(metadata.head.target_uri().unwrap(), "http://a.pt/");
    assert_eq!(std::str::from_utf8(&metadata.block).unwrap(), items[0].knowledge);
    assert!(!root.path().join("out.open").exists());
}

#[test]
fn a_revisit_brings_its_original() {
    let root = tempfile::tempdir().unwrap();
    let mut items = workspace(&root.path().join("w"));
    let revisit = items.pop().unwrap();
    let out = root.path().join("out");
    let report = export_selection([revisit.clone()].into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    assert_eq!((report.counts.captures, report.counts.originals_added, report.counts.records), (1, 1, 5));
    all_hold(&out);
    let lonely = ExportItem { original: None, ..revisit };
    let out = root.path().join("lonely");
    let report = export_selection([lonely].into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    assert_eq!(report.counts.revisits_unresolved, 1);
    all_hold(&out);
}

#[test]
fn plain_and_arc_records_are_wrapped_with_their_block_unchanged() {
    let root = tempfile::tempdir().unwrap();
    let plain = root.path().join("plain.warc");
    let response = RecordBuilder::response("urn:test:p", DATE, "http://a.pt/").plain(PAGE);
    fs::write(&plain, &response).unwrap();
    let arc = root.path().join("old.arc");
    let mut bytes = b"filedesc://old.arc 0.0.0.0 20240301090000 text/plain 66\n1 0 Fonds\nURL IP-address Archive-date Content-type Archive-length\n\n".to_vec();
    let first = bytes.len() as u64;
    bytes.extend_from_slice(format!("http://b.pt/ 1.2.3.4 20240301090000 text/html {}\n", PAGE.len()).as_bytes());
    bytes.extend_from_slice(PAGE);
    bytes.push(b'\n');
    let second = bytes.len() as u64;
    bytes.extend_from_slice(b"http://c.pt/ 1.2.3.4 20240301090000 text/html 6\n<html>\n");
    fs::write(&arc, &bytes).unwrap();
    let item = |url: &str, record| ExportItem {
        url: url.to_owned(),
        date: DATE,
        records: vec![record],
        original: None,
        knowledge: "{}".to_owned(),
        statements: Vec::new(),
        links: Vec::new(),
        inlinks: None,
    };
    let span = |offset, length| Span { offset, length };
    let response_type = || RecordType::Response;
    let items = [
        item("http://a.pt/", record(&plain, span(0, response.len() as u64), response_type(), "urn:test:p")),
        item("http://b.pt/", record(&arc, span(first, second - first), response_type(), "")),
        item("http://c.pt/", record(&arc, span(second, bytes.len() as u64 - second), response_type(), "")),
    ];
    let out = root.path().join("out");
    let report = export_selection(items.into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    assert_eq!(report.problems, [""; 0]);
    assert_eq!((report.counts.rewrapped, report.counts.copied), (3, 0));
    all_hold(&out);
    let records: Vec<_> =
        ArchiveReader::open(&archive_of(&out)).unwrap().records(usize::MAX).map(Result::unwrap).collect();
    assert_eq!(records[1].block, PAGE);
    assert_eq!(records[3].block, PAGE);
    assert_eq!(records[3].head.record_type, RecordType::Response);
    assert_eq!(records[3].head.headers.get("WARC-IP-Address").unwrap(), "1.2.3.4");
    assert_eq!((records[5].head.record_type.as_str(), records[5].block.as_slice()), ("resource", &b"<html>"[..]));
    assert_eq!(records[5].head.headers.get("Content-Type").unwrap(), "text/html");
}

#[test]
fn a_record_with_a_wrong_digest_gets_another_head_and_stays_packed_as_it_was() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("a.warc.gz");
    let page = [PAGE, "<p>ação e reação".repeat(3000).as_bytes()].concat();
    let wrong = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let fields = [("WARC-Type", "response"), ("WARC-Record-ID", "<urn:test:1>"), ("WARC-Date", "2024-03-01T09:00:00Z")];
    let fields = fields.into_iter().chain([("WARC-Target-URI", "http://a.pt/"), ("WARC-Payload-Digest", wrong)]);
    let fields: Vec<_> = fields.chain([("Content-Type", "application/http; msgtype=response")]).collect();
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value.as_bytes().into()));
    let plain = RecordBuilder::with_fields(fields).plain(&page);
    let mut lengths = Vec::new();
    // Not packed, packed badly, packed well: as it comes it leaves.
    for level in [0, 1, 9] {
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
        std::io::Write::write_all(&mut member, &plain).unwrap();
        let member = member.finish().unwrap();
        fs::write(&file, &member).unwrap();
        let span = Span { offset: 0, length: member.len() as u64 };
        let item = ExportItem {
            url: "http://a.pt/".to_owned(),
            date: DATE,
            records: vec![record(&file, span, RecordType::Response, "urn:test:1")],
            original: None,
            knowledge: "{}".to_owned(),
            statements: Vec::new(),
            links: Vec::new(),
            inlinks: None,
        };
        let out = root.path().join(format!("out-{level}"));
        let report = export_selection([Ok(item)].into_iter(), &out, options(), &JobCx::detached()).unwrap();
        assert_eq!((report.problems.len(), report.counts.rewrapped), (1, 1));
        all_hold(&out);
        let archive = archive_of(&out);
        let written = ArchiveReader::open(&archive).unwrap().records(usize::MAX).map(Result::unwrap).nth(1).unwrap();
        assert_eq!(written.block, page);
        assert_eq!(written.head.headers.get("WARC-Fonds-Source-Payload-Digest").unwrap(), wrong);
        assert!(written.span.length.abs_diff(span.length) < 300, "{level}: {:?} {span:?}", written.span);
        lengths.push(written.span.length);
    }
    assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
}

#[test]
fn a_record_that_is_not_where_it_should_be_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let mut items = workspace(&root.path().join("w"));
    items[0].records[0].span.offset += 1;
    items[1].records[0].record_id = "urn:test:other".to_owned();
    let out = root.path().join("out");
    let report = export_selection(items.into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    assert_eq!(report.counts.captures, 1);
    assert_eq!(report.problems.len(), 2, "{:?}", report.problems);
    all_hold(&out);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_after_a_stop() {
    let root = tempfile::tempdir().unwrap();
    let items = workspace(&root.path().join("w"));
    let out = root.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("theirs.txt"), "x").unwrap();
    let refused = export_selection(items.clone().into_iter().map(Ok), &out, options(), &JobCx::detached());
    assert!(matches!(refused, Err(ExportError::NotEmpty { .. })));
    fs::remove_file(out.join("theirs.txt")).unwrap();
    let cx = JobCx::detached();
    cx.cancel();
    let stopped = export_selection(items.clone().into_iter().map(Ok), &out, options(), &cx);
    assert!(matches!(stopped, Err(ExportError::Cancelled(_))));
    assert!(!root.path().join("out.open").exists());
    export_selection(items.into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    all_hold(&out);
}

#[test]
fn damage_is_found() {
    let root = tempfile::tempdir().unwrap();
    let items = workspace(&root.path().join("w"));
    let out = root.path().join("out");
    export_selection(items.into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    let failing = || -> Vec<String> {
        let checks = verify(&out, &JobCx::detached()).unwrap();
        checks.into_iter().filter(|check| !check.ok).map(|check| check.what).collect()
    };
    let archive = archive_of(&out);
    let whole = fs::read(&archive).unwrap();
    let mut bad = whole.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 0x55;
    fs::write(&archive, &bad).unwrap();
    let failed = failing();
    assert!(failed.iter().any(|what| what.starts_with("Files")), "{failed:?}");
    assert!(failed.iter().any(|what| what.starts_with("Every record")), "{failed:?}");
    fs::write(&archive, &whole).unwrap();
    assert!(failing().is_empty());
    fs::write(out.join("extra.txt"), "x").unwrap();
    assert_eq!(failing(), ["Files are those of the manifest"]);
    fs::remove_file(out.join("extra.txt")).unwrap();
    let index = out.join("data/indexes/index.cdxj");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replace("\"offset\": \"", "\"offset\": \"9")).unwrap();
    assert!(failing().contains(&"The CDXJ index leads to its records".to_owned()));
    assert!(matches!(verify(root.path(), &JobCx::detached()), Err(ExportError::NotAnExport { .. })));
}

#[test]
fn a_data_set_that_lists_other_links_than_the_metadata_records_is_found() {
    let root = tempfile::tempdir().unwrap();
    let object = |sources: &[&str]| crate::inlinks::DatasetObject {
        url: "(pt,a,".to_owned(),
        count: sources.len() as u64,
        count_internal: 0,
        count_external: sources.len() as u64,
        capture_date: Some(DATE),
        inlinks: sources
            .iter()
            .map(|source| crate::inlinks::DatasetInlink {
                date: Some(LATER),
                source: (*source).to_owned(),
                anchor: "Biblioteca".to_owned(),
            })
            .collect(),
    };
    let knowledge = |sources: &[&str]| {
        let link = |source: &&str| json!({"date": LATER.to_warc(), "source": "x", "sourceKey": source, "anchor": "Biblioteca"});
        let list: Vec<_> = sources.iter().map(link).collect();
        json!({"inlinks": {"count": list.len(), "countInternal": 0, "countExternal": list.len(), "list": list}})
            .to_string()
    };
    let check = |name: &str, by_record: &[&str], by_line: &[&str]| {
        let out = root.path().join(name);
        let mut items = workspace(&root.path().join(format!("w-{name}")));
        items[0].knowledge = knowledge(by_record);
        items[0].inlinks = (!by_line.is_empty()).then(|| object(by_line).line());
        export_selection(items.into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
        let checks = verify(&out, &JobCx::detached()).unwrap();
        checks.into_iter().find(|check| check.what.starts_with("The inlink data set")).unwrap()
    };
    let check_of = check("same", &["(pt,b,", "(pt,c,"], &["(pt,c,", "(pt,b,"]);
    assert!(check_of.ok && check_of.detail == "1 objects", "{}", check_of.detail);
    assert!(check("none", &[], &[]).ok);
    for (name, by_record, by_line, fault) in [
        (
            "more",
            &["(pt,b,"][..],
            &["(pt,b,", "(pt,c,"][..],
            "2 inlinks of (pt,a, 20240301090000, and its metadata record has 1",
        ),
        (
            "others",
            &["(pt,b,"],
            &["(pt,c,"],
            "1 inlinks of (pt,a, 20240301090000, and its metadata record has 1 others",
        ),
        ("absent", &["(pt,b,"], &[], "1 inlinks of (pt,a, 20240301090000 are in its metadata record alone"),
        ("alone", &[], &["(pt,b,"], "no metadata record of (pt,a, 20240301090000 lists inlinks"),
    ] {
        let check = check(name, by_record, by_line);
        assert!(!check.ok && check.detail.contains(fault), "{name}: {}", check.detail);
    }
}

#[test]
fn a_manifest_does_not_lead_out_of_its_folder() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    export_selection(std::iter::empty(), &out, options(), &JobCx::detached()).unwrap();
    all_hold(&out);
    let path = out.join(MANIFEST_NAME);
    let mut manifest = Manifest::read(&out).unwrap();
    manifest.files[0].path = "../secret".to_owned();
    fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
    let checks = verify(&out, &JobCx::detached()).unwrap();
    assert!(checks[0].detail.contains("leads out of the folder"), "{}", checks[0].detail);
}

#[test]
fn an_export_brings_a_package_on_request() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    let wishes = ExportOptions { wacz: true, ..options() };
    export_selection(workspace(&root.path().join("w")).into_iter().map(Ok), &out, wishes, &JobCx::detached()).unwrap();
    all_hold(&out);
    let packages: Vec<_> = fs::read_dir(out.join("data"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "wacz"))
        .collect();
    let package = crate::warc::wacz::Wacz::open(&packages[0]).unwrap();
    let report = package.check(&JobCx::detached()).unwrap();
    assert_eq!((report.problems, report.index_lines), (vec![], report.index_found));
    let mut packed = Vec::new();
    std::io::Read::read_to_end(&mut package.open_archive(0).unwrap(), &mut packed).unwrap();
    assert_eq!(packed, fs::read(archive_of(&out)).unwrap());
}

#[test]
fn what_a_killed_export_left_is_deleted_and_nothing_else_is() {
    let root = tempfile::tempdir().unwrap();
    let (staging, out) = (root.path().join("out.open"), root.path().join("out"));
    let items = workspace(&root.path().join("w"));
    let export = || export_selection(items.clone().into_iter().map(Ok), &out, options(), &JobCx::detached());
    // A folder of somebody who likes the name.
    fs::create_dir(&staging).unwrap();
    fs::write(staging.join("thesis.txt"), "years of work").unwrap();
    let refused = export().unwrap_err().to_string();
    assert!(refused.contains("in the way") && refused.contains("another folder"), "{refused}");
    assert_eq!(fs::read(staging.join("thesis.txt")).unwrap(), b"years of work");
    fs::remove_dir_all(&staging).unwrap();
    // One that is being written.
    fs::create_dir_all(staging.join("data/archive")).unwrap();
    fs::write(staging.join("data/archive/half.warc.gz"), "half").unwrap();
    let lock = crate::jobs::FileLock::take(&staging.join("export.lock"), "process 7").unwrap();
    let refused = export().unwrap_err().to_string();
    assert!(refused.contains("process 7") && refused.contains("is writing"), "{refused}");
    assert!(staging.join("data/archive/half.warc.gz").exists());
    // Its process was killed.
    drop(lock);
    export().unwrap();
    all_hold(&out);
    assert!(!staging.exists() && !out.join("export.lock").exists());
    assert_eq!(fs::read_dir(out.join("data/archive")).unwrap().count(), 1);
}

/// A record with these fields, as others may write it.
fn foreign(fields: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().into()));
    RecordBuilder::with_fields(fields).compress(block)
}

/// A file with these records, and their spans.
fn file_of(path: &Path, members: &[Vec<u8>]) -> Vec<Span> {
    fs::write(path, members.concat()).unwrap();
    let mut offset = 0;
    let span = |member: &Vec<u8>| {
        offset += member.len() as u64;
        Span { offset: offset - member.len() as u64, length: member.len() as u64 }
    };
    members.iter().map(span).collect()
}

#[test]
fn what_is_wrong_in_sources_is_reported_and_the_export_verifies() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source.warc.gz");
    let response = |id: &str, date: &str, target: &str, more: &[(&str, &str)]| {
        let fields = [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", id),
            ("WARC-Date", date),
            ("WARC-Target-URI", target),
            ("Content-Type", "application/http; msgtype=response"),
        ];
        foreign(&[&fields, more].concat(), PAGE)
    };
    let whole = "2024-03-01T09:00:00Z";
    let request = foreign(
        &[
            ("WARC-Type", "request"),
            ("WARC-Record-ID", "<urn:test:2>"),
            ("WARC-Date", whole),
            ("WARC-Target-URI", "http://b.pt/"),
            ("WARC-Concurrent-To", "<urn:test:1>"),
            ("WARC-Warcinfo-ID", "<urn:test:info>"),
            ("Content-Type", "application/http; msgtype=request"),
        ],
        b"GET / HTTP/1.1\r\n\r\n",
    );
    let info = foreign(
        &[("WARC-Type", "warcinfo"), ("WARC-Record-ID", "<urn:test:info>"), ("WARC-Date", whole)],
        b"software: other\r\n",
    );
    let right = Digests::of_block(PAGE, true);
    let wrong = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let named = [("WARC-Warcinfo-ID", "<urn:test:info>")];
    let members = [
        info,
        response("<urn:test:1>", whole, "http://a.pt/", &named),
        // Its id is that of the record before, and its request means this one.
        response("<urn:test:1>", whole, "http://b.pt/", &named),
        request,
        response(
            "<urn:test:3>",
            whole,
            "http://c.pt/",
            &[("WARC-Block-Digest", wrong), ("WARC-Payload-Digest", wrong)],
        ),
        response("<urn:test:4>", "2014-01", "<http://d.pt/x>", &[("WARC-Block-Digest", right.block.as_str())]),
        response("<urn:test:5>", whole, "http://e.pt/", &[("WARC-Warcinfo-ID", "<urn:test:gone>")]),
        response("", whole, "http://f.pt/", &[]),
        response("<urn:test:1>", whole, "http://a.pt/", &named),
        // Bytes that are no record follow it.
        [response("<urn:test:9>", whole, "http://g.pt/", &[]), b"no record".to_vec()].concat(),
    ];
    let spans = file_of(&source, &members);
    let old = CaptureDate::parse("2014-01").unwrap();
    let item = |url: &str, date, records| ExportItem {
        url: url.to_owned(),
        date,
        records,
        original: None,
        knowledge: "{}".to_owned(),
        statements: Vec::new(),
        links: Vec::new(),
        inlinks: None,
    };
    let at = |n: usize, id: &str| record(&source, spans[n], RecordType::Response, id);
    let request_record = record(&source, spans[3], RecordType::Request, "urn:test:2");
    let items = vec![
        item("http://a.pt/", DATE, vec![at(1, "urn:test:1")]),
        item("http://b.pt/", DATE, vec![at(2, "urn:test:1"), request_record]),
        item("http://c.pt/", DATE, vec![at(4, "urn:test:3")]),
        item("http://d.pt/x", old, vec![at(5, "urn:test:4")]),
        item("http://e.pt/", DATE, vec![at(6, "urn:test:5")]),
        item("http://f.pt/", DATE, vec![at(7, "")]),
        item("http://a.pt/", DATE, vec![at(8, "urn:test:1")]),
        item("http://g.pt/", DATE, vec![at(9, "urn:test:9")]),
    ];
    let out = root.path().join("out");
    let report = export_selection(items.into_iter().map(Ok), &out, options(), &JobCx::detached()).unwrap();
    all_hold(&out);
    let counts = &report.counts;
    assert_eq!((counts.captures, counts.metadata, counts.copied, counts.rewrapped), (7, 7, 2, 7));
    for (n, text) in [
        (2, "http://b.pt/: another record has this record's id <urn:test:1>"),
        (4, "http://c.pt/: WARC-Block-Digest does not fit the bytes"),
        (4, "http://c.pt/: WARC-Payload-Digest does not fit the bytes"),
        (9, "http://g.pt/: 9 bytes behind the record belong to none"),
    ] {
        let expected = format!("source.warc.gz, offset {}, {text}", spans[n].offset);
        assert!(
            report.problems.iter().any(|problem| problem.contains(&expected)),
            "{expected}: {:#?}",
            report.problems
        );
    }
    assert!(
        report.problems.iter().any(|problem| problem.contains("1 record named the warcinfo record <urn:test:gone>"))
    );
    assert_eq!(report.problems.len(), 5, "{:#?}", report.problems);
    for (n, kind, url) in [
        (5, "1 record with the target URI in angle brackets", "http://d.pt/x"),
        (5, "1 field with a date in a form that not every reader takes", "http://d.pt/x"),
        (7, "1 record without an id", "http://f.pt/"),
        (8, "1 record that stands in several places: it is written once", "http://a.pt/"),
    ] {
        let place = format!("source.warc.gz, offset {}, {url}", spans[n].offset);
        let is_it = |note: &&String| note.starts_with(kind) && note.contains(&place);
        assert!(report.notes.iter().any(|note| is_it(&note)), "{kind} {place}: {:#?}", report.notes);
    }
    assert_eq!(report.notes.len(), 4, "{:#?}", report.notes);

    let archive = archive_of(&out);
    let records: Vec<_> = ArchiveReader::open(&archive).unwrap().records(usize::MAX).map(Result::unwrap).collect();
    let of = |url: &str, kind: RecordType| {
        records
            .iter()
            .find(|record| record.head.record_type == kind && record.head.target_uri().as_deref() == Some(url))
            .unwrap()
    };
    let field = |url: &str, name: &str| of(url, RecordType::Response).head.headers.get(name);
    // The source's warcinfo comes before what names it, once.
    let infos: Vec<_> = records.iter().map(|record| record.head.record_id().unwrap()).collect();
    assert_eq!(infos.iter().filter(|id| *id == "urn:test:info").count(), 1);
    assert_eq!(&infos[1..3], ["urn:test:info", "urn:test:1"]);
    // The new id goes through the whole capture.
    let new = field("http://b.pt/", "WARC-Record-ID").unwrap();
    assert_ne!(new, "<urn:test:1>");
    assert_eq!(field("http://b.pt/", "WARC-Fonds-Source-Record-ID").unwrap(), "<urn:test:1>");
    assert_eq!(of("http://b.pt/", RecordType::Request).head.headers.get("WARC-Concurrent-To").unwrap(), new);
    assert_eq!(of("http://b.pt/", RecordType::Metadata).head.headers.get("WARC-Refers-To").unwrap(), new);
    assert_eq!(field("http://c.pt/", "WARC-Block-Digest").unwrap(), right.block);
    assert_eq!(field("http://c.pt/", "WARC-Fonds-Source-Block-Digest").unwrap(), wrong);
    assert_eq!(of("http://c.pt/", RecordType::Response).block, PAGE);
    assert_eq!(field("http://e.pt/", "WARC-Warcinfo-ID"), None);
    assert_eq!(field("http://d.pt/x", "WARC-Date").unwrap(), "2014-01-01T00:00:00Z");
    assert_eq!(field("http://d.pt/x", "WARC-Fonds-Source-Date").unwrap(), "2014-01");
    assert_eq!(field("http://d.pt/x", "WARC-Target-URI").unwrap(), "<http://d.pt/x>");
    let metadata = &of("http://d.pt/x", RecordType::Metadata).head.headers;
    assert_eq!(metadata.get("WARC-Date").unwrap(), "2014-01-01T00:00:00Z");
    let index = fs::read_to_string(out.join("data/indexes/index.cdxj")).unwrap();
    assert!(index.contains("pt,d)/x 20140101000000 {\"url\": \"http://d.pt/x\""), "{index}");
}

#[test]
fn a_warcinfo_record_that_is_missing_is_seen_by_the_check() {
    let root = tempfile::tempdir().unwrap();
    let out = exported(root.path());
    let dangling = foreign(
        &[
            ("WARC-Type", "metadata"),
            ("WARC-Record-ID", "<urn:test:x>"),
            ("WARC-Date", "2024-03-01T09:00:00Z"),
            ("WARC-Warcinfo-ID", "<urn:test:gone>"),
        ],
        b"x",
    );
    let mut archive = fs::File::options().append(true).open(archive_of(&out)).unwrap();
    std::io::Write::write_all(&mut archive, &dangling).unwrap();
    let checks = verify(&out, &JobCx::detached()).unwrap();
    let check = checks.iter().find(|check| check.what.starts_with("Warcinfo records")).unwrap();
    assert!(!check.ok && check.detail.contains("urn:test:gone"), "{}", check.detail);
}
