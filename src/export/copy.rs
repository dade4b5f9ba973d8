//! One record out of its file, as it is or under another head.

use super::{ExportError, ExportRecord, no_temporary};
use crate::jobs::counted;
use crate::uri::CaptureDate;
use crate::warc::http::parse_response_head;
use crate::warc::{
    ArchiveReader, BLOCK_DIGEST, BlockDigester, Digests, PAYLOAD_DIGEST, Problem, ProblemKind, RecordBuilder,
    RecordHead, RecordProof, RecordType, Span, WarcError, enter_record_in, format_offset, same_url,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A record in memory until it is larger than this; then in a temporary file.
/// Some dozens are in hand at once.
const SPOOL_BYTES: usize = 1024 * 1024;

/// What begins the name of a field of the source that does not hold in the export.
const SOURCE_FIELD: &str = "WARC-Fonds-Source-";

/// A record as it was found in its file.
pub(super) struct SourceRecord {
    pub head: RecordHead,
    /// What of it was taken out; none where its bytes can be copied as they are.
    block: Option<Block>,
}

/// The block of a record that is written under another head.
struct Block {
    bytes: tempfile::SpooledTempFile,
    len: u64,
    /// Its first bytes.
    begin: Vec<u8>,
    digests: Digests,
    wrong_digests: Vec<&'static str>,
    left_behind: Vec<String>,
}

/// A record that comes along.
pub(super) struct Carried {
    /// Its bytes.
    pub part: Part,
    /// Its id in the export.
    pub record_id: String,
    /// Whether its bytes are those of the source.
    pub as_is: bool,
    /// Its payload digest, where the field contradicts the bytes.
    pub payload_digest: Option<String>,
    /// Fields of digests that its bytes contradict.
    pub wrong_digests: Vec<&'static str>,
    /// What stands around the record in the source and does not come along.
    pub left_behind: Vec<String>,
}

/// What becomes a record of the export.
pub(super) enum Part {
    /// Bytes of a file as they are.
    Span(PathBuf, Span),
    /// A block of this length under a head.
    Block(RecordBuilder, tempfile::SpooledTempFile, u64),
}

impl Part {
    /// Its member, to be read, and how long it is. With `sizes_only` what can be
    /// copied as it is stays where it is.
    ///
    /// # Errors
    ///
    /// A file that has changed since it was read, no room for what is large.
    pub(super) fn member(self, sizes_only: bool) -> Result<(tempfile::SpooledTempFile, u64), ExportError> {
        let mut member = tempfile::SpooledTempFile::new(SPOOL_BYTES);
        let len = match self {
            Self::Span(_, span) if sizes_only => span.length,
            Self::Span(file, span) => crate::warc::copy_span(&file, span, &mut member).map(|_| span.length)?,
            Self::Block(head, block, len) => {
                head.compress_from(block, len, &mut member).map_err(no_temporary)?;
                member.stream_position().map_err(no_temporary)?
            }
        };
        member.rewind().map_err(no_temporary)?;
        Ok((member, len))
    }
}

/// Why a record does not come along.
pub(super) enum CopyError {
    /// This record is missing or damaged; others may be well.
    Record(String),
    /// The export cannot go on.
    Export(ExportError),
}

/// What of a record's head cannot stand in the export as it stands in the
/// source. The block stays as it is; a field that does not hold is kept under
/// the name `WARC-Fonds-Source-…`, which readers pass over.
#[derive(Default)]
pub(super) struct HeadChanges<'r> {
    /// The new id of the record, where it has none or another record has it.
    pub new_id: Option<String>,
    /// New ids of the records of this capture, by their old ones.
    pub renamed: Option<&'r HashMap<String, String>>,
    /// The `warcinfo` record that it names is not in the export.
    pub lacks_warcinfo: bool,
    /// Its date in the form that every reader takes, where it has another.
    pub whole_date: Option<CaptureDate>,
}

impl HeadChanges<'_> {
    /// Whether a record with this head is changed.
    fn change(&self, head: &RecordHead) -> bool {
        let names_renamed = || head.headers.iter().any(|(name, value)| self.reference(name, value).is_some());
        self.new_id.is_some() || self.lacks_warcinfo || self.whole_date.is_some() || names_renamed()
    }

    /// The new value of a field that names a record of this capture.
    fn reference(&self, name: &str, value: &[u8]) -> Option<String> {
        let names_record = ["WARC-Concurrent-To", "WARC-Refers-To"].iter().any(|of| name.eq_ignore_ascii_case(of));
        let id = std::str::from_utf8(value).ok()?.trim().trim_matches(['<', '>']);
        self.renamed.filter(|_| names_record)?.get(id).map(|id| format!("<{id}>"))
    }

    /// The head to write: the fields of the source, and what takes the place
    /// of those that do not hold.
    fn apply(&self, head: &RecordHead, wrong_digests: &[&'static str], digests: &Digests) -> RecordBuilder {
        let mut fields: Vec<(String, Cow<'_, [u8]>)> = Vec::new();
        let (mut has_id, mut has_date) = (false, false);
        for (name, value) in head.headers.iter() {
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            if is("Content-Length") {
                continue;
            }
            let is_wrong = wrong_digests.iter().any(|wrong| is(wrong));
            let new_id = self.new_id.as_ref().filter(|_| is("WARC-Record-ID"));
            if let Some(id) = new_id.filter(|_| !has_id) {
                fields.push((name.to_owned(), format!("<{id}>").into_bytes().into()));
                has_id = true;
            }
            let whole_date = self.whole_date.filter(|_| is("WARC-Date"));
            if let Some(date) = whole_date.filter(|_| !has_date) {
                fields.push((name.to_owned(), date.to_warc().into_bytes().into()));
                has_date = true;
            }
            if is_wrong || new_id.is_some() || whole_date.is_some() || (self.lacks_warcinfo && is("WARC-Warcinfo-ID")) {
                let kept = name.get("WARC-".len()..).unwrap_or(name);
                fields.push((format!("{SOURCE_FIELD}{kept}"), value.into()));
                continue;
            }
            let value = self.reference(name, value).map_or(Cow::Borrowed(value), |id| id.into_bytes().into());
            fields.push((name.to_owned(), value));
        }
        if let Some(id) = self.new_id.as_ref().filter(|_| !has_id) {
            fields.push(("WARC-Record-ID".to_owned(), format!("<{id}>").into_bytes().into()));
        }
        let mut builder = RecordBuilder::with_fields(fields);
        if let Some(payload) = digests.payload_field().filter(|_| wrong_digests.contains(&PAYLOAD_DIGEST)) {
            builder = builder.field(PAYLOAD_DIGEST, payload);
        }
        if wrong_digests.contains(&BLOCK_DIGEST) {
            builder = builder.field(BLOCK_DIGEST, &digests.block);
        }
        builder
    }
}

/// Where a record stands, for a person.
pub(super) fn location_of(record: &ExportRecord) -> String {
    location_in(&record.file, record.span)
}

/// A place in a file, for a person.
pub(super) fn location_in(file: &Path, span: Span) -> String {
    format!("{}, offset {}", file.display(), format_offset(span.offset))
}

/// Reads a record out of its file. Its place is looked at first: the catalogue may
/// be older than the file. The block is read to its end: a damaged record is not
/// passed on, and digests are checked. With `sizes_only` a record that can be
/// copied as it stands is taken for sound and not read.
pub(super) fn read_source(record: &ExportRecord, url: &str, sizes_only: bool) -> Result<SourceRecord, CopyError> {
    if let Some(why) = &record.lost {
        return Err(CopyError::Record(why.clone()));
    }
    let (head, mut reader) = enter_record_in(&record.file, record.span).map_err(of_source)?;
    let is_it = match record.record_id.as_str() {
        "" => head.target_uri().is_none_or(|uri| same_url(&uri, url)),
        id => head.record_id().as_deref() == Some(id),
    };
    if !is_it {
        return Err(CopyError::Record(format!(
            "{}: another record stands here than the catalogue says; import the file again",
            location_of(record)
        )));
    }
    let place = location_of(record);
    let mut behind = 0;
    if !head.is_arc() && is_gzip_member(record).map_err(spool_failed)? {
        if sizes_only {
            return Ok(SourceRecord { head, block: None });
        }
        let mut proof = RecordProof::new(&head);
        read_block(&mut reader, |chunk| {
            proof.update(chunk);
            Ok(())
        })?;
        let (ended, around) = end_whole(&mut reader, &place)?;
        // Behind its end a span may hold what is no record.
        behind = record.span.length.saturating_sub(ended.length);
        let is_clean = around.is_empty() && behind == 0;
        if is_clean && proof.wrong_fields().is_empty() {
            return Ok(SourceRecord { head, block: None });
        }
        // Its head is written again, with the right digests.
        reader = enter_record_in(&record.file, record.span).map_err(of_source)?.1;
    }
    let mut block = take_block(&mut reader, &head, &place)?;
    if behind > 0 {
        block.left_behind.push(format!("{} behind the record belong to none", counted(behind, "byte")));
    }
    Ok(SourceRecord { head, block: Some(block) })
}

/// What becomes of a record that was read, with these changes to its head.
pub(super) fn carry(
    record: &ExportRecord,
    SourceRecord { head, block }: SourceRecord,
    changes: &HeadChanges<'_>,
    new_id: impl FnOnce() -> String,
) -> Result<Carried, CopyError> {
    let block = match block {
        Some(block) => block,
        None if !changes.change(&head) => {
            return Ok(Carried {
                part: Part::Span(record.file.clone(), record.span),
                record_id: head.record_id().unwrap_or_default(),
                as_is: true,
                payload_digest: None,
                wrong_digests: Vec::new(),
                left_behind: Vec::new(),
            });
        }
        None => {
            let (head, mut reader) = enter_record_in(&record.file, record.span).map_err(of_source)?;
            take_block(&mut reader, &head, &location_of(record))?
        }
    };
    let Block { bytes, len, begin, digests, wrong_digests, left_behind } = block;
    let record_id = changes.new_id.clone().or_else(|| head.record_id()).unwrap_or_else(new_id);
    let builder = if head.is_arc() {
        from_arc(&head, &record_id, &begin).digests(&digests)
    } else {
        changes.apply(&head, &wrong_digests, &digests)
    };
    let payload_digest = wrong_digests.contains(&PAYLOAD_DIGEST).then_some(digests.payload);
    let part = Part::Block(builder, bytes, len);
    Ok(Carried { part, record_id, as_is: false, payload_digest, wrong_digests, left_behind })
}

/// Hands the block of the record in hand on, piece by piece.
fn read_block(
    reader: &mut ArchiveReader<File>,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<u64, CopyError> {
    let mut block_len = 0;
    loop {
        let chunk = reader.fill_buf().map_err(spool_failed)?;
        if chunk.is_empty() {
            return Ok(block_len);
        }
        each(chunk).map_err(spool_failed)?;
        let len = chunk.len();
        block_len += len as u64;
        reader.consume(len);
    }
}

/// Takes the block of the record in hand out of its file.
fn take_block(reader: &mut ArchiveReader<File>, head: &RecordHead, place: &str) -> Result<Block, CopyError> {
    let mut bytes = tempfile::SpooledTempFile::new(SPOOL_BYTES);
    let mut digester = BlockDigester::new(head.is_http());
    let mut proof = RecordProof::new(head);
    let mut begin = Vec::new();
    let len = read_block(reader, |chunk| {
        if begin.len() < 5 {
            begin.extend_from_slice(&chunk[..chunk.len().min(5)]);
        }
        digester.update(chunk);
        proof.update(chunk);
        bytes.write_all(chunk)
    })?;
    let (_, left_behind) = end_whole(reader, place)?;
    bytes.rewind().map_err(spool_failed)?;
    Ok(Block { bytes, len, begin, digests: digester.finish(), wrong_digests: proof.wrong_fields(), left_behind })
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

/// Ends the record in hand, all of which has to be there. Says where it stands,
/// and what is wrong around it; odd fields are what other writers made of them.
fn end_whole(reader: &mut ArchiveReader<File>, place: &str) -> Result<(Span, Vec<String>), CopyError> {
    let ended = reader.finish_record().map_err(of_source)?;
    let problems = reader.take_problems();
    let is_short = |problem: &Problem| {
        problem.kind == ProblemKind::Truncated && ended.is_some_and(|span| span.offset == problem.offset)
    };
    match ended {
        Some(ended) if !problems.iter().any(is_short) => {
            let around = problems.iter().filter(|problem| problem.kind != ProblemKind::BadField);
            Ok((ended, around.map(|problem| format!("{}: {}", problem.kind.label(), problem.detail)).collect()))
        }
        _ => Err(damaged(place, &problems)),
    }
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
