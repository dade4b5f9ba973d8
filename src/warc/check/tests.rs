//! Tests of checking whole files.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::uri::CaptureDate;
use crate::warc::{Digests, RecordBuilder, sha1_base32};

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);

/// Checks a file; its problems.
fn checked(checker: &mut Checker, path: &Path) -> (CheckReport, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut keep = |problem| {
        problems.push(problem);
        ControlFlow::Continue(())
    };
    let report = checker.check(path, &JobCx::detached(), &mut keep).unwrap();
    (report, problems)
}

/// The problems of all files together.
fn together(checker: Checker) -> Vec<(PathBuf, Problem)> {
    let mut problems = Vec::new();
    let keep = |file: &Path, problem| {
        problems.push((file.to_owned(), problem));
        ControlFlow::Continue(())
    };
    checker.finish(&JobCx::detached(), keep).unwrap();
    problems
}

/// Checks a file from memory; its problems.
fn read(bytes: &[u8], digests: bool) -> (CheckReport, Vec<Problem>) {
    let mut problems = Vec::new();
    let reader = ArchiveReader::new(bytes, Path::new("a")).unwrap();
    let report = check_reader(reader, Path::new("a"), digests, &JobCx::detached(), &mut |problem| {
        problems.push(problem);
        ControlFlow::Continue(())
    });
    (report.unwrap(), problems)
}

/// Checks files made of these bytes together; problems as `file@offset kind: detail`.
fn problems(files: &[Vec<u8>]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut checker = Checker::new(true);
    let mut all: Vec<(PathBuf, Problem)> = Vec::new();
    for (number, bytes) in files.iter().enumerate() {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, bytes).unwrap();
        all.extend(checked(&mut checker, &path).1.into_iter().map(|problem| (path.clone(), problem)));
    }
    all.extend(together(checker));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    all.iter().map(|(path, p)| format!("{}@{} {}: {}", name(path), p.offset, p.kind.label(), p.detail)).collect()
}

#[test]
fn a_revisit_needs_its_original_in_one_of_the_files() {
    let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\n");
    let revisit = |id: &str, url: &str| {
        let original = (id, url, DATE);
        RecordBuilder::revisit("urn:test:2", DATE, url, "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", original)
            .compress(b"HTTP/1.1 200 OK\r\n\r\n")
    };
    assert_eq!(problems(&[page.clone(), revisit("", "http://a.pt/")]), [""; 0]);
    assert_eq!(problems(&[revisit("urn:test:1", "http://x.pt/"), page.clone()]), [""; 0]);
    // Any spelling of its URL names it.
    assert_eq!(problems(&[page.clone(), revisit("", "HTTP://A.pt:80#top")]), [""; 0]);
    let lonely = "1@0 original missing: the record that the revisit names (urn:test:9) is not in the files given";
    assert_eq!(problems(&[page, revisit("urn:test:9", "http://x.pt/")]), [lonely]);
}

#[test]
fn a_hostile_head_does_not_flood_the_report() {
    let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(b"HTTP/1.1 200 OK\r\n\r\n");
    let page = String::from_utf8(page).unwrap();
    // Broken lines, which the reader reports, and fields that are no ids.
    let flood = "no colon\r\n".repeat(50_000) + &"WARC-Concurrent-To: x\r\n".repeat(10_000);
    let found = problems(&[page.replacen("Content-Type", &(flood + "Content-Type"), 1).into_bytes()]);
    assert_eq!(found.len(), 2 * 6);
    assert_eq!(found[5], "0@0 invalid header: and 49995 more of this kind in this record");
    assert_eq!(found[11], "0@0 invalid header: and 9995 more of this kind in this record");
}

#[test]
fn segments_are_checked_together() {
    let whole = b"HTTP/1.1 200 OK\r\n\r\nsegmented body";
    let payload = Digests::of_block(whole, true).payload;
    let first = |digest: &str| {
        RecordBuilder::response("urn:test:1", DATE, "http://a.pt/")
            .field("WARC-Segment-Number", "1")
            .field("WARC-Payload-Digest", digest)
            .compress(&whole[..25])
    };
    let rest = RecordBuilder::new(&RecordType::Continuation, "urn:test:2", DATE)
        .field("WARC-Target-URI", "http://a.pt/")
        .field("WARC-Segment-Number", "2")
        .reference("WARC-Segment-Origin-ID", "urn:test:1")
        .field("WARC-Segment-Total-Length", &whole.len().to_string())
        .compress(&whole[25..]);
    assert_eq!(problems(&[first(&payload), rest.clone()]), [""; 0]);
    assert_eq!(problems(&[[rest.clone(), first(&payload)].concat()]), [""; 0]);
    let part = sha1_base32(&whole[19..25]);
    let wrong = "0@0 wrong digest: WARC-Payload-Digest does not fit the payload of all segments joined";
    assert_eq!(problems(&[first(&part), rest.clone()]), [wrong]);
    let missing = "0@0 broken segments: the last segment is missing: none has the whole length";
    assert_eq!(problems(&[first(&payload)]), [missing]);
    assert_eq!(problems(&[rest]), ["0@0 broken segments: segment 1 is missing before segment 2"]);
}

/// Records of two segments each in one gzip member, with the digest of the whole.
fn many_in_one_member(count: usize) -> Vec<u8> {
    let whole = b"HTTP/1.1 200 OK\r\n\r\nsegmented body";
    let payload = Digests::of_block(whole, true).payload;
    let plain = (0..count).flat_map(|number| {
        let id = format!("urn:test:{number}");
        let first = RecordBuilder::response(&id, DATE, "http://a.pt/")
            .field("WARC-Segment-Number", "1")
            .field("WARC-Payload-Digest", &payload)
            .plain(&whole[..25]);
        let rest = RecordBuilder::new(&RecordType::Continuation, &format!("urn:test:rest-{number}"), DATE)
            .field("WARC-Target-URI", "http://a.pt/")
            .field("WARC-Segment-Number", "2")
            .reference("WARC-Segment-Origin-ID", &id)
            .field("WARC-Segment-Total-Length", &whole.len().to_string())
            .plain(&whole[25..]);
        [first, rest].concat()
    });
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &plain.collect::<Vec<u8>>()).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn many_segmented_records_in_one_member_have_one_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    std::fs::write(&path, many_in_one_member(10)).unwrap();
    let found = |free, bytes| {
        let mut checker = Checker { reach: Reach::new(free, bytes), ..Checker::new(true) };
        checked(&mut checker, &path);
        together(checker)
    };
    assert_eq!(found(10, 0), []);
    assert_eq!(found(0, 10 << 20), []);
    let [(_, problem)] = &found(3, 0)[..] else { panic!("{:?}", found(3, 0)) };
    assert_eq!((problem.kind, problem.count), (ProblemKind::Limit, 7));
    assert!(problem.detail.ends_with("; nor those of 6 further records"), "{problem}");
    // The fourth begins behind three of two records each.
    assert!(problem.offset > 0);
}

#[test]
fn very_many_types_and_reasons_are_not_listed_one_by_one() {
    let record = |number: usize| {
        RecordBuilder::new(&RecordType::Other(format!("type-{number}")), &format!("urn:test:{number}"), DATE)
            .field("WARC-Truncated", &format!("reason-{number}-{}", "x".repeat(10_000)))
            .plain(b"")
    };
    let bytes: Vec<u8> = (0..1010).flat_map(record).collect();
    let (report, _) = read(&bytes, false);
    for counts in [&report.records, &report.truncated] {
        assert_eq!((counts.len(), counts["other"], counts.values().sum::<u64>()), (1001, 10, 1010));
        assert!(counts.keys().all(|key| key.len() < 100));
    }
}

#[test]
fn problems_are_reported_as_they_are_found_until_nobody_reads_more() {
    let record = |number: usize| {
        RecordBuilder::response(&format!("urn:test:{number}"), DATE, "http://a.pt/")
            .field("WARC-Block-Digest", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5")
            .plain(b"")
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    std::fs::write(&path, (0..1000).flat_map(record).collect::<Vec<u8>>()).unwrap();
    let cx = JobCx::detached();
    let (all, _) = checked(&mut Checker::new(true), &path);
    assert_eq!((all.total(), all.count(Severity::Error) >= 1000), (1000, true));
    let mut reported = 0;
    let mut stop = |_| {
        reported += 1;
        if reported < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let report = Checker::new(true).check(&path, &cx, &mut stop).unwrap();
    assert_eq!((reported, report.total() <= 3), (3, true));
}

#[test]
fn lonely_revisits_are_reported_file_by_file_with_the_flaws_of_segments_between() {
    let revisit = |id: &str| {
        let digest = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
        RecordBuilder::revisit(&format!("{id}-2"), DATE, "http://x.pt/", digest, (id, "http://x.pt/", DATE))
            .compress(b"HTTP/1.1 200 OK\r\n\r\n")
    };
    let segment = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/")
        .field("WARC-Segment-Number", "1")
        .compress(b"HTTP/1.1 200 OK\r\n\r\n");
    let folder = tempfile::tempdir().unwrap();
    let mut checker = Checker::new(true);
    // Not in the order of their names.
    for (name, bytes) in [
        ("b", [revisit("urn:lost:3"), segment, revisit(&"urn:lost:4".repeat(30))].concat()),
        ("a", [revisit("urn:lost:1"), revisit("urn:lost:2")].concat()),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        checked(&mut checker, &folder.path().join(name));
    }
    let reported: Vec<_> = together(checker)
        .into_iter()
        .map(|(path, problem)| format!("{} {}", path.file_name().unwrap().display(), problem.detail))
        .collect();
    let lonely = |name: &str| format!("the record that the revisit names ({name}) is not in the files given");
    assert_eq!(
        reported,
        [
            format!("a {}", lonely("urn:lost:1")),
            format!("a {}", lonely("urn:lost:2")),
            format!("b {}", lonely("urn:lost:3")),
            "b the last segment is missing: none has the whole length".to_owned(),
            format!("b {}", lonely(&clip(&"urn:lost:4".repeat(30)))),
        ]
    );
}

#[test]
fn counted_problems_count() {
    let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(b"HTTP/1.1 200 OK\r\n\r\n");
    let page = String::from_utf8(page).unwrap();
    let page = page.replacen("Content-Type", &("no colon\r\n".repeat(40) + "Content-Type"), 1);
    let (report, problems) = read(page.as_bytes(), true);
    assert_eq!((problems.len(), report.count(Severity::Error)), (6, 40));
}

#[cfg(unix)]
#[test]
fn what_comes_from_a_pipe_is_checked_with_the_others() {
    let original = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\n");
    let revisit = |id: &str| {
        let digest = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
        RecordBuilder::revisit(&format!("{id}-2"), DATE, "http://x.pt/", digest, (id, "http://x.pt/", DATE))
            .compress(b"HTTP/1.1 200 OK\r\n\r\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let file = folder.path().join("file");
    std::fs::write(&file, revisit("urn:test:1")).unwrap();
    let sent = [original, revisit("urn:test:9"), many_in_one_member(1)].concat();
    let mut checker = Checker::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&pipe, &sent).unwrap());
        assert_eq!(checked(&mut checker, &pipe).0.total(), 4);
    });
    checked(&mut checker, &file);
    // The original from the pipe is known, the revisit without one is reported, and the pipe is not read
    // again.
    let found: Vec<_> = together(checker).into_iter().map(|(_, problem)| problem).collect();
    assert_eq!(found.iter().map(|p| p.kind).collect::<Vec<_>>(), [ProblemKind::NoOriginal, ProblemKind::Unchecked]);
    assert!(found[0].detail.contains("urn:test:9"), "{}", found[0]);
    assert!(found[1].detail.contains("cannot be read a second time"), "{}", found[1]);
}

#[test]
fn ids_are_not_given_twice() {
    let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\n");
    let twice = format!("0@{} invalid header: WARC-Record-ID is that of the record at offset 0, too", page.len());
    assert_eq!(problems(&[[page.clone(), page.clone()].concat()]), [twice]);
    // A copy of a file is no fault.
    assert_eq!(problems(&[page.clone(), page]), [""; 0]);
}

#[test]
fn records_and_members_go_together() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let plain = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/")
        .plain(&[b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 481]].concat());
    let member = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let split = [member(&plain[..400]), member(&plain[400..600]), member(&plain[600..])].concat();
    assert_eq!(problems(&[split]), ["0@0 not compressed per record: the record lies in 3 compressed members"]);
    let expected = "0@0 not compressed per record: records share a compressed member: to reach one, the file is read from its start";
    let other = RecordBuilder::response("urn:test:2", DATE, "http://a.pt/").plain(b"HTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(problems(&[member(&[plain, other].concat())]), [expected]);
}
