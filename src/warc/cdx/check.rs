//! Checks an index against the archive files that it refers to.

use super::{IndexLine, indexed_url};
use crate::warc::{ArchiveReader, Problem, ProblemKind};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Checks index lines against archive files.
#[derive(Debug, Default)]
pub struct LineCheck {
    /// Lines whose records were found.
    pub found: u64,
    last: Option<(String, String)>,
}

impl LineCheck {
    /// Problems of a line: its offset is not that of the record of its URL and date, the record has another
    /// length, or the line is out of order. `source` is the archive file that the line names; `None` where
    /// there is none.
    ///
    /// # Errors
    ///
    /// When the archive file cannot be read.
    pub fn check_line(&mut self, line: &IndexLine, source: Option<impl Read + Seek>) -> io::Result<Vec<String>> {
        let mut wrong = Vec::new();
        let place = (line.key.as_str().to_owned(), line.date.to_digits14());
        if self.last.as_ref().is_some_and(|last| *last > place) {
            wrong.push("is out of order: replay tools search in sorted lines".to_owned());
        }
        self.last = Some(place);
        match source {
            None => wrong.push(format!("{}: there is no such archive file", line.filename)),
            Some(source) => wrong.extend(check_record(line, source)?),
        }
        self.found += u64::from(wrong.is_empty());
        Ok(wrong)
    }
}

fn check_record(line: &IndexLine, mut source: impl Read + Seek) -> io::Result<Option<String>> {
    let at = format!("{}, offset {}", line.filename, line.span.offset);
    let size = source.seek(SeekFrom::End(0))?;
    if line.span.offset >= size {
        return Ok(Some(format!("{at}: the file has {size} bytes")));
    }
    source.seek(SeekFrom::Start(line.span.offset))?;
    let found = |problems: Vec<Problem>, otherwise: String| match problems.first() {
        // The extent of the search for a record is no property of this place.
        Some(problem) if problem.kind != ProblemKind::Garbage => format!("{at}: {}", problem.detail),
        _ => otherwise,
    };
    let mut reader = match ArchiveReader::new(source, Path::new(&line.filename)) {
        Ok(reader) => reader,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let Ok(Some(head)) = reader.next_head() else {
        return Ok(Some(found(reader.take_problems(), format!("{at}: no record begins here"))));
    };
    let (url, date) = (indexed_url(&head).unwrap_or_default(), head.date().map(|date| date.to_digits14()));
    let Ok(Some(span)) = reader.finish_record() else {
        return Ok(Some(found(reader.take_problems(), format!("{at}: the record is cut off"))));
    };
    // A member that was entered in its middle begins behind the offset.
    if span.offset != 0 {
        return Ok(Some(format!("{at}: no record begins here")));
    }
    if url != line.url || date.as_deref() != Some(&line.date.to_digits14()) {
        let date = date.unwrap_or_default();
        return Ok(Some(format!("{at}: the record here is {url} of {date}")));
    }
    if line.span.length > 0 && span.length != line.span.length {
        return Ok(Some(format!("{at}: the record has {} bytes, not {}", span.length, line.span.length)));
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{IndexOptions, index_reader};
    use super::*;
    use crate::jobs::JobCx;
    use crate::uri::CaptureDate;
    use crate::warc::{RecordBuilder, Span};
    use std::io::Cursor;

    fn file(compressed: bool) -> (Vec<u8>, Vec<IndexLine>) {
        let mut bytes = Vec::new();
        for (index, url) in ["http://a.pt/", "http://b.pt/"].into_iter().enumerate() {
            let date = CaptureDate::from_millis(1_709_283_600_000);
            let record = RecordBuilder::response(&format!("urn:test:{index}"), date, url);
            let member = record.compress(b"HTTP/1.1 200 OK\r\n\r\npage");
            match compressed {
                true => bytes.extend(member),
                false => drop(flate2::read::MultiGzDecoder::new(&member[..]).read_to_end(&mut bytes).unwrap()),
            }
        }
        let reader = ArchiveReader::new(&bytes[..], Path::new("a.warc")).unwrap();
        let (lines, problems) = index_reader(reader, "a.warc", IndexOptions::default(), &JobCx::detached()).unwrap();
        assert!(problems.is_empty());
        (bytes, lines)
    }

    #[test]
    fn a_line_leads_to_its_record_or_is_reported() {
        for compressed in [true, false] {
            let (bytes, lines) = file(compressed);
            let mut check = LineCheck::default();
            for line in &lines {
                assert_eq!(check.check_line(line, Some(Cursor::new(&bytes))).unwrap(), Vec::<String>::new());
            }
            assert_eq!((check.found, lines.len()), (2, 2));
            let mut wrong = |offset: u64, length: u64, url: &str| {
                let span = Span { offset, length };
                let line = IndexLine { span, url: url.to_owned(), ..lines[1].clone() };
                check.check_line(&line, Some(Cursor::new(&bytes))).unwrap().join("; ")
            };
            let Span { offset, length } = lines[1].span;
            assert_eq!(wrong(offset, 0, "http://b.pt/"), "", "a line without a length");
            for (offset, length, url, why) in [
                (offset, length, "http://c.pt/", "the record here is http://b.pt/ of 20240301090000"),
                (0, lines[0].span.length, "http://b.pt/", "the record here is http://a.pt/"),
                (offset, length - 1, "http://b.pt/", "the record has"),
                (offset - 3, length, "http://b.pt/", ""),
                (offset + 3, length, "http://b.pt/", ""),
                (1 << 40, length, "http://b.pt/", "the file has"),
            ] {
                let message = wrong(offset, length, url);
                assert!(message.starts_with("a.warc") && message.contains(why), "{message}");
            }
            let too_long = wrong(0, lines[0].span.length + 1, "http://a.pt/");
            assert!(too_long.contains(&format!("the record has {} bytes", lines[0].span.length)), "{too_long}");
            let none = check.check_line(&lines[0], None::<Cursor<Vec<u8>>>).unwrap();
            assert_eq!(none[0], "is out of order: replay tools search in sorted lines");
            assert_eq!(none[1], "a.warc: there is no such archive file");
        }
    }
}
