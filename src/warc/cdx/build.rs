//! Builds the index lines of an archive file.

use super::IndexLine;
use super::post::{self, Appended, MAX_REQUEST_BYTES};
use crate::jobs::JobCx;
use crate::uri::CdxKey;
use crate::warc::http::{MediaType, parse_request_head, parse_response_head};
use crate::warc::record::ProblemList;
use crate::warc::{
    ArchiveReader, BlockDigester, Problem, RecordHead, RecordType, Span, WarcError, read_file_in_parallel,
    reading_threads,
};
use serde_json::{Map, Value};
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::path::Path;

/// Problems of a file that are listed; further ones are counted.
const MAX_PROBLEMS: usize = 100_000;

/// Bytes of a block that are searched for its HTTP head.
pub const MAX_INDEXED_BEGIN: usize = 256 * 1024;

/// Options for index lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexOptions {
    /// Captures requested with a body have it in their keys, as with `--post-append` of cdxj-indexer:
    /// `__wb_method=POST&…`. The request has to be the record right before or after its response.
    pub post_append: bool,
}

/// Index data of a record, which may wait for that of its neighbour.
struct PendingRecord {
    record_type: RecordType,
    target: Option<String>,
    id: Option<String>,
    concurrent_to: Option<String>,
    line: Option<IndexLine>,
    appended: Option<Appended>,
}

impl PendingRecord {
    fn of(head: &RecordHead, block: &mut dyn BufRead, filename: &str, options: IndexOptions) -> io::Result<Self> {
        let wants_request = options.post_append && head.record_type == RecordType::Request;
        Ok(Self {
            target: head.headers.get("WARC-Target-URI"),
            id: head.headers.get("WARC-Record-ID"),
            concurrent_to: head.headers.get("WARC-Concurrent-To"),
            line: if is_indexed(head) { read_line(block, head, filename)? } else { None },
            appended: if wants_request { read_request(block, head)? } else { None },
            record_type: head.record_type.clone(),
        })
    }
}

/// Lines in the order of their records.
struct LineBuilder {
    options: IndexOptions,
    last: Option<PendingRecord>,
}

/// Receiver of lines.
type Sink<'a> = &'a mut dyn FnMut(IndexLine) -> io::Result<()>;

impl LineBuilder {
    fn new(options: IndexOptions) -> Self {
        Self { options, last: None }
    }

    fn take(&mut self, mut seen: PendingRecord, span: Option<Span>, sink: Sink<'_>) -> io::Result<()> {
        let line = seen.line.take().zip(span.filter(|span| !span.is_inside_member()));
        seen.line = line.map(|(line, span)| IndexLine { span, ..line });
        if !self.options.post_append {
            return seen.line.map_or(Ok(()), sink);
        }
        let joined = self.last.as_mut().is_some_and(|last| join(last, &mut seen));
        if let Some(line) = self.last.take().and_then(|last| last.line) {
            sink(line)?;
        }
        if joined {
            return seen.line.map_or(Ok(()), sink);
        }
        self.last = Some(seen);
        Ok(())
    }

    fn finish(self, sink: Sink<'_>) -> io::Result<()> {
        self.last.and_then(|last| last.line).map_or(Ok(()), sink)
    }
}

/// The index lines of a file, in the order of its records; `filename` is what they call the file. Stops
/// early, with what was found so far, when `cx` is cancelled.
pub fn index_file(
    path: &Path,
    filename: &str,
    options: IndexOptions,
    cx: &JobCx,
) -> Result<(Vec<IndexLine>, Vec<Problem>), WarcError> {
    let mut lines = Vec::new();
    let problems = index_each(path, filename, options, cx, &mut |line| {
        lines.push(line);
        Ok(())
    })?;
    Ok((lines, problems))
}

/// As [`index_file`], each line given to `sink` as soon as it is known.
///
/// # Errors
///
/// Also those of `sink`, which are taken for errors of the system's folder for
/// temporary files.
pub fn index_each(
    path: &Path,
    filename: &str,
    options: IndexOptions,
    cx: &JobCx,
    sink: &mut dyn FnMut(IndexLine) -> io::Result<()>,
) -> Result<Vec<Problem>, WarcError> {
    let mut lines = LineBuilder::new(options);
    let mut problems = ProblemList::new(MAX_PROBLEMS);
    let mut read_to = 0;
    let mut failed = Ok(());
    let see = |head: &RecordHead, block: &mut dyn BufRead| PendingRecord::of(head, block, filename, options);
    let last = read_file_in_parallel(path, reading_threads(), cx, see, |visit| {
        problems.extend(visit.problems);
        failed = lines.take(visit.value, visit.span, sink);
        read_to = visit.read_to;
        cx.set_done(read_to);
        if failed.is_ok() && cx.checkpoint().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let of_sink = |source| WarcError::Io { path: std::env::temp_dir(), source };
    failed.and_then(|()| lines.finish(sink)).map_err(of_sink)?;
    problems.extend(last);
    Ok(problems.take(read_to))
}

/// As [`index_file`], from any source.
pub fn index_reader<R: Read>(
    mut reader: ArchiveReader<R>,
    filename: &str,
    options: IndexOptions,
    cx: &JobCx,
) -> Result<(Vec<IndexLine>, Vec<Problem>), WarcError> {
    let mut lines = LineBuilder::new(options);
    let mut found = Vec::new();
    let mut sink = |line| {
        found.push(line);
        Ok(())
    };
    let io = |source| WarcError::Io { path: Path::new(filename).to_owned(), source };
    while let Some(head) = reader.next_head()? {
        let seen = PendingRecord::of(&head, &mut reader, filename, options).map_err(io)?;
        lines.take(seen, reader.finish_record()?, &mut sink).map_err(io)?;
        cx.set_done(reader.file_offset());
        if cx.checkpoint().is_err() {
            break;
        }
    }
    lines.finish(&mut sink).map_err(io)?;
    Ok((found, reader.take_problems()))
}

/// Whether the two are request and response of one capture; the line of the response then gets the query of
/// the request.
fn join(first: &mut PendingRecord, second: &mut PendingRecord) -> bool {
    if first.target != second.target || second.concurrent_to.is_none() || second.concurrent_to != first.id {
        return false;
    }
    let (request, response) = match (&first.record_type, &second.record_type) {
        (RecordType::Request, RecordType::Response) => (first, second),
        (RecordType::Response, RecordType::Request) => (second, first),
        _ => return false,
    };
    if let (Some(appended), Some(line)) = (request.appended.take(), &mut response.line)
        && let Some(key) = CdxKey::of_text(&appended.url)
    {
        line.key = key;
        line.more.insert("requestBody".to_owned(), appended.query.map_or(Value::Null, Value::from));
        line.more.insert("method".to_owned(), Value::from(appended.method));
    }
    true
}

/// Whether an index has a line for a record with this head.
pub fn is_indexed(head: &RecordHead) -> bool {
    match head.record_type {
        RecordType::Response | RecordType::Revisit => true,
        RecordType::Resource | RecordType::Metadata => {
            head.headers.get_bytes("Content-Type") != Some(b"application/warc-fields")
        }
        _ => false,
    }
}

fn read_request(block: &mut dyn BufRead, head: &RecordHead) -> io::Result<Option<Appended>> {
    let mut bytes = Vec::new();
    block.take(MAX_REQUEST_BYTES as u64).read_to_end(&mut bytes)?;
    let request = parse_request_head(&bytes).filter(|_| head.is_http());
    Ok(request.zip(indexed_url(head)).and_then(|(request, url)| {
        let body = bytes.get(request.head_len..).unwrap_or_default();
        post::append(&url, &request, body)
    }))
}

fn read_line(reader: &mut dyn BufRead, head: &RecordHead, filename: &str) -> io::Result<Option<IndexLine>> {
    let mut digester = declared_digest(head).is_none().then(|| BlockDigester::new(head.is_http()));
    let mut begin = Vec::new();
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() || (digester.is_none() && begin.len() >= MAX_INDEXED_BEGIN) {
            break;
        }
        let room = MAX_INDEXED_BEGIN.saturating_sub(begin.len()).min(chunk.len());
        begin.extend_from_slice(&chunk[..room]);
        if let Some(digester) = &mut digester {
            digester.update(chunk);
        }
        let len = chunk.len();
        reader.consume(len);
    }
    let line = index_line(head, &begin, || digester.map(|digester| digester.finish().payload));
    Ok(line.map(|line| IndexLine { filename: filename.to_owned(), ..line }))
}

/// The payload digest that the head of a record declares; for others an index has one of its own.
pub fn declared_digest(head: &RecordHead) -> Option<String> {
    head.headers.get("WARC-Payload-Digest").filter(|digest| !digest.is_empty())
}

/// The line of a record whose block begins so, with no place yet; none where it has no URL or date. Of a
/// block it takes [`MAX_INDEXED_BEGIN`] bytes. `payload_digest` is called where the head declares none.
pub fn index_line(
    head: &RecordHead,
    begin: &[u8],
    payload_digest: impl FnOnce() -> Option<String>,
) -> Option<IndexLine> {
    let (url, date) = (indexed_url(head)?, head.date()?);
    let key = CdxKey::of_text(&url)?;
    let begin = begin.get(..MAX_INDEXED_BEGIN).unwrap_or(begin);
    let http = if head.is_http() { parse_response_head(begin) } else { None };
    let mime = match (&head.record_type, &http) {
        (RecordType::Revisit, _) => Some("warc/revisit".to_owned()),
        (_, Some(http)) => http.headers.get("Content-Type").map(|value| mime_of(&value)),
        (RecordType::Response, None) if head.is_http() => None,
        _ => head.headers.get("Content-Type").map(|value| mime_of(&value)),
    };
    Some(IndexLine {
        key,
        date,
        url,
        // Indexes write "-" where there is none.
        mime: mime.filter(|mime| !matches!(mime.as_str(), "" | "-")),
        status: http.map(|http| http.status).filter(|&status| status > 0),
        digest: declared_digest(head).or_else(payload_digest),
        span: Span::default(),
        filename: String::new(),
        more: Map::new(),
    })
}

/// The URL that an index calls the record by.
pub fn indexed_url(head: &RecordHead) -> Option<String> {
    let uri = head.headers.get("WARC-Target-URI")?;
    Some(uri.trim().trim_matches(['<', '>']).replace(' ', "%20"))
}

/// The type without parameters, in the server's own letters.
fn mime_of(value: &str) -> String {
    let lower = MediaType::parse(value).mime;
    let own = value.trim_start().get(..lower.len()).filter(|own| own.eq_ignore_ascii_case(&lower));
    own.map_or(lower.clone(), str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{IndexForm, IndexReader, write_sorted};
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::RecordBuilder;

    fn mime(written: &str) -> Option<String> {
        let date = CaptureDate::from_millis(1_709_283_600_000);
        let record = RecordBuilder::response("urn:test:1", date, "http://a.pt/");
        let file = record.compress(format!("HTTP/1.1 200 OK\r\nContent-Type:{written}\r\n\r\npage").as_bytes());
        let reader = ArchiveReader::new(&file[..], Path::new("a.warc.gz")).unwrap();
        let (lines, _) = index_reader(reader, "a.warc.gz", IndexOptions::default(), &JobCx::detached()).unwrap();
        for form in [IndexForm::Cdxj, IndexForm::Cdx11] {
            let mut text = Vec::new();
            write_sorted(&lines, form, &mut text).unwrap();
            let again: Vec<_> = IndexReader::new(&text[..], "index").unwrap().map(Result::unwrap).collect();
            assert_eq!(again[0].mime, lines[0].mime, "{}", String::from_utf8_lossy(&text));
        }
        lines.into_iter().next().unwrap().mime
    }

    #[test]
    fn a_type_that_reads_as_none_is_none() {
        assert_eq!(mime(" text/html; charset=utf-8").as_deref(), Some("text/html"));
        for none in [" -", " ", "", " ; a=b"] {
            assert_eq!(mime(none), None, "{none:?}");
        }
    }
}
