//! Tests of writing records with another compression.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::uri::CaptureDate;
use crate::warc::{Record, RecordBuilder};
use std::fs;

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_123);

/// Three records of an odd old writer: fields out of order, folded, in
/// their own spelling and version.
fn odd() -> Vec<u8> {
    let record = |id: u32, block: &str| {
        format!(
            "WARC/0.17\r\ncontent-length: {}\r\nwarc-type:resource\r\nWARC-Record-ID: <urn:test:{id}>\r\n\
             WARC-Date:   2009-01-01T00:00:00Z\r\nX-Folded: a\r\n  b\r\nWARC-Target-URI: http://a.pt/{id}\r\n\r\n\
             {block}\r\n\r\n",
            block.len()
        )
    };
    [record(1, "one"), record(2, ""), record(3, "\r\n\r\nthree\r\n")].concat().into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    io::Read::read_to_end(&mut flate2::bufread::MultiGzDecoder::new(bytes), &mut out).unwrap();
    out
}

fn records(path: &Path) -> Vec<Record> {
    ArchiveReader::open(path).unwrap().records(usize::MAX).map(Result::unwrap).collect()
}

#[test]
fn every_compression_becomes_gzip_per_record_and_plain_again() {
    let folder = tempfile::tempdir().unwrap();
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let compressions = [
        ("plain", odd()),
        ("one-member", gzip(&odd())),
        ("zstd", ruzstd::encoding::compress_to_vec(&odd()[..], level)),
    ];
    for (name, bytes) in compressions {
        let path = |ending: &str| folder.path().join(format!("{name}{ending}"));
        fs::write(path(""), bytes).unwrap();
        let cx = JobCx::detached();
        let report = recompress_file(&path(""), &path(".gz"), NewCompression::GzipPerRecord, &cx).unwrap();
        assert_eq!((report.records, report.left_out.len()), (3, 0), "{name}");
        assert_eq!(gunzip(&fs::read(path(".gz")).unwrap()), odd(), "{name}");
        assert!(records(&path(".gz")).iter().all(|record| !record.span.is_inside_member()), "{name}");
        recompress_file(&path(".gz"), &path(".back"), NewCompression::Plain, &cx).unwrap();
        assert_eq!(fs::read(path(".back")).unwrap(), odd(), "{name}");
    }
    assert!(
        !fs::read_dir(folder.path())
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().ends_with(".open") })
    );
}

#[test]
fn damaged_records_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let member = |id: &str| RecordBuilder::response(id, DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\nhi");
    let long = RecordBuilder::response("urn:test:s", DATE, "http://a.pt/").plain(&[b'x'; 400]);
    let short = gzip(&long[..500]);
    let mut broken = member("urn:test:b");
    let place = broken.len() - 40;
    broken[place] ^= 0xff;
    let members = [member("urn:test:1"), broken, member("urn:test:2"), short, member("urn:test:3")];
    let offsets: Vec<u64> =
        (0..members.len()).map(|count| members[..count].iter().map(|m| m.len() as u64).sum()).collect();
    fs::write(&old, members.concat()).unwrap();
    for compression in [NewCompression::GzipPerRecord, NewCompression::Plain] {
        let report = recompress_file(&old, &new, compression, &JobCx::detached()).unwrap();
        assert_eq!(report.left_out, [offsets[1], offsets[3]], "{:?}", report.problems);
        assert!(report.losses().count() >= 2);
        let ids: Vec<_> = records(&new).iter().map(|record| record.head.record_id().unwrap()).collect();
        assert_eq!(ids, ["urn:test:1", "urn:test:2", "urn:test:3"]);
        fs::remove_file(&new).unwrap();
    }
}

#[test]
fn a_record_too_long_for_memory_is_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let block: Vec<u8> = (0..MAX_WHOLE as u32 + 100_000).map(|n| (n.wrapping_mul(n) >> 7) as u8).collect();
    let record = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(&block);
    fs::write(path("old"), &record).unwrap();
    recompress_file(&path("old"), &path("gz"), NewCompression::GzipPerRecord, &JobCx::detached()).unwrap();
    assert_eq!(gunzip(&fs::read(path("gz")).unwrap()), record);
}

#[test]
fn an_arc_file_keeps_the_line_breaks_of_its_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The length of the first record leaves its last line break out.
    let arc = "filedesc://a.arc 0.0.0.0 20240301090000 text/plain 9\n1 0 Fonds\n\n\
               dns:a.pt 1.2.3.4 20240301090000 text/dns 6\nanswer\n";
    fs::write(path("old"), arc).unwrap();
    let cx = JobCx::detached();
    recompress_file(&path("old"), &path("gz"), NewCompression::GzipPerRecord, &cx).unwrap();
    recompress_file(&path("gz"), &path("back"), NewCompression::Plain, &cx).unwrap();
    assert_eq!(fs::read_to_string(path("back")).unwrap(), arc);
    assert_eq!(records(&path("gz")).len(), 2);
}

#[test]
fn nothing_is_replaced_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, odd()).unwrap();
    fs::write(&new, "theirs").unwrap();
    let cx = JobCx::detached();
    let call = || recompress_file(&old, &new, NewCompression::Plain, &cx);
    assert!(matches!(call(), Err(RecompressError::Warc(WarcError::Io { .. }))));
    assert_eq!(fs::read(&new).unwrap(), b"theirs");
    fs::remove_file(&new).unwrap();
    fs::write(&old, "no archive").unwrap();
    assert!(call().is_err());
    fs::write(&old, "").unwrap();
    assert!(matches!(call(), Err(RecompressError::Nothing { .. })));
    fs::write(&old, odd()).unwrap();
    cx.cancel();
    assert!(matches!(call(), Err(RecompressError::Cancelled(_))));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_not_what_was_written_is_not_proven() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, odd()).unwrap();
    let cx = JobCx::detached();
    let right: Vec<[u8; 20]> = records_sums(&path);
    assert!(prove(&path, Compression::Plain, &right, &cx, sum_of_record).is_ok());
    let mut wrong = right.clone();
    wrong.swap(0, 1);
    for sums in [&wrong[..], &right[..2], &[&right[..], &right[..1]].concat()] {
        assert!(matches!(
            prove(&path, Compression::Plain, sums, &cx, sum_of_record),
            Err(RecompressError::Unproven { .. })
        ));
    }
    assert!(prove(&path, Compression::Gzip, &right, &cx, sum_of_record).is_err());
}

fn records_sums(path: &Path) -> Vec<[u8; 20]> {
    let mut reader = ArchiveReader::open(path).unwrap();
    reader.keep_head_bytes();
    let mut sums = Vec::new();
    while reader.next_head().unwrap().is_some() {
        let head = reader.head_bytes().to_vec();
        let Ok((sum, _)) = copy_record(&mut reader, &head, &mut io::sink()) else { panic!("unread") };
        sums.push(sum);
    }
    sums
}
