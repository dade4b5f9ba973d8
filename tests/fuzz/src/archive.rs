//! Archive files: any bytes, read in every way there is.

use super::Dice;
use fonds::jobs::JobCx;
use fonds::warc::cdx::{IndexLine, IndexOptions, index_file};
use fonds::warc::{ArchiveReader, Problem, Record, RecordHead, Span, check_file, copy_span, read_record_at};
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// Bytes kept of a block: small files may decode to very much.
const MAX_BLOCK: usize = 64 * 1024;

/// Records that are read again by their place.
const PLACES: usize = 4;

/// WARC, plain or in any packing.
pub fn warc(data: &[u8]) {
    read_every_way(data);
}

/// ARC. The same promises; a target of its own keeps its corpus apart.
pub fn arc(data: &[u8]) {
    read_every_way(data);
}

/// The records and problems that came out of a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) records: Vec<Record>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) error: Option<String>,
    pub(crate) sound_len: u64,
}

/// Reads a file whole, in pieces, as a stream and by places; all must agree.
pub(crate) fn read_every_way(data: &[u8]) -> Found {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(data).unwrap();
    let found = read_whole(data, file.as_file());
    let pieces = read_whole(Pieces { bytes: data, dice: Dice::of(data) }, file.as_file());
    assert_eq!(pieces, found, "the input came in pieces");
    assert_eq!(read_streaming(data, file.as_file(), Dice::of(data)), found, "blocks were taken in pieces");
    check_spans(data, &found);
    check_places(data, file.path(), &found.records);
    found
}

/// A reader of a stream that knows the file it comes from.
fn reader<R: Read>(source: R, file: &File) -> ArchiveReader<R> {
    ArchiveReader::new(source, Path::new("fuzzed")).unwrap().backed_by(file, 0, file.metadata().unwrap().len())
}

fn read_whole(source: impl Read, file: &File) -> Found {
    let mut reader = reader(source, file);
    let mut records = Vec::new();
    let mut error = None;
    loop {
        match reader.next_record(MAX_BLOCK) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => break,
            Err(why) => {
                assert!(error.is_none(), "a second error: {why}");
                error = Some(why.to_string());
            }
        }
    }
    let problems = reader.take_problems();
    Found { records, problems, error, sound_len: reader.sound_len() }
}

/// Takes blocks in odd pieces, some only in part, and keeps what the plain way keeps.
fn read_streaming(data: &[u8], file: &File, mut dice: Dice) -> Found {
    let mut reader = reader(data, file);
    let mut records = Vec::new();
    let mut error = None;
    loop {
        let head: RecordHead = match reader.next_head() {
            Ok(Some(head)) => head,
            Ok(None) => break,
            Err(why) => {
                assert!(error.is_none(), "a second error: {why}");
                error = Some(why.to_string());
                continue;
            }
        };
        let mut block = Vec::new();
        let mut len = 0u64;
        loop {
            let piece = 1 + dice.below(3000);
            let used = if dice.below(2) == 0 {
                let mut out = vec![0; piece];
                let used = reader.read(&mut out).unwrap();
                block.extend_from_slice(&out[..used]);
                used
            } else {
                let chunk = reader.fill_buf().unwrap();
                let used = chunk.len().min(piece);
                block.extend_from_slice(&chunk[..used]);
                reader.consume(used);
                used
            };
            len += used as u64;
            if used == 0 || block.len() >= MAX_BLOCK {
                break;
            }
        }
        block.truncate(MAX_BLOCK);
        if let Some(span) = reader.finish_record().unwrap() {
            // What was not taken is known from the plain way alone, unless the
            // block is shorter than its head says.
            let omitted = if len > block.len() as u64 || block.len() == MAX_BLOCK {
                head.content_length.saturating_sub(block.len() as u64)
            } else {
                0
            };
            records.push(Record { head, block, omitted, span });
        }
    }
    let problems = reader.take_problems();
    Found { records, problems, error, sound_len: reader.sound_len() }
}

fn check_spans(data: &[u8], found: &Found) {
    let len = data.len() as u64;
    assert!(found.sound_len <= len, "sound up to {} of {len} bytes", found.sound_len);
    let mut end = 0;
    for record in &found.records {
        let Span { offset, length } = record.span;
        if !record.span.is_inside_member() {
            assert!(offset >= end && offset + length <= len, "{:?} after {end} of {len} bytes", record.span);
            end = offset + length;
        }
    }
    for problem in &found.problems {
        let is_inside = Span { offset: problem.offset, length: 0 }.is_inside_member();
        assert!(is_inside || problem.offset <= len, "{problem} of {len} bytes");
    }
}

/// Reads records again by their places, copies their bytes, indexes and checks the file.
fn check_places(data: &[u8], path: &Path, records: &[Record]) {
    if records.is_empty() {
        return;
    }
    let step = records.len().div_ceil(PLACES);
    for record in records.iter().step_by(step) {
        let again = read_record_at(path, record.span.offset, MAX_BLOCK).unwrap();
        assert_eq!(again.head.headers, record.head.headers);
        assert_eq!((&again.block, again.omitted), (&record.block, record.omitted));
        let mut copy = Vec::new();
        if !record.span.is_inside_member() {
            assert_eq!(again.span, record.span);
            copy_span(path, record.span, &mut copy).unwrap();
            assert_eq!(copy, data[record.span.offset as usize..][..record.span.length as usize]);
        }
    }
    let cx = JobCx::detached();
    let (report, _) = check_file(path, true, &cx).unwrap();
    assert_eq!(report.total(), records.len() as u64);
    for post_append in [false, true] {
        let (lines, _) = index_file(path, "fuzzed.warc", IndexOptions { post_append }, &cx).unwrap();
        for line in lines {
            super::index::check_forms(&line);
            let again = IndexLine::parse(&line.to_string()).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!((again.url, again.key, again.span), (line.url, line.key, line.span));
        }
    }
}

/// Gives its bytes in pieces of changing sizes.
struct Pieces<'a> {
    bytes: &'a [u8],
    dice: Dice,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = [1, 7, 300, 5000][self.dice.below(4)];
        let len = (1 + self.dice.below(most)).min(out.len()).min(self.bytes.len());
        out[..len].copy_from_slice(&self.bytes[..len]);
        self.bytes = &self.bytes[len..];
        Ok(len)
    }
}
