//! Lengths that cannot be right. Nothing but its declared length tells where a
//! block ends; one that is too large takes what follows for its own.
//!
//! In a plain WARC file, where neither line breaks nor a record stand at the
//! end that is declared, the block is searched for the record that follows:
//! the line breaks that are due (those of its head: CR LF or LF) and a head
//! behind them. Of several such places, the one is right at which the block has
//! the digest that is declared; where none is or none fits, the first.
//!
//! A length that ends behind the file may as well be right, and the record
//! torn: it is doubted only where the file ends as a record does, and not while
//! the file may still grow; and what stands at the end is taken for a whole
//! record only where a digest or an HTTP head says so. A record that is taken
//! for whole comes in a second time when the rest of it is there.
//!
//! In a compressed file, a member ends where its record does: only the line
//! breaks at its end are told from the block. ARC files are not doubted: what
//! their line breaks and heads look like is too common in what they hold.

use super::super::super::findings::Findings;
use super::super::super::http::{parse_response_head, response_head_is_whole};
use super::super::super::{DigestCheck, OPEN_SUFFIX, ProblemKind, RecordHead, Span, WarcError};
use super::super::head::{self, MAX_HEAD_BYTES, Start, record_start};
use super::super::members::Fill;
use super::{ArchiveReader, Join, State, WARC_BREAKS, leading_breaks};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What begins the record behind a block and its line breaks.
const NEXT: &[u8] = b"WARC/";

/// Bytes looked at behind a block.
const BEHIND: usize = 32;

/// Bytes that are searched at once.
const CHUNK: usize = 128 * 1024;

/// Bytes of a head that are looked at first.
const FIRST_LOOK: usize = 8 * 1024;

/// Bytes of one file that are searched for a block with the right digest
/// behind the first place at which it may end. A hostile file could declare a
/// wrong one for each of its records, and a length up to its end.
const LOOK_AHEAD: u64 = 64 * 1024 * 1024;

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
    /// What is left of [`LOOK_AHEAD`].
    look_ahead: u64,
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
        Some(Self { file, base, len, extent, look_ahead: LOOK_AHEAD })
    }

    /// Whether nothing was done yet that another one would not do as well.
    pub(super) fn is_fresh(&self) -> bool {
        self.look_ahead == LOOK_AHEAD
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
    /// end.
    fn ending(&mut self, begin: u64, head: &RecordHead, breaks: &[u8]) -> Option<Ending> {
        let declared = head.content_length;
        let there = self.len.checked_sub(begin)?;
        if declared <= there {
            return match self.search(begin, declared, head, breaks) {
                Searched::Proven(at) if at == declared => None,
                Searched::Proven(at) | Searched::Likely(at) => Some((at, "a record follows them")),
                Searched::Unproven | Searched::Nothing => None,
            };
        }
        let end = there.checked_sub(breaks.len() as u64);
        let mut last = [0; WARC_BREAKS];
        let last = &mut last[..breaks.len()];
        let end = end.filter(|end| self.read_at(last, begin + end).is_some() && last == breaks);
        if self.extent == Extent::Record {
            return Some((end?, "its record ends behind them"));
        }
        let ends = "the file ends behind them";
        // Without an end that looks right, or while it may be none, the record
        // may be torn, and those in it may be of an archive that it holds.
        let is_end = end.is_some() && self.extent != Extent::Growing;
        match self.search(begin, end.unwrap_or(there), head, breaks) {
            Searched::Proven(at) if end == Some(at) => Some((at, ends)),
            Searched::Proven(at) => Some((at, "a record follows them")),
            Searched::Likely(at) => is_end.then_some((at, "a record follows them")),
            Searched::Unproven => None,
            Searched::Nothing => end.filter(|&end| is_end && self.is_whole(begin, end, head)).map(|end| (end, ends)),
        }
    }

    /// Searches the first `len` bytes of a block for its end.
    fn search(&mut self, begin: u64, len: u64, head: &RecordHead, breaks: &[u8]) -> Searched {
        let next = [breaks, NEXT].concat();
        let finder = memchr::memmem::Finder::new(&next);
        let field = head.headers.get_text("WARC-Block-Digest");
        let mut digest = field.and_then(|field| DigestCheck::new(&field)).filter(DigestCheck::is_readable);
        let mut first = None;
        let mut buffer = vec![0; CHUNK];
        // Bytes of the block before `buffer`; they are in the digest.
        let mut at = 0;
        while at < len {
            let here = (self.len - begin - at).min(CHUNK as u64) as usize;
            let bytes = &mut buffer[..here];
            if self.read_at(bytes, begin + at).is_none() {
                // What cannot be looked at is believed.
                return Searched::Unproven;
            }
            let mut digested = 0;
            for found in finder.find_iter(bytes) {
                let place = at + found as u64;
                if place >= len {
                    break;
                }
                if let Some(digest) = &mut digest {
                    digest.update(&bytes[digested..found]);
                    digested = found;
                    if digest.clone().holds() {
                        return Searched::Proven(place);
                    }
                }
                if first.is_none() && self.begins_record(begin + place + breaks.len() as u64) {
                    if digest.is_none() {
                        return Searched::Likely(place);
                    }
                    first = Some(place);
                }
            }
            // What may be the beginning of a place is left for another look.
            let done = if at + here as u64 >= len { (len - at) as usize } else { here - (next.len() - 1) };
            if let Some(digest) = &mut digest {
                digest.update(&bytes[digested.min(done)..done]);
            }
            at += done as u64;
            if first.is_some() {
                self.look_ahead = self.look_ahead.saturating_sub(done as u64);
                if self.look_ahead == 0 {
                    break;
                }
            }
        }
        match (first, digest) {
            (_, Some(digest)) if at == len && digest.clone().holds() => Searched::Proven(len),
            (Some(first), _) => Searched::Likely(first),
            (None, Some(_)) => Searched::Unproven,
            (None, None) => Searched::Nothing,
        }
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
        let mut message = vec![0; len.min(MAX_HTTP_HEAD as u64) as usize];
        if !head.is_http() || self.read_at(&mut message, begin).is_none() || !response_head_is_whole(&message) {
            return false;
        }
        let Some(http) = parse_response_head(&message) else { return true };
        let said = http.headers.get_trimmed("Content-Length").and_then(|said| said.parse::<u64>().ok());
        said.is_none_or(|said| len - http.head_len as u64 >= said)
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
    pub(super) fn doubt(&mut self, head: &RecordHead, breaks: &[u8]) -> Option<Ending> {
        let probe = self.probe.as_mut().filter(|_| self.members.is_plain())?;
        let window = self.members.window();
        let begin = self.members.file_offset();
        let behind = usize::try_from(head.content_length).ok().and_then(|length| window.get(length..));
        let is_right = match behind.and_then(|behind| behind.get(..BEHIND)) {
            Some(behind) => may_stand_behind(behind),
            None => begin.checked_add(head.content_length).is_some_and(|end| probe.may_end(end)),
        };
        if is_right { None } else { probe.ending(begin, head, breaks) }
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
mod tests {
    use super::super::super::super::{ProblemKind, RecordBuilder, read_record_at, read_record_in, sha1_base32};
    use super::*;
    use crate::uri::CaptureDate;
    use proptest::prelude::*;

    fn builder(number: usize) -> RecordBuilder {
        let url = format!("http://a.pt/{number}");
        RecordBuilder::response(&format!("urn:test:{number}"), CaptureDate::from_seconds(1_709_283_600), &url)
    }

    /// A record that tells the digest of its block.
    fn proven(number: usize, block: &[u8]) -> Vec<u8> {
        builder(number).plain(block)
    }

    /// One that does not.
    fn record(number: usize, block: &[u8]) -> Vec<u8> {
        without_digest(&proven(number, block))
    }

    fn without_digest(record: &[u8]) -> Vec<u8> {
        let from = memchr::memmem::find(record, b"WARC-Block-Digest: ").unwrap();
        let to = from + memchr::memchr(b'\n', &record[from..]).unwrap() + 1;
        [&record[..from], &record[to..]].concat()
    }

    /// The record declared longer than it is.
    fn stretched(text: &[u8], by: usize) -> Vec<u8> {
        let from = memchr::memmem::find(text, b"Content-Length: ").unwrap() + 16;
        let to = from + memchr::memchr(b'\r', &text[from..]).unwrap();
        let length: usize = std::str::from_utf8(&text[from..to]).unwrap().parse().unwrap();
        [&text[..from], (length + by).to_string().as_bytes(), &text[to..]].concat()
    }

    /// A message without a word of its length.
    fn http(body: &str) -> Vec<u8> {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes()
    }

    /// A URL and a block.
    type Seen = (String, Vec<u8>);

    /// URLs and blocks of a file, and its problems.
    fn read_as(name: &str, bytes: &[u8]) -> (Vec<Seen>, Vec<(ProblemKind, String)>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut reader = ArchiveReader::open(&path).unwrap();
        let mut records = Vec::new();
        while let Some(record) = reader.next_record(usize::MAX).unwrap() {
            // None where a wrong length ends, by chance, before what looks like a head.
            let url = record.head.headers.get("WARC-Target-URI").unwrap_or_default();
            assert_eq!(read_record_at(&path, record.span.offset, usize::MAX).unwrap(), record, "{url}");
            records.push((url, record.block));
        }
        (records, reader.take_problems().into_iter().map(|problem| (problem.kind, problem.detail)).collect())
    }

    fn read(bytes: &[u8]) -> (Vec<Seen>, Vec<(ProblemKind, String)>) {
        read_as("a.warc", bytes)
    }

    fn expected(blocks: &[&[u8]]) -> Vec<Seen> {
        blocks.iter().enumerate().map(|(number, block)| (format!("http://a.pt/{number}"), block.to_vec())).collect()
    }

    #[test]
    fn records_behind_a_length_that_is_too_large_are_read() {
        let long = b"x".repeat(200_000);
        for (by, block) in [(60, &b"two"[..]), (1_000, b"two"), (10_000_000, b"two"), (500, &long), (9_000_000, &long)]
        {
            let bytes =
                [record(0, b"one"), stretched(&record(1, block), by), record(2, b"three"), record(3, b"four")].concat();
            let (records, problems) = read(&bytes);
            assert_eq!(records, expected(&[b"one", block, b"three", b"four"]), "{by}");
            let (declared, there) = (block.len() + by, block.len());
            let detail =
                format!("the block is declared with {declared} bytes, {there} are there: a record follows them");
            assert_eq!(problems, [(ProblemKind::Truncated, detail)], "{by}");
        }
    }

    #[test]
    fn an_archive_inside_a_record_stays_inside() {
        let inner = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), record(7, b"seven"), record(8, b"eight")].concat();
        let bytes = [record(0, &inner), record(1, b"two")].concat();
        assert_eq!(read(&bytes), (expected(&[&inner, b"two"]), Vec::new()));
        // Its length is right; the record behind it is not.
        let odd = [&record(0, &inner)[..], b"rubbish", &record(1, b"two")].concat();
        assert_eq!(read(&odd).0.first(), expected(&[&inner]).first());
        // Torn: what stands in it is none of this file.
        let whole = record(0, &inner);
        let inside = memchr::memmem::find(&whole, b"urn:test:8").unwrap();
        for torn in [&whole[..inside + 30], &whole[..whole.len() - 20], &whole[..whole.len() - 5]] {
            assert_eq!(read(torn).0, []);
            assert_eq!(read_as("a.warc.open", torn).0, []);
        }
    }

    #[test]
    fn an_end_that_looks_like_a_head_line_is_none() {
        let next = record(1, b"two");
        for word in [&b"Content-Type"[..], b"http://a.pt/1", b"urn:test"] {
            let by = memchr::memmem::find(&next, word).unwrap() + WARC_BREAKS;
            let (records, problems) = read(&[stretched(&record(0, b"one"), by), next.clone()].concat());
            assert_eq!(records, expected(&[b"one", b"two"]));
            assert_eq!(problems.len(), 1, "{problems:?}");
        }
    }

    #[test]
    fn the_last_record_may_lie() {
        let whole = http("two");
        for (bytes, block) in [(record(1, &whole), &whole[..]), (proven(1, b"two"), b"two")] {
            let (records, problems) = read(&[record(0, b"one"), stretched(&bytes, 40)].concat());
            assert_eq!(records, expected(&[b"one", block]));
            let (declared, there) = (block.len() + 40, block.len());
            let detail =
                format!("the block is declared with {declared} bytes, {there} are there: the file ends behind them");
            assert_eq!(problems, [(ProblemKind::Truncated, detail)]);
        }
    }

    #[test]
    fn the_last_record_may_be_cut_off() {
        let whole = [record(0, b"one"), record(1, &b"\r\n\r\nWARC/1".repeat(30))].concat();
        let (records, problems) = read(&whole[..whole.len() - 24]);
        assert_eq!(records, expected(&[b"one"]));
        let detail = "the block is declared with 300 bytes, 280 are there";
        assert_eq!(problems, [(ProblemKind::Truncated, detail.to_owned())]);
    }

    #[test]
    fn a_record_that_is_cut_off_where_lines_end_is_torn() {
        let body = "a\r\n\r\nb\r\n\r\nc";
        let told = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
        let (head, text) = (http(""), http(body));
        let no_http =
            RecordBuilder::new(&crate::warc::RecordType::Resource, "urn:test:1", CaptureDate::from_seconds(0));
        let no_http = no_http.field("WARC-Target-URI", "http://a.pt/1").plain(&text);
        let no_http = without_digest(&no_http);
        for (cut, whole) in [
            (head.len(), record(1, &text)),
            (head.len() + 5, proven(1, &text)),
            (head.len() + 10, proven(1, &text)),
            (told.len() - 1, record(1, &told)),
            (head.len() + 5, no_http),
        ] {
            let block_at = memchr::memmem::find(&whole, b"\r\n\r\n").unwrap() + 4;
            let torn = [&record(0, b"one"), &whole[..block_at + cut]].concat();
            assert!(torn.ends_with(b"\r\n\r\n"));
            let (records, problems) = read(&torn);
            assert_eq!(records, expected(&[b"one"]), "{problems:?}");
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!(problems[0].0, ProblemKind::Truncated);
        }
    }

    #[test]
    fn what_is_still_written_ends_anywhere() {
        let torn = [record(0, b"one"), stretched(&record(1, &http("two")), 40)].concat();
        assert_eq!(read(&torn).0.len(), 2);
        assert_eq!(read_as("a.warc.open", &torn).0, expected(&[b"one"]));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        std::fs::write(&path, &torn).unwrap();
        let mut reader = ArchiveReader::open(&path).unwrap();
        assert_eq!(reader.next_record(9).unwrap().unwrap().block, b"one");
        let more = record(2, b"three");
        std::io::Write::write_all(&mut File::options().append(true).open(&path).unwrap(), &more).unwrap();
        let rest = std::iter::from_fn(|| reader.next_record(99).unwrap()).map(|record| record.block);
        assert_eq!(rest.collect::<Vec<_>>(), [http("two"), b"three".to_vec()]);
    }

    #[test]
    fn a_block_ends_where_it_has_its_digest() {
        let inner = [http(""), record(7, b"seven"), record(8, b"eight"), b"rest".to_vec()].concat();
        for by in [20, 40, 90, 1_000_000] {
            for last in [record(1, b"two"), Vec::new()] {
                let lie = stretched(&proven(0, &inner), by);
                let mut blocks = vec![&inner[..]];
                blocks.extend((!last.is_empty()).then_some(&b"two"[..]));
                assert_eq!(read(&[lie.clone(), last.clone()].concat()).0, expected(&blocks), "{by}");
                // Also where the file ends in a torn record.
                let torn = [&lie, &last[..], &record(9, b"nine")[..90]].concat();
                assert_eq!(read(&torn).0, expected(&blocks), "{by}");
                assert_eq!(read_as("a.warc.open", &torn).0, expected(&blocks), "{by}");
            }
        }
        // A wrong digest says nothing: the first record that follows ends it.
        let wrong = String::from_utf8(proven(0, b"one")).unwrap().replace(&sha1_base32(b"one"), &sha1_base32(b"?"));
        let (records, _) = read(&[stretched(wrong.as_bytes(), 300), record(1, b"two"), record(2, b"three")].concat());
        assert_eq!(records, expected(&[b"one", b"two", b"three"]));
    }

    #[test]
    fn a_file_of_bare_line_feeds_is_searched_too() {
        let lines = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("\r\n", "\n").into_bytes();
        let lie = lines(stretched(&record(1, b"two"), 500));
        let (records, problems) = read(&[lines(record(0, b"one")), lie, lines(record(2, b"three"))].concat());
        assert_eq!(records, expected(&[b"one", b"two", b"three"]));
        let short = problems.iter().filter(|problem| problem.0 == ProblemKind::Truncated).count();
        assert_eq!(short, 1, "{problems:?}");
    }

    #[test]
    fn the_end_of_a_known_record_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.zip");
        let (first, lie) = (record(0, b"one"), stretched(&record(1, &http("two")), 40));
        std::fs::write(&path, [&first, &lie, &b"PK and what else stands in a package"[..]].concat()).unwrap();
        let span = Span { offset: first.len() as u64, length: lie.len() as u64 };
        let (record, problems) = read_record_in(&path, span, usize::MAX).unwrap();
        assert_eq!((record.block, record.span), (http("two"), span));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, bytes).unwrap();
        packed.finish().unwrap()
    }

    /// A gzip member or zstd frame of its own for each record.
    fn packed(records: &[Vec<u8>], zstd: bool) -> Vec<u8> {
        let frame = |record: &Vec<u8>| {
            ruzstd::encoding::compress_to_vec(&record[..], ruzstd::encoding::CompressionLevel::Fastest)
        };
        records.iter().flat_map(|record| if zstd { frame(record) } else { gzip(record) }).collect()
    }

    #[test]
    fn the_line_breaks_at_the_end_of_a_member_are_not_of_the_block() {
        let long = http(&"line\r\n\r\n".repeat(100_000));
        for zstd in [false, true] {
            for block in [&http("x")[..], &http(""), &http("x\r\n\r\n"), &http("x\r\n"), b"", b"\r\n", b"abc", &long] {
                let bytes = packed(&[record(0, b"one"), stretched(&record(1, block), 99), record(2, b"three")], zstd);
                let (records, problems) = read(&bytes);
                assert_eq!(records, expected(&[b"one", block, b"three"]), "{}", block.escape_ascii());
                let (declared, there) = (block.len() + 99, block.len());
                let detail = format!("the block is declared with {declared} bytes, {there} are there");
                assert_eq!(problems, [(ProblemKind::Truncated, detail)]);
                // However little is read at once.
                let mut reader = ArchiveReader::new(&bytes[..], Path::new("a.warc.gz")).unwrap();
                let mut read = Vec::new();
                while reader.next_head().unwrap().is_some() {
                    let mut some = [0; 3];
                    let mut block = Vec::new();
                    loop {
                        match reader.read(&mut some).unwrap() {
                            0 => break,
                            len => block.extend_from_slice(&some[..len]),
                        }
                    }
                    assert!(reader.finish_record().unwrap().is_some());
                    read.push(block);
                }
                assert_eq!(read, [b"one", block, b"three"]);
            }
        }
    }

    #[test]
    fn a_head_that_ends_its_member_keeps_its_line_breaks() {
        for kept in [&http("")[..], b"no message\r\n"] {
            let whole = record(0, &[kept, &[b'x'; 500]].concat());
            let short = whole[..whole.len() - 504].to_vec();
            let (records, _) = read(&packed(&[short, record(1, b"two")], false));
            assert_eq!(records, expected(&[kept, b"two"]));
        }
    }

    /// Blocks with what may be taken for the end of one; also with a record of
    /// another archive.
    fn block(with_records: bool) -> impl Strategy<Value = Vec<u8>> {
        let inner = prop_oneof![
            "[a-z\r\n]{0,80}".prop_map(String::into_bytes),
            Just(b"\r\n\r\nWARC/1.1\r\n".to_vec()),
            Just(b"\r\n\r\n".to_vec()),
            Just(if with_records { record(77, b"inside") } else { Vec::new() }),
        ];
        (any::<bool>(), prop::collection::vec(inner, 0..4))
            .prop_map(|(is_http, parts)| [if is_http { http("") } else { Vec::new() }, parts.concat()].concat())
    }

    fn by() -> impl Strategy<Value = usize> {
        prop_oneof![1..400usize, 1_000..1_000_000usize]
    }

    proptest! {
        #[test]
        fn any_lie_costs_no_other_record(
            blocks in prop::collection::vec("[a-z\r\n]{0,80}", 1..6),
            which in any::<prop::sample::Index>(),
            by in by(),
        ) {
            let which = which.index(blocks.len());
            let bytes = blocks.iter().enumerate().flat_map(|(number, block)| match number == which {
                true => stretched(&record(number, block.as_bytes()), by),
                false => record(number, block.as_bytes()),
            });
            let bytes: Vec<u8> = bytes.chain(record(blocks.len(), b"last")).collect();
            let (records, _) = read(&bytes);
            let blocks: Vec<&[u8]> = blocks.iter().map(String::as_bytes).chain([&b"last"[..]]).collect();
            let expected = expected(&blocks);
            // A length that ends where another record ends, or in line breaks,
            // looks right.
            prop_assert_eq!(&records[..which], &expected[..which]);
            prop_assert!(records.len() == expected.len() && records == expected || records[which].1.len() == blocks[which].len() + by);
        }

        /// Whatever stands in the blocks, and torn or not.
        #[test]
        fn any_lie_beside_a_digest_costs_nothing(
            blocks in prop::collection::vec(block(true), 1..6),
            which in any::<prop::sample::Index>(),
            by in by(),
            torn in prop_oneof![Just(0), 5..80usize],
        ) {
            let which = which.index(blocks.len());
            let bytes = blocks.iter().enumerate().flat_map(|(number, block)| match number == which {
                true => stretched(&proven(number, block), by),
                false => proven(number, block),
            });
            let bytes: Vec<u8> = bytes.chain(record(99, b"torn")[..torn].to_vec()).collect();
            let (records, _) = read(&bytes);
            let blocks: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
            let expected = expected(&blocks);
            prop_assert_eq!(&records[..which], &expected[..which]);
            prop_assert!(records == expected || records.get(which).is_none_or(|record| record.1.len() == blocks[which].len() + by));
        }

        #[test]
        fn a_torn_end_is_one_torn_record(
            blocks in prop::collection::vec(block(false), 1..5),
            cut in any::<prop::sample::Index>(),
        ) {
            let records: Vec<_> = blocks.iter().enumerate().map(|(number, block)| proven(number, block)).collect();
            let bytes = records.concat();
            let cut = cut.index(bytes.len());
            let mut end = 0;
            let whole = records.iter().take_while(|record| {
                end += record.len();
                end <= cut + WARC_BREAKS
            });
            let whole = whole.count();
            let (found, problems) = read(&bytes[..cut]);
            let blocks: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(found, expected(&blocks[..whole]));
            prop_assert!(problems.len() <= 1, "{:?}", problems.iter().map(|p| &p.1).collect::<Vec<_>>());
        }
    }
}
