//! Tests of repairing files whose writer was killed.

#![allow(clippy::unwrap_used)]

use super::super::{FileSetOptions, RecordBuilder, WarcFileSet};
use super::*;
use crate::uri::CaptureDate;

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_123);

fn member(number: u32) -> Vec<u8> {
    let id = format!("urn:test:{number}");
    RecordBuilder::response(&id, DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\nbody")
}

fn ids(path: &Path) -> Vec<String> {
    let records = ArchiveReader::open(path).unwrap().records(usize::MAX);
    records.filter_map(Result::ok).map(|record| record.head.record_id().unwrap()).collect()
}

/// Makes a record of stored bytes, so that those of an archive in it can be seen.
fn stored(block: &[u8]) -> Vec<u8> {
    let outer = RecordBuilder::response("urn:test:2", DATE, "http://a.pt/a.warc.gz").plain(block);
    let mut stored = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    io::Write::write_all(&mut stored, &outer).unwrap();
    stored.finish().unwrap()
}

#[test]
fn a_torn_record_that_holds_an_archive_leaves_none_of_it_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    let inner: Vec<u8> = (10..15).flat_map(member).collect();
    let outer = stored(&inner);
    fs::write(&path, [&member(1), &outer[..outer.len() - 100]].concat()).unwrap();
    let repaired = repair_open_file(&path).unwrap();
    assert_eq!((repaired.records, repaired.cut_bytes), (1, outer.len() as u64 - 100));
    assert_eq!(ids(&repaired.file.unwrap()), ["urn:test:1"]);
    // They cannot be distinguished from records behind a damaged one.
    assert_eq!(fs::read(repaired.kept.unwrap().file).unwrap(), &outer[..outer.len() - 100]);
}

#[test]
fn records_behind_a_damaged_one_are_kept_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    // Damage in the lengths of a stored block: the decoder runs on to the end of the file.
    let mut damaged = stored(&[b'x'; 60_000]);
    let at = damaged.windows(5).position(|bytes| bytes[0] <= 1 && bytes[1..3] == [!bytes[3], !bytes[4]]).unwrap();
    damaged[at + 1..at + 5].copy_from_slice(&[0xff, 0xff, 0, 0]);
    damaged.truncate(at + 5 + 60_000);
    let tail = [damaged.clone(), member(3), member(4)].concat();
    let other = [damaged, member(3), member(5)].concat();
    // A call that was killed leaves what it wrote; it is no obstacle.
    fs::write(folder.path().join("a.warc.gz.torn.open"), &tail[..9]).unwrap();
    // The same tail once more is kept once; another one gets another name.
    for (name, tail) in [("a.warc.gz.torn", &tail), ("a.warc.gz.torn", &tail), ("a.warc.gz.torn-2", &other)] {
        fs::write(&path, [&member(1)[..], tail].concat()).unwrap();
        let repaired = repair_open_file(&path).unwrap();
        let file = repaired.file.unwrap();
        assert_eq!(ids(&file), ["urn:test:1"]);
        let kept = repaired.kept.unwrap();
        assert_eq!(kept.file, folder.path().join(name));
        assert_eq!((kept.offset, kept.bytes, kept.records), (member(1).len() as u64, tail.len() as u64, 2));
        assert_eq!(&fs::read(&kept.file).unwrap(), tail);
        assert!(kept.to_string().contains("2 whole records seem to follow it"), "{kept}");
        fs::remove_file(&file).unwrap();
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn where_a_tail_cannot_be_kept_the_file_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    let mut last = member(2);
    let place = last.len() - 6;
    last[place] ^= 1;
    let bytes = [member(1), last].concat();
    fs::write(&path, &bytes).unwrap();
    let in_the_way = folder.path().join("a.warc.gz.torn.open");
    fs::create_dir(&in_the_way).unwrap();
    let error = repair_open_file(&path).unwrap_err().to_string();
    assert!(error.starts_with(&in_the_way.display().to_string()), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    fs::remove_dir(&in_the_way).unwrap();
    assert!(repair_open_file(&path).unwrap().kept.is_some());
}

#[test]
fn a_tail_too_long_to_be_searched_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    const SEARCHED: usize = 64 * 1024;
    let long = stored(&vec![b'x'; 2 * SEARCHED]);
    for (before, first) in [(member(1), Some("urn:test:1")), (Vec::new(), None)] {
        let torn = &long[..long.len() - 100];
        fs::write(&path, [&before[..], torn].concat()).unwrap();
        let repaired = repair_retaining(&path, SEARCHED).unwrap();
        let found = repaired.file.as_deref().map(ids).unwrap_or_default();
        assert_eq!(found, first.into_iter().collect::<Vec<_>>());
        let kept = repaired.kept.unwrap();
        assert_eq!((kept.offset, kept.records), (before.len() as u64, 0));
        assert_eq!(fs::read(kept.file).unwrap(), torn);
        assert!(!path.exists());
    }
}

#[test]
fn a_torn_record_behind_a_short_one_leaves_none_of_its_archive_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    let plain = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").plain(&[b'x'; 500]);
    let short = super::super::pack_member(&[&plain[..plain.len() - 100]], 6);
    let inner: Vec<u8> = (10..15).flat_map(member).collect();
    let outer = stored(&inner);
    // Torn within the record, and before a byte of it can be decoded: what
    // is found then is found with the short record.
    let extra = u16::try_from(inner.len()).unwrap().to_le_bytes();
    let undecoded = [&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3], &extra[..], &inner].concat();
    for torn in [&outer[..outer.len() - 100], &undecoded] {
        fs::write(&path, [&short, torn].concat()).unwrap();
        let repaired = repair_open_file(&path).unwrap();
        assert_eq!((repaired.records, repaired.cut_bytes), (1, torn.len() as u64));
        let file = repaired.file.unwrap();
        assert_eq!(fs::read(&file).unwrap(), short);
        assert_eq!(fs::read(repaired.kept.unwrap().file).unwrap(), torn);
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_record_that_was_written_short_costs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    let plain = RecordBuilder::response("urn:test:2", DATE, "http://a.pt/").plain(&[b'x'; 500]);
    let short = super::super::pack_member(&[&plain[..plain.len() - 100]], 6);
    fs::write(&path, [member(1), short, member(3), member(4)].concat()).unwrap();
    let repaired = repair_open_file(&path).unwrap();
    assert_eq!((repaired.records, repaired.cut_bytes, repaired.kept), (4, 0, None));
    assert_eq!(ids(&repaired.file.unwrap()).len(), 4);
}

#[test]
fn a_wrong_length_in_a_plain_file_costs_no_other_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.open");
    let plain = |number: u32| {
        let record = RecordBuilder::response(&format!("urn:test:{number}"), DATE, "http://a.pt/");
        String::from_utf8(record.plain(b"HTTP/1.1 200 OK\r\n\r\nbody")).unwrap()
    };
    let last = plain(4);
    for digest in ["WARC-Block-Digest", "X-Block-Digest"] {
        let lie = plain(2).replace("Content-Length: 23", "Content-Length: 99").replace("WARC-Block-Digest", digest);
        assert!(lie.contains(digest) && lie.contains(": 99"));
        for kill in (1..last.len() - 4).step_by(9).chain([last.len() - 8]) {
            fs::write(&path, [&plain(1), &lie, &plain(3), &last[..kill]].concat()).unwrap();
            let repaired = repair_open_file(&path).unwrap();
            assert_eq!((repaired.records, repaired.cut_bytes, repaired.kept), (3, kill as u64, None), "{kill}");
            let file = repaired.file.unwrap();
            assert_eq!(ids(&file), ["urn:test:1", "urn:test:2", "urn:test:3"]);
            fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn records_that_a_wrong_length_in_a_plain_file_takes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.open");
    let plain = |number: u32| {
        let record = RecordBuilder::response(&format!("urn:test:{number}"), DATE, "http://a.pt/");
        String::from_utf8(record.plain(b"HTTP/1.1 200 OK\r\n\r\nbody")).unwrap()
    };
    let lie = plain(2).replace("Content-Length: 23", "Content-Length: 999999").replace("WARC-Block-Digest", "X-Block");
    let behind: String = (3..9).map(plain).collect();
    fs::write(&path, [plain(1), lie.clone(), behind.clone()].concat()).unwrap();
    let repaired = repair_open_file(&path).unwrap();
    let kept = repaired.kept.unwrap();
    assert_eq!((repaired.records, kept.offset), (1, plain(1).len() as u64));
    assert_eq!(fs::read_to_string(kept.file).unwrap(), lie + &behind);
    // One torn record and nothing else is kept nowhere.
    fs::write(folder.path().join("b.warc.open"), [&plain(1)[..], &plain(2)[..150]].concat()).unwrap();
    assert_eq!(repair_open_file(&folder.path().join("b.warc.open")).unwrap().kept, None);
}

#[test]
fn a_damaged_end_that_no_kill_leaves_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz.open");
    let mut last = member(2);
    let place = last.len() - 6;
    last[place] ^= 1;
    fs::write(&path, [member(1), last.clone()].concat()).unwrap();
    let repaired = repair_open_file(&path).unwrap();
    assert_eq!(ids(&repaired.file.unwrap()), ["urn:test:1"]);
    assert_eq!(fs::read(repaired.kept.unwrap().file).unwrap(), last);
}

#[test]
fn a_torn_end_is_cut_wherever_the_writer_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut set = WarcFileSet::new(FileSetOptions::new(folder.path(), "TEST"));
    let placed = set.append(&[&member(1), &member(2)]).unwrap();
    let closed = set.close().unwrap();
    let whole = fs::read(&closed[0]).unwrap();
    let start = placed[0].span.offset as usize;
    let end = start + placed[0].span.length as usize;
    for kill in 0..whole.len() {
        let open = folder.path().join("KILLED.warc.gz.open");
        let path = folder.path().join("KILLED.warc.gz");
        fs::write(&open, &whole[..kill]).unwrap();
        let repaired = repair_open_file(&open).unwrap();
        let sound = [0, start, end].into_iter().filter(|&sound| sound <= kill).max().unwrap();
        assert_eq!(repaired.cut_bytes as usize, kill - sound, "killed at {kill}");
        assert_eq!(repaired.kept, None, "killed at {kill}");
        assert!(!open.exists());
        if sound == 0 {
            assert_eq!(repaired.file, None);
        } else {
            assert_eq!(fs::read(&path).unwrap(), &whole[..sound]);
            fs::remove_file(&path).unwrap();
        }
        let torn = repaired
            .problems
            .iter()
            .any(|problem| problem.kind == ProblemKind::Truncated && problem.offset as usize == sound);
        assert_eq!(torn, kill > sound, "killed at {kill}: {:?}", repaired.problems);
    }
}
