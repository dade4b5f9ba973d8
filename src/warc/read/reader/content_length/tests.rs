//! Tests of files with declared lengths that cannot be right.

use super::super::super::super::{ProblemKind, RecordBuilder, read_record_at, read_record_in};
use super::*;
use crate::uri::CaptureDate;
use proptest::prelude::*;

fn builder(number: usize) -> RecordBuilder {
    let url = format!("http://a.pt/{number}");
    RecordBuilder::response(&format!("urn:test:{number}"), CaptureDate::from_seconds(1_709_283_600), &url)
}

fn record(number: usize, block: &[u8]) -> Vec<u8> {
    builder(number).plain(block)
}

/// The record declared longer than it is.
fn stretched(text: &[u8], by: usize) -> Vec<u8> {
    let from = memchr::memmem::find(text, b"Content-Length: ").unwrap() + 16;
    let to = from + memchr::memchr(b'\r', &text[from..]).unwrap();
    let length: usize = std::str::from_utf8(&text[from..to]).unwrap().parse().unwrap();
    [&text[..from], (length + by).to_string().as_bytes(), &text[to..]].concat()
}

/// A message that does not declare its length.
fn http(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes()
}

/// A URL and a block.
type UrlAndBlock = (String, Vec<u8>);

/// URLs and blocks of a file, and its problems.
fn read_as(name: &str, bytes: &[u8]) -> (Vec<UrlAndBlock>, Vec<(ProblemKind, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut reader = ArchiveReader::open(&path).unwrap();
    let mut records = Vec::new();
    while let Some(record) = reader.next_record(usize::MAX).unwrap() {
        // None where a wrong length ends, by chance, before what looks like a head.
        let url = record.head.headers.get("WARC-Target-URI").unwrap_or_default();
        assert_eq!(read_record_at(&path, record.span.offset, usize::MAX).unwrap(), record, "{url}");
        records.push((url, record.block));
    }
    (records, reader.take_problems().into_iter().map(|problem| (problem.kind, problem.detail)).collect())
}

fn read(bytes: &[u8]) -> (Vec<UrlAndBlock>, Vec<(ProblemKind, String)>) {
    read_as("a.warc", bytes)
}

fn expected(blocks: &[&[u8]]) -> Vec<UrlAndBlock> {
    blocks.iter().enumerate().map(|(number, block)| (format!("http://a.pt/{number}"), block.to_vec())).collect()
}

#[test]
fn records_behind_a_length_that_is_too_large_are_read() {
    let long = b"x".repeat(200_000);
    for (by, block) in [(60, &b"two"[..]), (1_000, b"two"), (10_000_000, b"two"), (500, &long), (9_000_000, &long)] {
        let bytes =
            [record(0, b"one"), stretched(&record(1, block), by), record(2, b"three"), record(3, b"four")].concat();
        let (records, problems) = read(&bytes);
        assert_eq!(records, expected(&[b"one", block, b"three", b"four"]), "{by}");
        let (declared, there) = (block.len() + by, block.len());
        let detail = format!("the block is declared with {declared} bytes, {there} are there: a record follows them");
        assert_eq!(problems, [(ProblemKind::Truncated, detail)], "{by}");
    }
}

#[test]
fn an_archive_inside_a_record_stays_inside() {
    let inner = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), record(7, b"seven"), record(8, b"eight")].concat();
    let bytes = [record(0, &inner), record(1, b"two")].concat();
    assert_eq!(read(&bytes), (expected(&[&inner, b"two"]), Vec::new()));
    // Its length is right; the record behind it is not.
    let odd = [&record(0, &inner)[..], b"rubbish", &record(1, b"two")].concat();
    assert_eq!(read(&odd).0.first(), expected(&[&inner]).first());
    // Torn: what it holds is none of this file.
    let whole = record(0, &inner);
    let inside = memchr::memmem::find(&whole, b"urn:test:8").unwrap();
    for torn in [&whole[..inside + 30], &whole[..whole.len() - 20], &whole[..whole.len() - 5]] {
        assert_eq!(read(torn).0, []);
    }
    // Even where it breaks off between two records, while the file is written.
    let between = memchr::memmem::find(&whole, b"seven").unwrap() + 9;
    assert!(whole[..between].ends_with(b"\r\n\r\n"));
    assert_eq!(read_as("a.warc.open", &whole[..between]).0, []);
}

#[test]
fn an_end_that_resembles_a_head_line_is_none() {
    let next = record(1, b"two");
    for start in [&b"Content-Type"[..], b"http://a.pt/1", b"urn:test"] {
        let by = memchr::memmem::find(&next, start).unwrap() + WARC_BREAKS;
        let (records, problems) = read(&[stretched(&record(0, b"one"), by), next.clone()].concat());
        assert_eq!(records, expected(&[b"one", b"two"]));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}

#[test]
fn the_last_record_of_a_file_is_whole_where_its_http_head_does_not_deny_it() {
    let known = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo".to_vec();
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n".to_vec();
    for block in [http("two"), known, chunked] {
        let bytes = [record(0, b"one"), stretched(&record(1, &block), 40)].concat();
        let (records, problems) = read(&bytes);
        assert_eq!(records, expected(&[b"one", &block]));
        let (declared, there) = (block.len() + 40, block.len());
        let detail =
            format!("the block is declared with {declared} bytes, {there} are there: the file ends behind them");
        assert_eq!(problems, [(ProblemKind::Truncated, detail)]);
        // While the file is written, the rest may yet come.
        assert_eq!(read_as("a.warc.open", &bytes).0, expected(&[b"one"]));
    }
    let torn = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ntwo".to_vec();
    let in_chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\na".to_vec();
    for block in [torn, in_chunk, b"two".to_vec()] {
        assert_eq!(read(&[record(0, b"one"), stretched(&record(1, &block), 40)].concat()).0, expected(&[b"one"]));
    }
}

#[test]
fn a_place_at_the_very_end_of_what_is_searched_is_found() {
    // Around the edges of what is searched at once, too.
    for len in (0..30).chain(4_080..4_110).chain(20_465..20_490).step_by(3) {
        for by in 5..9 {
            let block = vec![b'x'; len];
            let bytes = [stretched(&record(0, &block), by), record(1, b"two")].concat();
            assert_eq!(read(&bytes).0, expected(&[&block, b"two"]), "{len} {by}");
        }
    }
}

#[test]
fn a_head_in_small_letters_ends_a_block_too() {
    for version in ["warc/1.0", "Warc/1.0", "WARC/1.1"] {
        let small = |number, block: &[u8]| {
            let text = String::from_utf8(record(number, block)).unwrap();
            let (head, rest) = text.split_once("\r\n\r\n").unwrap();
            let (_, fields) = head.split_once("\r\n").unwrap();
            format!("{version}\r\n{}\r\n\r\n{rest}", fields.to_ascii_lowercase()).into_bytes()
        };
        // Behind more line breaks than are due.
        let block = b"two\r\n\r\n";
        let bytes = [small(0, b"one"), stretched(&record(1, block), 60), small(2, b"three")].concat();
        let (records, problems) = read(&bytes);
        assert_eq!(records, expected(&[b"one", block, b"three"]), "{problems:?}");
    }
}

#[test]
fn a_search_for_the_end_of_a_block_can_be_stopped() {
    let bytes = [record(0, b"one"), stretched(&record(1, b"two"), 60), record(2, b"three")].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    std::fs::write(&path, &bytes).unwrap();
    let cx = crate::jobs::JobCx::detached();
    let mut reader = ArchiveReader::open(&path).unwrap().stopped_by(&cx);
    assert_eq!(reader.next_record(9).unwrap().unwrap().block, b"one");
    cx.cancel();
    // The record is in memory already; the search is what fails.
    assert!(reader.next_head().unwrap_err().to_string().contains("stopped on request"));
}

#[test]
fn the_last_record_may_be_cut_off() {
    let whole = [record(0, b"one"), record(1, &b"\r\n\r\nWARC/1".repeat(30))].concat();
    let (records, problems) = read(&whole[..whole.len() - 24]);
    assert_eq!(records, expected(&[b"one"]));
    let detail = "the block is declared with 300 bytes, 280 are there";
    assert_eq!(problems, [(ProblemKind::Truncated, detail.to_owned())]);
}

#[test]
fn a_record_that_is_cut_off_where_lines_end_is_torn() {
    let whole = record(1, b"a\r\n\r\nb\r\n\r\nc");
    let block_at = memchr::memmem::find(&whole, b"\r\n\r\n").unwrap() + 4;
    for cut in [0, 5, 10] {
        let torn = [&record(0, b"one"), &whole[..block_at + cut]].concat();
        assert!(torn.ends_with(b"\r\n\r\n"));
        let (records, problems) = read(&torn);
        assert_eq!(records, expected(&[b"one"]), "{problems:?}");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].0, ProblemKind::Truncated);
    }
}

#[test]
fn heads_that_are_none_end_no_block() {
    let short = b"\r\n\r\nWARC/1".repeat(40_000);
    let without_fields = b"\r\n\r\nWARC/1.1\r\nA: b\r\n".repeat(9_000);
    let without_end = [b"\r\n\r\nWARC/1.1\r\n".to_vec(), b"A: b\r\n".repeat(MAX_HEAD_BYTES / 6 + 9)].concat();
    for block in [short, without_fields, without_end] {
        let bytes = [stretched(&record(0, &block), 60), record(1, b"two")].concat();
        assert_eq!(read(&bytes).0, expected(&[&block, b"two"]));
    }
}

#[test]
fn a_long_head_ends_a_block_too() {
    let long = "x".repeat(200_000);
    let next = builder(1).field("WARC-Comment", &long).plain(b"two");
    let bytes = [stretched(&record(0, b"one"), 60), next].concat();
    assert_eq!(read(&bytes).0, expected(&[b"one", b"two"]));
}

#[test]
fn a_file_of_bare_line_feeds_is_searched_too() {
    let lines = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("\r\n", "\n").into_bytes();
    let lie = lines(stretched(&record(1, b"two"), 500));
    let (records, problems) = read(&[lines(record(0, b"one")), lie, lines(record(2, b"three"))].concat());
    assert_eq!(records, expected(&[b"one", b"two", b"three"]));
    let short = problems.iter().filter(|problem| problem.0 == ProblemKind::Truncated).count();
    assert_eq!(short, 1, "{problems:?}");
}

#[test]
fn the_end_of_a_known_record_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zip");
    let (first, lie) = (record(0, b"one"), stretched(&record(1, &http("two")), 40));
    std::fs::write(&path, [&first, &lie, &b"PK and what else stands in a package"[..]].concat()).unwrap();
    let span = Span { offset: first.len() as u64, length: lie.len() as u64 };
    let (record, problems) = read_record_in(&path, span, usize::MAX).unwrap();
    assert_eq!((record.block, record.span), (http("two"), span));
    assert_eq!(problems.len(), 1, "{problems:?}");
}

/// Blocks with what may be taken for the end of one.
fn block() -> impl Strategy<Value = Vec<u8>> {
    let inner = prop_oneof![
        "[a-z\r\n]{0,80}".prop_map(String::into_bytes),
        Just(b"\r\n\r\nWARC/1.1\r\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
    ];
    (any::<bool>(), prop::collection::vec(inner, 0..4))
        .prop_map(|(is_http, parts)| [if is_http { http("") } else { Vec::new() }, parts.concat()].concat())
}

proptest! {
    #[test]
    fn any_lie_costs_no_other_record(
        blocks in prop::collection::vec("[a-z\r\n]{0,80}", 1..6),
        which in any::<prop::sample::Index>(),
        by in prop_oneof![1..400usize, 1_000..1_000_000usize],
    ) {
        let which = which.index(blocks.len());
        let bytes = blocks.iter().enumerate().flat_map(|(number, block)| match number == which {
            true => stretched(&record(number, block.as_bytes()), by),
            false => record(number, block.as_bytes()),
        });
        let bytes: Vec<u8> = bytes.chain(record(blocks.len(), b"last")).collect();
        let (records, _) = read(&bytes);
        let blocks: Vec<&[u8]> = blocks.iter().map(String::as_bytes).chain([&b"last"[..]]).collect();
        let expected = expected(&blocks);
        // A length that ends where another record ends, or in line breaks,
        // looks right.
        prop_assert_eq!(&records[..which], &expected[..which]);
        prop_assert!(records.len() == expected.len() && records == expected || records[which].1.len() == blocks[which].len() + by);
    }

    #[test]
    fn a_torn_end_is_one_torn_record(
        blocks in prop::collection::vec(block(), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let records: Vec<_> = blocks.iter().enumerate().map(|(number, block)| record(number, block)).collect();
        let bytes = records.concat();
        let cut = cut.index(bytes.len());
        let mut end = 0;
        let whole = records.iter().take_while(|record| {
            end += record.len();
            end <= cut + WARC_BREAKS
        });
        let whole = whole.count();
        let (found, problems) = read(&bytes[..cut]);
        let blocks: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
        // A file that ends in the line breaks that are due, behind an HTTP head
        // that names no length, ends like one whose last length is wrong.
        let seems_whole = found.len() == whole + 1 && bytes[..cut].ends_with(b"\r\n\r\n");
        let shown = found.len().min(whole + usize::from(seems_whole));
        prop_assert_eq!(&found[..whole.min(shown)], &expected(&blocks[..whole])[..]);
        prop_assert_eq!(found.len(), shown);
        if let Some(last) = found.get(whole) {
            prop_assert!(last.1.starts_with(b"HTTP/1.1") && blocks[whole].starts_with(&last.1));
        }
        prop_assert!(problems.len() <= 1, "{:?}", problems.iter().map(|p| &p.1).collect::<Vec<_>>());
    }
}
