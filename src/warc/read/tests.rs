//! Tests of the reader: any packing, any split of the input, and reading on after damage.

use super::*;
use crate::testing::gzip;
use crate::uri::CaptureDate;
use crate::warc::{OPEN_SUFFIX, ProblemKind, Record, RecordBuilder, RecordType, Span, WarcError};
use proptest::prelude::*;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_123);

pub(super) fn builder(number: usize) -> RecordBuilder {
    RecordBuilder::response(&format!("urn:test:{number}"), DATE, &format!("http://a.pt/{number}"))
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Bytes that gzip cannot squeeze, so that damage hits one record only.
pub(super) fn noise(seed: usize, len: usize) -> Vec<u8> {
    let mut state = seed as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Gives its bytes in pieces of the given sizes, over and over.
pub(super) struct Pieces<'a> {
    pub bytes: &'a [u8],
    pub sizes: &'a [usize],
    pub index: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.index % self.sizes.len()].max(1);
        self.index += 1;
        let len = size.min(out.len()).min(self.bytes.len());
        out[..len].copy_from_slice(&self.bytes[..len]);
        self.bytes = &self.bytes[len..];
        Ok(len)
    }
}

/// Records and problems; an error becomes a line among the problems.
pub(super) fn read_all(source: impl Read, max_block: usize) -> (Vec<Record>, Vec<String>) {
    read_with(ArchiveReader::new(source, Path::new("test")).unwrap(), max_block)
}

pub(super) fn read_with(mut reader: ArchiveReader<impl Read>, max_block: usize) -> (Vec<Record>, Vec<String>) {
    let mut records = Vec::new();
    let mut problems = Vec::new();
    loop {
        match reader.next_record(max_block) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => break,
            Err(error) => problems.push(error.to_string()),
        }
    }
    problems.extend(reader.take_problems().iter().map(ToString::to_string));
    (records, problems)
}

fn ids(records: &[Record]) -> Vec<String> {
    records.iter().map(|record| record.head.record_id().unwrap().replace("urn:test:", "")).collect()
}

/// Reads `bytes` and compares the ids of the records and the problems.
#[track_caller]
fn check(bytes: &[u8], expected_ids: &[&str], expected_problems: &[&str]) {
    let (records, problems) = read_all(bytes, usize::MAX);
    assert_eq!(ids(&records), expected_ids);
    assert_eq!(problems, expected_problems);
    // Byte by byte it must be the same.
    assert_eq!(read_all(Pieces { bytes, sizes: &[1], index: 0 }, usize::MAX), (records, problems));
}

#[test]
fn a_file_without_records_differs_from_an_empty_one() {
    check(b"", &[], &[]);
    check(b"\r\n\r\n", &[], &[]);
    check(
        b"PK\x03\x04 something",
        &[],
        &[
            "test: neither WARC nor ARC (it begins with “PK\\x03\\x04 something”, a zip file: perhaps a WACZ, see fonds wacz check)",
            "offset 0: data outside records: 14 bytes that belong to no record",
        ],
    );
    let tar = gzip(b"some other content\nof two lines\n");
    let (records, problems) = read_all(&tar[..], 10);
    assert!(records.is_empty() && problems[0].contains("neither WARC nor ARC"));
}

#[test]
fn a_huge_file_of_something_else_is_given_up_early() {
    let mut reader = ArchiveReader::new(io::repeat(b'x'), Path::new("endless")).unwrap();
    assert!(matches!(reader.next_record(10), Err(WarcError::NotArchive { .. })));
    assert!(matches!(reader.next_record(10), Ok(None)));
    let mut reader =
        ArchiveReader::new(io::repeat(b'\n').chain(io::empty()).take(5_000_000), Path::new("blank")).unwrap();
    assert!(matches!(reader.next_record(10), Ok(None)));
}

#[test]
fn one_member_for_all_is_reported_and_read() {
    let plain: Vec<u8> = (0..3).flat_map(|n| builder(n).plain(b"x")).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), gzip(&plain)).unwrap();
    let (records, problems) = read_all(&gzip(&plain)[..], 10);
    assert_eq!(ids(&records), ["0", "1", "2"]);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("not compressed per record"));
    for record in &records {
        assert!(record.span.is_inside_member());
        assert_eq!(read_record_at(file.path(), record.span.offset, 10).unwrap(), *record);
        assert!(copy_span(file.path(), record.span, &mut Vec::new()).is_err());
    }
    assert!(read_record_at(file.path(), records[1].span.offset + 1, 10).is_err());
}

#[test]
fn records_cut_into_blocks_by_the_compressor_are_joined() {
    let plain: Vec<u8> = (0..3).flat_map(|n| builder(n).plain(&noise(n, 300))).collect();
    for size in [37, 100, 256, 1000] {
        let blocked: Vec<u8> = plain.chunks(size).flat_map(gzip).collect();
        let (records, _) = read_all(&blocked[..], usize::MAX);
        assert_eq!(ids(&records), ["0", "1", "2"], "blocks of {size}");
        assert_eq!(records[2].block, noise(2, 300));
    }
}

#[test]
fn zstd_is_read() {
    let per_record: Vec<u8> = (0..3).flat_map(|n| zstd(&builder(n).plain(&noise(n, 400)))).collect();
    check(&per_record, &["0", "1", "2"], &[]);
    let (records, _) = read_all(&per_record[..], 10);
    assert!(records.iter().all(|record| !record.span.is_inside_member()));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &per_record).unwrap();
    assert_eq!(read_record_at(file.path(), records[1].span.offset, 10).unwrap(), records[1]);
    // A skippable frame in front, a torn one at the end.
    let mut framed = vec![0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    framed.extend_from_slice(&per_record[..per_record.len() - 5]);
    let (records, problems) = read_all(&framed[..], 10);
    assert_eq!(ids(&records), ["0", "1"]);
    assert!(problems[0].contains("truncated"), "{problems:?}");
}

#[test]
fn damage_in_a_shared_member_is_reported_at_its_record() {
    let sound = builder(0).plain(b"one");
    let odd = builder(1).plain(b"two").strip_suffix(b"\r\n\r\n").unwrap().to_vec();
    let (records, problems) = read_all(&gzip([&sound[..], &odd, &builder(2).plain(b"three")].concat())[..], 10);
    assert_eq!(ids(&records), ["0", "1", "2"]);
    let message = format!("offset +{}: ", sound.len());
    assert!(problems.iter().any(|problem| problem.starts_with(&message)), "{problems:?}");
    assert_eq!(records[1].span.decoded_offset(), sound.len() as u64);
}

#[test]
fn a_few_letters_are_no_archive() {
    for bytes in [&b"hello"[..], b"http://a.pt/ 1.2"] {
        let (records, problems) = read_all(bytes, 10);
        assert_eq!(records, []);
        assert!(problems[0].contains("neither WARC nor ARC"), "{problems:?}");
    }
}

#[test]
fn a_zstd_frame_that_needs_too_much_memory_is_reported_and_passed_over() {
    // Magic, a header without size, a window of 256 MiB, one raw block of one byte.
    let greedy = b"\x28\xb5\x2f\xfd\x00\x90\x09\0\0a";
    let bytes = [&zstd(&builder(0).plain(b"one"))[..], greedy, &zstd(&builder(1).plain(b"two"))].concat();
    let (records, problems) = read_all(&bytes[..], 1 << 20);
    assert_eq!(records.len(), 2);
    let message = "a window of 256 MiB and at most 128 MiB are given; unpack the file with zstd -d --long=31";
    assert!(problems.iter().any(|problem| problem.contains(message)), "{problems:?}");
}

#[test]
fn records_behind_an_unreadable_zstd_dictionary_are_read_by_their_place_too() {
    let bytes = [b"\x5d\x2a\x4d\x18\x09\0\0\0\x37\xa4\x30\xecabcde", &zstd(&builder(0).plain(b"block"))[..]].concat();
    let (records, problems) = read_all(&bytes[..], 10);
    assert_eq!(ids(&records), ["0"]);
    assert!(problems[0].contains("the zstd dictionary cannot be read"), "{problems:?}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    assert_eq!(read_record_at(file.path(), records[0].span.offset, 10).unwrap(), records[0]);
}

#[test]
fn lengths_are_not_trusted() {
    let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:0>\r\nWARC-Date: 2024-03-01T09:00:00Z\r\n";
    let too_long = format!("{head}Content-Length: 18446744073709551615\r\n\r\nabc");
    check(
        too_long.as_bytes(),
        &[],
        &["offset 0: truncated: the block is declared with 18446744073709551615 bytes, 3 are there"],
    );
    let next = builder(1).plain(b"x");
    let member = gzip(format!("{head}Content-Length: 1000\r\n\r\nabc\r\n\r\n").as_bytes());
    check(
        &[member, gzip(&next)].concat(),
        &["0", "1"],
        // The line breaks included: nothing separates them from the block.
        &["offset 0: truncated: the block is declared with 1000 bytes, 7 are there"],
    );
    let too_short = [format!("{head}Content-Length: 1\r\n\r\nabc\r\n\r\n").into_bytes(), next].concat();
    let (records, problems) = read_all(&too_short[..], 10);
    assert_eq!(ids(&records), ["0", "1"]);
    assert!(problems.iter().any(|problem| problem.contains("bytes that belong to no record")), "{problems:?}");
}

#[test]
fn an_endless_head_ends() {
    let head = [b"WARC/1.0\r\n".to_vec(), b"X: y\r\n".repeat(400_000), builder(1).plain(b"x")].concat();
    let (records, problems) = read_all(&head[..], 10);
    assert_eq!(ids(&records), ["1"]);
    assert!(problems[0].contains("does not end within"), "{problems:?}");
}

#[test]
fn heads_without_an_end_within_each_other_are_searched_once() {
    // Each would be looked through for a mebibyte: minutes for a few of them.
    let heads = [b"WARC/1.0\r\n".repeat(300_000), builder(1).plain(b"x"), builder(2).plain(b"y")].concat();
    for bytes in [gzip(&heads), heads] {
        let (records, problems) = read_all(&bytes[..], 10);
        assert_eq!(ids(&records).last().unwrap(), "2");
        assert!(problems[0].contains("does not end within"), "{:?}", problems[0]);
    }
}

#[test]
fn a_block_beyond_the_limit_is_counted() {
    let (records, problems) = read_all(&builder(0).compress(&noise(0, 1000))[..], 10);
    assert_eq!((records[0].block.len(), records[0].omitted), (10, 990));
    assert!(problems.is_empty());
}

#[test]
fn after_damage_the_next_record_is_read() {
    let members: Vec<Vec<u8>> = (0..5).map(|n| builder(n).compress(&noise(n, 2000))).collect();
    let whole = members.concat();
    let start = members[0].len();
    let end = start + members[1].len();
    for place in (start..end).step_by(7) {
        let mut bad = whole.clone();
        bad[place] ^= 0xff;
        let (records, problems) = read_all(&bad[..], usize::MAX);
        let found = ids(&records);
        // The flags and the time in a gzip header do not matter to the content.
        let unharmed = place - start < 10 && found.len() == 5;
        assert!(unharmed || found == ["0", "2", "3", "4"], "damage at {place}: {found:?}, {problems:?}");
        assert!(unharmed || !problems.is_empty(), "damage at {place} is not told");
    }
}

#[test]
fn a_damaged_member_that_swallows_the_end_of_the_file_is_searched() {
    // The size of a block in the second frame is any, some beyond the end of the file.
    let members: Vec<Vec<u8>> = (0..4).map(|n| zstd(&builder(n).plain(&noise(n, 2000)))).collect();
    let mut swallowed = 0;
    for (place, value) in (4..16).flat_map(|place| (0..=255).step_by(15).map(move |value| (place, value))) {
        let mut bytes = members.concat();
        bytes[members[0].len() + place] = value;
        let (records, problems) = read_all(&bytes[..], 10);
        let mut found = ids(&records);
        found.retain(|id| id != "1");
        assert_eq!(found, ["0", "2", "3"], "{value} at {place}: {problems:?}");
        swallowed += u32::from(problems.iter().any(|problem| problem.contains("truncated")));
    }
    assert!(swallowed > 0);
    // A gzip header whose field of extras is declared longer than what is left.
    let mut members: Vec<Vec<u8>> = (0..3).map(|n| builder(n).compress(b"x")).collect();
    members[1][3] |= 4;
    members[1][10..12].fill(0xff);
    let (records, problems) = read_all(&members.concat()[..], 10);
    assert_eq!(ids(&records), ["0", "2"], "{problems:?}");
    assert!(problems[0].contains("truncated"), "{problems:?}");
}

/// Members within each other: each holds, stored, all that follow, and shares
/// its second block with them.
fn nested_members(count: usize, second_block: &[u8]) -> Vec<u8> {
    let mut inner: Vec<u8> = Vec::new();
    for _ in 0..count {
        let text = [b"WARC/1.0\r\n", &inner[..]].concat();
        let len = u16::try_from(text.len()).unwrap();
        let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0];
        member.extend(len.to_le_bytes());
        member.extend((!len).to_le_bytes());
        member.extend(text);
        inner = member;
    }
    [&inner[..], second_block].concat()
}

#[test]
fn damage_within_damage_is_given_up_at_last() {
    // The common second block is long; what follows it is none.
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b'x'; 3_000_000]).unwrap();
    encoder.flush().unwrap();
    let block = [encoder.get_ref().as_slice(), &[7]].concat();
    let bytes = [nested_members(1000, &block), builder(0).compress(b"x")].concat();
    let (records, problems) = read_all(&bytes[..], 10);
    assert_eq!(ids(&records), ["0"]);
    assert!(problems.len() < 100, "{} members were decoded", problems.len());
    assert!(problems.iter().any(|problem| problem.contains("what else begins there is not read")), "{problems:?}");
    // A few are no reason to give up.
    let bytes = [nested_members(5, &block), builder(0).compress(b"x")].concat();
    let (records, problems) = read_all(&bytes[..], 10);
    assert_eq!(ids(&records), ["0"]);
    assert!(!problems.iter().any(|problem| problem.contains("is not read")), "{problems:?}");
}

#[test]
fn very_many_damaged_members_are_passed_over_in_one_go() {
    // Each begins a record and says that it decodes to two gigabytes.
    let mut member = gzip(b"WARC/1.0\r\n");
    let len = member.len();
    member[len - 1] = 0x7f;
    let bytes = [member.repeat(20_000), builder(0).compress(b"x")].concat();
    let (records, problems) = read_all(&bytes[..], 10);
    assert_eq!(ids(&records), ["0"]);
    assert!(problems.iter().any(|problem| problem.contains("further problems of this kind are not listed")));
    // Each looks like a member and is none.
    let bytes =
        [builder(0).compress(b"x"), b"\x1f\x8b\x08\0\0\0\0\0\0\0\x4b\x04".repeat(50_000), builder(1).compress(b"x")]
            .concat();
    let (records, problems) = read_all(&bytes[..], 10);
    assert_eq!(ids(&records), ["0", "1"], "{problems:?}");
}

#[test]
fn a_missing_or_alien_stretch_is_passed_over() {
    let members: Vec<Vec<u8>> = (0..4).map(|n| builder(n).compress(&noise(n, 500))).collect();
    let alien = [members[0].clone(), noise(9, 3000), members[1].clone(), vec![0; 700], members[2].clone()].concat();
    let (records, problems) = read_all(&alien[..], usize::MAX);
    assert_eq!(ids(&records), ["0", "1", "2"]);
    assert_eq!(problems.len(), 2, "{problems:?}");
    for cut in [20, 200, 400] {
        let torn = [&members[0][..], &members[1][..cut], &members[2][..], &members[3][..]].concat();
        let (records, problems) = read_all(&torn[..], usize::MAX);
        assert_eq!(ids(&records), ["0", "2", "3"], "cut at {cut}: {problems:?}");
        assert!(!problems.is_empty());
    }
}

#[test]
fn plain_files_recover_at_the_next_version_line() {
    let records: Vec<Vec<u8>> = (0..3).map(|n| builder(n).plain(b"block")).collect();
    let bad = [&records[0][..], b"garbage\r\nWARC/ not a head\r\n", &records[1][..], &records[2][..]].concat();
    let (found, problems) = read_all(&bad[..], usize::MAX);
    assert_eq!(ids(&found), ["0", "1", "2"]);
    assert_eq!(
        problems,
        [format!("offset {}: data outside records: 27 bytes that belong to no record", records[0].len())]
    );
}

#[test]
fn a_torn_plain_file_gives_what_is_whole() {
    let records: Vec<Vec<u8>> = (0..2).map(|n| builder(n).plain(b"block")).collect();
    let whole = records.concat();
    let second = records[0].len();
    for end in second + 1..whole.len() - 4 {
        let mut reader = ArchiveReader::new(&whole[..end], Path::new("torn")).unwrap();
        assert!(reader.next_record(10).unwrap().is_some());
        assert!(reader.next_record(10).unwrap().is_none(), "cut at {end}");
        assert_eq!(reader.sound_len(), second as u64);
        let problems = reader.take_problems();
        assert_eq!((problems[0].kind, problems[0].offset), (ProblemKind::Truncated, second as u64), "cut at {end}");
    }
}

#[test]
fn a_file_that_is_being_written_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    std::fs::write(folder.path().join(format!("a.warc.gz{OPEN_SUFFIX}")), builder(0).compress(b"x")).unwrap();
    assert_eq!(ids(&ArchiveReader::open(&path).unwrap().records(9).map(Result::unwrap).collect::<Vec<_>>()), ["0"]);
    assert!(read_record_at(&path, 0, 9).is_ok());
    assert!(matches!(ArchiveReader::open(&folder.path().join("b")), Err(WarcError::Io { .. })));
}

#[test]
fn an_arc_file_is_read_in_every_packing() {
    let line = |url: &str, len| format!("{url} 1.2.3.4 20240301090000 text/html {len}\n");
    let parts = [
        format!(
            "{}1 1 Fonds\nURL IP-address Archive-date Content-type Archive-length\n\n",
            line("filedesc://a.arc", 66)
        ),
        format!("{}HTTP/1.0 200 OK\r\n\r\nhi\n", line("http://a.pt/with blank", 21)),
        format!("{}dns answer\n", line("dns:a.pt", 10)),
    ];
    let plain = parts.concat().into_bytes();
    let members: Vec<u8> = parts.iter().flat_map(|part| gzip(part.as_bytes())).collect();
    for bytes in [plain, members] {
        let (records, problems) = read_all(&bytes[..], 100);
        assert!(problems.is_empty(), "{problems:?}");
        let types: Vec<_> = records.iter().map(|record| record.head.record_type.clone()).collect();
        assert_eq!(types, [RecordType::Warcinfo, RecordType::Response, RecordType::Response]);
        assert_eq!(records[1].head.target_uri().unwrap(), "http://a.pt/with blank");
        assert_eq!(records[1].head.version, "ARC/1.1");
        assert_eq!(records[1].block, b"HTTP/1.0 200 OK\r\n\r\nhi");
        assert!(records[1].head.is_http() && !records[2].head.is_http());
    }
}

/// Sizes around which a buffer of the reader ends.
const BORDERS: [usize; 3] = [64 * 1024, 128 * 1024, 256 * 1024];

fn some_block() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        Just(Vec::new()),
        Just(b"\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\n".to_vec()),
        Just(vec![b'\n'; 70_000]),
        (0usize..200_000).prop_map(|len| noise(len, len)),
        // The head is some 300 bytes long: the border falls into head, block or line breaks.
        (prop::sample::select(&BORDERS), 0usize..700).prop_map(|(border, less)| noise(less, border - less)),
    ]
}

/// Names of few letters, so that some are repeated; values of any bytes.
fn some_field() -> impl Strategy<Value = (String, Vec<u8>)> {
    (
        "X-[AaBb]{1,2}",
        prop_oneof![prop::collection::vec(any::<u8>(), 0..20), "[ -~]{0,40}".prop_map(String::into_bytes)],
    )
}

/// Layout of records in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    Plain,
    Gzip,
    Zstd,
    /// One gzip member for all.
    Together,
}

fn some_layout() -> impl Strategy<Value = Layout> {
    prop::sample::select(&[Layout::Plain, Layout::Gzip, Layout::Zstd, Layout::Together])
}

impl Layout {
    /// The file and, where they have places of their own, the offsets of the records.
    fn pack(self, records: &[Vec<u8>]) -> (Vec<u8>, Option<Vec<u64>>) {
        let members: Vec<Vec<u8>> = match self {
            Self::Plain => records.to_vec(),
            Self::Gzip => records.iter().map(gzip).collect(),
            Self::Zstd => records.iter().map(|record| zstd(record)).collect(),
            Self::Together => return (gzip(records.concat()), None),
        };
        let ends = members.iter().scan(0, |end, member| {
            *end += member.len() as u64;
            Some(*end - member.len() as u64)
        });
        (members.concat(), Some(ends.collect()))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(
        blocks in prop::collection::vec(some_block(), 1..5),
        fields in prop::collection::vec(some_field(), 0..5),
        sizes in prop::collection::vec(1usize..5000, 1..4),
        layout in some_layout(),
    ) {
        let write = |(number, block): (usize, &Vec<u8>)| {
            let mut head = read_all(&builder(number).plain(b"")[..], 0).0.remove(0).head;
            fields.iter().for_each(|(name, value)| head.headers.push(name.as_str(), value.as_slice()));
            let others = head.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Content-Length"));
            RecordBuilder::with_fields(others.map(|(name, value)| (name.to_owned(), value.into()))).plain(block)
        };
        let written: Vec<Vec<u8>> = blocks.iter().enumerate().map(write).collect();
        let (bytes, offsets) = layout.pack(&written);
        let (records, problems) = read_all(Pieces { bytes: &bytes, sizes: &sizes, index: 0 }, usize::MAX);
        let expected = |problem: &String| {
            problem.contains("duplicate") || (layout == Layout::Together && problem.contains("share"))
        };
        let unexpected: Vec<_> = problems.iter().filter(|problem| !expected(problem)).collect();
        prop_assert!(unexpected.is_empty(), "{:?}", unexpected);
        prop_assert_eq!(records.len(), blocks.len());
        for (number, record) in records.iter().enumerate() {
            prop_assert_eq!(&record.block, &blocks[number]);
            prop_assert_eq!(record.head.date(), Some(DATE));
            let kept: Vec<_> = record.head.headers.iter().filter(|(name, _)| name.starts_with("X-")).collect();
            // What would break the line is written as a blank.
            let one_line = |byte: &u8| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { *byte };
            let given: Vec<(&str, Vec<u8>)> =
                fields.iter().map(|(name, value)| (name.as_str(), value.iter().map(one_line).collect())).collect();
            prop_assert_eq!(kept, given.iter().map(|(name, value)| (*name, value.trim_ascii())).collect::<Vec<_>>());
        }
        if let Some(offsets) = offsets {
            prop_assert_eq!(records.iter().map(|record| record.span.offset).collect::<Vec<_>>(), offsets);
            let end = records.last().map(|record| record.span.offset + record.span.length);
            prop_assert_eq!(end, Some(bytes.len() as u64));
        }
    }

    #[test]
    fn any_bytes_are_survived_in_any_split(
        mut bytes in prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 0..2000)],
        sound in 0usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        layout in some_layout(),
        is_arc in any::<bool>(),
        sizes in prop::collection::vec(1usize..300, 1..4),
    ) {
        let arc = |number| format!("http://a.pt/{number} 1.2.3.4 20240301090000 text/html 5\nblock\n").into_bytes();
        let record = |number| if is_arc { arc(number) } else { builder(number).plain(b"block") };
        bytes.extend(layout.pack(&(0..sound).map(record).collect::<Vec<_>>()).0);
        for (place, value) in changes {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = value;
            }
        }
        let whole = read_all(Cursor::new(&bytes), 1000);
        prop_assert_eq!(read_all(Pieces { bytes: &bytes, sizes: &sizes, index: 0 }, 1000), whole);
    }

    #[test]
    fn every_undamaged_member_is_read(
        lens in prop::collection::vec(0usize..3000, 2..8),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..4), 1..4),
        layout in prop::sample::select(&[Layout::Gzip, Layout::Zstd]),
    ) {
        let records: Vec<Vec<u8>> = lens.iter().enumerate().map(|(n, &len)| builder(n).plain(&noise(n, len))).collect();
        let (mut bytes, offsets) = layout.pack(&records);
        let offsets = offsets.unwrap();
        let mut harmed = vec![false; lens.len()];
        // From the end to the beginning, so that places stay what they were.
        let mut places: Vec<_> =
            damages.iter().map(|(place, value, how)| (4 + place.index(bytes.len() - 4), *value, *how)).collect();
        places.sort_unstable();
        for &(place, value, how) in places.iter().rev() {
            let hit = offsets.partition_point(|&offset| offset <= place as u64) - 1;
            let end = offsets.get(hit + 1).map_or(usize::MAX, |&end| end as usize);
            if std::mem::replace(&mut harmed[hit], true) {
                continue;
            }
            match how {
                0 if place < bytes.len() => bytes[place] ^= value,
                1 => drop(bytes.splice(place.min(bytes.len())..place.min(bytes.len()), noise(7, usize::from(value) * 30))),
                // The rest of the member is missing.
                _ if place < bytes.len() => drop(bytes.drain(place..end.min(bytes.len()).min(place + usize::from(value)))),
                _ => {}
            }
        }
        let (found, problems) = read_all(&bytes[..], usize::MAX);
        for number in (0..lens.len()).filter(|&number| !harmed[number]) {
            let id = format!("urn:test:{number}");
            let record = found.iter().find(|record| record.head.record_id().as_deref() == Some(id.as_str()));
            prop_assert!(record.is_some(), "record {} is lost: {:?}", number, problems);
            prop_assert!(record.is_some_and(|record| record.block == noise(number, lens[number])));
        }
    }
}

#[test]
fn a_short_record_ends_where_its_member_does() {
    let plain = builder(0).plain(&noise(0, 500));
    let short = gzip(&plain[..plain.len() - 100]);
    let mut broken = builder(1).compress(&noise(1, 500));
    broken[300] ^= 0xff;
    let cut = &broken[..200];
    for behind in [&broken[..], cut, &builder(1).compress(b""), b"junk", b""] {
        let (records, _) = read_all(&[&short[..], behind, &builder(2).compress(b"")].concat()[..], usize::MAX);
        assert_eq!(records[0].span, Span { offset: 0, length: short.len() as u64 });
        assert_eq!(ids(&records).last().unwrap(), "2");
    }
}

/// Two files joined, each of a dictionary (`zstd --train`) and two records
/// that were compressed with it.
const TWO_DICTIONARIES: &[u8] = include_bytes!("fixtures/two-dictionaries.warc.zst");

#[test]
fn records_behind_a_second_zstd_dictionary_are_reached_from_the_start() {
    let bytes = TWO_DICTIONARIES;
    let (records, problems) = read_all(bytes, usize::MAX);
    assert_eq!(ids(&records), ["a0", "a1", "b0", "b1"]);
    let at = records[1].span.offset + records[1].span.length;
    let message =
        format!("records from here on need the zstd dictionary at offset {at}, which does not begin the file");
    assert!(problems.len() == 1 && problems[0].contains(&message), "{problems:?}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let check = |bytes: &[u8], inside: [bool; 4]| {
        std::fs::write(file.path(), bytes).unwrap();
        let (records, _) = read_all(bytes, usize::MAX);
        assert_eq!(records.iter().map(|record| record.span.is_inside_member()).collect::<Vec<_>>(), inside);
        for record in &records {
            assert_eq!(read_record_at(file.path(), record.span.offset, usize::MAX).unwrap(), *record);
        }
    };
    check(bytes, [false, false, true, true]);
    // The same dictionary once more is no other one.
    check(&bytes[..at as usize].repeat(2), [false; 4]);
    // One behind something else is not found by its place either.
    check(&[b"\x50\x2a\x4d\x18\0\0\0\0", bytes].concat(), [true; 4]);
}

#[test]
fn damage_before_a_second_zstd_dictionary_costs_one_record() {
    let dictionary = memchr::memmem::rfind(TWO_DICTIONARIES, b"\x5d\x2a\x4d\x18").unwrap();
    let whole = read_all(TWO_DICTIONARIES, 100).0;
    let mut bytes = TWO_DICTIONARIES.to_vec();
    // Near the end of the last record before it, in its compressed block.
    let begin = whole[1].span.offset as usize;
    for place in [begin, begin + 1, begin + 6, dictionary - 6] {
        bytes[place] ^= 0x55;
        let (found, problems) = read_all(&bytes[..], 100);
        let left: Vec<_> = found.iter().filter(|record| record.span != whole[1].span).collect();
        let blocks = |records: &[&crate::warc::Record]| -> Vec<_> {
            records.iter().map(|record| (record.head.clone(), record.block.clone())).collect()
        };
        assert_eq!(blocks(&left), blocks(&[&whole[0], &whole[2], &whole[3]]), "{place}: {problems:?}");
        assert_eq!(left.iter().map(|record| record.span.is_inside_member()).collect::<Vec<_>>(), [false, true, true]);
        bytes[place] ^= 0x55;
    }
}
