//! Recovers where a record breaks off or is missing: reports the damage and searches for the next record.

use super::super::super::{ProblemKind, WarcError};
use super::super::head::{MAX_HEAD_BYTES, Start, record_start};
use super::super::members::Fill;
use super::{ArchiveReader, RecordState, SEARCH_LIMIT};
use crate::jobs::counted;
use std::io::Read;

/// Bytes shown of a file that is no archive file.
const DESCRIBED: usize = 16;

impl<R: Read> ArchiveReader<R> {
    /// The current block ends before its declared length.
    pub(super) fn block_ends(&mut self, ended: Fill) -> Result<(), WarcError> {
        let plain = self.members.is_plain();
        let Some(open) = &mut self.open else { return Ok(()) };
        let there = open.declared - open.remaining;
        let detail = format!("the block is declared with {} bytes, {there} are there", open.declared);
        let offset = open.place(plain);
        open.remaining = 0;
        open.state = match ended {
            Fill::End if !self.members.is_plain() => RecordState::Short,
            _ => RecordState::Lost,
        };
        match ended {
            Fill::Broken(why) => {
                self.problem(self.members.member_offset(), ProblemKind::BadCompression, why);
                self.seek_member()?;
            }
            Fill::CutOff => {
                self.problem(offset, ProblemKind::Truncated, detail);
                self.seek_member()?;
            }
            Fill::More | Fill::End => self.problem(offset, ProblemKind::Truncated, detail),
        }
        Ok(())
    }

    /// The file or the member ends inside a head of which `len` bytes are there.
    pub(super) fn head_ends(&mut self, offset: u64, len: usize, ended: Fill) -> Result<(), WarcError> {
        match ended {
            Fill::Broken(why) => {
                self.problem(offset, ProblemKind::BadCompression, why);
                self.seek_member()?;
            }
            ended => {
                let detail = format!("header truncated after {}", counted(len as u64, "byte"));
                self.problem(offset, ProblemKind::Truncated, detail);
                if ended == Fill::CutOff {
                    self.seek_member()?;
                }
            }
        }
        Ok(())
    }

    /// After damage: the next member that begins with a record. A member that
    /// seems to be cut off by the end of the file may be a damaged one too.
    pub(super) fn seek_member(&mut self) -> Result<bool, WarcError> {
        let gave_up = self.members.gives_up_damage();
        let found = self.members.seek_member().map_err(|source| self.io(source))?;
        if self.members.gives_up_damage() && !gave_up {
            let detail = "too many damaged members begin within each other: what else begins there is not read";
            self.problem(self.members.member_offset(), ProblemKind::Limit, detail.to_owned());
        }
        match found {
            Some(_) => self.next_member(),
            None => Ok(false),
        }
    }

    /// Passes over what is no record, up to what looks like one in the same
    /// member, and returns the bytes passed over.
    pub(super) fn resync(&mut self) -> Result<u64, WarcError> {
        let offset = self.head_place;
        let mut ended = Fill::More;
        if self.first_garbage.is_none() {
            while ended == Fill::More && self.members.window().len() < DESCRIBED {
                ended = self.fill()?;
            }
            self.first_garbage = Some(describe(self.members.window()));
        }
        let (skipped, ended) = self.pass_garbage(ended, true)?;
        self.problem(offset, ProblemKind::Garbage, format!("{skipped} bytes that belong to no record"));
        match ended {
            Fill::Broken(why) => {
                self.problem(offset, ProblemKind::BadCompression, why);
                self.seek_member()?;
            }
            Fill::CutOff => {
                let detail = "the file ends inside a compressed member";
                self.problem(offset, ProblemKind::Truncated, detail.to_owned());
                self.seek_member()?;
            }
            Fill::More | Fill::End => {}
        }
        Ok(skipped)
    }

    /// Passes over what follows a record in its member and begins no record.
    pub(super) fn pass_garbage_inside(&mut self, offset: u64) -> Result<Fill, WarcError> {
        let (skipped, ended) = self.pass_garbage(Fill::More, false)?;
        if skipped > 0 {
            let detail = format!("{skipped} bytes that belong to no record");
            self.problem(offset, ProblemKind::Garbage, detail);
        }
        Ok(ended)
    }

    /// Passes over lines up to one that begins a record ([`Fill::More`]) or to the end of the member. `ended`
    /// is the result of the last decoding; `known` means that the present line begins no record.
    pub(super) fn pass_garbage(&mut self, mut ended: Fill, mut known: bool) -> Result<(u64, Fill), WarcError> {
        let mut skipped = 0;
        loop {
            let window = self.members.window();
            let line = memchr::memchr(b'\n', window);
            if !known && matches!(record_start(window), Start::Warc | Start::Arc) {
                return Ok((skipped, Fill::More));
            }
            let len = match line {
                Some(end) => end + 1,
                None if window.len() > MAX_HEAD_BYTES => window.len(),
                None if ended == Fill::More => {
                    ended = self.fill()?;
                    continue;
                }
                None => {
                    let rest = window.len();
                    self.members.consume(rest);
                    return Ok((skipped + rest as u64, ended));
                }
            };
            // Without a line break, what follows is the middle of a line.
            known = line.is_none();
            skipped += len as u64;
            self.members.consume(len);
            if !self.is_archive && skipped > SEARCH_LIMIT {
                return Ok((skipped, ended));
            }
        }
    }
}

/// Describes the beginning of a file that is no archive file, for a person.
pub(super) fn describe(bytes: &[u8]) -> String {
    let begin = bytes[..bytes.len().min(DESCRIBED)].escape_ascii();
    let guess = match bytes {
        [b'P', b'K', 3, 4, ..] => ", a zip file: perhaps a WACZ, see fonds wacz check",
        [b'%', b'P', b'D', b'F', ..] => ", a PDF",
        [b'B', b'Z', b'h', ..] => ", a file packed with bzip2: unpack it first",
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => ", a file packed with xz: unpack it first",
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => ", a 7-Zip file: unpack it first",
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => ", a RAR file: unpack it first",
        _ if bytes.get(257..262) == Some(b"ustar") => ", a tar file: unpack it first, then name its folder",
        _ => "",
    };
    format!("it begins with “{begin}”{guess}")
}
