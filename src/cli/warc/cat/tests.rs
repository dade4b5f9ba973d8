#![allow(clippy::unwrap_used)]

use super::super::super::output::written;
use super::*;
use crate::warc::{Digests, RecordBuilder};
use std::fs;

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);
const LATER: CaptureDate = CaptureDate::from_millis(1_709_370_000_000);
const PAGE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n";

/// Two files: in the first a page, a later one and a form that was sent;
/// in the second a revisit of the first page and a record in two segments.
fn files(folder: &Path) -> [PathBuf; 2] {
    let url = "http://a.pt/";
    let digest = Digests::of_block(PAGE, true).payload;
    let form = b"POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na=1";
    let segment = |number: &str, record: RecordBuilder| record.field("WARC-Segment-Number", number);
    let rest = RecordBuilder::new(&RecordType::Continuation, "urn:test:s2", DATE)
        .field("WARC-Target-URI", "http://b.pt/")
        .reference("WARC-Segment-Origin-ID", "urn:test:s1")
        .field("WARC-Segment-Total-Length", "30");
    let contents = [
        [
            RecordBuilder::response("urn:test:1", DATE, url).compress(PAGE),
            RecordBuilder::response("urn:test:2", LATER, url).compress(b"HTTP/1.1 200 OK\r\n\r\nlater"),
            RecordBuilder::request("urn:test:3", DATE, url).compress(form),
            segment("2", rest).compress(b"ond half"),
        ]
        .concat(),
        [
            RecordBuilder::revisit("urn:test:r", LATER, "http://c.pt/", &digest, ("urn:test:1", url, DATE))
                .compress(&PAGE[..45]),
            segment("1", RecordBuilder::response("urn:test:s1", DATE, "http://b.pt/"))
                .compress(b"HTTP/1.1 200 OK\r\n\r\nsec"),
        ]
        .concat(),
    ];
    let paths = [folder.join("one.warc.gz"), folder.join("two.warc.gz")];
    paths.iter().zip(contents).for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    paths
}

fn args(file: &Path) -> CatArgs {
    CatArgs {
        file: file.to_owned(),
        offset: None,
        url: None,
        date: None,
        record_id: None,
        also: Vec::new(),
        joined: false,
        part: PartArgs::default(),
    }
}

fn by_id(file: &Path, id: &str) -> CatArgs {
    CatArgs { record_id: Some(format!("urn:test:{id}")), ..args(file) }
}

fn payload() -> PartArgs {
    PartArgs { payload: true, ..PartArgs::default() }
}

#[track_caller]
fn check(args: &CatArgs, status: u8, expected: &str) {
    assert_eq!(written(status, |out| run(args, out)), expected);
}

#[test]
fn records_are_found_by_url_date_and_id() {
    let folder = tempfile::tempdir().unwrap();
    let [one, _] = files(folder.path());
    let by_url = |date: Option<&str>| CatArgs {
        url: Some("http://A.pt".to_owned()),
        date: date.map(str::to_owned),
        part: payload(),
        ..args(&one)
    };
    check(&by_url(None), FINE, "later");
    check(&by_url(Some("2024-03-01")), FINE, "page");
    check(&by_url(Some("2030")), FINE, "later");
    check(&CatArgs { part: payload(), ..by_id(&one, "1") }, FINE, "page");
    check(&CatArgs { part: payload(), ..by_id(&one, "3") }, FINE, "a=1");
    let form = PartArgs { form: true, ..PartArgs::default() };
    check(&CatArgs { part: form, ..by_id(&one, "3") }, FINE, "{\"name\":\"a\",\"value\":\"1\"}\n");
    let error = run(&by_id(&one, "none"), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("no whole record is about “urn:test:none”"), "{error}");
}

#[test]
fn parts_are_written_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let [one, _] = files(folder.path());
    let part = |part: PartArgs| {
        let mut out = Vec::new();
        assert_eq!(run(&CatArgs { part, ..by_id(&one, "1") }, &mut out).unwrap(), FINE);
        out
    };
    let whole = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(PAGE);
    assert_eq!(part(PartArgs::default()), whole[..whole.len() - 4]);
    assert_eq!(part(PartArgs { head: true, ..PartArgs::default() }), whole[..whole.len() - 4 - PAGE.len()]);
    assert_eq!(part(PartArgs { block: true, ..PartArgs::default() }), PAGE);
    assert_eq!(part(PartArgs { http_head: true, ..PartArgs::default() }), PAGE[..PAGE.len() - 14]);
    let raw = part(PartArgs { raw: true, ..PartArgs::default() });
    assert_eq!(raw, fs::read(&one).unwrap()[..raw.len()]);
    assert!(raw.starts_with(&[0x1f, 0x8b]));
    // Records that share a member have their heads, too.
    let shared = folder.path().join("shared.warc.gz");
    let mut member = flate2::write::GzEncoder::new(fs::File::create(&shared).unwrap(), flate2::Compression::fast());
    member.write_all(&whole.repeat(2)).unwrap();
    member.finish().unwrap();
    let mut reader = ArchiveReader::open(&shared).unwrap().records(0);
    let offset = reader.nth(1).unwrap().unwrap().span.decoded_offset();
    let second = CatArgs { offset: Some(format!("+{offset}")), ..args(&shared) };
    check(&second, FINE, std::str::from_utf8(&whole[..whole.len() - 4]).unwrap());
}

#[test]
fn another_record_is_not_shown_for_a_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let member = |id: &str| RecordBuilder::response(id, DATE, "http://a.pt/").compress(PAGE);
    let (first, mut second) = (member("urn:test:1"), member("urn:test:2"));
    second[12..40].fill(0xff);
    fs::write(&path, [&first[..], &second, &member("urn:test:3")].concat()).unwrap();
    for raw in [false, true] {
        let part = PartArgs { raw, ..PartArgs::default() };
        let mut out = Vec::new();
        let damaged = CatArgs { offset: Some(first.len().to_string()), part, ..args(&path) };
        let error = run(&damaged, &mut out).unwrap_err().to_string();
        assert!(error.contains(&format!("a.warc.gz, offset {}: damaged compression: ", first.len())), "{error}");
        assert_eq!(out, b"");
    }
}

#[test]
fn the_payload_of_a_revisit_is_that_of_its_original() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = files(folder.path());
    let revisit = |also| CatArgs { also, part: payload(), ..by_id(&two, "r") };
    check(&revisit(vec![one]), FINE, "page");
    check(&revisit(Vec::new()), PROBLEMS, "");
}

#[test]
fn segments_are_joined_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = files(folder.path());
    let first = |joined, also| CatArgs { joined, also, part: payload(), ..by_id(&two, "s1") };
    check(&first(false, Vec::new()), FINE, "sec");
    check(&first(true, vec![one.clone()]), FINE, "second half");
    check(&first(true, Vec::new()), PROBLEMS, "sec");
    let later = CatArgs { joined: true, also: vec![two], part: payload(), ..by_id(&one, "s2") };
    check(&later, FINE, "second half");
}
