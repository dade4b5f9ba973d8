//! Tests of copying chosen records.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::uri::CaptureDate;
use crate::warc::{RecordBuilder, warc_fields};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);
const LATER: CaptureDate = CaptureDate::from_millis(1_709_370_000_000);

/// Two files joined: a capture with request and metadata, and later a
/// revisit of it; in between another page.
fn records() -> Vec<RecordBuilder> {
    let page = "http://a.pt/";
    vec![
        RecordBuilder::warcinfo("urn:test:info1", DATE, "a.warc"),
        RecordBuilder::response("urn:test:page", DATE, page),
        RecordBuilder::request("urn:test:ask", DATE, page).reference("WARC-Concurrent-To", "urn:test:page"),
        RecordBuilder::metadata("urn:test:meta", DATE, page, "application/warc-fields")
            .reference("WARC-Refers-To", "urn:test:page"),
        RecordBuilder::response("urn:test:other", DATE, "http://b.pt/x"),
        RecordBuilder::warcinfo("urn:test:info2", LATER, "b.warc"),
        RecordBuilder::revisit("urn:test:again", LATER, page, "sha1:X", ("", page, DATE)),
        RecordBuilder::request("urn:test:ask2", LATER, page).reference("WARC-Concurrent-To", "urn:test:again"),
    ]
}

const BLOCK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

fn cut_of(bytes: &[u8], cut: &Cut) -> (Vec<u8>, CutReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, bytes).unwrap();
    let cx = JobCx::detached();
    let mut out = Vec::new();
    let report = choose(&path, cut, &cx).unwrap().write(&path, &mut out, &cx).unwrap();
    assert_eq!(report.bytes, out.len() as u64);
    (out, report)
}

#[track_caller]
fn check(cut: Cut, expected: &[&str], counts: (u64, u64, u64)) {
    let members: Vec<Vec<u8>> = records().iter().map(|record| record.compress(BLOCK)).collect();
    let plain: Vec<Vec<u8>> = records().iter().map(|record| record.plain(BLOCK)).collect();
    let mut one = GzEncoder::new(Vec::new(), Compression::default());
    one.write_all(&plain.concat()).unwrap();
    let number = |id: &str| {
        records().iter().position(|record| {
            let text = String::from_utf8(record.plain(b"")).unwrap();
            text.contains(&format!("WARC-Record-ID: <urn:test:{id}>"))
        })
    };
    for (bytes, source) in [(members.concat(), &members), (plain.concat(), &plain), (one.finish().unwrap(), &members)] {
        let (out, report) = cut_of(&bytes, &cut);
        let expected_bytes: Vec<u8> = expected.iter().flat_map(|id| source[number(id).unwrap()].clone()).collect();
        assert!(out == expected_bytes, "{:?} is not {expected:?}", ids(&out));
        assert_eq!((report.chosen, report.related, report.infos), counts);
    }
}

fn ids(bytes: &[u8]) -> Vec<String> {
    let records = ArchiveReader::new(bytes, Path::new("cut")).unwrap().records(0);
    records.map(|record| record.unwrap().head.record_id().unwrap()).collect()
}

fn page() -> Cut {
    let filter = RecordFilter { urls: vec!["http://a.pt/".to_owned()], ..RecordFilter::default() };
    Cut { filter, ..Cut::default() }
}

fn only(record_type: RecordType) -> Cut {
    Cut { filter: RecordFilter { types: vec![record_type], ..RecordFilter::default() }, ..Cut::default() }
}

#[test]
fn chosen_records_come_with_what_describes_them() {
    check(page(), &["info1", "page", "ask", "meta", "info2", "again", "ask2"], (5, 0, 2));
    check(Cut { skip: 1, most: Some(1), ..page() }, &["info1", "ask"], (1, 0, 1));
    check(only(RecordType::Revisit), &["info2", "again"], (1, 0, 1));
    check(only(RecordType::Warcinfo), &["info1", "info2"], (2, 0, 0));
    check(only(RecordType::Conversion), &[], (0, 0, 0));
}

#[test]
fn related_records_are_found_by_id_and_by_url_and_date() {
    let whole = ["info1", "page", "ask", "meta", "info2", "again", "ask2"];
    check(Cut { with_related: true, ..only(RecordType::Revisit) }, &whole, (1, 4, 2));
    let other = RecordFilter { urls: vec!["http://b.pt/x".to_owned()], ..RecordFilter::default() };
    check(Cut { filter: other, with_related: true, ..Cut::default() }, &["info1", "other"], (1, 0, 1));
    let metadata = Cut { with_related: true, ..only(RecordType::Metadata) };
    // The original is found from its revisit, not the other way round.
    check(metadata, &["info1", "page", "ask", "meta"], (1, 2, 1));
}

#[test]
fn a_damaged_record_is_left_out_before_a_byte_of_it_is_written() {
    let mut members: Vec<Vec<u8>> = records().iter().map(|record| record.compress(BLOCK)).collect();
    let place = members[1].len() - 6;
    members[1][place] ^= 0xff;
    let (out, report) = cut_of(&members.concat(), &page());
    assert_eq!(report.left_out, [members[0].len() as u64]);
    assert_eq!(ids(&out).len(), 6);
}

#[test]
fn records_of_several_zstd_dictionaries_are_cut_out_whole() {
    let bytes = include_bytes!("../read/fixtures/two-dictionaries.warc.zst");
    let of_url = |pattern: &str| {
        let filter = RecordFilter { pattern: regex::Regex::new(pattern).ok(), ..RecordFilter::default() };
        cut_of(bytes, &Cut { filter, ..Cut::default() }).0
    };
    for (pattern, expected) in
        [("pt/0", &["urn:test:a0", "urn:test:b0"][..]), ("b.pt", &["urn:test:b0", "urn:test:b1"])]
    {
        let out = of_url(pattern);
        assert_eq!(ids(&out), expected);
        assert!(out.starts_with(&[0x1f, 0x8b]));
    }
    // Those of the first dictionary stay as they are.
    let out = of_url("a.pt");
    assert_eq!(ids(&out), ["urn:test:a0", "urn:test:a1"]);
    assert!(bytes.starts_with(&out));
}

#[test]
fn a_record_that_went_away_meanwhile_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let pack = |count: usize| {
        let mut one = GzEncoder::new(Vec::new(), Compression::default());
        records().iter().take(count).for_each(|record| one.write_all(&record.plain(BLOCK)).unwrap());
        one.finish().unwrap()
    };
    fs::write(&path, pack(4)).unwrap();
    let cx = JobCx::detached();
    let chosen = choose(&path, &Cut::default(), &cx).unwrap();
    fs::write(&path, pack(2)).unwrap();
    let error = chosen.write(&path, &mut Vec::new(), &cx).unwrap_err().to_string();
    let third: usize = records().iter().take(2).map(|record| record.plain(BLOCK).len()).sum();
    assert!(error.contains(&format!("offset {third}: the record that was chosen is not there")), "{error}");
}

#[test]
fn a_closed_pipe_is_reported_as_one() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let info = warc_fields([("software", "test")]);
    for bytes in [records()[0].compress(&info), records()[0].plain(&info)] {
        fs::write(&path, bytes).unwrap();
        let cx = JobCx::detached();
        let chosen = choose(&path, &Cut::default(), &cx).unwrap();
        let error = chosen.write(&path, &mut Closed, &cx).unwrap_err();
        assert!(matches!(error, CutError::Out(error) if error.kind() == std::io::ErrorKind::BrokenPipe));
    }
}
