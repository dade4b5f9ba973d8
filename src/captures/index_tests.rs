//! Files that other tools wrote, indexed.

#![allow(clippy::unwrap_used)]

use super::Unread;
use super::index::index_ahead;
use super::limits::MAX_NOTES_BYTES;
use super::*;
use crate::jobs::{Cancelled, JobCx};
use crate::testing::{data, files_under};
use crate::uri::{CaptureDate, Url};
use crate::warc::{ArchiveReader, Problem, ProblemKind, WarcError};
use std::fmt::Write as _;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
enum IndexTestError {
    #[error(transparent)]
    Warc(#[from] WarcError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn index(path: &Path) -> Result<(Vec<CaptureEntry>, IndexReport), IndexTestError> {
    let mut found = Vec::new();
    let sink = |entry| {
        found.push(entry);
        Ok::<_, IndexTestError>(())
    };
    let report = index_archive(path, "file", Author::ThisWorkspace, sink, &JobCx::detached())?;
    Ok((found, report))
}

#[test]
fn a_crawl_and_its_arc_twin_give_the_same_captures() {
    let Some(data) = data("") else { return };
    let facts = |path: &str| {
        let (captures, report) = index(&data.join(path)).unwrap();
        assert_eq!(report.captures as usize, captures.len());
        let mut facts: Vec<_> = captures
            .into_iter()
            .map(|capture| {
                let links: Vec<_> =
                    capture.notes.outlinks.into_iter().map(|link| (link.url, link.anchor, link.kind)).collect();
                let (url, date, status) = (capture.url.to_string(), capture.date.seconds(), capture.notes.status);
                (
                    url,
                    date,
                    status,
                    capture.notes.mime,
                    capture.notes.title,
                    capture.payload_digest,
                    capture.payload_len,
                    links,
                )
            })
            .collect();
        facts.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        facts
    };
    let (warc, arc) = (facts("warc/real/blackbook.warc.gz"), facts("warc/arc/blackbook.arc.gz"));
    assert!(warc.len() > 200, "{}", warc.len());
    assert!(warc.iter().map(|capture| capture.7.len()).sum::<usize>() > 10_000);
    assert_eq!(warc, arc);
}

/// Fails when its bytes are used up, as a disk that is pulled out.
struct Pulled<'a>(&'a [u8]);

impl std::io::Read for Pulled<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = self.0.len().min(out.len());
        if len == 0 {
            return Err(std::io::Error::other("the device is gone"));
        }
        out[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

#[test]
fn what_precedes_a_read_error_is_passed_on_once() {
    let date = CaptureDate::from_millis(1_709_283_600_000);
    let page = |number: u32| {
        let url = format!("http://a.example/{number}");
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{number}</title>");
        crate::warc::RecordBuilder::response(&format!("urn:test:{number}"), date, &url).compress(block.as_bytes())
    };
    let bytes: Vec<u8> = (0..10).flat_map(page).collect();
    let broken = Pulled(&bytes[..bytes.len() * 7 / 10]);
    let mut found = Vec::new();
    let sink = |entry: CaptureEntry| {
        found.push(entry.notes.title);
        Ok::<_, IndexTestError>(())
    };
    let reader = ArchiveReader::new(broken, Path::new("a.warc.gz")).unwrap();
    let (report, ended) = index_records(reader, "a.warc.gz", Author::ThisWorkspace, sink, &JobCx::detached());
    let expected: Vec<_> = (0..report.captures).map(|number| Some(number.to_string())).collect();
    assert_eq!(found, expected);
    assert!((5..=7).contains(&found.len()), "{found:?}");
    assert!(ended.unwrap_err().to_string().contains("the device is gone"));
}

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);

fn response(number: u32, url: &str) -> crate::warc::RecordBuilder {
    crate::warc::RecordBuilder::response(&format!("urn:test:{number}"), DATE, url)
}

fn index_bytes(bytes: &[u8]) -> (Vec<CaptureEntry>, IndexReport) {
    let mut found = Vec::new();
    let reader = ArchiveReader::new(bytes, Path::new("a.warc")).unwrap();
    let sink = |entry| {
        found.push(entry);
        Ok::<_, IndexTestError>(())
    };
    let (report, ended) = index_records(reader, "a.warc", Author::ThisWorkspace, sink, &JobCx::detached());
    ended.unwrap();
    (found, report)
}

#[test]
fn pages_that_were_not_read_whole_leave_room_for_what_the_file_has() {
    let torn = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<a href=/x>";
    let page = |number: u32| response(number, &format!("http://a.example/{number}")).plain(torn);
    let mut bytes: Vec<u8> = (0..1100).flat_map(page).collect();
    bytes.extend_from_slice(b"this is no record\r\n\r\n");
    bytes.extend(page(1100));
    let (found, report) = index_bytes(&bytes);
    let unread = |problem: &&Problem| problem.kind == ProblemKind::UnreadPage;
    let listed = report.problems.iter().filter(unread).count();
    assert_eq!((found.len(), listed, report.more_problems), (1101, 900, 201));
    assert_eq!(report.problems.iter().filter(|problem| problem.kind == ProblemKind::Garbage).count(), 1);
}

#[test]
fn a_page_that_was_cut_at_its_capture_is_reported_with_why() {
    let of_kind = |number: u32, kind: &str, why: &str| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n<a href=/x>x</a>");
        let record = response(number, &format!("http://a.example/{why}/{number}"));
        if why.is_empty() { record } else { record.field("WARC-Truncated", why) }.plain(block.as_bytes())
    };
    let bytes = [
        of_kind(0, "text/html", "length"),
        of_kind(1, "image/png", "length"),
        of_kind(2, "text/html", "disconnect"),
        of_kind(3, "text/html", ""),
        of_kind(4, "text/css", "bored"),
    ];
    let (found, report) = index_bytes(&bytes.concat());
    let why: Vec<Option<Unread>> = found.iter().map(|capture| capture.notes.unread).collect();
    let (disconnect, other) = (Some(Unread::CutByDisconnect), Some(Unread::CutAtCapture));
    assert_eq!(why, [Some(Unread::CutByLength), None, disconnect, None, other]);
    assert!(
        found
            .iter()
            .filter(|capture| capture.notes.mime == "text/html")
            .all(|capture| capture.notes.outlinks.len() == 1)
    );
    let problems: Vec<(u64, &str)> =
        report.problems.iter().map(|problem| (problem.offset, problem.detail.as_str())).collect();
    let first =
        "http://a.example/length/0: cut at its capture, by its length: read as far as it goes; links may be missing";
    assert_eq!((problems.len(), problems[0]), (3, (0, first)));
}

#[test]
fn notes_that_are_too_long_are_reported_and_links_come_from_the_page() {
    let url = "http://a.example/";
    let page = response(0, url).plain(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/x>x</a>");
    let notes = |kind: &str, block: &[u8]| {
        let record = crate::warc::RecordBuilder::metadata("urn:test:m", DATE, url, kind);
        record.reference("WARC-Concurrent-To", "urn:test:0").plain(block)
    };
    let verdict = Some(crate::scope::Verdict {
        decision: crate::scope::Decision::Accept,
        rule_index: None,
        rule_name: "x".to_owned(),
    });
    let (mut long, of) = (Vec::new(), Url::parse(url).unwrap());
    let with_long_head = CaptureNotes { interim: "x".repeat(MAX_NOTES_BYTES), verdict, ..CaptureNotes::default() };
    with_long_head.write_json(&of, DATE, &mut long).unwrap();
    let (found, report) = index_bytes(&[page.clone(), notes("application/json", &long)].concat());
    assert_eq!((found.len(), found[0].notes.outlinks.len(), found[0].notes.verdict.is_some()), (1, 1, false));
    let [problem] = &report.problems[..] else { panic!("{:?}", report.problems) };
    assert_eq!((problem.offset, problem.kind), (page.len() as u64, ProblemKind::Limit));
    let detail = "the metadata record of http://a.example/ is longer than 32 MiB: what it notes of the capture is not read, \
                  its links are read from the page itself";
    assert_eq!(problem.detail, detail);
    let fields = [b"hopsFromSeed: L\r\n", &vec![b'x'; MAX_NOTES_BYTES][..]].concat();
    let (found, report) = index_bytes(&[page, notes("application/warc-fields", &fields)].concat());
    assert_eq!((found[0].notes.hops.as_str(), report.problems.len()), ("L", 1));
}

#[test]
fn notes_of_heritrix_are_taken_over() {
    let Some(data) = data("") else { return };
    let (captures, _) = index(&data.join("warc/real/blackbook.warc.gz")).unwrap();
    let with_via =
        captures.iter().filter(|capture| capture.notes.via.is_some() && !capture.notes.hops.is_empty()).count();
    let whole = captures.iter().filter(|capture| capture.records.len() == 3).count();
    assert!(with_via > captures.len() / 2 && whole == captures.len());
}

#[test]
fn every_file_of_other_tools_gives_what_it_holds() {
    let Some(data) = data("") else { return };
    let mut table = String::new();
    for folder in ["small", "revisit", "encodings", "arc", "links", "malformed"] {
        let folder = data.join("warc").join(folder);
        for file in files_under(&folder) {
            let name = file.strip_prefix(&data).unwrap().display().to_string();
            match index(&file) {
                Ok((captures, report)) => {
                    let IndexReport { orphans, others, problems, .. } = &report;
                    let problems = problems.len();
                    writeln!(table, "{name}: {orphans} orphans, {others} others, {problems} problems").unwrap();
                    for capture in captures.iter().take(3) {
                        let title = capture.notes.title.as_deref().unwrap_or("-");
                        let (status, mime, links) =
                            (capture.notes.status, &capture.notes.mime, capture.notes.outlinks.len());
                        let revisit = if capture.revisit_of.is_some() { " revisit" } else { "" };
                        let (len, records) = (capture.payload_len, capture.records.len());
                        writeln!(table, "    {status} {mime} {len} bytes{revisit} · {records} records · {links} links · {title} · {}", capture.url).unwrap();
                    }
                }
                Err(error) => {
                    let why = error.to_string().replace(&data.display().to_string(), "");
                    writeln!(table, "{name}: {why}").unwrap();
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

/// One reader and several give the same of a file, also when nothing may be
/// read ahead.
#[track_caller]
fn check_parallel(path: &Path) {
    let alone = index(path);
    for (threads, room) in [(2, usize::MAX), (4, 1)] {
        let mut found = Vec::new();
        let (mut last, mut grows) = (0, true);
        let sink = |entry| {
            found.push(entry);
            Ok::<_, IndexTestError>(())
        };
        let (report, ended) =
            index_ahead(path, (threads, room), "file", Author::ThisWorkspace, sink, &JobCx::detached(), |read_to| {
                grows &= read_to >= last;
                last = read_to;
            });
        assert!(grows, "{}: progress goes back", path.display());
        match &alone {
            Ok(alone) => {
                ended.unwrap();
                assert!(found == alone.0, "{}: {} captures, {}", path.display(), found.len(), alone.0.len());
                assert_eq!(report, alone.1, "{}", path.display());
            }
            Err(error) => assert_eq!(ended.unwrap_err().to_string(), error.to_string()),
        }
    }
}

#[test]
fn several_threads_find_what_one_finds() {
    let dir = tempfile::tempdir().unwrap();
    let date = |page: u64| CaptureDate::from_millis(1_709_283_600_000 + page as i64 * 1000);
    let mut noise = 88_172_645_463_325_252_u64;
    let mut bytes = Vec::new();
    for page in 0..900_u64 {
        let url = format!("http://{}.example/{page}", page % 7);
        let (mut text, mut links) = (String::new(), String::new());
        for _ in 0..600 {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            let _ = write!(text, "{noise:x} ");
        }
        (0..page % 90).for_each(|link| links.push_str(&format!("<a href='/{link}'>page {link}</a>")));
        // Some end within their first chunk.
        let coding = if page % 100 == 7 { "Transfer-Encoding: chunked\r\n\r\nfffff\r\n" } else { "\r\n" };
        let page_bytes =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{coding}<title>{page}</title>{text}{links}");
        let id = format!("urn:test:{page}");
        let response = crate::warc::RecordBuilder::response(&id, date(page), &url);
        bytes.extend(response.compress(page_bytes.as_bytes()));
        if page % 3 == 0 {
            // As Heritrix writes it.
            let notes =
                crate::warc::RecordBuilder::metadata(&format!("{id}:m"), date(page), &url, "application/warc-fields");
            bytes.extend(
                notes
                    .field("WARC-Concurrent-To", &format!("<{id}>"))
                    .compress(b"via: http://0.example/\r\nhopsFromSeed: L\r\n"),
            );
        }
        if page % 11 == 0 {
            bytes.extend(vec![b'x'; 700]);
        }
    }
    assert!(bytes.len() > 4 << 20, "the test needs several segments: {}", bytes.len());
    let path = dir.path().join("many.warc.gz");
    std::fs::write(&path, &bytes).unwrap();
    check_parallel(&path);
    let (found, report) = index(&path).unwrap();
    assert_eq!((found.len(), found.iter().filter(|capture| capture.notes.hops == "L").count()), (900, 300));
    assert!(report.problems.len() > 50, "{}", report.problems.len());
    let unread: Vec<_> =
        report.problems.iter().filter(|problem| problem.kind == crate::warc::ProblemKind::UnreadPage).collect();
    assert_eq!((unread.len(), found.iter().filter(|capture| capture.notes.unread.is_some()).count()), (9, 9));
    assert!(unread.iter().all(|problem| found.iter().any(|capture| capture.records[0].span.offset == problem.offset)));
    assert!(
        unread[1].detail.starts_with("http://2.example/107: the declared Content-Encoding is wrong"),
        "{}",
        unread[1].detail
    );
    std::fs::write(&path, &bytes[..bytes.len() - 500]).unwrap();
    check_parallel(&path);
    check_parallel(&dir.path().join("absent.warc.gz"));
}

#[test]
fn several_threads_find_what_one_finds_in_files_of_other_tools() {
    let Some(data) = data("") else { return };
    for folder in ["warc/real", "warc/arc", "warc/malformed", "warc/small"] {
        for entry in std::fs::read_dir(data.join(folder)).unwrap() {
            check_parallel(&entry.unwrap().path());
        }
    }
}
