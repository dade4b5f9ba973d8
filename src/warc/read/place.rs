//! Random access: one record by its place.

use super::super::{Problem, ProblemKind, Record, RecordHead, Span, WarcError};
use super::reader::ArchiveReader;
use super::zstd;
use crate::jobs::JobCx;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Opens the file itself, or its `.open` form while it is being written, and
/// tells by which name.
///
/// The file may get its final name between the two looks: then it is there now.
pub(super) fn open_present(path: &Path) -> io::Result<(File, PathBuf)> {
    open_as_named(path, || ())
}

/// As [`open_present`]; `between` is called after the first look.
fn open_as_named(path: &Path, between: impl FnOnce()) -> io::Result<(File, PathBuf)> {
    let mut open = OsString::from(path);
    open.push(super::super::OPEN_SUFFIX);
    let open = PathBuf::from(open);
    let look = |path: &Path| match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(|file| Some((file, path.to_owned()))),
    };
    if let Some(found) = look(path)? {
        return Ok(found);
    }
    between();
    match look(&open)? {
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
        Some(record) if stands_at(&reader, offset) => Ok(record),
        _ => Err(no_record(&mut reader, path, offset)),
    }
}

/// Reads the record that is known to stand in `span` with at most `max_block`
/// bytes of its block, and tells what is wrong with it: a block may be shorter
/// than its head declares.
pub fn read_record_in(path: &Path, span: Span, max_block: usize) -> Result<(Record, Vec<Problem>), WarcError> {
    let mut reader = open_record_at(path, span.offset)?.ending_with(span);
    match reader.next_record(max_block).or_else(nothing_behind(span.offset))? {
        Some(record) if stands_at(&reader, span.offset) => {
            let mut problems = reader.take_problems();
            // Those of records before it in its member, and of that, are not its own.
            problems.retain(|problem| problem.offset == span.offset && problem.kind != ProblemKind::NotPerRecord);
            Ok((record, problems))
        }
        _ => Err(no_record(&mut reader, path, span.offset)),
    }
}

/// The head of the record at `offset` (a [`Span::offset`]), and a reader that
/// stands at its block and keeps the bytes of heads.
///
/// # Errors
///
/// [`WarcError::NoRecord`] where none begins there: where there is damage, a
/// reader goes on with the next record, which is another one.
pub fn enter_record_at(path: &Path, offset: u64) -> Result<(RecordHead, ArchiveReader<File>), WarcError> {
    enter(open_record_at(path, offset)?, path, offset)
}

/// As [`enter_record_at`], of the record that is known to stand in `span`: its
/// block ends within that, whatever its head declares.
pub fn enter_record_in(path: &Path, span: Span) -> Result<(RecordHead, ArchiveReader<File>), WarcError> {
    enter(open_record_at(path, span.offset)?.ending_with(span), path, span.offset)
}

fn enter(
    mut reader: ArchiveReader<File>,
    path: &Path,
    offset: u64,
) -> Result<(RecordHead, ArchiveReader<File>), WarcError> {
    reader.keep_head_bytes();
    match reader.next_head().or_else(nothing_behind(offset))? {
        Some(head) if stands_at(&reader, offset) => Ok((head, reader)),
        _ => Err(no_record(&mut reader, path, offset)),
    }
}

/// Enters records of one file again, in the order in which they stand. Where
/// they share a compressed member, it is decoded once for all of them.
pub struct Reentry {
    path: PathBuf,
    /// Stands in a record that shares its member.
    inside: Option<ArchiveReader<File>>,
}

impl Reentry {
    /// For the file at `path`.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), inside: None }
    }

    /// As [`enter_record_at`], with a block to read.
    pub fn enter(&mut self, span: Span) -> Result<(RecordHead, impl BufRead), WarcError> {
        let place = span.decoded_offset();
        let ahead = self.inside.take().filter(|at| span.is_inside_member() && at.decoded_record_offset() < place);
        let (head, reader) = match ahead {
            Some(mut reader) => match reader.skip_to_decoded(place, &JobCx::detached())? {
                true => enter(reader, &self.path, span.offset)?,
                false => return Err(no_record(&mut reader, &self.path, span.offset)),
            },
            None => enter_record_at(&self.path, span.offset)?,
        };
        Ok((head, self.inside.insert(reader)))
    }
}

/// What is no archive from a wrong offset on may be one all the same.
fn nothing_behind<T>(offset: u64) -> impl FnOnce(WarcError) -> Result<Option<T>, WarcError> {
    move |error| match error {
        WarcError::NotArchive { .. } if offset > 0 => Ok(None),
        other => Err(other),
    }
}

fn stands_at(reader: &ArchiveReader<File>, offset: u64) -> bool {
    let place = Span { offset, length: 0 };
    match place.is_inside_member() {
        true => reader.decoded_record_offset() == place.decoded_offset(),
        false => reader.record_offset() == offset,
    }
}

fn no_record(reader: &mut ArchiveReader<File>, path: &Path, offset: u64) -> WarcError {
    let why = reader.take_problems().first().map(|problem| problem.to_string());
    let why = why.unwrap_or_else(|| "no record begins here".to_owned());
    WarcError::NoRecord { path: path.to_owned(), offset, why }
}

/// A reader whose next record is the one at `offset` (a [`Span::offset`]).
pub fn open_record_at(path: &Path, offset: u64) -> Result<ArchiveReader<File>, WarcError> {
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
    let mut reader = ArchiveReader::of_file(file, &present, offset)?;
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
/// records that share its members are read in one pass.
#[derive(Default)]
pub struct PlaceReader {
    /// A file, and a reader behind the last record of it that shared its member.
    behind: Option<(PathBuf, ArchiveReader<File>)>,
}

impl PlaceReader {
    /// As [`read_record_at`]; `cx` is asked whether to stop, which is an error.
    pub fn read(&mut self, path: &Path, offset: u64, max_block: usize, cx: &JobCx) -> Result<Record, WarcError> {
        let place = Span { offset, length: 0 };
        if !place.is_inside_member() {
            return read_record_at(path, offset, max_block);
        }
        let place = place.decoded_offset();
        let behind = self.behind.take();
        let mut reader = match behind.filter(|(file, reader)| file == path && reader.decoded_record_offset() < place) {
            Some((_, reader)) => reader,
            None => ArchiveReader::open(path)?,
        };
        if !reader.skip_to_decoded(place, cx)? {
            return Err(no_record_inside(path, offset));
        }
        match reader.next_record(max_block)? {
            Some(record) if stands_at(&reader, offset) => {
                self.behind = Some((path.to_owned(), reader));
                Ok(record)
            }
            _ => Err(no_record(&mut reader, path, offset)),
        }
    }
}

/// The frame with the dictionary that a zstd file begins with, as it stands.
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
        false => Err(no_record_inside(path, offset)),
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

    #[test]
    #[cfg(unix)]
    fn places_that_rise_are_read_in_one_pass() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let record = |n| {
            format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.pt/{n}\r\nContent-Length: 1\r\n\r\n{n}\r\n\r\n"
            )
        };
        let records: String = (0..4).map(record).collect();
        let mut gzip = flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
        gzip.write_all(records.as_bytes()).unwrap();
        gzip.finish().unwrap();
        let mut places = Vec::new();
        let mut all = ArchiveReader::open(&path).unwrap();
        while let Some(record) = all.next_record(100).unwrap() {
            places.push(record.span.offset);
        }
        let (mut reader, cx) = (PlaceReader::default(), JobCx::detached());
        let mut read = |at: usize| {
            let record = reader.read(&path, places[at], 1000, &cx);
            record.map(|record| record.head.target_uri().unwrap())
        };
        assert_eq!(read(2).unwrap(), "http://a.pt/2");
        assert_eq!(read(1).unwrap(), "http://a.pt/1");
        // What is not opened again can be gone.
        fs::remove_file(&path).unwrap();
        assert_eq!(read(3).unwrap(), "http://a.pt/3");
        assert!(read(1).is_err());
    }
}
