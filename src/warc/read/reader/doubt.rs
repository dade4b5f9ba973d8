//! Lengths that cannot be right. In a plain file nothing but its declared
//! length tells where a block ends; one that is too large takes what follows
//! for its own. Where neither a line break nor a record stands at the end that
//! is declared, the block is searched for the record that follows.

use super::super::super::findings::Findings;
use super::super::super::{ProblemKind, WarcError};
use super::super::head::{self, MAX_HEAD_BYTES, Start, record_start};
use super::super::members::Fill;
use super::{ArchiveReader, State, WARC_BREAKS, leading_breaks};
use std::fs::File;
use std::io::Read;

/// What ends a block, and what begins the record behind it.
const NEXT: &[u8] = b"\r\n\r\nWARC/";

/// Bytes looked at behind a block.
const BEHIND: usize = 32;

/// Looks at any place of a file while it is read from another.
pub(super) struct Probe {
    file: File,
    /// Where the bytes that are read begin in it, and how many they are.
    base: u64,
    len: u64,
    /// They end as the last record should: what stands there is no torn record.
    ends_well: bool,
}

impl Probe {
    /// Of a file on a disk; a pipe has no other place than its own.
    pub(super) fn of(file: &File) -> Option<Self> {
        let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Self::within(file, 0, meta.len())
    }

    /// Of a part of a file. Where a look would move the place at which the
    /// file is read, there is none.
    fn within(file: &File, base: u64, len: u64) -> Option<Self> {
        if !cfg!(unix) {
            return None;
        }
        let mut probe = Self { file: file.try_clone().ok()?, base, len, ends_well: false };
        let mut end = [0; WARC_BREAKS];
        let looked = probe.read_at(&mut end, len.checked_sub(WARC_BREAKS as u64)?);
        probe.ends_well = looked.is_some() && NEXT.starts_with(&end);
        Some(probe)
    }

    /// Whether a block may end at this offset. One that ends behind the file
    /// was cut off by the end of it, unless that is the end of a record.
    fn may_end(&self, offset: u64) -> bool {
        let mut behind = [0; BEHIND];
        match self.len.checked_sub(offset) {
            None => !self.ends_well,
            Some(left) => {
                let len = left.min(BEHIND as u64) as usize;
                // What cannot be looked at is believed.
                self.read_at(&mut behind[..len], offset).is_none_or(|()| may_stand_behind(&behind[..len]))
            }
        }
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
        self.probe = Probe::within(file, base, len);
        self
    }

    /// From here on, declared lengths are believed, whatever stands behind.
    pub(in crate::warc) fn believing_lengths(mut self) -> Self {
        self.probe = None;
        self
    }

    /// Whether the block at hand, declared with `length` bytes, ends elsewhere.
    pub(super) fn doubts(&self, length: u64) -> bool {
        let Some(probe) = self.probe.as_ref().filter(|_| self.members.is_plain()) else { return false };
        let window = self.members.window();
        let behind = usize::try_from(length).ok().and_then(|length| window.get(length..));
        match behind.and_then(|behind| behind.get(..BEHIND)) {
            Some(behind) => !may_stand_behind(behind),
            None => !self.members.file_offset().checked_add(length).is_some_and(|end| probe.may_end(end)),
        }
    }

    /// How many bytes of the window surely belong to the block in hand, whose
    /// declared length is in doubt. Ends the block where a record follows.
    pub(super) fn sure_bytes(&mut self) -> Result<u64, WarcError> {
        let known = self.open.as_ref().map_or(0, |open| open.sure);
        if known > 0 {
            return Ok(known);
        }
        let sure = self.before_next_record()? as u64;
        if let Some(open) = &mut self.open {
            open.sure = sure;
        }
        Ok(sure)
    }

    fn before_next_record(&mut self) -> Result<usize, WarcError> {
        loop {
            let window = self.members.window();
            let whole = window.len();
            let mut from = 0;
            let sure = loop {
                let Some(at) = memchr::memmem::find(&window[from..], NEXT).map(|at| from + at) else {
                    // What may be its beginning is left for another look.
                    let cut = (1..NEXT.len().min(whole + 1)).rev().find(|&cut| window.ends_with(&NEXT[..cut]));
                    break Some(whole - cut.unwrap_or(0));
                };
                match begins_record(&window[at + WARC_BREAKS..]) {
                    Some(true) if at == 0 => break None,
                    Some(false) => from = at + WARC_BREAKS,
                    _ => break Some(at),
                }
            };
            match sure {
                None => {
                    self.cut_short("a record follows them");
                    return Ok(0);
                }
                Some(0) => match self.fill()? {
                    Fill::More => {}
                    _ if self.members.window() == &NEXT[..WARC_BREAKS] => {
                        self.cut_short("the file ends behind them");
                        return Ok(0);
                    }
                    // It is the block's after all.
                    _ => return Ok(whole),
                },
                Some(sure) => return Ok(sure),
            }
        }
    }

    /// The block ends here, and the line breaks that are due follow.
    fn cut_short(&mut self, why: &str) {
        self.members.consume(WARC_BREAKS);
        let end = self.members.file_offset();
        let Some(open) = &mut self.open else { return };
        let there = open.declared - open.remaining;
        open.remaining = 0;
        open.state = State::Short;
        open.ended = Some(end);
        let (declared, offset) = (open.declared, open.offset);
        let detail = format!("the block is declared with {declared} bytes, {there} are there: {why}");
        self.problem(offset, ProblemKind::Truncated, detail);
    }
}

/// Whether a whole head stands here, with the fields that no record goes
/// without; `None` when more bytes are needed to tell.
fn begins_record(bytes: &[u8]) -> Option<bool> {
    if record_start(bytes) == Start::No {
        return Some(false);
    }
    let Some(len) = head::head_len(bytes, 0) else { return (bytes.len() > MAX_HEAD_BYTES).then_some(false) };
    let head = head::parse(&bytes[..len], &mut Findings::default());
    Some(["WARC-Type", "Content-Length"].iter().all(|name| head.headers.get(name).is_some()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::super::{ProblemKind, RecordBuilder, read_record_at};
    use super::*;
    use crate::uri::CaptureDate;
    use proptest::prelude::*;

    fn record(number: usize, block: &[u8]) -> Vec<u8> {
        let url = format!("http://a.pt/{number}");
        RecordBuilder::response(&format!("urn:test:{number}"), CaptureDate::from_seconds(1_709_283_600), &url)
            .plain(block)
    }

    /// The record declared longer than it is.
    fn stretched(number: usize, block: &[u8], by: usize) -> Vec<u8> {
        let (was, is) =
            (format!("Content-Length: {}\r\n", block.len()), format!("Content-Length: {}\r\n", block.len() + by));
        let text = record(number, block);
        let at = memchr::memmem::find(&text, was.as_bytes()).unwrap();
        [&text[..at], is.as_bytes(), &text[at + was.len()..]].concat()
    }

    /// A URL and a block.
    type Seen = (String, Vec<u8>);

    /// URLs and blocks of a file, and its problems.
    fn read(bytes: &[u8], believing: bool) -> (Vec<Seen>, Vec<(ProblemKind, String)>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        std::fs::write(&path, bytes).unwrap();
        let mut reader = ArchiveReader::open(&path).unwrap();
        if believing {
            reader = reader.believing_lengths();
        }
        let mut records = Vec::new();
        while let Some(record) = reader.next_record(usize::MAX).unwrap() {
            let url = record.head.headers.get("WARC-Target-URI").unwrap();
            if !believing {
                assert_eq!(read_record_at(&path, record.span.offset, usize::MAX).unwrap(), record, "{url}");
            }
            records.push((url, record.block));
        }
        (records, reader.take_problems().into_iter().map(|problem| (problem.kind, problem.detail)).collect())
    }

    fn expected(blocks: &[&[u8]]) -> Vec<Seen> {
        blocks.iter().enumerate().map(|(number, block)| (format!("http://a.pt/{number}"), block.to_vec())).collect()
    }

    #[test]
    fn records_behind_a_length_that_is_too_large_are_read() {
        let long = b"x".repeat(200_000);
        for (by, block) in [(60, &b"two"[..]), (1_000, b"two"), (10_000_000, b"two"), (500, &long), (9_000_000, &long)]
        {
            let bytes = [record(0, b"one"), stretched(1, block, by), record(2, b"three"), record(3, b"four")].concat();
            let (records, problems) = read(&bytes, false);
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
        assert_eq!(read(&bytes, false), (expected(&[&inner, b"two"]), Vec::new()));
        // Its length is right; the record behind it is not.
        let odd = [&record(0, &inner)[..], b"rubbish", &record(1, b"two")].concat();
        assert_eq!(read(&odd, false).0.first(), expected(&[&inner]).first());
        // Torn: what stands in it is none of this file.
        let whole = record(0, &inner);
        let inside = memchr::memmem::find(&whole, b"urn:test:8").unwrap();
        for torn in [&whole[..inside + 30], &whole[..whole.len() - 20], &whole[..whole.len() - 5]] {
            assert_eq!(read(torn, false).0, []);
            assert_eq!(read(torn, true).0, []);
        }
    }

    #[test]
    fn an_end_that_looks_like_a_head_line_is_none() {
        let next = record(1, b"two");
        for word in [&b"Content-Type"[..], b"http://a.pt/1", b"urn:test"] {
            let by = memchr::memmem::find(&next, word).unwrap() + WARC_BREAKS;
            let (records, problems) = read(&[stretched(0, b"one", by), next.clone()].concat(), false);
            assert_eq!(records, expected(&[b"one", b"two"]));
            assert_eq!(problems.len(), 1, "{problems:?}");
        }
    }

    #[test]
    fn the_last_record_may_lie() {
        let (records, problems) = read(&[record(0, b"one"), stretched(1, b"two", 40)].concat(), false);
        assert_eq!(records, expected(&[b"one", b"two"]));
        let detail = "the block is declared with 43 bytes, 3 are there: the file ends behind them";
        assert_eq!(problems, [(ProblemKind::Truncated, detail.to_owned())]);
    }

    #[test]
    fn the_last_record_may_be_cut_off() {
        let whole = [record(0, b"one"), record(1, &b"\r\n\r\nWARC/1".repeat(30))].concat();
        let (records, problems) = read(&whole[..whole.len() - 24], false);
        assert_eq!(records, expected(&[b"one"]));
        let detail = "the block is declared with 300 bytes, 280 are there";
        assert_eq!(problems, [(ProblemKind::Truncated, detail.to_owned())]);
    }

    proptest! {
        #[test]
        fn any_lie_costs_no_other_record(
            blocks in prop::collection::vec("[a-z\r\n]{0,80}", 1..6),
            which in any::<prop::sample::Index>(),
            by in prop_oneof![1..400usize, 1_000..1_000_000usize],
        ) {
            let which = which.index(blocks.len());
            let bytes = blocks.iter().enumerate().flat_map(|(number, block)| match number == which {
                true => stretched(number, block.as_bytes(), by),
                false => record(number, block.as_bytes()),
            });
            let bytes: Vec<u8> = bytes.chain(record(blocks.len(), b"last")).collect();
            let (records, _) = read(&bytes, false);
            let blocks: Vec<&[u8]> = blocks.iter().map(String::as_bytes).chain([&b"last"[..]]).collect();
            let expected = expected(&blocks);
            // A length that ends where another record ends, or in line breaks,
            // looks right.
            prop_assert_eq!(&records[..which], &expected[..which]);
            prop_assert!(records.len() == expected.len() && records == expected || records[which].1.len() == blocks[which].len() + by);
        }
    }
}
