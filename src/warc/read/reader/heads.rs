//! Reads heads of records, wherever the edges of windows and members are.

use super::super::super::findings::Findings;
use super::super::super::{ProblemKind, RecordHead, SharedMember, Span, WarcError};
use super::super::arc::{self, UrlLine};
use super::super::head::{self, MAX_HEAD_BYTES, Start, record_start};
use super::super::members::Fill;
use super::content_length::due_breaks;
use super::damage::describe;
use super::{ArchiveReader, Found, Join, Open, RecordState};
use std::io::Read;

impl<R: Read> ArchiveReader<R> {
    /// Reads the head at the present place.
    pub(super) fn read_head(&mut self) -> Result<Found, WarcError> {
        let offset = self.place();
        let decoded_offset = self.members.decoded_offset();
        let begins_member = std::mem::replace(&mut self.member_fresh, false);
        self.joined = 0;
        self.begins_at = offset;
        self.begins_at_decoded = decoded_offset;
        let place = match begins_member || self.members.is_plain() {
            true => offset,
            false => Span::inside_member(decoded_offset, 0).offset,
        };
        // A member that needs a dictionary from elsewhere cannot be entered.
        let can_be_entered = !self.members.is_plain() && self.members.late_dictionary().is_none();
        let member = SharedMember { offset, decoded_offset: self.members.member_decoded_offset() };
        self.begins_in = can_be_entered.then_some(member);
        self.head_place = place;
        self.gzip_note = self.members.gzip_note().filter(|_| begins_member);
        let mut searched = match self.no_head_end {
            (member, end) if member == self.members.member_decoded_offset() => {
                usize::try_from(end.saturating_sub(decoded_offset)).unwrap_or(0)
            }
            _ => 0,
        };
        let (start, len) = loop {
            let window = self.members.window();
            let start = record_start(window);
            let found = match start {
                Start::Warc => head::head_len(window, searched),
                Start::Arc => memchr::memchr(b'\n', window).map(|end| end + 1),
                Start::No => return Ok(Found::Garbage),
                Start::Unclear => None,
            };
            if matches!(start, Start::Warc | Start::Arc) {
                self.is_archive = true;
            }
            if let Some(len) = found.filter(|&len| len <= MAX_HEAD_BYTES) {
                break (start, len);
            }
            if window.len() > MAX_HEAD_BYTES {
                let end = found.unwrap_or(window.len()).saturating_sub(3) as u64;
                self.no_head_end = (self.members.member_decoded_offset(), decoded_offset + end);
                let detail = format!("the head does not end within {MAX_HEAD_BYTES} bytes");
                self.problem(place, ProblemKind::BadHead, detail);
                return Ok(Found::Garbage);
            }
            let pending = window.len();
            // The empty line may straddle the edge of the window.
            searched = searched.max(pending.saturating_sub(2));
            match self.fill()? {
                Fill::More => {}
                Fill::End if !self.members.is_plain() && self.join(pending)? == Join::Continues => {}
                ended => {
                    // A torn archive may end within its first word.
                    let is_magic = b"WARC/".starts_with(self.members.window());
                    if start == Start::Unclear && !is_magic && !self.is_archive && self.first_garbage.is_none() {
                        self.first_garbage = Some(describe(self.members.window()));
                    }
                    self.members.consume(pending);
                    self.head_ends(place, pending, ended)?;
                    return Ok(Found::Nothing);
                }
            }
        };
        if let Some(kept) = &mut self.head_bytes {
            kept.clear();
            kept.extend_from_slice(&self.members.window()[..len]);
        }
        let mut odd = Findings::default();
        let is_arc = start == Start::Arc;
        let breaks = due_breaks(&self.members.window()[..len]);
        let head = match is_arc {
            true => self.arc_head(len, &mut odd)?,
            false => Some(head::parse(&self.members.window()[..len], &mut odd)),
        };
        let Some(head) = head else { return Ok(Found::Garbage) };
        self.members.consume(if is_arc { 0 } else { len });
        let member = self.begins_in;
        self.problems.extend(odd.into_problems(place).map(|problem| problem.in_member(member)));
        let length = head.content_length;
        let late_dictionary = self.members.late_dictionary();
        let end = self.recovered_end(&head, (!is_arc).then_some(breaks))?;
        let length = end.map_or(length, |(there, _)| there);
        if let Some(end) = end {
            self.name_wrong_length(place, head.content_length, end);
        }
        self.open = Some(Open {
            offset,
            decoded_offset,
            begins_member: begins_member && late_dictionary.is_none(),
            late_dictionary,
            declared: length,
            remaining: length,
            is_arc,
            state: if end.is_none() { RecordState::Sound } else { RecordState::Short },
            ended: None,
        });
        Ok(Found::Head(head))
    }

    pub(super) fn arc_head(&mut self, len: usize, odd: &mut Findings) -> Result<Option<RecordHead>, WarcError> {
        let Some(line) = UrlLine::parse(self.members.window()[..len].trim_ascii_end()) else { return Ok(None) };
        self.members.consume(len);
        if line.is_file_head() {
            // The first line of the block has the version.
            while !self.members.window().contains(&b'\n') && self.members.window().len() < 256 {
                if self.fill()? != Fill::More {
                    break;
                }
            }
            if let Some(version) = arc::version(self.members.window()) {
                self.arc_version = version;
            }
        }
        Ok(Some(line.into_head(&self.arc_version, odd)))
    }
}
