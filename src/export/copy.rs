//! One record out of its file, as it is or wrapped anew.

use super::{ExportError, ExportRecord, no_temporary};
use crate::uri::CaptureDate;
use crate::warc::http::parse_response_head;
use crate::warc::{
    BlockDigester, Problem, ProblemKind, RecordBuilder, RecordHead, RecordType, WarcError, enter_record_in,
    offset_words, same_url,
};
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

/// A record in memory until it is larger than this; then in a temporary file.
const SPOOL_BYTES: usize = 8 * 1024 * 1024;

/// A record ready to be appended.
pub(super) struct Carried {
    /// Its member.
    pub member: tempfile::SpooledTempFile,
    /// Its id in the export.
    pub record_id: String,
    /// Whether its bytes are those of the source.
    pub as_is: bool,
}

/// Why a record does not come along.
pub(super) enum CopyError {
    /// This record is missing or damaged; others may be well.
    Record(String),
    /// The export cannot go on.
    Export(ExportError),
}

/// Takes a record out of its file. Its place is looked at first: the catalogue
/// may be older than the file.
pub(super) fn carry(record: &ExportRecord, url: &str, new_id: impl FnOnce() -> String) -> Result<Carried, CopyError> {
    if let Some(why) = &record.lost {
        return Err(CopyError::Record(why.clone()));
    }
    let (head, mut reader) = enter_record_in(&record.file, record.span).map_err(of_source)?;
    let place = || format!("{}, offset {}", record.file.display(), offset_words(record.span.offset));
    let is_it = match record.record_id.as_str() {
        "" => head.target_uri().is_none_or(|uri| same_url(&uri, url)),
        id => head.record_id().as_deref() == Some(id),
    };
    if !is_it {
        return Err(CopyError::Record(format!(
            "{}: another record stands here than the catalogue says; import the file again",
            place()
        )));
    }
    if !head.is_arc() && is_gzip_member(record).map_err(spool_failed)? {
        let mut member = tempfile::SpooledTempFile::new(SPOOL_BYTES);
        match crate::warc::copy_span(&record.file, record.span, &mut member) {
            Ok(_) => {}
            Err(error @ WarcError::NoRecord { .. }) => return Err(CopyError::Record(error.to_string())),
            Err(error) => return Err(of_source(error)),
        }
        // The member is read to its end: a damaged record is not passed on.
        end_whole(&mut reader, &place())?;
        member.seek(SeekFrom::Start(0)).map_err(spool_failed)?;
        let record_id = head.record_id().unwrap_or_default();
        return Ok(Carried { member, record_id, as_is: true });
    }
    rewrap(&mut reader, &head, new_id, &place())
}

/// The record under a WARC head, its block unchanged.
fn rewrap(
    reader: &mut crate::warc::ArchiveReader<File>,
    head: &RecordHead,
    new_id: impl FnOnce() -> String,
    place: &str,
) -> Result<Carried, CopyError> {
    let mut block = tempfile::SpooledTempFile::new(SPOOL_BYTES);
    let mut digester = BlockDigester::new(head.is_http());
    let mut block_len = 0;
    let mut begin = Vec::new();
    loop {
        let chunk = reader.fill_buf().map_err(spool_failed)?;
        if chunk.is_empty() {
            break;
        }
        if begin.len() < 5 {
            begin.extend_from_slice(&chunk[..chunk.len().min(5)]);
        }
        digester.update(chunk);
        block.write_all(chunk).map_err(spool_failed)?;
        let len = chunk.len();
        block_len += len as u64;
        reader.consume(len);
    }
    end_whole(reader, place)?;
    let record_id = head.record_id().unwrap_or_else(new_id);
    let builder = if head.is_arc() {
        from_arc(head, &record_id, &begin).digests(&digester.finish())
    } else {
        RecordBuilder::with_headers(head)
    };
    block.seek(SeekFrom::Start(0)).map_err(spool_failed)?;
    let mut member = tempfile::SpooledTempFile::new(SPOOL_BYTES);
    builder.compress_from(block, block_len, &mut member).map_err(spool_failed)?;
    member.seek(SeekFrom::Start(0)).map_err(spool_failed)?;
    Ok(Carried { member, record_id, as_is: false })
}

/// A WARC head for an ARC record. What is called HTTP in the URL line and is
/// none (`begin` says) becomes a resource: readers look for a status line.
fn from_arc(head: &RecordHead, record_id: &str, begin: &[u8]) -> RecordBuilder {
    let no_http = head.is_http() && parse_response_head(begin).is_none();
    let record_type = if no_http { RecordType::Resource } else { head.record_type.clone() };
    let date = head.date().unwrap_or(CaptureDate::from_millis(0));
    let mut builder = RecordBuilder::new(&record_type, record_id, date);
    let mime = head.headers.get("ARC-Content-Type");
    for (name, value) in head.headers.iter() {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("WARC-Type") || is("WARC-Date") || is("Content-Length") || (no_http && is("ARC-Content-Type")) {
            continue;
        }
        let value = String::from_utf8_lossy(value);
        match (&mime, no_http && is("Content-Type")) {
            (Some(mime), true) => builder = builder.field(name, mime),
            _ => builder = builder.field(name, &value),
        }
    }
    builder
}

/// Whether the record is a gzip member of its own.
fn is_gzip_member(record: &ExportRecord) -> io::Result<bool> {
    if record.span.is_inside_member() {
        return Ok(false);
    }
    let mut magic = [0; 2];
    let mut file = crate::warc::open_archive_file(&record.file)?;
    file.seek(SeekFrom::Start(record.span.offset))?;
    Ok(file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b])
}

/// Ends the record in hand, all of which has to be there.
fn end_whole(reader: &mut crate::warc::ArchiveReader<File>, place: &str) -> Result<(), CopyError> {
    let ended = reader.finish_record().map_err(of_source)?;
    let problems = reader.take_problems();
    let is_short = |problem: &Problem| {
        problem.kind == ProblemKind::Truncated && ended.is_some_and(|span| span.offset == problem.offset)
    };
    if ended.is_none() || problems.iter().any(is_short) {
        return Err(damaged(place, &problems));
    }
    Ok(())
}

/// What comes last says why a record ended early; before it may stand what is
/// odd about its head.
fn damaged(place: &str, problems: &[Problem]) -> CopyError {
    let is_damage = |problem: &&Problem| {
        matches!(problem.kind, ProblemKind::Truncated | ProblemKind::BadCompression | ProblemKind::Garbage)
    };
    let why = problems
        .iter()
        .rev()
        .find(is_damage)
        .or(problems.last())
        .map_or_else(|| "it is cut off or damaged".to_owned(), ToString::to_string);
    CopyError::Record(format!("{place}: the record cannot be read whole: {why}"))
}

/// A source that cannot be read concerns its records only.
fn of_source(error: WarcError) -> CopyError {
    CopyError::Record(error.to_string())
}

fn spool_failed(source: io::Error) -> CopyError {
    CopyError::Export(no_temporary(source))
}
