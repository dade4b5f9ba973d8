//! Reads single records by their places.

use super::super::{Problem, ProblemKind, Record, RecordHead, SharedMember, Span, WarcError};
use super::reader::ArchiveReader;
use super::zstd;
use crate::jobs::{CountedRead, JobCx, OnStop};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Opens the file itself, or its `.open` form while it is being written; returns the name that was opened.
///
/// The file may get its final name between the two attempts: then it is there now.
pub(super) fn open_present(path: &Path) -> io::Result<(File, PathBuf)> {
    open_as_named(path, || ())
}

/// As [`open_present`]; `between` is called after the first attempt.
fn open_as_named(path: &Path, between: impl FnOnce()) -> io::Result<(File, PathBuf)> {
    let mut open = OsString::from(path);
    open.push(super::super::OPEN_SUFFIX);
    let open = PathBuf::from(open);
    let open_if_present = |path: &Path| match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(|file| Some((file, path.to_owned()))),
    };
    if let Some(found) = open_if_present(path)? {
        return Ok(found);
    }
    between();
    match open_if_present(&open)? {
        Some(found) => Ok(found),
        None => File::open(path).map(|file| (file, path.to_owned())),
    }
}

/// [`open_present`] with the name in the error.
pub(super) fn open_named(path: &Path) -> Result<(File, PathBuf), WarcError> {
    open_present(path).map_err(|source| WarcError::Io { path: path.to_owned(), source })
}

/// Opens an archive file; while it is being written, its `.open` form is found too.
pub fn open_archive_file(path: &Path) -> io::Result<File> {
    open_present(path).map(|(file, _)| file)
}

/// Reads the record at `offset` (a [`Span::offset`]) with at most `max_block`
/// bytes of its block.
///
/// Where records share a compressed member, the file is read from its start.
pub fn read_record_at(path: &Path, offset: u64, max_block: usize) -> Result<Record, WarcError> {
    let mut reader = open_record_at(path, offset)?;
    match reader.next_record(max_block).or_else(nothing_behind(offset))? {
        Some(record) if is_at(&reader, offset) => Ok(record),
        _ => Err(no_record(&mut reader, path, offset)),
    }
}

/// Reads the record in `span`, which is known, with at most `max_block` bytes of its block, and its problems:
/// a block may be shorter than its head declares.
pub fn read_record_in(path: &Path, span: Span, max_block: usize) -> Result<(Record, Vec<Problem>), WarcError> {
    let mut reader = open_record_at(path, span.offset)?.ending_with(span);
    match reader.next_record(max_block).or_else(nothing_behind(span.offset))? {
        Some(record) if is_at(&reader, span.offset) => {
            let mut problems = reader.take_problems();
            // Those of records before it in its member, and of that, are not its own.
            problems.retain(|problem| problem.offset == span.offset && problem.kind != ProblemKind::NotPerRecord);
            Ok((record, problems))
        }
        _ => Err(no_record(&mut reader, path, span.offset)),
    }
}

/// The head of the record at `offset` (a [`Span::offset`]), and a reader at its block, which keeps the bytes
/// of heads.
///
/// # Errors
///
/// [`WarcError::NoRecord`] where none begins there: where there is damage, a
/// reader goes on with the next record, which is another one.
pub fn enter_record_at(path: &Path, offset: u64) -> Result<(RecordHead, ArchiveReader<File>), WarcError> {
    enter(open_record_at(path, offset)?, path, offset)
}

/// As [`enter_record_at`], for a record whose `span` is known: its block ends within that, whatever its head
/// declares.
pub fn enter_record_in(path: &Path, span: Span) -> Result<(RecordHead, ArchiveReader<File>), WarcError> {
    enter(open_at(path, span.offset, Some(span.length))?.ending_with(span), path, span.offset)
}

fn enter<R: Read>(
    mut reader: ArchiveReader<R>,
    path: &Path,
    offset: u64,
) -> Result<(RecordHead, ArchiveReader<R>), WarcError> {
    reader.keep_head_bytes();
    match reader.next_head().or_else(nothing_behind(offset))? {
        Some(head) if is_at(&reader, offset) => Ok((head, reader)),
        _ => Err(no_record(&mut reader, path, offset)),
    }
}

/// Enters a record with progress and cancellation: `cx` counts the bytes read of the file, and reading fails
/// once it is cancelled. A record that shares its compressed member is looked for from the beginning of
/// `member`, else of the file.
pub fn enter_record_cancellable<'c>(
    path: &Path,
    offset: u64,
    member: Option<SharedMember>,
    cx: &'c JobCx,
) -> Result<(RecordHead, ArchiveReader<CountedRead<'c, File>>), WarcError> {
    let (mut file, present) = open_named(path)?;
    let io = |source| WarcError::Io { path: present.clone(), source };
    let len = file.metadata().map_err(io)?.len();
    let place = Span { offset, length: 0 };
    let (from, member) = match (place.is_inside_member(), member) {
        (false, _) => (offset, None),
        (true, Some(member)) => (member.offset, Some(member)),
        (true, None) => (0, None),
    };
    let dictionary = if from == 0 { None } else { zstd::leading_dictionary(&mut file).map_err(io)? };
    file.seek(SeekFrom::Start(from)).map_err(io)?;
    let beside = file.try_clone().map_err(io)?;
    let reader = ArchiveReader::at(CountedRead::new(file, OnStop::Fail, cx), &present, from)?;
    let mut reader = reader.backed_by(&beside, 0, len).stopped_by(cx);
    if let Some(dictionary) = dictionary {
        // As in `open_record_at`.
        let _ = reader.use_dictionary(&dictionary);
    }
    let is_there = match (place.is_inside_member(), member) {
        (false, _) => true,
        (true, Some(member)) => reader.pass_to_decoded(member, place.decoded_offset())?,
        (true, None) => reader.skip_to_decoded(place.decoded_offset(), cx)?,
    };
    if !is_there {
        return Err(no_record_inside(path, offset));
    }
    enter(reader, path, offset)
}

/// Maps “no archive” to no record where reading began at an offset, since the offset may be wrong.
fn nothing_behind<T>(offset: u64) -> impl FnOnce(WarcError) -> Result<Option<T>, WarcError> {
    move |error| match error {
        WarcError::NotArchive { .. } if offset > 0 => Ok(None),
        other => Err(other),
    }
}

fn is_at<R: Read>(reader: &ArchiveReader<R>, offset: u64) -> bool {
    let place = Span { offset, length: 0 };
    match place.is_inside_member() {
        true => reader.decoded_record_offset() == place.decoded_offset(),
        false => reader.record_offset() == offset,
    }
}

fn no_record<R: Read>(reader: &mut ArchiveReader<R>, path: &Path, offset: u64) -> WarcError {
    let mut problems = reader.take_problems();
    // Neither a shared member nor a problem before the record is a reason.
    problems.retain(|problem| problem.kind != ProblemKind::NotPerRecord);
    use ProblemKind::{BadCompression, BadHead, Garbage, Truncated};
    let is_damage = |problem: &&Problem| matches!(problem.kind, Garbage | BadHead | Truncated | BadCompression);
    let here = problems.iter().find(|problem| problem.offset == offset);
    let why = here.or_else(|| problems.iter().rfind(is_damage)).and_then(|problem| match problem.kind {
        // The extent of the search for a record is no property of this place.
        Garbage => None,
        // The place is in the error already.
        kind if problem.offset == offset => Some(format!("{}: {}", kind.label(), problem.detail)),
        _ => Some(problem.to_string()),
    });
    WarcError::NoRecord {
        path: path.to_owned(),
        offset,
        why: why.unwrap_or_else(|| "no record begins here".to_owned()),
    }
}

/// A reader whose next record is the one at `offset` (a [`Span::offset`]).
pub fn open_record_at(path: &Path, offset: u64) -> Result<ArchiveReader<File>, WarcError> {
    open_at(path, offset, None)
}

/// As [`open_record_at`]; where `len` is known, no more is read first.
fn open_at(path: &Path, offset: u64, len: Option<u64>) -> Result<ArchiveReader<File>, WarcError> {
    if (Span { offset, length: 0 }).is_inside_member() {
        return seek_inside(path, offset);
    }
    let (mut file, present) = open_named(path)?;
    let io = |source| WarcError::Io { path: present.clone(), source };
    if !file.metadata().map_err(io)?.is_file() {
        return read_up_to(file, path, offset);
    }
    let dictionary = match offset {
        0 => None,
        _ => zstd::leading_dictionary(&mut file).map_err(io)?,
    };
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    let mut reader = match len {
        Some(length) => ArchiveReader::of_span(file, &present, Span { offset, length })?,
        None => ArchiveReader::of_file(file, &present, offset)?,
    };
    if let Some(dictionary) = dictionary {
        // One that cannot be read is passed over, as it is when the file is
        // read from its start: a record that needs it says so.
        let _ = reader.use_dictionary(&dictionary);
    }
    Ok(reader)
}

/// Reads a pipe up to the record at `offset`.
fn read_up_to(file: File, path: &Path, offset: u64) -> Result<ArchiveReader<File>, WarcError> {
    let mut reader = ArchiveReader::of_file(file, path, 0)?;
    reader.keep_head_bytes();
    match reader.skip_to(offset)? {
        true => Ok(reader),
        false => Err(WarcError::NoRecord { path: path.to_owned(), offset, why: "no record begins here".to_owned() }),
    }
}

/// Reads records of files by their places. Where the places of a file rise,
/// records that share a member are read in one pass.
#[derive(Default)]
pub struct PlaceReader {
    /// A file, and a reader in it behind the head of a record that shares its member.
    inside: Option<(PathBuf, ArchiveReader<File>)>,
    /// Reader of a record with a place of its own.
    alone: Option<ArchiveReader<File>>,
}

impl PlaceReader {
    /// As [`read_record_at`]; fails once `cx` is cancelled.
    pub fn read(&mut self, path: &Path, offset: u64, max_block: usize, cx: &JobCx) -> Result<Record, WarcError> {
        let reader = self.go_to(path, offset, cx)?;
        match reader.next_record(max_block).or_else(nothing_behind(offset))? {
            Some(record) if is_at(reader, offset) => Ok(record),
            _ => Err(no_record(reader, path, offset)),
        }
    }

    /// As [`enter_record_in`], with a block to read; fails once `cx` is cancelled.
    pub fn enter(
        &mut self,
        path: &Path,
        span: Span,
        cx: &JobCx,
    ) -> Result<(RecordHead, impl BufRead + use<'_>), WarcError> {
        let offset = span.offset;
        self.go_to(path, offset, cx)?;
        self.alone = self.alone.take().map(|reader| reader.ending_with(span));
        let reader = match (&mut self.alone, &mut self.inside) {
            (Some(alone), _) => alone,
            (None, Some((_, inside))) => inside,
            (None, None) => return Err(no_record_inside(path, offset)),
        };
        match reader.next_head().or_else(nothing_behind(offset))? {
            Some(head) if is_at(reader, offset) => Ok((head, reader)),
            _ => Err(no_record(reader, path, offset)),
        }
    }

    /// A reader whose next record is the one at this place.
    fn go_to(&mut self, path: &Path, offset: u64, cx: &JobCx) -> Result<&mut ArchiveReader<File>, WarcError> {
        self.alone = None;
        let place = Span { offset, length: 0 };
        if !place.is_inside_member() {
            return Ok(self.alone.insert(open_record_at(path, offset)?));
        }
        let place = place.decoded_offset();
        let before = self.inside.take();
        let before = before.filter(|(file, reader)| file == path && reader.decoded_record_offset() < place);
        let mut reader = match before {
            Some((_, reader)) => reader,
            None => ArchiveReader::open(path)?,
        };
        if !reader.skip_to_decoded(place, cx)? {
            return Err(no_record(&mut reader, path, offset));
        }
        Ok(&mut self.inside.insert((path.to_owned(), reader)).1)
    }
}

/// Bytes of the frame with the dictionary that a zstd file begins with.
pub fn leading_dictionary_frame(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = open_archive_file(path)?;
    let Some(dictionary) = zstd::leading_dictionary(&mut file)? else { return Ok(None) };
    file.seek(SeekFrom::Start(0))?;
    let mut frame = vec![0; dictionary.len() + 8];
    file.read_exact(&mut frame)?;
    Ok(Some(frame))
}

/// Reads a file from its start up to a record that shares its member.
fn seek_inside(path: &Path, offset: u64) -> Result<ArchiveReader<File>, WarcError> {
    let mut reader = ArchiveReader::open(path)?;
    // The head is read here, before a caller can ask for its bytes.
    reader.keep_head_bytes();
    let place = Span { offset, length: 0 }.decoded_offset();
    match reader.skip_to_decoded(place, &JobCx::detached())? {
        true => Ok(reader),
        false => Err(no_record(&mut reader, path, offset)),
    }
}

fn no_record_inside(path: &Path, offset: u64) -> WarcError {
    let why = "no record begins here in the decompressed file".to_owned();
    WarcError::NoRecord { path: path.to_owned(), offset, why }
}

/// Copies the bytes of a record (its compressed member as it is) to `out`.
///
/// # Errors
///
/// [`WarcError::NoRecord`] when the record shares its member with others or
/// the file ends before the span does.
pub fn copy_span(path: &Path, span: Span, out: &mut dyn Write) -> Result<u64, WarcError> {
    let no_record = |why: &str| WarcError::NoRecord { path: path.to_owned(), offset: span.offset, why: why.to_owned() };
    if span.is_inside_member() {
        return Err(no_record("the record shares its compressed member with others"));
    }
    let (mut file, present) = open_named(path)?;
    let io = |source| WarcError::Io { path: present.clone(), source };
    if !file.metadata().map_err(io)?.is_file() {
        return Err(no_record("what was read of a pipe cannot be read again: save it as a file first"));
    }
    file.seek(SeekFrom::Start(span.offset)).map_err(io)?;
    let copied = io::copy(&mut file.take(span.length), out).map_err(io)?;
    if copied < span.length {
        return Err(no_record("the file ends inside the record"));
    }
    Ok(copied)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_found_while_it_gets_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (open, path) = (folder.path().join("a.warc.gz.open"), folder.path().join("a.warc.gz"));
        fs::write(&open, b"x").unwrap();
        assert_eq!(open_present(&path).unwrap().1, open);
        let (_, found) = open_as_named(&path, || fs::rename(&open, &path).unwrap()).unwrap();
        assert_eq!(found, path);
        assert_eq!(open_present(&open.join("x")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    fn record(n: usize) -> String {
        let len = n.to_string().len();
        format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.pt/{n}\r\nContent-Length: {len}\r\n\r\n{n}\r\n\r\n"
        )
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    /// Offset of each record, and the member that it begins in.
    fn places(path: &Path) -> Vec<(u64, Option<SharedMember>)> {
        let mut all = ArchiveReader::open(path).unwrap();
        let mut places = Vec::new();
        while let Some(record) = all.next_record(100).unwrap() {
            places.push((record.span.offset, all.member_of_record()));
        }
        places
    }

    #[test]
    #[cfg(unix)]
    fn places_that_rise_are_read_in_one_pass() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        fs::write(&path, gzip((0..4).map(record).collect::<String>().as_bytes())).unwrap();
        let places = places(&path);
        let (mut reader, cx) = (PlaceReader::default(), JobCx::detached());
        let mut read = |at: usize| {
            let record = reader.read(&path, places[at].0, 1000, &cx);
            record.map(|record| record.head.target_uri().unwrap())
        };
        assert_eq!(read(2).unwrap(), "http://a.pt/2");
        assert_eq!(read(1).unwrap(), "http://a.pt/1");
        // What is not opened again can be gone.
        fs::remove_file(&path).unwrap();
        assert_eq!(read(3).unwrap(), "http://a.pt/3");
        assert!(read(1).is_err());
    }

    #[test]
    fn records_with_and_without_a_place_of_their_own_are_read_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let shared: String = (4..8).map(record).collect();
        let members = (0..4).map(|n| gzip(record(n).as_bytes())).chain([gzip(shared.as_bytes())]);
        fs::write(&path, members.collect::<Vec<_>>().concat()).unwrap();
        let places = places(&path);
        assert_eq!(places.len(), 8);
        let (mut reader, cx) = (PlaceReader::default(), JobCx::detached());
        for at in [2, 5, 1, 7, 3, 6, 0, 4, 3, 5] {
            let (span, url) = (Span { offset: places[at].0, length: 999 }, format!("http://a.pt/{at}"));
            let (head, mut block) = reader.enter(&path, span, &cx).unwrap();
            assert_eq!(head.target_uri().unwrap(), url);
            let mut text = String::new();
            block.read_to_string(&mut text).unwrap();
            assert_eq!(text, at.to_string());
        }
        let mut read = |at: usize| reader.read(&path, places[at].0, 9, &cx).unwrap().block;
        for at in [1, 4, 2, 6] {
            assert_eq!(read(at), at.to_string().as_bytes());
        }
    }

    #[test]
    fn what_is_wrong_before_a_record_is_no_problem_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        // More problems than a reader holds.
        let odd = |n: usize| record(n).replace("\r\n", "\n");
        let short = record(20_000).replace("Content-Length: 5", "Content-Length: 50");
        let all = gzip([(0..11_000).map(odd).collect::<String>(), short].concat().as_bytes());
        fs::write(&path, &all).unwrap();
        let last = places(&path).pop().unwrap().0;
        let (_, problems) = read_record_in(&path, Span { offset: last, length: 999 }, 9).unwrap();
        assert!(problems.iter().any(|problem| problem.kind == ProblemKind::Truncated), "{problems:?}");
        // Cut off since, the reason is that.
        fs::write(&path, &all[..all.len() / 2]).unwrap();
        for error in [
            read_record_at(&path, last, 9).unwrap_err(),
            PlaceReader::default().read(&path, last, 9, &JobCx::detached()).unwrap_err(),
        ] {
            let message = error.to_string();
            assert!(!message.contains("share") && message.contains("truncated"), "{message}");
        }
    }

    #[test]
    fn entering_a_record_begins_at_its_member() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let all: Vec<u8> = (0..9).flat_map(|n| record(n).into_bytes()).collect();
        let len = all.len() / 9;
        let cx = JobCx::detached();
        // Members of several records; and such that cut records in two.
        for (chunk, first_kept) in [(3 * len, 3), (2 * len + len / 2, 3)] {
            let members: Vec<Vec<u8>> = all.chunks(chunk).map(gzip).collect();
            fs::write(&path, members.concat()).unwrap();
            let places = places(&path);
            assert_eq!(places.len(), 9);
            for (at, (offset, member)) in places.iter().enumerate() {
                for member in [*member, None] {
                    let (head, _) = enter_record_cancellable(&path, *offset, member, &cx).unwrap();
                    assert_eq!(head.target_uri().unwrap(), format!("http://a.pt/{at}"), "{chunk} {member:?}");
                }
            }
            // Bytes before the member are not read.
            let mut bytes = members.concat();
            bytes[4..members[0].len()].fill(b'x');
            fs::write(&path, bytes).unwrap();
            for (at, (offset, member)) in places.iter().enumerate().skip(first_kept) {
                let (head, _) = enter_record_cancellable(&path, *offset, *member, &cx).unwrap();
                assert_eq!(head.target_uri().unwrap(), format!("http://a.pt/{at}"));
            }
        }
        cx.cancel();
        assert!(enter_record_cancellable(&path, 0, None, &cx).is_err());
    }
}
