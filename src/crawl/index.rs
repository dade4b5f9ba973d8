//! Captures out of archive files, made here or elsewhere.
//!
//! In: a WARC or ARC file. Out: one [`CaptureEntry`] per response, revisit or
//! resource of a web URL, with the request and metadata records that belong
//! to it. Links come from a metadata record of ours where there is one, else
//! out of the page.
//!
//! Memory is bounded: records of one capture are looked for within a window
//! of [`WINDOW`] captures, and only the last payload is held.

use super::fetch::plain_mime;
use super::notes::CaptureNotes;
use super::outlinks::{MAX_PAGE_BYTES, read_leads};
use super::{CaptureEntry, CrawlError, RecordPlace};
use crate::jobs::JobCx;
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::warc::http::{ContentType, HttpHead, decode_payload, entity_body, parse_response_head};
use crate::warc::{
    ArchiveReader, BlockDigester, Headers, Problem, ProblemKind, RecordHead, RecordType, open_record_at,
};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, Read};
use std::path::Path;

/// Captures between which records of one capture may stand.
pub const WINDOW: usize = 64;
/// Requests and metadata records kept of one capture.
const MAX_OTHERS: usize = 256;
/// Bytes of a metadata record that are read.
const MAX_NOTES_BYTES: usize = 32 << 20;
/// Responses of one file remembered so that revisits can be understood.
const MAX_REMEMBERED: usize = 200_000;
/// Problems kept of one file; further ones are counted.
const MAX_PROBLEMS: usize = 1000;

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Records read.
    pub records: u64,
    /// Captures handed on.
    pub captures: u64,
    /// Captures among them that repeat a payload.
    pub revisits: u64,
    /// Requests and metadata without a capture nearby.
    pub orphans: u64,
    /// Records of other kinds (warcinfo, dns, conversion …).
    pub others: u64,
    /// Damage and oddities, at most a thousand.
    pub problems: Vec<Problem>,
    /// Problems beyond those.
    pub more_problems: u64,
}

/// Reads a file from its beginning and hands its captures to `sink`, in the
/// order they stand. `file_label` is what [`RecordPlace::file`] says.
///
/// # Errors
///
/// When the file is no archive, cannot be read, or `sink` fails. Damage
/// inside the file is no error but a problem in the report.
pub fn index_archive(
    path: &Path,
    file_label: &str,
    sink: impl FnMut(CaptureEntry) -> Result<(), CrawlError>,
    cx: &JobCx,
) -> Result<IndexReport, CrawlError> {
    all_of(index_records(ArchiveReader::open(path)?, file_label, sink, cx))
}

/// As [`index_archive`], from any reader. What was found before an error is
/// told beside it, and all of it has been handed on.
pub fn index_records<R: Read>(
    reader: ArchiveReader<R>,
    file_label: &str,
    sink: impl FnMut(CaptureEntry) -> Result<(), CrawlError>,
    cx: &JobCx,
) -> (IndexReport, Result<(), CrawlError>) {
    Indexer::new(file_label, sink).run(reader, cx)
}

fn all_of((report, ended): (IndexReport, Result<(), CrawlError>)) -> Result<IndexReport, CrawlError> {
    ended.map(|()| report)
}

/// As [`index_archive`], from a place in the file that a record begins at.
pub(super) fn index_archive_from(
    path: &Path,
    offset: u64,
    file_label: &str,
    sink: impl FnMut(CaptureEntry) -> Result<(), CrawlError>,
    cx: &JobCx,
) -> Result<IndexReport, CrawlError> {
    all_of(index_records(open_record_at(path, offset)?, file_label, sink, cx))
}

/// A capture in the making.
#[derive(Default)]
struct Group {
    url: Option<Url>,
    date: Option<CaptureDate>,
    /// Its own record ids and those its records point to.
    ids: Vec<String>,
    entry: Option<CaptureEntry>,
    /// Request and metadata records.
    others: Vec<RecordPlace>,
    notes: Option<CaptureNotes>,
}

/// The payload of the capture read last, until it is known whether notes follow.
struct Held {
    /// Number of its group.
    group: u64,
    status: u16,
    headers: Headers,
    payload: Vec<u8>,
}

/// What links are read from: status, fields and payload.
type Body = (u16, Headers, Vec<u8>);

/// What a revisit may repeat.
struct Remembered {
    status: i32,
    mime: String,
    payload_len: u64,
    title: Option<String>,
    language: Option<String>,
}

struct Indexer<'a, S> {
    label: &'a str,
    sink: S,
    report: IndexReport,
    window: VecDeque<Group>,
    /// Number of the group at the front of the window.
    first: u64,
    held: Option<Held>,
    remembered: HashMap<String, Remembered>,
}

impl<'a, S: FnMut(CaptureEntry) -> Result<(), CrawlError>> Indexer<'a, S> {
    fn new(label: &'a str, sink: S) -> Self {
        Self {
            label,
            sink,
            report: IndexReport::default(),
            window: VecDeque::new(),
            first: 0,
            held: None,
            remembered: HashMap::new(),
        }
    }

    fn run<R: Read>(mut self, mut reader: ArchiveReader<R>, cx: &JobCx) -> (IndexReport, Result<(), CrawlError>) {
        let mut ended = self.read(&mut reader, cx);
        self.take_problems(&mut reader);
        // An error of the reader concerns what comes after it only. Stopped on
        // request, a capture may lack records that the next run will find.
        if cx.is_cancelled() {
            return (self.report, ended);
        }
        if matches!(ended, Ok(()) | Err(CrawlError::Warc(_) | CrawlError::Io { .. })) {
            self.let_go_of_payload();
            while !self.window.is_empty() {
                if let Err(error) = self.flush_one() {
                    ended = Err(error);
                    break;
                }
            }
        }
        (self.report, ended)
    }

    fn read<R: Read>(&mut self, reader: &mut ArchiveReader<R>, cx: &JobCx) -> Result<(), CrawlError> {
        while let Some(head) = reader.next_head()? {
            cx.checkpoint()?;
            self.report.records += 1;
            self.record(reader, &head)?;
            self.take_problems(reader);
        }
        Ok(())
    }

    fn problem(&mut self, problem: Problem) {
        if self.report.problems.len() < MAX_PROBLEMS {
            self.report.problems.push(problem);
        } else {
            self.report.more_problems += 1;
        }
    }

    fn take_problems<R: Read>(&mut self, reader: &mut ArchiveReader<R>) {
        for problem in reader.take_problems() {
            self.problem(problem);
        }
    }

    fn record<R: Read>(&mut self, reader: &mut ArchiveReader<R>, head: &RecordHead) -> Result<(), CrawlError> {
        let is_main = matches!(head.record_type, RecordType::Response | RecordType::Revisit | RecordType::Resource);
        let is_side = matches!(head.record_type, RecordType::Request | RecordType::Metadata);
        let url = head.target_url();
        let Some(url) = url.filter(|_| is_main || is_side) else {
            self.report.others += 1;
            return Ok(());
        };
        // A metadata record is read whole only where it may be one of ours.
        let limit = if is_main { MAX_PAGE_BYTES } else { MAX_NOTES_BYTES };
        let block =
            if head.record_type == RecordType::Request { Block::default() } else { read_block(reader, head, limit)? };
        let Some(span) = reader.finish_record().map_err(CrawlError::from)? else {
            // Cut off or damaged: the reader says so in its problems.
            return Ok(());
        };
        let Some(date) = head.date() else {
            let detail = format!("the {} record of {url} has no readable date", head.record_type);
            self.problem(Problem::new(span.offset, ProblemKind::BadField, detail));
            return Ok(());
        };
        let place = RecordPlace {
            record_type: head.record_type.clone(),
            record_id: head.record_id().unwrap_or_default(),
            file: self.label.to_owned(),
            span,
        };
        if is_main { self.main(head, url, date, place, block) } else { self.side(head, url, date, place, &block) }
    }

    fn main(
        &mut self,
        head: &RecordHead,
        url: Url,
        date: CaptureDate,
        place: RecordPlace,
        block: Block,
    ) -> Result<(), CrawlError> {
        self.let_go_of_payload();
        let http = if head.record_type == RecordType::Resource { None } else { parse_response_head(&block.bytes) };
        let is_http = head.is_http() || head.is_arc();
        let (entry, held) = self.entry_of(head, http.filter(|_| is_http), url.clone(), date, place, block);
        let id = entry.records[0].record_id.clone();
        let found = self
            .window
            .iter()
            .position(|group| group.entry.is_none() && (group.is_named(&url, [&id]) || group.is_like(&url, date)));
        let at = match found {
            Some(at) => at,
            None => self.new_group()?,
        };
        let group = &mut self.window[at];
        (group.url, group.date) = (Some(url), Some(date));
        group.ids.push(id);
        group.entry = Some(entry);
        self.held =
            held.map(|(status, headers, payload)| Held { group: self.first + at as u64, status, headers, payload });
        Ok(())
    }

    /// The entry without links, and what they are read from.
    fn entry_of(
        &self,
        head: &RecordHead,
        http: Option<HttpHead>,
        url: Url,
        date: CaptureDate,
        place: RecordPlace,
        block: Block,
    ) -> (CaptureEntry, Option<Body>) {
        let is_revisit = head.record_type == RecordType::Revisit;
        let told = head.headers.get("WARC-Payload-Digest").filter(|digest| is_sha1(digest));
        let mut entry = CaptureEntry {
            url,
            date,
            status: http.as_ref().map_or(0, |http| i32::from(http.status)),
            mime: "-".to_owned(),
            payload_len: 0,
            payload_digest: told.clone().unwrap_or_default(),
            truncated: head.headers.get("WARC-Truncated").filter(|_| !is_revisit),
            ip: head.headers.get("WARC-IP-Address").and_then(|ip| ip.trim().parse().ok()),
            fetch_ms: None,
            title: None,
            language: None,
            hops: String::new(),
            via: None,
            seed: None,
            source_tag: String::new(),
            verdict: None,
            redirect_to: None,
            revisit_of: head.headers.get("WARC-Refers-To-Date").and_then(|text| CaptureDate::parse(&text).ok()),
            records: vec![place],
            outlinks: Vec::new(),
        };
        if let Some(http) = &http {
            entry.mime = plain_mime(&http.content_type().mime);
        }
        if is_revisit {
            if let Some(known) = self.remembered.get(&entry.payload_digest) {
                entry.payload_len = known.payload_len;
                (entry.title, entry.language) = (known.title.clone(), known.language.clone());
                if http.is_none() {
                    (entry.status, entry.mime) = (known.status, known.mime.clone());
                }
            }
            // A revisit of an unknown date repeats itself, at the least.
            entry.revisit_of = entry.revisit_of.or(Some(date));
            let held = http.map(|http| (http.status, http.headers, Vec::new()));
            return (entry, held);
        }
        let (status, headers, payload) = match http {
            Some(http) => {
                let raw = block.bytes.get(http.head_len..).unwrap_or_default();
                entry.payload_len = match (&block.digests, http.is_chunked()) {
                    (Some(digests), _) => digests.payload_len,
                    (None, true) => entity_body(&http, raw).0.len() as u64,
                    (None, false) => head.content_length.saturating_sub(http.head_len as u64),
                };
                let payload = decode_payload(&http, raw, MAX_PAGE_BYTES).bytes;
                (http.status, http.headers, payload)
            }
            None => {
                entry.payload_len = block.digests.as_ref().map_or(head.content_length, |digests| digests.payload_len);
                let mut headers = Headers::new();
                if let Some(kind) = head.headers.get("Content-Type").filter(|_| !head.is_http()) {
                    entry.mime = plain_mime(&ContentType::parse(&kind).mime);
                    headers.push("Content-Type", kind);
                }
                (200, headers, block.bytes)
            }
        };
        if let Some(digests) = block.digests {
            entry.payload_digest = digests.payload;
        }
        (entry, Some((status, headers, payload)))
    }

    fn side(
        &mut self,
        head: &RecordHead,
        url: Url,
        date: CaptureDate,
        place: RecordPlace,
        block: &Block,
    ) -> Result<(), CrawlError> {
        let points_to: Vec<String> = ["WARC-Refers-To", "WARC-Concurrent-To"]
            .iter()
            .flat_map(|name| head.headers.all(name))
            .map(|value| String::from_utf8_lossy(value).trim().trim_matches(['<', '>']).to_owned())
            .collect();
        let id = place.record_id.clone();
        let found = self
            .window
            .iter()
            .rposition(|group| group.is_named(&url, points_to.iter().chain([&id])))
            .or_else(|| self.window.iter().rposition(|group| group.is_like(&url, date)));
        let at = match found {
            Some(at) => at,
            None => self.new_group()?,
        };
        let group = &mut self.window[at];
        group.url.get_or_insert(url);
        group.date.get_or_insert(date);
        // Beyond this, records of one capture are a flood.
        if group.others.len() >= MAX_OTHERS {
            self.report.orphans += 1;
            return Ok(());
        }
        group.ids.extend(points_to);
        group.ids.push(id);
        if head.record_type == RecordType::Metadata {
            group.notes = group.notes.take().or_else(|| notes_of(head, &block.bytes));
        }
        group.others.push(place);
        Ok(())
    }

    fn new_group(&mut self) -> Result<usize, CrawlError> {
        if self.window.len() >= WINDOW {
            self.flush_one()?;
        }
        self.window.push_back(Group::default());
        Ok(self.window.len() - 1)
    }

    /// Reads the links of the payload in hand, unless notes told them.
    fn let_go_of_payload(&mut self) {
        let Some(held) = self.held.take() else { return };
        let Some(at) = held.group.checked_sub(self.first).and_then(|at| usize::try_from(at).ok()) else { return };
        let Some(group) = self.window.get_mut(at) else { return };
        let Some(entry) = &mut group.entry else { return };
        if group.notes.as_ref().is_none_or(|notes| notes.verdict.is_none()) {
            let leads = read_leads(&entry.url, held.status, &held.headers, &held.payload);
            entry.title = leads.title.or(entry.title.take());
            entry.language = leads.language.or(entry.language.take());
            entry.redirect_to = leads.redirect_to;
            entry.outlinks = leads.outlinks;
        }
        if entry.revisit_of.is_none() && self.remembered.len() < MAX_REMEMBERED {
            let notes = group.notes.as_ref().filter(|notes| notes.verdict.is_some());
            let known = Remembered {
                status: entry.status,
                mime: entry.mime.clone(),
                payload_len: entry.payload_len,
                title: notes.map_or_else(|| entry.title.clone(), |notes| notes.title.clone()),
                language: notes.map_or_else(|| entry.language.clone(), |notes| notes.language.clone()),
            };
            self.remembered.insert(entry.payload_digest.clone(), known);
        }
    }

    /// Hands the oldest capture on.
    fn flush_one(&mut self) -> Result<(), CrawlError> {
        if self.held.as_ref().is_some_and(|held| held.group == self.first) {
            self.let_go_of_payload();
        }
        let Some(group) = self.window.pop_front() else { return Ok(()) };
        self.first += 1;
        let Some(mut entry) = group.entry else {
            self.report.orphans += group.others.len() as u64;
            return Ok(());
        };
        entry.records.extend(group.others);
        if let Some(notes) = group.notes {
            apply(&mut entry, notes);
        }
        self.report.captures += 1;
        self.report.revisits += u64::from(entry.revisit_of.is_some());
        (self.sink)(entry)
    }
}

impl Group {
    /// Whether one of these ids is of this capture. The URL has to be the
    /// same: some tools give one id to records of several captures.
    fn is_named<'i>(&self, url: &Url, ids: impl IntoIterator<Item = &'i String>) -> bool {
        self.url.as_ref() == Some(url) && ids.into_iter().any(|id| !id.is_empty() && self.ids.contains(id))
    }

    fn is_like(&self, url: &Url, date: CaptureDate) -> bool {
        self.url.as_ref() == Some(url) && self.date == Some(date)
    }
}

/// Takes over what a crawl wrote down about a capture.
fn apply(entry: &mut CaptureEntry, notes: CaptureNotes) {
    if notes.verdict.is_some() {
        // A record of ours, which tells everything.
        let redirect = notes.outlinks.iter().find(|link| link.kind == crate::links::LinkKind::Redirect);
        entry.redirect_to = redirect.map(|link| link.url.clone());
        (entry.title, entry.language, entry.outlinks) = (notes.title, notes.language, notes.outlinks);
    }
    entry.fetch_ms = notes.fetch_ms;
    entry.hops = notes.hops;
    entry.via = notes.via;
    entry.seed = notes.seed;
    entry.source_tag = notes.source_tag;
    entry.verdict = notes.verdict;
}

/// Notes of ours, or those of Heritrix.
fn notes_of(head: &RecordHead, block: &[u8]) -> Option<CaptureNotes> {
    let kind = head.headers.get("Content-Type").map(|kind| ContentType::parse(&kind).mime).unwrap_or_default();
    if kind == "application/json" {
        return CaptureNotes::from_json(block);
    }
    // Heritrix before 3 called it ANVL.
    if !matches!(kind.as_str(), "application/warc-fields" | "text/anvl") {
        return None;
    }
    let mut notes = CaptureNotes::default();
    for line in String::from_utf8_lossy(block).lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match name.trim() {
            "via" => notes.via = parse_web_url(value),
            "hopsFromSeed" => notes.hops = value.to_owned(),
            "sourceTag" => notes.source_tag = value.to_owned(),
            "fetchTimeMs" => notes.fetch_ms = value.parse().ok(),
            _ => {}
        }
    }
    Some(notes)
}

/// As much of a block as is wanted, and its digests where nobody told them.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    digests: Option<crate::warc::Digests>,
}

fn read_block<R: Read>(reader: &mut ArchiveReader<R>, head: &RecordHead, limit: usize) -> Result<Block, CrawlError> {
    let is_main = matches!(head.record_type, RecordType::Response | RecordType::Resource);
    let told = head.headers.get("WARC-Payload-Digest").is_some_and(|digest| is_sha1(&digest));
    let mut digester = None;
    let mut bytes = Vec::new();
    let mut first = true;
    loop {
        let chunk = reader.fill_buf().map_err(|source| CrawlError::io(Path::new("the record's block"), source))?;
        if chunk.is_empty() {
            break;
        }
        if first && is_main {
            // Chunked bodies are always reckoned anew: writers differ in what they hash.
            let is_http = head.record_type == RecordType::Response;
            let chunked = is_http && parse_response_head(chunk).is_some_and(|head| head.is_chunked());
            digester = (!told || chunked).then(|| BlockDigester::new(is_http));
            first = false;
        }
        if let Some(digester) = &mut digester {
            digester.update(chunk);
        }
        let len = chunk.len();
        bytes.extend_from_slice(&chunk[..len.min(limit - bytes.len())]);
        reader.consume(len);
    }
    if first && is_main && !told {
        digester = Some(BlockDigester::new(head.record_type == RecordType::Response));
    }
    Ok(Block { bytes, digests: digester.map(BlockDigester::finish) })
}

/// `sha1:` in base 32, as the catalogue compares digests.
fn is_sha1(digest: &str) -> bool {
    digest.strip_prefix("sha1:").is_some_and(|value| {
        value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte))
    })
}
