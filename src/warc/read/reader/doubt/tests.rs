//! Files with lengths that cannot be right.

use super::super::super::super::{ProblemKind, RecordBuilder, read_record_at, read_record_in, sha1_base32};
use super::*;
use crate::uri::CaptureDate;
use proptest::prelude::*;

fn builder(number: usize) -> RecordBuilder {
    let url = format!("http://a.pt/{number}");
    RecordBuilder::response(&format!("urn:test:{number}"), CaptureDate::from_seconds(1_709_283_600), &url)
}

/// A record that tells the digest of its block.
fn proven(number: usize, block: &[u8]) -> Vec<u8> {
    builder(number).plain(block)
}

/// One that does not.
fn record(number: usize, block: &[u8]) -> Vec<u8> {
    without_digest(&proven(number, block))
}

fn without_digest(record: &[u8]) -> Vec<u8> {
    let from = memchr::memmem::find(record, b"WARC-Block-Digest: ").unwrap();
    let to = from + memchr::memchr(b'\n', &record[from..]).unwrap() + 1;
    [&record[..from], &record[to..]].concat()
}

/// The record declared longer than it is.
fn stretched(text: &[u8], by: usize) -> Vec<u8> {
    let from = memchr::memmem::find(text, b"Content-Length: ").unwrap() + 16;
    let to = from + memchr::memchr(b'\r', &text[from..]).unwrap();
    let length: usize = std::str::from_utf8(&text[from..to]).unwrap().parse().unwrap();
    [&text[..from], (length + by).to_string().as_bytes(), &text[to..]].concat()
}

/// A message without a word of its length.
fn http(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes()
}

/// A URL and a block.
type Seen = (String, Vec<u8>);

/// URLs and blocks of a file, and its problems.
fn read_as(name: &str, bytes: &[u8]) -> (Vec<Seen>, Vec<(ProblemKind, String)>) {
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

fn read(bytes: &[u8]) -> (Vec<Seen>, Vec<(ProblemKind, String)>) {
    read_as("a.warc", bytes)
}

fn expected(blocks: &[&[u8]]) -> Vec<Seen> {
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
    // Torn: what stands in it is none of this file.
    let whole = record(0, &inner);
    let inside = memchr::memmem::find(&whole, b"urn:test:8").unwrap();
    for torn in [&whole[..inside + 30], &whole[..whole.len() - 20], &whole[..whole.len() - 5]] {
        assert_eq!(read(torn).0, []);
        assert_eq!(read_as("a.warc.open", torn).0, []);
    }
}

#[test]
fn an_end_that_looks_like_a_head_line_is_none() {
    let next = record(1, b"two");
    for word in [&b"Content-Type"[..], b"http://a.pt/1", b"urn:test"] {
        let by = memchr::memmem::find(&next, word).unwrap() + WARC_BREAKS;
        let (records, problems) = read(&[stretched(&record(0, b"one"), by), next.clone()].concat());
        assert_eq!(records, expected(&[b"one", b"two"]));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}

#[test]
fn the_last_record_may_lie() {
    let whole = http("two");
    for (bytes, block) in [(record(1, &whole), &whole[..]), (proven(1, b"two"), b"two")] {
        let (records, problems) = read(&[record(0, b"one"), stretched(&bytes, 40)].concat());
        assert_eq!(records, expected(&[b"one", block]));
        let (declared, there) = (block.len() + 40, block.len());
        let detail =
            format!("the block is declared with {declared} bytes, {there} are there: the file ends behind them");
        assert_eq!(problems, [(ProblemKind::Truncated, detail)]);
    }
}

#[test]
fn a_length_beyond_an_untidy_end_takes_no_records_that_the_http_head_denies() {
    let told = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo".to_vec();
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n".to_vec();
    for block in [&told, &chunked] {
        let torn = &record(3, b"four")[..90];
        let bytes =
            [&record(0, b"one")[..], &stretched(&record(1, block), 9_000_000), &record(2, b"three"), torn].concat();
        for name in ["a.warc", "a.warc.open"] {
            let (records, problems) = read_as(name, &bytes);
            assert_eq!(records, expected(&[b"one", block, b"three"]), "{problems:?}");
        }
    }
    // Where nothing denies it, a person is told where to look.
    let bytes = [&stretched(&record(0, b"one"), 9_000), &record(1, b"two")[..], b"WARC/1.1\r\nWARC-T"].concat();
    let (records, problems) = read(&bytes);
    let at = memchr::memmem::rfind(&bytes, b"WARC/1.1\r\nWARC-Type").unwrap();
    let block = memchr::memmem::find(&bytes, b"\r\n\r\n").unwrap() + 4;
    let told = format!("begin {} bytes into them", at - block);
    assert!(records.is_empty() && problems[0].1.ends_with(&told), "{problems:?}");
}

#[test]
fn a_chunked_body_without_its_last_chunk_is_torn() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\na\r\n\r\nbcd\r\n0\r\n\r\n".to_vec();
    let whole = record(1, &chunked);
    let cut = memchr::memmem::find(&whole, b"bcd").unwrap();
    assert!(whole[..cut].ends_with(b"\r\n\r\n"));
    assert_eq!(read(&[&record(0, b"one"), &whole[..cut]].concat()).0, expected(&[b"one"]));
    let lie = stretched(&whole, 7);
    assert_eq!(read(&[record(0, b"one"), lie].concat()).0, expected(&[b"one", &chunked]));
}

#[test]
fn a_place_at_the_very_end_of_what_is_searched_is_found() {
    for len in (0..600).step_by(7).chain(240..270).chain([131_066]) {
        for by in 5..9 {
            let block = vec![b'x'; len];
            for lie in [record(0, &block), proven(0, &block)] {
                let bytes = [stretched(&lie, by), record(1, b"two")].concat();
                assert_eq!(read(&bytes).0, expected(&[&block, b"two"]), "{len} {by}");
            }
        }
    }
}

#[test]
fn places_that_are_none_are_looked_at_up_to_a_limit() {
    let noise = b"\r\n\r\nWARC/1".repeat(40_000);
    let lie = stretched(&record(0, &noise), 60);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    std::fs::write(&path, [lie, record(1, b"two")].concat()).unwrap();
    let mut reader = ArchiveReader::open(&path).unwrap();
    reader.next_head().unwrap().unwrap();
    assert_eq!(reader.probe.as_ref().unwrap().look_ahead, 0);
}

/// A record that says too much and has not the digest that it tells.
fn lie(number: usize) -> Vec<u8> {
    let text = String::from_utf8(proven(number, b"one")).unwrap().replace(&sha1_base32(b"one"), &sha1_base32(b"?"));
    stretched(text.as_bytes(), 3000)
}

#[test]
fn what_was_looked_at_in_vain_is_no_matter_in_the_next_stretch() {
    let bytes = [lie(0), (1..40).flat_map(|n| record(n, &[b'x'; 1000])).collect(), lie(40), record(41, b"x")].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    std::fs::write(&path, &bytes).unwrap();
    let mut reader = ArchiveReader::open(&path).unwrap();
    let mut fresh = Vec::new();
    for number in 0.. {
        let Some(record) = reader.next_record(9).unwrap() else { break };
        assert_eq!(record.head.target_uri().unwrap(), format!("http://a.pt/{number}"));
        fresh.push(reader.boundary().is_some());
    }
    assert_eq!(fresh.len(), 42);
    let first = fresh.iter().position(|fresh| *fresh).unwrap();
    assert!(first > 5 && first < 20 && fresh[first..40].iter().all(|fresh| *fresh), "{fresh:?}");
    assert!(!fresh[40], "{fresh:?}");
}

#[test]
fn a_head_in_small_letters_ends_a_block_too() {
    for word in ["warc/1.0", "Warc/1.0", "WARC/1.1"] {
        let small = |number, block: &[u8]| {
            let text = String::from_utf8(record(number, block)).unwrap();
            let (head, rest) = text.split_once("\r\n\r\n").unwrap();
            let (_, fields) = head.split_once("\r\n").unwrap();
            format!("{word}\r\n{}\r\n\r\n{rest}", fields.to_ascii_lowercase()).into_bytes()
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
    // What is wanted stands in memory already; the search is what fails.
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
    let body = "a\r\n\r\nb\r\n\r\nc";
    let told = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let (head, text) = (http(""), http(body));
    let no_http = RecordBuilder::new(&crate::warc::RecordType::Resource, "urn:test:1", CaptureDate::from_seconds(0));
    let no_http = no_http.field("WARC-Target-URI", "http://a.pt/1").plain(&text);
    let no_http = without_digest(&no_http);
    for (cut, whole) in [
        (head.len(), record(1, &text)),
        (head.len() + 5, proven(1, &text)),
        (head.len() + 10, proven(1, &text)),
        (told.len() - 1, record(1, &told)),
        (head.len() + 5, no_http),
    ] {
        let block_at = memchr::memmem::find(&whole, b"\r\n\r\n").unwrap() + 4;
        let torn = [&record(0, b"one"), &whole[..block_at + cut]].concat();
        assert!(torn.ends_with(b"\r\n\r\n"));
        let (records, problems) = read(&torn);
        assert_eq!(records, expected(&[b"one"]), "{problems:?}");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].0, ProblemKind::Truncated);
    }
}

#[test]
fn what_is_still_written_ends_anywhere() {
    let torn = [record(0, b"one"), stretched(&record(1, &http("two")), 40)].concat();
    assert_eq!(read(&torn).0.len(), 2);
    assert_eq!(read_as("a.warc.open", &torn).0, expected(&[b"one"]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    std::fs::write(&path, &torn).unwrap();
    let mut reader = ArchiveReader::open(&path).unwrap();
    assert_eq!(reader.next_record(9).unwrap().unwrap().block, b"one");
    let more = record(2, b"three");
    std::io::Write::write_all(&mut File::options().append(true).open(&path).unwrap(), &more).unwrap();
    let rest = std::iter::from_fn(|| reader.next_record(99).unwrap()).map(|record| record.block);
    assert_eq!(rest.collect::<Vec<_>>(), [http("two"), b"three".to_vec()]);
}

#[test]
fn a_block_ends_where_it_has_its_digest() {
    let inner = [http(""), record(7, b"seven"), record(8, b"eight"), b"rest".to_vec()].concat();
    for by in [20, 40, 90, 1_000_000] {
        for last in [record(1, b"two"), Vec::new()] {
            let lie = stretched(&proven(0, &inner), by);
            let mut blocks = vec![&inner[..]];
            blocks.extend((!last.is_empty()).then_some(&b"two"[..]));
            assert_eq!(read(&[lie.clone(), last.clone()].concat()).0, expected(&blocks), "{by}");
            // Also where the file ends in a torn record.
            let torn = [&lie, &last[..], &record(9, b"nine")[..90]].concat();
            assert_eq!(read(&torn).0, expected(&blocks), "{by}");
            assert_eq!(read_as("a.warc.open", &torn).0, expected(&blocks), "{by}");
        }
    }
    // A wrong digest says nothing: the first record that follows ends it.
    let wrong = String::from_utf8(proven(0, b"one")).unwrap().replace(&sha1_base32(b"one"), &sha1_base32(b"?"));
    let (records, _) = read(&[stretched(wrong.as_bytes(), 300), record(1, b"two"), record(2, b"three")].concat());
    assert_eq!(records, expected(&[b"one", b"two", b"three"]));
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, bytes).unwrap();
    packed.finish().unwrap()
}

/// A gzip member or zstd frame of its own for each record.
fn packed(records: &[Vec<u8>], zstd: bool) -> Vec<u8> {
    let frame =
        |record: &Vec<u8>| ruzstd::encoding::compress_to_vec(&record[..], ruzstd::encoding::CompressionLevel::Fastest);
    records.iter().flat_map(|record| if zstd { frame(record) } else { gzip(record) }).collect()
}

#[test]
fn the_line_breaks_at_the_end_of_a_member_are_not_of_the_block() {
    let long = http(&"line\r\n\r\n".repeat(100_000));
    for zstd in [false, true] {
        for block in [&http("x")[..], &http(""), &http("x\r\n\r\n"), &http("x\r\n"), b"", b"\r\n", b"abc", &long] {
            let bytes = packed(&[record(0, b"one"), stretched(&record(1, block), 99), record(2, b"three")], zstd);
            let (records, problems) = read(&bytes);
            assert_eq!(records, expected(&[b"one", block, b"three"]), "{}", block.escape_ascii());
            let (declared, there) = (block.len() + 99, block.len());
            let detail = format!("the block is declared with {declared} bytes, {there} are there");
            assert_eq!(problems, [(ProblemKind::Truncated, detail)]);
            // However little is read at once.
            let mut reader = ArchiveReader::new(&bytes[..], Path::new("a.warc.gz")).unwrap();
            let mut read = Vec::new();
            while reader.next_head().unwrap().is_some() {
                let mut some = [0; 3];
                let mut block = Vec::new();
                loop {
                    match reader.read(&mut some).unwrap() {
                        0 => break,
                        len => block.extend_from_slice(&some[..len]),
                    }
                }
                assert!(reader.finish_record().unwrap().is_some());
                read.push(block);
            }
            assert_eq!(read, [b"one", block, b"three"]);
        }
    }
}

#[test]
fn a_head_that_ends_its_member_keeps_its_line_breaks() {
    for kept in [&http("")[..], b"no message\r\n"] {
        let whole = record(0, &[kept, &[b'x'; 500]].concat());
        let short = whole[..whole.len() - 504].to_vec();
        let (records, _) = read(&packed(&[short, record(1, b"two")], false));
        assert_eq!(records, expected(&[kept, b"two"]));
    }
}

/// Blocks with what may be taken for the end of one; also with a record of
/// another archive.
fn block(with_records: bool) -> impl Strategy<Value = Vec<u8>> {
    let inner = prop_oneof![
        "[a-z\r\n]{0,80}".prop_map(String::into_bytes),
        Just(b"\r\n\r\nWARC/1.1\r\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
        Just(if with_records { record(77, b"inside") } else { Vec::new() }),
    ];
    (any::<bool>(), prop::collection::vec(inner, 0..4))
        .prop_map(|(is_http, parts)| [if is_http { http("") } else { Vec::new() }, parts.concat()].concat())
}

fn by() -> impl Strategy<Value = usize> {
    prop_oneof![1..400usize, 1_000..1_000_000usize]
}

proptest! {
    #[test]
    fn any_lie_costs_no_other_record(
        blocks in prop::collection::vec("[a-z\r\n]{0,80}", 1..6),
        which in any::<prop::sample::Index>(),
        by in by(),
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

    /// Whatever stands in the blocks, and torn or not.
    #[test]
    fn any_lie_beside_a_digest_costs_nothing(
        blocks in prop::collection::vec(block(true), 1..6),
        which in any::<prop::sample::Index>(),
        by in by(),
        torn in prop_oneof![Just(0), 5..80usize],
    ) {
        let which = which.index(blocks.len());
        let bytes = blocks.iter().enumerate().flat_map(|(number, block)| match number == which {
            true => stretched(&proven(number, block), by),
            false => proven(number, block),
        });
        let bytes: Vec<u8> = bytes.chain(record(99, b"torn")[..torn].to_vec()).collect();
        let (records, _) = read(&bytes);
        let blocks: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
        let expected = expected(&blocks);
        prop_assert_eq!(&records[..which], &expected[..which]);
        prop_assert!(records == expected || records.get(which).is_none_or(|record| record.1.len() == blocks[which].len() + by));
    }

    #[test]
    fn a_torn_end_is_one_torn_record(
        blocks in prop::collection::vec(block(false), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let records: Vec<_> = blocks.iter().enumerate().map(|(number, block)| proven(number, block)).collect();
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
        prop_assert_eq!(found, expected(&blocks[..whole]));
        prop_assert!(problems.len() <= 1, "{:?}", problems.iter().map(|p| &p.1).collect::<Vec<_>>());
    }
}
