//! Reads the records of a file one after the other.

mod content_length;
mod current_record;
mod damage;
mod heads;

use super::super::record::ProblemList;
use super::super::{Problem, ProblemKind, Record, RecordHead, SharedMember, Span, WarcError};
use super::gzip::GzipNote;
use super::head::{Start, record_start};
use super::members::{Begin, Compression, Fill, Members};
use super::records::{FileFormat, Records};
use crate::jobs::JobCx;
use content_length::LengthRecovery;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

/// A file without a record in so many bytes is no archive file.
const SEARCH_LIMIT: u64 = 1024 * 1024;

/// Problems held between two calls of `take_problems`; further ones are counted.
const MAX_PROBLEMS: usize = 10_000;

/// Line breaks after a record that are kept, in bytes.
const MAX_BREAKS_KEPT: usize = 64;

/// Line breaks due after the block of a WARC record, in bytes.
const WARC_BREAKS: usize = 4;

/// Reads an archive file from its beginning to its end.
///
/// [`next_head`](Self::next_head) goes to a record, [`Read`] or [`BufRead`] gives its block,
/// [`finish_record`](Self::finish_record) ends it and returns its span. [`next_record`](Self::next_record)
/// does the three in one.
pub struct ArchiveReader<R> {
    members: Members<R>,
    name: PathBuf,
    open: Option<Open>,
    /// A head that was read ahead; its record is the current one.
    ahead: Option<RecordHead>,
    problems: ProblemList,
    arc_version: String,
    /// Something that begins a record was seen.
    is_archive: bool,
    /// Nothing of the present member has been used yet.
    member_fresh: bool,
    reported_not_per_record: bool,
    first_garbage: Option<String>,
    sound_len: u64,
    done: bool,
    /// The bytes of the current head, where they are kept.
    head_bytes: Option<Vec<u8>>,
    /// The line breaks after the record that was just ended, where heads are kept.
    break_bytes: Vec<u8>,
    /// Members that the current record was joined from, after its first.
    joined: u64,
    /// Offset of the current record, or of the one just ended.
    begins_at: u64,
    /// The same in the decompressed file.
    begins_at_decoded: u64,
    /// The compressed member it begins in, where the file can be entered at that.
    begins_in: Option<SharedMember>,
    /// Where the head that was read last is to be looked for ([`Span::offset`]).
    head_place: u64,
    /// Of a head that was too long: the member it ended in, and up to where no head ends, as places in the
    /// decoded stream. Heads within it need no search there.
    no_head_end: (u64, u64),
    /// Values in the header of its gzip member, where that begins with it.
    gzip_note: Option<GzipNote>,
    /// Finds the end of a block whose declared length cannot be right.
    length_recovery: Option<LengthRecovery>,
}

/// The current record.
struct Open {
    /// Offset in the file of the member it begins in, or of itself in a plain file.
    offset: u64,
    decoded_offset: u64,
    /// Whether it can be entered there: it begins a member that needs nothing
    /// but what the file begins with.
    begins_member: bool,
    /// Offset of the zstd dictionary that it needs, if not at the beginning.
    late_dictionary: Option<u64>,
    /// Length of the block: as declared, or as it is where that cannot be right.
    declared: u64,
    remaining: u64,
    is_arc: bool,
    state: RecordState,
    /// Offset in the file at which the last of its members ended and one begins
    /// that does not go on with it.
    ended: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordState {
    /// Nothing is wrong so far.
    Sound,
    /// It ended in good order, but before its declared length.
    Short,
    /// Damage or the end of the file lies inside it.
    Lost,
}

/// Result of reading a head.
enum Found {
    Head(RecordHead),
    /// Something else: look for the next record behind it.
    Garbage,
    /// A head that ended too early; the place after it is reached.
    Nothing,
}

/// Continuation of a record after a member that ended inside it.
#[derive(PartialEq, Eq)]
enum Join {
    /// The next member goes on with the record.
    Continues,
    /// The next member begins a record of its own, or there is none.
    Ends,
}

impl Open {
    /// Offset for finding the record again ([`Span::offset`]); in a `plain` file all records can be entered.
    fn place(&self, plain: bool) -> u64 {
        match plain || self.begins_member {
            true => self.offset,
            false => Span::inside_member(self.decoded_offset, 0).offset,
        }
    }
}

impl ArchiveReader<File> {
    /// Opens a file; while it is being written, its `.open` form is found too.
    pub fn open(path: &Path) -> Result<Self, WarcError> {
        let (file, path) = super::place::open_named(path)?;
        Self::of_file(file, &path, 0)
    }

    /// Reads a file whose position is `offset`.
    pub(super) fn of_file(file: File, name: &Path, offset: u64) -> Result<Self, WarcError> {
        let length_recovery = LengthRecovery::of(&file, name);
        Ok(Self { length_recovery, ..Self::at(file, name, offset)? })
    }

    /// Reads a span of a file whose position is the beginning of the span.
    pub(super) fn of_span(file: File, name: &Path, span: Span) -> Result<Self, WarcError> {
        let length_recovery = LengthRecovery::of(&file, name);
        let members = Members::expecting(file, span.offset, span.length)
            .map_err(|source| WarcError::Io { path: name.to_owned(), source })?;
        Ok(Self { length_recovery, ..Self::of(members, name) })
    }

    /// Finds the first record that seems to begin before `limit` in `file`, whose position is `from` and
    /// whose format is `like`; `cx` cancels the search and the reader.
    pub(super) fn find(
        file: File,
        name: &Path,
        from: u64,
        limit: u64,
        like: &FileFormat,
        retain: usize,
        cx: &JobCx,
    ) -> io::Result<Option<Self>> {
        let length_recovery = LengthRecovery::of(&file, name);
        let mut members = Members::inside(file, from, like.compression);
        members.retain(retain);
        members.stop_with(cx);
        if !members.seek_record(limit)? {
            return Ok(None);
        }
        let arc_version = like.arc_version.clone();
        Ok(Some(Self { is_archive: true, arc_version, length_recovery, ..Self::of(members, name) }))
    }
}

impl<R: Read> ArchiveReader<R> {
    /// Reads from any source; messages name it `name`.
    pub fn new(source: R, name: &Path) -> Result<Self, WarcError> {
        Self::at(source, name, 0)
    }

    /// Reads from a source that begins at `offset` of its file.
    pub(super) fn at(source: R, name: &Path, offset: u64) -> Result<Self, WarcError> {
        let members = Members::new(source, offset).map_err(|source| WarcError::Io { path: name.to_owned(), source })?;
        Ok(Self::of(members, name))
    }

    fn of(members: Members<R>, name: &Path) -> Self {
        Self {
            name: name.to_owned(),
            open: None,
            ahead: None,
            problems: ProblemList::new(MAX_PROBLEMS),
            arc_version: "ARC/1.0".to_owned(),
            is_archive: false,
            member_fresh: true,
            reported_not_per_record: false,
            first_garbage: None,
            sound_len: members.file_offset(),
            done: false,
            head_bytes: None,
            break_bytes: Vec::new(),
            joined: 0,
            begins_at: members.file_offset(),
            begins_at_decoded: members.file_offset(),
            begins_in: None,
            head_place: members.file_offset(),
            no_head_end: (0, 0),
            gzip_note: None,
            length_recovery: None,
            members,
        }
    }

    /// Decodes nothing as a whole.
    #[cfg(test)]
    pub(super) fn stream_only(mut self) -> Self {
        self.members.stream_only();
        self
    }

    /// Lets a search behind damage in a long member begin so many bytes before it, from here on.
    #[must_use]
    pub(in crate::warc) fn retaining(mut self, bytes: usize) -> Self {
        self.members.retain(bytes);
        self
    }

    /// Makes reading fail once the job is cancelled, also within a block and in the search for the end of
    /// one.
    #[must_use]
    pub fn stopped_by(mut self, cx: &JobCx) -> Self {
        self.members.stop_with(cx);
        self
    }

    /// Properties of the file for a reader that begins at a boundary.
    pub(super) fn format(&self) -> FileFormat {
        FileFormat { compression: self.members.compression(), arc_version: self.arc_version.clone() }
    }

    /// The offset in the file, when a reader that begins here (and knows the
    /// [`format`](Self::nature) of the file) would read on as this one does.
    pub(super) fn boundary(&self) -> Option<u64> {
        let offset = self.members.file_offset();
        let between = self.open.is_none() && self.ahead.is_none() && self.members.is_between();
        between.then_some(offset)
    }

    /// The place of the next byte in the decoded bytes, counted from where this
    /// reader began.
    pub(super) fn decoded_offset(&self) -> u64 {
        self.members.decoded_offset()
    }

    /// The dictionary of a zstd file that is entered in its middle.
    pub(super) fn use_dictionary(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.members.use_dictionary(bytes)
    }

    /// Reads on until the next record is the one at this offset of the file;
    /// `false` when there is none.
    pub(super) fn skip_to(&mut self, offset: u64) -> Result<bool, WarcError> {
        while let Some(head) = self.next_head()? {
            if self.begins_at >= offset {
                self.ahead = Some(head);
                break;
            }
        }
        Ok(self.ahead.is_some() && self.begins_at == offset)
    }

    /// Reads on until the next record is the one at this place of the
    /// decompressed file; `false` when there is none. Stopping is an error.
    pub(in crate::warc) fn skip_to_decoded(&mut self, place: u64, cx: &JobCx) -> Result<bool, WarcError> {
        loop {
            // What is wrong before it is nobody's question, and would fill the list.
            self.take_problems();
            let Some(head) = self.next_head()? else { break };
            cx.checkpoint().map_err(|stopped| self.io(io::Error::other(stopped)))?;
            let at = self.open.as_ref().map_or(0, |open| open.decoded_offset);
            if at == place {
                self.ahead = Some(head);
                return Ok(true);
            }
            if at > place {
                break;
            }
        }
        Ok(false)
    }

    /// Decodes from the beginning of a member, the position of this reader, up to a record within; `false`
    /// where the file ends or is damaged before.
    pub(super) fn pass_to_decoded(&mut self, member: SharedMember, place: u64) -> Result<bool, WarcError> {
        self.members.count_from(member.decoded_offset);
        loop {
            let Some(left) = place.checked_sub(self.members.decoded_offset()) else { return Ok(false) };
            let there = self.members.window().len();
            let passed = usize::try_from(left).unwrap_or(usize::MAX).min(there);
            self.members.consume(passed);
            if passed as u64 == left {
                return Ok(true);
            }
            match self.fill()? {
                Fill::More => {}
                Fill::End => match self.members.begin_member().map_err(|source| self.io(source))? {
                    Begin::Member => self.member_fresh = false,
                    _ => return Ok(false),
                },
                Fill::CutOff | Fill::Broken(_) => return Ok(false),
            }
        }
    }

    /// Takes the problems since the last call, in the order they were met.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        self.problems.take(self.members.file_offset())
    }

    /// Compression of the file.
    pub fn compression(&self) -> Compression {
        self.members.compression()
    }

    /// Offset in the file after the last record that was whole. A file whose
    /// writer was killed is sound again when it is cut here.
    pub fn sound_len(&self) -> u64 {
        self.sound_len
    }

    /// Offset in the file up to which it has been read, for progress.
    pub fn file_offset(&self) -> u64 {
        self.members.file_offset()
    }

    /// Iterates over all whole records from here on, blocks cut at `max_block` bytes.
    pub fn records(self, max_block: usize) -> Records<R> {
        Records::new(self, max_block)
    }

    /// The next whole record with at most `max_block` bytes of its block. One
    /// that is cut off or damaged becomes a problem and is passed over.
    pub fn next_record(&mut self, max_block: usize) -> Result<Option<Record>, WarcError> {
        while let Some(head) = self.next_head()? {
            // The declared length is a wish: room is made as bytes come.
            let mut block = Vec::with_capacity(head.content_length.min(max_block as u64).min(1 << 18) as usize);
            let mut omitted = 0;
            loop {
                let chunk = self.block_chunk()?;
                if chunk.is_empty() {
                    break;
                }
                let len = chunk.len();
                let kept = len.min(max_block - block.len());
                block.extend_from_slice(&chunk[..kept]);
                omitted += (len - kept) as u64;
                self.consume(len);
            }
            if let Some(span) = self.finish_record()? {
                return Ok(Some(Record { head, block, omitted, span }));
            }
        }
        Ok(None)
    }

    /// Goes to the next record and ends the current one.
    ///
    /// # Errors
    ///
    /// [`WarcError::NotArchive`] when the file (or its first MiB) holds no
    /// record but something else; an empty file has simply no records.
    pub fn next_head(&mut self) -> Result<Option<RecordHead>, WarcError> {
        if let Some(head) = self.ahead.take() {
            return Ok(Some(head));
        }
        self.finish_record()?;
        let mut skipped = 0;
        while !self.done && self.locate()? {
            match self.read_head()? {
                Found::Head(head) => return Ok(Some(head)),
                Found::Garbage => skipped += self.resync()?,
                Found::Nothing => {}
            }
            if !self.is_archive && skipped > SEARCH_LIMIT {
                break;
            }
        }
        self.done = true;
        match self.first_garbage.take() {
            Some(why) if !self.is_archive => Err(WarcError::NotArchive { path: self.name.clone(), why }),
            _ => Ok(None),
        }
    }

    /// Ends the current record and returns its span; `None` when there is none, or when it was cut off or
    /// damaged (which is a problem).
    pub fn finish_record(&mut self) -> Result<Option<Span>, WarcError> {
        loop {
            let len = self.block_chunk()?.len();
            if len == 0 {
                break;
            }
            self.consume(len);
        }
        match self.open.take() {
            Some(open) if open.state != RecordState::Lost => self.end_of(&open),
            _ => Ok(None),
        }
    }

    /// The next bytes of the current block; empty at its end.
    fn block_chunk(&mut self) -> Result<&[u8], WarcError> {
        while self.members.window().is_empty() && self.open.as_ref().is_some_and(|open| open.remaining > 0) {
            match self.fill()? {
                Fill::More => {}
                Fill::End if !self.members.is_plain() && self.join(0)? == Join::Continues => {}
                ended => self.block_ends(ended)?,
            }
        }
        let Some(open) = &self.open else { return Ok(&[]) };
        let window = self.members.window();
        Ok(&window[..usize::try_from(open.remaining).unwrap_or(usize::MAX).min(window.len())])
    }

    /// Passes over the line breaks after a block and measures the record.
    fn end_of(&mut self, open: &Open) -> Result<Option<Span>, WarcError> {
        let place = open.place(self.members.is_plain());
        let mut breaks = 0;
        self.break_bytes.clear();
        let ended = loop {
            // The next member may be open already: it belongs to others.
            if open.state == RecordState::Short && !self.members.is_plain() {
                break Fill::End;
            }
            let blank = leading_breaks(self.members.window());
            if self.head_bytes.is_some() {
                let room = (MAX_BREAKS_KEPT - self.break_bytes.len()).min(blank);
                self.break_bytes.extend_from_slice(&self.members.window()[..room]);
            }
            breaks += blank;
            self.members.consume(blank);
            if !self.members.window().is_empty() {
                break Fill::More;
            }
            match self.fill()? {
                Fill::More => {}
                ended => break ended,
            }
        };
        // What follows in the member of a damaged record is no record: only the member's end shows whether
        // the record is sound.
        let ended = match ended {
            Fill::More if !self.members.is_plain() => self.pass_garbage_inside(place)?,
            ended => ended,
        };
        let more = match ended {
            Fill::More => true,
            Fill::End => false,
            Fill::CutOff => {
                let detail = "the file ends before the compressed member of this record does";
                self.problem(place, ProblemKind::Truncated, detail.to_owned());
                self.seek_member()?;
                return Ok(None);
            }
            Fill::Broken(why) => {
                self.problem(place, ProblemKind::BadCompression, why);
                self.seek_member()?;
                return Ok(None);
            }
        };
        if open.state == RecordState::Sound && breaks < WARC_BREAKS && !(open.is_arc && (breaks > 0 || !more)) {
            let due = if open.is_arc { 1 } else { WARC_BREAKS };
            let detail = match breaks {
                1 => format!("1 byte of line breaks follows the block, {due} are due"),
                breaks => format!("{breaks} bytes of line breaks follow the block, {due} are due"),
            };
            self.problem(place, ProblemKind::BadField, detail);
        }
        // Behind a short record the next member, or the search for one, has begun.
        let end = open.ended.unwrap_or_else(|| self.members.file_offset());
        if self.members.is_plain() || (open.begins_member && !more) {
            self.sound_len = end;
            return Ok(Some(Span { offset: open.offset, length: end - open.offset }));
        }
        if !more {
            self.sound_len = end;
        }
        if !self.reported_not_per_record {
            self.reported_not_per_record = true;
            let what = match open.late_dictionary {
                Some(at) => format!(
                    "records from here on need the zstd dictionary at offset {at}, which does not begin the file"
                ),
                None => "records share a compressed member".to_owned(),
            };
            let detail = format!("{what}: to reach one, the file is read from its start");
            self.problem(place, ProblemKind::NotPerRecord, detail);
        }
        let length = self.members.decoded_offset().saturating_sub(open.decoded_offset);
        Ok(Some(Span::inside_member(open.decoded_offset, length)))
    }

    /// Goes to the next byte that is no line break; `false` at the end.
    fn locate(&mut self) -> Result<bool, WarcError> {
        loop {
            let blank = leading_breaks(self.members.window());
            self.members.consume(blank);
            if !self.members.window().is_empty() {
                return Ok(true);
            }
            let offset = self.members.member_offset();
            let goes_on = match self.fill()? {
                Fill::More => true,
                Fill::End => self.next_member()?,
                Fill::CutOff => {
                    let detail = "the file ends inside a compressed member";
                    self.problem(offset, ProblemKind::Truncated, detail.to_owned());
                    self.seek_member()?
                }
                Fill::Broken(why) => {
                    self.problem(offset, ProblemKind::BadCompression, why);
                    self.seek_member()?
                }
            };
            if !goes_on {
                return Ok(false);
            }
        }
    }

    /// Begins the next member, passing over what is none.
    fn next_member(&mut self) -> Result<bool, WarcError> {
        loop {
            let begin = self.members.begin_member().map_err(|source| self.io(source))?;
            self.member_fresh = true;
            let offset = self.members.member_offset();
            match begin {
                Begin::Member => return Ok(true),
                Begin::EndOfFile => return Ok(false),
                Begin::CutOff => {
                    let detail = "the file ends inside the head of a compressed member";
                    self.problem(offset, ProblemKind::Truncated, detail.to_owned());
                    if self.members.seek_member().map_err(|source| self.io(source))?.is_none() {
                        return Ok(false);
                    }
                }
                Begin::Foreign(why) => {
                    let passed = self.members.seek_member().map_err(|source| self.io(source))?;
                    let detail = match passed {
                        Some(passed) => format!("{why}: {passed} bytes up to the next record"),
                        None => format!("{why}: the rest of the file"),
                    };
                    self.problem(offset, ProblemKind::Garbage, detail);
                    if passed.is_none() {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// The member ended inside a record of which `pending` bytes are still in
    /// the window. Blocked compressors cut records in two; a record that was
    /// written short is followed by a new one.
    fn join(&mut self, pending: usize) -> Result<Join, WarcError> {
        if self.members.begin_member().map_err(|source| self.io(source))? != Begin::Member {
            return Ok(Join::Ends);
        }
        let end = self.members.member_offset();
        loop {
            let offset = self.members.member_offset();
            match self.fill()? {
                Fill::More => match record_start(&self.members.window()[pending..]) {
                    Start::Unclear => {}
                    Start::No => {
                        self.member_fresh = false;
                        self.joined += 1;
                        return Ok(Join::Continues);
                    }
                    Start::Warc | Start::Arc => break,
                },
                // A member of a few bytes, which are no beginning of “WARC/”.
                Fill::End if !b"WARC/".starts_with(&self.members.window()[pending..]) => {
                    self.member_fresh = false;
                    self.joined += 1;
                    return Ok(Join::Continues);
                }
                Fill::End => break,
                Fill::CutOff => {
                    let detail = "the file ends inside a compressed member";
                    self.problem(offset, ProblemKind::Truncated, detail.to_owned());
                    self.seek_member()?;
                    break;
                }
                Fill::Broken(why) => {
                    self.problem(offset, ProblemKind::BadCompression, why);
                    self.seek_member()?;
                    break;
                }
            }
        }
        self.member_fresh = true;
        if let Some(open) = &mut self.open {
            open.ended = Some(end);
        }
        Ok(Join::Ends)
    }

    /// Offset in the file to report for the present place.
    fn place(&self) -> u64 {
        if self.members.is_plain() { self.members.file_offset() } else { self.members.member_offset() }
    }

    fn fill(&mut self) -> Result<Fill, WarcError> {
        self.members.fill().map_err(|source| self.io(source))
    }

    fn io(&self, source: io::Error) -> WarcError {
        WarcError::Io { path: self.name.clone(), source }
    }

    fn problem(&mut self, offset: u64, kind: ProblemKind, detail: String) {
        self.problems.push(Problem::new(offset, kind, detail).in_member(self.begins_in));
    }
}

impl<R: Read> BufRead for ArchiveReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.block_chunk().map_err(|error| match error {
            WarcError::Io { source, .. } => source,
            other => io::Error::other(other),
        })
    }

    fn consume(&mut self, len: usize) {
        if let Some(open) = &mut self.open {
            let len = usize::try_from(open.remaining).unwrap_or(usize::MAX).min(len);
            open.remaining -= len as u64;
            self.members.consume(len);
        }
    }
}

impl<R: Read> Read for ArchiveReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let len = chunk.len().min(out.len());
        out[..len].copy_from_slice(&chunk[..len]);
        self.consume(len);
        Ok(len)
    }
}

fn leading_breaks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == b'\r' || byte == b'\n').count()
}
