//! Records that were cut into segments (WARC/1.1, clause 7), joined again.
//!
//! The first segment has the record's own type and `WARC-Segment-Number: 1`;
//! the others are `continuation` records, possibly in other files, that name
//! it in `WARC-Segment-Origin-ID`. The last one tells the whole length.

use super::read::open_record_at;
use super::{ArchiveReader, RecordFacts, Span, WarcError};
use crate::jobs::JobCx;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// One segment of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The file it stands in.
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
pub struct SegmentSeries(Vec<Segment>);

impl SegmentSeries {
    /// Adds a segment at its place.
    pub fn add(&mut self, segment: Segment) {
        let at = self.0.partition_point(|other| other.number <= segment.number);
        self.0.insert(at, segment);
    }

    /// The segments.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// What is wrong with the series: the segment it is told of, and words.
    pub fn flaws(&self) -> Vec<(&Segment, String)> {
        let mut flaws = Vec::new();
        let mut due = 1;
        for segment in &self.0 {
            let number = segment.number;
            if number > due {
                let missing = if number - due == 1 {
                    format!("segment {due} is")
                } else {
                    format!("segments {due} to {} are", number - 1)
                };
                flaws.push((segment, format!("{missing} missing before segment {number}")));
            } else if number < due {
                flaws.push((segment, format!("segment {number} is there more than once")));
            }
            due = due.max(number.saturating_add(1));
        }
        let Some(last) = self.0.last() else { return flaws };
        for early in self.0.iter().filter(|segment| segment.number < last.number && segment.total.is_some()) {
            let why = format!("segment {} tells the whole length and is not the last one", early.number);
            flaws.push((early, why));
        }
        let sum = self.0.iter().fold(0, |sum: u64, segment| sum.saturating_add(segment.length));
        match last.total {
            None => flaws.push((last, "the last segment is missing: none tells the whole length".to_owned())),
            Some(total) if total != sum && flaws.is_empty() => {
                flaws.push((last, format!("the segments have {sum} bytes, the last one says {total}")));
            }
            Some(_) => {}
        }
        flaws
    }

    /// The whole block as a stream, of the segments that are there.
    pub fn joined(&self) -> JoinedBlock {
        let mut segments = self.0.clone();
        segments.dedup_by_key(|segment| segment.number);
        segments.reverse();
        JoinedBlock { left: segments, present: None }
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

/// The blocks of the segments of a record, one after the other, whatever
/// files they stand in.
pub struct JoinedBlock {
    /// The last one first.
    left: Vec<Segment>,
    present: Option<ArchiveReader<File>>,
}

impl Read for JoinedBlock {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(reader) = &mut self.present {
                let len = reader.read(out)?;
                if len > 0 || out.is_empty() {
                    return Ok(len);
                }
                self.present = None;
            }
            let Some(segment) = self.left.pop() else { return Ok(0) };
            let mut reader = open_record_at(&segment.file, segment.span.offset).map_err(io::Error::other)?;
            if reader.next_head().map_err(io::Error::other)?.is_none() {
                let why = format!("{}: segment {} is not there any more", segment.file.display(), segment.number);
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
            }
            self.present = Some(reader);
        }
    }
}

/// All segmented records that were met, by the id of their origin.
pub(super) type AllSeries = HashMap<String, SegmentSeries>;

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
        series.joined().read_to_string(&mut whole).unwrap();
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
    fn gaps_and_lies_are_told() {
        check(&[(1, None, "abc"), (3, Some(9), "ghi")], "abcghi", &["segment 2 is missing before segment 3"]);
        check(&[(4, Some(9), "ghi")], "ghi", &["segments 1 to 3 are missing before segment 4"]);
        check(&[(1, None, "abc")], "abc", &["the last segment is missing: none tells the whole length"]);
        check(&[(1, None, "abc"), (2, Some(9), "d")], "abcd", &["the segments have 4 bytes, the last one says 9"]);
        let twice = [(1, None, "a"), (2, Some(2), "b"), (2, Some(2), "b")];
        check(&twice, "ab", &["segment 2 is there more than once"]);
        let early = [(1, Some(3), "a"), (2, Some(2), "b")];
        check(&early, "ab", &["segment 1 tells the whole length and is not the last one"]);
    }
}
