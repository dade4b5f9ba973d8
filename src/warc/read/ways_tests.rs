//! However a file is read (members as a whole or streamed, by one thread or
//! several, in pieces of any size), what comes out is the same.

use super::parallel::{Event, ReadLimits, Visit, read_in_segments};
use super::reader::ArchiveReader;
use super::tests::{Pieces, builder, noise, read_all, read_with};
use crate::jobs::JobCx;
use crate::testing::gzip;
use crate::warc::Record;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Bytes that can be gone back over.
const RETAIN: usize = 64 * 1024;

/// Gzip that leaves the bytes as they are: what looks like a header in them
/// looks like one in the file.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file with files inside its records, packed in one of many ways.
fn file(compression: usize, blocks: &[usize]) -> Vec<u8> {
    let block = |number: usize| match blocks[number] % 5 {
        0 => Vec::new(),
        1 => noise(number, blocks[number]),
        2 => [b"\n".to_vec(), builder(90).plain(b"within")].concat().repeat(3),
        3 => builder(91).compress(&noise(7, blocks[number] / 4)).repeat(2),
        _ => b"text and more text ".repeat(blocks[number]),
    };
    let plain: Vec<Vec<u8>> = (0..blocks.len()).map(|number| builder(number).plain(&block(number))).collect();
    match compression % 7 {
        0 => plain.concat(),
        1 => plain.iter().flat_map(gzip).collect(),
        2 => plain.iter().flat_map(|record| stored(record)).collect(),
        3 => gzip(plain.concat()),
        4 => plain.concat().chunks(700).flat_map(gzip).collect(),
        5 => plain.chunks(2).flat_map(|records| gzip(records.concat())).collect(),
        _ => {
            let arc = |version: usize| {
                let head = format!("{version} 1 x\nURL IP-address Archive-date Content-type Archive-length\n");
                let describe = format!("filedesc://x 1.2.3.4 20240301090000 text/plain {}\n{head}\n", head.len());
                let page = "http://a.pt/ 1.2.3.4 20240301090000 text/html 21\nHTTP/1.0 200 OK\r\n\r\nhi\n";
                std::iter::once(describe)
                    .chain(std::iter::repeat_n(page.to_owned(), 4))
                    .map(|part| gzip(part.as_bytes()))
            };
            (1..=blocks.len()).flat_map(arc).flatten().collect()
        }
    }
}

/// The events of readers, as text.
fn read_in_parallel(files: &[PathBuf], threads: usize, limits: ReadLimits) -> Vec<String> {
    let mut read = Vec::new();
    let map = |head: &crate::warc::RecordHead, block: &mut dyn std::io::BufRead| {
        let mut bytes = Vec::new();
        block.read_to_end(&mut bytes)?;
        Ok((head.clone(), bytes))
    };
    read_in_segments(files, threads, limits, &JobCx::detached(), map, |file, event| {
        read.push(match event {
            // How far a reader has read ahead is its own affair.
            Event::Record(Visit { value, span, problems, members, member, gzip_note, read_to: _ }) => {
                format!("{file} {value:?} {span:?} {problems:?} {members} {member:?} {gzip_note:?}")
            }
            Event::End(problems) => format!("{file} {problems:?}"),
            Event::Failed(error) => format!("{file} {error}"),
        });
        ControlFlow::Continue(())
    });
    read
}

/// Long members are longer than what is retained.
fn limits(segment: u64) -> ReadLimits {
    ReadLimits { segment, retain: RETAIN }
}

/// Flips, removes and puts in bytes.
fn damage(bytes: &mut Vec<u8>, changes: &[(prop::sample::Index, u8, usize)]) {
    for (place, value, len) in changes {
        if bytes.is_empty() {
            return;
        }
        let place = place.index(bytes.len());
        match value % 4 {
            0 => drop(bytes.drain(place..(place + len).min(bytes.len()))),
            1 => drop(bytes.splice(place..place, noise(*len, *len))),
            2 => bytes.truncate(place),
            _ => bytes[place] ^= value | 1,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_way_of_reading_gives_the_same(
        compression in 0usize..7,
        blocks in prop::collection::vec(0usize..3000, 1..9),
        changes in prop_oneof![
            Just(Vec::new()),
            prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 1usize..400), 1..4),
        ],
        sizes in prop::collection::vec(1usize..4000, 1..4),
        segment_len in 100u64..4000,
        threads in 2usize..4,
    ) {
        let mut bytes = file(compression, &blocks);
        damage(&mut bytes, &changes);
        let whole = read_all(&bytes[..], usize::MAX);
        let streamed = ArchiveReader::new(&bytes[..], Path::new("test")).unwrap().stream_only();
        prop_assert_eq!(&read_with(streamed, usize::MAX), &whole, "streamed");
        let pieces = Pieces { bytes: &bytes, sizes: &sizes, index: 0 };
        prop_assert_eq!(&read_all(pieces, usize::MAX), &whole, "in pieces");

        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("a"), folder.path().join("missing"), folder.path().join("b")];
        std::fs::write(&files[0], &bytes).unwrap();
        std::fs::write(&files[2], file(compression + 1, &blocks)).unwrap();
        prop_assert_eq!(read_in_parallel(&files, threads, limits(segment_len)), read_in_parallel(&files, 1, limits(segment_len)), "in parallel");
    }
}

fn read_retaining(source: impl Read) -> (Vec<Record>, Vec<String>) {
    read_with(ArchiveReader::new(source, Path::new("test")).unwrap().retaining(RETAIN), usize::MAX)
}

/// Records longer than can be gone back over, with members inside that look
/// like records of the file once theirs is damaged.
fn long_file(is_stored: bool, blocks: &[usize]) -> Vec<u8> {
    let pack: fn(&[u8]) -> Vec<u8> = if is_stored { stored } else { |bytes| gzip(bytes) };
    let record = |(number, &len): (usize, &usize)| {
        let inner: Vec<u8> = (0..len / 20_000).flat_map(|n| builder(900 + n).compress(&noise(n, 19_000))).collect();
        pack(&builder(number).plain(&[noise(number, 100 + len / 10), inner].concat()))
    };
    blocks.iter().enumerate().flat_map(record).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_in_long_members_is_passed_over_the_same_way(
        is_stored: bool,
        blocks in prop::collection::vec(0usize..600_000, 1..6),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 1usize..400), 1..4),
        sizes in prop::collection::vec(100usize..40_000, 1..4),
        segment_len in 20_000u64..200_000,
    ) {
        let mut bytes = long_file(is_stored, &blocks);
        damage(&mut bytes, &changes);
        let whole = read_retaining(&bytes[..]);
        let pieces = Pieces { bytes: &bytes, sizes: &sizes, index: 0 };
        prop_assert_eq!(&read_retaining(pieces), &whole, "in pieces");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let files = [file.path().to_owned()];
        prop_assert_eq!(read_in_parallel(&files, 3, limits(segment_len)), read_in_parallel(&files, 1, limits(segment_len)), "in parallel");
    }
}

/// A member may be followed by what looks like the end of it.
#[test]
fn an_end_that_could_be_elsewhere_is_not_believed() {
    let member = builder(0).compress(b"block");
    let end = &member[member.len() - 8..];
    let zeros = [0; 12];
    for junk in [end, &end[4..], &zeros, &[0x1f, 0x8b, 8, 0, 0][..], &[0x1f][..]] {
        let bytes = [&member[..], junk, &builder(1).compress(b"more")].concat();
        let streamed = ArchiveReader::new(&bytes[..], Path::new("test")).unwrap().stream_only();
        let whole = read_all(&bytes[..], 100);
        assert_eq!(whole, read_with(streamed, 100), "{junk:?}");
        assert_eq!(whole.0[0].span.length, member.len() as u64, "{junk:?}");
        assert_eq!(whole.0.len(), 2);
        assert!(!whole.1.is_empty());
    }
}

#[test]
fn members_too_large_for_memory_are_streamed() {
    let large = super::whole_members::MAX_WHOLE + 1000;
    let records = [
        builder(0).compress(&noise(0, large)),
        builder(1).compress(&vec![b'x'; large]),
        builder(2).compress(b"small"),
        builder(3).compress(&noise(3, large / 3)),
    ];
    let bytes = records.concat();
    let (found, problems) = read_all(&bytes[..], usize::MAX);
    assert_eq!(problems, [""; 0]);
    assert_eq!(found.iter().map(|record| record.block.len()).collect::<Vec<_>>(), [large, large, 5, large / 3]);
    assert_eq!(found.iter().map(|record| record.span.length as usize).collect::<Vec<_>>(), records.map(|r| r.len()));
    let streamed = ArchiveReader::new(&bytes[..], Path::new("test")).unwrap().stream_only();
    assert_eq!(read_with(streamed, usize::MAX), (found, problems));
}

/// A reader that began at something that only looked like a record must not
/// take the segments behind it from those whose results count.
#[test]
fn false_beginnings_never_make_anybody_wait_for_ever() {
    let false_head = |number: usize| {
        let head =
            b"\nWARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024-03-01T09:00:00Z\r\n";
        [
            &noise(number, 150)[..],
            head,
            format!("Content-Length: {}\r\n\r\n", 700 + number * 37).as_bytes(),
            &noise(3, 180),
        ]
        .concat()
    };
    let bytes: Vec<u8> = (0..40).flat_map(|number| builder(number).plain(&false_head(number).repeat(2))).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, &bytes).unwrap();
    let alone = read_in_parallel(std::slice::from_ref(&path), 1, limits(300));
    for segment_len in [200, 300, 450, 700] {
        let mut count = 0;
        let pause = |_: &crate::warc::RecordHead, block: &mut dyn std::io::BufRead| {
            std::thread::sleep(std::time::Duration::from_micros(50));
            std::io::copy(block, &mut std::io::sink())
        };
        read_in_segments(std::slice::from_ref(&path), 4, limits(segment_len), &JobCx::detached(), pause, |_, _| {
            std::thread::sleep(std::time::Duration::from_micros(400));
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, alone.len());
        assert_eq!(read_in_parallel(std::slice::from_ref(&path), 3, limits(segment_len)), alone);
    }
}

/// Numbers of threads that have read the records from `after` on.
fn readers(path: &Path, after: usize, segment_len: u64) -> usize {
    let mut seen = Vec::new();
    let slow = |_: &crate::warc::RecordHead, block: &mut dyn std::io::BufRead| {
        std::io::copy(block, &mut std::io::sink())?;
        std::thread::sleep(std::time::Duration::from_micros(200));
        Ok(std::thread::current().id())
    };
    read_in_segments(&[path.to_owned()], 2, limits(segment_len), &JobCx::detached(), slow, |_, event| {
        if let Event::Record(visit) = event {
            seen.push(visit.value);
        }
        ControlFlow::Continue(())
    });
    let seen: std::collections::HashSet<_> = seen.into_iter().skip(after).collect();
    seen.len()
}

/// A record with a digest that is wrong, declared with `by` bytes too many.
fn lie(number: usize, by: usize) -> Vec<u8> {
    let text = String::from_utf8(builder(number).plain(b"block")).unwrap();
    let right = "Content-Length: 5\r\n";
    assert!(text.contains(right));
    text.replace(right, &format!("Content-Length: {}\r\n", 5 + by))
        .replace("\r\n\r\nblock", "\r\n\r\nblack")
        .into_bytes()
}

#[test]
fn several_threads_go_on_behind_a_long_record_and_behind_a_search_in_vain() {
    let small = |numbers: std::ops::Range<usize>| -> Vec<u8> {
        numbers.flat_map(|number| builder(number).plain(&noise(number, 300))).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let long = builder(0).plain(&noise(0, 60_000));
    for (first, segment_len) in [(long, 2000), (lie(0, 9000), 2000)] {
        let bytes = [first, small(1..200), lie(200, 5000), small(201..300), lie(300, 70)].concat();
        std::fs::write(&path, bytes).unwrap();
        let files = [path.clone()];
        let alone = read_in_parallel(&files, 1, limits(segment_len));
        assert_eq!(alone.len(), 302);
        assert_eq!(read_in_parallel(&files, 2, limits(segment_len)), alone);
        assert_eq!(read_in_parallel(&files, 3, limits(segment_len / 3)), alone);
        // The stretch with the search in vain is over by then.
        assert!((0..5).any(|_| readers(&path, 80, segment_len) == 2));
    }
}

#[test]
fn reading_that_is_stopped_within_a_block_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let small = (0..20).flat_map(|number| builder(number).plain(b"block"));
    std::fs::write(&path, small.chain(builder(20).plain(&noise(0, 3 << 20))).collect::<Vec<u8>>()).unwrap();
    for threads in [1, 3] {
        let cx = JobCx::detached();
        let mut seen = 0;
        let stop = |_: &crate::warc::RecordHead, block: &mut dyn std::io::BufRead| {
            if std::io::copy(&mut (&mut *block).take(9), &mut std::io::sink())? > 5 {
                cx.cancel();
            }
            std::io::copy(block, &mut std::io::sink())
        };
        read_in_segments(std::slice::from_ref(&path), threads, limits(1 << 20), &cx, stop, |_, event| {
            assert!(matches!(event, Event::Record(_)), "{event:?}");
            seen += 1;
            ControlFlow::Continue(())
        });
        assert!(seen < 21, "{seen}");
    }
}

#[test]
fn reading_in_parallel_can_be_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, (0..500).flat_map(|number| builder(number).compress(b"block")).collect::<Vec<u8>>()).unwrap();
    let mut seen = 0;
    let skip = |_: &crate::warc::RecordHead, block: &mut dyn std::io::BufRead| {
        std::io::copy(&mut block.take(2), &mut std::io::sink())
    };
    read_in_segments(&[path], 3, limits(2000), &JobCx::detached(), skip, |_, _| {
        seen += 1;
        if seen == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, 100);
}
