//! Files whose writer was killed.

use super::super::read::{ArchiveReader, Compression, RETAIN};
use super::super::{OPEN_SUFFIX, Problem, ProblemKind, WarcError};
use super::new_file::NewFile;
use super::rename::{have_equal_bytes, rename_new};
use crate::jobs::open_own;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What the name of a tail ends in that was cut off and kept.
const TORN_SUFFIX: &str = ".torn";

/// Names that are tried for a tail; more than this is no accident.
const MAX_TAILS: u32 = 1000;

/// What became of a file whose writer was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Its final name; none when it held no whole record and was removed.
    pub file: Option<PathBuf>,
    /// Whole records in it.
    pub records: u64,
    /// Bytes that were cut off its end.
    pub cut_bytes: u64,
    /// Where they are kept; none where they are a torn record and nothing else,
    /// and few enough that this is certain (in a plain file: no other record
    /// seems to begin in them).
    pub kept: Option<KeptTail>,
    /// What the reader found.
    pub problems: Vec<Problem>,
}

/// The end of a file that was cut off and kept beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTail {
    /// The file it is kept in: `NAME.torn`, or `NAME.torn-2` and so on where
    /// that exists.
    pub file: PathBuf,
    /// Offset in the old file at which it began.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whole records that seem to stand in it.
    pub records: u64,
}

impl std::fmt::Display for KeptTail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, offset, bytes, records } = self;
        let file = file.display();
        write!(f, "a record at offset {offset} is damaged")?;
        match records {
            0 => {}
            1 => write!(f, ", 1 whole record seems to stand behind it")?,
            count => write!(f, ", {count} whole records seem to stand behind it")?,
        }
        write!(f, ": ")?;
        write!(f, "the {bytes} bytes from there on are kept in {file}; look at it with `fonds warc check`")
    }
}

/// Cuts a torn record off a `.open` file and gives the file its final name.
///
/// The end of a killed writer is one record that breaks off. Where more than
/// that is cut off (records behind a damaged one, which may also be those of an
/// archive inside it; damage that no kill does), or so much that not all of it
/// was searched for records, the tail is kept in a file beside it.
///
/// # Errors
///
/// When the file cannot be read or written, does not end in `.open`, is no
/// archive file, or holds no whole record but other damage than a torn end;
/// it is left as it is then.
pub fn repair_open_file(open_path: &Path) -> Result<Repaired, WarcError> {
    repair_retaining(open_path, RETAIN)
}

/// As [`repair_open_file`]; of a longer tail, only so many bytes are searched
/// for records.
fn repair_retaining(open_path: &Path, retain: usize) -> Result<Repaired, WarcError> {
    let io = |source| WarcError::Io { path: open_path.to_owned(), source };
    let name = open_path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(name) = name.strip_suffix(OPEN_SUFFIX) else {
        return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "the name does not end in .open")));
    };
    let path = open_path.with_file_name(name);
    let mut file = open_own(open_path, File::options().read(true).write(true)).map_err(io)?;
    let mut reader = ArchiveReader::open(open_path)?.retaining(retain);
    let (mut records, mut behind) = (0, 0);
    let mut problems: Vec<Problem> = Vec::new();
    let mut sound_len = 0;
    // Where members broke off, from the end of the last whole record on.
    let mut torn: Vec<u64> = Vec::new();
    while let Some(record) = reader.next_record(0)? {
        let mut fresh = reader.take_problems();
        // What the reader finds within a torn record (an archive that was
        // being captured) is no record of this file.
        let fresh_torn = fresh.iter().filter(|problem| problem.kind == ProblemKind::Truncated);
        torn.extend(fresh_torn.map(|problem| problem.offset).filter(|&offset| offset >= sound_len));
        if behind > 0 || torn.iter().any(|&offset| offset < record.span.decoded_offset()) {
            behind += 1;
        } else {
            records += 1;
            sound_len = reader.sound_len();
            // A record that was written short is whole as far as it goes; the
            // member behind it, which was looked into with it, may be torn.
            torn.retain(|&offset| offset >= sound_len);
        }
        problems.append(&mut fresh);
    }
    problems.append(&mut reader.take_problems());
    let is_plain = reader.compression() == Compression::Plain;
    drop(reader);
    let len = file.metadata().map_err(io)?.len();
    let is_other = |problem: &&Problem| problem.kind != ProblemKind::Truncated || behind > 0;
    if records == 0 {
        // Records behind the damage may be all there is of a crawl.
        if let Some(other) = problems.iter().find(is_other) {
            let why = format!("no whole record ({other}); look at it by hand");
            return Err(WarcError::NoRecord { path: open_path.to_owned(), offset: 0, why });
        }
    }
    let mut of_tail = problems.iter().filter(|problem| problem.offset >= sound_len);
    let mut is_searched = len - sound_len <= retain as u64;
    if is_plain && is_searched && sound_len < len {
        // Nobody looked into a torn plain record: a wrong length may have taken
        // whole ones for its block.
        is_searched = !holds_record(&mut file, sound_len, retain).map_err(io)?;
    }
    let kept = match sound_len < len && (!is_searched || of_tail.any(|problem| is_other(&problem))) {
        true => Some(keep_tail(&mut file, open_path, &path, sound_len, behind)?),
        false => None,
    };
    if records == 0 {
        drop(file);
        fs::remove_file(open_path).map_err(io)?;
        return Ok(Repaired { file: None, records, cut_bytes: len, kept, problems });
    }
    file.set_len(sound_len).map_err(io)?;
    file.sync_all().map_err(io)?;
    drop(file);
    rename_new(open_path, &path).map_err(|source| WarcError::Io { path: path.clone(), source })?;
    Ok(Repaired { file: Some(path), records, cut_bytes: len - sound_len, kept, problems })
}

/// Whether a record seems to begin in the `len` bytes behind this offset of a
/// plain file.
fn holds_record(file: &mut File, offset: u64, len: usize) -> io::Result<bool> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(len as u64).read_to_end(&mut tail)?;
    Ok(memchr::memmem::find(&tail, b"\nWARC/").is_some())
}

/// Copies what `file`, which stands at `open_path`, holds from `offset` on into
/// a new file beside `path`; one that holds just this already, as a call that
/// was killed leaves it, is taken for it.
fn keep_tail(file: &mut File, open_path: &Path, path: &Path, offset: u64, records: u64) -> Result<KeptTail, WarcError> {
    let of = |path: &Path| {
        let path = path.to_owned();
        move |source| WarcError::Io { path, source }
    };
    let bytes = file.metadata().map_err(of(open_path))?.len().saturating_sub(offset);
    let mut number = 1;
    let (mut out, goal) = loop {
        let mut goal = path.as_os_str().to_owned();
        goal.push(TORN_SUFFIX);
        if number > 1 {
            goal.push(format!("-{number}"));
        }
        let goal = PathBuf::from(goal);
        let present = fs::symlink_metadata(&goal);
        if present.as_ref().is_ok_and(|present| present.file_type().is_file() && present.len() == bytes) {
            file.seek(SeekFrom::Start(offset)).map_err(of(open_path))?;
            if have_equal_bytes(&mut *file, File::open(&goal).map_err(of(&goal))?).map_err(of(&goal))? {
                return Ok(KeptTail { file: goal, offset, bytes, records });
            }
        }
        if present.is_ok() && number < MAX_TAILS {
            number += 1;
            continue;
        }
        // Left by a call that was killed: what it holds is a part of this tail.
        let mut stale = goal.as_os_str().to_owned();
        stale.push(OPEN_SUFFIX);
        match fs::remove_file(&stale) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(of(Path::new(&stale))(error)),
            _ => break (NewFile::create(&goal)?, goal),
        }
    };
    file.seek(SeekFrom::Start(offset)).map_err(of(open_path))?;
    let mut buffer = vec![0; 1 << 18];
    let mut copied = 0;
    loop {
        let read = file.read(&mut buffer).map_err(of(open_path))?;
        if read == 0 {
            break;
        }
        out.write_all(&buffer[..read]).map_err(of(&goal))?;
        copied += read as u64;
    }
    out.finish()?;
    Ok(KeptTail { file: goal, offset, bytes: copied, records })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
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

    /// One record of stored bytes, so that those of an archive in it can be seen.
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
        // Nobody can tell them from records behind a damaged one.
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
        // A call that was killed leaves what it wrote; it does not stand in the way.
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
            assert!(kept.to_string().contains("2 whole records seem to stand behind it"), "{kept}");
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
        let short = super::super::pack_member(&[&plain[..plain.len() - 100]]);
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
        let short = super::super::pack_member(&[&plain[..plain.len() - 100]]);
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
        let lie =
            plain(2).replace("Content-Length: 23", "Content-Length: 999999").replace("WARC-Block-Digest", "X-Block");
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
}
