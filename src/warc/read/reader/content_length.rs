//! Recovers from a declared length that runs past the next record.
//!
//! Only its declared length shows where a block ends; one that is too large includes the records behind it.
//! In a plain WARC file, where neither line breaks nor a record follow the declared end, the block is
//! searched for the head of the next record: the line breaks that are due after the block, then a whole head
//! with its type and length. There the block ends, a problem names it, and reading goes on.
//!
//! A length that runs past the end of the file may as well be right and the
//! record torn by a crash: the block is searched only where the file ends in the
//! line breaks that are due, and without a next record it is whole only where
//! its HTTP head does not deny that.
//!
//! In ARC files a length is doubted where no URL line follows the block. Lines
//! that look like one are common in what those files hold: it has to lead on to
//! the line behind its own block, or to an HTTP head. Compressed files have an
//! end for each record of their own.

use super::super::super::findings::Findings;
use super::super::super::http::{parse_response_head, response_head_is_whole};
use super::super::super::{OPEN_SUFFIX, ProblemKind, RecordHead, Span, WarcError};
use super::super::arc;
use super::super::head::{self, MAX_HEAD_BYTES, Start, record_start};
use super::{ArchiveReader, WARC_BREAKS, leading_breaks};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are read behind a declared end.
const BEHIND: usize = 32;

/// Bytes that are searched first: most blocks are short.
const FIRST_CHUNK: usize = 4 * 1024;

/// Bytes that are searched at once in the end.
const CHUNK: usize = 128 * 1024;

/// Bytes of a block that are searched, so that reading one record stays short.
const SEARCHED: u64 = 64 * 1024 * 1024;

/// An HTTP head longer than this is not read.
const MAX_HTTP_HEAD: u64 = 64 * 1024;

/// End of a chunked body.
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Beginning of a head, in any case.
const MAGIC: &[u8] = b"WARC/";

/// The line breaks that are due after a block, by the last line of its head.
pub(super) fn due_breaks(head: &[u8]) -> &'static [u8] {
    if head.ends_with(b"\n\n") { b"\n\n" } else { b"\r\n\r\n" }
}

/// Finds the ends of blocks in a file, at any place of it, while it is read
/// from another.
pub(super) struct LengthRecovery {
    file: File,
    /// Where the bytes that are read begin in the file, and how many they are.
    base: u64,
    len: u64,
    extent: Extent,
}

/// Part that ends with the bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// A file, which another program may still write.
    File,
    /// A file whose last record is unfinished.
    Unfinished,
    /// A part of a file.
    Part,
    /// The record that is read: it is known to be whole.
    Record,
}

impl Extent {
    /// Why a block ends where these bytes do.
    fn why(self) -> &'static str {
        match self {
            Self::Record => "its record ends behind them",
            _ => "the file ends behind them",
        }
    }
}

/// End of a block, counted from its beginning, and the reason.
type BlockEnd = (u64, &'static str);

impl LengthRecovery {
    /// Makes one for a file on a disk; none for a pipe, which cannot be read at any place.
    pub(super) fn of(file: &File, name: &Path) -> Option<Self> {
        let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Self::within(file, name, 0, meta.len())
    }

    /// Makes one for a part of a file. None where reading elsewhere would move the place at which the file is
    /// read.
    fn within(file: &File, name: &Path, base: u64, len: u64) -> Option<Self> {
        if !cfg!(unix) {
            return None;
        }
        let extent = match base == 0 && file.metadata().ok()?.len() <= len {
            true if name.as_os_str().as_encoded_bytes().ends_with(OPEN_SUFFIX.as_bytes()) => Extent::Unfinished,
            true => Extent::File,
            false => Extent::Part,
        };
        Some(Self { file: file.try_clone().ok()?, base, len, extent })
    }

    /// Whether a block may end at this offset; that of an ARC record, anywhere
    /// in the file.
    fn may_end_at(&mut self, offset: u64, is_arc: bool) -> bool {
        if offset > self.len
            && self.extent == Extent::File
            && let Ok(meta) = self.file.metadata()
            && meta.len() > self.len
        {
            (self.len, self.extent) = (meta.len(), Extent::Unfinished);
        }
        let Some(left) = self.len.checked_sub(offset) else { return false };
        let mut behind = [0; BEHIND];
        let behind = &mut behind[..left.min(BEHIND as u64) as usize];
        if is_arc {
            return self.may_follow_arc_block(offset);
        }
        // What cannot be read is believed.
        self.read_at(behind, offset).is_none_or(|()| may_follow_block(behind))
    }

    /// Whether a block of an ARC file may end at this offset.
    fn may_follow_arc_block(&self, offset: u64) -> bool {
        let Some(left) = self.len.checked_sub(offset) else { return false };
        let mut line = vec![0; left.min(FIRST_CHUNK as u64) as usize];
        // What cannot be read is believed, and so is a URL that is longer.
        self.read_at(&mut line, offset).is_none_or(|()| arc::may_follow_block(&line).unwrap_or(true))
    }

    /// How many of the first `len` bytes of a block of an ARC file stand before the URL line of the next record.
    fn next_arc_line(&self, begin: u64, len: u64, go_on: impl Fn() -> io::Result<()>) -> io::Result<Option<u64>> {
        let (mut at, mut buffer) = (0, Vec::new());
        while at < len {
            go_on()?;
            let left = self.len.saturating_sub(begin + at);
            buffer.resize(left.min(CHUNK as u64) as usize, 0);
            let Some(()) = self.read_at(&mut buffer, begin + at) else { return Ok(None) };
            for line_break in memchr::memchr_iter(b'\n', &buffer) {
                let from = line_break + 1;
                if at + from as u64 > len {
                    return Ok(None);
                }
                let rest = &buffer[from..];
                if !arc::may_begin_line(rest) {
                    continue;
                }
                let Some(end) = memchr::memchr(b'\n', rest) else { continue };
                let Some(declared) = arc::UrlLine::parse(&rest[..end]).map(|line| line.declared_len()) else {
                    continue;
                };
                let block = begin + at + (from + end + 1) as u64;
                let leads_on = || declared.is_some_and(|len| self.may_follow_arc_block(block.saturating_add(len)));
                let is_http = || rest[end + 1..].get(..5).is_some_and(|begin| begin.eq_ignore_ascii_case(b"HTTP/"));
                if leads_on() || is_http() {
                    let break_len = if buffer[..line_break].ends_with(b"\r") { 2 } else { 1 };
                    return Ok(Some(at + (from - break_len) as u64));
                }
            }
            if buffer.len() as u64 == left {
                return Ok(None);
            }
            // A line that does not end in these bytes is looked at again.
            let kept = memchr::memrchr(b'\n', &buffer).filter(|last| *last > 0).map_or(0, |last| buffer.len() - last);
            at += (buffer.len() - kept) as u64;
        }
        Ok(None)
    }

    /// Finds the end of the block at `begin`, if that is not its declared end. `breaks` are the line breaks
    /// that are due after it; none in an ARC file.
    fn block_end(
        &self,
        begin: u64,
        head: &RecordHead,
        breaks: Option<&[u8]>,
        go_on: impl Fn() -> io::Result<()>,
    ) -> io::Result<Option<BlockEnd>> {
        let Some(there) = self.len.checked_sub(begin) else { return Ok(None) };
        let runs_past = head.content_length > there;
        let end_before = |breaks: &[u8]| {
            let end = there.checked_sub(breaks.len() as u64)?;
            self.ends_with(breaks, begin, there).then_some(end)
        };
        if runs_past && self.extent == Extent::Unfinished {
            return Ok(None);
        }
        let Some(breaks) = breaks else {
            let searched = head.content_length.min(there).min(SEARCHED);
            if self.extent != Extent::Record
                && let Some(end) = self.next_arc_line(begin, searched, go_on)?
            {
                return Ok(Some((end, "a record follows them")));
            }
            if !runs_past {
                return Ok(None);
            }
            // One line break is due; some writers leave it out.
            let mut ends = ["\r\n", "\n", ""].into_iter().filter_map(|breaks| end_before(breaks.as_bytes()));
            let is_known = self.extent == Extent::Record;
            let end = ends.find(|&end| is_known || self.is_whole(begin, end, head, true));
            return Ok(end.map(|end| (end, self.extent.why())));
        };
        let last = end_before(breaks).map(|end| (end, self.extent.why()));
        if runs_past && (last.is_none() || self.extent == Extent::Record) {
            return Ok(last);
        }
        let next = self.next_head(begin, head.content_length.min(there).min(SEARCHED), breaks, go_on)?;
        Ok(match next {
            Some(end) => Some((end, "a record follows them")),
            None => last.filter(|&(end, _)| runs_past && self.is_whole(begin, end, head, false)),
        })
    }

    /// Number of the first `len` bytes of a block before line breaks and a head. A head ends at the first
    /// empty line and the next one begins behind an empty line, so that no byte is read for two heads.
    fn next_head(
        &self,
        begin: u64,
        len: u64,
        breaks: &[u8],
        go_on: impl Fn() -> io::Result<()>,
    ) -> io::Result<Option<u64>> {
        let finder = memchr::memmem::Finder::new(breaks);
        let mut buffer = Vec::new();
        let (mut at, mut chunk) = (0, FIRST_CHUNK);
        while at < len {
            go_on()?;
            let left = self.len - begin - at;
            buffer.resize(left.min(chunk as u64) as usize, 0);
            // What cannot be read is believed.
            let Some(()) = self.read_at(&mut buffer, begin + at) else { return Ok(None) };
            let mut searched = 0;
            // The first place that needs more bytes than these.
            let unclear = loop {
                let Some(found) = finder.find(&buffer[searched..]) else {
                    break searched.max(buffer.len().saturating_sub(breaks.len() - 1));
                };
                let found = searched + found;
                if at + found as u64 >= len {
                    return Ok(None);
                }
                match begins_record(&buffer[found + breaks.len()..]) {
                    Some(true) => return Ok(Some(at + found as u64)),
                    Some(false) => searched = found + 1,
                    None => break found,
                }
            };
            if buffer.len() as u64 == left {
                return Ok(None);
            }
            at += unclear as u64;
            chunk = if unclear == 0 { chunk * 4 } else { (chunk * 4).min(CHUNK) };
        }
        Ok(None)
    }

    /// Whether the HTTP head at the beginning of a block lets its first `len` bytes be all of it. In an ARC
    /// file, the head must declare the length of its body: the file may break off in any line.
    fn is_whole(&self, begin: u64, len: u64, head: &RecordHead, is_arc: bool) -> bool {
        let mut message = vec![0; len.min(MAX_HTTP_HEAD) as usize];
        let is_there = head.is_http() && self.read_at(&mut message, begin).is_some();
        if !is_there || !response_head_is_whole(&message) {
            return false;
        }
        let Some(http) = parse_response_head(&message) else { return false };
        let coding = http.headers.get_trimmed("Transfer-Encoding");
        if coding.is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked")) {
            return self.ends_with(LAST_CHUNK, begin, len);
        }
        let declared = http.headers.get_trimmed("Content-Length").and_then(|declared| declared.parse::<u64>().ok());
        declared.map_or(!is_arc, |declared| len.saturating_sub(http.head_len as u64) >= declared)
    }

    /// Whether the first `len` bytes of a block end so.
    fn ends_with(&self, end: &[u8], begin: u64, len: u64) -> bool {
        let mut there = vec![0; end.len()];
        let at = len.checked_sub(end.len() as u64);
        at.is_some_and(|at| self.read_at(&mut there, begin + at).is_some() && there == end)
    }

    #[cfg(unix)]
    fn read_at(&self, out: &mut [u8], offset: u64) -> Option<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, self.base.checked_add(offset)?).ok()
    }

    #[cfg(not(unix))]
    fn read_at(&self, _: &mut [u8], _: u64) -> Option<()> {
        None
    }
}

/// Whether bytes begin with a whole head that has the fields no record goes without; none where more bytes
/// are needed.
fn begins_record(bytes: &[u8]) -> Option<bool> {
    let begin = &bytes[..bytes.len().min(MAGIC.len())];
    if !MAGIC[..begin.len()].eq_ignore_ascii_case(begin) {
        return Some(false);
    }
    match record_start(bytes) {
        Start::Warc => {}
        Start::Unclear => return None,
        Start::Arc | Start::No => return Some(false),
    }
    match head::head_len(&bytes[..bytes.len().min(MAX_HEAD_BYTES)], 0) {
        Some(len) => {
            let head = head::parse(&bytes[..len], &mut Findings::default());
            Some(["WARC-Type", "Content-Length"].iter().all(|name| head.headers.get(name).is_some()))
        }
        None if bytes.len() >= MAX_HEAD_BYTES => Some(false),
        None => None,
    }
}

/// Whether bytes may follow a block: all the line breaks that are due, or a
/// record, or nothing.
fn may_follow_block(bytes: &[u8]) -> bool {
    let breaks = leading_breaks(bytes);
    breaks >= WARC_BREAKS || breaks == bytes.len() || record_start(&bytes[breaks..]) == Start::Warc
}

impl<R: Read> ArchiveReader<R> {
    /// The bytes that are read are these of a file: from `base` on, `len` of
    /// them. Lengths that cannot be right are found then, as they are in files
    /// that are opened by name.
    #[must_use]
    pub fn backed_by(mut self, file: &File, base: u64, len: u64) -> Self {
        self.length_recovery = LengthRecovery::within(file, &self.name, base, len);
        self
    }

    /// The record at the present place is known to lie in `span`: a length that
    /// ends behind that is wrong.
    pub(in crate::warc::read) fn ending_with(mut self, span: Span) -> Self {
        let end = span.offset.saturating_add(span.length);
        let whole = self.length_recovery.take().filter(|whole| !span.is_inside_member() && end <= whole.len);
        self.length_recovery = whole.map(|whole| LengthRecovery { len: end, extent: Extent::Record, ..whole });
        self
    }

    /// Finds the end of the block at the present place, if that is not its declared end. `breaks` are due
    /// after it; none in an ARC file.
    pub(super) fn recovered_end(
        &mut self,
        head: &RecordHead,
        breaks: Option<&[u8]>,
    ) -> Result<Option<BlockEnd>, WarcError> {
        let Some(recovery) = self.length_recovery.as_mut().filter(|_| self.members.is_plain()) else { return Ok(None) };
        let (declared, is_arc) = (head.content_length, breaks.is_none());
        let begin = self.members.file_offset();
        let behind = usize::try_from(declared).ok().and_then(|declared| self.members.window().get(declared..));
        if is_arc && behind.and_then(arc::may_follow_block) == Some(true) && behind.is_some_and(|bytes| bytes.len() > 2)
        {
            return Ok(None);
        }
        let is_right = match behind.and_then(|behind| behind.get(..BEHIND)) {
            Some(behind) if !is_arc => may_follow_block(behind),
            _ => begin.checked_add(declared).is_some_and(|end| recovery.may_end_at(end, is_arc)),
        };
        if is_right {
            return Ok(None);
        }
        let end = recovery.block_end(begin, head, breaks, || self.members.go_on());
        end.map_err(|source| self.io(source))
    }

    /// Names a block of `there` bytes that is declared with another length.
    pub(super) fn name_wrong_length(&mut self, place: u64, declared: u64, (there, why): BlockEnd) {
        let detail = format!("the block is declared with {declared} bytes, {there} are there: {why}");
        self.problem(place, ProblemKind::Truncated, detail);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
