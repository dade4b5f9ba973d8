//! Types of a WARC or ARC record: its head, its span in the file, problems in it.

use super::http::{HttpHead, parse_response_head};
use crate::uri::{CaptureDate, Url, escape_bytes};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// Named fields in the order they came, repeats kept, names compared without case.
///
/// One buffer has all names and another all values: a file of a million records has ten million fields.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    names: String,
    values: Vec<u8>,
    /// Where each field ends in `names` and in `values`.
    ends: Vec<(usize, usize)>,
    /// A bit for each length of a name (modulo 64): most names that are looked up are absent, which this
    /// shows at once.
    name_lens: u64,
}

impl Headers {
    /// No fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes held.
    pub fn byte_len(&self) -> usize {
        self.names.len() + self.values.len() + self.ends.len() * size_of::<(usize, usize)>()
    }

    /// No fields, and room for those of a head of so many bytes.
    pub(super) fn with_room(head_len: usize) -> Self {
        // Fields take about forty bytes, half of them the name.
        let len = head_len.min(16 * 1024);
        Self {
            names: String::with_capacity(len / 2),
            values: Vec::with_capacity(len),
            ends: Vec::with_capacity(len / 32),
            name_lens: 0,
        }
    }

    /// Appends a field.
    pub fn push(&mut self, name: impl AsRef<str>, value: impl AsRef<[u8]>) {
        self.names.push_str(name.as_ref());
        self.name_lens |= bit_of(name.as_ref());
        self.values.extend_from_slice(value.as_ref());
        self.ends.push((self.names.len(), self.values.len()));
    }

    /// The first field of this name as text (invalid UTF-8 read as Latin-1).
    pub fn get(&self, name: &str) -> Option<String> {
        self.get_text(name).map(Cow::into_owned)
    }

    /// The first field of this name as a URL: bytes that are no UTF-8 are
    /// percent-encoded.
    pub fn get_url(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get_bytes(name).map(escape_bytes)
    }

    /// As [`get`](Self::get), without a copy where the bytes are UTF-8.
    pub fn get_text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get_bytes(name).map(text_of)
    }

    /// As [`get_text`](Self::get_text), without white space around it; `None`
    /// where nothing else is there.
    pub fn get_trimmed(&self, name: &str) -> Option<Cow<'_, str>> {
        let text = match self.get_text(name)? {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
        (!text.is_empty()).then_some(text)
    }

    /// The first field of this name.
    pub fn get_bytes(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }

    /// Values of all fields of this name.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let is_possible = self.name_lens & bit_of(name) != 0;
        let fields = if is_possible { self.ends.as_slice() } else { &[] };
        let mut start = (0, 0);
        fields.iter().filter_map(move |&end| {
            let field = &self.names.as_bytes()[start.0..end.0];
            let value = &self.values[start.1..end.1];
            start = end;
            field.eq_ignore_ascii_case(name.as_bytes()).then_some(value)
        })
    }

    /// Names and values of all fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let field = (&self.names[start.0..end.0], &self.values[start.1..end.1]);
            start = end;
            field
        })
    }

    /// Appends to the value of the last field (a folded line).
    pub fn extend_last(&mut self, more: &[u8]) {
        if let Some((_, end)) = self.ends.last_mut() {
            self.values.push(b' ');
            self.values.extend_from_slice(more);
            *end = self.values.len();
        }
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn bit_of(name: &str) -> u64 {
    1 << (name.len() % 64)
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(name, value)| (name, text_of(value)))).finish()
    }
}

/// Bytes of a head as text: UTF-8, or Latin-1 where they are none.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// The type of a record (WARC/1.1, 5.5).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// Describes the file.
    Warcinfo,
    /// What a server answered.
    Response,
    /// A resource without its protocol exchange.
    Resource,
    /// The request of a capture.
    Request,
    /// About another record.
    Metadata,
    /// A capture whose payload is already held.
    Revisit,
    /// Another form of a record's payload.
    Conversion,
    /// A further segment.
    Continuation,
    /// A type of the future.
    Other(String),
}

impl RecordType {
    /// Whether it is the record of a capture, with or without a payload.
    pub fn is_capture(&self) -> bool {
        self.holds_payload() || *self == Self::Revisit
    }

    /// Whether it holds the payload of a capture.
    pub fn holds_payload(&self) -> bool {
        matches!(self, Self::Response | Self::Resource)
    }

    /// Parses the value of `WARC-Type`.
    pub fn parse(text: &str) -> Self {
        const KNOWN: [RecordType; 8] = [
            RecordType::Response,
            RecordType::Request,
            RecordType::Metadata,
            RecordType::Revisit,
            RecordType::Resource,
            RecordType::Warcinfo,
            RecordType::Conversion,
            RecordType::Continuation,
        ];
        match KNOWN.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(text)) {
            Some(known) => known,
            None => Self::Other(text.to_ascii_lowercase()),
        }
    }

    /// The value of `WARC-Type`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Warcinfo => "warcinfo",
            Self::Response => "response",
            Self::Resource => "resource",
            Self::Request => "request",
            Self::Metadata => "metadata",
            Self::Revisit => "revisit",
            Self::Conversion => "conversion",
            Self::Continuation => "continuation",
            Self::Other(other) => other,
        }
    }
}

impl fmt::Display for RecordType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Prefix of the targets of metadata records of Fonds.
const FONDS_URN: &str = "urn:fonds:";

/// `WARC-Target-URI` of a metadata record about `url`: `urn:fonds:KIND:URL`.
///
/// Indexers (pywb, cdxj-indexer) take a JSON metadata record under the URL and
/// date of a page for another capture of that page, and pywb then shows the
/// JSON in its place. Under a name of its own it is found and does no harm;
/// `WARC-Refers-To` says which record it is about.
pub fn metadata_target(kind: &str, url: &str) -> String {
    format!("{FONDS_URN}{kind}:{url}")
}

/// Everything of a record before its block. An ARC record has the same shape: its URL line is read into WARC
/// fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordHead {
    /// `WARC/1.1`, `ARC/1.0` …
    pub version: String,
    /// What kind of record this is.
    pub record_type: RecordType,
    /// The named fields, unchanged.
    pub headers: Headers,
    /// Declared length of the block in bytes.
    pub content_length: u64,
}

impl RecordHead {
    /// `WARC-Record-ID` without angle brackets.
    pub fn record_id(&self) -> Option<String> {
        self.headers.get_text("WARC-Record-ID").map(|id| unbracket(&id).to_owned())
    }

    /// Target of the record: `WARC-Target-URI` without the angle brackets that some writers add, and without
    /// the prefix of [`metadata_target`].
    pub fn target_uri(&self) -> Option<String> {
        let text = self.headers.get_text("WARC-Target-URI")?;
        let uri = unbracket(&text);
        let about = uri.strip_prefix(FONDS_URN).and_then(|rest| rest.split_once(':'));
        Some(about.map_or(uri, |(_, about)| about).to_owned())
    }

    /// The target as a web URL; blanks are escaped as browsers do.
    pub fn target_url(&self) -> Option<Url> {
        self.target_uri().and_then(|uri| crate::uri::parse_web_url(&uri))
    }

    /// `WARC-Date`.
    pub fn date(&self) -> Option<CaptureDate> {
        self.headers.get_text("WARC-Date").and_then(|text| CaptureDate::parse(&text).ok())
    }

    /// Whether the record is of an ARC file.
    pub fn is_arc(&self) -> bool {
        self.version.starts_with("ARC")
    }

    /// Whether the block is an HTTP message: by its `Content-Type`, or there is none and the record is of a
    /// web URL. (Without one a reader may guess: WARC 1.1, 5.6. Warcio goes by the URL alone.)
    pub fn is_http(&self) -> bool {
        const HTTP: &[u8] = b"application/http";
        match self.headers.get_bytes("Content-Type").map(<[u8]>::trim_ascii) {
            None | Some(b"") => {
                matches!(self.record_type, RecordType::Response | RecordType::Request | RecordType::Revisit)
                    && self.target_url().is_some()
            }
            Some(kind) => kind.get(..HTTP.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(HTTP)),
        }
    }
}

impl RecordHead {
    /// The head of the HTTP response that its block, or the beginning of it,
    /// holds, if it is to hold one.
    pub fn http_response(&self, block: &[u8]) -> Option<HttpHead> {
        if self.is_http() { parse_response_head(block) } else { None }
    }
}

pub(super) fn unbracket(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text)
}

/// Byte range of a record in its file, compressed, for random access.
///
/// A record that shares its compressed member with others has no such place.
/// Its span counts in the decompressed file and is marked
/// ([`Span::is_inside_member`]); it can be read, from the start of the file,
/// but neither copied nor indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Offset of the first byte of the record (of its member, if compressed per record).
    pub offset: u64,
    /// Length in bytes up to the next record.
    pub length: u64,
}

impl Span {
    /// Set in offsets that count in the decompressed file; far above every
    /// file size and still a positive number in the catalogue.
    const INSIDE_MEMBER: u64 = 1 << 62;

    /// The place of a record that shares its member, in the decompressed file.
    pub fn inside_member(decoded_offset: u64, length: u64) -> Self {
        Self { offset: decoded_offset | Self::INSIDE_MEMBER, length }
    }

    /// Whether the record shares its compressed member with others.
    pub fn is_inside_member(self) -> bool {
        self.offset & Self::INSIDE_MEMBER != 0
    }

    /// The offset without the mark of [`Span::is_inside_member`].
    pub fn decoded_offset(self) -> u64 {
        self.offset & !Self::INSIDE_MEMBER
    }
}

/// The offset of a [`Span`] as text, with a “+” where it counts in the
/// decompressed file.
pub fn format_offset(offset: u64) -> String {
    let place = Span { offset, length: 0 };
    format!("{}{}", if place.is_inside_member() { "+" } else { "" }, place.decoded_offset())
}

/// The compressed member that a record begins in which shares it with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SharedMember {
    /// Offset in the file of its first byte.
    pub offset: u64,
    /// The place in the decompressed file of what it decodes to.
    pub decoded_offset: u64,
}

/// A whole record in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its head.
    pub head: RecordHead,
    /// Bytes of the block in the file, at most as many as were requested.
    pub block: Vec<u8>,
    /// Bytes of the block that were left out by the caller's limit.
    pub omitted: u64,
    /// Its place.
    pub span: Span,
}

/// Kind of the damage or deviation that a [`Problem`] reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// Bytes between records that are no record.
    Garbage,
    /// A head that cannot be read.
    BadHead,
    /// A named field is missing, repeated or malformed.
    BadField,
    /// The file or member ends inside a record.
    Truncated,
    /// A gzip or zstd stream is damaged.
    BadCompression,
    /// A digest does not fit the bytes.
    BadDigest,
    /// One gzip member holds several records: no random access.
    NotPerRecord,
    /// The HTTP message inside is malformed.
    BadHttp,
    /// A limit of the reader was reached.
    Limit,
    /// Allowed, and against what the standard recommends.
    Advice,
    /// Something that cannot be checked, such as an unknown digest algorithm.
    Unchecked,
    /// Segments of a record are missing, doubled or do not fit.
    Segments,
    /// The original of a revisit is not in the files given.
    NoOriginal,
    /// A page that was not read whole: links may be missing.
    UnreadPage,
}

/// Severity of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is lost and no rule of the standard is broken.
    Warning,
    /// Bytes are lost or the standard is broken.
    Error,
}

impl Severity {
    /// Name of the severity.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl ProblemKind {
    /// Name of the kind for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Garbage => "data outside records",
            Self::BadHead => "invalid record header",
            Self::BadField => "invalid header",
            Self::Truncated => "truncated",
            Self::BadCompression => "damaged compression",
            Self::BadDigest => "wrong digest",
            Self::NotPerRecord => "not compressed per record",
            Self::BadHttp => "malformed HTTP",
            Self::Limit => "limit reached",
            Self::Advice => "not recommended",
            Self::Unchecked => "not checked",
            Self::Segments => "broken segments",
            Self::NoOriginal => "original missing",
            Self::UnreadPage => "page not fully read",
        }
    }

    /// Severity of problems of this kind. What servers sent is the server's fault and kept as it came.
    pub fn severity(self) -> Severity {
        match self {
            Self::NotPerRecord
            | Self::BadHttp
            | Self::Limit
            | Self::Advice
            | Self::Unchecked
            | Self::NoOriginal
            | Self::UnreadPage => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// Something broken or odd in a file; reading goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Offset in the file, in bytes; where records share a compressed member,
    /// marked as in [`Span`].
    pub offset: u64,
    /// That member, where the file can be entered at it.
    pub member: Option<SharedMember>,
    /// What kind of problem.
    pub kind: ProblemKind,
    /// What exactly, for a person.
    pub detail: String,
    /// Number of problems counted here: 1, or those of a kind that are not listed.
    pub count: u64,
}

impl Problem {
    /// Makes a problem that counts once.
    pub fn new(offset: u64, kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { offset, member: None, kind, detail: detail.into(), count: 1 }
    }

    /// Sets the member of the record, if its place is one in a member.
    pub(crate) fn in_member(self, member: Option<SharedMember>) -> Self {
        let is_inside = Span { offset: self.offset, length: 0 }.is_inside_member();
        Self { member: member.filter(|_| is_inside), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {}: {}: {}", format_offset(self.offset), self.kind.label(), self.detail)
    }
}

/// Lets problems through up to a number, so that a file of nothing but damage
/// fills neither the memory nor a report; further ones are counted.
pub(super) struct ProblemCap {
    room: usize,
    unlisted: BTreeMap<ProblemKind, u64>,
}

impl ProblemCap {
    pub(super) fn new(max: usize) -> Self {
        Self { room: max, unlisted: BTreeMap::new() }
    }

    /// The problem, where it is to be listed.
    pub(super) fn admit(&mut self, problem: Problem) -> Option<Problem> {
        if self.room > 0 {
            self.room -= 1;
            return Some(problem);
        }
        *self.unlisted.entry(problem.kind).or_default() += problem.count;
        None
    }

    /// Problems that count those of each kind that are not listed, at the offset up to which the file has
    /// been read.
    pub(super) fn rest(self, read_to: u64) -> impl Iterator<Item = Problem> {
        self.unlisted.into_iter().map(move |(kind, count)| {
            let detail = format!("{count} further problems of this kind are not listed");
            Problem { count, ..Problem::new(read_to, kind, detail) }
        })
    }
}

/// Problems up to a number, and how many more there are.
pub(super) struct ProblemList {
    listed: Vec<Problem>,
    cap: ProblemCap,
    max: usize,
}

impl ProblemList {
    pub(super) fn new(max: usize) -> Self {
        Self { listed: Vec::new(), cap: ProblemCap::new(max), max }
    }

    pub(super) fn push(&mut self, problem: Problem) {
        self.listed.extend(self.cap.admit(problem));
    }

    pub(super) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }

    /// Takes all problems; counts of those not listed follow them, one of each kind, at the offset up to
    /// which the file has been read.
    pub(super) fn take(&mut self, read_to: u64) -> Vec<Problem> {
        let taken = std::mem::replace(self, Self::new(self.max));
        let mut listed = taken.listed;
        listed.extend(taken.cap.rest(read_to));
        listed
    }
}

impl From<crate::jobs::FileError> for WarcError {
    fn from(crate::jobs::FileError { path, source }: crate::jobs::FileError) -> Self {
        Self::Io { path, source }
    }
}

/// Reading or writing an archive file failed as a whole.
#[derive(Debug, thiserror::Error)]
pub enum WarcError {
    /// Error of the operating system.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file is no archive file.
    #[error("{path}: neither WARC nor ARC ({why})", path = path.display())]
    NotArchive {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// There is no readable record at this place.
    #[error("{path}, offset {}: {why}", format_offset(*offset), path = path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What was found instead.
        why: String,
    },
}
