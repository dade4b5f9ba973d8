//! Lengths that cannot be right. Nothing but its declared length tells where a
//! block ends; one that is too large takes what follows for its own.
//!
//! In a plain WARC file, where neither line breaks nor a record stand at the
//! end that is declared, the block is searched for the record that follows:
//! the line breaks that are due (those of its head: CR LF or LF) and a head
//! behind them, in capitals or not. Of several such places, the one is right at which the block has
//! the digest that is declared; where none is or none fits, the first.
//!
//! A length that ends behind the file may as well be right, and the record
//! torn: it is doubted only where the file ends as a record does, and not while
//! the file may still grow; and what stands at the end is taken for a whole
//! record only where a digest or an HTTP head says so. A record that is taken
//! for whole comes in a second time when the rest of it is there.
//!
//! In a compressed file, a member ends where its record does: only the line
//! breaks at its end are told from the block. ARC files are not searched: what
//! their line breaks and heads look like is too common in what they hold. Only
//! the length of the last record of one is doubted, where it ends behind the
//! file and the HTTP head says that the file ends where the message does.

use super::super::super::findings::Findings;
use super::super::super::http::{HttpHead, parse_response_head, response_head_is_whole};
use super::super::super::{DigestCheck, OPEN_SUFFIX, ProblemKind, RecordHead, Span, WarcError};
use super::super::head::{self, MAX_HEAD_BYTES, Start, record_start};
use super::super::members::Fill;
use super::{ArchiveReader, Join, State, WARC_BREAKS, leading_breaks};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What begins the record behind a block and its line breaks; some writers
/// write it small, and warcio reads that.
const NEXT: &[u8] = b"WARC/";

/// Bytes looked at behind a block.
const BEHIND: usize = 32;

/// Bytes that are searched at once, in the end: most blocks are short.
const CHUNK: usize = if cfg!(test) { 256 } else { 128 * 1024 };

/// Bytes that are searched first.
const FIRST_CHUNK: usize = if cfg!(test) { 64 } else { 4 * 1024 };

/// Bytes of a head that are looked at first.
const FIRST_LOOK: usize = 8 * 1024;

/// Bytes that are looked at in vain for the blocks that begin in one
/// [`STRETCH`] of a file: in the search for a block with the right digest
/// behind the first place at which it may end, and at places that look like the
/// end of one and are none. A hostile file could declare a wrong digest for
/// each of its records, and a length up to its end.
const LOOK_AHEAD: u64 = 64 * 1024 * 1024;

/// Bytes of a file for which there is one [`LOOK_AHEAD`]: so in all, no more is
/// looked at in vain than the file is long. What was spent before the beginning
/// of a stretch is no matter behind it, and whoever begins to read there finds
/// what one does who has read all before.
const STRETCH: u64 = if cfg!(test) { 16 * 1024 } else { LOOK_AHEAD };

/// What it takes to finish a digest, in bytes that are looked at.
const DIGEST_COST: u64 = 512;

/// An HTTP head longer than this is not waited for.
const MAX_HTTP_HEAD: usize = 64 * 1024;

/// The line breaks that are due after a block, by the last line of its head.
pub(super) fn due_breaks(head: &[u8]) -> &'static [u8] {
    if head.ends_with(b"\n\n") { b"\n\n" } else { b"\r\n\r\n" }
}

/// Looks at any place of a file while it is read from another.
pub(super) struct Probe {
    file: File,
    /// Where the bytes that are read begin in it, and how many they are.
    base: u64,
    len: u64,
    extent: Extent,
    /// What is left of [`LOOK_AHEAD`] in this stretch.
    look_ahead: u64,
    /// The [`STRETCH`] that the block looked at last begins in.
    stretch: u64,
    /// Where bytes are searched.
    buffer: Vec<u8>,
    /// How far into the block that was searched last a record seems to begin,
    /// whose declared length is believed all the same.
    seems: Option<u64>,
}

/// What ends where the bytes end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// A file that has its end, as far as is known.
    File,
    /// A part of one.
    Part,
    /// What was written so far: its last record may be torn anywhere.
    Growing,
    /// The record that is read: it is known to be whole.
    Record,
}

const FILE_ENDS: &str = "the file ends behind them";
const RECORD_ENDS: &str = "its record ends behind them";

/// Where a block ends, counted from its beginning, and why there.
type Ending = (u64, &'static str);

impl Probe {
    /// Of a file on a disk; a pipe has no other place than its own.
    pub(super) fn of(file: &File, name: &Path) -> Option<Self> {
        let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Self::within(file, name, 0, meta.len())
    }

    /// Of a part of a file. Where a look would move the place at which the
    /// file is read, there is none.
    fn within(file: &File, name: &Path, base: u64, len: u64) -> Option<Self> {
        if !cfg!(unix) {
            return None;
        }
        let is_open = name.as_os_str().as_encoded_bytes().ends_with(OPEN_SUFFIX.as_bytes());
        let extent = match base == 0 && file.metadata().ok()?.len() <= len {
            true if is_open => Extent::Growing,
            true => Extent::File,
            false => Extent::Part,
        };
        let file = file.try_clone().ok()?;
        Some(Self { file, base, len, extent, look_ahead: LOOK_AHEAD, stretch: 0, buffer: Vec::new(), seems: None })
    }

    /// Whether another one that begins at this offset would find what this one
    /// finds from there on.
    pub(super) fn is_fresh_at(&self, offset: u64) -> bool {
        self.look_ahead == LOOK_AHEAD || offset / STRETCH > self.stretch
    }

    /// The block that is looked at next begins at this offset.
    fn come_to(&mut self, begin: u64) {
        let stretch = begin / STRETCH;
        if stretch != self.stretch {
            (self.stretch, self.look_ahead) = (stretch, LOOK_AHEAD);
        }
    }

    /// Whether a block may end at this offset. One that ends behind the file
    /// is looked at in any case.
    fn may_end(&mut self, offset: u64) -> bool {
        if offset > self.len {
            self.look_again();
        }
        let mut behind = [0; BEHIND];
        let Some(left) = self.len.checked_sub(offset) else { return false };
        let len = left.min(BEHIND as u64) as usize;
        // What cannot be looked at is believed.
        self.read_at(&mut behind[..len], offset).is_none_or(|()| may_stand_behind(&behind[..len]))
    }

    /// A file that is longer than it was may grow on.
    fn look_again(&mut self) {
        if let Ok(meta) = self.file.metadata()
            && matches!(self.extent, Extent::File | Extent::Growing)
            && meta.len() > self.len
        {
            (self.len, self.extent) = (meta.len(), Extent::Growing);
        }
    }

    /// Where the block that begins at this offset ends, if not at its declared
    /// end. `go_on` tells with an error that the search shall stop.
    fn ending(&mut self, begin: u64, head: &RecordHead, breaks: &[u8], go_on: &GoOn<'_>) -> io::Result<Option<Ending>> {
        let declared = head.content_length;
        let Some(there) = self.len.checked_sub(begin) else { return Ok(None) };
        self.come_to(begin);
        if declared <= there {
            return Ok(match self.search(begin, declared, head, breaks, go_on)? {
                Searched::Proven(at) if at == declared => None,
                Searched::Proven(at) | Searched::Likely(at) => Some((at, "a record follows them")),
                Searched::Unproven | Searched::Nothing => None,
            });
        }
        let end = there.checked_sub(breaks.len() as u64);
        let mut last = [0; WARC_BREAKS];
        let last = &mut last[..breaks.len()];
        let end = end.filter(|end| self.read_at(last, begin + end).is_some() && last == breaks);
        if self.extent == Extent::Record {
            return Ok(end.map(|end| (end, RECORD_ENDS)));
        }
        let ends = FILE_ENDS;
        // Without an end that looks right, or while it may be none, the record
        // may be torn, and those in it may be of an archive that it holds.
        let is_end = end.is_some() && self.extent != Extent::Growing;
        Ok(match self.search(begin, end.unwrap_or(there), head, breaks, go_on)? {
            Searched::Proven(at) if end == Some(at) => Some((at, ends)),
            Searched::Proven(at) => Some((at, "a record follows them")),
            Searched::Likely(at) if is_end || self.http_ends_at(begin, at, head) => Some((at, "a record follows them")),
            Searched::Likely(at) => {
                self.seems = Some(at + breaks.len() as u64);
                None
            }
            Searched::Unproven => None,
            Searched::Nothing => end.filter(|&end| is_end && self.is_whole(begin, end, head)).map(|end| (end, ends)),
        })
    }

    /// Searches the first `len` bytes of a block for its end.
    fn search(
        &mut self,
        begin: u64,
        len: u64,
        head: &RecordHead,
        breaks: &[u8],
        go_on: &GoOn<'_>,
    ) -> io::Result<Searched> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let searched = self.search_with(&mut buffer, begin, len, head, breaks, go_on);
        self.buffer = buffer;
        searched
    }

    fn search_with(
        &mut self,
        buffer: &mut Vec<u8>,
        begin: u64,
        len: u64,
        head: &RecordHead,
        breaks: &[u8],
        go_on: &GoOn<'_>,
    ) -> io::Result<Searched> {
        let next_len = breaks.len() + NEXT.len();
        let over = next_len as u64 - 1;
        let finder = memchr::memmem::Finder::new(breaks);
        let field = head.headers.get_text("WARC-Block-Digest");
        let mut digest = field.and_then(|field| DigestCheck::new(&field)).filter(DigestCheck::is_readable);
        let mut first = None;
        let mut chunk = FIRST_CHUNK;
        // Bytes of the block before `buffer`; they are in the digest.
        let mut at = 0;
        while at < len {
            go_on()?;
            // A place before the end of the block may reach beyond it.
            let wanted = (self.len - begin - at).min(len - at + over);
            let here = wanted.min(chunk as u64) as usize;
            chunk = (chunk * 4).min(CHUNK);
            if buffer.len() < here {
                buffer.resize(here, 0);
            }
            let bytes = &mut buffer[..here];
            if self.read_at(bytes, begin + at).is_none() {
                // What cannot be looked at is believed.
                return Ok(Searched::Unproven);
            }
            let mut digested = 0;
            for found in places(&finder, breaks.len(), bytes) {
                let place = at + found as u64;
                if place >= len {
                    break;
                }
                if self.look_ahead == 0 {
                    return Ok(first.map_or(Searched::Unproven, Searched::Likely));
                }
                if let Some(digest) = &mut digest {
                    digest.update(&bytes[digested..found]);
                    digested = found;
                    if digest.clone().holds() {
                        return Ok(Searched::Proven(place));
                    }
                    self.look_ahead = self.look_ahead.saturating_sub(DIGEST_COST);
                }
                if first.is_some() {
                    continue;
                }
                if self.begins_record(begin + place + breaks.len() as u64) {
                    if digest.is_none() {
                        return Ok(Searched::Likely(place));
                    }
                    first = Some(place);
                } else {
                    self.look_ahead = self.look_ahead.saturating_sub(FIRST_LOOK as u64);
                }
            }
            // What may be the beginning of a place is left for another look.
            let done = if here as u64 == wanted { (len - at) as usize } else { here - (next_len - 1) };
            if let Some(digest) = &mut digest {
                digest.update(&bytes[digested.min(done)..done]);
            }
            at += done as u64;
            if let Some(first) = first {
                self.look_ahead = self.look_ahead.saturating_sub(done as u64);
                if self.look_ahead == 0 {
                    return Ok(Searched::Likely(first));
                }
            }
        }
        Ok(match (first, digest) {
            (_, Some(digest)) if at == len && digest.clone().holds() => Searched::Proven(len),
            (Some(first), _) => Searched::Likely(first),
            (None, Some(_)) => Searched::Unproven,
            (None, None) => Searched::Nothing,
        })
    }

    /// Whether a whole head stands at this offset, with the fields that no
    /// record goes without.
    fn begins_record(&self, offset: u64) -> bool {
        let left = self.len.saturating_sub(offset).min(MAX_HEAD_BYTES as u64) as usize;
        let mut look = 0;
        while look < left {
            look = (look * 8).max(FIRST_LOOK).min(left);
            let mut bytes = vec![0; look];
            if self.read_at(&mut bytes, offset).is_none() || record_start(&bytes) != Start::Warc {
                return false;
            }
            if let Some(len) = head::head_len(&bytes, 0) {
                let head = head::parse(&bytes[..len], &mut Findings::default());
                return ["WARC-Type", "Content-Length"].iter().all(|name| head.headers.get(name).is_some());
            }
        }
        false
    }

    /// Whether the first `len` bytes of a block seem to be all of it: an HTTP
    /// message with a whole head, and a body as long as that says.
    fn is_whole(&self, begin: u64, len: u64, head: &RecordHead) -> bool {
        let Some(message) = self.http_head(begin, len, head) else { return false };
        let Some(http) = parse_response_head(&message) else { return true };
        match HttpLength::of(&http) {
            HttpLength::Told(said) => len.saturating_sub(http.head_len as u64) >= said,
            HttpLength::Chunked => self.ends_with_last_chunk(begin, len),
            HttpLength::Untold => true,
        }
    }

    /// Whether the HTTP head of a block says that it ends after `len` bytes.
    fn http_ends_at(&self, begin: u64, len: u64, head: &RecordHead) -> bool {
        let http = self.http_head(begin, len, head).and_then(|message| parse_response_head(&message));
        http.is_some_and(|http| match HttpLength::of(&http) {
            HttpLength::Told(said) => len.checked_sub(http.head_len as u64) == Some(said),
            HttpLength::Chunked => self.ends_with_last_chunk(begin, len),
            HttpLength::Untold => false,
        })
    }

    /// The beginning of a block of HTTP with a whole head.
    fn http_head(&self, begin: u64, len: u64, head: &RecordHead) -> Option<Vec<u8>> {
        let mut message = vec![0; len.min(MAX_HTTP_HEAD as u64) as usize];
        let is_http = head.is_http() && self.read_at(&mut message, begin).is_some();
        (is_http && response_head_is_whole(&message)).then_some(message)
    }

    fn ends_with_last_chunk(&self, begin: u64, len: u64) -> bool {
        let mut last = [0; LAST_CHUNK.len()];
        let at = len.checked_sub(last.len() as u64);
        at.is_some_and(|at| self.read_at(&mut last, begin + at).is_some() && last == LAST_CHUNK)
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

/// Says by an error that a search shall stop.
type GoOn<'a> = dyn Fn() -> io::Result<()> + 'a;

/// Where line breaks and the word of a head behind them stand in `bytes`.
fn places<'a>(
    finder: &'a memchr::memmem::Finder<'_>,
    breaks: usize,
    bytes: &'a [u8],
) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let found = from + finder.find(&bytes[from..])?;
            // Line breaks before those that are due are of the block.
            from = found + 1;
            let word = bytes.get(found + breaks..found + breaks + NEXT.len())?;
            if word.eq_ignore_ascii_case(NEXT) {
                return Some(found);
            }
        }
    })
}

/// What a chunked body ends with.
const LAST_CHUNK: [u8; 5] = *b"0\r\n\r\n";

/// What an HTTP head says of the length of its body.
enum HttpLength {
    Told(u64),
    /// It ends with a last chunk.
    Chunked,
    Untold,
}

impl HttpLength {
    fn of(http: &HttpHead) -> Self {
        let coding = http.headers.get_trimmed("Transfer-Encoding");
        if coding.is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked")) {
            return Self::Chunked;
        }
        let said = http.headers.get_trimmed("Content-Length").and_then(|said| said.parse().ok());
        said.map_or(Self::Untold, Self::Told)
    }
}

/// What a search for the end of a block came to.
enum Searched {
    /// The block has its digest when it ends here.
    Proven(u64),
    /// The first place at which it may end.
    Likely(u64),
    /// No place, and it does not have the digest that it should have.
    Unproven,
    /// No place, and no digest.
    Nothing,
}

/// Whether bytes may follow a block: all the line breaks that are due, or a
/// record, or nothing.
fn may_stand_behind(bytes: &[u8]) -> bool {
    let breaks = leading_breaks(bytes);
    breaks >= WARC_BREAKS || breaks == bytes.len() || record_start(&bytes[breaks..]) == Start::Warc
}

impl<R: Read> ArchiveReader<R> {
    /// The bytes that are read are these of a file: from `base` on, `len` of
    /// them. Lengths that cannot be right are found out then, as they are in
    /// files that are opened by name.
    #[must_use]
    pub fn backed_by(mut self, file: &File, base: u64, len: u64) -> Self {
        self.probe = Probe::within(file, &self.name, base, len);
        self
    }

    /// From here on, a length that ends behind the file is believed, whatever
    /// stands there: the writer was killed.
    pub(in crate::warc) fn expecting_torn_end(mut self) -> Self {
        if let Some(probe) = &mut self.probe {
            probe.extent = Extent::Growing;
        }
        self
    }

    /// The record at the present place is known to stand in `span`: a length
    /// that ends behind that is wrong.
    pub(in crate::warc::read) fn ending_with(mut self, span: Span) -> Self {
        let end = span.offset.saturating_add(span.length);
        let probe = self.probe.take().filter(|probe| !span.is_inside_member() && end <= probe.len);
        let probe = probe.and_then(|probe| Probe::within(&probe.file, &self.name, probe.base, end));
        self.probe = probe.map(|probe| Probe { extent: Extent::Record, ..probe });
        self
    }

    /// Where the block at hand, which begins at the present place, ends
    /// elsewhere than its head declares.
    pub(super) fn doubt(&mut self, head: &RecordHead, breaks: &[u8]) -> Result<Option<Ending>, WarcError> {
        let Some(probe) = self.probe.as_mut().filter(|_| self.members.is_plain()) else { return Ok(None) };
        probe.seems = None;
        let window = self.members.window();
        let begin = self.members.file_offset();
        let behind = usize::try_from(head.content_length).ok().and_then(|length| window.get(length..));
        let is_right = match behind.and_then(|behind| behind.get(..BEHIND)) {
            Some(behind) => may_stand_behind(behind),
            None => begin.checked_add(head.content_length).is_some_and(|end| probe.may_end(end)),
        };
        if is_right {
            return Ok(None);
        }
        let ending = probe.ending(begin, head, breaks, &|| self.members.go_on());
        ending.map_err(|source| self.io(source))
    }

    /// The same for an ARC file: its last record, where its HTTP message is
    /// whole and ends with the file.
    pub(super) fn doubt_last_of_arc(&mut self, head: &RecordHead) -> Option<Ending> {
        let begin = self.members.file_offset();
        let probe = self.probe.as_mut().filter(|_| self.members.is_plain())?;
        if begin.checked_add(head.content_length)? <= probe.len {
            return None;
        }
        probe.look_again();
        let why = match probe.extent {
            Extent::File => FILE_ENDS,
            Extent::Record => RECORD_ENDS,
            Extent::Part | Extent::Growing => return None,
        };
        let there = probe.len.checked_sub(begin)?;
        // One line break is due; some writers leave it out.
        ["", "\n", "\r\n"].into_iter().find_map(|breaks| {
            let at = there.checked_sub(breaks.len() as u64)?;
            let mut last = vec![0; breaks.len()];
            probe.read_at(&mut last, begin + at)?;
            (last == breaks.as_bytes() && probe.http_ends_at(begin, at, head)).then_some((at, why))
        })
    }

    /// How many bytes of the window are of the block in hand, which is declared
    /// with more: all but the line breaks at the end of its compressed member.
    /// Where nothing is left but these, the block ends.
    pub(super) fn without_breaks(&mut self) -> Result<usize, WarcError> {
        loop {
            let Some(open) = &mut self.open else { return Ok(0) };
            let window = self.members.window();
            let len = window.len();
            if open.is_arc || self.broke.is_some() || len as u64 >= open.remaining {
                return Ok(usize::try_from(open.remaining).unwrap_or(len).min(len));
            }
            let held = (1..=open.breaks.len()).rev().find(|&held| window.ends_with(&open.breaks[..held])).unwrap_or(0);
            let begins = open.remaining == open.declared;
            if begins {
                open.past_head = is_past_head(&window[..len - held]);
            }
            if open.past_head && held < len {
                return Ok(len - held);
            }
            if !open.past_head && !begins {
                return Ok(len);
            }
            match self.members.fill().map_err(|source| self.io(source))? {
                Fill::More => {}
                Fill::End => {
                    let Some(open) = &mut self.open else { return Ok(0) };
                    open.past_head |= begins && len - held < HTTP.len();
                    if !open.past_head || held < open.breaks.len() {
                        return Ok(len);
                    }
                    if held < len {
                        return Ok(len - held);
                    }
                    if self.join(held)? == Join::Ends {
                        self.end_before_breaks()?;
                        return Ok(0);
                    }
                }
                broke => {
                    self.broke = Some(broke);
                    return Ok(len);
                }
            }
        }
    }

    /// The block ends before the line breaks that the window begins with.
    fn end_before_breaks(&mut self) -> Result<(), WarcError> {
        self.block_ends(Fill::End)?;
        if let Some(open) = &mut self.open
            && open.state == State::Short
            // A search for the next member has passed over them.
            && self.members.window().starts_with(open.breaks)
        {
            open.held_back = true;
            self.members.consume(open.breaks.len());
        }
        Ok(())
    }

    /// What the block in hand seems to hold a record at, in words, though its
    /// declared length was believed.
    pub(super) fn seeming_record(&self) -> String {
        match self.probe.as_ref().and_then(|probe| probe.seems) {
            Some(bytes) => format!("; a record seems to begin {bytes} bytes into them"),
            None => String::new(),
        }
    }

    /// Tells that the block in hand, of `there` bytes, is declared with another
    /// length.
    pub(super) fn tell_short(&mut self, place: u64, declared: u64, (there, why): Ending) {
        let detail = format!("the block is declared with {declared} bytes, {there} are there: {why}");
        self.problem(place, ProblemKind::Truncated, detail);
    }
}

/// What an HTTP response begins with.
const HTTP: &[u8] = b"HTTP/";

/// Whether a block that begins so goes on behind its HTTP head, or has none:
/// the line breaks at the end of a head are no others.
fn is_past_head(begin: &[u8]) -> bool {
    let Some(word) = begin.get(..HTTP.len()) else { return false };
    begin.len() > MAX_HTTP_HEAD || !word.eq_ignore_ascii_case(HTTP) || response_head_is_whole(begin)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
