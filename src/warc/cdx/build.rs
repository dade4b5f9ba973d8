//! The lines of an archive file.

use super::IndexLine;
use super::post::{self, Appended, MAX_REQUEST_BYTES};
use crate::jobs::JobCx;
use crate::uri::CdxKey;
use crate::warc::http::{ContentType, parse_request_head, parse_response_head};
use crate::warc::{ArchiveReader, BlockDigester, Problem, RecordHead, RecordType, Span, WarcError};
use serde_json::{Map, Value};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// How much of a block is looked at for its HTTP head.
const MAX_HEAD: usize = 256 * 1024;

/// What goes into the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexOptions {
    /// Captures that were asked for with a body have it in their keys, as
    /// cdxj-indexer has with `--post-append`: `__wb_method=POST&…`. The request
    /// has to stand right before or after its response.
    pub post_append: bool,
}

/// A record that waits for its neighbour.
struct Waiting {
    record_type: RecordType,
    target: Option<String>,
    id: Option<String>,
    concurrent_to: Option<String>,
    line: Option<IndexLine>,
    asked: Option<Appended>,
}

/// The index lines of a file, in the order of its records; `filename` is what
/// they call the file.
pub fn index_file(
    path: &Path,
    filename: &str,
    options: IndexOptions,
    cx: &JobCx,
) -> Result<(Vec<IndexLine>, Vec<Problem>), WarcError> {
    index_reader(ArchiveReader::open(path)?, filename, options, cx)
}

/// As [`index_file`], from any source.
pub fn index_reader<R: Read>(
    mut reader: ArchiveReader<R>,
    filename: &str,
    options: IndexOptions,
    cx: &JobCx,
) -> Result<(Vec<IndexLine>, Vec<Problem>), WarcError> {
    let mut lines = Vec::new();
    let mut last: Option<Waiting> = None;
    while let Some(head) = reader.next_head()? {
        let io = |source| WarcError::Io { path: Path::new(filename).to_owned(), source };
        let line = if is_indexed(&head) { read_line(&mut reader, &head, filename).map_err(io)? } else { None };
        let wants_request = options.post_append && head.record_type == RecordType::Request;
        let asked = if wants_request { read_request(&mut reader, &head).map_err(io)? } else { None };
        let span = reader.finish_record()?;
        let line = line.zip(span.filter(|span| !span.is_inside_member()));
        let mut present = Waiting {
            target: head.headers.get("WARC-Target-URI"),
            id: head.headers.get("WARC-Record-ID"),
            concurrent_to: head.headers.get("WARC-Concurrent-To"),
            line: line.map(|(line, span)| IndexLine { span, ..line }),
            asked,
            record_type: head.record_type,
        };
        if options.post_append {
            let joined = last.as_mut().is_some_and(|last| join(last, &mut present));
            lines.extend(last.take().and_then(|last| last.line));
            if joined {
                lines.extend(present.line);
            } else {
                last = Some(present);
            }
        } else {
            lines.extend(present.line);
        }
        cx.set_done(reader.file_offset());
        if cx.checkpoint().is_err() {
            break;
        }
    }
    lines.extend(last.and_then(|last| last.line));
    Ok((lines, reader.take_problems()))
}

/// Whether the two are request and response of one capture; the line of the
/// response then gets what was asked.
fn join(first: &mut Waiting, second: &mut Waiting) -> bool {
    if first.target != second.target || second.concurrent_to.is_none() || second.concurrent_to != first.id {
        return false;
    }
    let (request, response) = match (&first.record_type, &second.record_type) {
        (RecordType::Request, RecordType::Response) => (first, second),
        (RecordType::Response, RecordType::Request) => (second, first),
        _ => return false,
    };
    if let (Some(asked), Some(line)) = (request.asked.take(), &mut response.line)
        && let Some(key) = CdxKey::of_text(&asked.url)
    {
        line.key = key;
        line.more.insert("requestBody".to_owned(), asked.query.map_or(Value::Null, Value::from));
        line.more.insert("method".to_owned(), Value::from(asked.method));
    }
    true
}

fn is_indexed(head: &RecordHead) -> bool {
    match head.record_type {
        RecordType::Response | RecordType::Revisit => true,
        RecordType::Resource | RecordType::Metadata => {
            head.headers.get("Content-Type").as_deref() != Some("application/warc-fields")
        }
        _ => false,
    }
}

fn read_request(reader: &mut impl Read, head: &RecordHead) -> io::Result<Option<Appended>> {
    let mut block = Vec::new();
    reader.take(MAX_REQUEST_BYTES as u64).read_to_end(&mut block)?;
    let request = parse_request_head(&block).filter(|_| head.is_http());
    Ok(request.zip(indexed_url(head)).and_then(|(request, url)| {
        let body = block.get(request.head_len..).unwrap_or_default();
        post::append(&url, &request, body)
    }))
}

fn read_line(reader: &mut impl BufRead, head: &RecordHead, filename: &str) -> io::Result<Option<IndexLine>> {
    let (Some(url), Some(date)) = (indexed_url(head), head.date()) else { return Ok(None) };
    let Some(key) = CdxKey::of_text(&url) else { return Ok(None) };
    let told = head.headers.get("WARC-Payload-Digest").filter(|digest| !digest.is_empty());
    let mut digester = told.is_none().then(|| BlockDigester::new(head.is_http()));
    let mut begin = Vec::new();
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() || (digester.is_none() && begin.len() >= MAX_HEAD) {
            break;
        }
        let room = MAX_HEAD.saturating_sub(begin.len()).min(chunk.len());
        begin.extend_from_slice(&chunk[..room]);
        if let Some(digester) = &mut digester {
            digester.update(chunk);
        }
        let len = chunk.len();
        reader.consume(len);
    }
    let http = if head.is_http() { parse_response_head(&begin) } else { None };
    let mime = match (&head.record_type, &http) {
        (RecordType::Revisit, _) => Some("warc/revisit".to_owned()),
        (_, Some(http)) => http.headers.get("Content-Type").map(|value| mime_of(&value)),
        (RecordType::Response, None) if head.is_http() => None,
        _ => head.headers.get("Content-Type").map(|value| mime_of(&value)),
    };
    Ok(Some(IndexLine {
        key,
        date,
        url,
        mime: mime.filter(|mime| !mime.is_empty()),
        status: http.map(|http| http.status).filter(|&status| status > 0),
        digest: told.or_else(|| digester.map(|digester| digester.finish().payload)),
        span: Span::default(),
        filename: filename.to_owned(),
        more: Map::new(),
    }))
}

/// The URL that an index calls the record by.
pub fn indexed_url(head: &RecordHead) -> Option<String> {
    let uri = head.headers.get("WARC-Target-URI")?;
    Some(uri.trim().trim_matches(['<', '>']).replace(' ', "%20"))
}

/// The type without parameters, in the server's own letters.
fn mime_of(value: &str) -> String {
    let lower = ContentType::parse(value).mime;
    let own = value.trim_start().get(..lower.len()).filter(|own| own.eq_ignore_ascii_case(&lower));
    own.map_or(lower.clone(), str::to_owned)
}
