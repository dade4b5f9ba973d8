//! Joins records that were cut into segments (WARC/1.1, clause 7).
//!
//! The first segment has the record's own type and `WARC-Segment-Number: 1`; the others are `continuation`
//! records, possibly in other files, that name it in `WARC-Segment-Origin-ID`. The last one has the whole
//! length.

use super::read::enter_record_in;
use super::{ArchiveReader, RecordFacts, Span, WarcError};
use crate::jobs::JobCx;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Segment of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// File of the segment.
    pub file: PathBuf,
    /// Its place in the file.
    pub span: Span,
    /// `WARC-Segment-Number`, from 1.
    pub number: u64,
    /// Length of its block in bytes.
    pub length: u64,
    /// `WARC-Segment-Total-Length`: this is the last segment.
    pub total: Option<u64>,
}

/// The segments of one record, in order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentSeries(
    /// By number, then in the order they came.
    BTreeMap<(u64, usize), Segment>,
);

/// Flaws of a series that are listed; further ones are counted.
const MAX_FLAWS: usize = 20;

/// Budget for reaching segments that share compressed members: for each run of consecutive ones, the file is
/// decoded from its start. Hostile files could require it at every segment, and with many segmented records
/// at each of these.
pub(super) struct Reach {
    /// Times for which nothing is reckoned.
    free: u32,
    /// Bytes that may be decoded beyond these.
    bytes: u64,
}

impl Reach {
    pub(super) fn new(free: u32, bytes: u64) -> Self {
        Self { free, bytes }
    }

    /// Takes what it costs to come to this place; `false` when so much is not left.
    fn spend(&mut self, place: u64) -> bool {
        /// Cost of opening a file, in bytes that are decoded meanwhile.
        const OPENING: u64 = 16 * 1024;
        if self.free > 0 {
            self.free -= 1;
            return true;
        }
        let left = self.bytes.checked_sub(place.saturating_add(OPENING));
        self.bytes = left.unwrap_or(0);
        left.is_some()
    }
}

impl Default for Reach {
    fn default() -> Self {
        Self::new(64, 4 << 30)
    }
}

impl SegmentSeries {
    /// Adds a segment at its place.
    pub fn add(&mut self, segment: Segment) {
        self.0.insert((segment.number, self.0.len()), segment);
    }

    /// The segments.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.0.values()
    }

    /// Flaws of the series: the segment concerned and a description.
    pub fn flaws(&self) -> Vec<(&Segment, String)> {
        let mut flaws = Vec::new();
        let mut unlisted = 0;
        let mut add_flaw = |segment, what: String| match flaws.len() < MAX_FLAWS {
            true => flaws.push((segment, what)),
            false => unlisted += 1,
        };
        let mut before = 0;
        for segment in self.segments() {
            let number = segment.number;
            match number - before {
                _ if number == 0 => add_flaw(segment, "its number is 0, segments are counted from 1".to_owned()),
                0 => add_flaw(segment, format!("segment {number} is there more than once")),
                1 => {}
                2 => add_flaw(segment, format!("segment {} is missing before segment {number}", number - 1)),
                _ => {
                    let missing = format!("segments {} to {} are missing", before + 1, number - 1);
                    add_flaw(segment, format!("{missing} before segment {number}"));
                }
            }
            before = number;
        }
        let Some(last) = self.0.values().next_back() else { return flaws };
        for early in self.segments().filter(|segment| segment.number < last.number && segment.total.is_some()) {
            add_flaw(early, format!("segment {} has the whole length and is not the last one", early.number));
        }
        if last.total.is_none() {
            add_flaw(last, "the last segment is missing: none has the whole length".to_owned());
        }
        let sum = self.segments().fold(0, |sum: u64, segment| sum.saturating_add(segment.length));
        match last.total {
            Some(total) if total != sum && flaws.is_empty() => {
                flaws.push((last, format!("the segments have {sum} bytes, the last one says {total}")));
            }
            _ if unlisted > 0 => flaws.push((last, format!("and {unlisted} more flaws of these segments"))),
            _ => {}
        }
        flaws
    }

    /// The whole block as a stream, of the segments that are there.
    ///
    /// # Errors
    ///
    /// [`WarcError::NoRecord`] when segments that share compressed members are in so odd an order that a file
    /// would have to be read from its start again and again.
    pub fn joined(&self, cx: &JobCx) -> Result<JoinedBlock, WarcError> {
        self.joined_within(&mut Reach::default(), cx)
    }

    /// As [`joined`](Self::joined), with what is left to spend.
    pub(super) fn joined_within(&self, reach: &mut Reach, cx: &JobCx) -> Result<JoinedBlock, WarcError> {
        let mut segments: Vec<Segment> = self.segments().cloned().collect();
        segments.dedup_by_key(|segment| segment.number);
        for (at, segment) in segments.iter().enumerate().filter(|(_, segment)| segment.span.is_inside_member()) {
            let goes_on = at.checked_sub(1).is_some_and(|before| segment.follows(&segments[before]));
            if !goes_on && !reach.spend(segment.span.decoded_offset()) {
                let why = "to join the segments of its record, the file would have to be read from its start again \
                           and again, since they share compressed members; join those of a copy that \
                           `fonds warc recompress` makes";
                return Err(WarcError::NoRecord {
                    path: segment.file.clone(),
                    offset: segment.span.offset,
                    why: why.to_owned(),
                });
            }
        }
        segments.reverse();
        Ok(JoinedBlock { left: segments, present: None, cx: cx.clone() })
    }
}

impl Segment {
    /// Whether a reader that has read `before` reaches this one by reading on,
    /// where both share their compressed members with others.
    fn follows(&self, before: &Self) -> bool {
        let inside = self.span.is_inside_member() && before.span.is_inside_member();
        inside && self.file == before.file && self.span.decoded_offset() > before.span.decoded_offset()
    }
}

/// The series that segments with this record as their origin make, gathered
/// from `files`. Empty where the record is not segmented.
pub fn find_segments(origin_id: &str, files: &[PathBuf], cx: &JobCx) -> Result<SegmentSeries, WarcError> {
    let mut series = SegmentSeries::default();
    for file in files {
        let mut reader = ArchiveReader::open(file)?;
        while let Some(head) = reader.next_head()? {
            let facts = RecordFacts::of(&head, &[]);
            if origin_of(&facts) == Some(origin_id)
                && let Some(span) = reader.finish_record()?
                && let Some(segment) = segment_of(file, span, &facts, &head)
            {
                series.add(segment);
            }
            cx.set_done(reader.file_offset());
            if cx.checkpoint().is_err() {
                return Ok(series);
            }
        }
    }
    Ok(series)
}

/// The id of the record that a segment belongs to; none for other records.
pub(super) fn origin_of(facts: &RecordFacts) -> Option<&str> {
    match facts.segment {
        Some(1) if facts.segment_origin.is_none() => facts.record_id.as_deref(),
        Some(_) => facts.segment_origin.as_deref(),
        None => None,
    }
}

pub(super) fn segment_of(file: &Path, span: Span, facts: &RecordFacts, head: &super::RecordHead) -> Option<Segment> {
    let total = head.headers.get("WARC-Segment-Total-Length").and_then(|total| total.trim().parse().ok());
    let number = facts.segment?;
    Some(Segment { file: file.to_owned(), span, number, length: facts.content_length, total })
}

/// The blocks of the segments of a record, one after the other, from any files.
pub struct JoinedBlock {
    /// The last one first.
    left: Vec<Segment>,
    present: Option<(Segment, ArchiveReader<File>)>,
    cx: JobCx,
}

impl JoinedBlock {
    /// A reader whose next record is this segment: the present one where it gets there.
    fn reach(&mut self, segment: &Segment) -> Result<Option<ArchiveReader<File>>, WarcError> {
        if !segment.span.is_inside_member() {
            return match enter_record_in(&segment.file, segment.span) {
                Ok((_, reader)) => Ok(Some(reader)),
                Err(WarcError::NoRecord { .. }) => Ok(None),
                Err(error) => Err(error),
            };
        }
        let mut reader = match self.present.take() {
            Some((before, reader)) if segment.follows(&before) => reader,
            _ => ArchiveReader::open(&segment.file)?,
        };
        if !reader.skip_to_decoded(segment.span.decoded_offset(), &self.cx)? {
            return Ok(None);
        }
        Ok(reader.next_head()?.is_some().then_some(reader))
    }
}

impl Read for JoinedBlock {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.cx.checkpoint().map_err(io::Error::other)?;
        loop {
            if let Some((_, reader)) = &mut self.present {
                let len = reader.read(out)?;
                if len > 0 || out.is_empty() {
                    return Ok(len);
                }
            }
            let Some(segment) = self.left.pop() else { return Ok(0) };
            let Some(reader) = self.reach(&segment).map_err(io::Error::other)? else {
                let why = format!("{}: segment {} is not there any more", segment.file.display(), segment.number);
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
            };
            self.present = Some((segment, reader));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::{RecordBuilder, RecordType};
    use std::fs;

    const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);

    fn segment(number: u64, total: Option<u64>) -> RecordBuilder {
        let id = format!("urn:test:{number}");
        let record = match number {
            1 => RecordBuilder::response(&id, DATE, "http://a.pt/"),
            _ => RecordBuilder::new(&RecordType::Continuation, &id, DATE)
                .field("WARC-Target-URI", "http://a.pt/")
                .reference("WARC-Segment-Origin-ID", "urn:test:1"),
        };
        let record = record.field("WARC-Segment-Number", &number.to_string());
        match total {
            Some(total) => record.field("WARC-Segment-Total-Length", &total.to_string()),
            None => record,
        }
    }

    #[track_caller]
    fn check(segments: &[(u64, Option<u64>, &str)], joined: &str, flaws: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        // Each in a file of its own.
        let files: Vec<PathBuf> = segments
            .iter()
            .enumerate()
            .map(|(place, (number, total, block))| {
                let path = folder.path().join(place.to_string());
                let other = RecordBuilder::response("urn:test:other", DATE, "http://b.pt/").compress(b"other");
                fs::write(&path, [other, segment(*number, *total).compress(block.as_bytes())].concat()).unwrap();
                path
            })
            .collect();
        let series = find_segments("urn:test:1", &files, &JobCx::detached()).unwrap();
        let mut whole = String::new();
        series.joined(&JobCx::detached()).unwrap().read_to_string(&mut whole).unwrap();
        assert_eq!(whole, joined);
        assert_eq!(series.flaws().into_iter().map(|(_, flaw)| flaw).collect::<Vec<_>>(), flaws);
    }

    #[test]
    fn segments_are_joined_in_order_across_files() {
        check(&[(3, Some(9), "ghi"), (1, None, "abc"), (2, None, "def")], "abcdefghi", &[]);
        check(&[(1, None, "abc"), (2, Some(3), "")], "abc", &[]);
        check(&[], "", &[]);
    }

    #[test]
    fn gaps_and_lies_are_reported() {
        check(&[(1, None, "abc"), (3, Some(9), "ghi")], "abcghi", &["segment 2 is missing before segment 3"]);
        check(&[(4, Some(9), "ghi")], "ghi", &["segments 1 to 3 are missing before segment 4"]);
        check(&[(1, None, "abc")], "abc", &["the last segment is missing: none has the whole length"]);
        check(&[(1, None, "abc"), (2, Some(9), "d")], "abcd", &["the segments have 4 bytes, the last one says 9"]);
        let twice = [(1, None, "a"), (2, Some(2), "b"), (2, Some(2), "b")];
        check(&twice, "ab", &["segment 2 is there more than once"]);
        let early = [(1, Some(3), "a"), (2, Some(2), "b")];
        check(&early, "ab", &["segment 1 has the whole length and is not the last one"]);
        let zero = [(0, None, "z"), (1, None, "a"), (2, Some(3), "b")];
        check(&zero, "zab", &["its number is 0, segments are counted from 1"]);
        let far = format!("segments 1 to {} are missing before segment {}", u64::MAX - 1, u64::MAX);
        let last = [(u64::MAX, Some(1), "a"), (u64::MAX, Some(1), "a")];
        check(&last, "a", &[&far, &format!("segment {} is there more than once", u64::MAX)]);
    }

    /// `count` segments in one gzip member, in the order of `numbers`.
    fn in_one_member(numbers: impl Iterator<Item = u64>, count: u64) -> (tempfile::TempDir, PathBuf) {
        let record = |number: u64| {
            let total = (number == count).then_some(2 * count);
            segment(number, total).plain(format!("{:02}", number % 100).as_bytes())
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let mut gzip = flate2::write::GzEncoder::new(fs::File::create(&path).unwrap(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, &numbers.flat_map(record).collect::<Vec<u8>>()).unwrap();
        gzip.finish().unwrap();
        (folder, path)
    }

    #[test]
    fn segments_in_a_shared_member_are_read_in_one_go() {
        let (_folder, path) = in_one_member(1..=300, 300);
        let series = find_segments("urn:test:1", &[path], &JobCx::detached()).unwrap();
        let mut joined = String::new();
        let mut once = Reach::new(1, 0);
        let mut block = series.joined_within(&mut once, &JobCx::detached()).unwrap();
        block.read_to_string(&mut joined).unwrap();
        assert_eq!(joined, (1..=300).map(|number| format!("{:02}", number % 100)).collect::<String>());
    }

    #[test]
    fn segments_in_a_hostile_order_are_not_read_again_and_again() {
        let (_folder, path) = in_one_member((1..=300).rev(), 300);
        let series = find_segments("urn:test:1", std::slice::from_ref(&path), &JobCx::detached()).unwrap();
        assert!(series.flaws().is_empty());
        let joined = |series: &SegmentSeries, cx: &JobCx| series.joined_within(&mut Reach::new(64, 0), cx);
        let error = joined(&series, &JobCx::detached()).err().unwrap().to_string();
        assert!(error.contains("fonds warc recompress"), "{error}");
        // A few are joined all the same.
        let (_folder, path) = in_one_member((1..=30).rev(), 30);
        let series = find_segments("urn:test:1", &[path], &JobCx::detached()).unwrap();
        let mut whole = String::new();
        joined(&series, &JobCx::detached()).unwrap().read_to_string(&mut whole).unwrap();
        assert!(whole.starts_with("010203") && whole.ends_with("282930"), "{whole}");
        // Whoever waits for it can stop it.
        let cx = JobCx::detached();
        let mut block = joined(&series, &cx).unwrap();
        cx.cancel();
        assert!(block.read(&mut [0; 10]).unwrap_err().to_string().contains("stopped on request"));
    }

    #[test]
    fn flaws_of_very_many_segments_are_counted() {
        let mut series = SegmentSeries::default();
        for number in (1..=50_000).rev() {
            let (file, span) = (PathBuf::from("a"), Span { offset: number, length: 1 });
            series.add(Segment { file, span, number: 2 * number, length: 1, total: None });
        }
        let flaws: Vec<String> = series.flaws().into_iter().map(|(_, flaw)| flaw).collect();
        assert_eq!((flaws.len(), flaws[0].as_str()), (21, "segment 1 is missing before segment 2"));
        assert_eq!(flaws[20], "and 49981 more flaws of these segments");
    }
}
