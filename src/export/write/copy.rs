//! Copy of a record out of its file, as it is or under another head.

use crate::export::{ExportError, ExportRecord, no_temporary};
use crate::jobs::counted;
use crate::uri::CaptureDate;
use crate::warc::cdx::{IndexLine, MAX_INDEXED_BEGIN, declared_digest, index_line, is_indexed};
use crate::warc::http::parse_response_head;
use crate::warc::{
    ArchiveReader, BLOCK_DIGEST, BlockDigester, Compression, Digests, PAYLOAD_DIGEST, Problem, ProblemKind,
    RecordBuilder, RecordHead, RecordProof, RecordType, Span, WarcError, enter_record_in, format_offset, same_url,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A record in memory until it is larger than this; then in a temporary file.
/// Some dozens are in memory at once.
const SPOOL_BYTES: usize = 1024 * 1024;

/// Begin of the name of a field of the source that does not hold in the export.
const SOURCE_FIELD: &str = "WARC-Fonds-Source-";

/// A record as it was found in its file.
pub(in crate::export) struct SourceRecord {
    pub head: RecordHead,
    /// The block that was taken out; none where its bytes can be copied as they are.
    block: Option<Block>,
    /// Its line of the index, where they can.
    line: Option<IndexLine>,
}

/// The block of a record.
struct Block {
    bytes: BlockBytes,
    len: u64,
    /// Computed where the head has none, or one that cannot be put right.
    digests: Option<Digests>,
    wrong_digests: Vec<WrongDigest>,
    left_behind: Vec<String>,
    /// The member that it is packed in alone.
    member: Option<(PathBuf, Span)>,
}

/// What is wrong about a field of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum DigestFault {
    /// The bytes contradict it.
    Contradicted,
    /// It names no algorithm, or one that is not known: nobody can check it.
    Unknown,
}

/// A field of a digest that is written again.
struct WrongDigest {
    name: &'static str,
    fault: DigestFault,
    /// Its corrected value; none where the two readings of a payload digest differ.
    field: Option<String>,
    right: String,
}

/// Bytes of a block.
enum BlockBytes {
    Memory(Vec<u8>),
    File(File),
    /// They are too many, and nobody needs them.
    Discarded,
}

impl BlockBytes {
    fn push(&mut self, chunk: &[u8], can_discard: bool) -> io::Result<()> {
        match self {
            Self::Memory(bytes) if bytes.len() + chunk.len() <= SPOOL_BYTES => bytes.extend_from_slice(chunk),
            Self::Memory(_) if can_discard => *self = Self::Discarded,
            Self::Memory(bytes) => {
                let mut file = tempfile::tempfile()?;
                file.write_all(bytes)?;
                file.write_all(chunk)?;
                *self = Self::File(file);
            }
            Self::File(file) => file.write_all(chunk)?,
            Self::Discarded => {}
        }
        Ok(())
    }

    /// Reads them from their beginning.
    fn reader(&mut self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Memory(bytes) => Box::new(&bytes[..]),
            Self::File(file) => {
                file.rewind()?;
                Box::new(io::BufReader::new(file))
            }
            Self::Discarded => Box::new(io::empty()),
        })
    }

    /// Reads at most so many of the first bytes.
    fn begin(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut begin = Vec::new();
        self.reader()?.take(most as u64).read_to_end(&mut begin)?;
        Ok(begin)
    }

    fn digests(&mut self, is_http: bool) -> io::Result<Digests> {
        let mut digester = BlockDigester::new(is_http);
        let mut reader = io::BufReader::with_capacity(256 << 10, self.reader()?);
        loop {
            let chunk = reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(digester.finish());
            }
            digester.update(chunk);
            let len = chunk.len();
            reader.consume(len);
        }
    }
}

/// A record that comes along.
pub(in crate::export) struct Carried {
    /// Its bytes.
    pub part: Part,
    /// Its id in the export.
    pub record_id: String,
    /// Whether its bytes are those of the source.
    pub as_is: bool,
    /// Its payload digest, where the field contradicts the bytes.
    pub payload_digest: Option<String>,
    /// Fields of digests that its bytes contradict, and those whose algorithm is not known.
    pub wrong_digests: Vec<(&'static str, DigestFault)>,
    /// Remarks on bytes around the record in the source that do not come along.
    pub left_behind: Vec<String>,
}

/// A record of the export before it is packed.
pub(in crate::export) enum Part {
    /// Bytes of a file as they are, with their line of the index.
    Span(PathBuf, Span, Option<IndexLine>),
    /// A block under a head.
    Block(NewHead),
}

/// A block that gets another head.
pub(in crate::export) struct NewHead {
    head: RecordBuilder,
    bytes: BlockBytes,
    len: u64,
    /// Its payload digest, where its head has none.
    payload_digest: Option<String>,
    /// The member that it is packed in alone.
    member: Option<(PathBuf, Span)>,
}

/// A record that is appended.
pub(in crate::export) struct PackedMember {
    /// Its bytes, to be read.
    pub bytes: tempfile::SpooledTempFile,
    pub len: u64,
    /// Its line of the index, with no place yet.
    pub line: Option<IndexLine>,
}

impl Part {
    /// Packs it into a member. With `sizes_only` what can be copied as it is stays where it is.
    ///
    /// # Errors
    ///
    /// A file that has changed since it was read, no room for what is large.
    pub(in crate::export) fn member(self, sizes_only: bool) -> Result<PackedMember, ExportError> {
        let mut bytes = tempfile::SpooledTempFile::new(SPOOL_BYTES);
        let (len, line) = match self {
            Self::Span(_, span, line) if sizes_only => (span.length, line),
            Self::Span(file, span, line) => {
                crate::warc::copy_span(&file, span, &mut bytes)?;
                (span.length, line)
            }
            Self::Block(mut new) => {
                new.compress(&mut bytes).map_err(no_temporary)?;
                let len = bytes.stream_position().map_err(no_temporary)?;
                (len, if sizes_only { None } else { new.index_line().map_err(no_temporary)? })
            }
        };
        bytes.rewind().map_err(no_temporary)?;
        Ok(PackedMember { bytes, len, line })
    }
}

impl NewHead {
    fn compress(&mut self, out: impl Write) -> io::Result<()> {
        let member =
            self.member.take().filter(|(_, span)| span.length <= SPOOL_BYTES as u64).and_then(|(file, span)| {
                let mut member = Vec::with_capacity(span.length as usize);
                // What cannot be read again is packed again.
                crate::warc::copy_span(&file, span, &mut member).is_ok().then_some(member)
            });
        let block = self.bytes.reader()?;
        match member {
            Some(member) => self.head.compress_as(&member, block, self.len, out),
            None => self.head.compress_from(block, self.len, out),
        }
    }

    fn index_line(&mut self) -> io::Result<Option<IndexLine>> {
        let head = self.head.as_read(self.len);
        if !is_indexed(&head) {
            return Ok(None);
        }
        let digest = self.payload_digest.take();
        Ok(match &mut self.bytes {
            BlockBytes::Memory(bytes) => index_line(&head, bytes, || digest),
            other => index_line(&head, &other.begin(MAX_INDEXED_BEGIN)?, || digest),
        })
    }
}

/// Why a record does not come along.
pub(in crate::export) enum CopyError {
    /// This record is missing or damaged; others may be well.
    Record(String),
    /// The export cannot go on.
    Export(ExportError),
}

/// The changes of a record's head against the source. The
/// block stays as it is; a field that does not hold is kept under
/// the name `WARC-Fonds-Source-…`, which readers pass over.
#[derive(Default)]
pub(in crate::export) struct HeadChanges<'r> {
    /// The new id of the record, where it has none or another record has it.
    pub new_id: Option<String>,
    /// New ids of the records of this capture, by their old ones.
    pub renamed: Option<&'r HashMap<String, String>>,
    /// The `warcinfo` record that it names is not in the export.
    pub lacks_warcinfo: bool,
    /// Fields whose values not every reader takes, with what is written in their place.
    pub safe_fields: Vec<(&'static str, String)>,
}

impl HeadChanges<'_> {
    /// Whether a record with this head is changed.
    fn change(&self, head: &RecordHead) -> bool {
        let names_renamed = || head.headers.iter().any(|(name, value)| self.reference(name, value).is_some());
        self.new_id.is_some() || self.lacks_warcinfo || !self.safe_fields.is_empty() || names_renamed()
    }

    /// The new value of a field that names a record of this capture.
    fn reference(&self, name: &str, value: &[u8]) -> Option<String> {
        let names_record = ["WARC-Concurrent-To", "WARC-Refers-To"].iter().any(|of| name.eq_ignore_ascii_case(of));
        let id = std::str::from_utf8(value).ok()?.trim().trim_matches(['<', '>']);
        self.renamed.filter(|_| names_record)?.get(id).map(|id| format!("<{id}>"))
    }

    /// The head to write: the fields of the source, and what takes the place
    /// of those that do not hold.
    fn apply(&self, head: &RecordHead, wrong_digests: &[WrongDigest]) -> RecordBuilder {
        let mut fields: Vec<(String, Cow<'_, [u8]>)> = Vec::new();
        let mut has_id = false;
        let mut safe_fields = self.safe_fields.iter().map(Some).collect::<Vec<_>>();
        for (name, value) in head.headers.iter() {
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            if is("Content-Length") {
                continue;
            }
            let is_wrong = wrong_digests.iter().any(|wrong| is(wrong.name));
            let new_id = self.new_id.as_ref().filter(|_| is("WARC-Record-ID"));
            if let Some(id) = new_id.filter(|_| !has_id) {
                fields.push((name.to_owned(), format!("<{id}>").into_bytes().into()));
                has_id = true;
            }
            let is_safe = !self.safe_fields.iter().any(|(other, _)| is(other));
            if let Some((_, value)) =
                safe_fields.iter_mut().find(|safe| safe.is_some_and(|(other, _)| is(other))).and_then(Option::take)
            {
                fields.push((name.to_owned(), value.as_bytes().into()));
            }
            if is_wrong || new_id.is_some() || !is_safe || (self.lacks_warcinfo && is("WARC-Warcinfo-ID")) {
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
        for name in [PAYLOAD_DIGEST, BLOCK_DIGEST] {
            let wrong = wrong_digests.iter().find(|wrong| wrong.name == name);
            if let Some(right) = wrong.and_then(|wrong| wrong.field.as_ref()) {
                builder = builder.field(name, right);
            }
        }
        builder
    }
}

/// The place of a record, for a person.
pub(in crate::export) fn location_of(record: &ExportRecord) -> String {
    location_in(&record.file, record.span)
}

/// A place in a file, for a person.
pub(in crate::export) fn location_in(file: &Path, span: Span) -> String {
    format!("{}, offset {}", file.display(), format_offset(span.offset))
}

/// Reads a record out of its file. Its place is checked first: the catalogue may
/// be older than the file. The block is read to its end: a damaged record is not
/// passed on, and digests are checked. With `sizes_only` a record that can be
/// copied as it is counts as sound and is not read.
pub(in crate::export) fn read_source(
    record: &ExportRecord,
    url: &str,
    sizes_only: bool,
) -> Result<SourceRecord, CopyError> {
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
    let is_alone = !head.is_arc() && !record.span.is_inside_member() && reader.compression() == Compression::Gzip;
    if !is_alone {
        let block = take_block(&mut reader, &head, record, false)?;
        return Ok(SourceRecord { head, block: Some(block), line: None });
    }
    if sizes_only {
        return Ok(SourceRecord { head, block: None, line: None });
    }
    // Most records are read once, whatever becomes of them.
    let mut block = take_block(&mut reader, &head, record, true)?;
    if block.left_behind.is_empty() && block.wrong_digests.is_empty() {
        let payload_digest = block.digests.map(|digests| digests.payload);
        let line = match &block.bytes {
            _ if !is_indexed(&head) => None,
            BlockBytes::Memory(bytes) => index_line(&head, bytes, || payload_digest),
            _ => {
                let mut begin = Vec::new();
                let mut reader = enter_record_in(&record.file, record.span).map_err(of_source)?.1;
                (&mut reader).take(MAX_INDEXED_BEGIN as u64).read_to_end(&mut begin).map_err(spool_failed)?;
                index_line(&head, &begin, || payload_digest)
            }
        };
        return Ok(SourceRecord { head, block: None, line });
    }
    // Its head is written again, with the right digests.
    if matches!(block.bytes, BlockBytes::Discarded) {
        let mut reader = enter_record_in(&record.file, record.span).map_err(of_source)?.1;
        block = take_block(&mut reader, &head, record, false)?;
    }
    Ok(SourceRecord { head, block: Some(block), line: None })
}

/// Makes a record of the export from one that was read, with these changes to its head.
pub(in crate::export) fn carry(
    record: &ExportRecord,
    SourceRecord { head, block, line }: SourceRecord,
    changes: &HeadChanges<'_>,
    new_id: impl FnOnce() -> String,
) -> Result<Carried, CopyError> {
    let mut block = match block {
        Some(block) => block,
        None if !changes.change(&head) => {
            return Ok(Carried {
                part: Part::Span(record.file.clone(), record.span, line),
                record_id: head.record_id().unwrap_or_default(),
                as_is: true,
                payload_digest: None,
                wrong_digests: Vec::new(),
                left_behind: Vec::new(),
            });
        }
        None => {
            let (head, mut reader) = enter_record_in(&record.file, record.span).map_err(of_source)?;
            take_block(&mut reader, &head, record, false)?
        }
    };
    let record_id = changes.new_id.clone().or_else(|| head.record_id()).unwrap_or_else(new_id);
    let builder = if head.is_arc() {
        let digests = match block.digests.take() {
            Some(digests) => digests,
            None => block.bytes.digests(head.is_http()).map_err(spool_failed)?,
        };
        let begin = block.bytes.begin(5).map_err(spool_failed)?;
        let builder = from_arc(&head, &record_id, &begin, changes).digests(&digests);
        block.digests = Some(digests);
        builder
    } else {
        changes.apply(&head, &block.wrong_digests)
    };
    let Block { bytes, len, digests, wrong_digests, left_behind, member } = block;
    let payload_digest = wrong_digests.iter().find(|wrong| wrong.name == PAYLOAD_DIGEST);
    Ok(Carried {
        payload_digest: payload_digest.map(|wrong| wrong.right.clone()),
        wrong_digests: wrong_digests.iter().map(|wrong| (wrong.name, wrong.fault)).collect(),
        part: Part::Block(NewHead {
            head: builder,
            bytes,
            len,
            payload_digest: digests.map(|digests| digests.payload),
            member,
        }),
        record_id,
        as_is: false,
        left_behind,
    })
}

/// Passes the block of the current record on, piece by piece.
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

/// Takes the block of the current record out of its file. `can_discard`: a long one is only
/// read through, unless something about it is wrong.
fn take_block(
    reader: &mut ArchiveReader<File>,
    head: &RecordHead,
    record: &ExportRecord,
    can_discard: bool,
) -> Result<Block, CopyError> {
    let room = head.content_length.min(SPOOL_BYTES as u64) as usize;
    // The declared length is a wish.
    let mut bytes = BlockBytes::Memory(Vec::with_capacity(room.min(256 << 10)));
    let lacks_digest = head.is_arc() || (is_indexed(head) && declared_digest(head).is_none());
    let mut digester = lacks_digest.then(|| BlockDigester::new(head.is_http()));
    let mut proof = RecordProof::new(head);
    let len = read_block(reader, |chunk| {
        if let Some(digester) = &mut digester {
            digester.update(chunk);
        }
        proof.update(chunk);
        bytes.push(chunk, can_discard)
    })?;
    let (ended, mut left_behind) = end_whole(reader, &location_of(record))?;
    let is_alone = !record.span.is_inside_member() && reader.compression() == Compression::Gzip;
    // Behind its end a span may hold what is no record.
    let behind = if is_alone { record.span.length.saturating_sub(ended.length) } else { 0 };
    if behind > 0 {
        left_behind.push(format!("{} behind the record belong to none", counted(behind, "byte")));
    }
    let mut digests = digester.map(BlockDigester::finish);
    let unknown: Vec<_> = proof.unknown_fields().map(|name| (name, None, DigestFault::Unknown)).collect();
    let contradicted = proof.wrong_digests().into_iter().map(|(name, right)| (name, right, DigestFault::Contradicted));
    let wrong: Vec<_> = contradicted.chain(unknown).collect();
    if digests.is_none() && wrong.iter().any(|(_, right, _)| right.is_none()) {
        digests = Some(bytes.digests(head.is_http()).map_err(spool_failed)?);
    }
    let wrong_digest = |(name, right, fault): (&'static str, Option<String>, DigestFault)| {
        let field = match (&right, &digests) {
            (Some(right), _) => Some(right.clone()),
            (None, Some(digests)) if name == BLOCK_DIGEST => Some(digests.block.clone()),
            (None, digests) => digests.as_ref().and_then(|digests| digests.payload_field().map(str::to_owned)),
        };
        let payload = || digests.as_ref().map(|digests| digests.payload.clone());
        WrongDigest { name, fault, right: field.clone().or_else(payload).unwrap_or_default(), field }
    };
    let wrong_digests = wrong.into_iter().map(wrong_digest).collect();
    let member = is_alone.then(|| (record.file.clone(), record.span));
    Ok(Block { bytes, len, digests, wrong_digests, left_behind, member })
}

/// A WARC head for an ARC record. What is called HTTP in the URL line and is
/// none (`begin` says) becomes a resource: readers look for a status line.
fn from_arc(head: &RecordHead, record_id: &str, begin: &[u8], changes: &HeadChanges<'_>) -> RecordBuilder {
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
        if let Some((_, safe)) = changes.safe_fields.iter().find(|(other, _)| is(other)) {
            let kept = name.get("WARC-".len()..).unwrap_or(name);
            builder = builder.field(name, safe).field(&format!("{SOURCE_FIELD}{kept}"), &value);
            continue;
        }
        match (&mime, no_http && is("Content-Type")) {
            (Some(mime), true) => builder = builder.field(name, mime),
            _ => builder = builder.field(name, &value),
        }
    }
    builder
}

/// Ends the current record, all of which has to be there. Gives its span and the
/// faults around it; odd fields are what other writers made of them.
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

/// The error of a record that ended early: the last problem is the reason;
/// those before may be about its head.
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
